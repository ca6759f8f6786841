"""Strategy sheets, as good as stated; the data of their guide; prices against their definition,
and their fit.
"""

import json
import re
from fractions import Fraction
from importlib.resources import files
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import (
    RulesError,
    RuleSet,
    State,
    StateError,
    Strategy,
    TableError,
    ValueFunction,
    load_rules,
)
from perfect_yatzy.cli.views.wording import rounded_up
from perfect_yatzy.core.dice import lattice
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.game.notation import counts_of, dice_of
from perfect_yatzy.policies import guide as guide_data
from perfect_yatzy.policies import sheet_search, strategy_sheet
from perfect_yatzy.policies import worst_decisions as sampling
from perfect_yatzy.policies.evaluation import policy_mean, policy_values
from perfect_yatzy.policies.guide import (
    TurnEndings,
    listed_rolls,
    make_guide,
    opening_lines,
    sample_turns,
)
from perfect_yatzy.policies.hold_policy import Cards, HoldRulePolicy, decisions
from perfect_yatzy.policies.hold_rules import parse_hold_rule, parse_hold_rules
from perfect_yatzy.policies.sheet_search import losses_by_turn
from perfect_yatzy.policies.strategy_sheet import (
    PriceSheet,
    StrategySheet,
    packaged_sheet,
    pars,
    terms_of,
)
from perfect_yatzy.policies.worst_decisions import (
    TurnSample,
    systematic_sample,
    visited_states,
    worst_decisions,
)
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from perfect_yatzy.tablebase.estimates import rule_set_stats
from perfect_yatzy.tablebase.in_memory import solve_values
from support.command import ROOT
from support.games import CHANCE, PAIR, classic_rule_sets, face, joker_game, saved_rolls_game, small
from support.naive import Naive
from support.naive_objectives import mean_score
from support.naive_policies import GreedyChoice, NaivePolicy
from support.refusals import refused
from support.seeds import drawn, ring_2, ring_3
from support.sheets import defined_value, value_of, worst_hold, yatzy_sheet

FOLDER = files("perfect_yatzy.policies").joinpath("sheets")
KEYS = sorted(
    entry.name.removesuffix(".json") for entry in FOLDER.iterdir() if entry.name.endswith(".json")
)

# What the sheets were made to reach: an exact mean, or a share of perfect play.
LEAST_MEAN = {"yatzy": 244.0}  # round numbers, chosen for play with the hold rules
LEAST_MEAN_WITH_HOLD_RULES = {"yatzy": {5: 235.3, 10: 239.0, 16: 240.6}}
MOST_HOLD_RULES = 16
PARTLY_SWEPT = {
    "maxi-unsaved"
}  # a sweep takes minutes: the shortest list does not state its worst hold
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
        for size in sheet.sizes or (0,):
            figures = (sheet.with_rules(size) if size else sheet).figures
            total = sum(figures["losses_by_turn"])
            assert total == pytest.approx(perfect - figures.get("mean", mean), abs=1e-3)


def test_a_sheet_states_what_its_hold_rules_are_worth(sheet: StrategySheet) -> None:
    assert len(sheet.holds) <= MOST_HOLD_RULES
    lists = [sheet.with_rules(size) for size in sheet.sizes]
    means = [found.figures["mean"] for found in lists]
    assert means == sorted(means)
    for found in lists:
        assert found.figures["mean"] < sheet.figures["prices_mean"]
        assert found.figures["mean"] >= LEAST_MEAN_WITH_HOLD_RULES.get(sheet.rules.key, {}).get(
            len(found.holds), 0
        )
        assert len(found.figures.get("worth", found.holds)) == len(found.holds)
        may_lack = sheet.rules.key in PARTLY_SWEPT and len(found.holds) == sheet.sizes[0]
        assert may_lack or found.figures["worst"] > 0
    refused(
        f"the sheet of {sheet.rules.key} has .* rules for the holds, not 61", sheet.with_rules, 61
    )


SOLVED_SOON = [key for key in KEYS if rule_set_stats(load_rules(key)).seconds < 5]
README = Path(strategy_sheet.__file__).with_name("README.md")
RECORD = ROOT / "benchmarks" / "runs" / "2026-11-27-hold-rules.md"
SWEPT = [key for key in KEYS if packaged_sheet(load_rules(key)).holds]


