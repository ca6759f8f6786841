"""Reviews of games: the expected points that every decision lost and every roll brought.

Under optimal play the expected final score changes only when dice are rolled. The difference between the expected
score at the start and the final score therefore is exactly the sum of luck and errors::

    final score = expected score at the start + sum of luck - sum of errors

    luck  of a roll     = best value with these dice - value before the roll
    error of a decision = best value - value of what was done

A value counts the points from the start of the turn to the end of the game. After every roll there is one decision:
to hold some of the dice, or to take a category, with rerolls left or without. All figures are in points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import StateError, _, whole_number
from ..game.dice import Dice
from ..game.scorecard import Scorecard, State
from ..strategy.actions import Choice, Hold
from ..strategy.strategy import Strategy, check_strategy
from ..strategy.turn_evaluator import ScoreEvaluator, TurnEvaluator
from ..strategy.turn_outcomes import TurnOutcome, outcomes_of_hold
from .record import Game

# The limits are about the first and third quartile of what the second-best hold loses: 0.36, 0.89 and 1.70 points at
# the quartiles of 2,900 holds in 60 games of optimal play (1.6, 4.5 and 9.1 for 840 categories).
GRADES = ((0.4, "inaccuracy"), (1.7, "mistake"))
TIE_TOLERANCE = 1e-6  # points; values closer than this are equal but for rounding


def grade(loss: float, first: bool = True) -> str:
    """``best`` for the option listed `first`, ``tied``, ``inaccuracy``, ``mistake`` or ``blunder``, by the loss."""
    if loss < TIE_TOLERANCE:
        return "best" if first else "tied"
    return next((name for limit, name in GRADES if loss < limit), "blunder")


def find_action(actions: Sequence[Hold | Choice], target: Dice | str) -> Hold | Choice | None:
    """The action that holds these dice or takes the category with this id; None if it is not among the actions."""
    return next((a for a in actions if a.action == target), None)


@dataclass(frozen=True)
class Decision:
    """One decision and its grade."""

    # number of the player's turn and of the roll before the decision, from 1
    turn: int
    roll: int
    dice: Dice  # dice after that roll, ascending
    rolls_left: int  # rerolls left; 0 if only a category could be chosen
    # what was played, and the best action. Both have their `loss` in expected points
    done: Hold | Choice
    best: Hold | Choice
    grade: str  # see :func:`grade`
    card: Scorecard  # the card before the turn

    @property
    def loss(self) -> float:
        """Expected points it lost."""
        return self.done.loss


@dataclass(frozen=True)
class RollLuck:
    """The luck of one roll."""

    # number of the player's turn and of the roll in it, from 1
    turn: int
    roll: int
    dice: Dice  # dice after the roll, ascending
    luck: float  # best value with these dice minus the value before the roll, in points


@dataclass(frozen=True)
class Review:
    """The review of one player's game."""

    player: str  # the player's name
    start: float  # expected final score at the start, in points
    result: float  # final score; for an unfinished game the expected final score after the last turn of the record
    finished: bool
    decisions: tuple[Decision, ...]  # in the order they were played
    roll_luck: tuple[RollLuck, ...]  # one for each roll, in the order they were played

    @property
    def luck(self) -> float:
        """Sum of the luck of all rolls, in points."""
        return sum(roll.luck for roll in self.roll_luck)

    @property
    def points_lost(self) -> float:
        """Sum of what all decisions lost, in expected points."""
        return sum(decision.loss for decision in self.decisions)

    def counts(self) -> dict[str, int]:
        """Number of decisions by grade."""
        names = ["best", "tied", *(name for _, name in GRADES), "blunder"]
        return {name: sum(d.grade == name for d in self.decisions) for name in names}


