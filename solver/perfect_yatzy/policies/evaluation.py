"""How good a policy is, exactly: its mean, spread and distribution, and where it loses against perfect play.

A backward pass gives mean and variance of every state, for all rule sets
(:class:`perfect_yatzy.model.objectives.PolicyMean`); a forward pass the distribution, the results of the categories
and the losses, for rules without saved rolls whose states and scores fit into memory
(:mod:`perfect_yatzy.strategy.forward_pass`). The losses add up to what the policy gives away.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import overload

import numpy as np

from ..game.dice import Floats
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE
from ..kernels.table_slices import restricted
from ..model.estimates import LOGGED_SECONDS, log_long
from ..model.objectives import BonusChance, Objective, PolicyMean, Variance
from ..model.policies import Policy
from ..strategy.distribution import check_distribution_memory, distribution, has_distribution
from ..strategy.opening import open_strategy
from ..strategy.played_games import Actor, Player
from ..strategy.score_distribution import CategoryResult, ScoreDistribution, score_places
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import GreedyPolicy, ScoreEvaluator
from ..tablebase.backward_induction import default_threads, solve_objective
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress, open_table
from .player import exact_policy, player_of
from .sampling import Losses, SampledEvaluation, sample
from .user_code import policy_of


@dataclass(frozen=True, repr=False)
class Evaluation:
    """An exact evaluation of a policy. Returned by :func:`evaluate`.

    Attributes
    ----------
    rules : RuleSet
    mean : float
        Mean of the final score, in points; those on the card at the start are included.
    standard_deviation : float
        Standard deviation of the final score, in points.
    upper_bonus_chance : float
        Probability of the upper bonus, 0 if the rules have none.
    perfect_mean : float
        Mean under perfect play.
    distribution : ScoreDistribution or None
        Distribution of the final score; None for rules that save rolls or are too large for it.
    losses : Losses or None
        Where the difference to perfect play arises; None without a distribution, and for a goal or a utility.
    """

    rules: RuleSet
    mean: float
    standard_deviation: float
    upper_bonus_chance: float
    perfect_mean: float
    distribution: ScoreDistribution | None = None
    losses: Losses | None = None

    def __repr__(self) -> str:
        return f"<Evaluation {self.rules.key}: mean {self.mean:.4f}, {self.loss:z.4f} points less than perfect play>"

    @property
    def loss(self) -> float:
        """Points a game the policy gives away against perfect play."""
        return self.perfect_mean - self.mean

    @property
    def categories(self) -> tuple[CategoryResult, ...]:
        """Results of the categories that are open at the start; empty without a distribution."""
        return self.distribution.categories if self.distribution else ()


def _logged(what: str, progress: Progress | None) -> Progress:
    """The progress of a caller; without one, a report that logs once that the work takes long, and how long."""
    began, said = time.monotonic(), False

    def report(done: int, number: int) -> None:
        nonlocal said
        spent = time.monotonic() - began
        if not said and done * 100 > number and spent > LOGGED_SECONDS / 2:  # less of the work says little
            said = True
            log_long(what, spent * number / done)

    return progress or report


def policy_values(policy: Policy, *, threads: int | None = None) -> Floats:
    """The value of every state under a policy: the backward pass alone, about a second for Yatzy."""
    objective = PolicyMean(policy)
    check_memory(policy.rules, objective.solve_cost())
    return np.asarray(solve_objective(objective, threads=threads))


def policy_mean(policy: Policy, *, threads: int | None = None) -> float:
    """The mean of the points to come under a policy, from its start on; as :func:`policy_values`."""
    return float(policy_values(policy, threads=threads)[-1])


@overload
def evaluate(  # type: ignore[overload-overlap]  # a strategy has `act`, too, and is evaluated exactly
    policy: Policy | Strategy,
    rules: str | RuleSet | None = None,
    *,
    points: int | None = None,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Evaluation: ...


@overload
def evaluate(
    policy: Player | Actor,
    rules: str | RuleSet | None = None,
    *,
    games: int = 200,
    seed: int = 1,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SampledEvaluation: ...


def evaluate(
    policy: Policy | Strategy | Player | Actor,
    rules: str | RuleSet | None = None,
    *,
    games: int = 200,
    seed: int = 1,
    points: int | None = None,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Evaluation | SampledEvaluation:
    """Evaluate a policy: exactly where its actions can be listed, else by sampled games with the luck removed.

    An exact evaluation has the mean, the standard deviation, the distribution, and where points are lost.

    Parameters
    ----------
    policy
        A function that takes a :class:`perfect_yatzy.TurnPosition` and returns the dice to hold or the name of a
        category (all dice: it stops), or an object whose method ``act`` is such a function: sampled. Or exactly:
        A :class:`perfect_yatzy.ValueFunction`, a :class:`perfect_yatzy.FunctionPolicy` or a function of ``turn``, a
        :class:`perfect_yatzy.BatchPolicy` or a function of ``observations``, any other policy of this package; the
        strategy of :func:`perfect_yatzy.open_strategy` (perfect play); or one for a goal or a utility.
    rules
        The game of a function or an object; a policy of this package has its own. Default: ``"yatzy"``.
    games, seed
        Number of sampled games, and the seed of their dice.
    points
        Points on the card at the start of an exact evaluation. Default: 0; for a strategy those on its card.
    tables
        Folder of the tables; perfect play is opened or solved there.
    threads
        Number of threads; default: one per processor. The result does not depend on it.
    progress
        Called during a solve of perfect play, and during the evaluation.

    Returns
    -------
    Evaluation or SampledEvaluation
        The first is exact up to float64 rounding, the second has a ``standard_error``. The chance that one policy
        wins against another is ``evaluate(one).distribution.chance_against(evaluate(other).distribution)``.

    Raises
    ------
    StateError
        If `policy` is not a policy, or is for another game than `rules`.
    RulesError
        If the machine has too little memory; for a goal or a utility also if the rules save rolls.
    TableError
        If the table of perfect play is damaged or cannot be written.
    """
    policy = policy_of(policy, rules)
    listed = exact_policy(policy)
    if listed is None:
        player = player_of(policy)
        strategy = open_strategy(load_rules(rules or "yatzy"), tables, threads=threads, progress=progress)
        return sample(player, strategy, games, seed, threads=threads)
    policy = listed
    if isinstance(policy, Strategy):
        start = policy.check(policy.start)
        if isinstance(policy.evaluator, ScoreEvaluator):
            found = distribution(policy, start, points=points, threads=threads, progress=progress)
            perfect_mean = (start.points if points is None else points) + policy.evaluator.means.value(start.state)
            return _evaluation(policy.rules, perfect_mean, found)
        points = start.points if points is None else points
        policy = GreedyPolicy(policy.rules, policy.table, start.state, policy.space)
    rules, threads, before = policy.rules, threads or default_threads(), points or 0
    whole = Objective(rules)
    table = open_table(whole, tables, threads=threads, progress=progress)[1]
    rest = Objective(rules, policy.start)
    perfect = table if policy.start == EMPTY_STATE else restricted(whole.space, rest.space, table)
    perfect_mean = before + float(perfect[rest.size - 1 : rest.size][0])
    if has_distribution(rules):
        from ..strategy.forward_pass import ForwardPass

        # Other policies than perfect play may reach most of what the cards could hold.
        check_distribution_memory(rules, score_places(rules, policy.start).solve_cost().doubled())
        report = _logged(f"the evaluation of {rules.key}", progress)
        found, losses = ForwardPass(policy, threads, perfect, report).run(before)
        rerolls = rules.rolls_per_turn - 1
        return _evaluation(rules, perfect_mean, found, Losses(losses[:, :rerolls], losses[:, rerolls:]))
    values = policy_values(policy, threads=threads)
    variance = solve_objective(Variance(rules, values, policy.start, policy), threads=threads)[-1]
    chance = solve_objective(BonusChance(rules, values, policy.start, policy), threads=threads)[-1]
    return Evaluation(rules, before + float(values[-1]), float(np.sqrt(variance)), float(chance), perfect_mean)


def _evaluation(
    rules: RuleSet, perfect_mean: float, found: ScoreDistribution, losses: Losses | None = None
) -> Evaluation:
    """The evaluation of a policy from the distribution of its scores."""
    bonus = found.upper_bonus_chance
    return Evaluation(rules, found.mean, found.standard_deviation, bonus, perfect_mean, found, losses)
