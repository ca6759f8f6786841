"""A game in progress, with undo, and the file of an unfinished game.

A session is a list of actions, each with the position it leads to, so that undo removes the last
one. Dice that the program rolls are those of a simulated game: a function of the seed, the turn and
the roll, as the choices of computer players are (:meth:`Session.choice_seed`). So undoing a
decision does not change what follows. If a text fixes them, all players have the same dice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from .._files import replacing
from ..core.dice import Dice
from ..core.rules import RuleSet
from ..errors import SolverError, StateError, shown
from ..game.legal_actions import TurnPosition
from ..game.limits import MAX_GAME_BYTES, MAX_NAME, check_length, parse_json, read_limited
from ..game.random_dice import dice_of_game, same_dice
from ..game.rule_loader import rules_from_json, rules_to_json
from ..game.scorecard import Scorecard
from ..policies.computer_players import parse_kind
from ..words import _
from .record import Game, RecordedTurn, card_after, check_names

Kind = Literal["roll", "hold", "score"]
SCHEMA = 2  # of a saved game
READABLE_SCHEMAS = (1, 2)


@dataclass(frozen=True)
class Action:
    """One action of a game."""

    kind: Kind
    dice: Dice = ()  # all dice after a roll, or the dice held, ascending, or none for a score
    category: str = ""  # id of the category that was scored, or empty for a roll or hold


@dataclass(frozen=True)
class GamePosition:
    """The state of a game after a sequence of actions."""

    cards: tuple[Scorecard, ...]  # one per player, without the current turn
    turns: tuple[RecordedTurn, ...] = ()  # the completed turns, in the order they were played
    dice_history: tuple[Dice, ...] = ()  # dice after each roll of the current turn
    # Dice held after each of these rolls. There are as many holds as rolls when the next dice are
    # to be rolled, otherwise one fewer.
    holds: tuple[Dice, ...] = ()


@dataclass
class Session:
    """A game of one or more players who take turns."""

    rules: RuleSet
    players: tuple[str, ...]  # names, in the order they play
    seed: int | None  # seed of the program's dice, or None if the players type in their own dice
    # the kind of computer of each player, empty for a person, or () if all are persons
    computers: tuple[str, ...] = ()
    same_dice: str = ""  # a text that fixes the program's dice, the same for every player
    _steps: list[tuple[Action, GamePosition]] = field(default_factory=list, init=False, repr=False)

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions, first to last."""
        return tuple(action for action, _ in self._steps)

    @property
    def position(self) -> GamePosition:
        """The position that the actions lead to."""
        if self._steps:
            return self._steps[-1][1]
        return GamePosition(tuple(Scorecard(self.rules) for _ in self.players))

    @property
    def turns(self) -> tuple[RecordedTurn, ...]:
        """The completed turns of all players."""
        return self.position.turns

    @property
    def dice_history(self) -> tuple[Dice, ...]:
        """Dice after each roll of the current turn."""
        return self.position.dice_history

    @property
    def holds(self) -> tuple[Dice, ...]:
        """Dice held after each of these rolls, except for the last one if a decision is due."""
        return self.position.holds

    @property
    def player(self) -> int:
        """Index of the player whose turn it is."""
        return len(self.turns) % len(self.players)

    @property
    def over(self) -> bool:
        """Whether every card is full."""
        return len(self.turns) == len(self.players) * len(self.rules.categories)

    @property
    def game(self) -> Game:
        """The completed turns as a record."""
        extra: dict[str, Any] = {"source": "play"}
        if self.seed is not None:
            extra["seed"] = self.seed
        if self.same_dice:
            extra["same_dice"] = self.same_dice
        if any(self.computers):
            extra["computers"] = {
                name: kind for name, kind in zip(self.players, self.computers, strict=True) if kind
            }
        return Game(self.rules, self.players, self.turns, extra)

    def computer(self, player: int | None = None) -> str:
        """Return the kind of computer a player is, empty for a person.

        By default it is the player whose turn it is.
        """
        index = self.player if player is None else player
        return self.computers[index] if self.computers else ""

    def choice_seed(self) -> tuple[int, int, int] | None:
        """Return the seed of the choices of a computer player now, or None without a seed.

        The choices are the same after an undo.
        """
        return None if self.seed is None else (self.seed, len(self.turns), len(self.dice_history))

    def card(self, player: int | None = None) -> Scorecard:
        """Return a player's card without the current turn.

        By default it is that of the player whose turn it is.
        """
        return self.position.cards[self.player if player is None else player]

    @property
    def rolls_left(self) -> int:
        """Number of rerolls left in this turn."""
        return self.rules.rolls_per_turn + self.card().saved - len(self.dice_history)

    @property
    def to_roll(self) -> int:
        """Number of dice to roll now, 0 if a decision is due or the game is over."""
        if self.over or len(self.holds) < len(self.dice_history):
            return 0
        return self.rules.dice - len(self._held())

    @property
    def dice(self) -> Dice:
        """Dice after the last roll, or none before the first roll of a turn."""
        return self.dice_history[-1] if self.dice_history else ()

    def choices(self) -> dict[str, tuple[int, int]]:
        """Return the categories that can take the dice now, by id.

        Each has the points in the box, and the joker and first-roll bonus points.
        """
        return TurnPosition(self.rules, self.card(), self.dice, self.rolls_left).categories()

    def _turn_position(self) -> TurnPosition:
        """Return the position within the turn, with only the held dice if dice are to be rolled."""
        return TurnPosition(
            self.rules, self.card(), self._held() if self.to_roll else self.dice, self.rolls_left
        )

    def _held(self) -> Dice:
        return self.holds[-1] if self.holds else ()

    def roll(self, dice: Sequence[int] | None = None) -> Dice:
        """Roll the dice that are not held, which are the program's or these."""
        now = self.position
        if dice is None and self.to_roll:
            assert self.seed is not None
            turn = len(now.turns)
            roll = len(now.dice_history)
            if self.same_dice:
                own_turn = turn // len(self.players) + 1
                held = self._held()
                dice = same_dice(self.rules, self.same_dice, own_turn, roll + 1, held)
            else:
                dice = dice_of_game(self.seed, 0, turn, roll, self.to_roll, self.rules.faces)
        new = self._turn_position().roll(dice or ()).dice
        self._steps.append(
            (Action("roll", new), replace(now, dice_history=(*now.dice_history, new)))
        )
        return new

    def check_hold(self, dice: Sequence[int]) -> Dice:
        """Return the dice to hold, ascending. Raises StateError if they cannot be held."""
        return self._turn_position().check_hold(dice)

    def hold(self, dice: Sequence[int]) -> None:
        """Hold some of the dice. The others are rolled next."""
        held = self.check_hold(dice)
        now = self.position
        self._steps.append((Action("hold", held), replace(now, holds=(*now.holds, held))))

    def score(self, category: str) -> None:
        """Take a category for the dice and end the turn."""
        paid = self._turn_position().check_category(category)
        now = self.position
        player = self.player
        turn = RecordedTurn(player, now.dice_history, now.holds, category, *paid)
        cards = (*now.cards[:player], card_after(now.cards[player], turn), *now.cards[player + 1 :])
        self._steps.append(
            (Action("score", category=category), GamePosition(cards, (*now.turns, turn)))
        )

    def apply(self, action: Action) -> None:
        """Apply an action that was written down."""
        if action.kind == "score":
            self.score(action.category)
        elif action.kind == "hold":
            self.hold(action.dice)
        else:
            self.roll(action.dice)

    def undo(self) -> Action | None:
        """Undo the last decision of a person, or the last dice that were typed in.

        What followed is undone as well. Return the action, or None if there is none to undo.
        """
        for i in reversed(range(len(self._steps))):
            action, position_after = self._steps[i]
            turns_before = len(position_after.turns) - (1 if action.kind == "score" else 0)
            player = turns_before % len(self.players)
            is_typed_roll = action.kind == "roll" and self.seed is None
            is_decision = action.kind != "roll" and not self.computer(player)
            if is_typed_roll or is_decision:
                del self._steps[i:]
                return action
        return None


