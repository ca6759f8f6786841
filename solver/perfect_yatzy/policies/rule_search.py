"""Search for hold rules: a short list that, with a price sheet, has a high mean.

The search is greedy (README.md). In between rules are simplified, moved and removed where that costs
little. With the values of perfect play, blunders that anybody would see count as if they were points.
They are what decisions lose beyond a limit, and all of it together counts as much as URGENCY.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ..core.checked_values import Table
from ..core.dice import Floats, Ints, lattice
from ..core.scoring import upper_sums
from ..core.state import EMPTY_STATE
from ..core.state_space import state_space
from ..core.table_slices import TableSlice, padded
from ..core.turn_model import turn_model, turn_outcomes
from ..objectives.policy_evaluation_kernel import EvaluationJob
from ..objectives.policy_kernel import policy_job
from ..settings import Settings
from . import hold_rules_kernel as kernels
from .evaluation import policy_values
from .hold_policy import Cards, HoldRulePolicy, applies, hold_rule_arrays, rule_lines
from .hold_rules import Condition, DicePattern, HoldRule, hold_rule
from .rule_vocabulary import candidate_conditions, candidate_patterns, pays_neighbours, rule_cost
from .strategy_sheet import PriceSheet
from .worst_decisions import HoldGuard

GAMES = 150  # games that are sampled for each step
PAIRED_CONDITIONS = 10  # single conditions of a pattern that are tried together with every other
RANKED = 30  # sets of conditions of a pattern whose cost is considered
TRIED = 2  # candidates of a step whose exact mean is computed
ROUNDS = 5  # rounds of simplification, each time
MIN_GAIN = 0.05  # points a game that a further rule must gain
WORTH_KEEPING = 0.03  # points a game that a simplification or removal may cost
# Points that a hold may lose before it is a blunder that anybody sees, such as a finished Yatzy thrown
# again, or a bonus given away that was sure.
LIMIT = 30.0
URGENCY = 0.3  # points a game that all such blunders of a list together count
LEAST_EXCESS = 1.0  # points beyond the limit that count as much at the most
LEAST_ESTIMATE = 0.01  # estimated gain at which the exact mean of a variant is computed
LEAST_RISE = 0.005  # points a game that a variant must gain
MOVES = (1, 2, 4, 8)  # by how many places a rule is moved


class Insertion(NamedTuple):
    """A further rule of a list."""

    estimate: float  # estimated gain less the cost, in points a game
    place: int  # place in the list
    rule: HoldRule


class ConditionalGain(NamedTuple):
    """The gain of a rule with some conditions."""

    gain: float
    place: int  # place in the list
    conditions: tuple[int, ...]  # numbers of the conditions


class MetStates(NamedTuple):
    """The different states that games meet."""

    rows: Ints  # (n,)
    lanes: Ints  # (n,)
    weights: Floats  # (n,): how often a game meets each


class Sample:
    """Turns of states that the games of a list reach, with the values of the list.

    `list_values` are the exact values of states under the list, in the order of a table. They are not
    those of the policy's price sheet, by which turns without a rule that applies are played.
    """

    def __init__(
        self, policy: HoldRulePolicy, list_values: Floats, seed: Sequence[int], games: int = GAMES
    ) -> None:
        self.rules = policy.rules
        self.space = policy.space
        self.holds = policy.hold_rules  # the list
        self.lattice = lattice(self.rules.dice, self.rules.faces)
        self.stages = self.rules.rolls_per_turn  # numbers of rerolls left, 0 included
        self.outcomes = turn_outcomes(self.rules)
        children = TableSlice(padded(list_values), 0)  # the values after the turn
        written = TableSlice(padded(list_values), 0)  # what the kernels compute
        self.job = EvaluationJob(
            policy_job(self.lattice, turn_model(self.rules), HoldRulePolicy.ties),
            means=children,
            below=children,
            target=written,
            most_saved=0,
            points_weight=1.0,
            square_weight=0.0,
        )
        self.price_table = TableSlice(padded(policy.values), 0)
        self.rows, self.lanes, self.weights = self.play(games, seed)
        self.turns = self.sampled(self.rows, self.lanes)
        self.cards = Cards.of_rows(self.rules, self.space, self.rows, self.lanes)
        self.own_values = self.values_of(self.holds)  # of the states under the list itself

    def argument(self, holds: tuple[HoldRule, ...]) -> Any:
        """Return a list as the policy argument of the kernels."""
        arrays = hold_rule_arrays(self.rules, holds, self.space)
        return kernels.HoldRuleActions(
            arrays, self.price_table, np.zeros(self.lattice.n_rolls, dtype=np.int32)
        )

    def sampled(self, rows: Ints, lanes: Ints) -> Any:
        """Return the turns of states under the list.

        They are :class:`perfect_yatzy.policies.hold_rules_kernel.SampledTurns`.
        """
        stages = len(rows) * self.stages
        rolls = stages * self.lattice.n_rolls
        turns = kernels.SampledTurns(
            outcome_chance=np.zeros(len(rows) * self.outcomes.size),
            roll_chance=np.zeros(rolls),
            roll_value=np.zeros(rolls),
            hold_value=np.zeros(stages * self.lattice.n_holds),
            decided_by=np.zeros(rolls, dtype=np.int16),
        )
        kernels.sample_turns(rows, lanes, self.job, self.argument(self.holds), turns)
        return turns

    def play(self, games: int, seed: Sequence[int]) -> MetStates:
        """Return the states that games of the list meet."""
        random = np.random.default_rng(seed)
        rows = np.full(games, self.space.row(EMPTY_STATE), dtype=np.int64)
        upper = np.zeros(games, dtype=np.int64)
        met = []
        for _ in range(self.space.categories):
            lanes = self.space.lanes_of(rows, upper)
            met.append(np.stack([rows, lanes]))
            # (games, outcomes): chance of an outcome or one before it
            up_to = self.sampled(rows, lanes).outcome_chance.reshape(games, -1).cumsum(axis=1)
            drawn = random.random(games) * up_to[:, -1]
            # The first outcome whose chances reach the drawn number is taken.
            outcome = (up_to <= drawn[:, None]).sum(axis=1)
            outcome = np.minimum(outcome, self.outcomes.size - 1)
            rows = rows + self.outcomes.step[outcome]
            upper = upper_sums(self.rules).cap(upper + self.outcomes.shift[outcome])
        states, times = np.unique(np.concatenate(met, axis=1), axis=1, return_counts=True)
        rows, lanes = map(np.ascontiguousarray, states)
        return MetStates(rows, lanes, times / games)

    def gains(self, rule: HoldRule) -> Floats:
        """Return the estimated gain of a rule without conditions, by the rule that decides so far.

        The array is ``(rolls left * states, rules + 1)``.
        """
        # There is a line for each mask of open faces, or one for all cards.
        actions, of_use = rule_lines(self.rules, rule)
        cards = self.cards
        states = len(self.weights)
        columns = len(self.holds) + 1  # in the last one no rule of the list decides
        per_mask = self.lattice.n_rolls if len(actions) > 1 else 0
        # The second half of `of_use` is for cards with jokers.
        first_use = cards.jokers * np.int64(actions.size)
        sizes = (self.stages, self.lattice.n_rolls, self.lattice.n_holds, columns)
        gains = np.zeros(states * self.stages * columns)
        kernels.rule_gains(
            actions.ravel(),
            of_use.ravel(),
            per_mask,
            cards.faces,
            cards.usable,
            first_use,
            self.weights,
            self.turns,
            sizes,
            gains,
        )
        by_stage = gains.reshape(states, self.stages, columns).transpose(1, 0, 2)
        return by_stage[1:].reshape(-1, columns)  # no hold is chosen with 0 rolls left

    def factors(self, conditions: Sequence[Condition]) -> Floats:
        """Return 1 where a condition holds, else 0: ``(conditions, rolls left * states)``."""
        applying = [
            applies(self.rules, condition, self.cards, rolls_left)
            for condition in conditions
            for rolls_left in range(1, self.stages)
        ]
        return np.array(applying, dtype=np.float64).reshape(len(conditions), -1)

    def values_of(self, holds: tuple[HoldRule, ...]) -> Floats:
        """Return the values of the states if their turn is played by another list."""
        values = np.zeros(len(self.rows))
        kernels.turn_values(self.rows, self.lanes, self.job, self.argument(holds), values)
        return values

    def gain_of_list(self, holds: tuple[HoldRule, ...]) -> float:
        """Return the estimated gain of another list."""
        return float(self.weights @ (self.values_of(holds) - self.own_values))


@dataclass(frozen=True)
class Learned:
    """A list of hold rules that was found, and how good it is."""

    holds: tuple[HoldRule, ...]
    mean: float  # exact mean of the final score with the hold rules and the prices
    worth: tuple[float, ...] = ()  # points a game that are lost without each rule, exactly
    # the most that a single hold loses, on any card and roll, None if it was not computed
    worst: float | None = None
    # lists of other lengths, by their number of rules
    shorter: dict[int, Learned] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of a sheet: the mean to 1e-7, what each rule is worth, and the worst hold."""
        figures: dict[str, Any] = {"mean": round(self.mean, 7)}
        if self.worth:
            figures["worth"] = [round(worth, 3) + 0.0 for worth in self.worth]
        if self.worst is not None:
            figures["worst"] = ceil(self.worst * 1e4) / 1e4
        return figures


