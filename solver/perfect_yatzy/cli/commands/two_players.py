"""The command `yatzy solve --two-players`, for a game of two players who play to win."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...errors import StateError
from ...words import _, gigabytes
from ..console import confirm, echo_answer, echo_lines
from ..options import cluster_workers

if TYPE_CHECKING:
    from ...core.rules import RuleSet
    from ...service.queries import QueryService
    from ...settings import Settings
    from ...two_players.two_players import Play

REPLANNED = "replanned"  # the policy that plans each turn again


def solve_two_players(
    rules: str,
    service: QueryService,
    policies: tuple[str, ...],
    ties: str,
    *,
    estimate: bool,
    store: bool,
    yes: bool,
    as_json: bool,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Solve a game for two players who play to win or follow policies, and print the chances."""
    import numpy as np

    from ...service.budget import COMMAND_LIMIT
    from ...tablebase.estimates import check_memory
    from ...tablebase.machine import available_memory
    from ...tablebase.store import has_table
    from ...two_players.two_player_table import NAMES, STORE
    from ...two_players.versus import exploitability_of, table_costs, versus_table
    from ...two_players.versus import versus as solve_game
    from ..progress import progress
    from ..views.results import versus_lines

    rule_set = service.rules(rules)
    settings = service.settings
    tables = settings.tables
    # The players who play to win come first, then the policies. All games are solved in turn.
    costs = table_costs(rule_set, [False, *(name == REPLANNED for name in policies)])
    largest = max(costs, key=attrgetter("memory"))
    cost = replace(largest, seconds=sum(game.seconds for game in costs))
    facts = {"rules": rule_set.key, "cost": cost.words(settings.threads)}
    if store:
        cost = replace(cost, seconds=len(NAMES) * cost.seconds)
        size = gigabytes(len(NAMES) * cost.values * STORE.itemsize)
        facts["cost"] = _(
            "{cost}, {size} on the disk", cost=cost.words(settings.threads), size=size
        )
    if estimate:
        echo_lines([_("{rules} for two players: at most {cost}", **facts)])
        return
    is_stored = not policies and all(has_table(rule_set, tables, name) for name in NAMES.values())
    if not policies and not store and not is_stored:
        free = available_memory()  # None if it is unknown
        if free is not None and cost.memory > free:
            # The game is too large to solve, so bounds are the answer.
            print_bounds(settings, rule_set, ties, as_json)
            return
    if not is_stored:
        check_memory(rule_set, cost)
        if not yes and not COMMAND_LIMIT.allows(cost):
            question = _("{rules} for two players takes at most {cost}.", **facts)
            confirm(
                question,
                _("{rules} for two players takes at most {cost}; use --yes to solve it", **facts),
            )
    players = [None, *followed_policies(policies, service, rule_set)]  # None plays to win
    report = progress(_("Solving {rules} for two players", rules=rule_set.key))
    how: dict[str, Any] = {"ties": ties, "tables": tables, "progress": report}
    begin = perf_counter()
    # Options for a cluster and --store do not go with policies.
    with cluster_workers(workers, cluster) as on:
        if on:
            chances = np.array([[on.versus(rule_set, store=store, **how).first]])
        elif store:
            stored = solve_game(rule_set, store=True, threads=settings.threads, **how)
            chances = np.array([[stored.first]])
        else:
            chances = versus_table(settings.reporting(report), rule_set, players, ties)
    exploitability = exploitability_of(chances)
    echo_answer(
        versus_lines(rule_set, policies, ties, chances, exploitability),
        as_json,
        rules=rule_set.key,
        ties=ties,
        players=["win", *policies],
        first=chances.tolist(),
        exploitability=exploitability,
        seconds=round(perf_counter() - begin, 2),
    )


def print_bounds(settings: Settings, rules: RuleSet, ties: str, as_json: bool) -> None:
    """Print bounds for the chance of the first player of a game that is too large to solve."""
    from ...two_players.versus import versus_bounds
    from ..views.results import bounds_lines

    begin = perf_counter()
    bounds = versus_bounds(settings, rules, ties)
    seconds = round(perf_counter() - begin, 2)
    fields = {"rules": rules.key, "ties": ties, "bounds": [*bounds]}
    echo_answer(bounds_lines(rules, ties, *bounds), as_json, **fields, seconds=seconds)


def sample_two_players(
    rules: str, service: QueryService, paths: int, endgame: int, ties: str, as_json: bool
) -> None:
    """Sample paths of a game of two, and print the interval for the chance of the first player."""
    from ...two_players.relaxation import CONFIDENCE, two_player_interval
    from ..progress import progress
    from ..views.results import interval_lines

    rule_set = service.rules(rules)
    report = progress(_("Solving {rules} for two players", rules=rule_set.key))
    begin = perf_counter()
    settings = service.settings.reporting(report)
    found = two_player_interval(settings, rule_set, paths, endgame, ties)
    fields: dict[str, Any] = {
        "rules": rule_set.key,
        "ties": ties,
        "paths": paths,
        "endgame": endgame,
        "confidence": CONFIDENCE,
        "interval": [found.low, found.high],
        "opponent_wins_at_most": [vars(estimate) for estimate in found.opponents],
    }
    seconds = round(perf_counter() - begin, 2)
    echo_answer(interval_lines(rule_set, fields), as_json, **fields, seconds=seconds)


def followed_policies(
    names: Iterable[str], service: QueryService, rules: RuleSet
) -> Iterator[Play]:
    """Yield the policies of these names.

    Raises StateError for a policy that looks at more than its own card.
    """
    from ...game.scorecard import Scorecard
    from ...policies.named import PolicyContext, listed, named_policy
    from ...strategy.strategy import Strategy
    from ...two_players.two_players import Replanned

    context = PolicyContext(service.settings, rules, Scorecard(rules))
    for name in names:
        policy = listed(
            name, named_policy("perfect" if name == REPLANNED else name, context).policy
        )
        if isinstance(policy, Strategy):
            raise StateError(
                _("{policy} looks at more than its own card", policy=name), field="policy"
            )
        yield Replanned(policy) if name == REPLANNED else policy
