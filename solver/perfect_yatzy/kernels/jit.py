"""One decorator and one cache policy for every jitted function.

numba's disk cache looks at the file of the function alone and would miss an edit elsewhere, so the cache lives
in a folder named by a hash of all sources that shape the machine code. ``NUMBA_CACHE_DIR`` is respected as the
parent (the bounds-check job of CI needs a cold one), else the user's cache directory is used.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import config


def sources() -> list[Path]:
    """Every file that shapes the machine code: kernels, the model they take, and named tuples in their signatures."""
    package = Path(__file__).resolve().parent.parent
    others = [package / "game" / "dice.py", package / "strategy" / "batch.py"]
    return [*sorted(package.glob("kernels/*.py")), *sorted(package.glob("model/*.py")), *others]


def cache_folder() -> Path | None:
    """Where compiled kernels are kept, None if nothing can be written there."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sources():
        digest.update(path.read_bytes())
    parent = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("perfect-yatzy")
    folder = Path(parent) / f"kernels-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_FOLDER = cache_folder()


def old_caches() -> list[Path]:
    """Folders of kernels that other versions compiled."""
    return sorted(path for path in _FOLDER.parent.glob("kernels-*") if path != _FOLDER) if _FOLDER else []


def jit(function: Any) -> Any:
    """Compile without the interpreter lock (threads run kernels side by side) and with the disk cache."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_FOLDER or "")
    try:
        compiled = numba.njit(nogil=True, cache=_FOLDER is not None, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before
    return compiled
