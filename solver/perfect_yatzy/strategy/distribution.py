"""The exact distribution of the final score when the mean is maximised, from any card on.

Forward through the layers: the chances of having made x points, one vector for each state, are pushed through one
turn. That turn is followed with the policy of the table, recomputed a card at a time, so that no file of decisions
is kept. Which option is taken where several are equal moves the tails: of equal holds the one with most dice,
then the higher faces; of equal categories the first on the sheet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from ..errors import RulesError, whole_number
from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE
from ..kernels.table_slices import TableSlice, restricted, window
from ..model.objectives import FRAME, ScoreObjective, Utility, final_bonus
from ..model.state_space import state_space
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.backward_induction import default_threads
from ..tablebase.store import table_path
from ..tablebase.table_file import check_memory
from .strategy import check_strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from .position import Position
    from .strategy import Strategy

ROWS = 16  # cards a thread takes at a time
MAX_STATES = 3_000_000  # of a table of means whose distribution is computed without being asked for
FORMAT = 1  # of a kept distribution


@dataclass(frozen=True)
class CategoryResult:
    """What becomes of one category.

    Attributes
    ----------
    category : str
        Id.
    mean : float
        Mean points of its box.
    struck : float
        Chance that it is crossed out (filled with 0).
    """

    category: str
    mean: float
    crossed_out: float


@dataclass(frozen=True)
class DiscreteDistribution:
    """Possible final scores, ascending, and their chances, which sum to 1: ``(n,)`` int64 and float64."""

    scores: Ints
    chances: Floats

    @property
    def mean(self) -> float:
        """Mean final score."""
        return float(self.scores @ self.chances)

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(np.maximum(0.0, (self.scores - self.mean) ** 2 @ self.chances)))


@dataclass(frozen=True)
class ScoreDistribution(DiscreteDistribution):
    """Chances of every final score.

    Attributes
    ----------
    scores : (n,) int64
        Consecutive final scores; the points on the starting card are counted.
    chances : (n,) float64
        They sum to 1.
    bonus : float
        Chance of the upper bonus.
    categories : tuple of CategoryResult
        For the categories open at the start.
    """

    bonus: float
    categories: tuple[CategoryResult, ...]

    def at_least(self, score: int) -> float:
        """Chance of this score or more."""
        if score <= self.scores[0]:
            return 1.0
        return min(1.0, float(self.chances[self.scores >= score].sum()))

    def percentile(self, percent: float) -> int:
        """Smallest score that is not exceeded in at least `percent` of the games."""
        below = np.cumsum(self.chances)
        place = int(np.searchsorted(below, percent / 100 - 1e-12))
        return int(self.scores[min(place, len(below) - 1)])


def has_distribution(rules: RuleSet) -> bool:
    """Whether the exact distribution is a matter of seconds: no saved rolls, no more than a few million states."""
    if rules.saved_rolls:
        return False
    space = state_space(rules)
    return space.size <= MAX_STATES


def distribution_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """The file that keeps the distribution of the empty card, whether or not it exists."""
    return table_path(rules, tables, "distribution").with_suffix(".json")


def known_distribution(
    strategy: Strategy,
    start: Position,
    points: int = 0,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> ScoreDistribution:
    """:func:`distribution`, kept beside the table of means if it is that of the empty card.

    A file that is damaged or made by another version is made anew.
    """
    from .._version import __version__

    checked = strategy.check(start)
    if checked.state != EMPTY_STATE:
        return distribution(strategy, checked, points=points, threads=threads)
    if points:
        whole = known_distribution(strategy, EMPTY_STATE, 0, tables, threads)
        return replace(whole, scores=whole.scores + points)
    made_by = {"format": FORMAT, "version": __version__, "fingerprint": strategy.rules.fingerprint}
    path = distribution_path(strategy.rules, tables)
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if made_by.items() <= kept.items():
            return ScoreDistribution(
                np.arange(len(kept["chances"])) + kept["lowest"],
                np.array(kept["chances"]),
                kept["bonus"],
                tuple(CategoryResult(*entry) for entry in kept["categories"]),
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    found = distribution(strategy, checked, points=0, threads=threads)
    about = {
        **made_by,
        "lowest": int(found.scores[0]),
        "bonus": found.bonus,
        "categories": [[r.category, r.mean, r.crossed_out] for r in found.categories],
        "chances": found.chances.tolist(),
    }
    with suppress(OSError), replacing(path) as file:
        file.write(json.dumps(about).encode())
    return found


def distribution(
    strategy: Strategy, start: Position | None = None, *, points: int | None = None, threads: int | None = None
) -> ScoreDistribution:
    """The exact distribution of the final score under the strategy's play.

    Parameters
    ----------
    strategy
        Of the mean.
    start
        Where the rest of the game begins: a card, its text or a state; default: the empty card.
    points
        What stands on the card already; default: what it says, for a bare state 0.

    Raises
    ------
    StateError
        If no game can arrive there, or `strategy` is none.
    RulesError
        If the rules save rolls, or the state space outgrows the memory; simulate instead.
    """
    check_strategy(strategy)
    checked = strategy.check(strategy.start if start is None else start)
    rules, state = strategy.rules, checked.state
    if isinstance(strategy.evaluator, ScoreEvaluator):
        raise RulesError("only the mean's play has an exact distribution; other play can be simulated")
    if rules.saved_rolls:
        raise RulesError(f"{rules.key} saves rolls: its distribution can only be simulated (yatzy simulate)")
    slabs = Utility(rules, lambda total: total.astype(np.float64), state)
    needs = slabs.needs()
    check_memory(rules, needs.doubled())
    return _Push(strategy, slabs, threads or default_threads()).run(
        checked.points if points is None else whole_number(points, "points")
    )


class _Push:
    def __init__(self, strategy: Strategy, slabs: ScoreObjective, threads: int) -> None:
        from ..kernels.lattice import kernel_lattice

        self.rules, self.slabs, self.space, self.threads = strategy.rules, slabs, slabs.space, threads
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model, self.pay = turn_model(self.rules, slabs.start), turn_outcomes(self.rules, slabs.start)
        self.steps, self.walk = kernel_lattice(self.dice), kernel_lattice(self.dice, False)
        self.ties = strategy.evaluator.ties
        whole = slabs.start == EMPTY_STATE
        self.values = strategy.values if whole else restricted(strategy.space, self.space, strategy.values)
        self.occurs = np.zeros(len(self.space.layout.masks), dtype=np.int64)
        for rows in self.space.layers[self.space.first_layer :]:
            self.occurs[rows] = 1

    def run(self, points: int) -> ScoreDistribution:
        """Layer by layer; the sum over each layer is 1."""
        from ..kernels.propagation import Support, pull_rows

        space, slabs = self.space, self.slabs.slabs
        first = space.first_layer
        known = Support(np.zeros(space.size, np.int64), np.full(space.size, -1, np.int64), np.zeros(space.size))
        layer = self.blank(first)
        begin = space.unchecked_index(space.start)
        layer.values[slabs.origin[begin] - layer.start] = 1.0
        known.high[begin], known.mass[begin] = 0, 1.0
        ended = np.zeros(self.pay.ends)
        for filled in range(first, space.categories):
            states = space.layer_slice(filled)
            chance = self.chances(filled, states)
            ended += np.einsum("s,sp->p", known.mass[states], chance)
            below, layer = layer, self.blank(filled + 1)
            head = (states.start, chance.ravel(), self.occurs, below, layer, slabs, self.model, self.pay, known)

            def pull(rows: Ints, head: tuple[Any, ...] = head) -> None:
                pull_rows(rows, *head)

            self.spread_out(pull, space.layers[filled + 1])
        return self.finish(layer, points, ended)

    def blank(self, filled: int) -> TableSlice:
        """An empty layer."""
        place = self.slabs.layer_slice(filled)
        return TableSlice(np.zeros(place.stop - place.start + FRAME), place.start)

    def spread_out(self, work: Callable[[Ints], None], rows: Ints) -> None:
        """Let the threads work on batches of rows."""
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in pool.map(work, [rows[i : i + ROWS] for i in range(0, len(rows), ROWS)]):
                pass

    def chances(self, filled: int, states: slice) -> Floats:
        """Chance of every payout for every state of a layer, `(states, payouts)`."""
        from ..kernels.policy import policy_scratch
        from ..kernels.propagation import chance_rows

        chance = np.zeros((states.stop - states.start, self.pay.ends))
        table = window(self.space, self.values, filled)
        flat, idle = chance.ravel(), list[Any]()

        def work(rows: Ints) -> None:
            try:
                scratch = idle.pop()
            except IndexError:
                scratch = policy_scratch(self.dice, self.model, self.pay, 0, np.float64)
            chance_rows(
                rows, states.start, flat, table, self.model, self.pay, self.steps, self.walk, self.ties, scratch
            )
            idle.append(scratch)

        self.spread_out(work, self.space.layers[filled])
        return chance

    def finish(self, layer: TableSlice, points: int, ended: Floats) -> ScoreDistribution:
        """Add the upper bonus, and what became of each category."""
        slabs, space = self.slabs.slabs, self.space
        bonuses = final_bonus(space).astype(np.int64)
        total = np.zeros(int(slabs.high.max() + bonuses.max(initial=0)) + 1)
        with_bonus = 0.0
        for state, bonus in enumerate(bonuses.tolist()):
            begin = slabs.origin[state] - layer.start
            chances = layer.values[begin : begin + slabs.high[state] + 1]
            total[bonus : bonus + len(chances)] += chances
            with_bonus += float(chances.sum()) if bonus else 0.0
        seen = np.flatnonzero(total)
        low, high = int(seen[0]), int(seen[-1])
        results = []
        for c in space.bit_of:
            mine = self.pay.category == c
            results.append(
                CategoryResult(
                    self.rules.categories[c].id,
                    float(ended[mine] @ self.pay.points[mine]),
                    float(ended[mine & (self.pay.points == 0)].sum()),
                )
            )
        return ScoreDistribution(np.arange(low, high + 1) + points, total[low : high + 1], with_bonus, tuple(results))
