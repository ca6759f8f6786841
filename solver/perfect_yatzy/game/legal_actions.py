"""The rules in motion: what may be done with the dice on the table, and what follows from it.

No table of values is needed::

    start_turn ── roll ──► position ── hold ──► dice to roll ── roll ──► position ── score ──► ...
                           (a decision)         (chance)

>>> import random
>>> position = start_turn("yatzy", dice="33456")
>>> len(position.legal_actions()), position.categories()["chance"]
(38, (21, 0))
>>> held = position.apply((3, 3))  # three dice are to be rolled
>>> held.dice, held.to_roll, held.roll("661").dice
((3, 3), 3, (1, 3, 3, 6, 6))
>>> scored = held.roll(random.Random(1)).apply("chance")
>>> len(scored.card.points), scored.to_roll, scored.rolls_left
(1, 5, 2)

Jokers, forced order, saved rolls and first-roll bonuses are part of it. A position is checked once,
when :func:`start_turn` makes it. What follows from it by legal actions and rolls is not checked
again. A position prints as the call that makes it, and equal positions have equal hashes:

>>> held
start_turn('yatzy', held='33')

Actions have numbers, for arrays of options and in the Gymnasium environment: first the holds of
fewer than all dice, by size and then by faces (:mod:`.dice`), then the categories in the order of
the sheet::

    number   0             1       2      ...  209           210    211    ...  224
    action   reroll all    hold 1  hold 2      hold 6 6 6 6  ones   twos        yatzy        (five dice: 210 holds)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.dice import Dice, Ints, lattice
from ..core.rules import RuleSet
from ..core.scoring import is_joker, open_categories, scoring_options
from ..core.state import State, check_state, plain_state
from ..errors import StateError, game_over, shown, whole_number
from ..words import _, number_text
from . import notation
from .notation import (
    CardText,
    counts_of,
    dice_of,
    is_subset,
    parse_dice,
    parse_faces,
    read_card,
    spaced,
)
from .rule_loader import load_rules
from .scorecard import Scorecard

Card = Scorecard | State
Action = Dice | str  # the dice held, ascending, or the id of the category to score
# the faces held in any order, as text such as "33" or "none", or a category's name
ActionText = Sequence[int] | str
# faces, text, or a generator: random.Random or numpy.random.Generator
Rolled = Sequence[int] | str | Any


@dataclass(frozen=True)
class TurnPosition:
    """A position within a turn. Make one with :func:`start_turn`.

    Attributes
    ----------
    rules : RuleSet
    card : Scorecard or State
        The card at the start of the turn.
    dice : tuple of int
        Dice on the table, ascending; only those held if the others are to be rolled.
    rolls_left : int
        Rerolls left once all dice are on the table.
    is_checked : bool
        Whether :func:`start_turn` has checked the position, or it follows from one that was
        checked by legal actions and rolls. A changed copy is not.
    """

    rules: RuleSet
    card: Card
    dice: Dice
    rolls_left: int
    is_checked: bool = field(default=False, init=False, repr=False, compare=False)

    @cached_property
    def state(self) -> State:
        """The part of the card that affects the rest of the game."""
        return self.card if isinstance(self.card, State) else self.card.state

    @property
    def over(self) -> bool:
        """Whether every category is filled."""
        return self.state.filled == self.rules.full_mask

    @property
    def turn(self) -> int:
        """Number of the turn, from 1. When the game is over, it is that of the last turn."""
        played = self.state.filled.bit_count()
        return played if self.over else played + 1

    @property
    def to_roll(self) -> int:
        """Number of dice to be rolled now. It is 0 if a decision is due or the game is over."""
        return 0 if self.over else self.rules.dice - len(self.dice)

    @property
    def is_first_roll(self) -> bool:
        """Whether no die has been rerolled in this turn."""
        return self.rolls_left == self.rules.rolls_per_turn - 1 + self.state.saved

    def holds(self) -> list[Dice]:
        """Return every different way to hold fewer than all dice, the fewest dice first.

        There is none without a reroll left.
        """
        if self.over or self.to_roll or not self.rolls_left:
            return []
        # by face: every number of dice that may be held
        numbers = (range(count + 1) for count in counts_of(self.rules, self.dice))
        holds = [dice_of(counts) for counts in product(*numbers)]
        fewer = [held for held in holds if len(held) < self.rules.dice]
        return sorted(fewer, key=lambda held: (len(held), held))

    def categories(self) -> dict[str, tuple[int, int]]:
        """Return the categories that may take the dice, and what they pay.

        Returns
        -------
        dict
            By the id of the category: the points in the box, and the joker and first-roll bonus points.
        """
        return dict(self._categories)

    @cached_property
    def _categories(self) -> dict[str, tuple[int, int]]:
        if self.over or self.to_roll:
            return {}
        state = self.state
        counts = counts_of(self.rules, self.dice)
        payments = scoring_options(
            self.rules, state.filled, state.joker_paid, counts, self.is_first_roll
        )
        return {self.rules.categories[c].id: paid for c, paid in payments.items()}

    def legal_actions(self) -> list[Action]:
        """Return every hold, then every category, in the order of their numbers."""
        return [*self.holds(), *self.categories()]

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Return which actions are legal by their numbers, ``(actions,)`` int8 of 0 and 1."""
        return self._action_mask.copy()

    def is_legal(self, number: int) -> bool:
        """Return whether the action of a number from 0 to ``action_count(rules) - 1`` is legal."""
        return bool(self._action_mask[number])

    @cached_property
    def _action_mask(self) -> npt.NDArray[np.int8]:
        mask = np.zeros(action_count(self.rules), dtype=np.int8)
        holds = hold_count(self.rules)
        if self.rolls_left and not self.to_roll:
            mask[:holds] = holds_within(self.rules, self.dice)
        for category in self._categories:
            mask[holds + self.rules.index_of[category]] = 1
        return mask

    def observation(self) -> dict[str, Ints]:
        """Return the position as arrays of int64, an observation of :mod:`perfect_yatzy.rl`.

        ``filled`` (categories,) is 1 for each filled category, and ``upper`` (1,) the upper sum, at
        most the threshold of the bonus. ``counts`` (faces,) is the number of dice that show each
        face, and ``rolls_left`` (1,) the number of rerolls. ``joker_paid`` (1,) says whether the
        joker's box holds points. After the end of a game ``counts`` and ``rolls_left`` are 0.
        """
        state = self.state
        rules = self.rules
        return {
            "filled": np.array([state.filled >> c & 1 for c in range(len(rules.categories))]),
            "upper": np.array([state.upper]),
            "counts": np.array(counts_of(rules, self.dice)),
            "rolls_left": np.array([self.rolls_left if self.dice else 0]),
            "joker_paid": np.array([int(state.joker_paid)]),
        }

    def check_hold(self, dice: Sequence[int]) -> Dice:
        """Return the dice to hold, ascending.

        Raises
        ------
        StateError
            If these dice cannot be held now.
        """
        if len(dice) > self.rules.dice:
            text = _("{count} dice cannot be held; {rules} has {dice}")
            count = number_text(len(dice), grouped=True)
            raise StateError(text.format(count=count, rules=self.rules.key, dice=self.rules.dice))
        held = tuple(sorted(dice))
        if self.over or self.to_roll:
            raise StateError(_("there are no dice to hold yet"))
        if not self.rolls_left:
            raise StateError(_("no reroll is left: take a category"))
        if not is_subset(held, self.dice):
            raise StateError(
                _("{held} is not within {dice}", held=spaced(held), dice=spaced(self.dice))
            )
        if len(held) == self.rules.dice:
            raise StateError(
                _("with all dice held there is nothing to reroll: name the category to take")
            )
        return held

    def check_category(self, category: str) -> tuple[int, int]:
        """Return the points in the box and the bonus points of a category, by its id.

        Raises
        ------
        StateError
            If it may not take the dice.
        """
        rules = self.rules
        allowed = self.categories()
        if category in allowed:
            return allowed[category]
        if self.over or self.to_roll:
            raise StateError(_("there are no dice to score yet"))
        filled = self.state.filled
        boxes = " or ".join(allowed)
        position = rules.index_of.get(category, -1)  # -1: no category of these rules
        if position >= 0 and filled >> position & 1:
            raise StateError(_("{category} is filled already", category=category))
        if position in open_categories(rules, filled):  # then the dice do not allow it
            may_force = (
                rules.joker is not None
                and rules.joker.mode == "forced"
                and filled >> rules.joker_index & 1
            )
            is_forced = may_force and is_joker(rules, counts_of(rules, self.dice))
            if rules.crossing_out == "only-if-nothing-scores" and not is_forced:
                message = _("{category} may not be crossed out now: the dice score in {boxes}")
                raise StateError(message.format(category=category, boxes=boxes))
            if rules.joker:
                message = _("{category} may not be taken now: an extra {joker} must go to {boxes}")
                raise StateError(
                    message.format(category=category, joker=rules.joker.category, boxes=boxes)
                )
        text = _(
            "{category} may not be taken now: the boxes are filled in order, and {box} is next"
        )
        raise StateError(text.format(category=category, box=boxes))

    def apply(self, action: ActionText) -> TurnPosition:
        """Return the position after an action: dice are to be rolled, or the game is over.

        Parameters
        ----------
        action
            The dice to hold (faces in any order, or text such as ``"33"``; ``"none"`` rerolls all),
            or the name of a category. To hold all dice is no action: name the category. A player of
            :func:`perfect_yatzy.evaluate` who holds all dice is asked again, with no reroll left.

        Raises
        ------
        StateError
            If the action is not legal.
        """
        taken = read_action(self.rules, action)
        if not isinstance(taken, str):
            return self._next(self.card, self.state, self.check_hold(taken), self.rolls_left - 1)
        points, bonus_points = self.check_category(taken)
        c = self.rules.index_of[taken]
        saved = self.rolls_left if self.rules.saved_rolls else 0
        state = self.state.filled_with(self.rules, c, points, saved)
        card: Card = state
        if isinstance(self.card, Scorecard):
            card = self.card.filled_with(c, points, bonus_points, saved)
        is_over = state.filled == self.rules.full_mask
        rolls_left = 0 if is_over else self.rules.rolls_per_turn - 1 + saved
        return self._next(card, state, (), rolls_left)

    def _next(self, card: Card, state: State, dice: Dice, rolls_left: int) -> TurnPosition:
        """Return a position that follows from this one. It is checked if this one is."""
        after = TurnPosition(self.rules, card, dice, rolls_left)
        # A frozen dataclass has no other way to set a field.
        after.__dict__.update(state=state, is_checked=self.is_checked)
        return after

    def roll(self, rolled: Rolled) -> TurnPosition:
        """Return the position after the dice that are not held have been rolled.

        Parameters
        ----------
        rolled
            The result, of the rolled dice alone or of all dice; or a generator to draw it from, a
            ``random.Random`` or a ``numpy.random.Generator``.

        Raises
        ------
        StateError
            If no dice are to be rolled, or these do not fit the rules and the held dice.
        """
        number = self.to_roll
        faces = self.rules.faces
        if not number:
            raise StateError(_("no dice are to be rolled now"))
        if hasattr(rolled, "tolist"):  # an array
            rolled = rolled.tolist()
        given = rolled
        if isinstance(rolled, str):
            given = parse_faces(rolled)
        elif hasattr(rolled, "integers"):  # numpy.random.Generator
            given = rolled.integers(1, faces, number, endpoint=True).tolist()
        elif hasattr(rolled, "randint"):  # random.Random
            given = [rolled.randint(1, faces) for _ in range(number)]
        if not isinstance(given, Sequence):
            text = _("rolled is {rolled}; must be dice, or a random number generator")
            raise StateError(text.format(rolled=shown(rolled)))
        all_dice = (*self.dice, *given) if len(given) == number else given
        dice = parse_dice(self.rules, all_dice)
        if not is_subset(self.dice, dice):
            message = _("you held {held}, which is not within {dice}")
            raise StateError(message.format(held=spaced(self.dice), dice=spaced(dice)))
        return self._next(self.card, self.state, dice, self.rolls_left)

    def __repr__(self) -> str:
        card = self.card
        dice = "".join(map(str, self.dice))
        holds_dice = 0 < self.to_roll < self.rules.dice
        arguments = [repr(self.rules.spec or self.rules.key)]
        if isinstance(card, State):
            arguments.append(repr(card))
        elif card.points:
            arguments.append(repr(str(card)))
        if dice and not self.to_roll:
            arguments.append(f"dice={dice!r}")
        if self.rolls_left != most_rolls_left(self.rules, self.state, holds_dice):
            arguments.append(f"rolls_left={self.rolls_left}")
        if holds_dice:
            arguments.append(f"held={dice!r}")
        if isinstance(card, Scorecard):
            further = {"saved": card.saved, "bonus_points": card.bonus_points}
            arguments += [f"{name}={value}" for name, value in further.items() if value]
        return f"start_turn({', '.join(arguments)})"

    def _repr_html_(self) -> str:
        from ..notebook import html_table

        # a state knows only what is filled
        points = self.card.points if isinstance(self.card, Scorecard) else {}
        rows = []
        for c, box in enumerate(self.rules.categories):
            mark = "x" if self.state.filled >> c & 1 else ""
            rows.append((box.name, str(points.get(c, mark))))
        return html_table((), rows, repr(self))


