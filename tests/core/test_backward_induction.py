"""The engine against an oracle with every mechanic, published values, other arithmetic, any
threads, and its past.
"""

import hashlib
import threading
import tomllib
from dataclasses import replace
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RulesError, RuleSet, State, Strategy, load_rules
from perfect_yatzy.core import lattice
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.resources import ScratchPool, thread_map
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.core.table_slices import Values
from perfect_yatzy.core.turn_model import turn_model, turn_outcomes
from perfect_yatzy.game.maximum_score import maximum_score
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.strategy.verify import bellman_residual, random_states
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.tablebase.state_counts import count_states
from support import games
from support.games import CHANCE, joker_game
from support.mechanics import MECHANICS, random_rules
from support.naive import Naive
from support.players import check_against_oracle
from support.refusals import load_text, refused
from support.seeds import in_rings, ring_2, ring_3, seeds

RULESETS = Path(perfect_yatzy.__file__).parent / "game" / "rulesets"


@pytest.mark.parametrize(
    ("order", "saved_rolls", "expected"),
    [
        ("free", False, 32.012905351412),
        ("free", True, 34.096492407508),
        ("forced", False, 23.778106613136),
        ("forced", True, 24.824518620648),
    ],
)
def test_saved_rolls_oracle_of_the_catalogue(
    order: str, saved_rolls: bool, expected: float
) -> None:
    assert solve_values(games.saved_rolls_game(order, saved_rolls))[-1] == pytest.approx(
        expected, abs=1e-12
    )


def cards_from(naive: Naive, start: tuple[int, int, int, bool]) -> set[tuple[int, int, int, bool]]:
    """Every card that a game from a card can reach, by the rules alone."""
    found, new = set(), {start}
    while new:
        found |= new
        new = {
            after
            for filled, upper, saved, flag in new
            if filled != naive.full_mask
            for dice, _chance in naive.rolls()
            for left in range(naive.game["rolls"] + saved)
            for _box, _points, after in naive.endings(filled, upper, flag, dice, left, False)
        } - found
    return found


@pytest.mark.parametrize("saved_rolls", [False, True])
def test_a_table_from_a_card_has_the_saved_rolls_of_that_card_on(saved_rolls: bool) -> None:
    rules = replace(games.SAVED, saved_rolls=saved_rolls)
    naive = Naive(rules.canonical())
    for filled, upper, saved, flag in naive.states():
        start = State(filled, upper, saved, flag)
        space = state_space(rules, start)
        reached = cards_from(naive, (filled, upper, saved, flag))
        for layer in range(filled.bit_count(), len(rules.categories) + 1):
            most = max(card[2] for card in reached if card[0].bit_count() == layer)
            rows = space.layers[layer]
            lanes = space.layout.lane_count[space.layout.lane_sets[rows]].sum()
            entries = space.layer_slice(layer)
            assert entries.stop - entries.start == lanes * (most + 1)


@cache
def solved(key: str) -> Values:
    return solve_values(load_rules(key))


# What others have published, or what a second program has found: all that the rule files say.
PUBLISHED = {
    "crag": "149.8475932316",
    "kniffel": "248.0761494649",
    "kniffel+free-striking": "250.7651092009",
    "kniffel+championship": "249.5569217800",
    "kniffel+travel-edition": "248.3210304462",
    "kniffel+travel-edition-any-entry": "251.4900675996",
    "kniffel+no-extra": "245.8707745141",
    "kniffel+bonus-100": "254.5877287345",
    "maxi-tactic": "383.3054026849",
    "yacht-51": "191.7743691883",
    "yacht+five-is-full-house+four-pays-all-dice": "169.7987054989",
    "yahtzee": "254.5877287345",
    "yahtzee-free-joker": "254.5896094820",
    "yahtzee-no-joker": "253.9702411898",
    "yahtzee-plain": "245.8707745141",
    "yams": "211.5325507454",
    "yatzy": "248.4399893779",
    "yatzy+five-is-full-house": "248.4680909173",
    "yatzy+four-is-two-pairs": "248.6440589438",
    "yatzy+five-is-full-house+four-is-two-pairs": "248.6748826884",
    "yatzy-forced+threshold-63": "122.5585273964",
}
RING_1 = [
    "yatzy",
    "yatzy-forced+threshold-63",
    "yahtzee",
    "kniffel",
    "kniffel+championship",
    "crag",
    "yams",
]


