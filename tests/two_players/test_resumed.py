"""Interrupted solves of games of two players, and of proofs: what does not fit, is missing or
damaged is solved again.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from perfect_yatzy import RuleSet, TableError, _sources, prove, versus
from perfect_yatzy.core.table_info import shards_folder, unfinished_shards
from perfect_yatzy.tablebase import exact_solve
from perfect_yatzy.tablebase.exact_solve import ExactSolve
from perfect_yatzy.tablebase.store import leftovers, table_path
from perfect_yatzy.two_players import two_players
from perfect_yatzy.two_players.two_players import TwoPlayerGame
from perfect_yatzy.two_players.versus import versus_checkpoint
from support import games
from support.flips import flip
from support.refusals import killed, refused
from support.shards import shard_bytes

RULES = games.saved_rolls_game("free", True)
OTHER_RULES = games.saved_rolls_game("forced", True)


@pytest.fixture(autouse=True)
def _checkpoint_after_each_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_players, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(exact_solve, "CHECKPOINT_SECONDS", 0.0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stored games of all tie rules, solved without an interruption."""
    folder = tmp_path_factory.mktemp("whole")
    versus(RULES, tables=folder, store=True)
    return folder


def interrupted(folder: Path, rules: RuleSet = RULES) -> Path:
    """The folder of the shards of the first stored game, whose solve was interrupted near its
    end.
    """

    def stop(done: int, total: int) -> None:
        if done > 0.3 * total:  # of three games
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        versus(rules, tables=folder, store=True, progress=stop)
    shards = unfinished_shards(table_path(rules, folder, "versusloss"))
    assert len([*shards.glob("*.npy")]) > 4
    assert (shards / "newest.part").exists()
    return shards


def resumed(folder: Path) -> list[int]:
    """Solve on; the work that was done before, in the first game."""
    done = list[int]()
    versus(RULES, tables=folder, store=True, progress=lambda count, _total: done.append(count))
    assert not leftovers(folder)
    return done


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip_a_value(path: Path) -> None:
    flip(path, 8 * path.read_bytes().index(b"\n") + 12)


def test_shards_of_another_tie_rule_are_not_published(whole: Path, tmp_path: Path) -> None:
    folder = interrupted(tmp_path)
    others = shards_folder(table_path(RULES, whole, "versuswin"))
    for path in folder.glob("*.npy"):
        shutil.copy(others / path.name, path)
    resumed(tmp_path)
    assert shard_bytes(tmp_path) == shard_bytes(whole)


def test_shards_and_the_newest_layer_of_another_game_are_not_used(
    whole: Path, tmp_path: Path
) -> None:
    folder, others = interrupted(tmp_path), interrupted(tmp_path / "other", OTHER_RULES)
    for path in others.iterdir():
        shutil.copy(path, folder)
    resumed(tmp_path)
    assert shard_bytes(tmp_path) == shard_bytes(whole)


@pytest.mark.full
@pytest.mark.parametrize("damage", [Path.unlink, cut, flip_a_value], ids=lambda call: call.__name__)
@pytest.mark.parametrize("name", ["00", "02", "newest"])
def test_a_missing_or_damaged_file_is_repaired_by_the_resume(
    whole: Path, tmp_path: Path, damage: Callable[[Path], None], name: str
) -> None:
    (path,) = interrupted(tmp_path).glob(f"{name}*")
    damage(path)
    resumed(tmp_path)
    assert shard_bytes(tmp_path) == shard_bytes(whole)


def test_an_intact_solve_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    interrupted(tmp_path)
    done = resumed(tmp_path)
    assert done[0] > 0.3 * done[-1]  # of three games
    assert shard_bytes(tmp_path) == shard_bytes(whole)


def test_a_shard_that_is_altered_during_the_solve_is_not_published(
    whole: Path, tmp_path: Path
) -> None:
    folder = unfinished_shards(table_path(RULES, tmp_path, "versusloss"))

    def damage(*_progress: object) -> None:
        (folder / "00-00000000-00000001.npy").unlink(missing_ok=True)

    said = "was altered or removed meanwhile; run the same command again"
    refused(said, versus, RULES, tables=tmp_path, store=True, progress=damage, error=TableError)
    resumed(tmp_path)
    assert shard_bytes(tmp_path) == shard_bytes(whole)


def test_layers_of_a_changed_program_are_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game, proof = TwoPlayerGame(RULES), ExactSolve(RULES, tmp_path)
    killed(versus, RULES, tables=tmp_path)
    killed(prove, RULES, tables=tmp_path)
    part = versus_checkpoint(RULES, tmp_path)
    assert game.resume(part) is not None
    assert proof.resume() is not None
    assert not caplog.messages
    monkeypatch.setattr(_sources, "digest_of", lambda *modules, **options: "0" * 64)
    assert game.resume(part) is None
    assert proof.resume() is None
    assert [message.count("another version of the program") for message in caplog.messages] == [
        1,
        1,
    ]


def test_the_layer_of_a_proof_with_and_without_spread_is_not_taken_for_the_other(
    tmp_path: Path,
) -> None:
    killed(prove, RULES, tables=tmp_path)
    plain, spread = ExactSolve(RULES, tmp_path), ExactSolve(RULES, tmp_path, spread=True)
    assert plain.part
    assert spread.part
    shutil.copy(plain.part, spread.part)
    assert spread.resume() is None
    assert plain.resume() is not None
