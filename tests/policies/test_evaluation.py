"""Exact policy evaluation against an oracle in fractions, the table of perfect play, and identities."""

import zlib
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy.errors import RulesError, StateError
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.rules import RuleSet
from perfect_yatzy.game.scorecard import State
from perfect_yatzy.model.objectives import PolicyMean, Variance
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.policies import evaluation
from perfect_yatzy.policies.evaluation import Evaluation, evaluate, policy_mean, policy_values
from perfect_yatzy.policies.levels import SoftPolicy
from perfect_yatzy.policies.policy import STOP, CardTurn, FunctionPolicy, ValueFunction, all_states
from perfect_yatzy.policies.user_code import BatchPolicy
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.tablebase.backward_induction import solve_objective, solve_values
from support import games
from support.naive import Dice
from support.naive_objectives import mean_score, score_variance
from support.naive_policies import GreedyChoice, NaivePolicy
from support.refusals import refused
from support.seeds import examples

EVERY_KIND_OF_GAME = examples(0, 25)


def assert_agree(rules: RuleSet, found: Evaluation, oracle: NaivePolicy) -> None:
    exact = oracle.distribution()
    assert abs(found.mean - mean_score(exact)) < 1e-9
    assert abs(found.standard_deviation - float(score_variance(exact)) ** 0.5) < 1e-7
    assert abs(found.perfect_mean - oracle.value(0, 0)) < 1e-9
    assert (found.distribution is None) == rules.saved_rolls
    if rules.saved_rolls:
        return
    for score, chance in zip(found.distribution.scores.tolist(), found.distribution.chances, strict=True):
        assert abs(chance - exact.get(score, 0)) < 1e-12
    losses, boxes = oracle.losses(), range(len(rules.categories))
    for turn in boxes:
        for left in range(1, rules.rolls_per_turn):
            assert abs(found.losses.holds[turn, left - 1] - losses[turn, "hold", left]) < 1e-9
        for box in boxes:
            assert abs(found.losses.categories[turn, box] - losses[turn, "box", box]) < 1e-9
    assert abs(found.losses.total - found.loss) < 1e-9
    assert abs(found.losses.by_turn.sum() - found.loss) < 1e-9


@EVERY_KIND_OF_GAME
@given(games.rule_sets(), st.integers(0, 1000))
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 1)
@example(games.joker_game("free", order="forced"), 2)
@example(games.saved_rolls_game("free", True), 3)
def test_a_random_value_function_agrees_with_the_oracle(rules: RuleSet, seed: int) -> None:
    space = state_space(rules)
    guess = np.random.default_rng(seed).uniform(0, 20, space.size)
    paying = rules.tracked_index >= 0

    def guessed(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Fraction(float(guess[space.index(State(filled, upper, saved, flag and paying))]))

    guess[space.layer_slice(space.categories)] = solve_values(rules)[space.layer_slice(space.categories)]
    oracle = NaivePolicy(rules.canonical(), GreedyChoice(rules.canonical(), guessed))
    policy = ValueFunction(rules, guess)
    found = evaluate(policy)
    assert_agree(rules, found, oracle)
    assert policy_mean(policy) == pytest.approx(found.mean, abs=1e-10)
    one, three = (evaluate(policy, threads=threads) for threads in (1, 3))
    assert one.mean == three.mean
    for name in ("holds", "categories") if one.losses else ():
        assert np.array_equal(getattr(one.losses, name), getattr(three.losses, name))
    variance = solve_objective(Variance(rules, policy_values(policy), State(), policy))[-1]
    assert variance**0.5 == pytest.approx(found.standard_deviation, abs=1e-7)


def draw(*key: object) -> int:
    """A number that looks random and depends on the key alone."""
    return zlib.crc32(repr(key).encode())


@EVERY_KIND_OF_GAME
@given(games.rule_sets(), st.integers(0, 1000))
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)), 1)
@example(games.joker_game("none"), 2)
def test_a_random_policy_function_agrees_with_the_oracle(rules: RuleSet, seed: int) -> None:
    if rules.saved_rolls:
        refused("saves rolls", FunctionPolicy, rules, lambda turn: (0, 0), error=RulesError)
        return
    space = state_space(rules)

    def action(filled: int, upper: int, flag: bool, dice: Dice, left: int, boxes: list[int]) -> int | Dice:
        holds = sorted(NaivePolicy.holds_of(dice) - {dice})
        chosen = draw(seed, filled, upper, flag, dice, left) % (len(holds) + 1) if left else len(holds)
        return holds[chosen] if chosen < len(holds) else boxes[draw(seed, filled, upper, flag, dice) % len(boxes)]

    def function(turn: CardTurn) -> tuple[np.ndarray, np.ndarray]:
        rolls, lanes = len(turn.allowed), len(turn.upper)
        categories = np.zeros((rolls, lanes), dtype=int)
        holds = np.full((turn.n_rerolls, rolls, lanes), STOP)
        for roll, counts in enumerate(turn.roll_counts.tolist()):
            boxes = np.flatnonzero(turn.allowed[roll]).tolist()
            for lane, upper in enumerate(turn.upper.tolist()):
                key = turn.filled, upper, turn.joker_paid, tuple(dice_of(counts))
                categories[roll, lane] = action(*key, 0, boxes)
                for left in range(1, turn.n_rerolls + 1):
                    held = action(*key, left, boxes)
                    if isinstance(held, tuple):
                        held_counts = [held.count(face + 1) for face in range(rules.faces)]
                        holds[left - 1, roll, lane] = turn.hold_index(held_counts)
        return categories, holds

    paying = rules.tracked_index >= 0

    def choose(filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool) -> int | Dice:
        state = State(filled, upper, 0, flag and paying)
        row = space.row(state)
        lane = space.layout.lane_of[space.layout.lane_sets[row], upper]
        shared = int(space.layout.lane_upper[space.layout.lane_sets[row], lane])
        boxes = sorted(oracle.scores(filled, flag, dice))
        return action(filled, shared, flag and paying, dice, left, boxes)

    oracle = NaivePolicy(rules.canonical(), choose)
    assert_agree(rules, evaluate(FunctionPolicy(rules, function)), oracle)


