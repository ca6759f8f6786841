"""The command as a stranger meets it: its answers, its streams and its exit codes."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import click
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, load_rules
from perfect_yatzy.cli import COMMANDS, SECTIONS, main
from perfect_yatzy.cli.console import RENAMED_COMMANDS, RENAMED_OPTIONS
from perfect_yatzy.cli.text_width import columns_of
from perfect_yatzy.core.backward_induction import solve_layers
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.tablebase import machine
from perfect_yatzy.tablebase.estimates import rule_set_stats, solve_cost
from perfect_yatzy.tablebase.table_writer import TableWriter
from support.command import Run, printed, refusal
from support.need import need
from support.refusals import load_text, refused
from support.seeds import ring_2

HOLD = "hold 33456"
EXAMPLE = "ones=3 sixes=24 chance=22"
OWN = 'id = "own"\nname = "Own"\n'
COMMAND = f"{sys.executable} -m perfect_yatzy"


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, shell=True, capture_output=True, text=True, check=False)


def test_hold_says_the_answer_first_for_dice_in_any_form(run: Run, yatzy: Strategy) -> None:
    shown = printed(run, "hold", "33456")
    lines = shown.splitlines()
    assert lines[0] == "Hold 3 3 (⚂⚂), reroll three dice: expected final score 245.75"
    assert lines[2].startswith("Roll 1 of 3, two rerolls left")
    assert len([line for line in lines if line.startswith("  ") and "more" not in line]) == 1 + 5
    assert max(map(len, lines)) <= 80
    for dice in (["65433"], ["3 3 4 5 6"], ["3,3,4,5,6"], ["⚂⚂⚃⚄⚅"], [*"33456"]):
        assert run("hold", *dice).stdout == shown
    assert run("hold", "3", "3").stderr == "yatzy: '3 3' is 2 dice; yatzy has 5\n"


def test_score_and_expect(run: Run, yatzy: Strategy) -> None:
    out = run("score", "22555", "--card", "ones=3 chance=22")
    assert out.stdout.startswith("Take Full House for 19: expected final score ")
    hint = "These end the turn; `yatzy hold` says whether to reroll instead."
    assert hint not in out.stdout
    assert hint in run("score", "22555", "--rolls-left", "2").stdout
    answer = json.loads(printed(run, "expect", "--card", EXAMPLE, "--no-spread", "--json"))
    assert answer["expected_final_score"] == pytest.approx(49 + yatzy.value(EXAMPLE), abs=1e-9)
    assert answer["turns_left"] == 12
    played = json.loads(printed(run, "expect", "--games", "2000", "--no-spread", "--json"))[
        "simulation"
    ]
    assert abs(played["mean"] - yatzy.value()) < 5 * played["standard_error"]
    assert run("hold", "66666", "-l", "1").stdout.startswith(
        "Keep all dice and take Yatzy: expected final score "
    )


NOBODY = "is not an opponent; give a final score such as 251, a card, or empty (several: 251; 260)"
NONE_GIVEN = "no opponents given; give a final score such as 251, a card, or empty"
GREEDY = "policy is 'greedy'; must be one of perfect, most-points, prices, hold-rules, hold-rules:5, level:3, safe, bold, win"
GREEDY += ", goal:280, field:9, FILE.json, FILE.npy, FILE.py:NAME, process:COMMAND"
NO_SWITCH = "yatzy has no switch 'x'; its switches: five-is-full-house, four-is-two-pairs, bonus-35, threshold-42, threshold-75, threshold-84"
NO_SWITCH += ", strike-only-if-nothing-fits, upper-first, four-rolls"
LEVELS = "1 beginner, 2 novice, 3 casual, 4 practised, 5 skilled, 6 strong, 7 expert, 8 perfect"
PLAYERS = (
    "a level from 1 (beginner) to 8 (perfect), mean, safe, bold, win or a policy of yatzy evaluate"
)
NO_POINTS = "the bonus points cannot be 50: this card cannot have any"
ONES = "ones cannot hold 99; it can hold 0, 1, 2, 3, 4, 5"
SEEDS = f"is not in the range 0<=x<={2**63 - 1}"
NO_FILE = "No such file or directory"
FORCED = "--rules yatzy-forced"
WRONG = {
    "hold 3345": "'3345' is 4 dice; yatzy has 5",
    "hold 33456 --card oens=3": "unknown category 'oens'; did you mean ones?",
    "hold 33456 --saved 1": "saved rolls: 1 is impossible under yatzy; none exist",
    "expect -r yatzy-saved -c ones=3 --saved 4": "saved rolls: 4 is impossible under yatzy-saved; after 1 turn it is 0 to 2",
    "expect -r yatzy-saved --saved 4": "saved rolls: 4 is impossible under yatzy-saved; after 0 turns it is 0",
    "hold 33456 --rolls-left 0": "0 rolls left: no dice can be held; ask which category with `score`",
    "hold 33456 --rules yatzy+x": NO_SWITCH,
    "hold 33456 --rules none.toml": f"cannot read the rule file none.toml: {NO_FILE}",
    'hold 33456 -c "ones=3 bonus=50"': "unknown category 'bonus'; leave out the upper bonus, which follows from the upper categories",
    "hold 33456 --bonus-points 50": NO_POINTS,
    'expect -r yahtzee -c "yahtzee=50 aces=3" --bonus-points 101': "the bonus points cannot be 101: this card can have 0, 100",
    "hold 33456 --goal 200 --opponent 3": "goal and opponents cannot be combined; give one of them",
    "hold 33456 --ties win": "ties can only be used with opponents",
    "hold 33456 --opponent nobody": f"'nobody' {NOBODY}",
    'hold 33456 --opponent ""': NONE_GIVEN,
    'hold 33456 --opponent "ones=3 extra=50"': NO_POINTS,
    "simulate --positions 9 -o p.xlsx": "p.xlsx must end in .csv, .parquet or .jsonl",
    "simulate --positions 9 -p greedy -o p.csv": GREEDY,
    "simulate --positions 9 -c ones=99 -o p.csv": ONES,
    "simulate --policy greedy": GREEDY,
    "simulate -o games.xlsx": "games.xlsx must end in .csv, .parquet or .jsonl",
    "simulate --card ones=99": ONES,
    "simulate -n 3 --card ones=3 -o p.jsonl": "a .jsonl file takes at most 100,000 games, from the empty card",
    "odds -l 9": "9 rolls left; under yatzy there can be 0 to 2",
    f"evaluate best {FORCED}": GREEDY.replace("greedy", "best"),
    f"evaluate yahtzee {FORCED}": "'yahtzee' is a game, not a policy: give it with --rules",
    f"evaluate club.toml {FORCED}": "'club.toml' is a game, not a policy: give it with --rules",
    f"evaluate missing.npy {FORCED}": f"cannot read missing.npy: {NO_FILE}",
    "hold 33456 --field 9:missing.json": f"cannot read missing.json: {NO_FILE}",
    f"evaluate /no/missing.py:play {FORCED}": f"cannot read /no/missing.py: {NO_FILE}",
    f"evaluate perfect --card ones=99 {FORCED}": ONES,
    f"evaluate level:9 {FORCED}": f"'9' is not a level; the levels: {LEVELS}",
    "play --players 'Ann, ann'": "two players are called ann; give each player a different name",
    "play --players ,": "--players ',' has no names; separate names by commas",
    "play --opponent 12": f"'12' is not a computer player; use {PLAYERS}",
    "rate none.jsonl": f"cannot read none.jsonl: {NO_FILE}",
}
USAGE = {  # behind these messages: where to read more
    "hold 33456 -c ones=3 sixes=24": 'sixes=24 is not a roll; write the card in quotes: --card "ones=3 sixes=24"',
    "hold": "Missing argument 'DICE'",
    "hold 33456 --jsonl": "DICE cannot be used with --jsonl",
    "score --jsonl --json": "--json cannot be used with --jsonl",
    "expect --jsonl --plot x.png": "--plot cannot be used with --jsonl",
    f"expect --games 100 --seed {2**63}": f"Invalid value for '--seed': {2**63} {SEEDS}",
    f"simulate --seed {10**23}": f"Invalid value for '--seed': {10**23} {SEEDS}",
    "learn yatzy -o nowhere/none/sheet.json --seed -1": f"Invalid value for '--seed': -1 {SEEDS}",
    "hold 33456 --digits 9": "--digits can only be used with --exact",
    "tables --verify yatzy --remove yatzy": "--verify and --remove cannot be combined; give one of them",
    "tables --verify yatzy --clean": "--verify and --clean cannot be combined; give one of them",
    "tables --fetch maxi --from . --remove yatzy": "--fetch and --remove cannot be combined; give one of them",
    "expect --seed 3": "--seed can only be used with --games",
    "hold 33456 --goal -1": "Invalid value for '--goal' / '-g': -1 is not in the range 0<=x<=99999",
    "simulate --positions 9": "--positions needs a file; name it with --output",
    "simulate --positions 9 -o p.csv --games 3": "--games cannot be used with --positions",
    "simulate --distinct": "--distinct can only be used with --positions",
    "simulate --positions 0 -o p.csv": "Invalid value for '--positions': 0 is not in the range 1<=x<=10000000",
    "simulate --positions 9 -e 2 -o p.csv": "Invalid value for '--exploration' / '-e': 2.0 is not in the range 0<=x<=1",
    "simulate -n 0": "Invalid value for '--games' / '-n': 0 is not in the range 1<=x<=100000000",
    "hold 33456 --rolls-left many": "Invalid value for '--rolls-left' / '-l': 'many' is not a whole number",
    "hold 33456 --crad x": "No such option '--crad'. (Did you mean one of: '--card', '--saved', '--threads'?)",
    f"evaluate {FORCED}": "give a POLICY or --process",
    f"evaluate perfect --process x {FORCED}": "give a POLICY or --process",
    f"evaluate --process x --opponent perfect {FORCED}": "--process and --opponent cannot be combined; give one of them",
    "solve yatzy --digits 9": "--digits can only be used with --exact",
    "solve yatzy --policy perfect": "--policy can only be used with --two-players",
    "solve yatzy --exact --shards": "--shards cannot be used with --exact",
    "solve yatzy --exact --two-players": "--exact cannot be used with --two-players",
    "solve yatzy --json": "--json can only be used with --estimate",
    "solve yatzy --estimate --approximate": "--estimate cannot be used with --approximate",
    "solve yatzy --estimate --cluster tcp://nowhere:1": "--estimate cannot be used with --cluster",
    "solve yatzy --estimate --workers 2": "--estimate cannot be used with --workers",
    "solve yatzy --threads 2 --workers 1": "--threads cannot be used with --workers",
    "solve yatzy --approximate --workers 1": "--workers cannot be used with --approximate",
    "solve yatzy --workers 300": "Invalid value for '--workers': 300 is not in the range 1<=x<=256",
    "solve yatzy --what variance --approximate": "--what variance cannot be used with --approximate",
    "solve yatzy --what goals --approximate": "--what goals cannot be used with --approximate",
    "solve yatzy --what goals --games 500": "--games can only be used with --approximate",
    "simulate yatzy --games 1 --workers 1 --cluster tcp://127.0.0.1:9": "give --workers or --cluster, not both",
    "solve generala --two-players --workers 2 --policy perfect": "--policy cannot be used with --workers",
    "solve generala --two-players --store --policy perfect": "--policy cannot be used with --store",
    "learn yatzy -o sheet.txt": "sheet.txt must end in .json",
    "guide -o g.docx": "g.docx must end in .txt, .html or .htm",
    "guide --format txt -o h.html": "the suffix of h.html contradicts --format txt",
    "guide -o g.pdf": "a guide cannot be written as PDF; write HTML and print it from a browser",
    "guide --format pdf": "Invalid value for '--format': a guide cannot be written as PDF; write HTML and print it from a browser",
    "table -o y.txt": "y.txt must end in .md, .csv, .json, .html or .parquet",
    "table --format md -o y.csv": "the suffix of y.csv contradicts --format md",
    "tables --remove": "Option '--remove' requires an argument",
    "tables --remove maxi": "there is no table 'maxi'; `yatzy tables` lists all tables",
}
FAILED = {
    "table -o /nowhere/x.md": f"cannot write /nowhere/x.md: {NO_FILE}",
    f"evaluate --process /no/such/program {FORCED}": f"cannot start '/no/such/program': {NO_FILE}",
}


@pytest.mark.usefixtures("yatzy", "forced")
def test_what_cannot_be_done_is_told_in_one_line_with_its_exit_code(run: Run) -> None:
    for line, message in WRONG.items():
        assert refusal(run, *shlex.split(line)) == f"yatzy: {message}\n"
    for line, message in USAGE.items():
        assert (
            refusal(run, *shlex.split(line))
            == f"yatzy: {message} (see yatzy {line.split()[0]} --help)\n"
        )
    for line, message in FAILED.items():
        assert refusal(run, *shlex.split(line), code=1) == f"yatzy: {message}\n"
    assert (
        refusal(run, "hodl", "33456")
        == "yatzy: No such command 'hodl'. Did you mean 'hold'? (see yatzy --help)\n"
    )


def test_a_game_that_is_over(run: Run, yatzy: Strategy) -> None:
    card = " ".join(f"{c.id}=0" for c in yatzy.rules.categories)
    assert (
        refusal(run, "hold", "33456", "--card", card)
        == "yatzy: every category is filled: the game is over\n"
    )
    shown = "Final score 0\n\nYatzy, 0 points: all 15 categories filled\nUpper bonus of 50: out of reach (0 of 63)\n"
    assert run("expect", "--card", card).stdout == shown
    best = "ones=5 twos=10 threes=15 fours=20 fives=25 sixes=30 p=12 pp=22 3k=18 4k=24 ss=15 ls=20 fh=28 c=30 y=50"
    assert run("expect", "--card", best).stdout.startswith("Final score 374\n")
    said = "Final score 374: 100.00 % chance of 374"
    assert run("expect", "--card", best, "--goal", "374").stdout.startswith(said)
    said = "Final score 0: 0.00 % chance of 1"
    assert run("expect", "--card", card, "--goal", "1").stdout.startswith(said)
    beyond = "yatzy: goal is 375; the highest score of yatzy is 374\n"
    assert refusal(run, "expect", "--card", best, "--goal", "375") == beyond


def test_first_use_solves_and_a_damaged_table_is_exit_code_1_with_the_way_out(
    run: Run, tmp_path: Path
) -> None:
    there = ("--tables", str(tmp_path))
    asked = ("hold", "33456", "--rules", "yatzy-forced", *there)
    out = run(*asked)
    assert (out.returncode, out.stderr) == (
        0,
        "yatzy: solving yatzy-forced; the table will be stored\n",
    )
    assert run(*asked).stderr == ""
    next(tmp_path.glob("*.npy")).write_bytes(b"")
    out = run(*asked)
    assert (out.returncode, out.stdout, out.stderr.count("\n")) == (1, "", 1)
    assert "rebuild it with: yatzy solve yatzy-forced --force" in out.stderr
    printed(run, "solve", "yatzy-forced", "--force", *there)
    printed(run, "tables", "--verify", "yatzy-forced", *there)
    proved = run("solve", "yatzy-forced", "--exact", "--digits", "12", *there)
    assert "150.216796511039" in proved.stdout
    assert "every decision in float64 is optimal" in proved.stdout
    for digits, least in (("12", 60), ("90", 90)):
        fields = json.loads(
            printed(run, "solve", "yatzy-forced", "--exact", "--digits", digits, "--json", *there)
        )
        assert len(fields["decimal"].partition(".")[2]) == least


NO_JSON, BUILT_IN = "the line is not JSON: ", "must be built-in rules, or the file"
TOO_MUCH = "100000000000000000000000; must be at most 9223372036854775807"
# line -> its id and what is said of it; without a text it is answered
LINES: dict[str, tuple[object, str]] = {
    '{"id": 1, "dice": "33456"}': (1, ""),
    '{"id": 2, "dice": [3, 3, 4, 5], "rolls_left": 1}': (2, "'3 3 4 5' is 4 dice; yatzy has 5"),
    "not json": (None, NO_JSON),
    "[1, 2]": (None, "the line is not a JSON object"),
    '{"id": 3, "query": "score", "dice": [2, 2, 5, 5, 5], "card": {"ones": 3, "chance": 22}}': (
        3,
        "",
    ),
    '{"id": 4, "query": "expect", "rules": "yatzy-forced"}': (4, ""),
    '{"id": 5, "dice": "33456", "colour": "red"}': (5, "'colour' is not a field of 'hold'"),
    '{"id": 6, "dice": 33456}': (
        6,
        "dice is 33456; must be text such as '12345', or a list of faces",
    ),
    '{"id": 10, "query": "fly"}': (10, "query is 'fly'; must be one of "),
    '{"card": null, "id": 12}': (12, "card is null; must be text"),
    '{"id": 1e300, "dice": "33456"}': (1e300, ""),
    '{"id": 1e400, "dice": "33456"}': (None, f"{NO_JSON}1e400 is too large a number"),
    '{"id": {"x": [-1e999]}, "dice": "33456"}': (None, f"{NO_JSON}-1e999 is too large a number"),
    '{"id": ' + "[" * 900 + "]" * 900 + "}": (None, f"{NO_JSON}it is nested deeper than 64 levels"),
    '{"id": "' + "[{" * 90 + '\\"[", "dice": "33456"}': ("[{" * 90 + '"[', ""),
    '{"id": "' + "a" * 1_048_576 + '"}': (None, "the line is longer than 1048576 bytes"),
    '{"rules": "\\u0000.toml", "dice": "33456"}': (None, f"rules is '\\x00.toml'; {BUILT_IN}"),
    '{"rules": "\\ud800.toml", "dice": "33456"}': (None, f"rules is '\\ud800.toml'; {BUILT_IN}"),
    '{"dice": "33456", "bonus_points": 100000000000000000000000}': (
        None,
        f"bonus_points is {TOO_MUCH}",
    ),
    '{"query": "expect", "games": 100, "seed": 100000000000000000000000}': (
        None,
        f"seed is {TOO_MUCH}",
    ),
    '{"dice": "33456", "goal": NaN}': (None, f"{NO_JSON}NaN is not a number"),
    '{"dice": "33456", "opponents": [[], null]}': (None, "[] is not an opponent"),
    '{"query": ["hold"], "dice": "33456"}': (None, "query is ['hold']; must be one of "),
    "\x00": (None, NO_JSON),
    "[" * 100_000: (None, f"{NO_JSON}it is nested deeper than 64 levels"),
    "9" * 5_000: (None, NO_JSON),
    '{"dice": "33456"}': (None, ""),
}


def test_jsonl_answers_each_line_in_order_with_errors_in_line(
    run: Run, yatzy: Strategy, forced: Strategy
) -> None:
    """No line ends the process; numbers that JSON cannot repeat are refused."""
    out = run("hold", "--jsonl", stdin="\n\n".join(LINES) + "\n")
    assert (out.returncode, out.stderr) == (0, "")
    answers = [json.loads(line, parse_constant=pytest.fail) for line in out.stdout.splitlines()]
    for answer, (name, said) in zip(answers, LINES.values(), strict=True):
        assert answer.get("id") == name
        assert answer["error"].startswith(said) if said else "error" not in answer, answer
    assert answers[0]["best"]["hold"] == answers[-1]["best"]["hold"] == [3, 3]
    assert answers[4]["best"]["category"] == "full-house"
    assert answers[5]["rules"] == "yatzy-forced"


def test_records_and_requests_open_no_files(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    """Whoever writes them chooses no file that is read; the one of --rules is the choice of the
    user.
    """
    own = load_text(tmp_path, 'extends = "yatzy-forced"\n').origin
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    where = ("--tables", str(tmp_path / "tables"))
    for name in (own, str(pipe), f"{own}+switch", "/dev/stdin.toml"):
        line = json.dumps({"dice": "33456", "rules": name}) + "\n"
        (answer,) = map(json.loads, run("hold", "--jsonl", *where, stdin=line).stdout.splitlines())
        assert (answer["code"], answer["field"]) == ("unknown-rules", "rules")
        assert answer["error"].endswith(
            "must be built-in rules, or the file that is given by --rules"
        )
        record = tmp_path / "games.jsonl"
        record.write_text(
            json.dumps({"schema": 2, "rules": name, "players": ["Ann"], "turns": []}) + "\n"
        )
        for command in ("review", "rate"):
            said = run(command, str(record), *where)
            words = " ".join((said.stdout + said.stderr).split())
            assert "must be built-in rules, or the rules themselves: files are not opened" in words
    lines = [
        {"dice": "33456"},
        {"dice": "33456", "rules": own},
        {"dice": "33456", "rules": "yatzy-forced"},
    ]
    found = run(
        "hold", "--jsonl", "--rules", own, *where, stdin="\n".join(map(json.dumps, lines)) + "\n"
    )
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert len({answer["expected_final_score"] for answer in answers}) == 1


def test_jsonl_takes_the_options_where_a_line_is_silent(run: Run, yatzy: Strategy) -> None:
    late = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 p=12 pp=22 3k=18 4k=24 fh=28"

    def answers(command: str, *options: str, lines: list[str]) -> list[dict[str, Any]]:
        out = run(command, "--jsonl", *options, stdin="\n".join(lines) + "\n")
        assert (out.returncode, out.stderr) == (0, "")
        return [json.loads(line) for line in out.stdout.splitlines()]

    plain = json.loads(
        printed(run, "hold", "33456", "-l", "1", "--card", late, "--goal", "240", "--json")
    )
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
    (found[0],) = answers(*options, "--opponent", "239", lines=['{"dice": "33456", "goal": 240}'])
    assert found[0]["aim"] == {"goal": 240}
    (found[0],) = answers(
        *options, lines=['{"dice": "33456", "opponents": "240", "rolls_left": 1}']
    )
    assert found[0]["chance"] == plain["chance"]
    lines = ['{"query": "expect", "rules": "yatzy-forced"}', '{"query": "expect", "spread": false}']
    found = answers("expect", "--spread", lines=lines)
    assert ["distribution" in answer for answer in found] == [True, False]
    spread = '{"query": "expect", "spread": true, "rules": "yatzy-forced"}'
    plain, full, held = answers("hold", lines=['{"query": "expect"}', spread, '{"dice": "33456"}'])
    assert "distribution" not in plain
    assert full["distribution"]["chances"]
    assert held["best"]["hold"] == [3, 3]


def test_points_beside_the_boxes_are_those_the_card_can_have(run: Run, yatzy: Strategy) -> None:
    """A Yahtzee box of 50 and one box more can have brought one bonus of 100."""
    card = "yahtzee=50 aces=3"
    asked = ("expect", "-r", "yahtzee", "-c", card, "--no-spread", "--json", "--bonus-points")
    with_bonus, without = (json.loads(run(*asked, extra).stdout) for extra in ("100", "0"))
    assert with_bonus["expected_final_score"] == pytest.approx(
        without["expected_final_score"] + 100
    )
    assert refusal(
        run, "expect", "-r", "yahtzee", "-c", "yahtzee=0 aces=3", "--bonus-points", "100"
    )


def test_jsonl_answers_before_the_input_ends(yatzy: Strategy) -> None:
    """A co-process: each answer comes while the pipe stays open."""
    command, pipe = [sys.executable, "-m", "perfect_yatzy", "hold", "--jsonl"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        for dice in ("33456", "11111"):
            process.stdin.write(json.dumps({"dice": dice}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["schema"] == 2
        process.stdin.close()
        assert process.wait(10) == 0


def test_rules_commands(run: Run, tmp_path: Path) -> None:
    ids = [r["id"] for r in json.loads(printed(run, "rules", "list", "--json"))["rules"]]
    assert ids == sorted(ids)
    assert {"yatzy", "yatzy-forced"} <= {*ids}
    assert [name for name in ids if f"{name} " not in run("rules", "list").stdout] == []
    shown = run("rules", "show", "yatzy").stdout
    assert "Highest score   374" in shown
    assert "1,430,528 reachable" in shown
    own = tmp_path / "own.toml"
    own.write_text(f'{OWN}extends = "yatzy"\nrolls = 2\n')
    checked = printed(run, "rules", "check", str(own))
    assert checked.startswith("Own (own) is valid: 15 categories, highest score 374")
    own.write_text(f'{OWN}extends = "yatzy"\nrolls = 0\ndice = "x"\n')
    checked = run("rules", "check", str(own))
    assert (checked.returncode, checked.stdout) == (2, "")
    assert checked.stderr.splitlines() == [
        f"{own}:4: rolls: is 0; must be a whole number from 1 to 10",
        f"{own}:5: dice: is 'x'; must be a whole number from 1 to 12",
    ]
    own.write_text(f'{OWN}extends = "yatzy-forced"\nrolls = 2\n')
    assert json.loads(printed(run, "hold", "33456", "--rules", str(own), "--json"))["rolls"] == 2
    shows = (["show", key] for key in ("yahtzee", "yatzy-forced", "yatzy"))
    for width, words in product((60, 80), (["list"], *shows)):
        assert max(map(len, run("rules", *words, COLUMNS=str(width)).stdout.splitlines())) <= width


def test_categories_are_listed_only_on_request_however_few_there_are(
    run: Run, tmp_path: Path
) -> None:
    others = [c.id for c in load_rules("yatzy").categories if c.id not in ("sixes", "chance")]
    load_text(tmp_path, f'extends = "yatzy"\nremove = {json.dumps(others)}\n')
    for name in (str(tmp_path / "own.toml"), "yatzy-forced"):
        asked = "expect", "--rules", name
        shown = run(*asked).stdout
        assert "Percentiles" in shown
        assert "Chance" not in shown
        assert "Chance" in run(*asked, "--all").stdout


def test_rules_that_are_too_large_are_shown_and_checked(run: Run, tmp_path: Path) -> None:
    shown = printed(run, "rules", "show", "giant")
    assert "States          too many for an exact solve: giant has 47 categories" in shown
    assert json.loads(printed(run, "rules", "show", "giant", "--json"))["facts"]["maximum"] == 2799
    checked = printed(run, "rules", "check", load_text(tmp_path, 'extends = "giant"\n').origin)
    assert checked.startswith(
        "Own (own) is valid: 47 categories, highest score 2799\ntoo large for an exact"
    )
    for words in ("hold 333444555666 --rules giant", "expect --rules giant", "simulate giant"):
        assert "giant has 47 categories in free order" in refusal(run, *words.split())


def test_a_large_table_is_made_on_purpose_only(run: Run, tmp_path: Path) -> None:
    """All goals of Yatzy with saved rolls are 14.6 GB: counted without solving anything."""
    assert solve_cost(Goals(load_rules("yatzy-saved"))).bytes == pytest.approx(14.6e9, rel=0.01)
    there = ("--tables", str(tmp_path), "--threads", "2")  # times are for so many threads
    for words in (
        "expect --goal 300 -r yatzy-saved",
        "hold 33456 --opponent 300 -r yatzy-saved",
        "simulate yatzy-saved -p goal:300",
    ):
        said = refusal(run, *words.split(), *there)
        assert "all goals of yatzy-saved take 14.6 GB and about 8 minutes" in said
        assert "yatzy solve yatzy-saved --what goals --yes" in said
        assert (
            "`yatzy expect --games 100000` shows the chance under play for the expected score"
            in said
        )
    solve = ("solve", "yatzy-saved", "--what", "goals")
    assert refusal(run, *solve, *there).startswith(
        "yatzy: the table of goals of yatzy-saved takes 14.6 GB and about 8 minutes; use --yes"
    )
    assert [*tmp_path.iterdir()] == []


def test_no_question_starts_a_large_solve(run: Run, tmp_path: Path) -> None:
    """The table of Maxi takes 2.9 GB: every entrance says so with the same words, and none
    solves it unasked.
    """
    words = rule_set_stats(load_rules("maxi")).words(2)
    there = ("--tables", str(tmp_path))
    files = f"--save {tmp_path / 'game.json'} --record {tmp_path / 'games.jsonl'}"
    for threads, command in product(
        (1, 2),
        (
            "hold 334566 --rules maxi",
            "expect --rules maxi",
            "simulate maxi",
            "puzzle maxi",
            "guide maxi -o -",
            f"play maxi {files}",
        ),
    ):
        said = refusal(run, *command.split(), *there, "--threads", str(threads))
        takes = rule_set_stats(load_rules("maxi")).words(threads)
        assert f"its table takes {takes}; first run: yatzy solve maxi --yes" in said
    for what in ("mean", "variance"):
        said = refusal(run, "solve", "maxi", "--what", what, "--threads", "2", *there)
        assert said.startswith(
            f"yatzy: the table of means of maxi takes {words}; use --yes to solve it"
        )
    line = run("hold", "--jsonl", *there, stdin='{"dice": "334566", "rules": "maxi"}\n').stdout
    assert json.loads(line)["code"] == "too-large"
    assert words in run("rules", "check", load_text(tmp_path, 'extends = "maxi"\n').origin).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["own.toml"]


def test_python_checks_the_memory_before_a_solve(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No array is allocated; and what is in the store needs no memory to be made."""
    run("solve", "yatzy-forced", "--what", "goals", "--tables", str(tmp_path))
    perfect_yatzy.open_strategy("yatzy-forced", tmp_path)
    monkeypatch.setattr(machine, "available_memory", lambda: 1 << 20)
    text, error = r"needs .* GB of memory and 0\.00 GB are free", perfect_yatzy.RulesError
    refused(text, perfect_yatzy.solve, "maxi", error=error)
    refused(text, perfect_yatzy.open_strategy, "maxi", tmp_path, error=error)
    refused(text, lambda: perfect_yatzy.reach("maxi", 500, tables=tmp_path), error=error)
    assert 0 < perfect_yatzy.reach("yatzy-forced", 150, tables=tmp_path).value() < 1
    assert perfect_yatzy.open_strategy("yatzy-forced", tmp_path).value() > 150


