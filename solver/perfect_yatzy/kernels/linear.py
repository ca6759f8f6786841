"""Linear equations with the same bits on every machine: LAPACK adds in an order that depends on the processor."""

from __future__ import annotations

from ..game.dice import Floats
from .jit import jit

PANEL = 8  # rows that are eliminated together, while each row above is in the first-level cache


@jit
def eliminate(matrix: Floats, right: Floats, k: int, i: int) -> None:
    """Subtract the finished row k from row i, from the diagonal on."""
    factor = matrix[k, i] / matrix[k, k]
    above, row = matrix[k, i:], matrix[i, i:]
    for j in range(len(row)):
        row[j] -= factor * above[j]
    right[i] -= factor * right[k]


@jit
def solve_positive(matrix: Floats, right: Floats, least: float) -> None:
    """Solve a symmetric positive definite system in place, into `right`; no eigenvalue is below `least`."""
    n = len(right)
    for begin in range(0, n, PANEL):
        end = min(n, begin + PANEL)
        for k in range(begin):
            for i in range(begin, end):
                eliminate(matrix, right, k, i)
        for k in range(begin, end):
            matrix[k, k] = max(matrix[k, k], least)
            for i in range(k + 1, end):
                eliminate(matrix, right, k, i)
    for i in range(n - 1, -1, -1):
        found = right[i]
        for j in range(i + 1, n):
            found -= matrix[i, j] * right[j]
        right[i] = found / matrix[i, i]
