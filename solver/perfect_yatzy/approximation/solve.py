"""Make an approximate solution from a rule set: relaxation, fit, simulation, certificate.

    relaxation   a small relaxed game: prices of the boxes, and W, the baseline of the value function
    fit          the value function, by approximate value iteration
    simulation   the mean of the greedy strategy, with the value function as control variate
    bound        a larger relaxed game, whose value no strategy exceeds

The simulation has a control variate that removes nearly all luck of the dice. A turn from the state
S is worth E(S), its exact expectation on the fitted values V of the cards after it. Play is greedy
on the same values, so what a turn reaches, points + V(S'), is E(S) on average, whatever the values
are::

    D = sum over the turns of (points + V(S') - E(S))         has mean zero
    X - D = E(start) + sum over the turns but the first of (E(S) - V(S))

for the final score X, because V is exact for a full card. X - D has the mean of X and a far smaller
variance: it depends on the dice only through the errors of the values at the states that the game
visits. (Veness, Lanctot and Bowling, "Variance reduction in Monte-Carlo tree search", NIPS 2011.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._sources import sources_of_values
from ..core.dice import Floats, Ints
from ..core.resources import check_space
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.state import EMPTY_STATE, State
from ..core.table_info import part_path
from ..errors import StateError, TableError, game_over, whole_number
from ..game.maximum_score import maximum_score
from ..game.random_dice import Games
from ..game.rule_loader import load_rules
from ..settings import Folder, Settings
from ..strategy.simulation import Z99, Simulation, check_seed
from ..strategy.strategy import Position
from ..strategy.verify import MAX_RESIDUAL, Check
from ..tablebase.checkpoint import checkpoint_path, remove_checkpoint, store_layer, stored_layer
from ..tablebase.estimates import LANE_OPERATIONS_PER_SECOND, log_long
from ..tablebase.machine import peak_memory
from ..tablebase.sharded_solve import driver_lock
from ..tablebase.store import has_table
from ..tablebase.work_identity import WorkIdentity
from ..words import N_, _, number_text
from . import approximate_cost as costs
from . import fitted_file
from .approximate_strategy import ApproximateStrategy, needs_table
from .fit import LaneTurns, fit_values, same_cards
from .fitted_file import Certificate, FittedValues, first_guess, fitted_path
from .opening import open_approximate, open_strategy
from .relaxation import Budget, Relaxation, relax

BATCH = 4096  # games played at the same time
# This is added to the seed of a fit, so that the games that judge a strategy are not those it learned
# from.
SIMULATION_SEED = 1 << 20
SPACE = 64 << 20  # bytes that must be free
UNIT = 1e12  # operations that are 1 in the setting `work`
STAGES = ("relaxation", "fit", "simulation", "bound")
Known = Mapping[str, float]  # `mean`, `half_width` and `bound`, as far as they are known
# Takes the name of a stage, the share of it that is done, and what is known.
Report = Callable[[str, float, Known], None]


@dataclass(frozen=True, repr=False)
class ApproximateSimulation(Simulation):
    """Simulated games by a fitted value function, with the fitted values as control variate."""

    # (games,) float64: what the dice gave beyond the expectation, in points. It is D of the module,
    # and its mean is 0.
    luck: Floats
    seconds: float

    @property
    def plain_mean(self) -> float:
        """Mean of the final scores, without the control variate."""
        return super().mean

    @property
    def mean(self) -> float:
        """Mean of the final scores, luck removed."""
        return float((self.final_scores - self.luck).mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean with the luck removed."""
        without = self.final_scores - self.luck
        if len(without) < 2:
            return math.inf
        return float(without.std(ddof=1) / math.sqrt(len(without)))

    @property
    def interval99(self) -> tuple[float, float]:
        """99 % interval of the mean."""
        half = Z99 * self.standard_error
        return self.mean - half, self.mean + half

    @property
    def plain_interval99(self) -> tuple[float, float]:
        """99 % interval of the mean, without the control variate."""
        half = Z99 * self.standard_deviation / math.sqrt(len(self.final_scores))
        return self.plain_mean - half, self.plain_mean + half


class _PlayedPart(NamedTuple):
    """Some games of a simulation."""

    scores: Ints  # (games,): points made from the start on, with the upper bonus
    luck: Floats  # (games,)
    category_points: npt.NDArray[np.int16]  # (games, categories)
    upper_bonus: Ints  # (games,)