def complete(run: Run, line: str) -> list[str]:
    """What bash offers for the last word of a command line."""
    words = (
        line.replace("'", "").split(" ")
        if "'" not in line
        else [*line.split("'")[0].split(), line.split("'")[1]]
    )
    out = run(
        _YATZY_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)
    ).stdout
    return [entry.partition(",")[2] for entry in out.splitlines()]


def test_odds_of_the_open_categories(run: Run) -> None:
    asked = ("odds", "33456", "--json", "--card")
    every, some = (
        json.loads(printed(run, *asked, card))["categories"] for card in ("", "ones=3 chance=22")
    )
    assert some == [entry for entry in every if entry["category"] not in ("ones", "chance")]


CLOSED = {
    "hold --jsonl": {2},
    "play --no-warn": {0},
    "puzzle": {0},
    "tables --remove yatzy": {1, 130},
    HOLD: {0},
}


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        case if case[0] in ("hold --jsonl", "play --no-warn") else ring_2(*case)
        for case in CLOSED.items()
    ],
)
def test_a_closed_input(yatzy: Strategy, tmp_path: Path, command: str, codes: set[int]) -> None:
    files = f"--save {tmp_path / 'game.json'}" if command.startswith("play") else ""
    found = shell(f"{COMMAND} {command} {files} <&-")
    assert "Traceback" not in found.stderr
    assert found.returncode in codes, found
    assert found.stderr.count("\n") <= 1


