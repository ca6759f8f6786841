"""Is this table right? Four questions, none answered by the code that made it.

1. Is the file what was written: size, rules and SHA-256?
2. Does every value follow from its children? (Bellman's equation on random states, by the NumPy turn.)
3. Does the start agree with what others have published?
4. Do games played by it score what it promises? (A simulation, on request; tests replay single games by hand.)
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..game.points import maximum_score
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..model.objectives import Objective
from ..model.state_space import StateSpace
from ..tablebase.store import table_path
from ..tablebase.table_file import read_table
from .strategy import Strategy
from .turn_evaluator import TurnEvaluator

RESIDUAL = 1e-9
FALSE_ALARM_RATE = 1 / 16_000  # how often an honest simulation may be called wrong


@dataclass(frozen=True)
class Check:
    """One question and its answer."""

    name: str
    passed: bool
    detail: str


def random_states(space: StateSpace, count: int, seed: int) -> Iterator[State]:
    """States of the table at random, every place equally likely; full cards are passed over."""
    random = np.random.default_rng(seed)
    layout = space.layout
    rows = np.concatenate(space.layers)
    rows = rows[np.argsort(layout.offsets[rows], kind="stable")]
    starts = layout.offsets[rows]
    full = space.layer_slice(space.categories).stop
    for place in random.integers(full, space.size, count) if space.size > full else []:
        row = int(rows[np.searchsorted(starts, place, side="right") - 1])
        chosen = layout.sets[row]
        saved, lane = divmod(int(place - layout.offsets[row]), int(layout.lane_count[chosen]))
        yield State(
            filled=int(layout.masks[row]),
            upper=int(layout.lane_upper[chosen, lane]),
            saved=saved,
            joker_paid=row >= space.cards,
        )


def residual(evaluator: TurnEvaluator, count: int, seed: int) -> float:
    """Largest difference between a stored value and one turn computed from its children."""
    worst = 0.0
    for state in random_states(evaluator.space, count, seed):
        stored = float(evaluator.values[evaluator.space.index(state)])
        worst = max(worst, abs(stored - evaluator.turn_value(state)))
    return worst


def verify(
    rules: RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    states: int = 500,
    games: int = 0,
    seed: int = 1,
    threads: int | None = None,
) -> Iterator[Check]:
    """Check a stored table, yielding each result as it is known.

    Parameters
    ----------
    states
        Random states for the Bellman check.
    games
        Games for the simulation, 0 for none.
    threads
        Processors that play them, by default all.

    Raises
    ------
    TableError
        If there is no whole table of these rules.
    """
    info, values = read_table(table_path(rules, tables), Objective(rules), hashed=True)
    yield Check("file", True, f"{len(values):,} values, SHA-256 {info.sha256[:16]}... as recorded")

    evaluator = TurnEvaluator(rules, values)
    worst = residual(evaluator, states, seed)
    yield Check(
        "equation", worst <= RESIDUAL + 2 * info.rounding, f"{states} random states, largest residual {worst:.1e}"
    )

    start = info.start_value if info.start_value is not None else float(values[-1])
    if rules.published:
        off = abs(start - float(rules.published.value))
        agrees = off <= rules.published.tolerance
        yield Check("published", agrees, f"start value {start:.10f}, published {rules.published.value}")
    if games:
        from .simulation import simulate

        played = simulate(Strategy(rules, info, evaluator), games, seed, threads=threads)
        off = abs(played.mean - start)
        detail = f"{games:,} games, mean {played.mean:.3f} ± {played.error:.3f} against {start:.3f}"
        allowed = stray(games, played.deviation, maximum_score(rules))
        yield Check("simulation", off <= allowed + RESIDUAL + info.rounding, f"{detail}, {allowed:.3f} allowed")


def stray(games: int, deviation: float, span: float) -> float:
    """How far the mean of some games may lie from the truth, in all but a share DOUBT of honest simulations.

    The standard error alone would call a table wrong where a rare, well-paid event was not met, or where every game
    ends alike. This is the empirical Bernstein bound (Audibert, Munos, Szepesvári 2009): it holds for any
    distribution on an interval of length `span`.
    """
    doubt = math.log(3 / FALSE_ALARM_RATE)
    return deviation * math.sqrt(2 * doubt / games) + 3 * span * doubt / games
