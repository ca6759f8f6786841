"""What a category asks of the dice, and what that pays.

Four kinds of pattern, three scores and a few conditions describe every game of the family::

    face 4            all fours                            4-4-1-2-4 -> 12
    groups 3+2        faces with at least 3 and 2 dice     2-2-5-5-5 -> 19   (a pair is groups 2, two pairs 2+2)
    contains 1-2-3-4  at least these dice                  a straight, or Giant's "1-6 and two more sixes"
    any               every roll                           Chance

    matched: sum of the dice the pattern names   sum: sum of all dice   fixed: a number of points

    points = factor * score + plus      if `low` <= sum of all dice <= `high` and every die shows a face of `only`

:mod:`perfect_yatzy.game.scoring` implements them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from .._messages import _, ngettext
from ..errors import enumerated

PatternKind = Literal["face", "groups", "contains", "any"]
ScoreKind = Literal["matched", "sum", "fixed"]


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
    factor : int
        What the score is multiplied by, before `plus` is added.
    low, high : int or None
        The pattern matches only if the sum of all dice is at least `low` and at most `high`; None: no limit.
    only : tuple of int
        The pattern matches only if every die shows one of these faces, ascending; empty: any faces.
    """

    kind: PatternKind
    face: int = 0
    groups: tuple[int, ...] = ()
    distinct: bool = True
    contains: tuple[int, ...] = ()
    score: ScoreKind = "matched"
    points: int = 0
    plus: int = 0
    factor: int = 1
    low: int | None = None
    high: int | None = None
    only: tuple[int, ...] = ()

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
        # Fields of later versions are left out at their defaults: the fingerprints of older games stay the same.
        optional = {
            "plus": self.plus or None,
            "factor": self.factor if self.factor != 1 else None,
            "at_least": self.low,
            "at_most": self.high,
            "only": [*self.only] or None,
        }
        return fields | {name: value for name, value in optional.items() if value is not None}

    @property
    def fixed_points(self) -> int:
        """What the pattern pays if `score` is ``fixed``."""
        return self.factor * self.points + self.plus

    def most(self, dice: int, faces: int) -> int:
        """A bound on what the pattern pays for so many dice."""
        return self.fixed_points if self.score == "fixed" else self.factor * dice * faces + self.plus

    def excluded(self, faces: int) -> list[int]:
        """The faces that no die may show, of dice with so many faces."""
        return [face for face in range(1, faces + 1) if self.only and face not in self.only]

    def times(self, factor: int) -> Pattern:
        """The same pattern with all its points multiplied."""
        return replace(self, factor=self.factor * factor, plus=self.plus * factor)

    def divided(self, factor: int) -> Pattern:
        """The pattern before :meth:`times`."""
        return replace(self, factor=self.factor // factor, plus=self.plus // factor)

    @property
    def text(self) -> str:
        """The dice it requires and the points it scores, in words."""
        if self.score == "fixed":
            return f"{self.required}: {_points_text(self.fixed_points)}"
        if self.factor != 1:
            text = (
                _("{factor} times their sum") if self.score == "matched" else _("{factor} times the sum of all dice")
            )
            points = text.format(factor=self.factor)
        else:
            points = _("their sum") if self.score == "matched" else _("sum of all dice")
        return f"{self.required}: {points}{f' + {self.plus}' if self.plus else ''}"

    @property
    def required(self) -> str:
        """The dice it requires, in words."""
        if self.kind == "face":
            dice = _("all {face}s").format(face=self.face)
        elif self.kind == "groups":
            dice = " + ".join(_("{count} equal").format(count=size) for size in self.groups)
            dice = dice if self.distinct else _("{groups} (may be the same face)").format(groups=dice)
        elif self.kind == "contains":
            dice = "-".join(map(str, self.contains))
        else:
            dice = _("any dice")
        return ", ".join([dice, *self._conditions()])

    def _conditions(self) -> list[str]:
        """The conditions on the faces and the sum of all dice, in words."""
        found = []
        if self.only == (2, 4, 6):
            found.append(_("only even faces"))
        elif self.only == (1, 3, 5):
            found.append(_("only odd faces"))
        elif self.only:
            found.append(_("only {faces}").format(faces=enumerated(_("{face}s").format(face=n) for n in self.only)))
        if self.low is not None and self.low == self.high:
            found.append(_("sum of all dice {sum}").format(sum=self.low))
        elif self.low is not None and self.high is not None:
            found.append(_("sum at least {low} and at most {high}").format(low=self.low, high=self.high))
        elif self.low is not None:
            found.append(_("sum at least {low}").format(low=self.low))
        elif self.high is not None:
            found.append(_("sum at most {high}").format(high=self.high))
        return found


def sums_text(patterns: tuple[Pattern, ...]) -> str:
    """Fixed points for each of at least four sums in a row, in words; empty if the patterns are something else."""
    first, last = patterns[0], patterns[-1]
    rest = {replace(p, low=None, high=None, points=0, factor=1, plus=0) for p in patterns}
    sums = [p.low for p in patterns if p.low is not None and p.low == p.high]
    points = [p.fixed_points for p in patterns]
    steps = {after - before for before, after in pairwise(points)}
    in_a_row = len(sums) == len(points) > 3 and sums == [*range(sums[0], sums[0] + len(sums))]
    if not in_a_row or first.score != "fixed" or len(rest) > 1 or len(steps) > 1:
        return ""
    return _("{dice}, sum of all dice {low} to {high}: {least} to {most} points").format(
        dice=replace(first, low=None, high=None).required,
        low=first.low,
        high=last.low,
        least=points[0],
        most=points[-1],
    )


def _points_text(points: int) -> str:
    return ngettext("{count} point", "{count} points", points).format(count=points)
