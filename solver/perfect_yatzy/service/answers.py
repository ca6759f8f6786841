"""Answers as plain JSON values, which are made from what was evaluated.

They are for `--json`, `--jsonl`, the text views and the server.

{"schema": 2, "query": "hold", ..., "best": {"hold": [3, 3], "expected_final_score": 245.75, ...},
"holds": [...]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._version import ANSWER_SCHEMA
from ..approximation.opening import certificate_of
from ..core.dice import Dice
from ..core.rules import RuleSet
from ..errors import error_context
from ..game.notation import parse_card, parse_dice
from ..game.scorecard import Scorecard
from ..strategy.actions import Choice, Hold
from ..strategy.ranked_actions import max_rerolls
from ..strategy.strategy import Strategy
from ..strategy.tie_rules import clipped
from ..tablebase.exact_fields import fraction_fields
from .requests import DIGITS, Request

if TYPE_CHECKING:
    from ..strategy.score_distribution import ScoreDistribution
    from ..strategy.simulation import Simulation
    from ..strategy.turn_evaluator import CategoryOdds
    from .resolver import ResolvedObjective

PERCENTILES = (5, 25, 50, 75, 95)
HEAD = "schema", "query", "rules"
MAX_UNCERTAIN_CHANCE = 1 - 2.0**-24  # float32 rounds higher chances to 1
MAX_UNCERTAIN_SUM = 1 - 1e-11  # sums of a distribution have errors of about 1e-12


def picked(source: object, *names: str) -> dict[str, Any]:
    """Return some attributes of an object by their names, in this order, with tuples as lists."""
    fields = {}
    for name in names:
        value = getattr(source, name)
        fields[name] = list(value) if isinstance(value, tuple) else value
    return fields


def answer_head(request: Request) -> dict[str, Any]:
    """Return the fields every answer begins with: the query, the rules and the position."""
    card = request.card
    rules = request.rules
    state = picked(card.state, "filled", "upper")
    if rules.saved_rolls:
        state |= picked(card.state, "saved")
    if rules.joker:
        state |= picked(card.state, "joker_paid")
    head = {"schema": ANSWER_SCHEMA, "query": request.query, "rules": rules.key}
    return head | {"card": boxes(card), "card_total": card.total, "state": state}


def approximate_fields(strategy: Strategy) -> dict[str, Any]:
    """Return the field ``approximate`` with the certificate if the strategy is a fitted one."""
    certificate = certificate_of(strategy)
    return {"approximate": certificate.summary()} if certificate else {}


def with_echo(answer: dict[str, Any], echo: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an answer with the fields of its request that it repeats, after the head."""
    if not echo:
        return dict(answer)
    return {name: answer[name] for name in HEAD} | echo | answer


def boxes(card: Scorecard) -> dict[str, int]:
    """Return the points of the filled categories by their ids."""
    categories = card.rules.categories
    return {categories[number].id: points for number, points in sorted(card.points.items())}


def turn_fields(
    request: Request,
    options: Sequence[Hold | Choice],
    choices: Sequence[Choice],
    objective: ResolvedObjective | None,
) -> dict[str, Any]:
    """Return the answer to "hold" or "score".

    It has the dice, the value of the best option, and all options, best first.
    """
    card_total = request.card.total

    def entry(action: Hold | Choice) -> dict[str, Any]:
        """Return an option with its values."""
        fields: dict[str, Any]
        if isinstance(action, Choice):
            fields = picked(action, "category", "points", "bonus_points")
        else:
            reroll = request.rules.dice - len(action.dice)
            fields = {"hold": list(action.dice), "reroll": reroll, "category": action.category}
        if objective:
            fields["chance"] = clipped(action.value)
        total = card_total + action.mean
        fields["expected_final_score"] = float(total)
        fields["expected_remaining"] = float(action.mean)
        fields["loss"] = float(action.loss)
        if request.exact:
            fields["exact"] = fraction_fields(Fraction(total), request.digits)
        return fields

    entries = [*map(entry, options)]
    fields = picked(request, "dice", "rolls_left")
    name_of_entries = "categories"
    if request.query == "hold":
        fields["rolls"] = max_rerolls(request.rules, request.state.saved) + 1
        name_of_entries = "holds"
    fields |= best_value_fields(entries, request.card, objective, choices)
    return fields | {"best": entries[0], name_of_entries: entries}


def odds_fields(entry: CategoryOdds) -> dict[str, Any]:
    """Return the odds of a category. Fractions become numbers, and are added as `exact`."""
    fields = asdict(entry)
    fractions = {name: value for name, value in fields.items() if isinstance(value, Fraction)}
    if fractions:
        fields |= {name: float(value) for name, value in fractions.items()}
        fields["exact"] = {
            name: fraction_fields(value, DIGITS) for name, value in fractions.items()
        }
    return fields


def open_odds(
    card: Scorecard, dice: Dice | None, rolls_left: int, exact: bool = False
) -> list[CategoryOdds]:
    """Return the odds of each open category in one turn.

    `dice` is None before the first roll.
    """
    from ..strategy.turn_evaluator import category_odds

    return [
        entry
        for entry in category_odds(card.rules, dice, rolls_left, exact=exact)
        if not card.state.filled >> card.rules.index_of[entry.category] & 1
    ]


