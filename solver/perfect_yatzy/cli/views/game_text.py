"""The game of `yatzy play` as text: scorecards, prompts and points.

The lines fit into the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.dice import Dice
from ...core.rules import RuleSet
from ...game.notation import glyphs, spaced
from ...game.scorecard import Scorecard
from ...play.session import Action, Session
from ...words import N_, _, enumerated, ngettext, number_text
from ..text_width import columns, columns_of, shortened
from . import wording

Decision = Dice | str  # the dice held, ascending, or the id of the category to score
MAX_NAME = 20  # columns of a player's name
MAX_ZEROS = 4  # categories for no points that are named; more are counted
DECISION_HELP = N_("""\
  ?             show the best options and what the others lose (?? shows all)
  advice win    advice and warnings for the chance to win (advice mean: for points)
  undo          undo the last decision
  card          show the scorecards again
  quit          save the game and quit""")
DICE_HELP = N_("""\
  {faces:<12}  the dice you rolled, in any order; after a hold only the rerolled
                ones, or all of them
  undo          undo the last decision
  card          show the scorecards again
  quit          save the game and quit""")


def short_name(name: str) -> str:
    """Return a player's name, shortened to fit into cards and prompts."""
    return shortened(name, MAX_NAME)


def card_rows(rules: RuleSet, card: Scorecard) -> list[tuple[str, str]]:
    """Return one player's scorecard as labels and values. A dot stands for an open category."""
    rows = [(box.name, str(card.points.get(i, "·"))) for i, box in enumerate(rules.categories)]
    if rules.bonus:
        labels = wording.upper_bonus_labels(rules, short=True)
        cells = wording.upper_bonus_cells(rules, card.state.filled, card.column_sums)
        rows += zip(labels, cells, strict=True)
    if rules.first_roll_bonus or (rules.joker and rules.joker.bonus):
        rows.append((_("Bonus points"), str(card.bonus_points)))
    if rules.saved_rolls:
        rows.append((_("Saved rolls"), str(card.saved)))
    return [*rows, (_("Total"), str(card.score))]


def card_lines(rules: RuleSet, session: Session, players: Iterable[int]) -> list[str]:
    """Return the scorecards of some players side by side.

    They are in blocks of as many as fit into a line.
    """
    labels = ["", *(label for label, _value in card_rows(rules, session.card(0)))]
    line_room = wording.line_width() - 2 - max(map(columns_of, labels))  # for the cards of a block
    blocks: list[list[list[str]]] = [[]]  # the cells of each card, by block
    room = line_room
    for i in players:
        values = (value for _label, value in card_rows(rules, session.card(i)))
        cells = [short_name(session.players[i]), *values]
        width = 2 + _cells_width(cells)
        if blocks[-1] and width > room:
            blocks.append([])
            room = line_room
        room -= width
        blocks[-1].append(cells)
    lines: list[str] = []
    for block in blocks:
        if lines:
            lines.append("")
        rows = [*zip(labels, *block, strict=True)]
        lines += columns(rows, "<", *(f">{_cells_width(cells)}" for cells in block))
    return lines


def _cells_width(cells: list[str]) -> int:
    return max(6, *map(columns_of, cells))


def spoken_card_lines(rules: RuleSet, session: Session, players: Iterable[int]) -> list[str]:
    """Return the scorecards as sentences, for a screen reader."""
    lines = []
    for player in players:
        name = session.players[player]
        card = session.card(player)
        # The points of an open box are None.
        points_of = [(box.name, card.points.get(i)) for i, box in enumerate(rules.categories)]
        filled = ", ".join(f"{box} {points}" for box, points in points_of if points is not None)
        still_open = ", ".join(box for box, points in points_of if points is None)
        boxes = {"filled": filled or _("nothing"), "open": still_open or _("none")}
        line = _(
            "{name}: total {total}. Filled: {filled}. Open: {open}.",
            name=name,
            total=card.score,
            **boxes,
        )
        # These are the rows between the boxes and the total.
        for label, value in card_rows(rules, card)[len(rules.categories) : -1]:
            is_final = value.lstrip("+").isdigit()  # not ``16 of 63``
            sentence = _(" {label}: {value}.") if is_final else _(" {label}: {value} so far.")
            line += sentence.format(label=label, value=value)
        lines.append(line)
    return lines


