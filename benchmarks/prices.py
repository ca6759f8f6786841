"""Prices of simulated players, found again: `make bench-prices`, some minutes.

The players know what they think of boxes and of the upper bonus, and take each option with a chance
in proportion to exp(value / temperature) by their own values. All their options are valued by
:func:`perfect_yatzy.strategy.batch.all_options` on a table with their prices, which shares no code
with the fit. First the fit is asserted: its loss is that of the ratings, its derivatives are those
of finite differences. The record is written to ``benchmarks/runs/DATE-prices.md``.
"""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from perfect_yatzy import Strategy, open_strategy, rate
from perfect_yatzy.core.dice import Floats, lattice
from perfect_yatzy.core.rules import RuleSet
from perfect_yatzy.core.scoring import points_table
from perfect_yatzy.game.notation import dice_of
from perfect_yatzy.objectives.policy_quantities import BonusPoints
from perfect_yatzy.play.record import simulated_records
from perfect_yatzy.policies.levels import SoftPolicy, calibrated_level, parse_level
from perfect_yatzy.prices.fit import Prices
from perfect_yatzy.settings import Settings
from perfect_yatzy.strategy.batch import PositionArrays, all_options, check_positions
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.store import open_table

from .__main__ import RUNS, cpu_name

BOXES = {"chance": 6.0, "large-straight": -5.0}  # too much in points, by the player to be found
BONUS = 0.25  # too much, as a share
TEMPERATURE = 0.666
SIZES = [10, 20, 50]
FITS = 60
LEVELS = ["2", "4", "6"]


def priced_table(strategy: Strategy, boxes: dict[str, float], bonus: float) -> Floats:
    """The values that a player with these prices gives to all states."""
    rules, space = strategy.rules, strategy.space
    of_box = np.array([boxes.get(box.id, 0.0) for box in rules.categories])
    masks = space.layout.masks[: len(space.filled)]
    is_open = (masks[:, None] >> np.arange(len(of_box)) & 1) == 0
    ends = np.append(space.layout.offsets[1:], space.size)
    counts = space.layout.lane_count[space.layout.lane_sets]
    assert not rules.saved_rolls
    assert not space.has_tracked_rows
    assert len(ends) == len(masks)
    table = strategy.values + bonus * open_table(Settings(), BonusPoints(rules, strategy.table))[1]
    for row, start in enumerate(space.layout.offsets.tolist()):
        table[start : start + counts[row]] += is_open[row] @ of_box
    return np.asarray(table)


def soft_choice(values: Floats, temperature: float, random: np.random.Generator) -> Any:
    """One option of each row, with chances in proportion to exp(value / temperature)."""
    with np.errstate(invalid="ignore"):
        return np.argmax(values / temperature + random.gumbel(size=values.shape), axis=1)


def played_games(
    strategy: Strategy, table: Floats, temperature: float, games: int, seed: int
) -> list[dict[str, Any]]:
    """Records of games of a player with these values, for rules with neither jokers nor saved
    rolls.
    """
    rules, random = strategy.rules, np.random.default_rng(seed)
    grid, evaluator = lattice(rules.dice, rules.faces), TurnEvaluator(rules, table)
    points_of, numbers = points_table(rules), np.arange(games)
    filled, upper = np.zeros((2, games), dtype=np.int64)
    is_upper = np.array([box.upper for box in rules.categories])
    turns: list[list[dict[str, Any]]] = [[] for _ in range(games)]
    for _turn in rules.categories:
        dice = random.integers(1, rules.faces + 1, (games, rules.dice))
        for game in range(games):
            turns[game].append({"player": 0, "rolls": [sorted(dice[game].tolist())], "holds": []})
        going = np.ones(games, dtype=bool)
        for rerolls in range(rules.rolls_per_turn - 1, -1, -1):
            chosen = numbers[going]
            given = PositionArrays(filled[going], upper[going], dice[going], rerolls)
            positions = check_positions(evaluator, 0, given)
            found = all_options(evaluator, "mean", positions)
            holds, categories = found.hold_values, found.category_values
            taken = soft_choice(categories, temperature, random)
            stops = np.ones(len(chosen), dtype=bool)
            if rerolls:
                stop_value = categories.max(axis=1, keepdims=True)
                options = np.hstack([holds, stop_value])
                option = soft_choice(options, temperature, random)
                stops = option == holds.shape[1]
            for i, game in enumerate(chosen.tolist()):
                turn = turns[game][-1]
                if stops[i]:
                    box = int(taken[i])
                    counts = np.bincount(dice[game], minlength=rules.faces + 1)[1:]
                    points = int(points_of[box, int(grid.rank(counts)) - grid.first_roll])
                    turn |= {"category": rules.categories[box].id, "points": points}
                    filled[game] |= 1 << box
                    upper[game] += points * is_upper[box]
                    going[game] = False
                    continue
                held = list(dice_of(grid.counts[option[i]].tolist()))
                rolled = random.integers(1, rules.faces + 1, rules.dice - len(held)).tolist()
                dice[game] = sorted(held + rolled)
                turn["holds"].append(held)
                turn["rolls"].append(dice[game].tolist())
    head = {"schema": 2, "rules": rules.key, "players": ["simulated"]}
    return [head | {"game": i, "turns": of_game} for i, of_game in enumerate(turns)]


def prices_of(strategy: Strategy, games: list[Any], folder: Path) -> Prices:
    """The prices that `yatzy rate --prices` finds in some games."""
    path = folder / "games.jsonl"
    lines = (game if isinstance(game, str) else json.dumps(game) for game in games)
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines))
    return rate(path, strategies=lambda rules: strategy).ratings[0].prices


