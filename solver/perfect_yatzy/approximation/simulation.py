"""Simulated games under any strategy, exact or approximate: what ``perfect_yatzy.simulate`` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import game_over, whole_number
from ..strategy import simulation as exact
from ..strategy.approximate_strategy import ApproximateStrategy, needs_table
from ..strategy.fitted_values import FittedValues
from ..strategy.simulation import Simulation
from .rollout import simulate_values

if TYPE_CHECKING:
    from ..model.policies import Policy
    from ..strategy.position import Position
    from ..strategy.strategy import Strategy


def simulate(
    strategy: Strategy | Policy,
    games: int,
    seed: int = 1,
    start: Position | None = None,
    threads: int | None = None,
    *,
    points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Play games under a strategy.

    Parameters
    ----------
    strategy
        A strategy from :func:`perfect_yatzy.open_strategy`, :func:`perfect_yatzy.approximate`,
        :func:`perfect_yatzy.reach` or :func:`perfect_yatzy.maximise`; or any policy that
        :func:`perfect_yatzy.evaluate` takes, such as a :class:`perfect_yatzy.FunctionPolicy`.
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
    if not isinstance(strategy, ApproximateStrategy):
        return exact.simulate(strategy, games, seed, start, threads, points=points, progress=progress)
    games, seed = whole_number(games, "games"), exact.check_seed(seed)
    checked = strategy.check(strategy.start if start is None else start)
    if checked.state.filled == strategy.rules.full_mask:
        raise game_over()
    function = strategy.evaluator.function
    if not isinstance(function, FittedValues):
        raise needs_table(strategy.rules, "a simulation by a function that is not fitted")
    return simulate_values(
        function,
        games=games,
        seed=seed,
        threads=threads,
        progress=(lambda done, mean, width: progress(done, games)) if progress else None,
        start=checked.state,
        points_before=checked.points if points is None else whole_number(points, "points"),
    )
