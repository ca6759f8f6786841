"""The distribution of the final score as text: standard deviation, percentiles, histogram, and each category."""

from __future__ import annotations

from typing import Any

from ..._messages import _, number_text
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
    lines = [_("If you maximise the expected score:")] if "aim" in answer else []
    bonus = distribution["upper_bonus_chance"]
    figures = deviation_text(
        number_text(distribution["standard_deviation"], 2), chance_text(bonus) if 0 < bonus < 1 - 1e-9 else ""
    )
    lines += [figures, percentile_line(distribution["percentiles"]), ""]
    lines += histogram(distribution["lowest"], distribution["chances"])
    if with_categories:
        lines += ["", *category_lines(rules, distribution["categories"])]
    return lines


def deviation_text(deviation: str, bonus_chance: str) -> str:
    """The standard deviation, and the chance of the upper bonus unless it is empty."""
    if not bonus_chance:
        return _("Standard deviation {deviation}").format(deviation=deviation)
    sentence = _("Standard deviation {deviation}, upper bonus in {chance} of the games")
    return sentence.format(deviation=deviation, chance=bonus_chance)


def percentile_line(percentiles: dict[str, float]) -> str:
    """Percentiles in one line; the keys are per cent, the values final scores."""
    return _("Percentiles") + "  " + "  ".join(f"{percent} %: {score:.0f}" for percent, score in percentiles.items())


def category_lines(rules: RuleSet, entries: list[dict[str, Any]]) -> list[str]:
    """A table of categories from entries with ``category, mean, crossed_out``: mean points, chance of a zero."""
    width = max(len(c.name) for c in rules.categories)
    category, mean, crossed_out = _("category"), _("mean"), _("crossed out")
    lines = [f"  {category:<{width}}  {mean:>6}  {crossed_out:>11}"]
    for entry in entries:
        name = category_name(rules, entry["category"])
        lines.append(
            f"  {name:<{width}}  {number_text(entry['mean'], 2):>6}  {chance_text(entry['crossed_out']):>11}"
        )
    return lines
