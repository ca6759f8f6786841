"""Reviews of games: the expected points that every decision lost and every roll brought.

final score = expected score at the start + sum of luck - sum of errors (README.md), all in points::

    luck  of a roll     = best value with these dice - value before the roll
    error of a decision = best value - value of what was done

A value counts the points from the start of the turn to the end of the game. After every roll there
is one decision: to hold some of the dice, or to take a category, with rerolls left or without.

Where many games are valued at once, a category taken with rerolls left is two decisions. The loss
of the decision to stop is that against the best of all options if the best category followed. The
loss of the category is that against the best category. They add up to the loss of the review.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Dice, Floats, Ints, lattice
from ..core.objectives import final_bonus
from ..core.rules import RuleSet
from ..core.state import State
from ..core.turn_model import turn_model
from ..errors import StateError, whole_number
from ..game.legal_actions import hold_count
from ..game.scorecard import Scorecard
from ..strategy.actions import Choice, Hold
from ..strategy.batch import BatchPositions, TurnPlaces, best_actions, sorted_positions
from ..strategy.played_games import PlayedTurns
from ..strategy.strategy import Strategy, check_strategy
from ..strategy.tie_rules import clipped
from ..strategy.turn_evaluator import (
    ScoreEvaluator,
    TurnEvaluator,
    TurnOutcome,
    outcomes_of_hold,
    state_places,
)
from ..words import _
from .record import Game, RecordedTurn, bonus_points_of

if TYPE_CHECKING:
    from ..core.state_space import StateSpace
    from ..strategy.batch_kernel import RecordedTurns, WalkedCards

Bools = npt.NDArray[np.bool_]
ChanceOfState = Callable[[State], float]  # of a state at the start of a turn
MAX_POINTS = 1_000_000  # far more than a box can hold, and small enough for the arrays
# The limits are about the first and third quartile of what the second-best hold loses. These are
# 0.36, 0.89 and 1.70 points at the quartiles of 2,900 holds in 60 games of optimal play (1.6, 4.5
# and 9.1 for 840 categories).
GRADES = ((0.4, "inaccuracy"), (1.7, "mistake"))
TIE_TOLERANCE = 1e-6  # points: values closer than this differ only by rounding

# player, dice after each roll, dice held between them, category, points, bonus points
PlainTurn = tuple[int, Sequence[Sequence[int]], Sequence[Sequence[int]], str, int, int]


class _CheckedTurn(NamedTuple):
    """A turn whose dice and category are known to the rules."""

    category: int  # its position
    points: int
    bonus_points: int
    rolls: list[int]  # numbers in the lattice
    holds: list[int]  # the same, and -1 after the last roll


class GameColumns:
    """Games of one rule set as columns, with dice by their number in the lattice.

    A *card* is the game of one player. :meth:`add` takes a tenth of the time of
    :func:`.record.read_game`, which reads or rejects games of unusual form.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.cards: list[tuple[int, int]] = []  # game and player of each card
        self._numbers = {
            dice: number for number, dice in enumerate(lattice(rules.dice, rules.faces).multisets)
        }
        self._turns_in_card: list[int] = []
        # These are by turn.
        self._categories: list[int] = []
        self._points: list[int] = []
        self._bonus_points: list[int] = []
        self._rolls_in_turn: list[int] = []
        # These are by roll. After the last roll of a turn the hold is -1.
        self._rolls: list[int] = []
        self._holds: list[int] = []

    def add(self, game: int, played: Game | dict[str, Any]) -> bool:
        """Append the cards of a game, or of its JSON value.

        Return False, with nothing appended, if its form is unusual.
        """
        try:
            if isinstance(played, Game):
                names = "player", "dice_history", "holds", "category", "points", "bonus_points"
                return self._add(game, len(played.players), map(attrgetter(*names), played.turns))
            turns = [*map(_plain_turn, played["turns"])]
            return _has_exact_types(turns) and self._add(game, len(played["players"]), turns)
        except (KeyError, TypeError, AttributeError):
            return False

    def _add(self, game: int, players: int, turns: Iterable[PlainTurn]) -> bool:
        """Append the cards of plain turns, as :meth:`add`.

        Raises KeyError for dice or a category that the rules do not know.
        """
        numbers = self._numbers
        checked: list[list[_CheckedTurn]] = [[] for _ in range(players)]  # by player
        for player, dice_history, held, category, points, bonus_points in turns:
            rolls = [numbers[tuple(sorted(dice))] for dice in dice_history]
            holds = [numbers[tuple(sorted(dice))] for dice in held]
            if not 0 <= player < players or len(rolls) != len(holds) + 1:
                return False
            if abs(points) > MAX_POINTS or abs(bonus_points) > MAX_POINTS:
                return False
            position = self.rules.index_of[category]
            turn = _CheckedTurn(position, points, bonus_points, rolls, [*holds, -1])
            checked[player].append(turn)
        for player, own_turns in enumerate(checked):
            self.cards.append((game, player))
            self._turns_in_card.append(len(own_turns))
            for turn in own_turns:
                self._categories.append(turn.category)
                self._points.append(turn.points)
                self._bonus_points.append(turn.bonus_points)
                self._rolls_in_turn.append(len(turn.rolls))
                self._rolls += turn.rolls
                self._holds += turn.holds
        return True

    def arrays(self) -> RecordedTurns:
        """Return all turns, as the kernels take them."""
        from ..strategy.batch_kernel import RecordedTurns

        lists = self._categories, self._points, self._bonus_points, self._rolls, self._holds
        columns = (np.array(column, dtype=np.int64) for column in lists)
        return RecordedTurns(_starts(self._turns_in_card), _starts(self._rolls_in_turn), *columns)


