"""`yatzy table` writes a strategy table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ..console import check_overwrite, file_format, write_output
from ..options import UsageError, force_option, language_option, output_option, rules_argument, service_options

if TYPE_CHECKING:
    from ...service.queries import QueryService


@click.command()
@rules_argument
@click.option(
    "--what", type=click.Choice(["opening", "scoring", "categories"]), default="opening", show_default=True,
    help="Holds of the first turn, categories for the first turn, or the value of each category.",
)  # fmt: skip
@click.option(
    "--format", "given_format", type=click.Choice(["md", "csv", "json", "html", "parquet"]),
    help="Output format [from the suffix of the file, else md].",
)  # fmt: skip
@output_option("File to write [standard output].", default="-")
@force_option
@language_option
@service_options
def table(rules: str, what: str, given_format: str | None, output: str, force: bool, service: QueryService) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring -o scoring.html
    """
    from ..views.strategy_tables import FORMATS, STRATEGY_TABLES

    chosen = file_format(output, {name: name for name in FORMATS}, given_format, any_suffix=True)
    if chosen == "parquet" and output == "-" and sys.stdout.isatty():
        raise UsageError(_("Parquet is a binary format; write it to a file with --output"))
    check_overwrite(output, force)
    strategy_table = STRATEGY_TABLES[what](service.strategy(service.rules(rules)))
    write_output(output, FORMATS[chosen](strategy_table))
