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
        for existing in (folder, *folder.parents):
            if os.path.exists(existing):
                return shutil.disk_usage(existing).free
    return None


def _bytes_in(file: str, field: str) -> int | None:
    """Return a field that a file of Linux gives in kB, in bytes, or None if it does not have it."""
    text = Path(file).read_text(encoding="ascii", errors="replace")
    for line in text.splitlines():
        if line.startswith(field):
            return int(line.split()[1]) << 10
    return None


def available_memory() -> int | None:
    """Return the bytes that can be allocated without swapping.

    The result is None if the system does not report it.
    """
    try:
        return _bytes_in("/proc/meminfo", "MemAvailable:")
    except OSError:
        with contextlib.suppress(ImportError):  # a dependency on other systems than Linux
            import psutil

            return int(psutil.virtual_memory().available)
        return None


def peak_memory() -> int:
    """Return the most memory that this process has used at a time, in bytes.

    It is 0 if the system does not report it.
    """
    with contextlib.suppress(OSError):
        peak = _bytes_in("/proc/self/status", "VmHWM:")
        if peak is not None:
            return peak
    try:
        import resource
    except ImportError:  # Windows
        with contextlib.suppress(ImportError, AttributeError):
            import psutil

            return int(psutil.Process().memory_info().peak_wset)
        return 0
    unit = 1 if sys.platform == "darwin" else 1024  # bytes
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
