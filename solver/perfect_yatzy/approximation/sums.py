"""Sums of products whose bits are the same on every machine, with any number of threads.

NumPy's matrix products add in an order that depends on the processor and on the threads of its library (BLAS). They
are used only where every partial sum is exact, because all numbers are multiples of one power of two and small
(:mod:`perfect_yatzy.strategy.fitted_values`). Elsewhere products are added in NumPy's fixed order.
"""

from __future__ import annotations

from math import frexp

import numpy as np

from ..game.dice import Floats, Ints

MANTISSA = 53  # bits of a float64


def dot(a: Floats | Ints, b: Floats | Ints) -> Floats:
    """Sums of products along the last axis, of a vector or of each row of a matrix."""
    return np.asarray((a * b).sum(axis=-1))


def rounded(numbers: Floats, bits: int) -> Floats:
    """The nearest multiples of ``2^-bits``."""
    return np.asarray(np.ldexp(np.rint(np.ldexp(numbers, bits)), -bits))


def exact_bits(numbers: Floats, spare: int) -> int:
    """Bits after the binary point with which any sums of such numbers, each times `spare` bits, are exact."""
    most = frexp(float(np.abs(numbers).sum()))[1] + 1
    return MANTISSA - spare - most
