"""Evaluate a policy, exactly or from sampled games: its mean, spread and distribution, and losses.

README.md describes the passes of an exact evaluation. A player who acts in one position at a time is
estimated from sampled games: score = V(start) + luck - losses, and the mean of the luck is 0. So
V(start) - (mean losses) is an unbiased estimate of the mean score, and a far narrower one than the
mean of the scores: most of their spread is luck.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from ..approximation.opening import open_strategy
from ..core.backward_induction import solve_objective
from ..core.dice import Floats, Ints
from ..core.objectives import Objective
from ..core.rules import RuleSet
from ..errors import StateError, positive_number
from ..game.legal_actions import hold_count, start_turn
from ..game.notation import CardText
from ..game.random_dice import Games
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import BonusChance, Policy, PolicyMean, Variance
from ..settings import Folder, Progress, Settings
from ..strategy.distribution import check_distribution_memory, distribution, has_distribution
from ..strategy.played_games import Actor, Player, play_games
from ..strategy.score_distribution import CategoryResult, ScoreDistribution, score_places
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import GreedyPolicy, ScoreEvaluator
from ..tablebase.estimates import LOGGED_SECONDS, check_memory, log_long, solve_cost
from ..tablebase.store import open_table
from .policy import exact_policy, player_of
from .user_code import policy_of


@dataclass(frozen=True, repr=False)
class Losses:
    """Expected points a policy gives away against perfect play.

    Attributes
    ----------
    holds : (turns, rerolls) float64
        By turn, and by holds with 1, 2, ... rerolls left. To end a turn too early counts as a hold.
    categories : (turns, categories) float64
        By turn, and by the category that was filled instead of the best one.
    """

    holds: Floats
    categories: Floats

    def __repr__(self) -> str:
        holds = self.holds.sum()
        boxes = self.categories.sum()
        return f"<Losses: {self.total:.2f} points a game, {holds:.2f} by holds, {boxes:.2f} by categories>"

    @property
    def total(self) -> float:
        """All points given away in a game."""
        return float(self.holds.sum() + self.categories.sum())

    @property
    def by_turn(self) -> Floats:
        """``(turns,)`` float64: points given away in each turn."""
        return np.asarray(self.holds.sum(axis=1) + self.categories.sum(axis=1))


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
        Where the difference to perfect play arises; None without a distribution, and for a goal or
        a utility.
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
        """Results of the categories that are open at the start, empty without a distribution."""
        return self.distribution.categories if self.distribution else ()


@dataclass(frozen=True, repr=False)
class SampledEvaluation:
    """An estimate of how good a player is. Returned by :func:`perfect_yatzy.evaluate`.

    Attributes
    ----------
    rules : RuleSet
    perfect_mean : float
        Mean final score under perfect play.
    scores : (games,) int64
        Final score of each game.
    game_losses : (games,) float64
        Points lost in each game against perfect play.
    losses : Losses
        Where they are lost, in the mean of the games.
    """

    rules: RuleSet
    perfect_mean: float
    scores: Floats
    game_losses: Floats
    losses: Losses

    def __repr__(self) -> str:
        mean = f"mean {self.mean:.2f} ± {self.standard_error:.2f} (standard error), luck removed"
        return f"<SampledEvaluation {self.rules.key}: {self.games:,} games, {mean}>"

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.scores)

    @property
    def mean(self) -> float:
        """Mean final score with the luck removed, in points."""
        return self.perfect_mean - float(self.game_losses.mean())

    @property
    def loss(self) -> float:
        """Points a game the player gives away against perfect play."""
        return self.perfect_mean - self.mean

    @property
    def standard_error(self) -> float:
        """Standard error of :attr:`mean` and of :attr:`loss`, NaN for one game."""
        return _standard_error(self.game_losses)

    @property
    def plain_mean(self) -> float:
        """Mean of the final scores."""
        return float(self.scores.mean())

    @property
    def plain_standard_error(self) -> float:
        """Standard error of :attr:`plain_mean`, NaN for one game."""
        return _standard_error(self.scores)


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("nan")


def _logged(what: str, progress: Progress | None) -> Progress:
    """Return the progress of a caller.

    Without one, return a report that logs once that the work takes long, and how long.
    """
    if progress:
        return progress
    # The time and the work done at the first report. Kernels are compiled before it.
    first: tuple[float, int] | None = None
    is_logged = False

    def report(done: int, number: int) -> None:
        nonlocal first, is_logged
        if first is None:
            first = (time.monotonic(), done)
        first_time, first_done = first
        spent = time.monotonic() - first_time
        done_since = done - first_done
        is_enough = done_since * 100 > number  # for an estimate of the whole
        if not is_logged and is_enough and spent > LOGGED_SECONDS / 2:
            is_logged = True
            log_long(what, spent * number / done_since)

    return report


def policy_values(policy: Policy, *, threads: int | None = None) -> Floats:
    """Return the value of every state under a policy, ``(states,)``, in the order of a table.

    It takes the backward pass alone, which is about a second for Yatzy, and several for a soft policy.
    """
    objective = PolicyMean(policy)
    check_memory(policy.rules, solve_cost(objective))
    return np.asarray(solve_objective(objective, threads=threads))


def policy_mean(policy: Policy, *, threads: int | None = None) -> float:
    """Return the mean of the points to come under a policy, from its start on.

    It takes what :func:`policy_values` takes.
    """
    return float(policy_values(policy, threads=threads)[-1])


@overload
def evaluate(  # type: ignore[overload-overlap]  # a strategy has `act`, too, and is evaluated exactly
    policy: Policy | Strategy,
    rules: str | RuleSet | None = None,
    *,
    points: int | None = None,
    tables: Folder = None,
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
    tables: Folder = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SampledEvaluation: ...


def evaluate(  # noqa: PLR0913 - the published parameters
    policy: Policy | Strategy | Player | Actor,
    rules: str | RuleSet | None = None,
    *,
    games: int = 200,
    seed: int = 1,
    points: int | None = None,
    tables: Folder = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Evaluation | SampledEvaluation:
    """Evaluate a policy.

    This is exact where its actions can be listed, and otherwise by sampled games with the luck
    removed.

    An exact evaluation has the mean, the standard deviation, the distribution, and where points are
    lost.

    Parameters
    ----------
    policy
        Sampled is a function that takes a :class:`perfect_yatzy.TurnPosition` and returns the dice to
        hold or the name of a category (all dice: it stops), or an object whose method ``act`` is such
        a function. Exactly evaluated is a :class:`perfect_yatzy.ValueFunction`, a
        :class:`perfect_yatzy.FunctionPolicy` or a function of ``turn``, a
        :class:`perfect_yatzy.BatchPolicy` or a function of ``observations``, any other policy of this package; the
        strategy of :func:`perfect_yatzy.open_strategy` (perfect play); or one for a goal or a utility.
    rules
        The game of a function or an object; a policy of this package has its own. Default:
        ``"yatzy"``.
    games, seed
        Number of sampled games, and the seed of their dice.
    points
        Points on the card at the start of an exact evaluation. Default: 0; for a strategy those on
        its card.
    tables
        Folder of the tables; perfect play is opened or solved there.
    threads
        Number of threads; default: one per processor. The result does not depend on it.
    progress
        Called during a solve of perfect play, and during the evaluation.

    Returns
    -------
    Evaluation or SampledEvaluation
        The first is exact up to float64 rounding, the second has a ``standard_error``. The chance
        that one policy wins against another is
        ``evaluate(one).distribution.chance_against(evaluate(other).distribution)``.

    Raises
    ------
    StateError
        If `policy` is not a policy, or is for another game than `rules`.
    RulesError
        If the machine has too little memory; for a goal or a utility also if the rules save rolls.
    TableError
        If the table of perfect play is damaged or cannot be written.
    """
    settings = Settings(tables, threads, progress)
    opened = policy_of(policy, rules)
    listed = exact_policy(opened)
    if listed is None:
        player = player_of(opened)
        strategy = open_strategy(
            load_rules(rules or "yatzy"), tables, threads=threads, progress=progress
        )
        return sample(settings.reporting(None), player, strategy, Games(games, seed))
    if not isinstance(listed, Strategy):
        return _evaluated(settings, listed, points or 0)
    start = listed.check(listed.start)
    before = start.points if points is None else points
    if isinstance(listed.evaluator, ScoreEvaluator):
        law = distribution(listed, start, points=before, threads=threads, progress=progress)
        perfect_mean = before + listed.evaluator.means.value(start.state)
        return _of_distribution(listed.rules, law, perfect_mean)
    followed = GreedyPolicy(listed.rules, listed.table, start.state, listed.space)
    return _evaluated(settings, followed, before)


def _of_distribution(
    rules: RuleSet, law: ScoreDistribution, perfect_mean: float, losses: Losses | None = None
) -> Evaluation:
    """Return the evaluation of a policy from the distribution of its final score."""
    return Evaluation(
        rules,
        mean=law.mean,
        standard_deviation=law.standard_deviation,
        upper_bonus_chance=law.upper_bonus_chance,
        perfect_mean=perfect_mean,
        distribution=law,
        losses=losses,
    )


def _evaluated(settings: Settings, policy: Policy, before: int) -> Evaluation:
    """Return the exact evaluation of a policy. `before` are the points on the card at its start."""
    rules = policy.rules
    table = open_table(settings, Objective(rules))[1]
    perfect = GreedyPolicy(rules, table, policy.start).values
    perfect_mean = before + float(perfect[-1])  # the start is the last state
    if has_distribution(rules):
        from ..strategy.forward_pass import ForwardPass

        # Other policies than perfect play may reach most of what the cards could hold.
        check_distribution_memory(rules, solve_cost(score_places(rules, policy.start)).doubled())
        report = _logged(f"the evaluation of {rules.key}", settings.progress)
        law, losses = ForwardPass(settings.reporting(report), policy, perfect).run(before)
        rerolls = rules.rolls_per_turn - 1
        by_kind = Losses(losses[:, :rerolls], losses[:, rerolls:])
        return _of_distribution(rules, law, perfect_mean, by_kind)
    threads = settings.threads
    values = policy_values(policy, threads=threads)
    variance = solve_objective(Variance(rules, values, policy.start, policy), threads=threads)[-1]
    chance = solve_objective(BonusChance(rules, values, policy.start, policy), threads=threads)[-1]
    return Evaluation(
        rules,
        mean=before + float(values[-1]),
        standard_deviation=float(np.sqrt(variance)),
        upper_bonus_chance=float(chance),
        perfect_mean=perfect_mean,
    )


def sample(
    settings: Settings,
    player: Player,
    strategy: Strategy,
    games: Games,
    start: CardText | Scorecard = "",
) -> SampledEvaluation:
    """Play games of a player, and compare its decisions with perfect play."""
    number = positive_number(games.number, "games")
    games_played = sample_games(settings, player, strategy, games, start)
    return summary(strategy, start, number, [games_played])


@dataclass(frozen=True)
class SampledGames:
    """Consecutive games of a player. Made by :func:`sample_games`."""

    scores: Floats  # (games,) float64: final scores
    game: Ints  # (decisions,) int64: number of the game, from 0 in all games
    turn: Ints  # (decisions,) int64: number of the turn, from 0 for an empty card
    rolls_left: Ints  # (decisions,) int64: rerolls left
    action: Ints  # (decisions,) int64: number of the action
    lost: Floats  # (decisions,) float64: what the decision loses against perfect play, in points
    # (decisions,) float64: the part of it that the category loses against the best category
    by_category: Floats


def sample_games(
    settings: Settings,
    player: Player,
    strategy: Strategy,
    games: Games,
    start: CardText | Scorecard = "",
) -> SampledGames:
    """Play some of the games of :func:`sample`, which has the other parameters."""
    if isinstance(strategy.evaluator, ScoreEvaluator):
        raise StateError("the comparison needs the strategy of the mean")
    played = play_games(
        player, start_turn(strategy.rules, start), games, progress=settings.progress
    )
    positions = played.columns()
    game = positions.pop("game")
    action = positions.pop("action")
    del positions["points"]  # what is left are the arguments that describe a position
    lost = np.asarray(strategy.regrets(actions=action, threads=settings.threads, **positions))
    turn = np.array([decision.position.state.filled.bit_count() for decision in played.decisions])
    rolls_left = positions["rolls_left"]
    first_category = hold_count(strategy.rules)  # actions are numbered holds first
    by_category = np.where(rolls_left > 0, 0.0, lost)
    # If a turn ends early, only what its category loses against the best one counts here.
    early = np.flatnonzero((rolls_left > 0) & (action >= first_category))
    if len(early):
        early_positions = {name: column[early] for name, column in positions.items()}
        options = strategy.options(**early_positions, threads=settings.threads)
        values = options.values[:, first_category:]
        taken = values[np.arange(len(early)), action[early] - first_category]
        by_category[early] = values.max(axis=1) - taken
    return SampledGames(played.scores, game, turn, rolls_left, action, lost, by_category)


def summary(
    strategy: Strategy, start: CardText | Scorecard, games: int, parts: Sequence[SampledGames]
) -> SampledEvaluation:
    """Return the evaluation of all games from consecutive parts of them."""
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    sampled = SampledGames(*map(np.concatenate, columns))
    rules = strategy.rules
    begin = start_turn(rules, start)
    card = begin.card
    assert isinstance(card, Scorecard)
    turns_before = begin.state.filled.bit_count()
    boxes = len(rules.categories)
    turns = boxes - turns_before
    turn = sampled.turn - turns_before
    most_rerolls = max(int(sampled.rolls_left.max()), rules.rolls_per_turn - 1)
    hold_losses = np.zeros((turns, most_rerolls))
    may_hold = sampled.rolls_left > 0
    lost = (sampled.lost - sampled.by_category)[may_hold]
    places = (turn[may_hold], sampled.rolls_left[may_hold] - 1)
    np.add.at(hold_losses, places, lost / games)
    category_losses = np.zeros((turns, boxes))
    first_category = hold_count(rules)  # actions are numbered holds first
    fills = sampled.action >= first_category
    places = (turn[fills], sampled.action[fills] - first_category)
    np.add.at(category_losses, places, sampled.by_category[fills] / games)
    return SampledEvaluation(
        rules,
        perfect_mean=card.total + strategy.value(start),
        scores=sampled.scores,
        game_losses=np.bincount(sampled.game, sampled.lost, games).astype(np.float64),
        losses=Losses(hold_losses, category_losses),
    )
