"""Rule files on the page: dropped or chosen in the gallery, played, and there again after all that
can happen to a page.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.play.record import read_games
from perfect_yatzy.web.own_rules import FOLDER, name_of
from support.browser import DESK, PHONE, Chromium, Visitor, axe_faults
from support.command import Run, printed
from support.rule_texts import SHORT
from support.server import Server, running_server

pytestmark = pytest.mark.full

NAME = name_of(SHORT)
DROP = """async ([text, name]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const event = { bubbles: true, cancelable: true, dataTransfer: files };
  document.querySelector("#add-rules").dispatchEvent(new DragEvent("dragover", event));
  document.querySelector("#add-rules").dispatchEvent(new DragEvent("drop", event));
}"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def own_server(tables: Path) -> Iterator[Server]:
    with running_server(tables) as running:
        yield running


@pytest.fixture(params=["desk", "phone"])
def visitor(
    request: Any, chromium: Chromium, browser: Any, own_server: Server, tables: Path
) -> Visitor:
    """A page of a server that knows no rule file."""
    shutil.rmtree(tables / FOLDER, ignore_errors=True)
    size = DESK if request.param == "desk" else PHONE
    return chromium.visitor(request.param, size, f"{own_server.address}/")


def choose(page: Visitor, text: str, name: str = "my-rules.toml") -> None:
    file = {"name": name, "mimeType": "", "buffer": text.encode()}
    page.set_input_files("#rules-file", files=[file])


def own_card(page: Visitor) -> Any:
    return page.locator(f".game:has(> label > input[value='{NAME}'])")


def play_short(page: Visitor, name: str = "my-rules.toml") -> None:
    """Add the file, and begin its game."""
    page.open().click("#game-button")
    choose(page, SHORT, name)
    own_card(page).wait_for()
    page.click("#rules-play")
    page.expects("#game-name", "Short Game")


def play_to_the_end(page: Visitor, players: int = 1) -> None:
    """Enter the same first roll in each turn, and take a box."""
    for box, points in (("sixes", 12), ("pair", 12), ("any", 14)):
        for _player in range(players):
            page.type("266").settle()
            entry = {"category": box, "points": points}
            page.evaluate(
                "(entry) => loaded('store/game').then((game) => game.takeCategory(entry))", entry
            )


def files(tables: Path) -> list[str]:
    return sorted(path.name for path in (tables / FOLDER).iterdir())


def test_a_file_with_mistakes_says_where_and_one_without_is_a_card_and_played(
    visitor: Visitor,
) -> None:
    page = visitor.open()
    page.click("#game-button")
    choose(page, SHORT.replace("dice = 3", "dice = 90"))
    page.expects("#own-rules-error", "my-rules.toml:4: dice: is 90; must be")
    assert axe_faults(page, "#rules-dialog") == []
    page.evaluate(DROP, [SHORT, "my-rules.toml"])
    card = page.locator(f".game:has(> label > input[value='{NAME}'])")
    card.wait_for()
    assert page.locator("#own-rules-error").inner_text() == ""
    assert "Short Game" in card.inner_text()
    assert "3 boxes · 3 rolls" in card.inner_text()
    assert axe_faults(page, "#rules-dialog") == []
    page.click("#rules-play")
    page.expects("#game-name", "Short Game")
    page.expects("#card", "Whatever")
    assert f"rules={NAME}" in page.evaluate("location.hash")


