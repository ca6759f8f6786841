"""Games with errors, as a person plays them."""

from __future__ import annotations

import random

from perfect_yatzy.game.dice import Dice
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.play.record import Game, Turn, card_after
from perfect_yatzy.strategy.strategy import Strategy


def human(strategy: Strategy, seed: int) -> Game:
    """A game by one who errs: now and then one of the better options, seldom any."""
    chance, rules = random.Random(seed), strategy.rules
    card, turns = Scorecard(rules), []

    def pick(options: list[object]) -> object:
        return options[min(int(chance.expovariate(0.8)), len(options) - 1)]

    for _ in rules.categories:
        left, held = strategy.most_rerolls(card.state), ()
        rolls: list[Dice] = []
        holds: list[Dice] = []
        while True:
            new = [chance.randint(1, rules.faces) for _ in range(rules.dice - len(held))]
            rolls.append(tuple(sorted((*held, *new))))
            if not left:
                break
            done = pick(strategy.holds(card, rolls[-1], left))
            if done.category:  # type: ignore[attr-defined]
                break
            held, left = done.dice, left - 1  # type: ignore[attr-defined]
            holds.append(held)
        choice = pick(strategy.categories(card, rolls[-1], left))
        turns.append(
            Turn(0, tuple(rolls), tuple(holds), choice.category, choice.points, choice.bonus_points)  # type: ignore[attr-defined]
        )
        card = card_after(card, turns[-1])
    return Game(rules, ("Ann",), tuple(turns))