@pytest.mark.full
def test_play_for_a_goal_is_evaluated(forced: Strategy) -> None:
    strategy = perfect_yatzy.reach("yatzy-forced", 220)
    found = evaluate(strategy)
    assert found.distribution.at_least(220) == pytest.approx(strategy.value(), rel=1.3e-5)
    assert found.perfect_mean == forced.value()
    assert 1 < found.loss < 50
    assert found.losses is None
    bonus = 50 * found.upper_bonus_chance
    assert sum(result.mean for result in found.categories) + bonus == pytest.approx(found.mean, abs=1e-9)


def test_a_policy_from_a_card_on() -> None:
    """The rest of a game under perfect play; points on the card count."""
    card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 chance=22"
    yatzy = perfect_yatzy.open_strategy("yatzy")
    expected = perfect_yatzy.distribution(yatzy, card)
    found = evaluate(ValueFunction("yatzy", yatzy.values, card), points=95)
    assert found.mean == pytest.approx(expected.mean, abs=1e-9)
    assert found.upper_bonus_chance == pytest.approx(1)
    assert np.array_equal(found.distribution.scores, expected.scores)


def test_states_are_those_of_the_table() -> None:
    rules = games.saved_rolls_game("free", True)
    space = state_space(rules)
    states = all_states(space)
    for i in range(space.size):
        state = State(int(states.filled[i]), int(states.upper[i]), int(states.saved[i]), bool(states.joker_paid[i]))
        assert space.unchecked_index(state) == i
    assert states.open.shape == (space.size, len(rules.categories))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (5, "must be \\(categories, holds\\)"),
        ((0.5, 0), "categories of type float64"),
        (([0, 1, 2], 0), "categories of shape \\(3,\\); must broadcast"),
        ((0, np.zeros((5, 1, 1), int)), "holds of shape"),
        ((17, STOP), "category 17 for the roll"),
        ((0, 27), "hold 27 for the roll"),
        ((0, 99), "hold 99"),
    ],
)
def test_wrong_answers_of_a_function_are_refused(answer: object, message: str) -> None:
    rules = games.saved_rolls_game("free", False)
    with pytest.raises(StateError, match=message):
        evaluate(FunctionPolicy(rules, lambda turn: answer))  # type: ignore[arg-type, return-value]


