"""How many cards, states and entries a rule set has, counted without enumerating its cards.

Cards with the same upper boxes filled share a lane set (:mod:`perfect_yatzy.core.lanes`), so sums
over all cards are sums over the lane sets. How many cards share a lane set, by the number of filled
boxes, is a product of polynomials, one for each chain of boxes: the coefficient of x^k is the
number of its cards with k boxes filled. In free order with U of n boxes that count towards the
bonus, u filled, that is ``x^u (1 + x)^(n - U)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import prod
from typing import NamedTuple

import numpy as np

from ..core.lanes import LaneSets, ceil_div
from ..core.rules import RuleSet, chains, column_order
from ..core.scoring import upper_sums
from ..core.state_space import LANES, check_enumerable


@dataclass(frozen=True)
class StateCounts:
    """Sizes of the state space that starts at the empty card."""

    states: int  # states a game can reach, before upper sums are merged into lanes
    rows: int  # cards, those included that the order excludes; twice as many with a tracked box
    values: tuple[int, ...]  # entries of the table by the number of filled categories
    # SIMD vectors of lanes of all cards, without saved rolls, by the number of filled categories
    vectors: tuple[int, ...]
    # The largest number of saved rolls, by the number of filled categories.
    most_saved: tuple[int, ...]


def count_states(rules: RuleSet, *, any_number: bool = False) -> StateCounts:
    """Return the numbers of cards, states and entries of a rule set, layer by layer.

    The cards are not enumerated.
    """
    n = len(rules.categories)
    check_enumerable(rules, any_number=any_number)
    saved_per_turn = rules.rolls_per_turn - 1 if rules.saved_rolls else 0  # at most
    most_saved = [turns * saved_per_turn for turns in range(n + 1)]
    states = 0
    values = [0] * (n + 1)
    vectors = [0] * (n + 1)
    for alike in _rows_alike(rules):
        numbers_of_saved_rolls = most_saved[alike.filled] + 1
        states += alike.rows * alike.sums * numbers_of_saved_rolls
        values[alike.filled] += alike.rows * alike.lanes * numbers_of_saved_rolls
        vectors[alike.filled] += alike.rows * ceil_div(alike.lanes, LANES)
    rows = prod(len(chain) + 1 for chain in chains(rules))
    if rules.tracked_index >= 0:
        rows *= 2
    return StateCounts(states, rows, tuple(values), tuple(vectors), tuple(most_saved))


class _RowsAlike(NamedTuple):
    """Rows with equal numbers of filled categories, upper sums and lanes."""

    filled: int
    rows: int  # how many there are
    sums: int  # upper sums of each
    lanes: int  # of each


def _rows_alike(rules: RuleSet) -> Iterator[_RowsAlike]:
    """Yield the rows of a rule set, those that are alike together."""
    lanes = LaneSets(rules)  # one for each set of filled boxes that count for the upper sum
    n_lanes = lanes.count.tolist()
    # Lane sets with the same cards, number of sums and number of lanes are counted together; there
    # are few different ones.
    groups: Counter[tuple[CardCounts, int, int]] = Counter()
    for lane_set, cards in enumerate(_cards_by_lane_set(rules, lanes)):
        for column in range(max(1, len(rules.columns))):
            cards = _product(cards, _other_cards(rules, column, lanes.filled(lane_set)))
        groups[cards, len(lanes.sums[lane_set]), n_lanes[lane_set]] += 1
    for (cards, sums, lanes_of_set), lane_sets in groups.items():
        # A card whose tracked box is filled has a second row: that on which the box holds points.
        rows_by_filled = [cards.every, cards.tracked] if rules.tracked_index >= 0 else [cards.every]
        for by_filled in rows_by_filled:
            for filled, rows in enumerate(by_filled):
                if rows:
                    yield _RowsAlike(filled, lane_sets * rows, sums, lanes_of_set)


def _cards_by_lane_set(rules: RuleSet, lanes: LaneSets) -> list[CardCounts]:
    """Return the cards of the chains with a box that counts for the upper sum, by lane set."""
    counting = lanes.uppers.counting
    by_lane_set = [ONE]
    for chain in chains(rules):
        boxes = [c for c in chain if c in counting]
        if boxes:
            digits = [_chain_cards(rules, chain, boxes, digit) for digit in range(len(boxes) + 1)]
            # In the order of the lane sets: the digit of a later chain is the higher one.
            by_lane_set = [_product(lower, cards) for cards in digits for lower in by_lane_set]
    return by_lane_set


class CardCounts(NamedTuple):
    """Numbers of cards of some chains by the number of filled boxes.

    They are coefficients of polynomials.
    """

    every: tuple[int, ...]
    # Those whose tracked box is filled, if it is in these chains; else the same.
    tracked: tuple[int, ...]


ONE = CardCounts((1,), (1,))


@lru_cache(maxsize=1 << 12)
def _product(first: CardCounts, second: CardCounts) -> CardCounts:
    """Return the cards of some chains and of others together, the products of the polynomials."""
    every = np.convolve(first.every, second.every)
    tracked = np.convolve(first.tracked, second.tracked)
    return CardCounts(tuple(every.tolist()), tuple(tracked.tolist()))


def _chain_cards(
    rules: RuleSet, chain: tuple[int, ...], boxes: Sequence[int], digit: int
) -> CardCounts:
    """Return the cards of one chain on which `digit` of its boxes `boxes` are filled."""
    # as many boxes of the chain are filled as soon as its tracked box is
    least = chain.index(rules.tracked_index) + 1 if rules.tracked_index in chain else 0
    every = []
    for filled in range(len(chain) + 1):  # boxes of the chain
        n_filled = len(set(chain[:filled]) & set(boxes))
        every.append(1 if n_filled == digit else 0)
    return CardCounts(tuple(every), (*[0] * least, *every[least:]))


@lru_cache(maxsize=1 << 12)
def _all_cards(rules: RuleSet, of_chains: tuple[tuple[int, ...], ...]) -> CardCounts:
    """Return all cards of some chains."""
    # On every card 0 of no boxes are filled.
    by_chain = (_chain_cards(rules, chain, (), 0) for chain in of_chains)
    return reduce(_product, by_chain, ONE)


def _other_cards(rules: RuleSet, column: int, filled: int) -> CardCounts:
    """Return the cards of the chains of a column without a box that counts to a bonus.

    They depend on which upper boxes are filled.
    """
    boxes = rules.categories
    tracked = rules.tracked_index
    counting = set(upper_sums(rules).counting)
    others = tuple(
        chain
        for chain in chains(rules)
        if boxes[chain[0]].column == column and counting.isdisjoint(chain)
    )
    if column_order(rules, column) != "upper-first":
        return _all_cards(rules, others)
    upper = _all_cards(rules, tuple(chain for chain in others if boxes[chain[0]].upper))
    lower = _all_cards(rules, tuple(chain for chain in others if not boxes[chain[0]].upper))
    tracked_is_lower = tracked >= 0 and boxes[tracked].column == column and not boxes[tracked].upper
    # the term of `lower` in which no box is filled
    no_lower = CardCounts((1,), (0,) if tracked_is_lower else (1,))
    if any(not filled >> c & 1 for c in counting if boxes[c].column == column):
        return _product(upper, no_lower)
    # U + x^u (L - 1) of the polynomials U of `upper` and L of `lower`: some upper boxes and no lower
    # one, or all u upper boxes and some lower.
    n_upper = len(upper.every) - 1
    totals = []  # of all cards, then of those whose tracked box is filled
    for upper_cards, lower_cards, (empty,) in zip(upper, lower, no_lower, strict=True):
        some_lower = np.array(lower_cards)
        some_lower[0] -= empty
        total = np.pad(np.array(upper_cards) * empty, (0, len(lower_cards) - 1))
        total[n_upper:] += upper_cards[n_upper] * some_lower
        totals.append(tuple(total.tolist()))
    return CardCounts(*totals)
