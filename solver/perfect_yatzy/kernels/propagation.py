"""Forward propagation of chances: the distribution of the points made under a policy.

For the state s, the points x made so far, and an outcome o of a turn with p(o) points that leads to the child s'::

    P(o | s)      chance of the outcome under the policy, from the dice               (outcome_chances)
    P(s', x + p(o)) += P(s, x) P(o | s)        over all parents s and outcomes o             (pull_rows)

Each thread owns rows of children and pulls from their parents, so that no two threads write to the same entry.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

from ..game.dice import Floats, Ints
from ..model.score_places import ScoreOffsets
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .jit import jit
from .legal import may_follow
from .simd import add, load, load_at, multiply, peek, poke, shifted, splat, store, store_at, uniform, views, width
from .table_slices import TableSlice
from .value_tables import state_number


class Support(NamedTuple):
    """First and last score that occurs at each state (int64), and the chance of the state (float64)."""

    low: Ints
    high: Ints
    mass: Floats


class PropagationJob(NamedTuple):
    """Arguments of the kernel that moves chances from one layer to the next.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    offsets : ScoreOffsets
    occurs : (rows,) int64
        1 where a row occurs at all.
    first_parent, parent_count : int
        Number of the first state of the parents' layer, and how many states it has.
    outcome_chance : (outcomes * parent states,) float64
        From :func:`perfect_yatzy.kernels.actions.chance_rows`.
    parents, target : TableSlice
        Chances of each state and score of the parents; written: those of the rows.
    support : Support
        Of all states; written for those of the rows.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    offsets: ScoreOffsets
    occurs: Ints
    first_parent: int
    parent_count: int
    outcome_chance: Floats
    parents: TableSlice
    target: TableSlice
    support: Support


@jit
def add_chance(target, entry, chance):
    """Add a vector of chances to a vector of `target`."""
    store(target, entry, add(load(target, entry), chance))


@jit
def add_lane(target, entry, lane, chance):
    """Add a chance to a lane of a vector of `target`."""
    there = entry * width(target) + lane
    poke(target, there, peek(target, there) + chance)


@jit
def outcome_chances(job, lattice_index, saved_before):
    """Chance of every outcome under the policy in the scratch, for a turn begun with `saved_before` saved rolls.

    Leaves the chance of each roll with each number of rerolls left in ``roll_chance``.
    """
    model, dice, scratch = job.model, job.model.dice, job.scratch
    node, outcome_chance = scratch.hold_chance, scratch.outcome_chance
    lanes, zero = width(node), splat(node, 0.0)
    for hold in range(lattice_index.holds):
        store(node, hold, zero)
    for i in range(job.outcomes.size):
        store(outcome_chance, i, zero)
    for roll in range(dice.roll_count):
        store(node, dice.first_roll + roll, splat(node, peek(dice.weights, roll)))
    most = model.rolls_per_turn - 1 + saved_before
    for rerolls in range(most, -1, -1):
        is_first = model.has_first_roll_bonus and rerolls == most
        stop = scratch.first_stop if is_first else scratch.stop
        hold = scratch.first_hold if is_first else scratch.hold
        first = (saved_before if is_first else rerolls) * dice.roll_count
        for roll in range(dice.roll_count):
            place, chance = first + roll, load(node, dice.first_roll + roll)
            store(scratch.roll_chance, rerolls * dice.roll_count + roll, chance)
            store(node, dice.first_roll + roll, zero)
            held, outcome = int(peek(hold, place * lanes)), int(peek(stop, place * lanes))
            # Neighbouring upper sums mostly do the same with a roll.
            if uniform(load(hold, place)) and held >= 0:
                add_chance(node, held, chance)
            elif uniform(load(hold, place)) and uniform(load(stop, place)):
                add_chance(outcome_chance, outcome, chance)
            else:
                for lane in range(lanes):
                    held, outcome = int(peek(hold, place * lanes + lane)), int(peek(stop, place * lanes + lane))
                    part = peek(scratch.roll_chance, (rerolls * dice.roll_count + roll) * lanes + lane)
                    if held >= 0:
                        add_lane(node, held, lane, part)
                    else:
                        add_lane(outcome_chance, outcome, lane, part)
        if rerolls > 0:
            reroll(lattice_index, node)


@jit
def reroll(lattice_index, node):
    """Move the chances of all holds to full rolls, one die at a time (the transpose of the pass of means)."""
    share, zero = splat(node, 1.0 / lattice_index.faces), splat(node, 0.0)
    for hold in range(lattice_index.first_roll):
        part = multiply(load(node, hold), share)
        store(node, hold, zero)
        for face in range(lattice_index.faces):
            successor = peek(lattice_index.successors, hold * lattice_index.faces + face)
            store(node, successor, add(load(node, successor), part))


@jit
def pull_rows(rows, arguments):
    """Distribution of the points made for all states of the given rows, from those of their parents.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PropagationJob
    """
    job = views(arguments)
    model, layout, outcomes, offsets, support = job.model, job.model.layout, job.outcomes, job.offsets, job.support
    source = shifted(job.parents.values, job.parents.start)
    target = shifted(job.target.values, job.target.start)
    for row in rows:
        for i in range(outcomes.size):
            parent = row - peek(outcomes.step, i)
            if parent < 0 or not peek(job.occurs, parent):
                continue
            if may_follow(model, peek(layout.masks, parent), peek(outcomes.category, i)):
                for lane in range(peek(layout.lane_count, peek(layout.lane_sets, parent))):
                    state = peek(layout.offsets, parent) + lane
                    chance = peek(job.outcome_chance, i * job.parent_count + state - job.first_parent)
                    if chance > 0.0:
                        child = state_number(layout, parent, row, lane, 0, peek(outcomes.shift, i))
                        here = peek(offsets.origin, state)
                        there = peek(offsets.origin, child) + int(peek(outcomes.total, i))
                        share = splat(source, chance)
                        for x in range(peek(support.low, state), peek(support.high, state) + 1, LANES):
                            moved = multiply(share, load_at(source, here + x))
                            store_at(target, there + x, add(load_at(target, there + x), moved))
        for lane in range(peek(layout.lane_count, peek(layout.lane_sets, row))):
            update_support(target, offsets, peek(layout.offsets, row) + lane, support)


@jit
def update_support(target, offsets, state, support):
    """Note the first and last score that occurs at a state, and the chance of the state."""
    low, high, mass = 0, -1, 0.0
    for x in range(peek(offsets.high, state) + 1):
        chance = peek(target, peek(offsets.origin, state) + x)
        if chance > 0.0:
            low, high = x if high < 0 else low, x
            mass += chance
    poke(support.low, state, low)
    poke(support.high, state, high)
    poke(support.mass, state, mass)
