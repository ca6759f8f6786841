"""Single games of a simulation, with every die and decision, as a record.

The dice of :mod:`perfect_yatzy.kernels.rollout` in Python's own integers, and the decisions by single queries: a
thousand
times slower than the kernels, and the same games.
"""

from __future__ import annotations

from ..game.dice import Dice
from ..game.scorecard import Scorecard
from ..strategy.strategy import Strategy
from .dice_stream import dice_of_game
from .record import Game, Turn, card_after


def play_turn(strategy: Strategy, card: Scorecard, seed: int, game: int, turn: int, player: int = 0) -> Turn:
    """One turn by the strategy, with the dice of a simulated game."""
    rules = strategy.rules
    left = strategy.most_rerolls(card.state)
    held: Dice = ()
    rolls: list[Dice] = []
    holds: list[Dice] = []
    while True:
        new = dice_of_game(seed, game, turn, len(rolls), rules.dice - len(held), rules.faces)
        rolls.append(tuple(sorted((*held, *new))))
        best = strategy.holds(card, rolls[-1], left)[0] if left else None
        if best is None or best.category:
            break
        held, left = best.dice, left - 1
        holds.append(held)
    chosen = strategy.categories(card, rolls[-1], left)[0]
    return Turn(player, tuple(rolls), tuple(holds), chosen.category, chosen.points, chosen.bonus_points)


def replay(strategy: Strategy, seed: int, game: int) -> Game:
    """A whole game of a simulation from the empty card, as a record."""
    card, turns = Scorecard(strategy.rules), []
    for number in range(len(strategy.rules.categories)):
        turn = play_turn(strategy, card, seed, game, number)
        turns.append(turn)
        card = card_after(card, turn)
    return Game(strategy.rules, ("mean",), tuple(turns), {"source": "simulate", "seed": seed, "game": game})
