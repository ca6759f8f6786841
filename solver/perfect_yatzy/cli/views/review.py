"""A graded game in words: three numbers first, then each decision that lost something, and why."""

from __future__ import annotations

from textwrap import wrap

from ...game.notation import spaced
from ...game.rules import RuleSet
from ...play.review import ActionOutlook, Decision, Review
from ...strategy.actions import Choice, Hold
from .text import category_name, chance_text

WIDTH = 78  # columns of a line
LIKELY = 5  # categories named when two holds are compared


def action_words(rules: RuleSet, action: Hold | Choice) -> str:
    """An action in a few words."""
    if isinstance(action, Choice):
        return f"{category_name(rules, action.category)} for {action.points + action.bonus_points}"
    return f"hold {spaced(action.dice)}" if action.dice else "hold nothing"


def summary_lines(rules: RuleSet, found: Review) -> list[str]:
    """What the game came to."""
    result = f"{found.result:.0f} points" if found.finished else f"{found.result:.2f} points expected (unfinished)"
    graded = ", ".join(f"{number} {grade_word(name, number)}" for name, number in found.counts().items() if number)
    decisions = "decision" if len(found.decisions) == 1 else "decisions"
    return [
        f"{found.player}: {result}",
        "",
        f"Result {found.result:.2f} = start {found.start:.2f} {signed(found.luck)} luck"
        f" - {found.points_lost:.2f} errors",
        f"{len(found.decisions)} {decisions}: {graded or 'none yet'}",
    ]


def grade_word(name: str, number: int) -> str:
    """``1 mistake``, ``2 mistakes``; best and tied are the same for any number."""
    if number == 1 or name in ("best", "tied"):
        return name
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def signed(points: float) -> str:
    """A term of a sum: its sign, a space, two decimals."""
    rounded = round(points, 2)
    return f"{'-' if rounded < 0 else '+'} {abs(rounded):.2f}"


def decision_lines(rules: RuleSet, decision: Decision, mine: ActionOutlook, best: ActionOutlook) -> list[str]:
    """One decision, what was best, and why: what both lead to, side by side."""
    stage = f"Turn {decision.turn}, roll {decision.roll}, {spaced(decision.dice)}"
    done, better = action_words(rules, decision.done), action_words(rules, decision.best)
    rows: list[tuple[str, str, str]] = [
        ("points this turn", f"{best.turn_points:.2f}", f"{mine.turn_points:.2f}"),
        ("points later", f"{best.later_points:.2f}", f"{mine.later_points:.2f}"),
    ]
    if mine.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        rows.append(("upper bonus", bonus_word(best.upper_bonus_chance), bonus_word(mine.upper_bonus_chance)))
    if len(best.categories) > 1 or len(mine.categories) > 1:
        chances = [{c: p for c, p, _ in side.categories} for side in (best, mine)]
        likely = sorted(chances[0] | chances[1], key=lambda c: -max(side.get(c, 0.0) for side in chances))
        for c in likely[:LIKELY]:
            likes = [chance_text(side.get(c, 0.0)) for side in chances]
            rows.append((f"ends in {category_name(rules, c)}", likes[0], likes[1]))
    lines = wrap(f"{stage}: {done} ({decision.grade}, lost {decision.loss:.2f})", WIDTH, subsequent_indent="  ")
    lines += wrap(f"best: {better}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    width = max(len(name) for name, _, _ in rows)
    rows.insert(0, ("", "best", "done"))
    return lines + [f"  {name:<{width}}  {one:>12}  {other:>12}" for name, one, other in rows]


def bonus_word(chance: float) -> str:
    """The upper bonus in a word or a chance."""
    return "out of reach" if chance < 1e-9 else "secured" if chance > 1 - 1e-9 else chance_text(chance)


def review_lines(
    rules: RuleSet, found: Review, explained: list[tuple[Decision, ActionOutlook, ActionOutlook]]
) -> list[str]:
    """Lines for `yatzy review`."""
    lines = summary_lines(rules, found)
    if explained:
        lines.append("")
    for decision, mine, best in explained:
        lines += [*decision_lines(rules, decision, mine, best), ""]
    return lines if explained else [*lines, "", "Nothing to mend."]
