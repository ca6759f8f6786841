"""The schema of a rule file: checks TOML values and builds a :class:`~perfect_yatzy.game.rules.RuleSet`.

Every problem is reported with its line and field (:mod:`perfect_yatzy.game.rule_values`). README.md in this folder
documents every field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import shown
from .limits import (
    MAX_ALIASES,
    MAX_CATEGORIES,
    MAX_ID,
    MAX_NAME,
    MAX_PATTERNS,
    MAX_PUBLISHED,
    MAX_SUMMARY,
    MAX_SWITCHES,
    closest,
)
from .pattern_schema import MAX_POINTS, PATTERN_FIELDS, read_pattern
from .patterns import Pattern
from .rule_problems import FieldPath
from .rule_values import IDENTIFIER, PLACEHOLDER, ValueReader
from .rules import Bonus, Category, Joker, Published, RuleSet, Switch

MAX_DICE = 12
MAX_FACES = 6
MAX_ROLLS = 10

CATEGORY_FIELDS = {"id", "name", "code", "aliases", "upper", "patterns"} | PATTERN_FIELDS
FIELDS = {
    "id", "name", "summary", "extends", "dice", "faces", "rolls", "order", "saved_rolls", "bonus", "joker",
    "first_roll_bonus", "categories", "switches", "published",
}  # fmt: skip


class RuleChecker(ValueReader):
    """Builds a rule set from TOML values and collects the problems."""

    def rule_set(self, raw: Mapping[str, Any], active: tuple[str, ...], spec: str) -> RuleSet:
        """The rule set of a whole file, after extension and patches.

        Parameters
        ----------
        raw
            The values of the file.
        active
            Ids of the switches that have been applied.
        spec
            The name or file of the rules, with switches.
        """
        self.active_switches = active
        self.check_fields(raw, (), FIELDS)
        dice = self.number(raw, ("dice",), 1, MAX_DICE)
        faces = self.number(raw, ("faces",), 2, MAX_FACES, 6)
        categories = tuple(self.categories(raw, dice, faces))
        ids = [category.id for category in categories]
        rules = RuleSet(
            id=self.identifier(raw, ("id",)),
            name=self.string(raw, ("name",)),
            dice=dice,
            faces=faces,
            rolls_per_turn=self.number(raw, ("rolls",), 1, MAX_ROLLS, 3),
            categories=categories,
            bonus=self.bonus(raw, categories),
            order=self.choice(raw, ("order",), ("free", "forced"), "free"),
            saved_rolls=self.flag(raw, ("saved_rolls",), False),
            joker=self.joker(raw, categories),
            first_roll_bonus=self.first_roll_bonus(raw, ids),
            summary=self.string(raw, ("summary",), "", MAX_SUMMARY),
            switches=tuple(self.switches(raw)),
            active_switches=active,
            published=self.published(raw, active),
            spec=spec,
        )
        self.check_names(rules)
        return rules

    def categories(self, raw: Mapping[str, Any], dice: int, faces: int) -> Iterator[Category]:
        """The categories in the order of the file."""
        entries = raw.get("categories")
        if not isinstance(entries, list) or not entries or not all(isinstance(e, dict) for e in entries):
            self.add_problem(("categories",), "must be [[categories]] tables, at least one")
            return
        self.ids, self.n_patterns = [entry.get("id") for entry in entries], 0
        if len(entries) > MAX_CATEGORIES:
            self.add_problem(("categories",), f"has {len(entries)} entries; at most {MAX_CATEGORIES}")
        for i, entry in enumerate(entries[:MAX_CATEGORIES]):
            path: FieldPath = ("categories", i)
            if not {"name", "pattern", "patterns"} & set(entry):
                # A patch for a category that does not exist: one problem about its id, not three about its fields.
                others = [other for other in self.ids if isinstance(other, str) and other != entry.get("id")]
                similar = closest(str(entry.get("id")), others)
                hint = f"did you mean {similar}?" if similar else "a new one needs a name and a pattern"
                self.add_problem(path, f"unknown category; {hint}")
                continue
            self.check_fields(entry, path, CATEGORY_FIELDS)
            name = self.string(entry, (*path, "name"))
            aliases = entry.get("aliases", [])
            if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
                self.add_problem((*path, "aliases"), "must be a list of names in quotes")
                aliases = []
            elif len(aliases) > MAX_ALIASES or any(len(alias) > MAX_NAME for alias in aliases):
                self.add_problem(
                    (*path, "aliases"),
                    f"must be at most {MAX_ALIASES} names of at most {MAX_NAME} characters",
                )
                aliases = []
            patterns = entry.get("patterns")
            # The pattern fields of the category are the defaults of all its patterns.
            shared = {name: value for name, value in entry.items() if name in PATTERN_FIELDS}
            checked: tuple[Pattern, ...]
            if patterns is None:
                checked = (read_pattern(self, shared, path, dice, faces),)
            elif not isinstance(patterns, list) or not patterns or not all(isinstance(p, dict) for p in patterns):
                self.add_problem((*path, "patterns"), "must be a list of at least one inline table")
                checked = (Pattern("any"),)
            elif self.n_patterns + len(patterns) > MAX_PATTERNS:
                self.add_problem(
                    (*path, "patterns"), f"are too many; the rules can have at most {MAX_PATTERNS} patterns in all"
                )
                checked = (Pattern("any"),)
            else:
                checked = tuple(
                    read_pattern(self, shared | own, (*path, "patterns", k), dice, faces)
                    for k, own in enumerate(patterns)
                )
            self.n_patterns += len(checked)
            yield Category(
                id=self.identifier(entry, (*path, "id")),
                name=name,
                patterns=checked,
                code=self.string(entry, (*path, "code"), ""),
                aliases=tuple(aliases),
                upper=self.flag(entry, (*path, "upper"), False),
            )

    def bonus(self, raw: Mapping[str, Any], categories: tuple[Category, ...]) -> Bonus | None:
        """The upper bonus."""
        table = self.table(raw, ("bonus",))
        if table is None:
            return None
        self.check_fields(table, ("bonus",), {"threshold", "points"})
        if categories and not any(category.upper for category in categories):
            self.add_problem(("bonus",), "needs at least one category with `upper = true`")
        return Bonus(
            threshold=self.number(table, ("bonus", "threshold"), 1, 2_000),
            points=self.number(table, ("bonus", "points"), 1, MAX_POINTS),
        )

    def joker(self, raw: Mapping[str, Any], categories: tuple[Category, ...]) -> Joker | None:
        """The joker rule."""
        table = self.table(raw, ("joker",))
        if table is None:
            return None
        self.check_fields(table, ("joker",), {"category", "bonus", "mode"})
        category = self.string(table, ("joker", "category"))
        if categories and category not in [PLACEHOLDER, *(c.id for c in categories)]:
            self.add_problem(("joker", "category"), f"is {shown(category)}; must be the id of a category")
        faces = [p.face for c in categories if c.upper for p in c.patterns if p.kind == "face"]
        if len(set(faces)) < len(faces):
            self.add_problem(
                ("joker",), "needs at most one upper box for each face: a joker asks for the matching one"
            )
        return Joker(
            category=category,
            bonus=self.number(table, ("joker", "bonus"), 0, MAX_POINTS),
            mode=self.choice(table, ("joker", "mode"), ("none", "free", "forced"), None),
        )

    def first_roll_bonus(self, raw: Mapping[str, Any], ids: list[str]) -> tuple[tuple[str, int], ...]:
        """Points by category id, sorted by id."""
        table = self.table(raw, ("first_roll_bonus",)) or {}
        for category in table:
            if ids and category not in ids:
                self.add_problem(("first_roll_bonus", category), "is not the id of a category")
        return tuple(
            sorted((c, self.number(table, ("first_roll_bonus", c), 1, MAX_POINTS)) for c in table if c in ids)
        )

    def switches(self, raw: Mapping[str, Any]) -> Iterator[Switch]:
        """The switches a file offers; their patches are checked when they are applied."""
        offered = self.table(raw, ("switches",)) or {}
        if len(offered) > MAX_SWITCHES:
            self.add_problem(("switches",), f"has {len(offered):,} switches; at most {MAX_SWITCHES} are allowed")
        for name, patch in [*offered.items()][:MAX_SWITCHES]:
            path: FieldPath = ("switches", name)
            if len(name) > MAX_ID or not IDENTIFIER.match(name):
                self.add_problem(path, "must be lower-case letters, digits and single hyphens")
            if not isinstance(patch, dict):
                self.add_problem(path, "must be a table")
                continue
            self.check_fields(patch, path, (FIELDS - {"id", "extends", "switches", "published"}))
            self.category_patch(patch, path)
            yield Switch(name, self.string(patch, (*path, "summary"), most=MAX_SUMMARY))

    def category_patch(self, patch: Mapping[str, Any], path: FieldPath) -> dict[str, Any]:
        """The values of a patch without those for categories that would replace or remove some.

        Parameters
        ----------
        path
            Of the patch; empty for a file that extends rules.
        """
        given, path = patch.get("categories"), (*path, "categories")
        rest = {name: value for name, value in patch.items() if name != "categories"}
        if isinstance(given, list):
            self.add_problem(
                path,
                "would replace the whole score sheet; write [categories.ID] to change or add a category. "
                "To remove one, leave `extends` out and list all categories",
            )
            return rest
        if not isinstance(given, dict):
            return dict(patch)
        for name, value in given.items():
            if value is False:
                self.add_problem(
                    (*path, name),
                    "cannot be removed from the extended rules; leave `extends` out and list all categories",
                )
            elif not isinstance(value, dict):
                self.add_problem((*path, name), "must be a table; write [categories.ID]")
        return rest | {"categories": {name: value for name, value in given.items() if isinstance(value, dict)}}

    def published(self, raw: Mapping[str, Any], active: tuple[str, ...]) -> Published | None:
        """The published value of the active switches, if there is one."""
        entries = raw.get("published", [])
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            self.add_problem(("published",), "must be [[published]] tables")
            return None
        if len(entries) > MAX_PUBLISHED:
            self.add_problem(("published",), f"has {len(entries):,} entries; at most {MAX_PUBLISHED} are allowed")
            return None
        found = None
        for i, entry in enumerate(entries):
            path: FieldPath = ("published", i)
            self.check_fields(entry, path, {"value", "switches", "source"})
            value = self.string(entry, (*path, "value"), "" if "value" not in entry else None)
            if value != PLACEHOLDER and not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
                self.add_problem((*path, "value"), f"is {shown(value)}; must be a decimal number in quotes")
            elif self.name_list(entry, (*path, "switches")) == set(active):
                found = Published(value, self.string(entry, (*path, "source"), "", MAX_SUMMARY))
        return found

    def check_names(self, rules: RuleSet) -> None:
        """Add a problem for every name that two categories share."""
        owner: dict[str, str] = {}
        for i, category in enumerate(rules.categories):
            for label in {
                category.id,
                category.name.lower(),
                category.code.lower(),
                *map(str.lower, category.aliases),
            }:
                if label == PLACEHOLDER:
                    continue
                if (label and owner.setdefault(label, category.id) != category.id) or (
                    label == category.id and label in [c.id for c in rules.categories[:i]]
                ):
                    self.add_problem(("categories", i, "id"), f"the name {label!r} is used by two categories")
