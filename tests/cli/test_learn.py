"""`yatzy learn`, for a small game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.strategy_sheet import StrategySheet, sheet_path
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support.command import Run, refusal

GAME = """
id = "tiny"
name = "Tiny"
dice = 2
faces = 4
rolls = 2
bonus = { threshold = 6, points = 5 }
categories = [
  { id = "threes", name = "Threes", upper = true, pattern = "face", face = 3 },
  { id = "fours", name = "Fours", upper = true, pattern = "face", face = 4 },
  { id = "chance", name = "Chance", pattern = "any" },
]
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(GAME)
    return path


def test_learn_writes_a_sheet_whose_mean_is_exact(run: Run, rules: Path, tmp_path: Path) -> None:
    out = run("learn", str(rules), "--tables", str(tmp_path))
    assert out.returncode == 0
    assert "fitting prices for tiny" in out.stderr
    path = sheet_path(load_rules(rules), tmp_path)
    sheet = StrategySheet.load(path)
    exact = policy_mean(GreedyPolicy(sheet.rules, sheet.prices.values()))
    assert abs(sheet.figures["prices_mean"] - exact) < 5e-5
    assert sheet.figures["prices_mean"] <= sheet.figures["perfect"]
    lines = out.stdout.splitlines()
    assert lines[0] == f"Tiny: mean {exact:.2f} with 6 numbers"
    assert lines[-1] == f"Wrote {path}"
    assert max(map(len, lines[:-1])) <= 80
    again = refusal(run, "learn", str(rules), "--tables", str(tmp_path))
    assert "exists; use --force to replace it" in again


def test_learn_prints_the_sheet_as_json(run: Run, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    answer = json.loads(run("learn", str(rules), "-o", str(path), "--json", "--threads", "1").stdout)
    assert answer == json.loads(path.read_text()) | {"file": str(path)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-o sheet.txt", "must end in .json"),
        ("-o nowhere/none/sheet.json --seed -1", "--seed"),
        ("--tables {rules}", "is a file"),
    ],
)
def test_wrong_options_are_rejected_before_anything_is_learned(
    run: Run, rules: Path, options: str, message: str
) -> None:
    refused = refusal(run, "learn", str(rules), *options.format(rules=rules).split())
    assert message in refused
    assert "fitting" not in refused


@pytest.mark.full
def test_learn_finds_rules_for_the_holds(run: Run, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "tiny.json"
    out = run("learn", str(rules), "--hold-rules", "2", "-o", str(path), "--tables", str(tmp_path))
    assert out.returncode == 0
    sheet = StrategySheet.load(path)
    assert 1 <= len(sheet.holds) <= 2
    assert len(sheet.figures["worth"]) == len(sheet.holds)
    exact = policy_mean(HoldRulePolicy(sheet.holds, sheet.prices))
    assert abs(sheet.figures["mean"] - exact) < 5e-5
    assert f"rules for the holds and nothing computed: mean {exact:.2f}" in out.stdout
