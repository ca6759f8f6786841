"""Raw TOML values into the model, and every mistake on the way by line and field.

Validation collects all problems and goes on with harmless stand-ins, so that a person mends a file in one go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from .rules import Bonus, Category, Joker, Pattern, Published, RuleSet, Switch

MAX_DICE = 12
MAX_FACES = 6
MAX_ROLLS = 10
MAX_CATEGORIES = 60
MAX_POINTS = 10_000
IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
STAND_IN = "\0"  # for text that is missing or wrong: that has been said, and what follows from it need not be

PATTERN_FIELDS = {"pattern", "face", "groups", "distinct", "contains", "score", "points", "plus"}
CATEGORY_FIELDS = {"id", "name", "code", "aliases", "upper", "patterns"} | PATTERN_FIELDS
FIELDS = {
    "id", "name", "summary", "extends", "dice", "faces", "rolls", "order", "saved_rolls", "bonus", "joker",
    "first_roll_bonus", "categories", "switches", "published",
}  # fmt: skip

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One mistake in a rule file."""

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


def locate(text: str, path: Path_) -> int:
    """Line (from 1) of the innermost part of `path` that `text` spells out, 0 if none is found."""
    here: list[str | int] = []
    seen: dict[str, int] = {}
    best, best_depth = 0, 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line)
        entry = re.match(r"\s*([A-Za-z0-9_-]+)\s*=", line)
        if header:
            here = [part.strip(" \"'") for part in header[2].split(".")]
            if header[1] == "[[":
                seen[header[2]] = seen.get(header[2], -1) + 1
                here.append(seen[header[2]])
            full = tuple(here)
        elif entry:
            full = (*here, entry[1])
        else:
            continue
        depth = len(full)
        if depth > best_depth and path[:depth] == full:
            best, best_depth = number, depth
    return best


