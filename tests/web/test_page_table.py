"""The table in a real browser: dice, advice and its reasons, the card, the objective, its dialog."""

from typing import Any

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.service.requests import parse_request
from support.browser import DONE, Visitor

pytestmark = pytest.mark.full

LATE_CARD = "ones=3+twos=6+threes=9+fours=12+fives=15+sixes=18+one-pair=10"
KISMET = {"aces": 3, "deuces": 6, "treys": 9, "fours": 12, "fives": 15, "sixes": 18}


def test_the_headline_is_what_the_player_is_doing(blank: Visitor) -> None:
    """With other dice marked, or none, it is no longer the best hold that is played."""
    blank.open("#rules=yatzy&dice=33456&left=2").expects("#answer", "Keep 3 3", "245.75")
    blank.mark(0, 1, 3, 4).expects("#answer", "Keep 5 6", "245.67")
    blank.expects("#held", "You keep 5 6: 0.08 points less than the best, 3 3.")
    blank.expects("#go", "Roll three dice")
    assert blank.text_content("#gap") == ""  # that of the best hold
    assert blank.text_content("#why") == ""
    above = "document.querySelector('#held').getBoundingClientRect().bottom <= document.querySelector('#go').getBoundingClientRect().top"
    assert blank.evaluate(above)
    blank.mark(3, 4).expects("#held", "You keep nothing:")
    blank.expects("#go", "Roll all dice again").expects("#map-title", "after holding nothing")
    blank.click("#best-again").expects("#answer", "Keep 3 3")
    blank.expects("#gap", "Nearly as good: 5 6 (−0.08).").expects("#go", "Roll three dice")
    assert blank.text_content("#held") == ""


def test_the_reason_names_no_box_that_takes_a_zero(blank: Visitor) -> None:
    """Keeping the 6 ends in Small Straight in 15 % of turns: as a zero, since a 6 is no part of it."""
    blank.open("#rules=yatzy&dice=62321&left=1").expects("#answer", "Keep 6").settle()
    assert blank.text_content("#why")
    assert "Straight" not in blank.text_content("#why")


def test_comparing_the_boxes_changes_the_list_only(blank: Visitor) -> None:
    """A box with rerolls left is no advice: headline and button stay, losses are those against the best hold."""
    blank.open("#rules=yatzy&dice=23466&left=2").expects("#answer", "Keep 6 6")
    headline = blank.text_content("#answer")
    blank.click("#instead").expects("#ranking li:nth-child(2)", " for ")
    assert blank.text_content("#answer") == headline
    blank.expects("#go", "Roll three dice")
    best = blank.locator("#ranking button[aria-label$=', best']")  # the hold that the boxes are compared with
    assert best.count() == 1
    assert str(best.get_attribute("aria-label")).startswith("Keep 6\u00a06: ")
    assert best.evaluate("(row) => row === document.querySelector('#ranking button')")
    asked = (
        "(query) => loaded('ask').then(({ask}) =>"
        " ask(query, {rules: 'yatzy', card: {}, dice: [2, 3, 4, 6, 6], rolls_left: 2}, {}))"
    )
    hold, box = blank.evaluate(asked, "hold")["holds"][0], blank.evaluate(asked, "score")["categories"][0]
    loss = hold["expected_final_score"] - box["expected_final_score"]
    assert loss > 2
    blank.expects("#ranking li:nth-child(2) .option-loss", f"−{loss:.2f}")
    blank.click("#ranking li:nth-child(2) button")
    blank.wait_for_selector("#loss-dialog")
    blank.click("#loss-dialog .primary")
    assert blank.state()["turns"] == []
    blank.click("#instead")
    assert best.count() == 1


def test_a_category_is_taken_with_the_rerolls_left(blank: Visitor) -> None:
    """Saved rolls and bonuses for a first roll are those of taking the category now."""
    blank.open("#rules=generala&dice=12345&left=2").expects("#answer", "Take Straight", "158.86")
    blank.expects("#go", "Take Straight for 20 + 5")
    blank.click("#instead").expects("#ranking li:first-child", "Straight for 20 + 5")
    blank.click("#instead").click("#go").expects("#total", "25").expects("#expect", "158.9")
    assert blank.focused() == "go"


