"""`yatzy simulate`: play many games of a policy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from ..._messages import _
from ..console import check_overwrite, echo_answer, output_file, write_dataset_card
from ..options import (
    UsageError,
    cluster_options,
    dataset_card_option,
    force_option,
    game_options,
    json_option,
    language_option,
    number_option,
    output_option,
    rules_argument,
    service_options,
)

if TYPE_CHECKING:
    from ...cluster.session import Cluster
    from ...service.queries import QueryService


@click.command()
@rules_argument
@number_option("--games", "-n", low=1, high=100_000_000, default=100_000, text="Number of games.")
@game_options
@output_option("File for the games: .csv or .parquet with a row per game, .jsonl with every die.")
@dataset_card_option
@force_option
@json_option
@language_option
@cluster_options
@service_options
def simulate(
    rules: str, games: int, start: dict[str, Any], output: str | None, dataset_card: str | None, force: bool,
    as_json: bool, on: AbstractContextManager[Cluster | None], service: QueryService,
) -> None:  # fmt: skip
    """Simulate games of perfect play, or of any other policy.

    The dice depend only on the seed and on the numbers of the game, turn and roll, so two policies play with the
    same dice.

    \b
      yatzy simulate yatzy --games 1000000
      yatzy simulate yatzy --policy goal:300 --output games.parquet
      yatzy simulate yatzy --policy level:3 --games 100 --output games.jsonl
      yatzy simulate giant --games 1000000 --workers 4
    """
    from ...service.simulate import run_simulation
    from ..progress import simulation_progress
    from ..views.simulation import simulation_lines
    from ..views.table_file import check_output, write_games

    if dataset_card and not output:
        raise UsageError(_("--dataset-card describes the file of --output; give both"))
    if output:
        check_output(output, games, start["card"])
        for path in filter(None, (output, dataset_card)):
            check_overwrite(path, force)
    request = {"rules": rules, "games": games} | start
    policy, simulation, answer = run_simulation(service, request, simulation_progress(games), on)
    if output:
        with output_file(output) as file:
            write_games(file, output, policy, simulation)
    if output and dataset_card:
        columns = {} if output.endswith(".jsonl") else simulation.meanings()
        write_dataset_card(dataset_card, output, "games", games, simulation.metadata(), columns)
    echo_answer(answer, simulation_lines(service.rules(rules), answer), as_json)
