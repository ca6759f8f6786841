"""Play many games a turn at a time: all games at the same card share one evaluation of its turn.

Games are sorted by position, and threads take slices of the sorted games. A :class:`Rollout` plays for the mean. A
:class:`ScoreRollout` plays for a goal or a utility, with ties broken by the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..game.dice import Ints, lattice
from ..game.scorecard import State
from ..kernels.table_slices import window
from ..model.objectives import final_bonus
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.threads import thread_map
from .position import CheckedPosition
from .strategy import Strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from ..kernels.policy import PolicyJob
    from ..kernels.rollout import Games
    from ..kernels.score_policy import ScorePolicyJob
    from ..kernels.turn_log import NoLog, TurnLog

    TurnArguments = tuple[int, int, int, NoLog | TurnLog]

Points16 = npt.NDArray[np.int16]
SLICES = 16  # slices of the sorted games per thread


class Rollout:
    """Games played for the mean.

    Parameters
    ----------
    strategy
        What to follow.
    start
        A checked state, where all games begin.
    threads
        Number of threads.
    """

    def __init__(self, strategy: Strategy, start: State, threads: int) -> None:
        from ..kernels.lattice import indexed_lattice, kernel_lattice

        self.rules, self.threads, self.start = strategy.rules, threads, start
        rules = self.rules
        self.evaluator, self.space = strategy.evaluator, strategy.space
        self.dice = lattice(rules.dice, rules.faces)
        self.model, self.outcomes = turn_model(rules, self.space.start), turn_outcomes(rules, self.space.start)
        self.lattice, self.lattice_index = kernel_lattice(self.dice), indexed_lattice(self.dice)
        self.turns = self.space.categories - start.filled.bit_count()
        self.categories = self.space.categories
        self.idle: list[Any] = []  # working memory for one call each

    def play(
        self,
        number: int,
        first: int,
        seed: int,
        report: Callable[[int], None] = lambda turn: None,
        logs: list[TurnLog] | None = None,
    ) -> tuple[Ints, Points16, Ints]:
        """Play the games `first` to ``first + number - 1``.

        Parameters
        ----------
        number, first, seed
            How many games, and which.
        report
            Called with the number of turns played.
        logs
            Receives the log of each turn, if it is given.

        Returns
        -------
        (number,) int64, (number, categories) int16, (number,) int64
            Points made since the start without the upper bonus, points of each category, upper bonus.
        """
        from ..kernels.rollout import FIELDS, LANE, POINTS, ROW, SAVED, Games
        from ..kernels.turn_log import NoLog, turn_log

        start, space = self.start, self.space
        row, place = space.row(start), space.unchecked_index(start)
        fields = np.zeros((number, FIELDS), dtype=np.int64)
        fields[:, ROW], fields[:, SAVED] = row, start.saved
        fields[:, LANE] = (
            place - space.layout.offsets[row] - start.saved * space.layout.lane_count[space.layout.lane_sets[row]]
        )
        games = Games(fields.ravel(), np.full(number * self.categories, -1, dtype=np.int16))
        size = max(1, number // (self.threads * SLICES))
        with thread_map(self.threads) as in_threads:
            for turn in range(self.turns):
                order, filled = self.sort(fields), start.filled.bit_count() + turn
                log: NoLog | TurnLog = NoLog()
                if logs is not None:
                    logs.append(turn_log(number, self.rules.rolls_per_turn + int(space.most_saved[filled])))
                    log = logs[-1]
                play_slice = self.turn(filled, games, order, (first, seed, turn, log))
                begins = range(0, number, size)
                for _ in in_threads(play_slice, begins, [min(begin + size, number) for begin in begins]):
                    pass
                report(turn + 1)
        ends = space.layout.offsets[fields[:, ROW]] + fields[:, LANE]
        ends += fields[:, SAVED] * space.layout.lane_count[space.layout.lane_sets[fields[:, ROW]]]
        upper_bonus = final_bonus(space).astype(np.int64)[ends]
        return fields[:, POINTS].copy(), games.boxes.reshape(number, self.categories), upper_bonus

    def sort(self, fields: Ints) -> Ints:
        """Order that brings games of the same row and block together; writes the blocks into `fields`."""
        from ..kernels.rollout import BLOCK, BLOCK_LANE, LANE, ROW, ordered

        layout, row, lane = self.space.layout, fields[:, ROW], fields[:, LANE]
        fields[:, BLOCK_LANE] = lane % LANES
        fields[:, BLOCK] = lane - fields[:, BLOCK_LANE]
        blocks = layout.lane_upper.shape[1] // LANES
        return np.asarray(ordered(row * blocks + lane // LANES, len(layout.masks) * blocks))

    def turn(self, filled: int, games: Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """A function that plays one turn of the games ``order[begin:end]``, for any number of threads.

        Parameters
        ----------
        filled
            Number of filled categories before the turn.
        rest
            First game, seed and turn, on which the dice depend; and the log.
        """
        from ..kernels.rollout import RolloutJob, play_by_policy

        table = window(self.space, self.evaluator.values, filled)

        def play(begin: int, end: int) -> None:
            with self.policy() as policy:
                play_by_policy(begin, end, RolloutJob(policy, self.lattice_index, games, order, *rest), table)

        return play

    @contextmanager
    def policy(self) -> Iterator[Any]:
        """The policy for the kernels, with working memory that one call at a time uses."""
        try:
            policy = self.idle.pop()
        except IndexError:
            policy = self.new_policy(int(self.space.most_saved.max()))
        yield policy
        self.idle.append(policy)

    def new_policy(self, most_saved: int) -> PolicyJob | ScorePolicyJob:
        """The policy with new working memory for turns that begin with up to `most_saved` saved rolls."""
        from ..kernels.policy import PolicyJob, policy_scratch

        scratch = policy_scratch(self.dice, self.model, self.outcomes, most_saved, np.float64)
        return PolicyJob(self.model, self.outcomes, self.lattice, self.evaluator.ties, scratch)


class ScoreRollout(Rollout):
    """Games played for a goal or a utility; of equal options the one with the highest mean is taken.

    Parameters
    ----------
    strategy, start, threads
        As for :class:`Rollout`.
    evaluator
        That of the strategy, at the x of the start.
    """

    def __init__(self, strategy: Strategy, start: State, threads: int, evaluator: ScoreEvaluator) -> None:
        super().__init__(strategy, start, threads)
        self.model = self.model._replace(monotone=int(evaluator.objective.monotone and self.model.monotone))
        self.scores, self.mean_values = evaluator, evaluator.mean_values

    def sort(self, fields: Ints) -> Ints:
        """As for :class:`Rollout`; the games of a block are neighbours in the score, too."""
        from ..kernels.rollout import BLOCK, BLOCK_LANE, LANE, POINTS, ROW, SAVED
        from ..kernels.score_policy import score_blocks

        layout, row, lane = self.space.layout, fields[:, ROW], fields[:, LANE]
        state = layout.offsets[row] + fields[:, SAVED] * layout.lane_count[layout.lane_sets[row]] + lane
        x = fields[:, POINTS] + self.scores.x
        fields[:, BLOCK], fields[:, BLOCK_LANE] = score_blocks(self.scores.ranges(state), lane, x)
        return np.lexsort((fields[:, BLOCK], row))

    def turn(self, filled: int, games: Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """As for :class:`Rollout`."""
        from ..kernels.rollout import RolloutJob, play_by_scores

        scores, mean_table = self.scores.kernel_scores(filled), window(self.space, self.mean_values, filled)

        def play(begin: int, end: int) -> None:
            with self.policy() as policy:
                job = RolloutJob(policy, self.lattice_index, games, order, *rest)
                play_by_scores(begin, end, job, scores, mean_table)

        return play

    def new_policy(self, most_saved: int) -> PolicyJob | ScorePolicyJob:
        """As for :class:`Rollout`."""
        from ..kernels.score_policy import score_policy

        ties = self.scores.ties, self.scores.means.ties
        return score_policy(self.dice, self.model, self.outcomes, self.lattice, ties, most_saved)


def rollout_of(strategy: Strategy, position: CheckedPosition, threads: int) -> Rollout:
    """Games of a strategy from a checked position.

    Raises
    ------
    StateError
        If the table has no values for the points of the position.
    """
    evaluator = strategy.evaluator_at(position)
    if isinstance(evaluator, ScoreEvaluator):
        return ScoreRollout(strategy, position.state, threads, evaluator)
    return Rollout(strategy, position.state, threads)