def test_a_table_verifies_and_a_wrong_one_does_not(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    """One whose checksum is right and whose values are not is caught by the equation."""
    out = run("tables", "--verify", "yatzy", "--games", "5000", "--json")
    checks = {c["name"]: c["passed"] for c in json.loads(out.stdout)["checks"]}
    assert checks == {"file": True, "equation": True, "published": True, "simulation": True}
    assert printed(run, "solve", "yatzy").startswith("yatzy is already solved: ")
    rules = load_rules("yatzy-forced+threshold-63")
    writer = TableWriter(tmp_path, Objective(rules))
    for layer in solve_layers(Objective(rules)):
        writer.add(layer.values + 0.001)
    writer.finish(0.0)
    writer.close()
    out = run("tables", "--verify", "yatzy-forced+threshold-63", "--tables", str(tmp_path))
    assert out.returncode == 1
    assert "WRONG  published" in out.stdout
    assert out.stderr.startswith(
        "yatzy: the table of yatzy-forced+threshold-63 is wrong; rebuild it with"
    )


def test_old_names_answer_with_the_new_one_in_one_line(run: Run) -> None:
    """What they name is there: a command with its option, and for an option one of the same
    command.
    """
    listed = "".join(run(*words, "--help", COLUMNS="80").stdout for words in ((), ("hold",)))
    for old, (_yatzy, *words, option) in RENAMED_COMMANDS.items():
        new = " ".join((_yatzy, *words, option))
        assert refusal(run, old, "yatzy") == f"yatzy: {old} is called {new} now\n"
        assert f"\n  {old} " not in listed
        assert option in run(*words, "--help").stdout
    for old, (new,) in RENAMED_OPTIONS.items():
        command = "evaluate" if old == "--against" else "hold"
        assert refusal(run, command, old, "1") == f"yatzy: {old} is called {new} now\n"
        shown = run(command, "--help").stdout.split()
        assert new in shown
        assert old not in shown


def test_the_help_has_at_most_19_commands_in_three_sections(run: Run) -> None:
    """Each command is listed once, and each common option is described once, in the first help."""
    assert len(COMMANDS) == len({*COMMANDS}) <= 19
    shown = run("--help", COLUMNS="80").stdout
    sections = [line for line in shown.splitlines() if line.endswith(":") and line[0] != " "]
    assert sections[1:4] == [f"{title}:" for title in SECTIONS]
    for option in main.common_options:
        described = " ".join(str(option.help).split())
        assert " ".join(shown.split()).count(described) == 1
        for _name, command in every_command()[1:]:
            words = " ".join(command.get_help(click.Context(command)).split())
            assert f"{described} " not in words


def test_help_names_every_command_in_whole_sentences_and_values_are_completed(run: Run) -> None:
    shown = run("--help", COLUMNS="80").stdout + run("rules", "--help", COLUMNS="80").stdout
    assert all(name in shown for name in COMMANDS)
    assert [
        line for line in shown.splitlines() if line.endswith("...") and line.startswith("  ")
    ] == []
    for name in ("bash", "zsh", "fish"):
        assert "_YATZY_COMPLETE" in run("--completion", name).stdout
    assert complete(run, "yatzy expect --ties ") == ["loss", "half", "win"]
    assert complete(run, "yatzy simulate --policy g") == ["goal:"]
    assert complete(run, "yatzy hold --card f") == [
        "fours=",
        "fives=",
        "four-of-a-kind=",
        "full-house=",
    ]
    assert complete(run, "yatzy hold --rules yahtzee --card a") == ["aces="]
    names = ("fives", "four-of-a-kind", "full-house")
    assert complete(run, "yatzy hold --card 'fours=4 f") == [f"fours=4 {name}=" for name in names]


def on_terminal(*words: str, **env: str) -> str:
    """What the command prints to a terminal."""
    main, side = need("pty").openpty()
    environment = (
        {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        | {"TERM": "xterm", "COLUMNS": "80"}
        | env
    )
    text = b""
    with subprocess.Popen([*COMMAND.split(), *words], stdout=side, stderr=side, env=environment):
        os.close(side)
        with contextlib.suppress(OSError):
            while piece := os.read(main, 4096):
                text += piece
    os.close(main)
    return text.decode()


def test_a_terminal_gets_bold_and_a_progress_bar_and_no_color_is_respected(tmp_path: Path) -> None:
    words = ("hold", "33456", "-r", "yatzy-forced", "--tables", str(tmp_path))
    first = on_terminal(*words)
    assert "Solving yatzy-forced" in first
    assert "\x1b[1m" in first
    assert "\x1b[" not in on_terminal(*words, NO_COLOR="1")


def test_tables_bars_and_sentences_fit_a_narrow_terminal(run: Run, yatzy: Strategy) -> None:
    """With all numbers, and each in its column. A bar is as long as there is room."""
    width = 45
    late = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 chance=22"
    for line in (
        f"hold 33456 --card '{late}' --goal 240",
        "hold 33456 --lang de",
        "score 22555 --lang ja",
        "odds 33456",
        "expect",
        "evaluate perfect --rules yatzy-forced",
        "simulate yatzy-forced --games 2",
        "tables --verify yatzy",
    ):
        words = shlex.split(line)
        text = on_terminal(*words, COLUMNS=str(width)).replace("\r\n", "\n")
        text = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", text)
        assert max(map(columns_of, re.split("[\r\n]", text))) <= width, line
        shown = re.sub(".*\r.*\n", "", text)  # without progress
        found, whole = (
            "".join(re.sub("[▏▎▍▌▋▊▉█]", "", each).split())
            for each in (shown, printed(run, *words))
        )
        assert found == whole
    table = on_terminal(*shlex.split(f"hold 33456 --card '{late}' --goal 240"), COLUMNS="45")
    rows = [row for row in table.splitlines() if row.startswith("  ") and "%" in row]
    assert len({row.rindex("%") for row in rows}) == 1


def test_rules_are_an_argument_or_an_option(run: Run) -> None:
    for words, environment in (
        (["yatzy-forced"], ""),
        (["--rules", "yatzy-forced"], ""),
        (["-r", "Yatzy-Forced"], ""),
        ([], "yatzy-forced"),
        (["yatzy-forced"], "maxi"),
    ):
        assert "yatzy-forced" in run("solve", *words, YATZY_RULES=environment).stdout
    twice = refusal(run, "solve", "yatzy-forced", "--rules", "maxi")
    assert twice.startswith("yatzy: two rule sets given: yatzy-forced and --rules maxi")


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (">/dev/full", "yatzy: cannot write the answer: No space left on device\n"),
        (">&-", "yatzy: cannot write the answer: standard output is closed\n"),
    ],
)
def test_an_output_that_takes_nothing(yatzy: Strategy, stream: str, message: str) -> None:
    for command in ("hold 33456", "table --what categories"):
        out = shell(f"{COMMAND} {command} {stream}")
        assert (out.returncode, out.stderr) == (1, message)
    assert shell(f"{COMMAND} hold 33456 2>&-").returncode == 0


