"""Dice, categories and cards as people write them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy.errors import StateError
from perfect_yatzy.game import notation
from perfect_yatzy.game.limits import MAX_CARD_TEXT, MAX_DICE_TEXT, MAX_NAME, MAX_OPPONENTS_TEXT
from perfect_yatzy.game.notation import (
    GLYPHS,
    counts_of,
    dice_of,
    find_category,
    glyphs,
    parse_card,
    parse_category,
    parse_dice,
    parse_faces,
    parse_hold,
    spaced,
)
from perfect_yatzy.game.points import possible_points
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.scorecard import State
from perfect_yatzy.strategy.opponents import parse_opponents
from support import reference
from support.steps import steps

YATZY = load_rules("yatzy")
faces = st.lists(st.integers(1, 6), min_size=5, max_size=5)


@given(faces, st.sampled_from(["", " ", ",", ", ", ";"]), st.booleans())
def test_dice_are_read_in_any_form_and_order(dice: list[int], between: str, as_glyphs: bool) -> None:
    text = between.join(GLYPHS[face - 1] if as_glyphs else str(face) for face in dice)
    assert parse_dice(YATZY, text) == tuple(sorted(dice))
    assert parse_dice(YATZY, spaced(dice)) == parse_dice(YATZY, glyphs(dice)) == tuple(sorted(dice))
    assert dice_of(counts_of(YATZY, dice)) == tuple(sorted(dice))


@given(st.text(max_size=12))
def test_arbitrary_text_is_read_as_dice_or_rejected(text: str) -> None:
    with contextlib.suppress(StateError):
        assert len(parse_dice(YATZY, text)) == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3345", "'3345' is 4 dice; yatzy has 5"),
        ("", "'' is 0 dice; yatzy has 5"),
        ("334567", "'334567' has a 7; the faces are 1 to 6"),
        ("03345", "'03345' has a 0; the faces are 1 to 6"),
        ("3345x", "'x' in '3345x' is not a die; write the faces, such as 12345"),
        ("³3345", "'³' in '³3345' is not a die; write the faces, such as 12345"),
    ],
)
def test_bad_dice(text: str, message: str) -> None:
    with pytest.raises(StateError) as caught:
        parse_dice(YATZY, text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("ones", "ones"), ("ONES", "ones"), ("1", "ones"), ("Full House", "full-house"), ("fh", "full-house"),
        ("full_house", "full-house"), ("chan", "chance"), ("thre", None), ("three-", "three-of-a-kind"),
        ("pair", "one-pair"), ("1p", "one-pair"), ("2P", "two-pairs"), ("y", "yatzy"), ("ss", "small-straight"),
    ],
)  # fmt: skip
def test_categories_by_id_name_code_or_prefix(text: str, category: str | None) -> None:
    if category is None:
        with pytest.raises(StateError, match="is not clear: threes, three-of-a-kind"):
            find_category(YATZY, text)
    else:
        assert YATZY.categories[find_category(YATZY, text)].id == category


def test_unknown_categories_get_a_suggestion() -> None:
    with pytest.raises(StateError, match=r"unknown category 'sxies'; did you mean sixes\?"):
        find_category(YATZY, "sxies")
    with pytest.raises(StateError, match=r"small-straight or large-straight\?"):
        find_category(YATZY, "straight")
    with pytest.raises(StateError, match=r"small-straight or large-straight\?"):
        find_category(YATZY, "stege")
    for nonsense in ("nonsense", "qqqqqqq"):
        with pytest.raises(StateError, match=r"; `yatzy rules show yatzy` lists them$"):
            find_category(YATZY, nonsense)
    with pytest.raises(StateError, match="leave out the upper bonus"):
        find_category(YATZY, "Bonus")


@st.composite
def cards(draw: st.DrawFn) -> dict[int, int]:
    chosen = draw(st.sets(st.integers(0, 14), max_size=15))
    return {c: draw(st.sampled_from(possible_points(YATZY)[c])) for c in chosen}


@given(cards(), st.sampled_from([" ", ", ", ";", " ; "]))
def test_cards_read_back_as_written(points: dict[int, int], between: str) -> None:
    text = between.join(f"{YATZY.categories[c].id}={p}" for c, p in points.items())
    card = parse_card(YATZY, text)
    assert card.points == points
    assert parse_card(YATZY, str(card)) == card
    assert parse_card(YATZY, {YATZY.categories[c].id: p for c, p in points.items()}) == card
    assert card.total == sum(points.values())
    upper = sum(p for c, p in points.items() if c < 6)
    assert card.state == State(sum(1 << c for c in points), min(63, upper))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ones", "'ones' in the card is not of the form category=points, such as ones=3"),
        ("ones=3 ones=2", "ones is filled twice in the card"),
        ("ones=6", "ones cannot hold 6; it can hold 0, 1, 2, 3, 4, 5"),
        ("fours=10", "fours cannot hold 10; it can hold 0, 4, 8, 12, 16, 20"),
        ("chance=31", "chance cannot hold 31; it can hold 0 or 5 to 30"),
        ("ones=-3", "'-3' is not a score for ones; write a whole number"),
        ("ones=three", "'three' is not a score for ones; write a whole number"),
        ("=3", "'=3' in the card is not of the form category=points, such as ones=3"),
    ],
)
def test_bad_cards(text: str, message: str) -> None:
    with pytest.raises(StateError) as caught:
        parse_card(YATZY, text)
    assert str(caught.value) == message


def test_crossing_out_and_spaces_around_the_equals_sign() -> None:
    assert parse_card(YATZY, "ones = x, yatzy: 0").points == {0: 0, 14: 0}


def test_forced_order_is_checked() -> None:
    with pytest.raises(StateError, match="fills in order: ones must come first"):
        parse_card(load_rules("yatzy-forced"), "twos=4")


def test_names_in_a_card_may_contain_spaces() -> None:
    assert (
        str(parse_card(YATZY, "Two Pairs=16 ones = 3, four of a kind: 20")) == "ones=3 two-pairs=16 four-of-a-kind=20"
    )


def test_a_card_is_read_as_the_program_prints_it() -> None:
    assert parse_card(YATZY, "Ones 3, Sixes 24, Chance 22").points == {0: 3, 5: 24, 13: 22}
    assert parse_card(YATZY, "Two Pairs 16, 1 3; yatzy x").points == {7: 16, 0: 3, 14: 0}


def test_a_colon_may_be_part_of_a_name() -> None:
    assert parse_card(YATZY, "1:or=3 2:or: 4, 3:or 9").points == {0: 3, 1: 4, 2: 9}


NAMES_AND_SIGNS = st.text(alphabet="ab13xX-=:;, \n\xa0\x1cå", max_size=16)


@given(NAMES_AND_SIGNS)
def test_cards_are_split_as_by_regular_expressions(text: str) -> None:
    found: list[tuple[str, str] | None] = []
    try:
        for entry in notation._entries(text):
            found.append(entry)
    except StateError:
        found.append(None)
    assert found == [*reference.card_entries(text)]


NONSENSE = st.one_of(
    st.text(max_size=40),
    NAMES_AND_SIGNS,
    st.lists(st.sampled_from(["ones", "kåk", "3", "x", "for", "=", ":", " ", ";", "\0", "\ud800"]), max_size=12).map(
        "".join
    ),
)


@given(NONSENSE)
def test_any_text_is_read_or_rejected(text: str) -> None:
    parsers: list[Callable[[], object]] = [
        lambda: parse_card(YATZY, text),
        lambda: parse_card(YATZY, {text: 3}),
        lambda: parse_dice(YATZY, text),
        lambda: parse_hold(text, (1, 2, 3, 4, 5)),
        lambda: find_category(YATZY, text),
        lambda: parse_category(YATZY, text, {"chance": 20}),
        lambda: parse_opponents(YATZY, text),
    ]
    for parse in parsers:
        with contextlib.suppress(StateError):
            parse()


PIECES = [
    " ", "=", ":", ",", "1", "1 ", "a", "a=", "a =", "a:1 ", "ones=", "ones =1;", "x", "- ", "\xa0", "251;",
    "extra=1 ", "for ", "⚀",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_the_longest_texts_take_few_steps_and_longer_ones_none(piece: str) -> None:
    """Lines are counted, not seconds. A text of 60,000 blanks once took 75 s."""
    for most, parse in (
        (MAX_CARD_TEXT, lambda text: parse_card(YATZY, text)),
        (MAX_DICE_TEXT, lambda text: parse_dice(YATZY, text)),
        (MAX_DICE_TEXT, lambda text: parse_hold(text, (1, 2, 3, 4, 5))),
        (MAX_NAME, lambda text: find_category(YATZY, text)),
        (MAX_NAME, lambda text: parse_category(YATZY, text, {})),
        (MAX_OPPONENTS_TEXT, lambda text: parse_opponents(YATZY, text)),
    ):
        longest = (piece * most)[:most]
        with contextlib.suppress(StateError):
            parse("warm")
        assert steps(lambda: parse(longest)) < 20_000 + 40 * most  # noqa: B023
        refused = steps(lambda: parse(piece * 100 * most))  # noqa: B023
        assert refused < 100


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("kak", "full-house"), ("Kåk", "full-house"), ("KAK", "full-house"), ("3 of a kind", "three-of-a-kind"),
        ("4 of a kind", "four-of-a-kind"), ("2 pairs", "two-pairs"), ("tvaor", "twos"), ("täysk", "full-house"),
        ("taysk", "full-house"),
    ],
)  # fmt: skip
def test_accents_and_digits_do_not_matter(text: str, category: str) -> None:
    assert YATZY.categories[find_category(YATZY, text)].id == category
    assert parse_category(YATZY, f"{text} 15", {}) == category


def test_points_after_a_category_are_understood() -> None:
    rules, paid = load_rules("yatzy"), {"yatzy": 0, "chance": 21, "full-house": 0}
    for text, category in (
        ("Yatzy 0", "yatzy"), ("chance 21", "chance"), ("Chance for 21", "chance"), ("chance=21", "chance"),
        ("full house 0", "full-house"), ("full house x", "full-house"), ("kåk 0", "full-house"), ("ch", "chance"),
    ):  # fmt: skip
        assert parse_category(rules, text, paid) == category
    with pytest.raises(StateError, match="chance pays 21 for these dice, not 20"):
        parse_category(rules, "chance 20", paid)
    with pytest.raises(StateError, match="unknown category 'nonsense'"):
        parse_category(rules, "nonsense 20", paid)
    assert parse_category(rules, "ones 3", paid) == "ones"  # filled: the session says so
    assert parse_category(rules, "three", paid) == "threes"
    assert parse_category(rules, "three", {"three-of-a-kind": 9}) == "three-of-a-kind"  # Threes are filled
    assert parse_faces("-") is parse_faces(", ") is parse_faces("") is parse_faces("3x") is None
    assert parse_faces("⚂ 3,1") == (1, 3, 3)
