"""Goals, utilities and opponents against the exact oracle, and against each other; ties are
broken by the mean.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from perfect_yatzy import (
    Choice,
    Hold,
    RulesError,
    Scorecard,
    State,
    Strategy,
    load_rules,
    sample_positions,
)
from perfect_yatzy.cli.views.answer_text import chance_phrase, expect_lines, objective_lines
from perfect_yatzy.cli.views.results import bounds_lines
from perfect_yatzy.cli.views.wording import chance_text, rounded_down, rounded_up
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import Bonus, Category, RuleSet
from perfect_yatzy.game.maximum_score import maximum_score
from perfect_yatzy.game.notation import counts_of, dice_of, parse_card
from perfect_yatzy.objectives.scores import Goals, Utility
from perfect_yatzy.policies.named import PolicyContext, named_policy
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy import distribution as forward
from perfect_yatzy.strategy.distribution import distribution, opponent
from perfect_yatzy.strategy.rest_of_game import restricted
from perfect_yatzy.strategy.score_distribution import (
    Opponent,
    WinUtility,
    finished,
    parse_opponents,
)
from perfect_yatzy.strategy.score_strategy import (
    ScoreStrategy,
    maximise,
    mean_evaluator,
    reach,
    solve_in_memory,
)
from perfect_yatzy.strategy.simulation import Simulation, simulate
from perfect_yatzy.strategy.turn_evaluator import ScoreEvaluator
from perfect_yatzy.tablebase.estimates import SolveCost, rule_set_stats
from perfect_yatzy.words import number_text
from support import games
from support.command import Run
from support.naive_objectives import (
    NaiveDuel,
    NaiveTieBreak,
    NaiveUtility,
    assert_chances,
    mean_score,
    score_variance,
)
from support.players import same_games
from support.refusals import refused
from support.seeds import examples, full_example, in_rings, ring_2, ring_3

F32 = 3e-6
UNMADE = "position 0 has points that cannot have been made since the start"
LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"


def solved(objective: Goals | Utility) -> ScoreEvaluator:
    return solve_in_memory(
        Settings(), objective, mean_evaluator(Settings(), objective.rules, objective.start)
    )


@examples(0, 20)
@given(games.rule_sets(), st.integers(1, 40))
@example(games.JOKER, 20)
@full_example(games.joker_game("free", order="forced", saved_rolls=True), 14)
@example(games.saved_rolls_game("forced", True), 30)
def test_goals_agree_with_the_oracle(rules: RuleSet, goal: int) -> None:
    oracle = NaiveUtility(rules.canonical(), lambda score: Fraction(int(score >= goal)))
    table = solved(Goals(rules)).at(-goal)
    for card in oracle.states():
        exact = oracle.expected_utility(*card, 0)
        assert abs(table.value(State(*card)) - exact) <= F32 * exact  # however small the chance


@pytest.mark.parametrize("key", ["yahtzee", "yatzy", ring_2("yatzy-saved")])
def test_the_rest_of_a_game_has_the_values_of_the_whole(key: str) -> None:
    """Every state of the rest, jokers and saved rolls included; solved from the card on."""
    rules = load_rules(key)
    boxes = "aces=2 twos=4 threes=6 fours=8 yahtzee=50 chance=20" if key == "yahtzee" else LATE
    card = parse_card(rules, boxes, 3 if key == "yatzy-saved" else 0)
    whole, rest = perfect_yatzy.open_strategy(rules), Objective(rules, card.state)
    values = solve_objective(rest)
    assert np.abs(values - restricted(whole.space, rest.space, whole.values)).max() < 1e-9
    assert values[rest.space.index(card.state)] == pytest.approx(whole.value(card))
    refused("begins at a card", rest.space.check, State())


@pytest.mark.parametrize("card", [LATE, ring_3("")], ids=["late", "whole"])
def test_goal_play_is_never_below_mean_play_for_any_goal(yatzy: Strategy, card: str) -> None:
    table, better = reach("yatzy", 0, card), 0
    found = distribution(yatzy, card, points=parse_card(yatzy.rules, card).total)
    for goal in range(380):
        chance = replace(table, zero=goal).value(card)
        assert chance >= found.at_least(goal) - F32
        better += chance > found.at_least(goal) + 0.01
        if (card, goal) == ("", 200):
            assert chance == pytest.approx(0.94566, abs=1e-5)
            assert found.at_least(goal) == pytest.approx(0.9121, abs=5e-5)
    assert better > 50


@pytest.mark.full
def test_float32_is_as_good_as_it_says(yatzy: Strategy) -> None:
    state = parse_card(yatzy.rules, LATE).state
    short, long = Goals(yatzy.rules, state), Goals(yatzy.rules, state)
    long.compute = np.dtype(np.float64)
    one, other = (ScoreEvaluator(o, solve_objective(o), yatzy.evaluator) for o in (short, long))
    states = np.arange(short.space.size)
    for needed in range(1, 250):
        chance = other.look_up(states, np.full(len(states), -needed))
        assert (
            np.abs(one.look_up(states, np.full(len(states), -needed)) - chance)
            <= short.error / 4 * chance
        ).all()


@pytest.mark.parametrize("scale", [1.0, *(ring_2(scale) for scale in (1e-9, 1e6))])
def test_the_scale_of_a_utility_is_of_no_account(yatzy: Strategy, scale: float) -> None:
    """A straight line is the mean, whatever its slope; its games are those of the mean but for
    near ties.
    """
    card = parse_card(yatzy.rules, LATE)
    line = maximise("yatzy", lambda scores: scores * scale, card)
    error = 1e-6 if scale == 1 else F32 / 2
    assert line.value(card) / scale == pytest.approx(card.total + yatzy.value(card), rel=error)
    for dice in ("33456", "11236", "45566"):
        mean = yatzy.holds(card, dice)
        assert line.holds(card, dice)[0].dice == mean[0].dice
        values = {hold.dice: (hold.value, hold.loss) for hold in mean}
        for hold in line.holds(card, dice):
            assert hold.value / scale == pytest.approx(card.total + values[hold.dice][0], rel=error)
            assert hold.loss / scale == pytest.approx(values[hold.dice][1], abs=2e-3)
    played, meant = (
        perfect_yatzy.simulate(s, 2_000, start=card).final_scores for s in (line, yatzy)
    )
    assert (played == meant).mean() > 0.97


def test_an_unlikely_goal_is_played_for() -> None:
    """One chance in a million is told apart from one in ten million."""
    card = "ones=5 twos=10 threes=15 fours=20 fives=25 sixes=30 one-pair=12 two-pairs=22"
    holds = reach("yatzy", 374, card).holds(card, "33456")
    assert 0 < holds[0].value < 1e-5
    assert holds[0].category is None
    assert len([hold for hold in holds if hold.loss == 0]) == 1
    less = card.replace("ones=5", "ones=4")
    (hopeless,) = {hold.value for hold in reach("yatzy", 374, less).holds(less, "33456")}
    assert hopeless == 0.0


@pytest.mark.full
def test_final_scores_beyond_sixteen_bits() -> None:
    """Four boxes of 9,000 points: three pairs of two dice and 27,000 points are counted as any."""
    nines = (Pattern("groups", groups=(2,), score="fixed", points=9_000),)
    rules = games.small(*(Category(f"c{i}", f"C{i}", nines) for i in range(4)), rolls=2)
    # 1 - (5/6)^2: of two rolls one is a pair; nothing is better than that
    pair = Fraction(1, 6) + Fraction(5, 6) / 6
    for goal, wins in ((30_000, 4), (27_000, 3), (40_000, 5)):
        chances = [Fraction(comb(4, k)) * pair**k * (1 - pair) ** (4 - k) for k in range(wins, 5)]
        table = solved(Goals(rules))
        assert table.at(-goal).value(State()) == pytest.approx(float(sum(chances)), rel=F32)
        played = perfect_yatzy.simulate(ScoreStrategy(rules, None, table, goal), 4_000)
        assert abs((played.final_scores >= goal).mean() - float(sum(chances))) < 0.03


ONES = [[1] * 5]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda line, state: line.value(LATE.replace("10", "2")), "points cannot have been made"),
        (lambda line, state: line.value(LATE.replace("10", "12")), "points cannot have been made"),
        (lambda line, state: line.value(state), "continues the one it was made for"),
        (
            lambda line, state: perfect_yatzy.simulate(line, 10, start=state),
            "continues the one it was made for",
        ),
        (lambda line, state: line.best(state.filled, 63, ONES, 0, points=72), UNMADE),
        (lambda line, state: line.best(state.filled, 63, ONES, 0, points=500), UNMADE),
        (
            lambda line, state: line.best(0, 0, ONES, 0, points=0),
            "position 0 is not a later card of the game",
        ),
        (lambda line, state: line.best(state.filled, 63, ONES, 0), "points is missing"),
    ],
)
def test_a_rest_of_a_game_refuses_what_it_does_not_know(
    ask: Any, message: str, yatzy: Strategy
) -> None:
    line = maximise("yatzy", lambda scores: scores * 1.0, LATE)
    refused(message, ask, line, parse_card(yatzy.rules, LATE).state)


def test_a_goal_from_a_card_refuses_another_number_of_points_in_the_jokers_box() -> None:
    rules = load_rules("yahtzee")
    start = "aces=2 twos=4 threes=6 fours=8 fives=10 chance=20 small-straight=30 large-straight=40 full-house=25"
    for box, other in ((50, 0), (0, 50)):
        table = solved(Goals(rules, parse_card(rules, f"{start} yahtzee={box}").state))
        goal = ScoreStrategy(rules, None, table, 260)
        assert 0 <= goal.value(f"{start} yahtzee={box}") <= 1
        refused("joker's box", goal.value, f"{start} yahtzee={other}")


@pytest.mark.parametrize(
    ("worth", "message"),
    [
        (lambda s: s[:3], "utility returned shape (3,); must be that of the scores"),
        (lambda s: s[:1], "utility returned shape (1,); must be that of the scores"),
        (lambda s: s[:, None], "must be that of the scores"),
        (lambda s: 1.0, "utility returned shape (); must be that of the scores"),
        (lambda s: np.where(s > 230, np.nan, 1), "the utility of 231 is nan; must be finite"),
        (lambda s: np.where(s == 100, -np.inf, 1), "the utility of 100 is -inf; must be finite"),
        (lambda s: s + 1j, "must be an array of real numbers"),
        (lambda s: "good", "utility returned 'good'; must be an array of real numbers"),
        (lambda s: s * -1e31, "in size; must be at most 1e+20"),
        (
            5,
            "utility is 5; must be a function of final scores, or a list of the utilities of 0, 1, 2 ...",
        ),
        ("good", "utility is 'good'; must be an array of real numbers"),
        (None, "utility is null; must be an array of real numbers"),
        ([], "utility is []; must be a function of final scores, or a list"),
        (
            [[1, 2], [3, 4]],
            "utility is [[1, 2], [3, 4]]; must be a function of final scores, or a list",
        ),
        ([[1, 2], [3]], "utility is [[1, 2], [3]]; must be an array of real numbers"),
        ([1, np.nan], "the utility of 73 is nan; must be finite"),
    ],
)
def test_worths_are_looked_at_before_the_kernels_read_them(worth: object, message: str) -> None:
    refused(re.escape(message), maximise, "yatzy", worth, LATE)


def test_worths_are_asked_for_once_and_for_scores_that_can_be(yatzy: Strategy) -> None:
    """A worth read from a table of 0 to the highest final score does not fall off its end."""
    asked = []
    full = np.arange(375.0)  # 374: every box at its best, and the bonus

    def worth(scores: np.ndarray) -> np.ndarray:
        asked.append(scores)
        return full[scores]

    line = maximise("yatzy", worth, LATE)
    assert line.value() == pytest.approx(73 + yatzy.value(LATE), rel=1e-6)
    assert len(asked) == 1
    assert asked[0][0] == 73
    for scale in (1e-30, 1e17):
        scaled = maximise("yatzy", lambda s, scale=scale: s * scale, LATE)
        assert scaled.value() == pytest.approx(line.value() * scale, rel=1e-6, abs=0)
    for worth_of_240 in ([0] * 240 + [1], lambda s: s >= 240):
        assert maximise("yatzy", worth_of_240, LATE).value() == reach("yatzy", 240, LATE).value()


@pytest.mark.parametrize("goal", ["240", 240.5, 240.0, None, True, np.float64(240)])
def test_a_goal_is_a_whole_number(goal: object) -> None:
    refused(r"goal is .*; must be a whole number", reach, "yatzy", goal, LATE)
    for wrong in (-1, 100_000, 10**30):
        refused(f"goal is {wrong}; must be a score from 0 to 99999", reach, "yatzy", wrong, LATE)
    assert reach("yatzy", np.int16(240), LATE).value() == reach("yatzy", 240, LATE).value()


def test_a_goal_above_the_highest_score_is_refused(yatzy: Strategy, tmp_path: Path) -> None:
    """Whatever the card, and before anything is solved."""
    said = "goal is 375; the highest score of yatzy is 374"
    for card in ("", LATE):
        refused(said, lambda card=card: reach("yatzy", 375, card, tables=tmp_path))
    at = PolicyContext(Settings(tmp_path), yatzy.rules, Scorecard(yatzy.rules))
    refused(said, lambda: named_policy("goal:375", at))
    assert not list(tmp_path.iterdir())


def test_a_strategy_begins_at_the_card_it_was_made_for_whose_points_count(yatzy: Strategy) -> None:
    named = {
        "ones": 3,
        "twos": 6,
        "threes": 9,
        "fours": 12,
        "fives": 15,
        "sixes": 18,
        "one-pair": 10,
    }
    card = parse_card(yatzy.rules, LATE)
    for start in (named, LATE, card):
        for each in (reach("yatzy", 240, start), maximise("yatzy", lambda scores: scores, start)):
            assert each.start == card
            assert each.value() == each.value(LATE)
    refused("card is State", reach, "yatzy", 240, State())
    strategy = reach("yatzy", 240, card)
    assert strategy.value(card) == strategy.value(LATE)
    assert replace(strategy, zero=240 - card.total).value(card.state) == strategy.value(card)
    assert reach("yatzy", 60, card).value(card) == 1.0
    assert reach("yatzy", 374, card).value(card) == 0.0
    later = LATE + " chance=25"
    values = [c.value for c in strategy.categories(card, "33456")]
    assert values == sorted(values, reverse=True)
    assert strategy.value(later) == pytest.approx(reach("yatzy", 240, later).value(later), abs=F32)


def test_the_mean_over_first_rolls_of_the_best_hold_is_the_chance(yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, LATE)
    strategy, grid = reach("yatzy", 250, card), yatzy.evaluator.dice
    best = [
        strategy.holds(card, dice_of(counts))[0].value
        for counts in grid.counts[grid.first_roll :].tolist()
    ]
    assert grid.weights @ np.array(best) == pytest.approx(strategy.value(card), abs=F32)


@pytest.mark.full
def test_six_dice_are_refused_with_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfect_yatzy.tablebase.machine.available_memory", lambda: 24 << 30)
    refused(
        r"solving maxi needs \d+\.\d+ GB of memory .* hours", reach, "maxi", 600, error=RulesError
    )
    late = " ".join(f"{c.id}=0" for c in load_rules("maxi-unsaved").categories[6:])
    assert 0 < reach("maxi-unsaved", 60, late).value(late) < 1


# --- opponents ---
def test_opponents_are_scores_or_cards() -> None:
    rules = load_rules("yatzy")
    full = " ".join(f"{c.id}=0" for c in rules.categories[6:])
    full += " ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"
    first, *cards, last = parse_opponents(rules, f"251; ones=3; empty ;{full}")
    assert (first, last) == (251, 63 + 50)
    assert [card.points for card in cards] == [{0: 3}, {}]
    for wrong, message in (("abc", "'abc' is not an opponent"), ("ones=99", "ones cannot hold 99")):
        refused(message, parse_opponents, rules, wrong)
    assert parse_card(rules, full).score == 113
    rules = load_rules("yahtzee")
    assert parse_opponents(rules, "231;") == parse_opponents(rules, " ; 231") == [231]
    (card,) = parse_opponents(rules, "yahtzee=50 extra=100 aces=3")
    assert (card.total, card.bonus_points, len(card.points)) == (153, 100, 2)
    boxes = {c.id: 0 for c in rules.categories} | {"yahtzee": 50}
    full = " ".join(f"{name}={points}" for name, points in boxes.items())
    assert parse_opponents(rules, f"{full}, extra: 300") == [350]
    refused("more than 64 opponents", parse_opponents, rules, [" "] * 65)


def test_equal_opponents_are_computed_once(
    forced: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward.stored_distribution(Settings(), forced, State())
    late, made = " ".join(f"{box.id}=0" for box in forced.rules.categories[:12]), list[object]()

    def counted(*args: Any, **named: Any) -> Any:
        made.append(args[1].state)
        return distribution(*args, **named)

    monkeypatch.setattr(forward, "distribution", counted)
    service, asked = QueryService(), {"query": "hold", "rules": "yatzy-forced", "card": late}
    for dice in ("33456", "11234"):
        service.answer(asked | {"dice": dice, "opponents": f"empty; empty; {late}; {late}"})
    assert made == [parse_card(forced.rules, late).state]  # the empty card's is kept on disk


@pytest.mark.parametrize(
    ("ties", "worth"), [("loss", [0, 0, 1]), ("half", [0, 0.5, 1]), ("win", [0, 1, 1])]
)
def test_a_tie_counts_as_one_says(ties: str, worth: list[float]) -> None:
    winning = WinUtility([finished(240), finished(200)], ties)
    assert winning(np.array([239, 240, 241])).tolist() == worth
    assert winning.goal == {"loss": 241, "half": None, "win": 240}[ties]
    assert (
        WinUtility(
            [finished(240), Opponent(np.array([1, 2]), np.full(2, 0.5), playing=True)], ties
        ).goal
        is None
    )
    refused("ties is 'maybe'", WinUtility, [finished(1)], "maybe")
    refused("opponents is empty", WinUtility, [], ties)


def test_winning_against_one_who_plays_is_the_sum_over_what_they_may_score(yatzy: Strategy) -> None:
    """In a last turn each: both distributions by hand, every decision of ours tried by the
    oracle of the turn.
    """
    names = [c.id for c in yatzy.rules.categories]
    boxes = " ".join(f"{name}=0" for name in names if name != "chance")
    mine, theirs = parse_card(yatzy.rules, boxes), parse_card(yatzy.rules, boxes)
    other = opponent(Settings(), yatzy, theirs)
    assert other.playing
    assert other.mean == pytest.approx(yatzy.value(theirs))
    for ties in ("loss", "half", "win"):
        winning = WinUtility([other], ties)
        strategy = maximise("yatzy", winning, mine)
        tie = {"loss": 0, "half": 0.5, "win": 1}[ties]
        worth = {
            s: other.chances @ ((other.scores < s) + tie * (other.scores == s))
            for s in range(5, 31)
        }
        assert winning(np.arange(5, 31)) == pytest.approx(list(worth.values()))
        choice = strategy.categories(mine, "13466")[0]
        assert choice.value == pytest.approx(worth[20], abs=F32)
        # Dice are independent in Chance: with one reroll each die is kept or not, six faces each.
        holds = {hold.dice: hold.value for hold in strategy.holds(mine, "13466", 1)}
        exact = sum(worth[19 + face] for face in range(1, 7)) / 6
        assert holds[3, 4, 6, 6] == pytest.approx(exact, abs=F32)


def test_a_win_chance_against_one_who_plays_is_a_lower_bound() -> None:
    """The oracle sees the opponent's card before each turn; the answer takes their final score
    as one draw.
    """
    rules = games.small(
        games.face(3), games.PAIR, games.CHANCE, faces=3, rolls=2, bonus=Bonus(5, 3)
    )
    last, mean = (
        parse_card(rules, "face-3=0 pair=0"),
        NaiveTieBreak(rules.canonical(), Fraction, Fraction(0)),
    )
    for card, slack in (
        (parse_card(rules, ""), 0.1),
        (last, 0.0),
    ):  # with one turn each, nothing is seen in between
        state = (card.state.filled, 0, 0, False)
        exact = float(
            NaiveDuel(mean.game, state, Fraction(1), (None, lambda _: mean)).chance(state)
        )
        found = maximise(
            rules,
            WinUtility([opponent(Settings(), perfect_yatzy.open_strategy(rules), card)]),
            card,
        ).value()
        assert exact - slack - F32 < found < exact + (F32 if card is last else -0.001)


# --- the command ---
SEVEN = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 p=12 pp=22 3k=18 4k=24 fh=28 c=30"
POOR = "ones=0 twos=0 threes=0 fours=0 fives=0 sixes=0 p=0 pp=0 3k=0 4k=0 fh=0 c=0 ss=0"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            f"hold 33456 --goal 240 --card {LATE}",
            "Hold 3 4 5 6 (⚂⚃⚄⚅), reroll one die: 40.73 % chance of 240 or more",
        ),
        (f"score 33456 --goal 50 --card {LATE}", "This goal is certain"),
        (f"score 33456 --goal 374 --card {LATE}", "cannot be reached"),
        (
            f"score 22222 --opponent 200 --card {SEVEN} ss=15",
            "Take Yatzy for 50: 100.00 % chance to win",
        ),
        (
            f"hold 55551 --goal 374 --card {SEVEN} ss=15 ls=0",
            "Hold 5 5 5 5 (⚄⚄⚄⚄), reroll one die: 0.00 % chance of 374 or more",
        ),
    ],
    ids=["goal", "certain", "out of reach", "won", "lost"],
)
def test_hold_and_score_for_an_aim(asked: str, said: str, run: Run, yatzy: Strategy) -> None:
    words, card = asked.split(" --card ")
    found = run(*words.split(), "--card", card)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith(said) if said[:4] in ("Hold", "Take") else said in found.stdout


@pytest.mark.parametrize(
    ("option", "value"), [("--goal", "50"), ("--opponent", "1"), ("--best-opponent", POOR)]
)
def test_the_option_to_drop_is_the_one_given(option: str, value: str, run: Run) -> None:
    found = run("score", "22222", "--card", f"{SEVEN} ss=15", option, value)
    assert f"is certain; drop {option} to maximise the expected score." in found.stdout


@pytest.mark.parametrize(
    ("query", "dice", "card", "aim"),
    [
        ("score", "22222", SEVEN + " ss=15", {"opponents": "200"}),
        ("score", "22222", SEVEN + " ss=15", {"goal": 374}),
        ("hold", "55551", SEVEN + " ss=15 ls=0", {"goal": 374}),
        ("hold", "12456", SEVEN + " ss=15", {"goal": 371}),
        ("hold", "33456", LATE, {"opponents": "231; 240", "ties": "half"}),
    ],
)
def test_equal_chances_are_ranked_by_the_mean(
    query: str, dice: str, card: str, aim: dict[str, object]
) -> None:
    answer = QueryService().answer({"query": query, "dice": dice, "card": card, **aim})
    entries = answer["categories" if query == "score" else "holds"]
    assert sorted(entries, key=lambda e: e["loss"]) == entries
    tied = [e["expected_final_score"] for e in entries if e["loss"] == 0.0]
    assert sorted(tied, reverse=True) == pytest.approx(tied)
    assert entries[0] == answer["best"]
    if query == "hold":  # keeping all dice is taking the category that `score` names
        scored = QueryService().answer(
            {"query": "score", "dice": dice, "card": card, **aim, "rolls_left": 2}
        )["best"]
        kept = next(e for e in entries if e["reroll"] == 0)
        names = ("category", "chance", "expected_final_score")
        assert [kept[name] for name in names] == [scored[name] for name in names]


def test_certain_and_out_of_reach_are_said_of_what_is_only() -> None:
    """Yatzy in order can score as much as the rules' highest score, and no more; Chance gives 5
    for sure.
    """
    desk, rules = QueryService(), load_rules("yatzy-forced")
    most = rule_set_stats(rules).maximum

    def asked(**request: object) -> dict[str, Any]:
        return desk.answer({"query": "expect", "rules": "yatzy-forced", "spread": False, **request})

    for goal, card in ((5, ""), (6, ""), (most, ""), (most, "ones=0")):
        answer = asked(goal=goal, card=card)
        certain, out_of_reach = goal == 5, bool(card)
        assert (answer["certain"], answer["out_of_reach"]) == (certain, out_of_reach)
        assert len(objective_lines(answer)) == (2 if certain or out_of_reach else 0)
        assert (answer["chance"] == 1.0) == certain
        assert (answer["chance"] == 0.0) == out_of_reach
    assert expect_lines(rules, asked(goal=6), 5)[0].startswith(">99.99 % chance")
    assert expect_lines(rules, asked(goal=most), 5)[0].startswith("1 in 1.76 × 10^19 chance")
    # An opponent who still plays may reach all there is: nobody has won before passing that.
    for points, certain in ((most, True), (most - 1, False)):
        answer = asked(card="ones=0", opponents="empty", ties="win" if certain else "loss")
        assert not answer["certain"]
        other = opponent(Settings(), perfect_yatzy.open_strategy(rules), Scorecard(rules))
        sure = WinUtility([other], "win")(np.array([points, most + 1]))
        assert (sure == 1.0).tolist() == [certain, True]


def test_an_impossible_goal_is_answered_before_anything_is_solved(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the highest score of the rules a goal is refused; out of reach of a card the answer is
    that of play for the mean, and no chances are solved.
    """
    folder = str(tmp_path / "none")
    for words in (("hold", "33456"), ("score", "33456"), ("expect",)):
        said = run(*words, "--goal", "375", "--tables", folder)
        assert (said.returncode, said.stdout) == (2, "")
        assert said.stderr == "yatzy: goal is 375; the highest score of yatzy is 374\n"
    assert not Path(folder).exists()
    monkeypatch.setattr(
        "perfect_yatzy.strategy.score_strategy.open_table", Mock(side_effect=AssertionError)
    )
    monkeypatch.setattr(
        "perfect_yatzy.strategy.score_strategy.solve_in_memory", Mock(side_effect=AssertionError)
    )
    desk = QueryService()
    for query in ("hold", "score", "expect"):
        fields = {
            "query": query,
            "card": "yatzy=0",
            **({"spread": False} if query == "expect" else {"dice": "33456"}),
        }
        answer = desk.answer({**fields, "goal": 325})
        assert answer["out_of_reach"]
        mean = desk.answer(fields)
        if query == "expect":
            assert answer["expected_final_score"] == mean["expected_final_score"]
        else:
            entries = "holds" if query == "hold" else "categories"
            assert [e["chance"] for e in answer[entries]] == [0.0] * len(mean[entries])
            assert answer["best"]["expected_final_score"] == mean["best"]["expected_final_score"]


