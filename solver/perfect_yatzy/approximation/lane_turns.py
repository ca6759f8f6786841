"""One turn of many states of a game without a table: values, and play, from a fitted value function.

NumPy computes the child values of a chunk of states, a kernel the turns (:mod:`perfect_yatzy.kernels.state_lanes`).
Chunks have a fixed size, and threads take whole chunks: the results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..game.scoring import upper_sums
from ..kernels import state_lanes as kernels
from ..kernels.lattice import kernel_lattice
from ..model.state_space import LANES, card_masks, packed
from ..model.turn_slots import allowed_boxes, box_masks, turn_slots
from ..strategy.fitted_file import FittedValues
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import ScratchPool, thread_map

CHUNK = 512  # states a thread takes at a time


@dataclass(frozen=True)
class States:
    """States at the start of a turn, ``(n,)`` each: int64, and masks of :mod:`perfect_yatzy.model.state_space`."""

    filled: Ints
    upper: Ints
    saved: Ints
    tracked: Ints

    def take(self, rows: Ints) -> States:
        """Some of the states, in this order."""
        return States(*(field[rows] for field in self))

    def __iter__(self) -> Iterator[Ints]:
        return iter((self.filled, self.upper, self.saved, self.tracked))

    def __len__(self) -> int:
        return len(self.filled)


def same_cards(rules: RuleSet, state: State, number: int) -> States:
    """So many games with the same card."""
    filled, fields = card_masks(rules, [state.filled]), (state.upper, state.saved, int(state.joker_paid))
    return States(np.repeat(filled, number, axis=0), *(np.full(number, field, dtype=np.int64) for field in fields))


@dataclass(frozen=True)
class PlayedTurn:
    """One turn of n games."""

    states: States  # after the turn
    category: Ints  # (n,) int64: The box that was filled
    points: Ints  # (n,) int64: Points in that box; joker and first-roll bonuses of the turn
    bonus_points: Ints  # (n,) int64
    expected: Floats  # (n,) float64: Value before the turn: its exact expectation, if the child values are right
    reached: Floats  # (n,) float64: Points made, and the value of the card after the turn


class LaneTurns:
    """Turns of a game from the values of a function."""

    def __init__(self, values: FittedValues, threads: int | None = None) -> None:
        self.rules: RuleSet = values.rules
        self.values, self.threads = values, threads or default_threads()
        self._dice, self._model = lattice(self.rules.dice, self.rules.faces), turn_slots(self.rules)
        self._lattice = kernel_lattice(self._dice)
        turns = len(self.rules.categories) - 1 if self.rules.saved_rolls else 0
        most = turns * (self.rules.rolls_per_turn - 1)
        self._scratch = ScratchPool(lambda: kernels.lane_scratch(self._dice, self._model, most))

    def backups(self, states: States) -> Floats:
        """Values of states with equally many open boxes after one exact turn, ``(n,)``."""
        expected = np.empty(len(states))

        def run(rows: Ints, blocks: int, job: kernels.LaneJob, table: kernels.LaneTable) -> None:
            kernels.backup_states(0, blocks, job, table)
            expected[rows] = job.turns.expected[: len(rows)]

        self._run(states, run)
        return expected

    def play(
        self, states: States, games: Ints, seed: int, turn: int, exploration: Floats | float = 0.0
    ) -> PlayedTurn:
        """Play one turn of games whose cards have equally many open boxes, greedily."""
        n, model, rules = len(states), self._model, self.rules
        expected, reached, chance = np.empty(n), np.empty(n), np.broadcast_to(exploration, n)
        outcome, rerolls = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)

        def run(rows: Ints, blocks: int, job: kernels.LaneJob, table: kernels.LaneTable) -> None:
            size = blocks * LANES
            numbers = np.resize(games[rows], size)
            played = kernels.LaneGames(numbers, seed, turn, np.resize(chance[rows], size).astype(np.float64))
            kernels.play_states(0, blocks, job, table, played)
            for target, found in zip((expected, reached, outcome, rerolls), job.turns, strict=True):
                target[rows] = found[: len(rows)]

        self._run(states, run)
        category, points, slot = model.category[outcome], model.points[outcome], model.slot[outcome]
        after = States(
            states.filled | box_masks(rules)[category],
            upper_sums(rules).cap(states.upper + model.slot_shift[slot]),
            rerolls if rules.saved_rolls else np.zeros_like(rerolls),
            states.tracked | ((category == rules.tracked_index) & (points > 0)),
        )
        bonus_points = model.total[outcome].astype(np.int64) - points
        return PlayedTurn(after, category, points, bonus_points, expected, reached)

    def _run(self, states: States, run: Callable[[Ints, int, kernels.LaneJob, kernels.LaneTable], None]) -> None:
        """Call `run` with every chunk of the states: its rows, number of blocks, and arguments of the kernels."""
        # States with many open boxes in common share vectors of few different values; saved rolls share the stages.
        rules, model, slots = self.rules, self._model, self._model.slot_count
        alike = (*np.atleast_2d(states.filled.T), states.saved)
        order = np.lexsort(alike) if rules.saved_rolls else np.arange(len(states))

        def chunk(begin: int) -> None:
            rows = order[begin : begin + CHUNK]
            blocks = -(-len(rows) // LANES)
            size = blocks * LANES
            part = states.take(np.resize(rows, size))  # the last block is filled up with earlier states
            most_saved = int(part.saved.max())
            stages = rules.rolls_per_turn + most_saved if rules.saved_rolls else 1
            found = self.values.child_values(part.filled, part.upper, part.tracked, tuple(range(stages)))
            by_block = found.reshape(stages, blocks, LANES, slots).transpose(1, 0, 3, 2)
            table = kernels.LaneTable(np.ascontiguousarray(by_block).ravel(), slots, stages)
            ends = np.empty(size, np.int64), np.empty(size, np.int64)
            choices = packed(rules, allowed_boxes(rules, part.filled))
            lanes = kernels.LaneStates(part.filled, choices, part.saved, part.tracked)
            results = kernels.TurnResults(np.empty(size), np.empty(size), *ends)
            with self._scratch.borrow() as scratch:
                job = kernels.LaneJob(model, self._lattice, lanes, results, most_saved, scratch)
                run(rows, blocks, job, table)

        with thread_map(min(self.threads, -(-len(states) // CHUNK))) as in_threads:
            for _ in in_threads(chunk, range(0, len(states), CHUNK)):
                pass
