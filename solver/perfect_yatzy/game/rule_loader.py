"""Rule sets from TOML files, and rule sets as JSON.

Loading a file has three steps: find it, apply it as a patch to the rule set it extends, and apply
the patches of its switches (``yatzy+some-switch``). :mod:`perfect_yatzy.game.rule_patches` applies
patches, :mod:`perfect_yatzy.game.rule_schema` checks the result.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ..core.rules import RuleSet
from ..errors import RulesError, StateError, shown
from ..words import N_, _, number_text
from . import limits
from .rule_builder import built_rules
from .rule_fields import Problem, ValueReader
from .rule_patches import SWITCH_WORDS, apply_patch, exclusions
from .translations import foreign_game_names, toml_names, toml_text

TOML_HINTS = {  # how messages of tomllib start -> what most likely is wrong
    ("Invalid value",): N_(
        "a value is a number, true, false, text in quotes, a list [...] or a table {...}"
    ),
    ("Cannot overwrite a value", "Cannot declare"): N_(
        "it is given twice, or [categories.NAME] and [[categories]] are mixed"
    ),
    ("Cannot mutate immutable",): N_(
        "a list or table in brackets cannot be added to further down: write it in one place"
    ),
    ("Expected '='", "Invalid statement"): N_(
        "each line is `field = value`, a [table] or a # comment; text goes in quotes"
    ),
    ("Expected newline",): N_("one field a line; text goes in quotes"),
    ("Illegal character", "Unterminated string"): N_(
        "text ends on the line it begins on, with the same quote"
    ),
    ("Unescaped",): N_("write a backslash twice, or use single quotes"),
    ("Unclosed",): N_("a bracket is open"),
}

# Comments and strings are one token, whether they end or not: then no part of the text is scanned
# twice.
TOML_TOKENS = re.compile(
    r"""\#[^\n]*+ | \"{3}(?:[^\"\\]|\\.|\"{1,2}(?!\"))*+(?:\"{3,5})? | '{3}(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?
    | "(?:[^"\\\n]|\\.)*+"? | '[^'\n]*+'? | [\[\]{}.=,\n]""",
    re.DOTALL | re.VERBOSE,
)


class RuleFileError(RulesError):
    """A rule file has mistakes.

    They are in `problems`, ordered by line, and each is a line of the message. `omitted` says how
    many more there are.
    """

    def __init__(self, problems: list[Problem], omitted: int = 0) -> None:
        problems = sorted(problems, key=lambda problem: problem.line)
        more = (
            [_("... and {count} more", count=number_text(omitted, grouped=True))] if omitted else []
        )
        super().__init__("\n".join([*map(str, problems), *more]))
        self.problems = problems
        self.omitted = omitted


def builtin_ids() -> list[str]:
    """Return the ids of the rule sets in the package, alphabetically."""
    return toml_names("rulesets")


def similar_id(name: str) -> str | None:
    """Return the built-in rule set that a wrong name may mean, or None.

    Printed names in all languages are known as well as ids. The same words in another order, such
    as ``forced-yatzy``, come before similar letters.
    """
    words = _words(name)
    known = _ids_by_words()
    for other, identifier in known.items():
        if sorted(other) == sorted(words):
            return identifier
    ids = {"-".join(other): identifier for other, identifier in known.items()}
    similar = limits.closest("-".join(words), [*ids], 0.5)
    return ids[similar] if similar else None


@cache
def _ids_by_words() -> dict[tuple[str, ...], str]:
    """Return the id of each built-in rule set by the words of its id and of its names."""
    ids = builtin_ids()
    names = [(rules, rules) for rules in ids]
    names += [(tomllib.loads(toml_text("rulesets", rules))["name"], rules) for rules in ids]
    names += foreign_game_names()
    id_of: dict[tuple[str, ...], str] = {}
    for name, rules in names:
        id_of.setdefault(_words(name), rules)
    return id_of


