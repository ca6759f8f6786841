"""What to expect, in a real browser: its figures against the strategy, its chart, when it asks, long work."""

import json
from pathlib import Path
from typing import Any

import pytest
from perfect_yatzy import Strategy, distribution, parse_card
from support.browser import DONE, Visitor
from support.server import running_server

pytestmark = pytest.mark.full

BOXES = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
LATE = BOXES + " two-pairs=18 three-of-a-kind=12 four-of-a-kind=0 small-straight=15 large-straight=0"
ROLL = "&dice=33456&left=2"


def link(card: str, more: str = "") -> str:
    return "#rules=yatzy&card=" + card.replace(" ", "+") + more


def figures(page: Visitor) -> dict[str, str]:
    """The figures by their names, once they are those of the position shown."""
    page.wait_for_selector("#expect[aria-busy='false'] #expect-figures > div:not(.outdated)")
    pairs = page.locator("#expect-figures > div")
    return {pair.locator("dt").text_content(): pair.locator("dd").text_content() for pair in pairs.all()}


def test_the_figures_are_those_of_the_strategy(blank: Visitor, yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, BOXES)
    found = distribution(yatzy, card)
    shown = figures(blank.open(link(BOXES)))
    assert shown["average final score"] == f"{card.total + yatzy.value(card):.1f}"
    assert shown["9 of 10 games"] == f"{found.percentile(5)} – {found.percentile(95)}"
    assert shown["standard deviation"] == f"{found.standard_deviation:.1f}"
    assert shown["upper bonus"] == "certain"  # 63 points already
    ahead = card.total + yatzy.value(card) - yatzy.value()
    assert shown[f"against the start ({yatzy.value():.1f})"] == f"{'−' if ahead < 0 else '+'}{abs(ahead):.1f}"
    blank.fill("#at-least", "230")
    chance = f"{100 * float(found.chances[found.scores >= 230].sum()):.1f}"
    blank.expects("#chance-of", chance)
    blank.fill("#at-least", "many")
    blank.expects("#chance-of", "enter a whole number")
    assert blank.get_attribute("#at-least", "aria-invalid") == "true"
    blank.fill("#at-least", "230")
    blank.click("#chances-details summary").expects("#chances tbody tr:has-text('230') >> nth=0", chance)


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
    blank.open(link(BOXES, ROLL + "&goal=240")).expects("#answer", "40.73\u00a0%", "chance of 240 or more")
    blank.expects("#aim", "240 or more")
    shown = figures(blank)
    assert shown["chance of 240 or more before this roll"] == "42.7\u00a0%"
    assert 0 < float(shown["playing for the best average"].split()[0]) < 42.7
    blank.expects("#chart-title", "when playing for the best average")
    assert blank.count("#chart rect") > 50


def test_goals_out_of_reach_or_certain_and_opponents(blank: Visitor) -> None:
    for goal, words in {600: "out of reach", 60: "certain"}.items():
        blank.open(link(BOXES, f"{ROLL}&goal={goal}"))
        assert figures(blank)[f"chance of {goal} or more before this roll"] == words
        blank.expects("#answer", f"{goal} or more is {words}", "ranked by the average")
        blank.expects("#expect-notes", "The advice is for the best average from here on.")
    blank.open(link(BOXES, f"{ROLL}&opponents={BOXES}; 200&ties=loss"))
    assert figures(blank)["chance to win before this roll"].startswith("at least ")
    blank.expects("#expect-notes", "Opponent 1 is still playing", "Opponent 2 has finished with 200.")
    blank.expects("#expect-notes", "the chances are at least these")
    blank.expects("#answer", "at least ", "chance of a win")
    blank.open(link(BOXES, ROLL + "&opponents=200&ties=loss"))
    assert "at least" not in figures(blank)["chance to win before this roll"] + blank.inner_text("#answer")


