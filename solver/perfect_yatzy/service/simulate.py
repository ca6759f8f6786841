"""From a request to simulated games and what came out of them, as a plain dictionary."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import StateError
from ..model.state_space import state_space
from ..strategy.simulation import Simulation, simulate
from ..tablebase.store import Progress
from .aims import ObjectiveRequest
from .queries import PERCENTILES, SCHEMA, QueryService, describe_card, read_card, whole


def run_simulation(
    desk: QueryService, request: dict[str, Any], progress: Progress | None = None
) -> tuple[Simulation, dict[str, Any]]:
    """Play the games of a request.

    Parameters
    ----------
    request
        ``rules, games, seed, policy`` (``mean`` or ``goal:280``), ``card`` and ``saved``.

    Returns
    -------
    Simulation, dict
        The games; what came out, final scores counted with the points of the card.

    Raises
    ------
    StateError
        If the policy or the card cannot be read.
    """
    rules = desk.rules(request["rules"])
    card = read_card(rules, request)
    state_space(rules).check(card.state)
    if card.state.filled == rules.full_mask:
        raise StateError("every category is filled: there is nothing to play")
    wanted = re.fullmatch(r"mean|goal:(\d{1,5})", request["policy"])
    if not wanted:
        raise StateError(f"policy is {request['policy']!r}; must be mean, or goal: and a score, such as goal:280")
    seed = whole(request, "seed", 1)
    goal = int(wanted[1]) if wanted[1] else None
    if goal is not None:
        desk.aims.to_solve(ObjectiveRequest(goal, (), ""), rules, card)
    means = desk.strategy(rules)
    strategy = means if goal is None else desk.aim(ObjectiveRequest(goal, (), ""), means, card).strategy
    games = request["games"]
    played = simulate(strategy, games, seed, card.state, desk.threads, points=card.total, progress=progress)
    finals = played.final_scores
    lowest = int(finals.min())
    boxes = [c for c in range(len(rules.categories)) if not card.state.filled >> c & 1]
    marks = zip(PERCENTILES, played.percentiles(PERCENTILES), strict=True)
    answer: dict[str, Any] = {"schema": SCHEMA, "query": "simulate", "rules": rules.key} | describe_card(card)
    answer |= {
        "policy": request["policy"],
        "games": games,
        "seed": seed,
        "mean": played.mean,
        "standard_error": played.standard_error if games > 1 else None,  # one game says nothing of the spread
        "standard_deviation": played.standard_deviation if games > 1 else None,
        "upper_bonus_chance": played.upper_bonus_chance,
        "percentiles": {str(p): float(v) for p, v in marks},
        "lowest": lowest,
        "highest": int(finals.max()),
        "chances": (np.bincount(finals - lowest) / games).tolist(),
        "categories": [
            {
                "category": rules.categories[c].id,
                "mean": float(played.category_points[:, c].mean()),
                "crossed_out": float((played.category_points[:, c] == 0).mean()),
            }
            for c in boxes
        ],
    }
    if goal is None:
        answer["expected_final_score"] = card.total + means.value(card)
    else:
        reached = float((finals >= goal).mean())
        answer["reached"] = reached
        answer["reached_error"] = float(np.sqrt(reached * (1 - reached) / games)) if games > 1 else None
        answer["chance"] = min(1.0, strategy.value(card))
    return played, answer
