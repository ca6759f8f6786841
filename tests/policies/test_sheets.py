"""Strategy sheets, printed as measured and as good as stated, and the data of their guide."""

import json
import re
from importlib.resources import files
from itertools import combinations_with_replacement, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, State, StateError, Strategy, TableError, ValueFunction, load_rules, open_strategy
from perfect_yatzy.cli.views.wording import rounded_up
from perfect_yatzy.game.dice import lattice
from perfect_yatzy.game.notation import counts_of, dice_of
from perfect_yatzy.model.estimates import rule_set_stats
from perfect_yatzy.policies import guide as guide_data
from perfect_yatzy.policies import strategy_sheet
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.guide import (
    OpeningEntry,
    SampledTurns,
    give_up_stages,
    groups_of,
    make_guide,
    opening_lines,
    sample_turns,
    shortened,
    stage_turns,
    which_groups,
)
from perfect_yatzy.policies.hold_policy import Cards, HoldRulePolicy, decisions
from perfect_yatzy.policies.hold_rules import parse_hold_rule
from perfect_yatzy.policies.sheet_search import turn_losses
from perfect_yatzy.policies.strategy_sheet import (
    PriceSheet,
    StrategySheet,
    find_sheet,
    packaged_sheet,
    sheet_path,
    terms_of,
)
from perfect_yatzy.policies.worst_decisions import worst_decisions
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support.games import CHANCE, face, joker_game, saved_rolls_game, small
from support.refusals import refused
from support.seeds import FULL
from support.sheets import value_of, worst_hold, yatzy_sheet

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
        places = Cards.of_state(found.rules, state), np.array([roll]), left
        held = int(decisions(found.rules, found.holds, *places)[0][0])
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
    readme = Path(strategy_sheet.__file__).with_name("README.md").read_text()
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


def test_where_a_sheet_is_and_what_rules_it_contains(tmp_path: Path) -> None:
    refused("cannot read", StrategySheet.load, tmp_path / "missing.json", error=TableError)
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="cannot write"):
        sheet_of(load_rules("yatzy")).save(tmp_path / "file" / "sheet.json")
    rules = load_rules("yatzy")
    sheet = sheet_of(rules)
    sheet.save(sheet_path(rules, tmp_path))
    assert find_sheet(rules, tmp_path) == sheet
    assert find_sheet(rules, tmp_path / "none") == packaged_sheet(rules)
    assert packaged_sheet(joker_game("free")) is None
    sheet = sheet_of(joker_game("forced"))
    raw = json.loads(json.dumps(sheet.to_json()))
    assert StrategySheet.from_json(raw).rules.fingerprint == sheet.rules.fingerprint


@pytest.fixture(scope="module")
def turns(yatzy: Strategy) -> list[SampledTurns]:
    return sample_turns(yatzy, 1_000)


@pytest.mark.parametrize("key", ["crag", pytest.param("yatzy", marks=FULL)])
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
    assert all((after.filled == before.filled | 1 << before.category).all() for before, after in later)


@pytest.mark.parametrize(
    "rules", ["yatzy", *map(joker_game, ("none", "free", "forced")), saved_rolls_game("free", True)], ids=str
)
def test_sampled_turns_have_the_points_and_values_of_single_questions(rules: str | RuleSet) -> None:
    strategy = perfect_yatzy.open_strategy(rules)
    for turn in sample_turns(strategy, 200):
        values = guide_data.values_of(strategy, turn.filled, turn.upper, turn.saved, turn.joker_paid)
        assert values == pytest.approx([strategy.value(turn.state(game)) for game in range(200)])
        for game in range(0, 200, 3):
            options = {c.category: c.points for c in strategy.categories(turn.state(game), turn.dice[game].tolist())}
            category = strategy.rules.categories[turn.category[game]].id
            assert options[category] == turn.points[game]


def test_what_is_given_up(yatzy: Strategy, turns: list[SampledTurns]) -> None:
    """Costs and shares once more, a game at a time, from the values of single states."""
    assert [*map(list, stage_turns(15))] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]
    assert [[*map(list, stage_turns(number))] for number in (1, 2)] == [[[0]], [[0], [1]]]
    rules, late = yatzy.rules, [*give_up_stages(yatzy, turns)][2]
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
    assert late.per_game == total / 1_000
    assert [g.cost for g in late.give_ups] == sorted(g.cost for g in late.give_ups)
    for give_up in late.give_ups:
        place = give_up.category, give_up.points
        assert give_up.cost == pytest.approx(np.mean(costs[place]))
        assert give_up.share == pytest.approx(taken.get(place, 0) / total)
    assert sum(give_up.share for give_up in late.give_ups) == pytest.approx(1, abs=0.01)


