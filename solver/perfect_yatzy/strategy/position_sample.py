"""Labelled positions: what :func:`perfect_yatzy.sample_positions` returns, as arrays and as named columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..game.action_numbers import hold_count, numbered_action
from ..game.dice import Floats, Ints
from ..game.rules import RuleSet
from .metadata import Ragged, Rows, metadata, preview_html, value_name

PART_ROWS = 1 << 16
MEANINGS = {
    "game_number": "number of the simulated game, from 0",
    "turn": "number of the turn in its game, from 1",
    "filled": "bitmask of the filled categories, bit i for the i-th of the sheet",
    "upper": "sum of the upper boxes, at most the threshold of the bonus",
    "saved": "saved rolls at the start of the turn",
    "joker_paid": "whether the joker's box holds points",
    "card_total": "points on the card, without the upper bonus",
    "dice": "faces on the table, ascending",
    "rolls_left": "rerolls left",
    "action": "number of the best action: first the holds of fewer than all dice, then the categories",
    "hold": "dice that the best action holds, ascending; all of them if it scores a category",
    "category": "id of the category that the best action scores; null if it rerolls dice",
    "expected_remaining": "value: expected points still to come under optimal play, the upper bonus included",
    "chance": "value: chance of the goal under optimal play",
    "expected_utility": "value: expected utility of the final score under optimal play",
    "taken": "number of the action that was taken in the game",
    "visits": "how often this position occurs in the sample",
    "actions": "numbers of all legal actions",
    "action_values": "value of each of these actions, in the unit of the value",
}


@dataclass(frozen=True, repr=False)
class PositionSample(Rows):
    """Positions within a turn, with the best action and the value of each.

    Attributes
    ----------
    rules : RuleSet
    policy : str
        What the strategy that labels them maximises: ``mean``, ``goal:280`` or ``utility``.
    player : str
        Who played the games; empty: the strategy.
    seed : int
    exploration : float
        Chance of a random action instead of the best one.
    distinct : bool
        Whether each position has one row only.
    game_number : (n,) int64
        The simulated game, from 0.
    turn : (n,) int64
        The turn in the game, from 1.
    filled : (n,) int64
        Bitmask of the filled categories at the start of the turn.
    upper : (n,) int64
        Sum of the upper boxes, at most the threshold of the bonus.
    saved : (n,) int64
        Saved rolls.
    joker_paid : (n,) int64
        1 if the joker's box holds points.
    card_total : (n,) int64
        Points on the card, without the upper bonus.
    dice : (n, dice) int64
        Faces on the table, ascending.
    rolls_left : (n,) int64
        Rerolls left.
    action : (n,) int64
        Number of the best action (:mod:`perfect_yatzy.game.action_numbers`).
    value : (n,) float64
        Value of the best action: expected points still to come; for goals chances, for utilities expected utilities.
    taken : (n,) int64
        Number of the action that was taken; without a player other than `action` only where the game explored.
    visits : (n,) int64
        How often the position occurs in the sample.
    actions : Ragged or None
        Numbers of all legal actions.
    action_values : Ragged or None
        Values of all legal actions.
    """

    rules: RuleSet
    policy: str
    seed: int
    exploration: float
    distinct: bool
    game_number: Ints
    turn: Ints
    filled: Ints
    upper: Ints
    saved: Ints
    joker_paid: Ints
    card_total: Ints
    dice: Ints
    rolls_left: Ints
    action: Ints
    value: Floats
    taken: Ints
    visits: Ints
    actions: Ragged | None = None
    action_values: Ragged | None = None
    player: str = ""

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        kind = "distinct positions" if self.distinct else "positions"
        return f"<PositionSample {self.rules.key}, {self.policy}: {len(self):,} {kind}, seed {self.seed}>"

    def _repr_html_(self) -> str:
        return preview_html(repr(self)[1:-1], replace(self, actions=None, action_values=None))

    def columns(self) -> dict[str, Any]:
        """The positions as named columns of equal length: what CSV, JSON Lines, Parquet and data frames contain.

        :data:`MEANINGS` says what each means. ``saved`` and ``joker_paid`` exist only if the rules have them,
        ``actions`` and ``action_values`` if they were asked for.
        """
        rules, holds = self.rules, hold_count(self.rules)
        best, number = np.unique(self.action, return_inverse=True)
        dice = self.dice.tolist()
        known = [numbered_action(rules, action) for action in best.tolist()]
        found: dict[str, Any] = {
            "game_number": self.game_number,
            "turn": self.turn,
            "filled": self.filled,
            "upper": self.upper,
            "saved": self.saved if rules.saved_rolls else None,
            "joker_paid": self.joker_paid.astype(bool) if rules.joker else None,
            "card_total": self.card_total,
            "dice": dice,
            "rolls_left": self.rolls_left,
            "action": self.action,
            "hold": [
                list(known[i]) if best[i] < holds else row for i, row in zip(number.tolist(), dice, strict=True)
            ],
            "category": [known[i] if best[i] >= holds else None for i in number.tolist()],
            value_name(self.policy): self.value,
            "taken": self.taken,
            "visits": self.visits,
            "actions": self.actions,
            "action_values": self.action_values,
        }
        return {name: column for name, column in found.items() if column is not None}

    def parts(self) -> Iterator[dict[str, Any]]:
        """The :meth:`columns` of PART_ROWS rows at a time, to write large samples."""
        for first in range(0, len(self), PART_ROWS):
            yield self.take(np.arange(first, min(first + PART_ROWS, len(self)))).columns()

    def metadata(self) -> dict[str, str]:
        """What identifies the positions (:func:`perfect_yatzy.strategy.metadata.metadata`).

        With ``seed``, ``exploration``, ``distinct`` (``true`` or ``false``), and ``columns``: the meaning of each
        column, as JSON.
        """
        names = self.take(np.empty(0, dtype=np.int64)).columns()
        return metadata(
            self.rules,
            self.policy,
            seed=self.seed,
            exploration=self.exploration,
            **({"player": self.player} if self.player else {}),
            distinct="true" if self.distinct else "false",
            columns=json.dumps({name: MEANINGS[name] for name in names}),
        )
