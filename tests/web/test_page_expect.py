"""What to expect, in a real browser: its figures against the strategy, its chart, and when it asks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from perfect_yatzy.game.notation import parse_card
from perfect_yatzy.strategy.distribution import distribution
from perfect_yatzy.strategy.strategy import Strategy
from support.browser import FRAMES, expect, listening, open_link, settle
from support.need import need

pytestmark = pytest.mark.full

playwright = need("playwright.sync_api")
BOXES = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
LATE = BOXES + " two-pairs=18 three-of-a-kind=12 four-of-a-kind=0 small-straight=15 large-straight=0"


def link(card: str, more: str = "") -> str:
    return "#rules=yatzy&card=" + card.replace(" ", "+") + more


def figures(page: Any) -> dict[str, str]:
    """The figures by their names, once they are those of the position shown."""
    page.wait_for_selector("#expect[aria-busy='false'] #expect-figures > div:not(.outdated)")
    pairs = page.locator("#expect-figures > div")
    return {pair.locator("dt").text_content(): pair.locator("dd").text_content() for pair in pairs.all()}


def test_the_figures_are_those_of_the_strategy(blank: Any, address: str, yatzy: Strategy) -> None:
    card = parse_card(yatzy.rules, BOXES)
    found = distribution(yatzy, card)
    open_link(blank, address, link(BOXES))
    shown = figures(blank)
    assert shown["average final score"] == f"{card.total + yatzy.value(card):.1f}"
    assert shown["9 of 10 games"] == f"{found.percentile(5)} – {found.percentile(95)}"
    assert shown["standard deviation"] == f"{found.standard_deviation:.1f}"
    assert shown["upper bonus"] == "certain"  # 63 points already
    ahead = card.total + yatzy.value(card) - yatzy.value()
    assert shown[f"against the start ({yatzy.value():.1f})"] == f"{'−' if ahead < 0 else '+'}{abs(ahead):.1f}"
    blank.fill("#at-least", "230")
    chance = float(found.chances[found.scores >= 230].sum())
    expect(blank, "#chance-of", f"{100 * chance:.1f}")
    blank.fill("#at-least", "many")
    expect(blank, "#chance-of", "enter a whole number")
    assert blank.get_attribute("#at-least", "aria-invalid") == "true"
    blank.fill("#at-least", "230")
    blank.locator("#chances-details summary").click()
    row = blank.locator("#chances tbody tr", has_text="230").first
    playwright.expect(row).to_contain_text(f"{100 * chance:.1f}")


def test_the_chart_marks_the_average_and_the_points_so_far_and_takes_clicks(blank: Any, address: str) -> None:
    open_link(blank, address, link(LATE))
    blank.wait_for_selector("#chart rect")
    assert blank.locator("#chart rect").count() > 10
    mean = figures(blank)["average final score"]
    assert f"average {mean}" in blank.text_content("#chart")
    assert "now " in blank.text_content("#chart")
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


def test_a_goal_its_chance_and_that_of_play_for_the_average(blank: Any, address: str) -> None:
    open_link(blank, address, link(BOXES, "&dice=33456&left=2&goal=240"))
    shown = figures(blank)
    assert shown["chance of 240 or more before this roll"] == "42.7\u00a0%"
    assert 0 < float(shown["playing for the best average"].split()[0]) < 42.7
    expect(blank, "#chart-title", "when playing for the best average")
    assert blank.locator("#chart rect").count() > 50


def test_goals_out_of_reach_or_certain_and_opponents(page: Any, address: str) -> None:
    for goal, words in {600: "out of reach", 60: "certain"}.items():
        open_link(page, address, link(BOXES, f"&dice=33456&left=2&goal={goal}"))
        assert figures(page)[f"chance of {goal} or more before this roll"] == words
        expect(page, "#expect-notes", "The advice is for the best average from here on.")
    open_link(page, address, link(BOXES, f"&dice=33456&left=2&opponents={BOXES}; 200&ties=loss"))
    assert "chance to win before this roll" in figures(page)
    expect(page, "#expect-notes", "Opponent 1 is still playing")
    expect(page, "#expect-notes", "Opponent 2 has finished with 200.")
    expect(page, "#expect-notes", "the chances are at least these")
    assert figures(page)["chance to win before this roll"].startswith("at least ")
    expect(page, "#answer", "at least ")
    open_link(page, address, link(BOXES, "&dice=33456&left=2&opponents=200&ties=loss"))
    assert "at least" not in figures(page)["chance to win before this roll"] + page.inner_text("#answer")


def test_dice_ask_nothing_and_a_panel_out_of_sight_asks_nothing(page: Any, address: str) -> None:
    asked: list[str] = []
    with listening(page, request=lambda request: asked.append(request.url.rpartition("/")[2])):
        assert figures(page)["average final score"] == "248.4"
        asked.clear()
        page.keyboard.type("33456")
        page.wait_for_selector("#ranking[aria-busy='false']")
        assert "expect" not in asked
        page.set_viewport_size({"width": 390, "height": 400})
        open_link(page, address, link(BOXES, "&dice=33456&left=2"))
        settle(page)
        assert page.evaluate("document.getElementById('expect').getBoundingClientRect().top > innerHeight + 150")
        page.evaluate(FRAMES)  # the observer of the page has run
        assert "expect" not in asked
        page.locator("#expect").scroll_into_view_if_needed()
        page.wait_for_selector("#chart rect")
        assert "expect" in asked


def test_figures_fade_while_others_are_computed(blank: Any, address: str) -> None:
    """The panel is not empty after each change, and figures of the position before do not look like those of this one."""
    open_link(blank, address, link(BOXES))
    before = figures(blank)
    blank.wait_for_selector("#chart rect")
    size = blank.locator("#expect").bounding_box()["height"]
    held: list[Any] = []
    blank.route("**/api/expect", lambda route: held.append(route))
    blank.evaluate("loaded('state').then(({ change }) => change((s) => { s.players[0].card.chance = 20; }))")
    blank.wait_for_selector("#expect[aria-busy='true']")
    expect(blank, "#expect-status", "Working")
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
    assert blank.locator("#expect .outdated").count() == 0
    assert blank.evaluate(ink) != pale


def test_the_average_is_that_before_the_roll(blank: Any, address: str) -> None:
    """The advice knows the dice, the panel does not: its name says so, and the figures of a line stand on one baseline."""
    open_link(blank, address, link(BOXES))
    assert "average final score" in figures(blank)
    blank.keyboard.type("33456")
    blank.wait_for_selector("#ranking[aria-busy='false'] li")
    assert next(iter(figures(blank))) == "average final score before this roll"
    blank.keyboard.press("Enter")
    expect(blank, "#expect-figures", "average final score before this turn")
    blank.wait_for_selector("#chart rect")
    baselines = blank.evaluate(
        """() => [...document.querySelectorAll('#expect-figures dd')].map((dd) => {
          const mark = document.createElement('span');
          mark.style.cssText = 'display: inline-block; width: 0; height: 0';
          dd.append(mark);
          const found = [Math.round(mark.getBoundingClientRect().bottom), Math.round(dd.parentElement.getBoundingClientRect().top / 40)];
          mark.remove();
          return found[0];
        })"""
    )
    assert len({round(each / 4) for each in baselines}) <= 2  # lines
    blank.evaluate("loaded('state').then(({change}) => change((s) => { s.objective = 'goal'; s.goal = '240'; }))")
    expect(blank, "#expect-figures", "chance of 240 or more before this turn")


def test_a_slow_distribution_shows_the_average_first(page: Any, address: str) -> None:
    """The average does not wait for the distribution."""
    held: list[Any] = []

    def answer(route: Any) -> None:
        if json.loads(route.request.post_data).get("spread", True):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/expect", answer)
    open_link(page, address, link(BOXES))
    page.wait_for_selector("#expect-figures dd")
    assert page.locator("#expect-figures dt").all_text_contents() == ["average final score"]
    assert page.locator("#expect").get_attribute("aria-busy") == "true"
    assert page.locator("#chart").is_hidden()
    for route in held:
        route.continue_()
    page.wait_for_selector("#chart rect")
    assert "9 of 10 games" in figures(page)


def test_what_is_not_available_is_not_shown(page: Any, address: str) -> None:
    """Saved rolls have no exact distribution here: no interval, no chart, no empty words."""

    def answer(route: Any) -> None:
        body = {"schema": 2, "query": "expect", "rules": "yatzy", "card": {}, "card_total": 73}
        route.fulfill(json=body | {"expected_final_score": 234.56, "standard_deviation": 35.67, "distribution": None})

    page.route("**/api/expect", answer)
    open_link(page, address, link(BOXES))
    page.wait_for_selector("#expect[aria-busy='false']")
    shown = figures(page)
    assert shown["average final score"] == "234.6"
    assert shown["standard deviation"] == "35.7"
    assert "9 of 10 games" not in shown
    assert page.locator("#spread").is_hidden()


def test_stepped_bonuses_have_one_chance(page: Any, address: str) -> None:
    body = {"schema": 2, "query": "expect", "rules": "x", "card": {}, "card_total": 0, "expected_final_score": 200.0}
    marks = {"5": 150, "25": 180, "50": 200, "75": 220, "95": 250}
    spread = {"standard_deviation": 30.0, "upper_bonus_chance": 0.5, "percentiles": marks, "lowest": 150}
    page.route("**/api/expect", lambda r: r.fulfill(json=body | {"distribution": spread | {"chances": [0.01] * 101}}))
    steps = {"threshold": 84, "points": 100, "steps": [[[63, 50], [84, 100]]]}

    def rules(route: Any) -> None:
        found = route.fetch().json()
        route.fulfill(json=[each | {"bonus": steps} for each in found])

    page.route("**/api/rules?*", rules)
    open_link(page, address, link("ones=3"))
    assert figures(page)["any upper bonus"] == "50.0\u00a0%"


def test_errors_are_reported_and_tried_again(tab: Any, address: str) -> None:
    tab.goto(address)
    tab.wait_for_selector("#chart rect")
    tab.route("**/api/expect", lambda route: route.abort())
    open_link(tab, address, link(BOXES))
    tab.wait_for_selector("#expect-status .error")
    assert tab.locator("#chart").is_hidden()
    tab.unroute("**/api/expect")
    if tab.locator("#expect-status button").count():
        tab.locator("#expect-status button").click()
    else:
        tab.reload()
    tab.wait_for_selector("#chart rect")
    assert tab.text_content("#expect-status") == ""


def test_long_work_waits_for_a_click(tab: Any, address: str) -> None:
    """The server asks for a confirmation; the button names time and disk, and afterwards the question is asked again."""
    cost = {"seconds": 20.0, "disk_bytes": 605_000_000, "memory_bytes": 10**9, "what": "goals"}
    refusal = {"schema": 2, "error": "needs a confirmation", "code": "confirmation-required", "cost": cost}
    solved: list[str] = []

    def refuse(route: Any) -> None:
        if solved:
            route.continue_()
        else:
            route.fulfill(status=409, json=refusal)

    def solve(route: Any) -> None:
        solved.append(route.request.post_data)
        route.fulfill(content_type="text/event-stream", body="event: done\ndata: {}\n\n")

    tab.route("**/api/expect", refuse)
    tab.route("**/api/solve", solve)
    tab.goto(address + link(LATE, "&goal=200"))
    button = tab.locator("#expect-status button")
    button.wait_for()
    assert solved == []
    assert "20 seconds" in button.text_content()
    assert "0.6 GB" in button.text_content()
    button.click()
    tab.wait_for_selector("#expect-figures dd")
    assert json.loads(solved[0])["query"] == "expect"
    assert json.loads(solved[0])["goal"] == 200
    assert "chance of 200 or more" in figures(tab)


def test_the_end_of_a_game_has_a_final_score(blank: Any, address: str) -> None:
    boxes = LATE + " full-house=0 chance=20 yatzy=0"
    open_link(blank, address, link(boxes))
    expect(blank, "#answer", "Final score: 188")
    assert blank.locator("#expect").is_hidden()  # nothing is left to expect
    blank.evaluate("loaded('state').then(({ change }) => change((s) => { delete s.players[0].card.yatzy; }))")
    blank.wait_for_selector("#chart rect")