def start_turn(  # noqa: PLR0913 - the published parameters
    rules: str | Path | RuleSet,
    card: CardText | Card = "",
    dice: Rolled | None = None,
    rolls_left: int | None = None,
    *,
    held: Sequence[int] | str = (),
    saved: int = 0,
    bonus_points: int = 0,
) -> TurnPosition:
    """Return a checked position within a turn.

    Parameters
    ----------
    rules
        The game, a name or a rule set; nothing is solved, so also one that is too large to be
        solved.
    card
        The card at the start of the turn: a scorecard, its text, points by category, or a bare
        state.
    dice
        All dice on the table; or a generator to roll them. None: they are still to be rolled.
    rolls_left
        Rerolls left; default: all of the turn's, as after the first roll.
    held
        The dice that are held while the others are to be rolled.
    saved, bonus_points
        Saved rolls, and joker and first-roll bonuses received so far, of a card that is given as
        text or points.

    Returns
    -------
    TurnPosition

    Raises
    ------
    StateError
        If the card, the dice or `rolls_left` cannot occur, or every category is filled.
    """
    checked: Card
    rules = load_rules(rules)
    if isinstance(card, State):
        checked = plain_state(card)
    elif isinstance(card, Scorecard):
        checked = read_card(rules, card)
    else:
        checked = notation.parse_card(rules, card, saved, bonus_points)
    start = TurnPosition(rules, checked, (), 0)
    check_state(rules, start.state)
    if start.over:
        raise game_over()
    kept = read_action(rules, held or ())
    if isinstance(kept, str):
        raise StateError(_("held is {held}; must be dice", held=shown(held)))
    most = most_rolls_left(rules, start.state, bool(kept))
    left = most if rolls_left is None else whole_number(rolls_left, "rolls_left")
    if not 0 <= left <= most:
        raise StateError(_("{left} rolls left; it must be 0 to {most}", left=left, most=most))
    start = replace(start, dice=kept, rolls_left=left)
    start.__dict__["is_checked"] = True
    return start if dice is None else start.roll(dice)


