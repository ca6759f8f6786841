"""The results of `yatzy simulate` and `yatzy positions` as text."""

from __future__ import annotations

from typing import Any

from ..._messages import _, ngettext, number_text
from ...game.rules import RuleSet
from .answers import approximate_lines, card_line
from .charts import histogram
from .distribution import category_lines, simulated_figures
from .wording import chance_text, decimal_text, grouped


def simulation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for `yatzy simulate` from the answer of :func:`perfect_yatzy.service.simulate.run_simulation`."""
    one_game = answer["games"] == 1
    if one_game:
        headline = _("Final score {points} in one game", points=answer["highest"])
    else:
        mean, error = number_text(answer["mean"], 2), number_text(answer["standard_error"], 2)
        text = _("Mean final score {mean} ± {error} (standard error) in {games} games")
        headline = text.format(mean=mean, error=error, games=grouped(answer["games"]))
    lines = [headline, "", card_line(rules, answer)]
    if "plain_mean" in answer and not one_game:
        text = _("The luck of the dice is removed; the mean of the scores is {mean}")
        lines.append(text.format(mean=number_text(answer["plain_mean"], 2)))
    if "reached" in answer:
        lines.append(_goal_line(answer))
    elif "perfect_mean" in answer:
        lines.append(_("Perfect play: {best}", best=number_text(answer["perfect_mean"], 2)))
    else:
        text = _("Exact expected final score {points}")
        if "approximate" in answer:
            text = _("Estimate of the fitted values {points}")
        lines.append(text.format(points=number_text(answer["expected_final_score"], 2)))
    if not one_game:
        lines += simulated_figures(rules, answer, 2)
        lines += [_("Lowest {lowest}, highest {highest}", lowest=answer["lowest"], highest=answer["highest"]), ""]
        lines += histogram(answer["lowest"], answer["chances"])
    return [*lines, "", *category_lines(rules, answer["categories"]), *approximate_lines(answer)]


def _goal_line(answer: dict[str, Any]) -> str:
    estimated = "approximate" in answer
    facts = {"goal": answer["policy"].partition(":")[2], "chance": chance_text(answer["chance"])}
    if answer["games"] == 1:
        text = _("{goal} or more: exact chance {chance}")
        return (_("{goal} or more: estimated chance {chance}") if estimated else text).format(**facts)
    text = _("{goal} or more in {share} ± {error} % of the games; exact chance {chance}")
    if estimated:
        text = _("{goal} or more in {share} ± {error} % of the games; estimated chance {chance}")
    share, error = number_text(100 * answer["reached"], 2), number_text(100 * answer["reached_error"], 2)
    return text.format(**facts, share=share, error=error)


def position_lines(rules: RuleSet, answer: dict[str, Any], path: str) -> list[str]:
    """Lines for `yatzy positions` from the answer of :func:`perfect_yatzy.service.simulate.run_positions`."""
    rows, decisions, games = answer["rows"], answer["positions"], answer["games"]
    written = ngettext("Wrote {count} position to {path}", "Wrote {count} positions to {path}", rows)
    played = ngettext(
        "{decisions} decisions of {count} game, seed {seed}",
        "{decisions} decisions of {count} games, seed {seed}",
        games,
    )
    lines = [written.format(count=grouped(rows), path=path), "", card_line(rules, answer)]
    lines.append(played.format(decisions=grouped(decisions), count=grouped(games), seed=answer["seed"]))
    shares = [
        _("{share} % with {count} left", share=number_text(100 * number / decisions, 1), count=left)
        for left, number in answer["rolls_left"].items()
        if number
    ]
    lines.append(_("Rerolls: {shares}", shares=", ".join(reversed(shares))))
    if answer["exploration"]:
        chance = decimal_text(answer["exploration"])
        lines.append(_("A random legal action is taken with chance {chance}", chance=chance))
    return lines
