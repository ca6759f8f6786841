"""Numbers of states and table entries of a rule set, without enumerating its cards.

Cards with the same upper boxes filled share a lane set (:mod:`perfect_yatzy.model.state_space`). With u of U upper
boxes and k of n boxes filled, C(n - U, k - u) cards share each of them, so sums over the 2^n cards are sums over the
2^U lane sets. The upper sums of a lane set are the bits of an integer, and a box adds its points by shifts::

    sums(boxes + box) = OR over points p of the box of sums(boxes) << p         capped at the threshold of the bonus
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

from ..game.points import possible_points
from ..game.rules import RuleSet
from .state_space import LANES, check_enumerable


@dataclass(frozen=True)
class StateCounts:
    """Sizes of the state space that starts at the empty card.

    Attributes
    ----------
    states : int
        States a game can reach, before upper sums are merged into lanes.
    rows : int
        Cards, twice as many with a joker flag.
    values : tuple of int
        Entries of the table by the number of filled categories.
    vectors : tuple of int
        SIMD vectors of lanes of all cards, without saved rolls, by the number of filled categories.
    most_saved : tuple of int
        The largest number of saved rolls, by the number of filled categories.
    """

    states: int
    rows: int
    values: tuple[int, ...]
    vectors: tuple[int, ...]
    most_saved: tuple[int, ...]


def count_states(rules: RuleSet) -> StateCounts:
    """The sizes of the state space of a rule set.

    Raises
    ------
    RulesError
        If it has too many states to be enumerated.
    """
    n = len(rules.categories)
    check_enumerable(rules, n)
    flags = 2 if rules.joker and rules.joker.bonus else 1
    most_saved = [k * (rules.rolls_per_turn - 1 if rules.saved_rolls else 0) for k in range(n + 1)]
    states, values, vectors = 0, [0] * (n + 1), [0] * (n + 1)
    for filled, rows, (sums, lanes) in _rows(rules, flags):
        states += rows * sums * (most_saved[filled] + 1)
        values[filled] += rows * lanes * (most_saved[filled] + 1)
        vectors[filled] += rows * -(-lanes // LANES)
    cards = n + 1 if rules.order == "forced" else 1 << n
    return StateCounts(states, cards * flags, tuple(values), tuple(vectors), tuple(most_saved))


def _rows(rules: RuleSet, flags: int) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Number of filled categories, number of rows, and upper sums and lanes of each of these rows."""
    n, joker = len(rules.categories), rules.joker_index
    upper = [c for c, category in enumerate(rules.categories) if category.upper and rules.bonus]
    if rules.order == "forced":
        chosen = [(1 << i) - 1 for i in range(len(upper) + 1)]
        sizes = _lane_sets(rules, upper, chosen)
        for filled in range(n + 1):
            own = sizes[sum(c < filled for c in upper)]
            yield filled, 2 if flags == 2 and joker < filled else 1, own
        return
    # Lane sets of equal size are counted together; there are few different ones.
    groups = Counter(
        (chosen.bit_count(), joker in upper and bool(chosen >> upper.index(joker) & 1), size)
        for chosen, size in enumerate(_lane_sets(rules, upper, range(1 << len(upper))))
    )
    lower = n - len(upper)
    for (n_upper, joker_filled, size), count in groups.items():
        for k in range(lower + 1):
            rows = comb(lower, k)
            if flags == 2:  # once more for cards on which the box of the joker is filled
                rows += comb(lower, k) * joker_filled if joker in upper else comb(lower - 1, k - 1) if k else 0
            yield n_upper + k, count * rows, size


def _lane_sets(rules: RuleSet, upper: list[int], sets: Iterable[int]) -> list[tuple[int, int]]:
    """Number of upper sums and of lanes for sets of filled upper boxes, bitmasks in ascending order."""
    threshold, possible = rules.threshold, possible_points(rules)
    below = (1 << threshold) - 1
    sums_of, sizes = {0: 1}, []
    for chosen in sets:
        if chosen:
            last = chosen.bit_length() - 1
            before, found = sums_of[chosen ^ 1 << last], 0
            for points in possible[upper[last]]:
                found |= before << points
            sums_of[chosen] = found & below | (found > below) << threshold
        to_come = sum(possible[c][-1] for i, c in enumerate(upper) if not chosen >> i & 1)
        alive = sums_of[chosen] >> max(0, threshold - to_come)
        lost = sums_of[chosen].bit_count() - alive.bit_count()
        sizes.append((alive.bit_count() + lost, alive.bit_count() + (lost > 0)))
    return sizes
