"""Every decision and roll of many recorded games valued at once: the figures of :mod:`.review` in flat arrays.

A roll leaves one or two decisions. With rerolls left: which dice to hold, or to stop; the loss is that against the
best of all options if the best category followed. Where the turn ends: which category to take; the loss is that
against the best category. The two losses of a category taken with rerolls left add up to the loss that
:mod:`.review` states.

Turns that begin on the same card share one evaluation, so that a thousand games take less than a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .._messages import _
from ..errors import StateError
from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import window
from ..model.objectives import final_bonus
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..strategy.strategy import Strategy, check_strategy
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map
from .columns import GameColumns

if TYPE_CHECKING:
    from ..kernels.recorded import Decisions, DecisionValues, RecordedTurns, WalkedCards
    from ..kernels.table_slices import TableSlice

SLICE = 4096  # decisions a thread takes at a time
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class GradedGames:
    """Recorded cards with the value of every decision. Values, losses and luck are in points.

    A *card* is the game of one player; its turns, and the rolls of a turn, follow each other in the arrays.

    Attributes
    ----------
    start : float
        Expected final score of an empty card.
    faults : (cards,) int64
        Position of the first turn of the card that breaks the rules, -1 if all are possible. The arrays that follow
        have entries for the cards without fault alone, in the same order.
    results : (n,) int64
        Points at the end of the record, the upper bonus included.
    finished : (n,) bool
        Whether every category is filled.
    card_of_turn : (turns,) int64
        Card of each turn, from 0 to n - 1.
    category, points : (turns,) int64
        Position of the category taken, and the points of its box.
    best_category : (turns,) int64
        The best category for the last dice of the turn.
    category_loss : (turns,) float64
        What the category taken loses against the best category.
    turn_of_roll : (rolls,) int64
        Turn of each roll, from 0 to turns - 1.
    number_of_roll : (rolls,) int64
        Number of the roll in its turn, from 1.
    can_reroll : (rolls,) bool
        Whether rerolls are left, so that there is a hold to choose.
    hold_loss : (rolls,) float64
        What the hold, or stopping, loses; 0 without rerolls left.
    luck : (rolls,) float64
        Best value with these dice minus the value before the roll.
    """

    start: float
    faults: Ints
    results: Ints
    finished: Bools
    card_of_turn: Ints
    category: Ints
    points: Ints
    best_category: Ints
    category_loss: Floats
    turn_of_roll: Ints
    number_of_roll: Ints
    can_reroll: Bools
    hold_loss: Floats
    luck: Floats

    @property
    def card_of_roll(self) -> Ints:
        """``(rolls,)`` int64: card of each roll."""
        return np.asarray(self.card_of_turn[self.turn_of_roll])

    @property
    def turn_number(self) -> Ints:
        """``(turns,)`` int64: number of each turn in its card, from 0."""
        turns = np.arange(len(self.card_of_turn))
        first = np.searchsorted(self.card_of_turn, np.arange(len(self.results)))
        return np.asarray(turns - first[self.card_of_turn])


def grade_games(strategy: Strategy, columns: GameColumns, threads: int | None = None) -> GradedGames:
    """Check recorded games against the rules and value all their decisions.

    Parameters
    ----------
    strategy
        The strategy that maximises the mean, for the rules of the games, from the empty card.
    columns
        The games.
    threads
        Number of threads; default: one per processor.

    Raises
    ------
    StateError
        If the strategy belongs to other rules or begins at another card.
    """
    check_strategy(strategy)
    if strategy.rules.fingerprint != columns.rules.fingerprint:
        raise StateError(
            _("the games were played by {rules}, but the strategy is for {strategy_rules}").format(
                rules=columns.rules.key, strategy_rules=strategy.rules.key
            )
        )
    if strategy.space.start.filled:
        raise StateError(
            _("the strategy begins at a card with filled categories; games are rated from the empty card")
        )
    from ..kernels.recorded import Decisions

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
    done_category = np.where(holds < 0, category[turn_of_roll], -1)
    roll_columns = (rolls - dice.first_roll, rerolls, (number == 0).astype(np.int64), holds, done_category)
    found = _values(strategy, Decisions(rows[turn_of_roll], lanes[turn_of_roll], *roll_columns), threads)

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


def _values(strategy: Strategy, decisions: Decisions, threads: int | None) -> DecisionValues:
    """Values of decisions given in any order, in that order."""
    from ..kernels.lattice import kernel_lattice
    from ..kernels.recorded import Decisions, DecisionValues, GradeJob, grade_decisions
    from ..kernels.turn import make_scratch

    space, size = strategy.space, len(decisions.rows)
    filled = space.filled[decisions.rows]
    order = np.lexsort((decisions.lanes // LANES, decisions.rows, filled))
    in_order = Decisions(*(np.ascontiguousarray(column[order]) for column in decisions))
    found = DecisionValues(np.empty(size), np.empty(size), np.empty(size), np.empty(size, dtype=np.int64))
    layer_starts = np.searchsorted(filled[order], np.arange(space.categories + 1)).tolist()
    dice, model = lattice(strategy.rules.dice, strategy.rules.faces), turn_model(strategy.rules)
    passes, outcomes = kernel_lattice(dice), turn_outcomes(strategy.rules)
    parts = []
    for layer, (begin, end) in enumerate(pairwise(layer_starts)):
        if begin < end:
            table = window(space, strategy.table, layer)
            parts += [(table, first, min(first + SLICE, end)) for first in range(begin, end, SLICE)]

    def grade(part: tuple[TableSlice, int, int]) -> None:
        table, begin, end = part
        scratch = make_scratch(dice, model)
        grade_decisions(begin, end, GradeJob(model, outcomes, passes, table, in_order, found, scratch))

    with thread_map(min(len(parts), threads or default_threads())) as in_threads:
        for _ in in_threads(grade, parts):
            pass
    inverse = np.empty(size, dtype=np.int64)
    inverse[order] = np.arange(size)
    values = found.best_hold[inverse], found.best_stop[inverse], found.done[inverse]
    return DecisionValues(*values, found.best_category[inverse])
