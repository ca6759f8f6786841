"""Tables in shards: solved with the bits of one piece, read as one array or refused; the
estimate of a solve.
"""

import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from perfect_yatzy import RulesError, RuleSet, State, TableError, _sources, load_rules
from perfect_yatzy.cli.commands.table_solver import estimate_solve
from perfect_yatzy.core import objectives, table_info
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.checked_values import BLOCK_BYTES, CheckedValues
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.table_info import (
    ShardedTableInfo,
    shards_folder,
    unfinished_shards,
    with_checksum,
)
from perfect_yatzy.core.table_slices import Values, window
from perfect_yatzy.objectives.policy_quantities import BonusChance, Variance
from perfect_yatzy.objectives.scores import Goals, Utility
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.verify import verify
from perfect_yatzy.tablebase import shard_file, shard_plan, shard_task, sharded_solve, store
from perfect_yatzy.tablebase.estimates import rule_set_stats, solve_cost
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.shard_file import (
    PAGE_BYTES,
    listed_shards,
    open_shard,
    shard_header,
    write_shard,
)
from perfect_yatzy.tablebase.shard_plan import (
    children,
    halo_of,
    objective_from_text,
    objective_text,
    plan_shards,
)
from perfect_yatzy.tablebase.sharded_solve import ThreadEngine, sharded_cost, solve_sharded
from perfect_yatzy.tablebase.store import (
    has_table,
    leftovers,
    open_table,
    solve_to_store,
    stored,
    table_path,
)
from perfect_yatzy.tablebase.table_reader import read_table
from support import games
from support import shards as shard_tables
from support.command import Run, printed
from support.flips import files_of_at_most, flip
from support.refusals import refused
from support.seeds import examples, ring_2, ring_3
from support.shards import (
    MEAN,
    OBJECTIVES,
    SMALL,
    CountingEngine,
    ShuffledEngine,
    random_plan,
    values_of,
)

YATZY = Objective(load_rules("yatzy"))


def sha256_of(values: Values) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


def wanted() -> str:
    """The checksum of the means of the small game."""
    return sha256_of(solve_values(SMALL))


def resumed(
    folder: Path, objective: Objective = MEAN, **options: Any
) -> tuple[ShardedTableInfo, int]:
    """Solve in shards, or go on with it: the table, and the number of shards that were solved."""
    engine = CountingEngine()
    return solve_sharded(Settings(folder), objective, engine=engine, **options), engine.solved


