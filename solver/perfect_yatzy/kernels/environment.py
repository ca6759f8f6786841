"""Games played action by action by a caller: one call takes an action in each of many games.

Nothing is solved and no state space is built, so this works for any rules. An action is a number: the lattice index
of a hold with fewer than all dice, or that of the first roll (the number of such holds) plus a category.

The dice are those of :mod:`.rollout`, a function of seed, game, turn and roll. Each game has its own seed.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.upper_sums import upper_sums
from ..model.turn_model import (
    DiceModel,
    JokerModel,
    LegalCategories,
    dice_model,
    joker_model,
    legal_categories,
    numbered_outcomes,
)
from .jit import jit
from .lattice import IndexedLattice, indexed_lattice
from .legal import next_categories, scoring_on_card
from .rollout import completed_roll, random_word
from .simd import peek, poke, views

Bytes = npt.NDArray[np.uint8]

# Fields of a game in `EnvironmentGames.fields`: bitmask of filled categories, capped upper sum, rolls saved before
# the turn, whether the joker's box holds points, points without the upper bonus; lattice index of the roll on the
# table, rerolls left, number of the turn; seed and number of the game; actions taken, whether the episode has ended.
FILLED, UPPER, SAVED, JOKER_PAID, POINTS, ROLL, REROLLS, TURN, SEED, GAME, ACTIONS, ENDED = range(12)
FIELDS = 16


class UpperModel(NamedTuple):
    """The upper sums of a card as one number (:mod:`perfect_yatzy.game.upper_sums`), and the bonuses; int64.

    Attributes
    ----------
    weight, width, cap : (categories,)
        Weight, number of values and largest sum of the digit that each category counts towards; a weight of 0 if it
        counts towards none.
    step_weight, step_width, threshold, points : (steps,)
        For each step of each bonus its digit, the sum it needs, and the points it pays more than the step before.
    step_count : int
    """

    weight: Ints
    width: Ints
    cap: Ints
    step_weight: Ints
    step_width: Ints
    threshold: Ints
    points: Ints
    step_count: int


class EnvironmentModel(NamedTuple):
    """The rules of a game, without its state space; flags are 0 or 1.

    Attributes
    ----------
    jokers : JokerModel
    dice : DiceModel
    lattice_index : IndexedLattice
    counts : (holds * faces,) int64
        Number of dice that show each face, for every multiset.
    number : (SCORING_WAYS * categories * rolls,) int64
        Outcome of a category for a roll in each way to score it, as in
        :class:`perfect_yatzy.model.turn_model.TurnOutcomes`.
    box_points, points : (outcomes,) int64
        Points for the box, and all points made.
    category_count, upper_bits : int
        As in :class:`perfect_yatzy.model.turn_model.TurnModel`.
    upper : UpperModel
    legal : LegalCategories
    rolls_per_turn, saves_rolls, has_first_roll_bonus : int
        As in :class:`perfect_yatzy.model.turn_model.TurnModel`.
    """

    jokers: JokerModel
    dice: DiceModel
    lattice_index: IndexedLattice
    counts: Ints
    number: Ints
    box_points: Ints
    points: Ints
    category_count: int
    upper_bits: int
    upper: UpperModel
    legal: LegalCategories
    rolls_per_turn: int
    saves_rolls: int
    has_first_roll_bonus: int


class EnvironmentGames(NamedTuple):
    """Games in progress.

    Attributes
    ----------
    fields : (games * FIELDS,) int64
    boxes : (games * categories,) int16
        Points of each category, -1 while it is open.
    """

    fields: Ints
    boxes: npt.NDArray[np.int16]


class Observed(NamedTuple):
    """What is written about each game: observations, score and legal actions.

    Attributes
    ----------
    filled : (games * categories,) int64
        1 for each filled category.
    upper, rolls_left, joker_paid, score : (games,) int64
        `score` counts the upper bonus if it is reached.
    counts : (games * faces,) int64
        Number of dice that show each face.
    mask : (games * actions,) int8
        1 for each legal action; 0 after the end of a game.
    """

    filled: Ints
    upper: Ints
    counts: Ints
    rolls_left: Ints
    joker_paid: Ints
    score: Ints
    mask: npt.NDArray[np.int8]


class StepJob(NamedTuple):
    """Arguments of :func:`take_actions`.

    Attributes
    ----------
    model : EnvironmentModel
    games : EnvironmentGames
        Written.
    actions : (games,) int64
    rewards : (games,) float64
        Written, as the three arrays that follow.
    terminated, truncated, illegal : (games,) uint8
    illegal_reward : float
        Reward of an illegal action.
    most_actions : int
        An episode is truncated after so many actions; 0: never.
    """

    model: EnvironmentModel
    games: EnvironmentGames
    actions: Ints
    rewards: Floats
    terminated: Bytes
    truncated: Bytes
    illegal: Bytes
    illegal_reward: float
    most_actions: int


def upper_model(rules: RuleSet) -> UpperModel:
    """The upper sums and bonuses of a rule set."""
    sums = upper_sums(rules)
    columns = [category.column if c in sums.counting else 0 for c, category in enumerate(rules.categories)]
    steps = [
        (sums.weights[column], sums.widths[column], step[0], step[1] - before[1])
        for column, bonus in enumerate(rules.bonuses)
        for before, step in pairwise([(0, 0), *bonus.steps])
    ]
    step_weight, step_width, threshold, points = np.array(steps, dtype=np.int64).reshape(-1, 4).T.copy()
    return UpperModel(
        weight=np.array([sums.shift(c, 1) for c in range(len(columns))], dtype=np.int64),
        width=np.array([sums.widths[column] for column in columns], dtype=np.int64),
        cap=np.array([sums.thresholds[column] for column in columns], dtype=np.int64),
        step_weight=step_weight,
        step_width=step_width,
        threshold=threshold,
        points=points,
        step_count=len(steps),
    )


@lru_cache(maxsize=8)
def environment_model(rules: RuleSet) -> EnvironmentModel:
    """The model of a rule set; built once per process."""
    dice = lattice(rules.dice, rules.faces)
    _, box_points, points, number = numbered_outcomes(rules)
    return EnvironmentModel(
        jokers=joker_model(rules),
        dice=dice_model(rules.dice, rules.faces),
        lattice_index=indexed_lattice(dice),
        counts=np.ascontiguousarray(dice.counts.ravel()),
        number=number,
        box_points=np.ascontiguousarray(box_points),
        points=np.ascontiguousarray(points),
        category_count=len(rules.categories),
        upper_bits=sum(1 << c for c, category in enumerate(rules.categories) if category.upper),
        upper=upper_model(rules),
        legal=legal_categories(rules),
        rolls_per_turn=rules.rolls_per_turn,
        saves_rolls=int(rules.saved_rolls),
        has_first_roll_bonus=int(bool(rules.first_roll_bonus)),
    )


@jit
def roll_dice(model, fields, first, held):
    """Roll the dice not in `held`; `first`: index of the first field of the game."""
    seed, game, turn = peek(fields, first + SEED), peek(fields, first + GAME), peek(fields, first + TURN)
    roll_number = model.rolls_per_turn - 1 + peek(fields, first + SAVED) - peek(fields, first + REROLLS)
    word = random_word(seed, game, turn, roll_number)
    poke(fields, first + ROLL, completed_roll(model.lattice_index, held, word))


@jit
def start_game(model, games, game):
    """An empty card with the first roll on the table, with the dice of the seed and game in the fields."""
    first = game * FIELDS
    for field in (FILLED, UPPER, SAVED, JOKER_PAID, POINTS, TURN, ACTIONS, ENDED):
        poke(games.fields, first + field, 0)
    poke(games.fields, first + REROLLS, model.rolls_per_turn - 1)
    for c in range(model.category_count):
        poke(games.boxes, game * model.category_count + c, np.int16(-1))
    roll_dice(model, games.fields, first, 0)


@jit
def upper_after(upper, before, category, points):
    """The upper sums after a category was filled with points."""
    weight = peek(upper.weight, category)
    if weight == 0:
        return before
    after = before + points * weight
    beyond = after // weight % peek(upper.width, category) - peek(upper.cap, category)
    return after - max(0, beyond) * weight


@jit
def score_of(model, fields, first):
    """Points made, with the upper bonus of every column that has reached one."""
    upper, paid, total = model.upper, 0, peek(fields, first + UPPER)
    for i in range(upper.step_count):
        if total // peek(upper.step_weight, i) % peek(upper.step_width, i) >= peek(upper.threshold, i):
            paid += peek(upper.points, i)
    return peek(fields, first + POINTS) + paid


@jit
def categories_now(model, fields, first):
    """Bitmask of the categories that may take the roll on the table, and the way they score it."""
    filled, saved = peek(fields, first + FILLED), peek(fields, first + SAVED)
    is_first = peek(fields, first + REROLLS) == model.rolls_per_turn - 1 + saved
    return scoring_on_card(
        model,
        filled,
        peek(fields, first + JOKER_PAID) != 0,
        next_categories(model, filled),
        peek(fields, first + ROLL) - model.dice.first_roll,
        model.has_first_roll_bonus and is_first,
    )


@jit
def is_within(model, hold, roll):
    """Whether the roll has all dice of the hold."""
    faces = model.lattice_index.faces
    for face in range(faces):
        if peek(model.counts, hold * faces + face) > peek(model.counts, roll * faces + face):
            return False
    return True


@jit
def fill_category(model, games, game, category, way):
    """Score the roll on the table, and roll for the next turn; after the last one no dice are on the table."""
    fields, first = games.fields, game * FIELDS
    roll, rerolls = peek(fields, first + ROLL) - model.dice.first_roll, peek(fields, first + REROLLS)
    outcome = peek(model.number, (way * model.category_count + category) * model.dice.roll_count + roll)
    points, filled = peek(model.box_points, outcome), peek(fields, first + FILLED) | 1 << category
    poke(games.boxes, game * model.category_count + category, np.int16(points))
    poke(fields, first + FILLED, filled)
    poke(fields, first + POINTS, peek(fields, first + POINTS) + peek(model.points, outcome))
    poke(fields, first + UPPER, upper_after(model.upper, peek(fields, first + UPPER), category, points))
    if model.legal.tracked >> category & 1 and points > 0:
        poke(fields, first + JOKER_PAID, 1)
    saved = rerolls if model.saves_rolls else 0
    poke(fields, first + SAVED, saved)
    if filled == (1 << model.category_count) - 1:
        poke(fields, first + REROLLS, 0)
        poke(fields, first + ROLL, 0)
    else:
        poke(fields, first + REROLLS, model.rolls_per_turn - 1 + saved)
        poke(fields, first + TURN, peek(fields, first + TURN) + 1)
        roll_dice(model, fields, first, 0)


@jit
def take_action(model, games, game, action):
    """Change a game by an action; False, and no change, if the action is illegal."""
    fields, first = games.fields, game * FIELDS
    if 0 <= action < model.dice.first_roll:
        rerolls = peek(fields, first + REROLLS)
        if rerolls == 0 or not is_within(model, action, peek(fields, first + ROLL)):
            return False
        poke(fields, first + REROLLS, rerolls - 1)
        roll_dice(model, fields, first, action)
        return True
    category = action - model.dice.first_roll
    allowed, way = categories_now(model, fields, first)
    if not 0 <= category < model.category_count or not allowed >> category & 1:
        return False
    fill_category(model, games, game, category, way)
    return True


@jit
def take_actions(begin, end, arguments):
    """Take one action in each of the games `begin` to ``end - 1``; a game that has ended is followed by the next.

    Parameters
    ----------
    begin, end : int
    arguments : StepJob
    """
    job = views(arguments)
    model, fields = job.model, job.games.fields
    for game in range(begin, end):
        first, legal, terminated, truncated, reward = game * FIELDS, True, False, False, 0.0
        if peek(fields, first + ENDED):
            poke(fields, first + GAME, peek(fields, first + GAME) + 1)
            start_game(model, job.games, game)
        else:
            before, taken = score_of(model, fields, first), peek(fields, first + ACTIONS) + 1
            poke(fields, first + ACTIONS, taken)
            legal = take_action(model, job.games, game, peek(job.actions, game))
            reward = float(score_of(model, fields, first) - before) if legal else job.illegal_reward
            terminated = peek(fields, first + FILLED) == (1 << model.category_count) - 1
            truncated = 0 < job.most_actions <= taken
            poke(fields, first + ENDED, 1 if terminated or truncated else 0)
        poke(job.rewards, game, reward)
        poke(job.illegal, game, np.uint8(0 if legal else 1))
        poke(job.terminated, game, np.uint8(1 if terminated else 0))
        poke(job.truncated, game, np.uint8(1 if truncated else 0))


@jit
def start_games(which, model_arrays, game_arrays):
    """Start the games whose numbers are in `which`, with the dice of their seed and game.

    Parameters
    ----------
    which : (n,) int64
    model_arrays : EnvironmentModel
    game_arrays : EnvironmentGames
        Written.
    """
    model, games = views(model_arrays), views(game_arrays)
    for game in which:
        start_game(model, games, game)


@jit
def write_mask(model, fields, first, mask, start):
    """Legal actions of a game, to `mask` from entry `start` on."""
    n_holds, roll, allowed = model.dice.first_roll, peek(fields, first + ROLL) - model.dice.first_roll, 0
    for i in range(start, start + n_holds):
        poke(mask, i, np.int8(0))
    if peek(fields, first + FILLED) != (1 << model.category_count) - 1:
        allowed, _ = categories_now(model, fields, first)
        if peek(fields, first + REROLLS) > 0:
            # The list opens with the hold of all dice, which is not an action.
            for k in range(peek(model.dice.hold_start, roll) + 1, peek(model.dice.hold_start, roll + 1)):
                poke(mask, start + peek(model.dice.holds, k), np.int8(1))
    for c in range(model.category_count):
        poke(mask, start + n_holds + c, np.int8(allowed >> c & 1))


@jit
def observe(begin, end, model_arrays, game_arrays, observed_arrays):
    """Write what a player sees of the games `begin` to ``end - 1``.

    Parameters
    ----------
    begin, end : int
    model_arrays : EnvironmentModel
    game_arrays : EnvironmentGames
    observed_arrays : Observed
        Written.
    """
    model, games, observed = views(model_arrays), views(game_arrays), views(observed_arrays)
    fields, categories, faces = games.fields, model.category_count, model.lattice_index.faces
    actions = model.dice.first_roll + categories
    for game in range(begin, end):
        first = game * FIELDS
        filled, roll = peek(fields, first + FILLED), peek(fields, first + ROLL)
        for c in range(categories):
            poke(observed.filled, game * categories + c, filled >> c & 1)
        for face in range(faces):
            poke(observed.counts, game * faces + face, peek(model.counts, roll * faces + face))
        poke(observed.upper, game, peek(fields, first + UPPER))
        poke(observed.rolls_left, game, peek(fields, first + REROLLS))
        poke(observed.joker_paid, game, peek(fields, first + JOKER_PAID))
        poke(observed.score, game, score_of(model, fields, first))
        write_mask(model, fields, first, observed.mask, game * actions)
