"""Two players: games played by the solved values.

means of holds = K @ values of rolls        best of a roll = max(stop, max over its holds of their means)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from numpy.typing import NDArray
from perfect_yatzy import State
from perfect_yatzy.kernels.leads import LeadValues, range_of
from perfect_yatzy.model.objectives import FRAME
from perfect_yatzy.strategy.two_players import TwoPlayerGame
from support.naive import Naive

Array = NDArray[Any]
Card = tuple[int, int]  # filled, upper


class Turns(Naive):
    """Turns of games without jokers and saved rolls, as matrices."""

    def __init__(self, game: dict[str, Any]) -> None:
        super().__init__(game)
        self.dice_of = [dice for dice, _p in self.rolls()]
        self.weights = np.array([float(p) for _dice, p in self.rolls()])
        number = {dice: i for i, dice in enumerate(self.dice_of)}
        holds = sorted({held for dice in self.dice_of for held in self.holds_of(dice)})
        self.chances = np.zeros((len(holds), len(number)))
        for i, held in enumerate(holds):
            for dice, p in self.rolls(held):
                self.chances[i, number[dice]] = p
        place = {held: i for i, held in enumerate(holds)}
        lists = [[place[held] for held in self.holds_of(dice)] for dice in self.dice_of]
        self.holds = np.concatenate(lists)
        self.starts = np.cumsum([0, *map(len, lists)])
        self.paid = np.array([[self.points(box, dice) for dice in self.dice_of] for box in range(len(self.boxes))])
        first = [game["first_roll_bonus"].get(box["id"], 0) for box in self.boxes]
        self.paid_at_once = self.paid + (self.paid > 0) * np.array(first)[:, None]

    def reroll(self, values: Array) -> tuple[Array, Array]:
        """Means of the holds, and the best of the holds of each roll."""
        means = self.chances @ values
        return means, np.maximum.reduceat(means[self.holds], self.starts[:-1], axis=0)

    def card_after(self, card: Card, box: int, points: int) -> Card:
        return self.after(*card, False, box, points)[:2]


class Table:
    """Many games at once by the values of a solve; the chances are read from its layers, nothing else is asked."""

    def __init__(self, game: TwoPlayerGame, layers: list[LeadValues], seed: int) -> None:
        self.game, self.layers, self.turns = game, layers, Turns(game.rules.canonical())
        self.random = np.random.default_rng(seed)
        self.place_of = cache(lambda *card: game.players[0].space.index(State(*card)))

    def play(self, games: int) -> Array:
        """What the first player gets from each game: 1, 0, or a half for a tie."""
        cards, lead = [np.zeros((games, 2), np.int64), np.zeros((games, 2), np.int64)], np.zeros(games, np.int64)
        for turn in reversed(list(self.game.turns())):
            mine, theirs = cards if turn.mover == 0 else cards[::-1]
            for part in np.array_split(np.arange(games), -(-games // 500)):
                points = self._turn(turn.left, mine, theirs, lead if turn.mover == 0 else -lead, part)
                lead[part] += points if turn.mover == 0 else -points
        bonus = [np.array([self.turns.upper_bonus(upper) for upper in card[:, 1].tolist()]) for card in cards]
        return (np.sign(lead + bonus[0] - bonus[1]) + 1) / 2

    def _turn(self, left: int, mine: Array, theirs: Array, lead: Array, part: Array) -> Array:
        """One turn of the games `part`; the cards of the players who move are changed, the points returned."""
        turns, n, rerolls = self.turns, len(part), self.turns.game["rolls"] - 1
        stop = np.full((len(turns.boxes), len(turns.dice_of), n), -1.0)
        at_once = stop.copy()
        after: dict[tuple[Card, Card], tuple[int, Array]] = {}
        for column, g in enumerate(part.tolist()):
            card, other = tuple(mine[g].tolist()), tuple(theirs[g].tolist())
            for box in turns.next_boxes(card[0]):
                for points in np.unique(turns.paid[box]).tolist() if self._upper(box) else [0]:
                    rolls = turns.paid[box] == points if self._upper(box) else slice(None)
                    pair = turns.card_after(card, box, points), other
                    if pair not in after:
                        after[pair] = self._chances(left, *pair)
                    low, chances = after[pair]
                    for values, paid in ((stop, turns.paid[box]), (at_once, turns.paid_at_once[box])):
                        at = np.clip(lead[g] + paid[rolls] - low, 0, len(chances) - 1)
                        values[box, rolls, column] = chances[at]
        best = [stop.max(axis=0)]
        means = []
        for _reroll in range(rerolls):
            found, values = turns.reroll(best[-1])
            means.append(found)
            best.append(values)
        roll = self.random.choice(len(turns.weights), n, p=turns.weights)
        each = np.arange(n)
        ended = at_once.max(axis=0)[roll, each] > best[-1][roll, each]
        for found in reversed(means):
            for g in np.flatnonzero(~ended).tolist():
                options = turns.holds[turns.starts[roll[g]] : turns.starts[roll[g] + 1]]
                held = options[found[options, g].argmax()]
                roll[g] = self.random.choice(len(turns.weights), p=turns.chances[held])
        box = np.where(ended, at_once[:, roll, each].argmax(axis=0), stop[:, roll, each].argmax(axis=0))
        for column, g in enumerate(part.tolist()):
            points = int(turns.paid[box[column], roll[column]])
            mine[g] = turns.card_after(tuple(mine[g].tolist()), int(box[column]), points)
        return np.where(ended, turns.paid_at_once[box, roll], turns.paid[box, roll])

    def _upper(self, box: int) -> bool:
        return bool(self.turns.boxes[box]["upper"] and self.turns.game["bonus"])

    def _chances(self, left: int, mine: Card, theirs: Card) -> tuple[int, Array]:
        """The chance of the player who has moved, from the lowest lead on."""
        if left == 1:
            lead = self.turns.upper_bonus(mine[1]) - self.turns.upper_bonus(theirs[1])
            return -lead - 1, np.array([0, 0.5, 1])
        turn = next(turn for turn in self.game.turns() if turn.left == left - 1)
        before, other = self.game.pairs(turn)
        i, j = self.place_of(*theirs) - before.first, self.place_of(*mine) - other.first
        low, high = range_of(before, i, other, j, 0)
        values, place = self.layers[left - 1].values, self.layers[left - 1].place[i * other.size + j]
        return -high - 1, values[place + FRAME - 1 : place + FRAME + high - low + 2]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["yatzy-forced", "generala", "yacht"])
def test_games_that_are_played_are_won_as_often_as_the_solve_says(key: str) -> None:
    """Both players take what is best by the solved values; the rolls and the rules are the test's own."""
    game = TwoPlayerGame(perfect_yatzy.load_rules(key))
    layers = list(game.solve())
    first, chances = game.start_chances(layers[-1])
    won = Table(game, layers, 1).play(10_000)
    error = won.std() / np.sqrt(len(won))
    assert abs(won.mean() - chances[-first]) < 3.3 * error
