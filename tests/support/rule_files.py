"""Rule files, written."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from perfect_yatzy.game.rules import RuleSet


def as_toml(rules: RuleSet) -> str:
    """A rule file for a rule set."""
    top = {k: v for k, v in rules.canonical().items() if v not in (None, {}, []) and k != "categories"}
    lines = ['id = "random"', 'name = "Random"', *(f"{name} = {inline(value)}" for name, value in top.items())]
    for category in rules.canonical()["categories"]:
        lines += ["[[categories]]", f'name = "{category["id"]}"']
        lines += [f"{name} = {inline(value)}" for name, value in category.items() if value is not None]
    return "\n".join(lines) + "\n"


def inline(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return value.isoformat() if isinstance(value, date) else json.dumps(value)
