"""Simulated games under any policy, strategy or player: what ``perfect_yatzy.simulate`` is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..approximation import rollout
from ..errors import StateError, _, whole_number
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.scoring import upper_sums
from ..strategy import simulation
from ..strategy.approximate_strategy import ApproximateStrategy
from ..strategy.played_games import Actor, GameLog, Player, play_games, start_of
from ..strategy.simulation import Simulation, check_seed
from ..strategy.strategy import Strategy
from .policy import exact_policy, player_of
from .user_code import policy_of

if TYPE_CHECKING:
    from ..model.policies import Policy
    from ..strategy.position import Position


def simulate(
    strategy: Strategy | Policy | Player | Actor, games: int, seed: int = 1, start: Position | None = None,
    threads: int | None = None, *, rules: str | RuleSet | None = None, points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:  # fmt: skip
    """Play games under a strategy.

    Parameters
    ----------
    strategy
        A strategy from :func:`perfect_yatzy.open_strategy`, :func:`perfect_yatzy.approximate`,
        :func:`perfect_yatzy.reach` or :func:`perfect_yatzy.maximise`; or any policy that
        :func:`perfect_yatzy.evaluate` takes. One that acts in single positions plays one game after the other.
    games
        Number of games, at least 1.
    seed
        Seed of the dice, from 0 to 2**63 - 1. The same seed gives the same games for any number of threads, and
        the first games of a longer simulation are those of a shorter one.
    start
        The position at the start of a turn from which every game is played: a scorecard, its text or a state.
        Default: where the strategy starts (the empty card for :func:`perfect_yatzy.open_strategy`).
    threads
        Number of threads; default: one per processor.
    rules
        The game of a function or an object; a policy of this package has its own. Default: ``"yatzy"``.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    progress
        Called with what is done and what there is to do in all.

    Returns
    -------
    Simulation
        Of an approximate strategy an :class:`perfect_yatzy.approximation.rollout.ApproximateSimulation`: its ``mean``
        and ``standard_error`` have the luck of the dice removed, which makes them far more precise.

    Raises
    ------
    StateError
        If no game can reach the start, `games` is less than 1, `seed` is out of range, or `strategy` is not a
        strategy.

    Notes
    -----
    Ties are broken as in :mod:`perfect_yatzy.strategy.distribution`, so games for the mean are samples of that
    distribution. For goals and utilities the mean breaks ties first (:mod:`perfect_yatzy.strategy.score_strategy`).
    """
    strategy = policy_of(strategy, rules)
    listed = exact_policy(strategy)
    if listed is None:
        if whole_number(games, "games") < 1:
            raise StateError(_("games is {games}; must be at least 1", games=games))
        begin = start_of(load_rules(rules or "yatzy"), start)
        played = play_games(player_of(strategy), begin, 0, games, check_seed(seed), progress=progress)
        card, game_rules = begin.card, begin.rules
        assert isinstance(card, Scorecard)
        boxes = np.full((games, len(game_rules.categories)), -1, dtype=np.int16)
        for game, full in enumerate(played.cards):
            for c in full.points.keys() - card.points.keys():
                boxes[game, c] = full.points[c]
        bonus = np.array([upper_sums(game_rules).bonus(full.state.upper) for full in played.cards])
        scores, name = played.scores.astype(np.int64), type(strategy).__name__
        return PlayedSimulation(game_rules, name, seed, card.total, scores, boxes, bonus, played)
    if isinstance(listed, ApproximateStrategy):
        return rollout.simulate(listed, games, seed, start, threads, points=points, progress=progress)
    return simulation.simulate(listed, games, seed, start, threads, points=points, progress=progress)


@dataclass(frozen=True, repr=False)
class PlayedSimulation(Simulation):
    """Games of a policy that acts in single positions, with every decision."""

    log: GameLog
