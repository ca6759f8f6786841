"""Slow, plain implementations that the fast ones are compared with."""

import gc
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import perfect_yatzy
from perfect_yatzy import RuleSet
from perfect_yatzy.core.dice import lattice
from perfect_yatzy.core.scoring import (
    is_joker,
    open_categories,
    possible_points,
    roll_points,
    scoring_options,
)

PACKAGE, LIBRARY = Path(perfect_yatzy.__file__).parent, Path(sysconfig.get_path("stdlib"))


def card_entries(text: str) -> Iterator[tuple[str, str] | None]:
    """Names and points of a card by regular expressions that take quadratic time; None for a
    wrong entry, the last.
    """
    named = False
    for part in re.split(
        r"[,;]+", re.sub(r"\s*=\s*|\s*:\s*(?=(?:[0-9]+|[xX-])(?:[\s,;]|$))", "=", text)
    ):
        while part := part.strip():
            entry = re.match(r"([^=]+)=([^\s=]*)", part) or re.fullmatch(
                r"([^=]*\S)\s+([0-9]+|[xX-])", part
            )
            if not entry and named and re.fullmatch(r"[0-9]+|[xX-]", part):
                yield "", part
                break
            if not entry:
                yield None
                return
            yield entry[1], entry[2]
            named, part = True, part[entry.end() :]


def maximum_score(rules: RuleSet) -> int:
    """Highest possible final score, by a search over all sets of filled boxes."""
    best = [max(points) for points in possible_points(rules)]
    upper = sum(
        points for points, category in zip(best, rules.categories, strict=True) if category.upper
    )
    upper_bonus = rules.bonus.points if rules.bonus and upper >= rules.bonus.threshold else 0
    grid = lattice(rules.dice, rules.faces)
    rolls = grid.counts[grid.first_roll :].tolist()
    joker_rolls = [roll for roll in rolls if is_joker(rules, roll)]
    by_best_roll = [
        max(points) for points in zip(*(roll_points(rules, roll) for roll in rolls), strict=True)
    ]
    extra = [dict(rules.first_roll_bonus).get(c.id, 0) for c in rules.categories]

    @cache
    def to_come(filled: int, joker_paid: bool) -> int:
        most = 0
        for c in open_categories(rules, filled):
            paid_next = joker_paid or (c == rules.joker_index and by_best_roll[c] > 0)
            own = by_best_roll[c] + (extra[c] if by_best_roll[c] else 0)
            most = max(most, own + to_come(filled | 1 << c, paid_next))
        if rules.joker and filled >> rules.joker_index & 1:
            for roll in joker_rolls:
                for c, (points, bonus) in scoring_options(rules, filled, joker_paid, roll).items():
                    own = points + bonus + (extra[c] if points else 0)
                    most = max(most, own + to_come(filled | 1 << c, joker_paid))
        return most

    return upper_bonus + to_come(0, False)


def steps(call: Callable[[], object]) -> int:
    """Lines of the package and of Python's library that a call executes; errors raised on purpose
    are ignored.

    Nothing else that Python may run meanwhile is counted, such as what others have the collector of
    garbage call.
    """
    count = 0

    def trace(frame: FrameType, event: str, value: object) -> Callable[..., object] | None:
        nonlocal count
        if not is_counted(frame.f_code.co_filename):
            return None
        count += event == "line"
        return trace

    before, collecting = sys.gettrace(), gc.isenabled()
    gc.disable()
    sys.settrace(trace)
    try:
        call()
    except ValueError:  # StateError and RulesError are ValueErrors
        pass
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    return count


@cache
def is_counted(file: str) -> bool:
    """Whether a file belongs to the package or to Python's library, below which other packages
    may be installed.
    """
    path = Path(file)
    if path.is_relative_to(PACKAGE):
        return True
    return path.is_relative_to(LIBRARY) and not {"site-packages", "dist-packages"} & {*path.parts}
