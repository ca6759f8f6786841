"""Simulated games under a strategy: all games play a turn, then all play the next.

Games are sorted by position, and games in the same block of states share one evaluation of the turn. The dice are a
function of the seed, the game number, the turn and the roll (:mod:`perfect_yatzy.kernels.rollout`). Therefore the
result does not depend on the number of threads, game 7 is the same game however many are played, and two strategies
can be compared on the same dice (common random numbers), which lowers the variance of the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..errors import StateError, whole_number
from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..kernels.table_slices import Layered, TableSlice, window
from ..model.objectives import Goals, final_bonus
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map
from .score_strategy import ScoreStrategy
from .strategy import check_strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from ..kernels.rollout import Games
    from .position import Position
    from .strategy import Strategy

Points16 = npt.NDArray[np.int16]
CHUNK = 1_000_000  # games played at the same time; bounds the memory
SLICES = 16  # slices of the sorted games per thread


@dataclass(frozen=True)
class Simulation:
    """Simulated games. Returned by :func:`simulate`.

    Attributes
    ----------
    rules : RuleSet
        Rules of the games.
    policy : str
        What the strategy maximises: ``mean``, ``goal:280`` (the chance of 280 points or more) or ``utility``.
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
    category_points: Points16
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
        """Percentiles of the final scores.

        Parameters
        ----------
        percents
            Numbers from 0 to 100.

        Returns
        -------
        (n,) float64
            One per entry of `percents`, linearly interpolated between final scores as :func:`numpy.percentile` does.
        """
        return np.asarray(np.percentile(self.final_scores, percents))

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

    def metadata(self) -> dict[str, str]:
        """What identifies the games, as text: the metadata of an Arrow table or a Parquet file.

        ``rules`` (key of the rule set), ``fingerprint`` (SHA-256 of its canonical form), ``policy``, ``seed`` and
        ``perfect_yatzy`` (version of this package).
        """
        return {
            "rules": self.rules.key,
            "fingerprint": self.rules.fingerprint,
            "policy": self.policy,
            "seed": str(self.seed),
            "perfect_yatzy": __version__,
        }


