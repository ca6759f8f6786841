"""Distribution and variance against an oracle in fractions, the table of means, and published figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import perfect_yatzy
import pytest
from hypothesis import example, given
from numba.core.errors import TypingError
from perfect_yatzy import RulesError, ScoreDistribution, State, Strategy, parse_card, reach
from perfect_yatzy.cli.views.charts import histogram
from perfect_yatzy.game.rules import Bonus, RuleSet
from perfect_yatzy.kernels.simd import views
from perfect_yatzy.kernels.value_tables import MeanTable
from perfect_yatzy.model.objectives import BonusChance, Variance
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.model.turn_model import turn_outcomes
from perfect_yatzy.strategy.distribution import distribution, distribution_path, stored_distribution
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.tablebase.backward_induction import solve_objective
from perfect_yatzy.tablebase.store import table_path
from support import games
from support.command import Run
from support.naive import Naive
from support.naive_objectives import assert_chances
from support.naive_policies import GreedyChoice, NaivePolicy
from support.players import in_memory
from support.refusals import refused
from support.seeds import examples, full_example

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


def assert_simulated(strategy: Strategy, found: ScoreDistribution, games: int) -> None:
    """Simulated games have these chances: Kolmogorov's test at the level 0.001."""
    simulated = np.sort(simulate(strategy, games, seed=13).final_scores)
    shares = np.searchsorted(simulated, found.scores, side="right") / games
    assert np.abs(shares - np.cumsum(found.chances)).max() < 1.95 / np.sqrt(games)
    assert found.scores[0] <= simulated[0]
    assert simulated[-1] <= found.scores[-1]


@examples(0, 30)
@given(games.rule_sets())
@example(games.joker_game("forced", first_roll_bonus=(("run", 3),)))
@example(games.joker_game("free", order="forced"))
@example(games.SAVED)
@full_example(games.saved_rolls_game("free", True))
def test_random_games_agree_with_the_oracle(rules: RuleSet) -> None:
    """The whole distribution, and the variance of every card."""
    game, strategy, space = rules.canonical(), in_memory(rules), state_space(rules)
    oracle = NaivePolicy(game, GreedyChoice(game, Naive(game).value))
    variances = solve_objective(Variance(rules, strategy.values))
    for card in oracle.states():
        results = oracle.distribution(*card)
        exact = sum(s * s * p for s, p in results.items()) - sum(s * p for s, p in results.items()) ** 2
        assert abs(variances[space.index(State(*card))] - exact) < 1e-7
    found = distribution(strategy)
    assert_chances(found, oracle.distribution())
    assert np.array_equal(distribution(strategy, threads=1).chances, found.chances)


def test_a_whole_sheet(forced: Strategy) -> None:
    assert_identities(forced, distribution(forced))


@pytest.mark.full
@pytest.mark.parametrize(
    ("key", "deviation", "over_200", "over_300"),
    [
        ("yatzy", 38.4964, 0.9121, 0.0995),
        ("yahtzee", 59.6076, None, None),
        ("yahtzee-free-joker", 59.6114, None, None),
        ("yahtzee-plain", 39.8201, None, None),
    ],
)
def test_published_figures(key: str, deviation: float, over_200: float | None, over_300: float | None) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    found = distribution(strategy)
    assert_identities(strategy, found)
    assert found.standard_deviation == pytest.approx(deviation, abs=5e-5)
    if over_200 and over_300:
        assert found.at_least(200) == pytest.approx(over_200, abs=5e-5)
        assert found.at_least(300) == pytest.approx(over_300, abs=5e-5)
        assert found.upper_bonus_chance == pytest.approx(0.898, abs=5e-4)
        yatzy = next(c for c in found.categories if c.category == "yatzy")
        assert yatzy.crossed_out == pytest.approx(0.61, abs=5e-3)


