"""A second reader of the printed guide, who has nothing but the print.

:func:`read_guide` takes the text that ``yatzy guide`` prints in English and plays as it says: the
prices, the value of the bonus, the rules for the dice, and what the print says about its own words.
It was written from the print, without a look at the code behind it or at the literal reader of
``printed_rules``, so that a sentence which can be understood in two ways shows as another mean.
A sentence it does not know is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import perfect_yatzy

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
NUMBER = "(one|two|three|four|five|six)"
SUMS = r"(\d+(?:(?:, | or )\d+)*)"
# Numbers are compared exactly, as whole thousandths of a point: the price of a point above par has
# one decimal, par at most two.
UNITS = 1000
RANGE = r"(\d+(?:–\d+)?)"


def next_step(steps: Sequence[int], upper: Ints) -> Ints:
    """The first of these sums above each upper sum, or the last of all."""
    place = np.searchsorted(steps, upper, side="right")
    return np.array(steps)[np.minimum(place, len(steps) - 1)]


@dataclass(frozen=True)
class Bonus:
    """What the guide says about the bonus of the upper boxes; all but its upper sums in units."""

    steps: tuple[int, ...]
    safe: int
    lost: int
    par_point: int
    par: dict[str, int]
    turn_after: tuple[str, int] | None

    def worth(self, upper: Ints, open_faces: Sequence[int], par: int, dice: int) -> Ints:
        """What the bonus is worth on a card, for each upper sum: the shape of `upper`."""
        return np.select(
            [
                upper >= self.steps[-1],
                upper + dice * sum(open_faces) < next_step(self.steps, upper),
            ],
            [self.safe, self.lost],
            self.par_point * (upper * UNITS - par) // UNITS,
        )


@dataclass
class Reading:
    """A list of rules from a guide, with the prices of the sheet; its method plays by them."""

    rules: Any
    prices: dict[str, int]
    bonus: Bonus
    sentences: list[str]
    stated: float
    steps: tuple[int, ...]
    jokers_in_use: bool
    joker_box_in_use: str
    _read: list[Callable[[Turn], Fitting]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read every sentence once."""
        self._read = [_Sentence(self, text).read() for text in self.sentences]

    def policy(self, card: Any) -> tuple[Ints, Ints]:
        """Categories ``(rolls, lanes)`` and holds ``(rerolls, rolls, lanes)`` on a card."""
        turn = Turn(self, card)
        return turn.boxes(), turn.holds([rule(turn) for rule in self._read])


@dataclass(frozen=True)
class Fitting:
    """Where a rule fits: ``(rerolls, rolls, lanes)``, and the index of the dice it keeps, ``(rolls,)``."""

    where: Bools
    kept: Ints
    keeps: bool


class Turn:
    """A card as the player sees it who has the paper in hand."""

    def __init__(self, reading: Reading, card: Any) -> None:
        """Look at the card."""
        self.reading = reading
        self.card = card
        self.rules = reading.rules
        self.counts: Ints = card.roll_counts
        self.names = [category.name for category in self.rules.categories]
        self.open_names = {
            name for name, is_open in zip(self.names, card.open, strict=True) if is_open
        }
        self.upper_names = {category.name for category in self.rules.categories if category.upper}
        self.face_of = {
            category.name: category.face for category in self.rules.categories if category.upper
        }
        self.open_faces = [face for name, face in self.face_of.items() if name in self.open_names]
        self.par = sum(
            par for name, par in reading.bonus.par.items() if name not in self.open_names
        )
        self.turns_left = len(self.open_names)
        self.rolls_left = np.arange(1, card.n_rerolls + 1)
        self.nothing: Ints = np.zeros_like(self.counts)

    def boxes(self) -> Ints:
        """Take the open box where points minus price, plus the change of the bonus, are the most."""
        bonus, dice, upper = self.reading.bonus, self.rules.dice, self.card.upper
        before = bonus.worth(upper, self.open_faces, self.par, dice)
        none = np.iinfo(np.int64).min
        most, box = np.array([[none]]), np.array([[-1]])
        for column, name in enumerate(self.names):
            if name not in self.open_names:
                continue
            points = self.card.points[:, column]
            total = (points * UNITS - self.reading.prices[name])[:, None]
            if bonus.turn_after and bonus.turn_after[0] == name:
                later = bonus.turn_after[1] * (self.turns_left - 1)
                total = total + np.where(points > 0, later, 0)[:, None]
            if name in self.upper_names:
                different, which = np.unique(points, return_inverse=True)
                after = bonus.worth(
                    upper + different[:, None],
                    [face for face in self.open_faces if face != self.face_of[name]],
                    self.par + bonus.par[name],
                    dice,
                )
                total = total + (after - before)[which]
            total = np.where(self.card.allowed[:, column, None], total, none)
            better = total > most  # if equal, the first on the sheet
            most, box = np.where(better, total, most), np.where(better, column, box)
        return box

    def holds(self, fittings: list[Fitting]) -> Ints:
        """The dice of the first rule that fits; if none fits, roll all."""
        held = np.full((1, 1, 1), int(self.card.no_dice), dtype=np.int64)
        good = self.good()
        for fitting in reversed(fittings):
            where = fitting.where
            if fitting.keeps:
                where = where & good[fitting.kept][None, :, None]
            held = np.where(where, fitting.kept[None, :, None], held)
        # To keep all dice is to stop.
        return np.where(self.card.dice.counts.sum(axis=1)[held] == self.rules.dice, -1, held)

    def good(self) -> Bools:
        """Whether this turn can fill a box that the dice kept are good for: ``(holds,)``."""
        kept = self.card.dice.counts
        shows = kept[:, [face - 1 for face in self.open_faces]].any(axis=1)
        lower = np.array(
            [name in self.open_names and name not in self.upper_names for name in self.names]
        )
        points = self.card.points if self.reading.jokers_in_use else plain_points(self.rules)
        scores = ((points > 0) & self.card.allowed & lower).any(axis=1)
        if self.reading.joker_box_in_use and self.card.joker_paid:
            scores = scores | (self.counts.max(axis=1) == self.rules.dice)
        return shows | can_become(self.card)[:, scores].any(axis=1)


