"""Rule sets as text: the list of the built-in ones, and one in detail."""

from __future__ import annotations

from typing import Any

from ...game.number_words import plural
from ...game.rules import ORDER_WORDS, RuleSet
from ...game.sheet_boxes import row_of

MAX_WIDTH = 80  # of a table


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
    columns = _column_table(rules)
    lines += ["", *rules.sentences(columns=not columns), ""]
    lines += [*columns, ""] if columns else []
    rows = _rows(rules)
    id_width, name_width, code_width = (max(map(len, column)) for column in list(zip(*rows, strict=True))[1:4])
    for mark, id_, name, code, text in rows:
        lines.append(f"  {code:>{max(3, code_width)}} {mark} {name:<{name_width}}  {id_:<{id_width}}  {text}")
    lines.append("")
    if examples := [category for category in rules.categories if category.row]:
        lines += [f"Each box has an id of its own, such as {examples[-1].id} for {examples[-1].name}.", ""]
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


def _column_table(rules: RuleSet) -> list[str]:
    """What differs between the columns of the sheet, side by side; empty without columns, or if it is too wide."""
    bonuses = rules.bonuses or (None,) * len(rules.columns)
    table = [("", "ending", "order", "points", *(["upper bonus"] if rules.bonus else []))]
    for column, bonus in zip(rules.columns, bonuses, strict=False):
        facts = [column.name, f".{column.id}", ORDER_WORDS[column.order], f"x {column.factor}"]
        table.append((*facts, *([bonus.text] if bonus else [])))
    widths = [max(map(len, cells)) for cells in table]
    if not rules.columns or 2 * len(widths) + sum(widths) > MAX_WIDTH:
        return []
    return ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in zip(*table, strict=True)]


def _rows(rules: RuleSet) -> list[tuple[str, str, str, str, str]]:
    """Mark, id, name, code and text of each row of the sheet, whose boxes may be several."""
    found = []
    for category in rules.categories:
        if category.copy or category.column:
            continue
        row = row_of(rules, category)
        count = sum(c.row == row.id and c.column == 0 for c in rules.categories)
        name = f"{row.name} ({plural(count, 'time')})" if count > 1 else row.name
        found.append(("*" if row.upper else " ", row.id, name, row.code, row.text))
    return found