@pytest.mark.parametrize(
    "key",
    [
        *drawn(2, [key for key in SWEPT if key in SOLVED_SOON]),
        *(ring_3(key) for key in SWEPT if key not in SOLVED_SOON),
    ],
)
def test_the_worst_holds_on_all_cards_are_those_stated(key: str) -> None:
    """A sweep over all cards and rolls; the loss of the worst once more by the strategy of one
    position.
    """
    strategy = perfect_yatzy.open_strategy(key)
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
        places = Cards.of_state(found.rules, state), np.array([roll]), left
        held = int(decisions(found.rules, found.holds, *places)[0][0])
        stop = max(choice.value for choice in strategy.categories(state, dice))
        of_hold = {hold.dice: hold.value for hold in strategy.holds(state, dice, left)}
        taken = stop if held < 0 else of_hold[dice_of(place.counts[held].tolist())]
        assert max(stop, *of_hold.values()) - taken == pytest.approx(loss, abs=1e-6)


@pytest.mark.full
@pytest.mark.parametrize(("key", "mean"), [("yahtzee", 247.198), ("kniffel", 239.63)])
def test_the_longer_lists_on_record_keep_every_hold_within_the_limit(key: str, mean: float) -> None:
    lists = re.findall(
        r"^(\w+), (\d+) rules:\n\n```text\n(.*?)```", RECORD.read_text(), re.MULTILINE | re.DOTALL
    )
    number, written = next((number, text) for name, number, text in lists if name == key.title())
    strategy = perfect_yatzy.open_strategy(key)
    holds = parse_hold_rules(strategy.rules, written)
    policy = HoldRulePolicy(holds, packaged_sheet(strategy.rules).prices)
    assert len(holds) == int(number)
    assert policy_mean(policy) == pytest.approx(mean, abs=5e-3)
    assert worst_decisions(policy, strategy.table).hold < 10


@pytest.mark.slow
@pytest.mark.parametrize("key", SOLVED_SOON)
def test_the_stated_means_are_exact(key: str) -> None:
    rules = load_rules(key)
    sheet = packaged_sheet(rules)
    assert (
        abs(policy_mean(GreedyPolicy(rules, sheet.prices.values())) - sheet.figures["prices_mean"])
        < 5e-4
    )
    assert abs(perfect_yatzy.open_strategy(rules).value() - sheet.figures["perfect"]) < 5e-4


def test_the_readme_has_the_figures_of_all_sheets() -> None:
    readme = README.read_text()
    row = r"^\| ([a-z0-9-]+) \| (\d+) \| ([0-9.]+)(?: ± ([0-9.]+))? \| ([0-9.]+) \|"
    table = re.findall(row, readme, re.MULTILINE)
    assert [row[0] for row in table] == KEYS
    for key, numbers, mean, interval, perfect in table:
        sheet = packaged_sheet(load_rules(key))
        assert int(numbers) == sheet.prices.n_numbers
        assert mean == f"{sheet.figures['prices_mean']:.2f}"
        assert perfect == f"{sheet.figures['perfect']:.2f}"
        assert interval == (f"{sheet.figures['prices_mean_interval']:.2f}" if interval else "")
    rows = re.findall(
        r"^\| ([a-z0-9-]+) \|((?: [0-9.]+(?: \([0-9.]+\))? \|){3})$", readme, re.MULTILINE
    )
    assert [key for key, _ in rows] == [
        key for key in KEYS if packaged_sheet(load_rules(key)).holds
    ]
    for key, cells in rows:
        sheet = packaged_sheet(load_rules(key))
        lists = [sheet.with_rules(size).figures for size in sheet.sizes]
        worst = [
            f" ({rounded_up(found['worst'], 1):.1f})" if "worst" in found else "" for found in lists
        ]
        assert cells.split("|")[:-1] == [
            f" {found['mean']:.2f}{w} " for found, w in zip(lists, worst, strict=True)
        ]
    players, yatzy = (
        README.parents[1].joinpath("rl", "README.md").read_text(),
        packaged_sheet(load_rules("yatzy")),
    )
    for size, number in zip(yatzy.sizes, ("5", "10", "all"), strict=True):
        mean = yatzy.with_rules(size).figures["mean"]
        row = f"| {number} hold rules and prices, played by hand | {mean:.4f} | {yatzy.figures['perfect'] - mean:.2f} |"
        assert row in players


