"""How often the best play of a relaxed game uses each box.

The best policy of the relaxed game is followed from the empty card: ``1 - uses`` is a subgradient of the bound with
respect to the prices. The certificate does not depend on it, so rows with a very small chance are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..game.dice import Floats, Ints, lattice
from ..kernels.table_slices import PADDING, TableSlice
from ..model.relaxed_game import RelaxedGame
from ..model.relaxed_layout import EMPTY_ROW
from ..tablebase.backward_induction import default_threads
from ..tablebase.threads import ScratchPool, thread_map
from .sums import dot

ROWS_PER_TASK = 8
LEAST_CHANCE = 1e-7  # of a row, for play to be followed


@dataclass(frozen=True)
class Visits:
    """Play of a relaxed game from the empty card."""

    # (turns, categories) float64: Chance that each turn fills each box, over the part of play that is followed
    uses: Floats
    upper: Floats  # (bonuses,) float64: Expected sum of the boxes that count to each upper bonus


class _Groups:
    """The outcomes of a turn by the step to the child and the rise of the upper sum."""

    def __init__(self, game: RelaxedGame, status: int) -> None:
        outcomes, self.boxes = game.models[status].outcomes, game.boxes(status)
        keys = np.stack([outcomes.step, outcomes.shift])
        pairs, group = np.unique(keys, axis=1, return_inverse=True)
        self.step, self.shift = pairs
        self.order = np.argsort(group, kind="stable")
        self.starts = np.searchsorted(group[self.order], np.arange(len(self.step)))
        self.points = outcomes.points + game.prices[self.boxes]


class _Play:
    """The best policy of a relaxed game, turn by turn; `chance` is that of each state to be reached."""

    def __init__(self, game: RelaxedGame, values: Floats) -> None:
        from ..kernels.turn_visits import visit_scratch

        self.game, self.dice = game, lattice(game.rules.dice, game.rules.faces)
        self.groups = [_Groups(game, status) for status in range(len(game.models))]
        self.table = TableSlice(np.concatenate([values, np.zeros(PADDING)]), 0)
        self.table.values.flags.writeable = False
        self.chance = np.zeros(game.size)
        self.chance[game.layout.offsets[EMPTY_ROW]] = 1.0
        self._scratch = [ScratchPool(partial(visit_scratch, self.dice, model)) for model in game.models]

    def turn(self, rows: Ints, status: int) -> tuple[Ints, Ints, Floats, Floats]:
        """Rows and places of the children and their chances, and the chance of each outcome."""
        from ..kernels.turn_visits import VisitJob, visit_rows

        model, layout, group = self.game.models[status], self.game.layout, self.groups[status]
        children, places, parts = [], [], []
        total = np.zeros(len(group.boxes))
        with self._scratch[status].borrow() as scratch:
            for row in rows:
                first, lane_set = int(layout.offsets[row]), layout.lane_sets[row]
                lanes = int(layout.lane_count[lane_set])
                found = np.zeros((len(group.boxes), lanes))
                ends = found.ravel()
                job = VisitJob(model, self.table, self.chance, ends, first, lanes, scratch)
                visit_rows(np.array([row]), job)
                total += found.sum(axis=1)
                moved = np.add.reduceat(found[group.order], group.starts)
                which, lane = np.nonzero(moved)
                child = row + group.step[which]
                upper = layout.lane_upper[lane_set, lane] + group.shift[which]
                children.append(child)
                places.append(layout.offsets[child] + layout.lane_of[layout.lane_sets[child], upper])
                parts.append(moved[which, lane])
        return np.concatenate(children), np.concatenate(places), np.concatenate(parts), total


def visits(game: RelaxedGame, values: Floats, *, threads: int | None = None) -> Visits:
    """Follow the best policy of a relaxed game without saved rolls."""
    if game.rules.saved_rolls:
        raise ValueError("play is followed only without saved rolls")
    play = _Play(game, values)
    reached = np.zeros(game.n_rows)
    reached[EMPTY_ROW] = 1.0
    used = [np.zeros((game.turns, len(group.boxes))) for group in play.groups]
    with thread_map(threads or default_threads(), "yatzy-visits") as in_threads:
        for played in range(game.turns):
            rows = game.rows_in_layer[played]
            rows = rows[reached[rows] > LEAST_CHANCE]
            statuses = game.status(rows)
            for status in range(len(play.groups)):
                same = rows[statuses == status]
                tasks = [same[i : i + ROWS_PER_TASK] for i in range(0, len(same), ROWS_PER_TASK)]
                # Added in the order of the rows, so that the sums do not depend on the threads.
                for children, places, parts, total in in_threads(play.turn, tasks, [status] * len(tasks)):
                    np.add.at(play.chance, places, parts)
                    np.add.at(reached, children, parts)
                    used[status][played] += total
    return _by_box(game, play.groups, used)


def _by_box(game: RelaxedGame, groups: Sequence[_Groups], used: Sequence[Floats]) -> Visits:
    """The visits from the chance of each outcome, by status, turn and outcome."""
    rules = game.rules
    uses, upper = np.zeros((game.turns, len(rules.categories))), np.zeros(len(rules.bonuses))
    for group, total in zip(groups, used, strict=True):
        for c, box in enumerate(rules.categories):
            here = group.boxes == c
            uses[:, c] += total[:, here].sum(axis=1)
            if box.upper and rules.bonus:
                points = float(dot(total[:, here].sum(axis=0), group.points[here]))
                upper[box.column] += points / (1.0 + game.slopes[box.column])
    return Visits(uses, upper)
