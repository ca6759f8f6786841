"""The page in the language of its reader: which one is taken, its numbers and plural forms, and changing it."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import FRAMES, expect, focused, ready, wait_for

pytestmark = pytest.mark.full

WORDS = """
loaded('i18n').then((words) => [
  document.documentElement.lang, words.language, words._("Undo"), words.formatNumber(-248.45, 1), words.formatPercent(0.5),
  ...[1, 2].map((count) => words.ngettext("{count} second", "{count} seconds", count, { count })),
])
"""
SWEDISH = ["sv", "sv", "Ångra", "-248,5", "50,00\u00a0%", "1 sekund", "2 sekunder"]
NORWEGIAN = ["nb", "nb", "Angre", "-248,5", "50,00\u00a0%", "1 sekund", "2 sekunder"]
ENGLISH = ["en", "en", "Undo", "-248.5", "50.00\u00a0%", "1 second", "2 seconds"]


def words_of(page: Any) -> list[str]:
    """What the module of the languages says, with one kind of minus sign."""
    return [str(text).replace("\u2212", "-") for text in page.evaluate(WORDS)]


def test_the_language_of_the_browser_is_taken(browser: Any, address: str) -> None:
    page = browser.new_context(locale="no").new_page()
    page.goto(address)
    ready(page)
    assert words_of(page) == NORWEGIAN
    assert page.text_content("#undo").strip() == NORWEGIAN[2]
    assert page.locator("[data-message]").count() > 20


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


def test_of_two_languages_chosen_quickly_the_last_one_stays(page: Any) -> None:
    """The names of the first one arrive late."""
    late: list[Any] = []
    page.route("**/api/rules?*lang=fi*", lambda route: late.append(route))
    choose = "(code) => { const list = document.getElementById('language'); list.value = code; list.dispatchEvent(new Event('change')); }"
    page.evaluate(choose, "fi")
    wait_for(page, lambda: late)
    page.evaluate(choose, "sv")
    late[0].continue_()
    expect(page, "#card", "Ettor")
    page.evaluate(FRAMES)
    assert "Ykköset" not in page.text_content("#card")
