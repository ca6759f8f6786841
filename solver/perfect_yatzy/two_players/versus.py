"""Who wins a game of two players.

This module has best play, policies against each other, and bounds of games too large to solve.
The bounds are what a strategy for the own score alone wins at least against any opponent, who
learns that score late. A player P follows a policy of its own card, and F is the distribution of
its final score s. An opponent who knows s from the start plays for the highest mean V(s) of 1 for
more than s points, and for exactly s points of what a tie counts for it. P wins at least::

    sum over s of  F(s) (1 - V(s))

The real opponent learns s late. Let R be the distribution of s that a card of P has after k turns,
and split it::

    R(s) = rest(s) + sum over components e and shifts i of  w(e, i) e(s - i)
    w, rest >= 0

It is a mixture, where a component e is a distribution such as "50 points with a chance of 0.09,
else none". Let somebody tell the opponent, at the start, a pair (e, i) with the chance w(e, i), or
s itself with the chance rest(s), and s in any case after its last turn before turn k + 1 of P.
Given (e, i), s does not depend on the cards that P has up to then. So this opponent knows more, at
each decision, than by watching P, and wins at most::

    sum of  w(e, i) V(e, i)  +  sum of  rest(s) V(s)

where V(e, i) is that mean for a player who is given random points late in the game: the values of
all scores s in one layer, convolved with e, and the layers before it solved from there. P
plays its first k turns for this utility, and the others for the mean. Bounds by information
relaxation are those of Brown, Smith and Sun (2010).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, islice, product
from pathlib import Path
from typing import Any

import numpy as np

from ..core.backward_induction import solve_layers
from ..core.dice import Floats, Ints
from ..core.objectives import Objective
from ..core.resources import thread_count, thread_map
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..core.table_info import table_stem
from ..core.table_slices import Values
from ..errors import StateError, shown
from ..game.notation import CardText, read_card
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import Policy
from ..objectives.scores import Goals, ReachableUtility, ScoreObjective
from ..settings import Folder, Progress, Settings
from ..strategy.forward_pass import laws_of_points
from ..strategy.strategy import check_position
from ..strategy.tie_rules import tie_rule
from ..strategy.turn_evaluator import GreedyPolicy
from ..tablebase.estimates import SolveCost, check_memory, log_long, solve_cost
from ..tablebase.store import open_table, tables_folder
from .two_player_table import OnLayer, store_games, stored_game
from .two_players import Play, Replanned, TwoPlayerGame

TURNS = 5  # turns of the game for each turn that is left when the opponent learns the score
TRIES = 2  # turns in which a box may be filled, for the chance that it pays in a component
BOXES = 3  # boxes that a component is made of, at most
STATES = 1 << 10  # states at a time
ROUNDS = 4  # of a split: more of them make it a little better
STEPS = 6  # of each round
MIN_CHANCE = 1e-9  # smaller chances are not split


@dataclass(frozen=True)
class TwoPlayerChances:
    """The chances of two players. Returned by :func:`versus`.

    Attributes
    ----------
    rules : RuleSet
    first, second : float
        Chance to win of the player who moves first, and of the other. A tie counts what was asked
        for. They add up to 1, and their error is below 2e-6.
    """

    rules: RuleSet
    first: float
    second: float


def versus(  # noqa: PLR0913 - the published parameters
    rules: str | Path | RuleSet,
    first: Play = None,
    second: Play = None,
    *,
    cards: tuple[CardText | Scorecard, CardText | Scorecard] = ("", ""),
    ties: str = "half",
    tables: Folder = None,
    store: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TwoPlayerChances:
    """Compute the exact chances of two players who take turns.

    Parameters
    ----------
    rules, threads, progress
        The same as for :func:`perfect_yatzy.open_strategy`. The result does not depend on the
        number of threads.
    first, second
        What each player follows. None plays to win: it knows both cards, and is a best response to
        a policy of the other. A policy looks only at its own card, and
        :class:`perfect_yatzy.two_players.two_players.Replanned` looks at both. If each player looks
        at one card, their exact distributions are enough, as in :func:`perfect_yatzy.evaluate`,
        also for games that are too large here.
    cards
        Their cards. The first player moves next and has as many open boxes as the second, or one
        more.
    ties
        What a tie counts for the first player: "loss", "half" or "win".
    tables
        Folder of the tables. A whole game that takes long, and that both play to win, stores its
        newest layer there every half minute. After an interruption it continues from that.
    store
        Whether such a game is stored, for each value of `ties`, with 16 bits for each chance. Later
        calls of this function, and queries against an opponent who plays to win, from every card,
        then need no solve.

    Returns
    -------
    TwoPlayerChances

    Raises
    ------
    StateError
        If the cards do not belong to one game, a policy begins elsewhere, or `ties` is unknown.
    RulesError
        If the machine has too little memory. Whole games that fit are Generala (seconds), Yacht (80
        s, 2 GB), and games in a forced order.
    """
    settings = Settings(tables, threads, progress)
    rule_set = load_rules(rules)
    share = tie_rule(ties).share
    first_card, second_card = (read_card(rule_set, card) for card in cards)
    for mine, theirs, play in (
        (first_card, second_card, first),
        (second_card, first_card, second),
    ):
        check_position(rule_set, mine.state)
        if isinstance(play, Replanned):
            _check_policy(play.opponent, theirs)
        elif play:
            _check_policy(play, mine)
    starts = first_card.state, second_card.state
    lead = first_card.total - second_card.total
    game = TwoPlayerGame(rule_set, starts, lead, share, (first, second))
    can_be_stored = starts == (EMPTY_STATE, EMPTY_STATE) and not first and not second
    if store and not can_be_stored:
        raise StateError("only a whole game that both play to win can be stored")

    def solve(
        settings: Settings, game: TwoPlayerGame, part: Path | None, on_layer: OnLayer | None
    ) -> float:
        cost = game.cost()
        check_memory(rule_set, cost)
        log_long(f"solving {rule_set.key} for two players", cost.seconds, settings.progress)
        return game.chance(settings, part, on_layer=on_layer)

    if store:
        store_games(settings, rule_set, solve)
    stored = stored_game(game, tables) if can_be_stored else None
    if stored:
        chance = stored.first
    else:
        part = versus_checkpoint(rule_set, tables) if can_be_stored else None
        chance = solve(settings, game, part, None)
    return TwoPlayerChances(rule_set, chance, 1 - chance)


def _check_policy(policy: Policy, card: Scorecard) -> None:
    """Raise StateError unless a policy can play from this card on and lists its actions."""
    if not callable(getattr(policy, "layer", None)):
        raise StateError(
            f"{shown(policy)} acts in one position at a time; its actions cannot be listed"
        )
    if policy.rules.fingerprint != card.rules.fingerprint or policy.start != card.state:
        raise StateError(
            "a policy is for another game, or does not begin at the card of its player"
        )


def versus_checkpoint(rules: RuleSet, tables: Folder) -> Path:
    """Return the path where a solve of a whole game stores its newest layer."""
    return tables_folder(tables) / f"{table_stem(rules, 'mean')}.versus.part"


def versus_table(
    settings: Settings, rules: RuleSet, players: Sequence[Play], ties: str = "half"
) -> Floats:
    """Return the chance of each player who moves first against each who moves second, ``(n, n)``.

    The rows are the players who move first.
    """
    costs = table_costs(rules, [isinstance(player, Replanned) for player in players])
    begins = [0, *accumulate(cost.values for cost in costs)]  # of each game, in the work of all
    chances = list[float]()
    # The last of `begins` is the end of the last game.
    for pair, begin in zip(product(players, repeat=2), begins, strict=False):

        def report(done: int, _total: int, begin: int = begin) -> None:
            if settings.progress:
                settings.progress(begin + done, begins[-1])

        result = versus(
            rules,
            *pair,
            ties=ties,
            tables=settings.tables,
            threads=settings.threads,
            progress=report,
        )
        chances.append(result.first)
    return np.array(chances).reshape(len(players), -1)


def table_costs(rules: RuleSet, replanned: Sequence[bool]) -> list[SolveCost]:
    """Return the cost of each game of :func:`versus_table`.

    `replanned` says whether each player plans each turn again.
    """
    game = TwoPlayerGame(rules)
    return [game.cost(pair) for pair in product(replanned, repeat=2)]


def exploitability_of(chances: Floats) -> list[float]:
    """Return what best responses win beyond a half against each policy of a table.

    The first player of the table plays to win.
    """
    # The mean of the games in which the best response moves first, and of those in which it moves
    # second.
    return [float((chances[0, i] + 1 - chances[i, 0]) / 2 - 0.5) for i in range(1, len(chances))]


def versus_bounds(
    settings: Settings, rules: str | Path | RuleSet, ties: str = "half"
) -> tuple[float, float]:
    """Return the lowest and the highest chance that the first player can have if both play to win.

    The module describes the method.
    """
    rule_set = load_rules(rules)
    share = tie_rule(ties).share
    late = LateScore(settings, rule_set)
    return late.guarantee(share, moves_first=True), 1 - late.guarantee(1 - share, moves_first=False)


class Beating(Goals):
    """The mean of 1 for more than n points and of `tie` for n points, for every n.

    The score x is minus the points needed for a tie. Random points, at most `most`, are given when
    `filled` categories are filled.
    """

    def __init__(self, rules: RuleSet, tie: float, filled: int = 0, most: int = 0) -> None:
        super().__init__(rules)
        self.tie = tie
        self.filled = filled
        self.most = most

    def row_lengths(self) -> Ints:
        """Return the lengths of all goals, with the tie of x = 0 and the random points."""
        return super().row_lengths() + 1 + self.most * (self.space.filled <= self.filled)

    def score_range(self, length: Ints) -> tuple[Ints, Ints]:
        """Return the range from minus the points still possible to 0."""
        return 1 - length, np.zeros_like(length)

    def utility(self, total: Ints) -> Floats:
        """Return 1 for more points, and `tie` for exactly as many."""
        return np.where(total > 0, 1.0, self.tie * (total == 0))

    def parameters(self) -> dict[str, Any]:
        """Raise StateError, because a description does not name the tie or the random points."""
        raise StateError("chances with ties or random points cannot be solved in shards")


def entries(objective: ScoreObjective, filled: int) -> tuple[Ints, Ints]:
    """Return the state and the score x of each entry of a layer of a table, `(n,)` each."""
    states = objective.space.layer_slice(filled)
    offsets = objective.score_offsets
    low = offsets.low[states] - objective.before
    high = offsets.high[states] + objective.after
    length = high - low + 1
    begin = np.cumsum(length) - length  # number of the first entry of each state
    state = np.repeat(np.arange(len(length)), length)
    return states.start + state, low[state] + np.arange(len(state)) - begin[state]


def last_layer(
    objective: ScoreObjective, filled: int, values: Floats, threads: int | None
) -> Values:
    """Return the values of the start from those of the layer with `filled` filled categories.

    That layer may be the start itself.
    """
    known = values.astype(objective.compute)
    solved = deque(solve_layers(objective, threads=threads, resume=(filled, known)), maxlen=1)
    return solved[0].values if solved else known


def split(rest: Floats, component: Floats) -> Floats:
    """Return the weights w(e, i), `(states, shifts)`, of one component e.

    The distributions `rest`, `(states, points)`, lose its part.
    """
    points = np.flatnonzero(component)
    width = rest.shape[1] - len(component) + 1
    weights = np.zeros((len(rest), max(width, 0)))
    if width <= 0:
        return weights

    def average(values: Floats) -> Floats:
        """Return the sum over s of e(s - i) values(s), by i."""
        return np.asarray(sum(component[p] * values[:, p : p + width] for p in points))

    def mixture(shift_weights: Floats) -> Floats:
        """Return the sum over i of weight(i) e(s - i), by s."""
        total = np.zeros_like(rest)
        for p in points:
            total[:, p : p + width] += component[p] * shift_weights
        return total

    for _round in range(ROUNDS):
        # by i, the least chance where e(s - i) > 0
        least = np.minimum.reduce([rest[:, p : p + width] for p in points])
        more = average(rest) * (least > MIN_CHANCE)  # weights that this round adds
        # The deconvolution of Richardson and Lucy brings the mixture near the rest.
        for _step in range(STEPS):
            more *= average(rest / np.maximum(mixture(more), MIN_CHANCE**2))
        ratio = rest / np.maximum(mixture(more), MIN_CHANCE**2)
        # The mixture must be nowhere above the rest.
        more *= np.minimum.reduce([ratio[:, p : p + width] for p in points]).clip(0, 1)
        weights += more
        np.maximum(rest - mixture(more), 0, out=rest)  # rounding can only raise the rest
    return weights


def components_of(distributions: Floats) -> list[Floats]:
    """Return the components, beginning with the largest variance.

    They are made of the distributions of the points to come of the states with one open box,
    `(states, points)`.
    """
    single = set[tuple[int, float]]()  # points and their chance
    # These are the boxes that pay `high - low` points or none.
    has_two_values = (distributions > MIN_CHANCE).sum(axis=1) == 2
    for chances in distributions[has_two_values]:
        low, high = np.flatnonzero(chances > MIN_CHANCE).tolist()
        paid_in_some_turn = 1 - float(chances[low]) ** TRIES
        single.add((high - low, round(paid_in_some_turn, 6)))

    def variance_of_box(box: tuple[int, float]) -> float:
        points, chance = box
        return points**2 * chance * (1 - chance)

    widest = sorted(single, key=variance_of_box)[-BOXES:]
    found = []
    for number in range(1, BOXES + 1):
        for boxes in combinations(widest, number):
            component = np.ones(1)
            for points, chance in boxes:
                component = np.convolve(component, np.bincount([0, points], [1 - chance, chance]))
            found.append(component)

    def variance(chances: Floats) -> float:
        points = np.arange(len(chances))
        return float(chances @ points**2 - (chances @ points) ** 2)

    return sorted(found, key=variance, reverse=True)


class LateScore:
    """The bounds of one game."""

    def __init__(self, settings: Settings, rules: RuleSet) -> None:
        means = Objective(rules)
        objective = Beating(rules, 0.5)
        self.rules = rules
        self.space = means.space
        self.threads = thread_count(settings.threads)
        # turns that the opponent plays with the score known
        self.left = max(1, self.space.categories // TURNS)
        values = open_table(settings.reporting(None), means)[1]
        backwards = laws_of_points(settings.reporting(None), GreedyPolicy(rules, values))
        # The distributions of the points to come under play for the mean, by open boxes: up to
        # `left`, and one more for the player who moves second.
        self.distributions = [*islice(backwards, self.left + 2)]
        self.error = 2 * objective.error  # of a table, and of the sums here
        self.components = components_of(self.distributions[1])
        # There is a solve for each component, one for the score itself, and two for the guarantees.
        seconds = (len(self.components) + 3) * solve_cost(objective).seconds
        log_long(f"bounds of {rules.key} for two players", seconds)
        self._beating = dict[float, tuple[list[Floats], Floats]]()

    def beating(self, tie: float) -> tuple[list[Floats], Floats]:
        """Return V of :meth:`beating_with` for each component, by n, and V(s) by s.

        For a component with the most points m, n is i + m if the opponent needs more than i points.
        `tie` is what a tie counts for the opponent. The last value of each array is 0.
        """
        if tie not in self._beating:
            objective = Beating(self.rules, tie)
            filled = self.space.categories - self.left
            check_memory(self.rules, solve_cost(objective))
            for layer in solve_layers(objective, threads=self.threads):
                if layer.filled == filled:
                    late = layer.values  # when the opponent learns the score
                at_start = layer.values  # in the end: the last layer is that of the start
            at_once = at_start[-objective.after - 1 :: -1]  # x = 0, -1, -2 ...
            given = [self.beating_with(e, tie, late) for e in self.components]
            self._beating[tie] = given, at_once
        return self._beating[tie]

    def beating_with(self, component: Floats, tie: float, late: Values) -> Floats:
        """Return V by n, for a player who is given most - p points, with p drawn from a component.

        `late` are the values of :class:`Beating` with so many open boxes as then.
        """
        # To need i + p points is to need i + most, where most is the largest p, and to be given
        # most - p.
        filled = self.space.categories - self.left
        most = len(component) - 1
        plain = Beating(self.rules, tie)
        objective = Beating(self.rules, tie, filled, most)
        state, x = entries(objective, filled)
        places = plain.score_offsets
        begin = plain.layer_slice(filled).start
        low = places.low[state] - 1
        high = places.high[state] + 1
        origin = places.origin[state]
        given = component[::-1]  # the chances that n points are given, with n = most - p
        values = np.sum(
            [
                given[n] * late[origin + np.clip(x + n, low, high) - begin]
                for n in np.flatnonzero(given)
            ],
            axis=0,
        )
        by_x = last_layer(objective, filled, values, self.threads)
        return by_x[-objective.after - 1 :: -1]

    def guarantee(self, share: float, moves_first: bool) -> float:
        """Return what one player wins at least. `share` is what a tie counts for it."""
        beating_with, beating_at_once = self.beating(1 - share)
        left = 0  # turns that are left to the player when the opponent learns the score
        if self.components:
            left = self.left if moves_first else min(self.space.categories, self.left + 1)
        filled = self.space.categories - left
        objective = ReachableUtility(self.rules, lambda points: points.astype(np.float64))
        check_memory(self.rules, solve_cost(objective))
        distributions = self.distributions[left]  # by state of the layer and points to come
        state, x = entries(objective, filled)
        made = np.arange(int(x.max()) + 1)

        def beaten(beating: Floats, shifts: int, most: int) -> Floats:
            """Return V for all shifts and points made, `(shifts, points)`.

            `beating` is V by points, the last for all that are more. `most` is the most points of
            the component.
            """
            n = np.minimum(np.arange(shifts)[:, None] + made + most, len(beating) - 1)
            return np.asarray(np.minimum(1, (1 + self.error) * beating[n]))

        most_to_come = distributions.shape[1]
        beaten_with = [
            beaten(beating, most_to_come - len(e) + 1, len(e) - 1)
            for e, beating in zip(self.components, beating_with, strict=True)
        ]
        beaten_at_once = beaten(beating_at_once, most_to_come, 0)
        # what is won at least, by state of the layer and points made
        utility = np.empty((len(distributions), len(made)))

        def write_utility(first: int) -> None:
            """Write 1 less the two sums of what the opponent wins, for STATES states."""
            rest = distributions[first : first + STATES].copy()
            least = np.ones(1)
            for component, by_shift in zip(self.components, beaten_with, strict=True):
                # The split also removes the part of the component from `rest`.
                least = least - split(rest, component) @ by_shift
            utility[first : first + STATES] = least - rest @ beaten_at_once

        with thread_map(self.threads) as in_threads:
            list(in_threads(write_utility, range(0, len(distributions), STATES)))
        values = utility[state - self.space.layer_slice(filled).start, x]  # by entry of the layer
        at_start = last_layer(objective, filled, values, self.threads)[0]  # without any points
        return float(at_start) * (1 - self.error)
