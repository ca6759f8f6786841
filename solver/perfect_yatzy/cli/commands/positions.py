"""`yatzy positions`: labelled positions from simulated games, for programs that learn to play."""

from __future__ import annotations

import json

import click

from ..console import check_overwrite, output_file, query_service
from ..options import force_option, game_options, json_option, language_option, rules_argument, table_options


@click.command()
@rules_argument
@click.option(
    "--positions", "-n", "number", type=click.IntRange(1, 10_000_000), metavar="N", default=100_000,
    show_default=True, help="Number of decisions.",
)  # fmt: skip
@game_options
@click.option(
    "--exploration", "-e", type=click.FloatRange(0, 1), metavar="P", default=0.0,
    help="Chance of a random legal action at each decision [0].",
)  # fmt: skip
@click.option("--options", is_flag=True, help="Add the value of every legal action.")
@click.option("--distinct", is_flag=True, help="One row for each different position.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), required=True,
    help="File for the positions: .parquet, .jsonl or .csv.",
)  # fmt: skip
@force_option
@json_option
@language_option
@table_options
def positions(
    rules: str,
    number: int,
    seed: int,
    policy: str,
    exploration: float,
    options: bool,
    distinct: bool,
    card: str,
    saved: int,
    output: str,
    force: bool,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Write labelled positions from simulated games.

    One row for each decision: the card, the dice, the rerolls left, the best action and its value. Positions that
    play meets more often have more rows. The same seed gives the same rows.

    \b
      yatzy positions yatzy -n 1000000 -o positions.parquet
      yatzy positions yahtzee --exploration 0.1 --options -o positions.jsonl
    """
    from ...service.simulate import run_positions
    from ..views.positions import position_lines
    from ..views.table_file import check_suffix, write_table

    check_suffix(output)
    check_overwrite(output, force)
    service = query_service(tables, threads, lang)
    request = {
        "rules": rules, "positions": number, "seed": seed, "policy": policy, "exploration": exploration,
        "options": options, "distinct": distinct, "card": card, "saved": saved,
    }  # fmt: skip
    sample, answer = run_positions(service, request)
    with output_file(output) as file:
        write_table(file, output, sample.parts(), sample.metadata())
    click.echo(json.dumps(answer) if as_json else "\n".join(position_lines(sample.rules, answer, output)))
