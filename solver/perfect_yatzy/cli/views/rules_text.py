"""A rule set as text."""

from __future__ import annotations

from typing import Any

from ...core.rules import RuleSet, Switch
from ...game.maximum_score import is_highest_score_exact
from ...game.rule_sentences import order_text, rule_sentences
from ...game.translations import row_of
from ...words import _, duration, gigabytes, ngettext, number_word
from ..text_width import columns, columns_of, left
from .wording import grouped

MAX_WIDTH = 80  # columns of a table


def rules_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Return lines for `yatzy rules show`.

    `facts` are those of :func:`perfect_yatzy.approximation.approximate_cost.rule_set_facts`.
    """
    lines = [f"{rules.name} ({rules.key})"]
    if rules.summary:
        lines.append(rules.summary)
    by_column = _column_table(rules)
    sentences = rule_sentences(rules, columns=not by_column)
    lines += ["", *sentences, "", *by_column, *_row_lines(rules), ""]
    in_rows = [category for category in rules.categories if category.row]
    if in_rows:
        example = in_rows[-1]
        text = _(
            "Each box has an id of its own, such as {id} for {name}.",
            id=example.id,
            name=example.name,
        )
        lines += [text, ""]
    if rules.switches:
        lines.append(
            _(
                "Switches, written as in {example}:",
                example=f"{rules.origin}+{rules.switches[0].id}",
            )
        )
        lines += [f"  {switch.id:<20}  {_switch_text(switch)}" for switch in rules.switches]
        lines.append("")
    return lines + _fact_lines(rules, facts)


def _switch_text(switch: Switch) -> str:
    """Return what a switch does, and the switches that cannot be combined with it."""
    if not switch.excludes:
        return switch.summary
    others = ", ".join(switch.excludes)
    return _("{summary} (not with {switches})", summary=switch.summary, switches=others)


def _fact_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    known = [(_("Highest score"), _highest_score(rules, facts))]
    if "too_large" in facts:
        known.append(
            (_("States"), _("too many for an exact solve: {reason}", reason=facts["too_large"]))
        )
        known.append(("", approximate_hint(rules, facts["approximate_seconds"])))
    else:
        text = _(
            "{states} reachable, {values} values in the table",
            states=grouped(facts["states"]),
            values=grouped(facts["values"]),
        )
        known.append((_("States"), text))
    known.append((_("Fingerprint"), rules.fingerprint))
    published = _("Published value")
    if rules.published:
        known.append((published, f"{rules.published.value} ({rules.published.source})"))
    # The width is the same for all rule sets.
    width = max(columns_of(published), *(columns_of(name) for name, _fact in known))
    return [f"{left(name, width)} {fact}" for name, fact in known]


def _highest_score(rules: RuleSet, facts: dict[str, Any]) -> str:
    """Return the highest possible final score, or a bound of it."""
    most = str(facts["maximum"])
    return most if is_highest_score_exact(rules) else _("at most {points}", points=most)


def approximate_hint(rules: RuleSet, seconds: float) -> str:
    """Return what to run for a game that is too large, and about how long it takes."""
    command = f"yatzy solve {rules.spec or rules.key} --approximate"
    return _(
        "`{command}` ({time}) makes a strategy with a proven bound",
        command=command,
        time=duration(seconds),
    )


def rules_check_lines(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Return lines for `yatzy rules check` about a rule file without mistakes.

    `facts` are those of :func:`rules_lines`.
    """
    from ...tablebase.estimates import THREADS, SolveCost

    count = len(rules.categories)
    first = ngettext(
        "{name} ({key}) is valid: {count} category, highest score {maximum}",
        "{name} ({key}) is valid: {count} categories, highest score {maximum}",
        count,
        name=rules.name,
        key=rules.key,
        count=count,
        maximum=_highest_score(rules, facts),
    )
    if "too_large" in facts:
        reason = _("too large for an exact solve: {reason}", reason=facts["too_large"])
        return [first, reason, approximate_hint(rules, facts["approximate_seconds"])]
    cost = SolveCost(facts["values"], facts["bytes"], facts["memory"], facts["seconds"])
    text = _(
        "{values} values; a solve takes {cost} with two threads, and {memory} of memory",
        values=grouped(cost.values),
        cost=cost.words(THREADS),
        memory=gigabytes(cost.memory),
    )
    return [first, text]


def _column_table(rules: RuleSet) -> list[str]:
    """Return what differs between the columns of the sheet, side by side, and an empty line.

    There are no lines if the table is too wide.
    """
    if not rules.columns:
        return []
    rows = [
        ("", *(column.name for column in rules.columns)),
        (_("ending"), *(f".{column.id}" for column in rules.columns)),
        (_("order"), *(order_text(column.order) for column in rules.columns)),
        (_("points"), *(f"x {column.factor}" for column in rules.columns)),
    ]
    if rules.bonus:
        rows.append((_("upper bonus"), *(bonus.text for bonus in rules.bonuses)))
    widths = [max(map(columns_of, cells)) for cells in zip(*rows, strict=True)]
    if 2 * len(widths) + sum(widths) > MAX_WIDTH:
        return []
    alignments = ["<"] * len(widths)
    lines = columns(rows, *alignments, indent="")
    return [*lines, ""]


def _row_lines(rules: RuleSet) -> list[str]:
    """Return code, mark of the upper section, name, id and text of each row of the sheet.

    A row may have several boxes.
    """
    # A row is represented by its first box.
    rows = [row_of(rules, box) for box in rules.categories if not (box.copy or box.column)]
    code_width = max(3, *(len(row.code) for row in rows))
    cells = []
    for row in rows:
        count = len([box for box in rules.categories if box.row == row.id and box.column == 0])
        times = ngettext("one time", "{count} times", count, count=number_word(count))
        name = f"{row.name} ({times})" if count > 1 else row.name
        mark = "*" if row.upper else " "
        cells.append((f"{row.code:>{code_width}} {mark} {name}", row.id, row.text))
    return columns(cells, "<", "<", "<")
