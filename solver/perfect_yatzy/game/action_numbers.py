"""Actions as numbers: the columns of the values of all options, and the actions of the Gymnasium environment.

An action holds some of the dice and rerolls the others, or scores a category. First come the holds, every multiset
of fewer dice than the game has, by size and then by faces (:mod:`.dice`); then the categories in the order of the
sheet::

    number   0             1       2      ...  209           210    211    ...  224
    action   reroll all    hold 1  hold 2      hold 6 6 6 6  ones   twos        yatzy        (five dice: 210 holds)

To hold all dice is not an action: score a category.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..errors import StateError, shown, whole_number
from .dice import Dice, lattice
from .notation import counts_of, dice_of, find_category, parse_faces, spaced
from .rule_loader import load_rules
from .rules import RuleSet

Action = Dice | str  # the dice held, ascending, or the id of the category to score
ActionText = Sequence[int] | str  # the faces held in any order, as text such as "33" or "none", or a category's name


def hold_count(rules: RuleSet) -> int:
    """How many actions hold dice: the number of multisets of fewer dice than the game has."""
    return comb(rules.dice - 1 + rules.faces, rules.faces)


def action_count(rules: RuleSet) -> int:
    """How many actions there are."""
    return hold_count(rules) + len(rules.categories)


@lru_cache(maxsize=512)
def holds_within(rules: RuleSet, dice: Dice) -> npt.NDArray[np.int8]:
    """``(holds,)`` int8: 1 for each hold of fewer than all dice that is within the roll."""
    grid = lattice(rules.dice, rules.faces)
    return np.asarray((grid.counts[: grid.first_roll] <= counts_of(rules, dice)).all(axis=1), dtype=np.int8)


def read_action(rules: RuleSet, action: ActionText) -> Action:
    """An action as people or programs write it: faces to hold (``"none"``: reroll all), or the name of a category."""
    faces: Sequence[int] | None
    if not isinstance(action, Sequence):
        raise StateError(f"action is {shown(action)}; must be the dice to hold or the name of a category")
    if not isinstance(action, str):
        faces = action
    elif (faces := () if action.lower() == "none" else parse_faces(action)) is None:
        return rules.categories[find_category(rules, action)].id
    if len(faces) >= rules.dice:
        raise StateError(f"an action holds fewer than {rules.dice} dice; to keep all of them, name the category")
    held = tuple(sorted(whole_number(face, "a die") for face in faces))
    if not all(1 <= face <= rules.faces for face in held):
        raise StateError(f"no action holds {spaced(held)!r}; the faces are 1 to {rules.faces}")
    return held


def read_hold(rules: RuleSet, held: ActionText) -> Dice:
    """The dice of a hold, ascending."""
    if isinstance(taken := read_action(rules, held or ()), str):
        raise StateError(f"held is {shown(held)}; must be dice")
    return taken


def action_number(rules: str | Path | RuleSet, action: ActionText) -> int:
    """Number of an action of a game, as an agent gives it: of ``"33"``, ``(3, 3)``, ``"none"`` or ``"chance"``.

    Raises
    ------
    StateError
        If the rules have no such action.
    """
    rules = load_rules(rules)
    known = read_action(rules, action)
    if isinstance(known, str):
        return hold_count(rules) + rules.index_of[known]
    return int(lattice(rules.dice, rules.faces).rank(counts_of(rules, known)))


def numbered_action(rules: str | Path | RuleSet, number: int) -> Action:
    """The action of a number, the dice held or the id of a category; the inverse of :func:`action_number`."""
    rules = load_rules(rules)
    if not 0 <= whole_number(number, "action") < action_count(rules):
        raise StateError(f"action is {number}; must be 0 to {action_count(rules) - 1}")
    if number < hold_count(rules):
        return dice_of(lattice(rules.dice, rules.faces).counts[number].tolist())
    return rules.categories[number - hold_count(rules)].id
