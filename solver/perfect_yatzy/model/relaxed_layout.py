"""The states of a relaxed game: what it remembers of a card, and where their values lie.

A game of many boxes in free order has too many cards. The relaxed game remembers of a card only

- how many boxes of each *exact* chain are filled (a box in free order is a chain of one box),
- how many turns went to the other boxes, the *class*, but not which of them are filled,
- the upper sum of one bonus, if all upper boxes that count to it are exact,
- saved rolls, and whether the tracked box holds points.

A *row* is a mixed-radix number of the first two, plus the tracked flag::

    row = sum over exact chains of weight * filled boxes of the chain + weight * filled boxes of the class (+ cards)

The values of a row lie together, as in :mod:`.state_space`: for each number of saved rolls one value for each lane
of upper sums. A lane stands for all sums above the lane before it up to its own, and has the value of its own, the
largest: rounding up never lowers a value, because more points are never worth less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from ..errors import RulesError, _
from ..game.dice import Ints
from ..game.limits import ONE_WORD
from ..game.rules import Bonus, RuleSet, chains, prerequisites
from ..game.scoring import possible_points, upper_sums
from .card_masks import card_masks
from .state_space import LANES, StateLayout, in_layers

Levels = Sequence[Ints]  # for each lane set the sums that end a level, ascending

EMPTY_ROW = 0  # the row of the empty card
MAX_ROWS = 1 << 25  # their arrays take 24 bytes a row


class RelaxedLayout:
    """Rows and lanes of a relaxed game.

    Of a chain (:func:`perfect_yatzy.game.rules.chains`) all boxes or none are exact, and so are the upper boxes
    of `bonus_column`, whose sum is remembered (-1: none); else ValueError. RulesError if there are more than MAX_ROWS
    rows or ONE_WORD exact boxes. `levels`: the sums that end a level; default: every sum that makes a difference.
    """

    def __init__(
        self, rules: RuleSet, exact: Sequence[int], bonus_column: int = -1, levels: Levels | None = None
    ) -> None:
        # Category i of the relaxed game is box exact[i]; the members of the class are the boxes that are not exact.
        self.rules, self.exact, self.bonus_column = rules, tuple(sorted(exact)), bonus_column
        self.members = tuple(c for c in range(len(rules.categories)) if c not in self.exact)
        self.turns = len(rules.categories)
        self.chains = [chain for chain in chains(rules) if set(chain) <= set(self.exact)]
        if sum(map(len, self.chains)) != len(self.exact):
            raise ValueError("of a chain of boxes all or none must be exact")
        self.has_flag = rules.tracked_index >= 0  # rows from `cards` on are cards whose tracked box holds points
        if self.has_flag and rules.tracked_index not in self.exact:
            raise ValueError("the box of which it matters whether it holds points must be exact")
        if len(self.exact) > ONE_WORD:
            text = f"the relaxed game has {len(self.exact)} exact boxes; at most {ONE_WORD} fit"
            raise RulesError(text, code="too-large")
        bases = [len(chain) + 1 for chain in self.chains] + [len(self.members) + 1]
        *self.weights, self.cards = accumulate((1, *bases), lambda a, b: a * b)
        self.bases = bases
        self.n_rows = self.cards * (2 if self.has_flag else 1)
        if self.n_rows > MAX_ROWS:
            raise RulesError(f"the relaxed game has {self.n_rows} cards; at most {MAX_ROWS} fit", code="too-large")
        self.upper = [
            c for c, box in enumerate(rules.categories) if box.upper and rules.bonus and box.column == bonus_column
        ]
        if not set(self.upper) <= set(self.exact):
            raise ValueError("the upper boxes whose sum is remembered must be exact")
        self.levels = levels
        self.size: int  # number of values
        self.layout: StateLayout  # its `masks` hold the categories that a turn must not fill
        self._build_lanes(levels)
        self._build_rows()

    @property
    def bonus(self) -> Bonus | None:
        """The bonus whose upper sum is remembered."""
        return self.rules.bonuses[self.bonus_column] if self.bonus_column >= 0 and self.rules.bonus else None

    @property
    def threshold(self) -> int:
        """From this upper sum on the whole bonus is paid; 0 if no sum is remembered."""
        return self.bonus.threshold if self.bonus else 0

    def _build_lanes(self, levels: Levels | None) -> None:
        threshold, points = self.threshold, possible_points(self.rules)
        self._upper_chains = [[c for c in chain if c in self.upper] for chain in self.chains]
        *self._set_weights, n_sets = accumulate((1, *(len(u) + 1 for u in self._upper_chains)), lambda a, b: a * b)
        most = max((max(points[c]) for c in self.upper), default=0)
        paid = self.bonus.paid if self.bonus else (lambda upper: 0)
        self.sums: list[list[int]] = []  # the upper sums that can occur, by lane set
        ends: list[Ints] = []
        for number in range(n_sets):
            filled = [number // w % (len(u) + 1) for w, u in zip(self._set_weights, self._upper_chains, strict=True)]
            last = next((i for i, count in enumerate(filled) if count), None)
            if last is None:
                self.sums.append([0])
            else:  # the sums of the set without its last box of one chain, and the points of that box
                box = self._upper_chains[last][filled[last] - 1]
                before = self.sums[number - self._set_weights[last]]
                self.sums.append(sorted({min(threshold, total + p) for total in before for p in points[box]}))
            to_come = sum(
                max(points[c]) for count, u in zip(filled, self._upper_chains, strict=True) for c in u[count:]
            )
            found = _equivalent(self.sums[-1], paid, min(threshold, to_come), threshold)
            ends.append(np.intersect1d(found, [*levels[number], found[-1]]) if levels else np.array(found))
        width = -(-max(map(len, ends)) // LANES) * LANES
        self._lane_count = np.array([len(e) for e in ends], dtype=np.int64)
        self._lane_upper = np.array([[*e, *[e[-1]] * (width - len(e))] for e in ends], dtype=np.int64)
        sums = np.minimum(np.arange(threshold + most + 1), threshold)
        self._lane_of = np.array([np.minimum(np.searchsorted(e, sums), len(e) - 1) for e in ends], dtype=np.int64)

    def _build_rows(self) -> None:
        rules, cards = self.rules, np.arange(self.cards, dtype=np.int64)
        place = {c: i for i, c in enumerate(self.exact)}
        needed = [sum((mask >> c & 1) << i for c, i in place.items()) for mask in prerequisites(rules)]
        closed = np.zeros(self.cards, dtype=np.int64)
        lane_sets, turns = np.zeros(self.cards, dtype=np.int64), np.zeros(self.cards, dtype=np.int64)
        filled = np.zeros(self.cards, dtype=np.int64)  # the exact boxes that are filled, as bits
        for j, chain in enumerate(self.chains):
            digit = cards // self.weights[j] % self.bases[j]
            turns += digit
            lane_sets += self._set_weights[j] * np.cumsum([0, *(c in self.upper for c in chain)])[digit]
            for i, c in enumerate(chain):
                filled |= np.where(digit > i, 1 << place[c], 0)
                closed |= np.where(digit != i, 1 << place[c], 0)
        for c in self.exact:
            closed |= np.where(needed[c] & ~filled, 1 << place[c], 0)
        used = cards // self.weights[-1] % self.bases[-1]
        turns += used
        blocked = np.ones(self.cards, dtype=bool)
        for c in self.members:
            blocked &= needed[c] & ~filled != 0
        closed |= np.where((used == len(self.members)) | blocked, 1 << len(self.exact), 0)
        occurs = np.ones(self.cards, dtype=bool)
        if self.has_flag:
            paid = filled >> place[rules.tracked_index] & 1 == 1
            occurs = np.concatenate([occurs, paid])
            turns, lane_sets, closed = (np.tile(a, 2) for a in (turns, lane_sets, closed))
        self.turns_played = turns.astype(np.uint8)
        self.occurs = occurs
        self.most_saved = np.arange(self.turns + 1) * (rules.rolls_per_turn - 1 if rules.saved_rolls else 0)
        sizes = np.where(occurs, self._lane_count[lane_sets] * (self.most_saved[turns] + 1), 0)
        self.size, lanes = int(sizes.sum()), (self._lane_count, self._lane_upper, self._lane_of)
        self.layout, self.rows_in_layer = in_layers(closed, turns, lane_sets, sizes, occurs, self.turns, *lanes)

    def row_of(self, filled: Ints, tracked: Ints) -> Ints:
        """The row of each card, ``(n,)`` int64."""
        rows = self.weights[-1] * self._filled_of(filled, self.members)
        for weight, chain in zip(self.weights, self.chains, strict=False):
            rows += weight * self._filled_of(filled, chain)
        return np.asarray(rows + tracked * self.cards if self.has_flag else rows)

    def _filled_of(self, filled: Ints, boxes: Sequence[int]) -> Ints:
        """How many of the boxes are filled, ``(n,)`` int64."""
        count = np.bitwise_count(filled & card_masks(self.rules, [sum(1 << c for c in boxes)]))
        return np.asarray(count if count.ndim == 1 else count[:, 0] + count[:, 1], dtype=np.int64)

    def index(self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints) -> Ints:
        """The place of the value of each state, ``(n,)`` int64."""
        rows = self.row_of(filled, tracked)
        sets = self.layout.lane_sets[rows]
        lanes = self._lane_of[sets, np.minimum(self.remembered_sum(upper), self.threshold)]
        return np.asarray(self.layout.offsets[rows] + saved * self._lane_count[sets] + lanes)

    def remembered_sum(self, upper: Ints) -> Ints:
        """The upper sum of the remembered column, ``(n,)`` int64; zeros if there is none."""
        if not self.upper:
            return np.zeros_like(upper)
        sums = upper_sums(self.rules)
        return np.asarray(upper // sums.weights[self.bonus_column] % sums.widths[self.bonus_column])


def required_exact(rules: RuleSet) -> tuple[tuple[int, ...], int]:
    """The boxes that are exact in every relaxation, and the column whose upper sum is remembered (-1: none)."""
    # Those that decide about jokers and required boxes, and the upper boxes of the column with the largest bonus,
    # unless that is too many; each with the other boxes of its chain.
    bonuses = rules.bonuses
    column = max(range(len(bonuses)), key=lambda b: bonuses[b].points) if bonuses else -1
    upper = {c for c, box in enumerate(rules.categories) if box.upper and bonuses and box.column == column}
    exact = _whole_chains(rules, upper | set(tracked_exact(rules)))
    return (exact, column) if len(exact) <= ONE_WORD else (tracked_exact(rules), -1)


def tracked_exact(rules: RuleSet) -> tuple[int, ...]:
    """The boxes that decide about jokers and required boxes, with their chains; RulesError if they are too many."""
    exact = _whole_chains(rules, {c for c in (rules.joker_index, rules.tracked_index) if c >= 0})
    if len(exact) > ONE_WORD:
        text = _(
            "{rules} has {count} boxes in one order, one of which jokers or other boxes need; "
            "at most {most} are possible"
        )
        raise RulesError(text.format(rules=rules.key, count=len(exact), most=ONE_WORD), code="too-large")
    return exact


def _whole_chains(rules: RuleSet, boxes: set[int]) -> tuple[int, ...]:
    """All boxes of the chains that have some of these, ascending."""
    return tuple(sorted(c for chain in chains(rules) if boxes & set(chain) for c in chain))


def _equivalent(sums: Sequence[int], paid: Callable[[int], int], to_come: int, threshold: int) -> list[int]:
    """The largest of each run of upper sums after which the same bonus is certain; every other sum alone."""
    found: list[int] = []
    certain: list[int | None] = []
    for total in sums:
        now = paid(total)
        bonus = now if now == paid(min(threshold, total + to_come)) else None
        if found and bonus is not None and certain[-1] == bonus:
            found[-1] = total
        else:
            found.append(total)
            certain.append(bonus)
    return found
