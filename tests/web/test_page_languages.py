"""The page in the language of its reader: which one is taken, its numbers and plural forms, and changing it."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import PATIENCE_MS, expect, focused, ready

WORDS = """
import('./i18n.js').then((words) => [
  document.documentElement.lang, words.language, words._("Undo"), words.formatNumber(-248.45, 1), words.formatPercent(0.5),
  ...[1, 2].map((count) => words.ngettext("{count} second", "{count} seconds", count, { count })),
])
"""
SWEDISH = ["sv", "sv", "Ångra", "-248,5", "50,00\u00a0%", "1 sekund", "2 sekunder"]
NORWEGIAN = ["nb", "nb", "Angre", "-248,5", "50,00\u00a0%", "1 sekund", "2 sekunder"]
FINNISH = ["fi", "fi", "Kumoa", "-248,5", "50,00\u00a0%", "1 sekunti", "2 sekuntia"]
GERMAN = ["de", "de", "Rückgängig", "-248,5", "50,00\u00a0%", "1 Sekunde", "2 Sekunden"]
ENGLISH = ["en", "en", "Undo", "-248.5", "50.00\u00a0%", "1 second", "2 seconds"]


def words_of(page: Any) -> list[str]:
    """What the module of the languages says, with one kind of minus sign."""
    return [str(text).replace("\u2212", "-") for text in page.evaluate(WORDS)]


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("sv-SE", SWEDISH),
        ("no", NORWEGIAN),
        ("nn", NORWEGIAN),
        ("fi-FI", FINNISH),
        ("de-AT", GERMAN),
        ("ja-JP", ENGLISH),
    ],
)
def test_the_language_of_the_browser_is_taken(browser: Any, address: str, tag: str, words: list[str]) -> None:
    context = browser.new_context(locale=tag)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(address)
    ready(page)
    assert words_of(page) == words
    assert page.text_content("#undo").strip() == words[2]
    assert page.locator("[data-message]").count() > 20
    context.close()


def test_a_language_that_is_chosen_stays(page: Any, address: str) -> None:
    assert words_of(page) == ENGLISH
    page.evaluate("document.getElementById('language').closest('dialog')?.showModal()")
    page.select_option("#language", "sv")
    page.wait_for_selector("html[lang='sv']")
    expect(page, "#undo", "Ångra")
    assert words_of(page) == SWEDISH
    page.reload()
    ready(page)
    assert words_of(page) == SWEDISH
    page.goto("about:blank")
    page.goto(address + "?lang=no")  # the address comes first
    ready(page)
    assert words_of(page) == NORWEGIAN


def test_language_in_the_menu_leads_to_its_list_at_once(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.click("#menu-button")
    page.click("#open-language")
    assert focused(page) == "language"
    assert page.locator("dialog[open] h2").text_content() == "Language and colours"
    assert page.locator("dialog[open] select").first.get_attribute("id") == "language"  # not one control of many
    page.select_option("#language", "da")
    page.wait_for_selector("html[lang='da']")
    page.click("#language-dialog .close")
    assert page.locator("dialog[open]").count() == 0
    assert focused(page) == "menu-button"


def test_of_two_languages_chosen_quickly_the_last_one_stays(page: Any, address: str) -> None:
    """The names of the first one arrive late."""
    late: list[Any] = []
    page.route("**/api/rules?*lang=fi*", lambda route: late.append(route))
    page.evaluate(
        "for (const code of ['fi', 'sv']) { const list = document.getElementById('language'); list.value = code;"
        " list.dispatchEvent(new Event('change')); }"
    )
    page.wait_for_timeout(500)
    for route in late:
        route.continue_()
    page.wait_for_selector("html[lang='sv']")
    expect(page, "#card", "Ettor")
    page.wait_for_timeout(500)
    assert "Ykköset" not in page.text_content("#card")
    assert "Ettor" in page.text_content("#card")


def test_certain_chances_are_not_nearly_certain(page: Any) -> None:
    shown = page.evaluate(
        "import('./i18n.js').then(({ formatPercent }) => [1 - 1e-12, 0.99999, 1e-15, 1e-6].map((chance) => formatPercent(chance)))"
    )
    assert shown == ["100.00\u00a0%", ">99.99\u00a0%", "0.00\u00a0%", "<0.01\u00a0%"]
