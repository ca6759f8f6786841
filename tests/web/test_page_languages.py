"""The page in the language of its reader: which one is taken, its numbers and plural forms, and changing it."""

from __future__ import annotations

from typing import Any

import pytest
from support.browser import PATIENCE_MS, expect, ready

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
