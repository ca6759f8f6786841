"""Records, reviews and puzzles: the identity of luck and errors, outlooks, rejected records,
which of several.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import IO

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import (
    Choice,
    Hold,
    RulesError,
    Scorecard,
    StateError,
    Strategy,
    distribution,
    parse_card,
    rate,
)
from perfect_yatzy._files import open_output
from perfect_yatzy.cli.views.review_text import find_answer, grade_word, review_lines, signed
from perfect_yatzy.core.backward_induction import solve_objective
from perfect_yatzy.core.objectives import Objective
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import Bonus, Category, Column, RuleSet
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules, rules_from_json, rules_to_json
from perfect_yatzy.game.translations import localized
from perfect_yatzy.objectives.policy_quantities import BonusChance
from perfect_yatzy.play.puzzle import DIFFICULTIES, Puzzle, find_puzzle
from perfect_yatzy.play.record import Game, check_writable, read_game, read_games, write_games
from perfect_yatzy.play.review import Review, action_outlook, outcomes_of_hold, review
from perfect_yatzy.play.session import SaveFile, Session
from perfect_yatzy.policies.strategy_sheet import bonus_features, pars
from perfect_yatzy.service.reviews import review_json
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.score_distribution import least_score
from perfect_yatzy.strategy.simulation import simulate
from perfect_yatzy.tablebase import store
from support.command import Run, printed, refusal
from support.games import CHANCE, face, small
from support.human import human, replay
from support.refusals import load_text, refused
from support.seeds import in_rings, ring_2, ring_3

MANY = {
    "yatzy": 300,
    "yahtzee": 200,
    "yahtzee-free-joker": 150,
    "generala": 150,
    "yatzy-saved": 200,
}


@pytest.mark.parametrize(
    ("key", "games"),
    [
        ("yatzy", 5),
        ("yahtzee", 3),
        ("generala", 3),
        ("yatzy-forced", 3),
        ring_2("maxi-forced", 2),
        ring_2("yatzy-saved", 3),
        *(ring_3(key, games) for key, games in MANY.items()),
    ],
)
def test_result_is_start_plus_luck_minus_errors(key: str, games: int) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    for seed in range(games):
        errs = seed % 5 < 4  # every fifth is a simulated game
        played = human(strategy, seed) if errs else replay(strategy, 5, seed)
        game = read_game(json.loads(json.dumps(played.to_json())))
        found = review(strategy, game)
        assert found.finished
        assert found.result == game.card(0).score
        assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)
        assert found.points_lost > 0 if errs else found.points_lost < 1e-6
        assert all(d.loss >= 0 for d in found.decisions)
        assert found.counts().keys() == {"best", "tied", "inaccuracy", "mistake", "blunder"}
        assert sum(found.counts().values()) == len(found.decisions)
        check_decisions(strategy, game, found)


def check_decisions(strategy: Strategy, game: Game, found: Review) -> None:
    """One decision per roll, with the action that was played and the loss that single queries
    give.
    """
    played = iter(found.decisions)
    for card, turn in game.cards(0):
        for i, dice in enumerate(turn.dice_history):
            decision, left = next(played), strategy.max_rerolls(card.state) - i
            assert (decision.roll, decision.dice, decision.rolls_left) == (i + 1, dice, left)
            choices = strategy.categories(card, dice, left)
            holds = strategy.holds(card, dice, left) if left else []
            best = max(action.value for action in (*choices, *holds))
            if i < len(turn.holds):
                assert isinstance(decision.done, Hold)
                assert decision.done.dice == turn.holds[i]
                value_done = next(hold.value for hold in holds if hold.dice == turn.holds[i])
            else:
                assert isinstance(decision.done, Choice)
                assert (decision.done.category, decision.done.points) == (
                    turn.category,
                    turn.points,
                )
                value_done = next(
                    choice.value for choice in choices if choice.category == turn.category
                )
            assert decision.loss == pytest.approx(best - value_done, abs=2e-9)
            assert decision.best.loss == 0
            assert not isinstance(decision.best, Hold) or decision.best.category is None
    assert next(played, None) is None


def test_a_category_with_rerolls_left_is_one_decision(yatzy: Strategy) -> None:
    turn = {
        "player": 0,
        "rolls": [[3, 3, 4, 5, 6]],
        "holds": [],
        "category": "chance",
        "points": 21,
    }
    game = read_game(GOOD | {"turns": [turn]})
    found = review(yatzy, game)
    (decision,) = found.decisions
    loss = yatzy.holds("", "33456")[0].value - (21 + yatzy.value("chance=21"))
    assert found.points_lost == pytest.approx(loss, abs=1e-9)
    assert not found.finished  # the result is the expected score
    assert found.result == pytest.approx(found.start + found.luck - found.points_lost, abs=1e-9)
    outlook = action_outlook(yatzy, decision, decision.done)
    text = "\n".join(review_lines(game.rules, found, [(decision, outlook, outlook)]))
    assert "Turn 1, roll 1, 3 3 4 5 6: Chance for 21 (blunder, lost " in text
    assert "best: hold 3 3" in text
    assert "all dice" not in text
    (entry,) = review_json(found)["decisions"]
    assert entry["done"].items() >= {"category": "chance", "points": 21, "bonus_points": 0}.items()
    assert entry["best"].items() >= {"hold": [3, 3], "category": None}.items()


def test_words_of_the_identity() -> None:
    assert [signed(0.759), signed(-0.759), signed(-0.001), signed(0.0)] == [
        "+ 0.76",
        "- 0.76",
        "+ 0.00",
        "+ 0.00",
    ]
    words = ("best", "tied", "inaccuracy", "mistake", "blunder")
    assert [grade_word(name, 1) for name in words] == [*words]
    assert [grade_word(name, 2) for name in words] == [
        "best",
        "tied",
        "inaccuracies",
        "mistakes",
        "blunders",
    ]


def test_the_outlook_of_an_action_adds_up_to_its_value(forced: Strategy) -> None:
    chances = solve_objective(BonusChance(forced.rules, forced.values))

    def bonus(state: perfect_yatzy.State) -> float:
        return float(chances[forced.space.index(state)])

    assert bonus(perfect_yatzy.State()) == pytest.approx(
        distribution(forced).upper_bonus_chance, abs=1e-9
    )
    for decision in sorted(review(forced, human(forced, 3)).decisions, key=lambda d: -d.loss)[:6]:
        open_boxes = {
            c.id for i, c in enumerate(forced.rules.categories) if i not in decision.card.points
        }
        for action in (decision.done, decision.best):
            what = action_outlook(forced, decision, action, bonus)
            assert what.turn_points + what.later_points == pytest.approx(action.value, abs=1e-9)
            assert sum(chance for _, chance, _ in what.categories) == pytest.approx(1)
            assert -1e-9 <= what.upper_bonus_chance <= 1 + 1e-9
            assert {c for c, _, _ in what.categories} <= open_boxes
    saved = perfect_yatzy.open_strategy("maxi-forced")  # stopping early saves rolls
    stops = [
        d
        for d in review(saved, human(saved, 1)).decisions
        if d.rolls_left and isinstance(d.done, Choice)
    ]
    assert stops
    for decision in stops:
        what = action_outlook(saved, decision, decision.done)
        assert what.turn_points + what.later_points == pytest.approx(decision.done.value, abs=1e-9)


@pytest.mark.parametrize("key", ["yahtzee", ring_2("yatzy-saved"), "generala"])
def test_outcomes_of_a_hold_have_its_value_as_mean(key: str) -> None:
    strategy = perfect_yatzy.open_strategy(key)
    card = Scorecard(strategy.rules, {strategy.rules.joker_index: 50} if key == "yahtzee" else {})
    dice = (3, 3, 3, 5, 6)
    for left in range(1, strategy.max_rerolls(card.state) + 1):
        for hold in strategy.holds(card, dice, left)[:4]:
            if hold.category is None:
                ends = outcomes_of_hold(strategy.evaluator, card.state, hold.dice, left)
                later = [strategy.value(e.next_state(strategy.evaluator, card.state)) for e in ends]
                means = [
                    e.chance * (e.points + e.bonus_points + v)
                    for e, v in zip(ends, later, strict=True)
                ]
                assert sum(means) == pytest.approx(hold.value, abs=1e-9)


GOOD = {
    "schema": 1,
    "rules": "yatzy",
    "players": ["Ann"],
    "note": "kept",
    "turns": [
        {
            "player": 0,
            "rolls": [[1, 3, 3, 4, 6], [3, 3, 3, 5, 6]],
            "holds": [[3, 3]],
            "category": "threes",
            "points": 9,
        }
    ],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 3}, "the schema is 3, not 1 or 2"),
        ({"rules": "yatzi"}, "unknown rules 'yatzi'; did you mean yatzy?"),
        ({"rules": 3}, "rules is 3; must be text"),
        ({"rules": {"id": "x", "dice": "5"}}, "rules: dice: is '5'; must be a whole number"),
        ({"rules": {"active": 3}}, "rules: active: must be a list"),
        (
            {"rules": "mine.toml+two"},
            "rules is 'mine.toml+two'; must be built-in rules, or the rules themselves: files are not opened",
        ),
        ({"players": ["\ud800"]}, "'\\ud800' is not a valid player name"),
        ({"players": ["Ann\x1b[2J"]}, "'Ann\\x1b[2J' is not a valid player name"),
        ({"players": []}, "players is empty"),
        ({"turns": {}}, "turns is {}; must be a list"),
        ({"turns": [{}]}, "turn 1: player is null; must be a whole number"),
        ({"category": "sevens"}, "turn 1: unknown category 'sevens'"),
        ({"points": 12}, "turn 1: threes for 12; 3 3 3 5 6 pays 9"),
        ({"player": 1}, "turn 1: player is 1; there are 1"),
        ({"holds": [[3, 4]]}, "turn 1: 3 4 was held, which is not within 3 3 3 5 6"),
        ({"holds": []}, "turn 1: 0 holds between 2 rolls"),
        ({"holds": [[1, 3, 3, 4, 6]]}, "turn 1: all dice were held and none rerolled"),
        ({"rolls": [[1, 3, 3, 4]], "holds": []}, "turn 1: '1 3 3 4' is 4 dice; yatzy has 5"),
        ({"rolls": []}, "turn 1: 0 rolls; a turn from here has 1 to 3"),
        ({"rolls": "12345"}, "turn 1: rolls is '12345'; must be a list"),
        ({"rolls": [["1"]]}, "turn 1: rolls must be lists of faces"),
    ],
)
def test_wrong_records_are_rejected_with_the_reason(
    change: dict[str, object], message: str
) -> None:
    raw = json.loads(json.dumps(GOOD))
    for name, value in change.items():
        (raw if name in raw else raw["turns"][0])[name] = value
    refused(f"^{re.escape(message)}", read_game, raw, error=(StateError, perfect_yatzy.RulesError))


def test_bonus_points_of_schema_1_are_read(tmp_path: Path) -> None:
    """They were called `beside`: 100 for a second Yahtzee, which as a joker goes to the matching
    upper box.
    """
    turns = [
        {"player": 0, "rolls": [[5] * 5], "holds": [], "category": "yahtzee", "points": 50},
        {
            "player": 0,
            "rolls": [[4] * 5],
            "holds": [],
            "category": "fours",
            "points": 20,
            "beside": 100,
        },
    ]
    game = read_game({"schema": 1, "rules": "yahtzee", "players": ["Ann"], "turns": turns})
    assert [turn.bonus_points for turn in game.turns] == [0, 100]
    assert game.card(0).total == 170
    written = game.to_json()
    assert (written["schema"], written["turns"][1]["bonus_points"]) == (2, 100)
    assert "beside" not in written["turns"][1]
    assert read_game(written) == game
    (skipped,) = rate(game).skipped
    assert skipped.fault == "unfinished"
    taken = {turn["category"] for turn in turns}
    boxes = [
        {name: turn[name] for name in turn if name not in ("rolls", "holds")} for turn in turns
    ]
    boxes += [{"category": c.id, "points": 0} for c in game.rules.categories if c.id not in taken]
    record = tmp_path / "boxes.jsonl"
    record.write_text(
        json.dumps({"schema": 1, "rules": "yahtzee", "players": ["Ann"], "turns": boxes})
    )
    assert rate(record).results_only["yahtzee", "Ann"].tolist() == [170]


def test_records_are_written_and_read(yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [read_game(GOOD), replay(yatzy, 1, 0)]
    write_games(path, games[:1])
    write_games(path, games[1:])
    assert read_games(path) == games
    assert games[0].extra == {"note": "kept"}
    path.write_text(path.read_text().rstrip())  # an editor may remove the last line break
    write_games(path, games[:1])
    assert read_games(path) == [*games, games[0]]
    path.write_text(json.dumps(GOOD | {"note": "\u2028"}, ensure_ascii=False) + "\r\n")
    assert read_games(path)[0].extra == {"note": "\u2028"}
    refused(
        "is not a valid player name", read_game, GOOD | {"players": ["Ann\u2028"], "note": "\x85"}
    )
    none = r"contains no games|is not a record of games \(JSON Lines"
    for text, message in (
        ('id = "one"\n', none),
        ("", none),
        ("[" * 10**5, none),
        ("\x00", none),
        ('{"schema": 1, "actions": []}', "this is an unfinished game saved by `yatzy play`"),
        (json.dumps(GOOD) + "\n{\n", r"games.jsonl:2: "),
        ("\n", "contains no games"),
    ):
        path.write_text(text)
        refused(message, read_games, path)
    refused("cannot read", read_games, tmp_path / "none.jsonl")


def test_a_failed_write_leaves_the_record_unchanged(yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_games(path, [read_game(GOOD)])
    before = path.read_bytes()

    def games(error: BaseException) -> Iterator[Game]:
        yield from [read_game(GOOD)] * 100
        raise error

    with pytest.raises(OSError, match="No space"):
        write_games(path, games(OSError(28, "No space left on device")))
    with pytest.raises(RuntimeError, match="no more games"):
        write_games(path, games(RuntimeError("no more games")))
    assert path.read_bytes() == before
    check_writable(path)
    check_writable(tmp_path / "other")
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]
    with pytest.raises(OSError, match="No such file"):
        check_writable(tmp_path / "none" / "games.jsonl")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_record_unchanged(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All bytes have been written when the error comes. A new file is removed."""
    path = tmp_path / "games.jsonl"
    write_games(path, [read_game(GOOD)])
    path.write_bytes(before := path.read_bytes().rstrip())  # the last line break is missing

    @contextmanager
    def failing(name: Path, **options: bool) -> Iterator[IO[bytes]]:
        with open_output(name, **options) as file:
            yield file
        assert name.stat().st_size > len(before)
        raise error

    monkeypatch.setattr("perfect_yatzy.play.record.open_output", failing)
    for file in (path, tmp_path / "new.jsonl"):
        with pytest.raises(type(error)):
            write_games(file, [read_game(GOOD)] * 2)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


