"""Rule sets as data: dice, rolls, categories made of patterns, bonus, order, saved rolls, jokers.

A category pays the best of its patterns (:mod:`perfect_yatzy.core.patterns`). A box that can be
used several times, or that stands in several columns, is several categories here. Names, aliases
and summaries do not belong to the fingerprint; everything that can change the value of a game does.

A *chain* is a sequence of boxes that are filled one after another, and the order of a game is a set
of chains::

    free             each box is a chain of its own
    forced           all boxes of the column, from the top down; reversed: from the bottom up
    times = 4        four equal boxes are a chain: which of them a turn fills makes no difference

so a card is given by the number of boxes filled in each chain. Upper section first is not a chain:
each lower box requires all upper boxes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

from ..words import ENGLISH, _, either
from .patterns import Pattern, sums_text

Order = Literal["free", "forced", "reversed", "upper-first"]
Crossing = Literal["free", "only-if-nothing-scores"]
JokerMode = Literal["none", "free", "forced", "maximum"]
JokerCondition = Literal["filled", "points"]
JokerPayment = Literal["always", "matching-box-open"]


@dataclass(frozen=True)
class Category:
    """A box of the score sheet."""

    id: str  # lower-case letters, digits and hyphens; the name in JSON answers and cards
    name: str  # the name people see
    patterns: tuple[Pattern, ...]  # the category pays the best of them
    code: str = ""  # a short name, such as FH
    aliases: tuple[str, ...] = ()  # more names that are understood
    upper: bool = False  # whether the points count towards the upper bonus of its column
    requires: str = ""  # id of a category: this one pays only while that box holds points
    # id of the row of the sheet, if that has several boxes (by `times`, or in columns)
    row: str = ""
    column: int = 0  # position of the column among those of the rules
    copy: int = 0  # number of the box among those of its row and column

    def canonical(self) -> dict[str, Any]:
        """Return the fields that matter, as JSON values."""
        fields: dict[str, Any] = {"id": self.id, "upper": self.upper}
        fields["patterns"] = [pattern.canonical() for pattern in self.patterns]
        optional = {
            "requires": self.requires,
            "row": self.row,
            "column": self.column,
            "copy": self.copy,
        }
        return fields | {name: value for name, value in optional.items() if value}

    @property
    def text(self) -> str:
        """What it requires and scores, in words."""
        paid = sums_text(self.patterns) or either(pattern.text for pattern in self.patterns)
        if not self.requires:
            return paid
        return _("{paid}; only while {category} holds points").format(
            paid=paid, category=self.requires
        )

    @property
    def full_points(self) -> tuple[int, ...]:
        """The fixed points of its patterns, which a joker may pay in full. An upper box has none."""
        if self.upper:
            return ()
        return tuple(p.fixed_points for p in self.patterns if p.score == "fixed")

    @property
    def face(self) -> int:
        """The face an upper box collects, which a joker must match, or 0 if there is none."""
        if not self.upper:
            return 0
        return next((p.face for p in self.patterns if p.face), 0)


@dataclass(frozen=True)
class Bonus:
    """The upper bonus, paid once: the points of the last step that the upper boxes reach."""

    # sum of the upper boxes that the last step needs; higher sums need not be distinguished
    threshold: int
    points: int  # of the last step
    # threshold and points of the steps before, ascending
    lower_steps: tuple[tuple[int, int], ...] = ()

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Threshold and points of every step, ascending."""
        return (*self.lower_steps, (self.threshold, self.points))

    def paid(self, upper: int) -> int:
        """Return the points for a sum of the upper boxes."""
        return max((points for threshold, points in self.steps if upper >= threshold), default=0)

    def next_step(self, upper: int) -> tuple[int, int] | None:
        """Return threshold and points of the next step above an upper sum, or None after the last."""
        return next((step for step in self.steps if step[0] > upper), None)

    @property
    def text(self) -> str:
        """The points and the threshold of each step: ``35 at 63, 55 at 71``."""
        text = _("{points} at {threshold}")
        return ", ".join(
            text.format(points=points, threshold=threshold) for threshold, points in self.steps
        )

    def times(self, factor: int) -> Bonus:
        """Return the same bonus for boxes and points that are multiplied by a factor."""
        lower = tuple(
            (threshold * factor, points * factor) for threshold, points in self.lower_steps
        )
        return Bonus(self.threshold * factor, self.points * factor, lower)

    def canonical(self) -> dict[str, int] | list[dict[str, int]]:
        """Return the fields as in a rule file, a list of tables if there are several steps."""
        steps = [{"threshold": threshold, "points": points} for threshold, points in self.steps]
        return steps if len(steps) > 1 else steps[0]


@dataclass(frozen=True)
class Column:
    """A column of the sheet: all rows once more, with an order, a factor and a bonus."""

    id: str  # the name in category ids: ones.down
    name: str  # the name people see
    order: Order = "free"
    # all points of the column are multiplied by it, the bonus and its thresholds included
    factor: int = 1


