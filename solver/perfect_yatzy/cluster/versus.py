"""A whole game of two players on the workers, turn by turn: each part of a turn is a task.

A part needs the values after the turn for its own states of the player who waits. They are one range of the layer
that the driver has stored, from which a killed solve resumes, too. The values of a part come back in a file.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from ..game.rules import RuleSet
from ..model.objectives import FRAME
from ..strategy.tie_rules import tie_rule
from ..strategy.two_player_table import OnLayer, store_games, stored_game
from ..strategy.two_players import TASKS, TwoPlayerGame
from ..strategy.versus import TwoPlayerChances, versus_checkpoint
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress, tables_folder
from ..tablebase.table_info import damaged, store_layer, stored_layer
from .engine import DaskEngine

if TYPE_CHECKING:
    from ..kernels.leads import LeadValues
    from ..strategy.two_players import Turn


@dataclass(frozen=True)
class TurnPart:
    """The turns against the states `begin` to ``end - 1`` of the player who waits."""

    rules: RuleSet
    tie: float
    turn: Turn
    begin: int
    end: int
    layer: Path  # the values after the turn: those from `first` to ``last - 1`` are needed
    first: int
    last: int
    checksum: int  # of these
    path: Path  # where the values of the part go


@lru_cache(maxsize=1)
def _game(rules: RuleSet, tie: float) -> TwoPlayerGame:
    return TwoPlayerGame(rules, tie=tie)


def solve_part(part: TurnPart) -> None:
    """Solve a part of a turn and store its values."""
    below = np.array(np.load(part.layer, mmap_mode="r")[part.first : part.last])
    if crc32(below.data) != part.checksum:
        raise damaged(f"the layer {part.layer} was altered")
    values = _game(part.rules, part.tie).part_of_turn(part.turn, part.begin, part.end, below)
    store_layer(part.path, part.rules, values)


def versus_on(
    engine: DaskEngine, rules: RuleSet, ties: str = "half", tables: str | os.PathLike[str] | None = None,
    progress: Progress | None = None, store: bool = False,
) -> TwoPlayerChances:  # fmt: skip
    """Solve a whole game of two players on the workers; as :func:`perfect_yatzy.versus`."""

    def parts_of(game: TwoPlayerGame, layer: Path, turn: Turn, waiting: int, below: LeadValues) -> Iterator[TurnPart]:
        size, after = max(1, waiting // (TASKS * engine.threads)), len(below.place) // waiting
        bounds = np.append(below.place, len(below.values) - FRAME)
        for begin in range(0, waiting, size):
            end = min(begin + size, waiting)
            first, last = int(bounds[begin * after]), int(bounds[end * after]) + FRAME
            checksum, path = crc32(below.values[first:last].data), layer.with_suffix(f".{secrets.token_hex(8)}.part")
            yield TurnPart(rules, game.tie, turn, begin, end, layer, first, last, checksum, path)

    def solve_turn(game: TwoPlayerGame, layer: Path, turn: Turn, below: LeadValues) -> LeadValues:
        before, other = game.pairs(turn)
        target = game.blank(before, other, game.lead_of(turn.mover))
        parts = [*parts_of(game, layer, turn, other.size, below)]
        bounds = np.append(target.place, len(target.values) - FRAME)
        try:
            for number, _none in engine.map(solve_part, parts):
                part = parts[number]
                values, _fields = stored_layer(part.path, rules) or (None, None)
                if values is None:
                    raise damaged(f"the values {part.path} were altered or removed")
                part.path.unlink()
                ranges = zip(bounds[part.begin : -1 : other.size], bounds[part.end :: other.size], strict=True)
                begin = 0
                for first, last in ranges:
                    target.values[first:last] = values[begin : begin + last - first]
                    begin += last - first
        finally:
            for part in parts:
                part.path.unlink(missing_ok=True)
        return target

    def solve(game: TwoPlayerGame, layer: Path, on_layer: OnLayer | None, report: Progress | None) -> float:
        check_memory(rules, game.cost())
        with engine.seeing(layer.parent, f"versus-{rules.fingerprint[:12]}"):
            return game.chance(1, report, layer, partial(solve_turn, game, layer), on_layer)

    game, folder = TwoPlayerGame(rules, tie=tie_rule(ties).share), tables_folder(tables).absolute()
    if store:
        store_games(rules, folder, solve, progress)
    known = stored_game(game, folder)
    chance = known.first if known else solve(game, versus_checkpoint(rules, folder), None, progress)
    return TwoPlayerChances(rules, chance, 1 - chance)
