"""`yatzy evaluate`: policies by name, from files, and programs; `yatzy learn`; `yatzy rate`."""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, distribution, load_rules, rate, simulate
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.play.record import Game, simulated_records, write_games
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.hold_policy import HoldRulePolicy
from perfect_yatzy.policies.strategy_sheet import PriceSheet, StrategySheet, sheet_path
from perfect_yatzy.strategy.turn_evaluator import GreedyPolicy
from support.command import Run, printed, refusal
from support.human import human
from support.need import need
from support.players import wrong_by

Evaluated = Callable[..., dict[str, Any]]  # the answer for the forced order, as JSON
LATE = "ones=3 twos=6 threes=9 fours=12 one-pair=10 two-pairs=18 three-of-a-kind=12 small-straight=0 yatzy=0"
BOT = """
import numpy as np
def first(turn):
    return turn.allowed.argmax(axis=1)[:, None], np.full((turn.n_rerolls, 1, 1), turn.no_dice)
"""


@pytest.fixture
def evaluated(run: Run) -> Evaluated:
    return lambda *args: json.loads(
        printed(run, "evaluate", *args, "--rules", "yatzy-forced", "--json")
    )


def test_the_text_says_where_points_are_lost(run: Run) -> None:
    text = run("evaluate", "most-points", "--card", LATE).stdout
    answer = json.loads(printed(run, "evaluate", "most-points", "--card", LATE, "--json"))
    assert answer["loss"] > 1
    losses = answer["losses"]
    assert f"{answer['loss']:.2f} points a game less" in text
    assert sum(losses["turns"]) == pytest.approx(answer["loss"], abs=1e-9)
    assert sum(losses["holds"].values()) + losses["category"] == pytest.approx(
        answer["loss"], abs=1e-9
    )
    assert max(map(len, text.splitlines())) <= 80


def test_a_policy_against_another(run: Run, evaluated: Evaluated) -> None:
    """By the pairs of cards, a computation of its own, it is the same chance."""
    found = evaluated("most-points", "--opponent", "perfect")["against"]
    assert (found["policy"], found["ties"]) == ("perfect", "half")
    both = json.loads(
        printed(
            run,
            "solve",
            "yatzy-forced",
            "--two-players",
            "--policy",
            "most-points",
            "-p",
            "perfect",
            "--json",
        )
    )
    assert found["chance"] == pytest.approx(both["first"][1][2], abs=2e-6)
    text = run("evaluate", "goal:250", "--opponent", "goal:250", "--card", LATE).stdout
    assert "Against goal:250: 50.00 % chance to win (a tie is half)" in text


def test_policies_from_files(evaluated: Evaluated, tmp_path: Path) -> None:
    rules = perfect_yatzy.load_rules("yatzy-forced")
    np.save(tmp_path / "guess.npy", np.zeros(state_space(rules).size))
    (tmp_path / "bot.py").write_text(BOT)
    by_name = evaluated("most-points")["mean"]
    assert evaluated(str(tmp_path / "guess.npy"))["mean"] == by_name
    assert 0 < evaluated(f"{tmp_path / 'bot.py'}:first")["mean"] < by_name


def test_every_policy_begins_at_the_card(
    evaluated: Evaluated, forced: Strategy, tmp_path: Path
) -> None:
    """Policies of each kind, by name and from a file: all have the same game before them."""
    rules, card = forced.rules, "ones=3 twos=6 threes=9 fours=0"
    (tmp_path / "bot.py").write_text(BOT)
    StrategySheet(rules, PriceSheet(rules, (3.0,) * 15)).save(tmp_path / "sheet.json")
    for policy in ("perfect", "most-points", "bot.py:first", "sheet.json"):
        answer = evaluated(str(tmp_path / policy) if "." in policy else policy, "--card", card)
        assert answer["perfect_mean"] == pytest.approx(18 + forced.value(card), abs=1e-9), policy
        assert 18 <= answer["mean"] <= answer["perfect_mean"] + 1e-9, policy
        assert sum(answer["distribution"]["chances"]) == pytest.approx(1), policy
        # the most points in each turn are the best in a forced order
        is_perfect = policy != "bot.py:first"
        assert (answer["loss"] == pytest.approx(0, abs=1e-9)) == is_perfect, policy
        assert len(answer["distribution"]["categories"]) == 11, policy


