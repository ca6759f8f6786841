"""A record of games: JSON Lines, one game a line, schema-versioned, checked when it is read.

{"schema": 2, "rules": "yatzy", "players": ["Ann", "Bo"], "turns": [
  {"player": 0, "rolls": [[1, 3, 3, 4, 6], [3, 3, 3, 5, 6]], "holds": [[3, 3]], "category": "threes", "points": 9}]}

`rolls` are the dice on the table after each roll, `holds` what was kept between them; `beside` (joker and first-roll
bonuses) is 0 where it is missing. `rules` is the name of built-in rules, or the whole rule set as an object with the
fields of a rule file, so that a record needs no other file. A game may be unfinished. Other fields are kept and not
understood.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import category

from ..errors import StateError
from ..game.dice import Dice
from ..game.notation import check_dice, counts_of, spaced
from ..game.rule_loader import rules_from_json, rules_to_json
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.scoring import scoring_options

SCHEMA = 2
READABLE = (1, 2)  # schema 1 called bonus points `beside`
OWN = {"schema", "rules", "players", "turns"}


@dataclass(frozen=True)
class Turn:
    """One turn: the dice after each roll, what was held between them, and the box they went to."""

    player: int
    dice_history: tuple[Dice, ...]
    holds: tuple[Dice, ...]
    category: str
    points: int
    bonus_points: int = 0


@dataclass(frozen=True)
class Game:
    """One game of one or more players, finished or not.

    Attributes
    ----------
    rules : RuleSet
    players : tuple of str
    turns : tuple of Turn
        In the order they were played.
    extra : dict
        What else the record says (seed, date ...).
    """

    rules: RuleSet
    players: tuple[str, ...]
    turns: tuple[Turn, ...]
    extra: dict[str, Any] = field(default_factory=dict)

    def cards(self, player: int) -> Iterator[tuple[Scorecard, Turn]]:
        """Each turn of a player, with the card before it."""
        card = Scorecard(self.rules)
        for turn in self.turns:
            if turn.player == player:
                yield card, turn
                card = card_after(card, turn)

    def card(self, player: int) -> Scorecard:
        """A player's card as it stands at the end of the record."""
        card = Scorecard(self.rules)
        for before, turn in self.cards(player):
            card = card_after(before, turn)
        return card

    def to_json(self) -> dict[str, Any]:
        """The line of the record, as plain JSON values."""
        turns = []
        for turn in self.turns:
            entry: dict[str, Any] = {
                "player": turn.player,
                "rolls": [list(dice) for dice in turn.dice_history],
                "holds": [list(dice) for dice in turn.holds],
                "category": turn.category,
                "points": turn.points,
            }
            turns.append(entry | ({"bonus_points": turn.bonus_points} if turn.bonus_points else {}))
        head = {"schema": SCHEMA, "rules": rules_to_json(self.rules), "players": list(self.players)}
        return head | self.extra | {"turns": turns}


def check_names(players: Sequence[str]) -> None:
    """Raise StateError unless every player's name can be shown: no control characters, no halves of others."""
    for name in players:
        if any(category(symbol) in ("Cc", "Cs", "Zl", "Zp") for symbol in name):
            raise StateError(f"{name!r} is no name of a player: it cannot be shown")


def card_after(card: Scorecard, turn: Turn) -> Scorecard:
    """The card after a turn."""
    rules = card.rules
    left = rules.rolls_per_turn + card.saved - len(turn.dice_history)
    saved = left if rules.saved_rolls else 0
    return card.filled_with(rules.index_of[turn.category], turn.points, turn.bonus_points, saved)


def check_turn(card: Scorecard, turn: Turn) -> None:
    """Raise StateError unless the turn can be played from this card."""
    rules = card.rules
    most = rules.rolls_per_turn + card.saved
    if not 1 <= len(turn.dice_history) <= most:
        raise StateError(f"{len(turn.dice_history)} rolls; a turn from here has 1 to {most}")
    if len(turn.holds) != len(turn.dice_history) - 1:
        raise StateError(f"{len(turn.holds)} holds between {len(turn.dice_history)} rolls")
    for dice in turn.dice_history:
        check_dice(rules, dice)
    for i, held in enumerate(turn.holds):
        if len(held) == rules.dice:
            raise StateError("all dice were held and none rerolled; such a roll is left out")
        for dice in (turn.dice_history[i], turn.dice_history[i + 1]):
            if any(held.count(face) > dice.count(face) for face in set(held)):
                raise StateError(f"{spaced(held)} was held, which is not within {spaced(dice)}")
    if turn.category not in rules.index_of:
        raise StateError(f"unknown category {turn.category!r}")
    state = card.state
    if state.filled == rules.full_mask:
        raise StateError("every category is filled: the game is over")
    counts = counts_of(rules, sorted(turn.dice_history[-1]))
    allowed = scoring_options(rules, state.filled, state.joker_paid, counts, first_roll=len(turn.dice_history) == 1)
    c = rules.index_of[turn.category]
    if c not in allowed:
        raise StateError(f"{turn.category} cannot be taken")
    points, bonus_points = allowed[c]
    if (turn.points, turn.bonus_points) != (points, bonus_points):
        said = f"{turn.points}" + (f" and {turn.bonus_points}" if turn.bonus_points or bonus_points else "")
        pays = f"{points}" + (f" and {bonus_points}" if turn.bonus_points or bonus_points else "")
        raise StateError(f"{turn.category} for {said}; {spaced(sorted(turn.dice_history[-1]))} pays {pays}")


