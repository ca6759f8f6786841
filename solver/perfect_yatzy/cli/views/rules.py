"""A rule set as text."""

from __future__ import annotations

from typing import Any

from ...errors import _, ngettext
from ...game.rule_words import number_word, order_text
from ...game.rules import RuleSet
from ...game.translations import row_of
from .wording import columns, grouped

MAX_WIDTH = 80  # of a table


def rules_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules show`; `facts`: :func:`perfect_yatzy.model.approximate_cost.rule_set_facts`."""
    lines = [f"{rules.name} ({rules.key})", *([rules.summary] if rules.summary else []), ""]
    if by_column := _column_table(rules):
        lines += [*rules.sentences(columns=False), "", *by_column, ""]
    else:
        lines += [*rules.sentences(columns=True), ""]
    lines += [*_row_lines(rules), ""]
    if examples := [category for category in rules.categories if category.row]:
        text = _("Each box has an id of its own, such as {id} for {name}.")
        lines += [text.format(id=examples[-1].id, name=examples[-1].name), ""]
    if rules.switches:
        lines.append(_("Switches, written as in {example}:", example=f"{rules.origin}+{rules.switches[0].id}"))
        lines += [f"  {switch.id:<20}  {switch.summary}" for switch in rules.switches]
        lines.append("")
    return lines + _fact_lines(rules, facts)


def _fact_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    known = [(_("Highest score"), str(facts["maximum"]))]
    if "too_large" in facts:
        known.append((_("States"), _("too many for an exact solve: {reason}", reason=facts["too_large"])))
        known.append(("", approximate_advice(rules, facts)))
    else:
        states, values = grouped(facts["states"]), grouped(facts["values"])
        text = _("{states} reachable, {values} values in the table", states=states, values=values)
        known.append((_("States"), text))
    known.append((_("Fingerprint"), rules.fingerprint))
    published = _("Published value")
    if rules.published:
        known.append((published, f"{rules.published.value} ({rules.published.source})"))
    width = max(len(published), *(len(name) for name, _fact in known))  # the same for all rule sets
    return [f"{name:<{width}} {fact}" for name, fact in known]


def approximate_advice(rules: RuleSet, facts: dict[str, Any]) -> str:
    """What to run for a game that is too large."""
    from ...model.estimates import duration

    command, time = f"yatzy solve {rules.spec or rules.key} --approximate", duration(facts["approximate_seconds"])
    return _("`{command}` ({time}) makes a strategy with a proven bound", command=command, time=time)


def rules_check_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules check` about a rule file without mistakes; `facts` as in :func:`rules_lines`."""
    from ...model.estimates import SolveCost, gigabytes

    count = len(rules.categories)
    text = ngettext(
        "{name} ({key}) is valid: {count} category, highest score {maximum}",
        "{name} ({key}) is valid: {count} categories, highest score {maximum}",
        count,
    )
    first = text.format(name=rules.name, key=rules.key, count=count, maximum=facts["maximum"])
    if "too_large" in facts:
        reason = _("too large for an exact solve: {reason}", reason=facts["too_large"])
        return [first, reason, approximate_advice(rules, facts)]
    cost = SolveCost(facts["values"], facts["bytes"], facts["memory"], facts["seconds"])
    text = _("{values} values; a solve takes {cost} with two threads, and {memory} of memory")
    return [first, text.format(values=grouped(cost.values), cost=cost.words, memory=gigabytes(cost.memory))]


def _column_table(rules: RuleSet) -> list[str]:
    """What differs between the columns of the sheet, side by side; empty without columns, or if it is too wide."""
    if not rules.columns:
        return []
    by_column = [["", _("ending"), _("order"), _("points")]]  # first the labels, then each column of the sheet
    for column in rules.columns:
        by_column.append([column.name, f".{column.id}", order_text(column.order), f"x {column.factor}"])
    if rules.bonus:  # then each column has one
        for cells, text in zip(by_column, [_("upper bonus"), *(bonus.text for bonus in rules.bonuses)], strict=True):
            cells.append(text)
    widths = [max(map(len, cells)) for cells in by_column]
    if 2 * len(widths) + sum(widths) > MAX_WIDTH:
        return []
    rows = [*zip(*by_column, strict=True)]
    return columns(rows, *("<" for _cells in by_column), indent="")


def _row_lines(rules: RuleSet) -> list[str]:
    """Code, mark of the upper section, name, id and text of each row of the sheet, whose boxes may be several."""
    rows = []
    for category in rules.categories:
        if category.copy or category.column:  # another box of a row
            continue
        row = row_of(rules, category)
        count = len([box for box in rules.categories if box.row == row.id and box.column == 0])
        times = ngettext("{count} time", "{count} times", count, count=number_word(count))
        rows.append((row, f"{row.name} ({times})" if count > 1 else row.name))
    code_width = max(3, *(len(row.code) for row, _name in rows))
    name_width = max(len(name) for _row, name in rows)
    id_width = max(len(row.id) for row, _name in rows)
    lines = []
    for row, name in rows:
        mark = "*" if row.upper else " "
        lines.append(f"  {row.code:>{code_width}} {mark} {name:<{name_width}}  {row.id:<{id_width}}  {row.text}")
    return lines
