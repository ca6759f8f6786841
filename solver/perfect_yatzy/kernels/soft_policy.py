"""A soft policy for one turn: worse options are taken, too, the less often the more they lose.

At each decision (a hold with rerolls left, a category at the end) every option i has a value v_i, the expected points
to come if everything after it is perfect play. It is taken with a chance that falls with its loss::

    d_i = max over options j of v_j  -  v_i                    points lost, 0 for the best
    P(i) = w(d_i) / sum over options j of w(d_j)               w(d) = max(0, 1 - d / limit)^8

``limit`` is eight times the *temperature*, so that w(d) is close to exp(-d / temperature), but an option that loses
more than the limit is never taken. To stop is an option of a hold; the category is then a decision of its own.

The turn runs backwards for the values of all holds (:func:`.score_policy.backup_holds`), then forwards from the dice
for the chance of each outcome of the turn, and on the way for the points lost::

    l(s)  = sum over decisions of  P(decision | s) * sum over options of P(i) d_i
    L(s)  = l(s) + sum over outcomes o of  P(o | s) L(child)                    points lost in the rest of the game
    Q(s)  = variance of the points to come, by the law of total variance as in :mod:`.policy_evaluation`

The value of the soft policy in s is V(s) - L(s): the losses of single decisions add up to what the policy gives away
(S. Kakade and J. Langford, "Approximately optimal approximate reinforcement learning", ICML 2002, lemma 6.1).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ..game.dice import Floats, Lattice
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .actions import turn_chances
from .jit import jit
from .lattice import IndexedLattice, spread
from .legal import scoring_of_roll
from .losses import turn_losses
from .policy import outcome_values
from .score_policy import HoldValues, backup_holds
from .simd import add, aligned, divide, load, maximum, multiply, peek, shifted, splat, store, view, views
from .table_slices import TableSlice
from .turn import LOWEST, make_scratch, mean_block
from .value_tables import MeanTable, table_lanes, write_values

POWER = 8  # of the weight of an option; `weight` squares three times


class SoftScratch(NamedTuple):
    """Working memory of one thread, in vectors of float64.

    Attributes
    ----------
    holds : HoldValues
        Values of all holds for each number of rerolls left.
    outcome_value, outcome_chance : (outcomes,)
        Value and chance of each outcome of the turn.
    node : (holds,)
        Chance of each multiset of dice on the table.
    stop_value, stop_chance : (rolls,)
        Value of the best category for each roll, and the chance to stop with the roll.
    weight : (options,)
        Weights of the options of one decision.
    lost : (kinds,)
        Points lost in the turn: by holds with 1, 2, ... rerolls left, then by each category that was filled instead
        of the best one.
    temp : (1,)
    """

    holds: HoldValues
    outcome_value: Floats
    outcome_chance: Floats
    node: Floats
    stop_value: Floats
    stop_chance: Floats
    weight: Floats
    lost: Floats
    temp: Floats


class SoftPolicyJob(NamedTuple):
    """Arguments of a kernel that follows a soft policy.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    lattice : FiveDice, SixDice or IndexedLattice
    lattice_index : IndexedLattice
    sharpness : float
        1 / limit: an option that loses d points has the weight ``max(0, 1 - sharpness * d)^8``. 0 for random play.
    hold_kinds : int
        Kinds of losses before those of the categories.
    scratch : SoftScratch
        Used by no other thread during the call.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any
    lattice_index: IndexedLattice
    sharpness: float
    hold_kinds: int
    scratch: SoftScratch


class SoftTurns(NamedTuple):
    """A soft policy as an argument of the kernels that take any policy (:mod:`.actions`), for one thread.

    Attributes
    ----------
    job : SoftPolicyJob
    means : TableSlice
        Table of means.
    """

    job: SoftPolicyJob
    means: TableSlice


SoftTurns.random = True  # type: ignore[attr-defined]  # see .actions; in the class it would be a field


