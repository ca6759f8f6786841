"""Results as Arrow tables, pandas or polars data frames.

>>> import perfect_yatzy, perfect_yatzy.frames
>>> yatzy = perfect_yatzy.open_strategy("yatzy")
>>> perfect_yatzy.frames.to_pandas(yatzy.holds("", "33456"))         # doctest: +SKIP

`to_arrow` needs pyarrow (the extra ``data``), `to_pandas` pandas and `to_polars` polars.
:func:`columns` needs none of them and names the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import MissingPackage, StateError, shown
from .strategy.actions import Choice, Hold, Ranking
from .strategy.batch import BatchAnswer
from .strategy.metadata import TEXT, Ragged, arrow_table, check_pyarrow
from .strategy.positions import PositionSample
from .strategy.score_distribution import ScoreDistribution
from .strategy.simulation import Simulation

# results that know their columns
TABLES = (
    Ranking,
    BatchAnswer,
    PositionSample,
    ScoreDistribution,
    Simulation,
)
Table = Ranking[Any] | BatchAnswer | PositionSample | ScoreDistribution | Simulation
Result = Table | Sequence[Hold | Choice]


def _table(result: Result) -> Table:
    """Return a result with columns. A plain list of holds or categories becomes a ranking."""
    if isinstance(result, list) and not isinstance(result, Ranking):
        if all(isinstance(entry, Hold | Choice) for entry in result):
            return Ranking(result)
    elif isinstance(result, TABLES):
        return result
    raise StateError(
        f"{shown(result)} is not a result; must be a ranking, a batch, a distribution or games"
    )


def columns(result: Result) -> dict[str, Any]:
    """Return a result as named columns of equal length.

    Parameters
    ----------
    result
        One of:

        - a ranking of holds or categories, a slice of one, or a list of its entries: one row per
          action (:meth:`perfect_yatzy.strategy.actions.Ranking.columns`);
        - a :class:`perfect_yatzy.BatchAnswer`: one row per position;
          :class:`perfect_yatzy.BatchOptions`: one row per legal action of each position;
        - a :class:`perfect_yatzy.PositionSample`: one row per position, the columns of ``yatzy
          positions``;
        - a distribution: one row per score, ``score`` and ``chance``;
        - a :class:`perfect_yatzy.Simulation`: one row per game, the columns of ``yatzy simulate -o
          games.csv``.

        Dice to hold are ``hold``, a category ``category`` (None where dice are rerolled). A value
        is named for what it is, as in the JSON answers: ``expected_remaining`` for the mean,
        ``chance`` for a goal, ``expected_utility`` for a utility; ``value`` in a list of entries,
        which does not say.

    Returns
    -------
    dict
        Column name -> list or array.

    Raises
    ------
    StateError
        If `result` is none of these.
    """
    return {
        name: column.tolist() if isinstance(column, Ragged) else column
        for name, column in _table(result).columns().items()
    }


def to_arrow(result: Result) -> Any:
    """Return the :func:`columns` of a result as a ``pyarrow.Table``.

    The schema carries the metadata of the result: ``rules``, ``fingerprint``, ``policy``,
    ``perfect_yatzy`` (the version) and, where there is one, the seed or the question.

    Raises
    ------
    MissingPackage
        Without pyarrow.
    """
    table = _table(result)
    check_pyarrow("to_arrow")
    return arrow_table(table.columns(), table.metadata())


def to_pandas(result: Result) -> Any:
    """Return the :func:`columns` of a result as a ``pandas.DataFrame``.

    Raises
    ------
    MissingPackage
        Without pandas.
    """
    try:
        import pandas
    except ImportError as error:
        raise MissingPackage("to_pandas", "pandas") from error

    named = columns(result)
    types = {TEXT: "string"} if TEXT in named else {}
    return pandas.DataFrame(named).astype(types)


def to_polars(result: Result) -> Any:
    """Return the :func:`columns` of a result as a ``polars.DataFrame``.

    Raises
    ------
    MissingPackage
        Without polars.
    """
    try:
        import polars
    except ImportError as error:
        raise MissingPackage("to_polars", "polars") from error

    named = columns(result)
    types = {TEXT: polars.String} if TEXT in named else {}
    return polars.DataFrame(named, schema_overrides=types)
