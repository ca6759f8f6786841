"""The exact distribution of the final score under optimal play for the mean, from any card on.

A forward pass through the layers of states. Let P(s, x) be the chance that play reaches state s with x points scored
since the start. Then, for the children s' of the states s of a layer,

    P(s', x + p) = sum over s of P(s, x) * P(turn in s ends in s' with p points)

where the last factor is that of the optimal policy. The policy is recomputed from the table one card at a time, so no
decisions are stored. The mean does not depend on how ties are broken, the rest of the distribution does: of equal
holds the policy takes the one with the most dice, then the higher faces; of equal categories the first on the sheet.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from .._version import __version__
from ..errors import RulesError, whole_number
from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE
from ..kernels.table_slices import TableSlice, restricted, window
from ..model.objectives import FRAME, ScoreObjective, Utility, final_bonus
from ..model.state_space import state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import check_memory
from ..tablebase.store import table_path
from ..tablebase.table_file import DAMAGED, checked_fields, with_checksum
from ..tablebase.threads import thread_map
from .strategy import check_strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from .position import Position
    from .strategy import Strategy

ROWS = 16  # rows of states a thread takes at a time
MAX_STATES = 3_000_000  # largest state space whose distribution is computed unasked
FORMAT = 2  # of a stored distribution


@dataclass(frozen=True)
class CategoryResult:
    """Result of one category over all games.

    Attributes
    ----------
    category : str
        Id of the category.
    mean : float
        Expected points of its box.
    crossed_out : float
        Chance that the box is filled with 0.
    """

    category: str
    mean: float
    crossed_out: float


@dataclass(frozen=True)
class DiscreteDistribution:
    """A distribution over whole scores.

    Attributes
    ----------
    scores : (n,) int64
        Scores in ascending order.
    chances : (n,) float64
        Probability of each score; they sum to 1.
    """

    scores: Ints
    chances: Floats

    @property
    def mean(self) -> float:
        """Mean score, in points."""
        return float(self.scores @ self.chances)

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the score, in points."""
        return float(np.sqrt(np.maximum(0.0, (self.scores - self.mean) ** 2 @ self.chances)))


@dataclass(frozen=True)
class ScoreDistribution(DiscreteDistribution):
    """Distribution of the final score. Returned by :func:`distribution`.

    Attributes
    ----------
    scores : (n,) int64
        Consecutive final scores, ascending; points on the starting card are included.
    chances : (n,) float64
        Probability of each final score; they sum to 1 (to about 1e-12).
    upper_bonus_chance : float
        Probability of the upper bonus, 0 if the rules have none.
    categories : tuple of CategoryResult
        Results of the categories that are open at the start, in the order of the sheet.
    """

    upper_bonus_chance: float
    categories: tuple[CategoryResult, ...]

    def at_least(self, score: int) -> float:
        """Probability of `score` or more, P(final score >= score)."""
        if score <= self.scores[0]:
            return 1.0
        return min(1.0, float(self.chances[self.scores >= score].sum()))

    def percentile(self, percent: float) -> int:
        """Smallest score s with P(final score <= s) >= percent / 100.

        Parameters
        ----------
        percent
            From 0 to 100; 50 gives the median.
        """
        cumulative = np.cumsum(self.chances)
        place = int(np.searchsorted(cumulative, percent / 100 - 1e-12))
        return int(self.scores[min(place, len(cumulative) - 1)])


def has_distribution(rules: RuleSet) -> bool:
    """Whether the exact distribution takes seconds only: no saved rolls, at most MAX_STATES states."""
    if rules.saved_rolls:
        return False
    space = state_space(rules)
    return space.size <= MAX_STATES


def distribution_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """File of the stored distribution of the empty card; it need not exist."""
    return table_path(rules, tables, "distribution").with_suffix(".json")


