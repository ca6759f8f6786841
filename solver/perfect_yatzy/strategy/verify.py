"""Verify a stored table by four checks that do not rely on the code that computed it.

1. File: are size, rules and SHA-256 those that the sidecar records?
2. Bellman equation: is every value that of one turn on the values of its children? (Random states, NumPy only.)
3. Published value: does the value of the game agree with the literature?
4. Simulation (on request): is the mean of simulated games within its sampling error of the value of the game?

A table is fetched from a folder or a host, such as another machine's tables folder, only if it
passes them.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._files import folder_lock, open_file, replace
from ..core.checked_values import DIGEST_BYTES, block_count
from ..core.objectives import Objective
from ..core.resources import check_space, writing_to
from ..core.rules import RuleSet
from ..core.state import State
from ..core.state_space import StateSpace
from ..core.table_file import HEADER_BYTES
from ..core.table_info import MAX_SIDECAR, rebuild_hint
from ..errors import StateError, TableError
from ..game.maximum_score import maximum_score
from ..settings import Folder, Settings
from ..tablebase.store import has_table, table_path
from ..tablebase.table_reader import read_table
from ..words import N_, _, number_text
from .strategy import Strategy
from .turn_evaluator import TurnEvaluator, state_at

MAX_RESIDUAL = 1e-9  # points
FALSE_ALARM_RATE = 1 / 16_000  # chance that the simulation of a correct table fails
SECONDS = 30.0  # the longest time without a byte from the host
CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class Check:
    """Result of one check."""

    name: str  # ``file``, ``equation``, ``published`` or ``simulation``
    passed: bool
    detail: str  # what was compared, in one line


def random_states(space: StateSpace, count: int, seed: int) -> Iterator[State]:
    """Yield `count` random states of the table with an open category.

    Every place in the table is equally likely.
    """
    random = np.random.default_rng(seed)
    offsets = space.layout.offsets
    unsorted = np.concatenate(space.layers)
    # The rows are sorted into the order of the table.
    rows = unsorted[np.argsort(offsets[unsorted], kind="stable")]
    starts = offsets[rows]
    # The table begins with the full cards, which end here.
    full = space.layer_slice(space.categories).stop
    if space.size == full:
        return
    for place in random.integers(full, space.size, count).tolist():
        row = int(rows[np.searchsorted(starts, place, side="right") - 1])
        yield state_at(space, row, place)


def bellman_residual(evaluator: TurnEvaluator, count: int, seed: int) -> float:
    """Return the most points by which the value of a random state differs from that of one turn.

    The turn is computed on the values of its children. If a value is no number (NaN), so is the
    result, and no limit holds for it.
    """
    differences = []
    for state in random_states(evaluator.space, count, seed):
        stored = float(evaluator.values[evaluator.space.index(state)])
        differences.append(abs(stored - evaluator.turn_value(state)))
    return float(np.max(differences, initial=0.0))


def verify(
    settings: Settings, rules: RuleSet, *, states: int = 500, games: int = 0, seed: int = 1
) -> Iterator[Check]:
    """Check a stored table of means by random states and simulated games.

    Yields each result as soon as it is known. Raises TableError if there is no table, or its file
    is damaged.
    """
    info, values = read_table(table_path(rules, settings.tables), Objective(rules), hashed=True)
    count = number_text(len(values), grouped=True)
    digest = info.sha256[:16]
    yield Check(
        N_("file"),
        True,  # it has been read
        _("{count} values, SHA-256 {digest}... as recorded", count=count, digest=digest),
    )
    evaluator = TurnEvaluator(rules, values)
    largest = bellman_residual(evaluator, states, seed)
    text = _("{count} random states, largest residual {largest}")
    detail = text.format(count=number_text(states, grouped=True), largest=f"{largest:.1e}")
    yield Check(N_("equation"), largest <= MAX_RESIDUAL + 2 * info.rounding, detail)
    start = info.start_value if info.start_value is not None else float(values[-1])
    if rules.published:
        difference = abs(start - float(rules.published.value))
        published = rules.published.value
        detail = _(
            "start value {start}, published {published}",
            start=number_text(start, 10),
            published=published,
        )
        yield Check(N_("published"), difference <= rules.published.tolerance, detail)
    if games:
        from .simulation import simulate

        strategy = Strategy(rules, info, evaluator)
        played = simulate(strategy, games, seed, threads=settings.threads)
        deviation = abs(played.mean - start)
        allowed = sampling_error_bound(games, played.standard_deviation, maximum_score(rules))
        figures = {
            "mean": played.mean,
            "error": played.standard_error,
            "expected": start,
            "allowed": allowed,
        }
        shown = {name: number_text(figure, 3) for name, figure in figures.items()}
        text = _("{games} games, mean {mean} ± {error} against {expected}, {allowed} allowed")
        detail = text.format(games=number_text(games, grouped=True), **shown)
        yield Check(N_("simulation"), deviation <= allowed + MAX_RESIDUAL + info.rounding, detail)


def sampling_error_bound(games: int, standard_deviation: float, score_range: float) -> float:
    """Return how far the mean of simulated games may be from the true mean, in points.

    The empirical Bernstein bound (Audibert, Munos and Szepesvari 2009, "Exploration-exploitation
    tradeoff using variance estimates in multi-armed bandits", Theorem 1): with probability at least
    1 - d, d = FALSE_ALARM_RATE,

        |mean - true mean| <= s * sqrt(2 * log(3 / d) / n) + 3 * R * log(3 / d) / n

    for n games with sample standard deviation s and scores from an interval of length R. It holds
    for any distribution; a multiple of the standard error would fail a correct table if no game met
    a rare event that pays.
    """
    log_term = math.log(3 / FALSE_ALARM_RATE)
    return standard_deviation * math.sqrt(2 * log_term / games) + 3 * score_range * log_term / games


def fetch(rules: RuleSet, source: str, tables: Folder = None) -> Path:
    """Store the table of a rule set's means from a folder or URL, and return the path of its file.

    Raises TableError if it is already solved.
    """
    path = table_path(rules, tables)
    objective = Objective(rules)
    if has_table(rules, tables):
        raise TableError(_("{rules} is already solved: {path}", rules=rules.key, path=path))
    values_size = objective.size * objective.store.itemsize
    size = values_size + HEADER_BYTES + block_count(values_size) * DIGEST_BYTES  # of the file
    check_space(path.parent, size)
    with (
        writing_to(path.parent),
        tempfile.TemporaryDirectory(prefix=".fetched-", dir=path.parent) as folder,
    ):
        new = Path(folder) / path.name
        for file, most in ((new.with_suffix(".json"), MAX_SIDECAR), (new, size)):
            copy(f"{source.rstrip('/')}/{file.name}", file, most)
        try:
            reason = "; ".join(
                check.detail for check in verify(Settings(folder), rules) if not check.passed
            )
        # The message is quoted without the advice to rebuild the copy, and without its temporary
        # folder.
        except TableError as error:
            reason = (
                str(error)
                .replace(f"; {rebuild_hint(objective, new)}", "")
                .replace(f"{folder}{os.sep}", "")
            )
        if reason:
            text = _("nothing was stored, because what {source} has is not right: {reason}")
            raise TableError(text.format(source=source, reason=reason))
        with folder_lock(path.parent):
            replace(new, path)
            # The sidecar comes last, because without it there is no table.
            replace(new.with_suffix(".json"), path.with_suffix(".json"))
    return path


def copy(origin: str, target: Path, most: int) -> None:
    """Copy a file of a folder or host.

    Of one longer than `most` bytes one byte too many is copied, which its check then finds.
    """
    from http.client import HTTPException
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    is_remote = "://" in origin
    try:
        if is_remote and urlsplit(origin).scheme not in ("http", "https"):
            raise StateError(_("a table is fetched from a folder, or from a host by http or https"))
        source = urlopen(origin, timeout=SECONDS) if is_remote else open_file(origin)
        with source, open(target, "wb") as copied:
            left = most + 1
            while left:
                part = source.read(min(CHUNK, left))
                if not part:
                    break
                left -= copied.write(part)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(
            _("cannot read the table {path}: {reason}", path=origin, reason=reason)
        ) from error
