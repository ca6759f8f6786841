"""Exact policy evaluation against an oracle in fractions; kinds of policies play alike
everywhere; sampled players.
"""

import json
import re
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import open_policy, open_strategy, simulate, start_turn
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.rules import RuleSet
from perfect_yatzy.core.state import State
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.legal_actions import TurnPosition, action_number, numbered_action
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.random_dice import Games, dice_of_game
from perfect_yatzy.objectives.policy_quantities import PolicyMean, Variance
from perfect_yatzy.policies import evaluation
from perfect_yatzy.policies.evaluation import (
    Evaluation,
    Losses,
    SampledEvaluation,
    evaluate,
    policy_values,
    sample,
)
from perfect_yatzy.policies.levels import SoftPolicy
from perfect_yatzy.policies.policy import STOP, CardTurn, FunctionPolicy, ValueFunction, all_states
from perfect_yatzy.policies.user_code import BatchPolicy, ProcessError, ProcessPlayer
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.in_memory import solve_values
from support import games
from support.command import Run, refusal
from support.mechanics import random_rules
from support.naive import Dice
from support.naive_objectives import assert_chances, mean_score, score_variance
from support.naive_policies import GreedyChoice, NaivePolicy
from support.refusals import refused
from support.seeds import examples, in_rings

EVERY_KIND_OF_GAME = examples(0, 25)


def assert_agree(rules: RuleSet, found: Evaluation, oracle: NaivePolicy) -> None:
    exact = oracle.distribution()
    assert abs(found.mean - mean_score(exact)) < 1e-9
    assert abs(found.standard_deviation - float(score_variance(exact)) ** 0.5) < 1e-7
    assert abs(found.perfect_mean - oracle.value(0, 0)) < 1e-9
    assert (found.distribution is None) == rules.saved_rolls
    if rules.saved_rolls:
        return
    assert_chances(found.distribution, exact)
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
@example(games.JOKER, 1)
@example(games.joker_game("free", order="forced"), 2)
@example(games.saved_rolls_game("free", True), 3)
def test_a_random_value_function_agrees_with_the_oracle(rules: RuleSet, seed: int) -> None:
    space = state_space(rules)
    guess = np.random.default_rng(seed).uniform(0, 20, space.size)
    paying = rules.tracked_index >= 0

    def guessed(filled: int, upper: int, saved: int, flag: bool) -> Fraction:
        return Fraction(float(guess[space.index(State(filled, upper, saved, flag and paying))]))

    guess[space.layer_slice(space.categories)] = solve_values(rules)[
        space.layer_slice(space.categories)
    ]
    oracle = NaivePolicy(rules.canonical(), GreedyChoice(rules.canonical(), guessed))
    policy = ValueFunction(rules, guess)
    found = evaluate(policy)
    assert_agree(rules, found, oracle)
    assert evaluation.policy_mean(policy) == pytest.approx(found.mean, abs=1e-10)
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
@example(games.JOKER, 1)
@example(games.joker_game("none"), 2)
def test_a_random_policy_function_agrees_with_the_oracle(rules: RuleSet, seed: int) -> None:
    if rules.saved_rolls:
        refused("saves rolls", FunctionPolicy, rules, lambda turn: (0, 0), error=RulesError)
        return
    space = state_space(rules)

    def action(
        filled: int, upper: int, flag: bool, dice: Dice, left: int, boxes: list[int]
    ) -> int | Dice:
        holds = sorted(NaivePolicy.holds_of(dice) - {dice})
        chosen = (
            draw(seed, filled, upper, flag, dice, left) % (len(holds) + 1) if left else len(holds)
        )
        return (
            holds[chosen]
            if chosen < len(holds)
            else boxes[draw(seed, filled, upper, flag, dice) % len(boxes)]
        )

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

    def choose(
        filled: int, upper: int, saved: int, flag: bool, dice: Dice, left: int, first: bool
    ) -> int | Dice:
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
    assert sum(result.mean for result in found.categories) + bonus == pytest.approx(
        found.mean, abs=1e-9
    )


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
        state = State(
            int(states.filled[i]),
            int(states.upper[i]),
            int(states.saved[i]),
            bool(states.joker_paid[i]),
        )
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
    refused(message, evaluate, FunctionPolicy(rules, lambda turn: answer))  # type: ignore[arg-type, return-value]


