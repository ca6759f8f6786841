"""The public names: examples that run, documentation of every parameter and field, types for type checkers."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import pydoc
from pathlib import Path

import perfect_yatzy
import perfect_yatzy.frames
import pytest
from perfect_yatzy.strategy.strategy import Strategy

PUBLIC = {name: getattr(perfect_yatzy, name) for name in perfect_yatzy.__all__}
METHODS = {
    f"{name}.{method}": function
    for name, public in PUBLIC.items()
    if inspect.isclass(public)
    for method, function in inspect.getmembers(public, inspect.isfunction)
    if not method.startswith("_")
}
FUNCTIONS = {name: public for name, public in PUBLIC.items() if inspect.isfunction(public)}
RECORDS = {name: public for name, public in PUBLIC.items() if dataclasses.is_dataclass(public)}


@pytest.mark.parametrize("module", [perfect_yatzy, perfect_yatzy.frames])
def test_examples_of_the_docstrings(module: object, yatzy: Strategy) -> None:
    failed, attempted = doctest.testmod(module)  # type: ignore[arg-type]
    assert attempted > 0
    assert failed == 0


@pytest.mark.parametrize("name", ["open_strategy", "reach", "maximise", "distribution", "simulate", "solve"])
def test_every_parameter_is_documented(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    parameters = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    documented = {
        entry.strip()
        for line in parameters.splitlines()
        if not line.startswith(" ")
        for entry in line.partition(" : ")[0].split(",")
    }
    assert documented == set(inspect.signature(FUNCTIONS[name]).parameters)
    assert "\nRaises\n------\n" in text


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_public_method_is_documented(name: str) -> None:
    assert inspect.getdoc(METHODS[name])


@pytest.mark.parametrize(
    "name", ["BatchAnswer", "PositionSample", "TurnPosition", "ScoreDistribution", "Simulation", "Hold", "Choice"]
)
def test_every_field_is_documented(name: str) -> None:
    text = inspect.getdoc(RECORDS[name]) or ""
    for field in dataclasses.fields(RECORDS[name]):
        assert f"\n{field.name} : " in text, field.name


def test_help_shows_the_functions() -> None:
    """Also before their first use: `help` goes through the lazy imports."""
    text = pydoc.plain(pydoc.render_doc(perfect_yatzy))
    for name in perfect_yatzy.__all__:
        assert name in text
    assert "Number of games, at least 1" in pydoc.plain(pydoc.render_doc(perfect_yatzy.simulate))


def test_type_checkers_see_the_names_where_they_are() -> None:
    """The imports for type checkers and the lazy imports name the same modules."""
    tree = ast.parse(Path(perfect_yatzy.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    found = {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert found == perfect_yatzy._MODULES
    assert sorted(perfect_yatzy.__all__) == sorted(found)
