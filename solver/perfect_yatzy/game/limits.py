"""Limits of all text and files that come from outside, and the checks that enforce them.

Every parser takes time proportional to the length of its input, and the lengths are limited here.
README.md in this folder lists the limits of rule files, README.md of ``service`` those of requests,
of ``play`` those of records.
"""

from __future__ import annotations

import errno
import json
import math
import re
from collections.abc import Sequence, Sized
from itertools import accumulate
from pathlib import Path
from typing import Any

from .._files import read_file
from ..errors import StateError
from ..words import _, number_text

# Text in requests, options and prompts, in characters
MAX_DICE_TEXT = 100
MAX_DICE_LISTED = 64  # faces in a list
MAX_ROLLS_LISTED = 1_200  # rolls of a turn in a record; 126 turns can save 1,134
MAX_NAME = 100  # a category, a game, a player
MAX_CARD_TEXT = 16_000  # 126 categories with their points
MAX_CARD_ENTRIES = 126
MAX_OPPONENTS_TEXT = 16_000
MAX_OPPONENTS = 64
MAX_RULES_NAME = 4_200  # a path and switches

# JSON, in bytes
MAX_LINE_BYTES = 1 << 20  # a request of a stream
MAX_GAME_BYTES = 16 << 20  # a game: a line of a record, or the file of an unfinished game
MAX_RECORD_BYTES = 256 << 20
MAX_JSON_DEPTH = 64
MAX_PLAYERS = 64

# Rule files
MAX_RULES_BYTES = 64 << 10
MAX_RULES_DEPTH = 16  # brackets, and parts of a dotted key
MAX_EXTENDS = 8  # files that extend each other
MAX_CATEGORIES = 126  # a card is a bitmask of two words; of one up to core.state_space.ONE_WORD
MAX_COLUMNS = 12
MAX_STEPS = 10  # of the upper bonus
MAX_PATTERNS = 240  # of all categories together
MAX_SWITCHES = 40
MAX_ID = 60
MAX_ALIASES = 20
MAX_SUMMARY = 1_000
MAX_PUBLISHED = 100
MAX_PROBLEMS = 20  # reported one by one

# A string is one token, whether it ends or not: then no part of the text is scanned twice.
JSON_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
BRACKETS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
NO_BRACKETS = bytes(byte for byte in range(256) if byte not in BRACKETS)


def check_length(value: Sized, most: int, name: str, unit: str = "") -> None:
    """Raise StateError if a text or list from outside is too long.

    `name` and `unit`, by default characters, are words of the language in use.
    """
    if len(value) > most:
        count, allowed = (number_text(number, grouped=True) for number in (len(value), most))
        text = _("{name} has {count} {unit}; at most {most} are allowed")
        raise StateError(
            text.format(name=name, count=count, unit=unit or _("characters"), most=allowed)
        )


def closest(word: str, known: Sequence[str], similarity: float = 0.6) -> str | None:
    """Return the known word that is most similar to a word, for the suggestion in a message.

    It is None if no known word is similar.
    """
    if len(word) > MAX_NAME:  # the comparison takes time proportional to the product of the lengths
        return None
    from difflib import get_close_matches

    names = [name for name in known if len(name) <= MAX_NAME]
    matches = get_close_matches(word, names, 1, similarity)
    return matches[0] if matches else None


def suggestion(word: object, known: Sequence[str], otherwise: str, similarity: float = 0.6) -> str:
    """Return the end of a message with the known word that may be meant.

    It is `otherwise` if no known word is similar.
    """
    similar = closest(word, known, similarity) if isinstance(word, str) else None
    return _("did you mean {similar}?", similar=similar) if similar else otherwise


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text from outside.

    Raises ValueError for text that is no JSON, and also for NaN, 1e999, and too deep nesting.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    # Counting brackets is fast, and most texts have too few of them to be nested too deep.
    if text.count("[") + text.count("{") > MAX_JSON_DEPTH:
        brackets = (
            JSON_STRINGS.sub("", text).encode("utf-8", "surrogatepass").translate(None, NO_BRACKETS)
        )
        if max(accumulate(map(BRACKETS.__getitem__, brackets)), default=0) > MAX_JSON_DEPTH:
            raise ValueError(_("it is nested deeper than {most} levels", most=MAX_JSON_DEPTH))
    return json.loads(text, parse_constant=_reject_constant, parse_float=_finite)


def read_limited(path: Path, most: int) -> bytes:
    """Return the content of a file, as :func:`perfect_yatzy._files.read_file` does.

    Raises StateError if it is too large.
    """
    try:
        return read_file(path, most)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise StateError(too_large(path, most)) from error


def too_large(name: object, most: int) -> str:
    """Return the sentence that a file or a text is larger than `most` bytes."""
    return _("{path} is larger than {most} bytes", path=name, most=number_text(most, grouped=True))


def _finite(text: str) -> float:
    """Return the number in a JSON text. Raises ValueError if it is too large for a float."""
    value = float(text)
    if not math.isfinite(value):  # 1e400: an answer that repeats it would not be JSON
        raise ValueError(_("{number} is too large a number", number=text[:40]))
    return value


def _reject_constant(constant: str) -> None:
    raise ValueError(_("{text} is not a number", text=constant))
