"""Every command, three calls of the library and the server on machines of all kinds: homes and
folders of other users, disks that are full or read-only, and something else in the place of a file.

Each case is a process of its own. It must end within SECONDS with an answer or with an error of one
line. Root is refused nothing; its processes run without their capabilities, and what is meant to
belong to somebody else belongs to the user OTHER.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from perfect_yatzy import load_rules
from perfect_yatzy._kernel_cache import cache_path
from perfect_yatzy.core.table_info import table_stem
from support.rule_files import TINY

from .tally import Tally

SECONDS = 60
OTHER = 65534  # the user nobody
WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
LONG = "x" * 300  # longer than the name of a file may be
# What a folder may be; each is made at a path. The home, and the folder of the tables.
Make = Callable[[Path], object]


def of_other(path: Path, mode: int) -> None:
    """Give a file or folder to another user, where that is allowed."""
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, OTHER, OTHER)


def folder_of_other(mode: int) -> Make:
    """A folder of another user."""

    def make(path: Path) -> None:
        path.mkdir()
        of_other(path, mode)

    return make


def file_of_other(mode: int) -> Make:
    """A file of another user."""

    def make(path: Path) -> None:
        path.write_bytes(b"x" * 100)
        of_other(path, mode)

    return make


def huge(path: Path) -> None:
    """A file without content that is larger than every memory."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


FOLDERS: dict[str, Make] = {
    "missing": lambda path: None,
    "empty": Path.mkdir,
    "of another user": folder_of_other(0o700),
    "of another user, to read": folder_of_other(0o755),
    "of another user, to search": folder_of_other(0o711),
    "of another user, sticky": folder_of_other(0o1777),
    "own, not to be searched": lambda path: path.mkdir(0o600),
    "own, not to be written": lambda path: path.mkdir(0o500),
    "own, without a right": lambda path: path.mkdir(0),
    "a file": lambda path: path.write_bytes(b""),
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/null"),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path),
    "on a read-only disk": lambda path: path.symlink_to("/proc"),
    "on a full disk": lambda path: path.symlink_to(path.parent / "full"),
    "on a small disk": lambda path: path.symlink_to(path.parent / "small"),
}
PATHS = {
    "the name is too long": LONG,
    "the path is too long": "x/" * 3000,
    "below a file": "file/x",
}
FILES: dict[str, Make] = {
    "empty": lambda path: path.write_bytes(b""),
    "of other content": lambda path: path.write_bytes(b"\0" * 4000),
    "huge": huge,
    "a folder": Path.mkdir,
    "a folder of another user": folder_of_other(0o700),
    "a pipe": os.mkfifo,
    "a device without an end": lambda path: path.symlink_to("/dev/zero"),
    "a device that is full": lambda path: path.symlink_to("/dev/full"),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path),
    "own, without a right": lambda path: (path.write_bytes(b"x"), path.chmod(0)),
    "of another user": file_of_other(0o600),
    "of another user, to read": file_of_other(0o644),
}
ENDINGS = {  # of the files of a game in the store, by the objective in their names
    "mean": (
        "npy json part part.json part.layer part.shards shards old.shards proof.json proof.lock "
        "proof.part spread.part versus.part"
    ),
    "goals": "npy json part part.shards",
    "bonus": "npy json part",
    "variance": "npy json part",
    "distribution": "json",
    "outlook": "json",
    "approximate-mean": "npz json",
    "versus": "json part shards part.shards",
}
# Files of other kinds, in the folder of the case, with the commands that use them.
OWN_FILES = {
    "games.jsonl": [
        "review {file}",
        "rate {file}",
        "play --record {file} --new --yes --players Ann",
    ],
    "game.json": ["play --save {file} --players Ann"],
    "rules.toml": ["hold 34 --rules {file}", "rules check {file}"],
    "sheet.json": ["evaluate {file} --rules {rules}", "guide {rules} --sheet {file}"],
    "values.npy": ["evaluate {file} --rules {rules}"],
    "policy.py": ["evaluate {file}:policy --rules {rules} --games 5"],
    "out.csv": [
        "simulate {rules} -n 20 -o {file} --force",
        "simulate {rules} --positions 20 -o {file} --force",
    ],
    "site": ["site {file} {rules} --force"],
}
COMMANDS = (
    "hold 34 --rules {rules}",
    "hold 34 --rules {rules} --goal 9",
    "score 34 --rules {rules}",
    "expect --rules {rules}",
    "odds --rules {rules}",
    "solve {rules}",
    "solve {rules} --shards",
    "solve {rules} --what goals",
    "solve {rules} --approximate --force",
    "table {rules}",
    "tables",
    "tables --clean",
    "tables --fetch {rules} --from {elsewhere}",
    "tables --verify {rules}",
    "solve {rules} --exact",
    "solve {rules} --two-players",
    "solve {rules} --two-players --store",
    "simulate {rules} -n 20",
    "evaluate perfect --rules {rules}",
    "guide {rules}",
    "learn {rules}",
    "puzzle --rules {rules}",
    "play {rules} --players Ann --new --yes",
    "rate",
    "review",
    "rules",
    "rules show {rules}",
    "--completion bash",
    "--version --verbose",
)
LIBRARY = {
    "open a strategy": "print(perfect_yatzy.open_strategy(RULES).value())",
    "distribution": "print(perfect_yatzy.distribution(RULES).mean)",
    "simulate": "print(perfect_yatzy.simulate(RULES, 20).mean)",
}
CALL = """
import sys, perfect_yatzy
RULES = {rules!r}
try:
    {call}
except perfect_yatzy.SolverError as error:
    sys.exit(f"yatzy: {{error}}")
"""
SERVER = """
import json, sys
from fastapi.testclient import TestClient
from perfect_yatzy.web.app import create_app
client = TestClient(create_app(), base_url="http://127.0.0.1", raise_server_exceptions=False)
found = [client.get("/api/rules"), client.post("/api/hold", json={"dice": "115", "rules": "crag"})]
found.append(client.post("/api/expect", json={"rules": "crag", "spread": True}))
for answer in found:
    if answer.status_code != 200 and "code" not in answer.json():
        sys.exit(f"plain {answer.status_code}: {answer.text}")
print("answered")
"""


