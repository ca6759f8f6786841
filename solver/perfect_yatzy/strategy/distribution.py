"""Compute the exact distribution of the final score under optimal play.

The play is for the mean, a goal or a utility, from any card on.

:mod:`.forward_pass` computes it for the mean, from the policy that is greedy for the table. For a goal or a utility
:mod:`.score_forward_pass` does; of equal options the one with the highest mean is taken. The mean does not depend on
how its ties are broken, the rest of the distribution does: of equal holds the policy takes the one with the most
dice, then the higher faces; of equal categories the first on the sheet. Two JSON files next to the table of means
store those of perfect play: one that from the empty card on; the other, named outlook, that and those after every
first turn, by the number of the state in the table (Yatzy: 46 cards, 0.5 MB).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .._files import read_file, replacing
from .._sources import sources_of_values
from .._version import __version__
from ..core.resources import thread_count
from ..core.rules import RuleSet
from ..core.state import EMPTY_STATE, State
from ..core.state_space import state_space
from ..core.table_info import DAMAGED, checked_fields, with_checksum
from ..core.turn_model import turn_outcomes
from ..errors import RulesError, whole_number
from ..game.scorecard import Scorecard
from ..objectives.scores import Goals
from ..settings import Folder, Progress, Settings
from ..tablebase.estimates import BASE_MEMORY, SolveCost, check_memory, log_long, solve_cost
from ..tablebase.machine import available_memory
from ..tablebase.store import table_path
from ..words import _, gigabytes
from .score_distribution import (
    EARLY_LAYERS,
    CategoryResult,
    Opponent,
    ScoreDistribution,
    finished,
    score_places,
)
from .strategy import CheckedPosition, Position, Strategy, check_strategy
from .turn_evaluator import GreedyPolicy, ScoreEvaluator

FORMAT = 3  # of the files of stored distributions
MAX_FILE = 64 << 20  # bytes of one file, at most
MAX_STATES = 3_000_000  # largest state space whose distribution is computed unasked
STORED_BYTES = 20_000  # size of a stored distribution, about
# The costs of perfect play were measured (benchmarks/runs/2026-11-22-distributions.md).
REACHED_SHARE = 0.15  # share of the entries of a layer that play reaches
# ends of an outcome besides that without saved rolls, as a share of the most rolls that are saved
SAVED_SHARE = 1 / 8
END_BYTES = 2.4  # memory of the ends of the turns, for each state and outcome
PASS_COST_RATIO = 0.07  # seconds, as a share of those of a solve for the whole score
PASS_COST_RATIO_SAVED = 0.15  # the same with saved rolls
# seconds of the distributions after every first turn, as a share of those of all goals
FIRST_TURNS_COST_RATIO = 0.2
# The most bytes that the file of these distributions has for each chance, card and category.
CHANCE_BYTES = 30
CARD_BYTES = 300
RESULT_BYTES = 120


def has_distribution(rules: RuleSet) -> bool:
    """Return whether the exact distribution of any policy takes seconds only.

    That is so without saved rolls and with at most MAX_STATES states.
    """
    try:
        return not rules.saved_rolls and state_space(rules).size <= MAX_STATES
    except RulesError:  # too many states to be enumerated
        return False


def shows_distribution(rules: RuleSet, start: State, tables: Folder = None) -> bool:
    """Return whether the distribution of perfect play from a checked state on is at hand.

    It is if it is in the store or takes seconds only.
    """
    return has_distribution(rules) or has_stored_distribution(rules, start, tables)


def stored_distribution(  # noqa: PLR0913 - two flags of the store
    settings: Settings,
    strategy: Strategy,
    start: Position,
    points: int = 0,
    *,
    first_turns: bool = False,
    store: bool = True,
) -> ScoreDistribution:
    """Return the same as :func:`distribution`, but read that of the mean from the store.

    It is stored if it begins at the empty card, with `first_turns` along with those after every
    first turn. A game with saved rolls has none of these.
    """
    checked = strategy.check(start)
    rules = strategy.rules
    for_mean = not isinstance(strategy.evaluator, ScoreEvaluator)
    from_empty = for_mean and checked.state == EMPTY_STATE
    can_have_first_turns = store and from_empty and not rules.saved_rolls
    lacks_first_turns = (
        first_turns and can_have_first_turns and not has_first_turns(rules, settings.tables)
    )
    stored = None
    if for_mean and not lacks_first_turns:
        stored = read_stored(rules, checked.state, settings.tables)
    if stored is None and from_empty:
        early = early_distributions(settings, strategy, first_turns=lacks_first_turns)
        if store:
            with suppress(OSError):
                write_stored(rules, early, settings.tables)
        stored = early[state_space(rules).unchecked_index(EMPTY_STATE)]
    if stored is None:
        return distribution(
            strategy, checked, points=points, threads=settings.threads, progress=settings.progress
        )
    # A stored distribution has no points before it.
    return replace(stored, scores=stored.scores + points)


def opponent(
    settings: Settings, strategy: Strategy, known: int | Scorecard, *, store: bool = True
) -> Opponent:
    """Return the distribution of the final score of an opponent.

    The opponent is assumed to play for the mean from a checked card.
    """
    if isinstance(known, int):
        return finished(known)
    position = CheckedPosition(strategy.rules, known.state, known.total)
    found = stored_distribution(settings, strategy, position, known.total, store=store)
    return Opponent(found.scores, found.chances, True)


def early_distributions(
    settings: Settings, strategy: Strategy, *, first_turns: bool = False
) -> dict[int, ScoreDistribution]:
    """Return the distributions that are stored, by number of the state.

    They are that of the empty card and, if wanted, those after every first turn.
    """
    rules = strategy.rules
    if not first_turns:
        from_empty = distribution(
            strategy, EMPTY_STATE, points=0, threads=settings.threads, progress=settings.progress
        )
        return {state_space(rules).unchecked_index(EMPTY_STATE): from_empty}
    from .forward_pass import BackwardPass

    check_memory(rules, first_turns_cost(rules))
    games = BackwardPass(settings, GreedyPolicy(rules, strategy.table))
    distributions = games.run().items()
    return {state: replace(found, policy=strategy.policy) for state, found in distributions}


def distribution(
    strategy: Strategy,
    start: Position | None = None,
    *,
    points: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ScoreDistribution:
    """Return the exact distribution of the final score under optimal play.

    The play is for the mean, a goal or a utility.

    Parameters
    ----------
    strategy
        The optimal strategy of a rule set, from :func:`perfect_yatzy.open_strategy`; or one for a
        goal or a utility, from :func:`perfect_yatzy.reach` or :func:`perfect_yatzy.maximise`.
    start
        The position at the start of a turn from which the game is played: a scorecard, its text or
        a state. Default: where the strategy starts, the empty card.
    points
        Points on the starting card. Default: the total of that card, 0 for a bare state.
    threads
        Number of threads; default: one per processor. The result does not depend on it.
    progress
        Called with the work done and the work in all, in any unit; it may raise to stop the work.
        For a goal or a utility it takes less than a second late in a game, and minutes for a whole
        game of Yatzy.

    Returns
    -------
    ScoreDistribution

    Raises
    ------
    StateError
        If no game can reach the start, or `strategy` is not a strategy.
    RulesError
        If the computation would not fit into memory; use :func:`perfect_yatzy.simulate` then.

    Notes
    -----
    The result is exact up to float64 rounding: its mean agrees with the value in the table to about 1e-10 points. The
    chance of a goal, or the expected utility, agrees with the value of the strategy up to the float32 rounding of its
    table. Ties are broken as the module describes.
    """
    check_strategy(strategy)
    checked = strategy.check_start(start)
    rules = strategy.rules
    state = checked.state
    before = checked.points if points is None else whole_number(points, "points")
    evaluator = strategy.evaluator_at(checked._replace(points=before))
    settings = Settings(threads=thread_count(threads), progress=progress)
    if isinstance(evaluator, ScoreEvaluator):
        cost = solve_cost(score_places(rules, state)).doubled()
    else:
        cost = distribution_cost(rules, state)
    check_distribution_memory(rules, cost)
    log_long(f"the distribution of {rules.key}", cost.seconds, progress)
    from .forward_pass import ForwardPass
    from .score_forward_pass import ScoreForwardPass

    if isinstance(evaluator, ScoreEvaluator):
        found = ScoreForwardPass(settings, evaluator, state).distribution(before)
    else:
        policy = GreedyPolicy(rules, strategy.table, state, strategy.space)
        found = ForwardPass(settings, policy).run(before)[0]
    return replace(found, policy=strategy.policy)


def distribution_cost(rules: RuleSet, start: State = EMPTY_STATE) -> SolveCost:
    """Return the estimated cost of the distribution of a policy for the mean, from a start on.

    It is the cost of the pass, not of its table.
    """
    # What play reaches is known only afterwards: the shares are those of perfect play.
    objective = score_places(rules, start)
    layers = objective.layer_sizes()  # states and entries of each layer
    whole = solve_cost(objective)
    # Two neighbouring layers are in memory together.
    entries = max((before + after for (_, before), (_, after) in pairwise(layers)), default=0)
    ends = max(states for states, _ in layers) * turn_outcomes(rules, start).size
    if rules.saved_rolls:  # an outcome has an end for each number of rolls that it saves
        ends *= 1 + SAVED_SHARE * objective.space.most_saved[-1]
    memory = int(
        BASE_MEMORY + np.dtype(np.float64).itemsize * REACHED_SHARE * entries + END_BYTES * ends
    )
    ratio = PASS_COST_RATIO_SAVED if rules.saved_rolls else PASS_COST_RATIO
    return SolveCost(whole.values, STORED_BYTES, memory, ratio * whole.seconds)


def first_turns_cost(rules: RuleSet) -> SolveCost:
    """Return the cost of the distributions after every first turn.

    It is the size of their file, and the memory and time of the pass.
    """
    goals = Goals(rules)
    # states and entries of each layer
    sizes = goals.layer_sizes()[:EARLY_LAYERS]
    whole = solve_cost(goals)
    cards = sum(states for states, _ in sizes)
    # Goals have the chances of 1 to n points between known ones; a distribution has those of 0 to n
    # points.
    chances = sum(entries for _, entries in sizes) - cards * (goals.before + goals.after - 1)
    size = CHANCE_BYTES * chances + cards * (CARD_BYTES + RESULT_BYTES * len(rules.categories))
    return SolveCost(chances, size, whole.doubled().memory, FIRST_TURNS_COST_RATIO * whole.seconds)


def check_distribution_memory(rules: RuleSet, cost: SolveCost) -> None:
    """Raise RulesError unless the machine has the memory for a distribution."""
    free = available_memory()  # None if it is not known
    if free is not None and cost.memory > free:
        text = _(
            "the distribution of {rules} needs about {memory} of memory and {free} are free; "
            "it can be estimated with: yatzy simulate"
        )
        needed = text.format(rules=rules.key, memory=gigabytes(cost.memory), free=gigabytes(free))
        raise RulesError(needed, code="too-large")


def distribution_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return the path of the distribution from the empty card on. The file need not exist."""
    return table_path(rules, tables, "distribution").with_suffix(".json")


