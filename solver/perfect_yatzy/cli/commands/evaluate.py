"""`yatzy evaluate`: how good policies are, exactly, or a program by sampled games."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from ..._messages import _, ngettext, number_text
from ..options import (
    POLICY_WORDS,
    SEED,
    KnownWords,
    UsageError,
    cluster_options,
    json_option,
    language_option,
    number_option,
    rules_option,
    service_options,
    start_card_option,
)

if TYPE_CHECKING:
    from ...cluster.session import Cluster
    from ...service.queries import QueryService

POLICY = KnownWords(POLICY_WORDS)


@click.command()
@click.argument(
    "policies", type=POLICY, nargs=-1, metavar="[POLICY]...",
)  # fmt: skip
@rules_option
@start_card_option
@click.option(
    "--against", metavar="POLICY", type=POLICY,
    help="Also the exact chance to win against this policy; a tie counts as half a win.",
)  # fmt: skip
@click.option(
    "--process", metavar="COMMAND",
    help="Instead of a policy, a program that reads requests and writes answers as yatzy hold --jsonl does.",
)  # fmt: skip
@number_option("--games", "-n", low=1, high=1_000_000, default=200, text="Games of a policy that is sampled.")
@click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="Random seed of these games.")
@json_option
@language_option
@cluster_options
@service_options
def evaluate(
    policies: tuple[str, ...], rules: str, card: str, against: str | None, process: str | None, games: int, seed: int,
    as_json: bool, on: AbstractContextManager[Cluster | None], service: QueryService,
) -> None:  # fmt: skip
    """Measure policies exactly, and where they lose points.

    POLICY is perfect, most-points (the most points in each turn), prices (the price sheet of yatzy learn), hold-rules
    (the sheet with its rules for the holds), level:5, safe, bold or win (computer players), goal:280, or a file: a
    strategy sheet (.json), a value function (.npy), or Python code (bot.py:play). A .py file is run. Several policies
    are evaluated one after the other; with --workers or --cluster, one on each worker.

    \b
      # bot.py; with the parameter `observations` instead, arrays of many positions: exact
      def play(position):
          boxes = position.categories()
          best = max(boxes, key=lambda box: boxes[box])
          return "none" if position.rolls_left and boxes[best][0] < 20 else best

    A function of a position, safe, bold and win are sampled: --games of theirs are compared with perfect play.

    \b
      yatzy evaluate most-points
      yatzy evaluate prices --rules yahtzee
      yatzy evaluate goal:250 --against perfect
      yatzy evaluate bot.py:play --games 500
      yatzy evaluate level:1 level:2 level:3 --workers 2
      yatzy evaluate --process "python bot.py" --games 500
    """
    import json

    from ...service.evaluate import run_evaluation, run_evaluations
    from ..progress import progress
    from ..views.evaluation import evaluation_lines

    if bool(policies) == (process is not None):
        raise UsageError(_("give a POLICY or --process"))
    if process and against:
        given = {"first": "--process", "second": "--against"}
        raise UsageError(_("{first} and {second} cannot be combined; give one of them", **given))
    request: dict[str, Any] = {"rules": rules, "card": card, "games": games, "seed": seed}
    if process:
        request["process"] = process
        label = _("Playing {count} games", count=number_text(games, grouped=True))
        answers = [run_evaluation(service, request, progress(label), on)]
    else:
        number = len(policies)
        label = ngettext("Evaluating {count} policy", "Evaluating {count} policies", number, count=number)
        asked = [request | {"policy": policy, "against": against} for policy in policies]
        answers = run_evaluations(service, asked, progress(label), on)
    lines = [json.dumps(a) if as_json else "\n".join(evaluation_lines(service.rules(rules), a)) for a in answers]
    click.echo(("\n" if as_json else "\n\n\n").join(lines))
