"""Kinds of actions, as questions and compiled code name them."""

from __future__ import annotations

CATEGORIES, HOLDS = 1, 2
ALL_KINDS = CATEGORIES | HOLDS
ALL_DICE = -1  # number of the hold of all dice, which is no action: to score in the best category
