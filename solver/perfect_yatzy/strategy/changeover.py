"""Decide when questions about single positions change over from NumPy to compiled code.

NumPy answers at once; compiled code is about ten times as fast, but loading it takes about 0.8 s of
processor time. So a process stays with NumPy until that has cost as much, after 3,000 questions
about one table (:class:`.turn_evaluator.SingleQuestions`). It changes over at once if the kernel is
in its memory already, because of a batch. Only :func:`prepare`, which changes over on request,
compiles the kernel if need be; otherwise, without the kernel in memory or in the disk cache, NumPy
goes on. Both give the same answers to the bit, so that nobody sees when it happens.

Only the mean has compiled single questions, and only from an array in memory: values that are read
and checked when they are needed (:mod:`perfect_yatzy.core.checked_values`) may move.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SolverError
from .turn_evaluator import TurnEvaluator

if TYPE_CHECKING:
    from .compiled_turn import CompiledTurn

KERNEL = f"{__package__}.batch_kernel"


def is_compilable(evaluator: TurnEvaluator) -> bool:
    """Return whether compiled code answers questions about single positions of an evaluator."""
    return evaluator.has_kernel and isinstance(evaluator.values, np.ndarray)


def compiled_turn(evaluator: TurnEvaluator) -> CompiledTurn | None:
    """Return what answers a question about a single position in compiled code.

    It is None while NumPy answers.
    """
    questions = evaluator.questions
    if questions.compiled is None:
        questions.asked += 1
        if questions.asked >= questions.next_try:
            questions.next_try *= 2
            _change_over(evaluator, in_memory=False)
        elif not questions.tried_memory and KERNEL in sys.modules:
            questions.tried_memory = True
            _change_over(evaluator, in_memory=True)
    compiled: CompiledTurn | None = questions.compiled
    return compiled


def _change_over(evaluator: TurnEvaluator, *, in_memory: bool) -> None:
    """Change over if the kernel is in memory or, unless only that counts, in the disk cache."""
    # numba may be broken, or told not to compile. Then NumPy goes on.
    with suppress(ImportError, SolverError):
        _load(evaluator, lambda turn: turn.is_ready(in_memory=in_memory))


def _load(evaluator: TurnEvaluator, is_wanted: Callable[[CompiledTurn], bool]) -> None:
    """Change over to the compiled form of an evaluator, if there can be one and it is wanted."""
    if is_compilable(evaluator):
        from .compiled_turn import CompiledTurn

        turn = CompiledTurn(evaluator)
        if is_wanted(turn):
            turn.load()
            evaluator.questions.compiled = turn


def prepare_if_compiled(evaluator: TurnEvaluator) -> None:
    """Change over now, unless the kernel would have to be compiled."""
    if evaluator.questions.compiled is None:
        _change_over(evaluator, in_memory=False)


def prepare(evaluator: TurnEvaluator) -> None:
    """Change over now. The kernel is compiled if need be."""
    if evaluator.questions.compiled is None:
        _load(evaluator, lambda _turn: True)
