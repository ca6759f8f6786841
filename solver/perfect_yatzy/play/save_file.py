"""The file of an unfinished game: the actions of a session as JSON, replaced in one step.

{"schema": 2, "rules": "yatzy", "fingerprint": "...", "players": ["Ann", "Computer (level 5)"], "seed": 5,
 "computers": ["", "5"], "actions": [["roll", [1, 3, 3, 4, 6], ""], ["hold", [3, 3], ""]]}

Schema 1 had no `computers`: all players were persons.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, get_args

from .._files import replacing
from .._messages import _
from ..errors import SolverError, StateError, shown
from ..game.limits import MAX_GAME_BYTES, parse_json, read_limited
from ..game.rule_loader import rules_from_json, rules_to_json
from ..policies.computer_players import parse_kind
from .record import check_names
from .session import Action, Kind, Session

SCHEMA = 2
READABLE_SCHEMAS = (1, 2)


class SaveFile:
    """A file with an unfinished game, protected from other processes that play the same game.

    The object remembers the content it last read or wrote. Writing or removing the file fails if another process has
    changed it since.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self.seen = self._content()

    def load(self) -> Session:
        """Read the saved game; see :func:`load_session`."""
        return load_session(self.path)

    def write(self, session: Session) -> None:
        """Save the game."""
        self._check_unchanged()
        save_session(self.path, session)
        self.seen = self._content()

    def remove(self) -> None:
        """Delete the file, after the finished game has been recorded."""
        self._check_unchanged()
        self.path.unlink(missing_ok=True)

    def _content(self) -> bytes | None:
        try:
            if self.path.exists() and not self.path.is_file():
                message = _("{path} is not a regular file; choose another file for the saved game")
                raise SolverError(message.format(path=self.path))
            return read_limited(self.path, MAX_GAME_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SolverError(_("cannot read {path}: {reason}", path=self.path, reason=error.strerror)) from error

    def _check_unchanged(self) -> None:
        if self._content() != self.seen:
            message = _("another process has changed the game in {path}; this one stops here")
            raise SolverError(message.format(path=self.path))


def save_session(path: Path, session: Session) -> None:
    """Write a session to a file; an old file is replaced in one step."""
    content = {
        "schema": SCHEMA,
        "rules": rules_to_json(session.rules),
        "fingerprint": session.rules.fingerprint,
        "players": list(session.players),
        "seed": session.seed,
        "computers": list(session.computers),
        "actions": [[action.kind, list(action.dice), action.category] for action in session.actions],
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(content).encode())
    except OSError as error:
        message = _("cannot save the game in {path}: {reason}")
        raise SolverError(message.format(path=path, reason=error.strerror or error)) from error


def load_session(path: Path) -> Session:
    """Read a saved session; every action is checked."""
    try:
        raw: dict[str, Any] = parse_json(read_limited(path, MAX_GAME_BYTES))
        rules = rules_from_json(raw["rules"])
        if raw["schema"] not in READABLE_SCHEMAS or raw["fingerprint"] != rules.fingerprint:
            raise StateError(_("it was saved under other rules"))
        players, seed = raw["players"], raw["seed"]
        if not isinstance(players, list) or not players or not all(isinstance(name, str) for name in players):
            raise StateError(_("players is {players}; must be a list of names", players=shown(players)))
        check_names(players)
        if seed is not None and not (type(seed) is int and 0 <= seed < 1 << 63):
            message = _("seed is {seed}; must be a whole number from 0 to 2^63 - 1, or null")
            raise StateError(message.format(seed=shown(seed)))
        session = Session(rules, tuple(players), seed, _computers(raw.get("computers", []), len(players)))
        for kind, dice, category in raw["actions"]:
            if kind not in get_args(Kind):
                message = _("{value} is not an action; must be one of {names}")
                raise StateError(message.format(value=shown(kind), names=", ".join(get_args(Kind))))
            if not all(type(face) is int for face in dice):
                raise StateError(_("dice are {dice}; must be a list of whole numbers", dice=shown(dice)))
            session.apply(Action(kind, tuple(dice), category))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        message = _("{path} is not a saved game ({error}); start a new game with --new")
        raise StateError(message.format(path=path, error=error)) from error
    return session


def _computers(raw: object, players: int) -> tuple[str, ...]:
    """The kinds of computer players, checked; empty for persons."""
    if not isinstance(raw, list) or len(raw) not in (0, players) or not all(isinstance(kind, str) for kind in raw):
        raise StateError(_("computers is {value}; must be a list with a text for each player", value=shown(raw)))
    for kind in filter(None, raw):
        parse_kind(kind)
    return tuple(raw)
