"""Several players on one page: cards, turns, the record, and the others as opponents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from perfect_yatzy.play.record import read_game
from support.browser import expect, record_of, seat, set_left, settle, state_of, wait_for

pytestmark = pytest.mark.full


def test_the_record_has_all_players(page: Any) -> None:
    seat(page, "Ann", "Bo")
    for dice in ("33345", "44455"):
        page.keyboard.type(dice)
        for _ in range(2):
            settle(page)
            page.keyboard.type(dice)
        settle(page)
        page.click("#go")
    game = read_game(record_of(page))
    assert game.players == ("Ann", "Bo")
    assert [turn.player for turn in game.turns] == [0, 1]
    assert [len(turn.dice_history) for turn in game.turns] == [3, 3]


def test_the_others_at_the_table_are_the_opponents(page: Any) -> None:
    asked: list[dict[str, Any]] = []
    page.route("**/api/hold", lambda route: asked.append(json.loads(route.request.post_data)))
    page.route("**/api/score", lambda route: None)
    page.route("**/api/expect", lambda route: None)
    page.evaluate(
        "loaded('state').then(({change, newPlayer}) => change((s) => { s.players = [newPlayer('Ann'), newPlayer('Bo')];"
        " s.players[1].card = {ones: 3, chance: 22}; s.objective = 'win'; s.dice = [3, 3, 4, 5, 6]; s.held = Array(5).fill(false); }))"
    )
    wait_for(page, lambda: asked)
    assert asked[0]["versus"] == "ones=3 chance=22"
    assert asked[0]["card"] == {}
    page.click("#aim")
    assert page.locator("#opponents-table").is_visible()
    assert page.locator("#opponents").is_hidden()


def test_another_number_of_players_begins_a_new_game_that_undo_takes_back(page: Any) -> None:
    page.keyboard.type("33345")
    settle(page)
    page.click("#menu-button")
    page.click("#open-players")
    assert page.locator("#players-hint").is_hidden()
    page.click("#add-player")
    expect(page, "#players-hint", "ends the game")  # before it happens
    expect(page, "#players-play", "End this game")
    page.keyboard.press("Escape")
    assert state_of(page)["dice"] == [3, 3, 3, 4, 5]
    seat(page, "Ann", "Bo", "Cecilia")
    expect(page, "#notice", "Undo brings the old one back")
    assert [player["name"] for player in state_of(page)["players"]] == ["Ann", "Bo", "Cecilia"]
    page.click("#undo")
    assert len(state_of(page)["players"]) == 1
    assert state_of(page)["dice"] == [3, 3, 3, 4, 5]
    seat(page, "Ann")
    expect(page, "#answer", "Keep 3 3 3")  # a name changes nothing else


def test_eight_players_at_most(page: Any) -> None:
    seat(page, *[f"P{i}" for i in range(8)])
    assert page.locator("#who button").count() == 8
    page.click("#menu-button")
    page.click("#open-players")
    assert page.locator("#add-player").is_hidden()


def test_the_card_shown_is_the_one_that_is_edited(page: Any) -> None:
    """Also of a player whose turn is over: the fields follow the name that is chosen, before or while they are open."""
    seat(page, "Ann", "Bo")
    page.evaluate(
        "loaded('state').then(({change}) => change((s) => { s.players[0].card = {sixes: 18}; s.player = 1; }))"
    )
    page.click("#who button:nth-child(1)")
    page.click("#edit-card")
    assert page.input_value("#box-sixes") == "18"
    assert page.locator("#left-line").is_hidden()  # the roll is Bo's
    page.fill("#box-sixes", "24")
    page.click("#who button:nth-child(2)")
    assert page.input_value("#box-sixes") == ""
    page.fill("#box-chance", "20")
    page.click("#edit-card")
    cards = [player["card"] for player in state_of(page)["players"]]
    assert cards == [{"sixes": 24}, {"chance": 20}]
    assert state_of(page)["player"] == 1


def test_the_best_box_marks_one_player(page: Any) -> None:
    seat(page, "Ann", "Bo")
    page.keyboard.type("22222")
    set_left(page, 0)
    settle(page)
    outlined = "(points) => getComputedStyle(points).outlineStyle !== 'none'"
    cells = page.locator(".box.best .points")
    assert [cells.nth(i).evaluate(outlined) for i in range(2)] == [True, False]
