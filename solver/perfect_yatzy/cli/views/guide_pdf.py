"""The guide as a PDF: two sheets of A4, or a card of A6 to carry.

The texts are those of the HTML page (:mod:`.guide_content`). The type of each sheet has the largest size at which it
fits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from .guide_content import GuideContent, Row, Section, Sheet, column_groups, sheets
from .pdf_paper import INK, POINT, SOFT, TINT, Paper

A4, A6 = (210.0, 297.0), (105.0, 148.0)  # mm
MARGINS, CARD_MARGINS = (13.0, 11.0), (6.0, 6.0)
SIZES = tuple(size / 10 for size in range(119, 68, -3))  # points; for each sheet the first at which it fits
CARD_SIZES = tuple(size / 10 for size in range(104, 48, -3))


def guide_pdf(content: GuideContent, card: bool = False) -> bytes:
    """The bytes of a PDF with the guide, or with the card to carry only."""
    paper = GuidePaper(content, card)
    for i, sheet in enumerate(sheets(content, card)):
        paper.size = _largest_size(content, card, sheet, is_first=not i)
        _draw(paper, sheet, is_first=not i)
    found = bytes(paper.pdf.output())
    paper.close()
    return found


def _largest_size(content: GuideContent, card: bool, sheet: Sheet, is_first: bool) -> float:
    """The largest size of type at which a sheet fits, else the smallest; a larger size needs more space."""

    def fits(size: float) -> bool:
        draft = GuidePaper(content, card, size)
        _draw(draft, sheet, is_first)
        draft.close()
        return draft.fits

    sizes = CARD_SIZES if card else SIZES
    return sizes[min(bisect_left(sizes, True, key=fits), len(sizes) - 1)]


class GuidePaper(Paper):
    """The paper of a guide or of a card, with its texts."""

    def __init__(self, content: GuideContent, card: bool, size: float = 10.0) -> None:
        letters = {letter for text in _all_texts(content) for letter in text}
        super().__init__(A6 if card else A4, CARD_MARGINS if card else MARGINS, letters, size)
        self.content, self.card = content, card
        self.pdf.set_title(content.card_title if card else content.title)
        self.pdf.set_lang(content.words.language)


def _all_texts(content: GuideContent) -> Iterable[str]:
    yield from (content.title, content.card_title, *map(str, content.lead))
    for section in content.sections.values():
        yield from (section.title, str(section.note), *map(str, section.paragraphs))
        yield from (str(row.name) + row.value + row.points for row in section.rows)
    for line in content.opening:
        yield line.heading + line.hold + line.rolls


def _draw(paper: GuidePaper, sheet: Sheet, is_first: bool) -> None:
    """A sheet on a new page; the first one with the title."""
    y = paper.new_sheet()
    y = _head(paper, y) if is_first else y
    width, gap = paper.right - paper.left, 7.0
    left = (width - gap) * 0.42
    places = [(0.0, width)] if len(sheet.columns) == 1 else [(0.0, left), (left + gap, width - left - gap)]
    ends = [
        _column(paper, names, paper.left + x, y, wide) for names, (x, wide) in zip(sheet.columns, places, strict=True)
    ]
    _column(paper, sheet.below, paper.left, max(ends) + paper.line() * 0.4, width)


def _head(paper: GuidePaper, y: float) -> float:
    width, content = paper.right - paper.left, paper.content
    title = content.card_title if paper.card else content.title
    y = paper.text(title, paper.left, y, width, 1.8, bold=True) + paper.line() * 0.1
    for text in content.lead:
        y = paper.text(text, paper.left, y, width, colour=SOFT)
    return y + paper.line() * 0.3


def _column(paper: GuidePaper, names: Iterable[str], x: float, y: float, width: float) -> float:
    """Sections below each other; returns the y below them."""
    for name in names:
        section = paper.content.sections.get(name)
        if section is not None:
            y = _section(paper, section, x, y, width)
    return y


def _section(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    if section.id not in ("bonus", "give_up"):
        return _contents(paper, section, x, y, width)
    pad, top = 2.5, y + paper.line() * 0.7
    # The tint lies below the text, so its height must be known first: measure on a page that is thrown away.
    end = _measured(paper, section, x + pad, top, width - 2 * pad) + pad * 0.6
    paper.pdf.set_fill_color(*TINT)
    paper.pdf.rect(x, top, width, end - top, style="F", round_corners=True, corner_radius=1.5)
    _contents(paper, section, x + pad, top, width - 2 * pad)
    paper.reach(end)
    return end


def _measured(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    draft = GuidePaper(paper.content, paper.card, paper.size)
    draft.new_sheet()
    end = _contents(draft, section, x, y, width)
    draft.close()
    return end


def _contents(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    y = paper.heading(section.title, x, y, width)
    note = section.note
    if section.id == "opening" and any(row.sample for row in paper.content.opening):
        note = note + " " + paper.content.words.words("opening.held")
    if note:
        y = paper.text(note, x, y, width, 0.9, SOFT) + paper.line() * 0.2
    return VIEWS[section.form](paper, section, x, y, width)


# --- sections: each draws its rows at (x, y) and returns the y below them -------------------------------------------


def _prices(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    columns, gap, ends = 2 if paper.card and len(section.rows) > 8 else 1, 5.0, [y]
    column = (width - gap * (columns - 1)) / columns
    for number, part in enumerate(column_groups(section.rows, columns)):
        at = y
        for row in part:
            at = _price(paper, row, x + number * (column + gap), at, column, columns == 1)
        ends.append(at)
    return max(ends)


def _price(paper: GuidePaper, row: Row, x: float, y: float, width: float, with_bar: bool) -> float:
    name, number = (0.48, 0.17) if with_bar else (0.75, 0.25)
    start, height = y + paper.line() * 0.12, paper.line()
    end = paper.text(row.name, x, start, width * name)
    if with_bar and row.bar > 0:
        paper.bar(x + width * name, start + height * 0.32, width * (1 - name - number) * row.bar, height * 0.36)
    paper.text(row.value, x + width * (1 - number), start, width * number, align="right", bold=True)
    end += paper.line() * 0.12
    paper.rule(x, end, width)
    return end


def _texts(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    for text in section.texts:
        y = paper.text(text, x, y, width) + paper.line() * 0.25
    return y


def _holds(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    label, worth = paper.line() * 1.5, paper.line() * (2.0 if any(row.value for row in section.rows) else 0.0)
    for number, row in enumerate(section.rows, start=1):
        start = y + paper.line() * 0.1
        paper.text(str(number), x, start, label * 0.75, colour=SOFT, align="right")
        end = paper.text(row.name, x + label, start, width - label - worth)
        if row.value:
            paper.text(row.value, x + width - worth, start, worth, colour=SOFT, align="right")
        y = end + paper.line() * 0.1
        paper.rule(x, y, width)
    for text in section.paragraphs:
        y = paper.text(text, x, y + paper.line() * 0.25, width, 0.9, SOFT)
    return y


def _losses(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    step, height, label = width / len(section.rows), 12.0, paper.line(0.8)
    for i, row in enumerate(section.rows):
        left, tall = x + i * step + step * 0.1, height * row.bar
        paper.bar(left, y + label + height - tall, step * 0.8, max(tall, 0.2))
        paper.text(row.value, left, y + height - tall, step * 0.8, 0.8, SOFT, "centre")
        paper.text(row.name, left, y + label + height + 0.4, step * 0.8, 0.8, SOFT, "centre")
    end = y + 2 * label + height + 0.4
    paper.reach(end)
    return end


def _opening(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    side = paper.size * POINT * 1.15
    dice = max((len(row.sample) for row in paper.content.opening), default=0) * side * 1.12
    dice += 2.5 if dice else 0.0
    shares = [0.2, 0.26, 0.32, 0.13, 0.09]
    widths = [dice, *((width - dice) * share for share in shares)]
    lefts = [x + sum(widths[:i]) for i in range(len(widths))]
    words = paper.content.words
    for i, name in ((3, "rolls"), (4, "score"), (5, "share")):
        text = words.words(f"opening.{name}")
        paper.text(text, lefts[i], y, widths[i], 0.85, SOFT, "left" if i == 3 else "right")
    y += paper.line(0.85) * 1.1
    paper.rule(x, y, width)
    for row in paper.content.opening:
        start = y + paper.line() * 0.18
        for i, (face, held) in enumerate(row.sample):
            paper.die(face, held, x + i * side * 1.12, start + paper.line() * 0.05, side)
        ends = [
            paper.text(row.heading, lefts[1], start, widths[1] - 2),
            paper.text(row.hold, lefts[2], start, widths[2] - 2, bold=True),
            paper.text(row.rolls, lefts[3], start, widths[3] - 2, 0.92, SOFT),
            paper.text(row.score, lefts[4], start, widths[4], align="right"),
            paper.text(row.share, lefts[5], start, widths[5], align="right"),
        ]
        y = max(ends) + paper.line() * 0.18
        paper.rule(x, y, width)
    return y


def _odds(paper: GuidePaper, section: Section, x: float, y: float, width: float) -> float:
    columns, gap, below = 3, 7.0, [y]
    column = (width - gap * (columns - 1)) / columns
    cells = ((0.54, "left"), (0.26, "right"), (0.2, "right"))
    head = [paper.content.words.words(f"odds.{name}") for name in ("box", "chance", "points")]
    for number, part in enumerate(column_groups(section.rows, columns)):
        start, at = x + number * (column + gap), y
        for texts in [head, *([str(row.name), row.value, row.points] for row in part)] if part else []:
            left, ends, (scale, colour) = start, [], (0.85, SOFT) if texts is head else (1.0, INK)
            for (share, align), text in zip(cells, texts, strict=True):
                ends.append(paper.text(text, left, at + paper.line() * 0.12, column * share, scale, colour, align))
                left += column * share
            at = max(ends) + paper.line() * 0.12
            paper.rule(start, at, column)
        below.append(at)
    return max(below)


View = Callable[[GuidePaper, Section, float, float, float], float]
VIEWS: dict[str, View] = {
    "prices": _prices,
    "texts": _texts,
    "holds": _holds,
    "losses": _losses,
    "opening": _opening,
    "odds": _odds,
}