@given(st.floats(1e-9, 1, exclude_max=True))
@example(0.00004999)
@example(0.45716)
@example(0.99999)
def test_at_least_and_at_most_are_rounded_to_the_safe_side(chance: float) -> None:
    said = chance_phrase(chance, {"lower_bound": True, "ties": "loss"})
    shown = float(said.removeprefix("at least ").partition(" %")[0])
    assert 100 * chance - 0.010001 < shown <= 100 * chance + 1e-7
    low, high = (
        bounds_lines(load_rules("yatzy"), "half", chance, chance)[0]
        .split("between ")[1]
        .split(" and ")
    )
    assert float(low.strip(" %>")) <= 100 * chance + 1e-7 or low.startswith(">")
    assert 100 * chance <= float(high.strip(" %>")) + 1e-7 or high.startswith(">")
    assert [rounded_up(x, 1) for x in (10.6332, 10.6, 9.8, -0.05)] == [10.7, 10.6, 9.8, 0.0]
    assert [rounded_down(x, 2) for x in (0.29, 0.2999, 0.57, 1.0)] == [0.29, 0.29, 0.57, 1.0]


def test_small_chances_are_told_from_none_and_sizes_and_times_are_rounded() -> None:
    assert [number_text(x, 2) for x in (-1e-13, -0.0, 0.004, 231.456)] == [
        "0.00",
        "0.00",
        "0.00",
        "231.46",
    ]
    shown = [
        chance_text(p) for p in (0.0, 1e-9, 4.9e-7, 1.2e-6, 4.9e-5, 0.00016286, 0.001, 0.99999, 1.0)
    ]
    assert shown == [
        "0.00 %",
        "1 in 1 billion",
        "1 in 2.04 million",
        "0.0001 %",
        "0.0049 %",
        "0.0163 %",
        "0.10 %",
        ">99.99 %",
        "100.00 %",
    ]
    tiny = [chance_text(p) for p in (1 / 2.77e14, 1 / 9.996e8, 1e-15, 4e-21)]
    assert tiny == ["1 in 277 trillion", "1 in 1 billion", "1 in 1 quadrillion", "1 in 2.5 × 10^20"]
    for size, seconds, words in (
        (928_000_000, 24.6, "0.93 GB and about 25 s"),
        (14_634_000_000, 387.0, "14.6 GB and about 6 minutes"),
        (1_120_727_000_000, 62_133.0, "1,120.7 GB and about 17 hours"),
    ):
        assert SolveCost(1, size, 1, seconds).words(2) == words


