"""One position in compiled code: a batch of one, without its costs.

The arguments of the kernel lie in memory (:class:`perfect_yatzy.objectives.stored_job.StoredJob`), and the
values of a turn stay there: the questions of one turn share an evaluation. NumPy
(:mod:`.turn_evaluator`) gives the same answers to the bit.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numba import types

from ..core.dice import Dice
from ..core.jit import is_compiled
from ..core.lattice import kernel_lattice
from ..core.state_space import LANES
from ..core.table_slices import window
from ..core.turn_model import turn_model
from ..objectives.policy_kernel import score_policy
from ..objectives.stored_job import StoredJob, can_be_stored, stored_type
from .batch_kernel import (
    ActionBatch,
    BatchJob,
    MeanPolicy,
    OptionValues,
    PositionBatch,
    find_best_actions,
    ranked_options,
)
from .ranked_actions import RankedActions, Turn, max_rerolls
from .turn_evaluator import TurnEvaluator


class CompiledTurn:
    """Answers questions about single positions, from a table of means that is an array in
    memory.
    """

    def __init__(self, evaluator: TurnEvaluator) -> None:
        rules, self._space = evaluator.rules, evaluator.space
        self._evaluator = evaluator
        self._most_rerolls = max_rerolls(rules, 0)
        grid, model = evaluator.dice, turn_model(rules, self._space.start)
        ties = (evaluator.ties, evaluator.ties)
        most_saved = int(self._space.most_saved.max())
        self._policy = score_policy(grid, model, kernel_lattice(grid), ties, most_saved)
        # The fields of a PositionBatch and of an ActionBatch, one entry each.
        self._position = np.zeros((len(PositionBatch._fields), 1), dtype=np.int64)
        self._hold, self._category = (np.zeros(1, dtype=np.int64) for _ in range(2))
        self._value = np.zeros(1)
        self._ranked = ranked_options(len(self._policy.option_values) + 1)
        self._known = np.full(3, -1, dtype=np.int64)
        self._first_category = grid.first_roll
        rolls = grid.multisets[grid.first_roll :]
        self._roll_of: dict[Dice, int] = {dice: roll for roll, dice in enumerate(rolls)}
        self._jobs: dict[int, StoredJob] = {}  # by the number of filled categories
        self._lock = Lock()  # threads ask one after the other
        self._answer: Any = None
        self._first_job = self._job(self._space.first_layer)
        self.signature = (types.int64, types.int64, stored_type(self._first_job))

    def is_ready(self, *, in_memory: bool = False) -> bool:
        """Whether nothing needs to be compiled; `in_memory`: nor the kernel to be read from the
        disk.
        """
        is_loaded = is_compiled(find_best_actions, self.signature, in_memory=in_memory)
        return is_loaded and can_be_stored(self._first_job)

    def load(self) -> None:
        """Load the kernel; it is compiled if it was not before."""
        self._answer = find_best_actions.compile(self.signature)

    def _job(self, filled: int) -> BatchJob:
        """The arguments of the kernel for cards with so many filled categories."""
        table = window(self._space, self._evaluator.values, filled)
        return BatchJob(
            self._policy,
            MeanPolicy(table),
            PositionBatch(*self._position),
            ActionBatch(self._hold, self._category, self._value),
            OptionValues(np.empty(0), 0, 0),
            self._ranked,
            self._known,
        )

    def ranked(self, turn: Turn, kinds: int) -> RankedActions:
        """The actions of some kinds, as :func:`.actions.ranked_actions`."""
        with self._lock:
            self._ask(turn, kinds)
            count, category = self._ranked.found.tolist()
            values = self._ranked.values[:count].tolist()
            return RankedActions(self._ranked.numbers[:count].tolist(), values, values, category)

    def best(self, turn: Turn) -> tuple[int, float]:
        """Number of the best action, and its value."""
        with self._lock:
            self._ask(turn, 0)
            hold, category, value = self._hold.item(), self._category.item(), self._value.item()
        return (hold if hold >= 0 else self._first_category + category), value

    def _ask(self, turn: Turn, kinds: int) -> None:
        """Run the kernel for one position."""
        state = turn.state
        row = self._space.row(state)
        lane = self._space.lane(row, state)
        group = lane // LANES * LANES
        rolls_left = turn.rolls_left
        is_first = rolls_left == self._most_rerolls + state.saved
        roll = self._roll_of[turn.dice]
        self._position[:, 0] = row, lane, roll, rolls_left, is_first, group, lane - group
        self._ranked.kinds[0] = kinds
        filled = state.filled.bit_count()
        if filled not in self._jobs:
            self._jobs[filled] = StoredJob(self._job(filled))
        self._answer(0, 1, self._jobs[filled].address)
