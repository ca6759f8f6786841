"""Random walks of taps in four tabs: no game is lost, no rules are wrong, no page throws. A longer
one is a campaign: `make campaign`.
"""

import random
from typing import Any

import pytest
from support.seeds import seeds
from support.walk import Walk

pytestmark = pytest.mark.full


@pytest.mark.parametrize("seed", seeds(2, 1))
def test_no_tap_in_four_tabs_loses_a_game(browser: Any, address: str, seed: int) -> None:
    Walk(browser.new_context(), address, random.Random(seed)).run(120)
