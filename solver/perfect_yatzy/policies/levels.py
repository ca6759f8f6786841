"""Levels of computer opponents: how many points a game each gives away, and the temperature that achieves it.

A level is a :class:`.soft_policy.SoftPolicy` that loses a share of the expected final score of perfect play.

The loss rises with the temperature T, about as T^1.8, and is known for any T: exactly from all states of a game, or
from simulated games to about 0.2 %. So the temperature of a level is found by a secant method on log(loss) against
log(T). ``levels.toml`` has the temperatures of most built-in rule sets, with the losses they were measured to have;
`python -m tables.levels` writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, inf, log
from typing import Any

from .._messages import _
from ..errors import StateError, shown
from ..game.dice import lattice
from ..game.rules import RuleSet
from ..strategy.strategy import Strategy
from .soft_policy import SoftLoss, SoftPolicy, simulated_loss, soft_loss

CALIBRATION_GAMES = 4_000
TOLERANCE = 0.004  # relative error of the points lost at which a calibration stops
MAX_STEPS = 20
EXACT_OPERATIONS = 1e8  # work of an evaluation, in options of vectors, up to which a calibration is exact
# The first guess: a loss of 16 % of the value at a temperature of 0.8 % of it, and its exponent.
FIRST_LOSS, FIRST_TEMPERATURE, EXPONENT = 0.16, 0.008, 1.8
MAX_TEMPERATURE_SHARE = 1e4  # of the value of the game: a temperature at which play is random


@dataclass(frozen=True)
class Level:
    """A step of the ladder."""

    number: int  # from 1, the weakest
    name: str
    share: float  # points given away, as a share of the expected final score of perfect play


NAMES = "beginner", "novice", "casual", "practised", "skilled", "strong", "expert", "perfect"
SHARES = 0.16, 0.10, 0.06, 0.04, 0.024, 0.012, 0.006, 0.0
LEVELS = tuple(map(Level, range(1, 9), NAMES, SHARES))


@dataclass(frozen=True)
class CalibratedLevel:
    """A level for one rule set."""

    level: Level
    temperature: float  # of the soft policy
    # expected points a game that the policy gives away. It differs from the share of the level by rounding, or
    # because the rules leave too few decisions to lose so much
    points_lost: float
    error: float  # standard error of `points_lost`; 0.0 where it is exact


_CALIBRATED: dict[tuple[str, int], CalibratedLevel] = {}  # in this process, by fingerprint of the rules and level


def parse_level(text: str | int) -> Level:
    """A level by its number or name."""
    word = str(text).strip().lower()
    for level in LEVELS:
        if word in (str(level.number), level.name):
            return level
    names = ", ".join(f"{level.number} {level.name}" for level in LEVELS)
    raise StateError(_("{text} is not a level; the levels: {names}").format(text=shown(text), names=names))


def calibrated_level(strategy: Strategy, level: Level, *, threads: int | None = None) -> CalibratedLevel:
    """A level for the rule set of a strategy: from the package, or calibrated now (once a process)."""
    if not level.share:
        return CalibratedLevel(level, 0.0, 0.0, 0.0)
    shipped = shipped_levels().get(strategy.rules.fingerprint)
    if shipped is not None:
        return shipped[level.number - 1]
    key = strategy.rules.fingerprint, level.number
    if key not in _CALIBRATED:
        policy, found = calibrate(strategy, level.share * float(strategy.table[-1]), threads=threads)
        _CALIBRATED[key] = CalibratedLevel(level, policy.temperature, found.points_lost, found.error)
    return _CALIBRATED[key]


def needs_calibration(rules: RuleSet, level: Level) -> bool:
    """Whether a level has to be calibrated for a rule set: it takes seconds for a large game."""
    return bool(level.share) and rules.fingerprint not in shipped_levels()


@lru_cache(maxsize=1)
def shipped_levels() -> dict[str, list[CalibratedLevel]]:
    """The levels of the rule sets in the package, except perfect play, by the fingerprint of the rules."""
    raw: dict[str, Any] = tomllib.loads(files(__package__).joinpath("levels.toml").read_text(encoding="utf-8"))
    return {
        entry["fingerprint"]: [
            CalibratedLevel(level, temperature, lost, error)
            for level, temperature, lost, error in zip(
                LEVELS, entry["temperatures"], entry["points_lost"], entry["errors"], strict=False
            )
        ]
        for entry in raw.values()
    }


def calibrate(
    strategy: Strategy, points_lost: float, *, threads: int | None = None, exact: bool | None = None
) -> tuple[SoftPolicy, SoftLoss]:
    """The soft policy that gives away a number of points a game."""
    if not isinstance(points_lost, (int, float)) or not 0 <= points_lost < inf:
        raise StateError(
            _("points_lost is {points_lost}; must be a number of points, at least 0").format(
                points_lost=shown(points_lost)
            )
        )
    if exact is None:
        exact = exact_operations(strategy) <= EXACT_OPERATIONS

    def evaluate(temperature: float) -> SoftLoss:
        policy = SoftPolicy(strategy, temperature)
        if exact:
            return soft_loss(policy, threads=threads)
        return simulated_loss(policy, CALIBRATION_GAMES, threads=threads)

    temperature, found = _solve(evaluate, points_lost, max(1.0, float(strategy.table[-1])))
    return SoftPolicy(strategy, temperature), found


def _solve(evaluate: Callable[[float], SoftLoss], wanted: float, scale: float) -> tuple[float, SoftLoss]:
    """The temperature at which the loss is `wanted`, and the evaluation there; `scale`: value of the game."""
    if wanted == 0:
        return 0.0, evaluate(0.0)
    low, high = -inf, inf  # logarithms of temperatures that lose too little, and too much
    highest = log(MAX_TEMPERATURE_SHARE * scale)
    place = log(FIRST_TEMPERATURE * scale) + log(wanted / (FIRST_LOSS * scale)) / EXPONENT
    slope, before = EXPONENT, None
    for _step in range(MAX_STEPS):
        found = evaluate(exp(place))
        if abs(found.points_lost / wanted - 1) <= TOLERANCE:
            break
        if found.points_lost < wanted and place >= highest:
            return inf, evaluate(inf)
        error = log(found.points_lost / wanted) if found.points_lost > 0 else -3.0
        low, high = (place, high) if error < 0 else (low, place)
        if before is not None and place != before[0]:
            slope = min(6.0, max(0.3, (error - before[1]) / (place - before[0])))
        before, guess = (place, error), place - error / slope
        if not low < guess < high:  # keep to the bracket
            guess = (low + high) / 2 if low > -inf and high < inf else guess
        place = min(guess, highest)
    return exp(place), found


def exact_operations(strategy: Strategy) -> float:
    """Rough work of an exact evaluation: options of holds over all vectors of states."""
    rules, grid = strategy.rules, lattice(strategy.rules.dice, strategy.rules.faces)
    options = float((grid.counts[grid.first_roll :] + 1).prod(axis=1).sum())
    return strategy.space.size / 8 * options * rules.rolls_per_turn