def in_its_ring(key: str) -> Any:
    """A published game as a parameter: those of RING_1 have every mechanic between them."""
    if key == "maxi-tactic":
        return ring_3(key)
    return key if key in RING_1 else ring_2(key)


@pytest.mark.parametrize("key", [*map(in_its_ring, PUBLISHED)])
def test_published_values_to_every_printed_digit(key: str) -> None:
    assert f"{solved(key)[-1]:.10f}" == PUBLISHED[key]


def test_the_rule_files_say_the_published_values() -> None:
    """All of them, and no other."""
    found = {}
    for path in RULESETS.glob("*.toml"):
        for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("published", []):
            key = "+".join([path.stem, *entry.get("switches", [])])
            found[key] = load_rules(key).published.value
    assert found == PUBLISHED


UNPUBLISHED = {"kismet": 315.1799959055, "balut": 433.3471236637}


@pytest.mark.full
@pytest.mark.parametrize("key", UNPUBLISHED)
def test_values_of_games_that_nobody_has_published(key: str) -> None:
    """But Kismet those of a second program, dense arrays in NumPy, from the texts of the rules
    or OpenSpiel's scores.
    """
    assert solved(key)[-1] == pytest.approx(UNPUBLISHED[key], abs=1e-10)


@pytest.mark.full
def test_one_pair_in_two_pairs_is_the_known_other_game(tmp_path: Path) -> None:
    """The often quoted 248.63 is the value of a game in which a pair scores in Two Pairs."""
    patterns = "patterns = [{ groups = [2, 2] }, { groups = [2] }]"
    rules = load_text(tmp_path, f'extends = "yatzy"\n[categories.two-pairs]\n{patterns}\n')
    assert f"{solve_values(rules)[-1]:.10f}" == "248.6328539121"


