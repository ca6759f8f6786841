"""Two players, exactly: the chance to win when both know both cards and the lead.

The players take turns. For the cards A of the player who moves and B of the other, and the lead d::

    U(A, B, d) = E over the turn of A of  max over actions  1 - U(B, A', -(d + points))

A turn of all pairs of cards needs the pairs after it alone, so that two layers are in memory
(:mod:`perfect_yatzy.two_players.leads_kernel`). A player may also follow a policy that ignores the
opponent; against it the best play of the other is a best response. Chances are float32; their error
is below 2e-6. References: Pawlewicz, "Nearly optimal computer play in multi-player Yahtzee" (2010),
for the joint state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from pathlib import Path
from time import monotonic
from typing import Any

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
from ..objectives.score_places import ScoreOffsets
from ..objectives.scores import Goals, Utility
from ..settings import Settings
from ..strategy.forward_pass import ends_of_turns, laws_of_points
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
    """A player who plays each turn as if the opponent followed a policy and would not be seen
    again.

    That is the best response to the distribution of the opponent's final score; the next turn has a
    new one.
    """

    opponent: Policy  # what the opponent is taken for; its start is the card of the opponent


Play = Policy | Replanned | None  # of a player; None plays to win


class Player:
    """One of two players: a card from which they play, and what they do."""

    def __init__(self, rules: RuleSet, start: State, policy: Play) -> None:
        goals = Goals(rules, start)
        utility = Utility(rules, lambda points: points.astype(np.float64), start)
        self.policy, self.space = policy, goals.space
        self.turns = self.space.categories - self.space.first_layer  # open boxes at the start
        self.start = self.space.unchecked_index(self.space.start)  # number of the state
        self._most = goals.row_lengths()  # most points to come, by row, without the upper bonus
        self._bonuses = goals.lane_bonuses()  # highest upper bonus to come, by lane set and lane
        # most points made since the start, by row, without the upper bonus
        self._past = utility.row_lengths()

    def layer(self, turns_left: int, begin: int = 0, end: int | None = None) -> LayerStates:
        """The states with so many open boxes, or those from the place `begin` to before `end`."""
        space, filled = self.space, self.space.categories - turns_left
        layout, rows, states = space.layout, space.layers[filled], space.layer_slice(filled)
        # by state
        row = np.repeat(
            rows, layout.lane_count[layout.lane_sets[rows]] * (space.most_saved[filled] + 1)
        )
        lane, _saved = space.lanes_and_saved(row, np.arange(states.start, states.stop))
        most = np.asarray(self._most[row] + self._bonuses[layout.lane_sets[row], lane])[begin:end]
        return LayerStates(
            states.start + begin, len(most), most, np.asarray(self._past[row])[begin:end]
        )

    def extremes(self, turns_left: int) -> tuple[int, int, int]:
        """Number of states with so many open boxes; the most points that one has to come, and
        has made.
        """
        space, filled = self.space, self.space.categories - turns_left
        rows, states = space.layers[filled], space.layer_slice(filled)
        most = self._most[rows] + self._bonuses[space.layout.lane_sets[rows]].max(axis=1)
        return states.stop - states.start, int(most.max()), int(self._past[rows].max())


@dataclass(frozen=True)
class TwoPlayerTurn:
    """One turn of the game, seen from the end."""

    left: int  # turns of both players left, this one included
    mover: int  # 0 or 1
    open: tuple[int, int]  # open boxes of each player before it


@dataclass(frozen=True)
class TurnSize:
    """What the solve of a turn takes, at most."""

    vectors: int = 0  # of leads
    values: int = 0  # bytes of the values before the turn
    plans: int = 0  # bytes of the two layers of a plan that are in memory together


@dataclass(frozen=True)
class Backup:
    """The solve of one turn, from the values after it: a player moves, the other waits."""

    mover: int  # 0 or 1
    left: int  # open boxes of the mover before the turn
    other: LayerStates  # states of the player who waits
    below: LeadValues  # after the turn
    target: LeadValues  # before the turn; written
    is_plan: bool = False  # whether only this player moves (:class:`.LeadJob`)


def pair_values(values: LeadValues, pair: int, low: int, high: int) -> Floats:
    """The values of one pair, FRAME known ones on either side: chances of the player who has
    moved, by its lead.
    """
    begin = int(values.place[pair])
    return values.values[begin : begin + FRAME + (high - low + 1) + FRAME]


class TwoPlayerGame:
    """The rest of a game of two players; the first one moves next, and leads by `lead` without
    upper bonuses.

    `tie`: what a tie counts for the first player; `policies`: what each player follows, None to
    play to win; `turns`: how many each has left, if `starts` are earlier cards, of which all that
    follow with so many open boxes are solved.
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
        self.rules, self.lead, self.tie, self.total = rules, lead, tie, first + second
        self.first_turn = TwoPlayerTurn(self.total, 0, (first, second))
        self.replanned = [isinstance(policy, Replanned) for policy in policies]
        self.dice = lattice(rules.dice, rules.faces)

    def turns(self) -> Iterator[TwoPlayerTurn]:
        """All turns, the last one of the game first."""
        for left in range(1, self.total + 1):
            mover, mine, others = self._who_moves(left)
            yield TwoPlayerTurn(left, mover, (mine, others) if mover == 0 else (others, mine))

    def _who_moves(self, left: int) -> tuple[int, int, int]:
        """The player whose turn it is with so many turns left; open boxes of that player, and of
        the other.
        """
        # of an odd number the mover has one more
        return (
            (self.total - left) % 2,
            (left + 1) // 2,
            left // 2,
        )

    def lead_of(self, player: int) -> int:
        """The lead of a player at the start."""
        return -self.lead if player else self.lead

    def pairs(
        self, turn: TwoPlayerTurn, begin: int = 0, end: int | None = None
    ) -> tuple[LayerStates, LayerStates]:
        """The states of the player who moves and of the other, or some of the other, before the
        turn.
        """
        mover, other = turn.mover, 1 - turn.mover
        return self.players[mover].layer(turn.open[mover]), self.players[other].layer(
            turn.open[other], begin, end
        )

    def size(self, turn: TwoPlayerTurn, left: int) -> TurnSize:
        """What a turn takes without its plan; or a turn of the plan, with `left` open boxes of
        the mover.
        """
        other, lead = 1 - turn.mover, self.lead_of(turn.mover)
        size, most, past = self.players[turn.mover].extremes(left)
        others, other_most, other_past = self.players[other].extremes(turn.open[other])
        # As if each pair had the longest range of the two layers; :func:`.leads.range_of` has that
        # of one pair.
        low, high = -min(most, other_past - lead), min(other_most, lead + past)
        length, pairs = max(0, high - low + 1), size * others
        bytes_of_pair = (length + 2 * FRAME) * 4 + 8  # of float32, and of its place
        return TurnSize(pairs * ceil_div(length, SCORE_LANES), pairs * bytes_of_pair)

    def sizes(self, replanned: Sequence[bool]) -> Iterator[TurnSize]:
        """What each turn takes, the last one of the game first; `replanned`: which players plan
        again.
        """
        for turn in self.turns():
            size = self.size(turn, turn.open[turn.mover])
            if replanned[turn.mover]:
                plan = [
                    TurnSize(),
                    *(self.size(turn, left) for left in range(turn.open[turn.mover])),
                ]
                vectors = FOLLOWING * size.vectors + sum(layer.vectors for layer in plan)
                # two layers
                together = max(below.values + above.values for below, above in pairwise(plan))
                size = TurnSize(vectors, size.values, together)
            yield size

    def cost(self, replanned: Sequence[bool] | None = None) -> SolveCost:
        """What a solve takes, at most; `replanned`: which players plan again, if not those of
        the game.
        """
        sizes = [*self.sizes(replanned or self.replanned)]
        vectors = sum(size.vectors for size in sizes)
        # the last one first: each after the one that follows it in the game
        turns = pairwise([TurnSize(), *sizes])
        memory = max(
            (turn.values + turn.plans + following.values for following, turn in turns), default=0
        )
        seconds = score_turn_seconds(self.rules, vectors * LANES, 0)
        return SolveCost(
            vectors * SCORE_LANES, bytes=memory, memory=BASE_MEMORY + memory, seconds=seconds
        )

    def places(self, waiting: LayerStates, moved: LayerStates, lead: int) -> tuple[Ints, int]:
        """Where the values of each pair of cards begin, and the last ones end; `lead`: of who
        waits, at the start.
        """
        lengths = np.empty(waiting.size * moved.size, np.int64)
        leads.count_leads(waiting, moved, lead, lengths)
        ends = np.cumsum(lengths)
        return ends - lengths, int(ends[-1])

    def layer_places(self, left: int) -> tuple[Ints, int]:
        """The :meth:`places` of the values with so many turns left, 0 for full cards."""
        mover, mine, others = self._who_moves(left)
        waiting, moved = self.players[mover].layer(mine), self.players[1 - mover].layer(others)
        return self.places(waiting, moved, self.lead_of(mover))

    def blank(self, waiting: LayerStates, moved: LayerStates, lead: int) -> LeadValues:
        """Room for the values of pairs of cards, and for the end of a vector that begins within
        the last ones.
        """
        place, end = self.places(waiting, moved, lead)
        return LeadValues(np.empty(end + FRAME, np.float32), place)

    def full_cards(self, mover: int, left: int, laws: Floats) -> LeadValues:
        """Values of full cards of `mover`; the other has `left` open boxes, and points to come
        by `laws`.
        """
        waiting, moved = self.players[1 - mover].layer(left), self.players[mover].layer(0)
        bonuses = final_bonus(self.players[mover].space)
        found = self.blank(waiting, moved, self.lead_of(1 - mover))
        tie = 1 - self.tie if mover else self.tie  # what it counts for `mover`
        most = laws.shape[1]  # laws: (waiting cards, points to come)
        # chance of fewer than n points, n from 0 to `most`
        fewer = np.pad(np.cumsum(laws, axis=1), ((0, 0), (1, 0)))
        pairs = product(range(waiting.size), range(moved.size))
        for (theirs, mine), place in zip(pairs, found.place, strict=True):
            low, high = leads.range_of(moved, mine, waiting, theirs, self.lead_of(mover))
            # a tie if the other makes so many points
            ahead = np.arange(low, high + 1) + int(bonuses[mine])
            wins = fewer[theirs, ahead.clip(0, most)]
            wins_or_ties = fewer[theirs, (ahead + 1).clip(0, most)]
            # beside: lost, won
            values = np.pad(wins + tie * (wins_or_ties - wins), FRAME, constant_values=(0, 1))
            found.values[place : place + len(values)] = values
        return found

    def plan(self, turn: TwoPlayerTurn, laws: Floats, in_threads: Any, threads: int) -> LeadValues:
        """The values after a turn if then the mover alone plays on; `laws`: as for
        :meth:`full_cards`.
        """
        mover, other = self.players[turn.mover], self.pairs(turn)[1]
        found = self.full_cards(turn.mover, turn.open[1 - turn.mover], laws)
        for left in range(1, turn.open[turn.mover]):
            before, below = mover.layer(left), found
            found = self.blank(other, before, self.lead_of(1 - turn.mover))
            # The other still waits after this turn, but a backup writes pairs in the order (mover,
            # other).
            target = LeadValues(
                found.values, found.place.reshape(other.size, before.size).T.ravel()
            )
            self._solve(
                Backup(turn.mover, left, other, below, target, is_plan=True), in_threads, threads
            )
        return found

    @property
    def identity(self) -> WorkIdentity:
        """The identity of the solve of a whole game."""
        sources = sources_of_values(__file__)
        return WorkIdentity.of(self.rules, "versus", {"tie": self.tie}, sources)

    def resume(self, part: Path) -> tuple[int, LeadValues] | None:
        """The newest stored layer: its turns left and its values; None if there is none for this
        game.
        """
        values, fields = stored_layer(part, self.identity) or (None, {})
        if values is None or not fields["left"]:
            return None
        return fields["left"], LeadValues(values, self.layer_places(fields["left"])[0])

    def solve(
        self,
        settings: Settings,
        part: Path | None = None,
        solve_turn: Callable[[TwoPlayerTurn, LeadValues], LeadValues] | None = None,
    ) -> Iterator[tuple[int, LeadValues]]:
        """The turns left and the values after the last turn, after the one before, ...; at last
        those of the start.

        `part`: the file where the newest layer of a whole game is stored now and then; a stored one
        is the first. `solve_turn` solves a turn in place of threads, from the values after it,
        which are in `part` then.
        """
        threads = thread_count(settings.threads)
        needs = [self._needs(settings, player.policy) for player in self.players]
        stored = self.resume(part) if part else None
        # the turns that are solved, the values before these
        begin, values = stored or (
            0,
            self._all_full(),
        )
        yield begin, values
        checkpoint = monotonic()
        # The work that is done after each number of turns.
        work_done = [
            0,
            *accumulate(size.vectors * SCORE_LANES for size in self.sizes(self.replanned)),
        ]
        with thread_map(threads, "yatzy-versus") as in_threads:
            for turn in [*self.turns()][begin:]:
                if part and (solve_turn or monotonic() - checkpoint >= CHECKPOINT_SECONDS):
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
        """What :meth:`_backup` needs of the policy of the mover: an entry for each layer, or
        none for play to win.
        """
        if policy is None:
            return []
        # laws of the opponent's points to come, by the number of its open boxes
        if isinstance(policy, Replanned):
            return [*laws_of_points(settings.reporting(None), policy.opponent)]
        # by the number of the mover's turns since the start
        return ends_of_turns(settings.reporting(None), policy)

    def _all_full(self) -> LeadValues:
        """The values of two full cards: of who does not move last, only the upper bonus is to
        come, for certain.
        """
        last, _mine, _others = self._who_moves(1)
        bonuses = final_bonus(self.players[1 - last].space).astype(np.int64)
        certain = np.eye(int(bonuses.max()) + 1)  # row n: the law of n points
        return self.full_cards(last, 0, certain[bonuses])

    def _backup(
        self,
        turn: TwoPlayerTurn,
        below: LeadValues,
        needs: list[Any],
        in_threads: Any,
        threads: int,
    ) -> LeadValues:
        """The values before a turn from those after it; `needs`: those of the mover
        (:meth:`_needs`).
        """
        player, left = self.players[turn.mover], turn.open[turn.mover]
        before, other = self.pairs(turn)
        backup = Backup(
            turn.mover, left, other, below, self.blank(before, other, self.lead_of(turn.mover))
        )
        if player.policy is None:
            self._solve(backup, in_threads, threads)
        elif isinstance(player.policy, Replanned):
            laws = needs[turn.open[1 - turn.mover]]
            plan = self.plan(turn, laws, in_threads, threads).values
            space, unused = player.space, TableSlice(np.empty(PADDING), 0)
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
        """The values before a turn of play to win, against some states of the other, from those
        after it.
        """
        number, left = turn.mover, turn.open[turn.mover]
        before, other = self.pairs(turn, begin, end)
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
        """Solve a turn by parts of the states of who waits; `play` makes the player of the
        kernel for a thread.
        """
        other, space = backup.other, self.players[backup.mover].space
        jobs = ScratchPool(lambda: (self._job(backup), play()))
        size = max(1, other.size // (TASKS * threads))
        rows = space.layers[space.categories - backup.left]

        def call(begin: int) -> None:
            with jobs.borrow() as (job, player):
                leads.solve_leads(begin, min(begin + size, other.size), rows, job, player)

        for _done in in_threads(call, range(0, other.size, size)):
            pass

    def _job(self, backup: Backup) -> LeadJob:
        """The arguments of the kernels for one thread."""
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
            ranges=ScoreOffsets(*(np.empty(after.size, np.int64) for _ in ScoreOffsets._fields)),
            target_origin=np.empty(before.size, np.int64),
            target_high=np.empty(before.size, np.int64),
        )

    def start_chances(
        self, turn: TwoPlayerTurn, mine: int, theirs: int, values: LeadValues
    ) -> tuple[int, int, Floats]:
        """The first and the last lead of the mover before a turn, and its chances, with the known
        ones on both sides.

        `mine`, `theirs`: places of the cards of the mover and the other in their layers; `values`:
        before the turn.
        """
        before, other = self.pairs(turn)
        low, high = leads.range_of(before, mine, other, theirs, self.lead_of(turn.mover))
        # The values before a turn are the chances of the other, who moved last, by its lead: the
        # mover's upside down.
        others = pair_values(values, mine * other.size + theirs, low, high)
        return low, high, np.asarray(1 - others[::-1])

    def turn_values(
        self,
        turn: TwoPlayerTurn,
        places: tuple[int, int],
        children: Ints,
        start: LeadValues,
        after: LeadValues,
    ) -> tuple[ScoreOffsets, Floats]:
        """The chances of the mover, by its lead, after a turn with each of `children` and, last,
        before the turn.

        `places` are those of the cards of the mover and of the other in their layers, `children`
        those of cards of the mover after it; `start` and `after` are the values before and after
        the turn. The offsets say where each card has its chances.
        """
        (mine, theirs), other = places, self.pairs(turn)[1]
        moved = self.players[turn.mover].layer(turn.open[turn.mover] - 1)
        ranges, chances = list[tuple[int, int]](), list[Floats]()
        for child in children.tolist():
            low, high = leads.range_of(moved, child, other, theirs, self.lead_of(turn.mover))
            ranges.append((low, high))
            # of the mover, who moved last
            chances.append(pair_values(after, theirs * moved.size + child, low, high))
        low, high, at_start = self.start_chances(turn, mine, theirs, start)
        lows, highs = np.array([*ranges, (low, high)], np.int64).T
        # the chance at lead d is at origin + d
        origins = np.cumsum([0, *map(len, chances)]) + FRAME - lows
        return ScoreOffsets(origins, lows, highs), np.concatenate([*chances, at_start])

    def chance(
        self,
        settings: Settings,
        part: Path | None = None,
        solve_turn: Callable[[TwoPlayerTurn, LeadValues], LeadValues] | None = None,
        on_layer: Callable[[int, Floats], None] | None = None,
    ) -> float:
        """The chance of the first player at the start; parameters of :meth:`solve`, which yields
        to `on_layer`.
        """
        for left, layer in self.solve(settings, part, solve_turn):
            if on_layer:
                on_layer(left, layer.values)
            values_at_start = layer  # the last layer is that of the start
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
        """Places of the two cards in their layers."""
        first, second = (player.start - player.layer(player.turns).first for player in self.players)
        return first, second


class LeadEvaluator(ScoreEvaluator):
    """Evaluates the first turn of a game of two; scores are leads, whose ranges depend on the
    opponent's card.
    """

    def __init__(
        self, game: TwoPlayerGame, means: TurnEvaluator, offsets: ScoreOffsets, values: Floats
    ) -> None:
        mover = game.players[0]
        super().__init__(Goals(game.rules, mover.space.start), values, means)
        after = mover.layer(mover.turns - 1)
        # the order of the offsets given
        states = np.append(after.first + np.arange(after.size), mover.start)
        self.score_offsets = ScoreOffsets(
            *(np.zeros(mover.space.size, np.int64) for _ in ScoreOffsets._fields)
        )
        for places, found in zip(self.score_offsets, offsets, strict=True):
            places[states] = found  # no other state has values


def solved_turn(settings: Settings, game: TwoPlayerGame) -> tuple[ScoreOffsets, Floats]:
    """The values of the first turn of a game, solved."""
    (_, after), (_, start) = deque(game.solve(settings), maxlen=2)  # the last two layers
    mover = game.players[0]
    children = np.arange(mover.layer(mover.turns - 1).size)
    return game.turn_values(game.first_turn, game.start_places, children, start, after)
