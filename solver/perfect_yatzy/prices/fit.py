"""Fit a player's own prices to recorded games. The README of this folder describes the model.

The log-likelihood of all decisions, less that of weak priors, is maximised by Fisher scoring: each
step solves with the expected information, and is halved until it improves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.checked_values import Table
from ..core.dice import Floats, Ints
from ..core.resources import ScratchPool, thread_count, thread_map
from ..core.rules import RuleSet
from ..core.table_slices import TableSlice, window
from ..core.turn_model import turn_model
from ..errors import StateError
from ..objectives.policy_quantities import BonusPoints
from ..policies.levels import SkillLevel, level_played
from ..settings import Folder, Settings
from ..strategy.distribution import MAX_STATES
from ..strategy.played_games import PlayedTurns
from ..strategy.strategy import Strategy
from ..tablebase.store import has_table, open_table
from ..words import _

MIN_GAMES = 10  # with fewer games, no error is called significant
MAX_GAMES = 1_000  # number of games that are fitted at most, which are the last ones
SIGNIFICANT = 3.0  # standard errors
WIDENED = 1.15  # factor of all standard errors, because those of the fit are a little too small
HALF_WIDTH = 1.6448536  # standard errors on each side of an interval of 90 %
# Priors, as shares of what a box brings on average in perfect play. In Yatzy that is 16.6 points.
PRICE_SPREAD = 0.5
TEMPERATURE = 0.05
BONUS_SPREAD = 1.0  # a share of the value of the bonus
LOG_TEMPERATURE_SPREAD = 1.5
# The noise of categories is much like that of holds, which many more decisions tell. Without this,
# prices that fit the few slips of ten games by chance would look certain.
LOG_RATIO_SPREAD = 0.4
# The parameters are a price of each box, and these, by their places from the end.
BONUS_PRICE = -3
NOISE = slice(-2, None)  # log temperatures of holds and of categories
SLICE = 64  # turns of a call, whose sums are added in the order of the slices
MAX_STEPS = 50
MAX_HALVINGS = 6
# Least gain of the log-likelihood in a step. It has edges, where the player would change a later
# choice, so that its maximum need not have a derivative of 0.
LEAST_GAIN = 1e-3
WIDTHS = [digit * 10.0**power for power in range(-3, 4) for digit in (1, 1.5, 2, 3, 5, 7)]


@dataclass(frozen=True)
class Price:
    """What a player thinks of a box or of the upper bonus.

    Attributes
    ----------
    name : str
        Id of the category, or ``bonus``.
    error : float
        For a box the points by which the player values it too highly while it is open, compared
        with the median box. For the bonus the share of its value by which it is overvalued.
    standard_error : float
    significant : bool
        Whether the error is at least three standard errors, in at least ten games.
    cost : float or None
        Points a game that this error alone would lose at the decisions of these games, or None if
        it is not significant.
    """

    name: str
    error: float
    standard_error: float
    significant: bool
    cost: float | None = None

    @property
    def half_width(self) -> float:
        """Half the width of the interval of 90 %."""
        return HALF_WIDTH * self.standard_error

    @property
    def low(self) -> float:
        """The lower end of this interval."""
        return self.error - self.half_width

    @property
    def high(self) -> float:
        """The upper end of this interval."""
        return self.error + self.half_width


class Narrowing(NamedTuple):
    """How many more games would make an interval so narrow."""

    games: int
    half_width: float


@dataclass(frozen=True)
class Prices:
    """The prices by which one player decides, found in recorded games.

    Attributes
    ----------
    games, turns, decisions : int
        What was fitted.
    lost : float
        Points a game that the decisions lost.
    lost_by_prices : float
        The part of it that a player with these prices and without slips would lose at the same
        decisions.
    boxes : tuple of Price
        The price of each category, in the order of the sheet.
    bonus : Price or None
        The price of the upper bonus, or None if the rules have none.
    temperatures : tuple of float
        Noise of holds and of categories, in points: an option is taken with a chance in proportion
        to exp(value / temperature).
    temperature_errors : tuple of float
        Standard errors of the logarithms of both.
    """

    games: int
    turns: int
    decisions: int
    lost: float
    lost_by_prices: float
    boxes: tuple[Price, ...]
    bonus: Price | None
    temperatures: tuple[float, float]
    temperature_errors: tuple[float, float]
    rules: RuleSet = field(repr=False)
    start: float = field(repr=False)  # expected final score of perfect play

    @property
    def slips(self) -> float:
        """Points a game that are lost otherwise than by the prices."""
        return self.lost - self.lost_by_prices

    @property
    def all(self) -> tuple[Price, ...]:
        """The prices of the boxes and of the bonus."""
        return self.boxes if self.bonus is None else (*self.boxes, self.bonus)

    @property
    def errors(self) -> list[Price]:
        """The significant prices, the most costly first."""
        significant = [price for price in self.all if price.significant]
        return sorted(significant, key=lambda price: -(price.cost or 0.0))

    @property
    def level(self) -> SkillLevel:
        """The level of computer players that gives away about as many points as the slips."""
        return level_played(self.rules, self.start, self.slips)

    @property
    def noise_difference(self) -> float:
        """The log temperature of holds less that of categories, in standard errors."""
        holds, categories = map(float, np.log(self.temperatures))
        return (holds - categories) / sqrt(sum(error**2 for error in self.temperature_errors))

    def narrowing(self) -> Narrowing | None:
        """Return how many more games would narrow the first of the errors, or None without one."""
        if not self.errors:
            return None
        now = self.errors[0].half_width
        goal = max((width for width in WIDTHS if width <= 0.95 * now), default=now / 2)
        return Narrowing(ceil(self.games * ((now / goal) ** 2 - 1)), goal)

    def to_json(self) -> dict[str, Any]:
        """Return all figures as plain JSON values."""
        narrowing = self.narrowing()
        figures = ("games", "turns", "decisions", "lost", "lost_by_prices", "slips")
        names = ("holds", "categories")
        return {
            **{name: getattr(self, name) for name in figures},
            "boxes": [_price_json(price) for price in self.boxes],
            "bonus": _price_json(self.bonus) if self.bonus else None,
            "temperatures": dict(zip(names, self.temperatures, strict=True)),
            "log_temperature_errors": dict(zip(names, self.temperature_errors, strict=True)),
            "level": self.level.number,
            "more_games": narrowing.games if narrowing else None,
            "narrowed_to": narrowing.half_width if narrowing else None,
        }


def _price_json(price: Price) -> dict[str, Any]:
    return vars(price) | {"low": price.low, "high": price.high}


class Weighed(NamedTuple):
    """Recorded decisions under some prices."""

    log_likelihood: float
    score: Floats  # its derivatives by the parameters
    information: Floats  # the expected information
    categories: Ints  # (turns,): what the prices say is best, as in the recorded turns
    holds: Ints  # (rolls,)
    lost: float  # points that the decisions lose against that


class _Slice(NamedTuple):
    """Turns from `start` to `stop - 1`, which begin with so many filled categories."""

    filled: int
    start: int
    stop: int


class Decisions:
    """The decisions of recorded games, to be weighed under any prices."""

    def __init__(
        self,
        strategy: Strategy,
        played: PlayedTurns,
        tables: Folder = None,
        threads: int | None = None,
    ) -> None:
        if strategy.policy != "mean":
            text = _("the prices of players of {rules} cannot be found: they need an exact table")
            raise StateError(text.format(rules=strategy.rules.key))
        self.strategy = strategy
        self.rules = strategy.rules
        self.threads = thread_count(threads)
        self.bonuses = _bonus_table(strategy, tables, self.threads)
        filled = strategy.space.filled[played.rows]
        order = np.argsort(filled, kind="stable")  # of the turns, by layer
        # the first turn of each layer, and where the last one ends
        self.layers = np.searchsorted(filled[order], np.arange(len(self.rules.categories) + 1))
        counts = played.rolls_of_turn[order].astype(np.int64)
        self.first_roll = np.concatenate([[0], np.cumsum(counts)])
        by_turn = (played.rows, played.lanes, played.saved, played.categories)
        columns = [column[order].astype(np.int64) for column in by_turn]
        self.rows, self.lanes, self.saved, self.categories = columns
        order_of_rolls = _order_of_rolls(played.rolls_of_turn, order)
        self.rolls = played.rolls[order_of_rolls].astype(np.int64)
        self.holds = played.holds[order_of_rolls].astype(np.int64)
        self.games = len(played.turns_of_game)
        most_rerolls = self.rules.rolls_per_turn - 1 + self.saved
        # A category is a decision of its own. If rerolls were left, the decision to stop precedes
        # it.
        self.count = len(self.rolls) + int((counts <= most_rerolls).sum())

    @property
    def size(self) -> int:
        """Number of parameters: a price of each box and of the bonus, and both log temperatures."""
        return len(self.rules.categories) + 3

    def weigh(
        self, parameters: Floats, categories: Ints | None = None, holds: Ints | None = None
    ) -> Weighed:
        """Weigh the recorded decisions, or others at the same positions, under some prices."""
        from .price_kernel import (
            Findings,
            PriceJob,
            TurnColumns,
            price_scratch,
            row_vectors,
            weigh_turns,
        )

        model = turn_model(self.rules)
        taken = self.categories if categories is None else categories
        held = self.holds if holds is None else holds
        turns = TurnColumns(
            self.rows, self.lanes, self.saved, self.first_roll, taken, self.rolls, held
        )
        # The slices write what they find to entries of their own, but each has its own sums.
        best_categories = np.zeros_like(self.categories)
        best_holds = np.full_like(self.holds, -1)
        lost = np.zeros(len(self.rows))
        stride = row_vectors(model)
        pool = ScratchPool(lambda: price_scratch(model))

        def weigh_slice(part: _Slice) -> Floats:
            sums = self._no_sums()
            means, bonuses = self._windows(part.filled)
            findings = Findings(sums, best_categories, best_holds, lost)
            with pool.borrow() as scratch:
                job = PriceJob(model, means, bonuses, parameters, turns, findings, scratch, stride)
                weigh_turns(part.start, part.stop, job)
            return sums

        slices = self._slices()
        sums = self._no_sums()
        with thread_map(min(len(slices), self.threads)) as in_threads:
            for sums_of_slice in in_threads(weigh_slice, slices):
                sums += sums_of_slice
        log_likelihood, score, information = np.split(sums, [1, 1 + self.size])
        return Weighed(
            float(log_likelihood[0]),
            score,
            information.reshape(self.size, self.size),
            categories=best_categories,
            holds=best_holds,
            lost=float(lost.sum()),
        )

    def _no_sums(self) -> Floats:
        """Return zeros for the sums: the log-likelihood, its derivatives and the information."""
        return np.zeros(1 + self.size + self.size**2)

    def _slices(self) -> list[_Slice]:
        """Return the recorded turns, in slices of at most SLICE turns of one layer."""
        return [
            _Slice(filled, start, min(start + SLICE, end))
            for filled, (begin, end) in enumerate(pairwise(self.layers.tolist()))
            for start in range(begin, end, SLICE)
        ]

    def _windows(self, filled: int) -> tuple[TableSlice, TableSlice]:
        """Return the means, and what the bonus is worth, that turns of a layer need."""
        means = window(self.strategy.space, self.strategy.table, filled)
        if self.bonuses is None:
            return means, means  # any values will do, since a missing bonus keeps the price 0
        return means, window(self.strategy.space, self.bonuses, filled)

    def cost(self, parameters: Floats) -> float:
        """Return the points a game that these prices alone, without slips, would lose here."""
        best = self.weigh(parameters)  # what the prices say is best
        return self.weigh(_noise_alone(parameters), best.categories, best.holds).lost / self.games


def _order_of_rolls(rolls_of_turn: Ints, order: Ints) -> Ints:
    """Return the places of the rolls of all turns, if the turns are put in an order.

    Each first roll is followed by the others of its turn.
    """
    counts = rolls_of_turn[order]
    first = np.cumsum(rolls_of_turn) - rolls_of_turn  # the first roll of each turn
    first_in_order = np.cumsum(counts) - counts
    return np.repeat(first[order] - first_in_order, counts) + np.arange(counts.sum())


def _noise_alone(parameters: Floats) -> Floats:
    """Return the parameters of a player with the same noise and the right prices."""
    return np.append(np.zeros(len(parameters) - 2), parameters[NOISE])


def _bonus_table(strategy: Strategy, tables: Folder, threads: int) -> Table | None:
    """Return what the upper bonus is worth in each state, or None without a bonus.

    Raises StateError if the table would take long to solve.
    """
    rules = strategy.rules
    if not rules.bonuses:
        return None
    objective = BonusPoints(rules, strategy.table)
    if objective.size > MAX_STATES and not has_table(rules, tables, objective.name):
        text = _("prices need a table that takes long to make: yatzy solve {spec} --what {name}")
        raise StateError(text.format(spec=rules.spec or rules.key, name=objective.name))
    return open_table(Settings(tables, threads), objective)[1]


class Prior(NamedTuple):
    """A normal distribution of the parameters."""

    means: Floats
    precision: Floats  # the inverse of their covariance

    def penalty(self, parameters: Floats) -> float:
        """Return how much less the logarithm of the density is than its maximum."""
        return float(0.5 * (parameters - self.means) @ self.slope(parameters))

    def slope(self, parameters: Floats) -> Floats:
        """Return the derivatives of the penalty."""
        return np.asarray(self.precision @ (parameters - self.means))


def prior_of(strategy: Strategy) -> Prior:
    """Return weak priors of the parameters of :class:`Decisions`.

    Prices of boxes and temperatures are in proportion to what a box brings on average.
    """
    boxes = len(strategy.rules.categories)
    box = float(strategy.value()) / boxes
    log_temperature = log(TEMPERATURE * box)
    # prices of the boxes, price of the bonus, log temperatures of holds and of categories
    means = np.array([*[0.0] * boxes, 0.0, log_temperature, log_temperature])
    spreads = np.array(
        [
            *[PRICE_SPREAD * box] * boxes,
            BONUS_SPREAD,
            LOG_TEMPERATURE_SPREAD,
            LOG_TEMPERATURE_SPREAD,
        ]
    )
    precision = np.diag(spreads**-2)
    # The difference of both log temperatures is near 0, within LOG_RATIO_SPREAD.
    precision[NOISE, NOISE] += np.array([[1, -1], [-1, 1]]) / LOG_RATIO_SPREAD**2
    return Prior(means, precision)


def maximise(decisions: Decisions) -> tuple[Floats, Floats]:
    """Return the most likely parameters, and their covariance."""
    prior = prior_of(decisions.strategy)
    free = np.arange(decisions.size)  # places of the parameters that are not held at their mean
    if decisions.bonuses is None:
        free = np.delete(free, BONUS_PRICE)
    parameters = prior.means.copy()
    weighed = decisions.weigh(parameters)
    for _step in range(MAX_STEPS):
        score = weighed.score - prior.slope(parameters)
        information = weighed.information + prior.precision
        step = np.zeros_like(parameters)
        step[free] = np.linalg.solve(information[np.ix_(free, free)], score[free])
        if score @ step < LEAST_GAIN:
            break
        before = weighed.log_likelihood - prior.penalty(parameters)
        for halvings in range(MAX_HALVINGS):
            tried = parameters + step / 2**halvings
            weighed_there = decisions.weigh(tried)
            if weighed_there.log_likelihood - prior.penalty(tried) > before + LEAST_GAIN:
                break
        else:  # no length of the step gains enough
            break
        parameters = tried
        weighed = weighed_there
    information = weighed.information + prior.precision
    covariance = np.zeros_like(information)
    covariance[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])
    return parameters, covariance


def fit_prices(
    strategy: Strategy, played: PlayedTurns, tables: Folder = None, threads: int | None = None
) -> Prices:
    """Fit the prices of the player of some games.

    Parameters
    ----------
    strategy
        Perfect play of the rule set.
    played
        The games.
    tables
        Folder of the table of what the upper bonus is worth, which is solved if it is missing.
    threads
        Number of threads. By default it is one per processor. The result does not depend on it.

    Returns
    -------
    Prices

    Raises
    ------
    StateError
        If there is no exact table, or that of the bonus would take long to solve.
    """
    decisions = Decisions(strategy, played, tables, threads)
    parameters, covariance = maximise(decisions)
    boxes = len(strategy.rules.categories)
    size = decisions.size
    # A change of all prices by the same number has no effect. So the median is subtracted from the
    # prices, and the covariance is that of their differences from the mean.
    errors = parameters.copy()
    errors[:boxes] -= np.median(parameters[:boxes])
    contrasts = np.eye(size)
    contrasts[:boxes, :boxes] -= 1 / boxes
    spreads = WIDENED * np.sqrt(np.maximum(0.0, np.diag(contrasts @ covariance @ contrasts.T)))

    is_noise = np.zeros(size, dtype=bool)
    is_noise[NOISE] = True

    def cost(is_counted: npt.NDArray[np.bool_]) -> float:
        """Return what only some of the errors of prices cost, in points a game."""
        return decisions.cost(np.where(is_counted | is_noise, errors, 0.0))

    significant = (np.abs(errors) >= SIGNIFICANT * spreads) & (spreads > 0)
    significant &= decisions.games >= MIN_GAMES
    significant[NOISE] = False
    names = [*(box.id for box in strategy.rules.categories), "bonus"]
    prices = []
    for i, name in enumerate(names):
        cost_of_one = cost(np.arange(size) == i) if significant[i] else None
        prices.append(
            Price(name, float(errors[i]), float(spreads[i]), bool(significant[i]), cost_of_one)
        )
    holds, categories = errors[NOISE].tolist()
    holds_error, categories_error = spreads[NOISE].tolist()
    return Prices(
        games=decisions.games,
        turns=len(decisions.rows),
        decisions=decisions.count,
        lost=decisions.weigh(_noise_alone(errors)).lost / decisions.games,
        lost_by_prices=cost(significant) if significant.any() else 0.0,
        boxes=tuple(prices[:boxes]),
        bonus=None if decisions.bonuses is None else prices[boxes],
        temperatures=(exp(holds), exp(categories)),
        temperature_errors=(holds_error, categories_error),
        rules=strategy.rules,
        start=float(strategy.value()),
    )
