"""How often the intervals of games of two players hold: `python -m benchmarks.relaxation`.

For games whose exact values are known, REPETITIONS intervals are made, each of other paths. Each
should hold for the mean of all paths in 99 of 100 cases, and so nearly always for the chances of best
play, which lie within. The table goes to the standard output.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from perfect_yatzy import RuleSet, ValueFunction, load_rules, versus
from perfect_yatzy.settings import Settings
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.two_players.relaxation import Interval, Relaxation, Sample, estimate

REPETITIONS = 40


def seven_boxes() -> RuleSet:
    """Generala without ones, twos and threes, and without bonuses of the first roll."""
    generala = load_rules("generala")
    return replace(generala, id="seven", categories=generala.categories[3:], first_roll_bonus=())


def main() -> None:
    """Print a row for each game and number of open boxes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="seven", help="seven, or a rule set that can be solved")
    parser.add_argument("--endgame", type=int, nargs="*", default=[0, 3, 4])
    parser.add_argument("--paths", type=int, default=50, help="of each interval")
    asked = parser.parse_args()
    rules = seven_boxes() if asked.game == "seven" else load_rules(asked.game)
    policy = ValueFunction(rules, solve_values(rules))
    relaxed = Relaxation.of(Settings(threads=1), policy)
    best = versus(rules).first
    # what best responses win that move second, and first
    responses = 1 - versus(rules, policy, None).first, versus(rules, None, policy).first
    law, points = relaxed.laws[0][0].astype(float), np.arange(len(relaxed.laws[0][0]))
    known = float(law @ points), float(law @ (points - law @ points) ** 2)
    for left in asked.endgame:
        begin = time.process_time()
        samples: list[list[Sample]] = [[], []]
        for seed in range(1, REPETITIONS * asked.paths + 1):
            path = relaxed.path(seed)
            for first in (False, True):
                value = relaxed.sample(path, first, left)
                sample = Sample(seed, first, left, value, relaxed.score(path), *known, "", "")
                samples[first].append(sample)
        whole = [estimate(each) for each in samples]
        parts = [slice(i, i + asked.paths) for i in range(0, len(samples[0]), asked.paths)]
        intervals = [
            Interval(asked.paths, left, (estimate(samples[0][part]), estimate(samples[1][part])))
            for part in parts
        ]
        holds = sum(
            1 - each.low >= whole[0].value and each.high >= whole[1].value for each in intervals
        )
        encloses = sum(each.low <= best <= each.high for each in intervals)
        width = np.mean([each.high - each.low for each in intervals])
        least = min(sample.value for order in samples for sample in order)
        seconds = (time.process_time() - begin) / len(samples[0])
        means = " | ".join(f"{100 * e.value:.3f} ± {100 * e.half_width:.3f}" for e in whole)
        print(
            f"| {rules.key} | {left} | {means} | {100 * responses[0]:.3f}, {100 * responses[1]:.3f} "
            f"| {100 * least:.4f} | {holds} of {REPETITIONS} | {encloses} of {REPETITIONS} "
            f"({100 * best:.3f}) | {100 * width:.2f} | {1000 * seconds:.0f} ms |",
            flush=True,
        )


if __name__ == "__main__":
    main()
