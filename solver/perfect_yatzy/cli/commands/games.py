"""The commands `yatzy simulate`, also for labelled positions, and `yatzy evaluate`.

Simulated games and positions become a file, in the format of its suffix:

CSV      A row of names, and then the rows. Lists are numbers with spaces between them, or `none`.
         Null is an empty cell.
JSONL    A line {"metadata": {...}}, and then an object in each line. Games are a record with every
         die instead.
Parquet  The metadata are those of the schema.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from ...errors import StateError
from ...words import _, alternatives, number_text
from .. import options
from ..console import check_overwrite, echo_answer, echo_lines, output_file
from ..options import POLICY_WORDS, KnownWords, Number

if TYPE_CHECKING:
    from ...cluster.session import Cluster
    from ...service.queries import QueryService
    from ...strategy.metadata import Dataset
    from ...strategy.simulation import Simulation

POLICY = KnownWords(POLICY_WORDS)
SUFFIXES = (".csv", ".parquet", ".jsonl")
MAX_RECORDS = 100_000  # games: a record may have 256 MiB, and a game of Yatzy has 2.3 kB


def _playing(games: int) -> str:
    return _("Playing {count} games", count=number_text(games, grouped=True))


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@options.number_option(
    "--games", "-n", low=1, high=100_000_000, default=100_000, text="Number of games."
)
@options.game_options
@options.field_option
@options.places_option
@options.output_option(
    "File for the games: .csv or .parquet with a row per game, .jsonl with every die."
)
@options.number_option(
    "--positions",
    low=1,
    high=10_000_000,
    text="In place of games, write N labelled positions to --output: .parquet, .jsonl or .csv.",
)
@click.option(
    "--exploration",
    "-e",
    type=Number(0, 1),
    metavar="P",
    default=0.0,
    help="With --positions: chance of a random legal action at each decision [0].",
)
@click.option(
    "--options",
    "every_action",
    is_flag=True,
    help="With --positions: add the value of every legal action.",
)
@click.option(
    "--distinct", is_flag=True, help="With --positions: one row for each different position."
)
@options.dataset_card_option
@options.force_option
@options.json_option
@options.language_option
@options.cluster_options
@options.service_options
def simulate(
    rules: str,
    games: int,
    start: dict[str, Any],
    field: str | None,
    places: int | None,
    output: str | None,
    positions: int | None,
    exploration: float,
    every_action: bool,
    distinct: bool,
    dataset_card: str | None,
    force: bool,
    as_json: bool,
    on: AbstractContextManager[Cluster | None],
    service: QueryService,
) -> None:
    """Simulate games of perfect play, or of any other policy.

    The dice depend only on the seed and on the numbers of the game, turn and roll, so two policies
    play with the same dice.

    With --positions the file has one row for each decision: the card, the dice, the rerolls left,
    the best action and its value. Positions that play meets more often have more rows. The same
    seed gives the same rows.

    \b
      yatzy simulate yatzy --games 1000000
      yatzy simulate yatzy --policy goal:300 --output games.parquet
      yatzy simulate yatzy --field 100 --games 10000
      yatzy simulate yatzy --policy level:3 --games 100 --output games.jsonl
      yatzy simulate giant --games 1000000 --workers 4
      yatzy simulate yatzy --positions 1000000 -o positions.parquet
      yatzy simulate yahtzee --positions 10000 --exploration 0.1 --options -o positions.jsonl
    """
    from ...field.description import field_of_file
    from ...service.measure import run_simulation
    from ..progress import LONG_SIMULATION, progress_if_long
    from ..views.results import simulation_lines

    if dataset_card and not output:
        raise click.UsageError(_("--dataset-card describes the file of --output; give both"))
    check_positions(positions, output)
    if output:
        if positions:
            check_output(output)
        else:
            check_output(output, games, start["card"])
        check_overwrite(force, output, dataset_card)
    if positions and output:
        sampling = {"exploration": exploration, "options": every_action, "distinct": distinct}
        request = {"rules": rules, "positions": positions} | sampling | start
        write_positions(service, request, output, dataset_card, as_json)
        return
    request = {"rules": rules, "games": games} | start
    if field is not None:
        if options.is_given("policy"):
            given = {"first": "--field", "second": "--policy"}
            raise click.UsageError(
                _("{first} and {second} cannot be combined; give one of them", **given)
            )
        request["field"] = field_of_file(field)
    if places is not None:
        request["places"] = places
    report = progress_if_long(_playing(games), games >= LONG_SIMULATION)
    policy, simulation, answer = run_simulation(service, request, report, on)
    if output:
        with output_file(output) as file:
            write_games(file, output, policy, simulation)
    if output and dataset_card:
        from ...strategy.metadata import Dataset

        columns = {} if suffix_of(output) == ".jsonl" else simulation.meanings()
        dataset = Dataset("games", games, simulation.metadata(), columns)
        write_dataset_card(dataset_card, output, dataset)
    echo_answer(simulation_lines(service.rules(rules), answer), as_json, answer)


def check_positions(positions: int | None, output: str | None) -> None:
    """Raise UsageError unless the options of positions and those of games are not mixed."""
    if positions:
        if output is None:
            raise click.UsageError(_("--positions needs a file; name it with --output"))
        for name in filter(options.is_given, ("games", "workers", "cluster")):
            facts = {"option": f"--{name}", "other": "--positions"}
            raise click.UsageError(_("{option} cannot be used with {other}", **facts))
        return
    options.refuse_without("--positions", "--exploration", "--options", "--distinct")


def write_positions(
    service: QueryService,
    request: dict[str, Any],
    output: str,
    dataset_card: str | None,
    as_json: bool,
) -> None:
    """Sample labelled positions, write them to a file and print what was written."""
    from ...service.measure import run_positions
    from ...strategy.positions import MEANINGS
    from ..views.results import position_lines

    sample, answer = run_positions(service, request)
    with output_file(output) as file:
        write_table(file, output, sample.parts(), sample.metadata())
    if dataset_card:
        from ...strategy.metadata import Dataset

        columns = {name: MEANINGS[name] for name in next(sample.parts())}
        dataset = Dataset("positions", len(sample), sample.metadata(), columns)
        write_dataset_card(dataset_card, output, dataset)
    echo_answer(position_lines(sample.rules, answer, output), as_json, answer)


def write_dataset_card(path: str, data: str, dataset: Dataset) -> None:
    """Describe a file of results that this command has written.

    The description is that of :func:`.strategy.metadata.dataset_card`.
    """
    from shlex import join

    from ...strategy.metadata import dataset_card

    command = join(["yatzy", *sys.argv[1:]])
    try:
        card = dataset_card(Path(data), dataset, command)
    except OSError as error:  # a pipe
        text = _("cannot read {path}: {reason}", path=data, reason=error.strerror)
        raise StateError(text) from error
    with output_file(path) as file:
        file.write(card.encode())


@click.command(cls=options.YatzyCommand)
@click.argument("policies", type=POLICY, nargs=-1, metavar="[POLICY]...")
@options.rules_option
@options.start_card_option
@click.option(
    "--opponent",
    metavar="POLICY",
    type=POLICY,
    help="Also the exact chance to win against this policy; a tie counts as half a win.",
)
@click.option("--even", is_flag=True, help="With --opponent, the points that make the game even.")
@click.option(
    "--process",
    metavar="COMMAND",
    help="Instead of a policy, a program that reads requests and writes answers as yatzy hold --jsonl does.",
)
@options.number_option(
    "--games", "-n", low=1, high=1_000_000, default=200, text="Games of a policy that is sampled."
)
@options.seed_option("Random seed of these games.")
@options.json_option
@options.language_option
@options.cluster_options
@options.service_options
def evaluate(
    policies: tuple[str, ...],
    rules: str,
    card: str,
    opponent: str | None,
    even: bool,
    process: str | None,
    games: int,
    seed: int,
    as_json: bool,
    on: AbstractContextManager[Cluster | None],
    service: QueryService,
) -> None:
    """Measure policies exactly, and where they lose points.

    POLICY is perfect, most-points (the most points in each turn), prices (the price sheet of yatzy
    learn), hold-rules (the sheet with its rules for the holds), level:5, safe, bold or win
    (computer players), goal:280, or a file: a strategy sheet (.json), a value function (.npy), or
    Python code (bot.py:play). A .py file is run. Several policies are evaluated one after the
    other; with --workers or --cluster, one on each worker.

    \b
      # bot.py; with the parameter `observations` instead, arrays of many positions: exact
      def play(position):
          boxes = position.categories()
          best = max(boxes, key=lambda box: boxes[box])
          return "none" if position.rolls_left and boxes[best][0] < 20 else best

    A function of a position, safe, bold and win are sampled: --games of theirs are compared with
    perfect play.

    \b
      yatzy evaluate most-points
      yatzy evaluate prices --rules yahtzee
      yatzy evaluate goal:250 --opponent perfect
      yatzy evaluate level:3 --opponent perfect --even
      yatzy evaluate bot.py:play --games 500
      yatzy evaluate level:1 level:2 level:3 --workers 2
      yatzy evaluate --process "python bot.py" --games 500
    """
    from ...service.measure import run_evaluation, run_evaluations
    from ..progress import evaluating, progress
    from ..views.results import evaluation_lines

    if bool(policies) == (process is not None):  # both or neither
        raise click.UsageError(_("give a POLICY or --process"))
    if even and not opponent:
        raise click.UsageError(_("{first} needs {second}", first="--even", second="--opponent"))
    if process and opponent:
        given = {"first": "--process", "second": "--opponent"}
        raise click.UsageError(
            _("{first} and {second} cannot be combined; give one of them", **given)
        )
    request: dict[str, Any] = {"rules": rules, "card": card, "games": games, "seed": seed}
    if process:
        request["process"] = process
        answers = [run_evaluation(service, request, progress(_playing(games)), on)]
    else:
        requests = [
            request | {"policy": policy, "against": opponent, "even": even} for policy in policies
        ]
        answers = run_evaluations(service, requests, evaluating(len(policies)), on)
    if as_json:
        click.echo("\n".join(map(json.dumps, answers)))
    else:
        texts = ["\n".join(evaluation_lines(service.rules(rules), answer)) for answer in answers]
        echo_lines(["\n\n\n".join(texts)])


def suffix_of(path: str) -> str:
    """Return the suffix of a file, which determines its format, in lower case."""
    return Path(path).suffix.lower()


def check_output(path: str, games: int = 0, card: str = "") -> None:
    """Raise StateError or MissingPackage unless games or positions can be written to a file.

    `games` is the number of games, if there are any, and `card` the one that they start from.
    """
    from ...strategy.metadata import check_pyarrow

    suffix = suffix_of(path)
    if suffix not in SUFFIXES:
        raise StateError(
            _("{path} must end in {suffixes}", path=path, suffixes=alternatives(SUFFIXES))
        )
    if suffix == ".parquet":
        check_pyarrow("Parquet")
    if suffix == ".jsonl" and (games > MAX_RECORDS or card):
        text = _("a .jsonl file takes at most {most} games, from the empty card")
        raise StateError(text.format(most=number_text(MAX_RECORDS, grouped=True)))


def write_table(
    file: IO[bytes], path: str, parts: Iterable[Mapping[str, Any]], metadata: Mapping[str, str]
) -> None:
    """Write columns of equal length, part by part, in the format of the suffix of `path`.

    There must be at least one part.
    """
    if suffix_of(path) == ".parquet":
        import pyarrow.parquet

        from ...strategy.metadata import arrow_table

        tables = (arrow_table(columns, metadata) for columns in parts)
        first_table = next(tables)
        with pyarrow.parquet.ParquetWriter(file, first_table.schema) as parquet:
            for table in chain([first_table], tables):
                parquet.write_table(table)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    remaining = iter(parts)
    first = next(remaining)
    rows = (row for columns in chain([first], remaining) for row in _rows(columns))
    if suffix_of(path) == ".csv":
        import csv

        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(first)  # the names of the columns
        writer.writerows(map(_csv_cell, row) for row in rows)
    else:
        known = {
            name: json.loads(value) if name == "columns" else value
            for name, value in metadata.items()
        }
        text.write(json.dumps({"metadata": known}) + "\n")
        text.writelines(json.dumps(dict(zip(first, row, strict=True))) + "\n" for row in rows)
    text.detach()  # the caller closes the file


def _csv_cell(value: Any) -> Any:
    """Return what stands for a value in CSV. A list becomes its numbers, or `none`."""
    if not isinstance(value, list):
        return value
    return " ".join(map(str, value)) or "none"


def _rows(columns: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Return the rows of columns that are arrays or lists, as plain Python values."""
    lists = [column if isinstance(column, list) else column.tolist() for column in columns.values()]
    return zip(*lists, strict=True)


def write_games(file: IO[bytes], path: str, policy: object, simulation: Simulation) -> None:
    """Write games as a record, or as columns with the metadata of the simulation.

    The suffix of `path` decides which.
    """
    from ...play.record import played_records, simulated_records
    from ...policies.named import PlayedSimulation
    from ...policies.policy import exact_policy

    if suffix_of(path) != ".jsonl":
        write_table(file, path, [simulation.columns()], simulation.metadata())
        return
    if isinstance(simulation, PlayedSimulation):
        lines = played_records(simulation)
    else:
        listed = exact_policy(policy)
        assert listed is not None
        lines = simulated_records(
            listed, len(simulation.final_scores), simulation.seed, player=simulation.policy
        )
    for line in lines:
        file.write(line.encode() + b"\n")
