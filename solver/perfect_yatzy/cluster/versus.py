"""Games of two players on the workers.

A whole game of two players is solved turn by turn. A part of a turn needs the values after the turn
for its own states of the player who waits. They are one range of the layer that the driver has
stored, from which a killed solve resumes, too. The values of a part come back in a file.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from zlib import crc32

import numpy as np

from .._files import read_array
from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.table_info import damaged
from ..core.table_slices import FRAME
from ..settings import Settings
from ..strategy.tie_rules import tie_rule
from ..tablebase.checkpoint import store_layer, stored_layer
from ..tablebase.estimates import check_memory
from ..tablebase.store import tables_folder
from ..two_players.leads_kernel import LeadValues
from ..two_players.two_player_table import OnLayer, store_games, stored_game
from ..two_players.two_players import TASKS, TwoPlayerGame, TwoPlayerTurn
from ..two_players.versus import TwoPlayerChances, versus_checkpoint
from .engine import DaskEngine


@dataclass(frozen=True)
class TurnPart:
    """The turns against the states `begin` to ``end - 1`` of the player who waits."""

    rules: RuleSet
    tie: float
    turn: TwoPlayerTurn
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


def _checksum(values: Floats) -> int:
    """Return the CRC-32 of values and of their dtype, which a header may state wrongly."""
    return crc32(values.data, crc32(values.dtype.str.encode()))


def _values_after(part: TurnPart) -> Floats:
    """Return the values after the turn that the part needs."""
    with suppress(ValueError):
        values = np.array(read_array(part.layer, mapped=True)[part.first : part.last])
        if _checksum(values) == part.checksum:
            return values
    raise damaged(f"the layer {part.layer} was altered")


def solve_part(part: TurnPart) -> None:
    """Solve a part of a turn and store its values."""
    below = _values_after(part)
    values = _game(part.rules, part.tie).part_of_turn(part.turn, part.begin, part.end, below)
    store_layer(part.path, _game(part.rules, part.tie).identity, values)


def _bounds(leads: LeadValues) -> Ints:
    """Return where each pair of cards begins in the values, and where the last one ends."""
    return np.append(leads.place, len(leads.values) - FRAME)


def _parts_of(
    game: TwoPlayerGame,
    layer: Path,
    turn: TwoPlayerTurn,
    threads: int,
    below: LeadValues,
) -> Iterator[TurnPart]:
    """Yield the parts of a turn, by states of the other player.

    `below` are the values after the turn.
    """
    _mover, other = game.sides(turn)
    size = max(1, other.size // (TASKS * threads))
    bounds = _bounds(below)
    # The other player moves next, so the pairs of one of those states follow one another.
    pairs_of_state = len(below.place) // other.size
    for begin in range(0, other.size, size):
        end = min(begin + size, other.size)
        first = int(bounds[begin * pairs_of_state])
        last = int(bounds[end * pairs_of_state]) + FRAME
        checksum = _checksum(below.values[first:last])
        path = layer.with_suffix(f".{secrets.token_hex(8)}.part")
        yield TurnPart(game.rules, game.tie, turn, begin, end, layer, first, last, checksum, path)


def _solve_turn(
    engine: DaskEngine, game: TwoPlayerGame, layer: Path, turn: TwoPlayerTurn, below: LeadValues
) -> LeadValues:
    """Return the values before a turn from those after it, which `layer` stores.

    They are solved on the workers in parts.
    """
    before, other = game.sides(turn)
    target = game.blank(before, other, game.lead_of(turn.mover))
    bounds = _bounds(target)
    parts = [*_parts_of(game, layer, turn, engine.threads, below)]
    try:
        for number, _none in engine.map(solve_part, parts):
            part = parts[number]
            stored = stored_layer(part.path, game.identity)
            if stored is None:
                raise damaged(f"the values {part.path} were altered or removed")
            values, _fields = stored
            part.path.unlink()
            # The states of the other player are the inner index of the pairs, so a part has one run
            # of values for each state of the mover.
            run_begins = bounds[part.begin : -1 : other.size]
            run_ends = bounds[part.end :: other.size]
            copied = 0
            for begin, end in zip(run_begins, run_ends, strict=True):
                target.values[begin:end] = values[copied : copied + end - begin]
                copied += end - begin
    finally:
        for part in parts:
            part.path.unlink(missing_ok=True)
    return target


def versus_on(
    settings: Settings,
    engine: DaskEngine,
    rules: RuleSet,
    ties: str = "half",
    store: bool = False,
) -> TwoPlayerChances:
    """Solve a whole game of two players on the workers, as :func:`perfect_yatzy.versus` does."""

    def solve(
        of_solve: Settings, game: TwoPlayerGame, layer: Path, on_layer: OnLayer | None
    ) -> float:
        """Return the chance of the first player, solved with its layers in a file."""
        check_memory(rules, game.cost())
        with engine.seeing(layer.parent, f"versus-{rules.fingerprint[:12]}"):
            solve_turn = partial(_solve_turn, engine, game, layer)
            return game.chance(of_solve, layer, solve_turn, on_layer)

    game = TwoPlayerGame(rules, tie=tie_rule(ties).share)
    folder = tables_folder(settings.tables)
    settings = Settings(folder.absolute(), 1, settings.progress)
    if store:
        store_games(settings, rules, solve)
    layer = versus_checkpoint(rules, settings.tables)
    stored = stored_game(game, settings.tables)
    chance = stored.first if stored else solve(settings, game, layer, None)
    return TwoPlayerChances(rules, chance, 1 - chance)
