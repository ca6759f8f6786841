"""The first roll of a game, and what perfect play holds of it, in a few lines instead of hundreds of rolls.

Rolls with the same group sizes are one pattern (``3-1-1``: three of a kind and two other dice). Within a pattern,
rolls that are treated in the same way share a line::

    3-1-1   keep the three of a kind     60 rolls      the whole pattern
    2-2-1   keep the higher pair         54 rolls      all rolls of the pattern that no other line names
    2-2-1   keep both pairs               4 rolls      15566 25566 35566 45566
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import comb, prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..game.dice import Dice, lattice
from ..game.notation import dice_of

if TYPE_CHECKING:
    from ..strategy.strategy import Strategy

Which = Literal["", "highest", "other"]
Groups = tuple[int, ...]  # sizes of groups of equal dice, descending


@dataclass(frozen=True)
class OpeningEntry:
    """The rolls of a line that lead to the same dice, or to the same category."""

    hold: Dice  # dice held; empty where a category is scored
    category: str | None  # Id of the category that is scored with the first roll
    rolls: tuple[Dice, ...]  # the rolls, ascending


@dataclass(frozen=True)
class OpeningLine:
    """First rolls of one pattern that perfect play treats in the same way."""

    # sizes of the groups of equal dice in the rolls, descending; empty if the line is about every roll
    pattern: Groups
    stop: bool  # whether the turn ends with the first roll
    kept: Groups  # sizes of the groups that are held, descending; empty: the turn ends, or all dice are rerolled
    which: Which  # where a roll has several groups of these sizes: whether those with the highest faces are held
    faces: Dice  # the faces of which every die is held, if that describes the hold of every roll
    entries: tuple[OpeningEntry, ...]  # the rolls by the dice that are held or the category that is scored
    chance: float  # probability of these rolls, 0 to 1
    lowest: float  # range of the expected final scores, in points
    highest: float
    majority: bool  # whether these are the rolls of the pattern that no other line names
    whole_pattern: bool  # whether these are all rolls of the pattern

    @property
    def roll_count(self) -> int:
        """Number of different rolls."""
        return sum(len(entry.rolls) for entry in self.entries)

    @property
    def is_run(self) -> bool:
        """Whether each of the holds is a run of at least three dice, such as 2 3 4."""
        holds = [entry.hold for entry in self.entries]
        return all(len(hold) > 2 and hold == tuple(range(hold[0], hold[0] + len(hold))) for hold in holds)


def groups_of(dice: Dice) -> Groups:
    """Sizes of the groups of equal dice, descending: ``(3, 1, 1)`` for 2 4 4 4 6."""
    return tuple(sorted((dice.count(face) for face in set(dice)), reverse=True))


def which_groups(roll: Dice, hold: Dice) -> Which:
    """Whether the groups held are those with the highest faces, if the roll has other groups of these sizes."""
    counts = {face: roll.count(face) for face in set(roll)}
    held = sorted(set(hold), key=lambda face: (-hold.count(face), -face))
    if any(hold.count(face) != counts[face] for face in held):
        return ""  # a part of a group
    sizes, available = groups_of(hold), list(counts.values())
    if prod(comb(available.count(size), sizes.count(size)) for size in set(sizes)) == 1:
        return ""
    free = sorted(counts, reverse=True)
    for face in held:
        if next(f for f in free if counts[f] == counts[face]) != face:
            return "other"
        free.remove(face)
    return "highest"


def opening_lines(strategy: Strategy) -> tuple[OpeningLine, ...]:
    """What perfect play holds of every first roll of the game."""
    rules = strategy.rules
    if rules.rolls_per_turn == 1:
        return ()
    grid = lattice(rules.dice, rules.faces)
    rolls = [dice_of(roll) for roll in grid.counts[grid.first_roll :].tolist()]
    answer = strategy.best(0, 0, np.array(rolls), rules.rolls_per_turn - 1)
    categories = [answer.categories[c] if c >= 0 else None for c in answer.category.tolist()]
    holds = [dice_of(held) for held in answer.held.tolist()]  # all dice where a category is scored
    faces = faces_always_held(rolls, holds, rules.faces)
    if not faces:
        holds = [() if category else hold for hold, category in zip(holds, categories, strict=True)]
    alike: dict[tuple[Groups, bool, Groups, Which], list[int]] = defaultdict(list)
    for i, (roll, hold, category) in enumerate(zip(rolls, holds, categories, strict=True)):
        if faces:
            alike[(), False, (), ""].append(i)
            continue
        kept = groups_of(hold)
        # Single dice are listed one by one, so that it does not matter which of them is the highest.
        which = which_groups(roll, hold) if kept and kept[0] > 1 else ""
        alike[groups_of(roll), category is not None, kept, which].append(i)
    order = sorted(alike.items(), key=lambda item: len(item[1]), reverse=True)
    order.sort(key=lambda item: item[0][0], reverse=True)  # stable: the largest line of a pattern stays first
    sizes: dict[Groups, int] = defaultdict(int)
    for (pattern, *_), members in order:
        sizes[pattern] += len(members)
    lines, seen = [], set[Groups]()
    for (pattern, stop, kept, which), members in order:
        by_action: dict[tuple[Dice, str | None], list[Dice]] = defaultdict(list)
        for i in members:
            by_action[holds[i], categories[i]].append(rolls[i])
        entries = (OpeningEntry(hold, c, tuple(found)) for (hold, c), found in by_action.items())
        values = answer.value[members]
        lines.append(
            OpeningLine(
                pattern=pattern,
                stop=stop,
                kept=kept,
                which=which,
                faces=faces,
                entries=tuple(sorted(entries, key=lambda e: (e.hold, e.rolls))),
                chance=float(grid.weights[members].sum()),
                lowest=float(values.min()),
                highest=float(values.max()),
                majority=pattern not in seen,
                whole_pattern=len(members) == sizes[pattern],
            )
        )
        seen.add(pattern)
    return tuple(lines)


def faces_always_held(rolls: list[Dice], holds: list[Dice], faces: int) -> Dice:
    """The faces of which all dice are held, if that describes every hold (as often in a forced order); else ()."""
    held = {face for hold in holds for face in hold}
    described = all(
        hold == tuple(face for face in roll if face in held) for roll, hold in zip(rolls, holds, strict=True)
    )
    return tuple(sorted(held)) if described and len(held) < faces else ()


def shortened(entry: OpeningEntry, pattern: Groups, faces: int) -> tuple[tuple[Dice, int], ...]:
    """The rolls of an entry, those with the same largest group as one if none of them is missing."""
    if not pattern or pattern.count(pattern[0]) > 1 or pattern[0] == 1:
        return tuple((roll, 0) for roll in entry.rolls)
    grid = lattice(sum(pattern), faces)
    of_pattern = sum(groups_of(dice_of(roll)) == pattern for roll in grid.counts[grid.first_roll :].tolist()) // faces
    found: dict[Dice, list[Dice]] = defaultdict(list)
    for roll in entry.rolls:
        found[tuple(face for face in roll if roll.count(face) == pattern[0])].append(roll)
    result: list[tuple[Dice, int]] = []
    for group, members in found.items():
        whole = len(members) == of_pattern > 1
        result += [(group, sum(pattern) - len(group))] if whole else [(roll, 0) for roll in members]
    return tuple(result)
