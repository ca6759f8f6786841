"""The highest score of a game, which people are told, and by which goals are bounded."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..core.dice import lattice
from ..core.rules import RuleSet, chains
from ..core.scoring import (
    first_roll_points,
    matching_upper_boxes,
    points_table,
    possible_points,
    upper_sums,
)

NO_BOX = 0  # the class of joker rolls that no upper box matches
MAX_MATCHING = 12  # upper boxes that match jokers, over whose sets there is a search


def maximum_score(rules: RuleSet) -> int:
    """Return the highest possible final score, or with a joker rule an upper bound of it.

    The upper sum is not part of the search: the upper bonus counts as if every upper box held as
    many points as possible. This is exact unless a joker bonus makes it better to fill an upper box
    with fewer points, or the search does not apply (:func:`is_highest_score_exact`).
    """
    sums = upper_sums(rules)
    upper = 0
    for c in sums.counting:
        upper = sums.add(upper, c, max(possible_points(rules)[c]))
    return sums.bonus(upper) + _BestTurns(rules).total()


def is_highest_score_exact(rules: RuleSet) -> bool:
    """Return whether :func:`maximum_score` searches the ways to fill the boxes with jokers.

    If not, it may be more than any game can score.
    """
    return rules.joker is None or _BestTurns(rules).is_plain


class _BestTurns:
    """The most points of every box, by its best roll, or by a joker, which earns the joker bonus.

    The more boxes are filled, the more a joker may do, so best rolls come first. What a joker pays
    depends on the upper boxes that are filled: the search is over their sets alone.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.joker_box = rules.joker_index
        self.boxes = range(len(rules.categories))
        joker = rules.joker
        # of a joker, and of one whose matching box is filled or does not exist
        self.joker_bonus = joker.bonus if joker else 0
        self.free_bonus = self.joker_bonus if joker and joker.bonus_while == "always" else 0
        self.first_roll_points = first_roll_points(rules)
        most_by_roll = points_table(rules).max(axis=1).tolist()
        self.by_best_roll = [self._with_bonus(c, most) for c, most in enumerate(most_by_roll)]
        self.jokers = self._points_by_jokers()

    @property
    def is_plain(self) -> bool:
        """Whether the search applies: only the boxes that match jokers matter to them.

        The box of the joker can always be filled with points before them.
        """
        rules = self.rules
        joker = rules.joker
        return (
            joker is not None
            and (
                joker.bonus_while == "always" or (joker.mode == "forced" and rules.order == "free")
            )
            and (joker.mode == "maximum" or rules.crossing_out == "free")
            and sum(category.face > 0 for category in rules.categories) <= MAX_MATCHING
            and (rules.order in ("free", "forced") and not rules.columns)
            and all(len(chain) == 1 or rules.order == "forced" for chain in chains(rules))
        )

    def _points_by_jokers(self) -> dict[int, list[int]]:
        """Return the most points of each category for a joker of each class, not paid in full.

        Joker rolls that the same upper boxes match are a class, with the bitmask of these boxes as
        its number.
        """
        rules = self.rules
        if rules.joker is None:
            return {}
        table = points_table(rules)
        grid = lattice(rules.dice, rules.faces)
        is_joker = table[self.joker_box] > 0
        counts = grid.counts[grid.first_roll :]
        class_of_roll = np.full(len(counts), NO_BOX)
        for roll in np.flatnonzero(counts.max(axis=1) == rules.dice):  # all dice show one face
            class_of_roll[roll] = matching_upper_boxes(rules, counts[roll].tolist())
        return {
            matched: table[:, is_joker & (class_of_roll == matched)].max(axis=1).tolist()
            for matched in np.unique(class_of_roll[is_joker]).tolist()
        }

    def total(self) -> int:
        """Return the most points of all boxes, first-roll and joker bonuses included.

        With jokers it is an upper bound unless `is_plain`.
        """
        joker = self.rules.joker
        if joker is None:
            return sum(self.by_best_roll)
        if self.is_plain and self.rules.order == "forced":
            return self._forced_order()
        others = [c for c in self.boxes if c != self.joker_box]
        if self.is_plain and joker.mode == "forced":
            return self._forced_jokers(others)
        # Any joker may go to any other box, and pay in full: a bound if the search does not apply.
        return self.by_best_roll[self.joker_box] + sum(
            self._most(c, self.jokers, self.jokers) for c in others
        )

    def _forced_order(self) -> int:
        """Return the most points if the order is forced.

        The joker rule applies to the boxes after that of the joker. The matching box is open if it
        comes later.
        """
        total = sum(self.by_best_roll[: self.joker_box + 1])
        for c in self.boxes[self.joker_box + 1 :]:
            # The classes whose boxes all come before c.
            filled = [matched for matched in self.jokers if matched < 1 << c]
            total += self._most(c, self.jokers, filled)
        return total

    def _forced_jokers(self, others: list[int]) -> int:
        """Return the most points in free order with jokers of the mode "forced".

        A joker goes to the matching upper box, else to a lower box, else to any box.
        """
        # First the box of the joker, then some of the matching upper boxes, all lower boxes, and
        # the other matching ones. The jokers of a class are free to go to other boxes when those
        # that match them are filled.
        categories = self.rules.categories
        # The boxes to fill of each class, as a bitmask: all but the joker's own.
        to_fill = {matched: matched & ~(1 << self.joker_box) for matched in self.jokers}
        class_of = {  # of the jokers that match a box
            c: matched for matched, bits in to_fill.items() for c in self.boxes if bits >> c & 1
        }
        matching = sorted(class_of)
        lower = [c for c in others if not categories[c].upper]
        rest = [c for c in others if categories[c].upper and c not in matching]
        # The most points by the set of matching boxes that are filled, while the lower boxes are
        # open and when they are filled. A set is a bitmask of places in `matching`, and follows all
        # its subsets.
        n_sets = 1 << len(matching)
        lower_open, lower_filled = [0] * n_sets, [0] * n_sets
        for chosen in range(n_sets):
            filled = sum(1 << box for place, box in enumerate(matching) if chosen >> place & 1)
            free = [matched for matched, bits in to_fill.items() if not bits & ~filled]
            by_lower = sum(self._most(c, free, free, self.free_bonus) for c in lower)
            lower_filled[chosen] = max(lower_filled[chosen], lower_open[chosen] + by_lower)
            for place, box in enumerate(matching):
                if not chosen >> place & 1:
                    with_box = chosen | 1 << place
                    by_own_joker = self._most(box, [class_of[box]])
                    points_open = lower_open[chosen] + by_own_joker
                    lower_open[with_box] = max(lower_open[with_box], points_open)
                    # With all lower boxes filled, free jokers may go to it as well.
                    by_free_joker = self._most(box, free, bonus=self.free_bonus)
                    points_filled = lower_filled[chosen] + max(by_own_joker, by_free_joker)
                    lower_filled[with_box] = max(lower_filled[with_box], points_filled)
        return (
            self.by_best_roll[self.joker_box]
            + lower_filled[-1]
            + sum(self._most(c, self.jokers, bonus=self.free_bonus) for c in rest)
        )

    def _most(
        self,
        c: int,
        classes: Collection[int],
        in_full: Collection[int] = (),
        bonus: int | None = None,
    ) -> int:
        """Return the most points of a box, by its best roll or by a joker, which earns a bonus.

        The joker is one of `classes`, keys of `jokers`. Those `in_full`, whose matching box is
        filled or does not exist, pay fixed points of lower boxes in full. The bonus is that of any
        joker by default.
        """
        joker = self.rules.joker
        if joker is None or not classes:
            return self.by_best_roll[c]
        most = max(self.jokers[matched][c] for matched in classes)
        if joker.mode == "maximum":
            most = max(possible_points(self.rules)[c])
        elif in_full and joker.mode != "none":
            most = max([most, *self.rules.categories[c].full_points])
        earned = self.joker_bonus if bonus is None else bonus
        return max(self.by_best_roll[c], earned + self._with_bonus(c, most))

    def _with_bonus(self, c: int, points: int) -> int:
        """Return the points in a box with its bonus for a first roll."""
        return points + (self.first_roll_points[c] if points else 0)