def simulate(
    strategy: Strategy,
    games: int,
    seed: int = 1,
    start: Position | None = None,
    threads: int | None = None,
    *,
    points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Play games under a strategy.

    Parameters
    ----------
    strategy
        A strategy from :func:`perfect_yatzy.open_strategy`, :func:`perfect_yatzy.reach` or
        :func:`perfect_yatzy.maximise`.
    games
        Number of games, at least 1.
    seed
        Seed of the dice, from 0 to 2**63 - 1. The same seed gives the same games for any number of threads, and
        the first games of a longer simulation are those of a shorter one.
    start
        The position at the start of a turn from which every game is played: a scorecard, its text or a state.
        Default: where the strategy starts (the empty card for :func:`perfect_yatzy.open_strategy`).
    threads
        Number of threads; default: one per processor.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    progress
        Called as ``progress(turns_done, turns_in_all)`` after each turn of all games.

    Returns
    -------
    Simulation

    Raises
    ------
    StateError
        If no game can reach the start, `games` is less than 1, `seed` is out of range, or `strategy` is not a
        strategy.

    Notes
    -----
    Ties are broken as in :mod:`perfect_yatzy.strategy.distribution`, so the games are samples of that distribution.
    """
    check_strategy(strategy)
    games, seed = whole_number(games, "games"), whole_number(seed, "seed")
    if games < 1:
        raise StateError(f"games is {games}; must be at least 1")
    if not 0 <= seed < 1 << 63:
        raise StateError(f"seed is {seed}; must be from 0 to 2**63 - 1")
    checked = strategy.check(strategy.start if start is None else start)
    state, points_before = checked.state, checked.points if points is None else whole_number(points, "points")
    strategy.evaluator_at(replace(checked, points=points_before))  # StateError where the table lacks these points
    rollout = _Rollout(strategy, state, threads or default_threads())
    turns = rollout.turns * -(-games // CHUNK)
    parts = []
    for number, first in enumerate(range(0, games, CHUNK)):

        def report(turn: int, before: int = number * rollout.turns) -> None:
            if progress:
                progress(before + turn, turns)

        parts.append(rollout.play(min(CHUNK, games - first), first, seed, points_before, report))
    final_scores, category_points, upper_bonus = (np.concatenate(part) for part in zip(*parts, strict=True))
    policy = policy_name(strategy)
    return Simulation(strategy.rules, policy, seed, points_before, final_scores, category_points, upper_bonus)


def policy_name(strategy: Strategy) -> str:
    """What a strategy maximises: ``mean``, ``goal:280`` or ``utility``."""
    evaluator = strategy.evaluator
    if not isinstance(evaluator, ScoreEvaluator):
        return "mean"
    return f"goal:{_offset(strategy)}" if isinstance(evaluator.objective, Goals) else "utility"


def _offset(strategy: Strategy) -> int:
    """Points on the card that lie at x = 0 of the strategy's table; 0 for the mean, whose values have no x."""
    return strategy.zero if isinstance(strategy, ScoreStrategy) else 0


class _Rollout:
    """A strategy in the form the kernels take, and the games it plays."""

    def __init__(self, strategy: Strategy, start: State, threads: int) -> None:
        from ..kernels.lattice import indexed_lattice, kernel_lattice

        rules, self.threads, self.start = strategy.rules, threads, start
        self.evaluator, self.space = strategy.evaluator, strategy.space
        self.zero = _offset(strategy)
        self.dice = lattice(rules.dice, rules.faces)
        self.model, self.outcomes = turn_model(rules, self.space.start), turn_outcomes(rules, self.space.start)
        self.lattice, self.lattice_index = kernel_lattice(self.dice), indexed_lattice(self.dice)
        self.by_scores = isinstance(self.evaluator, ScoreEvaluator)
        self.layers: Layered = self.evaluator.objective if isinstance(self.evaluator, ScoreEvaluator) else self.space
        self.values = strategy.table
        self.turns = self.space.categories - start.filled.bit_count()
        self.categories = self.space.categories

    def play(
        self, number: int, first: int, seed: int, points_before: int, report: Callable[[int], None]
    ) -> tuple[Ints, Points16, Ints]:
        """Play the games `first` to ``first + number - 1``.

        Returns
        -------
        (number,) int64, (number, categories) int16, (number,) int64
            Final scores, points of each category, upper bonus.
        """
        from ..kernels.rollout import FIELDS, LANE, POINTS, ROW, SAVED, Games

        start, space = self.start, self.space
        row, place = space.row(start), space.unchecked_index(start)
        fields = np.zeros((number, FIELDS), dtype=np.int64)
        fields[:, ROW], fields[:, SAVED] = row, start.saved
        fields[:, LANE] = (
            place - space.layout.offsets[row] - start.saved * space.layout.lane_count[space.layout.lane_sets[row]]
        )
        games = Games(fields.ravel(), np.full(number * self.categories, -1, dtype=np.int16))
        idle: list[Any] = []
        with thread_map(self.threads) as in_threads:
            for turn in range(self.turns):
                order = self.sort(fields, points_before)
                table = window(self.layers, self.values, start.filled.bit_count() + turn)
                size = max(1, number // (self.threads * SLICES))

                def run(
                    begin: int, order: Ints = order, table: TableSlice = table, turn: int = turn, size: int = size
                ) -> None:
                    self.turn(begin, min(begin + size, number), order, games, table, first, seed, turn, idle)

                for _ in in_threads(run, range(0, number, size)):
                    pass
                report(turn + 1)
        ends = space.layout.offsets[fields[:, ROW]] + fields[:, LANE]
        ends += fields[:, SAVED] * space.layout.lane_count[space.layout.lane_sets[fields[:, ROW]]]
        upper_bonus = final_bonus(space).astype(np.int64)[ends]
        final_scores = points_before + fields[:, POINTS] + upper_bonus
        return final_scores, games.boxes.reshape(number, self.categories), upper_bonus

    def sort(self, fields: Ints, points_before: int) -> Ints:
        """Order that brings games of the same row and block together; writes the blocks into `fields`."""
        from ..kernels.rollout import BLOCK, BLOCK_LANE, LANE, POINTS, ROW, SAVED, ordered
        from ..kernels.value_tables import SCORE_BITS, SCORE_ORIGIN

        layout, row, lane = self.space.layout, fields[:, ROW], fields[:, LANE]
        if not isinstance(self.evaluator, ScoreEvaluator):
            fields[:, BLOCK_LANE] = lane % LANES
            fields[:, BLOCK] = lane - fields[:, BLOCK_LANE]
            blocks = layout.lane_upper.shape[1] // LANES
            return np.asarray(ordered(row * blocks + lane // LANES, len(layout.masks) * blocks))
        lanes, offsets = 2 * LANES, self.evaluator.score_offsets
        state = layout.offsets[row] + fields[:, SAVED] * layout.lane_count[layout.lane_sets[row]] + lane
        low, high = offsets.low[state], offsets.high[state]
        x = np.clip(fields[:, POINTS] + points_before - self.zero, low - 1, high + 1)
        inside = (x >= low) & (x <= high)
        fields[:, BLOCK_LANE] = np.where(inside, (x - low) % lanes, 0)
        fields[:, BLOCK] = (
            (lane << SCORE_BITS) + np.where(x < low, low - lanes, x - fields[:, BLOCK_LANE]) + SCORE_ORIGIN
        )
        return np.lexsort((fields[:, BLOCK], row))

    def turn(
        self,
        begin: int,
        end: int,
        order: Ints,
        games: Games,
        table: TableSlice,
        first: int,
        seed: int,
        turn: int,
        idle: list[Any],
    ) -> None:
        """Play one turn of the games ``order[begin:end]``."""
        from ..kernels.policy import PolicyJob, policy_scratch
        from ..kernels.rollout import RolloutJob, play_by_means, play_by_scores

        try:
            scratch = idle.pop()
        except IndexError:
            most = int(self.space.most_saved.max())
            dtype = np.float32 if self.by_scores else np.float64
            scratch = policy_scratch(self.dice, self.model, self.outcomes, most, dtype)
        policy = PolicyJob(self.model, self.outcomes, self.lattice, self.evaluator.ties, scratch)
        job = RolloutJob(policy, self.lattice_index, games, order, first, seed, turn)
        if isinstance(self.evaluator, ScoreEvaluator):
            play_by_scores(begin, end, job, table, self.evaluator.score_offsets)
        else:
            play_by_means(begin, end, job, table)
        idle.append(scratch)
