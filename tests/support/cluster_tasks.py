"""Functions that tests run on the workers of a cluster, which import this module, and an engine
of this process.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NoReturn

from perfect_yatzy import TableError
from perfect_yatzy.cluster.engine import DaskEngine
from perfect_yatzy.tablebase import shard_task

Attempt = tuple[int, str]  # a number, and a folder for notes


class EngineHere:
    """The tasks in this process, the last one first."""

    threads = 1

    def seeing(self, folder: object, kernels: str) -> AbstractContextManager[None]:
        return nullcontext()

    def map(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        for number, task in reversed([*enumerate(tasks)]):
            yield number, function(task)

    play = DaskEngine.play


def wait_until(condition: Callable[[], object], seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def square(number: int) -> int:
    return number * number


def nap(attempt: Attempt) -> tuple[int, int]:
    """Note the attempt in the folder, sleep a moment; the number and the process."""
    number, folder = attempt
    (Path(folder) / f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.05)
    return number, os.getpid()


def die(number: int) -> NoReturn:
    """End the worker."""
    os._exit(1)


def fail(number: int) -> int:
    """Fail for one number as a task may."""
    if number == 7:
        raise TableError("the seventh task cannot be done", code="table-damaged", field="tables")
    return number


def divide(number: int) -> float:
    """Fail for zero as a bug would."""
    return 1 / number


def fill_disk(layer: int) -> None:
    """From now on this worker cannot write shards of this layer."""
    write = shard_task.write_shard

    def failing(path: Path, *args: Any) -> Any:
        if path.name.startswith(f"{layer:02}-"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return write(path, *args)

    shard_task.write_shard = failing  # type: ignore[assignment]


def free_disk() -> None:
    from perfect_yatzy.tablebase.shard_file import write_shard

    shard_task.write_shard = write_shard