def sheet_of(rules: RuleSet) -> StrategySheet:
    prices = PriceSheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.1))
    return StrategySheet(rules, prices, (), {"perfect": 9.5, "worth": [1.0, 2.0]})


@pytest.mark.parametrize("spec", ["yatzy", "yahtzee", "maxi", "yacht", "yatzy-forced+threshold-63"])
def test_a_saved_sheet_is_read_back(spec: str, tmp_path: Path) -> None:
    sheet, path = sheet_of(load_rules(spec)), tmp_path / "folder" / "sheet.json"
    sheet.save(path)
    assert StrategySheet.load(path) == sheet


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
        (
            {"shorter": {"2": {"holds": ["pair: keep"], "figures": {}}}},
            "shorter: '2' has 1 hold rules",
        ),
    ],
)
def test_malformed_sheets_are_rejected(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps(sheet_of(load_rules("yatzy")).to_json() | change))
    refused(message, StrategySheet.load, path, error=(StateError, RulesError))


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"{", b"\xff", b'{"format": NaN}', b"[" * 100_000]
)
def test_files_that_are_no_sheets_are_rejected(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    path.write_bytes(content)
    refused("not a strategy sheet", StrategySheet.load, path)


def test_where_a_sheet_is_and_what_rules_it_contains(tmp_path: Path) -> None:
    refused("cannot read", StrategySheet.load, tmp_path / "missing.json", error=TableError)
    (tmp_path / "file").write_text("")
    rules = load_rules("yatzy")
    sheet = sheet_of(rules)
    refused("cannot write", sheet.save, tmp_path / "file" / "sheet.json", error=TableError)
    sheet.save(strategy_sheet.sheet_path(rules, tmp_path))
    assert strategy_sheet.find_sheet(rules, tmp_path) == sheet
    assert strategy_sheet.find_sheet(rules, tmp_path / "none") == packaged_sheet(rules)
    assert packaged_sheet(joker_game("free")) is None
    sheet = sheet_of(joker_game("forced"))
    raw = json.loads(json.dumps(sheet.to_json()))
    assert StrategySheet.from_json(raw).rules.fingerprint == sheet.rules.fingerprint


@pytest.fixture(scope="module")
def turns(yatzy: Strategy) -> list[TurnEndings]:
    return sample_turns(yatzy, 1_000)


@pytest.mark.parametrize("key", ["crag", ring_2("yatzy")])
def test_sampled_turns_are_games_of_perfect_play(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    turns = sample_turns(strategy, 1_000)
    exact = {result.category: result for result in perfect_yatzy.distribution(strategy).categories}
    for c, category in enumerate(strategy.rules.categories):
        points = sum(np.where(turn.category == c, turn.points, 0) for turn in turns)
        error = max(points.std() / np.sqrt(len(points)), 1e-9)
        assert abs(points.mean() - exact[category.id].mean) < 5 * error
    assert all((turn.filled >> turn.category & 1 == 0).all() for turn in turns)
    later = pairwise(turns)
    assert all(
        (after.filled == before.filled | 1 << before.category).all() for before, after in later
    )


@pytest.mark.parametrize(
    "rules",
    ["yatzy", *map(joker_game, ("none", "free", "forced")), saved_rolls_game("free", True)],
    ids=str,
)
def test_sampled_turns_have_the_points_and_values_of_single_questions(rules: str | RuleSet) -> None:
    strategy = perfect_yatzy.open_strategy(rules)
    for turn in sample_turns(strategy, 200):
        values = guide_data.points_to_come(
            strategy, turn.filled, turn.upper, turn.saved, turn.joker_paid
        )
        assert values == pytest.approx([strategy.value(turn.state(game)) for game in range(200)])
        for game in range(0, 200, 3):
            options = {
                c.category: c.points
                for c in strategy.categories(turn.state(game), turn.dice[game].tolist())
            }
            category = strategy.rules.categories[turn.category[game]].id
            assert options[category] == turn.points[game]


def test_what_is_given_up(yatzy: Strategy, turns: list[TurnEndings]) -> None:
    """Costs and shares once more, a game at a time, from the values of single states."""
    assert [*map(list, guide_data.stage_turns(15))] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 12, 13, 14],
    ]
    assert [[*map(list, guide_data.stage_turns(number))] for number in (1, 2)] == [
        [[0]],
        [[0], [1]],
    ]
    rules, late = yatzy.rules, [*guide_data.give_up_stages(yatzy, turns)][2]
    assert (late.first, late.last) == (11, 15)
    costs: dict[tuple[int, int], list[float]] = {}
    taken: dict[tuple[int, int], int] = {}
    for turn in turns[10:]:
        for game in range(len(turn.filled)):
            c, points, state = int(turn.category[game]), int(turn.points[game]), turn.state(game)
            if points not in (0, rules.categories[c].face):
                continue
            taken[c, points] = taken.get((c, points), 0) + 1
            for other, box in enumerate(rules.categories):
                if not state.filled >> other & 1:
                    for paid in {0, box.face}:
                        after = State(state.filled | 1 << other, min(63, state.upper + paid))
                        cost = yatzy.value(state) - paid - yatzy.value(after)
                        costs.setdefault((other, paid), []).append(cost)
    total = sum(taken.values())
    assert [g.cost for g in late.give_ups] == sorted(g.cost for g in late.give_ups)
    for give_up in late.give_ups:
        place = give_up.category, give_up.points
        assert give_up.cost == pytest.approx(np.mean(costs[place]))
        assert give_up.share == pytest.approx(taken.get(place, 0) / total)
    assert sum(give_up.share for give_up in late.give_ups) == pytest.approx(1, abs=0.01)