def test_from_a_card_in_mid_game(yatzy: Strategy) -> None:
    text = "ones=3 twos=6 sixes=24 chance=22 yatzy=0 full-house=0"
    card = parse_card(yatzy.rules, text)
    found = distribution(yatzy, card.state, points=card.total)
    assert found.mean == pytest.approx(card.total + yatzy.value(card), abs=1e-9)
    vacant = "threes fours fives one-pair two-pairs three-of-a-kind four-of-a-kind small-straight large-straight"
    assert {c.category for c in found.categories} == set(vacant.split())
    again = distribution(yatzy, card.state, points=card.total, threads=1)
    assert np.array_equal(found.chances, again.chances)
    for same in (text, card):
        assert np.array_equal(distribution(yatzy, same).scores, found.scores)
    refused("saved rolls", distribution, yatzy, State(0, saved=1))
    goal = reach("yatzy", 240, card)  # its own play reaches the goal more often, and scores less on average
    aimed = distribution(goal, card)
    assert aimed.at_least(240) == pytest.approx(goal.value(), rel=1e-5)
    assert aimed.at_least(240) > found.at_least(240)
    assert aimed.mean < found.mean
    over = distribution(yatzy, State(yatzy.rules.full_mask, 63))
    assert (over.scores.tolist(), over.chances.tolist(), over.upper_bonus_chance) == ([50], [1.0], 1.0)


def test_percentiles_at_their_edges() -> None:
    """The first score with so large a share at or below it; the sum of the shares is rounded."""
    scores = np.arange(10, 20)
    for chances in (np.full(10, 0.1), np.array([0.1] * 9 + [0.0999999999999])):
        found = ScoreDistribution(scores, chances, 0.0, ())
        marks = {0: 10, 10: 10, 10.01: 11, 30: 12, 50: 14, 70: 16, 99.9: 19, 100: 19}
        assert {percent: found.percentile(percent) for percent in marks} == marks
        assert [found.at_least(score) for score in (9, 10, 19, 20)] == pytest.approx([1, 1, 0.1, 0])


@pytest.mark.full
def test_the_distribution_of_the_empty_card_is_stored(yatzy: Strategy, tmp_path: Path) -> None:
    first = stored_distribution(yatzy, State(), 0, tmp_path)
    path = table_path(yatzy.rules, tmp_path, "distribution").with_suffix(".json")
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1  # a digit of a chance
    others = ({"version": "0.0", "upper_bonus_chance": 5.0}, {"format": 0, "upper_bonus_chance": 5.0})
    for spoilt in (
        b"{",
        *(json.dumps(json.loads(whole) | other).encode() for other in others),
        flipped,
        b"[]",
        whole,
    ):
        path.write_bytes(spoilt)
        again = stored_distribution(yatzy, State(), 0, tmp_path)
        assert path.read_bytes() == whole
        assert np.array_equal(again.chances, first.chances)
        assert again.upper_bonus_chance == first.upper_bonus_chance
    kept = path.stat()
    moved = stored_distribution(yatzy, State(), 7, tmp_path)
    assert np.array_equal(moved.scores, first.scores + 7)
    assert np.array_equal(moved.chances, first.chances)
    assert path.stat().st_mtime_ns == kept.st_mtime_ns
    assert json.loads(path.read_text())["fingerprint"] == yatzy.rules.fingerprint


@pytest.mark.full
def test_saved_rolls_of_a_whole_sheet() -> None:
    """Twenty boxes in forced order: up to 38 saved rolls."""
    strategy, reports = perfect_yatzy.open_strategy("maxi-forced"), []
    found = distribution(strategy, progress=lambda done, whole: reports.append((done, whole)), threads=1)
    assert_identities(strategy, found)
    assert np.array_equal(distribution(strategy, threads=3).chances, found.chances)
    assert found.standard_deviation == pytest.approx(81.299509, abs=1e-6)
    assert reports == sorted(reports)
    assert reports[-1][0] <= reports[-1][1]


