"""The description of a field in a request: its opponents, what they follow, and who wins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._files import read_file
from ..errors import StateError, reason_of, shown
from ..game.limits import parse_json
from ..strategy.score_distribution import MAX_FINAL_SCORE, Opponent
from ..words import _
from .prizes import check_field

PERFECT = "perfect"
# The policies that a request may name. None of them is code, opens a file of its own or acts in one
# position at a time.
POLICIES = r"perfect|mean|most-points|prices|hold-rules(?::\d{1,3})?|level:\w{1,20}|field:\d{1,10}"
MAX_LAW_BYTES = 4 << 20  # of a file with a distribution
MAX_TEXT = 100  # characters of a field in a request


@dataclass(frozen=True)
class Field:
    """Opponents whose cards one cannot see."""

    opponents: int
    policy: str  # its name, or that of the file with the distribution
    law: tuple[int, tuple[float, ...]] | None  # lowest score and chances from there on, if given
    places: int  # the first places, of which one has to be reached

    def given_law(self) -> Opponent | None:
        """Return the distribution of the final score of each opponent, if it was given."""
        if self.law is None:
            return None
        lowest, chances = self.law
        return Opponent(lowest + np.arange(len(chances)), np.array(chances), playing=True)


def parse_field(given: object, places: object = 1) -> Field:
    """Return the field that a request describes.

    The description is a number, text such as ``100:level:3``, or an object with ``opponents``,
    ``lowest`` and ``chances`` (see :func:`field_of_file`). Raises StateError for anything else.
    """
    if not isinstance(places, int) or isinstance(places, bool):
        text = _("{name} is {value}; must be a whole number", name="places", value=shown(places))
        raise StateError(text, field="places")
    opponents = given
    distribution = None
    policy = PERFECT
    if isinstance(given, Mapping):
        opponents = given.get("opponents")
        policy = str(given.get("policy", ""))
        distribution = _checked_distribution(given)
    elif isinstance(given, str) and len(given) <= MAX_TEXT:
        parts = re.fullmatch(rf"([0-9]{{1,10}})(?::({POLICIES}))?", given)
        if parts:
            opponents = int(parts[1])
            policy = parts[2] or PERFECT
    if not isinstance(opponents, int) or isinstance(opponents, bool):
        text = _(
            "field is {value}; must be a number of opponents, perhaps with what they play: 100, "
            "100:level:3 or 100:most-points",
            value=shown(opponents),
        )
        raise StateError(text, field="field")
    check_field(opponents, places)
    return Field(opponents, policy, distribution, places)


def _checked_distribution(given: Mapping[str, Any]) -> tuple[int, tuple[float, ...]]:
    """Return the lowest score and the chances of an object, whose sum must be 1."""
    lowest = given.get("lowest")
    chances = given.get("chances")
    is_distribution = (
        isinstance(lowest, int)
        and isinstance(chances, list)
        and all(isinstance(chance, int | float) and 0 <= chance <= 1 for chance in chances)
        and abs(sum(chances) - 1) < 1e-6
        and 0 <= lowest <= lowest + len(chances) <= MAX_FINAL_SCORE
    )
    if not is_distribution:
        text = _("a distribution has the fields lowest and chances, which sum to 1")
        raise StateError(text, field="field")
    assert isinstance(lowest, int)
    assert isinstance(chances, list)
    total = sum(chances)
    return lowest, tuple(chance / total for chance in chances)


def field_of_file(text: str) -> object:
    """Return the field of the option ``--field``, which is text or names a JSON file.

    From a file it is an object with the distribution in the file. The answers of `expect`,
    `evaluate` and `simulate` have one.
    """
    number, _colon, path = text.partition(":")
    if not path.endswith(".json") or not number.isdecimal():
        return text
    try:
        content = parse_json(read_file(path, MAX_LAW_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        message = _("cannot read {path}: {error}", path=path, error=reason_of(error, path))
        raise StateError(message, field="field") from error
    law = content
    if isinstance(content, dict):
        law = content.get("distribution") or content.get("simulation") or content
    if not isinstance(law, dict):
        law = {}  # without the fields it is refused with the other fields of the request
    return {
        "opponents": int(number),
        "policy": Path(path).name,
        "lowest": law.get("lowest"),
        "chances": law.get("chances"),
    }