def _played_part(
    turns: LaneTurns, start: State, numbers: Ints, seed: int, report: Callable[[int], None]
) -> _PlayedPart:
    """Play the games with these numbers from a card on, whose own points are not in the scores.

    `report` takes the number of turns that are played.
    """
    rules = turns.rules
    games = len(numbers)
    states = same_cards(rules, start, games)
    scores = np.zeros(games, dtype=np.int64)
    luck = np.zeros(games)
    # -1 stays for boxes that are filled at the start.
    points = np.full((games, len(rules.categories)), -1, dtype=np.int16)
    first_turn = start.filled.bit_count()
    for turn in range(first_turn, len(rules.categories)):
        played = turns.play(states, numbers, seed, turn)
        states = played.states
        scores += played.points + played.bonus_points
        luck += played.reached - played.expected
        points[np.arange(games), played.category] = played.points
        report(turn + 1 - first_turn)
    bonus = upper_sums(rules).bonuses(states.upper)
    return _PlayedPart(scores + bonus, luck, points, bonus)


def simulate_values(  # noqa: PLR0913 - where games start, when they end
    values: FittedValues,
    *,
    games: int,
    half_width: float = 0.0,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, float, float], None] | None = None,
    start: State = EMPTY_STATE,
    points_before: int = 0,
    first: int = 0,
) -> ApproximateSimulation:
    """Play games greedily on fitted values, until half the 99 % interval is at most `half_width`.

    All games are played if that is 0.
    """
    if games < 1 or half_width < 0:
        raise StateError("the number of games and the width of the interval must be positive")
    started = time.perf_counter()
    rules = values.rules
    turns = LaneTurns(values, threads)
    open_boxes = len(rules.categories) - start.filled.bit_count()
    parts = list[_PlayedPart]()
    done = 0  # games so far
    half = math.inf  # half the width of the interval of their mean
    total = 0.0  # sum of their scores without luck
    squares = 0.0  # sum of the squares of these
    size = 0  # games that are played at the same time

    def report(turns_played: int) -> None:
        if progress:
            finished = size * turns_played // open_boxes  # as if whole games were played
            progress(done + finished, total / max(1, done), half)

    while done < games and (not half_width or done < 2 or half > half_width):
        size = min(BATCH, games - done)
        numbers = first + np.arange(done, done + size)
        part = _played_part(turns, start, numbers, seed, report)
        parts.append(part)
        without = part.scores + points_before - part.luck
        done += size
        total += without.sum()
        squares += (without * without).sum()
        if done > 1:
            half = Z99 * math.sqrt(max(0.0, squares - total * total / done) / (done - 1) / done)
    all_games = _PlayedPart(*map(np.concatenate, zip(*parts, strict=True)))
    return ApproximateSimulation(
        rules=rules,
        policy="approximate-mean",
        seed=seed,
        points_before=points_before,
        final_scores=all_games.scores + points_before,
        category_points=all_games.category_points,
        upper_bonus=all_games.upper_bonus,
        luck=all_games.luck,
        seconds=time.perf_counter() - started,
    )


