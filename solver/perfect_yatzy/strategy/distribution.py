"""The exact distribution of the final score under optimal play, for the mean, a goal or a utility, from any card on.

:mod:`.forward_pass` computes it for the mean, from the policy that is greedy for the table. For a goal or a utility
:mod:`.score_forward_pass` does; of equal options the one with the highest mean is taken. The mean does not depend on
how its ties are broken, the rest of the distribution does: of equal holds the policy takes the one with the most
dice, then the higher faces; of equal categories the first on the sheet.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import replacing
from .._messages import _
from ..errors import RulesError, whole_number
from ..game.rules import RuleSet
from ..game.scorecard import EMPTY_STATE, State
from ..model.state_space import state_space
from ..tablebase.backward_induction import default_threads
from ..tablebase.memory import check_memory
from ..tablebase.store import Progress, table_path
from ..tablebase.table_info import DAMAGED, checked_fields, with_checksum
from .forward_pass import ForwardPass, score_places
from .goal_estimates import EstimatedGoalEvaluator
from .greedy_policy import GreedyPolicy
from .outlook_file import distribution_entry, file_header, has_outlook, read_distribution, read_outlook, write_outlook
from .score_distribution import ScoreDistribution
from .score_forward_pass import ScoreForwardPass
from .strategy import check_strategy
from .turn_evaluator import ScoreEvaluator

if TYPE_CHECKING:
    from .position import Position
    from .strategy import Strategy

MAX_STATES = 3_000_000  # largest state space whose distribution is computed unasked
FORMAT = 2  # of a stored distribution


def has_distribution(rules: RuleSet) -> bool:
    """Whether the exact distribution takes seconds only: no saved rolls, at most MAX_STATES states."""
    if rules.saved_rolls:
        return False
    try:
        space = state_space(rules)
    except RulesError:  # too many states to be enumerated
        return False
    return space.size <= MAX_STATES


def distribution_path(rules: RuleSet, tables: str | os.PathLike[str] | None = None) -> Path:
    """File of the stored distribution of the empty card; it need not exist."""
    return table_path(rules, tables, "distribution").with_suffix(".json")


def stored_distribution(
    strategy: Strategy,
    start: Position,
    points: int = 0,
    tables: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    *,
    outlook: bool = False,
    store: bool = True,
    progress: Progress | None = None,
) -> ScoreDistribution:
    """:func:`distribution`, for the mean stored next to the table: from the empty card, and after the first turn.

    A stored file that is damaged or written by another version is computed again and replaced.

    Parameters
    ----------
    strategy, start, points, threads
        As for :func:`distribution`.
    tables
        Folder of the tables, as for :func:`perfect_yatzy.open_strategy`.
    outlook
        Whether to compute and store the distributions after every first turn (:mod:`.outlook`) if they are missing
        and `start` is the empty card.
    store
        Whether a new distribution may be written; what is stored already is read in any case.
    progress
        As for :func:`distribution`.
    """
    checked = strategy.check(start)
    filled = checked.state.filled.bit_count()
    if filled > 1 or checked.state.saved or isinstance(strategy.evaluator, ScoreEvaluator):
        return distribution(strategy, checked, points=points, threads=threads, progress=progress)
    if filled:
        found = read_outlook(strategy, checked.state, tables)
        if found is None:
            return distribution(strategy, checked, points=points, threads=threads, progress=progress)
        return replace(found, scores=found.scores + points)
    if points:
        whole = stored_distribution(
            strategy, EMPTY_STATE, 0, tables, threads, outlook=outlook, store=store, progress=progress
        )
        return replace(whole, scores=whole.scores + points)
    path = distribution_path(strategy.rules, tables)
    outlook = outlook and store and not has_outlook(strategy.rules, tables)
    header = file_header(strategy.rules, FORMAT)
    try:
        stored = checked_fields(path.read_bytes())
        if not outlook and header.items() <= stored.items():
            return read_distribution(stored, strategy)
    except (OSError, *DAMAGED):
        pass
    if outlook:
        from .outlook import BackwardPass

        games = BackwardPass(GreedyPolicy(strategy.rules, strategy.table), threads or default_threads())
        early = games.run(progress)
        write_outlook(strategy.rules, early, tables)
        found = replace(early[strategy.space.unchecked_index(EMPTY_STATE)], policy=strategy.policy)
    else:
        found = distribution(strategy, checked, points=0, threads=threads, progress=progress)
    if not store:
        return found
    with suppress(OSError), replacing(path) as file:
        file.write(with_checksum({**header, **distribution_entry(found)}))
    return found


def distribution(
    strategy: Strategy,
    start: Position | None = None,
    *,
    points: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreDistribution:
    """The exact distribution of the final score under optimal play: for the mean, a goal or a utility.

    Parameters
    ----------
    strategy
        The optimal strategy of a rule set, from :func:`perfect_yatzy.open_strategy`; or one for a goal or a utility,
        from :func:`perfect_yatzy.reach` or :func:`perfect_yatzy.maximise`.
    start
        The position at the start of a turn from which the game is played: a scorecard, its text or a state. Default:
        where the strategy starts, the empty card.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    threads
        Number of threads; default: one per processor. The result does not depend on it.
    progress
        Called with the work done and the work in all, in any unit; it may raise to stop the work. For a goal or a
        utility of a whole game of Yatzy it takes minutes, else seconds.

    Returns
    -------
    ScoreDistribution

    Raises
    ------
    StateError
        If no game can reach the start, or `strategy` is not a strategy.
    RulesError
        If the rules save rolls, or if the computation would not fit into memory; use :func:`perfect_yatzy.simulate`
        then.

    Notes
    -----
    The result is exact up to float64 rounding: its mean agrees with the value in the table to about 1e-10 points. The
    chance of a goal, or the expected utility, agrees with the value of the strategy up to the float32 rounding of its
    table.
    Ties are broken as the module describes.
    """
    check_strategy(strategy)
    checked = strategy.check(strategy.start if start is None else start)
    rules, state = strategy.rules, checked.state
    if rules.saved_rolls:
        raise RulesError(
            _("{rules} saves rolls: its distribution can only be simulated (yatzy simulate)").format(rules=rules.key)
        )
    check_distribution_memory(rules, state)
    before = checked.points if points is None else whole_number(points, "points")
    evaluator = strategy.evaluator_at(replace(checked, points=before))
    threads = threads or default_threads()
    if isinstance(evaluator, EstimatedGoalEvaluator):
        raise RulesError(
            _(
                "play for {policy} of {rules} is approximate: its distribution can only be simulated (yatzy simulate)"
            ).format(policy=strategy.policy, rules=rules.key),
            code="too-large",
        )
    if isinstance(evaluator, ScoreEvaluator):
        games: ForwardPass = ScoreForwardPass(evaluator, state, threads, progress)
    else:
        games = ForwardPass(GreedyPolicy(rules, strategy.table, state, strategy.space), threads, progress=progress)
    return replace(games.run(before).distribution, policy=strategy.policy)


def check_distribution_memory(rules: RuleSet, start: State) -> None:
    """Raise RulesError if the forward pass from a start would not fit into memory."""
    check_memory(rules, score_places(rules, start).solve_cost().doubled())
