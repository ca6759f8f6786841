"""Sampled turns for the search of hold rules: what a list does in some states, and what another rule would gain.

The gain of a rule that decides some situations of a list is, to first order (policy gradient; Sutton et al., "Policy
gradient methods for reinforcement learning with function approximation", NIPS 1999, theorem 1)::

    sum over states s, rerolls n, rolls r that it would decide of  P(s) P(r, n | s) (K(hold of the rule) - W(r, n))

with the chances P and the values K of holds and W of rolls of the list. A rule inserted before rule j decides what it
fits and what rule j or a later one has decided so far. So the sum is kept apart by the deciding rule.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats
from ..model.hold_rule_arrays import ABOVE, BELOW, NO_FIT, STOP
from ..model.state_space import LANES
from .actions import turn_chances
from .hold_rules import open_faces, rules_of_card
from .jit import jit
from .lattice import means
from .policy_evaluation import evaluate_actions_block, follow_actions, outcome_quantities
from .simd import peek, poke, shifted, splat, view, views
from .turn import mean_block
from .value_tables import MeanTable


class SampledTurns(NamedTuple):
    """Turns of n states under a list of hold rules; `stages` counts the numbers of rerolls left, 0 included.

    Attributes
    ----------
    outcome_chance : (n * outcomes,) float64
    roll_chance, roll_value : (n * stages * rolls,) float64
        Chance of each roll with each number of rerolls left, and its value.
    hold_value : (n * stages * holds,) float64
        Value of each hold with each number of rerolls left; nothing for 0.
    decided_by : (n * stages * rolls,) int16
        Number of the rule that decides; the number of rules if none does; nothing for 0 rerolls left.
    """

    outcome_chance: Floats
    roll_chance: Floats
    roll_value: Floats
    hold_value: Floats
    decided_by: npt.NDArray[np.int16]


@jit
def deciding_rules(rules, job, block, lane, place, decided_by):
    """Number of the first rule that fits, for each number of rerolls left and roll, from entry `place` on."""
    model, roll_count = job.model, job.model.dice.roll_count
    on_card, faces = rules_of_card(rules, model, block.row, block.choices), open_faces(rules, model, block.choices)
    layout = model.layout
    first_lane = peek(layout.lane_sets, block.row) * layout.lane_width + block.start
    other_side = BELOW if peek(rules.above_par, first_lane + lane) else ABOVE
    for rerolls in range(1, model.rolls_per_turn):
        for roll in range(roll_count):
            found = rules.size
            for i in range(rules.size - 1, -1, -1):
                if (
                    on_card >> i & 1
                    and peek(rules.rerolls, i) >> rerolls & 1
                    and peek(rules.par, i) & other_side == 0
                ):
                    line = peek(rules.start, i) + faces * peek(rules.per_mask, i)
                    found = found if peek(rules.holds, line + roll) == NO_FIT else i
            poke(decided_by, place + rerolls * roll_count + roll, np.int16(found))


@jit
def sample_turns(rows, lanes, arguments, policy, index_arrays, samples):
    """Turns of sampled states under a list of hold rules.

    Parameters
    ----------
    rows, lanes : (n,) int64
        The states, without saved rolls.
    arguments : EvaluationJob
        With weights (1, 0); ``below`` holds the values of all states.
    policy : HoldRuleActions
    index_arrays : IndexedLattice
    samples : SampledTurns
        Written.
    """
    job, followed, lattice_index, result = views(arguments), views(policy), views(index_arrays), views(samples)
    model, scratch = job.policy.model, job.policy.scratch
    quantities = MeanTable(shifted(job.below.values, job.below.start))
    roll_count, size = model.dice.roll_count, job.policy.outcomes.size
    stages, holds, buffer = model.rolls_per_turn, model.dice.first_roll + roll_count, scratch.buffer
    for n in range(len(rows)):
        lane = lanes[n] % LANES
        block = mean_block(model, rows[n], lanes[n] - lane)
        turn_chances(followed, job.policy, lattice_index, block)
        for i in range(size):
            poke(result.outcome_chance, n * size + i, peek(scratch.outcome_chance, i * LANES + lane))
        for i in range(stages * roll_count):
            poke(result.roll_chance, n * stages * roll_count + i, peek(scratch.roll_chance, i * LANES + lane))
        outcome_quantities(quantities, quantities, job, block, 0, splat(scratch.temp, 0.0), scratch.outcome_chance)
        for rerolls in range(stages):
            if rerolls > 0:
                means(buffer, job.policy.lattice)
                for hold in range(holds):
                    poke(result.hold_value, (n * stages + rerolls) * holds + hold, peek(buffer, hold * LANES + lane))
            is_first = model.has_first_roll_bonus and rerolls == stages - 1
            follow_actions(job, rerolls, is_first, buffer)
            for roll in range(roll_count):
                value = peek(buffer, (model.dice.first_roll + roll) * LANES + lane)
                poke(result.roll_value, (n * stages + rerolls) * roll_count + roll, value)
        deciding_rules(followed.rules, job.policy, block, lane, n * stages * roll_count, result.decided_by)


@jit
def turn_values(rows, lanes, arguments, policy, values):
    """Values of sampled states if their turn is played by a policy, and the rest of the game has given values.

    Parameters
    ----------
    rows, lanes, arguments, policy
        As for :func:`sample_turns`; ``arguments.target`` is a whole table that is overwritten.
    values : (n,) float64
        Written.
    """
    job, followed, result = views(arguments), views(policy), view(values)
    layout = job.policy.model.layout
    table, target = MeanTable(shifted(job.below.values, job.below.start)), MeanTable(job.target.values)
    for n in range(len(rows)):
        block = mean_block(job.policy.model, rows[n], lanes[n] - lanes[n] % LANES)
        evaluate_actions_block(followed, table, table, target, job, block)
        poke(result, n, peek(target.values, peek(layout.offsets, rows[n]) + lanes[n]))


@jit
def rule_gains(holds, per_mask, faces, weights, samples, sizes, gains):
    """Gain of a pattern and its action, without conditions, by state, rerolls left and deciding rule.

    Parameters
    ----------
    holds : (lines * rolls,) int32
        Lattice index, STOP or NO_FIT by roll, for each bitmask of open faces or for all.
    per_mask : int
        Rolls, or 0 if there is one line.
    faces : (n,) int64
        Bitmask of open faces of each state.
    weights : (n,) float64
        Chance of each state.
    samples : SampledTurns
    sizes : (int, int, int, int)
        Stages, rolls, holds, and the number of rules plus 1.
    gains : (n * stages * (rules + 1),) float64
        Added to.
    """
    named, source, result = view(holds), views(samples), view(gains)
    stages, roll_count, hold_count, columns = sizes
    for n in range(len(weights)):
        line = faces[n] * per_mask
        for rerolls in range(1, stages):
            stage = n * stages + rerolls
            for roll in range(roll_count):
                hold = peek(named, line + roll)
                if hold != NO_FIT:
                    here = stage * roll_count + roll
                    stopped = peek(source.roll_value, n * stages * roll_count + roll)
                    value = stopped if hold == STOP else peek(source.hold_value, stage * hold_count + hold)
                    gain = weights[n] * peek(source.roll_chance, here) * (value - peek(source.roll_value, here))
                    there = stage * columns + peek(source.decided_by, here)
                    poke(result, there, peek(result, there) + gain)
