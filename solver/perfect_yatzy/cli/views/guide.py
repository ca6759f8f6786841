"""The guide as one HTML page without scripts or external files: two sheets of A4, or a card of A6 to carry.

Light type on white paper, black and one shade of green, so that it prints well without colours; on a screen it is a
page that fits a phone, dark where the reader prefers that.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import ceil

from .guide_content import GuideContent, OpeningRow, Section, column_groups, sheet_columns
from .words import Span, Text

# Pips of each face on a square of 30 units.
PIPS = {
    1: ((15, 15),),
    2: ((8, 8), (22, 22)),
    3: ((8, 8), (15, 15), (22, 22)),
    4: ((8, 8), (8, 22), (22, 8), (22, 22)),
    5: ((8, 8), (8, 22), (22, 8), (22, 22), (15, 15)),
    6: ((8, 7), (8, 15), (8, 23), (22, 7), (22, 15), (22, 23)),
}
# The size of the type is estimated with wide letters: a browser breaks the lines, in a font that is not known here.
SIZES = tuple(size / 10 for size in range(98, 74, -2))  # points, of A4; a card has CARD_SCALE of it
CARD_SCALE = 0.8
LINES, CARD_LINES = 61.0, 37.0  # of a sheet, at the largest size
LEFT, RIGHT, WHOLE, CARD_WIDTH = 37, 53, 96, 58  # letters of a line in a column, at the largest size
UNLEARNED, SECOND = ("give_up", "opening", "odds"), ("opening", "odds")
HOLD, ROLLS = 20, 24  # letters of a line in the columns of the opening rolls

STYLE = """
:root { --ink: #16201c; --soft: #4d5954; --line: #d5dcd9; --tint: #eef3f1; --bar: #7fb5a0; --paper: #fff; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 "Segoe UI", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
h1 { font-size: 1.75em; font-weight: 600; line-height: 1.15; margin: 0 0 .2em; }
h2 { font-size: 1.08em; font-weight: 600; margin: 1.1em 0 .3em; break-after: avoid; }
p { margin: 0 0 .4em; } .lead { color: var(--soft); } .note { color: var(--soft); font-size: .9em; }
b { font-weight: 600; } .lead b { color: var(--ink); }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid var(--line); padding: .16em .3em; text-align: left; vertical-align: top; }
th { color: var(--soft); font-size: .85em; font-weight: 400; }
.n { text-align: right; white-space: nowrap; } td.n { font-weight: 600; } .opening td.n { font-weight: 400; }
.prices td:nth-child(2) { width: 42%; vertical-align: middle; }
.bar { background: var(--bar); border-radius: .2em; display: block; height: .5em; min-width: 2px; }
ol { list-style: none; margin: 0; padding: 0; }
ol li { border-bottom: 1px solid var(--line); display: flex; gap: .6em; padding: .14em 0; break-inside: avoid; }
ol li > :first-child { color: var(--soft); flex: none; text-align: right; width: 1.5em; }
ol li > :nth-child(2) { flex: 1; } ol li > :nth-child(3) { color: var(--soft); flex: none; }
.box { background: var(--tint); border-radius: .5em; margin-top: 1em; padding: .5em .8em .4em; break-inside: avoid; }
.box h2 { margin-top: 0; }
.cols { display: grid; gap: 0 2.4em; grid-template-columns: 43fr 57fr; }
.odds { align-items: start; display: grid; gap: 0 2em; }
.cols > div > :first-child { margin-top: .6em; }
.dice { display: inline-block; vertical-align: -.18em; white-space: nowrap; }
.dice svg { height: 1.15em; margin-right: .1em; width: 1.15em; fill: none; stroke: var(--ink); stroke-width: 1.6; }
.dice circle { fill: var(--ink); stroke: none; } .dice text { fill: var(--ink); font-size: 20px; stroke: none; }
.dice .h rect { fill: var(--ink); } .dice .h circle, .dice .h text { fill: var(--paper); }
.opening td { padding: .22em .3em; } .opening .dice svg { height: 1.2em; width: 1.2em; }
.opening .rolls { color: var(--soft); font-size: .92em; } .opening td:first-child { white-space: nowrap; }
.opening td:nth-child(2) { width: 18%; } .opening td:nth-child(3) { width: 23%; }
.opening tr { break-inside: avoid; } .opening .hold { font-weight: 600; }
.losses { align-items: flex-end; display: flex; gap: .5em; height: 5.2em; }
.losses div { flex: 1; font-size: .8em; text-align: center; color: var(--soft); }
.losses .bar { margin: 0 auto; width: 100%; }
@media (max-width: 45rem) {
  .cols { grid-template-columns: 1fr; }
  .opening thead { display: none; } .opening td { border: 0; display: inline; padding: 0 .3em 0 0; }
  .opening tr { border-bottom: 1px solid var(--line); display: block; padding: .3em 0; }
  .opening td.dice-cell { display: block; } .losses { gap: .15em; } .losses div { font-size: .6em; }
}
@media (min-width: 45.01rem) { .odds { grid-template-columns: repeat(3, 1fr); } }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8eeeb; --soft: #a7b3ae; --line: #38423e; --tint: #222b28; --bar: #4f8e77; --paper: #151a18; }
  :root { color-scheme: dark; }
}
@page { size: A4; margin: 11mm 13mm; }
@media print {
  body { line-height: 1.32; max-width: none; padding: 0; } .sheet { font-size: var(--type); }
  .sheet + .sheet { break-before: page; } .cols { grid-template-columns: 43fr 57fr; gap: 0 7mm; }
  .odds { grid-template-columns: repeat(3, 1fr); }
}
"""
CARD_STYLE = """
body.card { max-width: 32rem; } .card .prices, .card .prices tbody { display: block; }
.card .prices tbody { columns: 2; column-gap: 1.6em; }
.card .prices tr { display: flex; break-inside: avoid; } .card .prices td { flex: 1; }
.card .prices td:nth-child(2) { display: none; }
@page { size: 105mm 148mm; margin: 6mm; }
@media print { body.card { line-height: 1.25; } .card h1 { font-size: 1.4em; } }
"""


def guide_html(content: GuideContent, card: bool = False) -> str:
    """The guide as a page, or only the card to carry: prices and bonus on one side, hold rules on the other."""
    title = content.card_title if card else content.title
    sheets = _card_sheets(content) if card else _guide_sheets(content)
    head = [f"<h1>{escape(title)}</h1>", *(f'<p class="lead">{_inline(text)}</p>' for text in content.lead)]
    body = "".join(
        f'<div class="sheet" style="--type: {size:.1f}pt">{"".join(head) if first else ""}{html}</div>\n'
        for first, size, html in ((i == 0, *sheet) for i, sheet in enumerate(sheets))
    )
    return (
        f'<!doctype html>\n<html lang="{content.words.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{CARD_STYLE if card else ''}</style></head>\n"
        f"<body{_class('card' if card else '')}>\n{body}</body></html>\n"
    )


def _guide_sheets(content: GuideContent) -> list[tuple[float, str]]:
    """Size of the type and HTML of each sheet: the learned strategy, if there is one, and what always is known."""
    if "prices" not in content.sections:
        return [(_size(content, [(UNLEARNED, WHOLE)], LINES - 5), _sections(content, *UNLEARNED))]
    columns = sheet_columns(content)
    left, right = (_sections(content, *names) for names in columns)
    first = f'<div class="cols"><div>{left}</div><div>{right}</div></div>{_sections(content, "losses")}'
    lines = LINES - 4 - (9 if "losses" in content.sections else 0)
    size = _size(content, [(columns[0], LEFT), (columns[1], RIGHT)], lines)
    return [(size, first), (_size(content, [(SECOND, WHOLE)], LINES), _sections(content, *SECOND))]


def _card_sheets(content: GuideContent) -> list[tuple[float, str]]:
    """The two sides of the card."""
    sides = [(("prices", "bonus"), CARD_LINES - 5), (("holds",), CARD_LINES)]
    return [
        (CARD_SCALE * _size(content, [(names, CARD_WIDTH)], lines), html)
        for names, lines in sides
        if (html := _sections(content, *names))
    ]


def _size(content: GuideContent, columns: list[tuple[tuple[str, ...], int]], lines: float) -> float:
    """The largest size of type at which columns of sections fit, in points; the smallest if none does.

    Parameters
    ----------
    columns
        Ids of the sections below each other, and the letters of a line at the largest size.
    lines
        Lines there is space for at the largest size.
    """

    def fits(size: float) -> bool:
        scale = size / SIZES[0]
        longest = max(
            sum(_lines(content, content.sections[name], width / scale) for name in names if name in content.sections)
            for names, width in columns
        )
        return longest <= lines / scale

    return next((size for size in SIZES if fits(size)), SIZES[-1])


def _lines(content: GuideContent, section: Section, width: float) -> float:
    """Lines that a section takes, about, if a line has so many letters."""
    count = 2.6 + 0.9 * _wrapped(section.note, width)
    if section.id == "opening":
        scale = width / WHOLE
        columns = ((row.hold, HOLD, row.rolls, ROLLS) for row in content.opening)
        return (
            count
            + 1
            + sum(0.45 + max(_wrapped(hold, h * scale), _wrapped(rolls, r * scale)) for hold, h, rolls, r in columns)
        )
    if section.id == "odds":
        return count + 1.4 * (len(section.rows) / 3 + 2)
    if section.id == "prices":
        return count + 1.28 * len(section.rows) / (2 if width < WHOLE and width >= CARD_WIDTH else 1)
    rows = sum(0.3 + _wrapped(row.name, width) for row in section.rows)
    return count + rows + sum(0.35 + _wrapped(text, width) for text in section.paragraphs)


def _wrapped(text: Text | str, width: float) -> int:
    """Lines of a text of so many letters a line."""
    return ceil(len(str(text)) / width)


def _sections(content: GuideContent, *names: str) -> str:
    return "".join(_section(content, content.sections[name]) for name in names if name in content.sections)


def _section(content: GuideContent, section: Section) -> str:
    note = f'<p class="note">{_inline(section.note)}</p>' if section.note else ""
    if section.id == "opening" and any(row.sample for row in content.opening):
        note = note.replace("</p>", f" {escape(content.words.words('opening.held'))}</p>")
    inner = f"<h2>{escape(section.title)}</h2>{note}{VIEWS[section.id](content, section)}"
    return f"<section{_class('box' if section.id in ('bonus', 'give_up') else '')}>{inner}</section>"


def _class(name: str) -> str:
    """A class attribute; nothing without a name."""
    return f' class="{name}"' if name else ""


def _inline(text: Text) -> str:
    return "".join(INLINE[span.kind](span) for span in text.spans)


def _escaped(text: str) -> str:
    """Text as HTML; a range such as 3–6 is not broken."""
    return escape(text).replace("–", "\u2060–\u2060")


def _dice(faces: list[tuple[int, bool]]) -> str:
    """Dice as pictures; those that are held are dark."""
    drawn = []
    for face, held in faces:
        if face in PIPS:
            inner = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in PIPS[face])
        else:
            inner = f'<text x="15" y="22" text-anchor="middle">{face}</text>'
        rect = '<rect x="1" y="1" width="28" height="28" rx="6"/>'
        drawn.append(f'<svg viewBox="0 0 30 30"{_class("h" if held else "")}>{rect}{inner}</svg>')
    label = " ".join(str(face) for face, _ in faces)
    return f'<span class="dice" role="img" aria-label="{label}">{"".join(drawn)}</span>'


INLINE: dict[str, Callable[[Span], str]] = {
    "plain": lambda span: _escaped(span.text),
    "bold": lambda span: f"<b>{_escaped(span.text)}</b>",
    "dice": lambda span: _dice([(int(face), False) for face in span.text.split()]),
}


def _prices(content: GuideContent, section: Section) -> str:
    rows = (
        f'<tr><td>{_inline(row.name)}</td><td><span class="bar" style="width:{100 * row.bar:.1f}%"></span></td>'
        f'<td class="n">{escape(row.value)}</td></tr>'
        for row in section.rows
    )
    return f'<table class="prices"><tbody>{"".join(rows)}</tbody></table>'


def _paragraphs(content: GuideContent, section: Section) -> str:
    return "".join(f"<p>{_inline(text)}</p>" for text in section.paragraphs)


def _holds(content: GuideContent, section: Section) -> str:
    rows = (
        f"<li><span>{number}</span><span>{_inline(row.name)}</span><span>{escape(row.value)}</span></li>"
        for number, row in enumerate(section.rows, start=1)
    )
    return f"<ol>{''.join(rows)}</ol>" if section.rows else ""


def _give_up(content: GuideContent, section: Section) -> str:
    stages = "".join(f"<p>{_inline(row.name)}</p>" for row in section.rows)
    return stages + _paragraphs(content, section)


def _losses(content: GuideContent, section: Section) -> str:
    bars = (
        f'<div>{escape(row.value)}<span class="bar" style="height:{3 * row.bar:.2f}em"></span>'
        f"{_inline(row.name)}</div>"
        for row in section.rows
    )
    return f'<div class="losses">{"".join(bars)}</div>'


def _opening(content: GuideContent, section: Section) -> str:
    words = content.words
    head = ("", "", "", "rolls", "score", "share")
    cells = (
        f"<th{_class('n' if name in ('score', 'share') else '')}>"
        f"{escape(words.words(f'opening.{name}')) if name else ''}</th>"
        for name in head
    )
    before, rows = "", []
    for row in content.opening:
        rows.append(_opening_row(row, row.pattern != before))
        before = row.pattern
    return f'<table class="opening"><thead><tr>{"".join(cells)}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _opening_row(row: OpeningRow, first: bool) -> str:
    dice = _dice([*row.sample]) if row.sample else ""
    pattern = escape(row.pattern[:1].upper() + row.pattern[1:]) if first else ""
    return (
        f'<tr><td class="dice-cell">{dice}</td><td>{pattern}</td><td class="hold">{escape(row.hold)}</td>'
        f'<td class="rolls">{escape(row.rolls)}</td><td class="n">{row.score}</td><td class="n">{row.share}</td></tr>'
    )


def _odds(content: GuideContent, section: Section) -> str:
    words = content.words
    head = "".join(
        f"<th{_class('n' if name != 'box' else '')}>{escape(words.words(f'odds.{name}'))}</th>"
        for name in ("box", "chance", "points")
    )
    tables = []
    for part in column_groups(len(section.rows), 3):
        rows = ""
        for row in section.rows[part]:
            chance, points = row.value.split("|")
            rows += f'<tr><td>{_inline(row.name)}</td><td class="n">{chance}</td><td class="n">{points}</td></tr>'
        if rows:
            tables.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return f'<div class="odds">{"".join(tables)}</div>'


VIEWS: dict[str, Callable[[GuideContent, Section], str]] = {
    "prices": _prices,
    "bonus": _paragraphs,
    "holds": _holds,
    "give_up": _give_up,
    "examples": _paragraphs,
    "losses": _losses,
    "opening": _opening,
    "odds": _odds,
}
