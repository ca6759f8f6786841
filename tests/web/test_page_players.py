"""Several players, the games that the page remembers, links, the language, and play without
advice or a server.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.play.record import read_game, read_games, simulated_records
from perfect_yatzy.play.review import review
from support.browser import FORGET, Visitor

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
        page.click(f"#who button >> nth={at}").expects(
            f"#take-{turn.category} .own", str(turn.points)
        )
        assert page.text_content("#total") == str(turn.points)


def test_the_others_at_the_table_are_the_opponents(page: Visitor) -> None:
    asked, *_ = [page.asks(query, lambda body: {}) for query in ("hold", "score", "expect")]
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
    """Also of a player whose turn is over: the fields follow the name that is chosen, before or
    while they are open.
    """
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


def numbers(page: Visitor, place: str) -> list[float]:
    return [
        float(text.replace("−", "-").replace("+", ""))
        for text in page.locator(place).all_text_contents()
    ]


def test_the_end_says_luck_and_errors_and_the_game_is_kept(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    page.click("#go").settle().evaluate("probes.takeWorst")
    while page.get_attribute("#go", "data-kind") != "new-game":  # to the end of the game
        page.click("#go").wait_until("document.getElementById('go').dataset.kind !== ''")
    page.wait_for_selector("#end .figures")
    page.enter("statistics")
    with page.expect_download() as saved:
        page.click("#export")
    saved.value.save_as(tmp_path / "games.jsonl")
    [game] = read_games(tmp_path / "games.jsonl")
    found = review(yatzy, game)
    worst = max(found.decisions, key=lambda each: each.loss)
    # Points lost a game are the level, said once.
    shown = numbers(page, "#level b") + numbers(page, "#statistics .figures dd")
    assert shown == pytest.approx(
        [found.points_lost, 1, found.result, found.result, found.luck], abs=0.051
    )
    boxes = sum(each.loss for each in found.decisions if each.done.category is not None)
    rows = dict(zip(("holds", "boxes"), numbers(page, "#statistics td"), strict=True))
    assert rows["boxes"] == pytest.approx(boxes, abs=0.051)
    assert rows["holds"] + rows["boxes"] == pytest.approx(found.points_lost, abs=0.11)
    rolled = [0] * 7
    for turn in game.turns:
        for before, hold, roll in zip(
            (None, *turn.dice_history), ((), *turn.holds), turn.dice_history, strict=False
        ):
            rest = list(roll)
            for face in hold if before else ():
                rest.remove(face)
            for face in rest:
                rolled[face] += 1
    page.expects("#faces-line", " · ".join(f"{face}: {rolled[face]}" for face in range(1, 7)))
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    page.expects("#statistics-status", "0 games added, 1 left out")  # it is known
    page.enter("play")
    figures = [found.start, found.luck, -found.points_lost, found.result]
    assert numbers(page, "#end .figures dd") == pytest.approx(figures, abs=0.051)
    page.expects("#end h3", f"Turn {worst.turn}, roll {worst.roll}")
    gap = abs(found.result - yatzy.value())
    page.expects("#result b", f"{found.result:.0f}")
    page.expects("#result", "of games by perfect play end lower.")
    assert f"{gap:.1f}" not in page.inner_text("#result")  # average, luck and errors say it
    assert page.get_attribute("#result svg", "aria-label").endswith("the average is 248.4")
    page.expects("#said", f"{gap:.1f} points ")
    with page.expect_download() as picture:
        page.click("#share")
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    page.click("#review-end").expects("#review-name", f"{found.result:.0f} points")
    assert page.locator("#review-own").is_hidden()  # below its own result
    page.enter("play")
    page.expects("#go", "Play again").click("#undo")
    assert page.locator("#end").is_hidden()
    page.reopen().enter("statistics")
    page.wait_for_selector("#statistics .figures")  # taking back the last box forgets nothing
    assert page.count("#statistics .figures") == 1
    page.click("#forget-games").expects("#statistics-status", "All games are forgotten.")
    page.set_input_files("#import-file", str(tmp_path / "games.jsonl"))
    page.expects("#statistics-status", "1 game added, 0 left out")


def test_a_game_for_a_goal_is_not_graded_against_it_in_the_statistics(
    page: Visitor, yatzy: Strategy
) -> None:
    """The review grades by the average; what the page advised for a goal is then called an
    error, and it says why.
    """
    turns = json.loads(next(iter(simulated_records(yatzy, 1, seed=1))))["turns"]
    card = json.dumps({turn["category"]: turn["points"] for turn in turns})
    page.change(
        f"s.objective = 'goal'; s.goal = '350'; s.turns = {json.dumps(turns)}; s.players[0].card = {card};"
    )
    page.expects("#graded-by", "by the average score, not by the aim “350 or more”")
    page.wait_for_selector("#end .figures")
    assert page.evaluate("loaded('store/memory').then(({games}) => games())") == []
    page.change("s.objective = 'mean'; s.turns[0].player = 0;")
    assert page.count("#graded-by") == 0


def test_the_example_of_the_first_screen_is_true_and_no_game(blank: Visitor) -> None:
    """Players can sit down without a question, and what is played on from it is not in the
    statistics.
    """
    blank.open("#rules=yatzy").evaluate("localStorage.setItem('perfect-yatzy-dice', 'null')")
    blank.reopen()
    advice, value = (blank.text_content(f"#start .hero {place}") for place in ("strong", "b"))
    blank.click("#example").settle()
    assert blank.inner_text("#answer strong").replace("\u00a0", " ") == advice
    assert blank.expects("#answer b", value).dice() == [2, 5, 5, 5, 1]
    assert blank.menu("new-game").dice() == []
    blank.click("#undo").settle().menu("open-players").click("#add-player")
    assert blank.locator("#players-hint").is_hidden()
    blank.press("Escape").seat("Ann")
    while "turn 1" in blank.text_content("#turn-line"):
        blank.click("#go").wait_until("document.getElementById('go').dataset.kind !== ''")
    assert blank.evaluate("loaded('store/game').then(({hasRecord}) => hasRecord())") is False
    blank.menu("open-players").click("#add-player").expects("#players-hint", "ends the game")


def test_a_link_goes_before_the_stored_game_and_undo_brings_that_back(page: Visitor) -> None:
    page.type("33345").settle().evaluate("location.hash = '#rules=crag&dice=555&left=1'")
    page.expects("#game-name", "Crag").click("#undo").expects("#game-name", "Yatzy")
    assert page.dice() == [3, 3, 3, 4, 5]


def test_the_way_back_leads_to_the_room_before_and_a_link_carries_all_players(
    page: Visitor,
) -> None:
    page.seat("Ann", "Bo")
    page.type("33")
    page.enter("puzzle")
    page.enter("statistics")
    room = "document.body.dataset.room"
    for expected in ("puzzle", "play"):
        page.page.go_back()
        page.wait_until(f"{room} === '{expected}'")
    assert (page.dice(), page.state()["visits"]) == ([3, 3], False)
    page.change("s.players[1].card = { sixes: 24 }")
    link = page.url.partition("#")[2]
    page.evaluate(FORGET)
    page.open(f"#{link}").expects("#turn-line", "Ann")
    players = page.state()["players"]
    assert [(each["name"], each["card"]) for each in players] == [
        ("Ann", {}),
        ("Bo", {"sixes": 24}),
    ]


def test_invalid_parts_of_a_link_are_reported(blank: Visitor) -> None:
    """What is said of each part: test_page_modules.py."""
    blank.open("#rules=yatzy&card=ones=99+twos=+sixes=24&what=1").expects(
        "#notice", "Ones cannot hold “99”"
    )
    blank.expects("#notice", "“what” is not a field of a link").expects("#take-sixes .points", "24")
    assert blank.count("#take-twos .scored") == 0
    blank.open("#rules=nonesuch&card=ones=3")
    blank.expects(
        "#notice",
        "The rules “nonesuch” are not available on this page, which shows Yatzy instead.",
    )


def test_editing_the_card_of_a_game_says_that_it_loses_its_record(page: Visitor) -> None:
    for _ in range(3):
        page.type("33345").settle()
    page.click("#go").expects("#total", "9").click("#edit-card")
    page.write("#box-ones", "0")
    lost = "The card was changed by hand: the game played here can no longer be reviewed; Undo restores it."
    page.expects("#notice", lost).click("#undo")
    assert page.state()["edited"] is False


def test_tabs_have_a_game_each_which_survives_closing_and_undo_goes_to_the_start(
    browser: Any, address: str
) -> None:
    context = browser.new_context()
    tabs = [Visitor(context.new_page(), address).open() for _ in range(2)]
    tabs[0].type("33345").settle()
    tabs[1].seat("Ann")
    for _ in range(3):
        tabs[1].type("33345").settle()
    tabs[1].expects("#go", "Take Threes for 9").click("#go").expects("#total", "9").type("66")
    tabs[
        0
    ].bring_to_front()  # one in the background draws once a second, and each click waits for that
    tabs[0].mark(*[0] * 70)  # more than was kept before
    assert [tab.reopen().dice() for tab in tabs] == [[3, 3, 3, 4, 5], [6, 6]]
    steps = 0
    while tabs[0].get_attribute("#undo", "aria-disabled") is None:
        tabs[0].click("#undo")
        steps += 1
    assert (steps, tabs[0].dice()) == (75, [])  # five dice and 70 taps
    tabs[1].close()
    third = Visitor(context.new_page(), address).open().expects("#total", "9")
    assert third.dice() == [6, 6]  # the latest game that no other tab plays
    assert len(third.record()["turns"]) == 1
    assert third.record()["players"] == ["Ann"]
    for _ in range(3):  # two dice and the box
        third.click("#undo")
    third.expects("#total", "0")


def test_a_fourth_tab_leaves_the_game_of_the_first(browser: Any, address: str) -> None:
    """Neither while the first tab is open nor after it was closed: players, dice, record and undo
    stay.
    """
    context = browser.new_context()

    def opened() -> Visitor:
        return Visitor(context.new_page(), address).open()

    def stands(tab: Visitor) -> list[Any]:
        return [tab.state(), tab.record(), tab.get_attribute("#undo", "aria-disabled")]

    first = opened()
    first.seat("Ann", "Bo")
    for _tap in range(24):  # rolls, holds and boxes of both
        first.click("#go").wait_until("document.getElementById('go').ariaDisabled !== 'true'")
    before = stands(first)
    assert len(before[1]["turns"]) >= 6
    assert before[2] is None
    others = [opened() for _ in range(3)]
    for tab in others:
        tab.bring_to_front()
        tab.click("#go").settle()
    assert stands(first.reopen()) == before
    first.close()
    others[2].click("#go")
    again = opened().expects("#turn-line", "turn")
    assert stands(again) == before


def test_a_goal_before_its_work_logs_no_error(blank: Visitor) -> None:
    """The server refuses the questions until the goal is solved: they need a confirmation."""
    statuses: list[int] = []
    blank.on("response", lambda found: statuses.append(found.status))
    for goal in (240, 250, 260):
        blank.open(f"#rules=yatzy&dice=33456&goal={goal}").expects("#long-work button", "GB")
    assert not {status for status in statuses if status >= 400}


def test_a_position_is_copied_as_the_command_and_pasted(blank: Visitor) -> None:
    def paste(text: str) -> None:
        blank.menu("open-paste").fill("#paste-text", text)
        blank.click("#paste-form button[type='submit']")

    blank.open("#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=1")
    command = blank.evaluate("loaded('shell/transfer').then((module) => module.commandText())")
    assert command == 'yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24"'
    blank.menu("new-game")
    link = blank.url.partition("#")[0] + "#rules=yatzy&dice=1,1,2,2,3"
    for text, dice in ((command, [3, 3, 4, 5, 6]), (link, [1, 1, 2, 2, 3])):
        paste(text)
        blank.expects("#notice", "The position is pasted; Undo goes back.")
        assert blank.dice() == dice
    paste('yatzy hold 3345 --card "nonsense=3"')
    blank.expects("#paste-error", "There is no box “nonsense”")
    assert blank.locator("#paste-dialog").is_visible()


# --- the language: its words, numbers and plurals are in test_page_modules.py ---
def assert_words(page: Visitor, language: str, undo: str) -> None:
    assert page.evaluate("document.documentElement.lang") == language
    assert page.text_content("#undo").strip() == undo
    assert page.count("[data-message]") > 20


def test_the_language_of_the_browser_is_taken_until_one_is_chosen(
    page: Visitor, browser: Any, address: str
) -> None:
    assert_words(
        Visitor(browser.new_context(locale="no").new_page(), address).open(), "nb", "Angre"
    )
    assert_words(page, "en", "Undo")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.menu("open-language").focused() == "language"
    assert page.text_content("dialog[open] h2") == "Language and colours"
    # not one control of many
    assert page.locator("dialog[open] select").first.get_attribute("id") == "language"
    page.select_option("#language", "sv")
    page.expects("#undo", "Ångra")
    assert page.click("#language-dialog .close").focused() == "menu-button"
    assert page.count("dialog[open]") == 0
    assert_words(page.reopen(), "sv", "Ångra")
    assert_words(page.open("?lang=no"), "nb", "Angre")  # the address comes first


def test_of_two_languages_chosen_quickly_the_last_one_stays(page: Visitor) -> None:
    """The names of the first one arrive late."""
    late: list[Any] = []
    page.route("**/api/rules?*lang=fi*", lambda route: late.append(route))
    choose = "(code) => { const list = document.getElementById('language'); list.value = code; list.dispatchEvent(new Event('change')); }"
    page.evaluate(choose, "fi")
    page.wait_for(lambda: late)
    page.evaluate(choose, "sv")
    late[0].continue_()
    page.expects("#card", "Ettor").draw()
    assert "Ykköset" not in page.text_content("#card")


def test_a_server_that_is_away_does_not_stop_the_game(tab: Visitor) -> None:
    """The page counts the points; it asks again when a button says so, and by itself."""
    with tab.without_server():
        tab.goto(tab.address)
        tab.expects("#loading", "The server does not answer.")
    with tab.expect_response("**/api/scoring**"):
        tab.ready()
    with tab.without_server():
        tab.type("33456").expects("#answer", "The server does not answer.")
        assert "Working" not in tab.text_content("#table")
        assert tab.locator("#retry").is_visible()
    tab.click("#retry").expects("#answer", "Keep 3 3")
    with tab.without_server():
        tab.mark(0).click("#go").expects("#answer", "The server does not answer.")
        tab.press("Escape", "Escape").type("33346")
        tab.expects("#take-chance .now", "19").expects("#take-threes .now", "9")
        tab.click("#take-chance").expects("#total", "19")
        tab.type("66611").expects("#answer", "The server does not answer.")
    tab.expects("#answer", "Keep 6 6 6")  # by itself


def test_a_goal_that_is_not_solved_leaves_the_points_of_the_boxes(tab: Visitor) -> None:
    cost = {"what": "goals", "seconds": 25.0, "disk_bytes": 930_000_000, "memory_bytes": 1}
    refused = {
        "schema": 2,
        "error": "this takes long",
        "code": "confirmation-required",
        "cost": cost,
    }

    for query in ("hold", "score", "expect"):
        tab.asks(query, lambda body: {"status": 409, "json": refused} if "goal" in body else None)
    # the average is known
    tab.open("#rules=yatzy&dice=33456&left=1&goal=250").expects("#answer", "Keep ")
    tab.expects("#instead-of", "For the average: The chances of all goals have to be computed once")
    tab.expects("#long-work button", "25 seconds")
    assert tab.count(".solve:visible button") == 1
    tab.click("#take-chance").click("#loss-dialog button >> nth=1").expects("#total", "21")


def test_with_hidden_advice_all_dice_can_be_rolled_again(page: Visitor) -> None:
    page.hide_advice()
    page.click("#go").expects("#answer", "Your choice")
    page.locator("#roll-all").focus()
    page.press("Enter").wait_until("document.querySelector('#left').value === '1'")
    assert page.state()["holds"] == [[]]
    assert page.evaluate("document.activeElement !== document.body")


def test_a_screen_reader_hears_what_undo_brings_back(page: Visitor) -> None:
    """A game that is heard: test_page_real_dice.py."""
    page.type("33333").settle()
    assert page.focused() == "dice-title"  # Tab goes on from there
    page.press("Enter").expects("#said", "Yatzy: 50 points.").click("#undo")
    page.expects("#said p:last-child", "Yatzy, 50, do not roll again: ")
    assert page.count(":is(#table, #bar) [aria-live]:not(#said)") == 0
