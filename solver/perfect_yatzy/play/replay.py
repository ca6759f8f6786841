"""Single turns of a simulated game, from single queries.

The dice are those of :mod:`perfect_yatzy.kernels.rollout`. This is a thousand times slower than the kernels, needs no
compiled code, and gives the same turns.
"""

from __future__ import annotations

from ..game.dice import Dice
from ..game.dice_stream import dice_of_game
from ..game.scorecard import Scorecard
from ..strategy.strategy import Strategy
from .record import Turn


def play_turn(strategy: Strategy, card: Scorecard, seed: int, game: int, turn: int, player: int = 0) -> Turn:
    """One turn of a simulated game, played by the strategy."""
    rules = strategy.rules
    rolls_left = strategy.max_rerolls(card.state)
    held: Dice = ()
    history: list[Dice] = []
    holds: list[Dice] = []
    while True:
        new = dice_of_game(seed, game, turn, len(history), rules.dice - len(held), rules.faces)
        history.append(tuple(sorted((*held, *new))))
        best = strategy.holds(card, history[-1], rolls_left)[0] if rolls_left else None
        if best is None or best.category:
            break
        held, rolls_left = best.dice, rolls_left - 1
        holds.append(held)
    chosen = strategy.categories(card, history[-1], rolls_left)[0]
    return Turn(player, tuple(history), tuple(holds), chosen.category, chosen.points, chosen.bonus_points)