def test_a_program_that_plays_perfectly_loses_nothing(evaluated: Evaluated) -> None:
    answer = evaluated(
        "--process", f"{sys.executable} -m perfect_yatzy hold --jsonl", "--games", "3"
    )
    assert (answer["games"], answer["loss"]) == (3, 0)
    assert answer["plain_mean"] != answer["mean"]


def test_learn_writes_a_sheet_whose_mean_is_exact(run: Run, tiny: str, tmp_path: Path) -> None:
    out = run("learn", tiny, "--tables", str(tmp_path))
    assert out.returncode == 0
    assert "fitting prices for tiny" in out.stderr
    path = sheet_path(load_rules(tiny), tmp_path)
    sheet = StrategySheet.load(path)
    exact = policy_mean(GreedyPolicy(sheet.rules, sheet.prices.values()))
    assert abs(sheet.figures["prices_mean"] - exact) < 5e-5
    assert sheet.figures["prices_mean"] <= sheet.figures["perfect"]
    lines = out.stdout.splitlines()
    assert lines[0] == f"Tiny: mean {exact:.2f} with 6 numbers"
    assert lines[-1] == f"Wrote {path}"
    assert max(map(len, lines[:-1])) <= 80
    assert "exists; use --force to replace it" in refusal(
        run, "learn", tiny, "--tables", str(tmp_path)
    )
    # before anything is learned
    assert "is a file" in refusal(run, "learn", tiny, "--tables", tiny)


