"""The table at which one plays: the cards, the dice, what may be done. Plain text of 80 columns."""

from __future__ import annotations

from textwrap import wrap

from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from ...game.scorecard import Scorecard
from ...play.session import Session
from ...strategy.opponents import final_score
from .text import category_name, number_word, plural

WIDTH = 78  # columns of a line
LONGEST = 20  # columns of a player's name
HELP = """\
  33            hold these dice and reroll the rest
  none          reroll all dice
  full house    take this category for the dice (id, name, code or a prefix)
  ?             what is best now, and what the others lose (?? shows all)
  undo          take the last decision back
  card          show the score cards again
  quit          stop; the game is saved, and says how to go on with it"""
DICE_HELP = """\
  {faces:<12}  the dice you rolled, in any order; after a hold only the rerolled
                ones, or all of them
  undo          take the last decision back
  card          show the score cards again
  quit          stop; the game is saved, and says how to go on with it"""


def short(name: str) -> str:
    """A player's name in so many columns that cards and prompts have room beside it."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def card_rows(rules: RuleSet, card: Scorecard) -> list[tuple[str, str]]:
    """One player's card: what stands beside each name of the sheet; a dot is an open box."""
    rows = [(c.name, str(card.points[i]) if i in card.points else "·") for i, c in enumerate(rules.categories)]
    if rules.bonus:
        rows.append((f"Bonus {rules.bonus.points} at {rules.bonus.threshold}", bonus_word(card)))
    if rules.first_roll_bonus or (rules.joker and rules.joker.bonus):
        rows.append(("Extra points", str(card.bonus_points)))
    if rules.saved_rolls:
        rows.append(("Saved rolls", str(card.saved)))
    return [*rows, ("Total", str(final_score(card)))]


def card_lines(rules: RuleSet, session: Session) -> list[str]:
    """Every player's card side by side, in blocks of as many as fit."""
    columns = [
        [short(name), *(value for _, value in card_rows(rules, session.card(i)))]
        for i, name in enumerate(session.players)
    ]
    names = ["", *(name for name, _ in card_rows(rules, session.card(0)))]
    width = max(map(len, names))
    blocks: list[list[list[str]]] = [[]]
    room = 0
    for column in columns:
        wide = max(6, *map(len, column))
        padded = [f"{value:>{wide}}" for value in column]
        room += wide + 2
        if blocks[-1] and width + 2 + room > WIDTH:
            blocks.append([])
            room = wide + 2
        blocks[-1].append(padded)
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines else []
        lines += [f"  {name:<{width}}  {'  '.join(row)}" for name, *row in zip(names, *block, strict=True)]
    return lines


def bonus_word(card: Scorecard) -> str:
    """The upper bonus, or in brackets the upper sum so far."""
    rules = card.rules
    assert rules.bonus is not None
    if card.upper >= rules.bonus.threshold:
        return f"+{rules.bonus.points}"
    still_open = any(c.upper and i not in card.points for i, c in enumerate(rules.categories))
    return f"({card.upper})" if still_open else "0"


def spoken_card(rules: RuleSet, session: Session) -> list[str]:
    """The cards as sentences, for a screen reader."""
    lines = []
    for i, name in enumerate(session.players):
        card = session.card(i)
        boxes, bonus_points = len(rules.categories), card_rows(rules, card)[len(rules.categories) : -1]
        filled = ", ".join(f"{rules.categories[c].name} {points}" for c, points in sorted(card.points.items()))
        still_open = ", ".join(rules.categories[c].name for c in range(boxes) if c not in card.points)
        total = f"{name}: total {final_score(card)}"
        others = "".join(
            f" {label}: {value.strip('()')}{' so far' * value.startswith('(')}." for label, value in bonus_points
        )
        lines.append(f"{total}. Filled: {filled or 'nothing'}. Open: {still_open or 'none'}.{others}")
    return lines


def winner_line(session: Session) -> str:
    """Who has won, or who share the victory."""
    scores = [final_score(session.card(i)) for i in range(len(session.players))]
    best = max(scores)
    first = [short(name) for name, score in zip(session.players, scores, strict=True) if score == best]
    if len(first) > 1:
        return f"A tie at {best} points: {', '.join(first[:-1])} and {first[-1]}."
    second = max(score for score in scores if score < best)
    return f"{first[0]} wins with {best} points, {best - second} ahead."


def prefix(session: Session) -> str:
    """Whose turn it is, where there is more than one player."""
    return f"{short(session.players[session.player])}: " if len(session.players) > 1 else ""


def stage_line(session: Session) -> str:
    """Whose turn it is, which roll, what lies on the table."""
    left, kept = session.rolls_left, min(session.rolls_left, session.card().saved)
    saved = f" ({number_word(kept)} saved)" if kept else ""
    turn = len(session.turns) // len(session.players) + 1
    stage = f"turn {turn} of {len(session.rules.categories)}, roll {len(session.dice_history)}"
    who = prefix(session)
    line = f"{who}{stage if who else stage.capitalize()}, {plural(left, 'reroll')} left{saved}"
    return wrapped(f"{line}: {spaced(session.dice)}  {glyphs(session.dice)}")


def dice_question(session: Session) -> str:
    """Which dice are to be typed in, and by whom."""
    held = session.holds[-1] if session.holds else ()
    dice = f"{session.to_roll}, beside {spaced(held)}" if held else str(session.to_roll)
    return f"{prefix(session)}{'dice' if prefix(session) else 'Dice'} you rolled ({dice}; help):"


def dice_help(session: Session) -> str:
    """How dice are typed in now."""
    return DICE_HELP.format(faces="".join(str(i % session.rules.faces + 1) for i in range(session.to_roll)))


def taken_line(rules: RuleSet, session: Session, category: str) -> str:
    """What the category that was just taken brought."""
    turn = session.turns[-1]
    who = f"{short(session.players[turn.player])}: " if len(session.players) > 1 else ""
    bonus_points = f" and {turn.bonus_points} extra" if turn.bonus_points else ""
    return f"{who}{category_name(rules, category)} {turn.points}{bonus_points}"


def choice_line(rules: RuleSet, session: Session) -> str:
    """What the dice would pay, best first."""
    paid = {c: points + bonus_points for c, (points, bonus_points) in session.choices().items()}
    ranked = sorted(paid.items(), key=lambda item: -item[1])
    named = [f"{category_name(rules, c)} {points}" for c, points in ranked if points]
    zeros = [category_name(rules, c) for c, points in ranked if not points]
    if len(zeros) > 4:
        zeros = [f"{number_word(len(zeros))} others"]
    return ", ".join(named + [f"{name} 0" for name in zeros])


def wrapped(text: str) -> str:
    """Text in lines of at most 78 columns."""
    return "\n".join(wrap(text, WIDTH, subsequent_indent="  "))
