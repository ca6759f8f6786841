"""The size of the type at which a sheet of the guide fits on a page.

It is estimated from the lengths of the texts. The page is laid out by a browser, in a font that is
not known here. Lines are counted for wide letters, so that what is printed in another font takes
less space. Heights and widths are in em, the size of the type, and follow ``styles/guide.css`` and
``styles/card.css``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from ..text_width import wrap
from .guide_content import GuideContent, Section, Sheet, column_groups
from .words import Text, joined

SIZES = tuple(size / 10 for size in range(104, 49, -1))  # points
# width and height of a page without its margins, in points
A4 = (521.0, 779.0)
A6 = (263.0, 385.0)
GAP = 20.0  # between two columns, in points
SHARES = (0.43, 0.57)  # of the width, for each of two columns
LETTER = 0.54  # width of a letter
LINE = 1.28  # distance of lines
TITLE = 2.4  # height of the title
CARD_TITLE = 1.9
HEAD = 2.9  # height of the title of a section, with the space above it
BOX = 1.3  # height that a box adds to its contents
ROW = 0.4  # height of the space around the text of a row
COLUMNS = 3  # of the odds
SMALL = 0.9  # size of the type of notes
BOLD = 1.15  # width of bold letters
DIE = 1.3  # width of a die with the gap after it
PADDING = 0.6  # left and right of the text of a cell


def type_size(content: GuideContent, card: bool, sheet: Sheet, is_first: bool) -> float:
    """Return the largest size of type at which a sheet fits, in points.

    It is the smallest size if none fits.
    """
    page_width, page_height = A6 if card else A4

    def fits(size: float) -> bool:
        width = page_width / size
        heads = _lead_height(content, card, width) if is_first else 0.0
        gaps = (len(sheet.columns) - 1) * GAP / size
        shares = SHARES if len(sheet.columns) > 1 else (1.0,)
        columns = zip(sheet.columns, shares, strict=True)
        heights = [
            _height(content, names, share * (width - gaps), card) for names, share in columns
        ]
        height = heads + max(heights) + _height(content, sheet.below, width, card)
        return height * size <= page_height

    return next((size for size in SIZES if fits(size)), SIZES[-1])


def _lead_height(content: GuideContent, card: bool, width: float) -> float:
    """Return the height of the title of the guide and of the paragraphs below it."""
    title = CARD_TITLE if card else TITLE
    return title + sum(_text_height(text, width) for text in content.lead)


def _height(content: GuideContent, names: tuple[str, ...], width: float, card: bool) -> float:
    """Return the height of sections below each other."""
    return sum(
        _section_height(content.sections[name], width, card)
        for name in names
        if name in content.sections
    )


def _section_height(section: Section, width: float, card: bool) -> float:
    height = HEAD
    if section.is_boxed:
        height += BOX
        width -= 1.6  # left and right of the text of a box
    note = joined([section.note, section.dice_note])
    if note:
        height += _text_height(note, width, SMALL)
    if section.form == "prices":
        return height + _prices_height(section, width, card)
    return height + HEIGHTS[section.form](section, width)


def _lines(text: Text | str, width: float) -> int:
    """Return the number of lines that a text takes."""
    letters = max(1, floor(width / LETTER))
    return len(wrap(str(text), letters))


def _text_height(text: Text | str, width: float, size: float = 1.0) -> float:
    """Return the height of a paragraph in a type of a size, with the space below it."""
    return size * (LINE * _lines(text, width / size) + ROW)


def _columns_height(section: Section, columns: int, width: float) -> float:
    """Return the height of rows that are shared out over columns.

    Their names are broken into lines of this width.
    """
    parts = column_groups(section.rows, columns)
    return max(sum(_text_height(row.name, width) for row in part) for part in parts)


def _prices_height(section: Section, width: float, card: bool) -> float:
    if card:
        return _columns_height(section, 2, 0.22 * width)
    return _columns_height(section, 1, 0.4 * width)


def _texts_height(section: Section, width: float) -> float:
    return sum(_text_height(text, width) for text in section.texts)


def _holds_height(section: Section, width: float) -> float:
    width_of_rule = width - 4.5  # between two numbers
    rules = sum(_text_height(row.name, width_of_rule) for row in section.rows)
    return rules + sum(ROW + _text_height(text, width, SMALL) for text in section.paragraphs)


def _losses_height(_section: Section, _width: float) -> float:
    return 5.2  # of the chart


def _opening_height(section: Section, width: float) -> float:
    dice = max(DIE * len(row.sample) for row in section.opening_rows) + PADDING
    # The style sheet gives these two columns 18 and 23 % of the width; the second one has bold
    # letters and more padding.
    heading = 0.18 * width - PADDING
    hold = 0.23 * width - 1.3
    rolls = width - dice - heading - hold - 11.7  # without padding and two columns of numbers
    height = LINE + ROW  # of the head
    for row in section.opening_rows:
        lines = [
            _lines(row.heading, heading),
            _lines(row.hold, hold / BOLD),
            _lines(row.rolls, rolls / 0.92),  # in a smaller type
        ]
        height += LINE * max(lines) + 0.73  # with the padding and the line between rows
    return height


def _odds_height(section: Section, width: float) -> float:
    name = width / COLUMNS - 10  # without the numbers and the gap
    return LINE + ROW + _columns_height(section, COLUMNS, name)


HEIGHTS: dict[str, Callable[[Section, float], float]] = {
    "texts": _texts_height,
    "holds": _holds_height,
    "losses": _losses_height,
    "opening": _opening_height,
    "odds": _odds_height,
}
