"""Find the worst single decisions of a policy on all cards that games can reach, and all rolls.

One turn at sampled cards is a cheap stand-in for the exact mean of a policy. Let Q be the exact
values of a policy and d(s) how often its games meet the state s. For a policy nearby that plays one
turn of s and then as before::

    mean of the new policy - mean of the old one  ~  sum over s of d(s) * (Q_new(s) - Q(s)),
    Q_new(s) = E[ points + Q(state after the turn) ]

which has the right derivative at the old policy (the policy gradient theorem).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import NamedTuple

import numpy as np

from ..core.backward_induction import RowSolver
from ..core.checked_values import Table, checked_part
from ..core.dice import Floats, Ints, lattice
from ..core.objectives import final_bonus
from ..core.resources import thread_count, thread_map
from ..core.rules import RuleSet, prerequisites
from ..core.state_space import StateSpace, state_space
from ..core.table_slices import PADDING, TableSlice, padded, window
from ..core.turn_model import turn_outcomes
from ..errors import RulesError
from ..objectives.policy_quantities import Policy, PolicyMean, RowActions
from ..settings import Settings
from ..strategy.forward_pass import ForwardPass
from ..strategy.losses_kernel import perfect_turns, worst_rows
from ..strategy.rollout import Rollout, TurnArguments
from ..strategy.rollout_kernel import LANE, ROW, SAVED, Games
from ..strategy.turn_evaluator import GreedyPolicy, state_places
from .hold_policy import Cards, HoldRulePolicy, Holds, decision_of, decisions
from .hold_rule_arrays import NO_FIT, STOP
from .hold_rules import HoldRule
from .policy import Bools, legal_holds
from .strategy_sheet import PriceSheet, SheetWriter

ROWS_PER_TASK = 16


@dataclass(frozen=True)
class Visits:
    """The states at which turns of simulated games began, all but full cards."""

    space: StateSpace
    games: int  # number of games
    rows: Ints  # (n,): row of each state that was met
    places: Ints  # (n,): its place in the table, ascending
    counts: Ints  # (n,): games that met the state


class _Recorder(Rollout):
    """Games that note the state of every game at the start of every turn."""

    def __init__(self, policy: Policy, threads: int) -> None:
        super().__init__(policy, policy.start, threads)
        # rows, places and counts of each turn, as in Visits
        self.met: list[tuple[Ints, Ints, Ints]] = []

    def turn(
        self, filled: int, games: Games, order: Ints, rest: TurnArguments
    ) -> Callable[[int, int], None]:
        """Note the states before the turn, and return the function of :class:`Rollout`."""
        fields = games.fields.reshape(len(order), -1)
        rows = fields[:, ROW]
        of_games = state_places(self.space.layout, rows, fields[:, SAVED], fields[:, LANE])
        places, first_game, counts = np.unique(of_games, return_index=True, return_counts=True)
        self.met.append((rows[first_game], places, counts))
        return super().turn(filled, games, order, rest)


def visited_states(
    rules: RuleSet, values: Table, games: int, seed: int, threads: int | None = None
) -> Visits:
    """Simulate games that are greedy for a value function, and return the states they visit."""
    recorder = _Recorder(GreedyPolicy(rules, values), thread_count(threads))
    recorder.play(games, 0, seed, lambda turn: None)
    # The order is that of the table, so that the places ascend.
    last_turn_first = zip(*reversed(recorder.met), strict=True)
    rows, places, counts = map(np.concatenate, last_turn_first)
    return Visits(state_space(rules), games, rows, places, counts)


class TurnSample:
    """Cards sampled from those that games meet.

    Each has the weight that makes sums come out right on average.
    """

    def __init__(
        self, visits: Visits, cards: int, later: Table, seed: int, threads: int | None = None
    ) -> None:
        self.space = visits.space
        self.threads = thread_count(threads)
        random = np.random.default_rng(seed)
        filled = self.space.filled[visits.rows]
        layers = [
            _sampled_layer(visits, filled == layer, cards, random)
            for layer in range(self.space.first_layer, self.space.categories)
        ]
        self._rows = [layer.rows for layer in layers]
        self._places = np.concatenate([layer.places for layer in layers])
        self._weights = np.concatenate([layer.weights for layer in layers])
        self.cards = sum(map(len, self._rows))
        self._writer = SheetWriter(self.space, children(self.space, self._rows))
        size = self.space.size + PADDING
        self._guess = np.zeros(size)  # table of the values by which a turn is played
        self._later = np.zeros(size)  # table of the values after it
        self._out = np.zeros(size)  # table of what is computed
        self._later[self._writer.places] = later[self._writer.places]
        for values in (self._guess, self._later):
            values[self.space.layer_slice(self.space.categories)] = final_bonus(self.space)
        self._solver = RowSolver(
            PolicyMean(GreedyPolicy(self.space.rules, self._guess[: self.space.size]))
        )

    def mean(self, sheet: PriceSheet) -> float:
        """Return the expected points of the sampled turns and after them.

        They are summed over the turns of a game.
        """
        self._writer.write(sheet, self._guess)
        tasks = [
            rows[i : i + ROWS_PER_TASK]
            for rows in self._rows
            for i in range(0, len(rows), ROWS_PER_TASK)
        ]
        later = TableSlice(self._later, 0)
        out = TableSlice(self._out, 0)
        with thread_map(self.threads) as in_threads:
            for _ in in_threads(self._solver.solve, tasks, repeat(later), repeat(out)):
                pass
        return float(np.sum(self._weights * self._out[self._places]))


class _SampledLayer(NamedTuple):
    """Cards that were sampled from those of a layer."""

    rows: Ints  # rows of the cards
    places: Ints  # places of the states of these cards that were met
    weights: Floats  # weights of these states


def _sampled_layer(
    visits: Visits, in_layer: Bools, cards: int, random: np.random.Generator
) -> _SampledLayer:
    """Return a sample of the cards of a layer. `in_layer` says which states are in it."""
    # Each card is a place in `rows`.
    rows, card_of_state = np.unique(visits.rows[in_layer], return_inverse=True)
    state_counts = visits.counts[in_layer]
    # the number of games that met each card
    card_counts = np.bincount(card_of_state, weights=state_counts).astype(np.float64)
    chance = inclusion_chances(card_counts, cards)
    is_sampled = systematic_sample(chance, random)
    states = is_sampled[card_of_state]  # which states are of sampled cards
    weights = state_counts[states] / visits.games / chance[card_of_state][states]
    return _SampledLayer(rows[is_sampled], visits.places[in_layer][states], weights)


def inclusion_chances(counts: Floats, number: int) -> Floats:
    """Return chances to be sampled in proportion to counts, none above 1, that sum to `number`.

    All are 1 if there are fewer counts.
    """
    chances = np.ones(len(counts))
    if number >= len(counts):
        return chances
    free = np.ones(len(counts), dtype=bool)  # the others have the chance 1
    while True:
        rest = number - (~free).sum()
        chances[free] = counts[free] * rest / counts[free].sum()
        above = free & (chances > 1)
        if not above.any():
            return chances
        chances[above] = 1.0
        free &= ~above


def systematic_sample(
    chances: Floats, random: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which entries are sampled, each with its chance, and as many as the chances sum to."""
    # An entry is sampled if one of the marks u, 1 + u, 2 + u, ... lies in its part of the sum. One of
    # chance 1 is sampled whatever is rounded.
    whole_numbers = np.floor(np.cumsum(chances) + random.random())
    has_mark: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(whole_numbers, prepend=0) > 0
    return has_mark | (chances >= 1)


