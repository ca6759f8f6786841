"""Sessions, games as a person plays them, with mistakes, and games of a simulation from single
queries.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perfect_yatzy import Scorecard, Strategy, load_rules
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import Game, card_after
from perfect_yatzy.play.session import Session

from support.command import Run

FORCED = [c.id for c in load_rules("yatzy-forced").categories]


def new_session(rules: str = "yatzy", players: int = 1, seed: int | None = 5) -> Session:
    """A session without actions."""
    return Session(load_rules(rules), tuple(f"P{i}" for i in range(players)), seed)


def scripted_session(
    rules: str, *turns: tuple[tuple[int, ...], str], players: tuple[str, ...] = ("Ann",)
) -> Session:
    """A session in which each turn is one roll and a category."""
    session = Session(load_rules(rules), players, None)
    for dice, category in turns:
        session.roll(dice)
        session.score(category)
    return session


FIVES, FOURS, RUN = (5,) * 5, (4,) * 5, (2, 3, 4, 5, 6)


def human(strategy: Strategy, seed: int) -> Game:
    """A game in which the best option is chosen often, and a worse one with exponentially
    falling chance.
    """
    generator, session = random.Random(seed), Session(strategy.rules, ("Ann",), None)

    def pick(options: Sequence[Any]) -> Any:
        return options[min(int(generator.expovariate(0.8)), len(options) - 1)]

    while not session.over:
        session.roll([generator.randint(1, strategy.rules.faces) for _ in range(session.to_roll)])
        now = session.card(), session.dice, session.rolls_left
        done = pick(strategy.holds(*now)) if session.rolls_left else None
        if done and not done.category:
            session.hold(done.dice)
        else:
            session.score(pick(strategy.categories(*now)).category)
    return Game(strategy.rules, session.players, session.turns)


def check_play(run: Run, sheet: str, folder: Path) -> None:
    """Begin a game at the table, which tells what is expected."""
    options = (
        "--seed",
        "3",
        "--record",
        str(folder / "r.jsonl"),
        "--save",
        str(folder / "s.json"),
        "--no-warn",
    )
    played = run("play", sheet, *options, stdin="?\nhold none\n?\nquit")
    assert "expected" in played.stdout
    assert played.returncode == 0, played.stderr


def replay(strategy: Strategy, seed: int, game: int) -> Game:
    """A game of :func:`perfect_yatzy.simulate` with a seed, from the empty card, as a record;
    the first one is game 0.
    """
    card, turns = Scorecard(strategy.rules), []
    for number in range(len(strategy.rules.categories)):
        turn = play_turn(strategy, card, seed, game, number)
        turns.append(turn)
        card = card_after(card, turn)
    return Game(
        strategy.rules, ("mean",), tuple(turns), {"source": "simulate", "seed": seed, "game": game}
    )
