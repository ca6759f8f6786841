"""The result of `yatzy positions` as text."""

from __future__ import annotations

from typing import Any

from ..._messages import _, ngettext, number_text
from ...game.rules import RuleSet
from .answers import card_line
from .wording import decimal_text


def position_lines(rules: RuleSet, answer: dict[str, Any], path: str) -> list[str]:
    """Lines for `yatzy positions` from the answer of :func:`perfect_yatzy.service.simulate.run_positions`."""
    rows, decisions, games = answer["rows"], answer["positions"], answer["games"]
    written = ngettext("Wrote {count} position to {path}", "Wrote {count} positions to {path}", rows)
    played = ngettext(
        "{decisions} decisions of {count} game, seed {seed}",
        "{decisions} decisions of {count} games, seed {seed}",
        games,
    )
    lines = [written.format(count=number_text(rows, grouped=True), path=path), "", card_line(rules, answer)]
    lines.append(
        played.format(
            decisions=number_text(decisions, grouped=True),
            count=number_text(games, grouped=True),
            seed=answer["seed"],
        )
    )
    shares = [
        _("{share} % with {count} left").format(share=number_text(100 * number / decisions, 1), count=left)
        for left, number in answer["rolls_left"].items()
        if number
    ]
    lines.append(_("Rerolls: {shares}").format(shares=", ".join(reversed(shares))))
    if answer["exploration"]:
        chance = decimal_text(answer["exploration"])
        lines.append(_("A random legal action is taken with chance {chance}").format(chance=chance))
    return lines
