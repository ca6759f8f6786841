"""The chance of the upper bonus under play for the mean, for the field ``outlook`` of answers.

From its table if the store has one. Otherwise it is computed if that takes about a second: by the command at once,
which stores it as `yatzy review` does; by a server in the background and in memory, so that no answer waits for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock, Thread

from ..game.scorecard import State
from ..model.estimates import rule_set_stats
from ..model.objectives import BonusChance
from ..strategy.strategy import Strategy, certificate_of
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.store import has_table, open_table
from .budget import SolveBudget
from .cache import WeightedLRUCache

MAX_BYTES = 256 << 20  # of the chances that stay in memory
MAX_WAITING = 4  # rule sets whose chances are computed or wait for it
ChanceOfState = Callable[[State], float]  # of a state at the start of a turn


class BonusChances:
    """Chances of the upper bonus by rule set. Several threads may use it."""

    def __init__(self, tables: str | os.PathLike[str] | None, threads: int | None, budget: SolveBudget) -> None:
        self.tables, self.threads, self.budget = tables, threads, budget
        self._found: WeightedLRUCache[TurnEvaluator] = WeightedLRUCache(MAX_BYTES)
        self._threads: dict[str, Thread] = {}  # by fingerprint of the rules, while they run
        self._lock, self._computing = Lock(), Lock()

    def of(self, strategy: Strategy) -> ChanceOfState | None:
        """The chances for an exact strategy of the mean; None without a bonus, and if they are not known in time."""
        rules, key = strategy.rules, strategy.rules.fingerprint
        if not rules.bonus or certificate_of(strategy):
            return None
        if (found := self._found.get(key)) is not None:
            return found.value
        chances = BonusChance(rules, strategy.table)
        if not has_table(rules, self.tables, chances.name):
            if rule_set_stats(rules).seconds >= self.budget.instant_seconds:
                return None
            if self.budget.confirms:
                with self._lock:
                    if key not in self._threads and len(self._threads) < MAX_WAITING:
                        self._threads[key] = Thread(target=self._compute, args=(key, chances), daemon=True)
                        self._threads[key].start()
                return None

        def create() -> TurnEvaluator:
            return TurnEvaluator(rules, open_table(chances, self.tables, threads=self.threads)[1])

        return self._found.get_or_create(key, create).value

    def wait(self) -> None:
        """Wait until everything that was begun in the background is known."""
        for thread in list(self._threads.values()):
            thread.join()

    def _compute(self, key: str, chances: BonusChance) -> None:
        from ..tablebase.backward_induction import solve_objective

        try:
            with self._computing:  # one at a time, on one processor: nobody waits for it
                found = TurnEvaluator(chances.rules, solve_objective(chances, threads=1))
            self._found.put(key, found, found.values.nbytes)
        finally:
            with self._lock:
                del self._threads[key]
