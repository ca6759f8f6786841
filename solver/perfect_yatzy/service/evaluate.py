"""The service behind `yatzy evaluate`: policies by name or a program, evaluated, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._messages import _
from ..errors import StateError
from ..policies.evaluation import Evaluation, Losses, SampledEvaluation, sample
from ..policies.named import evaluate_named, listed, named_policy
from ..policies.user_code import ProcessPlayer
from ..tablebase.store import Progress
from .answers import answer_head, distribution_fields, picked
from .queries import QueryService
from .requests import Request, parse_evaluation
from .simulate import HERE

if TYPE_CHECKING:
    from ..cluster.session import Cluster


def run_evaluation(
    service: QueryService,
    fields: Mapping[str, Any],
    progress: Progress | None = None,
    workers: AbstractContextManager[Cluster | None] = HERE,
) -> dict[str, Any]:
    """Evaluate the policy of a request exactly, or a program by sampled games."""
    if "process" not in fields:
        return run_evaluations(service, [fields], progress, workers)[0]
    request, command = parse_evaluation(fields, service.rules), str(fields["process"])
    strategy, how = service.strategy(request.rules), (request.games, request.seed, request.card)
    with workers as cluster:
        if cluster:
            from ..cluster.evaluating import sample_on

            sampled = sample_on(cluster.engine, command, strategy, *how, tables=service.tables, progress=progress)
        else:
            with ProcessPlayer(command) as player:
                sampled = sample(player, strategy, *how, threads=service.threads, progress=progress)
    return answer_head(request) | {"policy": command} | _sampled(request, sampled)


def run_evaluations(
    service: QueryService,
    requests: Sequence[Mapping[str, Any]],
    progress: Progress | None = None,
    workers: AbstractContextManager[Cluster | None] = HERE,
) -> list[dict[str, Any]]:
    """Evaluate several policies for one game and card; on a cluster as many at a time as it has threads.

    A request may name a policy ``against``: an answer then has the chance to win against it. Neither policy looks at
    the card of the other, so the two final scores are independent.
    """
    parsed = [parse_evaluation(fields, service.rules) for fields in requests]
    rules, card = parsed[0].rules, parsed[0].card
    service.strategy(rules)  # announces a solve of perfect play, with which the policies are compared
    opponent = requests[0].get("against")
    names = [str(fields["policy"]) for fields in requests] + ([str(opponent)] if opponent else [])
    for name in names if opponent else ():  # before anything is computed
        listed(name, named_policy(name, service.setting(parsed[0])).policy)
    found: dict[int, tuple[str, Evaluation | SampledEvaluation]] = {}
    with workers as cluster:
        if cluster:
            from ..cluster.evaluating import evaluate_on

            results = evaluate_on(cluster.engine, names, rules, card, service.tables, parsed[0].games, parsed[0].seed)
        else:
            inner = progress if len(names) == 1 else None
            setting = replace(service.setting(parsed[0]), progress=inner)
            results = ((number, *evaluate_named(name, setting)) for number, name in enumerate(names))
        for number, title, evaluation in results:
            found[number] = title, evaluation
            if progress and len(names) > 1:
                progress(len(found), len(names))
    answers = [
        answer_head(request) | {"policy": names[n], "title": found[n][0]} | _measured(request, found[n][1])
        for n, request in enumerate(parsed)
    ]
    if opponent:
        theirs = found[len(parsed)][1]
        for n, answer in enumerate(answers):
            mine = found[n][1]
            assert isinstance(mine, Evaluation)
            assert isinstance(theirs, Evaluation)
            if mine.distribution is None or theirs.distribution is None:
                raise StateError(_("no exact distribution for {rules}", rules=rules.key), field="against")
            chance = mine.distribution.chance_against(theirs.distribution)
            answer["against"] = {"policy": str(opponent), "chance": chance, "ties": "half"}
    return answers


def _measured(request: Request, found: Evaluation | SampledEvaluation) -> dict[str, Any]:
    if isinstance(found, SampledEvaluation):
        return _sampled(request, found)
    answer = picked(found, "mean", "standard_deviation", "upper_bonus_chance", "perfect_mean", "loss")
    if found.losses is not None:
        answer["losses"] = _losses(request, found.losses)
    if found.distribution is not None:
        answer["distribution"] = distribution_fields(found.distribution)
    return answer


def _sampled(request: Request, found: SampledEvaluation) -> dict[str, Any]:
    several = found.games > 1
    return {
        "games": found.games,
        "seed": request.seed,
        "mean": found.mean,
        "standard_error": found.standard_error if several else None,
        "plain_mean": found.plain_mean,
        "plain_standard_error": found.plain_standard_error if several else None,
        "perfect_mean": found.perfect_mean,
        "loss": found.perfect_mean - found.mean,
        "losses": _losses(request, found.losses),
    }


def _losses(request: Request, found: Losses) -> dict[str, Any]:
    holds, categories = found.holds.sum(axis=0), found.categories.sum(axis=0)
    names = [category.id for category in request.rules.categories]
    return {
        "holds": {str(left + 1): float(loss) for left, loss in enumerate(holds)},
        "category": float(categories.sum()),
        "turns": found.by_turn.tolist(),
        "categories": dict(zip(names, categories.tolist(), strict=True)),
    }
