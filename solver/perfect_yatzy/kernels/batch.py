"""Many positions answered at once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from ..model.state_space import LANES
from .jit import jit
from .lattice import maxima, means
from .simd import peek, poke, shifted, views
from .turn import AGAIN, FRESH, LOWEST, TIE, Means, choices_of, joker_choices, raise_all_stops


@jit
def best_category(values, plan, row, lane, roll, saved, first):
    """Best category, and its value, for one roll of one state; of equal ones the first on the sheet."""
    own, joker = peek(plan.sets, row), peek(plan.joker_of, roll)
    choices = choices_of(plan, row)
    in_full, bonus = False, 0.0
    if joker >= 0 and peek(plan.masks, row) & plan.joker_bit:
        in_full = peek(plan.joker_box, joker) & ~peek(plan.masks, row) == 0
        choices = joker_choices(plan, row, choices, joker)
        bonus = plan.joker_bonus if row >= plan.cards else 0.0
    best, best_value = -1, LOWEST
    for c in range(plan.categories):
        if choices >> c & 1:
            points = peek(plan.roll_points, c * plan.rolls + roll)
            if in_full:
                points = peek(plan.joker_full, c * plan.jokers + joker)
            # All outcomes of a category that pay lead to the same row.
            begin = peek(plan.outcome_start, c)
            paying = points > 0 and begin + 1 < peek(plan.outcome_start, c + 1)
            child = row + peek(plan.step, begin + (1 if paying else 0))
            theirs = peek(plan.sets, child)
            upper = peek(plan.lane_upper, own * plan.lane_width + lane) + (points if peek(plan.moves, c) else 0)
            at = peek(plan.offsets, child) + saved * peek(plan.lane_count, theirs)
            worth = peek(values, at + peek(plan.lane_of, theirs * plan.upper_width + upper)) + points + bonus
            if first and points > 0:
                worth += peek(plan.first_bonus, c)
            if worth > best_value + TIE:
                best, best_value = c, worth
    return best, best_value


@jit
def answer_one(values, plan, asked, given, i, buffer):
    """Best action of the i-th question; the buffer holds the value of every hold that rerolls something."""
    lane, roll = peek(asked.lanes, i), peek(asked.rolls, i)
    saved = peek(asked.rerolls, i) if plan.saved_rolls else 0
    category, value = best_category(values, plan, peek(asked.rows, i), lane, roll, saved, peek(asked.first, i))
    hold = -1
    if peek(asked.rerolls, i) > 0:
        # The list opens with the hold of all dice, which is to stop and score.
        for k in range(peek(plan.within_start, roll) + 1, peek(plan.within_start, roll + 1)):
            kept = peek(plan.within, k)
            worth = peek(buffer, kept * LANES + lane % LANES)
            if worth > value + TIE:
                hold, category, value = kept, -1, worth
    poke(given.hold, i, hold)
    poke(given.category, i, category)
    poke(given.value, i, value)


@jit
def answer_questions(start, stop, table, plan, dice, asked, given, scratch):
    """Best action and its value for questions `start` to `stop`, sorted by row and block of lanes.

    Questions about the same block share one evaluation of the turn, as far back as the one with the most
    rerolls needs.

    Parameters
    ----------
    asked, given : Questions, Answers
        From :mod:`perfect_yatzy.strategy.batch`; `given` is written.
    """
    seen, steps, own, asked, given = views(plan), views(dice), views(scratch), views(asked), views(given)
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
                    raise_all_stops(Means(values), seen, row, choices, block * LANES, saved, stage, buffer, own)
                if rerolls > 0:
                    maxima(buffer, steps)
        begin = end
