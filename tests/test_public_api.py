"""The public names: examples that run, documentation of every parameter and field, types for type checkers."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import pydoc
from pathlib import Path

import perfect_yatzy
import pytest
from perfect_yatzy.strategy.strategy import Strategy

DOCUMENTED_FUNCTIONS = ["open_strategy", "reach", "maximise", "distribution", "simulate", "solve"]
DOCUMENTED_RECORDS = [
    "BatchAnswer", "PositionSample", "TurnPosition", "ScoreDistribution", "Simulation", "Hold", "Choice",
    "SampledEvaluation", "Losses", "CardTurn",
]  # fmt: skip


@pytest.mark.parametrize("name", ["perfect_yatzy", "perfect_yatzy.frames"])
def test_examples_of_the_docstrings(name: str, yatzy: Strategy) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert (found.failed, found.attempted > 0) == (0, True)


def test_every_parameter_is_documented() -> None:
    for name in DOCUMENTED_FUNCTIONS:
        function = getattr(perfect_yatzy, name)
        text = inspect.getdoc(function) or ""
        parameters = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
        heads = [line.partition(" : ")[0] for line in parameters.splitlines() if not line.startswith(" ")]
        documented = {each.strip() for head in heads for each in head.split(",")}
        assert documented == set(inspect.signature(function).parameters), name
        assert "\nRaises\n------\n" in text, name


def test_every_public_method_and_every_field_is_documented() -> None:
    classes = [public for name in perfect_yatzy.__all__ if inspect.isclass(public := getattr(perfect_yatzy, name))]
    methods = [method for public in classes for method in inspect.getmembers(public, inspect.isfunction)]
    assert len(methods) > 50
    assert [name for name, method in methods if not name.startswith("_") and not inspect.getdoc(method)] == []
    records = [getattr(perfect_yatzy, name) for name in DOCUMENTED_RECORDS]
    fields = [(record, field.name) for record in records for field in dataclasses.fields(record)]
    assert [pair for pair in fields if f"\n{pair[1]} : " not in (inspect.getdoc(pair[0]) or "")] == []


def test_every_public_name_can_be_imported() -> None:
    for name in perfect_yatzy.__all__:
        assert getattr(perfect_yatzy, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = perfect_yatzy.nothing


def test_help_shows_the_functions() -> None:
    """Also before their first use: `help` goes through the lazy imports."""
    text = pydoc.plain(pydoc.render_doc(perfect_yatzy))
    assert [name for name in perfect_yatzy.__all__ if name not in text] == []
    assert "Number of games, at least 1" in pydoc.plain(pydoc.render_doc(perfect_yatzy.simulate))


def test_type_checkers_see_the_names_where_they_are() -> None:
    tree = ast.parse(Path(perfect_yatzy.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    nodes = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    found = {alias.asname or alias.name: node.module for node in nodes for alias in node.names}
    assert found == perfect_yatzy._MODULES
    assert sorted(perfect_yatzy.__all__) == sorted(found)
