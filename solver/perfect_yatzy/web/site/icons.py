"""The icons of the installed page: a die that shows five, as PNG, drawn here."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

from ...game.dice import Floats

GREEN, WHITE = (20, 108, 67), (255, 255, 255)
SIZES = (192, 512)
OVERSAMPLING = 4
PIPS = ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1))


def icon(size: int, maskable: bool = False) -> bytes:
    """A PNG file."""
    n = size * OVERSAMPLING
    y, x = (line / (n - 1) * 2 - 1 for line in np.ogrid[:n, :n])  # -1 ... 1
    half, corner = (0.52, 0.14) if maskable else (0.68, 0.18)
    ground = np.ones((n, n), dtype=np.bool_) if maskable else _rounded(x, y, 1.0, 0.4)
    die = _rounded(x, y, half, corner)
    for column, row in PIPS:
        spread, radius = half * 0.52, half * 0.17
        die &= (x - column * spread) ** 2 + (y - row * spread) ** 2 >= radius**2
    # The share of each pixel that is ground, and that is white.
    whole, white = (part.reshape(size, OVERSAMPLING, size, OVERSAMPLING).mean(axis=(1, 3)) for part in (ground, die))
    share = (white / np.maximum(whole, 1e-9))[..., None]
    colours = np.array(GREEN) + share * np.subtract(WHITE, GREEN)
    pixels = np.concatenate([np.where(whole[..., None] > 0, colours, 0), 255 * whole[..., None]], axis=2)
    return _png(np.rint(pixels).astype(np.uint8))


def _rounded(x: Floats, y: Floats, half: float, corner: float) -> npt.NDArray[np.bool_]:
    """Whether points are within a square of rounded corners around the middle."""
    beyond = np.hypot(np.maximum(np.abs(x) - (half - corner), 0), np.maximum(np.abs(y) - (half - corner), 0))
    return np.asarray(beyond <= corner)


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """The PNG file of `(height, width, 4)` pixels: red, green, blue, opacity."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape[:2]
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)  # filter 0
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*part) for part in ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    )
