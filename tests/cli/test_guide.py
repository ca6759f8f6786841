"""The printed guide: words of every language, HTML, print and text of several rule sets."""

import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, Strategy
from perfect_yatzy.cli.text_width import columns_of
from perfect_yatzy.cli.views import guide_content as guide_contents
from perfect_yatzy.cli.views.guide_content import GuideContent, guide_content
from perfect_yatzy.cli.views.guide_pages import guide_html, guide_text
from perfect_yatzy.cli.views.words import Words, words_of
from perfect_yatzy.game.translations import localized
from perfect_yatzy.policies.guide import Guide, listed_rolls, make_guide
from perfect_yatzy.policies.strategy_sheet import packaged_sheet
from perfect_yatzy.words import LANGUAGES
from support.browser import Chromium
from support.command import Run, refusal
from support.need import need, need_program
from support.refusals import load_text
from support.seeds import drawn
from support.sheets import yatzy_sheet

ROOT = Path(__file__).parents[2]
KEYS = ["yatzy", "yahtzee", "yatzy-forced", "yacht"]
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)
A4, A6 = (595.28, 841.89), (297.64, 419.53)  # points
A4_TEXT, A6_TEXT = (695, 1039), (351, 514)  # pages without their margins, in pixels of 1/96 inch


@cache
def guide_of(key: str, with_sheet: bool) -> Guide:
    strategy = perfect_yatzy.open_strategy(key)
    return make_guide(strategy, yatzy_sheet(strategy.rules) if with_sheet else None)


def content_of(
    key: str, language: str = "en", with_sheet: bool = False, n_rules: int = 0
) -> GuideContent:
    guide = guide_of(key, with_sheet)
    rules = localized(guide.rules, language)
    return guide_content(
        replace(guide, rules=rules, sheet=yatzy_sheet(rules, n_rules) if with_sheet else None)
    )


@pytest.fixture(scope="module")
def yatzy_guide() -> GuideContent:
    return content_of("yatzy", with_sheet=True)


# --- words ---
@EVERY_LANGUAGE
def test_lists_of_words_have_the_same_length_in_every_catalogue(language: str) -> None:
    """Fields and bold parts of the others: test_messages.py."""
    lengths = [
        {
            (part, name): len(value)
            for part, names in Words(code).table.items()
            if isinstance(names, dict)
            for name, value in names.items()
            if isinstance(value, list)
        }
        for code in ("en", language)
    ]
    assert lengths[0] == lengths[1] != {}


def test_templates_are_filled_with_bold_parts_and_plural_forms() -> None:
    words, swedish = Words("en"), Words("sv")
    text = words.fill("guide.lead_perfect", perfect=words.number(248.44))
    spans = [("Perfect play scores ", "plain"), ("248.4", "bold"), (" points on average.", "plain")]
    assert [(span.text, span.kind) for span in text.spans] == spans
    assert str(words.fill("opening.dice", count=1)) == "one die"
    assert str(words.fill("opening.dice", count=3)) == "three dice"
    assert str(words.fill("opening.keep", what="*{x}*")) == "keep *{x}*"  # names are not templates
    assert (swedish.number(-2.25, 2), swedish.number(-0.04)) == ("−2,25", "0,0")
    assert words.pattern((3, 3, 2, 2, 1)) == "2 × three of a kind + two pairs"
    assert words.pattern((1, 1)) == "all different"
    assert words.pattern((9, 3)) == "nine of a kind + three of a kind"
    assert str(words.listed(["a", "b", "c"], "or")) == "a, b or c"
    assert words_of("xx").language == "en"  # a language without a catalogue


# --- content ---
def test_the_guide_says_what_its_numbers_are_worth(yatzy_guide: GuideContent) -> None:
    sections = yatzy_guide.sections
    # Without rules for the holds nobody could reach the mean of the prices.
    assert [str(text) for text in yatzy_guide.lead] == [
        "Perfect play scores 248.4 points on average.",
        "Prices for the boxes. There are no rules for the dice of this game yet; "
        "yatzy learn yatzy --hold-rules 16 finds some.",
    ]
    assert "244.7" not in guide_text(yatzy_guide)
    assert " ".join(sections) == "prices bonus give_up examples losses opening odds"
    assert [(str(row.name), row.value) for row in sections["prices"].rows[:2]] == [
        ("Ones", "6.9"),
        ("Twos", "7.5"),
    ]
    bonus = " ".join(map(str, sections["bonus"].paragraphs))
    assert "+25.4 once it is safe, −14.2 once it is lost" in bonus
    assert "+2.33 for each point above par" in bonus
    assert (
        "three of each face in the upper boxes that are filled: Ones 3, Twos 6, Threes 9" in bonus
    )


