"""The page in a real browser, its core: turns, undo and redo, reloads, advice, the card,
reviews, training, axe once.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from perfect_yatzy import Strategy
from perfect_yatzy.play.record import read_games, write_games
from perfect_yatzy.play.review import review
from support.browser import Visitor, axe_faults
from support.human import human
from support.need import need

playwright = need("playwright.sync_api")

pytestmark = pytest.mark.full

FULL = (
    "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10+two-pairs=18+three-of-a-kind=12"
    "+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0+chance=20"
)
MENU = ("undo", "menu-undo", "redo", "review-own", "save-own")


def enabled(page: Visitor) -> list[str]:
    """The entries of the menu and of the bar that have an effect."""
    return [
        each
        for each in MENU
        if page.get_attribute(f"#{each}", "aria-disabled") != "true"
        and page.get_attribute(f"#{each}", "hidden") is None
    ]


@pytest.fixture(autouse=True)
def no_early_distributions(tab: Visitor) -> Iterator[None]:
    """Those of an early card take seconds; the page has them in test_page_table.py."""
    tab.asks("expect", lambda body: None if body.get("spread") is False else {})
    yield
    tab.unroute("**/api/expect")


def test_the_page_for_development_runs_the_modules_as_they_are_written(blank: Visitor) -> None:
    """It answers as the page does, from files of their own."""
    page = blank.open("development.html")
    page.click("#go").settle()
    assert page.text_content("#go").startswith(("Roll", "Take"))
    names = page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    scripts = {name.removeprefix(page.address) for name in names if name.endswith(".js")}
    assert {"shell/app.js", "table/card.js", "review/end.js"} <= scripts
    assert not any(name.endswith("page.js") for name in scripts)


def test_a_turn_undo_redo_and_a_reload(page: Visitor) -> None:
    """With the dice of the page; what has no effect is disabled, and a change ends what can be
    done again.
    """
    assert enabled(page) == []
    page.click("#go").settle()
    assert enabled(page) == ["undo", "menu-undo"]
    while not page.text_content("#go").startswith("Take"):
        page.click("#go").settle()
    last = page.state()["dice"]
    box = page.locator("#card .best .name").text_content()
    page.click("#go").expects("#turn-line", "Turn 2 of 15")
    assert page.title() == "Yatzy · Turn 2 of 15"
    total = page.text_content("#total")
    page.expects("#said", f"{box}: ")
    assert enabled(page) == ["undo", "menu-undo", "review-own", "save-own"]
    page.click("#undo").expects("#turn-line", "Turn 1 of 15")
    assert page.state()["dice"] == last
    assert enabled(page) == ["undo", "menu-undo", "redo"]
    page.press("Control+y").expects("#turn-line", "Turn 2 of 15")
    assert page.text_content("#total") == total
    page.press("Control+z").menu("redo").expects("#turn-line", "Turn 2 of 15")
    page.click("#undo").reopen()
    assert enabled(page) == ["undo", "menu-undo", "redo"]
    page.settle().press("Backspace")
    assert enabled(page) == ["undo", "menu-undo"]  # nothing can be done again
    page.press("Control+y")
    assert len(page.state()["dice"]) == 4
    page.click("#undo").settle()
    assert axe_faults(page) == []


def test_reviews_of_games_from_a_file_and_of_the_own_game(  # noqa: PLR0915 (one visit of the page)
    page: Visitor, yatzy: Strategy, tmp_path: Path
) -> None:
    """The last game of a file is shown first; its figures, decisions and mistakes are those of
    the review.
    """
    path, games = tmp_path / "games.jsonl", [human(yatzy, 4), human(yatzy, 3), human(yatzy, 2)]
    write_games(path, games)
    page.set_input_files("#record", str(path))
    page.expects("#review-name", f"Ann: {games[2].card(0).total} points")
    assert page.text_content("#review-source") == "From the file games.jsonl"
    page.select_option("#which", "0")
    page.expects("#review-name", f"Ann: {review(yatzy, games[0]).result:.0f} points")
    page.select_option("#which", "2")
    found = review(yatzy, games[2])
    page.expects("#review-name", "Ann: 195 points")

    shown = page.locator("#review .figures dd").all_text_contents()
    signs = [
        f"{'−' if value < 0 else '+'}{abs(value):.1f}" for value in (found.luck, -found.points_lost)
    ]
    assert shown == [f"{found.start:.1f}", *signs, "195"]
    rows, count = page.locator(".decision"), len(found.decisions)
    dice = page.locator(".decision .dice-row").evaluate_all(
        "(all) => all.map((row) => row.ariaLabel)"
    )
    assert page.count(".turns > li") == 15
    for text, faces, decision in zip(rows.all_text_contents(), dice, found.decisions, strict=True):
        assert f"Turn {decision.turn}, roll {decision.roll}" in text
        assert faces == " ".join(map(str, decision.dice))
        assert {"tied": "equally good"}.get(decision.grade, decision.grade) in text
        assert f"−{decision.loss:.2f}" in text or decision.loss < 0.005
    worst = max(range(count), key=lambda i: found.decisions[i].loss)
    assert (page.focused(), page.decision()) == ("review-name", worst + 1)
    turn = found.decisions[worst].turn
    page.expects("#review-card", f"The card before turn {turn}")
    assert page.count("#review-card .filled") == turn - 1
    page.press("Home")
    mistakes = [
        i + 1 for i, each in enumerate(found.decisions) if each.grade in ("mistake", "blunder")
    ]
    keys = (
        ("ArrowLeft", 1),
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", count),
        ("Home", 1),
    )
    for key, wanted in (*keys, *(("m", at) for at in mistakes if at > 1)):
        page.press(key)
        assert page.decision() == wanted
        assert found.decisions[wanted - 1].grade in page.text_content("#decision") or key != "m"
    rows.nth(6).click()
    page.click("#step-on")
    assert (page.decision(), page.count(".decision[aria-current]")) == (8, 1)
    rows.nth(mistakes[-1] - 1).click()
    assert page.count("#decision .note") == 0
    page.click("#step-mistake")
    assert page.decision() == mistakes[0]
    page.expects("#decision-status", "Back to the first error.")
    page.check("#only-mistakes")
    assert page.count(".decision:visible") == len(mistakes)
    page.locator("#decision button", has_text="Show this position").click()
    decision = found.decisions[mistakes[0] - 1]
    page.expects("#notice", f"Turn {decision.turn}, roll {decision.roll}")
    page.expects("#visit", f"{decision.grade}, −{decision.loss:.2f}")
    assert page.dice() == list(decision.dice)
    page.click("#visit-back")
    assert page.decision() == mistakes[0]
    path.write_text("{}\nhello\n")
    page.set_input_files("#record", str(path))
    page.expects("#review-status", "games.jsonl: Line 2 of the file is not JSON.")
    assert page.text_content("#review-name") == "Ann: 195 points"  # the review that is open stays
    page.change(
        "s.dice = [6, 6, 6, 6, 6]; s.held = Array(5).fill(false); s.left = 0;"
        " s.rolls = [[1, 1, 6, 6, 6], [1, 6, 6, 6, 6]]; s.holds = [[6, 6, 6], [6, 6, 6, 6]];"
    )
    page.evaluate(
        "loaded('store/game').then((game) => game.takeCategory({category: 'ones', points: 0, bonus_points: 0}))"
    )
    page.expects("#played", "1 turn played on this page.").click("#review-own")
    page.expects("#review-name", "after 1 turn").expects("#review .grades", "1 blunder")
    # the own game is kept for practice at once
    page.expects("#drill-counts", "1 of 1 error is due.")
    with page.expect_download() as saved:
        page.click("#save-own")
    saved.value.save_as(path)
    assert [turn.category for game in read_games(path) for turn in game.turns] == ["ones"]


def test_a_phone_shows_the_advice_before_the_card_and_has_large_keys(phone: Visitor) -> None:
    phone.type("33456").settle()
    tops = phone.evaluate(
        "['dice', 'answer', 'card-panel', 'go'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert tops[3] > 650  # one large action where the thumb is
    top, bottom = phone.evaluate(
        "(({top, bottom}) => [top, bottom])(document.querySelector('.bar-buttons').getBoundingClientRect())"
    )
    assert bottom == 844  # of the screen
    assert bottom - top < 200
    # The whole card is in sight while one decides, also on a shorter phone, where each name has one
    # line, as in most fonts.
    for height in (740, 844):
        phone.set_viewport_size({"width": 390, "height": height})
        phone.evaluate(
            "for (const name of document.querySelectorAll('#card .box > span:first-child')) name.textContent = name.textContent[0]"
        )
        card, bar = phone.evaluate(
            "['#card', '.bar-buttons'].map((place) => document.querySelector(place).getBoundingClientRect()).map((box, i) => (i ? box.top : box.bottom))"
        )
        assert card <= bar, height
    assert phone.evaluate("probes.small") == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.locator("#ranking").is_hidden()
    phone.locator("#more").tap()
    assert phone.count("#ranking li") == 6
    phone.locator("#mode").tap()
    phone.tap_dice([1, 1, 2])  # over the marked dice
    phone.settle()
    assert phone.state()["rolls"] == [[3, 3, 4, 5, 6]]
    assert phone.state()["holds"] == [[3, 3]]


def test_typed_dice_get_advice_with_its_value_gap_reason_and_all_holds(page: Visitor) -> None:
    page.type("33456").expects("#answer", "Keep 3 3")
    assert "245.75" in page.text_content("#answer")
    page.expects("#gap", "Nearly as good: 5 6 (−0.08).").expects("#why", "Ends in ")
    assert page.locator("#dice .advised small").all_text_contents() == ["keep", "keep"]
    page.press("Backspace").expects("#answer", "1 more die.").press("Control+z")
    page.expects("#answer", "Keep 3 3").settle()
    assert page.count("#ranking li") == 6
    page.click("#more")
    assert page.count("#ranking li") == 24
    for die in (0, 2, 3):
        page.die(die).click()
    page.expects("#said", "You keep 3 4 5:", "less than the best")
    assert page.count("#ranking [aria-current='true']") == 1
    page.click("#map summary")
    page.wait_for_selector("#map tbody tr")
    assert page.count("#map tbody tr") == 21
    assert page.locator("#ranking li").last.locator(".grade").text_content() == "blunder"
    assert page.count("#ranking li:nth-child(2) .grade") == 0  # a small loss is no report of errors
    widths = page.locator("#ranking .loss-bar span").evaluate_all(
        "(all) => all.map((bar) => bar.offsetWidth)"
    )
    assert widths == sorted(widths)
    page.press("Escape")
    page.expects("#answer", "Keep 3 3")  # the choice first
    page.press("Escape")
    assert page.count("#dice button") == 0
    assert page.count("#dice .slot") == 5


def test_the_points_of_this_roll_stand_in_each_open_box_and_a_tap_takes_them(
    blank: Visitor,
) -> None:
    blank.open("#rules=yatzy&card=ones=3+sixes=24+chance=22&dice=33456&left=0").settle()
    blank.expects("#take-threes .now", "6").expects("#take-yatzy .zero", "·")
    assert blank.count("#take-ones .now") == 0
    assert blank.get_attribute("#take-ones", "aria-disabled") == "true"
    best = blank.locator("#card .best")
    assert best.count() == 1
    assert best.locator(".name").text_content() in blank.text_content("#answer")
    blank.expects("#bonus-0", "Upper 27 of 63").expects("#bonus-0 .par", "6 ahead")
    best.click()
    blank.expects("#turn-line", "Turn 5 of 15").click("#undo").expects("#turn-line", "Turn 4 of 15")


def test_rules_without_a_table_can_be_played(tab: Visitor) -> None:
    tab.open("#rules=maxi").expects("#answer", "has to be computed once")
    assert tab.count(".solve:visible button") == 1
    tab.click("#go").expects("#gap", "Without advice: tap the dice to keep, or a box of the card.")
    assert "Working" not in tab.text_content("#table")
    tab.click("#dice button >> nth=0").expects("#go", "Roll five dice").click("#go")
    tab.click("#roll-all")
    assert [len(hold) for hold in tab.state()["holds"]] == [1, 0]
    points = sum(tab.dice())
    tab.expects("#take-chance .points", str(points)).click("#take-chance").expects(
        "#total", str(points)
    )
    tab.expects("#turn-line", "Turn 2 of 20")


def test_the_best_of_several_players_wins(blank: Visitor) -> None:
    blank.open(f"#rules=yatzy&card={FULL}+yatzy=50")
    blank.change(
        "s.players[0].name = 'Ann'; s.players.push({ ...newPlayer('Bo'), card: { ...s.players[0].card, chance: 25 } });"
    )
    blank.expects("#answer", "Bo wins with 243 points.")
    lines = blank.locator("#end p")
    blank.expects("#end", "Ann, 238 points: 10.4 points below the average of perfect play")
    assert "Bo, 243 points: 5.4 points below" in str(lines.first.text_content())
    blank.change("s.players[0].card.chance = 25;")
    blank.expects("#answer", "A tie with 243 points: Ann and Bo.")
    blank.change("delete s.players[1].card.chance;")
    blank.expects("#answer", "Final score: 243.")  # the other one still plays
    assert len(blank.state()["players"]) == 2


def test_hidden_advice_is_graded_after_the_choice(page: Visitor, yatzy: Strategy) -> None:
    """Nothing tells the best hold before the choice; then its grade, the loss, the best hold and
    the reason.
    """
    page.hide_advice()
    page.open("#rules=yatzy&dice=33456&left=2").expects("#answer", "Your choice")
    for place in ("#ranking button", ".die.advised", "#map:visible", "#why:visible"):
        assert page.locator(place).count() == 0, place
    assert "245" not in page.inner_text("#advice")
    page.mark(4).click("#go")
    values = {each.dice: each.value for each in yatzy.holds("", "33456", 2)}
    page.expects(
        "#last-choice",
        f"Keep 6 loses {values[(3, 3)] - values[(6,)]:.2f} points.",
        "Best: keep 3 3.",
    )
    assert page.choices_counted() == 1
    page.expects("#session", "choices")
    page.enter("puzzle")
    page.uncheck("#hide-advice")
    page.enter("play")
    assert page.text_content("#last-choice") == ""
    page.click("#undo")
    page.expects("#answer", "Keep 6")  # still marked
    page.expects("#why", "less than 3 3.")
    assert page.choices_counted() == 1  # with the advice in sight nothing is counted