def test_examples_show_the_subtraction(yatzy: Strategy, turns: list[TurnEndings]) -> None:
    prices = yatzy_sheet(yatzy.rules).prices
    choice, give_up, mistake = guide_data.worked_examples(yatzy, prices, turns)
    for shown in (mistake, choice, give_up):
        values = [option.value for option in shown.options[:3]]
        assert values == sorted(values, reverse=True)
        choices = {c.category: c for c in yatzy.categories(shown.state, shown.dice)}
        for option in shown.options:
            known = choices[yatzy.rules.categories[option.category].id]
            assert (option.points, option.loss) == (known.points, pytest.approx(known.loss))
            upper = shown.state.upper + option.points * (option.category < 6)
            after = State(shown.state.filled | 1 << option.category, min(63, upper))
            change = value_of(prices, after) - value_of(prices, shown.state)
            assert option.value == pytest.approx(option.points + change)
        assert shown.best.loss == 0
    assert mistake.options[0].loss >= 0.3
    assert choice.options[0] == choice.best
    assert give_up.options[0].points == 0
    assert give_up.options[2].points > 0


def test_guides_without_a_sheet_of_a_forced_order_and_of_small_games(
    forced: Strategy, yatzy: Strategy
) -> None:
    plain = make_guide(yatzy)
    assert (plain.sheet, plain.examples, plain.losses, len(plain.stages)) == (None, (), (), 3)
    guide = make_guide(forced, StrategySheet(forced.rules, PriceSheet(forced.rules, (10.0,) * 15)))
    assert (guide.stages, guide.examples, guide.perfect) == ((), (), forced.value())
    for rules in (
        joker_game("forced"),
        saved_rolls_game("free", True),
        saved_rolls_game("forced", False),
    ):
        sheet = StrategySheet(rules, PriceSheet(rules, (3.0,) * len(rules.categories)))
        guide = make_guide(perfect_yatzy.open_strategy(rules), sheet)
        assert guide.opening
        assert len(guide.odds) == len(rules.categories)


