"""The result of `yatzy versus` as text: who wins how often, by who moves first, and what can be exploited."""

from __future__ import annotations

from collections.abc import Sequence

from ..._messages import _
from ...game.dice import Floats
from ...game.rules import RuleSet
from ...strategy.tie_rules import TIE_RULES
from .wording import chance_text, columns, wrapped


def versus_lines(
    rules: RuleSet, policies: Sequence[str], ties: str, chances: Floats, exploitability: Sequence[float]
) -> list[str]:
    """Lines for the chances of :func:`perfect_yatzy.strategy.versus.versus_table`."""
    names, tie = [_("plays to win"), *policies], _(TIE_RULES[ties].value)  # marked elsewhere
    first, second = chance_text(chances[0, 0]), chance_text(1 - chances[0, 0])
    lines = [_("{game}, two players: the first wins {chance}", game=rules.name, chance=first), ""]
    lines += wrapped(_("Both know both cards and play to win; a tie counts as {value}.", value=tie)).splitlines()
    lines.append(_("Who moves second wins {chance}.", chance=second))
    if not policies:
        return lines
    lines += ["", _("Chance of the first player (rows) against the second (columns):"), ""]
    cells = [[chance_text(chance) for chance in row] for row in chances.tolist()]
    rows = [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]
    lines += [*columns(rows, "<", *(">" for _name in names)), ""]
    text = _("What best responses win beyond a half, over both orders of moving:")
    lines += [*wrapped(text).splitlines(), ""]
    rows = [[name, chance_text(each)] for name, each in zip(policies, exploitability, strict=True)]
    return [*lines, *columns(rows, "<", ">")]


def bounds_lines(rules: RuleSet, ties: str, low: float, high: float) -> list[str]:
    """Lines for the bounds of :func:`perfect_yatzy.strategy.versus.versus_bounds`."""
    facts = {"game": rules.name, "low": chance_text(low), "high": chance_text(high)}
    tie = _(TIE_RULES[ties].value)  # marked elsewhere
    proof = _(
        "The game is too large to be solved for two players. Each of them has a strategy for the own score alone "
        "that wins at least so often, whatever the other does; a tie counts as {value}. Late in a game the chance "
        "is exact: yatzy hold --versus CARD",
        value=tie,
    )
    head = _("{game}, two players: the first wins between {low} and {high}", **facts)
    return [head, "", *wrapped(proof).splitlines()]
