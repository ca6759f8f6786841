"""Turns of states that the games of a list of hold rules reach, and what other rules would gain there.

A part of the search (:mod:`.rule_search`): estimates for many rules at once, on a sample of the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.scorecard import EMPTY_STATE
from ..game.upper_sums import upper_sums
from ..kernels.table_slices import TableSlice, padded
from ..model.turn_model import turn_model, turn_outcomes
from .hold_language import Condition, HoldRule
from .hold_policy import HoldRulePolicy
from .hold_tables import Cards, applies, hold_rule_arrays, rule_holds, rule_uses

GAMES = 150  # games that are sampled for each step


class Sample:
    """Turns of states that the games of a list reach, with the values of the list."""

    def __init__(self, policy: HoldRulePolicy, values: Floats, seed: Sequence[int], games: int = GAMES) -> None:
        from ..kernels.hold_rules import HoldRuleActions
        from ..kernels.policy import policy_job
        from ..kernels.policy_evaluation import EvaluationJob

        self.policy, self.rules, self.space, self.holds = policy, policy.rules, policy.space, policy.hold_rules
        dice = self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model, self.outcomes = turn_model(self.rules), turn_outcomes(self.rules)
        job = policy_job(dice, self.model, self.outcomes, HoldRulePolicy.ties)
        below, target = TableSlice(padded(values), 0), TableSlice(padded(values), 0)
        self.job = EvaluationJob(job, below, below, target, 0, 1.0, 0.0)
        self.price_table = TableSlice(padded(policy.values), 0)
        self.actions = HoldRuleActions
        self.rows, self.lanes, self.weights = self.play(games, seed)
        self.turns = self.sampled(self.rows, self.lanes)
        self.cards = Cards.of_rows(self.rules, self.space, self.rows, self.lanes)
        self.stages = self.rules.rolls_per_turn
        self.base = self.values_of(self.holds)

    def argument(self, holds: tuple[HoldRule, ...]) -> Any:
        """A list as the policy argument of the kernels."""
        arrays = hold_rule_arrays(self.rules, holds, self.space)
        return self.actions(arrays, self.price_table, np.zeros(2 * self.dice.n_rolls, dtype=np.int32))

    def sampled(self, rows: Ints, lanes: Ints) -> Any:
        """The turns of states under the list, as :class:`perfect_yatzy.kernels.hold_rules.SampledTurns`."""
        from ..kernels.hold_rules import SampledTurns, sample_turns

        stages, n = self.rules.rolls_per_turn, len(rows)
        turns = SampledTurns(
            np.zeros(n * self.outcomes.size),
            np.zeros(n * stages * self.dice.n_rolls),
            np.zeros(n * stages * self.dice.n_rolls),
            np.zeros(n * stages * self.dice.n_holds),
            np.zeros(n * stages * self.dice.n_rolls, dtype=np.int16),
        )
        sample_turns(rows, lanes, self.job, self.argument(self.holds), turns)
        return turns

    def play(self, games: int, seed: Sequence[int]) -> tuple[Ints, Ints, Floats]:
        """Rows and lanes of the states that games of the list meet, and how often each is met in a game."""
        random = np.random.default_rng(seed)
        start = self.space.row(EMPTY_STATE)
        rows = np.full(games, start, dtype=np.int64)
        upper = np.zeros(games, dtype=np.int64)
        met = []
        for _ in range(self.space.categories):
            lanes = self.space.lanes_of(rows, upper)
            met.append(np.stack([rows, lanes]))
            chances = self.sampled(rows, lanes).outcome_chance.reshape(games, -1).cumsum(axis=1)
            drawn = random.random(games) * chances[:, -1]
            outcome = np.minimum((chances <= drawn[:, None]).sum(axis=1), self.outcomes.size - 1)
            rows = rows + self.outcomes.step[outcome]
            upper = upper_sums(self.rules).cap(upper + self.outcomes.shift[outcome])
        states, times = np.unique(np.concatenate(met, axis=1), axis=1, return_counts=True)
        return np.ascontiguousarray(states[0]), np.ascontiguousarray(states[1]), times / games

    def gains(self, rule: HoldRule) -> Floats:
        """Estimated gain of a rule without its conditions, ``(rolls left * states, rules + 1)``, by deciding rule."""
        from ..kernels.hold_rules import rule_gains

        named, uses, weights = rule_holds(self.rules, rule), rule_uses(self.rules, rule), self.weights
        for condition in rule.conditions:
            weights = weights * applies(self.rules, condition, self.cards, 0)
        n_rolls, columns = self.dice.n_rolls, len(self.holds) + 1
        result = np.zeros(len(weights) * self.stages * columns)
        sizes = self.stages, n_rolls, self.dice.n_holds, columns
        per_mask = n_rolls if len(named) > 1 else 0
        lines, cards = (named.ravel(), uses.ravel(), per_mask), self.cards
        rule_gains(*lines, cards.faces, cards.usable, weights, self.turns, sizes, result)
        return result.reshape(len(weights), self.stages, columns)[:, 1:].transpose(1, 0, 2).reshape(-1, columns)

    def factors(self, conditions: Sequence[Condition]) -> Floats:
        """1 where a condition holds, else 0: ``(conditions, rolls left * states)``."""
        stages = range(1, self.stages)
        holds = [[applies(self.rules, c, self.cards, rolls) for rolls in stages] for c in conditions]
        return np.array(holds, dtype=np.float64).reshape(len(conditions), -1)

    def values_of(self, holds: tuple[HoldRule, ...]) -> Floats:
        """Values of the states if their turn is played by another list."""
        from ..kernels.hold_rules import turn_values

        values = np.zeros(len(self.rows))
        turn_values(self.rows, self.lanes, self.job, self.argument(holds), values)
        return values

    def gain_of_list(self, holds: tuple[HoldRule, ...]) -> float:
        """Estimated gain of another list."""
        return float(self.weights @ (self.values_of(holds) - self.base))
