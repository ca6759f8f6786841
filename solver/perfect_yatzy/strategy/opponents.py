"""Win chances: the utility of a final score against opponents, finished or still playing.

    U(s) = product over opponents of P(theirs < s)          a tie is a loss
    U(s) = product over opponents of P(theirs <= s)         a tie is a win; "half" is the mean of both

A finished opponent is one score, and the chances are exact. An unfinished opponent is a distribution: that of a
player who is assumed to maximise the mean from that card on and to ignore our score. Whoever maximises this utility
again after each of their turns wins at least so often, so that the chances are lower bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import StateError, _, shown
from ..game.dice import Floats, Ints
from ..game.limits import MAX_OPPONENTS, MAX_OPPONENTS_TEXT, check_length
from ..game.notation import parse_card
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.scoring import points_table
from ..tablebase.store import Folder
from .score_distribution import DiscreteDistribution
from .strategy import CheckedPosition, Strategy, check_position
from .tie_rules import tie_rule

BONUS_POINTS = re.compile(r"(?<![\w-])(?:extra|bonus[-_]points)\s*[=:]\s*([0-9]{1,6})(?!\w)")
MAX_FINAL_SCORE = 99_999


@dataclass(frozen=True)
class Opponent(DiscreteDistribution):
    """The distribution of another player's final score; `playing`: whether boxes are still open."""

    playing: bool

    def cdf(self, scores: Ints) -> Floats:
        """Chance of at most each of `scores`, shaped as `scores`."""
        # Rounding: the sum of all chances may miss 1. Only the highest score and those above it are certain.
        reached = np.minimum(np.concatenate([[0.0], np.cumsum(self.chances)]), np.nextafter(1.0, 0.0))
        reached[-1] = 1.0
        return np.asarray(reached[np.searchsorted(self.scores, scores, side="right")])


def finished(score: int) -> Opponent:
    """An opponent whose final score is known."""
    return Opponent(np.array([score]), np.ones(1), False)


def least_score(card: Scorecard) -> int:
    """Lowest final score a card can end with: each open box at the lowest points any roll gives."""
    least = points_table(card.rules).min(axis=1)
    boxes = enumerate(card.rules.categories)
    sure = {c: 0 if box.requires else int(least[c]) for c, box in boxes if c not in card.points}
    return replace(card, points={**card.points, **sure}).score


def parse_opponents(rules: RuleSet, given: str | Iterable[object]) -> list[int | Scorecard]:
    """Read opponents: final scores, also of full cards, or checked cards of players who have not finished.

    Text separated by semicolons (``251; ones=3 sixes=24; empty``), or a list of such texts and of whole numbers. A
    card may contain bonus points: ``ones=3 yahtzee=50 extra=100``. StateError for anything else, none, or too many.
    """
    found: list[int | Scorecard] = []
    too_many = StateError(_("there are more than {most} opponents").format(most=MAX_OPPONENTS))
    for number, entry in enumerate([given] if isinstance(given, str) else given):
        if number == MAX_OPPONENTS or len(found) > MAX_OPPONENTS:  # entries may be empty
            raise too_many
        if isinstance(entry, str):
            check_length(entry, MAX_OPPONENTS_TEXT, "opponents")
            parts = [*filter(None, map(str.strip, entry.split(";")))]
            found += [_parse_opponent(rules, part) for part in parts[: MAX_OPPONENTS + 1]]
        elif isinstance(entry, int) and not isinstance(entry, bool) and 0 <= entry <= MAX_FINAL_SCORE:
            found.append(entry)
        else:
            raise _not_an_opponent(shown(entry))
    if len(found) > MAX_OPPONENTS:
        raise too_many
    if not found:
        raise StateError(_("no opponents given; give a final score such as 251, a card, or empty"))
    return found


def card_text(card: Scorecard) -> str:
    """A card as :func:`parse_opponents` reads it."""
    bonus_points = f" extra={card.bonus_points}" if card.bonus_points else ""
    return f"{card}{bonus_points}" if card.points else "empty"


def _parse_opponent(rules: RuleSet, text: str) -> int | Scorecard:
    if re.fullmatch(r"[0-9]{1,5}", text):
        return int(text)
    if text == "empty":
        return Scorecard(rules)
    if "=" not in text and ":" not in text:
        raise _not_an_opponent(shown(text))
    bonus = BONUS_POINTS.search(text)
    card = parse_card(rules, BONUS_POINTS.sub(" ", text, count=1), bonus_points=int(bonus[1]) if bonus else 0)
    check_position(rules, card.state)
    return card.score if card.state.filled == rules.full_mask else card


def _not_an_opponent(entry: str) -> StateError:
    text = _("{entry} is not an opponent; give a final score such as 251, a card, or empty (several: 251; 260)")
    return StateError(text.format(entry=entry))


def opponent(
    strategy: Strategy, known: int | Scorecard, threads: int | None = None, tables: Folder = None, *,
    store: bool = True,
) -> Opponent:  # fmt: skip
    """The distribution of the final score of an opponent, who is assumed to play for the mean from a checked card."""
    from .distribution import stored_distribution

    if isinstance(known, int):
        return finished(known)
    position = CheckedPosition(strategy.rules, known.state, known.total)
    found = stored_distribution(strategy, position, known.total, tables, threads, store=store)
    return Opponent(found.scores, found.chances, True)


class WinUtility:
    """The utility of a final score: the chance that it beats all opponents; `ties`: what a tie counts."""

    tolerance = 2.5e-4  # of interpolation, as part of a change; answers are then a few millionths wrong at most

    def __init__(self, opponents: Sequence[Opponent], ties: str = "loss") -> None:
        if not opponents:
            raise StateError(_("opponents is empty; give at least one final score or card"))
        self.opponents, self.share = list(opponents), tie_rule(ties).share

    def __call__(self, scores: Ints) -> Floats:
        """Utility of each final score (int64), from 0 to 1, shaped as `scores`."""
        chances = (np.prod([other.cdf(s) for other in self.opponents], axis=0) for s in (scores - 1, scores))
        ahead, not_behind = chances
        return np.asarray((1 - self.share) * ahead + self.share * not_behind)

    @property
    def goal(self) -> int | None:
        """The score to reach, if winning is the same as reaching one: all have finished, and ties are not shared."""
        if 0 < self.share < 1 or any(other.playing for other in self.opponents):
            return None
        best = max(int(other.scores[-1]) for other in self.opponents)
        return best + (0 if self.share else 1)
