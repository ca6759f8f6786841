"""Winning: the worth of a final score against others, finished or still playing.

    U(s) = product over opponents of P(theirs < s)          a tie is a loss
           product over opponents of P(theirs <= s)         a tie is a win; "half" is halfway between

A finished opponent is one score, and the answer exact. One who still plays is a distribution: exact for a player
who maximises the mean from that card on and takes no notice of us, which is an assumption.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ..errors import StateError
from ..game.dice import Floats, Ints
from ..game.notation import parse_card
from ..game.points import points_table
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..model.state_space import state_space
from .distribution import DiscreteDistribution, known_distribution
from .strategy import Strategy

Ties = Literal["loss", "half", "win"]
EXTRA = re.compile(r"(?<![\w-])extra\s*[=:]\s*([0-9]{1,6})(?!\w)")


@dataclass(frozen=True)
class Opponent(DiscreteDistribution):
    """What is known of another player's final score.

    Attributes
    ----------
    playing : bool
        Whether boxes are still open.
    """

    playing: bool

    def below(self, scores: Ints, or_equal: bool) -> Floats:
        """Chance of less than each of `scores` (or as much)."""
        # The sum of all chances is off by a rounding: only what is above every score is certain.
        reached = np.minimum(np.concatenate([[0.0], np.cumsum(self.chances)]), np.nextafter(1.0, 0.0))
        reached[-1] = 1.0
        place = np.searchsorted(self.scores, scores, side="right" if or_equal else "left")
        return np.asarray(reached[place])


def finished(score: int) -> Opponent:
    """An opponent whose final score is known."""
    return Opponent(np.array([score]), np.ones(1), False)


def final_score(card: Scorecard) -> int:
    """Final score of a full card, the upper bonus included."""
    bonus = card.rules.bonus
    return card.total + (bonus.points if bonus and card.upper >= bonus.threshold else 0)


def least_score(card: Scorecard) -> int:
    """Final score a card cannot stay below, whatever is rolled: each open box at the least a roll can give."""
    least = points_table(card.rules).min(axis=1)
    sure = {c: int(least[c]) for c in range(len(least)) if c not in card.points}
    return final_score(replace(card, points={**card.points, **sure}))


def parse_opponents(rules: RuleSet, text: str) -> list[int | Scorecard]:
    """Read opponents, parted by semicolons: a final score, or the card of one who still plays.

    A card may say what has been paid beside its boxes: ``ones=3 yahtzee=50 extra=100``.

    Raises
    ------
    StateError
        If one is neither, or there is none.
    """
    found: list[int | Scorecard] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        if re.fullmatch(r"[0-9]{1,5}", part):
            found.append(int(part))
        elif "=" in part or ":" in part or part == "empty":
            found.append(_read_card(rules, "" if part == "empty" else part))
        else:
            raise StateError(
                f"{part!r} is no opponent; give a final score such as 251, a card, or empty (several: 251; 260)"
            )
    if not found:
        raise StateError("there is no opponent; give a final score such as 251, a card, or empty")
    return found


def _read_card(rules: RuleSet, text: str) -> int | Scorecard:
    bonus_points = EXTRA.search(text)
    card = parse_card(rules, EXTRA.sub(" ", text, count=1), bonus_points=int(bonus_points[1]) if bonus_points else 0)
    state_space(rules).check(card.state)
    return final_score(card) if card.state.filled == rules.full_mask else card


def opponent(
    strategy: Strategy,
    known: int | Scorecard,
    threads: int | None = None,
    tables: str | os.PathLike[str] | None = None,
) -> Opponent:
    """What is known of an opponent, from a final score or a card in mid-game.

    Raises
    ------
    RulesError
        If the distribution of such a card cannot be computed.
    """
    if isinstance(known, int):
        return finished(known)
    found = known_distribution(strategy, known.state, known.total, tables, threads)
    return Opponent(found.scores, found.chances, True)


class WinUtility:
    """The worth of a final score: the chance that it beats all opponents.

    Parameters
    ----------
    opponents
        At least one.
    ties
        What a tie with the best of them counts: a "loss", "half" a win, or a "win".

    Raises
    ------
    StateError
        If there is none, or `ties` is something else.
    """

    def __init__(self, opponents: Sequence[Opponent], ties: str = "loss") -> None:
        if not opponents:
            raise StateError("there is no opponent to beat")
        if ties not in get_args(Ties):
            raise StateError(f"ties is {ties!r}; must be one of {', '.join(get_args(Ties))}")
        self.opponents, self.ties = list(opponents), ties

    def __call__(self, scores: Ints) -> Floats:
        """Worth of each final score, from 0 to 1."""
        ahead, level = (
            np.prod([other.below(scores, or_equal) for other in self.opponents], axis=0) for or_equal in (False, True)
        )
        return np.asarray({"loss": ahead, "half": (ahead + level) / 2, "win": level}[self.ties])

    @property
    def goal(self) -> int | None:
        """The score to reach if that is all there is to it: everybody has finished, and no tie is halved."""
        if self.ties == "half" or any(other.playing for other in self.opponents):
            return None
        best = max(int(other.scores[-1]) for other in self.opponents)
        return best + (1 if self.ties == "loss" else 0)
