"""Simulate games a turn at a time: all games at the same card share one evaluation of its turn.

The dice are a function of the seed, the number of the game, the turn and the roll (a counter-based
generator on the finalizer of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014). Two policies meet the same dice as long as they reroll equally
many, and the number of threads changes nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Ints
from ..core.jit import by_kind, jit
from ..core.simd import shifted, views, width
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import mean_block
from ..core.value_tables import Block, lane_after, mean_table
from ..objectives.holds_kernel import HoldValues, backup_holds
from ..objectives.policy_kernel import TurnStart, decision, stage_actions, stop_action
from ..objectives.propagation_kernel import choose_actions
from ..objectives.score_table_kernel import StoredScores, placed_scores, score_block_x

DIE_BITS = 60  # bits of a random word; a six-sided die takes 2.6 of them
MOST_ROLLS = 256  # random words of a turn

# Fields of a game in `Games.fields`. The first three are the state.
ROW = 0
LANE = 1  # lane of upper sums
SAVED = 2  # saved rolls
POINTS = 3  # points made so far without the upper bonus
BLOCK = 4  # start of the block that holds the policy of the game
BLOCK_LANE = 5  # lane within the block
FIELDS = 8


class Games(NamedTuple):
    """Games in progress.

    The fields of a game are neighbours in memory, so that they cost one cache miss instead of six.
    """

    fields: Ints  # (games * FIELDS,)
    boxes: npt.NDArray[np.int16]  # (games * categories,): points of each category


class TurnLog(NamedTuple):
    """One turn of many games as it is played, int32."""

    # (games * most_rolls,): dice after each roll, as numbers of the lattice, and -1 after the last
    rolls: npt.NDArray[np.int32]
    # (games * most_rolls,): the dice held after the roll, -1 after the last roll of a turn
    holds: npt.NDArray[np.int32]
    # (games,): numbers of :class:`perfect_yatzy.core.turn_model.TurnOutcomes`
    outcomes: npt.NDArray[np.int32]
    most_rolls: int  # most rolls that the turn may have, 0 if nothing is written down


def turn_log(games: int, most_rolls: int) -> TurnLog:
    """Return an empty log for a turn."""
    rolls = np.full(games * most_rolls, -1, dtype=np.int32)
    return TurnLog(rolls, rolls.copy(), np.empty(games, dtype=np.int32), most_rolls)


NO_LOG = turn_log(0, 0)


class RolloutJob(NamedTuple):
    """Arguments of the kernel that plays one turn of many games."""

    policy: Any  # PolicyJob or ScorePolicyJob
    games: Games  # written
    order: Ints  # (games,): games sorted by row and block
    first_game: int  # number of game 0 among all games of the simulation
    seed: int
    turn: int
    log: TurnLog = NO_LOG  # written


@jit
def mixed(word):
    """Return a word after the finalizer of SplitMix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@jit
def random_word(seed, game, turn, roll):
    """Return DIE_BITS random bits for one roll."""
    step = np.uint64(0x9E3779B97F4A7C15)
    word = mixed(np.uint64(seed) + step)
    word = mixed(word + np.uint64(game) * step)
    word = mixed(word + np.uint64(turn * MOST_ROLLS + roll + 1) * step)
    return word >> np.uint64(64 - DIE_BITS)


@jit
def ordered(keys, number):
    """Return the stable order that sorts keys from 0 to number - 1 (counting sort)."""
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
def completed_roll(dice, held, word):
    """Return the full roll after the dice not in `held` are rolled.

    `word` has the random bits of this roll.
    """
    while held < dice.first_roll:
        word *= np.uint64(dice.faces)
        face = int(word >> np.uint64(DIE_BITS))
        held = dice.successors[held * dice.faces + face]
        word &= np.uint64((1 << DIE_BITS) - 1)
    return held


@jit
def end_turn(job, game, outcome, rerolls):
    """Move a game to the card after the outcome of its turn."""
    model, outcomes = job.policy.model, job.policy.model.turn_outcomes
    fields = shifted(job.games.fields, -game * FIELDS)
    child = fields[ROW] + outcomes.step[outcome]
    fields[LANE] = lane_after(
        model.layout, fields[ROW], child, fields[LANE], outcomes.shift[outcome]
    )
    fields[ROW] = child
    fields[SAVED] = rerolls if model.saves_rolls else 0
    fields[POINTS] += int(outcomes.total[outcome])
    job.games.boxes[game * model.category_count + outcomes.category[outcome]] = outcomes.points[
        outcome
    ]
    if job.log.most_rolls > 0:
        job.log.outcomes[game] = outcome


@by_kind()
def decide(player, job, game, roll, rerolls, number):
    """Return the hold or -1, and the outcome if the player ends the turn.

    The roll is number `number` of its turn, from 0.
    """