class SoftEvaluationJob(NamedTuple):
    """Arguments of the kernel that evaluates a soft policy on rows of one layer.

    Attributes
    ----------
    policy : SoftPolicyJob
    means : TableSlice
        V of the children.
    losses, loss_target : TableSlice
        L of the children; written: L of the rows.
    variances, variance_target : TableSlice
        Q of the children; written: Q of the rows.
    most_saved : int
        Most rolls that may have been saved before the turn.
    """

    policy: SoftPolicyJob
    means: TableSlice
    losses: TableSlice
    loss_target: TableSlice
    variances: TableSlice
    variance_target: TableSlice
    most_saved: int


def soft_scratch(dice: Lattice, model: TurnModel, outcomes: TurnOutcomes, most_saved: int) -> SoftScratch:
    """Scratch for one thread, for turns that begin with up to `most_saved` saved rolls."""
    stages = max(1, model.rolls_per_turn - 1 + most_saved)
    options = max(model.category_count, int(np.diff(model.dice.hold_start).max()))
    return SoftScratch(
        holds=HoldValues(aligned(stages * dice.n_holds), make_scratch(dice, model)),
        outcome_value=aligned(outcomes.size),
        outcome_chance=aligned(outcomes.size),
        node=aligned(dice.n_holds),
        stop_value=aligned(dice.n_rolls),
        stop_chance=aligned(dice.n_rolls),
        weight=aligned(options),
        lost=aligned(hold_kinds(model, most_saved) + model.category_count),
        temp=aligned(1),
    )


def hold_kinds(model: TurnModel, most_saved: int) -> int:
    """Most rerolls that can be left when dice are held."""
    return model.rolls_per_turn - 1 + most_saved


@jit
def minus(a, b, like):
    """Lane by lane difference."""
    return add(a, multiply(b, splat(like, -1.0)))


@jit
def option_weight(lost, sharpness, like):
    """Weight of an option that loses `lost` points, lane by lane."""
    base = maximum(minus(splat(like, 1.0), multiply(lost, splat(like, sharpness)), like), splat(like, 0.0))
    square = multiply(base, base)
    fourth = multiply(square, square)
    return multiply(fourth, fourth)


@jit
def add_to(target, i, vector):
    """Add a vector to the `i`-th of a view."""
    store(target, i, add(load(target, i), vector))


@jit
def best_stops(job, block, is_first):
    """Value of the best category for each roll, into ``stop_value``, from the values of the outcomes."""
    model, scratch = job.model, job.scratch
    roll_count = model.dice.roll_count
    for roll in range(roll_count):
        allowed, way = scoring_of_roll(model, block.row, block.choices, roll, is_first)
        first = way * model.category_count * roll_count + roll
        best = splat(scratch.temp, LOWEST)
        for c in range(model.category_count):
            if allowed >> c & 1:
                best = maximum(best, load(scratch.outcome_value, peek(job.outcomes.number, first + c * roll_count)))
        store(scratch.stop_value, roll, best)


@jit
def hold_or_stop(job, rerolls):
    """Move the chance of every roll on the table to the holds within it, and to stopping."""
    scratch, dice = job.scratch, job.model.dice
    temp, node, weights = scratch.temp, scratch.node, scratch.weight
    stage = (rerolls - 1) * (dice.first_roll + dice.roll_count)
    values, lost = scratch.holds.values, load(scratch.lost, rerolls - 1)
    for roll in range(dice.roll_count):
        place = dice.first_roll + roll
        chance, stop = load(node, place), load(scratch.stop_value, roll)
        store(node, place, splat(temp, 0.0))
        # The list opens with the hold of all dice, which is to stop.
        first = peek(dice.hold_start, roll) + 1
        count, best = peek(dice.hold_start, roll + 1) - first, stop
        for i in range(count):
            best = maximum(best, load(values, stage + peek(dice.holds, first + i)))
        loss = minus(best, stop, temp)
        stop_weight = option_weight(loss, job.sharpness, temp)
        total, expected = stop_weight, multiply(stop_weight, loss)
        for i in range(count):
            loss = minus(best, load(values, stage + peek(dice.holds, first + i)), temp)
            weight = option_weight(loss, job.sharpness, temp)
            store(weights, i, weight)
            total, expected = add(total, weight), add(expected, multiply(weight, loss))
        share = divide(chance, total)
        lost = add(lost, multiply(share, expected))
        add_to(scratch.stop_chance, roll, multiply(share, stop_weight))
        for i in range(count):
            add_to(node, peek(dice.holds, first + i), multiply(share, load(weights, i)))
    store(scratch.lost, rerolls - 1, lost)


