"""Recorded games as flat arrays, for the kernels that check and value many games at once.

Every roll and hold becomes its number in the lattice of dice, every category its position. :class:`GameColumns` takes
a game as the JSON value of its line if it has exactly the fields of :mod:`.record`, in a tenth of the time that
:func:`.record.read_game` needs. What it does not take, :func:`.record.read_game` reads or rejects; so there is one
definition of a correct record, and one wording of each fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..game.dice import Dice, lattice
from ..game.notation import dice_of
from ..game.rules import RuleSet
from .record import Game, bonus_points_of

if TYPE_CHECKING:
    from ..kernels.recorded import RecordedTurns

MAX_POINTS = 1_000_000  # far above what a box can hold: larger numbers do not fit the arrays
INT, LIST = {int}, {list}

# Player, dice after each roll, dice held between them, category, points, bonus points.
PlainTurn = tuple[int, Sequence[Sequence[int]], Sequence[Sequence[int]], str, int, int]


@lru_cache(maxsize=8)
def lattice_numbers(dice: int, faces: int) -> dict[Dice, int]:
    """Number of each multiset of at most `dice` dice, by its ascending faces."""
    return {dice_of(counts): i for i, counts in enumerate(lattice(dice, faces).counts.tolist())}


class GameColumns:
    """Games of one rule set as columns. A *card* is the game of one player."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.cards: list[tuple[int, int]] = []
        self._numbers = lattice_numbers(rules.dice, rules.faces)
        self._turns_in_card: list[int] = []
        self._rolls_in_turn: list[int] = []
        self._columns: tuple[list[int], ...] = ([], [], [])  # category, points, bonus points
        self._rolls: list[int] = []
        self._holds: list[int] = []

    def add(self, game: int, raw: dict[str, Any]) -> bool:
        """Append the cards of a game from its JSON value; False, with nothing added, if its form is unusual."""
        try:
            turns = [
                (t["player"], t["rolls"], t["holds"], t["category"], t["points"], bonus_points_of(t))
                for t in raw["turns"]
            ]
            # The types are compared, not the values alone: 1 == True == 1.0, also as the key of a dictionary, and an
            # empty object or text has the same elements as an empty list.
            numbers = {*map(type, chain.from_iterable((t[0], *t[4:]) for t in turns))}
            lists = {*map(type, chain.from_iterable((t[1], t[2], *t[1], *t[2]) for t in turns))}
            faces = {*map(type, chain.from_iterable(chain.from_iterable(chain.from_iterable(t[1:3] for t in turns))))}
            if not (numbers <= INT and lists <= LIST and faces <= INT):
                return False
            return self._add(game, len(raw["players"]), turns)
        except (KeyError, TypeError, AttributeError):
            return False

    def add_game(self, game: int, played: Game) -> bool:
        """Append the cards of a game that has been read; False if a number in it cannot be one of the game."""
        turns = [(t.player, t.dice_history, t.holds, t.category, t.points, t.bonus_points) for t in played.turns]
        try:
            return self._add(game, len(played.players), turns)
        except (KeyError, TypeError):
            return False

    def _add(self, game: int, players: int, turns: Iterable[PlainTurn]) -> bool:
        """The same for plain turns. Raises KeyError for dice or a category that the rules do not know."""
        numbers, index_of = self._numbers, self.rules.index_of
        found: list[list[tuple[int, int, int, list[int], list[int]]]] = [[] for _ in range(players)]
        for player, dice_history, held, category, points, bonus_points in turns:
            rolls = [numbers[tuple(sorted(dice))] for dice in dice_history]
            holds = [numbers[tuple(sorted(dice))] for dice in held]
            if not (
                0 <= player < players
                and len(rolls) == len(holds) + 1
                and -MAX_POINTS <= points <= MAX_POINTS
                and -MAX_POINTS <= bonus_points <= MAX_POINTS
            ):
                return False
            found[player].append((index_of[category], points, bonus_points, rolls, [*holds, -1]))
        categories, all_points, all_bonus_points = self._columns
        for number, own in enumerate(found):
            self.cards.append((game, number))
            self._turns_in_card.append(len(own))
            for position, points, bonus_points, rolls, holds in own:
                categories.append(position)
                all_points.append(points)
                all_bonus_points.append(bonus_points)
                self._rolls_in_turn.append(len(rolls))
                self._rolls += rolls
                self._holds += holds
        return True

    def arrays(self) -> RecordedTurns:
        """All turns, as the kernels take them."""
        from ..kernels.recorded import RecordedTurns

        def starts(counts: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
            return np.cumsum([0, *counts], dtype=np.int64)

        columns = (np.array(column, dtype=np.int64) for column in (*self._columns, self._rolls, self._holds))
        return RecordedTurns(starts(self._turns_in_card), starts(self._rolls_in_turn), *columns)
