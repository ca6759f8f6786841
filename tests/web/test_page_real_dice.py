"""The page with real dice, typed or tapped; by keyboard alone, heard by a screen reader, and
tapped at random.
"""

import os
import random
import re
from typing import Any

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.play.record import Game, read_game
from perfect_yatzy.play.review import review
from support.browser import Visitor
from support.seeds import ring_3

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def real_dice(phone: Visitor) -> None:
    """The players of this file have dice on their table."""
    phone.evaluate("""localStorage["perfect-yatzy-dice"] = '"real"'""")
    phone.reopen()


def without_clock(phone: Visitor) -> Visitor:
    """The time between dice, by which the page tells a roll from the next, passes only where the
    test says so.
    """
    phone.evaluate("() => { window.thrown = 0; performance.now = () => thrown; }")
    return phone


# Turns by the advice: all dice of the first roll, then those rolled again. Where holds are marked
# and confirmed by taps, and the box is tapped, the first one takes 16.
TURNS = [["21643", "2246", "424"], ["34323", "61", "35"], ["62222", "2"], ["63552", "642", "633"]]


def test_a_turn_with_real_dice_takes_at_most_12_taps(phone: Visitor, yatzy: Strategy) -> None:
    """The next die tapped agrees to the advice, to the dice kept or to the box; the third turn
    ends after two rolls.
    """
    without_clock(phone)
    taps = []
    for rolls in TURNS:
        for i, roll in enumerate(rolls):
            phone.evaluate("thrown += 1500")  # the time to throw the dice
            phone.tap_dice(int(face) for face in roll).settle()
            assert len(phone.state()["rolls"]) == i
        phone.expects("#go", "Take")
        taps.append(sum(map(len, rolls)))
    phone.locator("#go").tap()
    taps[-1] += 1
    assert taps == [12, 9, 6, 12]
    phone.expects("#turn-line", "Turn 5 of 15")
    game = read_game(phone.record())
    assert [[len(roll) for roll in turn.dice_history] for turn in game.turns] == [
        [5] * len(rolls) for rolls in TURNS
    ]
    assert review(yatzy, game, 0).points_lost == pytest.approx(0.0, abs=1e-9)


def test_a_die_after_the_advice_of_a_box_takes_it_and_undo_brings_it_back(phone: Visitor) -> None:
    phone.open("#rules=yatzy&dice=23456&left=2").settle().expects("#answer", "Large Straight, 20")
    phone.expects("#why", "A sure Large Straight: ")
    phone.expects("#faces-hint", "First tap the dice").tap_dice([2]).expects(
        "#notice", "Large Straight: 20 points."
    )
    phone.locator("#undo").tap()
    assert phone.settle().dice() == [2, 3, 4, 5, 6]
    phone.die(0).tap()
    phone.expects("#faces-hint", "Tap or type the dice")
    assert phone.tap_dice([2]).dice() == [2, 2]  # the player says what is kept
    phone.open("#rules=yatzy&dice=33345&left=0").settle().expects(
        "#go", "Take Threes for 9"
    ).hide_advice()
    phone.tap_dice([2]).expects("#notice", "take a box of the card first")
    assert phone.dice() == [3, 3, 3, 4, 5]


def test_two_rolls_typed_within_a_second_are_two(phone: Visitor) -> None:
    """The page says how it reads them, and a tap corrects it. All cases: test_page_modules.py."""
    without_clock(phone.open("#rules=yatzy")).type("33456").settle().type("126").settle().type(
        "4"
    ).settle()
    phone.expects("#notice", "Read as one roll of 4 dice.").expects(
        "#guess", "Kept before this roll:"
    )
    assert phone.state()["holds"] == [[6]]
    phone.enter("puzzle")
    assert phone.locator("#notice").is_hidden()  # it is about the dice
    phone.enter("play")
    phone.locator("#guess button", has_text="two rolls").tap()
    assert (phone.state()["holds"], phone.dice()) == ([[3, 3], [3, 3]], [3, 3, 4])
    phone.locator("#undo").tap()
    assert phone.state()["holds"] == [[6]]
    without_clock(phone.open("#rules=yatzy&dice=16666&left=2")).settle().type(
        "12345"
    ).settle()  # nobody keeps the 1
    phone.expects("#guess.unclear", "Which dice did you keep before this roll?").locator(
        "#guess button"
    ).nth(1).tap()
    assert phone.state()["holds"] == [[1]]


def test_a_tap_changes_the_marks_by_one_die(phone: Visitor) -> None:
    phone.type("33456").settle().die(4).tap()
    assert phone.count("#dice button[aria-pressed='true']") == 3
    assert phone.locator("#dice small").all_text_contents() == ["keep", "keep", "", "", "keep"]
    phone.die(0).tap()
    assert phone.locator("#dice small").all_text_contents() == ["best", "keep", "", "", "keep"]


