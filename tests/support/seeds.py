"""Random cases: fixed ones for ring 1; from ring 2 on more of them, drawn anew in each run."""

import os
import random
from collections.abc import Callable, Iterable
from typing import Any

import hypothesis
import pytest

# set by conftest.py from ring 2 on, so that all worker processes draw the same
SEED_VARIABLE = "YATZY_TEST_SEED"
FULL = pytest.mark.full


def seeds(fixed: int, drawn: int) -> list[Any]:
    """Parameters of a test: the seeds 0 to `fixed` - 1, and `drawn` random ones in ring 2."""
    generator = random.Random(int(os.environ.get(SEED_VARIABLE, "0")))
    return [*range(fixed), *(ring_2(generator.randrange(1000, 10**9)) for _ in range(drawn))]


def ring_2(*values: Any, **about: Any) -> Any:
    """Parameters of a test in ring 2."""
    return pytest.param(*values, marks=FULL, **about)


def ring_3(*values: Any, **about: Any) -> Any:
    """Parameters of a test in ring 3."""
    return pytest.param(*values, marks=pytest.mark.slow, **about)


def drawn(number: int, cases: Iterable[Any]) -> list[Any]:
    """Parameters of a test: in ring 2 so many of the cases, others in each run; all in ring 3."""
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    generator = random.Random(int(os.environ.get(SEED_VARIABLE, "0")))
    chosen = set(generator.sample(range(len(every)), number))
    return [(ring_2 if i in chosen else ring_3)(*case) for i, case in enumerate(every)]


def in_rings(first: int, further: int) -> int:
    """How much of something in ring 1, and from ring 2 on."""
    return further if SEED_VARIABLE in os.environ else first


def full_example(*values: Any) -> Callable[[Any], Any]:
    """An explicit example of Hypothesis from ring 2 on."""
    return hypothesis.example(*values) if SEED_VARIABLE in os.environ else lambda test: test


def examples(fixed: int, drawn: int) -> hypothesis.settings:
    """The number of Hypothesis' examples, besides explicit ones, in ring 1 and from ring 2 on;
    they may be slow.
    """
    number = in_rings(fixed, drawn)
    phases = list(hypothesis.Phase) if number else [hypothesis.Phase.explicit]
    health = list(hypothesis.HealthCheck)
    return hypothesis.settings(
        max_examples=max(1, number), phases=phases, suppress_health_check=health
    )
