"""Simulated games as fields of answers: ``simulation``, and ``approximate`` where play is approximate."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._messages import _, significant_text
from ..policies.simulation import simulate
from ..strategy.simulation import Simulation, wilson_interval
from ..strategy.strategy import Strategy
from .answers import PERCENTILES
from .requests import Request
from .resolver import ResolvedObjective


def measured_fields(
    request: Request, strategy: Strategy, objective: ResolvedObjective, threads: int | None
) -> dict[str, Any]:
    """The field ``approximate``: the chance that approximate play has in simulated games."""

    def reached(played_by: Strategy) -> int:
        points = request.card.total
        games = simulate(played_by, request.games, request.seed, request.position, threads, points=points)
        return int(objective.utility(games.final_scores).sum())

    n = reached(objective.strategy)
    low, high = wilson_interval(n, request.games)
    by_mean = reached(strategy) / request.games
    return {
        "games": request.games,
        "chance": n / request.games,
        "interval99": [low, high],
        "chance_by_mean_play": by_mean,
        "text": _(
            "the chance is an estimate; simulated: {chance} % ({low} to {high} %, 99 % interval), "
            "by play for the expected score {by_mean} %",
            chance=significant_text(100 * n / request.games, 3),
            low=significant_text(100 * low, 3),
            high=significant_text(100 * high, 3),
            by_mean=significant_text(100 * by_mean, 3),
        ),
    }


def simulation_fields(request: Request, strategy: Strategy, threads: int | None) -> dict[str, Any]:
    """The field ``simulation``: the distribution of the final score in simulated games."""
    played = simulate(strategy, request.games, request.seed, request.position, threads)
    found = games_fields(played)
    del found["highest"]
    return {"policy": strategy.policy, "games": request.games} | found


def games_fields(played: Simulation) -> dict[str, Any]:
    """The distribution of the final score in simulated games; one game gives no estimate of an error."""
    finals, several = played.final_scores, len(played.final_scores) > 1
    marks = zip(PERCENTILES, played.percentiles(PERCENTILES), strict=True)
    lowest = int(finals.min())
    return {
        "mean": played.mean,
        "standard_error": played.standard_error if several else None,
        "standard_deviation": played.standard_deviation if several else None,
        "upper_bonus_chance": played.upper_bonus_chance,
        "percentiles": {str(p): float(v) for p, v in marks},
        "lowest": lowest,
        "highest": int(finals.max()),
        "chances": (np.bincount(finals - lowest) / len(finals)).tolist(),
    }
