"""Games of policies: `yatzy simulate`, `yatzy positions`, `yatzy evaluate`, and `yatzy versus` for
two players.

Simulated games and positions become a file, by its suffix:

CSV      a row of names, then the rows; lists as numbers with spaces between, or `none`; nothing for null
JSONL    a line {"metadata": {...}}, then an object a line; of games a record with every die
Parquet  the metadata are those of the schema
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

import click

from ...errors import StateError
from ...strategy.tie_rules import TIE_RULES
from ...words import _, alternatives, number_text
from .. import options
from ..console import check_overwrite, confirm, echo_answer, echo_lines, output_file
from ..options import POLICY_WORDS, KnownWords, Number, cluster_workers

if TYPE_CHECKING:
    from ...cluster.session import Cluster
    from ...core.rules import RuleSet
    from ...service.queries import QueryService
    from ...strategy.simulation import Simulation
    from ...tablebase.estimates import SolveCost
    from ...two_players.two_players import Play

POLICY = KnownWords(POLICY_WORDS)
REPLANNED = "replanned"  # the policy that plans each turn again
SUFFIXES = (".csv", ".parquet", ".jsonl")
MAX_RECORDS = 100_000  # a record may have 256 MiB; a game of Yatzy has 2.3 kB


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
    dataset_card: str | None,
    force: bool,
    as_json: bool,
    on: AbstractContextManager[Cluster | None],
    service: QueryService,
) -> None:
    """Simulate games of perfect play, or of any other policy.

    The dice depend only on the seed and on the numbers of the game, turn and roll, so two policies
    play with the same dice.

    \b
      yatzy simulate yatzy --games 1000000
      yatzy simulate yatzy --policy goal:300 --output games.parquet
      yatzy simulate yatzy --field 100 --games 10000
      yatzy simulate yatzy --policy level:3 --games 100 --output games.jsonl
      yatzy simulate giant --games 1000000 --workers 4
    """
    from ...field.description import field_of_file
    from ...service.measure import run_simulation
    from ..progress import LONG_SIMULATION, progress_if_long
    from ..views.results import simulation_lines

    if dataset_card and not output:
        raise click.UsageError(_("--dataset-card describes the file of --output; give both"))
    if output:
        check_output(output, games, start["card"])
        check_overwrite(force, output, dataset_card)
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
    shown = progress_if_long(_playing(games), games >= LONG_SIMULATION)
    policy, simulation, answer = run_simulation(service, request, shown, on)
    if output:
        with output_file(output) as file:
            write_games(file, output, policy, simulation)
    if output and dataset_card:
        columns = {} if suffix_of(output) == ".jsonl" else simulation.meanings()
        write_dataset_card(dataset_card, output, "games", games, simulation.metadata(), columns)
    echo_answer(simulation_lines(service.rules(rules), answer), as_json, answer)


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@options.number_option(
    "--positions", "-n", low=1, high=10_000_000, default=100_000, text="Number of decisions."
)
@options.game_options
@click.option(
    "--exploration",
    "-e",
    type=Number(0, 1),
    metavar="P",
    default=0.0,
    help="Chance of a random legal action at each decision [0].",
)
@click.option("--options", is_flag=True, help="Add the value of every legal action.")
@click.option("--distinct", is_flag=True, help="One row for each different position.")
@options.output_option("File for the positions: .parquet, .jsonl or .csv.", required=True)
@options.dataset_card_option
@options.force_option
@options.json_option
@options.language_option
@options.service_options
def positions(
    start: dict[str, Any],
    output: str,
    dataset_card: str | None,
    force: bool,
    as_json: bool,
    service: QueryService,
    **request: Any,
) -> None:
    """Write labelled positions from simulated games.

    One row for each decision: the card, the dice, the rerolls left, the best action and its value.
    Positions that play meets more often have more rows. The same seed gives the same rows.

    \b
      yatzy positions yatzy -n 1000000 -o positions.parquet
      yatzy positions yahtzee --exploration 0.1 --options -o positions.jsonl
      yatzy positions yatzy --policy level:3 -o weak.parquet --dataset-card README.md
    """
    from ...service.measure import run_positions
    from ...strategy.positions import MEANINGS
    from ..views.results import position_lines

    check_output(output)
    check_overwrite(force, output, dataset_card)
    sample, answer = run_positions(service, start | request)
    with output_file(output) as file:
        write_table(file, output, sample.parts(), sample.metadata())
    if dataset_card:
        columns = {name: MEANINGS[name] for name in next(sample.parts())}
        write_dataset_card(
            dataset_card, output, "positions", len(sample), sample.metadata(), columns
        )
    echo_answer(position_lines(sample.rules, answer, output), as_json, answer)


def write_dataset_card(
    path: str,
    data: str,
    kind: str,
    rows: int,
    metadata: Mapping[str, str],
    columns: Mapping[str, str],
) -> None:
    """Describe a file of results that this command has written
    (:func:`.strategy.metadata.dataset_card`).
    """
    from shlex import join

    from ...strategy.metadata import dataset_card

    command = join(["yatzy", *sys.argv[1:]])
    try:
        card = dataset_card(Path(data), kind, rows, metadata, columns, command)
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
    "--against",
    metavar="POLICY",
    type=POLICY,
    help="Also the exact chance to win against this policy; a tie counts as half a win.",
)
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
    against: str | None,
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
      yatzy evaluate goal:250 --against perfect
      yatzy evaluate bot.py:play --games 500
      yatzy evaluate level:1 level:2 level:3 --workers 2
      yatzy evaluate --process "python bot.py" --games 500
    """
    from ...service.measure import run_evaluation, run_evaluations
    from ..progress import evaluating, progress
    from ..views.results import evaluation_lines

    if bool(policies) == (process is not None):  # both or neither
        raise click.UsageError(_("give a POLICY or --process"))
    if process and against:
        given = {"first": "--process", "second": "--against"}
        raise click.UsageError(
            _("{first} and {second} cannot be combined; give one of them", **given)
        )
    request: dict[str, Any] = {"rules": rules, "card": card, "games": games, "seed": seed}
    if process:
        request["process"] = process
        answers = [run_evaluation(service, request, progress(_playing(games)), on)]
    else:
        asked = [request | {"policy": policy, "against": against} for policy in policies]
        answers = run_evaluations(service, asked, evaluating(len(policies)), on)
    if as_json:
        click.echo("\n".join(map(json.dumps, answers)))
    else:
        click.echo(
            "\n\n\n".join(
                "\n".join(evaluation_lines(service.rules(rules), each)) for each in answers
            )
        )


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@click.option(
    "--policy",
    "-p",
    "policies",
    multiple=True,
    metavar="POLICY",
    type=KnownWords(("perfect", "most-points", "prices", "hold-rules", "level:", REPLANNED)),
    help="Also a player who follows this policy, named as for yatzy evaluate. Several are possible.",
)
@click.option(
    "--ties",
    type=KnownWords(TIE_RULES),
    metavar=f"[{'|'.join(TIE_RULES)}]",
    default="half",
    help="What a tie counts as for the one who moves first [half].",
)
@options.number_option(
    "--field",
    low=1,
    high=1_000_000_000,
    text="In place of two players: the equilibrium of N opponents who cannot see each other.",
)
@click.option("--estimate", is_flag=True, help="Show time and memory, and solve nothing.")
@click.option(
    "--store",
    is_flag=True,
    help="Store the chances: hold, score, expect and play then answer from every card at once.",
)
@click.option("--yes", "-y", is_flag=True, help="Solve a large game without a confirmation.")
@options.json_option
@options.language_option
@options.worker_options
@options.service_options
def versus(
    rules: str,
    policies: tuple[str, ...],
    ties: str,
    field: int | None,
    estimate: bool,
    store: bool,
    yes: bool,
    as_json: bool,
    workers: int | None,
    cluster: str | None,
    service: QueryService,
) -> None:
    """Solve a game of two players exactly.

    Each player knows both cards and the lead, and plays to win. The answer says what moving first
    is worth. With
    --policy the game is also solved for players who follow a policy, which looks at their own card alone: against
    itself, against the other policies, and against a best response. A policy is exploitable by what best responses
    win against it beyond a half. Of a game that is too large for this memory, bounds are shown that a strategy for
    one's own score proves.

    The policy replanned knows both cards. Before each turn it plans the best response to an
    opponent who plays for the average, as if the plan could not change later.

    With --workers or --cluster processes share the solve, for players who play to win.

    With --field players choose how to play without a look at the others, as in a tournament. The
    answer is a way to play that nobody gains from leaving, and a proved bound of what could be
    gained. It is stored, and then a policy: field:9.

    With --store the game takes two bytes a chance on the disk, three times: a tie can be a loss, a
    half or a win.

    \b
      yatzy versus generala
      yatzy versus yacht --policy perfect --yes
      yatzy versus yatzy-forced --policy perfect --policy most-points
      yatzy versus generala --policy perfect --policy replanned
      yatzy versus yacht --workers 2 --yes
      yatzy versus generala --store
      yatzy versus yatzy-forced --field 9
    """
    import numpy as np

    from ...tablebase.machine import available_memory
    from ...tablebase.store import has_table
    from ...two_players.two_player_table import NAMES, STORE
    from ...two_players.versus import exploitability_of, table_costs, versus_table
    from ...two_players.versus import versus as two_players
    from ...words import gigabytes
    from ..progress import progress
    from ..views.results import versus_lines

    if policies and (workers or cluster or store):
        raise click.UsageError(_("--policy cannot be used with --workers, --cluster or --store"))
    rule_set, tables, threads = service.rules(rules), service.tables, service.threads
    if field is not None:
        if policies or workers or cluster or store or estimate or options.is_given("ties"):
            raise click.UsageError(_("--field cannot be used with another option of this command"))
        show_equilibrium(service, rule_set, field, as_json)
        return
    # Those who play to win, then the policies. All games are solved, one after the other.
    costs = table_costs(rule_set, [False, *(name == REPLANNED for name in policies)])
    cost = replace(
        max(costs, key=attrgetter("memory")), seconds=sum(each.seconds for each in costs)
    )
    facts = {"rules": rule_set.key, "cost": cost.words}
    if store:
        cost = replace(cost, seconds=len(NAMES) * cost.seconds)
        size = gigabytes(len(NAMES) * cost.values * STORE.itemsize)
        facts["cost"] = _("{cost}, {size} on the disk", cost=cost.words, size=size)
    if estimate:
        echo_lines([_("{rules} for two players: at most {cost}", **facts)])
        return
    is_stored = not policies and all(has_table(rule_set, tables, name) for name in NAMES.values())
    free = None if policies or store or is_stored else available_memory()
    if free is not None and cost.memory > free:  # then bounds are the answer
        show_bounds(service, rule_set, ties, as_json)
        return
    if not is_stored:
        confirm_solve(rule_set, cost, facts, yes)
    players = [None, *followed_policies(policies, service, rule_set)]  # None plays to win
    report = progress(_("Solving {rules} for two players", rules=rule_set.key))
    settings: dict[str, Any] = {"ties": ties, "tables": tables, "progress": report}
    begin = perf_counter()
    with cluster_workers(workers, cluster) as on:
        if on:
            chances = np.array([[on.versus(rule_set, store=store, **settings).first]])
        elif store:
            chances = np.array(
                [[two_players(rule_set, store=True, threads=threads, **settings).first]]
            )
        else:
            chances = versus_table(rule_set, players, threads=threads, **settings)
    exploitability = exploitability_of(chances)
    echo_answer(
        versus_lines(rule_set, policies, ties, chances, exploitability),
        as_json,
        rules=rule_set.key,
        ties=ties,
        players=["win", *policies],
        first=chances.tolist(),
        exploitability=exploitability,
        seconds=round(perf_counter() - begin, 2),
    )


