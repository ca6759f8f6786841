"""A PDF in progress, drawn by fpdf2 (extra `pdf`): words in lines, dice and bars at places of a sheet.

Type is set in Helvetica, which every reader has. Letters that it lacks, those outside Western Europe, need
DejaVu Sans, which comes with matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..._messages import _
from ..._version import __version__
from ...errors import MissingPackage, SolverError
from .guide import PIPS
from .words import Span, Text, text_of

if TYPE_CHECKING:
    from fpdf import FPDF

POINT = 25.4 / 72  # mm
LEADING = 1.3  # distance of lines, in type sizes
INK, SOFT, LINE, TINT, BAR = (22, 32, 28), (77, 89, 84), (205, 213, 210), (238, 243, 241), (127, 181, 160)
ALIGN = {"left": 0.0, "centre": 0.5, "right": 1.0}  # share of the space that is left of a line
DASH = str.maketrans({"−": "–", "\u2060": ""})  # Helvetica in a PDF has no minus sign


class PdfError(SolverError):
    """A guide cannot be drawn as a PDF."""


def check_pdf() -> None:
    """Raise MissingPackage unless a PDF can be drawn."""
    try:
        import fpdf  # noqa: F401
    except ImportError as error:
        raise MissingPackage("a PDF", "fpdf2", extra="pdf") from error


@dataclass(frozen=True)
class Word:
    """A piece of a line that is not broken: text of one style, or one die."""

    text: str
    bold: bool
    die: bool


class Paper:
    """Sheets of a PDF: type, words in lines, dice and bars. Lengths are in mm."""

    def __init__(
        self, area: tuple[float, float], margins: tuple[float, float], letters: set[str], size: float = 10.0
    ) -> None:
        check_pdf()
        from fpdf import FPDF

        self.width, self.height = area
        self.left, self.top = margins
        self.size, self.fits = size, True
        self.pdf: FPDF = FPDF(unit="mm", format=area)
        self.pdf.core_fonts_encoding = "windows-1252"
        self.pdf.set_auto_page_break(False)
        self.pdf.set_margin(0)
        self.pdf.c_margin = 0
        self.pdf.set_creator(f"perfect-yatzy {__version__}")
        self.family = _font_family(self.pdf, letters)

    def close(self) -> None:
        """Close the files of fonts that are not built in."""
        _close_fonts(self.pdf)

    @property
    def right(self) -> float:
        """Right edge of the text."""
        return self.width - self.left

    @property
    def bottom(self) -> float:
        """End of the sheet."""
        return self.height - self.top

    def line(self, scale: float = 1.0) -> float:
        """Distance of lines of a type."""
        return self.size * scale * POINT * LEADING

    def new_sheet(self) -> float:
        """Begin a page; returns where it begins."""
        self.pdf.add_page()
        return self.top

    def font(self, scale: float, bold: bool, colour: tuple[int, int, int]) -> None:
        """Choose the type for what follows."""
        self.pdf.set_font(self.family, "B" if bold else "", self.size * scale)
        self.pdf.set_text_color(*colour)

    def word_width(self, word: Word, scale: float) -> float:
        """Width of a word without the space before it."""
        if word.die:
            return self.size * scale * POINT * 1.2
        self.pdf.set_font(self.family, "B" if word.bold else "", self.size * scale)
        return float(self.pdf.get_string_width(word.text))

    def lines(self, text: Text, width: float, scale: float) -> list[tuple[float, list[tuple[float, Word]]]]:
        """Lines of at most a width: their lengths, their words with places; a longer word has a line of its own."""
        self.pdf.set_font(self.family, "", self.size * scale)
        blank, ends, result = self.pdf.get_string_width(" "), [0.0], [list[tuple[float, Word]]()]
        for unit in _units(text):
            if result[-1] and ends[-1] + blank + sum(self.word_width(word, scale) for word in unit) > width + 1e-6:
                result.append([])
                ends.append(0.0)
            ends[-1] += blank if result[-1] else 0.0
            for word in unit:
                result[-1].append((ends[-1], word))
                ends[-1] += self.word_width(word, scale)
        return [*zip(ends, result, strict=True)]

    def text(
        self, text: Text | str, x: float, y: float, width: float, scale: float = 1.0,
        colour: tuple[int, int, int] = INK, align: str = "left", bold: bool = False,
    ) -> float:  # fmt: skip
        """Write a text in lines; returns the y below it."""
        text = Text((Span(str(text), "bold"),)) if bold else text_of(text)
        for length, words in self.lines(text, width, scale):
            start = x + (width - length) * ALIGN[align]
            for place, word in words:
                if word.die:
                    side = self.size * scale * POINT * 1.05
                    self.die(int(word.text), False, start + place, y + self.line(scale) * 0.13, side)
                else:
                    self.font(scale, word.bold, colour)
                    self.pdf.text(start + place, y + self.line(scale) * 0.76, word.text)
            y += self.line(scale)
        self.reach(y)
        return y

    def reach(self, y: float) -> None:
        """Note that something ends at y."""
        self.fits &= y <= self.bottom + 1e-6

    def heading(self, text: str, x: float, y: float, width: float) -> float:
        """A heading with the space around it."""
        return self.text(text, x, y + self.line() * 0.35, width, 1.1, bold=True) + self.line() * 0.1

    def rule(self, x: float, y: float, width: float) -> None:
        """A thin line."""
        self.pdf.set_draw_color(*LINE)
        self.pdf.set_line_width(0.15)
        self.pdf.line(x, y, x + width, y)

    def bar(self, x: float, y: float, width: float, height: float, colour: tuple[int, int, int] = BAR) -> None:
        """A filled rectangle with round corners."""
        self.pdf.set_fill_color(*colour)
        radius = min(0.6, width / 2, height / 2)
        self.pdf.rect(x, y, max(width, 0.3), height, style="F", round_corners=width > 1.2, corner_radius=radius)

    def die(self, face: int, held: bool, x: float, y: float, side: float) -> None:
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
            self.pdf.text(x + (side - self.pdf.get_string_width(str(face))) / 2, y + side * 0.78, str(face))


def _units(text: Text) -> list[list[Word]]:
    """The words of a text, grouped so that a line may be broken before each group only."""
    units, space = list[list[Word]](), True
    for span in text.spans:
        pieces = span.text.translate(DASH).split(" ")
        for i, piece in enumerate(pieces):
            space = space or (i > 0 and span.kind != "dice")
            if piece:
                if space:
                    units.append([])
                units[-1].append(Word(piece, span.kind == "bold", span.kind == "dice"))
                space = False
    return units


def _font_family(pdf: FPDF, letters: set[str]) -> str:
    """The family to set the texts in, made known to the PDF."""
    letters = {letter for text in letters for letter in text.translate(DASH)}
    try:
        "".join(letters).encode("windows-1252")
        return "helvetica"
    except UnicodeEncodeError:
        pass
    try:
        import matplotlib
    except ImportError as error:
        raise MissingPackage(_("a PDF with these letters"), "matplotlib", extra="plot") from error
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    pdf.add_font("DejaVu", "", folder / "DejaVuSans.ttf")
    pdf.add_font("DejaVu", "B", folder / "DejaVuSans-Bold.ttf")
    known = getattr(pdf.fonts["dejavu"], "cmap", {})
    missing = sorted(letter for letter in letters if ord(letter) not in known)
    if missing:
        _close_fonts(pdf)
        text = _("no font for {letters} in a PDF; write HTML and print it from a browser")
        raise PdfError(text.format(letters=" ".join(missing[:10])))
    return "DejaVu"


def _close_fonts(pdf: FPDF) -> None:
    for font in pdf.fonts.values():
        if (file := getattr(font, "ttfont", None)) is not None:
            file.close()
