"""The values of all holds of a turn, which the questions about single decisions need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Lattice
from ..core.jit import jit
from ..core.lattice import copy_vectors, maxima, means
from ..core.simd import aligned, shifted, width
from ..core.turn import OVERWRITE, RAISE, Scratch, backup_all_stop_values, make_scratch
from ..core.turn_model import TurnModel


class HoldValues(NamedTuple):
    """Values of all holds of one block, for each number of rerolls left."""

    values: Floats  # (most rerolls * holds,) vectors: see :func:`hold_place`
    scratch: Scratch  # working memory of the backup


def hold_values(
    dice: Lattice, model: TurnModel, rerolls: int, dtype: npt.DTypeLike = np.float64
) -> HoldValues:
    """Return new memory for up to so many rerolls."""
    return HoldValues(
        aligned(max(1, rerolls) * dice.n_holds, dtype), make_scratch(dice, model, dtype)
    )


@jit
def hold_place(dice, rerolls, hold):
    """Return the vector of a HoldValues for a hold with 1, 2, ... rerolls left.

    For a full roll it is that with one reroll less left.
    """
    return (rerolls - 1) * (dice.first_roll + dice.roll_count) + hold


@jit
def hold_value(memory, dice, rerolls, hold, lane):
    """Return the value of a hold with a number of rerolls left.

    It is that of one lane of the block in a HoldValues.
    """
    return float(memory.values[hold_place(dice, rerolls, hold) * width(memory.values) + lane])


@jit
def backup_holds(children, job, block, most, memory):
    """Write the values of all holds of a block with 1 to `most` rerolls left to `memory`."""
    model = job.model
    dice = job.model.dice
    values = memory.values
    for rerolls in range(1, most + 1):
        stage = shifted(values, -hold_place(dice, rerolls, 0) * width(values))
        if rerolls == 1:
            backup_all_stop_values(children, model, block, 0, OVERWRITE, stage, memory.scratch)
        else:  # the rolls of this stage are the best within what the last one holds
            copy_vectors(
                values,
                hold_place(dice, rerolls - 1, 0),
                stage,
                0,
                dice.first_roll + dice.roll_count,
            )
            if model.saves_rolls:
                backup_all_stop_values(
                    children, model, block, rerolls - 1, RAISE, stage, memory.scratch
                )
            maxima(stage, job.lattice)
        means(stage, job.lattice)