def test_a_function_says_what_it_takes() -> None:
    """The name of its parameter decides; elsewhere it is refused, with what to do instead."""
    functions = {"position": lambda position: "", "turn": lambda turn: (0, 0), "observations": lambda observations: 0}
    for policy, wanted in ((FunctionPolicy, "turn"), (BatchPolicy, "observations")):
        for name, function in functions.items():
            if name == wanted:
                assert repr(policy("yatzy-forced", function)) == f"<{policy.__name__} yatzy-forced>"
                continue
            with pytest.raises(StateError, match=f"takes {name}, not {wanted}") as found:
                policy("yatzy-forced", function)
            assert ("samples games" in str(found.value)) == (name == "position")


@pytest.mark.parametrize("call", [evaluate, lambda policy, rules: perfect_yatzy.simulate(policy, 2, rules=rules)])
def test_rules_that_contradict_the_policy_are_refused(call: Any, forced: Strategy) -> None:
    guess = ValueFunction("yatzy-forced", np.zeros(state_space(forced.rules).size))
    for policy in (guess, forced, SoftPolicy(forced, 1.0), perfect_yatzy.computer_player(forced, 3)):
        call(policy, "yatzy-forced")
        refused("the policy is for yatzy-forced, not for yatzy", call, policy, "yatzy")


def test_a_message_of_long_work_waits_until_it_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hundredth of the work says little: kernels are compiled meanwhile."""
    now, told = iter([0.0, 100.0, 200.0, 300.0]), list[float]()
    monkeypatch.setattr(evaluation, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(evaluation, "log_long", lambda what, seconds: told.append(seconds))
    report = evaluation._logged("it", None)
    for done in (1, 20, 30):
        report(done, 1000)
    assert told == [10_000.0]


def test_results_print_on_a_line() -> None:
    """Perfect play loses nothing, not minus nothing."""
    found = evaluate(perfect_yatzy.open_strategy("yatzy-forced"))
    assert repr(found) == "<Evaluation yatzy-forced: mean 150.2168, 0.0000 points less than perfect play>"
    losses = evaluate(perfect_yatzy.open_policy("most-points", "yatzy-forced")).losses
    assert losses is not None
    parts = losses.holds.sum(), losses.categories.sum()
    assert repr(losses) == f"<Losses: {sum(parts):.2f} points a game, {parts[0]:.2f} by holds, 0.00 by categories>"


def test_wrong_guesses_and_players_whose_actions_cannot_be_listed_are_refused() -> None:
    size = state_space(perfect_yatzy.load_rules("yatzy-forced")).size
    for guess, message in (([1.0, 2.0, 3.0], "has shape \\(3,\\)"), (np.full(size, np.nan), "must be finite")):
        refused(message, ValueFunction, "yatzy-forced", guess)
    refused("must be a policy", evaluate, "yatzy")
    assert PolicyMean(ValueFunction("yatzy-forced", np.zeros(size))).size == size
    for player in (lambda position: "chance", perfect_yatzy.open_policy("safe", "yatzy-forced")):
        refused("acts in one position at a time", perfect_yatzy.versus, "yatzy-forced", player)


def test_games_of_any_policy_are_those_of_its_evaluation(forced: Strategy) -> None:
    """Arrays of a function, a value function, soft play: mean and spread of simulated games, on any number of threads."""

    def most_points(turn: CardTurn) -> tuple[Any, Any]:
        points = np.where(turn.allowed, turn.points, -1)
        return points.argmax(axis=1)[:, None], np.full((turn.n_rerolls, 1, 1), turn.no_dice)

    rules, number = forced.rules, 40_000
    for policy in (FunctionPolicy(rules, most_points), ValueFunction(rules, forced.values), SoftPolicy(forced, 2.0)):
        exact, played = evaluate(policy), perfect_yatzy.simulate(policy, number, seed=3)
        assert abs(played.mean - exact.mean) < 4 * exact.standard_deviation / number**0.5
        assert played.standard_deviation == pytest.approx(exact.standard_deviation, rel=0.03)
        assert played.upper_bonus_chance == pytest.approx(exact.upper_bonus_chance, abs=0.01)
        again = perfect_yatzy.simulate(policy, number, seed=3, threads=1)
        assert np.array_equal(again.final_scores, played.final_scores)
        assert played.policy == type(policy).__name__
    perfect = perfect_yatzy.simulate(forced, 1_000, seed=3).final_scores
    same = perfect_yatzy.simulate(ValueFunction(rules, forced.values), 1_000, seed=3)
    assert np.array_equal(same.final_scores, perfect)
    refused("policy is 'yatzy'", perfect_yatzy.simulate, "yatzy", 1)
