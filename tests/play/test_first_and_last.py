"""Which of several: the game a review shows, equal options, columns; puzzles; and the permissions of files."""

import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Choice, RulesError, Scorecard, Strategy, load_rules, parse_card
from perfect_yatzy.cli.views.review import find_answer
from perfect_yatzy.game.patterns import Pattern
from perfect_yatzy.game.rules import Bonus, Category, Column, RuleSet
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.play.puzzle import DIFFICULTIES, Puzzle, find_puzzle
from perfect_yatzy.play.record import read_games, write_games
from perfect_yatzy.play.session import SaveFile, Session
from perfect_yatzy.policies.strategy_sheet import bonus_features, pars
from perfect_yatzy.strategy.score_distribution import least_score
from perfect_yatzy.tablebase import store
from support.command import Run, printed
from support.games import CHANCE, face, small
from support.human import human
from support.refusals import load_text, refused


@pytest.fixture(scope="module")
def three_games(forced: Strategy, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    games = [replace(human(forced, seed), players=(name,)) for seed, name in enumerate(("Ann", "Bo", "Cy"))]
    write_games(path, games)
    return str(path)


@pytest.mark.parametrize(
    ("words", "name", "number"),
    [([], "Cy", 3), (["--game", "1"], "Ann", 1), (["--game", "2"], "Bo", 2), (["--game", "3"], "Cy", 3)],
    ids=["the last", "first", "second", "third"],
)
def test_the_game_a_review_shows(words: list[str], name: str, number: int, three_games: str, run: Run) -> None:
    found = json.loads(run("review", three_games, *words, "--json").stdout)
    assert (found["game"], [graded["player"] for graded in found["reviews"]]) == (number, [name])
    shown = run("review", three_games, *words, "--from", "999").stdout
    assert shown.startswith(f"{name}: ")
    game = read_games(three_games)[number - 1]
    assert found["reviews"][0]["decisions"][0]["dice"] == list(game.turns[0].dice_history[0])


def test_review_shows_all_players_or_the_one_that_is_named(three_games: str, run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "games.jsonl")
    first, second, _ = read_games(three_games)
    pairs = zip(first.turns, second.turns, strict=True)
    turns = tuple(replace(turn, player=player) for pair in pairs for player, turn in enumerate(pair))
    write_games(path, [replace(first, players=("Ann", "Bo"), turns=turns)])
    for words, names in (([], ["Ann", "Bo"]), (["--player", "bo"], ["Bo"]), (["--player", "1"], ["Ann"])):
        found = json.loads(printed(run, "review", path, *words, "--json"))
        assert [graded["player"] for graded in found["reviews"]] == names


BOX = '[[categories]]\nid = "{}"\nname = "{}"\npattern = {}\n'
OWN = "dice = 4\n" + BOX.format("four", "Four", '"groups"\ngroups = [4]')
OWN += "".join(BOX.format(name.lower(), name, '"any"\nrequires = "four"') for name in ("Second", "Third"))
# All options are worth 0 once Four is crossed out: most dice first, then the higher faces.
IN_ORDER = [*["2346", "346", "246", "236", "234", "46", "36", "34", "26", "24", "23", "6", "4", "3", "2"], ""]


@pytest.fixture(scope="module")
def own_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(load_text(tmp_path_factory.mktemp("rules"), OWN).origin)


def test_equal_holds_are_in_one_order_everywhere(own_rules: Path, run: Run) -> None:
    strategy = perfect_yatzy.open_strategy(own_rules)
    holds = ["".join(map(str, hold.dice)) for hold in strategy.holds("four=0", "2346", 2)]
    assert holds == IN_ORDER
    asked = ("--rules", str(own_rules), "--card", "four=0")
    answer = json.loads(run("hold", "2346", *asked, "--json").stdout)
    assert ["".join(map(str, hold["hold"])) for hold in answer["holds"]] == IN_ORDER
    assert answer["best"] == answer["holds"][0]
    assert (answer["best"]["category"], {hold["loss"] for hold in answer["holds"]}) == ("second", {0.0})
    shown = run("hold", "2346", *asked, "--all").stdout.splitlines()
    listed = [line.split("  ")[1].replace(" ", "") for line in shown if line.startswith("  ")][1:]
    assert listed == ["alldice,takeSecond", *IN_ORDER[1:-1], "nothing"]
    goal = json.loads(run("hold", "2346", *asked, "--goal", "0", "--json").stdout)
    assert [hold["hold"] for hold in goal["holds"]] == [hold["hold"] for hold in answer["holds"]]
    actions = strategy.ranking("four=0", (2, 3, 4, 6), 2)
    names = [getattr(action, "category", None) or "".join(map(str, action.dice)) for action in actions]  # type: ignore[union-attr]
    assert names == ["second", "third", *IN_ORDER[1:]]


def test_of_equal_categories_the_first_of_the_sheet_comes_first(own_rules: Path, run: Run) -> None:
    strategy = perfect_yatzy.open_strategy(own_rules)
    assert [choice.category for choice in strategy.categories("four=0", "2346")] == ["second", "third"]
    asked = ("--rules", str(own_rules), "--card", "four=0")
    for words in ((), ("--goal", "0"), ("--opponents", "5")):
        answer = json.loads(run("score", "2346", *asked, *words, "--json").stdout)
        assert [entry["category"] for entry in answer["categories"]] == ["second", "third"]


def in_column(box: Category, number: int, column: str) -> Category:
    patterns = (replace(box.patterns[0], factor=1 + 2 * number),)
    return replace(box, id=f"{box.id}.{column}", column=number, row=box.id, patterns=patterns)


COLUMNS = [in_column(box, *column) for column in enumerate(("down", "up")) for box in (face(5), face(6), CHANCE)]
SHEET = small(*COLUMNS, bonus=Bonus(11, 7), columns=(Column("down", "Down"), Column("up", "Up", factor=3)))


@pytest.mark.parametrize(
    "rules", [SHEET, load_rules("triple-yahtzee"), load_rules("yatzy")], ids=lambda rules: rules.key
)
def test_par_is_the_threshold_of_each_column_shared_out(rules: RuleSet) -> None:
    found = pars(rules)
    for number, bonus in enumerate(rules.bonuses):
        boxes = [c for c, box in enumerate(rules.categories) if box.upper and box.column == number]
        faces = [rules.categories[c].face for c in boxes]
        expected = [Fraction(bonus.threshold * (one or 0), sum(filter(None, faces))) for one in faces]
        assert [found[c] for c in boxes] == pytest.approx([float(par) for par in expected])
        assert sum(found[c] for c in boxes) == pytest.approx(bonus.threshold)
    assert all(found[c] == 0 for c, box in enumerate(rules.categories) if not box.upper)


def test_points_above_par_are_added_up_over_the_columns() -> None:
    """Par of Fives and Sixes is 5 and 6 in the first column, 15 and 18 in the second, whose points count three times."""
    assert pars(SHEET) == (5, 6, 0, 15, 18, 0)
    sums = perfect_yatzy.game.scoring.upper_sums(SHEET)

    def features(first: int, second: int, filled: int) -> list[float]:
        return bonus_features(SHEET, filled, np.array([sums.join((first, second))]))[0].tolist()

    fives = 0b001001
    for asked, found in (
        ((0, 0, 0), [0, 0, 0]), ((10, 15, fives), [0, 0, 5]), ((5, 30, fives), [0, 0, 15]),
        ((0, 30, fives), [0, 0, -5 + 15]), ((10, 33, fives | 0b010000), [0, 1, 5]), ((0, 0, fives | 0b010010), [2, 0, 0]),
    ):  # fmt: skip
        assert features(*asked) == found


def test_the_least_score_counts_what_every_roll_pays() -> None:
    """A box that requires another may be closed, so it counts nothing; one that pays 3 more pays at least 5."""
    sure = Category("sure", "Sure", (Pattern("any", plus=3),))
    if_paid = Category("more", "More", (Pattern("any", plus=3),), requires="face-6")
    rules = small(face(6), sure, if_paid)
    free = replace(rules, categories=(*rules.categories[:2], replace(if_paid, requires="")))
    for points, least in (({}, 5), ({0: 12}, 17), ({1: 9}, 9), ({0: 12, 1: 9}, 21), ({0: 0, 1: 9, 2: 8}, 17)):
        card = Scorecard(rules, points)
        assert least_score(card) == least, points
        assert least_score(Scorecard(free, points)) == least + (0 if 2 in points else 5)
    yatzy = load_rules("yatzy")
    assert least_score(Scorecard(yatzy)) == 5  # chance
    assert least_score(parse_card(yatzy, "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18")) == 63 + 50 + 5


SMALL = small(face(5), face(6), CHANCE, bonus=Bonus(16, 7))


@pytest.mark.parametrize("umask", [0o077, 0o022, 0o000], ids=oct)
def test_written_files_have_the_permissions_that_the_umask_leaves(umask: int, tmp_path: Path, run: Run) -> None:
    before = os.umask(umask)
    try:
        store.solve_to_store(Objective(SMALL), tmp_path / "tables")
        SaveFile(tmp_path / "game.json").write(Session(SMALL, ("Ann",), 5))
        printed(run, "simulate", "yatzy-forced", "-n", "2", "-o", str(tmp_path / "games.jsonl"))
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix in (".json", ".jsonl", ".npy")]
    assert sorted(path.suffix for path in files) == [".json", ".json", ".jsonl", ".npy"]
    assert {oct(path.stat().st_mode & 0o7777) for path in files} == {oct(0o666 & ~umask)}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_puzzle_has_its_difficulty_and_depends_on_the_seed_only(yatzy: Strategy, difficulty: str) -> None:
    low, high = DIFFICULTIES[difficulty]
    for seed in range(5):
        found = find_puzzle(yatzy, seed, difficulty)
        assert low <= found.gap(yatzy) < high
        assert found == find_puzzle(yatzy, seed, difficulty)


