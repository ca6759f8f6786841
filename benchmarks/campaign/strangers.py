"""Every command, three calls of the library and the server on machines of all kinds: homes and
folders of other users, disks that are full or read-only, and something else in the place of a file.

Each case is a process of its own. It must end within SECONDS of processor time with an answer or
with an error of one line; one that waits for ever ends with the patience of the tests, so that other
work on the machine decides nothing. Root is refused nothing; its processes run without their
capabilities, and what is meant to belong to somebody else belongs to the user OTHER.
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
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from perfect_yatzy import load_rules
from perfect_yatzy._kernel_cache import cache_path
from perfect_yatzy.core.table_info import table_stem
from support.rule_files import TINY
from support.waiting import PATIENCE

from .tally import Tally

SECONDS = 60  # of processor time
WITH_LIMIT = ["prlimit", f"--cpu={SECONDS}"]
OTHER = 65534  # the user nobody
WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
LONG = "x" * 300  # longer than the name of a file may be
# What a folder may be: the home, and the folder of the tables. Each is made at a path.
Make = Callable[[Path], object]
# What a file may be. Each is made at a path, some with the right content, which is given.
MakeFile = Callable[[Path, bytes], object]
JUNK = b"x" * 100  # in the place of a content that nobody knows


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


def file_of_other(mode: int) -> MakeFile:
    """A file of another user, with the right content."""

    def make(path: Path, content: bytes) -> None:
        path.write_bytes(content)
        of_other(path, mode)

    return make


def without_a_right(path: Path, content: bytes) -> None:
    """A file with the right content that nobody may read."""
    path.write_bytes(content)
    path.chmod(0)


def huge(path: Path, _content: bytes) -> None:
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
FILES: dict[str, MakeFile] = {
    "empty": lambda path, _: path.write_bytes(b""),
    "of other content": lambda path, _: path.write_bytes(b"\0" * 4000),
    "cut": lambda path, content: path.write_bytes(content[: len(content) // 2]),
    "huge": huge,
    "a folder": lambda path, _: path.mkdir(),
    "a folder of another user": lambda path, _: folder_of_other(0o700)(path),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a device without an end": lambda path, _: path.symlink_to("/dev/zero"),
    "a device that is full": lambda path, _: path.symlink_to("/dev/full"),
    "a link to nothing": lambda path, _: path.symlink_to("nowhere"),
    "a link to itself": lambda path, _: path.symlink_to(path),
    "own, without a right": without_a_right,
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
        "rate {file} --prices",
        "play --record {file} --new --yes --players Ann",
    ],
    "game.json": ["play --save {file} --players Ann"],
    "rules.toml": ["hold 34 --rules {file}", "rules check {file}"],
    "sheet.json": [
        "evaluate {file} --rules {rules}",
        "guide {rules} --sheet {file}",
        "learn {rules} -o {file} --force",
    ],
    "values.npy": ["evaluate {file} --rules {rules} --opponent perfect"],
    "policy.py": ["evaluate {file}:policy --rules {rules} --games 5"],
    "out.csv": [
        "simulate {rules} -n 20 -o {file} --force",
        "simulate {rules} --positions 20 -o {file} --force",
    ],
    "guide.html": ["guide {rules} -o {file} --force"],
    "plot.svg": ["expect --rules {rules} --plot {file} --force"],
    "site": ["site {file} {rules} --force"],
}
COMMANDS = (
    "hold 34 --rules {rules}",
    "hold 34 --rules {rules} --goal 9",
    "hold 34 --rules {rules} --opponent 9",
    "score 34 --rules {rules}",
    "expect --rules {rules}",
    "expect --rules {rules} --best-opponent empty",
    "expect --rules {rules} --field 3",
    "odds --rules {rules}",
    "solve {rules}",
    "solve {rules} --estimate",
    "solve {rules} --shards",
    "solve {rules} --what goals",
    "solve {rules} --what variance",
    "solve {rules} --what bonus",
    "solve {rules} --what distribution",
    "solve {rules} --approximate --force",
    "table {rules}",
    "tables",
    "tables --clean",
    "tables --remove {rules} --yes",
    "tables --fetch {rules} --from {elsewhere}",
    "tables --verify {rules}",
    "solve {rules} --exact",
    "solve {rules} --two-players",
    "solve {rules} --two-players --store",
    "solve {rules} --field 3",
    "simulate {rules} -n 20",
    "evaluate perfect --rules {rules}",
    "evaluate level:2 --rules {rules} --opponent perfect",
    "guide {rules}",
    "guide {rules} --card",
    "learn {rules}",
    "puzzle --rules {rules}",
    "play {rules} --players Ann --new --yes",
    "rate",
    "review",
    "rules",
    "rules show {rules}",
    "rules schema",
    "mcp",
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
# The command that goes on until it is interrupted; here as soon as it has said its address.
SERVE = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
command = [sys.executable, "-m", "perfect_yatzy", "serve", "--port", "0"]
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
    for line in process.stderr:
        sys.stderr.write(line)
        if "http://" in line:
            process.send_signal(signal.SIGINT)
sys.exit(process.returncode)
"""
SCRIPTS = {
    **{name: CALL.replace("{call}", call) for name, call in LIBRARY.items()},
    "server": SERVER,
    "serve": SERVE,
}
# Everything that is asked: words of a command, or the name of a script.
QUESTIONS = (
    *COMMANDS,
    *(command for commands in OWN_FILES.values() for command in commands),
    *SCRIPTS,
)


