"""Cases and failures of a campaign, and time limits for single calls."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tally:
    """How many cases a campaign had, and a description of each failure."""

    name: str
    cases: int = 0
    failures: list[str] = field(default_factory=list)

    def run(self, case: str, call: Callable[[], Any], *allowed: type[Exception]) -> Any:
        """Count a case and make its call; an exception is a failure unless allowed or of one line.

        Returns
        -------
        object
            What the call returns; None after an exception.
        """
        self.cases += 1
        try:
            return call()
        except allowed as error:
            if not str(error).strip():
                self.fail(case, "the message is empty")
        except (Exception, BaseExceptionGroup, CpuLimit):
            self.fail(case, traceback.format_exc(limit=-3))
        return None

    def expect(self, case: str, holds: bool, what: str = "") -> None:
        """Record a failure unless the condition holds."""
        if not holds:
            self.fail(case, what)

    def fail(self, case: str, what: str) -> None:
        """Record a failure."""
        self.failures.append(f"{case[:300]}: {what}")


class CpuLimit(BaseException):
    """A call took more processor time than allowed. Not an Exception: no handler of the product
    catches it.
    """


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise CpuLimit in the main thread when the block has used more processor time; other
    processes do not count.
    """

    def stop(number: int, frame: Any) -> None:
        raise CpuLimit(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