def most_rolls_left(rules: RuleSet, state: State, holds_dice: bool) -> int:
    """Return the most rerolls that can be left after the first roll.

    It is one less if dice are held, because that takes the first reroll.
    """
    after_first_roll = rules.rolls_per_turn - 1 + state.saved
    return after_first_roll - 1 if holds_dice else after_first_roll


def legal_actions(
    rules: str | Path | RuleSet,
    card: CardText | Card,
    dice: Sequence[int] | str,
    rolls_left: int | None = None,
) -> list[Action]:
    """Return every legal action for the dice on the table.

    This needs no table and solves nothing.

    Parameters
    ----------
    rules, card, dice, rolls_left
        As for :func:`start_turn`.

    Returns
    -------
    list
        The holds of fewer than all dice, as tuples of faces, then the ids of the categories.

    Raises
    ------
    StateError
        As :func:`start_turn`.
    """
    return start_turn(rules, card, dice, rolls_left).legal_actions()


@lru_cache(maxsize=32)
def hold_count(rules: RuleSet) -> int:
    """Return how many actions hold dice.

    It is the number of multisets of fewer dice than the game has.
    """
    return comb(rules.dice - 1 + rules.faces, rules.faces)


def action_count(rules: RuleSet) -> int:
    """Return how many actions there are."""
    return hold_count(rules) + len(rules.categories)


