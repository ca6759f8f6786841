"""A graded game as text: the result as start + luck - errors, then each decision with a loss and its outcomes."""

from __future__ import annotations

from textwrap import wrap

from ..._messages import _, ngettext, number_text
from ...game.notation import spaced
from ...game.rules import RuleSet
from ...play.review import ActionOutlook, Decision, Review
from ...strategy.actions import Choice, Hold
from .wording import WIDTH, category_name, chance_text

MAX_CATEGORIES = 5  # listed when two holds are compared


def action_text(rules: RuleSet, action: Hold | Choice) -> str:
    """An action in a few words: ``hold 3 3``, ``Chance for 21``."""
    if isinstance(action, Choice):
        points = action.points + action.bonus_points
        return _("{category} for {points}").format(category=category_name(rules, action.category), points=points)
    return _("hold {dice}").format(dice=spaced(action.dice)) if action.dice else _("hold nothing")


def summary_lines(rules: RuleSet, review: Review) -> list[str]:
    """The result of a game, split into start, luck and errors, and the number of decisions of each grade."""
    sentence = (
        _("{player}: {points} points") if review.finished else _("{player}: {points} points expected (unfinished)")
    )
    grades = ", ".join(f"{count} {grade_word(grade, count)}" for grade, count in review.counts().items() if count)
    n_decisions = len(review.decisions)
    decisions = ngettext("{count} decision: {grades}", "{count} decisions: {grades}", n_decisions)
    terms = _("Result {result} = start {start} {luck} luck - {lost} errors").format(
        result=number_text(review.result, 2),
        start=number_text(review.start, 2),
        luck=signed(review.luck),
        lost=number_text(review.points_lost, 2),
    )
    return [
        sentence.format(player=review.player, points=number_text(review.result, 0 if review.finished else 2)),
        "",
        terms,
        decisions.format(count=n_decisions, grades=grades or _("none yet")),
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
    sentence = _("Turn {turn}, roll {roll}, {dice}: {action} ({grade}, lost {points})").format(
        turn=decision.turn,
        roll=decision.roll,
        dice=spaced(decision.dice),
        action=action_text(rules, decision.done),
        grade=grade_word(decision.grade, 1),
        points=number_text(decision.loss, 2),
    )
    lines = wrap(sentence, WIDTH, subsequent_indent="  ")
    best_action = _("best: {action}").format(action=action_text(rules, decision.best))
    lines += wrap(best_action, WIDTH, initial_indent="  ", subsequent_indent="    ")
    rows = [("", _("best"), _("actual")), *outlook_rows(rules, actual, best)]
    width = max(len(label) for label, _best, _actual in rows)
    return lines + [f"  {label:<{width}}  {a:>12}  {b:>12}".rstrip() for label, a, b in rows]


def outlook_rows(rules: RuleSet, actual: ActionOutlook, best: ActionOutlook) -> list[tuple[str, str, str]]:
    """Label, best and actual: points now and later, upper bonus, and the chance of each category for this turn."""
    rows = [(_("points this turn"), number_text(best.turn_points, 2), number_text(actual.turn_points, 2))]
    if actual.later_points is not None and best.later_points is not None:
        rows.append((_("points later"), number_text(best.later_points, 2), number_text(actual.later_points, 2)))
    if actual.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        rows.append(
            (_("upper bonus"), upper_bonus_text(best.upper_bonus_chance), upper_bonus_text(actual.upper_bonus_chance))
        )
    if len(best.categories) > 1 or len(actual.categories) > 1:
        best_chances, actual_chances = ({c: p for c, p, _points in side.categories} for side in (best, actual))

        def likelier(category: str) -> float:
            return max(best_chances.get(category, 0.0), actual_chances.get(category, 0.0))

        rows.append((_("category taken:"), "", ""))
        for category in sorted(best_chances | actual_chances, key=likelier, reverse=True)[:MAX_CATEGORIES]:
            texts = [chance_text(chances.get(category, 0.0)) for chances in (best_chances, actual_chances)]
            rows.append((f"  {category_name(rules, category)}", texts[0], texts[1]))
    return rows


def upper_bonus_text(chance: float) -> str:
    """The chance of the upper bonus, or ``out of reach`` or ``secured``."""
    return _("out of reach") if chance < 1e-9 else _("secured") if chance > 1 - 1e-9 else chance_text(chance)


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
        return [*lines, "", _("No mistakes found.")]
    lines.append("")
    for decision, actual, best in explained:
        lines += [*decision_lines(rules, decision, actual, best), ""]
    return lines
