"""Is an approximate strategy what its certificate says? Checks of its file, its figures and, on request, its play."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from ..game.maximum import maximum_score
from ..game.rules import RuleSet
from ..strategy.fitted_file import fitted_path
from ..strategy.opening import open_approximate, open_strategy
from ..strategy.simulation import Z99
from ..strategy.verify import Check
from ..tablebase.store import has_table
from .rollout import ApproximateSimulation
from .simulation import simulate


def verify_approximate(
    rules: RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    games: int = 0,
    seed: int = 1,
    threads: int | None = None,
) -> Iterator[Check]:
    """Check the approximate strategy of a rule set, yielding each result when it is known.

    Parameters
    ----------
    rules, tables
        The game, and the folder of its file.
    games, seed
        Games to play again with other dice, 0 for none, and their seed.
    threads
        Number of threads; default: one per processor.

    Raises
    ------
    TableError
        If there is no such file, or it is damaged.
    """
    strategy = open_approximate(rules, tables)
    known = strategy.certificate
    low, high = known.interval99
    yield Check("file", True, f"{fitted_path(rules, tables).name}, SHA-256 as recorded")
    ordered = low <= known.mean <= high and low <= known.upper_bound and known.mean <= maximum_score(rules)
    yield Check("bound", ordered, f"mean {known.mean:.4f} ({low:.4f} to {high:.4f}), bound {known.upper_bound:.4f}")
    if has_table(rules, tables):
        exact = open_strategy(rules, tables).value()
        between = low <= exact <= known.upper_bound
        yield Check("exact", between, f"exact value {exact:.10f}, not below the mean and not above the bound")
    if games > 1:
        played = simulate(strategy, games, seed, threads=threads)
        assert isinstance(played, ApproximateSimulation)
        # Twice the 99 % interval of the difference: a false alarm in one of a few million runs.
        allowed = 2 * math.hypot(Z99 * played.standard_error, known.half_width)
        off = abs(played.mean - known.mean)
        detail = f"{games:,} games, mean {played.mean:.4f} against {known.mean:.4f}, {allowed:.4f} allowed"
        yield Check("simulation", off <= allowed, detail)
