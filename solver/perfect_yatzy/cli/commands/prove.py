"""`yatzy prove` solves a game in exact integers and checks the values and decisions in float64."""

from __future__ import annotations

import click

from ..._messages import _, number_text
from ..console import echo_answer
from ..options import WholeNumber, json_option, rules_argument, table_options


@click.command()
@rules_argument
@click.option(
    "--digits", type=WholeNumber(0, 1000), metavar="N", default=30, show_default=True,
    help="Digits of the value after the point.",
)  # fmt: skip
@click.option(
    "--spread", is_flag=True, help="Also the variance and the chance of the upper bonus: three times the work."
)
@json_option
@table_options
def prove(rules: str, digits: int, spread: bool, as_json: bool, tables: str | None, threads: int | None) -> None:
    """Solve a rule set in exact integers.

    Prints the expected score as a fraction and with any number of digits, the largest error of the values in float64,
    and how many decisions are exact ties. An interrupted proof resumes. The certificate is stored beside the tables.

    \b
      yatzy prove yatzy
      yatzy prove yahtzee --digits 60
      yatzy expect --card "chance=20 sixes=24" --exact
    """
    from ...game.rule_loader import load_rules
    from ...tablebase.proof import proof_path
    from ...tablebase.proof import prove as run
    from ..progress import progress
    from ..views.answers import spread_lines

    rule_set = load_rules(rules)
    report = progress(_("Proving {rules}", rules=rule_set.key))
    proof = run(rule_set, tables=tables, threads=threads, progress=report, spread=spread)
    gap = _("more than 0.0001") if proof.least_gap is None else f"{proof.least_gap:.3g}"
    named = {"all": proof.decisions, "ties": proof.ties, "close": proof.close_gaps}
    counts = {name: number_text(count, grouped=True) for name, count in named.items()}
    lines = [
        _("{rules}: expected score {value}", rules=rule_set.key, value=proof.decimal(digits)),
        _("as a fraction: {value}", value=proof.value),
        *spread_lines(proof.fields(digits)),
        _("largest error in float64: {error} points", error=f"{proof.largest_error:.1e}"),
        _("decisions: {all}, of them exact ties: {ties}; least other gap: {gap}", gap=gap, **counts),
        _("every decision in float64 is optimal")
        if proof.float64_optimal
        else _("decisions closer than float64 can tell: {close}", **counts),
        _("certificate: {path}", path=proof_path(rule_set, tables)),
    ]
    echo_answer(proof.fields(), lines, as_json)
