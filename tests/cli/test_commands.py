"""The command as a stranger meets it: a subprocess, its streams and its exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.strategy.strategy import Strategy
from support.command import Run

EXAMPLE = "ones=3 sixes=24 chance=22"
COMMAND = [sys.executable, "-m", "perfect_yatzy"]
shell = partial(subprocess.run, shell=True, capture_output=True, text=True, check=False)


def json_lines(out: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The answers of a command that never fails as a whole."""
    assert (out.returncode, out.stderr) == (0, "")
    return [json.loads(line) for line in out.stdout.splitlines()]


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a rule file of the id own."""

    def write(lines: str) -> Path:
        path = tmp_path / "own.toml"
        path.write_text(f'id = "own"\nname = "Own"\n{lines}\n')
        return path

    return write


def test_hold_says_the_answer_first(run: Run, yatzy: Strategy) -> None:
    out = run("hold", "33456")
    assert (out.returncode, out.stderr) == (0, "")
    lines = out.stdout.splitlines()
    assert lines[0] == "Hold 3 3 (⚂⚂), reroll three dice: expected final score 245.75"
    assert lines[2].startswith("Roll 1 of 3, two rerolls left")
    assert len([line for line in lines if line.startswith("  ") and "more" not in line]) == 1 + 5
    assert max(map(len, lines)) <= 80


def test_dice_in_any_form_give_the_same_answer(run: Run, yatzy: Strategy) -> None:
    expected = run("hold", "33456").stdout
    for dice in (["65433"], ["3 3 4 5 6"], ["3,3,4,5,6"], ["⚂⚂⚃⚄⚅"], ["3", "3", "4", "5", "6"]):
        assert run("hold", *dice).stdout == expected, dice
    assert run("hold", "3", "3").stderr == "yatzy: '3 3' is 2 dice; yatzy has 5\n"


def test_json_has_everything_and_agrees_with_python(run: Run, yatzy: Strategy) -> None:
    answer = json.loads(run("hold", "33456", "--rolls-left", "1", "--card", EXAMPLE, "--json").stdout)
    assert (answer["schema"], answer["rolls_left"], answer["card_total"]) == (2, 1, 49)
    holds = yatzy.holds(EXAMPLE, "33456", 1)
    assert [h["hold"] for h in answer["holds"]] == [list(h.dice) for h in holds]
    assert answer["expected_final_score"] == pytest.approx(49 + holds[0].value, abs=1e-9)
    assert answer["best"] == answer["holds"][0]


def test_score_and_expect(run: Run, yatzy: Strategy) -> None:
    out = run("score", "22555", "--card", "ones=3 chance=22")
    assert out.stdout.startswith("Take Full House for 19: expected final score ")
    hint = "These end the turn; `yatzy hold` says whether to reroll instead."
    assert hint not in out.stdout
    assert hint in run("score", "22555", "--rolls-left", "2").stdout
    answer = json.loads(run("expect", "--card", EXAMPLE, "--json").stdout)
    assert answer["expected_final_score"] == pytest.approx(49 + yatzy.value(EXAMPLE), abs=1e-9)
    assert answer["turns_left"] == 12
    played = json.loads(run("expect", "--games", "2000", "--json").stdout)["simulation"]
    assert abs(played["mean"] - yatzy.value()) < 5 * played["standard_error"]


def test_a_category_is_taken_when_all_dice_are_kept(run: Run, yatzy: Strategy) -> None:
    assert run("hold", "66666", "-l", "1").stdout.startswith("Keep all dice and take Yatzy: expected final score ")


def test_ties_are_shown_as_ties(run: Run, yatzy: Strategy) -> None:
    def without(*open_boxes: str) -> str:
        return " ".join(f"{c.id}=0" for c in yatzy.rules.categories if c.id not in open_boxes)

    assert "0.00" in run("hold", "12345", "--card", without("chance"), "--all").stdout
    out = json.loads(run("score", "23456", "--card", without("yatzy", "ones"), "--json").stdout)
    assert out["categories"][0]["loss"] == 0.0


BAD = [
    (["hold", "3345"], "'3345' is 4 dice; yatzy has 5"),
    (["hold", "33457"], "'33457' has a 7; the faces are 1 to 6"),
    (["hold", "33456", "--card", "oens=3"], "unknown category 'oens'; did you mean ones?"),
    (["hold", "33456", "--card", "ones=3 1=2"], "ones is filled twice in the card"),
    (["hold", "33456", "--card", "ones=7"], "ones cannot hold 7; it can hold 0, 1, 2, 3, 4, 5"),
    (["hold", "33456", "--saved", "1"], "1 saved rolls are impossible under yatzy: none exist"),
    (["hold", "33456", "--rolls-left", "3"], "3 rolls left; there can be 1 or 2"),
    (["hold", "33456", "--rolls-left", "0"], "0 rolls left: no dice can be held; ask which category with `score`"),
    (["hold", "33456", "--rules", "yatsy"], "unknown rules 'yatsy'; did you mean yatzy?"),
    (["hold", "33456", "--rules", "yatzy+x"], "yatzy has no switch 'x'; its switches: five-is-full-house, four-is-two-pairs, bonus-35"),
    (["hold", "33456", "--rules", "none.toml"], "cannot read the rule file none.toml: No such file or directory"),
    (["hold", "33456", "--rules", "yatzy-forced", "--card", "twos=4"], "yatzy-forced fills in order: ones must come first"),
    (["hold", "33456", "-c", "ones=3 bonus=50"], "unknown category 'bonus'; leave out the upper bonus, which follows from the upper categories"),
    (["hold", "33456", "-c", "ones=3", "sixes=24"], "sixes=24 is not a roll; write the card in quotes: --card \"ones=3 sixes=24\" (see yatzy hold --help)"),
    (["hold"], "Missing argument 'DICE' (see yatzy hold --help)"),
    (["hold", "33456", "--jsonl"], "DICE cannot be used with --jsonl (see yatzy hold --help)"),
    (["score", "--jsonl", "--json"], "--json cannot be used with --jsonl (see yatzy score --help)"),
    (["expect", "--jsonl", "--plot", "x.png"], "--plot cannot be used with --jsonl (see yatzy expect --help)"),
    (["expect", "--seed", "3"], "--seed can only be used with --games (see yatzy expect --help)"),
    (["hold", "33456", "--extra", "50"], "50 bonus points are impossible here: this card cannot have any"),
    (["expect", "-r", "yahtzee", "-c", "yahtzee=50 aces=3", "--extra", "101"], "101 bonus points are impossible here: this card can have 0 to 100"),
    (["expect", "--games", "100", "--seed", str(2**63)], f"Invalid value for '--seed': {2**63} is not in the range 0<=x<={2**63 - 1} (see yatzy expect --help)"),
    (["simulate", "--seed", str(10**23)], f"Invalid value for '--seed': {10**23} is not in the range 0<=x<={2**63 - 1} (see yatzy simulate --help)"),
    (["odds", "-l", "9"], "9 rolls left; under yatzy there can be 0 to 2"),
    (["hold", "33456", "--rolls-left", "many"], "Invalid value for '--rolls-left' / '-l': 'many' is not a valid integer range (see yatzy hold --help)"),
    (["hodl", "33456"], "No such command 'hodl'. Did you mean 'hold'? (see yatzy --help)"),
    (["hold", "33456", "--crad", "x"], "No such option '--crad'. (Did you mean one of: '--card', '--saved', '--threads'?) (see yatzy hold --help)"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "message"), BAD)
def test_bad_input_gets_one_line_and_exit_code_2(run: Run, yatzy: Strategy, args: list[str], message: str) -> None:
    out = run(*args)
    assert (out.returncode, out.stdout) == (2, "")
    assert out.stderr == f"yatzy: {message}\n"


def test_a_game_that_is_over(run: Run, yatzy: Strategy) -> None:
    card = " ".join(f"{c.id}=0" for c in yatzy.rules.categories)
    out = run("hold", "33456", "--card", card)
    assert (out.returncode, out.stderr) == (2, "yatzy: every category is filled: the game is over\n")
    assert run("expect", "--card", card).stdout.splitlines() == [
        "Final score 0",
        "",
        "Yatzy, 0 points: all 15 categories filled",
        "Upper bonus of 50: out of reach (0 of 63)",
    ]
    best = "ones=5 twos=10 threes=15 fours=20 fives=25 sixes=30 p=12 pp=22 3k=18 4k=24 ss=15 ls=20 fh=28 c=30 y=50"
    assert run("expect", "--card", best).stdout.startswith("Final score 374\n")
    assert run("expect", "--card", best, "--goal", "374").stdout.startswith("Final score 374: 100.00 % chance of 374")
    assert run("expect", "--card", best, "--goal", "375").stdout.startswith("Final score 374: 0.00 % chance of 375")


def test_first_use_solves_and_a_damaged_table_is_exit_code_1_with_the_way_out(run: Run, tmp_path: Path) -> None:
    there = ("--tables", str(tmp_path))
    hold = ("hold", "33456", "--rules", "yatzy-forced", *there)
    for said in ("yatzy: solving yatzy-forced; the table will be stored\n", ""):
        out = run(*hold)
        assert (out.returncode, out.stderr) == (0, said)
    next(tmp_path.glob("*.npy")).write_bytes(b"")
    out = run(*hold)
    assert (out.returncode, out.stdout, out.stderr.count("\n")) == (1, "", 1)
    assert "rebuild it with: yatzy solve yatzy-forced --force" in out.stderr
    assert run("solve", "yatzy-forced", "--force", *there).returncode == 0
    assert run("verify", "yatzy-forced", *there).returncode == 0


def test_jsonl_answers_each_line_in_order_with_errors_in_line(run: Run, yatzy: Strategy) -> None:
    requests = [
        '{"id": 1, "dice": "33456"}',
        '{"id": 2, "dice": [3, 3, 4, 5], "rolls_left": 1}',
        "not json",
        "[1, 2]",
        '{"id": 3, "query": "score", "dice": [2, 2, 5, 5, 5], "card": {"ones": 3, "chance": 22}}',
        "",
        '{"id": 4, "query": "expect", "rules": "yatzy-forced"}',
        '{"id": 5, "dice": "33456", "colour": "red"}',
        '{"id": 6, "dice": 33456}',
        '{"id": 7, "dice": "33456", "rolls_left": "two"}',
        '{"id": 8, "dice": "33456", "rules": "yatsy"}',
        '{"id": 9, "query": "score", "dice": "33456", "card": {"ones": 1, "1": 1}}',
        '{"id": 10, "query": "fly"}',
        '{"id": 11, "dice": "33456", "card": 5}',
    ]
    out = run("hold", "--jsonl", stdin="\n".join(requests) + "\n")
    assert out.returncode == 0
    answers = [json.loads(line) for line in out.stdout.splitlines()]
    assert [a.get("id") for a in answers] == [1, 2, None, None, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    errors = {a.get("id"): a["error"] for a in answers if "error" in a}
    assert set(errors) == {2, None, 5, 6, 7, 8, 9, 10, 11}
    assert errors[2] == "'3 3 4 5' is 4 dice; yatzy has 5"
    assert errors[5] == "'colour' is not a field of 'hold'"
    assert (answers[0]["best"]["hold"], answers[4]["best"]["category"]) == ([3, 3], "full-house")
    assert answers[5]["rules"] == "yatzy-forced"


def test_jsonl_takes_the_options_where_a_line_is_silent(run: Run, yatzy: Strategy) -> None:
    late = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 p=12 pp=22 3k=18 4k=24 fh=28"

    def answers(command: str, *options: str, lines: list[str]) -> list[dict[str, Any]]:
        return json_lines(run(command, "--jsonl", *options, stdin="\n".join(lines) + "\n"))

    plain = json.loads(run("hold", "33456", "-l", "1", "--card", late, "--goal", "240", "--json").stdout)
    lines = [
        '{"dice": "33456"}',
        '{"dice": "33456", "card": {"ones": 3}, "goal": null}',
        '{"dice": "33456", "opponents": "239"}',
        '{"query": "expect"}',
    ]
    found = answers("hold", "-l", "1", "--card", late, "--goal", "240", lines=lines)
    assert found[0] == plain
    assert found[1]["card"] == {"ones": 3}
    assert "aim" not in found[1]
    assert found[2]["chance"] == plain["chance"]
    assert found[3]["aim"] == {"goal": 240}
    options = ("hold", "--card", late, "--ties", "win")
    (found,) = answers(*options, "--opponents", "239", lines=['{"dice": "33456", "goal": 240}'])
    assert found["aim"] == {"goal": 240}
    (found,) = answers(*options, lines=['{"dice": "33456", "opponents": "240", "rolls_left": 1}'])
    assert found["chance"] == plain["chance"]
    lines = ['{"query": "expect", "rules": "yatzy-forced"}', '{"query": "expect", "spread": false}']
    assert ["distribution" in each for each in answers("expect", "--spread", lines=lines)] == [True, False]
    lines = ['{"query": "expect"}', '{"query": "expect", "spread": true}', '{"dice": "33456"}']
    silent, full, held = answers("hold", lines=lines)
    assert "distribution" not in silent
    assert full["distribution"]["chances"]
    assert held["best"]["hold"] == [3, 3]


def test_no_line_ends_a_process_that_answers_lines(run: Run, yatzy: Strategy) -> None:
    bad = [
        '{"rules": "\\u0000.toml", "dice": "33456"}',
        '{"rules": "\\ud800.toml", "dice": "33456"}',
        '{"dice": "33456", "bonus_points": 100000000000000000000000}',
        '{"dice": "33456", "bonus_points": -5}',
        '{"dice": "33456", "saved": 100000000000000000000000}',
        '{"query": "expect", "games": 100, "seed": 100000000000000000000000}',
        '{"dice": "33456", "rolls_left": -1}',
        '{"dice": "33456", "goal": NaN}',
        '{"dice": "33456", "opponents": [[], null]}',
        '{"dice": "33456", "opponents": ";"}',
        '{"query": ["hold"], "dice": "33456"}',
        '{"dice": "33456", "card": {"\\ud800": 3}}',
        "\x00",
        "[" * 100_000,
        "9" * 5_000,
    ]
    answers = json_lines(run("hold", "--jsonl", stdin="\n".join([*bad, '{"dice": "33456"}']) + "\n"))
    assert ["error" in answer for answer in answers] == [True] * len(bad) + [False]
    assert answers[-1]["best"]["hold"] == [3, 3]


def test_a_bug_is_told_of_and_the_next_line_answered(capsys: pytest.CaptureFixture[str]) -> None:
    from perfect_yatzy.cli.jsonl import answer_lines
    from perfect_yatzy.service.queries import QueryService

    class Broken(QueryService):
        def answer(self, request: dict[str, object]) -> dict[str, object]:
            if request["id"] == 1:
                raise ZeroDivisionError("oh")
            return {"id": request["id"]}

    answer_lines(Broken(), "hold", {}, io.BytesIO(b'{"id": 1}\n{"id": 2}\n'))
    said = capsys.readouterr()
    assert [json.loads(line) for line in said.out.splitlines()] == [
        {"schema": 2, "error": "this is a bug: ZeroDivisionError: oh", "code": "internal-error", "id": 1},
        {"id": 2},
    ]
    assert "Traceback" in said.err


def test_points_beside_the_boxes_are_those_the_card_can_have(run: Run, yatzy: Strategy) -> None:
    """A Yahtzee box of 50 and one box more can have brought one bonus of 100."""
    expect = ("expect", "-r", "yahtzee", "--no-spread", "--json", "-c")
    with_bonus, without = (
        json.loads(run(*expect, "yahtzee=50 aces=3", "--extra", extra).stdout)["expected_final_score"]
        for extra in ("100", "0")
    )
    assert with_bonus == pytest.approx(without + 100)
    assert run(*expect, "yahtzee=0 aces=3", "--extra", "100").returncode == 2


def test_jsonl_answers_before_the_input_ends(yatzy: Strategy) -> None:
    """A co-process: each answer comes while the pipe stays open."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*COMMAND, "hold", "--jsonl"], **pipes) as process:  # type: ignore[call-overload]
        for dice in ("33456", "11111"):
            process.stdin.write(json.dumps({"dice": dice}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["schema"] == 2
        process.stdin.close()
        assert process.wait(10) == 0


def test_rules_commands(run: Run, own: Callable[[str], Path]) -> None:
    assert "yatzy-forced" in run("rules", "list").stdout
    listed_ids = [r["id"] for r in json.loads(run("rules", "list", "--json").stdout)["rules"]]
    assert listed_ids == sorted(listed_ids)
    assert {"yatzy", "yatzy-forced"} <= set(listed_ids)
    shown = run("rules", "show", "yatzy").stdout
    assert "Highest score   374" in shown
    assert "1,430,528 reachable" in shown
    assert max(map(len, shown.splitlines())) <= 80
    checked = run("rules", "check", str(own('extends = "yatzy"\nrolls = 2')))
    assert checked.returncode == 0
    assert checked.stdout.startswith("Own (own) is valid: 15 categories, highest score 374")
    path = own('extends = "yatzy"\nrolls = 0\ndice = "x"')
    checked = run("rules", "check", str(path))
    assert (checked.returncode, checked.stdout) == (2, "")
    assert checked.stderr.splitlines() == [
        f"{path}:4: rolls: is 0; must be a whole number from 1 to 10",
        f"{path}:5: dice: is 'x'; must be a whole number from 1 to 12",
    ]


def test_rules_that_are_too_large_are_listed_shown_and_checked(run: Run, own: Callable[[str], Path]) -> None:
    assert "giant " in run("rules", "list").stdout
    shown = run("rules", "show", "giant")
    assert shown.returncode == 0
    assert "States          too many for an exact solve: giant has 47 categories" in shown.stdout
    assert json.loads(run("rules", "show", "giant", "--json").stdout)["facts"]["maximum"] == 2799
    checked = run("rules", "check", str(own('extends = "giant"')))
    assert checked.returncode == 0
    assert checked.stdout.startswith("Own (own) is valid: 47 categories, highest score 2799\ntoo large for an exact")
    for command in (("hold", "333444555666", "--rules"), ("expect", "--rules"), ("simulate",)):
        refused = run(*command, "giant")
        assert refused.returncode == 2
        assert "giant has 47 categories in free order" in refused.stderr


def test_rules_of_ones_own_can_be_played(run: Run, own: Callable[[str], Path]) -> None:
    out = run("hold", "33456", "--rules", str(own('extends = "yatzy-forced"\nrolls = 2')), "--json")
    assert (out.returncode, json.loads(out.stdout)["rolls"]) == (0, 2)


def test_a_large_table_is_made_on_purpose_only(run: Run, tmp_path: Path) -> None:
    """All goals of Yatzy with saved rolls are 14.6 GB: counted without solving anything."""
    from perfect_yatzy.model.objectives import Goals

    assert Goals(load_rules("yatzy-saved")).solve_cost().bytes == pytest.approx(14.6e9, rel=0.01)
    there = ("yatzy-saved", "--tables", str(tmp_path))
    for command in (
        ["expect", "--goal", "300", "--rules"],
        ["hold", "33456", "--opponents", "300", "--rules"],
        ["simulate", "-p", "goal:300"],
    ):
        out = run(*command, *there)
        assert (out.returncode, out.stdout, out.stderr.count("\n")) == (2, "", 1)
        assert "all goals of yatzy-saved take 14.6 GB and about 4 minutes" in out.stderr
        for way in ("yes", "approximate"):
            assert f"yatzy solve yatzy-saved --what goals --{way}" in out.stderr
    out = run("solve", *there, "--what", "goals")
    assert (out.returncode, out.stdout) == (2, "")
    start = "yatzy: the table of goals of yatzy-saved takes 14.6 GB and about 4 minutes; use --yes"
    assert out.stderr.startswith(start)
    assert [*tmp_path.iterdir()] == []


def test_no_question_starts_a_large_solve(run: Run, own: Callable[[str], Path], tmp_path: Path) -> None:
    """The table of Maxi takes 2.9 GB: every entrance says so with the same words, and none solves it unasked."""
    from perfect_yatzy.model.estimates import rule_set_stats

    words = rule_set_stats(load_rules("maxi")).words
    there = ("--tables", str(tmp_path))
    save = ("--save", str(tmp_path / "game.json"), "--record", str(tmp_path / "games.jsonl"))
    for command in (
        ("hold", "334566", "--rules", "maxi"),
        ("expect", "--rules", "maxi"),
        ("simulate", "maxi"),
        ("puzzle", "maxi"),
        ("guide", "maxi", "-o", "-"),
        ("play", "maxi", *save),
    ):
        out = run(*command, *there)
        assert (out.returncode, out.stdout, out.stderr.count("\n")) == (2, "", 1), command
        assert f"its table takes {words}; first run: yatzy solve maxi --yes" in out.stderr
    for what in ("mean", "variance"):
        out = run("solve", "maxi", "--what", what, *there)
        assert (out.returncode, out.stdout) == (2, "")
        assert out.stderr.startswith(f"yatzy: the table of means of maxi takes {words}; use --yes to solve it")
    line = run("hold", "--jsonl", *there, stdin='{"dice": "334566", "rules": "maxi"}\n').stdout
    assert json.loads(line)["code"] == "too-large"
    assert words in run("rules", "check", str(own('extends = "maxi"'))).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["own.toml"]


def test_python_checks_the_memory_before_a_solve(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No array is allocated; and what is in the store needs no memory to be made."""
    import perfect_yatzy
    from perfect_yatzy.tablebase import memory

    run("solve", "yatzy-forced", "--what", "goals", "--tables", str(tmp_path))
    perfect_yatzy.open_strategy("yatzy-forced", tmp_path)
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 20)
    for call in (
        lambda: perfect_yatzy.solve("maxi"),
        lambda: perfect_yatzy.open_strategy("maxi", tmp_path),
        lambda: perfect_yatzy.reach("maxi", 500, tables=tmp_path),
    ):
        with pytest.raises(perfect_yatzy.RulesError, match=r"needs .* GB of memory and 0\.00 GB are free"):
            call()
    assert 0 < perfect_yatzy.reach("yatzy-forced", 150, tables=tmp_path).value() < 1
    assert perfect_yatzy.open_strategy("yatzy-forced", tmp_path).value() > 150


def test_values_are_completed(run: Run) -> None:
    assert complete(run, "yatzy expect --ties ") == ["loss", "half", "win"]
    assert complete(run, "yatzy simulate --policy g") == ["goal:"]
    assert complete(run, "yatzy hold --card f") == ["fours=", "fives=", "four-of-a-kind=", "full-house="]
    assert complete(run, "yatzy hold --rules yahtzee --card a") == ["aces="]
    assert complete(run, "yatzy hold --card 'fours=4 f") == [
        f"fours=4 {name}=" for name in ("fives", "four-of-a-kind", "full-house")
    ]


def test_odds_of_the_open_categories(run: Run) -> None:
    all_odds = json.loads(run("odds", "33456", "--json").stdout)["categories"]
    some = json.loads(run("odds", "33456", "--json", "--card", "ones=3 chance=22").stdout)["categories"]
    assert some == [entry for entry in all_odds if entry["category"] not in ("ones", "chance")]


def test_numbers_that_json_cannot_repeat_are_refused(run: Run, yatzy: Strategy) -> None:
    ids = ["1e400", '{"x": [-1e999]}', "1e300"]
    lines = "".join(f'{{"id": {each}, "dice": "33456"}}\n' for each in ids)
    out = run("hold", "--jsonl", stdin=lines)
    assert not {"NaN", "Infinity"} & set(re.findall(r"\w+", out.stdout))  # words that are no JSON
    first, second, third = json_lines(out)
    assert first["error"] == "the line is not JSON: 1e400 is too large a number"
    assert second["code"] == "invalid-request"
    assert third["id"] == 1e300


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("hold --jsonl", {2}),
        ("play --no-warn --save {}", {0}),
        ("puzzle", {0}),
        ("tables --remove yatzy", {1, 130}),
        ("hold 33456", {0}),
    ],
)
def test_a_closed_input(yatzy: Strategy, tmp_path: Path, command: str, codes: set[int]) -> None:
    found = shell(f"{shlex.join(COMMAND)} {command.format(tmp_path / 'game.json')} <&-")
    assert "Traceback" not in found.stderr
    assert found.returncode in codes, found
    assert found.stderr.count("\n") <= 1


def test_verify_and_solve(run: Run, yatzy: Strategy) -> None:
    out = run("verify", "--games", "20000", "--json")
    checks = {c["name"]: c["passed"] for c in json.loads(out.stdout)["checks"]}
    assert checks == {"file": True, "equation": True, "published": True, "simulation": True}
    again = run("solve", "yatzy")
    assert (again.returncode, again.stdout[:25]) == (0, "yatzy is already solved: ")


def test_a_wrong_table_does_not_verify(run: Run, tmp_path: Path) -> None:
    """A table whose checksum is right and whose values are not is caught by the equation."""
    from perfect_yatzy.model.objectives import Objective
    from perfect_yatzy.tablebase.backward_induction import solve_layers
    from perfect_yatzy.tablebase.table_writer import TableWriter

    objective = Objective(load_rules("yatzy-forced+threshold-63"))
    writer = TableWriter(tmp_path, objective)
    for layer in solve_layers(objective):
        writer.add(layer.values + 0.001)
    writer.finish(0.0)
    writer.close()
    out = run("verify", "yatzy-forced+threshold-63", "--tables", str(tmp_path))
    assert out.returncode == 1
    assert "WRONG  published" in out.stdout
    assert out.stderr.startswith("yatzy: the table of yatzy-forced+threshold-63 is wrong; rebuild it with")


def test_every_command_is_documented(run: Run) -> None:
    import click
    from perfect_yatzy.cli import COMMANDS, main

    def walk(command: click.Command, path: list[str]) -> None:
        assert command.help or command.get_short_help_str(), path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)
        if isinstance(command, click.Group):
            for name, sub in command.commands.items():
                walk(sub, [*path, name])

    walk(main, ["yatzy"])
    help_text = run("--help").stdout
    assert all(name in help_text for name in COMMANDS)


def test_completion_scripts(run: Run) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_YATZY_COMPLETE" in run("completion", shell).stdout


def test_a_reader_that_leaves_early_gets_no_traceback(yatzy: Strategy) -> None:
    out = shell(f"{sys.executable} -m perfect_yatzy table yatzy --format csv | head -1")
    assert (out.stdout[:5], out.stderr) == ("dice,", "")


def test_a_terminal_gets_bold_and_a_progress_bar_and_no_color_is_respected(tmp_path: Path) -> None:
    def on_terminal(**env: str) -> str:
        master, slave = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", "COLUMNS": "80"}
        command = [*COMMAND, "hold", "33456", "-r", "yatzy-forced", "--tables", str(tmp_path)]
        process = subprocess.Popen(command, stdout=slave, stderr=slave, env=environment | env)
        os.close(slave)
        text = b""
        with contextlib.suppress(OSError):  # the end
            while piece := os.read(master, 4096):
                text += piece
        process.wait()
        os.close(master)
        return text.decode()

    first = on_terminal()
    assert "Solving yatzy-forced" in first
    assert "\x1b[1m" in first
    assert "\x1b[" not in on_terminal(NO_COLOR="1")


def test_rules_are_an_argument_or_an_option(run: Run) -> None:
    for words, preset in (
        (["yatzy-forced"], {}),
        (["--rules", "yatzy-forced"], {}),
        (["-r", "Yatzy-Forced"], {}),
        ([], {"YATZY_RULES": "yatzy-forced"}),
        (["yatzy-forced"], {"YATZY_RULES": "maxi"}),
    ):
        assert "yatzy-forced" in run("solve", *words, **preset).stdout
    twice = run("solve", "yatzy-forced", "--rules", "maxi")
    assert twice.returncode == 2
    assert twice.stderr.startswith("yatzy: two rule sets given: yatzy-forced and --rules maxi")


def test_rules_by_an_option_count_as_given(run: Run, tmp_path: Path) -> None:
    """A saved game of other rules is not gone on with."""
    save = ("--save", str(tmp_path / "game.json"))
    run("play", "yatzy-forced", *save)
    for words in (["yatzy"], ["--rules", "yatzy"]):
        assert run("play", *words, *save).returncode == 2
    assert run("play", *save, YATZY_RULES="yatzy").returncode != 2


@pytest.mark.parametrize(
    ("stream", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "standard output is closed")],
    ids=["full", "closed"],
)
def test_an_output_that_takes_nothing(yatzy: Strategy, stream: str, reason: str) -> None:
    for command in ("hold 33456", "table --what categories"):
        out = shell(f"{sys.executable} -m perfect_yatzy {command} {stream}")
        assert (out.returncode, out.stderr) == (1, f"yatzy: cannot write the answer: {reason}\n")
    assert shell(f"{sys.executable} -m perfect_yatzy hold 33456 2>&-").returncode == 0


def test_an_encoding_without_dice(yatzy: Strategy) -> None:
    line = f"PYTHONIOENCODING=latin-1 {sys.executable} -m perfect_yatzy hold 33456"
    out = shell(line, text=False, encoding="latin-1")
    assert out.returncode == 0
    assert out.stdout.startswith("Hold 3 3 (??), reroll three dice: expected final score 245.75\n")


def test_an_interrupt_while_modules_are_read_is_one_line() -> None:
    program = (
        "import sys\nclass Slow:\n def find_spec(self, name, *rest):\n  if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\nfrom perfect_yatzy.__main__ import run\nrun()"
    )
    out = shell(shlex.join([sys.executable, "-c", program]))
    assert (out.returncode, out.stderr) == (130, "yatzy: interrupted\n")


@pytest.mark.parametrize("width", [60, 80])
def test_rules_are_told_within_the_width_of_the_terminal(run: Run, width: int) -> None:
    for words in (["rules", "list"], ["rules", "show", "yahtzee"], ["rules", "show", "yatzy-forced"]):
        assert max(map(len, run(*words, COLUMNS=str(width)).stdout.splitlines())) <= width


def test_help_says_whole_sentences(run: Run) -> None:
    shown = run("--help", COLUMNS="80").stdout + run("rules", "--help", COLUMNS="80").stdout
    cut = [line.split()[0] for line in shown.splitlines() if line.endswith("...") and line.startswith("  ")]
    assert cut == []


def complete(run: Run, line: str) -> list[str]:
    """What bash offers for the last word of a command line."""
    start, quote, last = line.partition("'")
    words = [*start.split(), last] if quote else line.split(" ")
    out = run(_YATZY_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)).stdout
    return [entry.partition(",")[2] for entry in out.splitlines()]


def test_tables_are_listed_and_removed(run: Run, run_real: Run, tmp_path: Path) -> None:
    there = ("--tables", str(tmp_path))
    assert run("tables", *there).stdout == f"0 tables, 0 B, in {tmp_path}\n"
    run("solve", "yatzy-forced", *there)
    listed = run("tables", *there).stdout
    assert listed.startswith("yatzy-forced-mean  ")
    other = tmp_path / f"yatzy-forced-mean-{'0' * 12}.json"  # another game of the same id
    other.write_text("{}")
    names = [line.split()[0] for line in run("tables", *there).stdout.splitlines()[:-1]]
    assert len({*names}) == 2
    assert other.stem in names
    completed = complete(run, f"yatzy tables --tables {tmp_path} --remove ")
    assert completed == sorted(["yatzy-forced", *names])
    assert run("tables", "--remove", names[0], "--yes", *there).returncode == 0  # by the name in the list
    assert not other.exists()
    assert run("tables", *there).stdout == listed
    valueless = run("tables", "--remove")
    assert (valueless.returncode, valueless.stdout) == (2, "")
    assert valueless.stderr.endswith("(see yatzy tables --help)\n")
    assert json.loads(run("tables", "--json", *there).stdout)["tables"][0]["rules"] == "yatzy-forced"
    assert run("tables", "--remove", "maxi", *there).returncode == 2
    for answer, files in (("n", 2), ("y", 0)):
        run("tables", "--remove", "yatzy-forced", *there, stdin=f"{answer}\n")
        assert len([*tmp_path.iterdir()]) == files
    (tmp_path / "kernels-of-another-version").mkdir()
    cleaned = run_real("tables", "--clean", *there, NUMBA_CACHE_DIR=str(tmp_path))
    assert cleaned.stdout == "Removed 0 leftover files and 1 folders of compiled kernels\n"
    assert len([*tmp_path.glob("kernels-*")]) == 1  # that of this version
