"""Whose unfinished work is: the rules, what is computed for them, and the sources that compute it.

Layers, shards and checkpoints carry the identity of their work. What is resumed must have the same
one; else it is computed again. A finished file carries the hash only as information.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .._sources import PACKAGE, sources_of_values
from ..core.objectives import Objective
from ..core.rules import RuleSet


@dataclass(frozen=True)
class WorkIdentity:
    """What the values of unfinished work depend on."""

    fingerprint: str  # of the rules
    objective: str  # name of what is computed
    parameters: str  # SHA-256 of what else is given: a rate, what a tie counts, settings
    sources: str  # SHA-256 of the sources

    @classmethod
    def of(
        cls, rules: RuleSet, objective: str, parameters: Mapping[str, Any], sources: str
    ) -> WorkIdentity:
        """Return the identity of some work. `sources` are those of :func:`sources_of_values`."""
        return cls(rules.fingerprint, objective, _digest(parameters), sources)

    @classmethod
    def of_table(cls, objective: Objective) -> WorkIdentity:
        """Return the identity of a table."""
        sources = sources_of_table(objective)
        return cls(
            objective.rules.fingerprint, objective.name, objective_digest(objective), sources
        )

    def fields(self) -> dict[str, str]:
        """Return the identity as plain JSON values."""
        return asdict(self)

    def fits(self, fields: Mapping[str, Any]) -> bool:
        """Return whether fields that were read have this identity."""
        return all(fields.get(name) == value for name, value in self.fields().items())


def objective_digest(objective: Objective) -> str:
    """Return the SHA-256 of the parameters, in which two tables of one name may differ."""
    return _digest({"objective": objective.name} | objective.parameters())


def _digest(parameters: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()


def sources_of_table(objective: Objective) -> str:
    """Return the SHA-256 of the sources that solve the table of an objective."""
    solver = str(PACKAGE / "core" / "backward_induction.py")
    kind = getattr(sys.modules[type(objective).__module__], "__file__", None)
    return sources_of_values(solver, kind or solver)
