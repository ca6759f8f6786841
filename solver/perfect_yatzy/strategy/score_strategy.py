"""Optimal play for other aims than the mean: reach a score, win, or any worth of the final score.

A :class:`ScoreStrategy` answers as a :class:`perfect_yatzy.strategy.strategy.Strategy` does, with chances or worths
in the place of
points. Goals of a whole game come from one table for every target; a late position, and any other worth, is solved
there and then for the rest of its game alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown, whole_number
from ..game.dice import Floats, Ints
from ..game.notation import CardText, read_card
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard, State
from ..model.objectives import Goals, ScoreObjective, Utility
from ..model.state_space import state_space
from ..tablebase.store import Progress, has_table, open_table
from ..tablebase.table_file import check_memory
from .strategy import Strategy
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

if TYPE_CHECKING:
    from ..tablebase.table_file import TableInfo as TableInfo  # for pdoc: the type of an inherited field
    from .batch import BatchAnswer

INSTANT_SOLVE_SECONDS = 1.5  # seconds: a rest of a game estimated below this is solved rather than looked up
MAX_GOAL = 99_999
MAX_WORTH = 1e20  # of float32's 3e38; the kernels take -1e30 for less than any worth


@dataclass(frozen=True, repr=False)
class ScoreStrategy(Strategy):
    """Optimal play where the whole final score counts. Make one with :func:`reach` or :func:`maximise`.

    Values are chances (of reaching the goal) or worths. A position should be a card, whose points count; a bare
    :class:`perfect_yatzy.game.scorecard.State` has none.

    Attributes
    ----------
    start : Scorecard
        The card it was made for: where `value` and simulations begin unless told otherwise.
    zero : int
        Points on the card that lie at x = 0 of the table: the goal, or the points at the start.
    """

    zero: int = 0

    def evaluator_at(self, state: State, points: int) -> TurnEvaluator:
        """What evaluates a turn there; StateError where the table does not know these points."""
        assert isinstance(self.evaluator, ScoreEvaluator)
        evaluator = self.evaluator.at(points - self.zero)
        evaluator.check_reached(state)
        return evaluator

    def best(self, *args: Any, **options: Any) -> BatchAnswer:
        """Not for these strategies: arrays of states say nothing of the points that count here."""
        raise StateError("batches are answered for the mean alone; ask for goals and worths card by card")

    def __repr__(self) -> str:
        return f"<ScoreStrategy {self.rules.key}>"

    def _repr_html_(self) -> str:
        return f"<b>{self.rules.name}</b>: optimal play for the whole final score, {len(self.values):,} values"


def reach(
    rules: str | Path | RuleSet,
    goal: int,
    start: CardText | Scorecard = "",
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreStrategy:
    """Play that maximises the chance of a final score of at least `goal`.

    Parameters
    ----------
    goal
        Final score to reach, upper bonus included: 0 to 99999.
    start
        The card from which on you will ask. Late in a game the rest is solved at once; early the table of all
        goals is opened, or solved and stored (Yatzy: 20 s, 0.9 GB). Arithmetic is float32.

    Raises
    ------
    StateError
        If the goal is no score, or no game can arrive at the start.
    RulesError
        If the state space outgrows the machine, with an estimate.
    TableError
        If the table is damaged or cannot be written.
    """
    rule_set, goal = load_rules(rules), check_goal(goal)
    card = _start(rule_set, start)
    if not has_table(rule_set, tables, Goals.name):
        rest = Goals(rule_set, card.state)
        needs = rest.needs()
        if needs.seconds < INSTANT_SOLVE_SECONDS:
            return ScoreStrategy(rule_set, None, solved(rest, threads), goal, start=card)
    whole = Goals(rule_set)
    check_memory(rule_set, whole.needs())
    info, values = open_table(whole, tables, threads=threads, progress=progress)
    return ScoreStrategy(rule_set, info, ScoreEvaluator(whole, values), goal, start=card)


def check_goal(goal: int) -> int:
    """The goal as an int, or StateError if it is no score."""
    score = whole_number(goal, "goal")
    if not 0 <= score <= MAX_GOAL:
        raise StateError(f"goal is {score}; must be a score from 0 to {MAX_GOAL}")
    return score


def maximise(
    rules: str | Path | RuleSet,
    worth: Callable[[Ints], npt.ArrayLike] | npt.ArrayLike,
    start: CardText | Scorecard = "",
    *,
    threads: int | None = None,
) -> ScoreStrategy:
    """Play that maximises the mean of any function of the final score, from a card on.

    Parameters
    ----------
    worth
        Takes an int64 array of final scores and returns an array of their worths, called once for all that can still
        come about; or an array of the worths of 0, 1, 2 ... whose last one goes for all higher scores. Worths are
        finite and no larger than 1e20. Arithmetic is float32, which tells worths apart to about six digits, and those
        below 1e-38 not at all: leave out what is common to all of them.
    start
        The card from which on you will ask. A whole game of Yatzy takes 20 s and 1.5 GB, half a game less than a
        second.

    Raises
    ------
    StateError
        If the worths are not as said, or no game can arrive at the start.
    RulesError
        If the state space outgrows the machine, with an estimate.
    """
    rule_set = load_rules(rules)
    card = _start(rule_set, start)
    objective = Utility(rule_set, lambda made: worths[np.minimum(made, len(worths) - 1)], card.state)
    most = int(objective.row_lengths().max()) + (rule_set.bonus.points if rule_set.bonus else 0)
    worths = _worths(worth, card.total + np.arange(most + 1))
    return ScoreStrategy(rule_set, None, solved(objective, threads), card.total, start=card)


def _worths(worth: Callable[[Ints], npt.ArrayLike] | npt.ArrayLike, scores: Ints) -> Floats:
    """The worth of each of the final scores, checked: the kernels read as many as there should be, unseen."""
    if callable(worth):
        found = _real("worth returned", worth(scores))
        if found.shape != scores.shape:
            raise StateError(f"worth returned shape {found.shape}; must be that of the scores, {scores.shape}")
    else:
        table = _real("worth is", worth)
        if table.ndim != 1 or not len(table):
            raise StateError(
                f"worth is {shown(worth)}; must be a function of final scores, or a list of the worths of 0, 1, 2 ..."
            )
        found = table[np.minimum(scores, len(table) - 1)]
    if not np.isfinite(found).all():
        wrong = int(np.argmin(np.isfinite(found)))
        raise StateError(f"the worth of {scores[wrong]} is {found[wrong]}; must be finite")
    size = float(np.abs(found).max())
    if size > MAX_WORTH:
        raise StateError(f"the largest worth is {size:g} in size; must be at most {MAX_WORTH:g}")
    return found


def _real(said: str, given: object) -> Floats:
    """What was given as float64, or StateError if it is no array of real numbers."""
    try:
        found = np.asarray(given)
    except ValueError:  # rows of different lengths
        found = np.array(None)
    if found.dtype.kind not in "biuf":
        raise StateError(f"{said} {shown(given)}; must be an array of real numbers")
    return found.astype(np.float64)


def solved(objective: ScoreObjective, threads: int | None = None) -> ScoreEvaluator:
    """Solve in memory."""
    from ..tablebase.backward_induction import solve_objective

    needs = objective.needs()
    check_memory(objective.rules, needs.with_table())
    return ScoreEvaluator(objective, solve_objective(objective, threads=threads))


def _start(rules: RuleSet, start: CardText | Scorecard) -> Scorecard:
    card = read_card(rules, start)
    state_space(rules).check(card.state)
    return card
