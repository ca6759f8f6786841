"""The worst single decisions of a policy: a sweep over all cards that games can reach, and all rolls.

A mean hides a rule that throws away a finished Yatzy on a rare card. The sweep finds it: for every card, number of
rerolls left and roll, what the policy does is compared with the best, if all that follows is perfect play.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import RulesError
from ..game.dice import Dice, Floats, Ints, lattice
from ..game.notation import dice_of
from ..game.scorecard import State
from ..kernels.table_slices import window
from ..model.checked_values import Table
from ..model.policies import Policy
from ..strategy.forward_pass import ForwardPass
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map

ROWS = 64  # rows of states a thread takes at a time


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

    @property
    def category(self) -> float:
        """The largest loss of a choice of a category."""
        return float(self.losses[:, 0].max(initial=0.0))

    def excess(self, limit: float) -> float:
        """How far holds lose more than a limit, summed over the rows and the numbers of rerolls left."""
        return float(np.maximum(self.losses[:, 1:] - limit, 0.0).sum())

    def example(self, holds: bool = True) -> tuple[State, Dice, int, float]:
        """The worst hold, or category: card, dice, rerolls left and loss."""
        part = self.losses[:, 1:] if holds else self.losses[:, :1]
        n, left = np.unravel_index(int(part.argmax()), part.shape)
        return self.decision(int(n), int(left) + holds)

    def decision(self, n: int, left: int) -> tuple[State, Dice, int, float]:
        """The decision of an entry of `losses`: card, dice, rerolls left and loss."""
        space = self.policy.space  # type: ignore[attr-defined]
        layout, row = space.layout, int(self.rows[n])
        dice = lattice(space.rules.dice, space.rules.faces)
        shown = dice_of(dice.counts[dice.first_roll + int(self.rolls[n, left])].tolist())
        upper = int(layout.lane_upper[layout.lane_sets[row], int(self.lanes[n, left])])
        state = State(int(layout.masks[row]), upper, 0, row >= space.cards)
        return state, shown, left, float(self.losses[n, left])


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
            with sweep.workers.borrow() as worker:
                for part, argument in actions(rows):
                    here = slice(done * stages, (done + len(part)) * stages)
                    worst_rows(part, worker.job, argument, table, losses[here], places[here])
                    done += len(part)
            return rows, losses, places

        layer = space.layers[filled]
        with thread_map(sweep.threads) as in_threads:
            found += in_threads(work, [layer[i : i + ROWS] for i in range(0, len(layer), ROWS)])
    rows, losses, places = (np.concatenate(part) for part in zip(*found, strict=True))
    lanes, rolls = np.divmod(places.reshape(-1, stages), sweep.dice.n_rolls)
    return WorstDecisions(policy, rows, losses.reshape(-1, stages), lanes, rolls)
