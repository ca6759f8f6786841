"""Make policies from a guess of the points to come or a Python function, and play any policy.

A player says what to do with the dice of one position: an object with ``act(position)`` or a
function of a position. A policy of the kernels (:class:`Acting`) looks its action up as the kernels
do, so both play alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ..core.dice import Ints, Lattice, lattice
from ..core.rules import RuleSet
from ..core.state import State
from ..core.state_space import StateSpace, state_space
from ..core.turn_model import turn_model, turn_outcomes
from ..errors import RulesError, StateError, game_over, shown
from ..game.legal_actions import Action, TurnPosition
from ..game.notation import CardText, counts_of, dice_of, read_card
from ..game.roll_options import roll_options
from ..game.rule_loader import load_rules
from ..game.scorecard import Scorecard
from ..objectives.policy_quantities import Policy, RowActions
from ..strategy.played_games import Player
from ..strategy.strategy import Strategy
from ..strategy.turn_evaluator import GreedyPolicy

if TYPE_CHECKING:
    from ..objectives.policy_kernel import PolicyJob

STOP = -1  # ends the turn, in an array of holds
# Parameters of functions that are policies.
PARAMETERS = ("position", "turn", "observations")
Bools = npt.NDArray[np.bool_]


class Acting:
    """A policy of the kernels that also acts in single positions."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {cast(Policy, self).rules.key}>"

    @cached_property
    def _lookup(self) -> _ActionLookup:
        return _ActionLookup(cast(Policy, self))

    def act(self, position: TurnPosition) -> Action:
        """Return the dice to hold, or the id of the category to take.

        Raises
        ------
        StateError
            If no game of the policy can reach the position, the dice are still to be rolled, or the
            game is over.
        """
        return self._lookup.action(position)


