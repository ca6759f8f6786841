"""When the questions about single positions change over from NumPy to compiled code.

NumPy answers at once; compiled code is about ten times as fast, but loading it takes about 0.8 s of
processor time. So a process stays with NumPy until that has cost as much, QUESTIONS questions about
one table. It changes over at once if the kernel is in its memory already, because of a batch.
Nothing is compiled unasked: without the kernel in memory or in the disk cache NumPy goes on.
:func:`prepare` changes over on request, and compiles if need be. Both give the same answers to the
bit, so that nobody sees when it happens.

Only the mean has compiled single questions, and only from an array in memory: values that are read
and checked when they are needed (:mod:`perfect_yatzy.core.checked_values`) may move.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .compiled_turn import CompiledTurn
    from .turn_evaluator import TurnEvaluator

QUESTIONS = 3_000
KERNEL = f"{__package__}.batch_kernel"


class Changeover:
    """The questions of one evaluator so far, and its compiled form."""

    def __init__(self) -> None:
        self.compiled: CompiledTurn | None = None
        self._asked, self._next_try = 0, QUESTIONS
        self._tried_memory = False  # after the kernels were loaded

    def ask(self, evaluator: TurnEvaluator) -> None:
        """Count a question that NumPy would answer; from now on compiled code does if it pays."""
        self._asked += 1
        if self._asked >= self._next_try:
            self._next_try *= 2
            self._change(evaluator, in_memory=False)
        elif not self._tried_memory and KERNEL in sys.modules:
            self._tried_memory = True
            self._change(evaluator, in_memory=True)

    def _change(self, evaluator: TurnEvaluator, *, in_memory: bool) -> None:
        """Change over if the kernel is in memory or, unless only that counts, in the disk cache."""
        if not is_compilable(evaluator):
            return
        from .compiled_turn import CompiledTurn

        turn = CompiledTurn(evaluator)
        if turn.is_ready(in_memory=in_memory):
            turn.load()
            self.compiled = turn

    def prepare(self, evaluator: TurnEvaluator) -> None:
        """Change over now; the kernel is compiled if need be."""
        if self.compiled is None and is_compilable(evaluator):
            from .compiled_turn import CompiledTurn

            turn = CompiledTurn(evaluator)
            turn.load()
            self.compiled = turn


def is_compilable(evaluator: TurnEvaluator) -> bool:
    """Whether compiled code answers questions about single positions of an evaluator."""
    return evaluator.has_kernel and isinstance(evaluator.values, np.ndarray)


def compiled_turn(evaluator: TurnEvaluator) -> CompiledTurn | None:
    """What answers a question about a single position in compiled code; None: NumPy does."""
    changeover = evaluator.changeover
    if changeover.compiled is None:
        changeover.ask(evaluator)
    return changeover.compiled