def test_a_guide_has_ten_rules_then_sixteen_and_a_card_has_five(run: Run, yatzy: Strategy) -> None:
    sheet = packaged_sheet(yatzy.rules)
    assert sheet.sizes == (5, 10, 16)
    guide = run("guide", "yatzy", COLUMNS="80").stdout
    first, longer = guide.split("For the keen")
    card = run("guide", "yatzy", "--card").stdout
    for text, size in ((card, 5), (first, 10)):
        assert f" {size} rules. Played as written they score" in text
        assert f"{sheet.with_rules(size).figures['mean']:.1f} points on average" in text
    assert f"{sheet.figures['mean']:.1f}" in longer.splitlines()[0]
    for text, size in ((card, 5), (first, 10), (longer, 16)):
        assert [*re.findall(r"^ {1,2}(\d+) [A-Z]", text, re.MULTILINE)] == [
            str(number) for number in range(1, size + 1)
        ]
    assert run("guide", "yatzy", "--hold-rules", "16").stdout.count("For the keen") == 0


def test_the_worked_examples_compute(yatzy_guide: GuideContent) -> None:
    """Each subtraction is right as it is printed."""
    texts = [str(text) for text in yatzy_guide.sections["examples"].paragraphs]
    assert len(texts) == 3
    checked = 0
    for text in texts:
        for term in re.findall(r"([−+\d. bonus]+)= ([−+]?\d+\.\d)", text.replace("\u00a0", " ")):
            left, right = (
                part.replace("−", "-").replace("bonus", "").replace(" ", "") for part in term
            )
            assert sum(map(float, re.findall(r"[-+]?[\d.]+", left))) == pytest.approx(
                float(right), abs=1e-9
            )
            checked += 1
    assert checked >= 9


@EVERY_LANGUAGE
def test_hold_rules_are_numbered_sentences_with_their_worth(language: str) -> None:
    content = content_of("yatzy", language, True, 25)
    rows = content.sections["holds"].rows
    assert len(rows) == 25
    assert (rows[0].value, rows[9].value) == (content.words.number(5.0), content.words.number(0.5))
    assert content.rules.categories[11].name in str(rows[0].name)  # the large straight
    assert all(str(row.name).endswith((".", "。")) for row in rows)
    assert content.words.number(236.4) in str(content.lead[0])
    assert max(map(columns_of, guide_text(content).splitlines())) <= 80


def test_without_a_sheet_it_says_how_to_learn_one() -> None:
    content = content_of("yahtzee")
    assert "yatzy learn yahtzee" in str(content.lead[1])
    assert [*content.sections] == ["give_up", "opening", "odds"]
    forced = content_of("yatzy-forced")
    assert "fixed" in str(forced.sections["give_up"].note)
    assert [(row.hold, row.rolls) for row in forced.sections["opening"].opening_rows] == [
        ("keep every 1", "all")
    ]


def test_opening_rows_are_few_and_say_what_to_hold(yatzy_guide: GuideContent) -> None:
    rows = {(row.pattern, row.hold): row for row in yatzy_guide.sections["opening"].opening_rows}
    assert len(rows) == len(yatzy_guide.sections["opening"].opening_rows) <= 30
    assert rows["two pairs", "keep both pairs"].rolls == "15566 25566 35566 45566"
    assert rows["pair", "keep the pair"].rolls == "all others"
    assert rows["five of a kind", "stop, take Yatzy"].rolls == "all"
    assert rows["pair", "keep one die"].rolls.startswith(
        "4: 11234; 5: 11235 11245 11345 12235 12245; 6: 11236"
    )
    assert rows["all different", "keep 5 6"].sample == (
        (1, False),
        (2, False),
        (4, False),
        (5, True),
        (6, True),
    )
    kniffel = {
        (row.pattern, row.hold): row.rolls
        for row in content_of("kniffel").sections["opening"].opening_rows
    }
    assert kniffel["three of a kind + pair", "stop, take Full House"] == "111xx"


