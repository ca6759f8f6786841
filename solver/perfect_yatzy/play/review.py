"""A game graded: what every decision lost, what luck gave and took, and why the best choice is best.

Between two dice rolls the value of a position does not change if one plays perfectly. So every difference between
the value at the start and the final score has one of two sources, and they add up exactly::

    final score = value at the start + sum of luck - sum of errors

    luck  of a roll     = best value with these dice - value before the roll
    error of a decision = best value - value of what was done

After every roll there is one decision: to hold some of the dice, or to take a category, rerolls left or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..errors import StateError, whole_number
from ..game.dice import Dice
from ..game.scorecard import Scorecard, State
from ..strategy.actions import Choice, Hold, ranked
from ..strategy.opponents import final_score
from ..strategy.strategy import Strategy, check_strategy
from ..strategy.turn_outcomes import TurnOutcome, outcomes_of_hold
from .record import Game, Turn

# Of 2,900 holds in 60 perfect games the second best loses 0.36, 0.89 and 1.70 at the quartiles, of 840 categories
# 1.6, 4.5 and 9.1: below the first most players see no difference, above the last the better choice is in plain view.
GRADES = ((0.4, "inaccuracy"), (1.7, "mistake"))
TIED = 1e-6


def grade(loss: float, first: bool = True) -> str:
    """``best``, ``tied`` (as good, but not the one listed first), ``inaccuracy``, ``mistake`` or ``blunder``."""
    if loss < TIED:
        return "best" if first else "tied"
    return next((name for limit, name in GRADES if loss < limit), "blunder")


def actions(strategy: Strategy, card: Scorecard, dice: Sequence[int], rolls_left: int) -> list[Hold | Choice]:
    """All one can do with the dice on the table, best first: hold some of them, or take a category now.

    Losses are against the best of all. Of equal ones a category comes first, then the hold with more dice.
    """
    found: list[Hold | Choice] = [*strategy.categories(card, dice, rolls_left)]
    if rolls_left:
        # To hold all dice is to take a category, and those are all there.
        found += [hold for hold in strategy.holds(card, dice, rolls_left) if hold.category is None]
    entries = [(action.value, place) for place, action in enumerate(found)]
    best_first = ranked(strategy.evaluator, entries, lambda place: place)
    return [replace(found[place], loss=loss) for _, loss, place in best_first]


def action_named(found: Sequence[Hold | Choice], named: Dice | str) -> Hold | Choice | None:
    """The action that holds these dice or takes this category."""
    return next((a for a in found if (a.dice if isinstance(a, Hold) else a.category) == named), None)


@dataclass(frozen=True)
class Decision:
    """One decision and its grade.

    Attributes
    ----------
    turn, roll : int
        From 1; the roll after which it was taken.
    dice : tuple of int
        On the table, ascending.
    rolls_left : int
        Rerolls left; 0 when only a category was to be chosen.
    done, best : Hold or Choice
        A category taken with rerolls left is a choice, too. Losses are in their `loss`.
    grade : str
    card : Scorecard
        Before the turn.
    """

    turn: int
    roll: int
    dice: Dice
    rolls_left: int
    done: Hold | Choice
    best: Hold | Choice
    grade: str
    card: Scorecard

    @property
    def loss(self) -> float:
        """Points it lost, in expectation."""
        return self.done.loss


@dataclass(frozen=True)
class RollLuck:
    """What one roll gave or took."""

    turn: int
    roll: int
    dice: Dice
    luck: float


@dataclass(frozen=True)
class Review:
    """A player's game, graded.

    Attributes
    ----------
    player : str
    start : float
        Value at the start.
    result : float
        Final score; of an unfinished game the points made and the value still to come.
    finished : bool
    decisions, rolls : tuples
        In the order they were played.
    """

    player: str
    start: float
    result: float
    finished: bool
    decisions: tuple[Decision, ...]
    roll_luck: tuple[RollLuck, ...]

    @property
    def luck(self) -> float:
        """Sum of luck, in points."""
        return sum(roll.luck for roll in self.roll_luck)

    @property
    def points_lost(self) -> float:
        """Sum of errors, in points."""
        return sum(decision.loss for decision in self.decisions)

    def counts(self) -> dict[str, int]:
        """Decisions of each grade."""
        names = ["best", "tied", *(name for _, name in GRADES), "blunder"]
        return {name: sum(d.grade == name for d in self.decisions) for name in names}


def review(strategy: Strategy, game: Game, player: int = 0) -> Review:
    """Grade every decision of one player of a game.

    Parameters
    ----------
    strategy
        Of the mean, under the rules of the game: ``open_strategy(game.rules)``.
    game
        One of :func:`perfect_yatzy.play.record.read_games`, finished or not.
    player
        Number of the player, from 0.

    Returns
    -------
    Review

    Raises
    ------
    StateError
        If the strategy is one of other rules, or there is no such player.
    """
    check_strategy(strategy)
    if strategy.rules.fingerprint != game.rules.fingerprint:
        raise StateError(f"the game is one of {game.rules.key}, the strategy one of {strategy.rules.key}")
    if not 0 <= whole_number(player, "player") < len(game.players):
        raise StateError(f"player is {player}; must be 0 to {len(game.players) - 1}")
    decisions: list[Decision] = []
    roll_luck: list[RollLuck] = []
    for number, (card, turn) in enumerate(game.cards(player), start=1):
        _turn(strategy, number, card, turn, decisions, roll_luck)
    card = game.card(player)
    finished = card.state.filled == game.rules.full_mask
    result = final_score(card) if finished else card.total + strategy.value(card)
    return Review(game.players[player], strategy.value(), float(result), finished, tuple(decisions), tuple(roll_luck))


def _turn(
    strategy: Strategy, number: int, card: Scorecard, turn: Turn, decisions: list[Decision], roll_luck: list[RollLuck]
) -> None:
    before, most = strategy.value(card), strategy.most_rerolls(card.state)
    for i, dice in enumerate(turn.dice_history):
        found = actions(strategy, card, dice, most - i)
        roll_luck.append(RollLuck(number, i + 1, dice, found[0].value - before))
        done = action_named(found, turn.category if i == len(turn.dice_history) - 1 else turn.holds[i])
        assert done is not None  # the record has been checked
        mark = grade(done.loss, done is found[0])
        decisions.append(Decision(number, i + 1, dice, most - i, done, found[0], mark, card))
        before = done.value


@dataclass(frozen=True)
class ActionOutlook:
    """What a choice means, computed from the rest of the game.

    Attributes
    ----------
    now : float
        Mean points this turn makes.
    later : float
        Mean points after this turn, the upper bonus included.
    bonus : float or None
        Chance of the upper bonus after it; None where it is not known.
    categories : tuple of (str, float, float)
        For each category this turn may fill: id, chance, mean points if so; likeliest first.
    """

    now: float
    later: float
    bonus: float | None
    categories: tuple[tuple[str, float, float], ...]


def action_outlook(
    strategy: Strategy,
    decision: Decision,
    action: Hold | Choice,
    upper_bonus_chance: Callable[[State], float] | None = None,
) -> ActionOutlook:
    """What an action leads to if all after it is played perfectly.

    Parameters
    ----------
    action
        One of those that could be taken at the decision.
    upper_bonus_chance
        Chance of the upper bonus of a state at the start of a turn.
    """
    card, rules, evaluator = decision.card, strategy.rules, strategy.evaluator
    ends: Sequence[TurnOutcome]
    if isinstance(action, Hold):
        ends = outcomes_of_hold(evaluator, card.state, action.dice, decision.rolls_left)
    else:
        saved = decision.rolls_left if rules.saved_rolls else 0
        ends = [TurnOutcome(rules.index_of[action.category], action.points, action.bonus_points, saved, 1.0)]
    now = sum(end.chance * (end.points + end.bonus_points) for end in ends)
    later = sum(end.chance * strategy.value(end.after(evaluator, card.state)) for end in ends)
    bonus = None
    if upper_bonus_chance:
        bonus = sum(end.chance * upper_bonus_chance(end.after(evaluator, card.state)) for end in ends)
    found: dict[int, list[float]] = {}
    for end in ends:
        entry = found.setdefault(end.category, [0.0, 0.0])
        entry[0] += end.chance
        entry[1] += end.chance * (end.points + end.bonus_points)
    ordered = sorted(found.items(), key=lambda item: -item[1][0])
    return ActionOutlook(
        now, later, bonus, tuple((rules.categories[c].id, chance, total / chance) for c, (chance, total) in ordered)
    )
