"""The benchmark of agents: what it asks, how it reads answers, and what it measures."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from support.need import need

need("gymnasium")

from perfect_yatzy import load_rules
from perfect_yatzy.rl import YatzyEnv
from perfect_yatzy.rl.benchmark import (
    Score,
    policy_agent,
    program_agent,
    prompt,
    read_answer,
    run,
    table_lines,
    table_row,
)

SMALL = """
id = "small"
name = "Small"
dice = 2
faces = 4
rolls = 3

[[categories]]
id = "chance"
name = "Chance"
pattern = "any"

[[categories]]
id = "pair"
name = "Pair"
pattern = "groups"
groups = [2]
points = 9

[[categories]]
id = "fours"
name = "Fours"
pattern = "face"
face = 4
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    (tmp_path / "small.toml").write_text(SMALL)
    return str(tmp_path / "small.toml")


def test_perfect_play_loses_nothing_and_random_play_does(small: str) -> None:
    perfect = run(lambda name: policy_agent("perfect", load_rules(name)), [small], 12, 3)
    random = run(lambda name: policy_agent("random", load_rules(name)), [small], 12, 3)
    asked, played = perfect
    assert asked.decisions == asked.best == 12
    assert played.game_regrets == [pytest.approx(0)] * 3
    assert sum(map(sum, asked.regrets.values())) == pytest.approx(0)
    assert sum(map(sum, random[0].regrets.values())) > 1
    assert all(lost > 0 for lost in random[1].game_regrets)
    again = run(lambda name: policy_agent("random", load_rules(name)), [small], 12, 3)
    assert again == random
    lines = table_lines([table_row("perfect", *perfect), table_row("random", *random)])
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert lines[2].startswith("| perfect | 0.00 | 0.00 |")


def test_the_regret_of_a_game_is_that_of_its_decisions(small: str) -> None:
    """The score is the value of the game, plus luck, less the regret: all from the oracle alone."""
    _asked, played = run(lambda name: policy_agent("random", load_rules(name)), [small], 0, 5)
    total = sum(map(sum, played.regrets.values()))
    assert total == pytest.approx(sum(played.game_regrets))


def test_answers_are_read_from_their_last_line(small: str) -> None:
    env = YatzyEnv(small, oracle=True)
    env.reset(seed=1)
    dice = list(env.position.dice)
    for text, meaning in (
        (f"I think so.\nhold {dice[0]}", [dice[0]]),
        ("hold none", []),
        ("take pair\n\nHOLD: none.", []),
        ("`take pair`", "pair"),
        ("Take Pair.", "pair"),
    ):
        assert read_answer(env, text) == env.action(meaning), text
    for text in ("", "pair", "take nothing", "hold 9", "hold 1 1 1 1 1"):
        assert read_answer(env, text) is None, text
    asked = prompt(env.position)
    for words in ("chance: any dice", "pair: 2 equal: 9 points; open", " ".join(map(str, dice))):
        assert words in asked


def test_a_program_is_asked_by_its_standard_input(small: str, tmp_path: Path) -> None:
    """It takes the first open box of the prompt; what it cannot answer costs the most."""
    program = tmp_path / "first.py"
    program.write_text(
        "import sys\n"
        "boxes = [line[2:] for line in sys.stdin if line.startswith('- ')]\n"
        "print('take', next(box.split()[0].strip(':') for box in boxes if box.strip().endswith('open')))\n"
    )
    asked, played = run(lambda _rules: program_agent(f"{sys.executable} {program}"), [small], 2, 2)
    assert asked.illegal + played.illegal == 0
    assert played.decisions == 6, "a box each turn"

    not_utf_8 = "import sys; sys.stdout.buffer.write(bytes([255]))"
    for code in ("pass", not_utf_8):
        silent = program_agent(shlex.join([sys.executable, "-c", code]))
        asked, _played = run(lambda _rules, agent=silent: agent, [small], 3, 0)
        assert asked.illegal == 3
    slow = program_agent(f"{sys.executable} -c 'import time; time.sleep(60)'", 0.2)
    env = YatzyEnv(small, oracle=True)
    env.reset(seed=1)
    assert slow(env) is None
    values = env.action_values()
    worst = float(values.max() - values[np.isfinite(values)].min())
    score = Score()
    from perfect_yatzy.rl.benchmark import decide

    _action, lost = decide(env, slow, score)
    assert lost == pytest.approx(worst)
    assert score.illegal == 1