def odds_answer(
    rules: RuleSet, dice: Dice | None, rolls_left: int, entries: Sequence[CategoryOdds]
) -> dict[str, Any]:
    """Return the answer to "odds"."""
    head = {"schema": ANSWER_SCHEMA, "query": "odds", "rules": rules.key}
    return head | {
        "dice": dice,
        "rolls_left": rolls_left,
        "categories": [*map(odds_fields, entries)],
    }


def answer_to_odds(fields: Mapping[str, Any], rules_of: Callable[[str], RuleSet]) -> dict[str, Any]:
    """Return the answer to the fields of a request for odds, which needs no table."""
    rules = rules_of(fields["rules"])
    with error_context("card"):
        card = parse_card(rules, fields["card"], fields["saved"], fields["bonus_points"])
    roll = None
    if "dice" in fields:
        with error_context("dice"):
            roll = parse_dice(rules, fields["dice"])
    left = fields.get("rolls_left", max_rerolls(rules, card.saved))
    with error_context("rolls_left"):
        answer = odds_answer(rules, roll, left, open_odds(card, roll, left))
    return with_echo(answer, {"id": fields["id"]} if "id" in fields else {})


def best_value_fields(
    entries: Sequence[dict[str, Any]],
    card: Scorecard,
    objective: ResolvedObjective | None,
    choices: Sequence[Choice] = (),
) -> dict[str, Any]:
    """Return the value of the best entry as fields of the answer.

    Chances in `entries` that rounding made 1 are corrected.
    """
    if not objective:
        return {"expected_final_score": entries[0]["expected_final_score"]}
    from ..strategy.score_distribution import least_score

    # Chances may have been rounded to 1. The points on the card, now or after one of the choices,
    # tell what is certain.
    cards = [card]
    for choice in choices:
        number = card.rules.index_of[choice.category]
        cards.append(card.filled_with(number, choice.points, choice.bonus_points))
    certain = objective.certain(max(map(least_score, cards)))
    for entry in entries:
        if certain and not entry.get("loss"):  # this is the best entry, or the only one
            entry["chance"] = 1.0
        elif not certain:
            entry["chance"] = min(entry["chance"], MAX_UNCERTAIN_CHANCE)
    # In a field a chance may be below every float32 that is not 0.
    in_field = "field" in objective.fields
    out_of_reach = not in_field and all(entry["chance"] == 0.0 for entry in entries)
    return {"chance": entries[0]["chance"], "certain": certain, "out_of_reach": out_of_reach}


def correct_mean_play(answer: dict[str, Any]) -> None:
    """Correct the chance of play for the mean, a sum of a distribution, by what is certain.

    Best play must not have a lower chance.
    """
    if "chance" not in answer or "chance_by_mean_play" not in answer:
        return
    by_mean = min(answer["chance_by_mean_play"], MAX_UNCERTAIN_SUM)
    answer["chance_by_mean_play"] = 1.0 if answer["certain"] else by_mean
    # Best play is computed in float32, and the distribution in float64.
    answer["chance"] = max(answer["chance"], answer["chance_by_mean_play"])


def category_fields(category: str, points: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the points of a category in some games: their mean, and how often there are none."""
    return {
        "category": category,
        "mean": float(points.mean()),
        "crossed_out": float((points == 0).mean()),
    }


def distribution_fields(distribution: ScoreDistribution) -> dict[str, Any]:
    """Return an exact distribution as fields of an answer."""
    return picked(distribution, "standard_deviation", "upper_bonus_chance") | {
        "percentiles": {str(percent): distribution.percentile(percent) for percent in PERCENTILES},
        "lowest": int(distribution.scores[0]),
        "chances": distribution.chances.tolist(),
        "categories": [asdict(result) for result in distribution.categories],
    }


def simulation_fields(
    request: Request, strategy: Strategy, counted: ResolvedObjective | None, threads: int | None
) -> dict[str, Any]:
    """Return the field ``simulation``, with the distribution of the final score in simulated games.

    With an objective it also has how many of them reach it.
    """
    from ..policies.named import simulate
    from ..strategy.simulation import wilson_interval

    played = simulate(strategy, request.games, request.seed, request.position, threads)
    fields = games_fields(played)
    del fields["highest"]  # only `yatzy simulate` shows it
    if counted:
        reached = float(counted.utility(played.final_scores).sum())
        fields["chance_by_mean_play"] = reached / request.games
        fields["interval99"] = [*wilson_interval(reached, request.games)]
    return {"policy": strategy.policy, "games": request.games} | fields


def games_fields(played: Simulation) -> dict[str, Any]:
    """Return the distribution of the final score in simulated games.

    One game gives no estimate of an error: the standard error and deviation are None.
    """
    finals = played.final_scores
    names = ("standard_error", "standard_deviation")
    errors = picked(played, *names) if len(finals) > 1 else dict.fromkeys(names)
    scores = played.percentiles(PERCENTILES).tolist()
    percentiles = dict(zip(map(str, PERCENTILES), scores, strict=True))
    lowest = int(finals.min())
    return {
        "mean": played.mean,
        **errors,
        "upper_bonus_chance": played.upper_bonus_chance,
        "percentiles": percentiles,
        "lowest": lowest,
        "highest": int(finals.max()),
        "chances": (np.bincount(finals - lowest) / len(finals)).tolist(),
    }
