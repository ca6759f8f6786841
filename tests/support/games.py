"""Small games for the exact oracle: some fixed ones, and random rule sets for hypothesis."""

from dataclasses import replace
from random import Random

from hypothesis import strategies as st
from perfect_yatzy import RuleSet, load_rules
from perfect_yatzy.core.patterns import Pattern
from perfect_yatzy.core.rules import Bonus, Category, Joker

from support.mechanics import random_pattern, random_rules

SEEDS = st.integers(0, 1 << 20)


def face(f: int) -> Category:
    return Category(f"face-{f}", f"Face {f}", (Pattern("face", face=f),), upper=True)


def small(
    *categories: Category, dice: int = 2, faces: int = 6, rolls: int = 3, **rest: object
) -> RuleSet:
    return RuleSet("small", "Small", dice, faces, rolls, categories, **rest)  # type: ignore[arg-type]


PAIR = Category("pair", "Pair", (Pattern("groups", groups=(2,)),))
CHANCE = Category("chance", "Chance", (Pattern("any"),))


def saved_rolls_game(order: str, saved_rolls: bool) -> RuleSet:
    """The small oracle of the rules catalogue: Fives, Sixes, Pair, Chance; bonus 7 at 16."""
    return small(
        face(5), face(6), PAIR, CHANCE, bonus=Bonus(16, 7), order=order, saved_rolls=saved_rolls
    )


SAVED = small(face(2), face(3), PAIR, CHANCE, faces=3, rolls=2, bonus=Bonus(7, 3), saved_rolls=True)


def joker_game(mode: str, bonus: int = 4, **rest: object) -> RuleSet:
    """Three dice with three faces, a fixed-point run, and a box for three equal dice with
    jokers.
    """
    run = Category(
        "run", "Run", (Pattern("contains", contains=(1, 2, 3), score="fixed", points=5),)
    )
    triple = Category(
        "triple", "Triple", (Pattern("groups", groups=(3,), score="fixed", points=9),)
    )
    joker = Joker("triple", bonus, mode)  # type: ignore[arg-type]
    return small(
        face(1), face(3), run, triple, dice=3, faces=3, bonus=Bonus(7, 6), joker=joker, **rest
    )


JOKER = joker_game("forced", first_roll_bonus=(("run", 3),))


def patterns(dice: int, faces: int) -> st.SearchStrategy[Pattern]:
    return SEEDS.map(lambda seed: random_pattern(Random(seed), dice, faces, conditions=True))


def rule_sets() -> st.SearchStrategy[RuleSet]:
    """Random small games with every mechanic, alone and in combination."""
    return SEEDS.map(lambda seed: random_rules(seed, boxes=4))


def classic_rule_sets() -> st.SearchStrategy[RuleSet]:
    """Random small games with saved rolls, jokers without conditions, first-roll bonuses, and
    any patterns.
    """

    def rules_of(seed: int, mechanics: set[str], order: str, mode: str) -> RuleSet:
        rules = random_rules(seed, tuple(mechanics), boxes=4)
        joker = rules.joker and Joker(rules.joker.category, rules.joker.bonus, mode)
        return replace(rules, order=order, joker=joker)

    mechanics, modes = (
        st.sets(st.sampled_from(["saved", "joker", "first", "conditions"])),
        ["none", "free", "forced"],
    )
    return st.builds(
        rules_of, SEEDS, mechanics, st.sampled_from(["free", "forced"]), st.sampled_from(modes)
    )


def seven_boxes() -> RuleSet:
    """Fours to sixes, straight, full house, poker and generala, without bonuses of the first
    roll.
    """
    generala = load_rules("generala")
    return replace(generala, id="seven", categories=generala.categories[3:], first_roll_bonus=())
