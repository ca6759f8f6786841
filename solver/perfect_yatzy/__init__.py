"""Exact optimal play for Yatzy and related dice games.

>>> import perfect_yatzy
>>> yatzy = perfect_yatzy.open_strategy("yatzy")  # solved once, in seconds; then the stored table is opened
>>> round(yatzy.value(), 4)  # expected final score under optimal play
248.44
>>> yatzy.holds("", "33456", rolls_left=2)[0].dice, yatzy.categories("", "22555")[0].category
((3, 3), 'full-house')
>>> card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
>>> round(perfect_yatzy.distribution(yatzy, card).at_least(240), 4)
0.3588
>>> round(perfect_yatzy.reach("yatzy", 240, card).value(), 4)  # play for 240 points instead of the mean
0.4268
>>> perfect_yatzy.simulate(yatzy, 1000, seed=1).final_scores.shape
(1000,)

A bot is a function of a position; its loss against perfect play is sampled, or exact for a function
of arrays:

>>> def bot(position):
...     return max(position.categories(), key=lambda name: position.categories()[name][0])
>>> perfect_yatzy.evaluate(bot, "yatzy-forced", games=50).loss > 20
True

=========================  ==========================================================================================
play                       `start_turn`, `TurnPosition`, `legal_actions`, `action_number`, `computer_player`
ask                        `open_strategy` (then `value`, `holds`, `categories`, `regret`), `reach`, `maximise`,
                           `distribution`, `versus`
measure                    `evaluate`, `simulate`, `rate`, `sample_positions`
policies                   a function, an object with ``act``, `open_policy`, `BatchPolicy`, `FunctionPolicy`,
                           `ValueFunction`
games                      `load_rules`, `solve`, `prove`, `approximate`, `open_cluster`
=========================  ==========================================================================================

Names are imported on first use: ``import perfect_yatzy`` alone loads neither NumPy nor Numba. Data
frames are in :mod:`perfect_yatzy.frames`, environments for reinforcement learning in
:mod:`perfect_yatzy.rl`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from .approximation.approximate_strategy import ApproximateStrategy
    from .approximation.fitted_file import Certificate
    from .approximation.opening import open_strategy
    from .approximation.solve import approximate
    from .cluster.session import Cluster, open_cluster
    from .core.rules import RuleSet
    from .core.state import State
    from .errors import Cancelled, ClusterError, RulesError, SolverError, StateError, TableError
    from .game.legal_actions import (
        TurnPosition,
        action_number,
        legal_actions,
        numbered_action,
        start_turn,
    )
    from .game.notation import parse_card
    from .game.rule_loader import load_rules
    from .game.scorecard import Scorecard
    from .play.rating import Rating, Ratings, rate
    from .policies.computer_players import ComputerPlayer
    from .policies.evaluation import Evaluation, Losses, SampledEvaluation, evaluate
    from .policies.named import computer_player, open_policy, simulate
    from .policies.policy import CardTurn, FunctionPolicy, ValueFunction
    from .policies.user_code import BatchPolicy
    from .strategy.actions import Choice, Hold
    from .strategy.batch import BatchAnswer, BatchOptions
    from .strategy.distribution import distribution
    from .strategy.positions import PositionSample, sample_positions
    from .strategy.score_distribution import ScoreDistribution
    from .strategy.score_strategy import ScoreStrategy, maximise, reach
    from .strategy.simulation import Simulation
    from .strategy.strategy import Strategy
    from .tablebase.exact_solve import Proof, prove
    from .tablebase.in_memory import solve_values as solve
    from .two_players.versus import TwoPlayerChances, versus

# Public names by their module, for __getattr__; type checkers read the imports above.
_NAMES = {
    "approximation.solve": "approximate",
    "cluster.session": "Cluster open_cluster",
    "errors": "Cancelled ClusterError RulesError SolverError StateError TableError",
    "game.legal_actions": "TurnPosition action_number legal_actions numbered_action start_turn",
    "game.notation": "parse_card",
    "game.rule_loader": "load_rules",
    "core.rules": "RuleSet",
    "core.state": "State",
    "game.scorecard": "Scorecard",
    "play.rating": "Rating Ratings rate",
    "policies.computer_players": "ComputerPlayer",
    "policies.evaluation": "Evaluation Losses SampledEvaluation evaluate",
    "policies.named": "computer_player open_policy simulate",
    "policies.policy": "CardTurn FunctionPolicy ValueFunction",
    "policies.user_code": "BatchPolicy",
    "strategy.actions": "Choice Hold",
    "approximation.approximate_strategy": "ApproximateStrategy",
    "strategy.batch": "BatchAnswer BatchOptions",
    "strategy.distribution": "distribution",
    "approximation.fitted_file": "Certificate",
    "approximation.opening": "open_strategy",
    "strategy.positions": "PositionSample sample_positions",
    "strategy.score_distribution": "ScoreDistribution",
    "strategy.score_strategy": "ScoreStrategy maximise reach",
    "strategy.simulation": "Simulation",
    "strategy.strategy": "Strategy",
    "two_players.versus": "TwoPlayerChances versus",
    "tablebase.in_memory": "solve",
    "tablebase.exact_solve": "Proof prove",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [  # noqa: RUF022 (by use, not by alphabet)
    "open_strategy",
    "approximate",
    "reach",
    "maximise",
    "distribution",
    "simulate",
    "evaluate",
    "open_policy",
    "versus",
    "rate",
    "solve",
    "prove",
    "load_rules",
    "parse_card",
    "start_turn",
    "legal_actions",
    "action_number",
    "numbered_action",
    "TurnPosition",
    "sample_positions",
    "PositionSample",
    "computer_player",
    "ComputerPlayer",
    "open_cluster",
    "Cluster",
    "Strategy",
    "ApproximateStrategy",
    "Certificate",
    "ScoreStrategy",
    "State",
    "Scorecard",
    "RuleSet",
    "Proof",
    "Hold",
    "Choice",
    "BatchAnswer",
    "BatchOptions",
    "ScoreDistribution",
    "Simulation",
    "Evaluation",
    "Losses",
    "SampledEvaluation",
    "TwoPlayerChances",
    "Rating",
    "Ratings",
    "ValueFunction",
    "FunctionPolicy",
    "CardTurn",
    "BatchPolicy",
    "SolverError",
    "RulesError",
    "StateError",
    "TableError",
    "ClusterError",
    "Cancelled",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_MODULES[name]}", __name__)
    value = module.solve_values if name == "solve" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
