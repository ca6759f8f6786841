"""A graded game and a puzzle as text: the decisions of a game with a loss, the position, the best options."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from ..._messages import _, ngettext, number_text
from ..._version import ANSWER_SCHEMA
from ...errors import StateError
from ...game.notation import glyphs, parse_category, parse_hold, spaced
from ...game.rules import RuleSet
from ...play.puzzle import Puzzle
from ...play.review import ActionOutlook, Decision, Review, find_action, grade
from ...service.reviews import action_json, puzzle_fields
from ...strategy.actions import Choice, Hold
from ...strategy.strategy import Strategy
from .wording import (
    category_name,
    chance_text,
    columns,
    decision_of,
    line_width,
    loss_text,
    rerolls_left_text,
)

MAX_CATEGORIES = 5  # listed when two holds are compared
MAX_OPTIONS = 5  # listed in a solution


def _action_text(rules: RuleSet, action: Hold | Choice) -> str:
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
        "best": _("best"), "tied": _("tied"), "inaccuracy": ngettext("inaccuracy", "inaccuracies", count),
        "mistake": ngettext("mistake", "mistakes", count), "blunder": ngettext("blunder", "blunders", count),
    }  # fmt: skip
    return words.get(grade, grade)


def signed(points: float) -> str:
    """A term of a sum: its sign, a space, two decimals."""
    rounded = round(points, 2)
    return f"{'-' if rounded < 0 else '+'} {number_text(abs(rounded), 2)}"


def _decision_lines(rules: RuleSet, decision: Decision, actual: ActionOutlook, best: ActionOutlook) -> list[str]:
    text = _("Turn {turn}, roll {roll}, {dice}: {action} ({grade}, lost {points})")
    facts = {"turn": decision.turn, "roll": decision.roll, "dice": spaced(decision.dice)}
    grade, points = grade_word(decision.grade, 1), number_text(decision.loss, 2)
    text = text.format(**facts, action=_action_text(rules, decision.done), grade=grade, points=points)
    lines = wrap(text, line_width(), subsequent_indent="  ")
    best_action = _("best: {action}", action=_action_text(rules, decision.best))
    lines += wrap(best_action, line_width(), initial_indent="  ", subsequent_indent="    ")
    rows = [("", _("best"), _("actual")), *outlook_rows(rules, actual, best)]
    return lines + columns(rows, "<", ">12", ">12")


def outlook_rows(rules: RuleSet, actual: ActionOutlook, best: ActionOutlook) -> list[tuple[str, str, str]]:
    """Label, best and actual: points now and later, upper bonus, and the chance of each category for this turn."""

    def bonus_text(chance: float) -> str:
        return _("out of reach") if chance < 1e-9 else _("secured") if chance > 1 - 1e-9 else chance_text(chance)

    rows = [(_("points this turn"), number_text(best.turn_points, 2), number_text(actual.turn_points, 2))]
    if actual.later_points is not None and best.later_points is not None:
        rows.append((_("points later"), number_text(best.later_points, 2), number_text(actual.later_points, 2)))
    if actual.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        chances = bonus_text(best.upper_bonus_chance), bonus_text(actual.upper_bonus_chance)
        rows.append((_("upper bonus"), *chances))
    if len(best.categories) > 1 or len(actual.categories) > 1:
        sides = [{c: p for c, p, _points in side.categories} for side in (best, actual)]
        of_category = {c: [side.get(c, 0.0) for side in sides] for c in sides[0] | sides[1]}
        rows.append((_("category taken:"), "", ""))
        for category in sorted(of_category, key=lambda c: max(of_category[c]), reverse=True)[:MAX_CATEGORIES]:
            first, second = map(chance_text, of_category[category])
            rows.append((f"  {category_name(rules, category)}", first, second))
    return rows


def review_lines(
    rules: RuleSet, review: Review, explained: list[tuple[Decision, ActionOutlook, ActionOutlook]]
) -> list[str]:
    """Lines for `yatzy review`: the summary, and decisions with the outlook of the actual action and of the best."""
    decisions = [line for each in explained for line in (*_decision_lines(rules, *each), "")]
    return [*summary_lines(rules, review), "", *(decisions or [_("No errors found.")])]


def puzzle_lines(rules: RuleSet, puzzle: Puzzle, strategy: Strategy) -> list[str]:
    """The position: the scorecard, the roll and the rerolls left."""
    card, rolls_left = puzzle.card, puzzle.rolls_left
    filled = [f"{rules.categories[c].name} {points}" for c, points in sorted(card.points.items())]
    still_open = [category.name for c, category in enumerate(rules.categories) if c not in card.points]
    n_rolls = strategy.max_rerolls(card.state) + 1
    if card.bonus_points:
        filled.append(_("bonus points {points}", points=card.bonus_points))
    if card.saved:
        filled.append(_("saved rolls {count}", count=card.saved))
    lines = [_("{game}, {points} points", game=rules.name, points=card.total)]
    labels = _("filled:"), _("open:")
    width = max(map(len, labels))
    for label, names in zip(labels, (filled, still_open), strict=True):
        text, margin = ", ".join(names) or _("nothing"), " " * (width + 3)
        lines += wrap(text, line_width(), initial_indent=f"  {label:<{width}} ", subsequent_indent=margin)
    rerolls = rerolls_left_text(rolls_left)
    stage = _("roll {roll} of {rolls}, {rerolls}", roll=n_rolls - rolls_left, rolls=n_rolls, rerolls=rerolls)
    lines.append(f"  {stage}: {spaced(puzzle.dice)}  {glyphs(puzzle.dice)}")
    return lines


def find_answer(rules: RuleSet, puzzle: Puzzle, strategy: Strategy, text: str) -> Hold | Choice:
    """The option that a player's text names: dice, ``none``, or a category."""
    options = puzzle.options(strategy)
    text = decision_of(text)
    held = parse_hold(text, puzzle.dice) if puzzle.rolls_left else None
    if held == puzzle.dice:
        raise StateError(_("all dice are held, so there is nothing to reroll; name the category to take"))
    points_of = {o.category: o.points + o.bonus_points for o in options if isinstance(o, Choice)}
    named = held if held is not None else parse_category(rules, text, points_of)
    if option := find_action(options, named):
        return option
    if not isinstance(named, str):
        raise StateError(_("{held} is not within {dice}", held=spaced(named), dice=spaced(puzzle.dice)))
    is_filled = rules.index_of[named] in puzzle.card.points
    sentence = _("{category} is already filled") if is_filled else _("{category} cannot be taken now")
    raise StateError(sentence.format(category=named))


