"""What the terminal shows of a long computation."""

from __future__ import annotations

from perfect_yatzy.cli.console import time_left


def test_the_time_left_follows_from_all_that_is_done() -> None:
    assert time_left(0, 500, 1000, 60.0) == "1:00"
    assert time_left(0, 100, 1000, 500.0) == "1:15:00"
    assert time_left(0, 999, 1000, 100.0) == "0:00"


def test_what_an_earlier_solve_has_done_took_no_time_now() -> None:
    assert time_left(600, 800, 1000, 30.0) == "0:30"


def test_tiny_first_layers_give_no_estimate() -> None:
    assert time_left(0, 0, 33_472_512, 4.0) == ""
    assert time_left(0, 20_000, 33_472_512, 4.0) == ""
    assert time_left(600, 605, 1000, 5.0) == ""
    assert time_left(0, 1000, 1000, 60.0) == ""
