"""The schema of a rule file: checks TOML values and builds a :class:`~perfect_yatzy.game.rules.RuleSet`.

Every problem is reported with its line and field (:mod:`perfect_yatzy.game.rule_values`). README.md in this folder
documents every field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._messages import _, number_text
from ..errors import enumerated
from .category_schema import SheetReader
from .limits import MAX_ID, MAX_PUBLISHED, MAX_STEPS, MAX_SUMMARY, MAX_SWITCHES
from .rule_fields import BONUS_FIELDS, FIELDS, JOKER_FIELDS, MAX_POINTS, PLAIN_FIELDS, PUBLISHED_FIELDS, SWITCH_FIELDS
from .rule_patches import checked_categories
from .rule_values import IDENTIFIER, PLACEHOLDER, FieldPath, number, text
from .rules import Bonus, Category, Column, Joker, Published, RuleSet, Switch

MAX_UPPER_SUMS = 1 << 62  # the upper sums of a state are one number of 64 bits


class RuleChecker(SheetReader):
    """Builds a rule set from TOML values and collects the problems."""

    def rule_set(self, raw: Mapping[str, Any], active: tuple[str, ...], spec: str, listed: bool = False) -> RuleSet:
        """The rule set of a whole file, after extension and patches."""
        self.active_switches = active
        if "extends" in raw:  # a loaded file has been merged with what it extends
            self.add_problem(("extends",), _("belongs to a rule file; rules as JSON are complete"))
        if "remove" in raw:
            self.add_problem(("remove",), _("belongs to a file that extends rules, or to a switch"))
        self.check_fields(raw, (), FIELDS)

        def read(name: str) -> Any:
            return PLAIN_FIELDS[name].read(self, raw, (name,))

        self.dice, self.faces = read("dice"), read("faces")
        columns = self.columns(raw)
        categories = self.boxes(raw, columns, listed)
        order = read("order")
        rules = RuleSet(
            id=read("id"),
            name=read("name"),
            dice=self.dice,
            faces=self.faces,
            rolls_per_turn=read("rolls"),
            categories=categories,
            bonus=self.bonus(raw, categories),
            order="free" if columns else order,
            saved_rolls=read("saved_rolls"),
            joker=self.joker(raw, categories, columns),
            first_roll_bonus=self.first_roll_bonus(raw, categories, columns),
            columns=columns,
            crossing_out=read("crossing_out"),
            summary=read("summary"),
            switches=tuple(self.switches(raw)),
            active_switches=active,
            published=self.published(raw, active),
            spec=spec,
        )
        self.check_tracked(rules)
        self.check_upper_sums(rules)
        return rules

    def check_upper_sums(self, rules: RuleSet) -> None:
        """Add a problem if the upper sums of all columns together do not fit in one number of a state."""
        size = 1
        for column, bonus in enumerate(rules.bonuses):
            upper = [p for c in rules.categories if c.upper and c.column == column for p in c.patterns]
            size *= bonus.threshold + max((p.most(rules.dice, rules.faces) for p in upper), default=0) + 1
        if size > MAX_UPPER_SUMS:
            self.add_problem(("columns",), _("have too many upper sums; leave out columns, or lower the thresholds"))

    def bonus(self, raw: Mapping[str, Any], categories: tuple[Category, ...]) -> Bonus | None:
        """The upper bonus: a table, or a list of tables with ascending thresholds and points."""
        value = raw.get("bonus")
        entries: list[Any] = value if isinstance(value, list) else [value]
        if value is None:
            return None
        if not entries or len(entries) > MAX_STEPS or not all(isinstance(entry, dict) for entry in entries):
            self.add_problem(("bonus",), _("must be a table, or a list of at most {most} tables", most=MAX_STEPS))
            return None
        if categories and not any(category.upper for category in categories):
            self.add_problem(("bonus",), _("needs at least one category with `upper = true`"))
        steps: list[tuple[int, int]] = []
        for i, entry in enumerate(entries):
            path: FieldPath = ("bonus", i) if isinstance(value, list) else ("bonus",)
            self.check_fields(entry, path, BONUS_FIELDS)
            threshold, points = self.values(entry, path, BONUS_FIELDS).values()
            for name in ("threshold", "points") if i else ():
                before, here = entries[i - 1].get(name), entry.get(name)
                if isinstance(before, int) and isinstance(here, int) and here <= before:
                    message = _("is {value}; must be more than the {before} of the step before")
                    self.add_problem((*path, name), message.format(value=here, before=before))
            steps.append((threshold, points))
        threshold, points = steps[-1]
        return Bonus(threshold, points, tuple(steps[:-1]))

    def joker(
        self, raw: Mapping[str, Any], categories: tuple[Category, ...], columns: tuple[Column, ...]
    ) -> Joker | None:
        """The joker rule."""
        table = self.table(raw, ("joker",))
        if table is None:
            return None
        self.check_fields(table, ("joker",), JOKER_FIELDS)
        category = JOKER_FIELDS["category"].read(self, table, ("joker", "category"))
        rows = [c.row for c in categories if c.row]
        if columns:
            self.add_problem(("joker",), _("cannot be combined with columns"))
        elif category in rows:
            message = _("is {value}, which is used several times; must be a single box")
            self.add_problem(("joker", "category"), message.format(value=repr(category)))
        elif categories and category not in [PLACEHOLDER, *(c.id for c in categories)]:
            self.refuse(("joker", "category"), category, _("must be the id of a category"))
        else:
            faces = [p.face for c in categories if c.upper for p in c.patterns if p.face]
            if len(set(faces)) < len(faces):
                self.add_problem(
                    ("joker",), _("needs at most one upper box for each face: a joker asks for the matching one")
                )
        return Joker(category, **self.values(table, ("joker",), JOKER_FIELDS, *[*JOKER_FIELDS][1:]))

    def check_tracked(self, rules: RuleSet) -> None:
        """Add a problem if it matters of more than one box whether it holds points."""
        tracked = {rules.joker.category} if rules.joker and rules.joker.depends_on_points else set()
        for category in rules.categories:
            tracked |= {category.requires} - {"", PLACEHOLDER}
        if len(tracked) > 1:
            message = _("only of one box it can matter whether it holds points (`requires`, jokers), not of {boxes}")
            self.add_problem(("categories",), message.format(boxes=enumerated(sorted(tracked))))

    def first_roll_bonus(
        self, raw: Mapping[str, Any], categories: tuple[Category, ...], columns: tuple[Column, ...]
    ) -> tuple[tuple[str, int], ...]:
        """Points by category id, sorted by id: a row gives them to all its boxes, with the factor of the column."""
        table = self.table(raw, ("first_roll_bonus",)) or {}
        found = []
        for name in table:
            boxes = [c for c in categories if name == (c.id if self.listed else c.row or c.id)]
            if categories and not boxes:
                self.add_problem(("first_roll_bonus", name), _("is not the id of a category"))
                continue
            factors = [1 if self.listed or not columns else columns[box.column].factor for box in boxes]
            points = number(1, MAX_POINTS // max(factors, default=1)).read(self, table, ("first_roll_bonus", name))
            found += [(box.id, points * factor) for box, factor in zip(boxes, factors, strict=True)]
        return tuple(sorted(found))

    def switches(self, raw: Mapping[str, Any]) -> Iterator[Switch]:
        """The switches a file offers; their patches are checked when they are applied."""
        offered = self.table(raw, ("switches",)) or {}
        if len(offered) > MAX_SWITCHES:
            message = _("has {count} switches; at most {most} are allowed")
            count = number_text(len(offered), grouped=True)
            self.add_problem(("switches",), message.format(count=count, most=MAX_SWITCHES))
        for name, patch in [*offered.items()][:MAX_SWITCHES]:
            path: FieldPath = ("switches", name)
            if len(name) > MAX_ID or not IDENTIFIER.match(name):
                self.add_problem(path, _("must be lower-case letters, digits and single hyphens"))
            if not isinstance(patch, dict):
                self.add_problem(path, _("must be a table"))
                continue
            self.check_fields(patch, path, SWITCH_FIELDS)
            checked_categories(patch, self, path)
            yield Switch(name, text("", MAX_SUMMARY).read(self, patch, (*path, "summary")))

    def published(self, raw: Mapping[str, Any], active: tuple[str, ...]) -> Published | None:
        """The published value of the active switches, if there is one."""
        found = None
        for i, entry in enumerate(self.tables(raw, "published", MAX_PUBLISHED)):
            path: FieldPath = ("published", i)
            self.check_fields(entry, path, PUBLISHED_FIELDS)
            value = text(default="").read(self, entry, (*path, "value"))
            if value != PLACEHOLDER and not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
                self.refuse((*path, "value"), value, _("must be a decimal number in quotes"))
            elif {*PUBLISHED_FIELDS["switches"].read(self, entry, (*path, "switches"))} == {*active}:
                found = Published(value, PUBLISHED_FIELDS["source"].read(self, entry, (*path, "source")))
        return found
