"""Play games action by action for a caller: one call takes an action in each of many games.

Nothing is solved and no state space is built, so this works for any rules. An action is a number:
the lattice index of a hold with fewer than all dice, or that of the first roll (the number of such
holds) plus a category.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints, lattice
from ..core.jit import jit
from ..core.legal import count_bits, next_categories, nth_bit, outcome_number, scoring_on_card
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.simd import shifted, views
from ..core.state_space import check_one_word
from ..core.turn_model import TurnModel
from .rollout_kernel import DIE_BITS, completed_roll, random_word
from .turn_slots import TurnSlots, turn_slots

Bytes = npt.NDArray[np.uint8]

# Fields of a game in `EnvironmentGames.fields`.
FILLED = 0  # bitmask of filled categories
UPPER = 1  # capped upper sum
SAVED = 2  # rolls saved before the turn
JOKER_PAID = 3  # whether the joker's box holds points
POINTS = 4  # points without the upper bonus
ROLL = 5  # lattice index of the roll on the table
REROLLS = 6  # rerolls left
TURN = 7  # number of the turn
SEED = 8
GAME = 9  # number of the game
ACTIONS = 10  # actions taken
ENDED = 11  # whether the episode has ended
FIELDS = 16
# These are added to the seed, so that whether to explore, and which action to take then, do not
# depend on the dice.
WHETHER_OFFSET = 0x5851F42D4C957F2D
WHICH_OFFSET = 0x14057B7EF767814F
CHOICE_BITS = 40  # of a random word, to choose one of the legal actions


class UpperModel(NamedTuple):
    """The upper sums of a card as one number (:mod:`perfect_yatzy.core.scoring`), and the bonuses.

    All arrays are int64.
    """

    # (categories,): weight of the digit that the category counts towards, 0 if it counts towards
    # none
    weight: Ints
    width: Ints  # (categories,): number of values of the digit
    cap: Ints  # (categories,): largest sum of the digit
    # The steps of all bonuses:
    step_weight: Ints  # (steps,): weight of the digit of the step
    step_width: Ints  # (steps,): number of values of this digit
    threshold: Ints  # (steps,): the sum that the step needs
    points: Ints  # (steps,): the points that it pays more than the step before
    step_count: int


class EnvironmentModel(NamedTuple):
    """The rules of a game without its state space."""

    turn: TurnSlots
    counts: Ints  # (holds * faces,): number of dice that show each face, for every multiset
    upper: UpperModel


class EnvironmentGames(NamedTuple):
    """Games in progress."""

    fields: Ints  # (games * FIELDS,)
    # (games * categories,): points of each category, -1 while it is open
    boxes: npt.NDArray[np.int16]


class Observed(NamedTuple):
    """What is written about each game: observations, score and legal actions."""

    filled: Ints  # (games * categories,): 1 for each filled category
    upper: Ints  # (games,)
    counts: Ints  # (games * faces,): number of dice that show each face
    rolls_left: Ints
    joker_paid: Ints
    score: Ints  # with the upper bonus if it is reached
    # (games * actions,): 1 for each legal action, and only 0 after the end of a game
    mask: npt.NDArray[np.int8]


class StepJob(NamedTuple):
    """Arguments of :func:`take_actions`."""

    model: EnvironmentModel
    games: EnvironmentGames  # written
    actions: Ints  # (games,)
    rewards: Floats  # (games,), written, as are the three arrays that follow
    terminated: Bytes
    truncated: Bytes
    illegal: Bytes
    illegal_reward: float  # reward of an illegal action
    most_actions: int  # an episode is truncated after so many actions, 0 for never


def upper_model(rules: RuleSet) -> UpperModel:
    """Return the upper sums and bonuses of a rule set."""
    sums = upper_sums(rules)
    # The column of the sheet of each category. Any will do for one that counts towards no bonus.
    columns = [
        category.column if c in sums.counting else 0 for c, category in enumerate(rules.categories)
    ]
    digits = [(sums.widths[column], sums.thresholds[column]) for column in columns]
    width, cap = np.array(digits, dtype=np.int64).T.copy()
    steps = []  # of all bonuses: weight, width, threshold and points
    for column, bonus in enumerate(rules.bonuses):
        for (_least, paid_before), (least, paid) in pairwise([(0, 0), *bonus.steps]):
            steps.append((sums.weights[column], sums.widths[column], least, paid - paid_before))
    # `reshape` is for no steps at all.
    step_weight, step_width, threshold, points = (
        np.array(steps, dtype=np.int64).reshape(-1, 4).T.copy()
    )
    return UpperModel(
        sums.category_weights, width, cap, step_weight, step_width, threshold, points, len(steps)
    )


@lru_cache(maxsize=8)
def environment_model(rules: RuleSet) -> EnvironmentModel:
    """Return the model of a rule set, which is built once per process.

    Raises RulesError if it has too many boxes.
    """
    check_one_word(rules)
    counts = lattice(rules.dice, rules.faces).counts
    return EnvironmentModel(
        turn_slots(rules), np.ascontiguousarray(counts.ravel()), upper_model(rules)
    )


@jit
def fields_of(games, game):
    """Return the fields of a game."""
    return shifted(games.fields, -game * FIELDS)


@jit
def roll_dice(turn, fields, held):
    """Roll the dice not in `held`."""
    # the number of the roll in its turn, from 0
    number = turn.rolls_per_turn - 1 + fields[SAVED] - fields[REROLLS]
    word = random_word(fields[SEED], fields[GAME], fields[TURN], number)
    fields[ROLL] = completed_roll(turn.dice, held, word)


@jit
def start_game(turn, games, game):
    """Start a game with an empty card and the first roll on the table.

    The dice are those of the seed and game in the fields.
    """
    fields = fields_of(games, game)
    for field in (FILLED, UPPER, SAVED, JOKER_PAID, POINTS, TURN, ACTIONS, ENDED):
        fields[field] = 0
    fields[REROLLS] = turn.rolls_per_turn - 1
    for c in range(turn.category_count):
        games.boxes[game * turn.category_count + c] = -1
    roll_dice(turn, fields, 0)


@jit
def upper_after(upper, before, category, points):
    """Return the upper sums after a category was filled with points."""
    weight = upper.weight[category]
    if weight == 0:
        return before
    after = before + points * weight
    own_sum = after // weight % upper.width[category]
    return after - max(0, own_sum - upper.cap[category]) * weight


@jit
def score_of(model, fields):
    """Return the points made, with the upper bonus of every column that has reached one."""
    upper = model.upper
    bonus = 0
    for i in range(upper.step_count):
        if fields[UPPER] // upper.step_weight[i] % upper.step_width[i] >= upper.threshold[i]:
            bonus += upper.points[i]
    return fields[POINTS] + bonus


@jit
def categories_now(turn, fields):
    """Return the bitmask of the categories that may take the roll, and the way they score it."""
    filled = fields[FILLED]
    roll = fields[ROLL] - turn.dice.first_roll
    is_first = (
        turn.has_first_roll_bonus and fields[REROLLS] == turn.rolls_per_turn - 1 + fields[SAVED]
    )
    return scoring_on_card(
        turn, filled, fields[JOKER_PAID] != 0, next_categories(turn, filled), roll, is_first
    )


@jit
def is_within(model, hold, roll):
    """Return whether the roll has all dice of the hold."""
    faces = model.turn.dice.faces
    within = True
    for face in range(faces):
        within = within and model.counts[hold * faces + face] <= model.counts[roll * faces + face]
    return within


@jit
def fill_category(model, games, game, category, way):
    """Score the roll on the table, and roll for the next turn.

    After the last turn no dice are on the table.
    """
    turn = model.turn
    fields = fields_of(games, game)
    outcome = outcome_number(turn, way, category, fields[ROLL] - turn.dice.first_roll)
    points = turn.points[outcome]
    saved = fields[REROLLS] if turn.saves_rolls else 0
    games.boxes[game * turn.category_count + category] = points
    fields[FILLED] |= 1 << category
    fields[POINTS] += int(turn.total[outcome])
    fields[UPPER] = upper_after(model.upper, fields[UPPER], category, points)
    if turn.legal.tracked >> category & 1 and points > 0:
        fields[JOKER_PAID] = 1
    fields[SAVED] = saved
    if fields[FILLED] == (1 << turn.category_count) - 1:
        fields[REROLLS], fields[ROLL] = 0, 0
    else:
        fields[REROLLS] = turn.rolls_per_turn - 1 + saved
        fields[TURN] += 1
        roll_dice(turn, fields, 0)


@jit
def take_action(model, games, game, action):
    """Change a game by an action. Returns False, and changes nothing, if the action is illegal."""
    turn = model.turn
    fields = fields_of(games, game)
    if 0 <= action < turn.dice.first_roll:  # a hold
        if fields[REROLLS] == 0 or not is_within(model, action, fields[ROLL]):
            return False
        fields[REROLLS] -= 1
        roll_dice(turn, fields, action)
        return True
    category = action - turn.dice.first_roll
    allowed, way = categories_now(turn, fields)
    if not 0 <= category < turn.category_count or not allowed >> category & 1:
        return False
    fill_category(model, games, game, category, way)
    return True


@jit
def take_actions(begin, end, arguments):
    """Take one action in each of the games `begin` to ``end - 1``.

    A game that has ended is followed by the next.
    """
    job = views(arguments)
    model = job.model
    for game in range(begin, end):
        fields = fields_of(job.games, game)
        reward = 0.0
        legal, terminated, truncated = True, False, False
        if fields[ENDED]:
            fields[GAME] += 1
            start_game(model.turn, job.games, game)
        else:
            before = score_of(model, fields)
            fields[ACTIONS] += 1
            legal = take_action(model, job.games, game, job.actions[game])
            reward = float(score_of(model, fields) - before) if legal else job.illegal_reward
            terminated = fields[FILLED] == (1 << model.turn.category_count) - 1
            truncated = 0 < job.most_actions <= fields[ACTIONS]
            fields[ENDED] = 1 if terminated or truncated else 0
        job.rewards[game] = reward
        job.illegal[game] = 0 if legal else 1
        job.terminated[game] = 1 if terminated else 0
        job.truncated[game] = 1 if truncated else 0


@jit
def start_games(which, model_arrays, game_arrays):
    """Start the games whose numbers are in `which`, with the dice of their seed and game."""
    model, games = views(model_arrays), views(game_arrays)
    for game in which:
        start_game(model.turn, games, game)


@jit
def observe(begin, end, model_arrays, game_arrays, observed_arrays):
    """Write what a player sees of the games `begin` to ``end - 1``."""
    model, games, observed = views(model_arrays), views(game_arrays), views(observed_arrays)
    turn, dice = model.turn, model.turn.dice
    categories, faces, n_holds = turn.category_count, dice.faces, dice.first_roll
    for game in range(begin, end):
        fields = fields_of(games, game)
        filled, roll = fields[FILLED], fields[ROLL]
        for c in range(categories):
            observed.filled[game * categories + c] = filled >> c & 1
        for face in range(faces):
            observed.counts[game * faces + face] = model.counts[roll * faces + face]
        observed.upper[game] = fields[UPPER]
        observed.rolls_left[game] = fields[REROLLS]
        observed.joker_paid[game] = fields[JOKER_PAID]
        observed.score[game] = score_of(model, fields)
        # the legal actions: holds, then categories
        mask = shifted(observed.mask, -game * (n_holds + categories))
        for hold in range(n_holds):
            mask[hold] = 0
        allowed = 0  # bitmask of the categories; none after the end of the game
        if filled != (1 << categories) - 1:
            allowed, _ = categories_now(turn, fields)
            if fields[REROLLS] > 0:
                # The list opens with the hold of all dice, which is not an action.
                for k in range(
                    dice.hold_start[roll - n_holds] + 1, dice.hold_start[roll - n_holds + 1]
                ):
                    mask[dice.holds[k]] = 1
        for c in range(categories):
            mask[n_holds + c] = allowed >> c & 1


class Decisions(NamedTuple):
    """One decision of each of n games, simulated for their positions.

    The actions are the best ones or any legal ones. Arrays are ``(n,)`` int64.
    """

    model: TurnModel
    seed: int
    turn: int  # number of the turn, from 0
    roll: int  # number of the roll in the turn, from 0
    games: Ints  # number of the game
    filled: Ints  # bitmask of filled categories
    joker_paid: Ints  # 1 if the joker's box holds points
    # lattice index of the dice held, and after :func:`roll_decisions` that of all dice
    held: Ints
    rerolls: Ints  # rerolls left
    # the number of the best action, in whose place :func:`explore` writes the one that is taken
    actions: Ints
    # written by :func:`explore`: the number of the outcome if the turn ends, else -1
    ends: Ints


@jit
def roll_decisions(arguments):
    """Roll the dice that are not held."""
    job = views(arguments)
    for i in range(len(arguments.games)):  # a view has no length
        word = random_word(job.seed, job.games[i], job.turn, job.roll)
        job.held[i] = completed_roll(job.model.dice, job.held[i], word)


@jit
def drawn_action(model, allowed, roll, rerolls, word):
    """Return one of the legal actions for a roll: first the holds, then the categories."""
    start = model.dice.hold_start[roll] + 1  # the first hold is that of all dice
    holds = model.dice.hold_start[roll + 1] - start if rerolls > 0 else 0
    part = int(word >> np.uint64(DIE_BITS - CHOICE_BITS))  # from 0 to 2^CHOICE_BITS - 1
    # the number of the action drawn, from 0
    number = (part * (holds + count_bits(allowed))) >> CHOICE_BITS
    if number < holds:
        return int(model.dice.holds[start + number])
    return model.dice.first_roll + nth_bit(allowed, number - holds)


@jit
def explore(exploration, arguments):
    """Take the best actions or, with chance `exploration`, any legal action.

    All legal actions are equally likely.
    """
    job = views(arguments)
    limit = np.uint64(exploration * (1 << DIE_BITS))
    seed_of_whether = np.uint64(job.seed) + np.uint64(WHETHER_OFFSET)
    seed_of_which = np.uint64(job.seed) + np.uint64(WHICH_OFFSET)
    model = job.model
    for i in range(len(arguments.games)):
        filled = job.filled[i]
        roll = job.held[i] - model.dice.first_roll
        is_first = job.roll == 0
        choices = next_categories(model, filled)
        allowed, way = scoring_on_card(
            model, filled, job.joker_paid[i] != 0, choices, roll, is_first
        )
        if random_word(seed_of_whether, job.games[i], job.turn, job.roll) < limit:
            word = random_word(seed_of_which, job.games[i], job.turn, job.roll)
            job.actions[i] = drawn_action(model, allowed, roll, job.rerolls[i], word)
        category = job.actions[i] - model.dice.first_roll
        job.ends[i] = outcome_number(model, way, category, roll) if category >= 0 else -1