@pytest.mark.parametrize("has_rules", [False, ring_2(True)], ids=["prices", "hold rules"])
def test_losses_by_turn_add_up_to_what_the_sheet_gives_away(has_rules: bool) -> None:
    """Against the mean of its policy, from the other pass."""
    rules = saved_rolls_game("free", False)
    perfect = perfect_yatzy.open_strategy(rules).value()
    prices = PriceSheet(
        rules, (4.0, 3.0, 5.0, 6.0), {"lost": -1.0, "secured": 2.0, "par_point": 0.5}
    )
    holds = (
        parse_hold_rule(rules, "pair if pair open: keep"),
        parse_hold_rule(rules, "dice of 5-6: keep"),
    )
    policy = HoldRulePolicy(holds, prices) if has_rules else ValueFunction(rules, prices.values())
    losses = losses_by_turn(Settings(), StrategySheet(rules, prices, holds if has_rules else ()))
    assert len(losses) == 4
    assert sum(losses) == pytest.approx(perfect - policy_mean(policy), abs=1e-9)
    assert sum(losses) > 0.01
    stored = StrategySheet(rules, prices, (), {"losses_by_turn": [1.0, 0.0, 0.0, 0.5]})
    assert losses_by_turn(Settings(), stored) == (1.0, 0.0, 0.0, 0.5)
    saving = saved_rolls_game("free", True)
    assert (
        losses_by_turn(Settings(), StrategySheet(saving, PriceSheet(saving, (4.0, 3.0, 5.0, 6.0))))
        == ()
    )


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "kniffel", "yatzy-forced", ring_2("yatzy-saved")]
)
def test_every_roll_is_in_one_line_with_its_best_hold(key: str) -> None:
    """The oracle is the ranking of one position, in NumPy; the lines come from the batch kernel."""
    strategy = perfect_yatzy.open_strategy(key)
    lines = opening_lines(strategy)
    rolls = [roll for line in lines for entry in line.entries for roll in entry.rolls]
    assert sorted(rolls) == [*combinations_with_replacement(range(1, 7), 5)]
    assert sum(line.chance for line in lines) == pytest.approx(1)
    for line in lines:
        values = []
        for entry in line.entries:
            for roll in entry.rolls:
                best = strategy.holds("", roll)[0]
                values.append(best.value)
                assert (best.category, best.category or best.dice) == (
                    entry.category,
                    best.category or entry.hold,
                )
                assert not line.pattern or guide_data.groups_of(roll) == line.pattern
        assert (line.lowest, line.highest) == pytest.approx((min(values), max(values)))


def roll_count(line: guide_data.OpeningLine) -> int:
    return sum(len(entry.rolls) for entry in line.entries)


def test_the_lines_of_yatzy_of_a_forced_order_and_of_one_roll_a_turn(
    yatzy: Strategy, forced: Strategy
) -> None:
    (line,) = opening_lines(forced)
    assert (line.faces, roll_count(line), line.pattern) == ((1,), 252, ())
    assert opening_lines(perfect_yatzy.open_strategy(small(face(1), CHANCE, rolls=1))) == ()
    lines = opening_lines(yatzy)
    assert 10 <= len(lines) <= 30
    of_two_pairs = [line for line in lines if line.pattern == (2, 2, 1)]
    found = [(line.kept, line.which, roll_count(line)) for line in of_two_pairs]
    assert found == [((2,), "highest", 54), ((2, 2), "", 4), ((1,), "", 2)]
    assert [line.majority for line in of_two_pairs] == [True, False, False]
    assert {entry.hold for entry in of_two_pairs[1].entries} == {(5, 5, 6, 6)}
    run = next(line for line in lines if line.kept == (1, 1, 1, 1))
    assert run.is_run
    assert run.entries[0].rolls == ((2, 2, 3, 4, 5), (2, 3, 3, 4, 5))


@pytest.mark.parametrize(
    ("roll", "hold", "which"),
    [
        ((2, 2, 5, 5, 6), (5, 5), "highest"),
        ((2, 2, 5, 5, 6), (2, 2), "other"),
        ((2, 2, 5, 5, 6), (2, 2, 5, 5), ""),
        ((2, 2, 3, 3, 5, 5), (3, 3, 5, 5), "highest"),
        ((2, 2, 3, 3, 5, 5), (2, 2, 5, 5), "other"),
        ((3, 3, 3, 4, 4), (3, 3, 3), ""),
        ((3, 3, 3, 4, 4), (3, 3), ""),
        ((1, 1, 1, 4, 4, 4), (4, 4, 4), "highest"),
    ],
)
def test_which_of_several_groups_is_held(
    roll: tuple[int, ...], hold: tuple[int, ...], which: str
) -> None:
    assert guide_data.which_groups(roll, hold) == which


