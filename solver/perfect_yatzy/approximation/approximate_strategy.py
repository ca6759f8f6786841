"""Play games that are too large for an exact table, by values of the cards from a function.

The function gives the expected points to come of any card. It is fitted
(:mod:`perfect_yatzy.approximation`), so its values are approximate. Play is greedy for one exact
turn on it::

    stop(roll)  = max over categories of points + bonus points + F(child)
    hold, best  as in :mod:`..strategy.turn_evaluator`, exact given F

No state space is built: a position is checked by the rules alone, and the function gives the values
of the children of the card in question. A strategy of this kind carries its *certificate*: its mean
by simulation, and a proven upper bound of every strategy (:mod:`.fitted_file`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.state import State
from ..core.state_space import card_masks
from ..core.table_info import TableInfo as TableInfo
from ..errors import RulesError

# Imported as themselves for pdoc, which reads the types of inherited fields.
from ..game.scorecard import Scorecard as Scorecard
from ..strategy.strategy import CheckedPosition, Position, Strategy, check_position
from ..strategy.turn_evaluator import TurnEvaluator
from ..words import _
from .fitted_file import OBJECTIVE, Certificate


class CardValues(Protocol):
    """Expected points to come of any card."""

    def values(
        self, filled: Ints, upper: Ints, saved: Ints, tracked: npt.NDArray[np.bool_]
    ) -> Floats:
        """Return the values of n states, ``(n,)``.

        The fields are those of :class:`perfect_yatzy.State`, ``(n,)`` each.

        With more than 62 boxes `filled` is ``(n, 2)`` uint64, the low word first.
        """


class FunctionEvaluator(TurnEvaluator):
    """Evaluator of turns of a rule set from a function of the cards after them. It has no table."""

    has_kernel = False
    is_whole_game = True

    def __init__(self, rules: RuleSet, function: CardValues) -> None:
        self.rules = rules
        self.function = function
        self._prepare()

    def __getattr__(self, name: str) -> NoReturn:
        """Raise RulesError for attributes that only a table has: its states and its values."""
        if name in ("space", "values"):
            raise needs_table(self.rules, "this question")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def states_values(self, states: list[State]) -> Floats:
        """Return the values of checked states, ``(n,)`` float64, from the function."""
        filled = card_masks(self.rules, [state.filled for state in states])
        upper, saved = np.array([(state.upper, state.saved) for state in states], dtype=np.int64).T
        tracked = np.array([state.joker_paid for state in states], dtype=bool)
        return np.asarray(self.function.values(filled, upper, saved, tracked), dtype=np.float64)

    def value(self, state: State) -> float:
        """Return the value of a checked state at the start of a turn, from the function."""
        return float(self.states_values([state])[0])

    def child_values(
        self, state: State, categories: Ints, points: Ints, bonus_points: Ints, saved: int
    ) -> Floats:
        """Return the values of filling categories with points.

        The parameters are those for a table.
        """
        children = [
            state.filled_with(self.rules, category, box_points, saved)
            for category, box_points in zip(categories.tolist(), points.tolist(), strict=True)
        ]
        # Different points often lead to one state, because only upper boxes are summed.
        different = [*dict.fromkeys(children)]
        value_of = dict(zip(different, self.states_values(different).tolist(), strict=True))
        to_come = np.array([value_of[child] for child in children])
        return np.asarray(points + bonus_points + to_come, dtype=np.float64)


@dataclass(frozen=True, repr=False)
class ApproximateStrategy(Strategy):
    """Play by a fitted value function, with a certificate of how far from perfect it can be.

    Made by :func:`perfect_yatzy.approximate`, opened by :func:`perfect_yatzy.open_strategy`. It
    answers like any strategy; its values are those of the fitted function. What needs the values of
    all states (batches, exact distributions, goals) raises RulesError.

    Attributes
    ----------
    certificate : Certificate
        What is known about the strategy.
    """

    evaluator: FunctionEvaluator = field(repr=False)
    certificate: Certificate = field(kw_only=True)

    @property
    def policy(self) -> str:
        """What the strategy maximises: ``approximate-mean``."""
        return OBJECTIVE

    def check(self, position: Position) -> CheckedPosition:
        """Return the position, checked by the rules alone, as :meth:`Strategy.check` does."""
        return check_position(self.rules, position)

    def _positions(self, *arrays: npt.ArrayLike, points: npt.ArrayLike | None) -> NoReturn:
        raise needs_table(self.rules, "a batch of positions")

    def __repr__(self) -> str:
        return f"<ApproximateStrategy {self.rules.key}: {self.certificate.sentence}>"

    def _repr_html_(self) -> str:
        return f"<b>{escape(self.rules.name)}</b>, approximate: {escape(self.certificate.sentence)}"


def needs_table(rules: RuleSet, what: str) -> RulesError:
    """Return the error for what cannot be answered from a value function."""
    text = _(
        "{what} needs the exact table of {rules}, and there is only an approximate strategy; hold, score, "
        "expect, play, review and simulate work with it"
    )
    return RulesError(text.format(what=what, rules=rules.key), code="too-large")
