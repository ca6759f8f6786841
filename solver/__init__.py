"""Exact optimal play for Yatzy and its relatives.

>>> import solver
>>> yatzy = solver.open_strategy("yatzy")
>>> round(yatzy.value(), 4)
248.44
>>> yatzy.holds("", "33456", rolls_left=2)[0].dice
(3, 3)

Names are imported when first used: ``import solver`` alone loads neither numpy nor numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .advice import Choice, Hold, Strategy, open_strategy
    from .aims import ScoreStrategy, maximise, reach
    from .backward import solve_values as solve
    from .batch import BatchAnswer
    from .errors import RulesError, SolverError, StateError, TableError
    from .forward import ScoreDistribution, distribution
    from .notation import Scorecard, parse_card
    from .rulefile import load_rules
    from .rules import RuleSet
    from .simulator import Simulation, simulate
    from .states import State

_HOMES = {
    "BatchAnswer": "batch",
    "Choice": "advice",
    "Hold": "advice",
    "RuleSet": "rules",
    "RulesError": "errors",
    "ScoreDistribution": "forward",
    "ScoreStrategy": "aims",
    "Scorecard": "notation",
    "Simulation": "simulator",
    "SolverError": "errors",
    "State": "states",
    "StateError": "errors",
    "Strategy": "advice",
    "TableError": "errors",
    "distribution": "forward",
    "load_rules": "rulefile",
    "maximise": "aims",
    "open_strategy": "advice",
    "parse_card": "notation",
    "reach": "aims",
    "simulate": "simulator",
    "solve": "backward",
}

__all__ = [  # noqa: RUF022 (by use, not by alphabet)
    "open_strategy", "reach", "maximise", "distribution", "simulate", "solve", "load_rules", "parse_card",
    "Strategy", "ScoreStrategy", "State", "Scorecard", "RuleSet", "Hold", "Choice", "BatchAnswer",
    "ScoreDistribution", "Simulation",
    "SolverError", "RulesError", "StateError", "TableError",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_HOMES[name]}", __name__)
    found = module.solve_values if name == "solve" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