def test_rolls_are_shortened_only_if_none_is_missing() -> None:
    every = combinations_with_replacement(range(1, 7), 5)
    rolls = [roll for roll in every if guide_data.groups_of(roll) == (3, 1, 1)]
    twos = tuple(roll for roll in rolls if roll.count(2) == 3)
    sixes = tuple(roll for roll in rolls if roll.count(6) == 3)[1:]
    entry = guide_data.OpeningEntry((), "x", (*twos, *sixes))
    assert listed_rolls(entry, (3, 1, 1), 6) == (((2, 2, 2), 2), *((roll, 0) for roll in sixes))
    pairs = guide_data.OpeningEntry((), "x", ((1, 1, 2, 2, 3),))
    assert listed_rolls(pairs, (2, 2, 1), 6) == (((1, 1, 2, 2, 3), 0),)
    full_house = guide_data.OpeningEntry((), "x", ((1, 1, 1, 1, 1),))
    # not "11111" and no other dice
    assert listed_rolls(full_house, (5,), 6) == (((1, 1, 1, 1, 1), 0),)


def mean_in_fractions(sheet: PriceSheet) -> Fraction:
    """Mean of greedy play on a sheet, whose numbers are the decimals as printed."""
    rules, reader = sheet.rules, Naive(sheet.rules.canonical())

    def guess(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        joker_paid = flag and rules.tracked_index >= 0
        return defined_value(
            sheet, reader, filled, upper, saved, joker_paid, lambda number: Fraction(str(number))
        )

    return mean_score(
        NaivePolicy(rules.canonical(), GreedyChoice(rules.canonical(), guess)).distribution()
    )


GAMES = {
    "free": small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(22, 7)),  # par is 10 and 12
    "forced": small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(22, 7), order="forced"),
    "joker": joker_game("free"),
    "saved": saved_rolls_game("free", True),
}


