"""In which order the boxes of a sheet can be filled: chains, and boxes that must be filled before.

A *chain* is a sequence of boxes that are filled one after another. Each order of the family is a set of chains::

    free             each box is a chain of its own
    forced           all boxes of the column, from the top down; reversed: from the bottom up
    times = 4        four equal boxes are a chain: which of them a turn fills makes no difference

so a card is given by the number of boxes filled in each chain. Upper section first is not a chain: each lower box
requires all upper boxes.
"""

from __future__ import annotations

from functools import lru_cache

from .rules import RuleSet


@lru_cache(maxsize=32)
def chains(rules: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Positions of the boxes of each chain in the order they are filled; the chains by their first position."""
    found: dict[tuple[int, str], list[int]] = {}
    for position, category in enumerate(rules.categories):
        order = column_order(rules, category.column)
        single = order in ("free", "upper-first")
        found.setdefault((category.column, (category.row or category.id) if single else ""), []).append(position)
    ordered = [
        tuple(reversed(boxes) if column_order(rules, column) == "reversed" else boxes)
        for (column, _), boxes in found.items()
    ]
    return tuple(sorted(ordered, key=min))


def leaves_choice(rules: RuleSet) -> bool:
    """Whether a turn can have several boxes to choose from; not if all boxes are one chain."""
    return len(chains(rules)) > 1


@lru_cache(maxsize=32)
def prerequisites(rules: RuleSet) -> tuple[int, ...]:
    """For each category the bitmask of the boxes that must be filled before it."""
    needed = [0] * len(rules.categories)
    for chain in chains(rules):
        before = 0
        for position in chain:
            needed[position] |= before
            before |= 1 << position
    for position, category in enumerate(rules.categories):
        if not category.upper and column_order(rules, category.column) == "upper-first":
            needed[position] |= sum(
                1 << c for c, other in enumerate(rules.categories) if other.upper and other.column == category.column
            )
    return tuple(needed)


def column_order(rules: RuleSet, column: int) -> str:
    """The order within a column."""
    return rules.columns[column].order if rules.columns else rules.order