@pytest.mark.parametrize(
    "key", ["generala", *(ring_2(key) for key in ("yatzy", "yahtzee", "maxi-forced"))]
)
def test_unrolled_and_indexed_lattices_give_the_same_bits(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six dice in forced order with saved rolls are the small twin of the big six-dice games."""
    # in ring 1, too
    monkeypatch.setattr(lattice, "UNROLLED", {lattice.FiveDice: (5, 6), lattice.SixDice: (6, 6)})
    rules = load_rules(key)
    assert np.array_equal(solve_values(rules), solve_values(rules, unrolled=False))


def test_golden_hashes_and_any_number_of_threads() -> None:
    """An optimisation may not change a bit of these tables. A change of arithmetic may, with its
    reason.
    """
    for key, known in {"yatzy": "db5620aebb3447d2", "yatzy-forced": "ae375e289466892f"}.items():
        assert hashlib.sha256(solved(key).tobytes()).hexdigest()[:16] == known
    rules = load_rules("crag")
    one = solve_values(rules, threads=1)
    assert np.array_equal(one, solve_values(rules, threads=2))
    assert np.array_equal(one, solve_values(rules, threads=5))


@pytest.mark.parametrize(
    ("key", "states", "size"),
    [
        ("yatzy", 1_430_528, 958_976),
        ("yahtzee", 536_448, 359_616),
        ("maxi-unsaved", 57_507_840, 33_472_512),
        ("maxi-tactic", 54_820_864, 36_864_000),
        (
            "giant-forced",
            8_216 + 190,
            None,
        ),  # the catalogue counts states at the start of a turn: no full cards
        ("yatzy-forced", 527 + 43, None),  # upper sums 0 ... 42
    ],
)
def test_sizes_of_the_catalogue(key: str, states: int, size: int | None) -> None:
    rules = load_rules(key)
    assert count_states(rules).states == states
    assert size in (None, state_space(rules).size)


GAMES = [
    "yahtzee",
    "kniffel",
    "kismet",
    "balut",
    "generala+double",
    "maxi-forced",
    "yatzy",
    "yatzy-forced",
]
MORE_GAMES = ["yahtzee-free-joker", "kniffel+travel-edition", "yacht", "giant-forced"]


@pytest.mark.parametrize("key", [*GAMES, *(ring_2(key) for key in MORE_GAMES)])
def test_every_value_follows_from_its_children(key: str) -> None:
    limit = 1e-11 if key in ("yatzy", "yatzy-forced") else 1e-10
    assert bellman_residual(TurnEvaluator(load_rules(key), solved(key)), 300, seed=8) < limit


@pytest.mark.parametrize("wrong", [np.nan, 0.001])
def test_a_wrong_value_leaves_a_residual(forced: Strategy, wrong: float) -> None:
    """Also one that is no number: NaN is neither less nor more than a limit."""
    is_wrong = np.arange(forced.values.size) % 2 == 1
    table = np.where(is_wrong, forced.values + wrong, forced.values)
    assert not bellman_residual(TurnEvaluator(forced.rules, table), 300, seed=8) < 1e-4


def test_random_states_are_spread_over_the_table_whose_plan_is_built_once(yatzy: Strategy) -> None:
    states = list(random_states(yatzy.space, 300, seed=3))
    assert len(set(states)) > 290
    assert all(state.filled != yatzy.rules.full_mask for state in states)
    for state in states:
        yatzy.space.check(state)
    # A default given and a default left out are the same question
    rules = load_rules("yatzy-forced")
    for build in (state_space, turn_model, turn_outcomes):
        assert (
            build(rules)
            is build(rules, EMPTY_STATE)
            is build(load_rules("yatzy-forced"), start=State())
        )


def test_forced_order_with_many_upper_boxes() -> None:
    """Forty boxes of ones, one die and no choice: a binomial distribution. In free order that is
    refused.
    """
    boxes = tuple(replace(games.face(1), id=f"b{i}") for i in range(40))
    rules = RuleSet("many", "Many", 1, 6, 1, boxes, Bonus(10, 50), order="forced")
    reached = sum(comb(40, k) * (1 / 6) ** k * (5 / 6) ** (40 - k) for k in range(10, 41))
    assert solve_values(rules)[-1] == pytest.approx(40 / 6 + 50 * reached, abs=1e-9)
    fewer = replace(rules, order="free", categories=boxes[:20])
    refused("20 upper boxes in free order", solve_values, fewer, error=RulesError)


def check(rules: RuleSet) -> None:
    check_against_oracle(rules)
    assert maximum_score(rules) >= Naive(rules.canonical()).max_score()


@pytest.mark.parametrize("mechanic", MECHANICS)
def test_each_mechanic_alone(mechanic: str) -> None:
    for seed in range(in_rings(2, 6)):
        check(random_rules(seed, (mechanic,)))


REST = joker_game("free").categories
JOKERS = {
    "forced": joker_game("forced"),
    "free": joker_game("free"),
    "none": joker_game("none"),
    "without a bonus": joker_game("forced", bonus=0),
    "saved rolls": joker_game("forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    "order": joker_game(
        "free", order="forced", saved_rolls=True, first_roll_bonus=(("face-3", 3),)
    ),
    # A joker may cross out the box that another one requires.
    "required box": replace(
        joker_game("free", bonus=0), categories=(*REST, replace(CHANCE, requires="face-1"))
    ),
}


@pytest.mark.parametrize("rules", JOKERS.values(), ids=JOKERS)
def test_jokers(rules: RuleSet) -> None:
    check(rules)


@pytest.mark.parametrize("seed", seeds(8, 52))
def test_mechanics_combined(seed: int) -> None:
    check(random_rules(seed))


@pytest.mark.slow
def test_a_thousand_combinations() -> None:
    for seed in range(60, 1_000):
        check(random_rules(seed))


BOXES_OF_YAHTZEE = (
    "threes fours fives sixes four-of-a-kind full-house small-straight large-straight yahtzee"
)
TWINS = {
    "triple-yahtzee": f"""extends = "triple-yahtzee"
dice = 2
faces = 3
rolls = 2
bonus = {{ threshold = 5, points = 4 }}
remove = {[*BOXES_OF_YAHTZEE.split(), "three-of-a-kind", "aces"]}
""",
    "yamb": """extends = "yamb"
dice = 2
faces = 3
rolls = 2
bonus = [ { threshold = 2, points = 3 }, { threshold = 4, points = 4 } ]
first_roll_bonus = { twos = 1 }
remove = ["ones", "threes", "fours", "fives", "sixes", "max", "straight", "full-house", "poker", "yamb"]
[categories.min]
patterns = [ { sum = 2, points = 4 }, { sum = 3, points = 3 }, { sum = 4, points = 2 }, { sum = 5, points = 1 } ]
""",
    "balut": """extends = "balut"
dice = 2
rolls = 2
remove = ["fours", "straight", "full-house", "choice"]
[categories.balut]
groups = [2]
""",
    "kismet": """extends = "kismet"
dice = 3
faces = 3
rolls = 2
bonus = [ { threshold = 5, points = 3 }, { threshold = 8, points = 5 }, { threshold = 11, points = 7 } ]
remove = ["aces", "fours", "fives", "sixes", "two-pair-same-color", "straight", "flush", "full-house",
    "full-house-same-color", "four-of-a-kind", "yarborough"]
[categories.kismet]
groups = [3]
""",
    "kniffel": """extends = "kniffel"
dice = 3
faces = 3
rolls = 2
bonus = { threshold = 7, points = 6 }
remove = ["aces", "fours", "fives", "sixes", "four-of-a-kind", "small-straight", "large-straight", "three-of-a-kind"]
[categories.full-house]
groups = [2, 1]
[categories.yahtzee]
groups = [3]
""",
    "generala": """extends = "generala"
dice = 2
rolls = 2
first_roll_bonus = false
remove = ["ones", "twos", "threes", "fours", "straight", "full-house", "poker"]
[categories.generala]
groups = [2]
[categories.double-generala]
name = "Double Generala"
pattern = "groups"
groups = [2]
points = 100
requires = "generala"
""",
}
SWITCHES = ["+free-striking", "+championship", "+travel-edition", "+travel-edition-any-entry"]


@pytest.mark.parametrize(
    "name",
    [
        *(ring_2(name) if name == "yamb" else name for name in TWINS),
        *(f"kniffel{switch}" for switch in SWITCHES),
    ],
)
def test_small_twins_against_the_oracle(name: str, tmp_path: Path) -> None:
    base, _, switch = name.partition("+")
    rules = load_text(tmp_path, TWINS[base], switches=switch and f"+{switch}")
    assert len(rules.columns) == len(load_rules(base).columns)
    check_against_oracle(rules)


@pytest.mark.parametrize("allowed", [0, 1, 3, 9])
def test_fewer_threads_than_asked_for_give_the_same_values(
    allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective = Objective(load_rules("yatzy-forced"))
    expected = solve_objective(objective, threads=2)
    start, running, most = threading.Thread.start, set[threading.Thread](), 0

    def limited(thread: threading.Thread) -> None:
        nonlocal most
        running.difference_update([other for other in running if not other.is_alive()])
        if len(running) >= allowed:
            raise RuntimeError("can't start new thread")
        start(thread)
        running.add(thread)
        most = max(most, len(running))

    monkeypatch.setattr(threading.Thread, "start", limited)
    np.testing.assert_array_equal(solve_objective(objective, threads=8), expected)
    assert most == min(allowed, 8)


def test_scratch_memory_belongs_to_one_call_at_a_time_and_errors_are_raised() -> None:
    made = iter(range(100))
    pool, together = ScratchPool(lambda: next(made)), threading.Barrier(4)

    def work(_: int) -> int:
        with pool.borrow() as scratch:
            together.wait(20)
            return int(scratch)

    with thread_map(4) as in_threads:
        assert (
            sorted(in_threads(work, range(4))) == sorted(in_threads(work, range(4))) == [0, 1, 2, 3]
        )
    with pytest.raises(ValueError, match="lost"), pool.borrow() as lost:
        raise ValueError("lost")
    with (
        pool.borrow() as first,
        pool.borrow() as second,
        pool.borrow() as third,
        pool.borrow() as fourth,
    ):
        assert lost not in {first, second, third}
        assert fourth == 4
    with thread_map(4) as in_threads, pytest.raises(ZeroDivisionError):
        [*in_threads(lambda n: 1 // n, [2, 1, 0])]
