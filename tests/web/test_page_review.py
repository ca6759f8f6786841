"""Reviews and training in a real browser; and what people see: axe, targets and contrasts in
every state, print.
"""

import io
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Hold, Strategy
from perfect_yatzy.play.puzzle import daily_seed, find_puzzle
from perfect_yatzy.play.record import Game, RecordedTurn, read_game, write_games
from perfect_yatzy.play.review import Review, review
from support.browser import RULES, Visitor, axe_faults, looks_right
from support.human import human
from support.need import need

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def game(yatzy: Strategy) -> Game:
    return human(yatzy, 2)


@pytest.fixture(scope="module")
def reviewed(yatzy: Strategy, game: Game) -> Review:
    return review(yatzy, game)


@pytest.fixture
def opened(page: Visitor, game: Game, tmp_path: Path) -> Visitor:
    """The page with the review of a game from a file."""
    return open_games(page, tmp_path, game)


def open_games(page: Visitor, folder: Path, *games: Game) -> Visitor:
    path = folder / "games.jsonl"
    write_games(path, list(games))
    page.set_input_files("#record", str(path))
    page.wait_for_selector("#review-name")
    return page


def test_why_and_the_position_of_the_worst_decision(opened: Visitor, reviewed: Review) -> None:
    """What a screen reader hears of it, too."""
    worst = max(range(len(reviewed.decisions)), key=lambda i: reviewed.decisions[i].loss)
    decision = reviewed.decisions[worst]
    opened.locator(".decision").nth(worst).click()
    opened.expects("#decision", f"−{decision.loss:.2f}")
    said = opened.text_content("#decision-status")
    assert said.startswith(
        f"Turn {decision.turn}, roll {decision.roll}, {' '.join(map(str, decision.dice))}: "
    )
    assert f"{decision.grade}, lost {decision.loss:.2f}. Best: " in said
    opened.locator("#decision summary").click()
    opened.expects("#decision table", "Points later")
    assert opened.count("#decision th:empty") == 0
    assert axe_faults(opened, "#review", RULES) == []  # by its experimental rules, too
    opened.locator("#decision button", has_text="Show this position").click()
    opened.expects("#notice", f"Turn {decision.turn}, roll {decision.roll}", "Undo goes back")
    opened.expects("#visit", f"blunder, −{decision.loss:.2f}")  # what was played there
    assert (opened.dice(), opened.state()["left"]) == ([*decision.dice], decision.rolls_left)
    assert len(opened.state()["players"][0]["card"]) == decision.turn - 1
    opened.press("Control+z")
    assert opened.dice() == []


def test_a_position_shown_leads_back_to_the_review_and_to_the_own_game(opened: Visitor) -> None:
    opened.enter("play")
    opened.press("Escape")
    opened.locator("body").evaluate("() => document.activeElement.blur()")
    opened.type("12345").settle()
    own = opened.url
    for at in (
        4,
        9,
    ):  # from the review: a second position from the review, and some play on the table
        opened.enter("review")
        opened.locator(".decision").nth(at).click()
        opened.locator("#decision button", has_text="Show this position").click()
        opened.expects("#visit", "Played: ").settle()
    assert opened.focused() == "advice-title"
    assert opened.evaluate("document.getElementById('visit').getBoundingClientRect().top") >= 0
    opened.click("#go")
    opened.wait_until("!document.getElementById('visit').textContent.includes('Played')")
    opened.click("#visit-back")
    assert opened.focused() == "review-name"
    assert opened.locator("#visit").is_hidden()
    opened.press("ArrowRight")  # changes nothing on the table
    assert (opened.decision(), opened.url) == (11, own)


