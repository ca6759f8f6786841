"""Games a roll at a time: the dice of each roll, and what follows from the action that is taken.

Whole turns are played by :mod:`.rollout`. Here a caller sees every decision and may take another action than the best
one. The dice are those of the rollout: a function of seed, game, turn and roll. So are the decisions to explore, by
words of their own.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..game.dice import Ints
from ..model.turn_model import TurnModel, TurnOutcomes
from .jit import jit
from .lattice import IndexedLattice
from .legal import next_categories, scoring_on_card
from .rollout import DIE_BITS, completed_roll, random_word
from .simd import peek, poke, views

# Added to the seed: whether to explore, and which action to take then, do not depend on the dice.
WHETHER, WHICH = 0x5851F42D4C957F2D, 0x14057B7EF767814F
CHOICE_BITS = 40  # of a random word, to choose one of the legal actions


class Decisions(NamedTuple):
    """One decision of each of n games, ``(n,)`` int64 each.

    Attributes
    ----------
    games
        Number of the game.
    filled, joker_paid
        The card: bitmask of filled categories; 1 if the joker's box holds points.
    held
        Lattice index of the dice held; after :func:`roll_dice` of all dice.
    rerolls, is_first_roll
        Rerolls left; 1 if no die has been rerolled in this turn.
    actions
        The number of the best action; :func:`take_actions` writes the one that is taken.
    outcomes
        Written by :func:`take_actions`: number of the outcome if the turn ends, else -1.
    """

    games: Ints
    filled: Ints
    joker_paid: Ints
    held: Ints
    rerolls: Ints
    is_first_roll: Ints
    actions: Ints
    outcomes: Ints


class DecisionJob(NamedTuple):
    """Arguments of the functions below; `turn` and `roll` count from 0."""

    model: TurnModel
    outcomes: TurnOutcomes
    lattice_index: IndexedLattice
    decisions: Decisions
    seed: int
    turn: int
    roll: int


@jit
def roll_dice(arguments):
    """Roll the dice that are not held.

    Parameters
    ----------
    arguments : DecisionJob
    """
    job = views(arguments)
    held, games = job.decisions.held, job.decisions.games
    for i in range(len(arguments.decisions.games)):
        word = random_word(job.seed, peek(games, i), job.turn, job.roll)
        poke(held, i, completed_roll(job.lattice_index, peek(held, i), word))


@jit
def legal_action(model, allowed, roll, rerolls, number):
    """The `number`-th legal action for a roll: first the holds, then the categories."""
    start = peek(model.dice.hold_start, roll) + 1  # the first hold is that of all dice
    holds = peek(model.dice.hold_start, roll + 1) - start if rerolls > 0 else 0
    if number < holds:
        return int(peek(model.dice.holds, start + number))
    left, category = number - holds, 0
    while left > 0 or not allowed >> category & 1:
        left -= allowed >> category & 1
        category += 1
    return model.dice.first_roll + category


@jit
def legal_count(model, allowed, roll, rerolls):
    """How many actions are legal for a roll."""
    holds = peek(model.dice.hold_start, roll + 1) - peek(model.dice.hold_start, roll) - 1 if rerolls > 0 else 0
    for c in range(model.category_count):
        holds += allowed >> c & 1
    return holds


@jit
def take_actions(exploration, arguments):
    """Take the best actions or, with chance `exploration`, any legal action; all of them are equally likely.

    Parameters
    ----------
    exploration : float
    arguments : DecisionJob
    """
    job = views(arguments)
    model, decisions = job.model, job.decisions
    limit = np.uint64(exploration * (1 << DIE_BITS))
    for i in range(len(arguments.decisions.games)):
        filled, game = peek(decisions.filled, i), peek(decisions.games, i)
        roll, rerolls = peek(decisions.held, i) - model.dice.first_roll, peek(decisions.rerolls, i)
        paid, is_first = peek(decisions.joker_paid, i) != 0, peek(decisions.is_first_roll, i) != 0
        allowed, way = scoring_on_card(model, filled, paid, next_categories(model, filled), roll, is_first)
        action = peek(decisions.actions, i)
        if random_word(np.uint64(job.seed) + np.uint64(WHETHER), game, job.turn, job.roll) < limit:
            word = random_word(np.uint64(job.seed) + np.uint64(WHICH), game, job.turn, job.roll)
            share = int(word >> np.uint64(DIE_BITS - CHOICE_BITS))
            number = share * legal_count(model, allowed, roll, rerolls) >> CHOICE_BITS
            action = legal_action(model, allowed, roll, rerolls, number)
        outcome, category = -1, action - model.dice.first_roll
        if category >= 0:
            first = (way * model.category_count + category) * model.dice.roll_count
            outcome = peek(job.outcomes.number, first + roll)
        poke(decisions.actions, i, action)
        poke(decisions.outcomes, i, outcome)
