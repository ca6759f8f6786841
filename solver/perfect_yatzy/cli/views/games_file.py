"""Simulated games as a file: one row a game in CSV or Parquet, or a record with every die in JSON Lines."""

from __future__ import annotations

import json
from typing import IO

from ...errors import StateError
from ...play.replay import replay
from ...strategy.simulation import Simulation
from ...strategy.strategy import Strategy
from .table_file import check_suffix, write_table

MAX_RECORDS = 10_000  # records are replayed one by one, about 20 ms each


def check_output(path: str, games: int, policy: str, card: str) -> None:
    """Raise StateError or MissingPackage unless these games can be written to this file."""
    check_suffix(path)
    if path.endswith(".jsonl") and (games > MAX_RECORDS or policy != "mean" or card):
        raise StateError(
            f"a .jsonl file takes at most {MAX_RECORDS:,} games, from the empty card and with --policy mean"
        )


def write_records(file: IO[bytes], strategy: Strategy, games: int, seed: int) -> None:
    """Write the games as a record (:mod:`perfect_yatzy.play.record`), with every die and decision."""
    for game in range(games):
        file.write(json.dumps(replay(strategy, seed, game).to_json()).encode() + b"\n")


def write_games(file: IO[bytes], path: str, simulation: Simulation) -> None:
    """Write the columns of :meth:`Simulation.columns` as CSV or Parquet, one row a game.

    A Parquet file also has the metadata of the simulation.

    Parameters
    ----------
    path
        Its suffix selects the format.
    """
    write_table(file, path, [simulation.columns()], simulation.metadata())
