"""A game of two players on workers: the bits of threads, also after it was killed, and never
from a damaged file.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from perfect_yatzy import Cluster, TableError, load_rules, versus
from perfect_yatzy.cluster.versus import TurnPart, versus_on
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.store import leftovers
from perfect_yatzy.two_players.versus import versus_checkpoint
from support.cluster_tasks import EngineHere
from support.flips import flip
from support.seeds import ring_2, ring_3
from support.shards import shard_bytes

FORCED = load_rules("yatzy-forced")


def on_here(engine: EngineHere, tables: Path, ties: str = "half") -> float:
    return versus_on(Settings(tables), engine, FORCED, ties).first  # type: ignore[arg-type]


class Disturbed(EngineHere):
    """An engine that does something before the tasks of the tenth turn; `turns`: those whose
    tasks it had.
    """

    def __init__(self, disturb: Callable[[TurnPart], object] = bool) -> None:
        self.disturb, self.turns = disturb, set[int]()

    def map(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Iterator[tuple[int, Any]]:
        def disturbed(part: TurnPart) -> Any:
            self.turns.add(part.turn.left)
            if part.turn.left == 10:
                self.disturb(part)
            return function(part)

        return super().map(disturbed, tasks)


@pytest.mark.parametrize("ties", ["half", ring_2("loss"), ring_2("win")])
def test_parts_have_the_bits_of_a_whole_turn(tmp_path: Path, ties: str) -> None:
    assert on_here(EngineHere(), tmp_path, ties) == versus(FORCED, ties=ties, tables=tmp_path).first
    assert not any(tmp_path.iterdir())


@pytest.mark.full
def test_workers_store_the_bits_of_threads(tmp_path: Path) -> None:
    versus_on(Settings(tmp_path / "workers"), EngineHere(), FORCED, "win", store=True)  # type: ignore[arg-type]
    versus(FORCED, tables=tmp_path / "threads", store=True)
    found = shard_bytes(tmp_path / "workers")
    assert len(found) == 3 * 31
    assert found == shard_bytes(tmp_path / "threads")


def test_a_killed_solve_resumes_and_a_flipped_bit_does_not(tmp_path: Path) -> None:
    expected, layer = versus(FORCED, tables=tmp_path).first, versus_checkpoint(FORCED, tmp_path)
    for is_flipped in (False, True):
        with pytest.raises(KeyboardInterrupt):
            on_here(Disturbed(Mock(side_effect=KeyboardInterrupt)), tmp_path)
        assert leftovers(tmp_path) == [layer]
        if is_flipped:
            flip(layer, 8 * 200)
        again = Disturbed()
        assert on_here(again, tmp_path) == expected
        assert min(again.turns) == (1 if is_flipped else 10)
    assert not layer.exists()


@pytest.mark.parametrize("place", ["magic", "byte order", "end of the header", "values"])
def test_a_damaged_layer_is_not_believed(tmp_path: Path, place: str) -> None:
    def damage(part: TurnPart) -> None:
        header = part.layer.read_bytes()[:128]
        bits = {
            "magic": 8 * 1,
            "byte order": 8 * header.index(b"<") + 1,  # it becomes >
            "end of the header": 8 * 100 + 3,  # a space becomes a bracket
            "values": 8 * (128 + 4 * part.first),
        }
        flip(part.layer, bits[place])

    with pytest.raises(TableError, match="altered"):
        on_here(Disturbed(damage), tmp_path)


@pytest.mark.parametrize("rules", [ring_2("yatzy-forced"), ring_3("generala")])
def test_workers_have_the_bits_of_threads(cluster: Cluster, tmp_path: Path, rules: str) -> None:
    assert cluster.versus(rules, tables=tmp_path) == versus(rules, tables=tmp_path, threads=2)
    assert not any(tmp_path.iterdir())
