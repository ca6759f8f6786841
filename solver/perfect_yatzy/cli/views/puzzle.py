"""A puzzle as text and JSON: the position, the player's answer with its grade, and the solution."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from ..._messages import N_, _, number_text
from ..._version import ANSWER_SCHEMA
from ...errors import StateError
from ...game.notation import glyphs, parse_category, parse_hold, spaced
from ...game.rules import RuleSet
from ...play.puzzle import Puzzle
from ...play.review import find_action, grade
from ...service.reviews import action_json, puzzle_fields
from ...strategy.actions import Choice, Hold
from ...strategy.strategy import Strategy
from .decisions import CATEGORY_HELP, HOLD_HELP, decision_of
from .review import action_text, grade_word
from .wording import columns, line_width, loss_text, rerolls_left_text

MAX_OPTIONS = 5  # listed in a solution
QUIT_HELP = N_("  quit          show the solution and quit")


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


def puzzle_help(puzzle: Puzzle) -> str:
    """The possible answers to a puzzle."""
    return (_(HOLD_HELP) if puzzle.rolls_left else "") + _(CATEGORY_HELP) + _(QUIT_HELP)  # marked elsewhere


def find_answer(rules: RuleSet, puzzle: Puzzle, strategy: Strategy, text: str) -> Hold | Choice:
    """The option that a player's text names: dice, ``none``, or a category."""
    options = puzzle.options(strategy)
    text = decision_of(text)
    held = parse_hold(text, puzzle.dice) if puzzle.rolls_left else None
    if held is not None:
        if held == puzzle.dice:
            raise StateError(_("all dice are held, so there is nothing to reroll; name the category to take"))
        option = find_action(options, held)
        if option is None:
            raise StateError(_("{held} is not within {dice}", held=spaced(held), dice=spaced(puzzle.dice)))
        return option
    points_of = {o.category: o.points + o.bonus_points for o in options if isinstance(o, Choice)}
    category = parse_category(rules, text, points_of)
    option = find_action(options, category)
    if option is None:
        is_filled = rules.index_of[category] in puzzle.card.points
        sentence = _("{category} is already filled") if is_filled else _("{category} cannot be taken now")
        raise StateError(sentence.format(category=category))
    return option


def grade_line(rules: RuleSet, puzzle: Puzzle, strategy: Strategy, answer: Hold | Choice) -> str:
    """The grade and the loss of an answer."""
    is_best = answer == puzzle.options(strategy)[0]
    action = action_text(rules, answer)
    sentence = _("{action}: {grade}, loses {points}") if answer.loss else _("{action}: {grade}")
    return sentence.format(
        action=f"{action[0].upper()}{action[1:]}",
        grade=grade_word(grade(answer.loss, is_best), 1),
        points=number_text(answer.loss, 2),
    )


def solution_lines(rules: RuleSet, puzzle: Puzzle, strategy: Strategy) -> list[str]:
    """The best options and what they lose."""
    options = puzzle.options(strategy)[:MAX_OPTIONS]
    rows = [("", _("loses"))]
    rows += [(action_text(rules, option), loss_text(option.loss, i == 0)) for i, option in enumerate(options)]
    return columns(rows, "<", ">9")


def puzzle_json(puzzle: Puzzle, strategy: Strategy) -> dict[str, Any]:
    """The position and its solution as plain JSON values."""
    head = {"schema": ANSWER_SCHEMA, "query": "puzzle", "rules": strategy.rules.key}
    options = [action_json(option) | {"loss": option.loss} for option in puzzle.options(strategy)]
    return head | puzzle_fields(puzzle) | {"options": options}
