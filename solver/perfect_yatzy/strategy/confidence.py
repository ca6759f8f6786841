"""Means with confidence intervals, and their differences.

The interval of a mean is that of Student's t distribution (W. S. Gosset, Biometrika 1908). A
difference of two means has the interval of B. L. Welch (Biometrika 1947), which does not assume
equal variances. A ratio, such as points per decision, is linearised at the means (W. G. Cochran,
"Sampling Techniques", 1977, section 2.11). Columns whose means are known take out what they explain
(control variates: S. S. Lavenberg and P. D. Welch, Management Science 1981).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..errors import StateError
from ..words import _

CONFIDENCE = 0.95
NODES = 128  # nodes of the integral


@dataclass(frozen=True)
class Estimate:
    """A number estimated from a sample."""

    value: float
    low: float | None  # low end of the confidence interval, None if the sample is too small
    high: float | None  # high end
    size: int  # number of observations

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def minus_from(self, number: float) -> Estimate:
        """Return `number` minus this estimate, whose high end becomes the low one."""
        low, high = (None if end is None else number - end for end in (self.high, self.low))
        return Estimate(number - self.value, low, high, self.size)


@dataclass(frozen=True)
class Difference(Estimate):
    """The difference of two means."""

    # the p value: the chance of a difference at least as large, in either direction, if both true
    # means are equal; None if a sample is too small
    chance: float | None


def mean_of(values: npt.ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of independent observations ``(n,)``, n at least 1, with its interval.

    A single observation has no interval.
    """
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    size = len(sample)
    return _interval(mean, _variance_of_mean(sample), size - 1, size, confidence)


def ratio_of(
    totals: npt.ArrayLike, counts: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Estimate | None:
    """Return the sum of `totals` over that of `counts`, independent pairs, ``(n,)`` each.

    It is None if all counts are zero.
    """
    above, below = (np.asarray(column, dtype=np.float64) for column in (totals, counts))
    if not below.any():
        return None
    ratio = float(above.sum() / below.sum())
    size = len(above)
    variance = _variance_of_mean(above - ratio * below) / float(below.mean()) ** 2
    return _interval(ratio, variance, size - 1, size, confidence)


def difference_of(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Difference:
    """Return the mean of `first` minus that of `second` (Welch).

    They are two independent samples with variances of their own.
    """
    samples = [np.asarray(sample, dtype=np.float64) for sample in (first, second)]
    value = float(samples[0].mean() - samples[1].mean())
    size = sum(map(len, samples))
    if min(map(len, samples)) < 2:
        return Difference(value, None, None, size, None)
    variances = [_variance_of_mean(sample) for sample in samples]
    variance = sum(variances)
    if variance == 0:
        return Difference(value, value, value, size, 1.0 if value == 0 else 0.0)
    # the degrees of freedom by Welch and Satterthwaite
    parts = [v**2 / (len(sample) - 1) for v, sample in zip(variances, samples, strict=True)]
    freedom = variance**2 / sum(parts)
    interval = _interval(value, variance, freedom, size, confidence)
    chance = 2 * (1 - t_distribution(abs(value) / math.sqrt(variance), freedom))
    return Difference(value, interval.low, interval.high, size, max(0.0, chance))


def slope_of(values: npt.ArrayLike, confidence: float = CONFIDENCE) -> Estimate | None:
    """Return the slope of the line of least squares through observations at 0, 1, ...

    It is None for fewer than three.
    """
    sample = np.asarray(values, dtype=np.float64)
    size = len(sample)
    if size < 3:
        return None
    x = np.arange(size) - (size - 1) / 2
    spread = float(x @ x)
    slope = float(x @ sample) / spread
    rest = sample - sample.mean() - slope * x
    return _interval(slope, float(rest @ rest) / (size - 2) / spread, size - 2, size, confidence)


def adjusted_mean_of(
    values: npt.ArrayLike, known: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Estimate:
    """Return the mean of values, `(n,)`, by a regression on columns whose means are 0, `(n, k)`.

    If the sample is too small for a regression, it is the plain mean.
    """
    sample = np.asarray(values, dtype=np.float64)
    design = np.column_stack([np.ones(len(sample)), np.asarray(known, dtype=np.float64)])
    size, columns = design.shape
    coefficients, _residuals, rank, _singular = np.linalg.lstsq(design, sample, rcond=None)
    freedom = size - columns
    if freedom < 1 or rank < columns:
        return mean_of(sample, confidence)
    rest = sample - design @ coefficients
    variance = float(rest @ rest) / freedom * float(np.linalg.inv(design.T @ design)[0, 0])
    return _interval(float(coefficients[0]), variance, freedom, size, confidence)


def _variance_of_mean(sample: npt.NDArray[np.float64]) -> float:
    """Return the estimated variance of the mean of a sample, 0.0 for a single observation."""
    return float(sample.var(ddof=1)) / len(sample) if len(sample) > 1 else 0.0


def _interval(
    value: float, variance: float, freedom: float, size: int, confidence: float
) -> Estimate:
    """Return an estimate with its interval.

    `variance` is that of `value`, and `freedom` are the degrees of freedom. With less than one
    there is no interval.
    """
    if not 0 < confidence < 1:
        raise StateError(
            _("confidence is {confidence}; must lie between 0 and 1", confidence=confidence)
        )
    if freedom < 1:
        return Estimate(value, None, None, size)
    half = t_quantile((1 + confidence) / 2, freedom) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, size)


def t_distribution(t: float, freedom: float) -> float:
    """Return the chance that Student's t is at most `t`, for at least one degree of freedom.

    With ``t = sqrt(v) tan(a)`` the density becomes ``cos(a)**(v - 1)``, which Gauss-Legendre
    integrates::

        F(t) = 1/2 + G((v + 1)/2) / (sqrt(pi) G(v/2)) * integral from 0 to atan(t / sqrt(v)) of cos(a)**(v - 1)
    """
    end = math.atan(abs(t) / math.sqrt(freedom))
    # Nothing lies beyond, and the nodes stay where the density is.
    end = min(end, 12 / math.sqrt(freedom))
    nodes, weights = _nodes()
    density = np.exp((freedom - 1) * np.log(np.cos((nodes + 1) * end / 2)))
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    half = min(0.5, scale * float(weights @ density) * end / 2)
    return 0.5 + math.copysign(half, t)


@lru_cache(maxsize=1)
def _nodes() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the nodes and the weights of Gauss-Legendre integration from -1 to 1."""
    return np.polynomial.legendre.leggauss(NODES)


@lru_cache(maxsize=1024)
def t_quantile(chance: float, freedom: float) -> float:
    """Return what Student's t stays below with this chance.

    The chance is from 0.5 to below 1, and there is at least one degree of freedom.
    """
    low, high = 0.0, 1.0
    while t_distribution(high, freedom) < chance and high < 1e12:
        high *= 2
    for _step in range(80):  # halves the interval until it is as narrow as float64 can tell
        middle = (low + high) / 2
        if t_distribution(middle, freedom) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2