def _plain_turn(turn: dict[str, Any]) -> PlainTurn:
    """Return the values in the JSON value of a turn, which are not checked."""
    return (
        turn["player"],
        turn["rolls"],
        turn["holds"],
        turn["category"],
        turn["points"],
        bonus_points_of(turn),
    )


def _has_exact_types(turns: Sequence[PlainTurn]) -> bool:
    """Return whether numbers are ints and lists are lists.

    Equal values do not tell, since 1 == True == 1.0, and "" is like [].
    """
    number_types: set[type] = set()
    list_types: set[type] = set()
    for player, rolls, holds, _category, points, bonus_points in turns:
        all_dice = [*rolls, *holds]
        number_types.update((type(player), type(points), type(bonus_points)))
        number_types.update(map(type, chain.from_iterable(all_dice)))
        list_types.update((type(rolls), type(holds)), map(type, all_dice))
    return number_types <= {int} and list_types <= {list}


@dataclass(frozen=True)
class GradedGames:
    """Recorded cards with the value of every decision, in points.

    The turns of a card and the rolls of a turn are in order.
    """

    start: float  # expected final score of an empty card
    # (cards,) int64: Position of the first turn of the card that breaks the rules, or -1 if all are
    # possible. The arrays that follow have entries only for the n cards without a fault, in the
    # same order.
    faults: Ints
    results: Ints  # (n,) int64: points at the end of the record, the upper bonus included
    finished: Bools  # (n,) bool: whether every category is filled
    card_of_turn: Ints  # (turns,) int64: card of each turn, from 0 to n - 1
    category: Ints  # (turns,) int64: position of the category taken
    points: Ints  # (turns,) int64: points of its box
    best_category: Ints  # (turns,) int64: the best category for the last dice of the turn
    # (turns,) float64: what the category taken loses against the best category
    category_loss: Floats
    turn_of_roll: Ints  # (rolls,) int64: turn of each roll, from 0 to turns - 1
    number_of_roll: Ints  # (rolls,) int64: number of the roll in its turn, from 1
    can_reroll: Bools  # (rolls,) bool: whether rerolls are left, so that there is a hold to choose
    # (rolls,) float64: what the hold, or stopping, loses, 0 without rerolls left
    hold_loss: Floats
    luck: Floats  # (rolls,) float64: best value with these dice minus the value before the roll
    played: PlayedTurns  # the turns themselves, int32
    # (rolls,) int64: Position of the roll among all rolls, of the best option and of the one taken.
    # The holds of fewer than all dice come first, in the order of the lattice, and then the
    # categories.
    roll: Ints
    best: Ints
    done: Ints

    @property
    def decision_loss(self) -> Floats:
        """``(rolls,)`` float64: what each decision loses.

        A category taken with rerolls left is one decision here.
        """
        loss = self.hold_loss.copy()
        loss[self.last_rolls] += self.category_loss
        return loss

    @property
    def card_of_roll(self) -> Ints:
        """``(rolls,)`` int64: card of each roll."""
        return np.asarray(self.card_of_turn[self.turn_of_roll])

    @property
    def last_rolls(self) -> Ints:
        """``(turns,)`` int64: the roll that ends each turn."""
        return np.flatnonzero(np.diff(self.turn_of_roll, append=-1))

    @property
    def turn_number(self) -> Ints:
        """``(turns,)`` int64: number of each turn in its card, from 0."""
        # the first turn of each card
        first_turns = np.searchsorted(self.card_of_turn, np.arange(len(self.results)))
        return np.asarray(np.arange(len(self.card_of_turn)) - first_turns[self.card_of_turn])


