"""Stored distributions of the final score under perfect play: from the empty card, and after every first turn.

Each is a JSON file next to the table of means. That of the empty card is one distribution. The other, named outlook,
has one for each card after a first turn, and that of the empty card, by the number of the state in the table (Yatzy:
46 cards, 0.5 MB).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from .._files import replacing
from .._version import __version__
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..model.state_space import state_space
from ..tablebase.store import table_path
from ..tablebase.table_info import DAMAGED, checked_fields, with_checksum
from .score_distribution import CategoryResult, ScoreDistribution

FORMAT = 3  # of both files
EARLY_LAYERS = 2  # whose distributions are stored: the empty card, and the cards after the first turn


def distribution_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """File of the distribution from the empty card on; it need not exist."""
    return table_path(rules, tables, "distribution").with_suffix(".json")


def first_turns_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """File of the distributions after every first turn; it need not exist."""
    return table_path(rules, tables, "outlook").with_suffix(".json")


def has_first_turns(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> bool:
    """Whether the store has the distributions after every first turn; the file may still be damaged."""
    return first_turns_path(rules, tables).is_file()


def has_stored_distribution(rules: RuleSet, start: State, tables: str | os.PathLike[str] | None = None) -> bool:
    """Whether the distribution of perfect play from a checked state on is in the store.

    That of the empty card is undamaged and of this version; the other file may turn out not to be.
    """
    if start == EMPTY_STATE:
        return read_stored(rules, start, tables) is not None
    return is_after_first_turn(start) and has_first_turns(rules, tables)


def is_after_first_turn(state: State) -> bool:
    """Whether a state is one after a first turn, without saved rolls."""
    return state.filled.bit_count() == 1 and not state.saved


def read_stored(
    rules: RuleSet, state: State, tables: str | os.PathLike[str] | None = None
) -> ScoreDistribution | None:
    """The distribution of perfect play from a checked state on, without the points before; None if it is not stored.

    A file after every first turn that is damaged or written by another version is removed.
    """
    if state == EMPTY_STATE:
        with suppress(OSError, *DAMAGED):
            return _from_entry(_fields(distribution_path(rules, tables), rules), rules)
        return None
    if not is_after_first_turn(state) or not has_first_turns(rules, tables):
        return None
    path = first_turns_path(rules, tables)
    with suppress(OSError, *DAMAGED):
        cards = _fields(path, rules)["cards"]
        return _from_entry(cards[str(state_space(rules).unchecked_index(state))], rules)
    with suppress(OSError):
        path.unlink()
    return None


def write_stored(
    rules: RuleSet, found: Mapping[int, ScoreDistribution], tables: str | os.PathLike[str] | None = None
) -> None:
    """Store the distributions by the numbers of their states: of the empty card and, if given, after first turns."""
    cards = {str(state): _entry(of_state) for state, of_state in found.items()}
    if len(cards) > 1:
        _write(first_turns_path(rules, tables), rules, {"cards": cards})
    _write(distribution_path(rules, tables), rules, cards[str(state_space(rules).unchecked_index(EMPTY_STATE))])


def _fields(path: Path, rules: RuleSet) -> dict[str, Any]:
    """The fields of a file; OSError or one of the errors DAMAGED if it cannot be used."""
    stored = checked_fields(path.read_bytes())
    if (stored["format"], stored["version"], stored["fingerprint"]) != (FORMAT, __version__, rules.fingerprint):
        raise ValueError("written by another version")
    return stored


def _write(path: Path, rules: RuleSet, fields: Mapping[str, Any]) -> None:
    """Replace a file."""
    known = {"format": FORMAT, "version": __version__, "fingerprint": rules.fingerprint}
    with replacing(path) as file:
        file.write(with_checksum({**known, **fields}))


def _entry(found: ScoreDistribution) -> dict[str, Any]:
    """A distribution as plain JSON values."""
    return {
        "lowest": int(found.scores[0]),
        "upper_bonus_chance": found.upper_bonus_chance,
        "categories": [[r.category, r.mean, r.crossed_out] for r in found.categories],
        "chances": found.chances.tolist(),
    }


def _from_entry(entry: Mapping[str, Any], rules: RuleSet) -> ScoreDistribution:
    """The distribution that :func:`_entry` wrote, or one of the errors DAMAGED."""
    return ScoreDistribution(
        np.arange(len(entry["chances"])) + entry["lowest"],
        np.array(entry["chances"]),
        entry["upper_bonus_chance"],
        tuple(CategoryResult(*result) for result in entry["categories"]),
        rules,
        "mean",
    )
