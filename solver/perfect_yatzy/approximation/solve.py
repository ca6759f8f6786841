"""An approximate solution from a rule set: relaxation, fit, simulation, certificate.

    relaxation   a small relaxed game: prices of the boxes, and W, the baseline of the value function
    fit          the value function, by approximate value iteration
    simulation   the mean of the greedy strategy, with the value function as control variate
    bound        a larger relaxed game, whose value no strategy exceeds

Each finished stage is stored (:mod:`.stages`), so that an interrupted solution is resumed. The result depends on the
rules and the settings alone, not on the number of threads or the speed of the machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import StateError, whole_number
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..strategy.approximate_strategy import ApproximateStrategy
from ..strategy.certificate import Certificate
from ..strategy.fitted_file import OBJECTIVE, from_arrays, has_fitted, to_arrays, write_fitted
from ..strategy.fitted_values import FittedValues, first_guess
from ..strategy.opening import open_approximate
from .fit import FIT_GAMES, ROUNDS, fit_values
from .relaxation import Budget, relax
from .rollout import SIMULATION_SEED, simulate_values
from .stages import Arrays, Stages

GAMES = 20_000  # of the simulation
MINUTES = 10.0  # for the bound
BASELINE = Budget(seconds=100.0, memory=512 << 20, boxes=6)  # of the small relaxed game
MEMORY = 1 << 30  # bytes, of the larger relaxed game
STAGES = ("relaxation", "fit", "simulation", "bound")
Report = Callable[[str, float], None]  # name of a stage, and the fraction of it that is done


@dataclass(frozen=True)
class Settings:
    """What an approximate solution depends on; fields as the parameters of :func:`approximate`."""

    seed: int
    rounds: int
    fit_games: int
    games: int
    half_width: float
    minutes: float
    memory: int

    def check(self) -> None:
        """Raise StateError if a setting is out of range."""
        for name, least in (("seed", 0), ("rounds", 1), ("fit_games", 2), ("games", 2), ("memory", 1 << 20)):
            if whole_number(getattr(self, name), name) < least:
                raise StateError(f"{name} is {getattr(self, name)}; must be at least {least}")
        if not 0 < self.minutes < 1e6:
            raise StateError(f"minutes is {self.minutes}; must be a positive number")
        if not 0 <= self.half_width < 1e9:
            raise StateError(f"half_width is {self.half_width}; must not be negative")


def approximate(
    rules: str | Path | RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    seed: int = 1,
    games: int = GAMES,
    half_width: float = 0.0,
    rounds: int = ROUNDS,
    fit_games: int = FIT_GAMES,
    minutes: float = MINUTES,
    memory: int = MEMORY,
    threads: int | None = None,
    report: Report | None = None,
    force: bool = False,
) -> ApproximateStrategy:
    """An approximate strategy with a certificate, for a game that is too large for an exact table.

    The value function is stored in the folder of the tables; :func:`perfect_yatzy.open_strategy` opens it from then
    on. An interrupted solution is resumed after its last finished stage if the settings are the same.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    tables
        Folder of the tables, as for :func:`perfect_yatzy.open_strategy`.
    seed
        Of all games.
    games
        Games of the simulation.
    half_width
        The simulation ends earlier if half the 99 % interval of the mean is at most this, in points; 0 for never.
    rounds, fit_games
        Rounds of the fit, and games of the last round; every round before plays half as many.
    minutes
        For the bound, on a machine with two threads; the small relaxed game takes at most 100 seconds, and no
        longer than the bound.
    memory
        Bytes for the bound.
    threads
        Number of threads; default: one per processor.
    report
        Called with the name of the stage (:data:`STAGES`) and the fraction of it that is done.
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
    settings = Settings(seed, rounds, fit_games, games, half_width, minutes, memory)
    settings.check()
    if force or not has_fitted(rule_set, tables):
        with Stages(rule_set, OBJECTIVE, tables, asdict(settings)) as stages:
            pipeline = Pipeline(rule_set, settings, stages, threads, report)
            values, certificate = pipeline.run()
            write_fitted(values, certificate, tables)
            stages.remove()
    return open_approximate(rule_set, tables)


