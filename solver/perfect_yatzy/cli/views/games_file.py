"""Simulated games as a file: one row a game in CSV or Parquet, or a record with every die in JSON Lines."""

from __future__ import annotations

import csv
from pathlib import Path

from ...errors import MissingPackage, SolverError, StateError
from ...play import record
from ...play.replay import replay
from ...strategy.simulation import Simulation
from ...strategy.strategy import Strategy
from .wording import alternatives

SUFFIXES = (".csv", ".parquet", ".jsonl")
MAX_RECORDS = 10_000  # records are replayed one by one, about 20 ms each


class OutputError(SolverError):
    """Games cannot be written."""

    exit_code = 1


def check_output(path: str, games: int, policy: str, card: str) -> None:
    """Raise StateError or MissingPackage unless these games can be written to this file."""
    if Path(path).suffix not in SUFFIXES:
        raise StateError(f"{path} must end in {alternatives(SUFFIXES)}")
    if path.endswith(".jsonl") and (games > MAX_RECORDS or policy != "mean" or card):
        raise StateError(
            f"a .jsonl file takes at most {MAX_RECORDS:,} games, from the empty card and with --policy mean"
        )
    if path.endswith(".parquet"):
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise MissingPackage("Parquet", "pyarrow") from error


def write_records(path: str, strategy: Strategy, games: int, seed: int) -> None:
    """Write the games as a record (:mod:`perfect_yatzy.play.record`), with every die and decision.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    try:
        Path(path).write_text("", encoding="utf-8")
        record.write_games(path, (replay(strategy, seed, game) for game in range(games)))
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def write_games(path: str, simulation: Simulation) -> None:
    """Write the columns of :meth:`Simulation.columns` to a CSV or Parquet file, one row a game.

    A Parquet file also has the metadata of the simulation.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    columns = simulation.columns()
    try:
        if path.endswith(".csv"):
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        else:
            import pyarrow
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.table(columns, metadata=simulation.metadata()), path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
