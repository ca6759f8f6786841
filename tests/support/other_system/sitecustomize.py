"""Pretends to be a system without what only some have: put this folder in PYTHONPATH, and every
process begins here.

As on Windows: no `fcntl`, `resource`, `readline`, `termios`; no `os.preadv`, `os.sysconf`,
`os.sched_getaffinity`; worker processes are spawned; a file that is open can be neither renamed nor
removed.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable
from typing import Any

for module in ("fcntl", "readline", "resource", "termios"):
    sys.modules[module] = None  # type: ignore[assignment]
for function in ("preadv", "sched_getaffinity", "sysconf"):
    if hasattr(os, function):
        delattr(os, function)
multiprocessing.get_all_start_methods = lambda: ["spawn"]  # type: ignore[method-assign]
multiprocessing.set_start_method("spawn")


def is_open(path: Any) -> bool:
    """Whether this process has a file open."""
    wanted = os.path.abspath(os.fsdecode(path))
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}") == wanted:
                return True
        except OSError:
            continue
    return False


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of files that refuses those that are open."""

    def refuse(*paths: Any, **options: Any) -> Any:
        if not options.get("dir_fd"):
            for path in paths:
                if is_open(path):
                    raise PermissionError(
                        13, "The process cannot access the file because it is being used", path
                    )
        return function(*paths, **options)

    return refuse


for changing in ("replace", "rename", "unlink", "remove"):
    setattr(os, changing, refusing(getattr(os, changing)))
