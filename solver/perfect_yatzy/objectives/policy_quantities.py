"""Quantities of the rest of a game under a policy: its mean, variance and chance of the bonus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core.checked_values import Table
from ..core.dice import Ints, Lattice
from ..core.objectives import DENSE, Misses, Objective, final_bonus
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..core.table_slices import TableSlice, Values, read_only, window
from ..errors import StateError

if TYPE_CHECKING:
    from ..core.turn import SolveJob
    from ..core.turn_model import TurnModel


RowActions = Callable[[Ints], Iterable[tuple[Ints, Any]]]


class Policy(Protocol):
    """A way to play: in every state and for every roll an action, or chances of actions."""

    @property
    def rules(self) -> RuleSet:
        """The game."""

    @property
    def start(self) -> State:
        """Where the games begin."""

    @property
    def ties(self) -> tuple[float, float]:
        """Absolute and relative difference of equal values, for a greedy policy."""

    def layer(self, filled: int) -> RowActions:
        """Return a function that cuts rows of a layer into parts, in any thread.

        Each part comes with the policy argument of the kernels.
        """


class PolicyQuantity(Objective):
    """Base of quantities of the rest of a game under a policy with the means `values`.

    By default the policy is greedy for the means.
    """

    rows_per_task = 4
    points_weight = 0.0  # of the points of each turn
    square_weight = 0.0  # of the squared deviation that each turn adds
    turn_cost = 6.0
    needs_means = True

    def __init__(
        self,
        rules: RuleSet,
        values: Table,
        start: State = EMPTY_STATE,
        policy: Policy | None = None,
    ) -> None:
        super().__init__(rules, start)
        self.values = values
        self.policy = policy

    def parameters(self) -> dict[str, Any]:
        """Return no parameters, because the policy is perfect play.

        Raises StateError under another policy.
        """
        if self.policy is not None:
            raise StateError(f"{self.name} under a policy cannot be solved in shards")
        return super().parameters()

    def means_of_turn(self, job: SolveJob, filled: int) -> TableSlice:
        """Return the means by which the kernel chooses the actions of a layer, with its children's."""
        return window(self.space, self.values, filled)

    def new_scratch(self, dice: Lattice, model: TurnModel) -> Any:
        """Return new working memory of the kernels."""
        from .policy_kernel import policy_scratch

        return policy_scratch(dice, model, int(self.space.most_saved.max()), self.compute)

    def solve_rows(
        self, job: SolveJob, rows: Ints, spacing: int = 1, offsets: object = None
    ) -> Misses:
        """Write the values of rows of a layer under the policy, or under perfect play."""
        from ..core.turn import TIE
        from .policy_evaluation_kernel import EvaluationJob, PerfectPlay, evaluate_rows
        from .policy_kernel import PolicyJob

        filled = int(self.space.filled[rows[0]])
        ties = self.policy.ties if self.policy else (TIE, 0.0)
        scratch: Any = job.scratch  # of `new_scratch`
        evaluation = EvaluationJob(
            PolicyJob(job.model, job.lattice, ties, scratch),
            self.means_of_turn(job, filled),
            job.below,
            job.target,
            job.most_saved,
            self.points_weight,
            self.square_weight,
        )
        parts = self.policy.layer(filled)(rows) if self.policy else [(rows, PerfectPlay())]
        for part, actions in parts:
            evaluate_rows(part, evaluation, actions)
        return DENSE


class PolicyMean(PolicyQuantity):
    """The mean of the points still to come under any policy."""

    name = "policy-mean"
    points_weight = 1.0

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy.rules, np.empty(0), policy.start, policy)

    def means_of_turn(self, job: SolveJob, filled: int) -> TableSlice:
        """Return the values themselves, of the type of a window, so that there is one kernel."""
        return TableSlice(read_only(job.below.values), job.below.start)


class Variance(PolicyQuantity):
    """The variance of the points still to come."""

    name = "variance"
    square_weight = 1.0

    def full_cards(self) -> Values:
        """Return zeros, because the final score of a full card is certain."""
        return np.zeros(len(final_bonus(self.space)))


class BonusChance(PolicyQuantity):
    """The chance of the upper bonus."""

    name = "bonus"

    def full_cards(self) -> Values:
        """Return 1 for a card that has reached the bonus, else 0."""
        return (final_bonus(self.space) > 0).astype(np.float64)


class BonusPoints(PolicyQuantity):
    """The points of the upper bonus, of all its steps and columns."""

    name = "bonuses"
