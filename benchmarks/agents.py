"""What players of Yatzy are worth, exactly: `make bench-agents`, four minutes.

    python -m benchmarks.agents --agent agent.npz      also a network trained by `benchmarks.train_ppo`

Rules: `yatzy`, from the empty card. Every policy whose actions can be listed is evaluated exactly;
the random one plays games of the vector environment. The network plays games that are compared with
perfect play, which removes the luck: an exact evaluation would ask it a billion observations.
Everything follows from the seeds stated here. The record is written to
``benchmarks/runs/DATE-agents.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import perfect_yatzy
from perfect_yatzy.play.record import simulated_records
from perfect_yatzy.policies.policy import States
from perfect_yatzy.rl import YatzyVectorEnv

from .__main__ import cpu_name

RUNS = Path(__file__).resolve().parent / "runs"
OPTIMUM = 248.4399893779  # published; asserted before anything is timed
RANDOM_GAMES = 100_000
NETWORK_GAMES = 10_000
# of the linear value function: policies one after the other, games of each
ROUNDS, GAMES = (
    8,
    4_000,
)
Row = tuple[
    str, float, float, tuple[float, ...] | None, float
]  # name, mean, standard error, losses, seconds
Floats = npt.NDArray[np.float64]


def random_play(seed: int = 1) -> tuple[float, float]:
    """Mean and standard error of the final score of random legal actions."""
    envs, random = YatzyVectorEnv(1_000, autoreset_mode="NextStep"), np.random.default_rng(seed)
    _, info = envs.reset(seed=seed)
    scores: list[int] = []
    while len(scores) < RANDOM_GAMES:
        actions = (
            random.random(info["action_mask"].shape, dtype=np.float32) * info["action_mask"]
        ).argmax(axis=1)
        _, _, over, _, info = envs.step(actions)
        scores += info["score"][over].tolist()
    return float(np.mean(scores)), float(np.std(scores, ddof=1) / len(scores) ** 0.5)


def features(filled: Any, upper: Any, boxes: int) -> Floats:
    """A constant, the open boxes, and what is known of the bonus: possible, points below par,
    certain.
    """
    is_open = 1 - (np.asarray(filled)[:, None] >> np.arange(boxes) & 1)
    par = 3 * (is_open[:, :6] @ np.arange(1, 7))
    missing = np.maximum(0, 63 - np.asarray(upper))
    short = np.maximum(0, missing - par)
    possible = missing <= 5 * (is_open[:, :6] @ np.arange(1, 7))
    columns = [
        np.ones(len(is_open)),
        *is_open.T,
        possible,
        possible * np.exp(-short / 8),
        missing == 0,
    ]
    return np.column_stack(columns).astype(np.float64)


def linear_value_function(report: Callable[[str], None]) -> Floats:
    """Weights learned by self-play: play greedily, then fit the points that were still to come;
    from zero on.
    """
    rules = perfect_yatzy.load_rules("yatzy")
    boxes, weights = (
        len(rules.categories),
        np.zeros(len(features([0], [0], len(rules.categories))[0])),
    )
    for number in range(ROUNDS):
        seen: list[tuple[int, int]] = []
        to_come: list[float] = []
        for line in simulated_records(linear_policy(weights), GAMES, seed=number + 1):  # type: ignore[arg-type]
            filled = upper = 0
            game = json.loads(line)["turns"]
            rest = sum(turn["points"] for turn in game)
            rest += 50 * (sum(t["points"] for t in game if rules.index_of[t["category"]] < 6) >= 63)
            for turn in game:
                seen.append((filled, min(upper, 63)))
                to_come.append(rest)
                box = rules.index_of[turn["category"]]
                filled, upper, rest = (
                    filled | 1 << box,
                    upper + (box < 6) * turn["points"],
                    rest - turn["points"],
                )
        states = np.array(seen)
        design = features(states[:, 0], states[:, 1], boxes)
        weights = np.linalg.solve(
            design.T @ design + np.eye(design.shape[1]), design.T @ np.array(to_come)
        )
        report(f"linear, round {number + 1}: {np.mean(to_come[::boxes]):.1f} a game")
    return weights


def linear_policy(weights: Floats) -> perfect_yatzy.ValueFunction:
    return perfect_yatzy.ValueFunction(
        "yatzy",
        lambda states: (
            features(states.filled, states.upper, len(states.rules.categories)) @ weights
        ),
    )


def fitted_policy() -> perfect_yatzy.ValueFunction:
    """The value function that `yatzy solve --approximate` fits for games too large to solve."""
    with TemporaryDirectory() as tables:
        function: Any = perfect_yatzy.approximate("yatzy", tables).evaluator.function

    def values(states: States) -> Floats:
        # A table has one sum for all that cannot reach the bonus; of these the function knows the
        # highest best.
        most = 5 * (states.open[:, :6] @ np.arange(1, 7))
        upper = np.where(
            states.upper + most < 63, np.maximum(states.upper, 62 - most), states.upper
        )
        return np.asarray(function.values(states.filled, upper, states.saved, states.joker_paid))

    return perfect_yatzy.ValueFunction("yatzy", values)


def network(path: str) -> perfect_yatzy.BatchPolicy:
    """The agent of a file of `benchmarks.train_ppo`: the legal action that its network rates
    highest.
    """
    from perfect_yatzy.rl.single import Encoding

    weights = np.load(path)
    layers = [
        (weights[f"{name}.weight"].T.copy(), weights[f"{name}.bias"])
        for name in ("mlp_extractor.policy_net.0", "mlp_extractor.policy_net.2", "action_net")
    ]
    encode = Encoding(perfect_yatzy.load_rules("yatzy"), "one-hot")

    def agent(observations: dict[str, Any]) -> Any:
        numbers = encode(observations).astype(np.float32)
        for i, (matrix, bias) in enumerate(layers):
            numbers = numbers @ matrix + bias
            numbers = np.maximum(numbers, 0) if i < 2 else numbers
        numbers[observations["action_mask"] == 0] = -np.inf
        return numbers.argmax(axis=1)

    return perfect_yatzy.BatchPolicy("yatzy", agent)


def rows(agent: str, report: Callable[[str], None]) -> Iterator[Row]:
    begin = time.perf_counter()
    mean, error = random_play()
    yield "random legal actions", mean, error, None, time.perf_counter() - begin

    def measured(title: str, policy: Any) -> Row:
        begin = time.perf_counter()
        found = perfect_yatzy.evaluate(policy, games=NETWORK_GAMES)
        assert found.losses is not None
        assert abs(found.perfect_mean - OPTIMUM) < 1e-9
        assert abs(found.losses.total - found.loss) < 1e-6
        losses = (
            *found.losses.holds.sum(axis=0)[::-1].tolist(),
            float(found.losses.categories.sum()),
        )
        error = getattr(found, "standard_error", 0.0)
        return title, found.mean, error, losses, time.perf_counter() - begin

    yield measured("most points in each turn", perfect_yatzy.open_policy("most-points"))
    if agent:
        yield measured(f"MaskablePPO, {int(np.load(agent)['steps']):,} steps", network(agent).act)
    for level in range(1, 8):
        yield measured(
            f"computer player of level {level}", perfect_yatzy.open_policy(f"level:{level}")
        )
    for size in (5, 10):
        yield measured(
            f"{size} hold rules and prices, played by hand",
            perfect_yatzy.open_policy(f"hold-rules:{size}"),
        )
    yield measured(
        "all hold rules and prices, played by hand", perfect_yatzy.open_policy("hold-rules")
    )
    yield measured("linear value function, self-play", linear_policy(linear_value_function(report)))
    yield measured("price sheet", perfect_yatzy.open_policy("prices"))
    yield measured("fitted value function, self-play", fitted_policy())
    yield measured("perfect play", perfect_yatzy.open_policy("perfect"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agent", default="", help="weights of benchmarks.train_ppo")
    given, begin = parser.parse_args(), time.perf_counter()
    found = []
    for row in rows(given.agent, lambda text: print(text, flush=True)):
        found.append(row)
        print(f"{row[0]}: {row[1]:.4f}, {row[4]:.0f} s", flush=True)
    lines = [
        f"# Players of Yatzy, {date.today()}",
        "",
        f"{cpu_name()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"perfect-yatzy {perfect_yatzy.__version__}; `make bench-agents`, {time.perf_counter() - begin:.0f} s.",
        "Means are exact except where a standard error is given. Losses against perfect play, in points a game: of",
        "holds with two rerolls left, of holds with one, of categories.",
        "",
        "| player | mean | loss | two rerolls | one reroll | category |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, mean, error, losses, _ in sorted(found, key=lambda row: row[1]):
        score = f"{mean:.2f} ± {error:.2f}" if error else f"{mean:.4f}"
        parts = " | ".join(f"{loss:.2f}" for loss in losses) if losses else " | | "
        lines.append(f"| {name} | {score} | {OPTIMUM - mean:.2f} | {parts} |")
    path = RUNS / f"{date.today()}-agents.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
