"""Hold rules as a reader of the printed guide understands them: from its sentences alone, in each language.

Nothing here comes from the grammar of the rules or from the catalogues: the phrases in ../data/printed_guide.toml were
written down from the printed guides. What a reader brings along are the rules of the game: the names of the boxes, what
they pay, and which box counts which face.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from perfect_yatzy import RuleSet

from support.naive import Dice
from support.naive_hold_rules import is_of_use, oracle_of

PHRASES = tomllib.loads((Path(__file__).parents[1] / "data" / "printed_guide.toml").read_text(encoding="utf-8"))
Boxes = tuple[frozenset[str], frozenset[str]]
Found = dict[str, str | None]  # the parts of a phrase
KEEP, EACH, LONGEST, STOP, ROLL_ALL = range(5)


@dataclass(frozen=True)
class Card:
    """What a player sees: the boxes that the turn can fill, the turns left, the upper sum, whether a joker scored."""

    boxes: frozenset[str]
    turns: int
    upper: int
    filled: frozenset[str]
    scored: bool = False


@dataclass(frozen=True)
class PrintedRule:
    """What a sentence says; the same in every language."""

    kind: str
    sizes: tuple[int, ...]
    faces: tuple[int, ...]
    is_open: bool
    lowest: bool
    boxes: frozenset[str]
    least: int
    conditions: tuple[tuple[Any, ...], ...]
    action: int


class PrintedGuide:
    """A reader of the text of a guide, as `yatzy guide` prints it; the rules have the names of boxes in its language."""

    def __init__(self, rules: RuleSet, language: str, text: str) -> None:
        self.rules, self.phrases = rules, PHRASES[language]
        self.and_, self.or_, self.numbers = self.phrases["and"], self.phrases["or"], self.phrases["numbers"].split()
        self.names = {box.name: box.id for box in rules.categories}
        self.sections = [*self.phrases["upper"], *self.phrases["lower"]]
        by_length = sorted([*self.names, *self.sections], key=len, reverse=True)
        self.box = "(?:" + "|".join(map(re.escape, by_length)) + ")"
        self.rule_texts = [*numbered_sentences(text)]
        self.rules_read = [self.read(sentence) for sentence in self.rule_texts]
        flat = " ".join(text.split())
        # Par of each upper box: the first list of upper boxes with a number each.
        upper = [box for box in rules.categories if box.face]
        found = re.search(r", ".join(rf"{re.escape(box.name)} ([+−]?\d+(?:[.,]\d+)?)" for box in upper), flat)
        par = found.groups() if upper and found else ()
        self.par = {box.id: Fraction(value.replace(",", ".")) for box, value in zip(upper, par, strict=False)}
        # The upper sums that the bonus is paid from, as far as the legend names them.
        steps = re.search(self.phrases["bonus"].replace("{steps}", rf"((?:\d+(?:, |{self.or_})?)+)"), flat)
        self.steps = [int(step) for step in re.findall(r"\d+", steps[1])] if steps else []

    # --- reading ------------------------------------------------------------------------------------------------

    def phrase(self, text: str) -> str:
        """A phrase as a regular expression."""
        number = "(?:" + "|".join([*self.numbers, r"\d+"]) + ")"
        parts = {
            "n": f"(?P<n>{number})",
            "m": f"(?P<m>(?i:{number}))",
            "f": r"(?P<f>\d+(?:–\d+)?)",
            "t": rf"(?P<t>\d+–\d+|{number})",
            "l": rf"(?P<l>{number}(?:(?:, |{self.and_}){number})*)",
            "p": r"(?P<p>\d+)",
            "b": f"(?P<b>{self.box})",
            "o": f"(?P<o>{self.box}(?:, {self.box})*(?:{self.or_}{self.box})?)",
            "a": f"(?P<a>{self.box}(?:, {self.box})*(?:{self.and_}{self.box})?)",
        }
        return re.sub(r"\{([a-z])\}", lambda match: parts[match[1]], text)

    def read(self, sentence: str) -> PrintedRule:
        """What a sentence says."""
        actions = "|".join(map(re.escape, self.phrases["actions"]))
        for kind, phrase in self.phrases["patterns"].items():
            whole = rf"{self.phrase(phrase)}(?:{self.phrases['if']}(?P<if>.+))?: (?P<action>{actions})\."
            if match := re.fullmatch(whole, sentence):
                found = match.groupdict()
                conditions = self.read_conditions(found["if"]) if found["if"] else ()
                if conditions is not None:
                    return self.rule(kind.strip(), found, conditions)
        raise AssertionError(f"cannot read {sentence!r}")

    def rule(self, kind: str, found: Found, conditions: tuple[Any, ...]) -> PrintedRule:
        faces = (1, self.rules.faces) if not found.get("f") else self.span(found["f"] or "")
        sizes = (self.number(found["n"]),) if found.get("n") else ()
        if kind == "several":
            kind, sizes = "unequal", sizes * self.number(found["m"])
        elif kind in ("unequal", "all"):
            sizes = tuple(self.number(part) for part in re.split(f", |{self.and_}", found["l"] or ""))
        elif kind == "most":
            kind, sizes = "alike", (1,)
        if kind == "all":
            kind, faces, sizes = "different", (min(sizes), max(sizes)), (len(sizes),)
        action = self.phrases["actions"].index(found["action"])
        boxes = frozenset(self.names[name] for name in re.findall(self.box, found.get("o") or ""))
        is_open, lowest = bool((found.get("open") or "").strip()), bool(found.get("low"))
        return PrintedRule(kind, sizes, faces, is_open, lowest, boxes, int(found.get("p") or 1), conditions, action)

    def read_conditions(self, text: str) -> tuple[tuple[Any, ...], ...] | None:
        """The conditions of a sentence; None if it cannot be read so."""
        for kind, phrases in self.phrases["conditions"].items():
            for phrase in split_phrases(phrases):
                match = re.match(self.phrase(phrase), text)
                if not match:
                    continue
                condition, rest = self.condition(kind, match.groupdict()), text[match.end() :]
                if not rest:
                    return (condition,)
                for separator in (", ", self.and_):
                    if rest.startswith(separator):
                        others = self.read_conditions(rest.removeprefix(separator))
                        if others is not None:
                            return (condition, *others)
        return None

    def condition(self, kind: str, found: Found) -> tuple[Any, ...]:
        if kind in ("above", "below"):
            return kind, int(found["top"] or "")
        if kind == "scored":
            return kind, self.names[found["b"] or ""]
        if kind == "rolls":
            return kind, self.number(found["n"])
        if kind in ("turns", "needs"):
            text = found["t"] or ""
            return (kind, *(self.span(text) if "–" in text else (self.number(text),) * 2))
        names = re.findall(self.box, found.get("o") or found.get("a") or "")
        return kind, frozenset(box for name in names for box in self.boxes(name))

    def boxes(self, name: str) -> list[str]:
        if name in self.names:
            return [self.names[name]]
        return [box.id for box in self.rules.categories if box.upper == (name in self.phrases["upper"])]

    def number(self, text: str | None) -> int:
        text = (text or "").lower()
        return int(text) if text.isdigit() else self.numbers.index(text) + 1

    @staticmethod
    def span(text: str) -> tuple[int, int]:
        low, _, high = text.partition("–")
        return int(low), int(high or low)

    # --- playing ------------------------------------------------------------------------------------------------

    def play(self, card: Card, dice: Dice, left: int) -> Dice | None:
        """The dice to keep; None: stop."""
        open_faces, boxes = frozenset(self.open_faces_of(self.rules, card)), self.boxes_for(self.rules, card)
        for rule in self.rules_read:
            if all(self.holds(condition, card, left) for condition in rule.conditions):
                kept, good = self.done(rule, open_faces, dice)
                if good[self.has_jokers(self.rules, card)] & boxes:
                    return None if len(kept) == len(dice) else kept
        return ()

    @staticmethod
    def boxes_for(rules: RuleSet, card: Card) -> frozenset[str]:
        """The boxes that dice may be good for."""
        joker = rules.joker
        return card.boxes | ({joker.category} if joker and joker.bonus and card.scored else set())

    @staticmethod
    def has_jokers(rules: RuleSet, card: Card) -> bool:
        """Whether the rules of the game make another roll of the joker's kind a joker."""
        joker = rules.joker
        return joker is not None and joker.category in card.filled and (card.scored or joker.requires == "filled")

    def dice_for_bonus(self, card: Card) -> int:
        """How many dice in each empty upper box bring the upper sum to its next step; 0 if no number does."""
        points = sum(box.face for box in self.rules.categories if box.face and box.id not in card.filled)
        missing = [step - card.upper for step in self.steps if step > card.upper]
        return next((n for n in range(1, self.rules.dice + 1) if missing and n * points >= missing[0]), 0)

    def done(self, rule: PrintedRule, open_faces: frozenset[int], dice: Dice) -> tuple[Dice, Boxes]:
        """What a sentence keeps of a roll, all dice to stop; and the boxes of which the card must offer one.

        Without jokers, and with them.
        """
        named = self.named(rule, open_faces, dice)
        if named is None:
            return (), (frozenset(), frozenset())
        if rule.kind == "score":
            paying = {
                b for b in rule.boxes if oracle_of(self.rules).points(self.rules.index_of[b], dice) >= rule.least
            }
            return (dice if rule.action != ROLL_ALL else ()), (frozenset(paying),) * 2
        if rule.action == ROLL_ALL:
            return (), (frozenset(self.names.values()),) * 2
        kept = dice if rule.action == STOP else named
        return kept, (good_for(self.rules, kept, False), good_for(self.rules, kept, True))

    @staticmethod
    def open_faces_of(rules: RuleSet, card: Card) -> Iterator[int]:
        """The faces whose upper box the turn can fill."""
        return (box.face for box in rules.categories if box.face and box.id in card.boxes)

    def named(self, rule: PrintedRule, open_faces: frozenset[int], dice: Dice) -> Dice | None:
        """The dice that a sentence names; None if it does not fit the roll."""
        counts = Counter(
            d for d in dice if rule.faces[0] <= d <= rule.faces[1] and (not rule.is_open or d in open_faces)
        )
        if rule.kind in ("any", "score"):
            return dice
        if rule.kind == "some":
            return tuple(sorted(counts.elements())) or None
        if rule.kind in ("different", "row"):
            rows = [sorted(counts)] if rule.kind == "different" else runs(sorted(counts))
            fitting = [row for row in rows if len(row) >= rule.sizes[0]]
            return tuple(max(fitting, key=lambda row: (len(row), row))) if fitting else None
        sign = -1 if rule.lowest else 1
        faces = sorted(counts, key=lambda face: (-counts[face], -sign * face))[: len(rule.sizes)]
        if len(faces) < len(rule.sizes) or any(
            counts[f] < n for f, n in zip(faces, sorted(rule.sizes)[::-1], strict=True)
        ):
            return None
        return tuple(sorted(d for d in dice if d in faces))

    def holds(self, condition: tuple[Any, ...], card: Card, left: int) -> bool:
        """Whether a condition holds on a card."""
        kind, *values = condition
        if kind in ("above", "below"):
            par = sum(value for box, value in self.par.items() if box in card.filled)
            return (par <= card.upper < values[0]) == (kind == "above")
        if kind == "needs":
            return bool(values[0] <= self.dice_for_bonus(card) <= values[1])
        if kind == "rolls":
            return bool(left == values[0])
        if kind == "turns":
            return bool(values[0] <= card.turns <= values[1])
        if kind == "scored":
            return card.scored
        if kind == "only":
            return card.boxes <= values[0]
        return bool(card.boxes & values[0]) == (kind == "open")


