"""The architecture: the order of imports, what a query may load, the size of modules; the public
names and their documentation.
"""

import ast
import dataclasses
import doctest
import importlib
import inspect
import pydoc
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import perfect_yatzy
import pytest
from perfect_yatzy import Strategy
from perfect_yatzy._sources import WITHOUT_KERNELS, imported_modules, sources

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "solver" / "perfect_yatzy"

# A module imports only from its own entry and those before it (`base`: the modules of BASE at the
# top of the package). `frames` and `rl` are public add-ons: they may import
# `approximation` and everything before it, and nothing imports them.
ORDER = [
    "base",
    "core",
    "game",
    "objectives",
    "tablebase",
    "strategy",
    "two_players",
    "approximation",
    "field",
    "policies",
    "prices",
    "play",
    "cluster",
    "service",
    "web",
    "cli",
]
BASE = {
    "errors",
    "settings",
    "words",
    "notebook",
    "_files",
    "_sources",
    "_kernel_cache",
    "_version",
}
ADD_ONS = {"frames", "rl"}
TEXTS = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
NAMES = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in TEXTS}
MODULES = {name.removesuffix(".__init__"): path for path, name in NAMES.items()}


# Imports of later packages that are still to be removed; none may be added.
KNOWN_VIOLATIONS: list[str] = []


def imports(name: str, path: Path, tree: ast.Module) -> set[str]:
    """Modules of the package that a module imports, also inside functions and for type checkers."""
    parents = (
        name.split(".")[:-1]
        if path.name != "__init__.py"
        else ([] if name == "__init__" else name.split("."))
    )
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parents[: len(parents) - (node.level - 1)]
            target = ".".join(base + (node.module.split(".") if node.module else []))
            for alias in node.names:
                inner = f"{target}.{alias.name}".lstrip(".")
                found.add(inner if inner in MODULES else target or "__init__")
    return found


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(TEXTS[path]) for name, path in MODULES.items()}


