"""A table solved in shards has the bits of one solved in one piece, whatever the shards and whatever happens."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from perfect_yatzy import RulesError, RuleSet, State, TableError, load_rules
from perfect_yatzy.model import objectives
from perfect_yatzy.model.checked_values import BLOCK_BYTES
from perfect_yatzy.model.objectives import BonusChance, Goals, Objective, Values, Variance
from perfect_yatzy.tablebase import shard_task, sharded_solve
from perfect_yatzy.tablebase.backward_induction import solve_objective, solve_values
from perfect_yatzy.tablebase.inventory import leftovers, stored
from perfect_yatzy.tablebase.shard_plan import (
    SHARDS_PER_LAYER,
    children,
    first_needed,
    halo_of,
    objective_from_text,
    objective_text,
    plan_shards,
)
from perfect_yatzy.tablebase.sharded_solve import ThreadEngine, sharded_cost, solve_sharded
from perfect_yatzy.tablebase.store import open_table, solve_to_store, table_path
from perfect_yatzy.tablebase.table_file import read_table
from perfect_yatzy.tablebase.table_info import ShardedTableInfo, shards_folder, unfinished_shards
from support import games
from support.flips import flip
from support.refusals import refused
from support.seeds import FULL, examples
from support.shards import (
    MEAN,
    OBJECTIVES,
    SMALL,
    CountingEngine,
    ShuffledEngine,
    game,
    random_plan,
    shard_path,
    solve_until_killed,
    stored_table,
    values_of,
)


def sha256_of(values: Values) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


def wanted() -> str:
    """The checksum of the means of the small game."""
    return sha256_of(solve_values(SMALL))


def resumed(folder: Path, objective: Objective = MEAN, **options: Any) -> tuple[ShardedTableInfo, int]:
    """Solve in shards, or go on with it: the table, and the number of shards that were solved."""
    engine = CountingEngine()
    return solve_sharded(objective, folder, engine=engine, **options), engine.solved


GAMES = {
    "free": games.saved_rolls_game("free", False),
    "saved rolls": SMALL,
    "forced order": games.saved_rolls_game("forced", True),
    "joker": games.joker_game("forced"),
    "tracked box": games.joker_game("forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    "free joker": games.joker_game("free", saved_rolls=True, first_roll_bonus=(("run", 3),)),
}


def solve_with_plan(
    objective: Objective, folder: Path, seed: int, monkeypatch: pytest.MonkeyPatch, memory: int = 1 << 20
) -> np.ndarray:
    """Solve in shards of random lengths; the table as it is read."""
    if isinstance(objective, Variance | BonusChance):
        solve_to_store(Objective(objective.rules), folder)
    plan = random_plan(objective, seed)
    with monkeypatch.context() as patch:
        patch.setattr(sharded_solve, "plan_shards", lambda objective, shard_bytes: plan)
        info = solve_sharded(objective, folder, engine=ShuffledEngine(seed), memory=memory)
    read, table = read_table(table_path(objective.rules, folder, objective.name), objective, hashed=True)
    assert info == read
    parts = [values_of(shard_path(objective, folder, shard)) for shard in plan.shards]
    assert np.array_equal(np.concatenate(parts), np.asarray(table))
    return np.asarray(table)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", OBJECTIVES)
def test_shards_have_the_bits_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    objective = OBJECTIVES[kind](GAMES[name])
    found = solve_with_plan(objective, tmp_path, 1, monkeypatch)
    assert np.array_equal(found, solve_objective(objective))
    assert found.dtype == objective.store


@pytest.mark.parametrize("name", ["yatzy", "maxi-unsaved"])
def test_a_shard_waits_for_its_halo_and_not_for_the_whole_layer(name: str) -> None:
    objective = Objective(load_rules(name))
    plan = plan_shards(objective, 1 << 15 if name == "yatzy" else None)
    for filled, shards in list(plan.layers.items())[1:]:
        below = plan.layers[filled + 1]
        for shard, first in zip(shards, first_needed(objective, plan, filled), strict=True):
            for run in halo_of(objective, filled, shard.first, shard.end).runs:
                assert not [each for each in below[:first] if each.start < run.stop and each.stop > run.start]
        if len(below) >= 8 and len(shards) > 1:
            assert first >= len(below) / 2


@examples(6, 25)
@given(rules=games.rule_sets(), seed=st.integers(0, 1 << 30), kind=st.sampled_from([Objective, Goals]))
def test_random_games_in_random_shards(
    tmp_path_factory: pytest.TempPathFactory, rules: RuleSet, seed: int, kind: type[Objective]
) -> None:
    objective = kind(rules)
    try:
        objective_text(objective)
    except RulesError:
        reject()  # names of boxes that no rule file can have
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = solve_with_plan(objective, tmp_path_factory.mktemp("shards"), seed, monkeypatch, memory=1)
    assert np.array_equal(found, solve_objective(objective))


def test_values_are_rounded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small twin of Maxi Yatzy with saved rolls: layers are solved from unrounded shards, which do not remain."""
    exact = solve_values(SMALL)
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    one_file = solve_to_store(Objective(SMALL), tmp_path / "one")
    seen: list[str] = []
    unrounded = shard_task.Shard.unrounded_file.fget  # type: ignore[attr-defined]
    noted = property(lambda shard: seen.append(unrounded(shard)) or seen[-1])
    monkeypatch.setattr(shard_task.Shard, "unrounded_file", noted)
    found = solve_with_plan(Objective(SMALL), tmp_path, 5, monkeypatch)
    assert seen
    assert np.array_equal(found, exact.astype(np.float32))
    info, _ = read_table(table_path(SMALL, tmp_path), Objective(SMALL))
    assert (info.rounding, info.start_value, info.sha256) == (one_file.rounding, exact[-1], one_file.sha256)
    assert not list(tmp_path.glob("*/*unrounded*"))