def stored_distribution(
    strategy: Strategy,
    start: Position,
    points: int = 0,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> ScoreDistribution:
    """:func:`distribution`, stored next to the table of means if it starts from the empty card.

    A stored file that is damaged or written by another version is computed again and replaced.

    Parameters
    ----------
    strategy, start, points, threads
        As for :func:`distribution`.
    tables
        Folder of the tables, as for :func:`perfect_yatzy.open_strategy`.
    """
    checked = strategy.check(start)
    if checked.state != EMPTY_STATE:
        return distribution(strategy, checked, points=points, threads=threads)
    if points:
        whole = stored_distribution(strategy, EMPTY_STATE, 0, tables, threads)
        return replace(whole, scores=whole.scores + points)
    header = {"format": FORMAT, "version": __version__, "fingerprint": strategy.rules.fingerprint}
    path = distribution_path(strategy.rules, tables)
    try:
        stored = checked_fields(path.read_bytes())
        if header.items() <= stored.items():
            return ScoreDistribution(
                np.arange(len(stored["chances"])) + stored["lowest"],
                np.array(stored["chances"]),
                stored["upper_bonus_chance"],
                tuple(CategoryResult(*entry) for entry in stored["categories"]),
            )
    except (OSError, *DAMAGED):
        pass
    found = distribution(strategy, checked, points=0, threads=threads)
    contents = {
        **header,
        "lowest": int(found.scores[0]),
        "upper_bonus_chance": found.upper_bonus_chance,
        "categories": [[r.category, r.mean, r.crossed_out] for r in found.categories],
        "chances": found.chances.tolist(),
    }
    with suppress(OSError), replacing(path) as file:
        file.write(with_checksum(contents))
    return found


def distribution(
    strategy: Strategy, start: Position | None = None, *, points: int | None = None, threads: int | None = None
) -> ScoreDistribution:
    """The exact distribution of the final score under optimal play for the mean.

    Parameters
    ----------
    strategy
        The optimal strategy of a rule set, from :func:`perfect_yatzy.open_strategy`.
    start
        The position at the start of a turn from which the game is played: a scorecard, its text or a state. Default:
        where the strategy starts, the empty card.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    threads
        Number of threads; default: one per processor. The result does not depend on it.

    Returns
    -------
    ScoreDistribution

    Raises
    ------
    StateError
        If no game can reach the start, or `strategy` is not a strategy.
    RulesError
        If the strategy maximises something else than the mean, if the rules save rolls, or if the computation would
        not fit into memory; use :func:`perfect_yatzy.simulate` then.

    Notes
    -----
    The result is exact up to float64 rounding: its mean agrees with the value in the table to about 1e-10 points.
    Ties are broken as the module describes.
    """
    check_strategy(strategy)
    checked = strategy.check(strategy.start if start is None else start)
    rules, state = strategy.rules, checked.state
    if isinstance(strategy.evaluator, ScoreEvaluator):
        raise RulesError(
            "the exact distribution is available for a strategy of the mean only; simulate the games of this one"
        )
    if rules.saved_rolls:
        raise RulesError(f"{rules.key} saves rolls: its distribution can only be simulated (yatzy simulate)")
    # Only the places of the states and their scores are used, so any utility of the final score would do.
    objective = Utility(rules, lambda total: total.astype(np.float64), state)
    check_memory(rules, objective.solve_cost().doubled())
    return _ForwardPass(strategy, objective, threads or default_threads()).run(
        checked.points if points is None else whole_number(points, "points")
    )


class _ForwardPass:
    """P(s, x) of one layer of states after the other; see the module."""

    def __init__(self, strategy: Strategy, objective: ScoreObjective, threads: int) -> None:
        from ..kernels.lattice import indexed_lattice, kernel_lattice

        self.rules, self.objective, self.space, self.threads = strategy.rules, objective, objective.space, threads
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model = turn_model(self.rules, objective.start)
        self.outcomes = turn_outcomes(self.rules, objective.start)
        self.lattice, self.lattice_index = kernel_lattice(self.dice), indexed_lattice(self.dice)
        self.ties = strategy.evaluator.ties
        whole = objective.start == EMPTY_STATE
        self.values = strategy.table if whole else restricted(strategy.space, self.space, strategy.table)
        # Rows that states of this game can have: a bitmask may be impossible in a forced order or after the start.
        self.occurs = np.zeros(len(self.space.layout.masks), dtype=np.int64)
        for rows in self.space.layers[self.space.first_layer :]:
            self.occurs[rows] = 1

    def run(self, points: int) -> ScoreDistribution:
        """Compute P layer by layer and return the distribution of the last one; each layer sums to 1."""
        from ..kernels.propagation import PropagationJob, Support, pull_rows

        space, offsets = self.space, self.objective.score_offsets
        first = space.first_layer
        known = Support(np.zeros(space.size, np.int64), np.full(space.size, -1, np.int64), np.zeros(space.size))
        layer = self.new_layer(first)
        begin = space.unchecked_index(space.start)
        layer.values[offsets.origin[begin] - layer.start] = 1.0
        known.high[begin], known.mass[begin] = 0, 1.0
        outcome_chance = np.zeros(self.outcomes.size)  # probability of each outcome over the whole game
        for filled in range(first, space.categories):
            states = space.layer_slice(filled)
            chance = self.turn_chances(filled, states)
            outcome_chance += np.einsum("s,sp->p", known.mass[states], chance)
            below, layer = layer, self.new_layer(filled + 1)
            job = PropagationJob(
                model=self.model,
                outcomes=self.outcomes,
                offsets=offsets,
                occurs=self.occurs,
                first_parent=states.start,
                outcome_chance=chance.ravel(),
                parents=below,
                target=layer,
                support=known,
            )

            def pull(rows: Ints, job: PropagationJob = job) -> None:
                pull_rows(rows, job)

            self.in_parallel(pull, space.layers[filled + 1])
        return self.summarize(layer, points, outcome_chance)

    def new_layer(self, filled: int) -> TableSlice:
        """P of the states with `filled` filled categories, all zeros."""
        place = self.objective.layer_slice(filled)
        return TableSlice(np.zeros(place.stop - place.start + FRAME), place.start)

    def in_parallel(self, work: Callable[[Ints], None], rows: Ints) -> None:
        """Call `work` on slices of `rows`, in several threads."""
        with thread_map(self.threads) as in_threads:
            for _ in in_threads(work, [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]):
                pass

    def turn_chances(self, filled: int, states: slice) -> Floats:
        """Probability of every turn outcome in every state of a layer, ``(states, outcomes)`` float64."""
        from ..kernels.policy import PolicyJob, policy_scratch
        from ..kernels.propagation import chance_rows

        chance = np.zeros((states.stop - states.start, self.outcomes.size))
        table = window(self.space, self.values, filled)
        flat, idle = chance.ravel(), list[Any]()

        def work(rows: Ints) -> None:
            try:
                scratch = idle.pop()
            except IndexError:
                scratch = policy_scratch(self.dice, self.model, self.outcomes, 0, np.float64)
            job = PolicyJob(self.model, self.outcomes, self.lattice, self.ties, scratch)
            chance_rows(rows, job, table, self.lattice_index, states.start, flat)
            idle.append(scratch)

        self.in_parallel(work, self.space.layers[filled])
        return chance

    def summarize(self, layer: TableSlice, points: int, outcome_chance: Floats) -> ScoreDistribution:
        """Add the upper bonus to P of the full cards and sum over them; results of each category."""
        offsets, space = self.objective.score_offsets, self.space
        bonuses = final_bonus(space).astype(np.int64)
        total = np.zeros(int(offsets.high.max() + bonuses.max(initial=0)) + 1)
        upper_bonus_chance = 0.0
        for state, bonus in enumerate(bonuses.tolist()):
            begin = offsets.origin[state] - layer.start
            chances = layer.values[begin : begin + offsets.high[state] + 1]
            total[bonus : bonus + len(chances)] += chances
            upper_bonus_chance += float(chances.sum()) if bonus else 0.0
        possible = np.flatnonzero(total)
        low, high = int(possible[0]), int(possible[-1])
        results = []
        for c in space.bit_of:
            in_category = self.outcomes.category == c
            results.append(
                CategoryResult(
                    self.rules.categories[c].id,
                    float(outcome_chance[in_category] @ self.outcomes.points[in_category]),
                    float(outcome_chance[in_category & (self.outcomes.points == 0)].sum()),
                )
            )
        scores, chances = np.arange(low, high + 1) + points, total[low : high + 1]
        return ScoreDistribution(scores, chances, upper_bonus_chance, tuple(results))
