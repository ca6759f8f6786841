"""The scorecard: what each category holds, and the part of it that affects the rest of the game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ..errors import StateError, whole_number
from ..words import _, span
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
        """The state after a turn, without checks; parameters as for
        :meth:`Scorecard.filled_with`.
        """
        return State(
            filled=self.filled | 1 << category,
            upper=upper_sums(rules).add(self.upper, category, points),
            saved=saved,
            joker_paid=self.joker_paid or (category == rules.tracked_index and points > 0),
        )


EMPTY_STATE = State()


@dataclass(frozen=True)
class Scorecard:
    """A score sheet at the start of a turn.

    Attributes
    ----------
    rules : RuleSet
    points : dict of int to int
        Points by category position, for the filled boxes; 0 for a box that was crossed out.
    saved : int
        Saved rolls.
    bonus_points : int
        Joker and first-roll bonuses received so far. The upper bonus is not part of it.

    See Also
    --------
    perfect_yatzy.parse_card : Read a checked scorecard from text.
    """

    rules: RuleSet = field(repr=False)
    points: dict[int, int] = field(default_factory=dict)
    saved: int = 0
    bonus_points: int = 0

    @property
    def total(self) -> int:
        """Points in the boxes and bonus points, without the upper bonus (that is part of the
        points to come).
        """
        return sum(self.points.values()) + self.bonus_points

    @property
    def score(self) -> int:
        """:attr:`total` with the upper bonus if it is reached: of a full card the final score."""
        return self.total + upper_sums(self.rules).bonus(self.state.upper)

    @property
    def upper(self) -> int:
        """Sum of the upper boxes of all columns, not capped."""
        return sum(self.column_sums)

    @property
    def column_sums(self) -> tuple[int, ...]:
        """Sum of the upper boxes of each column, not capped; one sum without columns."""
        sums = [0] * max(1, len(self.rules.columns))
        for c, points in self.points.items():
            box = self.rules.categories[c]
            sums[box.column] += points if box.upper else 0
        return tuple(sums)

    @property
    def state(self) -> State:
        """The part of the card that affects the rest of the game."""
        rules = self.rules
        uppers = upper_sums(rules)
        filled = 0
        totals = [0] * len(uppers.thresholds)
        for c, points in self.points.items():
            filled |= 1 << c
            if c in uppers.column_of:
                totals[uppers.column_of[c]] += points
        tracked = rules.tracked_index
        return State(
            filled=filled,
            upper=uppers.join(tuple(totals)),
            saved=self.saved,
            joker_paid=tracked >= 0 and self.points.get(tracked, 0) > 0,
        )

    def filled_with(
        self, category: int, points: int, bonus_points: int = 0, saved: int = 0
    ) -> Scorecard:
        """The card after a turn, without checks.

        Parameters
        ----------
        category
            Position of the category that is filled.
        points, bonus_points
            Points in its box, and the joker and first-roll bonuses of the turn.
        saved
            Saved rolls after the turn.
        """
        return Scorecard(
            self.rules, self.points | {category: points}, saved, self.bonus_points + bonus_points
        )

    def __hash__(self) -> int:
        return hash((self.rules, frozenset(self.points.items()), self.saved, self.bonus_points))

    def __str__(self) -> str:
        return " ".join(
            f"{self.rules.categories[c].id}={p}" for c, p in sorted(self.points.items())
        )


@lru_cache(maxsize=32)
def has_order(rules: RuleSet) -> bool:
    """Whether some category can be filled only after others."""
    return any(prerequisites(rules))


def skipped_box(rules: RuleSet, filled: int) -> int:
    """Position of an open box that must be filled before one of those that are filled; -1 if
    there is none.
    """
    if not has_order(rules):
        return -1
    skipped = 0
    for c, needed in enumerate(prerequisites(rules)):
        if filled >> c & 1:
            skipped |= needed & ~filled
    return (skipped & -skipped).bit_length() - 1  # the lowest bit; without one 0 - 1


def plain_state(state: State) -> State:
    """A state whose numbers are Python integers, also if they were given as those of NumPy."""
    fields = state.filled, state.upper, state.saved
    if all(type(number) is int for number in fields) and type(state.joker_paid) is bool:
        return state
    filled, upper, saved = map(whole_number, fields, ("filled", "upper", "saved"))
    return State(filled, upper, saved, bool(state.joker_paid))


def check_state(rules: RuleSet, state: State) -> None:
    """Check that a state is possible under its rules; needs no state space, whose size it does
    not depend on.
    """
    for problem in _state_problems(rules, state):
        raise StateError(problem, code="invalid-state")


def _state_problems(rules: RuleSet, state: State) -> Iterator[str]:
    """What is wrong with a state: one sentence for each problem."""
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
        text = _("{count} saved rolls are impossible under {rules}: none exist")
        if rules.saved_rolls:
            text = _(
                "{count} saved rolls are impossible under {rules}: after {turns} turns it is {possible}"
            )
        yield text.format(count=state.saved, rules=rules.key, turns=turns, possible=span(0, most))
    tracked = rules.tracked_index if rules.tracked_index >= 0 else rules.joker_index
    if state.joker_paid and not (tracked >= 0 and state.filled >> tracked & 1):
        yield _(
            "the joker's box cannot hold points: it is open, or the rules have no joker and no box that requires it"
        )


@lru_cache(maxsize=1 << 12)
def _upper_sums(rules: RuleSet, filled: int) -> frozenset[int]:
    """Sums of filled upper boxes of one column, at most the threshold of its bonus."""
    if not filled:
        return frozenset({0})
    box = filled.bit_length() - 1
    threshold = upper_sums(rules).thresholds[rules.categories[box].column]
    before, possible = _upper_sums(rules, filled & ~(1 << box)), possible_points(rules)[box]
    return frozenset(min(threshold, total + points) for total in before for points in possible)
