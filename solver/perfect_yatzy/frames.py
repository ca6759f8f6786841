"""Results as Arrow tables, pandas or polars data frames.

>>> import perfect_yatzy, perfect_yatzy.frames
>>> yatzy = perfect_yatzy.open_strategy("yatzy")
>>> perfect_yatzy.frames.to_pandas(yatzy.holds("", "33456"))         # doctest: +SKIP

`to_arrow` needs pyarrow (the extra ``data``), `to_pandas` pandas and `to_polars` polars. :func:`columns` needs none
of them and names the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .errors import MissingPackage, StateError, shown
from .game.notation import dice_of
from .strategy.actions import Choice, Hold
from .strategy.batch import BatchAnswer
from .strategy.score_distribution import DiscreteDistribution
from .strategy.simulation import Simulation

Result = Sequence[Hold] | Sequence[Choice] | BatchAnswer | DiscreteDistribution | Simulation
NULLABLE_TEXT = "category"  # None where dice are rerolled; a text column even if every entry is None


def columns(result: Result) -> dict[str, Any]:
    """A result as named columns of equal length.

    Parameters
    ----------
    result
        One of:

        - a ranking of holds or categories, or a slice of one: one row per action, with the fields of
          :class:`perfect_yatzy.Hold` or :class:`perfect_yatzy.Choice`;
        - a :class:`perfect_yatzy.BatchAnswer`: one row per position, ``dice`` (those to hold, ascending),
          ``category`` (id) and ``value``;
        - a distribution: one row per score, ``score`` and ``chance``;
        - a :class:`perfect_yatzy.Simulation`: one row per game, the columns of
          :meth:`perfect_yatzy.Simulation.columns`, which are those of ``yatzy simulate -o games.csv``.

    Returns
    -------
    dict
        Column name -> list or array. `category` is None where dice are rerolled.

    Raises
    ------
    StateError
        If `result` is none of these.
    """
    if isinstance(result, DiscreteDistribution):
        return {"score": result.scores, "chance": result.chances}
    if isinstance(result, Simulation):
        return result.columns()
    if isinstance(result, BatchAnswer):
        return {
            "dice": [list(dice_of(held)) for held in result.held.tolist()],
            "category": [result.categories[c] if c >= 0 else None for c in result.category.tolist()],
            "value": result.value,
        }
    if not isinstance(result, Sequence) or not all(isinstance(entry, Hold | Choice) for entry in result):
        raise StateError(f"{shown(result)} is not a result; must be a ranking, a batch, a distribution or games")
    rows = [asdict(entry) for entry in result]
    names = rows[0] if rows else {}
    return {name: [list(row[name]) if name == "dice" else row[name] for row in rows] for name in names}


def to_arrow(result: Result) -> Any:
    """The :func:`columns` of a result as a ``pyarrow.Table``.

    The schema of simulated games carries their metadata (:meth:`perfect_yatzy.Simulation.metadata`).

    Raises
    ------
    MissingPackage
        Without pyarrow.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPackage("to_arrow", "pyarrow", extra="data") from error

    types = {NULLABLE_TEXT: pyarrow.string()}
    arrays = {name: pyarrow.array(column, type=types.get(name)) for name, column in columns(result).items()}
    return pyarrow.table(arrays, metadata=result.metadata() if isinstance(result, Simulation) else None)


def to_pandas(result: Result) -> Any:
    """The :func:`columns` of a result as a ``pandas.DataFrame``; MissingPackage without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise MissingPackage("to_pandas", "pandas") from error

    found = columns(result)
    return pandas.DataFrame(found).astype({NULLABLE_TEXT: "string"} if NULLABLE_TEXT in found else {})


def to_polars(result: Result) -> Any:
    """The :func:`columns` of a result as a ``polars.DataFrame``; MissingPackage without polars."""
    try:
        import polars
    except ImportError as error:
        raise MissingPackage("to_polars", "polars") from error

    found = columns(result)
    return polars.DataFrame(found, schema_overrides={NULLABLE_TEXT: polars.String} if NULLABLE_TEXT in found else {})
