"""The commands `yatzy hold`, `score`, `expect` and `odds`.

Options or JSON lines become requests to the service, whose answers are printed.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import click

from ..._version import ANSWER_SCHEMA
from ...errors import RulesError, SolverError, StateError, shown
from ...game.limits import MAX_LINE_BYTES, parse_json
from ...words import _, number_text
from .. import options
from ..console import check_overwrite, echo_json, echo_lines, fitted

if TYPE_CHECKING:
    from ...service.queries import QueryService
    from ...service.requests import Request
TOP = 5  # options listed without --all
# The options that are fields of the request. What is not listed here does not reach the service.
FIELDS = (
    "rules",
    "card",
    "saved",
    "bonus_points",
    "dice",
    "rolls_left",
    "games",
    "seed",
    "spread",
    "goal",
    "opponents",
    "versus",
    "ties",
    "field",
    "places",
    "exact",
    "digits",
    "explain",
)


def answer_lines(
    service: QueryService, query: str, defaults: dict[str, Any], lines: IO[bytes]
) -> None:
    """Answer each line of a stream.

    `query` and `defaults` are for the fields that a request lacks.
    """
    while line := lines.readline(MAX_LINE_BYTES):
        if not line.strip():
            continue
        request: Any = None
        try:
            if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
                skip_line(lines)
                too_long = _("the line is longer than {most} bytes", most=MAX_LINE_BYTES)
                raise StateError(too_long, code="invalid-request")
            request = parse_line(line)
            check_rules(request, defaults)
            output = json.dumps(service.answer(with_defaults({"query": query} | request, defaults)))
        except SolverError as error:
            output = error_line(error.as_json(), request)
        except Exception as error:
            import traceback

            # A bug in one request must not end the others. It is reported in place, with the
            # traceback on standard error.
            traceback.print_exc()
            message = _("this is a bug: {error}", error=f"{type(error).__name__}: {error}")
            output = error_line({"error": message, "code": "internal-error"}, request)
        click.echo(output)
        sys.stdout.flush()


def skip_line(lines: IO[bytes]) -> None:
    """Read the rest of a line. The next request is in the next line."""
    rest = lines.readline(MAX_LINE_BYTES)
    while rest and not rest.endswith(b"\n"):
        rest = lines.readline(MAX_LINE_BYTES)


def check_rules(request: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Raise RulesError if the sender of a request wants to open a file of rules."""
    from ...game.rule_loader import names_file

    spec = request.get("rules")
    if isinstance(spec, str) and spec != defaults.get("rules") and names_file(spec):
        text = _(
            "rules is {value}; must be built-in rules, or the file that is given by --rules",
            value=shown(spec),
        )
        raise RulesError(text, code="unknown-rules", field="rules")


def parse_line(line: bytes) -> dict[str, Any]:
    """Return the request of a line. Raises StateError if it is not a JSON object."""
    try:
        request = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise StateError(
            _("the line is not JSON: {error}", error=error), code="invalid-request"
        ) from error
    if not isinstance(request, dict):
        raise StateError(_("the line is not a JSON object"), code="invalid-request")
    return request


