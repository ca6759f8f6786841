"""Hold rules as sentences: every rule of the language, in every language of the guide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.cli.views.hold_sentences import hold_sentence
from perfect_yatzy.cli.views.words import words_of
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.translations import localized
from perfect_yatzy.policies.hold_rules import parse_hold_rule
from support.hold_rules import hold_rules
from support.seeds import examples

NAMES = ["yatzy", "yahtzee", "yatzy-forced", "maxi", "generala"]


@examples(12, 60)
@given(st.data(), st.sampled_from(NAMES), st.sampled_from(["en", "sv", "nb"]))
def test_every_rule_is_a_sentence_in_every_language(data: st.DataObject, name: str, language: str) -> None:
    rules = localized(load_rules(name), language)
    text = str(hold_sentence(rules, data.draw(hold_rules(rules)), words_of(language)))
    assert text.endswith(".")
    assert text[0] == text[0].upper()
    assert "{" not in text
    assert "  " not in text


@pytest.mark.parametrize(
    ("rule", "english"),
    [
        (
            "two pairs of 3-6 if two-pairs or full-house open and rolls left 1: keep",
            "Two pairs of 3–6 if Two Pairs or Full House is open and one roll is left: keep.",
        ),
        ("single of 4-6: keep", "The face you have most of (4–6): keep."),
        ("single of open: keep", "The face you have most of, box open: keep."),
        (
            "4 different of 2-5 if only upper or large-straight open: keep",
            "2-3-4-5 if only upper boxes or Large Straight is open: keep.",
        ),
        ("any if upper closed: stop", "Any roll if all upper boxes are filled: stop."),
        ("pays large-straight: stop", "Large Straight scores: stop."),
    ],
)
def test_sentences(rule: str, english: str) -> None:
    rules = load_rules("yatzy")
    assert str(hold_sentence(rules, parse_hold_rule(rules, rule), words_of("en"))) == english
