"""`yatzy positions`: labelled positions from simulated games, for programs that learn to play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..console import check_overwrite, echo_answer, output_file, write_dataset_card
from ..options import (
    Number,
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
    from ...service.queries import QueryService


@click.command()
@rules_argument
@number_option("--positions", "-n", low=1, high=10_000_000, default=100_000, text="Number of decisions.")
@game_options
@click.option(
    "--exploration", "-e", type=Number(0, 1), metavar="P", default=0.0,
    help="Chance of a random legal action at each decision [0].",
)  # fmt: skip
@click.option("--options", is_flag=True, help="Add the value of every legal action.")
@click.option("--distinct", is_flag=True, help="One row for each different position.")
@output_option("File for the positions: .parquet, .jsonl or .csv.", required=True)
@dataset_card_option
@force_option
@json_option
@language_option
@service_options
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
    from ...strategy.position_sample import MEANINGS
    from ..views.simulation import position_lines
    from ..views.table_file import check_suffix, write_table

    check_suffix(output)
    for path in filter(None, (output, dataset_card)):
        check_overwrite(path, force)
    sample, answer = run_positions(service, start | request)
    with output_file(output) as file:
        write_table(file, output, sample.parts(), sample.metadata())
    if dataset_card:
        columns = {name: MEANINGS[name] for name in next(sample.parts())}
        write_dataset_card(dataset_card, output, "positions", len(sample), sample.metadata(), columns)
    echo_answer(answer, position_lines(sample.rules, answer, output), as_json)
