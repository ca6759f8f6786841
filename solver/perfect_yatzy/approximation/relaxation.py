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
from time import monotonic

import numpy as np

from ..errors import RulesError
from ..game.box_order import chains
from ..game.dice import Floats
from ..game.rules import RuleSet
from ..model.relaxed_game import RelaxedGame
from ..model.relaxed_layout import Levels
from .backward import solve_relaxed
from .bound import upper_bound
from .bundle import Minimum, minimise
from .costs import ROW_BYTES, solve_seconds, visits_seconds
from .exact_boxes import coarse_levels, order_of_gain
from .forward import visits
from .multipliers import Prices, optimal_prices, touching_sum

Report = Callable[[str, float], None]  # takes the name of a stage and the fraction of it that is done

REFINING_SHARE = 0.15  # of the time, for better prices
REFINING_CALLS = 60
ORDERING_SHARE = 0.05
TOLERANCE = 2e-5  # of the bound, where an iteration ends
LEVEL_TOLERANCE = 5e-5  # of the bound: 0.1 points for Giant Yatzy


@dataclass(frozen=True)
class Budget:
    """What a relaxation may take.

    Attributes
    ----------
    seconds : float
        Time on a machine with two threads; the bound depends on it, but not on the speed of the machine.
    memory : int
        Bytes.
    boxes : int or None
        Most further exact boxes (or chains of boxes); default: no limit.
    """

    seconds: float = 240.0
    memory: int = 1 << 30
    boxes: int | None = None


@dataclass(frozen=True)
class Relaxation:
    """A solved relaxed game.

    Attributes
    ----------
    game : RelaxedGame
    values : (game.size,) float64
        W.
    bound : float
        Certified upper bound of the expected final score from the empty card, rounded up.
    seconds : float
        Time it took.
    """

    game: RelaxedGame
    values: Floats
    bound: float
    seconds: float

    @property
    def rules(self) -> RuleSet:
        """The rules of the game itself."""
        return self.game.rules

    @property
    def exact(self) -> tuple[int, ...]:
        """Positions of the exact boxes, ascending."""
        return self.game.exact

    @property
    def prices(self) -> Floats:
        """The price of each box, exact or not, ``(categories,)`` float64."""
        return self.game.prices


def required_exact(rules: RuleSet) -> tuple[tuple[int, ...], int]:
    """The boxes that are exact in every relaxation, and the column whose upper sum is remembered (-1: none).

    Those are the boxes that decide about jokers and required boxes, and the upper boxes of the column with the
    largest bonus; each with the other boxes of its chain.
    """
    needed = {c for c in (rules.joker_index, rules.tracked_index) if c >= 0}
    bonuses = rules.bonuses
    column = max(range(len(bonuses)), key=lambda b: bonuses[b].points) if bonuses else -1
    needed |= {c for c, box in enumerate(rules.categories) if box.upper and bonuses and box.column == column}
    return tuple(sorted(c for chain in chains(rules) if needed & set(chain) for c in chain)), column


def relax(
    rules: RuleSet,
    budget: Budget | None = None,
    *,
    report: Report | None = None,
    threads: int | None = None,
) -> Relaxation:
    """Solve a relaxation of a rule set.

    Parameters
    ----------
    rules
    budget
        Default: :class:`Budget`.
    report
        Called now and then with the stage and the fraction of it that is done.
    threads
        Number of threads; default: all processors of this process. The bound does not depend on it.

    Raises
    ------
    RulesError
        If even the boxes that have to be exact have too many cards.
    """
    began = monotonic()
    maker = _Relaxing(rules, budget or Budget(), report or (lambda stage, done: None), threads)
    game, values = maker.run()
    return Relaxation(game, values, upper_bound(game, values), monotonic() - began)


