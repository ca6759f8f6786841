"""The service behind `yatzy evaluate`: a policy by name or a program, evaluated, as plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..policies.evaluation import Evaluation, evaluate
from ..policies.named import Setting, named_policy
from ..policies.process import ProcessPlayer
from ..policies.sampling import SampledEvaluation, sample
from ..tablebase.store import Progress
from .answers import answer_head, distribution_fields
from .queries import QueryService
from .requests import Request, parse_evaluation


def run_evaluation(
    service: QueryService, fields: Mapping[str, Any], progress: Progress | None = None
) -> dict[str, Any]:
    """Evaluate the policy of a request exactly, or a program by sampled games.

    Parameters
    ----------
    service
        Opens or solves the strategies.
    fields
        See :func:`perfect_yatzy.service.requests.parse_evaluation`.
    progress
        Called with the games played and the games in all, for a program.

    Raises
    ------
    SolverError
        If the request is malformed, the policy unknown, or the machine has too little memory.
    """
    request = parse_evaluation(fields, service.rules)
    if "process" in fields:
        strategy = service.strategy(request.rules)
        with ProcessPlayer(str(fields["process"])) as player:
            sampled = sample(
                player,
                strategy,
                request.games,
                request.seed,
                request.card,
                threads=service.threads,
                progress=progress,
            )
        return answer_head(request) | {"policy": fields["process"]} | _sampled(request, sampled)
    service.strategy(request.rules)  # announces a solve of perfect play, with which the policy is compared
    setting = Setting(request.rules, request.card, service.tables, service.threads)
    named = named_policy(str(fields["policy"]), setting)
    found = evaluate(named.policy, points=request.card.total, tables=service.tables, threads=service.threads)
    return answer_head(request) | {"policy": fields["policy"], "title": named.title} | _exact(request, found)


def _exact(request: Request, found: Evaluation) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "mean": found.mean,
        "standard_deviation": found.standard_deviation,
        "upper_bonus_chance": found.upper_bonus_chance,
        "perfect_mean": found.perfect_mean,
        "loss": found.loss,
    }
    if found.losses is not None:
        holds, categories = found.losses.holds.sum(axis=0), found.losses.categories.sum(axis=0)
        answer["losses"] = {
            "holds": {str(left + 1): float(loss) for left, loss in enumerate(holds)},
            "category": float(categories.sum()),
            "turns": found.losses.by_turn.tolist(),
            "categories": {
                category.id: float(loss) for category, loss in zip(request.rules.categories, categories, strict=True)
            },
        }
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
        "losses": {
            "holds": {str(left + 1): float(loss) for left, loss in enumerate(found.hold_losses)},
            "category": found.category_loss,
        },
    }
