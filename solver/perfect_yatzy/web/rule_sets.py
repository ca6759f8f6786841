"""`/api/rules`: the rule sets as JSON, with their boxes, the points these can hold, and whether they are solved."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from ..game.rule_loader import builtin_ids, load_rules
from ..game.rules import RuleSet, leaves_choice
from ..game.scoring import possible_points
from ..game.translations import localized
from ..service.answers import picked
from .limits import MAX_RULE_SETS_CACHED
from .static_files import Content

FIRST = ("yatzy", "maxi")  # what most people play
# Too many dice to enter, or too large for an exact table: no advice without a long wait.
NOT_ON_PAGE = {"giant", "giant-forced", "triple-yahtzee", "yamb"}


def listed_rules() -> list[str]:
    """The ids of the rule sets of the page, in its order."""
    return [*FIRST, *(name for name in builtin_ids() if name not in NOT_ON_PAGE and name not in FIRST)]


def rule_set_json(rules: RuleSet) -> dict[str, Any]:
    """A rule set as `/api/rules` describes it, but for what depends on the tables."""
    bonus, boxes = rules.bonus, zip(rules.categories, possible_points(rules), strict=True)
    steps = {"steps": [each.steps for each in rules.bonuses]}
    return {
        "id": rules.key,
        "base": rules.id,
        **picked(rules, "name", "summary", "dice", "faces"),
        "switches": [picked(switch, "id", "summary") for switch in rules.switches],
        "active": list(rules.active_switches),
        "bonus_points": bool(rules.joker and rules.joker.bonus) or bool(rules.first_roll_bonus),
        "rolls": rules.rolls_per_turn,
        "forced": not leaves_choice(rules),
        "saved_rolls": rules.saved_rolls,
        "columns": [picked(column, "id", "name", "order", "factor") for column in rules.columns],
        "bonus": picked(bonus, "threshold", "points") | steps if bonus else None,
        "categories": [picked(box, "id", "name", "upper", "column") | {"points": points} for box, points in boxes],
    }


@lru_cache(MAX_RULE_SETS_CACHED * 8)
def rule_set_text(name: str, lang: str) -> str:
    """A rule set as JSON text without its last brace. To describe all of them takes a tenth of a second."""
    return json.dumps(rule_set_json(localized(load_rules(name), lang)), separators=(",", ":"))[:-1]


@lru_cache(MAX_RULE_SETS_CACHED)
def described(names: tuple[str, ...], lang: str, costs: tuple[str, ...]) -> Content:
    """The answer of `/api/rules`."""
    entries = [
        rule_set_text(name, lang) + (f',"solved":false,"cost":{cost}}}' if cost else ',"solved":true}')
        for name, cost in zip(names, costs, strict=True)
    ]
    return Content.of(f"[{','.join(entries)}]".encode(), "json")
