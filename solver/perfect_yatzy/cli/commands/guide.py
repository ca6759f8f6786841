"""The commands `yatzy learn` and `yatzy guide`, which find and print strategies for people."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from ...errors import StateError
from ...settings import Settings
from ...words import N_, _, number_text
from .. import options
from ..console import cannot_write, check_overwrite, echo_json, file_format, write_output

if TYPE_CHECKING:
    from ...policies.strategy_sheet import StrategySheet
    from ...service.queries import QueryService

FORMATS = {"txt": "txt", "html": "html", "htm": "html"}  # by suffix
NO_PDF = N_("a guide cannot be written as PDF; write HTML and print it from a browser")


class GuideFormat(click.Choice[str]):
    """The formats of a guide. PDF was one of them, and its refusal says what to do instead."""

    def get_invalid_choice_message(self, value: str, ctx: click.Context | None) -> str:
        """Return what is wrong with a format."""
        if value == "pdf":
            return _(NO_PDF)  # marked elsewhere
        return super().get_invalid_choice_message(value, ctx)


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@options.output_option("File to write: .html or .txt [standard output].", default="-")
@options.format_option("txt", "html", choice=GuideFormat)
@click.option("--card", is_flag=True, help="Only the prices and rules, on a card of A6 to carry.")
@click.option(
    "--sheet",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Strategy sheet that `yatzy learn` has written [the one of the rules].",
)
@options.number_option(
    "--hold-rules",
    low=1,
    text="How many rules for the holds: 5, 10 or 16 [10, then 16; on a card 5].",
)
@options.force_option
@options.language_option
@options.service_options
def guide(
    rules: str,
    output: str,
    given_format: str | None,
    card: bool,
    sheet: str | None,
    hold_rules: int | None,
    force: bool,
    service: QueryService,
) -> None:
    """Print a strategy guide: how to play well without a computer.

    A price for each box, rules for what to hold, what to give up when nothing fits, worked
    examples, and how good it all is, exactly; then what perfect play holds of every first roll. A
    browser prints the HTML on two pages of A4.

    \b
      yatzy guide yatzy
      yatzy guide yatzy -o guide.html --lang sv
      yatzy guide yatzy --card --hold-rules 5 -o card.html
    """
    from ...policies.guide import make_guide
    from ...policies.sheet_search import losses_by_turn
    from ...policies.strategy_sheet import StrategySheet, find_sheet
    from ..progress import evaluating
    from ..views.guide_content import guide_content
    from ..views.guide_pages import guide_html, guide_text

    if Path(output).suffix.lower() == ".pdf":
        raise click.UsageError(_(NO_PDF))  # marked elsewhere
    chosen = file_format(output, FORMATS, given_format)
    check_overwrite(force, output)
    rule_set = service.rules(rules)
    tables = service.settings.tables
    names = {"rule_set": rule_set.key, "rules": rules}
    learned = StrategySheet.load(sheet, rule_set) if sheet else find_sheet(rule_set, tables)
    if card and learned is None:
        text = _(
            "a card needs learned prices, and {rule_set} has none; find them with: yatzy learn {rules}"
        )
        raise StateError(text.format(**names))
    if hold_rules is not None:
        if learned is None or not learned.holds:
            text = _(
                "{rule_set} has no rules for the holds; find some with: yatzy learn {rules} --hold-rules 16"
            )
            raise StateError(text.format(**names))
        learned = learned.with_rules(hold_rules)
    shown, longer = chosen_lists(learned, card)
    strategy = service.strategy(rule_set)
    # On paper there is a chart of the losses. In the terminal they are not worth the seconds that
    # they take.
    losses = None
    if shown and not card and chosen != "txt":
        losses = losses_by_turn(Settings(tables, service.settings.threads, evaluating()), shown)
    content = guide_content(make_guide(strategy, shown, losses), longer)
    render = {"html": guide_html, "txt": guide_text}
    write_output(output, render[chosen](content, card))
    if output != "-":
        click.echo(_("Wrote {output}", output=output))


def chosen_lists(
    sheet: StrategySheet | None, card: bool
) -> tuple[StrategySheet | None, StrategySheet | None]:
    """Return the sheet with the list of hold rules that comes first, and with the one after it.

    On a card there is only the shortest list. In a guide the longest of the shorter lists comes
    first, and then the longest.
    """
    if sheet is None or not sheet.shorter:
        return sheet, None
    *shorter, longest = sheet.sizes
    if card:
        return sheet.with_rules(shorter[0]), None
    return sheet.with_rules(shorter[-1]), sheet.with_rules(longest)


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON file to write [next to the table].",
)
@options.number_option(
    "--hold-rules", high=62, default=0, text="Also find up to N rules for the holds."
)
@options.seed_option("Seed of the sampled games.")
@options.json_option
@options.force_option
@options.service_options
def learn(
    rules: str,
    output: Path | None,
    hold_rules: int,
    seed: int,
    as_json: bool,
    force: bool,
    service: QueryService,
) -> None:
    """Find prices and rules that a person can play by.

    In each turn take the box with the most points minus its price. The prices are those with which
    this loses least against perfect play; how much, is computed exactly. Built-in rule sets have
    theirs in the package already.

    With --hold-rules also ordered lists of 5, 10 and up to N rules for the holds: the first one
    that fits says which dice to keep, so that nothing needs to be computed, and prices are round
    numbers. Lists are chosen by the mean that they score. For Yatzy and 16 rules this takes about
    half an hour.

    \b
      yatzy learn yatzy
      yatzy learn yatzy --hold-rules 16 -o my-yatzy.json
      yatzy learn house-rules.toml -o house-rules.json
    """
    from ...policies.sheet_search import learn_sheet, with_turn_losses
    from ...policies.strategy_sheet import sheet_path
    from ..progress import evaluating, progress, stderr_is_terminal, tell

    rule_set = service.rules(rules)
    path = output or sheet_path(rule_set, service.settings.tables)
    if path.suffix.lower() != ".json":
        raise click.UsageError(_("{path} must end in .json", path=path))
    if path.parent != Path() and os.path.exists(path) and not os.path.isfile(path):
        raise StateError(_("{path} is not a regular file", path=path))
    make_folder_of(path)
    check_overwrite(force, str(path))
    strategy = service.strategy(rule_set)
    threads = service.settings.threads
    if not stderr_is_terminal():
        tell(_("yatzy: fitting prices for {rules}; this takes minutes", rules=rule_set.key))
    if hold_rules:
        tell(_("yatzy: then the rules for the holds are searched, which takes longer"))
    shown = progress(_("Fitting prices for {rules}", rules=rule_set.key))
    label = _("Rules for the holds")
    began = monotonic()
    report = lambda line: tell(f"yatzy: {label}: {line.strip()}", began)  # noqa: E731
    sheet = learn_sheet(
        Settings(threads=threads, progress=shown), strategy, hold_rules, seed=seed, report=report
    )
    # The losses by turn are for the chart of the guide.
    sheet = with_turn_losses(Settings(service.settings.tables, threads, evaluating()), sheet)
    sheet.save(path)
    if as_json:
        echo_json(sheet.to_json() | {"file": str(path)})
        return
    print_figures(rule_set.name, sheet, strategy.value())
    click.echo(_("Wrote {path}", path=path))


def make_folder_of(path: Path) -> None:
    """Make the folder of a file before long work.

    Raises ClickException if it cannot be made or written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise cannot_write(path, error) from error


