"""The relaxation of a rule set: prices, exact boxes, the values of the relaxed game, and the bound.

    relaxation = relax(rules)
    relaxation.bound                                              no strategy scores more
    relaxation.game.offset(...) + relaxation.values[relaxation.game.index(...)]    the same for any state

Boxes become exact in the order of their gain (:mod:`.exact_boxes`), as many as the budget allows; each of them
doubles the cards. Every card has a value of its own. To remember less of the cards that play rarely visits raises the
bound: the best play of the relaxed game then visits those cards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..errors import RulesError
from ..game.dice import Floats
from ..game.rules import RuleSet
from ..model.approximate_cost import (
    BOUND_MEMORY,
    ORDERING_SHARE,
    layout_bytes,
    refining_calls,
    relaxation_work,
    solve_work,
    visits_work,
)
from ..model.relaxed_game import RelaxedGame
from ..model.relaxed_layout import Levels, required_exact, tracked_exact
from .bound import solve_relaxed, upper_bound
from .bundle import Minimum, minimise
from .exact_boxes import coarse_levels, order_of_gain
from .forward import visits
from .multipliers import Prices, optimal_prices, touching_sum

Report = Callable[[str, float], None]  # takes what is being done, and about the share of all work that is done

TOLERANCE = 2e-5  # of the bound, where an iteration ends
LEVEL_TOLERANCE = 5e-5  # of the bound: 0.1 points for Giant Yatzy


@dataclass(frozen=True)
class Budget:
    """What a relaxation may take; the bound depends on it, and not on the speed of the machine."""

    # Operations (:mod:`perfect_yatzy.model.approximate_cost`), of which two threads do about 5e10 a second.
    work: float = 12e12
    memory: int = BOUND_MEMORY  # bytes
    boxes: int | None = None  # most further exact boxes, or chains of boxes; default: no limit


@dataclass(frozen=True)
class Relaxation:
    """A solved relaxed game."""

    game: RelaxedGame
    values: Floats  # (game.size,) float64: W
    bound: float  # certified upper bound of the expected final score from the empty card, rounded up
    work: float  # operations it took
    speed: float  # operations a second of its last solve


def relax(
    rules: RuleSet, budget: Budget | None = None, *, report: Report | None = None, threads: int | None = None
) -> Relaxation:
    """Solve a relaxation of a rule set; RulesError if even the boxes that have to be exact have too many cards."""
    budget = budget or Budget()
    maker = _Relaxing(rules, budget, report or (lambda stage, done: None), threads)
    game, values = maker.run()
    return Relaxation(game, values, upper_bound(game, values), budget.work - maker.work, maker.speed)


class _Relaxing:
    """The stages of a relaxation, and what is left of its budget."""

    def __init__(self, rules: RuleSet, budget: Budget, report: Report, threads: int | None) -> None:
        self.rules, self.budget, self.threads = rules, budget, threads
        self.report, self.work = report, budget.work
        self.prices: Prices
        self.column, self.exact = -1, tuple[int, ...]()
        self.levels: Levels | None = None
        self.speed = 0.0
        self.expected = relaxation_work(rules, budget.work, budget.memory, budget.boxes)

    def run(self) -> tuple[RelaxedGame, Floats]:
        """The last relaxed game and its values."""
        self.choose_required()
        game = self.refined(self.game(self.exact))
        left = order_of_gain(
            self.rules,
            self.prices.prices,
            self.prices.slopes,
            self.exact,
            self.column,
            ORDERING_SHARE * self.work,
            threads=self.threads,
            progress=self.progress("boxes"),
        )
        if self.budget.boxes is not None:
            left = left[: self.budget.boxes]
        if whole := self.affordable([*self.exact, *(c for chain in left for c in chain)]):
            whole = self.refined(whole)
            return whole, self.solve(whole, "bound")
        if self.column >= 0 and not self.rules.saved_rolls:
            values = self.solve(game, "upper sums")
            self.levels = coarse_levels(game, values, LEVEL_TOLERANCE * upper_bound(game, values))
        return self.with_most_boxes(left)

    def progress(self, stage: str, work: float = 0.0) -> Callable[[float], None]:
        """A callback for one stage, which takes the fraction of it that is done."""
        before = self.budget.work - self.work
        return lambda done: self.report(stage, min(0.999, (before + done * work) / self.expected))

    def game(self, exact: list[int] | tuple[int, ...]) -> RelaxedGame:
        """The relaxed game with these exact boxes."""
        found = self.prices
        return RelaxedGame(self.rules, exact, found.prices, self.column, found.slopes, self.levels)

    def solve(self, game: RelaxedGame, stage: str) -> Floats:
        """W, at the cost of its work."""
        work, began = solve_work(game), perf_counter()
        values = solve_relaxed(game, threads=self.threads, progress=self.progress(stage, work))
        self.work, self.speed = self.work - work, work / (perf_counter() - began)
        return values

    def choose_required(self) -> None:
        """Prices, and the boxes that are exact in any case; without the upper sum if that is too much work."""
        self.exact, self.column = required_exact(self.rules)
        every = range(len(self.rules.bonuses))
        lines = [b for b in every if b != self.column]
        self.prices = self.static_prices(lines)
        if self.column < 0 or self.affordable(self.exact):
            return
        self.exact = tracked_exact(self.rules)
        self.column, self.prices = -1, self.static_prices(list(every))

    def static_prices(self, lines: list[int]) -> Prices:
        """Prices without exact boxes, and the slopes of all bonuses (0 where the sum is remembered)."""
        found = optimal_prices(self.rules, lines, self.progress("prices"))
        slopes = np.zeros(len(self.rules.bonuses))
        slopes[lines] = found.slopes
        return Prices(found.prices, slopes, found.value)

    def affordable(self, exact: list[int] | tuple[int, ...]) -> RelaxedGame | None:
        """The game with these exact boxes and all rows, if the budget suffices to solve it."""
        if layout_bytes(self.rules, exact) > self.budget.memory / 2:
            return None
        try:
            game = self.game(exact)
        except RulesError:
            return None
        fits = solve_work(game) <= self.work and 8 * game.size <= self.budget.memory / 2
        return game if fits else None

    def refined(self, game: RelaxedGame) -> RelaxedGame:
        """The game with better prices, if it is small enough to be solved many times."""
        each = solve_work(game) + visits_work(game)
        calls = refining_calls(self.work, each)
        if not calls or not game.members or self.rules.saved_rolls:
            return game
        count, found = len(self.rules.categories), self.prices
        lines = [b for b in range(len(found.slopes)) if b != self.column]

        def bound(variables: Floats) -> tuple[float, Floats]:
            slopes = found.slopes.copy()
            slopes[lines] = variables[count:]
            self.prices = Prices(variables[:count], slopes, 0.0)
            tried = self.game(game.exact)
            values = solve_relaxed(tried, threads=self.threads)
            seen = visits(tried, values, threads=self.threads)
            touching = [touching_sum(self.rules.bonuses[b], slopes[b]) for b in lines]
            gradient = np.concatenate([1.0 - seen.uses.sum(axis=0), seen.upper[lines] - np.array(touching)])
            return upper_bound(tried, values), gradient

        share = self.progress("prices", calls * each)

        def report(best: Minimum) -> None:
            share(best.evaluations / calls)

        start = np.concatenate([found.prices, found.slopes[lines]])
        lowest = np.concatenate([np.full(count, -np.inf), np.zeros(len(lines))])
        tolerance = TOLERANCE * abs(found.value)
        best = minimise(
            bound, start, tolerance=tolerance, evaluations=calls, step=10.0, lowest=lowest, progress=report
        )
        self.work -= best.evaluations * each
        slopes = found.slopes.copy()
        slopes[lines] = best.point[count:]
        self.prices = Prices(best.point[:count], slopes, best.value)
        return self.game(game.exact)

    def with_most_boxes(self, left: list[tuple[int, ...]]) -> tuple[RelaxedGame, Floats]:
        """The game with as many further exact boxes as the budget allows."""
        game, exact = self.game(self.exact), list(self.exact)
        for chain in left:
            exact += chain
            more = self.affordable(exact)
            if more is None:
                break
            game = more
        return game, self.solve(game, f"{len(game.exact)} exact boxes")
