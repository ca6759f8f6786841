"""`yatzy simulate` plays many games of a policy, `yatzy positions` writes the decisions of such games."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._messages import _
from .. import options
from ..console import check_overwrite, echo_answer, output_file
from ..options import Number, UsageError

if TYPE_CHECKING:
    from ...cluster.session import Cluster
    from ...service.queries import QueryService


@click.command()
@options.rules_argument
@options.number_option("--games", "-n", low=1, high=100_000_000, default=100_000, text="Number of games.")
@options.game_options
@options.output_option("File for the games: .csv or .parquet with a row per game, .jsonl with every die.")
@options.dataset_card_option
@options.force_option
@options.json_option
@options.language_option
@options.cluster_options
@options.service_options
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
    from ..views.results import simulation_lines
    from ..views.table_file import check_output, write_games

    if dataset_card and not output:
        raise UsageError(_("--dataset-card describes the file of --output; give both"))
    if output:
        check_output(output, games, start["card"])
        check_overwrite(force, output, dataset_card)
    request = {"rules": rules, "games": games} | start
    policy, simulation, answer = run_simulation(service, request, simulation_progress(games), on)
    if output:
        with output_file(output) as file:
            write_games(file, output, policy, simulation)
    if output and dataset_card:
        columns = {} if output.endswith(".jsonl") else simulation.meanings()
        write_dataset_card(dataset_card, output, "games", games, simulation.metadata(), columns)
    echo_answer(answer, simulation_lines(service.rules(rules), answer), as_json)


@click.command()
@options.rules_argument
@options.number_option("--positions", "-n", low=1, high=10_000_000, default=100_000, text="Number of decisions.")
@options.game_options
@click.option(
    "--exploration", "-e", type=Number(0, 1), metavar="P", default=0.0,
    help="Chance of a random legal action at each decision [0].",
)  # fmt: skip
@click.option("--options", is_flag=True, help="Add the value of every legal action.")
@click.option("--distinct", is_flag=True, help="One row for each different position.")
@options.output_option("File for the positions: .parquet, .jsonl or .csv.", required=True)
@options.dataset_card_option
@options.force_option
@options.json_option
@options.language_option
@options.service_options
def positions(
    start: dict[str, Any], output: str, dataset_card: str | None, force: bool, as_json: bool, service: QueryService,
    **request: Any,
) -> None:  # fmt: skip
    """Write labelled positions from simulated games.

    One row for each decision: the card, the dice, the rerolls left, the best action and its value. Positions that
    play meets more often have more rows. The same seed gives the same rows.

    \b
      yatzy positions yatzy -n 1000000 -o positions.parquet
      yatzy positions yahtzee --exploration 0.1 --options -o positions.jsonl
      yatzy positions yatzy --policy level:3 -o weak.parquet --dataset-card README.md
    """
    from ...service.simulate import run_positions
    from ...strategy.positions import MEANINGS
    from ..views.results import position_lines
    from ..views.table_file import check_suffix, write_table

    check_suffix(output)
    check_overwrite(force, output, dataset_card)
    sample, answer = run_positions(service, start | request)
    with output_file(output) as file:
        write_table(file, output, sample.parts(), sample.metadata())
    if dataset_card:
        columns = {name: MEANINGS[name] for name in next(sample.parts())}
        write_dataset_card(dataset_card, output, "positions", len(sample), sample.metadata(), columns)
    echo_answer(answer, position_lines(sample.rules, answer, output), as_json)


def write_dataset_card(
    path: str, data: str, kind: str, rows: int, metadata: Mapping[str, str], columns: Mapping[str, str]
) -> None:
    """Describe a file of results that this command has written (:func:`.strategy.metadata.dataset_card`)."""
    from shlex import join

    from ...strategy.metadata import dataset_card

    card = dataset_card(Path(data), kind, rows, metadata, columns, join(["yatzy", *sys.argv[1:]]))
    Path(path).write_text(card, encoding="utf-8")
