"""Several players on one page, and its rooms: the end of a game, the games it remembers and their statistics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import read_game, read_games
from perfect_yatzy.play.review import review
from perfect_yatzy.play.simulated_records import simulated_records
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import Visitor

pytestmark = pytest.mark.full


def test_two_players_play_in_turns_and_the_record_has_both(page: Visitor) -> None:
    page.seat("Ann", "Bo")
    for name, dice in (("Ann", "33345"), ("Bo", "44455")):
        page.expects("#turn-line", f"{name}, turn 1 of 15").expects("#who .turn", name)
        assert page.text_content("#total") == "0"
        for _ in range(3):
            page.type(dice).settle()
        page.click("#go")
    page.expects("#turn-line", "Ann, turn 2 of 15")
    game = read_game(page.record())
    assert game.players == ("Ann", "Bo")
    assert [turn.player for turn in game.turns] == [0, 1]
    assert [len(turn.dice_history) for turn in game.turns] == [3, 3]
    for at, turn in ((1, game.turns[1]), (0, game.turns[0])):
        page.click(f"#who button >> nth={at}").expects(f"#take-{turn.category} .own", str(turn.points))
        assert page.text_content("#total") == str(turn.points)


def test_the_others_at_the_table_are_the_opponents(page: Visitor) -> None:
    asked: list[dict[str, Any]] = []
    page.route("**/api/hold", lambda route: asked.append(json.loads(route.request.post_data)))
    page.route("**/api/score", lambda route: None)
    page.route("**/api/expect", lambda route: None)
    page.change(
        "s.players = [newPlayer('Ann'), newPlayer('Bo')]; s.players[1].card = { ones: 3, chance: 22 };"
        " s.objective = 'win'; s.dice = [3, 3, 4, 5, 6]; s.held = Array(5).fill(false);"
    )
    page.wait_for(lambda: asked)
    assert asked[0]["versus"] == "ones=3 chance=22"
    assert asked[0]["card"] == {}
    page.click("#aim")
    assert page.locator("#opponents-table").is_visible()
    assert page.locator("#opponents").is_hidden()


def test_another_number_of_players_begins_a_new_game_that_undo_takes_back(page: Visitor) -> None:
    page.type("33345").settle().menu("open-players")
    assert page.locator("#players-hint").is_hidden()
    page.click("#add-player").expects("#players-hint", "ends the game")  # before it happens
    page.expects("#players-play", "End this game").press("Escape")
    assert page.dice() == [3, 3, 3, 4, 5]
    names = [f"P{i}" for i in range(8)]
    page.seat(*names)
    page.expects("#notice", "Undo brings the old one back")
    assert [player["name"] for player in page.state()["players"]] == names
    assert page.count("#who button") == 8
    page.menu("open-players")
    assert page.locator("#add-player").is_hidden()  # eight are the most
    page.press("Escape").click("#undo")
    assert (len(page.state()["players"]), page.dice()) == (1, [3, 3, 3, 4, 5])
    page.seat("Ann")
    page.expects("#answer", "Keep 3 3 3")  # a name changes nothing else


def test_the_card_shown_is_the_one_that_is_edited(page: Visitor) -> None:
    """Also of a player whose turn is over: the fields follow the name that is chosen, before or while they are open."""
    page.seat("Ann", "Bo")
    page.change("s.players[0].card = { sixes: 18 }; s.player = 1;")
    page.click("#who button >> nth=0").click("#edit-card")
    assert page.input_value("#box-sixes") == "18"
    assert page.locator("#left-line").is_hidden()  # the roll is Bo's
    page.fill("#box-sixes", "24")
    page.click("#who button >> nth=1")
    assert page.input_value("#box-sixes") == ""
    page.fill("#box-chance", "20")
    page.click("#edit-card")
    assert [player["card"] for player in page.state()["players"]] == [{"sixes": 24}, {"chance": 20}]
    assert page.state()["player"] == 1


def test_the_best_box_marks_one_player(page: Visitor) -> None:
    page.seat("Ann", "Bo")
    page.type("22222").set_left(0).settle()
    outlined = page.locator(".box.best .points").evaluate_all(
        "(all) => all.map((points) => getComputedStyle(points).outlineStyle !== 'none')"
    )
    assert outlined == [True, False]


def test_at_the_end_the_card_of_each_player_is_reachable(page: Visitor) -> None:
    page.seat("Ann", "Bo")
    page.change(
        "s.players.forEach((player, i) => { player.card = Object.fromEntries(rules().categories.map(({ id }) => [id, 0]));"
        " player.card.chance = 20 - 5 * i; }); s.player = 1;"
    )
    page.expects("#answer", "Ann wins with 20 points.")
    assert page.text_content("#total") == "20"
    assert page.text_content("#who") == "Ann 20Bo 15"  # nobody is to play
    page.click("#who button >> nth=1")
    assert page.text_content("#total") == "15"
    assert page.locator("#take-chance .points").all_text_contents() == ["20", "15"]


WORST = """async (player) => { // the worst box of all, with the first roll
  const { takeCategory } = await loaded('game'), { known } = await loaded('asking');
  takeCategory(known.boxes.at(-1));
}"""


def play_on(page: Visitor) -> None:
    """Play the large action to the end of the game."""
    while page.get_attribute("#go", "data-kind") != "new-game":
        page.click("#go")
        page.wait_until("document.getElementById('go').dataset.kind !== ''")


def numbers(page: Visitor, place: str) -> list[float]:
    texts = page.locator(place).all_text_contents()
    return [float(text.replace("−", "-").replace("+", "")) for text in texts]


def test_the_end_says_luck_and_errors_and_the_game_is_remembered(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    page.click("#go").settle().evaluate(WORST)
    play_on(page)
    page.wait_for_selector("#end .figures")
    page.enter("statistics")
    with page.expect_download() as saved:
        page.click("#export")
    saved.value.save_as(tmp_path / "games.jsonl")
    [game] = read_games(tmp_path / "games.jsonl")
    found = review(yatzy, game)
    worst = max(found.decisions, key=lambda each: each.loss)
    shown = numbers(page, "#statistics .figures dd")
    assert shown == pytest.approx([1, found.result, found.result, found.points_lost, found.luck], abs=0.051)
    boxes = sum(each.loss for each in found.decisions if each.done.category is not None)
    rows = dict(zip(("holds", "boxes"), numbers(page, "#statistics td"), strict=True))
    assert rows["boxes"] == pytest.approx(boxes, abs=0.051)
    assert rows["holds"] + rows["boxes"] == pytest.approx(found.points_lost, abs=0.11)
    rolled = [0] * 7
    for turn in game.turns:
        for before, hold, roll in zip((None, *turn.dice_history), ((), *turn.holds), turn.dice_history, strict=False):
            rest = list(roll)
            for face in hold if before else ():
                rest.remove(face)
            for face in rest:
                rolled[face] += 1
    page.expects("#faces-line", " · ".join(f"{face}: {rolled[face]}" for face in range(1, 7)))
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    page.expects("#statistics-status", "0 games added, 1 left out")  # it is known
    page.enter("play")
    figures = [found.start, found.luck, -found.points_lost]
    assert numbers(page, "#end .figures dd") == pytest.approx(figures, abs=0.051)
    page.expects("#end h3", f"Turn {worst.turn}, roll {worst.roll}")
    gap = abs(found.result - yatzy.value())
    page.expects("#end", f"{gap:.1f} points ", "of games by perfect play end lower.").expects(
        "#said", f"{gap:.1f} points "
    )
    with page.expect_download() as picture:
        page.click("#share")
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    page.click("#review-end").expects("#review-name", f"{found.result:.0f} points")
    assert page.locator("#review-own").is_hidden()  # below its own result
    page.enter("play")
    page.expects("#go", "New game").click("#undo")
    assert page.locator("#end").is_hidden()
    page.reopen().enter("statistics")
    assert page.count("#statistics .figures") == 1  # taking back the last box forgets nothing
    page.click("#forget-games").expects("#statistics-status", "All games are forgotten.")
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    page.expects("#statistics-status", "1 games added, 0 left out")


def test_a_game_for_a_goal_is_not_graded_against_it_in_the_statistics(page: Visitor, yatzy: Strategy) -> None:
    """The review grades by the average; what the page advised for a goal is then called an error, and it says why."""
    turns = json.loads(next(iter(simulated_records(yatzy, 1, seed=1))))["turns"]
    card = json.dumps({turn["category"]: turn["points"] for turn in turns})
    page.change(f"s.objective = 'goal'; s.goal = '350'; s.turns = {json.dumps(turns)}; s.players[0].card = {card};")
    page.expects("#graded-by", "by the average score, not by the aim “350 or more”")
    page.wait_for_selector("#end .figures")
    assert page.evaluate("loaded('memory').then(({games}) => games().length)") == 0
    page.change("s.objective = 'mean'; s.turns[0].player = 0;")
    assert page.count("#graded-by") == 0


def test_the_example_of_the_first_screen_is_true(blank: Visitor) -> None:
    blank.open("#rules=yatzy")
    advice, value = (blank.text_content(f"#start .hero {place}") for place in ("strong", "b"))
    blank.click("#example").settle()
    assert blank.inner_text("#answer strong").replace("\u00a0", " ") == advice
    blank.expects("#answer b", value)
    assert blank.dice() == [2, 5, 5, 5, 1]


def test_the_example_is_no_game(page: Visitor) -> None:
    """Players can sit down without a question, and what is played on from it is not in the statistics."""
    page.click("#example").settle().menu("new-game")
    assert page.dice() == []
    page.click("#undo").settle().menu("open-players").click("#add-player")
    assert page.locator("#players-hint").is_hidden()
    page.press("Escape").seat("Ann")
    while "turn 1" in page.text_content("#turn-line"):
        page.click("#go").wait_until("document.getElementById('go').dataset.kind !== ''")
    assert page.evaluate("loaded('game').then(({hasRecord}) => hasRecord())") is False
    page.menu("open-players").click("#add-player").expects("#players-hint", "ends the game")
