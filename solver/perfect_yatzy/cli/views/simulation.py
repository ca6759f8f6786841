"""The result of `yatzy simulate` as text, with a histogram."""

from __future__ import annotations

from typing import Any

from ..._messages import _, number_text
from ...game.rules import RuleSet
from .answers import approximate_lines, card_line
from .charts import histogram
from .distribution import category_lines, deviation_text, percentile_line
from .wording import chance_text


def simulation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for `yatzy simulate` from the answer of :func:`perfect_yatzy.service.simulate.run_simulation`."""
    one_game = answer["games"] == 1
    if one_game:
        headline = _("Final score {points} in one game").format(points=answer["highest"])
    else:
        mean, error = answer["mean"], answer["standard_error"]
        headline = _("Mean final score {mean} ± {error} (standard error) in {games} games").format(
            mean=number_text(mean, 2),
            error=number_text(error, 2),
            games=number_text(answer["games"], grouped=True),
        )
    lines = [headline, "", card_line(rules, answer)]
    if "plain_mean" in answer and not one_game:
        luck = _("The luck of the dice is removed; the mean of the scores is {mean}")
        lines.append(luck.format(mean=number_text(answer["plain_mean"], 2)))
    if "reached" in answer:
        lines.append(_goal_line(answer))
    else:
        sentence = (
            _("Estimate of the fitted values {points}")
            if "approximate" in answer
            else _("Exact expected final score {points}")
        )
        lines.append(sentence.format(points=number_text(answer["expected_final_score"], 2)))
    if one_game:
        return [*lines, "", *category_lines(rules, answer["categories"]), *approximate_lines(answer)]
    figures = deviation_text(
        number_text(answer["standard_deviation"], 2),
        f"{number_text(100 * answer['upper_bonus_chance'], 1)} %" if rules.bonus else "",
    )
    lines += [figures, percentile_line(answer["percentiles"])]
    ends = _("Lowest {lowest}, highest {highest}")
    lines += [ends.format(lowest=answer["lowest"], highest=answer["highest"]), ""]
    lines += histogram(answer["lowest"], answer["chances"])
    return [*lines, "", *category_lines(rules, answer["categories"]), *approximate_lines(answer)]


def _goal_line(answer: dict[str, Any]) -> str:
    goal, estimated = answer["policy"].partition(":")[2], "approximate" in answer
    chance = chance_text(answer["chance"])
    if answer["games"] == 1:
        sentence = (
            _("{goal} or more: estimated chance {chance}")
            if estimated
            else _("{goal} or more: exact chance {chance}")
        )
        return sentence.format(goal=goal, chance=chance)
    sentence = (
        _("{goal} or more in {share} ± {error} % of the games; estimated chance {chance}")
        if estimated
        else _("{goal} or more in {share} ± {error} % of the games; exact chance {chance}")
    )
    share, error = number_text(100 * answer["reached"], 2), number_text(100 * answer["reached_error"], 2)
    return sentence.format(goal=goal, share=share, error=error, chance=chance)
