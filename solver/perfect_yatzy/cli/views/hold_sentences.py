"""Hold rules as sentences in the language of a catalogue."""

from __future__ import annotations

from ...game.rules import RuleSet
from ...policies.hold_language import Condition, DicePattern, HoldRule, all_categories, section
from .words import Text, Words


def hold_sentence(rules: RuleSet, rule: HoldRule, words: Words) -> Text:
    """A rule as a sentence: ``Three of a kind of 3–6, box open, if one roll is left: keep.``

    Parameters
    ----------
    rules
        Has the names of the categories.
    """
    conditions = [_condition(rules, condition, words) for condition in rule.conditions]
    text = words.fill(
        "rule.sentence",
        pattern=_pattern(rules, rule.pattern, words),
        conditions=words.fill("rule.if", conditions=words.listed(conditions)) if conditions else "",
        action=words.fill(f"rule.{rule.action.replace(' ', '_')}"),
    )
    first, *rest = text.spans
    return Text((type(first)(first.text[:1].upper() + first.text[1:], first.kind), *rest))


def _pattern(rules: RuleSet, pattern: DicePattern, words: Words) -> str:
    if pattern.kind == "any":
        return words.words("rule.any")
    if pattern.kind == "pays":
        return str(words.fill("rule.pays", box=rules.categories[rules.index_of[pattern.category]].name))
    whole = (pattern.low, pattern.high) == (1, rules.faces)
    faces = _faces(pattern, words)
    of = "" if whole else str(words.fill("rule.faces", faces=faces))
    if pattern.kind == "groups" and pattern.sizes == (1,) and not whole:
        of = f" ({faces})"
    is_open = words.words("rule.open") if pattern.open else ""
    if pattern.kind == "dice":
        return str(words.fill("rule.dice", faces=faces)) + is_open
    if pattern.kind in ("different", "row") and pattern.sizes[0] == pattern.high - pattern.low + 1:
        return "-".join(map(str, range(pattern.low, pattern.high + 1)))
    if pattern.kind in ("different", "row"):
        return str(words.fill(f"rule.{pattern.kind}", count=pattern.sizes[0])) + of + is_open
    lowest = words.words("rule.lowest") if pattern.lowest else ""
    groups = words.pattern(pattern.sizes, "a") if pattern.sizes != (1,) else words.words("rule.single")
    return groups + of + is_open + lowest


def _faces(pattern: DicePattern, words: Words) -> str:
    if pattern.low == pattern.high:
        return str(pattern.low)
    return str(words.fill("rule.face_range", low=pattern.low, high=pattern.high))


def _condition(rules: RuleSet, condition: Condition, words: Words) -> Text:
    if condition.kind in ("open", "closed", "only"):
        boxes = _boxes(rules, condition, words)
        count = len(all_categories(rules, condition))
        return words.fill(f"rule.boxes_{condition.kind}", boxes=boxes, count=count)
    if condition.kind in ("above par", "below par"):
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}")
    if condition.low == condition.high:
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}", count=condition.low, number=condition.low)
    return words.fill("rule.turns_between", low=condition.low, high=condition.high)


def _boxes(rules: RuleSet, condition: Condition, words: Words) -> Text:
    names = [
        words.words(f"rule.{condition.kind}_{c}") if section(rules, c) else rules.categories[rules.index_of[c]].name
        for c in condition.categories
    ]
    # One box or another is open, but all of them are closed.
    return words.listed(names, "and" if condition.kind == "closed" else "or")
