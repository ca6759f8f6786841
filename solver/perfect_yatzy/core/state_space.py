"""The scorecard as a state, and where its value lies in the flat table.

At the start of a turn the rest of the game depends on four things: which categories are filled (a
bitmask), the sum of the upper boxes capped at the bonus threshold, the saved rolls, and whether the
tracked box (of the joker, or one that other boxes require) holds points. Equivalent upper sums
share a *lane*, cards with the same upper boxes filled a
*lane set* (:mod:`.lanes`). The table is flat::

    full card | one category open ... | ... | empty card        layers in the order they are solved
    row 0: saved 0: lane lane lane ... saved 1: lane ...        row = filled categories (+ flag of the tracked box)

so a layer is one contiguous slice, and a solve appends each layer to the table. A row is a
mixed-radix number with a digit for each chain of boxes (:mod:`perfect_yatzy.core.rules`), how many
of them are filled::

    free order: the bitmask of the filled boxes      forced order: their number      a row of 4 boxes: a digit 0...4

Bitmasks of categories are int64, ``(n,)``, and a single one is an integer. A sheet of more than
ONE_WORD boxes, which only an approximate strategy can play, has uint64, ``(n, 2)``, the low word
first. The dtype tells the kernels which of the two they read (:mod:`perfect_yatzy.core.legal`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import RulesError, StateError
from ..words import _, number_text, span
from .dice import Ints
from .lanes import LaneArrays, LaneSets, upper_chains
from .rules import RuleSet, chains, prerequisites
from .scoring import upper_sums
from .state import EMPTY_STATE, State, check_state

Bools = npt.NDArray[np.bool_]
T = TypeVar("T")
# values in one SIMD vector of float64; lanes of a row are padded to a multiple of it in the kernels
LANES = 8
ONE_WORD = 62  # boxes of a card whose bitmask has one word, and which can be solved
MAX_FREE_CATEGORIES = 24  # 2^24 cards, or as many in other orders
MAX_FREE_UPPER = 12  # 2^12 lane sets, or as many in other orders
MAX_LANE_ENTRIES = 1 << 25  # of the array that gives the lane of each upper sum in each lane set


def is_wide(rules: RuleSet) -> bool:
    """Return whether masks have two words."""
    return len(rules.categories) > ONE_WORD


def card_masks(rules: RuleSet, masks: Any) -> Ints:
    """Return masks as an array, from integers, a single integer, or such an array."""
    if not is_wide(rules):
        return np.atleast_1d(np.asarray(masks, dtype=np.int64))
    if not isinstance(masks, np.ndarray):
        numbers = [masks] if isinstance(masks, int) else masks
        masks = np.array(
            [(mask & (1 << 64) - 1, mask >> 64) for mask in numbers], dtype=np.uint64
        ).reshape(-1, 2)
    return masks  # type: ignore[no-any-return]


def single_mask(rules: RuleSet, mask: int) -> Any:
    """Return one mask as a field of a named tuple that the kernels take."""
    return card_masks(rules, [mask])[0] if is_wide(rules) else mask


def packed(rules: RuleSet, boxes: Bools) -> Ints:
    """Return the masks of sets of boxes, which are ``(n, categories)``."""
    octets = np.zeros((len(boxes), 16 if is_wide(rules) else 8), dtype=np.uint8)
    bits = np.packbits(boxes, axis=1, bitorder="little")
    octets[:, : bits.shape[1]] = bits
    masks = octets.view("<u8" if is_wide(rules) else "<i8")
    return masks if is_wide(rules) else masks.ravel()


def unpacked(rules: RuleSet, masks: Ints) -> Bools:
    """Return which boxes each mask has, ``(n, categories)``."""
    octets = (
        np.ascontiguousarray(masks).view(np.uint8).reshape(len(masks), 16 if is_wide(rules) else 8)
    )
    return np.unpackbits(octets, axis=1, count=len(rules.categories), bitorder="little").view(
        np.bool_
    )


class StateLayout(NamedTuple):
    """Where kernels find a state: ``offsets[row] + saved * lane_count[lane_set] + lane``."""

    masks: Ints  # (rows,): bitmask of filled categories
    offsets: Ints  # (rows,): first index in the table
    lane_sets: Ints  # (rows,): lane set
    lane_count: Ints  # (lane sets,): number of lanes
    # (lane sets, lane_width): upper sum of each lane, padded by repeating the last one
    lane_upper: Ints
    lane_of: Ints  # (lane sets, upper_width): lane of each upper sum, -1 if it cannot occur
    lane_width: int  # row lengths of the two arrays before; kernels index them flat
    upper_width: int


class RowPlaces:
    """Where the entries of the rows of each layer are in a table."""

    layers: list[Ints]  # the rows with so many filled categories, ascending
    size: int  # number of entries of the table
    starts: Ints  # (rows,): first entry of each row
    # (categories + 2,): the entry after the last of the rows with so many filled categories
    layer_ends: Ints

    def layer_slice(self, filled: int) -> slice:
        """Return the part of the table that holds the entries of ``layers[filled]``."""
        return slice(int(self.layer_ends[filled + 1]), int(self.layer_ends[filled]))

    def rows_slice(self, filled: int, first: int, end: int) -> slice:
        """Return the part of the table that holds the entries of ``layers[filled][first:end]``."""
        rows = self.layers[filled]

        def start_of(position: int) -> int:
            """Return the first entry of a row, or after the last row the entry after the layer."""
            return int(
                self.starts[rows[position]] if position < len(rows) else self.layer_ends[filled]
            )

        return slice(start_of(first), start_of(end))

    def row_starts(self, filled: int) -> Ints:
        """Return the first entry of each row of ``layers[filled]``, and the entry after the last.
        They are ``(rows + 1,)`` int64.
        """
        return np.append(self.starts[self.layers[filled]], self.layer_ends[filled])


class StateSpace(RowPlaces):
    """All states a game can reach from a start, and their places in a table.

    Raises RulesError if there are too many.
    """

    filled: Ints  # (rows,): number of filled categories
    # (categories + 1,): most saved rolls at the start of a turn, by number of filled categories
    most_saved: Ints
    # sets of filled categories; rows from this one on are cards whose tracked box holds points
    cards: int
    layout: StateLayout

    def __init__(self, rules: RuleSet, start: State = EMPTY_STATE) -> None:
        self.rules = rules
        self.start = start
        self.categories = len(rules.categories)
        self.first_layer = start.filled.bit_count()
        self.open = [c for c in range(self.categories) if not start.filled >> c & 1]
        check_enumerable(rules, start.filled)
        self.has_tracked_rows = rules.tracked_index >= 0
        self.lanes = LaneSets(rules, start)
        self._uppers = self.lanes.uppers
        # what filling a category adds to the row
        self.step_of = np.zeros(self.categories, dtype=np.int64)
        # of each chain: bitmask of its boxes, step, and how many of them are filled at the start
        self._chains: list[tuple[int, int, int]] = []
        masks, sets = self._number_cards()
        self.cards = len(masks)
        # In free order the row of a card is its bitmask.
        self._is_mask = not start.filled and all(len(chain) == 1 for chain in chains(rules))
        self._build_rows(masks, sets)

    def _number_cards(self) -> tuple[Ints, Ints]:
        """Set the steps of the chains, and return the masks and lane sets of the cards in the order
        of their numbers.
        """
        start = self.start
        masks = np.array([start.filled], dtype=np.int64)
        sets = np.array([self.lanes.of_card(start.filled)], dtype=np.int64)
        # Each chain adds a digit, above those of the chains before it.
        for chain in chains(self.rules):
            step = len(masks)
            at_start = sum(start.filled >> c & 1 for c in chain)
            boxes = list(chain[at_start:])
            self._chains.append((sum(1 << c for c in chain), step, at_start))
            self.step_of[boxes] = step
            # Axis 0: how many of these boxes are filled; axis 1: the cards of the chains before.
            masks = np.add.outer(
                np.cumsum([0, *(1 << c for c in boxes)], dtype=np.int64), masks
            ).ravel()
            sets = np.add.outer(
                np.cumsum([0, *self.lanes.weight_of[boxes]], dtype=np.int64), sets
            ).ravel()
        return masks, sets

    def _which_occur(self, masks: Ints) -> Bools:
        """Return which rows are cards that a game from the start may have."""
        occurs = np.ones(len(masks), dtype=bool)
        tracked = self.rules.tracked_index
        orders = {self.rules.order, *(column.order for column in self.rules.columns)}
        if "upper-first" in orders:
            for c, needed in enumerate(prerequisites(self.rules)):
                occurs &= (masks >> c & 1 == 0) | (masks & needed == needed)
        if self.has_tracked_rows:
            occurs[self.cards :] &= masks[self.cards :] >> tracked & 1 == 1
            if self.start.filled >> tracked & 1:  # whether the box holds points stays as it is
                occurs[: self.cards] &= not self.start.joker_paid
                occurs[self.cards :] &= self.start.joker_paid
        return occurs

    def _build_rows(self, masks: Ints, sets: Ints) -> None:
        """Set where each row and layer of the table is, and which rows occur.

        `masks` and `sets` are the masks and lane sets of the cards.
        """
        if self.has_tracked_rows:  # once without, and once with points in the tracked box
            masks, sets = np.tile(masks, 2), np.tile(sets, 2)
        self._occurs = self._which_occur(masks)
        self.filled = np.bitwise_count(masks).astype(np.int64)
        turns = np.maximum(0, np.arange(self.categories + 1) - self.first_layer)
        saved_per_turn = self.rules.rolls_per_turn - 1 if self.rules.saved_rolls else 0  # at most
        self.most_saved = self.start.saved + turns * saved_per_turn
        # entries of each row, none of one that cannot occur
        sizes = np.where(
            self._occurs, self.lanes.count[sets] * (self.most_saved[self.filled] + 1), 0
        )
        self.size = int(sizes.sum())
        lanes = self.lanes.arrays(LANES)
        rows = Rows(masks, self.filled, sets, sizes, self._occurs)
        self.layout, self.layers = in_layers(rows, self.categories, lanes)
        self.starts = self.layout.offsets
        layer_sizes = np.bincount(self.filled, weights=sizes, minlength=self.categories + 2).astype(
            np.int64
        )
        # The sizes are summed backwards because the full cards begin the table.
        self.layer_ends = np.cumsum(layer_sizes[::-1])[::-1]

    def state_rows(self) -> Ints:
        """Return the row of every state of the table, ``(states,)`` int64."""
        rows = np.concatenate(
            [self.layers[k] for k in range(self.categories, self.first_layer - 1, -1)]
        )
        lanes = self.layout.lane_count[self.layout.lane_sets[rows]]
        return np.repeat(rows, lanes * (self.most_saved[self.filled[rows]] + 1))

    def lanes_and_saved(self, rows: Ints, places: Ints) -> tuple[Ints, Ints]:
        """Return the lane of upper sums and the saved rolls of states, from their rows and places.
        All arrays are ``(n,)`` int64.
        """
        within_row = places - self.layout.offsets[rows]
        lanes = self.layout.lane_count[self.layout.lane_sets[rows]]
        return within_row % lanes, within_row // lanes

    def row(self, state: State) -> int:
        """Return the row of a state's card, without checks."""
        if self._is_mask:
            card = state.filled
        else:
            card = sum(
                step * ((state.filled & boxes).bit_count() - at_start)
                for boxes, step, at_start in self._chains
            )
        return card + (self.cards if self.has_tracked_rows and state.joker_paid else 0)

    def rows_of(self, filled: Ints, joker_paid: Ints) -> Ints:
        """Return the rows of many cards, without checks. `filled` are bitmasks of filled
        categories. All three arrays are ``(n,)`` int64.
        """
        rows = filled
        if not self._is_mask:
            rows = np.zeros_like(filled)
            for boxes, step, at_start in self._chains:
                rows += step * (np.bitwise_count(filled & boxes).astype(np.int64) - at_start)
        if self.has_tracked_rows:
            rows = rows + joker_paid * self.cards
        return np.asarray(rows)

    def lanes_of(self, rows: Ints, upper: Ints) -> Ints:
        """Return the lanes of upper sums in the cards of rows, or -1 where a sum cannot occur. The
        sums need not be capped, and are not negative.
        """
        return np.asarray(self.layout.lane_of[self.layout.lane_sets[rows], self._uppers.cap(upper)])

    def index(self, state: State) -> int:
        """Return the place of a state's value. Raises StateError if no game can reach the state."""
        self.check(state)
        return self.unchecked_index(state)

    def unchecked_index(self, state: State) -> int:
        """Place of a checked state's value in the table."""
        row = self.row(state)
        layout = self.layout
        lanes = layout.lane_count.item(layout.lane_sets.item(row))
        return layout.offsets.item(row) + state.saved * lanes + self.lane(row, state)

    def lane(self, row: int, state: State) -> int:
        """Return the lane of the upper sum of a state in the card of a row, or -1 if the sum cannot
        occur. The sum need not be capped, and is not negative.
        """
        upper = self._uppers.capped(state.upper)
        return self.layout.lane_of.item(self.layout.lane_sets.item(row), upper)

    def _surely_reaches(self, state: State) -> bool:
        """Return whether the tables alone prove that a game can reach this state."""
        filled = state.filled
        if (
            not 0 <= filled <= self.rules.full_mask
            or filled & self.start.filled != self.start.filled
        ):
            return False
        if state.upper < 0 or (state.joker_paid and not self.has_tracked_rows):
            return False
        row = self.row(state)
        layout = self.layout
        if layout.masks.item(row) != filled or not self._occurs.item(row):
            return False
        if not 0 <= state.saved <= self.most_saved.item(filled.bit_count()):
            return False
        return self.lane(row, state) >= 0

    def check(self, state: State) -> None:
        """Raise StateError unless a game can reach this state."""
        if self._surely_reaches(state):
            return
        rules = self.rules
        check_state(rules, state)
        if state.filled & self.start.filled != self.start.filled:
            raise StateError(
                _("this table begins at a card with other filled categories"), code="invalid-state"
            )
        upper = self._uppers.capped(state.upper)
        if self.layout.lane_of[self.lanes.of_card(state.filled), upper] < 0:
            text = _("the filled upper boxes cannot sum to {total}")
            raise StateError(text.format(total=state.upper), code="invalid-state")
        most = int(self.most_saved[state.filled.bit_count()])
        if state.saved > most:
            message = _(
                "saved rolls: {count} is impossible from the card on at which this table begins; they are {possible}"
            )
            raise StateError(
                message.format(count=state.saved, possible=span(0, most)), code="invalid-state"
            )
        if not self._occurs[self.row(state)]:
            text = _("this table begins at a card whose joker's box holds something else")
            raise StateError(text, code="invalid-state")


