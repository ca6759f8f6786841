"""Write the small files of this folder from solved tables: `make tables`.

`checksums.json` and the strategy tables are kept in git and compared by a test; the binary tables are not.
"""

from __future__ import annotations

import json
from pathlib import Path

from solver import open_strategy
from solver.advice import Strategy
from solver.views.sheets import SHEETS, comma_separated, markdown

HERE = Path(__file__).resolve().parent
GAMES = [
    "yatzy",
    "yatzy+five-is-full-house",
    "yatzy+four-is-two-pairs",
    "yatzy+five-is-full-house+four-is-two-pairs",
    "yatzy-forced",
    "yatzy-forced+threshold-63",
    "yatzy-online-5",
    "yahtzee",
    "yahtzee-free-joker",
    "yahtzee-no-joker",
    "yahtzee-plain",
    "kniffel",
    "yacht",
    "generala",
    "cheerio",
    "maxi-forced",
]
SHEETS_OF = ["yatzy"]


def checksum(strategy: Strategy) -> dict[str, object]:
    """What identifies a solved table, whoever solves it."""
    info = strategy.info
    return {
        "fingerprint": info.fingerprint,
        "value": f"{info.start_value:.10f}",
        "values": info.values,
        "states": strategy.space.reachable(),
        "sha256": info.sha256,
    }


def contents() -> dict[str, str]:
    """Every generated file of this folder, by name."""
    strategies = {key: open_strategy(key) for key in GAMES}
    sums = {key: checksum(strategy) for key, strategy in strategies.items()}
    files = {"checksums.json": json.dumps(sums, indent=1) + "\n"}
    for key in SHEETS_OF:
        for what, make in SHEETS.items():
            sheet = make(strategies[key])
            files[f"{key}-{what}.md"] = markdown(sheet)
            files[f"{key}-{what}.csv"] = comma_separated(sheet)
    return files


def main() -> None:
    """Write the files."""
    for name, text in contents().items():
        (HERE / name).write_text(text, encoding="utf-8")
        print(f"tables/{name}")


if __name__ == "__main__":
    main()
