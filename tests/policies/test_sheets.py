"""Strategy sheets: those of the package, printed as measured and as good as stated; and their JSON files."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import RuleSet, StateError, TableError, load_rules, open_strategy
from perfect_yatzy.cli.views.wording import rounded_up
from perfect_yatzy.game.dice import lattice
from perfect_yatzy.game.notation import counts_of, dice_of
from perfect_yatzy.model.estimates import rule_set_stats
from perfect_yatzy.policies import price_sheet
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import Cards, HoldRulePolicy, decisions
from perfect_yatzy.policies.price_sheet import PriceSheet, terms_of
from perfect_yatzy.policies.strategy_sheet import StrategySheet, find_sheet, packaged_sheet, sheet_path
from perfect_yatzy.policies.worst_decisions import worst_decisions
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support.games import joker_game
from support.refusals import refused
from support.sheets import worst_hold

FOLDER = files("perfect_yatzy.policies").joinpath("sheets")
KEYS = sorted(entry.name.removesuffix(".json") for entry in FOLDER.iterdir() if entry.name.endswith(".json"))

# What the sheets were made to reach: an exact mean, or a share of perfect play.
LEAST_MEAN = {"yatzy": 244.0}  # round numbers, chosen for play with the hold rules
LEAST_MEAN_WITH_HOLD_RULES = {"yatzy": {5: 232.0, 10: 237.5, 16: 239.9}}
MOST_HOLD_RULES = 16
# What all sheets were to reach is 10.
MOST_LOST_BY_A_HOLD = {"kniffel": 23.5, "yahtzee": 14.5, "yams": 10.0, "yatzy": 10.7, "yatzy-forced": 10.0}
PARTLY_SWEPT = {"maxi-unsaved"}  # a sweep takes minutes: the shortest list does not state its worst hold
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
    step = 0.1 if prices != prices.rounded(0.5) else 0.5
    assert abs(sum(prices.prices) - mean) <= step / 2 * len(prices.prices) + 0.1
    if prices.terms and "lost" in terms_of(sheet.rules) and sheet.rules.order == "free":
        assert prices.terms["lost"] < prices.terms["secured"]
        assert prices.terms["par_point"] > 0
    losses = sheet.figures.get("losses_by_turn")
    if losses is not None:  # the rules have an exact distribution
        assert len(losses) == len(sheet.rules.categories)
        assert sum(losses) == pytest.approx(perfect - sheet.figures.get("mean", mean), abs=1e-3)


def test_a_sheet_states_what_its_hold_rules_are_worth(sheet: StrategySheet) -> None:
    assert len(sheet.holds) <= MOST_HOLD_RULES
    lists = [sheet.with_rules(size) for size in sheet.sizes]
    means = [found.figures["mean"] for found in lists]
    assert means == sorted(means)
    for found in lists:
        assert found.figures["mean"] < sheet.figures["prices_mean"]
        assert found.figures["mean"] >= LEAST_MEAN_WITH_HOLD_RULES.get(sheet.rules.key, {}).get(len(found.holds), 0)
        assert len(found.figures.get("worth", found.holds)) == len(found.holds)
        may_lack = sheet.rules.key in PARTLY_SWEPT and len(found.holds) == sheet.sizes[0]
        assert may_lack or found.figures["worst"] > 0
    if sheet.holds:
        assert sheet.figures["worst"] <= MOST_LOST_BY_A_HOLD.get(sheet.rules.key, 100)
    refused(f"the sheet of {sheet.rules.key} has .* rules for the holds, not 61", sheet.with_rules, 61)


def rules_of(seconds: float) -> list[str]:
    """The sheets of games whose solve takes no longer."""
    return [key for key in KEYS if rule_set_stats(load_rules(key)).seconds < seconds]


SWEPT = [key for key in KEYS if packaged_sheet(load_rules(key)).holds]


@pytest.mark.parametrize(
    "key", [pytest.param(k, marks=pytest.mark.full if k in rules_of(5) else pytest.mark.slow) for k in SWEPT]
)
def test_the_worst_holds_on_all_cards_are_those_stated(key: str) -> None:
    """A sweep over all cards and rolls; the loss of the worst once more by the strategy of one position."""
    strategy = open_strategy(key)
    sheet = packaged_sheet(strategy.rules)
    for size in sheet.sizes:
        found = sheet.with_rules(size)
        policy = HoldRulePolicy(found.holds, found.prices)
        assert abs(policy_mean(policy) - found.figures["mean"]) < 1e-6
        if "worst" not in found.figures:
            assert key in PARTLY_SWEPT
            continue
        worst = worst_decisions(policy, strategy.table)
        assert abs(worst.hold - found.figures["worst"]) < 1e-4
        state, dice, left, loss = worst_hold(worst)
        place = lattice(len(dice), found.rules.faces)
        roll = int(place.rank(np.array(counts_of(found.rules, dice)))) - place.first_roll
        held = int(
            decisions(found.rules, found.holds, Cards.of_state(found.rules, state), np.array([roll]), left)[0][0]
        )
        stop = max(choice.value for choice in strategy.categories(state, dice))
        of_hold = {hold.dice: hold.value for hold in strategy.holds(state, dice, left)}
        taken = stop if held < 0 else of_hold[dice_of(place.counts[held].tolist())]
        assert max(stop, *of_hold.values()) - taken == pytest.approx(loss, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("key", rules_of(5))
def test_the_stated_means_are_exact(key: str) -> None:
    rules = load_rules(key)
    sheet = packaged_sheet(rules)
    assert abs(policy_mean(GreedyPolicy(rules, sheet.prices.values())) - sheet.figures["prices_mean"]) < 5e-4
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
    rows = re.findall(r"^\| ([a-z0-9-]+) \|((?: [0-9.]+(?: \([0-9.]+\))? \|){3})$", readme, re.MULTILINE)
    assert [key for key, _ in rows] == [key for key in KEYS if packaged_sheet(load_rules(key)).holds]
    for key, cells in rows:
        sheet = packaged_sheet(load_rules(key))
        lists = [sheet.with_rules(size).figures for size in sheet.sizes]
        worst = [f" ({rounded_up(found['worst'], 1):.1f})" if "worst" in found else "" for found in lists]
        assert cells.split("|")[:-1] == [f" {found['mean']:.2f}{w} " for found, w in zip(lists, worst, strict=True)]


def sheet_of(rules: RuleSet) -> StrategySheet:
    prices = PriceSheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.1))
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
