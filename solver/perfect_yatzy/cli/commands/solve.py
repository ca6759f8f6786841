"""Tables: `yatzy solve`, `verify`, `prove` in exact integers, `tables` to list and fetch,
`table` to print one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._files import discard
from ...tablebase.quantities import QUANTITIES
from ...words import _, ngettext, number_text
from .. import options
from ..console import check_overwrite, echo_answer, echo_json, echo_lines, file_format, write_output
from ..options import RULES, KnownWords, Number, stored_tables

if TYPE_CHECKING:
    from ...service.queries import QueryService
    from ...tablebase.store import TableEntry


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
    help="With --approximate: most work for the bound, in 10^12 operations; two threads do as many in about 20 s.",
)
@click.option(
    "--minutes",
    type=Number(0.01, 100_000),
    metavar="M",
    help="With --approximate: for the bound in place of --work, as much work as this machine does in that time. The "
    "same seed then does not repeat the bound.",
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
@click.option("--json", "as_json", is_flag=True, help="With --estimate: print one JSON object.")
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

    \b
      yatzy solve maxi
      yatzy solve yatzy --what goals
      yatzy solve maxi-unsaved --what distribution
      yatzy solve maxi-tactic --what goals --shards
      yatzy solve maxi-unsaved --workers 2
      yatzy solve maxi --what goals --shards --estimate
      yatzy solve giant --approximate
    """
    from ...approximation.opening import approximate_advice
    from ...core.objectives import Objective
    from ...core.table_info import shards_folder
    from ...game.rule_loader import load_rules
    from ...tablebase.store import has_table, table_path
    from . import table_solver

    given = [*filter(options.is_given, ("seed", "games", "work", "minutes"))]
    for wrong in wrong_options(given, **click.get_current_context().params):
        raise click.UsageError(wrong)
    rule_set, on_cluster = load_rules(rules), bool(workers or cluster)
    if on_cluster:
        shards, threads = True, workers or 1  # tasks at a time on this machine
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
    path = table_path(rule_set, tables, what)
    if has_table(rule_set, tables, what) and not force:
        text = _("{rules} is already solved: {path} (use --force to solve it again)")
        click.echo(
            text.format(
                rules=rule_set.key, path=path if os.path.isfile(path) else shards_folder(path)
            )
        )
        return
    if what == "mean":
        with approximate_advice(rule_set):
            solver.checked_cost(Objective(rule_set))
    if on_cluster:
        info = solver.solve_on_cluster(what, force, workers, cluster)
    else:
        info = solver.solve(
            QUANTITIES[what].objective(rule_set, solver.means), missing_only=not force
        )
    click.echo(
        table_solver.solved_lines(rule_set, what, info, shards_folder(path) if shards else path)
    )


def given_among(options: dict[str, Any]) -> list[str]:
    """The options that are given, of options with their values."""
    return [option for option, value in options.items() if value]


