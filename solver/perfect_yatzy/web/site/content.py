"""The files of one rule set in a site: rule data, values, distribution, puzzles."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from ...game.rules import RuleSet
from ...model.checked_values import Table
from ...model.objectives import BonusChance, PolicyQuantity, Variance
from ...model.state_space import state_space
from ...play.puzzle import DIFFICULTIES, daily_seed, find_puzzle
from ...service.answers import distribution_fields
from ...service.queries import QueryService
from ...service.reviews import puzzle_fields
from ...strategy.distribution import has_distribution, stored_distribution
from ...strategy.strategy import Strategy
from ...tablebase.store import has_table, open_table
from .rule_data import rule_data
from .tables import CHANCE_BITS, DEVIATION_BITS, VALUE_BITS, encoded, is_whole, page_digests, paged_fields, parts

HASH_DIGITS = 12  # of a file name
Write = Callable[[str, bytes], None]  # name of a file, its content


@dataclass(frozen=True)
class SiteOptions:
    """What a site contains."""

    puzzles: int  # puzzles of each difficulty
    first_day: date  # day of the first one
    tables: str | os.PathLike[str] | None = None
    threads: int | None = None
    report: Callable[[str], None] = field(default=lambda line: None)


class DataFiles:
    """Writes data files whose names contain a hash of their content, and remembers their sizes."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self.sizes: dict[str, int] = {}

    def add(self, name: str, data: bytes) -> dict[str, str]:
        """Write a file; what the reader must know about it."""
        digest = hashlib.sha256(data).hexdigest()
        file = f"data/{name}-{digest[:HASH_DIGITS]}.bin"
        self.write(file, data)
        self.sizes[file] = len(data)
        return {"file": file, "sha256": digest}

    def add_json(self, name: str, value: Any) -> dict[str, str]:
        """Write a JSON value, compressed."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
        return self.add(name, gzip.compress(text.encode(), 9, mtime=0))

    def add_parts(self, name: str, values: Table, dtype: np.dtype[Any]) -> dict[str, Any]:
        """Write a large table for requests of pages, and the digests of the pages."""
        files, digests = [], bytearray()
        for number, part in enumerate(parts(values, dtype), start=1):
            files.append(self.add(f"{name}-{number}", part)["file"])
            digests += page_digests(part)
        added = self.add(f"{name}-digests", gzip.compress(digests, 1, mtime=0))
        return paged_fields(len(values), dtype) | {"parts": files, "digests": added}


def data_folder(rules: RuleSet) -> str:
    """Folder of a rule set below ``data``; some hosts read a plus sign as a space."""
    return rules.key.replace("+", ".")


def rule_set_entry(service: QueryService, rules: RuleSet, files: DataFiles, options: SiteOptions) -> dict[str, Any]:
    """Write the files of a rule set; its entry in ``site.json``."""
    data = rule_data(rules)
    strategy = service.strategy(rules)
    space, key, place = state_space(rules), rules.key, data_folder(rules)
    entry: dict[str, Any] = {
        "id": rules.key,
        "name": rules.name,
        "fingerprint": rules.fingerprint,
        "data": files.add_json(f"{place}/rules", data),
    }
    if is_whole(space):
        options.report(f"{key}: table")
        fields, content = encoded(rules, np.asarray(strategy.values), VALUE_BITS)
        entry["values"] = files.add(f"{place}/values", content) | fields
    else:
        options.report(f"{key}: table in pages")
        entry["values"] = files.add_parts(f"{place}/values", strategy.table, strategy.table.dtype)
    entry |= {name: found for name, found in _other_tables(strategy, files, options) if found}
    if has_distribution(rules):
        options.report(f"{key}: distribution of the final score")
        found = stored_distribution(strategy, "", 0, options.tables, options.threads)
        fields = {"policy": "mean"} | distribution_fields(found)
        entry["distribution"] = files.add_json(f"{place}/distribution", fields)
    if options.puzzles:
        entry["puzzles"] = files.add_json(f"{place}/puzzles", _puzzles(strategy, options))
    return entry


def _other_tables(
    strategy: Strategy, files: DataFiles, options: SiteOptions
) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Standard deviations, and chances of the upper bonus: of a large game only if they are stored already."""
    rules = strategy.rules
    kinds: list[tuple[str, type[PolicyQuantity], int, Callable[[Any], Any]]] = [
        ("deviations", Variance, DEVIATION_BITS, np.sqrt)
    ]
    if rules.bonus:
        kinds.append(("bonus", BonusChance, CHANCE_BITS, np.asarray))
    for name, kind, bits, convert in kinds:
        whole = is_whole(state_space(rules))
        if not whole and not has_table(rules, options.tables, kind.name):
            continue
        options.report(f"{rules.key}: {name}")
        _, values = open_table(kind(rules, strategy.table), options.tables, threads=options.threads)
        if whole:
            fields, content = encoded(rules, convert(np.maximum(0.0, np.asarray(values))), bits)
            yield name, files.add(f"{data_folder(rules)}/{name}", content) | fields
        else:
            converted = convert(np.maximum(0.0, np.asarray(values))).astype(np.float32)
            yield name, files.add_parts(f"{data_folder(rules)}/{name}", converted, converted.dtype)


def _puzzles(strategy: Strategy, options: SiteOptions) -> dict[str, Any]:
    """The puzzles of consecutive days, of each difficulty."""
    days = [options.first_day + timedelta(days=n) for n in range(options.puzzles)]
    found: dict[str, Any] = {"first_day": options.first_day.toordinal()}
    for difficulty in DIFFICULTIES:
        options.report(f"{strategy.rules.key}: {options.puzzles} puzzles, {difficulty}")
        found[difficulty] = [puzzle_fields(find_puzzle(strategy, daily_seed(day), difficulty)) for day in days]
    return found