@partial(jit, inline=True)
def play_turn(player, job, game):
    """Play one turn of one game."""
    model, log = job.policy.model, job.log
    most = model.rolls_per_turn - 1 + job.games.fields[game * FIELDS + SAVED]
    hold = 0  # no dice are held before the first roll
    outcome = -1
    rerolls = most
    while hold >= 0:
        number = most - rerolls
        word = random_word(job.seed, job.first_game + game, job.turn, number)
        rolled = completed_roll(model.dice, hold, word)
        hold, outcome = decide(player, job, game, rolled - model.dice.first_roll, rerolls, number)
        if log.most_rolls > 0:
            entry = game * log.most_rolls + number
            log.rolls[entry], log.holds[entry] = rolled, hold
        if hold >= 0:
            rerolls -= 1
    end_turn(job, game, outcome, rerolls)


@jit
def games_of_card(job, begin, end):
    """Return the end of the games from `begin` on that share a card and a block.

    The other results are the block and the most saved rolls of these games.
    """
    fields = job.games.fields
    stop = begin
    most_saved = 0
    first_game = job.order[begin] * FIELDS
    row = fields[first_game + ROW]
    group = fields[first_game + LANE] // LANES
    while stop < end:
        game = job.order[stop] * FIELDS
        if fields[game + ROW] != row or fields[game + LANE] // LANES != group:
            break
        most_saved = max(most_saved, fields[game + SAVED])
        stop += 1
    return stop, mean_block(job.policy.model, row, group * LANES), most_saved


class ActionsInScratch(NamedTuple):
    """A player that takes the actions in the scratch of a PolicyJob."""


@decide.of(ActionsInScratch)
def _take_action(player, job, game, roll, rerolls, number):
    is_first = job.policy.model.has_first_roll_bonus and number == 0
    actions = stage_actions(job.policy, rerolls, is_first)
    place = job.policy.model.dice.first_roll + roll
    action = int(actions[place * width(actions) + job.games.fields[game * FIELDS + BLOCK_LANE]])
    hold = action if action >= 0 else -1
    return hold, stop_action(action)


@by_kind()
def player_of(policy, job, block, most_saved):
    """Return what plays the games of a block, after the work that their turns have in common."""


@player_of.of()
def _player_of_actions(policy, job, block, most_saved):
    choose_actions(policy, job.policy, block, most_saved)
    return ActionsInScratch()


@by_kind()
def begin_block(player, job, block):
    """Do what the turns of the games of one block have in common, beyond those of its card."""


begin_block.of()(lambda player, job, block: None)


@jit
def play_by_policy(begin, end, arguments, policy):
    """Play one turn of the games ``order[begin:end]`` by any policy, or by a :class:`ScorePolicy`."""
    job = views(arguments)
    followed = views(policy)
    i = begin
    while i < end:  # card by card
        stop, card, most_saved = games_of_card(job, i, end)
        player = player_of(followed, job, card, most_saved)
        while i < stop:  # block by block of scores
            start = job.games.fields[job.order[i] * FIELDS + BLOCK]
            begin_block(player, job, Block(card.row, start, card.choices))
            while i < stop and job.games.fields[job.order[i] * FIELDS + BLOCK] == start:
                play_turn(player, job, job.order[i])
                i += 1


class ScorePolicy(NamedTuple):
    """The policy of a table of goals or of a utility, with a ScorePolicyJob in the job."""

    scores: StoredScores
    means: TableSlice  # break ties


class ScoreDecisions(NamedTuple):
    """The player of a :class:`ScorePolicy`."""

    scores: Any
    means: Any
    holds: HoldValues
    most: int  # rerolls left, at most
    choices: int


@player_of.of(ScorePolicy)
def _score_player(policy, job, block, most_saved):
    means = mean_table(policy.means)
    most = job.policy.model.rolls_per_turn - 1 + most_saved
    backup_holds(means, job.policy, block, most, job.policy.means)
    scores = placed_scores(policy.scores.table, policy.scores.offsets)
    return ScoreDecisions(scores, means, job.policy.scores, most, block.choices)


@begin_block.of(ScoreDecisions)
def _back_up_scores(player, job, block):
    backup_holds(player.scores, job.policy, block, player.most, player.holds)


@decide.of(ScoreDecisions)
def _decide_by_scores(player, job, game, roll, rerolls, number):
    fields = shifted(job.games.fields, -game * FIELDS)
    lane = fields[BLOCK_LANE]
    turn = TurnStart(fields[ROW], fields[LANE], score_block_x(fields[BLOCK]) + lane, player.choices)
    hold, outcome, _ = decision(
        player.scores, player.means, job.policy, turn, lane, roll, rerolls, number == 0
    )
    return hold, outcome
