"""Results as data frames: columns, types and metadata."""

import json
from pathlib import Path

import numpy as np
import perfect_yatzy
import pytest
from perfect_yatzy import Strategy, reach
from perfect_yatzy.frames import columns, to_arrow, to_pandas, to_polars
from support.command import Run, printed
from support.need import need
from support.refusals import refused

LATE = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 one-pair=10"


@pytest.mark.full
def test_results_as_tables(yatzy: Strategy) -> None:
    holds, played = yatzy.holds("", "33456"), perfect_yatzy.simulate(yatzy, 50)
    found = perfect_yatzy.distribution(yatzy, yatzy.state("ones=3 twos=6 sixes=24 chance=20"))
    for module, make in (("pyarrow", to_arrow), ("pandas", to_pandas), ("polars", to_polars)):
        need(module)
        assert (len(make(holds)), len(make(played)), len(make(found))) == (
            len(holds),
            50,
            len(found.scores),
        )
    boxes = [category.id for category in yatzy.rules.categories]
    added = ["upper_bonus", "bonus_points", "final_score"]
    assert list(columns(played)) == ["game_number", "points_before", *boxes, *added]
    assert columns(holds)["hold"][0] == [3, 3]


def test_batches_and_options_as_tables(yatzy: Strategy) -> None:
    batch = yatzy.best(
        [0, 0, 1], [0, 0, 3], [[3, 3, 4, 5, 6], [6, 6, 6, 6, 6], [2, 2, 5, 5, 5]], [2, 2, 0]
    )
    found = columns(batch)
    assert found["hold"] == [[3, 3], [6, 6, 6, 6, 6], [2, 2, 5, 5, 5]]
    assert found["category"] == [None, "yatzy", "full-house"]
    assert found["expected_remaining"].tolist() == batch.value.tolist()
    assert found["action"].tolist() == batch.action.tolist()
    found = columns(yatzy.options([0, 1], [0, 3], [[3, 3, 4, 5, 6], [2, 2, 5, 5, 5]], [2, 0]))
    ranked = {hold.dice: hold for hold in yatzy.holds("", "33456", 2) if hold.category is None}
    rows = [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
    first = [row for row in rows if row["position"] == 0]
    assert {tuple(row["hold"]) for row in first if row["hold"] is not None} == set(ranked)
    for row in (row for row in first if row["hold"] is not None):
        hold = ranked[tuple(row["hold"])]
        assert (row["expected_remaining"], row["loss"]) == pytest.approx(
            (hold.value, hold.loss), abs=1e-9
        )
    choices = {choice.category: choice for choice in yatzy.categories("ones=3", "22555")}
    assert {row["category"] for row in rows if row["position"] == 1} == set(choices)


@pytest.mark.full
def test_a_missing_category_looks_the_same_everywhere(yatzy: Strategy) -> None:
    some, none = yatzy.holds("", "33456"), yatzy.holds("", "33456")[:3]
    batch = yatzy.best(0, 0, [[3, 3, 4, 5, 6]], 2)
    pandas, polars, pyarrow = map(need, ("pandas", "polars", "pyarrow"))
    for result in (some, none, batch):
        frame = to_pandas(result)["category"]
        assert frame.dtype == pandas.StringDtype()
        assert frame[0] is pandas.NA
        assert to_polars(result)["category"].dtype == polars.String
        assert to_arrow(result).schema.field("category").type == pyarrow.string()


def test_columns_have_the_names_of_the_json_answers(run: Run, yatzy: Strategy) -> None:
    goal = reach("yatzy", 240, LATE)
    for query, ask in (("hold", "holds"), ("score", "categories")):
        for strategy, arguments in ((yatzy, []), (goal, ["--goal", "240", "--card", LATE])):
            ranking = getattr(strategy, ask)(LATE if arguments else "", "33456")
            answer = json.loads(run(query, "33456", *arguments, "--json").stdout)
            names = {name for entry in answer[ask] for name in entry}
            assert set(columns(ranking)) <= names
            left_out = {
                "reroll",
                "expected_final_score",
            }  # they follow from the other columns and the card
            assert names - set(columns(ranking)) <= left_out
    assert set(columns([*yatzy.holds("", "33456")])) == {
        "hold",
        "category",
        "value",
        "loss",
        "expected_remaining",
    }


@pytest.mark.full
def test_every_arrow_table_says_where_it_comes_from(
    yatzy: Strategy, run: Run, tmp_path: Path
) -> None:
    need("pyarrow")
    import pyarrow.parquet

    position = 0, 0, [[3, 3, 4, 5, 6]], 2
    head = {
        b"rules": b"yatzy",
        b"fingerprint": yatzy.rules.fingerprint.encode(),
        b"policy": b"mean",
    }
    head |= {b"perfect_yatzy": perfect_yatzy.__version__.encode()}
    asked = {b"dice": b"3 3 4 5 6", b"rolls_left": b"2"}
    sampled = {b"seed": b"3", b"exploration": b"0.0", b"distinct": b"false"}
    goal, utility = (
        reach("yatzy", 240, LATE),
        perfect_yatzy.maximise("yatzy", lambda scores: scores, LATE),
    )
    games = (yatzy, b"mean"), (goal, b"goal:240"), (utility, b"utility")
    for result, more in (
        *(
            (perfect_yatzy.simulate(each, 5, seed=3), {b"policy": policy, b"seed": b"3"})
            for each, policy in games
        ),
        (yatzy.best(*position), {}),
        (yatzy.options(*position), {}),
        (yatzy.holds("", "33456"), asked),
        (yatzy.holds("", "33456")[:2], asked),
        (perfect_yatzy.distribution(yatzy, LATE), {}),
        (perfect_yatzy.sample_positions(yatzy, 5, 3), sampled),
    ):
        found = to_arrow(result).schema.metadata
        found.pop(b"columns", None)
        assert found == head | more
    path = tmp_path / "opening.parquet"
    printed(run, "table", "yatzy", "-o", str(path))
    assert pyarrow.parquet.read_schema(path).metadata == head | {b"table": b"opening"}


@pytest.mark.full
def test_positions_as_tables(yatzy: Strategy) -> None:
    sample = perfect_yatzy.sample_positions(yatzy, 100, options=True)
    for module in ("pandas", "polars", "pyarrow"):
        need(module)
    names = list(sample.columns())
    for frame in (to_pandas(sample), to_polars(sample), to_arrow(sample).to_pandas()):
        assert list(frame.columns) == names
        assert len(frame) == 100
        assert list(frame["actions"][0]) == columns(sample)["actions"][0]
    assert to_arrow(sample.take(np.flatnonzero(sample.turn == 1))).schema == to_arrow(sample).schema


@pytest.mark.parametrize("wrong", [5, "text", ["text"], None])
def test_anything_else_is_rejected(wrong: object) -> None:
    refused("is not a result; must be a ranking", columns, wrong)
