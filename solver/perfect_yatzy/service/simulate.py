"""The service behind `yatzy simulate` and `yatzy positions`: games of a request, and what is taken from them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .._messages import _
from ..approximation.rollout import ApproximateSimulation
from ..errors import StateError
from ..model.policies import Policy
from ..policies.named import named_policy
from ..policies.player import exact_policy
from ..policies.simulation import simulate
from ..strategy.played_games import Actor
from ..strategy.positions import PositionSample, sample_positions
from ..strategy.score_strategy import ScoreStrategy
from ..strategy.simulation import Simulation
from ..strategy.strategy import Strategy
from ..tablebase.store import Progress
from .answers import answer_head, approximate_fields, estimate_fields
from .queries import QueryService
from .requests import Request, parse_simulation
from .simulation_fields import games_fields

if TYPE_CHECKING:
    from ..cluster.session import Cluster

HERE: AbstractContextManager[None] = nullcontext()  # no cluster


def run_simulation(
    service: QueryService,
    fields: Mapping[str, Any],
    progress: Progress | None = None,
    workers: AbstractContextManager[Cluster | None] = HERE,
) -> tuple[Strategy | Policy | Actor, Simulation, dict[str, Any]]:
    """Play the games of a request: who played, the games, and the answer."""
    request, means, policy = _resolved(service, fields)
    strategy = exact_policy(policy)
    rules, card, games, seed = request.rules, request.card, request.games, request.seed
    start = request.position if strategy else card  # who acts in single positions sees the points of each box
    with workers as cluster:
        if cluster:
            if not isinstance(strategy, Strategy):
                raise StateError(_("on workers the policy is mean or a goal, such as goal:280"), field="policy")
            played = cluster.simulate(
                strategy, games, seed, start, points=card.total, tables=service.tables, progress=progress
            )
        else:
            played = simulate(
                policy, games, seed, start, service.threads, rules=rules, points=card.total, progress=progress
            )
    still_open = [c for c in range(len(rules.categories)) if not request.state.filled >> c & 1]
    answer = (
        answer_head(request)
        | approximate_fields(means)
        | (estimate_fields(strategy, request) if isinstance(strategy, ScoreStrategy) else {})
        | {
            "policy": fields["policy"],
            "games": games,
            "seed": seed,
            **games_fields(played),
            "categories": [
                {
                    "category": rules.categories[c].id,
                    "mean": float(played.category_points[:, c].mean()),
                    "crossed_out": float((played.category_points[:, c] == 0).mean()),
                }
                for c in still_open
            ],
        }
    )
    if isinstance(played, ApproximateSimulation):  # its mean has the luck of the dice removed
        answer["plain_mean"] = played.plain_mean
    if request.objective:
        assert isinstance(strategy, Strategy)
        answer |= _goal_fields(request, strategy, played)
    else:
        name = "expected_final_score" if policy is means else "perfect_mean"
        answer[name] = card.total + means.value(request.position)
    return policy, replace(played, policy=str(fields["policy"])), answer


def _goal_fields(request: Request, strategy: Strategy, played: Simulation) -> dict[str, Any]:
    """How many of the games reached the goal, the standard error of that share, and the chance to reach it."""
    assert request.objective
    assert request.objective.goal is not None
    games, reached = request.games, float((played.final_scores >= request.objective.goal).mean())
    error = float(np.sqrt(reached * (1 - reached) / games)) if games > 1 else None
    return {"reached": reached, "reached_error": error, "chance": min(1.0, strategy.value(request.position))}


def run_positions(service: QueryService, fields: Mapping[str, Any]) -> tuple[PositionSample, dict[str, Any]]:
    """Labelled positions from the games of a request."""
    sampling = {name: fields[name] for name in ("exploration", "distinct", "options")}
    plain = {name: value for name, value in fields.items() if name not in ("positions", *sampling)}
    request, means, policy = _resolved(service, plain | {"games": fields["positions"]})
    strategy = policy if isinstance(policy, Strategy) else means  # labels the positions
    player = None if policy is strategy else cast(Actor, policy)
    start = request.card if player else request.position
    found = sample_positions(
        strategy, request.games, request.seed, start=start, player=player, threads=service.threads, **sampling
    )
    visits = found.visits if found.distinct else np.ones(len(found), dtype=np.int64)
    rolls_left = np.bincount(found.rolls_left, weights=visits).astype(int).tolist()
    answer = answer_head(request) | {
        "policy": fields["policy"],
        "seed": request.seed,
        **sampling,
        "positions": request.games,
        "rows": len(found),
        "games": int(found.game_number.max()) + 1,
        "rolls_left": {str(left): number for left, number in enumerate(rolls_left)},
        "most_visits": int(found.visits.max()),
    }
    return replace(found, player=str(fields["policy"])) if player else found, answer


def _resolved(
    service: QueryService, fields: Mapping[str, Any]
) -> tuple[Request, Strategy, Strategy | Policy | Actor]:
    """The request, the strategy of the mean, and the policy that plays."""
    request = parse_simulation(fields, service.rules)
    service.decide(request)  # what is beyond the budget is refused before anything is solved
    means = service.strategy(request.rules)
    if request.objective:
        return request, means, service.resolve(request, means).strategy
    if fields["policy"] == "mean":
        return request, means, means
    return request, means, named_policy(str(fields["policy"]), service.setting(request)).policy
