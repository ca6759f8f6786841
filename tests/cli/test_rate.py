"""`yatzy rate`: text, JSON, CSV, a picture, exit codes."""

import csv
import json
from pathlib import Path

import pytest
from perfect_yatzy import Strategy, rate
from perfect_yatzy.play.record import Game, simulated_records, write_games
from support.command import Run, printed, refusal
from support.human import human
from support.need import need
from support.players import wrong_by


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
        assert f"{lost.value:.2f}" in next(line for line in lines if line.startswith("Points lost  "))
        lines = lines[lines.index("Bo, yatzy: 25 games") :] if rating is ann else lines
    assert "Ann and Bo, yatzy: Ann plays better than Bo by " in out.stdout
    assert "luck removed; p " in out.stdout
    assert "  games 1 to 5 " in out.stdout
    swedish = run("rate", str(games), "--player", "bo", "--lang", "sv", "--block", "100", "--confidence", "99").stdout
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
    assert comparison["advantage"]["mean"] == pytest.approx(ann.points_lost.value - bo.points_lost.value)
    assert comparison["advantage"]["high"] < 0


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
    wrong = refusal(run, "rate", str(games), "--plot", str(tmp_path / "lost.txt"), code=1)
    assert "must end in .png, .svg or .pdf" in wrong


def test_exit_codes(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    """0 if nothing is wrong, 1 if a line is, 2 if a file or a player is."""
    path, other, played = tmp_path / "games.jsonl", tmp_path / "rules.toml", human(yatzy, 1)
    write_games(path, [played, Game(yatzy.rules, ("Ann",), played.turns[:3])])
    out = run("rate", str(path))
    assert (out.returncode, out.stderr) == (0, "")
    assert " ".join(out.stdout.split()).endswith(f"Not rated: 1 game {path}:2: it is unfinished")
    assert out.stdout.startswith("Ann, yatzy: 1 game\n")
    with path.open("a") as file:
        file.write('{"schema": 2, "rules": "yatzy", "players": ["Cy"], "final_scores": [231]}\n{"schema": 2}\n')
    out = run("rate", str(path))
    words = " ".join(out.stdout.split())
    assert (out.returncode, out.stderr) == (1, "")
    assert f" {path}:4: rules is null; must be text or an object" in words
    assert "Cy, yatzy: 1 game without decisions, mean result 231.00. Luck cannot be" in words
    other.write_text('id = "one"\n')
    for arguments, message in (
        ((path, "--player", "Dan"), "there is no rating of 'Dan'; the ratings: Ann (yatzy)\n"),
        ((other,), f"{other} is not a record of games (JSON Lines, one game per line)\n"),
        ((), "`yatzy play` has not recorded a finished game in "),
    ):
        assert refusal(run, "rate", *map(str, arguments)).startswith(f"yatzy: {message}")