class Pipeline:
    """The stages, one after another; a stage that is finished already is read.

    Parameters
    ----------
    rules, settings, stages, threads, report
        As for :func:`approximate`.
    """

    def __init__(
        self, rules: RuleSet, settings: Settings, stages: Stages, threads: int | None, report: Report | None
    ) -> None:
        self.rules, self.settings, self.stages, self.threads = rules, settings, stages, threads
        self._take = report or (lambda stage, done: None)

    def _report(self, stage: str, done: float) -> None:
        """Report progress within a stage; only :meth:`_finish` reports its end."""
        self._take(stage, min(done, 0.999))

    def _finish(self, stage: str, record: dict[str, Any], arrays: Arrays | None = None) -> None:
        """Store a finished stage."""
        self.stages.put(stage, record, arrays or {})
        self._take(stage, 1.0)

    def run(self) -> tuple[FittedValues, Certificate]:
        """All stages."""
        values = self._fitted(self._baseline())
        simulated, bound = self._simulation(values), self._bound()
        seconds = {stage: self.stages.get(stage)[0]["seconds"] for stage in STAGES}
        certificate = Certificate(
            mean=simulated["mean"],
            interval99=tuple(simulated["interval99"]),
            plain_mean=simulated["plain_mean"],
            plain_error=simulated["plain_error"],
            games=simulated["games"],
            upper_bound=bound["bound"],
            exact_boxes=tuple(bound["exact"]),
            seed=self.settings.seed,
            iterations=self.settings.rounds,
            start_value=float(values.values(0, 0, 0, 0)[0]),
            seconds=sum(seconds.values()),
            memory=peak_memory(),
            stages={stage: self.stages.get(stage)[0] for stage in STAGES},
        )
        return values, certificate

    def _baseline(self) -> FittedValues:
        """The prices and the small relaxed game."""
        stage, began = "relaxation", time.perf_counter()
        if stage not in self.stages:
            budget = replace(BASELINE, seconds=min(BASELINE.seconds, 60.0 * self.settings.minutes))
            relaxed = relax(
                self.rules, budget, report=lambda name, done: self._report(stage, done), threads=self.threads
            )
            found = {"seconds": time.perf_counter() - began, "bound": relaxed.bound}
            values = first_guess(self.rules, relaxed.prices, relaxed.game, relaxed.values)
            self._finish(stage, found, to_arrays(values))
        return from_arrays(self.rules, self.stages.get(stage)[1])

    def _fitted(self, start: FittedValues) -> FittedValues:
        stage, settings = "fit", self.settings
        if stage in self.stages:
            return replace(start, coefficients=self.stages.get(stage)[1]["coefficients"])
        values, record = fit_values(
            start,
            games=settings.fit_games,
            rounds=settings.rounds,
            seed=settings.seed,
            threads=self.threads,
            progress=lambda what, done, total: self._report(stage, done / total),
        )
        found = {
            "seconds": record.seconds,
            "rounds": record.rounds,
            "games": record.games,
            "ridge": record.ridge,
            "errors": record.errors.tolist(),
        }
        self._finish(stage, found, {"coefficients": values.coefficients})
        return values

    def _simulation(self, values: FittedValues) -> dict[str, Any]:
        stage, settings = "simulation", self.settings
        if stage not in self.stages:
            played = simulate_values(
                values,
                games=settings.games,
                half_width=settings.half_width or None,
                seed=settings.seed + SIMULATION_SEED,
                threads=self.threads,
                progress=lambda done, width: self._report(stage, done / settings.games),
            )
            plain = played.plain_interval99
            found = {
                "seconds": played.seconds,
                "games": len(played.final_scores),
                "mean": played.mean,
                "interval99": list(played.interval99),
                "plain_mean": played.plain_mean,
                "plain_error": (plain[1] - plain[0]) / 2,
                "standard_deviation": played.standard_deviation,
                "box_means": played.box_means.tolist(),
            }
            self._finish(stage, found, {"final_scores": played.final_scores.astype(np.int32)})
        return self.stages.get(stage)[0]

    def _bound(self) -> dict[str, Any]:
        stage = "bound"
        if stage not in self.stages:
            began, budget = time.perf_counter(), Budget(60.0 * self.settings.minutes, self.settings.memory)
            relaxed = relax(
                self.rules, budget, report=lambda name, done: self._report(stage, done), threads=self.threads
            )
            found = {
                "seconds": time.perf_counter() - began,
                "bound": relaxed.bound,
                "exact": [self.rules.categories[c].id for c in relaxed.exact],
                "values": len(relaxed.values),
            }
            self._finish(stage, found)
        return self.stages.get(stage)[0]


def peak_memory() -> int:
    """Peak memory of this process in bytes; 0 where the system does not report it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) * (1 if os.uname().sysname == "Darwin" else 1024)
