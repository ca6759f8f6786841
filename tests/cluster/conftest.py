"""A cluster of two workers on this machine for each file."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from perfect_yatzy.cluster.session import open_cluster

    with open_cluster(workers=2) as cluster:
        yield cluster
