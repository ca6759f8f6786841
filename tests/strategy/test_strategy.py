"""The Python API: answers, checks, batches, simulation, one turn alone, and outside oracles
position by position.
"""

import json
import pickle
import random
import re
import statistics
import time
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from itertools import product
from math import factorial
from typing import Any
from xml.etree import ElementTree

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from perfect_yatzy import (
    RuleSet,
    Scorecard,
    State,
    Strategy,
    load_rules,
    maximise,
    reach,
    sample_positions,
)
from perfect_yatzy.core.dice import lattice
from perfect_yatzy.core.table_slices import PADDING, window
from perfect_yatzy.core.turn_model import turn_model
from perfect_yatzy.game.legal_actions import (
    action_count,
    action_number,
    hold_count,
    numbered_action,
)
from perfect_yatzy.game.notation import counts_of, dice_of, is_subset
from perfect_yatzy.strategy import batch
from perfect_yatzy.strategy.batch_kernel import is_hold
from perfect_yatzy.strategy.environment_kernel import environment_model, is_within
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.strategy.turn_evaluator import CategoryOdds, category_odds
from perfect_yatzy.strategy.verify import random_states
from support import games
from support.command import Run, refusal
from support.naive import Naive
from support.need import need
from support.players import in_memory, with_values
from support.refusals import refused
from support.seeds import examples, ring_2, ring_3

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
NO_STRATEGY = "strategy is 'yatzy'; must be one of perfect_yatzy.open_strategy"
POSITION = [0, 0], [0, 0], [[3, 3, 4, 5, 6]] * 2, [2, 0]


def test_every_hold_once_and_ranked_and_a_slice_is_a_ranking(yatzy: Strategy) -> None:
    holds = yatzy.holds("", "33456", 1)
    values = [h.value for h in holds]
    assert len(holds) == len({h.dice for h in holds}) == 3 * 2 * 2 * 2
    assert values == sorted(values, reverse=True)
    assert holds[0].loss == 0.0
    assert all(h.loss == pytest.approx(holds[0].value - h.value, abs=2e-9) for h in holds)
    stop, choice = next(h for h in holds if len(h.dice) == 5), yatzy.categories("", "33456")[0]
    assert (stop.value, stop.category) == (choice.value, choice.category)
    some = holds[1:3]
    assert [*some] == [holds[1], holds[2]]
    assert (some.rules, some.policy, some.dice, some.rolls_left) == (
        yatzy.rules,
        "mean",
        (3, 3, 4, 5, 6),
        1,
    )
    assert repr(some).splitlines()[0] == "yatzy, mean: 3 3 4 5 6, 1 rolls left"
    assert holds[0].label in holds._repr_html_()
    assert holds[0].label not in some._repr_html_()
    assert pickle.loads(pickle.dumps(some)).columns() == some.columns()


