"""OpenSpiel's game `yacht` beside the same rules here: scores and whole games."""

import re
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import numpy as np
import pytest
from perfect_yatzy import start_turn
from support.need import need

pyspiel = need("pyspiel")

pytestmark = pytest.mark.full

RULES = "yacht+five-is-full-house+four-pays-all-dice"
NAMES = {
    "Small Straight": "little-straight",
    "Large Straight": "big-straight",
    "Chance": "choice",
    "Four of a Kind": "four-of-a-kind",
    "Full House": "full-house",
}
ROLLS = list(combinations_with_replacement(range(1, 7), 5))


def category(state: Any, action: int) -> str:
    """The category here of an action that scores there; empty for another action."""
    _, scores, name = state.action_to_string(state.current_player(), action).partition("Score in ")
    return NAMES.get(name, name.lower()) if scores else ""


def dice_of(state: Any) -> list[int]:
    found = re.search(r"Dice: ([\d ]+)", str(state))
    return [int(face) for face in found[1].split()]


def total(state: Any, player: int) -> int:
    found = re.search(rf"Player {player} \(total: (\d+)\)", str(state))
    return int(found[1])


def rolled(state: Any, dice: tuple[int, ...]) -> Any:
    """The state after these dice have been rolled for the first time in a turn."""
    after = state.clone()
    after.apply_action(sum((face - 1) * 6**i for i, face in enumerate(dice)))
    assert sorted(dice_of(after)) == sorted(dice)
    return after


def scores() -> dict[tuple[int, ...], dict[str, int]]:
    """What OpenSpiel pays for each roll in each category of an empty card."""
    found: dict[tuple[int, ...], dict[str, int]] = {}
    for dice in ROLLS:
        state = rolled(pyspiel.load_game("yacht").new_initial_state(), dice)
        state.apply_action(
            next(a for a in state.legal_actions() if "Keep all" in state.action_to_string(0, a))
        )
        found[dice] = {}
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            found[dice][category(state, action)] = total(after, 0)
    return found


def test_every_roll_pays_the_same_in_every_category() -> None:
    for dice, points in scores().items():
        assert {
            box: paid for box, (paid, _) in start_turn(RULES, dice=dice).categories().items()
        } == points


def test_games_played_on_both_sides_have_the_same_scores() -> None:
    """Two players at random: the same rerolls, categories, totals, and the winner."""
    draw = Random(5)
    for _ in range(10):
        state, positions = (
            pyspiel.load_game("yacht").new_initial_state(),
            [start_turn(RULES), start_turn(RULES)],
        )
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw.choice(state.chance_outcomes())[0])
                continue
            player, dice = state.current_player(), dice_of(state)
            if positions[player].to_roll:
                positions[player] = positions[player].roll(dice)
            action, position = draw.choice(state.legal_actions()), positions[player]
            boxes = {category(state, each) for each in state.legal_actions()} - {""}
            assert boxes in (set(), set(position.categories()))
            if box := category(state, action):
                positions[player] = position.apply(box)
            elif "Reroll" in (name := state.action_to_string(player, action)):
                gone = {int(i) for i in name.rpartition(" ")[2].split(",")}
                positions[player] = position.apply(
                    [face for i, face in enumerate(dice) if i not in gone]
                )
            state.apply_action(action)
        ends = [position.card.score for position in positions if not isinstance(position.card, str)]  # type: ignore[union-attr]
        assert ends == [total(state, player) for player in (0, 1)]
        assert np.sign(ends[0] - ends[1]) == state.returns()[0]