def test_rolls_without_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rolls that a line lists and the number that it leaves out are all rolls of the line."""
    counted = 0
    for key, room in product(KEYS, (1, 2, 5, 12)):
        monkeypatch.setattr(guide_contents, "MAX_ROLLS", room)
        guide = guide_of(key, False)
        for line in guide.opening:
            text = guide_contents._rolls_words(guide.rules, line, Words("en"))
            if text.endswith(" more"):
                rolls = re.findall(r"(?<![\d:])\d{3,}x*(?!\d*:)", text)
                every = sum(
                    len(listed_rolls(entry, line.pattern, guide.rules.faces))
                    for entry in line.entries
                )
                assert text.endswith(
                    str(Words("en").fill("opening.more", count=every - len(rolls)))
                ), text
                counted += 1
    assert counted > 20


# --- text ---
@EVERY_LANGUAGE
@pytest.mark.parametrize("key", KEYS)
def test_the_text_fits_80_columns(key: str, language: str) -> None:
    content = content_of(key, language, key == "yatzy")
    text = guide_text(content)
    assert max(map(len, text.splitlines())) <= 80
    assert all(category.name in text for category in content.rules.categories)
    for unwanted in ("\n\n\n", "{", "\u00a0"):
        assert unwanted not in text


def test_the_card_is_prices_rules_and_what_to_give_up() -> None:
    card = guide_text(content_of("yatzy", with_sheet=True, n_rules=3), card=True)
    parts = ("pocket card", "Which box?", "What to hold", "what to give up", "First roll")
    assert [words in card for words in parts] == [True, True, True, True, False]


# --- HTML ---
def body_of(page: str) -> ET.Element:
    """The body of a page, which is well formed."""
    return ET.fromstring(page[page.index("<body") : page.index("</html>")])


def test_the_page_is_one_file_of_two_sheets(yatzy_guide: GuideContent) -> None:
    page = guide_html(yatzy_guide)
    for forbidden in ("<script", "http", "@import", "url("):
        assert forbidden not in page
    assert page.startswith("<!doctype html>")
    assert "size: A4" in page
    body = body_of(page)
    assert [node.get("class") for node in body] == ["sheet", "sheet"]
    drawn = [node.get("aria-label") for node in body.iter("span") if node.get("role") == "img"]
    assert len(drawn) == len(yatzy_guide.sections["opening"].opening_rows) + 3
    swedish = guide_html(content_of("yatzy", "sv", with_sheet=True))
    found = [words in swedish for words in ('<html lang="sv">', "Liten stege", "Straight")]
    assert found == [True, True, False]
    assert "size: 105mm 148mm" in guide_html(yatzy_guide, card=True)


def with_first_box(rules: RuleSet, box: str, **changes: str) -> RuleSet:
    """The rules with another name of the first box."""
    first, *rest = rules.categories
    return replace(rules, categories=(replace(first, name=box), *rest), **changes)


def test_names_are_escaped(yatzy: Strategy) -> None:
    rules = with_first_box(yatzy.rules, "<b>*{1}*", name="A & B")
    guide = make_guide(Strategy(rules, yatzy.info, yatzy.evaluator), yatzy_sheet(rules))
    page = guide_html(guide_content(guide))
    assert "<h1>A &amp; B: strategy guide</h1>" in page
    assert "<td>&lt;b&gt;*{1}*</td>" in page
    body_of(page)


# --- print ---
def page_sizes(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of each page of a PDF that Chromium has written, in points."""
    boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]", pdf)
    assert len(boxes) == len(re.findall(rb"/Type\s*/Page\b", pdf))
    return [(float(width), float(height)) for width, height in boxes]


def check_pages(pdf: bytes, pages: int, size: tuple[float, float]) -> None:
    sizes = page_sizes(pdf)
    assert len(sizes) == pages
    for found in sizes:
        assert found == pytest.approx(size, abs=1)