def test_the_keys_stay_at_one_place(phone: Visitor) -> None:
    """Seven in one row; a second tap at the same spot is always the same die."""
    places = "[...document.querySelectorAll('#faces button')].map((key) => key.getBoundingClientRect()).map((box) => [box.x, box.y])"
    before = phone.evaluate(places)
    assert len({top for _, top in before}) == 1
    for dice in ("3", "3456", "1", "22"):
        phone.type(dice)
        if len(dice) > 1:
            phone.settle()
        assert phone.evaluate(places) == before


@pytest.mark.parametrize(
    ("width", "height", "language"), [(844, 390, "en"), (667, 375, "de"), (640, 360, "fi")]
)
def test_on_its_side_a_phone_has_all_actions_in_a_row(
    phone: Visitor, width: int, height: int, language: str
) -> None:
    """The keys and Undo; the rooms are above, and back below on a phone held
    upright.
    """
    phone.open(f"?lang={language}#rules=yatzy").type("33456").settle()
    in_bar = "document.querySelector('#bar #rooms') !== null"
    assert phone.evaluate(in_bar)
    phone.set_viewport_size({"width": width, "height": height})
    phone.wait_until(f"!({in_bar})")
    boxes = [phone.locator(place).bounding_box() for place in ("#faces", "#undo")]
    rights = [0.0, *(box["x"] + box["width"] for box in boxes)]
    assert all(right <= box["x"] for right, box in zip(rights, boxes, strict=False))
    assert rights[-1] <= width
    assert all(height - 65 <= box["y"] and box["y"] + box["height"] <= height for box in boxes)
    assert phone.locator("#rooms").bounding_box()["y"] < 50
    phone.locator("#undo").tap()
    assert phone.count("#dice button") == 4
    phone.enter("statistics")
    assert phone.locator("#bar .bar-buttons").is_hidden()
    phone.enter("play")


def test_the_other_choices_are_opened_and_closed(phone: Visitor) -> None:
    phone.type("33456").settle().expects("#more", "Other choices")
    phone.locator("#more").tap()
    assert phone.count("#ranking li") == 6
    phone.locator("#more").tap()
    assert phone.count("#ranking li") > 6
    phone.locator("#hide-list").tap()
    phone.expects("#more", "Other choices")
    assert phone.count("#ranking li:visible") == 0
    assert phone.locator("#hide-list").is_hidden()


def test_the_card_stays_in_its_place_while_a_roll_is_asked_for(phone: Visitor) -> None:
    phone.locator("#mode").tap()
    phone.locator("#go").tap()
    top = "document.getElementById('card-panel').getBoundingClientRect().top"
    before = phone.settle().evaluate(top)
    asked: list[Any] = []
    phone.route("**/api/hold", lambda route: asked.append(route))
    phone.locator("#go").tap()
    phone.wait_for(lambda: asked)
    assert phone.evaluate(top) == before
    for route in asked:
        route.continue_()
    phone.settle().unroute("**/api/hold")
    phone.locator("#mode").tap()
    assert phone.tap_dice([1]).evaluate(top) == before  # the next roll is entered


def test_a_die_is_changed_by_a_tap(phone: Visitor) -> None:
    """While others are entered, and of the last roll. Those held before the roll stay."""
    assert phone.get_attribute("#remove-die", "aria-disabled") == "true"
    phone.tap_dice([3, 3, 4]).die(1).tap()
    phone.expects("#faces-hint", "what this die shows")
    assert phone.tap_dice([5]).dice() == [3, 5, 4]
    phone.die(2).tap()
    phone.locator("#remove-die").tap()
    assert phone.tap_dice([3, 5, 6]).dice() == [3, 5, 3, 5, 6]
    phone.settle().die(0).tap()  # now a tap holds
    assert phone.tap_dice([1]).dice() == [3, 5, 5, 1]  # beside the two that were advised
    closed = phone.locator("#dice button").evaluate_all(
        "(all) => all.map((die) => die.ariaDisabled === 'true')"
    )
    assert closed == [True, True, True, False]
    phone.open("#rules=yatzy&dice=33456&left=0").settle().die(2).tap()
    assert phone.tap_dice([3]).dice() == [3, 3, 3, 5, 6]
    phone.locator("#undo").tap()
    assert phone.dice() == [3, 3, 4, 5, 6]


