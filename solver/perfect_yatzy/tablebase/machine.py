"""What the machine has: memory and disk space."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def free_space(folder: Path) -> int | None:
    """Return the free bytes of the disk of a folder, which need not exist yet.

    The result is None if the system does not report it.
    """
    import shutil

    with contextlib.suppress(OSError):
        folder = folder.absolute()
        return shutil.disk_usage(
            next(path for path in (folder, *folder.parents) if os.path.exists(path))
        ).free
    return None


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping.

    The result is None if the system does not report it.
    """
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        with contextlib.suppress(ImportError):  # a dependency on other systems than Linux
            import psutil

            return int(psutil.virtual_memory().available)
        return None
    return next(
        (
            int(line.split()[1]) << 10
            for line in text.splitlines()
            if line.startswith("MemAvailable:")
        ),
        None,
    )


def peak_memory() -> int:
    """Return the most memory that this process has used at a time, in bytes.

    It is 0 if the system does not report it.
    """
    with contextlib.suppress(OSError, StopIteration):
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return next(
            int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("VmHWM:")
        )
    try:
        import resource
    except ImportError:  # Windows
        with contextlib.suppress(ImportError, AttributeError):
            import psutil

            return int(psutil.Process().memory_info().peak_wset)
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (
        1 if sys.platform == "darwin" else 1024
    )
