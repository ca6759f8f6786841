"""The text form of dice, categories and scorecards: reading what people write, and writing it.

dice        33456 · 3 3 4 5 6 · 3,3,4,5,6 · 3/3/4/5/6 · [3,3,4,5,6] · ⚂⚂⚃⚄⚅, in any order
hold        dice as above, or `none`, `all`
category    an id, a name in any language, a short code or a unique prefix; case does not matter;
            of a row with several boxes: fours-2, ones.down; fours is the next one
scorecard   ones=3 sixes=24 chance=22; separators are spaces, commas or semicolons; 0 or x crosses out;
            or as the program prints it: Ones 3, Sixes 24, Chance 22;
            or as JSON: {"ones": 3, "sixes": 24}; or the rows of a table, see card_tables.py;
            several boxes of a row: fours-1=12 fours-2=16 or fours=12,16
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from unicodedata import combining, normalize

from ..core.dice import Dice
from ..core.rules import RuleSet, category_label
from ..core.scoring import possible_points
from ..errors import StateError, error_code, shown, whole_number
from ..words import _, alternatives, ngettext
from .card_checks import check_card
from .card_tables import POINTS, with_entries
from .limits import (
    MAX_CARD_ENTRIES,
    MAX_CARD_TEXT,
    MAX_DICE_LISTED,
    MAX_DICE_TEXT,
    MAX_NAME,
    check_length,
    closest,
)
from .rule_loader import load_rules
from .scorecard import Scorecard
from .translations import foreign_names, row_names

GLYPHS = "⚀⚁⚂⚃⚄⚅"
FACES = {digit: int(digit) for digit in "0123456789"} | {
    glyph: face for face, glyph in enumerate(GLYPHS, start=1)
}
DICE_SEPARATORS = re.compile(r"[\s,;:/|+._\[\](){}\"'-]+")
POINTS_AND_MORE = re.compile(r"([0-9]+|[xX-])\s+(?=\S)")
# A box and its points before another box, without a comma: `Ones 3 Twos`.
BOX_AND_MORE = re.compile(r"(.*?\S)\s++([0-9]++|[xX])\s++(?=\S)", re.DOTALL)
NAME_AND_POINTS = re.compile(r"([^=]+)=([^\s=]*)\s*")  # names may contain spaces, points may not
# Between a name and its points. A colon is one if points follow; else it is part of a name (the
# Swedish 1:or).
EQUALS = re.compile(r"(?:(?<!\s)\s*+)?(?:=|:(?=\s*+(?:[0-9]++|[xX-])(?:[,;\s]|\Z)))\s*+")
LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "đ": "d", "ð": "d", "ł": "l", "þ": "th"}
)
NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}
ABBREVIATIONS = {  # words of score sheets, simplified
    **{f"{digit}s": f"{name}s" for digit, name in NUMBERS.items()},
    "6s": "sixes",
    "1er": "einser",
    "2er": "zweier",
    "3er": "dreier",
    "4er": "vierer",
    "5er": "funfer",
    "6er": "sechser",
    "3erpasch": "dreierpasch",
    "4erpasch": "viererpasch",
    "5erpasch": "funferpasch",
    "sm": "small",
    "lg": "large",
    "kl": "kleine",
    "gr": "grosse",
    "str": "straight",
    "strt": "straight",
}
SUMS = {  # what a sheet adds up by itself
    *("total", "grand-total", "subtotal", "sub-total", "sum", "upper-total", "lower-total"),
    *("summa", "totalsumma", "delsumma", "slutsumma", "summe", "gesamt", "gesamtsumme"),
    *("zwischensumme", "endsumme", "yhteensa", "valisumma", "totalt", "i-alt", "totaal", "somme"),
    *("zwischensumme-oben", "gesamt-oben", "gesamt-unten", "ovre-summa", "ovre-sum"),
}
BRACES = str.maketrans("", "", "{}\"'")
# As Chinese and Japanese keyboards and word processors write them; a byte order mark is no text.
PLAIN = str.maketrans("：，、；＝｜０１２３４５６７８９–—✗✕×", ":,,;=|0123456789--xxx", "\ufeff")
CardText = str | Mapping[str, int]  # "ones=3", or {"ones": 3}


@error_code("invalid-dice")
def parse_dice(rules: RuleSet, dice: str | Iterable[int]) -> Dice:
    """Read one roll of all dice, from text or from the faces in any order."""
    if not isinstance(dice, str):
        if not isinstance(dice, Iterable):
            text = _("dice is {dice}; must be text such as {rules!r}, or a list of faces")
            raise StateError(text.format(dice=shown(dice), rules=_example(rules)))
        return check_dice(rules, dice)
    check_length(dice, MAX_DICE_TEXT, "dice")
    return _parse_dice_text(rules, dice)


@lru_cache(maxsize=1 << 12)
def _parse_dice_text(rules: RuleSet, dice: str) -> Dice:
    """Read one roll of all dice from text, and remember the answer."""
    faces = []
    for symbol in DICE_SEPARATORS.sub("", dice.translate(PLAIN)):
        if symbol not in FACES:
            message = _("{symbol!r} in {dice!r} is not a die; write the faces, such as {rules}")
            raise StateError(message.format(symbol=symbol, dice=dice, rules=_example(rules)))
        face = FACES[symbol]
        if not 1 <= face <= rules.faces:
            message = _("{dice!r} has a {face}; the faces are 1 to {faces}")
            raise StateError(message.format(dice=dice, face=face, faces=rules.faces))
        faces.append(face)
    return check_dice(rules, faces, dice)


def parse_faces(text: str) -> Dice | None:
    """Read any number of dice, ascending, without checking them against rules.

    The result is None if the text is not dice.
    """
    if len(text) > MAX_DICE_TEXT:
        return None
    symbols = DICE_SEPARATORS.sub("", text)
    if not symbols or not FACES.keys() >= {*symbols}:
        return None
    return tuple(sorted(FACES[symbol] for symbol in symbols))


def parse_hold(text: str, dice: Dice) -> Dice | None:
    """Read which of the dice a player holds, ascending.

    The result is None if the text is neither dice nor `none` nor `all`.
    """
    word = text.lower()
    if word in ("none", "nothing", "reroll"):
        return ()
    return dice if word in ("all", "stop") else parse_faces(text)


def check_dice(rules: RuleSet, dice: Iterable[int], text: str | None = None) -> Dice:
    """Return the dice of one roll of all dice, ascending.

    `text` is how they were written, for messages. Raises StateError if they are no such roll.
    """
    listed = [*islice(dice, MAX_DICE_LISTED + 1)]
    if len(listed) > MAX_DICE_LISTED:
        message = _("dice has more than {most} faces; {rules} has {dice} dice")
        raise StateError(message.format(most=MAX_DICE_LISTED, rules=rules.key, dice=rules.dice))
    faces = tuple(sorted(whole_number(face, "a die") for face in listed))
    written = repr(spaced(faces) if text is None else text)
    if len(faces) != rules.dice:
        message = ngettext(
            "{written} is {count} die; {rules} has {dice}",
            "{written} is {count} dice; {rules} has {dice}",
            len(faces),
            written=written,
            count=len(faces),
            rules=rules.key,
            dice=rules.dice,
        )
        raise StateError(message, code="invalid-dice")
    for face in faces:
        if not 1 <= face <= rules.faces:
            message = _("{written} has a {face}; the faces are 1 to {faces}")
            raise StateError(
                message.format(written=written, face=face, faces=rules.faces), code="invalid-dice"
            )
    return faces


def is_subset(held: Sequence[int], dice: Sequence[int]) -> bool:
    """Return whether the held dice are among the dice, counting equal faces."""
    return len(held) <= len(dice) and all(
        held.count(face) <= dice.count(face) for face in set(held)
    )


def _example(rules: RuleSet) -> str:
    return "".join(str(i % rules.faces + 1) for i in range(rules.dice))


def counts_of(rules: RuleSet, dice: Sequence[int]) -> list[int]:
    """Return the number of dice that show each face, from 1 to `rules.faces`."""
    return [dice.count(face) for face in range(1, rules.faces + 1)]


def dice_of(counts: Sequence[int]) -> Dice:
    """Return the dice of a multiset given by its counts, ascending."""
    return tuple(face for face, count in enumerate(counts, start=1) for _ in range(count))


def glyphs(dice: Sequence[int]) -> str:
    """Return dice as Unicode symbols: ⚂⚂⚅."""
    return "".join(GLYPHS[face - 1] for face in dice)


def spaced(dice: Sequence[int | str]) -> str:
    """Return dice as digits separated by spaces: 3 3 6."""
    return " ".join(map(str, dice))


class CategoryIndex:
    """The names of all categories of a rule set, normalized, with the position of each.

    They are pairs in four lists: of these rules, of other languages, all of them simplified, and
    all of these as one word.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.own = _own_names(rules)
        self.foreign = [
            (normalized(name), rules.index_of[category]) for name, category in foreign_names(rules)
        ]
        self.simple = [
            (simplified(name), position) for name, position in (*self.own, *self.foreign)
        ]
        # Written together or with the abbreviations of a sheet: fullhouse, Dreier-Pasch, Sm. Straight.
        self.compact = [(compacted(name), position) for name, position in self.simple]
        places = [(category.row or category.id, category.column) for category in rules.categories]
        # For each box the first one of the same row and column.
        self.first_copy = [places.index(place) for place in places]

    def find(self, text: str) -> set[int]:
        """Return the positions of the categories that a name, or the beginning of one, can mean.

        The set is empty if there are none.
        """
        word = normalized(text)
        if not word:
            return set()
        # Each list, with the text as its names are written. After a hyphen the name is not complete.
        lists = (self.own, word), (self.foreign, word), (self.simple, simplified(word))
        compact = "" if word.endswith("-") else compacted(simplified_word(word))
        for names, written in (*lists, (self.compact, compact)):
            equal = {position for name, position in names if name == written}
            if equal:
                return equal
        for names, written in lists:
            beginning = _starting(names, written)
            if beginning:
                return beginning
        return set()

    def starting(self, text: str) -> set[int]:
        """Return the positions of all categories with a name that begins like this."""
        word = normalized(text)
        return _starting(self.own, word) if word else set()

    def similar(self, text: str) -> set[int]:
        """Return the categories with this word in a name, else that with the most similar name.

        Of a row it is the first box.
        """
        word = normalized(text)
        simple = simplified(word)
        known = [*self.own, *self.foreign, *self.simple]
        with_word = {self.first_copy[c] for name, c in known if word in name.split("-")}
        if with_word:  # "straight" may be either of two
            return with_word
        names = [*dict(known)]
        similar = closest(simple, names, 0.7) or closest(word, names, 0.7)
        return {self.first_copy[c] for name, c in known if name == similar}