@dataclass(frozen=True)
class Case:
    """A machine, and what is asked there."""

    name: str
    arguments: tuple[str, ...]  # of Python
    environment: Mapping[str, str]
    asked: str  # the command without its files, or the call


@contextmanager
def disks(folder: Path) -> Iterator[None]:
    """A full disk and a small one, where the system lets this process mount them; else folders."""
    mounted = []
    for name, size in (("full", "100k"), ("small", "200k")):
        place = folder / name
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", str(place)]
        if shutil.which("mount") and not subprocess.run(command, capture_output=True).returncode:
            mounted.append(place)
    with suppress(OSError), (folder / "full" / "fill").open("wb") as file:
        file.write(b"x" * (1 << 17))
    try:
        yield
    finally:
        for place in mounted:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def store_files(rules: str) -> list[str]:
    """The names of all files that the store may have for a game."""
    game, names = load_rules(rules), []
    for objective, endings in ENDINGS.items():
        names += [f"{table_stem(game, objective)}.{ending}" for ending in endings.split()]
    return [*names, f"{game.key}-{game.fingerprint[:12]}.sheet.json"]


def make_case(  # noqa: C901, PLR0912, PLR0915 (one draw after the other)
    folder: Path, number: int, chosen: random.Random, rules: str, solved: Path
) -> Case:
    """A random machine in a folder of its own."""
    place = folder / f"case-{number}"
    place.mkdir()
    (place / "file").write_bytes(b"")
    for name in ("full", "small"):
        (place / name).symlink_to(folder / name)
    home, tables = place / "home", place / "tables"
    facts: list[str] = []

    def make(kinds: Mapping[str, Make], path: Path) -> None:
        kind = chosen.choice([*kinds])
        kinds[kind](path)
        facts.append(f"{path.relative_to(place)} is {kind}")

    call, words = "", chosen.choice(COMMANDS)
    where = chosen.choice(("folder", "path", "home", "store", "store", "own file"))
    if where == "folder":
        make(FOLDERS, tables)
    elif where == "path":
        kind = chosen.choice([*PATHS])
        tables = place / PATHS[kind]
        facts.append(f"tables: {kind}")
    elif where == "home":
        make(FOLDERS, home)
    else:
        if chosen.random() < 0.5:
            shutil.copytree(solved, tables)
            facts.append("solved")
        else:
            tables.mkdir()
    if where == "store":
        for name in chosen.sample(store_files(rules), chosen.choice((1, 1, 2, 5))):
            path = tables / name
            if os.path.lexists(path):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            make(FILES, path)
    own_file = place / chosen.choice([*OWN_FILES])
    if where == "own file":
        make(FILES, own_file)
        words = chosen.choice(OWN_FILES[own_file.name])
    elif chosen.random() < 0.12:
        call = chosen.choice([*LIBRARY, "server"])
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("YATZY_TABLES", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    }
    environment |= {"HOME": str(home), "NUMBA_CACHE_DIR": str(cache_path().parent)}
    environment |= {"YATZY_LANG": "en", "PYTHONDONTWRITEBYTECODE": "1"}
    if where == "home":
        if chosen.random() < 0.15:
            del environment["NUMBA_CACHE_DIR"]
            facts.append("kernels too")
    elif chosen.random() < 0.3:
        environment["XDG_DATA_HOME"] = str(tables)
        if where != "folder" and where != "path":
            environment["YATZY_TABLES"] = str(tables)
    else:
        environment["YATZY_TABLES"] = str(tables)
    elsewhere = chosen.choice((str(tables), str(solved)))
    if call == "server":
        arguments: tuple[str, ...] = ("-c", SERVER)
    elif call:
        arguments = ("-c", CALL.format(rules=rules, call=LIBRARY[call]))
    else:
        named = {"rules": rules, "file": str(own_file), "elsewhere": elsewhere}
        arguments = ("-m", "perfect_yatzy", *(word.format(**named) for word in words.split()))
    asked = call or " ".join(arguments[2:])
    name = f"{number}: {asked[:200]}; {', '.join(facts)}"
    return Case(name, arguments, environment, call or words)