_BECOME: dict[tuple[int, ...], Bools] = {}
_PLAIN: dict[str, Ints] = {}


def can_become(card: Any) -> Bools:
    """Which rolls the dice kept can become: those with at least as many of each face."""
    key = card.dice.counts.shape
    if key not in _BECOME:
        rolls, kept = card.roll_counts, card.dice.counts
        _BECOME[key] = (rolls[None, :, :] >= kept[:, None, :]).all(axis=2)
    return _BECOME[key]


def plain_points(rules: Any) -> Ints:
    """Points of every roll in every box, jokers aside: those on the empty card."""
    if rules.fingerprint not in _PLAIN:
        empty = perfect_yatzy.FunctionPolicy(rules, lambda turn: None).turn(0)
        _PLAIN[rules.fingerprint] = empty.points
    return _PLAIN[rules.fingerprint]


# What a rule sees in a roll, and the words that may follow for keeping it.
Pattern = tuple[Callable[[Turn], tuple[Bools, Ints]], list[str]]


class _Sentence:
    """One rule of the list, read from left to right."""

    def __init__(self, reading: Reading, text: str) -> None:
        self.reading = reading
        self.text = text
        self.rest = text
        self.names = sorted(
            (category.name for category in reading.rules.categories), key=len, reverse=True
        )

    def read(self) -> Callable[[Turn], Fitting]:
        """The rule as a function of the turn."""
        pattern, words = self.pattern()
        conditions = self.conditions() if self.take(r",? if ") else []
        if not self.take(": "):
            raise self.unknown()
        if self.take(r"roll all dice\."):
            action = "roll"
        elif self.rest in words:
            action, self.rest = "keep", ""
        else:
            raise self.unknown()
        if self.rest:
            raise self.unknown()

        mentioned = {name for name in self.names if name in self.text}
        known: dict[tuple[frozenset[str], bool], tuple[Bools, Ints]] = {}

        def rule(turn: Turn) -> Fitting:
            boxes = turn.open_names & (turn.upper_names | mentioned)
            key = frozenset(boxes), bool(turn.card.joker_paid)
            if key not in known:
                fits, dice = pattern(turn)
                known[key] = fits, turn.card.hold_index(dice)
            fits, kept = known[key]
            where = fits[None, :, None]
            for condition in conditions:
                where = where & condition(turn)
            if action == "roll":
                return Fitting(where, np.zeros_like(kept) + turn.card.no_dice, keeps=False)
            return Fitting(where, kept, keeps=True)

        return rule

    def unknown(self) -> ValueError:
        return ValueError(f"cannot read {self.rest!r} in {self.text!r}")

    def take(self, words: str) -> re.Match[str] | None:
        """Read on if the sentence goes on like this."""
        found = re.match(words, self.rest)
        if found:
            self.rest = self.rest[found.end() :]
        return found

    def name(self) -> str | None:
        """A box."""
        for name in self.names:
            if self.rest.startswith(name):
                self.rest = self.rest[len(name) :]
                return name
        return None

    def list_of_names(self, last: str) -> list[str]:
        """One or more boxes: ``A``, ``A or B``, ``A, B or C``; nothing if there is no such list."""
        start, found = self.rest, []
        while (name := self.name()) is not None:
            found.append(name)
            if not self.take(", ") and not self.take(f" {last} "):
                return found
        self.rest = start
        return []

    def faces(self, text: str | None) -> list[int]:
        """The faces of a range, all without one."""
        if text is None:
            return list(range(1, self.reading.rules.faces + 1))
        first, _, last = text.partition("–")
        return list(range(int(first), int(last or first) + 1))

    def pattern(self) -> Pattern:
        """The dice that a rule names, and the words for keeping them."""
        all_of_them = ["keep all of them."]
        if found := self.take(f"At least {NUMBER} alike(?: of {RANGE})?(, their upper box open)?"):
            return _alike(
                1, NUMBERS[found[1]], self.faces(found[2]), upper=bool(found[3])
            ), all_of_them
        if found := self.take(f"Two faces(?: of {RANGE})? with at least two dice each"):
            return _alike(2, 2, self.faces(found[1]), upper=False), all_of_them
        if found := self.take(
            f"Of the faces(?: {RANGE})?( whose upper box is open)?, the one you have most of"
        ):
            return _alike(1, 1, self.faces(found[1]), upper=bool(found[2])), all_of_them
        if self.take("The face you have most of"):
            return _alike(1, 1, self.faces(None), upper=False), all_of_them
        if found := self.take(f"At least {NUMBER} (?:die that shows|dice that show) {RANGE}"):
            faces = self.faces(found[2])
            words = "keep " + " and ".join(f"every {face}" for face in faces) + "."
            return _showing(NUMBERS[found[1]], faces), [*all_of_them, words]
        return self.straight() or self.roll()

    def straight(self) -> Pattern | None:
        """Dice of different faces, if the sentence begins with such."""
        if found := self.take(f"At least (?:one face|{NUMBER} different faces)(?: of {RANGE})?"):
            return _different(NUMBERS[found[1] or "one"], self.faces(found[2])), [
                "keep one of each, also if there are more."
            ]
        if found := self.take(r"All of the faces ([\d, and]+\d)"):
            named = [int(face) for face in re.findall(r"\d+", found[1])]
            return _different(len(named), named), ["keep one of each."]
        if found := self.take(f"At least {NUMBER} faces in a row"):
            return _row(NUMBERS[found[1]]), [
                "keep one of each in the longest row, if equal the higher."
            ]
        return None

    def roll(self) -> Pattern:
        """A whole roll."""
        if self.take("Any roll"):
            return _any, []
        if names := self.list_of_names("or"):
            found = self.take(r" is open and your dice score (?:at least (\d+) points )?in it")
            if not found:
                raise self.unknown()
            return _scoring(names, int(found[1] or 1)), ["stop."]
        raise self.unknown()

    def conditions(self) -> list[Callable[[Turn], Any]]:
        """What stands between "if" and the colon: all of it must hold."""
        found = [self.condition()]
        while self.take(" and |, "):
            found.append(self.condition())
        return found

    def condition(self) -> Callable[[Turn], Any]:
        """One condition; its answer broadcasts to ``(rerolls, rolls, lanes)``."""
        if self.take("a lower box is open"):
            return lambda turn: bool(turn.open_names - turn.upper_names)
        if self.take("no box but "):
            return self.no_box_but()
        if found := self.take(f"(?:{NUMBER}|{RANGE}) (roll|turn)s? (?:is|are) left"):
            number = [NUMBERS[found[1]]] if found[1] else self.faces(found[2])
            if found[3] == "turn":
                return lambda turn: turn.turns_left in number
            return lambda turn: np.isin(turn.rolls_left, number)[:, None, None]
        return self.upper_sum() or self.boxes()

    def upper_sum(self) -> Callable[[Turn], Any] | None:
        """A condition on the upper sum, if one follows."""
        if found := self.take(f"the bonus needs (?:one die|{RANGE} dice) in each empty upper box"):
            dice = self.faces(found[1] or "1")
            return lambda turn: np.isin(_dice_needed(turn), dice)[None, None, :]
        if found := self.take(r"the upper sum is below par or already (\d+)"):
            total = int(found[1])
            return lambda turn: ((_below_par(turn)) | (turn.card.upper >= total))[None, None, :]
        if found := self.take(r"the upper sum is at or above par but below (\d+)"):
            total = int(found[1])
            return lambda turn: (~_below_par(turn) & (turn.card.upper < total))[None, None, :]
        return None

    def boxes(self) -> Callable[[Turn], Any]:
        """Boxes that are open or filled, or hold points."""
        if names := self.list_of_names("or"):
            if self.take(" is open"):
                return lambda turn: any(name in turn.open_names for name in names)
            if self.take(" holds points"):
                return lambda turn: bool(turn.card.joker_paid)
            if self.take(" is filled"):
                return lambda turn: names[0] not in turn.open_names
            if not self.take(" and "):
                raise self.unknown()
            names += self.list_of_names("and")
            if self.take(" are filled"):
                return lambda turn: not any(name in turn.open_names for name in names)
        raise self.unknown()

    def no_box_but(self) -> Callable[[Turn], Any]:
        """The end of "no box but upper boxes, A or B is open"."""
        sections: list[str] = []
        names: list[str] = []
        while not self.take(" is open"):
            if found := self.take("(upper|lower) boxes"):
                sections.append(found[1])
            elif (name := self.name()) is not None:
                names.append(name)
            elif not self.take(", | or "):
                raise self.unknown()

        def only(turn: Turn) -> bool:
            others = turn.open_names - set(names)
            if "upper" in sections:
                others -= turn.upper_names
            if "lower" in sections:
                others &= turn.upper_names
            return not others

        return only


