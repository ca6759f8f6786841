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

A bot is a function of a position; its loss against perfect play is sampled, or exact for a function of arrays:

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

Names are imported on first use: ``import perfect_yatzy`` alone loads neither NumPy nor Numba. Data frames are in
:mod:`perfect_yatzy.frames`, environments for reinforcement learning in :mod:`perfect_yatzy.rl`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from .approximation.solve import approximate
    from .cluster.session import Cluster, open_cluster
    from .errors import Cancelled, ClusterError, RulesError, SolverError, StateError, TableError
    from .game.action_numbers import action_number, numbered_action
    from .game.legal_actions import TurnPosition, legal_actions, start_turn
    from .game.notation import parse_card
    from .game.rule_loader import load_rules
    from .game.rules import RuleSet
    from .game.scorecard import Scorecard, State
    from .play.rating import Rating, Ratings, rate
    from .policies.batch_policy import BatchPolicy
    from .policies.computer_players import ComputerPlayer
    from .policies.evaluation import Evaluation, evaluate
    from .policies.named import computer_player, open_policy
    from .policies.policy import CardTurn, FunctionPolicy, ValueFunction
    from .policies.sampling import Losses, SampledEvaluation
    from .policies.simulation import simulate
    from .strategy.actions import Choice, Hold
    from .strategy.approximate_strategy import ApproximateStrategy
    from .strategy.batch import BatchAnswer, BatchOptions
    from .strategy.distribution import distribution
    from .strategy.fitted_file import Certificate
    from .strategy.opening import open_strategy
    from .strategy.positions import PositionSample, sample_positions
    from .strategy.score_distribution import ScoreDistribution
    from .strategy.score_strategy import ScoreStrategy, maximise, reach
    from .strategy.simulation import Simulation
    from .strategy.strategy import Strategy
    from .strategy.versus import TwoPlayerChances, versus
    from .tablebase.backward_induction import solve_values as solve
    from .tablebase.exact_solve import Proof, prove

# Module of each public name, for __getattr__; type checkers read the imports above.
_MODULES = {
    "ApproximateStrategy": "strategy.approximate_strategy",
    "BatchAnswer": "strategy.batch",
    "BatchOptions": "strategy.batch",
    "BatchPolicy": "policies.batch_policy",
    "Cancelled": "errors",
    "CardTurn": "policies.policy",
    "Certificate": "strategy.fitted_file",
    "Choice": "strategy.actions",
    "Cluster": "cluster.session",
    "ClusterError": "errors",
    "ComputerPlayer": "policies.computer_players",
    "Evaluation": "policies.evaluation",
    "FunctionPolicy": "policies.policy",
    "Hold": "strategy.actions",
    "Losses": "policies.sampling",
    "PositionSample": "strategy.positions",
    "Proof": "tablebase.exact_solve",
    "Rating": "play.rating",
    "Ratings": "play.rating",
    "RuleSet": "game.rules",
    "RulesError": "errors",
    "SampledEvaluation": "policies.sampling",
    "ScoreDistribution": "strategy.score_distribution",
    "ScoreStrategy": "strategy.score_strategy",
    "Scorecard": "game.scorecard",
    "Simulation": "strategy.simulation",
    "SolverError": "errors",
    "State": "game.scorecard",
    "StateError": "errors",
    "Strategy": "strategy.strategy",
    "TableError": "errors",
    "TurnPosition": "game.legal_actions",
    "TwoPlayerChances": "strategy.versus",
    "ValueFunction": "policies.policy",
    "action_number": "game.action_numbers",
    "approximate": "approximation.solve",
    "computer_player": "policies.named",
    "distribution": "strategy.distribution",
    "evaluate": "policies.evaluation",
    "legal_actions": "game.legal_actions",
    "load_rules": "game.rule_loader",
    "maximise": "strategy.score_strategy",
    "numbered_action": "game.action_numbers",
    "open_cluster": "cluster.session",
    "open_policy": "policies.named",
    "open_strategy": "strategy.opening",
    "parse_card": "game.notation",
    "prove": "tablebase.exact_solve",
    "rate": "play.rating",
    "reach": "strategy.score_strategy",
    "sample_positions": "strategy.positions",
    "simulate": "policies.simulation",
    "solve": "tablebase.backward_induction",
    "start_turn": "game.legal_actions",
    "versus": "strategy.versus",
}

__all__ = [  # noqa: RUF022 (by use, not by alphabet)
    "open_strategy", "approximate", "reach", "maximise", "distribution", "simulate", "evaluate", "open_policy",
    "versus", "rate", "solve", "prove", "load_rules", "parse_card",
    "start_turn", "legal_actions", "action_number", "numbered_action", "TurnPosition",
    "sample_positions", "PositionSample", "computer_player", "ComputerPlayer", "open_cluster", "Cluster",
    "Strategy", "ApproximateStrategy", "Certificate", "ScoreStrategy", "State", "Scorecard", "RuleSet",
    "Proof", "Hold", "Choice", "BatchAnswer", "BatchOptions",
    "ScoreDistribution", "Simulation", "Evaluation", "Losses", "SampledEvaluation", "TwoPlayerChances",
    "Rating", "Ratings", "ValueFunction", "FunctionPolicy", "CardTurn", "BatchPolicy",
    "SolverError", "RulesError", "StateError", "TableError", "ClusterError", "Cancelled",
]  # fmt: skip


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