def test_expect_says_how_likely_a_win_is(run: Run, yatzy: Strategy) -> None:
    playing = "expect", "--card", LATE, "--opponent", f"251; {LATE}"
    answer = json.loads(run(*playing, "--ties", "half", "--json").stdout)
    assert answer["aim"]["ties"] == "half"
    assert [other["playing"] for other in answer["aim"]["opponents"]] == [False, True]
    assert 0 < answer["chance_by_mean_play"] <= answer["chance"] < 1
    half = run("expect", "--card", LATE, "--opponent", "251", "--ties", "half").stdout.splitlines()
    assert half[0].endswith("% chance to win (a tie is half) if you play for it")
    spread = next(i for i, line in enumerate(half) if "Standard deviation" in line)
    assert "If you maximise the expected score:" in half[:spread]
    simulated = run(
        "expect", "--card", LATE, "--goal", "240", "--games", "100", "--no-spread"
    ).stdout
    assert "100 simulated games: mean " in simulated
    for several, is_bound in (
        (f"251; {LATE}", True),
        (LATE, True),
        ("251; 300", False),
        ("251", False),
    ):
        for ties in ("half", "loss", "win")[: in_rings(1, 3)]:
            asked = "--card", LATE, "--opponent", several, "--ties", ties
            assert (
                json.loads(run("expect", *asked, "--json").stdout)["aim"]["lower_bound"] is is_bound
            )
            for text in (
                run("expect", *asked, "--no-spread").stdout,
                run("score", "33456", *asked).stdout,
            ):
                assert ("at least " in text.splitlines()[0]) is is_bound
                assert (
                    "Assumes unfinished opponents maximise their expected score" in text
                ) is is_bound
                assert ("the chances are at least these" in text) is is_bound
                assert len(max(text.splitlines(), key=len)) <= 80