def test_dice_ask_nothing_and_a_panel_out_of_sight_asks_nothing(page: Visitor) -> None:
    assert figures(page)["average final score"] == "248.4"
    asked = page.asks("expect", lambda body: None)
    page.type("33456").settle()
    assert asked == []
    page.set_viewport_size({"width": 390, "height": 400})
    page.open(link(BOXES, ROLL)).settle()
    assert page.evaluate("document.getElementById('expect').getBoundingClientRect().top > innerHeight + 150")
    page.draw()  # the observer of the page has run
    assert asked == []
    page.locator("#expect").scroll_into_view_if_needed()
    page.wait_for_selector("#chart rect")
    assert asked


def test_figures_fade_while_others_are_computed(blank: Visitor) -> None:
    """The panel is not empty after each change, and figures of the position before do not look like those of this one."""
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
    """The advice knows the dice, the panel does not: its name says so, and the figures of a line stand on one baseline."""
    assert "average final score" in figures(blank.open(link(BOXES)))
    blank.type("33456").settle()
    assert next(iter(figures(blank))) == "average final score before this roll"
    blank.press("Enter").expects("#expect-figures", "average final score before this turn")
    blank.wait_for_selector("#chart rect")
    baselines = blank.evaluate(
        """() => [...document.querySelectorAll('#expect-figures dd')].map((dd) => {
          const mark = document.createElement('span');
          mark.style.cssText = 'display: inline-block; width: 0; height: 0';
          dd.append(mark);
          const found = Math.round(mark.getBoundingClientRect().bottom);
          mark.remove();
          return found;
        })"""
    )
    assert len({round(each / 4) for each in baselines}) <= 2  # lines
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


def test_what_is_not_available_is_not_shown_and_stepped_bonuses_have_one_chance(blank: Visitor) -> None:
    """Saved rolls have no exact distribution here: no interval, no chart, no empty words."""
    body = {"schema": 2, "query": "expect", "rules": "yatzy", "card": {}, "card_total": 73}
    answer = body | {"expected_final_score": 234.56, "standard_deviation": 35.67, "distribution": None}
    blank.asks("expect", lambda body: {"json": answer})
    shown = figures(blank.open(link(BOXES)))
    assert (shown["average final score"], shown["standard deviation"]) == ("234.6", "35.7")
    assert "9 of 10 games" not in shown
    assert blank.locator("#spread").is_hidden()
    marks = {"5": 150, "25": 180, "50": 200, "75": 220, "95": 250}
    spread = {"standard_deviation": 30.0, "upper_bonus_chance": 0.5, "percentiles": marks, "lowest": 150}
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
    """The server asks for a confirmation; the button names time and disk, and afterwards the question is asked again."""
    cost = {"seconds": 20.0, "disk_bytes": 605_000_000, "memory_bytes": 10**9, "what": "goals"}
    refusal = {"schema": 2, "error": "needs a confirmation", "code": "confirmation-required", "cost": cost}
    solved = tab.asks("solve", lambda body: DONE)
    tab.asks("expect", lambda body: None if solved else {"status": 409, "json": refusal})
    tab.open(link(LATE, "&goal=200")).expects("#expect-status button", "20 seconds", "0.6 GB")
    assert solved == []
    tab.click("#expect-status button").wait_for_selector("#expect-figures dd")
    assert (solved[0]["query"], solved[0]["goal"]) == ("expect", 200)
    assert "chance of 200 or more" in figures(tab)


def test_long_work_of_a_real_server_is_reported_and_can_be_given_up(tab: Visitor, tmp_path: Path) -> None:
    """After Cancel the server is free at once: of long works it does one at a time. Its folder has no tables yet."""
    with running_server(tmp_path) as server:
        tab.address = f"{server.address}/"
        long, short = {"rules": "maxi-unsaved", "spread": False}, {"rules": "yatzy-forced"}
        name, reports = tab.open().evaluate("probes.work", [long | {"query": "expect"}, True])
        assert name == "AbortError"
        assert reports[-1]["seconds_left"] > 0
        name, reports = tab.evaluate("probes.work", [short | {"query": "expect"}, False])
        assert name == ""
        assert all(0 <= report["done"] <= 1 for report in reports)
        solved = "async () => (await (await fetch('/api/rules?rules=maxi-unsaved')).json())[0].solved"
        assert not tab.evaluate(solved)
