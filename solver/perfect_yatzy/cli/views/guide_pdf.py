"""The guide as a PDF, drawn by fpdf2 (extra `pdf`): two sheets of A4, or a card of A6 to carry.

The texts are those of the HTML page (:mod:`.guide_content`). The type is Helvetica, which every
reader has. Letters that it lacks, those outside Western Europe, need DejaVu Sans, which comes with
matplotlib.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..._version import __version__
from ...errors import MissingPackage, _
from .guide import PIPS
from .guide_content import GuideContent, Section, Sheet, column_groups, sheets
from .words import Span, Text, joined, text_of

A4, A6 = (210.0, 297.0), (105.0, 148.0)  # mm
MARGINS, CARD_MARGINS = (13.0, 11.0), (6.0, 6.0)
# points; for each sheet the first at which it fits
SIZES = tuple(size / 10 for size in range(119, 68, -3))
CARD_SIZES = tuple(size / 10 for size in range(104, 48, -3))
POINT = 25.4 / 72  # mm
LEADING = 1.3  # distance of lines, in type sizes
INK, SOFT, LINE, TINT, BAR = (
    (22, 32, 28),
    (77, 89, 84),
    (205, 213, 210),
    (238, 243, 241),
    (127, 181, 160),
)
# how the text of a cell is set: arguments of `Paper.text`
RIGHT, BOLD = (
    {"align": "right"},
    {"bold": True},
)
ALIGN = {"left": 0.0, "centre": 0.5, "right": 1.0}  # share of the space that is left of a line
DASH = str.maketrans({"−": "–", "\u2060": ""})  # Helvetica in a PDF has no minus sign

Cell = tuple[float, Text | str, Mapping[str, Any]]  # of a row: its width, its text, how it is set


def check_pdf() -> None:
    """Raise MissingPackage unless a PDF can be drawn."""
    try:
        import fpdf  # noqa: F401
    except ImportError as error:
        raise MissingPackage("a PDF", "fpdf2", extra="pdf") from error


def guide_pdf(content: GuideContent, card: bool = False) -> bytes:
    """The bytes of a PDF with the guide, or with the card to carry only."""
    sizes = CARD_SIZES if card else SIZES
    with closing(Paper(content, card)) as paper:
        for number, sheet in enumerate(sheets(content, card)):
            fits = partial(_fits, content, card, sheet, number == 0)
            # The sizes fall, and below one that fits all others do: the first that fits, or the
            # last if none does.
            paper.size = sizes[min(bisect_left(sizes, True, key=fits), len(sizes) - 1)]
            _draw(paper, sheet, is_first=number == 0)
        return bytes(paper.pdf.output())


def _fits(content: GuideContent, card: bool, sheet: Sheet, is_first: bool, size: float) -> bool:
    with closing(Paper(content, card, size)) as draft:
        _draw(draft, sheet, is_first)
        return draft.fits


class Paper:
    """A PDF in progress: type, words in lines, dice and bars at places of a sheet. Lengths are
    in mm.
    """

    def __init__(self, content: GuideContent, card: bool, size: float = 10.0) -> None:
        check_pdf()
        from fpdf import FPDF

        self.content, self.card, self.size = content, card, size
        self.fits = True  # whether all that was drawn so far ends above the bottom
        self.left, self.top = CARD_MARGINS if card else MARGINS
        width, height = A6 if card else A4
        self.right, self.bottom = width - self.left, height - self.top
        self.pdf = FPDF(unit="mm", format=(width, height))
        self.pdf.core_fonts_encoding = "windows-1252"
        self.pdf.set_auto_page_break(False)
        self.pdf.set_margin(0)
        self.pdf.c_margin = 0
        self.pdf.set_creator(f"perfect-yatzy {__version__}")
        self.pdf.set_title(content.card_title if card else content.title)
        self.pdf.set_lang(content.words.language)
        self.family = self._font_family()

    def _font_family(self) -> str:
        """The family to set the texts in, made known to the PDF."""
        letters = {letter for text in _all_texts(self.content) for letter in text.translate(DASH)}
        with suppress(UnicodeEncodeError):  # Helvetica lacks a letter
            "".join(letters).encode("windows-1252")
            return "helvetica"
        try:
            import matplotlib
        except ImportError as error:
            raise MissingPackage(
                _("a PDF with these letters"), "matplotlib", extra="plot"
            ) from error
        folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        self.pdf.add_font("DejaVu", "", folder / "DejaVuSans.ttf")
        self.pdf.add_font("DejaVu", "B", folder / "DejaVuSans-Bold.ttf")
        known = getattr(self.pdf.fonts["dejavu"], "cmap", {})
        if missing := sorted(letter for letter in letters if ord(letter) not in known):
            self.close()
            text = _("no font for {letters} in a PDF; write HTML and print it from a browser")
            raise click.ClickException(text.format(letters=" ".join(missing[:10])))
        return "DejaVu"

    def close(self) -> None:
        """Close the files of fonts that are not built in."""
        for font in self.pdf.fonts.values():
            if (file := getattr(font, "ttfont", None)) is not None:
                file.close()

    def line(self, scale: float = 1.0) -> float:
        """Distance of lines of a type."""
        return self.size * scale * POINT * LEADING

    def font(self, scale: float, bold: bool, colour: tuple[int, int, int]) -> None:
        """Choose the type for what follows."""
        self.pdf.set_font(self.family, "B" if bold else "", self.size * scale)
        self.pdf.set_text_color(*colour)

    def word_width(self, word: Span, scale: float) -> float:
        """Width of a word without the space before it."""
        if word.kind == "dice":
            return self.size * scale * POINT * 1.2
        self.pdf.set_font(self.family, "B" if word.kind == "bold" else "", self.size * scale)
        return float(self.pdf.get_string_width(word.text))

    def lines(
        self, text: Text, width: float, scale: float
    ) -> list[tuple[float, list[tuple[float, Span]]]]:
        """The lines of a text: the length of each, at most `width` unless it is one word, and
        its words by places.
        """
        self.pdf.set_font(self.family, "", self.size * scale)
        blank = self.pdf.get_string_width(" ")
        # of a line: each word after its distance from the left end
        complete, line = (
            [],
            list[tuple[float, Span]](),
        )
        length = 0.0  # of `line`
        for unit in _units(text):
            if (
                line
                and length + blank + sum(self.word_width(word, scale) for word in unit)
                > width + 1e-6
            ):
                complete.append((length, line))
                line, length = [], 0.0
            if line:
                length += blank
            for word in unit:
                line.append((length, word))
                length += self.word_width(word, scale)
        return [*complete, (length, line)]

    def text(
        self,
        text: Text | str,
        x: float,
        y: float,
        width: float,
        scale: float = 1.0,
        colour: tuple[int, int, int] = INK,
        align: str = "left",
        bold: bool = False,
    ) -> float:
        """Write a text in lines; returns the y below it."""
        text = Text((Span(str(text), "bold"),)) if bold else text_of(text)
        line = self.line(scale)
        for length, words in self.lines(text, width, scale):
            start = x + (width - length) * ALIGN[align]
            for place, word in words:
                if word.kind == "dice":  # drawn from its upper left corner
                    self.die(
                        int(word.text),
                        start + place,
                        y + line * 0.13,
                        self.size * scale * POINT * 1.05,
                    )
                else:  # written on its base line
                    self.font(scale, word.kind == "bold", colour)
                    self.pdf.text(start + place, y + line * 0.76, word.text)
            y += line
        self.reach(y)
        return y

    def reach(self, y: float) -> None:
        """Note that something ends at y."""
        self.fits &= y <= self.bottom + 1e-6

    def rule(self, x: float, y: float, width: float) -> None:
        """A thin line."""
        self.pdf.set_draw_color(*LINE)
        self.pdf.set_line_width(0.15)
        self.pdf.line(x, y, x + width, y)

    def bar(
        self, x: float, y: float, width: float, height: float, colour: tuple[int, int, int] = BAR
    ) -> None:
        """A filled rectangle with round corners."""
        self.pdf.set_fill_color(*colour)
        radius = min(0.6, width / 2, height / 2)
        self.pdf.rect(
            x,
            y,
            max(width, 0.3),
            height,
            style="F",
            round_corners=width > 1.2,
            corner_radius=radius,
        )

    def die(self, face: int, x: float, y: float, side: float, *, held: bool = False) -> None:
        """A die; one that is held is dark."""
        self.pdf.set_draw_color(*INK)
        self.pdf.set_line_width(side / 22)
        self.pdf.set_fill_color(*(INK if held else (255, 255, 255)))
        self.pdf.rect(x, y, side, side, style="DF", round_corners=True, corner_radius=side / 5)
        mark = (255, 255, 255) if held else INK
        if face in PIPS:
            self.pdf.set_fill_color(*mark)
            for column, row in PIPS[face]:
                self.pdf.circle(x + side * column / 30, y + side * row / 30, side / 10, style="F")
        else:
            self.font(0.8, True, mark)
            self.pdf.text(
                x + (side - self.pdf.get_string_width(str(face))) / 2, y + side * 0.78, str(face)
            )


def _units(text: Text) -> list[list[Span]]:
    """The words and dice of a text, grouped so that a line may be broken before each group only."""
    units = list[list[Span]]()
    may_break = True
    for span in text.spans:
        for i, piece in enumerate(span.text.translate(DASH).split(" ")):
            # after a space, which also separates the dice of a span
            if i > 0 and span.kind != "dice":
                may_break = True
            if piece:
                if may_break:
                    units.append([])
                units[-1].append(Span(piece, span.kind))
                may_break = False
    return units


def _all_texts(content: GuideContent) -> Iterable[str]:
    yield from (content.title, content.card_title, *map(str, content.lead))
    for section in content.sections.values():
        yield from (section.title, str(section.note), *map(str, section.paragraphs))
        yield from (str(row.name) + row.value + row.points for row in section.rows)
        yield from (line.heading + line.hold + line.rolls for line in section.opening_rows)


def _draw(paper: Paper, sheet: Sheet, is_first: bool) -> None:
    """A sheet on a new page; the first one with the title."""
    paper.pdf.add_page()
    y, width, gap = paper.top, paper.right - paper.left, 7.0
    if is_first:
        title = paper.content.card_title if paper.card else paper.content.title
        y = paper.text(title, paper.left, y, width, 1.8, bold=True) + paper.line() * 0.1
        for text in paper.content.lead:
            y = paper.text(text, paper.left, y, width, colour=SOFT)
        y += paper.line() * 0.3
    narrow = (width - gap) * 0.42  # the first of two columns
    places = (
        [(0.0, width)]
        if len(sheet.columns) == 1
        else [(0.0, narrow), (narrow + gap, width - narrow - gap)]
    )
    # the place of a column: its distance from the left, its width
    columns = zip(sheet.columns, places, strict=True)
    ends = [_column(paper, names, paper.left + left, y, wide) for names, (left, wide) in columns]
    _column(paper, sheet.below, paper.left, max(ends) + paper.line() * 0.4, width)


def _column(paper: Paper, names: Iterable[str], x: float, y: float, width: float) -> float:
    """Sections below each other; returns the y below them."""
    for name in names:
        if section := paper.content.sections.get(name):
            y = _section(paper, section, x, y, width)
    return y


def _section(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    if section.id not in ("bonus", "give_up"):
        return _contents(paper, section, x, y, width)
    pad, top = 2.5, y + paper.line() * 0.7
    # The tint lies below the text, so its height must be known first: measure on a page that is
    # thrown away.
    with closing(Paper(paper.content, paper.card, paper.size)) as draft:
        draft.pdf.add_page()
        end = _contents(draft, section, x + pad, top, width - 2 * pad) + pad * 0.6
    paper.pdf.set_fill_color(*TINT)
    paper.pdf.rect(x, top, width, end - top, style="F", round_corners=True, corner_radius=1.5)
    _contents(paper, section, x + pad, top, width - 2 * pad)
    paper.reach(end)
    return end


def _contents(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    y = (
        paper.text(section.title, x, y + paper.line() * 0.35, width, 1.1, bold=True)
        + paper.line() * 0.1
    )
    if note := joined([section.note, section.dice_note]):
        y = paper.text(note, x, y, width, 0.9, SOFT) + paper.line() * 0.2
    return VIEWS[section.form](paper, section, x, y, width)


def _row(paper: Paper, x: float, y: float, pad: float, *cells: Cell) -> float:
    """Cells beside each other, `pad` lines below y, and a rule `pad` lines below them."""
    left, ends = x, []
    for width, text, style in cells:
        ends.append(paper.text(text, left, y + paper.line() * pad, width, **style))
        left += width
    end = max(ends) + paper.line() * pad
    paper.rule(x, end, left - x)
    return end


def _prices(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    columns = 2 if paper.card and len(section.rows) > 8 else 1
    shares = (0.75, 0.0, 0.25) if columns > 1 else (0.48, 0.35, 0.17)  # two columns have no bars
    gap, line = 5.0, paper.line()
    column_width = (width - gap * (columns - 1)) / columns
    name, bar, value = (column_width * share for share in shares)  # widths of the cells
    ends = [y]
    for i, part in enumerate(column_groups(section.rows, columns)):
        left, end = x + i * (column_width + gap), y  # of the rows so far
        for row in part:
            if bar and row.bar > 0:
                paper.bar(left + name, end + line * 0.44, bar * row.bar, line * 0.36)
            end = _row(
                paper,
                left,
                end,
                0.12,
                (name, row.name, {}),
                (bar, "", {}),
                (value, row.value, RIGHT | BOLD),
            )
        ends.append(end)
    return max(ends)


def _texts(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    for text in section.texts:
        y = paper.text(text, x, y, width) + paper.line() * 0.25
    return y


def _holds(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    label = paper.line() * 1.5  # width of the number before a rule, with the space behind it
    # of the number after it
    worth = paper.line() * (2.0 if any(row.value for row in section.rows) else 0.0)
    soft = RIGHT | {"colour": SOFT}
    for number, row in enumerate(section.rows, start=1):
        y = _row(
            paper,
            x,
            y,
            0.1,
            (label * 0.75, str(number), soft),
            (label * 0.25, "", {}),
            (width - label - worth, row.name, {}),
            (worth, row.value, soft),
        )
    for text in section.paragraphs:
        y = paper.text(text, x, y + paper.line() * 0.25, width, 0.9, SOFT)
    return y


def _losses(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    step, height, label = width / len(section.rows), 12.0, paper.line(0.8)
    for i, row in enumerate(section.rows):
        left, tall = x + i * step + step * 0.1, height * row.bar
        paper.bar(left, y + label + height - tall, step * 0.8, max(tall, 0.2))
        paper.text(row.value, left, y + height - tall, step * 0.8, 0.8, SOFT, "centre")
        paper.text(row.name, left, y + label + height + 0.4, step * 0.8, 0.8, SOFT, "centre")
    end = y + 2 * label + height + 0.4
    paper.reach(end)
    return end


def _opening(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    side = paper.size * POINT * 1.15  # of a die
    most_dice = max((len(row.sample) for row in section.opening_rows), default=0)
    # widths of the columns, first that of the dice
    dice = most_dice * side * 1.12 + (2.5 if most_dice else 0.0)
    heading, hold, rolls, score, share = (
        (width - dice) * part for part in (0.2, 0.26, 0.32, 0.13, 0.09)
    )
    left = x + dice + heading + hold  # the last three have heads
    for column, head, align in zip(
        (rolls, score, share), section.heads, ("left", "right", "right"), strict=True
    ):
        paper.text(head, left, y, column, 0.85, SOFT, align)
        left += column
    y += paper.line(0.85) * 1.1
    paper.rule(x, y, width)
    gap: Cell = (2.0, "", {})
    for row in section.opening_rows:
        for i, (face, held) in enumerate(row.sample):
            paper.die(face, x + i * side * 1.12, y + paper.line() * 0.23, side, held=held)
        y = _row(
            paper,
            x,
            y,
            0.18,
            (dice, "", {}),
            (heading - 2, row.heading, {}),
            gap,
            (hold - 2, row.hold, BOLD),
            gap,
            (rolls - 2, row.rolls, {"scale": 0.92, "colour": SOFT}),
            gap,
            (score, row.score, RIGHT),
            (share, row.share, RIGHT),
        )
    return y


def _odds(paper: Paper, section: Section, x: float, y: float, width: float) -> float:
    columns, gap, ends = 3, 7.0, [y]
    column = (width - gap * (columns - 1)) / columns
    head_style: dict[str, Any] = {"scale": 0.85, "colour": SOFT}
    for i, part in enumerate(column_groups(section.rows, columns)):
        left, end = x + i * (column + gap), y
        lines = [
            (section.heads, head_style),
            *(((str(row.name), row.value, row.points), {}) for row in part),
        ]
        for (name, chance, points), style in (
            lines if part else []
        ):  # a column without rows has no heads
            numbers = (column * 0.26, chance, style | RIGHT), (column * 0.2, points, style | RIGHT)
            end = _row(paper, left, end, 0.12, (column * 0.54, name, style), *numbers)
        ends.append(end)
    return max(ends)


View = Callable[
    [Paper, Section, float, float, float], float
]  # of rows at (x, y), in a width; gives the y below them
VIEWS: dict[str, View] = {
    view.__name__[1:]: view for view in (_prices, _texts, _holds, _losses, _opening, _odds)
}
