"""Distribution and variance, also of goals and after first turns: against oracles in fractions
and published figures.
"""

import io
import json
import threading
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from perfect_yatzy import RulesError, RuleSet, ScoreDistribution, State, Strategy, maximise, reach
from perfect_yatzy.cli.views.results import bar, histogram
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.state import EMPTY_STATE
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.core.turn_model import turn_outcomes
from perfect_yatzy.objectives.policy_quantities import BonusChance, Variance
from perfect_yatzy.policies.policy import all_states
from perfect_yatzy.service import budget as budgets
from perfect_yatzy.service.budget import SolveBudget, SolveLimit, distribution_works
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy import distribution as distributions
from perfect_yatzy.strategy.distribution import (
    distribution,
    first_turns_path,
    has_first_turns,
    stored_distribution,
)
from perfect_yatzy.strategy.forward_pass import BackwardPass, GrowingArray
from perfect_yatzy.strategy.score_forward_pass import ScoreForwardPass
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from perfect_yatzy.tablebase.store import table_path
from support import games
from support.command import Run, printed, refusal
from support.mechanics import random_rules
from support.naive import Naive
from support.naive_objectives import assert_chances, score_variance
from support.naive_policies import GreedyChoice, NaivePolicy
from support.players import in_memory
from support.refusals import load_text, refused
from support.seeds import examples, full_example, ring_2, ring_3

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 chance=20 yatzy=0"


def assert_identities(strategy: Strategy, found: ScoreDistribution) -> None:
    """Sum, mean, variance and chance of the upper bonus, as the backward passes have them."""
    rules = strategy.rules
    assert abs(found.chances.sum() - 1) < 1e-12
    assert found.mean == pytest.approx(strategy.value(), abs=1e-9)
    variance = solve_objective(Variance(rules, strategy.values))[-1]
    assert found.standard_deviation == pytest.approx(np.sqrt(variance), abs=1e-9)
    if rules.bonus:
        chance = solve_objective(BonusChance(rules, strategy.values))[-1]
        assert found.upper_bonus_chance == pytest.approx(chance, abs=1e-9)
    if rules.joker is None:  # a joker pays points that belong to no box
        bonus = rules.bonus.points * found.upper_bonus_chance if rules.bonus else 0
        assert sum(c.mean for c in found.categories) + bonus == pytest.approx(found.mean, abs=1e-9)


@examples(0, 30)
@given(games.rule_sets())
@example(games.JOKER)
@example(games.joker_game("free", order="forced"))
@example(games.SAVED)
@full_example(games.saved_rolls_game("free", True))
def test_random_games_agree_with_the_oracle(rules: RuleSet) -> None:
    """The whole distribution, and the variance of every card."""
    game, strategy, space = rules.canonical(), in_memory(rules), state_space(rules)
    oracle = NaivePolicy(game, GreedyChoice(game, Naive(game).value))
    variances = solve_objective(Variance(rules, strategy.values))
    for card in oracle.states():
        assert (
            abs(variances[space.index(State(*card))] - score_variance(oracle.distribution(*card)))
            < 1e-7
        )
    found = distribution(strategy)
    assert_chances(found, oracle.distribution())
    assert np.array_equal(distribution(strategy, threads=1).chances, found.chances)


DEVIATIONS = {
    "yatzy": 38.4964,
    "yahtzee": 59.6076,
    "yahtzee-free-joker": 59.6114,
    "yahtzee-plain": 39.8201,
    "maxi-forced": 81.2995,  # in order: up to 38 saved rolls
    "yatzy-saved": 36.8665,
    "maxi-unsaved": 76.7470,
}
LARGE = ("yatzy-saved", "maxi-unsaved")