category_index = lru_cache(maxsize=32)(CategoryIndex)


def _own_names(rules: RuleSet) -> list[tuple[str, int]]:
    """Return the names that a rule set has for its categories, with the position of each.

    A name that several categories have means the first of them, but that of a row any of its boxes.
    """
    own: dict[str, int] = {}
    rows: set[tuple[str, int]] = set()
    for position, category in enumerate(rules.categories):
        for name in (category.id, category.name, category.code, *category.aliases):
            if name:
                own.setdefault(normalized(name), position)
        rows |= {(normalized(name), position) for name in row_names(rules, category)}
    only_of_rows = sorted((name, position) for name, position in rows if name not in own)
    return [*own.items(), *only_of_rows]


def normalized(name: str) -> str:
    """Return a name in lower case, with hyphens for blanks, underscores, dots and parentheses."""
    return re.sub(r"[\s_\-(.]+", "-", name.replace(")", " ").strip().lower())


def simplified(name: str) -> str:
    """Return a normalized name without accents, and with words for the digits that are words of it."""
    return "-".join(NUMBERS.get(word, word) for word in _without_accents(name).split("-"))


def simplified_word(text: str) -> str:
    """Return a normalized name without accents, with the abbreviations of score sheets as words."""
    words = _without_accents(text).strip("-").split("-")
    return simplified("-".join(ABBREVIATIONS.get(word, word) for word in words))