def test_a_reader_that_leaves_early_and_an_encoding_without_dice(yatzy: Strategy) -> None:
    out = shell(f"{COMMAND} table yatzy --format csv | head -1")
    assert (out.stdout[:5], out.stderr) == ("dice,", "")
    out = shell(f"PYTHONIOENCODING=latin-1 {COMMAND} hold 33456 | head -1")
    assert (out.stdout, out.stderr) == (
        "Hold 3 3 (??), reroll three dice: expected final score 245.75\n",
        "",
    )


def test_an_interrupt_while_modules_are_read_is_one_line() -> None:
    program = (
        "import sys\nclass Slow:\n def find_spec(self, name, *rest):\n  if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\nfrom perfect_yatzy.__main__ import run\nrun()"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (out.returncode, out.stderr) == (130, "yatzy: interrupted\n")


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
    assert f"yatzy-forced-mean-{'0' * 12}" in names
    line = f"yatzy tables --tables {tmp_path} --remove "
    assert complete(run, line) == sorted(["yatzy-forced", *names])
    # by the name in the list
    assert run("tables", "--remove", names[0], "--yes", *there).returncode == 0
    assert not other.exists()
    assert run("tables", *there).stdout == listed
    assert (
        json.loads(run("tables", "--json", *there).stdout)["tables"][0]["rules"] == "yatzy-forced"
    )
    run("tables", "--remove", "yatzy-forced", *there, stdin="n\n")
    assert len([*tmp_path.iterdir()]) == 2
    run("tables", "--remove", "yatzy-forced", *there, stdin="y\n")
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "kernels-of-another-version").mkdir()
    cleaned = run_real("tables", "--clean", *there, NUMBA_CACHE_DIR=str(tmp_path))
    assert cleaned.stdout == "Removed 0 leftover files and 1 old files of compiled kernels\n"
    assert len([*tmp_path.glob("kernels-*")]) == 1  # that of this version


