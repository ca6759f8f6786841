"""A system that starts few threads, or none: the same table from those there are."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.tablebase.backward_induction import solve_objective
from perfect_yatzy.tablebase.threads import ScratchPool, thread_map


@pytest.mark.parametrize("allowed", [0, 1, 3, 9])
def test_fewer_threads_than_asked_for_give_the_same_values(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    objective = Objective(load_rules("yatzy-forced"))
    expected = solve_objective(objective, threads=2)
    start, running, most = threading.Thread.start, set[threading.Thread](), 0

    def limited(thread: threading.Thread) -> None:
        nonlocal most
        running.difference_update([other for other in running if not other.is_alive()])
        if len(running) >= allowed:
            raise RuntimeError("can't start new thread")
        start(thread)
        running.add(thread)
        most = max(most, len(running))

    monkeypatch.setattr(threading.Thread, "start", limited)
    np.testing.assert_array_equal(solve_objective(objective, threads=8), expected)
    assert most == min(allowed, 8)


def test_an_error_of_a_task_is_raised() -> None:
    with thread_map(4) as in_threads, pytest.raises(ZeroDivisionError):
        [*in_threads(lambda n: 1 // n, [2, 1, 0])]


def test_scratch_memory_belongs_to_one_call_at_a_time_and_is_used_again() -> None:
    made = iter(range(100))
    pool, together = ScratchPool(lambda: next(made)), threading.Barrier(4)

    def work(_: int) -> int:
        with pool.borrow() as scratch:
            together.wait(20)
            return int(scratch)

    with thread_map(4) as in_threads:
        assert sorted(in_threads(work, range(4))) == sorted(in_threads(work, range(4))) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="lost"), pool.borrow() as lost:
        raise ValueError("lost")
    with pool.borrow() as first, pool.borrow() as second, pool.borrow() as third, pool.borrow() as fourth:
        assert lost not in {first, second, third}
        assert fourth == 4
