"""The printed hold rules say what the code plays: a reader of the sentences alone, in every language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, State, load_rules
from perfect_yatzy._messages import LANGUAGES
from perfect_yatzy.cli.views.guide import guide_text
from perfect_yatzy.cli.views.guide_content import guide_content
from perfect_yatzy.game.dice import Ints, lattice
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.game.scoring import open_categories
from perfect_yatzy.game.translations import localized
from perfect_yatzy.model.hold_rule_arrays import STOP
from perfect_yatzy.model.state_space import state_space
from perfect_yatzy.policies.guide import Guide
from perfect_yatzy.policies.hold_policy import Cards, applies, rule_holds, rule_uses
from perfect_yatzy.policies.hold_rules import Condition, HoldRule, parse_hold_rules
from perfect_yatzy.policies.price_sheet import make_sheet, terms_of
from perfect_yatzy.policies.strategy_sheet import StrategySheet, packaged_sheet
from perfect_yatzy.strategy.category_odds import category_odds
from support.hold_rules import cards, hold_rules, kept_by, some_rolls
from support.printed_rules import Card, PrintedGuide
from support.seeds import examples

NAMES = ["yatzy", "yahtzee", "yatzy-forced", "maxi-unsaved", "kismet"]
SHEETS = sorted(
    path.name.removesuffix(".json") for path in files("perfect_yatzy.policies").joinpath("sheets").iterdir()
)
SHIPPED = [name for name in SHEETS if packaged_sheet(load_rules(name)).holds]  # type: ignore[union-attr]
MORE = examples(12, 100)
if MORE.max_examples > 12:
    NAMES.append("giant-forced")  # the reader takes seconds for its rolls


@cache
def odds(name: str) -> tuple[object, ...]:
    rules = load_rules(name)
    return tuple(category_odds(rules, None, rules.rolls_per_turn - 1))


def printed(sheet: StrategySheet, language: str) -> PrintedGuide:
    """The guide of a sheet as a reader of a language understands it."""
    rules = localized(sheet.rules, language)
    sheet = StrategySheet(rules, sheet.prices, sheet.holds, sheet.figures)
    content = guide_content(Guide(rules, 100.0, sheet, (), (), (), (), odds(sheet.rules.key)))  # type: ignore[arg-type]
    return PrintedGuide(rules, language, guide_text(content))


def sheet_with(rules: RuleSet, holds: Sequence[HoldRule]) -> StrategySheet:
    prices = make_sheet(rules, [2.5] * len(rules.categories), dict.fromkeys(terms_of(rules), 1.0))
    return StrategySheet(rules, prices, tuple(holds), {"mean": 50.0})


def card_of(rules: RuleSet, state: State) -> Card:
    """What a player sees."""
    ids = [box.id for box in rules.categories]
    filled = frozenset(box for i, box in enumerate(ids) if state.filled >> i & 1)
    boxes = frozenset(ids[i] for i in open_categories(rules, state.filled))
    return Card(boxes, len(ids) - len(filled), state.upper, filled, state.joker_paid)


@MORE
@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data(), st.sampled_from(NAMES))
def test_any_rule_is_read_as_it_is_played(language: str, data: st.DataObject, name: str) -> None:
    rules = load_rules(name)
    several = data.draw(st.lists(hold_rules(rules), min_size=1, max_size=3))
    reader = printed(sheet_with(rules, several), language)
    assert len(reader.rules_read) == len(several)
    state = data.draw(cards(rules))
    for shown, left, expected in kept_by(rules, several, state, data.draw(some_rolls(rules))):
        assert reader.play(card_of(rules, state), shown, left) == expected, (reader.rule_texts, shown, left)


def lists_of(name: str) -> list[StrategySheet]:
    """The sheets of a rule set, of every length."""
    sheet = packaged_sheet(load_rules(name))
    assert sheet is not None
    return [sheet, *(sheet.with_rules(size) for size in sheet.shorter)]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_rules_say_the_same_in_every_language(name: str) -> None:
    for sheet in lists_of(name):
        english = printed(sheet, "en")
        assert len(english.rules_read) == len(sheet.holds) > 0
        for language in LANGUAGES[1:]:
            other = printed(sheet, language)
            assert other.rules_read == english.rules_read
            assert other.par == english.par


def test_the_cases_that_readers_took_in_another_way() -> None:
    rules = load_rules("yatzy")
    texts = [
        "two pairs of 4-6 if full-house open and rolls left 1: keep",
        "three of open: keep",
        "single of open: keep",
    ]
    reader = printed(sheet_with(rules, parse_hold_rules(rules, texts)), "en")
    every = card_of(rules, State())
    assert reader.play(every, (4, 4, 4, 5, 5), 1) is None  # a full house: all dice of both faces, which is to stop
    assert reader.play(every, (3, 4, 4, 5, 5), 1) == (4, 4, 5, 5)
    no_fours = card_of(rules, State(0b1000, 12))
    assert reader.play(no_fours, (2, 4, 4, 4, 6), 2) == (6,)  # the upper box of the fours is filled, and 6 is higher
    assert reader.play(no_fours, (2, 2, 4, 4, 4), 2) == (2, 2)
    assert reader.play(card_of(rules, State(0b111111)), (2, 2, 4, 4, 4), 2) == ()


# --- all cards and rolls -----------------------------------------------------------------------------------------

MOST_CARDS = 70_000  # of a game; of larger ones so many are drawn


def all_cards(rules: RuleSet) -> tuple[Ints, list[State]]:
    """Every set of filled boxes with an upper sum below par and one from par on: rows and lanes, and cards."""
    space = state_space(rules)
    layout = space.layout
    rows = np.concatenate(space.layers[: space.categories])
    rows = np.random.default_rng(1).permutation(rows)[:MOST_CARDS] if len(rows) > MOST_CARDS else rows
    lane_sets = layout.lane_sets[rows]
    places = np.concatenate(
        [np.column_stack([rows, lane]) for lane in (np.zeros_like(rows), layout.lane_count[lane_sets] - 1)]
    )
    places = np.unique(places, axis=0)
    uppers = layout.lane_upper[layout.lane_sets[places[:, 0]], places[:, 1]]
    masks, scored = layout.masks[places[:, 0]], places[:, 0] >= space.cards
    cards = zip(masks.tolist(), uppers.tolist(), scored.tolist(), strict=True)
    return places, [State(mask, upper, joker_paid=paid) for mask, upper, paid in cards]


@pytest.mark.full
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "maxi-unsaved" else name for name in SHIPPED]
)
def test_the_printed_rules_play_as_the_code_on_all_cards_and_rolls(name: str) -> None:
    """What the reader does with a roll is asked once for each sentence and set of open faces."""
    rules = load_rules(name)
    dice, space = lattice(rules.dice, rules.faces), state_space(rules)
    rolls = [dice_of(dice.counts[dice.first_roll + roll].tolist()) for roll in range(dice.n_rolls)]
    places, states = all_cards(rules)
    seen, views = Cards.of_rows(rules, space, places[:, 0], places[:, 1]), [card_of(rules, state) for state in states]
    if rules.bonus:
        above = applies(rules, Condition("above par"), seen, 1)
        assert above.any()
        assert not above.all()
    bits = {box.id: 1 << i for i, box in enumerate(rules.categories)}
    offered = np.array([sum(bits[box] for box in PrintedGuide.boxes_for(rules, view)) for view in views])
    jokers = np.array([PrintedGuide.has_jokers(rules, view) for view in views], dtype=np.int64)
    named_faces = [frozenset(PrintedGuide.open_faces_of(rules, view)) for view in views]
    kinds = {faces: i for i, faces in enumerate(dict.fromkeys(named_faces))}
    kind = np.array([kinds[faces] for faces in named_faces])
    for sheet in lists_of(name):
        reader = printed(sheet, "en")
        done = [[[reader.done(rule, faces, roll) for roll in rolls] for faces in kinds] for rule in reader.rules_read]
        holds = np.array(
            [
                [[np.bincount(kept, minlength=rules.faces + 1)[1:] for kept, _ in line] for line in lines]
                for lines in done
            ]
        )
        good = np.array(
            [
                [[[sum(bits[box] for box in boxes) for boxes in kinds_of] for _, kinds_of in line] for line in lines]
                for lines in done
            ]
        )
        kept = np.where(holds.sum(-1) == rules.dice, STOP, dice.rank(holds))
        asked = list(dict.fromkeys(c for rule in reader.rules_read for c in rule.conditions))
        for left in range(1, rules.rolls_per_turn):
            holding = {c: np.array([reader.holds(c, view, left) for view in views]) for c in asked}
            expected = np.zeros((len(views), dice.n_rolls), dtype=np.int16)
            found = np.zeros_like(expected)
            for i in reversed(range(len(sheet.holds))):
                read, rule = reader.rules_read[i], sheet.holds[i]
                here = np.flatnonzero(
                    np.all([np.ones(len(views), bool), *(holding[c] for c in read.conditions)], axis=0)
                )
                counts = good[i, kind[here], :, jokers[here]] & offered[here, None] != 0
                expected[here] = np.where(counts, kept[i, kind[here]], expected[here])
                fits = np.all(
                    [np.ones(len(views), bool), *(applies(rules, c, seen, left) for c in rule.conditions)], axis=0
                )
                here = np.flatnonzero(fits)
                lines, uses = rule_holds(rules, rule), rule_uses(rules, rule)
                line = seen.faces[here] if len(lines) > 1 else np.zeros_like(here)
                use = uses[line + len(lines) * seen.jokers[here]]
                found[here] = np.where(use & seen.usable[here, None] != 0, lines[line], found[here])
            wrong = np.argwhere(expected != found)
            assert not len(wrong), (states[wrong[0, 0]], rolls[wrong[0, 1]], left)
