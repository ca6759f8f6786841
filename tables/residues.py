"""The value of Yatzy modulo two primes, by a program that shares nothing with the package but NumPy
and Numba.

Own scoring, own turn, no fractions and no long integers. Each state has its value in float64, by
which it decides, and 6^(15 t) times its value modulo each prime, t turns before the end. ``python
tables/residues.py`` compares the result with the fraction in ``exact.json``; it takes two minutes.
"""

from __future__ import annotations

import json
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from pathlib import Path

import numpy as np
from numba import njit, prange

PRIMES = np.array([2147483629, 2147483587])
HOLDS = [hold for size in range(6) for hold in combinations_with_replacement(range(1, 7), size)]
PLACE = {hold: i for i, hold in enumerate(HOLDS)}
ROLLS = HOLDS[PLACE[1, 1, 1, 1, 1] :]
FIRST = len(HOLDS) - len(ROLLS)
FULL, UPPER = (1 << 15) - 1, 63


def points(box: int, roll: tuple[int, ...]) -> int:
    """Points of a roll in a box, in the order of the scorecard."""
    count = [roll.count(face) for face in range(7)]
    best = [max([n * f for f in range(1, 7) if count[f] >= n], default=0) for n in range(6)]
    pairs = [face for face in range(6, 0, -1) if count[face] >= 2]
    if box < 6:
        return (box + 1) * count[box + 1]
    return [
        best[2],
        2 * sum(pairs[:2]) if len(pairs) > 1 else 0,
        best[3],
        best[4],
        15 if roll == (1, 2, 3, 4, 5) else 0,
        20 if roll == (2, 3, 4, 5, 6) else 0,
        sum(roll) if sorted(filter(None, count)) == [2, 3] else 0,
        sum(roll),
        50 if best[5] else 0,
    ][box - 6]


POINTS = np.array([[points(box, roll) for roll in ROLLS] for box in range(15)])
NEXT = np.array([[PLACE[tuple(sorted((*hold, f)))] for f in range(1, 7)] for hold in HOLDS[:FIRST]])
WEIGHTS = np.array(
    [factorial(5) // prod(factorial(roll.count(f)) for f in range(1, 7)) for roll in ROLLS]
)
WITHIN = [
    sorted({PLACE[part] for size in range(6) for part in combinations(roll, size)})
    for roll in ROLLS
]
STARTS = np.cumsum([0, *map(len, WITHIN)])
KEPT = np.concatenate(WITHIN)
SIZES = np.array(list(map(len, HOLDS)))
POWERS = np.array([[pow(6, k, int(prime)) for k in range(6)] for prime in PRIMES])


@njit(parallel=True)  # type: ignore[untyped-decorator]
def solve_layer(cards, scales, value, residue):  # type: ignore[no-untyped-def] # noqa: C901, PLR0912 (a kernel)
    """Values of all states of some cards, from those of the layer with one box less."""
    for number in prange(len(cards)):
        card = cards[number]
        held, best = np.empty(len(SIZES)), np.empty(len(WEIGHTS))
        held_rest, best_rest = (
            np.empty((2, len(SIZES)), np.int64),
            np.empty((2, len(WEIGHTS)), np.int64),
        )
        for upper in range(UPPER + 1):
            for roll in range(len(WEIGHTS)):
                best[roll], taken, child = -1.0, 0, 0
                for box in range(15):
                    if not card >> box & 1:
                        made = POINTS[box, roll]
                        after = min(UPPER, upper + made) if box < 6 else upper
                        if made + value[card | 1 << box, after] > best[roll]:
                            best[roll], taken, child = (
                                made + value[card | 1 << box, after],
                                box,
                                after,
                            )
                for q in range(2):
                    rest = POINTS[taken, roll] * scales[q] + residue[q, card | 1 << taken, child]
                    best_rest[q, roll] = rest % PRIMES[q]
            for _reroll in range(2):
                for hold in range(len(SIZES) - 1, -1, -1):
                    if hold >= FIRST:
                        held[hold], held_rest[:, hold] = (
                            best[hold - FIRST],
                            best_rest[:, hold - FIRST],
                        )
                    else:
                        held[hold], held_rest[:, hold] = 0.0, 0
                        for following in NEXT[hold]:
                            held[hold] += held[following] / 6
                            held_rest[:, hold] += held_rest[:, following]
                        held_rest[:, hold] %= PRIMES
                for roll in range(len(WEIGHTS)):
                    kept = KEPT[STARTS[roll] : STARTS[roll + 1]]
                    choice = kept[np.argmax(held[kept])]
                    best[roll] = held[choice]
                    best_rest[:, roll] = held_rest[:, choice] * POWERS[:, SIZES[choice]] % PRIMES
            value[card, upper] = (WEIGHTS * best).sum() / 6**5
            for q in range(2):
                residue[q, card, upper] = (WEIGHTS * best_rest[q] % PRIMES[q]).sum() % PRIMES[q]


def residues() -> list[int]:
    """The value of the empty card modulo each prime."""
    value, residue = np.zeros((FULL + 1, UPPER + 1)), np.zeros((2, FULL + 1, UPPER + 1), np.int64)
    value[FULL, UPPER] = residue[:, FULL, UPPER] = 50
    cards = np.arange(FULL + 1)
    filled = np.array([card.bit_count() for card in range(FULL + 1)])
    for turns in range(1, 16):
        scales = np.array([pow(6, 15 * (turns - 1), int(prime)) for prime in PRIMES])
        solve_layer(cards[filled == 15 - turns], scales, value, residue)
    return [
        int(residue[q, 0, 0]) * pow(6, -225, int(prime)) % int(prime)
        for q, prime in enumerate(PRIMES)
    ]


if __name__ == "__main__":
    found = json.loads(Path(__file__).with_name("exact.json").read_text(encoding="utf-8"))["yatzy"][
        "value"
    ]
    known = [
        int(found["numerator"]) * pow(int(found["denominator"]), -1, int(p)) % int(p)
        for p in PRIMES
    ]
    print(
        computed := residues(), "equal" if computed == known else f"but the fraction gives {known}"
    )