def grade_games(
    strategy: Strategy, columns: GameColumns, threads: int | None = None
) -> GradedGames:
    """Check recorded games against the rules, and value all their decisions.

    Raises StateError if the strategy is for other rules, or begins at a card that is not empty.
    """
    check_strategy(strategy)
    if strategy.rules.fingerprint != columns.rules.fingerprint:
        message = _("the games were played by {rules}, but the strategy is for {strategy_rules}")
        raise StateError(message.format(rules=columns.rules.key, strategy_rules=strategy.rules.key))
    if strategy.space.start.filled:
        message = _(
            "the strategy begins at a card with filled categories; games are rated from the empty card"
        )
        raise StateError(message)
    space = strategy.space
    dice = lattice(strategy.rules.dice, strategy.rules.faces)
    recorded, walked = _walk(strategy, columns)
    good = walked.faults < 0
    # From here on the arrays have only the turns and rolls of cards without a fault, each with the
    # state before it.
    turns, is_good_turn = _of_cards(recorded, good)
    rows, lanes, saved = (
        column[is_good_turn] for column in (walked.rows, walked.lanes, walked.saved)
    )
    first_rolls = turns.first_roll[:-1]  # of each turn
    last_rolls = turns.first_roll[1:] - 1

    # These arrays are by roll: its turn, its number in the turn from 0, the rerolls left after it,
    # and the option that was taken.
    turn_of_roll = np.repeat(np.arange(len(rows)), np.diff(turns.first_roll))
    number = np.arange(len(turn_of_roll)) - first_rolls[turn_of_roll]
    rerolls = strategy.rules.rolls_per_turn - 1 + saved[turn_of_roll] - number
    taken = np.where(turns.holds < 0, dice.first_roll + turns.categories[turn_of_roll], turns.holds)
    places = TurnPlaces(
        rows[turn_of_roll],
        lanes[turn_of_roll],
        turns.rolls - dice.first_roll,
        rerolls,
        number == 0,
    )
    positions = sorted_positions(strategy.evaluator, dice.counts[turns.rolls], places)
    options = _option_values(strategy, positions, taken, threads)
    hold_value = options.taken_value.copy()
    # The decision to stop counts as if the best category followed.
    hold_value[last_rolls] = options.category_value[last_rolls]
    # The value before a roll is that of the hold that led to it. Before the first roll of a turn it
    # is the value of the card.
    value_before = np.concatenate([[0.0], options.taken_value[:-1]])
    value_before[first_rolls] = strategy.table[state_places(space.layout, rows, saved, lanes)]
    best = np.maximum(options.hold_value, options.category_value)
    tie = strategy.evaluator.ties[0]
    is_stop_best = options.category_value >= options.hold_value - tie
    category_loss = (options.category_value - options.taken_value)[last_rolls]

    # the fields of PlayedTurns in their order
    counts = np.diff(turns.first_turn), np.diff(turns.first_roll)
    played = *counts, rows, lanes, saved, turns.categories, turns.rolls, turns.holds
    finished = walked.filled[good] == space.categories
    return GradedGames(
        start=float(strategy.value()),
        faults=np.where(good, -1, walked.faults - recorded.first_turn[:-1]),
        results=_results(space, turns, walked.ends[good], finished),
        finished=finished,
        card_of_turn=np.repeat(np.arange(len(finished)), np.diff(turns.first_turn)),
        category=turns.categories,
        points=turns.points,
        best_category=options.category[last_rolls],
        category_loss=_without_ties(category_loss, tie),
        turn_of_roll=turn_of_roll,
        number_of_roll=number + 1,
        can_reroll=rerolls > 0,
        hold_loss=_without_ties(np.where(rerolls > 0, best - hold_value, 0.0), tie),
        luck=best - value_before,
        played=PlayedTurns(*map(_compact, played)),
        roll=turns.rolls - dice.first_roll,
        best=np.where(is_stop_best, dice.first_roll + options.category, options.hold),
        done=taken,
    )


