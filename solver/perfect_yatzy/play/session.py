"""A game at the table as a list of actions: what has happened, what may happen next, and back again.

The state is what the actions lead to, so undo takes the last one off, saving writes them down and resuming plays
them again. Dice rolled by the program are those of a simulated game
(:func:`perfect_yatzy.play.dice_stream.dice_of_game`): a function
of the seed and of what was rolled, so that taking a decision back does not change the luck.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .._files import replacing
from ..errors import SolverError, StateError
from ..game.dice import Dice
from ..game.notation import check_dice, counts_of, spaced
from ..game.rule_loader import rules_to_json
from ..game.rules import RuleSet
from ..game.scorecard import Scorecard
from ..game.scoring import open_categories, options
from .dice_stream import dice_of_game
from .record import Game, Turn, after

SCHEMA = 1
Kind = Literal["roll", "hold", "score"]


@dataclass(frozen=True)
class Action:
    """One thing that happened: dice on the table, dice held, or a category taken."""

    kind: Kind
    dice: Dice = ()
    category: str = ""


@dataclass
class Session:
    """A game of one or more players by turns.

    Attributes
    ----------
    players : tuple of str
    seed : int or None
        Of the program's dice; None where real dice are typed in.
    actions : list of Action
    """

    rules: RuleSet
    players: tuple[str, ...]
    seed: int | None
    actions: list[Action] = field(default_factory=list)

    # --- where the game stands ---------------------------------------------------------------------------------

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that are over."""
        return self._played()[0]

    @property
    def rolls(self) -> tuple[Dice, ...]:
        """Dice after each roll of the turn that is on."""
        return self._played()[1]

    @property
    def holds(self) -> tuple[Dice, ...]:
        """What was held between them; one more than rolls where dice are to be rolled next."""
        return self._played()[2]

    @property
    def player(self) -> int:
        """Whose turn it is."""
        return len(self.turns) % len(self.players)

    @property
    def over(self) -> bool:
        """Whether every card is full."""
        return len(self.turns) == len(self.players) * len(self.rules.categories)

    @property
    def game(self) -> Game:
        """The record of what is over."""
        source = {"source": "play"} | ({} if self.seed is None else {"seed": self.seed})
        return Game(self.rules, self.players, self.turns, source)

    def card(self, player: int | None = None) -> Scorecard:
        """A player's card; default: of the one whose turn it is."""
        return self.game.card(self.player if player is None else player)

    @property
    def rolls_left(self) -> int:
        """Rerolls left in this turn."""
        return self.rules.rolls + self.card().saved - len(self.rolls)

    @property
    def to_roll(self) -> int:
        """Dice to be rolled now; 0 where a decision is due or the game is over."""
        if self.over or len(self.holds) < len(self.rolls):
            return 0
        return self.rules.dice - (len(self.holds[-1]) if self.holds else 0)

    @property
    def dice(self) -> Dice:
        """Dice on the table; empty before the first roll of a turn."""
        return self.rolls[-1] if self.rolls else ()

    def choices(self) -> dict[str, tuple[int, int]]:
        """Categories that may take the dice now: id -> points for the box and beside it."""
        state, rules = self.card().state, self.rules
        counts = counts_of(rules, self.dice)
        found = options(rules, state.filled, state.joker_paid, counts, first=len(self.rolls) == 1)
        return {rules.categories[c].id: paid for c, paid in found.items()}

    def _played(self) -> tuple[tuple[Turn, ...], tuple[Dice, ...], tuple[Dice, ...]]:
        turns: list[Turn] = []
        rolls: list[Dice] = []
        holds: list[Dice] = []
        cards = [Scorecard(self.rules) for _ in self.players]
        for action in self.actions:
            if action.kind == "roll":
                rolls.append(action.dice)
            elif action.kind == "hold":
                holds.append(action.dice)
            else:
                player = len(turns) % len(self.players)
                card, c = cards[player], self.rules.index_of[action.category]
                counts = counts_of(self.rules, rolls[-1])
                state, first = card.state, len(rolls) == 1
                points, bonus_points = options(self.rules, state.filled, state.joker_paid, counts, first)[c]
                turns.append(Turn(player, tuple(rolls), tuple(holds), action.category, points, bonus_points))
                cards[player] = after(card, turns[-1])
                rolls, holds = [], []
        return tuple(turns), tuple(rolls), tuple(holds)

    # --- what may happen ---------------------------------------------------------------------------------------

    def rolled(self) -> Dice:
        """The program's next dice, those held included."""
        assert self.seed is not None
        held = self.holds[-1] if self.holds else ()
        turn, roll = len(self.turns), len(self.rolls)
        return tuple(sorted((*held, *dice_of_game(self.seed, 0, turn, roll, self.to_roll, self.rules.faces))))

    def roll(self, dice: Sequence[int] | None = None) -> Dice:
        """Put dice on the table: the program's, or those typed in (all of them, or only the rerolled ones).

        Raises
        ------
        StateError
            If these dice cannot lie there.
        """
        if not self.to_roll:
            raise StateError("no dice are to be rolled now")
        held = self.holds[-1] if self.holds else ()
        if dice is None:
            new = self.rolled()
        else:
            new = tuple(dice)
            if len(new) == self.to_roll < self.rules.dice:
                new = (*held, *new)
            new = check_dice(self.rules, new)
            if any(held.count(face) > new.count(face) for face in set(held)):
                raise StateError(f"you held {spaced(held)}, which is not within {spaced(new)}")
        self.actions.append(Action("roll", new))
        return new

    def hold(self, dice: Sequence[int]) -> None:
        """Hold some of the dice, the rest is to be rolled again.

        Raises
        ------
        StateError
            If that cannot be done.
        """
        held = tuple(sorted(dice))
        if not self.rolls or self.to_roll:
            raise StateError("there are no dice to hold yet")
        if not self.rolls_left:
            raise StateError("no reroll is left: take a category")
        if any(held.count(face) > self.dice.count(face) for face in set(held)):
            raise StateError(f"{spaced(held)} is not within {spaced(self.dice)}")
        if len(held) == self.rules.dice:
            raise StateError("with all dice held there is nothing to reroll: name the category to take")
        self.actions.append(Action("hold", held))

    def score(self, category: str) -> None:
        """Take a category for the dice on the table.

        Raises
        ------
        StateError
            If it may not be taken.
        """
        if not self.rolls or self.to_roll:
            raise StateError("there are no dice to score yet")
        if category not in self.choices():
            raise StateError(f"{category} {self._why_not(category)}")
        self.actions.append(Action("score", category=category))

    def _why_not(self, category: str) -> str:
        """Why a category may not be taken now."""
        rules, card, allowed = self.rules, self.card(), list(self.choices())
        c = rules.index_of.get(category, -1)
        if c in card.points:
            return "is filled already"
        if rules.joker and c in open_categories(rules, card.state.filled):
            return f"may not be taken now: an extra {rules.joker.category} must go to {' or '.join(allowed)}"
        return f"may not be taken now: the boxes are filled in order, and {' or '.join(allowed)} is next"

    def undo(self) -> Action | None:
        """Take the last decision or typed dice back, and with it the program's dice that followed it."""
        if self.seed is not None:
            while self.actions and self.actions[-1].kind == "roll":
                self.actions.pop()
        undone = self.actions.pop() if self.actions else None
        if undone is None and self.seed is not None:
            self.roll()
        return undone

    # --- to a file and back ------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write the session down; an old file is replaced in one step.

        Raises
        ------
        SolverError
            If that is not possible.
        """
        about = {
            "schema": SCHEMA,
            "rules": rules_to_json(self.rules),
            "fingerprint": self.rules.fingerprint,
            "players": list(self.players),
            "seed": self.seed,
            "actions": [[a.kind, list(a.dice), a.category] for a in self.actions],
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(json.dumps(about).encode())
        except OSError as error:
            raise SolverError(f"cannot save the game in {path}: {error.strerror or error}") from error


# --- a player's words ----------------------------------------------------------------------------------------------
