"""The data of the guide: sampled turns, what is given up, worked examples; the opening rolls in lines."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import State, Strategy, ValueFunction
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.guide import (
    SampledTurns,
    give_up_stages,
    make_guide,
    sample_turns,
    stage_turns,
    values_of,
    worked_examples,
)  # fmt: skip
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.hold_rules import parse_hold_rule
from perfect_yatzy.policies.opening_rolls import OpeningEntry, groups_of, opening_lines, shortened, which_groups
from perfect_yatzy.policies.price_sheet import PriceSheet
from perfect_yatzy.policies.sheet_search import turn_losses
from perfect_yatzy.policies.strategy_sheet import StrategySheet
from support.games import CHANCE, face, joker_game, saved_rolls_game, small
from support.seeds import FULL
from support.sheets import value_of, yatzy_sheet


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


@pytest.mark.parametrize("mode", ["none", "free", "forced"])
def test_sampled_turns_with_jokers(mode: str) -> None:
    strategy = perfect_yatzy.open_strategy(joker_game(mode))
    turns = sample_turns(strategy, 500)
    for turn in turns:
        for game in range(0, 500, 7):
            options = {c.category: c.points for c in strategy.categories(turn.state(game), turn.dice[game].tolist())}
            category = strategy.rules.categories[turn.category[game]].id
            assert options[category] == turn.points[game]


@pytest.mark.parametrize("rules", ["yatzy", joker_game("free"), saved_rolls_game("free", True)], ids=str)
def test_values_of_many_states_are_those_of_one(rules: object) -> None:
    strategy = perfect_yatzy.open_strategy(rules)  # type: ignore[arg-type]
    for turn in sample_turns(strategy, 100):
        values = values_of(strategy, turn.filled, turn.upper, turn.saved, turn.joker_paid)
        assert values == pytest.approx([strategy.value(turn.state(game)) for game in range(100)])


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
    choice, give_up, mistake = worked_examples(yatzy, prices, turns)
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