def _results(space: StateSpace, turns: RecordedTurns, ends: Ints, finished: Bools) -> Ints:
    """Return the points of each card at the end of its record, the upper bonus included.

    `ends` and `finished`, ``(cards,)``, are the place of its last state in the table, and whether
    it is full. The table begins with the full cards, so these places also find the upper bonus.
    """
    points_before = _starts(turns.points + turns.bonus_points)  # of all turns before each
    results = np.diff(points_before[turns.first_turn])
    results[finished] += final_bonus(space).astype(np.int64)[ends[finished]]
    return results


def _compact(column: Ints) -> Ints:
    """Return the same numbers in half of the memory, because they are kept with a rating."""
    return np.asarray(column.astype(np.int32))


def _starts(counts: npt.ArrayLike) -> Ints:
    """Return where each of some consecutive parts begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _of_cards(turns: RecordedTurns, chosen: Bools) -> tuple[RecordedTurns, Bools]:
    """Return the turns of the cards that are `chosen`, and which of all turns they are."""
    from ..strategy.batch_kernel import RecordedTurns

    turns_in_card = np.diff(turns.first_turn)
    rolls_in_turn = np.diff(turns.first_roll)
    chosen_turns = np.repeat(chosen, turns_in_card)
    chosen_rolls = np.repeat(chosen_turns, rolls_in_turn)
    starts = _starts(turns_in_card[chosen]), _starts(rolls_in_turn[chosen_turns])
    by_turn = (
        column[chosen_turns] for column in (turns.categories, turns.points, turns.bonus_points)
    )
    by_roll = (column[chosen_rolls] for column in (turns.rolls, turns.holds))
    return RecordedTurns(*starts, *by_turn, *by_roll), chosen_turns


def _without_ties(losses: Floats, tie: float) -> Floats:
    """Return the losses with 0 for options that differ only by rounding."""
    return np.where(losses <= tie, 0.0, losses)


def _walk(strategy: Strategy, columns: GameColumns) -> tuple[RecordedTurns, WalkedCards]:
    """Return the turns as arrays, and the states before them."""
    from ..strategy.batch_kernel import WalkedCards, WalkJob, walk_cards

    turns = columns.arrays()
    cards = len(columns.cards)
    # The kernel writes into them: rows, lanes and saved rolls, then ends, filled boxes and faults.
    by_turn = [np.zeros(len(turns.points), dtype=np.int64) for _ in range(3)]
    by_card = [np.zeros(cards, dtype=np.int64) for _ in range(3)]
    walked = WalkedCards(*by_turn, *by_card)
    walk_cards(0, cards, WalkJob(turn_model(strategy.rules), turns, walked))
    return turns, walked


class _OptionValues(NamedTuple):
    """The best options of some positions, and their values, ``(n,)`` each."""

    hold: Ints  # the best hold
    hold_value: Floats  # its value, -inf without rerolls left
    category: Ints  # the best category
    category_value: Floats
    taken_value: Floats  # of the option taken


def _option_values(
    strategy: Strategy, positions: BatchPositions, taken: Ints, threads: int | None
) -> _OptionValues:
    """Return the best options of some positions, and the values of these and of those taken."""
    number = len(positions)
    hold_columns = hold_count(strategy.rules)
    options = _OptionValues(
        hold=np.empty(number, dtype=np.int64),
        hold_value=np.empty(number),
        category=np.empty(number, dtype=np.int64),
        category_value=np.empty(number),
        taken_value=np.empty(number),
    )

    def note(start: int, values: Floats) -> None:
        """Note the values of some positions in their order, a row for each."""
        place = positions.order[start : start + len(values)]
        holds = values[:, :hold_columns]
        categories = values[:, hold_columns:]
        rows = np.arange(len(values))
        best_hold = holds.argmax(axis=1)
        best_category = categories.argmax(axis=1)
        options.hold[place] = best_hold
        options.hold_value[place] = holds[rows, best_hold]
        options.category[place] = best_category
        options.category_value[place] = categories[rows, best_category]
        options.taken_value[place] = values[rows, taken[place]]

    best_actions(strategy.evaluator, positions, note, threads)
    return options


def grade(loss: float, first: bool = True) -> str:
    """Return the grade of a loss.

    It is ``best`` for the option listed `first`, ``tied``, ``inaccuracy``, ``mistake`` or
    ``blunder``.
    """
    if loss < TIE_TOLERANCE:
        return "best" if first else "tied"
    return next((name for limit, name in GRADES if loss < limit), "blunder")


def find_action(actions: Sequence[Hold | Choice], target: Dice | str) -> Hold | Choice | None:
    """Return the action that holds these dice or takes the category with this id, or None."""
    return next((action for action in actions if action.action == target), None)


@dataclass(frozen=True)
class GradedDecision:
    """One decision and its grade."""

    turn: int  # number of the player's turn, from 1
    roll: int  # number of the roll before the decision, from 1
    dice: Dice  # dice after that roll, ascending
    rolls_left: int  # rerolls left, 0 if only a category could be chosen
    done: Hold | Choice  # what was played, with its `loss` in expected points
    best: Hold | Choice  # the best action
    grade: str  # by :func:`grade`
    card: Scorecard  # the card before the turn

    @property
    def loss(self) -> float:
        """Expected points that the decision lost."""
        return self.done.loss


@dataclass(frozen=True)
class RollLuck:
    """The luck of one roll."""

    turn: int  # number of the player's turn, from 1
    roll: int  # number of the roll in it, from 1
    dice: Dice  # dice after the roll, ascending
    luck: float  # best value with these dice minus the value before the roll, in points


@dataclass(frozen=True)
class Review:
    """The review of one player's game."""

    player: str  # the player's name
    start: float  # expected final score at the start, in points
    # the final score, or that expected after the last turn of the record if the game is unfinished
    result: float
    finished: bool
    decisions: tuple[GradedDecision, ...]  # in the order they were played
    roll_luck: tuple[RollLuck, ...]  # one for each roll, in the order they were played

    @property
    def luck(self) -> float:
        """Sum of the luck of all rolls, in points."""
        return sum(roll.luck for roll in self.roll_luck)

    @property
    def points_lost(self) -> float:
        """Sum of what all decisions lost, in expected points."""
        return sum(decision.loss for decision in self.decisions)

    def counts(self) -> dict[str, int]:
        """Return the number of decisions by grade."""
        names = ["best", "tied", *(name for _, name in GRADES), "blunder"]
        grades = [decision.grade for decision in self.decisions]
        return {name: grades.count(name) for name in names}


