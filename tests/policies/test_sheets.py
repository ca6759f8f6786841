"""The strategy sheets in the package: of the rules as they are, printed as they were measured, and as good as stated."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from perfect_yatzy import load_rules, open_strategy
from perfect_yatzy.model.estimates import rule_set_stats
from perfect_yatzy.policies import price_sheet
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.price_sheet import terms_of
from perfect_yatzy.policies.strategy_sheet import StrategySheet, packaged_sheet
from perfect_yatzy.strategy.greedy_policy import GreedyPolicy

FOLDER = files("perfect_yatzy.policies").joinpath("sheets")
KEYS = sorted(entry.name.removesuffix(".json") for entry in FOLDER.iterdir() if entry.name.endswith(".json"))

# What the sheets were made to reach: an exact mean, or a share of perfect play.
LEAST_MEAN = {"yatzy": 244.5}
LEAST_MEAN_WITH_HOLD_RULES = {"yatzy": 236.0}
MOST_HOLD_RULES = 25
LEAST_SHARE = {"yahtzee": 0.975, "yatzy-forced": 0.975, "maxi-unsaved": 0.975}


@pytest.fixture(params=KEYS)
def sheet(request: pytest.FixtureRequest) -> StrategySheet:
    return packaged_sheet(load_rules(request.param))


@pytest.mark.parametrize("key", KEYS)
def test_a_sheet_is_for_its_rules_and_written_as_it_is_saved(key: str) -> None:
    sheet = packaged_sheet(load_rules(key))
    assert sheet.rules.key == key
    assert sheet.prices == sheet.prices.rounded(0.1)
    assert sheet.prices.n_numbers <= 20
    assert json.loads(FOLDER.joinpath(f"{key}.json").read_text()) == sheet.to_json()


def test_a_sheet_states_its_figures(sheet: StrategySheet) -> None:
    mean, perfect, key = sheet.figures["prices_mean"], sheet.figures["perfect"], sheet.rules.key
    assert 0 < mean <= perfect + sheet.figures.get("prices_mean_interval", 0)
    assert mean >= LEAST_MEAN.get(key, 0)
    assert mean >= LEAST_SHARE.get(key, 0) * perfect
    prices = sheet.prices
    assert abs(sum(prices.prices) - mean) <= 0.05 * len(prices.prices) + 0.1
    if prices.terms and "lost" in terms_of(sheet.rules) and sheet.rules.order == "free":
        assert prices.bonus_lost < prices.bonus_secured
        assert prices.par_point > 0


def test_the_losses_by_turn_add_up_to_what_a_sheet_gives_away(sheet: StrategySheet) -> None:
    losses = sheet.figures.get("losses_by_turn")
    if losses is not None:  # the rules have an exact distribution
        mean = sheet.figures.get("mean", sheet.figures["prices_mean"])
        assert len(losses) == len(sheet.rules.categories)
        assert sum(losses) == pytest.approx(sheet.figures["perfect"] - mean, abs=1e-3)


def test_a_sheet_states_what_its_hold_rules_are_worth(sheet: StrategySheet) -> None:
    figures = sheet.figures
    assert len(sheet.holds) <= MOST_HOLD_RULES
    assert figures.get("mean", 0) >= LEAST_MEAN_WITH_HOLD_RULES.get(sheet.rules.key, 0)
    if sheet.holds:
        assert figures["mean"] < figures["prices_mean"]
        assert len(figures["worth"]) == len(sheet.holds)
        assert min(figures["worth"]) > 0
        assert figures["sizes"] == sorted(figures["sizes"])
        assert figures["means"] == sorted(figures["means"])


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in KEYS if rule_set_stats(load_rules(key)).seconds < 5])
def test_the_stated_means_are_exact(key: str) -> None:
    rules = load_rules(key)
    sheet = packaged_sheet(rules)
    assert abs(policy_mean(GreedyPolicy(rules, sheet.prices.values())) - sheet.figures["prices_mean"]) < 5e-4
    if sheet.holds:
        assert abs(policy_mean(HoldRulePolicy(sheet.holds, sheet.prices)) - sheet.figures["mean"]) < 5e-4
    assert abs(open_strategy(rules).value() - sheet.figures["perfect"]) < 5e-4


def test_the_readme_has_the_figures_of_all_sheets() -> None:
    readme = Path(price_sheet.__file__).with_name("README.md").read_text()
    row = r"^\| ([a-z0-9-]+) \| (\d+) \| ([0-9.]+)(?: ± ([0-9.]+))? \| ([0-9.]+) \|"
    table = re.findall(row, readme, re.MULTILINE)
    assert [row[0] for row in table] == KEYS
    for key, numbers, mean, interval, perfect in table:
        sheet = packaged_sheet(load_rules(key))
        assert int(numbers) == sheet.prices.n_numbers
        assert mean == f"{sheet.figures['prices_mean']:.2f}"
        assert perfect == f"{sheet.figures['perfect']:.2f}"
        assert interval == (f"{sheet.figures['prices_mean_interval']:.2f}" if interval else "")
