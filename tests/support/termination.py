"""A plugin of pytest: SIGTERM ends a test run at once, with all processes that it has started.

A worker of pytest-xdist dies by the signal itself; the process that started the workers ends them
and what they have started, which would otherwise go on for some time.
"""

import os
import signal
from contextlib import suppress
from types import FrameType

import pytest

from .processes import descendants


def end(number: int, frame: FrameType | None) -> None:
    """End all processes of this run, this one last and as if there had been no handler."""
    for process in [*descendants(os.getpid())]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def pytest_configure(config: pytest.Config) -> None:
    """Install the handler, unless this is a worker or somebody else has installed one."""
    is_worker = hasattr(config, "workerinput")
    if not is_worker and os.name == "posix" and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        with suppress(ValueError):  # not in the main thread
            signal.signal(signal.SIGTERM, end)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the handler back, for who runs pytest within a process."""
    if signal.getsignal(signal.SIGTERM) == end:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
