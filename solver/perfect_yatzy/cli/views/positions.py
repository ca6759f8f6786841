"""The result of `yatzy positions` as text."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet
from .answers import card_line


def position_lines(rules: RuleSet, answer: dict[str, Any], path: str) -> list[str]:
    """Lines for `yatzy positions` from the answer of :func:`perfect_yatzy.service.simulate.run_positions`."""
    rows, decisions, games = answer["rows"], answer["positions"], answer["games"]
    of_games = f"{games:,} {'game' if games == 1 else 'games'}, seed {answer['seed']}"
    headline = f"Wrote {rows:,} {'position' if rows == 1 else 'positions'} to {path}"
    lines = [headline, "", card_line(rules, answer), f"{decisions:,} decisions of {of_games}"]
    shares = [
        f"{100 * number / decisions:.1f} % with {left} left"
        for left, number in answer["rolls_left"].items()
        if number
    ]
    lines.append(f"Rerolls: {', '.join(reversed(shares))}")
    if answer["exploration"]:
        lines.append(f"A random legal action is taken with chance {answer['exploration']:g}")
    return lines
