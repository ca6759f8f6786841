"""A hash of the sources that a compiled function, or unfinished work, depends on.

The imports of a module are found in its text, so that nothing is loaded for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
# These write words and files, and have no part in machine code or values.
WITHOUT_KERNELS = {
    PACKAGE / name
    for name in (
        "errors.py",
        "settings.py",
        "words.py",
        "notebook.py",
        "_files.py",
        "_sources.py",
    )
}
IMPORT = re.compile(r"^( *)from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


def imported_modules(module: Path, *, in_functions: bool = False) -> Iterator[Path]:
    """Yield the modules of this package that a module of it imports at the top.

    With `in_functions` those that its functions import follow.
    """
    for indent, dots, origin, names in IMPORT.findall(module.read_text(encoding="utf-8")):
        if indent and not in_functions:
            continue
        # `origin` is empty in `from . import errors`. A name may be a module or a part of `origin`.
        place = module.parents[len(dots) - 1].joinpath(*origin.split("."))
        candidates = [place.with_suffix(".py")] if origin else []
        candidates += [place / f"{name}.py" for name in re.findall(r"\w+", names)]
        yield from (path for path in candidates if path.exists() and path not in WITHOUT_KERNELS)


@cache
def sources(module: Path, *, in_functions: bool = False) -> frozenset[Path]:
    """Return a module of this package and all modules of it that it imports, directly or not.

    For a file outside the package, which may import anything: that file and the whole package.
    """
    if PACKAGE not in module.parents:
        return frozenset({module, *PACKAGE.rglob("*.py")})
    reached = {module}
    to_read = [module]
    while to_read:
        for path in imported_modules(to_read.pop(), in_functions=in_functions):
            if path not in reached:
                reached.add(path)
                to_read.append(path)
    return frozenset(reached)


@cache
def file_digest(path: Path) -> bytes:
    """Return the SHA-256 of a source file."""
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def digest_of(*modules: Path, in_functions: bool = False) -> str:
    """Return the SHA-256 of the sources that modules depend on.

    What they import at the top determines the machine code of their functions; with what their
    functions import, the values that they compute.
    """
    files = [sources(module, in_functions=in_functions) for module in modules]
    digests = sorted(file_digest(path) for path in frozenset[Path]().union(*files))
    return hashlib.sha256(b"".join(digests)).hexdigest()


def sources_of_values(*files: str) -> str:
    """Return the SHA-256 of the sources of the values that some modules compute.

    `files` are the files of these modules.
    """
    return digest_of(*(Path(file).resolve() for file in files), in_functions=True)


def log_that_work_begins_anew(path: Path) -> None:
    """Log a warning that unfinished work is not resumed, because it is of another identity."""
    import logging

    text = "%s is of other rules or of another version of the program; it is computed again"
    logging.getLogger("perfect_yatzy").warning(text, path)
