"""Simulated games under any strategy, exact or approximate."""

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
    """Play games under a strategy or a policy of the kernels; as :func:`perfect_yatzy.simulate`."""
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