def simulate(  # noqa: PLR0913 - as the published simulate
    strategy: ApproximateStrategy,
    games: int,
    seed: int = 1,
    start: Position | None = None,
    threads: int | None = None,
    *,
    points: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ApproximateSimulation:
    """Play games under an approximate strategy, as :func:`perfect_yatzy.simulate` does."""
    games = whole_number(games, "games")
    seed = check_seed(seed)
    checked = strategy.check_start(start)
    if checked.state.filled == strategy.rules.full_mask:
        raise game_over()
    function = strategy.evaluator.function
    if not isinstance(function, FittedValues):
        raise needs_table(strategy.rules, "a simulation by a function that is not fitted")
    report = (lambda done, mean, width: progress(done, games)) if progress else None
    before = checked.points if points is None else whole_number(points, "points")
    return simulate_values(
        function,
        games=games,
        seed=seed,
        threads=threads,
        progress=report,
        start=checked.state,
        points_before=before,
    )


def verify_approximate(
    settings: Settings, rules: RuleSet, *, games: int = 0, seed: int = 1
) -> Iterator[Check]:
    """Check the approximate strategy of a rule set. Yields each result as soon as it is known."""
    strategy = open_approximate(rules, settings.tables)
    known = strategy.certificate
    low, high = known.interval99
    yield Check(
        N_("file"),
        True,
        _("{file}, SHA-256 as recorded").format(file=fitted_path(rules, settings.tables).name),
    )
    is_in_interval = low <= known.mean <= high
    is_possible = low <= known.upper_bound and known.mean <= maximum_score(rules)
    ordered = is_in_interval and is_possible
    shown = _texts(mean=known.mean, low=low, high=high, bound=known.upper_bound)
    yield Check(
        N_("bound"), ordered, _("mean {mean} ({low} to {high}), bound {bound}").format(**shown)
    )
    if has_table(rules, settings.tables):
        exact = open_strategy(rules, settings.tables).value()
        between = low <= exact <= known.upper_bound
        text = _("exact value {value}, not below the mean and not above the bound")
        yield Check(N_("exact"), between, text.format(value=number_text(exact, 10)))
    if games > 1:
        played = simulate(strategy, games, seed, threads=settings.threads)
        # Twice the 99 % interval of the difference gives a false alarm in one of a few million runs.
        # Where the fitted function is exact, no luck is left, and only rounding is allowed.
        allowed = 2 * math.hypot(Z99 * played.standard_error, known.half_width) + MAX_RESIDUAL
        shown = _texts(mean=played.mean, expected=known.mean, allowed=allowed)
        text = _("{games} games, mean {mean} against {expected}, {allowed} allowed")
        detail = text.format(games=number_text(games, grouped=True), **shown)
        yield Check(N_("simulation"), abs(played.mean - known.mean) <= allowed, detail)


def _texts(**figures: float) -> dict[str, str]:
    """Return figures as the text of a message has them."""
    return {name: number_text(figure, 4) for name, figure in figures.items()}


@dataclass(frozen=True)
class Effort:
    """What an approximate solution depends on.

    The fields are the parameters of :func:`approximate`.
    """

    seed: int
    rounds: int
    fit_games: int
    games: int
    half_width: float
    work: float
    minutes: float | None
    memory: int

    def check(self) -> None:
        """Raise StateError if a setting is out of range."""
        for name, least in (
            ("seed", 0),
            ("rounds", 1),
            ("fit_games", 2),
            ("games", 2),
            ("memory", 1 << 20),
        ):
            if whole_number(getattr(self, name), name) < least:
                raise StateError(f"{name} is {getattr(self, name)}; must be at least {least}")
        if not 0 <= self.work < 1e9:
            raise StateError(f"work is {self.work}; must not be negative")
        if self.minutes is not None and not 0 < self.minutes < 1e6:
            raise StateError(f"minutes is {self.minutes}; must be a positive number")
        if not 0 <= self.half_width < 1e9:
            raise StateError(f"half_width is {self.half_width}; must not be negative")


def approximate(  # noqa: PLR0913 - the published parameters
    rules: str | Path | RuleSet,
    tables: Folder = None,
    *,
    seed: int = 1,
    games: int = costs.GAMES,
    half_width: float = 0.0,
    rounds: int = costs.ROUNDS,
    fit_games: int = costs.FIT_GAMES,
    work: float = costs.BOUND_WORK / UNIT,
    minutes: float | None = None,
    memory: int = costs.BOUND_MEMORY,
    threads: int | None = None,
    report: Report | None = None,
    force: bool = False,
) -> ApproximateStrategy:
    """Make an approximate strategy with a certificate, for a game too large for an exact table.

    The value function is stored in the folder of the tables, and :func:`perfect_yatzy.open_strategy`
    opens it from then on. An interrupted solution is resumed after its last finished stage if the
    settings are the same.

    Parameters
    ----------
    rules, tables, threads
        As for :func:`perfect_yatzy.open_strategy`.
    seed
        Seed of all games.
    games
        Games of the simulation.
    half_width
        The simulation ends earlier if half the 99 % interval of the mean is at most this, in
        points; 0 for never.
    rounds, fit_games
        Rounds of the fit, and games of the last round. Every round before it plays half as many.
    work
        The most operations for the bound, in 10^12. Two threads do that many in about 20 seconds.
        The small relaxed game takes at most 5, and no more than the bound.
    minutes
        Minutes for the bound, in place of `work`. These are as many operations as this machine does in
        that time, at the speed it had in the first stage. That does not repeat. The certificate
        records the number under ``stages``.
    memory
        Bytes for the bound.
    report
        Called with the name of the stage (:data:`STAGES`), the share of it that is done, and a
        mapping with ``mean``, ``half_width`` (of its 99 % interval) and ``bound``, as far as they
        are known. Without it a solution that takes more than 10 s is logged before it begins.
    force
        Make it again even if it is in the folder.

    Returns
    -------
    ApproximateStrategy

    Raises
    ------
    RulesError
        If the rules are unknown or wrong, or have too many boxes.
    StateError
        If a setting is out of range.
    TableError
        If another process makes the same strategy, or the folder cannot be written to.
    """
    rule_set = load_rules(rules)
    effort = Effort(seed, rounds, fit_games, games, half_width, work, minutes, memory)
    effort.check()
    if force or not fitted_file.has_fitted(rule_set, tables):
        seconds = costs.approximate_seconds(rule_set, work=UNIT * work, minutes=minutes)
        log_long(f"making an approximate strategy of {rule_set.key}", seconds, report)
        path = fitted_file.fitted_path(rule_set, tables)
        solution = Solution(rule_set, effort, path, threads, report)
        with solution.resumed():
            fitted_file.write_fitted(*solution.solve(), tables)
    return open_approximate(rule_set, tables)


class _Stage(NamedTuple):
    """A finished stage."""

    record: dict[str, Any]
    arrays: fitted_file.Arrays


class Solution:
    """The stages of one solution, one after another. A stage that is finished already is read.

    NAME.part is locked meanwhile. NAME.part.layer has the effort, and the record and arrays of each
    stage. These are the names of an unfinished table, so `yatzy tables` lists and removes them. Stages
    of another identity (rules, effort, sources) are not used.
    """

    def __init__(
        self,
        rules: RuleSet,
        effort: Effort,
        path: Path,
        threads: int | None,
        report: Report | None,
    ) -> None:
        self.rules = rules
        self.effort = effort
        self.path = path
        self.threads = threads
        self.report = report or (lambda stage, done, known: None)
        self.known: dict[str, float] = {}
        self.records: dict[str, Any] = {}
        self.arrays: fitted_file.Arrays = {}

    @contextmanager
    def resumed(self) -> Iterator[None]:
        """Hold the lock of the solution, with the stages that are finished already.

        Their files are deleted only if the body succeeds, which must have written the result by
        then. Raises TableError if another process makes the same strategy, or the disk has no room.
        """
        check_space(self.path.parent, SPACE)
        with driver_lock(part_path(self.path)) as free:
            if not free:
                rules = self.rules.key
                raise TableError(
                    f"another process is making the approximate strategy of {rules}; wait for it"
                )
            self._read_finished_stages()
            yield
            remove_checkpoint(self.path)

    def _read_finished_stages(self) -> None:
        """Read the records and the arrays of the stages that are stored, if there are any."""
        stored = stored_layer(checkpoint_path(self.path), self.identity)
        if stored:
            values, fields = stored
            self.arrays = fitted_file.unpacked(values.tobytes())
            self.records = fields["stages"]

    @property
    def identity(self) -> WorkIdentity:
        """The identity of this solution."""
        sources = sources_of_values(__file__)
        return WorkIdentity.of(self.rules, fitted_file.OBJECTIVE, asdict(self.effort), sources)

    def solve(self) -> tuple[FittedValues, Certificate]:
        """Run all stages, and return the value function and its certificate."""
        for record in self.records.values():
            self._learn(record)
        baseline = self._stage("relaxation", self._baseline)
        start = fitted_file.from_arrays(self.rules, baseline.arrays)
        fitted = self._stage("fit", lambda: self._fit(start))
        values = replace(start, coefficients=fitted.arrays["coefficients"])
        simulated = self._stage("simulation", lambda: self._simulation(values)).record
        bound = self._stage("bound", self._bound).record
        certificate = Certificate(
            **{name: simulated[name] for name in ("mean", "plain_mean", "plain_error", "games")},
            interval99=tuple(simulated["interval99"]),
            upper_bound=bound["bound"],
            exact_boxes=tuple(bound["exact"]),
            seed=self.effort.seed,
            iterations=self.effort.rounds,
            start_value=float(values.values(0, 0, 0, 0)[0]),
            seconds=sum(record["seconds"] for record in self.records.values()),
            memory=peak_memory(),
            stages=self.records,
        )
        return values, certificate

    def _stage(self, stage: str, run: Callable[[], _Stage]) -> _Stage:
        """Return the record and the arrays of a stage, which is run and stored if it is not yet.

        The names of stored arrays begin with that of their stage.
        """
        prefix = f"{stage}/"
        if stage not in self.records:
            finished = run()
            self.records[stage] = finished.record
            self.arrays |= {prefix + name: array for name, array in finished.arrays.items()}
            values = np.frombuffer(fitted_file.packed(self.arrays)[0], dtype=np.uint8)
            store_layer(checkpoint_path(self.path), self.identity, values, stages=self.records)
            self._learn(self.records[stage])
            self.report(stage, 1.0, self.known)
        arrays = {
            name.removeprefix(prefix): array
            for name, array in self.arrays.items()
            if name.startswith(prefix)
        }
        return _Stage(self.records[stage], arrays)

    def _report(self, stage: str, done: float) -> None:
        """Report progress within a stage. Only :meth:`_stage` reports its end."""
        self.report(stage, min(done, 0.999), self.known)

    def _learn(self, record: dict[str, Any]) -> None:
        """Keep what a stage has found, for reports."""
        if "bound" in record:
            self.known["bound"] = min(record["bound"], self.known.get("bound", record["bound"]))
        if "interval99" in record:
            low, high = record["interval99"]
            self.known |= {"mean": record["mean"], "half_width": (high - low) / 2}

    def _relaxed(self, stage: str, budget: Budget) -> tuple[Relaxation, dict[str, Any]]:
        """Return a relaxed game, and its record."""
        began = time.perf_counter()
        relaxed = relax(
            self.rules,
            budget,
            report=lambda _part, done: self._report(stage, done),
            threads=self.threads,
        )
        return relaxed, {
            "seconds": time.perf_counter() - began,
            "bound": relaxed.bound,
            "work": relaxed.work / UNIT,
        }

    def _bound_work(self, speed: float) -> float:
        """Return the most operations for the bound, at so many a second."""
        minutes = self.effort.minutes
        return UNIT * self.effort.work if minutes is None else 60 * minutes * speed

    def _baseline(self) -> _Stage:
        """Return the prices and the small relaxed game."""
        work = min(costs.BASELINE_WORK, self._bound_work(LANE_OPERATIONS_PER_SECOND))
        relaxed, record = self._relaxed(
            "relaxation", Budget(work, costs.BASELINE_MEMORY, costs.BASELINE_BOXES)
        )
        record["speed"] = relaxed.speed
        values = first_guess(self.rules, relaxed.game.prices, relaxed.game, relaxed.values)
        return _Stage(record, fitted_file.to_arrays(values))

    def _fit(self, start: FittedValues) -> _Stage:
        """Return the coefficients of the value function."""
        effort = self.effort

        def report(done: int, total: int) -> None:
            self._report("fit", done / total)

        values, record = fit_values(
            Settings(threads=self.threads, progress=report),
            start,
            Games(effort.fit_games, effort.seed),
            rounds=effort.rounds,
        )
        return _Stage(record, {"coefficients": values.coefficients})

    def _simulation(self, values: FittedValues) -> _Stage:
        """Return the mean of the greedy strategy on fitted values, which has no arrays."""
        effort = self.effort

        def report(done: int, mean: float, half_width: float) -> None:
            if half_width < math.inf:
                self.known |= {"mean": mean, "half_width": half_width}
            self._report("simulation", done / effort.games)

        seed = effort.seed + SIMULATION_SEED
        limits: dict[str, Any] = {"games": effort.games, "half_width": effort.half_width}
        played = simulate_values(values, **limits, seed=seed, threads=self.threads, progress=report)
        low, high = played.plain_interval99
        record = {
            "seconds": played.seconds,
            "games": len(played.final_scores),
            "mean": played.mean,
            "interval99": list(played.interval99),
            "plain_mean": played.plain_mean,
            "plain_error": (high - low) / 2,
            "standard_deviation": played.standard_deviation,
            "box_means": played.category_points.mean(axis=0).tolist(),
        }
        return _Stage(record, {})

    def _bound(self) -> _Stage:
        """Return the bound of a larger relaxed game, which has no arrays."""
        most_work = self._bound_work(self.records["relaxation"]["speed"])
        relaxed, record = self._relaxed("bound", Budget(most_work, self.effort.memory))
        work = record.pop("work")  # the record has it after the limit
        record["exact"] = [self.rules.categories[c].id for c in relaxed.game.exact]
        record |= {"values": len(relaxed.values), "most_work": most_work / UNIT, "work": work}
        return _Stage(record, {})
