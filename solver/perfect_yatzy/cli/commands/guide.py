"""`yatzy guide` prints a strategy guide: prices and rules that a person can play by, on paper or in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ...errors import StateError
from ..console import check_overwrite, file_format, write_output
from ..options import (
    UsageError,
    force_option,
    language_option,
    number_option,
    output_option,
    rules_argument,
    service_options,
)

if TYPE_CHECKING:
    from ...service.queries import QueryService
    from ..views.guide_content import GuideContent

FORMATS = {"txt": "txt", "html": "html", "htm": "html", "pdf": "pdf"}  # by suffix


@click.command()
@rules_argument
@output_option("File to write: .html, .pdf or .txt [standard output].", default="-")
@click.option(
    "--format", "given_format", type=click.Choice(["txt", "html", "pdf"]),
    help="Output format [from the suffix of the file, else txt].",
)  # fmt: skip
@click.option("--card", is_flag=True, help="Only the prices and rules, on a card of A6 to carry.")
@click.option(
    "--sheet", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
    help="Strategy sheet that `yatzy learn` has written [the one of the rules].",
)  # fmt: skip
@number_option("--hold-rules", low=1, text="How many rules for the holds: 5, 10 or 16 [the most that the sheet has].")
@force_option
@language_option
@service_options
def guide(
    rules: str, output: str, given_format: str | None, card: bool, sheet: str | None, hold_rules: int | None,
    force: bool, service: QueryService,
) -> None:  # fmt: skip
    """Print a strategy guide: how to play well without a computer.

    A price for each box, rules for what to hold, what to give up when nothing fits, worked examples, and how good it
    all is, exactly; then what perfect play holds of every first roll. HTML and PDF are two pages of A4 to print.

    \b
      yatzy guide yatzy
      yatzy guide yatzy -o guide.pdf --lang sv
      yatzy guide yatzy --card --hold-rules 5 -o card.pdf
    """
    from ...policies.guide import make_guide
    from ...policies.sheet_search import turn_losses
    from ...policies.strategy_sheet import StrategySheet, find_sheet
    from ..views.guide_content import guide_content

    chosen = file_format(output, FORMATS, given_format)
    if chosen == "pdf" and output == "-" and sys.stdout.isatty():
        raise UsageError(_("PDF is a binary format; write it to a file with --output"))
    check_overwrite(output, force)
    if chosen == "pdf":
        from ..views.pdf_paper import check_pdf

        check_pdf()
    rule_set, tables = service.rules(rules), service.tables
    names = {"rule_set": rule_set.key, "rules": rules}
    learned = StrategySheet.load(sheet, rule_set) if sheet else find_sheet(rule_set, tables)
    if card and learned is None:
        text = _("a card needs learned prices, and {rule_set} has none; find them with: yatzy learn {rules}")
        raise StateError(text.format(**names))
    if hold_rules is not None:
        if learned is None or not learned.holds:
            text = _("{rule_set} has no rules for the holds; find some with: yatzy learn {rules} --hold-rules 16")
            raise StateError(text.format(**names))
        learned = learned.with_rules(hold_rules)
    strategy = service.strategy(rule_set)
    # On paper there is a chart of the losses; in the terminal the seconds they take would be a nuisance.
    losses = turn_losses(learned, tables, service.threads) if learned and not card and chosen != "txt" else None
    write_output(output, _rendered(guide_content(make_guide(strategy, learned, losses)), chosen, card))
    if output != "-":
        click.echo(_("Wrote {output}", output=output))


def _rendered(content: GuideContent, chosen: str, card: bool) -> str | bytes:
    if chosen == "pdf":
        from ..views.guide_pdf import guide_pdf

        return guide_pdf(content, card)
    if chosen == "html":
        from ..views.guide import guide_html

        return guide_html(content, card)
    from ..views.guide_text import guide_text

    return guide_text(content, card)