@pytest.mark.full
@pytest.mark.parametrize(("n_rules", "card"), [(0, False), (10, False), (25, False), (25, True)])
def test_a_browser_prints_two_pages(tmp_path: Path, n_rules: int, card: bool) -> None:
    """The type is sized so that it fits, without the browser's help."""
    browser = need_program("chromium", "chromium-browser", "google-chrome")
    page, target = tmp_path / "guide.html", tmp_path / "guide.pdf"
    page.write_text(guide_html(content_of("yatzy", "en", True, n_rules), card), encoding="utf-8")
    command = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    command += ["--no-pdf-header-footer", f"--print-to-pdf={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    check_pages(target.read_bytes(), 2, A6 if card else A4)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    found = Chromium()
    yield found
    found.close()


# What is wrong with the printed page: text outside its sheet, and neighbours in a row that are
# closer than a letter, or than half a letter where no number follows.
LAYOUT_FAULTS = """() => {
  const faults = [];
  const place = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  for (const sheet of document.querySelectorAll(".sheet")) {
    const outer = sheet.getBoundingClientRect();
    for (const node of sheet.querySelectorAll("h1, h2, p, td, th, li span, .losses div")) {
      const inner = place(node);
      if (inner.left < outer.left - 1 || inner.right > outer.right + 1) faults.push(`outside: ${node.textContent}`);
    }
    for (const row of sheet.querySelectorAll("tr, li, .losses")) {
      const cells = [...row.children].filter((cell) => cell.textContent || cell.querySelector("svg"));
      cells.slice(1).forEach((cell, i) => {
        const em = parseFloat(getComputedStyle(cell).fontSize);
        const gap = (place(cell).left - place(cells[i]).right) / em;
        if (gap < (cell.matches("td.n") ? 1 : 0.5)) faults.push(`${gap} em: ${row.textContent}`);
      });
    }
  }
  return faults;
}"""


def check_layout(browser: Any, content: GuideContent, card: bool, pages: int) -> None:
    width, height = A6_TEXT if card else A4_TEXT
    page = browser.new_page(viewport={"width": width, "height": height})
    page.emulate_media(media="print")
    page.set_content(guide_html(content, card))
    assert page.evaluate(LAYOUT_FAULTS) == []
    check_pages(page.pdf(prefer_css_page_size=True), pages, A6 if card else A4)
    page.close()


def packaged_content(key: str, language: str, n_rules: int) -> GuideContent:
    """The guide with the sheet that the package has for a game, and its losses by turn."""
    guide = guide_of(key, False)
    sheet = packaged_sheet(localized(guide.rules, language))
    losses = sheet.figures["losses_by_turn"]
    return guide_content(
        replace(guide, rules=sheet.rules, sheet=sheet.with_rules(n_rules), losses=losses)
    )


@pytest.mark.full
@EVERY_LANGUAGE
@pytest.mark.parametrize(
    ("key", "n_rules"), [("yatzy", 16), ("yatzy", 5), ("kniffel", 16), ("kniffel", 10)]
)
def test_two_pages_are_printed_and_nothing_touches(
    chromium: Chromium, key: str, n_rules: int, language: str
) -> None:
    content = packaged_content(key, language, n_rules)
    with chromium.running() as browser:
        check_layout(browser, content, card=False, pages=2)
        check_layout(browser, content, card=True, pages=2)


@pytest.mark.full
@EVERY_LANGUAGE
def test_the_longest_list_of_rules_is_printed_on_two_pages(
    chromium: Chromium, language: str
) -> None:
    content = content_of("yatzy", language, with_sheet=True, n_rules=25)
    with chromium.running() as browser:
        check_layout(browser, content, card=False, pages=2)
        check_layout(browser, content, card=True, pages=2)


@pytest.mark.parametrize("key", drawn(1, KEYS[1:]))
def test_without_a_sheet_one_page_is_printed(chromium: Chromium, key: str) -> None:
    with chromium.running() as browser:
        check_layout(browser, content_of(key), card=False, pages=1)


@EVERY_LANGUAGE
def test_the_page_has_all_names_titles_and_numbers(language: str) -> None:
    content = content_of("yatzy", language, with_sheet=True, n_rules=25)
    text = "".join(body_of(guide_html(content)).itertext()).replace("\u2060", "")
    card = "".join(body_of(guide_html(content, card=True)).itertext()).replace("\u2060", "")
    for category in content.rules.categories:
        assert category.name in text
        assert category.name in card
    assert all(section.title in text for section in content.sections.values())
    assert content.words.number(28.9) in text
    assert all(row.value in text for row in content.sections["holds"].rows)


@pytest.mark.parametrize("key", KEYS[1:])
def test_the_page_of_other_rules_is_one_sheet(key: str) -> None:
    content = content_of(key)
    body = body_of(guide_html(content))
    assert [node.get("class") for node in body] == ["sheet"]
    text = "".join(body.itertext())
    assert all(category.name in text for category in content.rules.categories)


def test_the_picture_of_the_readme_shows_the_card_of_today(run: Run, yatzy: Strategy) -> None:
    """`.ci/pictures.py card` draws it, and keeps the text of the card in the file."""
    image = need("PIL.Image")
    card = run("guide", "yatzy", "--card", "--hold-rules", "5").stdout
    with image.open(ROOT / ".github" / "card.png") as picture:
        assert picture.text["Description"] == card


# --- command ---
def test_the_command_writes_by_suffix(run: Run, yatzy: Strategy, tmp_path: Path) -> None:
    sheet = ("--sheet", str(tmp_path / "sheet.json"))
    yatzy_sheet(yatzy.rules).save(tmp_path / "sheet.json")
    shown = run("guide", *sheet)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Which box? Points minus price" in shown.stdout
    for name, start in (
        ("g.html", b"<!doctype html>"),
        ("g.htm", b"<!doctype html>"),
        ("g.txt", b"Yatzy: "),
    ):
        done = run("guide", *sheet, "-o", str(tmp_path / name), "--lang", "sv")
        assert (done.returncode, done.stdout) == (0, f"Skrev {tmp_path / name}\n"), done.stderr
        assert (tmp_path / name).read_bytes().startswith(start)
    assert run("guide", "--format", "html").stdout.startswith("<!doctype html>")
    rules = load_text(
        tmp_path, 'extends = "yatzy"\nbonus = { threshold = 60, points = 50 }\n'
    ).origin
    for arguments, message in (
        (("kniffel", *sheet), "is for other rules than kniffel"),
        ((rules, "--card"), f"find them with: yatzy learn {rules}"),
    ):
        assert message in refusal(run, "guide", *arguments)