@dataclass(frozen=True)
class Candidate:
    """A list with its exact values."""

    holds: tuple[HoldRule, ...]
    values: Floats

    @property
    def mean(self) -> float:
        """Exact mean of the final score."""
        return float(self.values[-1])


def learn_holds(
    settings: Settings,
    prices: PriceSheet,
    max_rules: int = 16,
    *,
    sizes: Sequence[int] = (5, 10),
    **how: Any,
) -> Learned:
    """Find a list of hold rules for a price sheet. `how` has further arguments of :class:`Search`."""
    return Search(settings, prices, **how).run(max_rules, sizes)


class Search:
    """The state of a search: the game, the candidates, and the number of steps so far."""

    def __init__(
        self,
        settings: Settings,
        prices: PriceSheet,
        *,
        perfect: Table | None = None,
        seed: int = 0,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.prices = prices
        self.rules = prices.rules
        self.seed = seed
        self.threads = settings.threads
        self.report = report or (lambda line: None)
        self.space = state_space(self.rules)
        self.price_values = prices.values()
        self.patterns = candidate_patterns(self.rules)
        self.conditions = candidate_conditions(self.rules)
        self.step = 0  # samples drawn so far, each with its own seed
        # points of excess that count as one point a game, in this step (:meth:`sample`)
        self.unit = 1.0
        # the largest loss of a hold of each list that was swept
        self.worst: dict[tuple[HoldRule, ...], float] = {}
        self.guard: HoldGuard | None = None
        # No worst decision is computed for rules that save rolls, and with a single roll there are no
        # holds.
        if perfect is not None and not self.rules.saved_rolls and self.rules.rolls_per_turn > 1:
            empty_list = HoldRulePolicy((), prices, values=self.price_values)
            self.guard = HoldGuard(empty_list, perfect, LIMIT, seed, settings.threads)

    def policy(self, holds: Sequence[HoldRule]) -> HoldRulePolicy:
        """Return a list as a policy."""
        return HoldRulePolicy(holds, self.prices, values=self.price_values)

    def candidate(self, holds: Sequence[HoldRule]) -> Candidate:
        """Return a list with its exact values."""
        return Candidate(tuple(holds), policy_values(self.policy(holds), threads=self.threads))

    def sweep(self, holds: tuple[HoldRule, ...]) -> float | None:
        """Return the largest loss of a hold on any card, None without values of perfect play."""
        if self.guard is not None and holds not in self.worst:
            self.worst[holds] = self.guard.sweep(self.policy(holds)).hold
        return self.worst.get(holds)

    def penalty(self, holds: Sequence[HoldRule]) -> float:
        """Return what the blunders of a list count, in points a game."""
        return self.guard.excess(holds) / self.unit if self.guard else 0.0

    def cost(self, holds: Sequence[HoldRule]) -> float:
        """Return what the blunders and the rules of a list count, in points a game."""
        return self.penalty(holds) + sum(map(rule_cost, holds))

    def score(self, found: Candidate) -> float:
        """Return the mean less penalty and cost."""
        return found.mean - self.cost(found.holds)

    def sample(self, found: Candidate) -> Sample:
        """Return turns of a list for the next step.

        From here on all its blunders together count as much as is urgent.
        """
        self.step += 1
        self.sweep(found.holds)
        if self.guard:
            self.unit = max(self.guard.excess(found.holds), LEAST_EXCESS) / URGENCY
        return Sample(self.policy(found.holds), found.values, (self.seed, self.step))

    def run(self, max_rules: int, sizes: Sequence[int]) -> Learned:
        """Run the search, as :func:`learn_holds` describes it."""
        longest = self.candidate(())
        # candidates for the shorter lists, by size: on the way up, and on the way down
        of_size: dict[int, list[Candidate]] = {size: [] for size in sizes if size < max_rules}
        while len(longest.holds) < max_rules:
            longer = self.extend(longest)
            if longer is None:
                break
            longest = longer
            if len(longest.holds) % 5 == 0 or len(longest.holds) == max_rules:
                longest = self.simplify(longest)
            if len(longest.holds) in of_size:
                of_size[len(longest.holds)].append(longest)
        shorter = longest
        for size in sorted(of_size, reverse=True):
            shorter = self.shorten(shorter, size)
            if len(shorter.holds) == size:
                changed = self.simplify(shorter)
                as_long_and_better = len(changed.holds) == size and changed.mean > shorter.mean
                of_size[size].append(changed if as_long_and_better else shorter)
        best = {size: max(lists, key=lambda c: c.mean) for size, lists in of_size.items() if lists}
        return replace(
            self.learned(longest), shorter={size: self.learned(best[size]) for size in sorted(best)}
        )

    def learned(self, found: Candidate) -> Learned:
        """Return a list with its figures."""
        holds = found.holds
        worth = [found.mean - self.candidate(rest).mean for rest in _without_each(holds)]
        return Learned(holds, found.mean, tuple(worth), self.sweep(holds))

    def shorten(self, found: Candidate, size: int) -> Candidate:
        """Return a list of at most a size.

        Again and again the rule that is missed least is removed.
        """
        while len(found.holds) > size:
            sample = self.sample(found)
            ranked = sorted(
                _without_each(found.holds),
                key=lambda other: self.cost(other) - sample.gain_of_list(other),
            )
            found = max(map(self.candidate, ranked[:TRIED]), key=self.score)
            self.report(f"  shorter: {len(found.holds)} rules: {found.mean:.3f}")
        return found

    def extend(self, found: Candidate) -> Candidate | None:
        """Return the list with one more rule, or None if no rule gains MIN_GAIN."""
        sample = self.sample(found)
        before = self.score(found)
        best: Candidate | None = None
        for estimate, place, rule in self.insertions(sample):  # the highest estimate first
            if estimate < MIN_GAIN / 2 or (best and estimate < self.score(best) - before):
                break
            new = self.candidate(_with(found.holds, place, rule))
            gain = self.score(new) - before
            self.report(
                f"  {estimate:.2f} {gain:+.2f} ({new.mean - found.mean:+.2f}) at {place + 1}: {rule}"
            )
            if gain < MIN_GAIN - rule_cost(rule):
                continue
            if best and self.score(new) <= self.score(best):
                continue
            # The guard learns what the rule spoils, which changes all scores.
            self.sweep(new.holds)
            before = self.score(found)
            if self.score(new) > before:
                best = new
        if best:
            self.report(f"{len(best.holds)} rules: {best.mean:.3f}, worst {self.sweep(best.holds)}")
        return best

    def insertions(self, sample: Sample) -> list[Insertion]:
        """Return the best further rules, the best first."""
        # (conditions, situations): the situations of the sample, then those of the guard
        factors = sample.factors(self.conditions)
        if self.guard:
            cards, _rolls, left = self.guard.situations
            applying = [applies(self.rules, c, cards, left) for c in self.conditions]
            factors = np.hstack([factors, np.array(applying, dtype=np.float64)])
        insertions: list[Insertion] = []
        for pattern, action in self.patterns:
            rule = hold_rule(self.rules, pattern, (), action)
            gains = sample.gains(rule)  # (situations, places)
            if self.guard:
                gains = np.vstack([gains, self.guard.gains(rule, sample.holds) / self.unit])
            ranked = []
            for gain, place, chosen in _gains_with_conditions(gains, factors)[:RANKED]:
                rule = hold_rule(self.rules, pattern, [self.conditions[i] for i in chosen], action)
                ranked.append(Insertion(gain - rule_cost(rule), place, rule))
            insertions += sorted(ranked, key=_best_first)[:2]
        # Of rules that do the same in all sampled situations only the one that costs least is kept,
        # which is the first of them.
        different: dict[tuple[float, int], Insertion] = {}
        for insertion in sorted(insertions, key=_best_first):
            gain = round(insertion.estimate + rule_cost(insertion.rule), 9)
            different.setdefault((gain, insertion.place), insertion)
        return [*different.values()][:TRIED]

    def simplify(self, found: Candidate) -> Candidate:
        """Change, move and remove rules while this gains.

        The estimate must say so, and the exact mean agree.
        """
        for _ in range(ROUNDS):
            better = self._better_variant(found)
            if better is None:
                break
            found = better
        return found

    def _better_variant(self, found: Candidate) -> Candidate | None:
        """Return a list that differs in one rule, and gains by its estimate and its exact mean.

        It is None if none was found.
        """
        sample = self.sample(found)
        cost_before = self.cost(found.holds)
        ranked = []
        for other in dict.fromkeys(self.variants(found.holds)):
            shorter_by = WORTH_KEEPING * (len(found.holds) - len(other))
            saved = cost_before - self.cost(other) + shorter_by
            ranked.append((sample.gain_of_list(other) + saved, other, shorter_by))
        ranked.sort(key=lambda entry: -entry[0])
        for estimate, other, shorter_by in ranked[:TRIED]:
            if estimate < LEAST_ESTIMATE:
                break
            new = self.candidate(other)
            self.sweep(other)
            if self.score(new) + shorter_by > self.score(found) + LEAST_RISE:
                old = [str(rule) for rule in found.holds if rule not in other]
                added = [str(rule) for rule in other if rule not in found.holds]
                now = f"{len(other)} rules: {new.mean:.3f}, worst {self.sweep(other)}"
                self.report(f"  {new.mean - found.mean:+.3f} {old} -> {added}; {now}")
                return new
        return None

    def variants(self, holds: tuple[HoldRule, ...]) -> Iterator[tuple[HoldRule, ...]]:
        """Yield lists that differ in one rule.

        It is removed, moved, without a condition, or with other faces.
        """
        for i, (rule, rest) in enumerate(zip(holds, _without_each(holds), strict=True)):
            yield rest
            for place in range(len(holds)):
                if abs(place - i) in MOVES:
                    yield _with(rest, place, rule)
            for changed in self._variants_of(rule):
                yield _with(rest, i, changed)

    def _variants_of(self, rule: HoldRule) -> Iterator[HoldRule]:
        """Yield variants of a rule.

        They are without a condition, with another one in its place, and with a similar pattern.
        """
        for condition in rule.conditions:
            kept = [c for c in rule.conditions if c != condition]
            yield hold_rule(self.rules, rule.pattern, kept, rule.action)
            for other in self.conditions:
                names = set(condition.categories)
                other_names = set(other.categories)
                more_or_fewer = other_names <= names or other_names >= names
                if other.kind == condition.kind and other != condition and more_or_fewer:
                    yield hold_rule(self.rules, rule.pattern, [*kept, other], rule.action)
        if rule.pattern.kind == "pays":
            for pattern in pays_neighbours(self.rules, rule.pattern):
                yield hold_rule(self.rules, pattern, rule.conditions, rule.action)
        for pattern, action in self.patterns:
            if action == rule.action and _neighbours(pattern, rule.pattern):
                yield replace(rule, pattern=pattern)


def _neighbours(a: DicePattern, b: DicePattern) -> bool:
    """Return whether two patterns differ in one step of one number, or in what is marked."""
    if a.kind != b.kind or a.kind == "pays" or len(a.sizes) != len(b.sizes):
        return False
    steps = abs(sum(a.sizes) - sum(b.sizes)) + abs(a.low - b.low) + abs(a.high - b.high)
    return steps + abs(a.open - b.open) + abs(a.lowest - b.lowest) == 1


def best_places(gains: Floats) -> tuple[Ints, Floats]:
    """Return where each of n rules gains most, the last of equal places, and how much.

    `gains` is ``(n, rules + 1)``.
    """
    # Gains are by the rule of the list that decides now, and the last column is for none. A new rule
    # takes over from its place on.
    from_last = gains[:, ::-1].cumsum(axis=1)  # the gain of each place, the last one first
    most = from_last.max(axis=1)
    is_best = from_last > most[:, None] - 1e-9
    return gains.shape[1] - 1 - np.argmax(is_best, axis=1), most


def _best_first(insertion: Insertion) -> tuple[float, str]:
    """Return the key that sorts insertions, the highest estimate first."""
    return (-insertion.estimate, str(insertion.rule))


def _gains_with_conditions(gains: Floats, factors: Floats) -> list[ConditionalGain]:
    """Return the gains of a rule without conditions, with one, and with two of them.

    The highest gain comes first.
    """
    conditions = range(len(factors))
    places, without = best_places(gains.sum(axis=0)[None])
    entries = [ConditionalGain(float(without[0]), int(places[0]), ())]
    places, alone = best_places(factors @ gains)
    for i in conditions:
        entries.append(ConditionalGain(float(alone[i]), int(places[i]), (i,)))
    for i in np.argsort(-alone, kind="stable")[:PAIRED_CONDITIONS].tolist():
        places, both = best_places(factors @ (factors[i][:, None] * gains))
        for j in conditions:
            if j != i:
                entries.append(ConditionalGain(float(both[j]), int(places[j]), (i, j)))
    return sorted(entries, key=lambda entry: -entry.gain)


def _without_each(holds: tuple[HoldRule, ...]) -> list[tuple[HoldRule, ...]]:
    """Return the list without its first rule, without its second one, and so on."""
    return [(*holds[:i], *holds[i + 1 :]) for i in range(len(holds))]


def _with(holds: tuple[HoldRule, ...], place: int, rule: HoldRule) -> tuple[HoldRule, ...]:
    return (*holds[:place], rule, *holds[place:])
