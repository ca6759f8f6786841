"""Names, cards and dice as score sheets, apps and spreadsheets write them."""

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


@pytest.mark.parametrize(
    "text",
    [
        "33456", "3 3 4 5 6", "3,3,4,5,6", "3, 3, 4, 5, 6", "[3,3,4,5,6]", "[3, 3, 4, 5, 6]",
        "(3, 3, 4, 5, 6)", "3/3/4/5/6", "3-3-4-5-6", "3;3;4;5;6", "3|3|4|5|6", "3\t3\t4\t5\t6",
        "⚂⚂⚃⚄⚅", " 6 5 4 3 3 ",
    ],
)  # fmt: skip
def test_dice_of_a_program_or_a_spreadsheet(text: str) -> None:
    assert parse_dice(load_rules("yatzy"), text) == (3, 3, 4, 5, 6)


@pytest.mark.parametrize(
    "text",
    [
        "ones=3 sixes=24", '{"ones": 3, "sixes": 24}', "{'ones': 3, 'sixes': 24}", '{"ones":3,"sixes":24}',
        "ones\t3;sixes\t24", "Ones: 3, Sixes: 24", "1s=3, 6s=24", "1er 3; 6er 24", "Einser 3, Sechser 24",
        "Ettor=3;Sexor=24", "ones=3\tsixes=24",
    ],
)  # fmt: skip
def test_cards_of_a_program_or_a_spreadsheet(text: str) -> None:
    rules = load_rules("yatzy")
    assert parse_card(rules, text) == parse_card(rules, {"ones": 3, "sixes": 24})


def test_a_table_of_two_hundred_texts() -> None:
    assert len(WRITTEN) + 9 + 14 + 11 >= 200