def test_a_function_says_what_it_takes() -> None:
    """The name of its parameter decides; elsewhere it is refused, with what to do instead."""
    functions = {
        "position": lambda position: "",
        "turn": lambda turn: (0, 0),
        "observations": lambda observations: 0,
    }
    for policy, wanted in ((FunctionPolicy, "turn"), (BatchPolicy, "observations")):
        for name, function in functions.items():
            if name == wanted:
                assert repr(policy("yatzy-forced", function)) == f"<{policy.__name__} yatzy-forced>"
                continue
            error = refused(f"takes {name}, not {wanted}", policy, "yatzy-forced", function)
            assert ("samples games" in str(error)) == (name == "position")


@pytest.mark.parametrize(
    "call", [evaluate, lambda policy, rules: perfect_yatzy.simulate(policy, 2, rules=rules)]
)
def test_rules_that_contradict_the_policy_are_refused(call: Any, forced: Strategy) -> None:
    guess = ValueFunction("yatzy-forced", np.zeros(state_space(forced.rules).size))
    for policy in (
        guess,
        forced,
        SoftPolicy(forced, 1.0),
        perfect_yatzy.computer_player(forced, 3),
    ):
        call(policy, "yatzy-forced")
        refused("the policy is for yatzy-forced, not for yatzy", call, policy, "yatzy")


def test_a_message_of_long_work_waits_until_it_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hundredth of the work says little; kernels are compiled before the first report,
    which does not count.
    """
    now, told = [0.0], list[float]()
    monkeypatch.setattr(evaluation, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(evaluation, "log_long", lambda what, seconds: told.append(seconds))
    report = evaluation._logged("it", None)
    for now[0], done in ((100.0, 10), (106.0, 20), (107.0, 110), (108.0, 200)):
        report(done, 1000)
    assert told == [7.0 * 10]


def test_results_print_on_a_line() -> None:
    """Perfect play loses nothing, not minus nothing."""
    found = evaluate(perfect_yatzy.open_strategy("yatzy-forced"))
    assert (
        repr(found)
        == "<Evaluation yatzy-forced: mean 150.2168, 0.0000 points less than perfect play>"
    )
    losses = evaluate(perfect_yatzy.open_policy("most-points", "yatzy-forced")).losses
    parts = losses.holds.sum(), losses.categories.sum()
    assert (
        repr(losses)
        == f"<Losses: {sum(parts):.2f} points a game, {parts[0]:.2f} by holds, 0.00 by categories>"
    )


def test_wrong_guesses_and_players_whose_actions_cannot_be_listed_are_refused() -> None:
    size = state_space(perfect_yatzy.load_rules("yatzy-forced")).size
    for guess, message in (
        ([1.0, 2.0, 3.0], "has shape \\(3,\\)"),
        (np.full(size, np.nan), "must be finite"),
    ):
        refused(message, ValueFunction, "yatzy-forced", guess)
    refused("must be a policy", evaluate, "yatzy")
    assert PolicyMean(ValueFunction("yatzy-forced", np.zeros(size))).size == size
    for player in (lambda position: "chance", perfect_yatzy.open_policy("safe", "yatzy-forced")):
        refused("acts in one position at a time", perfect_yatzy.versus, "yatzy-forced", player)


def test_games_of_any_policy_are_those_of_its_evaluation(forced: Strategy) -> None:
    """Arrays of a function, a value function, soft play: mean and spread of simulated games, on
    any number of threads.
    """

    def most_points(turn: CardTurn) -> tuple[Any, Any]:
        points = np.where(turn.allowed, turn.points, -1)
        return points.argmax(axis=1)[:, None], np.full((turn.n_rerolls, 1, 1), turn.no_dice)

    rules, number = forced.rules, in_rings(10_000, 40_000)
    for policy in (
        FunctionPolicy(rules, most_points),
        ValueFunction(rules, forced.values),
        SoftPolicy(forced, 2.0),
    ):
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


JOKERS = games.joker_game("forced")
GAMES = [
    JOKERS,
    games.joker_game("free"),
    games.small(games.PAIR, games.CHANCE, dice=3, faces=3, first_roll_bonus=(("pair", 3),)),
    random_rules(11, boxes=4),
]
FORCED = "yatzy-forced"

BOT = """
def play(position):
    boxes = position.categories()
    return "none" if position.rolls_left == 2 else max(boxes, key=lambda box: boxes[box])