def show_bounds(service: QueryService, rules: RuleSet, ties: str, as_json: bool) -> None:
    """Print what a strategy for the own score alone proves about two players."""
    from ...two_players.versus import versus_bounds
    from ..views.results import bounds_lines

    begin = perf_counter()
    bounds = versus_bounds(rules, ties, service.tables, threads=service.threads)
    fields = {"rules": rules.key, "ties": ties, "bounds": [*bounds]}
    seconds = round(perf_counter() - begin, 2)
    echo_answer(bounds_lines(rules, ties, *bounds), as_json, **fields, seconds=seconds)


def confirm_solve(rules: RuleSet, cost: SolveCost, facts: dict[str, Any], yes: bool) -> None:
    """Ask before a long solve for two players, unless it is agreed to; RulesError if the machine
    has too little memory.
    """
    from ...service.budget import COMMAND_LIMIT
    from ...tablebase.estimates import check_memory

    check_memory(rules, cost)
    if not yes and not COMMAND_LIMIT.allows(cost):
        question = _("{rules} for two players takes at most {cost}.", **facts)
        confirm(
            question,
            _("{rules} for two players takes at most {cost}; use --yes to solve it", **facts),
        )


def show_equilibrium(service: QueryService, rules: RuleSet, opponents: int, as_json: bool) -> None:
    """Search the equilibrium of a field, and print what is known about it."""
    from ...field.equilibrium import field_equilibrium
    from ..progress import progress
    from ..views.results import field_lines

    service.strategy(rules)  # announces a solve of perfect play
    report = progress(_("Solving a field of {rules}", rules=rules.key))
    begin = perf_counter()
    found = field_equilibrium(
        rules, opponents, service.tables, threads=service.threads, progress=report
    )
    law = found.law
    fields: dict[str, Any] = {
        "rules": rules.key,
        "field": opponents,
        "mean": law.mean,
        "standard_deviation": law.standard_deviation,
        "upper_bonus_chance": found.bonus_chance,
        "mean_play_wins": found.mean_play_wins,
        "gain": found.gain,
        "weights": [weight for weight in found.mixture.weights if weight],
        "lowest": int(law.scores[0]),
        "chances": found.chances[law.scores[0] : law.scores[-1] + 1].tolist(),
    }
    seconds = round(perf_counter() - begin, 2)
    echo_answer(field_lines(rules, fields), as_json, **fields, seconds=seconds)


