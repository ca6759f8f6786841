"""Answer one position in compiled code, as a batch of one, without its costs.

The arguments of the kernel lie in memory (:class:`perfect_yatzy.objectives.stored_job.StoredJob`), and the
values of a turn stay there: the questions of one turn share an evaluation. NumPy
(:mod:`.turn_evaluator`) gives the same answers to the bit.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ..core.dice import Dice, Ints
from ..core.jit import is_compiled
from ..core.lattice import kernel_lattice
from ..core.state_space import LANES
from ..core.table_slices import window
from ..core.turn_model import turn_model
from ..objectives.policy_kernel import score_policy
from ..objectives.stored_job import StoredJob, can_be_stored, stored_type
from .action_kinds import NO_KINDS
from .batch_kernel import (
    ActionBatch,
    BatchJob,
    MeanPolicy,
    PositionBatch,
    RankedOptions,
    find_best_actions,
    no_options,
    no_turn,
    ranked_options,
)
from .ranked_actions import RankedActions, Turn, max_rerolls
from .turn_evaluator import TurnEvaluator


class _Memory(NamedTuple):
    """The arrays that the kernel reads and writes, for one position."""

    position: Ints  # (fields of a PositionBatch, 1)
    actions: ActionBatch  # (1,) each
    ranked: RankedOptions
    turn: Ints  # BatchJob.known


def _new_memory(options: int) -> _Memory:
    """Return memory for a position with up to so many options."""
    return _Memory(
        np.zeros((len(PositionBatch._fields), 1), dtype=np.int64),
        ActionBatch(
            hold=np.zeros(1, dtype=np.int64),
            category=np.zeros(1, dtype=np.int64),
            value=np.zeros(1),
        ),
        ranked_options(options),
        no_turn(),
    )


class CompiledTurn:
    """Answers to questions about single positions, from a table of means in memory."""

    def __init__(self, evaluator: TurnEvaluator) -> None:
        self._evaluator = evaluator
        self._space = evaluator.space
        self._most_rerolls = max_rerolls(evaluator.rules, 0)
        dice = evaluator.dice
        self._first_category = dice.first_roll  # the number of the action that scores it
        rolls = dice.multisets[dice.first_roll :]
        self._roll_of: dict[Dice, int] = {faces: roll for roll, faces in enumerate(rolls)}
        self._policy = score_policy(
            dice,
            turn_model(evaluator.rules, self._space.start),
            kernel_lattice(dice),
            # the ties of the values and of the means, which are the same here
            ties=(evaluator.ties, evaluator.ties),
            most_saved=int(self._space.most_saved.max()),
        )
        self._memory = _new_memory(len(self._policy.option_values))
        self._jobs: dict[int, StoredJob] = {}  # by the number of filled categories
        self._first_job = self._job(self._space.first_layer)
        self.signature = (types.int64, types.int64, stored_type(self._first_job))
        self._answer: Any = None  # the compiled kernel, after :meth:`load`
        self._lock = Lock()  # threads ask one after the other

    def is_ready(self, *, in_memory: bool = False) -> bool:
        """Return whether nothing needs to be compiled.

        With `in_memory` the kernel need not be read from the disk either.
        """
        is_loaded = is_compiled(find_best_actions, self.signature, in_memory=in_memory)
        return is_loaded and can_be_stored(self._first_job)

    def load(self) -> None:
        """Load the kernel. It is compiled if it was not before."""
        self._answer = find_best_actions.compile(self.signature)

    def _job(self, filled: int) -> BatchJob:
        """Return the arguments of the kernel for cards with so many filled categories.

        They refer to the arrays in memory, which each question overwrites.
        """
        table = window(self._space, self._evaluator.values, filled)
        memory = self._memory
        return BatchJob(
            self._policy,
            MeanPolicy(table),
            PositionBatch(*memory.position),
            memory.actions,
            no_options(),
            memory.ranked,
            memory.turn,
        )

    def ranked(self, turn: Turn, kinds: int) -> RankedActions:
        """Return the actions of some kinds, as :func:`.actions.ranked_actions` does."""
        with self._lock:
            self._ask(turn, kinds)
            ranked = self._memory.ranked
            count, category = ranked.count_and_category.tolist()
            values = ranked.values[:count].tolist()
            return RankedActions(ranked.numbers[:count].tolist(), values, values, category)

    def best(self, turn: Turn) -> tuple[int, float]:
        """Return the number of the best action, and its value."""
        with self._lock:
            self._ask(turn, NO_KINDS)
            actions = self._memory.actions
            hold = actions.hold.item()
            category = actions.category.item()
            value = actions.value.item()
        if hold >= 0:
            return hold, value
        return self._first_category + category, value

    def _ask(self, turn: Turn, kinds: int) -> None:
        """Run the kernel for one position. The answers are then in the memory.

        Actions of some `kinds` are ranked. The caller holds the lock.
        """
        state = turn.state
        row = self._space.row(state)
        lane = self._space.lane(row, state)
        group = lane // LANES * LANES
        rolls_left = turn.rolls_left
        is_first = rolls_left == self._most_rerolls + state.saved
        roll = self._roll_of[turn.dice]
        position = row, lane, roll, rolls_left, is_first, group, lane - group  # a PositionBatch
        self._memory.position[:, 0] = position
        self._memory.ranked.kinds[0] = kinds
        filled = state.filled.bit_count()
        if filled not in self._jobs:
            self._jobs[filled] = StoredJob(self._job(filled))
        self._answer(0, 1, self._jobs[filled].address)
