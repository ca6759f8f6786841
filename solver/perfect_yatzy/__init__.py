"""Exact optimal play for Yatzy and its relatives.

>>> import perfect_yatzy
>>> yatzy = perfect_yatzy.open_strategy("yatzy")
>>> round(yatzy.value(), 4)
248.44
>>> yatzy.holds("", "33456", rolls_left=2)[0].dice
(3, 3)

Names are imported when first used: ``import perfect_yatzy`` alone loads neither numpy nor numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from .errors import RulesError, SolverError, StateError, TableError
    from .game.notation import parse_card
    from .game.rule_loader import load_rules
    from .game.rules import RuleSet
    from .game.scorecard import Scorecard, State
    from .strategy.actions import Choice, Hold
    from .strategy.batch import BatchAnswer
    from .strategy.distribution import ScoreDistribution, distribution
    from .strategy.score_strategy import ScoreStrategy, maximise, reach
    from .strategy.simulation import Simulation, simulate
    from .strategy.strategy import Strategy, open_strategy
    from .tablebase.backward_induction import solve_values as solve

_HOMES = {
    "BatchAnswer": "strategy.batch",
    "Choice": "strategy.actions",
    "Hold": "strategy.actions",
    "RuleSet": "game.rules",
    "RulesError": "errors",
    "ScoreDistribution": "strategy.distribution",
    "ScoreStrategy": "strategy.score_strategy",
    "Scorecard": "game.scorecard",
    "Simulation": "strategy.simulation",
    "SolverError": "errors",
    "State": "game.scorecard",
    "StateError": "errors",
    "Strategy": "strategy.strategy",
    "TableError": "errors",
    "distribution": "strategy.distribution",
    "load_rules": "game.rule_loader",
    "maximise": "strategy.score_strategy",
    "open_strategy": "strategy.strategy",
    "parse_card": "game.notation",
    "reach": "strategy.score_strategy",
    "simulate": "strategy.simulation",
    "solve": "tablebase.backward_induction",
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
