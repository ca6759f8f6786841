"""A rule set as the engine in the browser takes it: the arrays of the turn model as plain JSON values.

What a roll scores, which boxes may take it and which card follows is computed here from the rules, so the engine has
no scoring of its own. Its reader is ``static/engine/game.js``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import RulesError, _
from ...game.dice import Ints, lattice
from ...game.rules import RuleSet, chains, column_order, prerequisites
from ...game.scoring import points_table, possible_points, upper_sums
from ...model.state_space import state_space
from ...model.turn_model import SCORING_WAYS, joker_model, legal_categories, numbered_outcomes, turn_outcomes
from ...service.answers import picked

MAX_CATEGORIES = 30  # bitmasks in JavaScript are 32-bit integers
JOKER_FLAGS = "must_match", "requires_points", "bonus_requires_points", "bonus_requires_open", "always_in_full"


def rule_data(rules: RuleSet) -> dict[str, Any]:
    """Everything about a rule set but its table."""
    if len(rules.categories) > MAX_CATEGORIES:
        facts: dict[str, Any] = {"rules": rules.key, "count": len(rules.categories), "most": MAX_CATEGORIES}
        text = _("{rules} has {count} categories; a site can have games of up to {most}", **facts)
        raise RulesError(text, code="too-large")
    legal, uppers, extra = legal_categories(rules), upper_sums(rules), dict(rules.first_roll_bonus)
    paid = [[bonus.paid(total) for total in range(bonus.threshold + 1)] for bonus in rules.bonuses]
    least, boxes = points_table(rules).min(axis=1), zip(rules.categories, possible_points(rules), strict=True)
    categories = [
        picked(box, "id", "upper", "column")
        | {"points": [*map(int, points)], "least": int(least[c]), "first_roll_bonus": extra.get(box.id, 0)}
        for c, (box, points) in enumerate(boxes)
    ]
    return {
        **picked(rules, "key", "fingerprint", "dice", "faces"),
        "rolls": rules.rolls_per_turn,
        "saved_rolls": rules.saved_rolls,
        "first_roll_bonus": bool(rules.first_roll_bonus),
        "columns": len(rules.columns),
        "categories": categories,
        "prerequisites": list(prerequisites(rules)),
        "requiring": legal.requiring,
        "strict": bool(legal.strict),
        "upper_bits": sum(1 << c for c, category in enumerate(rules.categories) if category.upper),
        "joker": _joker(rules),
        "uppers": picked(uppers, "thresholds", "widths", "weights") | {"paid": paid},
        "layout": _layout(rules),
        **_outcomes(rules),
    }


def _joker(rules: RuleSet) -> dict[str, Any]:
    """The flags of :class:`perfect_yatzy.model.turn_model.JokerModel`; rolls are numbered from 0."""
    model = joker_model(rules)
    return {
        "index": rules.joker_index if rules.joker else -1,
        "rolls": (model.rolls - lattice(rules.dice, rules.faces).first_roll).tolist() if rules.joker else [],
        "box": model.box.tolist() if rules.joker else [],
        "bit": model.bit,
        "bonus": rules.joker.bonus if rules.joker else 0,
        **{name: bool(getattr(model, name)) for name in JOKER_FLAGS},
    }


def _layout(rules: RuleSet) -> dict[str, Any]:
    """How the engine finds the place of a state (:class:`perfect_yatzy.model.state_space.StateSpace`)."""
    space = state_space(rules)
    orders = {column_order(rules, column) for column in range(max(1, len(rules.columns)))}
    return {
        "chains": [list(chain) for chain in chains(rules)],
        "step_of": space.step_of.tolist(),
        "weight_of": space.lanes.weight_of.tolist(),
        "lane_count": space.layout.lane_count.tolist(),
        "lane_of": space.layout.lane_of.ravel().tolist(),
        "upper_width": space.layout.upper_width,
        "most_saved": space.most_saved.tolist(),
        "tracked_index": rules.tracked_index,
        "upper_first": "upper-first" in orders,
        "size": space.size,
    }


def _outcomes(rules: RuleSet) -> dict[str, Any]:
    """The outcomes of a turn, and which of them each category pays for each roll in each way to score."""
    found = turn_outcomes(rules)
    number: Ints = numbered_outcomes(rules)[-1].reshape(SCORING_WAYS * len(rules.categories), -1)
    rows, row_of = np.unique(number, axis=0, return_inverse=True)
    names = "category", "points", "total", "step", "shift"
    outcomes = {name: [*map(int, getattr(found, name))] for name in names}
    return {"outcomes": outcomes, "rows": rows.tolist(), "ways": row_of.reshape(SCORING_WAYS, -1).tolist()}
