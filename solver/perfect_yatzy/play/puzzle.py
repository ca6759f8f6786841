"""Puzzles, which are positions from games of optimal play.

The less the second-best action loses, the harder a puzzle is.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date

from ..core.dice import Dice
from ..errors import RulesError, StateError, shown, whole_number
from ..game.random_dice import dice_of_game
from ..game.scorecard import Scorecard
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy, check_strategy
from ..words import N_, _
from .record import RecordedTurn, card_after

# The range of what the second-best action loses, in expected points. The limits are those of the
# grades in review.py.
DIFFICULTIES = {N_("easy"): (1.7, 1e9), N_("medium"): (0.4, 1.7), N_("hard"): (0.05, 0.4)}
MAX_GAMES = 1000
MAX_TRIES = 5  # searches for each puzzle of several, until all are different
PUZZLES_A_DAY = 1000  # the numbers of a day's seeds


@dataclass(frozen=True)
class Puzzle:
    """A decision to make."""

    card: Scorecard  # the card before the turn
    dice: Dice  # the dice, ascending
    rolls_left: int  # rerolls left, 0 if a category must be chosen

    def options(self, strategy: Strategy) -> list[Hold | Choice]:
        """Return all holds and categories, best first."""
        return strategy.ranking(self.card, self.dice, self.rolls_left)

    def gap(self, strategy: Strategy) -> float:
        """Return the expected points that the second-best option loses, 0 if there is only one."""
        options = self.options(strategy)
        return options[1].loss if len(options) > 1 else 0.0


def daily_seed(day: date, number: int = 0) -> int:
    """Return the seed of a puzzle of the day: the first one, or one of those that follow it."""
    return day.toordinal() * PUZZLES_A_DAY + number


def find_puzzles(strategy: Strategy, seed: int, difficulty: str, count: int) -> list[Puzzle]:
    """Find so many different puzzles.

    They are the same for the same rules and seed. Raises RulesError if too few are found.
    """
    puzzles: list[Puzzle] = []
    for number in range(MAX_TRIES * count):
        puzzle = find_puzzle(strategy, seed * PUZZLES_A_DAY + number, difficulty)
        if puzzle not in puzzles:
            puzzles.append(puzzle)
        if len(puzzles) == count:
            return puzzles
    message = _("found only {found} different {difficulty} positions for {rules}")
    raise RulesError(
        message.format(found=len(puzzles), difficulty=difficulty, rules=strategy.rules.key)
    )


def play_turn(strategy: Strategy, card: Scorecard, seed: int, game: int, turn: int) -> RecordedTurn:
    """Play one turn of a simulated game by single queries.

    :mod:`perfect_yatzy.strategy.rollout_kernel` plays the same turns.
    """
    rules = strategy.rules
    rolls_left = strategy.max_rerolls(card.state)
    history = list[Dice]()
    holds = list[Dice]()
    held: Dice = ()
    while True:
        new = dice_of_game(seed, game, turn, len(history), rules.dice - len(held), rules.faces)
        history.append(tuple(sorted((*held, *new))))
        best = strategy.holds(card, history[-1], rolls_left)[0] if rolls_left else None
        if best is None or best.category:  # no reroll is left, or it is best to stop
            break
        held = best.dice
        rolls_left -= 1
        holds.append(held)
    chosen = strategy.categories(card, history[-1], rolls_left)[0]
    return RecordedTurn(
        0, tuple(history), tuple(holds), chosen.category, chosen.points, chosen.bonus_points
    )


def find_puzzle(strategy: Strategy, seed: int, difficulty: str = "medium") -> Puzzle:
    """Find a position of a given difficulty.

    It is the same for the same rules and seed. Raises StateError for an unknown difficulty, and
    RulesError if no position is found.
    """
    if difficulty not in DIFFICULTIES:
        message = _("difficulty is {difficulty}; must be one of {difficulties}")
        raise StateError(
            message.format(difficulty=shown(difficulty), difficulties=", ".join(DIFFICULTIES))
        )
    check_strategy(strategy)
    seed = whole_number(seed, "seed")
    low, high = DIFFICULTIES[difficulty]
    generator = random.Random(seed)
    rules = strategy.rules
    for game in range(MAX_GAMES):
        card = Scorecard(rules)
        last_turn = generator.randrange(len(rules.categories))
        for turn in range(last_turn):
            card = card_after(card, play_turn(strategy, card, seed, game, turn))
        played = play_turn(strategy, card, seed, game, last_turn)
        roll = generator.randrange(len(played.dice_history))
        puzzle = Puzzle(card, played.dice_history[roll], strategy.max_rerolls(card.state) - roll)
        if low <= puzzle.gap(strategy) < high:
            return puzzle
    message = _("found no {difficulty} position for {rules} in {count} games")
    raise RulesError(message.format(difficulty=difficulty, rules=rules.key, count=MAX_GAMES))
