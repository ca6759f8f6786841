"""What makes or checks something larger: solve, table, simulate, verify, completion."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ..console import RULES, SEED, language_option, make_desk, playing, solving, table_options


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option(
    "--what", type=click.Choice(["mean", "goals", "variance", "bonus"]), default="mean", show_default=True,
    help="Values; chances of every goal; variances of the final score; chances of the upper bonus.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Solve again even if there is a table.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before a solve beyond 2 GB or three minutes.")
@table_options
def solve(rules: str, what: str, force: bool, yes: bool, tables: str | None, threads: int | None) -> None:
    """Build a table of a rule set.

    A solve that was killed goes on where it had got to. Other commands solve what they need by themselves, but for
    the goals of a game that is too large for that.
    """
    from ..advice import open_strategy
    from ..objectives import BonusChance, Followed, Goals, Objective, Variance
    from ..rulefile import load_rules
    from ..store import has_table, solve_to_store, table_path
    from ..tables import check_memory

    rule_set = load_rules(rules)
    path = table_path(rule_set, tables, what)
    if has_table(rule_set, tables, what) and not force:
        click.echo(f"{rule_set.key} is solved already: {path} (--force to solve again)")
        return
    objective = Objective(rule_set)
    if what == "goals":
        objective = Goals(rule_set)
    elif what in ("variance", "bonus"):
        means = open_strategy(rule_set, tables, threads=threads, progress=solving(rule_set))
        followed: dict[str, type[Followed]] = {"variance": Variance, "bonus": BonusChance}
        objective = followed[what](rule_set, means.values)
    needs, announced = objective.needs(), None
    if what != "mean":  # that one has been asked for by name, and every other question needs it
        check_memory(rule_set, needs)
        announced = f"solving {rule_set.key} ({what}), {needs.words}" if needs.long else None
        if needs.large and not yes:
            confirm(f"{what} of {rule_set.key} takes {needs.words}")
    info = solve_to_store(objective, tables, threads=threads, progress=solving(rule_set, announced))
    if what == "mean":
        click.echo(f"Expected score of {rule_set.key} under perfect play: {info.start_value:.10f}")
    elif what == "bonus":
        click.echo(f"Chance of the upper bonus of {rule_set.key} under perfect play: {info.start_value:.10f}")
    elif info.start_value is not None:
        click.echo(f"Standard deviation of {rule_set.key} under perfect play: {info.start_value**0.5:.10f}")
    click.echo(f"{info.values:,} values in {info.seconds:.2f} s: {path}")


def confirm(cost: str) -> None:
    """Ask a person before something costly; a script has to say --yes."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{cost}; say --yes to have it", click.get_current_context())
    click.confirm(f"{cost}. Go on?", abort=True, err=True)


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option(
    "--what", type=click.Choice(["opening", "scoring", "categories"]), default="opening", show_default=True,
    help="Opening holds, first categories, or what each category is worth.",
)  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "json", "html", "parquet"]),
    default="md",
    show_default=True,
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write [standard output].")
@language_option
@table_options
def table(
    rules: str, what: str, form: str, output: str | None, lang: str, tables: str | None, threads: int | None
) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring --format html -o scoring.html
    """
    from ..views.sheets import FORMATS, SHEETS

    desk = make_desk(tables, threads, lang)
    sheet = SHEETS[what](desk.strategy(desk.rules(rules)))
    data = FORMATS[form](sheet)
    if output:
        try:
            Path(output).write_bytes(data.encode() if isinstance(data, str) else data)
        except OSError as error:
            raise click.ClickException(f"cannot write {output}: {error.strerror}") from error
    elif isinstance(data, bytes) and sys.stdout.isatty():
        raise click.UsageError("parquet is no text; give a file with -o", click.get_current_context())
    else:
        click.echo(data, nl=False)


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option(
    "--games", "-n", type=click.IntRange(1, 100_000_000), default=100_000, show_default=True, help="How many."
)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Of the dice.")
@click.option("--policy", "-p", default="mean", show_default=True, help="What is played for: mean, or goal:280.")
@click.option("--card", "-c", default="", metavar="CARD", help="Where every game starts.")
@click.option("--saved", type=click.IntRange(0), default=0, help="Saved rolls there.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False),
    help="Write the games: .csv, .parquet, or .jsonl with all dice.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@language_option
@table_options
def simulate(
    rules: str,
    games: int,
    seed: int,
    policy: str,
    card: str,
    saved: int,
    output: str | None,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Play games by a strategy, and say what came out.

    The dice depend on the seed, the game, the turn and the roll alone, so two policies meet the same dice.

    \b
      yatzy simulate yatzy --games 1000000
      yatzy simulate yatzy --policy goal:300 --output games.parquet
    """
    from ..simulation import run_simulation
    from ..views.games import check_output, simulation_text, write_games, write_records

    if output:
        check_output(output, games, policy, card)
    desk = make_desk(tables, threads, lang)
    request = {"rules": rules, "games": games, "seed": seed, "policy": policy, "card": card, "saved": saved}
    played, answer = run_simulation(desk, request, playing(games))
    if output and output.endswith(".jsonl"):
        write_records(output, desk.strategy(desk.rules(rules)), games, seed)
    elif output:
        write_games(output, desk.rules(rules), played, answer)
    if as_json:
        click.echo(json.dumps(answer))
    else:
        click.echo("\n".join(simulation_text(desk.rules(rules), answer)))


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option("--states", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="Random states.")
@click.option("--games", type=click.IntRange(0, 10_000_000), default=0, help="Also simulate so many games.")
@click.option("--seed", type=SEED, default=1, help="Seed of both.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@table_options
def verify(
    rules: str, states: int, games: int, seed: int, as_json: bool, tables: str | None, threads: int | None
) -> None:
    """Is this table right?

    Checksum, Bellman equation on random states, published value, and on request a simulation.
    """
    from dataclasses import asdict

    from .. import verify as verifying
    from ..rulefile import load_rules

    rule_set = load_rules(rules)
    checks = []
    for check in verifying.verify(rule_set, tables, states=states, games=games, seed=seed):
        checks.append(check)
        if not as_json:
            click.echo(f"{'ok    ' if check.passed else 'WRONG '} {check.name:<10}  {check.detail}")
    passed = all(check.passed for check in checks)
    if as_json:
        click.echo(
            json.dumps({"schema": 1, "rules": rule_set.key, "passed": passed, "checks": [*map(asdict, checks)]})
        )
    if not passed:
        raise click.ClickException(
            f"the table of {rule_set.key} is wrong; rebuild it with: yatzy solve {rules} --force"
        )


@click.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write [RULES.html].")
@language_option
@table_options
def guide(rules: str, output: str | None, lang: str, tables: str | None, threads: int | None) -> None:
    """Write a strategy guide to print.

    One HTML page: what to hold of every first roll, what to give up first, what the upper sum is worth. The
    browser prints it, or saves it as PDF.

    \b
      yatzy guide yatzy -o guide.html
    """
    from ..views.guide import guide as make_guide

    desk = make_desk(tables, threads, lang)
    page = make_guide(desk.strategy(desk.rules(rules)))
    place = Path(output or f"{Path(rules).stem}.html")
    try:
        place.write_text(page, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {place}: {error.strerror}") from error
    click.echo(f"Wrote {place}")
