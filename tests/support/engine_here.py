"""An engine that runs the tasks of a cluster in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from perfect_yatzy.cluster.engine import DaskEngine


class EngineHere:
    """The tasks in this process, the last one first."""

    threads = 1

    def seeing(self, folder: object, kernels: str) -> AbstractContextManager[None]:
        return nullcontext()

    def map(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        for number, task in reversed([*enumerate(tasks)]):
            yield number, function(task)

    play = DaskEngine.play
