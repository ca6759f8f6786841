"""Strategy sheets as JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import RuleSet, StateError, TableError, load_rules
from perfect_yatzy.policies.price_sheet import make_sheet, terms_of
from perfect_yatzy.policies.strategy_sheet import StrategySheet, find_sheet, packaged_sheet, sheet_path
from support.games import joker_game
from support.refusals import refused


def sheet_of(rules: RuleSet) -> StrategySheet:
    prices = make_sheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.1))
    return StrategySheet(rules, prices, (), {"perfect": 9.5, "worth": [1.0, 2.0]})


@pytest.mark.parametrize("spec", ["yatzy", "yahtzee", "maxi", "yacht", "yatzy-forced+threshold-63"])
def test_a_saved_sheet_is_read_back(spec: str, tmp_path: Path) -> None:
    sheet, path = sheet_of(load_rules(spec)), tmp_path / "folder" / "sheet.json"
    sheet.save(path)
    assert StrategySheet.load(path) == sheet


def test_a_sheet_of_rules_that_are_not_built_in_contains_them() -> None:
    sheet = sheet_of(joker_game("forced"))
    raw = json.loads(json.dumps(sheet.to_json()))
    assert StrategySheet.from_json(raw).rules.fingerprint == sheet.rules.fingerprint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "not a strategy sheet of format 1"),
        ({"rules": "nothing"}, "nothing"),
        ({"fingerprint": "abc"}, "for other rules than yatzy"),
        ({"prices": {"ones": 1}}, "prices is .*; must have a number for each of ones, twos"),
        ({"prices": [1]}, "prices is"),
        (
            {"bonus": {"lost": 1, "secured": 2}},
            "bonus is .*; must have a number for each of lost, secured, par_point",
        ),
        ({"bonus": {"lost": "1", "secured": 2, "par_point": 0}}, "lost is '1'; must be a number"),
        ({"bonus": {"lost": 1e300, "secured": 2, "par_point": 0}}, "must be a number up to"),
        ({"holds": "3333"}, "holds is '3333'; must be a list"),
        ({"holds": ["x"] * 300}, "at most 200"),
        ({"figures": []}, "figures is"),
        ({"figures": {"mean": True}}, "'mean' is true; must be a number"),
        ({"more": 1}, "'more' is not a field"),
        ({"shorter": [1]}, "shorter is .*; must have holds and figures"),
        ({"shorter": {"2": {"holds": ["pair: keep"], "figures": {}}}}, "shorter: '2' has 1 hold rules"),
    ],
)
def test_malformed_sheets_are_rejected(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps(sheet_of(load_rules("yatzy")).to_json() | change))
    with pytest.raises((StateError, ValueError), match=message):
        StrategySheet.load(path)


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff", b'{"format": NaN}', b"[" * 100_000])
def test_files_that_are_no_sheets_are_rejected(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    path.write_bytes(content)
    refused("not a strategy sheet", StrategySheet.load, path)


def test_a_file_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    refused("cannot read", StrategySheet.load, tmp_path / "missing.json", error=TableError)
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="cannot write"):
        sheet_of(load_rules("yatzy")).save(tmp_path / "file" / "sheet.json")


def test_a_sheet_next_to_the_tables_comes_first(tmp_path: Path) -> None:
    rules = load_rules("yatzy")
    sheet = sheet_of(rules)
    sheet.save(sheet_path(rules, tmp_path))
    assert find_sheet(rules, tmp_path) == sheet
    assert find_sheet(rules, tmp_path / "none") == packaged_sheet(rules)
    assert packaged_sheet(joker_game("free")) is None
