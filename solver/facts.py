"""What can be said of a rule set before it is solved: its size, its highest score, what a solve will take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from .dice import lattice
from .rulefile import builtin_ids, load_rules
from .rules import RuleSet
from .scoring import category_points, is_joker, open_categories, options
from .states import LANES, possible_points, state_space

# Measured with two threads on a 2-core Xeon at 2.7 GHz; see benchmarks/runs.
LANE_OPERATIONS_PER_SECOND = 5e10
BASE_MEMORY = 150 << 20
CARD_MEMORY = 100  # bytes a card, for the arrays that place it
FLOAT64_VALUES = 100_000_000  # larger tables are stored in float32
LONG_SECONDS = 1.5  # what takes longer says so beforehand
LARGE_BYTES, LARGE_SECONDS = 2_000_000_000, 180.0  # no query solves more than that unasked


@dataclass(frozen=True)
class Needs:
    """What a solve will take.

    Attributes
    ----------
    values : int
        Entries of the table (states that share a fate share one).
    bytes : int
        Size of the table.
    memory : int
        Bytes a solve holds at its peak: the two largest neighbouring layers, the places of all cards, and a little
        more.
    seconds : float
        Rough estimate of a solve with two threads, compilation apart.
    """

    values: int
    bytes: int
    memory: int
    seconds: float

    def with_table(self) -> Needs:
        """The same where the whole table stays in memory."""
        return replace(self, memory=self.memory + self.bytes)

    def doubled(self) -> Needs:
        """The same with every entry twice as long (float64 instead of float32)."""
        return replace(self, memory=2 * self.memory)

    @property
    def long(self) -> bool:
        """Whether a person will wait for it."""
        return self.seconds >= LONG_SECONDS

    @property
    def large(self) -> bool:
        """Whether it is more than a question should bring about."""
        return self.bytes > LARGE_BYTES or self.seconds > LARGE_SECONDS

    @property
    def words(self) -> str:
        """Size and time for a person, such as ``0.93 GB and about 25 s``."""
        size = f"{self.bytes / 1e9:,.{2 if self.bytes < 1e9 else 1}f} GB"
        if self.seconds < 100:
            return f"{size} and about {max(1.0, self.seconds):.0f} s"
        minutes = self.seconds / 60
        return f"{size} and about " + (f"{minutes:.0f} minutes" if minutes < 100 else f"{minutes / 60:.0f} hours")


@dataclass(frozen=True)
class Facts(Needs):
    """Sizes and limits of a rule set: its table of means, its reachable states, its highest final score."""

    states: int
    maximum: int


def facts(rules: RuleSet) -> Facts:
    """Sizes and limits of a rule set.

    Raises
    ------
    RulesError
        If it has too many states to be enumerated.
    """
    space, grid = state_space(rules), lattice(rules.dice, rules.faces)
    operations = 0
    for filled, rows in enumerate(space.layers[:-1]):
        blocks = (-(-space.layout.lane_count[space.layout.sets[rows]] // LANES)).sum()
        passes = rules.rolls + int(space.most_saved[filled])
        operations += int(blocks) * passes * LANES * (2 * len(grid.predecessors) + 4 * grid.rolls)
    layers = [part.stop - part.start for part in map(space.layer_slice, range(space.categories, -1, -1))]
    return Facts(
        states=space.reachable(),
        values=space.size,
        bytes=space.size * (8 if space.size <= FLOAT64_VALUES else 4),
        memory=BASE_MEMORY + CARD_MEMORY * len(space.layout.masks) + 8 * max(a + b for a, b in pairwise(layers)),
        seconds=operations / LANE_OPERATIONS_PER_SECOND,
        maximum=maximum_score(rules),
    )


def remarks(rules: RuleSet) -> list[str]:
    """What is allowed and hardly meant."""
    found = []
    if rules.bonus:
        best = sum(max(p) for p, c in zip(possible_points(rules), rules.categories, strict=True) if c.upper)
        if best < rules.bonus.threshold:
            found.append(f"the bonus is out of reach: the upper boxes give {best}, not {rules.bonus.threshold}")
    # Tables are told apart by their fingerprint; who reads the name in an answer is not warned.
    borrowed = rules.origin != rules.id and rules.id in builtin_ids()
    if borrowed and load_rules(rules.id).fingerprint != rules.fingerprint:
        found.append(f"the id {rules.id!r} is that of a built-in rule set with other rules: choose another")
    return found


def maximum_score(rules: RuleSet) -> int:
    """Highest possible final score.

    Without jokers every box is independent of the others. With them the cards are searched, each with the
    luckiest roll; all that the upper boxes have to be told apart by is whether they can still reach the bonus, so
    they are taken at their best (a box never holds more for having held less before).
    """
    best = [max(points) for points in possible_points(rules)]
    upper = sum(points for points, category in zip(best, rules.categories, strict=True) if category.upper)
    bonus = rules.bonus.points if rules.bonus and upper >= rules.bonus.threshold else 0
    extras = dict(rules.first_roll_bonus)
    if rules.joker is None:
        return sum(best) + bonus + sum(extra for c, extra in extras.items() if best[rules.index_of[c]])
    return bonus + _joker_maximum(rules, extras)


def _joker_maximum(rules: RuleSet, extras: dict[str, int]) -> int:
    grid, size = lattice(rules.dice, rules.faces), len(rules.categories)
    rolls = grid.counts[grid.first_roll :].tolist()
    lucky = [roll for roll in rolls if is_joker(rules, roll)]
    plain = [max(category_points(c, roll) for roll in rolls) for c in rules.categories]
    first = [extras.get(c.id, 0) for c in rules.categories]

    @cache
    def most(filled: int, paid: bool) -> int:
        found = 0
        for c in open_categories(rules, filled):
            after = most(filled | 1 << c, paid or (c == rules.joker_index and plain[c] > 0))
            found = max(found, plain[c] + (first[c] if plain[c] else 0) + after)
        if filled >> rules.joker_index & 1:
            for roll in lucky:
                for c, (points, beside) in options(rules, filled, paid, roll).items():
                    extra = first[c] if points else 0
                    found = max(found, points + beside + extra + most(filled | 1 << c, paid))
        return found

    return most(0, False) if size else 0
