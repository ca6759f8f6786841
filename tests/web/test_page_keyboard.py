"""The page by keyboard alone, heard by a screen reader, and tapped at random."""

import os
import random
import re

import pytest
from perfect_yatzy.play.record import Game, read_game
from support.browser import Visitor

pytestmark = pytest.mark.full

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
    """Typed dice leave the focus on the page; the key that holds must not press the button that gets the focus next."""
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
    page.click("#open-rules").select_option("#objective", "goal")
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
    """Tab to the primary button, if the focus is not there or on the page as a whole, and press it."""
    for _ in range(MAX_TABS):
        if page.evaluate("['go', 'dice-title'].includes(document.activeElement.id)"):
            break
        page.press("Tab")
    page.press("Enter")


def play_turn(page: Visitor, listener: Listener) -> None:
    """One turn with the dice of the page, as advised: only Enter and Tab are pressed."""
    for roll in (1, 2, 3):
        said = listener.wait_for(rf"Roll {roll} of 3: [1-6 ]+\. ?\n?(Keep|Roll all|Take) ")
        dice = page.evaluate("loaded('state').then(({ state }) => state.dice.join(' '))")
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
    page.wait_until("(turns) => loaded('state').then(({ state }) => state.turns.length === turns)", turn)
    done = page.evaluate(
        """loaded('state').then(({ state, totals, categoryName }) => {
          const { category, points } = state.turns[state.turns.length - 1];
          return [categoryName(category), points, totals().all];
        })"""
    )
    name, points, total = done
    following = f"Turn {turn + 1} of 15" if turn < 15 else f"Final score: {total}"
    return listener.wait_for(rf"{re.escape(name)}: {points} points?\.\nTotal {total}\.(.|\n)*{following}")


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
    heard = listener.wait_for(rf"focus: You: {total} points")
    assert heard
    page.press("ArrowRight")
    assert listener.wait_for("Turn 1, roll 2, ")


SEED = int(os.environ.get("WALK_SEED", "20261123"))
SHORT, LONG = 200, 400  # taps; then everything is undone


@pytest.mark.parametrize(
    ("taps", "length"),
    [(SHORT, SHORT), pytest.param(10_000, LONG, marks=pytest.mark.slow)],
    ids=["one game", "10,000 taps"],
)
def test_every_tap_has_an_effect_and_undo_goes_back_to_the_start(tab: Visitor, taps: int, length: int) -> None:
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
        changes = tab.evaluate("loaded('state').then(({undoAndRedoAvailable}) => undoAndRedoAvailable()[0])")
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
