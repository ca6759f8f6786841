"""Recorded games: their turns checked one after the other, and the values of what was done and of the best actions.

A *card* is the game of one player; its turns follow each other. :func:`walk_cards` plays the turns of each card by
the rules, without values. :func:`grade_decisions` values every decision, sorted by block (:mod:`.value_tables`): all
turns that begin in the same block share one backup of the turn (:mod:`.turn`), as the positions of :mod:`.batch` do.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from ..game.dice import Floats, Ints
from ..model.state_space import LANES
from ..model.turn_model import TurnModel, TurnOutcomes
from .batch import answer_position, answer_positions
from .jit import jit
from .legal import choices_of, scoring_of_roll
from .simd import peek, poke, views
from .table_slices import TableSlice
from .turn import LOWEST, Scratch
from .value_tables import state_number


class RecordedTurns(NamedTuple):
    """The turns of many cards, int64; dice are numbers of the lattice of :mod:`perfect_yatzy.game.dice`.

    Attributes
    ----------
    first_turn : (cards + 1,)
        Card i has the turns ``first_turn[i]`` to ``first_turn[i + 1] - 1``.
    first_roll : (turns + 1,)
        Turn i has the rolls ``first_roll[i]`` to ``first_roll[i + 1] - 1``.
    categories, points, bonus_points : (turns,)
        As in :class:`perfect_yatzy.play.record.Turn`; a category by its position.
    rolls, holds : (rolls,)
        All dice after a roll, and the dice held of them, -1 after the last roll of a turn.
    """

    first_turn: Ints
    first_roll: Ints
    categories: Ints
    points: Ints
    bonus_points: Ints
    rolls: Ints
    holds: Ints


class WalkedCards(NamedTuple):
    """Where the turns of recorded cards begin, int64; written by :func:`walk_cards`.

    Attributes
    ----------
    rows, lanes, saved : (turns,)
        Row, lane and saved rolls before each turn.
    ends : (cards,)
        Place of the last state in the table.
    filled : (cards,)
        Number of filled categories at the end.
    faults : (cards,)
        The first turn that breaks the rules, -1 if all are possible. The card is walked no further.
    """

    rows: Ints
    lanes: Ints
    saved: Ints
    ends: Ints
    filled: Ints
    faults: Ints


class WalkJob(NamedTuple):
    """Arguments of :func:`walk_cards`: `walked` is written, the others are read."""

    model: TurnModel
    outcomes: TurnOutcomes
    turns: RecordedTurns
    walked: WalkedCards


class Decisions(NamedTuple):
    """Decisions to value, sorted by row and block, ``(n,)`` int64 each.

    Attributes
    ----------
    rows, lanes
        Row and lane before the turn.
    rolls, rerolls
        Number of the roll, 0 for the first one of the lattice, and the rerolls left.
    is_first_roll
        1 for the first roll of a turn.
    holds, categories
        What was done: dice held, as a number of the lattice, and -1; or -1 and the position of the category.
    """

    rows: Ints
    lanes: Ints
    rolls: Ints
    rerolls: Ints
    is_first_roll: Ints
    holds: Ints
    categories: Ints


class DecisionValues(NamedTuple):
    """Values of decisions in points, ``(n,)`` float64 each; written by :func:`grade_decisions`.

    Attributes
    ----------
    best_hold
        Of the best hold that rerolls a die; ``turn.LOWEST`` without rerolls left.
    best_stop
        Of the best category.
    done
        Of what was done.
    best_category : int64
        The first category whose value is `best_stop`.
    """

    best_hold: Floats
    best_stop: Floats
    done: Floats
    best_category: Ints


class GradeJob(NamedTuple):
    """Arguments of :func:`grade_decisions`.

    Attributes
    ----------
    model : TurnModel
    outcomes : TurnOutcomes
    lattice : FiveDice, SixDice or IndexedLattice
    table : TableSlice
        Table of means.
    decisions : Decisions
    found : DecisionValues
        Written.
    scratch : Scratch
        Used by no other thread during the call.
    """

    model: TurnModel
    outcomes: TurnOutcomes
    lattice: Any
    table: TableSlice
    decisions: Decisions
    found: DecisionValues
    scratch: Scratch


@jit
def is_hold(dice, hold, roll):
    """Whether a hold lies within a roll (both numbers of the lattice) and leaves at least one die to reroll."""
    first = roll - dice.first_roll
    for i in range(peek(dice.hold_start, first) + 1, peek(dice.hold_start, first + 1)):
        if peek(dice.holds, i) == hold:
            return True
    return False


@jit
def outcome_of_turn(model, outcomes, turns, turn, row, saved):
    """Number of the outcome of a turn from a card, -1 if the turn breaks the rules."""
    dice, first, end = model.dice, peek(turns.first_roll, turn), peek(turns.first_roll, turn + 1)
    count, category, choices = end - first, peek(turns.categories, turn), choices_of(model, row)
    if choices == 0 or count < 1 or count > model.rolls_per_turn + saved:
        return -1
    for i in range(first, end):
        if peek(turns.rolls, i) < dice.first_roll:
            return -1
    for i in range(first, end - 1):
        hold = peek(turns.holds, i)
        if not (is_hold(dice, hold, peek(turns.rolls, i)) and is_hold(dice, hold, peek(turns.rolls, i + 1))):
            return -1
    roll = peek(turns.rolls, end - 1) - dice.first_roll
    allowed, way = scoring_of_roll(model, row, choices, roll, count == 1)
    if not allowed >> category & 1:
        return -1
    outcome = peek(outcomes.number, (way * model.category_count + category) * dice.roll_count + roll)
    points, total = peek(turns.points, turn), peek(turns.points, turn) + peek(turns.bonus_points, turn)
    return outcome if peek(outcomes.points, outcome) == points and peek(outcomes.total, outcome) == total else -1


@jit
def walk_cards(start, stop, arguments):
    """The states before the turns of the cards `start` to `stop - 1`, from the empty card.

    Parameters
    ----------
    start, stop : int
    arguments : WalkJob
    """
    job = views(arguments)
    model, outcomes, turns, walked, layout = job.model, job.outcomes, job.turns, job.walked, job.model.layout
    for card in range(start, stop):
        row, saved, fault = 0, 0, -1
        lane = peek(layout.lane_of, peek(layout.lane_sets, row) * layout.upper_width)
        first, end = peek(turns.first_turn, card), peek(turns.first_turn, card + 1)
        turn = first
        while turn < end:
            outcome = outcome_of_turn(model, outcomes, turns, turn, row, saved)
            if outcome < 0:
                fault = turn
                break
            poke(walked.rows, turn, row)
            poke(walked.lanes, turn, lane)
            poke(walked.saved, turn, saved)
            child = row + peek(outcomes.step, outcome)
            child_set = peek(layout.lane_sets, child)
            upper = peek(layout.lane_upper, peek(layout.lane_sets, row) * layout.lane_width + lane)
            lane = peek(layout.lane_of, child_set * layout.upper_width + upper + peek(outcomes.shift, outcome))
            count = peek(turns.first_roll, turn + 1) - peek(turns.first_roll, turn)
            saved = model.rolls_per_turn + saved - count if model.saves_rolls else 0
            row, turn = child, turn + 1
        lanes = peek(layout.lane_count, peek(layout.lane_sets, row))
        poke(walked.ends, card, peek(layout.offsets, row) + saved * lanes + lane)
        poke(walked.filled, card, turn - first)
        poke(walked.faults, card, fault)


@jit
def grade_decision(values, job, i):
    """Values of decision i; the buffer holds the value of every hold that rerolls at least one die."""
    model, outcomes, decisions, found = job.model, job.outcomes, job.decisions, job.found
    row, lane, roll = peek(decisions.rows, i), peek(decisions.lanes, i), peek(decisions.rolls, i)
    rerolls, hold, category = peek(decisions.rerolls, i), peek(decisions.holds, i), peek(decisions.categories, i)
    saved = rerolls if model.saves_rolls else 0
    allowed, way = scoring_of_roll(model, row, choices_of(model, row), roll, peek(decisions.is_first_roll, i) != 0)
    done, best_stop, best_category = LOWEST, LOWEST, -1
    for c in range(model.category_count):
        if allowed >> c & 1:
            outcome = peek(outcomes.number, (way * model.category_count + c) * model.dice.roll_count + roll)
            child = row + peek(outcomes.step, outcome)
            place = state_number(model.layout, row, child, lane, saved, peek(outcomes.shift, outcome))
            value = peek(values, place) + peek(outcomes.total, outcome)
            if value > best_stop:
                best_stop, best_category = value, c
            if c == category:
                done = value
    best_hold, lane_in_block = LOWEST, lane % LANES
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop.
        for k in range(peek(model.dice.hold_start, roll) + 1, peek(model.dice.hold_start, roll + 1)):
            best_hold = max(best_hold, peek(job.scratch.buffer, peek(model.dice.holds, k) * LANES + lane_in_block))
    if hold >= 0:
        done = peek(job.scratch.buffer, hold * LANES + lane_in_block)
    poke(found.best_hold, i, best_hold)
    poke(found.best_stop, i, best_stop)
    poke(found.done, i, done)
    poke(found.best_category, i, best_category)


@overload(answer_position)
def _grade_position(values, job, i):
    if job.instance_class is not GradeJob:
        return None

    def grade_position(values, job, i):
        grade_decision(values, job, i)

    return grade_position


@jit
def grade_decisions(start, stop, arguments):
    """Values of the decisions `start` to `stop - 1`.

    Parameters
    ----------
    start, stop : int
    arguments : GradeJob
    """
    job = views(arguments)
    answer_positions(start, stop, job, job.decisions)
