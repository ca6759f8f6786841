"""Dice that a seed fixes: those of simulated games and environments, a function of seed, game, turn
and roll, and those that are the same for everybody (:func:`fixed_dice`).

So a simulation gives the same games with any number of threads.
:mod:`perfect_yatzy.strategy.rollout_kernel` computes them in machine code, too::

    word = mix(seed + G),  word = mix(word + game * G),  word = mix(word + (256 * turn + roll + 1) * G)   (mod 2^64)

`mix` and G are those of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014). The top 60 bits of the last word are a fraction in [0, 1). Each die
multiplies it by the number of faces: the integer part is the die, the rest the next fraction.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from ..core.dice import Dice
from ..core.rules import RuleSet

MASK = (1 << 64) - 1
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
FRACTION_BITS = 60


class Games(NamedTuple):
    """The games `first` to ``first + number - 1`` of a seed."""

    number: int
    seed: int
    first: int = 0


def dice_of_game(seed: int, game: int, turn: int, roll: int, number: int, faces: int) -> Dice:  # noqa: PLR0913 - the numbers of which dice are a function
    """Return the dice of one roll of a simulation, in the order they are rolled.

    Game, turn and roll count from 0.
    """
    word = _mix((seed + GOLDEN_GAMMA) & MASK)
    word = _mix((word + game * GOLDEN_GAMMA) & MASK)
    word = _mix((word + (turn * 256 + roll + 1) * GOLDEN_GAMMA) & MASK)
    fraction = word >> (64 - FRACTION_BITS)
    dice = []
    for _ in range(number):
        fraction *= faces
        dice.append((fraction >> FRACTION_BITS) + 1)
        fraction &= (1 << FRACTION_BITS) - 1
    return tuple(dice)


def fixed_dice(text: str, roll: int, dice: int, faces: int) -> Dice:
    """Return the faces of all dice in a roll, the same for everybody.

    The text is that of a puzzle of the day or of a turn, and rolls and dice count from 1. The page
    has the same function (``engine/fixed-dice.js``).
    """
    digests = (
        hashlib.sha256(f"{text} roll {roll} die {die}".encode()).digest()
        for die in range(1, dice + 1)
    )
    return tuple(1 + int.from_bytes(digest[:4], "big") % faces for digest in digests)


def same_dice(rules: RuleSet, seed: str, turn: int, roll: int, held: Dice) -> Dice:
    """Return the dice rolled beside those held, where all players have the same dice.

    Turn and roll count from 1. Dice that are held lie first, and each place after them has one face
    in a roll.
    """
    text = f"perfect-yatzy challenge {seed} turn {turn}"
    return fixed_dice(text, roll, rules.dice, rules.faces)[len(held) :]


def _mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)
