"""Say what a tie with the best opponent counts.

Requests, the command and the API read the one entry for each rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import StateError, shown
from ..words import N_, _


@dataclass(frozen=True)
class TieRule:
    """A share of a win, and its words."""

    share: float
    value: str
    chance: str


TIE_RULES = {
    "loss": TieRule(0.0, N_("a loss"), N_("{chance} chance to win")),
    "half": TieRule(0.5, N_("half a win"), N_("{chance} chance to win (a tie is half)")),
    "win": TieRule(1.0, N_("a win"), N_("{chance} chance to win or tie")),
}


def tie_rule(name: str) -> TieRule:
    """Return the rule of a name."""
    if name not in TIE_RULES:
        text = _("ties is {value}; must be one of {names}")
        raise StateError(text.format(value=shown(name), names=", ".join(TIE_RULES)), field="ties")
    return TIE_RULES[name]


def clipped(chance: float) -> float:
    """Return a chance within 0 and 1. Sums of chances miss that by rounding, in the last digits."""
    return min(1.0, max(0.0, chance))
