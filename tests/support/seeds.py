"""Seeds of random cases: fixed ones for ring 1, and more from ring 2 on, drawn anew in each run."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

SEED_VARIABLE = "YATZY_TEST_SEED"  # set by conftest.py, so that all worker processes draw the same


def seeds(fixed: int, drawn: int) -> list[Any]:
    """Parameters of a test: the seeds 0 to `fixed` - 1, and `drawn` random ones in ring 2."""
    generator = random.Random(int(os.environ.get(SEED_VARIABLE, "0")))
    return [
        *range(fixed),
        *(pytest.param(generator.randrange(1000, 10**9), marks=pytest.mark.full) for _ in range(drawn)),
    ]
