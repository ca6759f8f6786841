"""Answer for the optimal strategy of a rule set: the best actions, and the value of any position.

A strategy is a rule set and its value table. It ranks all possible actions by the value of the rest
of the game under perfect play, and gives what each loses compared with the best.
:func:`check_position` is the only place where a position becomes trusted. Every function that takes
a position also takes a :class:`CheckedPosition`, and does not check it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.checked_values import Table, checked_part
from ..core.dice import Floats
from ..core.rules import RuleSet
from ..core.state import State, check_state, plain_state
from ..core.state_space import StateSpace
from ..core.table_info import TableInfo
from ..core.table_slices import Values
from ..errors import StateError, game_over, shown, whole_number
from ..game.legal_actions import (
    Action,
    ActionText,
    TurnPosition,
    action_count,
    action_number,
    actions_by_number,
)
from ..game.notation import counts_of, parse_dice, read_card
from ..game.scorecard import Scorecard
from ..words import _
from .action_kinds import ALL_KINDS, CATEGORIES, HOLDS
from .actions import (
    Choice,
    Hold,
    Ranking,
    best_action,
    ranked_actions,
    ranked_entries,
)
from .changeover import prepare
from .ranked_actions import Turn, max_rerolls
from .turn_evaluator import TurnEvaluator


class CheckedPosition(NamedTuple):
    """The start of a turn that a game can reach. Make one with :func:`check_position`."""

    rules: RuleSet  # the rules it was checked against
    state: State  # the part of the card that decides the rest of the game
    points: int  # points on the card without the upper bonus; 0 for a bare state


Position = State | Scorecard | CheckedPosition | TurnPosition | str | Mapping[str, int]


def check_position(
    rules: RuleSet, position: Position, space: StateSpace | None = None
) -> CheckedPosition:
    """Return the checked start of the turn of a position, among the states of `space`.

    Raises StateError if no game reaches it.
    """
    if (
        isinstance(position, CheckedPosition | TurnPosition)
        and position.rules.fingerprint != rules.fingerprint
    ):
        text = _(
            "the card belongs to {other}, not to {rules}", other=position.rules.key, rules=rules.key
        )
        raise StateError(text, code="invalid-card")
    was_checked = True  # among the states of the whole game
    if isinstance(position, CheckedPosition):
        start = position
    elif isinstance(position, TurnPosition) and position.is_checked:
        card = position.card
        points = 0 if isinstance(card, State) else card.total
        start = CheckedPosition(rules, position.state, points)
    elif isinstance(position, str):
        start = _position_of_text(rules, position)
    else:
        given = position.card if isinstance(position, TurnPosition) else position
        start = _position_of_card(rules, given)
        was_checked = False
    # A check is one among the states of the whole game. The space of the rest of a game has fewer, but
    # its own start is one of them.
    if was_checked and (space is None or not space.start.filled or start.state == space.start):
        return start
    if space is None:
        check_state(rules, start.state)
    else:
        space.check(start.state)
    return start


def _position_of_card(
    rules: RuleSet, card: Scorecard | State | Mapping[str, int]
) -> CheckedPosition:
    """Return the position of a card. Its boxes are checked, but not that a game can reach it."""
    if isinstance(card, State):
        return CheckedPosition(rules, plain_state(card), 0)
    read = read_card(rules, card)
    return CheckedPosition(rules, read.state, read.total)


@lru_cache(maxsize=1 << 12)
def _position_of_text(rules: RuleSet, card: str) -> CheckedPosition:
    """Return the checked position of a card as text. It is looked up if it has been read before."""
    read = read_card(rules, card)
    check_state(rules, read.state)
    return CheckedPosition(rules, read.state, read.total)


if TYPE_CHECKING:
    from .batch import BatchAnswer, BatchOptions, BatchPositions

DiceText = str | Sequence[int]  # "33456", or [3, 3, 4, 5, 6]


@dataclass(frozen=True, repr=False)
class Strategy:
    """Optimal play of one rule set. Make one with :func:`open_strategy`.

    A position is a :class:`State`, a :class:`Scorecard`, or a card as people write it: text
    (``"ones=3 chance=22"``, ``""`` for the empty card) or points by category (``{"ones": 3,
    "chance": 22}``). Dice are text (``"33456"``) or a sequence of faces. A
    :class:`perfect_yatzy.TurnPosition` is card, dice and rerolls left in one. Each method checks
    its position and dice once.

    Attributes
    ----------
    rules : RuleSet
    info : TableInfo or None
        The description of the table in the store, None for a table in memory.
    start : Scorecard or text
        Where :meth:`value`, simulations and distributions begin by default: the empty card.
    """

    rules: RuleSet
    info: TableInfo | None
    evaluator: TurnEvaluator = field(repr=False)
    start: Scorecard | str = field(default="", kw_only=True)

    @property
    def space(self) -> StateSpace:
        """The states and their places in the table."""
        return self.evaluator.space

    @property
    def table(self) -> Table:
        """The table as the evaluator reads it.

        It is an array, or values that are checked when first read.
        """
        return self.evaluator.values

    @property
    def values(self) -> Values:
        """The whole table, read-only. For the mean it is `(size,)` float64 (Maxi: float32).

        Raises TableError if it is damaged.
        """
        return checked_part(self.table, 0, len(self.table))

    def check(self, position: Position) -> CheckedPosition:
        """Return the position, checked for all methods.

        Raises StateError if it breaks the rules, or no game can reach it.
        """
        return check_position(self.rules, position, self.space)

    def check_start(self, start: Position | None) -> CheckedPosition:
        """Return where games begin, before the first roll of a turn.

        By default this is :attr:`start`.
        """
        if isinstance(start, TurnPosition) and (start.dice or not start.is_first_roll):
            raise StateError(
                "the turn has begun; games start before a roll, for example from position.card"
            )
        return self.check(self.start if start is None else start)

    def state(self, position: Position) -> State:
        """Return the checked state of a position, with the errors of :meth:`check`."""
        return self.check(position).state

    @property
    def policy(self) -> str:
        """What the strategy maximises.

        It is ``mean``, ``goal:280``, ``utility`` or ``approximate-mean``.
        """
        return "mean"

    def evaluator_at(self, position: CheckedPosition) -> TurnEvaluator:
        """Return the evaluator of turns from a checked position."""
        return self.evaluator

    def _evaluator_of(self, position: TurnPosition) -> TurnEvaluator:
        """Return the evaluator of the turn of a checked position."""
        return self.evaluator

    def value(self, position: Position | None = None) -> float:
        """Return the value of a position.

        It is a card at the start of a turn, or a :class:`perfect_yatzy.TurnPosition`.

        Parameters
        ----------
        position
            Default: :attr:`start`. With dice on the table the value is that of the best action, and
            while dice are to be rolled that of what is held.

        Returns
        -------
        float
            Expected points still to come under perfect play. The points on the card are not
            included. The upper bonus is, also if the upper boxes have secured it already: no card
            counts it before the end of the game. From a
            :class:`perfect_yatzy.strategy.score_strategy.ScoreStrategy`: the chance of the goal (0 to 1), or the
            expected utility of the final score.

        Raises
        ------
        StateError
            If no game can reach the position.
        """
        checked = self.check(self.start if position is None else position)
        evaluator = self.evaluator_at(checked)
        if (
            not isinstance(position, TurnPosition)
            or position.over
            or (position.to_roll and position.is_first_roll)
        ):
            return evaluator.value(checked.state)
        if not position.to_roll:  # all dice are on the table
            return best_action(self._turn(position, None, 0, ALL_KINDS))[1]
        # Dice are held and the others still to be rolled. `hold_values` counts this roll among the
        # rerolls left.
        held = evaluator.dice.rank(np.array(counts_of(self.rules, position.dice)))
        return float(evaluator.hold_values(checked.state, position.rolls_left + 1)[held])

    def prepare(self) -> None:
        """Load the compiled code that answers questions about single positions.

        A process that asks many such questions changes over from NumPy to compiled code by itself,
        after about 3,000 of them, or at once if a batch has loaded the kernels. This does it now, which
        takes about a second (ten if the kernels have never been compiled on this machine).
        The answers are the same to the bit. Goals, utilities, approximate strategies and tables
        that are read a part at a time (above 64 MB) are always answered by NumPy.
        """
        prepare(self.evaluator)

    def max_rerolls(self, state: State) -> int:
        """Return the rerolls after the first roll of a turn that begins in a state."""
        return max_rerolls(self.rules, state.saved)

    def best_action(self, position: TurnPosition) -> Action:
        """Return the first action of the :meth:`ranking`, as :meth:`TurnPosition.apply` takes it."""
        number, _value = best_action(self._turn(position, None, 0, ALL_KINDS))
        return actions_by_number(self.rules)[number]

    act = best_action  # a strategy is a policy, too

    def ranking(
        self, position: Position, dice: DiceText | None = None, rolls_left: int = 0
    ) -> Ranking[Hold | Choice]:
        """Return every hold and every category, best first.

        Parameters
        ----------
        position, dice, rolls_left
            As for :meth:`categories`.

        Returns
        -------
        Ranking of Hold and Choice
            Losses are against the best of all. Of equal options a category comes first, then the
            hold with more dice.

        Raises
        ------
        StateError
            If the position cannot occur, the dice are still to be rolled, or the game is over.
        """
        return self._ranking(position, dice, rolls_left, ALL_KINDS)

    def holds(
        self, position: Position, dice: DiceText | None = None, rolls_left: int | None = None
    ) -> Ranking[Hold]:
        """Return every different way to hold some of the dice, best first.

        Parameters
        ----------
        position, dice
            As for :meth:`categories`.
        rolls_left
            Rerolls still to come, at least 1; default: all of a turn's, as after the first roll.

        Returns
        -------
        Ranking of Hold
            A list that contains each sub-multiset of the dice once. Values are expected points
            still to come (under a goal: chances). Of equal values the hold with more dice comes
            first, then higher faces.

        Raises
        ------
        StateError
            If the position, the dice or `rolls_left` cannot occur, or the game is over.
        """
        return self._ranking(position, dice, rolls_left, HOLDS)

    def categories(
        self, position: Position, dice: DiceText | None = None, rolls_left: int = 0
    ) -> Ranking[Choice]:
        """Return every category that may take the dice now, best first.

        Parameters
        ----------
        position
            The card at the start of this turn; or a :class:`perfect_yatzy.TurnPosition`, which says
            all.
        dice
            The dice on the table.
        rolls_left
            Rerolls given up by scoring now. They matter only if the rules save rolls or pay
            first-roll bonuses.

        Returns
        -------
        Ranking of Choice
            A list. Values are expected points still to come, those of the category included (under
            a goal: chances). Of equal values the first of the sheet comes first.

        Raises
        ------
        StateError
            If the position or the dice cannot occur, or the game is over.
        """
        return self._ranking(position, dice, rolls_left, CATEGORIES)

    def action_values(
        self, position: Position, dice: DiceText | None = None, rolls_left: int = 0
    ) -> Floats:
        """Return the value of every action by its number (:mod:`perfect_yatzy.game.legal_actions`).

        Parameters
        ----------
        position, dice, rolls_left
            As for :meth:`categories`.

        Returns
        -------
        (actions,) float64
            Values as in the :meth:`ranking`; -inf for actions that are not legal.

        Raises
        ------
        StateError
            If the position cannot occur, the dice are still to be rolled, or the game is over.
        """
        ranked = ranked_actions(self._turn(position, dice, rolls_left, ALL_KINDS), ALL_KINDS)
        values = np.full(action_count(self.rules), -np.inf)
        values[ranked.numbers] = ranked.values
        return values

    def regret(
        self,
        position: Position,
        dice: DiceText | None = None,
        action: ActionText | None = None,
        rolls_left: int = 0,
    ) -> float:
        """Return what an action loses against the best one, in points (under a goal: in chance).

        Parameters
        ----------
        position, dice
            Card and dice as for :meth:`categories`; or a :class:`perfect_yatzy.TurnPosition`,
            followed by the action.
        action
            The dice to hold (``[3, 3]``, ``"33"``, ``"none"``), or the name of a category to score.
        rolls_left
            Rerolls left.

        Returns
        -------
        float
            0.0 for the best action and its ties.

        Raises
        ------
        StateError
            If the position cannot occur, or the action is not legal there.
        """
        if action is None:  # a position with its own dice is followed by the action
            action = dice
            dice = None
        if action is None:
            raise StateError("action is None; must be the dice to hold or the name of a category")
        number = action_number(self.rules, action)
        turn = self._turn(position, dice, rolls_left, ALL_KINDS)
        loss = ranked_actions(turn, ALL_KINDS).regret(turn.evaluator, number)
        if loss is not None:
            return loss
        roll = "".join(map(str, turn.dice))
        left = turn.rolls_left
        raise StateError(f"{shown(action)} is not legal with {shown(roll)} and {left} rolls left")

    def best(  # noqa: PLR0913 - the published parameters
        self,
        filled: npt.ArrayLike,
        upper: npt.ArrayLike,
        dice: npt.ArrayLike,
        rolls_left: npt.ArrayLike,
        saved: npt.ArrayLike = 0,
        joker_paid: npt.ArrayLike = False,
        threads: int | None = None,
        *,
        points: npt.ArrayLike | None = None,
    ) -> BatchAnswer:
        """Return the best action in many positions at once (needs numba).

        All arrays hold whole numbers; a scalar applies to every position.

        Parameters
        ----------
        filled : (n,) int
            Bitmask of the filled categories, bit i for the i-th of the sheet.
        upper : (n,) int
            Sum of the upper boxes; sums above the bonus threshold count as the threshold.
        dice : (n, dice) int
            Faces on the table, in any order.
        rolls_left : (n,) int
            Rerolls still to come; 0 asks for a category.
        saved : (n,) int
            Saved rolls at the start of the turn.
        joker_paid : (n,) bool
            Whether the joker's box holds points.
        threads
            Number of threads; default: one per processor.
        points : (n,) int
            Points on each card without the upper bonus. Required for goals and utilities, whose
            value is that of the whole final score; the mean does not need them.

        Returns
        -------
        BatchAnswer
            Arrays with one entry for each position; values in points, under a goal chances. Of
            equal values the action with the highest mean, then the hold with the most dice and the
            higher faces, and the first category of the sheet.

        Raises
        ------
        StateError
            If the arrays do not fit together, or a position cannot occur; the message names the
            first one.
        """
        from .batch import BatchAnswer, best_actions

        positions = self._positions(
            filled, upper, dice, rolls_left, saved, joker_paid, points=points
        )
        return BatchAnswer(
            *best_actions(self.evaluator, positions, None, threads), self.rules, self.policy
        )

    def options(  # noqa: PLR0913 - the published parameters
        self,
        filled: npt.ArrayLike,
        upper: npt.ArrayLike,
        dice: npt.ArrayLike,
        rolls_left: npt.ArrayLike,
        saved: npt.ArrayLike = 0,
        joker_paid: npt.ArrayLike = False,
        threads: int | None = None,
        *,
        points: npt.ArrayLike | None = None,
    ) -> BatchOptions:
        """Return the values of all holds and categories in many positions at once (needs numba).

        Parameters
        ----------
        filled, upper, dice, rolls_left, saved, joker_paid, threads, points
            As for :meth:`best`.

        Returns
        -------
        BatchOptions
            The best actions, and `values` ``(n, actions)`` float64: -inf where an action is not
            legal.

        Raises
        ------
        StateError
            As :meth:`best`; and if the machine has too little memory for the values.
        """
        from .batch import all_options

        positions = self._positions(
            filled, upper, dice, rolls_left, saved, joker_paid, points=points
        )
        return all_options(self.evaluator, self.policy, positions, threads)

    def regrets(  # noqa: PLR0913 - the published parameters
        self,
        filled: npt.ArrayLike,
        upper: npt.ArrayLike,
        dice: npt.ArrayLike,
        rolls_left: npt.ArrayLike,
        actions: BatchAnswer | npt.ArrayLike | Sequence[ActionText],
        saved: npt.ArrayLike = 0,
        joker_paid: npt.ArrayLike = False,
        threads: int | None = None,
        *,
        points: npt.ArrayLike | None = None,
    ) -> Floats:
        """Return what the actions taken in many positions lose against the best ones (needs numba).

        Parameters
        ----------
        filled, upper, dice, rolls_left, saved, joker_paid, threads, points
            As for :meth:`best`.
        actions
            The action taken in each position: ``(n,)`` int, numbers of actions
            (:mod:`perfect_yatzy.game.legal_actions`); or n holds and names of categories, as for
            :meth:`regret`; or the answer of another strategy's :meth:`best`.

        Returns
        -------
        (n,) float64
            Points lost, under a goal chances; 0.0 for the best action and its ties.

        Raises
        ------
        StateError
            As :meth:`best`; and if an action is not legal, with the first such position.
        """
        from .batch import action_regrets

        positions = self._positions(
            filled, upper, dice, rolls_left, saved, joker_paid, points=points
        )
        return action_regrets(self.evaluator, positions, actions, threads)

    def _positions(self, *arrays: npt.ArrayLike, points: npt.ArrayLike | None) -> BatchPositions:
        """Return checked positions, from filled, upper, dice, rolls_left, saved and joker_paid."""
        from .batch import PositionArrays, check_positions

        return check_positions(self.evaluator, self._table_x(points), PositionArrays(*arrays))

    def _table_x(self, points: npt.ArrayLike | None) -> npt.ArrayLike:
        """Return where cards with these points lie in the table. The mean does not depend on them."""
        return 0

    def _turn(
        self, position: Position, dice: DiceText | None, rolls_left: int | None, kinds: int
    ) -> Turn:
        """Return a checked question about a turn and these kinds of actions."""
        # Dice can be held only if a reroll is left.
        least = 1 if kinds == HOLDS else 0
        # A checked position that is a complete question is taken as it is, which is faster.
        if isinstance(position, TurnPosition) and position.rules is self.rules and dice is None:
            roll = position.dice
            left = position.rolls_left
            is_complete = len(roll) == self.rules.dice and left >= least
            if is_complete and position.is_checked and self.evaluator.is_whole_game:
                return Turn(self._evaluator_of(position), position.state, roll, left)
        checked, roll, left = self._checked_turn(position, dice, rolls_left, least=least)
        return Turn(self.evaluator_at(checked), checked.state, roll, left)

    def _ranking(
        self, position: Position, dice: DiceText | None, rolls_left: int | None, kinds: int
    ) -> Ranking[Any]:
        """Return the ranking of the actions of these kinds."""
        turn = self._turn(position, dice, rolls_left, kinds)
        entries = ranked_entries(turn, kinds)
        return Ranking(entries, self.rules, self.policy, turn.dice, turn.rolls_left)

    def _checked_turn(
        self, position: Position, dice: DiceText | None, rolls_left: int | None, *, least: int
    ) -> tuple[CheckedPosition, tuple[int, ...], int]:
        """Return the card, dice and rerolls left of a question, checked.

        At least `least` rerolls are left; None means all of a turn.
        """
        checked = self.check(position)
        if checked.state.filled == self.rules.full_mask:
            raise game_over()
        if isinstance(position, TurnPosition):
            # The dice and rerolls of a checked position are checked, too.
            is_complete = position.is_checked and not position.to_roll
            if is_complete and dice is None and position.rolls_left >= least:
                return checked, position.dice, position.rolls_left
        if isinstance(position, TurnPosition) and position.dice:
            if position.to_roll or dice is not None:
                raise StateError(
                    "the position has its own dice; use position.roll(dice), or give position.card"
                )
            dice = position.dice
            rolls_left = position.rolls_left
        if dice is None:
            raise StateError(
                "the dice are still to be rolled; give them, or use position.roll(dice)"
            )
        roll = parse_dice(self.rules, dice)
        most = self.max_rerolls(checked.state)
        left = most if rolls_left is None else whole_number(rolls_left, "rolls_left")
        if not least <= left <= most:
            when = "to hold dice it" if least else "it"
            raise StateError(f"{left} rolls left; {when} must be {least} to {most}")
        return checked, roll, left

    def __repr__(self) -> str:
        return f"<Strategy {self.rules.key}: {self.value():.4f}>"

    def _repr_html_(self) -> str:
        value = f"expected final score {self.value():.4f} under perfect play"
        return f"<b>{escape(self.rules.name)}</b>: {value}, {len(self.table):,} values"


def check_strategy(strategy: object) -> None:
    """Raise StateError unless the argument is a strategy and not, say, the name of a rule set."""
    if not isinstance(strategy, Strategy):
        known = "perfect_yatzy.open_strategy, reach or maximise"
        raise StateError(f"strategy is {shown(strategy)}; must be one of {known}")
