"""Where `yatzy play` keeps the games of this user: the unfinished one, and the record of the finished ones."""

from __future__ import annotations

from pathlib import Path

from .._messages import _
from ..errors import SolverError, StateError


def unfinished_game_path() -> Path:
    """The file of the unfinished game without --save."""
    import platformdirs

    return Path(platformdirs.user_state_dir("perfect-yatzy")) / "game.json"


def record_path() -> Path:
    """The file of finished games without --record."""
    import platformdirs

    return Path(platformdirs.user_data_dir("perfect-yatzy")) / "games.jsonl"


def new_record_path() -> str:
    """The file of finished games without --record; its folder is made."""
    path = record_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = _("cannot write to {folder}: {reason}; choose a file with --record")
        raise SolverError(text.format(folder=path.parent, reason=error.strerror)) from error
    return str(path)


def finished_games() -> str:
    """The record of finished games, which must exist."""
    path = record_path()
    if not path.exists():
        raise StateError(
            _("`yatzy play` has not recorded a finished game in {path}; name the file of a record", path=path)
        )
    return str(path)
