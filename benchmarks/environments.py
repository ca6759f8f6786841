"""Steps a second of the environments for reinforcement learning: `make bench-environments`, half a
minute.

Random legal actions. Only `step` is timed, which also computes the masks of legal actions and all
observations; the choice of the actions is not. First the vector environment is compared with single
environments. The record is written to ``benchmarks/runs/DATE-environments.md``.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from datetime import date
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import perfect_yatzy
from perfect_yatzy.rl import YatzyEnv, YatzyVectorEnv

from .__main__ import cpu_name

RUNS = Path(__file__).resolve().parent / "runs"
Seconds = tuple[float, float]  # of the clock, of the processor


def random_actions(random: np.random.Generator, mask: Any) -> Any:
    return (random.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)


def check(rules: str) -> None:
    """The vector environment and single ones give the same masks, observations and rewards."""
    envs, single = (
        YatzyVectorEnv(3, rules),
        gymnasium.vector.SyncVectorEnv([lambda: YatzyEnv(rules)] * 3),
    )
    random = np.random.default_rng(1)
    observed, info = envs.reset(seed=1)
    other, _ = single.reset(seed=1)
    for _ in range(120):
        assert all(np.array_equal(observed[name], other[name]) for name in observed)
        actions = random_actions(random, info["action_mask"])
        observed, rewards, _, _, info = envs.step(actions)
        other, other_rewards, _, _, other_info = single.step(actions)
        assert np.array_equal(rewards, other_rewards)
        assert np.array_equal(info["action_mask"], other_info["action_mask"])


def vector_seconds(envs: YatzyVectorEnv, steps: int, seed: int) -> Seconds:
    """Seconds of `steps` calls of `step`."""
    random, wall, cpu = np.random.default_rng(seed), 0.0, 0.0
    _, info = envs.reset(seed=seed)
    for _ in range(steps):
        actions = random_actions(random, info["action_mask"])
        begin = time.perf_counter(), time.thread_time()
        _, _, _, _, info = envs.step(actions)
        wall, cpu = wall + time.perf_counter() - begin[0], cpu + time.thread_time() - begin[1]
    return wall, cpu


def single_seconds(env: YatzyEnv, steps: int, seed: int) -> Seconds:
    """The same for a single environment."""
    random, wall, cpu = np.random.default_rng(seed), 0.0, 0.0
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        action = random.choice(np.flatnonzero(info["action_mask"]))
        begin = time.perf_counter(), time.thread_time()
        _, _, over, _, info = env.step(action)
        wall, cpu = wall + time.perf_counter() - begin[0], cpu + time.thread_time() - begin[1]
        if over:
            _, info = env.reset()
    return wall, cpu


def rates(games: int, steps: int, runs: list[Seconds]) -> str:
    """Median steps a second, by the clock and by the time of the processor."""
    wall, cpu = (
        statistics.median(games * steps / seconds[i] for seconds in runs) for i in range(2)
    )
    return f"{wall:,.0f} | {cpu:,.0f}"


def main() -> None:
    """Check, measure, print and write the record."""
    lines = [
        f"# {date.today().isoformat()}, environments, perfect-yatzy {perfect_yatzy.__version__}",
        "",
        f"{platform.machine()}, {cpu_name()}, {os.cpu_count()} processors, Python {platform.python_version()}, "
        f"gymnasium {gymnasium.__version__}, load {os.getloadavg()[0]:.1f} at the start",
        "",
        "Random legal actions; the time of `step`, with observations and masks, without the choice of the actions.",
        "Steps a second, medians of five runs. The vector environment runs in one thread.",
        "",
        "| environment | by the clock | per second of processor time |",
        "|---|---:|---:|",
    ]
    for rules in ("yatzy", "maxi", "yahtzee"):
        check(rules)
        for games in (64, 1_024, 4_096):
            steps = max(50, 100_000 // games)
            envs = YatzyVectorEnv(games, rules)
            runs = [vector_seconds(envs, steps, seed) for seed in range(5)]
            lines.append(
                f"| `{rules}`, {games:,} games in a vector | {rates(games, steps, runs)} |"
            )
        env = YatzyEnv(rules)
        runs = [single_seconds(env, 2_000, seed) for seed in range(5)]
        lines.append(f"| `{rules}`, a single environment | {rates(1, 2_000, runs)} |")
    text = "\n".join(lines) + "\n"
    print(text)
    (RUNS / f"{date.today().isoformat()}-environments.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
