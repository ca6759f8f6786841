"""Games played by a strategy, by the million: every game a turn forward, then the next turn.

Games are sorted by card, those at the same card share one evaluation of its turn, and the dice depend on the seed,
the game, the turn and the roll only (:mod:`perfect_yatzy.kernels.rollout`). So the mean checks the value, two
policies can be
compared on the same dice, and game number 7 is the same game however many are played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import StateError, whole_number
from ..game.dice import Floats, Ints, lattice
from ..game.scorecard import State
from ..kernels.table_slices import Layered, TableSlice, window
from ..model.objectives import final_bonus
from ..model.state_space import LANES
from ..model.turn_model import turn_model, turn_outcomes
from ..tablebase.backward_induction import default_threads
from .strategy import check_strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from ..kernels.rollout import Games
    from .position import Position
    from .strategy import Strategy

Flags = npt.NDArray[np.bool_]
CHUNK = 1_000_000  # games in flight: bounds the memory
SLICES = 16  # parts of the sorted games a thread takes


@dataclass(frozen=True)
class Simulation:
    """Results of simulated games.

    Attributes
    ----------
    totals : (games,) int64
        Points made from the starting position on, upper bonus included.
    boxes : (games, categories) int16
        Points of each category, -1 where it was filled before the start.
    bonus : (games,) bool
        Whether the upper bonus was reached.
    categories : tuple of str
        Ids of the categories, in the order of `boxes`.
    """

    totals: Ints
    boxes: npt.NDArray[np.int16]
    bonus: Flags
    categories: tuple[str, ...]

    @property
    def mean(self) -> float:
        """Mean of the totals."""
        return float(self.totals.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of the totals."""
        return float(self.totals.std(ddof=1)) if len(self.totals) > 1 else 0.0

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.deviation / float(np.sqrt(len(self.totals)))

    def percentiles(self, at: Sequence[float]) -> Floats:
        """Totals at the given percentiles."""
        return np.asarray(np.percentile(self.totals, at))


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
    """Play games by a strategy, of the mean or of the whole final score.

    Parameters
    ----------
    games
        How many, at least 1.
    seed
        Of the dice, a whole number of 64 bits; the same seed gives the same games, whatever the number of threads.
    start
        Where each game starts: a card, its text or a state; default: the card the strategy was made for, which for
        that of the mean is the empty one.
    points
        What stands on that card already, default: what it says; a goal counts it, the totals do not.
    progress
        Called with the turns played and the turns in all.

    Returns
    -------
    Simulation

    Raises
    ------
    StateError
        If no game can arrive at the start, there are no games to play, or `strategy` is none.
    """
    check_strategy(strategy)
    games, seed = whole_number(games, "games"), whole_number(seed, "seed")
    if games < 1:
        raise StateError(f"games is {games}; must be at least 1")
    if not -(1 << 63) <= seed < 1 << 63:
        raise StateError(f"seed is {seed}; must be a number of 64 bits")
    checked = strategy.check(strategy.start if start is None else start)
    state, made = checked.state, checked.points if points is None else whole_number(points, "points")
    strategy.evaluator_at(replace(checked, points=made))  # refuses points that a table does not know
    table = _Table(strategy, state, threads or default_threads())
    turns = table.turns * -(-games // CHUNK)
    parts = []
    for number, first in enumerate(range(0, games, CHUNK)):

        def report(turn: int, before: int = number * table.turns) -> None:
            if progress:
                progress(before + turn, turns)

        parts.append(table.play(min(CHUNK, games - first), first, seed, made, report))
    totals, boxes, bonus = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Simulation(totals, boxes, bonus, tuple(c.id for c in strategy.rules.categories))


class _Table:
    """A strategy as the kernels take it."""

    def __init__(self, strategy: Strategy, start: State, threads: int) -> None:
        from ..kernels.lattice import kernel_lattice

        rules, self.threads, self.start = strategy.rules, threads, start
        self.evaluator, self.space = strategy.evaluator, strategy.space
        self.zero = getattr(strategy, "zero", 0)
        self.dice = lattice(rules.dice, rules.faces)
        self.model, self.pay = turn_model(rules, self.space.start), turn_outcomes(rules, self.space.start)
        self.steps, self.walk = kernel_lattice(self.dice), kernel_lattice(self.dice, False)
        self.by_scores = isinstance(self.evaluator, ScoreEvaluator)
        self.layers: Layered = self.evaluator.objective if isinstance(self.evaluator, ScoreEvaluator) else self.space
        self.values = strategy.values
        self.turns = self.space.categories - start.filled.bit_count()
        self.categories = self.space.categories

    def play(
        self, number: int, first: int, seed: int, points: int, report: Callable[[int], None]
    ) -> tuple[Ints, npt.NDArray[np.int16], Flags]:
        """So many games, the first of them number `first`."""
        from ..kernels.rollout import FIELDS, LANE, MADE, ROW, SAVED, Games

        start, space = self.start, self.space
        row, place = space.row(start), space.unchecked_index(start)
        now = np.zeros((number, FIELDS), dtype=np.int64)
        now[:, ROW], now[:, SAVED] = row, start.saved
        now[:, LANE] = (
            place - space.layout.offsets[row] - start.saved * space.layout.lane_count[space.layout.sets[row]]
        )
        games = Games(now.ravel(), np.full(number * self.categories, -1, dtype=np.int16))
        idle: list[Any] = []
        with ThreadPoolExecutor(self.threads) as pool:
            for turn in range(self.turns):
                order = self.sort(now, points)
                table = window(self.layers, self.values, start.filled.bit_count() + turn)
                size = max(1, number // (self.threads * SLICES))

                def run(
                    begin: int, order: Ints = order, table: TableSlice = table, turn: int = turn, size: int = size
                ) -> None:
                    self.turn(begin, min(begin + size, number), order, games, table, first, seed, turn, idle)

                for _ in pool.map(run, range(0, number, size)):
                    pass
                report(turn + 1)
        ends = space.layout.offsets[now[:, ROW]] + now[:, LANE]
        ends += now[:, SAVED] * space.layout.lane_count[space.layout.sets[now[:, ROW]]]
        bonus = final_bonus(space).astype(np.int64)[ends]
        return now[:, MADE] + bonus, games.box.reshape(number, self.categories), bonus > 0

    def sort(self, now: Ints, points: int) -> Ints:
        """The order that brings games of the same row and block together; notes the blocks."""
        from ..kernels.rollout import BLOCK, INNER, LANE, MADE, ROW, SAVED, ordered
        from ..kernels.score_turn import LANE_BITS, MIDDLE

        layout, row, lane = self.space.layout, now[:, ROW], now[:, LANE]
        if not isinstance(self.evaluator, ScoreEvaluator):
            now[:, INNER] = lane % LANES
            now[:, BLOCK] = lane - now[:, INNER]
            blocks = layout.lane_upper.shape[1] // LANES
            return np.asarray(ordered(row * blocks + lane // LANES, len(layout.masks) * blocks))
        lanes, slabs = 2 * LANES, self.evaluator.slabs
        state = layout.offsets[row] + now[:, SAVED] * layout.lane_count[layout.sets[row]] + lane
        low, high = slabs.low[state], slabs.high[state]
        x = np.clip(now[:, MADE] + points - self.zero, low - 1, high + 1)
        inside = (x >= low) & (x <= high)
        now[:, INNER] = np.where(inside, (x - low) % lanes, 0)
        now[:, BLOCK] = (lane << LANE_BITS) + np.where(x < low, low - lanes, x - now[:, INNER]) + MIDDLE
        return np.lexsort((now[:, BLOCK], row))

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
        """A turn of some of the games."""
        from ..kernels.policy import policy_scratch
        from ..kernels.rollout import play_by_means, play_by_scores

        try:
            scratch = idle.pop()
        except IndexError:
            most = int(self.space.most_saved.max())
            dtype = np.float32 if self.by_scores else np.float64
            scratch = policy_scratch(self.dice, self.model, self.pay, most, dtype)
        head = (begin, end, order, games, first, seed, turn, table)
        tail = (self.model, self.pay, self.steps, self.walk, self.evaluator.ties, scratch)
        if isinstance(self.evaluator, ScoreEvaluator):
            play_by_scores(*head, self.evaluator.slabs, *tail)
        else:
            play_by_means(*head, *tail)
        idle.append(scratch)