def first_turns_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return the path of the distributions after every first turn. The file need not exist."""
    return table_path(rules, tables, "outlook").with_suffix(".json")


def has_first_turns(rules: RuleSet, tables: Folder = None) -> bool:
    """Return whether the store has the distributions after every first turn.

    The file may still be damaged.
    """
    return os.path.isfile(first_turns_path(rules, tables))


def has_stored_distribution(rules: RuleSet, start: State, tables: Folder = None) -> bool:
    """Return whether the distribution of perfect play from a checked state on is in the store."""
    if start == EMPTY_STATE:
        return read_stored(rules, start, tables) is not None
    return start.filled.bit_count() == 1 and not start.saved and has_first_turns(rules, tables)


def read_stored(rules: RuleSet, state: State, tables: Folder = None) -> ScoreDistribution | None:
    """Return the stored distribution from a state on, without points before it.

    A damaged file of first turns is removed.
    """
    from_empty = state == EMPTY_STATE
    if not from_empty and not has_stored_distribution(rules, state, tables):
        return None
    path = distribution_path(rules, tables) if from_empty else first_turns_path(rules, tables)
    with suppress(OSError, *DAMAGED):
        fields = checked_fields(read_file(path, MAX_FILE))
        is_current = fields["format"] == FORMAT and fields["version"] == __version__
        if is_current and fields["fingerprint"] == rules.fingerprint:
            if from_empty:
                return _distribution_of(rules, fields)
            card = str(state_space(rules).unchecked_index(state))
            return _distribution_of(rules, fields["cards"][card])
    # The file is damaged or of another version. That of first turns is removed, because
    # has_first_turns only asks whether it exists.
    if not from_empty:
        with suppress(OSError):
            path.unlink()
    return None


def _distribution_of(rules: RuleSet, entry: dict[str, Any]) -> ScoreDistribution:
    """Return a stored distribution from its entry in a file, as :func:`write_stored` makes it."""
    chances = np.array(entry["chances"])
    scores = np.arange(len(chances)) + entry["lowest"]
    results = tuple(CategoryResult(*result) for result in entry["categories"])
    bonus = entry["upper_bonus_chance"]
    return ScoreDistribution(scores, chances, bonus, results, rules, "mean")


def write_stored(
    rules: RuleSet, distributions: Mapping[int, ScoreDistribution], tables: Folder = None
) -> None:
    """Store the distributions by the numbers of their states.

    They are that of the empty card and, if given, those after first turns.
    """
    cards = {
        str(state): {
            "lowest": int(from_state.scores[0]),
            "upper_bonus_chance": from_state.upper_bonus_chance,
            "categories": [
                [box.category, box.mean, box.crossed_out] for box in from_state.categories
            ],
            "chances": from_state.chances.tolist(),
        }
        for state, from_state in distributions.items()
    }
    files: dict[Path, dict[str, Any]] = {}
    if len(cards) > 1:
        files[first_turns_path(rules, tables)] = {"cards": cards}
    files[distribution_path(rules, tables)] = cards[
        str(state_space(rules).unchecked_index(EMPTY_STATE))
    ]
    # The sources are for information, as in a table.
    common = {
        "format": FORMAT,
        "version": __version__,
        "fingerprint": rules.fingerprint,
        "sources": sources_of_values(__file__),
    }
    for path, fields in files.items():
        with replacing(path) as file:
            file.write(with_checksum({**common, **fields}))