def _alike(
    groups: int, least: int, faces: list[int], *, upper: bool
) -> Callable[[Turn], tuple[Bools, Ints]]:
    """So many faces with at least so many dice each: those with the most dice, then the higher."""

    def look(turn: Turn) -> tuple[Bools, Ints]:
        fitting = [face for face in faces if not upper or face in turn.open_faces]
        counts = turn.nothing.copy()
        columns = [face - 1 for face in fitting]
        counts[:, columns] = turn.counts[:, columns]
        counts[counts < least] = 0
        order = np.argsort(counts * 100 + np.arange(counts.shape[1]), axis=1)[:, ::-1]
        kept = turn.nothing.copy()
        rows = np.arange(len(counts))
        for group in range(groups):
            kept[rows, order[:, group]] = counts[rows, order[:, group]]
        return (kept > 0).sum(axis=1) == groups, kept

    return look


def _different(least: int, faces: list[int]) -> Callable[[Turn], tuple[Bools, Ints]]:
    """At least so many of these faces: one of each."""

    def look(turn: Turn) -> tuple[Bools, Ints]:
        kept = turn.nothing.copy()
        columns = [face - 1 for face in faces]
        kept[:, columns] = turn.counts[:, columns] > 0
        return kept.sum(axis=1) >= least, kept

    return look


