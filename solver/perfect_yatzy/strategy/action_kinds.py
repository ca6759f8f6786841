"""Kinds of actions, as questions and compiled code name them."""

from __future__ import annotations

NO_KINDS = 0
CATEGORIES = 1
HOLDS = 2
ALL_KINDS = CATEGORIES | HOLDS
# The number of the hold of all dice. It is no action: it means to score in the best category.
ALL_DICE = -1
