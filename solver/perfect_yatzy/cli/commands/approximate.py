"""`yatzy solve RULES --approximate`: a strategy with a certificate for games too large for an exact table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..console import stage_progress

if TYPE_CHECKING:
    from ...approximation.solve import Settings
    from ...game.rules import RuleSet


def solve_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, settings: Settings, force: bool
) -> None:
    """Make the strategy and store it, with a line for each stage; print its certificate."""
    from ...approximation.solve import approximate
    from ...model.estimates import approximate_seconds, duration
    from ...strategy.fitted_file import fitted_path, has_fitted
    from ...strategy.opening import open_approximate
    from ...tablebase.store import has_table
    from ..views.wording import wrapped

    path = fitted_path(rules, tables)
    known = has_fitted(rules, tables) and not force
    if known:
        click.echo(f"{rules.key} has an approximate strategy: {path} (use --force to make it again)")
        strategy = open_approximate(rules, tables)
    else:
        seconds = approximate_seconds(rules)
        click.echo(f"making an approximate strategy of {rules.key}, {duration(seconds)}", err=True)
        strategy = approximate(
            rules, tables, settings=settings, threads=threads, report=stage_progress(), force=force
        )
    found = strategy.certificate
    click.echo(wrapped(f"{rules.name}: {found.sentence}"))
    if has_table(rules, tables):
        from ...strategy.opening import open_strategy

        click.echo(f"Exact expected score under perfect play: {open_strategy(rules, tables).value():.10f}")
    if not known:
        memory = f", {found.memory / 1e9:.2f} GB of memory" if found.memory else ""
        click.echo(f"{found.games:,} simulated games, {found.seconds:.0f} s{memory}: {path}")
