"""A list of hold rules as flat arrays; see :mod:`perfect_yatzy.policies.hold_rules` for what they mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Ints

ROLL_ALL, STOP, NO_FIT = 0, -1, -2  # in place of a hold: keep no dice; end the turn; the rule does not fit the roll
ABOVE, BELOW = 1, 2  # conditions on par, as a sum
MAX_RULES = 62  # the rules that apply are bits of an integer


class HoldRuleArrays(NamedTuple):
    """A list of hold rules (int64 unless stated otherwise).

    Attributes
    ----------
    size : int
        Number of rules; each array has one more entry, which is not used.
    holds : (n,) int32
        Lattice index of the dice to hold, STOP or NO_FIT, by roll; several such lines.
    start : (size + 1,)
        First line of each rule in `holds`.
    per_mask : (size + 1,)
        Length of a line if the rule has one for each bitmask of open faces, 0 if it has a single line.
    all_open, none_open : (size + 1,)
        Bitmasks of categories that must be open, and that must not be open.
    any_start, any_open : (size + 2,), (n + 1,)
        Rule i needs an open category in each of ``any_open[any_start[i]:any_start[i + 1]]``, which are bitmasks.
    rerolls : (size + 1,)
        Bitmask of the numbers of rerolls left to which the rule applies.
    par : (size + 1,)
        ABOVE: only from par on; BELOW: only below it; 0: both.
    least_turns, most_turns : (size + 1,)
        Turns left, this one included.
    face_bit : (categories + 1,)
        Bit of the face that an upper category collects; 0 if it collects none.
    above_par : (lane sets * lane width,) int8
        1 where the upper sum of a lane is at least par.
    """

    size: int
    holds: npt.NDArray[np.int32]
    start: Ints
    per_mask: Ints
    all_open: Ints
    none_open: Ints
    any_start: Ints
    any_open: Ints
    rerolls: Ints
    par: Ints
    least_turns: Ints
    most_turns: Ints
    face_bit: Ints
    above_par: npt.NDArray[np.int8]
