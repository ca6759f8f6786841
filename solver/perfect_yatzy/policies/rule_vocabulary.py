"""List the patterns and conditions among which the search of hold rules chooses.

These are not all, but what a person would say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    least_cost = LEAST_COST if pattern.least > 1 else 0.0
    cost += FURTHER_CATEGORY_COST * max(0, len(pattern.categories) - 1) + least_cost
    if pattern.kind in ("groups", "dice") and (pattern.low, pattern.high) != (1, rule.faces):
        cost += FACES_COST
    return cost + LOWEST_COST if pattern.lowest else cost


def candidate_patterns(rules: RuleSet) -> list[tuple[DicePattern, Action]]:
    """Return patterns and what to do with the dice they name."""
    found: list[tuple[DicePattern, Action]] = []
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
            found.append((pattern, action))
    return list(dict.fromkeys(found))


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
    wanted = {
        p.groups
        for c in rules.categories
        for p in c.patterns
        if p.kind == "groups" and len(p.groups) > 1
    }
    if wanted:
        wanted.add((2, 2))  # a few dice short of larger ones
    for sizes, low in product(sorted(wanted), (1, 3, 4)):
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
    ranges = {(min(each), max(each)) for each in [*straights, *shared]}
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
    found: list[Condition] = []
    has_choice = leaves_choice(rules)
    families = _families(rules)
    boxes = [c for c in rules.categories if not c.upper or not has_choice]
    sets: list[tuple[str, ...]] = [(c.id,) for c in boxes]
    if has_choice:
        kinds = {c.id: {p.kind for p in c.patterns} for c in boxes}
        for one, other in combinations(kinds, 2):
            are_alike = bool(kinds[one] & kinds[other])
            if are_alike or "any" in kinds[one] | kinds[other]:  # or one of them takes any dice
                sets.append((one, other))
        sets += families
    for ids in sets:
        found += [Condition("open", ids), Condition("closed", ids)]
    if rules.tracked_index >= 0:
        found.append(Condition("scored", (rules.categories[rules.tracked_index].id,)))
    if has_choice:
        upper = tuple(c.id for c in rules.categories if c.upper)
        straights = tuple(
            c.id for c in rules.categories if any(p.kind == "contains" for p in c.patterns)
        )
        found += [
            Condition("only", ids)
            for ids in (upper, straights, upper + straights, *families)
            if ids
        ]
    else:
        found += [Condition("open", ids) for ids in families]
    if rules.bonus:
        found += [Condition("above par"), Condition("below par")]
        needed = range(1, rules.dice)
        found += [
            Condition("bonus needs", (), low, high)
            for low in needed
            for high in needed
            if low <= high
        ]
    found += [Condition("rolls left", (), n, n) for n in range(1, rules.rolls_per_turn)]
    turns = len(rules.categories)
    if has_choice:
        found += [Condition("turns left", (), 1, n) for n in (2, 3, 5, 8) if n < turns]  # late
        found += [Condition("turns left", (), n, turns) for n in (4, 6, 9) if n < turns]  # early
    # They are as in a rule: sorted, a whole section by its name, and none twice.
    anything = DicePattern("any", high=rules.faces)
    return list(
        dict.fromkeys(hold_rule(rules, anything, (c,), "stop").conditions[0] for c in found)
    )


def _families(rules: RuleSet) -> list[tuple[str, ...]]:
    """Return categories that are alike: upper boxes, of a kind, groups, straights."""

    def ids(test: Callable[[Category], bool]) -> tuple[str, ...]:
        return tuple(c.id for c in rules.categories if test(c))

    families = [
        ids(lambda c: c.upper),
        ids(lambda c: not c.upper and any(p.kind == "groups" for p in c.patterns)),
        ids(
            lambda c: (
                not c.upper and any(p.kind == "groups" and len(p.groups) == 1 for p in c.patterns)
            )
        ),
        ids(
            lambda c: any(
                p.kind == "groups" and max(p.groups) > 2 and len(p.groups) == 1 for p in c.patterns
            )
        ),
        ids(lambda c: any(p.kind == "groups" and len(p.groups) > 1 for p in c.patterns)),
        ids(lambda c: any(p.kind == "contains" for p in c.patterns)),
    ]
    return [family for family in dict.fromkeys(families) if len(family) > 1]