def graded_decision(
    strategy: Strategy, card: Scorecard, turn: RecordedTurn, number: int, roll: int
) -> GradedDecision:
    """Return the decision after a roll of a turn, both numbered from 1."""
    targets: list[Dice | str] = [*turn.holds, turn.category]  # what was done after each roll
    dice = turn.dice_history[roll - 1]
    rolls_left = strategy.max_rerolls(card.state) - roll + 1
    ranking = strategy.ranking(card, dice, rolls_left)
    best = ranking[0]
    done = find_action(ranking, targets[roll - 1])
    assert done is not None  # the record has been checked
    graded = grade(done.loss, done is best)
    return GradedDecision(number, roll, dice, rolls_left, done, best, graded, card)


def review(strategy: Strategy, game: Game, player: int = 0) -> Review:
    """Grade every decision of one player of a game, finished or not.

    The strategy is that of the mean for the rules of the game. Raises StateError if it is for other
    rules, or there is no such player.
    """
    check_strategy(strategy)
    if strategy.rules.fingerprint != game.rules.fingerprint:
        message = _("the game was played by {rules}, but the strategy is for {strategy_rules}")
        raise StateError(message.format(rules=game.rules.key, strategy_rules=strategy.rules.key))
    if not 0 <= whole_number(player, "player") < len(game.players):
        message = _("player is {player}; must be 0 to {players}")
        raise StateError(message.format(player=player, players=len(game.players) - 1))
    decisions: list[GradedDecision] = []
    roll_luck: list[RollLuck] = []
    for number, (card, turn) in enumerate(game.cards(player), start=1):
        value_before_roll = strategy.value(card)
        for roll, dice in enumerate(turn.dice_history, start=1):
            decision = graded_decision(strategy, card, turn, number, roll)
            decisions.append(decision)
            luck = decision.best.value - value_before_roll
            roll_luck.append(RollLuck(number, roll, dice, luck))
            value_before_roll = decision.done.value
    card = game.card(player)
    finished = card.state.filled == game.rules.full_mask
    result = card.score if finished else card.total + strategy.value(card)
    return Review(
        game.players[player],
        strategy.value(),
        float(result),
        finished,
        tuple(decisions),
        tuple(roll_luck),
    )


