"""How long tests wait for what must happen: one time for all of them, which only what never
happens takes.
"""

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Seconds. Whoever looks for the cause of a failure can wait less: YATZY_TEST_PATIENCE=10 pytest ...
PATIENCE = float(os.environ.get("YATZY_TEST_PATIENCE", "600"))


def pause() -> None:
    """Let others work for a moment."""
    time.sleep(0.01)


def wait_until(
    condition: Callable[[], T],
    what: str = "the condition",
    *,
    between: Callable[[], object] = pause,
    seconds: float | None = None,
) -> T:
    """Ask again and again until the answer is true, and return it; AssertionError if it never is.

    `between` runs after each other answer. `seconds` is for the tests of this function.
    """
    end = time.monotonic() + (PATIENCE if seconds is None else seconds)
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} did not come true"
        between()
    return found
