"""The search of hold rules: a short list that, with a price sheet, makes many points.

Greedy: from the empty list, insert the rule that gains most, at the place where it gains most, again and again. What
a rule gains is estimated for all rules of a vocabulary at once, on turns of games that the list itself has played,
with the exact values of the list (:mod:`perfect_yatzy.kernels.hold_rule_search`); then the exact mean decides. In
between rules are simplified, moved and removed where that costs little. Deterministic for a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..game.scorecard import EMPTY_STATE
from ..game.upper_sums import upper_sums
from ..kernels.table_slices import TableSlice, padded
from ..model.state_space import state_space
from ..model.turn_model import turn_model, turn_outcomes
from .evaluation import policy_values
from .hold_language import Condition, DicePattern, HoldRule, hold_rule
from .hold_policy import HoldRulePolicy
from .hold_tables import Cards, applies, conditions_of, rule_holds
from .price_sheet import PriceSheet
from .rule_vocabulary import candidate_conditions, candidate_patterns, rule_cost

GAMES = 150  # games that are sampled for each step
PAIRED_CONDITIONS = 10  # single conditions of a pattern that are tried together with every other
RANKED = 30  # sets of conditions of a pattern whose cost is considered
TRIED = 2  # candidates of a step whose exact mean is computed
ROUNDS = 5  # of simplification, each time
WORTH_KEEPING = 0.03  # points a game: a simplification or removal may cost as much


@dataclass(frozen=True)
class Learned:
    """A list of hold rules that was found, and how good it is.

    Attributes
    ----------
    holds : tuple of HoldRule
    mean : float
        Exact mean of the final score with the hold rules and the prices.
    worth : tuple of float
        Points a game that are lost without each rule; exact.
    sizes, means : tuple of int, tuple of float
        Exact means of the shorter lists on the way, by their number of rules.
    shorter : dict of int to tuple of HoldRule
        Those lists.
    """

    holds: tuple[HoldRule, ...]
    mean: float
    worth: tuple[float, ...] = ()
    sizes: tuple[int, ...] = ()
    means: tuple[float, ...] = ()
    shorter: dict[int, tuple[HoldRule, ...]] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """The figures of a strategy sheet: mean, worth, and the means of shorter lists."""
        return {
            "mean": round(self.mean, 4),
            "worth": [round(worth, 3) for worth in self.worth],
            "sizes": [*self.sizes],
            "means": [round(mean, 4) for mean in self.means],
        }


def learn_holds(
    prices: PriceSheet,
    max_rules: int = 25,
    *,
    seed: int = 0,
    min_gain: float = 0.05,
    sizes: Sequence[int] = (5, 10, 15, 20),
    start: Sequence[HoldRule] = (),
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Learned:
    """Find a list of hold rules for a price sheet.

    Parameters
    ----------
    prices
        Chooses the categories; its rule set is the game.
    max_rules
        Most rules of the list.
    seed
        Of the sampled games.
    min_gain
        Least exact gain of a further rule, in points a game.
    sizes
        Lengths of the shorter lists to note.
    start
        A list to begin with.
    threads
        Default: all processors.
    progress
        Called with a line of text after each step.

    Returns
    -------
    Learned
    """
    search = Search(prices, seed=seed, threads=threads, progress=progress)
    return search.run(start, max_rules, min_gain, sizes)


class Search:
    """The state of a search: the game, the candidates, and the number of steps so far.

    Parameters
    ----------
    prices, seed, threads, progress
        As for :func:`learn_holds`.
    """

    def __init__(
        self,
        prices: PriceSheet,
        *,
        seed: int = 0,
        threads: int | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.prices, self.rules, self.seed = prices, prices.rules, seed
        self.threads, self.progress = threads, progress or (lambda line: None)
        self.space = state_space(self.rules)
        self.price_values = prices.values()
        self.patterns = candidate_patterns(self.rules)
        self.conditions = candidate_conditions(self.rules)
        self.step = 0

    def policy(self, holds: Sequence[HoldRule]) -> HoldRulePolicy:
        """A list as a policy."""
        return HoldRulePolicy(holds, self.prices, values=self.price_values)

    def values(self, holds: Sequence[HoldRule]) -> Floats:
        """Exact values of all states under a list."""
        return policy_values(self.policy(holds), threads=self.threads)

    def run(self, start: Sequence[HoldRule], max_rules: int, min_gain: float, sizes: Sequence[int]) -> Learned:
        """The search; see :func:`learn_holds`."""
        holds = tuple(start)
        values = self.values(holds)
        noted: dict[int, tuple[float, tuple[HoldRule, ...]]] = {}
        while len(holds) < max_rules:
            longer = self.extend(holds, values, min_gain)
            if longer is None:
                break
            holds, values = longer
            if len(holds) % 5 == 0 or len(holds) == max_rules:
                holds, values = self.simplify(holds, values)
            mean = float(values[-1])
            if len(holds) in sizes and mean > noted.get(len(holds), (0.0,))[0]:
                noted[len(holds)] = mean, holds
        worth = [float(values[-1] - self.values((*holds[:i], *holds[i + 1 :]))[-1]) for i in range(len(holds))]
        noted[len(holds)] = float(values[-1]), holds
        lengths = sorted(noted)
        return Learned(
            holds,
            float(values[-1]),
            tuple(worth),
            tuple(lengths),
            tuple(noted[n][0] for n in lengths),
            {n: noted[n][1] for n in lengths},
        )

    def extend(
        self, holds: tuple[HoldRule, ...], values: Floats, min_gain: float
    ) -> tuple[tuple[HoldRule, ...], Floats] | None:
        """The list with one more rule, and its values; None if no rule gains enough."""
        self.step += 1
        sample = Sample(self, holds, values)
        best: tuple[float, tuple[HoldRule, ...], Floats] | None = None
        for estimate, place, rule in self.insertions(sample):
            if estimate < min_gain / 2 or (best and estimate < best[0]):
                break
            longer = (*holds[:place], rule, *holds[place:])
            new = self.values(longer)
            gain = float(new[-1] - values[-1])
            self.progress(f"  {estimate:.2f} {gain:+.2f} at {place + 1}: {rule}")
            if gain >= min_gain and (best is None or gain - rule_cost(rule) > best[0]):
                best = gain - rule_cost(rule), longer, new
        if best is None:
            return None
        self.progress(f"{len(best[1])} rules: {best[2][-1]:.3f}")
        return best[1], best[2]

    def insertions(self, sample: Sample) -> list[tuple[float, int, HoldRule]]:
        """The best further rules by their estimated gain less their cost: estimate, place and rule."""
        factors = sample.factors(self.conditions)
        found: list[tuple[float, int, HoldRule]] = []
        for pattern, action in self.patterns:
            gains = sample.gains(hold_rule(self.rules, pattern, (), action))
            place, gain = best_places(gains.sum(axis=0)[None])
            entries: list[tuple[float, int, tuple[int, ...]]] = [(float(gain[0]), int(place[0]), ())]
            places, alone = best_places(factors @ gains)
            entries += [(g, p, (i,)) for i, (g, p) in enumerate(zip(alone.tolist(), places.tolist(), strict=True))]
            for i in np.argsort(-alone, kind="stable")[:PAIRED_CONDITIONS].tolist():
                places, both = best_places(factors @ (factors[i][:, None] * gains))
                pairs = enumerate(zip(both.tolist(), places.tolist(), strict=True))
                entries += [(g, p, (i, j)) for j, (g, p) in pairs if j != i]
            entries.sort(key=lambda entry: -entry[0])
            ranked = []
            for estimate, where, chosen in entries[:RANKED]:
                rule = hold_rule(self.rules, pattern, [self.conditions[i] for i in chosen], action)
                ranked.append((estimate - rule_cost(rule), where, rule))
            found += sorted(ranked, key=lambda entry: (-entry[0], str(entry[2])))[:2]
        found.sort(key=lambda entry: (-entry[0], str(entry[2])))
        # Of rules that do the same in all sampled situations only the one that costs least.
        different: dict[tuple[float, int], tuple[float, int, HoldRule]] = {}
        for estimate, where, rule in found:
            different.setdefault((round(estimate + rule_cost(rule), 9), where), (estimate, where, rule))
        return [*different.values()][:TRIED]

    def simplify(self, holds: tuple[HoldRule, ...], values: Floats) -> tuple[tuple[HoldRule, ...], Floats]:
        """Change, move and remove rules while the estimate says that it gains, and the exact mean agrees."""
        for _ in range(ROUNDS):
            self.step += 1
            sample = Sample(self, holds, values)
            base = sum(map(rule_cost, holds)) + WORTH_KEEPING * len(holds)
            ranked = []
            for other in dict.fromkeys(self.variants(holds)):
                saved = base - sum(map(rule_cost, other)) - WORTH_KEEPING * len(other)
                ranked.append((sample.gain_of_list(other) + saved, saved, other))
            ranked.sort(key=lambda entry: -entry[0])
            for estimate, saved, other in ranked[:TRIED]:
                if estimate < 0.01:
                    return holds, values
                new = self.values(other)
                gain = float(new[-1] - values[-1])
                if gain + saved > 0.005:
                    changed = (
                        [str(rule) for rule in holds if rule not in other],
                        [str(rule) for rule in other if rule not in holds],
                    )
                    self.progress(f"  {gain:+.3f} {changed[0]} -> {changed[1]}; {len(other)} rules: {new[-1]:.3f}")
                    holds, values = other, new
                    break
            else:
                return holds, values
        return holds, values

    def variants(self, holds: tuple[HoldRule, ...]) -> Iterator[tuple[HoldRule, ...]]:
        """Lists that differ in one rule: removed, moved, without a condition, with other faces."""
        for i, rule in enumerate(holds):
            before, after = holds[:i], holds[i + 1 :]
            yield before + after
            rest = before + after
            for place in range(len(rest) + 1):
                if abs(place - i) in (1, 2, 4, 8):
                    yield (*rest[:place], rule, *rest[place:])
            for condition in rule.conditions:
                kept = [c for c in rule.conditions if c != condition]
                yield (*before, hold_rule(self.rules, rule.pattern, kept, rule.action), *after)
                for other in self.conditions:
                    if other.kind == condition.kind and _related(other, condition):
                        changed = hold_rule(self.rules, rule.pattern, [*kept, other], rule.action)
                        yield (*before, changed, *after)
            for pattern, action in self.patterns:
                if action == rule.action and _neighbours(pattern, rule.pattern):
                    yield (*before, replace(rule, pattern=pattern), *after)


def _related(a: Condition, b: Condition) -> bool:
    """Whether a condition is a wider or narrower form of another one."""
    return a != b and (set(a.categories) <= set(b.categories) or set(a.categories) >= set(b.categories))


def _neighbours(a: DicePattern, b: DicePattern) -> bool:
    """Whether two patterns differ in one step of one number, or in what is marked."""
    sizes = abs(sum(a.sizes) - sum(b.sizes)) if len(a.sizes) == len(b.sizes) else 9
    steps = sizes + abs(a.low - b.low) + abs(a.high - b.high) + (a.open != b.open) + (a.lowest != b.lowest)
    return a.kind == b.kind != "pays" and steps == 1


def best_places(gains: Floats) -> tuple[Ints, Floats]:
    """Where a rule gains most, and how much, from its gains by the rule that has decided so far.

    Parameters
    ----------
    gains : (n, rules + 1) float64
        For n rules. Inserted before rule j, a rule takes over what j and later ones have decided.

    Returns
    -------
    places : (n,) int64
        Of equally good places the last one.
    gain : (n,) float64
    """
    by_place = gains[:, ::-1].cumsum(axis=1)
    gain = by_place.max(axis=1)
    return gains.shape[1] - 1 - np.argmax(by_place > gain[:, None] - 1e-9, axis=1), gain


class Sample:
    """Turns of states that the games of a list reach, with the values of the list."""

    def __init__(self, search: Search, holds: tuple[HoldRule, ...], values: Floats, games: int = GAMES) -> None:
        from ..kernels.hold_rules import HoldRuleActions
        from ..kernels.lattice import indexed_lattice, kernel_lattice
        from ..kernels.policy import PolicyJob, policy_scratch
        from ..kernels.policy_evaluation import EvaluationJob

        self.search, self.rules, self.space, self.holds = search, search.rules, search.space, holds
        dice = self.dice = lattice(self.rules.dice, self.rules.faces)
        self.model, self.outcomes = turn_model(self.rules), turn_outcomes(self.rules)
        self.index = indexed_lattice(dice)
        scratch = policy_scratch(dice, self.model, self.outcomes, 0, np.float64)
        job = PolicyJob(self.model, self.outcomes, kernel_lattice(dice), HoldRulePolicy.ties, scratch)
        below, target = TableSlice(padded(values), 0), TableSlice(padded(values), 0)
        self.job = EvaluationJob(job, below, below, target, 0, 1.0, 0.0)
        self.price_table = TableSlice(padded(search.price_values), 0)
        self.actions = HoldRuleActions
        self.rows, self.lanes, self.weights = self.play(games)
        self.turns = self.sampled(self.rows, self.lanes)
        self.cards = Cards.of_rows(self.rules, self.space, self.rows, self.lanes)
        self.stages = self.rules.rolls_per_turn
        self.base = self.values_of(holds)

    def argument(self, holds: tuple[HoldRule, ...]) -> Any:
        """A list as the policy argument of the kernels."""
        arrays = self.search.policy(holds).arrays
        return self.actions(arrays, self.price_table, np.zeros(2 * self.dice.n_rolls, dtype=np.int32))

    def sampled(self, rows: Ints, lanes: Ints) -> Any:
        """The turns of states under the list, as :class:`perfect_yatzy.kernels.hold_rule_search.SampledTurns`."""
        from ..kernels.hold_rule_search import SampledTurns, sample_turns

        stages, n = self.rules.rolls_per_turn, len(rows)
        turns = SampledTurns(
            np.zeros(n * self.outcomes.size),
            np.zeros(n * stages * self.dice.n_rolls),
            np.zeros(n * stages * self.dice.n_rolls),
            np.zeros(n * stages * self.dice.n_holds),
            np.zeros(n * stages * self.dice.n_rolls, dtype=np.int16),
        )
        sample_turns(rows, lanes, self.job, self.argument(self.holds), self.index, turns)
        return turns

    def play(self, games: int) -> tuple[Ints, Ints, Floats]:
        """Rows and lanes of the states that games of the list meet, and how often each is met in a game."""
        random = np.random.default_rng([self.search.seed, self.search.step])
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
        from ..kernels.hold_rule_search import rule_gains

        named, weights = rule_holds(self.rules, rule), self.weights
        for condition in conditions_of(rule):
            weights = weights * applies(self.rules, condition, self.cards, 0)
        n_rolls, columns = self.dice.n_rolls, len(self.holds) + 1
        result = np.zeros(len(weights) * self.stages * columns)
        sizes = self.stages, n_rolls, self.dice.n_holds, columns
        per_mask = n_rolls if len(named) > 1 else 0
        rule_gains(named.ravel(), per_mask, self.cards.faces, weights, self.turns, sizes, result)
        return result.reshape(len(weights), self.stages, columns)[:, 1:].transpose(1, 0, 2).reshape(-1, columns)

    def factors(self, conditions: Sequence[Condition]) -> Floats:
        """1 where a condition holds, else 0: ``(conditions, rolls left * states)``."""
        stages = range(1, self.stages)
        holds = [[applies(self.rules, c, self.cards, rolls) for rolls in stages] for c in conditions]
        return np.array(holds, dtype=np.float64).reshape(len(conditions), -1)

    def values_of(self, holds: tuple[HoldRule, ...]) -> Floats:
        """Values of the states if their turn is played by another list."""
        from ..kernels.hold_rule_search import turn_values

        values = np.zeros(len(self.rows))
        turn_values(self.rows, self.lanes, self.job, self.argument(holds), values)
        return values

    def gain_of_list(self, holds: tuple[HoldRule, ...]) -> float:
        """Estimated gain of another list."""
        return float(self.weights @ (self.values_of(holds) - self.base))
