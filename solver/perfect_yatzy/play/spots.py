"""What a player's mistakes have in common.

This module finds kinds of rolls that were played wrongly more than once, and the single decisions
that cost the most. Rolls of a kind show the same faces several times, and dice that occur once are
the die 0, written x. So 1 1 3 3 5 and 1 1 3 3 6 are of the kind 1 1 3 3 x, and the hold of both
pairs is 1 1 3 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ..core.dice import Dice, lattice
from ..core.rules import RuleSet
from ..game.notation import dice_of
from .rating_input import Entry, GradedChunk
from .review import GRADES, TIE_TOLERANCE, Bools, GradedGames

MAX_SPOTS = 10  # spots that a rating lists
MAX_MISTAKES = 200  # mistakes that a rating keeps
SMALLEST_MISTAKE = GRADES[0][0]  # points: smaller losses are inaccuracies
ANY = 0  # a die whose face occurs once in the roll

KindOfAction = Dice | str  # dice that are held, in which ANY may occur, or the id of a category


@dataclass(frozen=True)
class Spot:
    """A kind of decision, and one wrong way to play it."""

    roll: Dice  # the kind of the roll
    best: KindOfAction  # the best option in all these decisions, and the one that was taken
    done: KindOfAction
    times: int  # how often the player had this kind of roll with this best option
    times_done: int  # how often of these times the wrong option was taken
    points_lost: float  # by the wrong option, in all games


@dataclass(frozen=True)
class Mistake:
    """A decision of a recorded game that lost many points."""

    loss: float  # expected points
    entry: Entry  # the game
    player: int  # of the game, from 0
    turn: int  # number of the player's turn and of the roll before the decision, from 1
    roll: int


def kind_of_roll(dice: Dice) -> Dice:
    """Return a roll without its single dice. A roll of different faces stays as it is."""
    if len(set(dice)) == len(dice):
        return dice
    return _without_singles(dice, dice)


def _without_singles(held: Dice, roll: Dice) -> Dice:
    """Return some dice of a roll with ANY in place of the single ones, which come last."""
    several = [face for face in held if roll.count(face) > 1]
    return (*several, *[ANY] * (len(held) - len(several)))


@dataclass
class _Tally:
    """How often something was done, and the points lost by it."""

    times: int = 0
    points: float = 0.0

    def add(self, times: int, points: float) -> None:
        """Count some more decisions."""
        self.times += times
        self.points += points


class _Kinds(NamedTuple):
    """A kind of roll, with the kinds of the best action and of the one that was done."""

    roll: Dice
    best: KindOfAction
    done: KindOfAction


def _spot(kinds: _Kinds, occurrences: int, tally: _Tally) -> Spot:
    """Return a wrong way to play, of a decision that occurred so many times."""
    return Spot(kinds.roll, kinds.best, kinds.done, occurrences, tally.times, tally.points)


def _worst_mistakes(chunk: GradedChunk, own: Bools) -> list[Mistake]:
    """Return the worst mistakes after the rolls that are `own`, ``(rolls,)``, at most MAX_MISTAKES."""
    graded = chunk.graded
    losses = graded.decision_loss
    wrong = np.flatnonzero(own & (losses >= SMALLEST_MISTAKE))
    worst = wrong[np.argsort(-losses[wrong], kind="stable")[:MAX_MISTAKES]]
    turns = graded.turn_number + 1
    return [
        Mistake(
            loss=float(losses[roll]),
            entry=chunk.entries[card],
            player=chunk.players[card],
            turn=int(turns[graded.turn_of_roll[roll]]),
            roll=int(graded.number_of_roll[roll]),
        )
        for roll, card in zip(worst.tolist(), graded.card_of_roll[worst].tolist(), strict=True)
    ]


class Decisions:
    """All decisions of a player, counted as the games are read."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._lattice = lattice(rules.dice, rules.faces)
        self.mistakes: tuple[Mistake, ...] = ()
        # by position of the roll, best option, option taken
        self._tallies: defaultdict[tuple[int, int, int], _Tally] = defaultdict(_Tally)

    def add(self, chunk: GradedChunk, cards: Sequence[int]) -> None:
        """Count the decisions of some cards of a chunk, and keep the worst mistakes so far."""
        own = np.isin(chunk.graded.card_of_roll, cards)
        self._count(chunk.graded, own)
        mistakes = [*self.mistakes, *_worst_mistakes(chunk, own)]
        self.mistakes = tuple(nlargest(MAX_MISTAKES, mistakes, key=attrgetter("loss")))

    def _count(self, graded: GradedGames, own: Bools) -> None:
        """Add some decisions to the tallies, those after the rolls that are `own`, ``(rolls,)``."""
        # (decisions, 3): position of the roll, best option, option taken
        columns = np.stack([graded.roll, graded.best, graded.done], axis=1)[own]
        options = self._lattice.first_roll + len(self._rules.categories)
        # one number for each of these triples
        keys = (columns[:, 0] * options + columns[:, 1]) * options + columns[:, 2]
        _keys, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.bincount(inverse)
        lost = np.bincount(inverse, graded.decision_loss[own])
        for triple, number, points in zip(
            columns[first].tolist(), numbers.tolist(), lost.tolist(), strict=True
        ):
            self._tallies[tuple(triple)].add(number, points)

    def spots(self) -> tuple[Spot, ...]:
        """Return the wrong ways to play that occurred more than once, the most expensive first.

        They are MAX_SPOTS at most.
        """
        occurrences: defaultdict[tuple[Dice, KindOfAction], int] = defaultdict(int)
        wrong: defaultdict[_Kinds, _Tally] = defaultdict(_Tally)
        for positions, tally in self._tallies.items():
            kinds = self._kinds_of(*positions)
            occurrences[kinds.roll, kinds.best] += tally.times
            if kinds.done != kinds.best and tally.points > TIE_TOLERANCE * tally.times:
                wrong[kinds].add(tally.times, tally.points)
        spots = [
            _spot(kinds, occurrences[kinds.roll, kinds.best], tally)
            for kinds, tally in wrong.items()
            if tally.times > 1
        ]
        spots.sort(key=lambda spot: (-spot.points_lost, str(spot)))
        return tuple(spots[:MAX_SPOTS])

    def _kinds_of(self, roll_number: int, best_option: int, option_done: int) -> _Kinds:
        """Return the kinds of a decision, which is given by positions."""
        roll = dice_of(self._lattice.counts[self._lattice.first_roll + roll_number].tolist())
        return _Kinds(
            kind_of_roll(roll),
            best=self._kind_of_action(best_option, roll),
            done=self._kind_of_action(option_done, roll),
        )

    def _kind_of_action(self, option: int, roll: Dice) -> KindOfAction:
        """Return the kind of an option, by its position: a hold of a roll, or a category."""
        if option >= self._lattice.first_roll:
            return self._rules.categories[option - self._lattice.first_roll].id
        held = dice_of(self._lattice.counts[option].tolist())
        return held if len(set(roll)) == len(roll) else _without_singles(held, roll)
