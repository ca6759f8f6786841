"""Beyond the mean: distributions, goals, wins and games by the million. `make bench-beyond`, a quarter of an hour.

Answers are asserted first; the record goes to ``benchmarks/runs/DATE-beyond.md``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import repeat
from pathlib import Path

import numpy as np
import perfect_yatzy
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.model.objectives import Goals, Variance
from perfect_yatzy.play.record import card_after
from perfect_yatzy.play.replay import play_turn, replay
from perfect_yatzy.strategy.distribution import distribution
from perfect_yatzy.strategy.opponents import WinUtility, opponent
from perfect_yatzy.tablebase.backward_induction import default_threads, solve_layers, solve_objective
from perfect_yatzy.tablebase.store import solve_to_store

RUNS = Path(__file__).resolve().parent / "runs"
TODAY = date.today().isoformat()
WATCHED = 8  # open boxes from which on the other's card is looked at
LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
DEVIATIONS = {"yatzy": 38.4964, "yahtzee": 59.6076, "yahtzee-plain": 39.8201}

PEAK = """
import resource, sys, time, solver
strategy = perfect_yatzy.open_strategy("yatzy")
perfect_yatzy.distribution(strategy)
start = time.perf_counter()
found = perfect_yatzy.distribution(strategy)
assert abs(found.mean - strategy.value()) < 1e-9
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def median_of(action: Callable[[], object], times: int = 5) -> float:
    """Median seconds, after once to warm up."""
    action()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def exactness(rules: perfect_yatzy.RuleSet) -> float:
    """Largest difference of any chance in the table of goals between float32 and float64 arithmetic."""
    long = Goals(rules)
    long.compute = np.dtype(np.float64)
    worst = 0.0
    for one, other in zip(solve_layers(Goals(rules)), solve_layers(long), strict=True):
        apart = np.abs(one.values - other.values)
        apart[apart == 1.0] = 0.0  # the frame of a slab is a vector wide, and vectors of float64 hold fewer
        worst = max(worst, float(apart.max()))
    return worst


def tournament(yatzy: perfect_yatzy.Strategy, games: int) -> list[str]:
    """Against one mean player whom we cannot see: whole games of the policy that wins most."""
    other = opponent(yatzy, perfect_yatzy.parse_card(yatzy.rules, ""))
    winning = WinUtility([other], "half")
    start = time.perf_counter()
    policy = perfect_yatzy.maximise("yatzy", winning)
    seconds = time.perf_counter() - start
    theirs = perfect_yatzy.simulate(yatzy, games, seed=1).final_scores
    lines = [f"| policy that wins most against an unseen mean player, whole game solved | {seconds:.1f} s |"]
    for name, strategy in (("mean", yatzy), ("win", policy)):
        mine = perfect_yatzy.simulate(strategy, games, seed=2).final_scores
        won = np.mean((mine > theirs) + 0.5 * (mine == theirs))
        error = 0.5 / np.sqrt(games)
        exact = winning(np.arange(400)) @ np.bincount(mine, minlength=400)[:400] / games
        lines.append(
            f"| {name} policy against the mean policy, {games:,} games, ties half "
            f"| {100 * won:.2f} ± {100 * error:.2f} % won (against the exact distribution {100 * exact:.2f} %) |"
        )
    lines.append(f"| exact chance to win of the win policy | {100 * policy.value(''):.3f} % |")
    return lines


def watched_games(first: int, number: int) -> list[tuple[float, float, float, float]]:
    """Games against a mean player in sight, the last boxes by the policy that wins most, solved anew each turn.

    For each game the chance to win (ties half): at the start of the watching by mean play and by the policy solved
    there once; with one box left, after mean play and after watching, on the same dice.
    """
    yatzy = perfect_yatzy.open_strategy("yatzy")
    found = []
    for game in range(first, first + number):
        mine, theirs = replay(yatzy, 1, game).turns, replay(yatzy, 2, game).turns
        me, they = Scorecard(yatzy.rules), Scorecard(yatzy.rules)
        for turn in range(len(mine) - WATCHED):
            me, they = card_after(me, mine[turn]), card_after(they, theirs[turn])
        winning = WinUtility([opponent(yatzy, they, 1)], "half")
        by_mean, watching = me, me
        spread = distribution(yatzy, me, threads=1)
        once = perfect_yatzy.maximise("yatzy", winning, me, threads=1).value(me)
        start = float(winning(spread.scores) @ spread.chances)
        for turn in range(len(mine) - WATCHED, len(mine) - 1):
            policy = perfect_yatzy.maximise("yatzy", winning, watching, threads=1)
            watching = card_after(watching, play_turn(policy, watching, 1, game, turn))
            by_mean, they = card_after(by_mean, mine[turn]), card_after(they, theirs[turn])
            winning = WinUtility([opponent(yatzy, they, 1)], "half")
        spread = distribution(yatzy, by_mean, threads=1)
        ends = perfect_yatzy.maximise("yatzy", winning, watching, threads=1).value(watching)
        found.append((start, once, float(winning(spread.scores) @ spread.chances), ends))
    return found