@lru_cache(maxsize=512)
def holds_within(rules: RuleSet, dice: Dice) -> npt.NDArray[np.int8]:
    """Return which holds of fewer than all dice are within a roll, ``(holds,)`` int8 of 0 and 1."""
    grid = lattice(rules.dice, rules.faces)
    return np.asarray(
        (grid.counts[: grid.first_roll] <= counts_of(rules, dice)).all(axis=1), dtype=np.int8
    )


def read_action(rules: RuleSet, action: ActionText) -> Action:
    """Read an action as people or programs write it.

    It is the faces to hold, where ``"none"`` rerolls all dice, or the name of a category.
    """
    if not isinstance(action, Sequence):
        text = _(
            "action is {action}; must be the dice to hold or the name of a category",
            action=shown(action),
        )
        raise StateError(text)
    faces: Sequence[int] | None
    if isinstance(action, str):
        if action in rules.index_of:
            return action
        faces = () if action.lower() == "none" else parse_faces(action)
        if faces is None:
            return rules.categories[notation.find_category(rules, action)].id
    else:
        faces = action
    if len(faces) >= rules.dice:
        text = _(
            "an action holds fewer than {dice} dice; to keep all of them, name the category",
            dice=rules.dice,
        )
        raise StateError(text)
    held = tuple(sorted(whole_number(face, "a die") for face in faces))
    if not all(1 <= face <= rules.faces for face in held):
        text = _("no action holds {held}; the faces are 1 to {faces}")
        raise StateError(text.format(held=repr(spaced(held)), faces=rules.faces))
    return held


