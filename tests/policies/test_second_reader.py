"""The printed guide as a second reader understands it, who has seen nothing but the print: its
mean is the one that the guide states, and its dice and boxes are those of the policy.
"""

import random
from functools import cache

import numpy as np
import pytest
from perfect_yatzy import FunctionPolicy, load_rules, open_policy, start_turn
from perfect_yatzy.cli.commands.guide import chosen_lists
from perfect_yatzy.cli.views.guide_content import guide_content
from perfect_yatzy.cli.views.guide_pages import guide_text
from perfect_yatzy.core.state_space import state_space
from perfect_yatzy.policies.evaluation import policy_mean
from perfect_yatzy.policies.guide import Guide
from perfect_yatzy.policies.hold_policy import Cards, decisions
from perfect_yatzy.policies.strategy_sheet import packaged_sheet
from perfect_yatzy.strategy.turn_evaluator import category_odds
from support.second_reader import Reading, read_guide
from support.seeds import drawn, ring_2

LENGTHS = {  # of the lists of each game
    "yatzy": [5, 10, 16],
    "kniffel": [5, 10, 16],
    "yahtzee": [5, 10, 16],
    "yams": [5, 10, 16],
    "kismet": [5, 10, 16],
    "yacht-51": [5, 10, 14],  # more rules were not worth their words
}
LISTS = [(name, length) for name, lengths in LENGTHS.items() for length in lengths]


@cache
def readings(name: str) -> dict[int, Reading]:
    """What the reader makes of the card and of the guide of a game, by the number of rules."""
    rules = load_rules(name)
    odds = tuple(category_odds(rules, None, rules.rolls_per_turn - 1))
    found = []
    for card in (True, False):
        shown, longer = chosen_lists(packaged_sheet(rules), card)
        guide = Guide(rules, 300.0, shown, (), (), (), (), odds)
        found += read_guide(guide_text(guide_content(guide, longer), card), rules)
    return {len(reading.sentences): reading for reading in found}


@pytest.mark.parametrize("name", LENGTHS)
def test_the_card_and_the_guide_have_three_lists(name: str) -> None:
    assert sorted(readings(name)) == LENGTHS[name]


@pytest.mark.parametrize(
    ("name", "length", "positions"),
    [
        ("yatzy", 5, 200),
        *drawn(6, [(name, length, 2000) for name, length in LISTS]),
    ],
)
def test_the_reader_does_what_the_policy_does(name: str, length: int, positions: int) -> None:
    """On cards as they come in games in which every other action is any legal one."""
    reader = FunctionPolicy(name, readings(name)[length].policy)
    policy, generator = open_policy(f"hold-rules:{length}", name), random.Random(length)
    seen = 0
    while seen < positions:
        position = start_turn(name)
        while not position.over:
            position = position.roll(generator)
            while not position.to_roll and not position.over:
                action = reader.act(position)
                assert action == policy.act(position), position
                seen += 1
                other = generator.choice(position.legal_actions())
                position = position.apply(generator.choice([action, other]))


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("kniffel", 16),  # where jokers and the bonus for another Kniffel matter
        *(ring_2(name, length) for name, length in LISTS),
        *(ring_2("maxi-unsaved", length) for length in LENGTHS["yatzy"]),
    ],
)
def test_the_reader_holds_the_same_dice_of_every_roll(name: str, length: int) -> None:
    """On cards drawn from all, with their lowest and highest upper sum: rare rolls, too."""
    rules = load_rules(name)
    sheet = packaged_sheet(rules)
    assert sheet is not None
    holds = (sheet if length == len(sheet.holds) else sheet.with_rules(length)).holds
    reading, space = readings(name)[length], state_space(rules)
    reader = FunctionPolicy(name, reading.policy)
    cards = np.concatenate(space.layers[: space.categories])
    for row in np.random.default_rng(length).permutation(cards)[:80]:
        turn = reader.turn(int(row))
        shape = (turn.n_rerolls, len(turn.roll_counts), len(turn.upper))
        read = np.broadcast_to(reading.policy(turn)[1], shape)
        rolls = np.arange(len(turn.roll_counts))
        for lane in {0, len(turn.upper) - 1}:
            seen = Cards.of_rows(rules, space, 0 * rolls + row, 0 * rolls + lane)
            for left in range(1, turn.n_rerolls + 1):
                held, _ = decisions(rules, holds, seen, rolls, left)
                wrong = np.flatnonzero(held != read[left - 1, :, lane])
                assert not len(wrong), (turn.filled, turn.upper[lane], turn.roll_counts[wrong[0]])


@pytest.mark.parametrize(("name", "length"), drawn(2, LISTS))
def test_the_reader_reaches_the_mean_that_the_guide_states(name: str, length: int) -> None:
    reading = readings(name)[length]
    mean = policy_mean(FunctionPolicy(name, reading.policy))
    assert f"{mean:.1f}" == f"{reading.stated:.1f}"
