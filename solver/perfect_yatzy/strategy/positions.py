"""Sample labelled positions by how often play meets them, to train and to test other players.

Games are simulated and every decision in them is a row: the card, the dice, the rerolls left, the
best action and its value. A position that play meets twice as often has twice as many rows. All
games are at the same roll of the same turn, so one batch (:mod:`.batch`) answers for all of them.
The dice are those of :func:`perfect_yatzy.simulate` with the same seed, and do not depend on the
number of threads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..core.dice import Floats, Ints, lattice
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.turn_model import turn_model, turn_outcomes
from ..errors import StateError, game_over, positive_number
from ..game.legal_actions import TurnPosition, action_count, numbered_action
from ..game.random_dice import Games
from ..tablebase.machine import available_memory
from ..words import gigabytes
from .batch import BatchOptions
from .metadata import Ragged, Rows, metadata, value_name
from .played_games import Actor, Player, play_games, start_of
from .simulation import check_seed
from .strategy import CheckedPosition, Position, Strategy, check_strategy

MAX_GAMES = 100_000  # played at the same time
OPTION_BYTES = 1 << 28  # for the values of all options of one roll of these games
# The most memory that a row and its options take, measured for five dice.
ROW_BYTES = 500
OPTION_ROW_BYTES = 900
PART_ROWS = 1 << 16
MEANINGS = {
    "game_number": "number of the simulated game, from 0",
    "turn": "number of the turn in its game, from 1",
    "filled": "bitmask of the filled categories, bit i for the i-th of the sheet",
    "upper": "sum of the upper boxes, at most the threshold of the bonus",
    "saved": "saved rolls at the start of the turn",
    "joker_paid": "whether the joker's box holds points",
    "card_total": "points on the card, without the upper bonus",
    "dice": "faces on the table, ascending",
    "rolls_left": "rerolls left",
    "action": "number of the best action: first the holds of fewer than all dice, then the categories",
    "hold": "dice that the best action holds, ascending; all of them if it scores a category",
    "category": "id of the category that the best action scores; null if it rerolls dice",
    "expected_remaining": "value: expected points still to come under optimal play, the upper bonus included",
    "chance": "value: chance of the goal under optimal play",
    "expected_utility": "value: expected utility of the final score under optimal play",
    "taken": "number of the action that was taken in the game",
    "visits": "how often this position occurs in the sample",
    "actions": "numbers of all legal actions",
    "action_values": "value of each of these actions, in the unit of the value",
}


@dataclass(frozen=True, repr=False)
class PositionSample(Rows):
    """Positions within a turn, with the best action and the value of each.

    Attributes
    ----------
    rules : RuleSet
    policy : str
        What the strategy that labels them maximises: ``mean``, ``goal:280`` or ``utility``.
    player : str
        Who played the games; empty if the strategy did.
    seed : int
    exploration : float
        Chance of a random action instead of the best one.
    distinct : bool
        Whether each position has one row only.
    game_number : (n,) int64
        The simulated game, from 0.
    turn : (n,) int64
        The turn in the game, from 1.
    filled : (n,) int64
        Bitmask of the filled categories at the start of the turn.
    upper : (n,) int64
        Sum of the upper boxes, at most the threshold of the bonus.
    saved : (n,) int64
        Saved rolls.
    joker_paid : (n,) int64
        1 if the joker's box holds points.
    card_total : (n,) int64
        Points on the card, without the upper bonus.
    dice : (n, dice) int64
        Faces on the table, ascending.
    rolls_left : (n,) int64
        Rerolls left.
    action : (n,) int64
        Number of the best action (:mod:`perfect_yatzy.game.legal_actions`).
    value : (n,) float64
        Value of the best action: expected points still to come; for goals chances, for utilities
        expected utilities.
    taken : (n,) int64
        Number of the action that was taken; without a player other than `action` only where the
        game explored.
    visits : (n,) int64
        How often the position occurs in the sample.
    actions : Ragged or None
        Numbers of all legal actions.
    action_values : Ragged or None
        Values of all legal actions.
    """

    rules: RuleSet
    policy: str
    seed: int
    exploration: float
    distinct: bool
    game_number: Ints
    turn: Ints
    filled: Ints
    upper: Ints
    saved: Ints
    joker_paid: Ints
    card_total: Ints
    dice: Ints
    rolls_left: Ints
    action: Ints
    value: Floats
    taken: Ints
    visits: Ints
    actions: Ragged | None = None
    action_values: Ragged | None = None
    player: str = ""

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        kind = "distinct positions" if self.distinct else "positions"
        return f"<PositionSample {self.rules.key}, {self.policy}: {len(self):,} {kind}, seed {self.seed}>"

    def columns(self) -> dict[str, Any]:
        """Return the positions as named columns of equal length.

        CSV, JSON Lines, Parquet and data frames contain these columns.

        :data:`MEANINGS` says what each means. ``saved`` and ``joker_paid`` exist only if the rules have them,
        ``actions`` and ``action_values`` if they were asked for.
        """
        rules = self.rules
        dice = self.dice.tolist()
        known = {
            number: numbered_action(rules, number) for number in np.unique(self.action).tolist()
        }
        actions = [known[number] for number in self.action.tolist()]
        # What is not an array of this sample, or is None because the rules do not have it.
        derived: dict[str, Any] = {
            "saved": self.saved if rules.saved_rolls else None,
            "joker_paid": self.joker_paid.astype(bool) if rules.joker else None,
            "dice": dice,
            "hold": [
                roll if isinstance(best, str) else list(best)
                for best, roll in zip(actions, dice, strict=True)
            ],
            "category": [best if isinstance(best, str) else None for best in actions],
            value_name(self.policy): self.value,
        }
        # In the order of MEANINGS. A name that is neither is that of the value of other policies.
        columns = {name: derived.get(name, getattr(self, name, None)) for name in MEANINGS}
        return {name: column for name, column in columns.items() if column is not None}

    def parts(self) -> Iterator[dict[str, Any]]:
        """Yield the :meth:`columns` of PART_ROWS rows at a time, to write large samples."""
        for first in range(0, len(self), PART_ROWS):
            yield self.take(np.arange(first, min(first + PART_ROWS, len(self)))).columns()

    def metadata(self) -> dict[str, str]:
        """Return what identifies the positions (:func:`perfect_yatzy.strategy.metadata.metadata`).

        It includes ``seed``, ``exploration``, ``distinct`` (``true`` or ``false``) and ``columns``, the
        meaning of each column as JSON.
        """
        names = self.take(np.empty(0, dtype=np.int64)).columns()
        player = {"player": self.player} if self.player else {}
        more = player | {"distinct": str(self.distinct).lower()}
        more["columns"] = json.dumps({name: MEANINGS[name] for name in names})
        return metadata(
            self.rules, self.policy, seed=self.seed, exploration=self.exploration, **more
        )


def sample_positions(  # noqa: PLR0913 - the published parameters
    strategy: Strategy,
    n: int,
    seed: int = 1,
    exploration: float = 0.0,
    *,
    options: bool = False,
    distinct: bool = False,
    start: Position | None = None,
    player: Player | Actor | None = None,
    threads: int | None = None,
) -> PositionSample:
    """Sample positions of simulated games, with the best action and the value of each.

    Parameters
    ----------
    strategy
        A strategy from :func:`perfect_yatzy.open_strategy`, :func:`perfect_yatzy.reach` or
        :func:`perfect_yatzy.maximise`. It plays the games and labels the positions.
    n
        Number of decisions, at least 1: those of games 0, 1, 2 ... in the order they are made. A
        game of Yatzy has about 43, and the last one may be cut short.
    seed
        Seed of the dice, from 0 to 2**63 - 1. The same seed gives the same positions for any number
        of threads, and the first rows of a larger sample are those of a smaller one, apart from
        `visits`.
    exploration
        Chance, at each decision, of an action chosen at random among all legal ones, from 0 to 1.
        With 0 the games are those of :func:`perfect_yatzy.simulate`. Labels are those of optimal
        play either way.
    options
        Whether the numbers and values of all legal actions are included.
    distinct
        Whether equal positions are merged into one row. Then there are fewer than `n` rows, and
        `visits` sums to `n`. Positions are equal if state, dice and rerolls left are; for goals and
        utilities also the points on the card.
    start
        The position at the start of a turn from which every game is played; default: where the
        strategy starts.
    player
        Who plays the games instead of the strategy, which labels them: an object with
        ``act(position)`` or a function of a position. It needs a start with points, not a bare
        state.
    threads
        Number of threads; default: one per processor.

    Returns
    -------
    PositionSample
        One row per decision, by game, turn and roll.

    Raises
    ------
    StateError
        If no game can reach the start, an argument is out of range, or the machine has too little
        memory.
    """
    check_strategy(strategy)
    n = positive_number(n, "n")
    seed = check_seed(seed)
    if not (isinstance(exploration, int | float) and 0 <= exploration <= 1):
        raise StateError(f"exploration is {exploration!r}; must be a number from 0 to 1")
    checked = strategy.check_start(start)
    if checked.state.filled == strategy.rules.full_mask:
        raise game_over()
    needed = n * (ROW_BYTES + (OPTION_ROW_BYTES if options else 0))
    free = available_memory()
    if free is not None and needed > free:
        text = f"{n:,} positions need about {gigabytes(needed)} of memory and {gigabytes(free)} are free"
        raise StateError(f"{text}; take fewer of them, with several seeds", code="too-large")
    ask = partial(strategy.options if options else strategy.best, threads=threads)
    games = _Games(strategy, checked, seed, float(exploration), ask)
    play = games.play
    if player is not None:
        play = partial(games.play_as, player, start_of(strategy.rules, start))
    parts: list[PositionSample] = []
    played = 0  # games
    rows = 0  # decisions in these games
    most = MAX_GAMES
    if options:
        most = max(1, min(most, OPTION_BYTES // (8 * action_count(strategy.rules))))
    # The most decisions that a game can have, then the measured number.
    per_game = float(games.turns * strategy.rules.rolls_per_turn)
    while rows < n:
        # 2 % more games than their mean needs, so that one more part is seldom needed.
        number = min(most, math.ceil((n - rows) / per_game * 1.02))
        parts.append(play(played, number))
        played += number
        rows += len(parts[-1])
        per_game = rows / played
    sample = _joined(parts, n)
    first_rows, visits = _visits(sample, with_points=strategy.policy != "mean")
    sample = replace(
        sample, visits=visits, distinct=distinct, player=type(player).__name__ if player else ""
    )
    return sample.take(first_rows) if distinct else sample


class _Games:
    """Games that are played a roll at a time."""

    def __init__(
        self,
        strategy: Strategy,
        start: CheckedPosition,
        seed: int,
        exploration: float,
        ask: Callable[..., Any],
    ) -> None:
        self.strategy = strategy
        self.start = start
        self.seed = seed
        self.exploration = exploration
        self.ask = ask
        self.rules = strategy.rules
        self.turns = len(self.rules.categories) - start.state.filled.bit_count()
        self.grid = lattice(self.rules.dice, self.rules.faces)
        counts = self.grid.counts[self.grid.first_roll :]
        self.faces = np.array(
            [np.repeat(np.arange(1, self.rules.faces + 1), roll) for roll in counts]
        )
        self.model = turn_model(self.rules, strategy.space.start)
        self.outcomes = turn_outcomes(self.rules, strategy.space.start)

    def play(self, first: int, number: int) -> PositionSample:
        """Return every decision of `number` games from `first` on, by game, turn and roll."""
        from .environment_kernel import Decisions, explore, roll_decisions

        state = self.start.state
        numbers = np.arange(first, first + number)
        steps: list[PositionSample] = []
        begin = {
            "filled": state.filled,
            "upper": state.upper,
            "saved": state.saved,
            "joker_paid": state.joker_paid,
            "points": self.start.points,
        }
        # The cards of all games are always the same arrays. Their entries change where a turn ends.
        cards = {name: np.full(number, value, dtype=np.int64) for name, value in begin.items()}
        for turn in range(self.turns):
            playing = np.arange(number)  # the games whose turn goes on
            # lattice index of the dice that each of these holds: none
            held = np.zeros(number, dtype=np.int64)
            rerolls = self.rules.rolls_per_turn - 1 + cards["saved"]  # of all games
            roll = 0
            while len(playing):
                position = {name: array[playing] for name, array in cards.items()}
                position["rolls_left"] = rerolls[playing]
                games = numbers[playing]
                taken, outcome = np.empty((2, len(playing)), np.int64)
                job = Decisions(
                    model=self.model,
                    seed=self.seed,
                    turn=turn,
                    roll=roll,
                    games=games,
                    filled=position["filled"],
                    joker_paid=position["joker_paid"],
                    held=held,
                    rerolls=position["rolls_left"],
                    actions=taken,
                    ends=outcome,
                )
                roll_decisions(job)  # completes `held` to all dice
                position["dice"] = self.faces[held - self.grid.first_roll]
                turns = np.full(len(playing), state.filled.bit_count() + turn + 1)
                step = self.labelled(games, turns, position)
                taken[:] = step.action
                # Changes some of `taken`, and writes `outcome`, which is -1 where the turn goes on.
                explore(self.exploration, job)
                steps.append(replace(step, taken=taken))
                ended = outcome >= 0
                self.end_turns(cards, playing[ended], outcome[ended], rerolls)
                # The number of a hold is that of its action.
                playing = playing[~ended]
                held = taken[~ended]
                roll = roll + 1
                rerolls[playing] -= 1
        everything = _joined(steps)  # the rows of a game are in order already
        return everything.take(np.argsort(everything.game_number, kind="stable"))

    def end_turns(self, cards: dict[str, Ints], games: Ints, outcomes: Ints, rerolls: Ints) -> None:
        """Change the cards of the games whose turns end, each with the number of its outcome.

        `rerolls` are those left of all games.
        """
        category = self.outcomes.category[outcomes]
        is_paid = self.outcomes.points[outcomes] > 0
        upper = cards["upper"][games] + self.outcomes.shift[outcomes]
        cards["filled"][games] |= 1 << category
        cards["upper"][games] = upper_sums(self.rules).cap(upper)
        cards["saved"][games] = rerolls[games] if self.rules.saved_rolls else 0
        cards["joker_paid"][games] |= (category == self.rules.tracked_index) & is_paid
        cards["points"][games] += self.outcomes.total[outcomes].astype(np.int64)

    def play_as(
        self, player: Player | Actor, begin: TurnPosition, first: int, number: int
    ) -> PositionSample:
        """Return the same as :meth:`play` for another player, who acts in one position at a time."""
        act: Any = getattr(player, "act", player)
        log = play_games(act, begin, Games(number, self.seed, first), self.exploration)
        position = log.columns()
        games = position.pop("game")
        taken = position.pop("action")
        # What is left are the arguments of :meth:`labelled`.
        turns = np.bitwise_count(position["filled"]).astype(np.int64) + 1
        return replace(self.labelled(games, turns, position), taken=taken)

    def labelled(self, games: Ints, turns: Ints, position: dict[str, Any]) -> PositionSample:
        """Return rows with the best actions. The caller replaces `taken` if others are taken.

        `position` has the arguments of :meth:`.Strategy.best` by name.
        """
        answer = self.ask(**position)
        actions = values = None
        if isinstance(answer, BatchOptions):
            rows, columns = np.nonzero(answer.legal)
            offsets = np.searchsorted(rows, np.arange(len(games) + 1))
            actions = Ragged(offsets, columns.astype(np.int16))
            values = Ragged(offsets, answer.values[rows, columns])
        fields = dict(position)
        fields["card_total"] = fields.pop("points")
        return PositionSample(
            rules=self.rules,
            policy=self.strategy.policy,
            seed=self.seed,
            exploration=self.exploration,
            distinct=False,
            game_number=games,
            turn=turns,
            **fields,
            action=answer.action,
            value=answer.value,
            taken=answer.action,
            visits=np.ones(len(games), dtype=np.int64),
            actions=actions,
            action_values=values,
        )


def _joined(parts: list[PositionSample], rows: int | None = None) -> PositionSample:
    """Return the first rows of samples, one after the other, or all of them if `rows` is None."""
    arrays: dict[str, Any] = {}
    for name, column in vars(parts[0]).items():
        columns = [getattr(part, name) for part in parts]
        if isinstance(column, np.ndarray):
            arrays[name] = np.concatenate(columns)[:rows]
        elif isinstance(column, Ragged):
            lengths = np.concatenate([np.diff(part.offsets) for part in columns])[:rows]
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            arrays[name] = Ragged(
                offsets, np.concatenate([part.values for part in columns])[: offsets[-1]]
            )
    return replace(parts[0], **arrays)


def _visits(sample: PositionSample, with_points: bool) -> tuple[Ints, Ints]:
    """Return the first row of each different position, ascending.

    The second array says for every row how many rows have its position.
    """
    base = int(sample.rules.faces + 1)
    dice = sample.dice @ base ** np.arange(sample.dice.shape[1])  # one number for the dice of a row
    keys = [sample.filled, sample.upper, sample.saved, sample.joker_paid, dice, sample.rolls_left]
    table = np.stack([*keys, sample.card_total] if with_points else keys)
    order = np.lexsort(table)  # is stable, so equal positions stay in the order of their rows
    ordered = table[:, order]
    starts = np.flatnonzero(
        np.concatenate([[True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)])
    )
    counts = np.diff(starts, append=len(order))
    visits = np.empty(len(order), dtype=np.int64)
    visits[order] = np.repeat(counts, counts)
    return np.sort(order[starts]), visits
