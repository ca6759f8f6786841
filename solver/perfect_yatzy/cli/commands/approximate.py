"""`yatzy solve RULES --approximate`: a strategy with a certificate for games too large for an exact table.

With `--what goals`: estimates of the chances of goals, where the table of all goals is too large.
"""

from __future__ import annotations

import click

from ..._messages import _, number_text
from ...approximation.goals import Begin, goal_estimates_cost, measured_goals, solve_goal_estimates
from ...approximation.solve import UNIT, approximate
from ...game.rules import RuleSet
from ...model.approximate_cost import approximate_seconds
from ...model.estimates import duration, gigabytes
from ...strategy.fitted_file import fitted_path, has_fitted
from ...strategy.opening import open_approximate, open_strategy
from ...tablebase.backward_induction import default_threads
from ...tablebase.store import has_table
from ..progress import StageProgress
from ..views.wording import chance_text, wrapped


def solve_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, seed: int, games: int, work: float,
    minutes: float | None, force: bool,
) -> None:  # fmt: skip
    """Make the strategy and store it, with a line for each stage; print its certificate."""
    path = fitted_path(rules, tables)
    known = has_fitted(rules, tables) and not force
    if known:
        text = _("{rules} has an approximate strategy: {path} (use --force to make it again)")
        click.echo(text.format(rules=rules.key, path=path))
        strategy = open_approximate(rules, tables)
    else:
        seconds = approximate_seconds(
            rules, work=UNIT * work, games=games, minutes=minutes, threads=threads or default_threads()
        )
        text = _("making an approximate strategy of {rules}, {time}")
        click.echo(text.format(rules=rules.key, time=duration(sum(seconds.values()))), err=True)
        strategy = approximate(
            rules, tables, seed=seed, games=games, work=work, minutes=minutes, threads=threads,
            report=StageProgress(rules.key, seconds), force=force,
        )  # fmt: skip
    found = strategy.certificate
    click.echo(wrapped(f"{rules.name}: {found.sentence}"))
    if has_table(rules, tables):
        value = number_text(open_strategy(rules, tables).value(), 10)
        click.echo(_("Exact expected score under perfect play: {value}", value=value))
    if not known:
        text = _("{games} simulated games, {seconds} s: {path}")
        if found.memory:
            text = _("{games} simulated games, {seconds} s, {memory} of memory: {path}")
        count, took = number_text(found.games, grouped=True), number_text(found.seconds, 0)
        click.echo(text.format(games=count, seconds=took, memory=gigabytes(found.memory), path=path))


def solve_goals_approximately(
    rules: RuleSet, tables: str | None, threads: int | None, begin: Begin, seed: int, games: int, force: bool
) -> None:
    """Make the estimates and store them; measure the play for three goals by simulation."""
    size = gigabytes(goal_estimates_cost(rules).bytes)
    count = len(solve_goal_estimates(rules, tables, threads=threads, begin=begin, force=force))
    click.echo(
        _("Estimates of all goals of {rules}: {size} in {count} tables", rules=rules.key, size=size, count=count)
    )
    text = _("goal  estimate  simulated ({games} games, 99 % interval)  play for the expected score")
    click.echo(text.format(games=number_text(games, grouped=True)))
    for goal in measured_goals(rules, tables, games=games, seed=seed, threads=threads):
        chance, low, high = map(chance_text, (goal.chance, *goal.interval99))
        figures = _("{chance} ({low} to {high})", chance=chance, low=low, high=high)
        click.echo(f"{goal.goal:>4}  {chance_text(goal.estimate):>8}  {figures:<40}  {chance_text(goal.by_mean)}")
