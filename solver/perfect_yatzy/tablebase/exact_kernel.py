"""A solve in exact integers: the value of a state with t turns left times faces^(dice (rolls t +
saved)) is one.

The turn is that of :mod:`.turn`. A reroll is a sum without division. After n rerolls all values
have the scale of the children times faces^(dice n), for which the sum of a hold of j dice is
multiplied by faces^j::

    K(h)    = sum over the faces f of K(h + f)
    W(r)    = max over the holds h within r of faces^|h| K(h), and the best category if the turn may end
    V(card) = sum over the first rolls r of orderings(r) W(r)

An integer is a sum of limbs times powers of 2^LIMB_BITS, each a float64 without fraction, so that
the vectors of all other kernels hold one limb of eight states. Sums of 6^6 limbs are exact before
any carry. Values in float64 find the options within WINDOW of the best, far more than their error;
only those are compared as integers.

If `squares` is not 0, the lowest limbs hold two more quantities of the same scale, and each number
is

    (mean 2^a - mean square) 2^b + chance of the upper bonus              a, b: multiples of LIMB_BITS

so that of the optimal actions the one with the least mean square is taken, and then the likeliest
bonus. Points p add p to the mean, and p^2 + 2 p mean to the mean square, whose limbs are `squares`
places below those of the mean.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from ..core.dice import Floats, Ints
from ..core.jit import jit
from ..core.lattice import fill, means
from ..core.legal import outcome_number, scoring_of_roll
from ..core.simd import at_least, load, maximum, splat, store, views
from ..core.state_space import LANES
from ..core.turn import LOWEST, TIE, SolveJob, mean_block
from ..core.value_tables import (
    child_value,
    lanes_of,
    mean_table,
    state_number,
    state_place,
    successor,
)

# limbs are within 2^36 of 0: times 6^6, and as the difference of two such products, below 2^53
LIMB_BITS = 37
LIMB = 2.0**LIMB_BITS
ROUND = 1.5 * 2.0**52  # added and subtracted, it rounds to an integer
WINDOW = 1e-4  # points; options that differ by more are told apart by their values in float64
CLOSE = 1.01 * TIE  # points: a smaller gap may be taken for a tie
DECISIONS, TIES, CLOSE_GAPS, LEAST_GAP = range(4)  # entries of the tally


class ExactJob(NamedTuple):
    """Arguments of :func:`solve_exact_rows`.

    A number has `limbs` limbs, one of the layer below `limbs_below`.
    """

    turn: SolveJob  # of the values in float64; its target is not used
    below: Floats  # (states below * limbs_below,): limbs of the children, lowest first
    target: Floats  # (states * limbs,): written
    start: int  # place of the first state of the target
    limbs: int
    limbs_below: int
    scales: Floats  # (saved rolls * limbs_below,): the scale of the children
    squares: int  # limbs of a mean square, 0 without it
    first_square: int  # its first limb
    square_scales: Floats  # like `scales`, at the place of the mean square
    # (limbs,): powers of 2^LIMB_BITS, 1 in the middle, so that 2000 bits do not overflow
    weights: Floats
    units: Floats  # (rerolls + 1,): points of a weight of 1, for values after so many rerolls
    orderings: Floats  # (rolls,): number of ways to roll each
    factors: Floats  # (holds + 1,): faces^|hold|, and 1 for the end of the turn
    buffer: Floats  # vectors: the limbs of each hold, and of the :func:`entries_after_holds`
    values: Floats  # vectors: values of the categories
    chosen: Ints  # (LANES,): the best option so far, -1 before the first
    child: Floats  # (limbs,): the integer of the child that is compared
    tied: Ints  # (LANES,): 1 if another one equals it
    gaps: Floats  # (LANES,): points between the best two that differ, at most WINDOW
    tally: Floats  # (4,): written


@jit
def carry(buffer, entry, limbs, factor):
    """Multiply the integers of an entry by a small factor.

    Then bring their limbs within half of 2^LIMB_BITS.
    """
    above = splat(buffer, 0.0)
    for i in range(entry * limbs, (entry + 1) * limbs - 1):
        total = load(buffer, i) * factor + above
        above = (total * (1.0 / LIMB) + ROUND) - ROUND
        store(buffer, i, total - above * LIMB)
    last = (entry + 1) * limbs - 1
    store(buffer, last, load(buffer, last) * factor + above)


@jit
def is_better(job, lane, difference, unit):
    """Return whether an option is better than the chosen one, by their difference.

    The tie or the gap of the best two is noted.
    """
    if job.chosen[lane] < 0:
        return True
    if difference == 0.0:
        job.tied[lane] = 1
        return False
    gap = abs(difference) * unit
    if difference > 0.0:
        job.tied[lane] = 0
        job.gaps[lane] = gap
        return True
    job.gaps[lane] = min(job.gaps[lane], gap)
    return False


@jit
def count_decision(job, lanes):
    """Add the decisions of so many lanes to the tally, one for each lane."""
    for lane in range(lanes):
        job.tally[DECISIONS] += 1
        job.tally[TIES] += job.tied[lane]
        if job.tied[lane] == 0 and job.gaps[lane] < CLOSE:
            job.tally[CLOSE_GAPS] += 1
        job.tally[LEAST_GAP] = min(job.tally[LEAST_GAP], job.gaps[lane])


@jit
def begin_decision(job):
    """Begin a decision in which no option is chosen yet in any lane."""
    for lane in range(LANES):
        job.chosen[lane] = -1
        job.tied[lane] = 0
        job.gaps[lane] = WINDOW


@jit
def entries_after_holds(dice):
    """Return the entries of the buffer that follow those of the multisets.

    They are for the end of the turn, the sum over the first rolls, and a first roll.
    """
    end = dice.first_roll + dice.roll_count
    return end, end + 1, end + 2


@partial(jit, inline=True)
def compare_category(job, entry, category, lane, state, saved, total):
    """Choose a category for a lane if it is better than what the entry has.

    The integer of its child, with `total` points, is compared with that of the entry.
    """
    below = job.limbs_below
    child = job.child
    difference = 0.0
    first = (state - job.turn.below.start) * below
    for k in range(below - 1, -1, -1):
        child[k] = job.below[first + k] + total * job.scales[saved * below + k]
        # of the mean square, which is subtracted: p^2 + 2 p mean more
        if 0 <= k - job.first_square < job.squares:
            mean = job.below[first + k + job.squares] if k + job.squares < below else 0.0
            child[k] -= total * (2.0 * mean + total * job.square_scales[saved * below + k])
        difference += (child[k] - job.buffer[(entry * job.limbs + k) * LANES + lane]) * job.weights[
            k
        ]
    if is_better(job, lane, difference, job.units[saved]):
        job.chosen[lane] = category
        for k in range(below):
            job.buffer[(entry * job.limbs + k) * LANES + lane] = child[k]


@partial(jit, inline=True)
def category_values(job, block, roll, saved, allowed, way):
    """Write the values of the allowed categories in float64 to ``values`` of the job.

    The best one is returned as a vector.
    """
    model = job.turn.model
    outcomes = job.turn.model.turn_outcomes
    temp = job.turn.scratch.temp
    children = mean_table(job.turn.below)
    best = splat(job.values, LOWEST)
    for category in range(model.category_count):
        if allowed >> category & 1:
            i = outcome_number(model, way, category, roll)
            after = successor(outcomes, i, block.row, saved)
            value = child_value(children, model.layout, block, after, outcomes.total[i], temp)
            store(job.values, category, value)
            best = maximum(best, value)
    return best


@partial(jit, inline=True)
def compare_categories(job, block, roll, saved, allowed, way, limit, lanes):
    """Choose the best of the allowed categories by their integers.

    Only those whose value in float64 is at least `limit` are compared.
    """
    model = job.turn.model
    outcomes = job.turn.model.turn_outcomes
    end, _, _ = entries_after_holds(model.dice)
    for category in range(model.category_count):
        if allowed >> category & 1:
            within = at_least(load(job.values, category), limit)
            i = outcome_number(model, way, category, roll)
            shift = outcomes.shift[i]
            child = block.row + outcomes.step[i]
            for lane in range(lanes):
                if within >> lane & 1:
                    state = state_number(
                        model.layout, block.row, child, block.start + lane, saved, shift
                    )
                    compare_category(job, end, category, lane, state, saved, outcomes.total[i])


@jit
def end_turn(job, block, roll, saved, is_first, lanes):
    """Choose the best category of a roll, and count the decision.

    All categories are compared in float64, and those within WINDOW of the best exactly. The exact
    value goes to the entry for the end of the turn, the best in float64 is returned as a vector.
    ``chosen``, ``tied`` and ``gaps`` of the job are written, too.
    """
    model = job.turn.model
    limbs = job.limbs
    allowed, way = scoring_of_roll(model, block.row, block.choices, roll, is_first)
    best = category_values(job, block, roll, saved, allowed, way)
    begin_decision(job)
    compare_categories(job, block, roll, saved, allowed, way, best - WINDOW, lanes)
    end, _, _ = entries_after_holds(model.dice)
    # The limbs that the children do not have.
    fill(job.buffer, end * limbs + job.limbs_below, limbs - job.limbs_below, splat(job.buffer, 0.0))
    count_decision(job, lanes)
    return best


@jit
def take_chosen(job, entry, lanes):
    """Write the integers of the chosen entries of all lanes to one entry.

    They are multiplied by the factors of their holds.
    """
    limbs = job.limbs
    buffer = job.buffer
    chosen = job.chosen
    factors = job.factors
    for lane in range(lanes, LANES):  # of no state
        chosen[lane] = chosen[0]
    same = True
    for lane in range(1, LANES):
        same = same and chosen[lane] == chosen[0]
    if same:
        for k in range(limbs):
            store(
                buffer, entry * limbs + k, load(buffer, chosen[0] * limbs + k) * factors[chosen[0]]
            )
    else:
        for lane in range(LANES):
            for k in range(limbs):
                limb = buffer[(chosen[lane] * limbs + k) * LANES + lane] * factors[chosen[lane]]
                buffer[(entry * limbs + k) * LANES + lane] = limb
    carry(buffer, entry, limbs, 1.0)


@partial(jit, inline=True)
def compare_option(job, option, within, unit, lanes):
    """Choose an entry of the buffer in the lanes in which it is exactly better.

    Only the lanes of the bitmask `within` are compared.
    """
    limbs = job.limbs
    buffer = job.buffer
    factors = job.factors
    for lane in range(lanes):
        if within >> lane & 1:
            difference = 0.0
            chosen = job.chosen[lane]
            if chosen >= 0:
                for k in range(limbs - 1, -1, -1):
                    new = buffer[(option * limbs + k) * LANES + lane] * factors[option]
                    old = buffer[(chosen * limbs + k) * LANES + lane] * factors[chosen]
                    difference += (new - old) * job.weights[k]
            if is_better(job, lane, difference, unit):
                job.chosen[lane] = option


@jit
def decide(job, block, roll, rerolls, is_first, entry, lanes):
    """Choose the best option for a roll with so many rerolls left, and count the decision.

    Its exact value goes to `entry`, that in float64 is returned as a vector. ``chosen``, ``tied``
    and ``gaps`` of the job are written, too.
    """
    model = job.turn.model
    dice = job.turn.model.dice
    values = job.turn.scratch.buffer
    buffer = job.buffer
    end, _, _ = entries_after_holds(dice)
    saved = rerolls if model.saves_rolls else 0
    ended = splat(values, LOWEST)
    if rerolls == 0 or model.saves_rolls or (is_first and model.has_first_roll_bonus):
        ended = end_turn(job, block, roll, saved, is_first, lanes)
        carry(buffer, end, job.limbs, 1.0)
        for _ in range(saved, rerolls):  # to the scale of so many rerolls
            # faces^dice, the factor of a full roll
            carry(buffer, end, job.limbs, job.factors[end - 1])
    best = ended
    if rerolls > 0:
        first, last = dice.hold_start[roll], dice.hold_start[roll + 1]
        for i in range(first, last):
            best = maximum(best, load(values, dice.holds[i]))
        limit = best - WINDOW
        unit = job.units[rerolls]
        begin_decision(job)
        for i in range(first, last):
            hold = int(dice.holds[i])
            compare_option(job, hold, at_least(load(values, hold), limit), unit, lanes)
        compare_option(job, end, at_least(ended, limit), unit, lanes)
        count_decision(job, lanes)
    else:
        for lane in range(LANES):
            job.chosen[lane] = end
    take_chosen(job, entry, lanes)
    return best


@jit
def sum_over_faces(job):
    """Sum the integers of all holds from those with one die more."""
    dice = job.turn.model.dice
    limbs = job.limbs
    buffer = job.buffer
    for hold in range(dice.first_roll - 1, -1, -1):
        for k in range(limbs):
            total = splat(buffer, 0.0)
            for i in range(hold * dice.faces, (hold + 1) * dice.faces):
                total += load(buffer, dice.successors[i] * limbs + k)
            store(buffer, hold * limbs + k, total)


@jit
def solve_exact_block(job, block):
    """Solve the turn of one card for one block, for every number of saved rolls."""
    model = job.turn.model
    limbs = job.limbs
    buffer = job.buffer
    values = job.turn.scratch.buffer
    # entries: the sum over the first rolls, a first roll
    _, summed, first = entries_after_holds(model.dice)
    lanes = min(LANES, lanes_of(model.layout, block.row) - block.start)
    for rerolls in range(model.rolls_per_turn + job.turn.most_saved):
        # turns with so many begin here, if it is not negative
        saved_before = rerolls - model.rolls_per_turn + 1
        if rerolls > 0:
            means(values, job.turn.lattice)
            sum_over_faces(job)
        fill(buffer, summed * limbs, limbs, splat(buffer, 0.0))
        for roll in range(model.dice.roll_count):
            entry = model.dice.first_roll + roll
            source = entry  # of the value as a first roll
            if saved_before >= 0 and model.has_first_roll_bonus:
                decide(job, block, roll, rerolls, True, first, lanes)
                source = first
            store(values, entry, decide(job, block, roll, rerolls, False, entry, lanes))
            if saved_before >= 0:
                for k in range(limbs):
                    part = load(buffer, source * limbs + k) * job.orderings[roll]
                    store(buffer, summed * limbs + k, load(buffer, summed * limbs + k) + part)
        if saved_before >= 0:
            carry(buffer, summed, limbs, 1.0)
            place = (
                state_place(model.layout, block.row, saved_before, block.start) - job.start
            ) * limbs
            for lane in range(lanes):
                for k in range(limbs):
                    job.target[place + lane * limbs + k] = buffer[
                        (summed * limbs + k) * LANES + lane
                    ]


@jit
def solve_exact_rows(rows, arguments):
    """Solve all states of the given rows exactly, by an ExactJob."""
    job = views(arguments)
    for row in rows:
        for lane in range(0, lanes_of(job.turn.model.layout, row), LANES):
            solve_exact_block(job, mean_block(job.turn.model, row, lane))
