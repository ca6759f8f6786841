"""The guide for a terminal: at most 80 columns, in one column of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from textwrap import wrap

from .guide_content import GuideContent, Section, column_groups
from .wording import WIDTH, columns
from .words import Text

CARD_SECTIONS = ("prices", "bonus", "holds", "give_up")
BAR = 24  # columns of the longest bar
ROLLS_INDENT = 4


def guide_text(content: GuideContent, card: bool = False) -> str:
    """The guide, or only the card to carry: prices, bonus, hold rules and what to give up."""
    title = content.card_title if card else content.title
    lines = [title, "=" * len(title)]
    for text in content.lead:
        lines += ["", *_wrapped(text)]
    for name, section in content.sections.items():
        if not card or name in CARD_SECTIONS:
            lines += ["", section.title, "-" * len(section.title), *_wrapped(section.note)]
            body = [*VIEWS[section.form](content, section)]
            lines += ["", *body] if section.note and body else body
    # No-break spaces only keep the lines from being broken at the wrong place.
    return "\n".join(line.rstrip() for line in lines).replace("\u00a0", " ") + "\n"


def _wrapped(text: Text | str, first: str = "", indent: str = "", width: int = WIDTH) -> list[str]:
    return wrap(str(text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)


def _bars(content: GuideContent, section: Section) -> list[str]:
    """Rows with a number and a bar."""
    bars = ("▇" * max(round(BAR * row.bar), row.bar > 0) for row in section.rows)
    rows = [(str(row.name), row.value, bar) for row, bar in zip(section.rows, bars, strict=True)]
    return columns(rows, "<", ">", "<")


def _texts(content: GuideContent, section: Section) -> Iterator[str]:
    for row in section.rows:
        yield from _wrapped(row.name, "  ", "    ")
    yield from _paragraphs(section)


def _paragraphs(section: Section) -> Iterator[str]:
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
    if section.paragraphs:
        yield ""
        yield from _paragraphs(section)


def _opening(content: GuideContent, section: Section) -> Iterator[str]:
    heads = content.words.words("opening.score"), content.words.words("opening.share")
    scores = max(len(heads[0]), *(len(row.score) for row in content.opening))
    shares = max(len(heads[1]), *(len(row.share) for row in content.opening))
    width = WIDTH - scores - shares - 6
    yield f"  {'':<{width}}  {heads[0]:>{scores}}  {heads[1]:>{shares}}"
    for row in content.opening:
        if row.heading:
            yield f"  {row.heading}"
        rolls = _wrapped(f"{row.hold}: {row.rolls}", " " * ROLLS_INDENT, " " * (ROLLS_INDENT + 2), width + 2)
        yield f"{rolls[0]:<{width + 2}}  {row.score:>{scores}}  {row.share:>{shares}}"
        yield from rolls[1:]


def _odds(content: GuideContent, section: Section) -> Iterator[str]:
    """Two columns of boxes with their chance and points."""
    name = max(len(str(row.name)) for row in section.rows)
    cells = [f"{row.name!s:<{name}} {row.value:>7} {row.points:>5}" for row in section.rows]
    for row in zip_longest(*column_groups(cells, 2 if 2 * len(cells[0]) + 6 <= WIDTH else 1)):
        yield "  " + "    ".join(cell for cell in row if cell)


VIEWS: dict[str, Callable[[GuideContent, Section], Iterable[str]]] = {
    "prices": _bars,
    "texts": _texts,
    "holds": _rules,
    "losses": _bars,
    "opening": _opening,
    "odds": _odds,
}