@cache
def good_for(rules: RuleSet, kept: Dice, jokers: bool) -> frozenset[str]:
    """The boxes that dice are good for: the upper boxes of their faces, and others that may yet score with them."""
    return frozenset(box.id for box in rules.categories if is_of_use(rules, box.id, kept, jokers))


def runs(faces: list[int]) -> list[list[int]]:
    """The longest runs of consecutive faces."""
    found: list[list[int]] = []
    for face in faces:
        if found and found[-1][-1] == face - 1:
            found[-1].append(face)
        else:
            found.append([face])
    return found


def split_phrases(phrases: str) -> list[str]:
    """The alternatives of a phrase at its outer level."""
    parts, depth = [""], 0
    for letter in phrases:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def numbered_sentences(text: str) -> Iterator[str]:
    """The numbered sentences of the printed guide, without what each is worth."""
    lines = iter(text.splitlines())
    sentence, expected = "", 1
    for line in lines:
        if match := re.fullmatch(rf" {{0,3}}{expected} (\S.*)", line):
            sentence, expected = match[1], expected + 1
        elif sentence and line.startswith("    "):
            sentence += " " + line.strip()
        if match := re.fullmatch(r"(.*[.])(?: {2,}[−+]?\d+[.,]\d+)?", sentence):
            yield match[1]
            sentence = ""