def with_defaults(request: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the defaults of its query.

    Those of the goal are left out if the request says itself what is maximised.
    """
    from ...service.requests import COMMON_FIELDS, OBJECTIVES, QUERY_FIELDS

    # the fields that take a default
    fields = COMMON_FIELDS | QUERY_FIELDS.get(str(request["query"]), frozenset())
    if request.keys() & {*OBJECTIVES}:  # also if the value is null
        fields -= {*OBJECTIVES, "places"}
        if request.get("opponents") is None and request.get("versus") is None:
            fields -= {"ties"}
    return {name: value for name, value in defaults.items() if name in fields} | request


def error_line(error: dict[str, str], request: Any) -> str:
    """Return an error as the answer to a request, with the request's ``id``."""
    answer = {"schema": ANSWER_SCHEMA, **error}
    if isinstance(request, dict) and "id" in request:
        with suppress(RecursionError):  # the id is nested too deeply
            return json.dumps(answer | {"id": request["id"]})
    return json.dumps(answer)


def request_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the request that the options make."""
    if not given["exact"] and not given["jsonl"]:
        options.refuse_without("--exact", "--digits")
    request = {name: given[name] for name in FIELDS if given.get(name) is not None}
    if "field" in request:
        from ...field.description import field_of_file

        request["field"] = field_of_file(request["field"])
    return request


def run_query(query: str, given: dict[str, Any]) -> None:
    """Answer one request as text or JSON, or with --jsonl the requests of standard input."""
    service: QueryService = given["service"]
    plot_path = given.get("plot_path")
    request = request_fields(given)
    if given["jsonl"]:
        others = {"DICE": "dice" in request, "--json": given["as_json"], "--plot": plot_path}
        for name, is_used in others.items():
            if is_used:
                raise click.UsageError(_("{name} cannot be used with --jsonl", name=name))
        if sys.__stdin__ is None:
            raise click.UsageError(_("--jsonl reads standard input, which is closed"))

        # An "expect" has no distribution unless its line or --spread asks for it, whichever command
        # reads the line.
        answer_lines(service, query, {"spread": False} | request, sys.stdin.buffer)
        return
    if "dice" not in request and query != "expect":
        raise click.UsageError(_("Missing argument 'DICE'"))
    if plot_path:
        from ..views.results import check_picture

        check_picture(plot_path)
        check_overwrite(given["force"], plot_path)
    checked = service.parse({"query": query, **request})
    if plot_path:
        check_plot(service, checked)
    answer = service.answer(checked)
    if plot_path:
        plot_distribution(plot_path, service, checked, answer)
    if given["as_json"]:
        echo_json(answer)
        return
    from ..views.answer_text import ALL_OPTIONS, ANSWER_VIEWS

    lines = ANSWER_VIEWS[query](checked.rules, answer, ALL_OPTIONS if given["show_all"] else TOP)
    lines = fitted(lines)
    lines[0] = click.style(lines[0], bold=True)
    click.echo("\n".join(lines), color=False if "NO_COLOR" in os.environ else None)


def check_plot(service: QueryService, request: Request) -> None:
    """Raise ClickException if the answer to a request will have nothing to draw."""
    from ...strategy.distribution import shows_distribution

    rules = request.rules
    if request.games:
        return
    if not shows_distribution(rules, request.state, service.settings.tables):
        text = _(
            "no exact distribution for {key}; add --games 100000 to draw simulated games",
            key=rules.key,
        )
        raise click.ClickException(text)
    if not request.include_distribution:
        text = _(
            "--plot draws the distribution; leave out --no-spread, or add --games to draw simulated games"
        )
        raise click.ClickException(text)


def plot_distribution(
    path: str, service: QueryService, request: Request, answer: dict[str, Any]
) -> None:
    """Draw the picture of `yatzy expect --plot`.

    It shows the exact distribution, or that of the simulated games.
    """
    from ..views.results import plot

    drawn: dict[str, Any] = answer.get("distribution") or answer["simulation"]
    chance_of = dict(enumerate(drawn["chances"], drawn["lowest"]))
    goal = answer.get("aim", {}).get("goal")
    goal_chances = None
    if goal is not None and "chance" in answer:
        goal_chances = service.goal_curve(request, [*chance_of])
    facts = {"rules": request.rules.name, "mean": number_text(answer["expected_final_score"], 2)}
    if "games" in drawn:
        games = number_text(drawn["games"], grouped=True)
        text = _("{rules}: expected final score {mean}, {games} simulated games")
        title = text.format(**facts, games=games)
    else:
        title = _("{rules}: expected final score {mean}", **facts)
    plot(path, title, chance_of, goal_chances, goal)


@click.command(cls=options.YatzyCommand)
@options.dice_argument
@options.number_option("--rolls-left", "-l", text="Rerolls left [as after the first roll].")
@options.explain_option
@options.query_options("List all options.")
def hold(**given: Any) -> None:
    """Show which dice to hold.

    Maximises the expected score, with --goal the chance of that score, with --opponent the chance
    to win. DICE is the roll in any order: 33456, 3,3,4,5,6 or ⚂⚂⚃⚄⚅.

    \b
      yatzy hold 33456
      yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24 chance=22" --explain
      yatzy hold 33456 --card "ones=3 sixes=24 chance=22" --goal 280
    """
    run_query("hold", given)


@click.command(cls=options.YatzyCommand)
@options.dice_argument
@options.number_option("--rolls-left", "-l", text="Rerolls left and not used [0].")
@options.explain_option
@options.query_options("List all options.")
def score(**given: Any) -> None:
    """Show which category to take for these dice.

    \b
      yatzy score 22555 --card "ones=3 chance=22"
    """
    run_query("score", given)


@click.command(cls=options.YatzyCommand)
@options.number_option(
    "--games", low=100, high=10_000_000, text="Also simulate this number of games."
)
@options.seed_option("Random seed of the simulation.")
@click.option(
    "--spread/--no-spread", default=None, help="Include the distribution [yes; no with --jsonl]."
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(dir_okay=False),
    help="Draw the distribution to a .png, .svg or .pdf file.",
)
@options.force_option
@options.query_options("List each category.")
def expect(**given: Any) -> None:
    """Show the expected final score and its distribution.

    With --goal or --opponent also the chance to reach the goal or to win. The distribution is
    exact. For six dice or saved rolls `yatzy solve RULES --what distribution` computes that of the
    empty card once; --games estimates it by simulation.

    \b
      yatzy expect --card "ones=3 sixes=24 chance=22"
      yatzy expect --goal 300
      yatzy expect --card "ones=3 sixes=24" --opponent "251; twos=6 fives=20"
    """
    if given["games"] is None and not given["jsonl"] and options.is_given("seed"):
        raise click.UsageError(_("--seed can only be used with --games"))
    if given["spread"] is None:
        given["spread"] = not given["jsonl"]
    run_query("expect", given)


@click.command(cls=options.YatzyCommand)
@options.dice_argument
@options.number_option("--rolls-left", "-l", text="Rerolls left [as after the first roll].")
@options.card_option
@options.rules_option
@options.language_option
@click.option("--exact", is_flag=True, help="Show fractions.")
@options.json_option
def odds(
    dice: str | None,
    rolls_left: int | None,
    card: str,
    rules: str,
    lang: str,
    exact: bool,
    as_json: bool,
) -> None:
    """Show the chance of each category in one turn.

    For each category: the best chance to score in it and the most expected points, when the turn is
    played for that category alone, and the dice to hold. Without DICE: before the first roll. With
    --card only the open categories are listed; their chances are the same for every scorecard.

    \b
      yatzy odds 33456 --rolls-left 2
    """
    from ...game.notation import parse_card, parse_dice
    from ...game.rule_loader import load_rules
    from ...game.translations import localized
    from ...service.answers import odds_answer, open_odds
    from ..views.answer_text import odds_lines

    rule_set = localized(load_rules(rules), lang)
    roll = parse_dice(rule_set, dice) if dice is not None else None
    left = rule_set.rolls_per_turn - 1 if rolls_left is None else rolls_left
    entries = open_odds(parse_card(rule_set, card), roll, left, exact)
    if as_json:
        echo_json(odds_answer(rule_set, roll, left, entries))
    else:
        echo_lines(odds_lines(rule_set, roll, left, entries))
