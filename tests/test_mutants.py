"""Planted bugs: each kind of change, what is left alone, the same ones for a seed, and a
campaign.
"""

import ast
import json
import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from support.command import ROOT
from support.need import need, need_program

pytestmark = pytest.mark.full
for module in ("tree_sitter", "tree_sitter_javascript", "tree_sitter_python"):
    need(module)

from benchmarks.mutants import checkout as checkouts
from benchmarks.mutants import nearest_tests
from benchmarks.mutants.__main__ import run
from benchmarks.mutants.campaign import Plan, steps
from benchmarks.mutants.changes import JAVASCRIPT, PYTHON, changes_of, choose, sources
from benchmarks.mutants.checkout import Checkout, Stopped
from benchmarks.mutants.kinds import KINDS

KINDS_OF_CHANGES = [
    ("py", "another comparison", "a < b", ["a <= b", "a > b"]),
    ("py", "another comparison", "a not in b", ["a in b"]),
    ("js", "another comparison", "a === b;", ["a !== b;"]),
    ("py", "and for or", "a and b", ["a or b"]),
    ("js", "and for or", "a || b;", ["a && b;"]),
    ("py", "no not", "not a", ["a"]),
    ("js", "no not", "!a;", ["a;"]),
    ("py", "another sign", "a + -b", ["a + b", "a - -b"]),
    ("py", "another sign", "'a' + b", []),
    ("js", "another sign", "a -= b;", ["a += b;"]),
    ("js", "another sign", "for (;;i++) n--;", ["for (;;i++) n++;"]),
    ("py", "another constant", "a = 0", ["a = 1"]),
    ("py", "another constant", "a = 1_000", ["a = 1001", "a = 999"]),
    ("py", "another constant", "a = 0.5, True", ["a = 0.5, False", "a = 1.0, True"]),
    ("js", "another constant", "a = 0x10;", ["a = 15;", "a = 17;"]),
    ("js", "another constant", "a = `${7}`;", ["a = `${6}`;", "a = `${8}`;"]),
    (
        "py",
        "another default",
        "def f(a: int = 2): b = 3",
        ["def f(a: int = 1): b = 3", "def f(a: int = 3): b = 3"],
    ),
    ("py", "another default", "class A:\n b: bool = True", ["class A:\n b: bool = False"]),
    ("py", "another default", "f(default=0, other=0)", ["f(default=1, other=0)"]),
    ("js", "another default", "f = ({ a = true }) => 1;", ["f = ({ a = false }) => 1;"]),
    ("py", "off by one", "range(a, b)", ["range(a, b + 1)"]),
    ("py", "off by one", "a[b:]", ["a[b + 1:]"]),
    ("py", "off by one", "len(a)", ["(len(a) - 1)"]),
    ("js", "off by one", "a.length;", ["(a.length - 1);"]),
    ("js", "off by one", "a.length = b;", []),
    ("js", "off by one", "a.slice(0, b);", ["a.slice(0, b + 1);"]),
    ("py", "swapped arguments", "f(a, b, 'c')", ["f(b, a, 'c')"]),
    ("js", "swapped arguments", "new A(b, 1);", ["new A(1, b);"]),
    ("py", "missing call", "f(a)", ["pass"]),
    ("py", "missing call", "a = max(b + c, d)", ["a = (b + c)"]),
    ("py", "missing call", "a = b.strip()", ["a = b"]),
    ("js", "missing call", "await f(a);", [";"]),
    ("js", "missing call", "a = Math.floor(b);", ["a = (b);"]),
    ("py", "missing key", "a = {'b': c, 'd': e}", ["a = { 'd': e}", "a = {'b': c}"]),
    ("py", "missing key", "a = f(b, c=d)", ["a = f(b)"]),
    ("js", "missing key", "a = { b, c: d };", ["a = {  c: d };", "a = { b };"]),
]


def changed(suffix: str, source: str, kind: str) -> list[str]:
    """The changed sources of one kind."""
    found = changes_of(f"a.{suffix}", source.encode())
    return [change.changed.decode() for change in found if change.kind == kind]


@pytest.mark.parametrize(("suffix", "kind", "source", "expected"), KINDS_OF_CHANGES)
def test_each_kind_of_change(suffix: str, kind: str, source: str, expected: list[str]) -> None:
    assert sorted(changed(suffix, source, kind)) == expected


def test_every_kind_is_tested() -> None:
    assert {kind for _, kind, _, _ in KINDS_OF_CHANGES} == set(KINDS)


