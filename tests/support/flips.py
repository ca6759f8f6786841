"""Single flipped bits in the files of a table: an answer is the right one or is refused."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from perfect_yatzy.errors import TableError
from perfect_yatzy.game.scorecard import State
from perfect_yatzy.model.objectives import Objective
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.strategy.turn_evaluator import TurnEvaluator
from perfect_yatzy.tablebase.store import solve_to_store, table_path
from perfect_yatzy.tablebase.table_file import HEADER_BYTES, read_table

from support.tally import Tally


def flip(path: Path, bit: int) -> None:
    """Flip a bit of a file in place; the second time restores it."""
    with open(path, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0] ^ 1 << bit % 8
        file.seek(bit // 8)
        file.write(bytes([byte]))


def flip_whole_files(tally: Tally, folder: Path, objective: Objective, flips: int, chosen: random.Random) -> None:
    """Flips in a table that is hashed whole when it is opened: the header, the values, the digests, the sidecar."""
    solve_to_store(objective, folder, threads=1)
    path = table_path(objective.rules, folder, objective.name)
    whole = np.asarray(read_table(path, objective)[1])

    def opened(case: str) -> None:
        info, values = read_table(path, objective)
        tally.expect(case, np.array_equal(np.asarray(values), whole), "other values")
        tally.expect(case, info.start_value == objective.headline(whole), "another value at the start")

    for file, bit in positions(path, flips, chosen):
        case = f"bit {bit} of {file.name}"
        flip(file, bit)
        tally.run(case, lambda case=case: opened(case), TableError)  # type: ignore[misc]
        flip(file, bit)


def flip_blocks(tally: Tally, folder: Path, objective: Objective, flips: int, chosen: random.Random) -> None:
    """Flips in a table that is hashed by blocks: turns of random cards, and the damaged value itself."""
    rules = objective.rules
    solve_to_store(objective, folder, threads=1)
    path = table_path(rules, folder, objective.name)
    info, table = read_table(path, objective, hashed=False)
    whole = np.array(np.asarray(table))
    cards = [State(chosen.randrange(rules.full_mask)) for _ in range(20)]
    right = [Strategy(rules, info, TurnEvaluator(rules, whole)).evaluator.turn_value(card) for card in cards]

    def asked(case: str, bit: int) -> None:
        values = read_table(path, objective, hashed=False)[1]
        number = chosen.randrange(len(cards))
        found = TurnEvaluator(rules, values).turn_value(cards[number])
        tally.expect(case, found == right[number], f"{found} instead of {right[number]}")
        place = min(max(bit // 8 - HEADER_BYTES, 0) // whole.itemsize, len(whole) - 1)
        tally.expect(case, values[place] == whole[place], f"{values[place]} instead of {whole[place]}")

    for file, bit in positions(path, flips, chosen):
        case = f"bit {bit} of {file.name}"
        flip(file, bit)
        tally.run(case, lambda case=case, bit=bit: asked(case, bit), TableError)  # type: ignore[misc]
        flip(file, bit)


def positions(path: Path, flips: int, chosen: random.Random) -> list[tuple[Path, int]]:
    """Bits to flip: a quarter in the header, a quarter in the sidecar, the others anywhere in the `.npy` file."""
    sidecar = path.with_suffix(".json")
    header = [(path, chosen.randrange(HEADER_BYTES * 8)) for _ in range(flips // 4)]
    beside = [(sidecar, chosen.randrange(sidecar.stat().st_size * 8)) for _ in range(flips // 4)]
    rest = flips - len(header) - len(beside)
    return [*header, *beside, *((path, chosen.randrange(path.stat().st_size * 8)) for _ in range(rest))]
