"""Games as a person plays them, with mistakes, and games of a simulation from single queries."""

from __future__ import annotations

import random
from pathlib import Path

from perfect_yatzy import Scorecard, Strategy
from perfect_yatzy.game.dice import Dice
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import Game, Turn, card_after

from support.command import Run


def human(strategy: Strategy, seed: int) -> Game:
    """A game in which the best option is chosen often, and a worse one with exponentially falling chance."""
    generator, rules = random.Random(seed), strategy.rules
    card, turns = Scorecard(rules), []

    def pick(options: list[object]) -> object:
        return options[min(int(generator.expovariate(0.8)), len(options) - 1)]

    for _ in rules.categories:
        rolls_left, held = strategy.max_rerolls(card.state), ()
        history: list[Dice] = []
        holds: list[Dice] = []
        while True:
            new = [generator.randint(1, rules.faces) for _ in range(rules.dice - len(held))]
            history.append(tuple(sorted((*held, *new))))
            if not rolls_left:
                break
            done = pick(strategy.holds(card, history[-1], rolls_left))
            if done.category:  # type: ignore[attr-defined]
                break
            held, rolls_left = done.dice, rolls_left - 1  # type: ignore[attr-defined]
            holds.append(held)
        choice = pick(strategy.categories(card, history[-1], rolls_left))
        turns.append(
            Turn(0, tuple(history), tuple(holds), choice.category, choice.points, choice.bonus_points)  # type: ignore[attr-defined]
        )
        card = card_after(card, turns[-1])
    return Game(rules, ("Ann",), tuple(turns))


def check_play(run: Run, sheet: str, folder: Path) -> None:
    """Begin a game at the table, which tells what is expected."""
    options = ("--seed", "3", "--record", str(folder / "r.jsonl"), "--save", str(folder / "s.json"), "--no-warn")
    played = run("play", sheet, *options, stdin="?\nhold none\n?\nquit")
    assert "expected" in played.stdout
    assert played.returncode == 0, played.stderr


def replay(strategy: Strategy, seed: int, game: int) -> Game:
    """A game of :func:`perfect_yatzy.simulate` with a seed, from the empty card, as a record; the first one is game 0."""
    card, turns = Scorecard(strategy.rules), []
    for number in range(len(strategy.rules.categories)):
        turn = play_turn(strategy, card, seed, game, number)
        turns.append(turn)
        card = card_after(card, turn)
    return Game(strategy.rules, ("mean",), tuple(turns), {"source": "simulate", "seed": seed, "game": game})