@pytest.fixture(scope="module")
def graph(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    return {name: imports(name, MODULES[name], tree) for name, tree in trees.items()}


def top(module: str) -> str:
    """The package or module at the top that a module belongs to."""
    return module.split(".")[0]


def entry(module: str) -> int:
    """Index of a module's package in ORDER."""
    if top(module) in ADD_ONS:
        return ORDER.index("approximation")
    return ORDER.index("base" if top(module) in BASE else top(module))


def test_modules_import_only_from_earlier_packages_and_never_in_a_cycle(
    graph: dict[str, set[str]],
) -> None:
    wrong = [
        f"{name} imports {other}"
        for name, others in graph.items()
        for other in others
        if name not in ("__init__", "__main__")
        and (
            other == "__init__"
            or entry(other) > entry(name)
            or (top(other) in ADD_ONS and top(name) != top(other))
        )
    ]
    assert sorted(wrong) == sorted(KNOWN_VIOLATIONS)
    assert sum(map(len, graph.values())) > len(graph)
    inner = {name: others for name, others in graph.items() if not name.startswith("__")}
    TopologicalSorter(inner).prepare()  # an error names the cycle


def test_folders_are_packages_in_order_and_modules_short_with_a_docstring(
    trees: dict[str, ast.Module],
) -> None:
    """None has the name of a public function: importing it would replace the function in the
    namespace.
    """
    assert set(map(top, MODULES)) - {"__init__", "__main__"} - BASE - ADD_ONS == set(ORDER) - {
        "base"
    }
    assert {path.parent for path in TEXTS} == {path.parent for path in PACKAGE.rglob("__init__.py")}
    assert not set(perfect_yatzy.__all__) & {path.stem for path in PACKAGE.iterdir()}
    assert [name for name, path in MODULES.items() if len(TEXTS[path].splitlines()) > 700] == []
    assert [name for name, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_the_core_is_in_its_room_and_short(graph: dict[str, set[str]]) -> None:
    core = [name for name in graph if top(name) == "core"]
    assert {"core.scoring", "core.turn", "core.backward_induction", "core.table_file"} <= set(core)
    assert sum(len(TEXTS[MODULES[name]].splitlines()) for name in core) <= 5_000


def modules_loaded_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('|'.join(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(out.stdout.splitlines()[-1].split("|"))


def test_neither_importing_the_package_nor_help_loads_numpy_or_numba() -> None:
    code = "import perfect_yatzy; dir(perfect_yatzy); perfect_yatzy.__all__"
    assert not {"numpy", "numba", "click", "dask"} & modules_loaded_by(code)
    code = "from perfect_yatzy.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit: pass"
    assert not {"numpy", "numba", "dask"} & modules_loaded_by(code)


def test_a_query_with_a_table_loads_no_numba(yatzy: object) -> None:
    code = "from perfect_yatzy.cli import main\ntry:\n    main(['hold', '33456'])\nexcept SystemExit: pass"
    seen = modules_loaded_by(code)
    assert {
        "numpy",
        "numba",
        "numpy.ma",
        "logging",
        "shutil",
        "tempfile",
        "importlib.resources",
    } & seen == {"numpy"}
    own = {
        name.removeprefix("perfect_yatzy.") for name in seen if name.startswith("perfect_yatzy.")
    }
    other_questions = {
        "approximation.fit",
        "approximation.relaxation",
        "approximation.solve",
        "play",
        "policies",
        "cluster",
        "web",
        "cli.progress",
        "cli.views.results",
        "approximation.relaxed_game",
        "core.turn_model",
        "service.reviews",
        "approximation.approximate_strategy",
        "strategy.distribution",
        "approximation.fitted_file",
        "strategy.forward_pass",
        "strategy.score_distribution",
        "strategy.score_strategy",
        "core.backward_induction",
        "tablebase.table_writer",
    }
    assert sorted(other_questions & own) == []
    others = "play.session", "service.reviews", "policies.computer_players", "frames"
    assert "numba" not in modules_loaded_by(
        "\n".join(f"import perfect_yatzy.{name}" for name in others)
    )
    assert len(own) <= 72


SCRIPTS = sorted(
    path for folder in ("benchmarks", "tables", ".ci") for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_scripts_import_names_that_exist(path: Path) -> None:
    """Those of benchmarks and tools, which no other test runs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perfect_yatzy"):
            module = importlib.import_module(str(node.module))
            for name in node.names:
                if not hasattr(module, name.name):
                    importlib.import_module(f"{node.module}.{name.name}")


def test_the_sources_of_a_kernel_are_all_that_its_module_imports(
    trees: dict[str, ast.Module],
) -> None:
    """Imports are found by their text; the syntax tree finds the same."""
    by_module = {}
    for name, path in MODULES.items():
        top_level = ast.Module([n for n in trees[name].body if isinstance(n, ast.ImportFrom)], [])
        by_module[path] = {MODULES[other] for other in imports(name, path, top_level)}
        assert set(imported_modules(path)) == {
            other
            for other in by_module[path]
            if other not in WITHOUT_KERNELS and other.name != "__init__.py"
        }, name
    turn = MODULES["core.turn"]
    assert {MODULES["core.legal"], MODULES["core.dice"], turn} <= sources(turn)
    assert MODULES["policies.hold_rules_kernel"] not in sources(turn)


@pytest.mark.parametrize(
    ("root", "parts"),
    {
        "core.backward_induction": "core.turn core.lattice",
        "objectives.policy_quantities": "core.turn objectives.policy_evaluation_kernel",
        "tablebase.exact_solve": "tablebase.exact_kernel core.backward_induction",
        "two_players.two_players": "two_players.leads_kernel strategy.forward_pass",
        "approximation.solve": "approximation.fit approximation.relaxation core.turn",
    }.items(),
)
def test_the_sources_of_unfinished_work_are_those_of_its_values(root: str, parts: str) -> None:
    """Also what is imported when it is needed; neither the entrances nor the words of answers."""
    found = sources(MODULES[root], in_functions=True)
    assert {MODULES[name] for name in parts.split()} <= found
    assert not {path for path in found if {"cli", "web", "service"} & {*path.parts}}


def test_a_function_by_kind_is_implemented_beside_it_or_beside_the_kind(
    trees: dict[str, ast.Module],
) -> None:
    """The kernel cache relies on it: a module that neither a kernel nor the kinds in its signature
    import cannot change it.
    """
    places = {
        node.name: name
        for name, tree in trees.items()
        for node in tree.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }
    by_kind = {
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("by_kind" in ast.unparse(mark) for mark in node.decorator_list)
    }
    found = 0
    for name, tree in trees.items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            function = ast.unparse(call.func.value).split(".")[-1]
            if call.func.attr == "of" and function in by_kind:
                kinds = [kind.id for kind in call.args if isinstance(kind, ast.Name)]
                assert name in {places.get(each) for each in (function, *kinds)}, ast.unparse(call)
                found += 1
    assert found > 40


DOCUMENTED_FUNCTIONS = ["open_strategy", "reach", "maximise", "distribution", "simulate", "solve"]
DOCUMENTED_RECORDS = [
    "BatchAnswer",
    "PositionSample",
    "TurnPosition",
    "ScoreDistribution",
    "Simulation",
    "Hold",
    "Choice",
    "SampledEvaluation",
    "Losses",
    "CardTurn",
]


@pytest.mark.parametrize("name", ["perfect_yatzy", "perfect_yatzy.frames"])
def test_examples_of_the_docstrings(name: str, yatzy: Strategy) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert (found.failed, found.attempted > 0) == (0, True)


def field_names(record: type) -> list[str]:
    """The fields of a dataclass or a named tuple."""
    if dataclasses.is_dataclass(record):
        return [field.name for field in dataclasses.fields(record)]
    return [*record._fields]  # type: ignore[attr-defined]


def test_every_parameter_public_method_and_field_is_documented() -> None:
    for name in DOCUMENTED_FUNCTIONS:
        function = getattr(perfect_yatzy, name)
        text = inspect.getdoc(function) or ""
        parameters = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        heads = [
            line.partition(" : ")[0] for line in parameters.splitlines() if not line.startswith(" ")
        ]
        documented = {each.strip() for head in heads for each in head.split(",")}
        assert documented == set(inspect.signature(function).parameters), name
        assert "\nRaises\n------\n" in text, name
    classes = [
        public
        for name in perfect_yatzy.__all__
        if inspect.isclass(public := getattr(perfect_yatzy, name))
    ]
    methods = [
        method for public in classes for method in inspect.getmembers(public, inspect.isfunction)
    ]
    assert len(methods) > 50
    assert [
        name for name, method in methods if not name.startswith("_") and not inspect.getdoc(method)
    ] == []
    records = [getattr(perfect_yatzy, name) for name in DOCUMENTED_RECORDS]
    fields = [(record, name) for record in records for name in field_names(record)]
    assert [
        pair for pair in fields if f"\n{pair[1]} : " not in (inspect.getdoc(pair[0]) or "")
    ] == []


def test_help_and_type_checkers_see_the_public_names() -> None:
    """Also before their first use: `help` goes through the lazy imports of all names."""
    text = pydoc.plain(pydoc.render_doc(perfect_yatzy))
    assert [name for name in perfect_yatzy.__all__ if name not in text] == []
    assert not hasattr(perfect_yatzy, "nothing")
    assert "Number of games, at least 1" in pydoc.plain(pydoc.render_doc(perfect_yatzy.simulate))
    tree = ast.parse(Path(perfect_yatzy.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    nodes = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    found = {alias.asname or alias.name: node.module for node in nodes for alias in node.names}
    assert found == perfect_yatzy._MODULES
    assert sorted(perfect_yatzy.__all__) == sorted(found)


# Modules that read files of the package or of the system, or files that they have just written,
# and what they do to them; all others are opened by `_files`.
OWN_READS = {
    "_files": {"open", "os.open"},
    "_sources": {"exists", "read_bytes", "read_text"},
    "cli.console": {"open", "os.open"},  # the null device
    "cli.views.wording": {"read_text"},
    "errors": {"read_text"},  # how this package was installed
    "cluster.engine": {"read_bytes"},
    "tablebase.machine": {"read_text"},
    "game.translations": {"read_text"},
    "policies.levels": {"read_text"},
    "policies.strategy_sheet": {"is_file", "read_bytes"},
    "strategy.verify": {"open"},
    "web.site.folder": {"read_bytes", "read_text"},
    "web.static_files": {"is_dir", "read_bytes", "read_text"},
    "words": {"read_text"},
}


def test_files_of_users_are_opened_in_one_way(trees: dict[str, ast.Module]) -> None:
    """Others may be pipes, devices or files without an end; and `Path.exists` raises an error for
    a folder that may not be searched.
    """
    found: dict[str, set[str]] = {}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            call = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            method = call.rpartition(".")[2]
            if call in ("open", "os.open"):
                found.setdefault(name, set()).add(call)
            elif method in ("exists", "is_dir", "is_file", "read_bytes", "read_text") and not (
                call.startswith("os.path.")
            ):
                found.setdefault(name, set()).add(method)
    assert found == OWN_READS
