"""Memory and disk space for a solve, checked before it begins."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import RulesError, TableError, _, number_text
from ..game.rules import RuleSet
from ..model.estimates import SolveCost, gigabytes

SPARE_DISK = 16 << 20  # bytes that stay free after a new table is written


@contextlib.contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Create the folder; report a failure to write there in one sentence."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if isinstance(error, TableError):
            raise
        reason = error.strerror or str(error)
        text = _("cannot write a table to {folder}: {reason}; choose a folder with --tables")
        raise TableError(text.format(folder=folder, reason=reason)) from error


def check_space(folder: Path, size: int) -> None:
    """Raise TableError unless `folder`'s disk has room for `size` bytes."""
    import shutil

    with writing_to(folder):
        free = shutil.disk_usage(folder).free
    if free < size + SPARE_DISK:
        needed = -(-(size + SPARE_DISK) >> 20)  # with what must stay free
        text = _("{folder} has {free} MB free and the table needs {size} MB; choose a folder with --tables")
        raise TableError(text.format(folder=folder, free=free >> 20, size=needed))


def free_space(folder: Path) -> int | None:
    """Free bytes of the disk of a folder, which need not exist yet; None if the system does not report it."""
    import shutil

    with contextlib.suppress(OSError):
        folder = folder.absolute()
        return shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free
    return None


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping, None if the system does not report it."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("MemAvailable:")), None)


def peak_memory() -> int:
    """Most memory that this process has used at a time, in bytes; 0 if the system does not report it."""
    with contextlib.suppress(OSError, StopIteration):
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return next(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("VmHWM:"))
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


def check_memory(rules: RuleSet, cost: SolveCost) -> None:
    """Raise RulesError unless the machine has the memory for a solve."""
    free = available_memory()
    if free is not None and cost.memory > free:
        facts = {"memory": gigabytes(cost.memory), "free": gigabytes(free), "words": cost.words}
        text = _(
            "solving {rules} needs {memory} of memory and {free} are free; its table has {values} values "
            "and takes {words}"
        )
        values = number_text(cost.values, grouped=True)
        raise RulesError(text.format(rules=rules.key, values=values, **facts), code="too-large")
