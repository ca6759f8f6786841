"""Languages: which one is chosen, numbers, the catalogues of the command and of the page."""

from __future__ import annotations

import pytest
from perfect_yatzy._messages import (
    LANGUAGES,
    current_language,
    language_accepted,
    language_from,
    language_of_environment,
    language_scope,
    number_text,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("sv", "sv"),
        ("sv_SE.UTF-8", "sv"),
        ("sv-FI", "sv"),
        ("SV", "sv"),
        ("no", "nb"),
        ("nn_NO.UTF-8", "nb"),
        ("nb-NO", "nb"),
        ("de_AT@euro", "de"),
        ("en_US.UTF-8", "en"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("ja_JP.UTF-8", None),
        ("svenska", None),
        ("", None),
        (None, None),
    ],
)
def test_the_language_of_a_text(text: str | None, language: str | None) -> None:
    assert language_from(text) == language


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "sv"),
        ({"LANG": "sv_SE.UTF-8", "LC_MESSAGES": "fi_FI.UTF-8"}, "fi"),
        ({"LANG": "sv_SE.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "sv_SE.UTF-8", "LC_ALL": ""}, "sv"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "sv"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LANGUAGE": "ja:nn:sv"}, "nb"),
        ({"LANG": "ja_JP.UTF-8"}, "en"),
    ],
)
def test_the_language_of_an_environment(environment: dict[str, str], language: str) -> None:
    assert language_of_environment(environment) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("sv-SE,sv;q=0.9,en;q=0.8", "sv"),
        ("en;q=0.5, nn", "nb"),
        ("ja,de;q=0.4,fi;q=0.7", "fi"),
        ("da;q=0", None),
        ("sv;q=much", None),
        ("*", None),
        ("", None),
    ],
)
def test_the_language_a_client_accepts(header: str, language: str | None) -> None:
    assert language_accepted(header) == language


def test_numbers_have_the_signs_of_the_language() -> None:
    shown = {}
    for code in LANGUAGES:
        with language_scope(code):
            shown[code] = (
                number_text(12345.678, 2, grouped=True),
                number_text(-0.001, 1),
                number_text(0.25, 1, signed=True),
            )
    assert shown["en"] == ("12,345.68", "0.0", "+0.2")
    assert shown["de"] == shown["da"] == ("12.345,68", "0,0", "+0,2")
    assert shown["sv"] == shown["nb"] == shown["fi"] == ("12\u00a0345,68", "0,0", "+0,2")
    assert current_language() == "en"