def every_command() -> list[tuple[str, click.Command]]:
    """All commands by the words that call them."""
    context, found = click.Context(main), [("", main)]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {inner}", each) for inner, each in command.commands.items()]
    return found


def test_no_option_of_any_command_drops_a_value() -> None:
    """Every option is given twice with different values: it keeps both, joins them, or is
    refused by name.
    """
    kinds: set[str] = set()
    refusals: list[tuple[str, str]] = []
    for _name, command in every_command():
        context = click.Context(command)
        for option in command.get_params(context):
            if not isinstance(option, click.Option) or option.is_flag or "--help" in option.opts:
                continue
            words = [
                word for value in ("A", "B") for word in (option.opts[-1], *[value] * option.nargs)
            ]
            try:
                values, _rest, _order = command.make_parser(context).parse_args(words)
            except click.UsageError as error:
                kinds.add("refused")
                refusals.append((max(option.opts, key=len), error.message))
            else:
                kinds.add("kept" if option.multiple else "joined")
                value = values[option.name]
                assert len(value) == 2 if option.multiple else value in ("A B", "A; B")
            # the same value again drops nothing
            command.make_parser(context).parse_args([option.opts[-1], *["A"] * option.nargs] * 2)
    assert kinds == {"kept", "joined", "refused"}
    assert all(text.startswith(f"{option} is given twice: ") for option, text in refusals)