def wrong_options(
    given: list[str],
    what: str,
    approximately: bool,
    shards: bool,
    estimate: bool,
    as_json: bool,
    workers: int | None,
    cluster: str | None,
    threads: int | None,
    **others: Any,
) -> Iterator[str]:
    """What is wrong with options that do not fit together; `given`: the limits of an
    approximation that are given.
    """
    together = _("{option} cannot be used with {other}")
    is_distribution = what == "distribution"
    if approximately and what != "mean":
        yield _("--what {what} cannot be used with --approximate", what=what)
    if approximately or is_distribution:  # which are solved in one pass
        for option in given_among({"--shards": shards, "--workers": workers, "--cluster": cluster}):
            yield together.format(
                option=option, other="--approximate" if approximately else "--what distribution"
            )
    if estimate:
        refused = {
            "--approximate": approximately,
            "--workers": workers,
            "--cluster": cluster,
            "--what distribution": is_distribution,
        }
        for option in given_among(refused):
            yield _("--estimate cannot be used with {option}", option=option)
    elif as_json:
        yield _("{option} can only be used with --estimate", option="--json")
    if (workers or cluster) and threads:
        yield _("--threads cannot be used with --workers or --cluster")
    if approximately and {"work", "minutes"} <= set(given):  # both limit the bound
        yield together.format(option="--work", other="--minutes")
    if given and not approximately:
        yield _("--{name} can only be used with --approximate", name=given[0])


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@options.number_option(
    "--states", low=1, high=1_000_000, default=500, text="Number of random states."
)
@options.number_option(
    "--games", high=10_000_000, default=0, shown=False, text="Number of games to simulate [none]."
)
@options.seed_option()
@options.json_option
@options.table_options
def verify(
    rules: str,
    states: int,
    games: int,
    seed: int,
    as_json: bool,
    tables: str | None,
    threads: int | None,
) -> None:
    """Check a stored table.

    Compares its checksum, the Bellman equation at random states, the published value if there is
    one, and with
    --games the mean of simulated games. Of an approximate strategy: its checksum and certificate, and with --games
    its mean.
    """
    from ...approximation.fitted_file import has_fitted
    from ...game.rule_loader import load_rules
    from ...strategy.verify import verify as run_checks
    from ...tablebase.store import has_table

    rule_set, command = load_rules(rules), f"yatzy solve {rules} --force"
    if not has_table(rule_set, tables) and has_fitted(rule_set, tables):
        from ...approximation.solve import verify_approximate

        found = verify_approximate(rule_set, tables, games=games, seed=seed, threads=threads)
        command = f"yatzy solve {rules} --approximate --force"
    else:
        found = run_checks(rule_set, tables, states=states, games=games, seed=seed, threads=threads)
    right, wrong = _("ok"), _("WRONG")
    width, checks = max(len(right), len(wrong)), []
    for check in found:  # as they are made, which takes a while
        checks.append(check)
        if not as_json:
            verdict = right if check.passed else wrong
            click.echo(
                f"{verdict:<{width}}  {_(check.name):<10}  {check.detail}"
            )  # marked elsewhere
    passed = all(check.passed for check in checks)
    if as_json:
        echo_json(rules=rule_set.key, passed=passed, checks=[asdict(check) for check in checks])
    if not passed:
        facts = {"rules": rule_set.key, "command": command}
        raise click.ClickException(
            _("the table of {rules} is wrong; rebuild it with: {command}", **facts)
        )


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@options.number_option(
    "--digits", high=1000, default=30, text="Digits of the value after the point."
)
@click.option(
    "--spread",
    is_flag=True,
    help="Also the variance and the chance of the upper bonus: three times the work.",
)
@options.json_option
@options.table_options
def prove(
    rules: str, digits: int, spread: bool, as_json: bool, tables: str | None, threads: int | None
) -> None:
    """Solve a rule set in exact integers.

    Prints the expected score as a fraction and with any number of digits, the largest error of the
    values in float64, and how many decisions are exact ties. An interrupted proof resumes. The
    certificate is stored beside the tables.

    \b
      yatzy prove yatzy
      yatzy prove yahtzee --digits 60
      yatzy expect --card "chance=20 sixes=24" --exact
    """
    from ...game.rule_loader import load_rules
    from ...tablebase import exact_solve
    from ..progress import progress
    from ..views.answer_text import spread_lines

    rule_set = load_rules(rules)
    report = progress(_("Proving {rules}", rules=rule_set.key))
    proof = exact_solve.prove(
        rule_set, tables=tables, threads=threads, progress=report, spread=spread
    )
    gap = _("more than 0.0001") if proof.least_gap is None else f"{proof.least_gap:.3g}"
    named = {"all": proof.decisions, "ties": proof.ties, "close": proof.close_gaps}
    counts = {name: number_text(count, grouped=True) for name, count in named.items()}
    lines = [
        _("{rules}: expected score {value}", rules=rule_set.key, value=proof.decimal(digits)),
        _("as a fraction: {value}", value=proof.value),
        *spread_lines(proof.fields(digits)),
        _("largest error in float64: {error} points", error=f"{proof.largest_error:.1e}"),
        _(
            "decisions: {all}, of them exact ties: {ties}; least other gap: {gap}",
            gap=gap,
            **counts,
        ),
        _("every decision in float64 is optimal")
        if proof.float64_optimal
        else _("decisions closer than float64 can tell: {close}", **counts),
        _("certificate: {path}", path=exact_solve.proof_path(rule_set, tables)),
    ]
    echo_answer(lines, as_json, proof.fields(max(digits, exact_solve.DIGITS)))


