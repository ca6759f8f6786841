"""Single questions in process, in turn with yatzy-solver from PyPI: `make bench-queries`, two
minutes.

Positions are those of games of random legal actions. First the answers of both programs are
compared: the values of all actions, and the best one. Then both answer the same questions in turn,
several times; a figure is the median over rounds of the processor time a question. The record is
written to ``benchmarks/runs/DATE-queries.md``.
"""

from __future__ import annotations

import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np
import perfect_yatzy
from perfect_yatzy import Strategy, TurnPosition, start_turn

from .__main__ import RUNS, cpu_name

POSITIONS, ROUNDS = 2_000, 7
LOOP = """
import time
start = time.process_time()
for _ in range(10_000_000):
    pass
print(time.process_time() - start)
"""


def positions(number: int, seed: int) -> list[TurnPosition]:
    """Different positions with dice on the table and a reroll left, in random order."""
    chance, found = random.Random(seed), {}
    while len(found) < number:
        position = start_turn("yatzy")
        while not position.over:
            position = position.roll(chance) if position.to_roll else position
            if position.rolls_left:
                found[str(position.card), position.dice, position.rolls_left] = position
            position = position.apply(chance.choice(position.legal_actions()))
    listed = [*found.values()][:number]
    chance.shuffle(listed)
    return listed


def situation(position: TurnPosition) -> str:
    """The position in the notation of the other program."""
    boxes = [position.rules.categories[c].id for c in sorted(position.card.points)]
    filled = ",".join(box.replace("-", "_") for box in boxes) or "-"
    dice = " ".join(map(str, position.dice))
    upper = position.state.upper
    return f"dice {dice} | rolls {position.rolls_left} | upper {upper} | filled {filled}"


def action_of(notation: str) -> Any:
    """An action of the other program as one of ours."""
    kind, *rest = notation.split()
    if kind == "score":
        return rest[0].replace("_", "-")
    return tuple(sorted(map(int, rest))) if rest != ["-"] else ()


def check(strategy: Strategy, other: Any, asked: Sequence[TurnPosition]) -> None:
    """All values of both programs are equal, and the best actions too, but for ties."""
    for position in asked:
        found = {option.action: option.value for option in strategy.ranking(position)}
        theirs = {
            action_of(action): value for action, value in other.option_values(situation(position))
        }
        assert found.keys() == theirs.keys(), (position, found.keys() ^ theirs.keys())
        assert all(abs(found[action] - theirs[action]) < 1e-9 for action in found), position
        best = action_of(other.best_action(situation(position)))
        assert abs(found[best] - found[strategy.best_action(position)]) < 1e-9, position


def microseconds(ask: Callable[[Any], object], questions: Sequence[Any]) -> float:
    """Processor time of a question."""
    start = time.process_time()
    for question in questions:
        ask(question)
    return 1e6 * (time.process_time() - start) / len(questions)


def in_turn(ways: dict[str, tuple[Callable[[Any], object], Sequence[Any]]]) -> dict[str, float]:
    """The median microseconds of each way to ask, in turn."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, (ask, questions) in ways.items():
            found[name].append(microseconds(ask, questions))
    return {name: statistics.median(times) for name, times in found.items()}


def read_holds(options: Sequence[Any]) -> float:
    """Read the value of every option, as a caller would."""
    return sum(option.value for option in options)


def read_pairs(options: Sequence[Any]) -> float:
    """The same of the pairs of the other program."""
    return sum(value for _action, value in options)


def play_game(strategy: Strategy, seed: int) -> TurnPosition:
    """A game by the loop of the documentation."""
    chance = random.Random(seed)
    position = start_turn("yatzy")
    while not position.over:
        position = position.roll(chance) if position.to_roll else position
        position = position.apply(strategy.best_action(position))
    return position


def measured(strategy: Strategy, other: Any, by_numpy: Strategy) -> dict[str, float]:
    """All figures, in microseconds."""
    asked = positions(POSITIONS, seed=1)
    texts = [(str(p.card), "".join(map(str, p.dice)), p.rolls_left) for p in asked]
    one_card = [(texts[0][0], dice, left) for _, dice, left in texts]
    situations = [situation(p) for p in asked]
    one_situation = [
        situation(start_turn("yatzy", texts[0][0]).roll(p.dice)).replace(
            "rolls 2", f"rolls {p.rolls_left}"
        )
        for p in asked
    ]
    actions = [p.legal_actions()[0] for p in asked]
    pairs = [*zip(asked, actions, strict=True)]
    return in_turn(
        {
            "best_action(position)": (strategy.best_action, asked),
            "best_action of yatzy-solver": (other.best_action, situations),
            "best_action(position), NumPy": (by_numpy.best_action, asked),
            "holds(card, dice), all values read": (lambda q: read_holds(strategy.holds(*q)), texts),
            "option_values of yatzy-solver": (
                lambda q: read_pairs(other.option_values(q)),
                situations,
            ),
            "holds(card, dice), NumPy": (lambda q: read_holds(by_numpy.holds(*q)), texts),
            "holds of one card": (lambda q: read_holds(strategy.holds(*q)), one_card),
            "option_values of one card": (
                lambda q: read_pairs(other.option_values(q)),
                one_situation,
            ),
            "regret(position, action)": (lambda q: strategy.regret(*q), pairs),
            'start_turn("yatzy", card).roll(dice)': (
                lambda q: start_turn("yatzy", q[0]).roll(q[1]),
                texts,
            ),
            "position.apply(action)": (lambda q: q[0].apply(q[1]), pairs),
        }
    ) | {
        "a game of the self-play loop": in_turn(
            {"": (lambda seed: play_game(strategy, seed), range(20))}
        )[""],
        "a game of the self-play loop, NumPy": in_turn(
            {"": (lambda seed: play_game(by_numpy, seed), range(10))}
        )[""],
    }


def main() -> None:
    """Check, measure, print, and write the record."""
    import yatzy_solver

    strategy = perfect_yatzy.open_strategy("yatzy")
    by_numpy = perfect_yatzy.open_strategy("yatzy")
    by_numpy.evaluator.questions.next_try = sys.maxsize
    by_numpy.evaluator.questions.tried_memory = True
    other = yatzy_solver.Solver.build(yatzy_solver.Variant("yatzy-scandinavian"))
    check(by_numpy, other, positions(300, seed=2))
    strategy.prepare()
    check(strategy, other, positions(300, seed=3))
    loop = float(
        subprocess.run(
            [sys.executable, "-c", LOOP], capture_output=True, text=True, check=True
        ).stdout
    )
    lines = [
        f"# Single questions, {date.today().isoformat()}, perfect-yatzy {perfect_yatzy.__version__}",
        "",
        f"{platform.machine()}, {cpu_name()}, Python {platform.python_version()}, numpy {np.__version__}; "
        f"an empty loop of ten million turns takes {loop:.2f} s here. Medians of {ROUNDS} rounds in turn, "
        f"{POSITIONS:,} different positions; all values were compared first.",
        "",
        "| question | microseconds of processor time |",
        "|---|---:|",
    ]
    lines += [
        f"| {name} | {found:,.1f} |" for name, found in measured(strategy, other, by_numpy).items()
    ]
    print("\n".join(lines))
    RUNS.mkdir(exist_ok=True)
    record = RUNS / f"{date.today().isoformat()}-queries.md"
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
