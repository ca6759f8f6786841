"""Hold rules as people write them; :mod:`.hold_language` has the grammar.

``parse_hold_rule(rules, str(rule)) == rule`` for every rule of a rule set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .._messages import _
from ..errors import StateError, shown
from ..game.limits import check_length, closest
from ..game.notation import find_category
from ..game.rules import RuleSet
from ..model.hold_rule_arrays import MAX_RULES
from .hold_language import (
    ACTIONS,
    GROUP_WORDS,
    SECTIONS,
    SEVERAL_WORDS,
    Condition,
    DicePattern,
    HoldRule,
    PatternKind,
    hold_rule,
    rule_error,
    section,
)

__all__ = ["Condition", "DicePattern", "HoldRule", "hold_rule", "parse_hold_rule", "parse_hold_rules"]

MAX_RULE_TEXT = 1_000
GROUP_SIZES = {word: size for size, word in GROUP_WORDS.items()}
TOKENS = re.compile(r"[^\s:,]+|[:,]")
NUMBER = re.compile("[0-9]{1,3}")
NUMBERS = re.compile("([0-9]{1,3})(?:-([0-9]{1,3}))?")


def parse_hold_rules(rules: RuleSet, text: str | Sequence[str]) -> tuple[HoldRule, ...]:
    """Read an ordered list of rules: one a line; empty lines and lines that begin with ``#`` are ignored."""
    lines = text.splitlines() if isinstance(text, str) else text
    check_length([*lines], 10 * MAX_RULES, _("the list of hold rules"), _("lines"))
    found = []
    for number, line in enumerate(lines, start=1):
        if isinstance(line, str) and (not line.strip() or line.lstrip().startswith("#")):
            continue
        try:
            found.append(parse_hold_rule(rules, line))
        except StateError as error:
            raise StateError(
                _("hold rule {number}: {error}").format(number=number, error=error), code=error.code
            ) from None
    check_length(found, MAX_RULES, _("the list of hold rules"), _("rules"))
    return tuple(found)


def parse_hold_rule(rules: RuleSet, text: str) -> HoldRule:
    """Read one rule; see :mod:`.hold_language` for the grammar. Case and additional blanks do not matter."""
    if not isinstance(text, str):
        raise rule_error(f"a hold rule is {shown(text)}; must be text such as 'three of open: keep'")
    check_length(text, MAX_RULE_TEXT, _("a hold rule"))
    return _Parser(rules, text).rule()


class _Parser:
    """Recursive descent over the words of one rule."""

    def __init__(self, rules: RuleSet, text: str) -> None:
        self.rules, self.text = rules, text
        self.words = TOKENS.findall(text.lower())
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else ""

    def next(self) -> str:
        word = self.peek()
        self.at += 1
        return word

    def take(self, *words: str) -> bool:
        """Whether the next words are these; then they are read."""
        if tuple(self.words[self.at : self.at + len(words)]) != words:
            return False
        self.at += len(words)
        return True

    def expected(self, what: str, known: Sequence[str] = ()) -> StateError:
        word = self.words[self.at] if self.at < len(self.words) else "the end"
        similar = closest(word, known) if known else None
        hint = f"; did you mean {similar!r}?" if similar else ""
        return rule_error(f"{shown(self.text)}: expected {what} instead of {word!r}{hint}")

    def number(self, what: str) -> int:
        word = self.peek()
        if not NUMBER.fullmatch(word):
            raise self.expected(what)
        self.at += 1
        return int(word)

    def rule(self) -> HoldRule:
        pattern = self.pattern()
        conditions = []
        if self.take("if"):
            conditions.append(self.condition())
            while self.take("and"):
                conditions.append(self.condition())
        if not self.take(":"):
            raise self.expected(
                "`:` and the action" if conditions else "`if` and a condition, or `:` and the action",
                ["if", "and", "of", "lowest"],
            )
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
            self.next()
            return self.with_faces("different", (number,), may_be_open=False)
        for sizes, words in SEVERAL_WORDS.items():
            if self.take(*words.split()):
                return self.with_faces("groups", sizes)
        if self.take("groups"):
            word = self.peek()
            if not re.fullmatch(r"[1-9][0-9]?(\+[1-9][0-9]?)+", word):
                raise self.expected("sizes of two or more groups, such as 3+3")
            self.at += 1
            return self.with_faces("groups", tuple(sorted(map(int, word.split("+")), reverse=True)))
        if self.peek() in GROUP_SIZES:
            return self.with_faces("groups", (GROUP_SIZES[self.next()],), may_be_lowest=True)
        known = [*GROUP_SIZES, "any", "pays", "row", "dice", "different", "two", "full", "groups"]
        raise self.expected("a pattern", known)

    def with_faces(
        self, kind: PatternKind, sizes: tuple[int, ...], may_be_open: bool = True, may_be_lowest: bool = False
    ) -> DicePattern:
        """The rest of a pattern: ``[of FACES] [lowest]``."""
        low, high, is_open = 1, self.rules.faces, False
        if sizes and min(sizes) < 1:
            raise rule_error(f"{shown(self.text)}: a pattern needs at least one die")
        if self.take("of"):
            is_open = may_be_open and self.take("open")
            match = NUMBERS.fullmatch(self.peek())
            if match:
                self.at += 1
                low, high = int(match[1]), int(match[2] or match[1])
            elif not is_open:
                raise self.expected("`open`, a face or faces such as 4-6" if may_be_open else "faces such as 1-5")
        return DicePattern(kind, sizes, low, high, is_open, may_be_lowest and self.take("lowest"))

    def condition(self) -> Condition:
        for side in ("above par", "below par"):
            if self.take(*side.split()):
                return Condition(side)
        if self.take("rolls", "left"):
            number = self.number("a number of rolls")
            return Condition("rolls left", (), number, number)
        if self.take("turns", "left"):
            match = NUMBERS.fullmatch(self.peek())
            if not match:
                raise self.expected("a number of turns, or a range such as 1-5")
            self.at += 1
            return Condition("turns left", (), int(match[1]), int(match[2] or match[1]))
        only = self.take("only")
        names = self.boxes()
        while self.take("or"):
            names += self.boxes()
        if self.take("open"):
            return Condition("only" if only else "open", tuple(names))
        for kind in ("closed", "scored"):
            if not only and self.take(kind):
                return Condition(kind, tuple(names))
        known = "`or` and a category, or `open`" if only else "`or` and a category, `open`, `closed` or `scored`"
        raise self.expected(known)

    def boxes(self) -> list[str]:
        """A category, or all of a section."""
        for name in SECTIONS:
            if section(self.rules, name) and self.take(name):
                return [name]
        return [self.category()]

    def category(self) -> str:
        if self.peek() in ("", ":"):
            raise self.expected("a category")
        word = self.next()
        if word in self.rules.index_of:
            return word
        return self.rules.categories[find_category(self.rules, word)].id
