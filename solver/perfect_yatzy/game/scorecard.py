"""The scorecard: what each category holds, and the part of it that bears on the rest of the game."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import StateError, span, whole_number
from .points import possible_points
from .rules import RuleSet
from .translations import category_label


@dataclass(frozen=True)
class Scorecard:
    """A score sheet in mid-game: what each category holds, and what stands beside the boxes.

    Attributes
    ----------
    points : dict of int to int
        Category position -> points it holds.
    saved : int
        Saved rolls.
    bonus_points : int
        Points outside the boxes and the upper bonus: joker and first-roll bonuses received so far.
    """

    rules: RuleSet = field(repr=False)
    points: dict[int, int] = field(default_factory=dict)
    saved: int = 0
    bonus_points: int = 0

    @property
    def total(self) -> int:
        """Points on the sheet, without the upper bonus (that one is part of the value to come)."""
        return sum(self.points.values()) + self.bonus_points

    @property
    def upper(self) -> int:
        """Sum of the upper boxes, not capped."""
        return sum(points for c, points in self.points.items() if self.rules.categories[c].upper)

    @property
    def state(self) -> State:
        """What of the sheet bears on the rest of the game."""
        rules = self.rules
        paid = rules.joker is not None and rules.joker.bonus > 0 and self.points.get(rules.joker_index, 0) > 0
        return State(
            filled=sum(1 << c for c in self.points),
            upper=min(self.upper, rules.threshold),
            saved=self.saved,
            joker_paid=paid,
        )

    def filled_with(self, category: int, points: int, bonus_points: int = 0, saved: int = 0) -> Scorecard:
        """The card after a turn: points in a box, points beside the boxes, rolls saved by then; no check."""
        return Scorecard(self.rules, self.points | {category: points}, saved, self.bonus_points + bonus_points)

    def __str__(self) -> str:
        return " ".join(f"{self.rules.categories[c].id}={p}" for c, p in sorted(self.points.items()))


def check_card(card: Scorecard) -> Scorecard:
    """The card itself, or StateError if a box holds points it cannot, or is filled out of order."""
    possible = possible_points(card.rules)
    for c, points in card.points.items():
        if not 0 <= whole_number(c, "a category") < len(card.rules.categories):
            raise StateError(f"there is no category {c}; {card.rules.key} has 0 to {len(card.rules.categories) - 1}")
        if whole_number(points, category_label(card.rules, c)) not in possible[c]:
            allowed = _listed(possible[c])
            raise StateError(f"{category_label(card.rules, c)} cannot hold {points}; it can hold {allowed}")
    whole_number(card.bonus_points, "bonus_points")
    most = max_bonus_points(card)
    if not 0 <= card.bonus_points <= most:
        allowed = f"can have {span(0, most)}" if most else "cannot have any"
        raise StateError(f"{card.bonus_points} bonus points are impossible here: this card {allowed}")
    filled = card.state.filled
    if card.rules.order == "forced" and filled & (filled + 1):
        gap = next(c for c in range(len(card.rules.categories)) if not filled >> c & 1)
        raise StateError(f"{card.rules.key} fills in order: {category_label(card.rules, gap)} must come first")
    return card


def max_bonus_points(card: Scorecard) -> int:
    """A bound of the joker and first-roll bonuses that can have been paid for the filled boxes."""
    rules = card.rules
    first_rolls = sum(paid for name, paid in rules.first_roll_bonus if card.points.get(rules.index_of[name]))
    jokers = rules.joker.bonus * (len(card.points) - 1) if rules.joker and card.state.joker_paid else 0
    return first_rolls + jokers


def _listed(values: list[int]) -> str:
    if len(values) <= 8:
        return ", ".join(map(str, values))
    step = values[2] - values[1]
    if values[1:] == list(range(values[1], values[-1] + 1, step)):
        return f"0 or {values[1]} to {values[-1]}" + (f" in steps of {step}" if step > 1 else "")
    return ", ".join(map(str, values[:4])) + f", ... up to {values[-1]}"


@dataclass(frozen=True)
class State:
    """A scorecard at the start of a turn.

    Attributes
    ----------
    filled : int
        Bitmask of filled categories, bit i for the i-th of the sheet.
    upper : int
        Sum of the upper boxes; anything above the threshold counts as the threshold.
    saved : int
        Saved rolls, 0 unless the rules have them.
    joker_paid : bool
        Whether the joker's box holds points; only of account under a joker bonus.
    """

    filled: int = 0
    upper: int = 0
    saved: int = 0
    joker_paid: bool = False


EMPTY_STATE = State()
