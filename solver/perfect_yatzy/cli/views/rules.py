"""Rule sets as text: the list of the built-in ones, and one in detail."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet


def rules_list_lines(rule_sets: list[RuleSet]) -> list[str]:
    """Lines for `yatzy rules list`: each rule set with its summary, below it its switches."""
    width = max(len(rules.id) for rules in rule_sets)
    lines = []
    for rules in rule_sets:
        lines.append(f"{rules.id:<{width}}  {rules.summary or rules.name}")
        lines += [f"{'':<{width}}    +{switch.id}: {switch.summary}" for switch in rules.switches]
    return lines


def rules_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules show`.

    Parameters
    ----------
    facts
        As :func:`perfect_yatzy.model.estimates.rule_set_facts`.
    """
    lines = [f"{rules.name} ({rules.key})"]
    if rules.summary:
        lines.append(rules.summary)
    lines += ["", *rules.sentences()]
    lines.append("")
    id_width = max(len(c.id) for c in rules.categories)
    name_width = max(len(c.name) for c in rules.categories)
    for category in rules.categories:
        mark = "*" if category.upper else " "
        lines.append(
            f"  {category.code:>3} {mark} {category.name:<{name_width}}  {category.id:<{id_width}}  {category.text}"
        )
    lines.append("")
    if rules.switches:
        lines.append(f"Switches, written as in {rules.origin}+{rules.switches[0].id}:")
        lines += [f"  {switch.id:<20}  {switch.summary}" for switch in rules.switches]
        lines.append("")
    lines.append(f"Highest score   {facts['maximum']}")
    if "too_large" in facts:
        lines.append(f"States          too many for an exact solve: {facts['too_large']}")
        lines.append(f"                {approximate_advice(rules, facts)}")
    else:
        lines.append(f"States          {facts['states']:,} reachable, {facts['values']:,} values in the table")
    lines.append(f"Fingerprint     {rules.fingerprint}")
    if rules.published:
        lines.append(f"Published value {rules.published.value} ({rules.published.source})")
    return lines


def approximate_advice(rules: RuleSet, facts: dict[str, Any]) -> str:
    """What to run for a game that is too large."""
    from ...model.estimates import duration

    command, time = f"yatzy solve {rules.spec or rules.key} --approximate", duration(facts["approximate_seconds"])
    return f"`{command}` ({time}) makes a strategy with a proven bound"


def rules_check_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules check` about a rule file without mistakes; `facts` as in :func:`rules_lines`."""
    from ...model.estimates import SolveCost, gigabytes

    n_categories = len(rules.categories)
    categories = "1 category" if n_categories == 1 else f"{n_categories} categories"
    first = f"{rules.name} ({rules.key}) is valid: {categories}, highest score {facts['maximum']}"
    if "too_large" in facts:
        return [first, f"too large for an exact solve: {facts['too_large']}", approximate_advice(rules, facts)]
    cost = SolveCost(facts["values"], facts["bytes"], facts["memory"], facts["seconds"])
    return [
        first,
        f"{cost.values:,} values; a solve takes {cost.words} with two threads, and "
        f"{gigabytes(cost.memory)} of memory",
    ]
