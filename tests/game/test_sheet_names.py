"""Names, cards and dice as score sheets, apps and spreadsheets write them."""

import json
from collections.abc import Callable, Sequence

import pytest
from perfect_yatzy.errors import StateError
from perfect_yatzy.game.notation import find_category, parse_card, parse_dice
from perfect_yatzy.game.rule_loader import load_rules
from perfect_yatzy.game.translations import localized

NAMES = {  # rules -> category -> how sheets call it: en, de, sv, da, nb, fi, nl, fr
    "yatzy": {
        "ones": "Ones ONES 1s ones Einser 1er Ettor Enere Ykköset Enen As",
        "twos": "Twos 2s Zweier 2er Tvåor Toere Tweeën Tweeen Deux",
        "threes": "Threes 3s Dreier 3er Treor Drieën Trois",
        "fours": "Fours 4s Vierer 4er Fyror Vieren Quatre",
        "fives": "Fives 5s Fünfer 5er Femmor Funfer Vijven Cinq",
        "sixes": "Sixes 6s Sechser 6er Sexor Zessen Six",
        "one-pair": "Pair|One pair|onepair|Ein Paar|einpaar|1 par|Ett par|ettpar|Et par|Eén paar|Paire|Une paire",
        "two-pairs": "Two pairs|twopairs|TwoPairs|two_pairs|2 pairs|Två par|tvåpar|Tvåpar|tvapar|To par|topar"
        "|2 par|Zwei Paare|zweipaare|Kaksi paria|kaksiparia|Twee paar|Double paire|Deux paires|doublepaire",
        "three-of-a-kind": "Three of a kind|3 of a kind|threeofakind|ThreeOfAKind|3-of-a-kind|Dreierpasch"
        "|Dreier-Pasch|3er Pasch|3er-Pasch|3erpasch|Drilling|Triss|Tre ens|3 ens|treens|Tre like|3 like"
        "|Kolme samaa|3 samaa|Tretal|Drie gelijke|Drie dezelfde|Brelan|BRELAN",
        "four-of-a-kind": "Four of a kind|4 of a kind|fourofakind|Viererpasch|Vierer-Pasch|4er Pasch"
        "|4er-Pasch|Vierling|Fyrtal|Fire ens|Fire like|Neljä samaa|4 samaa|Vier gelijke|Carré|carre|Vier dezelfde",
        "small-straight": "Small straight|Sm. Straight|Sm Straight|sm. straight|smallstraight|SmallStraight"
        "|Kleine Straße|Kleine Strasse|Kl. Straße|Kl. Strasse|Kl Straße|Liten stege|litenstege"
        "|Lille straight|Liten straight|Pieni suora|Kleine straat|kleinestraat|Petite suite|Kl. straat",
        "large-straight": "Large straight|Lg. Straight|Lg Straight|largestraight|LargeStraight|Große Straße"
        "|Grosse Strasse|Gr. Straße|Gr. Strasse|Gr Straße|Stor stege|storstege|Stor straight|Iso suora|Grote straat|Grande suite|grandesuite",
        "full-house": "Full house|Fullhouse|FullHouse|FULL HOUSE|full_house|full-house|Full House|Kåk|kak"
        "|Fuldt hus|fuldthus|Hus|Täyskäsi|tayskasi|Volles Haus|Full|Main pleine",
        "chance": "Chance|CHANCE|Chans|Sjanse|Sattuma|Kans",
        "yatzy": "Yatzy|YATZY|yatzy|Yam's",
    },
    "kniffel": {
        "three-of-a-kind": "3er Pasch|3er-Pasch|Dreierpasch|Dreier-Pasch|dreier pasch",
        "four-of-a-kind": "4er Pasch|Viererpasch|Vierer Pasch",
        "full-house": "Fullhouse|Full-House",
        "small-straight": "Kl. Straße|Kleine Straße|kl. strasse|Kl.Straße",
        "large-straight": "Gr. Straße|Große Straße|gr. strasse|Gr.Straße",
    },
    "yahtzee": {
        "three-of-a-kind": "3 of a kind|Three of a Kind|3 Of A Kind",
        "full-house": "Fullhouse|Full House",
        "small-straight": "Sm. Straight|Small Straight|Sm Straight",
        "large-straight": "Lg. Straight|Large Straight|Lg Straight",
    },
    "yacht-51": {
        "aces": "エース|에이스|一点|1点",
        "deuces": "デュース|듀스|二点",
        "threes": "トレイ|3の目|3의 눈|三点",
        "fours": "フォー|쿼드|四点",
        "fives": "ファイブ|펜타|五点",
        "sixes": "シックス|헥사|六点",
        "choice": "チョイス|초이스|全选",
        "four-of-a-kind": "フォーダイス|포커|四骰同花|4 of a Kind",
        "full-house": "フルハウス|풀 하우스|풀하우스|葫芦",
        "small-straight": "スモールストレート|S.ストレート|스몰 스트레이트|스몰스트레이트|小顺|S. Straight",
        "large-straight": "ビッグストレート|B.ストレート|라지 스트레이트|大顺|L. Straight",
        "yacht": "ヨット|요트|야추|快艇",
    },
}
WRITTEN = [
    (rules, category, name)
    for rules, boxes in NAMES.items()
    for category, text in boxes.items()
    for name in (text.split("|") if "|" in text else text.split())
]


