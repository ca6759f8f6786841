"""Random rule sets: a certified bound is never below the exact value, and a seed repeats all
bits of a solution.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

from perfect_yatzy.approximation.relaxation import Budget, relax
from support.mechanics import random_rules
from support.naive import Naive
from support.players import solution_bits, solved_anew

from .tally import Tally

WORK = (0.0, 1e4, 1e6)  # operations: no budget at all, some exact boxes, most of them
LEAST = {"games": 64, "fit_games": 32, "rounds": 2, "memory": 1 << 22}


def certify(tally: Tally, folder: Path, number: int, chosen: random.Random) -> None:
    """Bound a number of random games with several budgets, and solve each twice, with one and
    two threads.
    """
    for _ in range(number):
        seed = chosen.randrange(10**9)
        rules = random_rules(seed)
        exact = Naive(rules.canonical()).value(0, 0)

        def bounds(rules: object = rules, exact: Fraction = exact) -> None:
            for work in WORK:
                found = relax(rules, Budget(work), threads=1).bound  # type: ignore[arg-type]
                assert Fraction(found) >= exact, (
                    f"work {work}: bound {found!r} below {float(exact)!r}"
                )

        def repeats(rules: object = rules, exact: Fraction = exact, seed: int = seed) -> None:
            settings = LEAST | {"seed": seed, "work": chosen.choice(WORK) / 1e12}
            one, two = (solved_anew(rules, folder, threads, **settings) for threads in (1, 2))  # type: ignore[arg-type]
            assert solution_bits(one) == solution_bits(two), "the bits differ"
            assert Fraction(one.certificate.upper_bound) >= exact, (
                "the certificate is below the exact value"
            )

        tally.run(f"bounds of seed {seed}", bounds)
        tally.run(f"solutions of seed {seed}", repeats)
