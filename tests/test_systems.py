"""Other systems, simulated here: what only some have is missing, other encodings, other vectors;
names of files.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.core.table_info import table_stem
from perfect_yatzy.game.rule_loader import builtin_ids
from support.seeds import drawn

ROOT = Path(__file__).resolve().parents[1]
OTHER_SYSTEM = ROOT / "tests" / "support" / "other_system"
# Tests of what needs locks (without them a solve begins anew after an interruption), of open files
# that are removed, of `preadv`, and one that limits its process.
NOT_THERE = (
    "interrupted_solve or second_driver or cannot_grow or while_it_is_open or disk_that_fails"
)
FILES = {
    "core": "backward_induction",
    "tablebase": "integrity sharded_solve",
    "play": "rating review session",
    "game": "limits notation points rules",
    "cli": "guide solve",
}


def python(*arguments: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Python on the other system, which writes CP1252."""
    path = os.pathsep.join(
        [str(OTHER_SYSTEM), str(ROOT / "solver"), os.environ.get("PYTHONPATH", "")]
    )
    env = (
        os.environ
        | {"PYTHONPATH": path, "PYTHONIOENCODING": "cp1252", "NO_COLOR": "1", "PYTEST_ADDOPTS": ""}
        | env
    )
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, env=env, check=False, cwd=ROOT
    )


def test_what_is_pretended_holds(tmp_path: Path) -> None:
    code = "import os, sys, perfect_yatzy._files as files; print(files.HAS_LOCKS); file = open(sys.argv[1], 'wb')"
    found = python("-c", f"{code}; os.unlink(sys.argv[1])", str(tmp_path / "file"))
    assert found.stdout == b"False\n"
    assert b"PermissionError" in found.stderr


@pytest.mark.full
@pytest.mark.parametrize("lang", ["sv", "de", "en"])
def test_the_command_solves_and_answers_in_another_encoding(lang: str, tmp_path: Path) -> None:
    for words in (
        ["solve", "crag"],
        ["solve", "crag", "--shards", "--force"],
        ["hold", "115", "--rules", "crag"],
    ):
        found = python("-m", "perfect_yatzy", *words, "--tables", str(tmp_path), YATZY_LANG=lang)
        assert found.returncode == 0, found.stderr.decode("cp1252")
        assert b"Traceback" not in found.stderr
    assert found.stdout.decode("cp1252").count("?")  # for the glyphs of dice
    assert ("å" if lang == "sv" else "1 1") in found.stdout.decode("cp1252")


@pytest.mark.parametrize("room", drawn(2, FILES))
def test_tests_pass_on_the_other_system(room: str) -> None:
    files = [f"tests/{room}/test_{name}.py" for name in FILES[room].split()]
    ran = python("-m", "pytest", "-p", "no:cacheprovider", *files, "-k", f"not ({NOT_THERE})")
    assert ran.returncode == 0, ran.stdout.decode("cp1252")


@pytest.mark.full
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of x86 processors")
@pytest.mark.parametrize("cpu", ["nehalem", "haswell", "skylake-avx512"])  # 128, 256 and 512 bits
def test_tables_are_the_same_bits_with_vectors_of_any_width(cpu: str, tmp_path: Path) -> None:
    if cpu == "skylake-avx512" and "avx512f" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("no such instructions")
    sums = json.loads((ROOT / "tables" / "checksums.json").read_text())
    for game in ("crag", "yatzy-forced", "yahtzee"):
        command = [sys.executable, "-m", "perfect_yatzy", "solve", game, "--tables", str(tmp_path)]
        subprocess.run(
            command, check=True, env=os.environ | {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""}
        )
        sidecar = tmp_path / f"{table_stem(load_rules(game), 'mean')}.json"
        assert json.loads(sidecar.read_text())["sha256"] == sums[game]["sha256"]


def test_names_of_files_are_those_that_every_system_takes() -> None:
    """No two names that differ in case alone, none that Windows reserves."""
    found = [
        file for folder in ("solver", "tables", "tests") for file in (ROOT / folder).rglob("*")
    ]
    names = [path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts]
    names += [f"{table_stem(load_rules(key), 'mean')}.npy" for key in builtin_ids()]
    assert [name for name, count in Counter(map(str.casefold, names)).items() if count > 1] == []
    reserved = r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*[<>:\"|?*\\]|.*[. ]"
    assert [
        name
        for name in names
        for part in name.split("/")
        if re.fullmatch(reserved, part.casefold())
    ] == []


@pytest.mark.full
def test_rules_in_a_folder_that_ignores_case(tmp_path: Path) -> None:
    """The name of a file, however it is written, leads to one table."""
    stems = set()
    for name in ("Mine.toml", "mine.toml"):
        (tmp_path / name).write_text('extends = "crag"\nname = "Mine"\n')
        stems.add(table_stem(load_rules(tmp_path / name), "mean"))
    assert stems == {stem.lower() for stem in stems}
    assert len(stems) == 1
