"""A game solved in memory, without a table on the disk."""

from __future__ import annotations

from pathlib import Path

from ..core.backward_induction import solve_objective
from ..core.dice import Floats
from ..core.objectives import Objective
from ..core.rules import RuleSet
from ..game.rule_loader import load_rules
from .estimates import check_memory, log_long, solve_cost


def solve_values(
    rules: str | Path | RuleSet, *, threads: int | None = None, unrolled: bool = True
) -> Floats:
    """Solve a rule set in memory: the expected points still to come in every state.

    Nothing is stored on disk.

    Parameters
    ----------
    rules
        A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
    threads
        Number of threads; default: one per processor. The values do not depend on it.
    unrolled
        Whether the passes over the lattice of holds are compiled as straight-line code (faster) or
        driven by index arrays. The values do not depend on it.

    Returns
    -------
    (size,) float64
        Value of each state at the start of a turn, in points, upper bonus included. The order is
        that of :class:`perfect_yatzy.core.state_space.StateSpace`: its method ``index(state)``
        returns the index of a state, and the last value is that of the empty card.

    Raises
    ------
    RulesError
        If the rules are unknown or malformed, or the machine has too little memory.
    """
    objective = Objective(load_rules(rules))
    cost = solve_cost(objective)
    check_memory(objective.rules, cost.with_table())
    log_long(f"solving {objective.rules.key} in memory", cost.seconds)
    return solve_objective(objective, threads=threads, unrolled=unrolled)
