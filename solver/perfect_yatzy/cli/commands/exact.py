"""The command `yatzy solve --exact`, which solves a rule set in exact integers."""

from __future__ import annotations

from ...core.rules import RuleSet
from ...settings import Settings
from ...tablebase import exact_solve
from ...words import _, number_text
from ..console import echo_answer
from ..progress import progress
from ..views.answer_text import spread_lines


def print_proof(
    settings: Settings, rules: RuleSet, *, digits: int, spread: bool, as_json: bool
) -> None:
    """Solve a rule set in exact integers, or resume an interrupted proof, and print the result."""
    tables = settings.tables
    report = progress(_("Proving {rules}", rules=rules.key))
    proof = exact_solve.prove(
        rules, tables=tables, threads=settings.threads, progress=report, spread=spread
    )
    gap = _("more than 0.0001") if proof.least_gap is None else f"{proof.least_gap:.3g}"
    named = {"all": proof.decisions, "ties": proof.ties, "close": proof.close_gaps}
    counts = {name: number_text(count, grouped=True) for name, count in named.items()}
    lines = [
        _("{rules}: expected score {value}", rules=rules.key, value=proof.decimal(digits)),
        _("as a fraction: {value}", value=proof.value),
        *spread_lines(proof.fields(digits)),
        _("largest error in float64: {error} points", error=f"{proof.largest_error:.1e}"),
        _(
            "decisions: {all}, of them exact ties: {ties}; least other gap: {gap}",
            gap=gap,
            **counts,
        ),
        _("every decision in float64 is optimal")
        if proof.float64_optimal
        else _("decisions closer than float64 can tell: {close}", **counts),
        _("certificate: {path}", path=exact_solve.proof_path(rules, tables)),
    ]
    echo_answer(lines, as_json, proof.fields(max(digits, exact_solve.DIGITS)))
