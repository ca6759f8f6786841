"""Entry point of the command ``yatzy`` and of ``python -m perfect_yatzy``."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType

TERMINATED = 128 + 15  # the exit code of a process that SIGTERM ends


def stop(signum: int, frame: FrameType | None) -> None:
    """End like an interrupt, so that temporary files are removed."""
    sys.exit(TERMINATED)


def run() -> None:
    """Run the command.

    An interrupt during its imports also ends in one line and exit code 130.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 (the source may be run by any Python)
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"yatzy: Python 3.11 or newer is needed; this is Python {version}", file=sys.stderr)
        sys.exit(1)
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, stop)
    try:
        from .cli import main

        main(prog_name="yatzy")
    except KeyboardInterrupt:
        print("yatzy: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