def children(space: StateSpace, layers: list[Ints]) -> list[Ints]:
    """Return the rows that follow the rows of some layers, ascending, a layer each."""
    outcomes = turn_outcomes(space.rules, space.start)
    steps = sorted({*zip(outcomes.category.tolist(), outcomes.step.tolist(), strict=True)})
    needed = prerequisites(space.rules)  # bitmask of the boxes that must be filled before each
    next_layers = []
    for rows in layers:
        masks = space.layout.masks[rows]
        parts = [np.empty(0, dtype=np.int64)]
        for category, step in steps:
            is_open = masks >> category & 1 == 0
            may_be_filled = is_open & (masks & needed[category] == needed[category])
            parts.append(rows[may_be_filled] + step)
        next_layers.append(np.unique(np.concatenate(parts)))
    return next_layers


ROWS = 64  # rows of states a thread takes at a time
# A sweep adds these decisions:
WORST = 40  # the worst ones
OTHERS = 260  # some of the others beyond the limit
# Decisions of any kind, so that a rule that mends some places does not spoil others.
SENTINELS = 1_500


@dataclass(frozen=True)
class WorstDecisions:
    """The worst decision of each card with each number of rerolls left."""

    policy: Policy
    # (n,) int64: rows of the table, which are sets of filled boxes, and whether the joker's box holds
    # points
    rows: Ints
    # (n, rolls a turn): largest loss on the cards of a row, in points, by rerolls left, where 0 is the
    # category
    losses: Floats
    lanes: Ints  # (n, rolls a turn) int64: place of the upper sum among those of the row
    rolls: Ints  # (n, rolls a turn) int64: number of the roll

    @property
    def hold(self) -> float:
        """The largest loss of a hold, or of an end of a turn that comes too early."""
        return float(self.losses[:, 1:].max(initial=0.0))