@dataclass(frozen=True)
class Joker:
    """The rule for another roll that scores in `category` when that box is already filled. Yahtzee
    has such a rule, its joker.
    """

    category: str
    # points added if the box of the category holds points (see `bonus_requires`); 0 for none
    bonus: int
    # none: the roll may go to any open box and scores as usual. free: the same, but lower boxes
    # with fixed points pay in full if the matching upper box is filled or does not exist. forced:
    # the roll must go to the matching upper box if that is open; else to an open lower box, paying
    # fixed points in full; else to any open box. maximum: any open box pays the most it can for any
    # roll. A forced order of the categories takes precedence.
    mode: JokerMode
    # whether it is a joker once the box is filled, or only if that holds points
    requires: JokerCondition = "filled"
    bonus_requires: JokerCondition = "points"  # the same for the bonus
    # or only while the upper box of the face that all dice show is open
    bonus_while: JokerPayment = "always"

    def canonical(self) -> dict[str, Any]:
        """Return the fields that matter, as in a rule file."""
        fields = {"category": self.category, "bonus": self.bonus, "mode": self.mode}
        if self.requires != "filled":
            fields["requires"] = self.requires
        if self.bonus and self.bonus_requires != "points":
            fields["bonus_requires"] = self.bonus_requires
        if self.bonus and self.bonus_while != "always":
            fields["bonus_while"] = self.bonus_while
        return fields

    @property
    def depends_on_points(self) -> bool:
        """Whether it matters later if the box of the category holds points."""
        return self.requires == "points" or (self.bonus > 0 and self.bonus_requires == "points")


@dataclass(frozen=True)
class Switch:
    """A named variant of a rule set, whose patch ``RULES+ID`` applies."""

    id: str
    summary: str  # one line for people
    excludes: tuple[str, ...] = ()  # the switches that cannot be combined with it


@dataclass(frozen=True)
class Published:
    """The expected final score that others have published, checked by `yatzy tables --verify`."""

    value: str  # a decimal number with all published digits
    source: str  # where it was published

    @property
    def tolerance(self) -> float:
        """Half a unit of the last published digit."""
        decimals = len(self.value.partition(".")[2])
        return 0.5 * 10.0**-decimals


