"""Views of arrays and of named tuples, nested ones included."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pytest
from numba.core.errors import TypingError
from perfect_yatzy.kernels.simd import shifted, views


class Inner(NamedTuple):
    values: npt.NDArray[np.float64]
    start: int


class Outer(NamedTuple):
    inner: Inner
    table: npt.NDArray[np.int32]
    scale: float


@numba.njit  # type: ignore[untyped-decorator]
def nested(arguments: Outer, i: int) -> float:
    job = views(arguments)
    return (shifted(job.inner.values, job.inner.start)[i] + job.table[i]) * job.scale  # type: ignore[no-any-return]


@numba.njit  # type: ignore[untyped-decorator]
def single(array: npt.NDArray[np.float64], i: int) -> float:
    return views(array)[i]  # type: ignore[no-any-return]


def test_arrays_and_named_tuples_in_named_tuples_become_views() -> None:
    outer = Outer(Inner(np.arange(6.0), 2), np.arange(40, dtype=np.int32).reshape(5, 8), 0.5)
    assert nested(outer, 4) == (2.0 + 4) * 0.5
    array = np.arange(5.0)
    assert single(array, 3) == 3.0
    array.flags.writeable = False
    assert single(array, 4) == 4.0


def test_arrays_must_be_contiguous() -> None:
    gaps = np.arange(6.0)[::2]
    for function, argument in ((single, gaps), (nested, Outer(Inner(gaps, 0), np.arange(3, dtype=np.int32), 1.0))):
        with pytest.raises(TypingError, match="contiguous"):
            function(argument, 1)


def test_nothing_else_has_a_view() -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def wrong(number: int) -> int:
        return views(number)  # type: ignore[no-any-return]

    with pytest.raises(TypingError, match="an array or a named tuple"):
        wrong(1)
