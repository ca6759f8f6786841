"""A position that has been checked once and is trusted from there on.

:func:`check_position` is the only place where a position becomes trusted. Every function that takes a position also
takes a :class:`CheckedPosition`, and does not check it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import StateError, _
from ..game.legal_actions import TurnPosition
from ..game.notation import read_card
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard, State, check_state
from ..model.state_space import StateSpace


@dataclass(frozen=True)
class CheckedPosition:
    """The start of a turn that a game can reach. Make one with :func:`check_position`."""

    rules: RuleSet = field(repr=False)  # the rules it was checked against
    state: State  # the part of the card that decides the rest of the game
    points: int  # points on the card without the upper bonus; 0 for a bare state


Position = State | Scorecard | CheckedPosition | TurnPosition | str | Mapping[str, int]


def check_position(rules: RuleSet, position: Position, space: StateSpace | None = None) -> CheckedPosition:
    """The checked start of the turn of a position, among the states of `space`; StateError if no game reaches it."""
    if isinstance(position, CheckedPosition | TurnPosition) and position.rules.fingerprint != rules.fingerprint:
        text = _("the card belongs to {other}, not to {rules}")
        raise StateError(text.format(other=position.rules.key, rules=rules.key), code="invalid-card")
    if isinstance(position, TurnPosition):
        position = position.card
    if isinstance(position, CheckedPosition):
        if space is None or not space.start.filled or position.state == space.start:
            return position
        state, points = position.state, position.points  # a table of the rest of a game holds fewer states
    elif isinstance(position, State):
        state, points = position, 0
    else:
        card = read_card(rules, position)
        state, points = card.state, card.total
    if space is None:
        check_state(rules, state)
    else:
        space.check(state)
    return CheckedPosition(rules, state, points)
