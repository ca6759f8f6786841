"""The rules of a game in sentences, for people: `yatzy rules show`, the page and its sheets."""

from __future__ import annotations

from ..core.rules import Column, Joker, RuleSet, leaves_choice
from ..words import N_, _, either, ngettext, number_word

ORDERS = {
    "free": N_("in any order"),
    "forced": N_("in the listed order"),
    "reversed": N_("from the last to the first"),
    "upper-first": N_("the upper ones (*) before the others"),
}
# By `bonus_requires` and `bonus_while` of a joker.
JOKER_BONUSES = {
    ("points", "always"): N_("A further {category} pays {points} bonus points"),
    ("filled", "always"): N_(
        "A further {category} pays {points} bonus points, even if its box holds 0"
    ),
    ("points", "matching-box-open"): N_(
        "A further {category} pays {points} bonus points while the matching upper box is open"
    ),
    ("filled", "matching-box-open"): N_(
        "A further {category} pays {points} bonus points while the matching upper box is open, "
        "even if its box holds 0"
    ),
}
# By `mode` and `requires` of a joker.
JOKER_MODES = {
    ("free", "filled"): N_("A further {category} is a free joker"),
    ("free", "points"): N_("A further {category} is a free joker if its box holds points"),
    ("forced", "filled"): N_("A further {category} is a forced joker"),
    ("forced", "points"): N_("A further {category} is a forced joker if its box holds points"),
    ("maximum", "filled"): N_("A further {category} lets any open box pay the most it can"),
    ("maximum", "points"): N_(
        "A further {category} lets any open box pay the most it can if its box holds points"
    ),
}


def order_text(order: str) -> str:
    """Return an order of the boxes in words: ``from the last to the first``."""
    return _(ORDERS[order])  # marked elsewhere


def rule_sentences(rules: RuleSet, columns: bool = True) -> list[str]:
    """Return the rules apart from the boxes.

    They are about dice, order, columns, upper bonus, crossing out, saved rolls, jokers, and first
    rolls.
    """
    sentences = [_first_sentence(rules)]
    if columns:
        sentences += [_column_sentence(rules, column) for column in rules.columns]
    if rules.bonus and not rules.columns:
        sentences.append(_bonus_sentence(rules))
    if rules.crossing_out != "free":
        sentences.append(
            _("A box may be crossed out only if the roll scores in no box that may take it")
        )
    elif leaves_choice(rules):
        sentences.append(_("A box may be crossed out at any time"))
    if rules.saved_rolls:
        sentences.append(_("Unused rolls are saved for later turns"))
    if rules.joker:
        sentences += joker_sentences(rules.joker, rules.categories[rules.joker_index].name)
    return sentences + _first_roll_sentences(rules)


def joker_sentences(joker: Joker, name: str) -> list[str]:
    """Return what a joker does, with the name of its category."""
    texts = []
    if joker.bonus:
        texts.append(JOKER_BONUSES[joker.bonus_requires, joker.bonus_while])
    if joker.mode != "none":
        texts.append(JOKER_MODES[joker.mode, joker.requires])
    if not texts:
        texts.append(N_("A further {category} is an ordinary roll"))
    return [_(text).format(category=name, points=joker.bonus) for text in texts]  # marked elsewhere


def _first_sentence(rules: RuleSet) -> str:
    """Return the sentence about dice, rolls and boxes."""
    dice = ngettext(
        "one die with {faces} faces",
        "{count} dice with {faces} faces",
        rules.dice,
        count=number_word(rules.dice),
        faces=rules.faces,
    )
    rolls = ngettext(
        "one roll a turn",
        "{count} rolls a turn",
        rules.rolls_per_turn,
        count=number_word(rules.rolls_per_turn),
    )
    n_boxes, n_columns = len(rules.categories), len(rules.columns)
    if n_columns:
        boxes = ngettext(
            "{boxes} boxes in one column",
            "{boxes} boxes in {count} columns",
            n_columns,
            boxes=n_boxes,
            count=number_word(n_columns),
        )
    else:
        boxes = ngettext(
            "{count} category {order}",
            "{count} categories {order}",
            n_boxes,
            count=n_boxes,
            order=order_text(rules.order),
        )
    return f"{dice[:1].upper()}{dice[1:]}, {rolls}, {boxes}"


def _column_sentence(rules: RuleSet, column: Column) -> str:
    """Return the sentence about the order, the factor and the upper bonus of a column."""
    facts = [order_text(column.order)]
    if column.factor != 1:
        facts.append(_("all points times {factor}", factor=column.factor))
    if rules.bonus:
        bonus = rules.bonus.times(column.factor)
        facts.append(_("upper bonus of {steps}", steps=bonus.text))
    return _(
        "Column {name} (.{id}): {facts}", name=column.name, id=column.id, facts=", ".join(facts)
    )


def _bonus_sentence(rules: RuleSet) -> str:
    """Return the sentence about the upper bonus of a sheet with one column."""
    bonus = rules.bonus
    assert bonus is not None
    text = _("Upper bonus for the sum of the upper categories (*): {steps}")
    if len(bonus.steps) == 1:
        text = _("Upper bonus of {points} points when the upper categories (*) reach {threshold}")
    return text.format(steps=bonus.text, points=bonus.points, threshold=bonus.threshold)


def _first_roll_sentences(rules: RuleSet) -> list[str]:
    """Return the sentences about bonus points for a category on the first roll."""
    # Bonus points by the name of a row, whose boxes may pay different ones.
    points_of: dict[str, set[int]] = {}
    for category, points in rules.first_roll_bonus:
        box = rules.categories[rules.index_of[category]]
        name = box.name.partition(" (")[0] if box.row else box.name
        points_of.setdefault(name, set()).add(points)
    text = _("{category} on the first roll pays {points} bonus points")
    return [
        text.format(category=name, points=either(map(str, sorted(different))))
        for name, different in points_of.items()
    ]
