"""`yatzy learn` finds a strategy that a person can play: prices for the boxes, and rules for the holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..._messages import _, number_text
from ...errors import StateError
from ..console import check_overwrite, echo_json
from ..options import SEED, UsageError, force_option, json_option, number_option, rules_argument, service_options

if TYPE_CHECKING:
    from ...policies.strategy_sheet import StrategySheet
    from ...service.queries import QueryService


@click.command()
@rules_argument
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="JSON file to write [next to the table].",
)  # fmt: skip
@number_option("--hold-rules", high=62, default=0, text="Also find up to N rules for the holds.")
@click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="Seed of the sampled games.")
@json_option
@force_option
@service_options
def learn(
    rules: str, output: Path | None, hold_rules: int, seed: int, as_json: bool, force: bool, service: QueryService
) -> None:
    """Find prices and rules that a person can play by.

    In each turn take the box with the most points minus its price. The prices are those with which this loses least
    against perfect play; how much, is computed exactly. Built-in rule sets have theirs in the package already.

    With --hold-rules also ordered lists of 5, 10 and up to N rules for the holds: the first one that fits says which
    dice to keep, so that nothing needs to be computed, and prices are round numbers. No hold by the longest list
    loses more than 10 points on any card, if such a list is found. For Yatzy and 16 rules this takes about half an
    hour.

    \b
      yatzy learn yatzy
      yatzy learn yatzy --hold-rules 16 -o my-yatzy.json
      yatzy learn house-rules.toml -o house-rules.json
    """
    from ...policies.sheet_search import learn_sheet, with_turn_losses
    from ...policies.strategy_sheet import sheet_path
    from ..progress import notes, progress, stderr_is_terminal, tell

    rule_set = service.rules(rules)
    path = output or sheet_path(rule_set, service.tables)
    if path.suffix.lower() != ".json":
        raise UsageError(_("{path} must end in .json", path=path))
    check_overwrite(str(path), force)
    if path.parent != Path() and path.exists() and not path.is_file():
        raise StateError(_("{path} is not a regular file", path=path))
    strategy, threads = service.strategy(rule_set), service.threads
    if not stderr_is_terminal():
        tell(_("yatzy: fitting prices for {rules}; this takes minutes", rules=rule_set.key))
    if hold_rules:
        tell(_("yatzy: then the rules for the holds are searched, which takes longer"))
    shown = progress(_("Fitting prices for {rules}", rules=rule_set.key))
    report = notes(_("Rules for the holds"))
    sheet = learn_sheet(strategy, hold_rules, seed=seed, threads=threads, progress=shown, report=report)
    sheet = with_turn_losses(sheet, service.tables, threads)  # for the chart of the guide
    sheet.save(path)
    if as_json:
        echo_json(sheet.to_json() | {"file": str(path)})
        return
    print_figures(rule_set.name, sheet, strategy.value())
    click.echo(_("Wrote {path}", path=path))


def print_figures(name: str, sheet: StrategySheet, best: float) -> None:
    """Print how good a sheet is, and each of its lists of rules for the holds; `best` is the mean of perfect play."""
    figures, of_prices = sheet.figures, float(sheet.figures["prices_mean"])
    mean = number_text(of_prices, 2)
    if "prices_mean_interval" in figures:
        mean += f" ± {number_text(figures['prices_mean_interval'], 2)}"
    click.echo(_("{rules}: mean {mean} with {count} numbers", rules=name, mean=mean, count=sheet.prices.n_numbers))
    text, share = _("Perfect play: {mean}; {difference} more ({share} % reached)"), 100 * of_prices / best
    difference = number_text(best - of_prices, 2)
    click.echo(text.format(mean=number_text(best, 2), difference=difference, share=number_text(share, 1)))
    for size in sheet.sizes:
        found = sheet.with_rules(size).figures
        text = _("With {count} rules for the holds and nothing computed: mean {mean}")
        click.echo(text.format(count=size, mean=number_text(found["mean"], 2)))
        if "worst" in found:
            text = _("  The most that a single hold by them loses: {worst}")
            click.echo(text.format(worst=number_text(found["worst"], 1)))
