"""Check certificates of `yatzy solve --exact` with plain Python integers; no kernel and no scoring of the
package is used.

`python -m tables.check_exact yatzy-forced` solves the forced game whole and compares its fraction
with that of the certificate. `python -m tables.check_exact yatzy` proves Yatzy and, in every layer,
computes random states again from the exact values of their children. Only the place of a state in
the table is taken from the package.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from random import Random

from perfect_yatzy.settings import Settings

Dice = tuple[int, ...]
FACES = range(1, 7)
ROLLS = [*combinations_with_replacement(FACES, 5)]
HOLDS = [hold for size in range(4, -1, -1) for hold in combinations_with_replacement(FACES, size)]


def groups(dice: Dice, *sizes: int) -> int:
    """Best sum of groups of equal dice, each of another face; 0 without them."""
    if not sizes:
        return 0
    found = []
    for face, count in Counter(dice).items():
        if count >= sizes[0]:
            rest = groups(tuple(d for d in dice if d != face), *sizes[1:])
            if rest or len(sizes) == 1:
                found.append(face * sizes[0] + rest)
    return max(found, default=0)


def points(category: int, dice: Dice) -> int:
    """Points of a category of Yatzy by its place on the sheet."""
    if category < 6:
        return dice.count(category + 1) * (category + 1)
    fixed = {
        6: groups(dice, 2),
        7: groups(dice, 2, 2),
        8: groups(dice, 3),
        9: groups(dice, 4),
        10: 15 * (dice == (1, 2, 3, 4, 5)),
        11: 20 * (dice == (2, 3, 4, 5, 6)),
        12: groups(dice, 3, 2),
        13: sum(dice),
        14: 50 * (len(set(dice)) == 1),
    }
    return fixed[category]


POINTS = [{dice: points(c, dice) for dice in ROLLS} for c in range(15)]


def turn(stop: dict[Dice, int]) -> int:
    """The sum of best values over all 6^15 ways to roll in a turn, from the value of each last
    roll.
    """
    value = stop
    for _reroll in range(2):
        sums: dict[Dice, int] = dict(value)
        for hold in HOLDS:
            sums[hold] = sum(sums[tuple(sorted((*hold, face)))] for face in FACES)
        # A hold of j dice stands for 6^(5 - j) rolls.
        best: dict[Dice, int] = {hold: total * 6 ** len(hold) for hold, total in sums.items()}
        for dice in (*HOLDS[::-1][1:], *ROLLS):
            best[dice] = max(
                best[dice], *(best[dice[:i] + dice[i + 1 :]] for i in range(len(dice)))
            )
        value = {dice: best[dice] for dice in ROLLS}
    return sum(
        total * factorial(5) // prod(map(factorial, Counter(d).values()))
        for d, total in value.items()
    )


def state_value(
    filled: int, upper: int, *, forced: bool, limit: int, child: Callable[[int, int], int]
) -> int:
    """The value of a state times 6^(15 t); `child(filled, upper)` gives those after it, times
    6^(15 (t - 1)).
    """
    vacant = [c for c in range(15) if not filled >> c & 1]
    scale, stop = 6 ** (15 * (len(vacant) - 1)), {}
    for dice in ROLLS:
        options = []
        for c in vacant[:1] if forced else vacant:
            made = POINTS[c][dice]
            after = min(limit, upper + made) if c < 6 else upper
            options.append(made * scale + child(filled | 1 << c, after))
        stop[dice] = max(options)
    return turn(stop)


def forced_value(threshold: int, bonus: int) -> Fraction:
    """Expected score of forced Yatzy."""

    @cache
    def value(filled: int, upper: int) -> int:
        if filled == (1 << 15) - 1:
            return bonus * (upper >= threshold)
        return state_value(filled, upper, forced=True, limit=threshold, child=value)

    return Fraction(value(0, 0), 6**225)


def check_yatzy(states: int = 4, seed: int = 1) -> tuple[Fraction, int]:
    """Random states of every layer of Yatzy from their children; the value of the game and how
    many were checked.
    """
    from perfect_yatzy import State, load_rules
    from perfect_yatzy.tablebase.exact_solve import ExactSolve

    solve, draw, checked = ExactSolve(load_rules("yatzy")), Random(seed), 0
    exact, below = Fraction(0), None
    for layer, limbs in solve.layers(Settings(threads=2)):

        def value(filled: int, upper: int, part: object = None) -> Fraction:
            numbers, k = part or (limbs, layer)  # type: ignore[misc]  # noqa: B023
            place = solve.space.index(State(filled, upper)) - solve.space.layer_slice(k).start
            return solve.value(k, numbers[place])

        if below is None:  # full cards: the bonus alone
            assert value((1 << 15) - 1, 63) == 50
            assert value((1 << 15) - 1, 62) == 0
        for _ in range(states if below else 0):
            cards = draw.sample(range(15), layer)
            # Points that a game can have: of so many dice of each upper face.
            upper = min(63, sum(draw.randint(0, 5) * (c + 1) for c in cards if c < 6))
            filled, scale, part = sum(1 << c for c in cards), 6 ** (15 * (14 - layer)), below
            again = state_value(
                filled,
                upper,
                forced=False,
                limit=63,
                child=lambda f, u: int(value(f, u, part) * scale),  # noqa: B023
            )
            assert Fraction(again, 6 ** (15 * (15 - layer))) == value(filled, upper), (
                filled,
                upper,
            )
            checked += 1
        exact, below = solve.value(layer, limbs[-1]), (limbs, layer)
    return exact, checked


def main() -> None:
    """Check the certificate of one game."""
    from perfect_yatzy import prove

    game = sys.argv[1] if sys.argv[1:] else "yatzy-forced"
    found, checked = check_yatzy() if game == "yatzy" else (forced_value(42, 50), 15)
    proof = prove(game)
    if found != proof.value:
        raise SystemExit(f"{game}: the certificate says {proof.value}, the check {found}")
    print(f"{game}: {proof.decimal(60)} ({checked} states or layers computed again)")


if __name__ == "__main__":
    main()
