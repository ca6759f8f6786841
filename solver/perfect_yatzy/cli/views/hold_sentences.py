"""Hold rules as sentences in the language of a catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...game.rules import RuleSet
from .words import Text, Words

if TYPE_CHECKING:
    from ...policies.hold_rules import (  # type: ignore[import-not-found,unused-ignore]
        Condition,
        DicePattern,
        HoldRule,
    )


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
        return str(words.fill("rule.pays", box=_names(rules, (pattern.category,), words)))
    whole = (pattern.low, pattern.high) == (1, rules.faces)
    faces = _faces(pattern, words)
    of = "" if whole else str(words.fill("rule.faces", faces=faces))
    is_open = words.words("rule.open") if pattern.open else ""
    if pattern.kind == "dice":
        return str(words.fill("rule.dice", faces=faces)) + is_open
    if pattern.kind in ("different", "row"):
        return str(words.fill(f"rule.{pattern.kind}", count=pattern.sizes[0])) + of + is_open
    lowest = words.words("rule.lowest") if pattern.lowest else ""
    groups = words.pattern(pattern.sizes, "a") if pattern.sizes != (1,) else words.group(1, "a")
    return groups + of + is_open + lowest


def _faces(pattern: DicePattern, words: Words) -> str:
    if pattern.low == pattern.high:
        return str(pattern.low)
    return str(words.fill("rule.face_range", low=pattern.low, high=pattern.high))


def _condition(rules: RuleSet, condition: Condition, words: Words) -> Text:
    if condition.kind in ("open", "closed", "only"):
        # One box or another is open, but all of them are closed.
        last = "and" if condition.kind == "closed" else "or"
        boxes = _names(rules, condition.categories, words, last)
        return words.fill(f"rule.boxes_{condition.kind}", boxes=boxes, count=len(condition.categories))
    if condition.kind in ("above par", "below par"):
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}")
    if condition.low == condition.high:
        return words.fill(f"rule.{condition.kind.replace(' ', '_')}", count=condition.low, number=condition.low)
    return words.fill("rule.turns_between", low=condition.low, high=condition.high)


def _names(rules: RuleSet, categories: tuple[str, ...], words: Words, last: str = "or") -> Text:
    return words.listed([rules.categories[rules.index_of[c]].name for c in categories], last)
