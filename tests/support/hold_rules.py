"""Random hold rules and cards for hypothesis, and what a list does there."""

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st
from perfect_yatzy import RuleSet, State
from perfect_yatzy.core.dice import Dice, lattice
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.policies.hold_policy import Cards, decisions
from perfect_yatzy.policies.hold_rules import Condition, DicePattern, HoldRule, hold_rule


@st.composite
def patterns(draw: st.DrawFn, rules: RuleSet) -> DicePattern:
    low = draw(st.integers(1, rules.faces))
    high = draw(st.integers(low, rules.faces))
    is_open = draw(st.booleans()) and any(c.face for c in rules.categories)
    kind = draw(st.sampled_from(["any", "groups", "group", "different", "row", "dice", "pays"]))
    if kind == "any":
        return DicePattern("any", high=rules.faces)
    if kind == "pays":
        ids = draw(
            st.lists(
                st.sampled_from([c.id for c in rules.categories]),
                min_size=1,
                max_size=3,
                unique=True,
            )
        )
        least = draw(st.sampled_from([1, 1, 3, 12, 20]))
        return DicePattern("pays", high=rules.faces, categories=tuple(ids), least=least)
    if kind in ("different", "row"):
        number = draw(st.integers(1, min(rules.dice, high - low + 1)))
        return DicePattern(kind, (number,), low, high)  # type: ignore[arg-type]
    if kind == "dice":
        return DicePattern("dice", (), low, high, is_open)
    if kind == "groups" and rules.dice > 1:
        first = draw(st.integers(1, rules.dice - 1))
        second = draw(st.integers(1, rules.dice - first))
        return DicePattern(
            "groups", tuple(sorted((first, second), reverse=True)), low, high, is_open
        )
    size = draw(st.integers(1, min(6, rules.dice)))
    return DicePattern("groups", (size,), low, high, is_open, draw(st.booleans()))


@st.composite
def conditions(draw: st.DrawFn, rules: RuleSet) -> Condition:
    kinds = ["open", "closed", "only", "turns left"]
    kinds += ["scored"] if rules.tracked_index >= 0 else []
    kinds += ["above par", "below par", "bonus needs"] if rules.bonus else []
    kinds += ["rolls left"] if rules.rolls_per_turn > 1 else []
    kind = draw(st.sampled_from(kinds))
    if kind in ("above par", "below par"):
        return Condition(kind)  # type: ignore[arg-type]
    if kind == "scored":
        return Condition("scored", (rules.categories[rules.tracked_index].id,))
    if kind == "rolls left":
        number = draw(st.integers(1, rules.rolls_per_turn - 1))
        return Condition("rolls left", (), number, number)
    if kind == "bonus needs":
        low = draw(st.integers(1, rules.dice))
        return Condition("bonus needs", (), low, draw(st.integers(low, rules.dice)))
    if kind == "turns left":
        low = draw(st.integers(1, len(rules.categories)))
        return Condition("turns left", (), low, draw(st.integers(low, len(rules.categories))))
    ids = st.sampled_from([c.id for c in rules.categories])
    return Condition(kind, tuple(draw(st.lists(ids, min_size=1, max_size=8, unique=True))))  # type: ignore[arg-type]


@st.composite
def hold_rules(draw: st.DrawFn, rules: RuleSet) -> HoldRule:
    pattern = draw(patterns(rules))
    actions = (
        ["stop", "roll all"] if pattern.kind == "any" else ["keep", "keep", "stop", "roll all"]
    )
    action = draw(st.sampled_from(actions))
    return hold_rule(rules, pattern, draw(st.lists(conditions(rules), max_size=2)), action)  # type: ignore[arg-type]


@st.composite
def cards(draw: st.DrawFn, rules: RuleSet) -> State:
    """A card with boxes open."""
    filled = draw(st.integers(0, rules.full_mask - 1))
    if rules.order == "forced":
        filled = (1 << filled.bit_count()) - 1
    scored = filled >> max(0, rules.tracked_index) & (rules.tracked_index >= 0) and draw(
        st.booleans()
    )
    return State(filled, draw(st.integers(0, rules.threshold)), joker_paid=bool(scored))


def kept_by(
    rules: RuleSet, holds: Sequence[HoldRule], state: State, rolls: Sequence[int]
) -> Iterator[tuple[Dice, int, Dice | None]]:
    """Dice, rolls left, and what a list keeps of them: None to stop."""
    dice = lattice(rules.dice, rules.faces)
    for left in range(1, rules.rolls_per_turn):
        found, _ = decisions(rules, holds, Cards.of_state(rules, state), np.array(rolls), left)
        for roll, hold in zip(rolls, found.tolist(), strict=True):
            kept = None if hold < 0 else dice_of(dice.counts[hold].tolist())
            yield dice_of(dice.counts[dice.first_roll + roll].tolist()), left, kept


@st.composite
def some_rolls(draw: st.DrawFn, rules: RuleSet) -> list[int]:
    return draw(
        st.lists(
            st.integers(0, lattice(rules.dice, rules.faces).n_rolls - 1), min_size=8, max_size=8
        )
    )
