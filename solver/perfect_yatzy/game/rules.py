"""Rule sets as data: dice, rolls, categories made of patterns, bonus, order, saved rolls, jokers.

Four kinds of pattern and three scores describe every game of the family::

    face 4            all fours                            4-4-1-2-4 -> 12
    groups 3+2        faces with at least 3 and 2 dice     2-2-5-5-5 -> 19   (a pair is groups 2, two pairs 2+2)
    contains 1-2-3-4  at least these dice                  a straight, or Giant's "1-6 and two more sixes"
    any               every roll                           Chance

    matched: sum of the dice the pattern names   sum: sum of all dice   fixed: a number of points      (+ `plus`)

A category pays the best of its patterns. :mod:`perfect_yatzy.game.scoring` implements them. Names, aliases and
summaries do not belong to the fingerprint; everything that can change the value of a game does.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from .number_words import plural

PatternKind = Literal["face", "groups", "contains", "any"]
ScoreKind = Literal["matched", "sum", "fixed"]
Order = Literal["free", "forced"]
JokerMode = Literal["none", "free", "forced"]


@dataclass(frozen=True)
class Pattern:
    """What the dice must show, and what that pays.

    Attributes
    ----------
    kind : {"face", "groups", "contains", "any"}
    face : int
        The face that counts; kind ``face`` only, else 0.
    groups : tuple of int
        Sizes of the groups of equal dice, descending; kind ``groups`` only.
    distinct : bool
        Whether the groups must show different faces; kind ``groups`` only.
    contains : tuple of int
        The dice that must be there, ascending; kind ``contains`` only.
    score : {"matched", "sum", "fixed"}
        Sum of the dice the pattern names, sum of all dice, or `points`.
    points : int
        Points if `score` is ``fixed``, else 0.
    plus : int
        Points added whenever the pattern matches.
    """

    kind: PatternKind
    face: int = 0
    groups: tuple[int, ...] = ()
    distinct: bool = True
    contains: tuple[int, ...] = ()
    score: ScoreKind = "matched"
    points: int = 0
    plus: int = 0

    def canonical(self) -> dict[str, Any]:
        """The fields that matter for this kind of pattern, as JSON values."""
        fields: dict[str, Any] = {"pattern": self.kind}
        if self.kind == "face":
            fields["face"] = self.face
        elif self.kind == "groups":
            fields |= {"groups": list(self.groups), "distinct": self.distinct}
        elif self.kind == "contains":
            fields["contains"] = list(self.contains)
        fields["score"] = self.score
        if self.score == "fixed":
            fields["points"] = self.points
        if self.plus:
            fields["plus"] = self.plus
        return fields

    @property
    def text(self) -> str:
        """The dice it requires and the points it scores, in words."""
        if self.kind == "face":
            required = f"all {self.face}s"
        elif self.kind == "groups":
            required = " + ".join(f"{size} equal" for size in self.groups)
            required += "" if self.distinct else " (may be the same face)"
        elif self.kind == "contains":
            required = "-".join(map(str, self.contains))
        else:
            required = "any dice"
        points = {"matched": "their sum", "sum": "sum of all dice", "fixed": f"{self.points} points"}
        return f"{required}: {points[self.score]}{f' + {self.plus}' if self.plus else ''}"


@dataclass(frozen=True)
class Category:
    """A box of the score sheet.

    Attributes
    ----------
    id : str
        Lower-case letters, digits and hyphens; the name in JSON answers and cards.
    name : str
        The name people see.
    patterns : tuple of Pattern
        The category pays the best of them.
    code : str
        A short name, such as ``FH``; may be empty.
    aliases : tuple of str
        More names that are understood.
    upper : bool
        Whether the points count towards the upper bonus.
    """

    id: str
    name: str
    patterns: tuple[Pattern, ...]
    code: str = ""
    aliases: tuple[str, ...] = ()
    upper: bool = False

    @property
    def text(self) -> str:
        """What it requires and scores, in words."""
        return " or ".join(pattern.text for pattern in self.patterns)

    @property
    def face(self) -> int:
        """The face an upper box collects, 0 if there is none; the joker rules need the matching upper box."""
        return next((p.face for p in self.patterns if p.kind == "face"), 0) if self.upper else 0


@dataclass(frozen=True)
class Bonus:
    """The upper bonus, paid once if the upper boxes reach the threshold.

    Attributes
    ----------
    threshold : int
        Sum of the upper boxes that is needed.
    points : int
    """

    threshold: int
    points: int


@dataclass(frozen=True)
class Joker:
    """The rule for another roll that scores in `category` when that box is already filled (Yahtzee's joker).

    Attributes
    ----------
    category : str
        Id of the category.
    bonus : int
        Points added if the box of the category holds points (not if it was crossed out); 0 for none.
    mode : {"none", "free", "forced"}
        ``none``: the roll may go to any open box and scores as usual. ``free``: the same, but lower boxes with fixed
        points pay in full if the matching upper box is filled or does not exist. ``forced``: the roll must go to the
        matching upper box if that is open; else to an open lower box, paying fixed points in full; else to any open
        box. A forced order of the categories takes precedence.
    """

    category: str
    bonus: int
    mode: JokerMode


@dataclass(frozen=True)
class Switch:
    """A named variant of a rule set; ``RULES+ID`` applies its patch.

    Attributes
    ----------
    id : str
    summary : str
        One line for people.
    """

    id: str
    summary: str


@dataclass(frozen=True)
class Published:
    """The expected final score that others have published, checked by `yatzy verify`.

    Attributes
    ----------
    value : str
        A decimal number with all published digits.
    source : str
        Where it was published.
    """

    value: str
    source: str

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
        The upper bonus.
    order : {"free", "forced"}
        Whether a turn may fill any open category, or the first open one only.
    saved_rolls : bool
        Whether unused rolls can be used in later turns.
    joker : Joker or None
    first_roll_bonus : tuple of (str, int)
        Category id and points, by id: paid if the category scores points on the first roll of a turn.
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
        from .notebook import html_table

        rows = [(f"{c.name}{' *' if c.upper else ''}", c.id, c.text) for c in self.categories]
        caption = ". ".join([f"{self.name} ({self.key})", *self.sentences()])
        return html_table(("box", "id", "what it scores"), rows, f"{caption}.")

    def sentences(self) -> list[str]:
        """The rules apart from the boxes: dice, order, upper bonus, saved rolls, jokers, first rolls."""
        names = {category.id: category.name for category in self.categories}
        order = "in the listed order" if self.order == "forced" else "in any order"
        found = [
            f"{plural(self.dice, 'die', 'dice').capitalize()} with {self.faces} faces, "
            f"{plural(self.rolls_per_turn, 'roll')} a turn, {len(self.categories)} categories {order}",
        ]
        if self.bonus:
            reached = f"when the upper categories (*) reach {self.bonus.threshold}"
            found.append(f"Upper bonus of {self.bonus.points} points {reached}")
        if self.saved_rolls:
            found.append("Unused rolls are saved for later turns")
        if self.joker:
            name = names[self.joker.category]
            found.append(f"A further {name} pays {self.joker.bonus} bonus points and is a {self.joker.mode} joker")
        for category, points in self.first_roll_bonus:
            found.append(f"{names[category]} on the first roll pays {points} bonus points")
        return found

    @property
    def key(self) -> str:
        """The name in commands and answers: the id and the active switches, joined by ``+``."""
        return "+".join((self.id, *self.active_switches))

    @property
    def origin(self) -> str:
        """The name or file these rules were loaded from, without switches."""
        return self.spec.removesuffix("".join(f"+{switch}" for switch in self.active_switches)) or self.id

    @property
    def threshold(self) -> int:
        """Upper sum from which the bonus is paid; higher sums need not be told apart. 0 if there is no bonus."""
        return self.bonus.threshold if self.bonus else 0

    @property
    def full_mask(self) -> int:
        """Bitmask of a card with every category filled."""
        return (1 << len(self.categories)) - 1

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Position on the score sheet by category id."""
        return {category.id: i for i, category in enumerate(self.categories)}

    @cached_property
    def joker_index(self) -> int:
        """Position of the joker's category; -1 without a joker rule."""
        return self.index_of[self.joker.category] if self.joker else -1

    def canonical(self) -> dict[str, Any]:
        """The fields that can change the value of the game, as JSON values with the names of a rule file."""
        return {
            "dice": self.dice,
            "faces": self.faces,
            "rolls": self.rolls_per_turn,
            "order": self.order,
            "saved_rolls": self.saved_rolls,
            "bonus": {"threshold": self.bonus.threshold, "points": self.bonus.points} if self.bonus else None,
            "joker": (
                {"category": self.joker.category, "bonus": self.joker.bonus, "mode": self.joker.mode}
                if self.joker
                else None
            ),
            "first_roll_bonus": dict(sorted(self.first_roll_bonus)),
            "categories": [
                {"id": c.id, "upper": c.upper, "patterns": [p.canonical() for p in c.patterns]}
                for c in self.categories
            ],
        }

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal; rule sets with the same fingerprint are the same game."""
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