def _words(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", name.lower().replace("_", " ")))


def load_rules(spec: str | Path | RuleSet) -> RuleSet:
    """Load a rule set by name or from a file.

    Parameters
    ----------
    spec
        The id of a built-in rule set (``yatzy``) or the path of a TOML file, each optionally
        followed by switches: ``yatzy+four-is-two-pairs``. Case does not matter for ids and
        switches, nor does the order of the switches. A rule set is returned unchanged. A file of
        five lines changes a known game::

            extends = "yatzy"
            id = "club"
            name = "Club Yatzy"
            remove = ["small-straight"]
            bonus.points = 35

    Returns
    -------
    RuleSet

    Raises
    ------
    RulesError
        If there is no such rule set, file or switch.
    RuleFileError
        If the file has mistakes; it holds them.
    """
    if isinstance(spec, RuleSet):
        return spec
    if isinstance(spec, str) and ".toml" not in spec:
        return _builtin_rules(spec)
    return _load(spec)


@lru_cache(maxsize=256)
def _builtin_rules(spec: str) -> RuleSet:
    """Load built-in rules by name.

    The files of the package do not change, so each is read once a process.
    """
    return _load(spec)


def _load(spec: str | Path) -> RuleSet:
    """Read and check a rule set."""
    if len(str(spec)) > limits.MAX_RULES_NAME:
        text = _("unknown rules {rules}: longer than {most} characters")
        most = number_text(limits.MAX_RULES_NAME, grouped=True)
        raise RulesError(text.format(rules=shown(str(spec)), most=most), code="unknown-rules")
    name, *given = _split(str(spec))
    # in one spelling and one order, so that a game has one name, and one table
    name = _canonical(name)
    switches = sorted(switch.lower() for switch in given)
    values, reader = _values(name)
    return _checked_rules(values, reader, switches, name)


def rules_from_text(text: str, source: str, switches: Sequence[str] = ()) -> RuleSet:
    """Read the text of a rule file that someone has sent. It may extend built-in rules, but no file
    is opened. Raises RuleFileError, whose messages call the text `source`.
    """
    from .rule_schema import RuleChecker

    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise _not_utf8(source) from error
    if size > limits.MAX_RULES_BYTES:
        raise RulesError(limits.too_large(source, limits.MAX_RULES_BYTES))
    values = _parse(text, source)
    reader = RuleChecker(source, text)
    if "extends" in values:
        values = _extended(values, reader, files=None)
    return _checked_rules(values, reader, sorted(switch.lower() for switch in switches), source)


def _checked_rules(
    values: dict[str, Any], reader: ValueReader, switches: list[str], name: str
) -> RuleSet:
    """Return the rule set of the values of a file, checked, with some of its switches."""
    raw = _with_switches(values, switches, name, reader)
    spec = "+".join((name, *switches))
    if len(set(switches)) < len(switches):
        raise RulesError(_("a switch is named twice in {spec}", spec=spec))
    _check(raw, tuple(switches), reader)
    return built_rules(raw, tuple(switches), spec)


def _check(values: dict[str, Any], switches: tuple[str, ...], reader: ValueReader) -> None:
    """Raise RuleFileError if there are mistakes in the values of a file, or were when it was read."""
    reader.check(values, switches)
    if reader.problems:
        raise RuleFileError(reader.problems, reader.omitted)


def _with_switches(
    raw: dict[str, Any], switches: list[str], name: str, reader: ValueReader
) -> dict[str, Any]:
    """Return the values of a rule file after the patches of some of its switches."""
    available = raw.get("switches") or {}
    if not isinstance(available, dict):
        return raw
    excluded = exclusions(available)
    for position, switch in enumerate(switches):
        if switch not in available:
            known = ", ".join(available) or _("none")
            message = _("{name} has no switch {switch}; its switches: {known}")
            raise RulesError(
                message.format(name=name, switch=shown(switch), known=known), code="unknown-rules"
            )
        for other in switches[:position]:
            if other in excluded[switch]:
                message = _("{name}: the switches {first} and {second} exclude each other")
                raise RulesError(
                    message.format(name=name, first=other, second=switch), code="unknown-rules"
                )
        patch = available[switch]
        if isinstance(patch, dict):  # anything else is reported with the rest, with its line
            changes = {field: value for field, value in patch.items() if field not in SWITCH_WORDS}
            raw = apply_patch(raw, changes, reader, ("switches", switch))
    return raw


def _split(spec: str) -> list[str]:
    """Return the name or path, followed by the switches."""
    # A path may contain a plus sign: switches follow the extension of the file.
    stem, extension, rest = spec.rpartition(".toml")
    if extension:
        return [stem + extension, *filter(None, rest.split("+"))]
    return spec.split("+")


def _values(name: str, files: tuple[str, ...] = ()) -> tuple[dict[str, Any], ValueReader]:
    """Return the values of a rule file, after extension, and the reader that takes its problems.

    `files` are those that extend it.
    """
    text, source = _read(name)
    raw = _parse(text, source)
    reader: ValueReader
    if name.endswith(".toml"):
        from .rule_schema import RuleChecker

        reader = RuleChecker(source, text)
    else:  # of the package, whose files a test checks
        reader = ValueReader(source, text)
    if "extends" in raw:
        raw = _extended(raw, reader, (os.path.realpath(name), *files))
    return raw, reader


def _canonical(name: str) -> str:
    """Return the id of a built-in rule set or the path of a file, from how it is written."""
    if name.endswith(".toml"):
        return name
    if name.lower() in builtin_ids():
        return name.lower()
    otherwise = _("see `yatzy rules list`, or give a .toml file")
    hint = limits.suggestion(similar_id(name), builtin_ids(), otherwise)
    raise RulesError(
        _("unknown rules {name}; {hint}", name=shown(name), hint=hint), code="unknown-rules"
    )


def _read(name: str) -> tuple[str, str]:
    """Return the text of a rule file, and what messages call it."""
    if not name.endswith(".toml"):
        return toml_text("rulesets", name), f"{name}.toml"
    try:
        return limits.read_limited(Path(name), limits.MAX_RULES_BYTES).decode("utf-8-sig"), name
    except StateError as error:
        raise RulesError(_("the rule file {error}", error=error)) from error
    except OSError as error:
        text = _("cannot read the rule file {name}: {reason}")
        raise RulesError(
            text.format(name=name, reason=error.strerror), code="unknown-rules"
        ) from error
    except UnicodeDecodeError as error:
        raise _not_utf8(name) from error
    except ValueError as error:  # a NUL character, or text that cannot be encoded
        raise RulesError(
            _("{name} is not a file name", name=shown(name)), code="unknown-rules"
        ) from error


def _not_utf8(name: str) -> RulesError:
    return RulesError(_("the rule file {name} is not UTF-8 text", name=name))


@lru_cache(maxsize=32)
def _parse(text: str, source: str) -> dict[str, Any]:
    """Return the values of a rule file. They are shared, so nothing may change them."""
    line = _too_deep(text)
    if line:
        message = _("is nested deeper than {most} levels", most=limits.MAX_RULES_DEPTH)
        raise RuleFileError([Problem(source, line, "", message)])
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place[1]) if place else 0
        message = re.sub(r" \(at .*\)", "", str(error))
        hints = [hint for starts, hint in TOML_HINTS.items() if message.startswith(starts)]
        if hints:
            message = f"{message}; {_(hints[0])}"  # marked elsewhere
        raise RuleFileError([Problem(source, line, "", message)]) from error
    except (ValueError, RecursionError) as error:  # Python limits the digits of a number
        raise RuleFileError(
            [Problem(source, 0, "", _("contains a number with too many digits"))]
        ) from error


