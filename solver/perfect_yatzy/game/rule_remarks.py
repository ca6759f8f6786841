"""Warnings about rules that are valid but probably a mistake."""

from __future__ import annotations

from ..core.rules import RuleSet
from ..core.scoring import possible_points, upper_sums
from ..words import _
from .rule_loader import builtin_ids, load_rules


def remarks(rules: RuleSet) -> list[str]:
    """Return warnings about rules that are valid but probably a mistake, one sentence each."""
    most = [max(points) for points in possible_points(rules)]
    boxes = [
        (c, points)
        for c, points in zip(rules.categories, most, strict=True)
        if not c.copy and not c.column
    ]
    warnings = [
        _(
            "{category} pays its fixed {points} points and {plus} more (plus); "
            "for the sum of the dice and {plus}, add `points = false`"
        ).format(category=c.id, points=p.points, plus=p.plus)
        for c, _most in boxes
        for p in c.patterns
        if p.score == "fixed" and p.plus
    ]
    never = _("{category} never scores: no roll is '{text}'")
    warnings += [never.format(category=c.id, text=c.text) for c, points in boxes if not points]
    for bonus, best in zip(rules.bonuses, upper_sums(rules).to_come(0), strict=False):
        if best < bonus.threshold:
            text = _("the bonus is out of reach: the upper boxes give {sum}, not {threshold}")
            warnings.append(text.format(sum=best, threshold=bonus.threshold))
    # Tables are identified by their fingerprint, but answers show only the name.
    has_builtin_id = rules.origin != rules.id and rules.id in builtin_ids()
    if has_builtin_id and load_rules(rules.id).fingerprint != rules.fingerprint:
        text = _("the id {id} is that of a built-in rule set with other rules: choose another")
        warnings.append(text.format(id=repr(rules.id)))
    return warnings
