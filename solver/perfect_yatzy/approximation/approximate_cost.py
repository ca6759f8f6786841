"""Estimate what an approximate solution costs before it is begun: the work of its stages.

It is the same on every machine.

    bound        solves of relaxed games: better prices, the order of the boxes, the last and largest game
    relaxation   the same with less work and at most BASELINE_BOXES further exact boxes
    fit          in each round games are played, and all states of this and earlier rounds are backed up and fitted
    simulation   games

Work is counted in operations of a turn (:mod:`..tablebase.estimates`). A bound is limited by their
number, so that it can be repeated. Before the boxes are chosen the estimate takes any, each of which
multiplies the cards by the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from ..core.lanes import ceil_div
from ..core.rules import RuleSet, chains
from ..core.state_space import LANES
from ..errors import RulesError
from ..game.maximum_score import maximum_score
from ..tablebase.estimates import (
    LANE_OPERATIONS_PER_SECOND,
    rule_set_stats,
    turn_operations,
)
from .relaxed_game import RelaxedLayout, required_exact, tracked_exact

GAMES = 20_000  # games of the simulation
FIT_GAMES = 6_000  # games of the last round of the fit
ROUNDS = 4  # rounds of the fit
MIN_GAMES = 64  # fewest games of a round
BOUND_WORK = 30e12  # most operations for the bound
BOUND_MEMORY = 1 << 30  # most bytes for the bound
BASELINE_WORK = 5e12  # most operations for the small relaxed game
BASELINE_MEMORY = 512 << 20  # most bytes for it
BASELINE_BOXES = 6  # most further exact boxes of it

REFINING_SHARE = 0.15  # share of the work of a relaxation for better prices
REFINING_CALLS = 60  # most calls for better prices
LEAST_CALLS = 10  # fewest calls for better prices, or none
ORDERING_SHARE = 0.05  # share of the work for the order of the boxes
INDEXED = 1.5  # turns with index arrays take so many times as long as with straight-line code
# Following play takes so many times as long as the backup of the same block. It takes the turn and
# its transpose.
VISITS = 3.0
VISIT_OPERATIONS = 3e6  # operations for each row in addition, mostly of interpreted code

ROW_BYTES = 40  # bytes of the arrays of a layout for each row
VALUE_BYTES = 8  # bytes of a value of a relaxed game, float64
# Operations of a solve for each row in addition. It is interpreted code, which no limit counts.
ROW_OPERATIONS = 1e5
GAME_OPERATIONS = 5e8  # operations to build a relaxed game, which no limit counts either
# What VISIT_OPERATIONS are in truth. A limit that changed would change the bounds.
VISITED_ROW = 8e5
CALLS = 0.6  # share of the calls for better prices that are made before they are good enough


def layout_bytes(rules: RuleSet, exact: Sequence[int]) -> float:
    """Return the memory of the arrays of a layout with these exact boxes, while they are built."""
    cards = 1.0
    for chain in chains(rules):
        if set(chain) <= set(exact):
            cards *= len(chain) + 1
    flags = 2 if rules.tracked_index >= 0 else 1
    # From none to all boxes of the class are filled.
    return ROW_BYTES * cards * flags * (len(rules.categories) - len(exact) + 1)


def solve_work(game: RelaxedLayout) -> float:
    """Return the operations of a solve."""
    # of each row: the rolls of a turn, relative to one without saved rolls, and its vectors
    rolls = 1.0 + game.most_saved[game.turns_played] / game.rules.rolls_per_turn
    vectors = ceil_div(game.layout.lane_count, LANES)[game.layout.lane_sets]
    blocks = float((vectors * rolls)[game.occurs].sum())
    return INDEXED * turn_operations(game.rules, LANES * blocks, 0)


def visits_work(game: RelaxedLayout) -> float:
    """Return the operations to follow the best policy from the empty card."""
    return float(VISITS * solve_work(game) + VISIT_OPERATIONS * int(game.occurs.sum()))


def refining_calls(work: float, work_of_call: float) -> int:
    """Return how often a relaxed game is solved for better prices.

    Each call takes `work_of_call` operations of `work` in all. The result is 0 if there is no work
    for enough calls.
    """
    if not work_of_call:
        return 0
    calls = min(REFINING_CALLS, int(REFINING_SHARE * work / work_of_call))
    return calls if calls >= LEAST_CALLS else 0  # fewer are not worth it


class _Size(NamedTuple):
    """What the work for a relaxed game depends on."""

    solve: float  # operations of a solve
    rows: float  # number of rows
    values: float  # number of values
    free: int  # boxes of the class, which are not exact

    @classmethod
    def of(cls, game: RelaxedLayout) -> _Size:
        return cls(solve_work(game), float(game.occurs.sum()), float(game.size), len(game.members))

    def in_all(self, times: float = 1.0) -> float:
        """Return all operations of a solve with `times` as many rows.

        Those that no limit counts are included.
        """
        return times * self.solve + ROW_OPERATIONS * (times * self.rows) + GAME_OPERATIONS

    def refining(self, rules: RuleSet, left: float) -> float:
        """Return the operations for better prices, with `left` operations until the limit.

        They are 0 if there is no time for better prices.
        """
        if rules.saved_rolls or not self.free:
            return 0.0
        # The operations of a call: those that the limit counts, and those that it really takes.
        counted = (1 + VISITS) * self.solve + VISIT_OPERATIONS * self.rows
        actual = VISITS * self.solve + VISITED_ROW * self.rows + self.in_all()
        return CALLS * refining_calls(left, counted) * actual


def _ordering_work(game: _Size, free: int, count: int, most: float) -> float:
    """Return the operations to bring `count` chains of one box in the order of their gain.

    The chains are taken one after another from a class of `free` boxes. Before each, the gain of
    every chain that is left is measured: by a solve of `game` with that chain and those taken. A
    share of `most` limits the operations.
    """
    counted = 0.0  # operations that the limit counts
    work = 0.0  # all operations
    for taken in range(count):
        left = count - taken
        # The rows of such a game, relative to those of `game`: each exact box doubles the cards,
        # and the class has fewer boxes.
        times = (2 << taken) * (free - taken) / (free + 1)
        counted += left * times * game.solve
        if taken and counted > ORDERING_SHARE * most:
            break
        work += left * game.in_all(times)
    return work


def relaxation_work(rules: RuleSet, most: float, memory: int, boxes: int | None = None) -> float:
    """Return about how many operations a relaxation takes that is limited to so many.

    Those that no limit counts are included.
    """
    # The steps are those of :meth:`.relaxation._Relaxing.run`: better prices, the order of the
    # boxes, and further exact boxes as long as the game is within the limits.
    without_sum = RelaxedLayout(rules, tracked_exact(rules), -1)
    game = without_sum
    exact, column = required_exact(rules)
    if layout_bytes(rules, exact) <= memory / 2:
        with_sum = RelaxedLayout(rules, exact, column)
        if solve_work(with_sum) <= most:
            game = with_sum
    size = _Size.of(game)
    left = [chain for chain in chains(rules) if not set(chain) & set(game.exact)]
    # Gains are measured without the upper sum if that is costly with it.
    is_costly = 2 * len(left) * size.solve > ORDERING_SHARE * most / 2
    measured = _Size.of(without_sum) if is_costly else size
    spent = size.refining(rules, most) + _ordering_work(measured, size.free, len(left), most)
    wanted = left[:boxes]
    for chain in wanted:
        affordable = most - min(spent, most / 5)
        free = size.free - len(chain)
        times = (len(chain) + 1) * (free + 1) / (size.free + 1)  # ratio of the rows to those so far
        larger = _Size(times * size.solve, times * size.rows, times * size.values, free)
        if larger.solve > affordable or VALUE_BYTES * larger.values > memory / 2:
            break
        size = larger
        if chain == wanted[-1]:  # all are exact, so there is time for better prices
            spent += size.refining(rules, affordable)
    return spent + size.in_all()


def played_games(games: int, rounds: int) -> list[int]:
    """Return the games of each round of a fit. Each round plays half as many as the next one."""
    return [max(MIN_GAMES, games >> (rounds - 1 - number)) for number in range(rounds)]


@lru_cache(maxsize=32)  # a server describes all games at once
def approximate_seconds(
    rules: RuleSet, *, work: float = BOUND_WORK, minutes: float | None = None
) -> float:
    """Return about how long the relaxed games of an approximate solution take with two threads.

    They are most of its time. If `minutes` are given for the bound, they replace its `work`.
    """
    if minutes is not None:
        work = 60 * minutes * LANE_OPERATIONS_PER_SECOND
    small = relaxation_work(rules, min(work, BASELINE_WORK), BASELINE_MEMORY, BASELINE_BOXES)
    large = relaxation_work(rules, work, BOUND_MEMORY)
    return (small + large) / LANE_OPERATIONS_PER_SECOND


def rule_set_facts(rules: RuleSet) -> dict[str, Any]:
    """Return the fields of :class:`.RuleSetStats`.

    If there is none, return why, and the time of an approximate solution.
    """
    try:
        return asdict(rule_set_stats(rules))
    except RulesError as error:
        if error.code != "too-large":
            raise
        facts = {"maximum": maximum_score(rules), "too_large": str(error)}
        return facts | {"approximate_seconds": approximate_seconds(rules)}