def _row(least: int) -> Callable[[Turn], tuple[Bools, Ints]]:
    """At least so many faces in a row: the longest row, of equal ones the higher."""

    def look(turn: Turn) -> tuple[Bools, Ints]:
        kept = turn.nothing.copy()
        for row, counts in zip(kept, turn.counts, strict=True):
            best: list[int] = []
            current: list[int] = []
            for face, count in enumerate(counts):
                current = [*current, face] if count else []
                if len(current) >= len(best):
                    best = current
            row[best] = 1
        return kept.sum(axis=1) >= least, kept

    return look


def _showing(least: int, faces: list[int]) -> Callable[[Turn], tuple[Bools, Ints]]:
    """At least so many dice that show one of these faces: every one of them."""

    def look(turn: Turn) -> tuple[Bools, Ints]:
        kept = turn.nothing.copy()
        columns = [face - 1 for face in faces]
        kept[:, columns] = turn.counts[:, columns]
        return kept.sum(axis=1) >= least, kept

    return look


def _any(turn: Turn) -> tuple[Bools, Ints]:
    """Any roll."""
    return np.ones(len(turn.counts), dtype=np.bool_), turn.nothing


def _scoring(names: list[str], least: int) -> Callable[[Turn], tuple[Bools, Ints]]:
    """One of the boxes is open, and the dice score in it, jokers aside: all dice."""

    def look(turn: Turn) -> tuple[Bools, Ints]:
        points = plain_points(turn.rules)
        taken_as_open = turn.reading.joker_box_in_use if turn.card.joker_paid else ""
        columns = [
            turn.names.index(name)
            for name in names
            if name in turn.open_names or name == taken_as_open
        ]
        return (points[:, columns] >= least).any(axis=1), turn.counts

    return look


