"""Find the best actions of many positions and, where wanted, the values of all their options.

A position is a state, a roll, and the rerolls left. Positions of the same block
(:mod:`.value_tables`) share one backup of the turn (:mod:`.turn`), from 0 rerolls left up to the
most that one of them needs. Goals and utilities have ties broken by the mean (:mod:`.policy`).

An option is an action by its number: the holds that reroll at least one die, in the order of the
lattice, then the categories in the order of the sheet.

Recorded games are checked here, too: :func:`walk_cards` plays the turns of each *card*, the game of
one player, by the rules and without values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.dice import Floats, Ints
from ..core.jit import by_kind, jit
from ..core.legal import choices_of, outcome_number, scoring_of_roll
from ..core.simd import views
from ..core.state_space import LANES
from ..core.table_slices import TableSlice
from ..core.turn import LOWEST, TIE, mean_block
from ..core.turn_model import TurnModel
from ..core.value_tables import Block, lane_after, mean_table, state_place
from ..objectives.holds_kernel import HoldValues, backup_holds, hold_value
from ..objectives.policy_kernel import ScorePolicyJob, TurnStart, category_means, decision
from ..objectives.score_table_kernel import score_block_x
from .action_kinds import ALL_DICE, CATEGORIES, HOLDS
from .rollout_kernel import ScoreDecisions, begin_block, player_of

NO_TURN = -1
# Entries of `BatchJob.known`: the row, the first lane and the rerolls of a turn.
KNOWN_ROW, KNOWN_LANE, KNOWN_REROLLS = range(3)


class PositionBatch(NamedTuple):
    """Positions sorted by row, group of upper sums (``lane // LANES``) and block.

    Each field is ``(n,)`` int64.
    """

    rows: Ints  # of the states
    lanes: Ints
    rolls: Ints  # number of the roll, 0 for the first one of the lattice
    rerolls: Ints  # rerolls left
    is_first_roll: Ints  # 1 if no die has been rerolled in this turn
    blocks: Ints  # start of the block: of scores for goals and utilities, of lanes for the mean
    block_lanes: Ints  # lane within the block


class ActionBatch(NamedTuple):
    """The best actions of n positions. Each field is ``(n,)``."""

    hold: Ints  # lattice index of the hold or -1
    category: Ints  # category or -1
    value: Floats


class OptionValues(NamedTuple):
    """Values of all options of consecutive positions."""

    # (n * columns,), written: the value of each option, -inf where it is not legal
    values: Floats
    columns: int  # number of options, 0 if their values are not wanted
    first: int  # the position that the first row belongs to


class RankedOptions(NamedTuple):
    """The options of one position, best first, for a table of means.

    Equal ones are in the order of the rankings.
    """

    # (1,): kinds of options wanted (:mod:`perfect_yatzy.strategy.actions`), 0 for none
    kinds: Ints
    # (2,), written: the number of options, and the best category
    count_and_category: Ints
    values: Floats  # (options,), written
    numbers: Ints  # (options,), written
    # (options,), working memory: the options before they are sorted, and their places there
    unsorted: Ints
    places: Ints


def no_options() -> OptionValues:
    """Return the options of a job that is not asked for their values."""
    return OptionValues(np.empty(0), columns=0, first=0)


def ranked_options(size: int) -> RankedOptions:
    """Return memory for up to `size` options."""
    return RankedOptions(
        kinds=np.zeros(1, dtype=np.int64),
        count_and_category=np.zeros(2, dtype=np.int64),
        values=np.zeros(size),
        numbers=np.zeros(size, dtype=np.int64),
        unsorted=np.zeros(size, dtype=np.int64),
        places=np.zeros(size, dtype=np.int64),
    )


class MeanPolicy(NamedTuple):
    """The policy of a table of means."""

    means: TableSlice


class MeanDecisions(NamedTuple):
    """The player of a :class:`MeanPolicy`."""

    means: Any
    holds: HoldValues


@player_of.of(MeanPolicy)
def _mean_player(policy, job, block, most_saved):
    means = mean_table(policy.means)
    known = job.known
    rerolls = job.policy.model.rolls_per_turn - 1 + most_saved
    is_same_block = known[KNOWN_ROW] == block.row and known[KNOWN_LANE] == block.start
    if not is_same_block or known[KNOWN_REROLLS] < rerolls:
        known[KNOWN_ROW] = NO_TURN  # stays until all values of this turn are in memory
        backup_holds(means, job.policy, block, rerolls, job.policy.means)
        known[KNOWN_ROW] = block.row
        known[KNOWN_LANE] = block.start
        known[KNOWN_REROLLS] = rerolls
    return MeanDecisions(means, job.policy.means)


class BatchJob(NamedTuple):
    """Arguments of :func:`find_best_actions`."""

    policy: ScorePolicyJob  # its working memory is used by no other thread during the call
    followed: Any  # MeanPolicy or ScorePolicy
    positions: PositionBatch
    actions: ActionBatch  # written
    options: OptionValues  # written
    ranked: RankedOptions  # written
    # (3,): the turn of means whose values are in the memory of `policy`; its row may be NO_TURN
    known: Ints


def no_turn() -> Ints:
    """Return the memory for `known` of a job whose policy has the values of no turn."""
    return np.full(3, NO_TURN, dtype=np.int64)


@by_kind()
def best_action(player, policy, turn, lane, roll, rerolls, is_first):
    """Return the hold or -1, the category or -1, and the value of the best action.

    Writes the values of all categories to ``option_values``.
    """


@best_action.of(MeanDecisions)
def _best_by_means(player, policy, turn, lane, roll, rerolls, is_first):
    model, dice, category_values = policy.model, policy.model.dice, policy.option_values
    saved = rerolls if model.saves_rolls else 0
    category_means(player.means.values, policy, turn, roll, saved, is_first, category_values)
    # Of equal options the first is taken.
    best_hold = -1
    category = -1
    value = LOWEST
    for c in range(model.category_count):
        if category_values[c] > value + TIE:
            category = c
            value = category_values[c]
    if rerolls > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
            value_of_hold = hold_value(player.holds, dice, rerolls, dice.holds[k], lane)
            if value_of_hold > value + TIE:
                best_hold = int(dice.holds[k])
                category = -1
                value = value_of_hold
    return best_hold, category, value


@best_action.of(ScoreDecisions)
def _best_by_scores(player, policy, turn, lane, roll, rerolls, is_first):
    hold, outcome, value = decision(
        player.scores, player.means, policy, turn, lane, roll, rerolls, is_first
    )
    category = policy.model.turn_outcomes.category[outcome] if hold < 0 else -1
    return hold, category, value


@jit
def write_options(player, job, turn, lane, i):
    """Write the values of all options of position i, after :func:`best_action`.

    Those that are not legal get -inf.
    """
    policy, dice, options, positions = job.policy, job.policy.model.dice, job.options, job.positions
    roll, rerolls = positions.rolls[i], positions.rerolls[i]
    # where the options of the position begin: first the holds, then the categories
    row = (i - options.first) * options.columns
    for option in range(options.columns):
        options.values[row + option] = -np.inf
    for c in range(policy.model.category_count):
        if policy.option_values[c] > LOWEST:
            options.values[row + dice.first_roll + c] = policy.option_values[c]
    if rerolls > 0:
        for k in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
            hold = dice.holds[k]
            options.values[row + hold] = hold_value(player.holds, dice, rerolls, hold, lane)


@jit
def sort_options(values, places, first, end):
    """Sort the options `first` to ``end - 1`` by value, the best first.

    Equal ones keep their order.
    """
    for i in range(first + 1, end):
        value = values[i]
        place = places[i]
        k = i
        while k > first and values[k - 1] < value:
            values[k], places[k] = values[k - 1], places[k - 1]
            k -= 1
        values[k], places[k] = value, place


@jit
def sort_places(values, places, first, end):
    """Sort the options `first` to ``end - 1`` by place."""
    for i in range(first + 1, end):
        value = values[i]
        place = places[i]
        k = i
        while k > first and places[k - 1] > place:
            values[k], places[k] = values[k - 1], places[k - 1]
            k -= 1
        values[k], places[k] = value, place


@jit
def best_category(model, values):
    """Return the first category whose value equals the best one."""
    best = LOWEST
    category = -1
    for c in range(model.category_count):
        best = max(best, values[c])
    for c in range(model.category_count - 1, -1, -1):
        if values[c] >= best - TIE:
            category = c
    return category


@jit
def rank_options(player, job, lane, i):
    """Write the options of position i to ``job.ranked``, after :func:`best_action`."""
    model, dice, ranked = job.policy.model, job.policy.model.dice, job.ranked
    roll, rerolls = job.positions.rolls[i], job.positions.rerolls[i]
    category_values = job.policy.option_values
    kinds = ranked.kinds[0]
    count = 0
    category = best_category(model, category_values)
    if kinds & CATEGORIES:
        for c in range(model.category_count):
            if category_values[c] > LOWEST:
                ranked.unsorted[count] = dice.first_roll + c
                ranked.values[count] = category_values[c]
                count += 1
    else:  # to hold all dice is to score in the best category
        ranked.unsorted[0], ranked.values[0] = ALL_DICE, category_values[category]
        count = 1
    if kinds & HOLDS and rerolls > 0:
        for k in range(dice.hold_start[roll] + 1, dice.hold_start[roll + 1]):
            hold = dice.holds[k]
            ranked.unsorted[count] = hold
            ranked.values[count] = hold_value(player.holds, dice, rerolls, hold, lane)
            count += 1
    for place in range(count):
        ranked.places[place] = place
    sort_options(ranked.values, ranked.places, 0, count)
    first = 0
    while first < count:  # options of equal value, in the order in which they were found
        end = first + 1
        while end < count and ranked.values[end] >= ranked.values[first] - TIE:
            end += 1
        sort_places(ranked.values, ranked.places, first, end)
        first = end
    for place in range(count):
        ranked.numbers[place] = ranked.unsorted[ranked.places[place]]
    ranked.count_and_category[0], ranked.count_and_category[1] = count, category


@jit
def positions_of_card(positions, begin, stop):
    """Return the end of the positions from `begin` on that share a card and a block of upper sums.

    The second result is the most rerolls that one of them has.
    """
    row = positions.rows[begin]
    group = positions.lanes[begin] // LANES
    end = begin
    most_rerolls = 0
    while end < stop and positions.rows[end] == row and positions.lanes[end] // LANES == group:
        most_rerolls = max(most_rerolls, positions.rerolls[end])
        end += 1
    return end, most_rerolls


@jit
def find_best_actions(start, stop, arguments):
    """Find the best actions, and options if wanted, of the sorted positions `start` to `stop - 1`.

    The positions of a block share a backup.
    """
    job = views(arguments)
    i = start
    policy, positions, actions = job.policy, job.positions, job.actions
    while i < stop:  # card by card
        end, most_rerolls = positions_of_card(positions, i, stop)
        card = mean_block(policy.model, positions.rows[i], positions.lanes[i] // LANES * LANES)
        # This is negative for fewer rerolls than in a turn.
        most_saved = most_rerolls - policy.model.rolls_per_turn + 1
        player = player_of(job.followed, job, card, most_saved)
        while i < end:  # block by block of scores
            block_start = positions.blocks[i]
            begin_block(player, job, Block(card.row, block_start, card.choices))
            while i < end and positions.blocks[i] == block_start:
                lane = positions.block_lanes[i]
                roll = positions.rolls[i]
                is_first = positions.is_first_roll[i] != 0
                x = score_block_x(block_start) + lane  # not used for the mean
                turn = TurnStart(card.row, positions.lanes[i], x, card.choices)
                actions.hold[i], actions.category[i], actions.value[i] = best_action(
                    player, policy, turn, lane, roll, positions.rerolls[i], is_first
                )
                if job.options.columns > 0:
                    write_options(player, job, turn, lane, i)
                if job.ranked.kinds[0] > 0:
                    rank_options(player, job, lane, i)
                i += 1


class RecordedTurns(NamedTuple):
    """The turns of many cards, int64.

    Dice are numbers of the lattice of :mod:`perfect_yatzy.core.dice`.
    """

    # (cards + 1,): card i has the turns ``first_turn[i]`` to ``first_turn[i + 1] - 1``
    first_turn: Ints
    # (turns + 1,): turn i has the rolls ``first_roll[i]`` to ``first_roll[i + 1] - 1``
    first_roll: Ints
    categories: Ints  # (turns,): position of the category
    points: Ints
    bonus_points: Ints
    rolls: Ints  # (rolls,): all dice after a roll
    holds: Ints  # (rolls,): the dice held after the roll, -1 after the last roll of a turn


class WalkedCards(NamedTuple):
    """Where the turns of recorded cards begin, int64, as :func:`walk_cards` writes it."""

    rows: Ints  # (turns,): the state before each turn
    lanes: Ints
    saved: Ints
    ends: Ints  # (cards,): place of the last state in the table
    filled: Ints  # (cards,): number of filled categories at the end
    # (cards,): the first turn that breaks the rules and is not walked, -1 if all are possible
    faults: Ints


class WalkJob(NamedTuple):
    """Arguments of :func:`walk_cards`. It writes `walked` and reads the others."""

    model: TurnModel
    turns: RecordedTurns
    walked: WalkedCards


@jit
def is_hold(dice, hold, roll):
    """Return whether a hold lies within a roll and leaves at least one die to reroll.

    Both are numbers of the lattice.
    """
    number = roll - dice.first_roll
    is_within = False
    # The first hold of a roll is all of its dice.
    for i in range(dice.hold_start[number] + 1, dice.hold_start[number + 1]):
        is_within = is_within or dice.holds[i] == hold
    return is_within


@jit
def are_rolls(dice, turns, first, end, most):
    """Return whether the rolls `first` to ``end - 1`` are those of one turn.

    There are one to `most` of them, each with the dice held before it.
    """
    if not 1 <= end - first <= most:
        return False
    for i in range(first, end):
        if turns.rolls[i] < dice.first_roll:
            return False
    for i in range(first, end - 1):
        hold = turns.holds[i]
        if not (is_hold(dice, hold, turns.rolls[i]) and is_hold(dice, hold, turns.rolls[i + 1])):
            return False
    return True


@jit
def outcome_of_turn(model, turns, turn, row, saved):
    """Return the number of the outcome of a turn from a card, -1 if the turn breaks the rules."""
    first, end = turns.first_roll[turn], turns.first_roll[turn + 1]
    choices = choices_of(model, row)
    if choices == 0 or not are_rolls(model.dice, turns, first, end, model.rolls_per_turn + saved):
        return -1
    roll = turns.rolls[end - 1] - model.dice.first_roll
    category = turns.categories[turn]
    allowed, way = scoring_of_roll(model, row, choices, roll, is_first=(end - first == 1))
    if not allowed >> category & 1:
        return -1
    outcome = outcome_number(model, way, category, roll)
    outcomes = model.turn_outcomes
    points = turns.points[turn]
    is_paid = (
        outcomes.points[outcome] == points
        and outcomes.total[outcome] == points + turns.bonus_points[turn]
    )
    return outcome if is_paid else -1


@jit
def walk_cards(start, stop, arguments):
    """Write the states before the turns of the cards `start` to `stop - 1`, from the empty card on.

    `arguments` are a WalkJob.
    """
    job = views(arguments)
    model, turns, walked, layout = job.model, job.turns, job.walked, job.model.layout
    for card in range(start, stop):
        row, saved, fault = 0, 0, -1
        lane = layout.lane_of[layout.lane_sets[row] * layout.upper_width]  # of the upper sum 0
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
            rolls = turns.first_roll[turn + 1] - turns.first_roll[turn]
            saved = model.rolls_per_turn + saved - rolls if model.saves_rolls else 0
            row = child
            turn = turn + 1
        walked.ends[card] = state_place(layout, row, saved, lane)
        walked.filled[card] = turn - first
        walked.faults[card] = fault
