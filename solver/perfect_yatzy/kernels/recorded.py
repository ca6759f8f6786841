"""Recorded games: their turns checked one after the other.

A *card* is the game of one player; its turns follow each other. :func:`walk_cards` plays the turns of each card by
the rules, without values; what each decision is worth is asked of :mod:`.batch`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..game.dice import Ints
from ..model.turn_model import TurnModel
from .jit import jit
from .legal import choices_of, outcome_number, scoring_of_roll
from .simd import views
from .value_tables import lane_after, state_place


class RecordedTurns(NamedTuple):
    """The turns of many cards, int64; dice are numbers of the lattice of :mod:`perfect_yatzy.game.dice`."""

    first_turn: Ints  # (cards + 1,): card i has the turns ``first_turn[i]`` to ``first_turn[i + 1] - 1``
    first_roll: Ints  # (turns + 1,): turn i has the rolls ``first_roll[i]`` to ``first_roll[i + 1] - 1``
    categories: Ints  # (turns,): position of the category
    points: Ints
    bonus_points: Ints
    rolls: Ints  # (rolls,): all dice after a roll
    holds: Ints  # the dice held of them, -1 after the last roll of a turn


class WalkedCards(NamedTuple):
    """Where the turns of recorded cards begin, int64; written by :func:`walk_cards`."""

    rows: Ints  # (turns,): the state before each turn
    lanes: Ints
    saved: Ints
    ends: Ints  # (cards,): place of the last state in the table
    filled: Ints  # (cards,): number of filled categories at the end
    faults: Ints  # (cards,): the first turn that breaks the rules, which is not walked; -1 if all are possible


class WalkJob(NamedTuple):
    """Arguments of :func:`walk_cards`: `walked` is written, the others are read."""

    model: TurnModel
    turns: RecordedTurns
    walked: WalkedCards


@jit
def is_hold(dice, hold, roll):
    """Whether a hold lies within a roll (both numbers of the lattice) and leaves at least one die to reroll."""
    first, found = roll - dice.first_roll, False
    for i in range(dice.hold_start[first] + 1, dice.hold_start[first + 1]):
        found = found or dice.holds[i] == hold
    return found


@jit
def outcome_of_turn(model, turns, turn, row, saved):
    """Number of the outcome of a turn from a card, -1 if the turn breaks the rules."""
    dice, first, end = model.dice, turns.first_roll[turn], turns.first_roll[turn + 1]
    count, category, choices = end - first, turns.categories[turn], choices_of(model, row)
    if choices == 0 or count < 1 or count > model.rolls_per_turn + saved:
        return -1
    for i in range(first, end):
        if turns.rolls[i] < dice.first_roll:
            return -1
    for i in range(first, end - 1):
        hold = turns.holds[i]
        if not (is_hold(dice, hold, turns.rolls[i]) and is_hold(dice, hold, turns.rolls[i + 1])):
            return -1
    roll = turns.rolls[end - 1] - dice.first_roll
    allowed, way = scoring_of_roll(model, row, choices, roll, count == 1)
    if not allowed >> category & 1:
        return -1
    outcome, outcomes = outcome_number(model, way, category, roll), model.turn_outcomes
    points, total = turns.points[turn], turns.points[turn] + turns.bonus_points[turn]
    return outcome if outcomes.points[outcome] == points and outcomes.total[outcome] == total else -1


@jit
def walk_cards(start, stop, arguments):
    """The states before the turns of the cards `start` to `stop - 1`, from the empty card; `arguments`: a WalkJob."""
    job = views(arguments)
    model, turns, walked, layout = job.model, job.turns, job.walked, job.model.layout
    for card in range(start, stop):
        row, saved, fault = 0, 0, -1
        lane = layout.lane_of[layout.lane_sets[row] * layout.upper_width]
        first, end = turns.first_turn[card], turns.first_turn[card + 1]
        turn = first
        while turn < end:
            outcome = outcome_of_turn(model, turns, turn, row, saved)
            if outcome < 0:
                fault = turn
                break
            walked.rows[turn], walked.lanes[turn], walked.saved[turn] = row, lane, saved
            child = row + model.turn_outcomes.step[outcome]
            lane = lane_after(layout, row, child, lane, model.turn_outcomes.shift[outcome])
            count = turns.first_roll[turn + 1] - turns.first_roll[turn]
            saved = model.rolls_per_turn + saved - count if model.saves_rolls else 0
            row, turn = child, turn + 1
        walked.ends[card] = state_place(layout, row, saved, lane)
        walked.filled[card], walked.faults[card] = turn - first, fault
