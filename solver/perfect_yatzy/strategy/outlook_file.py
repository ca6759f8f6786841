"""Stored distributions of the final score: of the empty card, and the outlook, those after every first turn.

The outlook is one JSON file next to the table of means (Yatzy: 46 cards, 0.5 MB), with an entry for each card by the
number of its state in the table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from .._version import __version__
from ..game.rules import RuleSet
from ..game.scorecard import State
from ..tablebase.store import table_path
from ..tablebase.table_info import DAMAGED, checked_fields, with_checksum
from .score_distribution import CategoryResult, ScoreDistribution

if TYPE_CHECKING:
    from .strategy import Strategy

FORMAT = 1  # of an outlook


def file_header(rules: RuleSet, format_number: int) -> dict[str, Any]:
    """The fields that say what a stored distribution is of."""
    return {"format": format_number, "version": __version__, "fingerprint": rules.fingerprint}


def distribution_entry(found: ScoreDistribution) -> dict[str, Any]:
    """A distribution as plain JSON values."""
    return {
        "lowest": int(found.scores[0]),
        "upper_bonus_chance": found.upper_bonus_chance,
        "categories": [[r.category, r.mean, r.crossed_out] for r in found.categories],
        "chances": found.chances.tolist(),
    }


def read_distribution(entry: Mapping[str, Any], strategy: Strategy) -> ScoreDistribution:
    """The distribution that :func:`distribution_entry` wrote, or one of the errors DAMAGED."""
    return ScoreDistribution(
        np.arange(len(entry["chances"])) + entry["lowest"],
        np.array(entry["chances"]),
        entry["upper_bonus_chance"],
        tuple(CategoryResult(*result) for result in entry["categories"]),
        strategy.rules,
        strategy.policy,
    )


def outlook_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """File of the outlook; it need not exist."""
    return table_path(rules, tables, "outlook").with_suffix(".json")


def has_outlook(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> bool:
    """Whether the store has an outlook; it may still turn out to be damaged when it is read."""
    return outlook_path(rules, tables).is_file()


def read_outlook(
    strategy: Strategy, state: State, tables: str | os.PathLike[str] | None = None
) -> ScoreDistribution | None:
    """The distribution of the points to come from a checked state on; None if it is not stored.

    A file that is damaged or written by another version is removed.
    """
    path = outlook_path(strategy.rules, tables)
    try:
        stored = checked_fields(path.read_bytes())
        if file_header(strategy.rules, FORMAT).items() <= stored.items():
            return read_distribution(stored["cards"][str(strategy.space.unchecked_index(state))], strategy)
    except FileNotFoundError:
        return None
    except (OSError, *DAMAGED):
        pass
    with suppress(OSError):
        path.unlink()
    return None


def write_outlook(
    rules: RuleSet, found: Mapping[int, ScoreDistribution], tables: str | os.PathLike[str] | None = None
) -> None:
    """Store distributions of the points to come by the numbers of their states, unless the disk refuses."""
    cards = {str(state): distribution_entry(of_state) for state, of_state in found.items()}
    with suppress(OSError), replacing(outlook_path(rules, tables)) as file:
        file.write(with_checksum({**file_header(rules, FORMAT), "cards": cards}))
