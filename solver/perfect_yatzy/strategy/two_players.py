"""Two players, exactly: the chance to win when both know both cards and the lead.

The players take turns. For the cards A of the player who moves and B of the other, and the lead d::

    U(A, B, d) = E over the turn of A of  max over actions  1 - U(B, A', -(d + points))

A turn of all pairs of cards needs the pairs after it alone, so that two layers are in memory
(:mod:`perfect_yatzy.kernels.leads`). A player may also follow a policy that ignores the opponent; against it the best
play of the other is a best response. References: Pawlewicz, "Nearly optimal computer play in multi-player Yahtzee"
(2010), for the joint state.

Chances are float32; their error is below 2e-6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._messages import _
from ..errors import StateError, shown
from ..game.dice import Floats, lattice
from ..game.notation import CardText, read_card
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, Scorecard, State
from ..model.estimates import BASE_MEMORY, SolveCost, log_long, score_turn_seconds
from ..model.objectives import FRAME, Goals, Utility, final_bonus
from ..model.policies import Policy
from ..model.score_places import ScoreOffsets
from ..model.state_space import LANES
from ..model.turn_model import turn_model
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress
from ..tablebase.threads import ScratchPool, thread_map
from .forward_pass import ForwardPass
from .position import check_position
from .score_strategy import ScoreStrategy
from .tie_rules import TIE_RULES
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

if TYPE_CHECKING:
    from ..kernels.leads import LayerStates, LeadJob, LeadValues, TurnEndsOfStates

SCORE_LANES = 2 * LANES  # leads in a vector of float32
TASKS = 8  # parts of a turn for each thread


class Player:
    """One of two players: a card from which they play, and what they do.

    `policy`: None plays to win; else the actions depend on the player's own card alone.
    """

    def __init__(self, rules: RuleSet, start: State, policy: Policy | None) -> None:
        self.policy = policy
        goals, made = Goals(rules, start), Utility(rules, lambda points: points.astype(np.float64), start)
        self.space = goals.space
        self._most, self._bonuses, self._past = goals.row_lengths(), goals.lane_bonuses(), made.row_lengths()

    @property
    def turns(self) -> int:
        """Number of open boxes at the start."""
        return self.space.categories - self.space.first_layer

    @property
    def start(self) -> int:
        """Place of the start in its layer."""
        return self.space.unchecked_index(self.space.start) - self.layer(self.turns).first

    def layer(self, turns_left: int) -> LayerStates:
        """The states with so many open boxes."""
        from ..kernels.leads import LayerStates

        space, filled = self.space, self.space.categories - turns_left
        layout, rows, states = space.layout, space.layers[filled], space.layer_slice(filled)
        row = np.repeat(rows, layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1))
        lane, _saved = space.lanes_and_saved(row, np.arange(states.start, states.stop))
        most = self._most[row] + self._bonuses[layout.lane_sets[row], lane]
        return LayerStates(states.start, len(row), np.asarray(most), np.asarray(self._past[row]))

    def extremes(self, turns_left: int) -> tuple[int, int, int]:
        """Number of states with so many open boxes; the most points that one has to come, and has made."""
        space, filled = self.space, self.space.categories - turns_left
        rows, states = space.layers[filled], space.layer_slice(filled)
        most = self._most[rows] + self._bonuses[space.layout.lane_sets[rows]].max(axis=1)
        return states.stop - states.start, int(most.max()), int(self._past[rows].max())


@dataclass(frozen=True)
class Turn:
    """One turn of the game, seen from the end."""

    left: int  # turns of both players left, this one included
    mover: int  # 0 or 1
    open: tuple[int, int]  # open boxes of each player before it


class TwoPlayerGame:
    """The rest of a game of two players; the first one moves next.

    Parameters
    ----------
    rules
        The game.
    starts
        Card of each player.
    lead
        Points by which the first player leads, upper bonuses left out.
    tie
        What a tie counts for the first player: 0, 0.5 or 1.
    policies
        What each player follows; None plays to win.
    """

    def __init__(
        self,
        rules: RuleSet,
        starts: tuple[State, State] = (EMPTY_STATE, EMPTY_STATE),
        lead: int = 0,
        tie: float = 0.5,
        policies: tuple[Policy | None, Policy | None] = (None, None),
    ) -> None:
        self.players = Player(rules, starts[0], policies[0]), Player(rules, starts[1], policies[1])
        first, second = (player.turns for player in self.players)
        if first - second not in (0, 1):
            raise StateError(
                _("the player who moves needs as many open boxes as the opponent, or one more"), code="invalid-card"
            )
        self.rules, self.lead, self.tie, self.total = rules, lead, tie, first + second
        self.dice = lattice(rules.dice, rules.faces)

    def turns(self) -> Iterator[Turn]:
        """All turns, the last one of the game first."""
        for left in range(1, self.total + 1):
            mover, mine, others = (self.total - left) % 2, -(-left // 2), left // 2
            yield Turn(left, mover, (mine, others) if mover == 0 else (others, mine))

    def lead_of(self, player: int) -> int:
        """The lead of a player at the start."""
        return -self.lead if player else self.lead

    def pairs(self, turn: Turn) -> tuple[LayerStates, LayerStates]:
        """The states of the player who moves and of the other, before the turn."""
        mover, other = turn.mover, 1 - turn.mover
        return self.players[mover].layer(turn.open[mover]), self.players[other].layer(turn.open[other])

    def cost(self) -> SolveCost:
        """What a solve takes, at most: as if each pair of cards had the longest range of leads of its layers."""
        vectors, sizes = 0, []
        for turn in self.turns():
            mover, other = turn.mover, 1 - turn.mover
            size, most, past = self.players[mover].extremes(turn.open[mover])
            others, other_most, other_past = self.players[other].extremes(turn.open[other])
            lead = self.lead_of(mover)
            leads = max(0, min(other_most, lead + past) + min(most, other_past - lead) + 1)
            vectors += size * others * -(-leads // SCORE_LANES)
            sizes.append(size * others * ((leads + 2 * FRAME) * 4 + 8))
        memory = max((a + b for a, b in pairwise(sizes)), default=sum(sizes))
        seconds = score_turn_seconds(self.rules, vectors * LANES, 0)
        return SolveCost(vectors * SCORE_LANES, bytes=memory, memory=BASE_MEMORY + memory, seconds=seconds)

    def blank(self, waiting: LayerStates, moved: LayerStates, lead: int) -> LeadValues:
        """Room for the values of pairs of cards; `lead`: of the player who waits, at the start."""
        from ..kernels.leads import LeadValues, count_leads

        lengths = np.empty(waiting.size * moved.size, np.int64)
        count_leads(waiting, moved, lead, lengths)
        ends = np.cumsum(lengths)
        return LeadValues(np.empty(int(ends[-1]) + FRAME, np.float32), ends - lengths)

    def full_cards(self) -> LeadValues:
        """The values after the last turn: who has more points with the upper bonuses."""
        from ..kernels.leads import range_of

        mover = (self.total + 1) % 2  # of the last turn
        waiting, moved = self.players[1 - mover].layer(0), self.players[mover].layer(0)
        bonuses, others = final_bonus(self.players[mover].space), final_bonus(self.players[1 - mover].space)
        found = self.blank(waiting, moved, self.lead_of(1 - mover))
        tie = 1 - self.tie if mover else self.tie
        for i in range(waiting.size):
            for j in range(moved.size):
                low, high = range_of(moved, j, waiting, i, self.lead_of(mover))
                leads = np.arange(low, high + 1) + int(bonuses[j] - others[i])
                values = np.where(leads == 0, tie, leads > 0)
                place = found.place[i * moved.size + j]
                found.values[place : place + len(values) + 2 * FRAME] = np.pad(values, FRAME, constant_values=(0, 1))
        return found

    def solve(self, threads: int | None = None, progress: Progress | None = None) -> Iterator[LeadValues]:
        """The values after the last turn, after the one before, and so on; the last ones are those of the start."""
        threads = threads or default_threads()
        ends = [ends_of_turns(player.policy, threads) if player.policy else None for player in self.players]
        values = self.full_cards()
        yield values
        with thread_map(threads, "yatzy-versus") as in_threads:
            for turn in self.turns():
                values = self._undo(turn, values, ends[turn.mover], in_threads, threads)
                yield values
                if progress:
                    progress(turn.left, self.total)

    def _undo(
        self, turn: Turn, below: LeadValues, ends: list[TurnEndsOfStates] | None, in_threads: Any, threads: int
    ) -> LeadValues:
        """The values before a turn from those after it."""
        from ..kernels.leads import average_leads, solve_leads

        space, left = self.players[turn.mover].space, turn.open[turn.mover]
        filled, (before, other) = space.categories - left, self.pairs(turn)
        target = self.blank(before, other, self.lead_of(turn.mover))
        jobs = ScratchPool(lambda: self._job(turn, below, target))
        size, rows = max(1, other.size // (TASKS * threads)), space.layers[filled]

        def undo(begin: int) -> None:
            with jobs.borrow() as job:
                if ends is None:
                    solve_leads(begin, min(begin + size, other.size), rows, job)
                else:
                    average_leads(begin, min(begin + size, other.size), ends[filled - space.first_layer], job)

        for _done in in_threads(undo, range(0, other.size, size)):
            pass
        return target

    def _job(self, turn: Turn, below: LeadValues, target: LeadValues) -> LeadJob:
        """The arguments of the kernels for one thread."""
        from ..kernels.lattice import kernel_lattice
        from ..kernels.leads import LeadJob
        from ..kernels.turn import make_scratch

        mover, left = self.players[turn.mover], turn.open[turn.mover]
        model, (before, other), after = (
            turn_model(self.rules, mover.space.start),
            self.pairs(turn),
            mover.layer(left - 1),
        )
        return LeadJob(
            model=model,
            lattice=kernel_lattice(self.dice),
            most_saved=int(mover.space.most_saved[mover.space.categories - left]),
            scratch=make_scratch(self.dice, model, np.float32),
            before=before,
            after=after,
            other=other,
            lead=self.lead_of(turn.mover),
            below=below,
            target=target,
            ranges=ScoreOffsets(*(np.empty(after.size, np.int64) for _ in ScoreOffsets._fields)),
            target_origin=np.empty(before.size, np.int64),
            target_high=np.empty(before.size, np.int64),
        )

    def start_chances(self, values: LeadValues) -> tuple[int, Floats]:
        """The first lead, and the chances of the first player by the lead, with the known values on both sides.

        `values`: those of the start; of the player who waits there, the second one.
        """
        from ..kernels.leads import range_of

        first, second = (player.layer(player.turns) for player in self.players)
        i, j = (player.start for player in self.players)
        low, high = range_of(first, i, second, j, self.lead)
        place = values.place[i * second.size + j]
        reversed_values = values.values[place : place + high - low + 1 + 2 * FRAME][::-1]
        return low - FRAME, np.asarray(1 - reversed_values)

    def chance(self, threads: int | None = None, progress: Progress | None = None) -> float:
        """The chance of the first player at the start."""
        *_before, values = self.solve(threads, progress)
        first, chances = self.start_chances(values)
        return float(chances[min(max(self.lead - first, 0), len(chances) - 1)])


def ends_of_turns(policy: Policy, threads: int) -> list[TurnEndsOfStates]:
    """The ends of the turns of a policy for each layer from its start on, by state; none where it never comes."""
    games = ForwardPass(policy, threads)
    return [_by_state(games, filled, *found) for filled, *found in games.reached()]


def _by_state(games: ForwardPass, filled: int, ends: Any, layer: Any) -> TurnEndsOfStates:
    """Ends of turns that are listed by block and group, by state."""
    from ..kernels.leads import TurnEndsOfStates

    space, model, layout = games.space, games.end_model, games.space.layout
    rows, states = space.layers[filled], space.layer_slice(filled)
    blocks = np.repeat(rows, -(-layout.lane_count[layout.lane_sets[rows]] // LANES) * (layer.most_saved + 1))
    number = np.repeat(np.arange(len(blocks) * model.groups), np.diff(ends.start))
    block, group = np.divmod(number, model.groups)
    row = blocks[block]
    first, saved = np.divmod(block - ends.block_start[row], layer.most_saved + 1)
    end, lane = np.divmod(ends.end, LANES)
    sets, lane = layout.lane_sets[row], lane + first * LANES
    state = layout.offsets[row] + saved * layout.lane_count[sets] + lane - states.start
    child = row + model.step[group]
    child_sets = layout.lane_sets[child]
    child_lane = layout.lane_of[child_sets, layout.lane_upper[sets, lane] + model.shift[end]]
    after = layout.offsets[child] + model.saved[end] * layout.lane_count[child_sets] + child_lane
    after -= space.layer_slice(filled + 1).start
    order = np.argsort(state, kind="stable")
    start = np.searchsorted(state[order], np.arange(states.stop - states.start + 1))
    return TurnEndsOfStates(start, after[order], model.points[end][order], ends.chance[order])


class Leads(Goals):
    """The chance to win, by the lead. Its ranges depend on the card of the opponent (:class:`LeadEvaluator`)."""

    name = "leads"


class LeadEvaluator(ScoreEvaluator):
    """Evaluates the first turn of a game of two players; the scores of the base class are leads."""

    def __init__(
        self, game: TwoPlayerGame, means: TurnEvaluator, threads: int | None, progress: Progress | None
    ) -> None:
        from ..kernels.leads import range_of

        mover, opponent = game.players
        *_before, below, start = game.solve(threads, progress)
        other, after, at = opponent.layer(opponent.turns), mover.layer(mover.turns - 1), opponent.start
        offsets = ScoreOffsets(*(np.zeros(mover.space.size, np.int64) for _ in ScoreOffsets._fields))
        for i in range(after.size):
            low, high = range_of(after, i, other, at, game.lead)
            place = int(below.place[at * after.size + i]) + FRAME - low
            for column, number in zip(offsets, (place, low, high), strict=True):
                column[after.first + i] = number
        first, chances = game.start_chances(start)
        ends = len(below.values) - first, first + FRAME, first + len(chances) - FRAME - 1
        for column, number in zip(offsets, ends, strict=True):
            column[mover.space.unchecked_index(mover.space.start)] = number
        values = np.concatenate([below.values, chances])
        super().__init__(Leads(game.rules, mover.space.start), values, means)
        self._offsets = offsets

    @property
    def score_offsets(self) -> ScoreOffsets:
        """Where the values of the start and of the states after its turn are; no other state has values."""
        return self._offsets


def versus_strategy(
    game: TwoPlayerGame, cards: tuple[Scorecard, Scorecard], means: TurnEvaluator,
    threads: int | None = None, progress: Progress | None = None,
) -> ScoreStrategy:  # fmt: skip
    """Best play of the turn that begins at the first card; its values are chances to win, `means` breaks ties."""
    evaluator = LeadEvaluator(game, means, threads, progress)
    return ScoreStrategy(game.rules, None, evaluator, zero=cards[1].total, start=cards[0])


@dataclass(frozen=True)
class TwoPlayerChances:
    """The chances of two players. Returned by :func:`versus`.

    Attributes
    ----------
    rules : RuleSet
    first, second : float
        Chance to win of the player who moves first, and of the other; a tie counts what was asked for. They add up to
        1, and their error is below 2e-6.
    """

    rules: RuleSet
    first: float
    second: float


def versus(
    rules: str | Path | RuleSet,
    first: Policy | None = None,
    second: Policy | None = None,
    *,
    cards: tuple[CardText | Scorecard, CardText | Scorecard] = ("", ""),
    ties: str = "half",
    threads: int | None = None,
    progress: Progress | None = None,
) -> TwoPlayerChances:
    """The exact chances of two players who take turns.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    first, second
        What each player follows. None plays to win: it knows both cards, and is a best response to a policy of the
        other. A policy looks at its own card alone.
    cards
        Their cards. The first player moves next and has as many open boxes as the second, or one more.
    ties
        What a tie counts for the first player: "loss", "half" or "win".
    threads, progress
        As for :func:`perfect_yatzy.open_strategy`; the result does not depend on the number of threads.

    Returns
    -------
    TwoPlayerChances

    Raises
    ------
    StateError
        If the cards do not belong to one game, a policy begins elsewhere, or `ties` is unknown.
    RulesError
        If the machine has too little memory. Whole games that fit are Generala (seconds), Yacht (80 s, 2 GB), and
        games in a forced order.
    """
    rule_set = load_rules(rules)
    if ties not in TIE_RULES:
        raise StateError(f"ties is {shown(ties)}; must be one of {', '.join(TIE_RULES)}", field="ties")
    one, other = (read_card(rule_set, card) for card in cards)
    for card, policy in ((one, first), (other, second)):
        check_position(rule_set, card.state)
        if policy and (policy.rules.fingerprint != rule_set.fingerprint or policy.start != card.state):
            raise StateError("a policy is for another game, or does not begin at the card of its player")
    starts, share = (one.state, other.state), TIE_RULES[ties].share
    game = TwoPlayerGame(rule_set, starts, one.total - other.total, share, (first, second))
    cost = game.cost()
    check_memory(rule_set, cost)
    log_long(f"solving {rule_set.key} for two players", cost.seconds, progress)
    chance = game.chance(threads, progress)
    return TwoPlayerChances(rule_set, chance, 1 - chance)


def versus_table(
    rules: RuleSet,
    players: Sequence[Policy | None],
    ties: str = "half",
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The chance of each player who moves first (rows) against each who moves second (columns), ``(n, n)``."""
    chances, games = np.empty((len(players), len(players))), len(players) ** 2
    for number, (i, j) in enumerate(np.ndindex(chances.shape)):

        def report(done: int, total: int, number: int = number) -> None:
            if progress:
                progress(number * total + done, games * total)

        chances[i, j] = versus(rules, players[i], players[j], ties=ties, threads=threads, progress=report).first
    return chances


def exploitability_of(chances: Floats) -> list[float]:
    """What best responses win beyond a half against each policy, the mean over both orders of moving.

    `chances`: of :func:`versus_table`, whose first player plays to win.
    """
    return [float((chances[0, i] + 1 - chances[i, 0]) / 2 - 0.5) for i in range(1, len(chances))]
