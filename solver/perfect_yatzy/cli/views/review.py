"""A graded game as text: the result as start + luck - errors, then each decision with a loss and its outcomes."""

from __future__ import annotations

from textwrap import wrap

from ..._messages import _, ngettext, number_text
from ...game.notation import spaced
from ...game.rules import RuleSet
from ...play.review import ActionOutlook, Decision, Review
from ...strategy.actions import Choice, Hold
from .wording import category_name, chance_text, columns, line_width

MAX_CATEGORIES = 5  # listed when two holds are compared


def action_text(rules: RuleSet, action: Hold | Choice) -> str:
    """An action in a few words: ``hold 3 3``, ``Chance for 21``."""
    if isinstance(action, Choice):
        points = action.points + action.bonus_points
        return _("{category} for {points}", category=category_name(rules, action.category), points=points)
    return _("hold {dice}", dice=spaced(action.dice)) if action.dice else _("hold nothing")


def summary_lines(rules: RuleSet, review: Review) -> list[str]:
    """The result of a game, split into start, luck and errors, and the number of decisions of each grade."""
    text = _("{player}: {points} points") if review.finished else _("{player}: {points} points expected (unfinished)")
    terms = {"result": review.result, "start": review.start, "lost": review.points_lost}
    figures = {name: number_text(points, 2) for name, points in terms.items()}
    count = len(review.decisions)
    grades = ", ".join(f"{count} {grade_word(grade, count)}" for grade, count in review.counts().items() if count)
    decisions = ngettext("{count} decision: {grades}", "{count} decisions: {grades}", count)
    return [
        text.format(player=review.player, points=number_text(review.result, 0 if review.finished else 2)),
        "",
        _("Result {result} = start {start} {luck} luck - {lost} errors", **figures, luck=signed(review.luck)),
        decisions.format(count=count, grades=grades or _("none yet")),
    ]


def grade_word(grade: str, count: int) -> str:
    """``mistake`` or ``mistakes``; best and tied have no plural."""
    words = {
        "inaccuracy": ngettext("inaccuracy", "inaccuracies", count),
        "mistake": ngettext("mistake", "mistakes", count),
        "blunder": ngettext("blunder", "blunders", count),
        "best": _("best"),
        "tied": _("tied"),
    }
    return words.get(grade, grade)


def signed(points: float) -> str:
    """A term of a sum: its sign, a space, two decimals."""
    rounded = round(points, 2)
    return f"{'-' if rounded < 0 else '+'} {number_text(abs(rounded), 2)}"


def decision_lines(rules: RuleSet, decision: Decision, actual: ActionOutlook, best: ActionOutlook) -> list[str]:
    """One decision, and a table that compares the outcomes of the best action and the actual one."""
    text = _("Turn {turn}, roll {roll}, {dice}: {action} ({grade}, lost {points})")
    facts = {"turn": decision.turn, "roll": decision.roll, "dice": spaced(decision.dice)}
    grade, points = grade_word(decision.grade, 1), number_text(decision.loss, 2)
    text = text.format(**facts, action=action_text(rules, decision.done), grade=grade, points=points)
    lines = wrap(text, line_width(), subsequent_indent="  ")
    best_action = _("best: {action}", action=action_text(rules, decision.best))
    lines += wrap(best_action, line_width(), initial_indent="  ", subsequent_indent="    ")
    rows = [("", _("best"), _("actual")), *outlook_rows(rules, actual, best)]
    return lines + columns(rows, "<", ">12", ">12")


def outlook_rows(rules: RuleSet, actual: ActionOutlook, best: ActionOutlook) -> list[tuple[str, str, str]]:
    """Label, best and actual: points now and later, upper bonus, and the chance of each category for this turn."""
    rows = [(_("points this turn"), number_text(best.turn_points, 2), number_text(actual.turn_points, 2))]
    if actual.later_points is not None and best.later_points is not None:
        rows.append((_("points later"), number_text(best.later_points, 2), number_text(actual.later_points, 2)))
    if actual.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        chances = upper_bonus_text(best.upper_bonus_chance), upper_bonus_text(actual.upper_bonus_chance)
        rows.append((_("upper bonus"), *chances))
    if len(best.categories) > 1 or len(actual.categories) > 1:
        sides = [{c: p for c, p, _points in side.categories} for side in (best, actual)]
        of_category = {c: [side.get(c, 0.0) for side in sides] for c in sides[0] | sides[1]}
        rows.append((_("category taken:"), "", ""))
        for category in sorted(of_category, key=lambda c: max(of_category[c]), reverse=True)[:MAX_CATEGORIES]:
            first, second = map(chance_text, of_category[category])
            rows.append((f"  {category_name(rules, category)}", first, second))
    return rows


def upper_bonus_text(chance: float) -> str:
    """The chance of the upper bonus, or ``out of reach`` or ``secured``."""
    return _("out of reach") if chance < 1e-9 else _("secured") if chance > 1 - 1e-9 else chance_text(chance)


def review_lines(
    rules: RuleSet, review: Review, explained: list[tuple[Decision, ActionOutlook, ActionOutlook]]
) -> list[str]:
    """Lines for `yatzy review`: the summary, and decisions with the outlook of the actual action and of the best."""
    lines = [*summary_lines(rules, review), ""]
    if not explained:
        return [*lines, _("No errors found.")]
    for decision, actual, best in explained:
        lines += [*decision_lines(rules, decision, actual, best), ""]
    return lines
