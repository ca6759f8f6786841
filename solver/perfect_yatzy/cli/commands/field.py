"""The command `yatzy solve --field`: the equilibrium of players who cannot see each other."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...words import _
from ..console import echo_answer

if TYPE_CHECKING:
    from ...core.rules import RuleSet
    from ...service.queries import QueryService


def show_equilibrium(service: QueryService, rules: RuleSet, opponents: int, as_json: bool) -> None:
    """Find the equilibrium of a field, and print what is known about it."""
    from ...field.equilibrium import field_equilibrium
    from ..progress import progress
    from ..views.results import field_lines

    service.strategy(rules)  # announces a solve of perfect play
    report = progress(_("Solving a field of {rules}", rules=rules.key))
    begin = perf_counter()
    equilibrium = field_equilibrium(service.settings.reporting(report), rules, opponents)
    distribution = equilibrium.law  # of the final score of each player
    lowest = int(distribution.scores[0])
    highest = int(distribution.scores[-1])
    fields: dict[str, Any] = {
        "rules": rules.key,
        "field": opponents,
        "mean": distribution.mean,
        "standard_deviation": distribution.standard_deviation,
        "upper_bonus_chance": equilibrium.bonus_chance,
        "mean_play_wins": equilibrium.mean_play_wins,
        "gain": equilibrium.gain,
        "weights": [weight for weight in equilibrium.mixture.weights if weight],
        "lowest": lowest,
        "chances": equilibrium.chances[lowest : highest + 1].tolist(),
    }
    seconds = round(perf_counter() - begin, 2)
    echo_answer(field_lines(rules, fields), as_json, **fields, seconds=seconds)