class SaveFile:
    """The file of an unfinished game.

    Writing or removing it fails if another process has changed it since it was read. The actions of
    the session are JSON. In schema 1 there were no `computers`, and all players were persons::

        {"schema": 2, "rules": "yatzy", "fingerprint": "...", "players": ["Ann", "Computer (level 5)"], "seed": 5,
         "computers": ["", "5"], "actions": [["roll", [1, 3, 3, 4, 6], ""], ["hold", [3, 3], ""]]}
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self.seen = self._content()

    def load(self) -> Session:
        """Return the saved game, of which every action is checked.

        Raises StateError for another file.
        """
        try:
            return _read_session(parse_json(self.seen or b""))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            message = _("{path} is not a saved game ({error}); start a new game with --new")
            raise StateError(message.format(path=self.path, error=error)) from error

    def write(self, session: Session) -> None:
        """Save the game, and replace an old file in one step."""
        self._check_unchanged()
        rules = session.rules
        actions = [[action.kind, list(action.dice), action.category] for action in session.actions]
        content = {
            "schema": SCHEMA,
            "rules": rules_to_json(rules),
            "fingerprint": rules.fingerprint,
            "players": list(session.players),
            "seed": session.seed,
            "computers": list(session.computers),
            "actions": actions,
        }
        if session.same_dice:
            content["same_dice"] = session.same_dice
        try:
            with replacing(self.path) as file:
                file.write(json.dumps(content).encode())
        except OSError as error:
            message = _("cannot save the game in {path}: {reason}")
            raise SolverError(
                message.format(path=self.path, reason=error.strerror or error)
            ) from error
        self.seen = self._content()

    def remove(self) -> None:
        """Remove the file, after the finished game has been recorded."""
        self._check_unchanged()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            text = _("cannot remove {path}: {reason}")
            raise SolverError(
                text.format(path=self.path, reason=error.strerror or error)
            ) from error

    def _content(self) -> bytes | None:
        """Return the bytes of the file, or None if there is none."""
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                message = _("{path} is not a regular file; choose another file for the saved game")
                raise SolverError(message.format(path=self.path))
            return read_limited(self.path, MAX_GAME_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SolverError(
                _("cannot read {path}: {reason}", path=self.path, reason=error.strerror)
            ) from error

    def _check_unchanged(self) -> None:
        if self._content() != self.seen:
            message = _("another process has changed the game in {path}; this one stops here")
            raise SolverError(message.format(path=self.path))


def _read_session(raw: Any) -> Session:
    """Return the game in the JSON value of a saved game, with its actions applied again."""
    rules = rules_from_json(raw["rules"])
    if raw["schema"] not in READABLE_SCHEMAS or raw["fingerprint"] != rules.fingerprint:
        raise StateError(_("it was saved under other rules"))
    players = raw["players"]
    seed = raw["seed"]
    is_list = isinstance(players, list) and len(players) > 0
    if not is_list or not all(isinstance(name, str) for name in players):
        raise StateError(_("players is {players}; must be a list of names", players=shown(players)))
    check_names(players)
    if seed is not None and not (type(seed) is int and 0 <= seed < 1 << 63):
        raise StateError(
            _(
                "seed is {seed}; must be a whole number from 0 to 2^63 - 1, or null",
                seed=shown(seed),
            )
        )
    kinds = raw.get("computers", [])
    has_length = isinstance(kinds, list) and len(kinds) in (0, len(players))
    if not has_length or not all(isinstance(kind, str) for kind in kinds):
        raise StateError(
            _(
                "computers is {value}; must be a list with a text for each player",
                value=shown(kinds),
            )
        )
    for kind in filter(None, kinds):
        parse_kind(kind)
    same = raw.get("same_dice", "")
    if not isinstance(same, str) or (same and seed is None):
        raise StateError(
            _("same_dice is {value}; must be a text, with dice of the program", value=shown(same))
        )
    check_length(same, MAX_NAME, "same_dice")
    session = Session(rules, tuple(players), seed, tuple(kinds), same)
    for kind, dice, category in raw["actions"]:
        if kind not in get_args(Kind):
            message = _("{value} is not an action; must be one of {names}")
            raise StateError(message.format(value=shown(kind), names=", ".join(get_args(Kind))))
        if not all(type(face) is int for face in dice):
            raise StateError(
                _("dice are {dice}; must be a list of whole numbers", dice=shown(dice))
            )
        session.apply(Action(kind, tuple(dice), category))
    return session
