"""The printed hold rules say what the code plays: a reader of the sentences alone, in every language."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import State, load_rules
from perfect_yatzy._messages import LANGUAGES
from perfect_yatzy.cli.views.guide_content import guide_content
from perfect_yatzy.cli.views.guide_text import guide_text
from perfect_yatzy.game.translations import localized
from perfect_yatzy.policies.guide import Guide
from perfect_yatzy.policies.hold_rules import HoldRule, parse_hold_rules
from perfect_yatzy.policies.price_sheet import PriceSheet, pars, terms_of
from perfect_yatzy.policies.strategy_sheet import StrategySheet, packaged_sheet
from perfect_yatzy.strategy.category_odds import category_odds
from support.hold_rules import hold_rules
from support.naive_hold_rules import held_dice
from support.printed_rules import PrintedGuide
from support.seeds import examples

NAMES = ["yatzy", "yahtzee", "yatzy-forced", "maxi-unsaved", "kismet", "giant-forced"]
SHEETS = sorted(
    path.name.removesuffix(".json") for path in files("perfect_yatzy.policies").joinpath("sheets").iterdir()
)
SHIPPED = [name for name in SHEETS if packaged_sheet(load_rules(name)).holds]  # type: ignore[union-attr]
MORE = examples(12, 100)


@cache
def odds(name: str) -> tuple[object, ...]:
    rules = load_rules(name)
    return tuple(category_odds(rules, None, rules.rolls_per_turn - 1))


def as_printed(rule: HoldRule) -> HoldRule:
    """Of two rules that are one sentence the one that is read: all faces of a range, dice of one face."""
    pattern = rule.pattern
    if pattern.kind == "row" and pattern.sizes[0] == pattern.high - pattern.low + 1:
        pattern = replace(pattern, kind="different")
    if pattern.kind == "groups" and pattern.sizes == (1,) and pattern.low == pattern.high:
        pattern = replace(pattern, kind="dice", sizes=(), lowest=False)
    return replace(rule, pattern=pattern)


def check_printed(sheet: StrategySheet, language: str) -> PrintedGuide:
    """Every sentence is read as the rule that it was, and the legend has the par and the steps of the bonus."""
    rules = localized(sheet.rules, language)
    sheet = StrategySheet(rules, sheet.prices, sheet.holds, sheet.figures)
    content = guide_content(Guide(rules, 100.0, sheet, (), (), (), (), odds(sheet.rules.key)))  # type: ignore[arg-type]
    reader = PrintedGuide(rules, language, guide_text(content))
    assert reader.holds == tuple(map(as_printed, sheet.holds)), reader.rule_texts
    kinds = {condition.kind for rule in sheet.holds for condition in rule.conditions}
    if kinds & {"above par", "below par"}:
        upper = {box.id: par for box, par in zip(rules.categories, pars(rules), strict=True) if box.upper}
        assert {box: float(par) for box, par in reader.par.items()} == pytest.approx(upper, abs=0.05)
    if "bonus needs" in kinds:
        assert reader.steps == [least for least, _ in rules.bonuses[0].steps]
    return reader


@MORE
@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data(), st.sampled_from(NAMES))
def test_any_rule_is_read_as_it_was(language: str, data: st.DataObject, name: str) -> None:
    rules = load_rules(name)
    holds = data.draw(st.lists(hold_rules(rules), min_size=1, max_size=3))
    prices = PriceSheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.0))
    check_printed(StrategySheet(rules, prices, tuple(holds), {"mean": 50.0}), language)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_rules_are_read_in_every_language(name: str) -> None:
    """The sheets of a rule set, of every length."""
    sheet = packaged_sheet(load_rules(name))
    assert sheet is not None
    for each in (sheet, *(sheet.with_rules(size) for size in sheet.shorter)):
        for language in LANGUAGES:
            check_printed(each, language)


def test_the_cases_that_readers_took_in_another_way() -> None:
    rules = load_rules("yatzy")
    texts = [
        "two pairs of 4-6 if full-house open and rolls left 1: keep",
        "three of open: keep",
        "single of open: keep",
    ]
    prices = PriceSheet(rules, [2.5] * 15, dict.fromkeys(terms_of(rules), 1.0))
    read = [*check_printed(StrategySheet(rules, prices, parse_hold_rules(rules, texts), {"mean": 50.0}), "en").holds]
    every, no_fours = State(), State(0b1000, 12)
    for state, dice, left, kept in (
        (every, (4, 4, 4, 5, 5), 1, None),  # a full house: all dice of both faces, which is to stop
        (every, (3, 4, 4, 5, 5), 1, (4, 4, 5, 5)),
        (no_fours, (2, 4, 4, 4, 6), 2, (6,)),  # the upper box of the fours is filled, and 6 is higher
        (no_fours, (2, 2, 4, 4, 4), 2, (2, 2)),
        (State(0b111111), (2, 2, 4, 4, 4), 2, ()),
    ):
        assert held_dice(rules, read, state, dice, left) == kept
