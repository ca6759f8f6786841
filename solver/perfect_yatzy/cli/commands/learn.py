"""Learning: a played game reviewed, positions to think about."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import click

from ..._version import ANSWER_SCHEMA
from ..console import ask_line, language_option, query_service, rules_argument, table_options

if TYPE_CHECKING:
    from ...game.rules import RuleSet
    from ...game.scorecard import State
    from ...play.puzzle import Puzzle
    from ...service.queries import QueryService
    from ...strategy.strategy import Strategy


def bonus_chances(desk: QueryService, strategy: Strategy) -> Callable[[State], float] | None:
    """Chance of the upper bonus of a state, None where its table would take long to make."""
    from ...model.objectives import BonusChance
    from ...strategy.distribution import has_distribution
    from ...tablebase.store import has_table, open_table

    rules = strategy.rules
    if not rules.bonus or not (has_distribution(rules) or has_table(rules, desk.tables, BonusChance.name)):
        return None
    chances = open_table(BonusChance(rules, strategy.table), desk.tables, threads=desk.threads)[1]
    return lambda state: float(chances[strategy.space.index(state)])


@click.command()
@click.argument("file", type=click.Path())
@click.option("--game", type=click.IntRange(1), help="Which game of the file [the last].")
@click.option("--player", help="Whose decisions: a name or a number from 1 [all players].")
@click.option("--from", "threshold", type=float, default=0.05, show_default=True, help="Show losses from here on.")
@click.option("--drill", is_flag=True, help="Ask these decisions again, one by one, as puzzles.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with every decision and roll.")
@language_option
@table_options
def review(
    file: str,
    game: int | None,
    player: str | None,
    threshold: float,
    drill: bool,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """Grade a game: what luck gave, what errors lost, and why.

    FILE is a record as `yatzy play` and `yatzy simulate -o games.jsonl` write it, one game a line.

    \b
      yatzy review games.jsonl
    """
    from ...errors import StateError
    from ...game.translations import localized
    from ...play.puzzle import Puzzle
    from ...play.record import read_games
    from ...play.review import action_outlook
    from ...play.review import review as grade_game
    from ...service.answers import review_json
    from ..views.review import review_lines
    from ..views.text import plural

    games = read_games(file)
    number = len(games) if game is None else game
    if number > len(games):
        raise StateError(f"{file} has {plural(len(games), 'game')}; there is no game {number}")
    played = games[number - 1]
    chosen = [find_player(played.players, player)] if player else range(len(played.players))
    desk = query_service(tables, threads, lang)
    strategy = desk.strategy(played.rules)
    rules = localized(played.rules, lang)
    answers: list[dict[str, Any]] = []
    for i in chosen:
        found = grade_game(strategy, played, i)
        if as_json:
            answers.append(review_json(rules, found))
            continue
        shown = [d for d in found.decisions if d.loss >= threshold]
        if drill:
            click.echo(f"{found.player}: {plural(len(shown), 'decision')} to try again\n")
            for d in shown:
                if not quiz(strategy, rules, Puzzle(d.card, d.dice, d.rolls_left)):
                    return
            continue
        bonus = bonus_chances(desk, strategy) if shown else None
        explained = [
            (d, action_outlook(strategy, d, d.done, bonus), action_outlook(strategy, d, d.best, bonus)) for d in shown
        ]
        click.echo("\n".join(review_lines(rules, found, explained)))
    if as_json:
        click.echo(
            json.dumps(
                {"schema": ANSWER_SCHEMA, "query": "review", "rules": rules.key, "game": number, "reviews": answers}
            )
        )


def find_player(players: tuple[str, ...], wanted: str) -> int:
    """Number of a player from a name or a number from 1."""
    from ...errors import StateError

    for i, name in enumerate(players):
        if name.lower() == wanted.lower() or wanted == str(i + 1):
            return i
    raise StateError(f"no player {wanted!r}; the players are {', '.join(players)}")


@click.command()
@rules_argument
@click.option(
    "--difficulty", "-d", type=click.Choice(["easy", "medium", "hard"]), default="medium", show_default=True,
    help="How little the second best choice loses.",
)  # fmt: skip
@click.option("--date", "day", type=click.DateTime(["%Y-%m-%d"]), help="The puzzle of this day [today].")
@click.option("--stream", is_flag=True, help="One after the other, until you leave.")
@click.option("--solution", is_flag=True, help="Show the solution and do not ask.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with the position and its solution.")
@language_option
@table_options
def puzzle(
    rules: str,
    difficulty: str,
    day: datetime | None,
    stream: bool,
    solution: bool,
    as_json: bool,
    lang: str,
    tables: str | None,
    threads: int | None,
) -> None:
    """A position a day: what would you do?

    It is the same for everybody on the same day. What you answer is graded as `yatzy review` does it.

    \b
      yatzy puzzle
      yatzy puzzle --difficulty hard --stream
    """
    from ...play.puzzle import find_puzzle
    from ..views.puzzle import puzzle_json, puzzle_lines, solution_lines

    desk = query_service(tables, threads, lang)
    shown = desk.rules(rules)
    strategy = desk.strategy(shown)
    today = day.date() if day else date.today()
    number = 0
    while True:
        try:
            found = find_puzzle(strategy, today.toordinal() * 1000 + number, difficulty)
        except ValueError as error:
            raise click.ClickException(str(error)) from error
        number += 1
        if as_json:
            click.echo(json.dumps(puzzle_json(found, strategy)))
        else:
            click.echo(f"Puzzle{f' {number}' if stream else ''} of {today}, {difficulty}")
            if solution:
                lines = [*puzzle_lines(shown, found, strategy), "", *solution_lines(shown, found, strategy)]
                click.echo("\n".join(lines))
            elif not quiz(strategy, shown, found):
                return
        if not stream:
            return


def quiz(strategy: Strategy, rules: RuleSet, position: Puzzle) -> bool:
    """Show a position, ask, grade, show the solution; False when the player has left."""
    from ...errors import StateError
    from ..views.puzzle import find_answer, puzzle_help, puzzle_lines, question, solution_lines, verdict
    from ..views.table import wrapped

    click.echo("\n".join(puzzle_lines(rules, position, strategy)))
    left = False
    while True:
        text = ask_line(question(position))
        left = text is None or text.lower() in ("quit", "q", "exit")
        if text is None or left:
            break
        if text.lower() in ("", "?", "help", "h"):
            click.echo(puzzle_help(position))
            continue
        try:
            click.echo(verdict(rules, position, strategy, find_answer(rules, position, strategy, text)))
            break
        except StateError as error:
            click.echo(wrapped(str(error)))
    click.echo("\n".join([*solution_lines(rules, position, strategy), ""]))
    return not left
