"""Open the strategy of a rule set: exact if possible, otherwise approximate.

- A stored exact table is opened.
- A game that can be solved unasked is solved and stored.
- A larger one with a fitted value function in the store is opened as an approximate strategy.
- A larger one without it is solved if the machine can. If it cannot, the error says what to run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.objectives import Objective
from ..core.rules import RuleSet
from ..errors import RulesError
from ..game.rule_loader import load_rules
from ..settings import Folder, Progress, Settings
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.estimates import rule_set_stats
from ..tablebase.store import has_table, open_table
from ..words import _, duration

if TYPE_CHECKING:
    from .approximate_strategy import ApproximateStrategy
    from .fitted_file import Certificate


def open_strategy(
    rules: str | Path | RuleSet = "yatzy",
    tables: Folder = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Strategy:
    """Open the optimal strategy of a rule set, solving the game first if its table is missing.

    Parameters
    ----------
    rules
        A built-in id with switches (``"yatzy+four-is-two-pairs"``), a TOML file, or a rule set.
    tables
        Folder of the tables; default: that of :func:`perfect_yatzy.tablebase.store.tables_folder`.
    threads
        Number of threads for a solve; default: one per processor.
    progress
        Called often during a solve with the values done and the values in all. It may raise
        :class:`perfect_yatzy.errors.Cancelled` to stop it; the finished layers remain for the next time.

    Returns
    -------
    Strategy
        Play that maximises the expected final score. A table of more than 64 MB is read as it is
        needed. A new one is stored in the folder. For a game that is too large it is an
        :class:`perfect_yatzy.ApproximateStrategy`, if :func:`perfect_yatzy.approximate` has made
        one.

    Raises
    ------
    RulesError
        If the rules are unknown or wrong, or too large to be solved exactly (code ``too-large``).
    TableError
        If the table is damaged or cannot be written.

    Notes
    -----
    The cost of a solve is not limited: it takes 0.2 s for Yatzy, but two minutes and 2.9 GB of disk for Maxi Yatzy.
    ``yatzy solve RULES --estimate`` says beforehand what it costs.
    """
    rule_set = load_rules(rules)
    if opens_approximate(rule_set, tables):
        return open_approximate(rule_set, tables)
    with approximate_advice(rule_set):
        info, values = open_table(Settings(tables, threads, progress), Objective(rule_set))
    return Strategy(rule_set, info, TurnEvaluator(rule_set, values))


def strategy_in_memory(rules: RuleSet, threads: int | None = None) -> Strategy:
    """Return the exact strategy of a rule set, solved now and not stored."""
    from ..tablebase.in_memory import solve_values

    return Strategy(rules, None, TurnEvaluator(rules, solve_values(rules, threads=threads)))


def opens_approximate(rules: RuleSet, tables: Folder = None) -> bool:
    """Return whether :func:`open_strategy` gives an approximate strategy.

    It does if a fitted function is stored but no exact table, and the game is too large to be
    solved unasked.
    """
    if has_table(rules, tables):
        return False
    from .fitted_file import has_fitted

    if not has_fitted(rules, tables):
        return False
    try:
        return rule_set_stats(rules).too_large
    except RulesError:  # too many states to be enumerated
        return True


def open_approximate(rules: RuleSet, tables: Folder = None) -> ApproximateStrategy:
    """Open the approximate strategy of a rule set from its file.

    Raises TableError if it is missing or damaged.
    """
    from .approximate_strategy import ApproximateStrategy, FunctionEvaluator
    from .fitted_file import read_fitted

    function, certificate = read_fitted(rules, tables)
    return ApproximateStrategy(
        rules, None, FunctionEvaluator(rules, function), certificate=certificate
    )


@contextmanager
def approximate_advice(rules: RuleSet) -> Iterator[None]:
    """Add to an error because of the size of a game what can be run instead."""
    try:
        yield
    except RulesError as error:
        if error.code != "too-large" or "--approximate" in str(error):
            raise
        from .approximate_cost import approximate_seconds

        spec = rules.spec or rules.key
        time = duration(approximate_seconds(rules))
        text = _(
            "{error}. An approximate strategy with a proven bound takes {time}: yatzy solve {spec} --approximate"
        )
        raise RulesError(text.format(error=error, time=time, spec=spec), code=error.code) from error


def certificate_of(strategy: Strategy) -> Certificate | None:
    """Return the certificate of an :class:`.ApproximateStrategy`, None for exact play.

    Its module need not be loaded.
    """
    return getattr(strategy, "certificate", None)