@jit
def stop_all(job):
    """Stop with every roll on the table, after the last reroll."""
    scratch, dice = job.scratch, job.model.dice
    for roll in range(dice.roll_count):
        add_to(scratch.stop_chance, roll, load(scratch.node, dice.first_roll + roll))


@jit
def choose_categories(job, block, is_first):
    """Move the chances to stop to the outcomes of the turn."""
    model, scratch = job.model, job.scratch
    roll_count, temp, weights = model.dice.roll_count, scratch.temp, scratch.weight
    for roll in range(roll_count):
        allowed, way = scoring_of_roll(model, block.row, block.choices, roll, is_first)
        first = way * model.category_count * roll_count + roll
        best, total = load(scratch.stop_value, roll), splat(temp, 0.0)
        for c in range(model.category_count):
            if allowed >> c & 1:
                i = peek(job.outcomes.number, first + c * roll_count)
                loss = minus(best, load(scratch.outcome_value, i), temp)
                weight = option_weight(loss, job.sharpness, temp)
                store(weights, c, weight)
                total = add(total, weight)
        share = divide(load(scratch.stop_chance, roll), total)
        store(scratch.stop_chance, roll, splat(temp, 0.0))
        for c in range(model.category_count):
            if allowed >> c & 1:
                i = peek(job.outcomes.number, first + c * roll_count)
                chance = multiply(share, load(weights, c))
                add_to(scratch.outcome_chance, i, chance)
                loss = minus(best, load(scratch.outcome_value, i), temp)
                add_to(scratch.lost, job.hold_kinds + c, multiply(chance, loss))


def collect(sink: object, job: object, block: object, saved: int) -> None:
    """Use the chances of the outcomes with `saved` rolls saved, and set them to 0 unless they are the result."""
    raise NotImplementedError("only within a kernel")


class ChanceSink(NamedTuple):
    """The result of a turn is the chances of its outcomes, left in the scratch; for rules that save no rolls."""


class LossSink(NamedTuple):
    """The result of a turn is the sums over its outcomes that L and Q need.

    Attributes
    ----------
    losses, variances : (states,) views
        L and Q of the children.
    sums : (3,) vectors
        Sums of P(o) times: L(child); the points of the policy p + V(child) - L(child), relative to those of the
        centre; and Q(child) plus their square.
    centre : vector
    """

    losses: Any
    variances: Any
    sums: Any
    centre: Any


@overload(collect)
def _collect(sink, job, block, saved):
    if sink.instance_class is ChanceSink:
        return lambda sink, job, block, saved: None

    def collect_losses(sink, job, block, saved):
        outcomes, scratch, layout, temp = job.outcomes, job.scratch, job.model.layout, job.scratch.temp
        for i in range(outcomes.size):
            if block.choices >> peek(outcomes.category, i) & 1:
                child, shift = block.row + peek(outcomes.step, i), peek(outcomes.shift, i)
                chance = load(scratch.outcome_chance, i)
                store(scratch.outcome_chance, i, splat(temp, 0.0))
                loss = table_lanes(sink.losses, layout, block, child, saved, shift, temp)
                variance = table_lanes(sink.variances, layout, block, child, saved, shift, temp)
                value = minus(minus(load(scratch.outcome_value, i), loss, temp), sink.centre, temp)
                add_to(sink.sums, 0, multiply(chance, loss))
                add_to(sink.sums, 1, multiply(chance, value))
                add_to(sink.sums, 2, multiply(chance, add(variance, multiply(value, value))))

    return collect_losses