def review(strategy: Strategy, game: Game, player: int = 0) -> Review:
    """Grade every decision of one player of a game, finished or not, by the strategy of the mean for its rules."""
    check_strategy(strategy)
    if strategy.rules.fingerprint != game.rules.fingerprint:
        message = _("the game was played by {rules}, but the strategy is for {strategy_rules}")
        raise StateError(message.format(rules=game.rules.key, strategy_rules=strategy.rules.key))
    if not 0 <= whole_number(player, "player") < len(game.players):
        message = _("player is {player}; must be 0 to {players}")
        raise StateError(message.format(player=player, players=len(game.players) - 1))
    decisions: list[Decision] = []
    roll_luck: list[RollLuck] = []
    for number, (card, turn) in enumerate(game.cards(player), start=1):
        value, max_rerolls = strategy.value(card), strategy.max_rerolls(card.state)
        for i, dice in enumerate(turn.dice_history):
            found = strategy.ranking(card, dice, max_rerolls - i)
            roll_luck.append(RollLuck(number, i + 1, dice, found[0].value - value))
            done = find_action(found, turn.category if i == len(turn.dice_history) - 1 else turn.holds[i])
            assert done is not None  # the record has been checked
            graded = grade(done.loss, done is found[0])
            decisions.append(Decision(number, i + 1, dice, max_rerolls - i, done, found[0], graded, card))
            value = done.value
    card = game.card(player)
    finished = card.state.filled == game.rules.full_mask
    result = card.score if finished else card.total + strategy.value(card)
    return Review(game.players[player], strategy.value(), float(result), finished, tuple(decisions), tuple(roll_luck))


@dataclass(frozen=True)
class ActionOutlook:
    """What an action leads to under optimal play."""

    turn_points: float  # expected points of this turn, bonus points included
    # expected points of the later turns, the upper bonus included; None if play is for a goal or a utility
    later_points: float | None
    upper_bonus_chance: float | None  # chance of the upper bonus, 0 to 1; None if it is not known
    # for each category this turn may fill: id, chance, and expected points in that case; most likely first
    categories: tuple[tuple[str, float, float], ...]


def action_outlook(
    strategy: Strategy,
    decision: Decision,
    action: Hold | Choice,
    upper_bonus_chance: Callable[[State], float] | None = None,
) -> ActionOutlook:
    """What one of the actions of a decision leads to under optimal play for the mean."""
    return turn_outlook(strategy.evaluator, decision.card, action, decision.rolls_left, upper_bonus_chance)


def turn_outlook(
    evaluator: TurnEvaluator,
    card: Scorecard,
    action: Hold | Choice,
    rolls_left: int,
    upper_bonus_chance: Callable[[State], float] | None = None,
) -> ActionOutlook:
    """:func:`action_outlook` for any objective, from the values of a turn; a hold of all dice is its category."""
    rules = evaluator.rules
    outcomes: Sequence[TurnOutcome]
    if isinstance(action, Hold):
        outcomes = outcomes_of_hold(evaluator, card.state, action.dice, rolls_left)
    else:
        saved = rolls_left if rules.saved_rolls else 0
        outcomes = [TurnOutcome(rules.index_of[action.category], action.points, action.bonus_points, saved, 1.0)]
    after = [o.next_state(evaluator, card.state) for o in outcomes]
    turn_points = sum(o.chance * (o.points + o.bonus_points) for o in outcomes)
    later_points = chance_of_bonus = None
    if not isinstance(evaluator, ScoreEvaluator):
        later_points = sum(o.chance * evaluator.value(state) for o, state in zip(outcomes, after, strict=True))
    if upper_bonus_chance:
        chance_of_bonus = sum(o.chance * upper_bonus_chance(state) for o, state in zip(outcomes, after, strict=True))
    sums: dict[int, list[float]] = {}  # chance, and chance times points, by category
    for o in outcomes:
        entry = sums.setdefault(o.category, [0.0, 0.0])
        entry[0] += o.chance
        entry[1] += o.chance * (o.points + o.bonus_points)
    most_likely_first = sorted(sums.items(), key=lambda item: -item[1][0])
    categories = tuple((rules.categories[c].id, chance, total / chance) for c, (chance, total) in most_likely_first)
    return ActionOutlook(turn_points, later_points, chance_of_bonus, categories)
