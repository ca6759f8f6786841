"""Play from value functions and estimates: exact where they are exact, between mean and best
play elsewhere.
"""

import dataclasses
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import perfect_yatzy
import pytest
from perfect_yatzy import (
    Certificate,
    RuleSet,
    State,
    Strategy,
    computer_player,
    distribution,
    load_rules,
)
from perfect_yatzy.approximation.approximate_strategy import ApproximateStrategy, FunctionEvaluator
from perfect_yatzy.approximation.goal_estimates import (
    Downside,
    LateGoals,
    Upside,
    estimated_chances,
)
from perfect_yatzy.approximation.goals import RATE, risk_rate, solve_goal_estimates
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.dice import Floats, Ints
from perfect_yatzy.core.objectives import Goals
from perfect_yatzy.core.value_tables import estimated_chance
from perfect_yatzy.errors import RulesError
from perfect_yatzy.play.puzzle import find_puzzle
from perfect_yatzy.play.review import action_outlook, review
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.measure import run_simulation
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.strategy import score_strategy
from perfect_yatzy.strategy.score_strategy import ScoreStrategy, goals_to_solve, has_goal_estimates
from perfect_yatzy.strategy.simulation import simulate, wilson_interval
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator
from perfect_yatzy.strategy.verify import random_states
from support import games
from support.human import human
from support.players import in_memory
from support.refusals import refused
from support.seeds import ring_2, ring_3

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


SAVED = games.saved_rolls_game("free", True)
SMALL_GAMES = [games.JOKER, SAVED, load_rules("crag"), games.saved_rolls_game("forced", True)]
EACH = pytest.mark.parametrize("rules", SMALL_GAMES, ids=["joker", "saved", "crag", "forced"])
NOTHING_SOLVED = SolveBudget(instant_seconds=0.0, objective=SolveLimit(seconds=0.0))


@cache
def of_mean(rules: RuleSet) -> Strategy:
    return in_memory(rules)


@cache
def exact(rules: RuleSet) -> ScoreEvaluator:
    objective = Goals(rules)
    return ScoreEvaluator(objective, solve_objective(objective), of_mean(rules).evaluator)


@cache
def estimated(rules: RuleSet, layers: int) -> score_strategy.EstimatedGoalEvaluator:
    means = of_mean(rules)
    rate = risk_rate(means)
    spreads = [kind(rules, means.table, rate) for kind in (Upside, Downside)]
    upside, downside = (spread.as_stored(solve_objective(spread), 0) for spread in spreads)
    late = LateGoals(rules, layers)
    return score_strategy.EstimatedGoalEvaluator(
        late, solve_objective(late), (upside, downside), means.evaluator
    )


def playing(evaluator: ScoreEvaluator, goal: int) -> ScoreStrategy:
    return ScoreStrategy(evaluator.rules, None, evaluator, goal)


def goal_of(rules: RuleSet, deviations: float) -> int:
    played = simulate(of_mean(rules), 10_000)
    return round(played.mean + deviations * played.standard_deviation)


@EACH
def test_with_all_layers_it_is_the_exact_strategy(rules: RuleSet) -> None:
    whole, goal = exact(rules).values, goal_of(rules, 1.0)
    for layers in (
        1,
        2,
        len(rules.categories),
    ):  # late goals are the beginning of the table of all goals
        late = LateGoals(rules, layers)
        np.testing.assert_array_equal(solve_objective(late), whole[: late.size])
    assert late.size == Goals(rules).size
    ours, theirs = (
        playing(estimated(rules, len(rules.categories)), goal),
        playing(exact(rules), goal),
    )
    assert not ours.is_approximate(State(0, 0))
    one, other = (simulate(strategy, 2_000, seed=3).final_scores for strategy in (ours, theirs))
    np.testing.assert_array_equal(one, other)
    for state in random_states(exact(rules).space, 8, seed=1):
        assert ours.value(state) == theirs.value(state)


