"""Optimal play for other aims than the mean: reach a score, win, or any worth of the final score.

A :class:`ScoreStrategy` answers as a :class:`solver.advice.Strategy` does, with chances or worths in the place of
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

from .advice import Position, Strategy
from .dice import Floats, Ints
from .errors import StateError
from .evaluate import ScoreEvaluator, TurnEvaluator
from .notation import Scorecard, check_card, parse_card
from .objectives import Goals, ScoreObjective, Utility
from .rulefile import load_rules
from .rules import RuleSet
from .states import State, state_space
from .store import Progress, has_table, open_table
from .tables import check_memory

if TYPE_CHECKING:
    from .batch import BatchAnswer

AT_ONCE = 1.5  # seconds: a rest of a game estimated below this is solved rather than looked up


@dataclass(frozen=True, repr=False)
class ScoreStrategy(Strategy):
    """Optimal play where the whole final score counts. Make one with :func:`reach` or :func:`maximise`.

    Values are chances (of reaching the goal) or worths. A position should be a card, whose points count; a bare
    :class:`solver.states.State` has none.

    Attributes
    ----------
    zero : int
        Points on the card that lie at x = 0 of the table: the goal, or the points at the start.
    """

    zero: int = 0

    def evaluator_at(self, position: Position) -> TurnEvaluator:
        """What evaluates a turn there, with the points that card has."""
        assert isinstance(self.evaluator, ScoreEvaluator)
        state, points = self.begin(position)
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
    start: str | Scorecard = "",
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreStrategy:
    """Play that maximises the chance of a final score of at least `goal`.

    Parameters
    ----------
    goal
        Final score to reach, upper bonus included.
    start
        The card from which on you will ask. Late in a game the rest is solved at once; early the table of all
        goals is opened, or solved and stored (Yatzy: 20 s, 0.9 GB).

    Raises
    ------
    RulesError
        If the state space outgrows the machine, with an estimate.
    TableError
        If the table is damaged or cannot be written.
    """
    rule_set = rules if isinstance(rules, RuleSet) else load_rules(rules)
    state = _start(rule_set, start)[0]
    if not has_table(rule_set, tables, Goals.name):
        rest = Goals(rule_set, state)
        needs = rest.needs()
        if needs.seconds < AT_ONCE:
            return ScoreStrategy(rule_set, None, solved(rest, threads), goal)
    whole = Goals(rule_set)
    check_memory(rule_set, whole.needs())
    info, values = open_table(whole, tables, threads=threads, progress=progress)
    return ScoreStrategy(rule_set, info, ScoreEvaluator(whole, values), goal)


def maximise(
    rules: str | Path | RuleSet,
    worth: Callable[[Ints], Floats] | npt.ArrayLike,
    start: str | Scorecard = "",
    *,
    threads: int | None = None,
) -> ScoreStrategy:
    """Play that maximises the mean of any function of the final score, from a card on.

    Parameters
    ----------
    worth
        Takes an int64 array of final scores, returns their worths (float); or an array of the worths of 0, 1, 2 ...
        whose last one goes for all higher scores. Arithmetic is float32.
    start
        The card from which on you will ask. A whole game of Yatzy takes 20 s and 1.5 GB, half a game less than a
        second.

    Raises
    ------
    RulesError
        If the state space outgrows the machine, with an estimate.
    """
    rule_set = rules if isinstance(rules, RuleSet) else load_rules(rules)
    state, total = _start(rule_set, start)
    table = None if callable(worth) else np.asarray(worth, dtype=np.float64)

    def of_final(made: Ints) -> Floats:
        if table is not None:
            return np.asarray(table[np.minimum(made + total, len(table) - 1)])
        assert callable(worth)
        return np.asarray(worth(made + total), dtype=np.float64)

    objective = Utility(rule_set, of_final, state)
    return ScoreStrategy(rule_set, None, solved(objective, threads), total)


def solved(objective: ScoreObjective, threads: int | None = None) -> ScoreEvaluator:
    """Solve in memory."""
    from .backward import solve_objective

    needs = objective.needs()
    check_memory(objective.rules, needs.with_table())
    return ScoreEvaluator(objective, solve_objective(objective, threads=threads))


def _start(rules: RuleSet, start: str | Scorecard) -> tuple[State, int]:
    card = parse_card(rules, start) if isinstance(start, str) else check_card(start)
    state_space(rules).check(card.state)
    return card.state, card.total
