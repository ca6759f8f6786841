"""Several players on one page: cards, turns, the record, and the others as opponents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from perfect_yatzy.play.record import read_game
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
