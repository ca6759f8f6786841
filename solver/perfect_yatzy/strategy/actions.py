"""The actions for the dice on the table, best first: every hold, every category.

    value(category) = points + bonus points + V(card with the category filled)
    value(hold)     = E[ best value after rerolling the other dice ]        loss = best value - value

Actions of equal value are ranked by their mean: the expected points still to come if everything
after the action maximises the mean. This matters for goals and utilities; for the mean itself both
values are the same. The functions here trust their arguments;
:class:`perfect_yatzy.strategy.strategy.Strategy` checks them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, SupportsIndex, TypeVar, overload

import numpy as np

from ..core.dice import Dice, sub_multisets
from ..core.rules import RuleSet
from ..core.scorecard import State
from ..core.scoring import scoring_options
from ..game.legal_actions import Action as GameAction
from ..game.notation import counts_of, dice_of, glyphs, spaced
from ..game.notebook import html_table
from .metadata import metadata, value_name
from .turn_evaluator import TurnEvaluator

SHOWN = 20  # actions of a ranking that are displayed


@dataclass(frozen=True)
class Hold:
    """One way to hold some of the dice. Holding all of them means: stop and score.

    Attributes
    ----------
    dice : tuple of int
        Dice held, ascending.
    value : float
        Expected points still to come under perfect play, the upper bonus included, the points on
        the card not. From a :class:`perfect_yatzy.strategy.score_strategy.ScoreStrategy`: the
        chance of the goal (0 to 1), or the expected utility of the final score.
    loss : float
        The best hold's value minus this one's, in the same unit; 0.0 for the best and its ties.
    mean : float
        Expected points still to come if the mean is maximised after this hold; breaks ties of
        `value`.
    category : str or None
        For the hold of all dice: the id of the category to score now.
    """

    dice: tuple[int, ...]
    value: float
    loss: float
    mean: float
    category: str | None = None

    @property
    def action(self) -> GameAction:
        """What :meth:`perfect_yatzy.TurnPosition.apply` takes: the dice to hold, or the category
        to score now.
        """
        return self.category or self.dice

    @property
    def label(self) -> str:
        """The hold in a few words."""
        if self.category:
            return f"score {self.category}"
        return f"hold {spaced(self.dice)} {glyphs(self.dice)}" if self.dice else "reroll all"

    def _repr_html_(self) -> str:
        return Ranking([self])._repr_html_()


@dataclass(frozen=True)
class Choice:
    """One category for the dice on the table.

    Attributes
    ----------
    category : str
        Id of the category.
    points : int
        Points its box receives.
    value : float
        Expected points still to come, these points and the upper bonus included. From a
        :class:`perfect_yatzy.strategy.score_strategy.ScoreStrategy`: a chance or an expected utility, as for
        :class:`Hold`.
    loss : float
        The best category's value minus this one's, in the same unit; 0.0 for the best and its ties.
    mean : float
        Expected points still to come if the mean is maximised after this choice, these points
        included; breaks ties of `value`.
    bonus_points : int
        Joker or first-roll bonus paid now, included in `value`.
    """

    category: str
    points: int
    value: float
    loss: float
    mean: float
    bonus_points: int = 0

    @property
    def action(self) -> GameAction:
        """What :meth:`perfect_yatzy.TurnPosition.apply` takes: the id of the category."""
        return self.category

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return f"{self.category} for {self.points + self.bonus_points}"

    def _repr_html_(self) -> str:
        return Ranking([self])._repr_html_()


Action = TypeVar("Action", bound=Hold | Choice)
Option = TypeVar("Option")


class Ranking(list[Action], Generic[Action]):
    """Actions, best first: a list that knows its question, and that prints as a table; a slice
    is a ranking, too.
    """

    def __init__(
        self,
        entries: Iterable[Action] = (),
        rules: RuleSet | None = None,
        policy: str = "",
        dice: tuple[int, ...] = (),
        rolls_left: int = 0,
    ) -> None:
        super().__init__(entries)
        self.rules, self.policy, self.dice, self.rolls_left = rules, policy, dice, rolls_left

    @overload
    def __getitem__(self, index: SupportsIndex) -> Action: ...

    @overload
    def __getitem__(self, index: slice) -> Ranking[Action]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Action | Ranking[Action]:
        """The action at an index, or the ranking of the actions in a slice."""
        if isinstance(index, slice):
            return Ranking(
                super().__getitem__(index), self.rules, self.policy, self.dice, self.rolls_left
            )
        return super().__getitem__(index)

    def metadata(self) -> dict[str, str]:
        """The question (:func:`perfect_yatzy.strategy.metadata.metadata`), with ``dice`` and
        ``rolls_left``.
        """
        asked = {"dice": spaced(self.dice), "rolls_left": self.rolls_left} if self.dice else {}
        return metadata(self.rules, self.policy, **asked)

    def columns(self) -> dict[str, list[Any]]:
        """The actions as named columns, with the names of the JSON answers; None where an action
        has none.
        """
        if not self:
            return {}
        name = value_name(self.policy)
        found: dict[str, list[Any]] = {}
        if any(isinstance(entry, Hold) for entry in self):
            found["hold"] = [
                list(entry.dice) if isinstance(entry, Hold) else None for entry in self
            ]
        found["category"] = [entry.category for entry in self]
        if any(isinstance(entry, Choice) for entry in self):
            for field in ("points", "bonus_points"):
                found[field] = [getattr(entry, field, None) for entry in self]
        found |= {name: [entry.value for entry in self], "loss": [entry.loss for entry in self]}
        if name != "expected_remaining":
            found["expected_remaining"] = [entry.mean for entry in self]
        return found

    def _shown(self) -> tuple[str, tuple[str, str, str], list[tuple[str, float, float]], str]:
        """What is displayed: the question, the head of the table, its rows, and that there are
        more.
        """
        left = f"{spaced(self.dice)}, {self.rolls_left} rolls left"
        title = f"{self.rules.key}, {self.policy}: {left}" if self.rules else ""
        more = f"{SHOWN} of {len(self)} actions" if len(self) > SHOWN else ""
        head = "action", value_name(self.policy).replace("_", " "), "loss"
        return title, head, [(entry.label, entry.value, entry.loss) for entry in self[:SHOWN]], more

    def __repr__(self) -> str:
        if not self:
            return "[]"
        title, head, rows, more = self._shown()
        lines = [head, *((label, f"{value:.4f}", f"{loss:.4f}") for label, value, loss in rows)]
        # the widths
        of_action, of_value, of_loss = (
            max(map(len, column)) for column in zip(*lines, strict=True)
        )
        text = [
            f"{action:<{of_action}}  {value:>{of_value}}  {loss:>{of_loss}}"
            for action, value, loss in lines
        ]
        return "\n".join(line for line in (title, *text, more) if line)

    def _repr_html_(self) -> str:
        title, head, rows, more = self._shown()
        return html_table(head, rows, "; ".join(part for part in (title, more) if part))


def rank_categories(
    evaluator: TurnEvaluator, state: State, dice: tuple[int, ...], rolls_left: int
) -> list[Choice]:
    """Every category that may take the dice, best first; of equal ones the first of the sheet
    comes first.
    """
    rules, means = evaluator.rules, evaluator.means
    saved = rolls_left if rules.saved_rolls else 0
    first = rolls_left == max_rerolls(rules, state.saved)
    allowed = scoring_options(rules, state.filled, state.joker_paid, counts_of(rules, dice), first)
    entries = []
    for c, (points, bonus_points) in allowed.items():
        turn_end = state, c, np.array(points), bonus_points, saved
        value = evaluator.child_value(*turn_end).item()
        mean = value if means is evaluator else means.child_value(*turn_end).item()
        entries.append((value, mean, (c, points, bonus_points)))
    return [
        Choice(rules.categories[c].id, points, value, loss, mean, bonus_points)
        for value, loss, mean, (c, points, bonus_points) in ranked(
            evaluator, entries, lambda option: option[0]
        )
    ]


def rank_holds(
    evaluator: TurnEvaluator, state: State, dice: Dice, rolls_left: int, best: Choice
) -> list[Hold]:
    """Every different hold, best first; of equal ones the one with more dice, then higher faces,
    comes first.
    """
    held = sub_multisets(np.array(counts_of(evaluator.rules, dice), dtype=np.int64))
    places = evaluator.dice.rank(held)
    values = evaluator.hold_values(state, rolls_left)[places]
    means = (
        values.copy()
        if evaluator.means is evaluator
        else evaluator.means.hold_values(state, rolls_left)[places]
    )
    values[-1], means[-1] = best.value, best.mean  # sub_multisets ends with all dice
    entries = zip(values.tolist(), means.tolist(), map(dice_of, held.tolist()), strict=True)
    return [
        Hold(hold, value, loss, mean, best.category if len(hold) == len(dice) else None)
        for value, loss, mean, hold in ranked(
            evaluator, entries, lambda hold: (-len(hold), tuple(-f for f in hold))
        )
    ]


def rank_all(
    evaluator: TurnEvaluator, state: State, dice: tuple[int, ...], rolls_left: int
) -> list[Hold | Choice]:
    """Every hold of fewer than all dice and every category; of equal options a category, then
    more dice held.
    """
    choices = rank_categories(evaluator, state, dice, rolls_left)
    found: list[Hold | Choice] = [*choices]
    if rolls_left:
        # Holding all dice means taking a category, and all categories are there already.
        found += [
            h
            for h in rank_holds(evaluator, state, dice, rolls_left, choices[0])
            if h.category is None
        ]
    entries = [
        (option.value, option.mean, index) for index, option in enumerate(found)
    ]  # equal ones: by index
    return [
        replace(found[index], loss=loss)
        for _, loss, _, index in ranked(evaluator, entries, lambda index: index)
    ]


def max_rerolls(rules: RuleSet, saved: int) -> int:
    """Rerolls after the first roll of a turn that begins with `saved` saved rolls."""
    return rules.rolls_per_turn - 1 + saved


def ranked(
    evaluator: TurnEvaluator,
    entries: Iterable[tuple[float, float, Option]],
    key: Callable[[Option], Any],
) -> list[tuple[float, float, float, Option]]:
    """``(value, loss, mean, option)`` of entries ``(value, mean, option)``, the best first;
    equal means by `key`.
    """
    by_value = [*_equal(evaluator, entries, 0)]
    best, _mean, _option = by_value[0][0]
    lowest = evaluator.lowest_equal(best)
    found: list[tuple[float, float, float, Option]] = []
    for equal in by_value:
        by_mean = [equal] if evaluator.means is evaluator else _equal(evaluator.means, equal, 1)
        for same in by_mean:
            for value, mean, option in sorted(same, key=lambda entry: key(entry[2])):
                found.append((value, 0.0 if value >= lowest else best - value, mean, option))
    return found


def _equal(
    evaluator: TurnEvaluator, entries: Iterable[tuple[float, float, Option]], field: Literal[0, 1]
) -> Iterator[list[tuple[float, float, Option]]]:
    """The entries whose value (field 0) or mean (1) equals the best, then those equal to the
    best of the rest, ...
    """
    rest = sorted(entries, key=lambda entry: -entry[field])
    while rest:
        lowest = evaluator.lowest_equal(rest[0][field])
        equal = [entry for entry in rest if entry[field] >= lowest]
        yield equal
        rest = rest[len(equal) :]
