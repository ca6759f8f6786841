"""The command `yatzy`: click's options in, one request out, its answer printed. Thin on purpose.

Data goes to standard output, everything else to standard error. Exit code 0: done; 1: failed; 2: usage or an
impossible position, told in one line. Modules that need numpy or numba are imported where they are used, so
that help and completion come at once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

from . import __version__
from .console import (
    RULES,
    YatzyGroup,
    language_option,
    playing,
    query_options,
    rules_option,
    solving,
    table_options,
)
from .errors import SolverError

if TYPE_CHECKING:
    from .queries import Desk

EPILOG = "Every command explains itself: yatzy COMMAND --help"
MAX_LINE = 1 << 20


def make_desk(tables: str | None, threads: int | None, lang: str) -> Desk:
    """The one that answers requests, telling the terminal when it has to solve first."""
    from .queries import Desk

    return Desk(tables, threads, solving, lang)


def run_query(query: str, request: dict[str, Any], shown: dict[str, Any], plot: str | None = None) -> None:
    """Answer one request as text or JSON, or a stream of them."""
    desk = make_desk(shown["tables"], shown["threads"], shown["lang"])
    if shown["jsonl"]:
        answer_lines(desk, query, request, sys.stdin.buffer)
        return
    if plot:
        from .views.charts import check_picture

        check_picture(plot)
    answer = desk.answer({"query": query, **request})
    if plot:
        draw(plot, desk, request, answer)
    if shown["as_json"]:
        click.echo(json.dumps(answer))
        return
    from .views.text import ANSWERS

    lines = ANSWERS[query](desk.rules(request["rules"]), answer, 10**6 if shown["show_all"] else 5)
    lines[0] = click.style(lines[0], bold=True)
    click.echo("\n".join(lines), color=False if "NO_COLOR" in os.environ else None)


def draw(path: str, desk: Desk, request: dict[str, Any], answer: dict[str, Any]) -> None:
    """The picture of `yatzy expect --plot`."""
    from .views.charts import PlotError, plot

    rules = desk.rules(request["rules"])
    if "distribution" not in answer:
        raise PlotError(
            f"the distribution of {rules.key} is not known; --plot draws it for five dice without saved rolls"
        )
    lowest, chances = answer["distribution"]["lowest"], answer["distribution"]["chances"]
    goal = answer.get("aim", {}).get("goal")
    goals = desk.goal_curve(request, range(lowest, lowest + len(chances))) if goal is not None else None
    title = f"{rules.name}: expected final score {answer['expected_final']:.2f}"
    plot(path, title, lowest, chances, goals, goal)


def answer_lines(desk: Desk, query: str, defaults: dict[str, Any], lines: IO[bytes]) -> None:
    """Answer each line in its order; what is wrong with a line is said in its place."""
    from .errors import StateError

    while line := lines.readline(MAX_LINE):
        if not line.strip():
            continue
        request: Any = None
        try:
            if not line.endswith(b"\n") and len(line) == MAX_LINE:
                while (rest := lines.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                raise StateError(f"the line is longer than {MAX_LINE} bytes")
            try:
                request = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise StateError(f"the line is no JSON: {error}") from error
            if not isinstance(request, dict):
                raise StateError("the line is no JSON object")
            given = {"query": query, **defaults} | request
            if given["query"] != "expect":
                given.pop("spread", None) if "spread" not in request else None
            answer = desk.answer(given)
        except SolverError as error:
            answer = {"schema": 1, "error": str(error)}
            if isinstance(request, dict) and "id" in request:
                answer["id"] = request["id"]
        click.echo(json.dumps(answer))
        sys.stdout.flush()


@click.group(cls=YatzyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="yatzy")
def main() -> None:
    """Optimal play for Yatzy, exactly: which dice to hold, which category to take, what score to expect."""


@main.command()
@click.argument("dice", required=False)
@click.option("--rolls-left", "-l", type=click.IntRange(0), help="Rerolls still to come [all: first roll].")
@query_options
def hold(
    dice: str | None, rolls_left: int | None, rules: str, card: str, saved: int, extra: int, **shown: Any
) -> None:
    """Which dice to hold, for the best mean score, to reach a goal, or to beat opponents.

    DICE is the roll, in any form and order: 33456, "3 3 4 5 6" or ⚂⚂⚃⚄⚅.

    \b
      yatzy hold 33456
      yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24 chance=22"
      yatzy hold 33456 --card "ones=3 sixes=24 chance=22" --goal 280
    """
    request: dict[str, Any] = {"rules": rules}
    if not shown["jsonl"]:
        request |= {"dice": need(dice, "DICE"), "card": card, "saved": saved, "extra": extra, **aim_of(shown)}
        if rolls_left is not None:
            request["rolls_left"] = rolls_left
    run_query("hold", request, shown)


@main.command()
@click.argument("dice", required=False)
@click.option("--rolls-left", "-l", type=click.IntRange(0), default=0, help="Rerolls given up by scoring now.")
@query_options
def score(dice: str | None, rolls_left: int, rules: str, card: str, saved: int, extra: int, **shown: Any) -> None:
    """Which category to take for these dice now.

    \b
      yatzy score 22555 --card "ones=3 chance=22"
    """
    request: dict[str, Any] = {"rules": rules}
    if not shown["jsonl"]:
        request |= {"dice": need(dice, "DICE"), "card": card, "saved": saved, "extra": extra, **aim_of(shown)}
        request |= {"rolls_left": rolls_left} if rolls_left else {}
    run_query("score", request, shown)


@main.command()
@click.option("--games", type=click.IntRange(100, 10_000_000), help="Simulate so many games from here.")
@click.option("--seed", type=int, default=1, help="Seed of the simulation.")
@click.option(
    "--spread/--no-spread", default=True, help="Whether to compute the distribution too.", show_default=True
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the distribution to a .png, .svg or .pdf.")
@query_options
def expect(
    games: int | None,
    seed: int,
    spread: bool,
    plot: str | None,
    rules: str,
    card: str,
    saved: int,
    extra: int,
    **shown: Any,
) -> None:
    """What final score to expect from a card: its mean and spread, or the chance to reach a goal or to win.

    All of it is exact for games with five dice and no saved rolls. With --games the spread is estimated by
    simulation, for any rules.

    \b
      yatzy expect --card "ones=3 sixes=24 chance=22"
      yatzy expect --goal 300
      yatzy expect --card "ones=3 sixes=24 chance=22" --opponents "251; twos=6 fives=20"
    """
    request: dict[str, Any] = {"rules": rules}
    if shown["jsonl"]:
        request["spread"] = False
    else:
        request |= {"card": card, "saved": saved, "extra": extra, "spread": spread, **aim_of(shown)}
        request |= {"games": games, "seed": seed} if games else {}
    run_query("expect", request, shown, plot)


def aim_of(shown: dict[str, Any]) -> dict[str, Any]:
    """The options that name an aim, as fields of a request."""
    return {name: shown[name] for name in ("goal", "opponents", "ties") if shown[name] is not None}


@main.command()
@click.argument("dice", required=False)
@click.option("--rolls-left", "-l", type=click.IntRange(0), help="Rerolls still to come [all of a turn's].")
@rules_option
@language_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object with everything.")
def odds(dice: str | None, rolls_left: int | None, rules: str, lang: str, as_json: bool) -> None:
    """How likely each category is in one turn, if you play for it alone.

    Without DICE: before the first roll. No card, no table: one turn by itself.

    \b
      yatzy odds 33456 --rolls-left 2
    """
    from dataclasses import asdict

    from .languages import localized
    from .notation import parse_dice
    from .odds import odds as find_odds
    from .rulefile import load_rules
    from .views.text import odds_text

    rule_set = localized(load_rules(rules), lang)
    roll = parse_dice(rule_set, dice) if dice is not None else None
    left = rule_set.rolls - 1 if rolls_left is None else rolls_left
    found = find_odds(rule_set, roll, left)
    if as_json:
        head = {"schema": 1, "query": "odds", "rules": rule_set.key, "dice": roll, "rolls_left": left}
        click.echo(json.dumps(head | {"categories": [*map(asdict, found)]}))
    else:
        click.echo("\n".join(odds_text(rule_set, roll, left, found)))


def need(value: str | None, name: str) -> str:
    """An argument that only --jsonl may leave out."""
    if value is None:
        raise click.UsageError(f"Missing argument '{name}'", click.get_current_context())
    return value


@main.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option(
    "--what", type=click.Choice(["mean", "goals", "variance"]), default="mean", show_default=True,
    help="Values of the game; chances of every goal; variances of the final score.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Solve again even if there is a table.")
@table_options
def solve(rules: str, what: str, force: bool, tables: str | None, threads: int | None) -> None:
    """Build a table of a rule set.

    A solve that was killed goes on where it had got to. Other commands solve what they need by themselves.
    """
    from .advice import open_strategy
    from .objectives import Goals, Objective, Variance
    from .rulefile import load_rules
    from .store import has_table, solve_to_store, table_path

    rule_set = load_rules(rules)
    path = table_path(rule_set, tables, what)
    if has_table(rule_set, tables, what) and not force:
        click.echo(f"{rule_set.key} is solved already: {path} (--force to solve again)")
        return
    objective = Objective(rule_set)
    if what == "goals":
        objective = Goals(rule_set)
    elif what == "variance":
        means = open_strategy(rule_set, tables, threads=threads, progress=solving(rule_set))
        objective = Variance(rule_set, means.values)
    info = solve_to_store(objective, tables, threads=threads, progress=solving(rule_set))
    if what == "mean":
        click.echo(f"Expected score of {rule_set.key} under perfect play: {info.start_value:.10f}")
    elif info.start_value is not None:
        click.echo(f"Standard deviation of {rule_set.key} under perfect play: {info.start_value**0.5:.10f}")
    click.echo(f"{info.values:,} values in {info.seconds:.2f} s: {path}")


@main.command()
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
    from .views.sheets import FORMATS, SHEETS

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


@main.group()
def rules() -> None:
    """The rule sets: list, show one, check one of your own."""


@rules.command("list")
@language_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def rules_list(lang: str, as_json: bool) -> None:
    """The built-in rule sets."""
    from .languages import localized
    from .rulefile import builtin_ids, load_rules

    known = [localized(load_rules(name), lang) for name in builtin_ids()]
    if as_json:
        entries = [
            {"id": r.id, "name": r.name, "summary": r.summary, "switches": [s.id for s in r.switches]} for r in known
        ]
        click.echo(json.dumps({"schema": 1, "rules": entries}))
        return
    width = max(len(r.id) for r in known)
    for r in known:
        click.echo(f"{r.id:<{width}}  {r.summary or r.name}")
        for switch in r.switches:
            click.echo(f"{'':<{width}}    +{switch.id}: {switch.summary}")


@rules.command("show")
@click.argument("rules", type=RULES, default="yatzy")
@language_option
@click.option("--json", "as_json", is_flag=True, help="The canonical form, as JSON.")
def rules_show(rules: str, lang: str, as_json: bool) -> None:
    """What a rule set says, category by category."""
    from dataclasses import asdict

    from .facts import facts
    from .languages import localized
    from .rulefile import load_rules
    from .views.text import rules_text

    rule_set = localized(load_rules(rules), lang)
    found = asdict(facts(rule_set))
    if as_json:
        about = {"schema": 1, "key": rule_set.key, "name": rule_set.name, "fingerprint": rule_set.fingerprint}
        click.echo(json.dumps(about | {"facts": found, "rules": rule_set.canonical()}))
    else:
        click.echo("\n".join(rules_text(rule_set, found)))


@rules.command("check")
@click.argument("file", type=click.Path())
def rules_check(file: str) -> None:
    """Check a rule file of your own: every mistake by line and field, or what its solve will take."""
    from .facts import facts
    from .rulefile import RuleFileError, load_rules

    try:
        rule_set = load_rules(file)
    except RuleFileError as error:
        for problem in error.problems:
            click.echo(str(problem), err=True)
        sys.exit(error.exit_code)
    found = facts(rule_set)
    size = len(rule_set.categories)
    count = "1 category" if size == 1 else f"{size} categories"
    click.echo(f"{rule_set.name} ({rule_set.key}) is in order: {count}, highest score {found.maximum}")
    click.echo(
        f"{found.values:,} values, {max(1, found.bytes >> 20):,} MB on disk, {found.memory >> 20:,} MB of memory; "
        f"a solve takes about {max(0.1, found.seconds):.1f} s with two threads"
    )


@main.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option("--games", "-n", type=click.IntRange(1, 100_000_000), default=100_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the dice.")
@click.option("--policy", "-p", default="mean", show_default=True, help="What is played for: mean, or goal:280.")
@click.option("--card", "-c", default="", metavar="CARD", help="Where every game starts.")
@click.option("--saved", type=click.IntRange(0), default=0, help="Saved rolls there.")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write the games to a .csv or .parquet file.")
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
    from .simulation import run_simulation
    from .views.games import check_output, simulation_text, write_games

    if output:
        check_output(output)
    desk = make_desk(tables, threads, lang)
    request = {"rules": rules, "games": games, "seed": seed, "policy": policy, "card": card, "saved": saved}
    played, answer = run_simulation(desk, request, playing(games))
    if output:
        write_games(output, desk.rules(rules), played, answer)
    if as_json:
        click.echo(json.dumps(answer))
    else:
        click.echo("\n".join(simulation_text(desk.rules(rules), answer)))


@main.command()
@click.argument("rules", type=RULES, default="yatzy")
@click.option("--states", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="Random states.")
@click.option("--games", type=click.IntRange(0, 10_000_000), default=0, help="Also simulate so many games.")
@click.option("--seed", type=int, default=1, help="Seed of both.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@table_options
def verify(
    rules: str, states: int, games: int, seed: int, as_json: bool, tables: str | None, threads: int | None
) -> None:
    """Is this table right? Checksum, Bellman equation, published value, simulation."""
    from dataclasses import asdict

    from . import verify as verifying
    from .rulefile import load_rules

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


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes this command in your shell.

    \b
      eval "$(yatzy completion bash)"
    """
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(main, {}, "yatzy", "_YATZY_COMPLETE").source())
