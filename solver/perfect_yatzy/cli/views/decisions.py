"""What a game and a puzzle share: the prompt for a decision, its help, and the words a player may add to it."""

from __future__ import annotations

import re

from ..._messages import N_, _

QUIT_WORDS = ("quit", "q", "exit")
HOLD_HELP = N_("""\
  33            hold these dice and reroll the rest
  none          reroll all dice
""")
CATEGORY_HELP = N_("""\
  full house    take this category (id, name, code or a prefix)
""")
VERB = re.compile(r"^(hold|keep|take|score)\s+(?=\S)", re.IGNORECASE)


def decision_question(rolls_left: int) -> str:
    """The prompt for a decision."""
    return _("Hold which dice, or take which category? (help)") if rolls_left else _("Take which category? (help)")


def without_verb(text: str) -> str:
    """A decision without the verb before it: ``full house`` for ``take full house``."""
    return VERB.sub("", text)
