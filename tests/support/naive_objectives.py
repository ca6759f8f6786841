"""The oracle of :mod:`naive` for other objectives: expected utility of the final score, and score
distributions.

expected_utility(card, made) = highest mean of U(final score), given the points made so far
distribution(card, made)     = chance of every number of points to come under a way to play
NaiveTieBreak                = the way to play that maximises the utility and breaks ties by the mean
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from perfect_yatzy import ScoreDistribution

from support.naive import Card, Dice, Naive

Law = dict[int, Fraction]  # chance of every number of points
Option = tuple[Fraction, Fraction, tuple[int, ...]]  # utility, mean, what orders the rest
Plays = tuple["Callable[[Card], NaivePlay] | None", "Callable[[Card], NaivePlay] | None"]


class NaiveUtility(Naive):
    """Exact expected utility of any card and any number of points made."""

    memoised = *Naive.memoised, "expected_utility", "best_utility", "hold_utility"

    def __init__(self, game: dict[str, Any], utility: Callable[[int], Fraction] = Fraction) -> None:
        super().__init__(game)
        self.utility = utility

    def expected_utility(
        self, filled: int, upper: int, saved: int, flag: bool, made: int
    ) -> Fraction:
        """Highest expected utility of the final score."""
        if filled == self.full_mask:
            return self.utility(made + int(self.value(filled, upper)))
        left = self.game["rolls"] - 1 + saved
        return sum(
            p * self.best_utility(filled, upper, flag, made, dice, left, True)
            for dice, p in self.rolls()
        )

    def hold_utility(
        self, filled: int, upper: int, flag: bool, made: int, held: Dice, left: int
    ) -> Fraction:
        rolls = self.rolls(held)
        return sum(
            p * self.best_utility(filled, upper, flag, made, dice, left - 1, False)
            for dice, p in rolls
        )

    def best_utility(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Fraction:
        """Best of stopping and every hold."""
        endings = self.endings(filled, upper, flag, dice, left, first)
        found = [self.expected_utility(*card, made + points) for _, points, card in endings]
        if left:
            found += [
                self.hold_utility(filled, upper, flag, made, held, left)
                for held in self.holds_of(dice)
            ]
        return max(found)


class NaivePlay(NaiveUtility):
    """Exact chances of the points to come under a way to play, which :meth:`act` defines."""

    memoised = *NaiveUtility.memoised, "act", "distribution", "turn"
    depends_on_points = False  # whether the play depends on the points made so far

    def act(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> int | Dice:
        """The box to end the turn with, or the dice to hold."""
        raise NotImplementedError

    def acts(self, *turn: Any) -> dict[int | Dice, Any]:
        """The chance of each action; of :meth:`act` alone unless a soft policy says otherwise."""
        return {self.act(*turn): Fraction(1)}

    def distribution(
        self, filled: int = 0, upper: int = 0, saved: int = 0, flag: bool = False, made: int = 0
    ) -> Law:
        """Chance of every number of points to come, from the start of a turn."""
        if filled == self.full_mask:
            return {int(self.value(filled, upper)): Fraction(1)}
        left = self.game["rolls"] - 1 + saved
        return mixed(
            (p, 0, self.turn(filled, upper, flag, made, dice, left, True))
            for dice, p in self.rolls()
        )

    def turn(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Law:
        """The same after a roll."""
        parts, now = [], (filled, upper, flag, made)
        for action, chance in self.acts(*now, dice, left, first).items():
            if isinstance(action, int):
                points, card = self.ending(filled, upper, flag, dice, left, first, action)
                made_after = made + points if self.depends_on_points else 0
                parts.append((chance, points, self.distribution(*card, made_after)))
            else:
                parts += [
                    (chance * p, 0, self.turn(*now, again, left - 1, False))
                    for again, p in self.rolls(action)
                ]
        return mixed(parts)


def mixed(parts: Iterable[tuple[Any, int, dict[int, Any]]]) -> dict[int, Any]:
    """The distribution of a share of each part, moved by some points."""
    total: Counter[int] = Counter()
    for share, points, part in parts:
        for score, p in part.items():
            total[score + points] += share * p
    return dict(total)


def mean_score(results: dict[int, Any]) -> Any:
    return sum(p * score for score, p in results.items())


def score_variance(results: dict[int, Any]) -> Any:
    mean = mean_score(results)
    return sum(p * (score - mean) ** 2 for score, p in results.items())


def assert_chances(
    found: ScoreDistribution, exact: dict[int, Fraction], within: float = 1e-12
) -> None:
    """The same scores can be, with the same chances."""
    assert set(found.scores[found.chances > 0].tolist()) == {
        score for score, chance in exact.items() if chance
    }
    for score, chance in zip(found.scores.tolist(), found.chances, strict=True):
        assert abs(chance - exact.get(score, 0)) < within


class NaiveTieBreak(NaivePlay):
    """Which option is taken when a utility is maximised and ties are broken by the mean.

    E = options whose expected utility is within a share `tolerance` of the best
    F = options of E with the highest mean, if everything after the option maximises the mean
    the option of F with most dice, then the higher faces; the first category
    """

    depends_on_points = True

    def __init__(
        self, game: dict[str, Any], utility: Callable[[int], Fraction], tolerance: Fraction
    ) -> None:
        super().__init__(game, utility)
        self.tolerance = tolerance

    def boxes_of(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> dict[int, Option]:
        means, found = self.stops(filled, upper, flag, dice, left, first), {}
        for box, points, card in self.endings(filled, upper, flag, dice, left, first):
            found[box] = self.expected_utility(*card, made + points), means[box], (box,)
        return found

    def act(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> int | Dice:
        options = self.boxes_of(filled, upper, flag, made, dice, left, first)
        stop = self.first_of(options)
        if not left:
            return stop
        holds = {stop: (*options[stop][:2], (-len(dice),))}
        for held in self.holds_of(dice) - {dice}:
            utility = self.hold_utility(filled, upper, flag, made, held, left)
            mean = self.hold_value(filled, upper, flag, held, left)
            holds[held] = utility, mean, (-len(held), *(-face for face in held))
        return self.first_of(holds)

    def first_of(self, options: dict[Any, Option]) -> Any:
        best = max(utility for utility, _, _ in options.values())
        equal = [
            o for o, (utility, _, _) in options.items() if best - utility <= self.tolerance * best
        ]
        return min(equal, key=lambda o: (-options[o][1], options[o][2]))

    def play(self) -> tuple[Fraction, Fraction]:
        """Expected final score and expected utility of this play."""
        results = self.distribution()
        return mean_score(results), sum(p * self.utility(score) for score, p in results.items())


class NaiveDuel(NaiveUtility):
    """Two players: U(mine, theirs, lead) is the chance to win of the one with the card `mine`,
    whose turn begins.

    U(A, B, lead) = mean over the turn of A of 1 - U(B, A', -(lead + points))

    A turn is played for the best, or as the first of `plays` acts for the card `theirs`; the second
    is the opponent's. `tie`: what a tie counts for who has the last turn.
    """

    memoised = *NaiveUtility.memoised, "chance"

    def __init__(
        self,
        game: dict[str, Any],
        theirs: Card,
        tie: Fraction,
        plays: Plays = (None, None),
        known: Any = None,
    ) -> None:
        super().__init__(game)
        self.theirs, self.tie, self.plays, self.known = (
            theirs,
            tie,
            plays,
            {} if known is None else known,
        )
        self.known[theirs, plays] = self
        self.play = plays[0] and plays[0](theirs)

    def against(self, card: Card) -> NaiveDuel:
        """What the opponent faces: another card, and the other player."""
        plays = self.plays[::-1]
        return self.known.get((card, plays)) or NaiveDuel(
            self.game, card, self.tie, plays, self.known
        )

    def chance(self, mine: Card = (0, 0, 0, False), lead: int = 0) -> Fraction:
        return super().expected_utility(*mine, lead)

    def best_utility(
        self, filled: int, upper: int, flag: bool, made: int, dice: Dice, left: int, first: bool
    ) -> Fraction:
        if self.play is None:
            return super().best_utility(filled, upper, flag, made, dice, left, first)
        action = self.play.act(filled, upper, flag, made, dice, left, first)
        if not isinstance(action, int):
            return self.hold_utility(filled, upper, flag, made, action, left)
        points, card = self.ending(filled, upper, flag, dice, left, first, action)
        return self.expected_utility(*card, made + points)

    def expected_utility(
        self, filled: int, upper: int, saved: int, flag: bool, made: int
    ) -> Fraction:
        """After the turn."""
        if filled == self.theirs[0] == self.full_mask:
            ahead = made + self.value(filled, upper) - self.value(*self.theirs[:2])
            return self.tie if ahead == 0 else Fraction(int(ahead > 0))
        return 1 - self.against((filled, upper, saved, flag)).chance(self.theirs, -made)