@dataclass(frozen=True)
class Case:
    """A machine, and what is asked there."""

    name: str
    arguments: Sequence[str]  # of Python
    environment: Mapping[str, str]
    asked: str  # one of QUESTIONS


def arguments_of(asked: str, **named: str) -> list[str]:
    """The arguments of Python for a question about some rules and files."""
    if asked in SCRIPTS:
        return ["-c", SCRIPTS[asked].replace("{rules!r}", repr(named["rules"]))]
    return ["-m", "perfect_yatzy", *(word.format(**named) for word in asked.split())]


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


def remove(path: Path) -> bytes:
    """Remove what is at a path, if anything is; the content of a file."""
    content = JUNK
    if path.is_dir():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        content = path.read_bytes()
        path.unlink()
    return content


def own_file_of(asked: str) -> str:
    """The name of the file that a command of OWN_FILES uses; of any other question none."""
    return next((name for name, commands in OWN_FILES.items() if asked in commands), "")


@dataclass
class Machine:
    """What is odd at a random machine, which is a folder."""

    place: Path
    chosen: random.Random
    facts: list[str] = field(default_factory=list)

    def folder(self, name: str) -> Path:
        """A path that has something at it, or one that cannot be."""
        kind = self.chosen.choice([*FOLDERS, *PATHS])
        self.facts.append(f"{name} is {kind}")
        if kind in PATHS:
            return self.place / PATHS[kind]
        FOLDERS[kind](self.place / name)
        return self.place / name

    def file(self, path: Path) -> None:
        """Something in the place of a file."""
        kind = self.chosen.choice([*FILES])
        self.facts.append(f"{path.relative_to(self.place)} is {kind}")
        FILES[kind](path, remove(path))

    def store(self, solved: Path) -> Path:
        """A folder of tables, empty or with those that are solved."""
        tables = self.place / "tables"
        if self.chosen.random() < 0.5:
            shutil.copytree(solved, tables)
            self.facts.append("solved")
        else:
            tables.mkdir()
        return tables