def worst_decisions(
    policy: Policy, perfect: Table, *, threads: int | None = None
) -> WorstDecisions:
    """Return the worst decision of a policy on each card with each number of rerolls left.

    Every decision on all rolls is compared with the best. Raises RulesError for rules that save
    rolls.
    """
    if policy.rules.saved_rolls:
        raise RulesError("the worst decision of a policy is not computed for rules that save rolls")
    sweep = ForwardPass(Settings(threads=threads), policy, perfect)
    space = sweep.space
    stages = policy.rules.rolls_per_turn
    worst: list[tuple[Floats, Ints]] = []  # losses and places of some rows, in their order
    with thread_map(sweep.threads) as in_threads:
        for filled in range(space.first_layer, space.categories):
            layer = space.layers[filled]
            values = window(space, perfect, filled)
            work = partial(_worst_of_rows, sweep, policy.layer(filled), values)
            worst += in_threads(work, [layer[i : i + ROWS] for i in range(0, len(layer), ROWS)])
    losses, places = (np.concatenate(part).reshape(-1, stages) for part in zip(*worst, strict=True))
    lanes, rolls = np.divmod(places, sweep.dice.n_rolls)
    rows = np.concatenate(space.layers[space.first_layer : space.categories])
    return WorstDecisions(policy, rows, losses, lanes, rolls)


def _worst_of_rows(
    sweep: ForwardPass, actions: RowActions, table: TableSlice, rows: Ints
) -> tuple[Floats, Ints]:
    """Return the largest loss of each row by rerolls left, and where it is.

    The place is ``lane * rolls + roll``, and both arrays are ``(rows * stages,)``.
    """
    stages = sweep.policy.rules.rolls_per_turn
    losses = np.zeros(len(rows) * stages)
    places = np.zeros(len(rows) * stages, dtype=np.int64)
    first = 0
    with sweep.jobs.borrow() as job:
        for part, argument in actions(rows):  # consecutive parts of the rows
            here = slice(first * stages, (first + len(part)) * stages)
            worst_rows(part, job, argument, table, losses[here], places[here])
            first += len(part)
    return losses, places


class Situations(NamedTuple):
    """Positions in which dice may be held, in the order of the arguments of :func:`decisions`."""

    cards: Cards
    rolls: Ints  # (n,): numbers of the rolls
    rolls_left: Ints  # (n,): rerolls left


