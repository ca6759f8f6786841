"""The service behind the command and the server.

It answers requests, each of which is checked and planned once.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..approximation.opening import (
    approximate_advice,
    certificate_of,
    open_strategy,
    opens_approximate,
    strategy_in_memory,
)
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..errors import RulesError
from ..game.rule_loader import load_rules
from ..game.translations import localized
from ..objectives.policy_quantities import Variance
from ..settings import Progress, Settings
from ..strategy.action_kinds import CATEGORIES, HOLDS
from ..strategy.actions import Choice, Hold, ranked_entries
from ..strategy.changeover import prepare_if_compiled
from ..strategy.ranked_actions import Turn
from ..strategy.strategy import Strategy
from ..strategy.tie_rules import clipped
from ..strategy.turn_evaluator import ExactEvaluator
from ..tablebase.estimates import SolveCost, rule_set_stats
from ..tablebase.exact_fields import fraction_fields
from ..tablebase.store import can_store, has_table, open_table
from ..words import ENGLISH, _, current_language
from . import answers
from .budget import (
    ConfirmationRequired,
    SolveBudget,
    Work,
    WorkProgress,
    distribution_works,
    mean_work,
)
from .cache import WeightedLRUCache
from .requests import ObjectiveRequest, Request, parse_request
from .resolver import (
    Announce,
    BonusChances,
    ObjectivePlan,
    ObjectiveResolver,
    ResolvedObjective,
    table_bytes,
)

if TYPE_CHECKING:
    from ..policies.computer_players import ComputerPlayer
    from ..policies.named import PolicyContext
    from ..tablebase.exact_solve import ExactSolve

CACHED_BYTES = 2 << 30  # tables that stay in memory between requests
CACHED_ANSWERS = 256
MAX_COSTS = 256  # costs of tables that are remembered
PUZZLE_SECONDS = 0.5  # that it usually takes to find a puzzle


class QueryService:
    """A service that answers requests, which several threads may use.

    Strategies and costly answers are cached.
    """

    def __init__(  # noqa: PLR0913 - the settings of a service
        self,
        tables: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        announce: Announce | None = None,
        language: str = ENGLISH,
        budget: SolveBudget | None = None,
        cached_bytes: int = CACHED_BYTES,
    ) -> None:
        self.settings = Settings(tables, threads)
        self.announce = announce
        self.language = language
        self.budget = replace(budget or SolveBudget.command(), threads=self.settings.threads)
        self.strategies: WeightedLRUCache[Strategy] = WeightedLRUCache(cached_bytes)
        self.answers: WeightedLRUCache[dict[str, Any]] = WeightedLRUCache(CACHED_ANSWERS)
        self.resolver = ObjectiveResolver(self.settings, self.strategies, self.budget, announce)
        self.bonus_chances = BonusChances(self.settings, self.budget)
        self._costs: WeightedLRUCache[SolveCost] = WeightedLRUCache(MAX_COSTS)
        self._rules: WeightedLRUCache[RuleSet] = WeightedLRUCache(inf)

    def close(self) -> None:
        """End what goes on in the background, and close the tables."""
        self.bonus_chances.close()
        self.strategies.clear()

    def rules(self, spec: str) -> RuleSet:
        """Return a rule set by name, which is read at most once."""
        return self._rules.get_or_create(spec, lambda: localized(load_rules(spec), self.language))

    def register(self, rules: RuleSet) -> None:
        """Make a rule set that has no file known under its key."""
        self._rules.put(rules.key, rules)

    def strategy(self, rules: RuleSet, progress: WorkProgress | None = None) -> Strategy:
        """Return the strategy of the mean, which is opened at most once.

        It is solved first if its table is missing.
        """
        return self.strategies.get_or_create(
            _mean_key(rules), lambda: self._opened_or_solved(rules, progress), table_bytes
        )

    def _opened_or_solved(self, rules: RuleSet, progress: WorkProgress | None) -> Strategy:
        """Return the strategy of the mean, which is opened or solved now."""
        report = progress.of("table") if progress else None
        cost = self.check_mean(rules)
        if cost is not None:  # the table is missing
            if not self.budget.is_confirmed(progress):  # then nothing is stored
                self.check_unasked([mean_work(cost)])
                return strategy_in_memory(rules, self.settings.threads)
            if self.budget.confirms:
                self.budget.check_stored(rules, self.resolver.stored_bytes, cost)
                self.resolver.count_stored(cost.bytes)
            if self.announce is not None:
                # It returns the callback for the progress of what it announces.
                report = self.announce(rules, self._announcement(rules, cost))
        # A missing table is solved first, and stored if it can be.
        return open_strategy(
            rules, self.settings.tables, threads=self.settings.threads, progress=report
        )

    def _announcement(self, rules: RuleSet, cost: SolveCost) -> str | None:
        """Return the line that announces the solve of a table, or None if it is short."""
        if not self.budget.announces(cost):
            return None
        line = _("solving {rules}, {cost}; the table will be stored")
        if not can_store(cost.bytes, self.settings.tables):
            line = _("solving {rules}, {cost}, in memory")
        return line.format(rules=rules.key, cost=cost.words(self.settings.threads))

    def prepare(self, spec: str) -> None:
        """Load the compiled code that answers single questions.

        It is loaded if the table of these rules is stored and the code was compiled before. From
        then on questions about all tables use it.
        """
        rules = self.rules(spec)
        if has_table(rules, self.settings.tables):
            prepare_if_compiled(self.strategy(rules).evaluator)

    def known_rules(self, spec: str) -> RuleSet | None:
        """Return a rule set that was read before, by name. It is None if it was not."""
        return self._rules.get(spec)

    def is_prepared(self, rules: RuleSet) -> bool:
        """Return whether plain questions about a turn are answered from memory by compiled code."""
        strategy = self.strategies.get(_mean_key(rules))
        return strategy is not None and strategy.evaluator.questions.compiled is not None

    def check_mean(self, rules: RuleSet) -> SolveCost | None:
        """Return the cost of what :meth:`strategy` has to solve, or None if the table exists.

        Raises RulesError if it is beyond the budget.
        """
        if has_table(rules, self.settings.tables) or opens_approximate(rules, self.settings.tables):
            return None
        with approximate_advice(rules):
            cost = self._costs.get_or_create(rules.fingerprint, lambda: rule_set_stats(rules))
        self.budget.check_mean(rules, cost)
        return cost

    def mean_works(self, rules: RuleSet) -> list[Work]:
        """Return the work for the table of means, which is none if the table exists."""
        cost = self.check_mean(rules) if self.strategies.get(_mean_key(rules)) is None else None
        return [mean_work(cost)] if cost else []

    def check_unasked(self, works: Sequence[Work]) -> None:
        """Raise ConfirmationRequired if some works are more than is done unasked."""
        if self.budget.needs_confirmation(works):
            raise ConfirmationRequired(works)

    def policy_context(self, request: Request, progress: Progress | None = None) -> PolicyContext:
        """Return where the named policy of a request plays."""
        from ..policies.named import PolicyContext

        return PolicyContext(
            self.settings.reporting(progress),
            request.rules,
            request.card,
            request.games or 200,
            request.seed,
        )

    def computer_player(self, rules: RuleSet, kind: str) -> ComputerPlayer:
        """Return a computer player.

        What it needs is solved first, after an announcement if that takes a while.
        """
        from ..policies.computer_players import STYLES, parse_kind
        from ..policies.levels import needs_calibration
        from ..policies.named import computer_player

        player = parse_kind(kind)
        strategy = self.strategy(rules)
        announcement = ""  # says what this player needs beyond perfect play
        if player.style in STYLES:
            cost = rule_set_stats(rules)
            words = cost.words(self.settings.threads)
            if not self.budget.mean.allows(cost):
                text = _(
                    "the {label} computer player solves {rules} in memory, {words}; choose a level"
                )
                raise RulesError(
                    text.format(label=player.label, rules=rules.key, words=words),
                    code="too-large",
                )
            if self.budget.announces(cost):
                text = _("solving {rules} for the {player} computer player, {cost}, in memory")
                announcement = text.format(rules=rules.key, player=player.label, cost=words)
        elif player.level and needs_calibration(rules, player.level):
            text = _("calibrating the computer player of {level} by simulated games of {rules}")
            announcement = text.format(level=player.label, rules=rules.key)
        if announcement and self.announce is not None:
            self.announce(rules, announcement)
        return computer_player(
            strategy, player, self.settings.tables, threads=self.settings.threads
        )

    def parse(self, fields: Mapping[str, Any]) -> Request:
        """Check a request as :func:`perfect_yatzy.service.requests.parse_request`."""
        return parse_request(fields, self.rules)

    def decide(self, request: Request) -> Decision:
        """Return what the answer to a request takes.

        Raises RulesError if its objective is beyond the budget.
        """
        known = self.answers.get((request, current_language())) if _costly(request) else None
        if known is not None:
            answer = answers.with_echo(known, request.echo)
            return Decision(self, request, answer, ObjectivePlan(request))
        return Decision(self, request, None, self.plan(request))

    def answer(
        self, request: Request | Mapping[str, Any], progress: WorkProgress | None = None
    ) -> dict[str, Any]:
        """Answer one request. `progress` is given with confirmed work.

        An impossible position never starts a solve.
        """
        decision = self.decide(request if isinstance(request, Request) else self.parse(request))
        if not self.budget.is_confirmed(progress):
            self.check_unasked(decision.works)
        return decision.run(progress)

    def resolve(self, request: Request, strategy: Strategy) -> ResolvedObjective:
        """Return the strategy for the objective of a request, from its card on."""
        return self.resolver.resolve(self.plan(request), strategy)

    def plan(self, request: Request) -> ObjectivePlan:
        """Return what has to be solved for the objective of a request.

        What is too much is refused before anything is solved.
        """
        exact = self._exact_solve(request) if request.exact else None
        if request.objective and opens_approximate(request.rules, self.settings.tables):
            from ..approximation.approximate_strategy import needs_table

            raise needs_table(request.rules, _("a goal or the chance to win"))
        return replace(self.resolver.plan(request), exact=exact)

    def goal_curve(self, request: Request, scores: Sequence[int]) -> list[float]:
        """Return the chance of each score or more, each under play for just that score.

        Play begins at the card of a request.
        """
        request = replace(request, objective=ObjectiveRequest(scores[0]))
        strategy = self.resolve(request, self.strategy(request.rules)).strategy
        # Its table has the chances of all goals, and `zero` is the goal that it plays for.
        return [clipped(replace(strategy, zero=score).value(request.position)) for score in scores]

    def _exact_solve(self, request: Request) -> ExactSolve:
        """Return the solve in integers from the card of a request on.

        It has the spread if that is asked for and within the same budget. Raises RulesError if the
        solve is beyond the budget.
        """
        from ..tablebase.exact_solve import ExactSolve

        # What takes longer than is done unasked is refused, since it cannot be confirmed.
        limit = self.budget.unasked_limit()
        narrowed = replace(self.budget, objective=limit)
        solve = ExactSolve(request.rules, start=request.state)
        narrowed.check_objective(request.rules, solve.cost())
        if request.include_distribution:
            with_spread = ExactSolve(request.rules, start=request.state, spread=True)
            if limit.allows(with_spread.cost()):
                return with_spread
        return solve


@dataclass
class Decision:
    """What a request takes, and its answer.

    It is made once by :meth:`QueryService.decide` and shared by all callers.
    """

    service: QueryService
    request: Request
    known: dict[str, Any] | None  # the answer, if it is in the cache
    plan: ObjectivePlan  # empty if the answer is known

    @cached_property
    def works(self) -> list[Work]:
        """What has to be computed first, in the order it is done.

        Raises RulesError if it is beyond the budget.
        """
        if self.known is not None:
            return []
        return [
            *self.service.mean_works(self.request.rules),
            *self.plan.works,
            *self.distribution_works,
        ]

    @cached_property
    def distribution_works(self) -> list[Work]:
        """The part of :attr:`works` for the distribution of the final score."""
        if not self.needs_distribution:
            return []
        return distribution_works(
            self.request.rules,
            self.request.state,
            self.service.settings.tables,
            first_turns=self.makes_first_turns,
        )

    @cached_property
    def seconds(self) -> float:
        """Estimate for the answer beyond one turn and the table of means.

        It is 0.0 if all that the answer needs is in the cache.
        """
        if self.known is not None:
            return 0.0
        puzzle = PUZZLE_SECONDS if self.request.query == "puzzle" else 0.0
        return self.plan.seconds + puzzle + sum(work.seconds for work in self.distribution_works)

    def run(self, progress: WorkProgress | None = None) -> dict[str, Any]:
        """Return the answer, with the fields that the request echoes.

        `progress` is given with confirmed work.
        """
        if self.known is not None:
            return self.known
        answer = self.compute(progress)
        # A refused plan is not kept, because the table of goals may be stored later. The key has
        # the language, because the answer has sentences.
        if _costly(self.request) and not self.plan.refused:
            self.service.answers.put((self.request, current_language()), answer)
        return answers.with_echo(answer, self.request.echo)

    def compute(self, progress: WorkProgress | None = None) -> dict[str, Any]:
        """Compute the answer without the cache of answers and without the fields it echoes."""
        service = self.service
        request = self.request
        strategy = service.strategy(request.rules, progress)
        answer = answers.answer_head(request) | answers.approximate_fields(strategy)
        if request.query == "puzzle":
            from ..play.puzzle import find_puzzle
            from .reviews import puzzle_fields

            names = (*answers.HEAD, "approximate")
            head = {name: answer[name] for name in names if name in answer}
            puzzle = find_puzzle(strategy, request.seed, request.difficulty)
            return head | answers.picked(request, "seed", "difficulty") | puzzle_fields(puzzle)
        objective = None
        if request.objective:
            objective = service.resolver.resolve(self.plan, strategy, progress)
            answer["aim"] = objective.fields
        if request.query == "expect":
            return answer | self._expect_fields(strategy, objective, progress)
        if request.query == "outcomes":
            from .reviews import outcome_fields

            return answer | outcome_fields(strategy, request)
        return answer | self._turn_fields(strategy, objective)

    def _expect_fields(
        self, strategy: Strategy, objective: ResolvedObjective | None, progress: WorkProgress | None
    ) -> dict[str, Any]:
        """Return the answer to "expect"."""
        service = self.service
        request = self.request
        rules = request.rules
        card = request.card
        filled = request.state.filled
        remaining = strategy.value(request.position)
        still_open = [
            box.id for number, box in enumerate(rules.categories) if not filled >> number & 1
        ]
        answer: dict[str, Any] = {
            "expected_final_score": card.total + remaining,
            "expected_remaining": remaining,
            "turns_left": len(still_open),
            "open": still_open,
            "upper": card.upper,
        }
        if self.plan.exact:
            answer["exact"] = self._exact_fields(self.plan.exact)
        if rules.columns:
            answer["upper_by_column"] = list(card.column_sums)
        if objective and objective.solved:
            chance = clipped(objective.strategy.value(request.position))
            answer |= answers.best_value_fields([{"chance": chance}], card, objective)
        elif objective:
            answer["chance_note"] = str(self.plan.refused)
        is_exact = certificate_of(strategy) is None
        if is_exact and self.needs_distribution:
            answer |= self._distribution_fields(strategy, objective, progress)
            answers.correct_mean_play(answer)
        elif request.include_distribution:
            answer["distribution"] = None  # it is requested, but not available for these rules
            if is_exact and has_table(rules, service.settings.tables, Variance.name):
                variances = open_table(service.settings, Variance(rules, strategy.table))[1]
                place = strategy.space.unchecked_index(request.state)
                answer["standard_deviation"] = float(np.sqrt(variances[place]))
        if request.games:
            # What no solve and no distribution tells is counted in the simulated games.
            counted = None
            if self.plan.refused and "chance_by_mean_play" not in answer:
                counted = objective
            answer["simulation"] = answers.simulation_fields(
                request, strategy, counted, service.settings.threads
            )
        return answer

    def _exact_fields(self, solve: ExactSolve) -> dict[str, Any]:
        """Return the expected final score as a fraction, and the spread if it was solved."""
        digits = self.request.digits
        mean, *spread = solve.start_values(self.service.settings)
        fields: dict[str, Any] = {**fraction_fields(mean + self.request.card.total, digits)}
        for name, value in zip(("variance", "bonus_chance"), spread, strict=False):
            fields[name] = fraction_fields(value, digits)
        return fields

    def _distribution_fields(
        self, strategy: Strategy, objective: ResolvedObjective | None, progress: WorkProgress | None
    ) -> dict[str, Any]:
        """Return the distribution if it is asked for.

        With an objective, the chance that play for the mean has of it is added.
        """
        from ..strategy.distribution import stored_distribution

        service = self.service
        request = self.request
        fields: dict[str, Any] = {}
        distribution = stored_distribution(
            service.settings.reporting(progress.of("distribution") if progress else None),
            strategy,
            request.position,
            request.card.total,
            first_turns=self.makes_first_turns,
            store=service.budget.is_confirmed(progress),
        )
        if objective:
            chance = objective.chance_by_mean_play(distribution)
            if chance is not None:
                fields["chance_by_mean_play"] = chance
        if request.include_distribution:
            fields["distribution"] = {"policy": "mean"} | answers.distribution_fields(distribution)
        return fields

    def _turn_fields(
        self, strategy: Strategy, objective: ResolvedObjective | None
    ) -> dict[str, Any]:
        """Return the answer to "hold" or "score", from one evaluation of the turn."""
        service = self.service
        request = self.request
        player = objective.strategy if objective else strategy
        evaluator = player.evaluator_at(request.position)
        if self.plan.exact:
            evaluator = ExactEvaluator(self.plan.exact, service.settings.threads)
        turn = Turn(evaluator, request.state, request.dice, request.rolls_left)
        choices = ranked_entries(turn, CATEGORIES)
        options: Sequence[Hold | Choice] = choices
        if request.query == "hold":
            options = ranked_entries(turn, HOLDS)
        answer = answers.turn_fields(request, options, choices, objective)
        if request.explain:
            from .reviews import outlooks

            # The chances of the bonus are known only for play for the mean.
            bonus = None if objective else service.bonus_chances.of(strategy)
            actions = options
            name = "categories"
            if request.query == "hold":
                # To hold all dice is to score in the best category.
                actions = [choices[0] if hold.category else hold for hold in options]
                name = "holds"
            # Only the first entries have an outlook.
            explained = outlooks(request, evaluator, actions, bonus)
            for entry, outlook in zip(answer[name], explained, strict=False):
                entry["outlook"] = outlook
        return answer

    @property
    def makes_first_turns(self) -> bool:
        """Whether the distributions after every first turn are computed and stored, too."""
        return self.request.state == EMPTY_STATE and self.service.budget.makes_first_turns(
            self.request.rules
        )

    @property
    def needs_distribution(self) -> bool:
        """Whether the answer has a distribution that can be computed."""
        request = self.request
        if request.query != "expect" or not (request.include_distribution or request.objective):
            return False
        from ..strategy.distribution import shows_distribution

        return shows_distribution(request.rules, request.state, self.service.settings.tables)


def _mean_key(rules: RuleSet) -> Hashable:
    return "mean", rules.fingerprint


def _costly(request: Request) -> bool:
    """Return whether an answer can take more than one turn in NumPy."""
    return request.objective is not None or request.exact or request.query in ("expect", "puzzle")
