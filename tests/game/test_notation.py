"""Dice, categories and cards as people write them, in several languages."""

import contextlib
import random
import re
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_yatzy import (
    RulesError,
    Scorecard,
    State,
    StateError,
    Strategy,
    load_rules,
    parse_card,
    start_turn,
)
from perfect_yatzy.cli.views.wording import decision_of
from perfect_yatzy.core.scoring import possible_points
from perfect_yatzy.game import notation
from perfect_yatzy.game.limits import MAX_CARD_TEXT, MAX_DICE_TEXT, MAX_NAME, MAX_OPPONENTS_TEXT
from perfect_yatzy.game.notation import (
    find_category,
    parse_category,
    parse_dice,
    parse_faces,
    parse_hold,
)
from perfect_yatzy.game.rule_loader import builtin_ids
from perfect_yatzy.game.translations import category_names, foreign_names, languages, localized
from perfect_yatzy.strategy.score_distribution import parse_opponents
from support import reference
from support.command import Run
from support.reference import steps
from support.refusals import refused

YATZY = load_rules("yatzy")
faces = st.lists(st.integers(1, 6), min_size=5, max_size=5)


@given(faces, st.sampled_from(["", " ", ",", ", ", ";"]), st.booleans())
def test_dice_are_read_in_any_form_and_order(
    dice: list[int], between: str, as_glyphs: bool
) -> None:
    text = between.join(notation.GLYPHS[face - 1] if as_glyphs else str(face) for face in dice)
    assert parse_dice(YATZY, text) == tuple(sorted(dice))
    assert (
        parse_dice(YATZY, notation.spaced(dice))
        == parse_dice(YATZY, notation.glyphs(dice))
        == tuple(sorted(dice))
    )
    assert notation.dice_of(notation.counts_of(YATZY, dice)) == tuple(sorted(dice))