LEFT_ALONE = [
    ("py", "# a < 1"),
    ("py", '"""a < 1"""'),
    ("py", "def f(a: Literal[1], b: X[2]) -> Y[3]: a"),
    ("py", "__all__ = [f(1, 2)]"),
    ("py", "if TYPE_CHECKING:\n    a = 1"),
    ("py", "@overload\ndef f(a: bool = True): ..."),
    ("py", "@lru_cache(maxsize=8)\ndef f(): a"),
    ("py", "raise _('{n} dice', n=1)"),
    ("py", "logging.getLogger(a).warning(b, 1)"),
    ("js", "a = _('{n} dice', { n: 1 });"),
    ("js", "a = svg('line', { x: 1 });"),
    ("js", "pen.fillText(a, 1);"),
    ("js", "a = { class: b + c };"),
    ("js", "// a < 1"),
]


@pytest.mark.parametrize(("suffix", "source"), LEFT_ALONE)
def test_what_is_left_alone(suffix: str, source: str) -> None:
    assert changes_of(f"a.{suffix}", source.encode()) == []


def test_a_call_with_words_is_not_removed() -> None:
    assert changed("py", "echo(_('Hello'), 1)", "missing call") == []
    assert changed("py", "echo(a, text=_('Hello'))", "missing key") == []


def test_the_number_of_lines_stays() -> None:
    assert changed("py", "f(\n  a,\n)\nb", "missing call") == ["pass\n\n\nb"]


def docstrings_and_annotations(source: bytes) -> list[str]:
    """As Python's own parser finds them."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            found.append(ast.get_docstring(node) or "")
        for name in ("annotation", "returns"):
            if annotation := getattr(node, name, None):
                found.append(ast.unparse(annotation))
    return found


def test_changes_of_the_package_keep_docstrings_annotations_and_lines() -> None:
    files = {path: source for path, source in sources(ROOT, PYTHON).items() if "/game/" in path}
    found = choose(files, 200, "1")
    assert len(found) == 200
    assert {change.kind for change in found} == set(KINDS)
    for change in found:
        assert change.changed != change.source
        assert change.changed.count(b"\n") == change.source.count(b"\n")
        before = docstrings_and_annotations(change.source)
        assert docstrings_and_annotations(change.changed) == before, change


def test_node_can_load_changed_modules(tmp_path: Path) -> None:
    node = need_program("node", "nodejs")
    for number, change in enumerate(choose(sources(ROOT, JAVASCRIPT), 20, "1")):
        path = tmp_path / f"{number}.mjs"
        path.write_bytes(change.changed)
        subprocess.run([node, "--check", str(path)], check=True)


def test_a_seed_chooses_the_same_changes_at_different_places() -> None:
    files = {"a.py": b"\n".join(b"a%d = b < %d + c" % (n, n) for n in range(40))}
    found = choose(files, 30, "7")
    assert found == choose(files, 30, "7")
    assert found != choose(files, 30, "8")
    assert len({change.start for change in found}) == 30
    assert len(choose(files, 1000, "7")) == 120  # every place once


def test_the_nearest_tests_come_first() -> None:
    path = "solver/perfect_yatzy/web/static/engine/card.js"
    found = [step.tests for step in steps(path, Plan(seed=1, count=1, javascript=1))]
    assert found == [nearest_tests.NEAREST["web/static/engine"], ("tests",)]


def test_files_are_collected_in_the_order_of_the_command_line() -> None:
    given = [f"tests/game/test_{name}.py" for name in ("notation", "points", "limits")]
    command = [sys.executable, "-m", "pytest", "--collect-only", "--as-given", *given]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert list(dict.fromkeys(re.findall(r"^tests/\w+/\w+\.py", found, re.MULTILINE))) == given


# --- a small project ---

PROJECT = {
    "solver/perfect_yatzy/__init__.py": "",
    "solver/perfect_yatzy/game/__init__.py": "",
    "solver/perfect_yatzy/game/points.py": """
def is_less(a, b):
    return a < b

def is_more(a, b):
    return a > b
""",
    "solver/perfect_yatzy/web/static/page.js": "export const isShown = (a) => !a;\n",
    "tests/conftest.py": """
import pytest

def pytest_addoption(parser):
    parser.addoption("--ring", type=int)
    parser.addoption("--seed", type=int)
    parser.addoption("--as-given", action="store_true")
""",
    "tests/game/test_points.py": """
from perfect_yatzy.game.points import is_less, is_more

