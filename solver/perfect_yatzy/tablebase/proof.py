"""Prove a game: a certificate, a small JSON file, from a solve in exact integers (:mod:`.exact_solve`)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from .._files import replacing
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from .exact_solve import WINDOW, ExactSolve
from .locks import exclusive
from .memory import writing_to
from .store import tables_folder
from .table_info import fraction_fields, table_stem, versions


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
        Decisions compared: the category for each state and roll, and the hold for each of its numbers of rerolls.
    ties : int
        Decisions whose best two options are exactly equal.
    least_gap : float or None
        Least difference in points of the best two options that are not equal; None if it is more than 1e-4.
    close_gaps : int
        Decisions whose best two options differ, but by less than 1.01e-10, so that they may be called equal.
    variance, bonus_chance : Fraction or None
        If asked for: the variance of the final score, and the chance of the upper bonus, under the optimal play with
        the least variance, and of that the one with the likeliest bonus. Ties leave others.
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
        """The value with so many digits after the point, rounded down."""
        return fraction_fields(self.value, digits)["decimal"]

    def fields(self, digits: int = 60) -> dict[str, Any]:
        """The certificate as JSON values, with so many digits after the point of each fraction."""
        fields = {k: fraction_fields(v, digits) if isinstance(v, Fraction) else v for k, v in vars(self).items()}
        return fields | {"decimal": self.decimal(digits), "float64_optimal": self.float64_optimal}


def prove(
    rules: str | Path | RuleSet,
    *,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    spread: bool = False,
) -> Proof:
    """Solve a game in exact integers, and compare every value and decision in float64 with them.

    An interrupted call resumes. The certificate is written to the folder of the tables, as ``NAME.proof.json``. The
    exact value of a card is that of ``yatzy expect --exact``.

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
    spread
        Whether to find variance and chance of the upper bonus, too, in a second solve of three times the work.

    Raises
    ------
    RulesError
        If the rules are unknown, or have too many dice, or too many points.
    TableError
        If the folder cannot be written to.
    """
    folder, begin, rule_set = tables_folder(tables), time.monotonic(), load_rules(rules)
    solves = [ExactSolve(rule_set, folder, spread=also) for also in ((False, True) if spread else (False,))]
    path, solve = proof_path(rule_set, tables), solves[0]
    with writing_to(folder), exclusive(path.with_suffix(".lock")):
        (value,), *others = [one.start_values(threads, progress) for one in solves]
    decisions, ties, close, least = solve.tally.tolist()
    proof = Proof(
        rule_set.key, rule_set.fingerprint, value, solve.space.size, solve.sha256, solve.error, int(decisions),
        int(ties), least if least < WINDOW else None, int(close), versions(), round(time.monotonic() - begin, 3),
        *(others[0][1:] if others else ()),
    )  # fmt: skip
    with writing_to(folder), replacing(path) as file:
        file.write(json.dumps(proof.fields(), indent=1).encode() + b"\n")
    for done in solves:
        if done.part:
            done.part.unlink(missing_ok=True)
    return proof


def proof_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """The certificate of a rule set, whether or not it exists."""
    return tables_folder(tables) / f"{table_stem(rules, 'mean')}.proof.json"
