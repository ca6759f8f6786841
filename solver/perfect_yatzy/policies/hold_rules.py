"""Read rules for holds that a person can learn: a short ordered list of what to do.

The first rule that fits decides. If no rule fits, all dice are rolled. A rule has three parts, and
one line of text::

    three of open 3-6 if full-house open and rolls left 1: keep
    |---------------|    |----------------------------|    |--|
         pattern                  conditions              action

README.md has every pattern and condition, and says when a rule counts. A rule is read again from its
text: ``parse_hold_rule(rules, str(rule)) == rule``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.rules import RuleSet
from ..errors import StateError, shown
from ..game.limits import check_length, closest
from ..game.notation import find_category
from ..words import _
from .hold_rule_arrays import MAX_RULES

GROUP_WORDS = {1: "single", 2: "pair", 3: "three", 4: "four", 5: "five", 6: "six"}
SEVERAL_WORDS: dict[tuple[int, ...], str] = {(2, 2): "two pairs", (3, 2): "full house"}
MAX_ROLLS_LEFT = 60  # most rolls left with saved rolls
SECTIONS = ("upper", "lower")  # words for all categories of a section

PatternKind = Literal["any", "groups", "different", "row", "dice", "pays"]
ConditionKind = Literal[
    "open",
    "closed",
    "only",
    "scored",
    "above par",
    "below par",
    "bonus needs",
    "rolls left",
    "turns left",
]
Action = Literal["keep", "stop", "roll all"]

ACTIONS: tuple[Action, ...] = ("keep", "stop", "roll all")
ON_UPPER_SUM = ("above par", "below par", "bonus needs")
CONDITION_ORDER = ("open", "closed", "only", "scored", *ON_UPPER_SUM, "rolls left", "turns left")
MAX_RULE_TEXT = 1_000
GROUP_SIZES = {word: size for size, word in GROUP_WORDS.items()}
TOKENS = re.compile(r"[^\s:,]+|[:,]")
NUMBER = re.compile("[0-9]{1,3}")
NUMBERS = re.compile("([0-9]{1,3})(?:-([0-9]{1,3}))?")
SIZES = re.compile(r"[1-9][0-9]?(\+[1-9][0-9]?)+")


@dataclass(frozen=True)
class DicePattern:
    """What the dice of a roll must show, and which of them the pattern names."""

    kind: PatternKind
    # the fewest dice of each group for ``groups``, descending; the fewest faces for ``different`` and
    # ``row``
    sizes: tuple[int, ...] = ()
    low: int = 1  # the lowest face that counts
    high: int = 0  # the highest face that counts
    open: bool = False  # whether only faces count whose upper category is open
    # whether a single group has the lowest face of several of the same size instead of the highest
    lowest: bool = False
    categories: tuple[str, ...] = ()  # for ``pays``: ids, in the order of the sheet
    least: int = 1  # for ``pays``: the fewest points that count


@dataclass(frozen=True)
class Condition:
    """A condition on the card or on the rolls left."""

    kind: ConditionKind
    # for ``open``, ``closed`` and ``only``: ``upper`` or ``lower`` for a section, then ids in order;
    # for ``scored``: one id
    categories: tuple[str, ...] = ()
    # The numbers allowed, for ``rolls left`` (one number), ``turns left`` and ``bonus needs``:
    low: int = 0  # the lowest one
    high: int = 0  # the highest one

    def __str__(self) -> str:
        names = " or ".join(self.categories)
        if self.kind in ("open", "closed", "scored"):
            return f"{names} {self.kind}"
        if self.kind == "only":
            return f"only {names} open"
        if self.kind in ("above par", "below par"):
            return self.kind
        return (
            f"{self.kind} {self.low}"
            if self.low == self.high
            else f"{self.kind} {self.low}-{self.high}"
        )


@dataclass(frozen=True)
class HoldRule:
    """A rule of a list: if the pattern and all conditions fit, do the action.

    ``str(rule)`` is the canonical text.
    """

    pattern: DicePattern
    conditions: tuple[Condition, ...]  # in canonical order, none twice
    action: Action
    faces: int = 6  # faces of a die; patterns of all faces leave them out in the text

    def __str__(self) -> str:
        conditions = " and ".join(map(str, self.conditions))
        return f"{self._pattern_text()}{' if ' if conditions else ''}{conditions}: {self.action}"

    def _pattern_text(self) -> str:
        pattern = self.pattern
        sizes = pattern.sizes
        if pattern.kind == "any":
            return "any"
        if pattern.kind == "pays":
            least = f" for {pattern.least}" if pattern.least > 1 else ""
            return f"pays {' or '.join(pattern.categories)}{least}"
        numbers = face_range(pattern.low, pattern.high)
        words = ["open"] if pattern.open else []
        if (pattern.low, pattern.high) != (1, self.faces):
            words.append(numbers)
        faces = " ".join(words)
        if pattern.kind == "dice":
            return f"dice of {faces or numbers}"
        of_faces = f" of {faces}" if faces else ""
        if pattern.kind == "different":
            return f"{sizes[0]} different{of_faces}"
        if pattern.kind == "row":
            return f"row {sizes[0]}{of_faces}"
        if len(sizes) == 1:
            return f"{GROUP_WORDS[sizes[0]]}{of_faces}{' lowest' if pattern.lowest else ''}"
        several = SEVERAL_WORDS.get(sizes) or f"groups {'+'.join(map(str, sizes))}"
        return several + of_faces


def face_range(low: int, high: int) -> str:
    """Return faces as text: ``4`` or ``4-6``."""
    return str(low) if low == high else f"{low}-{high}"


def section(rules: RuleSet, name: str) -> tuple[str, ...]:
    """Return the ids of the upper or lower categories.

    None are returned if a category has the name of the section.
    """
    if name in rules.index_of:
        return ()
    return tuple(c.id for c in rules.categories if c.upper == (name == "upper"))


def all_categories(rules: RuleSet, condition: Condition) -> tuple[str, ...]:
    """Return the ids of the categories of a condition, with sections written out."""
    return tuple(c for name in condition.categories for c in section(rules, name) or (name,))


def _shortened(rules: RuleSet, names: Iterable[str]) -> tuple[str, ...]:
    """Return distinct ids in canonical order.

    The name of a section stands in place of all its categories.
    """
    ids = set[str]()
    for name in names:
        members = section(rules, name) if name in SECTIONS else ()
        ids |= set(members or [name])
    sections = []
    for name in SECTIONS:
        members = section(rules, name)
        if len(members) > 1 and ids.issuperset(members):
            ids -= set(members)
            sections.append(name)
    return (*sections, *sorted(ids, key=rules.index_of.__getitem__))


def hold_rule(
    rules: RuleSet, pattern: DicePattern, conditions: Iterable[Condition], action: Action
) -> HoldRule:
    """Return a checked rule with its conditions in canonical order."""
    names = [*SECTIONS, *rules.index_of]  # in canonical order

    def place(condition: Condition) -> tuple[int, list[int], int, int]:
        ids = [*map(names.index, condition.categories)]
        return CONDITION_ORDER.index(condition.kind), ids, condition.low, condition.high

    sorted_ids = tuple(sorted(set(pattern.categories), key=names.index))
    short = {replace(c, categories=_shortened(rules, c.categories)) for c in conditions}
    rule = HoldRule(
        replace(pattern, categories=sorted_ids),
        tuple(sorted(short, key=place)),
        action,
        rules.faces,
    )
    _check(rules, rule)
    return rule


def _check(rules: RuleSet, rule: HoldRule) -> None:
    """Raise StateError unless a rule fits the rules of the game."""
    _check_pattern(rules, rule)
    for condition in rule.conditions:
        _check_condition(rules, condition)


def _check_pattern(rules: RuleSet, rule: HoldRule) -> None:
    pattern = rule.pattern
    if not 1 <= pattern.low <= pattern.high <= rules.faces:
        raise rule_error(
            f"the faces {pattern.low}-{pattern.high} are not a range within 1-{rules.faces}"
        )
    if pattern.kind == "groups" and len(pattern.sizes) == 1 and pattern.sizes[0] not in GROUP_WORDS:
        raise rule_error(
            f"a group of {pattern.sizes[0]} dice has no name; groups have 1 to {max(GROUP_WORDS)} dice"
        )
    if pattern.kind == "groups" and sum(pattern.sizes) > rules.dice:
        raise rule_error(
            f"{rule} names {sum(pattern.sizes)} dice; {rules.key} is played with {rules.dice}"
        )
    if pattern.kind in ("different", "row") and pattern.sizes[0] > min(
        rules.dice, pattern.high - pattern.low + 1
    ):
        raise rule_error(
            f"{rule} needs {pattern.sizes[0]} different faces, which no roll of {rules.key} shows there"
        )
    if pattern.open and not any(c.face for c in rules.categories):
        raise rule_error(f"{rules.key} has no category that collects one face, so no face is open")
    if pattern.kind == "any" and rule.action == "keep":
        raise rule_error("`any` names no dice to keep; write `stop` or `roll all`")


def _check_condition(rules: RuleSet, condition: Condition) -> None:
    tracked = rules.categories[rules.tracked_index].id if rules.tracked_index >= 0 else None
    most = MAX_ROLLS_LEFT if rules.saved_rolls else rules.rolls_per_turn - 1
    if condition.kind == "scored" and condition.categories != (tracked,):
        known = f"only {tracked} can be" if tracked else f"{rules.key} has no such box"
        raise rule_error(
            f"{condition}: a box whose points change what may be scored later; {known}"
        )
    if condition.kind in ON_UPPER_SUM and not rules.bonus:
        raise rule_error(
            f"{rules.key} has no upper bonus, so there is no par and nothing that it needs"
        )
    if condition.kind == "bonus needs" and not 1 <= condition.low <= condition.high <= rules.dice:
        raise rule_error(f"{condition}: {rules.key} is played with {rules.dice} dice")
    if condition.kind == "rolls left" and not 1 <= condition.low <= most:
        raise rule_error(
            f"rolls left {condition.low}: when a hold is chosen, {rules.key} has 1 to {most} left"
        )
    if condition.kind == "turns left" and not 1 <= condition.low <= condition.high <= len(
        rules.categories
    ):
        raise rule_error(f"{condition}: {rules.key} has {len(rules.categories)} turns")


def rule_error(message: str) -> StateError:
    """Return the error of a rule that is malformed or does not apply."""
    return StateError(message, code="invalid-value")


def parse_hold_rules(rules: RuleSet, text: str | Sequence[str]) -> tuple[HoldRule, ...]:
    """Read an ordered list of rules, one a line.

    Empty lines and lines that begin with ``#`` are ignored.
    """
    lines = text.splitlines() if isinstance(text, str) else text
    check_length([*lines], 10 * MAX_RULES, _("the list of hold rules"), _("lines"))
    parsed = []
    for number, line in enumerate(lines, start=1):
        if isinstance(line, str) and (not line.strip() or line.lstrip().startswith("#")):
            continue
        try:
            parsed.append(parse_hold_rule(rules, line))
        except StateError as error:
            raise StateError(
                _("hold rule {number}: {error}", number=number, error=error), code=error.code
            ) from None
    check_length(parsed, MAX_RULES, _("the list of hold rules"), _("rules"))
    return tuple(parsed)


def parse_hold_rule(rules: RuleSet, text: str) -> HoldRule:
    """Read one rule by the grammar of the module. Case and additional blanks do not matter."""
    if not isinstance(text, str):
        raise rule_error(
            f"a hold rule is {shown(text)}; must be text such as 'three of open: keep'"
        )
    check_length(text, MAX_RULE_TEXT, _("a hold rule"))
    return _Parser(rules, text).rule()


class _Parser:
    """Recursive descent over the words of one rule."""

    def __init__(self, rules: RuleSet, text: str) -> None:
        self.rules = rules
        self.text = text
        self.words = TOKENS.findall(text.lower())
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else ""

    def take(self, *words: str) -> bool:
        """Read the next words if they are these. Returns whether they are."""
        if tuple(self.words[self.at : self.at + len(words)]) != words:
            return False
        self.at += len(words)
        return True

    def matched(self, form: re.Pattern[str]) -> re.Match[str] | None:
        """Read the next word if it has a form, and return its match."""
        match = form.fullmatch(self.peek())
        if match is not None:
            self.at += 1
        return match

    def number(self, what: str) -> int:
        """Read a number. `what` says in the error what it is."""
        match = self.matched(NUMBER)
        if match is None:
            raise self.expected(what)
        return int(match[0])

    def expected(self, what: str, known: Sequence[str] = ()) -> StateError:
        """Return the error at a word that is not what the grammar expects there."""
        word = self.peek() or "the end"
        similar = closest(word, known) if known else None
        hint = f"; did you mean {similar!r}?" if similar else ""
        return rule_error(f"{shown(self.text)}: expected {what} instead of {word!r}{hint}")

    def rule(self) -> HoldRule:
        pattern = self.pattern()
        conditions = []
        if self.take("if"):
            conditions.append(self.condition())
            while self.take("and"):
                conditions.append(self.condition())
        if not self.take(":"):
            what = (
                "`:` and the action"
                if conditions
                else "`if` and a condition, or `:` and the action"
            )
            raise self.expected(what, ["if", "and", "of", "lowest"])
        action = next((name for name in ACTIONS if self.take(*name.split())), None)
        if action is None:
            raise self.expected("`keep`, `stop` or `roll all`", ["keep", "stop", "roll"])
        if self.peek():
            raise self.expected("the end of the rule")
        return hold_rule(self.rules, pattern, conditions, action)

    def pattern(self) -> DicePattern:
        faces = self.rules.faces
        if self.take("any"):
            return DicePattern("any", high=faces)
        if self.take("pays"):
            names = [self.category()]
            while self.take("or"):
                names.append(self.category())
            least = self.number("a number of points") if self.take("for") else 1
            return DicePattern("pays", high=faces, categories=tuple(names), least=least)
        if self.take("row"):
            return self.with_faces("row", (self.number("how many faces"),), may_be_open=False)
        if self.take("dice"):
            if self.peek() != "of":
                raise self.expected("`of` and faces")
            return self.with_faces("dice", ())
        if NUMBER.fullmatch(self.peek()) and self.peek(1) == "different":
            number = self.number("how many faces")
            self.take("different")
            return self.with_faces("different", (number,), may_be_open=False)
        if groups := self.groups():
            return groups
        known = [*GROUP_SIZES, "any", "pays", "row", "dice", "different", "two", "full", "groups"]
        raise self.expected("a pattern", known)

    def groups(self) -> DicePattern | None:
        """Read a pattern of groups of equal dice, if one follows."""
        for sizes, words in SEVERAL_WORDS.items():
            if self.take(*words.split()):
                return self.with_faces("groups", sizes)
        if self.take("groups"):
            if not (found := self.matched(SIZES)):
                raise self.expected("sizes of two or more groups, such as 3+3")
            return self.with_faces(
                "groups", tuple(sorted(map(int, found[0].split("+")), reverse=True))
            )
        for word, size in GROUP_SIZES.items():
            if self.take(word):
                return self.with_faces("groups", (size,), may_be_lowest=True)
        return None

    def with_faces(
        self,
        kind: PatternKind,
        sizes: tuple[int, ...],
        may_be_open: bool = True,
        may_be_lowest: bool = False,
    ) -> DicePattern:
        """Read the rest of a pattern: ``[of FACES] [lowest]``."""
        low = 1
        high = self.rules.faces
        is_open = False
        if sizes and min(sizes) < 1:
            raise rule_error(f"{shown(self.text)}: a pattern needs at least one die")
        if self.take("of"):
            is_open = may_be_open and self.take("open")
            if found := self.matched(NUMBERS):
                low = int(found[1])
                high = int(found[2] or found[1])
            elif not is_open:
                raise self.expected(
                    "`open`, a face or faces such as 4-6" if may_be_open else "faces such as 1-5"
                )
        return DicePattern(kind, sizes, low, high, is_open, may_be_lowest and self.take("lowest"))

    def condition(self) -> Condition:
        for side in ("above par", "below par"):
            if self.take(*side.split()):
                return Condition(side)
        if self.take("rolls", "left"):
            number = self.number("a number of rolls")
            return Condition("rolls left", (), number, number)
        ranges: dict[ConditionKind, str] = {"bonus needs": "dice", "turns left": "turns"}
        for kind, what in ranges.items():
            if self.take(*kind.split()):
                if not (found := self.matched(NUMBERS)):
                    raise self.expected(f"a number of {what}, or a range such as 1-3")
                return Condition(kind, (), int(found[1]), int(found[2] or found[1]))
        return self.condition_of_boxes()

    def condition_of_boxes(self) -> Condition:
        """Read a condition on boxes that are open or closed, or hold points."""
        only = self.take("only")
        names = self.boxes()
        while self.take("or"):
            names += self.boxes()
        if self.take("open"):
            return Condition("only" if only else "open", tuple(names))
        if not only and self.take("closed"):
            return Condition("closed", tuple(names))
        if not only and self.take("scored"):
            return Condition("scored", tuple(names))
        known = (
            "`or` and a category, or `open`"
            if only
            else "`or` and a category, `open`, `closed` or `scored`"
        )
        raise self.expected(known)

    def boxes(self) -> list[str]:
        """Read a category, or all of a section."""
        for name in SECTIONS:
            if section(self.rules, name) and self.take(name):
                return [name]
        return [self.category()]

    def category(self) -> str:
        if self.peek() in ("", ":"):
            raise self.expected("a category")
        word = self.peek()
        self.at += 1
        if word in self.rules.index_of:
            return word
        return self.rules.categories[find_category(self.rules, word)].id
