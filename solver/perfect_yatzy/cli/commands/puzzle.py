"""`yatzy puzzle`: positions to solve, one a day."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from ..._messages import _
from ..console import echo_json, echo_lines, prompt_line
from ..options import language_option, rules_argument, service_options

if TYPE_CHECKING:
    from ...game.rules import RuleSet
    from ...play.puzzle import Puzzle
    from ...service.queries import QueryService
    from ...strategy.strategy import Strategy

HELP_WORDS = ("", "?", "help")


@click.command()
@rules_argument
@click.option(
    "--difficulty", "-d", type=click.Choice(["easy", "medium", "hard"]), default="medium", show_default=True,
    help="The harder, the less the second-best option loses.",
)  # fmt: skip
@click.option(
    "--date", "day", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Date of the puzzle [today]."
)
@click.option("--stream", is_flag=True, help="Continue with further puzzles until you quit.")
@click.option("--solution", is_flag=True, help="Show the solution without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print the position and its solution as one JSON object.")
@language_option
@service_options
def puzzle(
    rules: str, difficulty: str, day: datetime | None, stream: bool, solution: bool, as_json: bool,
    service: QueryService,
) -> None:  # fmt: skip
    """Solve the puzzle of the day.

    A position that is the same for everyone on the same date. Your answer is graded as in `yatzy review`.

    \b
      yatzy puzzle
      yatzy puzzle --difficulty hard --stream
    """
    from ...play.puzzle import daily_seed, find_puzzle
    from ..views.puzzle import puzzle_json, puzzle_lines, solution_lines

    rule_set = service.rules(rules)
    strategy = service.strategy(rule_set)
    puzzle_date = day.date() if day else date.today()
    number = 0
    while stream or not number:
        position = find_puzzle(strategy, daily_seed(puzzle_date, number), difficulty)
        number += 1
        if as_json:
            echo_json(puzzle_json(position, strategy))
            continue
        text = _("Puzzle {number} of {date}, {difficulty}") if stream else _("Puzzle of {date}, {difficulty}")
        click.echo(text.format(number=number, date=puzzle_date, difficulty=_(difficulty)))  # marked elsewhere
        if solution:
            lines = puzzle_lines(rule_set, position, strategy)
            echo_lines(lines, [""], solution_lines(rule_set, position, strategy))
        elif not ask_puzzle(strategy, rule_set, position):
            return


def ask_puzzle(strategy: Strategy, rules: RuleSet, puzzle: Puzzle) -> bool:
    """Show a puzzle, ask for an answer, and show its grade and the solution; False if the player quits."""
    from ...errors import StateError
    from ..views.decisions import command_of, decision_question
    from ..views.puzzle import find_answer, grade_line, puzzle_help, puzzle_lines, solution_lines
    from ..views.wording import wrapped

    echo_lines(puzzle_lines(rules, puzzle, strategy))
    answered = False
    while not answered:
        text = prompt_line(decision_question(puzzle.rolls_left))
        if text is None or command_of(text) == "quit":
            break
        if command_of(text) in HELP_WORDS:
            click.echo(puzzle_help(puzzle))
            continue
        try:
            click.echo(grade_line(rules, puzzle, strategy, find_answer(rules, puzzle, strategy, text)))
            answered = True
        except StateError as error:
            click.echo(wrapped(str(error)))
    echo_lines(solution_lines(rules, puzzle, strategy), [""])
    return answered
