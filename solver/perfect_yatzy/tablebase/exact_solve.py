"""Solve a game in integers (:mod:`perfect_yatzy.tablebase.exact_kernel`), and check the float64
table and its ties.

The layers are those of a solve (:mod:`.backward_induction`). Only two of them are in memory; the
newest one is stored now and then, so that a later call resumes. :func:`prove` makes the certificate
of a game, a small JSON file.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .._files import discard, exclusive, replacing
from .._sources import sources_of_values
from ..core.backward_induction import RowSolver, solve_objective
from ..core.dice import Floats, Ints, lattice
from ..core.lanes import ceil_div
from ..core.objectives import Objective
from ..core.resources import ScratchPool, thread_count, thread_map, writing_to
from ..core.rules import RuleSet
from ..core.simd import aligned
from ..core.state import EMPTY_STATE, State
from ..core.state_space import LANES
from ..core.table_info import table_stem, versions
from ..core.table_slices import TableSlice, Values, padded
from ..core.turn_model import turn_outcomes
from ..errors import RulesError
from ..game.rule_loader import load_rules
from ..settings import Folder, Settings
from ..tablebase.work_identity import WorkIdentity
from ..words import _
from .checkpoint import CHECKPOINT_SECONDS, store_layer, stored_layer
from .estimates import BASE_MEMORY, SolveCost, check_memory, log_long, solve_cost
from .exact_fields import fraction_fields
from .exact_kernel import LEAST_GAP, LIMB_BITS, WINDOW, ExactJob, solve_exact_rows
from .store import tables_folder

COST = 75  # times that of a solve in float64, measured
DIGITS = 60  # after the point, in a certificate
# of a turn and of a game, as the limbs allow: ways to roll the dice, and points
MOST_ROLLS = 6**6
MOST_POINTS = 1 << 14
# with squares: points of a turn, and limbs whose weights float64 can hold
MOST_SQUARED = 250
MOST_LIMBS = 54
EMPTY_TALLY = (0.0, 0.0, 0.0, WINDOW)  # decisions, ties and close gaps, then the least gap


def hash_layer(before: str, limbs: Floats) -> str:
    """Return the hash of all values up to a layer.

    It is the SHA-256 of the hash before, and of the integers of the layer.

    Each is written as digits of LIMB_BITS bits, int64 in little-endian order, lowest digit first.
    """
    digits = limbs.astype("<i8")
    carry = np.zeros(len(limbs), dtype=np.int64)
    for k in range(digits.shape[1]):
        digits[:, k] += carry
        carry = digits[:, k] >> LIMB_BITS
        digits[:, k] &= (1 << LIMB_BITS) - 1
    return hashlib.sha256(before.encode() + digits.tobytes()).hexdigest()


def joined(limbs: Floats) -> int:
    """Return the number of some limbs, lowest first."""
    return sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(limbs.tolist()))


def split(numbers: list[int], limbs: int) -> Floats:
    """Return the limbs of some numbers, ``(n, limbs)``, each within half of 2^LIMB_BITS."""
    half = 1 << LIMB_BITS - 1
    rest = np.array(numbers, dtype=object)
    columns = []
    for _place in range(limbs):
        digits = (rest + half) % (2 * half) - half
        columns.append(digits.astype(np.float64))
        rest = (rest - digits) >> LIMB_BITS
    assert not rest.any()
    return np.stack(columns, axis=1)


def extended(number: Fraction) -> Any:
    """Return a number in extended precision."""
    # In two parts, each a float64: their sum has the precision of the arithmetic.
    high = float(number)
    low = float(number - Fraction(high))
    return np.longdouble(high) + low


class ExactSolve:
    """A solve in integers from a state on.

    With `spread` it also has the mean square and the chance of the bonus.
    """

    def __init__(
        self,
        rules: RuleSet,
        folder: Path | None = None,
        start: State = EMPTY_STATE,
        *,
        spread: bool = False,
    ) -> None:
        self.rules = rules
        self.spread = spread
        self.objective = Objective(rules, start)
        self.name = "spread" if spread else "proof"
        self.space = self.objective.space
        self.dice = lattice(rules.dice, rules.faces)
        part_name = f"{table_stem(rules, 'mean')}.{self.name}.part"
        # The newest layer, from which a solve is resumed
        self.part = folder / part_name if folder else None
        # The hash, the error and the tally of the layers solved so far.
        self.sha256 = ""
        self.error = 0.0
        self.tally = np.array(EMPTY_TALLY)
        # The largest value, which sets the limbs; a bound until the table is known
        self.most = float(MOST_POINTS)
        if rules.faces**rules.dice > MOST_ROLLS:
            text = _(
                "{rules} has too many dice for an exact proof; up to six six-sided dice can be proved"
            )
            raise RulesError(text.format(rules=rules.key), code="too-large")

    def scale(self, filled: int, saved: int = 0) -> int:
        """Return what the values of a layer are multiplied by."""
        turns = self.space.categories - filled
        return int(
            self.rules.faces ** (self.rules.dice * (self.rules.rolls_per_turn * turns + saved))
        )

    def width(self, filled: int, most: float) -> int:
        """Return the number of limbs of the numbers of a layer that count at most so much."""
        bits = (
            math.log2(self.scale(filled, int(self.space.most_saved[filled])))
            + math.log2(most + 1)
            + 3
        )
        return ceil_div(int(bits), LIMB_BITS) + 1  # one to spare

    def limbs_below_mean(self) -> tuple[int, int]:
        """Return how many limbs below those of the mean the chance of the bonus and the mean square have.

        They are the same in all layers, and 0 without `spread`.
        """
        if not self.spread:
            return 0, 0
        first = self.space.first_layer
        return self.width(first, 1), self.width(first, self.most**2)

    def limbs(self, filled: int) -> int:
        """Return the number of limbs of a number of a layer."""
        return self.width(filled, self.most) + sum(self.limbs_below_mean())

    def place_values(self) -> tuple[int, int]:
        """Return what 1 of the mean and 1 of the mean square count in the number of a state.

        It is 0 for a square that is not there.
        """
        bonus, squares = self.limbs_below_mean()
        of_square = 1 << LIMB_BITS * bonus if self.spread else 0
        return 1 << LIMB_BITS * (bonus + squares), of_square

    def weights(self, limbs: int) -> tuple[Floats, int]:
        """Return what a limb of each place counts in float64, and the unit of these weights.

        The weight of the middle place is 1, which stands for the unit, an integer.
        """
        middle = limbs // 2
        weights = np.array([2.0 ** (LIMB_BITS * (k - middle)) for k in range(limbs)])
        return weights, 1 << LIMB_BITS * middle

    def saved_rolls(self, filled: int) -> Any:
        """Return the saved rolls of each state of a layer, ``(n,)`` int64.

        Of a row, the states without saved rolls come first, then those with 1, and so on.
        """
        rows = self.space.layers[filled]
        lanes = self.space.layout.lane_count[self.space.layout.lane_sets[rows]]
        most = int(self.space.most_saved[filled])
        return np.concatenate([np.repeat(np.arange(most + 1), count) for count in lanes.tolist()])

    def floats(self, filled: int, limbs: Floats) -> Any:
        """Return the values of a layer in points, in extended precision."""
        means = limbs[:, sum(self.limbs_below_mean()) :]
        weights, unit = self.weights(means.shape[1])
        places = reversed(range(len(weights)))
        units: Any = sum(np.longdouble(weights[k]) * means[:, k] for k in places)
        most_saved = int(self.space.most_saved[filled])
        scales = [self.scale(filled, saved) for saved in range(most_saved + 1)]
        points_of_unit = np.array([extended(Fraction(unit, scale)) for scale in scales])
        return units * points_of_unit[self.saved_rolls(filled)]

    def layers(self, settings: Settings) -> Generator[tuple[int, Floats]]:
        """Yield the layers from the full cards on, or from the newest stored one.

        Each has its number of filled categories and its limbs, ``(states, limbs)``. Now and then
        the newest one is stored. `sha256`, `error` and `tally` are those of the layers so far.
        """
        table = self._begin(settings)
        space = self.space
        filled, limbs = self.resume() or self.full_cards()
        checkpoint = time.monotonic()
        with thread_map(thread_count(settings.threads), "yatzy-prove") as in_threads:
            while True:
                place = space.layer_slice(filled)
                in_points = self.compared(filled, limbs, table[place])
                if settings.progress:
                    settings.progress(place.stop, space.size)
                yield filled, limbs
                if filled == space.first_layer:
                    return
                if self.part and time.monotonic() - checkpoint >= CHECKPOINT_SECONDS:
                    self._store(self.part, filled, limbs)
                    checkpoint = time.monotonic()
                below = TableSlice(padded(in_points.astype(np.float64)), place.start)
                filled -= 1
                limbs = self.solve_layer(filled, below, limbs, in_threads)
                self.sha256 = hash_layer(self.sha256, limbs)

    def _begin(self, settings: Settings) -> Values:
        """Return the table in float64, and set what the solve of layers needs.

        The largest value sets the number of limbs. Raises RulesError if the game is too large.
        """
        cost = self.cost()
        check_memory(self.rules, cost)
        log_long(f"proving {self.rules.key}", cost.seconds, settings.progress)
        table = solve_objective(self.objective, threads=settings.threads)
        self.most = float(table.max())
        self.check_size(float(table.min()))
        self.solver = RowSolver(self.objective)
        return table

    def _store(self, part: Path, filled: int, limbs: Floats) -> None:
        """Store a layer, and what has been found up to it."""
        store_layer(
            part,
            self.identity,
            limbs,
            filled=filled,
            hash=self.sha256,
            error=self.error,
            tally=self.tally.tolist(),
        )

    def compared(self, filled: int, limbs: Floats, in_float64: Floats) -> Any:
        """Return the values of a layer in points, in extended precision.

        ``error`` notes how far those in float64 lie from them.
        """
        in_points = self.floats(filled, limbs)
        own_error = self.most * 2.0**-60  # more than the error of the extended precision
        self.error = max(self.error, float(np.abs(in_points - in_float64).max()) + own_error)
        return in_points

    def check_size(self, least: float) -> None:
        """Raise RulesError for a game whose numbers do not fit the limbs.

        `least` is the least of its values in float64.
        """
        if self.spread and self.limbs(self.space.first_layer) > MOST_LIMBS:
            text = _("{rules} has too many turns for an exact variance", rules=self.rules.key)
            raise RulesError(text, code="too-large")
        if self.most >= MOST_POINTS or least < 0:
            raise RulesError(
                _("the points of {rules} are too large for an exact proof").format(
                    rules=self.rules.key
                )
            )
        if not self.spread:
            return
        most_of_turn = turn_outcomes(self.rules, self.objective.start).total.max()
        if most_of_turn > MOST_SQUARED:
            text = _(
                "a turn of {rules} can pay more than {most} points, too many for an exact variance; "
                "the mean alone has a proof: leave out --spread"
            )
            raise RulesError(text.format(rules=self.rules.key, most=MOST_SQUARED), code="too-large")

    def solve_layer(
        self, filled: int, below: TableSlice, limbs_below: Floats, in_threads: Callable[..., Any]
    ) -> Floats:
        """Return the limbs of a layer from those of its children, and add its decisions to `tally`.

        `below` are the values of the children in float64.
        """
        rows = self.space.layers[filled]
        place = self.space.layer_slice(filled)
        solved = np.zeros((place.stop - place.start) * self.limbs(filled))
        size = self.objective.rows_per_task
        jobs = ScratchPool(lambda: self.job(filled, below, limbs_below, solved, place.start))

        def solve(part: Ints) -> Floats:
            with jobs.borrow() as job:
                job.tally[:] = EMPTY_TALLY
                solve_exact_rows(part, job)
                return np.array(job.tally)

        for tally in in_threads(solve, [rows[i : i + size] for i in range(0, len(rows), size)]):
            self.tally[:LEAST_GAP] += tally[:LEAST_GAP]
            self.tally[LEAST_GAP] = min(self.tally[LEAST_GAP], tally[LEAST_GAP])
        return solved.reshape(-1, self.limbs(filled))

    def cost(self) -> SolveCost:
        """Return what the solve takes."""
        space = self.space
        cost = solve_cost(self.objective)
        places = {
            filled: space.layer_slice(filled)
            for filled in range(space.first_layer, space.categories + 1)
        }
        # Three copies of the limbs of the largest layer, 8 bytes each, with as much as 4 more for
        # values in points.
        most_limbs = max(
            (place.stop - place.start) * (self.limbs(filled) + 4)
            for filled, place in places.items()
        )
        # of all limbs to the mean's
        share = self.limbs(space.first_layer) / self.width(space.first_layer, self.most)
        memory = BASE_MEMORY + 3 * 8 * most_limbs + cost.bytes
        return replace(cost, memory=memory, seconds=COST * share * cost.seconds)

    def start_values(self, settings: Settings) -> tuple[Fraction, ...]:
        """Return the expected points to come from the start.

        With `spread` their variance and the chance of the bonus follow.
        """
        start = self.space.start
        # the last layer: that of the start
        filled, of_layer = deque(self.layers(settings), maxlen=1).pop()
        limbs = of_layer[self.space.unchecked_index(start) - self.space.layer_slice(filled).start]
        mean = self.value(filled, limbs, start.saved)
        if not self.spread:
            return (mean,)
        # From the lowest limb on: the chance, the mean square with a minus sign (so that less is
        # better), the mean.
        bonus, squares = self.limbs_below_mean()
        scale = self.scale(filled, start.saved)
        chance = Fraction(joined(limbs[:bonus]), scale)
        mean_square = Fraction(-joined(limbs[bonus : bonus + squares]), scale)
        return mean, mean_square - mean**2, chance

    def value(self, filled: int, limbs: Floats, saved: int = 0) -> Fraction:
        """Return the value of one state of a layer, in points."""
        return Fraction(joined(limbs[sum(self.limbs_below_mean()) :]), self.scale(filled, saved))

    def full_cards(self) -> tuple[int, Floats]:
        """Return the layer of the full cards."""
        filled = self.space.categories
        points = self.objective.full_cards().astype(np.int64).tolist()
        of_mean, of_square = self.place_values()
        # a card that has the bonus has the chance 1, at the lowest place
        of_chance = 1 if self.spread else 0
        numbers = [p * of_mean - p**2 * of_square + (of_chance if p > 0 else 0) for p in points]
        scales = [self.scale(filled, saved) for saved in self.saved_rolls(filled).tolist()]
        values = split(
            [n * scale for n, scale in zip(numbers, scales, strict=True)], self.limbs(filled)
        )
        self.sha256 = hash_layer(self.sha256, values)
        return filled, values

    def job(
        self, filled: int, below: TableSlice, limbs_below: Floats, solved: Floats, start: int
    ) -> Any:
        """Return the arguments of the kernel for one thread."""
        dice = self.dice
        limbs = self.limbs(filled)
        width_below = self.limbs(filled + 1)
        most_rolls = self.rules.rolls_per_turn + int(self.space.most_saved[filled])
        # A roll counts alike whether it is thrown or saved.
        by_rolls = [self.scale(filled + 1, rolls) for rolls in range(most_rolls + 1)]
        scales = by_rolls[: int(self.space.most_saved[filled + 1]) + 1]
        weights, unit = self.weights(limbs)
        of_mean, of_square = self.place_values()
        bonus, squares = self.limbs_below_mean()
        return ExactJob(
            turn=self.solver.job(below, below, filled, self.solver.new_scratch()),
            below=limbs_below.ravel(),
            target=solved,
            start=start,
            limbs=limbs,
            limbs_below=width_below,
            scales=split([scale * of_mean for scale in scales], width_below).ravel(),
            first_square=bonus,
            squares=squares,  # above the limbs of the chance of the bonus
            square_scales=split([scale * of_square for scale in scales], width_below).ravel(),
            weights=weights,
            units=np.array([float(Fraction(unit, scale * of_mean)) for scale in by_rolls]),
            orderings=np.round(dice.weights * dice.faces**dice.dice),
            factors=np.append(float(dice.faces) ** dice.counts.sum(axis=1), 1.0),
            # Working memory.
            buffer=aligned((dice.n_holds + 3) * limbs),
            values=aligned(len(self.rules.categories)),
            chosen=np.zeros(LANES, dtype=np.int64),
            child=np.zeros(width_below),
            tied=np.zeros(LANES, dtype=np.int64),
            gaps=np.zeros(LANES),
            tally=np.zeros(len(EMPTY_TALLY)),
        )

    @property
    def identity(self) -> WorkIdentity:
        """The identity of this solve of a whole game."""
        return WorkIdentity.of(self.rules, self.name, {}, sources_of_values(__file__))

    def resume(self) -> tuple[int, Floats] | None:
        """Return the newest stored layer, or None if there is none or it is damaged."""
        stored = stored_layer(self.part, self.identity) if self.part else None
        if stored is None:
            return None
        values, fields = stored
        self.sha256 = fields["hash"]
        self.error = fields["error"]
        self.tally = np.array(fields["tally"])
        return int(fields["filled"]), values


@dataclass(frozen=True)
class Proof:
    """The certificate of an exact solve.

    Attributes
    ----------
    key, fingerprint : str
        The rule set: its name, and the SHA-256 of its canonical form.
    value : Fraction
        Expected final score under optimal play, in points.
    states : int
        Values computed.
    sha256 : str
        Hash of all exact values (:func:`perfect_yatzy.tablebase.exact_solve.hash_layer`).
    largest_error : float
        Most points by which a value of the float64 table differs from the exact one, rounded up.
    decisions : int
        Decisions compared: the category for each state and roll, and the hold for each of its
        numbers of rerolls.
    ties : int
        Decisions whose best two options are exactly equal.
    least_gap : float or None
        Least difference in points of the best two options that are not equal; None if it is more
        than 1e-4.
    close_gaps : int
        Decisions whose best two options differ, but by less than 1.01e-10, so that they may be
        called equal.
    variance, bonus_chance : Fraction or None
        If asked for: the variance of the final score, and the chance of the upper bonus, under the
        optimal play with the least variance, and of that the one with the likeliest bonus. Ties
        leave others.
    versions : dict of str to str
    seconds : float
        Wall time of the solve, or of its last part if it was interrupted.
    """

    key: str
    fingerprint: str
    value: Fraction
    states: int
    sha256: str
    largest_error: float
    decisions: int
    ties: int
    least_gap: float | None
    close_gaps: int
    versions: dict[str, str]
    seconds: float
    variance: Fraction | None = None
    bonus_chance: Fraction | None = None

    @property
    def float64_optimal(self) -> bool:
        """Whether every decision by float64 values and the tolerance of ties is optimal."""
        return not self.close_gaps

    def decimal(self, digits: int = 30) -> str:
        """Return the value with so many digits after the point, rounded down."""
        return fraction_fields(self.value, digits)["decimal"]

    def fields(self, digits: int = DIGITS) -> dict[str, Any]:
        """Return the certificate as JSON values, with so many digits after the point of a fraction."""
        fields = {
            k: fraction_fields(v, digits) if isinstance(v, Fraction) else v
            for k, v in vars(self).items()
        }
        return fields | {"decimal": self.decimal(digits), "float64_optimal": self.float64_optimal}


def prove(
    rules: str | Path | RuleSet,
    *,
    tables: Folder = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    spread: bool = False,
) -> Proof:
    """Solve a game in exact integers, and compare every value and decision in float64 with them.

    An interrupted call resumes. The certificate is written to the folder of the tables, as
    ``NAME.proof.json``. The exact value of a card is that of ``yatzy expect --exact``.

    Parameters
    ----------
    rules, threads, progress
        As for :func:`perfect_yatzy.open_strategy`; the result does not depend on the number of
        threads.
    tables
        Folder of the certificate and of an unfinished solve; default: that of the tables.
    spread
        Whether to find variance and chance of the upper bonus, too, in a second solve of three
        times the work.

    Raises
    ------
    RulesError
        If the rules are unknown, or have too many dice, or too many points.
    TableError
        If the folder cannot be written to.
    """
    settings = Settings(tables, threads, progress)
    begin = time.monotonic()
    folder = tables_folder(settings.tables)
    rule_set = load_rules(rules)
    path = proof_path(rule_set, settings.tables)
    solve = ExactSolve(rule_set, folder)
    spread_solve = ExactSolve(rule_set, folder, spread=True) if spread else None
    variance = bonus_chance = None
    with writing_to(folder), exclusive(path.with_suffix(".lock")):
        (value,) = solve.start_values(settings)
        if spread_solve:
            _mean, variance, bonus_chance = spread_solve.start_values(settings)
    decisions, ties, close_gaps, least_gap = solve.tally.tolist()
    proof = Proof(
        key=rule_set.key,
        fingerprint=rule_set.fingerprint,
        value=value,
        states=solve.space.size,
        sha256=solve.sha256,
        largest_error=solve.error,
        decisions=int(decisions),
        ties=int(ties),
        least_gap=least_gap if least_gap < WINDOW else None,
        close_gaps=int(close_gaps),
        versions=versions(),
        seconds=round(time.monotonic() - begin, 3),
        variance=variance,
        bonus_chance=bonus_chance,
    )
    with writing_to(folder), replacing(path) as file:
        file.write(json.dumps(proof.fields(), indent=1).encode() + b"\n")
    for finished in (solve, spread_solve):
        if finished and finished.part:
            discard(finished.part)
    return proof


def proof_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return the certificate of a rule set, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, 'mean')}.proof.json"
