"""What every computation is told besides its question, in one object.

It is made where a request comes in (a command, the server, a public function) and passed first to
what computes. A function that needs only one of its parts takes that part.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

Folder = str | os.PathLike[str] | None  # of the tables; None: see `tablebase.store.tables_folder`
Progress = Callable[[int, int], None]  # steps done, steps in all; it may raise to stop the work


@dataclass(frozen=True)
class Settings:
    """Where the tables are, how many threads compute, and who is told the progress."""

    tables: Folder = None
    threads: int | None = None  # None: one for each processor
    progress: Progress | None = None

    def reporting(self, progress: Progress | None) -> Settings:
        """Return the same settings for work that reports its progress elsewhere, or to nobody."""
        return replace(self, progress=progress)
