"""The guide for a terminal: at most 80 columns, in one column of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

from .guide_content import GuideContent, OpeningRow, Section, column_groups
from .wording import WIDTH
from .words import Text

CARD_SECTIONS = ("prices", "bonus", "holds")
BAR = 24  # columns of the longest bar
ROLLS_INDENT = 4


def guide_text(content: GuideContent, card: bool = False) -> str:
    """The guide, or only the card to carry: prices, bonus and hold rules."""
    title = content.card_title if card else content.title
    lines = [title, "=" * len(title)]
    for text in content.lead:
        lines += ["", *_wrapped(text)]
    for name, section in content.sections.items():
        if not card or name in CARD_SECTIONS:
            lines += ["", section.title, "-" * len(section.title), *_wrapped(section.note)]
            body = [*VIEWS[name](content, section)]
            lines += ["", *body] if section.note and body else body
    # No-break spaces only keep the lines from being broken at the wrong place.
    return "\n".join(line.rstrip() for line in lines).replace("\u00a0", " ") + "\n"


def _wrapped(text: Text | str, first: str = "", indent: str = "", width: int = WIDTH) -> list[str]:
    return wrap(str(text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)


def _bars(content: GuideContent, section: Section) -> Iterator[str]:
    """Rows with a number and a bar."""
    width = max(len(str(row.name)) for row in section.rows)
    numbers = max(len(row.value) for row in section.rows)
    for row in section.rows:
        bar = "▇" * max(round(BAR * row.bar), 1 if row.bar > 0 else 0)
        yield f"  {row.name!s:<{width}}  {row.value:>{numbers}}  {bar}"


def _paragraphs(content: GuideContent, section: Section) -> Iterator[str]:
    for paragraph in section.paragraphs:
        yield from _wrapped(paragraph, "  ", "  ")


def _rules(content: GuideContent, section: Section) -> Iterator[str]:
    """Numbered sentences with a number at the right edge of their last line."""
    numbers = max((len(row.value) for row in section.rows), default=0)
    width = WIDTH - numbers - 2
    for number, row in enumerate(section.rows, start=1):
        lines = _wrapped(row.name, f"{number:>3} ", "    ", width)
        yield from lines[:-1]
        yield f"{lines[-1]:<{width}}  {row.value:>{numbers}}"


def _stages(content: GuideContent, section: Section) -> Iterator[str]:
    for row in section.rows:
        yield from _wrapped(row.name, "  ", "    ")
    yield from _paragraphs(content, section)


def _opening(content: GuideContent, section: Section) -> Iterator[str]:
    words = content.words
    scores = max(len(row.score) for row in content.opening)
    shares = max(len(row.share) for row in content.opening)
    scores, shares = max(scores, len(words.words("opening.score"))), max(shares, len(words.words("opening.share")))
    width = WIDTH - scores - shares - 6

    def line(text: str, row: OpeningRow | None) -> str:
        score = row.score if row else words.words("opening.score")
        share = row.share if row else words.words("opening.share")
        return f"  {text:<{width}}  {score:>{scores}}  {share:>{shares}}"

    yield line("", None)
    before = ""
    for row in content.opening:
        if row.pattern != before:
            yield f"  {_capital(row.pattern)}"
            before = row.pattern
        rolls = _wrapped(f"{row.hold}: {row.rolls}", " " * ROLLS_INDENT, " " * (ROLLS_INDENT + 2), width + 2)
        yield line(rolls[0][2:], row)
        yield from rolls[1:]


def _odds(content: GuideContent, section: Section) -> Iterator[str]:
    """Two columns of boxes with their chance and points."""
    name = max(len(str(row.name)) for row in section.rows)
    cells = []
    for row in section.rows:
        chance, points = row.value.split("|")
        cells.append(f"{row.name!s:<{name}} {chance:>7} {points:>5}")
    columns = 2 if 2 * len(cells[0]) + 6 <= WIDTH else 1
    parts = [cells[part] for part in column_groups(len(cells), columns)]
    for i in range(len(parts[0])):
        yield "  " + "    ".join(part[i] for part in parts if i < len(part))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


VIEWS: dict[str, Callable[[GuideContent, Section], Iterator[str]]] = {
    "prices": _bars,
    "bonus": _paragraphs,
    "holds": _rules,
    "give_up": _stages,
    "examples": _paragraphs,
    "losses": _bars,
    "opening": _opening,
    "odds": _odds,
}