@jit
def soft_turn(children, job, block, saved_before, sink):
    """The turn of one block from the dice on, begun with `saved_before` saved rolls.

    The values of all holds are in the scratch. Writes the points lost to ``lost`` and the outcomes to the sink.
    """
    model, dice, scratch, temp = job.model, job.model.dice, job.scratch, job.scratch.temp
    zero = splat(temp, 0.0)
    for hold in range(job.lattice_index.holds):
        store(scratch.node, hold, zero)
    for roll in range(dice.roll_count):
        store(scratch.node, dice.first_roll + roll, splat(temp, peek(dice.weights, roll)))
        store(scratch.stop_chance, roll, zero)
    for i in range(job.outcomes.size):
        store(scratch.outcome_chance, i, zero)
    for kind in range(job.hold_kinds + model.category_count):
        store(scratch.lost, kind, zero)
    most = model.rolls_per_turn - 1 + saved_before
    for rerolls in range(most, -1, -1):
        is_first = rerolls == most
        if model.saves_rolls or is_first:
            outcome_values(children, job, block, rerolls if model.saves_rolls else 0)
        if model.saves_rolls or is_first or (model.has_first_roll_bonus and rerolls == most - 1):
            best_stops(job, block, is_first)
        if rerolls > 0:
            hold_or_stop(job, rerolls)
        else:
            stop_all(job)
        if model.saves_rolls or rerolls == 0 or (model.has_first_roll_bonus and is_first):
            choose_categories(job, block, is_first)
            collect(sink, job, block, rerolls if model.saves_rolls else 0)
        if rerolls > 0:
            spread(scratch.node, job.lattice)


@jit
def soft_turn_from_start(policy, block):
    """The whole turn of one block that begins without saved rolls, into the scratch of the policy."""
    job = policy.job
    children = MeanTable(shifted(policy.means.values, policy.means.start))
    backup_holds(children, job, block, job.model.rolls_per_turn - 1, job.scratch.holds)
    soft_turn(children, job, block, 0, ChanceSink())


@overload(turn_chances, inline="never")
def _soft_turn_chances(policy, job, lattice_index, block):
    if policy.instance_class is not SoftTurns:
        return None

    def chances(policy, job, lattice_index, block):
        soft_turn_from_start(policy, block)
        for i in range(job.outcomes.size):
            store(job.scratch.outcome_chance, i, load(policy.job.scratch.outcome_chance, i))

    return chances


@overload(turn_losses, inline="never")
def _soft_turn_losses(policy, perfect, job, block):
    if policy.instance_class is not SoftTurns:
        return None

    def losses(policy, perfect, job, block):
        turn_chances(policy, job.policy, job.lattice_index, block)
        for kind in range(policy.job.hold_kinds + policy.job.model.category_count):
            add_to(job.block_losses, kind, load(policy.job.scratch.lost, kind))

    return losses


@jit
def evaluate_soft_rows(rows, arguments, sum_array):
    """Points lost and variance of the rest of the game for all states of the given rows.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : SoftEvaluationJob
    sum_array : (3 * LANES,) float64
        Working memory.
    """
    job, sums = views(arguments), view(sum_array)
    policy, scratch = job.policy, job.policy.scratch
    model, temp = policy.model, scratch.temp
    children = MeanTable(shifted(job.means.values, job.means.start))
    losses, variances = (
        shifted(job.losses.values, job.losses.start),
        shifted(job.variances.values, job.variances.start),
    )
    loss_target = MeanTable(shifted(job.loss_target.values, job.loss_target.start))
    variance_target = MeanTable(shifted(job.variance_target.values, job.variance_target.start))
    most = model.rolls_per_turn - 1 + job.most_saved
    for row in rows:
        for first_lane in range(0, peek(model.layout.lane_count, peek(model.layout.lane_sets, row)), LANES):
            block = mean_block(model, row, first_lane)
            backup_holds(children, policy, block, most, scratch.holds)
            centre = table_lanes(children.values, model.layout, block, row, 0, 0, temp)
            for saved in range(job.most_saved + 1):
                for i in range(3):
                    store(sums, i, splat(temp, 0.0))
                soft_turn(children, policy, block, saved, LossSink(losses, variances, sums, centre))
                mean = load(sums, 1)
                turn = splat(temp, 0.0)
                for kind in range(policy.hold_kinds + model.category_count):
                    turn = add(turn, load(scratch.lost, kind))
                write_values(loss_target, model.layout, block, saved, add(turn, load(sums, 0)), temp)
                variance = minus(load(sums, 2), multiply(mean, mean), temp)
                write_values(variance_target, model.layout, block, saved, variance, temp)
