"""The service behind `yatzy simulate` and `evaluate`.

It measures what policies score, as plain JSON values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..approximation.solve import ApproximateSimulation
from ..core.rules import RuleSet
from ..errors import StateError
from ..game.random_dice import Games
from ..objectives.policy_quantities import Policy
from ..policies.evaluation import Evaluation, Losses, SampledEvaluation, sample
from ..policies.named import evaluate_named, listed, named_policy, simulate
from ..policies.policy import exact_policy
from ..policies.user_code import ProcessPlayer
from ..settings import Progress
from ..strategy.played_games import Actor
from ..strategy.positions import PositionSample, sample_positions
from ..strategy.score_distribution import ScoreDistribution, even_handicap
from ..strategy.simulation import Simulation
from ..strategy.strategy import Strategy
from ..words import _
from . import answers
from .queries import QueryService
from .requests import Request, parse_games

if TYPE_CHECKING:
    from ..cluster.session import Cluster

    Workers = AbstractContextManager[Cluster | None]

NO_CLUSTER: AbstractContextManager[None] = nullcontext()


class SimulatedGames(NamedTuple):
    """The games of a request."""

    policy: Strategy | Policy | Actor  # which played
    simulation: Simulation
    answer: dict[str, Any]


class _Resolved(NamedTuple):
    """A request, and who plays."""

    request: Request
    means: Strategy  # the strategy of the mean
    policy: Strategy | Policy | Actor  # which plays


def run_simulation(
    service: QueryService,
    fields: Mapping[str, Any],
    progress: Progress | None = None,
    workers: Workers = NO_CLUSTER,
) -> SimulatedGames:
    """Play the games of a request."""
    request, means, policy = _resolved(service, fields)
    strategy = exact_policy(policy)  # None for a player who acts in single positions
    rules = request.rules
    card = request.card
    games = request.games
    seed = request.seed
    # A player who acts in single positions sees the points of each box.
    start = request.position if strategy else card
    options: dict[str, Any] = {"points": card.total, "progress": progress}
    with workers as cluster:
        if cluster:
            if not isinstance(strategy, Strategy):
                raise StateError(
                    _("on workers the policy is mean or a goal, such as goal:280"), field="policy"
                )
            played = cluster.simulate(
                strategy, games, seed, start, tables=service.settings.tables, **options
            )
        else:
            played = simulate(
                policy, games, seed, start, service.settings.threads, rules=rules, **options
            )
    answer = answers.answer_head(request) | answers.approximate_fields(means)
    answer |= {
        "policy": fields["policy"],
        "games": games,
        "seed": seed,
        **answers.games_fields(played),
    }
    answer["categories"] = [
        answers.category_fields(box.id, played.category_points[:, number])
        for number, box in enumerate(rules.categories)
        if not request.state.filled >> number & 1
    ]
    if isinstance(played, ApproximateSimulation):
        # Its mean has the luck of the dice removed.
        answer["plain_mean"] = played.plain_mean
    if request.objective:
        assert isinstance(strategy, Strategy)
        objective = service.resolve(request, means)  # in the cache
        utilities = objective.utility(played.final_scores)  # 1.0 for a game that is won
        if request.objective.blind:
            answer |= {"policy": "utility", "field": request.objective.blind.opponents}
        answer |= {
            "reached": float(utilities.mean()),
            "reached_error": float(utilities.std() / np.sqrt(games)) if games > 1 else None,
            "chance": min(1.0, strategy.value(request.position)),
        }
    else:
        name = "expected_final_score" if policy is means else "perfect_mean"
        answer[name] = card.total + means.value(request.position)
    return SimulatedGames(policy, replace(played, policy=str(answer["policy"])), answer)


def run_positions(
    service: QueryService, fields: Mapping[str, Any]
) -> tuple[PositionSample, dict[str, Any]]:
    """Sample labelled positions from the games of a request, and return them with the answer."""
    sampling = {name: fields[name] for name in ("exploration", "distinct", "options")}
    as_games = {name: fields[name] for name in fields if name not in ("positions", *sampling)}
    as_games["games"] = fields["positions"]  # they are parsed as a number of games
    request, means, policy = _resolved(service, as_games)
    count = request.games
    # The strategy labels the positions, and plays itself unless another player does.
    strategy = policy if isinstance(policy, Strategy) else means
    player = None if policy is strategy else cast(Actor, policy)
    start = request.card if player else request.position
    sampled = sample_positions(
        strategy,
        count,
        request.seed,
        start=start,
        player=player,
        threads=service.settings.threads,
        **sampling,
    )
    visits = sampled.visits if sampled.distinct else np.ones(len(sampled), dtype=np.int64)
    counts = np.bincount(sampled.rolls_left, weights=visits).astype(int).tolist()
    answer = answers.answer_head(request) | {
        "policy": fields["policy"],
        "seed": request.seed,
        **sampling,
        "positions": count,
        "rows": len(sampled),
        "games": int(sampled.game_number.max()) + 1,
        "rolls_left": {str(left): number for left, number in enumerate(counts)},
        "most_visits": int(sampled.visits.max()),
    }
    if player:
        sampled = replace(sampled, player=str(fields["policy"]))
    return sampled, answer


def _resolved(service: QueryService, fields: Mapping[str, Any]) -> _Resolved:
    """Return the checked request, the strategy of the mean, and the policy that plays."""
    request = parse_games("simulate", fields, service.rules)
    service.decide(request)  # what is beyond the budget is refused before anything is solved
    means = service.strategy(request.rules)
    if request.objective:
        return _Resolved(request, means, service.resolve(request, means).strategy)
    if fields["policy"] == "mean":
        return _Resolved(request, means, means)
    named = named_policy(str(fields["policy"]), service.policy_context(request))
    return _Resolved(request, means, named.policy)


def run_evaluation(
    service: QueryService,
    fields: Mapping[str, Any],
    progress: Progress | None = None,
    workers: Workers = NO_CLUSTER,
) -> dict[str, Any]:
    """Evaluate the policy of a request exactly, or a program by sampled games."""
    if "process" not in fields:
        return run_evaluations(service, [fields], progress, workers)[0]
    request = parse_games("evaluate", fields, service.rules)
    command = str(fields["process"])
    strategy = service.strategy(request.rules)
    settings = service.settings.reporting(progress)
    with workers as cluster:
        if cluster:
            from ..cluster.tasks import sample_on

            context = service.policy_context(request, progress)
            sampled = sample_on(cluster.engine, command, strategy, context)
        else:
            with ProcessPlayer(command) as player:
                games = Games(request.games, request.seed)
                sampled = sample(settings, player, strategy, games, request.card)
    return answers.answer_head(request) | {"policy": command} | _sampled(request, sampled)


def run_evaluations(
    service: QueryService,
    requests: Sequence[Mapping[str, Any]],
    progress: Progress | None = None,
    workers: Workers = NO_CLUSTER,
) -> list[dict[str, Any]]:
    """Evaluate several policies for one game and card, also the chance to win ``against`` one.

    The first request names the one they play against.
    """
    parsed = [parse_games("evaluate", fields, service.rules) for fields in requests]
    # This announces a solve of perfect play, with which the policies are compared.
    service.strategy(parsed[0].rules)
    names = [str(fields["policy"]) for fields in requests]
    opponent = requests[0].get("against")
    if opponent:
        names.append(str(opponent))  # it is evaluated after the policies of the requests
        for name in names:  # a policy without a list is refused before anything is computed
            listed(name, named_policy(name, service.policy_context(parsed[0])).policy)
    evaluated = _evaluated(service, parsed[0], names, progress, workers)
    _title, theirs = evaluated[-1]  # that of the opponent, if there is one
    replies = []
    for number, (request, fields) in enumerate(zip(parsed, requests, strict=True)):
        title, mine = evaluated[number]
        answer = answers.answer_head(request)
        answer |= {"policy": names[number], "title": title} | _measured(request, mine)
        if opponent:
            compared = _compared(request.rules, mine, theirs, bool(fields.get("even")))
            answer["against"] = {"policy": str(opponent)} | compared
        replies.append(answer)
    return replies


def _evaluated(
    service: QueryService,
    request: Request,
    names: Sequence[str],
    progress: Progress | None,
    workers: Workers,
) -> list[tuple[str, Evaluation | SampledEvaluation]]:
    """Return the title and the evaluation of each named policy.

    The rules, card, games and seed are those of a request.
    """
    evaluated: dict[int, tuple[str, Evaluation | SampledEvaluation]] = {}  # by place in `names`
    with workers as cluster:
        if cluster:
            from ..cluster.tasks import evaluate_on

            results = evaluate_on(cluster.engine, names, service.policy_context(request))
        else:
            # The progress of several evaluations is how many are done.
            own_progress = progress if len(names) == 1 else lambda done, total: None
            context = service.policy_context(request, own_progress)
            results = (
                (number, *evaluate_named(name, context)) for number, name in enumerate(names)
            )
        for number, title, evaluation in results:
            evaluated[number] = title, evaluation
            if progress and len(names) > 1:
                progress(len(evaluated), len(names))
    return [evaluated[number] for number in range(len(names))]


def _compared(
    rules: RuleSet,
    mine: Evaluation | SampledEvaluation,
    theirs: Evaluation | SampledEvaluation,
    wants_even: bool,
) -> dict[str, Any]:
    """Return the chance to win against another policy.

    On request the handicap that makes it even is added. Neither policy looks at the card of the
    other, so the two final scores are independent.
    """
    my_scores = _exact_distribution(rules, mine)
    their_scores = _exact_distribution(rules, theirs)
    answer: dict[str, Any] = {"chance": my_scores.chance_against(their_scores), "ties": "half"}
    if wants_even:
        points, chance = even_handicap(my_scores, their_scores)
        answer["even"] = {"points": points, "chance": chance}
    return answer


def _exact_distribution(
    rules: RuleSet, evaluation: Evaluation | SampledEvaluation
) -> ScoreDistribution:
    """Return the exact distribution of a policy's final score, to compare it with another one.

    Raises StateError if there is none for these rules.
    """
    assert isinstance(evaluation, Evaluation)
    if evaluation.distribution is None:
        raise StateError(_("no exact distribution for {rules}", rules=rules.key), field="against")
    return evaluation.distribution


def _measured(request: Request, evaluation: Evaluation | SampledEvaluation) -> dict[str, Any]:
    """Return the figures of an evaluation as fields of the answer."""
    if isinstance(evaluation, SampledEvaluation):
        return _sampled(request, evaluation)
    answer = answers.picked(
        evaluation, "mean", "standard_deviation", "upper_bonus_chance", "perfect_mean", "loss"
    )
    if evaluation.losses is not None:
        answer["losses"] = _losses(request, evaluation.losses)
    if evaluation.distribution is not None:
        answer["distribution"] = answers.distribution_fields(evaluation.distribution)
    return answer


def _sampled(request: Request, evaluation: SampledEvaluation) -> dict[str, Any]:
    """Return the figures of sampled games as fields of the answer."""
    names = "mean", "standard_error", "plain_mean", "plain_standard_error", "perfect_mean"
    # One game gives no standard error.
    known = [name for name in names if evaluation.games > 1 or "error" not in name]
    figures = dict.fromkeys(names) | answers.picked(evaluation, *known)
    losses = {
        "loss": evaluation.perfect_mean - evaluation.mean,
        "losses": _losses(request, evaluation.losses),
    }
    return {"games": evaluation.games, "seed": request.seed} | figures | losses


def _losses(request: Request, losses: Losses) -> dict[str, Any]:
    """Return the losses of a policy: by rolls left for holds, by category, and by turn."""
    by_rolls_left = enumerate(losses.holds.sum(axis=0), start=1)  # summed over the turns
    by_category = losses.categories.sum(axis=0)
    ids = [box.id for box in request.rules.categories]
    return {
        "holds": {str(rolls_left): float(loss) for rolls_left, loss in by_rolls_left},
        "category": float(by_category.sum()),
        "turns": losses.by_turn.tolist(),
        "categories": dict(zip(ids, by_category.tolist(), strict=True)),
    }
