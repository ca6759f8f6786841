"""The policy for goals and utilities, one decision at a time; of equal options the one with the highest mean.

    E = {i : value(i) as good as the best value}          options: to stop, or one of the holds
    F = {i in E : mean(i) as good as the best mean in E}
    the first option of F: most dice held, then higher faces; the first category of the sheet

The mean of an option is the expected points to come if everything after it maximises the mean. It does not depend on
the score x, so one backup of the turn for the mean serves all blocks of scores of a card (:mod:`.value_tables`).

:mod:`.policy` chooses for every roll of a block. Here the values of all holds are kept instead, and only the
decisions of the games or positions at hand are made: blocks of scores have few of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints, Lattice
from ..model.state_space import LANES
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import copy_vectors, maxima, means
from .legal import outcome_number, scoring_of_roll
from .simd import aligned, shifted, width
from .turn import LOWEST, OVERWRITE, RAISE, Scratch, backup_all_stop_values, make_scratch
from .value_tables import SCORE_BITS, SCORE_ORIGIN, mean_after, state_number, value_at

SCORE_LANES = 2 * LANES  # lanes of a vector of float32


class HoldValues(NamedTuple):
    """Values of all holds of one block, for each number of rerolls left."""

    # hold h with n >= 1 rerolls left is vector ``(n - 1) * holds + h``; those of full rolls are for n - 1
    values: Floats
    scratch: Scratch  # working memory of the backup


def hold_values(dice: Lattice, model: TurnModel, rerolls: int, dtype: npt.DTypeLike = np.float64) -> HoldValues:
    """New memory for up to so many rerolls."""
    return HoldValues(aligned(max(1, rerolls) * dice.n_holds, dtype), make_scratch(dice, model, dtype))


class ScorePolicyJob(NamedTuple):
    """Arguments of a kernel that follows the policy of a table of goals or of a utility."""

    model: TurnModel
    lattice: Any  # FiveDice, SixDice or DiceModel
    value_ties: tuple[float, float]  # absolute and relative difference of equal values
    mean_ties: tuple[float, float]  # of equal means
    scores: HoldValues  # of the objective, float32
    means: HoldValues  # of the mean, float64
    option_values: Floats  # (options,): of one decision: the categories, then to stop and the holds
    option_means: Floats


class TurnStart(NamedTuple):
    """The start of a turn: row, lane of upper sums, score x, bitmask of the categories the turn may fill."""

    row: int
    lane: int
    x: int
    choices: int


def score_policy(
    dice: Lattice,
    model: TurnModel,
    passes: Any,
    ties: tuple[tuple[float, float], tuple[float, float]],
    most_saved: int,
) -> ScorePolicyJob:
    """The policy with new working memory for one thread."""
    rerolls = model.rolls_per_turn - 1 + most_saved
    scores, means = (hold_values(dice, model, rerolls, dtype) for dtype in (np.float32, np.float64))
    options = model.category_count + int(np.diff(model.dice.hold_start).max())
    return ScorePolicyJob(model, passes, *ties, scores, means, np.zeros(options), np.zeros(options))


def score_blocks(ranges: tuple[Ints, Ints], lane: Ints, x: Ints) -> tuple[Ints, Ints]:
    """Start of the block of scores of many states and x, whose ranges are given, and the lane of x within."""
    low, high = ranges  # scores beyond a range share a block with known values
    x = np.clip(x, low - 1, high + 1)
    inside = (x >= low) & (x <= high)
    lane_in_block = np.where(inside, (x - low) % SCORE_LANES, 0)
    first = np.where(x < low, low - SCORE_LANES, x - lane_in_block)
    return (lane << SCORE_BITS) + first + SCORE_ORIGIN, lane_in_block


@jit
def backup_holds(children, job, block, most, memory):
    """Values of all holds of a block with 1 to `most` rerolls left, into `memory`."""
    model, first_roll = job.model, job.model.dice.first_roll
    holds = first_roll + model.dice.roll_count
    for rerolls in range(1, most + 1):
        stage = shifted(memory.values, -(rerolls - 1) * holds * width(memory.values))
        if rerolls == 1:
            backup_all_stop_values(children, model, block, 0, OVERWRITE, stage, memory.scratch)
        else:
            copy_vectors(memory.values, (rerolls - 2) * holds, stage, 0, holds)
            if model.saves_rolls:
                backup_all_stop_values(children, model, block, rerolls - 1, RAISE, stage, memory.scratch)
            maxima(stage, job.lattice)
        means(stage, job.lattice)


@jit
def lowest_equal_number(best, ties):
    """The lowest number that equals `best`."""
    return best - (ties[0] + ties[1] * abs(best))


@jit
def preferred(job, first, end):
    """Which of the entries `first` to ``end - 1`` of the option memory to take."""
    values, averages = job.option_values, job.option_means
    best, best_mean = LOWEST, LOWEST
    for i in range(first, end):
        best = max(best, values[i])
    limit = lowest_equal_number(best, job.value_ties)
    for i in range(first, end):
        if values[i] >= limit:
            best_mean = max(best_mean, averages[i])
    mean_limit = lowest_equal_number(best_mean, job.mean_ties)
    chosen = first
    for i in range(end - 1, first - 1, -1):
        if values[i] >= limit and averages[i] >= mean_limit:
            chosen = i
    return chosen


@jit
def category_means(values, job, turn, roll, saved, is_first, target):
    """Means of all categories for a roll, to `target` (LOWEST where not allowed); those that may take it, and how."""
    model = job.model
    allowed, way = scoring_of_roll(model, turn.row, turn.choices, roll, is_first)
    for c in range(model.category_count):
        target[c] = LOWEST
        if allowed >> c & 1:
            i = outcome_number(model, way, c, roll)
            target[c] = mean_after(values, model, turn.row, turn.lane, saved, i)
    return allowed, way


@jit
def preferred_stop(scores, mean_table, job, turn, roll, saved, is_first):
    """Outcome of the best category for a roll, its value and its mean; those of all categories in the memory."""
    model, outcomes, layout = job.model, job.model.turn_outcomes, job.model.layout
    allowed, way = category_means(mean_table.values, job, turn, roll, saved, is_first, job.option_means)
    for c in range(model.category_count):
        job.option_values[c] = LOWEST
        if allowed >> c & 1:
            i = outcome_number(model, way, c, roll)
            child = turn.row + outcomes.step[i]
            state = state_number(layout, turn.row, child, turn.lane, saved, outcomes.shift[i])
            job.option_values[c] = float(value_at(scores, layout, child, state, turn.x + int(outcomes.total[i])))
    c = preferred(job, 0, model.category_count)
    return outcome_number(model, way, c, roll), job.option_values[c], job.option_means[c]


@jit
def hold_value(memory, dice, rerolls, hold, lane):
    """Value of a hold with a number of rerolls left, for one lane of the block in a HoldValues."""
    place = (rerolls - 1) * (dice.first_roll + dice.roll_count) + hold
    return float(memory.values[place * width(memory.values) + lane])


@jit
def decision(scores, mean_table, job, turn, score_lane, roll, rerolls, is_first):
    """What to do with a roll: hold, or -1 to stop; outcome of the best category; value of the decision."""
    model, dice = job.model, job.model.dice
    saved = rerolls if model.saves_rolls else 0
    outcome, value, average = preferred_stop(scores, mean_table, job, turn, roll, saved, is_first)
    hold = -1
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop.
        stop, first = model.category_count, dice.hold_start[roll]
        options = dice.hold_start[roll + 1] - first
        job.option_values[stop], job.option_means[stop] = value, average
        for i in range(1, options):
            held = dice.holds[first + i]
            job.option_values[stop + i] = hold_value(job.scores, dice, rerolls, held, score_lane)
            job.option_means[stop + i] = hold_value(job.means, dice, rerolls, held, turn.lane % LANES)
        chosen = preferred(job, stop, stop + options)
        if chosen > stop:
            hold, value = int(dice.holds[first + chosen - stop]), job.option_values[chosen]
    return hold, outcome, value
