"""Estimates before a solve: the size of the table, memory, time, the highest score; warnings about the rules.

The time is that of the passes over the lattice of dice, which is nearly all of a solve. With the rolls r of a turn::

    operations = sum over blocks of lanes of  r * LANES * (2 * predecessors + 4 * full rolls)
    seconds    = operations / LANE_OPERATIONS_PER_SECOND

An approximate solution has its own estimate, in the same unit: :mod:`.approximate_cost`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from .._messages import _, number_text
from ..game.dice import lattice
from ..game.points import possible_points
from ..game.rule_loader import builtin_ids, load_rules
from ..game.rules import RuleSet
from ..game.upper_sums import upper_sums
from .state_space import LANES

if TYPE_CHECKING:
    from .state_counts import StateCounts

# Measured with two threads on a 2-core Xeon at 2.7 GHz; see benchmarks/runs.
LANE_OPERATIONS_PER_SECOND = 5e10
SAVED_SCORES_COST = 1.6  # of scores with saved rolls to that of their operations: their ranges start at many places
THREADS = 2  # of the estimated wall times
BASE_MEMORY = 150 << 20
CARD_MEMORY = 100  # bytes per card, for the arrays of the state layout
FLOAT64_VALUES = 100_000_000  # larger tables are stored in float32
LOGGED_SECONDS = 10.0  # longer work is logged before it begins, if nobody is told its progress
INSTANT_SOLVE_SECONDS = 1.5  # a solve estimated below this is made whenever it is needed
MAX_UNASKED_SECONDS = 180.0  # a solve that takes longer is not begun without a question
MAX_UNASKED_BYTES = 2_000_000_000  # nor is one whose table is larger


def gigabytes(size: float) -> str:
    """A number of bytes in GB: ``0.93 GB``, ``14.6 GB``."""
    return f"{number_text(size / 1e9, 2 if size < 1e9 else 1, grouped=True)} GB"


def duration(seconds: float) -> str:
    """An estimated time: ``about 25 s``, ``about 8 minutes``."""
    if seconds < 100:
        return _("about {seconds} s").format(seconds=number_text(max(1.0, seconds)))
    minutes = seconds / 60
    if minutes < 100:
        return _("about {minutes} minutes").format(minutes=number_text(minutes))
    return _("about {hours} hours").format(hours=number_text(minutes / 60, grouped=True))


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
    memory: int  # peak of a solve: the two largest neighbouring layers, the state layout, a base for the process
    seconds: float  # rough estimate of the wall time with two threads, without compilation

    def with_table(self) -> SolveCost:
        """The cost if the whole table stays in memory."""
        return replace(self, memory=self.memory + self.bytes)

    def doubled(self) -> SolveCost:
        """The cost if the layers in memory are float64 instead of float32."""
        return replace(self, memory=2 * self.memory)

    @property
    def processor_seconds(self) -> float:
        """Processor time of all threads."""
        return THREADS * self.seconds

    @property
    def words(self) -> str:
        """Size and time with two threads as text, such as ``0.93 GB and about 25 s``."""
        return self.words_with(THREADS)

    def words_with(self, threads: int) -> str:
        """Size and time with so many threads as text."""
        time = duration(self.processor_seconds / threads)
        return _("{size} and {duration}").format(size=gigabytes(self.bytes), duration=time)

    @property
    def too_large(self) -> bool:
        """Whether the solve is too large to be begun without a question."""
        return self.seconds > MAX_UNASKED_SECONDS or self.bytes > MAX_UNASKED_BYTES


@dataclass(frozen=True)
class RuleSetStats(SolveCost):
    """Sizes and limits of a rule set: its table of means, its reachable states, its highest final score."""

    states: int
    maximum: int


def rule_set_stats(rules: RuleSet, *, any_number: bool = False) -> RuleSetStats:
    """Sizes and limits of a rule set; `any_number`: also with more cards than can be solved."""
    from ..game.maximum import maximum_score
    from .state_counts import count_states

    counts = count_states(rules, any_number=any_number)
    size = sum(counts.values)
    return RuleSetStats(
        states=counts.states,
        values=size,
        bytes=size * (8 if size <= FLOAT64_VALUES else 4),
        memory=BASE_MEMORY + CARD_MEMORY * counts.rows + 8 * max(a + b for a, b in pairwise(counts.values)),
        seconds=sum(layer_seconds(rules, counts)),
        maximum=maximum_score(rules),
    )


def layer_seconds(rules: RuleSet, counts: StateCounts | None = None) -> list[float]:
    """Estimated wall time of each layer of the means with two threads, by the number of filled categories."""
    from .state_counts import count_states

    counts = counts or count_states(rules)
    lanes = [LANES * vectors for vectors in counts.vectors[:-1]]
    return [*(turn_seconds(rules, n, saved) for n, saved in zip(lanes, counts.most_saved, strict=False)), 0.0]


def turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Estimated wall time of a turn for so many lanes with two threads; all numbers of saved rolls are one turn."""
    return turn_operations(rules, lanes, most_saved) / LANE_OPERATIONS_PER_SECOND


def turn_operations(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """Operations of a turn for so many lanes: the same on every machine."""
    grid = lattice(rules.dice, rules.faces)
    return lanes * (rules.rolls_per_turn + most_saved) * (2 * len(grid.predecessors) + 4 * grid.n_rolls)


def score_turn_seconds(rules: RuleSet, lanes: float, most_saved: int) -> float:
    """The same for scores as lanes."""
    return turn_seconds(rules, lanes, most_saved) * (SAVED_SCORES_COST if most_saved else 1.0)


def remarks(rules: RuleSet) -> list[str]:
    """Warnings about rules that are valid but probably a mistake, one sentence each."""
    most = [max(points) for points in possible_points(rules)]
    boxes = [(c, points) for c, points in zip(rules.categories, most, strict=True) if not c.copy and not c.column]
    warnings = [
        _(
            "{category} pays its fixed {points} points and {plus} more (plus); "
            "for the sum of the dice and {plus}, add `points = false`"
        ).format(category=c.id, points=p.points, plus=p.plus)
        for c, _most in boxes
        for p in c.patterns
        if p.score == "fixed" and p.plus
    ]
    never = _("{category} never scores: no roll is '{text}'")
    warnings += [never.format(category=c.id, text=c.text) for c, points in boxes if not points]
    for bonus, best in zip(rules.bonuses, upper_sums(rules).to_come(0), strict=False):
        if best < bonus.threshold:
            text = _("the bonus is out of reach: the upper boxes give {sum}, not {threshold}")
            warnings.append(text.format(sum=best, threshold=bonus.threshold))
    # Tables are identified by their fingerprint, but answers show only the name.
    has_builtin_id = rules.origin != rules.id and rules.id in builtin_ids()
    if has_builtin_id and load_rules(rules.id).fingerprint != rules.fingerprint:
        text = _("the id {id} is that of a built-in rule set with other rules: choose another")
        warnings.append(text.format(id=repr(rules.id)))
    return warnings