def test_a_long_option_with_one_dash_is_refused_by_its_name(run: Run) -> None:
    """Else ``-rolls-left 1`` would be the rules ``olls-left``."""
    for name, command in every_command():
        context = click.Context(command)
        for option in command.get_params(context):
            if not isinstance(option, click.Option) or isinstance(command, click.Group):
                continue
            for long in (text for text in option.opts if text.startswith("--")):
                for word in (long[1:], f"{long[1:]}=1"):
                    said = refusal(run, *name.split(), word)
                    assert f"No such option {long[1:]!r}. Did you mean {long!r}?" in said


def test_a_repeated_option_is_joined_or_refused(run: Run, yatzy: Strategy) -> None:
    both = json.loads(run("hold", "33456", "-c", "sixes=24", "-c", "ones=3", "--json").stdout)
    assert both["card"] == {"ones": 3, "sixes": 24}
    assert refusal(run, "hold", "33456", "-r", "yatzy", "--rules", "maxi") == (
        "yatzy: --rules is given twice: yatzy and maxi (see yatzy hold --help)\n"
    )
    assert refusal(run, "hold", "33456", "-c", "ones=3", "-c", "ones=4").startswith("yatzy: ")
    assert refusal(run, "--lang", "sv", "rules", "list", "--lang", "da").startswith("yatzy: --lang")
    assert run("--lang", "sv", "rules", "list", "--lang", "sv").returncode == 0