@pytest.mark.full
@pytest.mark.parametrize("layers", [1, 2])
@EACH
def test_numpy_and_the_kernels_compute_the_same(rules: RuleSet, layers: int) -> None:
    evaluator, random, goal = (
        estimated(rules, layers),
        np.random.default_rng(2),
        goal_of(rules, 1.0),
    )
    strategy = playing(evaluator, goal)
    states = [State(0, 0), *random_states(evaluator.space, 60, seed=4)]
    dice = np.sort(random.integers(1, rules.faces + 1, (len(states), rules.dice)), axis=1)
    left = np.array([random.integers(0, strategy.max_rerolls(state) + 1) for state in states])
    points = random.integers(0, goal + 10, len(states))
    fields = [
        [getattr(state, name) for state in states]
        for name in ("filled", "upper", "saved", "joker_paid")
    ]
    found = strategy.options(
        fields[0], fields[1], dice, left, saved=fields[2], joker_paid=fields[3], points=points
    )
    seen = set()
    for i, state in enumerate(states):
        at = evaluator.at(int(points[i]) - goal)
        first = bool(left[i] == strategy.max_rerolls(state))
        roll = (
            evaluator.dice.rank(np.bincount(dice[i], minlength=rules.faces + 1)[1:])
            - evaluator.dice.first_roll
        )
        categories = at.category_values(state, int(left[i]) if rules.saved_rolls else 0, first)[
            :, roll
        ]
        np.testing.assert_allclose(found.category_values[i], categories, rtol=2e-6, atol=0)
        seen.add(evaluator.is_exact(state))
    assert False in seen
    low, high = evaluator.ranges(np.arange(evaluator.space.size))
    np.testing.assert_array_equal(low, Goals(rules).score_offsets.low)
    np.testing.assert_array_equal(high, -1)


@pytest.mark.parametrize(("mean", "upside", "downside"), [(80.0, 30.0, 20.0), (20.0, 9.0, 12.0)])
def test_a_chance_is_that_of_two_normal_distributions(
    mean: float, upside: float, downside: float
) -> None:
    """By NumPy and in the kernels: a score counts from half a point below it on."""
    needed = np.arange(1.0, 100.0)
    above = needed - 0.5 - mean
    expected = [NormalDist().cdf(-x / (upside if x > 0 else downside)) for x in above.tolist()]
    found = estimated_chances(
        needed, *(np.full_like(needed, moment) for moment in (mean, upside, downside))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)
    alike = [estimated_chance(-x, -1_000, mean, upside, downside) for x in range(1, 100)]
    np.testing.assert_allclose(alike, expected, rtol=1e-9, atol=1e-15)
    none, all_of_them = estimated_chances(
        np.array([81.0, 80.0]), *np.array([[80.0] * 2, [0.0] * 2, [0.0] * 2])
    )
    assert (none, all_of_them) == (pytest.approx(0, abs=1e-37), 1.0)  # nothing varies


