"""The result of `yatzy evaluate` as text."""

from __future__ import annotations

from typing import Any

from ...game.rules import RuleSet
from .answers import card_line
from .distribution import distribution_lines
from .wording import category_name, plural, points_text

CONFIDENCE = 1.96  # standard errors on either side of a 95 % interval
LISTED = 8  # categories listed by their losses
BAR_WIDTH = 30


def evaluation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Lines for an answer of :func:`perfect_yatzy.service.evaluate.run_evaluation`."""
    if "games" in answer:
        return _sampled_lines(rules, answer)
    headline = f"{answer['title']}: mean final score {answer['mean']:.4f}"
    lines = [headline, "", card_line(rules, answer), _against_perfect(answer)]
    if "losses" in answer and answer["loss"] >= 0.005:
        lines += ["", *loss_lines(rules, answer["losses"])]
    if "distribution" in answer:
        return [*lines, "", *distribution_lines(rules, {"distribution": answer["distribution"]}, True)]
    return [*lines, f"Standard deviation {answer['standard_deviation']:.2f}"]


def _against_perfect(answer: dict[str, Any]) -> str:
    perfect, loss = answer["perfect_mean"], answer["loss"]
    if loss < 0.00005:
        return f"Perfect play: {perfect:.4f}"
    share = f", {100 * answer['mean'] / perfect:.2f} % of it" if perfect > 0 else ""
    return f"Perfect play: {perfect:.4f}; {points_text(loss)} points a game less{share}"


def _sampled_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    games = f"{answer['games']:,} game{'s' if answer['games'] > 1 else ''}"
    lines = [f"{answer['policy']}: mean final score {_with_interval(answer, '')}, luck removed", ""]
    lines += [card_line(rules, answer), _against_perfect(answer)]
    lines.append(f"Plain mean of {games}: {_with_interval(answer, 'plain_')}")
    return [*lines, "", *loss_lines(rules, answer["losses"])]


def _with_interval(answer: dict[str, Any], prefix: str) -> str:
    """A mean and its 95 % interval."""
    error = answer[f"{prefix}standard_error"]
    interval = "" if error is None else f" ± {CONFIDENCE * error:.2f}"
    return f"{answer[f'{prefix}mean']:.2f}{interval}"


def loss_lines(rules: RuleSet, losses: dict[str, Any]) -> list[str]:
    """Where points are lost: by decision, by turn, and by the category that was filled."""
    holds = sorted(losses["holds"].items(), key=lambda entry: -int(entry[0]))
    total = sum(losses["holds"].values()) + losses["category"]
    lines = [f"Points lost a game: {points_text(total)}"]
    for left, loss in holds:
        lines.append(f"  {'hold, ' + plural(int(left), 'reroll') + ' left':<28}{points_text(loss):>8}")
    lines.append(f"  {'category':<28}{points_text(losses['category']):>8}")
    if "turns" in losses:
        lines += ["", "By turn"]
        most = max(losses["turns"])
        for turn, loss in enumerate(losses["turns"]):
            bar = "█" * round(BAR_WIDTH * loss / most) if most > 0 else ""
            lines.append(f"  {turn + 1:>2}  {points_text(loss):>6}  {bar}".rstrip())
        worst = sorted(losses["categories"].items(), key=lambda entry: -entry[1])[:LISTED]
        named = [(category_name(rules, category), loss) for category, loss in worst if loss >= 0.005]
        if named:
            width = max(len(name) for name, _ in named)
            lines += ["", "By the category that was filled instead of the best one"]
            lines += [f"  {name:<{width}}  {points_text(loss):>6}" for name, loss in named]
    return lines