def test_a_game_of_a_file_survives_reload_undo_and_a_server_without_the_file(
    visitor: Visitor, tables: Path
) -> None:
    page = visitor.open()
    page.click("#game-button")
    choose(page, SHORT)
    page.locator(f".game:has(> label > input[value='{NAME}'])").wait_for()
    page.click("#rules-play")
    page.expects("#game-name", "Short Game")
    page.reload()
    page.expects("#game-name", "Short Game")
    page.keyboard.press("Control+z")
    page.expects("#game-name", "Yatzy")
    page.keyboard.press("Control+Shift+z")
    page.expects("#game-name", "Short Game")
    given = list[str]()

    def forgets(route: Any) -> None:
        """A server that was started with other tables."""
        if route.request.method == "POST":
            given.append(json.loads(route.request.post_data)["text"])
        elif NAME in route.request.url and not given:
            error = {"schema": 2, "error": "forgotten", "code": "unknown-rules"}
            route.fulfill(status=422, json=error)
            return
        route.continue_()

    (tables / FOLDER / f"{NAME}.toml").unlink()
    page.route("**/api/rules**", forgets)
    page.reload()
    page.expects("#game-name", "Short Game")
    assert given == [SHORT]
    assert (tables / FOLDER / f"{NAME}.toml").read_text(encoding="utf-8") == SHORT


def test_a_link_to_a_file_that_is_nowhere_says_what_to_do(visitor: Visitor) -> None:
    other = name_of(SHORT + "# other\n")
    page = visitor.open(f"#rules={other}")
    page.expects("#notice", "add the file again")
    page.expects("#game-name", "Yatzy")
    assert json.dumps(other) not in page.evaluate("JSON.stringify(Object.keys(localStorage))")


def test_a_game_is_removed_with_its_file_and_brought_back(visitor: Visitor, tables: Path) -> None:
    """Earlier versions of the file go with it."""
    page = visitor.open()
    page.click("#game-button")
    assert page.locator("#remove-rules").is_hidden()
    for text in (SHORT + "# first\n", SHORT):
        choose(page, text)
        page.locator(f".game.chosen input[value='{name_of(text)}']").wait_for(state="attached")
    assert len(files(tables)) == 2
    assert page.locator("#remove-rules").inner_text() == "Remove: Short Game"
    page.click("#remove-rules")
    page.expects("#own-rules-status", "Removed: Short Game. Games played with it stay.")
    assert page.focused() == "undo-removed-rules"
    assert page.count(".game:has-text('Short Game')") == 0
    assert page.locator("#remove-rules").is_hidden()
    assert page.locator("#rules-play").inner_text() == "Play Yatzy"
    assert files(tables) == []
    assert axe_faults(page, "#rules-dialog") == []
    page.click("#undo-removed-rules")
    page.expects("#own-rules-status", "It is back.")
    assert page.evaluate("document.activeElement.value") == NAME
    assert page.count(".game:has-text('Short Game')") == 1
    assert len(files(tables)) == 2
    page.click("#remove-rules").expects("#own-rules-status", "Removed")
    page.reopen().click("#game-button")
    assert page.locator("#own-rules-status").inner_text() == ""
    assert page.count(".game:has-text('Short Game')") == 0
    choose(page, SHORT)
    own_card(page).wait_for()


def test_a_server_that_does_not_remove_a_file_is_quoted(visitor: Visitor) -> None:
    page = visitor.open()
    page.click("#game-button")
    choose(page, SHORT)
    own_card(page).wait_for()
    error = {"schema": 2, "error": "only on the machine of the server", "code": "not-this-machine"}
    page.route(f"**/api/rules/{NAME}", lambda route: route.fulfill(status=403, json=error))
    page.click("#remove-rules").expects("#own-rules-error", "only on the machine of the server")
    assert own_card(page).count() == 1
    page.unroute_all()
    page.click("#remove-rules").expects("#own-rules-status", "Removed: Short Game.")
    assert page.locator("#own-rules-error").inner_text() == ""


def test_games_of_a_removed_file_go_on_and_are_reviewed(visitor: Visitor, tables: Path) -> None:
    """For them the server knows the file until it ends. It is neither stored nor listed."""
    page = visitor
    play_short(page)
    play_to_the_end(page)
    page.expects("#end", "final score")
    page.click("#go")
    page.click("#game-button").click("#remove-rules").expects("#own-rules-status", "Removed")
    page.click("#rules-dialog .close")
    page.expects("#game-name", "Short Game")
    page.type("266").expects("#answer", "6 6")  # the game at the table goes on
    page.reopen().expects("#game-name", "Short Game")  # and after the page was loaded again
    page.enter("statistics")
    page.locator("#statistics .game-row").first.click()
    page.expects("#review-name", "points")
    page.click("#game-button")
    assert page.count(".game:has-text('Short Game')") == 0
    assert page.locator("#rules-play").inner_text() == "Play Yatzy"
    assert files(tables) == []


