"""What can be said of a rule set before it is solved: its size, its highest score, what a solve will take."""

from __future__ import annotations

from dataclasses import dataclass

from .dice import lattice
from .rules import RuleSet
from .states import LANES, possible_points, state_space

# Measured with two threads on a 2-core Xeon at 2.7 GHz; see benchmarks/runs.
LANE_OPERATIONS_PER_SECOND = 5e10


@dataclass(frozen=True)
class Facts:
    """Sizes and limits of a rule set.

    Attributes
    ----------
    states, values : int
        Reachable states, and values in the table (states that share a fate share a value).
    bytes : int
        Size of the table.
    seconds : float
        Rough estimate of a solve with two threads, compilation apart.
    maximum : int or None
        Highest final score; None under a joker rule, where it depends on the order of play.
    """

    states: int
    values: int
    bytes: int
    seconds: float
    maximum: int | None


def facts(rules: RuleSet) -> Facts:
    """Sizes and limits of a rule set.

    Raises
    ------
    RulesError
        If it has too many states to be enumerated.
    """
    space, grid = state_space(rules), lattice(rules.dice, rules.faces)
    operations = 0
    for filled, rows in enumerate(space.layers[:-1]):
        blocks = (-(-space.layout.lane_count[space.layout.sets[rows]] // LANES)).sum()
        passes = rules.rolls + int(space.most_saved[filled])
        operations += int(blocks) * passes * LANES * (2 * len(grid.predecessors) + 4 * grid.rolls)
    return Facts(
        states=space.reachable(),
        values=space.size,
        bytes=space.size * 8,
        seconds=operations / LANE_OPERATIONS_PER_SECOND,
        maximum=maximum_score(rules),
    )


def maximum_score(rules: RuleSet) -> int | None:
    """Highest possible final score; every box is independent of the others unless there are jokers."""
    if (rules.joker and rules.joker.mode != "none") or (rules.joker and rules.joker.bonus):
        return None
    best = [max(points) for points in possible_points(rules)]
    upper = sum(points for points, category in zip(best, rules.categories, strict=True) if category.upper)
    bonus = rules.bonus.points if rules.bonus and upper >= rules.bonus.threshold else 0
    extras = sum(extra for c, extra in rules.first_roll_bonus if best[rules.index_of[c]])
    return sum(best) + bonus + extras
