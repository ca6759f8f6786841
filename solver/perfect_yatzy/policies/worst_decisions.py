"""The worst single decisions of a policy: a sweep over all cards that games can reach, and all rolls.

A mean hides a rule that throws away a finished Yatzy on a rare card. The sweep finds it: for every card, number of
rerolls left and roll, what the policy does is compared with the best, if all that follows is perfect play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import RulesError
from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import TableSlice, padded, window
from ..model.checked_values import Table, checked_part
from ..model.hold_rule_arrays import NO_FIT, STOP
from ..model.policies import Policy
from ..strategy.forward_pass import ForwardPass
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map
from .hold_policy import Cards, HoldRulePolicy, Holds, decision_of, decisions
from .hold_rules import HoldRule
from .policy import legal_holds

ROWS = 64  # rows of states a thread takes at a time
WORST, OTHERS = 40, 260  # decisions that a sweep adds: the worst, and some of the others beyond the limit
SENTINELS = 1_500  # decisions of any kind, so that a rule that mends some places does not spoil others


@dataclass(frozen=True)
class WorstDecisions:
    """The worst decision of each card with each number of rerolls left."""

    policy: Policy
    rows: Ints  # (n,) int64: The rows of the table: sets of filled boxes, and whether the joker's box holds points
    # (n, rolls a turn) float64: Largest loss on the cards of each row, over all upper sums and rolls, in points: of
    # a category (0 rerolls left), then of a hold with 1, 2, ... rerolls left
    losses: Floats
    lanes: Ints  # (n, rolls a turn) int64: Place of the upper sum among those of the row, and number of the roll
    rolls: Ints  # (n, rolls a turn) int64

    @property
    def hold(self) -> float:
        """The largest loss of a hold, or of an end of a turn that comes too early."""
        return float(self.losses[:, 1:].max(initial=0.0))


def worst_decisions(policy: Policy, perfect: Table, *, threads: int | None = None) -> WorstDecisions:
    """Compare every decision of a policy with the best, on all cards and rolls."""
    from ..kernels.losses import worst_rows

    if policy.rules.saved_rolls:
        raise RulesError("the worst decision of a policy is not computed for rules that save rolls")
    sweep = ForwardPass(policy, threads or default_threads(), perfect)
    space, stages = sweep.space, policy.rules.rolls_per_turn
    found: list[tuple[Ints, Floats, Ints]] = []
    for filled in range(space.first_layer, space.categories):
        actions, table = policy.layer(filled), window(space, perfect, filled)

        def work(rows: Ints, actions=actions, table=table) -> tuple[Ints, Floats, Ints]:  # type: ignore[no-untyped-def]
            losses, places = np.zeros(len(rows) * stages), np.zeros(len(rows) * stages, dtype=np.int64)
            done = 0
            with sweep.jobs.borrow() as job:
                for part, argument in actions(rows):
                    here = slice(done * stages, (done + len(part)) * stages)
                    worst_rows(part, job, argument, table, losses[here], places[here])
                    done += len(part)
            return rows, losses, places

        layer = space.layers[filled]
        with thread_map(sweep.threads) as in_threads:
            found += in_threads(work, [layer[i : i + ROWS] for i in range(0, len(layer), ROWS)])
    rows, losses, places = (np.concatenate(part) for part in zip(*found, strict=True))
    lanes, rolls = np.divmod(places.reshape(-1, stages), sweep.dice.n_rolls)
    return WorstDecisions(policy, rows, losses.reshape(-1, stages), lanes, rolls)


class HoldGuard:
    """Decisions on which no more than a limit may be lost, for the search of a list of hold rules.

    The limit is on millions of decisions. The guard knows some, among these all that have been the worst of a list (a
    cutting-plane method): a candidate is judged on them at once, and the sweep over all cards confirms it.
    """

    def __init__(
        self, policy: HoldRulePolicy, perfect: Table, limit: float, seed: int, threads: int | None = None
    ) -> None:
        self.perfect, self.limit, self.threads = perfect, limit, threads
        self.rules, self.space, self.dice = policy.rules, policy.space, lattice(policy.rules.dice, policy.rules.faces)
        self.random = np.random.default_rng(seed)
        self.sweep_memory = ForwardPass(policy, 1, perfect)
        self.table = TableSlice(padded(checked_part(perfect, 0, len(perfect)).astype(np.float64)), 0)
        self.stages = self.rules.rolls_per_turn
        self.keys = np.empty((0, 4), dtype=np.int64)  # row, lane, rerolls left, roll
        self.stops = np.empty(0)
        self.holds = np.empty((0, self.dice.n_holds), dtype=np.float32)
        self.best = np.empty(0)
        self.cards = Cards.of_rows(self.rules, self.space, self.keys[:, 0], self.keys[:, 1])
        if self.stages > 1:
            layout, layers = self.space.layout, self.space.layers[self.space.first_layer : self.space.categories]
            rows = np.concatenate(layers)[self.random.integers(0, sum(map(len, layers)), SENTINELS)]
            lanes = self.random.random(SENTINELS) * layout.lane_count[layout.lane_sets[rows]]
            left = self.random.integers(1, self.stages, SENTINELS)
            rolls = self.random.integers(0, self.dice.n_rolls, SENTINELS)
            self.add(np.column_stack([rows, lanes.astype(np.int64), left, rolls]))

    def sweep(self, policy: HoldRulePolicy) -> WorstDecisions:
        """The worst decisions of a list on all cards; some beyond the limit are added to the guard."""
        found = worst_decisions(policy, self.perfect, threads=self.threads)
        losses = found.losses[:, 1:]  # of holds
        card, left = np.nonzero(losses > self.limit)
        worst_first = np.argsort(-losses[card, left], kind="stable")
        others = self.random.permutation(worst_first[WORST:])[:OTHERS]
        chosen = np.concatenate([worst_first[:WORST], others])
        card, left = card[chosen], left[chosen] + 1  # rerolls left
        self.add(np.column_stack([found.rows[card], found.lanes[card, left], left, found.rolls[card, left]]))
        return found

    def add(self, keys: Ints) -> None:
        """Add decisions: row, lane, rerolls left and roll of each."""
        known = set(map(tuple, self.keys.tolist()))
        keys = np.array(sorted(set(map(tuple, keys.tolist())) - known), dtype=np.int64).reshape(-1, 4)
        if not len(keys):
            return
        states, of_state = np.unique(keys[:, :2], axis=0, return_inverse=True)
        of_state = of_state.ravel()
        stops, values = self.turns(np.ascontiguousarray(states[:, 0]), np.ascontiguousarray(states[:, 1]))
        left, roll = keys[:, 2], keys[:, 3]
        stop, holds = stops[of_state, roll], values[of_state, left - 1]
        first = self.dice.first_roll
        legal = legal_holds(self.rules.dice, self.rules.faces)[roll, :first]
        within = np.where(legal, holds[:, :first], -np.inf).max(axis=1)
        self.keys = np.concatenate([self.keys, keys])
        self.stops = np.concatenate([self.stops, stop])
        self.holds = np.concatenate([self.holds, holds.astype(np.float32)])
        self.best = np.concatenate([self.best, np.maximum(stop, within)])
        self.cards = Cards.of_rows(self.rules, self.space, self.keys[:, 0], self.keys[:, 1])

    def turns(self, rows: Ints, lanes: Ints) -> tuple[Floats, Floats]:
        """Values under perfect play: to stop by roll, and of holds by rerolls left."""
        from ..kernels.losses import perfect_turns

        stops = np.zeros(len(rows) * self.dice.n_rolls)
        values = np.zeros(len(rows) * (self.stages - 1) * self.dice.n_holds)
        with self.sweep_memory.jobs.borrow() as job:
            perfect_turns(rows, lanes, job, self.table, stops, values)
        return stops.reshape(len(rows), -1), values.reshape(len(rows), self.stages - 1, -1)

    @property
    def situations(self) -> tuple[Cards, Ints, Ints]:
        """Cards, rolls and rerolls left of the decisions."""
        return self.cards, self.keys[:, 3], self.keys[:, 2]

    def beyond(self, done: Holds) -> Floats:
        """How far each decision loses more than the limit."""
        held = self.holds[np.arange(len(done)), np.maximum(done, 0)]
        taken = np.where(done == STOP, self.stops, held)
        return np.maximum(self.best - taken - self.limit, 0.0)

    def excess(self, holds: Sequence[HoldRule]) -> float:
        """How far the decisions of a list lose more than the limit, added up."""
        return float(self.beyond(decisions(self.rules, holds, *self.situations)[0]).sum())

    def gains(self, rule: HoldRule, holds: Sequence[HoldRule]) -> Floats:
        """What a rule takes off the excess, ``(decisions, rules + 1)``, by the rule that decides in the list."""
        done, by = decisions(self.rules, holds, *self.situations)
        named = decision_of(self.rules, rule, *self.situations)
        gain = np.where(named == NO_FIT, 0.0, self.beyond(done) - self.beyond(np.where(named == NO_FIT, done, named)))
        result = np.zeros((len(done), len(holds) + 1))
        result[np.arange(len(done)), by] = gain
        return result
