"""Time distributions, goals, win chances and simulations: `make bench-beyond`, a quarter of an
hour.

Two tournaments also measure how many more games the policy that maximises the win chance wins.
Answers are checked before times are taken. The record is written to
``benchmarks/runs/DATE-beyond.md``.
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
from functools import partial
from itertools import repeat
from pathlib import Path

import numpy as np
import perfect_yatzy
from perfect_yatzy.core.backward_induction import solve_layers, solve_objective
from perfect_yatzy.core.resources import default_threads
from perfect_yatzy.game.scorecard import Scorecard
from perfect_yatzy.objectives.policy_quantities import Variance
from perfect_yatzy.objectives.scores import Goals
from perfect_yatzy.play.puzzle import play_turn
from perfect_yatzy.play.record import RecordedTurn, card_after
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.distribution import distribution, opponent
from perfect_yatzy.strategy.score_distribution import WinUtility
from perfect_yatzy.tablebase.store import solve_to_store

RUNS = Path(__file__).resolve().parent / "runs"
TODAY = date.today().isoformat()
SEEN_BOXES = 8  # open boxes from which on the policy takes the opponent's card into account
LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
STANDARD_DEVIATIONS = {"yatzy": 38.4964, "yahtzee": 59.6076, "yahtzee-plain": 39.8201}

PEAK = """
import resource, sys, time, perfect_yatzy
strategy = perfect_yatzy.open_strategy("yatzy")
perfect_yatzy.distribution(strategy)
start = time.perf_counter()
found = perfect_yatzy.distribution(strategy)
assert abs(found.mean - strategy.value()) < 1e-9
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def median_of(action: Callable[[], object], times: int = 5) -> float:
    """Median seconds of an action, after one call to warm up."""
    action()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def float32_error(rules: perfect_yatzy.RuleSet) -> float:
    """Largest difference of any chance in the table of goals between float32 and float64
    arithmetic.
    """
    goals64 = Goals(rules)
    goals64.compute = np.dtype(np.float64)
    largest = 0.0
    for layer32, layer64 in zip(solve_layers(Goals(rules)), solve_layers(goals64), strict=True):
        difference = np.abs(layer32.values - layer64.values)
        difference[difference == 1.0] = (
            0.0  # frames are one vector wide, and float64 vectors are shorter
        )
        largest = max(largest, float(difference.max()))
    return largest


def tournament(yatzy: perfect_yatzy.Strategy, games: int) -> list[str]:
    """Whole games of the policy that maximises the win chance, against a mean player whose card
    it does not see.
    """
    rival = opponent(Settings(), yatzy, perfect_yatzy.parse_card(yatzy.rules, ""))
    win_utility = WinUtility([rival], "half")
    start = time.perf_counter()
    policy = perfect_yatzy.maximise("yatzy", win_utility)
    seconds = time.perf_counter() - start
    rival_scores = perfect_yatzy.simulate(yatzy, games, seed=1).final_scores
    lines = [f"| win chance against an unseen mean player, whole game solved | {seconds:.1f} s |"]
    for name, strategy in (("mean", yatzy), ("win chance", policy)):
        scores = perfect_yatzy.simulate(strategy, games, seed=2).final_scores
        won = np.mean((scores > rival_scores) + 0.5 * (scores == rival_scores))
        error = 0.5 / np.sqrt(games)
        exact = win_utility(np.arange(400)) @ np.bincount(scores, minlength=400)[:400] / games
        lines.append(
            f"| policy for the {name} against the policy for the mean, {games:,} games, ties half "
            f"| {100 * won:.2f} ± {100 * error:.2f} % won ({100 * exact:.2f} % against the exact distribution) |"
        )
    lines.append(f"| exact win chance of the policy for it | {100 * policy.value(''):.3f} % |")
    return lines


def visible_opponent_games(first: int, number: int) -> list[tuple[float, float, float, float]]:
    """Games against a mean player whose card is seen in the last turns.

    For each game four win chances (ties count half). When the opponent's card is first seen: of
    mean play, and of the policy that maximises the win chance from there on without looking again.
    With one box left, on the same dice: after mean play, and after play by a policy that is solved
    again each turn.
    """
    yatzy = perfect_yatzy.open_strategy("yatzy")

    def utility(rival: Scorecard) -> WinUtility:
        return WinUtility([opponent(Settings(threads=1), yatzy, rival)], "half")

    def of_mean_play(card: Scorecard, rival: Scorecard) -> float:
        found = distribution(yatzy, card, threads=1)
        return float(utility(rival)(found.scores) @ found.chances)

    def policy(card: Scorecard, rival: Scorecard) -> perfect_yatzy.ScoreStrategy:
        return perfect_yatzy.maximise("yatzy", utility(rival), card, threads=1)

    def mean_play(seed: int, game: int) -> list[RecordedTurn]:
        card, turns = Scorecard(yatzy.rules), []
        for number in range(len(yatzy.rules.categories)):
            turns.append(play_turn(yatzy, card, seed, game, number))
            card = card_after(card, turns[-1])
        return turns

    chances = []
    for game in range(first, first + number):
        turns, rival_turns = mean_play(1, game), mean_play(2, game)
        card, rival = Scorecard(yatzy.rules), Scorecard(yatzy.rules)
        for turn in range(len(turns) - SEEN_BOXES):
            card, rival = card_after(card, turns[turn]), card_after(rival, rival_turns[turn])
        mean_at_start, policy_at_start = of_mean_play(card, rival), policy(card, rival).value(card)
        mean_card, policy_card = card, card
        for turn in range(len(turns) - SEEN_BOXES, len(turns) - 1):
            played = play_turn(policy(policy_card, rival), policy_card, 1, game, turn)
            mean_card, policy_card = (
                card_after(mean_card, turns[turn]),
                card_after(policy_card, played),
            )
            rival = card_after(rival, rival_turns[turn])
        mean_at_end, policy_at_end = (
            of_mean_play(mean_card, rival),
            policy(policy_card, rival).value(policy_card),
        )
        chances.append((mean_at_start, policy_at_start, mean_at_end, policy_at_end))
    return chances


