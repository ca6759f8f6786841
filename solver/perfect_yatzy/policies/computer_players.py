"""Computer players: at a level, in a style, or playing to win.

Styles avoid risk, or seek it, by an exponential utility of the final score (README.md). A constant
risk tolerance is what makes the value of a card independent of the points on it (J. W. Pratt,
Econometrica 32, 1964).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import copysign
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..approximation.approximate_strategy import ApproximateStrategy
from ..core.backward_induction import solve_objective
from ..core.checked_values import Table
from ..core.dice import Floats, Ints
from ..core.rules import RuleSet
from ..core.state import State
from ..errors import StateError, game_over, shown
from ..game.legal_actions import Action, TurnPosition, read_action, start_turn
from ..game.notation import CardText, parse_dice, read_card
from ..game.scorecard import Scorecard
from ..objectives.exponential import ExponentialUtility
from ..objectives.policy_quantities import Policy
from ..objectives.scores import ReachableUtility
from ..settings import Settings
from ..strategy.action_kinds import CATEGORIES, HOLDS
from ..strategy.actions import Choice, Hold, ranked_entries
from ..strategy.distribution import has_distribution, opponent
from ..strategy.played_games import Player, asked_action
from ..strategy.ranked_actions import Turn, max_rerolls
from ..strategy.score_distribution import Opponent, WinUtility, parse_opponents
from ..strategy.score_strategy import ScoreStrategy, utility_strategy
from ..strategy.strategy import DiceText, Strategy, check_position
from ..strategy.turn_evaluator import TurnEvaluator
from ..tablebase.estimates import check_memory, solve_cost
from ..words import _
from .levels import LEVELS, Option, SkillLevel, SoftPolicy, parse_level
from .policy import exact_policy

Rng = np.random.Generator | int | Sequence[int] | None
Solved = TypeVar("Solved", TurnEvaluator, Opponent)
TOLERANCE = 0.10  # risk tolerance as a share of the expected final score
STYLES = {"safe": -1.0, "bold": 1.0}  # the sign of the rate
WIN_SECONDS = 0.5  # the estimate up to which the rest of a game is solved to win it
MAX_SOLVED = 64  # solved rests of games, and distributions of opponents, that a player keeps
POLICIES = ("most-points", "prices", "hold-rules", "goal:", "field:")
PYTHON_FILE = re.compile(r"(.+\.py):(\w+)")
PROGRAM = "process:"
Others = Sequence[Scorecard | str | int]  # cards of other players, or their final scores


class RiskEvaluator(TurnEvaluator):
    """Evaluator of turns by an exponential utility of the points to come.

    Of equal options the mean decides.
    """

    ties = (0.0, 1e-11)
    has_kernel = False

    def __init__(self, rules: RuleSet, values: Table, rate: float, means: TurnEvaluator) -> None:
        super().__init__(rules, values)
        self.rate = rate
        self._means = means

    def child_values(
        self, state: State, categories: Ints, points: Ints, bonus_points: Ints, saved: int
    ) -> Floats:
        """Return the values of filling categories with points.

        They are those of the children, times the utility of the points.
        """
        to_come = self.values[self.child_index(state, categories, points, saved)]
        return np.asarray(np.exp(self.rate * (points + bonus_points)) * to_come, dtype=np.float64)


def risk_rate(strategy: Strategy, style: str) -> float:
    """Return the rate of the utility of a style for a rule set, per point."""
    return copysign(1 / max(1.0, TOLERANCE * float(strategy.table[-1])), STYLES[style])


def risk_evaluator(strategy: Strategy, style: str, *, threads: int | None = None) -> RiskEvaluator:
    """Solve a game for a style, in memory. This takes as long as the solve of the mean."""
    rules = strategy.rules
    objective = ExponentialUtility(rules, risk_rate(strategy, style))
    check_memory(rules, solve_cost(objective).with_table())
    return RiskEvaluator(
        rules, solve_objective(objective, threads=threads), objective.rate, strategy.evaluator
    )


@dataclass(frozen=True)
class PlayerKind:
    """A kind of computer player. Make one with :func:`parse_kind`."""

    level: SkillLevel | None
    style: str = ""  # "safe", "bold" or "win"
    policy: str = ""  # name of another policy

    @property
    def label(self) -> str:
        """``level 5``, ``perfect``, the style or the policy. A file is named without its folder."""
        if self.level is None:
            return self.style or Path(self.policy).name
        if self.level.share:
            return _("level {number}", number=self.level.number)
        return self.level.name

    @property
    def key(self) -> str:
        """Short text that :func:`parse_kind` reads."""
        if self.level:
            return str(self.level.number)
        return self.style or self.policy


def is_code(text: str) -> bool:
    """Return whether a policy of this name is code that is run: a Python file or a program."""
    return text.startswith(PROGRAM) or PYTHON_FILE.fullmatch(text) is not None


def parse_kind(text: str | int) -> PlayerKind:
    """Return a kind of computer player from its name.

    Names are ``5``, ``level 5``, ``skilled``, ``mean``, ``safe``, ``win``.
    """
    name = str(text)
    if name.startswith(POLICIES) or name.endswith((".npy", ".json")) or is_code(name):
        return PlayerKind(None, policy=name)
    word = " ".join(name.lower().split()).removeprefix("level ").removeprefix("level:")
    if word in (*STYLES, "win"):
        return PlayerKind(None, word)
    try:
        return PlayerKind(LEVELS[-1] if word == "mean" else parse_level(word))
    except StateError as error:
        message = _(
            "{text} is not a computer player; use a level from 1 (beginner) to {levels} (perfect), mean, "
            "safe, bold, win or a policy of yatzy evaluate"
        )
        raise StateError(message.format(text=shown(text), levels=len(LEVELS))) from error


@dataclass
class ComputerPlayer:
    """A player for one rule set. Make one with :func:`computer_player`.

    Attributes
    ----------
    kind : PlayerKind
    strategy : Strategy
        The strategy of the mean.
    """

    kind: PlayerKind
    strategy: Strategy
    # draws the options of a level
    soft: SoftPolicy | None = field(default=None, kw_only=True, repr=False)
    # the values of a style
    risk: RiskEvaluator | None = field(default=None, kw_only=True, repr=False)
    _random: np.random.Generator = field(
        default_factory=lambda: np.random.default_rng(1), kw_only=True, repr=False
    )

    @property
    def rules(self) -> RuleSet:
        """The game."""
        return self.strategy.rules

    def choose(
        self,
        card: Scorecard | CardText,
        dice: DiceText,
        rolls_left: int = 0,
        rng: Rng = None,
        others: Others = (),
    ) -> Action:
        """Decide what to do with a roll.

        Parameters
        ----------
        card
            The card at the start of this turn: a scorecard, or a card as people write it.
        dice
            The dice on the table.
        rolls_left
            Rerolls still to come.
        rng
            Source of the mistakes of a level: a NumPy generator, a seed for one (also several
            numbers), or None for a new one.
        others
            The other players, which matter to a player who plays to win: their cards, or final scores
            of those who have finished.

        Returns
        -------
        tuple of int or str
            The dice to hold, ascending and not all of them; or the id of the category to take.

        Raises
        ------
        StateError
            If the card, the dice or `rolls_left` cannot occur, or the game is over.
        """
        scorecard = read_card(self.rules, card)
        position = self.strategy.check(scorecard.state)
        if position.state.filled == self.rules.full_mask:
            raise game_over()
        roll = parse_dice(self.rules, dice)
        most = max_rerolls(self.rules, position.state.saved)
        if type(rolls_left) is not int or not 0 <= rolls_left <= most:
            raise StateError(
                _("{count} rolls left; it must be 0 to {most}", count=shown(rolls_left), most=most)
            )
        evaluator = self.evaluator(scorecard, others)
        turn = Turn(evaluator, position.state, roll, rolls_left)
        random = np.random.default_rng(rng)
        if rolls_left:
            hold: Hold = self._pick(ranked_entries(turn, HOLDS), random)
            if hold.category is None:
                return hold.dice
        choice: Choice = self._pick(ranked_entries(turn, CATEGORIES), random)
        return choice.category

    def _pick(self, options: Sequence[Option], random: np.random.Generator) -> Option:
        """Return the best of the ranked options of a decision.

        A player of a level draws one by its loss.
        """
        return self.soft.drawn(options, random) if self.soft else options[0]

    def act(self, position: TurnPosition) -> Action:
        """Return what :meth:`choose` does in a position with a scorecard.

        Other players are not looked at.
        """
        if not isinstance(position.card, Scorecard):
            raise StateError(
                "a computer player needs the points on the card: start_turn(rules, card)"
            )
        return self.choose(position.card, position.dice, position.rolls_left, self._random)

    @property
    def exact_policy(self) -> Policy | Strategy | None:
        """What :func:`perfect_yatzy.evaluate` evaluates exactly. It is None if games are sampled."""
        if self.soft is not None:
            return self.soft
        return None if self.kind.style else self.strategy

    def evaluator(self, card: Scorecard, others: Others) -> TurnEvaluator:
        """Return the values by which the player decides on a turn."""
        return self.risk or self.strategy.evaluator


class Solve(NamedTuple):
    """A solve of the rest of a game for the chance to win."""

    key: Hashable  # of its evaluator in the cache
    run: Callable[[], ScoreStrategy]


@dataclass
class WinningPlayer(ComputerPlayer):
    """A player who maximises the chance to beat the others. A tie counts as half a win.

    The others are assumed to play for the mean. A single one is assumed to play to win, once the
    game of two is stored or soon solved.
    """

    # the threads for solves, and the folder where a stored game of two players may be
    settings: Settings = field(default_factory=Settings)
    _solved: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict, repr=False)

    def evaluator(self, card: Scorecard, others: Others) -> TurnEvaluator:
        """Return the chance to win, solved once a turn.

        It is the mean if the rest of the game takes too long to solve.
        """
        known = self._read(others)
        means = self.strategy.evaluator
        if not known or isinstance(self.strategy, ApproximateStrategy):
            return means
        solve = self._two_players(card, known) or self._others_for_the_mean(card, known)
        if solve is None:
            return means

        def solved_evaluator() -> TurnEvaluator:
            strategy = solve.run()
            return strategy.evaluator_at(strategy.check(card))

        return self._cached(solve.key, solved_evaluator)

    def _two_players(self, card: Scorecard, known: Sequence[int | Scorecard]) -> Solve | None:
        """Return a solve against one other who plays to win, too.

        It is None if the rest is no game of two, or takes too long.
        """
        other = known[0]
        if len(known) > 1 or not isinstance(other, Scorecard):
            return None
        turns_ahead = other.state.filled.bit_count() - card.state.filled.bit_count()
        if turns_ahead not in (0, 1):  # otherwise this player does not move next
            return None
        from ..two_players.two_player_table import stored_game, versus_strategy
        from ..two_players.two_players import TwoPlayerGame

        game = TwoPlayerGame(self.rules, (card.state, other.state), card.total - other.total)
        key = (card.state, game.lead, other.state)
        stored = None
        if key not in self._solved:
            stored = stored_game(game, self.settings.tables)
            if not stored and game.cost().seconds > WIN_SECONDS:
                return None
        run = partial(
            versus_strategy, self.settings, game, (card, other), self.strategy.evaluator, stored
        )
        return Solve(key, run)

    def _others_for_the_mean(
        self, card: Scorecard, known: Sequence[int | Scorecard]
    ) -> Solve | None:
        """Return a solve against others who play for the mean.

        It is None if it, or one of their distributions, takes too long.
        """
        cards = [other for other in known if isinstance(other, Scorecard)]
        if cards and not has_distribution(self.rules):
            return None
        for unfinished in (card, *cards):
            # The cost is the same for any utility.
            objective = ReachableUtility(
                self.rules, lambda scores: scores.astype(float), unfinished.state
            )
            if solve_cost(objective).seconds > WIN_SECONDS:
                return None
        keys = [other if isinstance(other, int) else (other.state, other.total) for other in known]
        others = list(zip(keys, known, strict=True))
        return Solve((card.state, card.total, *keys), partial(self._against, card, others))

    def _against(
        self, card: Scorecard, others: Sequence[tuple[Hashable, int | Scorecard]]
    ) -> ScoreStrategy:
        """Return play for the chance to beat players who play for the mean.

        They play from their cards on. Each comes with the key of its distribution in the cache.
        """
        opponents = []
        for key, other in others:
            solve = partial(opponent, self.settings, self.strategy, other)
            # A score takes no solve.
            opponents.append(solve() if isinstance(other, int) else self._cached(key, solve))
        utility = WinUtility(opponents, "half")
        return utility_strategy(
            self.settings,
            utility,
            card,
            self.strategy.evaluator,
            tolerance=utility.tolerance,
        )

    def _read(self, others: Others) -> list[int | Scorecard]:
        """Return the other players as final scores, also of full cards, and checked cards."""
        known: list[int | Scorecard] = []
        for other in others:
            if isinstance(other, Scorecard):
                check_position(self.rules, other.state)
                is_full = other.state.filled == self.rules.full_mask
                known.append(other.score if is_full else other)
            else:
                # Here an empty text is an empty card, too.
                known += parse_opponents(self.rules, ["empty" if other == "" else other])
        return known

    def _cached(self, key: Hashable, create: Callable[[], Solved]) -> Solved:
        """Return what the cache has under a key, made if it is missing.

        The MAX_SOLVED used last stay in the cache.
        """
        if key not in self._solved:
            self._solved[key] = create()
        self._solved.move_to_end(key)
        while len(self._solved) > MAX_SOLVED:
            self._solved.popitem(last=False)
        solved: Solved = self._solved[key]
        return solved


@dataclass
class PolicyPlayer(ComputerPlayer):
    """A player by any policy."""

    player: Player

    @property
    def exact_policy(self) -> Policy | Strategy | None:
        """What :class:`ComputerPlayer` says."""
        return exact_policy(getattr(self.player, "__self__", None))

    def choose(
        self,
        card: Scorecard | CardText,
        dice: DiceText,
        rolls_left: int = 0,
        rng: Rng = None,
        others: Others = (),
    ) -> Action:
        """Decide as :class:`ComputerPlayer` does.

        Raises StateError also for an action that is not legal.
        """
        position = start_turn(
            self.rules, read_card(self.rules, card), parse_dice(self.rules, dice), rolls_left
        )
        action = asked_action(self.player, position)
        position.apply(action)
        return read_action(self.rules, action)