def run_case(case: Case, folder: Path) -> str:
    """What is wrong with the outcome of a case; nothing if all is right."""
    refused = WITHOUT_CAPABILITIES if os.geteuid() == 0 and shutil.which("setpriv") else []
    try:
        found = subprocess.run(
            [*refused, sys.executable, *case.arguments],
            input="",
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=dict(case.environment),
            cwd=folder,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        return f"no end after {SECONDS} s; {late.stderr!r}"
    said = found.stderr.splitlines()
    if "Traceback" in found.stderr or found.returncode not in (0, 1, 2, 130):
        return f"exit code {found.returncode}: {found.stderr[-1500:]}"
    # each mistake of a rule file has a line of its own
    start = "" if case.asked.startswith("rules check") else "yatzy: "
    if found.returncode and not (said and said[-1].startswith(start)):
        return f"exit code {found.returncode} without a line: {found.stdout[-300:]}"
    refusals = [line for line in said if re.search("cannot (write|read|save|remove)", line)]
    if len(refusals) > 1:
        return f"more than one line: {json.dumps(refusals)}"
    return ""


def compile_kernels(cases: Sequence[Case], folder: Path, rules: str, solved: Path) -> None:
    """Ask everything once on a machine without faults: the cases then compile nothing."""
    named = {"rules": rules, "file": str(folder / "file"), "elsewhere": str(solved)}
    home = folder / "without faults"
    home.mkdir()
    environment = os.environ | {"HOME": str(home), "YATZY_TABLES": str(home / "tables")}
    environment |= {"NUMBA_CACHE_DIR": str(cache_path().parent)}
    for asked in dict.fromkeys(case.asked for case in cases):
        command = ["-m", "perfect_yatzy", *(word.format(**named) for word in asked.split())]
        if asked in LIBRARY:
            command = ["-c", CALL.format(rules=rules, call=LIBRARY[asked])]
        elif asked == "server":
            command = ["-c", SERVER]
        subprocess.run(
            [sys.executable, *command], env=environment, input=b"", capture_output=True, check=False
        )


def try_machines(tally: Tally, folder: Path, count: int, chosen: random.Random) -> None:
    """Run so many cases, as many at a time as there are processors."""
    folder.chmod(0o755)
    game, solved = folder / "tiny.toml", folder / "solved"
    game.write_text(TINY, encoding="utf-8")
    rules = str(game)
    for words in (["solve", rules], ["hold", "34", "--rules", rules]):
        subprocess.run(
            [sys.executable, "-m", "perfect_yatzy", *words],
            env=os.environ | {"YATZY_TABLES": str(solved)},
            capture_output=True,
            check=True,
        )
    with disks(folder):
        cases = [make_case(folder, number, chosen, rules, solved) for number in range(count)]
        try:
            compile_kernels(cases, folder, rules, solved)
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                for case, wrong in zip(
                    cases, threads.map(partial(run_case, folder=folder), cases), strict=True
                ):
                    tally.cases += 1
                    tally.expect(case.name, not wrong, wrong)
        finally:
            for path in folder.glob("case-*/*"):  # so that all can be removed
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