class Bot:
    def act(self, position):
        return play(position)

def batch(observations):
    mask = observations["action_mask"]
    return (mask * (1 + (observations["counts"] @ range(1, 7))[:, None] * 31 % (7 + mask.cumsum(axis=1)))).argmax(axis=1)

def arrays(turn):
    return turn.allowed.argmax(axis=1)[:, None], turn.hold_index(turn.roll_counts * 0)[None, :, None]

def broken(position):
    return {}["x"]

def broken_arrays(turn):
    return 1 / 0

def no_action(position):
    return 42
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "bot.py"
    path.write_text(BOT)
    return path


def guess(states: Any) -> npt.ArrayLike:
    """A value function that is wrong but not constant."""
    return states.open.sum(axis=1) * 2.5 + states.upper % 3 + 1.5 * states.joker_paid  # type: ignore[no-any-return]


def by_mask(observations: dict[str, Any]) -> npt.NDArray[np.int64]:
    """A legal action that depends on every part of an observation."""
    assert observations["points"].shape == observations["filled"].shape  # made when it is asked for
    key = sum(
        observations[name] @ np.arange(3, 3 + observations[name].shape[1]) for name in observations
    )
    mask = observations["action_mask"]
    numbers = np.arange(mask.shape[1]) * 7919 + key[:, None] * 104729
    return np.asarray(((1 + numbers % 1009) * mask).argmax(axis=1))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_a_policy_acts_in_a_position_as_the_kernels_play_it(rules: RuleSet) -> None:
    """Games of `act`, one decision at a time, are the simulated games: dice, actions and boxes."""
    for policy in (ValueFunction(rules, guess), BatchPolicy(rules, by_mask)):
        by_kernels = simulate(policy, 30, seed=5)
        by_act = simulate(policy.act, 30, seed=5, rules=rules)
        assert by_kernels.category_points.tolist() == by_act.category_points.tolist()
        assert by_kernels.final_scores.tolist() == by_act.final_scores.tolist()
        assert by_kernels.upper_bonus.tolist() == by_act.upper_bonus.tolist()


def test_hold_rules_and_a_function_of_arrays_act_as_the_kernels_play_them(bot: Path) -> None:
    for name in ("hold-rules", f"{bot}:arrays"):
        policy = open_policy(name, FORCED)
        by_kernels = simulate(policy, 10, seed=5)
        by_act = simulate(policy.act, 10, seed=5, rules=FORCED)  # type: ignore[union-attr]
        assert by_kernels.category_points.tolist() == by_act.category_points.tolist()


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.id)
def test_a_batched_agent_is_worth_what_the_same_policy_is_worth_given_another_way(
    rules: RuleSet,
) -> None:
    """Greedy play for a guess, as a value function and as an agent that ranks the actions of
    each observation.
    """
    policy = ValueFunction(rules, guess)
    ranking = Strategy(rules, None, TurnEvaluator(rules, policy.values))
    cards: list[bytes] = []

    def agent(observations: dict[str, Any]) -> npt.NDArray[np.int64]:
        filled, counts, upper = (
            observations["filled"],
            observations["counts"],
            observations["upper"][:, 0],
        )
        cards.append(filled[0].tobytes() + observations["joker_paid"][0].tobytes())
        dice = np.array([np.repeat(np.arange(1, rules.faces + 1), row) for row in counts])
        paid, left = observations["joker_paid"][:, 0], observations["rolls_left"][:, 0]
        return np.asarray(
            ranking.best(
                filled @ (1 << np.arange(filled.shape[1])), upper, dice, left, 0, paid
            ).action
        )

    found, exact = evaluate(BatchPolicy(rules, agent)), evaluate(policy)
    assert len(set(cards)) == len(cards)  # asked once for each card
    assert found.mean == pytest.approx(exact.mean, abs=1e-9)
    assert found.loss == pytest.approx(exact.loss, abs=1e-9)
    assert found.standard_deviation == pytest.approx(exact.standard_deviation, abs=1e-9)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n, mask: np.zeros(n), r"shape \(\d+,\) of float64; must be \(\d+,\) integers"),
        (lambda n, mask: np.zeros((n, 1), dtype=int), r"shape \(\d+, 1\) of int64"),
        (lambda n, mask: 3, r"shape \(\) of int64"),
        (
            lambda n, mask: np.zeros(n, dtype=int),
            "returned action 0 for the roll 111, which is not allowed",
        ),
        (
            lambda n, mask: np.full(n, mask.shape[1]),
            r"returned action 14 for the roll 111, which is not allowed",
        ),
        (lambda n, mask: np.full(n, -1), "returned action -1 for the roll"),
        (
            lambda n, mask: np.where(mask[:, 0] == 1, -1, mask.argmax(axis=1)),
            "returned action -1 for the roll",
        ),
        (lambda n, mask: mask.argmin(axis=1), "which is not allowed"),
    ],
)
def test_what_an_agent_may_not_answer(answer: Callable[[int, Any], Any], message: str) -> None:
    def agent(observations: dict[str, Any]) -> Any:
        return answer(len(observations["counts"]), observations["action_mask"])

    refused(message, evaluate, BatchPolicy(JOKERS, agent))
    with pytest.raises(KeyError, match="mask"):
        evaluate(BatchPolicy(JOKERS, lambda observations: observations["mask"]))
    refused(
        "saves rolls", BatchPolicy, games.saved_rolls_game("free", True), agent, error=RulesError
    )


