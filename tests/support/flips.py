"""Damage to files: flipped bits, and a disk on which they cannot grow."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .need import need


def flip(path: Path, bit: int) -> None:
    """Flip a bit of a file in place, counted from either end; the second time restores it."""
    place, bit = divmod(bit % (8 * path.stat().st_size), 8)
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0] ^ 1 << bit
        file.seek(place)
        file.write(bytes([byte]))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A limit on the size of files fails writes as a full disk does."""
    resource = need("resource")
    handler, limits = (
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        resource.getrlimit(resource.RLIMIT_FSIZE),
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
