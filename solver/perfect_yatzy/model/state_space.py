"""The scorecard as a state, and where its value lies in the flat table.

At the start of a turn the rest of the game depends on four things: which categories are filled (a bitmask), the sum
of the upper boxes capped at the bonus threshold, the saved rolls, and whether the joker's box holds points.
Equivalent upper sums share a *lane*: one lane for all sums from which the bonus is out of reach, one for the capped
sum, one for each sum between; sums that cannot occur have no lane. Cards with the same upper boxes filled share a
*lane set*. The table is flat::

    full card | one category open ... | ... | empty card        layers in the order they are solved
    row 0: saved 0: lane lane lane ... saved 1: lane ...        row = filled categories (+ joker flag)

so a layer is one contiguous slice, and a solve appends each layer to the table.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..errors import RulesError, StateError, span
from ..game.dice import Ints
from ..game.points import possible_points
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State, check_state

MAX_FREE_CATEGORIES = 24
MAX_FREE_UPPER = 12


class StateLayout(NamedTuple):
    """The arrays that give the place of a state in the table, as the kernels take them (int64).

    The value of a state is at ``offsets[row] + saved * lane_count[lane_set] + lane``.

    Attributes
    ----------
    masks, offsets, lane_sets : (rows,)
        Bitmask of filled categories, first index in the table and lane set of each row.
    lane_count : (lane sets,)
        Number of lanes.
    lane_upper : (lane sets, lane_width)
        Upper sum of each lane, padded by repeating the last one.
    lane_of : (lane sets, upper_width)
        Lane of each upper sum, -1 if it cannot occur.
    lane_width, upper_width : int
        Row lengths of the two arrays before; kernels index them flat.
    """

    masks: Ints
    offsets: Ints
    lane_sets: Ints
    lane_count: Ints
    lane_upper: Ints
    lane_of: Ints
    lane_width: int
    upper_width: int


LANES = 8  # values in one SIMD vector of float64; lanes of a row are padded to a multiple of it in the kernels


class StateSpace:
    """All states a game can reach from a start, and their places in a table.

    Parameters
    ----------
    rules
        The game.
    start
        The state at which the table begins; default: the empty card.

    Attributes
    ----------
    rules : RuleSet
    start : State
    categories : int
        Number of categories of the sheet.
    first_layer : int
        Number of categories filled at the start.
    forced : bool
        Whether the order of the categories is forced.
    cards : int
        Number of sets of filled categories; rows from this one on are cards whose joker's box holds points.
    has_joker_rows : bool
        Whether such rows exist: the rules pay a joker bonus.
    upper : list of int
        Positions of the categories that count towards the bonus; empty without a bonus.
    sums : list of list of int
        Every upper sum that can occur, by lane set.
    layout : StateLayout
    size : int
        Number of values in the table.
    layers : list of (n,) int64 arrays
        ``layers[k]``: the rows with k filled categories, ascending.
    filled : (rows,) int64
        Number of filled categories of each row.
    most_saved : (categories + 1,) int64
        Most saved rolls at the start of a turn, by number of filled categories.
    bit_of : dict of int to int
        The bit of a row that an open category sets; the category itself if the start is the empty card.

    Raises
    ------
    RulesError
        If a free order has more than MAX_FREE_CATEGORIES open categories or MAX_FREE_UPPER upper boxes.
    """

    def __init__(self, rules: RuleSet, start: State = EMPTY_STATE) -> None:
        self.rules, self.start = rules, start
        self.categories = len(rules.categories)
        self.first_layer = start.filled.bit_count()
        still_open = [c for c in range(self.categories) if not start.filled >> c & 1]
        self.bit_of = {c: i for i, c in enumerate(still_open)}
        check_enumerable(rules, len(still_open))
        self.forced = rules.order == "forced"
        self.has_joker_rows = bool(rules.joker and rules.joker.bonus)
        self.cards = len(still_open) + 1 if self.forced else 1 << len(still_open)
        self.upper = [c for c, category in enumerate(rules.categories) if category.upper and rules.bonus]
        self._points = possible_points(rules)
        self._build_lanes()
        self._build_rows()

    def _build_lanes(self) -> None:
        threshold = self.rules.threshold
        best = [max(self._points[c]) for c in self.upper]
        self.sums: list[list[int]] = []  # every upper sum that can occur, by lane set
        lanes: list[list[int]] = []
        before = self._upper_bits(self.start.filled)
        # A forced order fills the upper boxes in the order of the sheet: of their 2^n sets n + 1 can occur.
        number = len(self.upper) + 1 if self.forced else 1 << len(self.upper)
        lane_of = np.full((number, threshold + max(best, default=0) + 1), -1, dtype=np.int64)
        for lane_set in range(number):
            chosen = (1 << lane_set) - 1 if self.forced else lane_set
            sums = {min(threshold, self.start.upper)} if chosen & before == before else set()
            for i, c in enumerate(self.upper):
                if (chosen & ~before) >> i & 1:
                    sums = {min(threshold, total + points) for total in sums for points in self._points[c]}
            to_come = sum(most for i, most in enumerate(best) if not chosen >> i & 1)
            lost = [total for total in sums if total + to_come < threshold]
            alive = sorted(total for total in sums if total + to_come >= threshold)
            lane_sums = ([max(lost)] if lost else []) + alive
            lane_of[lane_set, lost] = 0
            lane_of[lane_set, alive] = np.arange(len(lane_sums) - len(alive), len(lane_sums))
            lane_of[lane_set, threshold:] = lane_of[lane_set, threshold]
            self.sums.append(sorted(sums))
            lanes.append(lane_sums)
        width = -(-max(map(len, lanes)) // LANES) * LANES
        self._lane_count = np.array([len(lane_sums) for lane_sums in lanes], dtype=np.int64)
        padded = [lane_sums + (lane_sums[-1:] or [0]) * (width - len(lane_sums)) for lane_sums in lanes]
        self._lane_upper = np.array(padded, dtype=np.int64)
        self._lane_of = lane_of

    def _upper_bits(self, filled: int) -> int:
        return sum(1 << i for i, c in enumerate(self.upper) if filled >> c & 1)

    def lane_set(self, filled: int) -> int:
        """Number of the lane set of a card: in forced order how many upper boxes are filled, else which."""
        bits = self._upper_bits(filled)
        return bits.bit_count() if self.forced else bits

    def _build_rows(self) -> None:
        cards = np.arange(self.cards, dtype=np.int64)
        if self.start.filled:
            masks = np.full(self.cards, self.start.filled, dtype=np.int64)
            for c, bit in self.bit_of.items():
                masks |= (cards > bit if self.forced else cards >> bit & 1).astype(np.int64) << c
        else:  # the same without the loop, which takes 0.1 s for the million cards of Maxi
            masks = (1 << cards) - 1 if self.forced else cards
        masks = np.tile(masks, 2 if self.has_joker_rows else 1)
        occurs = np.ones(len(masks), dtype=bool)
        if self.has_joker_rows:
            joker_filled = masks[: self.cards] >> self.rules.joker_index & 1 == 1
            joker_decided = bool(self.start.filled >> self.rules.joker_index & 1)
            occurs[: self.cards] = not (joker_decided and self.start.joker_paid)
            occurs[self.cards :] = joker_filled & (not joker_decided or self.start.joker_paid)
        self._occurs = occurs
        sets = np.zeros(len(masks), dtype=np.int64)
        for i, c in enumerate(self.upper):
            sets += (masks >> c & 1) << (0 if self.forced else i)
        self.filled = filled = np.bitwise_count(masks).astype(np.int64)
        turns = np.maximum(0, np.arange(self.categories + 1) - self.first_layer)
        self.most_saved = self.start.saved + turns * (self.rules.rolls_per_turn - 1 if self.rules.saved_rolls else 0)
        sizes = np.where(occurs, self._lane_count[sets] * (self.most_saved[filled] + 1), 0)
        # Small integers are sorted by counting; within a layer rows stay ascending.
        order = np.argsort((self.categories - filled).astype(np.uint8), kind="stable")
        offsets = np.empty(len(masks), dtype=np.int64)
        offsets[order] = np.cumsum(sizes[order]) - sizes[order]
        self.size = int(sizes.sum())
        in_order = order[occurs[order]]
        rows = np.bincount(filled[occurs], minlength=self.categories + 1)
        ends = np.cumsum(rows[::-1])[::-1]
        self.layers = [in_order[end - count : end] for end, count in zip(ends.tolist(), rows.tolist(), strict=True)]
        lanes, lane_of = self._lane_upper, np.ascontiguousarray(self._lane_of)
        widths = lanes.shape[1], lane_of.shape[1]
        self.layout = StateLayout(masks, offsets, sets, self._lane_count, lanes, lane_of, *widths)
        values = np.bincount(filled, weights=sizes, minlength=self.categories + 2).astype(np.int64)
        self._layer_ends = np.cumsum(values[::-1])[::-1]

    def layer_slice(self, filled: int) -> slice:
        """Part of the table that holds the states with `filled` categories filled."""
        return slice(int(self._layer_ends[filled + 1]), int(self._layer_ends[filled]))

    def rows_slice(self, filled: int, first: int, end: int) -> slice:
        """Part of the table that holds the states of ``layers[filled][first:end]``."""
        rows, whole = self.layers[filled], self.layer_slice(filled)
        bounds = [int(self.layout.offsets[rows[i]]) if i < len(rows) else whole.stop for i in (first, end)]
        return slice(*bounds)

    def state_rows(self) -> Ints:
        """``(size,)`` int64: the row of every state, in the order of the table."""
        rows = np.concatenate([self.layers[k] for k in range(self.categories, self.first_layer - 1, -1)])
        lanes = self.layout.lane_count[self.layout.lane_sets[rows]]
        return np.repeat(rows, lanes * (self.most_saved[self.filled[rows]] + 1))

    def lanes_and_saved(self, rows: Ints, places: Ints) -> tuple[Ints, Ints]:
        """Lane of upper sums and saved rolls of states, ``(n,)`` int64 each, from their rows and places."""
        within, lanes = places - self.layout.offsets[rows], self.layout.lane_count[self.layout.lane_sets[rows]]
        return within % lanes, within // lanes

    def row(self, state: State) -> int:
        """Row of a state's card; no check."""
        if self.forced:
            card = state.filled.bit_count() - self.first_layer
        elif not self.start.filled:
            card = state.filled
        else:
            card = sum(1 << bit for c, bit in self.bit_of.items() if state.filled >> c & 1)
        return card + (self.cards if self.has_joker_rows and state.joker_paid else 0)

    def index(self, state: State) -> int:
        """Place of a state's value in the table.

        Raises
        ------
        StateError
            If no game can reach this state.
        """
        self.check(state)
        return self.unchecked_index(state)

    def unchecked_index(self, state: State) -> int:
        """Place of a checked state's value in the table."""
        row = self.row(state)
        chosen = self.layout.lane_sets[row]
        lane = self.layout.lane_of[chosen, min(max(state.upper, 0), self.rules.threshold)]
        return int(self.layout.offsets[row] + state.saved * self._lane_count[chosen] + lane)

    def check(self, state: State) -> None:
        """Raise StateError unless a game can reach this state."""
        rules = self.rules
        check_state(rules, state)
        if state.filled & self.start.filled != self.start.filled:
            raise StateError("this table begins at a card with other filled categories", code="invalid-state")
        if self._lane_of[self.lane_set(state.filled), min(state.upper, rules.threshold)] < 0:
            raise StateError(f"the filled upper boxes cannot sum to {state.upper}", code="invalid-state")
        most = int(self.most_saved[state.filled.bit_count()])
        if state.saved > most:
            raise StateError(
                f"{state.saved} saved rolls are impossible from the card on at which this table begins: "
                f"they are {span(0, most)}",
                code="invalid-state",
            )
        if not self._occurs[self.row(state)]:
            raise StateError(
                "this table begins at a card whose joker's box holds something else", code="invalid-state"
            )

    def reachable(self) -> int:
        """Number of states a game can reach, before upper sums are merged into lanes."""
        sums = np.array([len(sums) for sums in self.sums])
        return int(
            sum(
                sums[self.layout.lane_sets[rows]].sum() * (self.most_saved[k] + 1)
                for k, rows in enumerate(self.layers)
            )
        )


def check_enumerable(rules: RuleSet, n_open: int) -> None:
    """Raise RulesError if a rule set has too many states with `n_open` open categories."""
    if rules.order == "forced":
        return
    if n_open > MAX_FREE_CATEGORIES:
        raise RulesError(
            f"{rules.key} has {n_open} categories in free order, 2^{n_open} cards and their upper sums; "
            f"at most {MAX_FREE_CATEGORIES} can be solved",
            code="too-large",
        )
    n_upper = sum(category.upper for category in rules.categories) if rules.bonus else 0
    if n_upper > MAX_FREE_UPPER:
        raise RulesError(
            f"{rules.key} has {n_upper} upper boxes in free order, and each set of them has other sums; "
            f"at most {MAX_FREE_UPPER} can be solved",
            code="too-large",
        )


def state_space(rules: RuleSet, start: State = EMPTY_STATE) -> StateSpace:
    """The state space of a rule set, or of the rest of a game; built once per process."""
    return _state_space(rules, start)  # lru_cache has different keys for a default given and a default left out


@lru_cache(maxsize=8)
def _state_space(rules: RuleSet, start: State) -> StateSpace:
    return StateSpace(rules, start)
