"""The table in a real browser: dice, advice and its reasons, the card, the objective; what to
expect, its chart.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Strategy, distribution, load_rules, parse_card
from perfect_yatzy.service.budget import SolveBudget, SolveLimit
from perfect_yatzy.service.queries import QueryService
from perfect_yatzy.service.requests import parse_request
from perfect_yatzy.web.static_files import listed_rules
from support.browser import DONE, Visitor
from support.server import running_server

pytestmark = pytest.mark.full

LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"
KISMET = {"aces": 3, "deuces": 6, "treys": 9, "fours": 12, "fives": 15, "sixes": 18}


def test_the_headline_is_what_the_player_is_doing(blank: Visitor) -> None:
    """With other dice marked, or none, it is no longer the best hold that is played."""
    blank.open("#rules=yatzy&dice=33456&left=2").expects("#answer", "Keep 3 3", "245.75")
    blank.mark(0, 1, 3, 4).expects("#answer", "Keep 5 6", "245.67")
    blank.expects("#said", "You keep 5 6: 0.08 points less than the best, 3 3.")
    blank.expects("#go", "Roll three dice")
    assert blank.text_content("#gap") == "0.08 points less than 3\u00a03."
    assert blank.text_content("#why") == "3\u00a03: Ends in Threes far more often."
    assert blank.locator("#bars b").count() == 2
    blank.mark(3).expects("#why", "0.12 points less than")  # without a comparison beside the value
    assert blank.text_content("#gap") == ""
    assert blank.locator("#bars b").all_text_contents() == ["245.8", "245.6"]
    blank.mark(4).expects("#said", "You keep nothing:")
    blank.expects("#go", "Roll all dice again").expects("#map-title", "after holding nothing")
    blank.click("#best-again").expects("#answer", "Keep 3 3")
    blank.expects("#gap", "Nearly as good: 5 6 (−0.08).").expects("#go", "Roll three dice")
    assert "3 3: " not in blank.text_content("#why")


def test_comparing_the_boxes_changes_the_list_only_and_no_reason_is_a_zero(blank: Visitor) -> None:
    """A box with rerolls left is no advice: headline and button stay, losses are those against
    the best hold.
    """
    blank.open("#rules=yatzy&dice=23466&left=2").expects("#answer", "Keep 6 6")
    headline = blank.text_content("#answer")
    blank.click("#instead").expects("#ranking li:nth-child(2)", " for ")
    assert blank.text_content("#answer") == headline
    blank.expects("#go", "Roll three dice")
    # the hold that the boxes are compared with
    best = blank.locator("#ranking button[aria-label$=', best']")
    assert best.count() == 1
    assert str(best.get_attribute("aria-label")).startswith("Keep 6\u00a06: ")
    assert best.evaluate("(row) => row === document.querySelector('#ranking button')")
    asked = (
        "(query) => loaded('store/ask').then(({ask}) =>"
        " ask(query, {rules: 'yatzy', card: {}, dice: [2, 3, 4, 6, 6], rolls_left: 2}, {}))"
    )
    hold, box = (
        blank.evaluate(asked, "hold")["holds"][0],
        blank.evaluate(asked, "score")["categories"][0],
    )
    loss = hold["expected_final_score"] - box["expected_final_score"]
    assert loss > 2
    blank.expects("#ranking li:nth-child(2) .option-loss", f"−{loss:.2f}")
    blank.click("#ranking li:nth-child(2) button")
    blank.wait_for_selector("#loss-dialog")
    blank.click("#loss-dialog .primary")
    assert blank.state()["turns"] == []
    blank.click("#instead")
    assert best.count() == 1
    blank.open("#rules=yatzy&dice=62321&left=1").expects("#answer", "Keep 6").settle()
    assert blank.text_content("#why")
    assert "Straight" not in blank.text_content("#why")


def test_a_category_is_taken_with_the_rerolls_left_and_with_bonus_points(blank: Visitor) -> None:
    """Saved rolls and bonuses for a first roll are those of taking the category now."""
    blank.open("#rules=generala&dice=12345&left=2").expects("#answer", "Straight, ", "158.86")
    blank.expects("#go", "Take Straight for 20 + 5")
    blank.click("#instead").expects("#ranking li:first-child", "Straight for 20 + 5")
    blank.click("#instead").click("#go").expects("#total", "25").expects("#expect", "158.9")
    assert blank.focused() == "go"
    blank.open("#rules=yahtzee&card=yahtzee%3D50&dice=66666&left=0").expects(
        "#go", "Take Sixes for 30 + 100"
    )
    blank.click("#go").expects("#total", "180")
    assert "bonus_points=100" in blank.url
    blank.click("#edit-card")
    assert blank.input_value("#bonus_points") == "100"
    blank.write("#bonus_points", "0")
    blank.expects("#total", "80")


def test_an_invalid_box_stays_until_it_is_corrected(page: Visitor) -> None:
    page.click("#edit-card")
    page.write("#box-ones", "9")
    page.expects("#card-error", "Ones cannot hold 9; it can hold 0, 1, 2, 3, 4, 5.")
    assert page.get_attribute("#box-ones", "aria-describedby") == "card-error"
    page.write("#box-twos", "7")
    assert page.count("#card-error p") == 2
    page.type("33456").expects("#answer", "Keep 3 3")
    page.expects("#ignored", "2 boxes of the card are wrong and not counted.")
    assert page.input_value("#box-ones") == "9"
    assert page.get_attribute("#box-ones", "aria-invalid") == "true"
    page.write("#box-ones", "3")
    page.write("#box-twos", "")
    assert page.get_attribute("#box-ones", "aria-invalid") is None
    assert page.text_content("#card-error") == ""
    assert page.locator("#ignored").is_hidden()


def test_dice_send_one_request_for_each_roll(page: Visitor) -> None:
    expected, holds, outcomes = [
        page.asks(query, lambda body: None) for query in ("expect", "hold", "outcomes")
    ]
    page.type("33456").expects("#answer", "Keep 3 3").mark(0).expects("#said", "You keep 3:")
    page.press("Backspace").type("6").settle()
    # On a busy machine the average alone is asked beside the distribution.
    assert len([body for body in expected if body.pop("spread", True)]) <= 1
    assert all(body == expected[0] for body in expected)
    assert len(holds) == 1  # the second answer was cached
    assert outcomes == []  # the next rolls are asked for when they are opened


def test_a_request_that_is_superseded_never_shows_its_answer(page: Visitor) -> None:
    held: list[Any] = []
    page.route("**/api/hold", lambda route: held.append(route))
    page.type("11111").expects("#answer", "Working")
    page.wait_for(lambda: held)
    page.unroute("**/api/hold")
    page.press("Escape").type("33456").expects("#answer", "Keep 3 3")
    page.draw()
    page.expects("#answer", "Keep 3 3")


def test_an_aim_is_set_and_never_dropped_in_silence(blank: Visitor) -> None:
    """A wrong one stays in sight with its error, which goes when it is typed over: else Done
    would only remove that.
    """
    blank.open(f"#rules=yatzy&card={LATE_CARD}")  # early in a game the server asks before it solves
    assert blank.locator("#aim").is_hidden()  # the best average is the usual aim
    blank.menu("open-aim")
    blank.select_option("#objective", "goal")
    for text in ("-5", "1e3", "240.5", "abc"):
        blank.write("#goal", text)
        blank.expects("#goal-error", f"not “{text}”")
        assert blank.get_attribute("#goal", "aria-invalid") == "true"
        assert blank.input_value("#goal") == text
        assert "goal" not in blank.url
    blank.select_option("#objective", "mean")
    assert blank.text_content("#goal-error") == ""
    blank.select_option("#objective", "goal")
    blank.fill("#goal", "")
    blank.click("#aim-done").expects("#goal-error", "Enter the points to reach")
    assert blank.focused() == "goal"
    blank.locator("#goal").press_sequentially("250")
    assert blank.text_content("#goal-error") == ""
    blank.press("Enter")
    blank.wait_for_selector("#aim-dialog", state="hidden")
    assert blank.state()["goal"] == "250"
    blank.click("#aim")  # above the dice; it leads to its setting
    assert blank.focused() == "objective"
    assert blank.input_value("#goal") == "250"
    blank.select_option("#objective", "win")
    blank.click("#aim-done").expects("#opponents-error", "add them as players")
    blank.press("Escape").expects("#notice", "The aim was not complete")
    assert blank.state()["objective"] == "mean"
    blank.menu("open-aim")
    blank.select_option("#objective", "win")
    blank.click("#opponents-players")
    assert blank.locator("#players-dialog").is_visible()
    blank.press("Escape")


def test_the_end_of_a_game(blank: Visitor) -> None:
    boxes = f"{LATE_CARD}+two-pairs=18+three-of-a-kind=12+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0"
    blank.open(f"#rules=yatzy&card={boxes}+chance=20+yatzy=0").expects(
        "#answer", "Final score: 188."
    )
    blank.expects("#bonus", "bonus 50").expects("#upper", "63 of 63").expects(
        "#turn-line", "Game over"
    )
    assert blank.locator("#expect").is_hidden()  # nothing is left to expect
    assert blank.type("3").dice() == []
    blank.click("#go").expects("#turn-line", "Turn 1 of 15").expects(
        "#notice", "Undo brings the old one back"
    )
    blank.click("#undo").expects("#answer", "Final score: 188.")
    blank.change("delete s.players[0].card.yatzy;")
    blank.wait_for_selector("#chart rect")
    blank.open(f"#rules=yatzy&left=0&dice=66666&card={boxes}+yatzy=0").settle()
    for _ in range(3):  # one Enter too many does nothing
        blank.press("Enter").expects("#answer", "Final score: 198.")
    assert blank.dice() == []


def test_stepped_bonuses_and_forced_order(blank: Visitor) -> None:
    blank.open(
        "#rules=kismet&card=" + "+".join(f"{box}={points}" for box, points in KISMET.items())
    )
    blank.expects("#bonus-0", "35 so far, 55 at 71").open("#rules=yatzy-forced&card=ones=3")
    blank.expects("#card-closed", "The boxes are filled in order: Twos is next.")
    blank.expects("#take-fives", "open, roll first")
    blank.type("22345").settle().expects("#take-fives", "open, cannot take this roll")
    blank.set_left(0).expects("#go", "Take Twos for 4")
    assert blank.count("#card .now") == 1


def test_rules_without_a_table_are_solved_by_a_complete_question(tab: Visitor) -> None:
    """The work that the button starts is that of a question the server understands without dice."""
    asked = tab.asks("solve", lambda body: DONE)
    tab.open("#rules=maxi").click("#long-work button")
    tab.wait_until("!document.querySelector('#long-work progress')")
    request = parse_request(asked[0], load_rules)
    assert (request.rules.key, request.query) == ("maxi", "expect")


def play_game(page: Visitor, name: str) -> Visitor:
    """Choose a game in the open gallery and play it."""
    page.locator(f"#rules input[value='{name}']").check(force=True)
    page.click("#rules-play").wait_for_selector("#rules-dialog", state="hidden")
    return page


def test_variants_and_rules_are_behind_one_button(blank: Visitor) -> None:
    blank.open("#rules=yatzy+four-is-two-pairs&dice=33456&left=2").click("#open-rules")
    assert blank.evaluate("document.activeElement.value") == "yatzy"  # for the arrow keys
    assert blank.is_checked("#switches input[value='four-is-two-pairs']")
    blank.expects("#answer", "245.9")
    blank.uncheck("#switches input[value='four-is-two-pairs']")
    blank.expects("#answer", "245.9")  # nothing changes before it is played
    play_game(blank, "yatzy").expects("#answer", "245.75")
    assert blank.focused() == "open-rules"
    blank.click("#game-button")
    play_game(blank, "kniffel").expects(
        "#notice", "The card was cleared for the other rules; Undo restores it."
    )
    blank.wait_until("document.getElementById('game-name').textContent === 'Kniffel'")
    blank.menu("menu-undo").click("#game-button").press("ArrowDown", "Escape")
    assert blank.locator("#rules-dialog").is_hidden()
    assert blank.state()["rules"] == "yatzy"


def test_of_variants_chosen_quickly_all_count(phone: Visitor) -> None:
    """The answer to the first one arrives last."""
    late: list[Any] = []
    phone.route("**/api/rules?rules=yatzy%2Bthreshold-42&*", lambda route: late.append(route))
    phone.click("#game-button")
    phone.locator("#switches input[value='threshold-42']").check(force=True)
    phone.click("#rules-play").wait_for(lambda: late)
    phone.check("#switches input[value='bonus-35']")
    phone.click("#rules-play").wait_until("location.hash.includes('bonus-35%2Bthreshold-42')")
    late[0].continue_()
    phone.wait_for_timeout(300)
    assert phone.state()["rules"] == "yatzy+bonus-35+threshold-42"
    assert phone.locator("#rules-dialog").is_hidden()


# Texts of the gallery that a button of it covers, while they are in the part that scrolls.
COVERED = """() => {
  const foot = document.querySelector(".gallery-foot").getBoundingClientRect();
  const frame = document.querySelector(".gallery").getBoundingClientRect();
  return [...document.querySelectorAll("#rules-dialog :is(label, p, h3)")].filter((each) => {
    if (each.closest(".gallery-foot")) return false;
    const box = each.getBoundingClientRect(), bottom = Math.min(box.bottom, frame.bottom);
    return box.height && bottom > foot.top + 1 && box.top < foot.bottom - 1;
  }).map((each) => each.textContent);
}"""


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 800), (768, 1024), (390, 844), (320, 640), (320, 256)]
)
def test_all_games_can_be_chosen_at_every_size(blank: Visitor, width: int, height: int) -> None:
    """Buttons cover no words, nothing is cut, and the last game is reached; at 320 × 256 pixels a
    page of 1280 × 1024 is at 400 %.
    """
    blank.set_viewport_size({"width": width, "height": height})
    blank.open().click("#game-button")
    assert blank.count("#rules .game") == len(listed_rules())
    for name in ("kniffel", listed_rules()[-1]):
        card = blank.locator(f".game:has(> label > input[value='{name}'])")
        card.locator("> label").click()
        card.locator("#switches label").last.scroll_into_view_if_needed()
        assert blank.evaluate(COVERED) == []
        blank.locator(".own-rules code").scroll_into_view_if_needed()
        assert blank.evaluate(COVERED) == []
        assert blank.evaluate("document.querySelector('.gallery').scrollWidth") <= width
    play_game(blank, "crag").expects("#game-name", "Crag")


def test_a_game_of_twelve_dice_has_dice_for_a_finger(phone: Visitor) -> None:
    phone.open("#rules=giant-forced&dice=112223344566&left=2").settle()
    sizes = phone.evaluate(
        "[...document.querySelectorAll('#dice button')].map((each) => each.offsetWidth)"
    )
    assert len(sizes) == 12
    assert min(sizes) >= 44
    phone.expects("#answer", "Keep 1 1", "920.3")


BOXES = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
LATE = (
    BOXES + " two-pairs=18 three-of-a-kind=12 four-of-a-kind=0 small-straight=15 large-straight=0"
)
ROLL = "&dice=33456&left=2"


def link(card: str, more: str = "") -> str:
    return "#rules=yatzy&card=" + card.replace(" ", "+") + more


def figures(page: Visitor) -> dict[str, str]:
    """The figures by their names, once they are those of the position shown."""
    page.wait_for_selector("#expect[aria-busy='false'] #expect-figures > div:not(.outdated)")
    pairs = page.locator("#expect-figures > div")
    return {
        pair.locator("dt").text_content(): pair.locator("dd").text_content() for pair in pairs.all()
    }


def test_the_figures_are_those_of_the_strategy(blank: Visitor, yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, BOXES)
    found = distribution(yatzy, card)
    shown = figures(blank.open(link(BOXES)))
    assert shown["average final score"] == f"{card.total + yatzy.value(card):.1f}"
    assert shown["9 of 10 games"] == f"{found.percentile(5)} – {found.percentile(95)}"
    assert shown["standard deviation"] == f"{found.standard_deviation:.1f}"
    assert shown["upper bonus"] == "certain"  # 63 points already
    ahead = card.total + yatzy.value(card) - yatzy.value()
    assert (
        shown[f"against the start ({yatzy.value():.1f})"]
        == f"{'−' if ahead < 0 else '+'}{abs(ahead):.1f}"
    )
    blank.fill("#at-least", "230")
    chance = f"{100 * float(found.chances[found.scores >= 230].sum()):.1f}"
    blank.expects("#chance-of", chance)
    blank.fill("#at-least", "many")
    blank.expects("#chance-of", "enter a whole number")
    assert blank.get_attribute("#at-least", "aria-invalid") == "true"
    blank.fill("#at-least", "230")
    blank.click("#chances-details summary").expects(
        "#chances tbody tr:has-text('230') >> nth=0", chance
    )


def test_the_chart_marks_the_average_and_the_points_so_far_and_takes_clicks(blank: Visitor) -> None:
    blank.open(link(LATE)).wait_for_selector("#chart rect")
    assert blank.count("#chart rect") > 10
    mean = figures(blank)["average final score"]
    blank.expects("#chart", f"average {mean}", "now ")
    label = blank.get_attribute("#chart svg", "aria-label")
    assert "nine of ten games end between" in label
    assert mean in label
    before = blank.input_value("#at-least")
    chart = blank.locator("#chart svg")
    box = chart.bounding_box()
    chart.click(position={"x": 0.9 * box["width"], "y": 40})
    high = int(blank.input_value("#at-least"))
    chart.click(position={"x": 0.1 * box["width"], "y": 40})
    assert int(blank.input_value("#at-least")) < int(before) < high


def test_a_goal_its_chance_and_that_of_play_for_the_average(blank: Visitor) -> None:
    blank.open(link(BOXES, ROLL + "&goal=240")).expects(
        "#answer", "40.73\u00a0%", "chance of 240 or more"
    )
    blank.expects("#aim", "240 or more")
    shown = figures(blank)
    assert shown["chance of 240 or more before this roll"] == "42.7\u00a0%"
    assert 0 < float(shown["playing for the best average"].split()[0]) < 42.7
    blank.expects("#chart-title", "when playing for the best average")
    assert blank.count("#chart rect") > 50


def test_a_goal_that_is_too_large_shows_the_chance_of_play_for_the_average(
    tab: Visitor, tmp_path: Path
) -> None:
    """The answer is that of a server that may solve nothing for a goal."""
    service = QueryService(
        tmp_path, budget=SolveBudget(instant_seconds=0.0, objective=SolveLimit(bytes=0))
    )
    asked = {"query": "expect", "rules": "yatzy", "card": BOXES, "goal": 240}
    answer = service.answer(asked)
    assert "chance" not in answer
    tab.asks("expect", lambda body: {"json": answer} if "goal" in body else None)
    tab.open(link(BOXES, "&goal=240")).wait_for_selector("#chart rect")
    shown = figures(tab)
    assert shown["chance of 240 or more"] == "not known"
    assert (
        shown["playing for the best average"] == f"{100 * answer['chance_by_mean_play']:.1f}\u00a0%"
    )
    tab.expects(
        "#expect-notes",
        "The chance under best play is not known: ",
        "yatzy solve yatzy --what goals --yes.",
    )


def test_goals_out_of_reach_or_certain_and_opponents(blank: Visitor) -> None:
    for goal, words in {370: "out of reach", 60: "certain"}.items():
        blank.open(link(BOXES, f"{ROLL}&goal={goal}"))
        assert figures(blank)[f"chance of {goal} or more before this roll"] == words
        blank.expects("#answer", f"{goal} or more is {words}", "ranked by the average")
        blank.expects("#expect-notes", "The advice is for the best average from here on.")
    blank.open(link(BOXES, f"{ROLL}&opponents={BOXES}; 200&ties=loss"))
    assert figures(blank)["chance to win before this roll"].startswith("at least ")
    blank.expects(
        "#expect-notes", "Opponent 1 is still playing", "Opponent 2 has finished with 200."
    )
    blank.expects("#expect-notes", "the chances are at least these")
    blank.expects("#answer", "at least ", "chance of a win")
    blank.open(link(BOXES, ROLL + "&opponents=200&ties=loss"))
    assert "at least" not in figures(blank)["chance to win before this roll"] + blank.inner_text(
        "#answer"
    )


def test_dice_ask_nothing_and_a_panel_out_of_sight_asks_nothing(page: Visitor) -> None:
    assert figures(page)["average final score"] == "248.4"
    asked = page.asks("expect", lambda body: None)
    page.type("33456").settle()
    assert asked == []
    page.set_viewport_size({"width": 390, "height": 400})
    page.open(link(BOXES, ROLL)).settle()
    assert page.evaluate(
        "document.getElementById('expect').getBoundingClientRect().top > innerHeight + 150"
    )
    page.draw()  # the observer of the page has run
    assert asked == []
    page.locator("#expect").scroll_into_view_if_needed()
    page.wait_for_selector("#chart rect")
    assert asked


def test_figures_fade_while_others_are_computed(blank: Visitor) -> None:
    """The panel is not empty after each change, and figures of the position before do not look
    like those of this one.
    """
    before = figures(blank.open(link(BOXES)))
    blank.wait_for_selector("#chart rect")
    size = blank.locator("#expect").bounding_box()["height"]
    blank.asks("expect", lambda body: {})
    blank.change("s.players[0].card.chance = 20;")
    blank.wait_for_selector("#expect[aria-busy='true']")
    blank.expects("#expect-status", "Working")
    faded = blank.locator("#expect-figures > .outdated")
    assert faded.count() == len(before)
    assert faded.locator("dt").all_text_contents() == list(before)
    assert blank.locator("#chart rect").first.is_visible()
    ink = "getComputedStyle(document.querySelector('#expect-figures dd')).color"
    pale = blank.evaluate(ink)
    assert abs(blank.locator("#expect").bounding_box()["height"] - size) < 4
    blank.unroute("**/api/expect")
    blank.evaluate("document.dispatchEvent(new Event('work-done'))")  # asks again
    blank.wait_for_selector("#expect[aria-busy='false']")
    assert figures(blank) != before
    assert blank.count("#expect .outdated") == 0
    assert blank.evaluate(ink) != pale


def test_the_average_is_that_before_the_roll(blank: Visitor) -> None:
    """The advice knows the dice, the panel does not: its name says so, and the figures of a line
    stand on one baseline.
    """
    assert "average final score" in figures(blank.open(link(BOXES)))
    blank.type("33456").settle()
    assert next(iter(figures(blank))) == "average final score before this roll"
    blank.press("Enter").expects("#expect-figures", "average final score before this turn")
    blank.wait_for_selector("#chart rect")
    places = blank.evaluate(
        """() => [...document.querySelectorAll('#expect-figures dd')].map((dd) => {
          const mark = document.createElement('span');
          mark.style.cssText = 'display: inline-block; width: 0; height: 0';
          dd.append(mark);
          const { left, bottom } = mark.getBoundingClientRect();
          mark.remove();
          return [left, bottom];
        })"""
    )
    lines = [
        (baseline, after)
        for (left, baseline), (right, after) in pairwise(places)
        if left < right  # how many there are in a line depends on the font
    ]
    assert lines
    assert all(abs(baseline - after) < 4 for baseline, after in lines)
    blank.change("s.objective = 'goal'; s.goal = '240';")
    blank.expects("#expect-figures", "chance of 240 or more before this turn")


def test_a_slow_distribution_shows_the_average_first(blank: Visitor) -> None:
    """The average does not wait for the distribution."""
    held: list[Any] = []

    def answer(route: Any) -> None:
        if json.loads(route.request.post_data).get("spread", True):
            held.append(route)
        else:
            route.continue_()

    blank.route("**/api/expect", answer)
    blank.open(link(BOXES)).wait_for_selector("#expect-figures dd")
    assert blank.locator("#expect-figures dt").all_text_contents() == ["average final score"]
    assert blank.get_attribute("#expect", "aria-busy") == "true"
    assert blank.locator("#chart").is_hidden()
    for route in held:
        route.continue_()
    blank.wait_for_selector("#chart rect")
    assert "9 of 10 games" in figures(blank)


def test_what_is_not_available_is_not_shown_and_stepped_bonuses_have_one_chance(
    blank: Visitor,
) -> None:
    """Saved rolls have no exact distribution here: no interval, no chart, no empty words."""
    body = {"schema": 2, "query": "expect", "rules": "yatzy", "card": {}, "card_total": 73}
    answer = body | {
        "expected_final_score": 234.56,
        "standard_deviation": 35.67,
        "distribution": None,
    }
    blank.asks("expect", lambda body: {"json": answer})
    shown = figures(blank.open(link(BOXES)))
    assert (shown["average final score"], shown["standard deviation"]) == ("234.6", "35.7")
    assert "9 of 10 games" not in shown
    assert blank.locator("#spread").is_hidden()
    marks = {"5": 150, "25": 180, "50": 200, "75": 220, "95": 250}
    spread = {
        "standard_deviation": 30.0,
        "upper_bonus_chance": 0.5,
        "percentiles": marks,
        "lowest": 150,
    }
    answer["distribution"] = spread | {"chances": [0.01] * 101}
    steps = {"threshold": 84, "points": 100, "steps": [[[63, 50], [84, 100]]]}

    def rules(route: Any) -> None:
        route.fulfill(json=[each | {"bonus": steps} for each in route.fetch().json()])

    blank.route("**/api/rules?*", rules)
    assert figures(blank.open(link("ones=3")))["any upper bonus"] == "50.0\u00a0%"


def test_errors_are_reported_and_tried_again(tab: Visitor) -> None:
    tab.open().wait_for_selector("#chart rect")
    tab.route("**/api/expect", lambda route: route.abort())
    tab.open(link(BOXES)).wait_for_selector("#expect-status .error")
    assert tab.locator("#chart").is_hidden()
    tab.unroute("**/api/expect")
    tab.click("#expect-status button").wait_for_selector("#chart rect")
    assert tab.text_content("#expect-status") == ""


def test_long_work_waits_for_a_click(tab: Visitor) -> None:
    """The server asks for a confirmation; the button names time and disk, and afterwards the
    question is asked again.
    """
    cost = {"seconds": 20.0, "disk_bytes": 605_000_000, "memory_bytes": 10**9, "what": "goals"}
    refusal = {
        "schema": 2,
        "error": "needs a confirmation",
        "code": "confirmation-required",
        "cost": cost,
    }
    solved = tab.asks("solve", lambda body: DONE)
    tab.asks("expect", lambda body: None if solved else {"status": 409, "json": refusal})
    tab.open(link(LATE, "&goal=200")).expects("#expect-status button", "20 seconds", "0.6 GB")
    assert solved == []
    tab.click("#expect-status button").wait_for_selector("#expect-figures dd")
    assert (solved[0]["query"], solved[0]["goal"]) == ("expect", 200)
    assert "chance of 200 or more" in figures(tab)


def test_long_work_of_a_real_server_is_reported_and_can_be_given_up(
    tab: Visitor, tmp_path: Path
) -> None:
    """After Cancel the server is free at once: of long works it does one at a time. Its folder
    has no tables yet.
    """
    with running_server(tmp_path) as server:
        tab.address = f"{server.address}/"
        long, short = {"rules": "maxi-unsaved", "spread": False}, {"rules": "yatzy-forced"}
        name, reports = tab.open().evaluate("probes.work", [long | {"query": "expect"}, True])
        assert name == "AbortError"
        assert reports[-1]["seconds_left"] > 0
        name, reports = tab.evaluate("probes.work", [short | {"query": "expect"}, False])
        assert name == ""
        assert all(0 <= report["done"] <= 1 for report in reports)
        solved = (
            "async () => (await (await fetch('/api/rules?rules=maxi-unsaved')).json())[0].solved"
        )
        assert not tab.evaluate(solved)
