"""Prove a game: solve it in integers (:mod:`perfect_yatzy.kernels.exact`), and check the float64 table and its ties.

The layers are those of a solve (:mod:`.backward_induction`). Only two of them are in memory; the newest one is stored
now and then, so that a later call resumes. What remains is a certificate, a small JSON file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from .._files import replacing
from .._messages import _
from .._version import __version__
from ..errors import RulesError
from ..game.dice import Floats, lattice
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..kernels.table_slices import TableSlice, padded
from ..model.estimates import SolveCost, log_long
from ..model.objectives import Objective
from ..model.turn_model import turn_outcomes
from .backward_induction import ROWS_PER_TASK, default_threads, solve_objective
from .memory import check_memory, check_space, writing_to
from .row_solver import RowSolver
from .store import tables_folder
from .table_info import DAMAGED, checked_fields, table_stem, with_checksum
from .threads import ScratchPool, thread_map

CHECKPOINT_SECONDS = 30.0  # time between two stored layers
COST = 12  # times that of a solve in float64, measured
MOST_ROLLS, MOST_POINTS = 6**6, 1 << 14  # as the limbs allow


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
        Hash of all exact values (:func:`hash_layer`).
    largest_error : float
        Most points by which a value of the float64 table differs from the exact one, rounded up.
    decisions : int
        Decisions compared: the category for each state and roll, and the hold for each of its numbers of rerolls.
    ties : int
        Decisions whose best two options are exactly equal.
    least_gap : float or None
        Least difference in points of the best two options that are not equal; None if it is more than 1e-4.
    close_gaps : int
        Decisions whose best two options differ, but by less than 1.01e-9, so that they may be called equal.
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

    @property
    def float64_optimal(self) -> bool:
        """Whether every decision by float64 values and the tolerance of ties is optimal."""
        return not self.close_gaps

    def decimal(self, digits: int = 30) -> str:
        """The value with so many digits after the point, rounded down."""
        return decimal_text(self.value, digits)

    def fields(self) -> dict[str, Any]:
        """The certificate as JSON values; numerator and denominator are text, for readers with short integers."""
        fields = asdict(self)
        fields["value"] = {"numerator": str(self.value.numerator), "denominator": str(self.value.denominator)}
        return fields | {"decimal": self.decimal(60), "float64_optimal": self.float64_optimal}


def decimal_text(value: Fraction, digits: int) -> str:
    """A number that is not negative with so many digits after the point, rounded down."""
    whole, rest = divmod(value.numerator, value.denominator)
    return f"{whole}.{rest * 10**digits // value.denominator:0{digits}}" if digits else str(whole)


def prove(
    rules: str | Path | RuleSet,
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Proof:
    """Solve a game in exact integers, and compare every value and decision in float64 with them.

    An interrupted call resumes. The certificate is written to the folder of the tables, as ``NAME.proof.json``.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    tables
        Folder of the certificate and of an unfinished solve; default: that of the tables.
    threads
        Number of threads; default: one per processor. The result does not depend on it.
    progress
        Called with the number of values done and in all.

    Raises
    ------
    RulesError
        If the rules are unknown, or have too many dice, or too many points.
    TableError
        If the folder cannot be written to.
    """
    from importlib.metadata import version

    folder, begin = tables_folder(tables), time.monotonic()
    solve = ExactSolve(load_rules(rules), folder)
    for filled, values in solve.layers(threads or default_threads(), progress):
        value = solve.value(filled, values[-1])
    decisions, ties, close, least = solve.tally
    versions = {"perfect-yatzy": __version__, "numpy": np.__version__, "numba": version("numba")}
    proof = Proof(
        solve.rules.key, solve.rules.fingerprint, value, solve.space.size, solve.sha256, solve.error, int(decisions),
        int(ties), least if least < WINDOW else None, int(close), versions, round(time.monotonic() - begin, 3),
    )  # fmt: skip
    with writing_to(folder), replacing(proof_path(solve.rules, tables)) as file:
        file.write(json.dumps(proof.fields(), indent=1).encode() + b"\n")
    if solve.part:
        solve.part.unlink(missing_ok=True)
    return proof


def proof_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """The certificate of a rule set, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, 'mean')}.proof.json"


