"""Patches of rule files: what a file changes in the rules it extends, and what a switch changes in
its own.

A patch has the fields of a rule file. Tables are merged, and categories and columns are found by
their id; anything else replaces the old value, and ``false`` removes it. The score sheet changes by
name::

    remove = ["chance"]                            a category that is removed and defined again keeps its place
    [categories.house]  after = "sixes"            or before; moves a category, or says where a new one goes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import shown
from ..words import N_, _
from .limits import MAX_ID, suggestion
from .rule_fields import PLACE_FIELDS, FieldPath, ValueReader

LISTS_BY_ID = ("categories", "columns")
SWITCH_WORDS = ("summary", "group")  # what a switch says of itself: no part of its patch
REMOVABLE_TABLES = ("bonus", "joker", "first_roll_bonus")
LIST_MESSAGE = N_(
    "would replace the whole score sheet; write [categories.ID] to change or add a category, "
    'and remove = ["ID"] to remove one'
)


def apply_patch(
    base: Mapping[str, Any], patch: Mapping[str, Any], reader: ValueReader, path: FieldPath = ()
) -> dict[str, Any]:
    """Return the values of a rule file after a patch.

    `path` is that of the patch in its file. It is empty if the patch extends rules.
    """
    check_emptied(base, patch, reader, path)
    own = checked_categories(patch, reader, path)
    names = _removed(base, own.pop("remove", None), reader, (*path, "remove"))
    merged = merge(_without(base, names, own), own)
    entries = merged.get("categories")
    changed = own.get("categories")
    if isinstance(entries, list) and isinstance(changed, dict):
        merged["categories"] = _placed(entries, changed, reader, (*path, "categories"))
    return merged


def exclusions(switches: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return for each switch the others that cannot be combined with it.

    These are the others of its group, and those that set one of its fields to another value.
    """
    fields: dict[str, dict[FieldPath, Any]] = {}
    groups: dict[str, Any] = {}
    for name, patch in switches.items():
        is_table = isinstance(patch, dict)  # else it is reported with the rest
        fields[name] = dict(_fields_set(patch)) if is_table else {}
        groups[name] = patch.get("group") if is_table else None

    def exclude(one: str, other: str) -> bool:
        in_one_group = groups[one] is not None and groups[one] == groups[other]
        return in_one_group or _contradict(fields[one], fields[other])

    return {
        name: tuple(other for other in switches if other != name and exclude(name, other))
        for name in switches
    }