def _too_deep(text: str) -> int:
    """Return the line where brackets, or the parts of a dotted key, are nested too deeply.

    It is 0 if they are not.
    """
    line = 1
    brackets = 0
    parts = 1
    for token in TOML_TOKENS.finditer(text):
        symbol = token[0]
        if symbol == ".":
            parts += 1
        elif symbol in "[{":
            brackets += 1
            parts = 1
        elif symbol in "]}":
            brackets -= 1
            parts = 1
        elif symbol in "=,\n":
            parts = 1
        if max(brackets, parts) > limits.MAX_RULES_DEPTH:
            return line
        line += symbol.count("\n")
    return 0


def _extended(
    raw: dict[str, Any], reader: ValueReader, files: tuple[str, ...] | None
) -> dict[str, Any]:
    """Return the values of a file merged into those of the rule set it extends.

    `files` are those that extend it, or None if it may not extend a file.
    """
    name = raw["extends"]
    known = builtin_ids()
    own = {field: value for field, value in raw.items() if field != "extends"}
    is_file = isinstance(name, str) and name.endswith(".toml")
    base = None
    if is_file:
        base = _extended_file(name, reader, files)
    elif name in known:
        base = _builtin_base(name)
    if base is not None:
        return apply_patch(base, own, reader)
    # It cannot be extended. To find more mistakes, the rest is checked as a patch of other built-in
    # rules: those with the most similar id, or Yatzy.
    similar = similar_id(name) if isinstance(name, str) else None
    if not is_file:  # _extended_file has added a problem about a file
        otherwise = _(
            "must be the id of a built-in rule set, see `yatzy rules list`, or a .toml file"
        )
        must = limits.suggestion(similar, known, otherwise)
        reader.add_problem(("extends",), _("is {value}; {must}", value=shown(name), must=must))
    # then fields that refer to categories would be wrong with these rules
    if is_file or not similar:
        of_categories = ("categories", "columns", "joker", "first_roll_bonus", "switches", "remove")
        own = {field: value for field, value in own.items() if field not in of_categories}
    return apply_patch(_builtin_base(similar or "yatzy"), own, reader)


