"""Ties of goals and utilities are broken by the mean: in single queries, batches and simulated games alike."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import Choice, Hold, RuleSet, ScoreStrategy, State, Strategy, maximise, reach, sample_positions
from perfect_yatzy.game.notation import counts_of, parse_card
from perfect_yatzy.strategy.distribution import distribution
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator
from support import games
from support.naive_objectives import NaiveTieBreak, assert_chances
from support.players import same_games
from support.seeds import FULL, examples, full_example

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
YAHTZEE = "aces=2 twos=4 threes=6 fours=8 yahtzee=50 chance=20"
POOR = "ones=0 twos=0 threes=0 fours=0 fives=0 sixes=0 one-pair=0"
TOLERANCE = Fraction(4, 1_000_000)


# --- what is settled is played for the mean --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "card"),
    [
        ("yatzy", LATE),
        ("yatzy-forced", ""),
        pytest.param("yatzy-saved", LATE + " two-pairs=16 chance=20 yatzy=0", marks=FULL),
        ("yahtzee", YAHTZEE),
        ("yahtzee-free-joker", YAHTZEE),
        pytest.param("maxi-forced", "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18", marks=pytest.mark.slow),
    ],
)
def test_a_certain_or_unreachable_goal_gives_the_games_of_the_mean(key: str, card: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    meant = simulate(strategy, 2_000, seed=3, start=card)
    for goal in (0, 9_999):
        played = simulate(reach(key, goal, card), 2_000, seed=3)
        assert same_games(played, meant), goal
        assert played.policy == f"goal:{goal}"
    assert same_games(simulate(maximise(key, lambda scores: scores * 0.0, card), 2_000, seed=3), meant)


def test_a_certain_or_unreachable_goal_is_ranked_by_the_mean(yatzy: Strategy) -> None:
    for card, goal in ((LATE, 0), (LATE, 73), (LATE, 9_999), (POOR, 280)):
        strategy = reach("yatzy", goal, card)
        for dice in ("33456", "11236", "66666", "12345"):
            for left in (1, 2):
                meant, found = yatzy.holds(card, dice, left), strategy.holds(card, dice, left)
                assert [(h.dice, h.mean, h.loss) for h in found] == [(h.dice, h.value, 0.0) for h in meant]
                assert [h.mean for h in meant] == [h.value for h in meant]
            meant, found = yatzy.categories(card, dice), strategy.categories(card, dice)
            assert [(c.category, c.mean) for c in found] == [(c.category, c.value) for c in meant]


def test_without_a_table_the_rest_is_solved(yatzy: Strategy, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The games do not depend on where the means come from, and nothing is stored."""
    folder = tmp_path_factory.mktemp("empty")
    for other, stored in (
        (reach("yatzy", 235, LATE, folder), reach("yatzy", 235, LATE)),
        (maximise("yatzy", lambda s: s >= 235, LATE, folder), maximise("yatzy", lambda s: s >= 235, LATE)),
    ):
        assert isinstance(other.evaluator, ScoreEvaluator)
        assert other.evaluator.means.space.start == parse_card(yatzy.rules, LATE).state
        assert same_games(simulate(other, 2_000), simulate(stored, 2_000))
    assert not list(folder.iterdir())


# --- against the oracle -----------------------------------------------------------------------------------------------


