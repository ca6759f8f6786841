"""Whole games, a turn at a time: all games that stand at the same card share one evaluation of its turn.

The dice are a function of the seed, the game, the turn and the roll alone: two policies meet the same dice as long
as they reroll as many, and the number of threads changes nothing.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Ints
from .jit import jit
from .policy import policy_block
from .score_turn import ScoreTable
from .simd import peek, poke, shifted, views, width
from .turn import MeanTable

DIE_BITS = 60  # of a random word, used up by 2.6 bits a die


ROW, LANE, SAVED, MADE, BLOCK, INNER, FIELDS = 0, 1, 2, 3, 4, 5, 8


class Games(NamedTuple):
    """Games in flight. A game's numbers lie side by side: it costs one trip to the memory, not six.

    Attributes
    ----------
    now : (games * FIELDS,) int64
        Row, lane of upper sums and saved rolls, the state; points made so far, the upper bonus apart; the block of
        lanes of the table that knows the policy, and the lane within.
    box : (games * categories,) int16
        Points of each category.
    """

    now: Ints
    box: npt.NDArray[np.int16]


@jit
def mixed(word):
    """A well mixed word (the finalizer of SplitMix64, Steele et al. 2014)."""
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
    """Stable order of small keys (0 to number - 1), by counting."""
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
def play_turn(model, pay, walk, own, games, game, number, seed, turn):
    """One turn of one game by the policy in `own`; `number` is the game's among all ever played."""
    me = game * FIELDS
    lanes, inner, kept = width(own.node), peek(games.now, me + INNER), peek(games.now, me + SAVED)
    most = model.rolls_per_turn - 1 + kept
    held, rerolls, payout = 0, most, -1
    while payout < 0:
        word = random_word(seed, number, turn, most - rerolls)
        while held < model.first_roll:
            word *= np.uint64(walk.faces)
            held = peek(walk.successors, held * walk.faces + int(word >> np.uint64(DIE_BITS)))
            word &= np.uint64((1 << DIE_BITS) - 1)
        first = model.has_first_bonus and rerolls == most
        at = ((kept if first else rerolls) * model.rolls + held - model.first_roll) * lanes + inner
        chosen = int(peek(own.first_hold, at) if first else peek(own.hold, at))
        if rerolls == 0 or chosen < 0:
            payout = int(peek(own.first_stop, at) if first else peek(own.stop, at))
        else:
            held, rerolls = chosen, rerolls - 1
    row = peek(games.now, me + ROW)
    child = row + peek(pay.step, payout)
    upper = peek(model.lane_upper, peek(model.sets, row) * model.lane_width + peek(games.now, me + LANE))
    theirs = peek(model.sets, child) * model.upper_width
    poke(games.now, me + LANE, peek(model.lane_of, theirs + upper + peek(pay.shift, payout)))
    poke(games.now, me + ROW, child)
    poke(games.now, me + SAVED, rerolls if model.saved_rolls else 0)
    poke(games.now, me + MADE, peek(games.now, me + MADE) + int(peek(pay.total, payout)))
    poke(games.box, game * model.categories + peek(pay.category, payout), np.int16(peek(pay.points, payout)))


@jit
def play_slice(children, begin, end, order, games, offset, seed, turn, model, pay, dice, walk, ties, own):
    """The turn of the games ``order[begin:end]``, sorted by row and block."""
    i = begin
    while i < end:
        me, stop, most_saved = peek(order, i) * FIELDS, i, 0
        row, block = peek(games.now, me + ROW), peek(games.now, me + BLOCK)
        while stop < end:
            me = peek(order, stop) * FIELDS
            if peek(games.now, me + ROW) != row or peek(games.now, me + BLOCK) != block:
                break
            most_saved = max(most_saved, peek(games.now, me + SAVED))
            stop += 1
        policy_block(children, model, pay, dice, row, block, most_saved, ties, own)
        for k in range(i, stop):
            game = peek(order, k)
            play_turn(model, pay, walk, own, games, game, offset + game, seed, turn)
        i = stop


@jit
def play_by_means(begin, end, order, games, offset, seed, turn, table, model, pay, dice, walk, ties, scratch):
    """A turn of games by the table of means."""
    children = MeanTable(shifted(views(table).values, table.start))
    sorted_games = views(MeanTable(order)).values
    play_slice(
        children, begin, end, sorted_games, views(games), offset, seed, turn, views(model), views(pay), views(dice),
        views(walk), ties, views(scratch),
    )  # fmt: skip


@jit
def play_by_scores(begin, end, order, games, offset, seed, turn, table, slabs, model, pay, dice, walk, ties, scratch):
    """A turn of games by a table of goals or of a utility."""
    places = views(slabs)
    children = ScoreTable(shifted(views(table).values, table.start), places.origin, places.low, places.high)
    sorted_games = views(MeanTable(order)).values
    play_slice(
        children, begin, end, sorted_games, views(games), offset, seed, turn, views(model), views(pay), views(dice),
        views(walk), ties, views(scratch),
    )  # fmt: skip
