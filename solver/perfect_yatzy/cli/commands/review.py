"""The commands `yatzy review` and `yatzy puzzle`, which grade a game and a single decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from itertools import count
from typing import TYPE_CHECKING

import click

from ...errors import StateError
from ...words import _, ngettext, number_word
from .. import options
from ..console import (
    check_overwrite,
    echo_json,
    echo_lines,
    file_format,
    finished_games,
    prompt_line,
    write_output,
)

if TYPE_CHECKING:
    from ...core.rules import RuleSet
    from ...core.state import State
    from ...play.puzzle import Puzzle
    from ...play.review import GradedDecision, Review
    from ...service.queries import QueryService
    from ...strategy.strategy import Strategy

HELP_WORDS = ("", "?", "help")


@click.command(cls=options.YatzyCommand)
@click.argument("file", type=click.Path(), required=False)
@options.number_option("--game", low=1, text="Number of the game in the file [the last].")
@click.option("--player", help="Name or number of a player [all players].")
@click.option(
    "--from",
    "min_loss",
    type=options.Number(0),
    metavar="POINTS",
    default=0.05,
    show_default=True,
    help="Show decisions that lose at least this many points.",
)
@click.option("--drill", is_flag=True, help="Repeat these decisions as puzzles.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object with every decision and roll."
)
@options.language_option
@options.service_options
def review(
    file: str | None,
    game: int | None,
    player: str | None,
    min_loss: float,
    drill: bool,
    as_json: bool,
    service: QueryService,
) -> None:
    """Grade a recorded game: luck, errors and better options.

    FILE is a record of `yatzy play` or `yatzy simulate -o games.jsonl`, one game per line; without
    it, that of the games you finished with `yatzy play`.

    \b
      yatzy review
      yatzy review games.jsonl --game 3 --drill
    """
    from ...game.translations import localized
    from ...play.record import read_games
    from ...play.review import review as grade_game
    from ...service.answers import approximate_fields
    from ...service.reviews import review_json
    from ..views.wording import approximate_lines

    file = file or finished_games()
    games = read_games(file)
    number = len(games) if game is None else game
    if number > len(games):
        text = ngettext(
            "{file} has one game; there is no game {number}",
            "{file} has {count} games; there is no game {number}",
            len(games),
            file=file,
            count=number_word(len(games)),
            number=number,
        )
        raise StateError(text)
    record = games[number - 1]
    players = [named_player(record.players, player)] if player else [*range(len(record.players))]
    strategy = service.strategy(record.rules)
    rules = localized(record.rules, service.language)
    reviews = (grade_game(strategy, record, i) for i in players)
    certificate = approximate_fields(strategy)
    if as_json:
        graded = [*map(review_json, reviews)]
        echo_json(query="review", rules=rules.key, game=number, **certificate, reviews=graded)
    elif drill:
        repeat_decisions(strategy, rules, reviews, min_loss)
    else:
        for graded_game in reviews:
            echo_lines([explained_text(service, strategy, rules, graded_game, min_loss)])
        if certificate:
            echo_lines(approximate_lines(certificate))


def named_player(names: Sequence[str], player: str) -> int:
    """Return the index of a player, given by name in any case or by number from 1 on.

    Raises StateError if there is no such player.
    """
    for i, name in enumerate(names):
        if player.lower() in (name.lower(), str(i + 1)):
            return i
    text = _("there is no player {player!r}; the players are {players}")
    raise StateError(text.format(player=player, players=", ".join(names)))


def decisions_losing(review: Review, min_loss: float) -> list[GradedDecision]:
    """Return the decisions of a review that lose at least `min_loss`."""
    return [decision for decision in review.decisions if decision.loss >= min_loss]


def repeat_decisions(
    strategy: Strategy, rules: RuleSet, reviews: Iterable[Review], min_loss: float
) -> None:
    """Ask the decisions that lose at least `min_loss` again, until the player stops."""
    from ...play.puzzle import Puzzle

    for review in reviews:
        errors = decisions_losing(review, min_loss)
        if errors:
            text = ngettext(
                "{player}: one decision to repeat",
                "{player}: {count} decisions to repeat",
                len(errors),
            )
        else:
            text = _("{player}: no decisions to repeat")
        click.echo(text.format(player=review.player, count=number_word(len(errors))) + "\n")
        for decision in errors:
            puzzle = Puzzle(decision.card, decision.dice, decision.rolls_left)
            if not ask_puzzle(strategy, rules, puzzle):
                return


def explained_text(
    service: QueryService, strategy: Strategy, rules: RuleSet, review: Review, min_loss: float
) -> str:
    """Return a review as text, with what the decisions that lose at least `min_loss` lead to."""
    from ...play.review import action_outlook
    from ..views.review_text import review_lines

    errors = decisions_losing(review, min_loss)
    bonus_chance = bonus_chances(service, strategy) if errors else None
    explained = []
    for error in errors:
        of_actual = action_outlook(strategy, error, error.done, bonus_chance)
        of_best = action_outlook(strategy, error, error.best, bonus_chance)
        explained.append((error, of_actual, of_best))
    return "\n".join(review_lines(rules, review, explained))


def bonus_chances(service: QueryService, strategy: Strategy) -> Callable[[State], float] | None:
    """Return a function for the chance of the upper bonus of a state.

    It is None without a bonus, or if its table would take long to solve.
    """
    from ...objectives.policy_quantities import BonusChance
    from ...strategy.distribution import has_distribution
    from ...tablebase.store import has_table, open_table

    rules = strategy.rules
    settings = service.settings
    if not rules.bonus:
        return None
    is_quick = has_distribution(rules) or has_table(rules, settings.tables, BonusChance.name)
    if not is_quick:
        return None
    _info, chances = open_table(settings, BonusChance(rules, strategy.table))
    return lambda state: float(chances[strategy.space.index(state)])


@click.command(cls=options.YatzyCommand)
@options.rules_argument
@click.option(
    "--difficulty",
    "-d",
    type=click.Choice(["easy", "medium", "hard"]),
    default="medium",
    show_default=True,
    help="The harder, the less the second-best option loses.",
)
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Date of the puzzle [today].",
)
@click.option("--stream", is_flag=True, help="Continue with further puzzles until you quit.")
@click.option("--solution", is_flag=True, help="Show the solution without asking.")
@options.number_option(
    "--sheet", low=1, high=200, text="Write a page of N puzzles to print, and their solutions."
)
@options.seed_option("Seed of the puzzles of --sheet [the date].", default=None)
@options.output_option("HTML file for --sheet [standard output].", default="-")
@options.force_option
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the position and its solution as one JSON object.",
)
@options.language_option
@options.service_options
def puzzle(
    rules: str,
    difficulty: str,
    day: datetime | None,
    stream: bool,
    solution: bool,
    sheet: int | None,
    seed: int | None,
    output: str,
    force: bool,
    as_json: bool,
    service: QueryService,
) -> None:
    """Solve the puzzle of the day.

    A position that is the same for everyone on the same date. Your answer is graded as in `yatzy
    review`.

    With --sheet a class gets a page of puzzles to print; the solutions are on a page of their own.

    \b
      yatzy puzzle
      yatzy puzzle --difficulty hard --stream
      yatzy puzzle --sheet 12 --seed 7 -o sheet.html
    """
    from ...play.puzzle import daily_seed, find_puzzle, find_puzzles
    from ...service.reviews import action_json, puzzle_fields
    from ..views.review_text import puzzle_lines, solution_lines

    if sheet is None and (seed is not None or output != "-"):
        raise click.UsageError(_("--seed and --output need --sheet"))
    if sheet is not None:
        if stream or solution or as_json:
            raise click.UsageError(_("--sheet cannot be used with --stream, --solution or --json"))
        file_format(output, {"html": "html", "htm": "html"}, None)
        check_overwrite(force, output)
    rule_set = service.rules(rules)
    strategy = service.strategy(rule_set)
    puzzle_date = day.date() if day else date.today()
    if sheet:
        from ..views.exercises import puzzle_sheet

        first = puzzle_date.toordinal() if seed is None else seed
        puzzles = find_puzzles(strategy, first, difficulty, sheet)
        write_output(output, puzzle_sheet(strategy, rule_set, service.language, puzzles))
        return
    numbers = count(1) if stream else [1]
    for number in numbers:
        position = find_puzzle(strategy, daily_seed(puzzle_date, number - 1), difficulty)
        if as_json:
            fields = puzzle_fields(position) | {
                "options": [
                    action_json(option) | {"loss": option.loss}
                    for option in position.options(strategy)
                ]
            }
            echo_json(query="puzzle", rules=strategy.rules.key, **fields)
            continue
        text = (
            _("Puzzle {number} of {date}, {difficulty}")
            if stream
            else _("Puzzle of {date}, {difficulty}")
        )
        grade = _(difficulty)  # marked elsewhere
        click.echo(text.format(number=number, date=puzzle_date, difficulty=grade))
        if solution:
            ranking = position.options(strategy)
            echo_lines(
                puzzle_lines(rule_set, position, strategy), [""], solution_lines(rule_set, ranking)
            )
        elif not ask_puzzle(strategy, rule_set, position):
            return


def ask_puzzle(strategy: Strategy, rules: RuleSet, puzzle: Puzzle) -> bool:
    """Show a puzzle, ask for an answer, and show its grade and the solution.

    Return False if the player quits.
    """
    from ..views.review_text import find_answer, grade_line, puzzle_lines, solution_lines
    from ..views.wording import (
        CATEGORY_HELP,
        HOLD_HELP,
        QUIT_HELP,
        command_of,
        decision_question,
        wrapped,
    )

    echo_lines(puzzle_lines(rules, puzzle, strategy))
    ranking = puzzle.options(strategy)
    answered = False
    while not answered:
        text = prompt_line(decision_question(puzzle.rolls_left))
        if text is None or command_of(text) == "quit":
            break
        if command_of(text) in HELP_WORDS:
            hold_help = _(HOLD_HELP) if puzzle.rolls_left else ""  # marked elsewhere
            click.echo(hold_help + _(CATEGORY_HELP) + _(QUIT_HELP))  # marked elsewhere
            continue
        try:
            answer = find_answer(rules, puzzle, ranking, text)
            click.echo(grade_line(rules, answer, is_best=answer == ranking[0]))
            answered = True
        except StateError as error:
            click.echo(wrapped(str(error)))
    echo_lines(solution_lines(rules, ranking), [""])
    return answered
