"""Results as tables of other libraries (extra `data`, or whichever of them is there): Arrow, pandas, polars."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .advice import Choice, Hold, Ranking
from .forward import Chances
from .rules import RuleSet
from .simulator import Simulation

Result = Ranking[Hold] | Ranking[Choice] | Chances | Simulation


def columns(result: Result, rules: RuleSet | None = None) -> dict[str, Any]:
    """A result as named columns of equal length.

    Parameters
    ----------
    result
        A ranking (a row for each action), a distribution (a row for each score) or simulated games (a row each).
    rules
        Names the boxes of simulated games; without it they are ``box_0`` ...

    Returns
    -------
    dict
        Name -> list or array.
    """
    if isinstance(result, Chances):
        return {"score": result.scores, "chance": result.chances}
    if isinstance(result, Simulation):
        boxes = {
            rules.categories[c].id if rules else f"box_{c}": result.boxes[:, c] for c in range(result.boxes.shape[1])
        }
        return {"total": result.totals, "bonus": result.bonus, **boxes}
    rows = [asdict(entry) for entry in result]
    names = rows[0] if rows else {}
    return {name: [list(row[name]) if name == "dice" else row[name] for row in rows] for name in names}


def to_arrow(result: Result, rules: RuleSet | None = None) -> Any:
    """A ``pyarrow.Table``."""
    import pyarrow

    return pyarrow.table(columns(result, rules))


def to_pandas(result: Result, rules: RuleSet | None = None) -> Any:
    """A ``pandas.DataFrame``."""
    import pandas

    return pandas.DataFrame(columns(result, rules))


def to_polars(result: Result, rules: RuleSet | None = None) -> Any:
    """A ``polars.DataFrame``."""
    import polars

    return polars.DataFrame(columns(result, rules))
