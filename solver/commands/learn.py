"""Learning: a played game reviewed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..console import language_option, make_desk, table_options

if TYPE_CHECKING:
    from ..advice import Strategy
    from ..queries import Desk
    from ..states import State


def bonus_chances(desk: Desk, strategy: Strategy) -> Callable[[State], float] | None:
    """Chance of the upper bonus of a state, None where its table would take long to make."""
    from ..forward import has_distribution
    from ..objectives import BonusChance
    from ..store import has_table, open_table

    rules = strategy.rules
    if not rules.bonus or not (has_distribution(rules) or has_table(rules, desk.tables, BonusChance.name)):
        return None
    chances = open_table(BonusChance(rules, strategy.values), desk.tables, threads=desk.threads)[1]
    return lambda state: float(chances[strategy.space.index(state)])


@click.command()
@click.argument("file", type=click.Path())
@click.option("--game", type=click.IntRange(1), help="Which game of the file [the last].")
@click.option("--player", help="Whose decisions: a name or a number from 1 [all players].")
@click.option("--from", "threshold", type=float, default=0.05, show_default=True, help="Show losses from here on.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with every decision and roll.")
@language_option
@table_options
def review(
    file: str,
    game: int | None,
    player: str | None,
    threshold: float,
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
    from ..errors import StateError
    from ..languages import localized
    from ..record import read_games
    from ..review import prospect
    from ..review import review as grade_game
    from ..views.review import review_json, review_lines

    games = read_games(file)
    number = len(games) if game is None else game
    if number > len(games):
        raise StateError(f"{file} has {len(games)} games; there is no game {number}")
    played = games[number - 1]
    chosen = [find_player(played.players, player)] if player else range(len(played.players))
    desk = make_desk(tables, threads, lang)
    strategy = desk.strategy(played.rules)
    rules = localized(played.rules, lang)
    answers: list[dict[str, Any]] = []
    for i in chosen:
        found = grade_game(strategy, played, i)
        if as_json:
            answers.append(review_json(rules, found))
            continue
        shown = [d for d in found.decisions if d.loss >= threshold]
        bonus = bonus_chances(desk, strategy) if shown else None
        explained = [(d, prospect(strategy, d, d.done, bonus), prospect(strategy, d, d.best, bonus)) for d in shown]
        click.echo("\n".join(review_lines(rules, found, explained)))
    if as_json:
        click.echo(
            json.dumps({"schema": 1, "query": "review", "rules": rules.key, "game": number, "reviews": answers})
        )


def find_player(players: tuple[str, ...], wanted: str) -> int:
    """Number of a player from a name or a number from 1."""
    from ..errors import StateError

    for i, name in enumerate(players):
        if name.lower() == wanted.lower() or wanted == str(i + 1):
            return i
    raise StateError(f"no player {wanted!r}; the players are {', '.join(players)}")
