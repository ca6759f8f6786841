"""Ratings as text: what a player loses in a game, with intervals, by kind of decision, by category and over time."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from ...game.box_order import leaves_choice
from ...game.rules import RuleSet
from ...play.estimates import Difference, Estimate, mean_of
from ...play.figures import GRADE_NAMES
from ...play.rating import Block, Comparison, Rating, Ratings
from .charts import bar
from .review import grade_word
from .wording import WIDTH, category_name

MAX_SKIPPED = 10  # games that are listed
LABEL, NUMBER, INTERVAL = 26, 9, 22  # columns
BAR = 18


def rating_lines(rating: Rating, rules: RuleSet, block: int | None = None) -> list[str]:
    """Lines for one rating.

    Parameters
    ----------
    rules
        The rules with the names of a language.
    block
        Games in a block of the list over time.
    """
    percent = f"{100 * rating.confidence:g} %"
    lines = [f"{rating.player}, {rating.rules.key}: {count_of(rating.games, 'game')}", ""]
    lines.append(row("", "a game", f"{percent} interval"))
    for label, estimate in (
        ("Result", rating.result),
        ("Luck", rating.luck),
        ("Points lost", rating.points_lost),
        ("Result without luck", rating.result_without_luck),
    ):
        lines.append(estimate_row(label, estimate))
    lines += [row("Perfect play", f"{rating.start:.2f}"), ""]
    if rating.narrower:
        lines += sentence(
            f"Without luck the interval is {rating.narrower:.1f} times narrower: the results of "
            f"{rating.narrower**2 * rating.games:,.0f} games would say as much."
        )
    errors = [
        f"{number:.1f} {grade_word(name, 2)}"
        for name, number in zip(GRADE_NAMES, rating.figures.errors.mean(axis=0).tolist(), strict=True)
    ]
    lines += sentence(f"A game has {errors[0]}, {errors[1]} and {errors[2]}.")
    if len(rating.other_results):
        what = count_of(len(rating.other_results), "game")
        lines += sentence(f"{what} without decisions: mean result {rating.other_results.mean():.2f}.")
    lines += ["", *kind_lines(rating, percent)]
    if leaves_choice(rules):  # there each turn has one category
        lines += ["", *category_lines(rating, rules)]
    parts = rating.blocks(block)
    return [*lines, "", *block_lines(rating, parts, percent)] if len(parts) > 1 else lines


def row(label: str, number: str, interval: str = "", rest: str = "") -> str:
    """A line of a table."""
    return f"{label:<{LABEL}}{number:>{NUMBER}}{interval:>{INTERVAL}}{rest}".rstrip()


def interval_text(estimate: Estimate, digits: int = 2) -> str:
    """The interval of an estimate; empty without one."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{number_text(estimate.low, digits)} to {number_text(estimate.high, digits)}"


def number_text(number: float, digits: int = 2) -> str:
    """A number without a minus sign before zero."""
    return f"{round(number, digits) + 0.0:.{digits}f}"


def estimate_row(label: str, estimate: Estimate, rest: str = "") -> str:
    """A line with an estimate and its interval."""
    return row(label, number_text(estimate.value), interval_text(estimate), rest)


def sentence(text: str) -> list[str]:
    """Wrapped text."""
    return wrap(text, WIDTH)


