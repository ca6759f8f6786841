"""Single flipped bits in files."""

from pathlib import Path


def flip(path: Path, bit: int) -> None:
    """Flip a bit of a file in place, counted from either end; the second time restores it."""
    place, bit = divmod(bit % (8 * path.stat().st_size), 8)
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0] ^ 1 << bit
        file.seek(place)
        file.write(bytes([byte]))