def test_broken():
    assert False

def test_less():
    assert [is_less(1, 2), is_less(2, 1), is_less(1, 1)] == [True, False, False]

def test_more(request):
    if request.config.getoption("ring") == 2:
        assert [is_more(1, 2), is_more(2, 1), is_more(1, 1)] == [False, True, False]
""",
}
POINTS = "solver/perfect_yatzy/game/points.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with little in it."""
    root = tmp_path / "project"
    for name, text in PROJECT.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    nearest = {"game": ("tests/game",), ".": ("tests/game",)}
    monkeypatch.setattr(nearest_tests, "NEAREST", nearest)
    monkeypatch.setattr(checkouts, "NEAREST", nearest)
    return root


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def copy_of(project: Path, folder: Path, patience: float = 600.0) -> Checkout:
    folder.mkdir()
    return Checkout(project, folder, patience, threading.Event())


def test_files_that_name_the_module_come_first_then_those_that_take_least(
    project: Path, tmp_path: Path
) -> None:
    seconds = {"game/test_a.py": 9.0, "game/test_b.py": 3.0, "core/test_d.py": 1.0}
    (project / "tests" / "times.json").write_text(json.dumps({"1": seconds}))
    (project / "tests" / "core").mkdir()
    for name, text in (("game/test_a", "#"), ("game/test_b", "#"), ("core/test_d", "# points()")):
        (project / "tests" / f"{name}.py").write_text(text)
    copy = copy_of(project, tmp_path / "copy")
    found = copy.test_files(("tests/game/test_[bp]*.py", "tests"), POINTS, 1)
    names = ["game/test_points", "core/test_d", "game/test_b", "game/test_a"]
    assert found == [f"tests/{name}.py" for name in names]


def test_a_planted_change_is_removed_also_after_an_error(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path / "copy")
    path = copy.path / POINTS
    before, times = path.read_bytes(), path.stat().st_mtime_ns
    for change in changes_of(POINTS, before):
        with suppress(KeyboardInterrupt), copy.with_change(change):
            assert path.read_bytes() == change.changed
            assert path.stat().st_mtime_ns != times
            raise KeyboardInterrupt
    assert files_in(copy.path) == files_in(project)
    assert path.stat().st_mtime_ns == times


@pytest.mark.parametrize("ring", [1, 2])
def test_a_campaign_reports_survivors(
    ring: int, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_in(project)
    run(project, Plan(seed=1, count=3, javascript=1, ring=ring, workers=2))
    said = capsys.readouterr().out
    assert files_in(project) == before
    assert f". {POINTS}:3," not in said
    assert (f". {POINTS}:6," in said) == (ring == 1)
    assert "Survived: 3. solver/perfect_yatzy/web/static/page.js:1, no not\n" in said
    assert "-export const isShown = (a) => !a;\n" in said
    assert "+export const isShown = (a) => a;\n" in said
    rows = {1: ["| Python | 1 | 2 | 1 | 0 | 1 |"], 2: ["| Python | 2 | 1 | 1 | 0 | 0 |"]}
    for row in (*rows[1], *rows[ring], f"| JavaScript | {ring} | 1 | 0 | 0 | 1 |"):
        assert row in said.splitlines()
    assert f"- ring {ring}: tests/game/test_points.py::test_broken" in said.splitlines()


def test_a_test_without_an_end_is_ended(project: Path, tmp_path: Path) -> None:
    endless = project / "tests" / "game" / "test_endless.py"
    endless.write_text("def test_endless():\n    while True: pass\n")
    copy = copy_of(project, tmp_path / "copy", patience=3)
    found = copy.run_tests("tests/game/test_endless.py")
    assert found.is_out_of_time
    assert not found.has_passed


def test_a_campaign_that_ends_early_ends_its_tests(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path / "copy")
    copy.stop.set()
    with pytest.raises(Stopped):
        copy.run_tests("tests/game")


def test_tests_that_cannot_be_loaded_are_no_proof(project: Path, tmp_path: Path) -> None:
    (project / "tests" / "game" / "test_wrong.py").write_text("import nothing_of_this_name\n")
    copy = copy_of(project, tmp_path / "copy")
    with pytest.raises(RuntimeError, match="nothing_of_this_name"):
        copy.check("--ring", "1")
    project.joinpath("tests", "game").rename(project / "tests" / "other")
    moved = copy_of(project, tmp_path / "moved")
    with pytest.raises(RuntimeError, match="tests/game"):
        moved.check("--ring", "1")
