"""`yatzy versus`: two players exactly, who play to win or follow a policy."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ...errors import StateError
from ...strategy.tie_rules import TIE_RULES
from ..console import confirm, echo_json, echo_lines
from ..options import KnownWords, json_option, language_option, rules_argument, service_options

if TYPE_CHECKING:
    from ...service.queries import QueryService
    from ...strategy.two_players import Play

REPLANNED = "replanned"  # the policy that plans each turn again


@click.command()
@rules_argument
@click.option(
    "--policy", "-p", "policies", multiple=True, metavar="POLICY",
    type=KnownWords(("perfect", "most-points", "prices", "hold-rules", "level:", REPLANNED)),
    help="Also a player who follows this policy, named as for yatzy evaluate. Several are possible.",
)  # fmt: skip
@click.option(
    "--ties", type=KnownWords(TIE_RULES), metavar=f"[{'|'.join(TIE_RULES)}]", default="half",
    help="What a tie counts as for the one who moves first [half].",
)  # fmt: skip
@click.option("--estimate", is_flag=True, help="Show time and memory, and solve nothing.")
@click.option("--yes", "-y", is_flag=True, help="Solve a large game without a confirmation.")
@json_option
@language_option
@service_options
def versus(
    rules: str, policies: tuple[str, ...], ties: str, estimate: bool, yes: bool, as_json: bool, service: QueryService
) -> None:
    """Solve a game of two players exactly.

    Each player knows both cards and the lead, and plays to win. The answer says what moving first is worth. With
    --policy the game is also solved for players who follow a policy, which looks at their own card alone: against
    itself, against the other policies, and against a best response. A policy is exploitable by what best responses
    win against it beyond a half. Of a game that is too large for this memory, bounds are shown that a strategy for
    one's own score proves.

    The policy replanned looks at both cards: each turn it is the best response to perfect play for the mean, whose
    later turns it does not expect to see.

    \b
      yatzy versus generala
      yatzy versus yacht --policy perfect --yes
      yatzy versus yatzy-forced --policy perfect --policy most-points
      yatzy versus generala --policy perfect --policy replanned
    """
    from ...game.scorecard import Scorecard
    from ...policies.named import Setting, listed, named_policy
    from ...service.budget import COMMAND_LIMIT
    from ...strategy.strategy import Strategy
    from ...strategy.two_players import Replanned, TwoPlayerGame
    from ...strategy.versus import exploitability_of, versus_bounds, versus_table
    from ...tablebase.memory import available_memory, check_memory
    from ..progress import progress
    from ..views.versus import bounds_lines, versus_lines

    rule_set = service.rules(rules)
    cost = TwoPlayerGame(rule_set).cost()
    facts = {"rules": rule_set.key, "cost": cost.words}
    if estimate:
        echo_lines([_("{rules} for two players: at most {cost}", **facts)])
        return
    if not policies and (free := available_memory()) is not None and cost.memory > free:
        begin, (low, high) = perf_counter(), versus_bounds(rule_set, ties, service.tables, threads=service.threads)
        if as_json:
            echo_json(rules=rule_set.key, ties=ties, bounds=[low, high], seconds=round(perf_counter() - begin, 2))
        else:
            echo_lines(bounds_lines(rule_set, ties, low, high))
        return
    check_memory(rule_set, cost)
    if not yes and not COMMAND_LIMIT.allows(cost):
        question = _("{rules} for two players takes at most {cost}.", **facts)
        confirm(question, _("{rules} for two players takes at most {cost}; use --yes to solve it", **facts))
    setting = Setting(rule_set, Scorecard(rule_set), service.tables, service.threads)
    players: list[Play] = []
    for name in policies:
        policy = listed(name, named_policy("perfect" if name == REPLANNED else name, setting).policy)
        if isinstance(policy, Strategy):
            raise StateError(_("{policy} looks at more than its own card", policy=name), field="policy")
        players.append(Replanned(policy) if name == REPLANNED else policy)
    begin, label = perf_counter(), _("Solving {rules} for two players", rules=rule_set.key)
    chances = versus_table(
        rule_set, [None, *players], ties, service.tables, threads=service.threads, progress=progress(label)
    )
    found = exploitability_of(chances)
    if as_json:
        echo_json(
            rules=rule_set.key, ties=ties, players=["win", *policies], first=chances.tolist(), exploitability=found,
            seconds=round(perf_counter() - begin, 2),
        )  # fmt: skip
    else:
        echo_lines(versus_lines(rule_set, policies, ties, chances, found))
