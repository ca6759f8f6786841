"""The values of a game as files for the engine in the browser; the reader is ``static/engine/table.js``.

A small table is one file that is fetched whole. Its values are rounded to fixed point, which makes each differ by at
most 2^-31 = 4.7e-10 points: float32 would make it 7.6e-6, and options that are equal would no longer be known as
equal. Neighbouring states have similar values, so differences from an expectation are stored::

    expected = V(card + a) + V(card + b) - V(card + a + b)      a, b: the first lower boxes that may be filled
    stored   = (V - expected) of a lane minus that of the lane before, the sign in the last bit

as bytes, first the highest of all values, then the second highest ..., in gzip: 3.3 MB for Yatzy instead of 7.7.

A large table is stored as it is, in parts that static hosts accept. The engine fetches pages of 16 kB by HTTP Range,
and compares each with its digest: the first 16 bytes of its SHA-256, one after the other in a file of their own.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from ...game.dice import Ints
from ...game.rules import RuleSet, prerequisites
from ...model.checked_values import Table
from ...model.state_space import StateSpace, state_space

WHOLE_VALUES = 4_000_000  # a table with more values is fetched in pages
VALUE_BITS = 30  # after the point, of values
DEVIATION_BITS = 8  # of standard deviations: 0.002 points
CHANCE_BITS = 12  # of the chance of the upper bonus: 0.01 %
PART_BYTES = 64 << 20  # static hosts refuse files of more than 100 MB; a multiple of PAGE_BYTES
PAGE_BYTES = 16 << 10  # fetched and checked as a whole
PAGE_DIGEST_BYTES = 16
HASH_DIGITS = 12  # of a file name


def is_whole(space: StateSpace) -> bool:
    """Whether the table of a game is one file that is fetched whole."""
    return space.size <= WHOLE_VALUES


def encoded(rules: RuleSet, values: Table, fraction_bits: int) -> tuple[dict[str, Any], bytes]:
    """The fields and the bytes of a table as one file.

    A difference d is stored as 2 d, or as -2 d - 1 if it is negative; a *plane* has one byte of every value.
    """
    fixed = np.rint(np.asarray(values, dtype=np.float64) * 2.0**fraction_bits).astype(np.int64)
    stored = np.empty_like(fixed)
    for place, expected in _expected(rules, state_space(rules), fixed):
        stored[place] = np.diff(fixed[place] - expected, prepend=0)
    codes = np.where(stored < 0, -2 * stored - 1, 2 * stored)
    planes = max(1, -(-int(codes.max(initial=0)).bit_length() // 8))  # as many bytes as the largest code has
    highest_first = reversed(range(planes))
    data = b"".join((codes >> 8 * plane & 0xFF).astype(np.uint8).tobytes() for plane in highest_first)
    fields = {"coding": "planes", "count": len(fixed), "planes": planes, "fraction_bits": fraction_bits}
    return fields, gzip.compress(data, 9, mtime=0)


def _expected(rules: RuleSet, space: StateSpace, fixed: Ints) -> Iterator[tuple[slice, Ints | int]]:
    """Place of each row in the table, and what the rows after it let expect there."""
    layout, needed = space.layout, prerequisites(rules)
    predictable = [
        c for c in range(len(rules.categories)) if not space.lanes.weight_of[c] and c != rules.tracked_index
    ]
    for filled in range(space.categories, -1, -1):
        for row in space.layers[filled].tolist():
            mask, begin = int(layout.masks[row]), int(layout.offsets[row])
            length = int(layout.lane_count[layout.lane_sets[row]]) * (int(space.most_saved[filled]) + 1)

            def after(*boxes: int, row: int = row, length: int = length) -> Ints:
                start = int(layout.offsets[row + sum(int(space.step_of[c]) for c in boxes)])
                return fixed[start : start + length]

            free = (c for c in predictable if not mask >> c & 1 and not needed[c] & ~mask)
            boxes = tuple(islice(free, 2))
            expected: Ints | int = 0
            if len(boxes) == 2:
                expected = after(boxes[0]) + after(boxes[1]) - after(*boxes)
            elif boxes:
                expected = after(*boxes)
            yield slice(begin, begin + length), expected


class DataFiles:
    """Writes data files whose names contain a hash of their content, and remembers their sizes."""

    def __init__(self, write: Callable[[str, bytes], None]) -> None:
        self.write = write  # takes the name of a file and its content
        self.sizes: dict[str, int] = {}

    def add(self, name: str, data: bytes) -> dict[str, str]:
        """Write a file; what the reader must know about it."""
        digest = hashlib.sha256(data).hexdigest()
        file = f"data/{name}-{digest[:HASH_DIGITS]}.bin"
        self.write(file, data)
        self.sizes[file] = len(data)
        return {"file": file, "sha256": digest}

    def add_json(self, name: str, value: Any) -> dict[str, str]:
        """Write a JSON value, compressed."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        return self.add(name, gzip.compress(text.encode(), 9, mtime=0))

    def add_table(self, name: str, rules: RuleSet, values: Table, fraction_bits: int) -> dict[str, Any]:
        """Write a table: a small one with so many bits after the point, a large one in parts and their digests."""
        if is_whole(state_space(rules)):
            fields, content = encoded(rules, values, fraction_bits)
            return self.add(name, content) | fields
        size, files, digests = values.dtype.itemsize, list[str](), bytearray()
        for begin in range(0, len(values), PART_BYTES // size):
            rows = np.asarray(values[begin : begin + PART_BYTES // size])
            part = rows.astype(rows.dtype.newbyteorder("<"), copy=False).tobytes()
            files.append(self.add(f"{name}-{len(files) + 1}", part)["file"])
            pages = (part[start : start + PAGE_BYTES] for start in range(0, len(part), PAGE_BYTES))
            digests += b"".join(hashlib.sha256(page).digest()[:PAGE_DIGEST_BYTES] for page in pages)
        added = self.add(f"{name}-digests", gzip.compress(digests, 1, mtime=0))
        sizes = {"part_bytes": PART_BYTES, "page_bytes": PAGE_BYTES, "digest_bytes": PAGE_DIGEST_BYTES}
        fields = {"coding": "pages", "count": len(values), "bytes": size} | sizes
        return fields | {"parts": files, "digests": added}
