"""An objective as JSON text and back, so that another process can solve a part of its table.

The text holds the rules, in the form of :func:`perfect_yatzy.game.rule_loader.rules_to_json`, and the parameters::

    {"rules": "yatzy", "objective": "mean"}             or another name of QUANTITIES
    {"rules": {...}, "objective": "exponential", "rate": -0.01}
    {"rules": "yatzy", "objective": "utility", "utilities": [0.0, 1.0, ...]}      of every final score from 0 on
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import StateError, TableError
from ..game.rule_loader import rules_from_json, rules_to_json
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE
from ..model.checked_values import Table
from ..model.objectives import ExponentialUtility, Objective, PolicyQuantity, Utility
from ..model.quantities import QUANTITIES


def objective_text(objective: Objective) -> str:
    """The text of an objective."""
    raw = rules_to_json(objective.rules)
    if rules_from_json(raw).fingerprint != objective.rules.fingerprint:
        raise StateError(f"the rules {objective.rules.key} cannot be written as text")
    fields = {"rules": raw} | objective_fields(objective)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def objective_fields(objective: Objective) -> dict[str, Any]:
    """The parameters of an objective, apart from the rules."""
    fields: dict[str, Any] = {"objective": objective.name}
    known = {quantity.kind for quantity in QUANTITIES.values()} | {"ExponentialUtility", "Utility"}
    if objective.start != EMPTY_STATE or type(objective).__name__ not in known:
        raise StateError(f"a table of {objective.name} from this state on cannot be solved in shards")
    if isinstance(objective, PolicyQuantity) and objective.policy is not None:
        raise StateError(f"{objective.name} under a policy cannot be solved in shards")
    if isinstance(objective, ExponentialUtility):
        fields["rate"] = objective.rate
    if isinstance(objective, Utility):
        fields["utilities"] = objective.utility(np.arange(objective.most_points + objective.after + 1)).tolist()
    return fields


def objective_digest(objective: Objective) -> str:
    """SHA-256 of the parameters, hexadecimal: two tables of one name may differ in them."""
    return hashlib.sha256(json.dumps(objective_fields(objective), sort_keys=True).encode()).hexdigest()


def objective_from_text(text: str, means: Callable[[RuleSet], Table]) -> Objective:
    """The objective of a text."""
    try:
        fields = json.loads(text)
        raw, name = fields["rules"], fields["objective"]
    except (ValueError, TypeError, KeyError) as error:
        raise TableError("the description of the objective is damaged", code="table-damaged") from error
    rules = rules_from_json(raw)
    if name in QUANTITIES:
        return QUANTITIES[name].objective(rules, means)
    if name == ExponentialUtility.name:
        return ExponentialUtility(rules, fields["rate"])
    if name == Utility.name:
        utilities = np.array(fields["utilities"], dtype=np.float64)  # of 0, 1, 2, ... points
        return Utility(rules, lambda total: np.asarray(utilities[total]))
    raise TableError(f"the objective {name!r} is unknown", code="table-damaged")