def watched_tournament(games: int) -> list[str]:
    """What it is worth to see the other's card, from mid-game on."""
    part = 25
    with ProcessPoolExecutor(default_threads()) as pool:
        parts = pool.map(watched_games, range(0, games, part), repeat(part))
        start, once, mean, ends = np.array([game for found in parts for game in found]).T
    # The same dice for both: the chance of mean play is known at the start, only the difference is sampled.
    gain = 100 * (ends - mean)
    at_once = 100 * (once - start)
    error = [float(gains.std() / np.sqrt(games)) for gains in (at_once, gain)]
    return [
        f"| against a mean player in sight from {WATCHED} open boxes on, {games:,} games: policy solved there once, "
        f"wins more than mean play | {at_once.mean():+.2f} ± {error[0]:.2f} % |",
        f"| the same, solved anew each turn | {gain.mean():+.2f} ± {error[1]:.2f} % |",
    ]


def main() -> None:
    """Run all, print as it goes, keep the record."""
    lines: list[str] = []

    def say(text: str) -> None:
        print(text, flush=True)
        lines.append(text)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["YATZY_TABLES"] = folder
        yatzy = perfect_yatzy.open_strategy("yatzy")
        rules = yatzy.rules
        say(f"# {TODAY}, beyond the mean, perfect-yatzy {perfect_yatzy.__version__}, {default_threads()} threads\n")
        say("| what | result |\n|---|---|")
        for key, deviation in DEVIATIONS.items():
            strategy = perfect_yatzy.open_strategy(key)
            found = distribution(strategy)
            assert abs(found.standard_deviation - deviation) < 5e-5
            assert abs(found.mean - strategy.value()) < 1e-9
            seconds = median_of(lambda strategy=strategy: distribution(strategy), 3)
            say(f"| whole distribution of `{key}`, warm | {seconds:.2f} s, SD {found.standard_deviation:.4f} |")
            values = strategy.values
            seconds = median_of(lambda s=strategy, v=values: solve_objective(Variance(s.rules, v)), 3)
            say(f"| standard deviation of every state of `{key}`, warm | {seconds:.2f} s |")
        out = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
        say(
            f"| peak memory of a process that computes Yatzy's distribution | {float(out.stdout.split()[1]):.2f} GB |"
        )
        solve_objective(Goals(rules, yatzy.state(LATE)))  # compiles
        info = solve_to_store(Goals(rules))
        size = info.values * 4 / 1e9
        say(
            f"| all goals of Yatzy, solved and stored "
            f"| {info.seconds:.1f} s, {size:.2f} GB, {info.values:,} entries |"
        )
        say(f"| largest error of any of its chances (against a float64 run) | {exactness(rules):.1e} |")
        goal = perfect_yatzy.reach("yatzy", 200)
        assert abs(goal.value("") - 0.94566) < 1e-5
        queries = {
            "hold, goal, empty card": ["--goal", "240"],
            "hold, a finished opponent, empty card": ["--opponents", "239"],
            "hold, mean": [],
        }
        for name, options in queries.items():
            command = [sys.executable, "-m", "perfect_yatzy", "hold", "33456", *options]
            run = lambda command=command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
            say(f"| {name}, as a process, tables present | {median_of(run):.2f} s |")
        others = [opponent(yatzy, perfect_yatzy.parse_card(rules, LATE)), opponent(yatzy, 231)]
        seconds = median_of(
            lambda: perfect_yatzy.maximise("yatzy", WinUtility(others, "half"), LATE).holds(LATE, "33456")
        )
        say(f"| win query, eight open categories, an opponent still playing, in process | {1000 * seconds:.0f} ms |")
        games = 1_000_000
        played = perfect_yatzy.simulate(yatzy, games, seed=3)
        assert abs(played.mean - yatzy.value()) < 4 * played.standard_error
        seconds = median_of(lambda: perfect_yatzy.simulate(yatzy, games, seed=3), 5)
        say(f"| simulation, a million games for the mean | {games / seconds:,.0f} games a second |")
        reached = perfect_yatzy.simulate(goal, 100_000, seed=3).final_scores >= 200
        assert abs(reached.mean() - goal.value("")) < 0.003
        seconds = median_of(lambda: perfect_yatzy.simulate(goal, 100_000, seed=3), 1)
        say(f"| simulation, 100,000 games for a goal | {100_000 / seconds:,.0f} games a second |")
        for line in [*tournament(yatzy, games), *watched_tournament(4_000)]:
            say(line)
    RUNS.mkdir(exist_ok=True)
    (RUNS / f"{TODAY}-beyond.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
