"""Write the small files of this folder, and the table of solved games in its README: `make
tables`.

With names of rule sets (``python -m tables.build crag yams``) only their entries are rewritten.

`checksums.json` and the strategy tables are kept in git, and a test compares them; the binary
tables are not. Games without a table are solved first: five minutes and 5 GB of disk for all of
them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from perfect_yatzy import open_strategy
from perfect_yatzy.cli.views.strategy_tables import STRATEGY_TABLES, comma_separated, markdown
from perfect_yatzy.core.table_info import TableInfo
from perfect_yatzy.strategy.strategy import Strategy
from perfect_yatzy.tablebase.state_counts import count_states

HERE = Path(__file__).resolve().parent
QUICK = [  # a test solves these again
    "yatzy",
    "yatzy+five-is-full-house",
    "yatzy+four-is-two-pairs",
    "yatzy+five-is-full-house+four-is-two-pairs",
    "yatzy-forced",
    "yatzy-forced+threshold-63",
    "yatzy+bonus-35",
    "yatzy+threshold-42",
    "yatzy+threshold-75",
    "yatzy+threshold-84",
    "yatzy+strike-only-if-nothing-fits",
    "yatzy+upper-first",
    "yatzy+four-rolls",
    "yatzy-online-5",
    "yatzy-online-5+first-roll-points",
    "yahtzee",
    "yahtzee-free-joker",
    "yahtzee-no-joker",
    "yahtzee-plain",
    "yahtzee+no-upper-bonus",
    "kniffel",
    "kniffel+free-striking",
    "kniffel+championship",
    "kniffel+travel-edition",
    "kniffel+travel-edition-any-entry",
    "kismet",
    "balut",
    "crag",
    "yams",
    "yacht",
    "yacht-51",
    "generala",
    "generala+generala-60",
    "generala+first-roll-10",
    "generala+double",
    "cheerio",
    "maxi-forced",
    "giant-forced",
    "giant-forced+six-rolls",
]
BIG = [
    "yatzy-saved",
    "family-yatzy",
    "yatzy-online-6",
    "yatzy-online-6+full-house-five-dice",
    "maxi-tactic",
    "maxi-unsaved",
    "maxi-unsaved+full-straight-30",
    "maxi",
]
SHEETS_OF = ["yatzy"]
START, END = "<!-- solved games: make tables -->", "<!-- end of solved games -->"


def checksum(strategy: Strategy) -> dict[str, object]:
    """What identifies a solved table on every machine: the entry of `checksums.json`."""
    info = strategy.info
    return {
        "fingerprint": info.fingerprint,
        "value": f"{info.start_value:.10f}",
        "values": info.values,
        "states": count_states(strategy.rules).states,
        "dtype": info.dtype,
        "error": info.rounding,
        "sha256": info.sha256,
    }


def sheets(strategies: dict[str, Strategy]) -> dict[str, str]:
    """The readable strategy tables, by file name."""
    files = {}
    for key in (key for key in SHEETS_OF if key in strategies):
        for what, make in STRATEGY_TABLES.items():
            sheet = make(strategies[key])
            files[f"{key}-{what}.md"] = markdown(sheet)
            files[f"{key}-{what}.csv"] = comma_separated(sheet)
    return files


def size_text(info: TableInfo) -> str:
    """Size of a table with a unit, such as 7.67 MB."""
    size: float = info.values * (8 if info.dtype == "float64" else 4)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def games_table(strategies: dict[str, Strategy], before: str) -> str:
    """The table of all solved games in the README of this folder; other games keep the line they
    had `before`.
    """
    lines = [
        "| rules | expected final score | states | solved in | table | error of a value | SHA-256 |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    rows = before.split(START)[1].split(END)[0]
    kept = dict(re.findall(r"^(?=\| `([a-z0-9+-]+)`)(\|.*\|)$", rows, re.MULTILINE))
    for key in QUICK + BIG:
        if key not in strategies:
            lines.append(kept[key])
            continue
        strategy = strategies[key]
        info = strategy.info
        error = f"{info.rounding:.1e}" if info.rounding else "< 1e-9"
        lines.append(
            f"| `{key}` | {info.start_value:.10f} | {count_states(strategy.rules).states:,} | {info.seconds:.2f} s "
            f"| {size_text(info)} | {error} | `{info.sha256[:12]}` |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Open or solve all games, or the given ones, and write the files."""
    known = json.loads((HERE / "checksums.json").read_text(encoding="utf-8"))
    strategies = {}
    for key in arguments or QUICK + BIG:
        print(key, flush=True)
        strategies[key] = open_strategy(key)
        known[key] = checksum(strategies[key])
    sums = {key: known[key] for key in QUICK + BIG}
    files = {"checksums.json": json.dumps(sums, indent=1) + "\n"} | sheets(strategies)
    for name, text in files.items():
        (HERE / name).write_text(text, encoding="utf-8")
        print(f"tables/{name}")
    readme = HERE / "README.md"
    replace_between_marks(readme, games_table(strategies, readme.read_text(encoding="utf-8")))


def replace_between_marks(readme: Path, table: str) -> None:
    """Replace the table of solved games in a README."""
    before, rest = readme.read_text(encoding="utf-8").split(START)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{START}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
