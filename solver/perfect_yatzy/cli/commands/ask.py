"""Questions: hold, score, expect, odds. click's options in, one request out, its answer printed."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import IO, TYPE_CHECKING, Any

import click

from ..._version import ANSWER_SCHEMA
from ...errors import SolverError
from ..console import SEED, dice_argument, language_option, query_options, query_service, rules_option

if TYPE_CHECKING:
    from ...service.queries import QueryService

MAX_LINE = 1 << 20


def run_query(query: str, request: dict[str, Any], shown: dict[str, Any], plot: str | None = None) -> None:
    """Answer one request as text or JSON, or a stream of them."""
    desk = query_service(shown["tables"], shown["threads"], shown["lang"])
    if shown["jsonl"]:
        for given, name in (("dice" in request, "DICE"), (shown["as_json"], "--json"), (plot, "--plot")):
            if given:
                raise click.UsageError(f"--jsonl does not go with {name}", click.get_current_context())
        answer_lines(desk, query, request, sys.stdin.buffer)
        return
    if "dice" not in request and query != "expect":
        raise click.UsageError("Missing argument 'DICE'", click.get_current_context())
    if plot:
        from ..views.charts import check_picture

        check_picture(plot)
    answer = desk.answer({"query": query, **request})
    if plot:
        draw(plot, desk, request, answer)
    if shown["as_json"]:
        click.echo(json.dumps(answer))
        return
    from ..views.text import ANSWERS

    lines = ANSWERS[query](desk.rules(request["rules"]), answer, 10**6 if shown["show_all"] else 5)
    lines[0] = click.style(lines[0], bold=True)
    click.echo("\n".join(lines), color=False if "NO_COLOR" in os.environ else None)


def draw(path: str, desk: QueryService, request: dict[str, Any], answer: dict[str, Any]) -> None:
    """The picture of `yatzy expect --plot`."""
    from ..views.charts import PlotError, plot

    rules = desk.rules(request["rules"])
    if not answer.get("distribution"):
        raise PlotError(
            f"the distribution of {rules.key} is not known; --plot draws it for five dice without saved rolls"
        )
    lowest, chances = answer["distribution"]["lowest"], answer["distribution"]["chances"]
    goal = answer.get("aim", {}).get("goal")
    goals = desk.goal_curve(request, range(lowest, lowest + len(chances))) if goal is not None else None
    title = f"{rules.name}: expected final score {answer['expected_final_score']:.2f}"
    plot(path, title, lowest, chances, goals, goal)


def answer_lines(desk: QueryService, query: str, defaults: dict[str, Any], lines: IO[bytes]) -> None:
    """Answer each line in its order; what is wrong with a line is said in its place."""
    from ...errors import StateError

    while line := lines.readline(MAX_LINE):
        if not line.strip():
            continue
        request: Any = None
        try:
            if not line.endswith(b"\n") and len(line) == MAX_LINE:
                while (rest := lines.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                raise StateError(f"the line is longer than {MAX_LINE} bytes")
            request = read_line(line)
            said = json.dumps(desk.answer(with_defaults({"query": query} | request, defaults)))
        except SolverError as error:
            said = error_line(str(error), request)
        except Exception as error:
            # A bug; but who asks a thousand questions gets the other 999 answers, and the traceback beside them.
            traceback.print_exc()
            said = error_line(f"this is a bug: {type(error).__name__}: {error}", request)
        click.echo(said)
        sys.stdout.flush()


def read_line(line: bytes) -> dict[str, Any]:
    """The request of a line."""
    from ...errors import StateError

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no number")

    try:
        request = json.loads(line, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise StateError(f"the line is no JSON: {error}") from error
    if not isinstance(request, dict):
        raise StateError("the line is no JSON object")
    return request


def with_defaults(request: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """A request, with the options of the command where it is silent and they apply."""
    from ...service.queries import COMMON, FIELDS

    known = COMMON | FIELDS.get(str(request["query"]), set())
    if "goal" in request or "opponents" in request:  # an aim of its own, or none
        known = known - {"goal", "opponents"}
        known = known if request.get("opponents") is not None else known - {"ties"}
    return {name: value for name, value in defaults.items() if name in known} | request


def error_line(message: str, request: Any) -> str:
    """An error as an answer."""
    answer = {"schema": ANSWER_SCHEMA, "error": message}
    try:
        return json.dumps(answer | ({"id": request["id"]} if isinstance(request, dict) and "id" in request else {}))
    except RecursionError:  # an id nested too deep to be written
        return json.dumps(answer)


@click.command()
@dice_argument
@click.option("--rolls-left", "-l", type=click.IntRange(0), help="Rerolls still to come [all: first roll].")
@query_options
def hold(
    dice: str | None, rolls_left: int | None, rules: str, card: str, saved: int, bonus_points: int, **shown: Any
) -> None:
    """Which dice to hold.

    For the best mean score; with --goal to reach a score, with --opponents to beat them.
    DICE is the roll, in any form and order: 33456, "3 3 4 5 6" or ⚂⚂⚃⚄⚅.

    \b
      yatzy hold 33456
      yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24 chance=22"
      yatzy hold 33456 --card "ones=3 sixes=24 chance=22" --goal 280
    """
    request = given(rules=rules, card=card, saved=saved, bonus_points=bonus_points, dice=dice, rolls_left=rolls_left)
    run_query("hold", request | aim_of(shown), shown)


@click.command()
@dice_argument
@click.option("--rolls-left", "-l", type=click.IntRange(0), help="Rerolls given up by scoring now [0].")
@query_options
def score(
    dice: str | None, rolls_left: int | None, rules: str, card: str, saved: int, bonus_points: int, **shown: Any
) -> None:
    """Which category to take for these dice now.

    \b
      yatzy score 22555 --card "ones=3 chance=22"
    """
    request = given(rules=rules, card=card, saved=saved, bonus_points=bonus_points, dice=dice, rolls_left=rolls_left)
    run_query("score", request | aim_of(shown), shown)


@click.command()
@click.option("--games", type=click.IntRange(100, 10_000_000), help="Simulate so many games from here.")
@click.option("--seed", type=SEED, default=1, help="Seed of the simulation.")
@click.option(
    "--spread/--no-spread", default=None, help="Whether to add the distribution [--spread; with --jsonl not]."
)
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw the distribution to a .png, .svg or .pdf.")
@query_options
def expect(
    games: int | None,
    seed: int,
    spread: bool | None,
    plot: str | None,
    rules: str,
    card: str,
    saved: int,
    bonus_points: int,
    **shown: Any,
) -> None:
    """What final score to expect, and how likely a goal or a win is.

    All of it is exact for games with five dice and no saved rolls. With --games the spread is estimated by
    simulation, for any rules.

    \b
      yatzy expect --card "ones=3 sixes=24 chance=22"
      yatzy expect --goal 300
      yatzy expect --card "ones=3 sixes=24 chance=22" --opponents "251; twos=6 fives=20"
    """
    if spread is None:
        spread = not shown["jsonl"]
    request = given(
        rules=rules, card=card, saved=saved, bonus_points=bonus_points, games=games, seed=seed, spread=spread
    )
    run_query("expect", request | aim_of(shown), shown, plot)


def aim_of(shown: dict[str, Any]) -> dict[str, Any]:
    """The options that name an aim, as fields of a request."""
    return {name: shown[name] for name in ("goal", "opponents", "ties") if shown[name] is not None}


@click.command()
@dice_argument
@click.option("--rolls-left", "-l", type=click.IntRange(0), help="Rerolls still to come [all of a turn's].")
@rules_option
@language_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object with everything.")
def odds(dice: str | None, rolls_left: int | None, rules: str, lang: str, as_json: bool) -> None:
    """How likely each category is in one turn.

    That is if you play for it alone: what to hold for the best chance of it, and what for the most points, and what
    these are. Without DICE: before the first roll. No card, no table: one turn by itself.

    \b
      yatzy odds 33456 --rolls-left 2
    """
    from dataclasses import asdict

    from ...game.notation import parse_dice
    from ...game.rule_loader import load_rules
    from ...game.translations import localized
    from ...strategy.category_odds import category_odds
    from ..views.text import odds_text

    rule_set = localized(load_rules(rules), lang)
    roll = parse_dice(rule_set, dice) if dice is not None else None
    left = rule_set.rolls_per_turn - 1 if rolls_left is None else rolls_left
    found = category_odds(rule_set, roll, left)
    if as_json:
        head = {"schema": ANSWER_SCHEMA, "query": "odds", "rules": rule_set.key, "dice": roll, "rolls_left": left}
        click.echo(json.dumps(head | {"categories": [*map(asdict, found)]}))
    else:
        click.echo("\n".join(odds_text(rule_set, roll, left, found)))


def given(**options: Any) -> dict[str, Any]:
    """The options that were given, as fields of a request."""
    return {name: value for name, value in options.items() if value is not None}