@click.command(cls=options.YatzyCommand)
@click.option(
    "--remove",
    "name",
    type=KnownWords(stored_tables, "table"),
    metavar="NAME",
    help="Remove a table, or all tables of a rule set; asks first.",
)
@click.option(
    "--clean",
    is_flag=True,
    help="Remove leftover files of interrupted solves, which then begin anew, and kernels that other versions "
    "compiled.",
)
@click.option(
    "--fetch",
    type=RULES,
    metavar="RULES",
    help="Take the table of a rule set from --from, after a check of hashes, rules and values.",
)
@click.option(
    "--from", "source", metavar="FOLDER", help="With --fetch: a tables folder, or the URL of one."
)
@click.option("--yes", "-y", is_flag=True, help="With --remove: without a confirmation.")
@options.tables_option
@options.json_option
def tables(
    name: str | None,
    clean: bool,
    fetch: str | None,
    source: str | None,
    yes: bool,
    tables: str | None,
    as_json: bool,
) -> None:
    """List, remove or fetch stored tables.

    A removed table is solved again when it is needed.

    \b
      yatzy tables
      yatzy tables --remove maxi
      yatzy tables --remove yatzy-goals
      yatzy tables --fetch maxi --from https://example.org/tables
    """
    import shutil

    from ...tablebase import store
    from ...tablebase.store import tables_folder
    from ..views.wording import size_text

    if (fetch is None) != (source is None):
        raise click.UsageError(_("--fetch and --from go together"))
    if fetch is not None and source is not None:
        from ...game.rule_loader import load_rules
        from ...strategy.verify import fetch as take

        click.echo(_("Wrote {path}").format(path=take(load_rules(fetch), source, tables)))
        return
    entries, folder = store.stored(tables), tables_folder(tables)
    if clean:
        from ...core.jit import old_caches

        files, caches = store.remove_leftovers(tables), old_caches()
        for cache in caches:
            if os.path.isdir(cache):
                shutil.rmtree(cache, ignore_errors=True)
            else:
                discard(cache)
        text = _("Removed {files} leftover files and {caches} old files of compiled kernels")
        click.echo(text.format(files=len(files), caches=len(caches)))
    if name is not None:
        if not (chosen := store.matching(entries, name)):
            raise click.UsageError(
                _("there is no table {name}; `yatzy tables` lists all tables", name=repr(name))
            )
        echo_lines(f"{entry.name}  {size_text(entry.bytes)}" for entry in chosen)
        if yes or click.confirm(_("Remove from disk?"), err=True):
            store.remove(*chosen)
    if not clean and name is None:
        fields = [
            {
                "name": each.name,
                "rules": each.key,
                "what": each.objective,
                "finished": each.finished,
            }
            | {"bytes": each.bytes, "written": round(each.written)}  # in seconds since 1970
            for each in entries
        ]
        lines, size = stored_tables_lines(entries, folder), sum(entry.bytes for entry in entries)
        echo_answer(lines, as_json, folder=str(folder), bytes=size, tables=fields)


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@click.option(
    "--what",
    type=click.Choice(["opening", "scoring", "categories"]),
    default="opening",
    show_default=True,
    help="Holds of the first turn, categories for the first turn, or the value of each category.",
)
@options.format_option("md", "csv", "json", "html", "parquet")
@options.output_option("File to write [standard output].", default="-")
@options.force_option
@options.language_option
@options.service_options
def table(
    rules: str, what: str, given_format: str | None, output: str, force: bool, service: QueryService
) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring -o scoring.html
    """
    from ..views.strategy_tables import FORMATS, STRATEGY_TABLES

    chosen = file_format(output, {name: name for name in FORMATS}, given_format, any_suffix=True)
    if chosen == "parquet" and output == "-" and sys.stdout.isatty():
        raise click.UsageError(_("Parquet is a binary format; write it to a file with --output"))
    check_overwrite(force, output)
    write_output(
        output, FORMATS[chosen](STRATEGY_TABLES[what](service.strategy(service.rules(rules))))
    )


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number
    and size.
    """
    from ...tablebase.store import short_names
    from ..views.wording import columns, size_text

    now, names, rows = time.time(), short_names(entries), []
    for entry in entries:
        age = _age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished", age=age)
        rows.append((names[entry.name], size_text(entry.bytes), state))
    lines = columns(rows, "<", ">8", "<", indent="") if rows else []
    total = ngettext(
        "{count} table, {size}, in {folder}", "{count} tables, {size}, in {folder}", len(entries)
    )
    size = size_text(sum(entry.bytes for entry in entries))
    return [*lines, total.format(count=len(entries), size=size, folder=folder)]


def _age_text(seconds: float) -> str:
    days, hours, minutes = (int(seconds // unit) for unit in (86_400, 3600, 60))
    if days:
        return ngettext("{count} day ago", "{count} days ago", days, count=days)
    if hours:
        return ngettext("{count} hour ago", "{count} hours ago", hours, count=hours)
    if minutes:
        return ngettext("{count} minute ago", "{count} minutes ago", minutes, count=minutes)
    return _("just now")
