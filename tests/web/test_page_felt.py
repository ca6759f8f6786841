"""The table in a real browser: where the card stands, the two ways to play, computer players."""

from typing import Any

import pytest
from support.browser import Chromium, Visitor

pytestmark = pytest.mark.full

CARD_TOP = "document.getElementById('card').getBoundingClientRect().top + scrollY"
SIZES = [(320, 568), (390, 844), (768, 1024), (1280, 800)]


def sized(chromium: Chromium, address: str, width: int, height: int) -> Visitor:
    return chromium.visitor(f"{width}", {"viewport": {"width": width, "height": height}}, address)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_card_stays_at_one_place_for_a_whole_game(
    chromium: Chromium, browser: Any, address: str, width: int, height: int
) -> None:
    """While dice are rolled and kept, while advice is missing, when a box is taken or crossed out."""
    visitor = sized(chromium, address, width, height).open()
    tops = set()
    for turn in range(15):
        for roll in range(3):
            tops.add(visitor.evaluate(CARD_TOP))
            visitor.click("#go")  # the first roll, or the best choice
            tops.add(visitor.evaluate(CARD_TOP))
            visitor.settle()
            tops.add(visitor.evaluate(CARD_TOP))
            if roll == turn % 3 and visitor.get_attribute("#go", "data-kind") == "roll":
                visitor.mark(turn % 5)
                tops.add(visitor.evaluate(CARD_TOP))
                visitor.click("#best-again")
            if visitor.get_attribute("#go", "data-kind") == "take":
                break
        visitor.click("#go")
        if turn < 14:
            tops.add(visitor.evaluate(CARD_TOP))
    assert len(tops) == 1, tops
    if width == 390:
        assert tops == {326}


def test_how_to_play_is_asked_once(chromium: Chromium, browser: Any, address: str) -> None:
    """Each way hides what belongs to the other; an icon changes it, and it is remembered."""
    visitor = sized(chromium, address, 390, 844).open()
    visitor.evaluate("localStorage.setItem('perfect-yatzy-dice', 'null')")
    visitor.reopen()
    assert visitor.locator("#start").is_visible()
    for place in ("#go", "#entry", "#mode", "#card-panel"):
        assert visitor.locator(place).is_hidden(), place
    visitor.click("#real-dice")
    assert visitor.locator("#entry").is_visible()
    assert visitor.locator("#go").is_hidden()
    visitor.reopen()
    assert visitor.locator("#start").is_hidden()
    assert visitor.locator("#entry").is_visible()
    visitor.click("#mode")
    assert visitor.locator("#entry").is_hidden()
    visitor.expects("#go", "Roll the dice")


