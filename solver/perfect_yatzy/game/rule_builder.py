"""Builds a :class:`~perfect_yatzy.core.rules.RuleSet` from the values of a rule file, after
extension and patches.

The values must be valid: :mod:`.rule_schema` checks those of users, and a test those of the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.patterns import Pattern
from ..core.rules import Bonus, Category, Column, Joker, Published, RuleSet, Switch
from .rule_fields import (
    COLUMN_FIELDS,
    JOKER_FIELDS,
    KIND_FIELDS,
    ONLY,
    PATTERN_FIELDS,
    PLAIN_FIELDS,
    ROW_FIELDS,
    Fields,
)
from .rule_patches import exclusions
from .translations import boxes_of

Values = Mapping[str, Any]
# The fields of a rule set that are as they are in a file.
SAME_NAMES = ("id", "name", "dice", "faces", "saved_rolls", "crossing_out", "summary")
BOX_PLACES = ("row", "column", "copy")  # of rules as JSON, whose categories may be the boxes


def built_rules(raw: Values, active: tuple[str, ...], spec: str) -> RuleSet:
    """Return the rule set of valid values with some switches applied.

    `spec` is the name or file they are loaded from.
    """
    plain = _with_defaults(raw, PLAIN_FIELDS)
    entries = raw["categories"]
    order = plain["order"]
    columns = tuple(
        Column(**_with_defaults({"order": order} | entry, COLUMN_FIELDS))
        for entry in raw.get("columns", ())
    )
    rows = []
    for entry in entries:
        patterns = [pattern_of(p, plain["dice"], plain["faces"]) for p in pattern_values(entry)]
        rows.append((category_of(entry, tuple(patterns)), entry.get("times", 1)))
    listed = has_boxes(entries)
    boxes = tuple(box for box, _times in rows) if listed else boxes_of(rows, columns)
    points_of_rows = raw.get("first_roll_bonus") or {}
    first_roll_bonus = []
    for box in boxes:
        name, factor = earner(box, columns, listed)
        if name in points_of_rows:
            first_roll_bonus.append((box.id, points_of_rows[name] * factor))
    bonus = raw.get("bonus")
    joker = raw.get("joker")
    switches = raw.get("switches") or {}
    excluded = exclusions(switches)
    return RuleSet(
        **{name: plain[name] for name in SAME_NAMES},
        rolls_per_turn=plain["rolls"],
        categories=boxes,
        bonus=bonus_of(bonus) if bonus else None,
        order="free" if columns else order,
        joker=Joker(**_with_defaults(joker, JOKER_FIELDS)) if joker else None,
        first_roll_bonus=tuple(sorted(first_roll_bonus)),
        columns=columns,
        switches=tuple(
            Switch(name, patch["summary"], excluded[name]) for name, patch in switches.items()
        ),
        active_switches=active,
        published=_published(raw.get("published", ()), active),
        spec=spec,
    )


def earner(box: Category, columns: Sequence[Column], listed: bool) -> tuple[str, int]:
    """Return what the file calls a box, and the factor of its points there."""
    if listed or not box.row:
        return box.id, 1
    return box.row, columns[box.column].factor if columns else 1


def has_boxes(categories: Sequence[Values]) -> bool:
    """Return whether the categories of the values are the boxes of the sheet, not its rows."""
    return any("row" in entry for entry in categories)


def category_of(entry: Values, patterns: tuple[Pattern, ...]) -> Category:
    """Return a row of the sheet, or a box."""
    values = _with_defaults(entry, ROW_FIELDS)
    del values["times"]
    values["aliases"] = tuple(values["aliases"])
    place = {name: entry[name] for name in BOX_PLACES if name in entry}
    return Category(patterns=patterns, **values, **place)


def pattern_values(entry: Values) -> Iterator[dict[str, Any]]:
    """Return the values of each pattern of a category."""
    shared = {name: value for name, value in entry.items() if name in PATTERN_FIELDS}
    patterns: Sequence[dict[str, Any]] = entry.get("patterns") or ({},)
    return (shared | own for own in patterns)


def pattern_of(values: Values, dice: int, faces: int) -> Pattern:
    """Return one pattern, for so many dice."""
    own: dict[str, Any] = {
        name: value
        for name, value in values.items()
        if name in KIND_FIELDS or name in ("points", "plus", "factor")
    }
    for name, value in own.items():
        if isinstance(value, list):  # sizes of groups descend, faces ascend
            own[name] = tuple(sorted(value, reverse=name == "groups"))
    only = values.get("only") or ()  # faces, or the word for them
    only_faces = ONLY[only] if isinstance(only, str) else only
    best = values.get("best", dice)
    return Pattern(
        kind=values["pattern"],
        **own,
        score=values.get("score", "fixed" if "points" in values else "matched"),
        low=values.get("sum", values.get("at_least")),
        high=values.get("sum", values.get("at_most")),
        only=tuple(sorted({face for face in only_faces if face <= faces})),
        best=best if best < dice else None,
    )


def bonus_of(value: Values | Sequence[Values]) -> Bonus:
    """Return the upper bonus, from a table or from a list of tables, one for each step."""
    entries = [value] if isinstance(value, Mapping) else value
    *lower, last = [(entry["threshold"], entry["points"]) for entry in entries]
    return Bonus(*last, tuple(lower))


def _published(entries: Sequence[Values], active: tuple[str, ...]) -> Published | None:
    """Return the published value of the active switches, if there is one.

    If several entries have these switches, the last one counts.
    """
    for entry in reversed(entries):
        if {*entry.get("switches", ())} == {*active}:
            return Published(entry["value"], entry.get("source", ""))
    return None


def _with_defaults(table: Values, fields: Fields) -> dict[str, Any]:
    """Return the values of some fields of a table."""
    return {name: table.get(name, field.default) for name, field in fields.items()}
