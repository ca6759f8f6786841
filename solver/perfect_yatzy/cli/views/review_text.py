"""How well people play, as text: graded games and puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.dice import Dice
from ...core.rules import RuleSet
from ...errors import StateError
from ...game.notation import glyphs, parse_category, parse_hold, spaced
from ...play.puzzle import Puzzle
from ...play.review import ActionOutlook, GradedDecision, Review, find_action, grade
from ...strategy.actions import Choice, Hold
from ...strategy.strategy import Strategy
from ...words import _, ngettext, number_text
from ..text_width import columns, columns_of, left, wrap
from . import wording
from .wording import (
    category_name,
    chance_text,
    decision_of,
    line_width,
    loss_text,
)

MAX_CATEGORIES = 5  # categories that are listed when two holds are compared
MAX_OPTIONS = 5  # options that are listed in a solution


def action_text(rules: RuleSet, action: Hold | Choice) -> str:
    """Return what an action does, in words."""
    if isinstance(action, Choice):
        points = action.points + action.bonus_points
        return _(
            "{category} for {points}", category=category_name(rules, action.category), points=points
        )
    return _("hold {dice}", dice=spaced(action.dice)) if action.dice else _("hold nothing")


def summary_lines(rules: RuleSet, review: Review) -> list[str]:
    """Return the result of a game, split into start, luck and errors.

    The number of decisions of each grade follows.
    """
    if review.finished:
        text = _("{player}: {points} points")
        points = number_text(review.result, 0)
    else:
        text = _("{player}: {points} points expected (unfinished)")
        points = number_text(review.result, 2)
    balance = _(
        "Result {result} = start {start} {luck} luck - {lost} errors",
        result=number_text(review.result, 2),
        start=number_text(review.start, 2),
        luck=signed(review.luck),
        lost=number_text(review.points_lost, 2),
    )
    grades = [
        f"{number} {grade_word(word, number)}" for word, number in review.counts().items() if number
    ]
    decisions = ngettext(
        "{count} decision: {grades}",
        "{count} decisions: {grades}",
        len(review.decisions),
        count=len(review.decisions),
        grades=", ".join(grades) or _("none yet"),
    )
    return [text.format(player=review.player, points=points), "", balance, decisions]


def grade_word(grade: str, count: int) -> str:
    """Return ``mistake`` or ``mistakes`` and the like. Best and tied have no plural."""
    words = {
        "best": _("best"),
        "tied": _("tied"),
        "inaccuracy": ngettext("inaccuracy", "inaccuracies", count),
        "mistake": ngettext("mistake", "mistakes", count),
        "blunder": ngettext("blunder", "blunders", count),
    }
    return words.get(grade, grade)


def signed(points: float) -> str:
    """Return a term of a sum: its sign, a space and two decimals."""
    rounded = round(points, 2)
    return f"{'-' if rounded < 0 else '+'} {number_text(abs(rounded), 2)}"


def _decision_lines(
    rules: RuleSet, decision: GradedDecision, actual: ActionOutlook, best: ActionOutlook
) -> list[str]:
    graded = _(
        "Turn {turn}, roll {roll}, {dice}: {action} ({grade}, lost {points})",
        turn=decision.turn,
        roll=decision.roll,
        dice=spaced(decision.dice),
        action=action_text(rules, decision.done),
        grade=grade_word(decision.grade, 1),
        points=number_text(decision.loss, 2),
    )
    lines = wrap(graded, line_width(), subsequent_indent="  ")
    best_action = _("best: {action}", action=action_text(rules, decision.best))
    lines += wrap(best_action, line_width(), initial_indent="  ", subsequent_indent="    ")
    return lines + columns(
        [("", _("best"), _("actual")), *outlook_rows(rules, actual, best)], "<", ">12", ">12"
    )


def outlook_rows(
    rules: RuleSet, actual: ActionOutlook, best: ActionOutlook
) -> list[tuple[str, str, str]]:
    """Return rows of a label, the best action and the actual one.

    They are the points now and later, the upper bonus, and the chance of each category for this
    turn.
    """

    def bonus_text(chance: float) -> str:
        if chance < 1e-9:
            return _("out of reach")
        return _("secured") if chance > 1 - 1e-9 else chance_text(chance)

    rows = [
        (
            _("points this turn"),
            number_text(best.turn_points, 2),
            number_text(actual.turn_points, 2),
        )
    ]
    if actual.later_points is not None and best.later_points is not None:
        rows.append(
            (
                _("points later"),
                number_text(best.later_points, 2),
                number_text(actual.later_points, 2),
            )
        )
    if actual.upper_bonus_chance is not None and best.upper_bonus_chance is not None:
        rows.append(
            (
                _("upper bonus"),
                bonus_text(best.upper_bonus_chance),
                bonus_text(actual.upper_bonus_chance),
            )
        )
    if len(best.categories) > 1 or len(actual.categories) > 1:
        rows.append((_("category taken:"), "", ""))
        rows += _category_rows(rules, actual, best)
    return rows


def _category_rows(
    rules: RuleSet, actual: ActionOutlook, best: ActionOutlook
) -> list[tuple[str, str, str]]:
    """Return the categories that are most likely to be taken, with their two chances."""
    of_best = {outlook.id: outlook.chance for outlook in best.categories}
    of_actual = {outlook.id: outlook.chance for outlook in actual.categories}
    chances = {
        category: (of_best.get(category, 0.0), of_actual.get(category, 0.0))
        for category in of_best | of_actual
    }
    most_likely_first = sorted(chances, key=lambda category: max(chances[category]), reverse=True)
    rows = []
    for category in most_likely_first[:MAX_CATEGORIES]:
        best_chance, actual_chance = map(chance_text, chances[category])
        rows.append((f"  {category_name(rules, category)}", best_chance, actual_chance))
    return rows


def review_lines(
    rules: RuleSet,
    review: Review,
    explained: list[tuple[GradedDecision, ActionOutlook, ActionOutlook]],
) -> list[str]:
    """Return lines for `yatzy review`: the summary, and decisions with two outlooks.

    The outlooks are those of the actual action and of the best.
    """
    decisions: list[str] = []
    for decision, actual, best in explained:
        decisions += [*_decision_lines(rules, decision, actual, best), ""]
    return [*summary_lines(rules, review), "", *(decisions or [_("No errors found.")])]


class PuzzleTexts(NamedTuple):
    """The position of a puzzle in words, without its dice."""

    title: str  # the game and the points so far
    boxes: dict[str, str]  # the filled and the open boxes, by label
    stage: str  # which roll it is, and how many rerolls are left


def puzzle_texts(rules: RuleSet, puzzle: Puzzle, strategy: Strategy) -> PuzzleTexts:
    """Return the position of a puzzle in words."""
    card = puzzle.card
    rolls_left = puzzle.rolls_left
    filled = [
        f"{rules.categories[number].name} {points}"
        for number, points in sorted(card.points.items())
    ]
    still_open = [
        box.name for number, box in enumerate(rules.categories) if number not in card.points
    ]
    if card.bonus_points:
        filled.append(_("bonus points {points}", points=card.bonus_points))
    if card.saved:
        filled.append(_("saved rolls {count}", count=card.saved))
    rows = {_("filled:"): filled, _("open:"): still_open}
    texts = {label: ", ".join(names) or _("nothing") for label, names in rows.items()}
    n_rolls = strategy.max_rerolls(card.state) + 1
    rerolls = wording.rerolls_left_text(rolls_left)
    stage = _(
        "roll {roll} of {rolls}, {rerolls}",
        roll=n_rolls - rolls_left,
        rolls=n_rolls,
        rerolls=rerolls,
    )
    title = _("{game}, {points} points", game=rules.name, points=card.total)
    return PuzzleTexts(title, texts, stage)


def puzzle_lines(rules: RuleSet, puzzle: Puzzle, strategy: Strategy) -> list[str]:
    """Return the position of a puzzle: the scorecard, the roll and the rerolls left."""
    texts = puzzle_texts(rules, puzzle, strategy)
    lines = [texts.title]
    width = max(map(columns_of, texts.boxes))
    for label, names in texts.boxes.items():
        lines += wrap(
            names,
            line_width(),
            initial_indent=f"  {left(label, width)} ",
            subsequent_indent=" " * (width + 3),
        )
    return [*lines, f"  {texts.stage}: {spaced(puzzle.dice)}  {glyphs(puzzle.dice)}"]


def find_answer(
    rules: RuleSet, puzzle: Puzzle, options: Sequence[Hold | Choice], text: str
) -> Hold | Choice:
    """Return the option that a player's text names: dice, ``none``, or a category.

    Raises StateError if the text names none of the options.
    """
    decision = decision_of(text)
    held = parse_hold(decision, puzzle.dice) if puzzle.rolls_left else None
    if held is not None:
        return _hold_option(puzzle, options, held)
    points_of = {
        option.category: option.points + option.bonus_points
        for option in options
        if isinstance(option, Choice)
    }
    category = parse_category(rules, decision, points_of)
    option = find_action(options, category)
    if option is not None:
        return option
    is_filled = rules.index_of[category] in puzzle.card.points
    sentence = (
        _("{category} is already filled") if is_filled else _("{category} cannot be taken now")
    )
    raise StateError(sentence.format(category=category))


def _hold_option(puzzle: Puzzle, options: Sequence[Hold | Choice], held: Dice) -> Hold | Choice:
    """Return the option that holds these dice. Raises StateError if there is none."""
    if held == puzzle.dice:
        raise StateError(
            _("all dice are held, so there is nothing to reroll; name the category to take")
        )
    option = find_action(options, held)
    if option is None:
        dice = spaced(puzzle.dice)
        raise StateError(_("{held} is not within {dice}", held=spaced(held), dice=dice))
    return option


def grade_line(rules: RuleSet, answer: Hold | Choice, *, is_best: bool) -> str:
    """Return the grade and the loss of an answer."""
    action = action_text(rules, answer)
    facts = {
        "action": action[0].upper() + action[1:],
        "grade": grade_word(grade(answer.loss, is_best), 1),
    }
    sentence = _("{action}: {grade}, loses {points}") if answer.loss else _("{action}: {grade}")
    return sentence.format(**facts, points=number_text(answer.loss, 2))


def solution_lines(rules: RuleSet, options: Sequence[Hold | Choice]) -> list[str]:
    """Return the best options and what they lose."""
    rows = [("", _("loses"))]
    for option in options[:MAX_OPTIONS]:
        loss = loss_text(option.loss, is_best=option is options[0])
        rows.append((action_text(rules, option), loss))
    return columns(rows, "<", ">9")