def grade_line(rules: RuleSet, puzzle: Puzzle, strategy: Strategy, answer: Hold | Choice) -> str:
    """The grade and the loss of an answer."""
    action, is_best = _action_text(rules, answer), answer == puzzle.options(strategy)[0]
    facts = {"action": action[0].upper() + action[1:], "grade": grade_word(grade(answer.loss, is_best), 1)}
    sentence = _("{action}: {grade}, loses {points}") if answer.loss else _("{action}: {grade}")
    return sentence.format(**facts, points=number_text(answer.loss, 2))


def solution_lines(rules: RuleSet, puzzle: Puzzle, strategy: Strategy) -> list[str]:
    """The best options and what they lose."""
    options = enumerate(puzzle.options(strategy)[:MAX_OPTIONS])
    rows = [(_action_text(rules, option), loss_text(option.loss, i == 0)) for i, option in options]
    return columns([("", _("loses")), *rows], "<", ">9")


def puzzle_json(puzzle: Puzzle, strategy: Strategy) -> dict[str, Any]:
    """The position and its solution as plain JSON values."""
    head = {"schema": ANSWER_SCHEMA, "query": "puzzle", "rules": strategy.rules.key}
    options = [action_json(option) | {"loss": option.loss} for option in puzzle.options(strategy)]
    return head | puzzle_fields(puzzle) | {"options": options}
