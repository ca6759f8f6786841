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

from ..model.state_space import LANES
from .jit import jit
from .legal import scoring_of_roll
from .policy import PolicyJob, policy_block
from .propagation import is_played, list_ends, most_ends, outcome_chances
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


def begin_turn(policy: object, job: PolicyJob, lattice_index: Any, block: Block, most_saved: int) -> None:
    """What the turns of a block have in common, whatever number of rolls was saved before; then `outcome_chances`."""
    raise NotImplementedError("only within a kernel")


@overload(begin_turn, inline="never")
def _begin_turn(policy, job, lattice_index, block, most_saved):
    if getattr(policy.instance_class, "random", False):
        return lambda policy, job, lattice_index, block, most_saved: turn_chances(policy, job, lattice_index, block)
    return lambda policy, job, lattice_index, block, most_saved: choose_actions(policy, job, block, most_saved)


def chances_of_turn(policy: object, job: PolicyJob, lattice_index: Any, saved_before: int) -> None:
    """Write the chance of each outcome of a turn that has begun with `saved_before` saved rolls."""
    raise NotImplementedError("only within a kernel")


@overload(chances_of_turn, inline="never")
def _chances_of_turn(policy, job, lattice_index, saved_before):
    if getattr(policy.instance_class, "random", False):
        return lambda policy, job, lattice_index, saved_before: None
    return lambda policy, job, lattice_index, saved_before: outcome_chances(job, lattice_index, saved_before)


def turn_chances(policy: object, job: PolicyJob, lattice_index: Any, block: Block) -> None:
    """Write the chance of each outcome of a turn that begins without saved rolls to ``outcome_chance``."""
    raise NotImplementedError("only within a kernel")


@overload(turn_chances, inline="never")
def _chances_of_actions(policy, job, lattice_index, block):
    if getattr(policy.instance_class, "random", False):
        return None

    def chances(policy, job, lattice_index, block):
        begin_turn(policy, job, lattice_index, block, 0)
        chances_of_turn(policy, job, lattice_index, 0)

    return chances


@jit
def chance_rows(rows, arguments, policy, index_arrays, most_saved, lists):
    """List the ends of the turns of all states of the given rows that play reaches.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : PolicyJob
    policy
        See the module.
    index_arrays : IndexedLattice
    most_saved : int
        Most rolls that may have been saved before the turn; 0 for a policy that draws its actions at random.
    lists : EndLists
        Written, as long as there is room.

    Returns
    -------
    done, used : int
        How many rows were done, and the entries of the lists in use.
    """
    job, lattice_index, followed, target = views(arguments), views(index_arrays), views(policy), views(lists)
    layout, used, room = job.model.layout, 0, len(lists.end)
    for done, row in enumerate(rows):
        if used + most_ends(job, row, most_saved, target) > room:
            return done, used
        lanes = peek(layout.lane_count, peek(layout.lane_sets, row))
        for first_lane in range(0, lanes, LANES):
            block, begun = mean_block(job.model, row, first_lane), False
            count = min(LANES, lanes - first_lane)
            for saved in range(most_saved + 1):
                if is_played(target, layout, block, saved, count):
                    if not begun:
                        begin_turn(followed, job, lattice_index, block, most_saved)
                        begun = True
                    chances_of_turn(followed, job, lattice_index, saved)
                    used = list_ends(job, block, count, saved, used, target)
    return len(rows), used
