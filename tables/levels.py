"""Write the levels of computer opponents of the built-in rule sets: ``python -m tables.levels
[RULES...]``.

Each temperature is found with simulated games. The points it loses are then evaluated exactly, or
for games where that takes minutes by more simulated games, with their standard error. With names of
rule sets only their entries are written anew. Tables of means are solved into the store if they are
missing (Maxi: 3 GB).
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from perfect_yatzy.approximation.approximate_cost import rule_set_facts
from perfect_yatzy.approximation.opening import open_strategy
from perfect_yatzy.errors import RulesError
from perfect_yatzy.game.rule_loader import builtin_ids, load_rules
from perfect_yatzy.policies import levels
from perfect_yatzy.policies.levels import (
    LEVELS,
    calibrate,
    exact_operations,
    simulated_loss,
    soft_loss,
)

PATH = Path(levels.__file__).with_name("levels.toml")
EXACT_OPERATIONS = 3e9  # up to a game as large as Yatzy
GAMES = 20_000
HEAD = """\
# The levels of computer opponents (perfect_yatzy/policies/levels.py), one column a level except perfect play:
# temperatures and points lost in points, errors: standard error of the points lost, 0 where they are exact.
# Written by: python -m tables.levels
"""


def names() -> list[str]:
    """All built-in rule sets that can be solved, with every combination of their switches that
    is valid.
    """
    found = []
    for name in builtin_ids():
        switches = [switch.id for switch in load_rules(name).switches]
        for size in range(len(switches) + 1):
            for chosen in combinations(sorted(switches), size):
                try:
                    rules = load_rules("+".join((name, *chosen)))
                except RulesError:  # switches that exclude each other
                    continue
                if "too_large" not in rule_set_facts(rules):
                    found.append(rules.key)
    return found


def entry(name: str) -> str:
    """The lines of one rule set."""
    strategy = open_strategy(name)
    value = strategy.value()
    exact = "+" not in name and exact_operations(strategy) <= EXACT_OPERATIONS
    temperatures, lost, errors = [], [], []
    for level in LEVELS[:-1]:
        policy, _ = calibrate(strategy, level.share * value)
        found = soft_loss(policy) if exact else simulated_loss(policy, GAMES, seed=2)
        temperatures.append(f"{policy.temperature:.6g}")
        lost.append(f"{found.points_lost:.4f}")
        errors.append(f"{found.error:.2g}")
    return (
        f'["{name}"]\nfingerprint = "{strategy.rules.fingerprint}"\nvalue = {value:.4f}\n'
        f"temperatures = [{', '.join(temperatures)}]\npoints_lost = [{', '.join(lost)}]\n"
        f"errors = [{', '.join(errors)}]"
    )


def main(arguments: list[str]) -> None:
    """Write the file, one rule set after the other, so that an interrupted run keeps what it
    has.
    """
    text = PATH.read_text(encoding="utf-8") if PATH.exists() else HEAD
    entries = {block.split('"')[1]: block.strip() for block in text.split("\n\n")[1:]}
    for name in arguments or names():
        entries[name] = entry(name)
        blocks = [HEAD, *(entries[known] for known in names() if known in entries)]
        PATH.write_text("\n\n".join(map(str.strip, blocks)) + "\n", encoding="utf-8")
        print(entries[name], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
