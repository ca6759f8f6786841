"""From the objective of a request to a strategy for it.

A goal has a strategy from the table of all goals or from a solve of the rest of the game. Opponents
have one from a solve of the rest of the game with the win chance as utility. Every solve stays
within the budget. Where a goal is beyond it, the answer to `expect` has only the chance under play
for the mean.

The chance of the upper bonus, for the field ``outlook`` of answers, comes from its table. Without
one it is computed if that takes about a second. The command computes it at once and stores it, and
a server computes it in the background.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..approximation.opening import certificate_of
from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..core.table_file import ALWAYS_HASHED
from ..errors import Cancelled, RulesError, StateError, error_context
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import BonusChance, Policy
from ..objectives.scores import Goals
from ..settings import Progress, Settings
from ..strategy.strategy import Strategy
from ..strategy.tie_rules import TIE_RULES, clipped
from ..strategy.turn_evaluator import GreedyPolicy, TurnEvaluator
from ..tablebase.estimates import SolveCost, check_memory, solve_cost
from ..tablebase.store import can_store, has_table, open_table
from ..words import _
from .budget import SolveBudget, Work, WorkProgress, distribution_works, utility_cost
from .cache import WeightedLRUCache
from .requests import ObjectiveRequest, Request

if TYPE_CHECKING:
    from ..field.description import Field
    from ..field.prizes import FieldUtility
    from ..play.review import ChanceOfState
    from ..strategy.score_distribution import (
        DiscreteDistribution,
        Opponent,
        ScoreDistribution,
        WinUtility,
    )
    from ..strategy.score_strategy import GoalSolve, ScoreStrategy
    from ..tablebase.exact_solve import ExactSolve
    from ..two_players.two_player_table import TwoPlayerTable
    from ..two_players.two_players import TwoPlayerGame

MAX_OPPONENT_DISTRIBUTIONS = 256
MAX_BYTES = 256 << 20  # bytes of the chances that stay in memory
MEAN_PLAY = ("perfect", "mean")  # names of the policy whose distribution is stored
# They are answered with chances only, and the other queries play games.
GOAL_QUERIES = ("hold", "score", "expect")
MAX_WAITING = 4  # rule sets whose chances are computed or wait for it
Announce = Callable[[RuleSet, str | None], Progress]


class BonusChances:
    """Chances of the upper bonus by rule set. Several threads may use it."""

    def __init__(self, settings: Settings, budget: SolveBudget) -> None:
        self.settings = settings
        self.budget = budget
        # by fingerprint of the rules; the values of an evaluator are the chances
        self._evaluators: WeightedLRUCache[TurnEvaluator] = WeightedLRUCache(MAX_BYTES)
        self._threads: dict[str, Thread] = {}  # by fingerprint of the rules, while they run
        self._lock = Lock()
        self._computing = Lock()
        self._closed = Event()

    def of(self, strategy: Strategy) -> ChanceOfState | None:
        """Return the chances for an exact strategy of the mean.

        Return None without a bonus, or if they are not known in time.
        """
        rules = strategy.rules
        key = rules.fingerprint
        if not rules.bonus or certificate_of(strategy):
            return None
        known = self._evaluators.get(key)
        if known is not None:
            return known.value
        chances = BonusChance(rules, strategy.table)
        if not has_table(rules, self.settings.tables, chances.name):
            if self.budget.announces(solve_cost(chances)):
                return None
            if self.budget.confirms:
                self._compute_later(key, chances)
                return None

        def create() -> TurnEvaluator:
            return TurnEvaluator(rules, open_table(self.settings, chances)[1])

        return self._evaluators.get_or_create(key, create).value

    def _compute_later(self, key: str, chances: BonusChance) -> None:
        """Begin to compute chances in the background.

        Nothing begins if that goes on already, or if too many wait.
        """
        with self._lock:
            goes_on = key in self._threads
            if goes_on or self._closed.is_set() or len(self._threads) >= MAX_WAITING:
                return
            self._threads[key] = Thread(target=self._compute, args=(key, chances), daemon=True)
            self._threads[key].start()

    def wait(self) -> None:
        """Wait until everything that was begun in the background is known."""
        for thread in list(self._threads.values()):
            thread.join()

    def close(self) -> None:
        """End what is computed in the background, begin no more, and close the tables."""
        with self._lock:
            self._closed.set()
        self.wait()
        self._evaluators.clear()

    def _go_on(self, _done: int = 0, _total: int = 0) -> None:
        """Raise Cancelled after :meth:`close`."""
        if self._closed.is_set():
            raise Cancelled

    def _compute(self, key: str, chances: BonusChance) -> None:
        """Compute chances and keep them, in a thread of their own."""
        from ..core.backward_induction import solve_objective

        try:
            # One is computed at a time, on one processor, because nobody waits for it.
            with self._computing:
                self._go_on()
                values = solve_objective(chances, threads=1, progress=self._go_on)
            evaluator = TurnEvaluator(chances.rules, values)
            self._evaluators.put(key, evaluator, evaluator.values.nbytes)
        except Cancelled:
            pass
        finally:
            with self._lock:
                del self._threads[key]


@dataclass(frozen=True)
class ResolvedObjective:
    """What is maximised instead of the mean."""

    # the strategy, whose values are chances, or None if its solve is beyond the budget
    solved: ScoreStrategy | None
    # a function of final scores (int64 array) that returns their utilities (float64), from 0 to 1
    utility: Callable[[Ints], Floats]
    # the field ``aim`` of the answer: the goal, or the opponents, what a tie counts, and whether
    # chances are lower bounds
    fields: dict[str, Any]
    # the chance of play for the mean, if it does not follow from a distribution
    mean_play: Callable[[], float | None] | None = None

    @property
    def strategy(self) -> ScoreStrategy:
        """The strategy of a question that is not answered without it."""
        assert self.solved
        return self.solved

    def chance_by_mean_play(self, distribution: ScoreDistribution) -> float | None:
        """Return the chance of play for the mean. `distribution` is that of its final score.

        Return None if it takes a long solve.
        """
        if self.mean_play:
            return self.mean_play()
        return clipped(float(self.utility(distribution.scores) @ distribution.chances))

    def certain(self, lowest: int) -> bool:
        """Return whether `lowest`, a lower bound of the final score, is sufficient already."""
        return float(self.utility(np.array([lowest]))[0]) == 1.0


@dataclass(frozen=True)
class ObjectivePlan:
    """What has to be solved for the objective of a request, and what that costs.

    Nothing is solved yet.
    """

    request: Request
    seconds: float = 0.0  # estimate, 0.0 if everything is in the cache
    works: tuple[Work, ...] = ()  # in the order they are done
    goals: GoalSolve | None = None  # for a goal that is not in the cache
    cost: SolveCost | None = None  # of the solve, if there is one
    exact: ExactSolve | None = None  # in integers, of a request for fractions
    two_players: TwoPlayerTable | None = None  # the stored game, if it has the answer
    # why no goal is solved, in which case the answer has the chance of play for the mean
    refused: RulesError | None = None

    def with_solve(self, cost: SolveCost, stored: bool = False) -> ObjectivePlan:
        """Return the plan with one more solve, whose table is stored or stays in memory."""
        works = (*self.works, _solve_work(cost, stored))
        return replace(self, seconds=self.seconds + cost.seconds, works=works, cost=cost)


class ObjectiveResolver:
    """A maker of strategies for objectives, which several threads may use."""

    def __init__(
        self,
        settings: Settings,
        strategies: WeightedLRUCache[Strategy],
        budget: SolveBudget,
        announce: Announce | None,
    ) -> None:
        self.settings = settings
        self.strategies = strategies
        self.budget = budget
        self.announce = announce
        self.distributions: WeightedLRUCache[Opponent] = WeightedLRUCache(
            MAX_OPPONENT_DISTRIBUTIONS
        )
        # bytes of the tables of goals that requests have added to the store
        self.stored_bytes = 0
        self.lock = Lock()

    def plan(self, request: Request) -> ObjectivePlan:
        """Return what has to be solved for the objective of a request.

        Raises RulesError or StateError if that is refused.
        """
        rules = request.rules
        objective = request.objective
        if objective is None:
            return ObjectivePlan(request)
        count = len(objective.opponents)
        most = self.budget.opponents
        if count > most:
            text = _("{count} opponents; there can be at most {most}", count=count, most=most)
            raise StateError(text, field="opponents")
        if objective.two_sided:
            return self._plan_two_players(request)
        plan = ObjectivePlan(request)
        seconds = self._opponents_seconds(rules, objective)
        if seconds > 0:
            work = Work("opponents", seconds, memory=0, disk=0, unasked_seconds=seconds)
            plan = ObjectivePlan(request, seconds, (work,))
        if self._cached(request):
            return plan
        if objective.score is not None:
            return self._plan_goal(plan, objective.score)
        cost = utility_cost(rules, request.state)
        self.budget.check_objective(rules, cost)
        check_memory(rules, cost.with_table())
        return plan.with_solve(cost)

    def _plan_goal(self, plan: ObjectivePlan, goal: int) -> ObjectivePlan:
        """Return a plan with what has to be solved for the chance of a final score."""
        request = plan.request
        goals = self._goal_solve(request)
        if goals.cost and request.query in GOAL_QUERIES and _is_out_of_reach(request.card, goal):
            from ..strategy.score_strategy import GoalSolve

            hopeless = GoalSolve(goals.objective, stored=False, cost=None, out_of_reach=True)
            return replace(plan, goals=hopeless)
        try:
            self._check_goals(goals)
        except RulesError as error:
            if _shows_mean_play(request, self.settings.tables):
                return replace(plan, refused=error)
            advice = _(
                "`yatzy expect --games 100000` shows the chance under play for the expected score"
            )
            raise RulesError(f"{error}; {advice}", code=error.code) from error
        plan = replace(plan, goals=goals)
        if goals.cost:
            return plan.with_solve(goals.cost, goals.stored)
        # To open a table takes time, too, because its checksum is verified.
        return replace(plan, seconds=plan.seconds + self.budget.instant_seconds)

    def _opponents_seconds(self, rules: RuleSet, objective: ObjectiveRequest) -> float:
        """Estimate for the distributions of opponents who still play, or whom one cannot see."""
        from ..strategy.distribution import shows_distribution

        policy = ""  # of opponents whom one can see: play for the mean
        cards = [other for other in objective.opponents if isinstance(other, Scorecard)]
        for card in cards:
            self.budget.check_objective(rules, utility_cost(rules, card.state))
        if objective.blind and objective.blind.law is None:
            policy = objective.blind.policy
            cards = [Scorecard(rules)]  # their empty card
            if not shows_distribution(rules, EMPTY_STATE, self.settings.tables):
                text = _("no exact distribution for {rules}", rules=rules.key)
                raise StateError(text, field="field")
        seconds = 0.0
        for card in cards:
            if not self.distributions.get(_opponent_key(rules, card, policy)):
                works = distribution_works(rules, card.state, self.settings.tables)
                seconds += sum(work.seconds for work in works)
        return seconds

    def _plan_two_players(self, request: Request) -> ObjectivePlan:
        """Return what has to be solved against an opponent who plays to win, too."""
        from ..two_players.two_player_table import stored_game

        game = self._two_player_game(request)
        stored = stored_game(game, self.settings.tables)
        plan = ObjectivePlan(request, two_players=stored)
        if stored or self._cached(request):
            return plan
        cost = game.cost()
        self.budget.check_objective(request.rules, cost)
        check_memory(request.rules, cost)
        return plan.with_solve(cost)

    def resolve(
        self, plan: ObjectivePlan, strategy: Strategy, progress: WorkProgress | None = None
    ) -> ResolvedObjective:
        """Return the strategy for the objective of a planned request, from its card on."""
        objective = plan.request.objective
        assert objective
        if objective.goal is not None:
            return self._resolve_goal(plan, objective.goal, strategy, progress)
        if objective.two_sided:
            return self._against(plan, strategy, progress)
        winning, fields = self._opponents(strategy, objective, progress)
        if objective.score is not None:  # to win against these opponents is to reach a score
            solved = self._reach(plan, objective.score, strategy, progress)
        else:
            solved = self._win(plan, winning, strategy, progress)
        return ResolvedObjective(solved, winning, fields)

    def _resolve_goal(
        self, plan: ObjectivePlan, goal: int, strategy: Strategy, progress: WorkProgress | None
    ) -> ResolvedObjective:
        """Return the strategy for a goal that the request names."""

        def utility(scores: Ints) -> Floats:
            return (scores >= goal).astype(np.float64)

        solved = self._reach(plan, goal, strategy, progress)
        return ResolvedObjective(solved, utility, {"goal": goal})

    def _win(
        self,
        plan: ObjectivePlan,
        winning: FieldUtility | WinUtility,
        strategy: Strategy,
        progress: WorkProgress | None,
    ) -> ScoreStrategy:
        """Return the strategy for the chance to win, from a solve of the rest of the game."""
        from ..strategy.score_strategy import utility_strategy

        card = plan.request.card

        def solve(report: Progress | None) -> Strategy:
            settings = self.settings.reporting(report)
            return utility_strategy(settings, winning, card, strategy.evaluator, winning.tolerance)

        return self._solved(plan, progress, solve)

    def _opponents(
        self, strategy: Strategy, objective: ObjectiveRequest, progress: WorkProgress | None
    ) -> tuple[FieldUtility | WinUtility, dict[str, Any]]:
        """Return the utility of a final score against the opponents of an objective.

        The field ``aim`` of the answer is returned as well.
        """
        from ..strategy.score_distribution import WinUtility

        if objective.blind:
            return self._field(strategy, objective.blind, progress)
        others = [self._opponent(strategy, other, progress) for other in objective.opponents]
        fields = {
            "opponents": [{"playing": other.playing} | _figures(other) for other in others],
            "ties": objective.ties,
            # A player who sees how the others score, and plans each turn again, wins at least so
            # often.
            "lower_bound": any(other.playing for other in others),
        }
        return WinUtility(others, objective.ties), fields

    def _field(
        self, strategy: Strategy, blind: Field, progress: WorkProgress | None
    ) -> tuple[FieldUtility, dict[str, Any]]:
        """Return the utility of a final score in a field, and the field ``aim`` of the answer."""
        from ..field.prizes import FieldUtility

        opponent = blind.given_law() or self._opponent(
            strategy, Scorecard(strategy.rules), progress, blind.policy
        )
        fields = {"field": blind.opponents, "policy": blind.policy, "places": blind.places}
        fields |= _figures(opponent) | {"lower_bound": False}
        return FieldUtility(opponent, blind.opponents, [1.0] * blind.places), fields

    def _solved(
        self,
        plan: ObjectivePlan,
        progress: WorkProgress | None,
        solve: Callable[[Progress | None], Strategy],
    ) -> ScoreStrategy:
        """Return the strategy for the rest of the game that `solve` makes.

        It is made once for equal requests.
        """
        key = _utility_key(plan.request)
        strategy = self.strategies.get_or_create(
            key, lambda: solve(self._announce(plan, progress)), table_bytes
        )
        return cast("ScoreStrategy", strategy)

    def _two_player_game(self, request: Request, policy: Policy | None = None) -> TwoPlayerGame:
        """Return the rest of the game of two players.

        It begins at the card of a request, from which `policy` plays, and at the card of the
        opponent. Without a policy both players play to win.
        """
        from ..two_players.two_players import TwoPlayerGame

        card = request.card
        objective = request.objective
        assert objective
        other = _opponent_card(objective)
        with error_context("versus"):
            return TwoPlayerGame(
                request.rules,
                starts=(card.state, other.state),
                lead=card.total - other.total,
                tie=TIE_RULES[objective.ties].share,
                policies=(policy, None),
            )

    def _against(
        self, plan: ObjectivePlan, strategy: Strategy, progress: WorkProgress | None
    ) -> ResolvedObjective:
        """Return the strategy against an opponent who plays to win, too."""
        from ..strategy.score_distribution import WinUtility, card_text, finished
        from ..two_players.two_player_table import versus_strategy

        request = plan.request
        stored = plan.two_players
        assert request.objective
        ties = request.objective.ties
        other = _opponent_card(request.objective)
        game = self._two_player_game(request)

        def solve(report: Progress | None) -> Strategy:
            settings = self.settings.reporting(report)
            cards = (request.card, other)
            return versus_strategy(settings, game, cards, strategy.evaluator, stored)

        def mean_play() -> float | None:
            # The solve would be the only one, and it would take long.
            if stored and self.budget.announces(game.cost()):
                return None
            mean = GreedyPolicy(request.rules, strategy.table, request.state, strategy.space)
            return self._two_player_game(request, mean).chance(self.settings)

        opponent = game.players[1]
        most_to_come = opponent.extremes(opponent.turns).to_come
        # Since `mean_play` is given, this utility only tells what is certain, which is a win
        # against the most that the opponent can reach.
        utility = WinUtility([finished(other.total + most_to_come)], ties)
        fields = {"versus": card_text(other), "ties": ties, "lower_bound": False}
        return ResolvedObjective(self._solved(plan, progress, solve), utility, fields, mean_play)

    def _cached(self, request: Request) -> bool:
        """Return whether the strategy for the objective of a request is in the cache."""
        if request.objective and request.objective.score is None:
            return self.strategies.get(_utility_key(request)) is not None
        return any(self.strategies.get(key) for key in _goal_keys(request))

    def _goal_solve(self, request: Request) -> GoalSolve:
        """Return the solve that a goal of a request needs, which is not checked yet."""
        from ..strategy.score_strategy import goals_to_solve

        exists = has_table(request.rules, self.settings.tables, Goals.name)
        budget = self.budget
        return goals_to_solve(
            request.rules, request.state, exists, budget.instant_seconds, budget.objective.allows
        )

    def _check_goals(self, solve: GoalSolve) -> None:
        """Raise RulesError if a solve for a goal is beyond the budget or the memory."""
        rules = solve.objective.rules
        budget = self.budget
        if solve.cost and solve.stored:
            check_memory(rules, solve.cost)
            budget.check_objective(rules, solve.cost, whole_game=True)
            budget.check_stored(rules, self.stored_bytes, solve.cost, " --what goals")
        elif solve.cost:
            check_memory(rules, solve.cost.with_table())
            budget.check_objective(rules, solve.cost)

    def _reach(
        self, plan: ObjectivePlan, goal: int, strategy: Strategy, progress: WorkProgress | None
    ) -> ScoreStrategy | None:
        """Return the strategy for the chance of a final score, or None if its solve is refused."""
        from ..strategy.score_strategy import NoChance, ScoreStrategy, goal_strategy

        if plan.refused:
            return None
        request = plan.request
        if plan.goals and plan.goals.out_of_reach:
            evaluator = NoChance(plan.goals.objective, strategy.evaluator)
            return ScoreStrategy(request.rules, None, evaluator, goal, start=request.card)
        whole_game, rest_of_game = _goal_keys(request)
        strategy_of_goals = self.strategies.get(whole_game) or self.strategies.get(rest_of_game)
        if strategy_of_goals is None:
            solve = plan.goals
            if solve is None:  # the strategy has left the cache since it was planned
                solve = self._goal_solve(request)
                self._check_goals(solve)

            def create() -> Strategy:
                settings = self.settings.reporting(self._announce(plan, progress))
                solved = goal_strategy(settings, solve, goal, request.card, strategy.evaluator)
                if solve.stored and solve.cost:
                    self.count_stored(solved.table.nbytes)
                return solved

            key = whole_game if solve.stored else rest_of_game
            strategy_of_goals = self.strategies.get_or_create(key, create, table_bytes)
        return replace(cast("ScoreStrategy", strategy_of_goals), zero=goal, start=request.card)

    def count_stored(self, size: int) -> None:
        """Count the bytes of a table that a request has added to the store."""
        with self.lock:
            self.stored_bytes += size

    def _announce(self, plan: ObjectivePlan, progress: WorkProgress | None) -> Progress | None:
        """Announce a solve that takes a while, and return the callback for its progress."""
        rules = plan.request.rules
        if progress:
            return progress.of("goals" if plan.goals and plan.goals.stored else "objective")
        if self.announce is None or plan.cost is None or not self.budget.announces(plan.cost):
            return None
        if plan.goals and plan.goals.stored:
            line = _("solving all goals of {rules}, {cost}; the table will be stored")
            if not can_store(plan.cost.bytes, self.settings.tables):
                line = _("solving all goals of {rules}, {cost}, in memory")
        else:
            line = _("solving {rules} from this card on, {cost}, in memory")
        return self.announce(
            rules, line.format(rules=rules.key, cost=plan.cost.words(self.settings.threads))
        )

    def _opponent(
        self,
        strategy: Strategy,
        score_or_card: int | Scorecard,
        progress: WorkProgress | None,
        policy: str = "",
    ) -> Opponent:
        """Return the distribution of the final score of an opponent.

        The opponent has finished with a score, or goes on from a card and plays for the mean. From
        the empty card on it may follow a policy.
        """
        from ..strategy.distribution import opponent
        from ..strategy.score_distribution import finished

        if isinstance(score_or_card, int):
            return finished(score_or_card)
        card = score_or_card
        if progress:
            progress.of("opponents")  # reports that this work begins, which has no steps
        if policy in ("", *MEAN_PLAY):
            is_stored = self.budget.is_confirmed(progress)
            make = partial(opponent, self.settings, strategy, card, store=is_stored)
        else:
            make = partial(self._policy_scores, card.rules, policy)
        key = _opponent_key(strategy.rules, card, policy)
        return self.distributions.get_or_create(key, make)

    def _policy_scores(self, rules: RuleSet, policy: str) -> Opponent:
        """Return the distribution of the final score of a policy by its name."""
        from ..policies.named import score_law
        from ..strategy.score_distribution import Opponent

        law = score_law(policy, self.settings, rules)
        return Opponent(law.scores, law.chances, True)


def _shows_mean_play(request: Request, tables: str | os.PathLike[str] | None) -> bool:
    """Return whether the answer can have the chance under play for the mean.

    That needs its distribution or simulated games.
    """
    from ..strategy.distribution import shows_distribution

    if request.query != "expect":
        return False
    return bool(request.games) or shows_distribution(request.rules, request.state, tables)


def _is_out_of_reach(card: Scorecard, goal: int) -> bool:
    """Return whether it is certain that no game from a card on reaches `goal`."""
    from ..strategy.score_strategy import most_points

    if card.state == EMPTY_STATE:
        # The goal is at most the highest score of the rules.
        return False
    rest = Goals(card.rules, card.state)
    return goal > card.total + most_points(rest)


def _opponent_card(objective: ObjectiveRequest) -> Scorecard:
    """Return the card of the opponent, the only one, who plays to win, too."""
    card = objective.opponents[0]
    assert isinstance(card, Scorecard)
    return card


def _solve_work(cost: SolveCost, stored: bool) -> Work:
    """Return the work of a solve for an objective.

    The table of all goals is stored, which is never done unasked. Others stay in memory.
    """
    if stored:
        return Work("goals", cost.seconds, cost.memory, cost.bytes, unasked_seconds=inf)
    return Work(
        "objective", cost.seconds, cost.with_table().memory, disk=0, unasked_seconds=cost.seconds
    )


def table_bytes(strategy: Strategy) -> int:
    """Return the weight of a strategy in a cache.

    That is the bytes of its table, or those that questions read of a large stored one.
    """
    if certificate_of(strategy):
        return 1
    size = int(strategy.table.nbytes)
    return min(size, ALWAYS_HASHED) if strategy.info else size


def _goal_keys(request: Request) -> tuple[Hashable, Hashable]:
    """Return the keys of the table of all goals, and of the rest of the game."""
    fingerprint = request.rules.fingerprint
    return ("goals", fingerprint), ("goals", fingerprint, request.state)


def _utility_key(request: Request) -> Hashable:
    """Return the key of the strategy for the chance to win."""
    assert request.objective
    return (
        "utility",
        request.rules.fingerprint,
        request.objective.key,
        request.position.state,
        request.position.points,
    )


def _opponent_key(rules: RuleSet, card: Scorecard, policy: str = "") -> Hashable:
    """Return the key of an opponent's distribution. The empty policy is play for the mean, too."""
    return rules.fingerprint, card.state, card.total, "" if policy in MEAN_PLAY else policy


def _figures(opponent: DiscreteDistribution) -> dict[str, Any]:
    """Return the mean and the standard deviation of an opponent's final score."""
    return {"mean": opponent.mean, "standard_deviation": opponent.standard_deviation}
