"""The oracle a person asks: which dice to hold, which category to take, what to expect. NumPy only.

A strategy is a rule set and its value table. Every answer ranks all possible actions by the points still to
come if the rest of the game is played perfectly, and says what each loses against the best.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from ..errors import StateError, shown, whole_number
from ..game.dice import sub_multisets
from ..game.notation import counts_of, dice_of, glyphs, parse_dice, read_card, spaced
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard, State
from ..game.scoring import scoring_options
from ..model.objectives import Objective, Values
from ..model.state_space import StateSpace
from ..tablebase.store import Progress, open_table
from ..tablebase.table_file import TableInfo
from .turn_evaluator import TurnEvaluator

if TYPE_CHECKING:
    import numpy.typing as npt

    from .batch import BatchAnswer

Position = State | Scorecard | str | Mapping[str, int]
Dice = str | Sequence[int]


@dataclass(frozen=True)
class Hold:
    """One way to go on: the dice kept (all of them: stop and score).

    Attributes
    ----------
    dice : tuple of int
        Dice held, ascending.
    value : float
        Expected points still to come, upper bonus included.
    loss : float
        Points given away against the best hold; 0.0 for the best and its ties.
    category : str or None
        For the hold of all dice: the id of the category to score now.
    """

    dice: tuple[int, ...]
    value: float
    loss: float
    category: str | None = None

    @property
    def label(self) -> str:
        """The hold in a few words."""
        if self.category:
            return f"score {self.category}"
        return f"hold {spaced(self.dice)} {glyphs(self.dice)}" if self.dice else "reroll all"


@dataclass(frozen=True)
class Choice:
    """One category for the dice on the table.

    Attributes
    ----------
    category : str
        Id of the category.
    points : int
        Points its box receives.
    value : float
        Expected points still to come, these points and the upper bonus included.
    loss : float
        Points given away against the best category; 0.0 for the best and its ties.
    bonus_points : int
        Points beside the box now (joker or first-roll bonus), included in `value`.
    """

    category: str
    points: int
    value: float
    loss: float
    bonus_points: int = 0

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return f"{self.category} for {self.points + self.bonus_points}"


Action = TypeVar("Action", Hold, Choice)
Option = TypeVar("Option")


class Ranking(list[Action], Generic[Action]):
    """Actions, best first: a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(entry.label)}</td><td>{entry.value:.4f}</td><td>{entry.loss:.4f}</td></tr>"
            for entry in self
        )
        return f"<table><tr><th>action</th><th>points to come</th><th>loses</th></tr>{rows}</table>"


