"""Single games of a simulation, with every die and decision, as a record.

The dice of :mod:`solver.game_kernels` in Python's own integers, and the decisions by single queries: a thousand
times slower than the kernels, and the same games.
"""

from __future__ import annotations

from .advice import Strategy
from .notation import Scorecard
from .record import Dice, Game, Turn, after

WORD = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
DIE_BITS = 60


def _mixed(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


def dice_of_game(seed: int, game: int, turn: int, roll: int, number: int, faces: int) -> Dice:
    """The dice a simulation rolls: a function of seed, game, turn and roll (all from 0) alone."""
    word = _mixed((seed + STEP) & WORD)
    word = _mixed((word + game * STEP) & WORD)
    word = _mixed((word + (turn * 256 + roll + 1) * STEP) & WORD) >> (64 - DIE_BITS)
    dice = []
    for _ in range(number):
        word *= faces
        dice.append((word >> DIE_BITS) + 1)
        word &= (1 << DIE_BITS) - 1
    return tuple(dice)


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
    return Turn(player, tuple(rolls), tuple(holds), chosen.category, chosen.points, chosen.bonus)


def replay(strategy: Strategy, seed: int, game: int) -> Game:
    """A whole game of a simulation from the empty card, as a record."""
    card, turns = Scorecard(strategy.rules), []
    for number in range(len(strategy.rules.categories)):
        turn = play_turn(strategy, card, seed, game, number)
        turns.append(turn)
        card = after(card, turn)
    return Game(strategy.rules, ("mean",), tuple(turns), {"source": "simulate", "seed": seed, "game": game})
