"""Simulated games as a file: one row a game in CSV or Parquet, or a record with every die in JSON Lines."""

from __future__ import annotations

from typing import IO

from ..._messages import _, number_text
from ...errors import StateError
from ...play.simulated import simulated_records
from ...strategy.simulation import Simulation
from ...strategy.strategy import Strategy
from .table_file import check_suffix, write_table

MAX_RECORDS = 100_000  # a record may have 256 MiB; a game of Yatzy has 2.3 kB


def check_output(path: str, games: int, card: str) -> None:
    """Raise StateError or MissingPackage unless these games can be written to this file."""
    check_suffix(path)
    if path.endswith(".jsonl") and (games > MAX_RECORDS or card):
        raise StateError(
            _("a .jsonl file takes at most {most} games, from the empty card").format(
                most=number_text(MAX_RECORDS, grouped=True)
            )
        )


def write_records(file: IO[bytes], strategy: Strategy, simulation: Simulation) -> None:
    """Write the games as a record (:mod:`perfect_yatzy.play.record`), with every die and decision.

    Parameters
    ----------
    strategy
        What played them.
    """
    games, player = len(simulation.final_scores), simulation.policy
    for line in simulated_records(strategy, games, simulation.seed, player=player):
        file.write(line.encode() + b"\n")


def write_games(file: IO[bytes], path: str, simulation: Simulation) -> None:
    """Write the columns of :meth:`Simulation.columns` as CSV or Parquet, one row a game.

    A Parquet file also has the metadata of the simulation.

    Parameters
    ----------
    path
        Its suffix selects the format.
    """
    write_table(file, path, [simulation.columns()], simulation.metadata())
