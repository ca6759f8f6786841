"""An exact oracle for small games: a direct implementation of the rules in fractions, by brute
force.

It shares no code with the solver. A game is the JSON object of its rules. Every outcome of every
reroll is enumerated, and the best of all decisions is taken::

    value(card)      = mean over first rolls of best(roll, rerolls)
    best(roll, left) = max(stop now, max over holds of mean over rerolls of best(new roll, left - 1))
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

Dice = tuple[int, ...]
Card = tuple[int, int, int, bool]  # filled, upper, saved rolls, flag


class Naive:
    """Exact values of one game. All methods are pure; the expensive ones are memoised."""

    memoised: tuple[str, ...] = (
        "value",
        "best",
        "hold_value",
        "stops",
        "endings",
        "after",
        "upper_bonus",
        "points",
        "most_points",
        "outcomes",
        "rolls",
        "holds_of",
        "widths",
    )

    def __init__(self, game: dict[str, Any]) -> None:
        self.game = game
        self.boxes: list[dict[str, Any]] = game["categories"]
        self.full_mask = (1 << len(self.boxes)) - 1
        self.columns: list[dict[str, Any]] = game.get("columns") or [
            {"order": game["order"], "factor": 1}
        ]
        paid = (
            game["bonus"]
            if isinstance(game["bonus"], list)
            else [game["bonus"]]
            if game["bonus"]
            else []
        )
        self.steps = [
            [(s["threshold"] * c["factor"], s["points"] * c["factor"]) for s in paid]
            for c in self.columns
        ]
        ids, joker = [b["id"] for b in self.boxes], game["joker"]
        self.joker_box = ids.index(joker["category"]) if joker else None
        # The flag of a card: whether the one box that other boxes or jokers ask for holds points.
        asked_for = [ids.index(b["requires"]) for b in self.boxes if b.get("requires")]
        if joker and (
            joker.get("requires") == "points" or (joker["bonus"] and "bonus_requires" not in joker)
        ):
            asked_for.append(self.joker_box)
        self.flag_box = asked_for[0] if asked_for else None
        for method in self.memoised:
            setattr(self, method, cache(getattr(self, method)))

    # --- dice ---
    def outcomes(self, number: int) -> list[tuple[Dice, Fraction]]:
        """Every unordered result of rolling a number of dice, with its chance."""
        rolls = Counter(
            tuple(sorted(r)) for r in product(range(1, self.game["faces"] + 1), repeat=number)
        )
        return [
            (roll, Fraction(orderings, self.game["faces"] ** number))
            for roll, orderings in rolls.items()
        ]

    def rolls(self, held: Dice = ()) -> list[tuple[Dice, Fraction]]:
        """Every roll that can follow if all dice but `held` are rolled, with its chance."""
        return [
            (tuple(sorted(held + new)), p)
            for new, p in self.outcomes(self.game["dice"] - len(held))
        ]

    @staticmethod
    def holds_of(dice: Dice) -> set[Dice]:
        """Every different hold of the dice, from none to all."""
        return {held for size in range(len(dice) + 1) for held in combinations(dice, size)}

    # --- points ---
    def matched(self, pattern: dict[str, Any], dice: Dice) -> int | None:
        """Sum of the dice a pattern names; None if the dice do not match."""
        kind = pattern["pattern"]
        if kind == "any":
            return sum(dice)
        if kind == "face":
            return sum(d for d in dice if d == pattern["face"]) if pattern["face"] in dice else None
        if kind == "contains":
            missing = Counter(pattern["contains"]) - Counter(dice)
            return None if missing else sum(pattern["contains"])
        # Groups: try every assignment of faces to groups.
        sizes, faces = pattern["groups"], range(1, self.game["faces"] + 1)
        assignments = (
            permutations(faces, len(sizes))
            if pattern["distinct"]
            else product(faces, repeat=len(sizes))
        )
        best = None
        for assignment in assignments:
            needed = [
                face for face, size in zip(assignment, sizes, strict=True) for _ in range(size)
            ]
            if not Counter(needed) - Counter(dice):
                best = max(best or 0, sum(needed))
        return best

    def pay(self, pattern: dict[str, Any], dice: Dice, in_full: bool) -> int:
        if "best" in pattern:
            counted = {name: value for name, value in pattern.items() if name != "best"}
            return max(
                self.pay(counted, some, in_full) for some in combinations(dice, pattern["best"])
            )
        found = self.matched(pattern, dice) if self.allowed(pattern, dice) else None
        factor, plus = pattern.get("factor", 1), pattern.get("plus", 0)
        if pattern["score"] == "fixed":
            return factor * pattern["points"] + plus if found is not None or in_full else 0
        if found is None:
            return 0
        return factor * (sum(dice) if pattern["score"] == "sum" else found) + plus

    @staticmethod
    def allowed(pattern: dict[str, Any], dice: Dice) -> bool:
        """Whether the sum and the faces of the dice are those a pattern allows."""
        if sum(dice) not in range(
            pattern.get("at_least", 0), pattern.get("at_most", sum(dice)) + 1
        ):
            return False
        return "only" not in pattern or set(dice) <= set(pattern["only"])

    def points(self, box: int, dice: Dice, in_full: bool = False) -> int:
        """Points of a category: its best pattern."""
        return max(self.pay(pattern, dice, in_full) for pattern in self.boxes[box]["patterns"])

    def most_points(self, box: int) -> int:
        return max(self.points(box, dice) for dice, _ in self.rolls())

    # --- legal categories ---
    def next_boxes(self, filled: int) -> list[int]:
        """The boxes that the order of each column allows to fill."""
        found = []
        for number, column in enumerate(self.columns):
            boxes = [i for i, box in enumerate(self.boxes) if box.get("column", 0) == number]
            vacant = [i for i in boxes if not filled & (1 << i)]
            if column["order"] == "forced":
                found += vacant[:1]
            elif column["order"] == "reversed":
                found += vacant[-1:]
            else:
                if column["order"] == "upper-first" and any(self.boxes[i]["upper"] for i in vacant):
                    vacant = [i for i in vacant if self.boxes[i]["upper"]]
                # Equal boxes of a row are filled from the first to the last.
                rows = [self.boxes[i].get("row") or self.boxes[i]["id"] for i in vacant]
                found += [i for place, i in enumerate(vacant) if rows[place] not in rows[:place]]
        return sorted(found)

    def matching_boxes(self, filled: int, dice: Dice) -> list[int]:
        """The open upper boxes that collect the one face all dice show."""
        found = []
        for i, box in enumerate(self.boxes):
            collects = [p["face"] for p in box["patterns"] if p["pattern"] == "face"]
            if box["upper"] and collects and set(dice) == {collects[0]} and not filled & (1 << i):
                found.append(i)
        return found

    def scores(self, filled: int, flag: bool, dice: Dice) -> dict[int, tuple[int, int]]:
        """Category -> (points in the box, joker bonus), for the categories that may take the
        dice.
        """
        legal, bonus = self.next_boxes(filled), 0
        points = {i: self.points(i, dice) for i in legal}
        joker = self.game["joker"]
        if joker and filled & (1 << self.joker_box) and self.points(self.joker_box, dice) > 0:
            matches = self.matching_boxes(filled, dice)
            if (joker.get("bonus_requires") == "filled" or flag) and (
                joker.get("bonus_while", "always") == "always" or matches
            ):
                bonus = joker["bonus"]
            if joker.get("requires", "filled") == "filled" or flag:
                lower = [i for i in legal if not self.boxes[i]["upper"]]
                if joker["mode"] == "maximum":
                    points = {i: self.most_points(i) for i in legal}
                elif joker["mode"] != "none" and not matches:
                    points |= {i: self.points(i, dice, True) for i in lower}
                if joker["mode"] == "forced":
                    wanted = [i for i in legal if i in matches] if matches else lower
                    legal = wanted or legal  # if none of them is next in the order, the order wins
        for i in legal:
            if self.boxes[i].get("requires") and not flag:
                points[i] = 0
        if self.game.get("crossing_out") == "only-if-nothing-scores":
            legal = [i for i in legal if points[i]] or legal
        return {i: (points[i], bonus) for i in legal}

    # --- the game ---
    def widths(self) -> list[int]:
        """How many sums of upper boxes each column can have: beyond the last threshold by the
        points of a box.
        """
        most = [0] * len(self.columns)
        for i, box in enumerate(self.boxes):
            if box["upper"]:
                most[box.get("column", 0)] = max(most[box.get("column", 0)], self.most_points(i))
        return [steps[-1][0] + points + 1 for steps, points in zip(self.steps, most, strict=True)]

    def sums(self, upper: int) -> list[int]:
        """The sum of the upper boxes of each column; together they are one number."""
        if len(self.columns) == 1 or not self.game["bonus"]:
            return [upper]
        found = []
        for width in self.widths():
            upper, total = divmod(upper, width)
            found.append(total)
        return found

    def after(
        self, filled: int, upper: int, flag: bool, box: int, points: int
    ) -> tuple[int, int, bool]:
        if self.boxes[box]["upper"] and self.game["bonus"]:
            sums, column = self.sums(upper), self.boxes[box].get("column", 0)
            sums[column] = min(self.steps[column][-1][0], sums[column] + points)
            upper = 0
            for total, width in reversed([*zip(sums, self.widths(), strict=True)]):
                upper = upper * width + total
        if box == self.flag_box and points > 0:
            flag = True
        return filled | 1 << box, upper, flag

    def upper_bonus(self, upper: int) -> int:
        if not self.game["bonus"]:
            return 0
        columns = zip(self.sums(upper), self.steps, strict=True)
        return sum(
            max((pays for least, pays in steps if total >= least), default=0)
            for total, steps in columns
        )

    def endings(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> list[tuple[int, int, Card]]:
        """(box, points of the turn, card after it) for each legal category; `left` rerolls are
        not used.
        """
        found, extra = [], self.game["first_roll_bonus"] if first else {}
        for box, (points, bonus_points) in self.scores(filled, flag, dice).items():
            made = (
                points + bonus_points + (extra.get(self.boxes[box]["id"], 0) if points > 0 else 0)
            )
            boxes, total, paid = self.after(filled, upper, flag, box, points)
            found.append((box, made, (boxes, total, left if self.game["saved_rolls"] else 0, paid)))
        return found

    def ending(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool, box: int
    ) -> tuple[int, Card]:
        """Points of the turn and card after it for one category."""
        endings = self.endings(filled, upper, flag, dice, left, first)
        return next((points, card) for ending, points, card in endings if ending == box)

    def stops(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> dict[int, Fraction]:
        """Value of each legal category if the turn ends now with `left` rerolls unused."""
        endings = self.endings(filled, upper, flag, dice, left, first)
        return {box: points + self.value(*card) for box, points, card in endings}

    def hold_value(self, filled: int, upper: int, flag: bool, held: Dice, left: int) -> Fraction:
        """Value of rerolling all dice but `held`, with `left` rerolls left before it."""
        return sum(
            p * self.best(filled, upper, flag, dice, left - 1, False)
            for dice, p in self.rolls(held)
        )

    def best(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> Fraction:
        """Best of stopping and every hold."""
        values = list(self.stops(filled, upper, flag, dice, left, first).values())
        if left > 0:
            values += [
                self.hold_value(filled, upper, flag, held, left) for held in self.holds_of(dice)
            ]
        return max(values)

    def value(self, filled: int, upper: int, saved: int = 0, flag: bool = False) -> Fraction:
        """Expected points to come at the start of a turn under optimal play."""
        if filled == self.full_mask:
            return Fraction(self.upper_bonus(upper))
        left = self.game["rolls"] - 1 + saved
        return sum(p * self.best(filled, upper, flag, dice, left, True) for dice, p in self.rolls())

    def hold_values(
        self, filled: int, upper: int, flag: bool, dice: Dice, left: int
    ) -> dict[Dice, Fraction]:
        return {
            held: self.hold_value(filled, upper, flag, held, left) for held in self.holds_of(dice)
        }

    def states(self) -> Iterator[tuple[int, int, int, bool]]:
        """Every card that a game can reach, full ones included: (filled, upper, saved, flag)."""
        max_saved = self.game["rolls"] - 1 if self.game["saved_rolls"] else 0
        found, new = set(), {(0, 0, False)}
        while new:
            found |= new
            new = {
                self.after(filled, upper, flag, box, points)
                for filled, upper, flag in new
                if filled != self.full_mask
                for dice, _ in self.rolls()
                for box, (points, _) in self.scores(filled, flag, dice).items()
            } - found
        for filled, upper, flag in found:
            for saved in range(max_saved * filled.bit_count() + 1):
                yield filled, upper, saved, flag

    def max_score(self) -> int:
        """Highest possible final score: the best roll in every turn."""

        @cache
        def most(filled: int, upper: int, flag: bool) -> int:
            if filled == self.full_mask:
                return int(self.value(filled, upper))
            return max(
                points + most(card[0], card[1], card[3])
                for dice, _ in self.rolls()
                for _, points, card in self.endings(filled, upper, flag, dice, 0, True)
            )

        return most(0, 0, False)