class RuleChecker:
    """Reads raw TOML values into the model; what is wrong goes to `problems`, with a harmless stand-in."""

    def __init__(self, source: str, text: str) -> None:
        self.source, self.text = source, text
        self.ids: list[Any] = []  # of the categories, by position
        self.active: tuple[str, ...] = ()  # switches whose patches are part of what is read
        self.problems: list[Problem] = []

    def fault(self, path: Path_, message: str) -> None:
        """Note a mistake, with the line that spells out most of `path`."""
        shown, line = path, locate(self.text, path)
        if path[0] == "categories" and len(path) > 1 and isinstance(path[1], int):
            own = self.ids[path[1]]
            if isinstance(own, str) and self.ids.count(own) == 1:
                shown = ("categories", own, *path[2:])
                # A category that `extends` brought in is patched by its id.
                line = line or locate(self.text, shown)
        for switch in self.active if not line else ():
            line = line or locate(self.text, ("switches", switch, *shown))
        field = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in shown).lstrip(".")
        self.problems.append(Problem(self.source, line, field, message))

    def number(self, raw: Mapping[str, Any], path: Path_, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        value = raw.get(str(path[-1]), default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            said = "is missing" if value is None else f"is {value!r}"
            self.fault(path, f"{said}; must be a whole number from {low} to {high}")
            return high if default is None else default
        return value

    def word(self, raw: Mapping[str, Any], path: Path_, default: str | None = None) -> str:
        """Text."""
        value = raw.get(str(path[-1]), default)
        if not isinstance(value, str):
            said = "is missing" if value is None else f"is {value!r}"
            self.fault(path, f"{said}; must be text in quotes")
            return STAND_IN
        return value

    def identifier(self, raw: Mapping[str, Any], path: Path_) -> str:
        """Text that may stand in file names and cards."""
        value = self.word(raw, path)
        if value != STAND_IN and not IDENTIFIER.match(value):
            self.fault(path, f"is {value!r}; must be lower-case letters, digits and single hyphens")
        return value

    def choice(self, raw: Mapping[str, Any], path: Path_, allowed: tuple[str, ...], default: str | None) -> Any:
        """One of the allowed words."""
        value = raw.get(str(path[-1]), default)
        if value not in allowed:
            said = "is missing" if value is None else f"is {value!r}"
            self.fault(path, f"{said}; must be one of {', '.join(allowed)}")
            return allowed[0]
        return value

    def flag(self, raw: Mapping[str, Any], path: Path_, default: bool) -> bool:
        """True or false."""
        value = raw.get(str(path[-1]), default)
        if not isinstance(value, bool):
            self.fault(path, f"is {value!r}; must be true or false")
            return default
        return value

    def table(self, raw: Mapping[str, Any], path: Path_) -> Mapping[str, Any] | None:
        """A table, None if there is none."""
        value = raw.get(str(path[-1]))
        if value is not None and not isinstance(value, dict):
            self.fault(path, "must be a table")
            return None
        return value

    def known(self, raw: Mapping[str, Any], path: Path_, fields: set[str]) -> None:
        """Every name in `raw` must be one of `fields`."""
        for name in raw:
            if name not in fields:
                near = get_close_matches(name, fields, 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(sorted(fields))}"
                self.fault((*path, name), f"is not a field here; {hint}")

    def rule_set(self, raw: Mapping[str, Any], active: tuple[str, ...], spec: str) -> RuleSet:
        """The whole file."""
        self.active = active
        self.known(raw, (), FIELDS)
        dice = self.number(raw, ("dice",), 1, MAX_DICE)
        faces = self.number(raw, ("faces",), 2, MAX_FACES, 6)
        categories = tuple(self.categories(raw, dice, faces))
        ids = [category.id for category in categories]
        rules = RuleSet(
            id=self.identifier(raw, ("id",)),
            name=self.word(raw, ("name",)),
            dice=dice,
            faces=faces,
            rolls_per_turn=self.number(raw, ("rolls",), 1, MAX_ROLLS, 3),
            categories=categories,
            bonus=self.bonus(raw, categories),
            order=self.choice(raw, ("order",), ("free", "forced"), "free"),
            saved_rolls=self.flag(raw, ("saved_rolls",), False),
            joker=self.joker(raw, categories),
            first_roll_bonus=self.first_roll_bonus(raw, ids),
            summary=self.word(raw, ("summary",), ""),
            switches=tuple(self.switches(raw)),
            active_switches=active,
            published=self.published(raw, active),
            spec=spec,
        )
        self.names(rules)
        return rules

    def categories(self, raw: Mapping[str, Any], dice: int, faces: int) -> Iterator[Category]:
        """The categories, one by one."""
        entries = raw.get("categories")
        if not isinstance(entries, list) or not entries or not all(isinstance(e, dict) for e in entries):
            self.fault(("categories",), "must be [[categories]] tables, at least one")
            return
        self.ids = [entry.get("id") for entry in entries]
        if len(entries) > MAX_CATEGORIES:
            self.fault(("categories",), f"has {len(entries)} entries; at most {MAX_CATEGORIES}")
        for i, entry in enumerate(entries):
            path: Path_ = ("categories", i)
            if not {"name", "pattern", "patterns"} & set(entry):
                # A patch that met nothing to patch: one word about its name, not three about what it lacks.
                others = [other for other in self.ids if isinstance(other, str) and other != entry.get("id")]
                near = get_close_matches(str(entry.get("id")), others, 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else "a new one needs a name and a pattern"
                self.fault(path, f"unknown category; {hint}")
                continue
            self.known(entry, path, CATEGORY_FIELDS)
            name = self.word(entry, (*path, "name"))
            aliases = entry.get("aliases", [])
            if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
                self.fault((*path, "aliases"), "must be a list of names in quotes")
                aliases = []
            patterns = entry.get("patterns")
            read: tuple[Pattern, ...]
            if patterns is None:
                read = (self.pattern({k: v for k, v in entry.items() if k in PATTERN_FIELDS}, path, dice, faces),)
            elif not isinstance(patterns, list) or not patterns or not all(isinstance(p, dict) for p in patterns):
                self.fault((*path, "patterns"), "must be a list of at least one inline table")
                read = (Pattern("any"),)
            else:
                # What the category itself says holds for each pattern that does not say otherwise.
                shared = {k: v for k, v in entry.items() if k in PATTERN_FIELDS}
                read = tuple(
                    self.pattern({**shared, **p}, (*path, "patterns", k), dice, faces) for k, p in enumerate(patterns)
                )
            yield Category(
                id=self.identifier(entry, (*path, "id")),
                name=name,
                patterns=read,
                code=self.word(entry, (*path, "code"), ""),
                aliases=tuple(aliases),
                upper=self.flag(entry, (*path, "upper"), False),
            )

    def pattern(self, raw: Mapping[str, Any], path: Path_, dice: int, faces: int) -> Pattern:
        """One pattern: what it needs, what it must not have, and what it pays."""
        self.known(raw, path, PATTERN_FIELDS)
        kind = self.choice(raw, (*path, "pattern"), ("any", "face", "groups", "contains"), None)
        if raw.get("pattern") != kind:
            return Pattern("any")
        groups = self.numbers(raw, (*path, "groups"), 1, dice, dice) if kind == "groups" else ()
        contains = self.numbers(raw, (*path, "contains"), 1, faces, dice) if kind == "contains" else ()
        distinct = self.flag(raw, (*path, "distinct"), True)
        if sum(groups) > dice:
            self.fault((*path, "groups"), f"needs {sum(groups)} dice; the rules have {dice}")
        elif distinct and len(groups) > faces:
            self.fault((*path, "groups"), f"needs {len(groups)} different faces; the dice have {faces}")
        needed = {"face": "face", "groups": "groups", "contains": "contains"}.get(kind)
        for other in ("face", "groups", "contains"):
            if other in raw and other != needed:
                self.fault((*path, other), f"does not belong to the pattern {kind!r}")
        score = self.choice(
            raw, (*path, "score"), ("matched", "sum", "fixed"), "fixed" if "points" in raw else "matched"
        )
        if score == raw.get("score") != "fixed" and "points" in raw:
            self.fault((*path, "points"), f"are fixed, but score is {score!r}; leave one of the two out")
        return Pattern(
            kind=kind,
            face=self.number(raw, (*path, "face"), 1, faces) if kind == "face" else 0,
            groups=tuple(sorted(groups, reverse=True)),
            distinct=distinct,
            contains=tuple(sorted(contains)),
            score=score,
            points=self.number(raw, (*path, "points"), 1, MAX_POINTS) if score == "fixed" else 0,
            plus=self.number(raw, (*path, "plus"), 0, MAX_POINTS, 0),
        )

    def numbers(self, raw: Mapping[str, Any], path: Path_, low: int, high: int, most: int) -> tuple[int, ...]:
        """A list of 1 to `most` whole numbers."""
        value = raw.get(str(path[-1]))
        whole = isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        if not whole or not value or len(value) > most or not all(low <= v <= high for v in value):
            said = "is missing" if value is None else f"is {value!r}"
            self.fault(path, f"{said}; must be a list of 1 to {most} whole numbers from {low} to {high}")
            return ()
        return tuple(value)

    def bonus(self, raw: Mapping[str, Any], categories: tuple[Category, ...]) -> Bonus | None:
        """The upper bonus."""
        table = self.table(raw, ("bonus",))
        if table is None:
            return None
        self.known(table, ("bonus",), {"threshold", "points"})
        if categories and not any(category.upper for category in categories):
            self.fault(("bonus",), "needs at least one category with `upper = true`")
        return Bonus(
            threshold=self.number(table, ("bonus", "threshold"), 1, 2_000),
            points=self.number(table, ("bonus", "points"), 1, MAX_POINTS),
        )

    def joker(self, raw: Mapping[str, Any], categories: tuple[Category, ...]) -> Joker | None:
        """The joker rule."""
        table = self.table(raw, ("joker",))
        if table is None:
            return None
        self.known(table, ("joker",), {"category", "bonus", "mode"})
        category = self.word(table, ("joker", "category"))
        if categories and category not in [STAND_IN, *(c.id for c in categories)]:
            self.fault(("joker", "category"), f"is {category!r}; must be the id of a category")
        faces = [p.face for c in categories if c.upper for p in c.patterns if p.kind == "face"]
        if len(set(faces)) < len(faces):
            self.fault(("joker",), "needs at most one upper box for each face: a joker asks for the matching one")
        return Joker(
            category=category,
            bonus=self.number(table, ("joker", "bonus"), 0, MAX_POINTS),
            mode=self.choice(table, ("joker", "mode"), ("none", "free", "forced"), None),
        )

    def first_roll_bonus(self, raw: Mapping[str, Any], ids: list[str]) -> tuple[tuple[str, int], ...]:
        """Extra points by category id, sorted."""
        table = self.table(raw, ("first_roll_bonus",)) or {}
        for category in table:
            if ids and category not in ids:
                self.fault(("first_roll_bonus", category), "is not the id of a category")
        return tuple(
            sorted((c, self.number(table, ("first_roll_bonus", c), 1, MAX_POINTS)) for c in table if c in ids)
        )

    def switches(self, raw: Mapping[str, Any]) -> Iterator[Switch]:
        """The switches a file offers; their patches are read when they are applied."""
        for name, patch in (self.table(raw, ("switches",)) or {}).items():
            path: Path_ = ("switches", name)
            if not IDENTIFIER.match(name):
                self.fault(path, "must be lower-case letters, digits and single hyphens")
            if not isinstance(patch, dict):
                self.fault(path, "must be a table")
                continue
            self.known(patch, path, (FIELDS - {"id", "extends", "switches", "published"}))
            yield Switch(name, self.word(patch, (*path, "summary")))

    def published(self, raw: Mapping[str, Any], active: tuple[str, ...]) -> Published | None:
        """The published value of the active switches, if there is one."""
        entries = raw.get("published", [])
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            self.fault(("published",), "must be [[published]] tables")
            return None
        found = None
        for i, entry in enumerate(entries):
            path: Path_ = ("published", i)
            self.known(entry, path, {"value", "switches", "source"})
            value = self.word(entry, (*path, "value"), "" if "value" not in entry else None)
            if value != STAND_IN and not re.fullmatch(r"\d+(\.\d+)?", value):
                self.fault((*path, "value"), f"is {value!r}; must be a decimal number in quotes")
            elif self.switch_names(entry, (*path, "switches")) == set(active):
                found = Published(value, self.word(entry, (*path, "source"), ""))
        return found

    def switch_names(self, raw: Mapping[str, Any], path: Path_) -> set[str]:
        """A list of names, as a set."""
        value = raw.get(str(path[-1]), [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            self.fault(path, "must be a list of names in quotes")
            return set()
        return set(value)

    def names(self, rules: RuleSet) -> None:
        """No two categories may go by the same name."""
        owner: dict[str, str] = {}
        for i, category in enumerate(rules.categories):
            for label in {  # stand-ins are no names
                category.id,
                category.name.lower(),
                category.code.lower(),
                *map(str.lower, category.aliases),
            }:
                if label == STAND_IN:
                    continue
                if (label and owner.setdefault(label, category.id) != category.id) or (
                    label == category.id and label in [c.id for c in rules.categories[:i]]
                ):
                    self.fault(("categories", i, "id"), f"the name {label!r} is used by two categories")