OWN = """
extends = "yatzy-forced"
first_roll_bonus = { full-house = 7 }
joker = { category = "ones", bonus = 3, mode = "none" }
bonus = { points = 36 }
categories.full-house.name = "Fat House"
switches.two = { summary = "two rolls", rolls = 2 }
"""


def test_a_record_needs_no_other_file(run: Run, tmp_path: Path) -> None:
    file, path = tmp_path / "own.toml", tmp_path / "sent" / "games.jsonl"
    path.parent.mkdir()
    for rules in (load_text(tmp_path, OWN), load_text(tmp_path, OWN, switches="+two")):
        game = human(perfect_yatzy.open_strategy(rules), 1)
        write_games(path, [game])
        again = read_games(path)[-1]
        assert (again.rules.fingerprint, again.rules.key, again.turns) == (
            rules.fingerprint,
            rules.key,
            game.turns,
        )
        assert again.rules.categories == rules.categories
        assert rules_to_json(again.rules) == rules_to_json(rules)
    file.unlink()
    found = printed(run, "review", str(path), "--game", "2", "--from", "0")
    assert found.startswith("Ann: ")
    assert "Fat House" in found


@pytest.mark.parametrize("key", builtin_ids())
def test_rules_are_written_as_a_name_or_as_an_object(key: str) -> None:
    rules = load_rules(key)
    assert rules_to_json(rules) == rules_to_json(localized(rules, "sv")) == key
    # Not built-in rules, although they have the id of some.
    other = replace(rules, rolls_per_turn=rules.rolls_per_turn % 10 + 1)
    again = rules_from_json(json.loads(json.dumps(rules_to_json(other))))
    assert (again.canonical(), again.categories) == (other.canonical(), other.categories)


