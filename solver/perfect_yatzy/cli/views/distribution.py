"""The distribution of the final score as text: standard deviation, percentiles, histogram, and each category."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet
from .charts import histogram
from .wording import category_name, chance_text


def distribution_lines(rules: RuleSet, answer: dict[str, Any], with_categories: bool) -> list[str]:
    """Lines about the exact distribution.

    Parameters
    ----------
    answer
        An answer of `yatzy expect` with the field ``distribution``.
    with_categories
        Add the mean points of each category.
    """
    distribution = answer["distribution"]
    lines = ["If you maximise the expected score:"] if "aim" in answer else []
    figures = f"Standard deviation {distribution['standard_deviation']:.2f}"
    if 0 < distribution["upper_bonus_chance"] < 1 - 1e-9:
        figures += f", upper bonus in {chance_text(distribution['upper_bonus_chance'])} of the games"
    lines += [figures, percentile_line(distribution["percentiles"]), ""]
    lines += histogram(distribution["lowest"], distribution["chances"])
    if with_categories:
        lines += ["", *category_lines(rules, distribution["categories"])]
    return lines


def percentile_line(percentiles: dict[str, float]) -> str:
    """Percentiles in one line; the keys are per cent, the values final scores."""
    return "Percentiles  " + "  ".join(f"{percent} %: {score:.0f}" for percent, score in percentiles.items())


def category_lines(rules: RuleSet, entries: list[dict[str, Any]]) -> list[str]:
    """A table of categories from entries with ``category, mean, crossed_out``: mean points, chance of a zero."""
    width = max(len(c.name) for c in rules.categories)
    lines = [f"  {'category':<{width}}  {'mean':>6}  {'crossed out':>11}"]
    for entry in entries:
        name = category_name(rules, entry["category"])
        lines.append(f"  {name:<{width}}  {entry['mean']:>6.2f}  {chance_text(entry['crossed_out']):>11}")
    return lines
