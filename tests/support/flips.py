"""Single flipped bits in files."""

from __future__ import annotations

from pathlib import Path


def flip(path: Path, bit: int) -> None:
    """Flip a bit of a file in place; the second time restores it."""
    with open(path, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0] ^ 1 << bit % 8
        file.seek(bit // 8)
        file.write(bytes([byte]))
