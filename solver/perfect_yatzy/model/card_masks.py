"""Bitmasks of categories in arrays: one word a mask, two for a sheet with more boxes than a word has bits.

Nearly every game has at most ONE_WORD boxes. Its masks are int64, ``(n,)``, and a single one is an integer. Those of
a larger sheet, which only an approximate strategy can play, are uint64, ``(n, 2)``, the low word first. The dtype
tells the kernels which of the two they read (:mod:`perfect_yatzy.kernels.masks`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..game.dice import Ints
from ..game.limits import ONE_WORD
from ..game.rules import RuleSet

Bools = npt.NDArray[np.bool_]


def is_wide(rules: RuleSet) -> bool:
    """Whether masks have two words."""
    return len(rules.categories) > ONE_WORD


def card_masks(rules: RuleSet, masks: Any) -> Ints:
    """Masks as an array, from integers or one; an array of masks is returned as it is."""
    if not is_wide(rules):
        return np.atleast_1d(np.asarray(masks, dtype=np.int64))
    if not isinstance(masks, np.ndarray):
        numbers = [masks] if isinstance(masks, int) else masks
        masks = np.array([(mask & (1 << 64) - 1, mask >> 64) for mask in numbers], dtype=np.uint64).reshape(-1, 2)
    return masks  # type: ignore[no-any-return]


def single_mask(rules: RuleSet, mask: int) -> Any:
    """One mask as a field of a named tuple that the kernels take."""
    return card_masks(rules, [mask])[0] if is_wide(rules) else mask


def packed(rules: RuleSet, boxes: Bools) -> Ints:
    """Masks of sets of boxes, ``(n, categories)``."""
    octets = np.zeros((len(boxes), 16 if is_wide(rules) else 8), dtype=np.uint8)
    bits = np.packbits(boxes, axis=1, bitorder="little")
    octets[:, : bits.shape[1]] = bits
    masks = octets.view("<u8" if is_wide(rules) else "<i8")
    return masks if is_wide(rules) else masks.ravel()


def unpacked(rules: RuleSet, masks: Ints) -> Bools:
    """Which boxes each mask has, ``(n, categories)``."""
    octets = np.ascontiguousarray(masks).view(np.uint8).reshape(len(masks), 16 if is_wide(rules) else 8)
    return np.unpackbits(octets, axis=1, count=len(rules.categories), bitorder="little").view(np.bool_)
