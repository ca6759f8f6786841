"""Two players, exactly: the chance to win when both know both cards and see the lead.

The players take turns. For the cards A of the player who moves and B of the other, and the lead d::

    U(A, B, d) = E over the turn of A of  max over actions  1 - U(B, A', -(d + points))

A turn of all pairs needs the pairs with one open box less, so that two layers are in memory: those with as many open
boxes on both cards, and those with one less on the card of the player who has moved (:mod:`perfect_yatzy.kernels.leads`).
A player may also follow a policy that ignores the opponent. Against it the other player's best play is a best response.

The chances are float32; the error is below 2e-6 (a test compares them with fractions).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._messages import _
from ..errors import StateError
from ..game.dice import Floats, Ints, lattice
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..model.estimates import BASE_MEMORY, SolveCost, log_long, score_turn_seconds
from ..model.objectives import FRAME, Goals, Utility, final_bonus
from ..model.policies import Policy
from ..model.state_space import LANES
from ..model.turn_model import turn_model
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress
from ..tablebase.threads import ScratchPool, thread_map
from .forward_pass import ForwardPass
from .tie_rules import TIE_RULES

if TYPE_CHECKING:
    from ..kernels.leads import LayerStates, LeadValues, TurnEndsOfStates

SCORE_LANES = 2 * LANES  # leads in a vector of float32
TASKS = 8  # parts of a turn for each thread


class Player:
    """One of the two players: a card from which they play, and what they do.

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

    def layer(self, turns_left: int) -> LayerStates:
        """The states with so many open boxes."""
        from ..kernels.leads import LayerStates

        space, filled = self.space, self.space.categories - turns_left
        layout, rows, states = space.layout, space.layers[filled], space.layer_slice(filled)
        row = np.repeat(rows, layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1))
        lane, _saved = space.lanes_and_saved(row, np.arange(states.start, states.stop))
        most = self._most[row] + self._bonuses[layout.lane_sets[row], lane]
        return LayerStates(states.start, len(row), np.asarray(most), np.asarray(self._past[row]))


@dataclass(frozen=True)
class Turn:
    """One turn of the game, seen from the end: who moves, and how many boxes each player has open before it."""

    left: int  # turns of both players left, this one included
    mover: int  # 0 or 1
    open: tuple[int, int]


