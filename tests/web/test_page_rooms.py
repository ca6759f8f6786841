"""Rooms of the page: the end of a game, the games it remembers and their statistics; two tabs; counting without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import read_games
from perfect_yatzy.play.review import review
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import (
    PATIENCE_MS,
    dice_shown,
    enter,
    expect,
    open_link,
    ready,
    seat,
    settle,
    state_of,
    wait_until,
)

pytestmark = pytest.mark.full

WORST = """async (player) => { // the worst box of all, with the first roll
  const { change } = await loaded('state'), { takeCategory } = await loaded('game'), { known } = await loaded('asking');
  takeCategory(known.boxes.at(-1));
}"""


def play_on(page: Any) -> None:
    """Play the large action to the end of the game."""
    while page.get_attribute("#go", "data-kind") != "new-game":
        page.click("#go")
        wait_until(page, "document.getElementById('go').dataset.kind !== ''")


def numbers(page: Any, place: str) -> list[float]:
    texts = page.locator(place).all_text_contents()
    return [float(text.replace("−", "-").replace("+", "")) for text in texts]


def test_the_end_says_luck_and_errors_and_the_game_is_remembered(page: Any, yatzy: Strategy, tmp_path: Path) -> None:
    page.click("#go")
    settle(page)
    page.evaluate(WORST)
    play_on(page)
    page.wait_for_selector("#end .figures")
    enter(page, "statistics")
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
    expect(page, "#faces-line", " · ".join(f"{face}: {rolled[face]}" for face in range(1, 7)))
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    expect(page, "#statistics-status", "0 games added, 1 left out")  # it is known
    enter(page, "play")
    assert numbers(page, "#end .figures dd") == pytest.approx(
        [found.start, found.luck, -found.points_lost], abs=0.051
    )
    expect(page, "#end h3", f"Turn {worst.turn}, roll {worst.roll}")
    with page.expect_download() as picture:
        page.click("#share")
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    page.click("#review-end")
    expect(page, "#review-name", f"{found.result:.0f} points")
    assert page.locator("#review-own").is_hidden()  # below its own result
    enter(page, "play")
    expect(page, "#go", "New game")
    page.click("#undo")
    page.reload()
    ready(page)
    enter(page, "statistics")
    assert page.locator("#statistics .figures").count() == 1  # taking back the last box forgets nothing
    page.click("#forget-games")
    expect(page, "#statistics-status", "All games are forgotten.")
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    expect(page, "#statistics-status", "1 games added, 0 left out")


def test_two_tabs_have_a_game_each_and_undo_goes_back_to_the_start(browser: Any, address: str) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    tabs = [context.new_page(), context.new_page()]
    for tab, dice in zip(tabs, ("33345", "11266"), strict=True):
        tab.goto(address)
        ready(tab)
        tab.keyboard.type(dice)
        settle(tab)
    tabs[0].bring_to_front()  # one in the background draws once a second, and each click waits for that
    for _ in range(70):  # more than was kept before
        tabs[0].locator("#dice button").first.click()
    for tab in tabs:
        tab.reload()
        ready(tab)
    assert [dice_shown(tab) for tab in tabs] == [[3, 3, 3, 4, 5], [1, 1, 2, 6, 6]]
    steps = 0
    while tabs[0].get_attribute("#undo", "aria-disabled") is None:
        tabs[0].click("#undo")
        steps += 1
    assert (steps, state_of(tabs[0])["dice"]) == (75, [])  # five dice and 70 taps
    tabs[1].close()
    third = context.new_page()
    third.goto(address)
    ready(third)
    assert dice_shown(third) == [1, 1, 2, 6, 6]  # the latest game that no other tab plays
    context.close()


def test_points_are_counted_while_the_server_is_away(tab: Any, address: str) -> None:
    with tab.expect_response("**/api/scoring**"):
        tab.goto(address)
        ready(tab)
    tab.route("**/api/**", lambda route: route.abort())
    tab.keyboard.press("Escape")
    tab.keyboard.type("33346")
    expect(tab, "#answer", "The server does not answer.")
    expect(tab, "#take-chance .now", "19")
    expect(tab, "#take-threes .now", "9")
    tab.click("#take-chance")
    expect(tab, "#total", "19")


def test_the_example_of_the_first_screen_is_true(blank: Any, address: str) -> None:
    open_link(blank, address, "#rules=yatzy")
    advice, value = (blank.text_content(f"#start .hero {place}") for place in ("strong", "b"))
    blank.click("#example")
    settle(blank)
    assert blank.text_content("#answer strong") == advice
    expect(blank, "#answer b", value)
    assert dice_shown(blank) == [2, 5, 5, 5, 1]


def test_at_the_end_the_card_of_each_player_is_reachable(page: Any) -> None:
    seat(page, "Ann", "Bo")
    page.evaluate(
        """loaded('state').then(({change, rules}) => change((s) => { s.players.forEach((player, i) => {
          player.card = Object.fromEntries(rules().categories.map(({id}) => [id, 0])); player.card.chance = 20 - 5 * i; }); s.player = 1; }))"""
    )
    expect(page, "#answer", "Ann wins with 20 points.")
    assert page.text_content("#total") == "20"
    assert page.locator("#who").text_content() == "Ann 20Bo 15"  # nobody is to play
    page.click("#who button >> nth=1")
    assert page.text_content("#total") == "15"
    assert page.locator("#take-chance .points").all_text_contents() == ["20", "15"]
