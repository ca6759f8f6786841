"""Lists of the command: as many entries as they may have, and of more the first ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from perfect_yatzy import load_rules
from perfect_yatzy.cli.views import guide_content, rating_text, results, review_text
from perfect_yatzy.cli.views.words import words_of
from perfect_yatzy.play.rating_input import Skipped
from perfect_yatzy.play.review import ActionOutlook, CategoryOutlook
from perfect_yatzy.play.spots import Spot
from perfect_yatzy.policies.guide import GiveUp, Stage
from perfect_yatzy.strategy.actions import Choice

YATZY = load_rules("yatzy")
IDS = [category.id for category in YATZY.categories]


def spots(count: int) -> Sequence[str]:
    kinds = [Spot((1, 1, 0, 0, 0), "ones", "chance", 90 + i, 2, 30.0) for i in range(count)]
    rating: Any = SimpleNamespace(spots=kinds, games=10)
    return [line for line in rating_text.spot_lines(rating, YATZY) if line.startswith("  With ")]


def skipped(count: int) -> Sequence[str]:
    games = [Skipped(f"file:{i}", "wrong", "no dice") for i in range(count)]
    found: Any = SimpleNamespace(skipped=games)
    lines = rating_text.skipped_lines(found)
    assert lines[:1] == ([f"Not rated: {count} game{'s' * (count > 1)}"] if count else [])
    more = [line for line in lines if line.startswith("  and ")]
    assert more == ([f"  and {count - 10} more"] if count > 10 else [])
    return [line for line in lines if line.startswith("  file:")]


def losses(count: int) -> Sequence[str]:
    of_boxes = dict.fromkeys(IDS, 0.0) | {each: 1.0 + i for i, each in enumerate(IDS[:count])}
    found = {"holds": {"1": 1.0}, "category": 1.0, "turns": [1.0], "categories": of_boxes}
    lines = results.loss_lines(YATZY, found)
    title = "By the category that was filled instead of the best one"
    return lines[lines.index(title) + 1 :] if title in lines else []


def categories(count: int) -> Sequence[object]:
    outlook = ActionOutlook(
        1.0,
        2.0,
        0.5,
        tuple(CategoryOutlook(each, 1 / (i + 2), 5.0) for i, each in enumerate(IDS[:count])),
    )
    rows = review_text.outlook_rows(YATZY, outlook, outlook)
    return [label for label, _best, _actual in rows if label.startswith("  ")]


def options(count: int) -> Sequence[object]:
    choices = [Choice(each, 1, 9.0 - i, float(i), 9.0 - i) for i, each in enumerate(IDS[:count])]
    return review_text.solution_lines(YATZY, choices)[1:]


def boxes_given_up(count: int) -> Sequence[object]:
    give_ups = tuple(GiveUp(i, 0, 1.0 + i, 0.05) for i in range(count))
    guide: Any = SimpleNamespace(rules=YATZY, stages=[Stage(1, 5, give_ups)])
    section = guide_content._give_up(guide, words_of("en"))
    return str(section.rows[0].name).split(", ") if section else []


@dataclass(frozen=True)
class Listed:
    """A list, and how many entries it may have."""

    entries: Callable[[int], Sequence[object]]
    most: int
    fewest: int = 0  # entries of something with which there is a list at all


LISTS = [
    Listed(spots, 5),
    Listed(skipped, 10),
    Listed(losses, 8),
    Listed(categories, 5, fewest=2),
    Listed(options, 5),
    Listed(boxes_given_up, 6),
]


@pytest.mark.parametrize("listed", LISTS, ids=lambda listed: listed.entries.__name__)
def test_a_list_has_its_entries_up_to_so_many(listed: Listed) -> None:
    for count in (0, 1, listed.most - 1, listed.most, listed.most + 1, 15):
        shown = min(count, listed.most) if count >= listed.fewest else 0
        assert len(listed.entries(count)) == shown, count
