"""What a policy loses against perfect play, and where.

The value a policy gives away is the sum over its decisions of what each loses if everything after it is perfect
(Kakade and Langford, "Approximately optimal approximate reinforcement learning", ICML 2002, lemma 6.1)::

    V(start) - V_policy(start) = sum over states s, rolls r, rerolls n of
                                 P(s) P(r, n | s) (W(r, n) - Q(r, n, action))

with W and Q of perfect play and the chances P of the policy. Ending a turn has two losses: that of ending it at all,
which counts as a hold, and that of the category against the best one.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from ..game.dice import Floats
from ..model.state_space import LANES
from .actions import turn_chances
from .jit import jit
from .policy import PolicyJob, choose_stops, outcome_values
from .propagation import is_played, list_ends, most_ends
from .score_policy import HoldValues, backup_holds
from .simd import add, load, maximum, multiply, peek, poke, shifted, splat, store, uniform, view, views
from .turn import mean_block
from .value_tables import Block, MeanTable


class LossJob(NamedTuple):
    """Arguments of the kernel that compares a policy with perfect play.

    Attributes
    ----------
    policy : PolicyJob
    lattice_index : IndexedLattice
    memory : HoldValues
        For as many rerolls as a turn has rolls. This and the following are used by no other thread during the call.
    block_losses : (kinds,) vectors
        Losses of one block.
    """

    policy: PolicyJob
    lattice_index: Any
    memory: HoldValues
    block_losses: Floats


@jit
def perfect_holds(perfect, job, block):
    """Values of all holds and outcomes under perfect play, into the memory and the scratch.

    Full rolls with n + 1 rerolls left hold the best value with n, so the memory has one stage more than there are
    rerolls.
    """
    policy = job.policy
    backup_holds(perfect, policy, block, policy.model.rolls_per_turn, job.memory)
    outcome_values(perfect, policy, block, 0)


@jit
def add_block_loss(job, kind, chance, best, taken):
    """Add ``chance (best - taken)`` to the losses of one kind, lane by lane."""
    losses = job.block_losses
    loss = add(best, multiply(splat(losses, -1.0), taken))
    store(losses, kind, add(load(losses, kind), multiply(chance, loss)))


@jit
def add_lane_loss(job, kind, lane, chance, best, taken):
    """:func:`add_block_loss` for one lane."""
    there = kind * LANES + lane
    poke(job.block_losses, there, peek(job.block_losses, there) + chance * (best - taken))


@jit
def add_losses(job, rerolls, is_first):
    """Add the losses of all decisions with a number of rerolls left to ``block_losses``."""
    model, outcomes, scratch, values = job.policy.model, job.policy.outcomes, job.policy.scratch, job.memory.values
    dice, roll_count, most = model.dice, model.dice.roll_count, model.rolls_per_turn - 1
    holds = dice.first_roll + roll_count
    stop = scratch.first_stop if is_first else scratch.stop
    hold = scratch.first_hold if is_first else scratch.hold
    for roll in range(roll_count):
        place = roll if is_first else rerolls * roll_count + roll
        chance = load(scratch.roll_chance, rerolls * roll_count + roll)
        best_stop = load(scratch.stop_value, roll)
        best = maximum(best_stop, load(values, rerolls * holds + dice.first_roll + roll))
        held, outcome = int(peek(hold, place * LANES)), int(peek(stop, place * LANES))
        if uniform(load(hold, place)) and held >= 0:
            add_block_loss(job, rerolls - 1, chance, best, load(values, (rerolls - 1) * holds + held))
        elif uniform(load(hold, place)) and uniform(load(stop, place)):
            if rerolls > 0:
                add_block_loss(job, rerolls - 1, chance, best, best_stop)
            kind = most + peek(outcomes.category, outcome)
            add_block_loss(job, kind, chance, best_stop, load(scratch.outcome_value, outcome))
        else:
            store(scratch.temp, 0, best)
            for lane in range(LANES):
                part = peek(scratch.roll_chance, (rerolls * roll_count + roll) * LANES + lane)
                held, outcome = int(peek(hold, place * LANES + lane)), int(peek(stop, place * LANES + lane))
                lane_best, lane_stop = peek(scratch.temp, lane), peek(scratch.stop_value, roll * LANES + lane)
                if held >= 0:
                    taken = peek(values, ((rerolls - 1) * holds + held) * LANES + lane)
                    add_lane_loss(job, rerolls - 1, lane, part, lane_best, taken)
                else:
                    if rerolls > 0:
                        add_lane_loss(job, rerolls - 1, lane, part, lane_best, lane_stop)
                    kind, taken = (
                        most + peek(outcomes.category, outcome),
                        peek(scratch.outcome_value, outcome * LANES + lane),
                    )
                    add_lane_loss(job, kind, lane, part, lane_stop, taken)


def turn_losses(policy: object, perfect: MeanTable, job: LossJob, block: Block) -> None:
    """Add the losses of a turn to ``block_losses``, for a block of a mean table.

    Also does what :func:`.actions.turn_chances` does. A policy that draws its actions at random implements both with
    ``numba.extending.overload``. Kinds: holds with 1, 2, ... rerolls left; then the categories.
    """
    raise NotImplementedError("only within a kernel")


@overload(turn_losses, inline="never")
def _losses_of_actions(policy, perfect, job, block):
    if getattr(policy.instance_class, "random", False):
        return None

    def losses_of_actions(policy, perfect, job, block):
        model, scratch = job.policy.model, job.policy.scratch
        most = model.rolls_per_turn - 1
        turn_chances(policy, job.policy, job.lattice_index, block)
        perfect_holds(perfect, job, block)
        # The value of the best category for each roll; its number is not needed.
        choose_stops(job.policy, block, False, scratch.stop_value, scratch.best_within, 0)
        for rerolls in range(most + 1):
            is_first = model.has_first_roll_bonus and rerolls == most
            if is_first:
                choose_stops(job.policy, block, True, scratch.stop_value, scratch.best_within, 0)
            add_losses(job, rerolls, is_first)

    return losses_of_actions


@jit
def loss_rows(rows, arguments, policy, perfect, losses, lists):
    """List the ends of the turns of all states of the given rows that play reaches, and add up what the turns lose.

    Parameters
    ----------
    rows : (n,) int64
        Rows of one layer.
    arguments : LossJob
    policy
        See :mod:`.actions`.
    perfect : TableSlice
        Values of the children under perfect play.
    losses : (kinds,) float64
        Added to: the losses, weighted by the chances of the states.
    lists : EndLists
        Written, as long as there is room.

    Returns
    -------
    done, used : int
        As for :func:`.actions.chance_rows`.
    """
    job, followed, best, target, result = views(arguments), views(policy), views(perfect), views(lists), view(losses)
    table, layout = MeanTable(shifted(best.values, best.start)), job.policy.model.layout
    kinds = job.policy.model.rolls_per_turn - 1 + job.policy.model.category_count
    used, room = 0, len(lists.end)
    for done, row in enumerate(rows):
        if used + most_ends(job.policy, row, 0, target) > room:
            return done, used
        lane_count = peek(layout.lane_count, peek(layout.lane_sets, row))
        for first_lane in range(0, lane_count, LANES):
            block, lanes = mean_block(job.policy.model, row, first_lane), min(LANES, lane_count - first_lane)
            if not is_played(target, layout, block, 0, lanes):
                continue
            for kind in range(kinds):
                store(job.block_losses, kind, splat(job.block_losses, 0.0))
            turn_losses(followed, table, job, block)
            used = list_ends(job.policy, block, lanes, 0, used, target)
            first = peek(layout.offsets, row) + first_lane - target.first_state
            for kind in range(kinds):
                for lane in range(lanes):
                    loss = peek(target.mass, first + lane) * peek(job.block_losses, kind * LANES + lane)
                    poke(result, kind, peek(result, kind) + loss)
    return len(rows), used