def action_number(rules: str | Path | RuleSet, action: ActionText) -> int:
    """Return the number of an action of a game, as an agent gives it.

    The action may be ``"33"``, ``(3, 3)``, ``"none"`` or ``"chance"``.

    Raises
    ------
    StateError
        If the rules have no such action.
    """
    rules = load_rules(rules)
    known = read_action(rules, action)
    if isinstance(known, str):
        return hold_count(rules) + rules.index_of[known]
    return _hold_numbers(rules)[known]


@lru_cache(maxsize=32)
def actions_by_number(rules: RuleSet) -> list[Action]:
    """Return the action of every number."""
    ids = [category.id for category in rules.categories]
    return [*lattice(rules.dice, rules.faces).multisets[: hold_count(rules)], *ids]


@lru_cache(maxsize=32)
def _hold_numbers(rules: RuleSet) -> dict[Dice, int]:
    """Return the number of every hold."""
    return {dice: number for number, dice in enumerate(lattice(rules.dice, rules.faces).multisets)}


def numbered_action(rules: str | Path | RuleSet, number: int) -> Action:
    """Return the action of a number: the dice held, or the id of a category.

    It is the inverse of :func:`action_number`.

    Raises
    ------
    StateError
        If the rules have no action with this number.
    """
    rules = load_rules(rules)
    most = action_count(rules) - 1
    if not 0 <= whole_number(number, "action") <= most:
        raise StateError(_("action is {number}; must be 0 to {most}", number=number, most=most))
    return actions_by_number(rules)[number]
