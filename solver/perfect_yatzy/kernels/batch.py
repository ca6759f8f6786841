"""Many positions answered at once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from ..model.state_space import LANES
from .jit import jit
from .lattice import maxima, means
from .simd import peek, poke, shifted, views
from .turn import AGAIN, FRESH, LOWEST, TIE, MeanTable, backup_all_stop_values, choices_of, joker_choices


@jit
def best_category(values, model, row, lane, roll, saved, first):
    """Best category, and its value, for one roll of one state; of equal ones the first on the sheet."""
    own, joker = peek(model.sets, row), peek(model.joker_of, roll)
    choices = choices_of(model, row)
    in_full, bonus = False, 0.0
    if joker >= 0 and peek(model.masks, row) & model.joker_bit:
        in_full = peek(model.joker_box, joker) & ~peek(model.masks, row) == 0
        choices = joker_choices(model, row, choices, joker)
        bonus = model.joker_bonus if row >= model.cards else 0.0
    best, best_value = -1, LOWEST
    for c in range(model.categories):
        if choices >> c & 1:
            points = peek(model.roll_points, c * model.rolls + roll)
            if in_full:
                points = peek(model.joker_full, c * model.jokers + joker)
            # All outcomes of a category that pay lead to the same row.
            begin = peek(model.outcome_start, c)
            paying = points > 0 and begin + 1 < peek(model.outcome_start, c + 1)
            child = row + peek(model.step, begin + (1 if paying else 0))
            theirs = peek(model.sets, child)
            upper = peek(model.lane_upper, own * model.lane_width + lane) + (points if peek(model.moves, c) else 0)
            at = peek(model.offsets, child) + saved * peek(model.lane_count, theirs)
            worth = peek(values, at + peek(model.lane_of, theirs * model.upper_width + upper)) + points + bonus
            if first and points > 0:
                worth += peek(model.first_bonus, c)
            if worth > best_value + TIE:
                best, best_value = c, worth
    return best, best_value


@jit
def answer_one(values, model, asked, given, i, buffer):
    """Best action of the i-th question; the buffer holds the value of every hold that rerolls something."""
    lane, roll = peek(asked.lanes, i), peek(asked.rolls, i)
    saved = peek(asked.rerolls, i) if model.saved_rolls else 0
    category, value = best_category(values, model, peek(asked.rows, i), lane, roll, saved, peek(asked.first, i))
    hold = -1
    if peek(asked.rerolls, i) > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(peek(model.within_start, roll) + 1, peek(model.within_start, roll + 1)):
            kept = peek(model.within, k)
            worth = peek(buffer, kept * LANES + lane % LANES)
            if worth > value + TIE:
                hold, category, value = kept, -1, worth
    poke(given.hold, i, hold)
    poke(given.category, i, category)
    poke(given.value, i, value)


@jit
def answer_questions(start, stop, table, model, dice, asked, given, scratch):
    """Best action and its value for questions `start` to `stop`, sorted by row and block of lanes.

    Questions about the same block share one evaluation of the turn, as far back as the one with the most
    rerolls needs.

    Parameters
    ----------
    asked, given : PositionBatch, ActionBatch
        From :mod:`perfect_yatzy.strategy.batch`; `given` is written.
    """
    seen, steps, own, asked, given = views(model), views(dice), views(scratch), views(asked), views(given)
    values, buffer = shifted(views(table).values, table.start), own.buffer
    begin = start
    while begin < stop:
        row, block = peek(asked.rows, begin), peek(asked.lanes, begin) // LANES
        end, most = begin, 0
        while end < stop and peek(asked.rows, end) == row and peek(asked.lanes, end) // LANES == block:
            most = max(most, peek(asked.rerolls, end))
            end += 1
        choices = choices_of(seen, row)
        for rerolls in range(most + 1):
            if rerolls > 0:
                means(buffer, steps)
            for i in range(begin, end):
                if peek(asked.rerolls, i) == rerolls:
                    answer_one(values, seen, asked, given, i, buffer)
            if rerolls < most:
                saved, stage = rerolls if seen.saved_rolls else 0, FRESH if rerolls == 0 else AGAIN
                if rerolls == 0 or seen.saved_rolls:
                    backup_all_stop_values(
                        MeanTable(values), seen, row, choices, block * LANES, saved, stage, buffer, own
                    )
                if rerolls > 0:
                    maxima(buffer, steps)
        begin = end
