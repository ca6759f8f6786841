"""The smallest holds that are sure of an outcome: a roll may be scored as any hold within it.

Ones pay 2 for every roll with exactly two ones. As three ones pay more, 2 may be offered to every roll that contains
1 1, and that one hold stands for all its rolls::

    outcome          rolls that earn it     smallest holds sure of it
    ones 2           56 rolls               1 1
    one pair 12      126 rolls              6 6
    full house 22    22266 44222 55444 ...  the same rolls
    chance 17        every roll of sum 17   the same rolls

A pass of maxima over the lattice of holds (:mod:`perfect_yatzy.kernels.lattice`) carries what a hold is sure of to
all rolls that contain it. Yatzy has 1,544 pairs of a roll and a category that pays for it, and 353 pairs of a hold
and an outcome.
"""

from __future__ import annotations

import numpy as np

from ..game.dice import Ints, Lattice


def earning_holds(dice: Lattice, start: Ints, roll_start: Ints, rolls: Ints) -> tuple[Ints, Ints]:
    """`hold_start` and `holds` of :class:`.turn_model.CategoryOutcomes` from its other arrays."""
    # The best outcome of the holds listed within a roll is the outcome of that roll.
    count = int(start[-1])
    number = np.repeat(np.arange(count), np.diff(roll_start))
    category = np.searchsorted(start, number, side="right") - 1
    # The lowest outcome, in each category, of the rolls that contain a hold; and the best of the holds within it.
    sure = np.zeros((dice.n_holds, len(start) - 1), dtype=np.int64)
    sure[rolls, category] = number
    for hold in range(dice.first_roll - 1, -1, -1):
        sure[hold] = sure[dice.successors[hold]].min(axis=0)
    within = np.tile(start[:-1], (dice.n_holds, 1))
    for hold in range(1, dice.n_holds):
        smaller = dice.predecessors[dice.predecessor_start[hold] : dice.predecessor_start[hold + 1]]
        within[hold] = np.maximum(sure[smaller], within[smaller]).max(axis=0)
    listed = sure > within
    # Where there are as many such holds as rolls, as for the sum of all dice, the rolls lie closer together.
    pays = sure[dice.first_roll :] > start[:-1]
    by_roll = listed.sum(axis=0) >= pays.sum(axis=0)
    listed[: dice.first_roll, by_roll] = False
    listed[dice.first_roll :, by_roll] = pays[:, by_roll]
    holds, _ = np.nonzero(listed)
    order = np.lexsort((holds, sure[listed]))
    return np.searchsorted(sure[listed][order], np.arange(count + 1)).astype(np.int64), holds[order]
