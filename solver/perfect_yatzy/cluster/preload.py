"""Loaded by the workers that this package starts, or by the process that they are forked from.

Workers leave the process group of the terminal: Ctrl-C ends the driver, which then closes them. Without it the
terminal interrupts every process that was started from it, in the middle of a task. The kernels are imported before
the first task; then one worker would import and the others wait for its layer.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from ..kernels import lattice, turn
from ..tablebase import shard_task

__all__ = ["dask_setup", "lattice", "shard_task", "turn"]


def dask_setup(worker: Any) -> None:
    """Prepare this worker; Dask calls this when it starts."""
    with suppress(AttributeError, OSError):  # Windows
        os.setpgid(0, 0)
