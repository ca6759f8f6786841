"""How people write dice, categories and scorecards, and how the program writes them back.

dice        33456 · 3 3 4 5 6 · 3,3,4,5,6 · ⚂⚂⚃⚄⚅, in any order
category    an id, a name in any language, a short code or a prefix that fits only one; case does not matter
scorecard   ones=3 sixes=24 chance=22; separators are spaces, commas or semicolons; 0 or x crosses out;
            or as the program shows it: Ones 3, Sixes 24, Chance 22
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from ..errors import StateError, shown, whole_number
from .dice import Dice
from .rules import RuleSet
from .scorecard import Scorecard, check_card
from .translations import foreign_names, spoken

GLYPHS = "⚀⚁⚂⚃⚄⚅"
CardText = str | Mapping[str, int]  # "ones=3", or {"ones": 3}


def parse_dice(rules: RuleSet, text: str) -> tuple[int, ...]:
    """Read one roll.

    Returns
    -------
    tuple of int
        The dice, ascending.

    Raises
    ------
    StateError
        Wrong number of dice, a face out of range, or text that is no dice.
    """
    dice = []
    for symbol in re.sub(r"[\s,;\-]+", "", text):
        face = GLYPHS.find(symbol) + 1 or (int(symbol) if symbol in "0123456789" else -1)
        if face < 0:
            raise StateError(f"{symbol!r} in {text!r} is no die; write the faces, such as {_example(rules)}")
        if not 1 <= face <= rules.faces:
            raise StateError(f"{text!r} has a {face}; the faces are 1 to {rules.faces}")
        dice.append(face)
    return check_dice(rules, dice, text)


def read_dice(rules: RuleSet, dice: str | Iterable[int]) -> tuple[int, ...]:
    """One roll, as text or as faces, ascending.

    Raises
    ------
    StateError
        If it is neither, or no roll under the rules.
    """
    if isinstance(dice, str):
        return parse_dice(rules, dice)
    if not isinstance(dice, Iterable):
        raise StateError(f"dice is {shown(dice)}; must be text such as {_example(rules)!r}, or a list of faces")
    return check_dice(rules, dice)


def check_dice(rules: RuleSet, dice: Iterable[int], text: str | None = None) -> tuple[int, ...]:
    """The dice ascending, or StateError if they are no roll under the rules."""
    sorted_dice = tuple(sorted(whole_number(face, "a die") for face in dice))
    shown = repr(text if text is not None else " ".join(map(str, sorted_dice)))
    if len(sorted_dice) != rules.dice:
        count = len(sorted_dice)
        raise StateError(f"{shown} is {count} {'die' if count == 1 else 'dice'}; {rules.key} has {rules.dice}")
    for face in sorted_dice:
        if not 1 <= face <= rules.faces:
            raise StateError(f"{shown} has a {face}; the faces are 1 to {rules.faces}")
    return sorted_dice


def _example(rules: RuleSet) -> str:
    return "".join(str(i % rules.faces + 1) for i in range(rules.dice))


def counts_of(rules: RuleSet, dice: Sequence[int]) -> list[int]:
    """Number of dice showing each face."""
    return [dice.count(face) for face in range(1, rules.faces + 1)]


def dice_of(counts: Sequence[int]) -> tuple[int, ...]:
    """The dice of a multiset, ascending."""
    return tuple(face for face, count in enumerate(counts, start=1) for _ in range(count))


def glyphs(dice: Sequence[int]) -> str:
    """Dice as Unicode faces."""
    return "".join(GLYPHS[face - 1] for face in dice)


def spaced(dice: Sequence[int]) -> str:
    """Dice as digits with spaces."""
    return " ".join(map(str, dice))


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "-", name.strip().lower())


def find_category(rules: RuleSet, text: str) -> int:
    """Position of the category a person means.

    Raises
    ------
    StateError
        If no category or more than one fits, with what was near.
    """
    if not isinstance(text, str):
        raise StateError(f"category is {shown(text)}; must be a name, such as {rules.categories[0].id!r}")
    wanted = _plain(text)
    own = {
        _plain(name): position
        for position, category in reversed([*enumerate(rules.categories)])
        for name in (category.id, category.name, category.code, *category.aliases)
        if name
    }
    if wanted in own:
        return own[wanted]
    foreign = [(_plain(name), rules.index_of[c]) for name, c in foreign_names(rules)]
    fits: set[int] = set()
    searches: list[tuple[Callable[[str, str], bool], Iterable[tuple[str, int]]]] = [
        (str.__eq__, foreign),
        (str.startswith, own.items()),
        (str.startswith, foreign),
    ]
    for match, names in searches:
        fits = fits or {position for name, position in names if wanted and match(name, wanted)}
    if len(fits) == 1:
        return fits.pop()
    if fits:
        choice = ", ".join(spoken(rules, c) for c in sorted(fits))
        raise StateError(f"category {text!r} is not clear: {choice}")
    known = dict(foreign) | own
    meant = {known[name] for name in known if wanted in name.split("-")}  # "straight" may be either of two
    if not meant:
        meant = {known[name] for name in get_close_matches(wanted, known, 1, 0.7)}
    near = " or ".join(spoken(rules, c) for c in sorted(meant))
    hint = f"did you mean {near}?" if near else f"`yatzy rules show {rules.spec or rules.key}` names them"
    raise StateError(f"unknown category {text!r}; {hint}")


def parse_card(rules: RuleSet, card: CardText, saved: int = 0, bonus_points: int = 0) -> Scorecard:
    """Read a scorecard: text such as ``ones=3 sixes=24``, or points by category such as ``{"ones": 3}``.

    Raises
    ------
    StateError
        An unknown category, one filled twice, points it cannot hold, or an order the rules forbid; or no card at all.
    """
    if not isinstance(card, str | Mapping):
        raise StateError(
            f"card is {shown(card)}; must be text such as 'ones=3', or points by category such as {{'ones': 3}}"
        )
    points: dict[int, int] = {}
    for name, value in _entries(card) if isinstance(card, str) else card.items():
        c = find_category(rules, name)
        if c in points:
            raise StateError(f"{spoken(rules, c)} is filled twice in the card")
        points[c] = _score(value, spoken(rules, c))
    return check_card(Scorecard(rules, points, saved, bonus_points))


def read_card(rules: RuleSet, card: CardText | Scorecard) -> Scorecard:
    """A checked scorecard, from itself or from how it is written.

    Raises
    ------
    StateError
        As :func:`parse_card`, or if it is the card of another game.
    """
    if not isinstance(card, Scorecard):
        return parse_card(rules, card)
    if card.rules.fingerprint != rules.fingerprint:
        raise StateError(f"the card is one of {card.rules.key}, not of {rules.key}")
    return check_card(card)


def _score(value: str | int, box: str) -> int:
    if not isinstance(value, str):
        return whole_number(value, box)
    text = "0" if value.lower() in ("x", "-") else value
    if not re.fullmatch(r"[0-9]{1,5}", text):
        raise StateError(f"{value!r} is no score for {box}; write a whole number")
    return int(text)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    # A colon parts a name from points; it may also be part of a name (the Swedish 1:or).
    for part in re.split(r"[,;]+", re.sub(r"\s*=\s*|\s*:\s*(?=(?:[0-9]+|[xX-])(?:[\s,;]|$))", "=", text)):
        while part := part.strip():
            # Names may have spaces, points may not.
            entry = re.match(r"([^=]+)=([^\s=]*)", part) or re.fullmatch(r"([^=]*\S)\s+([0-9]+|[xX-])", part)
            if not entry:
                raise StateError(f"{part!r} in the card is not of the form category=points, such as ones=3")
            yield entry[1], entry[2]
            part = part[entry.end() :]


def named_dice(text: str) -> Dice | None:
    """Dice in any of the ways people write them; None where the text names none."""
    if not re.fullmatch(rf"[\s,;0-9{GLYPHS}-]+", text) or not re.search(rf"[0-9{GLYPHS}]", text):
        return None
    return tuple(sorted(GLYPHS.find(symbol) + 1 or int(symbol) for symbol in re.sub(r"[\s,;-]", "", text)))


def named_hold(text: str, dice: Dice) -> Dice | None:
    """Which of the dice a player wants to hold; None where the text speaks of something else."""
    word = text.lower()
    if word in ("none", "nothing", "reroll"):
        return ()
    return dice if word in ("all", "stop") else named_dice(text)


def named_category(rules: RuleSet, text: str, paid: Mapping[str, int]) -> str:
    """The category a player wants to take, with or without the points behind it (`chance 20`, `chance for 20`).

    Parameters
    ----------
    paid
        What each category that may be taken pays.

    Raises
    ------
    StateError
        If it is none, or does not pay that.
    """
    with_points = re.fullmatch(r"(.+?)(?:\s*=\s*|\s+)(?:for\s+)?(\d{1,6}|x)", text, re.IGNORECASE)
    try:
        return rules.categories[find_category(rules, text)].id
    except StateError:
        if not with_points:
            raise
    category = rules.categories[find_category(rules, with_points[1])].id
    points = 0 if with_points[2] in "xX" else int(with_points[2])
    if paid.get(category, points) != points:
        raise StateError(f"{category} pays {paid[category]} for these dice, not {points}")
    return category
