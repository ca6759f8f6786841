"""A game of two players on disk, with the chances of all pairs of cards.

No query has to solve them again. Each turn has one shard or more, from the last turn of the game
on. The values are those of :class:`~perfect_yatzy.two_players.leads_kernel.LeadValues`, in 16 bits
each::

    value = round(65535 W)       at least 1 and at most 65534, unless W is 0 or 1

A query reads only the pairs of its turn, in blocks that are compared with their SHA-256.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .._files import read_file
from ..core import table_info
from ..core.checked_values import CheckedValues
from ..core.dice import Floats
from ..core.resources import check_space, writing_to
from ..core.rules import RuleSet
from ..core.table_info import ShardedTableInfo, damaged, reading, shards_folder
from ..errors import TableError
from ..game.scorecard import Scorecard
from ..objectives.score_places import ScoreOffsets
from ..settings import Folder, Settings
from ..strategy.rest_of_game import places_in
from ..strategy.score_strategy import ScoreStrategy
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.shard_file import (
    ShardReader,
    listed_shards,
    shard_fields,
    stored_shard,
    write_shard,
)
from ..tablebase.shard_plan import Shard
from ..tablebase.shard_task import writing_shard
from ..tablebase.sharded_solve import digests_of, driver_lock, publish_shards
from ..tablebase.store import has_table, table_path
from .leads_kernel import LeadValues
from .two_players import LeadEvaluator, TwoPlayerGame, solved_turn

STORE = np.dtype(np.uint16)
LEVELS = int(np.iinfo(STORE).max)
ERROR = 1 / LEVELS + 2e-6  # of a stored chance
SHARD = 1 << 25  # values of a shard, at most
# Objectives of the tables, by the share of a win that a tie counts for the first player.
NAMES = {0.0: "versusloss", 0.5: "versus", 1.0: "versuswin"}
OnLayer = Callable[[int, Floats], None]  # called with the turns left and the values of each layer
# The chance of the player who moves first, solved with the arguments `part` and `on_layer` of
# `chance`.
Solve = Callable[[Settings, TwoPlayerGame, Path, OnLayer | None], float]


@dataclass(frozen=True)
class StoredLayer:
    """The values of one layer, which are read when they are asked for."""

    values: Any  # of the table
    begin: int

    def __getitem__(self, part: slice) -> Floats:
        """Return some values as float32."""
        return np.asarray(
            self.values[self.begin + part.start : self.begin + part.stop] / np.float32(LEVELS)
        )


class TwoPlayerTable:
    """A stored game. `tie` is what a tie counts for the first player."""

    def __init__(self, rules: RuleSet, tie: float, tables: Folder) -> None:
        path = table_path(rules, tables, NAMES[tie])
        hint = f"rebuild it with: yatzy solve {rules.spec or rules.key} --two-players --store --tables {path.parent}"
        missing = f"there is no stored game at {path}"
        with reading(path, f"the description of the table {path} is damaged; {hint}", missing):
            self.info = ShardedTableInfo(
                **table_info.checked_fields(
                    read_file(path.with_suffix(".json"), table_info.MAX_SIDECAR)
                )
            )
            if (self.info.fingerprint, self.info.objective) != (rules.fingerprint, NAMES[tie]):
                raise damaged(f"{path} was made for other rules than {rules.key}; {hint}")
            self.begins = [shard.start for shard in listed_shards(self.info) if shard.first == 0]
        assert self.info.start_value is not None
        # the chance of the player who moves first, as it was solved
        self.first = self.info.start_value
        self.game = TwoPlayerGame(rules, tie=tie)
        self.values = CheckedValues(
            self.info.values, STORE, ShardReader(shards_folder(path), self.info, hint).read
        )

    def turn_values(self, rest: TwoPlayerGame) -> tuple[ScoreOffsets, Floats]:
        """Return the values of the first turn of the rest of this game.

        They are those that :func:`.two_players.solved_turn` solves.
        """
        turn = next(turn for turn in self.game.turns() if turn.left == rest.total)
        mover, waiting = rest.players
        whole_mover = self.game.players[turn.mover]
        whole_waiting = self.game.players[1 - turn.mover]
        # These arrays give, by state of the rest, its number in the whole game. The place of a
        # state in its layer is its number less that of the first state there.
        numbers_of_mover = places_in(whole_mover.space, mover.space)
        numbers_of_waiting = places_in(whole_waiting.space, waiting.space)
        before, other = self.game.sides(turn)
        mine = int(numbers_of_mover[mover.start]) - before.first
        theirs = int(numbers_of_waiting[waiting.start]) - other.first
        after = mover.layer(mover.turns - 1)
        whole_after = whole_mover.layer(turn.open[turn.mover] - 1)
        children = numbers_of_mover[after.first : after.first + after.size] - whole_after.first
        start = self._layer(turn.left)
        after_turn = self._layer(turn.left - 1)
        return self.game.turn_values(turn, (mine, theirs), children, start, after_turn)

    def _layer(self, left: int) -> LeadValues:
        """Return the values with `left` turns left."""
        layer = StoredLayer(self.values, self.begins[left])
        return LeadValues(layer, self.game.layer_places(left)[0])  # type: ignore[arg-type]


def stored_game(rest: TwoPlayerGame, tables: Folder) -> TwoPlayerTable | None:
    """Return the stored game of which a game is the rest, or None."""
    # The second player moves where an odd number of turns is left.
    tie = 1 - rest.tie if rest.total % 2 else rest.tie
    if not has_table(rest.rules, tables, NAMES[tie]):
        return None
    with suppress(table_info.MissingTable):  # removed just now
        return TwoPlayerTable(rest.rules, tie, tables)
    return None


def versus_strategy(
    settings: Settings,
    game: TwoPlayerGame,
    cards: tuple[Scorecard, Scorecard],
    means: TurnEvaluator,
    stored: TwoPlayerTable | None,
) -> ScoreStrategy:
    """Return best play of a turn from the first card on, from the stored game or solved.

    The values of the strategy are chances to win, and `means` breaks ties.
    """
    turn = stored.turn_values(game) if stored else solved_turn(settings, game)
    return ScoreStrategy(
        game.rules, None, LeadEvaluator(game, means, *turn), zero=cards[1].total, start=cards[0]
    )


def store_games(settings: Settings, rules: RuleSet, solve: Solve) -> None:
    """Store a whole game for each value of a tie in NAMES, unless it is stored already."""
    for number, tie in enumerate(NAMES):
        game = TwoPlayerGame(rules, tie=tie)
        path = table_path(rules, settings.tables, NAMES[tie])

        def report(done: int, total: int, number: int = number) -> None:
            if settings.progress:
                settings.progress(number * total + done, len(NAMES) * total)

        with driver_lock(table_info.part_path(path)) as free:
            if not free:
                raise TableError(f"{path.stem} is being solved by another process")
            with suppress(TableError):  # a damaged one is solved again
                stored = stored_game(game, settings.tables)
                if stored:
                    stored.values.sha256()  # reads all values, and raises if one is damaged
                    continue
            writer = TwoPlayerWriter(game, path)
            writer.take_over()
            writer.finish(solve(settings.reporting(report), game, writer.part, writer.add))


class TwoPlayerWriter:
    """A writer that stores the layers of a game while it is solved."""

    def __init__(self, game: TwoPlayerGame, path: Path) -> None:
        self.game = game
        self.path = path
        self.folder = table_info.unfinished_shards(path)
        self.began = perf_counter()
        self.part = self.folder / "newest.part"  # the checkpoint of the solve, as computed
        self.identity = game.identity
        sizes = (game.layer_places(left)[1] for left in range(game.total + 1))
        ends = [0, *accumulate(sizes)]  # by turns left: where the values end that come before
        self.begins = ends[:-1]
        # A shard has its number in the layer in place of rows, and the turns left as `filled`.
        self.shards = [
            Shard(left, number, number + 1, begin, min(begin + SHARD, stop))
            for left, (start, stop) in enumerate(pairwise(ends))
            for number, begin in enumerate(range(start, stop, SHARD))
        ]
        # bytes of the shards of an interrupted solve
        known = sum(file.stat().st_size for file in self.folder.glob("*.npy"))
        check_space(self.path.parent, max(0, ends[-1] * STORE.itemsize - known))

    def take_over(self) -> None:
        """Remove shards of an interrupted solve that are damaged or not of this game.

        The newest layer is removed, too, if one before it lacks shards, because rounded values
        cannot replace it.
        """
        missing = set[int]()  # turns left of the layers that are not complete
        with writing_to(self.folder):
            for shard in self.shards:
                path = self.folder / shard.file
                if not stored_shard(path, self.fields(shard), values_too=True):
                    path.unlink(missing_ok=True)
                    missing.add(shard.filled)
            newest = self.game.resume(self.part)
            if newest is None or any(left < newest[0] for left in missing):
                self.part.unlink(missing_ok=True)

    def fields(self, shard: Shard) -> dict[str, Any]:
        """Return what the footer of a shard says apart from its bytes."""
        return shard_fields(self.identity, shard, STORE)

    def add(self, left: int, values: Floats) -> None:
        """Store the values with `left` turns left."""
        begin = self.begins[left]
        for shard in self.shards:
            if shard.filled != left:
                continue
            part = values[shard.start - begin : shard.stop - begin]
            with writing_to(self.folder), writing_shard(self.folder):
                # Only chances of 0 and 1 are stored as 0 and LEVELS, the others between them.
                least, most = np.where(part > 0, 1, 0), np.where(part < 1, LEVELS - 1, LEVELS)
                rounded = np.rint(part * np.float32(LEVELS)).clip(least, most).astype(STORE)
                write_shard(self.folder / shard.file, rounded, shard.start, self.fields(shard))

    def finish(self, first: float) -> None:
        """Make the table from all layers, which must be stored.

        `first` is the chance of the player who moves first.
        """
        digests = digests_of(self.folder, self.identity, self.shards, STORE)
        fields = table_info.table_fields(
            self.game.rules,
            NAMES[self.game.tie],
            STORE,
            self.shards[-1].stop,
            self.identity.sources,
        )
        publish_shards(
            self.path,
            digests,
            fields,
            start_value=first,
            rounding=ERROR,
            sha256="",  # Hashing all values in their order would take long.
            objective_sha256="",  # The objective has no parameters besides its name.
            seconds=round(perf_counter() - self.began, 3),
        )
