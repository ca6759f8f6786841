"""What a category asks of the dice, and what that pays.

Four kinds of pattern, three scores and a few conditions describe every game of the family::

    face 4            all fours                            4-4-1-2-4 -> 12
    groups 3+2        faces with at least 3 and 2 dice     2-2-5-5-5 -> 19   (a pair is groups 2, two pairs 2+2)
    contains 1-2-3-4  at least these dice                  a straight, or Giant's "1-6 and two more sixes"
    any               every roll                           Chance

    matched: sum of the dice the pattern names   sum: sum of all dice   fixed: a number of points

    points = factor * score + plus      if `low` <= sum of all dice <= `high` and every die shows a face of `only`
    best 5            the most points that five of the dice would pay alone

:data:`KINDS` defines each kind once: its points for all rolls at once, its fields in a rule file with their checks,
and its words. Arrays are used by their methods alone, so that reading rules loads no numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING, Any, Literal

from ..words import _, enumerated, ngettext

if TYPE_CHECKING:
    from .dice import Ints

    # For each roll: whether it matches (bool), and the sum of the dice named.
    Matches = tuple[Any, Ints | int]

ScoreKind = Literal["matched", "sum", "fixed"]
IMPOSSIBLE = -1_000  # a gain that no sum of dice outweighs


@dataclass(frozen=True)
class Pattern:
    """What the dice must show, and what that pays."""

    kind: str  # a key of KINDS
    face: int = 0  # kind face: the face that counts
    groups: tuple[int, ...] = ()  # kind groups: sizes of the groups of equal dice, descending
    distinct: bool = True  # kind groups: whether they must show different faces
    contains: tuple[int, ...] = ()  # kind contains: the dice that must be there, ascending
    score: ScoreKind = "matched"  # sum of the dice the pattern names, sum of all dice, or `points`
    points: int = 0
    plus: int = 0  # added whenever the pattern matches
    factor: int = 1  # what the score is multiplied by, before `plus` is added
    low: int | None = None  # least and most sum of all dice for which it matches
    high: int | None = None
    only: tuple[int, ...] = ()  # the faces that all dice must show, ascending; empty: any faces
    best: int | None = None  # how many of the dice count, those that pay the most; None: all

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TypeError(f"unknown kind of pattern: {self.kind!r}")

    def canonical(self) -> dict[str, Any]:
        """Return the fields that matter for this kind of pattern, as JSON values."""
        fields: dict[str, Any] = {"pattern": self.kind}
        for name in KINDS[self.kind].fields:
            value = getattr(self, name)
            fields[name] = [*value] if isinstance(value, tuple) else value
        fields["score"] = self.score
        if self.score == "fixed":
            fields["points"] = self.points
        # Fields of later versions are left out at their defaults: the fingerprints of older games
        # stay the same.
        optional = {
            "plus": self.plus or None,
            "factor": self.factor if self.factor != 1 else None,
            "at_least": self.low,
            "at_most": self.high,
            "only": [*self.only] or None,
            "best": self.best,
        }
        return fields | {name: value for name, value in optional.items() if value is not None}

    @property
    def fixed_points(self) -> int:
        """What the pattern pays if `score` is ``fixed``."""
        return self.factor * self.points + self.plus

    def paid(self, counts: Ints) -> Ints:
        """Return the points for each roll, ``(n_rolls,)``. `counts` is the number of dice that show
        each face, ``(n_rolls, faces)``.
        """
        if self.best is None:
            return self._paid_by_all(counts)
        faces = counts.shape[1]
        most: Ints = 0 * counts[:, 0]
        n_left_out = int(counts[0].sum()) - self.best
        for left_out in combinations_with_replacement(range(faces), n_left_out):
            others: Ints = counts - [left_out.count(face) for face in range(faces)]  # type: ignore[assignment]
            is_there = (others >= 0).all(axis=1)
            most = most.clip(min=is_there * self._paid_by_all(others))
        return most

    def _paid_by_all(self, counts: Ints) -> Ints:
        """Return the points for each roll if all of its dice count."""
        allowed, score = KINDS[self.kind].matches(self, counts)
        total = counts @ range(1, counts.shape[1] + 1)
        if self.low is not None:
            allowed = allowed & (total >= self.low)
        if self.high is not None:
            allowed = allowed & (total <= self.high)
        if self.only:
            others = [face - 1 for face in range(1, counts.shape[1] + 1) if face not in self.only]
            allowed = allowed & ~counts[:, others].any(axis=1)
        if self.score != "matched":
            score = self.points if self.score == "fixed" else total
        paid: Ints = allowed * (self.factor * score + self.plus)
        return paid

    def most(self, dice: int, faces: int) -> int:
        """Return a bound on what the pattern pays for so many dice."""
        if self.score == "fixed":
            return self.fixed_points
        return self.factor * (self.best or dice) * faces + self.plus

    def times(self, factor: int) -> Pattern:
        """Return the same pattern with all its points multiplied."""
        return replace(self, factor=self.factor * factor, plus=self.plus * factor)

    def divided(self, factor: int) -> Pattern:
        """Return the pattern that :meth:`times` has multiplied."""
        return replace(self, factor=self.factor // factor, plus=self.plus // factor)

    @property
    def text(self) -> str:
        """The dice it requires and the points it scores, in words."""
        if self.score == "fixed":
            points = ngettext(
                "{count} point", "{count} points", self.fixed_points, count=self.fixed_points
            )
            return f"{self.required}: {points}"
        if self.factor == 1:
            points = _("their sum") if self.score == "matched" else _("sum of all dice")
        elif self.score == "matched":
            points = _("{factor} times their sum", factor=self.factor)
        else:
            points = _("{factor} times the sum of all dice", factor=self.factor)
        return f"{self.required}: {points}" + (f" + {self.plus}" if self.plus else "")

    @property
    def required(self) -> str:
        """The dice it requires, in words."""
        conditions = [KINDS[self.kind].words(self)]
        if self.only == (2, 4, 6):
            conditions.append(_("only even faces"))
        elif self.only == (1, 3, 5):
            conditions.append(_("only odd faces"))
        elif self.only:
            faces = enumerated(_("{face}s").format(face=face) for face in self.only)
            conditions.append(_("only {faces}").format(faces=faces))
        if self.low is not None and self.low == self.high:
            conditions.append(_("sum of all dice {sum}").format(sum=self.low))
        elif self.low is not None and self.high is not None:
            conditions.append(
                _("sum at least {low} and at most {high}").format(low=self.low, high=self.high)
            )
        elif self.low is not None:
            conditions.append(_("sum at least {low}").format(low=self.low))
        elif self.high is not None:
            conditions.append(_("sum at most {high}").format(high=self.high))
        if self.best is not None:
            conditions.append(_("by the best {count} of the dice").format(count=self.best))
        return ", ".join(conditions)


@dataclass(frozen=True)
class Kind:
    """A kind of pattern."""

    # pattern, counts of dice for each roll ``(n_rolls, faces)`` -> whether each roll matches, and
    # the sum of the dice that the pattern names (any number where it does not match)
    matches: Callable[[Pattern, Ints], Matches]
    words: Callable[[Pattern], str]  # pattern -> the dice it requires, in words
    # its own fields in a rule file, which are attributes of a :class:`Pattern`
    fields: Mapping[str, KindField] = field(default_factory=dict)
    # pattern, dice, faces -> field and sentence if such dice cannot match; else None
    problem: Callable[[Pattern, int, int], tuple[str, str] | None] = lambda *_rules: None


@dataclass(frozen=True)
class KindField:
    """A field of a rule file: its type and what it means. The type is a face, dice in ascending
    order, descending sizes of groups, or a flag.
    """

    type: Literal["face", "dice", "sizes", "flag"]
    description: str


def _face_matches(pattern: Pattern, counts: Ints) -> Matches:
    number = counts[:, pattern.face - 1]
    return number > 0, number * pattern.face


def _contains_matches(pattern: Pattern, counts: Ints) -> Matches:
    needed = [pattern.contains.count(face) for face in range(1, counts.shape[1] + 1)]
    return (counts >= needed).all(axis=1), sum(pattern.contains)


def _any_matches(pattern: Pattern, counts: Ints) -> Matches:
    total = counts @ range(1, counts.shape[1] + 1)
    return total > 0, total


def _group_matches(pattern: Pattern, counts: Ints) -> Matches:
    if not pattern.distinct:
        return _shared_group_matches(pattern.groups, counts)
    # Largest group first, each on the highest face that is left. No other choice is better: where
    # two groups could change places, the larger one pays more on the higher face, and dice for the
    # larger group suffice for the other.
    faces = counts.shape[1]
    # All true, made of the array: this module loads no numpy.
    free = counts >= 0  # whether a face of a roll is left
    matches = free.all(axis=1)
    total = 0
    for size in pattern.groups:
        suitable = free & (counts >= size)
        # the highest suitable face of each roll; without any, the roll does not match
        highest = faces - suitable[:, ::-1].argmax(axis=1)
        matches &= suitable.any(axis=1)
        free &= highest[:, None] != range(1, faces + 1)
        total = total + size * highest
    return matches, total


def _shared_group_matches(groups: tuple[int, ...], counts: Ints) -> Matches:
    # Face by face: `best` is the most that the faces so far pay each roll, by the groups still
    # without a face. Groups of one size are alike, so there are few sets of them: at most 36 for
    # the 12 dice a game can have.
    counts = counts.astype("int16")  # which holds six impossible gains
    best = {groups: 0 * counts[:, 0]}  # before the first face nothing is paid
    for face in range(1, counts.shape[1] + 1):
        # by the number of dice used: their sum, and IMPOSSIBLE for a roll with fewer of the face
        gains = []
        for used in range(sum(groups) + 1):
            is_enough = (counts[:, face - 1] >= used).astype(counts.dtype)
            gains.append(is_enough * (used * face) + (1 - is_enough) * IMPOSSIBLE)
        reached: dict[tuple[int, ...], Ints] = {}  # as `best`, with this face
        for left, total in best.items():
            for rest, used in group_choices(left, sum(groups)).items():
                paid = total + gains[used]
                # the more, by roll
                reached[rest] = reached[rest].clip(min=paid) if rest in reached else paid
        best = reached
    return best[()] >= 0, best[()]  # no group is left; a negative sum has an impossible gain


@lru_cache(maxsize=1 << 12)
def group_choices(groups: tuple[int, ...], count: int) -> dict[tuple[int, ...], int]:
    """Return the dice used by each choice of groups that `count` equal dice can show. The key of a
    choice is the groups that are left.
    """
    if not groups:
        return {(): 0}
    size = groups[0]
    alike = groups.count(size)  # they come first, because the sizes descend
    choices = {}
    for chosen in range(min(alike, count // size) + 1):
        used = chosen * size
        for smaller_left, more in group_choices(groups[alike:], count - used).items():
            choices[groups[: alike - chosen] + smaller_left] = used + more
    return choices


def _group_words(pattern: Pattern) -> str:
    dice = " + ".join(_("{count} equal").format(count=size) for size in pattern.groups)
    return dice if pattern.distinct else _("{groups} (may be the same face)").format(groups=dice)


def _group_problem(pattern: Pattern, dice: int, faces: int) -> tuple[str, str] | None:
    if sum(pattern.groups) > dice:
        return "groups", _(
            "needs {needed} dice; the rules have {dice}", needed=sum(pattern.groups), dice=dice
        )
    if pattern.distinct and len(pattern.groups) > faces:
        message = _("needs {needed} different faces; the dice have {faces}")
        return "groups", message.format(needed=len(pattern.groups), faces=faces)
    return None


KINDS = {
    "any": Kind(_any_matches, lambda pattern: _("any dice")),
    "face": Kind(
        _face_matches,
        lambda pattern: _("all {face}s").format(face=pattern.face),
        {"face": KindField("face", 'For "face": the dice that count.')},
    ),
    "groups": Kind(
        _group_matches,
        _group_words,
        {
            "groups": KindField("sizes", 'For "groups": [3, 2] is a full house.'),
            "distinct": KindField("flag", 'For "groups": whether they must show different faces.'),
        },
        _group_problem,
    ),
    "contains": Kind(
        _contains_matches,
        lambda pattern: "-".join(map(str, pattern.contains)),
        {"contains": KindField("dice", 'For "contains": dice that must be there.')},
    ),
}


def sums_text(patterns: tuple[Pattern, ...]) -> str:
    """Return, in words, the fixed points for each of at least four sums in a row. The text is empty
    if the patterns are something else.
    """
    if not _pays_sums_in_a_row(patterns):
        return ""
    first, last = patterns[0], patterns[-1]
    text = _("{dice}, sum of all dice {low} to {high}: {least} to {most} points")
    return text.format(
        dice=replace(first, low=None, high=None).required,
        low=first.low,
        high=last.low,
        least=first.fixed_points,
        most=last.fixed_points,
    )


def _pays_sums_in_a_row(patterns: tuple[Pattern, ...]) -> bool:
    """Return whether at least four patterns pay for consecutive sums, points in equal steps."""
    sums = [p.low for p in patterns if p.low is not None and p.low == p.high]
    if len(patterns) < 4 or len(sums) < len(patterns) or patterns[0].score != "fixed":
        return False
    if sums != [*range(sums[0], sums[0] + len(sums))]:
        return False
    otherwise = {replace(p, low=None, high=None, points=0, factor=1, plus=0) for p in patterns}
    steps = {after.fixed_points - before.fixed_points for before, after in pairwise(patterns)}
    return len(otherwise) == len(steps) == 1