@pytest.mark.parametrize(
    ("name", "sampled"),
    [
        ("free", False),
        ("forced", False),
        ("joker", True),
        *(ring_2(*case) for case in (("joker", False), ("free", True), ("forced", True))),
    ],
)
def test_the_stated_mean_is_that_of_greedy_play(
    name: str, sampled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = GAMES[name]
    monkeypatch.setattr(sheet_search, "VISITED_GAMES", 500)
    monkeypatch.setattr(sheet_search, "EXACT_ROUNDS", 2)
    if sampled:
        monkeypatch.setattr(sheet_search, "TINY_SECONDS", 0.0)
    values = solve_values(rules)
    fit = sheet_search.fit_sheet(Settings(threads=1), rules, values)
    assert fit.interval == 0
    assert fit.sheet.rounded(0.1) == fit.sheet
    assert abs(fit.mean - float(mean_in_fractions(fit.sheet))) < 1e-9
    assert fit.mean <= values[-1] + 1e-9
    visits = visited_states(rules, values, 500, 1)
    start = sheet_search.least_squares(
        sheet_search.every_number(rules), visits, values[visits.places]
    )
    # rounding may cost a little
    assert fit.mean > policy_mean(GreedyPolicy(rules, start.values())) - 0.02
    assert abs(sum(fit.sheet.prices) - fit.mean) <= 0.05 * len(rules.categories) + 1e-9


def test_the_fit_does_not_depend_on_threads_and_reports_its_progress(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sheet_search, "VISITED_GAMES", 300)
    monkeypatch.setattr(sheet_search, "TINY_SECONDS", 0.0)
    rules, steps = GAMES["free"], list[tuple[int, int]]()
    values = solve_values(rules)
    one = sheet_search.fit_sheet(
        Settings(threads=1, progress=lambda *step: steps.append(step)), rules, values
    )
    assert one == sheet_search.fit_sheet(Settings(threads=3), rules, values)
    assert steps == [(i, 4) for i in range(5)]


def test_a_mean_that_is_simulated_has_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = dict.fromkeys(("TINY_SECONDS", "JUDGED_SECONDS", "STATED_SECONDS"), 0.0)
    played = {"VISITED_GAMES": 500, "JUDGED_GAMES": 500, "LAST_GAMES": 20_000}
    for name, value in (seconds | played).items():
        monkeypatch.setattr(sheet_search, name, value)
    rules = GAMES["saved"]
    fit = sheet_search.fit_sheet(Settings(), rules, solve_values(rules))
    assert 0 < fit.interval < 0.5
    assert abs(fit.mean - policy_mean(GreedyPolicy(rules, fit.sheet.values()))) < 2 * fit.interval


def test_least_squares_finds_the_sheet_that_made_the_values() -> None:
    rules, terms = (
        GAMES["joker"],
        {"lost": -2.0, "secured": 3.0, "par_point": 0.5, "joker_turn": 0.3},
    )
    sheet = PriceSheet(rules, [1.0, 2.5, 4.0, 7.0], terms)
    visits = visited_states(rules, solve_values(rules), 2000, 1)
    found = sheet_search.least_squares(
        sheet_search.every_number(rules), visits, sheet.values()[visits.places]
    )
    np.testing.assert_allclose(
        found.values()[visits.places], sheet.values()[visits.places], atol=1e-6
    )


@pytest.mark.parametrize("name", [*GAMES])
def test_visits_are_counted_at_every_turn(name: str) -> None:
    rules = GAMES[name]
    space, visits = state_space(rules), visited_states(rules, solve_values(rules), 400, 3)
    for k in range(len(rules.categories)):
        assert visits.counts[space.filled[visits.rows] == k].sum() == 400
    for row in np.unique(visits.rows).tolist():
        first, size = (
            space.layout.offsets[row],
            space.layout.lane_count[space.layout.lane_sets[row]],
        )
        places = visits.places[visits.rows == row]
        assert (places >= first).all()
        assert (places < first + size * (space.most_saved[space.filled[row]] + 1)).all()


@pytest.mark.parametrize("name", [*GAMES])
def test_a_sample_of_all_cards_gives_the_values_of_the_policy_itself(name: str) -> None:
    """One turn and then as before is the policy itself: the values of the states that were met,
    summed over turns.
    """
    rules = GAMES[name]
    sheet = PriceSheet(
        rules, [2.0 + c for c in range(len(rules.categories))], dict.fromkeys(terms_of(rules), 0.7)
    )
    visits, own = (
        visited_states(rules, sheet.values(), 300, 1),
        policy_values(GreedyPolicy(rules, sheet.values())),
    )
    expected = own[visits.places] @ visits.counts / visits.games
    sample = TurnSample(visits, 10_000, own, seed=1, threads=2)
    assert sample.cards == len(np.unique(visits.rows))
    assert abs(sample.mean(sheet) - expected) < 1e-9
    if name == "free":  # a small sample is right on average
        means = [TurnSample(visits, 2, own, seed, 1).mean(sheet) for seed in range(300)]
        assert abs(np.mean(means) - expected) < 4 * np.std(means) / np.sqrt(len(means)) + 1e-9


@given(
    st.lists(st.integers(1, 1000), min_size=1, max_size=40), st.integers(1, 45), st.integers(0, 99)
)
def test_sampling_in_proportion_to_counts(counts: list[int], number: int, seed: int) -> None:
    chances = sampling.inclusion_chances(np.array(counts, dtype=np.float64), number)
    assert abs(chances.sum() - min(number, len(counts))) < 1e-9
    assert ((chances > 0) & (chances <= 1)).all()
    inner = chances < 1
    ratios = chances[inner] / np.array(counts)[inner]
    assert len(ratios) == 0 or ratios.max() - ratios.min() < 1e-9
    taken = systematic_sample(chances, np.random.default_rng(seed))
    assert abs(taken.sum() - chances.sum()) < 1 + 1e-9
    assert taken[~inner].all()


def test_descent_finds_the_minimum_of_a_quadratic_function() -> None:
    """Powell's method ends after n sweeps in n dimensions; the axes of this one are far from the
    directions.
    """
    centre, turn = (
        np.array([1.0, -2.0, 0.5]),
        np.array([[1.0, 0.9, 0.3], [0.0, 1.0, 0.8], [0.0, 0.0, 1.0]]),
    )
    point, value = sheet_search.descend(
        lambda point: float(((turn @ (point - centre)) ** 2).sum()),
        np.zeros(3),
        np.full(3, 0.5),
        40,
    )
    assert value < 1e-6
    np.testing.assert_allclose(point, centre, atol=1e-2)
    start = np.array([3.0])  # it never ends above its start
    assert (
        sheet_search.descend(lambda point: -abs(float(point[0])) % 1.7, start, np.array([1.0]), 5)[
            1
        ]
        <= -3.0 % 1.7
    )
    assert sheet_search.descend(lambda point: 1.0, start, np.array([1.0]), 5)[1] == 1.0


TERMS = {"lost": -3.5, "secured": 4.25, "par_point": 1.5, "saved_roll": 2.25, "joker_turn": 0.5}


def prices_of(rules: RuleSet) -> PriceSheet:
    """A sheet with a different price for each box."""
    prices = [3 + 0.25 * c * c for c in range(len(rules.categories))]
    return PriceSheet(rules, prices, {name: TERMS[name] for name in terms_of(rules)})


@given(classic_rule_sets().filter(lambda rules: not (rules.joker and rules.joker.mode != "none")))
@example(saved_rolls_game("free", False))
@example(saved_rolls_game("forced", False))
@example(saved_rolls_game("free", True))
@example(saved_rolls_game("forced", True))
@example(joker_game("free"))
@example(joker_game("forced", bonus=0))
@example(small(face(1), face(6), PAIR, CHANCE))
def test_values_are_those_of_the_definition(rules: RuleSet) -> None:
    """Random games without joker modes, whose boxes can hold more than their patterns pay: see
    the game with jokers.
    """
    sheet, oracle, space = prices_of(rules), Naive(rules.canonical()), state_space(rules)
    values, paying = sheet.values(), rules.tracked_index >= 0
    assert len(values) == space.size
    for filled, upper, saved, flag in oracle.states():
        state = State(filled, upper, saved, flag and paying)
        expected = defined_value(sheet, oracle, filled, upper, saved, flag and paying)
        assert abs(values[space.index(state)] - float(expected)) < 1e-9


def test_values_from_a_card_on_are_those_of_the_whole_game() -> None:
    rules = saved_rolls_game("free", True)
    sheet, start = prices_of(rules), State(filled=0b0010, upper=12, saved=1)
    space, values, whole = state_space(rules, start), sheet.values(start), sheet.values()
    for state in (start, State(0b0110, 12, 3), State(0b0011, 16, 0), State(0b1111, 16, 0)):
        assert values[space.index(state)] == whole[state_space(rules).index(state)]


def test_par_the_numbers_that_matter_and_those_that_are_tied() -> None:
    assert pars(load_rules("yatzy")) == (3, 6, 9, 12, 15, 18, *[0] * 9)  # three of each face
    assert pars(load_rules("yatzy-forced"))[:6] == (2, 4, 6, 8, 10, 12)
    assert pars(load_rules("maxi"))[:6] == (4, 8, 12, 16, 20, 24)
    assert set(pars(load_rules("yacht"))) == {0}
    expected = {"yatzy": 18, "yahtzee": 17, "yatzy-forced": 3, "yacht": 12}
    assert {key: prices_of(load_rules(key)).n_numbers for key in expected} == expected
    rules = load_rules("maxi-unsaved")
    form = sheet_search.upper_prices_on_a_line(rules)
    sheet = form.sheet(np.arange(19.0))
    assert sheet.n_numbers == 19
    assert sheet.prices[:7] == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0)
    np.testing.assert_allclose(form.numbers(sheet), np.arange(19.0), atol=1e-9)
    assert sheet_search.every_number(rules).sheet(np.arange(23.0) ** 2).n_numbers == 23


