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
    """Lines for the chances of :func:`perfect_yatzy.strategy.two_players.versus_table`."""
    names = [_("plays to win"), *policies]
    tie = _(TIE_RULES[ties].value)  # marked elsewhere
    lines = [
        _("{game}, two players: the first wins {chance}", game=rules.name, chance=chance_text(chances[0, 0])),
        "",
    ]
    lines += wrapped(_("Both know both cards and play to win; a tie counts as {value}.", value=tie)).splitlines()
    lines.append(_("Who moves second wins {chance}.", chance=chance_text(1 - chances[0, 0])))
    if not policies:
        return lines
    lines += ["", _("Chance of the first player (rows) against the second (columns):"), ""]
    cells = [[chance_text(chance) for chance in row] for row in chances.tolist()]
    rows = [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]
    lines += [*columns(rows, "<", *(">" for _name in names)), ""]
    text = _("What best responses win beyond a half, over both orders of moving:")
    lines += [*wrapped(text).splitlines(), ""]
    return [
        *lines,
        *columns([[n, chance_text(each)] for n, each in zip(policies, exploitability, strict=True)], "<", ">"),
    ]
