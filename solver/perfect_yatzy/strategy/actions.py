"""Rank the actions for the dice on the table, best first: every hold, every category.

    value(category) = points + bonus points + V(card with the category filled)
    value(hold)     = E[ best value after rerolling the other dice ]
    loss            = best value - value

Actions of equal value are ranked by their mean: the expected points still to come if everything
after the action maximises the mean. This matters for goals and utilities; for the mean itself both
values are the same. The functions here trust their arguments;
:class:`perfect_yatzy.strategy.strategy.Strategy` checks them first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Generic, NamedTuple, SupportsIndex, TypeVar, overload

import numpy as np

from ..core.dice import Dice, Ints
from ..core.rules import RuleSet
from ..game.legal_actions import Action as GameAction
from ..game.legal_actions import actions_by_number, hold_count, holds_within
from ..game.notation import glyphs, spaced
from .action_kinds import ALL_DICE, ALL_KINDS, CATEGORIES, HOLDS
from .changeover import compiled_turn
from .metadata import metadata, value_name
from .ranked_actions import RankedActions, Turn
from .turn_evaluator import TurnEvaluator

SHOWN = 20  # actions of a ranking that are displayed


class Hold(NamedTuple):
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
        """What :meth:`perfect_yatzy.TurnPosition.apply` takes: the dice to hold, or a category."""
        return self.category or self.dice

    @property
    def label(self) -> str:
        """The hold in a few words."""
        if self.category:
            return f"score {self.category}"
        if not self.dice:
            return "reroll all"
        return f"hold {spaced(self.dice)} {glyphs(self.dice)}"

    def _repr_html_(self) -> str:
        return Ranking([self])._repr_html_()


class Choice(NamedTuple):
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


class _Shown(NamedTuple):
    """What a ranking displays."""

    title: str  # the question, or empty if it is not known
    head: tuple[str, str, str]  # the heads of the columns of the table
    rows: list[tuple[str, float, float]]  # name, value and loss of the first actions
    more: str  # says that there are further actions, or empty


class Ranking(list[Action], Generic[Action]):
    """Actions, best first, in a list that knows its question and prints as a table.

    A slice of it is a ranking, too.
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
        self.rules = rules
        self.policy = policy
        self.dice = dice
        self.rolls_left = rolls_left

    @overload
    def __getitem__(self, index: SupportsIndex) -> Action: ...

    @overload
    def __getitem__(self, index: slice) -> Ranking[Action]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Action | Ranking[Action]:
        """Return the action at an index, or the ranking of the actions in a slice."""
        if isinstance(index, slice):
            return Ranking(
                super().__getitem__(index), self.rules, self.policy, self.dice, self.rolls_left
            )
        return super().__getitem__(index)

    def metadata(self) -> dict[str, str]:
        """Return the question as text.

        These are the entries of :func:`perfect_yatzy.strategy.metadata.metadata`, with ``dice`` and
        ``rolls_left``.
        """
        asked = {"dice": spaced(self.dice), "rolls_left": self.rolls_left} if self.dice else {}
        return metadata(self.rules, self.policy, **asked)

    def columns(self) -> dict[str, list[Any]]:
        """Return the actions as named columns, with the names of the JSON answers.

        An entry is None where an action has none.
        """
        if not self:
            return {}
        columns: dict[str, list[Any]] = {}
        if any(isinstance(entry, Hold) for entry in self):
            columns["hold"] = [
                list(entry.dice) if isinstance(entry, Hold) else None for entry in self
            ]
        columns["category"] = [entry.category for entry in self]
        if any(isinstance(entry, Choice) for entry in self):
            for field in ("points", "bonus_points"):
                columns[field] = [getattr(entry, field, None) for entry in self]
        name = value_name(self.policy)
        columns[name] = [entry.value for entry in self]
        columns["loss"] = [entry.loss for entry in self]
        if name != "expected_remaining":
            columns["expected_remaining"] = [entry.mean for entry in self]
        return columns

    def _shown(self) -> _Shown:
        """Return what is displayed."""
        left = f"{spaced(self.dice)}, {self.rolls_left} rolls left"
        title = f"{self.rules.key}, {self.policy}: {left}" if self.rules else ""
        more = f"{SHOWN} of {len(self)} actions" if len(self) > SHOWN else ""
        head = ("action", value_name(self.policy).replace("_", " "), "loss")
        rows = [(entry.label, entry.value, entry.loss) for entry in self[:SHOWN]]
        return _Shown(title, head, rows, more)

    def __repr__(self) -> str:
        if not self:
            return "[]"
        title, head, rows, more = self._shown()
        lines = [head, *((label, f"{value:.4f}", f"{loss:.4f}") for label, value, loss in rows)]
        action_width, value_width, loss_width = (
            max(map(len, column)) for column in zip(*lines, strict=True)
        )
        text = [
            f"{action:<{action_width}}  {value:>{value_width}}  {loss:>{loss_width}}"
            for action, value, loss in lines
        ]
        return "\n".join(line for line in (title, *text, more) if line)

    def _repr_html_(self) -> str:
        from ..notebook import html_table

        title, head, rows, more = self._shown()
        return html_table(head, rows, "; ".join(part for part in (title, more) if part))


