"""What a game and a puzzle share: the prompt for a decision, its help, and the words a player may add to it."""

from __future__ import annotations

import re

from ..._messages import N_, _
from ...errors import StateError

# What a player may enter, in English and in the chosen language; the first word is the name of the command.
COMMANDS = {
    "help": N_("help, h"),
    "card": N_("card"),
    "undo": N_("undo, u"),
    "quit": N_("quit, q, exit"),
    "advice": N_("advice"),
    "advice win": N_("advice win"),
    "advice mean": N_("advice mean"),
    "none": N_("none, nothing, reroll"),
    "hold": N_("hold, keep, take, score"),
    "yes": N_("yes, y"),
}
HOLD_HELP = N_("""\
  33            hold these dice and reroll the rest
  none          reroll all dice
""")
CATEGORY_HELP = N_("""\
  full house    take this category (id, name, code or a prefix)
""")


def decision_question(rolls_left: int) -> str:
    """The prompt for a decision."""
    return _("Hold which dice, or take which category? (help)") if rolls_left else _("Take which category? (help)")


def words_of(command: str) -> set[str]:
    """Every word for a command."""
    return {*COMMANDS[command].split(", "), *_(COMMANDS[command]).split(", ")}  # marked elsewhere


def command_of(text: str) -> str:
    """The name of the command that a player enters, else the text in lower case."""
    word = " ".join(text.lower().split())
    return next((command for command in COMMANDS if word in words_of(command)), word)


def decision_of(text: str) -> str:
    """A decision without the verb before it: ``full house`` for ``take full house``; StateError for a verb alone."""
    if command_of(text) == "hold":
        raise StateError(_("name the dice to hold, such as 33, or the category to take"))
    verbs = "|".join(map(re.escape, words_of("hold")))
    text = re.sub(rf"^({verbs})\s+(?=\S)", "", text, flags=re.IGNORECASE)
    return "none" if command_of(text) == "none" else text
