"""The file of an unfinished game."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import SolverError, StateError
from ..game.rule_loader import rules_from_json
from .record import check_names
from .session import SCHEMA, Session


class SaveFile:
    """The file of an unfinished game at one sitting: what another sitting has written there is not overwritten.

    Attributes
    ----------
    seen : bytes or None
        What this sitting last read or wrote; None where there was no file.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self.seen = self._content()

    def load(self) -> Session:
        """The game that was there; StateError if it is none."""
        return load_session(self.path)

    def write(self, session: Session) -> None:
        """Save the game; SolverError if that is not possible."""
        self._check()
        session.save(self.path)
        self.seen = self._content()

    def remove(self) -> None:
        """The game is over, and written down elsewhere."""
        self._check()
        self.path.unlink(missing_ok=True)

    def _content(self) -> bytes | None:
        try:
            if self.path.exists() and not self.path.is_file():
                raise SolverError(f"{self.path} is no file to save a game in")
            return self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SolverError(f"cannot read {self.path}: {error.strerror}") from error

    def _check(self) -> None:
        if self._content() != self.seen:
            raise SolverError(f"another play has changed the game in {self.path}; this one stops here")


def load_session(path: Path) -> Session:
    """A saved session, played again action by action.

    Raises
    ------
    StateError
        If the file is no session, or its rules have changed.
    """
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        rules = rules_from_json(raw["rules"])
        if raw["schema"] != SCHEMA or raw["fingerprint"] != rules.fingerprint:
            raise StateError("it was saved under other rules")
        players, seed = raw["players"], raw["seed"]
        if not isinstance(players, list) or not players or not all(isinstance(name, str) for name in players):
            raise StateError(f"players is {players!r}")
        check_names(players)
        if seed is not None and type(seed) is not int:
            raise StateError(f"seed is {seed!r}")
        session = Session(rules, tuple(players), seed)
        for kind, dice, category in raw["actions"]:
            if not all(type(face) is int for face in dice):
                raise StateError(f"dice are {dice!r}")
            if kind == "score":
                session.score(category)
            elif kind == "hold":
                session.hold(dice)
            else:
                session.roll(dice)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StateError(f"{path} is no saved game ({error}); start anew with --new") from error
    return session