def ranked_actions(turn: Turn, kinds: int) -> RankedActions:
    """Return the actions of some kinds for the dice on the table, best first.

    Of equal ones a category comes first, in the order of the sheet, then the hold with more dice,
    then that with the higher faces.
    """
    if compiled := compiled_turn(turn.evaluator):
        return compiled.ranked(turn, kinds)
    return _ranked_by_numpy(turn, kinds)


def _ranked_by_numpy(turn: Turn, kinds: int) -> RankedActions:
    """Return the same as :func:`ranked_actions`. First the categories are ranked, then all."""
    evaluator, state, dice, rolls_left = turn
    rules = evaluator.rules
    means = evaluator.means  # the evaluator itself if it maximises the mean
    saved = rolls_left if rules.saved_rolls else 0
    allowed = turn.categories()
    categories = np.array([*allowed], dtype=np.int64)
    points, bonus_points = np.array([*allowed.values()], dtype=np.int64).T
    values = evaluator.child_values(state, categories, points, bonus_points, saved).tolist()
    averages = values
    if means is not evaluator:
        averages = means.child_values(state, categories, points, bonus_points, saved).tolist()
    n_holds = hold_count(rules)
    numbers = [n_holds + c for c in allowed]
    ranked_categories = best_first(evaluator, numbers, values, averages)
    category = ranked_categories.numbers[0] - n_holds
    if kinds == CATEGORIES or not rolls_left:
        return ranked_categories._replace(category=category)
    if kinds == HOLDS:  # to hold all dice is to score in the best category
        numbers = [ALL_DICE]
        values = [ranked_categories.values[0]]
        averages = [ranked_categories.means[0]]
    holds = holds_in_order(rules, dice)
    numbers = [*numbers, *holds.tolist()]
    values = values + evaluator.hold_values(state, rolls_left)[holds].tolist()
    if means is evaluator:
        return best_first(evaluator, numbers, values, values, category)
    averages = averages + means.hold_values(state, rolls_left)[holds].tolist()
    return best_first(evaluator, numbers, values, averages, category)


@lru_cache(maxsize=512)
def holds_in_order(rules: RuleSet, dice: Dice) -> Ints:
    """Return the numbers of the holds of fewer than all dice.

    The one with the most dice and the highest faces comes first.
    """
    return np.flatnonzero(holds_within(rules, dice))[::-1]


def best_first(
    evaluator: TurnEvaluator,
    numbers: Sequence[int],
    values: Sequence[float],
    means: Sequence[float],
    category: int = -1,
) -> RankedActions:
    """Return actions sorted by value.

    Those of equal value are sorted by mean, and those of equal means stay in the order given.
    `means` is the same list as `values` where the mean is maximised. `category` is the best one for
    the dice, -1 if it is not known yet.
    """
    order = []
    for group in evaluator.in_groups(range(len(values)), values):
        if means is values:
            order += group
        else:
            order += chain.from_iterable(evaluator.means.in_groups(group, means))
    ranked = [values[place] for place in order]
    averages = ranked if means is values else [means[place] for place in order]
    return RankedActions([numbers[place] for place in order], ranked, averages, category)


def best_action(turn: Turn) -> tuple[int, float]:
    """Return the number of the best action of all, and its value."""
    if compiled := compiled_turn(turn.evaluator):
        return compiled.best(turn)
    ranked = _ranked_by_numpy(turn, ALL_KINDS)
    return ranked.numbers[0], ranked.values[0]


def ranked_entries(turn: Turn, kinds: int) -> list[Any]:
    """Return the ranked actions of some kinds as :class:`Hold` and :class:`Choice`."""
    ranked = ranked_actions(turn, kinds)
    evaluator = turn.evaluator
    rules = evaluator.rules
    best = max(ranked.values)
    lowest = evaluator.lowest_equal(best)
    actions = actions_by_number(rules)
    n_holds = hold_count(rules)
    paid = turn.categories() if kinds & CATEGORIES else {}  # points and bonus points
    entries: list[Any] = []
    # Made without the constructors of named tuples, which take three times as long.
    new = tuple.__new__
    for number, value, mean in zip(ranked.numbers, ranked.values, ranked.means, strict=True):
        loss = 0.0 if value >= lowest else best - value
        if number >= n_holds:
            points, bonus_points = paid[number - n_holds]
            fields = (actions[number], points, value, loss, mean, bonus_points)
            entries.append(new(Choice, fields))
        elif number >= 0:
            entries.append(new(Hold, (actions[number], value, loss, mean, None)))
        else:  # ALL_DICE
            category = rules.categories[ranked.category].id
            entries.append(new(Hold, (turn.dice, value, loss, mean, category)))
    return entries
