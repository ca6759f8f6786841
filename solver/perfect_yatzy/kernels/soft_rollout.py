"""Simulated games under a soft policy, with the points that each game gives away.

As :mod:`.rollout`: all games at the same card share one backup of its turn. The losses of a game are the expected
losses of the decisions it came to, before one of the options is drawn. Their mean is that of the losses of the
options drawn, their variance is smaller.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import numpy as np

from ..model.state_space import LANES
from .jit import jit
from .legal import choices_of, scoring_of_roll
from .rollout import BLOCK, DIE_BITS, FIELDS, LANE, ROW, SAVED, end_turn, random_word, rolled
from .score_policy import backup_holds
from .simd import peek, poke, shifted, view, views
from .turn import LOWEST, mean_block
from .turn_log import log_hold, log_roll
from .value_tables import MeanTable, state_number

SALT = 0x2545F4914F6CDD1D  # the numbers that draw options are not those of the dice


@jit
def drawn(values, count, sharpness, word):
    """Draw one of the first `count` options by a word of DIE_BITS random bits; values of LOWEST are not options.

    Returns
    -------
    (option, loss)
        Its number; the expected loss of the decision.
    """
    best, total, expected = LOWEST, 0.0, 0.0
    for i in range(count):
        best = max(best, peek(values, i))
    for i in range(count):
        loss = best - peek(values, i)
        weight = max(0.0, 1.0 - sharpness * loss) ** 8 if peek(values, i) > LOWEST else 0.0
        poke(values, i, weight)
        total += weight
        expected += weight * loss
    left, chosen = float(word) / float(1 << DIE_BITS) * total, -1
    for i in range(count):
        weight = peek(values, i)
        if weight > 0.0 and (chosen < 0 or left >= 0.0):
            chosen = i
        left -= weight
    return chosen, expected / total


@jit
def stop_values(mean_table, policy, row, lane, choices, roll, saved, is_first, values):
    """Values of all categories for a roll, into `values` (LOWEST where not allowed); the entry of its outcomes."""
    model, outcomes = policy.model, policy.outcomes
    allowed, way = scoring_of_roll(model, row, choices, roll, is_first)
    first = way * model.category_count * model.dice.roll_count + roll
    for c in range(model.category_count):
        value = LOWEST
        if allowed >> c & 1:
            i = peek(outcomes.number, first + c * model.dice.roll_count)
            child = row + peek(outcomes.step, i)
            state = state_number(model.layout, row, child, lane, saved, peek(outcomes.shift, i))
            value = peek(mean_table.values, state) + peek(outcomes.total, i)
        poke(values, c, value)
    return first


@jit
def play_soft_turn(mean_table, job, lost, game, choices):
    """One turn of one game, from the values of all holds in the scratch."""
    policy, fields, first_field = job.policy, job.games.fields, game * FIELDS
    model, dice, values, holds = policy.model, policy.model.dice, policy.scratch.weight, policy.scratch.holds.values
    row, lane = peek(fields, first_field + ROW), peek(fields, first_field + LANE)
    most = model.rolls_per_turn - 1 + peek(fields, first_field + SAVED)
    seed = np.uint64(job.seed) ^ np.uint64(SALT)
    held, rerolls, outcome = 0, most, -1
    while outcome < 0:
        number = most - rerolls
        held = rolled(job, game, held, number)
        log_roll(job.log, game, number, held)
        roll, saved = held - dice.first_roll, rerolls if model.saves_rolls else 0
        first = stop_values(mean_table, policy, row, lane, choices, roll, saved, rerolls == most, values)
        chosen, loss = 0, 0.0
        if rerolls > 0:
            best = LOWEST
            for c in range(model.category_count):
                best = max(best, peek(values, c))
            # The list of holds opens with that of all dice, which is to stop.
            poke(values, 0, best)
            hold = peek(dice.hold_start, roll)
            count = peek(dice.hold_start, roll + 1) - hold
            stage = (rerolls - 1) * (dice.first_roll + dice.roll_count)
            for i in range(1, count):
                poke(values, i, peek(holds, (stage + peek(dice.holds, hold + i)) * LANES + lane % LANES))
            word = random_word(seed, job.first_game + game, job.turn, 2 * number)
            chosen, loss = drawn(values, count, policy.sharpness, word)
            poke(lost, game, peek(lost, game) + loss)
            if chosen > 0:
                held, rerolls = int(peek(dice.holds, hold + chosen)), rerolls - 1
                log_hold(job.log, game, number, held)
            else:
                stop_values(mean_table, policy, row, lane, choices, roll, saved, rerolls == most, values)
        if chosen == 0:
            word = random_word(seed, job.first_game + game, job.turn, 2 * number + 1)
            category, loss = drawn(values, model.category_count, policy.sharpness, word)
            poke(lost, game, peek(lost, game) + loss)
            outcome = peek(policy.outcomes.number, first + category * dice.roll_count)
    end_turn(job, game, outcome, rerolls)


@jit
def play_soft(begin, end, arguments, means, lost_array):
    """One turn of the games ``order[begin:end]`` by a soft policy.

    Parameters
    ----------
    begin, end : int
    arguments : RolloutJob
        With a SoftPolicyJob.
    means : TableSlice
        Values of the children, float64 or float32.
    lost_array : (games,) float64
        The points each game has given away; increased.
    """
    job, table, lost = views(arguments), views(means), view(lost_array)
    children, model, fields = MeanTable(shifted(table.values, table.start)), job.policy.model, job.games.fields
    i = begin
    while i < end:
        game, stop, most_saved = peek(job.order, i) * FIELDS, i, 0
        row, start = peek(fields, game + ROW), peek(fields, game + BLOCK)
        while stop < end:
            game = peek(job.order, stop) * FIELDS
            if peek(fields, game + ROW) != row or peek(fields, game + BLOCK) != start:
                break
            most_saved = max(most_saved, peek(fields, game + SAVED))
            stop += 1
        most = model.rolls_per_turn - 1 + most_saved
        backup_holds(children, job.policy, mean_block(model, row, start), most, job.policy.scratch.holds)
        for k in range(i, stop):
            play_soft_turn(children, job, lost, peek(job.order, k), choices_of(model, row))
        i = stop
