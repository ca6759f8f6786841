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
BOX_PLACES = ("row", "column", "copy")  # of rules as JSON, whose categories may be the boxes


def built_rules(raw: Values, active: tuple[str, ...], spec: str) -> RuleSet:
    """The rule set of valid values with some switches applied; `spec`: what they are loaded from."""
    plain = _with_defaults(raw, PLAIN_FIELDS)
    columns = columns_of(raw)
    dice, faces = plain["dice"], plain["faces"]
    categories = raw["categories"]
    boxes = [category_of(entry, patterns_of(entry, dice, faces)) for entry in categories]
    listed = has_boxes(categories)
    if not listed:
        times = [entry.get("times", ROW_FIELDS["times"].default) for entry in categories]
        boxes = [*boxes_of([*zip(boxes, times, strict=True)], columns)]
    first_roll_bonus = [
        (box.id, points * (1 if listed or not columns else columns[box.column].factor))
        for box in boxes
        for name, points in (raw.get("first_roll_bonus") or {}).items()
        if name == (box.id if listed else box.row or box.id)
    ]
    bonus, joker, switches = raw.get("bonus"), raw.get("joker"), raw.get("switches") or {}
    excluded = exclusions(switches)
    return RuleSet(
        id=plain["id"],
        name=plain["name"],
        dice=dice,
        faces=faces,
        rolls_per_turn=plain["rolls"],
        categories=tuple(boxes),
        bonus=bonus_of(bonus) if bonus else None,
        order="free" if columns else plain["order"],
        saved_rolls=plain["saved_rolls"],
        joker=Joker(**_with_defaults(joker, JOKER_FIELDS)) if joker else None,
        first_roll_bonus=tuple(sorted(first_roll_bonus)),
        columns=columns,
        crossing_out=plain["crossing_out"],
        summary=plain["summary"],
        switches=tuple(
            Switch(name, patch["summary"], excluded[name]) for name, patch in switches.items()
        ),
        active_switches=active,
        published=_published(raw.get("published", ()), active),
        spec=spec,
    )


def columns_of(raw: Values) -> tuple[Column, ...]:
    """The columns of the sheet, whose order is by default that of the rules."""
    default = {"order": raw.get("order", PLAIN_FIELDS["order"].default)}
    return tuple(
        Column(**_with_defaults(default | entry, COLUMN_FIELDS)) for entry in raw.get("columns", ())
    )


def has_boxes(categories: Sequence[Values]) -> bool:
    """Whether the categories of the values are the boxes of the sheet, not its rows."""
    return any("row" in entry for entry in categories)


def category_of(entry: Values, patterns: tuple[Pattern, ...]) -> Category:
    """A row of the sheet, or a box."""
    values = _with_defaults(entry, ROW_FIELDS)
    del values["times"]
    values["aliases"] = tuple(values["aliases"])
    place = {name: entry[name] for name in BOX_PLACES if name in entry}
    return Category(patterns=patterns, **values, **place)


def patterns_of(entry: Values, dice: int, faces: int) -> tuple[Pattern, ...]:
    """The patterns of a category, whose own pattern fields are the defaults of all of them."""
    return tuple(pattern_of(values, dice, faces) for values in pattern_values(entry))


def pattern_values(entry: Values) -> Iterator[dict[str, Any]]:
    """The values of each pattern of a category."""
    shared = {name: value for name, value in entry.items() if name in PATTERN_FIELDS}
    patterns: Sequence[dict[str, Any]] = entry.get("patterns") or ({},)
    return (shared | own for own in patterns)


def pattern_of(values: Values, dice: int, faces: int) -> Pattern:
    """One pattern, for so many dice."""
    own: dict[str, Any] = {
        name: values[name] for name in ("points", "plus", "factor") if name in values
    }
    for name, field in KIND_FIELDS.items():
        if name in values:
            value = values[name]
            is_list = isinstance(value, list)
            own[name] = tuple(sorted(value, reverse=field.type == "sizes")) if is_list else value
    only = values.get("only") or ()
    best = values.get("best", dice)
    return Pattern(
        kind=values["pattern"],
        **own,
        score=values.get("score", "fixed" if "points" in values else "matched"),
        low=values.get("sum", values.get("at_least")),
        high=values.get("sum", values.get("at_most")),
        only=tuple(
            face
            for face in sorted({*(ONLY[only] if isinstance(only, str) else only)})
            if face <= faces
        ),
        best=best if best < dice else None,
    )


def bonus_of(value: Values | Sequence[Values]) -> Bonus:
    """The upper bonus: a table, or a list of tables, one for each step."""
    entries = [value] if isinstance(value, Mapping) else value
    *lower, last = [(entry["threshold"], entry["points"]) for entry in entries]
    return Bonus(*last, tuple(lower))


def _published(entries: Sequence[Values], active: tuple[str, ...]) -> Published | None:
    """The published value of the active switches, if there is one."""
    for entry in reversed(entries):
        if {*entry.get("switches", ())} == {*active}:
            return Published(entry["value"], entry.get("source", ""))
    return None


def _with_defaults(table: Values, fields: Fields) -> dict[str, Any]:
    """The values of some fields of a table."""
    return {name: table.get(name, field.default) for name, field in fields.items()}