def _dice_needed(turn: Turn) -> Ints:
    """The fewest dice in each empty upper box that reach the next step; 0 if there is no need."""
    upper, steps = turn.card.upper, turn.reading.steps
    ahead = next_step(steps, upper)
    needed = np.zeros_like(upper)
    for dice in range(turn.rules.dice, 0, -1):
        needed[upper + dice * sum(turn.open_faces) >= ahead] = dice
    return np.where(upper >= steps[-1], 0, needed)


def _below_par(turn: Turn) -> Bools:
    """Whether the upper sum is below par: ``(lanes,)``."""
    return turn.card.upper * UNITS < turn.par


def _number(text: str) -> int:
    """A number as it is printed, in units."""
    return int(Fraction(text.replace("−", "-").replace("+", "")) * UNITS)


def _sums(text: str) -> tuple[int, ...]:
    """The upper sums in a list such as "63, 71 or 78"."""
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _section(text: str, title: str) -> str:
    """The lines below a title that is underlined, up to the next one."""
    found = re.search(
        rf"^{title}[^\n]*\n-+\n(.*?)(?=^[^\n]+\n-+$|\Z)", text, flags=re.MULTILINE | re.DOTALL
    )
    return found[1] if found else ""


def _rules_of(section: str) -> tuple[list[str], str]:
    """The numbered sentences of a section, and the paragraph after them."""
    numbered, _, notes = section.partition("\n\n")
    items = re.split(r"^ {1,2}\d+ ", numbered, flags=re.MULTILINE)[1:]
    return [" ".join(item.split()) for item in items], " ".join(notes.split())


def _find(pattern: str, text: str) -> re.Match[str]:
    found = re.search(pattern, text)
    if not found:
        raise ValueError(f"the guide says nothing like {pattern!r}")
    return found


def read_guide(text: str, rules: Any) -> list[Reading]:
    """The lists of rules in a printed guide.

    Parameters
    ----------
    text
        All that ``yatzy guide`` prints in English as text, or with ``--card``.
    rules
        The rule set of the game.

    Returns
    -------
    list of Reading
        The list for the card or for page one; then that for the keen, if there is one.

    Raises
    ------
    ValueError
        If the guide has no prices, or a sentence that this reader does not know.
    """
    rules = perfect_yatzy.load_rules(rules)
    names = [category.name for category in rules.categories]
    prices = {}
    for line in _section(text, r"Which box\? Points minus price").splitlines():
        found = re.match(r"  (.+?)\s+(−?\d+\.\d)  ?▇*$", line)
        if found and found[1] in names:
            prices[found[1]] = _number(found[2])
    if list(prices) != names:
        raise ValueError(f"prices of {list(prices)} in place of {names}")

    said = " ".join(_section(text, "Bonus").split())
    worth = _find(
        rf"points from an upper sum of {SUMS}(?:\. On a card it is worth ([+−][\d.]+) once it is safe, "
        r"([+−][\d.]+) once it is lost|; only the highest counts\. On a card it is worth "
        r"([+−][\d.]+) from a sum of \d+, ([+−][\d.]+) once the next of these sums is out of reach)"
        r", and until then \+([\d.]+) for each point above par",
        said,
    )
    upper = [category.name for category in rules.categories if category.upper]
    pars = {name: _number(_find(rf"{name} (\d+(?:\.\d+)?)", said)[1]) for name in upper}
    later = re.search(r"Once (.+?) holds points, every turn to come is worth ([\d.]+) more", said)
    bonus = Bonus(
        _sums(worth[1]),
        _number(worth[2] or worth[4]),
        _number(worth[3] or worth[5]),
        _number(worth[6]),
        pars,
        (later[1], _number(later[2])) if later else None,
    )

    sentences, notes = _rules_of(_section(text, "What to hold: the first rule that fits"))
    needs = re.search(rf"bring the upper sum to {SUMS}(?: \(the next of them\))? if each", notes)
    steps = _sums(needs[1]) if needs else ()
    joker_box = re.search(
        r"Once (.+?) holds points, dice are still good for it, and a rule to stop takes it as open",
        notes,
    )

    def reading(sentences: list[str], stated: str) -> Reading:
        return Reading(
            rules,
            prices,
            bonus,
            sentences,
            float(stated),
            steps,
            "good for a box where they can score as a joker." in notes,
            joker_box[1] if joker_box else "",
        )

    first = _find(r"Played as written they score ([\d.]+) points", " ".join(text.split()))
    found = [reading(sentences, first[1])]
    more = re.search(r"^For the keen: in place of these rules.*which score ([\d.]+)", text, re.M)
    if more:
        found.append(reading(_rules_of(_section(text, "For the keen"))[0], more[1]))
    return found
