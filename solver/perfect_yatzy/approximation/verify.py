"""Is an approximate strategy what its certificate says? Checks of its file, its figures and, on request, its play."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from .._messages import N_, _, number_text
from ..game.maximum import maximum_score
from ..game.rules import RuleSet
from ..strategy.fitted_file import fitted_path
from ..strategy.opening import open_approximate, open_strategy
from ..strategy.simulation import Z99
from ..strategy.verify import Check
from ..tablebase.store import has_table
from .rollout import simulate


def verify_approximate(
    rules: RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    games: int = 0,
    seed: int = 1,
    threads: int | None = None,
) -> Iterator[Check]:
    """Check the approximate strategy of a rule set, yielding each result when it is known."""
    strategy = open_approximate(rules, tables)
    known = strategy.certificate
    low, high = known.interval99
    yield Check(N_("file"), True, _("{file}, SHA-256 as recorded").format(file=fitted_path(rules, tables).name))
    ordered = low <= known.mean <= high and low <= known.upper_bound and known.mean <= maximum_score(rules)
    figures = {"mean": known.mean, "low": low, "high": high, "bound": known.upper_bound}
    shown = {name: number_text(figure, 4) for name, figure in figures.items()}
    yield Check(N_("bound"), ordered, _("mean {mean} ({low} to {high}), bound {bound}").format(**shown))
    if has_table(rules, tables):
        exact = open_strategy(rules, tables).value()
        between = low <= exact <= known.upper_bound
        text = _("exact value {value}, not below the mean and not above the bound")
        yield Check(N_("exact"), between, text.format(value=number_text(exact, 10)))
    if games > 1:
        played = simulate(strategy, games, seed, threads=threads)
        # Twice the 99 % interval of the difference: a false alarm in one of a few million runs.
        allowed = 2 * math.hypot(Z99 * played.standard_error, known.half_width)
        figures = {"mean": played.mean, "expected": known.mean, "allowed": allowed}
        shown = {name: number_text(figure, 4) for name, figure in figures.items()}
        text = _("{games} games, mean {mean} against {expected}, {allowed} allowed")
        detail = text.format(games=number_text(games, grouped=True), **shown)
        yield Check(N_("simulation"), abs(played.mean - known.mean) <= allowed, detail)
