"""The highest possible final score of a rule set.

Without a joker rule the boxes do not depend on each other. With one, a box may be filled in two ways: by its best
roll, or by a joker, which earns the joker bonus. The more boxes are filled, the more a joker may do, so all boxes
that take their best roll come first. What a joker pays then depends on the upper boxes that are filled, at most one
for each face: the search is over their sets, and never over the sets of all boxes.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from .dice import lattice
from .rules import RuleSet, chains
from .scoring import matching_upper_boxes, points_table, possible_points, upper_sums

NO_BOX = 0  # the class of joker rolls that no upper box matches
MAX_MATCHING = 12  # upper boxes that match jokers, over whose sets there is a search


def maximum_score(rules: RuleSet) -> int:
    """Highest possible final score; with a joker rule an upper bound of it.

    The upper sum is not part of the search: the upper bonus counts as if every upper box held as many points as
    possible. This is exact unless a joker bonus makes it better to fill an upper box with fewer points, or the joker
    rule has further conditions or the sheet several boxes of a face.
    """
    sums, upper = upper_sums(rules), 0
    for c in sums.counting:
        upper = sums.add(upper, c, max(possible_points(rules)[c]))
    return sums.bonus(upper) + _BestTurns(rules).total()


class _BestTurns:
    """The most points of every box, by its best roll and by jokers."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules, self.joker = rules, rules.joker_index
        self.boxes = range(len(rules.categories))
        table = points_table(rules)
        extra = dict(rules.first_roll_bonus)
        self.first_roll_bonus = [extra.get(category.id, 0) for category in rules.categories]
        self.by_best_roll = [self._with_bonus(c, most) for c, most in enumerate(table.max(axis=1).tolist())]
        # Jokers by the upper boxes that match them, a bitmask: the most points of each category, scored as usual.
        self.jokers: dict[int, list[int]] = {}
        # Whether the search applies: only the boxes that match jokers matter to them.
        joker = rules.joker
        self.is_plain = (
            rules.order in ("free", "forced")
            and not rules.columns
            and all(len(chain) == 1 or rules.order == "forced" for chain in chains(rules))
        )
        many = sum(category.face > 0 for category in rules.categories) > MAX_MATCHING
        if joker and (many or joker.mode == "maximum" or joker.requires == "points" or joker.bonus_while != "always"):
            self.is_plain = False
        if rules.joker:
            grid = lattice(rules.dice, rules.faces)
            is_joker = table[self.joker] > 0
            counts = grid.counts[grid.first_roll :]
            box = np.full(len(counts), NO_BOX)
            for roll in np.flatnonzero(counts.max(axis=1) == rules.dice):  # all dice show one face
                box[roll] = matching_upper_boxes(rules, counts[roll].tolist())
            self.jokers = {
                int(b): table[:, is_joker & (box == b)].max(axis=1).tolist()
                for b in sorted(set(box[is_joker].tolist()))
            }

    def total(self) -> int:
        """The most points of all boxes, first-roll and joker bonuses included."""
        joker = self.rules.joker
        if joker is None or not self.jokers:
            return sum(self.by_best_roll)
        if not self.is_plain:
            return sum(max(self.by_best_roll[c], self._by_joker(c, self.jokers, self.jokers)) for c in self.boxes)
        if self.rules.order == "forced":
            return self._forced_order()
        others = [c for c in self.boxes if c != self.joker]
        if joker.mode != "forced":
            best = (max(self.by_best_roll[c], self._by_joker(c, self.jokers, self.jokers)) for c in others)
            return self.by_best_roll[self.joker] + sum(best)
        return self._forced_jokers(others)

    def _forced_order(self) -> int:
        """The joker rule applies to the boxes after that of the joker; the matching box is open if it comes later."""
        total = sum(self.by_best_roll[: self.joker + 1])
        for c in self.boxes[self.joker + 1 :]:
            filled = [boxes for boxes in self.jokers if boxes >> c == 0]
            total += max(self.by_best_roll[c], self._by_joker(c, self.jokers, filled))
        return total

    def _forced_jokers(self, others: list[int]) -> int:
        """Free order, mode "forced": a joker goes to the matching upper box, to a lower box, to any box."""
        # Three phases: some matching upper boxes; all lower boxes; the other upper boxes. `before` and `after` hold
        # the most points of the first two phases by the set of matching boxes that are filled, a bitmask.
        categories, best_roll = self.rules.categories, self.by_best_roll
        open_boxes = {boxes: boxes & ~(1 << self.joker) for boxes in self.jokers}  # of each class, at first
        class_of = {c: boxes for boxes, bits in open_boxes.items() for c in self.boxes if bits >> c & 1}
        matching = sorted(class_of)
        lower = [c for c in others if not categories[c].upper]
        rest = [c for c in others if categories[c].upper and c not in matching]
        n_sets = 1 << len(matching)
        before, after = [0] * n_sets, [0] * n_sets
        for chosen in range(n_sets):
            taken = sum(1 << box for i, box in enumerate(matching) if chosen >> i & 1)
            filled = [boxes for boxes, bits in open_boxes.items() if not bits & ~taken]
            after[chosen] = max(
                after[chosen],
                before[chosen] + sum(max(best_roll[c], self._by_joker(c, filled, filled)) for c in lower),
            )
            for i, box in enumerate(matching):
                if not chosen >> i & 1:
                    own, then = max(best_roll[box], self._by_joker(box, [class_of[box]])), chosen | 1 << i
                    before[then] = max(before[then], before[chosen] + own)
                    after[then] = max(after[then], after[chosen] + max(own, self._by_joker(box, filled)))
        return (
            best_roll[self.joker] + after[-1] + sum(max(best_roll[c], self._by_joker(c, self.jokers)) for c in rest)
        )

    def _by_joker(self, c: int, allowed: Collection[int], filled: Collection[int] = ()) -> int:
        """The most points of a box by one of the jokers of the `allowed` classes, the joker bonus included."""
        # Classes whose matching box is filled or does not exist pay fixed points of lower boxes in full.
        joker = self.rules.joker
        if joker is None or not allowed:
            return 0
        most = max(self.jokers[box][c] for box in allowed)
        if joker.mode == "maximum":
            most = max(possible_points(self.rules)[c])
        elif filled and joker.mode != "none":
            most = max([most, *self.rules.categories[c].full_points])
        return joker.bonus + self._with_bonus(c, most)

    def _with_bonus(self, c: int, points: int) -> int:
        return points + (self.first_roll_bonus[c] if points else 0)
