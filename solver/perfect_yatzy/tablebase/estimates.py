"""Estimates before a solve: the size of the table, memory, time, the highest score; warnings about
the rules.

The time is that of the passes over the lattice of dice, which is nearly all of a solve. With the
rolls r of a turn::

    operations = sum over blocks of lanes of  r * LANES * (2 * predecessors + 4 * full rolls)
    seconds    = operations / LANE_OPERATIONS_PER_SECOND

Numbers of states and entries need no enumeration of the cards. Cards with the same upper boxes
filled share a lane set (:mod:`.lanes`), so sums over all cards are sums over the lane sets. How
many cards share a lane set, by the number of filled boxes, is a product of polynomials, one for
each chain of boxes: the coefficient of x^k is the number of its cards with k boxes filled. In free
order with U of n boxes that count towards the bonus, u filled, that is ``x^u (1 + x)^(n - U)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from ..core.dice import lattice
from ..core.lanes import LaneSets, ceil_div
from ..core.rules import RuleSet, chains, column_order
from ..core.scoring import maximum_score, possible_points, upper_sums
from ..core.state_space import LANES, check_enumerable
from ..errors import _, number_text
from ..game.rule_loader import builtin_ids, load_rules

# Measured with two threads on a 2-core Xeon at 2.7 GHz; see benchmarks/runs.
LANE_OPERATIONS_PER_SECOND = 5e10
SAVED_SCORES_COST = (
    1.6  # of scores with saved rolls to that of their operations: their ranges start at many places
)
THREADS = 2  # of the estimated wall times
BASE_MEMORY = 150 << 20
CARD_MEMORY = 100  # bytes per card, for the arrays of the state layout
FLOAT64_VALUES = 100_000_000  # larger tables are stored in float32
LOGGED_SECONDS = 10.0  # longer work is logged before it begins, if nobody is told its progress
INSTANT_SOLVE_SECONDS = 1.5  # a solve estimated below this is made whenever it is needed
MAX_UNASKED_SECONDS = 180.0  # a solve that takes longer is not begun without a question
MAX_UNASKED_BYTES = 2_000_000_000  # nor is one whose table is larger


def gigabytes(size: float) -> str:
    """A number of bytes in GB: ``0.93 GB``, ``14.6 GB``."""
    return f"{number_text(size / 1e9, 2 if size < 1e9 else 1, grouped=True)} GB"


def duration(seconds: float) -> str:
    """An estimated time: ``about 25 s``, ``about 8 minutes``."""
    if seconds < 100:
        return _("about {seconds} s").format(seconds=number_text(max(1.0, seconds)))
    minutes = seconds / 60
    if minutes < 100:
        return _("about {minutes} minutes").format(minutes=number_text(minutes))
    return _("about {hours} hours").format(hours=number_text(minutes / 60, grouped=True))


def log_long(what: str, seconds: float, progress: object = None) -> None:
    """Log a warning before long work of the library, unless the caller takes its progress."""
    if progress is None and seconds > LOGGED_SECONDS:
        import logging

        logging.getLogger("perfect_yatzy").warning("%s: %s", what, duration(seconds))


@dataclass(frozen=True)
class SolveCost:
    """Size of a table, and the memory and time of its solve."""

    values: int  # entries of the table (equivalent states share one)
    bytes: int  # size of the table
    # peak of a solve: the two largest neighbouring layers, the state layout, a base for the process
    memory: int
    seconds: float  # rough estimate of the wall time with two threads, without compilation

    def with_table(self) -> SolveCost:
        """The cost if the whole table stays in memory."""
        return replace(self, memory=self.memory + self.bytes)

    def doubled(self) -> SolveCost:
        """The cost if the layers in memory are float64 instead of float32."""
        return replace(self, memory=2 * self.memory)

    @property
    def processor_seconds(self) -> float:
        """Processor time of all threads."""
        return THREADS * self.seconds

    @property
    def words(self) -> str:
        """Size and time with two threads as text, such as ``0.93 GB and about 25 s``."""
        return self.words_with(THREADS)

    def words_with(self, threads: int) -> str:
        """Size and time with so many threads as text."""
        time = duration(self.processor_seconds / threads)
        return _("{size} and {duration}").format(size=gigabytes(self.bytes), duration=time)

    @property
    def too_large(self) -> bool:
        """Whether the solve is too large to be begun without a question."""
        return self.seconds > MAX_UNASKED_SECONDS or self.bytes > MAX_UNASKED_BYTES


@dataclass(frozen=True)
class RuleSetStats(SolveCost):
    """Sizes and limits of a rule set: its table of means, its reachable states, its highest
    final score.
    """

    states: int
    maximum: int


def rule_set_stats(rules: RuleSet, *, any_number: bool = False) -> RuleSetStats:
    """Sizes and limits of a rule set; `any_number`: also with more cards than can be solved."""
    counts = count_states(rules, any_number=any_number)
    size = sum(counts.values)
    return RuleSetStats(
        states=counts.states,
        values=size,
        bytes=size * (8 if size <= FLOAT64_VALUES else 4),
        memory=BASE_MEMORY
        + CARD_MEMORY * counts.rows
        + 8 * max(a + b for a, b in pairwise(counts.values)),
        seconds=sum(layer_seconds(rules, counts)),
        maximum=maximum_score(rules),
    )


def layer_seconds(rules: RuleSet, counts: StateCounts | None = None) -> list[float]:
    """Estimated wall time of each layer of the means with two threads, by the number of filled
    categories.
    """
    counts = counts or count_states(rules)
    turns = zip(counts.vectors[:-1], counts.most_saved[:-1], strict=True)
    return [
        *(turn_seconds(rules, LANES * vectors, saved) for vectors, saved in turns),
        0.0,
    ]  # full cards have no turn


def turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Estimated wall time of a turn for so many lanes with two threads; all numbers of saved
    rolls are one turn.
    """
    return turn_operations(rules, lanes, most_saved) / LANE_OPERATIONS_PER_SECOND


