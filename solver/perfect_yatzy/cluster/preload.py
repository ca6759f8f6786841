"""Loaded by the workers that this package starts, or by the process that they are forked from.

Workers leave the process group of the terminal: Ctrl-C ends the driver, which then closes them, and
interrupts no task. The kernels are imported before the first task, during which the other workers
would wait for one that imports.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from ..core import lattice, turn
from ..tablebase import shard_task

__all__ = ["dask_setup", "lattice", "shard_task", "turn"]


def dask_setup(worker: Any) -> None:
    """Prepare this worker. Dask calls this function when it starts."""
    with suppress(AttributeError, OSError):  # Windows
        os.setpgid(0, 0)
