"""`yatzy tables` lists, removes and fetches stored tables; `yatzy table` writes a strategy table."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import _, ngettext
from .. import options
from ..console import check_overwrite, echo_answer, echo_lines, file_format, write_output
from ..options import RULES, KnownWords, UsageError, stored_tables

if TYPE_CHECKING:
    from ...service.queries import QueryService
    from ...tablebase.store import TableEntry


@click.command()
@click.option(
    "--remove", "name", type=KnownWords(stored_tables, "table"), metavar="NAME",
    help="Remove a table, or all tables of a rule set; asks first.",
)  # fmt: skip
@click.option(
    "--clean", is_flag=True,
    help="Remove leftover files of interrupted solves, which then begin anew, and kernels that other versions "
    "compiled.",
)  # fmt: skip
@click.option(
    "--fetch", type=RULES, metavar="RULES",
    help="Take the table of a rule set from --from, after a check of hashes, rules and values.",
)  # fmt: skip
@click.option("--from", "source", metavar="FOLDER", help="With --fetch: a tables folder, or the URL of one.")
@click.option("--yes", "-y", is_flag=True, help="With --remove: without a confirmation.")
@options.tables_option
@options.json_option
def tables(
    name: str | None, clean: bool, fetch: str | None, source: str | None, yes: bool, tables: str | None, as_json: bool
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
        raise UsageError(_("--fetch and --from go together"))
    if fetch is not None and source is not None:
        from ...game.rule_loader import load_rules
        from ...strategy.verify import fetch as take

        click.echo(_("Wrote {path}").format(path=take(load_rules(fetch), source, tables)))
        return
    entries, folder = store.stored(tables), tables_folder(tables)
    if clean:
        from ...kernels.jit import old_caches

        files, caches = store.remove_leftovers(tables), old_caches()
        for cache in caches:
            shutil.rmtree(cache, ignore_errors=True)
        text = _("Removed {files} leftover files and {caches} folders of compiled kernels")
        click.echo(text.format(files=len(files), caches=len(caches)))
    if name is not None:
        chosen = store.matching(entries, name)
        if not chosen:
            raise UsageError(_("there is no table {name}; `yatzy tables` lists all tables", name=repr(name)))
        echo_lines(f"{entry.name}  {size_text(entry.bytes)}" for entry in chosen)
        if yes or click.confirm(_("Remove from disk?"), err=True):
            store.remove(*chosen)
    if not clean and name is None:
        fields = [
            {"name": each.name, "rules": each.key, "what": each.objective, "finished": each.finished}
            | {"bytes": each.bytes, "written": round(each.written)}  # in seconds since 1970
            for each in entries
        ]
        lines, size = stored_tables_lines(entries, folder), sum(entry.bytes for entry in entries)
        echo_answer(lines, as_json, folder=str(folder), bytes=size, tables=fields)


@click.command()
@options.rules_argument
@click.option(
    "--what", type=click.Choice(["opening", "scoring", "categories"]), default="opening", show_default=True,
    help="Holds of the first turn, categories for the first turn, or the value of each category.",
)  # fmt: skip
@click.option(
    "--format", "given_format", type=click.Choice(["md", "csv", "json", "html", "parquet"]),
    help="Output format [from the suffix of the file, else md].",
)  # fmt: skip
@options.output_option("File to write [standard output].", default="-")
@options.force_option
@options.language_option
@options.service_options
def table(rules: str, what: str, given_format: str | None, output: str, force: bool, service: QueryService) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring -o scoring.html
    """
    from ..views.strategy_tables import FORMATS, STRATEGY_TABLES

    chosen = file_format(output, {name: name for name in FORMATS}, given_format, any_suffix=True)
    if chosen == "parquet" and output == "-" and sys.stdout.isatty():
        raise UsageError(_("Parquet is a binary format; write it to a file with --output"))
    check_overwrite(force, output)
    strategy_table = STRATEGY_TABLES[what](service.strategy(service.rules(rules)))
    write_output(output, FORMATS[chosen](strategy_table))


def stored_tables_lines(entries: list[TableEntry], folder: Path) -> list[str]:
    """Lines for `yatzy tables`: for each table the name that --remove takes; then their number and size."""
    from ...tablebase.store import short_names
    from ..views.wording import columns, size_text

    now, names, rows = time.time(), short_names(entries), []
    for entry in entries:
        age = _age_text(now - entry.written)
        state = age if entry.finished else _("{age}, unfinished", age=age)
        rows.append((names[entry.name], size_text(entry.bytes), state))
    lines = columns(rows, "<", ">8", "<", indent="") if rows else []
    facts = {"count": len(entries), "size": size_text(sum(entry.bytes for entry in entries)), "folder": folder}
    total = ngettext(
        "{count} table, {size}, in {folder}", "{count} tables, {size}, in {folder}", len(entries), **facts
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
