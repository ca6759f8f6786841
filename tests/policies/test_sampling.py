"""Sampled players: unbiased estimates with the luck removed, and programs that answer requests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from perfect_yatzy import open_strategy
from perfect_yatzy.errors import StateError
from perfect_yatzy.game.dice_stream import dice_of_game
from perfect_yatzy.game.legal_actions import TurnPosition
from perfect_yatzy.policies.evaluation import Losses, SampledEvaluation, evaluate, sample
from perfect_yatzy.policies.policy import ValueFunction
from perfect_yatzy.policies.user_code import ProcessError, ProcessPlayer
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.backward_induction import solve_values
from support import games
from support.refusals import refused

SMALL = games.joker_game("forced", bonus=4)
SAVES = games.saved_rolls_game("free", False)


def player_of(strategy: Strategy) -> Callable[[TurnPosition], tuple[int, ...] | str]:
    """Plays the best option of a strategy."""

    def player(position: TurnPosition) -> tuple[int, ...] | str:
        if position.rolls_left:
            hold = strategy.holds(position.state, position.dice, position.rolls_left)[0]
            return hold.dice if hold.category is None else hold.category
        return strategy.categories(position.state, position.dice)[0].category

    return player


def test_the_estimate_covers_the_exact_mean_and_is_narrower_than_that_of_the_scores() -> None:
    """A player who guesses the points to come as zero; 4 standard errors, of losses and of scores."""
    nothing = np.zeros(len(solve_values(SMALL)))
    player = player_of(Strategy(SMALL, None, TurnEvaluator(SMALL, nothing)))
    exact = evaluate(ValueFunction(SMALL, nothing))
    found = sample(player, open_strategy(SMALL), 1000, seed=4)
    assert abs(found.mean - exact.mean) < 4 * found.standard_error
    assert abs(found.plain_mean - exact.mean) < 4 * found.plain_standard_error
    assert found.standard_error < found.plain_standard_error / 2
    assert found.perfect_mean - found.mean == pytest.approx(found.losses.total)
    assert exact.losses
    for name in ("holds", "categories"):  # where they are lost, too
        sampled, whole = getattr(found.losses, name), getattr(exact.losses, name)
        assert sampled.shape == whole.shape
        assert np.abs(sampled - whole).max() < 0.1
        assert np.corrcoef(sampled.ravel(), whole.ravel())[0, 1] > 0.98


def test_standard_errors_are_those_of_a_sample() -> None:
    """With n - 1 in the denominator, as Python's own statistics have it; none of one game."""
    nowhere = Losses(np.zeros((1, 2)), np.zeros((1, 1)))
    for scores, losses in (((10.0, 14.0), (0.0, 3.0)), ((5.0, 6.0, 10.0), (1.0, 1.5, 0.25))):
        found = SampledEvaluation(SMALL, 20.0, np.array(scores), np.array(losses), nowhere)
        assert found.standard_error == pytest.approx(stdev(losses) / len(losses) ** 0.5, rel=1e-12)
        assert found.plain_standard_error == pytest.approx(stdev(scores) / len(scores) ** 0.5, rel=1e-12)
        assert (found.mean, found.plain_mean) == (20 - mean(losses), mean(scores))
    one = SampledEvaluation(SMALL, 20.0, np.array([10.0]), np.array([1.0]), nowhere)
    assert np.isnan([one.standard_error, one.plain_standard_error]).all()


def test_a_perfect_player_loses_nothing() -> None:
    """Also with saved rolls, from a card on."""
    strategy, card = open_strategy(games.saved_rolls_game("free", True)), {"face-5": 5}
    found = sample(player_of(strategy), strategy, 20, start=card)
    assert found.game_losses.max() == 0
    assert found.mean == found.perfect_mean == 5 + strategy.value(card)


def test_an_illegal_action_names_the_position() -> None:
    with pytest.raises(StateError, match=r"game 1, card empty, dice [1-3]{3}, 2 rerolls left: "):
        sample(lambda position: (6, 6), open_strategy(SMALL), 1)
    refused("games is 0", sample, lambda position: "none", open_strategy(SMALL), 0)


