"""Text in the columns of a terminal: characters of East Asian scripts take two."""

from __future__ import annotations

import re
import textwrap

import pytest
from perfect_yatzy.cli.text_width import columns_of, left, right, shortened, squeezed, wrap
from support.command import Run

# The blocks of characters that take two columns, as terminals draw them, without Unicode's classes.
WIDE = re.compile(
    "[\u1100-\u115f\u3000-\u303e\u3041-\u33ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]"
)
SENTENCES = [
    "得点の期待値を最大にします。--goalならその得点に届く確率、「最善」なら何もしません（全部で 5 個）。ヤッツィーです。",
    "기대 점수를 최대로 합니다. --goal은 그 점수의 확률, --opponent는 이길 확률을 최대로 합니다.",
    "Keep all dice and take full-house for twenty-two points ⚂⚂⚃.",
]


def drawn(text: str) -> int:
    """The columns of a text, counted by blocks of characters."""
    return len(text) + len(WIDE.findall(text))


def test_the_columns_of_a_text() -> None:
    texts = [*SENTENCES, "", "Größe", "ヨット", "요트", "⚂ █▌ …", "Ａ"]
    assert [columns_of(text) for text in texts] == [drawn(text) for text in texts]
    assert columns_of("e\u0301") == 1
    assert left("ヨット", 8) == "ヨット  "
    assert right("ヨット", 8) == "  ヨット"
    assert left("toolong", 3) == "toolong"
    assert shortened("あいうえお", 10) == "あいうえお"
    assert shortened("あいうえおか", 10) == "あいうえ…"
    assert shortened("abcdef", 5) == "abcd…"


def test_the_columns_of_a_table_move_together() -> None:
    table = [
        "    box      points   %",
        "  ワンペア       10   5",
        "  Pair",
        "  Yatzy         100  50",
    ]
    assert squeezed(table, 2) == [
        "    box     points   %",
        "  ワンペア      10   5",
        "  Pair",
        "  Yatzy        100  50",
    ]
    assert squeezed(table, 1) == [
        "   box    points  %",
        " ワンペア     10  5",
        "  Pair",
        " Yatzy       100 50",
    ]
    assert squeezed(["no table"], 1) == ["no table"]


@pytest.mark.parametrize("width", [20, 33, 60])
@pytest.mark.parametrize("text", SENTENCES)
def test_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(text, width, subsequent_indent="  ")
    assert all(drawn(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines[1:]:
        assert line.strip()[0] not in "。、」）ー", "Japanese begins no line with these"
    words = {word for line in lines for word in line.split()}
    if text == SENTENCES[1]:
        assert words == set(text.split()), "Korean breaks between words"
    if text == SENTENCES[2]:
        assert lines == textwrap.wrap(text, width, subsequent_indent="  ")


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_tables_and_help_keep_their_columns(run: Run, language: str) -> None:
    shown = run("score", "22555", "--lang", language).stdout.splitlines()
    table = [line for line in shown if line.startswith("  ") and not line.startswith("  ...")]
    assert len(table) == 6
    assert len({drawn(line) for line in table[:-1]}) == 1
    for command in ("hold", "expect", "solve"):
        shown = run(command, "--help", "--lang", language, COLUMNS="80").stdout
        examples = re.compile(r"^ +(yatzy|\[?-)")
        long = [
            line for line in shown.splitlines() if drawn(line) > 80 and not examples.match(line)
        ]
        assert long == []
