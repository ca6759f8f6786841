"""Play optimally for other objectives than the mean: reach a score, win, or maximise any utility.

    maximise E[ U(final score) ]        U(s) = 1 if s >= goal else 0, for a goal

A :class:`ScoreStrategy` has the methods of a :class:`perfect_yatzy.strategy.strategy.Strategy`; its
values are chances or expected utilities instead of points. One table holds every goal of a whole
game. Late in a game, and for any other utility, the rest of the game is solved when it is needed
(:func:`goals_to_solve` decides). Of actions with equal values the one with the highest mean is
taken: the expected points still to come if everything after it maximises the mean. So a goal that
is certain or out of reach is played for the mean. A strategy therefore also has the values of the
mean (:func:`mean_evaluator`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints
from ..core.objectives import Objective
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.state import State
from ..core.table_info import TableInfo  # noqa: F401 (documentation reads the inherited fields)
from ..errors import StateError, shown, whole_number
from ..game.legal_actions import TurnPosition
from ..game.maximum_score import maximum_score
from ..game.notation import CardText, read_card
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..objectives.scores import Goals, ReachableUtility, ScoreObjective
from ..settings import Folder, Progress, Settings
from ..tablebase.estimates import (
    INSTANT_SOLVE_SECONDS,
    SolveCost,
    check_memory,
    log_long,
    solve_cost,
)
from ..tablebase.store import has_table, open_table
from ..words import _
from .strategy import CheckedPosition, Strategy, check_position
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

MAX_GOAL = 99_999
# float32 reaches 3e38, and the kernels use -1e30 as a value below every utility.
MAX_UTILITY = 1e20


@dataclass(frozen=True, repr=False)
class ScoreStrategy(Strategy):
    """Optimal play for a utility of the final score, made by :func:`reach` or :func:`maximise`.

    Values are chances of the goal (0 to 1) or expected utilities. Positions should be cards: their
    points count. A bare :class:`perfect_yatzy.core.state.State` has none.

    Attributes
    ----------
    start : Scorecard
        The card it was made for: where `value` and simulations begin by default.
    zero : int
        Points on the card that lie at x = 0 of the table: the goal, or the points at the start.
    """

    evaluator: ScoreEvaluator = field(repr=False)
    zero: int

    def evaluator_at(self, position: CheckedPosition) -> TurnEvaluator:
        """Return the evaluator of turns from a checked position.

        Raises StateError if the table has no values for its points.
        """
        evaluator = self.evaluator.at(position.points - self.zero)
        evaluator.check_reached(position.state)
        return evaluator

    def _evaluator_of(self, position: TurnPosition) -> TurnEvaluator:
        return self.evaluator_at(self.check(position))

    @property
    def policy(self) -> str:
        """The name of the policy: what the strategy maximises.

        It is ``goal:280`` (the chance of 280 points or more) or ``utility``.
        """
        return f"goal:{self.zero}" if isinstance(self.evaluator.objective, Goals) else "utility"

    def _table_x(self, points: npt.ArrayLike | None) -> npt.ArrayLike:
        from .batch import whole_numbers

        if points is None:
            raise StateError(
                "points is missing; give the points on each card, which count for goals and utilities"
            )
        return whole_numbers("points", points) - self.zero

    def __repr__(self) -> str:
        return f"<ScoreStrategy {self.rules.key}, {self.policy}>"

    def _repr_html_(self) -> str:
        return f"<b>{escape(self.rules.name)}</b>: optimal play for {self.policy}, {len(self.table):,} values"


def reach(  # noqa: PLR0913 - the published parameters
    rules: str | Path | RuleSet,
    goal: int,
    start: CardText | Scorecard = "",
    tables: Folder = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreStrategy:
    """Return a strategy that maximises the chance of a final score of at least `goal`.

    Parameters
    ----------
    rules, tables, threads, progress
        As for :func:`perfect_yatzy.open_strategy`.
    goal
        Final score to reach, upper bonus included: from 0 to the highest score of the rules. To
        beat an opponent who has 230 points: 231; if a tie counts a half, :func:`maximise` with
        ``lambda score: (score > 230) + (score == 230) / 2``.
    start
        The earliest card you will ask about. Late in a game the rest of it is solved in memory, in
        less than two seconds. Otherwise the table of all goals is opened, or solved and stored
        (Yatzy: 20 s, 0.9 GB).

    Returns
    -------
    ScoreStrategy
        Its values are chances, computed in float32.

    Raises
    ------
    StateError
        If the goal is not a score of these rules, or no game can reach the start.
    RulesError
        If the machine has too little memory, with an estimate.
    TableError
        If the table is damaged or cannot be written.
    """
    settings = Settings(tables, threads, progress)
    rule_set = load_rules(rules)
    goal = check_goal(goal, rule_set)
    card = read_card(rule_set, start)
    position = check_position(rule_set, card.state)
    exists = has_table(rule_set, settings.tables, Goals.name)
    solve = goals_to_solve(rule_set, position.state, exists, INSTANT_SOLVE_SECONDS)
    # The memory is checked before the means are solved, which takes minutes for a game whose goals
    # do not fit.
    if solve.cost:
        check_memory(rule_set, solve.cost if solve.stored else solve.cost.with_table())
    means = mean_evaluator(settings, rule_set, position.state, solve_whole=solve.stored)
    return goal_strategy(settings, solve, goal, card, means)


def mean_evaluator(
    settings: Settings, rules: RuleSet, start: State, *, solve_whole: bool = False
) -> TurnEvaluator:
    """Return the values of the mean, which break ties.

    They are stored, or solved in memory for the rest of the game.
    """
    whole = Objective(rules)
    if solve_whole or has_table(rules, settings.tables, whole.name):
        return TurnEvaluator(rules, open_table(settings.reporting(None), whole)[1])
    from ..core.backward_induction import solve_objective

    rest = Objective(rules, start)
    return TurnEvaluator(rules, solve_objective(rest, threads=settings.threads), rest.space)


class NoChance(ScoreEvaluator):
    """The chances of a goal that is out of reach from a card on, for which nothing is solved."""

    def __init__(self, objective: Goals, means: TurnEvaluator) -> None:
        super().__init__(objective, np.zeros(0, dtype=np.float32), means)

    def look_up(self, state: Ints, x: Ints) -> Floats:
        """Return no chance, whatever the state."""
        return np.zeros(np.broadcast(state, x).shape)


def most_points(objective: Goals) -> int:
    """Return the most points still possible from the start of an objective on.

    The upper bonus is included.
    """
    start = objective.space.unchecked_index(objective.start)
    # An x is minus the points needed. The lowest one needs all that can be made.
    return -int(objective.score_offsets.low[start])


@dataclass(frozen=True)
class GoalSolve:
    """How the chances of a goal are computed."""

    objective: Goals  # of the whole game, or of the rest of it
    # whether the table is opened from the store, or solved and stored; if not, it is solved in memory
    stored: bool
    cost: SolveCost | None  # what the solve takes, None if the table exists
    out_of_reach: bool = False  # whether the goal cannot be reached, so that nothing is solved


def goals_to_solve(
    rules: RuleSet,
    start: State,
    exists: bool,
    instant_seconds: float,
    fits: Callable[[SolveCost], bool] = lambda cost: True,
) -> GoalSolve:
    """Decide between the table of all goals and the rest of one game. Nothing is solved here.

    The table of all goals is taken if it exists. Otherwise the rest of the game is taken if its solve
    is instant. Otherwise the table of all goals is taken, which serves every later question, unless
    only the rest of the game fits the limits of the caller.
    """
    whole = Goals(rules)
    if exists:
        return GoalSolve(whole, stored=True, cost=None)
    rest = Goals(rules, start)
    cost = solve_cost(rest)
    if cost.seconds < instant_seconds:
        return GoalSolve(rest, stored=False, cost=cost)
    whole_cost = solve_cost(whole)
    if not fits(whole_cost) and fits(cost):
        return GoalSolve(rest, stored=False, cost=cost)
    # The caller refuses it if it does not fit.
    return GoalSolve(whole, stored=True, cost=whole_cost)


def goal_strategy(
    settings: Settings, solve: GoalSolve, goal: int, card: Scorecard, means: TurnEvaluator
) -> ScoreStrategy:
    """Return the strategy for a checked goal from a checked card on.

    What :func:`goals_to_solve` has decided is solved.
    """
    rules = solve.objective.rules
    if not solve.stored:
        evaluator = solve_in_memory(settings, solve.objective, means)
        return ScoreStrategy(rules, None, evaluator, goal, start=card)
    info, values = open_table(settings, solve.objective)
    return ScoreStrategy(
        rules, info, ScoreEvaluator(solve.objective, values, means), goal, start=card
    )


def check_goal(goal: int, rules: RuleSet | None = None) -> int:
    """Return the goal as an int.

    Raises StateError if it is not a score, or with `rules` if none of their games can reach it.
    """
    score = whole_number(goal, "goal")
    if not 0 <= score <= MAX_GOAL:
        raise StateError(f"goal is {shown(score)}; must be a score from 0 to {MAX_GOAL}")
    if rules is not None:
        most = maximum_score(rules)
        if score > most:
            text = _("goal is {goal}; the highest score of {rules} is {most}")
            raise StateError(text.format(goal=score, rules=rules.key, most=most))
    return score


def maximise(
    rules: str | Path | RuleSet,
    utility: Callable[[Ints], npt.ArrayLike] | npt.ArrayLike,
    start: CardText | Scorecard = "",
    tables: Folder = None,
    *,
    threads: int | None = None,
) -> ScoreStrategy:
    """Return a strategy that maximises the expectation of any function of the final score.

    Parameters
    ----------
    rules, threads
        As for :func:`perfect_yatzy.open_strategy`.
    utility
        A function that takes an int64 array `(n,)` of final scores, upper bonus included, and returns
        an array `(n,)` of their utilities. It is called once, with every final score that is still
        possible. Or an array with the utilities of 0, 1, 2 ..., whose last entry holds for all higher
        scores. Utilities are finite and at most 1e20 in size. The arithmetic is float32: it
        distinguishes about six digits, and no utilities below 1e-38. Subtract what all utilities
        have in common.
    start
        The earliest card you will ask about. A whole game of Yatzy has 122 million values (0.5 GB)
        and takes less than 20 s, half a game less than a second.
    tables
        Folder of the tables. The table of means breaks ties. Without it the rest of the game is also
        solved for the mean, in memory.

    Returns
    -------
    ScoreStrategy
        Its values are expected utilities. The table is in memory and is not stored.

    Raises
    ------
    StateError
        If the utilities are not as described, or no game can reach the start.
    RulesError
        If the machine has too little memory, with an estimate.
    """
    settings = Settings(tables, threads)
    rule_set = load_rules(rules)
    card = read_card(rule_set, start)
    check_position(rule_set, card.state)
    cost = solve_cost(ReachableUtility(rule_set, lambda made: made.astype(np.float64), card.state))
    check_memory(rule_set, cost.with_table())  # before the means are solved
    means = mean_evaluator(settings, rule_set, card.state)
    return utility_strategy(settings, utility, card, means)


def utility_strategy(
    settings: Settings,
    utility: Callable[[Ints], npt.ArrayLike] | npt.ArrayLike,
    card: Scorecard,
    means: TurnEvaluator,
    tolerance: float = 0.0,
) -> ScoreStrategy:
    """Return the strategy of :func:`maximise` from a checked card on.

    `means` breaks ties, and `tolerance` is that of interpolation.
    """
    rules = card.rules
    scores = ReachableUtility(rules, lambda made: made.astype(np.float64), card.state)
    most_in_boxes = int(scores.row_lengths().max())
    most = most_in_boxes + upper_sums(rules).most_bonus  # points that can be made after the card
    utilities = _utilities(utility, card.total + np.arange(most + 1))
    # Entries beside the ranges of scores ask for more points than that. There the last utility
    # holds.
    objective = ReachableUtility(
        rules, lambda made: utilities[np.minimum(made, most)], card.state, tolerance
    )
    return ScoreStrategy(
        rules, None, solve_in_memory(settings, objective, means), card.total, start=card
    )


def _utilities(utility: Callable[[Ints], npt.ArrayLike] | npt.ArrayLike, scores: Ints) -> Floats:
    """Return the utility of each final score, checked. The kernels check neither bounds nor values."""
    if callable(utility):
        utilities = _real("utility returned", utility(scores))
        if utilities.shape != scores.shape:
            raise StateError(
                f"utility returned shape {utilities.shape}; must be that of the scores, {scores.shape}"
            )
    else:
        table = _real("utility is", utility)
        if table.ndim != 1 or not len(table):
            must = "must be a function of final scores, or a list of the utilities of 0, 1, 2 ..."
            raise StateError(f"utility is {shown(utility)}; {must}")
        utilities = table[np.minimum(scores, len(table) - 1)]
    is_finite = np.isfinite(utilities)
    if not is_finite.all():
        wrong = int(np.argmin(is_finite))  # the first that is false
        raise StateError(f"the utility of {scores[wrong]} is {utilities[wrong]}; must be finite")
    largest = float(np.abs(utilities).max())
    if largest > MAX_UTILITY:
        raise StateError(
            f"the largest utility is {largest:g} in size; must be at most {MAX_UTILITY:g}"
        )
    return utilities


def _real(label: str, given: object) -> Floats:
    """Return an argument as float64. Raises StateError if it is not an array of real numbers."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.array(None)  # which has no numbers
    if array.dtype.kind not in "biuf":
        raise StateError(f"{label} {shown(given)}; must be an array of real numbers")
    return array.astype(np.float64)


def solve_in_memory(
    settings: Settings, objective: ScoreObjective, means: TurnEvaluator
) -> ScoreEvaluator:
    """Solve an objective without storing its table, with ties broken by `means`.

    Raises RulesError if there is too little memory.
    """
    from ..core.backward_induction import solve_objective

    cost = solve_cost(objective)
    check_memory(objective.rules, cost.with_table())
    log_long(
        f"solving {objective.rules.key} from this card on, in memory",
        cost.seconds,
        settings.progress,
    )
    return ScoreEvaluator(
        objective,
        solve_objective(objective, threads=settings.threads, progress=settings.progress),
        means,
    )
