"""Turns of simulated games under perfect play: the cards and rolls that a strong player meets, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..game.action_numbers import hold_count
from ..game.dice import Floats, Ints, lattice
from ..game.scorecard import State
from ..game.scoring import scoring_options
from ..strategy.positions import sample_positions

if TYPE_CHECKING:
    from ..strategy.strategy import Strategy


@dataclass(frozen=True)
class SampledTurns:
    """One turn of many games; all arrays have one entry for each game, int64 unless stated otherwise."""

    filled: Ints  # (games,): The state at the start of the turn, as in :class:`perfect_yatzy.game.scorecard.State`
    upper: Ints  # (games,)
    saved: Ints  # (games,)
    joker_paid: npt.NDArray[np.bool_]  # (games,) bool
    dice: Ints  # (games, dice): The roll that is scored, ascending
    rolls_left: Ints  # (games,): Rerolls that are given up
    category: Ints  # (games,): The category that is filled, and the points in its box
    points: Ints  # (games,)

    def state(self, game: int) -> State:
        """The state of one game at the start of the turn."""
        return State(
            int(self.filled[game]), int(self.upper[game]), int(self.saved[game]), bool(self.joker_paid[game])
        )


def sample_turns(strategy: Strategy, games: int, seed: int = 1) -> list[SampledTurns]:
    """Play games from the empty card under perfect play for the mean."""
    rules, size = strategy.rules, len(strategy.rules.categories)
    # No more decisions than rolls are made; with saved rolls some are made later.
    sample = sample_positions(strategy, games * size * rules.rolls_per_turn, seed)
    ends = np.flatnonzero((sample.action >= hold_count(rules)) & (sample.game_number < games))
    turns = []
    for turn in range(1, size + 1):
        rows = ends[sample.turn[ends] == turn]  # one for each game, in the order of the games
        end = sample.take(rows)
        category = end.action - hold_count(rules)
        paid = end.joker_paid.astype(bool)
        points = _points(strategy, end.filled, paid, end.dice, category)
        turns.append(SampledTurns(end.filled, end.upper, end.saved, paid, end.dice, end.rolls_left, category, points))
    return turns


def values_of(
    strategy: Strategy, filled: Ints, upper: Ints, saved: Ints, joker_paid: npt.NDArray[np.bool_]
) -> Floats:
    """Expected points still to come in many states that can occur, `(n,)`; the arguments are arrays `(n,)`."""
    space = strategy.space
    rows = space.rows_of(filled, joker_paid.astype(np.int64))
    lanes = space.lanes_of(rows, upper)
    places = space.layout.offsets[rows] + saved * space.layout.lane_count[space.layout.lane_sets[rows]] + lanes
    return np.asarray(strategy.table[places], dtype=np.float64)


def _points(strategy: Strategy, filled: Ints, paid: npt.NDArray[np.bool_], dice: Ints, category: Ints) -> Ints:
    """Points in the box of the category that each game fills."""
    rules = strategy.rules
    grid = lattice(rules.dice, rules.faces)
    counts = (dice[:, :, None] == np.arange(1, rules.faces + 1)).sum(axis=1)
    points = strategy.evaluator.points[category, grid.rank(counts) - grid.first_roll]
    # Jokers pay otherwise than by the dice, and boxes that require another one may pay nothing.
    jokers = np.zeros(len(filled), dtype=bool)
    if rules.joker:
        jokers = (filled >> rules.joker_index & 1 == 1) & (
            strategy.evaluator.points[rules.joker_index, grid.rank(counts) - grid.first_roll] > 0
        )
    requiring = np.array([bool(box.requires) for box in rules.categories])
    for game in np.flatnonzero(jokers | requiring[category]).tolist():
        options = scoring_options(rules, int(filled[game]), bool(paid[game]), counts[game].tolist())
        points[game] = options[int(category[game])][0]
    return np.asarray(points)
