"""Approximate solutions as text, to compare all their bits."""

from pathlib import Path
from typing import Any

import perfect_yatzy
from perfect_yatzy import ApproximateStrategy, RuleSet
from perfect_yatzy.strategy.fitted_file import FittedValues


def solution_bits(found: ApproximateStrategy) -> str:
    """Fit, mean and bound, exactly."""
    function, known = found.evaluator.function, found.certificate
    assert isinstance(function, FittedValues)
    arrays = [array.tobytes().hex() for array in (function.prices, function.coefficients, function.relaxed_values)]
    numbers = known.mean, *known.interval99, known.plain_mean, known.start_value, known.upper_bound
    return " ".join([*arrays, *(float(number).hex() for number in numbers)])


def solved_anew(rules: str | RuleSet, folder: Path, threads: int | None, **settings: Any) -> ApproximateStrategy:
    """An approximate solution that no earlier one helped."""
    return perfect_yatzy.approximate(rules, folder, threads=threads, force=True, **settings)
