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

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from ..errors import StateError, TableError, _
from ..game.dice import Floats, Ints, lattice
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..kernels import leads
from ..kernels.lattice import kernel_lattice
from ..kernels.leads import LayerStates, LeadJob, LeadValues
from ..kernels.policy import policy_job
from ..kernels.policy_evaluation import EvaluationJob
from ..kernels.table_slices import PADDING, TableSlice
from ..kernels.turn import make_scratch
from ..model.estimates import BASE_MEMORY, SolveCost, score_turn_seconds
from ..model.objectives import FRAME, Goals, Utility, final_bonus
from ..model.state_space import LANES, Policy, ScoreOffsets
from ..model.turn_model import turn_model
from ..tablebase.resources import ScratchPool, default_threads, thread_map
from ..tablebase.store import Progress
from ..tablebase.table_info import CHECKPOINT_SECONDS, store_layer, stored_layer
from .forward_pass import ends_of_turns, laws_of_points
from .turn_evaluator import ScoreEvaluator, TurnEvaluator

SCORE_LANES = 2 * LANES  # leads in a vector of float32
TASKS = 8  # parts of a turn for each thread
FOLLOWING = 6  # times as long as a turn of best play: a turn that follows a plan


@dataclass(frozen=True)
class Replanned:
    """A player who plays each turn as if the opponent followed a policy and would not be seen again.

    That is the best response to the distribution of the opponent's final score; the next turn has a new one.
    """

    opponent: Policy  # what the opponent is taken for; its start is the card of the opponent


Play = Policy | Replanned | None  # of a player; None plays to win


