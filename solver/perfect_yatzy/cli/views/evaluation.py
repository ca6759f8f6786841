"""The result of `yatzy evaluate` as text."""

from __future__ import annotations

from typing import Any

from ..._messages import _, ngettext, number_text
from ...game.rules import RuleSet
from ...strategy.tie_rules import TIE_RULES
from .answers import card_line
from .distribution import deviation_text, distribution_lines
from .wording import category_name, chance_text, columns, grouped, number_word, points_text

CONFIDENCE = 1.96  # standard errors on either side of a 95 % interval
LISTED = 8  # categories listed by their losses
BAR_WIDTH = 30


def evaluation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for an answer of :func:`perfect_yatzy.service.evaluate.run_evaluation`."""
    if "games" in answer:
        return _sampled_lines(rules, answer)
    mean = number_text(answer["mean"], 4)
    headline = _("{policy}: mean final score {mean}", policy=answer["title"], mean=mean)
    lines = [headline, "", card_line(rules, answer), _against_perfect(answer)]
    if against := answer.get("against"):
        chance = _(TIE_RULES[against["ties"]].chance, chance=chance_text(against["chance"]))  # marked elsewhere
        lines.append(_("Against {policy}: {chance}", policy=against["policy"], chance=chance))
    if "losses" in answer and answer["loss"] >= 0.005:
        lines += ["", *loss_lines(rules, answer["losses"])]
    if "distribution" in answer:
        return [*lines, "", *distribution_lines(rules, {"distribution": answer["distribution"]}, True)]
    return [*lines, deviation_text(number_text(answer["standard_deviation"], 2), "")]


def _against_perfect(answer: dict[str, Any]) -> str:
    perfect, loss = answer["perfect_mean"], answer["loss"]
    facts = {"best": number_text(perfect, 4), "loss": points_text(loss)}
    if loss < 0.00005:
        return _("Perfect play: {best}", **facts)
    if perfect <= 0:
        return _("Perfect play: {best}; {loss} points a game less", **facts)
    share = number_text(100 * answer["mean"] / perfect, 2)
    return _("Perfect play: {best}; {loss} points a game less, {share} % of it", **facts, share=share)


def _sampled_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    mean, plain_mean = _with_interval(answer, ""), _with_interval(answer, "plain_")
    headline = _(
        "{policy}: mean final score {mean}, luck removed", policy=answer.get("title", answer["policy"]), mean=mean
    )
    plain = ngettext("Plain mean of {count} game: {mean}", "Plain mean of {count} games: {mean}", answer["games"])
    lines = [headline, "", card_line(rules, answer), _against_perfect(answer)]
    lines.append(plain.format(count=grouped(answer["games"]), mean=plain_mean))
    return [*lines, "", *loss_lines(rules, answer["losses"])]


def _with_interval(answer: dict[str, Any], prefix: str) -> str:
    """A mean and its 95 % interval."""
    error = answer[f"{prefix}standard_error"]
    interval = "" if error is None else f" ± {number_text(CONFIDENCE * error, 2)} (95 %)"
    return f"{number_text(answer[f'{prefix}mean'], 2)}{interval}"


def loss_lines(rules: RuleSet, losses: dict[str, Any]) -> list[str]:
    """Where points are lost: by decision, by turn, and by the category that was filled."""
    total = sum(losses["holds"].values()) + losses["category"]
    lines = [_("Points lost a game: {points}", points=points_text(total))]
    for left, loss in sorted((-int(left), loss) for left, loss in losses["holds"].items()):
        count = number_word(-left)
        label = ngettext("hold, {count} reroll left", "hold, {count} rerolls left", -left, count=count)
        lines.append(f"  {label:<28}{points_text(loss):>8}")
    lines.append(f"  {_('category'):<28}{points_text(losses['category']):>8}")
    lines += ["", _("By turn")]
    most = max(losses["turns"])
    for turn, loss in enumerate(losses["turns"]):
        bar = "█" * round(BAR_WIDTH * loss / most) if most > 0 else ""
        lines.append(f"  {turn + 1:>2}  {points_text(loss):>6}  {bar}".rstrip())
    worst = sorted(losses["categories"].items(), key=lambda entry: -entry[1])[:LISTED]
    named = [(category_name(rules, category), points_text(loss)) for category, loss in worst if loss >= 0.005]
    if named:
        lines += ["", _("By the category that was filled instead of the best one")]
        lines += columns(named, "<", ">6")
    return lines