def test_a_die_typed_over_a_finished_hand_says_how_to_take_it_back(page: Visitor) -> None:
    """Enter plays again after a change of rooms by keyboard, and Escape ends the change of one
    die only.
    """
    page.type("23456").settle().expects("#go", "Take Large Straight for 20")
    page.press("1").expects("#notice", "A new roll. Undo brings 2 3 4 5 6 back.")
    assert page.press("Control+z").dice() == [2, 3, 4, 5, 6]
    page.focus("#rooms [data-room=play]")
    page.press("Enter", "1", "Control+z").settle().press("Enter").expects(
        "#turn-line", "Turn 2 of 15"
    )
    page.type("12346").set_left(0).mark(1)
    assert page.press("Escape").dice() == [1, 2, 3, 4, 6]
    assert page.press("Escape").dice() == []


MAX_TABS_TO_BEST_HOLD = 8


def test_tab_leads_to_the_dice_and_soon_to_the_best_hold(page: Visitor) -> None:
    assert page.press("Tab").focused() == "skip"
    assert page.press("Enter").focused() == "dice-title"
    assert "#dice-title" not in page.url
    page.type("33456").settle()
    tabs = 0
    while page.focused() != "go":
        page.press("Tab")
        tabs += 1
        assert tabs <= MAX_TABS_TO_BEST_HOLD


def test_the_focus_is_never_lost(page: Visitor) -> None:
    page.click("#mode")
    page.locator("#faces button").first.focus()
    assert page.press(*["Enter"] * 5).focused() == "Add a 1"
    assert page.dice() == [1] * 5
    page.settle().die(0).focus()
    page.press("ArrowRight", "ArrowRight", "Space")  # within the dice
    assert page.die(2).get_attribute("aria-pressed") == "true"
    assert "Die 5" in page.press("End").focused()
    assert page.count("#dice [tabindex='0']") == 1
    page.locator("#ranking button").nth(3).focus()
    page.press("Enter")
    assert page.evaluate("document.activeElement.classList.contains('option')")
    page.locator("#best-again").focus()
    assert page.press("Enter").focused() != ""
    assert page.evaluate("document.activeElement !== document.body")
    page.click("#menu-button")
    assert page.press("Escape").focused() == "menu-button"
    assert page.dice() == [1] * 5  # Escape closed the menu only
    page.locator("#dice button").last.focus()
    page.press("Backspace")
    assert page.evaluate("document.activeElement.closest('#dice') !== null")


def test_enter_does_one_thing_and_escape_takes_back_one_thing(page: Visitor) -> None:
    """Typed dice leave the focus on the page; the key that holds must not press the button that
    gets the focus next.
    """
    page.type("33456").settle().press("Enter")
    assert page.state()["holds"] == [[3, 3]]  # rolled once, not twice
    page.press("Control+z", "Escape").type("66666").settle().mark(0)
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.press("Enter")
    assert page.count("dialog[open]") == 1  # the warning stays
    page.press("Escape", "Escape")  # first the warning, then the choice, then the dice
    assert page.locator("#best-again").is_hidden()
    assert page.dice() == [6] * 5
    page.die(0).focus()
    assert page.press("Escape").dice() == []
    page.press("Enter").settle()  # plays what the green button says, it enters no dice
    assert (len(page.dice()), page.state()["typed"]) == (5, False)


def test_digits_work_while_a_control_has_the_focus(page: Visitor) -> None:
    for place in ("#open-rules", "#menu-button", "#example", "#edit-card"):
        page.locator(place).focus()
        page.type("3")
    assert page.type("4").dice() == [3, 3, 3, 3, 4]
    page.settle().press("Backspace").locator("#left").focus()
    assert page.type("5").dice() == [3, 3, 3, 3, 5]
    page.menu("open-aim").select_option("#objective", "goal")
    page.locator("#goal").focus()
    page.type("6")
    assert (page.input_value("#goal"), page.dice()) == ("6", [3, 3, 3, 3, 5])
    page.select_option("#objective", "mean")
    page.press("Escape")


MAX_TABS = 25


class Listener:
    """What has been said on a page since it was asked last."""

    def __init__(self, page: Visitor) -> None:
        self.page = page
        page.evaluate("probes.listen")

    def news(self) -> str:
        return str(self.page.evaluate("window.heard.splice(0).join('\\n')"))

    def wait_for(self, pattern: str) -> str:
        """All that is said until a pattern occurs in it."""
        self.page.wait_until("(text) => new RegExp(text).test(window.heard.join('\\n'))", pattern)
        return self.news()


def press_primary(page: Visitor) -> None:
    """Tab to the primary button, if the focus is not there or on the page as a whole, and press
    it.
    """
    for _ in range(MAX_TABS):
        if page.evaluate("['go', 'dice-title'].includes(document.activeElement.id)"):
            break
        page.press("Tab")
    page.press("Enter")