def count_of(number: int, noun: str) -> str:
    """A number and its noun: ``1 game``, ``1,000 games``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def kind_name(kind: str, last: bool) -> str:
    """Words for a kind of :func:`perfect_yatzy.play.figures.decision_kinds`; `last`: it includes all later rolls."""
    if kind == "category":
        return "category"
    number = int(kind.partition("_")[2])
    ordinal = {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
    return f"hold, {ordinal} roll{' or later' if last else ''}"


def kind_lines(rating: Rating, percent: str) -> list[str]:
    """The points lost by kind of decision."""
    lines = [row("Points lost by decision", "a game", f"{percent} interval", f"{'a decision':>14}")]
    for i, kind in enumerate(rating.kinds):
        lost, per_decision = rating.kind_lost(i)
        later = rating.rules.saved_rolls and i == len(rating.kinds) - 2
        rest = f"{number_text(per_decision.value, 3):>14}" if per_decision else ""
        lines.append(estimate_row(f"  {kind_name(kind, later)}", lost, rest))
    rest = f"{number_text(rating.lost_per_decision.value, 3):>14}"
    return [*lines, estimate_row("  all", rating.points_lost, rest)]


def category_lines(rating: Rating, rules: RuleSet) -> list[str]:
    """The points lost by category decisions: by taking each category, and by leaving it when it was the best one."""
    lines = [f"{'Points lost a game by':<{LABEL}}{'taking it':>12}{'leaving it':>12}{'mean points':>14}"]
    for i, category in enumerate(rules.categories):
        taking, leaving = rating.category_lost(i)
        points = rating.figures.category_points[:, i].mean()
        name = category_name(rules, category.id)[: LABEL - 4]
        lines.append(f"  {name:<{LABEL - 2}}{taking.value:>12.2f}{leaving.value:>12.2f}{points:>14.2f}")
    return lines


def block_lines(rating: Rating, parts: Iterable[Block], percent: str) -> list[str]:
    """The points lost over time, with bars, and their trend."""
    found = list(parts)
    most = max(part.points_lost.value for part in found)
    lines = [row("Points lost over time", "a game", f"{percent} interval")]
    for part in found:
        label = f"  games {part.first:,} to {part.last:,}" if part.last > part.first else f"  game {part.first:,}"
        if part.first_date and part.last_date:
            days = sorted({part.first_date[:10], part.last_date[:10]})
            label = f"  {' to '.join(days)}"
        drawn = bar(part.points_lost.value / most, BAR) if most > 0 else ""
        lines.append(estimate_row(label, part.points_lost, f"  {drawn}"))
    return [*lines, *trend_lines(rating)]


def trend_lines(rating: Rating) -> list[str]:
    """The straight line through the points lost, in words."""
    trend = rating.trend
    if trend is None or trend.low is None or trend.high is None:
        return []
    shown = "No trend is shown" if trend.low <= 0 <= trend.high else "Trend"
    change = scaled(trend, 100)
    sign = "" if change.value < 0 else "+"
    return sentence(f"{shown}: {sign}{number_text(change.value)} in 100 games ({interval_text(change)}).")


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The estimate of `factor` times the number."""
    low, high = (None if end is None else factor * end for end in (estimate.low, estimate.high))
    return Estimate(factor * estimate.value, low, high, estimate.size)


def comparison_lines(comparison: Comparison) -> list[str]:
    """Who plays better, by how much, and how sure that is."""
    first, second, found = comparison.first, comparison.second, comparison.advantage
    head = f"{first.player} and {second.player}, {first.rules.key}: "
    if found.low is None or found.high is None:
        return sentence(f"{head}too few games to compare.")
    ahead, behind = (first.player, second.player) if found.value >= 0 else (second.player, first.player)
    sign = 1 if found.value >= 0 else -1
    size = scaled(found, sign)
    ends = sorted((size.low or 0.0, size.high or 0.0))
    interval = f"{100 * first.confidence:g} %: {number_text(ends[0])} to {number_text(ends[1])}"
    if found.low <= 0 <= found.high:
        text = f"no difference is shown. {ahead} plays better by {size.value:.2f} points a game ({interval})"
    else:
        text = f"{ahead} plays better than {behind} by {size.value:.2f} points a game ({interval})"
    results = sign * comparison.results.value
    return sentence(
        f"{head}{text}, luck removed; {chance_words(found)}. The plain results differ by "
        f"{number_text(results)} ({plain_interval(comparison.results, sign)})."
    )


def plain_interval(found: Difference, sign: int) -> str:
    """The interval of a difference, or of its negative."""
    if found.low is None or found.high is None:
        return "too few to say"
    low, high = sorted((sign * found.low, sign * found.high))
    return f"{number_text(low)} to {number_text(high)}"


def chance_words(found: Difference) -> str:
    """The p value in words."""
    if found.chance is None:
        return "too few games for a p value"
    return "p < 0.0001" if found.chance < 0.0001 else f"p = {found.chance:.4f}"


def skipped_lines(found: Ratings) -> list[str]:
    """Games without a rating, and why."""
    if not found.skipped:
        return []
    lines = [f"Not rated: {count_of(len(found.skipped), 'game')}"]
    for skipped in found.skipped[:MAX_SKIPPED]:
        who = f", {skipped.player}" if skipped.player else ""
        lines += wrap(f"{skipped.place}{who}: {skipped.reason}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    more = len(found.skipped) - MAX_SKIPPED
    return [*lines, f"  and {more:,} more"] if more > 0 else lines


def results_lines(found: Ratings, confidence: float) -> list[str]:
    """Players of whom only results are known."""
    lines = []
    for (rules, player), results in found.results_only.items():
        estimate = mean_of(results, confidence)
        interval = f" ({100 * confidence:g} %: {interval_text(estimate)})" if estimate.low is not None else ""
        what = count_of(len(results), "game")
        lines += sentence(
            f"{player}, {rules}: {what} without decisions, mean result {estimate.value:.2f}{interval}. "
            "Luck cannot be removed from results alone."
        )
    return lines
