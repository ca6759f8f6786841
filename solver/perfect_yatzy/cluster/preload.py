"""Loaded by the workers that this package starts.

They leave the process group of the terminal: Ctrl-C ends the driver, which then closes them. Without it the terminal
interrupts every process that was started from it, in the middle of a task. They import the kernels while all of them
start; at the first task one worker would import and the others wait for its layer.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any


def dask_setup(worker: Any) -> None:
    """Prepare this worker; Dask calls this when it starts."""
    with suppress(AttributeError, OSError):  # Windows
        os.setpgid(0, 0)
    from ..kernels import lattice, turn
    from ..tablebase import shard_task

    del lattice, turn, shard_task  # they are only loaded
