"""The patterns and conditions among which the search of hold rules chooses, for any rule set.

Not the whole language: what a person would say. A rule costs a little for each thing to remember, so that of rules
that gain as much the simpler one is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from ..game.rules import Category, RuleSet, leaves_choice
from ..game.scoring import possible_points
from .hold_rules import Action, Condition, DicePattern, HoldRule, hold_rule

# Cost of a rule in points a game, by what it makes a person remember.
CONDITION_COST = {"open": 0.05, "scored": 0.05, "rolls left": 0.04, "turns left": 0.1}
CONDITION_COST |= dict.fromkeys(("closed", "only", "above par", "below par", "bonus needs"), 0.08)
FURTHER_CATEGORY_COST = 0.03  # each category of a condition or pattern after the first
LEAST_COST = 0.03  # points that must be made
FACES_COST = 0.02  # a range of faces
LOWEST_COST = 0.05
MOST_PAYING = 4  # categories of a pattern that pays


def rule_cost(rule: HoldRule) -> float:
    """What a rule costs in the search, in points a game."""
    cost, pattern = 0.0, rule.pattern
    for condition in rule.conditions:
        cost += CONDITION_COST[condition.kind] + FURTHER_CATEGORY_COST * max(0, len(condition.categories) - 1)
    cost += FURTHER_CATEGORY_COST * max(0, len(pattern.categories) - 1) + (LEAST_COST if pattern.least > 1 else 0.0)
    if pattern.kind in ("groups", "dice") and (pattern.low, pattern.high) != (1, rule.faces):
        cost += FACES_COST
    return cost + LOWEST_COST if pattern.lowest else cost


def candidate_patterns(rules: RuleSet) -> list[tuple[DicePattern, Action]]:
    """Patterns and what to do with the dice they name."""
    found: list[tuple[DicePattern, Action]] = []
    for pattern in _patterns(rules):
        actions: tuple[Action, ...] = ("keep",)
        if pattern.kind == "any":
            actions = ("stop", "roll all")
        elif pattern.kind == "pays":
            actions = ("stop",)
        elif pattern.kind == "groups" and sum(pattern.sizes) >= rules.dice - 1 and not pattern.lowest:
            actions = ("keep", "stop", "roll all")
        for action in actions:
            hold_rule(rules, pattern, (), action)  # raises an error if the rule set lacks something
            found.append((pattern, action))
    return list(dict.fromkeys(found))


def _patterns(rules: RuleSet) -> Iterator[DicePattern]:
    faces = rules.faces
    has_open = any(c.face for c in rules.categories)
    may_be_open = (False, True) if has_open else (False,)
    for size in range(1, min(rules.dice, 6) + 1):
        for low in range(1, faces + 1):
            for is_open in may_be_open:
                yield DicePattern("groups", (size,), low, faces, is_open)
        if size < rules.dice:
            yield DicePattern("groups", (size,), 1, faces, lowest=True)
            if has_open:
                yield DicePattern("groups", (size,), 1, faces, open=True, lowest=True)
    # Several groups that a category asks for, or that are a few dice short of it.
    wanted = {p.groups for c in rules.categories for p in c.patterns if p.kind == "groups" and len(p.groups) > 1}
    wanted |= {(2, 2)} if wanted else set()
    for sizes in sorted(sizes for sizes in wanted if sum(sizes) <= rules.dice):
        for low in (1, 3, 4):
            if low < faces:
                yield DicePattern("groups", sizes, low, faces)
    # The faces of each straight, and those that several straights share.
    straights = [set(p.contains) for c in rules.categories for p in c.patterns if len(set(p.contains)) > 2]
    shared = [a & b for a, b in combinations(straights, 2) if len(a & b) > 2]
    ranges = {(min(each), max(each)) for each in [*straights, *shared]} | ({(1, faces)} if straights else set())
    for low, high in sorted(ranges):
        for number in range(2, min(rules.dice, high - low + 1) + 1):
            yield DicePattern("different", (number,), low, high)
        for number in range(3, min(rules.dice, high - low)):
            yield DicePattern("row", (number,), low, high)
    for low in range(2, faces + 1):
        yield DicePattern("dice", (), low, faces)
    if has_open:
        for low in range(1, faces):
            yield DicePattern("dice", (), low, faces, open=True)
    for ids in [(c.id,) for c in rules.categories if not c.upper] + _families(rules):
        if len(ids) <= MOST_PAYING and not any(rules.categories[rules.index_of[c]].upper for c in ids):
            yield DicePattern("pays", high=faces, categories=ids)
            most = max(max(possible_points(rules)[rules.index_of[c]]) for c in ids)
            yield DicePattern("pays", high=faces, categories=ids, least=max(1, most * 3 // 4))
    yield DicePattern("any", high=faces)


def pays_neighbours(rules: RuleSet, pattern: DicePattern) -> Iterator[DicePattern]:
    """Patterns ``pays`` with one category more or less, or other points."""
    for c in rules.categories:
        ids = tuple(i for i in pattern.categories if i != c.id)
        if c.id not in pattern.categories:
            ids += (c.id,)
        if ids and not c.upper:
            yield replace(pattern, categories=ids)
    for step in (-5, -3, -2, -1, 1, 2, 3, 5):
        if 1 <= pattern.least + step <= 999:
            yield replace(pattern, least=pattern.least + step)


def candidate_conditions(rules: RuleSet) -> list[Condition]:
    """Conditions, each of which a rule may have alone or with one other."""
    found: list[Condition] = []
    boxes = [c for c in rules.categories if not c.upper or not leaves_choice(rules)]
    sets: list[tuple[str, ...]] = [(c.id,) for c in boxes]
    if leaves_choice(rules):
        kinds = {c.id: {p.kind for p in c.patterns} for c in boxes}
        pairs = [(a.id, b.id) for a, b in combinations(boxes, 2)]  # of boxes that are alike
        sets += [(a, b) for a, b in pairs if kinds[a] & kinds[b] or "any" in kinds[a] | kinds[b]]
        sets += _families(rules)
    for ids in sets:
        found += [Condition("open", ids), Condition("closed", ids)]
    if rules.tracked_index >= 0:
        found.append(Condition("scored", (rules.categories[rules.tracked_index].id,)))
    if leaves_choice(rules):
        upper = tuple(c.id for c in rules.categories if c.upper)
        straights = tuple(c.id for c in rules.categories if any(p.kind == "contains" for p in c.patterns))
        for ids in dict.fromkeys((upper, straights, upper + straights, *_families(rules))):
            found += [Condition("only", ids)] if ids else []
    else:
        found += [Condition("open", ids) for ids in _families(rules)]
    if rules.bonus:
        found += [Condition("above par"), Condition("below par")]
        needed = range(1, rules.dice)
        found += [Condition("bonus needs", (), low, high) for low in needed for high in needed if low <= high]
    found += [Condition("rolls left", (), n, n) for n in range(1, rules.rolls_per_turn)]
    turns = len(rules.categories)
    if leaves_choice(rules):
        found += [Condition("turns left", (), 1, n) for n in (2, 3, 5, 8) if n < turns]
        found += [Condition("turns left", (), n, turns) for n in (4, 6, 9) if n < turns]
    # As they are in a rule: sorted, and a whole section by its name.
    anything = DicePattern("any", high=rules.faces)
    return list(dict.fromkeys(hold_rule(rules, anything, (c,), "stop").conditions[0] for c in found))


def _families(rules: RuleSet) -> list[tuple[str, ...]]:
    """Categories that are alike: upper boxes, of a kind, groups, straights."""

    def ids(test: Callable[[Category], bool]) -> tuple[str, ...]:
        return tuple(c.id for c in rules.categories if test(c))

    families = [
        ids(lambda c: c.upper),
        ids(lambda c: not c.upper and any(p.kind == "groups" for p in c.patterns)),
        ids(lambda c: not c.upper and any(p.kind == "groups" and len(p.groups) == 1 for p in c.patterns)),
        ids(lambda c: any(p.kind == "groups" and max(p.groups) > 2 and len(p.groups) == 1 for p in c.patterns)),
        ids(lambda c: any(p.kind == "groups" and len(p.groups) > 1 for p in c.patterns)),
        ids(lambda c: any(p.kind == "contains" for p in c.patterns)),
    ]
    return [family for family in dict.fromkeys(families) if len(family) > 1]
