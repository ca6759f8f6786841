"""The exact chance to win a game of two players who know both cards and the lead.

The players take turns. For the cards A of the player who moves and B of the other, and the lead d::

    U(A, B, d) = E over the turn of A of  max over actions  1 - U(B, A', -(d + points))

A turn of all pairs of cards needs only the pairs after it, so that two layers are in memory
(:mod:`perfect_yatzy.two_players.leads_kernel`). A player may also follow a policy that ignores the
opponent. The best play of the other is then a best response. Chances are float32, with an error
below 2e-6. References: Pawlewicz, "Nearly optimal computer play in multi-player Yahtzee" (2010),
for the joint state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from .._files import discard
from .._sources import sources_of_values
from ..core.dice import Floats, Ints, lattice
from ..core.lanes import ceil_div
from ..core.lattice import kernel_lattice
from ..core.objectives import final_bonus
from ..core.resources import ScratchPool, thread_count, thread_map
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..core.state_space import LANES
from ..core.table_slices import FRAME, PADDING, TableSlice
from ..core.turn import make_scratch
from ..core.turn_model import turn_model
from ..errors import StateError, TableError
from ..objectives.policy_evaluation_kernel import EvaluationJob
from ..objectives.policy_kernel import policy_job
from ..objectives.policy_quantities import Policy
from ..objectives.score_places import ScoreOffsets, new_offsets
from ..objectives.scores import Goals
from ..settings import Settings
from ..strategy.forward_pass import ends_of_turns, laws_of_points
from ..strategy.score_distribution import score_places
from ..strategy.turn_evaluator import ScoreEvaluator, TurnEvaluator
from ..tablebase.checkpoint import CHECKPOINT_SECONDS, store_layer, stored_layer
from ..tablebase.estimates import BASE_MEMORY, SolveCost, score_turn_seconds
from ..tablebase.work_identity import WorkIdentity
from ..words import _
from . import leads_kernel as leads
from .leads_kernel import LayerStates, LeadJob, LeadValues

SCORE_LANES = 2 * LANES  # leads in a vector of float32
TASKS = 8  # parts of a turn for each thread
FOLLOWING = 6  # times as long as a turn of best play: a turn that follows a plan


@dataclass(frozen=True)
class Replanned:
    """A player who plays each turn as if the opponent followed a policy.

    That is the best response to the distribution of the opponent's final score, as if the opponent
    would not be seen again. The next turn has a new distribution.
    """

    # what the opponent is supposed to follow, from the card of the opponent on
    opponent: Policy


Play = Policy | Replanned | None  # what a player follows, or None for best play to win


class Extremes(NamedTuple):
    """Bounds on the states of a player with a given number of open boxes."""

    states: int  # how many there are
    to_come: int  # the most points that one has to come
    made: int  # the most points that one has made


class Player:
    """One of two players: the card from which they play, and what they follow."""

    def __init__(self, rules: RuleSet, start: State, policy: Play) -> None:
        goals = Goals(rules, start)
        self.policy = policy
        self.space = goals.space
        self.turns = self.space.categories - self.space.first_layer  # open boxes at the start
        self.start = self.space.unchecked_index(self.space.start)  # number of the state
        self._most = goals.row_lengths()  # most points to come, by row, without the upper bonus
        self._bonuses = goals.lane_bonuses()  # highest upper bonus to come, by lane set and lane
        # most points made since the start, by row, without the upper bonus
        self._past = score_places(rules, start).row_lengths()

    def layer(self, turns_left: int, begin: int = 0, end: int | None = None) -> LayerStates:
        """Return the states with so many open boxes, from the place `begin` to before `end`."""
        space = self.space
        filled = space.categories - turns_left
        layout = space.layout
        rows = space.layers[filled]
        states = space.layer_slice(filled)
        states_of_row = layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1)
        row = np.repeat(rows, states_of_row)  # by state
        lane, _saved = space.lanes_and_saved(row, np.arange(states.start, states.stop))
        most = self._most[row] + self._bonuses[layout.lane_sets[row], lane]
        most = np.asarray(most)[begin:end]
        past = np.asarray(self._past[row])[begin:end]
        return LayerStates(states.start + begin, len(most), most, past)

    def extremes(self, turns_left: int) -> Extremes:
        """Return bounds on the states with so many open boxes."""
        space = self.space
        filled = space.categories - turns_left
        rows = space.layers[filled]
        states = space.layer_slice(filled)
        most = self._most[rows] + self._bonuses[space.layout.lane_sets[rows]].max(axis=1)
        return Extremes(states.stop - states.start, int(most.max()), int(self._past[rows].max()))


@dataclass(frozen=True)
class TwoPlayerTurn:
    """One turn of the game, seen from the end."""

    left: int  # turns of both players left, this one included
    mover: int  # 0 or 1
    open: tuple[int, int]  # open boxes of each player before it


class Mover(NamedTuple):
    """The player whose turn it is, and the open boxes before the turn."""

    player: int  # 0 or 1
    mine: int  # open boxes of that player
    others: int  # open boxes of the other


@dataclass(frozen=True)
class TurnSize:
    """What the solve of a turn takes, at most."""

    vectors: int = 0  # of leads
    values: int = 0  # bytes of the values before the turn
    plans: int = 0  # bytes of the two layers of a plan that are in memory together


class LeadChances(NamedTuple):
    """The chances of a player by its lead."""

    low: int  # the first lead
    high: int  # the last lead
    # (FRAME + high - low + 1 + FRAME,): with FRAME known values on either side
    chances: Floats


@dataclass(frozen=True)
class Backup:
    """The solve of one turn, from the values after it: a player moves, the other waits."""

    mover: int  # 0 or 1
    left: int  # open boxes of the mover before the turn
    other: LayerStates  # states of the player who waits
    below: LeadValues  # after the turn
    target: LeadValues  # written: before the turn
    is_plan: bool = False  # whether only this player moves (:class:`.LeadJob`)


def pair_values(values: LeadValues, pair: int, low: int, high: int) -> Floats:
    """Return the values of one pair, with FRAME known values on either side.

    They are the chances of the player who has moved, by its lead.
    """
    begin = int(values.place[pair])
    return values.values[begin : begin + FRAME + (high - low + 1) + FRAME]


class TwoPlayerGame:
    """The rest of a game of two players, of whom the first one moves next.

    The first player leads by `lead` points without upper bonuses, and a tie counts `tie` for it.
    `policies` are what each player follows, with None for play to win. If `starts` are earlier
    cards, `turns` says how many turns each player has left, and all cards that follow with so many
    open boxes are solved.
    """

    def __init__(  # noqa: PLR0913 - what a game of two is
        self,
        rules: RuleSet,
        starts: tuple[State, State] = (EMPTY_STATE, EMPTY_STATE),
        lead: int = 0,
        tie: float = 0.5,
        policies: tuple[Play, Play] = (None, None),
        turns: tuple[int, int] | None = None,
    ) -> None:
        self.players = Player(rules, starts[0], policies[0]), Player(rules, starts[1], policies[1])
        first, second = turns or (self.players[0].turns, self.players[1].turns)
        if first - second not in (0, 1):
            text = _("the player who moves needs as many open boxes as the opponent, or one more")
            raise StateError(text, code="invalid-card")
        self.rules = rules
        self.lead = lead
        self.tie = tie
        self.total = first + second  # turns
        self.first_turn = TwoPlayerTurn(self.total, 0, (first, second))
        self.replanned = [isinstance(policy, Replanned) for policy in policies]
        self.dice = lattice(rules.dice, rules.faces)

    def turns(self) -> Iterator[TwoPlayerTurn]:
        """Yield all turns, beginning with the last one of the game."""
        for left in range(1, self.total + 1):
            mover, mine, others = self._who_moves(left)
            yield TwoPlayerTurn(left, mover, (mine, others) if mover == 0 else (others, mine))

    def _who_moves(self, left: int) -> Mover:
        """Return who moves with `left` turns left of both players together."""
        # If the number of turns is odd, the mover has one more than the other.
        return Mover(player=(self.total - left) % 2, mine=(left + 1) // 2, others=left // 2)

    def lead_of(self, player: int) -> int:
        """Return the lead of a player at the start."""
        return -self.lead if player else self.lead

    def sides(
        self, turn: TwoPlayerTurn, begin: int = 0, end: int | None = None
    ) -> tuple[LayerStates, LayerStates]:
        """Return the states of the player who moves, and those of the other, before the turn.

        `begin` and `end` cut the states of the other player.
        """
        mover = turn.mover
        waiting = 1 - turn.mover
        movers_states = self.players[mover].layer(turn.open[mover])
        others_states = self.players[waiting].layer(turn.open[waiting], begin, end)
        return movers_states, others_states

    def size(self, turn: TwoPlayerTurn, left: int) -> TurnSize:
        """Return what a turn takes without its plan, or one turn of the plan.

        `left` is the number of open boxes of the mover.
        """
        other = 1 - turn.mover
        lead = self.lead_of(turn.mover)
        mine = self.players[turn.mover].extremes(left)
        theirs = self.players[other].extremes(turn.open[other])
        # Each pair counts as if it had the longest range of the two layers. The range of one pair
        # is that of :func:`.leads.range_of`.
        low = -min(mine.to_come, theirs.made - lead)
        high = min(theirs.to_come, lead + mine.made)
        length = max(0, high - low + 1)
        pairs = mine.states * theirs.states
        bytes_of_pair = (length + 2 * FRAME) * 4 + 8  # of float32, and of its place
        return TurnSize(pairs * ceil_div(length, SCORE_LANES), pairs * bytes_of_pair)

    def sizes(self, replanned: Sequence[bool]) -> Iterator[TurnSize]:
        """Yield what each turn takes, beginning with the last one of the game.

        `replanned` says which players plan each turn again.
        """
        for turn in self.turns():
            size = self.size(turn, turn.open[turn.mover])
            if replanned[turn.mover]:
                plan = [
                    TurnSize(),
                    *(self.size(turn, left) for left in range(turn.open[turn.mover])),
                ]
                vectors = FOLLOWING * size.vectors + sum(layer.vectors for layer in plan)
                # Two layers of the plan are in memory together.
                together = max(below.values + above.values for below, above in pairwise(plan))
                size = TurnSize(vectors, size.values, together)
            yield size

    def cost(self, replanned: Sequence[bool] | None = None) -> SolveCost:
        """Return what a solve takes at most.

        `replanned` says which players plan each turn again, if not those of the game.
        """
        sizes = [*self.sizes(replanned or self.replanned)]
        vectors = sum(size.vectors for size in sizes)
        # The last turn comes first, so each comes after the one that follows it in the game.
        turns = pairwise([TurnSize(), *sizes])
        memory = max(
            (turn.values + turn.plans + following.values for following, turn in turns), default=0
        )
        seconds = score_turn_seconds(self.rules, vectors * LANES, 0)
        return SolveCost(
            vectors * SCORE_LANES, bytes=memory, memory=BASE_MEMORY + memory, seconds=seconds
        )

    def places(self, waiting: LayerStates, moved: LayerStates, lead: int) -> tuple[Ints, int]:
        """Return where the values of each pair of cards begin, and where the last ones end.

        `lead` is the lead of the player who waits, at the start.
        """
        lengths = np.empty(waiting.size * moved.size, np.int64)
        leads.count_leads(waiting, moved, lead, lengths)
        ends = np.cumsum(lengths)
        return ends - lengths, int(ends[-1])

    def layer_places(self, left: int) -> tuple[Ints, int]:
        """Return the :meth:`places` of the values with `left` turns left, 0 for full cards."""
        mover, mine, others = self._who_moves(left)
        # Before a turn the mover waits, and the other has moved.
        waiting, moved = self.players[mover].layer(mine), self.players[1 - mover].layer(others)
        return self.places(waiting, moved, self.lead_of(mover))

    def blank(self, waiting: LayerStates, moved: LayerStates, lead: int) -> LeadValues:
        """Return room for the values of pairs of cards.

        It has room for the end of a vector that begins within the last ones, too.
        """
        place, end = self.places(waiting, moved, lead)
        return LeadValues(np.empty(end + FRAME, np.float32), place)

    def full_cards(self, mover: int, left: int, to_come: Floats) -> LeadValues:
        """Return the values where the card of `mover` is full and only the other player plays on.

        The other has `left` open boxes, and `to_come` holds the chances of the other's points to
        come, `(waiting cards, points)`.
        """
        waiting, moved = self.players[1 - mover].layer(left), self.players[mover].layer(0)
        bonuses = final_bonus(self.players[mover].space)
        values = self.blank(waiting, moved, self.lead_of(1 - mover))
        tie = 1 - self.tie if mover else self.tie  # what it counts for `mover`
        most = to_come.shape[1]
        # chance of fewer than n points, for n from 0 to `most`
        fewer = np.pad(np.cumsum(to_come, axis=1), ((0, 0), (1, 0)))
        pairs = product(range(waiting.size), range(moved.size))
        for (theirs, mine), place in zip(pairs, values.place, strict=True):
            low, high = leads.range_of(moved, mine, waiting, theirs, self.lead_of(mover))
            # It is a tie if the other makes so many points.
            ahead = np.arange(low, high + 1) + int(bonuses[mine])
            wins = fewer[theirs, ahead.clip(0, most)]
            wins_or_ties = fewer[theirs, (ahead + 1).clip(0, most)]
            # The leads beside the range are lost or won.
            chances = np.pad(wins + tie * (wins_or_ties - wins), FRAME, constant_values=(0, 1))
            values.values[place : place + len(chances)] = chances
        return values

    def plan(
        self, turn: TwoPlayerTurn, to_come: Floats, in_threads: Any, threads: int
    ) -> LeadValues:
        """Return the values after a turn if only the mover plays on.

        `to_come` is that of :meth:`full_cards`.
        """
        mover = self.players[turn.mover]
        _mine, other = self.sides(turn)
        values = self.full_cards(turn.mover, turn.open[1 - turn.mover], to_come)
        for left in range(1, turn.open[turn.mover]):
            before = mover.layer(left)
            below = values
            values = self.blank(other, before, self.lead_of(1 - turn.mover))
            # The other still waits after this turn, but a backup writes pairs in the order (mover,
            # other).
            place = values.place.reshape(other.size, before.size).T.ravel()
            target = LeadValues(values.values, place)
            backup = Backup(turn.mover, left, other, below, target, is_plan=True)
            self._solve(backup, in_threads, threads)
        return values

    @property
    def identity(self) -> WorkIdentity:
        """The identity of the solve of a whole game."""
        sources = sources_of_values(__file__)
        return WorkIdentity.of(self.rules, "versus", {"tie": self.tie}, sources)

    def resume(self, part: Path) -> tuple[int, LeadValues] | None:
        """Return the turns left and the values of the newest stored layer, or None.

        None means that no layer of this game is stored.
        """
        stored = stored_layer(part, self.identity)
        if stored is None:
            return None
        values, fields = stored
        left = fields["left"]
        if not left:  # that of full cards, which takes no time
            return None
        return left, LeadValues(values, self.layer_places(left)[0])

    def solve(
        self,
        settings: Settings,
        part: Path | None = None,
        solve_turn: Callable[[TwoPlayerTurn, LeadValues], LeadValues] | None = None,
    ) -> Iterator[tuple[int, LeadValues]]:
        """Yield the turns left and the values after each turn, from the last turn to the start.

        `part` is the file where the newest layer of a whole game is stored now and then. If a layer
        is stored there, it comes first. `solve_turn` solves a turn, in place of threads, from the
        values after it, which are in `part` then.
        """
        threads = thread_count(settings.threads)
        needs = [self._needs(settings, player.policy) for player in self.players]
        stored = self.resume(part) if part else None
        # The values are those before the turns that are solved already.
        begin, values = stored or (0, self._all_full())
        yield begin, values
        checkpoint = monotonic()
        work_of_turns = (size.vectors * SCORE_LANES for size in self.sizes(self.replanned))
        work_done = [0, *accumulate(work_of_turns)]  # after each number of turns
        with thread_map(threads, "yatzy-versus") as in_threads:
            for turn in [*self.turns()][begin:]:
                is_due = solve_turn or monotonic() - checkpoint >= CHECKPOINT_SECONDS
                if part and is_due:
                    try:
                        store_layer(part, self.identity, values.values, left=turn.left - 1)
                    # The layer can be solved again, unless others need the file now.
                    except TableError:
                        if solve_turn:
                            raise
                    checkpoint = monotonic()
                if solve_turn:
                    values = solve_turn(turn, values)
                else:
                    values = self._backup(turn, values, needs[turn.mover], in_threads, threads)
                yield turn.left, values
                if settings.progress:
                    settings.progress(work_done[turn.left], work_done[-1])

    def _needs(self, settings: Settings, policy: Play) -> list[Any]:
        """Return what :meth:`_backup` needs of the policy of the mover.

        For play to win it is nothing. For a replanned player it is the distributions of the
        opponent's points to come, by the number of the opponent's open boxes, and for a policy the
        ends of its turns, by the number of turns that it has played since the start.
        """
        if policy is None:
            return []
        if isinstance(policy, Replanned):
            return [*laws_of_points(settings.reporting(None), policy.opponent)]
        return ends_of_turns(settings.reporting(None), policy)

    def _all_full(self) -> LeadValues:
        """Return the values of two full cards.

        Only the upper bonus of the player who does not move last is to come, for certain.
        """
        last = self._who_moves(1).player
        bonuses = final_bonus(self.players[1 - last].space).astype(np.int64)
        certain = np.eye(int(bonuses.max()) + 1)  # row n: the distribution of exactly n points
        return self.full_cards(last, 0, certain[bonuses])

    def _backup(
        self,
        turn: TwoPlayerTurn,
        below: LeadValues,
        needs: list[Any],
        in_threads: Any,
        threads: int,
    ) -> LeadValues:
        """Return the values before a turn from those after it.

        `needs` are those of the mover (:meth:`_needs`).
        """
        player = self.players[turn.mover]
        left = turn.open[turn.mover]
        before, other = self.sides(turn)
        target = self.blank(before, other, self.lead_of(turn.mover))
        backup = Backup(turn.mover, left, other, below, target)
        if player.policy is None:
            self._solve(backup, in_threads, threads)
        elif isinstance(player.policy, Replanned):
            to_come = needs[turn.open[1 - turn.mover]]
            plan = self.plan(turn, to_come, in_threads, threads).values
            space = player.space
            unused = TableSlice(np.empty(PADDING), 0)
            model = turn_model(self.rules, space.start)
            most_saved = int(space.most_saved[space.categories - left])

            def planned() -> leads.PlannedPlay:
                policy = policy_job(self.dice, model, ScoreEvaluator.ties, most_saved, np.float32)
                return leads.PlannedPlay(
                    plan, EvaluationJob(policy, unused, unused, unused, most_saved, 1.0, 0.0)
                )

            self._solve(backup, in_threads, threads, planned)
        else:
            ends = needs[player.turns - left]
            self._solve(backup, in_threads, threads, lambda: ends)
        return backup.target

    def part_of_turn(self, turn: TwoPlayerTurn, begin: int, end: int, below: Floats) -> Floats:
        """Return the values before a turn of play to win, from those after it.

        They are the values against the states of the other player from the place `begin` to before
        `end`.
        """
        number = turn.mover
        left = turn.open[number]
        before, other = self.sides(turn, begin, end)
        after = self.players[number].layer(left - 1)
        children = LeadValues(below, self.places(other, after, self.lead_of(1 - number))[0])
        target = self.blank(before, other, self.lead_of(number))
        self._solve(Backup(number, left, other, children, target), map, 1)
        return target.values

    def _solve(
        self,
        backup: Backup,
        in_threads: Any,
        threads: int,
        play: Callable[[], Any] = leads.BestPlay,
    ) -> None:
        """Solve a turn by parts of the states of the player who waits.

        `play` makes the player of the kernel for a thread.
        """
        other = backup.other
        space = self.players[backup.mover].space
        jobs = ScratchPool(lambda: (self._job(backup), play()))
        size = max(1, other.size // (TASKS * threads))
        rows = space.layers[space.categories - backup.left]

        def call(begin: int) -> None:
            with jobs.borrow() as (job, player):
                leads.solve_leads(begin, min(begin + size, other.size), rows, job, player)

        for _done in in_threads(call, range(0, other.size, size)):
            pass

    def _job(self, backup: Backup) -> LeadJob:
        """Return the arguments of the kernels for one thread."""
        mover = self.players[backup.mover]
        model = turn_model(self.rules, mover.space.start)
        before, after = mover.layer(backup.left), mover.layer(backup.left - 1)
        return LeadJob(
            model=model,
            lattice=kernel_lattice(self.dice),
            scratch=make_scratch(self.dice, model, np.float32),
            most_saved=int(mover.space.most_saved[mover.space.categories - backup.left]),
            before=before,
            after=after,
            other=backup.other,
            lead=self.lead_of(backup.mover),
            is_plan=backup.is_plan,
            below=backup.below,
            target=backup.target,
            ranges=new_offsets(after.size),
            target_origin=np.empty(before.size, np.int64),
            target_high=np.empty(before.size, np.int64),
        )

    def start_chances(
        self, turn: TwoPlayerTurn, mine: int, theirs: int, values: LeadValues
    ) -> LeadChances:
        """Return the chances of the mover before a turn, by its lead.

        `mine` and `theirs` are the places of the cards of the mover and the other in their layers,
        and `values` are those before the turn.
        """
        before, other = self.sides(turn)
        low, high = leads.range_of(before, mine, other, theirs, self.lead_of(turn.mover))
        # The values before a turn are the chances of the other, who moved last, by its lead. The
        # chances of the mover are their complements in reverse order.
        others = pair_values(values, mine * other.size + theirs, low, high)
        return LeadChances(low, high, np.asarray(1 - others[::-1]))

    def turn_values(
        self,
        turn: TwoPlayerTurn,
        places: tuple[int, int],
        children: Ints,
        start: LeadValues,
        after: LeadValues,
    ) -> tuple[ScoreOffsets, Floats]:
        """Return the chances of the mover, by its lead, after and before a turn.

        The chances are those after a turn with each of `children` and, last, those before the turn.
        `places` are those of the cards of the mover and of the other in their layers, and
        `children` those of cards of the mover after the turn. `start` and `after` are the values
        before and after the turn. The offsets say where each card has its chances.
        """
        mine, theirs = places
        _before, other = self.sides(turn)
        moved = self.players[turn.mover].layer(turn.open[turn.mover] - 1)
        ranges = list[tuple[int, int]]()
        chances = list[Floats]()
        for child in children.tolist():
            low, high = leads.range_of(moved, child, other, theirs, self.lead_of(turn.mover))
            ranges.append((low, high))
            # These are chances of the mover, who moved last.
            chances.append(pair_values(after, theirs * moved.size + child, low, high))
        low, high, at_start = self.start_chances(turn, mine, theirs, start)
        lows, highs = np.array([*ranges, (low, high)], np.int64).T
        # The chance at lead d is at origin + d.
        origins = np.cumsum([0, *map(len, chances)]) + FRAME - lows
        return ScoreOffsets(origins, lows, highs), np.concatenate([*chances, at_start])

    def chance(
        self,
        settings: Settings,
        part: Path | None = None,
        solve_turn: Callable[[TwoPlayerTurn, LeadValues], LeadValues] | None = None,
        on_layer: Callable[[int, Floats], None] | None = None,
    ) -> float:
        """Return the chance of the first player at the start.

        `part` and `solve_turn` are those of :meth:`solve`. `on_layer` is called with each layer.
        """
        for left, layer in self.solve(settings, part, solve_turn):
            if on_layer:
                on_layer(left, layer.values)
            values_at_start = layer  # in the end: the last layer is that of the start
        if part and not on_layer:
            discard(part)
        low, _high, chances = self.start_chances(
            self.first_turn, *self.start_places, values_at_start
        )
        # A lead beyond all that have a chance counts as the nearest one.
        place = FRAME + self.lead - low
        nearest = min(max(place, 0), len(chances) - 1)
        return float(chances[nearest])

    @property
    def start_places(self) -> tuple[int, int]:
        """The places of the two cards in their layers."""
        first, second = (player.start - player.layer(player.turns).first for player in self.players)
        return first, second


class LeadEvaluator(ScoreEvaluator):
    """An evaluator of the first turn of a game of two.

    Scores are leads, whose ranges depend on the opponent's card.
    """

    def __init__(
        self, game: TwoPlayerGame, means: TurnEvaluator, offsets: ScoreOffsets, values: Floats
    ) -> None:
        mover = game.players[0]
        super().__init__(Goals(game.rules, mover.space.start), values, means)
        after = mover.layer(mover.turns - 1)
        # in the order of the offsets given
        states = np.append(after.first + np.arange(after.size), mover.start)
        self.score_offsets = new_offsets(mover.space.size, np.zeros)
        for of_all, given in zip(self.score_offsets, offsets, strict=True):
            of_all[states] = given  # no other state has values


def solved_turn(settings: Settings, game: TwoPlayerGame) -> tuple[ScoreOffsets, Floats]:
    """Solve a game, and return the values of its first turn.

    They have the form of :meth:`TwoPlayerGame.turn_values`.
    """
    (_, after), (_, start) = deque(game.solve(settings), maxlen=2)  # the last two layers
    mover = game.players[0]
    children = np.arange(mover.layer(mover.turns - 1).size)
    return game.turn_values(game.first_turn, game.start_places, children, start, after)