def _fields_set(patch: Mapping[str, Any], path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    """Yield the fields that a patch of a switch sets, with their values.

    To remove a category sets all its fields.
    """
    for name, value in patch.items():
        if not path and name in SWITCH_WORDS:
            continue
        if not path and name == "remove":
            removed = value if isinstance(value, list) else []
            yield from ((("categories", str(category)), False) for category in removed)
        elif isinstance(value, dict):
            yield from _fields_set(value, (*path, name))
        else:
            yield (*path, name), value


def _contradict(one: Mapping[FieldPath, Any], other: Mapping[FieldPath, Any]) -> bool:
    """Return whether two patches cannot be combined.

    They set a field to different values, or one sets a part of what the other sets.
    """
    for path, first in one.items():
        for place, second in other.items():
            # one field, or a field within a table that the other patch sets
            overlaps = path[: len(place)] == place[: len(path)]
            if overlaps and (path != place or first != second):
                return True
    return False


def check_emptied(
    base: Mapping[str, Any], patch: Mapping[str, Any], reader: ValueReader, path: FieldPath
) -> None:
    """Add a problem for each table that a patch empties: merged, it would change nothing."""
    for name in REMOVABLE_TABLES:
        if patch.get(name) == {} and base.get(name):
            message = _("is empty, which changes nothing; write {name} = false to remove it")
            reader.add_problem((*path, name), message.format(name=name))


def checked_categories(
    patch: Mapping[str, Any], reader: ValueReader, path: FieldPath
) -> dict[str, Any]:
    """Return the values of a patch without categories that are no tables.

    A problem is added for each of those.
    """
    given = patch.get("categories")
    place = (*path, "categories")
    rest = {name: value for name, value in patch.items() if name != "categories"}
    if isinstance(given, list):
        reader.add_problem(place, _(LIST_MESSAGE))  # marked elsewhere
        return rest
    if not isinstance(given, dict):
        return dict(patch)
    for name, value in given.items():
        if value is False:
            message = _('must be a table; to remove the category write remove = ["{name}"]')
            reader.add_problem((*place, name), message.format(name=name[:MAX_ID]))
        elif not isinstance(value, dict):
            reader.add_problem((*place, name), _("must be a table; write [categories.ID]"))
    return rest | {
        "categories": {name: value for name, value in given.items() if isinstance(value, dict)}
    }


def merge(base: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables merged with a patch, at any depth.

    ``false`` removes a field that is not itself true or false.
    """
    merged = dict(base)
    for key, new in patch.items():
        old = merged.get(key)
        are_tables = isinstance(old, list) and all(isinstance(entry, dict) for entry in old)
        if key in LISTS_BY_ID and isinstance(new, dict) and are_tables:
            merged[key] = _merged_by_id(merged[key], new)
        elif isinstance(old, dict) and isinstance(new, dict):
            merged[key] = merge(old, new)
        elif new is False and key in merged and not isinstance(old, bool):
            merged.pop(key)
        else:
            merged[key] = new  # an array replaces the old one
    return merged


def _merged_by_id(entries: list[dict[str, Any]], new: Mapping[str, Any]) -> list[Any]:
    """Return a list of tables, of which those with an id in `new` are patched.

    The further tables of `new` come after them.
    """
    known = {str(entry.get("id")) for entry in entries}
    patches = {name: value for name, value in new.items() if isinstance(value, dict)}
    patched: list[Any] = [merge(entry, patches.get(str(entry.get("id")), {})) for entry in entries]
    # Values that are not tables are kept: validation reports them, with their line.
    no_tables = [value for name, value in new.items() if name in known and name not in patches]
    further = {name: value for name, value in new.items() if name not in known}
    added = [{"id": name, **value} if name in patches else value for name, value in further.items()]
    return patched + no_tables + added


def _removed(base: Mapping[str, Any], value: Any, reader: ValueReader, path: FieldPath) -> set[str]:
    """Return the ids of the categories to remove.

    A problem is added for each that is not there.
    """
    if value is None:
        return set()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        reader.add_problem(path, _("must be a list of category ids in quotes"))
        return set()
    known = _ids(base.get("categories"))
    for name in value:
        if name not in known:
            hint = suggestion(name, known, _("must be the id of a category"))
            reader.add_problem(
                path, _("{name} is not in the rules before; {hint}", name=shown(name), hint=hint)
            )
    return {*value} & {*known}


def _without(base: Mapping[str, Any], names: set[str], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a rule file without the categories `names`.

    A category that the patch defines again is only emptied.
    """
    if not names:
        return dict(base)
    defined = patch.get("categories") or {}
    kept = [
        {"id": name} if name in names else entry
        for name, entry in zip(_ids(base["categories"]), base["categories"], strict=True)
        if name not in names or name in defined
    ]
    rest = {**base, "categories": kept}
    bonus = base.get("first_roll_bonus")
    switches = base.get("switches")
    if isinstance(bonus, dict):
        rest["first_roll_bonus"] = {
            name: points for name, points in bonus.items() if name not in names
        }
    if isinstance(switches, dict):
        left = {name: _switch_without(switch, names) for name, switch in switches.items()}
        rest["switches"] = {name: switch for name, switch in left.items() if switch is not None}
    return rest


def _switch_without(switch: Any, names: set[str]) -> Any:
    """Return a switch without what it says about categories, or None if there is nothing else."""
    if not isinstance(switch, dict):
        return switch
    left = dict(switch)
    for field in ("categories", "first_roll_bonus"):
        if isinstance(switch.get(field), dict):
            left[field] = {
                name: value for name, value in switch[field].items() if name not in names
            }
    if isinstance(switch.get("remove"), list):
        left["remove"] = [name for name in switch["remove"] if name not in names]
    # What is empty now is left out, but not what was empty before.
    left = {
        field: value
        for field, value in left.items()
        if value not in ({}, []) or value == switch[field]
    }
    had_changes = switch.keys() - SWITCH_WORDS
    has_changes = left.keys() - SWITCH_WORDS
    return None if had_changes and not has_changes else left


def _placed(
    entries: list[Any], changed: Mapping[str, Any], reader: ValueReader, path: FieldPath
) -> list[Any]:
    """Return the categories after those that say `before` or `after` are moved.

    They are moved one after the other, in the order of the patch. One whose place is wrong stays
    where it is.
    """
    for name, patch in changed.items():
        if PLACE_FIELDS.keys() & patch:
            ids = _ids(entries)
            # The patch may give the category another id, or remove the id, which is reported later.
            own_id = str(patch.get("id", name))
            old = ids.index(own_id) if own_id in ids else ids.index("")
            without_place = {
                field: value for field, value in entries[old].items() if field not in PLACE_FIELDS
            }
            others = [*entries[:old], *entries[old + 1 :]]
            place = _place_among(_ids(others), patch, reader, (*path, name))
            if place is None:
                place = old
            entries = [*others[:place], without_place, *others[place:]]
    return entries


def _place_among(
    others: list[str], patch: Mapping[str, Any], reader: ValueReader, path: FieldPath
) -> int | None:
    """Return where `before` or `after` put a category among the others.

    If they are wrong, a problem is added and the result is None.
    """
    if "before" in patch and "after" in patch:
        message = _("does not go with `{other}`; leave one of the two out", other="after")
        reader.add_problem((*path, "before"), message)
        return None
    field = "before" if "before" in patch else "after"
    target = patch[field]
    if target not in others:
        must = suggestion(target, others, _("must be the id of another category"))
        reader.add_problem((*path, field), _("is {value}; {must}", value=shown(target), must=must))
        return None
    return others.index(target) + (0 if field == "before" else 1)


def _ids(entries: Any) -> list[str]:
    """Return the ids of a list of categories, by position. An entry without an id has empty text."""
    listed = entries if isinstance(entries, list) else []
    return [str(entry.get("id", "")) if isinstance(entry, dict) else "" for entry in listed]
