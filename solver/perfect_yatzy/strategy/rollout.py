"""Play many games a turn at a time: all games at the same card share one evaluation of its turn.

Games are sorted by position, and threads take slices of the sorted games. A :class:`Rollout`
follows any policy. A :class:`ScoreRollout` plays for a goal or a utility, with ties broken by the
mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.dice import Ints, lattice
from ..core.lattice import kernel_lattice
from ..core.objectives import final_bonus
from ..core.resources import ScratchPool, thread_map
from ..core.state import State
from ..core.state_space import LANES, state_space
from ..core.turn_model import turn_model
from ..objectives.policy_kernel import (
    PolicyJob,
    ScorePolicyJob,
    policy_job,
    score_blocks,
    score_policy,
)
from ..objectives.policy_quantities import Policy, RowActions
from . import rollout_kernel as kernels
from .strategy import CheckedPosition, Strategy
from .turn_evaluator import GreedyPolicy, ScoreEvaluator, state_places

SLICES = 16  # slices of the sorted games per thread


class TurnArguments(NamedTuple):
    """The last fields of a RolloutJob: what a turn needs besides the games."""

    first_game: int  # number of game 0 among all games of the simulation
    seed: int
    turn: int
    log: kernels.TurnLog


class PlayedGames(NamedTuple):
    """The results of some games."""

    points: Ints  # (games,): points made, without the upper bonus
    category_points: npt.NDArray[np.int16]  # (games, categories), -1 where a game did not fill it
    upper_bonus: Ints  # (games,)


class Rollout:
    """Games played by a policy from a state of its games on."""

    def __init__(self, policy: Policy, start: State, threads: int) -> None:
        rules = policy.rules
        self.policy = policy
        self.rules = rules
        self.threads = threads
        self.start = start
        self.space = state_space(policy.rules, policy.start)
        self.dice = lattice(rules.dice, rules.faces)
        self.model = turn_model(rules, policy.start)
        self.turns = self.space.categories - start.filled.bit_count()
        self.jobs = ScratchPool(self.new_job)

    def play(
        self,
        number: int,
        first: int,
        seed: int,
        report: Callable[[int], None] = lambda turn: None,
        logs: list[kernels.TurnLog] | None = None,
    ) -> PlayedGames:
        """Play so many games, which have the numbers from `first` on among those of the seed.

        `report` is called with the turns that are finished, and the log of each turn is appended
        to `logs`.
        """
        games = self._new_games(number)
        with thread_map(self.threads) as in_threads:
            for turn in range(self.turns):
                log = kernels.NO_LOG
                if logs is not None:
                    log = self._turn_log(number, turn)
                    logs.append(log)
                self._play_turn(games, TurnArguments(first, seed, turn, log), in_threads)
                report(turn + 1)
        return self._results(games)

    def _new_games(self, number: int) -> kernels.Games:
        """Return games that are at the start."""
        row = self.space.row(self.start)
        fields = np.zeros((number, kernels.FIELDS), dtype=np.int64)
        fields[:, kernels.ROW] = row
        fields[:, kernels.LANE] = self.space.lane(row, self.start)
        fields[:, kernels.SAVED] = self.start.saved
        return kernels.Games(
            fields.ravel(), np.full(number * self.space.categories, -1, dtype=np.int16)
        )

    def _turn_log(self, number: int, turn: int) -> kernels.TurnLog:
        """Return an empty log for a turn of so many games."""
        filled = self.start.filled.bit_count() + turn
        most_rolls = self.rules.rolls_per_turn + int(self.space.most_saved[filled])
        return kernels.turn_log(number, most_rolls)

    def _play_turn(
        self,
        games: kernels.Games,
        arguments: TurnArguments,
        in_threads: Callable[..., Iterable[None]],
    ) -> None:
        """Play one turn of all games, in slices."""
        fields = games.fields.reshape(-1, kernels.FIELDS)
        self.place_in_blocks(fields)
        filled = self.start.filled.bit_count() + arguments.turn
        play_slice = self.turn(filled, games, self.block_order(fields), arguments)
        number = len(fields)
        size = max(1, number // (self.threads * SLICES))
        begins = range(0, number, size)
        ends = [min(begin + size, number) for begin in begins]
        for _slice in in_threads(play_slice, begins, ends):
            pass  # wait for all of them

    def _results(self, games: kernels.Games) -> PlayedGames:
        """Return the results of finished games."""
        fields = games.fields.reshape(-1, kernels.FIELDS)
        places = state_places(
            self.space.layout,
            fields[:, kernels.ROW],
            fields[:, kernels.SAVED],
            fields[:, kernels.LANE],
        )
        return PlayedGames(
            points=fields[:, kernels.POINTS].copy(),
            category_points=games.boxes.reshape(len(fields), self.space.categories),
            upper_bonus=final_bonus(self.space).astype(np.int64)[places],
        )

    def place_in_blocks(self, fields: Ints) -> None:
        """Write the block of each game, and its lane within the block, into `fields`."""
        lane = fields[:, kernels.LANE]
        fields[:, kernels.BLOCK_LANE] = lane % LANES
        fields[:, kernels.BLOCK] = lane - fields[:, kernels.BLOCK_LANE]

    def block_order(self, fields: Ints) -> Ints:
        """Return the order that brings games of the same row and block together."""
        layout = self.space.layout
        # of a row, at most: `lane_upper` is padded to whole blocks
        blocks = layout.lane_upper.shape[1] // LANES
        block = fields[:, kernels.ROW] * blocks + fields[:, kernels.BLOCK] // LANES
        return np.asarray(kernels.ordered(block, len(layout.masks) * blocks))

    def layer(self, filled: int) -> RowActions:
        """Return the actions at the cards with `filled` categories filled."""
        return self.policy.layer(filled)

    def turn(
        self, filled: int, games: kernels.Games, order: Ints, arguments: TurnArguments
    ) -> Callable[[int, int], None]:
        """Return a function for threads that plays a turn of the games ``order[begin:end]``."""
        actions = self.layer(filled)
        games_of_row = np.bincount(games.fields[kernels.ROW :: kernels.FIELDS])
        rows = np.flatnonzero(games_of_row)  # the rows that occur
        # The games are sorted by rows. Here end those of each of `rows`.
        ends = np.cumsum(games_of_row[rows])

        def play(begin: int, end: int) -> None:
            # the places of the rows of these games in `rows`
            first, last = np.searchsorted(ends, (begin, end - 1), side="right")
            # Each part has neighbouring rows, and so neighbouring games.
            for part, policy in actions(rows[first : last + 1]):
                stop = min(end, int(ends[np.searchsorted(rows, part[-1])]))
                with self.jobs.borrow() as memory:
                    job = kernels.RolloutJob(memory, games, order, *arguments)
                    kernels.play_by_policy(begin, stop, job, policy)
                begin = stop

        return play

    def new_job(self) -> PolicyJob | ScorePolicyJob:
        """Return new working memory of the kernels."""
        return policy_job(self.dice, self.model, self.policy.ties, int(self.space.most_saved.max()))


class ScoreRollout(Rollout):
    """Games played for a goal or a utility.

    Of equal options the one with the highest mean is taken.
    """

    def __init__(self, evaluator: ScoreEvaluator, start: State, threads: int) -> None:
        space = evaluator.space
        super().__init__(
            GreedyPolicy(evaluator.rules, evaluator.mean_values, space.start, space), start, threads
        )
        self.model = self.model._replace(
            monotone=int(evaluator.objective.monotone and self.model.monotone)
        )
        self.scores = evaluator

    def place_in_blocks(self, fields: Ints) -> None:
        """Write the block of scores of each game, and its lane within the block, into `fields`."""
        row = fields[:, kernels.ROW]
        lane = fields[:, kernels.LANE]
        state = state_places(self.space.layout, row, fields[:, kernels.SAVED], lane)
        x = fields[:, kernels.POINTS] + self.scores.x
        fields[:, kernels.BLOCK], fields[:, kernels.BLOCK_LANE] = score_blocks(
            self.scores.ranges(state), lane, x
        )

    def block_order(self, fields: Ints) -> Ints:
        """Return the order as :class:`Rollout` does."""
        # by row, then by block
        return np.lexsort((fields[:, kernels.BLOCK], fields[:, kernels.ROW]))

    def layer(self, filled: int) -> RowActions:
        """Return the actions as :class:`Rollout` does."""
        policy = self.scores.score_policy(filled)
        return lambda rows: [(rows, policy)]

    def new_job(self) -> PolicyJob | ScorePolicyJob:
        """Return the working memory as :class:`Rollout` does."""
        most_saved = int(self.space.most_saved.max())
        ties = (self.scores.ties, self.scores.means.ties)
        return score_policy(self.dice, self.model, kernel_lattice(self.dice), ties, most_saved)


def rollout_of(strategy: Strategy | Policy, position: CheckedPosition, threads: int) -> Rollout:
    """Return games from a checked position.

    Raises StateError if the table of a strategy has no values for its points.
    """
    if not isinstance(strategy, Strategy):
        return Rollout(strategy, position.state, threads)
    evaluator = strategy.evaluator_at(position)
    if isinstance(evaluator, ScoreEvaluator):
        return ScoreRollout(evaluator, position.state, threads)
    space = strategy.space
    return Rollout(
        GreedyPolicy(strategy.rules, strategy.table, space.start, space), position.state, threads
    )