def followed_policies(
    names: Iterable[str], service: QueryService, rules: RuleSet
) -> Iterator[Play]:
    """The policies of these names; StateError for one that looks at more than its own card."""
    from ...core.scorecard import Scorecard
    from ...policies.named import Setting, listed, named_policy
    from ...strategy.strategy import Strategy
    from ...two_players.two_players import Replanned

    setting = Setting(rules, Scorecard(rules), service.tables, service.threads)
    for name in names:
        policy = listed(
            name, named_policy("perfect" if name == REPLANNED else name, setting).policy
        )
        if isinstance(policy, Strategy):
            raise StateError(
                _("{policy} looks at more than its own card", policy=name), field="policy"
            )
        yield Replanned(policy) if name == REPLANNED else policy


def suffix_of(path: str) -> str:
    """The suffix of a file, which says its format, in lower case."""
    return Path(path).suffix.lower()


def check_output(path: str, games: int = 0, card: str = "") -> None:
    """Raise StateError or MissingPackage unless so many games from a card, or positions, can be
    written to a file.
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
    """Write columns of equal length, part by part (there is at least one), in the format of the
    suffix of `path`.
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
        writer.writerows(
            [
                (" ".join(map(str, cell)) or "none") if isinstance(cell, list) else cell
                for cell in row
            ]
            for row in rows
        )
    else:
        known = {
            name: json.loads(value) if name == "columns" else value
            for name, value in metadata.items()
        }
        text.write(json.dumps({"metadata": known}) + "\n")
        text.writelines(json.dumps(dict(zip(first, row, strict=True))) + "\n" for row in rows)
    text.detach()  # the caller closes the file


def _rows(columns: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of columns that are arrays or lists, as plain Python values."""
    return zip(
        *(each if isinstance(each, list) else each.tolist() for each in columns.values()),
        strict=True,
    )


def write_games(file: IO[bytes], path: str, policy: object, simulation: Simulation) -> None:
    """Write games as a record or as columns with the metadata of the simulation, by the suffix
    of `path`.
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