class _Relaxing:
    """The stages of a relaxation, and what is left of its budget."""

    def __init__(self, rules: RuleSet, budget: Budget, report: Report, threads: int | None) -> None:
        self.rules, self.budget, self.threads = rules, budget, threads
        self.report, self.seconds = report, budget.seconds
        self.prices: Prices
        self.column, self.exact = -1, tuple[int, ...]()
        self.levels: Levels | None = None

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
            ORDERING_SHARE * self.seconds,
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

    def progress(self, stage: str) -> Callable[[float], None]:
        """A callback for one stage."""
        return lambda done: self.report(stage, done)

    def game(self, exact: list[int] | tuple[int, ...]) -> RelaxedGame:
        """The relaxed game with these exact boxes."""
        found = self.prices
        return RelaxedGame(self.rules, exact, found.prices, self.column, found.slopes, self.levels)

    def solve(self, game: RelaxedGame, stage: str) -> Floats:
        """W, at the cost of its time."""
        self.seconds -= solve_seconds(game)
        return solve_relaxed(game, threads=self.threads, progress=self.progress(stage))

    def choose_required(self) -> None:
        """Prices, and the boxes that are exact in any case; without the upper sum if that takes too long."""
        self.exact, self.column = required_exact(self.rules)
        every = range(len(self.rules.bonuses))
        lines = [b for b in every if b != self.column]
        self.prices = self.static_prices(lines)
        if self.column < 0 or self.affordable(self.exact):
            return
        tracked = {c for c in (self.rules.joker_index, self.rules.tracked_index) if c >= 0}
        self.exact = tuple(sorted(c for chain in chains(self.rules) if tracked & set(chain) for c in chain))
        self.column, self.prices = -1, self.static_prices(list(every))

    def static_prices(self, lines: list[int]) -> Prices:
        """Prices without exact boxes, and the slopes of all bonuses (0 where the sum is remembered)."""
        found = optimal_prices(self.rules, lines, progress=self.progress("prices"))
        slopes = np.zeros(len(self.rules.bonuses))
        slopes[lines] = found.slopes
        return Prices(found.prices, slopes, found.value, found.gap, found.evaluations)

    def affordable(self, exact: list[int] | tuple[int, ...]) -> RelaxedGame | None:
        """The game with these exact boxes and all rows, if the budget suffices to solve it."""
        if self.layout_bytes(exact) > self.budget.memory / 2:
            return None
        try:
            game = self.game(exact)
        except RulesError:
            return None
        fits = solve_seconds(game) <= self.seconds and 8 * game.size <= self.budget.memory / 2
        return game if fits else None

    def refined(self, game: RelaxedGame) -> RelaxedGame:
        """The game with better prices, if it is small enough to be solved many times."""
        each = solve_seconds(game) + visits_seconds(game)
        calls = min(REFINING_CALLS, int(REFINING_SHARE * self.seconds / each)) if each else 0
        if calls < 10 or not game.members or self.rules.saved_rolls:
            return game
        count, found = len(self.rules.categories), self.prices
        lines = [b for b in range(len(found.slopes)) if b != self.column]

        def bound(variables: Floats) -> tuple[float, Floats]:
            slopes = found.slopes.copy()
            slopes[lines] = variables[count:]
            self.prices = Prices(variables[:count], slopes, 0.0, 0.0, 0)
            tried = self.game(game.exact)
            values = solve_relaxed(tried, threads=self.threads)
            seen = visits(tried, values, threads=self.threads)
            touching = [touching_sum(self.rules.bonuses[b], slopes[b]) for b in lines]
            gradient = np.concatenate([1.0 - seen.uses.sum(axis=0), seen.upper[lines] - np.array(touching)])
            return upper_bound(tried, values), gradient

        def report(best: Minimum) -> None:
            self.report("prices", best.evaluations / calls)

        start = np.concatenate([found.prices, found.slopes[lines]])
        lowest = np.concatenate([np.full(count, -np.inf), np.zeros(len(lines))])
        tolerance = TOLERANCE * abs(found.value)
        best = minimise(
            bound, start, tolerance=tolerance, evaluations=calls, step=10.0, lowest=lowest, progress=report
        )
        self.seconds -= best.evaluations * each
        slopes = found.slopes.copy()
        slopes[lines] = best.point[count:]
        self.prices = Prices(best.point[:count], slopes, best.value, best.gap, found.evaluations + best.evaluations)
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

    def layout_bytes(self, exact: list[int] | tuple[int, ...]) -> float:
        """Memory of the arrays of a layout."""
        cards = float(np.prod([float(len(chain) + 1) for chain in chains(self.rules) if set(chain) <= set(exact)]))
        flags = 2 if self.rules.tracked_index >= 0 else 1
        return ROW_BYTES * cards * flags * (len(self.rules.categories) - len(exact) + 1)
