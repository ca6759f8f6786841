"""The result of `yatzy simulate` as text, with a histogram."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet
from .answers import approximate_lines, card_line
from .charts import histogram
from .distribution import category_lines, percentile_line
from .wording import chance_text


def simulation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for `yatzy simulate` from the answer of :func:`perfect_yatzy.service.simulate.run_simulation`."""
    one_game = answer["games"] == 1
    if one_game:
        headline = f"Final score {answer['highest']} in one game"
    else:
        mean, error = answer["mean"], answer["standard_error"]
        headline = f"Mean final score {mean:.2f} ± {error:.2f} (standard error) in {answer['games']:,} games"
    lines = [headline, "", card_line(rules, answer)]
    if "plain_mean" in answer and not one_game:
        lines.append(f"The luck of the dice is removed; the mean of the scores is {answer['plain_mean']:.2f}")
    if "reached" in answer:
        lines.append(_goal_line(answer))
    else:
        kind = "Estimate of the fitted values" if "approximate" in answer else "Exact expected final score"
        lines.append(f"{kind} {answer['expected_final_score']:.2f}")
    if one_game:
        return [*lines, "", *category_lines(rules, answer["categories"]), *approximate_lines(answer)]
    figures = f"Standard deviation {answer['standard_deviation']:.2f}"
    if rules.bonus:
        figures += f", upper bonus in {100 * answer['upper_bonus_chance']:.1f} % of the games"
    lines += [figures, percentile_line(answer["percentiles"])]
    lines += [f"Lowest {answer['lowest']}, highest {answer['highest']}", ""]
    lines += histogram(answer["lowest"], answer["chances"])
    return [*lines, "", *category_lines(rules, answer["categories"]), *approximate_lines(answer)]


def _goal_line(answer: dict[str, Any]) -> str:
    goal = answer["policy"].partition(":")[2]
    kind = "estimated" if "approximate" in answer else "exact"
    exact = f"{kind} chance {chance_text(answer['chance'])}"
    if answer["games"] == 1:
        return f"{goal} or more: {exact}"
    reached, error = 100 * answer["reached"], 100 * answer["reached_error"]
    return f"{goal} or more in {reached:.2f} ± {error:.2f} % of the games; {exact}"
