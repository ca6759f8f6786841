"""NumPy and compiled code give single questions the same answers, and when a process changes over."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import RuleSet, State, Strategy, TurnPosition, start_turn
from perfect_yatzy.core.checked_values import CheckedValues
from perfect_yatzy.game.random_dice import dice_of_game
from perfect_yatzy.strategy import changeover
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from support import games
from support.players import in_memory
from support.refusals import refused
from support.seeds import ring_2

FIRST_TRY = 3_000  # as the documentation says
MADE = [
    games.JOKER,
    games.joker_game("free", saved_rolls=True),
    games.joker_game("none", order="forced"),
    games.saved_rolls_game("free", True),
]


def fresh(strategy: Strategy) -> Strategy:
    """The same strategy as another process would open it: no question has been asked."""
    return replace(
        strategy, evaluator=TurnEvaluator(strategy.rules, strategy.table, strategy.space)
    )


def by_numpy(strategy: Strategy) -> Strategy:
    """The same strategy in a process that never changes over."""
    found = fresh(strategy)
    found.evaluator.questions.next_try = 1 << 60
    found.evaluator.questions.tried_memory = True
    return found


def positions(rules: RuleSet, number: int, seed: int) -> Iterator[TurnPosition]:
    """Positions with all dice on the table, of games of random legal actions."""
    chance = random.Random(seed)
    while True:
        position = start_turn(rules)
        while not position.over:
            position = position.roll(chance) if position.to_roll else position
            yield position
            number -= 1
            if not number:
                return
            position = position.apply(chance.choice(position.legal_actions()))


def answers(strategy: Strategy, position: TurnPosition) -> list[Any]:
    """All that may be asked about a position."""
    return [
        [*strategy.ranking(position)],
        [*strategy.holds(position)] if position.rolls_left else None,
        [*strategy.categories(position)],
        strategy.best_action(position),
        strategy.value(position),
        [strategy.regret(position, action) for action in position.legal_actions()[::4]],
    ]


@pytest.mark.parametrize(
    "rules", [*MADE, "generala", "yatzy-forced", "kniffel", "yahtzee"], ids=str
)
def test_compiled_code_gives_the_answers_of_numpy_to_the_bit(rules: RuleSet | str) -> None:
    """Every value, mean, loss and tie, points of categories and the order; jokers, saved rolls,
    forced order.
    """
    solved = in_memory(rules) if isinstance(rules, RuleSet) else perfect_yatzy.open_strategy(rules)
    interpreted, compiled = by_numpy(solved), fresh(solved)
    compiled.prepare()
    for position in positions(solved.rules, 200, seed=8):
        assert answers(interpreted, position) == answers(compiled, position)
    assert compiled.evaluator.questions.compiled
    assert not interpreted.evaluator.questions.compiled


@pytest.mark.parametrize("key", [ring_2("maxi-forced"), ring_2("yatzy-saved"), ring_2("yacht")])
def test_compiled_code_gives_the_answers_of_numpy_in_larger_games(key: str) -> None:
    solved = perfect_yatzy.open_strategy(key)
    interpreted, compiled = by_numpy(solved), fresh(solved)
    compiled.prepare()
    for position in positions(solved.rules, 2_000, seed=9):
        assert answers(interpreted, position) == answers(compiled, position)


def test_many_threads_may_ask_one_strategy(yatzy: Strategy) -> None:
    """The memory of the compiled turn is shared: one question at a time, and none gets the answer
    of another.
    """
    strategy, interpreted = fresh(yatzy), by_numpy(yatzy)
    asked = [*positions(yatzy.rules, 400, seed=3)]
    expected = [[*interpreted.ranking(position)] for position in asked]
    strategy.prepare()
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda i: [*strategy.ranking(asked[i % 400])], range(3_200))]
    assert found == expected * 8


def test_a_process_changes_over_when_numpy_has_cost_as_much_as_loading(
    yatzy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not before, if nobody has loaded the kernels; later if they are not compiled."""
    tried: list[bool] = []
    monkeypatch.setattr(changeover, "KERNEL", "a module that nobody imports")
    monkeypatch.setattr(
        changeover, "_change_over", lambda _evaluator, in_memory: tried.append(in_memory)
    )
    strategy, position = fresh(yatzy), start_turn("yatzy", dice="33456")
    for count in range(1, 4 * FIRST_TRY + 1):
        strategy.best_action(position)
        doubled = [n for n in (1, 2, 4) if count >= n * FIRST_TRY]
        assert tried == [False] * len(doubled)


