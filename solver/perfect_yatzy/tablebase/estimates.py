"""What a solve costs, before it begins: the size of the table, memory, and about how much time.

States, bytes and memory are exact. The time is that of the passes over the lattice of dice, which
is nearly all of a solve, at one rate for all machines. With the rolls r of a turn::

    operations = sum over blocks of lanes of  r * LANES * (2 * predecessors + 4 * full rolls)
    seconds    = operations / LANE_OPERATIONS_PER_SECOND

As soon as a few per cent of a solve are done, its own pace says how long the rest takes
(:class:`perfect_yatzy.service.budget.Pace`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from ..core.dice import lattice
from ..core.objectives import FLOAT64_VALUES, Objective
from ..core.resources import thread_count
from ..core.rules import RuleSet
from ..core.state_space import LANES
from ..errors import RulesError
from ..game.maximum_score import maximum_score
from ..words import _, duration, gigabytes, number_text
from . import machine
from .state_counts import count_states

# Of two threads. Processors at rest need about half the time, those that share a core with other work
# all of it: a solve should rather end sooner than said (benchmarks/runs/2026-11-28-estimates.md).
LANE_OPERATIONS_PER_SECOND = 2.5e10
# Scores with saved rolls take so many times as long: their ranges start at many places.
SAVED_SCORES_COST = 1.6
THREADS = 2  # of the estimated wall times
BASE_MEMORY = 150 << 20
CARD_MEMORY = 100  # bytes per card, for the arrays of the state layout
STATE_MEMORY = 24  # bytes per state, for the arrays that place its range of scores
LOGGED_SECONDS = 10.0  # longer work is logged before it begins, if nobody is told its progress
INSTANT_SOLVE_SECONDS = 3.0  # a solve estimated below this is made whenever it is needed
MAX_UNASKED_SECONDS = 180.0  # a solve that takes longer is not begun without a question
MAX_UNASKED_BYTES = 2_000_000_000  # nor is one whose table is larger


def log_long(what: str, seconds: float, progress: object = None) -> None:
    """Log a warning before long work of the library, unless the caller takes its progress."""
    if progress is None and seconds > LOGGED_SECONDS:
        import logging

        logging.getLogger("perfect_yatzy").warning("%s: %s", what, duration(seconds))


@dataclass(frozen=True)
class SolveCost:
    """Size of a table, and the memory and time of its solve."""

    values: int  # entries of the table (equivalent states share one)
    bytes: int  # size of the table
    # peak of a solve: the two largest neighbouring layers, the state layout, a base for the process
    memory: int
    seconds: float  # rough estimate of the wall time with two threads, without compilation

    def with_table(self) -> SolveCost:
        """Return the cost if the whole table stays in memory."""
        return replace(self, memory=self.memory + self.bytes)

    def doubled(self) -> SolveCost:
        """Return the cost if the layers in memory are float64 instead of float32."""
        return replace(self, memory=2 * self.memory)

    @property
    def processor_seconds(self) -> float:
        """Processor time of all threads."""
        return THREADS * self.seconds

    def words(self, threads: int | None = None) -> str:
        """Return size and time as text, such as ``0.93 GB and about 49 s``.

        The time is that with so many threads, or with one for each processor.
        """
        time = duration(self.processor_seconds / thread_count(threads))
        return _("{size} and {duration}").format(size=gigabytes(self.bytes), duration=time)

    @property
    def too_large(self) -> bool:
        """Whether the solve is too large to be begun without a question."""
        return self.seconds > MAX_UNASKED_SECONDS or self.bytes > MAX_UNASKED_BYTES


@dataclass(frozen=True)
class RuleSetStats(SolveCost):
    """Sizes and limits of a rule set.

    They are those of its table of means, its reachable states and its highest final score.
    """

    states: int
    maximum: int


def rule_set_stats(rules: RuleSet, *, any_number: bool = False) -> RuleSetStats:
    """Return the sizes and limits of a rule set.

    With `any_number` it may have more cards than can be solved.
    """
    counts = count_states(rules, any_number=any_number)
    size = sum(counts.values)
    two_layers = max(above + below for above, below in pairwise(counts.values))
    turns = zip(counts.vectors[:-1], counts.most_saved[:-1], strict=True)  # full cards have none
    return RuleSetStats(
        states=counts.states,
        values=size,
        bytes=size * (8 if size <= FLOAT64_VALUES else 4),
        memory=BASE_MEMORY + CARD_MEMORY * counts.rows + 8 * two_layers,
        seconds=sum(turn_seconds(rules, LANES * vectors, saved) for vectors, saved in turns),
        maximum=maximum_score(rules),
    )


def solve_cost(objective: Objective) -> SolveCost:
    """Return the cost of the solve of an objective, computed from the cards alone."""
    layers = objective.layer_sizes()
    if layers is not None:
        return _cost_of_scores(objective, layers)
    means = rule_set_stats(objective.rules)
    return SolveCost(
        values=means.values,
        bytes=means.bytes,
        memory=means.memory + (8 * means.values if objective.needs_means else 0),
        seconds=objective.turn_cost * means.seconds,
    )


def _cost_of_scores(objective: Objective, layers: list[tuple[int, int]]) -> SolveCost:
    """Return the cost of an objective with a value for each score.

    `layers` are the states and entries of each layer.
    """
    states = sum(states for states, _entries in layers)
    entries = [entries for _states, entries in layers]
    values = sum(entries)
    two_layers = max((above + below for above, below in pairwise(entries)), default=values)
    size = objective.compute.itemsize
    most_saved = objective.space.most_saved.tolist()[objective.first_layer :]
    # A vector holds twice as many float32, and one turn has the entries of all numbers of saved
    # rolls.
    turns = zip(entries, most_saved, strict=True)
    return SolveCost(
        values=values,
        bytes=values * size,
        memory=BASE_MEMORY + STATE_MEMORY * states + two_layers * size,
        seconds=sum(
            score_turn_seconds(objective.rules, in_layer / 2 / (saved + 1), saved)
            for in_layer, saved in turns
        ),
    )


def check_memory(rules: RuleSet, cost: SolveCost) -> None:
    """Raise RulesError unless the machine has the memory for a solve."""
    free = machine.available_memory()
    if free is not None and cost.memory > free:
        facts = {"memory": gigabytes(cost.memory), "free": gigabytes(free), "words": cost.words()}
        text = _(
            "solving {rules} needs {memory} of memory and {free} are free; its table has {values} values "
            "and takes {words}"
        )
        values = number_text(cost.values, grouped=True)
        raise RulesError(text.format(rules=rules.key, values=values, **facts), code="too-large")


def turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Return the estimated wall time of a turn for so many lanes with two threads.

    All numbers of saved rolls are one turn.
    """
    return turn_operations(rules, lanes, most_saved) / LANE_OPERATIONS_PER_SECOND


def turn_operations(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Return the operations of a turn for so many lanes, which are the same on every machine."""
    grid = lattice(rules.dice, rules.faces)
    return (
        lanes
        * (rules.rolls_per_turn + most_saved)
        * (2 * len(grid.predecessors) + 4 * grid.n_rolls)
    )


def score_turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Return what :func:`turn_seconds` does, for scores as lanes."""
    return turn_seconds(rules, lanes, most_saved) * (SAVED_SCORES_COST if most_saved else 1.0)