def play_turn(page: Visitor, listener: Listener) -> None:
    """One turn with the dice of the page, as advised: only Enter and Tab are pressed."""
    for roll in (1, 2, 3):
        said = listener.wait_for(rf"Roll {roll} of 3: [1-6 ]+\. ?\n?[A-Z]")
        dice = page.evaluate("loaded('store/state').then(({ state }) => state.dice.join(' '))")
        assert f"Roll {roll} of 3: {dice}." in said
        assert page.inner_text("#answer strong").replace("\u00a0", " ") in said  # the advice
        assert re.search(r"\d+\.\d\d, average final score", said)
        advice = page.text_content("#go")
        press_primary(page)
        if advice.startswith("Take"):
            break
    assert "Working" not in said


def finish_turn(page: Visitor, listener: Listener, turn: int) -> str:
    """What is said after a box was taken: its name, its points, the total."""
    page.wait_until(
        "(turns) => loaded('store/state').then(({ state }) => state.turns.length === turns)", turn
    )
    done = page.evaluate(
        """loaded('store/state').then(({ state, totals, categoryName }) => {
          const { category, points } = state.turns[state.turns.length - 1];
          return [categoryName(category), points, totals().all];
        })"""
    )
    name, points, total = done
    following = f"Turn {turn + 1} of 15" if turn < 15 else f"Final score: {total}"
    return listener.wait_for(
        rf"{re.escape(name)}: {points} points?\.\nTotal {total}\.(.|\n)*{following}"
    )


def play(page: Visitor, turns: int) -> tuple[Game, str]:
    listener = Listener(page)
    page.press("Tab")
    for _ in range(MAX_TABS):
        if page.evaluate("document.activeElement.id === 'go'"):
            break
        page.press("Tab")
    said = ""
    for turn in range(1, turns + 1):
        press_primary(page)  # the first roll
        play_turn(page, listener)
        said = finish_turn(page, listener, turn)
        assert page.evaluate("document.activeElement !== document.body")
    return read_game(page.record()), said


def test_three_turns_are_heard(page: Visitor) -> None:
    game, _ = play(page, 3)
    assert len(game.turns) == 3


@pytest.mark.slow
def test_a_whole_game_is_heard(page: Visitor) -> None:
    """Fifteen turns by keyboard alone; then the final score, and the review that Enter opens."""
    game, said = play(page, 15)
    card = game.card(0)
    total = card.total + (50 if card.upper >= 63 else 0)
    assert f"Final score: {total}" in said
    page.expects("#turn-line", "Game over")
    listener = Listener(page)
    press_primary(page)
    assert listener.wait_for(rf"focus: You: {total} points")
    page.press("ArrowRight")
    assert listener.wait_for("Turn 1, roll 2, ")


SEED = int(os.environ.get("WALK_SEED", "20261123"))
SHORT, LONG = 200, 400  # taps; then everything is undone


@pytest.mark.parametrize(
    ("taps", "length"), [(SHORT, SHORT), ring_3(10_000, LONG)], ids=["one game", "10,000 taps"]
)
def test_every_tap_has_an_effect_and_undo_goes_back_to_the_start(
    tab: Visitor, taps: int, length: int
) -> None:
    draw = random.Random(SEED)
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    reviewed, is_away = 0, False
    for segment in range(taps // length):
        tab.unroute_all(behavior="ignoreErrors")
        is_away = False
        tab.open("#rules=yatzy" + ("&goal=250" if segment % 4 == 2 else ""))
        if segment % 2:
            tab.change("s.players.push(newPlayer('Bo'));")
        start = tab.state()
        changes = tab.evaluate(
            "loaded('store/state').then(({undoAndRedoAvailable}) => undoAndRedoAvailable()[0])"
        )
        for tap in range(length):
            if draw.random() < 0.01:
                is_away = not is_away
                if is_away:
                    tab.route("**/api/**", lambda route: route.abort())
                else:
                    tab.unroute_all(behavior="ignoreErrors")
            fault, is_over = tab.evaluate("probes.tap", [[draw.random(), draw.random()], 25])
            assert not fault, (SEED, segment, tap, fault, tab.evaluate("document.body.innerText"))
            if is_over and not is_away and tab.count("#review-end"):
                assert all(each["finished"] for each in tab.evaluate("probes.reviews"))
                reviewed += 1
                tab.click("#go")
        tab.press("Escape")
        tab.evaluate("probes.undoAll", bool(changes))
        assert tab.state() == start
    assert errors == []
    assert reviewed >= taps // 2000
