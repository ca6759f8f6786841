"""`yatzy learn` finds a strategy that a person can play: prices for the boxes, and rules for the holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..._messages import _, number_text
from ...errors import StateError
from ..console import check_overwrite, progress_bar, query_service, stderr_is_terminal
from ..options import SEED, force_option, json_option, rules_argument, table_options

if TYPE_CHECKING:
    from ...policies.hold_rules import HoldRule


@click.command()
@rules_argument
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="JSON file to write [next to the table].",
)  # fmt: skip
@click.option(
    "--hold-rules", type=click.IntRange(0, 62), metavar="N", default=0, show_default=True,
    help="Also find up to N rules for the holds.",
)  # fmt: skip
@click.option("--seed", type=SEED, metavar="N", default=1, show_default=True, help="Seed of the sampled games.")
@json_option
@force_option
@table_options
def learn(
    rules: str,
    output: Path | None,
    hold_rules: int,
    seed: int,
    as_json: bool,
    force: bool,
    tables: str | None,
    threads: int | None,
) -> None:
    """Find prices and rules that a person can play by.

    In each turn take the box with the most points minus its price. The prices are those with which this loses least
    against perfect play; how much, is computed exactly. Built-in rule sets have theirs in the package already.

    With --hold-rules also an ordered list of rules for the holds: the first one that fits says which dice to keep, so
    that nothing needs to be computed. For Yatzy and 15 rules this takes about a quarter of an hour.

    \b
      yatzy learn yatzy
      yatzy learn yatzy --hold-rules 15 -o my-yatzy.json
      yatzy learn house-rules.toml -o house-rules.json
    """
    from ...policies.price_fit import fit_prices
    from ...policies.rule_search import learn_holds
    from ...policies.sheet_losses import with_turn_losses
    from ...policies.strategy_sheet import StrategySheet, price_figures, sheet_path

    service = query_service(tables, threads, "en")
    rule_set = service.rules(rules)
    path = output or sheet_path(rule_set, tables)
    if path.suffix.lower() != ".json":
        raise click.UsageError(_("{path} must end in .json").format(path=path), click.get_current_context())
    check_overwrite(str(path), force)
    if path.parent != Path() and path.exists() and not path.is_file():
        raise StateError(_("{path} is not a regular file").format(path=path))
    strategy = service.strategy(rule_set)
    if not stderr_is_terminal():
        click.echo(_("yatzy: fitting prices for {rules}; this takes minutes").format(rules=rule_set.key), err=True)
    progress = (
        progress_bar(_("Fitting prices for {rules}").format(rules=rule_set.key)) if stderr_is_terminal() else None
    )
    fit = fit_prices(rule_set, strategy.table, seed=seed, threads=threads, progress=progress)
    figures = price_figures(strategy.value(), fit.mean, fit.interval)
    holds: tuple[HoldRule, ...] = ()
    if hold_rules:
        found = learn_holds(fit.sheet, hold_rules, seed=seed, threads=threads)
        holds, figures = found.holds, figures | found.figures()
    sheet = StrategySheet(rule_set, fit.sheet, holds, figures)
    sheet = with_turn_losses(sheet, tables, threads)  # for the chart of the guide
    sheet.save(path)
    if as_json:
        click.echo(json.dumps(sheet.to_json() | {"file": str(path)}))
        return
    mean = number_text(fit.mean, 2)
    if fit.interval:
        mean += f" ± {number_text(figures['prices_mean_interval'], 2)}"
    click.echo(
        _("{rules}: mean {mean} with {count} numbers").format(
            rules=rule_set.name, mean=mean, count=fit.sheet.n_numbers
        )
    )
    share = 100 * fit.mean / strategy.value()
    click.echo(
        _("Perfect play: {mean}; {difference} more ({share} % reached)").format(
            mean=number_text(strategy.value(), 2),
            difference=number_text(strategy.value() - fit.mean, 2),
            share=number_text(share, 1),
        )
    )
    if holds:
        click.echo(
            _("With {count} rules for the holds and nothing computed: mean {mean}").format(
                count=len(holds), mean=number_text(figures["mean"], 2)
            )
        )
    click.echo(_("Wrote {path}").format(path=path))
