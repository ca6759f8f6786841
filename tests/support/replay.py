"""Games of a simulation from single queries, to compare with those of the kernels."""

from __future__ import annotations

from perfect_yatzy import Scorecard, Strategy
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import Game, card_after


def replay(strategy: Strategy, seed: int, game: int) -> Game:
    """A game of :func:`perfect_yatzy.simulate` from the empty card, as a record.

    Parameters
    ----------
    seed
        Seed of the simulation.
    game
        Index of the game, from 0.
    """
    card, turns = Scorecard(strategy.rules), []
    for number in range(len(strategy.rules.categories)):
        turn = play_turn(strategy, card, seed, game, number)
        turns.append(turn)
        card = card_after(card, turn)
    return Game(strategy.rules, ("mean",), tuple(turns), {"source": "simulate", "seed": seed, "game": game})