def check_goal(rules: RuleSet, goal: int) -> None:
    """Chance, decisions, simulated games and the whole distribution of the play for a goal."""
    oracle = NaiveTieBreak(rules.canonical(), lambda score: Fraction(int(score >= goal)), TOLERANCE)
    strategy = reach(rules, goal)
    mean, chance = map(float, oracle.play())
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    assert chance == pytest.approx(exact, rel=1e-4)  # of options within the tolerance any may be taken
    assert strategy.value() == pytest.approx(exact, rel=3e-6)
    states = sorted(state for state in oracle.states() if state[0] != oracle.full_mask)
    for card in states[:: 1 + len(states) // 8]:
        for made in (goal // 2, goal - 1):
            check_decisions(oracle, replace(strategy, zero=goal - made), State(*card), made)
    found, played = distribution(strategy), simulate(strategy, 4_000)
    assert_chances(found, oracle.distribution())
    assert found.at_least(goal) == pytest.approx(strategy.value(), rel=1e-4)
    assert abs(played.mean - mean) <= 5 * played.standard_error + 1e-9
    reached = (played.final_scores >= goal).mean()
    assert abs(reached - chance) <= 5 * np.sqrt(chance * (1 - chance) / 4_000) + 1e-4


def check_utility(rules: RuleSet, step: int, period: int) -> tuple[NaiveTieBreak, Strategy, np.ndarray]:
    """The distribution of the play for a utility that rises and falls; the oracle, the strategy and the utilities."""
    worths = [score // 3 * step % period for score in range(300)]
    oracle = NaiveTieBreak(rules.canonical(), lambda score: Fraction(worths[score]), TOLERANCE)
    strategy = maximise(rules, worths)
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    assert strategy.value() == pytest.approx(exact, rel=3e-6, abs=3e-6)
    found = distribution(strategy)
    assert_chances(found, oracle.distribution())
    if not rules.first_roll_bonus:  # whose points the value, unlike the play, can avoid
        assert np.array(worths)[found.scores] @ found.chances == pytest.approx(strategy.value(), rel=1e-4)
    return oracle, strategy, np.array(worths)


@examples(0, 8)
@given(games.rule_sets(), st.integers(1, 30))
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 20)
@full_example(games.joker_game("free", order="forced", saved_rolls=True), 14)
@full_example(games.joker_game("free", order="forced"), 14)
@full_example(games.SAVED, 9)
def test_play_for_a_goal_agrees_with_the_oracle(rules: RuleSet, goal: int) -> None:
    check_goal(rules, goal)


@examples(0, 8)
@given(games.rule_sets(), st.integers(1, 6), st.integers(2, 9))
@example(games.joker_game("none", first_roll_bonus=(("run", 3),)), 5, 7)
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 1, 99)
@full_example(games.joker_game("forced", order="forced", saved_rolls=True, first_roll_bonus=(("run", 3),)), 4, 9)
def test_play_for_a_utility_agrees_with_the_oracle(rules: RuleSet, step: int, period: int) -> None:
    check_utility(rules, step, period)


@pytest.mark.parametrize("rules", [games.joker_game("none"), games.SAVED], ids=["joker", "saved rolls"])
def test_games_for_a_utility_agree_with_the_oracle(rules: RuleSet) -> None:
    oracle, strategy, worths = check_utility(rules, 5, 7)
    (mean, utility), played = map(float, oracle.play()), simulate(strategy, 20_000)
    assert abs(played.mean - mean) <= 5 * played.standard_error
    reached = worths[played.final_scores]
    assert abs(reached.mean() - utility) <= 5 * reached.std() / np.sqrt(20_000)


@pytest.mark.slow
def test_saved_rolls_in_any_order_agree_with_the_oracle() -> None:
    """A minute of fractions."""
    check_goal(games.saved_rolls_game("free", True), 25)
    check_utility(games.saved_rolls_game("free", True), 5, 7)


def check_decisions(oracle: NaiveTieBreak, strategy: ScoreStrategy, state: State, made: int) -> None:
    """Every roll of a state, for every number of rerolls left."""
    most = strategy.max_rerolls(state)
    for dice, _ in oracle.outcomes(strategy.rules.dice):
        for left in range(most + 1):
            at = state.filled, state.upper, state.joker_paid, made, dice, left, left == most
            box, action = oracle.first_of(oracle.boxes_of(*at)), oracle.act(*at)
            assert strategy.categories(state, dice, left)[0].category == strategy.rules.categories[box].id
            if left:
                assert strategy.holds(state, dice, left)[0].dice == (dice if isinstance(action, int) else action)


# --- batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "card", "goal"), [
    ("yatzy", LATE, 240), ("yatzy", LATE, 9_999), ("yatzy", LATE, 100), ("yatzy-forced", "", 200),
    ("yahtzee", YAHTZEE, 260),
])  # fmt: skip
def test_batches_agree_with_single_queries(key: str, card: str, goal: int) -> None:
    strategy = reach(key, goal, card)
    sample = sample_positions(strategy, 300, 4, exploration=0.5)
    names = ("filled", "upper", "dice", "rolls_left", "joker_paid", "card_total")
    columns = [getattr(sample, name) for name in names]
    batch = strategy.best(*columns[:4], joker_paid=columns[4], points=columns[5])
    others = 0
    for i, (filled, upper, dice, rerolls, paid, made) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        at, state, roll = replace(strategy, zero=goal - made), State(filled, upper, 0, bool(paid)), tuple(dice)
        best: Hold | Choice = at.holds(state, roll, rerolls)[0] if rerolls else at.categories(state, roll)[0]
        assert batch.value[i] == pytest.approx(best.value, rel=4e-6)
        category = best.category and strategy.rules.index_of[best.category]
        held = roll if category is not None or isinstance(best, Choice) else best.dice
        wanted = counts_of(strategy.rules, held), -1 if category is None else category
        others += wanted != (batch.held[i].tolist(), batch.category[i])
    assert others <= (0 if goal in (100, 9_999) else 3)  # options within the rounding of float32
