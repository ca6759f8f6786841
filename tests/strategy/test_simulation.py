"""Simulated games and labelled positions: replayed with single queries, and as frequent as exact
play meets them.
"""

import csv
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import (
    Scorecard,
    State,
    Strategy,
    maximise,
    open_strategy,
    parse_card,
    reach,
    sample_positions,
)
from perfect_yatzy.frames import to_arrow
from perfect_yatzy.game.legal_actions import TurnPosition, start_turn
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import card_after
from perfect_yatzy.strategy import positions as module
from perfect_yatzy.strategy.positions import MEANINGS, PositionSample
from perfect_yatzy.strategy.simulation import simulate, wilson_interval
from support import games
from support.command import Run, printed, refusal
from support.naive import Naive
from support.need import need
from support.players import in_memory, same_games
from support.refusals import load_text
from support.seeds import in_rings, ring_2

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
WORD = (1 << 64) - 1


def documented_dice(
    seed: int, game: int, turn: int, roll: int, number: int, faces: int
) -> list[int]:
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


def replayed(
    strategy: Strategy, seed: int, game: int, start: Scorecard
) -> tuple[int, dict[int, int]]:
    """One game by single queries: final score, and points by category."""
    card = start
    for number in range(len(strategy.rules.categories) - len(start.points)):
        turn = play_turn(strategy, card, seed, game, number)
        for roll, dice in enumerate(turn.dice_history):
            held = turn.holds[roll - 1] if roll else ()
            rolled = documented_dice(
                seed, game, number, roll, len(dice) - len(held), strategy.rules.faces
            )
            assert sorted((*held, *rolled)) == [*dice]
        card = card_after(card, turn)
    return card.score, card.points


@pytest.mark.parametrize(
    "key",
    [
        *("yatzy", "yahtzee", "yahtzee-free-joker", "generala", "maxi-forced", "yatzy-forced"),
        ring_2("yatzy-saved"),
    ],
)
def test_games_agree_with_single_queries(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    played = simulate(strategy, 300, seed=5)
    for game in range(0, 300, 60):
        points = dict(enumerate(played.category_points[game].tolist()))
        assert (played.final_scores[game], points) == replayed(
            strategy, 5, game, Scorecard(strategy.rules)
        )


def test_games_for_a_goal_agree_with_single_queries(yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, LATE)
    strategy = reach("yatzy", 250, card)
    played = simulate(strategy, 200, 9, card.state, points=card.total)
    same = sum(
        played.final_scores[game] == replayed(strategy, 9, game, card)[0]
        for game in range(0, 200, 20)
    )
    assert same >= 8  # options closer than the rounding of float32 may be ranked differently


def test_games_start_at_a_card_its_text_or_the_card_the_strategy_was_made_for(
    yatzy: Strategy,
) -> None:
    """The points of the card count for a goal; for a strategy of the rest of a game, and for the
    table of all goals.
    """
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


def test_the_dice_depend_on_seed_and_game_number_only_and_are_fair(yatzy: Strategy) -> None:
    many = simulate(yatzy, 3_000, seed=4, threads=2)
    assert same_games(many, simulate(yatzy, 3_000, seed=4, threads=1))
    few = simulate(yatzy, 500, seed=4)
    assert np.array_equal(few.final_scores, many.final_scores[:500])
    assert not np.array_equal(few.final_scores, simulate(yatzy, 500, seed=5).final_scores)
    # A game of one category and one roll shows the dice themselves: chi-squared over the faces, and
    # pairs
    rolled = np.array([documented_dice(1, game, 0, 0, 5, 6) for game in range(20_000)])
    for column in range(5):
        counts = np.bincount(rolled[:, column], minlength=7)[1:]
        assert (
            (counts - 20_000 / 6) ** 2 / (20_000 / 6)
        ).sum() < 25  # 5 degrees of freedom: 1 in 7,000
    pairs = np.bincount(rolled[:, 0] * 6 + rolled[:, 4] - 7, minlength=36)
    assert ((pairs - 20_000 / 36) ** 2 / (20_000 / 36)).sum() < 80  # 35 degrees: 1 in 40,000


def test_progress_and_starts(yatzy: Strategy) -> None:
    seen, state = list[tuple[int, int]](), State(yatzy.rules.full_mask & ~1 & ~2, 20)
    played = simulate(yatzy, 100, start=state, progress=lambda *step: seen.append(step))
    assert seen == [(1, 2), (2, 2)]
    assert (played.category_points[:, 2:] == -1).all()
    assert (played.category_points[:, :2] >= 0).all()


# --- the command ---
def checked_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a file of games, whose columns add up to the final score."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        parts = sum(
            int(points)
            for name, points in row.items()
            if name not in ("game_number", "final_score")
        )
        assert int(row["final_score"]) == parts
    return rows