class TwoPlayerGame:
    """The rest of a game of two players; the first one moves next.

    Parameters
    ----------
    rules
        The game.
    starts
        Card of each player.
    lead
        Points by which the player who moves leads, upper bonuses left out.
    tie
        What a tie counts for the player who moves: 0, 0.5 or 1.
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
        first, second = players = tuple(Player(rules, *each) for each in zip(starts, policies, strict=True))
        if first.turns - second.turns not in (0, 1):
            raise StateError(
                _("the player who moves needs as many open boxes as the opponent, or one more"), code="invalid-card"
            )
        self.rules, self.players, self.lead, self.tie = rules, players, lead, tie
        self.dice, self.total = lattice(rules.dice, rules.faces), first.turns + second.turns

    def turn(self, left: int) -> Turn:
        """The turn with so many turns left."""
        mover = (self.total - left) % 2
        mine, others = -(-left // 2), left // 2
        return Turn(left, mover, (mine, others) if mover == 0 else (others, mine))

    def turns(self) -> Iterator[Turn]:
        """All turns, the last one of the game first."""
        return map(self.turn, range(1, self.total + 1))

    def lead_of(self, player: int) -> int:
        """The lead of a player at the start."""
        return -self.lead if player else self.lead

    def pairs(self, turn: Turn) -> tuple[LayerStates, LayerStates]:
        """The states of the player who moves and of the other, before the turn."""
        mover, other = turn.mover, 1 - turn.mover
        return self.players[mover].layer(turn.open[mover]), self.players[other].layer(turn.open[other])

    def blank(self, waiting: LayerStates, moved: LayerStates, lead: int) -> LeadValues:
        """Room for the values of pairs."""
        from ..kernels.leads import LeadValues, count_leads

        lengths = np.empty(waiting.count * moved.count, np.int64)
        count_leads(waiting, moved, lead, SCORE_LANES, lengths)
        ends = np.cumsum(lengths)
        return LeadValues(np.empty(int(ends[-1]) + FRAME, np.float32), ends - lengths)

    def full_cards(self) -> LeadValues:
        """The values after the last turn: who has more points with the upper bonuses."""
        from ..kernels.leads import lead_range

        mover = self.turn(1).mover
        waiting, moved = self.players[1 - mover].layer(0), self.players[mover].layer(0)
        bonuses = final_bonus(self.players[1 - mover].space), final_bonus(self.players[mover].space)
        found = self.blank(waiting, moved, self.lead_of(1 - mover))
        tie = 1 - self.tie if mover else self.tie
        for i in range(waiting.count):
            for j in range(moved.count):
                sides = moved.most[j], moved.past[j], waiting.most[i], waiting.past[i]
                low, high = lead_range(*sides, self.lead_of(mover))
                leads = np.arange(low - FRAME, high + FRAME + 1) + int(bonuses[1][j] - bonuses[0][i])
                values = np.where(leads == 0, tie, leads > 0)
                values[:FRAME], values[len(values) - FRAME :] = 0.0, 1.0
                place = found.place[i * moved.count + j]
                found.values[place : place + len(values)] = values
        return found

    def size(self) -> tuple[int, list[int]]:
        """Vectors of leads of all turns, and the bytes of the values of each turn."""
        from ..kernels.leads import count_leads

        vectors, sizes = 0, []
        for turn in self.turns():
            before, other = self.pairs(turn)
            lengths = np.empty(before.count * other.count, np.int64)
            vectors += count_leads(before, other, self.lead_of(turn.mover), SCORE_LANES, lengths)
            sizes.append(int(lengths.sum()) * 4 + lengths.nbytes)
        return vectors, sizes

    def cost(self) -> SolveCost:
        """What a solve takes."""
        vectors, sizes = self.size()
        memory = BASE_MEMORY + max((a + b for a, b in pairwise(sizes)), default=sum(sizes))
        seconds = score_turn_seconds(self.rules, vectors * LANES, 0)
        return SolveCost(values=vectors * SCORE_LANES, bytes=sum(sizes), memory=memory, seconds=seconds)

    def solve(self, threads: int | None = None, progress: Progress | None = None) -> Iterator[tuple[Turn, LeadValues]]:
        """The values after each turn has been undone: first those before the last turn, at the end those of the start."""
        below, ends = self.full_cards(), {}
        for number, player in enumerate(self.players):
            if player.policy:
                ends[number] = ends_of_turns(player.policy, threads or default_threads())
        with thread_map(threads or default_threads(), "yatzy-versus") as in_threads:
            for turn in self.turns():
                below = self._undo(turn, below, ends.get(turn.mover), in_threads, threads or default_threads())
                yield turn, below
                if progress:
                    progress(turn.left, self.total)

    def _undo(
        self, turn: Turn, below: LeadValues, ends: list[TurnEndsOfStates] | None, in_threads: Any, threads: int
    ) -> LeadValues:
        """The values before a turn from those after it."""
        from ..kernels.lattice import kernel_lattice
        from ..kernels.leads import LeadJob, average_leads, solve_leads
        from ..kernels.turn import make_scratch
        from ..model.score_places import ScoreOffsets

        mover = self.players[turn.mover]
        space, left = mover.space, turn.open[turn.mover]
        filled, model = space.categories - left, turn_model(self.rules, space.start)
        (before, other), after = self.pairs(turn), mover.layer(left - 1)
        target = self.blank(before, other, self.lead_of(turn.mover))
        job = LeadJob(
            model, kernel_lattice(self.dice), int(space.most_saved[filled]), make_scratch(self.dice, model, np.float32),
            before, after, other, self.lead_of(turn.mover), below, target,
            ScoreOffsets(*(np.empty(after.count, np.int64) for _ in range(3))),
            np.empty(before.count, np.int64), np.empty(before.count, np.int64),
        )  # fmt: skip
        jobs = ScratchPool(
            lambda: job._replace(
                scratch=make_scratch(self.dice, model, np.float32),
                ranges=ScoreOffsets(*map(np.empty_like, job.ranges)),
                target_origin=np.empty_like(job.target_origin),
                target_high=np.empty_like(job.target_high),
            )
        )
        rows = space.layers[filled]

        def part(begin: int, end: int) -> None:
            with jobs.borrow() as own:
                if ends is None:
                    solve_leads(begin, end, rows, own)
                else:
                    average_leads(begin, end, ends[filled - space.first_layer], own)

        size = max(1, other.count // (TASKS * threads))
        begins = range(0, other.count, size)
        for _done in in_threads(part, begins, [min(begin + size, other.count) for begin in begins]):
            pass
        return target


def ends_of_turns(policy: Policy, threads: int) -> list[TurnEndsOfStates]:
    """The ends of the turns of a policy for each layer from its start on, by state; none where it never comes."""
    games, found = ForwardPass(policy, threads), []
    for filled, ends, layer in games.reached():
        found.append(_by_state(games, filled, ends, layer))
    return found


def _by_state(games: ForwardPass, filled: int, ends: Any, layer: Any) -> TurnEndsOfStates:
    """Ends of turns that are listed by block and group, by state."""
    from ..kernels.leads import TurnEndsOfStates

    space, model, layout = games.space, games.end_model, games.space.layout
    rows, states = space.layers[filled], space.layer_slice(filled)
    blocks = -(-layout.lane_count[layout.lane_sets[rows]] // LANES) * (layer.most_saved + 1)
    row_of_block = np.repeat(rows, blocks)
    within = np.arange(len(row_of_block)) - ends.block_start[row_of_block]
    number = np.repeat(np.arange(len(row_of_block) * model.groups), np.diff(ends.start))
    block, group = number // model.groups, number % model.groups
    row, (first, saved) = row_of_block[block], np.divmod(within[block], layer.most_saved + 1)
    end, lane = np.divmod(ends.end, LANES)
    lane = lane + first * LANES
    sets = layout.lane_sets[row]
    state = layout.offsets[row] + saved * layout.lane_count[sets] + lane - states.start
    child = row + model.step[group]
    child_sets = layout.lane_sets[child]
    child_lane = layout.lane_of[child_sets, layout.lane_upper[sets, lane] + model.shift[end]]
    child_state = layout.offsets[child] + model.saved[end] * layout.lane_count[child_sets] + child_lane
    child_state -= space.layer_slice(filled + 1).start
    order = np.argsort(state, kind="stable")
    count = np.bincount(state, minlength=states.stop - states.start)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    return TurnEndsOfStates(start, child_state[order], model.points[end][order], ends.chance[order])
