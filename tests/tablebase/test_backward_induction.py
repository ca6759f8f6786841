"""The engine against an exact oracle, published values, itself with other arithmetic, and its own past."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from perfect_yatzy import RulesError, RuleSet, State, Strategy, load_rules
from perfect_yatzy.game.rules import Bonus
from perfect_yatzy.game.scorecard import EMPTY_STATE
from perfect_yatzy.model.objectives import Values
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.model.turn_model import turn_model, turn_outcomes
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.strategy.verify import bellman_residual, random_states
from perfect_yatzy.tablebase.backward_induction import solve_values
from support import games
from support.seeds import FULL


@pytest.mark.parametrize(
    ("order", "saved_rolls", "expected"),
    [
        ("free", False, 32.012905351412),
        ("free", True, 34.096492407508),
        ("forced", False, 23.778106613136),
        ("forced", True, 24.824518620648),
    ],
)
def test_saved_rolls_oracle_of_the_catalogue(order: str, saved_rolls: bool, expected: float) -> None:
    assert solve_values(games.saved_rolls_game(order, saved_rolls))[-1] == pytest.approx(expected, abs=1e-12)


@cache
def solved(key: str) -> Values:
    return solve_values(load_rules(key))


TEN_DIGITS = (
    "yatzy yatzy-forced+threshold-63 yahtzee yahtzee-free-joker yahtzee-no-joker kniffel+championship crag yams"
)
VARIANTS = """
yahtzee-plain kniffel+free-striking kniffel+travel-edition kniffel+travel-edition-any-entry kniffel+no-extra
kniffel+bonus-100 yatzy+five-is-full-house yatzy+four-is-two-pairs yatzy+five-is-full-house+four-is-two-pairs
"""


@pytest.mark.parametrize(
    "key",
    [
        *TEN_DIGITS.split(),
        *(pytest.param(key, marks=FULL) for key in VARIANTS.split()),
        pytest.param("maxi-tactic", marks=pytest.mark.slow),
    ],
)
def test_published_values_to_every_printed_digit(key: str) -> None:
    assert f"{solved(key)[-1]:.10f}" == load_rules(key).published.value


@pytest.mark.parametrize(
    ("key", "value"), [("kniffel", 248.0761494649), ("kismet", 315.1799959055), ("balut", 433.3471236637)]
)
def test_values_of_games_that_nobody_has_published(key: str, value: float) -> None:
    """Kniffel and Balut: those of a second program, dense arrays in NumPy, written from the texts of the rules alone."""
    assert solved(key)[-1] == pytest.approx(value, abs=1e-10)


@pytest.mark.full
def test_one_pair_in_two_pairs_is_the_known_other_game(tmp_path: Path) -> None:
    """The often quoted 248.63 is the value of a game in which a pair scores in Two Pairs."""
    file, patterns = tmp_path / "pair.toml", "patterns = [{ groups = [2, 2] }, { groups = [2] }]"
    file.write_text(f'id = "pair"\nname = "x"\nextends = "yatzy"\n[categories.two-pairs]\n{patterns}\n')
    assert f"{solve_values(load_rules(file))[-1]:.10f}" == "248.6328539121"


def test_bits_do_not_depend_on_threads() -> None:
    rules = load_rules("crag")
    one = solve_values(rules, threads=1)
    assert np.array_equal(one, solve_values(rules, threads=2))
    assert np.array_equal(one, solve_values(rules, threads=5))


@pytest.mark.parametrize(
    "key", ["generala", *(pytest.param(key, marks=FULL) for key in ("yatzy", "yahtzee", "maxi-forced"))]
)
def test_unrolled_and_indexed_lattices_give_the_same_bits(key: str, straight_line_code: None) -> None:
    """Six dice in forced order with saved rolls are the small twin of the big six-dice games."""
    rules = load_rules(key)
    assert np.array_equal(solve_values(rules), solve_values(rules, unrolled=False))


def test_golden_hashes() -> None:
    """An optimisation may not change a bit of these tables. A change of arithmetic may, with its reason."""
    for key, known in {"yatzy": "db5620aebb3447d2", "yatzy-forced": "ae375e289466892f"}.items():
        assert hashlib.sha256(solved(key).tobytes()).hexdigest()[:16] == known


def test_every_value_follows_from_its_children(yatzy: Strategy, forced: Strategy) -> None:
    assert bellman_residual(yatzy.evaluator, 400, seed=7) < 1e-11
    assert bellman_residual(forced.evaluator, 100, seed=7) < 1e-11


@pytest.mark.parametrize(
    ("key", "states", "size"),
    [
        ("yatzy", 1_430_528, 958_976),
        ("yahtzee", 536_448, 359_616),
        ("maxi-unsaved", 57_507_840, 33_472_512),
        ("maxi-tactic", 54_820_864, 36_864_000),
        ("giant-forced", 8_216 + 190, None),  # the catalogue counts states at the start of a turn: no full cards
        ("yatzy-forced", 527 + 43, None),  # upper sums 0 ... 42
    ],
)
def test_sizes_of_the_catalogue(key: str, states: int, size: int | None) -> None:
    space = state_space(load_rules(key))
    assert space.reachable() == states
    assert size in (None, space.size)


OTHER_GAMES = ["yahtzee", "kniffel", "kismet", "balut", "generala+double", "maxi-forced"]
MORE_GAMES = ["yahtzee-free-joker", "kniffel+travel-edition", "yacht", "giant-forced"]


@pytest.mark.parametrize("key", [*OTHER_GAMES, *(pytest.param(key, marks=FULL) for key in MORE_GAMES)])
def test_every_value_of_other_games_follows_from_its_children(key: str) -> None:
    assert bellman_residual(TurnEvaluator(load_rules(key), solved(key)), 150, seed=8) < 1e-10


def test_random_states_are_spread_over_the_table(yatzy: Strategy) -> None:
    states = list(random_states(yatzy.space, 300, seed=3))
    assert len(set(states)) > 290
    assert all(state.filled != yatzy.rules.full_mask for state in states)
    for state in states:
        yatzy.space.check(state)


def test_states_and_plans_are_built_once() -> None:
    """A default given and a default left out are the same question."""
    rules = load_rules("yatzy-forced")
    for build in (state_space, turn_model, turn_outcomes):
        assert build(rules) is build(rules, EMPTY_STATE) is build(load_rules("yatzy-forced"), start=State())


def test_forced_order_with_many_upper_boxes() -> None:
    """Forty boxes of ones, one die and no choice: a binomial distribution. In free order that is refused."""
    boxes = tuple(replace(games.face(1), id=f"b{i}") for i in range(40))
    rules = RuleSet("many", "Many", 1, 6, 1, boxes, Bonus(10, 50), order="forced")
    reached = sum(comb(40, k) * (1 / 6) ** k * (5 / 6) ** (40 - k) for k in range(10, 41))
    assert solve_values(rules)[-1] == pytest.approx(40 / 6 + 50 * reached, abs=1e-9)
    with pytest.raises(RulesError, match="20 upper boxes in free order"):
        solve_values(replace(rules, order="free", categories=boxes[:20]))
