"""The command `yatzy solve`.

It makes a table or an approximate strategy, or solves a game in exact integers or of two players.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ...strategy.tie_rules import TIE_RULES
from ...tablebase.quantities import QUANTITIES
from ...words import _
from .. import options
from ..options import KnownWords, Number

if TYPE_CHECKING:
    from .table_solver import TableSolver

# Pairs of options that do not fit together.
APART = (
    ("--approximate", "--exact"),
    ("--approximate", "--two-players"),
    ("--exact", "--two-players"),
    *(
        (option, way)
        for way in ("--approximate", "--what distribution", "--exact")
        for option in ("--shards", "--workers", "--cluster")
    ),
    ("--shards", "--two-players"),
    *(
        ("--field", way)
        for way in (
            "--approximate",
            "--exact",
            "--two-players",
            "--shards",
            "--estimate",
            "--force",
            "--workers",
            "--cluster",
        )
    ),
    *(("--force", way) for way in ("--exact", "--two-players")),
    *(
        ("--estimate", way)
        for way in ("--approximate", "--exact", "--workers", "--cluster", "--what distribution")
    ),
    *(("--threads", option) for option in ("--workers", "--cluster")),
    *(("--policy", option) for option in ("--workers", "--cluster", "--store")),
    *(("--paths", way) for way in ("--policy", "--store", "--workers", "--cluster", "--estimate")),
    ("--work", "--minutes"),  # both limit the bound
)
# The options of which an option needs one, by that option.
NEEDS = {
    **dict.fromkeys(("--seed", "--games", "--work", "--minutes"), ("--approximate",)),
    **dict.fromkeys(("--digits", "--spread"), ("--exact",)),
    **dict.fromkeys(("--policy", "--ties", "--store", "--paths"), ("--two-players",)),
    "--endgame": ("--paths",),
    "--json": ("--estimate", "--exact", "--two-players", "--field"),
}


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@click.option(
    "--what",
    type=click.Choice([*QUANTITIES, "distribution"]),
    default="mean",
    show_default=True,
    help="Table to build: expected scores, chances of every goal, variances of the final score, chances of the "
    "upper bonus, its points, or the distribution of the final score.",
)
@click.option(
    "--approximate",
    "approximately",
    is_flag=True,
    help="For games too large for an exact table: a strategy, its simulated mean, and a proven bound of all "
    "strategies.",
)
@options.seed_option("With --approximate: random seed.")
@options.number_option(
    "--games",
    low=2,
    high=10_000_000,
    default=20_000,
    text="With --approximate: number of simulated games.",
)
@click.option(
    "--work",
    type=Number(0, 1_000_000),
    metavar="N",
    default=30.0,
    show_default=True,
    help="With --approximate: most work for the bound, in 10^12 operations; two threads do as many in about 40 s.",
)
@click.option(
    "--minutes",
    type=Number(0.01, 100_000),
    metavar="M",
    help="With --approximate: for the bound in place of --work, as much work as this machine does in that time. The "
    "same seed then does not repeat the bound.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Solve in exact integers: the expected score as a fraction, the largest error of the values in float64, and "
    "how many decisions are exact ties.",
)
@options.number_option(
    "--digits", high=1000, default=30, text="With --exact: digits after the point."
)
@click.option(
    "--spread",
    is_flag=True,
    help="With --exact: also the variance and the chance of the upper bonus: three times the work.",
)
@click.option(
    "--two-players",
    "two_players",
    is_flag=True,
    help="Solve the game of two players who know both cards and play to win: what moving first is worth.",
)
@options.number_option(
    "--field",
    low=1,
    high=1_000_000_000,
    text="Find the equilibrium of a player and N opponents who cannot see each other.",
)
@click.option(
    "--policy",
    "-p",
    "policies",
    multiple=True,
    metavar="POLICY",
    type=KnownWords(("perfect", "most-points", "prices", "hold-rules", "level:", "replanned")),
    help="With --two-players: also a player who follows this policy, named as for yatzy evaluate. Several are "
    "possible.",
)
@click.option(
    "--ties",
    type=KnownWords(TIE_RULES),
    metavar=f"[{'|'.join(TIE_RULES)}]",
    default="half",
    help="With --two-players: what a tie counts as for the one who moves first [half].",
)
@click.option(
    "--store",
    is_flag=True,
    help="With --two-players: store the chances: hold, score, expect and play then answer from every card at once.",
)
@options.number_option(
    "--paths",
    low=30,
    high=100_000,
    text="With --two-players: in place of a solve, an interval with 99 % confidence from N sampled games of one "
    "player. Samples are stored, and processes share them.",
)
@options.number_option(
    "--endgame",
    high=20,
    default=0,
    text="With --paths: both play to win from N open boxes on; a larger N is closer and takes longer.",
)
@click.option(
    "--shards",
    is_flag=True,
    help="Store the table in many files, solved one by one: for tables that do not fit the memory. Resumes anywhere.",
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Print what the solve costs, without solving: states, size, memory and time.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With --estimate, --exact, --two-players or --field: print one JSON object.",
)
@click.option("--force", is_flag=True, help="Solve again even if the table exists.")
@click.option(
    "--yes",
    "-y",
    is_flag=True,
    help="Do not ask before a solve of more than 2 GB or three minutes.",
)
@options.worker_options
@options.table_options
def solve(
    rules: str,
    what: str,
    approximately: bool,
    seed: int,
    games: int,
    work: float,
    minutes: float | None,
    exact: bool,
    digits: int,
    spread: bool,
    two_players: bool,
    field: int | None,
    policies: tuple[str, ...],
    ties: str,
    store: bool,
    paths: int | None,
    endgame: int,
    shards: bool,
    estimate: bool,
    as_json: bool,
    force: bool,
    yes: bool,
    workers: int | None,
    cluster: str | None,
    tables: str | None,
    threads: int | None,
) -> None:
    """Solve a rule set and store the table.

    An interrupted solve resumes where it stopped. Other commands solve what they need on first use,
    unless that takes more than 2 GB or three minutes. With --workers or --cluster processes share
    the solve; the table is in shards.

    With --exact: an interrupted proof resumes. The certificate is stored beside the tables.

    With --field: players choose how to play without a look at the others, as in a tournament. The
    answer is a way to play that nobody gains from leaving, and a proved bound of what could be
    gained. It is stored, and then a policy: field:9.

    With --two-players: each player knows both cards and the lead, and plays to win. The answer says
    what moving first is worth. With --policy the game is also solved for players who follow a
    policy, which looks at their own card alone: against itself, against the other policies, and
    against a best response. A policy is exploitable by what best responses win against it beyond a
    half. Of a game that is too large for this memory, bounds are shown that a strategy for one's
    own score proves.

    With --paths an interval is shown in place of these bounds: narrower, estimated, not proved.

    The policy replanned knows both cards. Before each turn it plans the best response to an
    opponent who plays for the average, as if the plan could not change later.

    With --store the game takes two bytes a chance on the disk, three times: a tie can be a loss, a
    half or a win.

    \b
      yatzy solve maxi
      yatzy solve yatzy --what goals
      yatzy solve maxi-unsaved --what distribution
      yatzy solve maxi-tactic --what goals --shards
      yatzy solve maxi-unsaved --workers 2
      yatzy solve maxi --what goals --shards --estimate
      yatzy solve giant --approximate
      yatzy solve yahtzee --exact --digits 60
      yatzy solve generala --two-players
      yatzy solve yatzy-forced --field 9
      yatzy solve generala --two-players --policy perfect --policy replanned
      yatzy solve yatzy --two-players --paths 100 --endgame 3
    """
    from ...game.rule_loader import load_rules

    check_fitting(what)
    if field is not None:
        from .field import show_equilibrium

        service = options.query_service(tables, threads)
        show_equilibrium(service, service.rules(rules), field, as_json)
        return
    if paths is not None:
        from .two_players import sample_two_players

        service = options.query_service(tables, threads)
        sample_two_players(rules, service, paths, endgame, ties, as_json)
        return
    if two_players:
        from .two_players import solve_two_players

        solve_two_players(
            rules,
            options.query_service(tables, threads),
            policies,
            ties,
            estimate=estimate,
            store=store,
            yes=yes,
            as_json=as_json,
            workers=workers,
            cluster=cluster,
        )
        return
    if exact:
        from ...settings import Settings
        from .exact import print_proof

        settings = Settings(tables, threads)
        print_proof(settings, load_rules(rules), digits=digits, spread=spread, as_json=as_json)
        return
    from . import table_solver

    rule_set = load_rules(rules)
    if workers or cluster:
        shards = True
        threads = workers or 1  # tasks at a time on this machine
    solver = table_solver.TableSolver(rule_set, tables, threads, shards, yes)
    if approximately:
        table_solver.solve_approximately(solver, seed, games, work, minutes, force)
        return
    if estimate:
        table_solver.print_estimate(solver, what, as_json=as_json)
        return
    if what == "distribution":
        table_solver.solve_distribution(solver, force)
        return
    solve_table(solver, what, force, workers, cluster)


def solve_table(
    solver: TableSolver, what: str, force: bool, workers: int | None, cluster: str | None
) -> None:
    """Solve and store a table of a rule set, unless it is there."""
    from ...approximation.opening import approximate_advice
    from ...core.objectives import Objective
    from ...core.table_info import shards_folder
    from ...tablebase.store import has_table, table_path
    from .table_solver import solved_text

    rule_set = solver.rules
    tables = solver.tables
    path = table_path(rule_set, tables, what)
    if has_table(rule_set, tables, what) and not force:
        text = _("{rules} is already solved: {path} (use --force to solve it again)")
        stored_path = path if os.path.isfile(path) else shards_folder(path)
        click.echo(text.format(rules=rule_set.key, path=stored_path))
        return
    if what == "mean":
        with approximate_advice(rule_set):
            solver.checked_cost(Objective(rule_set))
    if workers or cluster:
        info = solver.solve_on_cluster(what, force, workers, cluster)
    else:
        info = solver.solve(
            QUANTITIES[what].objective(rule_set, solver.means), missing_only=not force
        )
    click.echo(solved_text(rule_set, what, info, shards_folder(path) if solver.shards else path))


def check_fitting(what: str) -> None:
    """Raise UsageError if options of the command line do not fit together."""
    given = options.options_given()
    together = _("{option} cannot be used with {other}")
    if what != "mean":
        for way in given.intersection(("--approximate", "--exact", "--two-players", "--field")):
            raise click.UsageError(together.format(option=f"--what {what}", other=way))
    for option, other in APART:
        if {option, other} <= given | {f"--what {what}"}:
            raise click.UsageError(together.format(option=option, other=other))
    for option, needed in NEEDS.items():
        if not given & {*needed}:
            options.refuse_without(needed[0], option)
