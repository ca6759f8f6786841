"""The relaxation of a rule set: prices, exact boxes, the values of the relaxed game, and the bound.

relaxation = relax(rules)
relaxation.bound                                              no strategy scores more
relaxation.game.offset(...) + relaxation.values[relaxation.game.index(...)]     the same for any state
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ..game.box_order import chains
from ..game.dice import Floats
from ..game.rules import RuleSet
from ..model.relaxed_game import RelaxedGame
from .backward import solve_relaxed
from .bound import upper_bound
from .multipliers import optimal_prices

Report = Callable[[str, float], None]  # takes the name of a stage and the fraction of it that is done


@dataclass(frozen=True)
class Budget:
    """What a relaxation may take.

    Attributes
    ----------
    seconds : float
        Time with all threads.
    memory : int
        Bytes.
    """

    seconds: float = 240.0
    memory: int = 1 << 30


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
        Number of threads; default: all processors of this process.

    Raises
    ------
    RulesError
        If even the boxes that have to be exact have too many cards.
    """
    began = monotonic()

    def progress(stage: str) -> Callable[[float], None]:
        return lambda done: report(stage, done) if report else None

    exact, column = required_exact(rules)
    lines = [b for b in range(len(rules.bonuses)) if b != column]
    found = optimal_prices(rules, lines, progress=progress("prices"))
    slopes = np.zeros(len(rules.bonuses))
    slopes[lines] = found.slopes
    game = RelaxedGame(rules, exact, found.prices, column, slopes)
    values = solve_relaxed(game, threads=threads, progress=progress("bound"))
    return Relaxation(game, values, upper_bound(game, values), monotonic() - began)