def test_exported_games_are_read_by_the_command_and_imported_again(
    visitor: Visitor, run: Run, tmp_path: Path
) -> None:
    page = visitor
    play_short(page)
    play_to_the_end(page)
    page.expects("#end", "final score")
    kept = "loaded('store/memory').then(({ games }) => games()).then((all) => all.length)"
    page.wait_until(kept)
    lost = page.evaluate(
        "loaded('store/memory').then(({ games }) => games()).then(([game]) => game.players[0].lost)"
    )
    page.enter("review")
    for room, button in (("review", "#save-own"), ("statistics", "#export")):
        page.enter(room)
        path = tmp_path / f"{room}.jsonl"
        with page.expect_download() as saved:
            page.click(button)
        saved.value.save_as(path)
        (game,) = read_games(path)
        assert (game.rules.key, game.rules.name) == ("short", "Short Game")
        (told,) = json.loads(printed(run, "review", str(path), "--json"))["reviews"]
        assert told["points_lost"] == lost
        assert "You, short: 1 game" in printed(run, "rate", str(path))
    page.click("#forget-games").expects("#statistics-status", "All games are forgotten.")
    page.set_input_files("#import-file", str(path))
    page.expects("#statistics-status", "1 game added, 0 left out")
    assert page.count("#statistics .games .game-row") == 1
    page.set_input_files("#import-file", str(path))
    page.expects("#statistics-status", "0 games added, 1 left out")
    page.click("#game-button").click("#remove-rules").expects("#own-rules-status", "Removed")
    page.click("#rules-dialog .close")
    page.enter("review")
    page.set_input_files("#record", str(path))
    page.expects("#review-status", "add its rule file first")


@pytest.mark.parametrize("visitor", ["desk"], indirect=True)
@pytest.mark.parametrize(
    ("name", "copied"),
    [
        ("my-rules.toml", "my-rules.toml"),
        ("Ann's rules.toml", "Ann's rules.toml"),
        ('-$(id) `id` "the best"! 100 %.toml', '-$(id) `id` "the best"! 100 %.toml'),
        ("it's $HOME+late.toml", "it's $HOME+late.toml"),
        ("rules.txt", "my-rules.toml"),
        ("line\nbreak.toml", "my-rules.toml"),
    ],
)
def test_a_position_copied_as_a_command_is_answered_in_the_folder_of_the_file(
    visitor: Visitor, tmp_path: Path, tables: Path, name: str, copied: str
) -> None:
    page = visitor
    play_short(page, name)
    page.click("#game-button").click("#switches input[value='late']").click("#rules-play")
    page.locator("#rules-dialog").wait_for(state="hidden")
    page.type("266").settle()
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copiedText = text; }")
    page.menu("copy-position")
    page.expects("#notice", f"It reads the rules from {copied}, in the folder where it runs.")
    command = page.evaluate("window.copiedText")
    (tmp_path / copied).write_text(SHORT, encoding="utf-8")
    script = f'yatzy() {{ {shlex.quote(sys.executable)} -m perfect_yatzy "$@"; }}\n{command} --json'
    told = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"YATZY_TABLES": str(tables)},
        capture_output=True,
        text=True,
        check=True,
    )
    asked = {"rules": f"{NAME}+late", "dice": "266", "rolls_left": 2}
    expected = page.evaluate(
        "(body) => loaded('store/ask').then(({ ask }) => ask('hold', body))", asked
    )
    answer = json.loads(told.stdout)
    assert (answer["rules"], answer["rolls_left"]) == ("short+late", 2)
    assert answer["holds"] == expected["holds"]
    if "'" not in name or "$" not in name:  # shells have a notation for both that is not pasted
        page.menu("new-game").menu("open-paste").fill("#paste-text", command)
        page.click("#paste-form button[type='submit']")
        page.expects("#notice", "The position is pasted")
        assert (page.state()["rules"], page.dice()) == (f"{NAME}+late", [2, 6, 6])


