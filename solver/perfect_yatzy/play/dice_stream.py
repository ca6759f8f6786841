"""The dice of a simulated game, as a function of seed, game, turn and roll."""

from __future__ import annotations

from ..game.dice import Dice

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
