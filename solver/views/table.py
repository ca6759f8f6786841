"""The table at which one plays: the cards, the dice, what may be done. Plain text of 80 columns."""

from __future__ import annotations

from textwrap import wrap

from ..notation import Scorecard, glyphs, spaced
from ..opponents import final_score
from ..rules import RuleSet
from ..session import Session
from .text import category_name, number_word, plural

HELP = """\
  33            hold these dice and reroll the rest
  none          reroll all dice
  full house    take this category for the dice (id, name, code or a prefix)
  ?             what is best now, and what the others lose (?? shows all)
  undo          take the last decision back
  card          show the score cards again
  quit          stop; the game is saved, `yatzy play` goes on with it"""


def card_lines(rules: RuleSet, session: Session) -> list[str]:
    """Every player's card side by side; a dot is an open box."""
    cards = [session.card(i) for i in range(len(session.players))]
    width = max(len(category.name) for category in rules.categories)
    columns = [max(6, min(12, len(name))) for name in session.players]
    head = "  ".join(f"{name[:12]:>{w}}" for name, w in zip(session.players, columns, strict=True))
    lines = [f"  {'':<{width}}  {head}"]
    for c, category in enumerate(rules.categories):
        boxes = [str(card.points[c]) if c in card.points else "·" for card in cards]
        row = "  ".join(f"{box:>{w}}" for box, w in zip(boxes, columns, strict=True))
        lines.append(f"  {category.name:<{width}}  {row}")
    if rules.bonus:
        row = "  ".join(f"{bonus_word(card):>{w}}" for card, w in zip(cards, columns, strict=True))
        lines.append(f"  {f'Bonus {rules.bonus.points} at {rules.bonus.threshold}':<{width}}  {row}")
    totals = "  ".join(f"{final_score(card):>{w}}" for card, w in zip(cards, columns, strict=True))
    return [*lines, f"  {'Total':<{width}}  {totals}"]


def bonus_word(card: Scorecard) -> str:
    """The upper sum so far, or the bonus."""
    assert card.rules.bonus is not None
    return f"+{card.rules.bonus.points}" if card.upper >= card.rules.bonus.threshold else f"({card.upper})"


def spoken_card(rules: RuleSet, session: Session) -> list[str]:
    """The cards as sentences, for a screen reader."""
    lines = []
    for i, name in enumerate(session.players):
        card = session.card(i)
        filled = ", ".join(f"{rules.categories[c].name} {points}" for c, points in sorted(card.points.items()))
        still_open = ", ".join(cat.name for c, cat in enumerate(rules.categories) if c not in card.points)
        total = f"{name}: total {final_score(card)}"
        lines.append(f"{total}. Filled: {filled or 'nothing'}. Open: {still_open or 'none'}.")
    return lines


def stage_line(session: Session) -> str:
    """Whose turn it is, which roll, what lies on the table."""
    left, name = session.rolls_left, session.players[session.player]
    turn = len(session.turns) // len(session.players) + 1
    who = f"{name}, turn" if len(session.players) > 1 else "Turn"
    roll = f"roll {len(session.rolls)}, {plural(left, 'reroll')} left"
    stage = f"{who} {turn} of {len(session.rules.categories)}, {roll}"
    return f"{stage}: {spaced(session.dice)}  {glyphs(session.dice)}"


def choice_line(rules: RuleSet, session: Session) -> str:
    """What the dice would pay, best first."""
    paid = {c: points + beside for c, (points, beside) in session.choices().items()}
    ranked = sorted(paid.items(), key=lambda item: -item[1])
    named = [f"{category_name(rules, c)} {points}" for c, points in ranked if points]
    zeros = [category_name(rules, c) for c, points in ranked if not points]
    if len(zeros) > 4:
        zeros = [f"{number_word(len(zeros))} others"]
    return ", ".join(named + [f"{name} 0" for name in zeros])


def wrapped(text: str) -> str:
    """Text in lines of at most 78 columns."""
    return "\n".join(wrap(text, 78, subsequent_indent="  "))