class CategoryOutlook(NamedTuple):
    """What a turn may bring in one category."""

    id: str
    chance: float  # that the turn fills the category
    points: float  # expected points of the turn in that case, bonus points included


@dataclass(frozen=True)
class ActionOutlook:
    """What an action leads to under optimal play."""

    turn_points: float  # expected points of this turn, bonus points included
    # expected points of the later turns, the upper bonus included, or None if play is for a goal or
    # a utility
    later_points: float | None
    upper_bonus_chance: float | None  # chance of the upper bonus, or None if it is not known
    categories: tuple[CategoryOutlook, ...]  # that this turn may fill, the most likely first


def action_outlook(
    strategy: Strategy,
    decision: GradedDecision,
    action: Hold | Choice,
    upper_bonus_chance: ChanceOfState | None = None,
) -> ActionOutlook:
    """Return what one of the actions of a decision leads to under optimal play for the mean."""
    return turn_outlook(
        strategy.evaluator, decision.card, action, decision.rolls_left, upper_bonus_chance
    )


def turn_outlook(
    evaluator: TurnEvaluator,
    card: Scorecard,
    action: Hold | Choice,
    rolls_left: int,
    upper_bonus_chance: ChanceOfState | None = None,
) -> ActionOutlook:
    """Return what an action leads to under optimal play for any objective.

    It is computed from the values of a turn. A hold of all dice counts as its category.
    """
    rules = evaluator.rules
    outcomes: Sequence[TurnOutcome]
    if isinstance(action, Hold):
        outcomes = outcomes_of_hold(evaluator, card.state, action.dice, rolls_left)
    else:
        saved = rolls_left if rules.saved_rolls else 0
        outcomes = [
            TurnOutcome(
                rules.index_of[action.category], action.points, action.bonus_points, saved, 1.0
            )
        ]
    chances: dict[int, float] = defaultdict(float)  # by category
    shares: dict[int, float] = defaultdict(float)  # what each category adds to `turn_points`
    for outcome in outcomes:
        chances[outcome.category] += outcome.chance
        share = outcome.chance * (outcome.points + outcome.bonus_points)
        shares[outcome.category] += share
    turn_points = sum(
        outcome.chance * (outcome.points + outcome.bonus_points) for outcome in outcomes
    )
    after = [(outcome.chance, outcome.next_state(evaluator, card.state)) for outcome in outcomes]
    later_points = None
    if not isinstance(evaluator, ScoreEvaluator):
        later_points = sum(chance * evaluator.value(state) for chance, state in after)
    chance_of_bonus = None
    if upper_bonus_chance:
        bonus_chances = (chance * upper_bonus_chance(state) for chance, state in after)
        chance_of_bonus = clipped(sum(bonus_chances))
    most_likely_first = sorted(chances.items(), key=lambda item: -item[1])
    categories = tuple(
        CategoryOutlook(rules.categories[number].id, clipped(chance), shares[number] / chance)
        for number, chance in most_likely_first
    )
    return ActionOutlook(turn_points, later_points, chance_of_bonus, categories)
