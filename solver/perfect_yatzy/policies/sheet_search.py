"""Learn a whole strategy sheet: fit prices, find hold rules, and round the prices for use by hand.

The price sheet begins with least squares: the numbers that come closest to the exact table in the
states that perfect play meets. Then Powell's method maximises, in rounds, a sample of turns
(:mod:`.worst_decisions`), which is cheap. The exact mean decides how far to go in the direction
found, so no round makes the sheet worse. Where the exact mean takes no longer than a sample, it is
maximised itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ..core.checked_values import Table, checked_part
from ..core.dice import Floats
from ..core.rules import RuleSet, leaves_choice
from ..core.state_space import state_space
from ..settings import Progress, Settings
from ..strategy.distribution import has_distribution
from ..strategy.simulation import simulate
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import GreedyPolicy, TurnEvaluator
from ..tablebase.estimates import rule_set_stats
from .evaluation import evaluate, policy_mean, policy_values
from .hold_policy import HoldRulePolicy
from .hold_rules import HoldRule
from .policy import ValueFunction
from .rule_search import learn_holds
from .strategy_sheet import PriceSheet, StrategySheet, price_figures, terms_of
from .worst_decisions import TurnSample, Visits, visited_states

# Numbers of a sheet. With more, the prices of the upper boxes are put on a line.
MAX_NUMBERS = 20
STEP = 0.1  # numbers are printed in multiples of it
# The cards of each layer that are sampled in each round, and the scale of the widths.
ROUNDS = (
    (60, 1.0),
    (60, 1.0),
    (120, 0.7),
    (200, 0.5),
)
# The estimated solve of one card of each layer. Where it takes longer, fewer cards are sampled.
SAMPLE_SECONDS = 1.2e-4
LEAST_CARDS = 8
SWEEPS = 2  # sweeps of Powell's method in a round
LEAST_GAIN = 1e-3  # points, and a sweep that gains less is the last of its round
EXACT_ROUNDS = 5  # sweeps where the exact mean itself is maximised
TINY_SECONDS = 0.02  # an estimated solve this short is evaluated rather than sampled
# The longest estimated solve of games whose sheets are compared by their exact means.
JUDGED_SECONDS = 3.0
STATED_SECONDS = 60.0  # the same for the mean that is stated
VISITED_GAMES = 6_000  # games whose states weigh the least squares and the samples
JUDGED_GAMES = 10_000  # games that judge a sheet where the exact mean takes too long
LAST_GAMES = 100_000  # games for the figure that is stated then
LENGTHS = (1.0, 0.5, 0.25)  # lengths of the step in the direction found
LONGEST_STEP = 3.0  # in widths
# Numbers used by hand are multiples of these.
PRICE_STEP = 0.5
PAR_STEP = 0.5
TERM_STEP = 1.0
# By how much a line search changes the numbers of a sheet, by trial.
PRICE_WIDTH = 0.8  # points
SAVED_ROLL_WIDTH = 0.3  # points
# The other numbers are changed by one of so many parts:
BONUS_PARTS = 16  # of the points of the upper bonus, for a bonus that is lost or secured
PAR_POINT_PARTS = 4  # of the points of the bonus for each point of its threshold
JOKER_PARTS = 200  # of the points of a joker
HAND_SWEEPS = 3  # sweeps over these numbers
HAND_GAIN = 1e-4  # points a game
FIRST_RULES = 5  # rules that the prices are rounded with
SHORTER = (5, 10)  # lengths of the shorter lists of a sheet


@dataclass(frozen=True)
class PriceFit:
    """A fitted price sheet."""

    sheet: PriceSheet  # rounded to multiples of STEP
    mean: float  # mean of the sheet, exact if `interval` is 0
    interval: float  # half the width of the 95 % interval of a simulated mean, 0 if it is exact


def fit_sheet(settings: Settings, rules: RuleSet, perfect: Table, *, seed: int = 1) -> PriceFit:
    """Fit a price sheet to a game."""
    seconds = rule_set_stats(rules).seconds

    def by_simulation(sheet: PriceSheet) -> tuple[float, Table]:
        """Return the mean of simulated games, all on the same dice.

        The values are those of perfect play.
        """
        return simulated(sheet, JUDGED_GAMES, seed, settings.threads)[0], perfect

    judge = exactly(rules, settings.threads) if seconds <= JUDGED_SECONDS else by_simulation
    report = settings.progress or no_progress
    visits = visited_states(rules, perfect, VISITED_GAMES, seed, settings.threads)
    targets = checked_part(perfect, 0, len(perfect))[visits.places]
    form = every_number(rules)
    # The upper prices of this sheet are not on a line.
    uneven = PriceSheet(rules, tuple(np.arange(len(rules.categories)) ** 2.0))
    if not leaves_choice(rules):
        # Prices change no play. They are those of the closest sheet, and the terms are free.
        prices = least_squares(form, visits, targets).prices
        form = SheetForm(rules, form.matrix[:, len(prices) :], np.array(prices))
    elif uneven.n_numbers > MAX_NUMBERS:
        form = upper_prices_on_a_line(rules)
    closest = least_squares(form, visits, targets)
    # Sums may differ in their last bits between machines, so they are rounded.
    starts = [np.round(form.numbers(sheet), 1) for sheet in (closest, with_usual_terms(closest))]
    if seconds <= TINY_SECONDS:
        numbers = _maximise(form, judge, starts, report)
    else:
        numbers = _climb(settings, form, judge, starts, seed)
    # A line stays a line if its two numbers are rounded before the prices follow from them.
    rounded = form.sheet(np.round(numbers / STEP) * STEP).rounded(STEP)
    # Adding one number to all prices changes no choice. With it they sum to the mean, as near as
    # possible.
    shift = (judge(rounded)[0] - sum(rounded.prices)) / len(rounded.prices)
    shift = round(shift / STEP) * STEP
    shifted = replace(rounded, prices=tuple(price + shift for price in rounded.prices))
    return stated(shifted.rounded(STEP), seed, settings.threads)


def stated(sheet: PriceSheet, seed: int = 1, threads: int | None = None) -> PriceFit:
    """Return a sheet with its mean, which is exact, or simulated where that would take too long."""
    if rule_set_stats(sheet.rules).seconds <= STATED_SECONDS:
        return PriceFit(sheet, exactly(sheet.rules, threads)(sheet)[0], 0.0)
    return PriceFit(sheet, *simulated(sheet, LAST_GAMES, seed + len(ROUNDS) + 1, threads))


def numbers_of(sheet: PriceSheet) -> list[float]:
    """Return the prices of a sheet and its terms, in the order of :func:`terms_of`."""
    return [*sheet.prices, *(sheet.terms[name] for name in terms_of(sheet.rules))]


def sheet_of(rules: RuleSet, numbers: Sequence[float]) -> PriceSheet:
    """Return the sheet of these numbers."""
    count = len(rules.categories)
    terms = dict(zip(terms_of(rules), numbers[count:], strict=True))
    return PriceSheet(rules, numbers[:count], terms)


class SheetForm:
    """The numbers of a sheet that are free: ``all numbers = fixed + matrix @ numbers``."""

    def __init__(self, rules: RuleSet, matrix: Floats, fixed: Floats | None = None) -> None:
        self.rules = rules
        self.matrix = matrix  # (all numbers, free numbers)
        self.count = len(rules.categories)
        self.fixed = np.zeros(len(matrix))
        if fixed is not None:
            self.fixed[: self.count] = fixed

    def sheet(self, numbers: Floats) -> PriceSheet:
        """Return the sheet of some free numbers."""
        return sheet_of(self.rules, (self.fixed + self.matrix @ numbers).tolist())

    def numbers(self, sheet: PriceSheet) -> Floats:
        """Return the free numbers of a sheet of this form."""
        return np.asarray(np.linalg.lstsq(self.matrix, numbers_of(sheet) - self.fixed)[0])

    def widths(self) -> Floats:
        """Return by how much a line search changes each free number.

        It is enough that the mean changes, and not so much that the search leaves the hill it is on.
        """
        term_widths = _term_widths(self.rules)
        widths = np.array(
            [PRICE_WIDTH] * self.count + [term_widths[name] for name in terms_of(self.rules)]
        )
        # (numbers of the sheet, free numbers): the change of the second that the first allows
        allowed = np.where(
            self.matrix, widths[:, None] / np.maximum(np.abs(self.matrix), 1), np.inf
        )
        return np.asarray(allowed.min(axis=0))


def _term_widths(rules: RuleSet) -> dict[str, float]:
    """Return by how much a line search changes each term that sheets of these rules may have."""
    widths = {"saved_roll": SAVED_ROLL_WIDTH}
    if rules.bonus:
        widths["lost"] = widths["secured"] = rules.bonus.points / BONUS_PARTS
        widths["par_point"] = rules.bonus.points / rules.bonus.threshold / PAR_POINT_PARTS
    if rules.joker:
        widths["joker_turn"] = rules.joker.bonus / JOKER_PARTS
    return widths


def every_number(rules: RuleSet) -> SheetForm:
    """Return the form in which every price and term is free."""
    return SheetForm(rules, np.eye(len(rules.categories) + len(terms_of(rules))))


def upper_prices_on_a_line(rules: RuleSet) -> SheetForm:
    """Return the form in which the price of an upper box is a + b times its face.

    Every other number is free.
    """
    matrix = np.eye(len(rules.categories) + len(terms_of(rules)))
    upper = [c for c, box in enumerate(rules.categories) if box.face]
    line = np.zeros((len(matrix), 2))  # the columns of a and b
    for c in upper:
        line[c] = (1.0, rules.categories[c].face)
    return SheetForm(rules, np.hstack([line, np.delete(matrix, upper, axis=1)]))


def with_usual_terms(sheet: PriceSheet) -> PriceSheet:
    """Return the sheet with the terms that fitted sheets of most games have, about.

    It is another place to start from.
    """
    bonus = sheet.rules.bonus
    joker = sheet.rules.joker
    terms = {"saved_roll": 4.0, "joker_turn": 0.04 * joker.bonus if joker else 0.0}
    if bonus:
        terms |= {"lost": -0.3 * bonus.points, "secured": 0.4 * bonus.points}
        terms["par_point"] = 2.5 * bonus.points / bonus.threshold
    return PriceSheet(
        sheet.rules, sheet.prices, {name: terms[name] for name in terms_of(sheet.rules)}
    )


def least_squares(form: SheetForm, visits: Visits, targets: Floats) -> PriceSheet:
    """Return the sheet that comes closest to the values of some states.

    Each state is weighted with its visits.
    """
    space = visits.space
    filled = space.filled[visits.rows]
    table = np.zeros(space.size)
    layers = [
        np.unique(visits.rows[filled == k]) for k in range(space.first_layer, space.categories)
    ]

    def values(sheet: PriceSheet) -> Floats:
        sheet.write_values(table, space, layers)
        return table[visits.places]

    # Values are linear in the numbers. They are those of the fixed numbers, plus a column for each free
    # number.
    n_free = form.matrix.shape[1]
    without_fixed = SheetForm(form.rules, form.matrix)
    columns = [values(without_fixed.sheet(unit)) for unit in np.eye(n_free)]
    rest = targets - values(form.sheet(np.zeros(n_free)))
    weights = np.sqrt(visits.counts)
    numbers = np.linalg.lstsq(np.column_stack(columns) * weights[:, None], rest * weights)[0]
    return form.sheet(np.asarray(numbers, dtype=np.float64))


# Gives the mean of a sheet, and values of states, for the samples of turns.
Judge = Callable[[PriceSheet], tuple[float, Table]]
Point = tuple[float, Floats]  # the value of a function, and where it has that value


def no_progress(done: int, total: int) -> None:
    """Report to nobody."""


def exactly(rules: RuleSet, threads: int | None) -> Judge:
    """Return a judge of sheets by their exact mean. The values are those of the sheet."""

    def judge(sheet: PriceSheet) -> tuple[float, Table]:
        values = policy_values(GreedyPolicy(rules, sheet.values()), threads=threads)
        return float(values[-1]), values

    return judge


def simulated(sheet: PriceSheet, games: int, seed: int, threads: int | None) -> tuple[float, float]:
    """Return the mean of simulated games on a sheet, and half the width of its 95 % interval."""
    strategy = Strategy(sheet.rules, None, TurnEvaluator(sheet.rules, sheet.values()))
    result = simulate(strategy, games, seed, threads=threads)
    return result.mean, 1.96 * result.standard_error


def _climb(
    settings: Settings, form: SheetForm, judge: Judge, starts: list[Floats], seed: int
) -> Floats:
    """Return free numbers with at least the mean of the best start, in rounds of samples of turns."""
    threads = settings.threads
    report = settings.progress or no_progress
    rules = form.rules
    # The best start has the highest mean. The values are those that the judge gives its states.
    judged = [(*judge(form.sheet(start)), start) for start in starts]
    mean, values, numbers = max(judged, key=lambda entry: entry[0])
    for number, (most_cards, scale) in enumerate(ROUNDS):
        report(number, len(ROUNDS))
        round_seed = seed + 1 + number
        visits = visited_states(
            rules, form.sheet(numbers).values(), VISITED_GAMES, round_seed, threads
        )
        cards = _cards_of_sample(rules, most_cards)
        sample = TurnSample(visits, cards, values, round_seed, threads)

        def loss(tried: Floats, sample: TurnSample = sample) -> float:
            return -sample.mean(form.sheet(tried))

        start = numbers
        direction = descend(loss, start, scale * form.widths(), SWEEPS)[0] - start
        for length in LENGTHS:
            tried = start + length * direction
            tried_mean, tried_values = judge(form.sheet(tried))
            if tried_mean > mean:
                numbers = tried
                mean = tried_mean
                values = tried_values
                break
    report(len(ROUNDS), len(ROUNDS))
    return numbers


def _cards_of_sample(rules: RuleSet, most_cards: int) -> int:
    """Return the cards of each layer that a sample takes, fewer in a game whose turns cost more."""
    layers = state_space(rules).layers
    # the estimated solve of one card of each layer
    seconds = rule_set_stats(rules).seconds / sum(map(len, layers)) * len(layers)
    affordable = round(most_cards * min(1.0, SAMPLE_SECONDS / seconds))
    return max(min(LEAST_CARDS, most_cards), affordable)


def _maximise(form: SheetForm, judge: Judge, starts: list[Floats], report: Progress) -> Floats:
    """Return free numbers with a higher mean than the starts, by the mean itself."""

    def loss(tried: Floats) -> float:
        return -judge(form.sheet(tried))[0]

    lowest: list[Point] = []  # from each start
    steps = EXACT_ROUNDS * len(starts)
    for number, point in enumerate(starts):
        for sweep in range(EXACT_ROUNDS):
            report(number * EXACT_ROUNDS + sweep, steps)
            widths = form.widths() * 4 * 0.5**sweep  # wide at first, then half as wide each time
            point, value = descend(loss, point, widths, SWEEPS, LEAST_GAIN)
        lowest.append((value, point))
    report(steps, steps)
    return min(lowest, key=lambda entry: entry[0])[1]


def descend(
    function: Callable[[Floats], float],
    start: Floats,
    widths: Floats,
    sweeps: int,
    least_gain: float = 0.0,
) -> tuple[Floats, float]:
    """Return a point with a lower value of a function, and that value.

    The method is Powell's (The Computer Journal 7, 1964).
    """
    # The points of a parabola are a width apart, because a mean is a sum of many small steps.
    directions = np.diag(widths)
    value = function(start)
    point = start
    for _ in range(sweeps):
        value_before = value
        point_before = point
        gains = list[float]()
        for direction in directions:
            lower, point = _along(function, (value, point), direction)
            gains.append(value - lower)
            value = lower
        if value_before - value <= least_gain:
            break
        step = point - point_before  # of the whole sweep
        value_beyond = function(point + step)
        if value_beyond < value:
            value = value_beyond
            point = point + step
        # This step replaces the direction that gained most, and comes last. So the directions become
        # conjugate.
        directions[int(np.argmax(gains))] = directions[-1]
        directions[-1] = step
    return point, value


def _along(function: Callable[[Floats], float], best: Point, direction: Floats) -> Point:
    """Return the lowest of a point, its neighbours in a direction and the vertex of their parabola."""
    value, point = best
    up = function(point + direction)
    down = function(point - direction)
    points = [best, (up, point + direction), (down, point - direction)]
    curvature = up - 2 * value + down
    if curvature > 0:
        step = float(np.clip((down - up) / (2 * curvature), -LONGEST_STEP, LONGEST_STEP))
        vertex = point + step * direction
        points.append((function(vertex), vertex))
    return min(points, key=lambda entry: entry[0])


def hand_prices(
    settings: Settings,
    prices: PriceSheet,
    holds: Sequence[HoldRule],
    *,
    report: Callable[[str], None] | None = None,
) -> PriceSheet:
    """Return the best sheet of round numbers near a sheet.

    Each number is improved while the exact mean rises.
    """
    rules = prices.rules
    term_steps = {"par_point": PAR_STEP, "joker_turn": PAR_STEP}
    steps = [PRICE_STEP] * len(prices.prices)
    steps += [term_steps.get(name, TERM_STEP) for name in terms_of(rules)]
    numbers = tuple(
        round(number / step) * step + 0.0
        for number, step in zip(numbers_of(prices), steps, strict=True)
    )

    def moved(i: int, step: float) -> tuple[float, ...]:
        return (*numbers[:i], numbers[i] + step, *numbers[i + 1 :])

    @cache
    def mean(tried: tuple[float, ...]) -> float:
        policy = HoldRulePolicy(holds, sheet_of(rules, tried))
        return policy_mean(policy, threads=settings.threads)

    for sweep in range(HAND_SWEEPS):
        before = numbers
        for i in reversed(range(len(numbers))):  # the numbers of the bonus first
            for step in (steps[i], -steps[i]):
                while mean(moved(i, step)) > mean(numbers) + HAND_GAIN:
                    numbers = moved(i, step)
        if report:
            report(f"round prices, sweep {sweep + 1}: mean {mean(numbers):.3f}")
        if numbers == before:
            break
    return sheet_of(rules, numbers)


def learn_sheet(
    settings: Settings,
    strategy: Strategy,
    hold_rules: int = 0,
    *,
    seed: int = 1,
    report: Callable[[str], None] | None = None,
) -> StrategySheet:
    """Find a strategy that a person can play.

    It has at most `hold_rules` hold rules, and prices alone for 0.
    """
    rules = strategy.rules
    perfect_mean = strategy.value()
    fit = fit_sheet(settings, rules, strategy.table, seed=seed)
    if not hold_rules:
        return StrategySheet(
            rules, fit.sheet, (), price_figures(perfect_mean, fit.mean, fit.interval)
        )
    how: dict[str, Any] = {"seed": seed, "report": report}
    first = learn_holds(settings, fit.sheet, min(FIRST_RULES, hold_rules), sizes=(), **how)
    prices = hand_prices(settings, fit.sheet, first.holds, report=report)
    last = learn_holds(settings, prices, hold_rules, perfect=strategy.table, sizes=SHORTER, **how)
    rounded = stated(prices, seed, settings.threads)
    shorter = {size: (learned.holds, learned.figures) for size, learned in last.shorter.items()}
    figures = price_figures(perfect_mean, rounded.mean, rounded.interval) | last.figures
    return StrategySheet(rules, rounded.sheet, last.holds, figures, shorter)


def losses_by_turn(settings: Settings, sheet: StrategySheet) -> tuple[float, ...]:
    """Return the expected points that a sheet gives away in each turn, exactly."""
    stored = sheet.figures.get("losses_by_turn")
    if stored:
        return tuple(stored)
    if not has_distribution(sheet.rules):
        return ()
    policy: HoldRulePolicy | ValueFunction
    if sheet.holds:
        policy = HoldRulePolicy(sheet.holds, sheet.prices)
    else:
        policy = ValueFunction(sheet.rules, sheet.prices.values())
    losses = evaluate(
        policy, tables=settings.tables, threads=settings.threads, progress=settings.progress
    ).losses
    return tuple(losses.by_turn.tolist()) if losses else ()


def with_turn_losses(settings: Settings, sheet: StrategySheet) -> StrategySheet:
    """Return the sheet with the figure ``losses_by_turn`` of each of its lists.

    It has it if the rules have an exact distribution.
    """

    def loss_figures(of_list: StrategySheet) -> dict[str, Any]:
        """Return the figure of a sheet with one of the lists, by its name."""
        losses = losses_by_turn(settings, of_list)
        rounded = [round(loss, 4) + 0.0 for loss in losses]  # + 0.0: no negative zero
        return {"losses_by_turn": rounded} if losses else {}

    shorter = {
        size: (holds, dict(stated) | loss_figures(sheet.with_rules(size)))
        for size, (holds, stated) in sheet.shorter.items()
    }
    return replace(sheet, figures={**sheet.figures, **loss_figures(sheet)}, shorter=shorter)