def print_figures(name: str, sheet: StrategySheet, best: float) -> None:
    """Print how good a sheet is, and each of its lists of rules for the holds.

    `best` is the mean of perfect play.
    """
    from ..views.wording import rounded_up

    figures = sheet.figures
    of_prices = float(figures["prices_mean"])
    mean = number_text(of_prices, 2)
    if "prices_mean_interval" in figures:
        mean += f" ± {number_text(figures['prices_mean_interval'], 2)}"
    click.echo(
        _(
            "{rules}: mean {mean} with {count} numbers",
            rules=name,
            mean=mean,
            count=sheet.prices.n_numbers,
        )
    )
    difference = number_text(best - of_prices, 2)
    share = number_text(100 * of_prices / best, 1)
    text = _("Perfect play: {mean}; {difference} more ({share} % reached)")
    click.echo(text.format(mean=number_text(best, 2), difference=difference, share=share))
    for size in sheet.sizes:
        of_list = sheet.with_rules(size).figures
        text = _("With {count} rules for the holds and nothing computed: mean {mean}")
        click.echo(text.format(count=size, mean=number_text(of_list["mean"], 2)))
        if "worst" in of_list:
            worst = number_text(rounded_up(of_list["worst"], 1), 1)
            click.echo(_("  The most that a single hold by them loses: {worst}", worst=worst))
