"""The oracle of :mod:`naive` for policies other than perfect play, soft ones too: distributions,
losses in fractions.

A policy is a function of the card, the dice, the rerolls left and whether no die was rerolled. It
returns a box to end the turn with, or the dice to hold::

    choose(filled, upper, saved, flag, dice, left, first) -> int | Dice
"""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from support.naive import Dice, Naive
from support.naive_objectives import NaivePlay

Action = int | Dice
Choose = Callable[[int, int, int, bool, Dice, int, bool], Action]
Losses = Counter[
    tuple[int, str, int]
]  # (filled boxes, "hold", rerolls left) or (filled boxes, "box", box)


class NaivePolicy(NaivePlay):
    """Exact results of a policy in one game."""

    memoised = *NaivePlay.memoised, "losses", "turn_losses"

    def __init__(self, game: dict[str, Any], choose: Choose) -> None:
        super().__init__(game)
        self.choose = choose

    def act(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Action:
        # saved rolls are among those left
        return self.choose(filled, upper, 0, flag, dice, left, first)

    def losses(self, filled: int = 0, upper: int = 0, flag: bool = False) -> Losses:
        """Expected losses against perfect play from a card on, without saved rolls."""
        total: Losses = Counter()
        for dice, p in self.rolls() if filled != self.full_mask else ():
            add_losses(
                total, p, self.turn_losses(filled, upper, flag, dice, self.game["rolls"] - 1, True)
            )
        return total

    def turn_losses(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Losses:
        """The same after a roll."""
        action, turn = self.act(filled, upper, flag, 0, dice, left, first), filled.bit_count()
        stops = self.stops(filled, upper, flag, dice, left, first)
        best, total = (
            self.best(filled, upper, flag, dice, left, first),
            Counter[tuple[int, str, int]](),
        )
        if isinstance(action, int):
            if left:
                total[turn, "hold", left] = best - max(stops.values())  # type: ignore[assignment]
            total[turn, "box", action] = max(stops.values()) - stops[action]  # type: ignore[assignment]
            after, total_upper, _, paid = self.ending(
                filled, upper, flag, dice, left, first, action
            )[1]
            add_losses(total, Fraction(1), self.losses(after, total_upper, paid))
            return total
        total[turn, "hold", left] = best - self.hold_value(filled, upper, flag, action, left)  # type: ignore[assignment]
        for again, p in self.rolls(action):
            add_losses(total, p, self.turn_losses(filled, upper, flag, again, left - 1, False))
        return total


def add_losses(total: Losses, share: Fraction, part: Losses) -> None:
    for kind, loss in part.items():
        total[kind] += share * loss  # type: ignore[assignment]


class GreedyChoice(Naive):
    """The choices of a policy that is greedy for a guess of the points to come at the start of each
    turn.

    Of equal options the one with most dice, then the higher faces, then the first category.
    """

    def __init__(
        self, game: dict[str, Any], guess: Callable[[int, int, int, bool], Fraction]
    ) -> None:
        super().__init__(game)
        self.value = cache(guess)

    def best(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Fraction:
        stops = self.stops(filled, upper, flag, dice, left, first).values()
        holds = self.holds_of(dice) - {dice} if left else ()  # to hold all dice is to end the turn
        return max([*stops, *(self.hold_value(filled, upper, flag, held, left) for held in holds)])

    def __call__(
        self, filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Action:
        stops = self.stops(filled, upper, flag, dice, left, first)
        box = min(stops, key=lambda c: (-stops[c], c))
        if not left:
            return box
        holds = {
            h: self.hold_value(filled, upper, flag, h, left) for h in self.holds_of(dice) - {dice}
        }
        held = min(holds, key=lambda h: (-holds[h], -len(h), [-face for face in h]))
        return box if stops[box] >= holds[held] else held


Option = TypeVar("Option")


class NaiveSoft(NaivePlay):
    """Exact play of a soft policy, by brute force: the distribution of the points to come, with
    chances as floats.

        P(option) = w(loss) / sum of w over all options,   w(d) = max(0, 1 - sharpness d)^8

    Losses are those of the exact values. To stop counts as one option of a hold; the category is a
    second decision.
    """

    def __init__(self, game: dict[str, Any], sharpness: float) -> None:
        super().__init__(game)
        self.sharpness = sharpness

    def chances(self, values: Mapping[Option, Fraction]) -> dict[Option, float]:
        """Chance of each option of a decision."""
        best = max(values.values())
        weights = {
            key: max(0.0, 1 - self.sharpness * float(best - value)) ** 8
            for key, value in values.items()
        }
        return {key: weight / sum(weights.values()) for key, weight in weights.items()}

    def acts(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> dict[Action, float]:
        stops = self.stops(filled, upper, flag, dice, left, first)
        holds: dict[Dice, Fraction] = (
            self.hold_values(filled, upper, flag, dice, left) if left else {}
        )
        chances = self.chances(holds | {dice: max(stops.values())})  # to hold all dice is to stop
        stop = chances.pop(dice)
        return {**chances, **{box: stop * share for box, share in self.chances(stops).items()}}