def test_bonus_points_are_in_the_total_and_the_link(blank: Visitor) -> None:
    blank.open("#rules=yahtzee&card=yahtzee%3D50&dice=66666&left=0").expects("#go", "Take Sixes for 30 + 100")
    blank.click("#go").expects("#total", "180")
    assert "bonus_points=100" in blank.url
    blank.click("#edit-card")
    assert blank.input_value("#bonus_points") == "100"
    blank.write("#bonus_points", "0")
    blank.expects("#total", "80")


def test_an_invalid_box_stays_until_it_is_corrected(page: Visitor) -> None:
    page.click("#edit-card")
    page.write("#box-ones", "9")
    page.expects("#card-error", "Ones cannot hold 9. It can hold 0, 1, 2, 3, 4, 5.")
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
    expected, holds, outcomes = [page.asks(query, lambda body: None) for query in ("expect", "hold", "outcomes")]
    page.type("33456").expects("#answer", "Keep 3 3").mark(0).expects("#held", "You keep 3:")
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
    """A wrong one stays in sight with its error, which goes when it is typed over: else Done would only remove that."""
    blank.open(f"#rules=yatzy&card={LATE_CARD}")  # early in a game the server asks before it solves
    assert blank.locator("#aim").is_hidden()  # the best average is the usual aim
    blank.click("#open-rules")
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
    blank.click("#rules-done").expects("#goal-error", "Enter the points to reach")
    assert blank.focused() == "goal"
    blank.locator("#goal").press_sequentially("250")
    assert blank.text_content("#goal-error") == ""
    blank.press("Enter")
    blank.wait_for_selector("#rules-dialog", state="hidden")
    assert blank.state()["goal"] == "250"
    blank.click("#aim")  # above the dice; it leads to its setting
    assert blank.focused() == "objective"
    assert blank.input_value("#goal") == "250"
    blank.select_option("#objective", "win")
    blank.click("#rules-done").expects("#opponents-error", "add them as players")
    blank.press("Escape").expects("#notice", "The aim was not complete")
    assert blank.state()["objective"] == "mean"
    blank.click("#open-rules")
    blank.select_option("#objective", "win")
    blank.click("#opponents-players")
    assert blank.locator("#players-dialog").is_visible()
    blank.press("Escape")


def test_the_end_of_a_game(blank: Visitor) -> None:
    boxes = f"{LATE_CARD}+two-pairs=18+three-of-a-kind=12+four-of-a-kind=0+small-straight=15+large-straight=0+full-house=0"
    blank.open(f"#rules=yatzy&card={boxes}+chance=20+yatzy=0").expects("#answer", "Final score: 188.")
    blank.expects("#bonus", "bonus 50").expects("#upper", "63 of 63").expects("#turn-line", "Game over")
    assert blank.locator("#expect").is_hidden()  # nothing is left to expect
    assert blank.type("3").dice() == []
    blank.click("#go").expects("#turn-line", "Turn 1 of 15").expects("#notice", "Undo brings the old one back")
    blank.click("#undo").expects("#answer", "Final score: 188.")
    blank.change("delete s.players[0].card.yatzy;")
    blank.wait_for_selector("#chart rect")
    blank.open(f"#rules=yatzy&left=0&dice=66666&card={boxes}+yatzy=0").settle()
    for _ in range(3):  # one Enter too many does nothing
        blank.press("Enter").expects("#answer", "Final score: 198.")
    assert blank.dice() == []


def test_stepped_bonuses_and_forced_order(blank: Visitor) -> None:
    blank.open("#rules=kismet&card=" + "+".join(f"{box}={points}" for box, points in KISMET.items()))
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


def test_variants_and_rules_are_behind_one_button(blank: Visitor) -> None:
    blank.open("#rules=yatzy+four-is-two-pairs&dice=33456&left=2").click("#open-rules")
    assert blank.is_checked("#switches input[value='four-is-two-pairs']")
    blank.expects("#answer", "245.9")
    blank.uncheck("#switches input[value='four-is-two-pairs']")
    blank.expects("#answer", "245.75")
    blank.locator("#rules").focus()
    blank.select_option("#rules", "kniffel")
    blank.expects("#notice", "The card was cleared for the other rules; Undo restores it.")
    assert blank.focused() == "rules"
    blank.press("Escape")
    assert blank.locator("#rules-dialog").is_hidden()
    blank.wait_until("document.getElementById('game-name').textContent === 'Kniffel'")