def _builtin_base(name: str) -> dict[str, Any]:
    """Return what is taken over from built-in rules."""
    values, _reader = _values(name)
    return _inherited(values)


def _extended_file(
    name: str, reader: ValueReader, files: tuple[str, ...] | None
) -> dict[str, Any] | None:
    """Return what is taken over from a file of one's own.

    If it cannot be extended, a problem is added and the result is None.
    """
    path = str(Path(reader.source).parent / name)
    message = ""
    if files is None:
        message = _(
            "is {value}; must be the id of a built-in rule set: files are not opened",
            value=shown(name),
        )
    elif os.path.realpath(path) in files:
        message = _("extends itself") if len(files) == 1 else _("is a file that extends this one")
    elif len(files) >= limits.MAX_EXTENDS:
        message = _("makes a chain of more than {most} files", most=limits.MAX_EXTENDS)
    else:
        try:
            values, base_reader = _values(path, files)
        except RuleFileError:
            raise  # a mistake there is reported there
        except RulesError as error:
            message = _("is {value}: {error}", value=shown(name), error=error)
        else:
            _check(values, (), base_reader)
            return _inherited(values)
    reader.add_problem(("extends",), message)
    return None


def _inherited(base: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file takes over.

    The summary and the published values describe the extended game, and are left out.
    """
    return {name: value for name, value in base.items() if name not in ("published", "summary")}


@lru_cache(maxsize=32)
def rules_to_json(rules: RuleSet) -> str | dict[str, Any]:
    """Return a built-in rule set as its key, another one as JSON values that need no other file.

    They are cached, and not to be changed.
    """
    with suppress(RulesError):
        if load_rules(rules.key).fingerprint == rules.fingerprint:
            return rules.key  # in any language: names do not belong to the fingerprint
    written: dict[str, Any] = {"id": rules.id, "name": rules.name, "summary": rules.summary}
    written["active"] = [*rules.active_switches]
    written |= {name: value for name, value in rules.canonical().items() if value is not None}
    if rules.columns:
        written["columns"] = [asdict(column) for column in rules.columns]
    written["categories"] = [
        {"name": c.name, "code": c.code, "aliases": [*c.aliases]} | entry
        for c, entry in zip(rules.categories, written["categories"], strict=True)
    ]
    return written


def names_file(spec: str) -> bool:
    """Return whether :func:`load_rules` would read a file for this name."""
    return _split(spec)[0].endswith(".toml")


def rules_from_json(raw: Any) -> RuleSet:
    """Return the rule set that :func:`rules_to_json` has written. Raises RulesError otherwise.

    No file is opened, whoever wrote the JSON.
    """
    if isinstance(raw, str):
        if names_file(raw):
            text = _(
                "rules is {value}; must be built-in rules, or the rules themselves: files are not opened"
            )
            raise RulesError(text.format(value=shown(raw)), code="unknown-rules")
        return load_rules(raw)
    if not isinstance(raw, dict):
        raise RulesError(_("rules is {value}; must be text or an object", value=shown(raw)))
    active = raw.get("active", [])
    if not isinstance(active, list) or not all(
        isinstance(name, str) for name in active[: limits.MAX_SWITCHES + 1]
    ):
        raise RulesError(_("rules: active: must be a list of switches"))
    if len(active) > limits.MAX_SWITCHES:
        raise RulesError(
            _("rules: active: has more than {most} switches", most=limits.MAX_SWITCHES)
        )
    from .rule_schema import RuleChecker

    reader = RuleChecker("rules", "")
    values = {name: value for name, value in raw.items() if name != "active"}
    reader.check(values, tuple(active), listed=True)
    if reader.problems:
        raise RulesError(str(reader.problems[0]))
    return built_rules(values, tuple(active), "")
