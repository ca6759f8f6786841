"""The policy for goals and utilities, one decision at a time; of equal options the one with the highest mean.

    E = {i : value(i) as good as the best value}          options: to stop, or one of the holds
    F = {i in E : mean(i) as good as the best mean in E}
    the first option of F: most dice held, then higher faces; the first category of the sheet

The mean of an option is the expected points to come if everything after it maximises the mean. It does not depend on
the score x, so one backup of the turn for the mean serves all blocks of scores of a card (:mod:`.value_tables`).

:mod:`.policy` chooses for every roll of a block. Here the values of all holds are kept instead, and only the
decisions of the games or positions at hand are made: blocks of scores have few of them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..game.dice import Floats, Ints, Lattice
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .goal_estimates import value_at
from .jit import jit
from .lattice import maxima, means
from .legal import scoring_of_roll
from .simd import aligned, load, peek, poke, shifted, store, width
from .turn import LOWEST, OVERWRITE, RAISE, Scratch, backup_all_stop_values, make_scratch
from .value_tables import SCORE_BITS, SCORE_ORIGIN, state_number

SCORE_LANES = 2 * LANES  # lanes of a vector of float32


class HoldValues(NamedTuple):
    """Values of all holds of one block, for each number of rerolls left.

    Attributes
    ----------
    values : (most rerolls * holds,) vectors
        Hold h with n >= 1 rerolls left is vector ``(n - 1) * holds + h``. Entries of full rolls are those of the roll
        with one reroll less.
    scratch : Scratch
        Working memory of the backup.
    """

    values: Floats
    scratch: Scratch


class ScorePolicyJob(NamedTuple):
    """Arguments of a kernel that follows the policy of a table of goals or of a utility.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    lattice : FiveDice, SixDice or IndexedLattice
    value_ties, mean_ties : (float, float)
        Absolute and relative difference of equal values, and of equal means.
    scores : HoldValues
        Of the objective, float32. This and the following are used by no other thread during the call.
    means : HoldValues
        Of the mean, float64.
    option_values, option_means : (options,) float64
        Options of one decision.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any
    value_ties: tuple[float, float]
    mean_ties: tuple[float, float]
    scores: HoldValues
    means: HoldValues
    option_values: Floats
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
    outcomes: TurnOutcomes,
    passes: Any,
    ties: tuple[tuple[float, float], tuple[float, float]],
    most_saved: int,
) -> ScorePolicyJob:
    """The policy with new working memory for one thread.

    Parameters
    ----------
    passes : FiveDice, SixDice or IndexedLattice
        From :func:`perfect_yatzy.kernels.lattice.kernel_lattice`.
    ties
        Of the values and of the means.
    most_saved
        Most rolls that may have been saved before a turn.
    """
    vectors = max(1, model.rolls_per_turn - 1 + most_saved) * dice.n_holds
    scores, means = (
        HoldValues(aligned(vectors, dtype), make_scratch(dice, model, dtype)) for dtype in (np.float32, np.float64)
    )
    options = max(model.category_count, int(np.diff(model.dice.hold_start).max()))
    return ScorePolicyJob(model, outcomes, passes, *ties, scores, means, np.zeros(options), np.zeros(options))


def score_blocks(ranges: tuple[Ints, Ints], lane: Ints, x: Ints) -> tuple[Ints, Ints]:
    """Blocks of many states and scores, ``(n,)`` int64 each.

    Parameters
    ----------
    ranges
        First and last score of the range of each state.
    lane, x
        Lane of upper sums of each state, and the score.

    Returns
    -------
    start, lane_in_block
        Start of the block (:func:`perfect_yatzy.kernels.value_tables.score_block`), and the lane of x within. Scores
        beyond the range of a state share a block with known values.
    """
    low, high = ranges
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
            before = (rerolls - 2) * holds
            for hold in range(holds):
                store(stage, hold, load(memory.values, before + hold))
            if model.saves_rolls:
                backup_all_stop_values(children, model, block, rerolls - 1, RAISE, stage, memory.scratch)
            maxima(stage, job.lattice)
        means(stage, job.lattice)


@jit
def lowest_equal_number(best, ties):
    """The lowest number that equals `best`."""
    return best - (ties[0] + ties[1] * abs(best))


@jit
def preferred(job, options):
    """Which of the first `options` entries of the option memory to take."""
    values, averages = job.option_values, job.option_means
    best, best_mean = LOWEST, LOWEST
    for i in range(options):
        best = max(best, peek(values, i))
    limit = lowest_equal_number(best, job.value_ties)
    for i in range(options):
        if peek(values, i) >= limit:
            best_mean = max(best_mean, peek(averages, i))
    mean_limit = lowest_equal_number(best_mean, job.mean_ties)
    chosen = 0
    for i in range(options - 1, -1, -1):
        if peek(values, i) >= limit and peek(averages, i) >= mean_limit:
            chosen = i
    return chosen


@jit
def preferred_stop(scores, mean_table, job, turn, roll, saved, is_first):
    """Outcome of the best category for a roll, its value and its mean."""
    model, outcomes = job.model, job.outcomes
    allowed, way = scoring_of_roll(model, turn.row, turn.choices, roll, is_first)
    first = way * model.category_count * model.dice.roll_count + roll
    for c in range(model.category_count):
        value, average = LOWEST, LOWEST
        if allowed >> c & 1:
            i = peek(outcomes.number, first + c * model.dice.roll_count)
            child, total = turn.row + peek(outcomes.step, i), peek(outcomes.total, i)
            state = state_number(model.layout, turn.row, child, turn.lane, saved, peek(outcomes.shift, i))
            value = float(value_at(scores, model.layout, child, state, turn.x + int(total)))
            average = peek(mean_table.values, state) + total
        poke(job.option_values, c, value)
        poke(job.option_means, c, average)
    c = preferred(job, model.category_count)
    outcome = peek(outcomes.number, first + c * model.dice.roll_count)
    return outcome, peek(job.option_values, c), peek(job.option_means, c)


@jit
def decision(scores, mean_table, job, turn, score_lane, roll, rerolls, is_first):
    """What to do with a roll.

    Parameters
    ----------
    scores : ScoreTable or EstimateTable
    mean_table : MeanTable
    job : ScorePolicyJob
        With the values of all holds of the block of `turn`, for both.
    turn : TurnStart
    score_lane : int
        Lane of x in the block of scores.
    roll, rerolls : int
        Number of the roll; rerolls left.
    is_first : bool
        Whether no die has been rerolled in this turn.

    Returns
    -------
    (hold, outcome, value)
        Lattice index of the hold, or -1 to stop; the outcome if the turn stops; the value of the decision.
    """
    model, dice = job.model, job.model.dice
    outcome, value, average = preferred_stop(
        scores, mean_table, job, turn, roll, rerolls if model.saves_rolls else 0, is_first
    )
    hold = -1
    if rerolls > 0:
        first = peek(dice.hold_start, roll)
        options = peek(dice.hold_start, roll + 1) - first
        stage = (rerolls - 1) * (dice.first_roll + dice.roll_count)
        # The list opens with the hold of all dice, which is to stop.
        poke(job.option_values, 0, value)
        poke(job.option_means, 0, average)
        for i in range(1, options):
            place = stage + peek(dice.holds, first + i)
            poke(job.option_values, i, float(peek(job.scores.values, place * width(job.scores.values) + score_lane)))
            poke(job.option_means, i, peek(job.means.values, place * LANES + turn.lane % LANES))
        chosen = preferred(job, options)
        if chosen > 0:
            hold, value = int(peek(dice.holds, first + chosen)), peek(job.option_values, chosen)
    return hold, outcome, value
