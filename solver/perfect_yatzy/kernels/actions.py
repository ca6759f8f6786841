"""What a policy does with every roll of a card: one protocol for all policies, so that every kernel serves all.

A *policy* is a named tuple; its type selects the code at compile time. It implements, with
``numba.extending.overload``, one function:

``choose_actions(policy, job, block, most_saved)``
    Write the actions of one block of a mean table (:mod:`.value_tables`) into the scratch of the
    :class:`.policy.PolicyJob`. For each number of rerolls left and each roll, lane by lane: ``stop``, the number of
    the outcome if the turn ends, and ``hold``, the number of the hold, or -1 to end the turn. ``first_stop`` and
    ``first_hold`` are the same for the first roll of a turn, if that has bonus points. `most_saved` is the most rolls
    that may have been saved before the turn.

==========================================  ======================================================================
policy                                      actions
==========================================  ======================================================================
:class:`.table_slices.TableSlice`           greedy: the best action if the values of the table were right
:class:`GivenActions`                       arrays
==========================================  ======================================================================

A policy that draws its actions at random implements :func:`turn_chances` and :func:`.losses.turn_losses` instead, and
has the class attribute ``random = True``. All others share the implementation for chosen actions.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from ..game.dice import Floats
from ..model.state_space import LANES
from .jit import jit
from .legal import scoring_of_roll
from .policy import PolicyJob, policy_block
from .propagation import outcome_chances
from .simd import peek, poke, shifted, views
from .table_slices import TableSlice
from .turn import mean_block
from .value_tables import Block, MeanTable


class GivenActions(NamedTuple):
    """Actions of one card, for each number of rerolls left, roll, and lane of upper sums, in this order.

    Attributes
    ----------
    category, hold : (rolls a turn * rolls * lanes,) int16
        The category if the turn ends; lattice index of the dice to hold, or -1 to end the turn.
    lanes : int
        Lanes of the card.
    """

    category: npt.NDArray[np.int16]
    hold: npt.NDArray[np.int16]
    lanes: int


def choose_actions(policy: object, job: PolicyJob, block: Block, most_saved: int) -> None:
    """Write the actions of one block into the scratch (see the module)."""
    raise NotImplementedError("only within a kernel")


@overload(choose_actions, inline="never")
def _greedy_actions(policy, job, block, most_saved):
    if policy.instance_class is not TableSlice:
        return None

    def choose_greedily(policy, job, block, most_saved):
        policy_block(MeanTable(shifted(policy.values, policy.start)), job, block, most_saved)

    return choose_greedily


@jit
def write_given_actions(policy, job, block, rerolls, is_first, stop, hold):
    """Write the actions with a number of rerolls left to the entries of `stop` and `hold` from the first one on."""
    model, roll_count = job.model, job.model.dice.roll_count
    for roll in range(roll_count):
        _, way = scoring_of_roll(model, block.row, block.choices, roll, is_first)
        for lane in range(LANES):
            source = (rerolls * roll_count + roll) * policy.lanes + min(block.start + lane, policy.lanes - 1)
            category = int(peek(policy.category, source))
            number = (way * model.category_count + category) * roll_count + roll
            poke(stop, roll * LANES + lane, float(peek(job.outcomes.number, number)))
            poke(hold, roll * LANES + lane, float(peek(policy.hold, source)))


@overload(choose_actions, inline="never")
def _given_actions(policy, job, block, most_saved):
    if policy.instance_class is not GivenActions:
        return None

    def copy_actions(policy, job, block, most_saved):
        model, scratch = job.model, job.scratch
        for rerolls in range(model.rolls_per_turn):
            first = -rerolls * model.dice.roll_count * LANES
            stop, hold = shifted(scratch.stop, first), shifted(scratch.hold, first)
            write_given_actions(policy, job, block, rerolls, False, stop, hold)
        if model.has_first_roll_bonus:
            most = model.rolls_per_turn - 1
            write_given_actions(policy, job, block, most, True, scratch.first_stop, scratch.first_hold)

    return copy_actions


def turn_chances(policy: object, job: PolicyJob, lattice_index: Any, block: Block) -> None:
    """Write the chance of each outcome of a turn that begins without saved rolls to ``outcome_chance``."""
    raise NotImplementedError("only within a kernel")


@overload(turn_chances, inline="never")
def _chances_of_actions(policy, job, lattice_index, block):
    if getattr(policy.instance_class, "random", False):
        return None

    def chances(policy, job, lattice_index, block):
        choose_actions(policy, job, block, 0)
        outcome_chances(job, lattice_index, 0)

    return chances


class LayerChances(NamedTuple):
    """Chances of all outcomes for all states of a layer.

    Attributes
    ----------
    chances : (outcomes * states,) float64
        State by state, outcome by outcome.
    first_state, states : int
        Number of the first state of the layer, and how many states it has.
    """

    chances: Floats
    first_state: int
    states: int


@jit
def write_chances(job, block, lanes, target):
    """Write ``outcome_chance`` of the scratch for the first `lanes` lanes of a block to a :class:`LayerChances`."""
    first = peek(job.model.layout.offsets, block.row) + block.start - target.first_state
    for i in range(job.outcomes.size):
        for lane in range(lanes):
            poke(target.chances, i * target.states + first + lane, peek(job.scratch.outcome_chance, i * LANES + lane))


@jit
def chance_rows(rows, arguments, policy, index_arrays, chances):
    """Chances of all outcomes for all states of the given rows.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PolicyJob
    policy
        See the module.
    index_arrays : IndexedLattice
    chances : LayerChances
        Written.
    """
    job, lattice_index, followed, target = views(arguments), views(index_arrays), views(policy), views(chances)
    layout = job.model.layout
    for row in rows:
        lanes = peek(layout.lane_count, peek(layout.lane_sets, row))
        for first_lane in range(0, lanes, LANES):
            block = mean_block(job.model, row, first_lane)
            turn_chances(followed, job, lattice_index, block)
            write_chances(job, block, min(LANES, lanes - first_lane), target)
