"""What a tie with the best opponent counts: one entry for each rule, which requests, the command
and the API read.
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
    """The rule of a name."""
    if name not in TIE_RULES:
        text = _("ties is {value}; must be one of {names}")
        raise StateError(text.format(value=shown(name), names=", ".join(TIE_RULES)), field="ties")
    return TIE_RULES[name]