def _without_accents(name: str) -> str:
    """Return a name without accents, and with plain letters for those such as ø and ß."""
    symbols = normalize("NFKD", name)
    return "".join(symbol for symbol in symbols if not combining(symbol)).translate(LETTERS)


def compacted(name: str) -> str:
    """Return a simplified name as one word."""
    return name.replace("-", "")


def _starting(names: Iterable[tuple[str, int]], word: str) -> set[int]:
    """Return the positions of the names that begin with a word."""
    return {position for name, position in names if name.startswith(word)}


def find_category(rules: RuleSet, text: str) -> int:
    """Return the position of the category that a name means.

    The names of the rule set (id, name, short code, aliases) come first, then those of other
    languages, then names without their accents and with numbers as digits (``kak`` for Kåk, ``3 of
    a kind``), then prefixes. Case, spaces, underscores and hyphens do not matter. The name of a row
    that is used several times means its first box.
    """
    return _find(rules, text)[0]


def _find(rules: RuleSet, text: str) -> list[int]:
    """Return the positions of the categories that a name means, ascending.

    There is one, or several boxes of one row that are alike.
    """
    if not isinstance(text, str):
        message = _("category is {text}; must be a name, such as {id!r}")
        raise StateError(message.format(text=shown(text), id=rules.categories[0].id))
    if len(text) > MAX_NAME:
        message = _("unknown category {text}: longer than {most} characters")
        raise StateError(message.format(text=shown(text), most=MAX_NAME), code="unknown-category")
    names = category_index(rules)
    matches = sorted(names.find(text))
    different = sorted({names.first_copy[c] for c in matches})
    if len(different) == 1:
        return matches
    if matches:
        labels = ", ".join(category_label(rules, c) for c in different)
        message = _("category {text!r} is not clear: {labels}")
        raise StateError(message.format(text=text, labels=labels), code="ambiguous-category")
    if text.strip().lower() == "bonus":
        message = _(
            "unknown category {text!r}; leave out the upper bonus, which follows from the upper categories"
        )
        raise StateError(message.format(text=text), code="unknown-category")
    if simplified(normalized(text)).strip("-") in SUMS:
        message = _("{text!r} is no category; leave sums out, which follow from the categories")
        raise StateError(message.format(text=text), code="unknown-category")
    similar = sorted(names.similar(text))
    if similar:
        suggestions = alternatives(category_label(rules, c) for c in similar)
        message = _(
            "unknown category {text!r}; did you mean {names}?", text=text, names=suggestions
        )
    else:
        command = f"yatzy rules show {rules.spec or rules.key}"
        message = _("unknown category {text!r}; `{command}` lists them", text=text, command=command)
    raise StateError(message, code="unknown-category")


