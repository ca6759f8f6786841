"""Sheets of more than 62 boxes: known values, the order of six columns, and every command."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from perfect_yatzy import RulesError, RuleSet, State, load_rules
from perfect_yatzy.approximation.fit import LaneTurns, fit_values, same_cards
from perfect_yatzy.approximation.relaxation import Budget, relax
from perfect_yatzy.approximation.solve import simulate_values
from perfect_yatzy.game.dice import lattice
from perfect_yatzy.game.patterns import Pattern
from perfect_yatzy.game.rules import Category
from perfect_yatzy.game.scorecard import EMPTY_STATE
from perfect_yatzy.game.scoring import scoring_options
from perfect_yatzy.model import state_space as spaces
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.strategy.fitted_file import first_guess
from support.games import CHANCE, joker_game, small
from support.refusals import refused
from support.rule_files import six_columns
from support.seeds import FULL


@pytest.fixture(scope="module")
def ninety(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    path = tmp_path_factory.mktemp("ninety") / "six.toml"
    path.write_text(six_columns())
    rules = load_rules(path)
    assert len(rules.categories) == 90
    return rules


@pytest.mark.parametrize("order", ["free", "forced", "reversed"])
@pytest.mark.parametrize("boxes", [63, 64, 126, *(pytest.param(boxes, marks=FULL) for boxes in (62, 65, 90))])
def test_every_box_is_filled_once(boxes: int, order: str) -> None:
    """Box i always pays i + 1 points: whatever is played, the final score is the sum, and no strategy makes more."""
    always = (Category(f"b{i}", f"B{i}", (Pattern("any", score="fixed", points=i + 1),)) for i in range(boxes))
    rules, total = small(*always, dice=1, faces=2, rolls=1, order=order), boxes * (boxes + 1) // 2
    found = relax(rules, Budget(1e6), threads=1)
    assert total <= found.bound <= total + 1e-3
    for prices in (np.arange(1.0, boxes + 1), np.zeros(boxes)):
        played = simulate_values(first_guess(rules, prices), games=20, seed=1)
        assert (played.final_scores == total).all()
        assert (played.category_points == np.arange(1, boxes + 1)).all()


@pytest.mark.parametrize("boxes", [63, 64, 126])
def test_equal_boxes_are_worth_as_many_single_turns(boxes: int) -> None:
    """One die, three rolls: 3.5, then 4.25 and 14/3 points with best play."""
    rules = small(*(replace(CHANCE, id=f"b{i}", name=f"B{i}") for i in range(boxes)), dice=1, order="forced")
    found = relax(rules, Budget(1e7), threads=1)
    assert boxes * 14 / 3 <= found.bound <= boxes * 14 / 3 + 1e-3
    played = simulate_values(first_guess(rules, np.full(boxes, 14 / 3)), games=20, seed=2)
    assert played.final_scores - played.luck == pytest.approx(np.full(20, boxes * 14 / 3), abs=1e-9)


def test_games_of_six_columns_follow_the_rules(ninety: RuleSet) -> None:
    """Every box that exploring games fill is one the reference allows, with points that some roll has there."""
    turns = LaneTurns(first_guess(ninety, np.linspace(0, 9, 90)), 1)
    rolls = lattice(2, 6).counts[-21:].tolist()
    states, cards = same_cards(ninety, EMPTY_STATE, 8), [State()] * 8
    for turn in range(90):
        played = turns.play(states, np.arange(8), 4, turn, 0.3)
        states = played.states
        for i, (box, points) in enumerate(zip(played.category.tolist(), played.points.tolist(), strict=True)):
            paid = [scoring_options(ninety, cards[i].filled, False, roll).get(box, (None,))[0] for roll in rolls]
            assert points in paid
            cards[i] = cards[i].filled_with(ninety, box, points)
        assert [sum(int(word) << 64 * k for k, word in enumerate(mask)) for mask in states.filled] == [
            card.filled for card in cards
        ]
        assert states.upper.tolist() == [card.upper for card in cards]
    assert all(card.filled == ninety.full_mask for card in cards)


def test_a_fit_with_masks_of_two_words_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any number of threads; that the strategy of a wide sheet verifies: test_command.py."""
    rules = joker_game("forced", saved_rolls=True)
    start = first_guess(rules, np.array([1.0, 2.0, 1.0, 3.0]))
    fit = partial(fit_values, games=200, rounds=2, ridge=0.1, seed=4)
    known, _ = fit(start, threads=1)
    monkeypatch.setattr(spaces, "ONE_WORD", 0)
    for threads in (1, 2):
        again, _ = fit(replace(start, rules=replace(rules, id="wide")), threads=threads)
        assert known.coefficients.tobytes() == again.coefficients.tobytes()


def test_a_long_chain_with_a_joker_and_exact_play_are_refused(ninety: RuleSet) -> None:
    """The relaxed game would have to remember every box of it."""
    rules = joker_game("free", order="forced")
    more = (replace(CHANCE, id=f"b{i}", name=f"B{i}") for i in range(60))
    rules = replace(rules, categories=(*rules.categories, *more))
    found = refused("64 boxes in one order, one of which jokers", relax, rules, Budget(0.0), error=RulesError)
    assert found.code == "too-large"
    # Also in an order with few cards
    for rules in (ninety, small(*(replace(CHANCE, id=f"b{i}") for i in range(63)), dice=1, order="forced")):
        assert refused("boxes; at most 62 are possible", state_space, rules, error=RulesError).code == "too-large"
