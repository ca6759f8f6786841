"""The guide as one HTML page, and as text of at most 80 columns for a terminal.

The page has no scripts or external files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from html import escape
from itertools import zip_longest

from ..text_width import columns, columns_of, left, right, wrap
from .guide_content import GuideContent, Section, card_sides, column_groups, guide_sheets
from .print_size import COLUMNS, type_size
from .wording import WIDTH, html_page
from .words import Span, Text, joined

# Pips of each face on a square of 30 units.
PIPS = {
    1: ((15, 15),),
    2: ((8, 8), (22, 22)),
    3: ((8, 8), (15, 15), (22, 22)),
    4: ((8, 8), (8, 22), (22, 8), (22, 22)),
    5: ((8, 8), (8, 22), (22, 8), (22, 22), (15, 15)),
    6: ((8, 7), (8, 15), (8, 23), (22, 7), (22, 15), (22, 23)),
}
CARD_SECTIONS = ("prices", "bonus", "holds", "give_up")  # of the text
BAR_COLUMNS = 24  # of the longest bar of the text
ROLLS_INDENT = 4


def guide_html(content: GuideContent, card: bool = False) -> str:
    """Return the guide as a page, or only the card to carry.

    The card has prices, bonus, hold rules and what to give up.
    """
    title = content.card_title if card else content.title
    head = [
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="lead">{_inline(text)}</p>' for text in content.lead),
    ]
    body = ""
    for number, sheet in enumerate(card_sides(content) if card else guide_sheets(content)):
        blocks = [_sections(content, names) for names in sheet.columns]
        html = "".join(head) if number == 0 else ""
        if len(blocks) == 1:
            html += blocks[0]
        else:
            side_by_side = "".join(f"<div>{block}</div>" for block in blocks)
            html += f'<div class="cols">{side_by_side}</div>'
        html += _sections(content, sheet.below)
        size = type_size(content, card, sheet, is_first=number == 0)
        body += f'<div class="sheet" style="--type: {size:.1f}pt">{html}</div>\n'
    styles = ["guide", "card"] if card else ["guide"]
    return html_page(
        content.words.language,
        title,
        styles,
        f"<body{_class('card' if card else '')}>\n{body}</body>",
    )


def _sections(content: GuideContent, names: tuple[str, ...]) -> str:
    return "".join(_section(content.sections[name]) for name in names if name in content.sections)


def _section(section: Section) -> str:
    """Return a section: its title, its notes, and its content in its own form."""
    note = joined([section.note, section.dice_note])
    note_html = f'<p class="note">{_inline(note)}</p>' if note else ""
    class_attribute = _class("box" if section.is_boxed else "")
    head = f"<h2>{escape(section.title)}</h2>{note_html}"
    return f"<section{class_attribute}>{head}{VIEWS[section.form](section)}</section>"


def _class(name: str) -> str:
    """Return a class attribute, or nothing without a name."""
    return f' class="{name}"' if name else ""


def _inline(text: Text) -> str:
    return "".join(INLINE[span.kind](span) for span in text.spans)


def _escaped(text: str) -> str:
    """Return text as HTML, in which a range such as 3–6 is not broken."""
    return escape(text).replace("–", "\u2060–\u2060")


def dice_picture(faces: list[tuple[int, bool]]) -> str:
    """Return dice as pictures, in which those that are held are dark."""
    drawn = ""
    for face, held in faces:
        if face in PIPS:
            inner = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in PIPS[face])
        else:
            inner = f'<text x="15" y="22" text-anchor="middle">{face}</text>'
        rect = '<rect x="1" y="1" width="28" height="28" rx="6"/>'
        drawn += f'<svg viewBox="0 0 30 30"{_class("h" if held else "")}>{rect}{inner}</svg>'
    label = " ".join(str(face) for face, _held in faces)
    return f'<span class="dice" role="img" aria-label="{label}">{drawn}</span>'


def _row(*cells: tuple[str, str], tag: str = "td") -> str:
    """Return a row of a table from the class of each cell, which may be empty, and its contents."""
    return f"<tr>{''.join(f'<{tag}{_class(name)}>{inner}</{tag}>' for name, inner in cells)}</tr>"


def _prices(section: Section) -> str:
    rows = ""
    for row in section.rows:
        bar = f'<span class="bar" style="width:{100 * row.bar:.1f}%"></span>'
        rows += _row(("", _inline(row.name)), ("", bar), ("n", escape(row.value)))
    return f'<table class="prices"><tbody>{rows}</tbody></table>'


def _texts(section: Section) -> str:
    return "".join(f"<p>{_inline(text)}</p>" for text in section.texts)


def _holds(section: Section) -> str:
    rows = ""
    for number, row in enumerate(section.rows, start=1):
        rows += f"<li><span>{number}</span><span>{_inline(row.name)}</span><span>{escape(row.value)}</span></li>"
    legend = "".join(f'<p class="note">{_inline(text)}</p>' for text in section.paragraphs)
    return f"<ol>{rows}</ol>{legend}"


def _losses(section: Section) -> str:
    bars = ""
    for row in section.rows:
        bar = f'<span class="bar" style="height:{3 * row.bar:.2f}em"></span>'
        bars += f"<div>{escape(row.value)}{bar}{_inline(row.name)}</div>"
    return f'<div class="losses">{bars}</div>'


def _opening(section: Section) -> str:
    rolls, score, share = map(escape, section.heads)
    head = _row(("", ""), ("", ""), ("", ""), ("", rolls), ("n", score), ("n", share), tag="th")
    rows = ""
    for row in section.opening_rows:
        rows += _row(
            ("dice-cell", dice_picture([*row.sample]) if row.sample else ""),
            ("", escape(row.heading)),
            ("hold", escape(row.hold)),
            ("rolls", escape(row.rolls)),
            ("n", row.score),
            ("n", row.share),
        )
    return f'<table class="opening"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _odds(section: Section) -> str:
    box, chance, points = map(escape, section.heads)
    head = _row(("", box), ("n", chance), ("n", points), tag="th")
    tables = ""
    for part in column_groups(section.rows, COLUMNS):
        rows = "".join(
            _row(("", _inline(row.name)), ("n", row.value), ("n", row.points)) for row in part
        )
        tables += f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else ""
    return f'<div class="odds">{tables}</div>'


def guide_text(content: GuideContent, card: bool = False) -> str:
    """Return the guide as text, or only the card to carry.

    The card has prices, bonus, hold rules and what to give up.
    """
    title = content.card_title if card else content.title
    lines = [title, "=" * columns_of(title)]
    for text in content.lead:
        lines += ["", *_text_lines(text)]
    for name, section in content.sections.items():
        if not card or name in CARD_SECTIONS:
            lines += [
                "",
                section.title,
                "-" * columns_of(section.title),
                *_text_lines(section.note),
            ]
            body = [*TEXT_VIEWS[section.form](section)]
            lines += ["", *body] if section.note and body else body
    # No-break spaces only keep the lines from being broken at the wrong place.
    return "\n".join(line.rstrip() for line in lines).replace("\u00a0", " ") + "\n"


def _text_lines(
    text: Text | str, first: str = "", indent: str = "", width: int = WIDTH
) -> list[str]:
    return wrap(
        str(text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    )


def _bar_lines(section: Section) -> list[str]:
    rows = []
    for row in section.rows:
        length = max(1, round(BAR_COLUMNS * row.bar)) if row.bar > 0 else 0
        rows.append((str(row.name), row.value, "▇" * length))
    return columns(rows, "<", ">", "<")


def _row_lines(section: Section) -> Iterator[str]:
    for row in section.rows:
        yield from _text_lines(row.name, "  ", "    ")
    for paragraph in section.paragraphs:
        yield from _text_lines(paragraph, "  ", "  ")


def _rule_lines(section: Section) -> Iterator[str]:
    """Yield numbered sentences with a number at the right edge of their last line."""
    number_width = max((len(row.value) for row in section.rows), default=0)
    width = WIDTH - number_width - 2
    for number, row in enumerate(section.rows, start=1):
        lines = _text_lines(row.name, f"{number:>3} ", "    ", width)
        yield from lines[:-1]
        yield f"{left(lines[-1], width)}  {row.value:>{number_width}}"
    if section.paragraphs:
        yield ""
        yield from _row_lines(replace(section, rows=()))  # the paragraphs


def _opening_lines(section: Section) -> Iterator[str]:
    """Yield the patterns, and below each one its holds and rolls.

    Score and share are in two columns at the right.
    """
    _rolls, score, share = section.heads
    score_width = max(columns_of(score), *(len(row.score) for row in section.opening_rows))
    share_width = max(columns_of(share), *(len(row.share) for row in section.opening_rows))
    gap = "  "
    width = WIDTH - len(gap) - score_width - len(gap) - share_width  # of the holds and rolls
    yield gap.join((" " * width, right(score, score_width), right(share, share_width)))
    for row in section.opening_rows:
        if row.heading:
            yield f"  {row.heading}"
        first, *rest = _text_lines(
            f"{row.hold}: {row.rolls}", " " * ROLLS_INDENT, " " * (ROLLS_INDENT + 2), width
        )
        yield gap.join(
            (left(first, width), f"{row.score:>{score_width}}", f"{row.share:>{share_width}}")
        )
        yield from rest


def _odds_lines(section: Section) -> Iterator[str]:
    name_width = max(columns_of(str(row.name)) for row in section.rows)
    # The cells have equal lengths.
    cells = [
        f"{left(str(row.name), name_width)} {row.value:>7} {row.points:>5}" for row in section.rows
    ]
    n_columns = 2 if 2 * columns_of(cells[0]) + 6 <= WIDTH else 1
    for beside_each_other in zip_longest(*column_groups(cells, n_columns)):
        yield "  " + "    ".join(cell for cell in beside_each_other if cell)


TEXT_VIEWS: dict[str, Callable[[Section], Iterable[str]]] = {
    "prices": _bar_lines,
    "texts": _row_lines,
    "holds": _rule_lines,
    "losses": _bar_lines,
    "opening": _opening_lines,
    "odds": _odds_lines,
}
INLINE: dict[str, Callable[[Span], str]] = {
    "plain": lambda span: _escaped(span.text),
    "bold": lambda span: f"<b>{_escaped(span.text)}</b>",
    "dice": lambda span: dice_picture([(int(face), False) for face in span.text.split()]),
}
VIEWS: dict[str, Callable[[Section], str]] = {
    view.__name__[1:]: view for view in (_prices, _texts, _holds, _losses, _opening, _odds)
}