@dataclass(frozen=True, repr=False)
class RuleSet:
    """The rules of one game. Build it with :func:`perfect_yatzy.load_rules`.

    Attributes
    ----------
    id, name : str
        The name in commands and answers, and the name people see.
    dice, faces : int
        Number of dice, and of faces of each die.
    rolls_per_turn : int
        Rolls of a turn, the first included; without saved rolls.
    categories : tuple of Category
        In the order of the score sheet.
    bonus : Bonus or None
        The upper bonus; with columns that of each column, before its factor.
    order : {"free", "forced", "reversed", "upper-first"}
        Whether a turn may fill any open category, the first open one only, the last open one only,
        or lower categories only when the upper ones are filled. With columns each column has an
        order instead.
    columns : tuple of Column
        Empty: one column.
    crossing_out : {"free", "only-if-nothing-scores"}
        Whether a box may take a roll that does not score in it at any time, or only if the roll
        scores in no box it may go to.
    saved_rolls : bool
        Whether unused rolls can be used in later turns.
    joker : Joker or None
    first_roll_bonus : tuple of (str, int)
        Category id and points, by id: paid if the category scores points on the first roll of a
        turn.
    summary : str
        One line for people.
    switches : tuple of Switch
        The variants these rules offer.
    active_switches : tuple of str
        Ids of the variants that have been applied, alphabetically.
    published : Published or None
        The published value of these rules and switches.
    spec : str
        The name or file with switches these rules were loaded from; empty if they were not loaded.
    language : str
        Language code of the category names.

    Notes
    -----
    Rule sets are equal if all their fields are, except `published`, `spec` and `language`. For the game alone compare
    the `fingerprint`.
    """

    id: str
    name: str
    dice: int
    faces: int
    rolls_per_turn: int
    categories: tuple[Category, ...]
    bonus: Bonus | None = None
    order: Order = "free"
    saved_rolls: bool = False
    joker: Joker | None = None
    first_roll_bonus: tuple[tuple[str, int], ...] = ()
    columns: tuple[Column, ...] = ()
    crossing_out: Crossing = "free"
    summary: str = ""
    switches: tuple[Switch, ...] = ()
    active_switches: tuple[str, ...] = ()
    published: Published | None = field(default=None, compare=False)
    spec: str = field(default="", compare=False)
    language: str = field(default="en", compare=False)

    def __hash__(self) -> int:
        return hash(self.fingerprint)  # computed once, because rule sets are keys of several caches

    def __repr__(self) -> str:
        return f"<RuleSet {self.key}: {self.name}, {self.dice} dice, {len(self.categories)} categories>"

    def _repr_html_(self) -> str:
        from ..notebook import html_table

        rows = [(f"{c.name}{' *' if c.upper else ''}", c.id, c.text) for c in self.categories]
        caption = f"{self.name} ({self.key}). {self.summary}"
        return html_table(("box", "id", "what it scores"), rows, caption)

    @property
    def key(self) -> str:
        """The name in commands and answers: the id and the active switches, joined by ``+``."""
        return "+".join((self.id, *self.active_switches))

    @property
    def origin(self) -> str:
        """The name or file these rules were loaded from, without switches; else the id."""
        switches = "".join(f"+{switch}" for switch in self.active_switches)
        return self.spec.removesuffix(switches) or self.id

    @property
    def threshold(self) -> int:
        """Upper sum from which the whole bonus is paid, or 0 without a bonus.

        Higher sums need not be distinguished.
        """
        return self.bonus.threshold if self.bonus else 0

    @property
    def bonuses(self) -> tuple[Bonus, ...]:
        """The upper bonus of each column, with its factor. It is empty without a bonus."""
        if self.bonus is None:
            return ()
        return tuple(self.bonus.times(column.factor) for column in self.columns) or (self.bonus,)

    @cached_property
    def full_mask(self) -> int:
        """Bitmask of a card with every category filled."""
        return (1 << len(self.categories)) - 1

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Position on the score sheet by category id."""
        return {category.id: i for i, category in enumerate(self.categories)}

    @cached_property
    def joker_index(self) -> int:
        """Position of the joker's category, or -1 without a joker rule."""
        return self.index_of[self.joker.category] if self.joker else -1

    @cached_property
    def tracked_index(self) -> int:
        """Position of the one box of which it matters later whether it holds points, or -1. It
        matters for jokers and for categories with `requires`.
        """
        if self.joker and self.joker.depends_on_points:
            return self.joker_index
        return next((self.index_of[c.requires] for c in self.categories if c.requires), -1)

    def canonical(self) -> dict[str, Any]:
        """Return the fields that can change the value, as JSON values named as in a rule file."""
        joker = self.joker
        fields: dict[str, Any] = {
            "dice": self.dice,
            "faces": self.faces,
            "rolls": self.rolls_per_turn,
            "order": self.order,
            "saved_rolls": self.saved_rolls,
            "bonus": self.bonus.canonical() if self.bonus else None,
            "joker": joker.canonical() if joker else None,
            "first_roll_bonus": dict(sorted(self.first_roll_bonus)),
            "categories": [category.canonical() for category in self.categories],
        }
        # Fields of later versions are left out at their defaults: the fingerprints of older games
        # stay the same.
        if self.columns:
            fields["columns"] = [
                {"id": c.id, "order": c.order, "factor": c.factor} for c in self.columns
            ]
        if self.crossing_out != "free":
            fields["crossing_out"] = self.crossing_out
        return fields

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal.

        Rule sets with the same fingerprint are the same game.
        """
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=32)
def chains(rules: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Return the positions of the boxes of each chain, in the order they are filled. The chains are
    ordered by their first position on the sheet.
    """
    # by column, and within it by row, or by box where there are no rows; a column in a fixed order
    # is one chain, with the key ""
    boxes_of: dict[tuple[int, str], list[int]] = {}
    for position, category in enumerate(rules.categories):
        is_ordered = column_order(rules, category.column) in ("forced", "reversed")
        key = "" if is_ordered else category.row or category.id
        boxes_of.setdefault((category.column, key), []).append(position)
    for (column, _key), boxes in boxes_of.items():
        if column_order(rules, column) == "reversed":
            boxes.reverse()
    return tuple(sorted(map(tuple, boxes_of.values()), key=min))


def leaves_choice(rules: RuleSet) -> bool:
    """Return whether there are several chains, so that a turn can have boxes to choose from."""
    return len(chains(rules)) > 1


@lru_cache(maxsize=32)
def prerequisites(rules: RuleSet) -> tuple[int, ...]:
    """Return for each category the bitmask of the boxes that must be filled before it."""
    needed = [0] * len(rules.categories)
    for chain in chains(rules):
        before = 0
        for position in chain:
            needed[position] |= before
            before |= 1 << position
    for position, category in enumerate(rules.categories):
        if not category.upper and column_order(rules, category.column) == "upper-first":
            for other, box in enumerate(rules.categories):
                if box.upper and box.column == category.column:
                    needed[position] |= 1 << other
    return tuple(needed)


def column_order(rules: RuleSet, column: int) -> str:
    """Return the order within a column."""
    return rules.columns[column].order if rules.columns else rules.order


def category_label(rules: RuleSet, category: int) -> str:
    """Return what messages call a category: its id, or its name if the names are not English."""
    box = rules.categories[category]
    return box.id if rules.language == ENGLISH else box.name