@pytest.mark.parametrize("rules", [pytest.param("yatzy", marks=FULL), "yahtzee"])
def test_whole_games(tmp_path: Path, rules: str) -> None:
    objective, whole = Objective(load_rules(rules)), solve_values(rules)
    steps: list[tuple[int, int]] = []
    info = solve_sharded(objective, tmp_path, engine=ThreadEngine(2), progress=lambda *step: steps.append(step))
    assert (info.sha256, info.start_value) == (sha256_of(whole), whole[-1])
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[-1] == (objective.size, objective.size)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "kind"), [("yatzy", Goals), ("yatzy-saved", Objective), ("maxi-unsaved", Objective)]
)
def test_large_games(tmp_path: Path, rules: str, kind: type[Objective]) -> None:
    objective = kind(load_rules(rules))
    assert solve_sharded(objective, tmp_path).sha256 == sha256_of(solve_objective(objective))


# -- plan and halo


def test_the_plan_covers_the_table_evenly() -> None:
    objective = Objective(load_rules("yatzy"))
    plan = plan_shards(objective)
    assert [shard.start for shard in plan.shards] == [0, *(shard.stop for shard in plan.shards[:-1])]
    assert plan.shards[-1].stop == objective.size
    assert plan == plan_shards(objective)
    assert max(map(len, plan.layers.values())) <= SHARDS_PER_LAYER
    many = plan_shards(objective, 20_000)
    middle = [(shard.stop - shard.start) * 8 for shard in many.layers[8]]
    assert len(middle) > 30
    assert max(middle) < 40_000


