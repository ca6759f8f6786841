"""A strategy guide on a sheet of paper: an HTML page without scripts or outside files, with a print style.

What to hold of every first roll (as a heat map: the darker the better the roll), which category to give up first, how
much a point in the upper section is worth, and what to hope for in a single turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ...game.dice import Floats, Ints
from ...game.notation import dice_of
from ...game.rules import RuleSet
from ...game.scorecard import State
from ...game.translations import ENGLISH
from ...strategy.actions import Hold
from ...strategy.category_odds import category_odds
from ...strategy.strategy import Strategy
from .text import chance_text

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; max-width: 62rem; margin: 1rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: .2rem 0; } h2 { font-size: 1.05rem; margin: 1rem 0 .3rem; }
.map { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.4rem, 1fr)); gap: 2px; }
.map div { padding: .1rem .25rem; border-radius: .2rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.map b { font-weight: 600; } .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 2rem; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .05rem .3rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } tr { border-bottom: 1px solid #8884; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: currentColor; }
@media print { body { font-size: 10pt; line-height: 1.25; margin: 0; max-width: none; } h2 { margin: 3mm 0 1mm; }
  .map { grid-template-columns: repeat(12, 1fr); font-size: 8.5pt; }
  .map div { print-color-adjust: exact; padding: 0 .1rem; }
  @page { size: A4; margin: 9mm; } }
"""


def opening_map(strategy: Strategy) -> str:
    """Best hold for every first roll; the colour is the expected final score."""
    grid, start = strategy.evaluator.dice, State()
    rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
    best: list[Hold] = [strategy.holds(start, dice)[0] for dice in rolls]
    values = np.array([hold.value for hold in best])
    ranks = values.argsort().argsort() / max(1, len(values) - 1)
    names = {c.id: c.code or c.name for c in strategy.rules.categories}
    taken = {hold.category for hold in best if hold.category}
    cells = []
    for dice, hold, rank in zip(rolls, best, ranks, strict=True):
        held = names[hold.category] if hold.category else "".join(map(str, hold.dice)) or "–"
        shade = f"background: rgb(70 130 190 / {0.06 + 0.5 * rank:.2f})"
        said = f"{''.join(map(str, dice))}: expected final score {hold.value:.1f}"
        cells.append(f'<div style="{shade}" title="{said}">{"".join(map(str, dice))} <b>{escape(held)}</b></div>')
    legend = [
        f"<b>{escape(c.code)}</b> {named(strategy.rules, c.name)}"
        for c in strategy.rules.categories
        if c.code and c.id in taken
    ]
    meaning = f"<p>Keep all and take: {', '.join(legend)}</p>" if legend else ""
    return f'<div class="map">{"".join(cells)}</div>{meaning}'


def named(rules: RuleSet, name: str) -> str:
    """A name as HTML, marked where it is of another language than the page."""
    return escape(name) if rules.language == ENGLISH else f'<span lang="{rules.language}">{escape(name)}</span>'


def rows(head: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> str:
    """A table of HTML whose first column is text and the others numbers."""

    def line(tag: str, cells: tuple[str, ...]) -> str:
        marks = ["", *[' class="n"'] * (len(cells) - 1)]
        return "<tr>" + "".join(f"<{tag}{m}>{c}</{tag}>" for c, m in zip(cells, marks, strict=True)) + "</tr>"

    return (
        f"<table><thead>{line('th', head)}</thead><tbody>{''.join(line('td', row) for row in body)}</tbody></table>"
    )


def giving_up(strategy: Strategy) -> str:
    """What it costs to cross a category out in the first turn, the cheapest first."""
    rules, start = strategy.rules, strategy.value(State())
    costs = sorted(
        (start - strategy.value(State(1 << c)), category.name) for c, category in enumerate(rules.categories)
    )
    return rows(("Crossed out first", "costs"), [(named(rules, name), f"{cost:.1f}") for cost, name in costs])


def hopes(rules: RuleSet) -> str:
    """Chances of each category in one turn played for it alone."""
    body = [
        (
            named(rules, rules.categories[rules.index_of[entry.category]].name),
            escape(chance_text(entry.chance)),
            f"{entry.expected_points:.1f}",
        )
        for entry in category_odds(rules, None, rules.rolls_per_turn - 1)
    ]
    return rows(("One turn for it alone", "chance", "points"), body)


def upper_curve(strategy: Strategy) -> str:
    """What is still to come against the upper sum, with the higher half of the upper section filled."""
    rules, space = strategy.rules, strategy.space
    half = [c for c in space.upper if rules.categories[c].face > rules.faces / 2]
    if not rules.bonus or not half or rules.order == "forced":
        return ""
    filled = sum(1 << c for c in half)
    chosen = space.layout.sets[space.row(State(filled))]
    sums = np.array([total for total in space.sums[chosen] if space.layout.lane_of[chosen, total] >= 0])
    values = np.array([strategy.value(State(filled, int(total))) for total in sums])
    names = ", ".join(named(rules, rules.categories[c].name) for c in half)
    return f"<h2>What the upper sum is worth ({names} filled)</h2>{curve(sums, values)}"


def curve(x: Ints, y: Floats, width: int = 640, height: int = 150) -> str:
    """A line with a few marks on both axes."""
    left, low, high = 40, float(y.min()), float(y.max())
    across = (x - x.min()) / max(1, x.max() - x.min()) * (width - left - 10) + left
    up = height - 20 - (y - low) / max(1e-9, high - low) * (height - 30)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True))
    marks = [
        f'<text x="{left - 4}" y="{b:.1f}" text-anchor="end">{v:.0f}</text>'
        for v, b in ((low, height - 20), (high, 14))
    ]
    step = max(1, len(x) // 10)
    marks += [
        f'<text x="{a:.1f}" y="{height - 4}" text-anchor="middle">{v}</text>'
        for v, a in zip(x[::step], across[::step], strict=True)
    ]
    label = f"Points to come from {low:.0f} at an upper sum of {x.min()} to {high:.0f} at {x.max()}"
    line = f'<polyline points="{points}" fill="none" stroke="#4477aa" stroke-width="2"/>'
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{line}{"".join(marks)}</svg>'


def guide(strategy: Strategy) -> str:
    """The page."""
    rules = strategy.rules
    title = f"{rules.name}: how to play"
    parts = [
        f"<h1>{named(rules, rules.name)}: how to play</h1>",
        f"<p>Perfect play scores {strategy.value():.2f} on average.",
    ]
    if rules.bonus:
        parts.append(f" Upper bonus {rules.bonus.points} at {rules.bonus.threshold}.")
    parts.append("</p>")
    if rules.rolls_per_turn > 1:
        parts.append(f"<h2>First turn, first roll: the roll, and what to hold of it</h2>{opening_map(strategy)}")
    second = hopes(rules)
    if rules.order == "free":
        parts.append(f'<div class="pair"><div><h2>Give up first</h2>{giving_up(strategy)}</div>')
        parts.append(f"<div><h2>What to hope for</h2>{second}</div></div>")
    else:
        parts.append(f"<h2>What to hope for</h2>{second}")
    parts.append(upper_curve(strategy))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n{''.join(parts)}\n</body></html>\n"
    )