BOT = """
import json, random, sys
draw = random.Random(7)
for line in sys.stdin:
    request = json.loads(line)
    if request["query"] == "hold":
        answer = {"hold": [d for d in request["dice"] if draw.random() < 0.5][:4], "id": request["id"]}
    else:
        answer = {"best": {"category": next(c for c in sys.argv[1].split(",") if c not in request["card"])}}
    print(json.dumps(answer), flush=True)
"""


def test_a_program_plays(forced: Strategy, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    boxes = ",".join(c.id for c in forced.rules.categories)
    with ProcessPlayer(f"{sys.executable} {bot} {boxes}") as player:
        found = sample(player, forced, 3)
    assert found.games == 3
    assert found.game_losses.min() > 0
    assert found.losses.categories.sum() == 0  # the order is forced


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys; sys.exit(3)", "exit code 3|does not read|no complete line"),
        ("print('hello')", "answered 'hello'; must be a JSON object"),
        ("print('{}')", "must have a hold or a category"),
        ("""print('{"error": "no idea"}')""", "answered with an error: no idea"),
        ("print('{', end='')", "no complete line|exit code 0"),
    ],
)
def test_a_program_that_does_not_answer_is_reported(program: str, message: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(program)
    with ProcessPlayer(f"{sys.executable} {bot}") as player, pytest.raises(ProcessError, match=message):
        sample(player, open_strategy(SMALL), 1)


def test_a_program_that_is_not_there_is_reported() -> None:
    for command in ("/no/such/program --x", "", "'"):
        with pytest.raises(ProcessError, match="cannot start"):
            ProcessPlayer(command)


def test_the_dice_depend_on_the_seed_alone() -> None:
    """Two players who hold nothing, and take other boxes, see the same dice."""
    seen: dict[Callable[..., str], list[tuple[int, ...]]] = {min: [], max: []}
    for prefer, dice in seen.items():

        def player(position: TurnPosition, prefer=prefer, dice=dice) -> tuple[int, ...] | str:  # type: ignore[no-untyped-def]
            dice.append(position.dice)
            return () if position.rolls_left else prefer(position.categories())

        sample(player, open_strategy(SAVES), 2, seed=9)
    assert seen[min] == seen[max]
    assert sorted(dice_of_game(9, 0, 0, 0, SAVES.dice, SAVES.faces)) == list(seen[min][0])


@pytest.mark.parametrize("as_text", [False, True], ids=["faces", "text"])
def test_to_hold_all_dice_is_to_stop(as_text: bool) -> None:
    """The player is asked for the category, and does as one who names it at once; also where rolls are saved."""
    for rules in (SMALL, games.saved_rolls_game("free", True)):
        strategy = open_strategy(rules)

        def stops(position: TurnPosition) -> tuple[int, ...] | str:
            if not position.rolls_left:
                return next(iter(position.categories()))
            return "".join(map(str, position.dice)) if as_text else position.dice[::-1]

        held = sample(stops, strategy, 20)
        named = sample(lambda position: next(iter(position.categories())), strategy, 20)
        assert held.scores.tolist() == named.scores.tolist()
        assert held.game_losses.tolist() == named.game_losses.tolist()


def test_a_mistake_in_a_player_is_shown_with_the_position() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        sample(lambda position: str(1 // 0), open_strategy(SMALL), 1)
    assert len(caught.value.__notes__) == 1
    assert caught.value.__notes__[0].startswith("game 1, card empty, dice ")
    refused("action is 42; must be the dice to hold", sample, lambda position: 42, open_strategy(SMALL), 1)


def test_evaluate_takes_a_function_of_positions_and_an_object_with_act() -> None:
    class Bot:
        def act(self, position: TurnPosition) -> tuple[int, ...] | str:
            return strategy.best_action(position)

    strategy = open_strategy(SMALL)
    for player in (Bot(), strategy.best_action):
        found = evaluate(player, SMALL, games=5)
        assert (found.mean, found.loss, found.games) == (strategy.value(), 0.0, 5)
    refused("policy is 3; must be a policy", evaluate, 3)
