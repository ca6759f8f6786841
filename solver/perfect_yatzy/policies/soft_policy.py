"""Soft policies: the better an option, the more often it is taken. Evaluated exactly, or by simulated games.

A :class:`SoftPolicy` has one number, its temperature in points. Of the options of a decision, option i with the loss
d_i against the best one is taken with a chance proportional to ::

    w(d) = max(0, 1 - d / (8 temperature))^8          about exp(-d / temperature)

Values are those of perfect play after the decision. What the policy gives away in a game is the sum of the expected
losses of its decisions (:mod:`perfect_yatzy.kernels.soft_policy`), so it is known for each game that is simulated,
too, with a much smaller standard deviation than that of the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError, shown
from ..game.dice import Floats, Ints, lattice
from ..game.scorecard import EMPTY_STATE
from ..kernels.table_slices import PADDING, TableSlice, restricted, window
from ..model.checked_values import Table
from ..model.policies import RowActions
from ..model.state_space import LANES, state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..strategy.greedy_policy import GreedyPolicy
from ..strategy.position import Position
from ..strategy.rollout import Points16, Rollout
from ..strategy.strategy import Strategy
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map

if TYPE_CHECKING:
    from ..kernels.rollout import Games
    from ..kernels.soft_policy import SoftPolicyJob
    from ..kernels.turn_log import TurnLog
    from ..strategy.rollout import TurnArguments

LIMIT = 8.0  # an option that loses more than this many temperatures is never taken; the power of the weights
ROWS = 16  # rows of states a thread takes at a time


class SoftPolicy:
    """A policy that takes worse options less often.

    Parameters
    ----------
    strategy
        Of the mean: perfect play, against which options lose.
    temperature
        In points, from 0 (perfect play, ties at random) to infinity (every option equally often).
    start
        The card where the games begin; default: the empty card.

    Raises
    ------
    StateError
        If the temperature is negative or no number, or no game can reach the start.
    """

    ties = GreedyPolicy.ties

    def __init__(self, strategy: Strategy, temperature: float, start: Position = EMPTY_STATE) -> None:
        if not isinstance(temperature, (int, float)) or not temperature >= 0:
            raise StateError(f"temperature is {shown(temperature)}; must be a number of points, at least 0")
        self.strategy, self.temperature = strategy, float(temperature)
        self.rules, self.start = strategy.rules, strategy.check(start).state
        self.space = state_space(self.rules, self.start)
        self._idle: list[SoftPolicyJob] = []  # jobs that no call uses at the moment

    @property
    def sharpness(self) -> float:
        """1 / the smallest loss, in points, of the options that are never taken."""
        return 1 / (LIMIT * self.temperature) if self.temperature > 1e-9 else 1e9

    def chances(self, losses: Floats) -> Floats:
        """Chance of each option of a decision, ``(n,)``, from their losses against the best one, ``(n,)`` points."""
        weights = np.maximum(0.0, 1 - self.sharpness * losses) ** LIMIT
        return np.asarray(weights / weights.sum())

    @cached_property
    def values(self) -> Table:
        """The values of perfect play for the states from the start on."""
        if self.start == self.strategy.space.start:
            return self.strategy.table
        return restricted(self.strategy.space, self.space, self.strategy.table)

    def layer(self, filled: int) -> RowActions:
        """Actions at the cards with `filled` categories filled; see :class:`perfect_yatzy.model.policies.Policy`."""
        from ..kernels.soft_policy import SoftTurns

        table = window(self.space, self.values, filled)

        def actions(rows: Ints) -> Iterator[tuple[Ints, Any]]:
            with self.job(0) as job:
                yield rows, SoftTurns(job, table)

        return actions

    @contextmanager
    def job(self, most_saved: int) -> Iterator[SoftPolicyJob]:
        """The arguments of the kernels, with working memory that one call at a time uses."""
        try:
            job = self._idle.pop()
        except IndexError:
            job = self.new_job(most_saved)
        yield job
        self._idle.append(job)

    def new_job(self, most_saved: int) -> SoftPolicyJob:
        """The arguments of the kernels, with new memory for turns that begin with up to `most_saved` saved rolls."""
        from ..kernels.lattice import indexed_lattice, kernel_lattice
        from ..kernels.soft_policy import SoftPolicyJob, hold_kinds, soft_scratch

        dice = lattice(self.rules.dice, self.rules.faces)
        model, outcomes = turn_model(self.rules, self.start), turn_outcomes(self.rules, self.start)
        scratch, kinds = soft_scratch(dice, model, outcomes, most_saved), hold_kinds(model, most_saved)
        passes = kernel_lattice(dice), indexed_lattice(dice)
        return SoftPolicyJob(model, outcomes, *passes, self.sharpness, kinds, scratch)


@dataclass(frozen=True)
class SoftEvaluation:
    """What a soft policy achieves from the empty card on. Returned by :func:`evaluate_soft`, :func:`simulate_soft`.

    Attributes
    ----------
    points_lost : float
        Expected points a game given away against perfect play.
    mean, standard_deviation : float
        Of the final score.
    error : float
        Standard error of `points_lost`: 0.0 for an exact evaluation.
    """

    points_lost: float
    mean: float
    standard_deviation: float
    error: float = 0.0


class SoftRollout(Rollout):
    """Games played by a soft policy.

    Parameters
    ----------
    policy
        From the empty card on.
    threads
        Number of threads.

    Attributes
    ----------
    lost : (games,) float64
        Points each game has given away.
    """

    def __init__(self, policy: SoftPolicy, threads: int) -> None:
        super().__init__(policy.strategy, policy.start, threads)
        self.soft, self.lost = policy, np.empty(0)

    def play(
        self,
        number: int,
        first: int,
        seed: int,
        report: Callable[[int], None] = lambda turn: None,
        logs: list[TurnLog] | None = None,
    ) -> tuple[Ints, Points16, Ints]:
        """As for :class:`perfect_yatzy.strategy.rollout.Rollout`; writes :attr:`lost`."""
        self.lost = np.zeros(number)
        return super().play(number, first, seed, report, logs)

    def turn(self, filled: int, games: Games, order: Ints, rest: TurnArguments) -> Callable[[int, int], None]:
        """As for :class:`perfect_yatzy.strategy.rollout.Rollout`."""
        from ..kernels.rollout import RolloutJob
        from ..kernels.soft_rollout import play_soft

        table, lost = window(self.space, self.evaluator.values, filled), self.lost

        def play(begin: int, end: int) -> None:
            with self.policy() as policy:
                play_soft(begin, end, RolloutJob(policy, self.lattice_index, games, order, *rest), table, lost)

        return play

    def new_policy(self, most_saved: int) -> SoftPolicyJob:  # type: ignore[override]
        """The policy with new working memory for turns that begin with up to `most_saved` saved rolls."""
        return self.soft.new_job(most_saved)


def evaluate_soft(policy: SoftPolicy, *, threads: int | None = None) -> SoftEvaluation:
    """What a soft policy achieves, exactly, by a backward pass alone; for all rule sets.

    :func:`perfect_yatzy.evaluate` also gives the distribution and where the points are lost.

    Parameters
    ----------
    policy
        The policy.
    threads
        Number of threads; default: one per processor. The result does not depend on it.

    Returns
    -------
    SoftEvaluation
        Exact up to float64 rounding. Yatzy takes about 5 s.
    """
    from ..kernels.soft_policy import SoftEvaluationJob, evaluate_soft_rows

    space, most = policy.space, int(policy.space.most_saved[: policy.space.categories].max(initial=0))

    def blank(filled: int) -> TableSlice:
        place = space.layer_slice(filled)
        return TableSlice(np.zeros(place.stop - place.start + PADDING), place.start)

    losses = variances = blank(space.categories)
    with thread_map(threads or default_threads()) as in_threads:
        for filled in range(space.categories - 1, space.first_layer - 1, -1):
            below, targets = (losses, variances), (blank(filled), blank(filled))
            table, saved = window(space, policy.values, filled), int(space.most_saved[filled])

            def work(
                rows: Ints,
                table: TableSlice = table,
                below: tuple[TableSlice, TableSlice] = below,
                targets: tuple[TableSlice, TableSlice] = targets,
                saved: int = saved,
            ) -> None:
                with policy.job(most) as job:
                    arguments = SoftEvaluationJob(job, table, below[0], targets[0], below[1], targets[1], saved)
                    evaluate_soft_rows(rows, arguments, np.zeros(3 * LANES))

            rows = space.layers[filled]
            for _ in in_threads(work, [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]):
                pass
            losses, variances = targets
    lost, variance = (float(part.values[-PADDING - 1]) for part in (losses, variances))
    return SoftEvaluation(lost, float(policy.values[-1]) - lost, sqrt(max(0.0, variance)))


def simulate_soft(
    policy: SoftPolicy, games: int = 20_000, seed: int = 1, *, threads: int | None = None
) -> SoftEvaluation:
    """What a soft policy achieves, estimated from simulated games.

    Parameters
    ----------
    policy
        The policy.
    games
        Number of games, 2 to 1,000,000.
    seed
        Seed of the dice and of the options drawn. The same seed gives the same games for any number of threads.
    threads
        Number of threads; default: one per processor.

    Returns
    -------
    SoftEvaluation
        ``error`` is the standard error of the points lost: about 0.2 % of them for 4,000 games.
    """
    rollout = SoftRollout(policy, threads or default_threads())
    made, _, bonus = rollout.play(games, 0, seed, lambda turn: None)
    lost, value = float(rollout.lost.mean()), float(policy.values[-1])
    error = float(rollout.lost.std(ddof=1)) / sqrt(games)
    return SoftEvaluation(lost, value - lost, float((made + bonus).std(ddof=1)), error)
