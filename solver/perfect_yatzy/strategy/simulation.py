"""Simulated games under a strategy: all games play a turn, then all play the next.

Games are sorted by position, those at the same card share one evaluation of its turn, and threads take slices of the
sorted games. A :class:`Rollout` follows any policy, a :class:`ScoreRollout` plays for a goal or a utility.

The dice are a function of the seed, the game number, the turn and the roll (:mod:`perfect_yatzy.game.dice`).
Therefore the result does not depend on the number of threads, game 7 is the same game however many are played, and
two strategies can be compared on the same dice (common random numbers), which lowers the variance of the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import StateError, _, whole_number
from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..kernels import rollout as kernels
from ..kernels.lattice import kernel_lattice
from ..kernels.policy import PolicyJob, ScorePolicyJob, policy_job, score_blocks, score_policy
from ..model.objectives import final_bonus
from ..model.state_space import LANES, Policy, RowActions, state_space
from ..model.turn_model import turn_model
from ..tablebase.resources import ScratchPool, default_threads, thread_map
from .metadata import metadata
from .score_distribution import PERCENTS, scores_html
from .strategy import CheckedPosition, Position, Strategy, check_position, check_strategy
from .turn_evaluator import GreedyPolicy, ScoreEvaluator, state_places

TurnArguments = tuple[int, int, int, kernels.TurnLog]

Points16 = npt.NDArray[np.int16]
SLICES = 16  # slices of the sorted games per thread


class Rollout:
    """Games played by a policy from a state of its games on."""

    def __init__(self, policy: Policy, start: State, threads: int) -> None:
        self.policy, self.rules, self.threads, self.start = policy, policy.rules, threads, start
        rules, self.space = self.rules, state_space(policy.rules, policy.start)
        self.dice = lattice(rules.dice, rules.faces)
        self.model = turn_model(rules, policy.start)
        self.lattice = kernel_lattice(self.dice)
        self.turns = self.space.categories - start.filled.bit_count()
        self.categories = self.space.categories
        self.jobs = ScratchPool(self.new_job)

    def play(
        self, number: int, first: int, seed: int, report: Callable[[int], None] = lambda turn: None,
        logs: list[kernels.TurnLog] | None = None,
    ) -> tuple[Ints, Points16, Ints]:  # fmt: skip
        """Games from number `first` on: points made without the bonus, points ``(number, categories)`` and bonus."""
        start, space = self.start, self.space
        row, place = np.array([space.row(start)]), np.array([space.unchecked_index(start)])
        fields = np.zeros((number, kernels.FIELDS), dtype=np.int64)
        fields[:, kernels.ROW] = row
        fields[:, kernels.LANE], fields[:, kernels.SAVED] = space.lanes_and_saved(row, place)
        games = kernels.Games(fields.ravel(), np.full(number * self.categories, -1, dtype=np.int16))
        size = max(1, number // (self.threads * SLICES))
        with thread_map(self.threads) as in_threads:
            for turn in range(self.turns):
                order, filled = self.sort(fields), start.filled.bit_count() + turn
                log = kernels.NO_LOG
                if logs is not None:
                    logs.append(kernels.turn_log(number, self.rules.rolls_per_turn + int(space.most_saved[filled])))
                    log = logs[-1]
                play_slice = self.turn(filled, games, order, (first, seed, turn, log))
                begins = range(0, number, size)
                for _ in in_threads(play_slice, begins, [min(begin + size, number) for begin in begins]):
                    pass
                report(turn + 1)
        ends = state_places(space.layout, fields[:, kernels.ROW], fields[:, kernels.SAVED], fields[:, kernels.LANE])
        upper_bonus = final_bonus(space).astype(np.int64)[ends]
        return fields[:, kernels.POINTS].copy(), games.boxes.reshape(number, self.categories), upper_bonus

    def sort(self, fields: Ints) -> Ints:
        """Order that brings games of the same row and block together; writes the blocks into `fields`."""
        layout, row, lane = self.space.layout, fields[:, kernels.ROW], fields[:, kernels.LANE]
        fields[:, kernels.BLOCK_LANE] = lane % LANES
        fields[:, kernels.BLOCK] = lane - fields[:, kernels.BLOCK_LANE]
        blocks = layout.lane_upper.shape[1] // LANES
        return np.asarray(kernels.ordered(row * blocks + lane // LANES, len(layout.masks) * blocks))

    def layer(self, filled: int) -> RowActions:
        """Actions at the cards with `filled` categories filled."""
        return self.policy.layer(filled)

    def turn(self, filled: int, games: kernels.Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """A function for threads that plays a turn of the games ``order[begin:end]``; `rest`: as TurnArguments."""
        actions, counts = self.layer(filled), np.bincount(games.fields[kernels.ROW :: kernels.FIELDS])
        rows = np.flatnonzero(counts)
        ends = np.cumsum(counts[rows])  # of the games of each row, which are sorted by rows

        def play(begin: int, end: int) -> None:
            first, last = np.searchsorted(ends, (begin, end - 1), side="right")
            for part, argument in actions(rows[first : last + 1]):
                stop = min(end, int(ends[np.searchsorted(rows, part[-1])]))
                with self.jobs.borrow() as job:
                    kernels.play_by_policy(begin, stop, kernels.RolloutJob(job, games, order, *rest), argument)
                begin = stop

        return play

    def new_job(self) -> PolicyJob | ScorePolicyJob:
        """New working memory of the kernels."""
        most_saved = int(self.space.most_saved.max())
        return policy_job(self.dice, self.model, self.policy.ties, most_saved)


class ScoreRollout(Rollout):
    """Games played for a goal or a utility; of equal options the one with the highest mean is taken."""

    def __init__(self, evaluator: ScoreEvaluator, start: State, threads: int) -> None:
        space = evaluator.space
        super().__init__(GreedyPolicy(evaluator.rules, evaluator.mean_values, space.start, space), start, threads)
        self.model = self.model._replace(monotone=int(evaluator.objective.monotone and self.model.monotone))
        self.scores = evaluator

    def sort(self, fields: Ints) -> Ints:
        """As for :class:`Rollout`; the games of a block are neighbours in the score, too."""
        row, lane = fields[:, kernels.ROW], fields[:, kernels.LANE]
        state = state_places(self.space.layout, row, fields[:, kernels.SAVED], lane)
        x = fields[:, kernels.POINTS] + self.scores.x
        fields[:, kernels.BLOCK], fields[:, kernels.BLOCK_LANE] = score_blocks(self.scores.ranges(state), lane, x)
        return np.lexsort((fields[:, kernels.BLOCK], row))

    def layer(self, filled: int) -> RowActions:
        """As for :class:`Rollout`."""
        policy = self.scores.score_policy(filled)
        return lambda rows: [(rows, policy)]

    def new_job(self) -> PolicyJob | ScorePolicyJob:
        """As for :class:`Rollout`."""
        most_saved = int(self.space.most_saved.max())
        ties = self.scores.ties, self.scores.means.ties
        return score_policy(self.dice, self.model, self.lattice, ties, most_saved)


def rollout_of(strategy: Strategy | Policy, position: CheckedPosition, threads: int) -> Rollout:
    """Games from a checked position; StateError if the table of a strategy has no values for its points."""
    if not isinstance(strategy, Strategy):
        return Rollout(strategy, position.state, threads)
    evaluator = strategy.evaluator_at(position)
    if isinstance(evaluator, ScoreEvaluator):
        return ScoreRollout(evaluator, position.state, threads)
    space = strategy.space
    return Rollout(GreedyPolicy(strategy.rules, strategy.table, space.start, space), position.state, threads)


Z99 = 2.5758293035489004  # half the width of the 99 % interval of a normal distribution, in standard deviations
CHUNK = 1_000_000  # games played at the same time; bounds the memory


@dataclass(frozen=True, repr=False)
class Simulation:
    """Simulated games. Returned by :func:`simulate`.

    Attributes
    ----------
    rules : RuleSet
        Rules of the games.
    policy : str
        What the strategy maximises: ``mean``, ``goal:280`` (the chance of 280 points or more) or ``utility``; for
        another policy the name of its class.
    seed : int
        Seed of the dice.
    points_before : int
        Points on the card at the start.
    final_scores : (games,) int64
        Final score of each game: `points_before`, category points, upper bonus and bonus points.
    category_points : (games, categories) int16
        Points of each category, -1 where it was filled before the start.
    upper_bonus : (games,) int64
        Points of the upper bonus, 0 where it was missed.
    """

    rules: RuleSet
    policy: str
    seed: int
    points_before: int
    final_scores: Ints
    category_points: npt.NDArray[np.int16]
    upper_bonus: Ints

    @property
    def categories(self) -> tuple[str, ...]:
        """Ids of the categories, in the order of the columns of `category_points`."""
        return tuple(category.id for category in self.rules.categories)

    @property
    def bonus_points(self) -> Ints:
        """``(games,)`` int64: points of joker and first-roll bonuses since the start."""
        points = np.maximum(self.category_points, 0).sum(axis=1, dtype=np.int64)
        return np.asarray(self.final_scores - self.points_before - self.upper_bonus - points)

    @property
    def upper_bonus_chance(self) -> float:
        """Share of the games with the upper bonus."""
        return float((self.upper_bonus > 0).mean())

    @property
    def mean(self) -> float:
        """Mean of the final scores."""
        return float(self.final_scores.mean())

    @property
    def standard_deviation(self) -> float:
        """Sample standard deviation of the final scores (n - 1 in the denominator); 0.0 for one game."""
        return float(self.final_scores.std(ddof=1)) if len(self.final_scores) > 1 else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of the mean: the standard deviation over the square root of the number of games."""
        return self.standard_deviation / float(np.sqrt(len(self.final_scores)))

    def percentiles(self, percents: Sequence[float]) -> Floats:
        """Percentiles of the final scores, ``(n,)`` float64: one for each of `percents`, which are from 0 to 100.

        Linearly interpolated between final scores, as :func:`numpy.percentile` does.
        """
        return np.asarray(np.percentile(self.final_scores, percents))

    def figures(self) -> list[tuple[str, str]]:
        """Names and values of a summary."""
        finals = self.final_scores
        error = f" ± {self.standard_error:.2f}" if len(finals) > 1 else ""
        found = {"rules": self.rules.key, "policy": self.policy, "games": f"{len(finals):,}", "seed": f"{self.seed}"}
        found["mean"] = f"{self.mean:.2f}{error}"
        if len(finals) > 1:
            found["standard deviation"] = f"{self.standard_deviation:.2f}"
            found["scores"] = f"{finals.min()} to {finals.max()}"
            marks = ", ".join(f"{mark:.0f}" for mark in self.percentiles(PERCENTS))
            found[f"percentiles {', '.join(map(str, PERCENTS))}"] = marks
        if self.rules.bonus:
            found["upper bonus"] = f"{100 * self.upper_bonus_chance:.1f} %"
        return [*found.items()]

    def __repr__(self) -> str:
        found = dict(self.figures())
        games = f"{found['games']} {'game' if len(self.final_scores) == 1 else 'games'}"
        return f"<Simulation {self.rules.key}, {self.policy}: {games}, seed {self.seed}, mean {found['mean']}>"

    def _repr_html_(self) -> str:
        lowest = int(self.final_scores.min())
        chances = np.bincount(self.final_scores - lowest) / len(self.final_scores)
        return scores_html(self.figures(), lowest, chances)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The games as named columns of equal length, one row per game: what CSV, Parquet and data frames contain.

        ``game_number`` (from 0), ``points_before``, the id of every category that was open at the start,
        ``upper_bonus``, ``bonus_points`` and ``final_score``, which is the sum of all columns between the first and
        itself. The id of a category has no underscore, so the names are unique.
        """
        games = len(self.final_scores)
        played = {c: self.category_points[:, i] for i, c in enumerate(self.categories)}
        return {
            "game_number": np.arange(games),
            "points_before": np.full(games, self.points_before),
            **{name: points for name, points in played.items() if points[0] >= 0},
            "upper_bonus": self.upper_bonus,
            "bonus_points": self.bonus_points,
            "final_score": self.final_scores,
        }

    def meanings(self) -> dict[str, str]:
        """What each of the :meth:`columns` says."""
        names = {c.id: f"points in the box {c.name}" for c in self.rules.categories}
        known = {
            "game_number": "number of the game, from 0",
            "points_before": "points on the card at the start",
            "upper_bonus": "points of the upper bonus, 0 where it was missed",
            "bonus_points": "joker and first-roll bonuses since the start",
            "final_score": "the sum of all columns but the first",
        }
        return {name: (known | names)[name] for name in self.columns()}

    def metadata(self) -> dict[str, str]:
        """What identifies the games (:func:`perfect_yatzy.strategy.metadata.metadata`), and their ``seed``."""
        return metadata(self.rules, self.policy, seed=self.seed)


def wilson_interval(reached: int, games: int) -> tuple[float, float]:
    """99 % interval of a chance from the games that reached it (Wilson's score interval, good for small chances)."""
    share, square = reached / games, Z99 * Z99 / games
    middle, half = share + square / 2, Z99 * sqrt(share * (1 - share) / games + square / (4 * games))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def check_seed(seed: int) -> int:
    """The seed of a simulation; StateError unless it is a whole number from 0 to 2**63 - 1."""
    if not 0 <= whole_number(seed, "seed") < 1 << 63:
        raise StateError(_("seed is {seed}; must be from 0 to 2**63 - 1").format(seed=seed))
    return seed


def simulate(
    strategy: Strategy | Policy, games: int, seed: int = 1, start: Position | None = None,
    threads: int | None = None, *, points: int | None = None, progress: Callable[[int, int], None] | None = None,
) -> Simulation:  # fmt: skip
    """Play games under a policy, or a strategy that has a table; all else as for :func:`perfect_yatzy.simulate`.

    Ties are broken as in :mod:`perfect_yatzy.strategy.distribution`, so games for the mean are samples of that
    distribution. For goals and utilities the mean breaks ties first (:mod:`perfect_yatzy.strategy.score_strategy`).
    """
    games, checked = checked_games(strategy, games, seed, start, points)
    rollout = rollout_of(strategy, checked, threads or default_threads())
    turns = rollout.turns * -(-games // CHUNK)
    parts = []
    for number, first in enumerate(range(0, games, CHUNK)):

        def report(turn: int, before: int = number * rollout.turns) -> None:
            if progress:
                progress(before + turn, turns)

        parts.append(rollout.play(min(CHUNK, games - first), first, seed, report))
    return joined_games(strategy, seed, checked.points, parts)


def checked_games(
    strategy: Strategy | Policy, games: int, seed: int, start: Position | None, points: int | None
) -> tuple[int, CheckedPosition]:
    """The number of games and the checked position of :func:`simulate`, whose points are those before the start."""
    if not callable(getattr(strategy, "layer", None)):  # no policy
        check_strategy(strategy)
    games = whole_number(games, "games")
    check_seed(seed)
    if games < 1:
        raise StateError(_("games is {games}; must be at least 1").format(games=games))
    if isinstance(strategy, Strategy):
        checked = strategy.check_start(start)
    else:
        space = state_space(strategy.rules, strategy.start)
        checked = check_position(strategy.rules, strategy.start if start is None else start, space)
    return games, checked if points is None else replace(checked, points=whole_number(points, "points"))


def joined_games(
    strategy: Strategy | Policy, seed: int, points_before: int, parts: Sequence[tuple[npt.NDArray[Any], ...]]
) -> Simulation:
    """The simulation of consecutive parts, each as :meth:`Rollout.play` returns it."""
    points_made, category_points, upper_bonus = (np.concatenate(part) for part in zip(*parts, strict=True))
    final_scores = points_before + points_made + upper_bonus
    policy = strategy.policy if isinstance(strategy, Strategy) else type(strategy).__name__
    return Simulation(strategy.rules, policy, seed, points_before, final_scores, category_points, upper_bonus)
