"""The schema of a rule file: checks TOML values, of which :mod:`.rule_builder` builds a rule set.

Every problem is reported with its line and field (:mod:`perfect_yatzy.game.rule_fields`). README.md
in this folder documents every field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.patterns import KINDS, Pattern
from ..core.rules import Category, Column, RuleSet
from ..errors import shown
from ..words import _, enumerated, number_text
from . import limits
from . import rule_fields as fields
from .limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_STEPS
from .rule_builder import built_rules, category_of, earner, has_boxes, pattern_of, pattern_values
from .rule_fields import (
    IDENTIFIER,
    PLACEHOLDER,
    Field,
    FieldPath,
    Fields,
    ValueReader,
    identifier,
    number,
    text,
)
from .rule_patches import checked_categories
from .translations import boxes_of, id_ending

BOX_ID = re.compile(rf"{IDENTIFIER.pattern[:-2]}(\.{IDENTIFIER.pattern[:-2]})?\Z")
MAX_BOX_POINTS = 20_000  # fits the 16-bit boxes of simulated games
MAX_UPPER_SUMS = 1 << 62  # the upper sums of a state are one number of 64 bits
# Of rules as JSON, whose categories are the boxes.
BOX_PLACE_FIELDS = {
    "row": identifier(),
    "column": number(0, MAX_COLUMNS),
    "copy": number(0, MAX_CATEGORIES),
}


class _Row(NamedTuple):
    """A row of the sheet: its place in the file, and how many boxes it has in a column."""

    place: int
    category: Category
    times: int


class RuleChecker(ValueReader):
    """Checks the TOML values of a rule set and collects the problems."""

    listed = False  # whether the categories of the file are the boxes themselves, not rows
    columns: tuple[Column, ...] = ()
    categories: tuple[Category, ...] = ()  # the boxes; empty if there is a mistake in their list

    def check(self, raw: Mapping[str, Any], active: tuple[str, ...], listed: bool = False) -> None:
        """Add a problem for each mistake in the values of a whole file."""
        self.active_switches = active
        if "extends" in raw:  # a loaded file has been merged with what it extends
            self.add_problem(("extends",), _("belongs to a rule file; rules as JSON are complete"))
        if "remove" in raw:
            self.add_problem(("remove",), _("belongs to a file that extends rules, or to a switch"))
        self.check_fields(raw, (), fields.FIELDS)
        # The columns read the dice, and the boxes read both.
        self.dice = fields.PLAIN_FIELDS["dice"].read(self, raw, ("dice",))
        self.faces = fields.PLAIN_FIELDS["faces"].read(self, raw, ("faces",))
        self.columns = tuple(self._columns(raw))
        self.categories = self._boxes(raw, listed)
        self.check_values(raw, (), fields.PLAIN_FIELDS, "dice", "faces")
        self._check_bonus(raw)
        self._check_joker(raw)
        self._check_first_roll_bonus(raw)
        self._check_switches(raw)
        self._check_published(raw)
        if not self.problems:
            self._check_rules(built_rules(raw, active, ""))

    def _check_rules(self, rules: RuleSet) -> None:
        """Add a problem if rules remember too much.

        They may remember of one box whether it holds points, and a limited number of upper sums.
        """
        tracked = {rules.joker.category} if rules.joker and rules.joker.depends_on_points else set()
        tracked |= {category.requires for category in rules.categories} - {""}
        if len(tracked) > 1:
            message = _(
                "only of one box it can matter whether it holds points (`requires`, jokers), not of {boxes}"
            )
            self.add_problem(("categories",), message.format(boxes=enumerated(sorted(tracked))))
        size = 1
        for column, bonus in enumerate(rules.bonuses):
            upper = [box for box in rules.categories if box.upper and box.column == column]
            points = [p.most(rules.dice, rules.faces) for box in upper for p in box.patterns]
            size *= bonus.threshold + max(points, default=0) + 1
        if size > MAX_UPPER_SUMS:
            self.add_problem(
                ("columns",),
                _("have too many upper sums; leave out columns, or lower the thresholds"),
            )

    def _check_bonus(self, raw: Mapping[str, Any]) -> None:
        """Check the upper bonus.

        It is a table, or a list of tables with ascending thresholds and points.
        """
        value = raw.get("bonus")
        if value is None:
            return
        entries: list[Any] = value if isinstance(value, list) else [value]
        are_tables = all(isinstance(entry, dict) for entry in entries)
        if not are_tables or not 1 <= len(entries) <= MAX_STEPS:
            self.add_problem(
                ("bonus",), _("must be a table, or a list of at most {most} tables", most=MAX_STEPS)
            )
            return
        if self.categories and not any(category.upper for category in self.categories):
            self.add_problem(("bonus",), _("needs at least one category with `upper = true`"))
        for i, entry in enumerate(entries):
            path: FieldPath = ("bonus", i) if isinstance(value, list) else ("bonus",)
            self.check_fields(entry, path, fields.BONUS_FIELDS)
            self.check_values(entry, path, fields.BONUS_FIELDS)
            step_before = entries[i - 1] if i > 0 else {}
            for name in ("threshold", "points"):
                before, here = step_before.get(name), entry.get(name)
                if isinstance(before, int) and isinstance(here, int) and here <= before:
                    message = _("is {value}; must be more than the {before} of the step before")
                    self.add_problem((*path, name), message.format(value=here, before=before))

    def _check_joker(self, raw: Mapping[str, Any]) -> None:
        """Check the joker rule."""
        table = self.table(raw, "joker")
        if table is None:
            return
        self.check_fields(table, ("joker",), fields.JOKER_FIELDS)
        category = fields.JOKER_FIELDS["category"].read(self, table, ("joker", "category"))
        if self.columns:
            self.add_problem(("joker",), _("cannot be combined with columns"))
        elif category in [c.row for c in self.categories if c.row]:
            message = _("is {value}, which is used several times; must be a single box")
            self.add_problem(("joker", "category"), message.format(value=repr(category)))
        elif self.categories and category not in [PLACEHOLDER, *(c.id for c in self.categories)]:
            self.refuse(("joker", "category"), category, _("must be the id of a category"))
        else:
            faces = [p.face for c in self.categories if c.upper for p in c.patterns if p.face]
            if len(set(faces)) < len(faces):
                message = _(
                    "needs at most one upper box for each face: a joker asks for the matching one"
                )
                self.add_problem(("joker",), message)
        self.check_values(table, ("joker",), fields.JOKER_FIELDS, "category")

    def _check_first_roll_bonus(self, raw: Mapping[str, Any]) -> None:
        """Check the points that ids of categories have.

        A row gives them to all its boxes, with the factor of the column.
        """
        table = self.table(raw, "first_roll_bonus") or {}
        earners = [earner(box, self.columns, self.listed) for box in self.categories]
        for name in table:
            path = ("first_roll_bonus", name)
            factors = [factor for earning, factor in earners if earning == name]
            # There are no categories if their list has a mistake, which is reported elsewhere.
            if self.categories and not factors:
                self.add_problem(path, _("is not the id of a category"))
                continue
            most = fields.MAX_POINTS // max(factors, default=1)
            number(1, most).read(self, table, path)  # for the problems it adds, not for its value

    def _check_switches(self, raw: Mapping[str, Any]) -> None:
        """Check the switches a file offers. Their patches are checked when they are applied."""
        offered = self.table(raw, "switches") or {}
        if len(offered) > limits.MAX_SWITCHES:
            message = _("has {count} switches; at most {most} are allowed")
            count = number_text(len(offered), grouped=True)
            self.add_problem(("switches",), message.format(count=count, most=limits.MAX_SWITCHES))
        for name, patch in [*offered.items()][: limits.MAX_SWITCHES]:
            path: FieldPath = ("switches", name)
            if len(name) > limits.MAX_ID or not IDENTIFIER.match(name):
                self.add_problem(path, _("must be lower-case letters, digits and single hyphens"))
            if not isinstance(patch, dict):
                self.add_problem(path, _("must be a table"))
                continue
            self.check_fields(patch, path, fields.SWITCH_FIELDS)
            checked_categories(patch, self, path)
            if "group" in patch:
                fields.GROUP.read(self, patch, (*path, "group"))
            text("", limits.MAX_SUMMARY).read(self, patch, (*path, "summary"))

    def _check_published(self, raw: Mapping[str, Any]) -> None:
        """Check the published values."""
        for i, entry in enumerate(self.tables(raw, "published", limits.MAX_PUBLISHED)):
            path: FieldPath = ("published", i)
            self.check_fields(entry, path, fields.PUBLISHED_FIELDS)
            value = text(default="").read(self, entry, (*path, "value"))
            if value != PLACEHOLDER and not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
                self.refuse((*path, "value"), value, _("must be a decimal number in quotes"))
            self.check_values(entry, path, fields.PUBLISHED_FIELDS, "value")

    def _columns(self, raw: Mapping[str, Any]) -> list[Column]:
        """Return the columns of the sheet, of which there are none without [[columns]]."""
        # a mistake is reported elsewhere
        default = raw["order"] if raw.get("order") in fields.ORDERS else "free"
        columns: list[Column] = []
        for i, entry in enumerate(self.tables(raw, "columns", MAX_COLUMNS)):
            path: FieldPath = ("columns", i)
            self.check_fields(entry, path, fields.COLUMN_FIELDS)
            column = Column(**self.values({"order": default} | entry, path, fields.COLUMN_FIELDS))
            for other in columns:
                is_same = column.id == other.id or column.name.lower() == other.name.lower()
                if is_same and PLACEHOLDER not in (column.id, column.name):
                    message = _("has the id or the name of the column {other}")
                    self.add_problem((*path, "id"), message.format(other=repr(other.id)))
            columns.append(column)
        return columns

    def _boxes(self, raw: Mapping[str, Any], listed: bool) -> tuple[Category, ...]:
        """Return the boxes of the sheet, every row as often as its columns say.

        The values may be the boxes themselves if `listed`.
        """
        entries = self.tables(raw, "categories", MAX_CATEGORIES, 1)
        if not entries:
            return ()
        self.ids = [entry.get("id") for entry in entries]
        self.listed = listed and has_boxes(entries)
        rows = [*self._rows(entries)]
        categories = tuple(row.category for row in rows)
        # Names that are not unique make all further checks pointless.
        if not self._names_differ([row.place for row in rows], categories):
            return categories
        if self.listed:
            self._check_listed(categories)
            return categories
        self._check_requirements(rows)
        return self._boxes_of_rows(rows)

    def _boxes_of_rows(self, rows: list[_Row]) -> tuple[Category, ...]:
        """Return every row as often as the columns say, or once if that makes too many boxes."""
        categories = tuple(row.category for row in rows)
        places_in_column = [row.place for row in rows for _copy in range(row.times)]
        places = places_in_column * max(1, len(self.columns))
        if len(places) > MAX_CATEGORIES:
            message = _(
                "are {count} boxes with all columns and `times`; at most {most} are allowed"
            )
            self.add_problem(
                ("categories",), message.format(count=len(places), most=MAX_CATEGORIES)
            )
            return categories
        boxes = boxes_of([(row.category, row.times) for row in rows], self.columns)
        if boxes != categories:
            self._names_differ(places, boxes)
            self._check_points(boxes)
        return boxes

    def _rows(self, entries: list[dict[str, Any]]) -> Iterator[_Row]:
        """Yield the rows that can be read."""
        row_fields: Fields = fields.ROW_FIELDS
        known = {*fields.CATEGORY_FIELDS, *fields.PLACE_FIELDS}
        if self.listed:  # boxes, whose ids may have a column
            row_fields = fields.ROW_FIELDS | {"id": Field({}, _box_id)}
            known = (known - {"times"}) | {*BOX_PLACE_FIELDS}
        n_patterns = 0  # of all rows so far
        for i, entry in enumerate(entries):
            path: FieldPath = ("categories", i)
            if not {"name", "pattern", "patterns"} & set(entry):
                # A patch for a category that does not exist: one problem about its id, not three
                # about its fields.
                own = entry.get("id")
                others = [other for other in self.ids if isinstance(other, str) and other != own]
                otherwise = _("a new one needs a name and a pattern")
                hint = limits.suggestion(str(own), others, otherwise)
                self.add_problem(path, _("unknown category; {hint}", hint=hint))
                continue
            self.check_fields(entry, path, known)
            for name in sorted(fields.PLACE_FIELDS.keys() & entry):
                self.add_problem(
                    (*path, name), _("belongs to a file that extends rules, or to a switch")
                )
            given = [name for name in BOX_PLACE_FIELDS if self.listed and name in entry]
            place = {
                name: BOX_PLACE_FIELDS[name].read(self, entry, (*path, name)) for name in given
            }
            patterns = self._patterns(entry, path, limits.MAX_PATTERNS - n_patterns)
            if not place.get("copy") and not place.get("column"):  # each row counts once
                n_patterns += len(patterns)
            values = self.values(entry, path, row_fields)
            yield _Row(i, category_of(values | place, patterns), values["times"])

    def _patterns(
        self, entry: Mapping[str, Any], path: FieldPath, most: int
    ) -> tuple[Pattern, ...]:
        """Return the patterns of a category.

        The pattern fields of the category are the defaults of all of them.
        """
        patterns = entry.get("patterns")
        path_of_list = (*path, "patterns")
        if patterns is None:
            return tuple(self._pattern(values, path) for values in pattern_values(entry))
        are_tables = isinstance(patterns, list) and all(isinstance(p, dict) for p in patterns)
        if not patterns or not are_tables:
            self.add_problem(path_of_list, _("must be a list of at least one inline table"))
        elif len(patterns) > most:
            message = _("are too many; the rules can have at most {most} patterns in all")
            self.add_problem(path_of_list, message.format(most=limits.MAX_PATTERNS))
        else:
            return tuple(
                self._pattern(values, (*path_of_list, k))
                for k, values in enumerate(pattern_values(entry))
            )
        return (Pattern("any"),)

    def _check_requirements(self, rows: list[_Row]) -> None:
        """Add a problem for every `requires` that names no other single box."""
        times_of = {row.category.id: row.times for row in rows}
        for row in rows:
            path: FieldPath = ("categories", row.place, "requires")
            required = row.category.requires
            if not required or required == PLACEHOLDER:
                continue
            if required not in times_of or required == row.category.id:
                self.refuse(path, required, _("must be the id of another category"))
            elif times_of[required] > 1:
                message = _("is {value}, which is used several times; must be a single box")
                self.add_problem(path, message.format(value=repr(required)))
            elif len(self.columns) > 1:
                self.add_problem(path, _("cannot be combined with several columns"))

    def _check_points(self, boxes: tuple[Category, ...]) -> None:
        """Add a problem for every column whose factor makes a box pay too much."""
        if not self.columns:
            return
        reported: set[int] = set()
        for box in boxes:
            most = max(pattern.most(self.dice, self.faces) for pattern in box.patterns)
            factor = max(pattern.factor for pattern in box.patterns)
            plus = max(pattern.plus for pattern in box.patterns)
            too_high = (
                most > MAX_BOX_POINTS or factor > fields.MAX_FACTOR or plus > fields.MAX_POINTS
            )
            if too_high and self.columns[box.column].factor != 1 and box.column not in reported:
                reported.add(box.column)
                message = _(
                    "is too high: {box} has the factor {factor} and pays up to {points} points",
                    box=box.id,
                    factor=factor,
                    points=number_text(most, grouped=True),
                )
                self.add_problem(("columns", box.column, "factor"), message)

    def _check_listed(self, boxes: tuple[Category, ...]) -> None:
        """Add a problem if a list of boxes is not one that rows and columns make."""
        # the boxes of each row and column, which must be alike
        copies: dict[tuple[str, int], list[Category]] = {}
        for box in boxes:
            copies.setdefault((box.row or box.id, box.column), []).append(box)
        box_of_id = {box.id: box for box in boxes}
        for i, box in enumerate(boxes):
            path: FieldPath = ("categories", i)
            alike = copies[box.row or box.id, box.column]
            first = alike[0]
            copy = alike.index(box)
            column = self.columns[box.column] if box.column < len(self.columns) else None
            ending = id_ending(copy if len(alike) > 1 else None, column)
            is_like_first = (box.patterns, box.upper, box.requires) == (
                first.patterns,
                first.upper,
                first.requires,
            )
            if box.column >= max(1, len(self.columns)) or (self.columns and not box.row):
                self.add_problem((*path, "column"), _("is not one of the columns"))
            elif box.row and box.id != box.row + ending:
                self.add_problem(
                    (*path, "id"), _("is not made of the row, the number and the column of the box")
                )
            elif copy != box.copy or not is_like_first:
                self.add_problem(
                    (*path, "copy"), _("must number the boxes of a row, which are alike")
                )
            if not box.requires:
                continue
            # a box that does not exist is as wrong as the box itself
            required = box_of_id.get(box.requires, box)
            is_single = len(copies[required.row or required.id, required.column]) == 1
            if required is box or required.column != box.column or not is_single:
                self.add_problem(
                    (*path, "requires"),
                    _("must be the id of another single box in the same column"),
                )

    def _names_differ(self, places: Sequence[int], categories: Sequence[Category]) -> bool:
        """Return whether no two categories share a name.

        A problem is added for each that does, at its place in the file.
        """
        owner: dict[str, int] = {}  # position of the first category with a name
        differ = True
        for i, (place, category) in enumerate(zip(places, categories, strict=True)):
            labels = (category.id, category.name, category.code, *category.aliases)
            path: FieldPath = ("categories", place, "id")
            too_long = [label for label in labels if len(label) > limits.MAX_NAME]
            if too_long:
                message = _("{value} has more than {most} characters")
                first = shown(too_long[0])
                self.add_problem(path, message.format(value=first, most=limits.MAX_NAME))
            for label in map(str.lower, labels):
                # a category before has it
                if label not in ("", PLACEHOLDER) and owner.setdefault(label, i) != i:
                    self.add_problem(
                        path, _("the name {name} is used by two categories", name=repr(label))
                    )
                    differ = False
                    break
        return differ

    def _pattern(self, raw: Mapping[str, Any], path: FieldPath) -> Pattern:
        """Read one pattern: the fields of its kind, its conditions and its score.

        A problem is added for each field that its kind needs and it lacks, or must not have.
        """
        self.check_fields(raw, path, fields.PATTERN_FIELDS)
        kind = fields.PATTERN_FIELDS["pattern"].read(self, raw, (*path, "pattern"))
        if raw.get("pattern") != kind:
            return Pattern("any")
        given = self._kind_fields(raw, path, kind)
        sums = self._sums(raw, path)
        given_score = raw.get("score", "fixed" if "points" in raw else "matched")
        score = fields.PATTERN_FIELDS["score"].check(self, given_score, (*path, "score"))
        # a score that is not a placeholder
        if "points" in raw and score != "fixed" and score == raw.get("score"):
            message = _("are fixed, but score is {score}; leave one of the two out")
            self.add_problem((*path, "points"), message.format(score=repr(score)))
        numbers = ("points", "plus", "factor") if score == "fixed" else ("plus", "factor")
        checked = {"pattern": kind, "score": score} | given | sums
        checked |= self.values(raw, path, {name: fields.PATTERN_FIELDS[name] for name in numbers})
        checked["only"] = self._only(raw, (*path, "only"))
        if "best" in raw:
            checked["best"] = number(1, self.dice).read(self, raw, (*path, "best"))
        pattern = pattern_of(checked, self.dice, self.faces)
        problem = KINDS[kind].problem(pattern, pattern.best or self.dice, self.faces)
        if problem:
            field_at_fault, sentence = problem
            self.add_problem((*path, field_at_fault), sentence)
        points = pattern.most(self.dice, self.faces)
        if points > MAX_BOX_POINTS:
            message = _(
                "pays up to {points} points; at most {most} are allowed",
                points=number_text(points, grouped=True),
                most=number_text(MAX_BOX_POINTS, grouped=True),
            )
            self.add_problem((*path, "factor"), message)
        return pattern

    def _kind_fields(self, raw: Mapping[str, Any], path: FieldPath, kind: str) -> dict[str, Any]:
        """Return the values of the fields that belong to a kind of pattern.

        A problem is added for those of other kinds. A flag has a default, and may stand anywhere.
        """
        own = {
            name: fields.PATTERN_FIELDS[name]
            for name, field in fields.KIND_FIELDS.items()
            if name in KINDS[kind].fields or field.type == "flag"
        }
        values = self.values(raw, path, own)
        for name in fields.KIND_FIELDS:
            if name in raw and name not in own:
                message = _("does not belong to the pattern {name}", name=repr(kind))
                self.add_problem((*path, name), message)
        return values

    def _sums(self, raw: Mapping[str, Any], path: FieldPath) -> dict[str, int]:
        """Return the limits of the sum of all dice that are given, where `sum` is both."""
        given = {
            name: number(1, self.dice * self.faces).read(self, raw, (*path, name))
            for name in ("sum", "at_least", "at_most")
            if name in raw
        }
        limits_of_sum = given.keys() & {"at_least", "at_most"}
        if "sum" in given:
            for name in sorted(limits_of_sum):
                message = _("does not go with `{other}`; leave one of the two out")
                self.add_problem((*path, name), message.format(other="sum"))
        elif len(limits_of_sum) == 2 and given["at_least"] > given["at_most"]:
            message = _(
                "is {low}, more than at_most {high}", low=given["at_least"], high=given["at_most"]
            )
            self.add_problem((*path, "at_least"), message)
        return given

    def _only(self, raw: Mapping[str, Any], path: FieldPath) -> Sequence[int] | str:
        """Return the faces the dice may show, or the word for them.

        The faces are empty if all are allowed, and also if the value is wrong, which adds a
        problem.
        """
        value = raw.get("only")
        if isinstance(value, list):
            return self.numbers(value, path, self.faces, self.faces)
        if isinstance(value, str) and value in fields.ONLY:
            return value
        if value is not None:
            must = _('must be "even", "odd" or a list of faces')
            self.add_problem(path, _("is {value}; {must}", value=shown(value), must=must))
        return ()


def _box_id(reader: ValueReader, value: Any, path: FieldPath) -> Any:
    """Return the id of a box, which may have a column."""
    value = text().check(reader, value, path)
    if value != PLACEHOLDER and not BOX_ID.match(value):
        reader.refuse(path, value, _("must be an id, in a sheet with columns ROW.COLUMN"))
    return value
