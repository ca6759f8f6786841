"""Forward propagation of chances: the distribution of the points made under a policy.

For the state s, the points x made so far, and an end e of a turn (an outcome, and the rolls that stay saved) with
p(e) points that leads to the child s'::

    P(e | s)      chance of the end under the policy, from the dice                   (outcome_chances, list_ends)
    P(s', x + p(e)) += P(s, x) P(e | s)        over all parents s and ends e                        (pull_rows)

Play reaches a small part of the states, few ends of their turns and few x: only these are kept. A layer has a list of
ends for each state, and the x that occur::

    ends of layer k, support of layer k  ->  support of layer k + 1: the first and the last x     (support_rows)
                                             P(s', x) between them, one range after the other        (pull_rows)

Each thread owns rows of children and pulls from their parents, so that no two threads write to the same entry.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from ..model.turn_model import TurnModel
from .jit import jit
from .lattice import spread
from .legal import may_follow
from .simd import (
    add,
    at_least,
    equal_lanes,
    load,
    load_at,
    multiply,
    peek,
    poke,
    splat,
    store,
    store_at,
    views,
    where,
    width,
)
from .value_tables import state_number

LEAST = 1e-300  # chances of a turn below this, if there are any, are 0
NOWHERE = np.int64(1 << 62)  # the first x of a state that play never reaches


class LayerScores(NamedTuple):
    """P(s, x) of one layer: for each state the x that occur, one range after the other.

    Attributes
    ----------
    first_state : int
        Number of the first state of the layer.
    most_saved : int
        Most saved rolls of a state.
    low, high : (states,) int64
        First and last x that occurs at each state; ``high < low`` if play never reaches it.
    mass : (states + LANES,) float64
        Chance of each state, and zeros.
    origin : (states,) int64
        Index of x = 0, which may be outside the range.
    chances : (n,) float64
        With LANES zeros after each range.
    """

    first_state: int
    most_saved: int
    low: Ints
    high: Ints
    mass: Floats
    origin: Ints
    chances: Floats


class EndModel(NamedTuple):
    """What every end of a turn leads to; its number is ``outcome * stages + saved rolls``.

    Attributes
    ----------
    shift, points, saved : (ends,) int64
        Increase of the upper sum, points made, rolls that stay saved.
    stages : int
        Most rolls that stay saved, and one; 1 if the rules save none.
    step, category : (groups,) int64
        Every different pair of a change of the row and the category that makes it.
    outcome_start, outcomes : (groups + 1,) and (outcomes,) int64
        Group g has the outcomes ``outcomes[outcome_start[g]:outcome_start[g + 1]]``.
    groups : int
    """

    shift: Ints
    points: Ints
    saved: Ints
    stages: int
    step: Ints
    category: Ints
    outcome_start: Ints
    outcomes: Ints
    groups: int


class TurnEnds(NamedTuple):
    """Chances of the ends of all turns of a layer, by block of LANES states, group of ends, and end.

    The blocks of a row: those of its first LANES lanes of upper sums without saved rolls, with one, and so on; then
    those of the next lanes.

    Attributes
    ----------
    block_start : (rows,) int64
        Number of the first block of each row.
    start : (blocks * groups + 1,) int64
        Where the ends of each group of each block begin.
    end : (n,) int32
        Number of the end times LANES, plus the lane of the state within the block.
    chance : (n,) float64
    """

    block_start: Ints
    start: Ints
    end: npt.NDArray[np.int32]
    chance: Floats


class EndLists(NamedTuple):
    """Where a thread lists the ends of the turns of some rows.

    Attributes
    ----------
    model : EndModel
    first_state, most_saved : int
        Number of the first state of the layer, and most saved rolls of a state.
    mass : (states + LANES,) float64
        Chance of each state of the layer; where it is 0, the turn has no ends.
    block_start : (rows,) int64
    group_size : (blocks * groups,) int64
        Written: how many ends each group of a block has; of blocks that play does not reach nothing is written.
    end, chance : (n,) int32 and float64
        Written from the first entry on, as in :class:`TurnEnds`.
    outcome_sum : (outcomes,) vectors
        Added to: chance of each outcome over all games, lane by lane.
    """

    model: EndModel
    first_state: int
    most_saved: int
    mass: Floats
    block_start: Ints
    group_size: Ints
    end: npt.NDArray[np.int32]
    chance: Floats
    outcome_sum: Floats


class PropagationJob(NamedTuple):
    """Arguments of the kernels that move chances from one layer to the next.

    Attributes
    ----------
    model : TurnModel
    occurs : (rows,) int64
        1 where a row occurs at all.
    end_model : EndModel
    ends : TurnEnds
        Of the parents.
    parents, target : LayerScores
        Of the parents, and of the rows.
    """

    model: TurnModel
    occurs: Ints
    end_model: EndModel
    ends: TurnEnds
    parents: LayerScores
    target: LayerScores


@jit
def add_chance(target, entry, chance):
    """Add a vector of chances to a vector of `target`."""
    store(target, entry, add(load(target, entry), chance))


@jit
def move_chance(job, stop, hold, place, chance, first_outcome):
    """Add the chance of a roll to that of its hold or outcome, which are the entry `place` of the actions."""
    scratch = job.scratch
    lanes, zero = width(hold), splat(hold, 0.0)
    holds, left = load(hold, place), (1 << lanes) - 1
    for lane in range(lanes):
        if left >> lane & 1:
            held = peek(hold, place * lanes + lane)
            same = equal_lanes(holds, splat(hold, held)) & left
            if held >= 0.0:
                part = chance if same == (1 << lanes) - 1 else where(same, chance, zero)
                add_chance(scratch.hold_chance, int(held), part)
            else:
                outcome = peek(stop, place * lanes + lane)
                same &= equal_lanes(load(stop, place), splat(stop, outcome))
                part = chance if same == (1 << lanes) - 1 else where(same, chance, zero)
                add_chance(scratch.outcome_chance, first_outcome + int(outcome), part)
            left &= ~same
        if left == 0:
            break


@jit
def outcome_chances(job, lattice_index, saved_before):
    """Chance of every outcome under the policy in the scratch, for a turn begun with `saved_before` saved rolls.

    If the rules save rolls, ``outcome_chance`` has the outcomes of turns that end with no reroll left, those with
    one, and so on. Leaves the chance of each roll with each number of rerolls left in ``roll_chance``.
    """
    model, dice, scratch = job.model, job.model.dice, job.scratch
    node, outcome_chance, zero = scratch.hold_chance, scratch.outcome_chance, splat(scratch.hold_chance, 0.0)
    for hold in range(dice.first_roll):
        store(node, hold, zero)
    most = model.rolls_per_turn - 1 + saved_before
    for i in range(job.outcomes.size * (most + 1 if model.saves_rolls else 1)):
        store(outcome_chance, i, zero)
    for roll in range(dice.roll_count):
        store(node, dice.first_roll + roll, splat(node, peek(dice.weights, roll)))
    for rerolls in range(most, -1, -1):
        first_outcome = rerolls * job.outcomes.size if model.saves_rolls else 0
        is_first = model.has_first_roll_bonus and rerolls == most
        stop = scratch.first_stop if is_first else scratch.stop
        hold = scratch.first_hold if is_first else scratch.hold
        first = (saved_before if is_first else rerolls) * dice.roll_count
        for roll in range(dice.roll_count):
            chance = load(node, dice.first_roll + roll)
            store(scratch.roll_chance, rerolls * dice.roll_count + roll, chance)
            move_chance(job, stop, hold, first + roll, chance, first_outcome)
        if rerolls > 0:
            spread(node, job.lattice)


@jit
def blocks_of(layout, row):
    """Number of blocks of LANES lanes that the upper sums of a row need."""
    return (peek(layout.lane_count, peek(layout.lane_sets, row)) + LANES - 1) // LANES


@jit
def first_place(layout, row, first_state, saved):
    """Place in its layer of the first state of a row with so many saved rolls."""
    return peek(layout.offsets, row) + saved * peek(layout.lane_count, peek(layout.lane_sets, row)) - first_state


@jit
def list_ends(job, block, lanes, saved_before, used, target):
    """List the ends of the turns of the first `lanes` lanes of a block, by ``outcome_chance`` of the scratch.

    `saved_before`: the saved rolls of these states; `used`: entries of the lists in use. Returns the entries in use
    then.
    """
    model, layout, size, chances = target.model, job.model.layout, job.outcomes.size, job.scratch.outcome_chance
    first = first_place(layout, block.row, target.first_state, saved_before) + block.start
    none, least, masses = splat(chances, 0.0), splat(chances, LEAST), load_at(target.mass, first)
    masses = where((1 << lanes) - 1, masses, none)
    played = ~equal_lanes(masses, none)
    stages = job.model.rolls_per_turn + saved_before if model.stages > 1 else 1
    number = peek(target.block_start, block.row) + block.start // LANES * (target.most_saved + 1) + saved_before
    for group in range(model.groups):
        before = used
        if block.choices >> peek(model.category, group) & 1:
            for i in range(peek(model.outcome_start, group), peek(model.outcome_start, group + 1)):
                outcome = peek(model.outcomes, i)
                for saved in range(stages):
                    place = saved * size + outcome
                    chance = load(chances, place)
                    found = at_least(chance, least) & played
                    if found:
                        sums = load(target.outcome_sum, outcome)
                        store(target.outcome_sum, outcome, add(sums, multiply(masses, chance)))
                        for lane in range(lanes):
                            if found >> lane & 1:
                                poke(target.end, used, np.int32((outcome * model.stages + saved) * LANES + lane))
                                poke(target.chance, used, peek(chances, place * LANES + lane))
                                used += 1
        poke(target.group_size, number * model.groups + group, used - before)
    return used


@jit
def is_played(target, layout, block, saved, lanes):
    """Whether play reaches one of the first `lanes` lanes of a block with so many saved rolls."""
    first = first_place(layout, block.row, target.first_state, saved) + block.start
    total = 0.0
    for lane in range(lanes):
        total += peek(target.mass, first + lane)
    return total > 0.0


@jit
def most_ends(job, row, most_saved, target):
    """A bound of the ends of all turns of a row."""
    first, states = first_place(job.model.layout, row, target.first_state, 0), 0
    end = first_place(job.model.layout, row, target.first_state, most_saved + 1)
    for place in range(first, end):
        states += peek(target.mass, place) > 0.0
    return states * job.outcomes.size * target.model.stages


@jit
def follows(job, row, group):
    """Whether some turn leads to a row by a group of ends."""
    parent = row - peek(job.end_model.step, group)
    if parent < 0 or not peek(job.occurs, parent):
        return False
    return may_follow(job.model, peek(job.model.layout.masks, parent), peek(job.end_model.category, group))


@jit
def support_rows(rows, arguments):
    """First and last x that occur at all states of the given rows, and the chance of each state.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PropagationJob
        Of ``target`` written: `low`, `high` and `mass`; `origin` and `chances` are not used.
    """
    job = views(arguments)
    layout, ends, model, parents, target = job.model.layout, job.ends, job.end_model, job.parents, job.target
    for row in rows:
        own = first_place(layout, row, target.first_state, 0)
        for place in range(own, first_place(layout, row, target.first_state, target.most_saved + 1)):
            poke(target.low, place, NOWHERE)
            poke(target.high, place, np.int64(-1))
            poke(target.mass, place, 0.0)
        for group in range(model.groups):
            if not follows(job, row, group):
                continue
            parent = row - peek(model.step, group)
            blocks, number = blocks_of(layout, parent), peek(ends.block_start, parent)
            for lane in range(0, blocks * LANES, LANES):
                for saved_before in range(parents.most_saved + 1):
                    first = first_place(layout, parent, parents.first_state, saved_before)
                    for i in range(*group_of_block(ends, model, number, group)):
                        end, here = peek(ends.end, i) // LANES, lane + peek(ends.end, i) % LANES
                        child = place_after(job, parent, row, here, end)
                        points, mass = peek(model.points, end), peek(parents.mass, first + here)
                        low, high = peek(parents.low, first + here), peek(parents.high, first + here)
                        poke(target.low, child, min(low + points, peek(target.low, child)))
                        poke(target.high, child, max(high + points, peek(target.high, child)))
                        poke(target.mass, child, peek(target.mass, child) + mass * peek(ends.chance, i))
                    number += 1


@jit
def group_of_block(ends, model, block, group):
    """First entry of the ends of a group of a block, and the entry after its last."""
    return peek(ends.start, block * model.groups + group), peek(ends.start, block * model.groups + group + 1)


@jit
def place_after(job, parent, row, lane, end):
    """Place in its layer of the child in `row` of a state in row `parent`, after an end of the turn."""
    saved, shift = peek(job.end_model.saved, end), peek(job.end_model.shift, end)
    return state_number(job.model.layout, parent, row, lane, saved, shift) - job.target.first_state


@jit
def pull_rows(rows, arguments):
    """Distribution of the points made for all states of the given rows, from those of their parents.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PropagationJob
        Of ``target`` written: `chances`, zeros before.
    """
    job = views(arguments)
    layout, ends, model, parents, target = job.model.layout, job.ends, job.end_model, job.parents, job.target
    for row in rows:
        for group in range(model.groups):
            if not follows(job, row, group):
                continue
            parent = row - peek(model.step, group)
            blocks, number = blocks_of(layout, parent), peek(ends.block_start, parent)
            for lane in range(0, blocks * LANES, LANES):
                for saved_before in range(parents.most_saved + 1):
                    first = first_place(layout, parent, parents.first_state, saved_before)
                    for i in range(*group_of_block(ends, model, number, group)):
                        end, here = peek(ends.end, i) // LANES, lane + peek(ends.end, i) % LANES
                        origin = peek(parents.origin, first + here)
                        by = peek(target.origin, place_after(job, parent, row, here, end)) - origin
                        by += peek(model.points, end)
                        low, high = peek(parents.low, first + here), peek(parents.high, first + here)
                        share = splat(target.chances, peek(ends.chance, i))
                        for x in range(origin + low, origin + high + 1, LANES):
                            moved = multiply(share, load_at(parents.chances, x))
                            store_at(target.chances, x + by, add(load_at(target.chances, x + by), moved))
                    number += 1
