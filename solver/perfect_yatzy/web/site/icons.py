"""The icons of the installed page: a die that shows five, as PNG, drawn here."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

GREEN, WHITE = (20, 108, 67), (255, 255, 255)
SIZES = (192, 512)
OVERSAMPLING = 4
PIPS = ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1))

Pixels = npt.NDArray[np.float64]


def icon(size: int, maskable: bool = False) -> bytes:
    """A PNG file.

    Parameters
    ----------
    size
        Width and height in pixels.
    maskable
        Whether the system cuts a shape out of it: then the die is smaller and the ground fills the square.
    """
    n = size * OVERSAMPLING
    y, x = np.mgrid[:n, :n] / (n - 1) * 2 - 1  # -1 ... 1
    half, corner = (0.52, 0.14) if maskable else (0.68, 0.18)
    ground = np.ones((n, n)) if maskable else _rounded(x, y, 1.0, 0.4)
    die = _rounded(x, y, half, corner)
    for column, row in PIPS:
        spread, radius = half * 0.52, half * 0.17
        die = np.where((x - column * spread) ** 2 + (y - row * spread) ** 2 < radius**2, 0.0, die)
    colours = np.where(die[..., None] > 0, WHITE, GREEN)
    pixels = np.concatenate([colours * ground[..., None], 255 * ground[..., None]], axis=2)
    small = pixels.reshape(size, OVERSAMPLING, size, OVERSAMPLING, 4).mean(axis=(1, 3))
    alpha = np.maximum(small[..., 3:] / 255, 1e-9)
    small[..., :3] /= alpha
    return _png(np.clip(np.rint(small), 0, 255).astype(np.uint8))


def _rounded(x: Pixels, y: Pixels, half: float, corner: float) -> Pixels:
    """1 within a square of rounded corners around the middle, else 0."""
    beyond = np.hypot(np.maximum(np.abs(x) - (half - corner), 0), np.maximum(np.abs(y) - (half - corner), 0))
    return (beyond <= corner).astype(np.float64)


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
