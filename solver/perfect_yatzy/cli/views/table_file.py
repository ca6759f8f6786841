"""Simulated games and positions as a file: named columns as CSV, JSON Lines or Parquet, by its suffix.

CSV      a row of names, then the rows; lists as numbers with spaces between, or `none`; nothing for null
JSONL    a line {"metadata": {...}}, then an object a line; of games a record with every die
Parquet  the metadata are those of the schema
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ..._messages import _
from ...errors import StateError
from ...play.simulated_records import played_records, simulated_records
from ...policies.policy import exact_policy
from ...policies.simulation import PlayedSimulation
from ...strategy.metadata import arrow_table, check_pyarrow
from ...strategy.simulation import Simulation
from .wording import alternatives, grouped

SUFFIXES = (".csv", ".parquet", ".jsonl")
MAX_RECORDS = 100_000  # a record may have 256 MiB; a game of Yatzy has 2.3 kB


def check_output(path: str, games: int = 0, card: str = "") -> None:
    """Raise StateError or MissingPackage unless so many games from a card, or positions, can be written to a file."""
    if Path(path).suffix not in SUFFIXES:
        raise StateError(_("{path} must end in {suffixes}", path=path, suffixes=alternatives(SUFFIXES)))
    if path.endswith(".parquet"):
        check_pyarrow("Parquet")
    if path.endswith(".jsonl") and (games > MAX_RECORDS or card):
        text = _("a .jsonl file takes at most {most} games, from the empty card")
        raise StateError(text.format(most=grouped(MAX_RECORDS)))


def write_table(file: IO[bytes], path: str, parts: Iterable[Mapping[str, Any]], metadata: Mapping[str, str]) -> None:
    """Write columns of equal length, part by part, in the format of the suffix of `path`."""
    if path.endswith(".parquet"):
        import pyarrow.parquet

        tables = (arrow_table(columns, metadata) for columns in parts)
        first = next(tables)
        with pyarrow.parquet.ParquetWriter(file, first.schema) as parquet:
            for table in chain([first], tables):
                parquet.write_table(table)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer, is_csv = csv.writer(text, lineterminator="\n"), path.endswith(".csv")
    for i, columns in enumerate(parts):
        rows = zip(*(c if isinstance(c, list) else c.tolist() for c in columns.values()), strict=True)
        if i == 0 and is_csv:
            writer.writerow(columns)
        elif i == 0:
            described = {name: json.loads(value) if name == "columns" else value for name, value in metadata.items()}
            text.write(json.dumps({"metadata": described}) + "\n")
        if is_csv:
            cells = ([" ".join(map(str, c)) or "none" if isinstance(c, list) else c for c in row] for row in rows)
            writer.writerows(cells)
        else:
            text.writelines(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
    text.detach()  # the caller closes the file


def write_games(file: IO[bytes], path: str, policy: object, simulation: Simulation) -> None:
    """Write games as a record or as columns with the metadata of the simulation, by the suffix of `path`."""
    if not path.endswith(".jsonl"):
        write_table(file, path, [simulation.columns()], simulation.metadata())
        return
    if isinstance(simulation, PlayedSimulation):
        lines = played_records(simulation)
    else:
        listed, games = exact_policy(policy), len(simulation.final_scores)
        assert listed is not None
        lines = simulated_records(listed, games, simulation.seed, player=simulation.policy)
    for line in lines:
        file.write(line.encode() + b"\n")