WINDOW = 1e-4  # that of the kernels


def hash_layer(before: str, limbs: Floats, bits: int) -> str:
    """The hash of all values up to a layer: SHA-256 of the hash before, and of the integers of the layer.

    Each is written as digits of `bits` bits, int64 in little-endian order, lowest digit first.
    """
    digits, above = limbs.astype("<i8"), np.zeros(len(limbs), dtype=np.int64)
    for k in range(digits.shape[1]):
        digits[:, k] += above
        above = digits[:, k] >> bits
        digits[:, k] &= (1 << bits) - 1
    return hashlib.sha256(before.encode() + digits.tobytes()).hexdigest()


class ExactSolve:
    """One solve in integers from a state on, and what it has found so far; without a folder nothing is stored."""

    def __init__(self, rules: RuleSet, folder: Path | None = None, start: State = EMPTY_STATE) -> None:
        self.rules, self.objective = rules, Objective(rules, start)
        self.space, self.dice = self.objective.space, lattice(rules.dice, rules.faces)
        self.part = folder / f"{table_stem(rules, 'mean')}.proof.part" if folder else None
        self.sha256, self.error, self.tally = "", 0.0, [0.0, 0.0, 0.0, WINDOW]
        self.most = float(MOST_POINTS)  # until the table in float64 is known
        if rules.faces**rules.dice > MOST_ROLLS:
            raise RulesError(
                _("{rules} has too many dice for an exact proof; up to six six-sided dice can be proved").format(
                    rules=rules.key
                ),
                code="too-large",
            )

    def exponent(self, filled: int, saved: int = 0) -> int:
        """Power of the number of faces by which the values of a layer are multiplied."""
        turns = self.space.categories - filled
        return self.rules.dice * (self.rules.rolls_per_turn * turns + saved)

    def limbs(self, filled: int) -> int:
        """Number of limbs of a value of a layer."""
        from ..kernels.exact import LIMB_BITS

        power = self.exponent(filled, int(self.space.most_saved[filled]))
        return -(-int(power * math.log2(self.rules.faces) + math.log2(self.most + 1) + 3) // LIMB_BITS) + 1

    def split(self, number: int, limbs: int) -> list[float]:
        """The limbs of a number."""
        from ..kernels.exact import LIMB_BITS

        half, found = 1 << LIMB_BITS - 1, []
        for _place in range(limbs):
            digit = (number + half) % (2 * half) - half
            found.append(float(digit))
            number = (number - digit) >> LIMB_BITS
        assert not number
        return found

    def weights(self, limbs: int) -> tuple[Floats, int]:
        """What a limb of each place counts in float64, 1 in the middle, and the integer that counts 1."""
        from ..kernels.exact import LIMB_BITS

        middle = limbs // 2
        weights = np.array([2.0 ** (LIMB_BITS * (k - middle)) for k in range(limbs)])
        return weights, 1 << LIMB_BITS * middle

    def saved_rolls(self, filled: int) -> Any:
        """``(n,)`` int64: saved rolls of each state of a layer."""
        rows = self.space.layers[filled]
        lanes = self.space.layout.lane_count[self.space.layout.lane_sets[rows]]
        most = int(self.space.most_saved[filled])
        return np.concatenate([np.repeat(np.arange(most + 1), count) for count in lanes.tolist()])

    def floats(self, filled: int, limbs: Floats) -> Any:
        """The values of a layer in points, in extended precision."""
        total: Any = np.zeros(len(limbs), dtype=np.longdouble)
        weights, half = self.weights(limbs.shape[1])
        for k in range(limbs.shape[1] - 1, -1, -1):
            total += np.longdouble(weights[k]) * limbs[:, k]
        most = int(self.space.most_saved[filled])
        scales = [Fraction(half, self.rules.faces ** self.exponent(filled, s)) for s in range(most + 1)]
        # In two parts, each a float64: their sum has the precision of the arithmetic.
        units = [np.longdouble(f := float(s)) + float(s - Fraction(f)) for s in scales]
        return total * np.array(units)[self.saved_rolls(filled)]

    def layers(
        self, threads: int, progress: Callable[[int, int], None] | None = None
    ) -> Generator[tuple[int, Floats], None, None]:
        """Solve all layers; number of filled categories of each, and its limbs, ``(states, limbs)``."""
        from ..kernels.exact import solve_exact_rows

        cost = self.cost()
        check_memory(self.rules, cost)
        log_long(f"proving {self.rules.key}", cost.seconds)
        table, space = solve_objective(self.objective, threads=threads), self.space
        self.most = float(table.max())
        if self.most >= MOST_POINTS or float(table.min()) < 0:
            raise RulesError(_("the points of {rules} are too large for an exact proof").format(rules=self.rules.key))
        self.turns = RowSolver(self.objective)
        filled, values = self.resume() or self.full_cards()
        checkpoint = time.monotonic()
        with thread_map(threads, "yatzy-prove") as in_threads:
            while True:
                in_points = self.floats(filled, values)
                place = space.layer_slice(filled)
                error = float(np.abs(in_points - table[place]).max()) + self.most * 2.0**-60
                self.error = max(self.error, error)
                if progress:
                    progress(place.stop, space.size)
                yield filled, values
                if filled == space.first_layer:
                    return
                if self.part and time.monotonic() - checkpoint >= CHECKPOINT_SECONDS:
                    self.store(filled, values)
                    checkpoint = time.monotonic()
                below = TableSlice(padded(in_points.astype(np.float64)), place.start)
                filled -= 1
                rows, target = space.layers[filled], space.layer_slice(filled)
                solved = np.zeros((target.stop - target.start) * self.limbs(filled))
                jobs = ScratchPool(lambda: self.job(filled, below, values, solved, target.start))  # noqa: B023
                tasks = [rows[i : i + ROWS_PER_TASK] for i in range(0, len(rows), ROWS_PER_TASK)]

                def work(part: Any, jobs: ScratchPool) -> Floats:
                    with jobs.borrow() as job:
                        job.tally[:] = [0.0, 0.0, 0.0, WINDOW]
                        solve_exact_rows(part, job)
                        return np.array(job.tally)

                for found in in_threads(work, tasks, repeat(jobs)):
                    counts = [a + b for a, b in zip(self.tally[:3], found[:3].tolist(), strict=True)]
                    self.tally = [*counts, min(self.tally[3], float(found[3]))]
                values = solved.reshape(-1, self.limbs(filled))
                self.add_hash(values)

    def cost(self) -> SolveCost:
        """What the solve takes."""
        space, cost = self.space, self.objective.solve_cost()
        places = {filled: space.layer_slice(filled) for filled in range(space.first_layer, space.categories + 1)}
        most = max((place.stop - place.start) * (self.limbs(filled) + 4) for filled, place in places.items())
        return replace(cost, memory=24 * most + cost.bytes, seconds=COST * cost.seconds)

    def start_value(self, threads: int | None = None) -> Fraction:
        """The expected points to come from the start, which need not be the empty card."""
        for filled, values in self.layers(threads or default_threads()):
            first, last = self.space.layer_slice(filled).start, values
        start = self.space.start
        return self.value(start.filled.bit_count(), last[self.space.unchecked_index(start) - first], start.saved)

    def value(self, filled: int, limbs: Floats, saved: int = 0) -> Fraction:
        """The value of one state of a layer, in points."""
        from ..kernels.exact import LIMB_BITS

        number = sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(limbs.tolist()))
        return Fraction(number, self.rules.faces ** self.exponent(filled, saved))

    def add_hash(self, values: Floats) -> None:
        """Add a layer to the hash of all values."""
        from ..kernels.exact import LIMB_BITS

        self.sha256 = hash_layer(self.sha256, values, LIMB_BITS)

    def full_cards(self) -> tuple[int, Floats]:
        """The layer of the full cards."""
        filled = self.space.categories
        saved, count = self.saved_rolls(filled).tolist(), self.limbs(filled)
        points = self.objective.full_cards().tolist()
        faces = self.rules.faces
        numbers = [int(p) * faces ** self.exponent(filled, s) for p, s in zip(points, saved, strict=True)]
        values = np.array([self.split(number, count) for number in numbers])
        self.add_hash(values)
        return filled, values

    def job(self, filled: int, below: TableSlice, values: Floats, solved: Floats, start: int) -> Any:
        """The arguments of the kernel for one thread."""
        from ..kernels.exact import ExactJob
        from ..kernels.simd import aligned
        from ..model.state_space import LANES

        rules, dice, limbs, limbs_below = self.rules, self.dice, self.limbs(filled), self.limbs(filled + 1)
        rerolls = rules.rolls_per_turn + int(self.space.most_saved[filled])
        powers = [rules.faces ** self.exponent(filled + 1, n) for n in range(rerolls + 1)]
        saved = int(self.space.most_saved[filled + 1]) + 1
        weights, unit = self.weights(limbs)
        turn = self.turns._solve_job(below, below, filled, self.turns._new_scratch())
        sizes = dice.counts.sum(axis=1)
        return ExactJob(
            turn=turn,
            outcomes=turn_outcomes(rules, self.objective.start),
            below=values.ravel(),
            target=solved,
            start=start,
            limbs=limbs,
            limbs_below=limbs_below,
            scales=np.array([self.split(power, limbs_below) for power in powers[:saved]]).ravel(),
            weights=weights,
            units=np.array([float(Fraction(unit, power)) for power in powers]),
            successors=np.ascontiguousarray(dice.successors.ravel()),
            orderings=np.round(dice.weights * rules.faces**rules.dice),
            factors=np.array([*(float(rules.faces) ** sizes).tolist(), 1.0]),
            buffer=aligned((dice.n_holds + 3) * limbs),
            values=aligned(len(rules.categories) + 1),
            chosen=np.zeros(LANES, dtype=np.int64),
            child=np.zeros(limbs_below),
            tied=np.zeros(LANES, dtype=np.int64),
            gaps=np.zeros(LANES),
            tally=np.zeros(4),
        )

    def store(self, filled: int, values: Floats) -> None:
        """Write a layer and what was found up to it, so that a later solve can resume here."""
        fields = {
            "fingerprint": self.rules.fingerprint, "version": __version__, "filled": filled, "values": self.sha256,
            "error": self.error, "tally": self.tally, "shape": values.shape,
            "sha256": hashlib.sha256(values.tobytes()).hexdigest(),
        }  # fmt: skip
        assert self.part
        check_space(self.part.parent, values.nbytes)
        with writing_to(self.part.parent), replacing(self.part) as file:
            file.write(values.tobytes() + b"\n\n" + with_checksum(fields))

    def resume(self) -> tuple[int, Floats] | None:
        """The newest stored layer; None if there is none, or it is damaged."""
        if not self.part:
            return None
        try:
            content = self.part.read_bytes()
            data, _gap, text = content.rpartition(b"\n\n")
            fields = checked_fields(text)
            same = (fields["fingerprint"], fields["version"]) == (self.rules.fingerprint, __version__)
            if not same or hashlib.sha256(data).hexdigest() != fields["sha256"]:
                return None
            values = np.frombuffer(data, dtype=np.float64).reshape(fields["shape"]).copy()
        except (OSError, *DAMAGED):
            return None
        self.sha256, self.error, self.tally = fields["values"], fields["error"], fields["tally"]
        return int(fields["filled"]), values