def test_every_word_for_a_hold_and_before_a_decision() -> None:
    dice = (3, 3, 4, 5, 6)
    words = {
        (): "none nothing reroll Reroll",
        dice: "all stop STOP 65433",
        (3, 3): "33 3,3 3-3 ⚂⚂",
        (7,): "7",
    }
    for held, texts in words.items():
        assert [parse_hold(text, dice) for text in texts.split()] == [held] * len(texts.split()), (
            held
        )
    assert [parse_hold(text, dice) for text in ("every", "al", "no ne", "x3", "")] == [None] * 5
    assert [decision_of(text) for text in ("hold 33", "Keep 33", "take  33", "SCORE 33", "33")] == [
        "33"
    ] * 5
    refused("name the dice to hold, such as 33, or the category to take", decision_of, "hold")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("ones", "ones"),
        ("ONES", "ones"),
        ("1", "ones"),
        ("Full House", "full-house"),
        ("fh", "full-house"),
        ("full_house", "full-house"),
        ("chan", "chance"),
        ("three-", "three-of-a-kind"),
        ("pair", "one-pair"),
        ("1p", "one-pair"),
        ("2P", "two-pairs"),
        ("y", "yatzy"),
        ("ss", "small-straight"),
        ("kak", "full-house"),
        ("Kåk", "full-house"),
        ("KAK", "full-house"),
        ("3 of a kind", "three-of-a-kind"),
        ("4 of a kind", "four-of-a-kind"),
        ("2 pairs", "two-pairs"),
        ("tvaor", "twos"),
        ("täysk", "full-house"),
        ("taysk", "full-house"),
    ],
)
def test_categories_by_id_name_code_or_prefix(text: str, category: str) -> None:
    """In any case, with or without accents, and with points behind."""
    assert YATZY.categories[find_category(YATZY, text)].id == category
    assert parse_category(YATZY, f"{text} 15", {}) == category


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thre", "is not clear: threes, three-of-a-kind"),
        ("sxies", r"unknown category 'sxies'; did you mean sixes\?"),
        ("straight", r"small-straight or large-straight\?"),
        ("stege", r"small-straight or large-straight\?"),
        ("nonsense", r"; `yatzy rules show yatzy` lists them$"),
        ("qqqqqqq", r"; `yatzy rules show yatzy` lists them$"),
        ("Bonus", "leave out the upper bonus"),
    ],
)
def test_unknown_categories_get_a_suggestion(text: str, message: str) -> None:
    refused(message, find_category, YATZY, text)


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
    ("parse", "text", "message"),
    [
        (parse_dice, "3345", "'3345' is 4 dice; yatzy has 5"),
        (parse_dice, "", "'' is 0 dice; yatzy has 5"),
        (parse_dice, "334567", "'334567' has a 7; the faces are 1 to 6"),
        (parse_dice, "03345", "'03345' has a 0; the faces are 1 to 6"),
        (parse_dice, "3345x", "'x' in '3345x' is not a die; write the faces, such as 12345"),
        (parse_dice, "³3345", "'³' in '³3345' is not a die; write the faces, such as 12345"),
        (
            parse_card,
            "ones",
            "'ones' in the card is not of the form category=points, such as ones=3",
        ),
        (parse_card, "ones=3 ones=2", "ones is filled twice in the card"),
        (parse_card, "ones=6", "ones cannot hold 6; it can hold 0, 1, 2, 3, 4, 5"),
        (parse_card, "fours=10", "fours cannot hold 10; it can hold 0, 4, 8, 12, 16, 20"),
        (parse_card, "chance=31", "chance cannot hold 31; it can hold 0 or 5 to 30"),
        (parse_card, "ones=-3", "'-3' is not a score for ones; write a whole number"),
        (parse_card, "ones=three", "'three' is not a score for ones; write a whole number"),
        (parse_card, "=3", "'=3' in the card is not of the form category=points, such as ones=3"),
    ],
)
def test_bad_dice_and_cards(parse: Callable[..., object], text: str, message: str) -> None:
    refused(f"^{re.escape(message)}$", parse, YATZY, text)
    refused(
        "fills in order: ones must come first", parse_card, load_rules("yatzy-forced"), "twos=4"
    )


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("ones = x, yatzy: 0", {0: 0, 14: 0}),
        ("Two Pairs=16 ones = 3, four of a kind: 20", {7: 16, 0: 3, 9: 20}),
        ("Ones 3, Sixes 24, Chance 22", {0: 3, 5: 24, 13: 22}),
        ("Two Pairs 16, 1 3; yatzy x", {7: 16, 0: 3, 14: 0}),
        ("1:or=3 2:or: 4, 3:or 9", {0: 3, 1: 4, 2: 9}),
    ],
)
def test_cards_as_people_write_them_and_as_the_program_prints_them(
    text: str, points: dict[int, int]
) -> None:
    assert parse_card(YATZY, text).points == points


NAMES_AND_SIGNS = st.text(alphabet="ab13xX-=:;, \n\xa0\x1cå", max_size=16)


@given(NAMES_AND_SIGNS)
def test_cards_are_split_as_by_regular_expressions(text: str) -> None:
    found: list[tuple[str, str] | None] = []
    try:
        found.extend(notation._entries(text))
    except StateError:
        found.append(None)
    assert found == [*reference.card_entries(text)]


NONSENSE = st.one_of(
    st.text(max_size=40),
    NAMES_AND_SIGNS,
    st.lists(st.sampled_from(["ones", "kåk", *"3x=: ;", "for", "\0", "\ud800"]), max_size=12).map(
        "".join
    ),
)


@given(NONSENSE)
def test_any_text_is_read_or_rejected(text: str) -> None:
    for call in (
        lambda: parse_card(YATZY, text),
        lambda: parse_card(YATZY, {text: 3}),
        lambda: parse_dice(YATZY, text),
        lambda: parse_hold(text, (1, 2, 3, 4, 5)),
        lambda: find_category(YATZY, text),
        lambda: parse_category(YATZY, text, {"chance": 20}),
        lambda: parse_opponents(YATZY, text),
    ):
        with contextlib.suppress(StateError):
            call()


