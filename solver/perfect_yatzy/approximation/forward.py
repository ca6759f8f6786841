"""How often play of a relaxed game meets each state, and how often it uses each box.

The best policy of the relaxed game is followed from the empty card. Its chances decide which rows are worth values
of their own (:mod:`.relaxation`), and ``1 - uses`` is a subgradient of the bound with respect to the prices. Nothing
here enters the certificate: states that are hardly ever met are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import PADDING, TableSlice
from ..model.relaxed_game import RelaxedGame
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import thread_map

ROWS_PER_TASK = 8


@dataclass(frozen=True)
class Visits:
    """Play of a relaxed game from the empty card.

    Attributes
    ----------
    chance : (size,) float64
        Chance that play meets each state, by the place of its value. Play that moves on to a row of a coarser game is
        not followed further.
    uses : (categories,) float64
        Expected uses of each box, over the part of play that is followed.
    upper : (bonuses,) float64
        Expected sum of the boxes that count to each upper bonus.
    """

    chance: Floats
    uses: Floats
    upper: Floats


class _Groups:
    """The outcomes of a turn by the step to the child and the rise of the upper sum."""

    def __init__(self, game: RelaxedGame, status: int) -> None:
        outcomes, self.boxes = game.outcomes(status)
        keys = np.stack([outcomes.step, outcomes.shift])
        pairs, group = np.unique(keys, axis=1, return_inverse=True)
        self.step, self.shift = pairs
        self.order = np.argsort(group, kind="stable")
        self.starts = np.searchsorted(group[self.order], np.arange(len(self.step)))
        self.points = outcomes.total + game.prices[self.boxes]
        self.outcomes = outcomes


def visits(game: RelaxedGame, values: Floats, *, threads: int | None = None, least: float = 1e-7) -> Visits:
    """Follow the best policy of a relaxed game without saved rolls.

    Parameters
    ----------
    game
    values : (game.size,) float64
        W.
    threads
        Number of threads; default: all processors of this process.
    least
        Rows with a smaller chance are not followed.

    Raises
    ------
    ValueError
        If the rules save rolls.
    """
    from ..kernels.actions import LayerChances, chance_rows
    from ..kernels.lattice import indexed_lattice, kernel_lattice
    from ..kernels.policy import PolicyJob, policy_scratch
    from ..kernels.turn import TIE

    if game.rules.saved_rolls:
        raise ValueError("play is followed only without saved rolls")
    dice, layout = lattice(game.rules.dice, game.rules.faces), game.layout
    passes, index_arrays = kernel_lattice(dice), indexed_lattice(dice)
    groups = [_Groups(game, status) for status in range(len(game.models))]
    table = TableSlice(np.concatenate([values, np.zeros(PADDING)]), 0)
    table.values.flags.writeable = False
    chance = np.zeros(game.size)
    start = game.layout.offsets[game.start_row]
    chance[start] = 1.0
    used = [np.zeros(len(group.boxes)) for group in groups]
    idle: list[list[Any]] = [[] for _ in groups]

    def turn(rows: Ints, status: int) -> tuple[Ints, Floats, Floats]:
        """Places of the children and their chances, and the chance of each outcome."""
        try:
            job = idle[status].pop()
        except IndexError:
            model, outcomes = game.models[status], groups[status].outcomes
            scratch = policy_scratch(dice, model, outcomes, 0, np.float64)
            job = PolicyJob(model, outcomes, passes, (TIE, 0.0), scratch)
        group, places, parts = groups[status], [], []
        total = np.zeros(len(group.boxes))
        for row in rows:
            first, lane_set = int(layout.offsets[row]), layout.lane_sets[row]
            lanes = int(layout.lane_count[lane_set])
            found = np.zeros((len(group.boxes), lanes))
            chance_rows(np.array([row]), job, table, index_arrays, LayerChances(found.ravel(), first, lanes))
            here = chance[first : first + lanes]
            total += found @ here
            moved = np.add.reduceat(found[group.order], group.starts) * here
            which, lane = np.nonzero(moved)
            child = row + group.step[which]
            upper = layout.lane_upper[lane_set, lane] + group.shift[which]
            places.append(layout.offsets[child] + layout.lane_of[layout.lane_sets[child], upper])
            parts.append(moved[which, lane])
        idle[status].append(job)
        return np.concatenate(places), np.concatenate(parts), total

    with thread_map(threads or default_threads(), "yatzy-visits") as in_threads:
        for played in range(game.turns):
            rows = game.rows_in_layer[played]
            met = row_chances(game, chance, rows)
            rows = rows[met > least]
            statuses = game.status(rows)
            for status in range(len(groups)):
                same = rows[statuses == status]
                tasks = [same[i : i + ROWS_PER_TASK] for i in range(0, len(same), ROWS_PER_TASK)]
                # Added in the order of the rows, so that the sums do not depend on the threads.
                for places, parts, total in in_threads(turn, tasks, [status] * len(tasks)):
                    np.add.at(chance, places, parts)
                    used[status] += total
    rules = game.rules
    uses, upper = np.zeros(len(rules.categories)), np.zeros(len(rules.bonuses))
    for group, total in zip(groups, used, strict=True):
        uses += np.bincount(group.boxes, weights=total, minlength=len(uses))
        for c, box in enumerate(rules.categories):
            if box.upper and rules.bonus:
                here = group.boxes == c
                upper[box.column] += float(total[here] @ group.points[here]) / (1.0 + game.slopes[box.column])
    return Visits(chance, uses, upper)


def row_chances(game: RelaxedGame, chance: Floats, rows: Ints) -> Floats:
    """Chance that play meets each row, ``(n,)`` float64, from that of each state."""
    total = np.concatenate([[0.0], np.cumsum(chance)])
    first = game.layout.offsets[rows]
    return np.asarray(total[first + game.layout.lane_count[game.layout.lane_sets[rows]]] - total[first])
