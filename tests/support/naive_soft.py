"""The oracle of :mod:`naive` for soft policies: the distribution of the points to come, with chances as floats.

    P(option) = w(loss) / sum of w over all options,   w(d) = max(0, 1 - sharpness d)^8

Losses are those of the exact values. To stop counts as one option of a hold; the category is a second decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Any, TypeVar

from support.naive import Dice, Naive
from support.naive_objectives import mixed

Option = TypeVar("Option")
Distribution = dict[int, float]


class NaiveSoft(Naive):
    """Exact play of a soft policy, by brute force."""

    memoised = *Naive.memoised, "distribution", "from_roll"

    def __init__(self, game: dict[str, Any], sharpness: float) -> None:
        super().__init__(game)
        self.sharpness = sharpness

    def chances(self, values: Mapping[Option, Fraction]) -> dict[Option, float]:
        """Chance of each option of a decision."""
        best = max(values.values())
        weights = {key: max(0.0, 1 - self.sharpness * float(best - value)) ** 8 for key, value in values.items()}
        return {key: weight / sum(weights.values()) for key, weight in weights.items()}

    def from_roll(self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool) -> Distribution:
        """Distribution of the points to come with a roll on the table."""
        stops = self.stops(filled, upper, flag, dice, left, first)
        options: dict[Dice, Fraction] = self.hold_values(filled, upper, dice, left, flag) if left else {}
        options[dice] = max(stops.values())  # to hold all dice is to stop
        parts, shares = [], self.chances(stops)
        for held, chance in self.chances(options).items():
            if held == dice:
                for box, points, card in self.endings(filled, upper, flag, dice, left, first):
                    parts.append((chance * shares[box], points, self.distribution(*card)))
            else:
                for again, p in self.rolls(held):
                    parts.append((chance * float(p), 0, self.from_roll(filled, upper, flag, again, left - 1, False)))
        return mixed(parts)

    def distribution(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Distribution:
        """Distribution of the points to come at the start of a turn."""
        if filled == self.full_mask:
            return {int(self.value(filled, upper)): 1.0}
        left = self.game["rolls"] - 1 + saved
        return mixed((float(p), 0, self.from_roll(filled, upper, flag, dice, left, True)) for dice, p in self.rolls())

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation of the final score of the whole game."""
        found = self.distribution(0, 0)
        mean = sum(points * p for points, p in found.items())
        return mean, sqrt(sum((points - mean) ** 2 * p for points, p in found.items()))