@examples(6, 30)
@given(rules=games.rule_sets(), random=st.randoms(use_true_random=False))
def test_the_halo_holds_every_child(rules: RuleSet, random: object) -> None:
    """Children as the state space gives them, one card at a time."""
    objective = Objective(rules)
    space = objective.space
    for filled in range(space.categories):
        rows = space.layers[filled]
        first = random.randrange(len(rows))  # type: ignore[attr-defined]
        end = random.randint(first + 1, len(rows))  # type: ignore[attr-defined]
        below = space.layers[filled + 1]
        found = set(below[children(space, filled, first, end)].tolist())
        expected = set()
        for row in rows[first:end]:
            mask, paid = int(space.layout.masks[row]), bool(row >= space.cards)
            for c in range(space.categories):
                child = mask | 1 << c
                for joker_paid in {paid, paid or c == rules.tracked_index} if child != mask else ():
                    expected.add(space.row(State(child, joker_paid=joker_paid)))
        assert found <= expected & set(below.tolist())
        halo = halo_of(objective, filled, first, end)
        covered = {value for run in halo.runs for value in range(run.start, run.stop)}
        for position in children(space, filled, first, end).tolist():
            place = objective.rows_slice(filled + 1, position, position + 1)
            assert covered >= {*range(place.start, place.stop)}


def test_a_halo_is_a_small_part_of_a_layer() -> None:
    objective = Goals(load_rules("yahtzee"))
    rows, layer = len(objective.space.layers[6]), objective.layer_slice(7)
    largest = max(halo_of(objective, 6, i * rows // 32, (i + 1) * rows // 32).bytes for i in range(32))
    assert BLOCK_BYTES < largest < 0.3 * (layer.stop - layer.start) * 4


def test_a_sharded_solve_needs_less_memory() -> None:
    objective = Goals(load_rules("maxi-unsaved"))
    assert sharded_cost(objective, 2).memory < 0.3 * objective.solve_cost().memory


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_an_objective_survives_its_text(kind: str) -> None:
    objective = OBJECTIVES[kind](SMALL)
    text = objective_text(objective)
    again = objective_from_text(text, solve_values)
    assert objective_text(again) == text
    assert np.array_equal(solve_objective(again), solve_objective(objective))


def test_the_rest_of_a_game_has_no_text() -> None:
    refused("cannot be solved in shards", objective_text, Goals(SMALL, State(filled=1)))


# -- interruptions


def interrupted(folder: Path, shards: int, objective: Objective) -> Path:
    """A solve that ends after some shards; their folder."""
    engine = CountingEngine()

    def stop(done: int, total: int) -> None:
        if engine.solved == shards:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_sharded(objective, folder, engine=engine, shard_bytes=100, progress=stop)
    return unfinished_shards(table_path(SMALL, folder))


@pytest.mark.parametrize("limit", [10, 10**8], ids=["float32", "float64"])
@pytest.mark.parametrize("shards", [1, 5, 9])
def test_a_stopped_solve_is_resumed_within_a_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int, limit: int
) -> None:
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", limit)
    objective = Objective(SMALL)
    interrupted(tmp_path, shards, objective)
    assert [entry.finished for entry in stored(tmp_path)] == [False]
    info, solved = resumed(tmp_path, objective)  # with the shards of the first
    assert solved + shards == len(info.shards)
    assert info.sha256 == sha256_of(solve_values(SMALL).astype(objective.store))
    assert [entry.finished for entry in stored(tmp_path)] == [True]
    assert leftovers(tmp_path) == []


def test_a_damaged_value_below_is_found_and_solved_again(tmp_path: Path) -> None:
    (path,) = interrupted(tmp_path, 1, MEAN).glob("0*.npy")
    flip(path, 8 * path.read_bytes().index(b"\n") + 36)
    shard_task._solves.clear()  # as in another process, which has not read it yet
    with pytest.raises(TableError, match=r"was altered .* and was removed; run the same command again"):
        solve_sharded(MEAN, tmp_path, engine=ThreadEngine(1))
    assert not path.exists()
    assert solve_sharded(MEAN, tmp_path).sha256 == wanted()


@pytest.mark.parametrize("damage", ["footer of a shard", "plan deleted", "plan flipped", "other version"])
def test_what_is_damaged_is_solved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    folder = interrupted(tmp_path, 6, MEAN)
    plan = folder / shard_task.PLAN_FILE
    if damage == "footer of a shard":
        flip(max(folder.glob("0*.npy")), -1)
    elif damage == "plan deleted":
        plan.unlink()
    elif damage == "plan flipped":
        flip(plan, 8 * 40)
    else:
        monkeypatch.setattr(shard_task, "__version__", "0.0.0")
    info, solved = resumed(tmp_path)
    assert len(info.shards) - solved == (5 if damage == "footer of a shard" else 0)
    assert info.sha256 == wanted()


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param([0.0, 0.02, 0.1], id="three times", marks=FULL),
        pytest.param((np.random.default_rng(3).random(10) / 10).tolist(), id="ten times", marks=pytest.mark.slow),
    ],
)
def test_a_killed_process_loses_the_shard_in_flight_alone(tmp_path: Path, moments: list[float]) -> None:
    stored_table(tmp_path / "whole", Objective(game()))  # the kernels are compiled
    done: set[str] = set()
    for seconds in moments:
        lines, code = solve_until_killed(tmp_path, seconds)
        assert code in (-signal.SIGKILL, 0)
        assert not {name for name, solved in lines if solved} & done
        done |= {name for name, _ in lines}
    _, solved = resumed(tmp_path, Objective(game()), missing_only=True)
    info = open_table(Objective(game()), tmp_path)[0]
    assert solved <= len(info.shards) - len(done)
    assert info.sha256 == open_table(Objective(game()), tmp_path / "whole")[0].sha256