YAHTZEE = "aces=2 twos=4 threes=6 fours=8 yahtzee=50 chance=20"
POOR = "ones=0 twos=0 threes=0 fours=0 fives=0 sixes=0 one-pair=0"
TOLERANCE = Fraction(4, 1_000_000)


# --- what is settled is played for the mean ---
@pytest.mark.parametrize(
    ("key", "card"),
    [
        ("yatzy", LATE),
        ("yatzy-forced", "ones=0"),
        ring_2("yatzy-saved", LATE + " two-pairs=16 chance=20 yatzy=0"),
        ("yahtzee", YAHTZEE),
        ring_2("yahtzee-free-joker", YAHTZEE),
        ring_3("maxi-forced", "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"),
    ],
)
def test_a_certain_or_unreachable_goal_gives_the_games_of_the_mean(key: str, card: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    meant = simulate(strategy, 2_000, seed=3, start=card)
    for goal in (0, maximum_score(load_rules(key))):
        played = simulate(reach(key, goal, card), 2_000, seed=3)
        assert same_games(played, meant), goal
        assert played.policy == f"goal:{goal}"
    assert same_games(
        simulate(maximise(key, lambda scores: scores * 0.0, card), 2_000, seed=3), meant
    )


def test_a_certain_or_unreachable_goal_is_ranked_by_the_mean(yatzy: Strategy) -> None:
    for card, goal in ((LATE, 0), (LATE, 73), (LATE, 374), (POOR, 280)):
        strategy = reach("yatzy", goal, card)
        for dice in ("33456", "11236", "66666", "12345"):
            for left in (1, 2):
                meant, found = yatzy.holds(card, dice, left), strategy.holds(card, dice, left)
                assert [(h.dice, h.mean, h.loss) for h in found] == [
                    (h.dice, h.value, 0.0) for h in meant
                ]
                assert [h.mean for h in meant] == [h.value for h in meant]
            meant, found = yatzy.categories(card, dice), strategy.categories(card, dice)
            assert [(c.category, c.mean) for c in found] == [(c.category, c.value) for c in meant]


def test_without_a_table_the_rest_is_solved(
    yatzy: Strategy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The games do not depend on where the means come from, and nothing is stored."""
    folder = tmp_path_factory.mktemp("empty")
    for other, stored in (
        (reach("yatzy", 235, LATE, folder), reach("yatzy", 235, LATE)),
        (
            maximise("yatzy", lambda s: s >= 235, LATE, folder),
            maximise("yatzy", lambda s: s >= 235, LATE),
        ),
    ):
        assert other.evaluator.means.space.start == parse_card(yatzy.rules, LATE).state
        assert same_games(simulate(other, 2_000), simulate(stored, 2_000))
    assert not list(folder.iterdir())


# --- against the oracle ---
def check_goal(rules: RuleSet, goal: int) -> None:
    """Chance, decisions, simulated games and the whole distribution of the play for a goal."""
    oracle = NaiveTieBreak(rules.canonical(), lambda score: Fraction(int(score >= goal)), TOLERANCE)
    strategy = reach(rules, goal)
    mean, chance = map(float, oracle.play())
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    # of options within the tolerance any may be taken
    assert chance == pytest.approx(exact, rel=1e-4)
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


def check_utility(rules: RuleSet, step: int, period: int) -> None:
    """The distribution of the play for a utility that rises and falls, and simulated games."""
    worths = [score // 3 * step % period for score in range(300)]
    oracle = NaiveTieBreak(rules.canonical(), lambda score: Fraction(worths[score]), TOLERANCE)
    strategy = maximise(rules, worths)
    exact = float(oracle.expected_utility(0, 0, 0, False, 0))
    assert strategy.value() == pytest.approx(exact, rel=3e-6, abs=3e-6)
    found = distribution(strategy)
    assert_chances(found, oracle.distribution())
    if not rules.first_roll_bonus:  # whose points the value, unlike the play, can avoid
        assert np.array(worths)[found.scores] @ found.chances == pytest.approx(
            strategy.value(), rel=1e-4
        )
    played = simulate(strategy, 20_000)
    assert plays_like(oracle, played) or any(
        plays_like(other, played) for other in of_near_tolerances(oracle)
    )


def of_near_tolerances(oracle: NaiveTieBreak) -> Iterator[NaiveTieBreak]:
    """Play with a slightly smaller and a slightly larger tolerance.

    Options that differ by the tolerance itself are equal or not, as float32 rounds.
    """
    for share in (Fraction(97, 100), Fraction(103, 100)):
        yield NaiveTieBreak(oracle.game, oracle.utility, TOLERANCE * share)


def plays_like(oracle: NaiveTieBreak, played: Simulation) -> bool:
    """Whether simulated games have the mean score and the mean utility of an oracle's play."""
    exact = oracle.distribution()
    of_utility = Counter[Fraction]()
    for score, chance in exact.items():
        of_utility[oracle.utility(score)] += chance
    reached = np.array([float(oracle.utility(score)) for score in played.final_scores.tolist()])
    return all(
        abs(mean - mean_score(law)) <= 5 * sqrt(score_variance(law) / len(reached)) + 1e-9
        for mean, law in ((played.mean, exact), (reached.mean(), of_utility))
    )


@examples(0, 8)
@given(games.rule_sets(), st.integers(1, 30))
@example(games.JOKER, 20)
@full_example(games.joker_game("free", order="forced", saved_rolls=True), 14)
@full_example(games.joker_game("free", order="forced"), 14)
@full_example(games.SAVED, 9)
def test_play_for_a_goal_agrees_with_the_oracle(rules: RuleSet, goal: int) -> None:
    check_goal(rules, min(goal, maximum_score(rules)))


@examples(0, 8)
@given(games.rule_sets(), st.integers(1, 6), st.integers(2, 9))
@example(games.joker_game("none", first_roll_bonus=(("run", 3),)), 5, 7)
@example(games.SAVED, 5, 7)
@full_example(games.joker_game("none"), 5, 7)
@full_example(
    games.random_rules(1, boxes=4), 1, 2
)  # a tie by the tolerance, a utility that hardly varies
@full_example(games.JOKER, 1, 99)
@full_example(
    games.joker_game("forced", order="forced", saved_rolls=True, first_roll_bonus=(("run", 3),)),
    4,
    9,
)
def test_play_for_a_utility_agrees_with_the_oracle(rules: RuleSet, step: int, period: int) -> None:
    check_utility(rules, step, period)


@pytest.mark.slow
def test_saved_rolls_in_any_order_agree_with_the_oracle() -> None:
    """A minute of fractions."""
    check_goal(games.saved_rolls_game("free", True), 25)
    check_utility(games.saved_rolls_game("free", True), 5, 7)


def check_decisions(
    oracle: NaiveTieBreak, strategy: ScoreStrategy, state: State, made: int
) -> None:
    """Every roll of a state, for every number of rerolls left."""
    most = strategy.max_rerolls(state)
    for dice, _ in oracle.outcomes(strategy.rules.dice):
        for left in range(most + 1):
            at = state.filled, state.upper, state.joker_paid, made, dice, left, left == most
            box, action = oracle.first_of(oracle.boxes_of(*at)), oracle.act(*at)
            assert (
                strategy.categories(state, dice, left)[0].category
                == strategy.rules.categories[box].id
            )
            if left:
                assert strategy.holds(state, dice, left)[0].dice == (
                    dice if isinstance(action, int) else action
                )


# --- batches ---
@pytest.mark.parametrize(
    ("key", "card", "goal"),
    [
        ("yatzy", LATE, 240),
        ("yatzy", LATE, 374),
        ring_2("yatzy", LATE, 100),
        ("yatzy-forced", "", 200),
        ("yahtzee", YAHTZEE, 260),
    ],
)
def test_batches_agree_with_single_queries(key: str, card: str, goal: int) -> None:
    strategy = reach(key, goal, card)
    sample = sample_positions(strategy, in_rings(150, 300), 4, exploration=0.5)
    names = ("filled", "upper", "dice", "rolls_left", "joker_paid", "card_total")
    columns = [getattr(sample, name) for name in names]
    batch = strategy.best(*columns[:4], joker_paid=columns[4], points=columns[5])
    others = 0
    for i, (filled, upper, dice, rerolls, paid, made) in enumerate(
        zip(*(c.tolist() for c in columns), strict=True)
    ):
        at, state, roll = (
            replace(strategy, zero=goal - made),
            State(filled, upper, 0, bool(paid)),
            tuple(dice),
        )
        best: Hold | Choice = (
            at.holds(state, roll, rerolls)[0] if rerolls else at.categories(state, roll)[0]
        )
        assert batch.value[i] == pytest.approx(best.value, rel=4e-6)
        category = best.category and strategy.rules.index_of[best.category]
        held = roll if category is not None or isinstance(best, Choice) else best.dice
        wanted = counts_of(strategy.rules, held), -1 if category is None else category
        others += wanted != (batch.held[i].tolist(), batch.category[i])
    assert others <= (0 if goal in (100, 374) else 3)  # options within the rounding of float32
