"""`yatzy guide` prints a strategy guide: prices and rules that a person can play by, on paper or in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ...errors import StateError
from ..console import check_overwrite, format_from_suffix, query_service, write_output
from ..options import force_option, language_option, rules_argument, table_options

if TYPE_CHECKING:
    from ..views.guide_content import GuideContent

SUFFIXES = {"txt": "txt", "html": "html", "htm": "html", "pdf": "pdf"}


@click.command()
@rules_argument
@click.option(
    "--output", "-o", default="-", type=click.Path(dir_okay=False),
    help="File to write: .html, .pdf or .txt [standard output].",
)  # fmt: skip
@click.option(
    "--format", "file_format", type=click.Choice(["txt", "html", "pdf"]),
    help="Output format [from the suffix of the file, else txt].",
)  # fmt: skip
@click.option("--card", is_flag=True, help="Only the prices and rules, on a card of A6 to carry.")
@click.option(
    "--sheet", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
    help="Strategy sheet that `yatzy learn` has written [the one of the rules].",
)  # fmt: skip
@force_option
@language_option
@table_options
def guide(
    rules: str,
    output: str,
    file_format: str | None,
    card: bool,
    sheet: str | None,
    force: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Print a strategy guide: how to play well without a computer.

    A price for each box, rules for what to hold, what to give up when nothing fits, worked examples, and how good it
    all is, exactly; then what perfect play holds of every first roll. HTML and PDF are two pages of A4 to print.

    \b
      yatzy guide yatzy
      yatzy guide yatzy -o guide.pdf --lang sv
      yatzy guide yatzy --card -o card.pdf
    """
    from ...policies.guide import make_guide
    from ...policies.sheet_losses import turn_losses
    from ...policies.strategy_sheet import StrategySheet, find_sheet
    from ..views.guide_content import guide_content

    context = click.get_current_context()
    if output != "-":
        suffix = SUFFIXES[format_from_suffix(output, SUFFIXES)]
        if file_format not in (None, suffix):
            raise click.UsageError(
                _("the suffix of {path} contradicts --format {format}").format(path=output, format=file_format),
                context,
            )
        file_format = suffix
    if file_format == "pdf" and output == "-" and sys.stdout.isatty():
        raise click.UsageError(_("PDF is a binary format; write it to a file with --output"), context)
    check_overwrite(output, force)
    if file_format == "pdf":
        from ..views.pdf_paper import check_pdf

        check_pdf()
    service = query_service(tables, threads, lang)
    rule_set = service.rules(rules)
    learned = StrategySheet.load(sheet, rule_set) if sheet else find_sheet(rule_set, tables)
    if card and learned is None:
        raise StateError(
            _("a card needs learned prices, and {rule_set} has none; find them with: yatzy learn {rules}").format(
                rule_set=rule_set.key, rules=rules
            )
        )
    strategy = service.strategy(rule_set)
    # On paper there is a chart of the losses; in the terminal the seconds they take would be a nuisance.
    with_chart = not card and file_format in ("html", "pdf")
    losses = turn_losses(learned, tables, threads) if learned and with_chart else None
    content = guide_content(make_guide(strategy, learned, losses))
    write_output(output, _rendered(content, file_format or "txt", card))
    if output != "-":
        click.echo(_("Wrote {output}").format(output=output))


def _rendered(content: GuideContent, file_format: str, card: bool) -> str | bytes:
    if file_format == "pdf":
        from ..views.guide_pdf import guide_pdf

        return guide_pdf(content, card)
    if file_format == "html":
        from ..views.guide import guide_html

        return guide_html(content, card)
    from ..views.guide_text import guide_text

    return guide_text(content, card)
