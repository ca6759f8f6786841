"""`yatzy solve RULES --approximate`: a strategy with a certificate for games too large for an exact table.

With `--what goals`: estimates of the chances of goals, where the table of all goals is too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..._messages import _, number_text
from ..console import stage_progress

if TYPE_CHECKING:
    from ...approximation.goals import Begin
    from ...game.rules import RuleSet


def solve_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, seed: int, games: int, minutes: float, force: bool
) -> None:
    """Make the strategy and store it, with a line for each stage; print its certificate."""
    from ...approximation.solve import approximate
    from ...model.estimates import approximate_seconds, duration, gigabytes
    from ...strategy.fitted_file import fitted_path, has_fitted
    from ...strategy.opening import open_approximate
    from ...tablebase.store import has_table
    from ..views.wording import wrapped

    path = fitted_path(rules, tables)
    known = has_fitted(rules, tables) and not force
    if known:
        click.echo(
            _("{rules} has an approximate strategy: {path} (use --force to make it again)").format(
                rules=rules.key, path=path
            )
        )
        strategy = open_approximate(rules, tables)
    else:
        seconds = approximate_seconds(rules) + 60 * minutes
        click.echo(
            _("making an approximate strategy of {rules}, {time}").format(rules=rules.key, time=duration(seconds)),
            err=True,
        )
        report, options = stage_progress(), {"seed": seed, "games": games}
        strategy = approximate(rules, tables, minutes=minutes, threads=threads, report=report, force=force, **options)
    found = strategy.certificate
    click.echo(wrapped(f"{rules.name}: {found.sentence}"))
    if has_table(rules, tables):
        from ...strategy.opening import open_strategy

        click.echo(
            _("Exact expected score under perfect play: {value}").format(
                value=number_text(open_strategy(rules, tables).value(), 10)
            )
        )
    if not known:
        text = (
            _("{games} simulated games, {seconds} s, {memory} of memory: {path}")
            if found.memory
            else _("{games} simulated games, {seconds} s: {path}")
        )
        click.echo(
            text.format(
                games=number_text(found.games, grouped=True),
                seconds=number_text(found.seconds, 0),
                memory=gigabytes(found.memory),
                path=path,
            )
        )


def solve_goals_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, begin: Begin, seed: int, games: int, force: bool
) -> None:
    """Make the estimates and store them; measure the play for three goals by simulation."""
    from ...approximation.goals import goal_estimates_cost, measured_goals, solve_goal_estimates
    from ...model.estimates import gigabytes
    from ..views.wording import chance_text

    cost = goal_estimates_cost(rules)
    found = solve_goal_estimates(rules, tables, threads=threads, begin=begin, force=force)
    click.echo(
        _("Estimates of all goals of {rules}: {size} in {count} tables").format(
            rules=rules.key, size=gigabytes(cost.bytes), count=len(found)
        )
    )
    click.echo(
        _("goal  estimate  simulated ({games} games, 99 % interval)  play for the expected score").format(
            games=number_text(games, grouped=True)
        )
    )
    for goal in measured_goals(rules, tables, games=games, seed=seed, threads=threads):
        low, high = goal.interval99
        text = _("{chance} ({low} to {high})")
        figures = text.format(chance=chance_text(goal.chance), low=chance_text(low), high=chance_text(high))
        click.echo(f"{goal.goal:>4}  {chance_text(goal.estimate):>8}  {figures:<40}  {chance_text(goal.by_mean)}")