def turn_operations(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Operations of a turn for so many lanes: the same on every machine."""
    grid = lattice(rules.dice, rules.faces)
    return (
        lanes
        * (rules.rolls_per_turn + most_saved)
        * (2 * len(grid.predecessors) + 4 * grid.n_rolls)
    )


def score_turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """The same for scores as lanes."""
    return turn_seconds(rules, lanes, most_saved) * (SAVED_SCORES_COST if most_saved else 1.0)


def remarks(rules: RuleSet) -> list[str]:
    """Warnings about rules that are valid but probably a mistake, one sentence each."""
    most = [max(points) for points in possible_points(rules)]
    boxes = [
        (c, points)
        for c, points in zip(rules.categories, most, strict=True)
        if not c.copy and not c.column
    ]
    warnings = [
        _(
            "{category} pays its fixed {points} points and {plus} more (plus); "
            "for the sum of the dice and {plus}, add `points = false`"
        ).format(category=c.id, points=p.points, plus=p.plus)
        for c, _most in boxes
        for p in c.patterns
        if p.score == "fixed" and p.plus
    ]
    never = _("{category} never scores: no roll is '{text}'")
    warnings += [never.format(category=c.id, text=c.text) for c, points in boxes if not points]
    for bonus, best in zip(rules.bonuses, upper_sums(rules).to_come(0), strict=False):
        if best < bonus.threshold:
            text = _("the bonus is out of reach: the upper boxes give {sum}, not {threshold}")
            warnings.append(text.format(sum=best, threshold=bonus.threshold))
    # Tables are identified by their fingerprint, but answers show only the name.
    has_builtin_id = rules.origin != rules.id and rules.id in builtin_ids()
    if has_builtin_id and load_rules(rules.id).fingerprint != rules.fingerprint:
        text = _("the id {id} is that of a built-in rule set with other rules: choose another")
        warnings.append(text.format(id=repr(rules.id)))
    return warnings


@dataclass(frozen=True)
class StateCounts:
    """Sizes of the state space that starts at the empty card."""

    states: int  # states a game can reach, before upper sums are merged into lanes
    rows: int  # cards, those included that the order excludes; twice as many with a tracked box
    values: tuple[int, ...]  # entries of the table by the number of filled categories
    # SIMD vectors of lanes of all cards, without saved rolls, by the number of filled categories
    vectors: tuple[int, ...]
    most_saved: tuple[
        int, ...
    ]  # the largest number of saved rolls, by the number of filled categories


def count_states(rules: RuleSet, *, any_number: bool = False) -> StateCounts:
    """Numbers of cards, states and entries of a rule set, layer by layer, without enumerating
    its cards.
    """
    n = len(rules.categories)
    check_enumerable(rules, any_number=any_number)
    most_saved = [k * (rules.rolls_per_turn - 1 if rules.saved_rolls else 0) for k in range(n + 1)]
    states, values, vectors = 0, [0] * (n + 1), [0] * (n + 1)
    for filled, rows, (sums, lanes) in _rows(rules):
        states += rows * sums * (most_saved[filled] + 1)
        values[filled] += rows * lanes * (most_saved[filled] + 1)
        vectors[filled] += rows * ceil_div(lanes, LANES)
    cards = prod(len(chain) + 1 for chain in chains(rules)) * (2 if rules.tracked_index >= 0 else 1)
    return StateCounts(states, cards, tuple(values), tuple(vectors), tuple(most_saved))


def _rows(rules: RuleSet) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Number of filled categories, number of rows, and upper sums and lanes of each of these
    rows.
    """
    lanes = LaneSets(rules)  # one for each set of filled boxes that count for the upper sum
    counted = zip(_cards_by_lane_set(rules, lanes), lanes.sums, lanes.count.tolist(), strict=True)
    columns = range(max(1, len(rules.columns)))
    # Lane sets of equal size and equal numbers of cards are counted together; there are few
    # different ones.
    groups: Counter[tuple[Cards, tuple[int, int]]] = Counter()
    for lane_set, (upper_cards, sums, count) in enumerate(counted):
        others = [_other_cards(rules, column, lanes.filled(lane_set)) for column in columns]
        groups[reduce(_product, others, upper_cards), (len(sums), count)] += 1
    for (cards, sums_and_lanes), lane_sets in groups.items():
        # A card whose tracked box is filled has a second row: that on which the box holds points.
        rows_by_filled = [cards.every, cards.tracked] if rules.tracked_index >= 0 else [cards.every]
        for by_filled in rows_by_filled:
            for filled, rows in enumerate(by_filled):
                if rows:
                    yield filled, lane_sets * rows, sums_and_lanes


def _cards_by_lane_set(rules: RuleSet, lanes: LaneSets) -> list[Cards]:
    """The cards of the chains with a box that counts for the upper sum, by lane set."""
    counting = {c for boxes in lanes.chains for c in boxes}
    by_lane_set = [ONE]
    for chain in chains(rules):
        boxes = [c for c in chain if c in counting]
        if boxes:
            digits = [_chain_cards(rules, chain, boxes, digit) for digit in range(len(boxes) + 1)]
            # In the order of the lane sets: the digit of a later chain is the higher one.
            by_lane_set = [_product(lower, cards) for cards in digits for lower in by_lane_set]
    return by_lane_set


class Cards(NamedTuple):
    """Numbers of cards of some chains by the number of filled boxes, as coefficients of
    polynomials.
    """

    every: tuple[int, ...]
    tracked: tuple[
        int, ...
    ]  # those whose tracked box is filled, if it is in these chains; else the same


ONE = Cards((1,), (1,))


@lru_cache(maxsize=1 << 12)
def _product(first: Cards, second: Cards) -> Cards:
    return Cards(*(tuple(np.convolve(a, b).tolist()) for a, b in zip(first, second, strict=True)))


def _chain_cards(rules: RuleSet, chain: tuple[int, ...], boxes: Sequence[int], digit: int) -> Cards:
    """The cards of one chain on which so many of some of its boxes are filled."""
    # filled with the tracked box
    least = chain.index(rules.tracked_index) + 1 if rules.tracked_index in chain else 0
    n_filled = [
        len(set(chain[:filled]) & set(boxes)) for filled in range(len(chain) + 1)
    ]  # of the boxes
    every = [1 if number == digit else 0 for number in n_filled]
    return Cards(tuple(every), (*[0] * least, *every[least:]))


@lru_cache(maxsize=1 << 12)
def _all_cards(rules: RuleSet, of_chains: tuple[tuple[int, ...], ...]) -> Cards:
    """All cards of some chains."""
    # of no boxes none is filled: every card
    each = (_chain_cards(rules, chain, (), 0) for chain in of_chains)
    return reduce(_product, each, ONE)


def _other_cards(rules: RuleSet, column: int, filled: int) -> Cards:
    """The cards of the chains of a column without a box that counts to a bonus, if some upper
    boxes are filled.
    """
    boxes, tracked = rules.categories, rules.tracked_index
    counting = set(upper_sums(rules).counting)
    of_column = [chain for chain in chains(rules) if boxes[chain[0]].column == column]
    others = tuple(chain for chain in of_column if counting.isdisjoint(chain))
    if column_order(rules, column) != "upper-first":
        return _all_cards(rules, others)
    upper = _all_cards(rules, tuple(chain for chain in others if boxes[chain[0]].upper))
    lower = _all_cards(rules, tuple(chain for chain in others if not boxes[chain[0]].upper))
    tracked_is_lower = tracked >= 0 and boxes[tracked].column == column and not boxes[tracked].upper
    # the term of `lower` in which no box is filled
    no_lower = Cards((1,), (0,) if tracked_is_lower else (1,))
    if any(not filled >> c & 1 for c in counting if boxes[c].column == column):
        return _product(upper, no_lower)
    # U + x^u (L - 1) of `upper` and `lower`: some upper boxes and no lower one, or all u upper
    # boxes and some lower.
    n_upper = len(upper.every) - 1
    found = []  # of all cards, then of those whose tracked box is filled
    for upper_cards, lower_cards, (empty,) in zip(upper, lower, no_lower, strict=True):
        some_lower = np.array(lower_cards)
        some_lower[0] -= empty
        total = np.pad(np.array(upper_cards) * empty, (0, len(lower_cards) - 1))
        total[n_upper:] += upper_cards[n_upper] * some_lower
        found.append(tuple(total.tolist()))
    return Cards(*found)
