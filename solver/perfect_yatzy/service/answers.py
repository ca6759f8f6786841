"""Answers as plain JSON values, for `--json`, `--jsonl`, the text views and the server. Nothing is computed here.

{"schema": 2, "query": "hold", ..., "best": {"hold": [3, 3], "expected_final_score": 245.75, ...}, "holds": [...]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .._messages import _
from .._version import ANSWER_SCHEMA
from ..game.scorecard import Scorecard
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy, certificate_of
from ..tablebase.table_info import fraction_fields
from .requests import DIGITS, Request

if TYPE_CHECKING:
    from ..strategy.category_odds import CategoryOdds
    from ..strategy.score_distribution import ScoreDistribution
    from ..strategy.score_strategy import ScoreStrategy
    from .resolver import ResolvedObjective

PERCENTILES = (5, 25, 50, 75, 95)
HEAD = "schema", "query", "rules"
MAX_UNCERTAIN_CHANCE = 1 - 2.0**-24  # float32 rounds higher chances to 1


def picked(source: object, *names: str) -> dict[str, Any]:
    """Some attributes of an object by their names, in this order; tuples as lists."""
    values = ((name, getattr(source, name)) for name in names)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def answer_head(request: Request) -> dict[str, Any]:
    """The fields every answer begins with: the query, the rules and the position."""
    values = ANSWER_SCHEMA, request.query, request.rules.key
    return dict(zip(HEAD, values, strict=True)) | card_fields(request.card)


def approximate_fields(strategy: Strategy) -> dict[str, Any]:
    """The field ``approximate`` with the certificate if values come from a fitted function; else nothing."""
    certificate = certificate_of(strategy)
    return {"approximate": certificate.summary()} if certificate else {}


def estimate_fields(strategy: ScoreStrategy, request: Request) -> dict[str, Any]:
    """The field ``approximate`` if the chances of a goal are estimates; else nothing."""
    if not strategy.is_approximate(request.state):
        return {}
    command = f"yatzy expect --rules {request.rules.spec or request.rules.key} --goal {strategy.zero} --games 100000"
    text = _("the chances are estimates; a simulation measures them: {command}", command=command)
    return {"approximate": {"text": text}}


def with_echo(answer: dict[str, Any], echo: dict[str, Any]) -> dict[str, Any]:
    """A copy of an answer with the fields of its request that it repeats, after the head."""
    return ({name: answer[name] for name in HEAD} | echo if echo else {}) | answer


def boxes(card: Scorecard) -> dict[str, int]:
    """The points of the filled categories by their ids."""
    return {card.rules.categories[c].id: points for c, points in sorted(card.points.items())}


def card_fields(card: Scorecard) -> dict[str, Any]:
    """A card, its points and its state."""
    rules, state = card.rules, card.state
    fields: dict[str, Any] = {
        "card": boxes(card),
        "card_total": card.total,
        "state": picked(state, "filled", "upper"),
    }
    if rules.saved_rolls:
        fields["state"]["saved"] = state.saved
    if rules.joker:
        fields["state"]["joker_paid"] = state.joker_paid
    return fields


def hold_fields(
    request: Request,
    holds: Sequence[Hold],
    choices: Sequence[Choice],
    objective: ResolvedObjective | None,
    rolls: int,
) -> dict[str, Any]:
    """The answer to "hold"."""
    entries = [
        {"hold": list(hold.dice), "reroll": request.rules.dice - len(hold.dice), "category": hold.category}
        | _value_fields(hold, request, objective)
        for hold in holds
    ]
    return _ranking(request, {"rolls": rolls}, "holds", entries, objective, choices)


def score_fields(request: Request, choices: Sequence[Choice], objective: ResolvedObjective | None) -> dict[str, Any]:
    """The answer to "score"; parameters as for :func:`hold_fields`."""
    entries = [
        picked(choice, "category", "points", "bonus_points") | _value_fields(choice, request, objective)
        for choice in choices
    ]
    return _ranking(request, {}, "categories", entries, objective, choices)


def _ranking(
    request: Request, stage: dict[str, int], name: str, entries: list[dict[str, Any]],
    objective: ResolvedObjective | None, choices: Sequence[Choice],
) -> dict[str, Any]:  # fmt: skip
    """The dice, the value of the best option, and all options as the field `name`."""
    value = best_value_fields(entries, request.card, objective, choices)
    return picked(request, "dice", "rolls_left") | stage | value | {"best": entries[0], name: entries}


def _value_fields(action: Hold | Choice, request: Request, objective: ResolvedObjective | None) -> dict[str, Any]:
    chance = {"chance": clipped(action.value)} if objective else {}
    total = request.card.total + action.mean
    expected = {"expected_final_score": float(total), "expected_remaining": float(action.mean)}
    exact = {"exact": fraction_fields(Fraction(total), request.digits)} if request.exact else {}
    return chance | expected | {"loss": float(action.loss)} | exact


def odds_fields(entry: CategoryOdds) -> dict[str, Any]:
    """The odds of a category; fractions, if they are, as `exact`."""
    fields = asdict(entry)
    fractions = {name: value for name, value in fields.items() if isinstance(value, Fraction)}
    if fractions:
        fields |= {name: float(value) for name, value in fractions.items()}
        fields["exact"] = {name: fraction_fields(value, DIGITS) for name, value in fractions.items()}
    return fields


def best_value_fields(
    entries: Sequence[dict[str, Any]],
    card: Scorecard,
    objective: ResolvedObjective | None,
    choices: Sequence[Choice] = (),
) -> dict[str, Any]:
    """The value of the best entry, as fields of the answer. Corrects chances in `entries` that float32 rounded to 1.

    Whether the objective is certain follows from points, not from chances: those on the card, or those after scoring
    the dice at once.
    """
    if not objective:
        return {"expected_final_score": entries[0]["expected_final_score"]}
    from ..strategy.opponents import least_score

    rules = card.rules
    after = [card.filled_with(rules.index_of[c.category], c.points, c.bonus_points) for c in choices]
    certain = objective.certain(max(map(least_score, [card, *after])))
    for entry in entries:
        if certain and not entry.get("loss"):
            entry["chance"] = 1.0
        elif not certain:
            entry["chance"] = min(entry["chance"], MAX_UNCERTAIN_CHANCE)
    out_of_reach = all(entry["chance"] == 0.0 for entry in entries)
    return {"chance": entries[0]["chance"], "certain": certain, "out_of_reach": out_of_reach}


def clipped(chance: float) -> float:
    """A chance within 0 and 1, despite rounding."""
    return min(1.0, max(0.0, chance))


def distribution_fields(found: ScoreDistribution) -> dict[str, Any]:
    """An exact distribution as fields of an answer."""
    return {
        "standard_deviation": found.standard_deviation,
        "upper_bonus_chance": found.upper_bonus_chance,
        "percentiles": {str(percent): found.percentile(percent) for percent in PERCENTILES},
        "lowest": int(found.scores[0]),
        "chances": found.chances.tolist(),
        "categories": [asdict(result) for result in found.categories],
    }
