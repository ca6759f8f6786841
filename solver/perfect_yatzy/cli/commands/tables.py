"""The commands `yatzy tables` and `yatzy table`.

The first lists, checks, removes and fetches stored tables, and the second prints a strategy table.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ..._files import discard
from ...settings import Settings
from ...words import _, ngettext
from .. import options
from ..console import check_overwrite, echo_answer, echo_json, echo_lines, file_format, write_output
from ..options import RULES, KnownWords, stored_tables
from ..text_width import columns, columns_of, left

if TYPE_CHECKING:
    from ...core.rules import RuleSet
    from ...service.queries import QueryService
    from ...strategy.verify import Check
    from ...tablebase.store import TableEntry


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
    "--verify",
    type=RULES,
    metavar="RULES",
    help="Check the table of a rule set: its checksum, the Bellman equation at random states, and the published "
    "value if there is one.",
)
@options.number_option(
    "--states", low=1, high=1_000_000, default=500, text="With --verify: number of random states."
)
@options.number_option(
    "--games",
    high=10_000_000,
    default=0,
    shown=False,
    text="With --verify: number of games to simulate, whose mean is compared [none].",
)
@options.seed_option("With --verify: random seed.")
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
@options.json_option
@options.table_options
def tables(
    name: str | None,
    clean: bool,
    verify: str | None,
    states: int,
    games: int,
    seed: int,
    fetch: str | None,
    source: str | None,
    yes: bool,
    as_json: bool,
    tables: str | None,
    threads: int | None,
) -> None:
    """List, check, remove or fetch stored tables.

    A removed table is solved again when it is needed.

    \b
      yatzy tables
      yatzy tables --verify yatzy --games 100000
      yatzy tables --remove maxi
      yatzy tables --remove yatzy-goals
      yatzy tables --fetch maxi --from https://example.org/tables
    """
    from ...tablebase import store
    from ...tablebase.store import tables_folder

    given = options.options_given()
    tasks = [task for task in ("--verify", "--fetch", "--remove", "--clean") if task in given]
    if len(tasks) > 1 and tasks[0] in ("--verify", "--fetch"):
        text = _(
            "{first} and {second} cannot be combined; give one of them",
            first=tasks[0],
            second=tasks[1],
        )
        raise click.UsageError(text)
    if (fetch is None) != (source is None):
        raise click.UsageError(_("--fetch and --from go together"))
    if verify is not None:
        settings = Settings(tables, threads)
        print_checks(checks_of(settings, verify, states, games, seed), as_json=as_json)
        return
    options.refuse_without("--verify", "--states", "--games", "--seed", "--threads")
    if fetch is not None and source is not None:
        from ...game.rule_loader import load_rules
        from ...strategy.verify import fetch as fetch_table

        path = fetch_table(load_rules(fetch), source, tables)
        click.echo(_("Wrote {path}", path=path))
        return
    entries = store.stored(tables)
    if clean:
        remove_leftovers(tables)
    if name is not None:
        remove_tables(entries, name, yes)
    if not clean and name is None:
        fields = [
            {
                "name": entry.name,
                "rules": entry.key,
                "what": entry.objective,
                "finished": entry.finished,
                "bytes": entry.bytes,
                "written": round(entry.written),  # in seconds since 1970
            }
            for entry in entries
        ]
        folder = tables_folder(tables)
        lines = stored_tables_lines(entries, folder)
        size = sum(entry.bytes for entry in entries)
        echo_answer(lines, as_json, folder=str(folder), bytes=size, tables=fields)


def remove_leftovers(tables: str | None) -> None:
    """Remove the leftover files of interrupted solves and of kernels, and print how many."""
    import shutil

    from ..._kernel_cache import old_caches
    from ...tablebase import store

    files = store.remove_leftovers(tables)
    caches = old_caches()
    for cache in caches:
        if os.path.isdir(cache):
            shutil.rmtree(cache, ignore_errors=True)
        else:
            discard(cache)
    text = _(
        "Removed {files} leftover files and {caches} old files of compiled kernels",
        files=len(files),
        caches=len(caches),
    )
    click.echo(text)


def remove_tables(entries: list[TableEntry], name: str, yes: bool) -> None:
    """Remove the stored tables of a name, after a confirmation.

    Raises UsageError if there is none.
    """
    from ...tablebase import store
    from ..views.wording import size_text

    chosen = store.matching(entries, name)
    if not chosen:
        raise click.UsageError(
            _("there is no table {name}; `yatzy tables` lists all tables", name=repr(name))
        )
    echo_lines(f"{entry.name}  {size_text(entry.bytes)}" for entry in chosen)
    if yes or click.confirm(_("Remove from disk?"), err=True):
        store.remove(*chosen)


class TableChecks(NamedTuple):
    """The checks of a table, or of the checksum and certificate of an approximate strategy."""

    rules: RuleSet
    checks: Iterator[Check]  # which are made one by one, and take a while
    command: str  # makes the table or strategy again


def checks_of(settings: Settings, rules: str, states: int, games: int, seed: int) -> TableChecks:
    """Return the checks of the table or the approximate strategy of a rule set."""
    from ...approximation.fitted_file import has_fitted
    from ...game.rule_loader import load_rules
    from ...strategy.verify import verify as run_checks
    from ...tablebase.store import has_table

    rule_set = load_rules(rules)
    tables = settings.tables
    if has_table(rule_set, tables) or not has_fitted(rule_set, tables):
        checks = run_checks(settings, rule_set, states=states, games=games, seed=seed)
        return TableChecks(rule_set, checks, f"yatzy solve {rules} --force")
    from ...approximation.solve import verify_approximate

    checks = verify_approximate(settings, rule_set, games=games, seed=seed)
    return TableChecks(rule_set, checks, f"yatzy solve {rules} --approximate --force")


def print_checks(table_checks: TableChecks, *, as_json: bool) -> None:
    """Print each check when it is made. Raises ClickException if one fails."""
    good = _("ok")
    wrong = _("WRONG")
    width = max(columns_of(good), columns_of(wrong))
    checks = []
    for check in table_checks.checks:
        checks.append(check)
        if not as_json:
            verdict = good if check.passed else wrong
            name = _(check.name)  # marked elsewhere
            echo_lines([f"{left(verdict, width)}  {left(name, 10)}  {check.detail}"])
    passed = all(check.passed for check in checks)
    if as_json:
        echo_json(
            rules=table_checks.rules.key, passed=passed, checks=[asdict(check) for check in checks]
        )
    if not passed:
        facts = {"rules": table_checks.rules.key, "command": table_checks.command}
        raise click.ClickException(
            _("the table of {rules} is wrong; rebuild it with: {command}", **facts)
        )


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
    strategy = service.strategy(service.rules(rules))
    strategy_table = STRATEGY_TABLES[what](strategy)
    write_output(output, FORMATS[chosen](strategy_table))
    if output != "-":
        click.echo(_("Wrote {output}", output=output))


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Return lines for `yatzy tables`.

    They have the name that --remove takes for each table, then the number and size of the tables.
    """
    from ...tablebase.store import short_names
    from ..views.wording import size_text

    now = time.time()
    names = short_names(entries)
    rows = []
    for entry in entries:
        age = _age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished", age=age)
        rows.append((names[entry.name], size_text(entry.bytes), state))
    lines = columns(rows, "<", ">8", "<", indent="") if rows else []
    total = ngettext(
        "{count} table, {size}, in {folder}",
        "{count} tables, {size}, in {folder}",
        len(entries),
        count=len(entries),
        size=size_text(sum(entry.bytes for entry in entries)),
        folder=folder,
    )
    return [*lines, total]


def _age_text(seconds: float) -> str:
    days, hours, minutes = (int(seconds // unit) for unit in (86_400, 3600, 60))
    if days:
        return ngettext("{count} day ago", "{count} days ago", days, count=days)
    if hours:
        return ngettext("{count} hour ago", "{count} hours ago", hours, count=hours)
    if minutes:
        return ngettext("{count} minute ago", "{count} minutes ago", minutes, count=minutes)
    return _("just now")
