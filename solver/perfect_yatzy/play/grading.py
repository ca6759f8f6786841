"""Every decision and roll of many recorded games valued at once: the figures of :mod:`.review` in flat arrays.

A roll leaves one or two decisions. With rerolls left: which dice to hold, or to stop; the loss is that against the
best of all options if the best category followed. Where the turn ends: which category to take; the loss is that
against the best category. The two losses of a category taken with rerolls left add up to the loss that
:mod:`.review` states.

Turns that begin on the same card share one evaluation, so that a thousand games take less than a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .._messages import _
from ..errors import StateError
from ..game.action_numbers import hold_count
from ..game.dice import Floats, Ints, lattice
from ..model.objectives import final_bonus
from ..model.turn_model import turn_model, turn_outcomes
from ..strategy.batch import each_option
from ..strategy.batch_positions import BatchPositions, sorted_positions
from ..strategy.strategy import Strategy, check_strategy
from .columns import GameColumns

if TYPE_CHECKING:
    from ..kernels.recorded import RecordedTurns, WalkedCards

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Values:
    """Values of n decisions in points: of the best hold that rerolls a die (-inf without rerolls left), of the best
    category, of what was done; and the first of the best categories."""

    best_hold: Floats
    best_stop: Floats
    done: Floats
    best_category: Ints


@dataclass(frozen=True)
class GradedGames:
    """Recorded cards with the value of every decision. Values, losses and luck are in points.

    A *card* is the game of one player; its turns, and the rolls of a turn, follow each other in the arrays.
    """

    start: float  # expected final score of an empty card
    # (cards,) int64: Position of the first turn of the card that breaks the rules, -1 if all are possible. The
    # arrays that follow have entries for the cards without fault alone, in the same order
    faults: Ints
    results: Ints  # (n,) int64: Points at the end of the record, the upper bonus included
    finished: Bools  # (n,) bool: Whether every category is filled
    card_of_turn: Ints  # (turns,) int64: Card of each turn, from 0 to n - 1
    category: Ints  # (turns,) int64: Position of the category taken, and the points of its box
    points: Ints  # (turns,) int64
    best_category: Ints  # (turns,) int64: The best category for the last dice of the turn
    category_loss: Floats  # (turns,) float64: What the category taken loses against the best category
    turn_of_roll: Ints  # (rolls,) int64: Turn of each roll, from 0 to turns - 1
    number_of_roll: Ints  # (rolls,) int64: Number of the roll in its turn, from 1
    can_reroll: Bools  # (rolls,) bool: Whether rerolls are left, so that there is a hold to choose
    hold_loss: Floats  # (rolls,) float64: What the hold, or stopping, loses; 0 without rerolls left
    luck: Floats  # (rolls,) float64: Best value with these dice minus the value before the roll

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
        turns = np.arange(len(self.card_of_turn))
        first = np.searchsorted(self.card_of_turn, np.arange(len(self.results)))
        return np.asarray(turns - first[self.card_of_turn])


def grade_games(strategy: Strategy, columns: GameColumns, threads: int | None = None) -> GradedGames:
    """Check recorded games against the rules and value all their decisions."""
    check_strategy(strategy)
    if strategy.rules.fingerprint != columns.rules.fingerprint:
        message = _("the games were played by {rules}, but the strategy is for {strategy_rules}")
        raise StateError(message.format(rules=columns.rules.key, strategy_rules=strategy.rules.key))
    if strategy.space.start.filled:
        raise StateError(
            _("the strategy begins at a card with filled categories; games are rated from the empty card")
        )
    space, dice = strategy.space, lattice(strategy.rules.dice, strategy.rules.faces)
    turns, walked = _walk(strategy, columns)
    good = walked.faults < 0
    card_turns = np.diff(turns.first_turn)
    is_good_turn = np.repeat(good, card_turns)
    rolls_in_turn = np.diff(turns.first_roll)
    is_good_roll = np.repeat(is_good_turn, rolls_in_turn)

    # From here on the arrays have the turns and rolls of cards without fault alone.
    rows, lanes, saved = (column[is_good_turn] for column in (walked.rows, walked.lanes, walked.saved))
    rolls_in_turn = rolls_in_turn[is_good_turn]
    first_roll = np.cumsum(rolls_in_turn) - rolls_in_turn
    turn_of_roll = np.repeat(np.arange(len(rolls_in_turn)), rolls_in_turn)
    number = np.arange(len(turn_of_roll)) - first_roll[turn_of_roll]
    rerolls = strategy.rules.rolls_per_turn - 1 + saved[turn_of_roll] - number
    rolls, holds = turns.rolls[is_good_roll], turns.holds[is_good_roll]
    category = turns.categories[is_good_turn]
    positions = sorted_positions(
        strategy.evaluator,
        dice.counts[rolls],
        rows[turn_of_roll],
        lanes[turn_of_roll],
        rolls - dice.first_roll,
        rerolls,
        number == 0,
    )
    taken = np.where(holds < 0, dice.first_roll + category[turn_of_roll], holds)
    found = _option_values(strategy, positions, taken, threads)

    is_last = np.zeros(len(rolls), dtype=bool)
    is_last[first_roll + rolls_in_turn - 1] = True
    best = np.maximum(found.best_hold, found.best_stop)
    done = np.where(is_last, found.best_stop, found.done)  # as if the best category followed
    before = np.empty(len(rolls))
    sets = space.layout.lane_sets[rows]
    places = space.layout.offsets[rows] + saved * space.layout.lane_count[sets] + lanes
    before[1:] = found.done[:-1]
    before[first_roll] = strategy.table[places]
    tie = strategy.evaluator.ties[0]
    return GradedGames(
        start=float(strategy.value()),
        faults=np.where(good, -1, walked.faults - turns.first_turn[:-1]),
        results=_results(strategy, turns, walked)[good],
        finished=walked.filled[good] == space.categories,
        card_of_turn=np.repeat(np.arange(int(good.sum())), card_turns[good]),
        category=category,
        points=turns.points[is_good_turn],
        best_category=found.best_category[is_last],
        category_loss=_without_ties((found.best_stop - found.done)[is_last], tie),
        turn_of_roll=turn_of_roll,
        number_of_roll=number + 1,
        can_reroll=rerolls > 0,
        hold_loss=_without_ties(np.where(rerolls > 0, best - done, 0.0), tie),
        luck=best - before,
    )


def _without_ties(losses: Floats, tie: float) -> Floats:
    """Losses with 0 for options that are equal but for rounding."""
    return np.where(losses <= tie, 0.0, losses)


def _walk(strategy: Strategy, columns: GameColumns) -> tuple[RecordedTurns, WalkedCards]:
    """The turns as arrays, and the states before them."""
    from ..kernels.recorded import WalkedCards, WalkJob, walk_cards

    rules, turns, cards = strategy.rules, columns.arrays(), len(columns.cards)
    by_turn, by_card = ([np.zeros(size, dtype=np.int64) for _ in range(3)] for size in (len(turns.points), cards))
    walked = WalkedCards(*by_turn, *by_card)
    walk_cards(0, cards, WalkJob(turn_model(rules), turn_outcomes(rules), turns, walked))
    return turns, walked


def _results(strategy: Strategy, turns: RecordedTurns, walked: WalkedCards) -> Ints:
    """Points at the end of each card, ``(cards,)``, with the upper bonus of full cards."""
    running = np.concatenate([[0], np.cumsum(turns.points + turns.bonus_points)])
    made = running[turns.first_turn[1:]] - running[turns.first_turn[:-1]]
    full, bonus = walked.filled == strategy.space.categories, final_bonus(strategy.space).astype(np.int64)
    return np.asarray(made + np.where(full, bonus[np.where(full, walked.ends, 0)], 0))


def _option_values(strategy: Strategy, positions: BatchPositions, taken: Ints, threads: int | None) -> _Values:
    """Values of decisions, and of the options that were `taken`, by their numbers."""
    size, n_holds = len(positions), hold_count(strategy.rules)
    found = _Values(np.empty(size), np.empty(size), np.empty(size), np.empty(size, dtype=np.int64))

    def note(start: int, values: Floats) -> None:
        place = positions.order[start : start + len(values)]
        holds, stops = values[:, :n_holds], values[:, n_holds:]
        found.best_hold[place], found.best_stop[place] = holds.max(axis=1), stops.max(axis=1)
        found.best_category[place] = stops.argmax(axis=1)
        found.done[place] = values[np.arange(len(values)), taken[place]]

    each_option(strategy.evaluator, positions, note, threads)
    return found
