"""A strategy sheet of Yatzy for tests: prices found by a coordinate search on common dice,
outside this package.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from perfect_yatzy import RuleSet, State
from perfect_yatzy.core.dice import Dice, lattice
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.policies.hold_rules import parse_hold_rule
from perfect_yatzy.policies.strategy_sheet import PriceSheet, StrategySheet
from perfect_yatzy.policies.worst_decisions import WorstDecisions

from support.naive import Naive

PRICES = (6.9, 7.5, 10.7, 12.3, 15.4, 19.2, 17.4, 21.6, 18.2, 13.9, 9.0, 11.3, 17.8, 28.9, 10.6)
PRICES_MEAN = 244.71  # simulated with them
HOLD_RULES = """
pays large-straight: stop
pays small-straight if rolls left 1: stop
pays full-house if four-of-a-kind or yatzy closed: stop
four if four-of-a-kind or yatzy open: keep
three of open 3-6: keep
three if three-of-a-kind or four-of-a-kind or yatzy open: keep
two pairs of 4-6 if full-house open and rolls left 1: keep
row 4 of 2-5 if small-straight or large-straight open: keep
row 4 of 1-5 if small-straight open and rolls left 1: keep
row 4 of 2-6 if large-straight open and rolls left 1: keep
two pairs if only two-pairs or full-house open: keep
pair of open 4-6: keep
pair of 4-6 if one-pair or two-pairs or three-of-a-kind or four-of-a-kind or full-house or yatzy open: keep
single of open 4-6: keep
dice of 4-6 if only chance open and rolls left 1: keep
dice of 5-6 if chance open: keep
row 3 of 1-5 if small-straight open and below par and turns left 1-4: keep
row 3 of 2-6 if large-straight open and turns left 1-4: keep
pair if yatzy open: keep
pair of 1-2 if upper closed: keep
single of open: keep
single of 5-6 lowest: keep
3 different of 4-6 if chance open: keep
row 2 if small-straight or large-straight open: keep
single: keep
""".strip().splitlines()


def yatzy_sheet(rules: RuleSet, n_rules: int = 0) -> StrategySheet:
    """The sheet with the first of HOLD_RULES; losses by turn and what rules are worth are made
    up.
    """
    holds = tuple(parse_hold_rule(rules, text) for text in HOLD_RULES[:n_rules])
    prices = PriceSheet(rules, PRICES, {"lost": -14.2, "secured": 25.4, "par_point": 2.33})
    losses = [0.1 * turn for turn in (1, 2, 3, 4, 5, 5, 4, 3, 3, 2, 2, 1, 1, 1, 0)]
    figures: dict[str, object] = {
        "perfect": 248.44,
        "prices_mean": PRICES_MEAN,
        "losses_by_turn": losses,
    }
    if holds:
        figures |= {"mean": 236.4, "worth": [5.0 / (number + 1) for number in range(n_rules)]}
    return StrategySheet(rules, prices, holds, figures)


def defined_value(
    sheet: PriceSheet,
    oracle: Naive,
    filled: int,
    upper: int,
    saved: int,
    flag: bool,
    exact: Callable[[float], Fraction] = Fraction,
) -> Fraction:
    """The definition of README.md, from the rules as JSON alone; `exact` reads a number of the
    sheet.
    """
    bonus = oracle.game["bonus"]
    if filled == oracle.full_mask:
        return Fraction(bonus["points"] if bonus and upper >= bonus["threshold"] else 0)
    vacant = [c for c in range(len(oracle.boxes)) if not filled >> c & 1]
    value = sum((exact(sheet.prices[c]) for c in vacant), Fraction(0))
    value += (
        exact(sheet.terms["saved_roll"]) * saved
        + exact(sheet.terms["joker_turn"]) * len(vacant) * flag
    )
    if not bonus:
        return value
    best = {c: oracle.most_points(c) for c, box in enumerate(oracle.boxes) if box["upper"]}
    to_come = sum(most for c, most in best.items() if c in vacant)
    par = Fraction(bonus["threshold"] * (sum(best.values()) - to_come), sum(best.values()) or 1)
    if upper >= bonus["threshold"]:
        return value + exact(sheet.terms["secured"])
    if upper + to_come < bonus["threshold"]:
        return value + exact(sheet.terms["lost"])
    return value + exact(sheet.terms["par_point"]) * (upper - par)


def value_of(sheet: PriceSheet, state: State) -> float:
    """Value of one state in floating point."""
    prices = [price for c, price in enumerate(sheet.prices) if not state.filled >> c & 1]
    value = math.fsum(prices) + sheet.bonus_value(state.filled, state.upper)
    if prices:  # a full card has no turn left
        value += (
            sheet.terms["saved_roll"] * state.saved
            + sheet.terms["joker_turn"] * len(prices) * state.joker_paid
        )
    return value


def worst_hold(found: WorstDecisions) -> tuple[State, Dice, int, float]:
    """Card, dice, rerolls left and loss of the worst hold."""
    part = found.losses[:, 1:]
    n, stage = (int(i) for i in np.unravel_index(int(part.argmax()), part.shape))
    space, left = found.policy.space, stage + 1  # type: ignore[attr-defined]
    layout, row, dice = (
        space.layout,
        int(found.rows[n]),
        lattice(space.rules.dice, space.rules.faces),
    )
    upper = int(layout.lane_upper[layout.lane_sets[row], int(found.lanes[n, left])])
    state = State(int(layout.masks[row]), upper, 0, row >= space.cards)
    shown = dice_of(dice.counts[dice.first_roll + int(found.rolls[n, left])].tolist())
    return state, shown, left, float(found.losses[n, left])
