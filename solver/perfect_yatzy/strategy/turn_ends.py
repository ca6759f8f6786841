"""The ends of the turns of a policy by state, and the laws of the points that it has to come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..game.dice import Floats
from ..kernels.leads import TurnEndsOfStates
from ..model.objectives import final_bonus
from ..model.policies import Policy
from ..model.state_space import LANES
from .forward_pass import ForwardPass
from .turn_evaluator import state_places

LAWS = 256  # at a time


def ends_of_turns(policy: Policy, threads: int) -> list[TurnEndsOfStates]:
    """The ends of the turns of a policy for each layer from its start on, by state; none where it never comes."""
    games = ForwardPass(policy, threads)
    return [_by_state(games, filled, *found) for filled, *found in games.reached()]


def laws_of_points(policy: Policy, threads: int) -> Iterator[Floats]:
    """The laws of the points to come of all states of a policy, `(states, points)`; the layer of full cards first."""
    games = ForwardPass(policy, threads)
    bonuses = final_bonus(games.space).astype(np.int64)
    laws = np.eye(int(bonuses.max()) + 1)[bonuses]
    yield laws
    for filled in range(games.space.categories - 1, games.space.first_layer - 1, -1):
        layer = games.unreached(filled)
        layer.mass[:-LANES] = 1  # of every state
        laws = _laws_before(_by_state(games, filled, games.turn_ends(filled, layer)[0], layer), laws)
        yield laws


def _laws_before(turn: TurnEndsOfStates, laws: Floats) -> Floats:
    """The laws of the points to come before a turn from those after it."""
    most = int(turn.points.max())
    padded = np.pad(laws, ((0, 0), (most, most)))
    shifted = np.lib.stride_tricks.sliding_window_view(padded.ravel(), laws.shape[1] + most)
    place = turn.child * padded.shape[1] + most - turn.points
    before = np.empty((len(turn.start) - 1, shifted.shape[1]))
    for states in np.array_split(np.arange(len(before)), len(before) // LAWS + 1):
        first, end = turn.start[states[0]], turn.start[states[-1] + 1]
        parts = shifted[place[first:end]] * turn.chance[first:end, None]
        before[states] = np.add.reduceat(parts, turn.start[states] - first)
    return before[:, : np.flatnonzero(before.any(axis=0))[-1] + 1]


def _by_state(games: ForwardPass, filled: int, ends: Any, layer: Any) -> TurnEndsOfStates:
    """Ends of turns that are listed by block and group, by state."""
    space, model, layout = games.space, games.end_model, games.space.layout
    rows, states = space.layers[filled], space.layer_slice(filled)
    blocks = np.repeat(rows, -(-layout.lane_count[layout.lane_sets[rows]] // LANES) * (layer.most_saved + 1))
    number = np.repeat(np.arange(len(blocks) * model.groups), np.diff(ends.start))
    block, group = np.divmod(number, model.groups)
    row = blocks[block]
    first, saved = np.divmod(block - ends.block_start[row], layer.most_saved + 1)
    end, lane = np.divmod(ends.end, LANES)
    sets, lane = layout.lane_sets[row], lane + first * LANES
    state = state_places(layout, row, saved, lane) - states.start
    child = row + model.step[group]
    child_sets = layout.lane_sets[child]
    child_lane = layout.lane_of[child_sets, layout.lane_upper[sets, lane] + model.shift[end]]
    after = state_places(layout, child, model.saved[end], child_lane) - space.layer_slice(filled + 1).start
    order = np.argsort(state, kind="stable")
    start = np.searchsorted(state[order], np.arange(states.stop - states.start + 1))
    return TurnEndsOfStates(start, after[order], model.points[end][order], ends.chance[order])