@pytest.mark.parametrize(("rules", "category", "name"), WRITTEN)
def test_a_name_of_a_sheet_means_its_box(rules: str, category: str, name: str) -> None:
    found = load_rules(rules)
    assert found.categories[find_category(found, name)].id == category


@pytest.mark.parametrize("language", ["ja", "ko", "zh"])
def test_yacht_dice_has_names_in_east_asian_languages(language: str) -> None:
    rules = load_rules("yacht-51")
    shown = localized(rules, language)
    assert all(
        shown.name != rules.name and category.name != english.name and not category.name.isascii()
        for category, english in zip(shown.categories, rules.categories, strict=True)
    )
    assert [find_category(rules, category.name) for category in shown.categories] == [*range(12)]


@pytest.mark.parametrize(
    "text",
    [
        "エース：3、フォーダイス：22",
        "에이스=3 포커=22",
        "一点＝3，四骰同花 22",
        "Aces 3; 4 of a Kind 22",
    ],
)
def test_a_card_in_east_asian_languages(text: str) -> None:
    assert parse_card("yacht-51", text).points == {0: 3, 7: 22}


@pytest.mark.parametrize(
    "name",
    ["total", "Total", "Grand total", "Sum", "Summa", "Summe", "Gesamt", "I alt", "Yhteensä"],
)
def test_a_sum_of_a_sheet_suggests_no_box(name: str) -> None:
    with pytest.raises(StateError, match="leave sums out"):
        find_category(load_rules("yatzy"), name)


DICE = (
    "33456", "3 3 4 5 6", "3,3,4,5,6", "3, 3, 4, 5, 6", "[3,3,4,5,6]", "[3, 3, 4, 5, 6]",
    "(3, 3, 4, 5, 6)", "3/3/4/5/6", "3-3-4-5-6", "3;3;4;5;6", "3|3|4|5|6", "3\t3\t4\t5\t6",
    "⚂⚂⚃⚄⚅", " 6 5 4 3 3 ", "⚂ ⚂ ⚃ ⚄ ⚅", "3+3+4+5+6", "3.3.4.5.6", "3 3 4 5 6.", "3:3:4:5:6",
    "3\n3\n4\n5\n6", "3\r\n3\r\n4\r\n5\r\n6\r\n", "{3,3,4,5,6}", "['3', '3', '4', '5', '6']",
    '"3,3,4,5,6"', "３３４５６", "３、３、４、５、６", "3，3，4，5，6", "\ufeff3;3;4;5;6", "3–3–4–5–6", "3_3_4_5_6",
)  # fmt: skip


