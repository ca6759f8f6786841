"""A second program for Yatzy with five dice, in NumPy arrays, from the printed rules alone: the value
of the game by sets of filled boxes and upper sums.
"""

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FACES, BOXES, FULL = range(1, 7), 15, (1 << 15) - 1
UPPER, LANES = 0b111111, 64  # the upper boxes; upper sums up to 63, from which the bonus is paid
ROLLS = [*combinations_with_replacement(FACES, 5)]
HOLDS = [held for size in range(6) for held in combinations_with_replacement(FACES, size)]
NAMES = [
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "one-pair",
    "two-pairs",
    "three-of-a-kind",
    "four-of-a-kind",
]
NAMES += ["small-straight", "large-straight", "full-house", "chance", "yatzy"]


def scores(roll: tuple[int, ...], yatzy: Callable[[int], int]) -> list[int]:
    """Points of a roll in each box, in the order of the sheet."""
    count = {face: roll.count(face) for face in FACES}
    several = {size: [face for face in FACES if count[face] >= size] for size in (2, 3, 4, 5)}
    best = {size: size * max(faces, default=0) for size, faces in several.items()}
    pairs = several[2][-2:]
    house = [3 * a + 2 * b for a in several[3] for b in several[2] if a != b]
    return [
        *(face * count[face] for face in FACES),
        best[2],
        2 * sum(pairs) if len(pairs) == 2 else 0,
        best[3],
        best[4],
        15 if roll == (1, 2, 3, 4, 5) else 0,
        20 if roll == (2, 3, 4, 5, 6) else 0,
        max(house, default=0),
        sum(roll),
        yatzy(sum(roll)) if several[5] else 0,
    ]


def value_of_yatzy(
    rolls: int = 3,
    strict: bool = False,
    upper_first: bool = False,
    yatzy: Callable[[int], int] = lambda total: 50,
    first: Mapping[str, int] | None = None,
) -> float:
    """The expected final score. `strict`: boxes are struck only if nothing fits; `first`: points that
    a box earns on the first roll besides.
    """
    paid = np.array([scores(roll, yatzy) for roll in ROLLS]).T
    extra = np.array([(first or {}).get(name, 0) for name in NAMES])
    place = {roll: number for number, roll in enumerate(ROLLS)}
    after = np.zeros((len(HOLDS), len(ROLLS)))  # the chance of each roll after a hold
    for number, held in enumerate(HOLDS):
        for thrown in product(FACES, repeat=5 - len(held)):
            after[number, place[tuple(sorted(held + thrown))]] += 6.0 ** (len(held) - 5)
    # the holds that are part of each roll, the last one again and again
    parts = [
        [n for n, held in enumerate(HOLDS) if all(roll.count(f) >= held.count(f) for f in FACES)]
        for roll in ROLLS
    ]
    within = np.array([(part + part[-1:] * 32)[:32] for part in parts])

    values: dict[int, Floats] = {FULL: np.where(np.arange(LANES) == LANES - 1, 50.0, 0.0)}
    lanes = np.arange(LANES)
    for filled in range(FULL - 1, -1, -1):
        if upper_first and filled & ~UPPER and filled & UPPER != UPPER:
            continue  # does not occur
        known = 1 + min(LANES - 1, sum(5 * face for face in FACES if filled >> (face - 1) & 1))
        stop = np.full((len(ROLLS), known), -1.0)
        first_stop = stop.copy()
        open_boxes = [box for box in range(BOXES) if not filled >> box & 1]
        if upper_first and filled & UPPER != UPPER:
            open_boxes = [box for box in open_boxes if box < 6]
        fits = (paid[open_boxes] > 0).any(axis=0)
        for box in open_boxes:
            points = paid[box][:, None]
            lane = np.minimum(LANES - 1, lanes[:known] + (points if box < 6 else 0 * points))
            taken = points + values[filled | 1 << box][lane]
            if strict:
                taken[fits & (paid[box] == 0)] = -1.0
            stop = np.maximum(stop, taken)
            first_stop = np.maximum(first_stop, taken + np.where(points > 0, extra[box], 0))
        best = stop
        for _reroll in range(rolls - 1):
            of_hold = after @ best
            best = np.maximum(stop, of_hold[within].max(axis=1))
        best = np.maximum(best, first_stop)
        expected = after[0] @ best
        values[filled] = np.concatenate([expected, np.zeros(LANES - known)])
    return float(values[0][0])