def test_hold_and_score_say_why(run: Run, yatzy: Strategy) -> None:
    """The figures are those of the JSON answer."""
    words = " ".join(run("hold", "33456", "--explain").stdout.split())
    answer = json.loads(run("hold", "33456", "--explain", "--json").stdout)
    best, other = (entry["outlook"] for entry in answer["holds"][:2])
    (threes,) = (chance for name, chance, _ in best["categories"] if name == "threes")
    (less,) = (chance for name, chance, _ in other["categories"] if name == "threes")
    ends = f"Ends in Threes in {threes:.0%} of turns, with 5 6 only in {less:.0%}.".replace(
        "%", " %"
    )
    chances = best["bonus_chance"], other["bonus_chance"]
    bonus = "The upper bonus is reached in {:.0%} of games, with 5 6 in {:.0%}.".format(*chances)
    assert f"{ends} {bonus.replace('%', ' %')}" in words
    assert "Ends in" not in run("hold", "33456").stdout
    score = run("score", "22255", "--explain", "--lang", "de").stdout
    assert "Full House" in score
    assert run(
        "score",
        "11111",
        "--card",
        "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 two-pairs=18 "
        "three-of-a-kind=18 four-of-a-kind=0 small-straight=0 large-straight=20 full-house=0 chance=20",
        "--explain",
    ).stdout  # one option