def test_the_command_reviews(run: Run, forced: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_games(path, [human(forced, 3)])
    found = printed(run, "review", str(path))
    assert found.startswith("Ann: ")
    assert "upper bonus" in found
    assert "points this turn" in found
    assert max(map(len, found.splitlines())) <= 80
    answer = json.loads(run("review", str(path), "--json", "--player", "ann").stdout)["reviews"][0]
    assert answer["result"] == pytest.approx(
        answer["start"] + answer["luck"] - answer["points_lost"]
    )
    for option, message in (
        ("--player=Cy", "no player 'Cy'"),
        ("--game=3", "has one game; there is no game 3"),
    ):
        assert message in refusal(run, "review", str(path), option)


def test_simulate_writes_records(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    printed(run, "simulate", "-n", "3", "--seed", "8", "-o", str(path))
    assert [g.card(0).score for g in read_games(path)] == simulate(
        yatzy, 3, seed=8
    ).final_scores.tolist()
    wrong = run("simulate", "-n", "100001", "-o", str(path), "--force")
    assert "at most 100,000 games, from the empty card" in wrong.stderr


def test_review_rejects_wrong_arguments(yatzy: Strategy) -> None:
    game, other = replay(yatzy, 1, 0), perfect_yatzy.open_strategy("generala")
    for strategy, player, message in (
        (game, 0, "strategy is .*; must be one of perfect_yatzy.open_strategy, reach or maximise"),
        ("yatzy", 0, "strategy is 'yatzy'; must be"),
        (other, 0, "the game was played by yatzy, but the strategy is for generala"),
        (yatzy, 1, "player is 1; must be 0 to 0"),
        (yatzy, -1, "player is -1; must be 0 to 0"),
        (yatzy, "Ann", "player is 'Ann'; must be a whole number"),
    ):
        refused(message, review, strategy, game, player)


@pytest.fixture(scope="module")
def three_games(forced: Strategy, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    games = [
        replace(human(forced, seed), players=(name,))
        for seed, name in enumerate(("Ann", "Bo", "Cy"))
    ]
    write_games(path, games)
    return str(path)


@pytest.mark.parametrize(
    ("words", "name", "number"),
    [
        ([], "Cy", 3),
        (["--game", "1"], "Ann", 1),
        (["--game", "2"], "Bo", 2),
        (["--game", "3"], "Cy", 3),
    ],
    ids=["the last", "first", "second", "third"],
)
def test_the_game_a_review_shows(
    words: list[str], name: str, number: int, three_games: str, run: Run
) -> None:
    found = json.loads(run("review", three_games, *words, "--json").stdout)
    assert (found["game"], [graded["player"] for graded in found["reviews"]]) == (number, [name])
    assert run("review", three_games, *words, "--from", "999").stdout.startswith(f"{name}: ")
    game = read_games(three_games)[number - 1]
    assert found["reviews"][0]["decisions"][0]["dice"] == list(game.turns[0].dice_history[0])


def test_review_shows_all_players_or_the_one_that_is_named(
    three_games: str, run: Run, tmp_path: Path
) -> None:
    path = str(tmp_path / "games.jsonl")
    first, second, _ = read_games(three_games)
    pairs = zip(first.turns, second.turns, strict=True)
    turns = tuple(
        replace(turn, player=player) for pair in pairs for player, turn in enumerate(pair)
    )
    write_games(path, [replace(first, players=("Ann", "Bo"), turns=turns)])
    for words, names in (
        ([], ["Ann", "Bo"]),
        (["--player", "bo"], ["Bo"]),
        (["--player", "1"], ["Ann"]),
    ):
        found = json.loads(printed(run, "review", path, *words, "--json"))
        assert [graded["player"] for graded in found["reviews"]] == names


BOX = '[[categories]]\nid = "{}"\nname = "{}"\npattern = {}\n'
EQUAL_BOXES = "dice = 4\n" + BOX.format("four", "Four", '"groups"\ngroups = [4]')
EQUAL_BOXES += "".join(
    BOX.format(name.lower(), name, '"any"\nrequires = "four"') for name in ("Second", "Third")
)
# All options are worth 0 once Four is crossed out: most dice first, then the higher faces.
IN_ORDER = [
    *["2346", "346", "246", "236", "234", "46", "36", "34", "26", "24", "23", "6", "4", "3", "2"],
    "",
]


def test_equal_holds_and_categories_are_in_one_order_everywhere(run: Run, tmp_path: Path) -> None:
    rules = load_text(tmp_path, EQUAL_BOXES)
    strategy = perfect_yatzy.open_strategy(rules)
    assert [
        "".join(map(str, hold.dice)) for hold in strategy.holds("four=0", "2346", 2)
    ] == IN_ORDER
    asked = ("--rules", rules.origin, "--card", "four=0")
    answer = json.loads(run("hold", "2346", *asked, "--json").stdout)
    assert ["".join(map(str, hold["hold"])) for hold in answer["holds"]] == IN_ORDER
    assert answer["best"] == answer["holds"][0]
    assert (answer["best"]["category"], {hold["loss"] for hold in answer["holds"]}) == (
        "second",
        {0.0},
    )
    shown = run("hold", "2346", *asked, "--all").stdout.splitlines()
    listed = [line.split("  ")[1].replace(" ", "") for line in shown if line.startswith("  ")][1:]
    assert listed == ["alldice,takeSecond", *IN_ORDER[1:-1], "nothing"]
    goal = json.loads(run("hold", "2346", *asked, "--goal", "0", "--json").stdout)
    assert [hold["hold"] for hold in goal["holds"]] == [hold["hold"] for hold in answer["holds"]]
    actions = strategy.ranking("four=0", (2, 3, 4, 6), 2)
    names = [
        getattr(action, "category", None) or "".join(map(str, action.dice)) for action in actions
    ]  # type: ignore[union-attr]
    assert names == ["second", "third", *IN_ORDER[1:]]
    assert [choice.category for choice in strategy.categories("four=0", "2346")] == [
        "second",
        "third",
    ]
    for words in ((), ("--goal", "0"), ("--opponent", "5")):
        answer = json.loads(run("score", "2346", *asked, *words, "--json").stdout)
        assert [entry["category"] for entry in answer["categories"]] == ["second", "third"]


def in_column(box: Category, number: int, column: str) -> Category:
    patterns = (replace(box.patterns[0], factor=1 + 2 * number),)
    return replace(box, id=f"{box.id}.{column}", column=number, row=box.id, patterns=patterns)


COLUMNS = [
    in_column(box, *column)
    for column in enumerate(("down", "up"))
    for box in (face(5), face(6), CHANCE)
]
SHEET = small(
    *COLUMNS, bonus=Bonus(11, 7), columns=(Column("down", "Down"), Column("up", "Up", factor=3))
)


@pytest.mark.parametrize(
    "rules", [SHEET, *map(load_rules, ("triple-yahtzee", "yatzy"))], ids=lambda rules: rules.key
)
def test_par_is_the_threshold_of_each_column_shared_out(rules: RuleSet) -> None:
    found = pars(rules)
    for number, bonus in enumerate(rules.bonuses):
        boxes = [c for c, box in enumerate(rules.categories) if box.upper and box.column == number]
        faces = [rules.categories[c].face for c in boxes]
        expected = [
            Fraction(bonus.threshold * (one or 0), sum(filter(None, faces))) for one in faces
        ]
        assert [found[c] for c in boxes] == pytest.approx([float(par) for par in expected])
        assert sum(found[c] for c in boxes) == pytest.approx(bonus.threshold)
    assert all(found[c] == 0 for c, box in enumerate(rules.categories) if not box.upper)


def test_points_above_par_are_added_up_over_the_columns() -> None:
    """Par of Fives and Sixes is 5 and 6 in the first column, 15 and 18 in the second, whose
    points count three times.
    """
    assert pars(SHEET) == (5, 6, 0, 15, 18, 0)
    sums = perfect_yatzy.core.scoring.upper_sums(SHEET)

    def features(first: int, second: int, filled: int) -> list[float]:
        return bonus_features(SHEET, filled, np.array([sums.join((first, second))]))[0].tolist()

    fives = 0b001001
    for asked, found in (
        ((0, 0, 0), [0, 0, 0]),
        ((10, 15, fives), [0, 0, 5]),
        ((5, 30, fives), [0, 0, 15]),
        ((0, 30, fives), [0, 0, -5 + 15]),
        ((10, 33, fives | 0b010000), [0, 1, 5]),
        ((0, 0, fives | 0b010010), [2, 0, 0]),
    ):
        assert features(*asked) == found


def test_the_least_score_counts_what_every_roll_pays() -> None:
    """A box that requires another may be closed, so it counts nothing; one that pays 3 more pays
    at least 5.
    """
    sure = Category("sure", "Sure", (Pattern("any", plus=3),))
    if_paid = Category("more", "More", (Pattern("any", plus=3),), requires="face-6")
    rules = small(face(6), sure, if_paid)
    free = replace(rules, categories=(*rules.categories[:2], replace(if_paid, requires="")))
    for points, least in (
        ({}, 5),
        ({0: 12}, 17),
        ({1: 9}, 9),
        ({0: 12, 1: 9}, 21),
        ({0: 0, 1: 9, 2: 8}, 17),
    ):
        assert least_score(Scorecard(rules, points)) == least, points
        assert least_score(Scorecard(free, points)) == least + (0 if 2 in points else 5)
    yatzy = load_rules("yatzy")
    assert least_score(Scorecard(yatzy)) == 5  # chance
    assert (
        least_score(parse_card(yatzy, "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"))
        == 63 + 50 + 5
    )


SMALL = small(face(5), face(6), CHANCE, bonus=Bonus(16, 7))


@pytest.mark.parametrize("umask", [0o077, 0o022, 0o000], ids=oct)
def test_written_files_have_the_permissions_that_the_umask_leaves(
    umask: int, tmp_path: Path, run: Run
) -> None:
    before = os.umask(umask)
    try:
        store.solve_to_store(Settings(tmp_path / "tables"), Objective(SMALL))
        SaveFile(tmp_path / "game.json").write(Session(SMALL, ("Ann",), 5))
        printed(run, "simulate", "yatzy-forced", "-n", "2", "-o", str(tmp_path / "games.jsonl"))
    finally:
        os.umask(before)
    files = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and path.suffix in (".json", ".jsonl", ".npy")
    ]
    assert sorted(path.suffix for path in files) == [".json", ".json", ".jsonl", ".npy"]
    assert {oct(path.stat().st_mode & 0o7777) for path in files} == {oct(0o666 & ~umask)}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_puzzle_has_its_difficulty_and_depends_on_the_seed_only(
    yatzy: Strategy, difficulty: str
) -> None:
    low, high = DIFFICULTIES[difficulty]
    for seed in range(in_rings(2, 5)):
        found = find_puzzle(yatzy, seed, difficulty)
        assert low <= found.gap(yatzy) < high
        assert found == find_puzzle(yatzy, seed, difficulty)


def test_puzzles_that_cannot_be_found_are_refused(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perfect_yatzy.play.puzzle.MAX_GAMES", 0)
    refused(
        "found no hard position for yatzy in 0 games",
        find_puzzle,
        yatzy,
        1,
        "hard",
        error=RulesError,
    )
    refused("difficulty is 'x'; must be one of easy, medium, hard", find_puzzle, yatzy, 1, "x")
    refused("seed is 'one'; must be a whole number", find_puzzle, yatzy, "one")


def test_the_puzzle_command(run: Run, yatzy: Strategy) -> None:
    day = ("puzzle", "--date", "2026-11-20", "-d", "hard")
    assert json.loads(run(*day, "--json").stdout)["options"][0]["loss"] == 0
    shown = run(*day, "--solution").stdout
    assert shown.splitlines()[-5].endswith("0.00")
    asked = run(*day, stdin="7\nnonsense\nnone\n")
    assert "7 is not within 1 2 3 4 4" in asked.stdout
    assert "unknown category 'nonsense'" in asked.stdout
    assert max(map(len, asked.stdout.splitlines())) <= 80
    assert "Hold nothing: inaccuracy, loses 0.38" in asked.stdout
    for leaving in ("quit\n", ""):
        left = printed(run, *day, stdin=leaving)
        assert left.startswith("Puzzle of 2026-11-20, hard\n")
        assert "loses" in left
        assert left.rstrip().endswith(shown.splitlines()[-1].strip())  # the solution
    for asking in ("?", "help", ""):
        assert "hold these dice and reroll" in run(*day, stdin=f"{asking}\nquit\n").stdout
    assert max(map(len, shown.splitlines())) <= 80


def test_a_drill_repeats_the_mistakes_of_a_record(
    run: Run, yatzy: Strategy, tmp_path: Path
) -> None:
    write_games(path := tmp_path / "games.jsonl", [human(yatzy, 2)])
    found = printed(run, "review", str(path), "--drill", "--from", "3", stdin="quit\n")
    assert "decisions to repeat" in found
    assert "take which category? (help) quit" in found.lower()


def test_a_puzzle_accepts_holds_and_categories(yatzy: Strategy) -> None:
    """All that can be done is asked for: stopping early is graded by what it loses against the
    best hold.
    """
    position = Puzzle(Scorecard(yatzy.rules), (3, 3, 4, 5, 6), 2)
    options, holds = position.options(yatzy), yatzy.holds("", (3, 3, 4, 5, 6))
    stops = {choice.category: choice.value for choice in yatzy.categories("", (3, 3, 4, 5, 6), 2)}
    for text, category in (
        ("Chance", "chance"),
        ("take chance for 21", "chance"),
        ("yatzy 0", "yatzy"),
    ):
        answer = find_answer(yatzy.rules, position, options, text)
        assert answer.category == category
        assert answer.loss == pytest.approx(holds[0].value - stops[category], abs=1e-9)
    for hold in holds:
        if hold.category is None:
            found = find_answer(
                yatzy.rules, position, options, "".join(map(str, hold.dice)) or "none"
            )
            assert found.loss == pytest.approx(hold.loss, abs=1e-9)
    for text, message in (
        ("all", "nothing to reroll"),
        ("chance 20", "chance pays 21 for these dice, not 20"),
    ):
        refused(message, find_answer, yatzy.rules, position, options, text)