def test_a_file_is_added_removed_and_played_with_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.open()

    def tab_to(wanted: str) -> None:
        for _ in range(80):
            if page.focused() == wanted:
                return
            page.press("Tab")
        raise AssertionError(f"{wanted} is not reached")

    page.bring_to_front()  # only there the browser lets a page ask for a file
    choosers = list[Any]()

    def note(chooser: Any) -> None:
        choosers.append(chooser)

    page.on("filechooser", note)  # long before it opens, so that none is missed
    tab_to("game-button")
    page.press("Enter")
    tab_to("add-rules")
    page.press("Enter").wait_for(lambda: choosers)
    page.remove_listener("filechooser", note)
    content = {"name": "my-rules.toml", "mimeType": "", "buffer": SHORT.encode()}
    choosers[0].set_files([content])
    own_card(page).wait_for()
    assert page.evaluate("document.activeElement.value") == NAME
    tab_to("remove-rules")
    page.press("Enter").expects("#own-rules-status", "Removed: Short Game.")
    assert page.focused() == "undo-removed-rules"
    page.press("Enter").expects("#own-rules-status", "It is back.")
    assert page.evaluate("document.activeElement.value") == NAME
    page.press("Enter").expects("#game-name", "Short Game")
    assert page.locator("#rules-dialog").is_hidden()


@pytest.mark.parametrize("visitor", ["phone"], indirect=True)
@pytest.mark.parametrize("colours", ["none", "active"])
@pytest.mark.parametrize("width", [320, 390])
def test_rule_files_on_a_narrow_screen_and_in_forced_colours(
    visitor: Visitor, width: int, colours: str
) -> None:
    """Each state of the gallery, and a game of several players."""
    page = visitor.open()
    page.set_viewport_size({"width": width, "height": 640})
    page.emulate_media(forced_colors=colours)

    def is_right(state: str, place: str | None = None) -> None:
        page.draw()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        wide = page.evaluate(
            """() => [...document.querySelectorAll("dialog[open], dialog[open] .gallery, dialog[open] .gallery *")]
                .filter((e) => e.offsetWidth && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
                .map((e) => [e.id, e.className, e.scrollWidth, e.clientWidth])"""
        )
        assert (state, wide) == (state, [])
        assert (state, page.evaluate("probes.small")) == (state, [])
        faults = axe_faults(page, place)
        if colours == "active":  # axe compares the colours of the page, which nobody sees then
            faults = [each for each in faults if each[0] != "color-contrast"]
        assert (state, faults) == (state, [])

    page.click("#game-button")
    choose(page, SHORT.replace("dice = 3", "dice = 90"))
    page.expects("#own-rules-error", "must be")
    is_right("a file with a mistake", "#rules-dialog")
    choose(
        page,
        SHORT.replace("Short Game", "A game with quite a long name, and Donaudampfschifffahrt"),
    )
    page.locator(".game.chosen:has-text('Donau')").wait_for()
    is_right("a long name", "#rules-dialog")
    page.click("#remove-rules").expects("#own-rules-status", "Removed: A game")
    is_right("a game that was removed", "#rules-dialog")
    choose(page, SHORT)
    own_card(page).wait_for()
    page.click("#rules-play")
    page.expects("#game-name", "Short Game")
    page.seat("Ann", "Bob", "Cecilia")
    page.type("266").settle()
    is_right("a roll of the first of three players")
    page.press("Escape")
    play_to_the_end(page, 3)
    page.expects("#end", "Ann")
    is_right("the end of a game of three players")
    page.enter("review")
    page.expects("#review-name", "points")
    is_right("the review of a game of three players")
