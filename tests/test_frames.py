"""Results as data frames: columns, types and metadata."""

from __future__ import annotations

import perfect_yatzy
import pytest
from perfect_yatzy.errors import StateError
from perfect_yatzy.frames import columns, to_arrow, to_pandas, to_polars
from perfect_yatzy.strategy.strategy import Strategy
from support.need import need


def test_results_as_tables(yatzy: Strategy) -> None:
    holds = yatzy.holds("", "33456")
    played, found = (
        perfect_yatzy.simulate(yatzy, 50),
        perfect_yatzy.distribution(yatzy, yatzy.state("ones=3 twos=6 sixes=24 chance=20")),
    )
    makers = {"pyarrow": to_arrow, "pandas": to_pandas, "polars": to_polars}
    for module, make in makers.items():
        try:
            __import__(module)
        except ImportError:
            continue
        assert len(make(holds)) == len(holds)
        assert len(make(played)) == 50
        assert len(make(found)) == len(found.scores)
    ids = [c.id for c in yatzy.rules.categories]
    assert list(columns(played)) == [
        "game_number",
        "points_before",
        *ids,
        "upper_bonus",
        "bonus_points",
        "final_score",
    ]
    assert columns(holds)["dice"][0] == [3, 3]


def test_columns_of_games_add_up_to_the_final_score() -> None:
    """Also with jokers, and from a card with points; filled categories have no column."""
    yahtzee = perfect_yatzy.open_strategy("yahtzee")
    played = perfect_yatzy.simulate(yahtzee, 2_000, start="yahtzee=50 ones=3")
    found = columns(played)
    assert not {"yahtzee", "ones"} & set(found)
    parts = [column for name, column in found.items() if name not in ("game_number", "final_score")]
    assert (sum(parts) == played.final_scores).all()
    assert set(played.bonus_points % 100) == {0}
    assert played.bonus_points.any()
    assert (found["points_before"] == 53).all()
    assert found["game_number"].tolist() == [*range(2_000)]


def test_arrow_tables_of_games_say_where_they_come_from(yatzy: Strategy) -> None:
    need("pyarrow")
    card = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"
    for strategy, policy in (
        (yatzy, b"mean"),
        (perfect_yatzy.reach("yatzy", 240, card), b"goal:240"),
        (perfect_yatzy.maximise("yatzy", lambda scores: scores, card), b"utility"),
    ):
        assert to_arrow(perfect_yatzy.simulate(strategy, 5, seed=3)).schema.metadata == {
            b"rules": b"yatzy",
            b"fingerprint": yatzy.rules.fingerprint.encode(),
            b"policy": policy,
            b"seed": b"3",
            b"perfect_yatzy": perfect_yatzy.__version__.encode(),
        }


def test_batches_as_tables(yatzy: Strategy) -> None:
    batch = yatzy.best([0, 0, 1], [0, 0, 3], [[3, 3, 4, 5, 6], [6, 6, 6, 6, 6], [2, 2, 5, 5, 5]], [2, 2, 0])
    found = columns(batch)
    assert found["dice"] == [[3, 3], [6, 6, 6, 6, 6], [2, 2, 5, 5, 5]]
    assert found["category"] == [None, "yatzy", "full-house"]
    assert found["value"].tolist() == batch.value.tolist()


def test_a_missing_category_looks_the_same_everywhere(yatzy: Strategy) -> None:
    """Whether or not some row of the table has a category."""
    some, none = yatzy.holds("", "33456"), yatzy.holds("", "33456")[:3]
    batch = yatzy.best(0, 0, [[3, 3, 4, 5, 6]], 2)
    pandas, polars, pyarrow = map(need, ("pandas", "polars", "pyarrow"))
    for result in (some, none, batch):
        frame = to_pandas(result)["category"]
        assert frame.dtype == pandas.StringDtype()
        assert frame[0] is pandas.NA
        assert to_polars(result)["category"].dtype == polars.String
        assert to_arrow(result).schema.field("category").type == pyarrow.string()


@pytest.mark.parametrize("wrong", [5, "text", ["text"], None])
def test_anything_else_is_rejected(wrong: object) -> None:
    with pytest.raises(StateError, match="is not a result; must be a ranking"):
        columns(wrong)  # type: ignore[arg-type]
