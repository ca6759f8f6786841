"""Small games for the exact oracle: some fixed ones, and random rule sets for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st
from perfect_yatzy.game.patterns import Pattern
from perfect_yatzy.game.rules import Bonus, Category, Joker, RuleSet

from support.mechanics import random_rules


def face(f: int) -> Category:
    return Category(f"face-{f}", f"Face {f}", (Pattern("face", face=f),), upper=True)


def small(*categories: Category, dice: int = 2, faces: int = 6, rolls: int = 3, **rest: object) -> RuleSet:
    return RuleSet("small", "Small", dice, faces, rolls, categories, **rest)  # type: ignore[arg-type]


PAIR = Category("pair", "Pair", (Pattern("groups", groups=(2,)),))
CHANCE = Category("chance", "Chance", (Pattern("any"),))


def saved_rolls_game(order: str, saved_rolls: bool) -> RuleSet:
    """The small oracle of the rules catalogue: Fives, Sixes, Pair, Chance; bonus 7 at 16."""
    return small(face(5), face(6), PAIR, CHANCE, bonus=Bonus(16, 7), order=order, saved_rolls=saved_rolls)


def joker_game(mode: str, bonus: int = 4, **rest: object) -> RuleSet:
    """Three dice with three faces, a fixed-point run, and a box for three equal dice with jokers."""
    run = Category("run", "Run", (Pattern("contains", contains=(1, 2, 3), score="fixed", points=5),))
    triple = Category("triple", "Triple", (Pattern("groups", groups=(3,), score="fixed", points=9),))
    return small(
        face(1),
        face(3),
        run,
        triple,
        dice=3,
        faces=3,
        bonus=Bonus(7, 6),
        joker=Joker("triple", bonus, mode),  # type: ignore[arg-type]
        **rest,
    )


def payments() -> st.SearchStrategy[dict[str, object]]:
    factors = st.sampled_from([1, 1, 2, 3])
    fixed = {"score": st.just("fixed"), "points": st.integers(1, 9), "factor": factors}
    open_ended = {"score": st.sampled_from(["matched", "sum"]), "factor": factors, "plus": st.integers(0, 3)}
    return st.fixed_dictionaries(fixed) | st.fixed_dictionaries(open_ended)


@st.composite
def conditions(draw: st.DrawFn, dice: int, faces: int) -> dict[str, object]:
    """Limits of the sum, and the faces that are allowed; mostly none."""
    found: dict[str, object] = {}
    if draw(st.integers(0, 2)) == 0:
        low, high = sorted(draw(st.tuples(*2 * [st.integers(dice, dice * faces)])))
        found |= draw(st.sampled_from([{"low": low}, {"high": high}, {"low": low, "high": high}]))
    if draw(st.integers(0, 3)) == 0:
        found["only"] = tuple(sorted(draw(st.sets(st.integers(1, faces), min_size=1, max_size=faces))))
    return found


@st.composite
def patterns(draw: st.DrawFn, dice: int, faces: int) -> Pattern:
    kind = draw(st.sampled_from(["face", "groups", "contains", "any"]))
    rest = draw(payments()) | draw(conditions(dice, faces))
    if kind == "face":
        return Pattern("face", face=draw(st.integers(1, faces)), **rest)  # type: ignore[arg-type]
    if kind == "groups":
        first = draw(st.integers(1, dice))
        second = draw(st.integers(0, min(first, dice - first)))
        groups = (first, second) if second else (first,)
        return Pattern("groups", groups=groups, distinct=draw(st.booleans()), **rest)  # type: ignore[arg-type]
    if kind == "contains":
        wanted = draw(st.lists(st.integers(1, faces), min_size=1, max_size=dice))
        return Pattern("contains", contains=tuple(sorted(wanted)), **rest)  # type: ignore[arg-type]
    return Pattern("any", **rest)  # type: ignore[arg-type]


def rule_sets() -> st.SearchStrategy[RuleSet]:
    """Random small games with every mechanic, alone and in combination."""
    return st.one_of(classic_rule_sets(), st.integers(0, 1 << 20).map(lambda seed: random_rules(seed, boxes=4)))


@st.composite
def classic_rule_sets(draw: st.DrawFn) -> RuleSet:
    """Random small games with saved rolls, jokers, first-roll bonuses and any patterns."""
    dice, faces = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    count = draw(st.integers(2, 4 if dice < 3 else 3))
    categories = []
    for i in range(count):
        upper = draw(st.booleans())
        if upper and draw(st.booleans()):
            found: tuple[Pattern, ...] = (Pattern("face", face=draw(st.integers(1, faces))),)
        else:
            found = tuple(draw(st.lists(patterns(dice, faces), min_size=1, max_size=2)))
        categories.append(Category(f"box-{i}", f"Box {i}", found, upper=upper))
    any_upper = any(category.upper for category in categories)
    bonus = draw(st.builds(Bonus, st.integers(1, 12), st.integers(1, 20))) if any_upper else None
    joker = None
    if draw(st.booleans()):
        box = draw(st.sampled_from(categories)).id
        joker = Joker(box, draw(st.sampled_from([0, 3])), draw(st.sampled_from(["none", "free", "forced"])))
    extra = draw(st.booleans())
    return RuleSet(
        "random",
        "Random",
        dice,
        faces,
        draw(st.integers(1, 3)),
        tuple(categories),
        bonus=bonus,
        order=draw(st.sampled_from(["free", "forced"])),
        saved_rolls=draw(st.booleans()),
        joker=joker,
        first_roll_bonus=((categories[0].id, 2),) if extra else (),
    )
