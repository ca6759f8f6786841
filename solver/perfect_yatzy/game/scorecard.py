"""The scorecard: what each category holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.state import State


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
        """Sum of the upper boxes of each column, not capped. There is one sum without columns."""
        sums = [0] * max(1, len(self.rules.columns))
        for c, points in self.points.items():
            box = self.rules.categories[c]
            if box.upper:
                sums[box.column] += points
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
        tracked = rules.tracked_index  # -1: points in no box matter later
        return State(
            filled=filled,
            upper=uppers.join(tuple(totals)),
            saved=self.saved,
            joker_paid=tracked >= 0 and self.points.get(tracked, 0) > 0,
        )

    def filled_with(
        self, category: int, points: int, bonus_points: int = 0, saved: int = 0
    ) -> Scorecard:
        """Return the card after a turn, without checks.

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