@pytest.mark.parametrize("text", DICE)
def test_dice_of_a_program_or_a_spreadsheet(text: str) -> None:
    assert parse_dice(load_rules("yatzy"), text) == (3, 3, 4, 5, 6)


NO_DICE = (
    "3x2 4 5 6", "2 x 3, 4 5 6", "three three four five six", "3, 3, 4, 5 og 6", "3 3 4 5 und 6",
    "D6: 3 3 4 5 6", "5d6=33456", "33456 = 21",
)  # fmt: skip


@pytest.mark.parametrize("text", NO_DICE)
def test_other_texts_of_dice_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(StateError, match="is not a die; write the faces, such as 12345"):
        parse_dice(load_rules("yatzy"), text)


# The boxes of one card as sheets in eight languages name them, and its points.
CARD_BOXES = (
    "ones",
    "twos",
    "sixes",
    "two-pairs",
    "three-of-a-kind",
    "small-straight",
    "full-house",
)
CARD_POINTS = (3, 0, 24, 16, 12, 15, 22)
CARD_NAMES = {
    "en": ("Ones", "Twos", "Sixes", "Two Pairs", "3 of a Kind", "Sm. Straight", "Full House"),
    "de": ("Einser", "Zweier", "Sechser", "Zwei Paare", "Dreierpasch", "Kl. Straße", "Full House"),
    "sv": ("Ettor", "Tvåor", "Sexor", "Två par", "Triss", "Liten stege", "Kåk"),
    "da": ("1'ere", "2'ere", "6'ere", "To par", "Tre ens", "Lille straight", "Fuldt hus"),
    "nb": ("Enere", "Toere", "Seksere", "To par", "Tre like", "Liten straight", "Hus"),
    "fi": ("Ykköset", "Kakkoset", "Kutoset", "Kaksi paria", "Kolme samaa", "Pieni suora", "Täyskäsi"),
    "nl": ("Enen", "Tweeën", "Zessen", "Twee paar", "Drie gelijke", "Kleine straat", "Full House"),
    "fr": ("As", "Deux", "Six", "Deux paires", "Brelan", "Petite suite", "Full"),
}  # fmt: skip


def rows(form: str, between: str, *, crossed_out: str = "0") -> Callable[[Sequence[str]], str]:
    """Texts with a part for each box."""

    def write(names: Sequence[str]) -> str:
        points = [str(each) if each else crossed_out for each in CARD_POINTS]
        pairs = zip(names, points, strict=True)
        return between.join(form.format(name=name, points=points) for name, points in pairs)

    return write


def columns(cell_end: str) -> Callable[[Sequence[str]], str]:
    """Texts with a line of names above a line of points."""
    return lambda names: cell_end.join(names) + "\n" + cell_end.join(map(str, CARD_POINTS))


def as_json(names: Sequence[str]) -> str:
    """What a program writes."""
    return json.dumps(dict(zip(names, CARD_POINTS, strict=True)), indent=1)


# How a card is written.
CARD_FORMS: dict[str, Callable[[Sequence[str]], str]] = {
    "equals": rows("{name}={points}", " "),
    "equals, crossed out": rows("{name} = {points}", ", ", crossed_out="x"),
    "colon": rows("{name}: {points}", ", "),
    "semicolon": rows("{name}: {points}", "; ", crossed_out="-"),
    "blank": rows("{name} {points}", ", ", crossed_out="X"),
    "no comma": rows("{name} {points}", " "),
    "lines": rows("{name} {points}", "\n", crossed_out="x"),
    "lines with a colon": rows("{name}: {points}", "\r\n", crossed_out="–"),
    "cells of a spreadsheet": rows("{name}\t{points}", "\n"),
    "cells of Windows": rows("{name}\t{points}\t", "\r\n", crossed_out="x"),
    "CSV": rows('"{name}","{points}"', "\n"),
    "CSV of a comma country": rows("{name};{points}", "\n"),
    "a row of a spreadsheet": columns("\t"),
    "a row of CSV": columns(","),
    "Markdown": rows("| {name} | {points} |", "\n"),
    "bars": rows("{name} {points}", " | "),
    "JSON": as_json,
    "JSON in one line": lambda names: json.dumps(dict(zip(names, CARD_POINTS, strict=True))),
}
CARDS = [(language, form) for language in CARD_NAMES for form in CARD_FORMS]