def test_a_driver_killed_before_the_manifest_is_resumed(tmp_path: Path) -> None:
    info = solve_sharded(MEAN, tmp_path, shard_bytes=300)
    table_path(SMALL, tmp_path).with_suffix(".json").unlink()
    assert leftovers(tmp_path) == [shards_folder(table_path(SMALL, tmp_path))]
    again, solved = resumed(tmp_path)
    assert (again.sha256, solved) == (info.sha256, 0)


FULL_DISK = """
import resource, signal, sys
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.errors import TableError
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.tablebase.sharded_solve import solve_sharded, ThreadEngine
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    solve_sharded(Objective(load_rules("yatzy")), sys.argv[1], engine=ThreadEngine(2), shard_bytes=600_000)
except TableError as error:
    print(error)
"""


def test_a_file_that_cannot_grow_ends_in_one_sentence_and_is_resumed(
    tmp_path: Path, straight_line_code: None
) -> None:
    """Files are limited to 300 kB, which the first layers keep within."""
    # The limit holds for compiled kernels, too: those of the process must be there.
    solve_sharded(Objective(game()), tmp_path / "whole", shard_bytes=600_000)
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (run.stderr, run.stdout.count("\n")) == ("", 1)
    assert "what is solved is kept: free some space and run the same command again" in run.stdout
    kept = len(list(unfinished_shards(table_path(game(), tmp_path)).glob("*.npy")))
    assert kept >= 2
    info, solved = resumed(tmp_path, Objective(game()))
    assert solved + kept == len(info.shards)
    assert f"{info.start_value:.10f}" == "248.4399893779"


def test_a_second_driver_is_refused(tmp_path: Path) -> None:
    def again(done: int, total: int) -> None:
        refused("is being solved by another process", solve_sharded, MEAN, tmp_path, error=TableError)

    assert solve_sharded(MEAN, tmp_path, progress=again).values == MEAN.size


def test_the_disk_is_checked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path, size: int) -> None:
        raise TableError(f"no room for {size}")

    monkeypatch.setattr(sharded_solve, "check_space", full)
    engine = CountingEngine()
    refused(f"no room for {MEAN.size * 8}", solve_sharded, MEAN, tmp_path, engine=engine, error=TableError)
    assert engine.results == []
