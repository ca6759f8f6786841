"""Ratings of players as plain JSON values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._version import ANSWER_SCHEMA
from ..errors import StateError
from ..play.rating import GRADE_NAMES, Comparison, Rating, Ratings
from ..strategy.confidence import CONFIDENCE, Estimate, mean_of
from .answers import category_fields, picked


def comparisons_of(ratings: Ratings) -> list[Comparison]:
    """Return comparisons of the players of each rule set that exactly two players have played."""
    by_rules: dict[str, list[Rating]] = {}
    for rating in ratings.ratings:
        by_rules.setdefault(rating.rules.fingerprint, []).append(rating)
    return [pair[0].versus(pair[1]) for pair in by_rules.values() if len(pair) == 2]


def ratings_json(
    ratings: Ratings,
    comparisons: list[Comparison],
    block: int | None = None,
    confidence: float = CONFIDENCE,
    prices: bool = False,
) -> dict[str, Any]:
    """Return the answer of `yatzy rate --json`.

    In ``not_rated`` a player who is not known is left out. `prices` adds the prices of each player.
    """
    results_only = [
        {
            "player": player,
            "rules": rules,
            "games": len(results),
            "result": _estimate_json(mean_of(results, confidence)),
            **_against_perfect_play(ratings, rules, player),
        }
        for (rules, player), results in ratings.results_only.items()
    ]
    entries = []
    for rating in ratings.ratings:
        entry = rating_json(rating, block)
        if prices:
            entry["prices"] = _prices_json(rating)
        entries.append(entry)
    return {
        "schema": ANSWER_SCHEMA,
        "query": "rate",
        "ratings": entries,
        "results_only": results_only,
        "comparisons": [*map(comparison_json, comparisons)],
        "not_rated": [
            {name: value for name, value in vars(skipped).items() if value or name != "player"}
            for skipped in ratings.skipped
        ],
    }


def _against_perfect_play(ratings: Ratings, rules: str, player: str) -> dict[str, float]:
    """Return how the results of a player without decisions compare with perfect play, if known."""
    share = ratings.beaten_share(rules, player)
    if share is None:
        return {}
    return {"perfect_mean": ratings.perfect_play[rules].mean, "perfect_games_below": share}


def _prices_json(rating: Rating) -> dict[str, Any]:
    """Return the prices of a player, or why they cannot be found."""
    try:
        return rating.prices.to_json()
    except StateError as error:
        return {"error": str(error)}


def _estimate_json(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {"mean": estimate.value, "low": estimate.low, "high": estimate.high}


def rating_json(rating: Rating, block: int | None = None) -> dict[str, Any]:
    """Return a rating as plain JSON values.

    All figures are means of a game in points, unless their names say otherwise.
    """
    kinds = []
    categories = []
    for number, kind in enumerate(rating.kinds):
        lost, per_decision = map(_estimate_json, rating.kind_lost(number))
        decisions = int(rating.figures.decisions[:, number].sum())
        kinds.append(
            {
                "kind": kind,
                "decisions": decisions,
                "points_lost": lost,
                "lost_per_decision": per_decision,
            }
        )
    for number, category in enumerate(rating.rules.categories):
        taking, leaving = map(_estimate_json, rating.category_lost(number))
        entry = category_fields(category.id, rating.figures.category_points[:, number])
        categories.append(entry | {"lost_by_taking": taking, "lost_by_leaving": leaving})
    means = picked(rating, "result", "luck", "points_lost", "result_without_luck")
    return {
        "player": rating.player,
        "rules": rating.rules.key,
        **picked(rating, "games", "confidence", "start"),
        **{name: _estimate_json(mean) for name, mean in means.items()},
        "level": picked(rating.level, "number", "name"),
        "times_narrower": rating.narrower,
        "lost_per_decision": _estimate_json(rating.lost_per_decision),
        "errors": dict(
            zip(GRADE_NAMES, np.asarray(rating.figures.errors.mean(axis=0)).tolist(), strict=True)
        ),
        "kinds": kinds,
        "categories": categories,
        "turns": [
            _estimate_json(rating.turn_lost(turn)) for turn in range(len(rating.rules.categories))
        ],
        "blocks": [
            vars(part) | {"points_lost": _estimate_json(part.points_lost)}
            for part in rating.blocks(block)
        ],
        "trend_per_game": _estimate_json(rating.trend),
        "spots": [*map(vars, rating.spots)],
        "games_without_decisions": len(rating.other_results),
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison of two players as plain JSON values.

    It has by how much the first plays better, and the difference of the plain results.
    """
    fields: dict[str, Any] = {
        "rules": comparison.first.rules.key,
        "players": [comparison.first.player, comparison.second.player],
    }
    differences = {"advantage": comparison.advantage, "result_difference": comparison.results}
    for name, difference in differences.items():
        interval = picked(difference, "low", "high")
        fields[name] = {"mean": difference.value, **interval, "p_value": difference.chance}
    return fields