def read_game(raw: Any) -> Game:
    """A game from the JSON value of its line.

    Raises
    ------
    StateError
        If it is no game of the schema, or was not played by its rules; the message names the turn.
    RulesError
        If the rules are unknown.
    """
    if not isinstance(raw, dict):
        raise StateError("a game is a JSON object")
    if "actions" in raw and "turns" not in raw:
        raise StateError("this is an unfinished game saved by `yatzy play`; play it to its end to have it recorded")
    if raw.get("schema") not in READABLE:
        raise StateError(f"the schema is {raw.get('schema')!r}, not 1 or 2")
    rules = rules_from_json(raw.get("rules"))
    players = tuple(_of_type({"name": name}, "name", str) for name in _of_type(raw, "players", list))
    if not players:
        raise StateError("players is empty")
    check_names(players)
    turns = []
    cards = [Scorecard(rules) for _ in players]
    for number, entry in enumerate(_of_type(raw, "turns", list), start=1):
        try:
            turn = _read_turn(entry)
            if not 0 <= turn.player < len(players):
                raise StateError(f"player is {turn.player}; there are {len(players)}")
            check_turn(cards[turn.player], turn)
        except StateError as error:
            raise StateError(f"turn {number}: {error}") from error
        cards[turn.player] = card_after(cards[turn.player], turn)
        turns.append(turn)
    return Game(rules, players, tuple(turns), {k: v for k, v in raw.items() if k not in OWN})


def _of_type(raw: dict[str, Any], name: str, kind: type) -> Any:
    value = raw.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise StateError(f"{name} is {value!r}; must be {'text' if kind is str else 'a ' + kind.__name__}")
    return value


def _read_turn(entry: Any) -> Turn:
    if not isinstance(entry, dict):
        raise StateError("a turn is a JSON object")

    def dice(name: str) -> tuple[Dice, ...]:
        groups = _of_type(entry, name, list)
        for group in groups:
            if not isinstance(group, list) or not all(type(face) is int for face in group):
                raise StateError(f"{name} must be lists of faces")
        return tuple(tuple(sorted(group)) for group in groups)

    return Turn(
        _of_type(entry, "player", int),
        dice("rolls"),
        dice("holds"),
        _of_type(entry, "category", str),
        _of_type(entry, "points", int),
        _of_type({"bonus_points": entry.get("beside", 0)} | entry, "bonus_points", int),
    )


def read_games(path: str | Path) -> list[Game]:
    """All games of a file.

    Raises
    ------
    StateError
        With file and line, if one is no game.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise StateError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StateError(f"{path} is not UTF-8 text") from error
    games: list[Game] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not games:
                raise StateError(f"{path} is no record of games (JSON Lines, one game a line)") from error
            raise StateError(f"{path}:{number}: {error}") from error
        try:
            games.append(read_game(raw))
        except ValueError as error:
            raise StateError(f"{path}:{number}: {error}") from error
    if not games:
        raise StateError(f"{path} holds no game")
    return games


def check_writable(path: str | Path) -> None:
    """Raise OSError unless games can be appended to a file; leaves none behind that was not there."""
    new = not os.path.lexists(path)
    with open(path, "ab"):
        pass
    if new and not os.path.getsize(path):
        os.unlink(path)


def write_games(path: str | Path, games: Iterable[Game]) -> None:
    """Append games to a file: all of them, or none if it cannot take them (OSError)."""
    size, cut = 0, False
    if os.path.isfile(path):
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            cut = file.read() not in (b"", b"\n")  # an editor may have left the last line without its end
    try:
        with open(path, "ab") as file:
            file.write(b"\n" if cut else b"")
            for game in games:
                file.write(json.dumps(game.to_json()).encode() + b"\n")
    except OSError:
        with suppress(OSError):
            os.truncate(path, size)
        raise
