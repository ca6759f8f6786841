"""How people write dice, categories and scorecards, and how the program writes them back.

dice        33456 · 3 3 4 5 6 · 3,3,4,5,6 · ⚂⚂⚃⚄⚅, in any order
category    an id, a name in any language, a short code or a prefix that fits only one; case does not matter
scorecard   ones=3 sixes=24 chance=22; separators are spaces, commas or semicolons; 0 or x crosses out;
            or as the program shows it: Ones 3, Sixes 24, Chance 22
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from .errors import StateError, shown, whole_number
from .languages import ENGLISH, foreign_names
from .rules import RuleSet
from .states import State, possible_points

GLYPHS = "⚀⚁⚂⚃⚄⚅"
CardText = str | Mapping[str, int]  # "ones=3", or {"ones": 3}


@dataclass(frozen=True)
class Scorecard:
    """A score sheet in mid-game: what each category holds, and what stands beside the boxes.

    Attributes
    ----------
    points : dict of int to int
        Category position -> points it holds.
    saved : int
        Saved rolls.
    extra : int
        Points outside the boxes and the upper bonus: joker and first-roll bonuses received so far.
    """

    rules: RuleSet = field(repr=False)
    points: dict[int, int] = field(default_factory=dict)
    saved: int = 0
    extra: int = 0

    @property
    def total(self) -> int:
        """Points on the sheet, without the upper bonus (that one is part of the value to come)."""
        return sum(self.points.values()) + self.extra

    @property
    def upper(self) -> int:
        """Sum of the upper boxes, not capped."""
        return sum(points for c, points in self.points.items() if self.rules.categories[c].upper)

    @property
    def state(self) -> State:
        """What of the sheet bears on the rest of the game."""
        rules = self.rules
        paid = rules.joker is not None and rules.joker.bonus > 0 and self.points.get(rules.joker_index, 0) > 0
        return State(
            filled=sum(1 << c for c in self.points),
            upper=min(self.upper, rules.threshold),
            saved=self.saved,
            joker_paid=paid,
        )

    def filled_with(self, category: int, points: int, beside: int = 0, saved: int = 0) -> Scorecard:
        """The card after a turn: points in a box, points beside the boxes, rolls saved by then; no check."""
        return Scorecard(self.rules, self.points | {category: points}, saved, self.extra + beside)

    def __str__(self) -> str:
        return " ".join(f"{self.rules.categories[c].id}={p}" for c, p in sorted(self.points.items()))


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


def spoken(rules: RuleSet, category: int) -> str:
    """What messages call a category: its id, its name where another language is spoken."""
    found = rules.categories[category]
    return found.id if rules.language == ENGLISH else found.name


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


def parse_card(rules: RuleSet, card: CardText, saved: int = 0, extra: int = 0) -> Scorecard:
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
    return check_card(Scorecard(rules, points, saved, extra))


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


def check_card(card: Scorecard) -> Scorecard:
    """The card itself, or StateError if a box holds points it cannot, or is filled out of order."""
    possible = possible_points(card.rules)
    for c, points in card.points.items():
        if not 0 <= whole_number(c, "a category") < len(card.rules.categories):
            raise StateError(f"there is no category {c}; {card.rules.key} has 0 to {len(card.rules.categories) - 1}")
        if whole_number(points, spoken(card.rules, c)) not in possible[c]:
            allowed = _listed(possible[c])
            raise StateError(f"{spoken(card.rules, c)} cannot hold {points}; it can hold {allowed}")
    whole_number(card.extra, "extra")
    most = most_extra(card)
    if not 0 <= card.extra <= most:
        allowed = span(0, most) if most else "none"
        raise StateError(f"{card.extra} extra points; beside the boxes of this card there can be {allowed}")
    filled = card.state.filled
    if card.rules.order == "forced" and filled & (filled + 1):
        gap = next(c for c in range(len(card.rules.categories)) if not filled >> c & 1)
        raise StateError(f"{card.rules.key} fills in order: {spoken(card.rules, gap)} must come first")
    return card


def most_extra(card: Scorecard) -> int:
    """A bound of the joker and first-roll bonuses that can have been paid for the filled boxes."""
    rules = card.rules
    first_rolls = sum(paid for name, paid in rules.first_roll_bonus if card.points.get(rules.index_of[name]))
    jokers = rules.joker.bonus * (len(card.points) - 1) if rules.joker and card.state.joker_paid else 0
    return first_rolls + jokers


def span(low: int, high: int) -> str:
    """Whole numbers from one to another, in words."""
    return f"{low}" if high <= low else f"{low} or {high}" if high == low + 1 else f"{low} to {high}"


def _listed(values: list[int]) -> str:
    if len(values) <= 8:
        return ", ".join(map(str, values))
    step = values[2] - values[1]
    if values[1:] == list(range(values[1], values[-1] + 1, step)):
        return f"0 or {values[1]} to {values[-1]}" + (f" in steps of {step}" if step > 1 else "")
    return ", ".join(map(str, values[:4])) + f", ... up to {values[-1]}"
