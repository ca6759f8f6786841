"""One turn in a game of two players, with the leads of the mover over the opponent as lanes.

The players take turns. For the cards A of the player who moves and B of the other, and the lead d
in points::

    U(A, B, d) = E over the turn of A of  max over actions  W(A', B, d + points)        the chance to win
    W(A', B, y) = 1 - U(B, A', -y)                                                       when B moves next

A tie counts what W says of two full cards. For a fixed B the turn is that of a goal, with leads in
place of scores (:mod:`perfect_yatzy.core.turn`,
:class:`perfect_yatzy.objectives.score_table_kernel.ScoreTable`). For a player who follows a
policy, the mean over the ends of the turn stands in place of the maximum
(:class:`TurnEndsOfStates`). One who plans each turn again takes the best actions of a plan, whose
values are those of a game in which only this player moves (:class:`PlannedPlay`).

The leads that can occur and leave the game open are a range around 0. Below it the game is lost,
above it is won: one vector of these known values stands on either side, so that every load is a
plain one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.dice import Floats, Ints
from ..core.jit import by_kind, jit
from ..core.legal import choices_of
from ..core.simd import shifted, splat, store, store_at, views, width
from ..core.table_slices import FRAME
from ..core.turn import Scratch, solve_turn
from ..core.turn_model import TurnModel
from ..core.value_tables import Block, lanes_of, state_place, value_after, write_values
from ..objectives.policy_evaluation_kernel import PerfectPlay, evaluate_block
from ..objectives.propagation_kernel import TurnEndsOfStates
from ..objectives.score_places import ScoreOffsets
from ..objectives.score_table_kernel import ScoreTable, score_block, score_block_lane, score_block_x


class LayerStates(NamedTuple):
    """The states of one player in one layer, by their places in it."""

    first: int  # number of the first state
    size: int
    most: Ints  # (size,): most points still possible, upper bonus included
    past: Ints  # (size,): most points made since the start, upper bonus left out


class LeadValues(NamedTuple):
    """W for the states of the player who waits and of the one who has moved."""

    # (n,) float32: for each pair the range of leads, with FRAME known values on either side
    values: Floats
    place: Ints  # (waiting * moved,): where each pair begins


class LeadJob(NamedTuple):
    """Arguments of the kernels for one turn of all pairs of cards."""

    model: TurnModel  # the turn of the player who moves
    lattice: Any
    most_saved: int
    scratch: Scratch  # used by no other thread during the call
    before: LayerStates  # states of the player who moves
    after: LayerStates  # those that follow
    other: LayerStates  # of the other player
    lead: int  # of the player who moves at the start of the game
    is_plan: int  # whether only this player moves, so that the values are ordered by its own lead
    below: LeadValues  # the other player waits, this one has moved
    target: LeadValues  # written: this player waits, the other one has moved
    ranges: ScoreOffsets  # working memory of the thread: (after.size,) each
    target_origin: Ints  # working memory of the thread: (before.size,) each
    target_high: Ints


@jit
def range_of(player, i, other, j, lead):
    """Return the first and the last lead of a player in state i for which the game is open.

    The other player is in state j, and `lead` is the lead at the start. If no lead leaves the game
    open, the range is empty: its last lead is one less than its first.
    """
    # The game is open as long as the player behind can make up for the lead. The points made limit
    # which leads occur.
    low = max(-player.most[i], lead - other.past[j])
    high = min(other.most[j], lead + player.past[i])
    if high >= low - 1:
        return low, high
    if low == -player.most[i]:  # all leads that can occur are lost: an empty range above them
        return low, low - 1
    return high + 1, high  # all are won: an empty range below them


@jit
def count_leads(waiting, moved, lead, lengths):
    """Write the number of entries of each pair of cards to `lengths`.

    `lead` is the lead of the player who waits, at the start of the game.
    """
    for i in range(waiting.size):
        for j in range(moved.size):
            low, high = range_of(waiting, i, moved, j, lead)
            lengths[i * moved.size + j] = FRAME + high - low + 1 + FRAME


@jit
def find_ranges(job, j):
    """Find where the values of all children are, and those to write.

    They are the values for state j of the other player.
    """
    after, before, other, ranges = job.after, job.before, job.other, job.ranges
    for i in range(after.size):
        low, high = range_of(after, i, other, j, job.lead)
        ranges.low[i] = low
        ranges.high[i] = high
        ranges.origin[i] = job.below.place[j * after.size + i] + FRAME - low
    values = job.target.values
    for i in range(before.size):
        low, high = range_of(before, i, other, j, job.lead)
        first = job.target.place[i * other.size + j] + FRAME
        last = first + high - low
        # This is where the lead 0 is. In a plan the values ascend with the leads of the mover, and
        # otherwise with those of the other player.
        job.target_origin[i] = first - low if job.is_plan else first + high
        job.target_high[i] = high
        store_at(values, first - FRAME, splat(values, 0.0))
        store_at(values, last + 1, splat(values, 1.0))


@jit
def state_of_block(job, block, saved):
    """Return the place in its layer of the one state that a block of leads belongs to."""
    return (
        state_place(job.model.layout, block.row, saved, score_block_lane(block.start))
        - job.before.first
    )


@write_values.of(LeadJob)
def _write_leads(job, layout, block, saved, values, temp):
    state = state_of_block(job, block, saved)
    first_lead = score_block_x(block.start)
    origin = job.target_origin[state]
    lanes = min(width(temp), job.target_high[state] + 1 - first_lead)
    store(temp, 0, values)
    for lane in range(lanes):
        lead = first_lead + lane
        if job.is_plan:
            job.target.values[origin + lead] = temp[lane]
        else:  # U to W, with the lead of the other player
            job.target.values[origin - lead] = 1.0 - temp[lane]


class BestPlay(NamedTuple):
    """A player who takes the best actions."""

    unused: int = 0  # numba takes no empty tuple


class PlannedPlay(NamedTuple):
    """A player who takes the best actions of a plan, whose values have the places of W."""

    plan: Floats
    evaluation: Any  # EvaluationJob, whose tables are not used


@by_kind()
def play_block(player, job, children, block):
    """Write the values of one turn of a player for a block of leads, from those of the children."""


play_block.of(BestPlay)(lambda player, job, children, block: solve_turn(children, job, job, block))


@play_block.of(PlannedPlay)
def _play_as_planned(player, job, children, block):
    plan = child_table(job, player.plan)
    evaluate_block(PerfectPlay(), plan, children, job, player.evaluation, block)


@play_block.of(TurnEndsOfStates)
def _average_of_ends(ends, job, children, block):
    layout, temp = job.model.layout, job.scratch.temp
    for saved in range(job.most_saved + 1):
        state = state_of_block(job, block, saved)
        total = splat(temp, 0.0)
        for end in range(ends.start[state], ends.start[state + 1]):
            child = job.after.first + ends.child[end]
            states = children.origin[child], children.low[child], children.high[child]
            total = (
                total
                + value_after(children, layout, block, states, ends.points[end], temp)
                * ends.chance[end]
            )
        write_values(job, layout, block, saved, total, temp)


@jit
def child_table(job, values):
    """Return the values of the children as a table of scores, after :func:`find_ranges`."""
    ranges, after = job.ranges, job.after.first
    low, high = shifted(ranges.low, after), shifted(ranges.high, after)
    return ScoreTable(values, shifted(ranges.origin, after), low, high, 1)


@jit
def solve_leads(begin, end, rows, arguments, who):
    """Compute W for all states in `rows` of the player who moves.

    The states of the other player are those from `begin` to before `end`. `who` is what the player
    who moves follows, a kind of :func:`play_block`.
    """
    job, player = views(arguments), views(who)
    layout = job.model.layout
    for j in range(begin, end):
        find_ranges(job, j)
        children = child_table(job, job.below.values)
        for row in rows:
            choices = choices_of(job.model, row)
            for lane in range(lanes_of(layout, row)):
                state = state_place(layout, row, 0, lane) - job.before.first
                low, high = range_of(job.before, state, job.other, j, job.lead)
                for lead in range(low, high + 1, width(job.scratch.buffer)):
                    play_block(player, job, children, Block(row, score_block(lane, lead), choices))
