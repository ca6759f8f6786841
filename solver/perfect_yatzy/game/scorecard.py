"""The scorecard: what each category holds, and the part of it that affects the rest of the game."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import StateError, span, whole_number
from .points import possible_points
from .rules import RuleSet
from .translations import category_label


@dataclass(frozen=True)
class State:
    """The part of a scorecard that affects the rest of the game, at the start of a turn.

    Attributes
    ----------
    filled : int
        Bitmask of filled categories, bit i for the i-th of the score sheet.
    upper : int
        Sum of the upper boxes, capped at the threshold of the bonus; 0 without a bonus.
    saved : int
        Saved rolls; 0 unless the rules have them.
    joker_paid : bool
        Whether the joker's box holds points; False unless the rules have a joker bonus.
    """

    filled: int = 0
    upper: int = 0
    saved: int = 0
    joker_paid: bool = False


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
        """Points in the boxes and bonus points, without the upper bonus (that is part of the points to come)."""
        return sum(self.points.values()) + self.bonus_points

    @property
    def upper(self) -> int:
        """Sum of the upper boxes, not capped."""
        return sum(points for c, points in self.points.items() if self.rules.categories[c].upper)

    @property
    def state(self) -> State:
        """The part of the card that affects the rest of the game."""
        rules = self.rules
        joker_paid = rules.joker is not None and rules.joker.bonus > 0 and self.points.get(rules.joker_index, 0) > 0
        return State(
            filled=sum(1 << c for c in self.points),
            upper=min(self.upper, rules.threshold),
            saved=self.saved,
            joker_paid=joker_paid,
        )

    def filled_with(self, category: int, points: int, bonus_points: int = 0, saved: int = 0) -> Scorecard:
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
        return Scorecard(self.rules, self.points | {category: points}, saved, self.bonus_points + bonus_points)

    def __str__(self) -> str:
        return " ".join(f"{self.rules.categories[c].id}={p}" for c, p in sorted(self.points.items()))


def check_card(card: Scorecard) -> Scorecard:
    """Check that a card is possible under its rules.

    Saved rolls are checked by the state space (:mod:`perfect_yatzy.model.state_space`).

    Returns
    -------
    Scorecard
        The card itself.

    Raises
    ------
    StateError
        If a box holds points it cannot hold, the bonus points are impossible, or a forced order is violated.
    """
    possible = possible_points(card.rules)
    for c, points in card.points.items():
        if not 0 <= whole_number(c, "a category") < len(card.rules.categories):
            raise StateError(
                f"there is no category {c}; {card.rules.key} has 0 to {len(card.rules.categories) - 1}",
                code="invalid-card",
            )
        label = category_label(card.rules, c)
        if whole_number(points, label) not in possible[c]:
            raise StateError(
                f"{label} cannot hold {points}; it can hold {_summarized(possible[c])}", code="invalid-card"
            )
    whole_number(card.bonus_points, "bonus_points")
    maximum = max_bonus_points(card)
    if not 0 <= card.bonus_points <= maximum:
        allowed = f"can have {span(0, maximum)}" if maximum else "cannot have any"
        raise StateError(
            f"{card.bonus_points} bonus points are impossible here: this card {allowed}", code="invalid-card"
        )
    filled = card.state.filled
    if card.rules.order == "forced" and filled & (filled + 1):
        gap = next(c for c in range(len(card.rules.categories)) if not filled >> c & 1)
        raise StateError(
            f"{card.rules.key} fills in order: {category_label(card.rules, gap)} must come first", code="invalid-card"
        )
    return card


def max_bonus_points(card: Scorecard) -> int:
    """An upper bound of the joker and first-roll bonuses that the filled boxes can have earned."""
    rules = card.rules
    first_rolls = sum(extra for c, extra in rules.first_roll_bonus if card.points.get(rules.index_of[c]))
    jokers = rules.joker.bonus * (len(card.points) - 1) if rules.joker and card.state.joker_paid else 0
    return first_rolls + jokers


def _summarized(values: list[int]) -> str:
    """Ascending numbers from 0 as text: all of at most eight, else as a range with its step, else the first four."""
    if len(values) <= 8:
        return ", ".join(map(str, values))
    step = values[2] - values[1]
    if values[1:] == list(range(values[1], values[-1] + 1, step)):
        return f"0 or {values[1]} to {values[-1]}" + (f" in steps of {step}" if step > 1 else "")
    return ", ".join(map(str, values[:4])) + f", ... up to {values[-1]}"
