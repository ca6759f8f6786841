"""Single lines of the command: the upper bonus of a card, hold rules as sentences, the time left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import load_rules
from perfect_yatzy.cli.console import time_left
from perfect_yatzy.cli.views.hold_sentences import hold_sentence
from perfect_yatzy.cli.views.upper_bonus import upper_bonus_labels, upper_bonus_lines
from perfect_yatzy.cli.views.words import words_of
from perfect_yatzy.game.translations import localized
from perfect_yatzy.policies.hold_rules import parse_hold_rule
from support.hold_rules import hold_rules
from support.seeds import examples

# Of Kismet's six upper boxes: 35 points at 63, 55 at 71, 75 at 78; the sixes can pay 30.
ALL_BUT_SIXES = 0b011111
HOLD_RULES_OF = ["yatzy", "yahtzee", "yatzy-forced", "maxi", "generala"]


def test_one_step_is_named_by_its_points() -> None:
    rules = load_rules("yatzy")
    assert upper_bonus_lines(rules, 0b1, [3]) == ["Upper bonus of 50: 3 of 63, 60 more needed"]
    assert upper_bonus_lines(rules, 0b111111, [70]) == ["Upper bonus of 50: secured (70 of 63)"]


def test_several_steps_name_the_next_one_and_its_points() -> None:
    rules = load_rules("kismet")
    assert upper_bonus_labels(rules) == ["Upper bonus"]
    lines = {upper: upper_bonus_lines(rules, ALL_BUT_SIXES, [upper])[0] for upper in (30, 45, 63, 75, 78)}
    assert lines == {
        30: "Upper bonus: out of reach (30 of 63 for 35 points)",
        45: "Upper bonus: 45 of 63 for 35 points, 18 more needed",
        63: "Upper bonus: 63 of 71 for 55 points, 8 more needed, 35 points secured",
        75: "Upper bonus: 75 of 78 for 75 points, 3 more needed, 55 points secured",
        78: "Upper bonus: secured (78 of 78 for 75 points)",
    }


def test_the_time_left_follows_from_all_that_is_done() -> None:
    """What an earlier solve has done took no time now; tiny first layers give no estimate."""
    for before, done, total, seconds, expected in (
        (0, 500, 1000, 60.0, "1:00"),
        (0, 100, 1000, 500.0, "1:15:00"),
        (0, 999, 1000, 100.0, "0:00"),
        (600, 800, 1000, 30.0, "0:30"),
        (0, 0, 33_472_512, 4.0, ""),
        (0, 20_000, 33_472_512, 4.0, ""),
        (600, 605, 1000, 5.0, ""),
        (0, 1000, 1000, 60.0, ""),
    ):
        assert time_left(before, done, total, seconds) == expected


@examples(12, 60)
@given(st.data(), st.sampled_from(HOLD_RULES_OF), st.sampled_from(["en", "sv", "nb"]))
def test_every_hold_rule_is_a_sentence_in_every_language(data: st.DataObject, name: str, language: str) -> None:
    rules = localized(load_rules(name), language)
    text = str(hold_sentence(rules, data.draw(hold_rules(rules)), words_of(language)))
    assert text.endswith(".")
    assert text[0] == text[0].upper()
    assert "{" not in text
    assert "  " not in text


def test_sentences_of_hold_rules() -> None:
    """In English."""
    rules = load_rules("yatzy")
    for rule, english in {
        "two pairs of 3-6 if two-pairs or full-house open and rolls left 1: keep": (
            "Two pairs of 3–6 if Two Pairs or Full House is open and one roll is left: keep."
        ),
        "single of 4-6: keep": "The face you have most of (4–6): keep.",
        "single of open: keep": "The face you have most of, box open: keep.",
        "4 different of 2-5 if only upper or large-straight open: keep": (
            "2-3-4-5 if only upper boxes or Large Straight is open: keep."
        ),
        "any if upper closed: stop": "Any roll if all upper boxes are filled: stop.",
        "pays large-straight: stop": "Large Straight scores: stop.",
    }.items():
        assert str(hold_sentence(rules, parse_hold_rule(rules, rule), words_of("en"))) == english
