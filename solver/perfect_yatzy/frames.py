"""Results as tables of other libraries (extra `data`, or whichever of them is there): Arrow, pandas, polars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .errors import StateError, shown
from .game.notation import dice_of
from .strategy.actions import Choice, Hold
from .strategy.batch import BatchAnswer
from .strategy.distribution import DiscreteDistribution
from .strategy.simulation import Simulation

Result = Sequence[Hold] | Sequence[Choice] | BatchAnswer | DiscreteDistribution | Simulation
MAY_BE_MISSING = "category"  # where dice are rerolled; its column is one of texts even if no row has one


def columns(result: Result) -> dict[str, Any]:
    """A result as named columns of equal length.

    Parameters
    ----------
    result
        A ranking or a part of one (a row for each action), the answer to a batch (a row for each position), a
        distribution (a row for each score) or simulated games (a row each; -1 in a box filled before the start).

    Returns
    -------
    dict
        Name -> list or array. `category` is None where dice are rerolled.

    Raises
    ------
    StateError
        If it is none of these.
    """
    if isinstance(result, DiscreteDistribution):
        return {"score": result.scores, "chance": result.chances}
    if isinstance(result, Simulation):
        boxes = {name: result.boxes[:, c] for c, name in enumerate(result.categories)}
        return {"final_score": result.totals, "upper_bonus": result.bonus, **boxes}
    if isinstance(result, BatchAnswer):
        return {
            "dice": [list(dice_of(held)) for held in result.held.tolist()],
            "category": [result.categories[c] if c >= 0 else None for c in result.category.tolist()],
            "value": result.value,
        }
    if not isinstance(result, Sequence) or not all(isinstance(entry, Hold | Choice) for entry in result):
        raise StateError(f"{shown(result)} is no result; must be a ranking, a batch, a distribution or games")
    rows = [asdict(entry) for entry in result]
    names = rows[0] if rows else {}
    return {name: [list(row[name]) if name == "dice" else row[name] for row in rows] for name in names}


def to_arrow(result: Result) -> Any:
    """A ``pyarrow.Table``."""
    import pyarrow

    texts = {MAY_BE_MISSING: pyarrow.string()}
    return pyarrow.table({name: pyarrow.array(of, type=texts.get(name)) for name, of in columns(result).items()})


def to_pandas(result: Result) -> Any:
    """A ``pandas.DataFrame``."""
    import pandas

    found = columns(result)
    return pandas.DataFrame(found).astype({MAY_BE_MISSING: "string"} if MAY_BE_MISSING in found else {})


def to_polars(result: Result) -> Any:
    """A ``polars.DataFrame``."""
    import polars

    found = columns(result)
    return polars.DataFrame(
        found, schema_overrides={MAY_BE_MISSING: polars.String} if MAY_BE_MISSING in found else {}
    )