KINDS = [
    "perfect",
    "mean",
    "most-points",
    "prices",
    "hold-rules",
    "level:3",
    "goal:150",
    "safe",
    "win",
    "FILE:play",
    "FILE:Bot",
    "FILE:batch",
    "FILE:arrays",
    "PROGRAM",
]


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_policy_goes_wherever_one_is_asked_for(
    kind: str, bot: Path, tmp_path: Path, run: Run
) -> None:
    """One line of the table kinds x places; a place that measures says what the others say."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    name = kind.replace("FILE", str(bot)).replace("PROGRAM", f"process:{sys.executable} {program}")
    by_command = json.loads(run("evaluate", name, "-r", FORCED, "--games", "30", "--json").stdout)
    in_python = evaluate(open_policy(name, FORCED), FORCED, games=30)  # type: ignore[arg-type]
    is_random = kind in ("level:3",)
    assert by_command["mean"] == pytest.approx(in_python.mean, abs=1e-9)
    record, table = tmp_path / "games.jsonl", tmp_path / "positions.jsonl"
    simulated = json.loads(
        run("simulate", FORCED, "-p", name, "-n", "30", "-o", str(record), "--json").stdout
    )
    if not hasattr(in_python, "distribution"):
        assert simulated["mean"] == pytest.approx(in_python.plain_mean)  # the same games
    rated = json.loads(run("rate", str(record), "--json").stdout)
    assert rated["ratings"][0]["result"]["mean"] == pytest.approx(simulated["mean"])
    drawn = json.loads(
        run("simulate", FORCED, "-p", name, "--positions", "100", "-o", str(table), "--json").stdout
    )
    assert drawn["rows"] == 100
    position = start_turn(FORCED, dice="33456")
    action = open_policy(name, FORCED).act(position)  # type: ignore[union-attr]
    assert position.action_mask()[action_number(position.rules, action)] == 1
    if not is_random:
        choice = perfect_yatzy.computer_player(FORCED, name).choose("", "33456", 2)
        assert choice == numbered_action(position.rules, action_number(position.rules, action))
        row = json.loads(table.read_text().splitlines()[1])
        first = start_turn(FORCED, dice=dice_of_game(1, 0, 0, 0, 5, 6))
        assert row["taken"] == action_number(first.rules, open_policy(name, FORCED).act(first))  # type: ignore[union-attr]
    played = run(
        "play",
        FORCED,
        "--opponent",
        name,
        "--seed",
        "1",
        "--no-warn",
        "--save",
        str(tmp_path / "game.json"),
        stdin="none\nnone\nones\n\nquit\n",
    )
    assert "Computer" in played.stdout


PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["query"] == "hold":
        print(json.dumps({"hold": request["dice"] if request["rolls_left"] == 1 else request["dice"][:2]}), flush=True)
    else:
        boxes = sys.argv[1:] or "ones twos threes fours fives sixes one-pair two-pairs three-of-a-kind four-of-a-kind \
small-straight large-straight full-house chance yatzy".split()
        print(json.dumps({"category": next(c for c in boxes if c not in request["card"])}), flush=True)
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "broken",
            r"line 18, in broken: KeyError: 'x'; asked about start_turn\('yatzy-forced', dice='\d{5}'\)",
        ),
        (
            "broken_arrays",
            "line 21, in broken_arrays: ZeroDivisionError: division by zero; asked about filled=0",
        ),
        (
            "no_action",
            r"game 1, card empty, dice \d{5}, 2 rerolls left: action is 42; must be the dice to hold or",
        ),
        ("missing", "has no function missing"),
        ("np", "has no function np"),
    ],
)
def test_an_error_in_the_code_of_a_user_is_one_line(
    name: str, message: str, bot: Path, forced: Strategy, run: Run
) -> None:
    """Its file and line, and the position, which can be pasted. The game is solved already, so that
    nothing is said of a solve.
    """
    said = refusal(run, "evaluate", f"{bot}:{name}", "-r", FORCED, "--games", "2")
    assert "Traceback" not in said
    assert re.search(("" if name == "no_action" else r"bot\.py,? .*") + message, said), said
    bot.write_text("def play(position)\n    return 1\n")
    assert "cannot read" in refusal(run, "evaluate", f"{bot}:play", "-r", FORCED)


def test_a_saved_game_does_not_run_code_unasked(bot: Path, tmp_path: Path, run: Run) -> None:
    """Only if the command line names it, too."""
    save = str(tmp_path / "game.json")
    run(
        "play",
        FORCED,
        "--opponent",
        f"{bot}:play",
        "--seed",
        "1",
        "--no-warn",
        "--save",
        save,
        stdin="quit\n",
    )
    bot.write_text("raise SystemExit('it ran')")
    said = refusal(run, "play", FORCED, "--no-warn", "--save", save, stdin="quit\n")
    assert f"--opponent {bot}:play" in said
    assert "it ran" not in said


def test_positions_of_another_player_are_labelled_by_perfect_play() -> None:
    """Best action and value as the strategy says, taken as the player acts; explored at the
    stated rate.
    """
    strategy = open_strategy(JOKERS)

    def player(position: TurnPosition) -> str:
        return next(iter(position.categories()))

    found = perfect_yatzy.sample_positions(strategy, 60, seed=2, player=player)
    answer = strategy.best(
        found.filled, found.upper, found.dice, found.rolls_left, found.saved, found.joker_paid
    )
    assert found.action.tolist() == answer.action.tolist()
    assert found.metadata()["player"] == "function"
    assert (found.rolls_left == 2).all()  # it never rerolls
    explored = perfect_yatzy.sample_positions(strategy, 600, seed=2, exploration=0.5, player=player)
    assert 0.2 < (explored.rolls_left < 2).mean() < 0.9
    start = start_turn(JOKERS).state
    refused(
        "starts from a scorecard",
        perfect_yatzy.sample_positions,
        strategy,
        1,
        start=start,
        player=player,
    )


def test_the_estimate_covers_the_exact_mean_and_is_narrower_than_that_of_the_scores() -> None:
    """A player who guesses the points to come as zero; 4 standard errors, of losses and of
    scores.
    """
    nothing = np.zeros(len(solve_values(JOKERS)))
    player = Strategy(JOKERS, None, TurnEvaluator(JOKERS, nothing)).best_action
    exact = evaluate(ValueFunction(JOKERS, nothing))
    found = sample(Settings(), player, open_strategy(JOKERS), Games(in_rings(400, 1000), 5))
    assert abs(found.mean - exact.mean) < 4 * found.standard_error
    assert abs(found.plain_mean - exact.mean) < 4 * found.plain_standard_error
    assert found.standard_error < found.plain_standard_error / 2
    assert found.perfect_mean - found.mean == pytest.approx(found.losses.total)
    for name in ("holds", "categories"):  # where they are lost, too
        sampled, whole = getattr(found.losses, name), getattr(exact.losses, name)
        assert sampled.shape == whole.shape
        assert np.abs(sampled - whole).max() < 0.1
        assert np.corrcoef(sampled.ravel(), whole.ravel())[0, 1] > 0.98


def test_standard_errors_are_those_of_a_sample() -> None:
    """With n - 1 in the denominator, as Python's own statistics have it; none of one game."""
    nowhere = Losses(np.zeros((1, 2)), np.zeros((1, 1)))
    for scores, losses in (((10.0, 14.0), (0.0, 3.0)), ((5.0, 6.0, 10.0), (1.0, 1.5, 0.25))):
        found = SampledEvaluation(JOKERS, 20.0, np.array(scores), np.array(losses), nowhere)
        assert found.standard_error == pytest.approx(stdev(losses) / len(losses) ** 0.5, rel=1e-12)
        assert found.plain_standard_error == pytest.approx(
            stdev(scores) / len(scores) ** 0.5, rel=1e-12
        )
        assert (found.mean, found.plain_mean) == (20 - mean(losses), mean(scores))
    one = SampledEvaluation(JOKERS, 20.0, np.array([10.0]), np.array([1.0]), nowhere)
    assert np.isnan([one.standard_error, one.plain_standard_error]).all()


