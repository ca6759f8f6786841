"""The state: the part of a scorecard that affects the rest of the game, and what is possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..errors import StateError, whole_number
from ..words import _, ngettext, span
from .rules import RuleSet, prerequisites
from .scoring import possible_points, upper_sums


@dataclass(frozen=True)
class State:
    """The part of a scorecard that affects the rest of the game, at the start of a turn.

    Attributes
    ----------
    filled : int
        Bitmask of filled categories, bit i for the i-th of the score sheet.
    upper : int
        Sum of the upper boxes, capped at the last threshold of the bonus; 0 without a bonus. With
        columns one number for the sums of all columns (:mod:`perfect_yatzy.core.scoring`).
    saved : int
        Saved rolls; 0 unless the rules have them.
    joker_paid : bool
        Whether the tracked box holds points: that of the joker, or one that other boxes require.
        False unless that matters later (:attr:`perfect_yatzy.core.rules.RuleSet.tracked_index`).
    """

    filled: int = 0
    upper: int = 0
    saved: int = 0
    joker_paid: bool = False

    def filled_with(self, rules: RuleSet, category: int, points: int, saved: int = 0) -> State:
        """Return the state after a turn, without checks.

        Parameters
        ----------
        rules
        category
            Position of the category that is filled.
        points
            Points in its box.
        saved
            Saved rolls after the turn.
        """
        return State(
            filled=self.filled | 1 << category,
            upper=upper_sums(rules).add(self.upper, category, points),
            saved=saved,
            joker_paid=self.joker_paid or (category == rules.tracked_index and points > 0),
        )


EMPTY_STATE = State()


@lru_cache(maxsize=32)
def has_order(rules: RuleSet) -> bool:
    """Return whether some category can be filled only after others."""
    return any(prerequisites(rules))


def skipped_box(rules: RuleSet, filled: int) -> int:
    """Return the position of an open box that must precede a filled one, or -1 without any."""
    if not has_order(rules):
        return -1
    skipped = 0
    for c, needed in enumerate(prerequisites(rules)):
        if filled >> c & 1:
            skipped |= needed & ~filled
    return (skipped & -skipped).bit_length() - 1  # the lowest bit; without one 0 - 1


def plain_state(state: State) -> State:
    """Return a state whose numbers are Python integers, also if they were those of NumPy."""
    fields = state.filled, state.upper, state.saved
    if all(type(number) is int for number in fields) and type(state.joker_paid) is bool:
        return state
    filled, upper, saved = map(whole_number, fields, ("filled", "upper", "saved"))
    return State(filled, upper, saved, bool(state.joker_paid))


def check_state(rules: RuleSet, state: State) -> None:
    """Raise StateError unless a state is possible under its rules. This needs no state space, and
    does not depend on the size of one.
    """
    problem = next(_state_problems(rules, state), None)
    if problem is not None:
        raise StateError(problem, code="invalid-state")


def _state_problems(rules: RuleSet, state: State) -> Iterator[str]:
    """Yield a sentence for each problem of a state."""
    for name in ("filled", "upper", "saved"):
        whole_number(getattr(state, name), name)
    if not 0 <= state.filled <= rules.full_mask:
        yield _(
            "filled is {value}; must be a bitmask from 0 to {most}",
            value=state.filled,
            most=rules.full_mask,
        )
    if skipped_box(rules, state.filled) >= 0:
        yield _("the categories must be filled in the order of the sheet")
    if state.upper < 0:
        yield _("the upper sum is {upper}; it cannot be negative", upper=state.upper)
    uppers = upper_sums(rules)
    for column, total in enumerate(uppers.split(state.upper)):
        boxes = sum(1 << c for c in uppers.counting if rules.categories[c].column == column)
        if min(total, uppers.thresholds[column]) not in _upper_sums(rules, state.filled & boxes):
            yield _("the filled upper boxes cannot sum to {total}", total=total)
    turns = state.filled.bit_count()
    most = turns * (rules.rolls_per_turn - 1) if rules.saved_rolls else 0
    if not 0 <= state.saved <= most:
        text = _("saved rolls: {count} is impossible under {rules}; none exist")
        if rules.saved_rolls:
            text = ngettext(
                "saved rolls: {count} is impossible under {rules}; after {turns} turn it is {possible}",
                "saved rolls: {count} is impossible under {rules}; after {turns} turns it is {possible}",
                turns,
            )
        yield text.format(count=state.saved, rules=rules.key, turns=turns, possible=span(0, most))
    tracked = rules.tracked_index if rules.tracked_index >= 0 else rules.joker_index
    if state.joker_paid and not (tracked >= 0 and state.filled >> tracked & 1):
        yield _(
            "the joker's box cannot hold points: it is open, or the rules have no joker and no box that requires it"
        )


@lru_cache(maxsize=1 << 12)
def _upper_sums(rules: RuleSet, boxes: int) -> frozenset[int]:
    """Return the possible sums of some upper boxes of one column, a bitmask.

    The sums are capped at the threshold of its bonus.
    """
    if not boxes:
        return frozenset({0})
    box = boxes.bit_length() - 1
    threshold = upper_sums(rules).thresholds[rules.categories[box].column]
    before = _upper_sums(rules, boxes & ~(1 << box))
    possible = possible_points(rules)[box]
    return frozenset(min(threshold, total + points) for total in before for points in possible)
