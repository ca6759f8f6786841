"""Which boxes a relaxed game should remember: how much each lowers the bound, and where the upper sum may be coarse.

The gain of a box is measured in the relaxed game with the required boxes exact if that is small, else without upper
bonuses, with one value for each row. Boxes that pay for the same rolls take gain from each other, so gains are
measured again after each box that is taken, as long as that is cheap.

An upper sum matters little where the bonus is out of reach or nearly certain. Neighbouring sums whose values differ
by less than a tolerance in every row become one level, which has the value of its largest sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2

import numpy as np

from ..game.box_order import chains
from ..game.dice import Floats, Ints
from ..game.limits import ONE_WORD
from ..game.rules import RuleSet
from ..model.approximate_cost import solve_work
from ..model.relaxed_game import RelaxedGame
from ..model.relaxed_layout import tracked_exact
from .bound import solve_relaxed, upper_bound

Chain = tuple[int, ...]


def order_of_gain(
    rules: RuleSet,
    prices: Floats,
    slopes: Floats,
    exact: Sequence[int],
    column: int,
    work: float,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Chain]:
    """The chains that are not exact yet, those first that lower the bound most for the cards they cost."""
    # A chain of n boxes multiplies the cards by n + 1, as log2(n + 1) boxes would; its gain is divided by that.
    left = [c for c in chains(rules) if not set(c) & set(exact) and len(exact) + len(c) <= ONE_WORD]
    base = list(exact)
    if solve_work(RelaxedGame(rules, base, prices, column, slopes)) * 2 * len(left) > work / 2:
        base, column = list(tracked_exact(rules)), -1
    taken: list[Chain] = []
    while left:
        known = [*base, *(c for chain in taken for c in chain)]
        if len(known) + max(map(len, left)) > ONE_WORD:
            break
        games = [RelaxedGame(rules, [*known, *chain], prices, column, slopes) for chain in left]
        cost = sum(solve_work(game) for game in games)
        if taken and cost > work:
            break
        work -= cost
        before, *bounds = (
            upper_bound(game, solve_relaxed(game, threads=threads))
            for game in (RelaxedGame(rules, known, prices, column, slopes), *games)
        )
        gains = [(before - bound) / log2(len(chain) + 1) for bound, chain in zip(bounds, left, strict=True)]
        order = sorted(range(len(left)), key=lambda i: (-gains[i], left[i]))
        taken.append(left[order[0]])
        left = [left[i] for i in order[1:]]
        if progress:
            progress(len(taken) / (len(taken) + len(left)))
    return [*taken, *left]


def coarse_levels(game: RelaxedGame, values: Floats, tolerance: float) -> list[Ints]:
    """For each set of filled upper boxes the upper sums that end a level."""
    # Levels by how often play visits their states would be fewer, but the relaxed game exploits them: it crosses out
    # upper boxes to reach a sum that is rounded up by far (for Giant Yatzy the bound rose by 30 points).
    layout, levels = game.layout, []
    rows = np.flatnonzero(game.occurs)
    sets = layout.lane_sets[rows]
    for lane_set, count in enumerate(layout.lane_count.tolist()):
        same = rows[sets == lane_set]
        ends = []
        if len(same):
            table = values[layout.offsets[same][:, None] + np.arange(count)]  # (rows, lanes), without saved rolls
            low = 0
            for lane in range(1, count):
                if float((table[:, lane] - table[:, low]).max()) > tolerance:
                    ends.append(lane - 1)
                    low = lane
        levels.append(layout.lane_upper[lane_set, [*ends, count - 1]])
    return levels