@given(st.floats(-99, 99), st.sampled_from([0.1, 0.5, 1.0]))
def test_rounded_numbers_are_the_nearest_that_are_printed(number: float, step: float) -> None:
    rules = small(face(5), face(6), bonus=Bonus(16, 7))
    rounded = PriceSheet(rules, (number, -number), {"lost": number, "secured": 2 * number}).rounded(
        step
    )
    assert abs(rounded.prices[0] - number) <= step / 2 + 1e-9
    assert rounded.terms["lost"] == rounded.prices[0] == -rounded.prices[1]
    assert float(f"{rounded.terms['secured']:.1f}") == rounded.terms["secured"]
    assert round(rounded.prices[0] / step, 6) % 1 == 0


@pytest.mark.parametrize(
    ("prices", "terms", "message"),
    [
        ((1.0,), {}, "1 prices; yacht has 12 categories"),
        ((1.0,) * 11 + (float("nan"),), {}, "yacht is NaN|yacht is nan"),
        ((1.0,) * 11 + ("2",), {}, "yacht is '2'; must be a number"),
        ((1.0,) * 12, {"lost": 1.0}, "yacht has no use for lost"),
        ((1.0,) * 12, {"saved_roll": 1.0}, "yacht has no use for saved_roll"),
    ],
)
def test_sheets_that_do_not_fit_are_refused(
    prices: tuple[float, ...], terms: dict[str, float], message: str
) -> None:
    refused(message, PriceSheet, load_rules("yacht"), prices, terms)