def test_the_command_simulates_and_writes_csv(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    asked = ("simulate", "yatzy", "-n", "2000")
    assert "exact chance 42.68 %" in printed(
        run, *asked, "--card", LATE, "--policy", "goal:240", "-o", str(games)
    )
    rows = checked_rows(games)
    assert len(rows) == 2000
    assert "ones" not in rows[0]
    for row in rows[:50]:
        assert (row["points_before"], row["bonus_points"]) == ("73", "0")
        assert row["upper_bonus"] in ("0", "50")
    answer = json.loads(run(*asked, "--json").stdout)
    assert answer["mean"] == pytest.approx(simulate(yatzy, 2000, seed=1).mean)
    assert sum(answer["chances"]) == pytest.approx(1)
    assert abs(answer["mean"] - answer["expected_final_score"]) < 5 * answer["standard_error"]


def test_columns_add_up_with_categories_of_any_name(run: Run, tmp_path: Path) -> None:
    """With jokers and a card: test_frames.py."""
    games, names = tmp_path / "games.csv", ("bonus", "final", "game")
    boxes = "".join(
        f'[[categories]]\nid = "{name}"\nname = "{name}"\npattern = "any"\n' for name in names
    )
    own = load_text(tmp_path, f"dice = 2\nfaces = 6\nrolls = 1\n{boxes}")
    printed(run, "simulate", own.origin, "-n", "50", "-o", str(games))
    for row in checked_rows(games):
        assert int(row["final_score"]) == sum(int(row[name]) for name in names)
        assert all(2 <= int(row[name]) <= 12 for name in names)


def test_one_game_has_no_standard_error(run: Run, yatzy: Strategy) -> None:
    text = run("simulate", "-n", "1").stdout
    assert text.startswith(
        f"Final score {simulate(yatzy, 1, seed=1).final_scores[0]} in one game\n"
    )
    assert not re.search("±|deviation", text)
    answer = json.loads(
        run("simulate", "-n", "1", "--json", "-p", "goal:240", "--card", LATE).stdout
    )
    assert (
        answer["standard_error"] is answer["standard_deviation"] is answer["reached_error"] is None
    )
    assert re.search(
        r"± [01]\..* \(standard error\) in 1,000 games", run("simulate", "-n", "1000").stdout
    )


@pytest.mark.full
def test_the_command_writes_parquet(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    """Its columns and metadata: test_frames.py."""
    printed(run, "simulate", "yatzy", "-n", "500", "-o", str(tmp_path / "games.parquet"))
    table = need("pyarrow.parquet").read_table(tmp_path / "games.parquet")
    assert table.equals(to_arrow(simulate(yatzy, 500, seed=1)), check_metadata=True)


Place = tuple[object, ...]


def lists(sample: PositionSample) -> dict[str, list[Any]]:
    return {
        n: column if isinstance(column, list) else column.tolist()
        for n, column in sample.columns().items()
    }


def places(sample: PositionSample) -> list[Place]:
    """State, dice and rerolls left of each row."""
    names = ("filled", "upper", "saved", "joker_paid", "dice", "rolls_left")
    columns = [getattr(sample, name).tolist() for name in names]
    return [
        (*card, bool(paid), tuple(dice), left)
        for *card, paid, dice, left in zip(*columns, strict=True)
    ]


def decisions_of(strategy: Strategy, seed: int, game: int) -> Iterator[dict[str, object]]:
    """The decisions of one game by single questions, as rows of the sample; best actions are
    taken.
    """
    card = strategy.start if isinstance(strategy.start, Scorecard) else Scorecard(strategy.rules)
    for number in range(len(strategy.rules.categories) - len(card.points)):
        turn = play_turn(strategy, card, seed, game, number)
        for roll, dice in enumerate(turn.dice_history):
            left = strategy.max_rerolls(card.state) - roll
            ends = roll == len(turn.holds)
            best = (
                strategy.categories(card, dice, left)[0]
                if ends
                else strategy.holds(card, dice, left)[0]
            )
            row = {
                "game_number": game,
                "turn": len(card.points) + 1,
                "card_total": card.total,
                "rolls_left": left,
            }
            row |= asdict(card.state) | {
                "dice": list(dice),
                "hold": list(dice if ends else turn.holds[roll]),
            }
            yield row | {"value": best.value, "category": turn.category if ends else None}
        card = card_after(card, turn)


@pytest.mark.parametrize(
    "key", ["yatzy", "yahtzee", "yahtzee-free-joker", "generala", "yatzy-forced", "goal"]
)
def test_rows_are_the_decisions_of_simulated_games(key: str) -> None:
    strategy = reach("yatzy", 240, LATE) if key == "goal" else open_strategy(key)
    sample = sample_positions(strategy, 800, seed=5)
    rows = lists(sample)
    value = "chance" if key == "goal" else "expected_remaining"
    for game in (0, 7, 11):
        at = np.flatnonzero(sample.game_number == game).tolist()
        expected = list(decisions_of(strategy, 5, game))
        assert len(at) == len(expected)
        for i, row in zip(at, expected, strict=True):
            assert rows[value][i] == pytest.approx(row.pop("value"), rel=3e-6, abs=1e-9)
            known = row.keys() & rows.keys()
            assert {name: rows[name][i] for name in known} == {name: row[name] for name in known}
    assert rows["taken"] == rows["action"]


def occupancy(strategy: Strategy, exploration: float) -> dict[Place, float]:
    """Chance that a game meets each position, by a forward pass over all rolls; the oracle says
    their chances.
    """
    oracle, met = Naive(strategy.rules.canonical()), defaultdict[Place, float](float)
    layer = {start_turn(strategy.rules, perfect_yatzy.State()): 1.0}
    while layer:
        after: dict[TurnPosition, float] = defaultdict(float)
        for position, chance in layer.items():
            for rolled, share in oracle.outcomes(position.to_roll):
                decision = position.roll(rolled)
                asked = decision.state, decision.dice, decision.rolls_left
                met[*astuple(decision.state), *asked[1:]] += chance * float(share)
                best: object = strategy.categories(*asked)[0].category
                if decision.rolls_left and strategy.holds(*asked)[0].category is None:
                    best = strategy.holds(*asked)[0].dice
                actions = decision.legal_actions()
                for action in actions:
                    weight = exploration / len(actions) + (
                        1 - exploration if action == best else 0.0
                    )
                    if weight:
                        child = decision.apply(action)
                        if not child.over:
                            after[child] += chance * float(share) * weight
        layer = after
    return met


GAMES = {
    "joker": games.joker_game("forced", first_roll_bonus=(("run", 3),), rolls=2),
    "saved rolls": games.SAVED,
    "forced": games.joker_game("free", order="forced", rolls=2),
}


@pytest.mark.parametrize(
    ("name", "exploration"),
    [
        *(ring_2(*case) for case in (("joker", 0.3), ("saved rolls", 0.3), ("forced", 0.0))),
        ("saved rolls", 0.0),
        ("forced", 0.3),
    ],
)
def test_positions_are_met_as_often_as_play_meets_them(name: str, exploration: float) -> None:
    """Each position's share of the games lies within five standard errors, and no other position
    occurs.
    """
    strategy, played = in_memory(GAMES[name]), in_rings(8_000, 20_000)
    exact = occupancy(strategy, exploration)
    sample = sample_positions(strategy, int(played * sum(exact.values()) * 1.02), 3, exploration)
    sample = sample.take(np.flatnonzero(sample.game_number < played))
    assert sample.game_number[-1] == played - 1
    met = Counter(places(sample))
    assert set(met) <= set(exact)
    chances, seen = np.array([*exact.values()]), np.array([met[place] for place in exact])
    z = (seen - played * chances) / (np.sqrt(played * chances * (1 - chances)) + 1e-6)
    often = played * chances > 20
    assert np.abs(z[often]).max() < 5
    assert (z[often] ** 2).mean() == pytest.approx(1, abs=0.35)
    assert (sample.taken != sample.action).any() == (exploration > 0)


def test_rows_depend_on_the_seed_alone(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on threads, nor on how many games are played at the same time; smaller samples are
    part of larger ones.
    """
    many = sample_positions(yatzy, 3_000, 4, 0.2, options=True, threads=3)
    assert lists(many) == lists(sample_positions(yatzy, 3_000, 4, 0.2, options=True, threads=1))
    few = sample_positions(yatzy, 700, 4, 0.2)
    assert np.array_equal(few.dice, many.dice[:700])
    assert np.array_equal(few.value, many.value[:700])
    assert not np.array_equal(few.dice, sample_positions(yatzy, 700, 5, 0.2).dice)
    monkeypatch.setattr(module, "MAX_GAMES", 9)
    assert lists(many) == lists(sample_positions(yatzy, 3_000, 4, 0.2, options=True))


def test_options_are_those_of_a_batch(yatzy: Strategy) -> None:
    sample = sample_positions(yatzy, 500, 2, 0.5, options=True)
    batch = yatzy.options(sample.filled, sample.upper, sample.dice, sample.rolls_left)
    options = sample.actions.tolist(), sample.action_values.tolist(), batch.values
    for numbers, values, row in zip(*options, strict=True):
        assert numbers == np.flatnonzero(row > -np.inf).tolist()
        assert values == row[numbers].tolist()
    assert (sample.taken[:, None] == sample.action[:, None]).mean() < 0.6
    regrets = yatzy.regrets(
        sample.filled, sample.upper, sample.dice, sample.rolls_left, sample.taken
    )
    assert (regrets[sample.taken == sample.action] == 0).all()


def test_distinct_positions_have_one_row_each(yatzy: Strategy) -> None:
    whole = sample_positions(yatzy, 20_000)
    merged = sample_positions(yatzy, 20_000, distinct=True)
    assert merged.visits.sum() == 20_000
    played, met = places(whole), places(merged)
    assert len(set(met)) == len(merged)
    counted = Counter(played)
    assert dict(zip(met, merged.visits.tolist(), strict=True)) == counted
    assert whole.visits.tolist() == [counted[place] for place in played]
    assert repr(merged).endswith(f"{len(merged):,} distinct positions, seed 1>")


def test_every_column_has_a_meaning(yatzy: Strategy) -> None:
    for strategy in (yatzy, open_strategy("yahtzee"), reach("yatzy", 240, LATE)):
        sample = sample_positions(strategy, 20, options=True)
        found = sample.metadata()
        assert list(json.loads(found["columns"])) == list(sample.columns())
        assert set(sample.columns()) <= set(MEANINGS)
        assert {len(column) for column in sample.columns().values()} == {20}
        assert (found["seed"], found["exploration"], found["distinct"]) == ("1", "0.0", "false")
        assert found["fingerprint"] == strategy.rules.fingerprint
    sample = sample_positions(
        maximise("yatzy", lambda scores: np.sqrt(scores), LATE), 200, options=True
    )
    assert "expected_utility" in sample.columns()
    assert sample.turn.min() == 8
    assert sample.card_total.min() == 73


# --- the command ---
def write_positions(run: Run, path: Path) -> None:
    """Write the sample of `sample_of_the_command` to a file, once more on purpose only."""
    arguments = "300", "yatzy", "--seed", "7", "-e", "0.2", "--options", "-o", str(path)
    written = run("simulate", "--positions", *arguments)
    assert (written.returncode, written.stderr) == (0, "")
    assert written.stdout.startswith(f"Wrote 300 positions to {path}\n")
    assert run("simulate", "--positions", *arguments).returncode == 2
    assert run("simulate", "--positions", *arguments, "--force").stdout == written.stdout


def sample_of_the_command(yatzy: Strategy) -> PositionSample:
    return sample_positions(yatzy, 300, 7, 0.2, options=True)


@pytest.mark.full
def test_the_command_writes_the_same_rows_as_parquet(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    sample, path = sample_of_the_command(yatzy), tmp_path / "positions.parquet"
    write_positions(run, path)
    table = need("pyarrow.parquet").read_table(path)
    assert table.to_pydict() == lists(sample)
    assert table.schema.metadata == {k.encode(): v.encode() for k, v in sample.metadata().items()}


def test_the_command_writes_the_same_rows_in_every_format(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    sample = sample_of_the_command(yatzy)
    expected = lists(sample)
    for suffix in ("csv", "jsonl"):
        write_positions(run, tmp_path / f"positions.{suffix}")
    head, *lines = (tmp_path / "positions.jsonl").read_text().splitlines()
    metadata = sample.metadata()
    assert json.loads(head) == {"metadata": metadata | {"columns": json.loads(metadata["columns"])}}
    rows = [json.loads(line) for line in lines]
    assert {name: [row[name] for row in rows] for name in expected} == expected
    with (tmp_path / "positions.csv").open() as file:
        texts = list(csv.DictReader(file))
    assert [row["dice"] for row in texts] == [" ".join(map(str, dice)) for dice in expected["dice"]]
    assert [row["hold"] == "none" for row in texts] == [hold == [] for hold in expected["hold"]]
    assert [float(row["expected_remaining"]) for row in texts] == expected["expected_remaining"]
    path = tmp_path / "distinct.csv"
    answer = json.loads(
        run("simulate", "--positions", "5000", "--distinct", "--json", "-o", str(path)).stdout
    )
    sample = sample_positions(yatzy, 5_000, distinct=True)
    assert (answer["positions"], answer["rows"]) == (5_000, len(sample))
    assert sum(answer["rolls_left"].values()) == 5_000
    assert len(path.read_text().splitlines()) == len(sample) + 1


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ring_2(".parquet")])
def test_a_dataset_card_describes_the_file(suffix: str, run: Run, tmp_path: Path) -> None:
    """Its hash is that of the file, it explains exactly the columns of the file, and the same
    command writes both again.
    """
    data, card = tmp_path / f"data{suffix}", tmp_path / "README.md"
    for number, kind in (("--positions", "positions"), ("--games", "games")):
        asked = (
            "simulate",
            "yatzy-forced",
            number,
            "30",
            "-o",
            str(data),
            "--dataset-card",
            str(card),
            "--force",
        )
        texts = [(run(*asked), card.read_text(encoding="utf-8"))[1] for _ in range(2)]
        assert texts[0] == texts[1]
        assert texts[0].startswith("---\nlicense: cc0-1.0\n")
        assert f"# 30 {kind} of yatzy-forced" in texts[0]
        assert hashlib.sha256(data.read_bytes()).hexdigest() in texts[0]
        explained = re.findall(r"^\| `([\w-]+)` \|", texts[0], re.MULTILINE)
        if suffix == ".csv":
            assert explained == data.read_text(encoding="utf-8").splitlines()[0].split(",")
        elif (kind, suffix) == ("games", ".jsonl"):
            assert explained == []
    new, described = tmp_path / "new.csv", ("yatzy-forced", "--dataset-card", str(card))
    assert "give both" in refusal(run, "simulate", *described)
    assert "--force" in refusal(run, "simulate", "--positions", "50", *described, "-o", str(new))
    assert not new.exists()


def test_wilson_intervals_hold_small_chances() -> None:
    assert wilson_interval(0, 1_000)[0] == 0.0
    assert 0.005 < wilson_interval(0, 1_000)[1] < 0.01
    low, high = wilson_interval(500, 1_000)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * 2.5758 * 0.5 / 1_000**0.5, rel=0.01)
