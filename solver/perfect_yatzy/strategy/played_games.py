"""Play games of a player who acts in one position at a time.

The dice are those of :func:`perfect_yatzy.simulate`.

This is the one loop behind sampled evaluations, simulations and labelled positions of such players.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.state import State
from ..errors import SolverError, StateError
from ..game.legal_actions import ActionText, TurnPosition, action_number, start_turn
from ..game.notation import parse_faces
from ..game.random_dice import Games, dice_of_game
from ..game.scorecard import Scorecard
from ..settings import Progress
from .strategy import CheckedPosition, Position

Player = Callable[[TurnPosition], ActionText]


class Actor(Protocol):
    """A player as an object."""

    def act(self, position: TurnPosition) -> ActionText:
        """Return the dice to hold, or the name of a category."""


class PlayedTurns(NamedTuple):
    """The turns of some games with the states before them. Dice are numbers of the lattice."""

    turns_of_game: Ints  # (games,): how many turns each has
    rolls_of_turn: Ints  # (turns,)
    rows: Ints  # (turns,): the state before each turn
    lanes: Ints
    saved: Ints
    categories: Ints  # (turns,): position of the category taken
    rolls: Ints  # (rolls,): all dice after a roll
    holds: Ints  # (rolls,): the dice held after the roll, -1 after the last roll of a turn

    def of(self, games: npt.NDArray[np.bool_]) -> PlayedTurns:
        """Return the turns of the games that are marked."""
        turns = np.repeat(games, self.turns_of_game)
        rolls = np.repeat(turns, self.rolls_of_turn)
        return PlayedTurns(
            turns_of_game=self.turns_of_game[games],
            rolls_of_turn=self.rolls_of_turn[turns],
            rows=self.rows[turns],
            lanes=self.lanes[turns],
            saved=self.saved[turns],
            categories=self.categories[turns],
            rolls=self.rolls[rolls],
            holds=self.holds[rolls],
        )


@dataclass(frozen=True)
class PlayedDecision:
    """One decision of a game."""

    game: int
    position: TurnPosition
    action: int  # its number (:mod:`perfect_yatzy.game.legal_actions`)


@dataclass(frozen=True)
class GameLog:
    """Consecutive games of a player."""

    decisions: list[PlayedDecision]  # by game, in the order they were made
    cards: list[Scorecard]  # the full card of each game

    def columns(self) -> dict[str, Any]:
        """Return the decisions as arrays ``(n,)``, and ``dice`` as ``(n, dice)``.

        The names are those of a batch of positions.
        """
        positions = [decision.position for decision in self.decisions]
        states = [position.state for position in positions]
        columns: dict[str, list[Any]] = {
            "game": [decision.game for decision in self.decisions],
            "filled": [state.filled for state in states],
            "upper": [state.upper for state in states],
            "saved": [state.saved for state in states],
            "joker_paid": [int(state.joker_paid) for state in states],
            "dice": [position.dice for position in positions],
            "rolls_left": [position.rolls_left for position in positions],
            # Every card is a scorecard (:func:`start_of`). The condition says so to the type checker.
            "points": [
                position.card.total
                for position in positions
                if isinstance(position.card, Scorecard)
            ],
            "action": [decision.action for decision in self.decisions],
        }
        return {name: np.array(column) for name, column in columns.items()}

    @property
    def scores(self) -> Floats:
        """``(games,)`` float64: final scores."""
        return np.array([float(card.score) for card in self.cards])


def start_of(rules: RuleSet, start: Position | None) -> TurnPosition:
    """Return the position where games start.

    It has a scorecard, not only a state, because a player may look at the points.
    """
    if isinstance(start, State | CheckedPosition | TurnPosition):
        raise StateError("a policy that acts in single positions starts from a scorecard")
    return start_turn(rules, start or "")


def play_games(
    player: Player,
    start: TurnPosition,
    games: Games,
    exploration: float = 0.0,
    progress: Progress | None = None,
) -> GameLog:
    """Play at least one game from the start of a turn.

    `exploration` is the chance of a random action at each decision.
    """
    decisions = list[PlayedDecision]()
    cards = list[Scorecard]()
    filled_before = start.state.filled.bit_count()
    number, seed, first = games
    for game in range(first, first + number):
        position = start
        random = Random(f"{seed}/{game}")
        while not position.over:
            rules = position.rules
            state = position.state
            turn = state.filled.bit_count() - filled_before
            # the number of the roll in the turn, from 0
            roll = rules.rolls_per_turn - 1 + state.saved - position.rolls_left
            position = position.roll(
                dice_of_game(seed, game, turn, roll, position.to_roll, rules.faces)
            )
            explores = exploration > 0 and random.random() < exploration
            try:
                action = _drawn(random, position) if explores else asked_action(player, position)
            # A player may be anyone's program, so its own errors are told where it was, too.
            except Exception as error:
                if not isinstance(error, SolverError):
                    error.add_note(_place(position, game))
                raise
            try:
                after = position.apply(action)
                taken = action_number(rules, action)
            except SolverError as error:
                raise StateError(f"{_place(position, game)}: {error}") from error
            decisions.append(PlayedDecision(game, position, taken))
            position = after
        assert isinstance(position.card, Scorecard)
        cards.append(position.card)
        if progress:
            progress(game - first + 1, number)
    return GameLog(decisions, cards)


def asked_action(player: Player, position: TurnPosition) -> ActionText:
    """Return the action of a player. One that holds all dice is asked again, for the category."""
    action = player(position)
    held = parse_faces(action) if isinstance(action, str) else action
    if position.rolls_left and isinstance(held, Sequence) and tuple(sorted(held)) == position.dice:
        action = player(replace(position, rolls_left=0))
    return action


def _drawn(random: Random, position: TurnPosition) -> ActionText:
    """Return any legal action, where all of them are equally likely."""
    return random.choice(position.legal_actions())


def _place(position: TurnPosition, game: int) -> str:
    """Return where an error occurred, as text: the game, card, dice and rerolls left."""
    dice = "".join(map(str, position.dice))
    rerolls = "reroll" if position.rolls_left == 1 else "rerolls"
    left = f"{position.rolls_left} {rerolls} left"
    return f"game {game + 1}, card {str(position.card) or 'empty'}, dice {dice}, {left}"
