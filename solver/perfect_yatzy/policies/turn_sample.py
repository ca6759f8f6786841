"""One turn at sampled cards: a cheap stand-in for the exact mean of a value function.

Let Q be the exact values of a policy and d(s) how often its games meet the state s. For a policy nearby that plays
one turn of s and then as before::

    mean of the new policy - mean of the old one  ~  sum over s of d(s) * (Q_new(s) - Q(s)),
    Q_new(s) = E[ points + Q(state after the turn) ]

which has the right derivative at the old policy (the policy gradient theorem). Of the cards that games meet only
some are computed, each with the weight that makes the sum come out right on average. A whole evaluation of Yatzy has
32,768 cards, a sample some hundreds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from ..game.dice import Floats, Ints
from ..game.rules import RuleSet, prerequisites
from ..kernels.rollout import LANE, ROW, SAVED, Games
from ..kernels.table_slices import PADDING, TableSlice
from ..model.checked_values import Table
from ..model.objectives import PolicyMean, final_bonus
from ..model.policies import Policy
from ..model.state_space import StateSpace, state_space
from ..model.turn_model import turn_outcomes
from ..strategy.rollout import Rollout, TurnArguments
from ..strategy.turn_evaluator import GreedyPolicy, state_places
from ..tablebase.backward_induction import RowSolver, default_threads
from ..tablebase.threads import thread_map
from .price_sheet import PriceSheet, SheetWriter

ROWS_PER_TASK = 16


@dataclass(frozen=True)
class Visits:
    """The states at which turns of simulated games began, all but full cards."""

    space: StateSpace
    games: int  # number of games
    # (n,) int64: Row and place in the table of each state that was met, and how many games met it; ascending places
    rows: Ints
    places: Ints  # (n,) int64
    counts: Ints  # (n,) int64


class _Recorder(Rollout):
    """Games that note the state of every game at the start of every turn."""

    def __init__(self, policy: Policy, threads: int) -> None:
        super().__init__(policy, policy.start, threads)
        self.met: list[tuple[Ints, Ints, Ints]] = []

    def turn(self, filled: int, games: Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """As for :class:`Rollout`."""
        fields = games.fields.reshape(len(order), -1)
        rows = fields[:, ROW]
        places = state_places(self.space.layout, rows, fields[:, SAVED], fields[:, LANE])
        places, first, counts = np.unique(places, return_index=True, return_counts=True)
        self.met.append((rows[first], places, counts))
        return super().turn(filled, games, order, rest)


def visited_states(rules: RuleSet, values: Table, games: int, seed: int, threads: int | None = None) -> Visits:
    """Simulate games that are greedy for a value function."""
    recorder = _Recorder(GreedyPolicy(rules, values), threads or default_threads())
    recorder.play(games, 0, seed, lambda turn: None)
    rows, places, counts = (np.concatenate(part) for part in zip(*reversed(recorder.met), strict=True))
    return Visits(state_space(rules), games, rows, places, counts)


class TurnSample:
    """Cards sampled from those that games meet."""

    def __init__(self, visits: Visits, cards: int, later: Table, seed: int, threads: int | None = None) -> None:
        self.space, self.threads = visits.space, threads or default_threads()
        random = np.random.default_rng(seed)
        self._rows: list[Ints] = []
        places, weights = [], []
        filled = self.space.filled[visits.rows]
        for k in range(self.space.first_layer, self.space.categories):
            here = filled == k
            rows, card = np.unique(visits.rows[here], return_inverse=True)  # and the card of each state
            counts = np.bincount(card, weights=visits.counts[here]).astype(np.float64)  # games that met each card
            chance = inclusion_chances(counts, cards)
            taken = systematic_sample(chance, random)
            self._rows.append(rows[taken])
            of_taken = taken[card]
            places.append(visits.places[here][of_taken])
            weights.append(visits.counts[here][of_taken] / visits.games / chance[card][of_taken])
        self._places, self._weights = np.concatenate(places), np.concatenate(weights)
        self.cards = sum(map(len, self._rows))
        self._writer = SheetWriter(self.space, children(self.space, self._rows))
        self._guess, self._later, self._out = (np.zeros(self.space.size + PADDING) for _ in range(3))
        self._later[self._writer.places] = later[self._writer.places]
        for values in (self._guess, self._later):
            values[self.space.layer_slice(self.space.categories)] = final_bonus(self.space)
        self._solver = RowSolver(PolicyMean(GreedyPolicy(self.space.rules, self._guess[: self.space.size])))

    def mean(self, sheet: PriceSheet) -> float:
        """Expected points of the sampled turns and after them, summed over the turns of a game."""
        self._writer.write(sheet, self._guess)
        tasks = [rows[i : i + ROWS_PER_TASK] for rows in self._rows for i in range(0, len(rows), ROWS_PER_TASK)]
        later, out = TableSlice(self._later, 0), TableSlice(self._out, 0)
        with thread_map(self.threads) as in_threads:
            for _ in in_threads(self._solver.solve, tasks, repeat(later), repeat(out)):
                pass
        return float(np.sum(self._weights * self._out[self._places]))


def inclusion_chances(counts: Floats, number: int) -> Floats:
    """Chances to be sampled in proportion to counts, none above 1, that sum to `number`; all 1 if there are fewer."""
    chances = np.ones(len(counts))
    if number >= len(counts):
        return chances
    free = np.ones(len(counts), dtype=bool)
    while True:
        chances[free] = counts[free] * (number - (~free).sum()) / counts[free].sum()
        above = free & (chances > 1)
        if not above.any():
            return chances
        chances[above], free = 1.0, free & ~above


def systematic_sample(chances: Floats, random: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which entries are sampled: each with its chance, and as many as the chances sum to."""
    cumulative = np.floor(np.cumsum(chances) + random.random())
    taken: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(cumulative, prepend=0) > 0
    return taken | (chances >= 1)


def children(space: StateSpace, rows: list[Ints]) -> list[Ints]:
    """Rows that follow the rows of some layers, ascending, a layer each."""
    outcomes = turn_outcomes(space.rules, space.start)
    steps = sorted({*zip(outcomes.category.tolist(), outcomes.step.tolist(), strict=True)})
    needed, found = prerequisites(space.rules), []
    for parents in rows:
        masks = space.layout.masks[parents]
        parts = [np.empty(0, dtype=np.int64)]
        for category, step in steps:
            before = needed[category]
            may = (masks >> category & 1 == 0) & (masks & before == before)
            parts.append(parents[may] + step)
        found.append(np.unique(np.concatenate(parts)))
    return found