def visible_opponent_tournament(games: int) -> list[str]:
    """How much the win chance grows if the opponent's card is seen in the last turns."""
    part = 25
    with ProcessPoolExecutor(default_threads()) as pool:
        parts = pool.map(visible_opponent_games, range(0, games, part), repeat(part))
        mean_at_start, policy_at_start, mean_at_end, policy_at_end = np.array(
            [g for p in parts for g in p]
        ).T
    # Both use the same dice: only the difference of the two policies is sampled.
    gains = {
        "policy solved when it is first seen": 100 * (policy_at_start - mean_at_start),
        "policy solved again each turn": 100 * (policy_at_end - mean_at_end),
    }
    return [
        f"| gain in win chance over mean play against a mean player whose card is seen from {SEEN_BOXES} open boxes "
        f"on, {games:,} games, {name} | {gain.mean():+.2f} ± {gain.std() / np.sqrt(games):.2f} % |"
        for name, gain in gains.items()
    ]


def main() -> None:
    """Run all benchmarks, print each result and write the record."""
    lines: list[str] = []

    def say(text: str) -> None:
        print(text, flush=True)
        lines.append(text)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["YATZY_TABLES"] = folder
        yatzy = perfect_yatzy.open_strategy("yatzy")
        rules = yatzy.rules
        say(
            f"# {TODAY}, beyond the mean, perfect-yatzy {perfect_yatzy.__version__}, {default_threads()} threads\n"
        )
        say("| measurement | result |\n|---|---|")
        for key, deviation in STANDARD_DEVIATIONS.items():
            strategy = perfect_yatzy.open_strategy(key)
            found = distribution(strategy)
            assert abs(found.standard_deviation - deviation) < 5e-5
            assert abs(found.mean - strategy.value()) < 1e-9
            seconds = median_of(lambda strategy=strategy: distribution(strategy), 3)
            say(
                f"| whole distribution of `{key}`, warm | {seconds:.2f} s, SD {found.standard_deviation:.4f} |"
            )
            values = strategy.values
            seconds = median_of(
                lambda s=strategy, v=values: solve_objective(Variance(s.rules, v)), 3
            )
            say(f"| standard deviation of every state of `{key}`, warm | {seconds:.2f} s |")
        out = subprocess.run(
            [sys.executable, "-c", PEAK], capture_output=True, text=True, check=True
        )
        say(
            f"| peak memory of a process that computes Yatzy's distribution | {float(out.stdout.split()[1]):.2f} GB |"
        )
        solve_objective(Goals(rules, yatzy.state(LATE)))  # compiles
        info = solve_to_store(Settings(), Goals(rules))
        size = info.values * 4 / 1e9
        say(
            f"| all goals of Yatzy, solved and stored "
            f"| {info.seconds:.1f} s, {size:.2f} GB, {info.values:,} entries |"
        )
        say(
            f"| largest error of any of its chances (against a float64 run) | {float32_error(rules):.1e} |"
        )
        goal = perfect_yatzy.reach("yatzy", 200)
        assert abs(goal.value("") - 0.94566) < 1e-5
        queries = {
            "hold, goal, empty card": ["--goal", "240"],
            "hold, a finished opponent, empty card": ["--opponent", "239"],
            "hold, mean": [],
        }
        for name, options in queries.items():
            command = [sys.executable, "-m", "perfect_yatzy", "hold", "33456", *options]
            run = partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
            say(f"| {name}, as a process, tables present | {median_of(run):.2f} s |")
        others = [
            opponent(Settings(), yatzy, perfect_yatzy.parse_card(rules, LATE)),
            opponent(Settings(), yatzy, 231),
        ]
        seconds = median_of(
            lambda: perfect_yatzy.maximise("yatzy", WinUtility(others, "half"), LATE).holds(
                LATE, "33456"
            )
        )
        say(
            f"| win query, eight open categories, an opponent still playing, in process | {1000 * seconds:.0f} ms |"
        )
        games = 1_000_000
        played = perfect_yatzy.simulate(yatzy, games, seed=3)
        assert abs(played.mean - yatzy.value()) < 4 * played.standard_error
        seconds = median_of(lambda: perfect_yatzy.simulate(yatzy, games, seed=3), 5)
        say(
            f"| simulation, a million games for the mean | {games / seconds:,.0f} games per second |"
        )
        reached = perfect_yatzy.simulate(goal, 100_000, seed=3).final_scores >= 200
        assert abs(reached.mean() - goal.value("")) < 0.003
        seconds = median_of(lambda: perfect_yatzy.simulate(goal, 100_000, seed=3), 1)
        say(f"| simulation, 100,000 games for a goal | {100_000 / seconds:,.0f} games per second |")
        for line in [*tournament(yatzy, games), *visible_opponent_tournament(4_000)]:
            say(line)
    RUNS.mkdir(exist_ok=True)
    (RUNS / f"{TODAY}-beyond.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
