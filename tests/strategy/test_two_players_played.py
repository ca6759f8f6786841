"""Two players: games played by the solved values, and the last boxes of Yatzy by brute force over all leads."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import State
from perfect_yatzy.strategy.two_players import TwoPlayerGame
from support.played_duel import LEADS, EveryLead, Table

ERROR = 2e-6  # that is stated


@pytest.mark.slow
@pytest.mark.parametrize("key", ["yatzy-forced", "generala", "yacht"])
def test_games_that_are_played_are_won_as_often_as_the_solve_says(key: str) -> None:
    """Both players take what is best by the solved values; the rolls and the rules are the test's own."""
    game = TwoPlayerGame(perfect_yatzy.load_rules(key))
    layers = list(game.solve())
    first, chances = game.start_chances(layers[-1])
    won = Table(game, layers, 1).play(10_000)
    error = won.std() / np.sqrt(len(won))
    assert abs(won.mean() - chances[-first]) < 3.3 * error


@pytest.mark.slow
def test_positions_with_two_open_boxes_each_by_brute_force() -> None:
    """200 positions of Yatzy: 40 random pairs of cards with five leads each; a query takes less than 50 ms."""
    rules, random = perfect_yatzy.load_rules("yatzy"), np.random.default_rng(27)
    oracle, seconds = EveryLead(rules.canonical()), []
    for _pair in range(40):
        cards = []
        for _player in range(2):
            filled = oracle.full_mask & ~sum(1 << int(box) for box in random.choice(15, 2, replace=False))
            most = sum(5 * (box + 1) for box in range(6) if filled >> box & 1)
            cards.append((filled, min(42, int(random.integers(0, most + 1)))))
        exact = oracle.before(*cards)
        for lead in random.integers(-60, 61, 5).tolist():
            begin = perf_counter()
            starts = State(*cards[0]), State(*cards[1])
            found = TwoPlayerGame(rules, starts, lead).chance()
            seconds.append(perf_counter() - begin)
            assert abs(found - exact[lead + LEADS]) < ERROR, (cards, lead)
    assert len(seconds) == 200
    assert median(seconds) < 0.05
