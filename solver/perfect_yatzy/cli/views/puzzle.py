"""A position to think about, an answer to it, and the solution, in words and as JSON."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Any

from ..._version import ANSWER_SCHEMA
from ...errors import StateError
from ...game.notation import glyphs, parse_category, parse_hold, spaced
from ...game.rules import RuleSet
from ...play.puzzle import Puzzle
from ...play.review import find_action, grade
from ...strategy.actions import Choice, Hold
from ...strategy.strategy import Strategy
from .review import action_words
from .text import loss_text, plural

SHOWN = 5
HOLD_HELP = """\
  33            hold these dice and reroll the rest
  none          reroll all dice
  full house    stop and take this category (id, name, code or a prefix)
  quit          show the solution and leave"""
SCORE_HELP = """\
  full house    take this category (id, name, code or a prefix)
  quit          show the solution and leave"""


def puzzle_lines(rules: RuleSet, position: Puzzle, strategy: Strategy) -> list[str]:
    """The position."""
    card, left = position.card, position.rolls_left
    filled = [f"{rules.categories[c].name} {points}" for c, points in sorted(card.points.items())]
    still_open = [category.name for c, category in enumerate(rules.categories) if c not in card.points]
    rolls = strategy.most_rerolls(card.state) + 1
    if card.bonus_points:
        filled.append(f"bonus points {card.bonus_points}")
    if card.saved:
        filled.append(f"saved rolls {card.saved}")
    lines = [f"{rules.name}, {card.total} points"]
    for name, boxes in (("filled: ", filled), ("open:   ", still_open)):
        lines += wrap(", ".join(boxes) or "nothing", 78, initial_indent=f"  {name}", subsequent_indent=" " * 10)
    stage = f"roll {rolls - left} of {rolls}, {plural(left, 'reroll')} left"
    lines.append(f"  {stage}: {spaced(position.dice)}  {glyphs(position.dice)}")
    return lines


def question(position: Puzzle) -> str:
    """What is asked."""
    return "Hold which dice, or take which category? (help)" if position.rolls_left else "Take which category? (help)"


def puzzle_help(position: Puzzle) -> str:
    """How it is answered."""
    return HOLD_HELP if position.rolls_left else SCORE_HELP


def find_answer(rules: RuleSet, position: Puzzle, strategy: Strategy, text: str) -> Hold | Choice:
    """The option a player names: dice, ``none``, or a category.

    Raises
    ------
    StateError
        If it is none of the options.
    """
    options = position.options(strategy)
    word = re.sub(r"^(hold|keep|take|score)\s+(?=\S)", "", text, flags=re.IGNORECASE)
    held = parse_hold(word, position.dice) if position.rolls_left else None
    if held is not None:
        if held == position.dice:
            raise StateError("with all dice held there is nothing to reroll: name the category to take")
        found = find_action(options, held)
        if found is None:
            raise StateError(f"{spaced(held)} is not within {spaced(position.dice)}")
        return found
    paid = {option.category: option.points + option.bonus_points for option in options if isinstance(option, Choice)}
    category = parse_category(rules, word, paid)
    found = find_action(options, category)
    if found is None:
        filled = rules.index_of[category] in position.card.points
        raise StateError(f"{category} " + ("is filled already" if filled else "may not be taken now"))
    return found


def verdict(rules: RuleSet, position: Puzzle, strategy: Strategy, answer: Hold | Choice) -> str:
    """The answer graded."""
    best = position.options(strategy)[0]
    mark = grade(answer.loss, answer == best)
    words = action_words(rules, answer)
    return f"{words[0].upper()}{words[1:]}: {mark}" + (f", loses {answer.loss:.2f}" if answer.loss else "")


def solution_lines(rules: RuleSet, position: Puzzle, strategy: Strategy) -> list[str]:
    """The best options and what they lose."""
    found = position.options(strategy)
    words = [action_words(rules, option) for option in found[:SHOWN]]
    width = max(map(len, words))
    lines = [f"  {'':<{width}}  {'loses':>9}"]
    for i, (option, said) in enumerate(zip(found, words, strict=False)):
        lines.append(f"  {said:<{width}}  {loss_text(option.loss, i == 0):>9}")
    return lines


def puzzle_json(position: Puzzle, strategy: Strategy) -> dict[str, Any]:
    """The position and its solution as plain JSON values."""
    rules, card = strategy.rules, position.card

    def option(entry: Hold | Choice) -> dict[str, Any]:
        if isinstance(entry, Hold):
            return {"hold": list(entry.dice), "category": None, "loss": entry.loss}
        return {
            "category": entry.category,
            "points": entry.points,
            "bonus_points": entry.bonus_points,
            "loss": entry.loss,
        }

    return {
        "schema": ANSWER_SCHEMA,
        "query": "puzzle",
        "rules": rules.key,
        "card": {rules.categories[c].id: points for c, points in sorted(card.points.items())},
        "saved": card.saved,
        "bonus_points": card.bonus_points,
        "dice": list(position.dice),
        "rolls_left": position.rolls_left,
        "options": [option(entry) for entry in position.options(strategy)],
    }
