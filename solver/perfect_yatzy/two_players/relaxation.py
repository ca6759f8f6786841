"""An interval for the chance of the first player of a game too large to solve, by sampled paths.

A player P plays for the mean until K boxes are open, and from then on to win. Its opponent O is
told before the game what P will have on its card after each turn up to there. O does not know its
own dice. Then O wins more than it can in the game, and a penalty takes most of the advantage back.
With the card of P after t turns, and the card o and the points x of O::

    L_t(s)      chance that P ends with s points, from its card after t turns on
    w_t(o, x)   chance that O wins from there if both play for the mean
    z_t(o, x) = w_t(o, x) - w_(t-1)(o, x)       for the o and x that O has when P plays turn t

L_t is a martingale, so that the mean of z_t is 0 for every O that does not look ahead, whatever w
is made of. For each path, the highest mean of "O wins" less all z_t is one solve of the utility of
the final score, in whose layers the z_t are subtracted. With K > 0 it begins with the chances of
best play from the card that P has then. The mean over all paths is an upper bound of what a best
response to P wins, and so of what O wins if both play to win. For K = 0 a sample is the chance of
play for the mean against itself and what O gains on it turn by turn, so at least that chance.

Paths are drawn by seeds, and the values are stored, each on a line of its own. Their mean is an
estimate: an :class:`Interval` holds with a confidence of 99 %, and is not proved as the bounds of
:mod:`.versus` are. The penalties are those of Brown, Smith and Sun, "Information relaxations and
duality in stochastic dynamic programs" (2010).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import sleep
from typing import NamedTuple

import numpy as np

from .._files import exclusive, read_file
from .._sources import sources_of_values
from ..core.backward_induction import solve_layers
from ..core.dice import Floats
from ..core.objectives import Objective
from ..core.resources import writing_to
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE
from ..core.table_slices import FRAME, Values
from ..errors import StateError
from ..objectives.policy_quantities import Policy
from ..objectives.scores import ReachableUtility
from ..settings import Folder, Settings
from ..strategy.confidence import Estimate, adjusted_mean_of
from ..strategy.forward_pass import ForwardPass, by_state, laws_of_points
from ..strategy.tie_rules import tie_rule
from ..strategy.turn_evaluator import GreedyPolicy, state_at
from ..tablebase.sharded_solve import driver_lock
from ..tablebase.store import open_table, table_path
from ..tablebase.work_identity import WorkIdentity
from .two_players import TwoPlayerGame

STATES = 1 << 10  # at a time
CONFIDENCE = 0.99  # that both ends of an interval are right
MAX_FILE = 64 << 20  # bytes of the stored samples of a rule set
PAUSE = 1.0  # seconds between two looks at what other processes have stored


@dataclass(frozen=True)
class Sample:
    """A stored sample, with the fields of a line of the file."""

    seed: int
    moves_first: bool  # whether O moves first
    left: int  # K
    value: float
    score: int  # final score of P
    mean: float  # of the distribution of that score
    variance: float  # of the same distribution
    parameters: str  # SHA-256 of what else was given
    sources: str  # SHA-256 of the sources that computed it


@dataclass(frozen=True)
class Interval:
    """The chance of the first player by sampled paths: between `low` and `high` with CONFIDENCE.

    `opponents` are the estimates of what O wins at most if it moves second, and first. With a
    single path they have no ends, and nothing is known.
    """

    paths: int
    left: int  # K
    opponents: tuple[Estimate, Estimate]

    @property
    def low(self) -> float:
        """What the first player wins at least."""
        most = self.opponents[0].high
        return 0.0 if most is None else 1 - most

    @property
    def high(self) -> float:
        """What the first player wins at most."""
        most = self.opponents[1].high
        return 1.0 if most is None else most


def two_player_interval(
    settings: Settings, rules: RuleSet, paths: int, left: int = 0, ties: str = "half"
) -> Interval:
    """Return the interval of the paths with the seeds 1 to `paths`.

    Samples that are not stored yet are computed and stored. Several processes share the work if
    each of them calls this function. Raises StateError unless `left` is a number of boxes of the
    game.
    """
    if not 0 <= left < len(rules.categories):
        most = len(rules.categories) - 1
        raise StateError(f"endgame is {left}; must be 0 to {most}", field="endgame")
    file = SampleFile(rules, settings.tables, tie_rule(ties).share)
    file.fill(settings, paths, left)
    seeds = range(1, paths + 1)
    second, first = (
        estimate([file.samples[seed, moves_first, left] for seed in seeds])
        for moves_first in (False, True)
    )
    return Interval(paths, left, (second, first))


def estimate(samples: Sequence[Sample]) -> Estimate:
    """Return an estimate of the mean over all paths.

    The part of the variance that the final score of P explains is removed, since the mean and the
    variance of its distribution are known.
    """
    away = np.array([sample.score - sample.mean for sample in samples])
    known = np.column_stack([away, away**2 - samples[0].variance])
    return adjusted_mean_of([sample.value for sample in samples], known, CONFIDENCE)


class SampleFile:
    """The stored samples of a rule set, each on a line of its own.

    `tie` is what a tie counts for the player who moves first.
    """

    def __init__(self, rules: RuleSet, tables: Folder, tie: float) -> None:
        self.rules = rules
        self.tie = tie
        self.path = table_path(rules, tables, "paths").with_suffix(".jsonl")
        self.identity = WorkIdentity.of(rules, "paths", {"tie": tie}, sources_of_values(__file__))
        self.samples = dict[tuple[int, bool, int], Sample]()
        self.read()

    def read(self) -> None:
        """Read what is stored.

        Lines that are damaged, or that belong to other parameters or sources, are ignored.
        """
        try:
            lines = read_file(self.path, MAX_FILE).splitlines()
        except OSError:
            return
        for line in lines:
            with suppress(ValueError, TypeError):
                sample = Sample(**json.loads(line))
                is_same_work = (
                    sample.parameters == self.identity.parameters
                    and sample.sources == self.identity.sources
                )
                if is_same_work:
                    self.samples[sample.seed, sample.moves_first, sample.left] = sample

    def add(self, sample: Sample) -> None:
        """Append a sample to the file."""
        # The line begins with a line feed, in case a killed process left the last one unfinished.
        line = "\n" + json.dumps(asdict(sample)) + "\n"
        with (
            writing_to(self.path.parent),
            exclusive(self.path.with_suffix(".lock")),
            self.path.open("a", encoding="ascii") as file,
        ):
            file.write(line)
        self.samples[sample.seed, sample.moves_first, sample.left] = sample

    def fill(self, settings: Settings, paths: int, left: int) -> None:
        """Compute the missing samples of the first paths.

        It waits for samples that other processes compute.
        """
        wanted = [(seed, first, left) for seed in range(1, paths + 1) for first in (False, True)]
        relaxation = None  # is made if a sample is computed here
        missing = [key for key in wanted if key not in self.samples]
        while missing:
            for seed, moves_first, _left in missing:
                lock = self.path.with_suffix(f".{seed}-{int(moves_first)}-{left}.lock")
                with driver_lock(lock) as free:
                    self.read()
                    if free and (seed, moves_first, left) not in self.samples:
                        if relaxation is None:
                            relaxation = self._relaxation(settings)
                        self.add(self._sample(relaxation, seed, moves_first, left))
                if settings.progress:
                    settings.progress(sum(key in self.samples for key in wanted), len(wanted))
            missing = [key for key in missing if key not in self.samples]
            if missing:  # other processes compute them
                sleep(PAUSE)

    def _relaxation(self, settings: Settings) -> Relaxation:
        """Return the samples of a game in which P plays for the mean, from the table of means."""
        quiet = settings.reporting(None)
        means = open_table(quiet, Objective(self.rules))[1]
        return Relaxation.of(quiet, GreedyPolicy(self.rules, means), self.tie)

    def _sample(self, relaxation: Relaxation, seed: int, moves_first: bool, left: int) -> Sample:
        """Compute a sample."""
        path = relaxation.path(seed)
        # the distribution of the final score of P, from the empty card on
        chances = relaxation.distributions[0][0].astype(np.float64)
        points = np.arange(len(chances))
        mean = float(chances @ points)
        return Sample(
            seed=seed,
            moves_first=moves_first,
            left=left,
            value=relaxation.sample(path, moves_first, left),
            score=relaxation.score(path),
            mean=mean,
            variance=float(chances @ (points - mean) ** 2),
            parameters=self.identity.parameters,
            sources=self.identity.sources,
        )


class PenalisedUtility(ReachableUtility):
    """A utility of the final score from which terms are subtracted layer by layer."""

    monotone = False  # more points may be worth less after a term


class Card(NamedTuple):
    """What P has after a turn."""

    place: int  # of the state in its layer
    made: int  # points without the upper bonus


@dataclass(frozen=True)
class Relaxation:
    """Samples of one game.

    `distributions` holds the chances of the points to come under `policy` from all states, an array
    `(states, points)` for each number of filled categories. `tie` is what a tie counts for the
    player who moves first.
    """

    settings: Settings
    policy: Policy
    distributions: list[Values]
    tie: float = 0.5

    @classmethod
    def of(cls, settings: Settings, policy: Policy, tie: float = 0.5) -> Relaxation:
        """Return the samples of a game in which P follows a policy."""
        # Half of the memory is enough: the mean of the penalties is 0, whatever w is made of.
        backwards = [layer.astype(np.float32) for layer in laws_of_points(settings, policy)]
        return cls(settings, policy, backwards[::-1], tie)

    @property
    def turns(self) -> int:
        """Number of turns of each player."""
        return len(self.distributions) - 1

    def path(self, seed: int) -> list[Card]:
        """Draw the cards of P in a game, from the empty card to the full one."""
        random = np.random.default_rng(seed)
        games = ForwardPass(self.settings, self.policy)
        cards = [Card(0, 0)]
        for filled in range(self.turns):
            layer = games.unreached(filled)
            card = cards[-1]
            layer.mass[card.place] = 1.0
            ends = by_state(games, filled, games.turn_ends(filled, layer).ends, layer)
            up_to = np.cumsum(ends.chance)
            end = int(np.searchsorted(up_to, random.random() * up_to[-1], "right"))
            cards.append(Card(int(ends.child[end]), card.made + int(ends.points[end])))
        return cards

    def score(self, path: Sequence[Card]) -> int:
        """Return the final score of P."""
        card = path[-1]
        return card.made + int(self.distributions[-1][card.place].argmax())

    def wins(self, card: Card, filled: int, tie: float) -> Floats:
        """Return the chance that O wins with y points, `(most + 1,)`, given a card of P.

        `tie` is what a tie counts for O.
        """
        to_come = self.distributions[filled][card.place].astype(np.float64)
        points = np.flatnonzero(to_come)
        final_scores = np.zeros(self.distributions[0].shape[1])
        final_scores[card.made + points] = to_come[points] / to_come.sum()
        return np.cumsum(final_scores) - (1 - tie) * final_scores

    def sample(self, path: Sequence[Card], moves_first: bool, left: int = 0) -> float:
        """Return the highest mean of O for a path, less the penalties.

        `moves_first` says whether O moves first, and `left` is K.
        """
        last = self.turns - left  # turns of P that O is told
        tie = self.tie if moves_first else 1 - self.tie
        wins = [self.wins(card, filled, tie) for filled, card in enumerate(path[: last + 1])]
        game = PenalisedUtility(
            self.policy.rules,
            lambda points: wins[-1][np.minimum(points, len(wins[-1]) - 1)],
        )

        def subtract(filled: int, values: Values) -> None:
            # the turn of P in which O has this card
            turn = filled if moves_first else filled + 1
            if 1 <= turn <= last:
                self._subtract(game, filled, wins[turn] - wins[turn - 1], values)

        values = self._endgame(game, path[last], moves_first, left) if left else game.full_cards()
        subtract(last, values)
        resumed = solve_layers(game, threads=self.settings.threads, resume=(last, values))
        for layer in resumed:
            values = layer.values  # the next layer is solved from what is written here
            subtract(layer.filled, values)
        return float(values[0])

    def _subtract(self, game: PenalisedUtility, filled: int, rise: Floats, values: Values) -> None:
        """Subtract the penalties of a layer from its values.

        `rise` is the rise of the chance that y points win, by y.
        """
        distributions = self.distributions[filled]
        states = game.space.layer_slice(filled)
        begin = game.layer_slice(filled).start
        for first in range(states.start, states.stop, STATES):
            part = slice(first, min(first + STATES, states.stop))
            low, high = game.score_offsets.low[part], game.score_offsets.high[part] + game.after
            scores = np.arange(int(high.max()) + 1)
            # The rows are points to come and the columns points made. Beyond the most points
            # nothing rises.
            most_to_come = distributions.shape[1]
            padded = np.pad(rise, (0, most_to_come + len(scores))).astype(np.float32)
            rises = np.lib.stride_tricks.sliding_window_view(padded, len(scores))
            of_part = distributions[part.start - states.start : part.stop - states.start]
            terms = of_part @ rises[:most_to_come]
            has_entry = (scores >= low[:, None]) & (scores <= high[:, None])
            start = int(game.score_offsets.origin[part.start] + low[0]) - begin
            terms = terms[has_entry]
            values[start : start + len(terms)] -= terms

    def _endgame(self, game: PenalisedUtility, card: Card, moves_first: bool, left: int) -> Values:
        """Return the chances of O by the entries of a layer, if both play to win from there.

        P plays from `card`, and O from any card of the layer.
        """
        rules = self.policy.rules
        states = game.space.layer_slice(self.turns - left)
        number = states.start + card.place
        state_of_p = state_at(game.space, int(game.space.state_rows()[number]), number)
        starts = (EMPTY_STATE, state_of_p) if moves_first else (state_of_p, EMPTY_STATE)
        lead = -card.made if moves_first else card.made
        rest = TwoPlayerGame(rules, starts, lead, self.tie, turns=(left, left))
        # the last layer of the solve, which is that before the first turn
        ((_left, values),) = deque(rest.solve(self.settings.reporting(None)), maxlen=1)
        place_of_p = rest.start_places[int(moves_first)]
        offsets = game.score_offsets
        parts = []
        for place, state in enumerate(range(states.start, states.stop)):
            # the places of the cards of the player who moves, and of the other
            places = (place, place_of_p) if moves_first else (place_of_p, place)
            low, high, chances = rest.start_chances(rest.first_turn, *places, values)
            if not moves_first:  # they are the chances of P, by its lead
                low = -high
                chances = 1 - chances[::-1]
            leads = np.arange(offsets.low[state], offsets.high[state] + 1 + game.after) - card.made
            parts.append(chances[np.clip(leads - low + FRAME, 0, len(chances) - 1)])
        return np.concatenate(parts).astype(game.compute)