PIECES = [
    " ",
    "=",
    ":",
    ",",
    "1",
    "1 ",
    "a",
    "a=",
    "a =",
    "a:1 ",
    "ones=",
    "ones =1;",
    "x",
    "- ",
    "\xa0",
    "251;",
    "extra=1 ",
    "for ",
    "⚀",
]


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
        assert steps(lambda: parse(piece * 100 * most)) < 200  # noqa: B023 (about 45 are needed)


def test_points_after_a_category_are_understood() -> None:
    paid = {"yatzy": 0, "chance": 21, "full-house": 0}
    for text, category in (
        ("Yatzy 0", "yatzy"),
        ("chance 21", "chance"),
        ("Chance for 21", "chance"),
        ("chance=21", "chance"),
        ("full house 0", "full-house"),
        ("full house x", "full-house"),
        ("kåk 0", "full-house"),
        ("ch", "chance"),
    ):
        assert parse_category(YATZY, text, paid) == category
    refused("chance pays 21 for these dice, not 20", parse_category, YATZY, "chance 20", paid)
    refused("unknown category 'nonsense'", parse_category, YATZY, "nonsense 20", paid)
    assert parse_category(YATZY, "ones 3", paid) == "ones"  # filled: the session says so
    assert parse_category(YATZY, "three", paid) == "threes"
    # Threes are filled
    assert parse_category(YATZY, "three", {"three-of-a-kind": 9}) == "three-of-a-kind"
    assert parse_faces("-") is parse_faces(", ") is parse_faces("") is parse_faces("3x") is None
    assert parse_faces("⚂ 3,1") == (1, 3, 3)


WITH_CATALOGUE = sorted(set(languages()) - {"en"})


def test_known_languages() -> None:
    assert list(languages().items())[:2] == [("en", "English"), ("da", "Dansk")]
    assert set(WITH_CATALOGUE) == {"da", "de", "fi", "ja", "ko", "nb", "sv"}
    text = "unknown language 'xx'; known languages: en, da, de, fi, ja, ko, nb, sv, zh"
    refused(text, localized, load_rules("yatzy"), "xx", error=RulesError)


@pytest.mark.parametrize("language", WITH_CATALOGUE)
@pytest.mark.parametrize("game", ["yatzy", "maxi"])
def test_every_box_of_the_common_games_has_a_name(game: str, language: str) -> None:
    rules = load_rules(game)
    missing = {c.id for c in rules.categories} - set(category_names(rules, language))
    assert missing <= {"yatzy", "chance"}  # the same word in that language


@pytest.mark.parametrize("language", WITH_CATALOGUE)
@pytest.mark.parametrize("game", builtin_ids())
def test_displayed_names_are_unique_and_understood(game: str, language: str) -> None:
    rules = localized(load_rules(game), language)
    names = [category.name.lower() for category in rules.categories]
    assert len(set(names)) == len(names)
    assert [find_category(rules, name) for name in names] == list(range(len(names)))
    assert rules.fingerprint == load_rules(game).fingerprint
    for english in load_rules(game).categories:
        assert find_category(rules, english.id) == rules.index_of[english.id]


@pytest.mark.parametrize("game", builtin_ids())
def test_a_foreign_name_finds_its_category_or_is_reported_as_ambiguous(game: str) -> None:
    rules = load_rules(game)
    meanings: dict[str, set[int]] = {}
    for name, category in foreign_names(rules):
        meanings.setdefault(name.lower(), set()).add(rules.index_of[category])
    for name, boxes in meanings.items():
        if len(boxes) == 1:
            assert find_category(rules, name) in boxes
        else:
            with contextlib.suppress(StateError):  # unless a name of the rule set itself matches
                assert find_category(rules, name) in boxes


def test_the_name_house_depends_on_language_and_dice() -> None:
    yatzy, maxi = load_rules("yatzy"), load_rules("maxi")
    for name, box in (
        ("Hus", "full-house"),
        ("kåk", "full-house"),
        ("GROSSE STRASSE", "large-straight"),
    ):
        assert yatzy.categories[find_category(yatzy, name)].id == box
    refused("category 'Hus' is not clear: full-house, castle", find_category, maxi, "Hus")
    for language, house in (("sv", "castle"), ("nb", "castle"), ("da", "full-house")):
        rules = localized(maxi, language)
        assert rules.categories[find_category(rules, "Hus")].id == house
    assert (
        str(parse_card(yatzy, "Ettor=3 Två par=16, chans: 20")) == "ones=3 two-pairs=16 chance=20"
    )