def winner_line(session: Session) -> str:
    """Return the winner of a finished game and the lead, or the players who tie.

    The game has two players or more.
    """
    scores = [session.card(i).score for i in range(len(session.players))]
    highest = max(scores)
    winners = [
        short_name(name)
        for name, score in zip(session.players, scores, strict=True)
        if score == highest
    ]
    if len(winners) > 1:
        return _("A tie at {points} points: {names}.", points=highest, names=enumerated(winners))
    second = sorted(scores)[-2]
    sentence = _("{name} wins with {points} points, {lead} ahead.")
    if winners[0] == _("You"):  # the name of a player without one
        sentence = _("You win with {points} points, {lead} ahead.")
    return sentence.format(name=winners[0], points=highest, lead=highest - second)


def same_dice_line(players: Sequence[str], lost: Sequence[float]) -> str:
    """Return the players of the same dice by what their errors lost, the least first."""
    order = sorted(range(len(players)), key=lambda i: lost[i])
    parts = (f"{short_name(players[i])} {number_text(lost[i], 1)}" for i in order)
    return _("The same dice for all; points lost by errors: {players}.\n", players="; ".join(parts))


def player_prefix(session: Session, player: int) -> str:
    """Return the name of a player and a colon if there is more than one player."""
    return f"{short_name(session.players[player])}: " if len(session.players) > 1 else ""


def turn_number(session: Session) -> int:
    """Return the number of the turn of each player, from 1 on."""
    return len(session.turns) // len(session.players) + 1


def stage_line(session: Session) -> str:
    """Return the player, turn, roll and rerolls left, and the dice."""
    rolls_left = session.rolls_left
    saved = min(rolls_left, session.card().saved)
    prefix = player_prefix(session, session.player)
    sentence = (
        _("turn {turn} of {turns}, roll {roll}")
        if prefix
        else _("Turn {turn} of {turns}, roll {roll}")
    )
    stage = sentence.format(
        turn=turn_number(session),
        turns=len(session.rules.categories),
        roll=len(session.dice_history),
    )
    line = f"{prefix}{stage}, {wording.rerolls_left_text(rolls_left)}"
    if saved:
        saved_text = ngettext(
            "(one saved)", "({count} saved)", saved, count=wording.number_word(saved)
        )
        line += " " + saved_text
    return wording.wrapped(f"{line}: {spaced(session.dice)}  {glyphs(session.dice)}")


def dice_question(session: Session) -> str:
    """Return the prompt for dice that a player rolled."""
    held = session.holds[-1] if session.holds else ()
    which = str(session.to_roll)  # how many dice, and without which
    if held:
        which = _("{count}, without the held {dice}", count=session.to_roll, dice=spaced(held))
    prefix = player_prefix(session, session.player)
    sentence = (
        _("dice you rolled ({dice}; help):") if prefix else _("Dice you rolled ({dice}; help):")
    )
    return prefix + sentence.format(dice=which)


def dice_help(session: Session) -> str:
    """Return the answers to :func:`dice_question`."""
    faces = "".join(str(i % session.rules.faces + 1) for i in range(session.to_roll))
    return _(DICE_HELP, faces=faces)  # marked elsewhere


def score_line(rules: RuleSet, session: Session, category: str) -> str:
    """Return the points of the turn just finished."""
    turn = session.turns[-1]
    points = _points_and_bonus(turn.points, turn.bonus_points)
    return f"{player_prefix(session, turn.player)}{wording.category_name(rules, category)} {points}"


def _points_and_bonus(points: int, bonus_points: int) -> str:
    if not bonus_points:
        return str(points)
    return _("{points} and {bonus_points} bonus points", points=points, bonus_points=bonus_points)


