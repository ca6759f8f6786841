"""Decisions to learn from, as files.

Own mistakes become cards for Anki, and puzzles can be printed for a class, with the solutions on a
page of their own. Anki reads text with a line for each card: the front, the back and a tag,
separated by tabs. Lines above them say so, and that the fields are HTML. A card that is imported
again, with the same front, replaces the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ...core.rules import RuleSet
from ...game.notation import glyphs, spaced
from ...play.puzzle import Puzzle
from ...play.review import GradedDecision
from ...strategy.actions import Hold
from ...strategy.strategy import Strategy
from ...words import _, number_text
from .guide_content import marked_dice
from .guide_pages import dice_picture
from .review_text import action_text, grade_word, puzzle_texts
from .wording import html_page
from .words import capitalised

Exercises = Sequence[tuple[Strategy, RuleSet, Sequence[GradedDecision]]]
DECK_HEAD = {"separator": "tab", "html": "true", "tags column": "3"}


def anki_text(exercises: Exercises) -> str:
    """Return the cards of the mistakes in each of some games, in the order of the exercises."""
    cards: dict[str, str] = {}  # by their front, by which Anki distinguishes cards
    for strategy, rules, decisions in exercises:
        for decision in decisions:
            front = _front(strategy, rules, decision)
            if front not in cards:
                cards[front] = f"{front}\t{_back(rules, decision)}\t{rules.key}\n"
    head = (f"#{name}:{value}\n" for name, value in DECK_HEAD.items())
    return "".join((*head, *cards.values()))


def _front(strategy: Strategy, rules: RuleSet, decision: GradedDecision) -> str:
    puzzle = Puzzle(decision.card, decision.dice, decision.rolls_left)
    texts = puzzle_texts(rules, puzzle, strategy)
    boxes = (f"{label} {names}" for label, names in texts.boxes.items())
    dice = f"{spaced(puzzle.dice)}  {glyphs(puzzle.dice)}"
    lines = *map(escape, (texts.title, *boxes, f"{texts.stage}:")), f"<b>{escape(dice)}</b>"
    return "<br>".join(lines).replace("\t", " ")


def _back(rules: RuleSet, decision: GradedDecision) -> str:
    best = capitalised(action_text(rules, decision.best))
    own = _(
        "You: {action} ({grade}, lost {points})",
        action=action_text(rules, decision.done),
        grade=grade_word(decision.grade, 1),
        points=number_text(decision.loss, 2),
    )
    return f"<b>{escape(best)}</b><br>{escape(own)}".replace("\t", " ")


def puzzle_sheet(
    strategy: Strategy, rules: RuleSet, language: str, puzzles: Sequence[Puzzle]
) -> str:
    """Return a page of puzzles, followed by one of their solutions."""
    title = _("Puzzles: {game}", game=rules.name)
    asked = "".join(_puzzle(strategy, rules, puzzle) for puzzle in puzzles)
    solved = "".join(_solution(strategy, rules, puzzle) for puzzle in puzzles)
    lead = _(
        "Which dice do you keep, or which box do you take, for the best final score on average?"
    )
    key = _("Points: what the second-best choice loses on average.")
    body = (
        f'<div class="sheet"><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>'
        f'<ol class="puzzles">{asked}</ol></div>\n'
        f'<div class="sheet"><h1>{escape(_("Solutions"))}</h1><p class="lead">{escape(key)}</p>'
        f'<ol class="solutions">{solved}</ol></div>'
    )
    return html_page(language, title, ["guide", "exercises"], f"<body>\n{body}\n</body>")


def _puzzle(strategy: Strategy, rules: RuleSet, puzzle: Puzzle) -> str:
    texts = puzzle_texts(rules, puzzle, strategy)
    boxes = "".join(
        f"<p><b>{escape(capitalised(label))}</b> {escape(names)}</p>"
        for label, names in texts.boxes.items()
    )
    dice = dice_picture([(face, False) for face in puzzle.dice])
    answer = escape(_("Answer:"))
    return (
        f"<li><p>{dice}</p><p>{escape(capitalised(texts.stage))}</p>{boxes}"
        f'<p class="answer">{answer}</p></li>'
    )


def _solution(strategy: Strategy, rules: RuleSet, puzzle: Puzzle) -> str:
    best, second = puzzle.options(strategy)[:2]
    held = best.dice if isinstance(best, Hold) and best.dice else ()
    dice = dice_picture(marked_dice(puzzle.dice, held))
    following = _(
        "then {action}: {points}",
        action=action_text(rules, second),
        points=number_text(second.loss, 2),
    )
    words = f"<b>{escape(capitalised(action_text(rules, best)))}</b> ({escape(following)})"
    return f"<li>{dice} {words}</li>"
