"""`yatzy evaluate`: how good a policy is, exactly, or a program by sampled games."""

from __future__ import annotations

import json
from typing import Any

import click

from ..console import progress_bar, query_service
from ..options import (
    CARD,
    SEED,
    WordsParam,
    json_option,
    language_option,
    rules_option,
    table_options,
)


@click.command()
@click.argument("policy", type=WordsParam("perfect", "most-points", "prices", "hold-rules", "goal:"), required=False)
@rules_option
@click.option("--card", "-c", type=CARD, default="", metavar="CARD", help="Scorecard to start from [empty].")
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
@table_options
def evaluate(
    policy: str | None,
    rules: str,
    card: str,
    process: str | None,
    games: int,
    seed: int,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Measure a policy exactly, and where it loses points.

    POLICY is perfect, most-points (the most points in each turn), prices (the price sheet of yatzy learn), hold-rules
    (the sheet with its rules for the holds), level:5 (a computer player), goal:280, or a file: a strategy sheet
    (.json), a value function (.npy), or a Python function (bot.py:play). A .py file is run.

    \b
      yatzy evaluate most-points
      yatzy evaluate prices --rules yahtzee
      yatzy evaluate bot.py:play --card "ones=3 chance=22"
      yatzy evaluate --process "python bot.py" --games 500
    """
    from ...service.evaluate import run_evaluation
    from ..views.evaluation import evaluation_lines

    if (policy is None) == (process is None):
        raise click.UsageError("give a POLICY or --process", click.get_current_context())
    service = query_service(tables, threads, lang)
    request: dict[str, Any] = {"rules": rules, "card": card}
    if process:
        request |= {"process": process, "games": games, "seed": seed}
    else:
        request |= {"policy": policy}
    answer = run_evaluation(service, request, progress_bar(f"{games:,} games"))
    click.echo(json.dumps(answer) if as_json else "\n".join(evaluation_lines(service.rules(rules), answer)))
