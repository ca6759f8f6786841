"""Simulated games: in words with a histogram, and as a table of games in CSV or Parquet."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from ...errors import MissingPackage, SolverError, StateError
from ...game.rules import RuleSet
from ...play import record
from ...play.replay import replay
from ...strategy.simulation import Simulation
from ...strategy.strategy import Strategy
from .charts import histogram
from .text import card_line, category_lines, chance_text, percentile_line

ENDINGS = (".csv", ".parquet", ".jsonl")
MAX_RECORDS = 10_000  # records are replayed one by one, some 20 ms each


class OutputError(SolverError):
    """Games could not be written."""

    exit_code = 1


def simulation_text(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for `yatzy simulate`."""
    several = answer["games"] > 1
    headline = f"Final score {answer['highest']} in one game"
    if several:
        error = f"{answer['standard_error']:.2f}"
        headline = f"Mean final score {answer['mean']:.2f} ± {error} (standard error) in {answer['games']:,} games"
    lines = [headline, "", card_line(rules, answer)]
    if "reached" in answer:
        goal = answer["policy"].partition(":")[2]
        line = f"{goal} or more: "
        if several:
            reached, error = 100 * answer["reached"], 100 * answer["reached_error"]
            line = f"{goal} or more in {reached:.2f} ± {error:.2f} % of the games; "
        lines.append(f"{line}exact chance {chance_text(answer['chance'])}")
    else:
        lines.append(f"Exact expected final score {answer['expected_final_score']:.2f}")
    if not several:
        return [*lines, "", *category_lines(rules, answer["categories"])]
    figures = f"Standard deviation {answer['standard_deviation']:.2f}"
    if rules.bonus:
        figures += f", upper bonus in {100 * answer['upper_bonus_chance']:.1f} % of the games"
    lines += [figures, percentile_line(answer["percentiles"])]
    lines += [f"Lowest {answer['lowest']}, highest {answer['highest']}", ""]
    lines += histogram(answer["lowest"], answer["chances"])
    return [*lines, "", *category_lines(rules, answer["categories"])]


def check_output(path: str, games: int, policy: str, card: str) -> None:
    """Raise StateError unless such games can be written to such a file."""
    if Path(path).suffix not in ENDINGS:
        raise StateError(f"{path} must end in {' or '.join(ENDINGS)}")
    if path.endswith(".jsonl") and (games > MAX_RECORDS or policy != "mean" or card):
        raise StateError(f"a .jsonl file takes up to {MAX_RECORDS:,} whole games played for the mean")
    if path.endswith(".parquet"):
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise MissingPackage("Parquet", "pyarrow") from error


def write_records(path: str, strategy: Strategy, games: int, seed: int) -> None:
    """The games as a record (:mod:`perfect_yatzy.play.record`), with every die and decision."""
    try:
        Path(path).write_text("", encoding="utf-8")
        record.write_games(path, (replay(strategy, seed, game) for game in range(games)))
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def write_games(path: str, played: Simulation) -> None:
    """Write the columns of the games as CSV or Parquet, one row per game; Parquet has their metadata, too."""
    columns = played.columns()
    try:
        if path.endswith(".csv"):
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        else:
            import pyarrow
            import pyarrow.parquet

            pyarrow.parquet.write_table(pyarrow.table(columns, metadata=played.metadata()), path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