def parse_category(rules: RuleSet, text: str, payments: Mapping[str, int]) -> str:
    """Return the id of the category that a player takes, with or without its points.

    The text may be ``chance``, ``chance 20`` or ``chance for 20``. The category is one of
    `payments`, the points by category that the dice pay, else that of the box it names, which the
    caller refuses.
    """
    try:
        return _box_named(rules, text, payments)
    except StateError:
        name, _points = _name_and_points(text)
        if not name:
            raise
    return _box_with_points(rules, text, payments)


def _box_with_points(rules: RuleSet, text: str, payments: Mapping[str, int]) -> str:
    """Return the id of the category in a text that ends with its points.

    Raises StateError unless the category pays these points.
    """
    name, points = _name_and_points(text)
    category = _box_named(rules, name, payments)
    if category in payments and payments[category] != points:
        message = _("{category} pays {paid} for these dice, not {points}")
        paid = payments[category]
        raise StateError(message.format(category=category, paid=paid, points=points))
    return category


def _box_named(rules: RuleSet, name: str, payments: Mapping[str, int]) -> str:
    """Return the id of the box that a name means.

    It is the first box of this name that can take the dice, else the only one that can and whose
    name begins like this, else the first box of this name.
    """
    boxes = [rules.categories[c].id for c in _find(rules, name)]
    for box in boxes:
        if box in payments:
            return box
    beginning = [rules.categories[c].id for c in category_index(rules).starting(name)]
    possible = [box for box in beginning if box in payments]
    return possible[0] if len(possible) == 1 else boxes[0]


def _name_and_points(text: str) -> tuple[str, int]:
    """Return the name and the points of ``chance 20`` or ``chance for 20``.

    The name is empty if the text has another form.
    """
    *words, points = text[:MAX_NAME].replace("=", " ").split() or [""]
    if len(words) > 1 and words[-1].lower() == "for":
        words.pop()
    if len(text) > MAX_NAME or not re.fullmatch(r"[0-9]{1,6}|[xX]", points):
        return "", 0
    return " ".join(words), 0 if points in ("x", "X") else int(points)


@error_code("invalid-card")
def parse_card(
    rules: str | Path | RuleSet, card: CardText, saved: int = 0, bonus_points: int = 0
) -> Scorecard:
    """Read a scorecard.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    card
        Text such as ``ones=3 sixes=24``, also JSON or a table copied from a spreadsheet, or points by
        category such as ``{"ones": 3}``. A category that is left out is open; 0 or ``x`` crosses it
        out.
    saved
        Saved rolls.
    bonus_points
        Joker and first-roll bonuses received so far.

    Returns
    -------
    Scorecard
        A checked scorecard.

    Raises
    ------
    StateError
        If a category is unknown or filled twice, holds points that are impossible, or is filled out
        of order; or if the value is not a scorecard, or too long.
    """
    rules = load_rules(rules)
    if not isinstance(card, str | Mapping):
        message = _(
            "card is {card}; must be text such as 'ones=3', or points by category such as {{'ones': 3}}"
        )
        raise StateError(message.format(card=shown(card)))
    entries: Iterable[tuple[str, str | int]]
    if isinstance(card, str):
        check_length(card, MAX_CARD_TEXT, "card")
        known = _known_entries(rules, card)
        if known is not None:
            return check_card(Scorecard(rules, known, saved, bonus_points))
        entries = _by_row(rules, _text_entries(card))
    else:
        check_length(card, MAX_CARD_ENTRIES, "card", _("categories"))
        entries = card.items()
    points: dict[int, int] = {}
    for name, value in entries:
        boxes = _find(rules, name)  # several boxes of one row are filled in their order
        box = next((box for box in boxes if box not in points), None)
        if box is None:
            text = _(
                "{category} is filled twice in the card", category=category_label(rules, boxes[-1])
            )
            if len(boxes) > 1:
                text = _(
                    "all {count} boxes of {name} are filled in the card",
                    count=len(boxes),
                    name=name,
                )
            raise StateError(text)
        points[box] = _points(value, category_label(rules, box))
    return check_card(Scorecard(rules, points, saved, bonus_points))


