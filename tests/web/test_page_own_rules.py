"""Rule files on the page: dropped or chosen in the gallery, played, and there again after all that
can happen to a page.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy.web.own_rules import FOLDER, name_of
from support.browser import DESK, PHONE, Chromium, Visitor, axe_faults
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
