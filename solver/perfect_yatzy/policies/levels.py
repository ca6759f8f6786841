"""Levels of computer opponents, by how many points a game each gives away.

A soft policy achieves the loss of a level. README.md has the chances of the options of a decision,
which depend on one number, the temperature T in points. What the policy gives away in a game is the
sum of the expected losses of its decisions. It rises about as T^1.8, so the temperature of a level
is found by a secant method on log(loss) against log(T).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib.resources import files
from math import exp, inf, log, sqrt
from typing import Any, TypeVar

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.resources import ScratchPool, thread_count
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..core.state_space import LANES
from ..core.table_slices import window
from ..core.turn_model import turn_model
from ..errors import StateError, shown
from ..game.legal_actions import Action, TurnPosition
from ..objectives.policy_quantities import RowActions
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Position, Strategy
from ..strategy.turn_evaluator import GreedyPolicy
from ..words import N_, _
from .evaluation import policy_mean

Option = TypeVar("Option", Hold, Choice)
# An option that loses more than this many temperatures is never taken. It is also the power of the
# weights.
LIMIT = 8.0
CALIBRATION_GAMES = 4_000
TOLERANCE = 0.004  # relative error of the points lost at which a calibration stops
MAX_STEPS = 20
# The work of an evaluation, in options of vectors, up to which a calibration is exact.
EXACT_OPERATIONS = 1e8
# The first guess is a loss of 16 % of the value at a temperature of 0.8 % of it.
FIRST_LOSS = 0.16
FIRST_TEMPERATURE = 0.008
EXPONENT = 1.8  # the power of the temperature with which the loss rises
EXPONENTS = (0.3, 6.0)  # the range of this power in the steps that follow
NO_LOSS = -3.0  # in place of the logarithm of a share that is 0
# A temperature at which play is random, as a share of the value of the game.
MAX_TEMPERATURE_SHARE = 1e4


class SoftPolicy(GreedyPolicy):
    """A policy that takes worse options less often. Its values are those of perfect play."""

    lost = np.empty(0)  # simulated games add what they give away, ``(games,)`` or empty

    def __init__(
        self, strategy: Strategy, temperature: float, start: Position = EMPTY_STATE
    ) -> None:
        if not isinstance(temperature, (int, float)) or not temperature >= 0:
            raise StateError(
                f"temperature is {shown(temperature)}; must be a number of points, at least 0"
            )
        super().__init__(
            strategy.rules, strategy.table, strategy.check(start).state, strategy.space
        )
        self.strategy = strategy
        self.temperature = float(temperature)
        self._random = np.random.default_rng(1)

    @property
    def sharpness(self) -> float:
        """1 / the smallest loss, in points, of the options that are never taken."""
        return 1 / (LIMIT * self.temperature) if self.temperature > 1e-9 else 1e9

    def chances(self, losses: Floats) -> Floats:
        """Return the chance of each option of a decision, ``(n,)``.

        `losses` are those against the best one, ``(n,)`` points.
        """
        weights = np.maximum(0.0, 1 - self.sharpness * losses) ** LIMIT
        return np.asarray(weights / weights.sum())

    def drawn(self, options: Sequence[Option], random: np.random.Generator) -> Option:
        """Draw one of the ranked options of a decision, by its chance."""
        chances = self.chances(np.array([option.loss for option in options]))
        return options[int(random.choice(len(options), p=chances))]

    def act(self, position: TurnPosition) -> Action:
        """Return the dice to hold or the id of the category to take, drawn anew each time."""
        if position.rolls_left:
            hold = self.drawn(self.strategy.holds(position), self._random)
            if hold.category is None:
                return hold.dice
        return self.drawn(self.strategy.categories(position), self._random).action

    @cached_property
    def _scratch(self) -> ScratchPool:
        from .soft_policy_kernel import soft_scratch

        most_saved = int(self.space.most_saved[: self.space.categories].max(initial=0))
        dice = lattice(self.rules.dice, self.rules.faces)
        model = turn_model(self.rules, self.start)
        return ScratchPool(lambda: soft_scratch(dice, model, most_saved))

    def layer(self, filled: int) -> RowActions:
        """Return the actions at the cards with `filled` categories filled.

        :class:`perfect_yatzy.objectives.policy_quantities.Policy` describes them.
        """
        from .soft_policy_kernel import SoftTurns

        table = window(self.space, self.values, filled)

        def actions(rows: Ints) -> Iterator[tuple[Ints, Any]]:
            with self._scratch.borrow() as scratch:
                yield (
                    rows,
                    SoftTurns(table, self.sharpness, scratch, self.lost, int(len(self.lost) > 0)),
                )

        return actions


@dataclass(frozen=True)
class SoftLoss:
    """Points a game that a soft policy gives away against perfect play."""

    points_lost: float
    error: float = 0.0  # standard error, 0 where the loss is exact


def soft_loss(policy: SoftPolicy, *, threads: int | None = None) -> SoftLoss:
    """Return what a soft policy gives away, exactly, by a backward pass.

    It takes about 5 s for Yatzy.
    """
    return SoftLoss(max(0.0, float(policy.values[-1]) - policy_mean(policy, threads=threads)))


def simulated_loss(
    policy: SoftPolicy, games: int, seed: int = 1, *, threads: int | None = None
) -> SoftLoss:
    """Return what a soft policy gives away in simulated games, at least 2.

    With 4,000 the error is about 0.2 % of the loss.
    """
    from ..strategy.rollout import Rollout

    counting = copy(policy)
    counting.lost = np.zeros(games)  # the games add to it
    Rollout(counting, policy.start, thread_count(threads)).play(games, 0, seed)
    return SoftLoss(float(counting.lost.mean()), float(counting.lost.std(ddof=1)) / sqrt(games))


@dataclass(frozen=True)
class SkillLevel:
    """A step of the ladder."""

    number: int  # from 1, the weakest
    name: str
    share: float  # points given away, as a share of the expected final score of perfect play


NAMES = (
    N_("beginner"),
    N_("novice"),
    N_("casual"),
    N_("practised"),
    N_("skilled"),
    N_("strong"),
    N_("expert"),
    N_("perfect"),
)
SHARES = (0.16, 0.10, 0.06, 0.04, 0.024, 0.012, 0.006, 0.0)
LEVELS = tuple(map(SkillLevel, range(1, 9), NAMES, SHARES))


@dataclass(frozen=True)
class CalibratedLevel:
    """A level for one rule set."""

    level: SkillLevel
    temperature: float  # the temperature of the soft policy
    # expected points lost a game, the share of the level but for rounding; less if few decisions can
    # lose
    points_lost: float
    error: float  # standard error of `points_lost`, 0.0 where it is exact


# The levels calibrated in this process, by fingerprint of the rules and number of the level.
_CALIBRATED: dict[tuple[str, int], CalibratedLevel] = {}


def parse_level(text: str | int) -> SkillLevel:
    """Return a level by its number or name."""
    word = str(text).strip().lower()
    for level in LEVELS:
        if word in (str(level.number), level.name):
            return level
    names = ", ".join(f"{level.number} {level.name}" for level in LEVELS)
    raise StateError(_("{text} is not a level; the levels: {names}", text=shown(text), names=names))


def calibrated_level(
    strategy: Strategy, level: SkillLevel, *, threads: int | None = None
) -> CalibratedLevel:
    """Return a level for the rule set of a strategy.

    It is from the package, or calibrated now (once a process).
    """
    if not level.share:
        return CalibratedLevel(level, 0.0, 0.0, 0.0)
    shipped = shipped_levels().get(strategy.rules.fingerprint)
    if shipped is not None:
        return shipped[level.number - 1]
    key = (strategy.rules.fingerprint, level.number)
    if key not in _CALIBRATED:
        wanted = level.share * float(strategy.table[-1])
        policy, loss = calibrate(strategy, wanted, threads=threads)
        _CALIBRATED[key] = CalibratedLevel(level, policy.temperature, loss.points_lost, loss.error)
    return _CALIBRATED[key]


def needs_calibration(rules: RuleSet, level: SkillLevel) -> bool:
    """Return whether a level has to be calibrated for a rule set.

    It takes seconds for a large game.
    """
    return bool(level.share) and rules.fingerprint not in shipped_levels()


@lru_cache(maxsize=1)
def _shipped_entries() -> list[dict[str, Any]]:
    """Return the entries of ``levels.toml``."""
    text = files(__package__).joinpath("levels.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text).values())


def level_figures(rules: RuleSet) -> list[dict[str, float]]:
    """Return the figures of each level of a rule set in the package, perfect play last.

    They are the number, the temperature and the average final score. There are none for other
    rules.
    """
    for entry in _shipped_entries():
        if entry["fingerprint"] == rules.fingerprint:
            temperatures = [*entry["temperatures"], 0.0]
            lost = [*entry["points_lost"], 0.0]
            return [
                {
                    "level": level.number,
                    "temperature": temperature,
                    "average": entry["value"] - loss,
                }
                for level, temperature, loss in zip(LEVELS, temperatures, lost, strict=True)
            ]
    return []


@lru_cache(maxsize=1)
def shipped_levels() -> dict[str, list[CalibratedLevel]]:
    """Return the levels of the rule sets in the package, by the fingerprint of the rules.

    Perfect play is left out.
    """
    levels = {}
    for entry in _shipped_entries():
        figures = zip(
            LEVELS[:-1], entry["temperatures"], entry["points_lost"], entry["errors"], strict=True
        )
        levels[entry["fingerprint"]] = [CalibratedLevel(*level) for level in figures]
    return levels


def level_played(rules: RuleSet, start: float, points_lost: float) -> SkillLevel:
    """Return the level that gives away about so many points a game, the nearest in ratio.

    It is perfect play below half of what an expert gives away.
    """
    shipped = shipped_levels().get(rules.fingerprint)
    known = [level.points_lost for level in shipped or ()]
    losses = known or [level.share * start for level in LEVELS[:-1]]
    if points_lost < losses[-1] / 2:
        return LEVELS[-1]
    ratios = [abs(log(points_lost / loss)) for loss in losses]
    return LEVELS[ratios.index(min(ratios))]


def calibrate(
    strategy: Strategy, points_lost: float, *, threads: int | None = None, exact: bool | None = None
) -> tuple[SoftPolicy, SoftLoss]:
    """Return the soft policy that gives away a number of points a game, and what it loses.

    The loss is exact or, without `exact`, the mean of simulated games; by default it is exact if that
    takes no more than EXACT_OPERATIONS. Random play is returned if even that loses less. After
    MAX_STEPS the temperature tried last is returned, whose loss may not yet be the one wanted.
    """
    _check_points_lost(points_lost)
    if exact is None:
        exact = exact_operations(strategy) <= EXACT_OPERATIONS

    evaluated = partial(_evaluated, strategy, exact, threads)
    if points_lost == 0:
        return evaluated(0.0)
    # The secant method works on the logarithms of the temperature, `x`, and of the loss over the one
    # that is wanted, `error`.
    value = max(1.0, float(strategy.table[-1]))  # the value of the game
    highest = log(MAX_TEMPERATURE_SHARE * value)
    x = log(FIRST_TEMPERATURE * value) + log(points_lost / (FIRST_LOSS * value)) / EXPONENT
    search = _SecantSearch(x)
    for _step in range(MAX_STEPS):
        policy, loss = evaluated(exp(x))
        share = loss.points_lost / points_lost
        if abs(share - 1) <= TOLERANCE:
            return policy, loss
        # Even random play does not lose so much.
        if loss.points_lost < points_lost and x >= highest:
            return evaluated(inf)
        error = log(share) if loss.points_lost > 0 else NO_LOSS
        x = min(search.next_x(x, error), highest)
    return policy, loss


class _SecantSearch:
    """The secant method for an error that rises with x, kept within what is known to bracket 0."""

    def __init__(self, first_x: float) -> None:
        self.slope = EXPONENT
        self.last_x = first_x  # x and error of the step before, which at first is none
        self.last_error = 0.0
        self.low = -inf  # the largest x with an error below 0
        self.high = inf  # the smallest x with another error

    def next_x(self, x: float, error: float) -> float:
        """Return the x to try next, after the error at x."""
        if error < 0:
            self.low = x
        else:
            self.high = x
        if x != self.last_x:
            least, most = EXPONENTS
            slope = (error - self.last_error) / (x - self.last_x)
            self.slope = min(most, max(least, slope))
        self.last_x = x
        self.last_error = error
        x -= error / self.slope
        has_bracket = self.low > -inf and self.high < inf
        if has_bracket and not self.low < x < self.high:
            return (self.low + self.high) / 2
        return x


def _evaluated(
    strategy: Strategy, exact: bool, threads: int | None, temperature: float
) -> tuple[SoftPolicy, SoftLoss]:
    """Return the soft policy of a temperature, and what it loses."""
    policy = SoftPolicy(strategy, temperature)
    if exact:
        return policy, soft_loss(policy, threads=threads)
    return policy, simulated_loss(policy, CALIBRATION_GAMES, threads=threads)


def _check_points_lost(points_lost: object) -> None:
    """Raise StateError unless the value is a number of points."""
    if not isinstance(points_lost, (int, float)) or not 0 <= points_lost < inf:
        text = _("points_lost is {points_lost}; must be a number of points, at least 0")
        raise StateError(text.format(points_lost=shown(points_lost)))


def exact_operations(strategy: Strategy) -> float:
    """Return the rough work of an exact evaluation: options of holds over all vectors of states."""
    rules = strategy.rules
    grid = lattice(strategy.rules.dice, strategy.rules.faces)
    options = float((grid.counts[grid.first_roll :] + 1).prod(axis=1).sum())
    return strategy.space.size / LANES * options * rules.rolls_per_turn