def test_the_command_reads_and_prints_them(run: Run, yatzy: Strategy) -> None:
    assert "Ta Kåk för 19" in run("score", "22555", "--card", "Chans=22", "--lang", "sv").stdout
    shown = run("rules", "show", "maxi-forced", "--lang", "nb").stdout
    assert "Hytte" in shown
    assert "Tårn" in shown
    assert run("odds", "--lang", "klingon").returncode == 2
    assert '"category": "full-house"' in run("odds", "--lang", "sv", "--json").stdout
    wrong = run("hold", "33456", "--lang", "SV", "--card", "ett par=3").stderr
    assert wrong == "yatzy: Ett par kan inte ha 3; den kan ha 0, 2, 4, 6, 8, 10, 12\n"
    wrong = run("hold", "33456", "--lang", "sv", "--card", "stege=3").stderr
    assert "menade du Liten stege eller Stor stege?" in wrong


PAYS_BONUS_POINTS = [
    name
    for name in builtin_ids()
    if load_rules(name).first_roll_bonus
    or ((joker := load_rules(name).joker) is not None and joker.bonus)
]


@pytest.mark.parametrize("name", PAYS_BONUS_POINTS)
def test_the_bonus_points_of_a_card_are_those_of_its_turns(name: str) -> None:
    """Every card of games with many jokers is accepted; all other numbers are refused, by sums over
    all ways in which the turns can have paid.
    """
    rules = load_rules(name)
    choose = random.Random(f"bonus points of {name}")
    extra = dict(rules.first_roll_bonus)
    joker = rules.joker
    paid = set()
    for _game in range(10):
        position = start_turn(rules, parse_card(rules, ""))
        while not position.over:
            face = choose.randint(1, rules.faces)
            dice = choose.choice(
                ([face] * rules.dice, [choose.randint(1, rules.faces) for _ in range(rules.dice)])
            )
            rolled = position.roll(dice)
            best = max(sum(points) for points in rolled.categories().values())
            options = rolled.categories().items()
            position = rolled.apply(choose.choice([c for c, p in options if sum(p) == best]))
            card = position.card
            assert isinstance(card, Scorecard)
            paid.add(card.bonus_points)
            boxes = {rules.categories[c].id: points for c, points in card.points.items()}
            parse_card(rules, boxes, bonus_points=card.bonus_points)
            jokers = 0
            if joker and joker.category in boxes:
                is_met = boxes[joker.category] > 0 or joker.bonus_requires == "filled"
                jokers = len(boxes) - 1 if is_met and joker.bonus else 0
            firsts = [extra[box] for box, points in boxes.items() if points and box in extra]
            sums = {
                sum(chosen) + count * (joker.bonus if joker else 0)
                for count in range(jokers + 1)
                for size in range(len(firsts) + 1)
                for chosen in combinations(firsts, size)
            }
            near = {total + change for total in sums for change in (-1, 0, 1, 3, 50)} - {-1}
            for number in near:
                if number in sums:
                    parse_card(rules, boxes, bonus_points=number)
                else:
                    refused("the bonus points cannot be", parse_card, rules, boxes, 0, number)
    assert len(paid) > 1, "no turn has paid any"


def test_a_message_names_the_bonus_points_that_are_possible() -> None:
    rules = load_rules("yahtzee")
    full = {
        c.id: points[-1] for c, points in zip(rules.categories, possible_points(rules), strict=True)
    }
    for message, card, bonus_points in (
        ("this card cannot have any", {"yahtzee": 0, "aces": 5}, 100),
        ("this card can have 0, 100", {"yahtzee": 50, "aces": 5}, 7),
        ("this card can have 0 or 100 to 1200 in steps of 100", full, 1300),
    ):
        refused(re.escape(message), parse_card, rules, card, 0, bonus_points)