def test_examples_show_the_subtraction(yatzy: Strategy, turns: list[SampledTurns]) -> None:
    prices = yatzy_sheet(yatzy.rules).prices
    choice, give_up, mistake = guide_data.worked_examples(yatzy, prices, turns)
    for example in (mistake, choice, give_up):
        values = [option.value for option in example.options[:3]]
        assert values == sorted(values, reverse=True)
        choices = {c.category: c for c in yatzy.categories(example.state, example.dice)}
        for option in example.options:
            shown = choices[yatzy.rules.categories[option.category].id]
            assert (option.points, option.loss) == (shown.points, pytest.approx(shown.loss))
            upper = example.state.upper + option.points * (option.category < 6)
            after = State(example.state.filled | 1 << option.category, min(63, upper))
            change = value_of(prices, after) - value_of(prices, example.state)
            assert option.value == pytest.approx(option.points + change)
        assert example.best.loss == 0
    assert mistake.options[0].loss >= 0.3
    assert choice.options[0] == choice.best
    assert give_up.options[0].points == 0
    assert give_up.options[2].points > 0


def test_guides_without_a_sheet_of_a_forced_order_and_of_small_games(forced: Strategy, yatzy: Strategy) -> None:
    plain = make_guide(yatzy)
    assert (plain.sheet, plain.examples, plain.losses, len(plain.stages)) == (None, (), (), 3)
    prices = PriceSheet(forced.rules, (10.0,) * 15)
    guide = make_guide(forced, StrategySheet(forced.rules, prices))
    assert (guide.stages, guide.examples, guide.perfect) == ((), (), forced.value())
    for rules in (joker_game("forced"), saved_rolls_game("free", True), saved_rolls_game("forced", False)):
        sheet = StrategySheet(rules, PriceSheet(rules, (3.0,) * len(rules.categories)))
        guide = make_guide(perfect_yatzy.open_strategy(rules), sheet)
        assert guide.opening
        assert len(guide.odds) == len(rules.categories)


@pytest.mark.parametrize("has_rules", [False, pytest.param(True, marks=FULL)], ids=["prices", "hold rules"])
def test_losses_by_turn_add_up_to_what_the_sheet_gives_away(has_rules: bool) -> None:
    """Against the mean of its policy, from the other pass."""
    rules = saved_rolls_game("free", False)
    perfect = perfect_yatzy.open_strategy(rules).value()
    prices = PriceSheet(rules, (4.0, 3.0, 5.0, 6.0), {"lost": -1.0, "secured": 2.0, "par_point": 0.5})
    holds = (parse_hold_rule(rules, "pair if pair open: keep"), parse_hold_rule(rules, "dice of 5-6: keep"))
    policy = HoldRulePolicy(holds, prices) if has_rules else ValueFunction(rules, prices.values())
    losses = turn_losses(StrategySheet(rules, prices, holds if has_rules else ()))
    assert len(losses) == 4
    assert sum(losses) == pytest.approx(perfect - policy_mean(policy), abs=1e-9)
    assert sum(losses) > 0.01
    stored = StrategySheet(rules, prices, (), {"losses_by_turn": [1.0, 0.0, 0.0, 0.5]})
    assert turn_losses(stored) == (1.0, 0.0, 0.0, 0.5)
    saving = saved_rolls_game("free", True)
    assert turn_losses(StrategySheet(saving, PriceSheet(saving, (4.0, 3.0, 5.0, 6.0)))) == ()


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "kniffel", "yatzy-forced", pytest.param("yatzy-saved", marks=FULL)]
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
                assert (best.category, best.category or best.dice) == (entry.category, best.category or entry.hold)
                assert not line.pattern or groups_of(roll) == line.pattern
        assert (line.lowest, line.highest) == pytest.approx((min(values), max(values)))


def test_the_lines_of_yatzy_of_a_forced_order_and_of_one_roll_a_turn(yatzy: Strategy, forced: Strategy) -> None:
    (line,) = opening_lines(forced)
    assert (line.faces, line.roll_count, line.pattern) == ((1,), 252, ())
    assert opening_lines(perfect_yatzy.open_strategy(small(face(1), CHANCE, rolls=1))) == ()
    lines = opening_lines(yatzy)
    assert 10 <= len(lines) <= 30
    of_two_pairs = [line for line in lines if line.pattern == (2, 2, 1)]
    assert [(line.kept, line.which, line.roll_count) for line in of_two_pairs] == [
        ((2,), "highest", 54),
        ((2, 2), "", 4),
        ((1,), "", 2),
    ]
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
def test_which_of_several_groups_is_held(roll: tuple[int, ...], hold: tuple[int, ...], which: str) -> None:
    assert which_groups(roll, hold) == which


def test_rolls_are_shortened_only_if_none_is_missing() -> None:
    rolls = [roll for roll in combinations_with_replacement(range(1, 7), 5) if groups_of(roll) == (3, 1, 1)]
    twos = tuple(roll for roll in rolls if roll.count(2) == 3)
    sixes = tuple(roll for roll in rolls if roll.count(6) == 3)[1:]
    entry = OpeningEntry((), "x", (*twos, *sixes))
    assert shortened(entry, (3, 1, 1), 6) == (((2, 2, 2), 2), *((roll, 0) for roll in sixes))
    pairs = OpeningEntry((), "x", ((1, 1, 2, 2, 3),))
    assert shortened(pairs, (2, 2, 1), 6) == (((1, 1, 2, 2, 3), 0),)
    full_house = OpeningEntry((), "x", ((1, 1, 1, 1, 1),))
    assert shortened(full_house, (5,), 6) == (((1, 1, 1, 1, 1), 0),)  # not "11111" and no other dice
