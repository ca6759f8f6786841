"""A strategy guide to print: one HTML page without scripts or external files, with a style for print.

Its parts: the best hold for every first roll, as a heat map (the darker the higher the expected score); the cost of
crossing out each category first; the expected points remaining by upper sum; the chance of each category in one turn.
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
from .wording import chance_text

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
    """Best hold for every first roll; the colour shows the rank of its expected final score."""
    grid, start = strategy.evaluator.dice, State()
    rolls = [dice_of(counts) for counts in grid.counts[grid.first_roll :].tolist()]
    best: list[Hold] = [strategy.holds(start, dice)[0] for dice in rolls]
    values = np.array([hold.value for hold in best])
    ranks = values.argsort().argsort() / max(1, len(values) - 1)
    codes = {c.id: c.code or c.name for c in strategy.rules.categories}
    taken = {hold.category for hold in best if hold.category}
    cells = []
    for dice, hold, rank in zip(rolls, best, ranks, strict=True):
        held = codes[hold.category] if hold.category else "".join(map(str, hold.dice)) or "–"
        shade = f"background: rgb(70 130 190 / {0.06 + 0.5 * rank:.2f})"
        roll = "".join(map(str, dice))
        tooltip = f"{roll}: expected final score {hold.value:.1f}"
        cells.append(f'<div style="{shade}" title="{tooltip}">{roll} <b>{escape(held)}</b></div>')
    legend = [
        f"<b>{escape(c.code)}</b> {name_html(strategy.rules, c.name)}"
        for c in strategy.rules.categories
        if c.code and c.id in taken
    ]
    key = f"<p>Keep all dice and take: {', '.join(legend)}</p>" if legend else ""
    return f'<div class="map">{"".join(cells)}</div>{key}'


def name_html(rules: RuleSet, name: str) -> str:
    """A name as HTML, with a language attribute unless it is English like the page."""
    return escape(name) if rules.language == ENGLISH else f'<span lang="{rules.language}">{escape(name)}</span>'


def table_html(head: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> str:
    """An HTML table from cells of HTML; the first column is text, the others are numbers."""

    def row(tag: str, cells: tuple[str, ...]) -> str:
        classes = ["", *[' class="n"'] * (len(cells) - 1)]
        return "<tr>" + "".join(f"<{tag}{c}>{cell}</{tag}>" for cell, c in zip(cells, classes, strict=True)) + "</tr>"

    return (
        f"<table><thead>{row('th', head)}</thead><tbody>{''.join(row('td', cells) for cells in body)}</tbody></table>"
    )


def crossing_out_costs(strategy: Strategy) -> str:
    """The cost of crossing out each category in the first turn, the lowest first."""
    rules, start = strategy.rules, strategy.value(State())
    costs = sorted(
        (start - strategy.value(State(1 << c)), category.name) for c, category in enumerate(rules.categories)
    )
    return table_html(
        ("Crossed out first", "costs"), [(name_html(rules, name), f"{cost:.1f}") for cost, name in costs]
    )


def category_chances(rules: RuleSet) -> str:
    """Chance and expected points of each category in one turn that is played for that category alone."""
    body = [
        (
            name_html(rules, rules.categories[rules.index_of[entry.category]].name),
            escape(chance_text(entry.chance)),
            f"{entry.expected_points:.1f}",
        )
        for entry in category_odds(rules, None, rules.rolls_per_turn - 1)
    ]
    return table_html(("One turn for this category alone", "chance", "points"), body)


def upper_sum_curve(strategy: Strategy) -> str:
    """Expected points remaining by upper sum, when the higher half of the upper section is filled; may be empty."""
    rules, space = strategy.rules, strategy.space
    half = [c for c in space.upper if rules.categories[c].face > rules.faces / 2]
    if not rules.bonus or not half or rules.order == "forced":
        return ""
    filled = sum(1 << c for c in half)
    sums_index = space.layout.lane_sets[space.row(State(filled))]
    sums = np.array([total for total in space.sums[sums_index] if space.layout.lane_of[sums_index, total] >= 0])
    values = np.array([strategy.value(State(filled, int(total))) for total in sums])
    names = ", ".join(name_html(rules, rules.categories[c].name) for c in half)
    return f"<h2>Expected points remaining by upper sum ({names} filled)</h2>{line_chart(sums, values)}"


def line_chart(x: Ints, y: Floats, width: int = 640, height: int = 150) -> str:
    """An SVG line with labels at both ends of the vertical axis and at about ten places of the horizontal one."""
    left, low, high = 40, float(y.min()), float(y.max())
    columns = (x - x.min()) / max(1, x.max() - x.min()) * (width - left - 10) + left
    heights = height - 20 - (y - low) / max(1e-9, high - low) * (height - 30)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(columns, heights, strict=True))
    labels = [
        f'<text x="{left - 4}" y="{b:.1f}" text-anchor="end">{value:.0f}</text>'
        for value, b in ((low, height - 20), (high, 14))
    ]
    step = max(1, len(x) // 10)
    labels += [
        f'<text x="{a:.1f}" y="{height - 4}" text-anchor="middle">{value}</text>'
        for value, a in zip(x[::step], columns[::step], strict=True)
    ]
    summary = f"From {low:.0f} points at an upper sum of {x.min()} to {high:.0f} at {x.max()}"
    line = f'<polyline points="{points}" fill="none" stroke="#4477aa" stroke-width="2"/>'
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{summary}">{line}{"".join(labels)}</svg>'


def guide_html(strategy: Strategy) -> str:
    """The page."""
    rules = strategy.rules
    title = f"{rules.name}: strategy guide"
    parts = [
        f"<h1>{name_html(rules, rules.name)}: strategy guide</h1>",
        f"<p>Perfect play scores {strategy.value():.2f} on average.",
    ]
    if rules.bonus:
        parts.append(f" Upper bonus {rules.bonus.points} at {rules.bonus.threshold}.")
    parts.append("</p>")
    if rules.rolls_per_turn > 1:
        parts.append(f"<h2>First turn, first roll: the roll and the dice to hold</h2>{opening_map(strategy)}")
    chances = f"<h2>Chances in one turn</h2>{category_chances(rules)}"
    if rules.order == "free":
        costs = f"<h2>What to cross out first</h2>{crossing_out_costs(strategy)}"
        parts.append(f'<div class="pair"><div>{costs}</div><div>{chances}</div></div>')
    else:
        parts.append(chances)
    parts.append(upper_sum_curve(strategy))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n{''.join(parts)}\n</body></html>\n"
    )