def environment_of(home: Path, tables: Path | None, name: str = "YATZY_TABLES") -> dict[str, str]:
    """The environment of a process with a home, and with a variable that names its tables."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("YATZY_TABLES", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    }
    environment |= {"HOME": str(home), "NUMBA_CACHE_DIR": str(cache_path().parent)}
    environment |= {"YATZY_LANG": "en", "PYTHONDONTWRITEBYTECODE": "1"}
    return environment | ({name: str(tables)} if tables else {})


def make_case(
    folder: Path, number: int, asked: str, chosen: random.Random, rules: str, solved: Path
) -> Case:
    """A question on a random machine, with a folder of its own."""
    place = folder / f"case-{number}"
    place.mkdir()
    (place / "file").write_bytes(b"")
    for name in ("full", "small"):
        (place / name).symlink_to(folder / name)
    machine, own_file = Machine(place, chosen), own_file_of(asked)
    where = "own file" if own_file else chosen.choice(("tables", "home", "store", "store"))
    is_home_odd = where == "home" or chosen.random() < 0.2
    home = machine.folder("home") if is_home_odd else place / "home"
    if where == "home":
        environment = environment_of(home, None)
        tables = home
    elif where == "tables":
        tables = machine.folder("tables")
        variable = chosen.choice(("YATZY_TABLES", "YATZY_TABLES", "XDG_DATA_HOME"))
        environment = environment_of(home, tables, variable)
    else:
        tables = machine.store(solved)
        environment = environment_of(home, tables)
    if where == "store":
        for name in chosen.sample(store_files(rules), chosen.choice((1, 1, 2, 5))):
            machine.file(tables / name)
    elif where == "own file":
        machine.file(place / own_file)
    if is_home_odd and chosen.random() < 0.15:
        del environment["NUMBA_CACHE_DIR"]
        machine.facts.append("kernels too")
    named = {"rules": rules, "file": str(place / own_file)}
    named["elsewhere"] = chosen.choice((str(tables), str(solved)))
    arguments = arguments_of(asked, **named)
    said = asked if asked in SCRIPTS else " ".join(arguments[2:])
    name = f"{number}: {said[:200]}; {', '.join(machine.facts)}"
    return Case(name, arguments, environment, asked)


def repeated_refusals(said: Sequence[str]) -> list[str]:
    """The lines that say a fault once more. The folder of compiled kernels is a fault of its own."""
    refusals = [line for line in said if re.search("cannot (write|read|save|remove)", line)]
    of_kernels = [line for line in refusals if "compiled kernels" in line]
    of_files = [line for line in refusals if line not in of_kernels]
    return of_kernels[1:] + of_files[1:]


def run_case(case: Case, folder: Path) -> str:
    """What is wrong with the outcome of a case; nothing if all is right."""
    refused = WITHOUT_CAPABILITIES if os.geteuid() == 0 and shutil.which("setpriv") else []
    limited = WITH_LIMIT if shutil.which("prlimit") else []
    try:
        found = subprocess.run(
            [*limited, *refused, sys.executable, *case.arguments],
            input="",
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=dict(case.environment),
            cwd=folder,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired as late:
        return f"no end after {PATIENCE:.0f} s; {late.stderr!r}"
    said = found.stderr.splitlines()
    if "Traceback" in found.stderr or found.returncode not in (0, 1, 2, 130):
        return f"exit code {found.returncode}: {found.stderr[-1500:]}"
    # each mistake of a rule file has a line of its own
    start = "" if case.asked.startswith("rules check") else "yatzy: "
    if found.returncode and not (said and said[-1].startswith(start)):
        return f"exit code {found.returncode} without a line: {found.stdout[-300:]}"
    if repeated := repeated_refusals(said):
        return f"said once already: {json.dumps(repeated)}"
    return ""


def compile_kernels(cases: Sequence[Case], folder: Path, rules: str, solved: Path) -> None:
    """Ask everything once on a machine without faults: the cases then compile nothing."""
    named = {"rules": rules, "file": str(folder / "file"), "elsewhere": str(solved)}
    home = folder / "without faults"
    home.mkdir()
    environment = environment_of(home, home / "tables")
    for asked in dict.fromkeys(case.asked for case in cases):
        command = [sys.executable, *arguments_of(asked, **named)]
        subprocess.run(command, env=environment, input=b"", capture_output=True, check=False)


def try_machines(tally: Tally, folder: Path, count: int, chosen: random.Random) -> None:
    """Run so many cases, of all questions by turns, as many at a time as there are processors."""
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
        asked = islice(cycle(chosen.sample(QUESTIONS, len(QUESTIONS))), count)
        cases = [
            make_case(folder, number, question, chosen, rules, solved)
            for number, question in enumerate(asked)
        ]
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
