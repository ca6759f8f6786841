"""Hold rules as sentences that leave nothing open, in the language of a catalogue, and a legend of their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...game.box_order import prerequisites
from ...game.rules import RuleSet
from ...policies.hold_policy import bonus_box
from ...policies.hold_rules import Condition, DicePattern, HoldRule, all_categories, section
from .words import NO_TEXT, Span, Text, Words, capitalised, joined

EACH = ("different", "row")  # patterns that name one die of each face


def hold_sentence(rules: RuleSet, rule: HoldRule, words: Words) -> Text:
    """A rule as a sentence: ``At least three alike of 3–6, if one roll is left: keep all of them.``"""
    conditions = [_condition(rules, condition, words) for condition in rule.conditions]
    action = rule.action.replace(" ", "_")
    if action == "keep" and rule.pattern.kind in EACH:
        action = "keep_each" if rule.pattern.kind == "different" or _is_whole(rule.pattern) else "keep_row"
    text = words.fill(
        "rule.sentence",
        pattern=_pattern(rules, rule.pattern, words),
        conditions=words.fill("rule.if", conditions=words.listed(conditions)) if conditions else "",
        action=words.fill(f"rule.{action}"),
    )
    first, *rest = text.spans
    return Text((Span(capitalised(first.text), first.kind), *rest))


def legend(rules: RuleSet, holds: Sequence[HoldRule], words: Words) -> Text:
    """What the words of some rules mean, as far as they occur."""
    return joined(_explanations(rules, holds, words))


def _explanations(rules: RuleSet, holds: Sequence[HoldRule], words: Words) -> Iterator[Text]:
    patterns = [rule.pattern for rule in holds]
    conditions = {condition.kind for rule in holds for condition in rule.conditions}
    groups = [pattern for pattern in patterns if pattern.kind == "groups"]
    yield words.fill("legend.first")
    if {"keep", "stop"} & {rule.action for rule in holds}:
        yield words.fill("legend.use")
        if rules.joker and rules.joker.mode != "none":
            yield words.fill("legend.use_joker")
        if bonus_box(rules):
            yield words.fill("legend.use_bonus", box=rules.categories[rules.joker_index].name)
    if any(min(pattern.sizes) > 1 for pattern in groups):
        yield words.fill("legend.groups")
    if groups:
        yield words.fill("legend.pick")
    upper = next((box for box in rules.categories if box.face), None)
    if upper and any(pattern.open for pattern in patterns):
        yield words.fill("legend.open", box=upper.name, face=upper.face)
    if rules.joker and any(pattern.kind == "pays" for pattern in patterns):
        yield words.fill("legend.score")
    if "rolls left" in conditions:
        yield words.fill("legend.rolls")
    if "turns left" in conditions:
        yield words.fill("legend.turns")
    if {"above par", "below par"} & conditions:
        yield words.fill("legend.par", bonus=words.words("prices.bonus"))


def _is_whole(pattern: DicePattern) -> bool:
    """Whether every face of the range is asked for."""
    return pattern.kind in EACH and pattern.sizes[0] == pattern.high - pattern.low + 1


def _pattern(rules: RuleSet, pattern: DicePattern, words: Words) -> Text:
    if pattern.kind == "any":
        return words.fill("rule.any")
    if pattern.kind == "pays":
        boxes = words.listed([rules.categories[rules.index_of[c]].name for c in pattern.categories], "or")
        return words.fill(f"rule.pays{'_least' * (pattern.least > 1)}", box=boxes, points=pattern.least)
    if _is_whole(pattern):
        every = words.listed([*map(str, range(pattern.low, pattern.high + 1))])
        return words.fill("rule.each", faces=every)
    is_ranged = (pattern.low, pattern.high) != (1, rules.faces)
    lowest = words.fill("rule.lowest") if pattern.lowest else NO_TEXT
    faces = _faces(pattern, words)
    if pattern.sizes == (1,) and pattern.kind == "groups" and pattern.low < pattern.high:
        key = "_faces" * is_ranged + "_open" * pattern.open
        return words.fill(f"rule.single{key}", faces=faces) + lowest
    if pattern.kind == "dice" or (pattern.sizes == (1,) and pattern.kind == "groups"):
        key = "_open" if pattern.open and not is_ranged else "_faces_open" if pattern.open else ""
        return words.fill(f"rule.dice{key}", faces=faces)
    of = words.fill("rule.faces", faces=faces) if is_ranged else ""
    if pattern.kind in EACH or len(pattern.sizes) == 1:
        key = pattern.kind if pattern.kind in EACH else "group" if pattern.low < pattern.high else "group_one"
        text = words.fill(f"rule.{key}", count=pattern.sizes[0], faces=faces if key == "group_one" else of)
    elif len(set(pattern.sizes)) == 1:
        number = words.count(len(pattern.sizes))
        text = words.fill("rule.groups_equal", number=number, count=pattern.sizes[0], faces=of)
    else:
        text = words.fill("rule.groups", counts=words.listed([*map(words.count, pattern.sizes)]), faces=of)
    return text + (words.fill("rule.open") if pattern.open else NO_TEXT) + lowest


def _faces(pattern: DicePattern, words: Words) -> str:
    if pattern.low == pattern.high:
        return str(pattern.low)
    return str(words.fill("rule.face_range", low=pattern.low, high=pattern.high))


def _condition(rules: RuleSet, condition: Condition, words: Words) -> Text:
    if condition.kind in ("open", "closed", "only"):
        boxes, count = _boxes(rules, condition, words), len(all_categories(rules, condition))
        # A box that is not open is filled, unless the boxes have an order.
        key = "turn" if any(prerequisites(rules)) else "boxes"
        return words.fill(f"rule.{key}_{condition.kind}", boxes=boxes, count=count)
    if condition.kind == "scored":
        return words.fill("rule.scored", box=rules.categories[rules.tracked_index].name)
    if condition.kind in ("above par", "below par"):
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}", threshold=rules.threshold)
    if condition.low == condition.high:
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}", count=condition.low, number=condition.low)
    return words.fill("rule.turns_between", low=condition.low, high=condition.high)


def _boxes(rules: RuleSet, condition: Condition, words: Words) -> Text:
    kind = "open" if condition.kind == "closed" and any(prerequisites(rules)) else condition.kind
    names = [
        words.words(f"rule.{kind}_{c}") if section(rules, c) else rules.categories[rules.index_of[c]].name
        for c in condition.categories
    ]
    # One box or another is open, but all of them are closed.
    return words.listed(names, "and" if kind == "closed" else "or")
