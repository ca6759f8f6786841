"""Hold a list of hold rules as flat arrays.

:mod:`perfect_yatzy.policies.hold_rules` says what they mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Ints

# These stand in place of a hold.
ROLL_ALL = 0  # keep no dice
STOP = -1  # end the turn
NO_FIT = -2  # the rule does not fit the roll
MAX_RULES = 62  # the rules that apply are bits of an integer


class HoldRuleArrays(NamedTuple):
    """A list of hold rules (int64 unless stated otherwise)."""

    size: int  # number of rules, while each array has one more entry, which is not used
    # (n,): the lattice index of the dice to hold, STOP or NO_FIT, by roll in lines, of which a rule has
    # one, or one for each bitmask of open faces
    holds: npt.NDArray[np.int32]
    # (2 * n,): bitmask of the categories of which one must be open, because the dice may score in it,
    # then the same where rolls of the joker's kind are jokers
    of_use: Ints
    start: Ints  # (size + 1,): first line of each rule in `holds`, and where the last ends
    # (size + 1,): length of a line if the rule has one for each bitmask of open faces, else 0
    per_mask: Ints
    all_open: Ints  # (size + 1,): bitmask of categories that must be open
    none_open: Ints  # (size + 1,): bitmask of categories that must not be open
    # Rule i needs an open category in each bitmask of ``any_open[any_start[i]:any_start[i + 1]]``.
    any_start: Ints
    any_open: Ints
    scored: Ints  # (size + 1,): 1 if the tracked box must hold points
    # bit of the joker's box if its rolls may score as jokers once it is filled, else 0
    joker_box: int
    joker_scored: int  # 1 if they do so only once it holds points
    # bit of the joker's box if its points make another roll of its kind pay a bonus, else 0
    bonus_box: int
    rerolls: Ints  # (size + 1,): bitmask of the numbers of rerolls left to which the rule applies
    least_turns: Ints  # (size + 1,): fewest turns left, this one included
    most_turns: Ints  # (size + 1,): most turns left
    # (categories + 1,): bit of the face that an upper category collects, 0 if it collects none
    face_bit: Ints
    # (lane sets * lane width,): bitmask of the rules whose conditions on the upper sum hold in a
    # lane
    on_upper: Ints
