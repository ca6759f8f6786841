"""Play a soft policy for one turn: worse options are taken, too, the less often the more they lose.

At each decision (a hold with rerolls left, a category at the end) every option i has a value v_i,
the expected points to come if everything after it is perfect play. It is taken with a chance that
falls with its loss::

    d_i = max over options j of v_j  -  v_i                    points lost, 0 for the best
    P(i) = w(d_i) / sum over options j of w(d_j)               w(d) = max(0, 1 - d / limit)^8

``limit`` is eight times the *temperature*, so that w(d) is close to exp(-d / temperature), but an
option that loses more than the limit is never taken. To stop is an option of a hold; the category
is then a decision of its own.

The turn runs backwards for the values of all holds (:func:`.turn.backup_holds`), then forwards from
the dice for the chance of each outcome of the turn, and on the way for the points lost
(:mod:`..strategy.losses_kernel`). In simulated games (:mod:`..strategy.rollout`) the losses of a game
are the expected losses of the decisions it came to, before one of the options is drawn. Their mean is
that of the losses of the options drawn, and their variance is smaller.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.dice import Floats, Lattice
from ..core.jit import jit
from ..core.lattice import fill
from ..core.legal import outcome_number, scoring_of_roll
from ..core.simd import add_to, aligned, load, maximum, splat, store
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import LOWEST
from ..core.turn_model import TurnModel
from ..core.value_tables import mean_table
from ..objectives.holds_kernel import HoldValues, backup_holds, hold_place, hold_value, hold_values
from ..objectives.policy_evaluation_kernel import (
    centre_of,
    evaluate_block,
    outcome_quantities,
    write_quantity,
)
from ..objectives.policy_kernel import TurnStart, best_stop, category_means, outcome_values
from ..objectives.propagation_kernel import begin_chances, begin_turn, chances_of_turn
from ..objectives.spread_kernel import spread
from ..strategy.losses_kernel import turn_losses
from ..strategy.rollout_kernel import DIE_BITS, FIELDS, LANE, ROW, decide, player_of, random_word

SALT = 0x2545F4914F6CDD1D  # the numbers that draw options are not those of the dice


class SoftScratch(NamedTuple):
    """Working memory of one thread in addition to that of a PolicyJob, in vectors of float64."""

    holds: HoldValues  # values of all holds for each number of rerolls left
    stop_chance: Floats  # (rolls,): chance to stop with the roll
    weight: Floats  # (options,): weights of the options of one decision
    # (kinds,): points lost by holds with 1, 2, ... rerolls left, then by each category that was filled
    lost: Floats
    # kinds of losses before those of the categories, the most rerolls left when dice are held
    hold_kinds: int


class SoftTurns(NamedTuple):
    """A soft policy as an argument of the kernels that take any policy, for one thread."""

    means: TableSlice  # table of means
    sharpness: float  # 1 / limit, 0 for random play
    scratch: SoftScratch  # used by no other thread during the call
    # (games,): points that each simulated game has given away, which is added to; or (0,)
    lost: Floats
    is_counting: int  # whether `lost` has an entry for each game


def soft_scratch(dice: Lattice, model: TurnModel, most_saved: int) -> SoftScratch:
    """Return scratch for one thread, for turns that begin with up to `most_saved` saved rolls."""
    categories = model.category_count
    rerolls = model.rolls_per_turn - 1 + most_saved
    most_holds = int(np.diff(model.dice.hold_start).max())
    return SoftScratch(
        holds=hold_values(dice, model, rerolls),
        stop_chance=aligned(dice.n_rolls),
        weight=aligned(max(categories, most_holds)),
        lost=aligned(rerolls + categories),
        hold_kinds=rerolls,
    )


@jit
def option_weight(lost, sharpness, like):
    """Return the weight of an option that loses `lost` points, lane by lane."""
    base = maximum(1.0 - lost * sharpness, splat(like, 0.0))
    square = base * base
    return (square * square) * (square * square)


@jit
def hold_or_stop(policy, job, rerolls):
    """Move the chance of every roll on the table to the holds within it, and to stopping."""
    scratch = policy.scratch
    dice = job.model.dice
    temp = job.scratch.temp
    hold_chance = job.scratch.hold_chance
    weights = scratch.weight
    values = scratch.holds.values
    lost = load(scratch.lost, rerolls - 1)
    for roll in range(dice.roll_count):
        place = dice.first_roll + roll
        chance, stop = load(hold_chance, place), load(job.scratch.stop_value, roll)
        store(hold_chance, place, splat(temp, 0.0))
        # The hold of all dice is left out, because it is to stop.
        first = dice.hold_start[roll] + 1
        end = dice.hold_start[roll + 1]
        best = stop
        for k in range(first, end):
            best = maximum(best, load(values, hold_place(dice, rerolls, dice.holds[k])))
        stop_weight = option_weight(best - stop, policy.sharpness, temp)
        # the sums over the options of weight, and of weight * loss
        total = stop_weight
        expected = stop_weight * (best - stop)
        for k in range(first, end):
            loss = best - load(values, hold_place(dice, rerolls, dice.holds[k]))
            weight = option_weight(loss, policy.sharpness, temp)
            store(weights, k - first, weight)
            total += weight
            expected += weight * loss
        share = chance / total
        lost += share * expected
        add_to(scratch.stop_chance, roll, share * stop_weight)
        for k in range(first, end):
            add_to(hold_chance, dice.holds[k], share * load(weights, k - first))
    store(scratch.lost, rerolls - 1, lost)


@jit
def choose_categories(policy, job, block, is_first, first_outcome):
    """Move the chances to stop to the outcomes of the turn."""
    model, scratch, turn = job.model, policy.scratch, job.scratch
    temp, weights = turn.temp, scratch.weight
    for roll in range(model.dice.roll_count):
        allowed, way = scoring_of_roll(model, block.row, block.choices, roll, is_first)
        best = load(turn.stop_value, roll)
        total = splat(temp, 0.0)
        for c in range(model.category_count):
            if allowed >> c & 1:
                i = outcome_number(model, way, c, roll)
                loss = best - load(turn.outcome_value, i)
                weight = option_weight(loss, policy.sharpness, temp)
                store(weights, c, weight)
                total += weight
        share = load(scratch.stop_chance, roll) / total
        store(scratch.stop_chance, roll, splat(temp, 0.0))
        for c in range(model.category_count):
            if allowed >> c & 1:
                i = outcome_number(model, way, c, roll)
                chance = share * load(weights, c)
                add_to(turn.outcome_chance, first_outcome + i, chance)
                loss = best - load(turn.outcome_value, i)
                add_to(scratch.lost, scratch.hold_kinds + c, chance * loss)


@begin_turn.of(SoftTurns)
def _back_up_holds(policy, job, block, most_saved):
    most = job.model.rolls_per_turn - 1 + most_saved
    backup_holds(mean_table(policy.means), job, block, most, policy.scratch.holds)


@chances_of_turn.of(SoftTurns)
def _soft_chances(policy, job, block, saved_before):
    model, dice, scratch = job.model, job.model.dice, policy.scratch
    hold_chance = job.scratch.hold_chance
    children = mean_table(policy.means)
    most = model.rolls_per_turn - 1 + saved_before
    begin_chances(job, most)
    fill(scratch.stop_chance, 0, dice.roll_count, splat(hold_chance, 0.0))
    fill(scratch.lost, 0, scratch.hold_kinds + model.category_count, splat(hold_chance, 0.0))
    ended = True  # whether the stage before has sent all its chances to stop to their outcomes
    for rerolls in range(most, -1, -1):
        is_first = rerolls == most
        saved = rerolls if model.saves_rolls else 0
        if model.saves_rolls or is_first:
            outcome_values(children, job, block, saved)
        if ended:
            for roll in range(dice.roll_count):
                _, _, value = best_stop(job, block, roll, is_first)
                store(job.scratch.stop_value, roll, value)
        if rerolls > 0:
            hold_or_stop(policy, job, rerolls)
        else:
            for roll in range(dice.roll_count):
                add_to(scratch.stop_chance, roll, load(hold_chance, dice.first_roll + roll))
        # Otherwise the next stage stops for the same values, and the chances gather.
        ended = model.saves_rolls or rerolls == 0 or (model.has_first_roll_bonus and is_first)
        if ended:
            choose_categories(policy, job, block, is_first, saved * model.turn_outcomes.size)
        if rerolls > 0:
            spread(hold_chance, job.lattice)


@turn_losses.of(SoftTurns)
def _soft_turn_losses(policy, perfect, job, block):
    for kind in range(policy.scratch.hold_kinds + job.policy.model.category_count):
        add_to(job.block_losses, kind, load(policy.scratch.lost, kind))


@evaluate_block.of(SoftTurns)
def _evaluate_soft_block(policy, means_of_states, quantities, target, job, block):
    followed, model, scratch = job.policy, job.policy.model, job.policy.scratch
    outcomes = model.turn_outcomes
    begin_turn(policy, followed, block, job.most_saved)
    centre = centre_of(means_of_states, job, block)
    for saved_before in range(job.most_saved + 1):
        chances_of_turn(policy, followed, block, saved_before)
        value = splat(scratch.temp, 0.0)
        for saved in range(model.rolls_per_turn + saved_before if model.saves_rolls else 1):
            if job.square_weight != 0.0:
                outcome_values(means_of_states, followed, block, saved)
            outcome_quantities(quantities, job, block, saved, centre, scratch.outcome_quantity)
            for i in range(outcomes.size):
                if block.choices >> outcomes.category[i] & 1:
                    chance = load(scratch.outcome_chance, saved * outcomes.size + i)
                    value += chance * load(scratch.outcome_quantity, i)
        write_quantity(means_of_states, target, job, block, saved_before, centre, value)


@jit
def drawn(policy, game, count, word):
    """Draw one of the first `count` options in ``weight`` that are above LOWEST.

    The expected loss is added to what the game loses.
    """
    # These are the values of the options. In the second loop their weights replace them.
    options = policy.scratch.weight
    best = LOWEST
    total = 0.0
    expected = 0.0
    for i in range(count):
        best = max(best, options[i])
    for i in range(count):
        value = options[i]
        loss = best - value
        options[i] = max(0.0, 1.0 - policy.sharpness * loss) ** 8 if value > LOWEST else 0.0
        total += options[i]
        expected += options[i] * loss
    chosen = -1
    # The option whose part of the total holds this point is taken.
    left = float(word) / float(1 << DIE_BITS) * total
    for i in range(count):
        if options[i] > 0.0 and (chosen < 0 or left >= 0.0):
            chosen = i
        left -= options[i]
    if policy.is_counting:
        policy.lost[game] += expected / total
    return chosen


class SoftDecisions(NamedTuple):
    """A player with the values of all holds in the scratch of a SoftTurns."""

    policy: Any
    means: Any
    choices: int


@decide.of(SoftDecisions)
def _decide_softly(player, job, game, roll, rerolls, number):
    policy, turn, fields = player.policy, job.policy, job.games.fields
    model, dice = turn.model, turn.model.dice
    values = policy.scratch.weight  # of the options, until `drawn` replaces them by weights
    lane = fields[game * FIELDS + LANE]
    saved = rerolls if model.saves_rolls else 0
    state = TurnStart(fields[game * FIELDS + ROW], lane, 0, player.choices)
    # Each roll has two words: one for the hold, and one for the category.
    seed = np.uint64(job.seed) ^ np.uint64(SALT)
    _, way = category_means(player.means.values, turn, state, roll, saved, number == 0, values)
    if rerolls > 0:
        best = LOWEST
        for c in range(model.category_count):
            best = max(best, values[c])
        # The list of holds opens with that of all dice, which is to stop: option 0.
        first = dice.hold_start[roll]
        count = dice.hold_start[roll + 1] - dice.hold_start[roll]
        values[0] = best
        for i in range(1, count):
            values[i] = hold_value(
                policy.scratch.holds, dice, rerolls, dice.holds[first + i], lane % LANES
            )
        word = random_word(seed, job.first_game + game, job.turn, 2 * number)
        chosen = drawn(policy, game, count, word)
        if chosen > 0:
            return int(dice.holds[first + chosen]), -1
        # The values of the categories once more: those of the holds have replaced them.
        category_means(player.means.values, turn, state, roll, saved, number == 0, values)
    word = random_word(seed, job.first_game + game, job.turn, 2 * number + 1)
    category = drawn(policy, game, model.category_count, word)
    return -1, outcome_number(model, way, category, roll)


@player_of.of(SoftTurns)
def _soft_player(policy, job, block, most_saved):
    begin_turn(policy, job.policy, block, most_saved)
    return SoftDecisions(policy, mean_table(policy.means), block.choices)