class Player:
    """One of two players: a card from which they play, and what they do."""

    def __init__(self, rules: RuleSet, start: State, policy: Play) -> None:
        self.policy = policy
        goals, made = Goals(rules, start), Utility(rules, lambda points: points.astype(np.float64), start)
        self.space = goals.space
        self.turns = self.space.categories - self.space.first_layer  # open boxes at the start
        self.start = self.space.unchecked_index(self.space.start)
        self._most, self._bonuses, self._past = goals.row_lengths(), goals.lane_bonuses(), made.row_lengths()

    def layer(self, turns_left: int, begin: int = 0, end: int | None = None) -> LayerStates:
        """The states with so many open boxes, or those from the place `begin` to before `end`."""
        space, filled = self.space, self.space.categories - turns_left
        layout, rows, states = space.layout, space.layers[filled], space.layer_slice(filled)
        row = np.repeat(rows, layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1))
        lane, _saved = space.lanes_and_saved(row, np.arange(states.start, states.stop))
        most = self._most[row] + self._bonuses[layout.lane_sets[row], lane]
        most, past = np.asarray(most)[begin:end], np.asarray(self._past[row])[begin:end]
        return LayerStates(states.start + begin, len(most), most, past)

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
    """The rest of a game of two players; the first one moves next, and leads by `lead` without upper bonuses.

    `tie`: what a tie counts for the first player; `policies`: what each player follows, None to play to win.
    """

    def __init__(
        self, rules: RuleSet, starts: tuple[State, State] = (EMPTY_STATE, EMPTY_STATE), lead: int = 0,
        tie: float = 0.5, policies: tuple[Play, Play] = (None, None),
    ) -> None:  # fmt: skip
        self.players = Player(rules, starts[0], policies[0]), Player(rules, starts[1], policies[1])
        first, second = (player.turns for player in self.players)
        if first - second not in (0, 1):
            text = _("the player who moves needs as many open boxes as the opponent, or one more")
            raise StateError(text, code="invalid-card")
        self.rules, self.lead, self.tie, self.total = rules, lead, tie, first + second
        self.replanned = [isinstance(policy, Replanned) for policy in policies]
        self.dice = lattice(rules.dice, rules.faces)

    def turns(self) -> Iterator[Turn]:
        """All turns, the last one of the game first."""
        for left in range(1, self.total + 1):
            mover, mine, others = (self.total - left) % 2, -(-left // 2), left // 2
            yield Turn(left, mover, (mine, others) if mover == 0 else (others, mine))

    def lead_of(self, player: int) -> int:
        """The lead of a player at the start."""
        return -self.lead if player else self.lead

    def pairs(self, turn: Turn, begin: int = 0, end: int | None = None) -> tuple[LayerStates, LayerStates]:
        """The states of the player who moves and of the other, or some of the other, before the turn."""
        mover, other = turn.mover, 1 - turn.mover
        return self.players[mover].layer(turn.open[mover]), self.players[other].layer(turn.open[other], begin, end)

    def size(self, turn: Turn, left: int) -> tuple[int, int]:
        """Vectors of leads and bytes of a turn, or of a plan's turn with `left` open boxes of the mover, at most."""
        other = 1 - turn.mover
        size, most, past = self.players[turn.mover].extremes(left)
        others, other_most, other_past = self.players[other].extremes(turn.open[other])
        lead = self.lead_of(turn.mover)  # as if each pair had the longest range of its layers
        number = max(0, min(other_most, lead + past) + min(most, other_past - lead) + 1)
        return size * others * -(-number // SCORE_LANES), size * others * ((number + 2 * FRAME) * 4 + 8)

    def sizes(self, replanned: Sequence[bool]) -> Iterator[tuple[int, int, int]]:
        """Vectors of leads, bytes of the values and bytes of the plans of each turn, at most."""
        for turn in self.turns():
            vectors, values = self.size(turn, turn.open[turn.mover])
            plans = [(0, 0)]
            if replanned[turn.mover]:
                plans += [self.size(turn, left) for left in range(turn.open[turn.mover])]
                vectors = FOLLOWING * vectors + sum(planned for planned, _bytes in plans)
            yield vectors, values, max((a[1] + b[1] for a, b in pairwise(plans)), default=0)

    def cost(self, replanned: Sequence[bool] | None = None) -> SolveCost:
        """What a solve takes, at most; `replanned`: which players plan again, if not those of the game."""
        vectors, values, plans = zip((0, 0, 0), *self.sizes(replanned or self.replanned), strict=True)
        memory = max(map(sum, zip(values[1:], values, plans[1:], strict=False)), default=0)
        seconds = score_turn_seconds(self.rules, sum(vectors) * LANES, 0)
        return SolveCost(sum(vectors) * SCORE_LANES, bytes=memory, memory=BASE_MEMORY + memory, seconds=seconds)

    def places(self, waiting: LayerStates, moved: LayerStates, lead: int) -> tuple[Ints, int]:
        """Where the values of pairs of cards begin, and the last ones end; `lead`: at the start, of who waits."""
        lengths = np.empty(waiting.size * moved.size, np.int64)
        leads.count_leads(waiting, moved, lead, lengths)
        ends = np.cumsum(lengths)
        return ends - lengths, int(ends[-1])

    def layer_places(self, left: int) -> tuple[Ints, int]:
        """The same for the values with so many turns left, 0 for full cards."""
        mover = (self.total - left) % 2
        states = self.players[mover].layer(-(-left // 2)), self.players[1 - mover].layer(left // 2)
        return self.places(*states, self.lead_of(mover))

    def blank(self, waiting: LayerStates, moved: LayerStates, lead: int) -> LeadValues:
        """Room for the values of pairs of cards, with a vector that is loaded with the last ones."""
        place, end = self.places(waiting, moved, lead)
        return LeadValues(np.empty(end + FRAME, np.float32), place)

    def full_cards(self, mover: int, left: int, laws: Floats) -> LeadValues:
        """Values of a full card of `mover`, if the opponent with so many open boxes makes points by these laws."""
        waiting, moved = self.players[1 - mover].layer(left), self.players[mover].layer(0)
        bonuses, found = final_bonus(self.players[mover].space), self.blank(waiting, moved, self.lead_of(1 - mover))
        tie, below = 1 - self.tie if mover else self.tie, np.pad(np.cumsum(laws, axis=1), ((0, 0), (1, 0)))
        for (i, j), place in zip(product(range(waiting.size), range(moved.size)), found.place, strict=True):
            low, high = leads.range_of(moved, j, waiting, i, self.lead_of(mover))
            points = (np.arange(low, high + 1) + int(bonuses[j])).clip(-1, laws.shape[1])
            less, most = below[i, points.clip(0)], below[i, (points + 1).clip(0, laws.shape[1])]
            values = np.pad(less + tie * (most - less), FRAME, constant_values=(0, 1))
            found.values[place : place + len(values)] = values
        return found

    def plan(self, turn: Turn, laws: Floats, in_threads: Any, threads: int) -> LeadValues:
        """The values after a turn if then the mover alone plays on, and the other makes points by these laws."""
        mover, other = self.players[turn.mover], self.pairs(turn)[1]
        found = self.full_cards(turn.mover, turn.open[1 - turn.mover], laws)
        for left in range(1, turn.open[turn.mover]):
            before, below = mover.layer(left), found
            found = self.blank(other, before, self.lead_of(1 - turn.mover))
            target = LeadValues(found.values, found.place.reshape(other.size, before.size).T.ravel())
            self._in_parts((turn.mover, left, other, below, target, True), in_threads, threads)
        return found

    def resume(self, part: Path) -> tuple[int, LeadValues] | None:
        """The newest stored layer: its turns left and its values; None if there is none for this game."""
        values, fields = stored_layer(part, self.rules) or (None, {})
        if values is None or not fields["left"] or fields["tie"] != self.tie:
            return None
        return fields["left"], LeadValues(values, self.layer_places(fields["left"])[0])

    def solve(
        self, threads: int | None = None, progress: Progress | None = None, part: Path | None = None,
        solve_turn: Callable[[Turn, LeadValues], LeadValues] | None = None,
        on_layer: Callable[[int, Floats], None] | None = None,
    ) -> Iterator[LeadValues]:  # fmt: skip
        """The values after the last turn, after the one before, and so on; the last ones are those of the start.

        `part`: the file where the newest layer of a whole game is stored now and then; a stored one is the first.
        `solve_turn` solves a turn in place of threads, from the values after it, which are in `part` then.
        `on_layer` is called with the turns left and the values of each layer.
        """
        threads = threads or default_threads()
        needs = list[list[Any]]()  # of the turns of each player, for each layer
        for policy in (player.policy for player in self.players):
            if isinstance(policy, Replanned):  # the laws of the opponent's points to come, from the full card on
                needs.append([*laws_of_points(policy.opponent, threads)])
            else:  # the ends of the turns, from the start on
                needs.append(ends_of_turns(policy, threads) if policy else [])
        bonuses = final_bonus(self.players[self.total % 2].space).astype(np.int64)  # of who does not move last
        last = self.full_cards((self.total + 1) % 2, 0, np.eye(int(bonuses.max()) + 1)[bonuses])
        begin, values = (part and self.resume(part)) or (0, last)
        on_layer = on_layer or (lambda _left, _values: None)
        on_layer(begin, values.values)
        yield values
        checkpoint = monotonic()
        done = [0, *accumulate(vectors * SCORE_LANES for vectors, *_bytes in self.sizes(self.replanned))]
        with thread_map(threads, "yatzy-versus") as in_threads:
            for turn in [*self.turns()][begin:]:
                if part and (solve_turn or monotonic() - checkpoint >= CHECKPOINT_SECONDS):
                    # A layer that is lost is solved again, but others need the file.
                    with nullcontext() if solve_turn else suppress(TableError):
                        store_layer(part, self.rules, values.values, left=turn.left - 1, tie=self.tie)
                    checkpoint = monotonic()
                if solve_turn:
                    values = solve_turn(turn, values)
                else:
                    values = self._backup(turn, values, needs[turn.mover], in_threads, threads)
                on_layer(turn.left, values.values)
                yield values
                if progress:
                    progress(done[turn.left], done[-1])

    def _backup(self, turn: Turn, below: LeadValues, needs: list[Any], in_threads: Any, threads: int) -> LeadValues:
        """The values before a turn from those after it; `needs`: what :meth:`solve` has found for the mover."""
        player, left = self.players[turn.mover], turn.open[turn.mover]
        before, other = self.pairs(turn)
        target = self.blank(before, other, self.lead_of(turn.mover))
        arguments = turn.mover, left, other, below, target
        if player.policy is None:
            self._in_parts(arguments, in_threads, threads)
        elif isinstance(player.policy, Replanned):
            laws, space = needs[turn.open[1 - turn.mover]], player.space
            plan = self.plan(turn, laws, in_threads, threads).values
            model, most_saved = turn_model(self.rules, space.start), int(space.most_saved[space.categories - left])
            unused = TableSlice(np.empty(PADDING), 0)

            def planned() -> leads.PlannedPlay:
                policy = policy_job(self.dice, model, ScoreEvaluator.ties, most_saved, np.float32)
                return leads.PlannedPlay(plan, EvaluationJob(policy, unused, unused, unused, most_saved, 1.0, 0.0))

            self._in_parts(arguments, in_threads, threads, planned)
        else:
            self._in_parts(arguments, in_threads, threads, lambda: needs[player.turns - left])
        return target

    def part_of_turn(self, turn: Turn, begin: int, end: int, below: Floats) -> Floats:
        """The values before a turn of play to win, against some states of the other, from those after it."""
        number, left = turn.mover, turn.open[turn.mover]
        mover, (before, other) = self.players[number], self.pairs(turn, begin, end)
        children = LeadValues(below, self.blank(other, mover.layer(left - 1), self.lead_of(1 - number)).place)
        target = self.blank(before, other, self.lead_of(number))
        self._in_parts((number, left, other, children, target), map, 1)
        return target.values

    def _in_parts(
        self, arguments: tuple[Any, ...], in_threads: Any, threads: int, player: Callable[[], Any] = leads.BestPlay
    ) -> None:
        """Solve parts of the states of the player who waits; `player` makes the argument of the kernel for one."""
        mover, left, other = arguments[:3]
        jobs = ScratchPool(lambda: (self._job(*arguments), player()))
        space = self.players[mover].space
        size, rows = max(1, other.size // (TASKS * threads)), space.layers[space.categories - left]

        def call(begin: int) -> None:
            with jobs.borrow() as (job, who):
                leads.solve_leads(begin, min(begin + size, other.size), rows, job, who)

        for _done in in_threads(call, range(0, other.size, size)):
            pass

    def _job(
        self, number: int, left: int, other: LayerStates, below: LeadValues, target: LeadValues, is_plan: bool = False
    ) -> LeadJob:
        """The arguments of the kernels for one thread, for a turn of a player with so many open boxes."""
        mover = self.players[number]
        model, before, after = turn_model(self.rules, mover.space.start), mover.layer(left), mover.layer(left - 1)
        passes, most_saved = kernel_lattice(self.dice), int(mover.space.most_saved[mover.space.categories - left])
        scratch, lead = make_scratch(self.dice, model, np.float32), self.lead_of(number)
        ranges = ScoreOffsets(*(np.empty(after.size, np.int64) for _ in ScoreOffsets._fields))
        origin, high = np.empty(before.size, np.int64), np.empty(before.size, np.int64)
        states = before, after, other
        places = ranges, origin, high
        return LeadJob(model, passes, most_saved, scratch, *states, lead, is_plan, below, target, *places)

    def start_chances(self, turn: Turn, mine: int, theirs: int, values: LeadValues) -> tuple[int, int, Floats]:
        """The first and the last lead at the start of a turn, and the chances, with the known values on both sides.

        `mine`, `theirs`: places of the cards in their layers; `values`: of the layer, where the mover waits.
        """
        before, other = self.pairs(turn)
        low, high = leads.range_of(before, mine, other, theirs, self.lead_of(turn.mover))
        place = int(values.place[mine * other.size + theirs])
        return low, high, np.asarray(1 - values.values[place : place + high - low + 1 + 2 * FRAME][::-1])

    def turn_values(
        self, turn: Turn, mine: int, theirs: int, children: Ints, start: LeadValues, after: LeadValues
    ) -> tuple[ScoreOffsets, Floats]:
        """The values of the start of a turn, and before them those of its children, with their places."""
        other, moved = self.pairs(turn)[1], self.players[turn.mover].layer(turn.open[turn.mover] - 1)
        low, high, chances = self.start_chances(turn, mine, theirs, start)
        ranges, pieces = list[tuple[int, int]](), list[Floats]()
        for child in children.tolist():
            ranges.append(leads.range_of(moved, child, other, theirs, self.lead_of(turn.mover)))
            place = int(after.place[theirs * moved.size + child])
            pieces.append(after.values[place : place + ranges[-1][1] - ranges[-1][0] + 1 + 2 * FRAME])
        lows, highs = np.array([*ranges, (low, high)], np.int64).T
        begins = np.cumsum([0, *map(len, pieces)])
        return ScoreOffsets(begins + FRAME - lows, lows, highs), np.concatenate([*pieces, chances])

    def chance(
        self, threads: int | None = None, progress: Progress | None = None, part: Path | None = None,
        solve_turn: Callable[[Turn, LeadValues], LeadValues] | None = None,
        on_layer: Callable[[int, Floats], None] | None = None,
    ) -> float:  # fmt: skip
        """The chance of the first player at the start; see :meth:`solve`."""
        found = self.solve(threads, progress, part, solve_turn, on_layer)
        (values,) = deque(found, maxlen=1)  # no layer is kept longer than it is needed
        if part and not on_layer:
            part.unlink(missing_ok=True)
        low, _high, chances = self.start_chances(self.first_turn, *self.start_places, values)
        return float(chances[min(max(self.lead - low + FRAME, 0), len(chances) - 1)])

    @property
    def first_turn(self) -> Turn:
        """The turn at the start."""
        return Turn(self.total, 0, (self.players[0].turns, self.players[1].turns))

    @property
    def start_places(self) -> tuple[int, int]:
        """Places of the two cards in their layers."""
        first, second = (player.start - player.layer(player.turns).first for player in self.players)
        return first, second


class LeadEvaluator(ScoreEvaluator):
    """Evaluates the first turn of a game of two players; the scores of the base class are leads.

    The ranges of leads depend on the card of the opponent.
    """

    def __init__(self, game: TwoPlayerGame, means: TurnEvaluator, offsets: ScoreOffsets, values: Floats) -> None:
        mover = game.players[0]
        super().__init__(Goals(game.rules, mover.space.start), values, means)
        after = mover.layer(mover.turns - 1)
        states = np.append(after.first + np.arange(after.size), mover.start)
        self.score_offsets = ScoreOffsets(*(np.zeros(mover.space.size, np.int64) for _ in ScoreOffsets._fields))
        for places, found in zip(self.score_offsets, offsets, strict=True):
            places[states] = found  # no other state has values


def solved_turn(
    game: TwoPlayerGame, threads: int | None = None, progress: Progress | None = None
) -> tuple[ScoreOffsets, Floats]:
    """The values of the first turn of a game, solved."""
    after, start = deque(game.solve(threads, progress), maxlen=2)
    mover = game.players[0]
    children = np.arange(mover.layer(mover.turns - 1).size)
    return game.turn_values(game.first_turn, *game.start_places, children, start, after)