@pytest.mark.parametrize(
    "key", [ring_3(key) if key in LARGE else ring_2(key) for key in DEVIATIONS]
)
def test_published_figures_and_saved_rolls_of_a_whole_sheet(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    found = distribution(strategy, threads=3)
    assert_identities(strategy, found)
    assert found.standard_deviation == pytest.approx(
        DEVIATIONS[key], abs=5e-4 if key in LARGE else 5e-5
    )
    if key in LARGE:  # simulated games have these chances: Kolmogorov's test at the level 0.001
        simulated = np.sort(simulate(strategy, 1_000_000, seed=13).final_scores)
        shares = np.searchsorted(simulated, found.scores, side="right") / 1_000_000
        assert np.abs(shares - np.cumsum(found.chances)).max() < 1.95 / 1_000
        assert found.scores[0] <= simulated[0]
        assert simulated[-1] <= found.scores[-1]
    else:
        assert np.array_equal(distribution(strategy, threads=1).chances, found.chances)
    if key == "yatzy":
        assert [found.at_least(score) for score in (200, 300)] == pytest.approx(
            [0.9121, 0.0995], abs=5e-5
        )
        assert found.upper_bonus_chance == pytest.approx(0.898, abs=5e-4)
        yatzy = next(c for c in found.categories if c.category == "yatzy")
        assert yatzy.crossed_out == pytest.approx(0.61, abs=5e-3)


def test_from_a_card_in_mid_game(yatzy: Strategy) -> None:
    text = "ones=3 twos=6 sixes=24 chance=22 yatzy=0 full-house=0"
    card = perfect_yatzy.parse_card(yatzy.rules, text)
    found = distribution(yatzy, card.state, points=card.total)
    assert found.mean == pytest.approx(card.total + yatzy.value(card), abs=1e-9)
    vacant = "threes fours fives one-pair two-pairs three-of-a-kind four-of-a-kind small-straight large-straight"
    assert {c.category for c in found.categories} == set(vacant.split())
    assert np.array_equal(
        found.chances, distribution(yatzy, card.state, points=card.total, threads=1).chances
    )
    for same in (text, card):
        assert np.array_equal(distribution(yatzy, same).scores, found.scores)
    refused("saved rolls", distribution, yatzy, State(0, saved=1))
    over = distribution(yatzy, State(yatzy.rules.full_mask, 63))
    assert (over.scores.tolist(), over.chances.tolist(), over.upper_bonus_chance) == (
        [50],
        [1.0],
        1.0,
    )


def test_percentiles_at_their_edges() -> None:
    """The first score with so large a share at or below it; the sum of the shares is rounded."""
    scores = np.arange(10, 20)
    for chances in (np.full(10, 0.1), np.array([0.1] * 9 + [0.0999999999999])):
        found = ScoreDistribution(scores, chances, 0.0, ())
        marks = {0: 10, 10: 10, 10.01: 11, 30: 12, 50: 14, 70: 16, 99.9: 19, 100: 19}
        assert {percent: found.percentile(percent) for percent in marks} == marks
        assert [found.at_least(score) for score in (9, 10, 19, 20)] == pytest.approx([1, 1, 0.1, 0])


def test_the_distribution_of_the_empty_card_is_stored(forced: Strategy, tmp_path: Path) -> None:
    first = stored_distribution(Settings(tmp_path), forced, State(), 0)
    path = table_path(forced.rules, tmp_path, "distribution").with_suffix(".json")
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1  # a digit of a chance
    others = ({"version": "0.0"}, {"format": 0})
    spoilt = [
        json.dumps(json.loads(whole) | other | {"upper_bonus_chance": 5.0}).encode()
        for other in others
    ]
    for text in (b"{", b"[]", *spoilt, flipped, whole):
        path.write_bytes(text)
        again = stored_distribution(Settings(tmp_path), forced, State(), 0)
        assert path.read_bytes() == whole
        assert np.array_equal(again.chances, first.chances)
        assert again.upper_bonus_chance == first.upper_bonus_chance
    kept = path.stat()
    moved = stored_distribution(Settings(tmp_path), forced, State(), 7)
    assert np.array_equal(moved.scores, first.scores + 7)
    assert np.array_equal(moved.chances, first.chances)
    assert path.stat().st_mtime_ns == kept.st_mtime_ns
    assert json.loads(path.read_text())["fingerprint"] == forced.rules.fingerprint


def test_a_whole_sheet_saved_rolls_and_too_little_memory(
    forced: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_identities(forced, distribution(forced))
    strategy = perfect_yatzy.open_strategy("maxi-forced")
    late = State(strategy.rules.full_mask >> 3, 70, saved=4)
    assert distribution(strategy, late).mean == pytest.approx(strategy.value(late), abs=1e-9)
    monkeypatch.setattr("perfect_yatzy.strategy.distribution.available_memory", lambda: 10**6)
    message = r"the distribution of maxi-forced needs about .* GB of memory and 0.00 GB are free"
    refused(message, distribution, strategy, error=RulesError)


@pytest.mark.full
def test_the_command_stores_a_variance_and_a_distribution(run: Run) -> None:
    asked = "expect", "--rules", "maxi-forced"
    assert "estimate it with --games 100000" in run(*asked).stdout
    solved = run("solve", "maxi-forced", "--what", "variance").stdout
    assert solved.startswith("Standard deviation of maxi-forced under perfect play: 81.299509")
    assert "Standard deviation 81.30" in run(*asked).stdout
    for option in ("--shards", "--workers=2", "--cluster=tcp://127.0.0.1:1"):
        refused = run("solve", "maxi-forced", "--what", "distribution", option)
        assert f"{option.split('=')[0]} cannot be used with --what distribution" in refused.stderr
    stored = run("solve", "maxi-forced", "--what", "distribution")
    assert stored.stdout.startswith(
        "Standard deviation of maxi-forced under perfect play: 81.299509"
    ), stored.stderr
    assert "Percentiles  5 %: " in stored.stdout
    assert "already stored" in run("solve", "maxi-forced", "--what", "distribution").stdout
    assert "Standard deviation 81.30, upper bonus in " in run(*asked).stdout
    assert (
        run("solve", "maxi-forced", "--what", "distribution", "--force").stdout[:60]
        == stored.stdout[:60]
    )
    distributions.distribution_path(perfect_yatzy.load_rules("maxi-forced")).unlink()


def test_turn_outcomes_are_distinct_and_contiguous() -> None:
    found = turn_outcomes(perfect_yatzy.load_rules("yahtzee"))
    columns = (column.tolist() for column in (found.category, found.points, found.total))
    assert found.size == len({*zip(*columns, strict=True)})
    assert all(array.flags.c_contiguous for array in found[:-1])  # kernels see bare addresses


def test_histogram_is_small_and_complete() -> None:
    lines = histogram(100, [0.00001, *([0.01] * 100)])
    assert len(lines) <= 14
    assert max(map(len, lines)) <= 80
    assert lines[0].split()[0].startswith("100-")
    # Bins of five: what cannot occur is told from what is rare.
    gaps = histogram(0, [0.5, *([0.0] * 20), 0.4999, *([0.0] * 20), 0.0001])
    assert [line.split()[1] for line in gaps] == [
        "50.0",
        "0",
        "0",
        "0",
        "50.0",
        "0",
        "0",
        "0",
        "<0.1",
    ]
    assert histogram(7, [1.0]) == ["          7  100.0 %  " + "█" * 44]


@pytest.mark.parametrize(("encoding", "drawn"), [("utf-8", "███▌"), ("latin-1", "####")])
def test_bars_are_drawn_with_what_the_output_can_encode(
    encoding: str, drawn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert bar(0.5, 7) == drawn


def test_expect_shows_the_distribution(run: Run, yatzy: Strategy, forced: Strategy) -> None:
    assert run("expect", "--no-spread").stdout.endswith(
        "\nUpper bonus of 50: 0 of 63, 63 more needed\n"
    )
    known, shown = distribution(forced), run("expect", "-r", "yatzy-forced").stdout
    figures = (
        f"{known.standard_deviation:.2f}, upper bonus in {100 * known.upper_bonus_chance:.2f} %"
    )
    assert f"Standard deviation {figures} of the games" in shown
    marks = "  ".join(
        f"{percent} %: {known.percentile(percent)}" for percent in (5, 25, 50, 75, 95)
    )
    assert f"Percentiles  {marks}" in shown
    assert "crossed out" in run("expect", "-r", "yatzy-forced", "--all").stdout
    lines = run(
        "expect", "--jsonl", stdin=f'{{"card": "{LATE}"}}\n{{"card": "{LATE}", "spread": true}}\n'
    ).stdout
    short, long = map(json.loads, lines.splitlines())
    assert "distribution" not in short
    assert long["distribution"]["lowest"] >= 93
    assert sum(long["distribution"]["chances"]) == pytest.approx(1)


@pytest.mark.full
def test_expect_draws_simulated_games_where_nothing_is_exact(run: Run, tmp_path: Path) -> None:
    """A game of one box with saved rolls: no exact distribution, but a histogram and a picture
    of simulated games.
    """
    path, box = (
        tmp_path / "six.svg",
        '[[categories]]\nid = "chance"\nname = "Chance"\npattern = "any"\n',
    )
    six = load_text(
        tmp_path, f"dice = 6\nrolls = 2\nsaved_rolls = true\n{box}", 'id = "six"\nname = "Six"\n'
    )
    asked = ("expect", "--rules", six.origin)
    said = "yatzy: no exact distribution for six; add --games 100000 to draw simulated games\n"
    assert refusal(run, *asked, "--plot", str(path), code=1) == said
    simulation = json.loads(printed(run, *asked, "--games", "1000", "--plot", str(path), "--json"))[
        "simulation"
    ]
    scores = np.arange(len(simulation["chances"])) + simulation["lowest"]
    assert sum(simulation["chances"]) == pytest.approx(1.0)
    assert scores @ simulation["chances"] == pytest.approx(simulation["mean"])
    assert "1,000 simulated games" in path.read_text()
    assert "█" in run(*asked, "--games", "1000").stdout


@pytest.mark.full
def test_expect_draws_a_plot_unless_no_spread_is_in_its_way(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    said = refusal(run, "expect", "--no-spread", "--plot", str(tmp_path / "x.png"), code=1)
    assert ("leave out --no-spread" in said, [*tmp_path.iterdir()]) == (True, [])
    for name, goal in (("plain.png", ()), ("goal.svg", ("--goal", "240"))):
        path = tmp_path / name
        printed(run, "expect", "--card", LATE, "--plot", str(path), *goal)
        assert path.stat().st_size > 5_000
    assert "must end in .png, .svg or .pdf" in refusal(run, "expect", "--plot", "picture.gif")


LATER = LATE + " full-house=28"


@pytest.mark.parametrize(("card", "goal"), [(LATE, 180), (LATE, 200), (LATER, 180), (LATER, 230)])
def test_late_in_a_game_the_chance_of_the_goal_is_the_value(card: str, goal: int) -> None:
    """Also where the table begins at an earlier card than the games."""
    strategy = reach("yatzy", goal, LATE)
    found = distribution(strategy, card)
    assert found.at_least(goal) == pytest.approx(
        strategy.value(card), rel=strategy.evaluator.objective.error
    )
    assert found.chances.sum() == pytest.approx(1, abs=1e-12)
    boxes = sum(result.mean for result in found.categories)
    assert strategy.check(card).points + boxes + 50 * found.upper_bonus_chance == pytest.approx(
        found.mean, abs=1e-9
    )
    assert np.array_equal(distribution(reach("yatzy", goal, card), card).chances, found.chances)


def test_the_expected_utility_is_the_value_and_points_on_the_card_count() -> None:
    for utility in (np.sqrt, lambda scores: -((scores - 200.0) ** 2)):
        strategy = maximise("yatzy", utility, LATE)
        found = distribution(strategy)
        assert utility(found.scores) @ found.chances == pytest.approx(strategy.value(), rel=1e-5)
    # Ten points more on the card are the same as a goal lower by ten
    low, high = reach("yatzy", 190, LATE), reach("yatzy", 200, LATE)
    points = low.check(low.start).points
    moved = distribution(high, points=points + 10)
    assert moved.scores[0] == distribution(low).scores[0] + 10
    assert np.array_equal(moved.chances, distribution(low).chances)
    refused(
        "cannot have been made", distribution, maximise("yatzy", np.sqrt, LATE), points=points + 1
    )


def test_a_stored_distribution_is_that_of_the_mean_only(forced: Strategy) -> None:
    mean = stored_distribution(Settings(), forced, forced.start)
    found = stored_distribution(Settings(), reach("yatzy-forced", 260), forced.start)
    assert found.at_least(260) > 1.1 * mean.at_least(260)
    assert np.array_equal(
        stored_distribution(Settings(), forced, forced.start).chances, mean.chances
    )


@pytest.mark.parametrize(
    ("key", "goal", "rel", "games"),
    [
        ("yatzy-forced", 220, 1.3e-5, 20_000),
        ring_3("maxi-forced", 400, 1e-4, 50_000),  # up to 38 saved rolls
        ring_3("yatzy", 280, 1.3e-5, 200_000),
    ],
)
def test_games_for_a_goal(key: str, goal: int, rel: float, games: int) -> None:
    """The chance of the goal, simulated games, any number of threads, reports of progress."""
    strategy, mean, reports = reach(key, goal), distribution(perfect_yatzy.open_strategy(key)), []
    found = distribution(
        strategy, progress=lambda done, total: reports.append((done, total)), threads=1
    )
    assert found.at_least(goal) == pytest.approx(strategy.value(), rel=rel)
    assert found.chances.sum() == pytest.approx(1, abs=1e-12)
    assert (found.mean < mean.mean, found.at_least(goal) > mean.at_least(goal)) == (True, True)
    assert np.array_equal(distribution(strategy, threads=3).chances, found.chances)
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1]
    played = simulate(strategy, games, seed=2)
    assert abs(played.mean - found.mean) < 3.5 * played.standard_error
    assert (
        abs(played.final_scores.std() - found.standard_deviation) < 0.02 * found.standard_deviation
    )
    for percent in (10, 50, 90):
        assert abs((played.final_scores <= found.percentile(percent)).mean() - percent / 100) < 0.02


SMALL = [
    games.saved_rolls_game("free", False),
    games.saved_rolls_game("forced", False),
    games.joker_game("forced"),
    games.joker_game("free", first_roll_bonus=(("run", 3), ("face-3", 2))),
    *map(random_rules, (1, 3, 6, 12)),  # most mechanics
    *(ring_2(random_rules(seed)) for seed in (4, 5, 7, 11)),
]


def distributions_of(strategy: Strategy, threads: int) -> dict[int, ScoreDistribution]:
    return BackwardPass(
        Settings(threads=threads), GreedyPolicy(strategy.rules, strategy.table)
    ).run()


def early_states(strategy: Strategy) -> dict[int, State]:
    """The states with no or one filled box, by their numbers."""
    states = all_states(strategy.space)
    columns = (
        column.tolist() for column in (states.filled, states.upper, states.saved, states.joker_paid)
    )
    numbered = enumerate(map(State, *columns))
    return {
        number: state
        for number, state in numbered
        if state.filled.bit_count() <= 1 and not state.saved
    }


def assert_equal(found: ScoreDistribution, expected: ScoreDistribution) -> None:
    assert np.array_equal(found.scores, expected.scores)
    assert np.abs(found.chances - expected.chances).max() < 1e-14
    assert found.upper_bonus_chance == pytest.approx(expected.upper_bonus_chance, abs=1e-13)
    for mine, theirs in zip(found.categories, expected.categories, strict=True):
        assert mine.category == theirs.category
        assert mine.mean == pytest.approx(theirs.mean, abs=1e-11)
        assert mine.crossed_out == pytest.approx(theirs.crossed_out, abs=1e-13)


@pytest.mark.parametrize(
    "rules", [*SMALL, perfect_yatzy.load_rules("crag")], ids=lambda rules: rules.key
)
def test_the_backward_pass_has_the_distributions_of_the_forward_pass(rules: RuleSet) -> None:
    """After every first turn, with any number of threads."""
    strategy = perfect_yatzy.open_strategy(rules)
    found, states = distributions_of(strategy, 1), early_states(strategy)
    assert found.keys() == states.keys()
    for threads in (2, 3):
        again = distributions_of(strategy, threads)
        assert all(np.array_equal(found[number].chances, again[number].chances) for number in found)
    for number, state in [*states.items()][:: 7 if rules.key == "crag" else 1]:
        assert found[number].mean == pytest.approx(strategy.value(state), abs=1e-10)
        assert_equal(found[number], distribution(strategy, state))


@pytest.fixture
def crag(tmp_path: Path) -> Strategy:
    return perfect_yatzy.open_strategy("crag", tmp_path)


def test_the_empty_card_stores_first_turns(
    crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = {"query": "expect", "rules": "crag", "card": "fives=10"}
    before = QueryService(tmp_path).answer(card)
    assert not has_first_turns(crag.rules, tmp_path)  # one card does not need it
    empty = QueryService(tmp_path).answer({"query": "expect", "rules": "crag"})
    assert has_first_turns(crag.rules, tmp_path)
    assert (
        first_turns_path(crag.rules, tmp_path).stat().st_size
        <= distributions.first_turns_cost(crag.rules).bytes
    )
    assert empty["distribution"]["chances"] == pytest.approx(
        distribution(crag).chances.tolist(), abs=1e-14
    )

    monkeypatch.setattr(distributions, "distribution", None)  # no forward pass
    after = QueryService(tmp_path).answer(card)
    assert after["distribution"]["lowest"] == before["distribution"]["lowest"]
    assert after["distribution"]["chances"] == pytest.approx(
        before["distribution"]["chances"], abs=1e-14
    )
    assert stored_distribution(Settings(tmp_path), crag, EMPTY_STATE, 5).mean == pytest.approx(
        crag.value() + 5
    )


@pytest.mark.parametrize("saved_rolls", [False, True])
def test_first_turns_of_a_game_with_saved_rolls_are_not_stored(
    saved_rolls: bool, tmp_path: Path
) -> None:
    """The distribution from the empty card on is, and it is the same."""
    rules = games.saved_rolls_game("free", saved_rolls)
    strategy = in_memory(rules)
    found = stored_distribution(Settings(tmp_path), strategy, EMPTY_STATE, first_turns=True)
    expected = distribution(strategy, EMPTY_STATE)
    assert found.chances == pytest.approx(expected.chances, abs=1e-12)
    assert has_first_turns(rules, tmp_path) is not saved_rolls
    stored = stored_distribution(Settings(tmp_path), strategy, EMPTY_STATE, first_turns=True)
    assert stored.chances.tobytes() == found.chances.tobytes()


def test_a_file_that_is_damaged_or_of_another_version_is_removed(
    crag: Strategy, tmp_path: Path
) -> None:
    state = crag.state("fives=10")
    stored_distribution(Settings(tmp_path), crag, EMPTY_STATE, first_turns=True)
    path = first_turns_path(crag.rules, tmp_path)
    good, expected = path.read_bytes(), distribution(crag, state)
    # the last digit of a chance need not change the number
    changed = good.replace(b'"lowest": ', b'"lowest": 1', 1)
    assert changed != good
    fields = json.loads(good)
    for spoilt in (b"{", b"[]", changed, json.dumps(fields | {"version": "0.0"}).encode()):
        path.write_bytes(spoilt)
        assert_equal(stored_distribution(Settings(tmp_path), crag, state), expected)
        assert not path.exists()
    stored_distribution(Settings(tmp_path), crag, EMPTY_STATE, first_turns=True)
    assert path.read_bytes() == good


def test_the_budget_limits_first_turns(
    crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, budget = crag.rules, SolveBudget.command()
    assert budget.makes_first_turns(rules)
    assert all(
        budget.makes_first_turns(perfect_yatzy.load_rules(key)) for key in ("yatzy", "yahtzee")
    )
    assert not budget.makes_first_turns(perfect_yatzy.load_rules("yatzy-saved"))
    assert not SolveBudget(objective=SolveLimit(bytes=10)).makes_first_turns(rules)
    works = distribution_works(rules, EMPTY_STATE, tmp_path, first_turns=True)
    assert works[0].seconds == distributions.first_turns_cost(rules).seconds
    monkeypatch.setattr(budgets, "FIRST_TURNS_LIMIT_BYTES", 10)
    QueryService(tmp_path).answer({"query": "expect", "rules": "crag"})
    assert not has_first_turns(rules, tmp_path)
    monkeypatch.undo()
    stored_distribution(Settings(tmp_path), crag, EMPTY_STATE, first_turns=True)
    for state in (EMPTY_STATE, crag.state("fives=10")):
        assert not distribution_works(rules, state, tmp_path, first_turns=True)


def test_an_unwritable_folder_stores_nothing(
    crag: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Mock(side_effect=OSError("no space left"))
    monkeypatch.setattr("perfect_yatzy.strategy.distribution.replacing", full)
    found = stored_distribution(Settings(tmp_path), crag, EMPTY_STATE, first_turns=True)
    assert found.mean == pytest.approx(crag.value())
    assert full.called
    assert not has_first_turns(crag.rules, tmp_path)


@pytest.mark.parametrize("of_goal", [False, True])
def test_an_interrupt_between_two_parts_stops_the_threads(
    of_goal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the traceback is alive, which holds the frames of the pass."""
    strategy = reach(games.JOKER, 12) if of_goal else in_memory(games.JOKER)
    new_layer = ScoreForwardPass.new_layer
    monkeypatch.setattr(GrowingArray, "append", Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr(
        ScoreForwardPass,
        "new_layer",
        lambda self, filled: None if filled else new_layer(self, filled),
    )
    before = threading.active_count()
    with pytest.raises(AttributeError if of_goal else KeyboardInterrupt) as caught:
        distribution(strategy, threads=3)
    assert threading.active_count() == before, caught
