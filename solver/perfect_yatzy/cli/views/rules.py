"""Rule sets as text: the list of the built-in ones, and one in detail."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet
from .wording import category_name, plural


def rules_list_lines(rule_sets: list[RuleSet]) -> list[str]:
    """Lines for `yatzy rules list`: each rule set with its summary, below it its switches."""
    width = max(len(rules.id) for rules in rule_sets)
    lines = []
    for rules in rule_sets:
        lines.append(f"{rules.id:<{width}}  {rules.summary or rules.name}")
        lines += [f"{'':<{width}}    +{switch.id}: {switch.summary}" for switch in rules.switches]
    return lines


def rules_lines(rules: RuleSet, stats: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules show`.

    Parameters
    ----------
    stats
        The fields of :class:`perfect_yatzy.model.estimates.RuleSetStats`.
    """
    order = "in the listed order" if rules.order == "forced" else "in any order"
    lines = [f"{rules.name} ({rules.key})"]
    if rules.summary:
        lines.append(rules.summary)
    lines += [
        "",
        f"{plural(rules.dice, 'die', 'dice').capitalize()} with {rules.faces} faces, "
        f"{plural(rules.rolls_per_turn, 'roll')} a turn, {len(rules.categories)} categories {order}",
    ]
    if rules.bonus:
        lines.append(
            f"Upper bonus of {rules.bonus.points} points when the upper categories (*) reach {rules.bonus.threshold}"
        )
    if rules.saved_rolls:
        lines.append("Unused rolls are saved for later turns")
    if rules.joker:
        name = category_name(rules, rules.joker.category)
        lines.append(f"A further {name} pays {rules.joker.bonus} bonus points and is a {rules.joker.mode} joker")
    for category_id, points in rules.first_roll_bonus:
        lines.append(f"{category_name(rules, category_id)} on the first roll pays {points} bonus points")
    lines.append("")
    id_width = max(len(c.id) for c in rules.categories)
    name_width = max(len(c.name) for c in rules.categories)
    for category in rules.categories:
        mark = "*" if category.upper else " "
        patterns = " or ".join(pattern_text(pattern.canonical()) for pattern in category.patterns)
        lines.append(
            f"  {category.code:>3} {mark} {category.name:<{name_width}}  {category.id:<{id_width}}  {patterns}"
        )
    lines.append("")
    if rules.switches:
        lines.append(f"Switches, written as in {rules.origin}+{rules.switches[0].id}:")
        lines += [f"  {switch.id:<20}  {switch.summary}" for switch in rules.switches]
        lines.append("")
    lines.append(f"Highest score   {stats['maximum']}")
    lines.append(f"States          {stats['states']:,} reachable, {stats['values']:,} values in the table")
    lines.append(f"Fingerprint     {rules.fingerprint}")
    if rules.published:
        lines.append(f"Published value {rules.published.value} ({rules.published.source})")
    return lines


def pattern_text(pattern: dict[str, Any]) -> str:
    """The dice a pattern requires and the points it scores, from its canonical form."""
    kind = pattern["pattern"]
    if kind == "face":
        required = f"all {pattern['face']}s"
    elif kind == "groups":
        required = " + ".join(f"{size} equal" for size in pattern["groups"])
        required += "" if pattern["distinct"] else " (may be the same face)"
    elif kind == "contains":
        required = "-".join(map(str, pattern["contains"]))
    else:
        required = "any dice"
    points = {"matched": "their sum", "sum": "sum of all dice", "fixed": f"{pattern.get('points')} points"}
    plus = f" + {pattern['plus']}" if pattern.get("plus") else ""
    return f"{required}: {points[pattern['score']]}{plus}"
