"""Play from value functions: the answers of the exact strategy where they are exact."""

import dataclasses

import numpy as np
import numpy.typing as npt
import perfect_yatzy
import pytest
from perfect_yatzy import Certificate, RuleSet, State, Strategy, computer_player, load_rules
from perfect_yatzy.approximation.approximate_strategy import ApproximateStrategy, FunctionEvaluator
from perfect_yatzy.core.dice import Floats, Ints
from perfect_yatzy.errors import RulesError
from perfect_yatzy.play.puzzle import find_puzzle
from perfect_yatzy.play.review import action_outlook, review
from perfect_yatzy.strategy.verify import random_states
from support.human import human
from support.refusals import refused
from support.seeds import ring_2

CERTIFICATE = Certificate(
    mean=248.31,
    interval99=(248.21, 248.41),
    plain_mean=248.0,
    plain_error=0.6,
    games=10_000,
    upper_bound=250.98,
    exact_boxes=("yatzy",),
    seed=1,
    iterations=3,
    start_value=248.4,
)


class TableFunction:
    """The values of a solved table as a function of the state."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def values(
        self, filled: Ints, upper: Ints, saved: Ints, tracked: npt.NDArray[np.bool_]
    ) -> Floats:
        fields = zip(filled.tolist(), upper.tolist(), saved.tolist(), tracked.tolist(), strict=True)
        return np.array([self.strategy.evaluator.value(State(*state)) for state in fields])


class PriceFunction:
    """So many points for each open box: for games without a table."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def values(
        self, filled: Ints, upper: Ints, saved: Ints, tracked: npt.NDArray[np.bool_]
    ) -> Floats:
        n_open = len(self.rules.categories) - np.bitwise_count(filled)
        bonus = self.rules.bonus
        paid = (upper >= bonus.threshold) * bonus.points if bonus else 0
        return np.asarray(12.5 * n_open + paid, dtype=np.float64)


def approximate(rules: RuleSet, function: object) -> ApproximateStrategy:
    return ApproximateStrategy(
        rules, None, FunctionEvaluator(rules, function), certificate=CERTIFICATE
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["yatzy", "yahtzee", "generala", "maxi-forced", ring_2("yatzy-saved")]
)
def test_a_table_as_a_function_gives_the_answers_of_the_exact_strategy(name: str) -> None:
    exact = perfect_yatzy.open_strategy(name)
    same = approximate(exact.rules, TableFunction(exact))
    random = np.random.default_rng(1)
    for state in random_states(exact.space, 12, seed=2):
        dice = sorted(random.integers(1, exact.rules.faces + 1, exact.rules.dice).tolist())
        left = int(random.integers(1, exact.max_rerolls(state) + 1))
        assert same.value(state) == exact.value(state)
        for ours, theirs in (
            (same.holds(state, dice, left), exact.holds(state, dice, left)),
            (same.categories(state, dice, left), exact.categories(state, dice, left)),
        ):
            assert [a.label for a in ours] == [a.label for a in theirs]
            assert [a.value for a in ours] == pytest.approx(
                [a.value for a in theirs], rel=0, abs=1e-9
            )
            assert ours.columns().keys() == theirs.columns().keys()
        hold = [entry.dice for entry in same.holds(state, dice, left) if entry.category is None][-1]
        assert same.regret(state, dice, hold, left) == pytest.approx(
            exact.regret(state, dice, hold, left), abs=1e-9
        )
        assert same.evaluator.turn_value(state) == pytest.approx(
            exact.evaluator.turn_value(state), abs=1e-9
        )


def test_a_review_puzzle_and_computer_player_are_those_of_the_exact_strategy(
    yatzy: Strategy,
) -> None:
    same = approximate(yatzy.rules, TableFunction(yatzy))
    game = human(yatzy, 5)
    ours, theirs = review(same, game), review(yatzy, game)
    assert [d.grade for d in ours.decisions] == [d.grade for d in theirs.decisions]
    assert [d.loss for d in ours.decisions] == pytest.approx(
        [d.loss for d in theirs.decisions], rel=0, abs=1e-9
    )
    worst = max(ours.decisions, key=lambda d: d.loss)
    assert action_outlook(same, worst, worst.best) == action_outlook(yatzy, worst, worst.best)
    assert find_puzzle(same, 3) == find_puzzle(yatzy, 3)
    player, perfect = computer_player(same, "perfect"), computer_player(yatzy, "perfect")
    assert player.choose("ones=3", "33456", 2) == perfect.choose("ones=3", "33456", 2)


@pytest.mark.parametrize("name", ["yatzy", "yatzy-saved", "yahtzee"])
def test_result_is_start_plus_luck_minus_errors_for_any_function(name: str) -> None:
    rules = load_rules(name)
    strategy = approximate(rules, PriceFunction(rules))
    for seed in (7, 8):
        found = review(strategy, human(strategy, seed))
        assert found.finished
        assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)


def test_a_game_without_a_state_space_is_played_and_what_needs_a_table_is_refused() -> None:
    rules = dataclasses.replace(load_rules("giant-forced"), order="free", id="giant")
    strategy = approximate(rules, PriceFunction(rules))
    assert strategy.value() == 12.5 * len(rules.categories)
    assert strategy.holds("ones=3 chance=44", "112333455666", rolls_left=1)[0].loss == 0.0
    assert strategy.categories("", "666666666666")[0].points >= 72
    for impossible in (State(filled=1, upper=50), "ones=13"):
        refused(".", strategy.value, impossible)
    for question in (
        lambda: strategy.space,
        lambda: strategy.values,
        lambda: strategy.best([0], [0], [[1] * 12], [0]),
        lambda: perfect_yatzy.distribution(strategy),
        lambda: computer_player(strategy, 3),
        lambda: computer_player(strategy, "safe"),
    ):
        assert refused(r"exact table|can be solved", question, error=RulesError).code == "too-large"


def test_a_certificate_is_read_as_it_was_written_and_bounds_are_not_rounded_down() -> None:
    assert Certificate.from_json(CERTIFICATE.as_json()) == CERTIFICATE
    assert "248.31 ± 0.10 (99 %)" in CERTIFICATE.sentence
    assert "no strategy scores more than 250.98 (gap 1.1 %)" in CERTIFICATE.sentence
    assert "251.02" in dataclasses.replace(CERTIFICATE, upper_bound=251.0101).sentence
    assert (
        "248.49 ± 0.01"
        in dataclasses.replace(CERTIFICATE, mean=248.49, interval99=(248.489, 248.491)).sentence
    )