class _ActionLookup:
    """The actions of a policy, computed a block of states at a time by one thread at a time."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.space = state_space(policy.rules, policy.start)
        self.dice = lattice(policy.rules.dice, policy.rules.faces)
        self.outcomes = turn_outcomes(policy.rules, policy.start)
        self._lock = threading.Lock()
        self._row = -1  # the row asked for last
        self._actions: Any = None  # the actions of its states

    @cached_property
    def job(self) -> PolicyJob:
        """Working memory of the kernels."""
        from ..objectives.policy_kernel import policy_job

        policy = self.policy
        most_saved = int(self.space.most_saved.max())
        return policy_job(
            self.dice, turn_model(policy.rules, policy.start), policy.ties, most_saved
        )

    def action(self, position: TurnPosition) -> Action:
        """Return the action as :meth:`Acting.act` does."""
        from ..objectives.policy_kernel import stop_action
        from ..objectives.propagation_kernel import action_in

        if position.over:
            raise game_over()
        if position.to_roll:
            raise StateError("the dice are still to be rolled; use position.roll(dice)")
        rules = self.policy.rules
        state = position.state
        row, lane = row_and_lane(self.space, state)
        roll = int(self.dice.rank(np.array(counts_of(rules, position.dice)))) - self.dice.first_roll
        is_first = position.is_first_roll and bool(rules.first_roll_bonus)
        with self._lock:
            if self._row != row:
                actions_of_rows = self.policy.layer(state.filled.bit_count())
                # There is one part, which has this row.
                ((_rows, self._actions),) = actions_of_rows(np.array([row]))
                self._row = row
            action = action_in(
                self.job, self._actions, row, lane, roll, position.rolls_left, is_first
            )
        if action >= 0:  # the index of the dice to hold, otherwise an outcome of the turn
            return dice_of(self.dice.counts[action].tolist())
        return rules.categories[int(self.outcomes.category[stop_action(action)])].id


@dataclass(frozen=True)
class States:
    """All states of a game, as arrays ``(size,)`` with one entry for each state.

    They are in the order of a table.
    """

    rules: RuleSet
    filled: Ints  # int64: bitmask of the filled categories, bit i for the i-th of the sheet
    # int64: upper sum. All sums from the threshold on share a state, and so do those that can no longer
    # reach it.
    upper: Ints
    saved: Ints  # int64: saved rolls
    joker_paid: Bools  # whether the joker's box holds points

    @property
    def open(self) -> Bools:
        """``(size, categories)`` bool: which categories are open."""
        return np.asarray((self.filled[:, None] >> np.arange(len(self.rules.categories)) & 1) == 0)


def all_states(space: StateSpace) -> States:
    """Return every state of a state space."""
    layout = space.layout
    rows = space.state_rows()
    lanes, saved = space.lanes_and_saved(rows, np.arange(space.size))
    upper = layout.lane_upper[layout.lane_sets[rows], lanes].astype(np.int64)
    return States(space.rules, layout.masks[rows], upper, saved, rows >= space.cards)


Guess = npt.ArrayLike | Callable[[States], npt.ArrayLike]


class ValueFunction(Acting, GreedyPolicy):
    """Greedy play for a value function.

    Each turn is played exactly as if the function gave the points still to come.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    values
        ``(size,)`` float: a guess for each state, in the order of a table (:class:`States`), in
        points; or a function that takes :class:`States` and returns them. Also with a start the
        guess is for the whole game.
    start
        The card where the games begin; default: the empty card.

    Raises
    ------
    StateError
        If the guess has another shape, or numbers that are not finite.
    """

    def __init__(
        self, rules: str | RuleSet, values: Guess, start: CardText | Scorecard = ""
    ) -> None:
        rule_set = load_rules(rules)
        space = state_space(rule_set)
        guess = np.asarray(values(all_states(space)) if callable(values) else values)
        if guess.dtype.kind not in "iuf" or guess.shape != (space.size,):
            shape = f"{guess.shape} of {guess.dtype}"
            raise StateError(
                f"the value function has shape {shape}; must be ({space.size},) numbers"
            )
        is_finite = np.isfinite(guess)
        if not is_finite.all():
            raise StateError(
                f"the value function is {guess[~is_finite][0]} for a state; must be finite"
            )
        table = guess if guess.dtype == np.float32 else guess.astype(np.float64)
        super().__init__(rule_set, table, read_card(rule_set, start).state)


@dataclass(frozen=True)
class CardTurn:
    """The turn of one card, as a policy function sees it.

    Attributes
    ----------
    rules : RuleSet
    filled : int
        Bitmask of the filled categories.
    upper : (lanes,) int64
        The upper sums the card may have. Those that cannot lead to different results share a lane.
    joker_paid : bool
        Whether the joker's box holds points.
    allowed : (rolls, categories) bool
        Which categories may take a roll.
    points : (rolls, categories) int64
        Points of each category for a roll, jokers included. Bonus points are not included.
    """

    rules: RuleSet
    filled: int
    upper: Ints
    joker_paid: bool
    allowed: Bools
    points: Ints

    @property
    def dice(self) -> Lattice:
        """All multisets of dice. ``turn.dice.counts[h]`` has the number of each face in hold h."""
        return lattice(self.rules.dice, self.rules.faces)

    @property
    def n_rerolls(self) -> int:
        """Rerolls after the first roll."""
        return self.rules.rolls_per_turn - 1

    @property
    def roll_counts(self) -> Ints:
        """``(rolls, faces)`` int64: how many dice of each roll show each face.

        Rolls are in this order everywhere.
        """
        return np.asarray(self.dice.counts[self.dice.first_roll :])

    @property
    def open(self) -> Bools:
        """``(categories,)`` bool: which categories are open."""
        return np.asarray((self.filled >> np.arange(len(self.rules.categories)) & 1) == 0)

    @property
    def no_dice(self) -> int:
        """Index of the hold without dice, which is to reroll all."""
        return 0

    def hold_index(self, counts: npt.ArrayLike) -> Ints:
        """Return the indices of holds, ``(...)``.

        `counts` says how many dice of each face they have, ``(..., faces)``.
        """
        return np.asarray(self.dice.rank(np.asarray(counts, dtype=np.int64)))


def parameter_name(function: object) -> str:
    """Return the name of the only parameter of a function, which says what it takes.

    It is empty for all else.
    """
    names = list(signature(function).parameters) if isfunction(function) else []
    return names[0] if len(names) == 1 else ""


@lru_cache(maxsize=4)
def legal_holds(dice: int, faces: int) -> Bools:
    """Return whether a roll contains a hold, ``(rolls, holds + 1)`` bool. The last column is STOP."""
    grid = lattice(dice, faces)
    within = np.ones((grid.n_rolls, grid.n_holds + 1), dtype=bool)
    within[:, :-1] = (grid.counts[None, :, :] <= grid.counts[grid.first_roll :, None, :]).all(
        axis=2
    )
    return within


class FunctionPolicy(Acting):
    """The policy of a Python function, called once for each card that play can reach.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set. It must not save rolls.
    function
        Takes a :class:`CardTurn` and returns ``(categories, holds)``, arrays of integers that
        broadcast to the shapes

        - ``(rolls, lanes)``: the category to fill when the turn ends with a roll;
        - ``(rerolls, rolls, lanes)``: the index of the dice to hold (:meth:`CardTurn.hold_index`),
          or -1 to end the turn; the first entry is for one reroll left, the last for all of them.

        It is called by one thread at a time, with the cards in no particular order, and must give
        the same answer for the same card.
    start
        The card where the games begin; default: the empty card.

    Raises
    ------
    RulesError
        If the rules save rolls.
    StateError
        If no game can reach the start. Later, if the function returns other shapes or an action
        that is not allowed.
    """

    ties = GreedyPolicy.ties
    parameter = "turn"  # the parameter of the function

    def __init__(
        self, rules: str | RuleSet, function: Callable[[Any], Any], start: CardText | Scorecard = ""
    ) -> None:
        self.rules = load_rules(rules)
        if self.rules.saved_rolls:
            raise RulesError(
                f"{self.rules.key} saves rolls; a policy function is for rules without saved rolls"
            )
        name = parameter_name(function)
        if name in PARAMETERS and name != self.parameter:
            text = f"the function takes {name}, not {self.parameter}; evaluate(function) takes it as it is"
            if name == "position":
                text += ", and samples games; exact values need a function of turn or observations"
            raise StateError(text)
        self.function = function
        self.start = read_card(self.rules, start).state
        self.space = state_space(self.rules, self.start)
        self.lock = threading.Lock()

    def layer(self, filled: int) -> RowActions:
        """Return the actions at the cards with `filled` categories filled.

        :class:`perfect_yatzy.objectives.policy_quantities.Policy` describes them.
        """
        return lambda rows: ((np.array([row]), self.card_actions(int(row))) for row in rows)

    def turn(self, row: int) -> CardTurn:
        """Return the turn of the card of a row."""
        layout = self.space.layout
        filled = int(layout.masks[row])
        lane_set = layout.lane_sets[row]
        joker_paid = bool(row >= self.space.cards)
        options = roll_options(self.rules, filled, joker_paid)
        upper = layout.lane_upper[lane_set, : layout.lane_count[lane_set]].astype(np.int64)
        return CardTurn(self.rules, filled, upper, joker_paid, options.allowed.T, options.points.T)

    def card_actions(self, row: int) -> Any:
        """Return the actions at the card of a row, as an argument of the kernels."""
        from ..objectives.propagation_kernel import GivenActions

        turn = self.turn(row)
        category, hold = self.ask(turn)
        self._check(turn, "category", category, turn.allowed)
        self._check(turn, "hold", hold, legal_holds(self.rules.dice, self.rules.faces))
        # The actions are by rerolls left, roll and lane.
        shape = (turn.n_rerolls + 1, len(turn.allowed), len(turn.upper))
        categories = np.broadcast_to(category, shape).astype(np.int16)
        holds = np.full(shape, STOP, dtype=np.int16)  # without rerolls left the turn ends
        # To hold all dice is to end it.
        holds[1:] = np.where(hold >= turn.dice.first_roll, STOP, hold)
        return GivenActions(categories.ravel(), holds.ravel(), len(turn.upper))

    def _check(self, turn: CardTurn, kind: str, chosen: Ints, allowed: Bools) -> None:
        """Raise StateError unless all `chosen` ``(..., rolls, lanes)`` are allowed.

        `allowed` is ``(rolls, choices)``, and STOP is last.
        """
        rolls, choices = allowed.shape
        least = STOP if kind == "hold" else 0
        most = choices - 1 + least
        roll_column = np.arange(rolls)[:, None]
        if least <= chosen.min(initial=0) and chosen.max(initial=0) <= most:
            # A lookup in the flat array is faster, and most functions make no mistake.
            columns = np.where(chosen == STOP, choices - 1, chosen)
            if allowed.ravel().take(roll_column * choices + columns).all():
                return
        in_range = (chosen >= least) & (chosen <= most)
        # As an index STOP, which is -1, takes the last column.
        wrong = ~(in_range & allowed[roll_column, np.where(in_range, chosen, 0)])
        place = tuple(np.argwhere(wrong)[0])
        roll, lane = place[-2:]
        raise StateError(self._refused(turn, kind, chosen[place], roll, lane))

    def ask(self, turn: CardTurn) -> tuple[Ints, Ints]:
        """Return the categories and the holds of the function on a card.

        Categories are ``(rolls, lanes)``, or for each number of rerolls left, 0 included, ``(stages,
        rolls, lanes)``. Holds are ``(rerolls, rolls, lanes)``.
        """
        with self.lock:
            answer = self.function(turn)
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise StateError(
                f"the policy function returned {shown(answer)}; must be (categories, holds)"
            )
        shape = (len(turn.allowed), len(turn.upper))
        categories = _integers(answer[0], "categories", shape)
        holds = _integers(answer[1], "holds", (turn.n_rerolls, *shape))
        return categories, holds

    def _refused(self, turn: CardTurn, kind: str, number: int, roll: int, lane: int) -> str:
        dice = "".join(
            str(face + 1) * int(count) for face, count in enumerate(turn.roll_counts[roll])
        )
        return (
            f"the policy returned {kind} {number} for the roll {dice}, which is not allowed "
            f"(filled {turn.filled}, upper sum {turn.upper[lane]})"
        )


def _integers(given: npt.ArrayLike, label: str, shape: tuple[int, ...]) -> Ints:
    """Return an array of integers of a policy function, broadcast to a shape."""
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iu":
        raise StateError(
            f"the policy function returned {label} of type {numbers.dtype}; must be integers"
        )
    try:
        return np.broadcast_to(numbers, shape).astype(np.int64)
    except ValueError:
        text = f"the policy function returned {label} of shape {numbers.shape}; must broadcast to {shape}"
        raise StateError(text) from None


def row_and_lane(space: StateSpace, state: State) -> tuple[int, int]:
    """Return the row of a state, and the place of its upper sum there.

    Raises StateError if no game can reach the state.
    """
    space.check(state)
    row = space.row(state)
    layout = space.layout
    lanes = int(layout.lane_count[layout.lane_sets[row]])
    # The states of a row are all lanes for each number of saved rolls.
    place_in_row = int(space.unchecked_index(state) - layout.offsets[row])
    return row, place_in_row % lanes


def exact_policy(policy: object) -> Policy | Strategy | None:
    """Return the policy whose actions can be listed, None if it acts in single positions only."""
    listed: Any = getattr(policy, "exact_policy", None) or policy  # a computer player names its own
    is_policy = isinstance(listed, Strategy) or callable(getattr(listed, "layer", None))
    return listed if is_policy else None


def player_of(policy: object) -> Player:
    """Return the function of a position that a policy is, or that its ``act`` is."""
    player = getattr(policy, "act", policy)
    if not callable(player) or isinstance(policy, type):
        raise StateError(
            f"policy is {shown(policy)}; must be a policy: an object with act(position), a function of a position, "
            "or one of perfect_yatzy, such as ValueFunction; open_policy makes one from a name"
        )
    return cast(Player, player)