def test_late_goals_fill_the_bytes_they_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many layers as fit, to the byte, and always one."""
    rules = load_rules("crag")
    for layers in (1, 2, 5):
        size = LateGoals(rules, layers).solve_cost().bytes
        for least, wanted in ((size, layers), (size - 1, max(1, layers - 1))):
            monkeypatch.setattr(
                "perfect_yatzy.approximation.goal_estimates.LATE_GOALS_BYTES", least
            )
            assert LateGoals(rules).layers == wanted


@pytest.mark.parametrize(
    ("rules", "layers", "goal", "share"),
    [
        *(ring_2("crag", 4, deviations, 0.95) for deviations in (0.0, 1.0, 2.0)),
        *(ring_3("yatzy", 4, *row) for row in ((250, 0.96), (280, 0.95), (300, 0.92))),
        ring_2(SAVED, 1, 1.0, 0.0),
    ],
)
def test_play_is_nearly_as_good_as_possible(
    rules: str | RuleSet, layers: int, goal: float, share: float
) -> None:
    """A goal is a number of points, or of standard deviations above the mean."""
    rules = load_rules(rules)
    points = goal if isinstance(goal, int) else goal_of(rules, goal)
    players = playing(estimated(rules, layers), points), of_mean(rules)
    ours, by_mean = (
        (simulate(player, 50_000, seed=5).final_scores >= points).mean() for player in players
    )
    best = playing(exact(rules), points).value(State(0, 0))
    error = 3 * (best * (1 - best) / 50_000) ** 0.5
    assert max(by_mean, share * best) - error <= ours <= best + error


def test_estimates_are_used_where_nothing_exact_is_possible(tmp_path: Path) -> None:
    rules = load_rules("crag")
    assert not has_goal_estimates(rules, tmp_path)
    names = [info.objective for info in solve_goal_estimates(rules, tmp_path)]
    assert names == ["upside", "downside", "lategoals"]
    assert has_goal_estimates(rules, tmp_path)
    nothing = goals_to_solve(rules, State(0, 0), False, 0.0, lambda cost: False, estimated=True)
    assert (nothing.estimated, nothing.cost) == (True, None)
    for stored, seconds, allowed in ((True, 0.0, False), (False, 1e9, False), (False, 0.0, True)):
        found = goals_to_solve(
            rules, State(0, 0), stored, seconds, lambda cost, a=allowed: a, estimated=True
        )
        assert not found.estimated


def test_answers_say_that_chances_are_estimates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that may solve no goal, with estimates of Crag whose last three layers are
    exact.
    """
    rules = load_rules("crag")
    monkeypatch.setattr(
        "perfect_yatzy.approximation.goal_estimates.LATE_GOALS_BYTES",
        LateGoals(rules, 3).solve_cost().bytes,
    )
    solve_goal_estimates(rules, tmp_path)
    service = QueryService(tmp_path, budget=NOTHING_SOLVED)
    answer = service.answer({"query": "hold", "rules": "crag", "dice": "355", "goal": 180})
    assert "estimates" in answer["approximate"]["text"]
    assert "--goal 180" in answer["approximate"]["text"]
    assert 0 < answer["chance"] < 1
    answer = service.answer({"query": "expect", "rules": "crag", "goal": 180, "games": 2_000})
    measured = answer["approximate"]
    low, high = measured["interval99"]
    assert low < measured["chance"] < high
    assert measured["chance"] > measured["chance_by_mean_play"]
    assert "99 %" in measured["text"]
    assert service.answer({"query": "expect", "rules": "crag", "goal": 2_000})["out_of_reach"]
    late = " ".join(f"{category.id}=0" for category in rules.categories[3:])
    answer = service.answer(
        {"query": "hold", "rules": "crag", "dice": "355", "goal": 5, "card": late}
    )
    assert "approximate" not in answer
    strategy, played, answer = run_simulation(
        service, {"rules": "crag", "games": 500, "policy": "goal:180"}
    )
    assert "approximate" in answer
    assert answer["reached"] == (played.final_scores >= 180).mean()
    assert "approximate" in repr(strategy)
    assert refused("simulated", distribution, strategy, error=RulesError).code == "too-large"


def test_errors_name_the_command(tmp_path: Path) -> None:
    """Of goals that are too large, and of a damaged table."""
    rules = load_rules("crag")
    service, asked = (
        QueryService(tmp_path, budget=NOTHING_SOLVED),
        {"query": "expect", "rules": "crag", "goal": 180},
    )
    refused("yatzy solve crag --what goals --approximate", service.answer, asked, error=RulesError)
    solve_goal_estimates(rules, tmp_path)
    path = next(tmp_path.glob("crag-upside-*.npy"))
    path.write_bytes(path.read_bytes()[:-40])
    means = perfect_yatzy.open_strategy(rules, tmp_path).evaluator
    said = "--what goals --approximate --force"
    refused(
        said,
        score_strategy.open_goal_estimates,
        rules,
        means,
        tmp_path,
        error=perfect_yatzy.TableError,
    )


def test_wilson_intervals_and_the_rate_of_risk() -> None:
    assert wilson_interval(0, 1_000)[0] == 0.0
    assert 0.005 < wilson_interval(0, 1_000)[1] < 0.01
    low, high = wilson_interval(500, 1_000)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * 2.5758 * 0.5 / 1_000**0.5, rel=0.01)
    strategy = of_mean(load_rules("crag"))
    deviation = simulate(strategy, 10_000).standard_deviation
    assert risk_rate(strategy) == pytest.approx(RATE / deviation, rel=0.05)
