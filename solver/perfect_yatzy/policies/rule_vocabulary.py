"""List the patterns and conditions among which the search of hold rules chooses.

These are not all, but what a person would say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

from ..core.rules import Category, RuleSet, leaves_choice
from ..core.scoring import possible_points
from .hold_rules import Action, Condition, DicePattern, HoldRule, hold_rule

# The costs of a rule in points a game, by what it makes a person remember.
CONDITION_COST = {"open": 0.05, "scored": 0.05, "rolls left": 0.04, "turns left": 0.1}
CONDITION_COST |= dict.fromkeys(("closed", "only", "above par", "below par", "bonus needs"), 0.08)
FURTHER_CATEGORY_COST = 0.03  # each category of a condition or pattern after the first
LEAST_COST = 0.03  # points that must be made
FACES_COST = 0.02  # a range of faces
LOWEST_COST = 0.05  # the lowest face instead of the highest
MOST_PAYING = 4  # most categories of a pattern that pays


def rule_cost(rule: HoldRule) -> float:
    """Return what a rule costs in the search, in points a game."""
    cost = 0.0
    pattern = rule.pattern
    for condition in rule.conditions:
        further = max(0, len(condition.categories) - 1)
        cost += CONDITION_COST[condition.kind] + FURTHER_CATEGORY_COST * further
    categories_cost = FURTHER_CATEGORY_COST * max(0, len(pattern.categories) - 1)
    if pattern.least > 1:
        categories_cost += LEAST_COST
    cost += categories_cost
    if pattern.kind in ("groups", "dice") and (pattern.low, pattern.high) != (1, rule.faces):
        cost += FACES_COST
    if pattern.lowest:
        cost += LOWEST_COST
    return cost


def candidate_patterns(rules: RuleSet) -> list[tuple[DicePattern, Action]]:
    """Return patterns and what to do with the dice they name."""
    candidates: list[tuple[DicePattern, Action]] = []
    for pattern in _patterns(rules):
        actions: tuple[Action, ...] = ("keep",)
        if pattern.kind == "any":
            actions = ("stop", "roll all")
        elif pattern.kind == "pays":
            actions = ("stop",)
        elif (
            pattern.kind == "groups" and sum(pattern.sizes) >= rules.dice - 1 and not pattern.lowest
        ):
            actions = ("keep", "stop", "roll all")
        for action in actions:
            hold_rule(rules, pattern, (), action)  # raises an error if the rule set lacks something
            candidates.append((pattern, action))
    return list(dict.fromkeys(candidates))


def _patterns(rules: RuleSet) -> Iterator[DicePattern]:
    faces = rules.faces
    has_open = any(c.face for c in rules.categories)
    yield from _group_patterns(rules, has_open)
    yield from _straight_patterns(rules)
    for low in range(2, faces + 1):
        yield DicePattern("dice", (), low, faces)
    if has_open:
        for low in range(1, faces):
            yield DicePattern("dice", (), low, faces, open=True)
    possible = possible_points(rules)
    # the most points of each lower box
    lower = {c.id: max(possible[i]) for i, c in enumerate(rules.categories) if not c.upper}
    for ids in [*((name,) for name in lower), *_families(rules)]:
        if len(ids) <= MOST_PAYING and lower.keys() >= set(ids):
            yield DicePattern("pays", high=faces, categories=ids)
            three_quarters = max(lower[name] for name in ids) * 3 // 4
            yield DicePattern("pays", high=faces, categories=ids, least=max(1, three_quarters))
    yield DicePattern("any", high=faces)


def _group_patterns(rules: RuleSet, has_open: bool) -> Iterator[DicePattern]:
    """Yield one group, and several that a category asks for.

    `has_open` says whether faces may be restricted to open ones.
    """
    faces = rules.faces
    may_be_open = (False, True) if has_open else (False,)
    for size in range(1, min(rules.dice, 6) + 1):
        for low, is_open in product(range(1, faces + 1), may_be_open):
            yield DicePattern("groups", (size,), low, faces, is_open)
        if size < rules.dice:
            for is_open in may_be_open:
                yield DicePattern("groups", (size,), 1, faces, is_open, lowest=True)
    several = {sizes for c in rules.categories for sizes in _group_sizes(c) if len(sizes) > 1}
    if several:
        several.add((2, 2))  # a few dice short of larger ones
    for sizes, low in product(sorted(several), (1, 3, 4)):
        if low < faces and sum(sizes) <= rules.dice:
            yield DicePattern("groups", sizes, low, faces)


def _straight_patterns(rules: RuleSet) -> Iterator[DicePattern]:
    """Yield parts of straights.

    The faces are those of each, those that two of them share, and all faces.
    """
    straights = [
        set(p.contains) for c in rules.categories for p in c.patterns if len(set(p.contains)) > 2
    ]
    shared = [a & b for a, b in combinations(straights, 2) if len(a & b) > 2]
    ranges = {(min(faces), max(faces)) for faces in [*straights, *shared]}
    if straights:
        ranges.add((1, rules.faces))
    for low, high in sorted(ranges):
        for number in range(2, min(rules.dice, high - low + 1) + 1):
            yield DicePattern("different", (number,), low, high)
        for number in range(3, min(rules.dice, high - low)):
            yield DicePattern("row", (number,), low, high)


def pays_neighbours(rules: RuleSet, pattern: DicePattern) -> Iterator[DicePattern]:
    """Yield patterns ``pays`` with one category more or less, or other points."""
    for c in rules.categories:
        without = tuple(name for name in pattern.categories if name != c.id)
        ids = without if c.id in pattern.categories else (*without, c.id)
        if ids and not c.upper:
            yield replace(pattern, categories=ids)
    for step in (-5, -3, -2, -1, 1, 2, 3, 5):
        if 1 <= pattern.least + step <= 999:
            yield replace(pattern, least=pattern.least + step)


def candidate_conditions(rules: RuleSet) -> list[Condition]:
    """Return conditions, each of which a rule may have alone or with one other."""
    # They are as in a rule: sorted, a whole section by its name, and none twice.
    anything = DicePattern("any", high=rules.faces)
    conditions = (*_box_conditions(rules), *_other_conditions(rules))
    return list(
        dict.fromkeys(hold_rule(rules, anything, (c,), "stop").conditions[0] for c in conditions)
    )


def _box_conditions(rules: RuleSet) -> Iterator[Condition]:
    """Yield conditions on boxes that are open or closed, or hold points."""
    has_choice = leaves_choice(rules)
    families = _families(rules)
    boxes = [c for c in rules.categories if not c.upper or not has_choice]
    sets: list[tuple[str, ...]] = [(c.id,) for c in boxes]
    if has_choice:
        sets += [*_similar_pairs(boxes), *families]
    for ids in sets:
        yield Condition("open", ids)
        yield Condition("closed", ids)
    if rules.tracked_index >= 0:
        yield Condition("scored", (rules.categories[rules.tracked_index].id,))
    if has_choice:
        upper = tuple(c.id for c in rules.categories if c.upper)
        straights = tuple(c.id for c in rules.categories if _is_straight(c))
        for ids in (upper, straights, upper + straights, *families):
            if ids:
                yield Condition("only", ids)
    else:
        for ids in families:
            yield Condition("open", ids)


def _other_conditions(rules: RuleSet) -> Iterator[Condition]:
    """Yield conditions on the upper bonus, the rolls left and the turns left."""
    if rules.bonus:
        yield Condition("above par")
        yield Condition("below par")
        for low in range(1, rules.dice):
            for high in range(low, rules.dice):
                yield Condition("bonus needs", (), low, high)
    for rolls in range(1, rules.rolls_per_turn):
        yield Condition("rolls left", (), rolls, rolls)
    turns = len(rules.categories)
    if leaves_choice(rules):
        for last in (2, 3, 5, 8):  # late in the game
            if last < turns:
                yield Condition("turns left", (), 1, last)
        for first in (4, 6, 9):  # early
            if first < turns:
                yield Condition("turns left", (), first, turns)


def _similar_pairs(boxes: Sequence[Category]) -> Iterator[tuple[str, str]]:
    """Yield two boxes with a kind of pattern in common, or of which one takes any dice."""
    for box, other in combinations(boxes, 2):
        kinds = {p.kind for p in box.patterns}
        other_kinds = {p.kind for p in other.patterns}
        if kinds & other_kinds or "any" in kinds | other_kinds:
            yield box.id, other.id


def _group_sizes(box: Category) -> list[tuple[int, ...]]:
    """Return the sizes of the groups of each pattern of a box that asks for groups."""
    return [p.groups for p in box.patterns if p.kind == "groups"]


def _is_straight(box: Category) -> bool:
    return any(p.kind == "contains" for p in box.patterns)


def _families(rules: RuleSet) -> list[tuple[str, ...]]:
    """Return categories that are alike: upper boxes, of a kind, groups, straights."""

    def ids(test: Callable[[Category], bool]) -> tuple[str, ...]:
        return tuple(c.id for c in rules.categories if test(c))

    families = [
        ids(lambda c: c.upper),
        ids(lambda c: not c.upper and len(_group_sizes(c)) > 0),
        ids(lambda c: not c.upper and any(len(sizes) == 1 for sizes in _group_sizes(c))),
        ids(lambda c: any(len(sizes) == 1 and sizes[0] > 2 for sizes in _group_sizes(c))),
        ids(lambda c: any(len(sizes) > 1 for sizes in _group_sizes(c))),
        ids(_is_straight),
    ]
    return [family for family in dict.fromkeys(families) if len(family) > 1]
