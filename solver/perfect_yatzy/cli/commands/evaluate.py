"""`yatzy evaluate`: how good policies are, exactly, or a program by sampled games."""

from __future__ import annotations

import json
from typing import Any

import click

from ..._messages import _
from ..console import cluster_workers, progress_bar, query_service
from ..options import (
    SEED,
    WordsParam,
    cluster_options,
    json_option,
    language_option,
    rules_option,
    start_card_option,
    table_options,
)


@click.command()
@click.argument(
    "policies", type=WordsParam("perfect", "most-points", "prices", "hold-rules", "goal:"), nargs=-1,
    metavar="[POLICY]...",
)  # fmt: skip
@rules_option
@start_card_option
@click.option(
    "--process", metavar="COMMAND",
    help="Instead of a policy, a program that reads requests and writes answers as yatzy hold --jsonl does.",
)  # fmt: skip
@click.option(
    "--games", "-n", type=click.IntRange(1, 1_000_000), metavar="N", default=200, show_default=True,
    help="Games for --process.",
)  # fmt: skip
@click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="Random seed for --process.")
@json_option
@language_option
@cluster_options
@table_options
def evaluate(
    policies: tuple[str, ...],
    rules: str,
    card: str,
    process: str | None,
    games: int,
    seed: int,
    as_json: bool,
    lang: str,
    workers: int | None,
    cluster: str | None,
    tables: str | None,
    threads: int | None,
) -> None:
    """Measure policies exactly, and where they lose points.

    POLICY is perfect, most-points (the most points in each turn), prices (the price sheet of yatzy learn), hold-rules
    (the sheet with its rules for the holds), level:5 (a computer player), goal:280, or a file: a strategy sheet
    (.json), a value function (.npy), or a Python function (bot.py:play). A .py file is run. Several policies are
    evaluated one after the other; with --workers or --cluster, one on each worker.

    \b
      yatzy evaluate most-points
      yatzy evaluate prices --rules yahtzee
      yatzy evaluate bot.py:play --card "ones=3 chance=22"
      yatzy evaluate level:1 level:2 level:3 --workers 2
      yatzy evaluate --process "python bot.py" --games 500
    """
    from ...service.evaluate import run_evaluation, run_evaluations
    from ..views.evaluation import evaluation_lines

    if bool(policies) == (process is not None):
        raise click.UsageError(_("give a POLICY or --process"), click.get_current_context())
    service, on = query_service(tables, threads, lang), cluster_workers(workers, cluster)
    request: dict[str, Any] = {"rules": rules, "card": card}
    if process:
        request |= {"process": process, "games": games, "seed": seed}
        answers = [run_evaluation(service, request, progress_bar(f"{games:,} games"), on)]
    else:
        several = progress_bar(f"{len(policies)} policies") if len(policies) > 1 else None
        answers = run_evaluations(service, [request | {"policy": policy} for policy in policies], several, on)
    lines = [json.dumps(a) if as_json else "\n".join(evaluation_lines(service.rules(rules), a)) for a in answers]
    click.echo(("\n" if as_json else "\n\n\n").join(lines))
