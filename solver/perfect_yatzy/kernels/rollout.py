"""Simulated games, a turn at a time: all games at the same card share one evaluation of its turn.

The dice are a function of the seed, the number of the game, the turn and the roll (a counter-based generator on the
finalizer of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Two
policies meet the same dice as long as they reroll equally many, and the number of threads changes nothing.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Ints
from ..model.state_space import LANES
from .actions import choose_actions
from .goal_estimates import score_table
from .jit import jit
from .lattice import IndexedLattice
from .legal import choices_of
from .policy import PolicyJob
from .score_policy import ScorePolicyJob, TurnStart, backup_holds, decision
from .simd import peek, poke, shifted, views, width
from .turn import mean_block
from .turn_log import NoLog, TurnLog, log_hold, log_outcome, log_roll
from .value_tables import Block, MeanTable, score_block_x

DIE_BITS = 60  # bits of a random word; a six-sided die takes 2.6 of them

# Fields of a game in `Games.fields`.
ROW, LANE, SAVED, POINTS, BLOCK, BLOCK_LANE, FIELDS = 0, 1, 2, 3, 4, 5, 8


class Games(NamedTuple):
    """Games in progress. The fields of a game are neighbours in memory: one cache miss instead of six.

    Attributes
    ----------
    fields : (games * FIELDS,) int64
        ROW, LANE (of upper sums) and SAVED are the state; POINTS made so far, without the upper bonus; BLOCK and
        BLOCK_LANE: start of the block that holds the policy of the game, and the lane within.
    boxes : (games * categories,) int16
        Points of each category.
    """

    fields: Ints
    boxes: npt.NDArray[np.int16]


class RolloutJob(NamedTuple):
    """Arguments of the kernels that play one turn of many games.

    Attributes
    ----------
    policy : PolicyJob or ScorePolicyJob
        Of the mean, or of goals and utilities.
    lattice_index : IndexedLattice
    games : Games
        Written.
    order : (games,) int64
        Games sorted by row and block.
    first_game : int
        Number of game 0 among all games of the simulation.
    seed, turn : int
    log : NoLog or TurnLog
        Written: what each game does.
    """

    policy: PolicyJob | ScorePolicyJob
    lattice_index: IndexedLattice
    games: Games
    order: Ints
    first_game: int
    seed: int
    turn: int
    log: NoLog | TurnLog = NoLog()


@jit
def mixed(word):
    """Finalizer of SplitMix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@jit
def random_word(seed, game, turn, roll):
    """DIE_BITS random bits for one roll."""
    step = np.uint64(0x9E3779B97F4A7C15)
    word = mixed(np.uint64(seed) + step)
    word = mixed(word + np.uint64(game) * step)
    word = mixed(word + np.uint64(turn * 256 + roll + 1) * step)
    return word >> np.uint64(64 - DIE_BITS)


@jit
def ordered(keys, number):
    """Stable order that sorts keys from 0 to number - 1 (counting sort)."""
    start = np.zeros(number + 1, np.int64)
    for key in keys:
        start[key + 1] += 1
    for key in range(number):
        start[key + 1] += start[key]
    order = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        order[start[keys[i]]] = i
        start[keys[i]] += 1
    return order


@jit
def rolled(job, game, held, roll):
    """The full roll after the dice not in `held` are rolled for the `roll`-th time in this turn."""
    return completed_roll(job.lattice_index, held, random_word(job.seed, job.first_game + game, job.turn, roll))


@jit
def completed_roll(lattice_index, held, word):
    """The full roll after the dice not in `held` are rolled; `word`: the random bits of this roll."""
    while held < lattice_index.first_roll:
        word *= np.uint64(lattice_index.faces)
        face = int(word >> np.uint64(DIE_BITS))
        held = peek(lattice_index.successors, held * lattice_index.faces + face)
        word &= np.uint64((1 << DIE_BITS) - 1)
    return held


@jit
def end_turn(job, game, outcome, rerolls):
    """Move a game to the card after the outcome of its turn."""
    model, outcomes, layout = job.policy.model, job.policy.outcomes, job.policy.model.layout
    fields, first_field = job.games.fields, game * FIELDS
    row = peek(fields, first_field + ROW)
    child = row + peek(outcomes.step, outcome)
    upper_lane = peek(layout.lane_sets, row) * layout.lane_width + peek(fields, first_field + LANE)
    upper = peek(layout.lane_upper, upper_lane) + peek(outcomes.shift, outcome)
    child_lane = peek(layout.lane_of, peek(layout.lane_sets, child) * layout.upper_width + upper)
    points = peek(fields, first_field + POINTS) + int(peek(outcomes.total, outcome))
    poke(fields, first_field + ROW, child)
    poke(fields, first_field + LANE, child_lane)
    poke(fields, first_field + SAVED, rerolls if model.saves_rolls else 0)
    poke(fields, first_field + POINTS, points)
    box = game * model.category_count + peek(outcomes.category, outcome)
    poke(job.games.boxes, box, np.int16(peek(outcomes.points, outcome)))
    log_outcome(job.log, game, outcome)