@pytest.mark.parametrize(("language", "form"), CARDS)
def test_a_card_in_eight_languages_and_many_forms(language: str, form: str) -> None:
    text = CARD_FORMS[form](CARD_NAMES[language])
    expected = dict(zip(CARD_BOXES, CARD_POINTS, strict=True))
    assert parse_card("yatzy", text) == parse_card("yatzy", expected), text


MORE_CARDS = (
    "ones=3 sixes=24", "{'ones': 3, 'sixes': 24}", "ones\t3;sixes\t24", "1s=3, 6s=24", "1er 3; 6er 24",
    "Ettor=3;Sexor=24", "ones=3\tsixes=24", "1:or: 3, 6:or: 24", "1:or\t3\n2:or\t\n6:or\t24",
    "Ones\t3\nTwos\t\nSixes\t24", "Ones;Twos;Sixes\n3;;24", "| Box | Points |\n|---|---:|\n| Ones | 3 |\n"
    "| Twos | |\n| Sixes | 24 |", "ones=３，sixes=２４", "\ufeffOnes;3\nSixes;24", "1 3\n6 24", "Ones 3,\nSixes 24,\n",
    "Ones,3\nTwos,\nThrees,\nSixes,24",
)  # fmt: skip


@pytest.mark.parametrize("text", MORE_CARDS)
def test_cards_of_a_program_or_a_spreadsheet(text: str) -> None:
    rules = load_rules("yatzy")
    assert parse_card(rules, text) == parse_card(rules, {"ones": 3, "sixes": 24})


REFUSED_CARDS = {  # text -> what is wrong, with what to do about it
    "Ones\t3\nSum\t3": "'Sum' is no category; leave sums out",
    "Ettor\t3\nSumma\t3": "'Summa' is no category; leave sums out",
    "Einser 3, Summe 3": "'Summe' is no category; leave sums out",
    "Ones=3, Total=3": "'Total' is no category; leave sums out",
    "Ykköset\t3\nYhteensä\t3": "'Yhteensä' is no category; leave sums out",
    "Ones\t3\nBonus\t0": "leave out the upper bonus, which follows",
    "Ones 3 p, Sixes 24 p": "is not of the form category=points, such as ones=3",
    "Ones (3), Sixes (24)": "is not of the form category=points, such as ones=3",
    "ones=3.0": "'3.0' is not a score for ones; write a whole number",
    "ones=three": "'three' is not a score for ones; write a whole number",
    "Ones\t3\t4\nSixes\t24\t18": "ones is filled twice in the card",
    "Onse 3, Sixes 24": "unknown category 'Onse'; did you mean ones?",
    "Einsen: 3": "did you mean ones?",
    "Straight=15": "did you mean small-straight or large-straight?",
    "Stege 15": "did you mean small-straight or large-straight?",
    "Ones 3 Sixes": "is not of the form category=points, such as ones=3",
    "Ones\n3\nSixes\n24": "is not of the form category=points, such as ones=3",
}


@pytest.mark.parametrize("text", REFUSED_CARDS)
def test_other_texts_of_cards_are_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(StateError) as refused:
        parse_card("yatzy", text)
    assert REFUSED_CARDS[text] in str(refused.value)


def test_more_than_two_hundred_texts_of_cards_and_dice() -> None:
    assert len(CARDS) + len(MORE_CARDS) + len(REFUSED_CARDS) + len(DICE) + len(NO_DICE) > 200
