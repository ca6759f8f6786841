"""The schema of the score sheet in a rule file: its rows with their patterns, its columns, and their boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._messages import _, number_text
from ..errors import shown
from . import rule_fields as fields
from .limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_NAME, MAX_PATTERNS, suggestion
from .patterns import KINDS, KindField, Pattern
from .rule_values import BOX_ID, PLACEHOLDER, Field, FieldPath, ValueReader, flag, identifier, number, text
from .rules import Category, Column
from .sheet_boxes import boxes_of, id_ending

MAX_BOX_POINTS = 20_000  # fits the 16-bit boxes of simulated games
# Of rules as JSON, whose categories are the boxes.
BOX_PLACE_FIELDS = {
    "row": identifier(),
    "column": number(0, MAX_COLUMNS),
    "copy": number(0, MAX_CATEGORIES),
}


class SheetReader(ValueReader):
    """Reads the categories and columns of a rule file."""

    dice = faces = 0  # of the file
    listed = False  # whether the categories of the file are the boxes themselves, not rows

    def columns(self, raw: Mapping[str, Any]) -> tuple[Column, ...]:
        """The columns of the sheet; empty without [[columns]]."""
        default = raw["order"] if raw.get("order") in fields.ORDERS else "free"  # a mistake is reported elsewhere
        found: list[Column] = []
        for i, entry in enumerate(self.tables(raw, "columns", MAX_COLUMNS)):
            path: FieldPath = ("columns", i)
            self.check_fields(entry, path, fields.COLUMN_FIELDS)
            column = Column(**self.values({"order": default} | entry, path, fields.COLUMN_FIELDS))
            for other in found:
                if PLACEHOLDER not in (column.id, column.name) and (
                    column.id == other.id or column.name.lower() == other.name.lower()
                ):
                    message = _("has the id or the name of the column {other}")
                    self.add_problem((*path, "id"), message.format(other=repr(other.id)))
            found.append(column)
        return tuple(found)

    def boxes(self, raw: Mapping[str, Any], columns: tuple[Column, ...], listed: bool) -> tuple[Category, ...]:
        """The boxes of the sheet, every row as often as its columns say; `listed`: the values may be the boxes."""
        entries = self.tables(raw, "categories", MAX_CATEGORIES, 1)
        if not entries:
            return ()
        self.ids = [entry.get("id") for entry in entries]
        self.listed = listed and any("row" in entry for entry in entries)
        rows = [*self._rows(entries)]
        places, categories = [i for i, *_ in rows], [category for _, category, _ in rows]
        if not self._names_differ(places, categories):
            return tuple(categories)
        if self.listed:
            self._check_listed(categories, columns)
            return tuple(categories)
        self._check_requirements(rows, columns)
        count = sum(times for *_, times in rows) * max(1, len(columns))
        if count > MAX_CATEGORIES:
            message = _("are {count} boxes with all columns and `times`; at most {most} are allowed")
            self.add_problem(("categories",), message.format(count=count, most=MAX_CATEGORIES))
            return tuple(categories)
        boxes = boxes_of([(category, times) for _, category, times in rows], columns)
        if boxes != tuple(categories):
            self._names_differ([i for i, _, times in rows for _ in range(times)] * max(1, len(columns)), boxes)
            self._check_points(boxes, columns)
        return boxes

    def _rows(self, entries: list[dict[str, Any]]) -> Iterator[tuple[int, Category, int]]:
        """Position, category and number of boxes of each row, in the order of the file."""
        patterns = 0
        for i, entry in enumerate(entries):
            path: FieldPath = ("categories", i)
            if not {"name", "pattern", "patterns"} & set(entry):
                # A patch for a category that does not exist: one problem about its id, not three about its fields.
                others = [other for other in self.ids if isinstance(other, str) and other != entry.get("id")]
                hint = suggestion(str(entry.get("id")), others, _("a new one needs a name and a pattern"))
                self.add_problem(path, _("unknown category; {hint}", hint=hint))
                continue
            known = {*fields.CATEGORY_FIELDS, *fields.PLACE_FIELDS}
            self.check_fields(entry, path, known - {"times"} | {*BOX_PLACE_FIELDS} if self.listed else known)
            for name in sorted(fields.PLACE_FIELDS.keys() & entry):
                self.add_problem((*path, name), _("belongs to a file that extends rules, or to a switch"))
            places = {name: field for name, field in BOX_PLACE_FIELDS.items() if self.listed and name in entry}
            place = self.values(entry, path, places)
            found = self._patterns(entry, path, MAX_PATTERNS - patterns)
            if not place.get("copy") and not place.get("column"):  # each row counts once
                patterns += len(found)
            own = {"id": Field({}, _box_id)} if self.listed else {}
            values = self.values(entry, path, fields.ROW_FIELDS | own)
            times = values.pop("times")
            yield i, Category(patterns=found, **values, **place), times

    def _patterns(self, entry: Mapping[str, Any], path: FieldPath, most: int) -> tuple[Pattern, ...]:
        """The patterns of a category; the pattern fields of the category are the defaults of all of them."""
        patterns = entry.get("patterns")
        shared = {name: value for name, value in entry.items() if name in fields.PATTERN_FIELDS}
        path_of_list = (*path, "patterns")
        if patterns is None:
            return (self._pattern(shared, path),)
        if not isinstance(patterns, list) or not patterns or not all(isinstance(p, dict) for p in patterns):
            self.add_problem(path_of_list, _("must be a list of at least one inline table"))
        elif len(patterns) > most:
            message = _("are too many; the rules can have at most {most} patterns in all")
            self.add_problem(path_of_list, message.format(most=MAX_PATTERNS))
        else:
            return tuple(self._pattern(shared | own, (*path_of_list, k)) for k, own in enumerate(patterns))
        return (Pattern("any"),)

    def _check_requirements(self, rows: list[tuple[int, Category, int]], columns: tuple[Column, ...]) -> None:
        """Add a problem for every `requires` that names no other single box."""
        times_of = {category.id: times for _, category, times in rows}
        for i, category, _times in rows:
            path: FieldPath = ("categories", i, "requires")
            if not category.requires or category.requires == PLACEHOLDER:
                continue
            if category.requires not in times_of or category.requires == category.id:
                self.refuse(path, category.requires, _("must be the id of another category"))
            elif times_of[category.requires] > 1:
                message = _("is {value}, which is used several times; must be a single box")
                self.add_problem(path, message.format(value=repr(category.requires)))
            elif len(columns) > 1:
                self.add_problem(path, _("cannot be combined with several columns"))

    def _check_points(self, boxes: tuple[Category, ...], columns: tuple[Column, ...]) -> None:
        """Add a problem for every column whose factor makes a box pay too much."""
        for position, column in enumerate(columns):
            for box in boxes:
                if box.column != position or column.factor == 1:
                    continue
                most = max(pattern.most(self.dice, self.faces) for pattern in box.patterns)
                factor = max(pattern.factor for pattern in box.patterns)
                plus = max(pattern.plus for pattern in box.patterns)
                if most > MAX_BOX_POINTS or factor > fields.MAX_FACTOR or plus > fields.MAX_POINTS:
                    message = _("is too high: {box} has the factor {factor} and pays up to {points} points").format(
                        box=box.id, factor=factor, points=number_text(most, grouped=True)
                    )
                    self.add_problem(("columns", position, "factor"), message)
                    break

    def _check_listed(self, boxes: list[Category], columns: tuple[Column, ...]) -> None:
        """Add a problem if a list of boxes is not one that rows and columns make."""
        copies: dict[tuple[str, int], list[Category]] = {}
        for box in boxes:
            copies.setdefault((box.row or box.id, box.column), []).append(box)
        ids = {box.id: box for box in boxes}
        for i, box in enumerate(boxes):
            path: FieldPath = ("categories", i)
            alike = copies[box.row or box.id, box.column]
            column = columns[box.column] if box.column < len(columns) else None
            if box.column >= max(1, len(columns)) or bool(columns) > bool(box.row):
                self.add_problem((*path, "column"), _("is not one of the columns"))
            elif box.row and box.id != box.row + id_ending(alike.index(box) if len(alike) > 1 else None, column):
                self.add_problem((*path, "id"), _("is not made of the row, the number and the column of the box"))
            elif alike.index(box) != box.copy or (box.patterns, box.upper, box.requires) != (
                alike[0].patterns, alike[0].upper, alike[0].requires,
            ):  # fmt: skip
                self.add_problem((*path, "copy"), _("must number the boxes of a row, which are alike"))
            required = ids.get(box.requires)
            if box.requires and (
                required is None
                or required is box
                or required.column != box.column
                or len(copies[required.row or required.id, required.column]) > 1
            ):
                self.add_problem((*path, "requires"), _("must be the id of another single box in the same column"))

    def _names_differ(self, places: Sequence[int], categories: Sequence[Category]) -> bool:
        """Whether no two categories share a name; adds a problem, at its place in the file, for each that does."""
        owner: dict[str, int] = {}
        differ = True
        for i, (place, category) in enumerate(zip(places, categories, strict=True)):
            labels = (category.id, category.name, category.code, *category.aliases)
            path: FieldPath = ("categories", place, "id")
            if longest := next((label for label in labels if len(label) > MAX_NAME), None):
                message = _("{value} has more than {most} characters")
                self.add_problem(path, message.format(value=shown(longest), most=MAX_NAME))
            for label in map(str.lower, labels):
                if label not in ("", PLACEHOLDER) and owner.setdefault(label, i) != i:
                    self.add_problem(path, _("the name {name} is used by two categories", name=repr(label)))
                    differ = False
                    break
        return differ

    def _pattern(self, raw: Mapping[str, Any], path: FieldPath) -> Pattern:
        """One pattern: the fields its kind needs, the fields it must not have, its conditions and its score."""
        self.check_fields(raw, path, fields.PATTERN_FIELDS)

        kind = fields.PATTERN_FIELDS["pattern"].read(self, raw, (*path, "pattern"))
        if raw.get("pattern") != kind:
            return Pattern("any")
        own = KINDS[kind].fields
        given = {
            name: self._kind_field(raw, (*path, name), field)
            for name, field in fields.KIND_FIELDS.items()
            if name in own or field.type == "flag"  # a flag has a default, and may stand anywhere
        }
        for name, field in fields.KIND_FIELDS.items():
            if name in raw and name not in own and field.type != "flag":
                self.add_problem((*path, name), _("does not belong to the pattern {name}").format(name=repr(kind)))
        low, high = self._sum_limits(raw, path)
        given_score = raw.get("score", "fixed" if "points" in raw else "matched")
        score = fields.PATTERN_FIELDS["score"].check(self, given_score, (*path, "score"))
        if score == raw.get("score") != "fixed" and "points" in raw:
            message = _("are fixed, but score is {score}; leave one of the two out")
            self.add_problem((*path, "points"), message.format(score=repr(score)))
        found = Pattern(
            kind=kind,
            **given,
            score=score,
            points=fields.PATTERN_FIELDS["points"].read(self, raw, (*path, "points")) if score == "fixed" else 0,
            **self.values(raw, path, fields.PATTERN_FIELDS, "plus", "factor"),
            low=low,
            high=high,
            only=self._only(raw, (*path, "only")),
        )
        if problem := KINDS[kind].problem(found, self.dice, self.faces):
            self.add_problem((*path, problem[0]), problem[1])
        if found.most(self.dice, self.faces) > MAX_BOX_POINTS:
            message = _("pays up to {points} points; at most {most} are allowed")
            points, most = (number_text(n, grouped=True) for n in (found.most(self.dice, self.faces), MAX_BOX_POINTS))
            self.add_problem((*path, "factor"), message.format(points=points, most=most))
        return found

    def _kind_field(self, raw: Mapping[str, Any], path: FieldPath, field: KindField) -> Any:
        """A field of one kind of pattern."""
        if field.type == "flag":
            return flag("", True).read(self, raw, path)
        if field.type == "face":
            return number(1, self.faces).read(self, raw, path)
        is_sizes = field.type == "sizes"
        found = self.number_list(raw, path, 1, self.dice if is_sizes else self.faces, self.dice)
        return tuple(sorted(found, reverse=is_sizes))

    def _sum_limits(self, raw: Mapping[str, Any], path: FieldPath) -> tuple[int | None, int | None]:
        """The least and the highest sum of all dice, None without a limit; `sum` is both."""
        given = {
            name: number(1, self.dice * self.faces).read(self, raw, (*path, name)) if name in raw else None
            for name in ("sum", "at_least", "at_most")
        }
        exact, low, high = given.values()
        if exact is not None:
            for name in ("at_least", "at_most"):
                if name in raw:
                    message = _("does not go with `{other}`; leave one of the two out").format(other="sum")
                    self.add_problem((*path, name), message)
            return exact, exact
        if low is not None and high is not None and low > high:
            message = _("is {low}, more than at_most {high}").format(low=low, high=high)
            self.add_problem((*path, "at_least"), message)
        return low, high

    def _only(self, raw: Mapping[str, Any], path: FieldPath) -> tuple[int, ...]:
        """The faces the dice may show, ascending; empty if all are allowed."""
        value = raw.get("only")
        if value is None:
            return ()
        if isinstance(value, list):
            allowed = set(self.number_list(raw, path, 1, self.faces, self.faces))
        elif isinstance(value, str) and value in fields.ONLY:
            allowed = {face for face in fields.ONLY[value] if face <= self.faces}
        else:
            must = _('must be "even", "odd" or a list of faces')
            self.add_problem(path, _("is {value}; {must}").format(value=shown(value), must=must))
            allowed = set()
        return tuple(sorted(allowed))


def _box_id(reader: ValueReader, value: Any, path: FieldPath) -> Any:
    """The id of a box, which may have a column."""
    value = text().check(reader, value, path)
    if value != PLACEHOLDER and not BOX_ID.match(value):
        reader.refuse(path, value, _("must be an id, in a sheet with columns ROW.COLUMN"))
    return value
