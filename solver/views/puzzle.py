"""A position to think about, an answer to it, and the solution, in words and as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from ..advice import Choice, Hold, Strategy
from ..errors import StateError
from ..notation import GLYPHS, find_category, glyphs, spaced
from ..puzzle import Puzzle
from ..review import grade
from ..rules import RuleSet
from .review import action_words
from .text import loss_text, plural

SHOWN = 5


def puzzle_lines(rules: RuleSet, position: Puzzle, strategy: Strategy) -> list[str]:
    """The position."""
    card, left = position.card, position.rolls_left
    filled = [f"{rules.categories[c].name} {points}" for c, points in sorted(card.points.items())]
    still_open = [category.name for c, category in enumerate(rules.categories) if c not in card.points]
    rolls = strategy.most_rerolls(card.state) + 1
    question = "Which dice do you hold?" if left else "Which category do you take?"
    lines = [f"{rules.name}, {card.total} points"]
    for name, boxes in (("filled: ", filled), ("open:   ", still_open)):
        lines += wrap(", ".join(boxes) or "nothing", 78, initial_indent=f"  {name}", subsequent_indent=" " * 10)
    stage = f"roll {rolls - left} of {rolls}, {plural(left, 'reroll')} left"
    lines.append(f"  {stage}: {spaced(position.dice)}  {glyphs(position.dice)}")
    return [*lines, question]


def find_answer(rules: RuleSet, position: Puzzle, strategy: Strategy, text: str) -> Hold | Choice:
    """The option a player names: dice, ``none``, ``all``, or a category.

    Raises
    ------
    StateError
        If it is none of the options.
    """
    options = position.options(strategy)
    word = text.lower().removeprefix("hold ").removeprefix("take ")
    if position.rolls_left:
        held: tuple[int, ...] | None = None
        if word in ("none", "nothing", "reroll"):
            held = ()
        elif word in ("all", "stop"):
            held = position.dice
        elif re.fullmatch(r"[\s,;0-9⚀⚁⚂⚃⚄⚅-]+", word):
            held = tuple(sorted(GLYPHS.find(s) + 1 or int(s) for s in re.sub(r"[\s,;-]", "", word)))
        for option in options:
            if isinstance(option, Hold) and option.dice == held:
                return option
        raise StateError(f"{text!r} is no hold of {spaced(position.dice)}; write the dice, none, or all")
    category = rules.categories[find_category(rules, word)].id
    for option in options:
        if isinstance(option, Choice) and option.category == category:
            return option
    raise StateError(f"{category} may not be taken")


def verdict(rules: RuleSet, position: Puzzle, strategy: Strategy, answer: Hold | Choice) -> str:
    """The answer graded."""
    best = position.options(strategy)[0]
    mark = grade(answer.loss, answer == best)
    words = action_words(rules, answer)
    return f"{words[0].upper()}{words[1:]}: {mark}" + (f", loses {answer.loss:.2f}" if answer.loss else "")


def solution_lines(rules: RuleSet, position: Puzzle, strategy: Strategy) -> list[str]:
    """The best options and what they lose."""
    options: Sequence[Hold | Choice] = position.options(strategy)[:SHOWN]
    width = max(len(action_words(rules, option)) for option in options)
    return [
        f"  {action_words(rules, option):<{width}}  {loss_text(option.loss, i == 0):>9}"
        for i, option in enumerate(options)
    ]


def puzzle_json(position: Puzzle, strategy: Strategy) -> dict[str, Any]:
    """The position and its solution as plain JSON values."""
    rules, card = strategy.rules, position.card

    def option(entry: Hold | Choice) -> dict[str, Any]:
        what = {"hold": list(entry.dice)} if isinstance(entry, Hold) else {"points": entry.points}
        return what | {"category": entry.category, "loss": entry.loss}

    return {
        "schema": 1,
        "query": "puzzle",
        "rules": rules.key,
        "card": {rules.categories[c].id: points for c, points in sorted(card.points.items())},
        "saved": card.saved,
        "extra": card.extra,
        "dice": list(position.dice),
        "rolls_left": position.rolls_left,
        "options": [option(entry) for entry in position.options(strategy)],
    }
