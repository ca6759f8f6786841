"""The chances in an answer."""

from collections.abc import Iterator
from typing import Any

OTHERS = {"crossed_out", "first", "exploitability"}  # fields that are chances


def chances(found: Any, named: bool = False) -> Iterator[float]:
    """All numbers of an answer whose field is a chance, or within one that is."""
    if isinstance(found, dict):
        for name, value in found.items():
            is_chance = name.startswith(("chance", "upper_bonus_chance")) or name in OTHERS
            yield from chances(value, is_chance)
    elif isinstance(found, list):
        for value in found:
            yield from chances(value, named)
    elif named and isinstance(found, int | float) and not isinstance(found, bool):
        yield float(found)
