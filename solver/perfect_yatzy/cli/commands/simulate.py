"""`yatzy simulate`: play many games with an optimal strategy."""

from __future__ import annotations

import json

import click

from ..console import check_overwrite, cluster_workers, output_file, query_service, simulation_progress
from ..options import (
    cluster_options,
    force_option,
    game_options,
    json_option,
    language_option,
    rules_argument,
    table_options,
)


@click.command()
@rules_argument
@click.option(
    "--games",
    "-n",
    type=click.IntRange(1, 100_000_000),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Number of games.",
)
@game_options
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False),
    help="File for the games: .csv or .parquet with a row per game, .jsonl with every die.",
)  # fmt: skip
@force_option
@json_option
@language_option
@cluster_options
@table_options
def simulate(
    rules: str,
    games: int,
    seed: int,
    policy: str,
    card: str,
    saved: int,
    output: str | None,
    force: bool,
    as_json: bool,
    lang: str,
    workers: int | None,
    cluster: str | None,
    tables: str | None,
    threads: int | None,
) -> None:
    """Simulate games with an optimal strategy.

    The dice depend only on the seed and on the numbers of the game, turn and roll, so two policies play with the
    same dice.

    \b
      yatzy simulate yatzy --games 1000000
      yatzy simulate yatzy --policy goal:300 --output games.parquet
      yatzy simulate giant --games 1000000 --workers 4
    """
    from ...service.simulate import run_simulation
    from ..views.games_file import check_output, write_games, write_records
    from ..views.simulation import simulation_lines

    if output:
        check_output(output, games, card)
        check_overwrite(output, force)
    service = query_service(tables, threads, lang)
    request = {"rules": rules, "games": games, "seed": seed, "policy": policy, "card": card, "saved": saved}
    on = cluster_workers(workers, cluster)
    strategy, simulation, answer = run_simulation(service, request, simulation_progress(games), on)
    rule_set = service.rules(rules)
    if output:
        with output_file(output) as file:
            if output.endswith(".jsonl"):
                write_records(file, strategy, simulation)
            else:
                write_games(file, output, simulation)
    click.echo(json.dumps(answer) if as_json else "\n".join(simulation_lines(rule_set, answer)))
