"""Rules for holds that a person can learn: which dice to keep, or whether to stop, by a short ordered list.

A list of hold rules is a policy for the rerolls of a turn: the first rule that fits decides; if no rule fits, all
dice are rolled. A rule has three parts, and one line of text::

    three of open 3-6 if full-house open and rolls left 1: keep
    |---------------|    |----------------------------|    |--|
         pattern                  conditions              action

The *pattern* names dice of the roll, the *conditions* are about the card and the rolls left, and the *action* keeps
the named dice, stops, or rolls all dice. Grammar, with ``[...]`` optional and ``{...}`` repeated::

    rule       pattern [if condition {and condition}] : action
    pattern    any                            every roll; names no dice
               GROUP [of FACES] [lowest]      all dice of one face, at least so many: the largest such group,
                                              of several as large the highest (or `lowest`) face
               GROUPS [of FACES]              groups of different faces, the largest first, and all dice of them
               NUMBER different [of A-B]      one die of each face from A to B, at least so many
               row NUMBER [of A-B]            at least so many consecutive faces: the longest row, then the highest
               dice of FACES                  all dice with one of the faces
               pays CATEGORIES [for N]        one of them is open and pays (at least N points) for the roll; names
                                              all dice
    GROUP      single, pair, three, four, five, six
    GROUPS     two pairs, full house, groups N+N{+N} (groups 3+3)
    FACES      open, A, A-B, open A-B         open: faces whose upper category is open
    condition  BOXES open                     at least one of them is open
               BOXES closed                   all of them are filled
               only BOXES open                no other category is open
               above par                      upper sum at least par, but below the bonus threshold; par: its part
                                              that falls to the filled upper boxes (63: three of each face)
               below par                      upper sum less than par, or the threshold reached
               rolls left N
               turns left N, turns left N-M   this turn included
               CATEGORY scored                the box holds points; only where the game remembers it (the joker's)
    CATEGORIES CATEGORY {or CATEGORY}
    BOXES      CATEGORIES                     also `upper` and `lower`: all boxes of that section
    action     keep, stop, roll all

To keep all dice is to stop. In a forced order a category is *open* if this turn fills it. Anything the rule set lacks
is an error.

A rule to keep or to stop counts only if the dice it keeps are of use: they show the face that an open category
collects, or another open category pays for some roll with them, jokers included. While another roll of the joker's
kind pays a bonus, its box counts as open for this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import StateError
from ..game.rules import RuleSet

GROUP_WORDS = {1: "single", 2: "pair", 3: "three", 4: "four", 5: "five", 6: "six"}
SEVERAL_WORDS: dict[tuple[int, ...], str] = {(2, 2): "two pairs", (3, 2): "full house"}
MAX_ROLLS_LEFT = 60  # with saved rolls
SECTIONS = ("upper", "lower")  # words for all categories of a section

PatternKind = Literal["any", "groups", "different", "row", "dice", "pays"]
ConditionKind = Literal["open", "closed", "only", "scored", "above par", "below par", "rolls left", "turns left"]
Action = Literal["keep", "stop", "roll all"]

ACTIONS: tuple[Action, ...] = ("keep", "stop", "roll all")


@dataclass(frozen=True)
class DicePattern:
    """What the dice of a roll must show, and which of them the pattern names."""

    kind: PatternKind
    # kind ``groups``: fewest dice of each group, descending. ``different`` and ``row``: fewest faces, one number
    sizes: tuple[int, ...] = ()
    low: int = 1  # faces that count, both included
    high: int = 0
    open: bool = False  # whether only faces count whose upper category is open
    lowest: bool = False  # a single group: of several of the same size the lowest face instead of the highest
    categories: tuple[str, ...] = ()  # kind ``pays``: ids of the categories, in the order of the sheet
    least: int = 1  # kind ``pays``: the fewest points that count


@dataclass(frozen=True)
class Condition:
    """A condition on the card or on the rolls left."""

    kind: ConditionKind
    # kinds ``open``, ``closed`` and ``only``: ``upper`` or ``lower`` for a whole section, then ids in the order of
    # the sheet. Kind ``scored``: one id
    categories: tuple[str, ...] = ()
    low: int = 0  # the numbers allowed, both included; kinds ``rolls left`` (one number) and ``turns left``
    high: int = 0

    def __str__(self) -> str:
        names = " or ".join(self.categories)
        if self.kind in ("open", "closed", "scored"):
            return f"{names} {self.kind}"
        if self.kind == "only":
            return f"only {names} open"
        if self.kind in ("above par", "below par"):
            return self.kind
        return f"{self.kind} {self.low}" if self.low == self.high else f"{self.kind} {self.low}-{self.high}"


@dataclass(frozen=True)
class HoldRule:
    """A rule of a list: if the pattern and all conditions fit, do the action. ``str(rule)`` is the canonical text."""

    pattern: DicePattern
    conditions: tuple[Condition, ...]  # In canonical order, none twice
    action: Action
    faces: int = 6  # faces of a die; patterns of all faces leave them out in the text

    def __str__(self) -> str:
        conditions = " and ".join(map(str, self.conditions))
        return f"{self._pattern_text()}{' if ' if conditions else ''}{conditions}: {self.action}"

    def _pattern_text(self) -> str:
        pattern = self.pattern
        whole = (pattern.low, pattern.high) == (1, self.faces)
        numbers = "" if whole else face_range(pattern.low, pattern.high)
        faces = " ".join(["open"] * pattern.open + [numbers] * bool(numbers))
        of = f" of {faces}" if faces else ""
        if pattern.kind == "any":
            return "any"
        if pattern.kind == "pays":
            return f"pays {' or '.join(pattern.categories)}{f' for {pattern.least}' if pattern.least > 1 else ''}"
        if pattern.kind == "dice":
            return f"dice of {faces or face_range(pattern.low, pattern.high)}"
        if pattern.kind == "different":
            return f"{pattern.sizes[0]} different{of}"
        if pattern.kind == "row":
            return f"row {pattern.sizes[0]}{of}"
        if len(pattern.sizes) == 1:
            word = GROUP_WORDS[pattern.sizes[0]]
            return f"{word}{of}{' lowest' if pattern.lowest else ''}"
        word = SEVERAL_WORDS.get(pattern.sizes) or "groups " + "+".join(map(str, pattern.sizes))
        return word + of


def face_range(low: int, high: int) -> str:
    """Faces as text: ``4`` or ``4-6``."""
    return str(low) if low == high else f"{low}-{high}"


CONDITION_ORDER = ("open", "closed", "only", "scored", "above par", "below par", "rolls left", "turns left")


def section(rules: RuleSet, name: str) -> tuple[str, ...]:
    """Ids of the upper or lower categories; empty if a category has the name of the section."""
    if name in rules.index_of:
        return ()
    return tuple(c.id for c in rules.categories if c.upper == (name == "upper"))


def all_categories(rules: RuleSet, condition: Condition) -> tuple[str, ...]:
    """Ids of the categories of a condition, with sections written out."""
    return tuple(c for name in condition.categories for c in section(rules, name) or (name,))


def _shortened(rules: RuleSet, categories: Iterable[str]) -> tuple[str, ...]:
    """Distinct ids in canonical order, with the name of a section in place of all its categories."""
    left, names = set(categories), []
    for name in SECTIONS:
        members = section(rules, name)
        if name in left:
            left = left - {name} | set(members)
        if len(members) > 1 and left.issuperset(members):
            left -= set(members)
            names.append(name)
    return (*names, *sorted(left, key=rules.index_of.__getitem__))


def hold_rule(rules: RuleSet, pattern: DicePattern, conditions: Iterable[Condition], action: Action) -> HoldRule:
    """A checked rule with its conditions in canonical order."""
    order = [*SECTIONS, *rules.index_of]

    def place(condition: Condition) -> tuple[int, list[int], int]:
        return CONDITION_ORDER.index(condition.kind), [*map(order.index, condition.categories)], condition.low

    pattern = replace(pattern, categories=tuple(sorted(set(pattern.categories), key=order.index)))
    short = {replace(c, categories=_shortened(rules, c.categories)) for c in conditions}
    rule = HoldRule(pattern, tuple(sorted(short, key=place)), action, rules.faces)
    _check(rules, rule)
    return rule


def _check(rules: RuleSet, rule: HoldRule) -> None:
    pattern = rule.pattern
    if not 1 <= pattern.low <= pattern.high <= rules.faces:
        raise rule_error(f"the faces {pattern.low}-{pattern.high} are not a range within 1-{rules.faces}")
    if pattern.kind == "groups" and len(pattern.sizes) == 1 and pattern.sizes[0] not in GROUP_WORDS:
        raise rule_error(f"a group of {pattern.sizes[0]} dice has no name; groups have 1 to {max(GROUP_WORDS)} dice")
    if pattern.kind == "groups" and sum(pattern.sizes) > rules.dice:
        raise rule_error(f"{rule} names {sum(pattern.sizes)} dice; {rules.key} is played with {rules.dice}")
    if pattern.kind in ("different", "row") and pattern.sizes[0] > min(rules.dice, pattern.high - pattern.low + 1):
        raise rule_error(f"{rule} needs {pattern.sizes[0]} different faces, which no roll of {rules.key} shows there")
    if pattern.open and not any(c.face for c in rules.categories):
        raise rule_error(f"{rules.key} has no category that collects one face, so no face is open")
    if pattern.kind == "any" and rule.action == "keep":
        raise rule_error("`any` names no dice to keep; write `stop` or `roll all`")
    for condition in rule.conditions:
        tracked = rules.categories[rules.tracked_index].id if rules.tracked_index >= 0 else None
        if condition.kind == "scored" and condition.categories != (tracked,):
            known = f"only {tracked} can be" if tracked else f"{rules.key} has no such box"
            raise rule_error(f"{condition}: a box whose points change what may be scored later; {known}")
        if condition.kind in ("above par", "below par") and not rules.bonus:
            raise rule_error(f"{rules.key} has no upper bonus, so there is no par")
        most = MAX_ROLLS_LEFT if rules.saved_rolls else rules.rolls_per_turn - 1
        if condition.kind == "rolls left" and not 1 <= condition.low <= most:
            raise rule_error(f"rolls left {condition.low}: when a hold is chosen, {rules.key} has 1 to {most} left")
        if condition.kind == "turns left" and not 1 <= condition.low <= condition.high <= len(rules.categories):
            raise rule_error(f"{condition}: {rules.key} has {len(rules.categories)} turns")


def rule_error(message: str) -> StateError:
    """The error of a rule that is malformed or does not apply."""
    return StateError(message, code="invalid-value")
