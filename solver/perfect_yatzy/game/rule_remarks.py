"""Warnings about rules that are valid but probably a mistake."""

from __future__ import annotations

from ..core.rules import RuleSet
from ..core.scoring import possible_points, upper_sums
from ..words import _
from .rule_loader import builtin_ids, load_rules


def remarks(rules: RuleSet) -> list[str]:
    """Return warnings about rules that are valid but probably a mistake, one sentence each."""
    possible = zip(rules.categories, possible_points(rules), strict=True)
    # one box of each row
    boxes = [(box, points) for box, points in possible if not box.copy and not box.column]
    warnings = []
    for box, _points in boxes:
        for pattern in box.patterns:
            if pattern.score == "fixed" and pattern.plus:
                text = _(
                    "{category} pays its fixed {points} points and {plus} more (plus); "
                    "for the sum of the dice and {plus}, add `points = false`"
                )
                warnings.append(
                    text.format(category=box.id, points=pattern.points, plus=pattern.plus)
                )
    for box, points in boxes:
        if not max(points):
            text = _("{category} never scores: no roll is '{text}'")
            warnings.append(text.format(category=box.id, text=box.text))
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
