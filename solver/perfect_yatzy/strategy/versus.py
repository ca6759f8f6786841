"""Who wins a game of two players: best play, policies against each other, and bounds of games too large to solve."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path

import numpy as np

from ..errors import StateError, shown
from ..game.dice import Floats
from ..game.notation import CardText, read_card
from ..game.rule_loader import load_rules
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, Scorecard
from ..model.estimates import SolveCost, log_long
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress, tables_folder
from ..tablebase.table_info import table_stem
from .position import check_position
from .score_strategy import reach
from .tie_rules import TIE_RULES
from .turn_evaluator import ScoreEvaluator
from .two_players import Play, Replanned, TwoPlayerGame


@dataclass(frozen=True)
class TwoPlayerChances:
    """The chances of two players. Returned by :func:`versus`.

    Attributes
    ----------
    rules : RuleSet
    first, second : float
        Chance to win of the player who moves first, and of the other; a tie counts what was asked for. They add up to
        1, and their error is below 2e-6.
    """

    rules: RuleSet
    first: float
    second: float


def versus(
    rules: str | Path | RuleSet,
    first: Play = None,
    second: Play = None,
    *,
    cards: tuple[CardText | Scorecard, CardText | Scorecard] = ("", ""),
    ties: str = "half",
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TwoPlayerChances:
    """The exact chances of two players who take turns.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    first, second
        What each player follows. None plays to win: it knows both cards, and is a best response to a policy of the
        other. A policy looks at its own card alone; :class:`perfect_yatzy.strategy.two_players.Replanned` at both. If
        both look at one card, their exact distributions are enough, as in :func:`perfect_yatzy.evaluate`, also for
        games that are too large here.
    cards
        Their cards. The first player moves next and has as many open boxes as the second, or one more.
    ties
        What a tie counts for the first player: "loss", "half" or "win".
    tables
        Folder of the tables. A whole game that takes long, and that both play to win, stores its newest layer there
        every half minute; after an interruption it continues from that.
    threads, progress
        As for :func:`perfect_yatzy.open_strategy`; the result does not depend on the number of threads.

    Returns
    -------
    TwoPlayerChances

    Raises
    ------
    StateError
        If the cards do not belong to one game, a policy begins elsewhere, or `ties` is unknown.
    RulesError
        If the machine has too little memory. Whole games that fit are Generala (seconds), Yacht (80 s, 2 GB), and
        games in a forced order.
    """
    rule_set, share = load_rules(rules), share_of_ties(ties)
    one, other = (read_card(rule_set, card) for card in cards)
    for card, theirs, play in ((one, other, first), (other, one, second)):
        check_position(rule_set, card.state)
        policy, begin = (play.opponent, theirs) if isinstance(play, Replanned) else (play, card)
        if policy and not callable(getattr(policy, "layer", None)):
            raise StateError(f"{shown(policy)} acts in one position at a time; its actions cannot be listed")
        if policy and (policy.rules.fingerprint != rule_set.fingerprint or policy.start != begin.state):
            raise StateError("a policy is for another game, or does not begin at the card of its player")
    starts = one.state, other.state
    game = TwoPlayerGame(rule_set, starts, one.total - other.total, share, (first, second))
    cost = game.cost()
    check_memory(rule_set, cost)
    log_long(f"solving {rule_set.key} for two players", cost.seconds, progress)
    whole = starts == (EMPTY_STATE, EMPTY_STATE) and not first and not second
    part = versus_checkpoint(rule_set, tables) if whole else None
    chance = game.chance(threads, progress, part)
    return TwoPlayerChances(rule_set, chance, 1 - chance)


def share_of_ties(ties: str) -> float:
    """What a tie counts for the first player."""
    if ties not in TIE_RULES:
        raise StateError(f"ties is {shown(ties)}; must be one of {', '.join(TIE_RULES)}", field="ties")
    return TIE_RULES[ties].share


def versus_checkpoint(rules: RuleSet, tables: str | os.PathLike[str] | None) -> Path:
    """Where a solve of a whole game stores its newest layer."""
    return tables_folder(tables) / f"{table_stem(rules, 'mean')}.versus.part"


def versus_table(
    rules: RuleSet,
    players: Sequence[Play],
    ties: str = "half",
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The chance of each player who moves first (rows) against each who moves second (columns), ``(n, n)``."""
    costs = table_costs(rules, [isinstance(player, Replanned) for player in players])
    begins = [0, *accumulate(cost.values for cost in costs)]
    chances = []
    for pair, begin in zip(product(players, repeat=2), begins, strict=False):

        def report(done: int, _total: int, begin: int = begin) -> None:
            if progress:
                progress(begin + done, begins[-1])

        found = versus(rules, *pair, ties=ties, tables=tables, threads=threads, progress=report)
        chances.append(found.first)
    return np.array(chances).reshape(len(players), -1)


def table_costs(rules: RuleSet, replanned: Sequence[bool]) -> list[SolveCost]:
    """The cost of each game of :func:`versus_table`; `replanned`: whether each player plans each turn again."""
    game = TwoPlayerGame(rules)
    return [game.cost(pair) for pair in product(replanned, repeat=2)]


def exploitability_of(chances: Floats) -> list[float]:
    """What best responses win beyond a half against each policy, the mean over both orders of moving.

    `chances`: of :func:`versus_table`, whose first player plays to win.
    """
    return [float((chances[0, i] + 1 - chances[i, 0]) / 2 - 0.5) for i in range(1, len(chances))]


def versus_bounds(
    rules: str | Path | RuleSet,
    ties: str = "half",
    tables: str | os.PathLike[str] | None = None,
    *,
    threads: int | None = None,
) -> tuple[float, float]:
    """Bounds of the chance of the player who moves first, for games too large to solve for two players.

    A strategy for the own score alone wins at least so often, whatever the opponent does, who knows more about that
    score than a real one (:mod:`perfect_yatzy.strategy.late_score`). Either player may follow one.

    Parameters
    ----------
    rules
        A built-in id with switches, a TOML file, or a rule set.
    ties
        What a tie counts for the first player: "loss", "half" or "win".
    tables, threads
        As for :func:`perfect_yatzy.reach`, whose table of all goals is solved and stored if it is missing.

    Returns
    -------
    tuple of float
        The lowest and the highest chance that the first player can have if both play to win.
    """
    from .late_score import LateScore

    rule_set, share = load_rules(rules), share_of_ties(ties)
    goals = reach(rule_set, 0, "", tables, threads=threads)
    assert isinstance(goals.evaluator, ScoreEvaluator)
    late = LateScore(goals.evaluator, threads or default_threads())
    return late.guarantee(share, moves_first=True), 1 - late.guarantee(1 - share, moves_first=False)
