"""`yatzy review`: grade recorded games."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from ..._messages import _, ngettext
from ...errors import StateError
from ..console import echo_json
from ..options import Number, language_option, number_option, service_options
from ..user_files import finished_games

if TYPE_CHECKING:
    from ...game.rules import RuleSet
    from ...game.scorecard import State
    from ...play.review import Review
    from ...service.queries import QueryService
    from ...strategy.strategy import Strategy


@click.command()
@click.argument("file", type=click.Path(), required=False)
@number_option("--game", low=1, text="Number of the game in the file [the last].")
@click.option("--player", help="Name or number of a player [all players].")
@click.option(
    "--from", "min_loss", type=Number(0), metavar="POINTS", default=0.05, show_default=True,
    help="Show decisions that lose at least this many points.",
)  # fmt: skip
@click.option("--drill", is_flag=True, help="Repeat these decisions as puzzles.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every decision and roll.")
@language_option
@service_options
def review(
    file: str | None, game: int | None, player: str | None, min_loss: float, drill: bool, as_json: bool,
    service: QueryService,
) -> None:  # fmt: skip
    """Grade a recorded game: luck, errors and better options.

    FILE is a record of `yatzy play` or `yatzy simulate -o games.jsonl`, one game per line; without it, that of the
    games you finished with `yatzy play`.

    \b
      yatzy review
      yatzy review games.jsonl --game 3 --drill
    """
    from ...game.translations import localized
    from ...play.record import read_games
    from ...play.review import review as grade_game
    from ...service.answers import approximate_fields
    from ...service.reviews import review_json
    from ..views.answers import approximate_lines
    from ..views.wording import number_word

    file = file or finished_games()
    games = read_games(file)
    number = len(games) if game is None else game
    if number > len(games):
        text = ngettext(
            "{file} has {count} game; there is no game {number}",
            "{file} has {count} games; there is no game {number}",
            len(games),
        )
        raise StateError(text.format(file=file, count=number_word(len(games)), number=number))
    record = games[number - 1]
    players = [find_player(record.players, player)] if player else range(len(record.players))
    strategy = service.strategy(record.rules)
    rules = localized(record.rules, service.language)
    reviews = (grade_game(strategy, record, i) for i in players)
    certificate = approximate_fields(strategy)
    if as_json:
        graded = [review_json(found) for found in reviews]
        echo_json(query="review", rules=rules.key, game=number, **certificate, reviews=graded)
    elif drill:
        repeat_decisions(strategy, rules, reviews, min_loss)
    else:
        for found in reviews:
            click.echo(explained_text(service, strategy, rules, found, min_loss))
        for line in approximate_lines(certificate):
            click.echo(line)


def repeat_decisions(strategy: Strategy, rules: RuleSet, reviews: Iterable[Review], min_loss: float) -> None:
    """Ask the decisions that lose at least `min_loss` again, as puzzles, until the player stops."""
    from ...play.puzzle import Puzzle
    from ..views.wording import number_word
    from .puzzle import ask_puzzle

    for found in reviews:
        errors = [decision for decision in found.decisions if decision.loss >= min_loss]
        text = ngettext("{player}: {count} decision to repeat", "{player}: {count} decisions to repeat", len(errors))
        click.echo(text.format(player=found.player, count=number_word(len(errors))) + "\n")
        for decision in errors:
            if not ask_puzzle(strategy, rules, Puzzle(decision.card, decision.dice, decision.rolls_left)):
                return


def explained_text(service: QueryService, strategy: Strategy, rules: RuleSet, found: Review, min_loss: float) -> str:
    """A review as text, with what the decisions that lose at least `min_loss` lead to."""
    from ...play.review import action_outlook
    from ..views.review import review_lines

    errors = [decision for decision in found.decisions if decision.loss >= min_loss]
    bonus = bonus_chances(service, strategy) if errors else None
    explained = [
        (d, action_outlook(strategy, d, d.done, bonus), action_outlook(strategy, d, d.best, bonus)) for d in errors
    ]
    return "\n".join(review_lines(rules, found, explained))


def bonus_chances(service: QueryService, strategy: Strategy) -> Callable[[State], float] | None:
    """Chance of the upper bonus by state; None without a bonus, or if its table would take long to solve."""
    from ...model.objectives import BonusChance
    from ...strategy.distribution import has_distribution
    from ...tablebase.store import has_table, open_table

    rules = strategy.rules
    if not rules.bonus or not (has_distribution(rules) or has_table(rules, service.tables, BonusChance.name)):
        return None
    chances = open_table(BonusChance(rules, strategy.table), service.tables, threads=service.threads)[1]
    return lambda state: float(chances[strategy.space.index(state)])


def find_player(players: tuple[str, ...], player: str) -> int:
    """Index of a player from a name or a number that starts at 1."""
    for i, name in enumerate(players):
        if name.lower() == player.lower() or player == str(i + 1):
            return i
    text = _("there is no player {player!r}; the players are {players}")
    raise StateError(text.format(player=player, players=", ".join(players)))