def test_saved_rolls_at_the_start() -> None:
    strategy = perfect_yatzy.open_strategy("maxi-forced")
    late = State(strategy.rules.full_mask >> 3, 70, saved=4)
    assert distribution(strategy, late).mean == pytest.approx(strategy.value(late), abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("key", ["maxi", "maxi-unsaved"])
def test_part_of_a_sheet_with_six_dice(key: str) -> None:
    """Maxi Yatzy with seven boxes, with and without saved rolls."""
    whole = perfect_yatzy.load_rules(key)
    boxes = {"fours", "fives", "sixes", "two-pairs", "large-straight", "full-house", "chance"}
    kept = tuple(c for c in whole.categories if c.id in boxes)
    strategy = in_memory(replace(whole, categories=kept, bonus=Bonus(50, 45)))
    found = distribution(strategy)
    assert_identities(strategy, found)
    assert_simulated(strategy, found, 50_000)
    assert np.array_equal(distribution(strategy, threads=3).chances, found.chances)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "deviation"), [("yatzy-saved", 36.8665), ("maxi-unsaved", 76.747)])
def test_large_games(key: str, deviation: float) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    found = distribution(strategy)
    assert found.standard_deviation == pytest.approx(deviation, abs=5e-4)
    assert_identities(strategy, found)
    assert_simulated(strategy, found, 1_000_000)