def test_learn_prints_the_sheet_as_json(run: Run, tiny: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.json"
    answer = json.loads(run("learn", tiny, "-o", str(path), "--json", "--threads", "1").stdout)
    assert answer == json.loads(path.read_text()) | {"file": str(path)}


@pytest.mark.full
def test_learn_finds_rules_for_the_holds(run: Run, tiny: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny.json"
    out = printed(
        run, "learn", tiny, "--hold-rules", "2", "-o", str(path), "--tables", str(tmp_path)
    )
    sheet = StrategySheet.load(path)
    assert 1 <= len(sheet.holds) <= 2
    assert len(sheet.figures["worth"]) == len(sheet.holds)
    exact = policy_mean(HoldRulePolicy(sheet.holds, sheet.prices))
    assert abs(sheet.figures["mean"] - exact) < 5e-5
    assert f"rules for the holds and nothing computed: mean {exact:.2f}" in out


@pytest.fixture(scope="module")
def games(yatzy: Strategy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30 games of Ann and 25 of Bo, who is worse."""
    path = tmp_path_factory.mktemp("rate") / "games.jsonl"
    with path.open("w") as file:
        for seed, (name, points, number) in enumerate((("Ann", 1.0, 30), ("Bo", 3.0, 25))):
            records = simulated_records(wrong_by(yatzy, points), number, seed, player=name)
            file.writelines(f"{line}\n" for line in records)
    return path


def test_text_fits_a_terminal_and_has_the_figures(run: Run, games: Path) -> None:
    out = run("rate", str(games))
    assert (out.returncode, out.stderr) == (0, "")
    lines = out.stdout.splitlines()
    assert max(map(len, lines)) <= 79
    ann, bo = rate(games).ratings
    assert lines[0] == "Ann, yatzy: 30 games"
    for rating in (ann, bo):
        lost = rating.points_lost
        assert f"{lost.value:.2f}" in next(
            line for line in lines if line.startswith("Points lost  ")
        )
        lines = lines[lines.index("Bo, yatzy: 25 games") :] if rating is ann else lines
    assert "Ann and Bo, yatzy: Ann plays better than Bo by " in out.stdout
    assert "luck removed; p " in out.stdout
    assert "  games 1 to 5 " in out.stdout
    swedish = run(
        "rate", str(games), "--player", "bo", "--lang", "sv", "--block", "100", "--confidence", "99"
    ).stdout
    assert swedish.startswith("Bo, yatzy: 25 spel\n\n")
    assert "Femmor" in swedish
    assert "99 %-intervall" in swedish
    assert "över tid" not in swedish


def test_json_has_every_figure(run: Run, games: Path) -> None:
    answer = json.loads(run("rate", "--json", str(games), "--compare", "bo", "Ann").stdout)
    assert (answer["schema"], answer["query"], answer["not_rated"]) == (2, "rate", [])
    ann, bo = rate(games).ratings
    for entry, rating in zip(answer["ratings"], (ann, bo), strict=True):
        lost, total = entry["points_lost"], pytest.approx(entry["points_lost"]["mean"])
        assert entry["games"] == rating.games
        assert rating.lost_by_game.mean() == total
        assert lost["low"] < lost["mean"] < lost["high"]
        assert sum(kind["points_lost"]["mean"] for kind in entry["kinds"]) == total
        assert sum(turn["mean"] for turn in entry["turns"]) == total
        assert entry["result_without_luck"]["mean"] == pytest.approx(entry["start"] - lost["mean"])
        identity = entry["start"] + entry["luck"]["mean"] - lost["mean"]
        assert entry["result"]["mean"] == pytest.approx(identity)
        assert [part["last"] for part in entry["blocks"]][-1] == rating.games
    (comparison,) = answer["comparisons"]
    assert comparison["players"] == ["Bo", "Ann"]
    assert comparison["advantage"]["mean"] == pytest.approx(
        ann.points_lost.value - bo.points_lost.value
    )
    assert comparison["advantage"]["high"] < 0


@pytest.mark.full
def test_csv_and_picture_are_written_once(run: Run, games: Path, tmp_path: Path) -> None:
    need("matplotlib")
    table, picture = tmp_path / "games.csv", tmp_path / "lost.svg"
    command = ("rate", str(games), "--csv", str(table), "--plot", str(picture))
    printed(run, *command)
    with table.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 55
    for row in rows:
        parts = float(row["lost_hold_1"]) + float(row["lost_hold_2"]) + float(row["lost_category"])
        assert parts == pytest.approx(float(row["points_lost"]))
        result = float(row["start"]) + float(row["luck"]) - float(row["points_lost"])
        assert float(row["result"]) == pytest.approx(result, abs=1e-6)
    assert picture.read_text().startswith("<?xml")
    before = picture.read_bytes()
    assert f"{table} exists; use --force to replace it" in refusal(run, *command)
    assert picture.read_bytes() == before
    wrong = refusal(run, "rate", str(games), "--plot", str(tmp_path / "lost.txt"))
    assert "must end in .png, .svg or .pdf" in wrong


def test_scores_of_a_spreadsheet(run: Run, forced: Strategy, tmp_path: Path) -> None:
    """In both forms, with any separator; compared with the distribution of perfect play."""
    scores = {"Ann": [201, 256, 374], "Bo": [245, 0]}
    rows = ["Date;Ann;Bo", "1 May;201;245", "2 May;256;0", "3 May;374;"]
    wide, long = tmp_path / "wide.csv", tmp_path / "long.CSV"
    wide.write_text("\ufeff" + "\r\n".join(rows), encoding="utf-8")
    lines = [f'"{name}",{score}' for name, found in scores.items() for score in found]
    long.write_text("\n".join(["Player,Score", *lines]))
    found = distribution(forced)
    for path in (wide, long):
        answer = json.loads(printed(run, "rate", str(path), "--json", "-r", "yatzy-forced"))
        assert (answer["ratings"], answer["not_rated"]) == ([], [])
        for entry, (name, results) in zip(answer["results_only"], scores.items(), strict=True):
            assert (entry["player"], entry["rules"], entry["games"]) == (
                name,
                "yatzy-forced",
                len(results),
            )
            assert entry["result"]["mean"] == pytest.approx(np.mean(results))
            below = [
                found.chances[found.scores < score].sum()
                + found.chances[found.scores == score].sum() / 2
                for score in results
            ]
            assert entry["perfect_games_below"] == pytest.approx(np.mean(below), abs=1e-9)
            assert entry["perfect_mean"] == pytest.approx(forced.value(), abs=1e-9)
        words = " ".join(printed(run, "rate", str(path), "-r", "yatzy-forced").split())
        assert (
            "Results alone show neither mistakes nor luck. Perfect play has a mean of 150.22"
            in words
        )
    played = simulate(forced, 4000, seed=1).final_scores
    long.write_text(
        "\n".join(["player,rules,result", *(f"P,yatzy-forced,{score}" for score in played)])
    )
    (entry,) = json.loads(printed(run, "rate", str(long), "--json", "-r", "crag"))["results_only"]
    assert entry["perfect_games_below"] == pytest.approx(0.5, abs=0.03)  # 5 standard errors
    for text, message in (
        ("player,score\nAnn,375\n", ":2: the score '375' must be a whole number from 0 to 374"),
        ("player,score\nAnn,2.5\n", ":2: the score '2.5' must be"),
        ("player,rules,score\nAnn,yatzi,5\n", ":2: unknown rules 'yatzi'"),
        ("player,rules\nAnn,yatzy\n", " has no scores; its first line must name the columns"),
        ("Ann,Bo\n\n", " contains no games"),
        ("", " has no scores"),
    ):
        long.write_text(text)
        assert f"{long}{message}" in refusal(run, "rate", str(long))


def test_exit_codes(
    run: Run, forced: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 if nothing is wrong, 1 if a line is, 2 if a file or a player is."""
    monkeypatch.chdir(tmp_path)  # a long path would be broken in two
    path, other, played = Path("games.jsonl"), Path("rules.toml"), human(forced, 1)
    write_games(path, [played, Game(forced.rules, ("Ann",), played.turns[:3])])
    out = run("rate", str(path))
    assert (out.returncode, out.stderr) == (0, "")
    assert " ".join(out.stdout.split()).endswith(f"Not rated: 1 game {path}:2: it is unfinished")
    assert out.stdout.startswith("Ann, yatzy-forced: 1 game\n")
    with path.open("a") as file:
        file.write(
            '{"schema": 2, "rules": "yatzy-forced", "players": ["Cy"], "final_scores": [231]}\n{"schema": 2}\n'
        )
    out = run("rate", str(path))
    words = " ".join(out.stdout.split())
    assert (out.returncode, out.stderr) == (1, "")
    assert f" {path}:4: rules is null; must be text or an object" in words
    assert "Cy, yatzy-forced: 1 game without decisions, mean result 231.00. Results alone" in words
    other.write_text('id = "one"\n')
    for arguments, message in (
        (
            (path, "--player", "Dan"),
            "there is no rating of 'Dan'; the ratings: Ann (yatzy-forced)\n",
        ),
        ((other,), f"{other} is not a record of games (JSON Lines, one game per line)\n"),
        ((), "`yatzy play` has not recorded a finished game in "),
    ):
        assert refusal(run, "rate", *map(str, arguments)).startswith(f"yatzy: {message}")


def test_the_handicap_is_the_one_that_brute_force_finds(run: Run) -> None:
    """Of all whole numbers, by the chances of every pair of final scores in fractions."""
    words = ("evaluate", "level:3", "perfect", "--rules", "yatzy-forced", "--json")
    lines = printed(run, *words, "--opponent", "perfect", "--even").splitlines()
    weak, same = map(json.loads, lines)
    spreads = []
    for answer in (weak, same):
        found = answer["distribution"]
        scores = range(found["lowest"], found["lowest"] + len(found["chances"]))
        spreads.append([*zip(scores, map(Fraction, found["chances"]), strict=True)])
    total = [sum(chance for _score, chance in spread) for spread in spreads]
    by_lead: defaultdict[int, Fraction] = defaultdict(Fraction)
    for own, chance in spreads[0]:
        for other, other_chance in spreads[1]:
            by_lead[own - other] += chance * other_chance / (total[0] * total[1])

    def chance_with(points: int) -> Fraction:
        won = sum((p for lead, p in by_lead.items() if lead + points > 0), Fraction())
        return won + by_lead.get(-points, Fraction()) / 2

    best = min(range(-5, 120), key=lambda points: abs(chance_with(points) - Fraction(1, 2)))
    assert weak["against"]["even"]["points"] == best > 0
    assert weak["against"]["even"]["chance"] == pytest.approx(float(chance_with(best)), abs=1e-9)
    assert same["against"]["even"] == {"points": 0, "chance": pytest.approx(0.5, abs=1e-9)}
    text = printed(run, *words[:2], *words[3:-1], "--opponent", "perfect", "--even")
    assert f"Even if level:3 gets {best} point" in text
    assert "--even needs --opponent" in refusal(run, "evaluate", "prices", "--even", code=2)
