"""Category names in other languages: complete, understood and displayed."""

from __future__ import annotations

import contextlib

import pytest
from perfect_yatzy import RulesError, StateError, Strategy
from perfect_yatzy.game.notation import find_category, parse_card
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules
from perfect_yatzy.game.translations import category_names, foreign_names, languages, localized
from support.command import Run
from support.refusals import refused

NORDIC_AND_GERMAN = sorted(set(languages()) - {"en"})


def test_known_languages() -> None:
    assert list(languages().items())[:2] == [("en", "English"), ("da", "Dansk")]
    assert set(NORDIC_AND_GERMAN) == {"da", "de", "fi", "nb", "sv"}
    text = "unknown language 'xx'; known languages: en, da, de, fi, nb, sv"
    refused(text, localized, load_rules("yatzy"), "xx", error=RulesError)


@pytest.mark.parametrize("language", NORDIC_AND_GERMAN)
@pytest.mark.parametrize("game", ["yatzy", "maxi"])
def test_every_box_of_the_common_games_has_a_name(game: str, language: str) -> None:
    rules = load_rules(game)
    missing = {c.id for c in rules.categories} - set(category_names(rules, language))
    assert missing <= {"yatzy", "chance"}  # the same word in that language


@pytest.mark.parametrize("language", NORDIC_AND_GERMAN)
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
    for name, box in (("Hus", "full-house"), ("kåk", "full-house"), ("GROSSE STRASSE", "large-straight")):
        assert yatzy.categories[find_category(yatzy, name)].id == box
    refused("category 'Hus' is not clear: full-house, castle", find_category, maxi, "Hus")
    for language, house in (("sv", "castle"), ("nb", "castle"), ("da", "full-house")):
        rules = localized(maxi, language)
        assert rules.categories[find_category(rules, "Hus")].id == house
    assert str(parse_card(yatzy, "Ettor=3 Två par=16, chans: 20")) == "ones=3 two-pairs=16 chance=20"


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