GAMES = {
    "free": games.saved_rolls_game("free", False),
    "saved rolls": SMALL,
    "forced order": games.saved_rolls_game("forced", True),
    "joker": games.joker_game("forced"),
    "tracked box": games.joker_game("forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    "free joker": games.joker_game("free", saved_rolls=True, first_roll_bonus=(("run", 3),)),
}


def solve_with_plan(
    objective: Objective,
    folder: Path,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    memory: int = 1 << 20,
) -> np.ndarray:
    """Solve in shards of random lengths; the table as it is read."""
    if isinstance(objective, Variance | BonusChance):
        solve_to_store(Settings(folder), Objective(objective.rules))
    plan = random_plan(objective, seed)
    with monkeypatch.context() as patch:
        patch.setattr(sharded_solve, "plan_shards", lambda objective, shard_bytes: plan)
        info = solve_sharded(
            Settings(folder), objective, engine=ShuffledEngine(seed), memory=memory
        )
    read, table = read_table(
        table_path(objective.rules, folder, objective.name), objective, hashed=True
    )
    assert info == read
    parts = [values_of(shard_tables.shard_path(objective, folder, shard)) for shard in plan.shards]
    assert np.array_equal(np.concatenate(parts), np.asarray(table))
    return np.asarray(table)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", OBJECTIVES)
def test_shards_have_the_same_bits(
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
        for shard, first in zip(
            shards, shard_plan.first_needed(objective, plan, filled), strict=True
        ):
            for run in halo_of(objective, filled, shard.first, shard.end).runs:
                assert not [
                    each
                    for each in below[:first]
                    if each.start < run.stop and each.stop > run.start
                ]
        if len(below) >= 8 and len(shards) > 1:
            assert first >= len(below) / 2


@examples(3, 25)
@given(
    rules=games.rule_sets(), seed=st.integers(0, 1 << 30), kind=st.sampled_from([Objective, Goals])
)
def test_random_games_in_random_shards(
    tmp_path_factory: pytest.TempPathFactory, rules: RuleSet, seed: int, kind: type[Objective]
) -> None:
    objective = kind(rules)
    try:
        objective_text(objective)
    except RulesError:
        reject()  # names of boxes that no rule file can have
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = solve_with_plan(
            objective, tmp_path_factory.mktemp("shards"), seed, monkeypatch, memory=1
        )
    assert np.array_equal(found, solve_objective(objective))


def test_values_are_rounded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small twin of Maxi Yatzy with saved rolls: layers are solved from unrounded shards,
    which do not remain.
    """
    exact = solve_values(SMALL)
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    one_file = solve_to_store(Settings(tmp_path / "one"), Objective(SMALL))
    seen: list[str] = []
    unrounded = shard_task.Shard.unrounded_file.fget  # type: ignore[attr-defined]
    noted = property(lambda shard: seen.append(unrounded(shard)) or seen[-1])
    monkeypatch.setattr(shard_task.Shard, "unrounded_file", noted)
    found = solve_with_plan(Objective(SMALL), tmp_path, 5, monkeypatch)
    assert seen
    assert np.array_equal(found, exact.astype(np.float32))
    info, _ = read_table(table_path(SMALL, tmp_path), Objective(SMALL))
    assert (info.rounding, info.start_value, info.sha256) == (
        one_file.rounding,
        exact[-1],
        one_file.sha256,
    )
    assert not list(tmp_path.glob("*/*unrounded*"))


WHOLE = [("yatzy", Goals), ("yatzy-saved", Objective), ("maxi-unsaved", Objective)]


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ("yahtzee", Objective),
        ring_2("yatzy", Objective),
        *(ring_3(*case) for case in WHOLE),
    ],
)
def test_whole_games(tmp_path: Path, rules: str, kind: type[Objective]) -> None:
    objective, steps = kind(load_rules(rules)), list[tuple[int, int]]()
    info = solve_sharded(
        Settings(tmp_path, progress=lambda *step: steps.append(step)),
        objective,
        engine=ThreadEngine(2),
    )
    whole = solve_objective(objective)
    assert info.sha256 == sha256_of(whole)
    assert kind is Goals or info.start_value == whole[-1]
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[-1] == (objective.size, objective.size)


# --- plan and halo ---
def test_the_plan_covers_the_table_evenly_and_a_halo_is_a_small_part_of_a_layer() -> None:
    objective = Objective(load_rules("yatzy"))
    plan = plan_shards(objective)
    assert [shard.start for shard in plan.shards] == [
        0,
        *(shard.stop for shard in plan.shards[:-1]),
    ]
    assert plan.shards[-1].stop == objective.size
    assert plan == plan_shards(objective)
    assert max(map(len, plan.layers.values())) <= shard_plan.SHARDS_PER_LAYER
    many = plan_shards(objective, 20_000)
    middle = [(shard.stop - shard.start) * 8 for shard in many.layers[8]]
    assert len(middle) > 30
    assert max(middle) < 40_000
    objective = Goals(load_rules("yahtzee"))
    rows, layer = len(objective.space.layers[6]), objective.layer_slice(7)
    largest = max(
        halo_of(objective, 6, i * rows // 32, (i + 1) * rows // 32).bytes for i in range(32)
    )
    assert BLOCK_BYTES < largest < 0.3 * (layer.stop - layer.start) * 4
    objective = Goals(load_rules("maxi-unsaved"))
    assert sharded_cost(objective, 2).memory < 0.3 * solve_cost(objective).memory


@examples(3, 30)
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
            place = objective.places.rows_slice(filled + 1, position, position + 1)
            assert covered >= {*range(place.start, place.stop)}


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_an_objective_survives_its_text(kind: str) -> None:
    objective = OBJECTIVES[kind](SMALL)
    text = objective_text(objective)
    again = objective_from_text(text, solve_values)
    assert objective_text(again) == text
    refused("cannot be solved in shards", objective_text, Goals(SMALL, State(filled=1)))
    assert np.array_equal(solve_objective(again), solve_objective(objective))


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_a_description_without_one_of_its_fields_is_damaged(kind: str) -> None:
    fields = json.loads(objective_text(OBJECTIVES[kind](SMALL)))
    for name in fields:
        text = json.dumps({other: value for other, value in fields.items() if other != name})
        error = refused("is damaged", objective_from_text, text, solve_values, error=TableError)
        assert error.code == "table-damaged"


# --- interruptions ---
def interrupted(folder: Path, shards: int, objective: Objective) -> Path:
    """A solve that ends after some shards; their folder."""
    engine = CountingEngine()

    def stop(done: int, total: int) -> None:
        if engine.solved == shards:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_sharded(Settings(folder, progress=stop), objective, engine=engine, shard_bytes=100)
    return unfinished_shards(table_path(SMALL, folder))


@pytest.mark.parametrize("limit", [10, 10**8], ids=["float32", "float64"])
@pytest.mark.parametrize("shards", [1, 5, 9])
def test_a_stopped_solve_is_resumed(
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
    """While others are being solved; what a resume finds is compared before."""
    folder = unfinished_shards(table_path(SMALL, tmp_path))

    def damage(done: int, total: int) -> None:
        for path in [*folder.glob("0*.npy")][:1] if done < total / 2 else []:
            flip(path, 8 * path.read_bytes().index(b"\n") + 36)

    said = r"was altered .* and was removed; run the same command again"
    options = {"engine": CountingEngine()}
    refused(
        said, solve_sharded, Settings(tmp_path, progress=damage), MEAN, error=TableError, **options
    )
    assert not [*folder.glob("0*.npy")]
    assert solve_sharded(Settings(tmp_path), MEAN).sha256 == wanted()


def test_a_driver_killed_before_the_manifest_is_resumed(tmp_path: Path) -> None:
    info = solve_sharded(Settings(tmp_path), MEAN, shard_bytes=300)
    table_path(SMALL, tmp_path).with_suffix(".json").unlink()
    assert leftovers(tmp_path) == [shards_folder(table_path(SMALL, tmp_path))]
    again, solved = resumed(tmp_path)
    assert (again.sha256, solved) == (info.sha256, 0)


@pytest.mark.parametrize(
    "damage",
    ["footer of a shard", "values of a shard", "plan deleted", "plan flipped", "other sources"],
)
def test_what_is_damaged_is_solved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    folder = interrupted(tmp_path, 6, MEAN)
    plan = folder / shard_task.PLAN_FILE
    if damage == "footer of a shard":
        flip(max(folder.glob("0*.npy")), -1)
    elif damage == "values of a shard":
        path = max(folder.glob("0*.npy"))
        flip(path, 8 * path.read_bytes().index(b"\n") + 36)
    elif damage == "plan deleted":
        plan.unlink()
    elif damage == "plan flipped":
        flip(plan, 8 * 40)
    else:
        monkeypatch.setattr(_sources, "digest_of", lambda *modules, **options: "0" * 64)
    info, solved = resumed(tmp_path)
    assert len(info.shards) - solved == (5 if "of a shard" in damage else 0)
    assert info.sha256 == wanted()


def test_a_file_that_cannot_grow_ends_in_a_sentence_and_is_resumed(tmp_path: Path) -> None:
    """Files are limited to 300 kB, which the first layers keep within."""
    # compiled kernels must be there, too
    solve_sharded(Settings(tmp_path / "whole"), YATZY, shard_bytes=600_000)
    said = "what is solved is kept: free some space and run the same command again"
    with files_of_at_most(300_000):
        options = {"engine": ThreadEngine(2), "shard_bytes": 600_000}
        refused(said, solve_sharded, Settings(tmp_path), YATZY, error=TableError, **options)
    kept = len(list(unfinished_shards(table_path(YATZY.rules, tmp_path)).glob("*.npy")))
    assert kept >= 2
    info, solved = resumed(tmp_path, YATZY)
    assert solved + kept == len(info.shards)
    assert f"{info.start_value:.10f}" == "248.4399893779"


def test_a_second_driver_and_a_full_disk_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(done: int, total: int) -> None:
        refused(
            "is being solved by another process",
            solve_sharded,
            Settings(tmp_path),
            MEAN,
            error=TableError,
        )

    assert solve_sharded(Settings(tmp_path, progress=again), MEAN).values == MEAN.size

    def full(folder: Path, size: int) -> None:
        raise TableError(f"no room for {size}")

    monkeypatch.setattr(sharded_solve, "check_space", full)
    engine = CountingEngine()
    refused(
        f"no room for {MEAN.size * 8}",
        solve_sharded,
        Settings(tmp_path / "b"),
        MEAN,
        engine=engine,
        error=TableError,
    )
    assert engine.results == []


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table of Yatzy in shards of 200 kB, and of all goals of forced Yatzy."""
    folder = tmp_path_factory.mktemp("sharded")
    solve_sharded(Settings(folder), YATZY, shard_bytes=200_000)
    solve_sharded(Settings(folder), Goals(load_rules("yatzy-forced")), shard_bytes=30_000)
    return folder


@pytest.fixture(scope="module")
def whole(store: Path) -> np.ndarray:
    return np.asarray(open_table(Settings(store), YATZY)[1])


def opened(folder: Path, objective: Objective = YATZY) -> tuple[ShardedTableInfo, CheckedValues]:
    info, values = read_table(table_path(objective.rules, folder, objective.name), objective)
    assert (type(info), type(values)) == (ShardedTableInfo, CheckedValues)
    return info, values


def test_reads_have_the_values_of_the_table(solved: Path, whole: np.ndarray) -> None:
    random = np.random.default_rng(1)
    info, table = opened(solved)
    assert len(info.shards) > 40
    assert (len(table), table.dtype, table.shape) == (len(whole), whole.dtype, whole.shape)
    for place in random.integers(-len(whole), len(whole), 30).tolist():
        assert table[place] == whole[place]
    for _ in range(30):
        low, high = np.sort(random.integers(0, len(whole), 2)).tolist()
        high = min(high, low + 50_000)
        assert np.array_equal(table[low:high], whole[low:high])
        places = random.integers(0, len(whole), 5)
        assert np.array_equal(table[places], whole[places])
    assert np.array_equal(np.asarray(table), whole)
    assert not np.asarray(table).flags.writeable


def test_opening_reads_the_manifest_alone(
    solved: Path, whole: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[Path] = []
    monkeypatch.setattr(
        shard_file, "open_shard", lambda path: files.append(path) or open_shard(path)
    )
    info, table = opened(solved)
    assert files == []
    _ = table[len(table) // 2]
    assert 1 <= len(files) <= 2  # two shards may share the block
    start, stop = YATZY.layer_slice(5).start, YATZY.layer_slice(4).stop
    part = window(YATZY, opened(solved)[1], 4)
    assert np.array_equal(part.values[start - part.start : stop - part.start], whole[start:stop])
    assert 0 < len(set(files)) < len(info.shards) / 2


def test_threads_read_side_by_side(solved: Path, whole: np.ndarray) -> None:
    _, table = opened(solved)
    start = threading.Barrier(4)

    def read(seed: int) -> bool:
        random = np.random.default_rng(seed)
        start.wait()
        places = random.permutation(len(whole))[:3000].reshape(-1, 30)
        return all(np.array_equal(table[part], whole[part]) for part in places)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))


def test_answers_are_those_of_the_table_in_one_file(solved: Path, store: Path) -> None:
    shards, one = (perfect_yatzy.open_strategy("yatzy", folder) for folder in (solved, store))
    card = "ones=3 sixes=24 chance=22"
    assert shards.value(card) == one.value(card)
    assert shards.holds(card, "33456", rolls_left=1) == one.holds(card, "33456", rolls_left=1)
    dice = [[3, 3, 4, 5, 6], [1, 1, 2, 2, 3]]
    batches = [strategy.best([0b1, 0b100001], [3, 27], dice, [2, 1]) for strategy in (shards, one)]
    assert np.array_equal(batches[0].value, batches[1].value)
    first, second = (perfect_yatzy.simulate(strategy, 300, seed=4) for strategy in (shards, one))
    assert np.array_equal(first.final_scores, second.final_scores)
    goals = [perfect_yatzy.reach("yatzy-forced", 170, tables=folder) for folder in (solved, store)]
    assert isinstance(goals[0].table, CheckedValues)
    assert goals[0].value("") == pytest.approx(goals[1].value(""), rel=1e-6)
    checks = list(verify(Settings(solved), YATZY.rules, states=20))  # reads all shards
    assert all(check.passed for check in checks)
    assert open_table(Settings(store), YATZY)[0].sha256[:16] in checks[0].detail


# --- damage ---
@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a small table in shards."""
    solve_sharded(Settings(tmp_path), MEAN, shard_bytes=400)
    return shards_folder(table_path(SMALL, tmp_path))


@examples(5, 60)
@given(data=st.data())
def test_no_flipped_bit_gives_another_value(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("flip")
    solve_sharded(Settings(folder), MEAN, shard_bytes=400)
    expected = np.asarray(open_table(Settings(folder / "whole"), MEAN)[1])
    files = sorted(shards_folder(table_path(SMALL, folder)).glob("*.npy"))
    file = data.draw(st.integers(0, len(files)))
    path = [*files, table_path(SMALL, folder).with_suffix(".json")][file]
    flip(path, data.draw(st.integers(0, 1 << 20) | st.integers(-7200, -1)))
    message = ""
    try:
        found = np.asarray(open_table(Settings(folder), MEAN, solve=False)[1])
    except TableError as error:
        message = str(error)
    assert (
        "rebuild it with: yatzy solve small" in message
        if message
        else np.array_equal(found, expected)
    )
    assert "\n" not in message


@pytest.mark.parametrize("damage", ["missing", "truncated", "empty", "of another table", "garbage"])
def test_a_damaged_shard_is_refused(small: Path, damage: str) -> None:
    path, other = sorted(small.glob("*.npy"))[:2]
    changed = {
        "truncated": path.read_bytes()[:-9],
        "empty": b"",
        "of another table": other.read_bytes(),
    }
    path.write_bytes(changed.get(damage, b"x" * 999))
    if damage == "missing":
        path.unlink()
    _, table = read_table(table_path(SMALL, small.parent), MEAN)
    found = "is missing" if damage == "missing" else "truncated or damaged|of another table"
    way_out = "rebuild it with: yatzy solve small --shards --force"
    refused(rf"{path.name} .*({found}).*{way_out}", np.asarray, table, error=TableError)


def test_a_manifest_that_does_not_fit_is_refused(small: Path) -> None:
    path = table_path(SMALL, small.parent)
    fields = json.loads(path.with_suffix(".json").read_text())
    shards = fields["shards"]
    del fields["checksum"]
    path.with_suffix(".json").write_bytes(with_checksum(fields | {"shards": shards[1:]}))
    refused("is of another table", np.asarray, read_table(path, MEAN)[1], error=TableError)
    path.with_suffix(".json").write_bytes(with_checksum(fields | {"shards": shards[:-1]}))
    refused(r"the description of the table .* is damaged", read_table, path, MEAN, error=TableError)


def test_tables_of_different_utilities_are_not_confused(tmp_path: Path) -> None:
    one, other = (Utility(SMALL, lambda total, k=k: total**k * 1.0) for k in (1, 2))
    solve_sharded(Settings(tmp_path), one)
    path = table_path(SMALL, tmp_path, "utility")
    read_table(path, one)
    refused("was made for another utility", read_table, path, other, error=TableError)


@pytest.mark.parametrize("form", ["one file", "shards"])
def test_the_description_of_the_other_form_is_refused(tmp_path: Path, form: str) -> None:
    """As left by someone who copied or removed files; opening must not solve the game again and
    again.
    """
    path = table_path(SMALL, tmp_path)
    if form == "one file":
        solve_to_store(Settings(tmp_path), MEAN)
        path.unlink()
        shards_folder(path).mkdir()
    else:
        solve_sharded(Settings(tmp_path), MEAN)
        shards_folder(path).rename(tmp_path / "elsewhere")
        path.write_bytes(b"")
    refused(
        r"has no manifest|is that of a table in shards",
        open_table,
        Settings(tmp_path),
        MEAN,
        error=TableError,
    )


# --- files ---
@examples(4, 40)
@given(
    start=st.integers(0, 40_000),
    count=st.integers(1, 30_000),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_shard_reads_back(
    tmp_path_factory: pytest.TempPathFactory, start: int, count: int, dtype: type
) -> None:
    values = np.random.default_rng(count).random(count).astype(dtype)
    path = tmp_path_factory.mktemp("file") / "shard.npy"
    footer = write_shard(path, values, start, {"rows": [1, 2]})
    assert np.array_equal(values_of(path), values)
    shard = open_shard(path)
    assert shard.footer == footer
    assert shard.offset % PAGE_BYTES == start * values.itemsize % PAGE_BYTES
    assert shard.offset == len(shard_header(values.dtype, start, count))
    low, high = shard.part(0, 1 << 60)
    for block in range(low // BLOCK_BYTES, -(-high // BLOCK_BYTES)):
        first, last = shard.part(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
        data = bytearray(last - first)
        shard.read_into(memoryview(data), first)
        shard.check(first, memoryview(data))
        data[-1] ^= 1
        refused("was altered", shard.check, first, memoryview(data), error=TableError)


# --- the store ---
def test_the_store_lists_and_removes_tables_in_shards(small: Path) -> None:
    (entry,) = stored(small.parent)
    files = [*small.iterdir(), table_path(SMALL, small.parent).with_suffix(".json")]
    assert entry.bytes == sum(path.stat().st_size for path in files)
    assert (entry.finished, len(entry.files)) == (True, 2)
    assert leftovers(small.parent) == []
    store.remove(entry)
    assert list(small.parent.iterdir()) == []
    small.with_suffix(".part.shards").mkdir()
    assert [path.name.partition(".")[2] for path in store.remove_leftovers(small.parent)] == [
        "part.shards"
    ]
    assert list(small.parent.iterdir()) == []


def test_a_table_has_one_form_at_a_time(tmp_path: Path) -> None:
    for _ in range(2):
        solve_to_store(Settings(tmp_path), MEAN)
        assert sorted(entry.suffix for entry in tmp_path.iterdir()) == [".json", ".npy"]
        assert type(read_table(table_path(SMALL, tmp_path), MEAN)[0]) is table_info.TableInfo
        solve_sharded(Settings(tmp_path), MEAN)
        assert sorted(entry.suffix for entry in tmp_path.iterdir()) == [".json", ".shards"]
        assert len(listed_shards(opened(tmp_path, MEAN)[0])) == 5
    solve_sharded(Settings(tmp_path), MEAN, shard_bytes=300)  # replaces shards
    assert len(opened(tmp_path, MEAN)[0].shards) > 5
    assert has_table(SMALL, tmp_path)
    assert solve_sharded(Settings(tmp_path), MEAN, missing_only=True) == opened(tmp_path, MEAN)[0]


def test_the_command(run: Run, tmp_path: Path) -> None:
    where = ("--tables", str(tmp_path))
    done = printed(run, "solve", "crag", "--what", "variance", "--shards", *where)
    assert done.splitlines()[-1].endswith(".shards")
    again = run("solve", "crag", "--shards", *where)
    assert "is already solved" in again.stdout
    assert again.stdout.split("solved: ")[1].split()[0].endswith(".shards")
    listed = json.loads(run("tables", "--json", *where).stdout)
    assert [(table["what"], table["finished"]) for table in listed["tables"]] == [
        ("mean", True),
        ("variance", True),
    ]
    assert run("tables", "--verify", "crag", "--games", "200", *where).returncode == 0
    assert run("solve", "crag", "--force", *where).stdout.splitlines()[-1].endswith(".npy")
    assert run("solve", "crag", "--approximate", "--shards").returncode == 2


@pytest.mark.parametrize("kind", ["mean", "goals", "variance", "bonus"])
def test_sizes_are_those_of_the_solve(tmp_path: Path, kind: str) -> None:
    # where the tasks of a variance look for the means
    solve_to_store(Settings(tmp_path), Objective(SMALL))
    objective = OBJECTIVES[kind](SMALL)
    in_shards, one_file = (
        estimate_solve(objective, threads=2, shards=shards) for shards in (True, False)
    )
    info = solve_sharded(Settings(tmp_path), objective)
    for estimate in (in_shards, one_file):
        assert estimate.values == info.values
        assert estimate.dtype == info.dtype
        assert estimate.bytes == info.values * np.dtype(info.dtype).itemsize
        assert estimate.disk == estimate.bytes  # of a table that is not rounded


def test_a_rounded_table_has_further_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most bytes of values as computed that are on the disk beside the rounded ones."""
    monkeypatch.setattr(objectives, "FLOAT64_VALUES", 10)
    objective, kept = Objective(SMALL), []
    estimate = estimate_solve(objective, threads=1, shards=True)

    def count_bytes(_done: int, _total: int) -> None:
        files = [open_shard(path) for path in tmp_path.rglob("*.unrounded.npy")]
        kept.append(8 * sum(file.stop - file.start for file in files if file))

    solve_sharded(Settings(tmp_path, progress=count_bytes), objective)
    assert (estimate.dtype, estimate.bytes) == ("float32", 4 * estimate.values)
    layers = [objective.layer_slice(filled) for filled in range(objective.space.categories + 1)]
    largest = max(place.stop - place.start for place in layers)
    assert 8 * largest <= max(kept) <= estimate.disk - estimate.bytes <= 2 * 8 * largest


@pytest.mark.full
def test_terabytes_are_estimated_here() -> None:
    """All goals of Maxi Yatzy with saved rolls: counted from the cards, without a solve."""
    goals = Goals(load_rules("maxi"))
    found = estimate_solve(goals, threads=1, shards=True)
    assert 1.1e12 < found.bytes < solve_cost(goals).bytes
    assert found.states == 1_269_661_696
    assert found.memory < 1e9


def test_saved_rolls_are_one_turn() -> None:
    """All numbers of saved rolls share the passes of one turn, for goals as for means."""
    saved, unsaved = (Goals(load_rules(key)) for key in ("yatzy-saved", "yatzy"))
    measured = 1.6  # of entries with saved rolls: benchmarks/runs/2026-11-22-cost-model.md
    weights = [1.0, *(measured * (3 + 2 * k) / 3 for k in range(1, 16))]  # by filled categories
    entries = [entries for _states, entries in unsaved.layer_sizes()]
    ratio = np.dot(weights, entries) / sum(entries)
    assert solve_cost(saved).seconds == pytest.approx(ratio * solve_cost(unsaved).seconds)


def test_cards_that_are_too_many_are_still_counted() -> None:
    giant = load_rules("giant")
    refused("47 categories", solve_cost, Objective(giant), error=RulesError)
    found = rule_set_stats(giant, any_number=True)
    # Each set of filled upper boxes, with its sums up to the bonus, and any of the 41 other boxes.
    sums: list[set[int]] = [{0}]
    for face in range(1, 7):
        sums += [
            {min(189, total + face * dice) for total in some for dice in range(13)} for some in sums
        ]
    assert found.states == sum(map(len, sums)) << 41
