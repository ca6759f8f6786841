"""`yatzy evaluate`: policies by name, from files, and programs; `yatzy learn`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.strategy_sheet import PriceSheet, StrategySheet, sheet_path
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support.command import Run, printed, refusal
from support.rule_files import TINY

Evaluated = Callable[..., dict[str, Any]]  # the answer for the forced order, as JSON
LATE = "twos=6 threes=9 fours=12 one-pair=10 two-pairs=18 three-of-a-kind=12 yatzy=0"
BOT = """
import numpy as np
def first(turn):
    return turn.allowed.argmax(axis=1)[:, None], np.full((turn.n_rerolls, 1, 1), turn.no_dice)
"""


@pytest.fixture
def evaluated(run: Run) -> Evaluated:
    return lambda *args: json.loads(printed(run, "evaluate", *args, "--rules", "yatzy-forced", "--json"))


def test_the_text_says_where_points_are_lost(run: Run) -> None:
    text = run("evaluate", "most-points", "--card", LATE).stdout
    answer = json.loads(printed(run, "evaluate", "most-points", "--card", LATE, "--json"))
    assert answer["loss"] > 1
    losses = answer["losses"]
    assert f"{answer['loss']:.2f} points a game less" in text
    assert sum(losses["turns"]) == pytest.approx(answer["loss"], abs=1e-9)
    assert sum(losses["holds"].values()) + losses["category"] == pytest.approx(answer["loss"], abs=1e-9)
    assert max(map(len, text.splitlines())) <= 80


def test_a_policy_against_another(run: Run, evaluated: Evaluated) -> None:
    """By the pairs of cards, a computation of its own, it is the same chance."""
    found = evaluated("most-points", "--against", "perfect")["against"]
    assert (found["policy"], found["ties"]) == ("perfect", "half")
    both = json.loads(printed(run, "versus", "yatzy-forced", "--policy", "most-points", "-p", "perfect", "--json"))
    assert found["chance"] == pytest.approx(both["first"][1][2], abs=2e-6)
    text = run("evaluate", "goal:250", "--against", "goal:250", "--card", LATE).stdout
    assert "Against goal:250: 50.00 % chance to win (a tie is half)" in text


def test_policies_from_files(evaluated: Evaluated, tmp_path: Path) -> None:
    rules = perfect_yatzy.load_rules("yatzy-forced")
    np.save(tmp_path / "guess.npy", np.zeros(state_space(rules).size))
    (tmp_path / "bot.py").write_text(BOT)
    by_name = evaluated("most-points")["mean"]
    assert evaluated(str(tmp_path / "guess.npy"))["mean"] == by_name
    assert 0 < evaluated(f"{tmp_path / 'bot.py'}:first")["mean"] < by_name


def test_every_policy_begins_at_the_card(evaluated: Evaluated, forced: Strategy, tmp_path: Path) -> None:
    """Policies of each kind, by name and from a file: all have the same game before them."""
    rules, card = forced.rules, "ones=3 twos=6 threes=9 fours=0"
    (tmp_path / "bot.py").write_text(BOT)
    StrategySheet(rules, PriceSheet(rules, (3.0,) * 15)).save(tmp_path / "sheet.json")
    for policy in ("perfect", "most-points", "bot.py:first", "sheet.json"):
        answer = evaluated(str(tmp_path / policy) if "." in policy else policy, "--card", card)
        assert answer["perfect_mean"] == pytest.approx(18 + forced.value(card), abs=1e-9), policy
        assert 18 <= answer["mean"] <= answer["perfect_mean"] + 1e-9, policy
        assert sum(answer["distribution"]["chances"]) == pytest.approx(1), policy
        is_perfect = policy != "bot.py:first"  # the most points in each turn are the best in a forced order
        assert (answer["loss"] == pytest.approx(0, abs=1e-9)) == is_perfect, policy
        assert len(answer["distribution"]["categories"]) == 11, policy


def test_a_program_that_plays_perfectly_loses_nothing(evaluated: Evaluated) -> None:
    answer = evaluated("--process", f"{sys.executable} -m perfect_yatzy hold --jsonl", "--games", "3")
    assert (answer["games"], answer["loss"]) == (3, 0)
    assert answer["plain_mean"] != answer["mean"]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
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
    assert "is a file" in refusal(run, "learn", str(rules), "--tables", str(rules))  # before anything is learned


def test_learn_prints_the_sheet_as_json(run: Run, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    answer = json.loads(run("learn", str(rules), "-o", str(path), "--json", "--threads", "1").stdout)
    assert answer == json.loads(path.read_text()) | {"file": str(path)}


@pytest.mark.full
def test_learn_finds_rules_for_the_holds(run: Run, rules: Path, tmp_path: Path) -> None:
    path = tmp_path / "tiny.json"
    out = printed(run, "learn", str(rules), "--hold-rules", "2", "-o", str(path), "--tables", str(tmp_path))
    sheet = StrategySheet.load(path)
    assert 1 <= len(sheet.holds) <= 2
    assert len(sheet.figures["worth"]) == len(sheet.holds)
    exact = policy_mean(HoldRulePolicy(sheet.holds, sheet.prices))
    assert abs(sheet.figures["mean"] - exact) < 5e-5
    assert f"rules for the holds and nothing computed: mean {exact:.2f}" in out
