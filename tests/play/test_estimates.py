"""Intervals and differences of means, against published tables, elementary cases and how often they cover."""

from __future__ import annotations

import numpy as np
import pytest
from perfect_yatzy.errors import StateError
from perfect_yatzy.play.estimates import difference_of, mean_of, ratio_of, slope_of, t_distribution, t_quantile

# Percentage points of Student's t, as printed in every table: degrees of freedom -> 95 % and 99 % two-sided.
PUBLISHED = {1: (12.706, 63.657), 2: (4.303, 9.925), 3: (3.182, 5.841), 5: (2.571, 4.032), 10: (2.228, 3.169),
             30: (2.042, 2.750), 60: (2.000, 2.660), 120: (1.980, 2.617), 10**6: (1.960, 2.576)}  # fmt: skip


@pytest.mark.parametrize("freedom", PUBLISHED)
def test_quantiles_are_those_of_the_tables(freedom: int) -> None:
    assert (t_quantile(0.975, freedom), t_quantile(0.995, freedom)) == pytest.approx(PUBLISHED[freedom], abs=6e-4)
    for t in (0.0, 0.3, 2.0, 40.0):
        assert t_distribution(t, freedom) + t_distribution(-t, freedom) == pytest.approx(1, abs=1e-12)


def test_one_and_two_degrees_of_freedom_are_elementary() -> None:
    for t in (0.1, 1.0, 5.0, 300.0):
        assert t_distribution(t, 1) == pytest.approx(0.5 + np.arctan(t) / np.pi, abs=1e-12)
        assert t_distribution(t, 2) == pytest.approx(0.5 + t / (2 * np.sqrt(2 + t * t)), abs=1e-12)


def test_intervals_cover_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    for size, confidence in ((5, 0.95), (40, 0.9)):
        found = [mean_of(generator.normal(3, 2, size), confidence) for _ in range(2000)]
        assert np.mean([e.low <= 3 <= e.high for e in found]) == pytest.approx(confidence, abs=0.015)
    # Losses are never negative and most of them are small.
    found = [mean_of(generator.exponential(5, 200)) for _ in range(2000)]
    assert np.mean([e.low <= 5 <= e.high for e in found]) == pytest.approx(0.95, abs=0.015)
    counts = generator.integers(30, 45, (2000, 100))
    pairs = [ratio_of(generator.poisson(0.2 * row), row) for row in counts]
    assert np.mean([e.low <= 0.2 <= e.high for e in pairs]) == pytest.approx(0.95, abs=0.015)


def test_a_difference_of_unequal_variances() -> None:
    """Welch's formula written out, and how often the interval covers the truth."""
    first = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    second = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4]
    found = difference_of(first, second)
    a, b = np.var(first, ddof=1) / 15, np.var(second, ddof=1) / 15
    freedom = (a + b) ** 2 / (a**2 / 14 + b**2 / 14)
    assert found.value == pytest.approx(np.mean(first) - np.mean(second))
    assert found.high - found.value == pytest.approx(t_quantile(0.975, freedom) * np.sqrt(a + b))
    assert found.chance == pytest.approx(2 * t_distribution(found.value / np.sqrt(a + b), freedom))
    generator = np.random.default_rng(2)
    both = [difference_of(generator.normal(0, 1, 12), generator.normal(0, 5, 30)) for _ in range(2000)]
    assert np.mean([d.low <= 0 <= d.high for d in both]) == pytest.approx(0.95, abs=0.015)
    assert np.mean([d.chance < 0.1 for d in both]) == pytest.approx(0.1, abs=0.02)


def test_small_and_constant_samples() -> None:
    assert vars(mean_of([4.0])) == {"value": 4.0, "low": None, "high": None, "size": 1}
    assert mean_of([4.0]).half_width is None
    assert vars(mean_of([4.0, 4.0])) == {"value": 4.0, "low": 4.0, "high": 4.0, "size": 2}
    assert ratio_of([0.0, 0.0], [0, 0]) is None
    assert difference_of([1.0], [2.0, 3.0]).low is None
    assert difference_of([1.0, 1.0], [1.0, 1.0]).chance == 1
    assert difference_of([1.0, 1.0], [2.0, 2.0]).chance == 0
    assert slope_of([1.0, 2.0]) is None
    with pytest.raises(StateError, match="confidence is 1"):
        mean_of([1.0, 2.0], 1)


def test_slopes() -> None:
    exact = slope_of(3.0 - 0.5 * np.arange(10))
    assert exact is not None
    assert exact.value == pytest.approx(-0.5)
    assert exact.half_width == pytest.approx(0, abs=1e-9)
    generator = np.random.default_rng(3)
    found = [slope_of(generator.normal(0, 1, 20) + 0.1 * np.arange(20)) for _ in range(2000)]
    assert np.mean([e.low <= 0.1 <= e.high for e in found]) == pytest.approx(0.95, abs=0.015)