def test_the_bar_stands_still_at_four_hundred_per_cent(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """Dice, headline and reason can be seen; nothing lies on them."""
    visitor = sized(chromium, address, 320, 256).open("#rules=yatzy&dice=33456&left=2").settle()
    assert visitor.evaluate("getComputedStyle(document.getElementById('bar')).position") == "static"
    seen = """() => ["#dice .die:last-child", "#answer strong", "#answer .value", "#why"].map((place) => {
      const part = document.querySelector(place), { left, right, top, bottom } = part.getBoundingClientRect();
      const corners = [[left + 3, top + 3], [right - 3, bottom - 3]];
      return corners.every(([x, y]) => y < innerHeight && part.parentElement.contains(document.elementFromPoint(x, y)));
    })"""
    assert visitor.evaluate("scrollY") == 0
    assert visitor.evaluate(seen) == [True] * 4


def test_the_bonus_bar_is_seen_in_forced_colours(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """Its edge and what is filled, both in colours of the system."""
    visitor = sized(chromium, address, 390, 844).open("#rules=yatzy&card=ones=3+sixes=24")
    for scheme in ("light", "dark"):
        visitor.emulate_media(forced_colors="active", color_scheme=scheme)
        edge, fill, text, ground = visitor.evaluate(
            """() => {
              const track = document.querySelector("#bonus-0 .track"), of = (part) => getComputedStyle(part);
              return [of(track).borderTopStyle === "solid" && of(track).borderTopColor, of(track.firstChild).backgroundColor,
                of(document.body).color, of(document.body).backgroundColor];
            }"""
        )
        assert edge == fill == text != ground


@pytest.mark.parametrize("room", ["today", "exercise"])
def test_points_of_a_puzzle_stand_in_one_column(
    chromium: Chromium, browser: Any, address: str, room: str
) -> None:
    """Those of filled boxes and those that the roll would score."""
    visitor = sized(chromium, address, 390, 844).open()
    visitor.enter("puzzle")
    if room == "exercise":
        visitor.start_exercise("#puzzle-more")
    visitor.wait_until(
        "(room) => document.querySelector(`#${room} .filled`) && document.querySelector(`#${room} .now`)",
        room,
    )
    middles = visitor.locator(f"#{room} .exercise-card ul").evaluate_all(
        """(sides) => sides.map((side) => [...side.querySelectorAll("li:not(.total) .points")].map((each) => {
          const digits = document.createRange();
          digits.selectNodeContents(each);
          const { left, right } = digits.getBoundingClientRect();
          return (left + right) / 2;
        }))"""
    )
    for side in middles:
        assert max(side) - min(side) < 1, middles


TWO = """s.players = [newPlayer("Ann"), newPlayer("Bo")];
s.players[0].card = { ones: 2, fives: 20, sixes: 18, "one-pair": 10 }; s.players[1].card = { ones: 3, sixes: 24, chance: 23 };
s.dice = [5, 5, 6, 6, 6]; s.held = Array(5).fill(false);"""


def test_two_players_have_their_names_above_the_columns(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """On a phone the boxes stand where those of one player do, and all of them are in sight."""
    for width, height in SIZES[1:]:
        visitor = sized(chromium, address, width, height).open()
        visitor.change(TWO)
        visitor.settle()
        found = visitor.evaluate(
            """() => {
              const middle = (part) => { const box = part.getBoundingClientRect(); return Math.round((box.left + box.right) / 2); };
              const row = (place) => [...document.querySelectorAll(`${place} .points`)].map(middle);
              return {
                columns: [".heads", "#take-ones", ".upper-sums", ".total"].map((place) => row(`.side:first-child ${place}`)),
                top: document.getElementById("take-ones").getBoundingClientRect().top + scrollY,
                bottom: document.getElementById("take-yatzy").getBoundingClientRect().bottom,
                bar: document.getElementById("bar").getBoundingClientRect().top,
              };
            }"""
        )
        heads, *others = found["columns"]
        assert [heads] * 2 == others[:2], found
        assert all(abs(a - b) <= 8 for a, b in zip(heads, others[2], strict=True)), found  # larger
        if width == 390:
            assert round(found["top"]) == 326
            assert found["bottom"] <= found["bar"]


def test_a_computer_plays_its_turns(blank: Visitor) -> None:
    """Its move is one line, undo goes back to the player, and the record has both."""
    blank.open().menu("open-players")
    blank.page.locator("#computer-list button", has_text="Perfect").click()
    blank.click("#players-play")
    for turn in range(2):
        for _roll in range(3):
            blank.click("#go").settle()
            if blank.get_attribute("#go", "data-kind") == "take":
                break
        blank.click("#go")
        blank.wait_until(
            "(turns) => loaded('store/state').then(({ state }) => state.turns.length === turns)",
            2 * turn + 2,
        )
    last = blank.record()["turns"][-1]
    assert last["player"] == 1
    assert blank.state()["player"] == 0
    words = blank.inner_text("#last-move")
    assert words.startswith("Perfect ")
    assert ("crossed out" in words) == (last["points"] == 0)
    blank.click("#undo")
    assert blank.state()["player"] == 0
    assert len(blank.state()["turns"]) == 2


def test_players_change_their_order(blank: Visitor) -> None:
    """In a game that has begun the form says that another order ends it."""
    blank.open().menu("open-players")
    blank.locator("#names input").fill("Ann")
    blank.locator("#computer-list button", has_text="Perfect").click()
    blank.click("#players-play").menu("open-players")
    assert [name.input_value() for name in blank.locator("#names input").all()] == [
        "Ann",
        "Perfect",
    ]
    blank.locator("#names .up").last.click()
    assert [name.input_value() for name in blank.locator("#names input").all()] == [
        "Perfect",
        "Ann",
    ]
    blank.click("#players-play")
    blank.wait_until(
        "() => loaded('store/state').then(({ state }) => state.players[1].name === 'Ann')"
    )
    # The computer has played its turn, so the game has begun.
    blank.wait_until("() => loaded('store/state').then(({ state }) => state.turns.length === 1)")
    blank.menu("open-players")
    assert not blank.is_visible("#players-hint")
    blank.locator("#names .up").last.click()
    assert blank.is_visible("#players-hint")
    blank.expects("#players-play", "End this game")


def test_the_first_visit_fits_in_every_language(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """Nothing is wider than the screen, and the example stands in it as a whole."""
    visitor = sized(chromium, address, 390, 844).open()
    visitor.evaluate("localStorage.setItem('perfect-yatzy-dice', 'null')")
    for language in ("en", "da", "de", "fi", "ja", "ko", "nb", "sv"):
        for width in (390, 320):
            visitor.set_viewport_size({"width": width, "height": 844})
            visitor.open(f"?lang={language}")
            right, wide = visitor.evaluate(
                """() => [document.querySelector("#start .value").getBoundingClientRect().right,
                document.documentElement.scrollWidth]"""
            )
            assert (language, width, wide) == (language, width, width)
            assert right <= width, language


def test_the_number_of_the_advice_is_whole_in_every_language(
    chromium: Chromium, browser: Any, address: str
) -> None:
    visitor = sized(chromium, address, 390, 844)
    for language in ("en", "da", "de", "fi", "ja", "ko", "nb", "sv"):
        visitor.open(f"?lang={language}#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=2")
        for width in (390, 320):
            visitor.set_viewport_size({"width": width, "height": 844})
            inside = visitor.settle().evaluate(
                "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.getElementById('answer'))"
            )
            assert (language, width, inside) == (language, width, True)


def test_the_keys_of_real_dice_keep_their_size_beside_the_action(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """Also in the language with the longest words, when a box is taken."""
    for width, least in ((1280, 44), (390, 44), (320, 36)):
        visitor = sized(chromium, address, width, 844)
        visitor.open("?lang=de#rules=yatzy&dice=55515&rolls_left=0")
        if not visitor.locator("#entry").is_visible():
            visitor.click("#mode")
        visitor.settle().expects("#go", "Fünfer nehmen für 20")
        small = [
            each
            for each in visitor.locator("#faces button, #undo").evaluate_all(
                "(all) => all.map((each) => [each.id, each.offsetWidth])"
            )
            if each[1] < least
        ]
        assert (width, small) == (width, [])
        visitor.click("#mode")


def test_a_reason_of_three_lines_is_read_beside_two_players(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """Names of boxes at the bars are long, and the reason is as high as its place."""
    visitor = sized(chromium, address, 390, 844).open()
    visitor.change(
        """s.players = [newPlayer("Ann"), newPlayer("Bo")];
        s.players[0].card = { fours: 12, sixes: 18, "two-pairs": 20, chance: 24 };
        s.dice = [2, 2, 2, 2, 6]; s.held = Array(5).fill(false); s.left = 0;"""
    )
    visitor.settle().wait_until("document.querySelector('#why').textContent !== ''")
    cut = "(() => { const { scrollHeight, clientHeight } = document.querySelector('#reason p'); return scrollHeight - clientHeight; })()"
    assert visitor.evaluate(cut) <= 1
    inside = "(() => { const of = (place) => document.querySelector(place).getBoundingClientRect(); return of('#reason p').bottom <= of('#reason').bottom; })()"
    assert visitor.evaluate(inside)


def test_no_control_of_the_table_is_in_the_other_rooms(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """On a phone and on a desk: neither Undo nor the turn, nor what cannot be done."""
    for width in (390, 1280):
        visitor = sized(chromium, address, width, 844).open()
        for room in ("puzzle", "review", "statistics"):
            visitor.enter(room)
            for place in ("#undo", "#go", "#entry", "#turn-line", "#mode"):
                assert visitor.locator(place).is_hidden(), (width, room, place)
            assert visitor.count("#review .bar button[aria-disabled]") == 0
        visitor.enter("play")
        assert visitor.locator("#undo").is_visible()


CUT = """[...document.querySelectorAll("#rules-dialog :is(b, small, span, p, h2, h3, button)")].filter((each) =>
  each.checkVisibility() && getComputedStyle(each).display !== "inline" && each.clientWidth > 2 &&
  each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"""


def test_the_gallery_of_games_on_the_narrowest_phone_and_in_forced_colours(
    chromium: Chromium, browser: Any, address: str
) -> None:
    """In every language no word is cut off and every word is translated; the chosen game stands
    out, and every number has an edge.
    """
    visitor = sized(chromium, address, 320, 568)
    words = set()
    for language in ("en", "da", "de", "fi", "ja", "ko", "nb", "sv"):
        visitor.open(f"?lang={language}").click("#game-button")
        visitor.wait_until("document.querySelectorAll('.game').length > 20")
        assert (language, visitor.evaluate(CUT)) == (language, [])
        inside = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.gallery'))"
        assert visitor.evaluate(inside), language
        found = visitor.get_attribute("#find-game", "placeholder")
        assert found == visitor.get_attribute("#find-game", "aria-label")
        words.add(found)
    assert len(words) == 8
    visitor.emulate_media(forced_colors="active")
    edge = "(place) => getComputedStyle(document.querySelector(place)).borderTopColor"
    ground = visitor.evaluate("getComputedStyle(document.body).backgroundColor")
    assert visitor.evaluate(edge, ".game:not(.chosen)") == ground
    for place in (".game.chosen", "#switches .numbers label"):
        assert visitor.evaluate(edge, place) != ground
