"""The oracle of :mod:`naive` for other objectives: expected utility of the final score, and score distributions.

expected_utility(card, made) = highest mean of U(final score), given the points made so far
distribution(card)           = chance of every number of points to come when the mean is maximised; of equal
                               options the one with most dice, then the higher faces, then the first category
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from support.naive import Dice, Naive

Distribution = dict[int, Fraction]


class NaiveUtility(Naive):
    """Exact expected utility of any card and any number of points made."""

    def __init__(self, game: dict[str, Any], utility: Callable[[int], Fraction]) -> None:
        super().__init__(game)
        self.utility = utility
        for method in ("expected_utility", "best_utility"):
            setattr(self, method, cache(getattr(self, method)))

    def expected_utility(self, filled: int, upper: int, saved: int, flag: bool, made: int) -> Fraction:
        """Highest expected utility of the final score."""
        if filled == self.full_mask:
            return self.utility(made + int(self.value(filled, upper)))
        left = self.game["rolls"] - 1 + saved
        rolls = self.outcomes(self.game["dice"])
        return sum((p * self.best_utility(filled, upper, flag, made, d, left, True) for d, p in rolls), Fraction(0))

    def best_utility(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Fraction:
        """Best of stopping and every hold."""
        found = [
            self.expected_utility(*self.after(filled, upper, flag, box, points)[:2], saved, card_flag, made + total)
            for box, points, total, saved in self.endings(filled, flag, dice, left, first)
            for card_flag in [self.after(filled, upper, flag, box, points)[2]]
        ]
        if left:
            for held in self.holds_of(dice):
                rerolls = self.outcomes(self.game["dice"] - len(held))
                found.append(
                    sum(
                        (
                            p * self.best_utility(filled, upper, flag, made, tuple(sorted(held + r)), left - 1, False)
                            for r, p in rerolls
                        ),
                        Fraction(0),
                    )
                )
        return max(found)

    def endings(self, filled: int, flag: bool, dice: Dice, left: int, first: bool) -> list[tuple[int, int, int, int]]:
        """(box, points in it, points of the turn, saved rolls) for every legal category."""
        extra = self.game["first_roll_bonus"] if first else {}
        return [
            (
                box,
                points,
                points + bonus_points + (extra.get(self.boxes[box]["id"], 0) if points else 0),
                left if self.game["saved_rolls"] else 0,
            )
            for box, (points, bonus_points) in self.scores(filled, flag, dice).items()
        ]


class NaiveDistribution(NaiveUtility):
    """Exact distributions of the score when the mean is maximised."""

    def __init__(self, game: dict[str, Any]) -> None:
        super().__init__(game, Fraction)
        for method in ("distribution", "turn_distribution"):
            setattr(self, method, cache(getattr(self, method)))

    def distribution(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Distribution:
        """Chance of every number of points to come."""
        if filled == self.full_mask:
            return {int(self.value(filled, upper)): Fraction(1)}
        left = self.game["rolls"] - 1 + saved
        total: Counter[int] = Counter()
        for dice, p in self.outcomes(self.game["dice"]):
            add(total, p, self.turn_distribution(filled, upper, flag, dice, left, True))
        return dict(total)

    def turn_distribution(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Distribution:
        """The same after a roll."""
        stops = self.stops(filled, upper, flag, dice, left, first)
        box = min(stops, key=lambda c: (-stops[c], c))
        holds = {}
        if left:
            holds = {h: self.hold_value(filled, upper, flag, h, left) for h in self.holds_of(dice) if h != dice}
        total: Counter[int] = Counter()
        if not holds or stops[box] >= max(holds.values()):
            points, made, saved = next(e[1:] for e in self.endings(filled, flag, dice, left, first) if e[0] == box)
            card = self.after(filled, upper, flag, box, points)
            add(total, Fraction(1), self.distribution(card[0], card[1], saved, card[2]), made)
            return dict(total)
        held = min(holds, key=lambda h: (-holds[h], -len(h), [-face for face in h]))
        for rolled, p in self.outcomes(self.game["dice"] - len(held)):
            add(total, p, self.turn_distribution(filled, upper, flag, tuple(sorted(held + rolled)), left - 1, False))
        return dict(total)


def add(total: Counter[int], share: Fraction, part: Distribution, points: int = 0) -> None:
    """Add a share of a distribution, shifted by some points."""
    for score, chance in part.items():
        total[score + points] += share * chance
