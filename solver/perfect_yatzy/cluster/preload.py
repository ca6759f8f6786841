"""Loaded by the workers that this package starts: Ctrl-C in a terminal ends the driver, which then closes them.

Without it the terminal interrupts every process that was started from it, in the middle of a task.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave the process group of the terminal; Dask calls this when the worker starts."""
    with suppress(AttributeError, OSError):  # Windows
        os.setpgid(0, 0)
