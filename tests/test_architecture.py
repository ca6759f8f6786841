"""The architecture: the order of imports, what a query may load, the size of modules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "solver" / "perfect_yatzy"

# A module imports only from its own entry and those before it (`base`: the modules of BASE at the top of the package).
# `frames` and `rl` are public add-ons: they may import `strategy` and everything before it, and nothing imports them.
ORDER = [
    "base",
    "game",
    "model",
    "kernels",
    "tablebase",
    "strategy",
    "approximation",
    "policies",
    "play",
    "cluster",
    "service",
    "web",
    "cli",
]
BASE = {"errors", "_files", "_messages", "_version"}
ADD_ONS = {"frames", "rl"}


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path) -> set[str]:
    """Modules of the package that a module imports, also inside functions and for type checkers."""
    tree = ast.parse(path.read_text())
    parents = name.split(".")[:-1] if path.name != "__init__.py" else ([] if name == "__init__" else name.split("."))
    known, found = modules(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parents[: len(parents) - (node.level - 1)]
            target = ".".join(base + (node.module.split(".") if node.module else []))
            for alias in node.names:
                inner = f"{target}.{alias.name}".lstrip(".")
                found.add(inner if inner in known else target or "__init__")
    return found


def top(module: str) -> str:
    """The package or module at the top that a module belongs to."""
    return module.split(".")[0]


def entry(module: str) -> int:
    """Index of a module's package in ORDER."""
    if top(module) in ADD_ONS:
        return ORDER.index("strategy")
    return ORDER.index("base" if top(module) in BASE else top(module))


def test_the_packages_are_those_of_the_import_order() -> None:
    tops = {name.split(".")[0] for name in modules()} - {"__init__", "__main__"} - BASE - ADD_ONS
    assert tops == set(ORDER) - {"base"}


def test_modules_import_only_from_earlier_packages() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules().items()
        for other in imports(name, path)
        if name not in ("__init__", "__main__")
        and (other == "__init__" or entry(other) > entry(name) or (top(other) in ADD_ONS and top(name) != top(other)))
    ]
    assert wrong == []


def test_there_is_no_import_cycle() -> None:
    graph = {name: imports(name, path) for name, path in modules().items() if not name.startswith("__")}

    def search(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for other in graph.get(name, ()):
                search(other, (*path, name))
            done.add(name)

    done: set[str] = set()
    for name in graph:
        search(name, ())


@pytest.mark.parametrize("name", sorted(modules()))
def test_modules_are_short_and_have_a_docstring(name: str) -> None:
    text = modules()[name].read_text()
    assert len(text.splitlines()) <= 450
    assert ast.get_docstring(ast.parse(text))


def modules_loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('|'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(out.stdout.splitlines()[-1].split("|"))


def test_importing_the_package_loads_neither_numpy_nor_numba() -> None:
    assert not {"numpy", "numba", "click", "dask"} & modules_loaded_by(
        "import perfect_yatzy; dir(perfect_yatzy); perfect_yatzy.__all__"
    )


def test_help_loads_neither_numpy_nor_numba() -> None:
    code = "from perfect_yatzy.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit: pass"
    assert not {"numpy", "numba", "dask"} & modules_loaded_by(code)


def test_a_query_with_a_table_loads_no_numba(yatzy: object) -> None:
    code = "from perfect_yatzy.cli import main\ntry:\n    main(['hold', '33456'])\nexcept SystemExit: pass"
    names = modules_loaded_by(code)
    assert "numpy" in names
    assert "numba" not in names


def test_every_public_name_can_be_imported() -> None:
    import perfect_yatzy

    for name in perfect_yatzy.__all__:
        assert getattr(perfect_yatzy, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = perfect_yatzy.nothing


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert folders == {path.parent for path in PACKAGE.rglob("__init__.py")}


def test_no_module_has_the_name_of_a_public_function() -> None:
    """Importing the module would replace the function in the namespace of the package."""
    import perfect_yatzy

    assert not set(perfect_yatzy.__all__) & {path.stem for path in PACKAGE.iterdir()}


def test_the_kernel_cache_depends_on_all_sources_of_the_kernels() -> None:
    """Modules with kernels, and those that define the named tuples in their signatures (Numba pickles them)."""
    from perfect_yatzy.kernels.jit import sources

    known = set(sources())
    for name, path in modules().items():
        text = path.read_text()
        if re.search(r"^@jit|\(NamedTuple\)", text, re.MULTILINE):
            assert path in known, name