def test_a_perfect_player_loses_nothing() -> None:
    """Also with saved rolls, from a card on."""
    strategy, card = open_strategy(games.saved_rolls_game("free", True)), {"face-5": 5}
    found = sample(Settings(), strategy.best_action, strategy, Games(20, 1), card)
    assert found.game_losses.max() == 0
    assert found.mean == found.perfect_mean == 5 + strategy.value(card)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.exit(3)", "exit code 3|does not read|no complete line"),
        ("print('hello')", "answered 'hello'; must be a JSON object"),
        ("print('{}')", "must have a hold or a category"),
        ("""print('{"error": "no idea"}')""", "answered with an error: no idea"),
        ("print('{', end='')", "no complete line|exit code 0"),
    ],
)
def test_a_program_that_does_not_answer_is_reported(
    program: str, message: str, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(program)
    with (
        ProcessPlayer(f"{sys.executable} {bot}") as player,
        pytest.raises(ProcessError, match=message),
    ):
        sample(Settings(), player, open_strategy(JOKERS), Games(1, 1))
    for command in ("/no/such/program --x", "", "'"):
        refused("cannot start", ProcessPlayer, command, error=ProcessError)


@pytest.mark.parametrize("as_text", [False, True], ids=["faces", "text"])
def test_to_hold_all_dice_is_to_stop(as_text: bool) -> None:
    """The player is asked for the category, and does as one who names it at once; also where
    rolls are saved.
    """
    for rules in (JOKERS, games.saved_rolls_game("free", True)):
        strategy = open_strategy(rules)

        def stops(position: TurnPosition) -> tuple[int, ...] | str:
            if not position.rolls_left:
                return next(iter(position.categories()))
            return "".join(map(str, position.dice)) if as_text else position.dice[::-1]

        held = sample(Settings(), stops, strategy, Games(20, 1))
        named = sample(
            Settings(), lambda position: next(iter(position.categories())), strategy, Games(20, 1)
        )
        assert held.scores.tolist() == named.scores.tolist()
        assert held.game_losses.tolist() == named.game_losses.tolist()


def test_a_mistake_of_a_player_is_shown_with_the_position() -> None:
    strategy = open_strategy(JOKERS)
    refused(
        r"game 1, card empty, dice [1-3]{3}, 2 rerolls left: ",
        sample,
        Settings(),
        lambda position: (6, 6),
        strategy,
        Games(1, 1),
    )
    refused("games is 0", sample, Settings(), lambda position: "none", strategy, Games(0, 1))
    with pytest.raises(ZeroDivisionError) as caught:
        sample(Settings(), lambda position: str(1 // 0), strategy, Games(1, 1))
    assert len(caught.value.__notes__) == 1
    assert caught.value.__notes__[0].startswith("game 1, card empty, dice ")
    refused(
        "action is 42; must be the dice to hold",
        sample,
        Settings(),
        lambda position: 42,
        strategy,
        Games(1, 1),
    )


def test_evaluate_takes_a_function_of_positions_and_an_object_with_act() -> None:
    class Bot:
        def act(self, position: TurnPosition) -> tuple[int, ...] | str:
            return strategy.best_action(position)

    strategy = open_strategy(JOKERS)
    for player in (Bot(), strategy.best_action):
        found = evaluate(player, JOKERS, games=5)
        assert (found.mean, found.loss, found.games) == (strategy.value(), 0.0, 5)
    refused("policy is 3; must be a policy", evaluate, 3)