class HoldGuard:
    """A sample of decisions, to bound quickly what a list of rules loses.

    No more than a limit may be lost on each of them. At first they are drawn at random from the
    millions of a game, whose turns must have rerolls. Each sweep over all cards adds those that were
    the worst of a list (a cutting-plane method).
    """

    def __init__(
        self,
        policy: HoldRulePolicy,
        perfect: Table,
        limit: float,
        seed: int,
        threads: int | None = None,
    ) -> None:
        self.perfect = perfect
        self.limit = limit
        self.threads = threads
        self.rules = policy.rules
        self.space = policy.space
        self.dice = lattice(self.rules.dice, self.rules.faces)
        self.random = np.random.default_rng(seed)
        # The kernels of single turns take the working memory of a sweep.
        self.jobs = ForwardPass(Settings(threads=1), policy, perfect).jobs
        self.table = TableSlice(
            padded(checked_part(perfect, 0, len(perfect)).astype(np.float64)), 0
        )
        self.stages = self.rules.rolls_per_turn
        # The n decisions that are known, and their values under perfect play.
        self.keys = np.empty((0, 4), dtype=np.int64)  # row, lane, rerolls left, roll
        self.stops = np.empty(0)  # (n,): values of ending the turn
        self.holds = np.empty((0, self.dice.n_holds), dtype=np.float32)  # values of all holds
        self.best = np.empty(0)  # (n,): the highest value
        self.add(self._random_decisions())

    def _random_decisions(self) -> Ints:
        """Return decisions drawn at random: row, lane, rerolls left and roll of each."""
        layout = self.space.layout
        every_row = np.concatenate(
            self.space.layers[self.space.first_layer : self.space.categories]
        )
        rows = every_row[self.random.integers(0, len(every_row), SENTINELS)]
        lanes = self.random.random(SENTINELS) * layout.lane_count[layout.lane_sets[rows]]
        left = self.random.integers(1, self.stages, SENTINELS)
        rolls = self.random.integers(0, self.dice.n_rolls, SENTINELS)
        return np.column_stack([rows, lanes.astype(np.int64), left, rolls])

    def sweep(self, policy: HoldRulePolicy) -> WorstDecisions:
        """Return the worst decisions of a list on all cards.

        Some beyond the limit are added to the guard.
        """
        worst = worst_decisions(policy, self.perfect, threads=self.threads)
        is_beyond = worst.losses > self.limit
        is_beyond[:, 0] = False  # without rerolls left there is no hold
        places = np.argwhere(is_beyond)  # (n, 2), in the arrays of `worst`
        worst_first = np.argsort(-worst.losses[is_beyond], kind="stable")
        others = self.random.permutation(worst_first[WORST:])[:OTHERS]
        row, left = places[np.concatenate([worst_first[:WORST], others])].T
        self.add(
            np.column_stack([worst.rows[row], worst.lanes[row, left], left, worst.rolls[row, left]])
        )
        return worst

    def add(self, keys: Ints) -> None:
        """Add decisions: row, lane, rerolls left and roll of each."""
        unknown = set(map(tuple, keys.tolist())) - set(map(tuple, self.keys.tolist()))
        if not unknown:
            return
        new = np.array(sorted(unknown), dtype=np.int64)
        # Rows and lanes of the different states, and the number of that of each decision.
        states, state_of_key = np.unique(new[:, :2], axis=0, return_inverse=True)
        state = state_of_key.ravel()
        _row, _lane, left, roll = new.T
        # the values of all decisions of these states
        by_roll, by_hold = self.turns(*np.ascontiguousarray(states.T))
        stops = by_roll[state, roll]
        holds = by_hold[state, left - 1]
        fewer = slice(self.dice.first_roll)  # holds of fewer than all dice
        legal = legal_holds(self.rules.dice, self.rules.faces)[roll, fewer]
        best_hold = np.where(legal, holds[:, fewer], -np.inf).max(axis=1)
        self.keys = np.concatenate([self.keys, new])
        rows, lanes, rolls_left, rolls = self.keys.T
        cards = Cards.of_rows(self.rules, self.space, rows, lanes)
        self.situations = Situations(cards, rolls, rolls_left)
        self.stops = np.concatenate([self.stops, stops])
        self.holds = np.concatenate([self.holds, holds.astype(np.float32)])
        self.best = np.concatenate([self.best, np.maximum(stops, best_hold)])

    def turns(self, rows: Ints, lanes: Ints) -> tuple[Floats, Floats]:
        """Return the values under perfect play, to stop and of holds.

        They are ``(states, rolls)`` and ``(states, rerolls left, holds)``.
        """
        stops = np.zeros(len(rows) * self.dice.n_rolls)
        values = np.zeros(len(rows) * (self.stages - 1) * self.dice.n_holds)
        with self.jobs.borrow() as job:
            perfect_turns(rows, lanes, job, self.table, stops, values)
        return stops.reshape(len(rows), -1), values.reshape(len(rows), self.stages - 1, -1)

    def beyond(self, actions: Holds) -> Floats:
        """Return how far each decision loses more than the limit.

        `actions` has what is done, a hold or STOP.
        """
        hold_values = self.holds[np.arange(len(actions)), np.maximum(actions, 0)]
        values = np.where(actions == STOP, self.stops, hold_values)
        return np.maximum(self.best - values - self.limit, 0.0)

    def excess(self, holds: Sequence[HoldRule]) -> float:
        """Return how far the decisions of a list lose more than the limit, added up."""
        return float(self.beyond(decisions(self.rules, holds, *self.situations)[0]).sum())

    def gains(self, rule: HoldRule, holds: Sequence[HoldRule]) -> Floats:
        """Return what a rule takes off the excess, by the rule that decides in the list.

        The array is ``(decisions, rules + 1)``.
        """
        actions, deciding = decisions(self.rules, holds, *self.situations)
        actions_of_rule = decision_of(self.rules, rule, *self.situations)
        with_rule = np.where(actions_of_rule == NO_FIT, actions, actions_of_rule)
        result = np.zeros((len(actions), len(holds) + 1))
        result[np.arange(len(actions)), deciding] = self.beyond(actions) - self.beyond(with_rule)
        return result