@dataclass(frozen=True, repr=False)
class Strategy:
    """Optimal play of one rule set. Make one with :func:`open_strategy`.

    A position is a :class:`State`, a :class:`Scorecard`, or one as it is written: text (``"ones=3 chance=22"``,
    ``""`` for the empty card) or points by category (``{"ones": 3, "chance": 22}``). Dice are text (``"33456"``) or
    a sequence of faces.

    Attributes
    ----------
    rules : RuleSet
    start : Scorecard or text
        Where :meth:`value`, simulations and distributions begin unless told otherwise: the empty card.
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
    def values(self) -> Values:
        """The whole table, read-only; for the mean `(size,)` float64 (Maxi: float32)."""
        return self.evaluator.values

    def state(self, position: Position) -> State:
        """The checked state of a position.

        Raises
        ------
        StateError
            If it is none, or no game can arrive there.
        """
        return self.begin(position)[0]

    def begin(self, position: Position) -> tuple[State, int]:
        """The checked state of a position, and the points that stand on its card (0 for a bare state).

        Raises
        ------
        StateError
            If it is none, or no game can arrive there.
        """
        if isinstance(position, State):
            state, points = position, 0
        else:
            card = read_card(self.rules, position)
            state, points = card.state, card.total
        self.space.check(state)
        return state, points

    def evaluator_at(self, state: State, points: int) -> TurnEvaluator:
        """What evaluates a turn from a checked state whose card holds so many points."""
        return self.evaluator

    def dice(self, dice: Dice) -> tuple[int, ...]:
        """Dice as a checked ascending tuple."""
        return parse_dice(self.rules, dice)

    def value(self, position: Position | None = None) -> float:
        """Expected points still to come at the start of a turn, upper bonus included; default: at `start`."""
        state, points = self.begin(self.start if position is None else position)
        return self.evaluator_at(state, points).value(state)

    def most_rerolls(self, state: State) -> int:
        """Rerolls after the first roll of a turn."""
        return self.rules.rolls_per_turn - 1 + state.saved

    def holds(self, position: Position, dice: Dice, rolls_left: int | None = None) -> Ranking[Hold]:
        """Every different way to hold some of the dice, best first.

        Parameters
        ----------
        position
            The card at the start of this turn.
        dice
            The dice on the table.
        rolls_left
            Rerolls still to come, at least 1; default: this was the first roll.

        Returns
        -------
        Ranking of Hold
            A list. Each sub-multiset once. Of equal values the hold with more dice comes first, then higher faces.

        Raises
        ------
        StateError
            If the position, the dice or `rolls_left` cannot occur.
        """
        evaluator, state, roll = self._asked(position, dice)
        most = self.most_rerolls(state)
        left = most if rolls_left is None else whole_number(rolls_left, "rolls_left")
        if not 1 <= left <= most:
            raise StateError(f"{left} rolls left; to hold dice it must be 1 to {most}")
        counts = np.array(counts_of(self.rules, roll), dtype=np.int64)
        kept = sub_multisets(counts)
        values = evaluator.hold_values(state, left)[evaluator.dice.rank(kept)]
        stop = self._categories(evaluator, state, roll, left)[0]
        values[-1] = stop.value  # sub_multisets ends with all dice
        entries = zip(values.tolist(), map(dice_of, kept.tolist()), strict=True)
        return Ranking(
            Hold(held, value, loss, stop.category if len(held) == len(roll) else None)
            for value, loss, held in ranked(evaluator, entries, lambda held: (-len(held), tuple(-f for f in held)))
        )

    def categories(self, position: Position, dice: Dice, rolls_left: int = 0) -> Ranking[Choice]:
        """Every category that may take the dice now, best first.

        Parameters
        ----------
        rolls_left
            Rerolls given up by scoring now. Of account only if the rules save rolls or pay first-roll bonuses.

        Raises
        ------
        StateError
            If the position or the dice cannot occur, or the game is over.
        """
        evaluator, state, roll = self._asked(position, dice)
        most = self.most_rerolls(state)
        left = whole_number(rolls_left, "rolls_left")
        if not 0 <= left <= most:
            raise StateError(f"{left} rolls left; it must be 0 to {most}")
        return self._categories(evaluator, state, roll, left)

    def _categories(
        self, evaluator: TurnEvaluator, state: State, roll: tuple[int, ...], left: int
    ) -> Ranking[Choice]:
        counts = counts_of(self.rules, roll)
        saved = left if self.rules.saved_rolls else 0
        first = left == self.most_rerolls(state)
        found: list[tuple[float, tuple[int, int, int]]] = []
        for c, (points, bonus_points) in scoring_options(
            self.rules, state.filled, state.joker_paid, counts, first
        ).items():
            worth = float(evaluator.arrive(state, c, np.array(points), bonus_points, saved))
            found.append((worth, (c, points, bonus_points)))
        return Ranking(
            Choice(self.rules.categories[c].id, points, value, loss, bonus_points)
            for value, loss, (c, points, bonus_points) in ranked(evaluator, found, lambda choice: choice)
        )

    def best(
        self,
        filled: npt.ArrayLike,
        upper: npt.ArrayLike,
        dice: npt.ArrayLike,
        rolls_left: npt.ArrayLike,
        saved: npt.ArrayLike = 0,
        joker_paid: npt.ArrayLike = False,
        threads: int | None = None,
    ) -> BatchAnswer:
        """Best action in many positions at once (needs numba); see :func:`perfect_yatzy.strategy.batch.answer`."""
        from .batch import answer

        return answer(self, filled, upper, dice, rolls_left, saved, joker_paid, threads)

    def _asked(self, position: Position, dice: Dice) -> tuple[TurnEvaluator, State, tuple[int, ...]]:
        state, points = self.begin(position)
        if state.filled == self.rules.full_mask:
            raise StateError("every category is filled: the game is over")
        return self.evaluator_at(state, points), state, self.dice(dice)

    def __repr__(self) -> str:
        return f"<Strategy {self.rules.key}: {self.value():.4f}>"

    def _repr_html_(self) -> str:
        return (
            f"<b>{self.rules.name}</b>: expected final score {self.value():.4f} under perfect play, "
            f"{len(self.values):,} values"
        )


def check_strategy(strategy: object) -> None:
    """StateError unless it is a strategy: the name of a rule set is none, and nor is a game."""
    if not isinstance(strategy, Strategy):
        raise StateError(
            f"strategy is {shown(strategy)}; must be one of perfect_yatzy.open_strategy, reach or maximise"
        )


def ranked(
    evaluator: TurnEvaluator, entries: Iterable[tuple[float, Option]], key: Callable[[Option], Any]
) -> list[tuple[float, float, Option]]:
    """Options with their worths and losses, best first; those of equal worth ordered by `key`."""
    left = sorted(entries, key=lambda entry: -entry[0])
    best, found = left[0][0], list[tuple[float, float, Option]]()
    while left:
        lowest = evaluator.lowest_equal(left[0][0])
        equal = [entry for entry in left if entry[0] >= lowest]
        left = left[len(equal) :]
        for value, option in sorted(equal, key=lambda entry: key(entry[1])):
            found.append((value, 0.0 if value >= evaluator.lowest_equal(best) else best - value, option))
    return found


def open_strategy(
    rules: str | Path | RuleSet = "yatzy",
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Strategy:
    """Open the optimal strategy of a rule set, solving it first if its table is missing.

    Parameters
    ----------
    rules
        A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
    tables
        Folder of the tables; default as :func:`perfect_yatzy.tablebase.store.tables_folder` says.
    threads, progress
        For the solve, if one is needed: processors to use, and a callback (values done, values in all).

    Raises
    ------
    RulesError
        If the rules are unknown or wrong.
    TableError
        If the table is damaged or cannot be written.
    """
    rule_set = load_rules(rules)
    info, values = open_table(Objective(rule_set), tables, threads=threads, progress=progress)
    return Strategy(rule_set, info, TurnEvaluator(rule_set, values))
