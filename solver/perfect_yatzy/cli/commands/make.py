"""What makes, checks or removes something larger: solve, table, tables, guide, simulate, verify."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import click

from ..._version import ANSWER_SCHEMA
from ..console import (
    SEED,
    form_of,
    language_option,
    playing,
    query_service,
    rules_argument,
    solving,
    table_options,
    write_output,
)


@click.command()
@rules_argument
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
    from ...game.rule_loader import load_rules
    from ...model.objectives import BonusChance, Goals, Objective, PolicyQuantity, Variance
    from ...strategy.strategy import open_strategy
    from ...tablebase.memory import check_memory
    from ...tablebase.store import has_table, solve_to_store, table_path

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
        followed: dict[str, type[PolicyQuantity]] = {"variance": Variance, "bonus": BonusChance}
        objective = followed[what](rule_set, means.table)
    needs, announced = objective.needs(), None
    if what != "mean":  # that one has been asked for by name, and every other question needs it
        check_memory(rule_set, needs)
        announced = f"solving {rule_set.key} ({what}), {needs.words}" if needs.long else None
        if needs.large and not yes:
            confirm(f"{what} of {rule_set.key} takes {needs.words}")
    show = solving(rule_set, announced)
    info = solve_to_store(objective, tables, threads=threads, progress=show, missing_only=not force)
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
@rules_argument
@click.option(
    "--what", type=click.Choice(["opening", "scoring", "categories"]), default="opening", show_default=True,
    help="Opening holds, first categories, or what each category is worth.",
)  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "json", "html", "parquet"]),
    help="[by the file's ending, or md]",
)
@click.option("--output", "-o", default="-", type=click.Path(dir_okay=False), help="File to write [standard output].")
@language_option
@table_options
def table(
    rules: str, what: str, form: str | None, output: str, lang: str, tables: str | None, threads: int | None
) -> None:
    """Print a strategy table.

    \b
      yatzy table yatzy --what scoring -o scoring.html
    """
    from ..views.sheets import FORMATS, SHEETS

    context = click.get_current_context()
    ending = Path(output).suffix[1:].lower()
    if form is None:
        form = "md" if output == "-" else form_of(output, FORMATS)
    elif ending in FORMATS and ending != form:
        raise click.UsageError(f"{output} does not go with --format {form}", context)
    if form == "parquet" and output == "-" and sys.stdout.isatty():
        raise click.UsageError("parquet is no text; give a file with -o", context)
    desk = query_service(tables, threads, lang)
    write_output(output, FORMATS[form](SHEETS[what](desk.strategy(desk.rules(rules)))))


@click.command()
@rules_argument
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
    from ...service.simulate import run_simulation
    from ..views.games import check_output, simulation_text, write_games, write_records

    if output:
        check_output(output, games, policy, card)
    desk = query_service(tables, threads, lang)
    request = {"rules": rules, "games": games, "seed": seed, "policy": policy, "card": card, "saved": saved}
    played, answer = run_simulation(desk, request, playing(games))
    if output and output.endswith(".jsonl"):
        write_records(output, desk.strategy(desk.rules(rules)), games, seed)
    elif output:
        write_games(output, played)
    if as_json:
        click.echo(json.dumps(answer))
    else:
        click.echo("\n".join(simulation_text(desk.rules(rules), answer)))


@click.command()
@rules_argument
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

    from ...game.rule_loader import load_rules
    from ...strategy import verify as verifying

    rule_set = load_rules(rules)
    checks = []
    for check in verifying.verify(rule_set, tables, states=states, games=games, seed=seed, threads=threads):
        checks.append(check)
        if not as_json:
            click.echo(f"{'ok    ' if check.passed else 'WRONG '} {check.name:<10}  {check.detail}")
    passed = all(check.passed for check in checks)
    if as_json:
        click.echo(
            json.dumps(
                {"schema": ANSWER_SCHEMA, "rules": rule_set.key, "passed": passed, "checks": [*map(asdict, checks)]}
            )
        )
    if not passed:
        raise click.ClickException(
            f"the table of {rule_set.key} is wrong; rebuild it with: yatzy solve {rules} --force"
        )


@click.command()
@rules_argument
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="File to write, - for none [RULES.html].")
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

    place = output or f"{Path(rules).stem}.html"
    if place.lower().endswith(".pdf"):
        how = f"write {place[:-4]}.html, open it in a browser and print it to a PDF"
        raise click.UsageError(f"guide writes HTML; {how}", click.get_current_context())
    if place != "-":
        form_of(place, ["html", "htm"])
    desk = query_service(tables, threads, lang)
    write_output(place, make_guide(desk.strategy(desk.rules(rules))))
    if place != "-":
        click.echo(f"Wrote {place}")


@click.command()
@click.option("--remove", "name", metavar="NAME", help="Remove a table, or all of a rule set; asks first.")
@click.option("--clean", is_flag=True, help="Remove what killed solves and other versions left.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--tables", type=click.Path(file_okay=False), help="Folder of the value tables.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def tables(name: str | None, clean: bool, yes: bool, tables: str | None, as_json: bool) -> None:
    """List the solved tables, or remove some.

    A table that is needed again is solved again.

    \b
      yatzy tables
      yatzy tables --remove maxi
    """
    from ...tablebase.inventory import matching, remove_leftovers, stored
    from ...tablebase.inventory import remove as remove_tables
    from ...tablebase.store import tables_folder

    folder, found = tables_folder(tables), stored(tables)
    if clean:
        from ...kernels.jit import old_caches

        stale = remove_leftovers(tables)
        caches = old_caches()
        for cache in caches:
            shutil.rmtree(cache, ignore_errors=True)
        click.echo(f"Removed {len(stale)} leftover files and {len(caches)} folders of compiled kernels")
    if name is not None:
        chosen = matching(found, name)
        if not chosen:
            raise click.UsageError(
                f"no table is named {name!r}; `yatzy tables` lists them", click.get_current_context()
            )
        for table in chosen:
            click.echo(f"{table.name}  {size_text(table.bytes)}")
        if yes or click.confirm("Remove from the disk?", err=True):
            remove_tables(*chosen)
    if clean or name is not None:
        return
    total = sum(table.bytes for table in found)
    if as_json:
        entries = [
            {
                "name": table.name,
                "rules": table.key,
                "what": table.objective,
                "finished": table.finished,
                "bytes": table.bytes,
                "written": round(table.written),
            }
            for table in found
        ]
        click.echo(json.dumps({"schema": ANSWER_SCHEMA, "folder": str(folder), "bytes": total, "tables": entries}))
        return
    width = max((len(table.key) for table in found), default=0)
    for table in found:
        age = age_text(time.time() - table.written)
        what = table.objective if table.finished else f"{table.objective}, unfinished"
        click.echo(f"{table.key:<{width}}  {what:<12}  {size_text(table.bytes):>8}  {age}")
    count = "1 table" if len(found) == 1 else f"{len(found)} tables"
    click.echo(f"{count}, {size_text(total)}, in {folder}")


def size_text(size: float) -> str:
    """Bytes in a unit that suits them."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def age_text(seconds: float) -> str:
    """How long ago, roughly."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
