"""Simulated games: replayed with single queries, reproducible from the seed for any number of threads."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Scorecard, State, Strategy, maximise, parse_card, reach
from perfect_yatzy.frames import to_arrow
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import card_after
from perfect_yatzy.strategy.simulation import simulate
from support.command import Run
from support.need import need
from support.players import same_games
from support.seeds import FULL

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
WORD = (1 << 64) - 1


def documented_dice(seed: int, game: int, turn: int, roll: int, number: int, faces: int) -> list[int]:
    """The dice as the documentation of the rollout kernels defines them, in Python integers."""

    def mixed(word: int) -> int:
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
        return word ^ word >> 31

    step = 0x9E3779B97F4A7C15
    word = mixed(seed + step & WORD)
    word = mixed(word + game * step & WORD)
    word = mixed(word + (turn * 256 + roll + 1) * step & WORD) >> 4
    dice = []
    for _ in range(number):
        die, word = divmod(word * faces, 1 << 60)
        dice.append(die + 1)
    return dice


def replayed(strategy: Strategy, seed: int, game: int, start: Scorecard) -> tuple[int, dict[int, int]]:
    """One game by single queries: final score, and points by category."""
    card = start
    for number in range(len(strategy.rules.categories) - len(start.points)):
        turn = play_turn(strategy, card, seed, game, number)
        for roll, dice in enumerate(turn.dice_history):
            held = turn.holds[roll - 1] if roll else ()
            rolled = documented_dice(seed, game, number, roll, len(dice) - len(held), strategy.rules.faces)
            assert sorted((*held, *rolled)) == [*dice]
        card = card_after(card, turn)
    return card.score, card.points


@pytest.mark.parametrize(
    "key",
    [
        *("yatzy", "yahtzee", "yahtzee-free-joker", "generala", "maxi-forced", "yatzy-forced"),
        pytest.param("yatzy-saved", marks=FULL),
    ],
)
def test_games_agree_with_single_queries(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    played = simulate(strategy, 300, seed=5)
    for game in range(0, 300, 60):
        points = dict(enumerate(played.category_points[game].tolist()))
        assert (played.final_scores[game], points) == replayed(strategy, 5, game, Scorecard(strategy.rules))


def test_games_for_a_goal_agree_with_single_queries(yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, LATE)
    strategy = reach("yatzy", 250, card)
    played = simulate(strategy, 200, 9, card.state, points=card.total)
    same = sum(played.final_scores[game] == replayed(strategy, 9, game, card)[0] for game in range(0, 200, 20))
    assert same >= 8  # options closer than the rounding of float32 may be ranked differently


def test_games_start_at_a_card_its_text_or_the_card_the_strategy_was_made_for(yatzy: Strategy) -> None:
    """The points of the card count for a goal; for a strategy of the rest of a game, and for the table of all goals."""
    card, goal = parse_card(yatzy.rules, LATE), reach("yatzy", 240, LATE)
    for strategy in (yatzy, goal):
        one = simulate(strategy, 500, start=LATE)
        assert same_games(one, simulate(strategy, 500, start=card))
        assert same_games(one, simulate(strategy, 500, start=card.state, points=card.total))
    for strategy in (goal, maximise("yatzy", lambda scores: scores, card)):
        assert same_games(simulate(strategy, 500), simulate(strategy, 500, start=card))
    assert same_games(simulate(replace(yatzy, start=card), 500), simulate(yatzy, 500, start=card))
    assert same_games(simulate(yatzy, 500), simulate(yatzy, 500, start=""))
    won = simulate(goal, 20_000, 2).final_scores >= 240
    assert abs(won.mean() - goal.value()) < 4 * np.sqrt(goal.value() * (1 - goal.value()) / 20_000)


def test_the_dice_depend_on_seed_and_game_number_only(yatzy: Strategy) -> None:
    many = simulate(yatzy, 3_000, seed=4, threads=2)
    assert same_games(many, simulate(yatzy, 3_000, seed=4, threads=1))
    few = simulate(yatzy, 500, seed=4)
    assert np.array_equal(few.final_scores, many.final_scores[:500])
    assert not np.array_equal(few.final_scores, simulate(yatzy, 500, seed=5).final_scores)


def test_dice_are_fair() -> None:
    """A game of one category and one roll shows the dice themselves: chi-squared over the faces, and pairs."""
    rolled = np.array([documented_dice(1, game, 0, 0, 5, 6) for game in range(20_000)])
    for column in range(5):
        counts = np.bincount(rolled[:, column], minlength=7)[1:]
        assert ((counts - 20_000 / 6) ** 2 / (20_000 / 6)).sum() < 25  # 5 degrees of freedom: 1 in 7,000
    pairs = np.bincount(rolled[:, 0] * 6 + rolled[:, 4] - 7, minlength=36)
    assert ((pairs - 20_000 / 36) ** 2 / (20_000 / 36)).sum() < 80  # 35 degrees: 1 in 40,000


def test_progress_and_starts(yatzy: Strategy) -> None:
    seen: list[tuple[int, int]] = []
    state = State(yatzy.rules.full_mask & ~1 & ~2, 20)
    played = simulate(yatzy, 100, start=state, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    assert (played.category_points[:, 2:] == -1).all()
    assert (played.category_points[:, :2] >= 0).all()


# --- the command -------------------------------------------------------------------------------------------------


def checked_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file of games, whose columns add up to the final score."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        parts = sum(int(points) for name, points in row.items() if name not in ("game_number", "final_score"))
        assert int(row["final_score"]) == parts
    return rows


def test_the_command_simulates_and_writes_csv(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    found = run("simulate", "yatzy", "-n", "2000", "--card", LATE, "--policy", "goal:240", "-o", str(games))
    assert found.returncode == 0, found.stderr
    assert "exact chance 42.68 %" in found.stdout
    rows = checked_rows(games)
    assert len(rows) == 2000
    assert "ones" not in rows[0]
    for row in rows[:50]:
        assert (row["points_before"], row["bonus_points"]) == ("73", "0")
        assert row["upper_bonus"] in ("0", "50")
    answer = json.loads(run("simulate", "yatzy", "-n", "2000", "--json").stdout)
    assert answer["mean"] == pytest.approx(simulate(yatzy, 2000, seed=1).mean)
    assert sum(answer["chances"]) == pytest.approx(1)
    assert abs(answer["mean"] - answer["expected_final_score"]) < 5 * answer["standard_error"]


def test_columns_add_up_with_jokers_and_categories_of_any_name(run: Run, tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    assert run("simulate", "yahtzee", "-n", "2000", "-o", str(games)).returncode == 0
    rows = checked_rows(games)
    assert {int(row["upper_bonus"]) for row in rows} == {0, 35}
    assert {int(row["bonus_points"]) % 100 for row in rows} == {0}
    assert any(int(row["bonus_points"]) for row in rows)  # 8 % of the games have a second Yahtzee
    own, names = tmp_path / "own.toml", ("bonus", "final", "game")
    boxes = "".join(f'[[categories]]\nid = "{name}"\nname = "{name}"\npattern = "any"\n' for name in names)
    own.write_text(f'id = "own"\nname = "Own"\ndice = 2\nfaces = 6\nrolls = 1\n{boxes}')
    assert run("simulate", str(own), "-n", "50", "--force", "-o", str(games)).returncode == 0
    for row in checked_rows(games):
        assert int(row["final_score"]) == sum(int(row[name]) for name in names)
        assert all(2 <= int(row[name]) <= 12 for name in names)


def test_one_game_has_no_standard_error(run: Run, yatzy: Strategy) -> None:
    total = simulate(yatzy, 1, seed=1).final_scores[0]
    text = run("simulate", "-n", "1").stdout
    assert text.startswith(f"Final score {total} in one game\n")
    assert "±" not in text
    assert "deviation" not in text
    answer = json.loads(run("simulate", "-n", "1", "--json", "-p", "goal:240", "--card", LATE).stdout)
    assert answer["standard_error"] is answer["standard_deviation"] is answer["reached_error"] is None
    thousand = run("simulate", "-n", "1000").stdout
    assert "± 0." in thousand.replace("± 1.", "± 0.")
    assert "(standard error) in 1,000 games" in thousand


def test_the_command_writes_parquet(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    parquet = need("pyarrow.parquet")
    path = tmp_path / "games.parquet"
    assert run("simulate", "yatzy", "-n", "500", "-o", str(path)).returncode == 0
    table = parquet.read_table(path)
    assert table.num_rows == 500
    assert table["final_score"].to_pylist() == simulate(yatzy, 500, seed=1).final_scores.tolist()
    assert table.schema.metadata[b"policy"] == b"mean"
    assert table.schema.metadata[b"fingerprint"] == yatzy.rules.fingerprint.encode()
    assert table.equals(to_arrow(simulate(yatzy, 500, seed=1)))
