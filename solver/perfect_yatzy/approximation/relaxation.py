"""Solve the relaxation of a rule set, and find its bound.

    relaxation = relax(rules)
    relaxation.bound                                              no strategy scores more
    relaxation.game.offset(...) + relaxation.values[relaxation.game.index(...)]    the same for any state

Every card has a value of its own. To remember less of the cards that play rarely visits would raise
the bound, because the best play of the relaxed game then visits those cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from math import log2
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.lattice import kernel_lattice
from ..core.resources import ScratchPool, thread_count, thread_map
from ..core.rules import RuleSet, chains
from ..core.state_space import ONE_WORD, card_masks
from ..core.table_slices import PADDING, TableSlice
from ..core.turn import SolveJob, make_scratch, solve_rows
from ..errors import RulesError
from . import approximate_cost as costs
from .multipliers import (
    Prices,
    Progress,
    dot,
    minimise,
    optimal_prices,
    split_variables,
    touching_sum,
)
from .relaxed_game import EMPTY_ROW, Levels, RelaxedGame, intercept, required_exact, tracked_exact
from .turn_visits_kernel import VisitJob, visit_row, visit_scratch

ROWS_PER_TASK = 8  # rows a thread follows at a time
SOLVED_ROWS = 16  # rows a thread solves at a time
UNIT_ROUNDOFF = 2.0**-53
# The least chance of a row for play to be followed. The certificate does not depend on it.
LEAST_CHANCE = 1e-7
TOLERANCE = 2e-5  # share of the bound at which an iteration ends
LEVEL_TOLERANCE = 5e-5  # share of the bound, which is 0.1 points for Giant Yatzy

Chain = tuple[int, ...]
# Takes what is being done, and about the share of all work that is done.
Report = Callable[[str, float], None]


def solve_relaxed(
    game: RelaxedGame, *, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """Return W of every state of a relaxed game."""
    dice = lattice(game.rules.dice, game.rules.faces)
    passes = kernel_lattice(dice)
    values = np.zeros(game.size + PADDING)
    table = TableSlice(values, 0)
    pool = ScratchPool(lambda: make_scratch(dice, game.models[0]))
    row_count = sum(map(len, game.rows_in_layer))
    done = 0  # rows that are solved

    def solve(rows: Ints, status: int, most_saved: int) -> None:
        """Solve some rows of one layer and one status."""
        with pool.borrow() as scratch:
            solve_rows(
                rows, SolveJob(game.models[status], passes, table, table, most_saved, scratch)
            )

    for row in game.rows_in_layer[game.turns].tolist():
        row_values = game.full_card_values(row)
        first = int(game.layout.offsets[row])
        values[first : first + len(row_values)] = row_values
    with thread_map(thread_count(threads), "yatzy-relaxed") as in_threads:
        for turn in range(game.turns - 1, -1, -1):
            rows = game.rows_in_layer[turn]
            statuses = game.status(rows)
            for status in range(len(game.models)):  # each has its own outcomes
                same = rows[statuses == status]
                tasks = [same[i : i + SOLVED_ROWS] for i in range(0, len(same), SOLVED_ROWS)]
                # This waits for all tasks.
                list(in_threads(solve, tasks, repeat(status), repeat(int(game.most_saved[turn]))))
            done += len(rows)
            if progress:
                progress(done / row_count)
    return values[: game.size]


def rounding_error(game: RelaxedGame, values: Floats) -> float:
    """Return an upper bound of the rounding error of `game.offset` + W, in points.

    The kernels compute with float64. With the unit roundoff ``u = 2^-53`` every operation has a
    relative error of at most u. A turn takes convex combinations and maxima of numbers of at most
    M, so an error neither grows nor cancels from one turn to the next, and with n operations one
    after another in a turn

        |computed W - exact W| <= turns * n * u / (1 - n u) * M

    (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section
    3.1).
    """
    rules = game.rules
    rolls = rules.rolls_per_turn + int(game.most_saved.max())
    # These are the most rounded operations one after another from the values of the children to that
    # of a card. Scoring adds points less a price, rounded themselves (6, with the line above a bonus).
    # Each die of each reroll is a sum over the faces and a product (faces + 1, for 1 / faces too). The
    # mean of the first roll is a sum of products in four parts with rounded weights (rolls / 4 + 8).
    grid = lattice(rules.dice, rules.faces)
    in_turn = 6 + (rolls - 1) * rules.dice * (rules.faces + 1) + (grid.n_rolls + 3) // 4 + 8
    operations = in_turn + len(rules.categories)  # n, as the offset adds a price of each box
    relative = operations * UNIT_ROUNDOFF / (1 - operations * UNIT_ROUNDOFF)
    points = max(float(np.abs(model.outcomes.points).max()) for model in game.models)
    lines = zip(rules.bonuses, game.slopes.tolist(), strict=True)
    on_lines = sum(abs(intercept(bonus, slope)) + slope * bonus.threshold for bonus, slope in lines)
    first_roll = float(game.models[0].outcomes.first_roll_bonus.max(initial=0.0))
    largest_value = float(np.abs(values).max())
    prices = float(np.abs(game.prices).sum())
    largest = largest_value + 2 * points + first_roll + on_lines + prices  # M
    return float((game.turns + 1) * relative * 1.01 * largest)


def upper_bound(game: RelaxedGame, values: Floats) -> float:
    """Return a number of points that no strategy exceeds in the mean.

    It is the value of the relaxed game from the empty card on and its rounding error, rounded up.
    `values` are those of :func:`solve_relaxed`.
    """
    empty = card_masks(game.rules, [0])
    zero = np.zeros(1, dtype=np.int64)  # the upper sum, the saved rolls, the tracked box
    total = float((game.offset(empty, zero) + values[game.index(empty, zero, zero, zero)])[0])
    return float(np.nextafter(total + rounding_error(game, values), np.inf))


class _TurnChances(NamedTuple):
    """What follows a turn, with its chances."""

    rows: Ints  # (children,): row of each child, which may occur several times
    places: Ints  # (children,): its place in the table
    chances: Floats  # (children,): its chance
    of_outcomes: Floats  # (outcomes,): chance of each outcome


class _Play:
    """The best policy at the cards of one status.

    Outcomes are grouped by the step to the child and the shift.
    """

    def __init__(self, game: RelaxedGame, status: int, table: TableSlice, chance: Floats) -> None:
        self.game = game
        self.model = game.models[status]
        self.table = table
        self.chance = chance
        self.boxes = game.boxes(status)  # the box that each outcome fills
        outcomes = self.model.outcomes
        pairs, group = np.unique(
            np.stack([outcomes.step, outcomes.shift]), axis=1, return_inverse=True
        )
        self.step, self.shift = pairs  # step and shift of each group
        self.order = np.argsort(group, kind="stable")  # the outcomes, sorted by group
        # where each group begins in this order
        self.starts = np.searchsorted(group[self.order], np.arange(len(self.step)))
        # the points of each outcome, without the price
        self.points = outcomes.points + game.prices[self.boxes]
        self.used = np.zeros((game.turns, len(self.boxes)))  # chance of each outcome, by turn
        self._scratch = ScratchPool(
            partial(visit_scratch, lattice(game.rules.dice, game.rules.faces), self.model)
        )

    def turn(self, rows: Ints) -> _TurnChances:
        """Return what follows one turn from some rows."""
        layout = self.game.layout
        total = np.zeros(len(self.boxes))
        children = list[Ints]()
        places = list[Ints]()
        chances = list[Floats]()
        with self._scratch.borrow() as scratch:
            for row in rows:
                lane_set = layout.lane_sets[row]
                # (outcomes, lanes): the chances, which the kernel writes
                by_outcome = np.zeros((len(self.boxes), int(layout.lane_count[lane_set])))
                visit_row(
                    row, VisitJob(self.model, self.table, self.chance, by_outcome.ravel(), scratch)
                )
                total += by_outcome.sum(axis=1)
                by_group = np.add.reduceat(by_outcome[self.order], self.starts)  # (groups, lanes)
                group, lane = np.nonzero(by_group)
                child = row + self.step[group]
                upper = layout.lane_upper[lane_set, lane] + self.shift[group]
                children.append(child)
                places.append(
                    layout.offsets[child] + layout.lane_of[layout.lane_sets[child], upper]
                )
                chances.append(by_group[group, lane])
        return _TurnChances(
            np.concatenate(children), np.concatenate(places), np.concatenate(chances), total
        )


def visits(
    game: RelaxedGame, values: Floats, *, threads: int | None = None
) -> tuple[Floats, Floats]:
    """Return what best play of the relaxed game does.

    It is the chance that each turn fills each box, ``(turns, categories)``, and the expected upper
    sums, ``(bonuses,)``. Bonuses of the first roll are left out of the turns, and a joker bonus
    counts as points of its box. ``_Relaxing.refined`` can use both as a direction in which to
    change the prices, since any prices give a bound.
    """
    if game.rules.saved_rolls:
        raise ValueError("play is followed only without saved rolls")
    rules = game.rules
    table = TableSlice(np.concatenate([values, np.zeros(PADDING)]), 0)
    table.values.flags.writeable = False
    chance_of_row = np.zeros(game.n_rows)  # the chance of each row
    chance = np.zeros(game.size)  # the chance of each state
    chance_of_row[EMPTY_ROW] = 1.0
    chance[game.layout.offsets[EMPTY_ROW]] = 1.0
    plays = [_Play(game, status, table, chance) for status in range(len(game.models))]
    with thread_map(thread_count(threads), "yatzy-visits") as in_threads:
        for played in range(game.turns):
            layer = game.rows_in_layer[played]
            rows = layer[chance_of_row[layer] > LEAST_CHANCE]
            statuses = game.status(rows)
            for status, play in enumerate(plays):
                same = rows[statuses == status]
                tasks = [same[i : i + ROWS_PER_TASK] for i in range(0, len(same), ROWS_PER_TASK)]
                # They are added in the order of the rows, so that the sums do not depend on the
                # threads.
                for turn in in_threads(play.turn, tasks):
                    np.add.at(chance, turn.places, turn.chances)
                    np.add.at(chance_of_row, turn.rows, turn.chances)
                    play.used[played] += turn.of_outcomes
    uses = np.zeros((game.turns, len(rules.categories)))
    upper = np.zeros(len(rules.bonuses))
    for play in plays:
        for c, box in enumerate(rules.categories):
            in_box = play.boxes == c  # which outcomes fill it
            uses[:, c] += play.used[:, in_box].sum(axis=1)
            if box.upper and rules.bonus:
                points = float(dot(play.used[:, in_box].sum(axis=0), play.points[in_box]))
                # The points are those without the slope of the line.
                upper[box.column] += points / (1.0 + game.slopes[box.column])
    return uses, upper


def coarse_levels(game: RelaxedGame, values: Floats, tolerance: float) -> list[Ints]:
    """Return the upper sums that end a level of nearly equal values.

    There is an array for each set of filled upper boxes.
    """
    # Levels by how often play visits their states would be fewer, but the relaxed game exploits them.
    # It crosses out upper boxes to reach a sum that is rounded up by far (for Giant Yatzy the bound
    # rose by 30 points).
    layout = game.layout
    levels = []
    rows = np.flatnonzero(game.occurs)
    sets = layout.lane_sets[rows]
    for lane_set, count in enumerate(layout.lane_count.tolist()):
        same = rows[sets == lane_set]
        ends = []
        if len(same):
            # (rows, lanes): the values without saved rolls
            table = values[layout.offsets[same][:, None] + np.arange(count)]
            low = 0  # first lane of the level
            for lane in range(1, count):
                if float((table[:, lane] - table[:, low]).max()) > tolerance:
                    ends.append(lane - 1)
                    low = lane
        levels.append(layout.lane_upper[lane_set, [*ends, count - 1]])
    return levels


@dataclass(frozen=True)
class Budget:
    """What a relaxation may take. The bound depends on it, and not on the speed of the machine."""

    # operations (:mod:`.approximate_cost`), of which two threads do 2.5e10 to 5e10 a second
    work: float = 12e12
    memory: int = costs.BOUND_MEMORY  # bytes
    boxes: int | None = None  # most further exact boxes, or chains of boxes, None for no limit


@dataclass(frozen=True)
class Relaxation:
    """A solved relaxed game."""

    game: RelaxedGame
    values: Floats  # (game.size,) float64: W
    # certified upper bound of the expected final score from the empty card, rounded up
    bound: float
    work: float  # operations it took
    speed: float  # operations a second of its last solve


def relax(
    rules: RuleSet,
    budget: Budget | None = None,
    *,
    report: Report | None = None,
    threads: int | None = None,
) -> Relaxation:
    """Solve a relaxation of a rule set.

    Raises RulesError if even the boxes that have to be exact have too many cards.
    """
    return _Relaxing(rules, budget or Budget(), report or (lambda stage, done: None), threads).run()


class _Relaxing:
    """The stages of a relaxation, and what is left of its budget."""

    def __init__(self, rules: RuleSet, budget: Budget, report: Report, threads: int | None) -> None:
        self.rules = rules
        self.budget = budget
        self.threads = threads
        self.report = report
        self.work = budget.work
        self.prices: Prices
        self.exact: tuple[int, ...] = ()
        self.column = -1  # the column whose upper sum is remembered, -1 for none
        self.levels: Levels | None = None
        self.speed = 0.0  # operations a second of the last solve
        self.expected = costs.relaxation_work(rules, budget.work, budget.memory, budget.boxes)

    def run(self) -> Relaxation:
        """Return the last relaxed game, solved."""
        # First come the boxes that are exact in any case, and the prices. The upper sum is left out
        # if that is too much work.
        self.exact, self.column = required_exact(self.rules)
        self.prices = optimal_prices(self.rules, self.lines(), self.progress("prices"))
        if self.column >= 0 and not self.affordable(self.exact):
            self.exact = tracked_exact(self.rules)
            self.column = -1
            self.prices = optimal_prices(self.rules, self.lines(), self.progress("prices"))
        game = self.refined(self.game(self.exact))
        further = self.order_of_gain()[: self.budget.boxes]
        with_all = self.affordable(sum(further, self.exact))
        if with_all:
            game = self.refined(with_all)
            values = self.solve(game, "bound")
        else:
            if self.column >= 0 and not self.rules.saved_rolls:
                values = self.solve(game, "upper sums")
                tolerance = LEVEL_TOLERANCE * upper_bound(game, values)
                self.levels = coarse_levels(game, values, tolerance)
            game = self.largest(further)
            values = self.solve(game, f"{len(game.exact)} exact boxes")
        return Relaxation(
            game, values, upper_bound(game, values), self.budget.work - self.work, self.speed
        )

    def order_of_gain(self) -> list[Chain]:
        """Return the chains that are not exact yet.

        Those come first that lower the bound most for the cards they cost.

        Gains are measured with the required boxes exact if that is cheap, and again after each box
        that is taken, because boxes that pay for the same rolls take gain from each other.
        """
        prices = self.prices
        column = self.column
        work = costs.ORDERING_SHARE * self.work
        progress = self.progress("boxes")

        def game(boxes: tuple[int, ...]) -> RelaxedGame:
            return RelaxedGame(self.rules, boxes, prices.prices, column, prices.slopes)

        def bound(relaxed: RelaxedGame) -> float:
            return upper_bound(relaxed, solve_relaxed(relaxed, threads=self.threads))

        left = [
            chain
            for chain in chains(self.rules)
            if not {*chain} & {*self.exact} and len(self.exact) + len(chain) <= ONE_WORD
        ]
        exact = self.exact  # exact boxes of the game to which each chain is added in turn
        if costs.solve_work(game(exact)) * 2 * len(left) > work / 2:
            exact = tracked_exact(self.rules)
            column = -1  # from here on the games remember no upper sum
        taken: list[Chain] = []
        while left and len(exact) + max(map(len, left)) <= ONE_WORD:
            games = [game(exact + chain) for chain in left]
            cost = sum(map(costs.solve_work, games))
            if taken and cost > work:
                break
            work -= cost
            before = bound(game(exact))
            gains = {}
            for chain, with_chain in zip(left, games, strict=True):
                # A chain of n boxes multiplies the cards by n + 1, as log2(n + 1) boxes would. So
                # the gain is divided by that.
                gains[chain] = (before - bound(with_chain)) / log2(len(chain) + 1)
            best, *left = sorted(left, key=lambda chain: (-gains[chain], chain))
            taken.append(best)
            exact += best
            progress(len(taken) / (len(taken) + len(left)))
        return [*taken, *left]

    def largest(self, further: Sequence[Chain]) -> RelaxedGame:
        """Return the game with as many further exact boxes, in this order, as the budget allows."""
        game = self.game(self.exact)
        exact = self.exact
        for chain in further:
            exact += chain
            larger = self.affordable(exact)
            if larger is None:
                break
            game = larger
        return game

    def progress(self, stage: str, work: float = 0.0) -> Progress:
        """Return a callback for one stage, which takes the fraction of it that is done."""
        before = self.budget.work - self.work
        return lambda done: self.report(stage, min(0.999, (before + done * work) / self.expected))

    def game(self, exact: tuple[int, ...]) -> RelaxedGame:
        """Return the relaxed game with these exact boxes, at the prices so far."""
        prices = self.prices
        return RelaxedGame(
            self.rules, exact, prices.prices, self.column, prices.slopes, self.levels
        )

    def solve(self, game: RelaxedGame, stage: str) -> Floats:
        """Return W. The budget pays for the work."""
        work = costs.solve_work(game)
        began = perf_counter()
        values = solve_relaxed(game, threads=self.threads, progress=self.progress(stage, work))
        self.work -= work
        self.speed = work / (perf_counter() - began)
        return values

    def lines(self) -> list[int]:
        """Return the bonuses whose sum is not remembered, which a line replaces."""
        return [b for b in range(len(self.rules.bonuses)) if b != self.column]

    def affordable(self, exact: tuple[int, ...]) -> RelaxedGame | None:
        """Return the game with these exact boxes and all rows, or None beyond the budget."""
        most_bytes = self.budget.memory / 2
        if costs.layout_bytes(self.rules, exact) > most_bytes:
            return None
        try:
            game = self.game(exact)
        except RulesError:  # it has too many rows or exact boxes
            return None
        fits = costs.solve_work(game) <= self.work and costs.VALUE_BYTES * game.size <= most_bytes
        return game if fits else None

    def refined(self, game: RelaxedGame) -> RelaxedGame:
        """Return the game with better prices, which become those of all later games.

        The game stays as it is unless it is small enough to be solved many times.
        """
        work_of_call = costs.solve_work(game) + costs.visits_work(game)
        calls = costs.refining_calls(self.work, work_of_call)
        if not calls or not game.members or self.rules.saved_rolls:
            return game
        before = self.prices
        lines = self.lines()

        def bound(variables: Floats) -> tuple[float, Floats]:
            """Return the bound with these prices and slopes, and its gradient."""
            self.prices = split_variables(self.rules, lines, variables, value=0.0)
            tried = self.game(game.exact)  # takes these prices
            values = solve_relaxed(tried, threads=self.threads)
            uses, upper = visits(tried, values, threads=self.threads)
            touching = [touching_sum(self.rules.bonuses[b], self.prices.slopes[b]) for b in lines]
            gradient = np.concatenate([1.0 - uses.sum(axis=0), upper[lines] - np.array(touching)])
            return upper_bound(tried, values), gradient

        minimum = minimise(
            bound,
            np.concatenate([before.prices, before.slopes[lines]]),
            len(before.prices),
            tolerance=TOLERANCE * abs(before.value),
            evaluations=calls,
            progress=self.progress("prices", calls * work_of_call),
        )
        self.work -= minimum.evaluations * work_of_call
        self.prices = split_variables(self.rules, lines, minimum.point, minimum.value)
        return self.game(game.exact)