class Rows(NamedTuple):
    """The rows of a table, ``(rows,)`` each."""

    masks: Ints  # of the filled categories
    layer: Ints
    lane_sets: Ints
    sizes: Ints  # number of entries
    occurs: Bools  # whether a game may have it


def in_layers(rows: Rows, last: int, lanes: LaneArrays) -> tuple[StateLayout, list[Ints]]:
    """Return the layout of a table that begins with the last layer, and the rows of each layer."""
    masks, layer, lane_sets, sizes, occurs = rows
    # small integers are sorted by counting
    order = np.argsort((last - layer).astype(np.uint8), kind="stable")
    offsets = np.empty(len(sizes), dtype=np.int64)
    offsets[order] = np.cumsum(sizes[order]) - sizes[order]
    row_counts = np.bincount(layer[occurs], minlength=last + 1)
    # rows of each layer
    from_last = np.split(order[occurs[order]], np.cumsum(row_counts[::-1])[:-1])
    count, upper, lane_of = map(np.ascontiguousarray, lanes)
    layout = StateLayout(
        masks, offsets, lane_sets, count, upper, lane_of, upper.shape[1], lane_of.shape[1]
    )
    return layout, from_last[::-1]


def check_enumerable(rules: RuleSet, filled: int = 0, *, any_number: bool = False) -> None:
    """Raise RulesError if a game has too many cards, lane sets, or upper sums in them. The cards
    are counted from the card `filled` on, unless `any_number` of them is allowed.
    """
    check_one_word(rules)
    # A chain with n open boxes is in one of n + 1 conditions.
    cards = prod(sum(1 - (filled >> c & 1) for c in chain) + 1 for chain in chains(rules))
    free = all(len(chain) == 1 for chain in chains(rules))  # for the words of the errors
    if cards > 1 << MAX_FREE_CATEGORIES and not any_number:
        text = _(
            "{rules} has {count} categories that make {cards} cards and their upper sums; "
            "at most {most} in free order, or {most_cards} cards, can be solved"
        )
        if free:
            text = _(
                "{rules} has {count} categories in free order, 2^{count} cards and their upper sums; "
                "at most {most} in free order, or {most_cards} cards, can be solved"
            )
        facts = {
            "count": len(rules.categories) - filled.bit_count(),
            "cards": f"{float(cards):.2g}",
            "most": MAX_FREE_CATEGORIES,
            "most_cards": number_text(1 << MAX_FREE_CATEGORIES, grouped=True),
        }
        raise RulesError(text.format(rules=rules.key, **facts), code="too-large")
    uppers = upper_sums(rules)
    lane_sets = prod(len(boxes) + 1 for boxes in upper_chains(rules))
    if lane_sets > 1 << MAX_FREE_UPPER:
        text = _(
            "{rules} has {count} upper boxes that are filled in {ways} ways, and each has other sums; "
            "at most {most} in free order can be solved"
        )
        if free:
            text = _(
                "{rules} has {count} upper boxes in free order, and each set of them has other sums; "
                "at most {most} in free order can be solved"
            )
        facts = {
            "count": len(uppers.counting),
            "ways": number_text(lane_sets, grouped=True),
            "most": MAX_FREE_UPPER,
        }
        raise RulesError(text.format(rules=rules.key, **facts), code="too-large")
    if lane_sets * uppers.size > MAX_LANE_ENTRIES:
        text = _(
            "{rules} has {sums} upper sums and {sets} sets of upper boxes; "
            "at most {most} of both together can be solved"
        )
        sums, sets, most = (
            number_text(n, grouped=True) for n in (uppers.size, lane_sets, MAX_LANE_ENTRIES)
        )
        raise RulesError(
            text.format(rules=rules.key, sums=sums, sets=sets, most=most), code="too-large"
        )


def check_one_word(rules: RuleSet) -> None:
    """Raise RulesError if a rule set has more boxes than a mask of one word."""
    if len(rules.categories) > ONE_WORD:
        text = _(
            "{rules} has {count} boxes; at most {most} are possible, except with an approximate strategy"
        )
        fields = {"rules": rules.key, "count": len(rules.categories), "most": ONE_WORD}
        raise RulesError(text.format(**fields), code="too-large")


def by_start(build: Callable[[RuleSet, State], T]) -> Callable[..., T]:
    """Return a function that does what `build` does, by default from the empty card on, and keeps
    the newest results.
    """
    cached = lru_cache(maxsize=8)(build)
    # The cache itself would take a default that is given and one that is left out as different.
    return lambda rules, start=EMPTY_STATE: cached(rules, start)


state_space = by_start(StateSpace)
