"""The number of threads and the folder of the tables, as Python gives them."""

from pathlib import Path
from typing import Any

import perfect_yatzy
import pytest
from perfect_yatzy.core.resources import MAX_THREADS, default_threads, thread_count
from perfect_yatzy.errors import StateError

WRONG = (0, -1, 1000, 2.5, "x", True)


@pytest.mark.parametrize("threads", WRONG)
def test_a_wrong_number_of_threads_is_one_clear_error(threads: Any, tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"^threads is .*; must be (1 to 256|a whole number)$"):
        thread_count(threads)
    with pytest.raises(StateError, match=r"^threads is "):
        perfect_yatzy.open_strategy("generala", tmp_path, threads=threads)
    with pytest.raises(StateError, match=r"^threads is "):
        perfect_yatzy.solve("generala", threads=threads)
    assert list(tmp_path.iterdir()) == []


def test_the_numbers_that_are_accepted() -> None:
    assert thread_count(None) == default_threads()
    assert [thread_count(number) for number in (1, 2, MAX_THREADS)] == [1, 2, MAX_THREADS]


@pytest.mark.parametrize("tables", [3, 2.5, ["x"]])
def test_a_folder_of_tables_is_a_path(tables: Any) -> None:
    with pytest.raises(StateError, match=r"^tables is .*; must be the path of a folder$"):
        perfect_yatzy.open_strategy("generala", tables)