def test_the_result_is_what_one_sees_first(page: Visitor, game: Game, tmp_path: Path) -> None:
    """Opening a review scrolls to it; the course and the decision share one screen, on a phone with
    the head of the card, on a desk with the decision in the list.
    """
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("window.scrollTo(0, 0)")
        open_games(page, tmp_path, game)
        page.wait_until(
            "Math.abs(document.getElementById('review-body').getBoundingClientRect().top) < 30"
        )
        page.press("m")
        assert page.locator("#faces").is_hidden()  # they belong to the table
        for part in (
            "svg.course",
            "#step-on",
            "#decision .choice >> nth=0",
            "#decision .choice >> nth=1",
        ):
            box = page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part
        part = "#review-card h4" if width == 390 else ".decision[aria-current]"
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= height, part
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        scrolls = page.evaluate("getComputedStyle(document.querySelector('.turns')).overflowY")
        # on a phone the page scrolls, not the list
        assert scrolls == ("visible" if width < 896 else "auto")


def test_several_players_and_errors_of_nothing(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    """Each player has a review, chosen by a button. Without errors the sum has neither a sign
    nor a colour.
    """
    ann, bo = human(yatzy, 2), human(yatzy, 4)
    both = [
        turn
        for pair in zip(ann.turns, [replace(t, player=1) for t in bo.turns], strict=True)
        for turn in pair
    ]
    open_games(page, tmp_path, Game(yatzy.rules, ("Ann", "Bo"), tuple(both)))
    assert page.text_content("#review-name") == "Ann: 195 points"
    page.locator(".players button", has_text="Bo").click()
    assert page.text_content("#review-name") == f"Bo: {bo.card(0).total} points"
    assert page.focused() == "Bo"
    assert page.locator(".players button[aria-pressed='true']").text_content() == "Bo"
    perfect = Game(yatzy.rules, ("Ann",), (RecordedTurn(0, ((6,) * 5,), (), "yatzy", 50),))
    assert review(yatzy, perfect).points_lost == 0
    # no longer the review of Bo
    open_games(page, tmp_path, perfect).expects("#review-name", "after 1 turn")
    errors = page.locator("#review .figures > div", has_text="errors")
    assert errors.locator("dd").text_content() == "0.0"
    assert errors.get_attribute("class") is None


def test_the_outline_that_a_screen_reader_has_and_clicks_on_the_curve(
    opened: Visitor, reviewed: Review
) -> None:
    outline = opened.locator("#review").aria_snapshot()
    for line in (
        'heading "Review" [level=2]',
        'heading "Ann: 195 points" [level=3]',
        'heading "All decisions" [level=4]',
        'img "Course of the game: the average final score went from',
        'group "Step through the decisions"',
        "An inaccuracy loses less than 0.4 points, a mistake less than 1.7, a blunder more.",
        'list "All decisions"',
        'button "Next decision"',
        f"Turn 1, roll 1: {' '.join(map(str, reviewed.decisions[0].dice))} Keep",
    ):
        assert line in outline, line
    chart = opened.locator("svg.course")
    box = chart.bounding_box()
    for share in (0.98, 0.5, 0.12):
        chart.click(position={"x": share * box["width"], "y": box["height"] / 2})
        wanted = share * len(reviewed.decisions)
        assert abs(opened.decision() - wanted) <= 0.1 * len(reviewed.decisions)
    mark = opened.locator(".course .here")
    before = float(mark.get_attribute("x1"))
    opened.press("End")
    assert float(mark.get_attribute("x1")) > before


MISTAKE = {"rules": "yatzy", "card": {"ones": 3}, "dice": [6, 6, 6, 6, 6], "rolls_left": 1}
BUTTON = "#exercise button"


def show_best(page: Visitor) -> None:
    """After an answer: the best choice, which a wrong answer does not reveal."""
    page.wait_for_selector("#exercise .verdict")
    button = page.locator(BUTTON, has_text="Show the best choice")
    if button.count():
        button.click()


def take(page: Visitor, name: str) -> None:
    page.locator("#exercise .exercise-card button", has_text=name).first.click()
    page.wait_for_selector("#exercise .verdict")


def labels(page: Visitor) -> list[int]:
    """The faces of the dice of an exercise."""
    return [
        int(die.get_attribute("aria-label")[-1])
        for die in page.locator("#exercise .exercise-dice .die").all()
    ]


def keep(page: Visitor, dice: tuple[int, ...]) -> None:
    """Keep dice in the puzzle of the day."""
    rest = list(dice)
    for die in page.locator("#today .die").all():
        face = int(die.get_attribute("aria-label")[-1])
        if face in rest:
            rest.remove(face)
            die.click()
    assert rest == []
    page.click("#day-keep" if dice else "#day-roll-all")


def faces_of(page: Visitor) -> tuple[int, ...]:
    """The dice of the puzzle of the day, ascending."""
    said = page.locator("#today [role='status']").text_content()
    return tuple(sorted(int(face) for face in said if face.isdigit()))


def test_today_is_the_position_of_the_command_and_perfect_play_is_perfect(
    page: Visitor, yatzy: Strategy
) -> None:
    """Three choices of the strategy, each for the dice that the page shows: nothing is lost, and
    the result stays.
    """
    today = date.fromordinal(
        page.evaluate("loaded('puzzle/puzzle').then((module) => module.today())")
    )
    puzzle = find_puzzle(yatzy, daily_seed(today), "medium")
    page.enter("puzzle")
    page.expects("#today-title", "What do you keep?")
    assert faces_of(page) == puzzle.dice
    assert page.count("#today .exercise-card .filled") == len(puzzle.card.points)
    names = {category.id: category.name for category in yatzy.rules.categories}
    for rolls_left in (2, 1):
        if page.text_content("#today-title") == "Which box?":
            break
        best = yatzy.ranking(puzzle.card, faces_of(page), rolls_left)[0]
        keep(page, best.dice if isinstance(best, Hold) else faces_of(page))
    best = yatzy.categories(puzzle.card, faces_of(page), 0)[0]
    page.expects("#today-title", "Which box?")
    page.locator("#today .exercise-card button", has_text=names[best.category]).first.click()
    page.expects("#today-title", "Perfect.").expects("#day-share-line", "0.0")
    assert set(page.locator("#today .day-verdicts .grade").all_text_contents()) <= {
        "best",
        "equally good",
    }
    page.reopen().enter("puzzle")
    page.expects("#today-title", "Perfect.").expects(".day-streak", "1 day in a row")


def test_further_puzzles_differ_and_one_opens_on_the_table(page: Visitor) -> None:
    page.enter("puzzle")
    seen = set()
    for _ in range(3):
        page.start_exercise("#puzzle-more")
        seen.add(page.inner_text("#exercise"))
    assert len(seen) == 3
    dice, title = labels(page), page.text_content("#exercise h4")
    page.locator("#exercise .exercise-card button").first.click()
    show_best(page)
    page.locator(BUTTON, has_text="Show this position").click()
    page.expects("#notice", "Undo goes back").expects("#visit", title)
    assert page.dice() == sorted(dice)
    page.click("#visit-back")
    assert page.focused() == title
    assert page.dice() == []  # the own game is back


def test_solved_mistakes_survive_a_reload_and_can_be_forgotten(page: Visitor) -> None:
    """One of hidden advice, and two others of which one is known already."""
    page.hide_advice()
    page.open("#rules=yatzy&card=ones%3D3&dice=66666&left=1").expects("#answer", "Your choice")
    page.mark(0).click("#go").expects("#last-choice", "blunder")
    page.add_mistakes(MISTAKE, {**MISTAKE, "rolls_left": 2})
    page.expects("#drill-counts", "2 of 2 errors are due.")
    page.start_exercise("#drill-start")
    assert page.count("#exercise .exercise-card .filled") == 1
    take(page, "Yatzy")
    page.expects("#exercise .verdict", "the best choice").expects(
        "#drill-counts", "1 of 2 errors are due."
    )
    assert page.count("#exercise .note") == 0
    page.locator(BUTTON, has_text="Next error").click()
    page.wait_for_selector("#exercise .exercise-card button:not([aria-disabled])")
    assert page.count("#exercise .note") == 0
    page.evaluate("document.getElementById('drill-start').click()")
    page.expects("#exercise .note", "You have had this one before.")  # still not answered
    page.wait_for_selector("#exercise .answer:empty", state="attached")
    page.reopen().expects("#drill-counts", "1 of 2 errors are due.").enter("puzzle")
    page.click("#drill-forget").expects("#drill-counts", "are collected here")
    assert page.locator("#drill-start").is_hidden()
    assert page.focused() == "training-title"


def test_a_wrong_answer_says_what_it_loses_and_what_is_best(page: Visitor, yatzy: Strategy) -> None:
    page.start_exercise("#drill-start", MISTAKE)
    assert page.focused() == "An error that lost 5.0 points"
    above = page.locator("#training :is(h3, h4)").all_text_contents()
    assert above[above.index("An error that lost 5.0 points") - 1] == "Your errors"
    for die in (0, 1):
        page.locator("#exercise .exercise-dice .die").nth(die).click()
    page.expects("#exercise-roll", "Keep 6 6, roll 3 dice").click("#exercise-roll")
    values = {each.dice: each.value for each in yatzy.holds("ones=3", "66666", 1)}
    best = max(each.value for each in yatzy.categories("ones=3", "66666", 1))
    page.expects(
        "#exercise .verdict", f"Keep 6 6 loses {best - values[(6, 6)]:.2f} points.", "blunder"
    )
    background = page.evaluate(
        "getComputedStyle(document.querySelector('.answer')).backgroundColor"
    )
    assert background == "rgb(253, 228, 226)"
    assert page.focused() == "Try again"
    assert "Yatzy for 50" not in page.inner_text("#exercise .answer")  # a second try first
    assert page.press("Enter").focused() == "Die 1 shows 6"
    assert page.count("#exercise .verdict") == 0
    page.type("66")  # digits hold dice of the exercise, not of the game
    page.expects("#exercise-roll", "Keep 6 6, roll 3 dice")
    assert page.dice() == []
    page.click("#exercise-roll")
    show_best(page)
    page.expects("#exercise .best-choice", "Best: Yatzy for 50.")
    assert page.text_content("#exercise .exercise-card .best") == "Yatzy 50"
    page.click("#exercise summary").expects("#exercise table", "Keep 6 6")
    assert page.choices_counted() == 1
    page.expects("#session", "1 blunder")
    page.locator("#exercise .exercise-card button").first.click(
        force=True
    )  # only the first answer counts
    assert page.choices_counted() == 1


def test_the_best_dice_are_ringed_and_an_open_box_looks_open(page: Visitor) -> None:
    page.start_exercise("#drill-start", MISTAKE | {"dice": [3, 3, 4, 5, 6], "rolls_left": 2})
    look = "(name) => { const e = document.querySelector(name), s = getComputedStyle(e); return [s.fontWeight, s.backgroundColor, s.color]; }"
    filled, nothing = (
        page.evaluate(look, f"#exercise .exercise-card {name}")
        for name in (".filled .points", ".zero")
    )
    assert filled != nothing
    page.locator("#exercise .exercise-dice .die").nth(4).click()
    page.click("#exercise-roll")
    assert page.count("#exercise .exercise-dice .advised") == 0
    show_best(page)
    assert page.locator("#exercise .exercise-dice .advised small").all_text_contents() == [
        "best",
        "best",
    ]
    ring = page.evaluate(
        "getComputedStyle(document.querySelector('#exercise .exercise-dice .advised .die-face')).outline"
    )
    assert "solid" in ring


def test_an_exercise_has_the_screen_and_the_focus(page: Visitor) -> None:
    """It begins at the top of the screen, and nothing of the game on the table is beside it."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.enter("puzzle")
    for button in ("#puzzle-more", "#exercise .bar .primary"):
        page.start_exercise(button)
        assert page.focused().startswith("Puzzle")
        assert page.evaluate("document.activeElement.tagName") == "H4"
        said = page.locator("#exercise [role='status']").first.text_content()
        assert said.startswith("Yatzy, ")
        assert "Dice " in said
        page.wait_until(
            "Math.abs(document.querySelector('#exercise').getBoundingClientRect().top) < 30"
        )
        assert page.locator("#faces").is_hidden()
        assert page.locator("#go").is_hidden()
        assert page.press("Enter").dice() == []  # plays nothing on the table
        page.locator("#exercise .exercise-card button").first.click()
        show_best(page)
    page.enter("play")
    assert page.locator("#go").is_visible()


CLIPPED = """[...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() &&
  !element.closest(".unseen, svg, select") && getComputedStyle(element).display !== "inline" &&
  [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) &&
  element.clientWidth > 2 && element.scrollWidth > element.clientWidth + 1
).map((element) => element.textContent.trim())"""


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_no_word_is_clipped_in_east_asian_scripts(blank: Visitor, language: str) -> None:
    """Whatever font draws them: characters are squares of the size of the type."""
    blank.set_viewport_size({"width": 390, "height": 844})
    blank.open(f"?lang={language}").type("33456").settle()
    for room in ("play", "puzzle", "review", "statistics"):
        blank.enter(room)
        blank.draw()
        assert (room, blank.evaluate(CLIPPED)) == (room, [])
        assert blank.evaluate("document.documentElement.scrollWidth") <= 390
    blank.enter("play")
    looks_right(blank, language)


@pytest.mark.parametrize("language", ["de", "fi"])
def test_controls_wrap_as_a_whole(blank: Visitor, language: str) -> None:
    """A name stays beside its control, or above it where both do not fit in a line; no box is
    apart from its words.
    """
    blank.set_viewport_size({"width": 390, "height": 844})
    blank.open(f"?lang={language}").enter("puzzle")
    # All at one time: the figures above may arrive meanwhile and move everything.
    name, control, box, words = blank.evaluate(
        """["label[for='difficulty']", "#difficulty", "#hide-advice", ".check span"].map((each) => {
          const { x, y, width, height } = document.querySelector(each).getBoundingClientRect();
          return { x, y, width, height };
        })"""
    )
    assert abs(name["y"] + name["height"] / 2 - control["y"] - control["height"] / 2) < 4
    assert words["x"] >= box["x"] + box["width"]
    lefts = blank.evaluate(
        "[...document.querySelectorAll('#puzzle-more, #puzzle-bar label, #threshold, #hide-advice')].map((e) => Math.round(e.getBoundingClientRect().left))"
    )
    assert max(lefts) - min(lefts) <= 4
    assert blank.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_loss_above_the_threshold_is_asked_about(blank: Visitor) -> None:
    """One tap cannot roll a Yatzy away; the safe answer has the focus and Escape is safe, too."""
    blank.open("#rules=yatzy&card=ones%3D3&dice=66666&left=1").settle()
    blank.mark(0, 0).expects("#go", "Roll all dice again")
    blank.click("#go").expects("#loss-dialog", "loses", "blunder")
    assert blank.focused() == "Choose again"
    blank.press("Escape").wait_for_selector("#loss-dialog", state="detached")
    assert blank.dice() == [6] * 5
    blank.click("#go").locator("#loss-dialog button", has_text="Do it anyway").click()
    blank.wait_until("!location.hash.includes('dice=66666')")
    assert blank.state()["holds"] == [[]]
    blank.click("#undo").enter("puzzle")
    blank.select_option("#threshold", "0")
    blank.enter("play")
    blank.settle().mark(0).click("#go")
    blank.wait_until("!location.hash.includes('dice=66666')")
    assert blank.count("#loss-dialog") == 0


def test_by_keyboard_alone_also_when_the_server_was_away(tab: Visitor) -> None:
    """A puzzle from the button to the next one: the focus always stands where the player goes
    on.
    """
    tab.open().enter("puzzle")
    with tab.without_server():
        tab.locator("#puzzle-more").focus()
        tab.press("Enter").wait_for_selector("#exercise .error")
    tab.locator(BUTTON, has_text="Try again").click()
    tab.wait_for_selector("#exercise .exercise-card button")
    assert "Puzzle, medium" in tab.focused()
    for _ in range(30):
        tab.press("Tab")
        if tab.evaluate("Boolean(document.activeElement.closest('#exercise .exercise-card'))"):
            break
    tab.press("Enter").wait_for_selector("#exercise .verdict")
    if tab.focused() == "Try again":
        assert tab.press("Tab").focused() == "Show the best choice"
        tab.press("Enter")
    assert tab.focused() == "Another puzzle"


GIVEN_AWAY = "#rules=yatzy&card=ones%3D3&dice=66666&left=1"


# --- every state ---
def test_the_table(page: Visitor) -> None:
    looks_right(page, "empty")
    page.type("33456").settle()
    looks_right(page, "advice")
    tops = page.evaluate(
        "[...document.querySelectorAll('#dice button')].map((e) => e.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    page.mark(0).click("#map summary")
    page.wait_for_selector("#map tbody tr")
    looks_right(page, "held")
    page.type("3")
    looks_right(page, "next roll")
    page.click("#edit-card")
    page.write("#box-ones", "9")
    looks_right(page, "editing")
    page.open("#rules=yatzy&dice=33345&left=0").settle()
    looks_right(page, "last roll")


def test_dialogs(blank: Visitor) -> None:
    blank.open(GIVEN_AWAY).settle().click("#menu-button")
    looks_right(blank, "menu")
    blank.click("#open-players").click("#add-player")
    looks_right(blank, "players")
    blank.press("Escape").menu("open-paste")
    blank.fill("#paste-text", "rubbish text")
    blank.locator("#paste-form .primary").click()
    blank.expects("#paste-error", " ")
    looks_right(blank, "paste")
    blank.press("Escape").mark(0).click("#go").expects("#loss-dialog", "blunder")
    looks_right(blank, "loss")
    blank.press("Escape").click("#open-rules")
    looks_right(blank, "rules")
    blank.press("Escape").menu("open-aim")
    for objective in ("goal", "win"):
        blank.select_option("#objective", objective)
        looks_right(blank, f"aim, {objective}")


def test_a_review_with_a_mistake_open_and_its_position(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    open_games(page, tmp_path, human(yatzy, 2), human(yatzy, 4))
    page.press("m")
    page.locator("#decision summary").click()
    looks_right(page, "review")
    page.locator("#decision button", has_text="Show this position").click()
    page.settle().expects("#visit", "Played")
    looks_right(page, "position of a review")


def test_training(page: Visitor) -> None:
    page.hide_advice()
    page.open(GIVEN_AWAY).expects("#answer", "Your choice")
    looks_right(page, "hidden advice")
    page.mark(0).click("#go").expects("#last-choice", "blunder")
    looks_right(page, "last choice")
    page.start_exercise("#drill-start", MISTAKE)
    page.locator("#exercise .exercise-dice .die").first.click()
    looks_right(page, "exercise")
    page.locator("#exercise-roll").click()
    looks_right(page, "wrong answer")
    page.locator("#exercise button", has_text="Show the best choice").click()
    page.locator("#exercise summary").click()
    looks_right(page, "solution")


def test_today(page: Visitor) -> None:
    """Asked, at the box, and answered; on a phone and on a desk the question, the dice and the
    buttons are in sight.
    """
    page.enter("puzzle")
    page.wait_for_selector("#today .exercise-card .now")
    page.locator("#today .die").nth(2).click()
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        for place in ("#today-title", "#today .die >> nth=4", "#day-keep"):
            box = page.locator(place).bounding_box()
            assert box["y"] + box["height"] <= height, place
    looks_right(page, "today")
    page.click("#day-roll-all").click("#day-roll-all")
    page.wait_for_selector("#today .exercise-card button")
    looks_right(page, "today, the box")
    page.locator("#today .exercise-card button").last.click()
    page.wait_for_selector("#day-copy")
    looks_right(page, "today, answered")
    page.enter("play")
    assert page.locator("#today").is_hidden()


def test_games_with_their_level_and_the_review_of_one(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    path = tmp_path / "kept.jsonl"
    write_games(path, [human(yatzy, 2), human(yatzy, 4)])
    page.enter("statistics")
    page.set_input_files("#import-file", str(path))
    page.expects("#statistics-status", "2 games added").expects("#level", "points lost a game")
    assert page.count(".game-row") == 2
    looks_right(page, "games")
    page.locator(".game-row").first.click()
    page.wait_for_selector("#review-card .exercise-card")
    looks_right(page, "review of a game")
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        decision = page.locator("#decision").bounding_box()
        card = page.locator("#review-card").bounding_box()
        if width == 390:
            assert card["y"] >= decision["y"] + decision["height"]
        else:
            assert card["x"] >= decision["x"] + decision["width"]


def test_before_the_first_game_a_sample_shows_what_a_review_says(
    page: Visitor, yatzy: Strategy
) -> None:
    """Its figures are those of the review of its record by the package. It is not kept."""
    page.enter("review")
    page.expects("#review-source", "A sample game")
    record = page.evaluate(
        "loaded('review/review-view').then(({ reviewedRecord }) => reviewedRecord())"
    )
    sample = review(yatzy, read_game(record, yatzy.rules))
    assert sample.finished
    assert f"{sample.result:.0f}" in page.inner_text("#review-name")
    shown = page.inner_text("#review-body .figures").replace("\u2212", "-")
    for figure in (sample.luck, -sample.points_lost):
        assert f"{figure:+.1f}" in shown
    looks_right(page, "sample")
    page.enter("statistics")
    page.expects("#sample", f"{sample.result:.0f}")
    assert page.count(".game-row") == 1
    looks_right(page, "no games")
    page.locator("#statistics .play-first").click()
    assert page.get_attribute("body", "data-room") == "play"
    assert page.evaluate("loaded('store/memory').then(({ games }) => games())") == []


def test_what_to_expect_while_it_is_computed_and_the_end_of_a_game(page: Visitor) -> None:
    page.wait_for_selector("#chart rect")
    page.locator("#chances-details summary").click()
    looks_right(page, "figures")
    page.asks("expect", lambda body: {})
    page.change("s.players[0].card.chance = 20;")
    page.wait_for_selector("#spread.outdated")
    looks_right(page, "figures fade")
    page.change("for (const box of rules().categories) s.players[0].card[box.id] = 0;")
    page.expects("#answer", "Final score: 0")
    looks_right(page, "end of a game")


# --- colours and paper ---
def test_the_colours_can_be_chosen_and_stay(page: Visitor) -> None:
    shown = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme]"
    light, dark = ["rgb(240, 243, 245)", "light"], ["rgb(15, 22, 28)", "dark"]
    page.menu("open-language")
    page.select_option("#theme", "dark")
    assert page.evaluate(shown) == dark
    assert page.reopen().evaluate(shown) == dark
    page.emulate_media(media="print")
    assert page.evaluate(shown)[0] == "rgb(255, 255, 255)"
    page.emulate_media(media="screen", color_scheme="dark")
    page.menu("open-language")
    page.select_option("#theme", "light")
    assert page.evaluate(shown) == light
    page.select_option("#theme", "device")
    assert page.evaluate(shown)[0] == dark[0]
    page.emulate_media(color_scheme="light")
    assert page.evaluate(shown)[0] == light[0]


def test_forced_colours_keep_the_marks(page: Visitor) -> None:
    page.emulate_media(forced_colors="active")
    page.type("33456").settle()
    assert page.locator("#dice .advised small").all_text_contents() == ["keep", "keep"]
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.advised .die-face')).outlineStyle")
        == "solid"
    )


def test_a_position_prints_on_one_page_in_dark_ink(blank: Visitor) -> None:
    blank.emulate_media(color_scheme="dark")
    blank.open("#rules=yatzy&card=ones=3+sixes=24&dice=33456&left=2").settle().expects(
        "#expect", "24"
    )
    printed = need("pypdf").PdfReader(io.BytesIO(blank.pdf(format="A4")))
    assert len(printed.pages) == 1
    text = printed.pages[0].extract_text()
    assert "Yatzy · Turn 3 of 15 · dice 3 3 4 5 6 · roll 1 of 3 · total 27" in " ".join(
        text.split()
    )
    assert "Ones 3\n" in text
    assert "Threes (6)\n" in text  # what this roll would score is in brackets
    assert all(
        value in text for value in blank.locator("#ranking .option-value").all_text_contents()
    )
    blank.emulate_media(media="print", color_scheme="dark")
    ink = "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
    assert blank.evaluate(ink) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert [
        each
        for each in ("go", "undo", "open-rules", "faces")
        if blank.locator(f"#{each}").is_visible()
    ] == []


def test_a_review_is_printed_on_pages_of_its_own(
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    page.type("33456").settle()
    open_games(page, tmp_path, human(yatzy, 2), human(yatzy, 4))
    for scheme in ("light", "dark"):
        page.emulate_media(media="print", color_scheme=scheme)
        assert axe_faults(page) == []
    assert page.locator("#review-name").is_visible()
    hidden = (".stepper", "#decision", "#review-own", "#practise", "#open-file")
    assert [place for place in hidden if page.locator(place).is_visible()] == []
    assert (
        page.evaluate("getComputedStyle(document.getElementById('review')).breakBefore") == "page"
    )
    assert page.evaluate("getComputedStyle(document.querySelector('.turns')).maxHeight") == "none"
    assert page.pdf(path=str(tmp_path / "review.pdf")).startswith(b"%PDF")


# --- before any script ---
def test_before_any_script_and_without_scripts(browser: Any, address: str) -> None:
    """It says what to do; the dice of the example are there, and the menu, which could do
    nothing yet, is not.
    """
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    page.locator("noscript p[lang=en]").wait_for()
    assert page.locator("#loading").is_hidden()
    page, waiting = browser.new_context().new_page(), []
    page.add_init_script("delete localStorage['perfect-yatzy-dice']")  # a first visit
    page.route("**/*.js", lambda route: waiting.append(route))
    page.goto(address, wait_until="commit")
    page.locator("#loading svg").wait_for()
    pips = page.locator("#loading .pips").get_attribute("d")
    squares = page.locator("#loading .squares").get_attribute("d")
    lefts = [int(left) - 10 for left in re.findall(r"M(\d+) 20", squares)]
    found = Counter(sum(left <= int(x) for left in lefts) for x in re.findall(r"M(\d+) ", pips))
    assert [found[i + 1] for i in range(5)] == [2, 5, 5, 5, 1]
    # A style sheet hides it. The browser shows nothing before the sheets are there; this test looks earlier.
    page.locator("#menu-button").wait_for(state="hidden")
    for route in waiting:
        route.continue_()
    page.unroute("**/*.js")
    page.locator("#example").wait_for()
    assert page.locator("#example .dice-row").get_attribute("aria-label") == "2 5 5 5 1"
    assert page.locator("#loading").is_hidden()
    assert page.locator("#menu-button").is_visible()
