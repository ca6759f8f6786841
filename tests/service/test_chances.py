"""Chances of all commands lie within 0 and 1, and best play is never below play for the mean, for
any number of dice.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.cli.views.wording import chance_text
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.rules import Bonus
from perfect_yatzy.game.maximum_score import maximum_score
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.words import language_scope
from support import games
from support.chances import chances
from support.command import Run, printed
from support.seeds import ring_2

RULES = """
id = "dice-{dice}"
name = "Dice"
dice = {dice}
faces = 6
rolls = 3
bonus = {{ threshold = {threshold}, points = 5 }}
[[categories]]
id = "fives"
name = "Fives"
upper = true
pattern = "face"
face = 5
[[categories]]
id = "sixes"
name = "Sixes"
upper = true
pattern = "face"
face = 6
[[categories]]
id = "chance"
name = "Chance"
pattern = "any"
"""


@pytest.mark.parametrize("dice", [1, 8, *map(ring_2, (2, 3, 4, 5, 6, 7, 9, 10, 11, 12))])
def test_chances_of_all_commands(
    dice: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    rules = tmp_path / "dice.toml"
    rules.write_text(RULES.format(dice=dice, threshold=3 * dice))
    most = maximum_score(load_rules(rules))
    of_rules = ("-r", str(rules), "--json")
    roll = " ".join(str(1 + i % 6) for i in range(dice))
    aims = [(), ("--opponent", "empty"), ("--opponent", str(12 * dice), "--ties", "half")]
    aims += [("--goal", str(goal)) for goal in range(1, most + 1, max(2, 2 * dice))]
    questions: list[tuple[str, ...]] = [("odds",), ("odds", roll)]
    for aim in aims:
        questions += [("expect", *aim), ("hold", roll, *aim), ("score", roll, *aim)]
    questions += [
        ("expect", "--games", "100"),
        ("simulate", "--games", "100"),
        ("evaluate", "level:3", "--opponent", "perfect"),
        ("solve", "--two-players", "--policy", "perfect"),
        ("solve", "--two-players"),
    ]
    answers = [(question, json.loads(printed(run, *question, *of_rules))) for question in questions]
    service = QueryService(tmp_path, 1)
    for query in ("hold", "score"):
        for aim in ({}, {"goal": 9 * dice}):
            asked = {"query": query, "rules": str(rules), "dice": roll, "explain": True, **aim}
            answers.append((("explained", query), service.answer(asked)))
    late = {"query": "hold", "rules": str(rules), "dice": roll, "explain": True}
    for card in ({"fives": 0}, {"fives": 0, "sixes": 0}, {"chance": dice, "sixes": 0}):
        answer = service.answer(late | {"card": card})
        outlooks = [each["outlook"] for each in answer["holds"] if "outlook" in each]
        # a turn ends in one category for sure, or nearly
        ends = [chance for found in outlooks for _, chance, _ in found["categories"]]
        answers.append((("ends", str(card)), {"chances": ends}))
    seen = 0
    for question, answer in answers:
        for chance in chances(answer):
            assert 0 <= chance <= 1, (question, chance)
            seen += 1
        if "chance_by_mean_play" in answer:
            assert answer["chance"] >= answer["chance_by_mean_play"], question
    assert seen > 100


@pytest.mark.full
@pytest.mark.parametrize("dice", range(1, 13))
def test_a_table_of_goals_has_no_chance_above_1(dice: int) -> None:
    """In float32 the weights of the rolls of 8 dice add up to less than 1, those of 11 to more."""
    rules = games.small(games.face(6), games.CHANCE, dice=dice, bonus=Bonus(3 * dice, 5))
    objective = Goals(rules)
    values = np.asarray(solve_objective(objective))
    assert values.min() >= 0
    assert values.max() <= 1
    start = objective.space.unchecked_index(objective.space.start)
    certain = values[objective.score_offsets.origin[start] - dice]  # the least that chance pays
    assert certain == 1.0


def test_tiny_chances_in_every_language() -> None:
    said = {}
    for code in ("en", "da", "de", "fi", "ja", "ko", "nb", "sv"):
        with language_scope(code):
            said[code] = chance_text(1 / 2.77e14), chance_text(1e-9), chance_text(4e-7)
    assert said == {
        "en": ("1 in 277 trillion", "1 in 1 billion", "1 in 2.5 million"),
        "da": ("1 ud af 277 billioner", "1 ud af 1 milliard", "1 ud af 2,5 millioner"),
        "de": ("1 zu 277 Billionen", "1 zu 1 Milliarde", "1 zu 2,5 Millionen"),
        "fi": ("1 : 277 biljoonaa", "1 : 1 miljardi", "1 : 2,5 miljoonaa"),
        "ja": ("277兆分の1", "10億分の1", "250万分の1"),
        "ko": ("277조분의 1", "10억분의 1", "250만분의 1"),
        "nb": ("1 av 277 billioner", "1 av 1 milliard", "1 av 2,5 millioner"),
        "sv": ("1 på 277 biljoner", "1 på 1 miljard", "1 på 2,5 miljoner"),
    }
