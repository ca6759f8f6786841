"""The rooms and their doors: who may import whom, what a query may load, how big a module may grow."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "solver"

# A module imports only modules above it.
ORDER = [
    "__init__", "errors", "rules", "rulecheck", "rulefile", "languages", "scoring", "dice", "states", "notation",
    "turn", "facts", "objectives", "payouts", "_jit", "vectors", "unrolled", "kernels", "score_kernels",
    "follow_kernels", "tables", "windows", "backward", "store", "evaluate", "odds", "batch", "advice", "aims", "forward",
    "opponents", "whatif", "record", "replay", "review", "session", "puzzle", "game_kernels", "simulator", "frames", "rl", "verify", "aiming", "queries", "simulation", "views", "views.charts", "views.text",
    "views.games", "views.review", "views.table", "views.puzzle", "views.sheets", "views.guide", "web", "web.models", "web.guard", "web.office", "web.app", "console", "commands", "commands.ask", "commands.learn", "commands.make", "commands.play", "commands.rules", "commands.serve",
    "cli", "__main__",
]  # fmt: skip
# Their figures are drawn from below them at run time, or for the type checker only.
LATE = {("tables", "__init__"), ("batch", "advice"), ("advice", "batch")}


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path) -> set[str]:
    """Modules of the package that a module names in its imports, those for the type checker left out."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    parents = name.split(".")[:-1] if path.name != "__init__.py" else ([] if name == "__init__" else name.split("."))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parents[: len(parents) - (node.level - 1)]
            target = ".".join(base + (node.module.split(".") if node.module else []))
            if target:
                found.add(target)
            else:
                found |= {
                    alias.name if (PACKAGE / f"{alias.name}.py").exists() else "__init__" for alias in node.names
                }
    return found


def test_every_module_is_in_the_order() -> None:
    assert sorted(modules()) == sorted(ORDER)


def test_imports_go_one_way() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules().items()
        for other in imports(name, path)
        if name != "__init__" and (name, other) not in LATE and ORDER.index(other) >= ORDER.index(name)
    ]
    assert wrong == []


def test_the_table_of_the_readme_is_in_that_order() -> None:
    readme = (PACKAGE.parent / "README.md").read_text()
    rooms = readme.partition("| room |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]*`) \|", rooms, re.MULTILINE)
    place = {name: i for i, row in enumerate(rows) for name in re.findall(r"`(\w+)/?`", row)}
    named = {name: path for name, path in modules().items() if not name.startswith("__")}
    assert {name.split(".")[0] for name in named} == set(place) - {"names"}
    wrong = [
        f"{name} imports {other}"
        for name, path in named.items()
        for other in imports(name, path) - {"__init__"}
        if (name, other) not in LATE and place[other.split(".")[0]] > place[name.split(".")[0]]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(modules()))
def test_modules_stay_small_and_say_what_they_are(name: str) -> None:
    text = modules()[name].read_text()
    assert len(text.splitlines()) <= 450
    assert ast.get_docstring(ast.parse(text))


def loaded(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('|'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(out.stdout.splitlines()[-1].split("|"))


def test_importing_the_package_loads_neither_numpy_nor_numba() -> None:
    assert not {"numpy", "numba", "click"} & loaded("import solver; dir(solver); solver.__all__")


def test_help_loads_neither_numpy_nor_numba() -> None:
    code = "from solver.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit: pass"
    assert not {"numpy", "numba"} & loaded(code)


def test_a_query_with_a_table_loads_no_numba(yatzy: object) -> None:
    code = "from solver.cli import main\ntry:\n    main(['hold', '33456'])\nexcept SystemExit: pass"
    names = loaded(code)
    assert "numpy" in names
    assert "numba" not in names


def test_public_names_are_all_there() -> None:
    import solver

    for name in solver.__all__:
        assert getattr(solver, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = solver.nothing


def test_an_installed_package_holds_every_module() -> None:
    import tomllib

    setup = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in PACKAGE.rglob("__init__.py")}
    assert set(setup) == folders


def test_public_names_are_no_modules() -> None:
    """A module of the same name would take the place of the function once anything imports it."""
    import solver

    assert not set(solver.__all__) & {path.stem for path in PACKAGE.iterdir()}


def test_the_cache_of_kernels_knows_every_source_of_theirs() -> None:
    """Kernels, what they import, and the modules of the named tuples in their signatures (they are pickled)."""
    from solver._jit import SOURCES

    for name, path in modules().items():
        text = path.read_text()
        if "@jit" in text or "(NamedTuple)" in text:
            assert name in SOURCES, name
