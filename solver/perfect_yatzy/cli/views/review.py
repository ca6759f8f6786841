"""A graded game as text: the result as start + luck - errors, then each decision with a loss and its outcomes."""

from __future__ import annotations

from textwrap import wrap

from ...game.notation import spaced
from ...game.rules import RuleSet
from ...play.review import ActionOutlook, Decision, Review
from ...strategy.actions import Choice, Hold
from .wording import WIDTH, category_name, chance_text

MAX_CATEGORIES = 5  # listed when two holds are compared


def action_text(rules: RuleSet, action: Hold | Choice) -> str:
    """An action in a few words: ``hold 3 3``, ``Chance for 21``."""
    if isinstance(action, Choice):
        return f"{category_name(rules, action.category)} for {action.points + action.bonus_points}"
    return f"hold {spaced(action.dice)}" if action.dice else "hold nothing"


def summary_lines(rules: RuleSet, review: Review) -> list[str]:
    """The result of a game, split into start, luck and errors, and the number of decisions of each grade."""
    result = f"{review.result:.0f} points" if review.finished else f"{review.result:.2f} points expected (unfinished)"
    grades = ", ".join(f"{count} {grade_word(grade, count)}" for grade, count in review.counts().items() if count)
    decisions = "decision" if len(review.decisions) == 1 else "decisions"
    terms = f"start {review.start:.2f} {signed(review.luck)} luck - {review.points_lost:.2f} errors"
    return [
        f"{review.player}: {result}",
        "",
        f"Result {review.result:.2f} = {terms}",
        f"{len(review.decisions)} {decisions}: {grades or 'none yet'}",
    ]


def grade_word(grade: str, count: int) -> str:
    """``1 mistake``, ``2 mistakes``; best and tied have no plural."""
    if count == 1 or grade in ("best", "tied"):
        return grade
    return f"{grade[:-1]}ies" if grade.endswith("y") else f"{grade}s"


def signed(points: float) -> str:
    """A term of a sum: its sign, a space, two decimals."""
    rounded = round(points, 2)
    return f"{'-' if rounded < 0 else '+'} {abs(rounded):.2f}"


def decision_lines(rules: RuleSet, decision: Decision, actual: ActionOutlook, best: ActionOutlook) -> list[str]:
    """One decision, and a table that compares the outcomes of the best action and the actual one."""
    stage = f"Turn {decision.turn}, roll {decision.roll}, {spaced(decision.dice)}"
    lines = wrap(
        f"{stage}: {action_text(rules, decision.done)} ({decision.grade}, lost {decision.loss:.2f})",
        WIDTH,
        subsequent_indent="  ",
    )
    best_action = action_text(rules, decision.best)
    lines += wrap(f"best: {best_action}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    rows = [("", "best", "actual"), *outlook_rows(rules, actual, best)]
    width = max(len(label) for label, _, _ in rows)
    return lines + [f"  {label:<{width}}  {a:>12}  {b:>12}".rstrip() for label, a, b in rows]


def outlook_rows(rules: RuleSet, actual: ActionOutlook, best: ActionOutlook) -> list[tuple[str, str, str]]:
    """Label, best and actual: points now and later, upper bonus, and the chance of each category for this turn."""
    rows = [("points this turn", f"{best.turn_points:.2f}", f"{actual.turn_points:.2f}")]
    if actual.later_points is not None and best.later_points is not None:
        rows.append(("points later", f"{best.later_points:.2f}", f"{actual.later_points:.2f}"))
    if actual.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        rows.append(
            ("upper bonus", upper_bonus_text(best.upper_bonus_chance), upper_bonus_text(actual.upper_bonus_chance))
        )
    if len(best.categories) > 1 or len(actual.categories) > 1:
        best_chances, actual_chances = ({c: p for c, p, _ in side.categories} for side in (best, actual))

        def likelier(category: str) -> float:
            return max(best_chances.get(category, 0.0), actual_chances.get(category, 0.0))

        rows.append(("category taken:", "", ""))
        for category in sorted(best_chances | actual_chances, key=likelier, reverse=True)[:MAX_CATEGORIES]:
            texts = [chance_text(chances.get(category, 0.0)) for chances in (best_chances, actual_chances)]
            rows.append((f"  {category_name(rules, category)}", texts[0], texts[1]))
    return rows


def upper_bonus_text(chance: float) -> str:
    """The chance of the upper bonus, or ``out of reach`` or ``secured``."""
    return "out of reach" if chance < 1e-9 else "secured" if chance > 1 - 1e-9 else chance_text(chance)


def review_lines(
    rules: RuleSet, review: Review, explained: list[tuple[Decision, ActionOutlook, ActionOutlook]]
) -> list[str]:
    """Lines for `yatzy review`.

    Parameters
    ----------
    explained
        The decisions to show, each with the outlook of the actual action and of the best one.
    """
    lines = summary_lines(rules, review)
    if not explained:
        return [*lines, "", "No mistakes found."]
    lines.append("")
    for decision, actual, best in explained:
        lines += [*decision_lines(rules, decision, actual, best), ""]
    return lines
