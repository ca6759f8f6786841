"""Final scores in a CSV file, as spreadsheets write them.

Either a column ``player`` and a column ``score``, a game of a player in each row; or a column for each
player, a game in each row. A column ``rules`` names the rules of a row. Columns ``date`` and ``game`` are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..core.rules import RuleSet
from ..errors import SolverError, StateError, shown
from ..game.maximum_score import maximum_score
from ..game.rule_loader import load_rules, rules_from_json
from ..words import _
from .record import check_names, record_lines

ENDING = ".csv"  # of the files
SCORE_COLUMNS = {"score", "final_score", "result"}
OTHER_COLUMNS = {"date", "game", "rules"}
SEPARATORS = ",;\t"


def is_score_list(source: object) -> bool:
    """Whether a file is a list of scores, by its name."""
    return isinstance(source, str | Path) and str(source).lower().endswith(ENDING)


def read_scores(path: str | Path, rules: RuleSet | str) -> Iterator[tuple[RuleSet, str, int]]:
    """The rules, the player and the score of each game of a file; `rules` where a row names none.

    Raises
    ------
    StateError
        If the file cannot be read, has no scores, or one of them cannot be.
    """
    found = 0
    lines = record_lines(path)
    _number, head = next(lines, (1, b""))
    separator = max(SEPARATORS, key=lambda sign: head.count(sign.encode()))
    columns = [name.strip() for name in _cells(path, head, separator)]
    kinds = [name.lower() for name in columns]
    if "player" in kinds:
        scores = [i for i, kind in enumerate(kinds) if kind in SCORE_COLUMNS][:1]
    else:
        scores = [i for i, kind in enumerate(kinds) if kind and kind not in OTHER_COLUMNS]
        check_names([columns[i] for i in scores])
    if not scores:
        text = _("{path} has no scores; its first line must name the columns: player, score")
        raise StateError(text.format(path=path))
    otherwise = load_rules(rules)
    highest = cache(maximum_score)
    for number, line in lines:
        cells = [cell.strip() for cell in _cells(path, line, separator)]
        row = dict(zip(kinds, cells, strict=False))
        try:
            of_row = rules_from_json(row["rules"]) if row.get("rules") else otherwise
            for column in scores:
                if column >= len(cells) or not cells[column]:
                    continue  # this player was not in the game
                player = row.get("player", columns[column])
                check_names([player])
                yield of_row, player, _score(cells[column], highest(of_row))
                found += 1
        except SolverError as error:
            raise StateError(f"{path}:{number}: {error}") from error
    if not found:
        raise StateError(_("{source} contains no games", source=path))


def _cells(path: str | Path, line: bytes, separator: str) -> list[str]:
    try:
        (cells,) = csv.reader([line.decode("utf-8-sig")], delimiter=separator)
    except (ValueError, csv.Error) as error:
        raise StateError(_("{value} is not UTF-8 text", value=path)) from error
    return cells


def _score(text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        message = _("the score {score} must be a whole number from 0 to {most}")
        raise StateError(message.format(score=shown(text), most=most))
    return int(text)
