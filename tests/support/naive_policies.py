"""The oracle of :mod:`naive` for policies other than perfect play: distributions and losses in fractions.

A policy is a function of the card, the dice, the rerolls left and whether no die was rerolled. It returns a box to end
the turn with, or the dice to hold::

    choose(filled, upper, saved, flag, dice, left, first) -> int | Dice
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from support.naive import Dice
from support.naive_objectives import Distribution, NaiveUtility, add

Choose = Callable[[int, int, int, bool, Dice, int, bool], "int | Dice"]
Losses = Counter[tuple[int, str, int]]  # (filled boxes, "hold", rerolls left) or (filled boxes, "box", box)


class NaivePolicy(NaiveUtility):
    """Exact results of a policy in one game."""

    def __init__(self, game: dict[str, Any], choose: Choose) -> None:
        super().__init__(game, Fraction)
        self.choose = cache(choose)
        for method in ("distribution", "turn", "losses", "turn_losses"):
            setattr(self, method, cache(getattr(self, method)))

    def distribution(self, filled: int = 0, upper: int = 0, saved: int = 0, flag: bool = False) -> Distribution:
        """Chance of every number of points to come."""
        if filled == self.full_mask:
            return {int(self.value(filled, upper)): Fraction(1)}
        total: Counter[int] = Counter()
        for dice, p in self.outcomes(self.game["dice"]):
            add(total, p, self.turn(filled, upper, saved, flag, dice, self.game["rolls"] - 1 + saved, True))
        return dict(total)

    def turn(
        self, filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Distribution:
        """The same after a roll."""
        action, total = self.choose(filled, upper, saved, flag, dice, left, first), Counter[int]()
        if isinstance(action, int):
            endings = self.endings(filled, flag, dice, left, first)
            points, made, kept = next(e[1:] for e in endings if e[0] == action)
            card = self.after(filled, upper, flag, action, points)
            add(total, Fraction(1), self.distribution(card[0], card[1], kept, card[2]), made)
            return dict(total)
        for rolled, p in self.outcomes(self.game["dice"] - len(action)):
            again = tuple(sorted(action + rolled))
            add(total, p, self.turn(filled, upper, saved, flag, again, left - 1, False))
        return dict(total)

    def losses(self, filled: int = 0, upper: int = 0, flag: bool = False) -> Losses:
        """Expected losses against perfect play from a card on, without saved rolls."""
        total: Losses = Counter()
        if filled != self.full_mask:
            for dice, p in self.outcomes(self.game["dice"]):
                add_losses(total, p, self.turn_losses(filled, upper, flag, dice, self.game["rolls"] - 1, True))
        return total

    def turn_losses(self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool) -> Losses:
        """The same after a roll."""
        action, turn = self.choose(filled, upper, 0, flag, dice, left, first), filled.bit_count()
        stops = self.stops(filled, upper, flag, dice, left, first)
        best, total = self.best(filled, upper, flag, dice, left, first), Counter[tuple[int, str, int]]()
        if isinstance(action, int):
            if left:
                total[turn, "hold", left] = best - max(stops.values())  # type: ignore[assignment]
            total[turn, "box", action] = max(stops.values()) - stops[action]  # type: ignore[assignment]
            points = next(e[1] for e in self.endings(filled, flag, dice, left, first) if e[0] == action)
            add_losses(total, Fraction(1), self.losses(*self.after(filled, upper, flag, action, points)))
            return total
        total[turn, "hold", left] = best - self.hold_value(filled, upper, flag, action, left)  # type: ignore[assignment]
        for rolled, chance in self.outcomes(self.game["dice"] - len(action)):
            again = tuple(sorted(action + rolled))
            add_losses(total, chance, self.turn_losses(filled, upper, flag, again, left - 1, False))
        return total


def add_losses(total: Losses, share: Fraction, part: Losses) -> None:
    """Add a share of some losses."""
    for kind, loss in part.items():
        total[kind] += share * loss  # type: ignore[assignment]


class GreedyChoice(NaiveUtility):
    """The choices of a policy that is greedy for a guess of the points to come at the start of each turn.

    Of equal options the one with most dice, then the higher faces, then the first category.
    """

    def __init__(self, game: dict[str, Any], guess: Callable[[int, int, int, bool], Fraction]) -> None:
        super().__init__(game, Fraction)
        self.guess = cache(guess)
        for method in ("worth", "hold_worth"):
            setattr(self, method, cache(getattr(self, method)))

    def endings_worth(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> dict[int, Fraction]:
        """Worth of each category."""
        found = {}
        for box, points, made, saved in self.endings(filled, flag, dice, left, first):
            card = self.after(filled, upper, flag, box, points)
            found[box] = made + self.guess(card[0], card[1], saved, card[2])
        return found

    def hold_worth(self, filled: int, upper: int, flag: bool, held: Dice, left: int) -> Fraction:
        """Worth of a hold."""
        rerolls = self.outcomes(self.game["dice"] - len(held))
        return sum(
            (p * self.worth(filled, upper, flag, tuple(sorted(held + r)), left - 1) for r, p in rerolls), Fraction(0)
        )

    def worth(self, filled: int, upper: int, flag: bool, dice: Dice, left: int) -> Fraction:
        """Worth of a roll that is not the first of its turn."""
        best = max(self.endings_worth(filled, upper, flag, dice, left, False).values())
        holds = self.holds_of(dice) - {dice} if left else ()  # to hold all dice is to end the turn
        return max([best, *(self.hold_worth(filled, upper, flag, held, left) for held in holds)])

    def __call__(
        self, filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> int | Dice:
        """The action."""
        stops = self.endings_worth(filled, upper, flag, dice, left, first)
        box = min(stops, key=lambda c: (-stops[c], c))
        holds = (
            {h: self.hold_worth(filled, upper, flag, h, left) for h in self.holds_of(dice) - {dice}} if left else {}
        )
        held = min(holds, key=lambda h: (-holds[h], -len(h), [-face for face in h]), default=dice)
        return box if not holds or stops[box] >= holds[held] else held