@lru_cache(maxsize=32)
def _plain_entries(rules: RuleSet) -> dict[str, tuple[int, int]]:
    """Return the category and points of every entry of a card as the program writes it.

    An entry is text such as ``ones=3``.
    """
    return {
        f"{category.id}={points}": (c, points)
        for c, (category, possible) in enumerate(
            zip(rules.categories, possible_points(rules), strict=True)
        )
        for points in possible
    }


def _known_entries(rules: RuleSet, card: str) -> dict[int, int] | None:
    """Look up the points by category of a card that has only plain entries.

    The result is None for any other card.
    """
    plain = _plain_entries(rules)
    entries = card.split()
    points = dict(plain[entry] for entry in entries if entry in plain)
    # There are fewer if an entry is not plain, or two are of one category.
    return points if len(points) == len(entries) else None


def read_card(rules: RuleSet, card: CardText | Scorecard) -> Scorecard:
    """Return a checked scorecard, from a :class:`Scorecard` or any form :func:`parse_card` reads."""
    if not isinstance(card, Scorecard):
        return parse_card(rules, card)
    if card.rules.fingerprint != rules.fingerprint:
        text = _("the card belongs to {key}, not to {rules}")
        raise StateError(text.format(key=card.rules.key, rules=rules.key), code="invalid-card")
    return check_card(card)


def _by_row(
    rules: RuleSet, entries: Iterable[tuple[str, str | int]]
) -> Iterator[tuple[str, str | int]]:
    """Yield the entries of a card, with the boxes of a row and with boxes that no comma divides.

    Examples are ``fours=12,16 ones=3``, with further points of a row, and ``Ones 3 Twos 4``.
    """
    known = category_index(rules)
    row = ""
    for name, value in entries:
        if not name:
            yield row, value
            continue
        # The name after points without a comma, as `16 ones` after `fours=12`: they belong to the
        # row before.
        while row and not known.find(name):
            points = POINTS_AND_MORE.match(name)
            if not points:
                break
            yield row, points[1]
            name = name[points.end() :]
        while not known.find(name):
            box = BOX_AND_MORE.match(name)
            if not box or not known.find(box[1]):
                break
            yield box[1], box[2]
            name = name[box.end() :]
        yield name, value
        row = name


def _points(value: str | int, label: str) -> int:
    """Return the points of an entry of a card. The label of its category is for messages."""
    if not isinstance(value, str):
        return whole_number(value, label)
    text = "0" if value.lower() in ("x", "-") else value
    if not re.fullmatch(r"[0-9]{1,5}", text):
        message = _("{value} is not a score for {label}; write a whole number")
        raise StateError(message.format(value=shown(value), label=label))
    return int(text)


def _text_entries(card: str) -> Iterable[tuple[str, str | int]]:
    """Return the names and points of a card as text of any form, JSON and tables included."""
    if card.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):  # it is no JSON
            return [*json.loads(card, object_pairs_hook=list)]
        card = card.translate(BRACES)
    return _entries(with_entries(card.translate(PLAIN)).replace("|", ";"))


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and points of a card, in one pass over the text.

    A name is empty if it is the same as the one before.
    """
    named = False  # whether there was a name before
    for part in re.split(r"[,;]+", EQUALS.sub("=", text)):
        rest = part.strip()
        while entry := NAME_AND_POINTS.match(rest):  # `name=points`, perhaps several
            yield entry[1], entry[2]
            named = True
            rest = rest[entry.end() :]
        if named and POINTS.fullmatch(rest):  # `points` alone
            yield "", rest
        elif rest:  # `name points`
            *name, points = rest.rsplit(None, 1)
            if not name or "=" in rest or not POINTS.fullmatch(points):
                message = _("{part} in the card is not of the form category=points, such as ones=3")
                raise StateError(message.format(part=shown(rest)))
            yield name[0], points
            named = True
