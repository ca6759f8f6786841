"""The schema of a pattern in a rule file: its kind, its conditions and its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._messages import _, number_text
from ..errors import shown
from .patterns import KINDS, KindField, Pattern
from .rule_problems import FieldPath
from .rule_values import ValueReader

MAX_POINTS = 10_000
MAX_FACTOR = 100
MAX_BOX_POINTS = 20_000  # fits the 16-bit boxes of simulated games
SCORES = ("matched", "sum", "fixed")
ONLY = {"even": (2, 4, 6), "odd": (1, 3, 5)}
KIND_FIELDS = {name: field for kind in KINDS.values() for name, field in kind.fields.items()}
PATTERN_FIELDS = {
    "pattern", *KIND_FIELDS, "sum", "at_least", "at_most", "only", "score", "points", "factor", "plus",
}  # fmt: skip


def read_pattern(check: ValueReader, raw: Mapping[str, Any], path: FieldPath, dice: int, faces: int) -> Pattern:
    """One pattern: the fields its kind needs, the fields it must not have, its conditions and its score."""
    check.check_fields(raw, path, PATTERN_FIELDS)
    kind = check.choice(raw, (*path, "pattern"), tuple(KINDS), None)
    if raw.get("pattern") != kind:
        return Pattern("any")
    own = KINDS[kind].fields
    given = {
        name: _read_field(check, raw, (*path, name), field, dice, faces)
        for name, field in KIND_FIELDS.items()
        if name in own or field.type == "flag"  # a flag has a default, and may stand anywhere
    }
    for name, field in KIND_FIELDS.items():
        if name in raw and name not in own and field.type != "flag":
            check.add_problem((*path, name), _("does not belong to the pattern {name}").format(name=repr(kind)))
    low, high = _sum_limits(check, raw, path, dice * faces)
    score = check.choice(raw, (*path, "score"), SCORES, "fixed" if "points" in raw else "matched")
    if score == raw.get("score") != "fixed" and "points" in raw:
        message = _("are fixed, but score is {score}; leave one of the two out")
        check.add_problem((*path, "points"), message.format(score=repr(score)))
    found = Pattern(
        kind=kind,
        **given,
        score=score,
        points=check.number(raw, (*path, "points"), 1, MAX_POINTS) if score == "fixed" else 0,
        plus=check.number(raw, (*path, "plus"), 0, MAX_POINTS, 0),
        factor=check.number(raw, (*path, "factor"), 1, MAX_FACTOR, 1),
        low=low,
        high=high,
        only=_only(check, raw, (*path, "only"), faces),
    )
    if problem := KINDS[kind].problem(found, dice, faces):
        check.add_problem((*path, problem[0]), problem[1])
    if found.most(dice, faces) > MAX_BOX_POINTS:
        message = _("pays up to {points} points; at most {most} are allowed")
        points, most = (number_text(n, grouped=True) for n in (found.most(dice, faces), MAX_BOX_POINTS))
        check.add_problem((*path, "factor"), message.format(points=points, most=most))
    return found


def _read_field(
    check: ValueReader, raw: Mapping[str, Any], path: FieldPath, field: KindField, dice: int, faces: int
) -> Any:
    """A field of one kind of pattern."""
    if field.type == "flag":
        return check.flag(raw, path, True)
    if field.type == "face":
        return check.number(raw, path, 1, faces)
    is_sizes = field.type == "sizes"
    found = check.number_list(raw, path, 1, dice if is_sizes else faces, dice)
    return tuple(sorted(found, reverse=is_sizes))


def _sum_limits(
    check: ValueReader, raw: Mapping[str, Any], path: FieldPath, most: int
) -> tuple[int | None, int | None]:
    """The least and the highest sum of all dice, None without a limit; `sum` is both."""
    given = {
        name: check.number(raw, (*path, name), 1, most) if name in raw else None
        for name in ("sum", "at_least", "at_most")
    }
    exact, low, high = given.values()
    if exact is not None:
        for name in ("at_least", "at_most"):
            if name in raw:
                message = _("does not go with `{other}`; leave one of the two out").format(other="sum")
                check.add_problem((*path, name), message)
        return exact, exact
    if low is not None and high is not None and low > high:
        message = _("is {low}, more than at_most {high}").format(low=low, high=high)
        check.add_problem((*path, "at_least"), message)
    return low, high


def _only(check: ValueReader, raw: Mapping[str, Any], path: FieldPath, faces: int) -> tuple[int, ...]:
    """The faces the dice may show, ascending; empty if all are allowed."""
    value = raw.get("only")
    if value is None:
        return ()
    if isinstance(value, list):
        allowed = set(check.number_list(raw, path, 1, faces, faces))
    elif isinstance(value, str) and value in ONLY:
        allowed = {face for face in ONLY[value] if face <= faces}
    else:
        must = _('must be "even", "odd" or a list of faces')
        check.add_problem(path, _("is {value}; {must}").format(value=shown(value), must=must))
        allowed = set()
    return tuple(sorted(allowed))
