"""`yatzy table` writes a strategy table."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..._messages import _
from ..console import check_overwrite, format_from_suffix, query_service, write_output
from ..options import force_option, language_option, rules_argument, table_options


@click.command()
@rules_argument
@click.option(
    "--what", type=click.Choice(["opening", "scoring", "categories"]), default="opening", show_default=True,
    help="Holds of the first turn, categories for the first turn, or the value of each category.",
)  # fmt: skip
@click.option(
    "--format", "file_format", type=click.Choice(["md", "csv", "json", "html", "parquet"]),
    help="Output format [from the suffix of the file, else md].",
)  # fmt: skip
@click.option("--output", "-o", default="-", type=click.Path(dir_okay=False), help="File to write [standard output].")
@force_option
@language_option
@table_options
def table(
    rules: str,
    what: str,
    file_format: str | None,
    output: str,
    force: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring -o scoring.html
    """
    from ..views.strategy_tables import FORMATS, STRATEGY_TABLES

    context = click.get_current_context()
    suffix = Path(output).suffix[1:].lower()
    if file_format is None:
        file_format = "md" if output == "-" else format_from_suffix(output, FORMATS)
    elif suffix in FORMATS and suffix != file_format:
        raise click.UsageError(
            _("the suffix of {path} contradicts --format {format}").format(path=output, format=file_format),
            context,
        )
    if file_format == "parquet" and output == "-" and sys.stdout.isatty():
        raise click.UsageError(_("Parquet is a binary format; write it to a file with --output"), context)
    check_overwrite(output, force)
    service = query_service(tables, threads, lang)
    strategy_table = STRATEGY_TABLES[what](service.strategy(service.rules(rules)))
    write_output(output, FORMATS[file_format](strategy_table))
