"""The oracle of :mod:`naive` for other objectives: expected utility of the final score, and score distributions.

expected_utility(card, made) = highest mean of U(final score), given the points made so far
distribution(card)           = chance of every number of points to come when the mean is maximised; of equal
                               options the one with most dice, then the higher faces, then the first category
final_scores(card, made)     = chance of every final score if the utility is maximised and the mean breaks ties
play(card, made)             = expected final score and expected utility of that play
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


class NaiveTieBreak(NaiveUtility):
    """Which option is taken when a utility is maximised and ties are broken by the mean.

    E = options whose expected utility is within a share `tolerance` of the best
    F = options of E with the highest mean, if everything after the option maximises the mean
    the option of F with most dice, then the higher faces; the first category
    """

    def __init__(self, game: dict[str, Any], utility: Callable[[int], Fraction], tolerance: Fraction) -> None:
        super().__init__(game, utility)
        self.tolerance = tolerance
        for method in ("final_scores", "turn_scores", "taken"):
            setattr(self, method, cache(getattr(self, method)))

    def taken(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> tuple[Dice | None, tuple[int, int, int, int]]:
        """The dice to hold, or None to stop; and the ending of :meth:`endings` if the turn stops."""
        means = self.stops(filled, upper, flag, dice, left, first)
        options: dict[Any, tuple[Fraction, Fraction, Any]] = {}
        for ending in self.endings(filled, flag, dice, left, first):
            box, points, total, saved = ending
            card = self.after(filled, upper, flag, box, points)
            utility = self.expected_utility(card[0], card[1], saved, card[2], made + total)
            options[ending] = utility, means[box], box
        stop = self.first_of(options)
        if not left:
            return None, stop
        holds: dict[Any, tuple[Fraction, Fraction, Any]] = {None: (*options[stop][:2], (-len(dice),))}
        for held in self.holds_of(dice) - {dice}:
            utility = sum(
                (
                    p * self.best_utility(filled, upper, flag, made, tuple(sorted(held + r)), left - 1, False)
                    for r, p in self.outcomes(self.game["dice"] - len(held))
                ),
                Fraction(0),
            )
            mean = self.hold_value(filled, upper, flag, held, left)
            holds[held] = utility, mean, (-len(held), *(-face for face in held))
        return self.first_of(holds), stop

    def first_of(self, options: dict[Any, tuple[Fraction, Fraction, Any]]) -> Any:
        """The option to take, of options with utility, mean and a key that orders the rest."""
        best = max(utility for utility, _, _ in options.values())
        equal = {
            o: (mean, key) for o, (utility, mean, key) in options.items() if best - utility <= self.tolerance * best
        }
        return min(equal, key=lambda o: (-equal[o][0], equal[o][1]))

    def play(self, filled: int, upper: int, saved: int, flag: bool, made: int) -> tuple[Fraction, Fraction]:
        """Expected final score and expected utility of this play, from the start of a turn."""
        results = self.final_scores(filled, upper, saved, flag, made).items()
        return sum((p * s for s, p in results), Fraction(0)), sum(
            (p * self.utility(s) for s, p in results), Fraction(0)
        )

    def final_scores(self, filled: int, upper: int, saved: int, flag: bool, made: int) -> Distribution:
        """Chance of every final score under this play, from the start of a turn."""
        if filled == self.full_mask:
            return {made + int(self.value(filled, upper)): Fraction(1)}
        total: Counter[int] = Counter()
        for dice, p in self.outcomes(self.game["dice"]):
            add(total, p, self.turn_scores(filled, upper, flag, made, dice, self.game["rolls"] - 1 + saved, True))
        return dict(total)

    def turn_scores(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Distribution:
        """The same after a roll."""
        held, (box, points, total, saved) = self.taken(filled, upper, flag, made, dice, left, first)
        if held is None:
            card = self.after(filled, upper, flag, box, points)
            return self.final_scores(card[0], card[1], saved, card[2], made + total)
        scores: Counter[int] = Counter()
        for rolled, p in self.outcomes(self.game["dice"] - len(held)):
            add(scores, p, self.turn_scores(filled, upper, flag, made, tuple(sorted(held + rolled)), left - 1, False))
        return dict(scores)
