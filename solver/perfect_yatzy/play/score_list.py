"""Final scores in a CSV file, as spreadsheets write them.

The file has either a column ``player`` and a column ``score``, with the game of one player in each
row, or a column for each player, with a game in each row. A column ``rules`` names the rules of a
row. Columns ``date`` and ``game`` are ignored.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..core.rules import RuleSet
from ..errors import SolverError, StateError, shown
from ..game.maximum_score import maximum_score
from ..game.rule_loader import load_rules, rules_from_json
from ..words import _
from .record import check_names, record_lines

ENDING = ".csv"  # of the names of these files
SCORE_COLUMNS = {"score", "final_score", "result"}
OTHER_COLUMNS = {"date", "game", "rules"}
SEPARATORS = ",;\t"


def is_score_list(source: object) -> bool:
    """Return whether a file is a list of scores, by its name."""
    return isinstance(source, str | Path) and str(source).lower().endswith(ENDING)


class Result(NamedTuple):
    """The result of one player in a game without recorded decisions."""

    rules: RuleSet
    player: str
    score: int


def read_scores(path: str | Path, rules: RuleSet | str) -> Iterator[Result]:
    """Yield the result of each game of a file, under `rules` where a row names none.

    Raises
    ------
    StateError
        If the file cannot be read, has no scores, or has a score that is not valid.
    """
    n_results = 0
    lines = record_lines(path)
    _number, head = next(lines, (1, b""))
    separator = max(SEPARATORS, key=lambda sign: head.count(sign.encode()))
    columns = [name.strip() for name in _cells(path, head, separator)]
    kinds = [name.lower() for name in columns]
    # The positions of the columns with scores: one, or one for each player.
    if "player" in kinds:
        scores = [i for i, kind in enumerate(kinds) if kind in SCORE_COLUMNS][:1]
    else:
        scores = [i for i, kind in enumerate(kinds) if kind and kind not in OTHER_COLUMNS]
        check_names([columns[i] for i in scores])
    if not scores:
        text = _("{path} has no scores; its first line must name the columns: player, score")
        raise StateError(text.format(path=path))
    default_rules = load_rules(rules)
    highest = cache(maximum_score)
    for number, line in lines:
        cells = [cell.strip() for cell in _cells(path, line, separator)]
        row = dict(zip(kinds, cells, strict=False))
        try:
            named_rules = row.get("rules")
            played = rules_from_json(named_rules) if named_rules else default_rules
            for column in scores:
                if column >= len(cells) or not cells[column]:
                    continue  # this player was not in the game
                player = row.get("player", columns[column])
                check_names([player])
                yield Result(played, player, _score(cells[column], highest(played)))
                n_results += 1
        except SolverError as error:
            raise StateError(f"{path}:{number}: {error}") from error
    if not n_results:
        raise StateError(_("{source} contains no games", source=path))


def _cells(path: str | Path, line: bytes, separator: str) -> list[str]:
    """Return the cells of a line. The path is for the message if it is no text."""
    try:
        (cells,) = csv.reader([line.decode("utf-8-sig")], delimiter=separator)
    except (ValueError, csv.Error) as error:
        raise StateError(_("{value} is not UTF-8 text", value=path)) from error
    return cells


def _score(text: str, most: int) -> int:
    """Return the score in a cell. Raises StateError unless it is a number from 0 to `most`."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        message = _("the score {score} must be a whole number from 0 to {most}")
        raise StateError(message.format(score=shown(text), most=most))
    return int(text)
