"""How often the intervals of games of two players hold: `python -m benchmarks.relaxation`.

For games whose exact values are known, 40 intervals are made, each of other paths. Each should hold
for the mean of all paths in 99 of 100 cases, and so nearly always for the chances of best play, which
lie within. So few intervals tell 99 of 100 from 90 of 100, but not from 97: the same is counted for
RESAMPLED intervals of paths that are drawn from all of them. The table goes to the standard output.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from perfect_yatzy import RuleSet, ValueFunction, load_rules, versus
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.confidence import Estimate
from perfect_yatzy.tablebase.in_memory import solve_values
from perfect_yatzy.two_players.relaxation import Interval, Relaxation, Sample, estimate

RESAMPLED = 4_000  # intervals


def seven_boxes() -> RuleSet:
    """Generala without ones, twos and threes, and without bonuses of the first roll."""
    generala = load_rules("generala")
    return replace(generala, id="seven", categories=generala.categories[3:], first_roll_bonus=())


def holds(interval: Interval, whole: list[Estimate]) -> bool:
    """Whether both ends are right for the means of all paths."""
    return 1 - interval.low >= whole[0].value and interval.high >= whole[1].value


def interval_of(samples: list[list[Sample]], chosen: Sequence[int], left: int) -> Interval:
    """The interval of some of the paths."""
    second, first = ([of_order[i] for i in chosen] for of_order in samples)
    return Interval(len(chosen), left, (estimate(second), estimate(first)))


def main() -> None:
    """Print a row for each game and number of open boxes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="seven", help="seven, or a rule set that can be solved")
    parser.add_argument("--endgame", type=int, nargs="*", default=[0, 3, 4])
    parser.add_argument("--paths", type=int, default=50, help="of each interval")
    parser.add_argument("--intervals", type=int, default=40)
    asked = parser.parse_args()
    rules = seven_boxes() if asked.game == "seven" else load_rules(asked.game)
    policy = ValueFunction(rules, solve_values(rules))
    relaxed = Relaxation.of(Settings(threads=1), policy)
    best = versus(rules).first
    # what best responses win that move second, and first
    responses = 1 - versus(rules, policy, None).first, versus(rules, None, policy).first
    law, points = (
        relaxed.distributions[0][0].astype(float),
        np.arange(len(relaxed.distributions[0][0])),
    )
    known = float(law @ points), float(law @ (points - law @ points) ** 2)
    for left in asked.endgame:
        begin = time.process_time()
        samples: list[list[Sample]] = [[], []]
        for seed in range(1, asked.intervals * asked.paths + 1):
            path = relaxed.path(seed)
            for first in (False, True):
                value = relaxed.sample(path, first, left)
                sample = Sample(seed, first, left, value, relaxed.score(path), *known, "", "")
                samples[first].append(sample)
        whole = [estimate(each) for each in samples]
        numbers = range(len(samples[0]))
        intervals = [
            interval_of(samples, numbers[i : i + asked.paths], left)
            for i in numbers[:: asked.paths]
        ]
        held = sum(holds(each, whole) for each in intervals)
        encloses = sum(each.low <= best <= each.high for each in intervals)
        width = np.mean([each.high - each.low for each in intervals])
        least = min(sample.value for order in samples for sample in order)
        seconds = (time.process_time() - begin) / len(samples[0])
        drawn = np.random.default_rng(1).integers(len(numbers), size=(RESAMPLED, asked.paths))
        resampled = np.mean(
            [holds(interval_of(samples, paths.tolist(), left), whole) for paths in drawn]
        )
        means = " | ".join(f"{100 * e.value:.3f} ± {100 * e.half_width:.3f}" for e in whole)
        print(
            f"| {rules.key} | {left} | {means} | {100 * responses[0]:.3f}, {100 * responses[1]:.3f} "
            f"| {100 * least:.4f} | {held} of {asked.intervals} | {100 * resampled:.1f} % "
            f"| {encloses} of {asked.intervals} ({100 * best:.3f}) | {100 * width:.2f} | {1000 * seconds:.0f} ms |",
            flush=True,
        )


if __name__ == "__main__":
    main()
