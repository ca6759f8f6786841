"""The distributions from every card after the first turn on, in one pass, and their file."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, ScoreDistribution, Strategy
from perfect_yatzy.game.scorecard import EMPTY_STATE, State
from perfect_yatzy.service import budget as budgets
from perfect_yatzy.service.budget import SolveBudget, SolveLimit, distribution_works
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy import distribution as distributions
from perfect_yatzy.strategy.distribution import (
    distribution,
    first_turns_cost,
    first_turns_path,
    has_first_turns,
    stored_distribution,
)
from perfect_yatzy.strategy.forward_pass import BackwardPass
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support import games
from support.mechanics import random_rules

SMALL = [
    games.saved_rolls_game("free", False),
    games.saved_rolls_game("forced", False),
    games.joker_game("forced"),
    games.joker_game("free", first_roll_bonus=(("run", 3), ("face-3", 2))),
    *(rules for rules in map(random_rules, range(14)) if not rules.saved_rolls),
]


def distributions_of(strategy: Strategy, threads: int = 2) -> dict[int, ScoreDistribution]:
    return BackwardPass(GreedyPolicy(strategy.rules, strategy.table), threads).run()


def early_states(strategy: Strategy) -> dict[int, State]:
    """The states with no or one filled box, by their numbers."""
    space, found = strategy.space, {}
    for row in [*space.layers[0], *space.layers[1]]:
        lanes = space.layout.lane_sets[row]
        for lane in range(int(space.layout.lane_count[lanes])):
            upper = int(space.layout.lane_upper[lanes, lane])
            state = State(int(space.layout.masks[row]), upper, 0, bool(space.has_tracked_rows and row >= space.cards))
            found[space.unchecked_index(state)] = state
    return found


def assert_equal(found: ScoreDistribution, expected: ScoreDistribution) -> None:
    assert np.array_equal(found.scores, expected.scores)
    assert np.abs(found.chances - expected.chances).max() < 1e-14
    assert found.upper_bonus_chance == pytest.approx(expected.upper_bonus_chance, abs=1e-13)
    for mine, theirs in zip(found.categories, expected.categories, strict=True):
        assert mine.category == theirs.category
        assert mine.mean == pytest.approx(theirs.mean, abs=1e-11)
        assert mine.crossed_out == pytest.approx(theirs.crossed_out, abs=1e-13)


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.key)
def test_the_backward_pass_has_the_distributions_of_the_forward_pass(rules: RuleSet) -> None:
    strategy = perfect_yatzy.open_strategy(rules)
    found, states = distributions_of(strategy), early_states(strategy)
    assert found.keys() == states.keys()
    for number, state in states.items():
        assert found[number].mean == pytest.approx(strategy.value(state), abs=1e-10)
        assert_equal(found[number], distribution(strategy, state))


def test_crag_after_every_first_turn_with_any_number_of_threads() -> None:
    crag = perfect_yatzy.open_strategy("crag")
    found = distributions_of(crag, 1)
    for threads in (2, 3):
        again = distributions_of(crag, threads)
        assert all(np.array_equal(found[n].chances, again[n].chances) for n in found)
    states = early_states(crag)
    for number in list(states)[::7]:
        assert_equal(found[number], distribution(crag, states[number]))


@pytest.fixture
def crag(tmp_path: Path) -> Strategy:
    return perfect_yatzy.open_strategy("crag", tmp_path)


def test_a_question_about_the_empty_card_stores_the_answers_after_every_first_turn(
    crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = {"query": "expect", "rules": "crag", "card": "fives=10"}
    before = QueryService(tmp_path).answer(card)
    assert not has_first_turns(crag.rules, tmp_path)  # one card does not need it
    empty = QueryService(tmp_path).answer({"query": "expect", "rules": "crag"})
    assert has_first_turns(crag.rules, tmp_path)
    assert first_turns_path(crag.rules, tmp_path).stat().st_size <= first_turns_cost(crag.rules).bytes
    assert empty["distribution"]["chances"] == pytest.approx(distribution(crag).chances.tolist(), abs=1e-14)

    monkeypatch.setattr(distributions, "distribution", None)  # no forward pass
    after = QueryService(tmp_path).answer(card)
    assert after["distribution"]["lowest"] == before["distribution"]["lowest"]
    assert after["distribution"]["chances"] == pytest.approx(before["distribution"]["chances"], abs=1e-14)
    assert stored_distribution(crag, EMPTY_STATE, 5, tmp_path).mean == pytest.approx(crag.value() + 5)


def test_a_file_that_is_damaged_or_of_another_version_is_removed(crag: Strategy, tmp_path: Path) -> None:
    state = crag.state("fives=10")
    stored_distribution(crag, EMPTY_STATE, tables=tmp_path, first_turns=True)
    path = first_turns_path(crag.rules, tmp_path)
    good, expected = path.read_bytes(), distribution(crag, state)
    changed = good.replace(b'"lowest": ', b'"lowest": 1', 1)  # the last digit of a chance need not change the number
    assert changed != good
    fields = json.loads(good)
    for spoilt in (b"{", b"[]", changed, json.dumps(fields | {"version": "0.0"}).encode()):
        path.write_bytes(spoilt)
        assert_equal(stored_distribution(crag, state, tables=tmp_path), expected)
        assert not path.exists()
    stored_distribution(crag, EMPTY_STATE, tables=tmp_path, first_turns=True)
    assert path.read_bytes() == good


def test_the_budget_limits_the_distributions_after_first_turns(
    crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, budget = crag.rules, SolveBudget.command()
    assert budget.makes_first_turns(rules)
    assert all(budget.makes_first_turns(perfect_yatzy.load_rules(key)) for key in ("yatzy", "yahtzee"))
    assert not budget.makes_first_turns(perfect_yatzy.load_rules("yatzy-saved"))
    assert not SolveBudget(objective=SolveLimit(bytes=10)).makes_first_turns(rules)
    assert (
        distribution_works(rules, EMPTY_STATE, tmp_path, first_turns=True)[0].seconds
        == first_turns_cost(rules).seconds
    )
    monkeypatch.setattr(budgets, "FIRST_TURNS_LIMIT_BYTES", 10)
    QueryService(tmp_path).answer({"query": "expect", "rules": "crag"})
    assert not has_first_turns(rules, tmp_path)
    monkeypatch.undo()
    stored_distribution(crag, EMPTY_STATE, tables=tmp_path, first_turns=True)
    for state in (EMPTY_STATE, crag.state("fives=10")):
        assert not distribution_works(rules, state, tmp_path, first_turns=True)


def test_an_unwritable_folder_stores_nothing(crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=OSError("no space left"))
    monkeypatch.setattr("perfect_yatzy.strategy.distribution.replacing", full)
    found = stored_distribution(crag, EMPTY_STATE, tables=tmp_path, first_turns=True)
    assert found.mean == pytest.approx(crag.value())
    assert full.called
    assert not has_first_turns(crag.rules, tmp_path)