def test_puzzles_that_cannot_be_found_are_refused(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perfect_yatzy.play.puzzle.MAX_GAMES", 0)
    refused("found no hard position for yatzy in 0 games", find_puzzle, yatzy, 1, "hard", error=RulesError)
    refused("difficulty is 'x'; must be one of easy, medium, hard", find_puzzle, yatzy, 1, "x")
    refused("seed is 'one'; must be a whole number", find_puzzle, yatzy, "one")


def test_the_puzzle_command(run: Run, yatzy: Strategy) -> None:
    day = ("puzzle", "--date", "2026-11-20", "-d", "hard")
    answer = json.loads(run(*day, "--json").stdout)
    assert answer["options"][0]["loss"] == 0
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


def test_a_drill_repeats_the_mistakes_of_a_record(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    write_games(path := tmp_path / "games.jsonl", [human(yatzy, 2)])
    found = printed(run, "review", str(path), "--drill", "--from", "3", stdin="quit\n")
    assert "decisions to repeat" in found
    assert "take which category? (help) quit" in found.lower()


def test_a_puzzle_accepts_holds_and_categories(yatzy: Strategy) -> None:
    """All that can be done is asked for: stopping early is graded by what it loses against the best hold."""
    position = Puzzle(Scorecard(yatzy.rules), (3, 3, 4, 5, 6), 2)
    holds = yatzy.holds("", (3, 3, 4, 5, 6))
    stops = {choice.category: choice.value for choice in yatzy.categories("", (3, 3, 4, 5, 6), 2)}
    for text, category in (("Chance", "chance"), ("take chance for 21", "chance"), ("yatzy 0", "yatzy")):
        answer = find_answer(yatzy.rules, position, yatzy, text)
        assert isinstance(answer, Choice)
        assert answer.category == category
        assert answer.loss == pytest.approx(holds[0].value - stops[category], abs=1e-9)
    for hold in holds:
        if hold.category is None:
            found = find_answer(yatzy.rules, position, yatzy, "".join(map(str, hold.dice)) or "none")
            assert found.loss == pytest.approx(hold.loss, abs=1e-9)
    for text, message in (("all", "nothing to reroll"), ("chance 20", "chance pays 21 for these dice, not 20")):
        refused(message, find_answer, yatzy.rules, position, yatzy, text)
