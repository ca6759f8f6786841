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
    by_column, rows = _column_table(rules), _rows(rules)
    lines = [f"{rules.name} ({rules.key})", *filter(None, [rules.summary])]
    lines += ["", *rules.sentences(columns=not by_column), "", *by_column, *([""] if by_column else [])]
    _marks, ids, names, codes, _texts = zip(*rows, strict=True)
    id_width, name_width, code_width = (max(map(len, column)) for column in (ids, names, codes))
    for mark, id_, name, code, text in rows:
        lines.append(f"  {code:>{max(3, code_width)}} {mark} {name:<{name_width}}  {id_:<{id_width}}  {text}")
    lines.append("")
    if examples := [category for category in rules.categories if category.row]:
        text = _("Each box has an id of its own, such as {id} for {name}.")
        lines += [text.format(id=examples[-1].id, name=examples[-1].name), ""]
    if rules.switches:
        lines.append(_("Switches, written as in {example}:", example=f"{rules.origin}+{rules.switches[0].id}"))
        lines += [f"  {switch.id:<20}  {switch.summary}" for switch in rules.switches]
        lines.append("")
    if "too_large" in facts:
        states = _("too many for an exact solve: {reason}", reason=facts["too_large"])
    else:
        text = _("{states} reachable, {values} values in the table")
        states = text.format(states=grouped(facts["states"]), values=grouped(facts["values"]))
    known = [(_("Highest score"), str(facts["maximum"])), (_("States"), states)]
    if "too_large" in facts:
        known.append(("", approximate_advice(rules, facts)))
    known.append((_("Fingerprint"), rules.fingerprint))
    published = _("Published value")  # as wide as if it were there
    if rules.published:
        known.append((published, f"{rules.published.value} ({rules.published.source})"))
    width = max(len(published), *(len(name) for name, _fact in known))
    return [*lines, *(f"{name:<{width}} {fact}" for name, fact in known)]


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
    bonuses = rules.bonuses or (None,) * len(rules.columns)
    # A list for each column of the table: first the labels, then a column of the sheet.
    table = [["", _("ending"), _("order"), _("points"), *([_("upper bonus")] if rules.bonus else [])]]
    for column, bonus in zip(rules.columns, bonuses, strict=False):
        facts = [column.name, f".{column.id}", order_text(column.order), f"x {column.factor}"]
        table.append(facts + ([bonus.text] if bonus else []))
    widths = [max(map(len, cells)) for cells in table]
    if not rules.columns or 2 * len(widths) + sum(widths) > MAX_WIDTH:
        return []
    return columns([*zip(*table, strict=True)], *"<" * len(table), indent="")


def _rows(rules: RuleSet) -> list[tuple[str, str, str, str, str]]:
    """Mark, id, name, code and text of each row of the sheet, whose boxes may be several."""
    found = []
    for category in rules.categories:
        if category.copy or category.column:
            continue
        row = row_of(rules, category)
        count = sum(c.row == row.id and c.column == 0 for c in rules.categories)
        times = ngettext("{count} time", "{count} times", count, count=number_word(count))
        name = f"{row.name} ({times})" if count > 1 else row.name
        found.append(("*" if row.upper else " ", row.id, name, row.code, row.text))
    return found