def parts(games: list[Any], size: int, most: int) -> Iterator[list[Any]]:
    """The first so many games of each set of the most."""
    for start in range(0, len(games), most):
        yield games[start : start + size]


def check(strategy: Strategy, games: list[Any], folder: Path) -> str:
    """The fit is right where it can be compared; the time of a fit of a hundred games."""
    path = folder / "checked.jsonl"
    path.write_text("".join(f"{json.dumps(game)}\n" for game in games))
    rating = rate(path, strategies=lambda rules: strategy).ratings[0]
    first = rating.prices  # compiles what is missing
    assert abs(first.lost - rating.points_lost.value) < 1e-9
    assert rating.find_prices is not None
    start = time.process_time()
    again = rating.find_prices()
    seconds = time.process_time() - start
    assert again == first
    return f"A fit of {len(games)} games: {seconds:.2f} s of processor time."


def truth(rules: RuleSet) -> dict[str, float]:
    """The prices of the player, compared with the median box."""
    prices = {box.id: BOXES.get(box.id, 0.0) for box in rules.categories}
    level = float(np.median([*prices.values()]))
    return {name: price - level for name, price in prices.items()} | {"bonus": BONUS}


def found_rows(
    strategy: Strategy, games: list[Any], sizes: list[int], start_bonus: float, folder: Path
) -> Iterator[str]:
    """Rows of the table of what is found of the player."""
    right = truth(strategy.rules)
    wrong = [*BOXES, "bonus"]
    for size in sizes:
        fits = [prices_of(strategy, each, folder) for each in parts(games, size, max(sizes))]
        found = [{price.name: price for price in fit.all} for fit in fits]
        covered = {
            name: np.mean([each[name].low <= right[name] <= each[name].high for each in found])
            for name in right
        }
        for name in wrong:
            unit = 100 if name == "bonus" else 1
            errors = unit * np.array([each[name].error for each in found])
            half = unit * np.median([each[name].half_width for each in found])
            shown = np.mean([each[name].significant for each in found])
            bias = (errors.mean() - unit * right[name]) * (start_bonus / 100 if unit == 100 else 1)
            yield (
                f"| {size} | {name} | {unit * right[name]:.1f} | {errors.mean():.2f} | "
                f"{errors.std(ddof=1):.2f} | {bias:+.2f} | {half:.2f} | {covered[name]:.1%} | "
                f"{shown:.0%} |"
            )
        others = [price for fit in fits for price in fit.errors if price.name not in wrong]
        of_wrong = np.mean([covered[name] for name in wrong])
        yield (
            f"| {size} | these three | | | | | | {of_wrong:.1%} | |\n"
            f"| {size} | all {len(right)} | | | | | | {np.mean([*covered.values()]):.1%} | "
            f"{len(others) / len(fits):.2f} false a fit |"
        )


def false_rows(
    strategy: Strategy, seed: int, fits: int, sizes: list[int], levels: list[str], folder: Path
) -> Iterator[str]:
    """Rows of the table of perfect players with the noise of a level."""
    for level in levels:
        noise = calibrated_level(strategy, parse_level(level)).temperature
        player = SoftPolicy(strategy, noise)
        games = [*simulated_records(player, fits * max(sizes), seed)]
        for size in sizes:
            found = [prices_of(strategy, each, folder) for each in parts(games, size, max(sizes))]
            false = [price.name for each in found for price in each.errors]
            levels = [each.level.number for each in found]
            inside = np.mean([p.low <= 0 <= p.high for each in found for p in each.all])
            yield (
                f"| {level} | {size} | {len(false) / fits:.3f} | {', '.join(sorted(set(false)))} | "
                f"{inside:.1%} | {np.mean(levels):.1f} |"
            )


def run(seed: int, fits: int, sizes: list[int], levels: list[str]) -> list[str]:
    """The lines of the record."""
    strategy = open_strategy("yatzy")
    bonus = float(open_table(Settings(), BonusPoints(strategy.rules, strategy.table))[1][-1])
    games = played_games(
        strategy, priced_table(strategy, BOXES, BONUS), TEMPERATURE, fits * max(sizes), seed
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds = check(strategy, games[:100], folder)
        return [
            f"# Prices of simulated players, {date.today()}",
            "",
            f"{cpu_name()}, Python {platform.python_version()}. "
            f"`{shlex.join(['python', '-m', 'benchmarks.prices', *sys.argv[1:]])}`. {seconds}",
            "",
            f"A player of Yatzy with chance {BOXES['chance']:+g}, large straight "
            f"{BOXES['large-straight']:+g}, bonus {BONUS:+.0%}, T {TEMPERATURE}: {fits} fits of each "
            "number of games. *Bias* is in points; that of the bonus as a share of its "
            f"{bonus:.2f} points at the start. *Shown*: fits that call it significant.",
            "",
            "| games | price | true | mean | deviation | bias | half-width | covered | shown |",
            "|---:|---|---:|---:|---:|---:|---:|---:|---|",
            *found_rows(strategy, games, sizes, bonus, folder),
            "",
            "Perfect players with the noise of a level, so without any error of prices:",
            "",
            "| level | games | false lines a fit | of | covered | level found |",
            "|---|---:|---:|---|---:|---:|",
            *false_rows(strategy, seed, fits, sizes, levels, folder),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fits", type=int, default=FITS)
    parser.add_argument("--games", type=int, nargs="+", default=SIZES, help="of a fit")
    parser.add_argument("--levels", nargs="*", default=LEVELS, help="of players without errors")
    given = parser.parse_args()
    lines = run(given.seed, given.fits, given.games, given.levels)
    path = RUNS / f"{date.today()}-prices.md"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