def test_a_position_is_a_text_a_state_a_card_or_points_by_category(yatzy: Strategy) -> None:
    """The last as the JSON API takes it; names, codes and numpy's integers included."""
    text = "ones=3 sixes=24 chance=22"
    card = perfect_yatzy.parse_card(yatzy.rules, text)
    assert yatzy.value(card) == yatzy.value(text) == yatzy.value(card.state)
    assert yatzy.value({}) == yatzy.value() == yatzy.value(State()) == yatzy.info.start_value
    for named in (
        {"ones": 3, "sixes": 24, "chance": 22},
        {"Ones": np.int64(3), "6": 24, "Sjans": np.int16(22)},
    ):
        assert yatzy.value(named) == yatzy.value(text)
        assert yatzy.holds(named, "33456", 1) == yatzy.holds(text, "33456", 1)
        assert yatzy.check(named) == yatzy.check(text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: y.value(State(1 << 15)), "filled is 32768; must be a bitmask from 0 to 32767"),
        (lambda y: y.value(State(1, 6)), "the filled upper boxes cannot sum to 6"),
        (lambda y: y.value(State(0, -1)), "the upper sum is -1; it cannot be negative"),
        (lambda y: y.value(State(0, 0, 2)), "saved rolls: 2 is impossible under yatzy; none exist"),
        (lambda y: y.value(State(0, 0, 0, True)), "the joker's box cannot hold points"),
        (lambda y: y.holds("", "33456", 3), "3 rolls left; to hold dice it must be 1 to 2"),
        (lambda y: y.holds("", [3, 3, 4, 5], 2), "'3 3 4 5' is 4 dice; yatzy has 5"),
        (lambda y: y.categories(State(y.rules.full_mask), "33456"), "the game is over"),
        (
            lambda y: y.best([0, 1], [0, 9], [[1] * 5] * 2, 0),
            "position 1 has an upper sum its boxes cannot give",
        ),
        (lambda y: y.best(0, 0, [[1, 2, 3, 4, 7]], 0), "position 0 has a face outside 1 to 6"),
        (lambda y: y.best(0, 0, [[1, 2, 3, 4]], 0), "dice has 4 columns; yatzy has 5 dice"),
        (lambda y: y.best(0, 0, [[1] * 5], 3), "position 0 has an impossible number of rolls left"),
        (lambda y: y.best(y.rules.full_mask, 0, [[1] * 5], 1), "position 0 has no open category"),
        (
            lambda y: y.best(0, 0, [[1] * 5], 1, saved=1),
            "position 0 has an impossible number of saved rolls",
        ),
        (
            lambda y: y.value(3),
            "card is 3; must be text such as 'ones=3', or points by category such as {'ones': 3}",
        ),
        (lambda y: y.value(["ones"]), "card is ['ones']; must be"),
        (lambda y: y.value({"ones": 3.0}), "ones is 3.0; must be a whole number"),
        (lambda y: y.value({"ones": True}), "ones is true; must be a whole number"),
        (lambda y: y.value({"ones": 7}), "ones cannot hold 7"),
        (lambda y: y.value({1: 3}), "category is 1; must be a name, such as 'ones'"),
        (lambda y: y.holds({"on": 3}, "33456"), "category 'on' is not clear"),
        (lambda y: y.value(Scorecard(y.rules, {99: 3})), "there is no category 99"),
        (lambda y: y.value(Scorecard(y.rules, {0: 3.0})), "ones is 3.0; must be a whole number"),
        (
            lambda y: y.value(Scorecard(y.rules, bonus_points=0.5)),
            "bonus_points is 0.5; must be a whole number",
        ),
        (
            lambda y: y.value(Scorecard(perfect_yatzy.load_rules("generala"))),
            "belongs to generala, not to yatzy",
        ),
        (lambda y: y.value(State(0.0)), "filled is 0.0; must be a whole number"),
        (lambda y: y.value(State(0, 0, 0.5)), "saved is 0.5; must be a whole number"),
        (lambda y: y.holds("", [3.5, 3, 4, 5, 6]), "a die is 3.5; must be a whole number"),
        (lambda y: y.holds("", [float("nan")] * 5), "a die is nan; must be a whole number"),
        (lambda y: y.holds("", list("33456")), "a die is '3'; must be a whole number"),
        (lambda y: y.holds("", 33456), "dice is 33456; must be text such as"),
        (lambda y: y.holds("", "33456", 1.5), "rolls_left is 1.5; must be a whole number"),
        (lambda y: y.categories("", "33456", 0.5), "rolls_left is 0.5; must be a whole number"),
        (
            lambda y: y.best(0, [0.7], [[1] * 5], 0),
            "position 0: upper is 0.7; must be a whole number",
        ),
        (
            lambda y: y.best(0, [0, np.nan], [[1] * 5] * 2, 0),
            "position 1: upper is nan; must be a whole number",
        ),
        (
            lambda y: y.best(0, 0, [[1] * 5, [1, 1, 2.5, 1, 1]], 0),
            "position 1: dice is 2.5; must be a whole number",
        ),
        (
            lambda y: y.best(0, 1e300, [[1] * 5], 0),
            "position 0: upper is 1e+300; must be a whole number",
        ),
        (
            lambda y: y.best(["a"], 0, [[1] * 5], 0),
            "filled is ['a']; must be an array of whole numbers",
        ),
        (
            lambda y: y.best(0, 0, [[1, 2], [1]], 0),
            "dice is [[1, 2], [1]]; must be an array of whole numbers",
        ),
        (
            lambda y: y.best([0, 0, 0], 0, [[1] * 5] * 2, 0),
            "filled has shape (3,); there are 2 rolls of dice",
        ),
        (lambda y: y.best(0, 0, [[[1] * 5]], 0), "dice has 3 dimensions; must be (n, 5)"),
        (lambda y: simulate("yatzy", 10), NO_STRATEGY + ", reach or"),
        (
            lambda y: simulate(y.rules, 10),
            "must be one of perfect_yatzy.open_strategy, reach or maximise",
        ),
        (lambda y: perfect_yatzy.distribution("yatzy"), NO_STRATEGY),
        (lambda y: simulate(y, 1.5), "games is 1.5; must be a whole number"),
        (lambda y: simulate(y, 0), "games is 0; must be at least 1"),
        (lambda y: simulate(y, 5, seed="a"), "seed is 'a'; must be a whole number"),
        (lambda y: simulate(y, 5, seed=1 << 63), "must be from 0 to 2"),
        (lambda y: simulate(y, 5, seed=-1), "seed is -1; must be from 0 to 2"),
        (lambda y: simulate(y, 5, points=0.5), "points is 0.5; must be a whole number"),
        (
            lambda y: perfect_yatzy.distribution(y, LATE, points=0.5),
            "points is 0.5; must be a whole number",
        ),
        (
            lambda y: sample_positions("yatzy", 5),
            "strategy is 'yatzy'; must be one of perfect_yatzy.open_strategy",
        ),
        (lambda y: sample_positions(y, 0), "n is 0; must be at least 1"),
        (lambda y: sample_positions(y, 1.5), "n is 1.5; must be a whole number"),
        (lambda y: sample_positions(y, 5, seed=-1), "seed is -1; must be from 0 to 2**63 - 1"),
        (
            lambda y: sample_positions(y, 5, exploration=1.5),
            "exploration is 1.5; must be a number from 0 to 1",
        ),
        (
            lambda y: sample_positions(y, 5, exploration="a"),
            "exploration is 'a'; must be a number from 0 to 1",
        ),
        (lambda y: sample_positions(y, 5, start="ones=9"), "ones cannot hold 9"),
        (lambda y: sample_positions(y, 10**13), "10,000,000,000,000 positions need about"),
        (
            lambda y: y.regrets(*POSITION, actions=[0, 1]),
            "position 1: action 1 (hold 1) is not legal",
        ),
        (
            lambda y: y.regrets(*POSITION, actions=["33", "33"]),
            "position 1: action 18 (hold 3 3) is not legal",
        ),
        (
            lambda y: y.regrets(1, 1, [[1] * 5], 2, actions=[210]),
            "position 0: action 210 (score ones) is not legal",
        ),
        (
            lambda y: y.regrets(*POSITION, actions=[0, 225]),
            "position 1: action is 225; must be 0 to 224",
        ),
        (lambda y: y.regrets(*POSITION, actions=[-1, 0]), "position 0: action is -1"),
        (
            lambda y: y.regrets(*POSITION, actions=["33", "royal"]),
            "position 1: unknown category 'royal'",
        ),
        (
            lambda y: y.regrets(*POSITION, actions=[1.5, 2]),
            "position 0: actions is 1.5; must be a whole number",
        ),
        (
            lambda y: y.regrets(*POSITION, actions=[1]),
            "actions has shape (1,); there are 2 positions",
        ),
        (
            lambda y: y.regret("", "33456", "66", 2),
            "'66' is not legal with '33456' and 2 rolls left",
        ),
        (lambda y: y.regret("ones=3", "33456", "ones"), "'ones' is not legal"),
        (lambda y: y.regret("", "33456", "33456", 2), "an action holds fewer than 5 dice"),
        (lambda y: y.regret("", "33456", [7], 2), "no action holds '7'; the faces are 1 to 6"),
        (
            lambda y: y.regret("", "33456", 5, 2),
            "action is 5; must be the dice to hold or the name",
        ),
        (lambda y: y.options(0, 0, [[1, 2, 3, 4, 7]], 0), "position 0 has a face outside 1 to 6"),
        (lambda y: numbered_action(y.rules, 225), "action is 225; must be 0 to 224"),
        (lambda y: reach("yatzy", 240, LATE).options(*POSITION), "points is missing"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(yatzy: Strategy, call: Any, message: str) -> None:
    """Nothing is rounded, and nothing escapes as an error of Python or NumPy."""
    assert issubclass(perfect_yatzy.StateError, ValueError)
    refused(re.escape(message), call, yatzy)


def test_rules_by_name_or_by_themselves_and_a_forced_order(forced: Strategy) -> None:
    assert perfect_yatzy.load_rules(forced.rules) is forced.rules
    assert np.array_equal(perfect_yatzy.solve("yatzy-forced"), forced.values)
    assert [(c.category, c.points) for c in forced.categories("ones=3", "22255")] == [("twos", 6)]
    refused("in the order of the sheet", forced.value, State(0b10, 4))


@pytest.mark.full
def test_a_table_of_short_floats_is_read_where_it_lies(yatzy: Strategy) -> None:
    """The kernels widen its entries: as if the same numbers were stored in full, and no copy is
    made.
    """
    short = yatzy.values.astype(np.float32)
    one, other = (with_values(yatzy, values) for values in (short, short.astype(np.float64)))
    given = asked(yatzy, 2_000, seed=5)
    for mine, theirs in zip(
        vars(one.best(**given)).values(), vars(other.best(**given)).values(), strict=True
    ):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(simulate(one, 2_000).final_scores, simulate(other, 2_000).final_scores)
    for filled in range(yatzy.space.categories):
        part = window(yatzy.space, short, filled)
        end = yatzy.space.layer_slice(filled).stop - part.start
        assert len(part.values) >= end + PADDING
        assert np.array_equal(part.values[:end], short[part.start : part.start + end])
        assert np.shares_memory(part.values, short) or len(part.values) < 1000


@pytest.mark.parametrize(
    ("key", "variant"),
    [
        ring_2("yatzy", "yatzy-scandinavian"),
        ring_3("yatzy+five-is-full-house+four-is-two-pairs", "yatzy-scandinavian+fh5+tp4"),
    ],
)
def test_an_outside_solver_agrees_position_by_position(
    key: str, variant: str, yatzy: Strategy
) -> None:
    """Every option of a few hundred random positions, to 1e-9, with the PyPI package
    yatzy-solver.
    """
    peer = need("yatzy_solver")
    other, ours = peer.Solver.build(peer.Variant(variant)), perfect_yatzy.open_strategy(key)
    names = list(other.variant.categories)
    assert len(names) == 15
    given = asked(ours, 300, seed=9)
    for filled, upper, dice, left in zip(
        *(given[n] for n in ("filled", "upper", "dice", "rolls_left")), strict=True
    ):
        state, dice = State(filled, upper), sorted(dice.tolist())
        boxes = ",".join(names[c] for c in range(15) if filled >> c & 1) or "-"
        place = f"dice {' '.join(map(str, dice))} | rolls {left} | upper {upper} | filled {boxes}"
        # The peer pays the upper bonus when the threshold is crossed, we at the end of the game.
        paid = 50 if upper >= 63 else 0
        theirs = {option: value + paid for option, value in other.option_values(place)}
        for choice in ours.categories(state, dice):
            score = f"score {names[ours.rules.index_of[choice.category]]}"
            assert theirs[score] == pytest.approx(choice.value, abs=1e-9)
        if left:
            for hold in ours.holds(state, dice, left):
                if len(hold.dice) < 5:
                    keep = f"keep {' '.join(map(str, hold.dice)) or '-'}"
                    assert theirs[keep] == pytest.approx(hold.value, abs=1e-9)


def test_displays_are_small_well_formed_and_without_colours(yatzy: Strategy) -> None:
    """The colours of the page apply, so they are readable on light and on dark ground."""
    assert "248.4400" in yatzy._repr_html_()
    assert repr(yatzy) == "<Strategy yatzy: 248.4400>"
    shown = yatzy.holds("", "22555", 1)._repr_html_()
    assert shown.startswith("<table>")
    assert "score full-house" in shown
    assert "full-house for 19" in yatzy.categories("", "22555")._repr_html_()
    position = 0, 0, [[3, 3, 4, 5, 6]] * 40, 2
    displays = {
        "simulation": simulate(yatzy, 2_000),
        "one game": simulate(yatzy, 1),
        "distribution": perfect_yatzy.distribution(
            yatzy, "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"
        ),
        "rules": perfect_yatzy.load_rules("yahtzee"),
        "holds": yatzy.holds("", "12345"),
        "slice": yatzy.holds("", "12345")[2:5],
        "no action": yatzy.holds("", "12345")[:0],
        "batch": yatzy.best(*position),
        "options": yatzy.options(*position),
        "no position": yatzy.best(0, 0, np.empty((0, 5), np.int64), 0),
        "positions": perfect_yatzy.sample_positions(yatzy, 50, options=True),
    }
    escaped = replace(perfect_yatzy.load_rules("yatzy"), name="<b>Bo & Co</b>")._repr_html_()
    assert "&lt;b&gt;Bo &amp; Co&lt;/b&gt;" in escaped
    for name, result in displays.items():
        shown = result._repr_html_()
        ElementTree.fromstring(f"<div>{shown}</div>")
        assert len(shown) < 6_000, name
        assert not re.search(r"#[0-9a-f]{3}|rgb|(?<!-)color:|background", shown), name
        assert len(repr(result)) < 1_500, name
        assert "array(" not in repr(result), name


@pytest.mark.full
def test_a_single_query_is_quick(yatzy: Strategy) -> None:
    """Not a benchmark, a tripwire: the target is 1 ms, a regression tenfold fails here."""
    state = yatzy.state("ones=3 sixes=24 chance=22")
    times = []
    for _ in range(20):
        start = time.perf_counter()
        yatzy.holds(state, "33456", 2)
        times.append(time.perf_counter() - start)
    assert statistics.median(times) < 0.01


@pytest.mark.parametrize(
    "rules", [games.joker_game("forced", bonus=4), games.saved_rolls_game("free", True)]
)
def test_a_position_goes_everywhere(rules: RuleSet) -> None:
    """The best action is that of the batch kernels, and values are means over rolls and maxima
    over actions.
    """
    strategy, generator = perfect_yatzy.open_strategy(rules), random.Random(3)
    position, points = perfect_yatzy.start_turn(rules), 0
    grid = strategy.evaluator.dice
    while not position.over:
        if position.to_roll:
            rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
            after = [position.roll(roll) for roll in rolls if is_subset(position.dice, roll)]
            new = [
                np.subtract(counts_of(rules, each.dice), counts_of(rules, position.dice))
                for each in after
            ]
            ways = [
                factorial(position.to_roll) / np.prod([factorial(n) for n in rolled])
                for rolled in new
            ]
            mean = sum(n * strategy.value(each) for n, each in zip(ways, after, strict=True))
            assert strategy.value(position) == pytest.approx(
                mean / rules.faces**position.to_roll, abs=1e-9
            )
            position = position.roll(generator)
            continue
        state, left = position.state, position.rolls_left
        batch = strategy.best(
            state.filled, state.upper, [position.dice], left, state.saved, state.joker_paid
        )
        assert action_number(rules, strategy.best_action(position)) == batch.action[0]
        ranking = strategy.ranking(position)
        assert ranking == strategy.ranking(position.card, position.dice, left)
        held = [option.action for option in ranking if isinstance(option, perfect_yatzy.Hold)]
        assert sorted(held) == sorted(position.holds())
        for option in ranking:
            made = position.apply(option.action)
            earned = made.card.total - position.card.total
            assert option.value == pytest.approx(earned + strategy.value(made), abs=1e-9)
            assert strategy.regret(position, option.action) == option.loss
        assert strategy.value(position) == pytest.approx(batch.value[0], abs=1e-9)
        if left:
            assert strategy.holds(position) == strategy.holds(position.card, position.dice, left)
        assert strategy.categories(position) == strategy.categories(
            position.card, position.dice, left
        )
        points += 1
        position = position.apply(generator.choice(position.legal_actions()))
    assert points >= len(rules.categories)
    assert strategy.value(position) + position.card.total == position.card.score


@pytest.mark.parametrize(
    "text",
    [
        "start_turn('yatzy')",
        "start_turn('yatzy', 'ones=3 chance=22', dice='33456')",
        "start_turn('yatzy+five-is-full-house', dice='33456', rolls_left=1)",
        "start_turn('yatzy', rolls_left=0, held='33')",
        "start_turn('yahtzee', 'aces=5 yahtzee=50', held='33', bonus_points=100)",
        "start_turn('yatzy-saved', 'ones=3', dice='33456', saved=2)",
        "start_turn('yatzy', State(filled=1, upper=3, saved=0, joker_paid=False), dice='33456')",
    ],
)
def test_a_position_prints_as_the_call_that_makes_it(text: str) -> None:
    position, again = (
        eval(text, {"start_turn": perfect_yatzy.start_turn, "State": State}) for _ in range(2)
    )
    assert repr(position) == text
    assert position == again
    assert len({position, again, perfect_yatzy.start_turn("generala")}) == 2
    assert "<table>" in position._repr_html_()


def test_a_position_is_refused_where_it_does_not_belong(yatzy: Strategy) -> None:
    start, simulate = perfect_yatzy.start_turn, perfect_yatzy.simulate
    begin, rolled = start("yatzy"), start("yatzy").roll("33456")
    assert (
        yatzy.regret(rolled, action="33")
        == yatzy.regret(rolled, "33")
        == yatzy.regret("", "33456", "33", 2)
    )
    assert simulate(yatzy, 5, start=begin).mean == simulate(yatzy, 5).mean
    for message, call, *arguments in (
        ("still to be rolled", yatzy.best_action, begin),
        ("still to be rolled", yatzy.ranking, "ones=3"),
        ("belongs to kniffel", yatzy.best_action, start("kniffel", dice="33456")),
        ("'66' is not legal with '33456' and 2 rolls left", yatzy.regret, rolled, "66"),
        ("must be dice", partial(start, held="chance"), "yatzy"),
        ("it must be 0 to 1", partial(start, held="33", rolls_left=2), "yatzy"),
        ("has its own dice", yatzy.holds, rolled, "11111"),
        ("must be the dice to hold or the name", yatzy.regret, rolled),
    ):
        refused(message, call, *arguments)
    for started in (rolled, rolled.apply("33")):
        refused("the turn has begun", perfect_yatzy.distribution, yatzy, started)
        for call in (simulate, sample_positions):
            refused("the turn has begun", call, yatzy, 1, start=started)


def columns(states: list[State]) -> dict[str, Any]:
    return {
        name: [getattr(s, name) for s in states]
        for name in ("filled", "upper", "saved", "joker_paid")
    }


def asked(strategy: Strategy, number: int, seed: int) -> dict[str, Any]:
    """Random positions as arguments of a batch."""
    random, rules = np.random.default_rng(seed), strategy.rules
    states = [*random_states(strategy.space, number, seed)]
    left = [random.integers(rules.rolls_per_turn + state.saved) for state in states]
    return columns(states) | {
        "dice": random.integers(1, rules.faces + 1, (number, rules.dice)),
        "rolls_left": left,
    }


def ranked(strategy: Strategy, card: Any, dice: Any, left: int) -> np.ndarray:
    """The values of all actions by single questions; minus infinity for what is not legal."""
    found = np.full(action_count(strategy.rules), -np.inf)
    for choice in strategy.categories(card, dice, left):
        found[action_number(strategy.rules, choice.category)] = choice.value
    for hold in strategy.holds(card, dice, left) if left else ():
        if hold.category is None:
            found[action_number(strategy.rules, hold.dice)] = hold.value
    return found


@examples(2, 25)
@given(games.rule_sets())
@example(games.JOKER)
@example(games.joker_game("free", saved_rolls=True))
@example(games.joker_game("none", order="forced"))
@example(games.saved_rolls_game("free", True))
def test_options_and_single_questions_have_the_values_of_the_oracle(rules: RuleSet) -> None:
    """Every hold, every category, and nothing that the rules forbid."""
    oracle, strategy = Naive(rules.canonical()), in_memory(rules)
    rolls = oracle.rolls()
    positions, expected = [], []
    states = sorted(state for state in oracle.states() if state[0] != oracle.full_mask)
    for i, (filled, upper, saved, flag) in enumerate(states[:: 1 + len(states) // 20]):
        most = rules.rolls_per_turn - 1 + saved
        for left in range(most + 1):
            dice = rolls[(7 * i + left) % len(rolls)][0]
            values = np.full(action_count(rules), -np.inf)
            for box, value in oracle.stops(filled, upper, flag, dice, left, left == most).items():
                values[hold_count(rules) + box] = float(value)
            for held in oracle.holds_of(dice) if left else ():
                if len(held) < rules.dice:
                    values[action_number(rules, held)] = float(
                        oracle.hold_value(filled, upper, flag, held, left)
                    )
            positions.append((filled, upper, dice, left, saved, flag))
            expected.append(values)
            single = ranked(
                strategy, State(filled, upper, saved, flag and rules.tracked_index >= 0), dice, left
            )
            np.testing.assert_allclose(single, values, rtol=0, atol=1e-9)
    columns = [list(column) for column in zip(*positions, strict=True)]
    found = strategy.options(*columns)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.value, found.values.max(axis=1), atol=1e-8)
    assert np.array_equal(found.action, strategy.best(*columns).action)
    assert (found.legal[:, hold_count(rules) :].sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    "key",
    [
        "yatzy",
        "yahtzee",
        "yahtzee-free-joker",
        "generala",
        "maxi-forced",
        "goal",
        "utility",
        ring_2("yatzy-saved"),
    ],
)
def test_options_and_regrets_are_those_of_single_questions(key: str) -> None:
    if key in ("goal", "utility"):  # cards with points that play from LATE on can have made
        strategy = reach("yatzy", 240, LATE) if key == "goal" else maximise("yatzy", np.sqrt, LATE)
        cards = [LATE, LATE + " chance=20", LATE + " chance=0 yatzy=0 full-house=28"]
        dice, points = [[3, 3, 4, 5, 6], [1] * 5, [6, 6, 6, 5, 5]], {"points": [73, 93, 101]}
        given = columns([strategy.state(card) for card in cards]) | {
            "dice": dice,
            "rolls_left": [2, 1, 0],
        }
    else:
        strategy, points = perfect_yatzy.open_strategy(key), {}
        cards, given = [*random_states(strategy.space, 40, 5)], asked(strategy, 40, seed=5)
    rules = strategy.rules
    found, best = strategy.options(**given, **points), strategy.best(**given, **points)
    for name in ("held", "category", "value", "action"):
        assert np.array_equal(getattr(found, name), getattr(best, name))
    assert not strategy.regrets(**given, actions=best, **points).any()
    for i, card in enumerate(cards):
        roll, left = sorted(np.asarray(given["dice"])[i].tolist()), int(given["rolls_left"][i])
        expected = ranked(strategy, card, roll, left)
        np.testing.assert_allclose(found.values[i], expected, rtol=2e-6 if points else 0, atol=1e-9)
        legal = np.flatnonzero(expected > -np.inf)
        one = {
            name: [np.asarray(column)[i]] * len(legal) for name, column in (given | points).items()
        }
        losses = strategy.regrets(**one, actions=legal)
        np.testing.assert_allclose(
            losses, expected.max() - expected[legal], atol=2e-5 if points else 1e-8
        )
        for action, loss in zip(legal.tolist()[::5], losses[::5].tolist(), strict=True):
            single = strategy.regret(card, roll, numbered_action(rules, action), left)
            assert single == pytest.approx(loss, abs=2e-6 if points else 1e-9)


def test_options_and_regrets_do_not_depend_on_threads_or_order(yatzy: Strategy) -> None:
    """To the bit; more positions than one slice."""
    given = {name: np.asarray(column) for name, column in asked(yatzy, 5_000, 4).items()}
    back = {name: column[::-1] for name, column in given.items()}
    one, other = yatzy.options(**given, threads=1), yatzy.options(**back, threads=3)
    assert np.array_equal(one.values, other.values[::-1])
    assert np.array_equal(one.action, other.action[::-1])
    random = np.random.default_rng(1)
    taken = np.array([random.choice(np.flatnonzero(row)) for row in one.legal])
    losses = yatzy.regrets(**given, actions=taken, threads=1)
    assert np.array_equal(losses, yatzy.regrets(**back, actions=taken[::-1], threads=2)[::-1])
    expected = one.values.max(axis=1) - one.values[np.arange(5_000), taken]
    assert np.array_equal(losses, np.where(expected <= 1e-9, 0.0, expected))


def test_actions_are_numbers_dice_or_names_and_batches_take_whole_numbers_of_any_type(
    yatzy: Strategy,
) -> None:
    given = [0, 1, 0], [0, 3, 0], [[3, 3, 4, 5, 6], [2, 2, 5, 5, 5], [1, 2, 3, 4, 6]], [2, 0, 1]
    named = yatzy.regrets(*given, actions=["33", "full-house", ()])
    numbers = [action_number(yatzy.rules, action) for action in ([3, 3], "full-house", "none")]
    assert yatzy.regrets(*given, actions=numbers).tolist() == named.tolist()
    assert named.tolist() == [
        0.0,
        0.0,
        pytest.approx(yatzy.regret("", "12346", "none", 1), abs=1e-9),
    ]
    assert named[2] > 0.5
    found = yatzy.options(*given)
    assert found.hold_values.shape == (3, 210)
    assert found.category_values[1, 12] == yatzy.best(*given).value[1]
    dice = [[3, 3, 4, 5, 6], [2, 2, 5, 5, 5]]
    one = yatzy.best([0, 1], [0, 3], dice, [2, 0])
    other = yatzy.best(
        np.array([0.0, 1.0]),
        np.array([0, 3], np.uint8),
        np.array(dice, np.float32),
        np.array([2, 0]),
    )
    assert one.value.tolist() == other.value.tolist()
    assert one.categories == tuple(c.id for c in yatzy.rules.categories)


def test_unsigned_numbers_that_int64_has_not_are_refused(yatzy: Strategy) -> None:
    """In place of a number that wraps around to one that may be valid."""
    largest = np.iinfo(np.int64).max
    assert batch.whole_numbers("n", np.array([largest], np.uint64)).tolist() == [largest]
    assert batch.whole_numbers("n", np.array([0, 255], np.uint8)).tolist() == [0, 255]
    for first in (largest + 1, 2**64 - 1):
        wrong = np.array([0, first], np.uint64)
        fault = f"position 1: uppers is {first}; must be a whole number"
        refused(fault, batch.whole_numbers, "uppers", wrong)
    wrapped = np.array([2, 2**64 - 1], np.uint64)  # -1 if it wraps around
    refused("position 1: rolls_left is", yatzy.best, *POSITION[:3], wrapped)


def test_values_that_do_not_fit_are_refused_and_none_is_not(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is computed; regrets need no such memory."""
    nothing = np.empty((0, 5), dtype=np.int64)
    assert yatzy.options(0, 0, nothing, 0).values.shape == (0, 225)
    assert len(yatzy.regrets(0, 0, nothing, 0, actions=np.empty(0, dtype=np.int64))) == 0
    monkeypatch.setattr(batch, "available_memory", lambda: 3_000)
    assert (
        refused("values of 225 options in 2 positions take", yatzy.options, *POSITION).code
        == "too-large"
    )
    assert yatzy.regrets(*POSITION, actions=["33", "chance"]).shape == (2,)


def test_known_chances_and_holds() -> None:
    found = {entry.category: entry for entry in category_odds(load_rules("yatzy"))}
    assert found["yatzy"].chance == pytest.approx(0.04602864252569899, abs=1e-12)
    for category, chance, points in (
        ("chance", 1.0, 70 / 3),
        ("sixes", 1 - (5 / 6) ** 15, 30 * (1 - (5 / 6) ** 3)),
    ):
        assert found[category].chance == pytest.approx(chance, abs=1e-12)
        assert found[category].expected_points == pytest.approx(points, abs=1e-12)
    found = {
        entry.category: entry for entry in category_odds(load_rules("yatzy"), (3, 3, 4, 5, 6), 1)
    }
    holds = {"one-pair": (3, 3, 4, 5, 6), "yatzy": (3, 3), "large-straight": (3, 4, 5, 6)}
    assert {
        category: found[category].hold for category in holds
    } == holds  # no die is rerolled without need
    assert found["large-straight"].chance == pytest.approx(1 / 6)


@pytest.mark.parametrize("dice", [(1, 1, 2), (1, 2, 3), (3, 3, 3), (2, 3, 3)])
@pytest.mark.parametrize("left", [0, 1, 2])
def test_against_the_oracle(dice: tuple[int, ...], left: int) -> None:
    """A chance is the value of a game of one box that pays a point."""
    rules = games.joker_game("none")
    exact = category_odds(rules, dice, left, exact=True)
    for box, known, entry in zip(
        rules.categories, exact, category_odds(rules, dice, left), strict=True
    ):
        one = replace(
            box, patterns=tuple(replace(p, score="fixed", points=1) for p in box.patterns)
        )
        oracle = Naive(games.small(one, dice=3, faces=3).canonical())
        assert known.chance == oracle.best(0, 0, False, dice, left, False)
        assert entry.chance == pytest.approx(float(known.chance), abs=1e-12)
        assert entry.expected_points == pytest.approx(float(known.expected_points), abs=1e-12)


def test_each_value_is_the_mean_over_the_rerolls_of_its_hold() -> None:
    """Bellman's equation: the value of the hold is the mean of the values of the rolls that
    follow it.
    """
    rules, dice = load_rules("yatzy"), (3, 3, 4, 5, 6)
    found = category_odds(rules, dice, 2)
    fours = next(entry for entry in found if entry.category == "fours")
    assert (fours.hold, fours.expected_points_hold) == (dice, (4,))

    @cache
    def after(hold: tuple[int, ...]) -> list[list[CategoryOdds]]:
        return [
            category_odds(rules, hold + roll, 1)
            for roll in product(range(1, 7), repeat=5 - len(hold))
        ]

    for c, entry in enumerate(found):
        for name, hold in (("chance", entry.hold), ("expected_points", entry.expected_points_hold)):
            if hold is not None and len(hold) >= 3:
                mean = sum(getattr(rows[c], name) for rows in after(hold)) / len(after(hold))
                assert getattr(entry, name) == pytest.approx(mean)


def test_of_equal_holds_odds_name_the_one_with_the_most_dice_then_the_highest_faces() -> None:
    """Faces that pay alike are interchangeable, and each of them may be the one of five equal dice."""
    yatzy = load_rules("yatzy")
    for dice, left, hold in (
        ((1, 2, 3, 4, 5), 2, (5,)),
        ((2, 3, 4, 5, 6), 1, (6,)),
        ((1, 1, 4, 4, 5), 2, (4, 4)),
        ((1, 1, 4, 4, 4), 2, (4, 4, 4)),
    ):
        for exact in (False, True):
            *_, found = category_odds(yatzy, dice, left, exact=exact)
            assert (found.category, found.hold) == ("yatzy", hold)
            assert found.expected_points_hold == hold


def test_impossible_turns_are_rejected() -> None:
    for key, dice, left, message in (
        ("yatzy", None, 3, "3 rolls left; under yatzy there can be 0 to 2"),
        ("maxi", None, 41, "41 rolls left; under maxi there can be 0 to 40"),
        ("yatzy", (1, 2, 3, 4), None, "4 dice"),
    ):
        refused(message, category_odds, load_rules(key), dice, left)
    # all rolls of nineteen turns saved
    assert category_odds(load_rules("maxi"), None, 40)[0].chance > 0.999


def test_odds_command(run: Run) -> None:
    out = run("odds", "33456", "-l", "1")
    assert out.stdout.splitlines()[0].startswith("3 3 4 5 6 (⚂⚂⚃⚄⚅), one reroll left")
    assert "16.67 %" in out.stdout
    assert "  Fours             100.00 %  3 3 4 5 6     6.67  4\n" in out.stdout
    assert max(map(len, out.stdout.splitlines())) <= 60
    answer = json.loads(run("odds", "--rules", "yahtzee", "--json").stdout)
    chances = {entry["category"]: entry["chance"] for entry in answer["categories"]}
    assert chances["yahtzee"] == pytest.approx(0.04602864252569899)
    exact = run("odds", "--rules", "yahtzee", "--exact").stdout
    assert "347897/7558272 " in exact  # as published
    assert "439667406451/470184984576 " in exact  # 1 - (5/6)^15
    refusal(run, "odds", "334")


def test_the_holds_of_each_roll_are_its_smaller_parts() -> None:
    """Every multiset of up to three dice beside every roll, also the first and the last one."""
    rules = games.small(games.face(1), games.face(2), dice=3, faces=3, rolls=2)
    dice, model = turn_model(rules, State()).dice, environment_model(rules)
    multisets = lattice(rules.dice, rules.faces).multisets
    for roll in range(dice.first_roll, len(multisets)):
        for hold, held in enumerate(multisets):
            is_part = not Counter(held) - Counter(multisets[roll])
            assert is_within(model, hold, roll) == is_part, (held, multisets[roll])
            is_smaller = is_part and hold != roll
            assert is_hold(dice, hold, roll) == is_smaller, (held, multisets[roll])
