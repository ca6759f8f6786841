"""Numbers of states and table entries of a rule set, without enumerating its cards.

Cards with the same upper boxes filled share a lane set (:mod:`perfect_yatzy.model.lanes`), so sums over all cards are
sums over the lane sets. How many cards share a lane set, by the number of filled boxes, is a product of polynomials,
one for each chain of boxes: the coefficient of x^k is the number of its cards with k boxes filled. In free order with
U of n boxes that count towards the bonus, u of them filled, that is ``x^u (1 + x)^(n - U)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ..game.box_order import chains, column_order
from ..game.rules import RuleSet
from ..game.upper_sums import upper_sums
from .lanes import LaneSets
from .state_space import LANES, check_enumerable


@dataclass(frozen=True)
class StateCounts:
    """Sizes of the state space that starts at the empty card."""

    states: int  # states a game can reach, before upper sums are merged into lanes
    rows: int  # cards, those included that the order excludes; twice as many with a tracked box
    values: tuple[int, ...]  # entries of the table by the number of filled categories
    # SIMD vectors of lanes of all cards, without saved rolls, by the number of filled categories
    vectors: tuple[int, ...]
    most_saved: tuple[int, ...]  # the largest number of saved rolls, by the number of filled categories


def count_states(rules: RuleSet, *, any_number: bool = False) -> StateCounts:
    """Numbers of cards, states and entries of a rule set, layer by layer, without enumerating its cards."""
    n = len(rules.categories)
    check_enumerable(rules, any_number=any_number)
    most_saved = [k * (rules.rolls_per_turn - 1 if rules.saved_rolls else 0) for k in range(n + 1)]
    states, values, vectors = 0, [0] * (n + 1), [0] * (n + 1)
    for filled, rows, (sums, lanes) in _rows(rules):
        states += rows * sums * (most_saved[filled] + 1)
        values[filled] += rows * lanes * (most_saved[filled] + 1)
        vectors[filled] += rows * -(-lanes // LANES)
    cards = prod(len(chain) + 1 for chain in chains(rules)) * (2 if rules.tracked_index >= 0 else 1)
    return StateCounts(states, cards, tuple(values), tuple(vectors), tuple(most_saved))


def _rows(rules: RuleSet) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Number of filled categories, number of rows, and upper sums and lanes of each of these rows."""
    lanes = LaneSets(rules)
    products, counting = [ONE], {c for boxes in lanes.chains for c in boxes}
    for chain in chains(rules):
        if counting.isdisjoint(chain):
            continue
        boxes = [c for c in chain if c in counting]
        digits = [_chain_cards(rules, chain, boxes, digit) for digit in range(len(boxes) + 1)]
        products = [_product(product, cards) for cards in digits for product in products]
    # Lane sets of equal size and equal numbers of cards are counted together; there are few different ones.
    groups: Counter[tuple[Cards, tuple[int, int]]] = Counter()
    for lane_set, (cards, sums, count) in enumerate(zip(products, lanes.sums, lanes.count.tolist(), strict=True)):
        filled = lanes.filled(lane_set)
        for column in range(max(1, len(rules.columns))):
            cards = _product(cards, _other_cards(rules, column, filled))
        groups[cards, (len(sums), count)] += 1
    for (both, size), count in groups.items():
        for numbers in both if rules.tracked_index >= 0 else both[:1]:
            for filled, rows in enumerate(numbers):
                if rows:
                    yield filled, count * rows, size


# Numbers of cards by the number of filled boxes: all, and those whose tracked box is filled. With several chains both
# are products of polynomials.
Cards = tuple[tuple[int, ...], tuple[int, ...]]
ONE: Cards = ((1,), (1,))


@lru_cache(maxsize=1 << 12)
def _product(first: Cards, second: Cards) -> Cards:
    a, b = (tuple(np.convolve(x, y).tolist()) for x, y in zip(first, second, strict=True))
    return a, b


def _chain_cards(rules: RuleSet, chain: tuple[int, ...], boxes: Sequence[int], digit: int) -> Cards:
    """The cards of one chain on which so many of some of its boxes are filled."""
    before = chain.index(rules.tracked_index) if rules.tracked_index in chain else -1
    fits = [sum(c in boxes for c in chain[:k]) == digit for k in range(len(chain) + 1)]
    return tuple(map(int, fits)), tuple(int(fit and k > before) for k, fit in enumerate(fits))


@lru_cache(maxsize=1 << 12)
def _any_cards(rules: RuleSet, some: tuple[tuple[int, ...], ...]) -> Cards:
    """The cards of some chains."""
    cards = ONE
    for chain in some:
        cards = _product(cards, _chain_cards(rules, chain, (), 0))
    return cards


def _other_cards(rules: RuleSet, column: int, filled: int) -> Cards:
    """The cards of the chains of a column without a box that counts to a bonus, if some upper boxes are filled."""
    boxes = rules.categories
    counting = set(upper_sums(rules).counting)
    others = tuple(c for c in chains(rules) if boxes[c[0]].column == column and counting.isdisjoint(c))
    if column_order(rules, column) != "upper-first":
        return _any_cards(rules, others)
    lower = _any_cards(rules, tuple(c for c in others if not boxes[c[0]].upper))
    upper = _any_cards(rules, tuple(c for c in others if boxes[c[0]].upper))
    n_upper, is_lower = len(upper[0]) - 1, rules.tracked_index >= 0 and not boxes[rules.tracked_index].upper
    tracked_below = is_lower and boxes[rules.tracked_index].column == column
    no_lower: Cards = ((1,), (0,) if tracked_below else (1,))
    if any(not filled >> c & 1 for c in counting if boxes[c].column == column):
        return _product(upper, no_lower)
    # U + x^u (L - 1): some upper boxes and no lower one, or all upper boxes and some lower ones.
    found = []
    for first, second, none in zip(upper, lower, no_lower, strict=True):
        total = [0] * (n_upper + len(second))
        for k, number in enumerate(first):
            total[k] += number * none[0]
        all_upper = first[n_upper]
        for k, number in enumerate(second):
            total[n_upper + k] += all_upper * (number - (none[0] if k == 0 else 0))
        found.append(tuple(total))
    return found[0], found[1]
