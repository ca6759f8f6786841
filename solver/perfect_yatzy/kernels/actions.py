"""What a policy does with every roll of a card: one protocol for all policies, so that every kernel serves all.

A *policy* is a named tuple that implements :func:`choose_actions`: a :class:`.table_slices.TableSlice` is greedy for
its values, :class:`GivenActions` are arrays, :class:`.hold_rules.HoldRuleActions` take the first rule that fits. One
that draws its actions at random, as :class:`.soft_policy.SoftTurns` does, implements :func:`begin_turn` and
:func:`chances_of_turn` instead, and what follows single actions: :func:`.losses.turn_losses`,
:func:`.policy_evaluation.evaluate_block`, :func:`.rollout.player_of`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model.state_space import LANES
from .jit import by_kind, jit
from .legal import outcome_number, scoring_of_roll
from .policy import policy_block, stage_actions, stop_action
from .propagation import outcome_chances
from .simd import views
from .table_slices import TableSlice
from .turn import mean_block
from .value_tables import mean_table


class GivenActions(NamedTuple):
    """Actions of one card, for each number of rerolls left, roll, and lane of upper sums, in this order."""

    category: npt.NDArray[np.int16]  # the category if the turn ends
    hold: npt.NDArray[np.int16]  # lattice index of the dice to hold, or -1 to end the turn
    lanes: int  # lanes of the card


@by_kind()
def choose_actions(policy, job, block, most_saved):
    """Write the actions of one block into ``action`` and ``first_action`` of a PolicyJob (:mod:`.policy`)."""


@by_kind()
def begin_turn(policy, job, block, most_saved):
    """What the turns of a block have in common, whatever number of rolls was saved before."""


@by_kind()
def chances_of_turn(policy, job, block, saved_before):
    """Write the chance of each outcome of a turn that has begun with `saved_before` saved rolls, after begin_turn."""


choose_actions.of(TableSlice)(
    lambda policy, job, block, most_saved: policy_block(mean_table(policy), job, block, most_saved)
)


@jit
def write_given_actions(policy, job, block, rerolls, is_first):
    """Write the actions with a number of rerolls left to the scratch."""
    dice, actions = job.model.dice, stage_actions(job, rerolls, is_first)
    for roll in range(dice.roll_count):
        _, way = scoring_of_roll(job.model, block.row, block.choices, roll, is_first)
        for lane in range(LANES):
            source = (rerolls * dice.roll_count + roll) * policy.lanes + min(block.start + lane, policy.lanes - 1)
            outcome = outcome_number(job.model, way, int(policy.category[source]), roll)
            hold = int(policy.hold[source])
            actions[(dice.first_roll + roll) * LANES + lane] = float(hold if hold >= 0 else stop_action(outcome))


@choose_actions.of(GivenActions)
def _given_actions(policy, job, block, most_saved):
    for rerolls in range(job.model.rolls_per_turn):
        write_given_actions(policy, job, block, rerolls, False)
    if job.model.has_first_roll_bonus:
        write_given_actions(policy, job, block, job.model.rolls_per_turn - 1, True)


begin_turn.of()(lambda policy, job, block, most_saved: choose_actions(policy, job, block, most_saved))
chances_of_turn.of()(lambda policy, job, block, saved_before: outcome_chances(job, saved_before))


@jit
def turn_chances(policy, job, block):
    """Write the chance of each outcome of a turn that begins without saved rolls to ``outcome_chance``."""
    begin_turn(policy, job, block, 0)
    chances_of_turn(policy, job, block, 0)


@jit
def action_in(arguments, policy, row, lane, roll, rerolls, is_first):
    """What a policy does with one roll: the number of the hold, or :func:`.policy.stop_action`.

    `arguments`: a PolicyJob; `is_first`: whether the first roll of a turn has bonus points, and this is one.
    """
    job, block = views(arguments), mean_block(arguments.model, row, lane - lane % LANES)
    choose_actions(views(policy), job, block, max(0, rerolls - job.model.rolls_per_turn + 1))
    return int(stage_actions(job, rerolls, is_first)[(job.model.dice.first_roll + roll) * LANES + lane % LANES])