def computer_line(rules: RuleSet, session: Session, decision: Decision) -> str:
    """Return one roll of a computer player, and what it does with it."""
    if isinstance(decision, str):
        points = _points_and_bonus(*session.choices()[decision])
        action = _(
            "takes {category} for {points}",
            category=wording.category_name(rules, decision),
            points=points,
        )
    else:
        action = _("holds {dice}", dice=spaced(decision)) if decision else _("rerolls all dice")
    return wording.wrapped(f"  {spaced(session.dice)}  {glyphs(session.dice)}  {action}")


def points_by_category(session: Session) -> dict[str, int]:
    """Return what the dice pay in each category that can be taken, with bonus points."""
    return {
        name: points + bonus_points for name, (points, bonus_points) in session.choices().items()
    }


def points_line(rules: RuleSet, session: Session) -> str:
    """Return the points of the dice in each category that can be taken, most first."""
    points_of = points_by_category(session)
    ranked = sorted(points_of, key=lambda name: -points_of[name])
    scoring = [
        f"{wording.category_name(rules, name)} {points_of[name]}"
        for name in ranked
        if points_of[name]
    ]
    zeros = [f"{wording.category_name(rules, name)} 0" for name in ranked if not points_of[name]]
    if scoring and len(zeros) > MAX_ZEROS:  # where nothing scores, these are the choice
        zeros = [_("{count} others", count=wording.number_word(len(zeros))) + " 0"]
    return wording.wrapped(_("Points now: {points}", points=", ".join(scoring + zeros)))


def loss_warning(rules: RuleSet, session: Session, decision: Decision, loss: float) -> str:
    """Return the sentence that a hold or a category loses points."""
    if isinstance(decision, str):
        sentence = _("{category} for {points} loses {loss} points on average.")
    elif decision:
        sentence = _("Holding {dice} loses {loss} points on average.")
    else:
        sentence = _("Rerolling all dice loses {loss} points on average.")
    return sentence.format(**_named(rules, session, decision), loss=number_text(loss, 2))


def chance_warning(
    rules: RuleSet,
    session: Session,
    decision: Decision,
    chance: float,
    best_chance: float,
) -> str:
    """Return the sentence that a hold or a category lowers the chance to win."""
    if isinstance(decision, str):
        sentence = _(
            "{category} for {points} lowers the chance to win: {chance} instead of {best_chance}."
        )
    elif decision:
        sentence = _("Holding {dice} lowers the chance to win: {chance} instead of {best_chance}.")
    else:
        sentence = _(
            "Rerolling all dice lowers the chance to win: {chance} instead of {best_chance}."
        )
    chances = {
        "chance": wording.chance_text(chance),
        "best_chance": wording.chance_text(best_chance),
    }
    return sentence.format(**_named(rules, session, decision), **chances)


def _named(rules: RuleSet, session: Session, decision: Decision) -> dict[str, str]:
    """Return the category and its points, or the dice held, as fields of a sentence."""
    if not isinstance(decision, str):
        return {"dice": spaced(decision)}
    return {
        "category": wording.category_name(rules, decision),
        "points": _points_and_bonus(*session.choices()[decision]),
    }


def action_line(rules: RuleSet, action: Action) -> str:
    """Return what an undo reverted."""
    if action.kind == "roll":
        text = _("the roll {dice}", dice=spaced(action.dice))
    else:
        text = _decision_text(rules, action.category or action.dice)
    return _("Undone: {action}.", action=text)


def withdrawn_line(rules: RuleSet, decision: Decision) -> str:
    """Return which decision the player took back before it was carried out."""
    return _("Withdrawn: {action}.", action=_decision_text(rules, decision))


def _decision_text(rules: RuleSet, decision: Decision) -> str:
    if isinstance(decision, str):
        return wording.category_name(rules, decision)
    return _("hold {dice}", dice=spaced(decision)) if decision else _("hold nothing")
