"""The distribution of the final score as text: standard deviation, percentiles, histogram, and each category."""

from __future__ import annotations

from typing import Any

from ..._messages import _, number_text
from ...game.rules import RuleSet
from .charts import histogram
from .wording import category_name, chance_text, columns, names_width


def distribution_lines(rules: RuleSet, answer: dict[str, Any], with_categories: bool) -> list[str]:
    """Lines about the exact distribution in an answer of `yatzy expect`; also about each category if wanted."""
    distribution = answer["distribution"]
    lines = [_("If you maximise the expected score:")] if "aim" in answer else []
    bonus = distribution["upper_bonus_chance"]
    chance = chance_text(bonus) if 0 < bonus < 1 - 1e-9 else ""
    lines.append(deviation_text(number_text(distribution["standard_deviation"], 2), chance))
    lines += [percentile_line(distribution["percentiles"]), ""]
    lines += histogram(distribution["lowest"], distribution["chances"])
    return [*lines, "", *category_lines(rules, distribution["categories"])] if with_categories else lines


def simulated_figures(rules: RuleSet, answer: dict[str, Any], decimals: int) -> list[str]:
    """The standard deviation, the upper bonus and the percentiles of simulated games."""
    chance = f"{number_text(100 * answer['upper_bonus_chance'], 1)} %" if rules.bonus else ""
    deviation = number_text(answer["standard_deviation"], decimals)
    return [deviation_text(deviation, chance), percentile_line(answer["percentiles"])]


def deviation_text(deviation: str, bonus_chance: str) -> str:
    """The standard deviation, and the chance of the upper bonus unless it is empty."""
    if not bonus_chance:
        return _("Standard deviation {deviation}", deviation=deviation)
    sentence = _("Standard deviation {deviation}, upper bonus in {chance} of the games")
    return sentence.format(deviation=deviation, chance=bonus_chance)


def percentile_line(percentiles: dict[str, float]) -> str:
    """Percentiles in one line; the keys are per cent, the values final scores."""
    return _("Percentiles") + "  " + "  ".join(f"{percent} %: {score:.0f}" for percent, score in percentiles.items())


def category_lines(rules: RuleSet, entries: list[dict[str, Any]]) -> list[str]:
    """A table of categories from entries with ``category, mean, crossed_out``: mean points, chance of a zero."""
    rows = [(_("category"), _("mean"), _("crossed out"))]
    for entry in entries:
        name = category_name(rules, entry["category"])
        rows.append((name, number_text(entry["mean"], 2), chance_text(entry["crossed_out"])))
    return columns(rows, f"<{names_width(rules)}", ">6", ">11")
