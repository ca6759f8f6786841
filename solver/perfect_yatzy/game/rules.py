"""A rule set is data: dice, rolls, categories made of patterns, bonus, order, saved rolls, jokers.

Four patterns and three ways to pay cover every game of the family::

    face 4            all fours                            4-4-1-2-4 -> 12
    groups 3+2        faces with at least 3 and 2 dice     2-2-5-5-5 -> 19   (a pair is groups 2, two pairs 2+2)
    contains 1-2-3-4  these dice at least                  a straight, or Giant's "1-6 and two more sixes"
    any               every roll                           Chance

    matched: the dice the pattern names   sum: all dice   fixed: a number of points      (+ `plus`)

A category takes the best of its patterns. Names, aliases and summaries are for people and stay out of the
fingerprint; whatever changes a value is in it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

PatternKind = Literal["face", "groups", "contains", "any"]
ScoreKind = Literal["matched", "sum", "fixed"]
Order = Literal["free", "forced"]
JokerMode = Literal["none", "free", "forced"]


@dataclass(frozen=True)
class Pattern:
    """What the dice must show, and what that pays."""

    kind: PatternKind
    face: int = 0
    groups: tuple[int, ...] = ()
    distinct: bool = True
    contains: tuple[int, ...] = ()
    score: ScoreKind = "matched"
    points: int = 0
    plus: int = 0

    def canonical(self) -> dict[str, Any]:
        """Only what matters for this kind of pattern, as plain JSON values."""
        what: dict[str, Any] = {"pattern": self.kind}
        if self.kind == "face":
            what["face"] = self.face
        elif self.kind == "groups":
            what |= {"groups": list(self.groups), "distinct": self.distinct}
        elif self.kind == "contains":
            what["contains"] = list(self.contains)
        what["score"] = self.score
        if self.score == "fixed":
            what["points"] = self.points
        if self.plus:
            what["plus"] = self.plus
        return what


@dataclass(frozen=True)
class Category:
    """A box of the score sheet. `upper` boxes count towards the bonus."""

    id: str
    name: str
    patterns: tuple[Pattern, ...]
    code: str = ""
    aliases: tuple[str, ...] = ()
    upper: bool = False

    @property
    def face(self) -> int:
        """The face an upper box collects, 0 where there is none (jokers ask for the matching box)."""
        return next((p.face for p in self.patterns if p.kind == "face"), 0) if self.upper else 0


@dataclass(frozen=True)
class Bonus:
    """Paid once, when the upper boxes reach the threshold."""

    threshold: int
    points: int


@dataclass(frozen=True)
class Joker:
    """What an extra roll of `category` means once that box is filled.

    `bonus` points are added if the box holds points. `mode` says which boxes may take the roll and whether
    fixed-point boxes pay in full: see :mod:`perfect_yatzy.game.scoring`.
    """

    category: str
    bonus: int
    mode: JokerMode


@dataclass(frozen=True)
class Switch:
    """A named variant of a rule set: the patch that `rules+switch` applies."""

    id: str
    summary: str


@dataclass(frozen=True)
class Published:
    """A value of the start position that others have printed, as an oracle for `yatzy verify`."""

    value: str
    source: str

    @property
    def tolerance(self) -> float:
        """Half a unit of the last printed digit."""
        decimals = len(self.value.partition(".")[2])
        return 0.5 * 10.0**-decimals


@dataclass(frozen=True)
class RuleSet:
    """One game, ready to be solved. Build it with :func:`perfect_yatzy.game.rule_loader.load_rules`.

    `spec` is what the command was or would be given for these rules: a name or a file, with switches. `language` is
    that of the categories' names.
    """

    id: str
    name: str
    dice: int
    faces: int
    rolls: int
    categories: tuple[Category, ...]
    bonus: Bonus | None = None
    order: Order = "free"
    saved_rolls: bool = False
    joker: Joker | None = None
    first_roll_bonus: tuple[tuple[str, int], ...] = ()
    summary: str = ""
    switches: tuple[Switch, ...] = ()
    active: tuple[str, ...] = ()
    published: Published | None = field(default=None, compare=False)
    spec: str = field(default="", compare=False)
    language: str = field(default="en", compare=False)

    def __hash__(self) -> int:
        return hash(self.fingerprint)  # computed once: rule sets are keys of several caches

    @property
    def key(self) -> str:
        """The name the command takes: the id and its active switches (alphabetically), joined by ``+``."""
        return "+".join((self.id, *self.active))

    @property
    def origin(self) -> str:
        """The name or file these rules come from, without switches."""
        return self.spec.removesuffix("".join(f"+{switch}" for switch in self.active)) or self.id

    @property
    def threshold(self) -> int:
        """Upper sums are capped here; 0 when there is no bonus and the sum is of no account."""
        return self.bonus.threshold if self.bonus else 0

    @property
    def full(self) -> int:
        """The bitmask of a card with every category filled."""
        return (1 << len(self.categories)) - 1

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Category id to position on the sheet."""
        return {category.id: i for i, category in enumerate(self.categories)}

    @cached_property
    def joker_index(self) -> int:
        """Position of the joker's category, -1 without a joker rule."""
        return self.index_of[self.joker.category] if self.joker else -1

    def canonical(self) -> dict[str, Any]:
        """The rules as plain JSON values: everything that bears on a value, nothing else."""
        return {
            "dice": self.dice,
            "faces": self.faces,
            "rolls": self.rolls,
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
        """SHA-256 of the canonical form, hexadecimal. Two rule sets with the same one are one game."""
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