def test_kernels_in_memory_are_used_at_once(yatzy: Strategy) -> None:
    yatzy.best(0, 0, [[3, 3, 4, 5, 6]], 2)  # loads them
    strategy = fresh(yatzy)
    strategy.best_action(start_turn("yatzy", dice="33456"))
    assert strategy.evaluator.questions.compiled


def test_only_prepare_compiles(yatzy: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the kernel in memory or in the disk cache NumPy goes on."""
    from perfect_yatzy.strategy import compiled_turn

    monkeypatch.setattr(compiled_turn, "is_compiled", lambda *_args, in_memory=False: False)
    strategy = fresh(yatzy)
    strategy.evaluator.questions.next_try = 1
    strategy.best_action(start_turn("yatzy", dice="33456"))
    assert strategy.evaluator.questions.compiled is None


WITHOUT_NUMBA = """
import os, sys
import perfect_yatzy
from perfect_yatzy import start_turn
strategy = perfect_yatzy.open_strategy("yatzy-forced")
strategy.evaluator.questions.next_try = 1
position = start_turn("yatzy-forced", dice="33456")
print(strategy.best_action(position), strategy.evaluator.questions.compiled)
"""


def test_numpy_goes_on_where_numba_may_not_compile(forced: Strategy) -> None:
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    best = forced.best_action(start_turn("yatzy-forced", dice="33456"))
    assert (found.stdout, found.stderr) == (f"{best} None\n", "")


def test_a_first_change_over_compiles_nothing(forced: Strategy, tmp_path: Path) -> None:
    """With an empty cache of kernels."""
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert found.stdout.endswith(" None\n"), found.stderr
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".nbi", ".nbc")]


def test_values_that_may_move_stay_with_numpy(yatzy: Strategy) -> None:
    """Blocks of a large table come and go, so no address of them may be kept."""

    def read(buffer_start: int, buffer: memoryview) -> None:
        content = np.asarray(yatzy.table).view(np.uint8)[buffer_start : buffer_start + len(buffer)]
        buffer[: len(content)] = content.tobytes()

    values = CheckedValues(len(yatzy.table), yatzy.table.dtype, read)
    strategy = replace(yatzy, evaluator=TurnEvaluator(yatzy.rules, values))
    strategy.prepare()
    assert strategy.evaluator.questions.compiled is None
    position = start_turn("yatzy", "ones=3", "33456")
    assert [*strategy.ranking(position)] == [*yatzy.ranking(position)]


def test_goals_are_prepared_without_effect(yatzy: Strategy) -> None:
    late = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10 chance=20 yatzy=0"
    strategy = perfect_yatzy.reach("yatzy", 220, late)
    position = start_turn("yatzy", late, "33456")
    before = [*strategy.ranking(position)]
    strategy.prepare()
    assert [*strategy.ranking(position)] == before
    assert strategy.best_action(position) == before[0].action


def test_a_state_and_a_card_of_numpy_integers(yatzy: Strategy) -> None:
    given = State(np.int64(1), np.int64(3))
    assert [*yatzy.holds(given, "12345")] == [*yatzy.holds(State(1, 3), "12345")]
    assert start_turn("yatzy", given, "12345") == start_turn("yatzy", State(1, 3), "12345")
    card = perfect_yatzy.Scorecard(yatzy.rules, {np.int64(0): np.int64(3)})
    assert [*yatzy.holds(card, "12345")] == [*yatzy.holds("ones=3", "12345")]


def test_a_changed_copy_of_a_checked_position_is_checked_again(yatzy: Strategy) -> None:
    position = start_turn("yatzy", "ones=3", "33456")
    assert position.is_checked
    changed = replace(position, rolls_left=9)
    assert not changed.is_checked
    refused("9 rolls left", yatzy.best_action, changed)
    refused("cannot sum to 8", yatzy.best_action, replace(position, card=State(1, 8)))


def test_a_position_that_follows_is_what_a_new_check_would_make_of_it() -> None:
    position = start_turn("yatzy", dice=dice_of_game(1, 0, 0, 0, 5, 6))
    held = position.apply(position.dice[:2])
    again = start_turn("yatzy", held=position.dice[:2], rolls_left=1)
    assert (held.dice, held.rolls_left, held.state) == (again.dice, again.rolls_left, again.state)
    scored = position.apply("chance")
    assert scored == start_turn("yatzy", scored.card)
    assert scored.state == scored.card.state