@jit
def play_turn(job, game):
    """One turn of one game by the policy in the scratch."""
    model, dice, scratch, fields = job.policy.model, job.policy.model.dice, job.policy.scratch, job.games.fields
    lane, saved_before = peek(fields, game * FIELDS + BLOCK_LANE), peek(fields, game * FIELDS + SAVED)
    lanes, most = width(scratch.hold), model.rolls_per_turn - 1 + saved_before
    held, rerolls, outcome = 0, most, -1
    while outcome < 0:
        number = most - rerolls
        held = rolled(job, game, held, number)
        log_roll(job.log, game, number, held)
        is_first = model.has_first_roll_bonus and rerolls == most
        stage = saved_before if is_first else rerolls
        entry = (stage * dice.roll_count + held - dice.first_roll) * lanes + lane
        hold = int(peek(scratch.first_hold, entry) if is_first else peek(scratch.hold, entry))
        if rerolls == 0 or hold < 0:
            outcome = int(peek(scratch.first_stop, entry) if is_first else peek(scratch.stop, entry))
        else:
            log_hold(job.log, game, number, hold)
            held, rerolls = hold, rerolls - 1
    end_turn(job, game, outcome, rerolls)


@jit
def play_score_turn(scores, mean_table, job, game, choices):
    """One turn of one game, from the values of all holds in the memory of the policy."""
    model, fields, first_field = job.policy.model, job.games.fields, game * FIELDS
    score_lane = peek(fields, first_field + BLOCK_LANE)
    x = score_block_x(peek(fields, first_field + BLOCK)) + score_lane
    turn = TurnStart(peek(fields, first_field + ROW), peek(fields, first_field + LANE), x, choices)
    most = model.rolls_per_turn - 1 + peek(fields, first_field + SAVED)
    held, rerolls, outcome = 0, most, -1
    while outcome < 0:
        number = most - rerolls
        held = rolled(job, game, held, number)
        log_roll(job.log, game, number, held)
        roll = held - model.dice.first_roll
        hold, stop, _ = decision(scores, mean_table, job.policy, turn, score_lane, roll, rerolls, rerolls == most)
        if hold < 0:
            outcome = stop
        else:
            log_hold(job.log, game, number, hold)
            held, rerolls = hold, rerolls - 1
    end_turn(job, game, outcome, rerolls)


@jit
def play_slice(policy, job, begin, end):
    """One turn of the games ``order[begin:end]``."""
    fields, order, model = job.games.fields, job.order, job.policy.model
    i = begin
    while i < end:
        game, stop, most_saved = peek(order, i) * FIELDS, i, 0
        row, start = peek(fields, game + ROW), peek(fields, game + BLOCK)
        while stop < end:
            game = peek(order, stop) * FIELDS
            if peek(fields, game + ROW) != row or peek(fields, game + BLOCK) != start:
                break
            most_saved = max(most_saved, peek(fields, game + SAVED))
            stop += 1
        choose_actions(policy, job.policy, Block(row, start, choices_of(model, row)), most_saved)
        for k in range(i, stop):
            play_turn(job, peek(order, k))
        i = stop


@jit
def play_by_policy(begin, end, arguments, policy):
    """One turn of the games ``order[begin:end]`` by a policy that chooses its actions.

    Parameters
    ----------
    begin, end : int
    arguments : RolloutJob
    policy
        See :mod:`.actions`; for the mean, the values of the children, float64 or float32.
    """
    play_slice(views(policy), views(arguments), begin, end)


@jit
def play_score_slice(scores, mean_table, job, begin, end):
    """One turn of the games ``order[begin:end]``; a card and group of upper sums share a backup of means."""
    fields, order, policy, model = job.games.fields, job.order, job.policy, job.policy.model
    i = begin
    while i < end:
        game, stop, most = peek(order, i) * FIELDS, i, 0
        row, group = peek(fields, game + ROW), peek(fields, game + LANE) // LANES
        while stop < end:
            game = peek(order, stop) * FIELDS
            if peek(fields, game + ROW) != row or peek(fields, game + LANE) // LANES != group:
                break
            most = max(most, model.rolls_per_turn - 1 + peek(fields, game + SAVED))
            stop += 1
        mean = mean_block(model, row, group * LANES)
        backup_holds(mean_table, policy, mean, most, policy.means)
        while i < stop:
            start = peek(fields, peek(order, i) * FIELDS + BLOCK)
            backup_holds(scores, policy, Block(row, start, mean.choices), most, policy.scores)
            while i < stop and peek(fields, peek(order, i) * FIELDS + BLOCK) == start:
                play_score_turn(scores, mean_table, job, peek(order, i), mean.choices)
                i += 1


@jit
def play_by_scores(begin, end, arguments, scores, means):
    """One turn of the games ``order[begin:end]`` by a table of goals or of a utility.

    Parameters
    ----------
    begin, end : int
    arguments : RolloutJob
        With a ScorePolicyJob.
    scores : StoredScores or EstimatedScores
        Values of the children, float32.
    means : TableSlice
        Means of the children, float64 or float32; they break ties.
    """
    mean_values = views(means)
    mean_table = MeanTable(shifted(mean_values.values, mean_values.start))
    play_score_slice(score_table(views(scores)), mean_table, views(arguments), begin, end)
