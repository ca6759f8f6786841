"""Tables in shards, solved in pieces of any size and in any order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from perfect_yatzy import RuleSet
from perfect_yatzy.core.backward_induction import solve_layers
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_info import shards_folder
from perfect_yatzy.core.table_slices import Values
from perfect_yatzy.objectives.exponential import ExponentialUtility
from perfect_yatzy.objectives.policy_quantities import BonusChance, Variance
from perfect_yatzy.objectives.scores import Goals, Utility
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.shard_plan import Shard, ShardPlan, plan_from_cuts
from perfect_yatzy.tablebase.shard_task import ShardTask, solve_shard_task
from perfect_yatzy.tablebase.store import solve_to_store, table_path
from perfect_yatzy.tablebase.table_writer import TableWriter

from support import games

SMALL = games.saved_rolls_game("free", True)
MEAN = Objective(SMALL)
OBJECTIVES: dict[str, Callable[[RuleSet], Objective]] = {
    "mean": Objective,
    "goals": Goals,
    "utility": lambda rules: Utility(rules, lambda total: np.sqrt(total.astype(np.float64))),
    "dented utility": lambda rules: Utility(rules, lambda total: (total % 7).astype(np.float64)),
    "exponential": lambda rules: ExponentialUtility(rules, -0.02),
    "variance": lambda rules: Variance(rules, solve_values(rules)),
    "bonus": lambda rules: BonusChance(rules, solve_values(rules)),
}


def stored_table(folder: Path, objective: Objective = MEAN) -> Path:
    """Solve into a store; the file of the values."""
    solve_to_store(Settings(folder), objective)
    return table_path(objective.rules, folder, objective.name)


def abandoned(folder: Path, objective: Objective = MEAN, layers: int = 1) -> TableWriter:
    """What a killed solve leaves after a checkpoint."""
    writer = TableWriter(folder, objective)
    for layer in islice(solve_layers(objective), layers):
        writer.add(layer.values)
    writer.checkpoint(layer.filled, layer.values)
    return writer


class CountingEngine:
    """Runs tasks in the thread of the caller; remembers their results."""

    def __init__(self) -> None:
        self.results: list[dict[str, Any]] = []

    def run(
        self, tasks: Sequence[ShardTask], is_ready: Callable[[ShardTask], bool]
    ) -> Iterator[dict[str, Any]]:
        for task in tasks:
            assert is_ready(task)
            self.results.append(solve_shard_task(task))
            yield self.results[-1]

    @property
    def solved(self) -> int:
        """Number of shards that were solved, and not found."""
        return sum(result["solved"] for result in self.results)


class ShuffledEngine:
    """Has up to `most` tasks under way, of which any may be done next, like many workers."""

    def __init__(self, seed: int, most: int = 6) -> None:
        self._random, self._most = np.random.default_rng(seed), most

    def run(
        self, tasks: Sequence[ShardTask], is_ready: Callable[[ShardTask], bool]
    ) -> Iterator[dict[str, Any]]:
        waiting, under_way = deque(tasks), list[ShardTask]()
        while waiting or under_way:
            while waiting and len(under_way) < self._most and is_ready(waiting[0]):
                under_way.append(waiting.popleft())
            yield solve_shard_task(under_way.pop(int(self._random.integers(len(under_way)))))


def random_plan(objective: Objective, seed: int) -> ShardPlan:
    """Up to five shards of random lengths in each layer."""
    random, cuts = np.random.default_rng(seed), []
    for filled in range(objective.space.categories, objective.first_layer - 1, -1):
        rows = len(objective.space.layers[filled])
        ends = np.unique([*random.integers(1, rows + 1, int(random.integers(0, 5))), rows])
        cuts.append([filled, *ends.tolist()])
    return plan_from_cuts(objective, cuts)


def shard_path(objective: Objective, folder: Path, shard: Shard) -> Path:
    """The file of a shard of a finished table."""
    return shards_folder(table_path(objective.rules, folder, objective.name)) / shard.file


def shard_bytes(folder: Path) -> dict[Path, bytes]:
    """The contents of all shards in a folder of tables."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.glob("*.shards/*")}


def values_of(path: Path) -> Values:
    """The values of a shard, read by NumPy alone."""
    return np.asarray(np.load(path, max_header_size=1 << 17))