def test_too_little_memory(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfect_yatzy.strategy.distribution.available_memory", lambda: 10**7)
    message = r"the distribution of yatzy needs about .* GB of memory and 0.01 GB are free"
    refused(message, distribution, yatzy, error=RulesError)


@pytest.mark.full
def test_the_command_stores_a_distribution(run: Run) -> None:
    for option in ("--shards", "--workers=2", "--cluster=tcp://127.0.0.1:1"):
        refused = run("solve", "maxi-forced", "--what", "distribution", option)
        assert f"{option.split('=')[0]} cannot be used with --what distribution" in refused.stderr
    stored = run("solve", "maxi-forced", "--what", "distribution")
    assert stored.stdout.startswith("Standard deviation of maxi-forced under perfect play: 81.299509"), stored.stderr
    assert "Percentiles  5 %: " in stored.stdout
    assert "already stored" in run("solve", "maxi-forced", "--what", "distribution").stdout
    shown = run("expect", "--rules", "maxi-forced").stdout
    assert "Standard deviation 81.30, upper bonus in " in shown
    assert run("solve", "maxi-forced", "--what", "distribution", "--force").stdout[:60] == stored.stdout[:60]
    distribution_path(perfect_yatzy.load_rules("maxi-forced")).unlink()


def test_turn_outcomes_are_distinct_and_contiguous() -> None:
    found = turn_outcomes(perfect_yatzy.load_rules("yahtzee"))
    columns = (column.tolist() for column in (found.category, found.points, found.total))
    assert found.size == len({*zip(*columns, strict=True)})
    assert all(array.flags.c_contiguous for array in found[:-1])  # kernels see bare addresses


def test_a_view_rejects_arrays_that_are_not_contiguous() -> None:
    @numba.njit
    def third(table: MeanTable) -> float:
        return views(table).values[2]  # type: ignore[no-any-return]

    assert third(MeanTable(np.arange(6.0))) == 2.0
    with pytest.raises(TypingError, match="contiguous"):
        third(MeanTable(np.arange(6.0)[::2]))


def test_histogram_is_small_and_complete() -> None:
    lines = histogram(100, [0.00001, *([0.01] * 100)])
    assert len(lines) <= 14
    assert max(map(len, lines)) <= 80
    assert lines[0].split()[0].startswith("100-")
    # Bins of five: what cannot occur is told from what is rare.
    gaps = histogram(0, [0.5, *([0.0] * 20), 0.4999, *([0.0] * 20), 0.0001])
    assert [line.split()[1] for line in gaps] == ["50.0", "0", "0", "0", "50.0", "0", "0", "0", "<0.1"]
    assert histogram(7, [1.0]) == ["          7  100.0 %  " + "█" * 44]


@pytest.mark.full
def test_a_stored_variance_is_shown_where_there_is_no_distribution(run: Run) -> None:
    before = run("expect", "--rules", "maxi-forced").stdout
    assert "estimate it with --games 100000" in before
    solved = run("solve", "maxi-forced", "--what", "variance")
    assert solved.stdout.startswith("Standard deviation of maxi-forced under perfect play: 81.299509")
    assert "Standard deviation 81.30" in run("expect", "--rules", "maxi-forced").stdout


@pytest.mark.full
def test_expect_shows_the_published_distribution(run: Run) -> None:
    found = run("expect").stdout
    assert "Standard deviation 38.50, upper bonus in 89.81 % of the games" in found
    assert "Percentiles  5 %: 179  25 %: 225  50 %: 249  75 %: 276  95 %: 309" in found


def test_expect_shows_the_distribution(run: Run, yatzy: Strategy, forced: Strategy) -> None:
    assert run("expect", "--no-spread").stdout.endswith("\nUpper bonus of 50: 0 of 63, 63 more needed\n")
    known, shown = distribution(forced), run("expect", "-r", "yatzy-forced").stdout
    figures = f"{known.standard_deviation:.2f}, upper bonus in {100 * known.upper_bonus_chance:.2f} %"
    assert f"Standard deviation {figures} of the games" in shown
    marks = "  ".join(f"{percent} %: {known.percentile(percent)}" for percent in (5, 25, 50, 75, 95))
    assert f"Percentiles  {marks}" in shown
    assert "crossed out" in run("expect", "-r", "yatzy-forced", "--all").stdout
    lines = run("expect", "--jsonl", stdin=f'{{"card": "{LATE}"}}\n{{"card": "{LATE}", "spread": true}}\n').stdout
    short, long = map(json.loads, lines.splitlines())
    assert "distribution" not in short
    assert long["distribution"]["lowest"] >= 93
    assert sum(long["distribution"]["chances"]) == pytest.approx(1)


@pytest.mark.full
def test_expect_draws_simulated_games_where_nothing_is_exact(run: Run, tmp_path: Path) -> None:
    """A game of one box with saved rolls: no exact distribution, but a histogram and a picture of simulated games."""
    six, path = tmp_path / "six.toml", tmp_path / "six.svg"
    six.write_text(
        'id = "six"\nname = "Six"\ndice = 6\nrolls = 2\nsaved_rolls = true\n'
        '[[categories]]\nid = "chance"\nname = "Chance"\npattern = "any"\n'
    )
    asked = ("expect", "--rules", str(six))
    refused = run(*asked, "--plot", str(path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "yatzy: no exact distribution for six; add --games 100000 to draw simulated games\n"
    played = run(*asked, "--games", "1000", "--plot", str(path), "--json")
    assert played.returncode == 0, played.stderr
    simulation = json.loads(played.stdout)["simulation"]
    scores = np.arange(len(simulation["chances"])) + simulation["lowest"]
    assert sum(simulation["chances"]) == pytest.approx(1.0)
    assert scores @ simulation["chances"] == pytest.approx(simulation["mean"])
    assert "1,000 simulated games" in path.read_text()
    assert "█" in run(*asked, "--games", "1000").stdout


def test_a_plot_says_that_no_spread_is_in_its_way(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    found = run("expect", "--no-spread", "--plot", str(tmp_path / "x.png"))
    assert (found.returncode, [*tmp_path.iterdir()]) == (1, [])
    assert "leave out --no-spread" in found.stderr


def test_expect_draws_a_plot(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    for name, goal in (("plain.png", ()), ("goal.svg", ("--goal", "240"))):
        path = tmp_path / name
        found = run("expect", "--card", LATE, "--plot", str(path), *goal)
        assert found.returncode == 0, found.stderr
        assert path.stat().st_size > 5_000
    wrong = run("expect", "--plot", "picture.gif")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "must end in .png, .svg or .pdf" in wrong.stderr
