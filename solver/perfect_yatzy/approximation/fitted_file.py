"""Hold a fitted value function and its file.

The function has the expected points to come of any card without a table of all cards.

With S the open boxes, z their indicators, t their number, u the upper sum and x a few more features
of the state::

    V(S, u) = sum of the prices of S + W(g(S), u) + min(0, theta_t + b_t.z + z'Q_t z / 2 + x.(e_t + L_t z))

W is the table of a relaxed game (:mod:`perfect_yatzy.approximation.relaxed_game`) that remembers of
S only g(S). Prices and W alone are an upper bound, which no value exceeds, so that cards that play
never visited cannot be overestimated without limit. The other terms are fitted to one-turn backups at
states that play visits (:mod:`perfect_yatzy.approximation.fit`). The features x are:

- for each upper bonus what the upper sum is worth in W, ``W(g, u) - W(g, 0)``, relative to the
  whole bonus, and its square; if W does not remember the sum, the sum itself relative to the
  threshold, and its square;
- the rolls saved, and their square, if the rules have saved rolls;
- whether the tracked box (:attr:`.RuleSet.tracked_index`) holds points.

Features are multiples of 2^-FEATURE_BITS, prices and coefficients of 2^-COEFFICIENT_BITS. So all
sums of their products are exact in float64, in any order. Therefore fit and play have the same bits
on every machine. A full card is worth its upper bonuses, exactly. Questions need NumPy only, and load
no compiled code.

Two files with one name, as a table has (:mod:`perfect_yatzy.core.table_file`), store it::

    NAME.npz    prices, coefficients, W, and what the relaxed game remembers of a card: a NumPy archive
    NAME.json   rules, certificate, SHA-256 of the archive, its own checksum; written last

The name has the objective ``approximate-mean``. Without a sidecar there is no finished file, and a
file whose bytes do not match their checksum is refused. The certificate has the mean of the
strategy within an interval of 99 % confidence, a proven upper bound of the best possible mean, and
their gap: what the strategy may lose at most.
"""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import asdict, dataclass, field, fields
from decimal import ROUND_CEILING, Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._files import folder_lock, read_file, replacing
from .._sources import sources_of_values
from .._version import __version__
from ..core.dice import Floats, Ints
from ..core.resources import check_space, writing_to
from ..core.rules import RuleSet
from ..core.scoring import upper_sums
from ..core.state_space import card_masks
from ..core.table_info import MAX_SIDECAR, checked_fields, damaged, reading, with_checksum
from ..errors import shown
from ..settings import Folder
from ..strategy import turn_slots as slots_of
from ..strategy.turn_slots import feature_count, feature_lines, feature_pairs, open_boxes
from ..tablebase.store import table_path
from ..words import _, number_text, significant_text
from .relaxed_game import RelaxedLayout

# The child value of a slot that a state cannot reach. It is below every value, and finite.
NOT_ALLOWED = -1e30
FEATURE_BITS = 12  # bits of a feature after the binary point
COEFFICIENT_BITS = 20  # bits of a price or a coefficient after the binary point


class _ChildTerms(NamedTuple):
    """The terms of the module's formula for the children of n states."""

    # (n, categories): prices + theta + b.z + z'Q z / 2, by the box filled
    by_box: Floats
    extra: Floats  # (n, extras): e + L z with all boxes of the state open
    extra_by_box: Floats  # (extras, categories): L, what `extra` loses with each box


@dataclass(frozen=True)
class FittedValues:
    """Expected points to come of any card of a game."""

    rules: RuleSet
    prices: Floats  # (categories,): what an open box is worth in the relaxed game
    # (categories + 1, features): theta, b, the upper triangle of Q by rows, e, and L by rows, for each
    # number of open boxes, where row 0 is not used
    coefficients: Floats
    # tells where a state lies in `relaxed_values`, None if W is zero
    relaxed: RelaxedLayout | None
    relaxed_values: Floats  # (size,): W, in points, empty without a relaxed game

    def __post_init__(self) -> None:
        n = len(self.rules.categories)
        assert self.prices.shape == (n,)
        assert self.coefficients.shape == (n + 1, feature_count(self.rules))

    def values(
        self,
        filled: npt.ArrayLike,
        upper: npt.ArrayLike,
        saved: npt.ArrayLike,
        tracked: npt.ArrayLike,
    ) -> Floats:
        """Return the expected points to come in n states, ``(n,)``, the upper bonuses included.

        Scalars are repeated.
        """
        cards = card_masks(self.rules, filled)  # `(n,)`, or two words `(n, 2)` for many boxes
        arrays = [cards]
        for given in (upper, saved, tracked):
            arrays.append(np.atleast_1d(np.asarray(given, dtype=np.int64)))
        (n,) = np.broadcast_shapes(*(array.shape[:1] for array in arrays))
        states = [np.broadcast_to(array, (n, *array.shape[1:])) for array in arrays]
        open_count = open_boxes(self.rules, states[0]).sum(axis=1)
        values = np.empty(n)
        for t in np.unique(open_count).tolist():  # the coefficients depend on it
            rows = np.flatnonzero(open_count == t)
            same_filled, same_upper, same_saved, same_tracked = (array[rows] for array in states)
            if t == 0:
                values[rows] = upper_sums(self.rules).bonuses(same_upper)
            else:
                bound, features = self.features(same_filled, same_upper, same_saved, same_tracked)
                values[rows] = self._bounded(bound + features @ self.coefficients[t], bound)
        return values

    def features(
        self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints
    ) -> tuple[Floats, Floats]:
        """Return what the relaxed game says of n states, and the features that correct it.

        The arrays are ``(n,)`` and ``(n, features)``.
        """
        z = open_boxes(self.rules, filled).astype(np.float64)
        relaxed, x = self._relaxed_and_extras(filled, upper, saved, tracked)
        # The columns of z and of x, in the order of the coefficients theta, b, Q, e and L.
        one, other = feature_pairs(self.rules)
        extra, box = feature_lines(self.rules)
        parts = [np.ones((len(z), 1)), z, z[:, one] * z[:, other], x, x[:, extra] * z[:, box]]
        return z @ self.prices + relaxed, np.concatenate(parts, axis=1)

    def feature_sums(
        self, weights: Floats, filled: Ints, upper: Ints, saved: Ints, tracked: Ints
    ) -> Floats:
        """Return the weighted sum of the features of n states, ``(features,)``.

        The features themselves are not computed.
        """
        z = open_boxes(self.rules, filled).astype(np.float64)
        x = self._relaxed_and_extras(filled, upper, saved, tracked)[1]
        weighted = z * weights[:, None]
        pairs = (weighted.T @ z)[feature_pairs(self.rules)]
        lines = (x.T @ weighted)[feature_lines(self.rules)]
        return np.concatenate([[weights.sum()], weighted.sum(axis=0), pairs, weights @ x, lines])

    def child_values(
        self, filled: Ints, upper: Ints, tracked: Ints, saved: tuple[int, ...] = (0,)
    ) -> Floats:
        """Return the values of all children of n states by slot (:mod:`.turn_slots`).

        The states have equally many open boxes.

        The array is ``(stages, n, slots)`` for the numbers of rolls saved by the turn, a stage each. The
        points made are not included. It is NOT_ALLOWED where the box may not be filled or does not pay.
        """
        slots = slots_of.turn_slots(self.rules)
        boxes = slots.slot_category  # the box of each slot
        reached = slots_of.allowed_boxes(self.rules, filled)[:, boxes]
        if self._paying_only_if_tracked.any():
            reached &= (tracked[:, None] == 1) | ~self._paying_only_if_tracked
        # The state and the slot of each child. The arrays below have an entry for each child, too.
        state, slot = np.nonzero(reached)
        box = boxes[slot]
        next_filled = filled[state] | slots_of.box_masks(self.rules)[box]
        next_upper = upper_sums(self.rules).cap(upper[state] + slots.slot_shift[slot])
        next_tracked = tracked[state] | (slots.slot_pays[slot] & (box == self.rules.tracked_index))
        t = int(open_boxes(self.rules, filled[:1]).sum()) - 1  # open boxes of every child
        values = np.full((len(saved), len(filled), slots.slot_count), NOT_ALLOWED)
        if t == 0:  # full cards
            values[:, state, slot] = upper_sums(self.rules).bonuses(next_upper)
            return values
        z = open_boxes(self.rules, filled).astype(np.float64)
        terms = self._child_terms(z, t)
        prices = (z @ self.prices)[state] - self.prices[box]
        for stage, rolls in enumerate(saved):
            relaxed, x = self._relaxed_and_extras(
                next_filled, next_upper, np.full_like(box, rolls), next_tracked
            )
            to_come = terms.by_box[state, box] + relaxed
            for k in range(x.shape[1]):  # add x.(e + L z) for the open boxes of the child
                to_come += x[:, k] * (terms.extra[state, k] - terms.extra_by_box[k, box])
            values[stage, state, slot] = self._bounded(to_come, prices + relaxed)
        return values

    def _bounded(self, values: Floats, bound: Floats) -> Floats:
        """Return values of cards, but at most what the relaxed game proves to be an upper bound."""
        return values if self.relaxed is None else np.minimum(values, bound)

    def _child_terms(self, z: Floats, t: int) -> _ChildTerms:
        """Return the terms of the module's formula for the children of states with open boxes `z`.

        These are ``(n, categories)``, and a child has t open boxes.
        """
        n = len(self.rules.categories)
        k = slots_of.extra_count(self.rules)
        pairs = feature_pairs(self.rules)
        lines = feature_lines(self.rules)
        theta, b, q_entries, e, l_entries = np.split(
            self.coefficients[t], np.cumsum([1, n, len(pairs[0]), k])
        )
        q_matrix = np.zeros((n, n))
        q_matrix[pairs] = q_entries
        q_matrix += q_matrix.T
        l_matrix = np.zeros((k, n))
        l_matrix[lines] = l_entries
        linear = b + self.prices
        # (n, categories): the terms of Q of each box, which are lost when it is filled
        with_box = z @ q_matrix
        all_open = theta + z @ linear + 0.5 * (z * with_box).sum(axis=1)
        return _ChildTerms(
            by_box=all_open[:, None] - linear - with_box,
            extra=e + z @ l_matrix.T,
            extra_by_box=l_matrix,
        )

    def _relaxed_and_extras(
        self, filled: Ints, upper: Ints, saved: Ints, tracked: Ints
    ) -> tuple[Floats, Floats]:
        """Return W of n states, ``(n,)``, and their extra features, ``(n, extras)``."""
        rules = self.rules
        columns: list[Floats] = []  # the extra features in the order of the module's list
        relaxed = np.zeros(len(filled))
        if self.relaxed is not None:
            relaxed = self.relaxed_values[self.relaxed.index(filled, upper, saved, tracked)]
        sums = upper_sums(rules)
        for column, bonus in enumerate(rules.bonuses):
            if self.relaxed is not None and column == self.relaxed.bonus_column:
                # W remembers this sum.
                without = self.relaxed_values[
                    self.relaxed.index(filled, np.zeros_like(upper), saved, tracked)
                ]
                share = (relaxed - without) / max(1, bonus.points)
            else:
                # Several sums are one number, of which this is one digit.
                own_sum = upper // sums.weights[column] % sums.widths[column]
                share = np.minimum(own_sum, bonus.threshold) / max(1, bonus.threshold)
            columns += [share, share * share]
        if rules.saved_rolls:
            rolls = saved / rules.rolls_per_turn
            columns += [rolls, rolls * rolls]
        if rules.tracked_index >= 0:
            columns.append(tracked.astype(np.float64))
        extras = np.stack(columns, axis=1) if columns else np.empty((len(filled), 0))
        return relaxed, np.rint(extras * 2.0**FEATURE_BITS) / 2.0**FEATURE_BITS

    @cached_property
    def _paying_only_if_tracked(self) -> npt.NDArray[np.bool_]:
        """``(slots,)``: slots with points of boxes that pay only while the tracked box holds points."""
        slots = slots_of.turn_slots(self.rules)
        requires = np.array([bool(box.requires) for box in self.rules.categories])
        return np.asarray(requires[slots.slot_category] & (slots.slot_pays == 1))


def first_guess(
    rules: RuleSet,
    prices: Floats,
    relaxed: RelaxedLayout | None = None,
    relaxed_values: Floats | None = None,
) -> FittedValues:
    """Return the values of a relaxed game without any correction, or of prices alone.

    `relaxed` and `relaxed_values` are given both or not at all.
    """
    coefficients = np.zeros((len(rules.categories) + 1, feature_count(rules)))
    table = np.empty(0) if relaxed_values is None else relaxed_values
    return FittedValues(rules, np.asarray(prices, dtype=np.float64), coefficients, relaxed, table)


OBJECTIVE = "approximate-mean"
FORMAT = 2
MAX_ARCHIVE = 2 << 30  # most bytes of an archive, while a relaxed game has 1 GB at most
Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Certificate:
    """The certificate of an approximate strategy.

    Attributes
    ----------
    mean : float
        Mean final score of the strategy, from simulated games with the value function as control
        variate.
    interval99 : (float, float)
        The mean lies within this interval with a confidence of 99 %.
    plain_mean, plain_error : float
        Plain mean of the same games, and half the width of its 99 % interval.
    games : int
        Number of games.
    upper_bound : float
        No strategy has a higher mean. Rounding is included.
    exact_boxes : tuple of str
        Ids of the categories that are exact in the relaxation, in addition to the upper sums.
    seed : int
        Seed of the simulated games. The games of the fit have others.
    iterations : int
        Rounds of the fit.
    start_value : float
        The function's own value of the empty card. It is an estimate, not a bound.
    seconds : float
        Wall time of all stages.
    memory : int
        Peak memory of the process in bytes.
    stages : dict
        Seconds by stage, and what else the stages record.
    """

    mean: float
    interval99: tuple[float, float]
    plain_mean: float
    plain_error: float
    games: int
    upper_bound: float
    exact_boxes: tuple[str, ...]
    seed: int
    iterations: int
    start_value: float
    seconds: float = 0.0
    memory: int = 0
    stages: dict[str, Any] = field(default_factory=dict)

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.interval99[1] - self.interval99[0]) / 2

    @property
    def gap(self) -> float:
        """Share of the upper bound that the strategy may lose at most, by its mean.

        A share of 0.015 is 1.5 %.
        """
        return (self.upper_bound - self.mean) / self.upper_bound if self.upper_bound else 0.0

    @property
    def sentence(self) -> str:
        """The certificate in one sentence."""
        digits = 1 if self.upper_bound >= 1000 else 2
        error = max(self.half_width, 0.5 * 10.0**-digits)  # never shown as zero
        figures = {"mean": self.mean, "error": error, "bound": rounded_up(self.upper_bound, digits)}
        shown = {name: number_text(figure, digits) for name, figure in figures.items()}
        text = _(
            "the strategy scores {mean} ± {error} (99 %), no strategy scores more than {bound} (gap {gap} %)"
        )
        return text.format(**shown, gap=significant_text(100 * self.gap, 2))

    def summary(self) -> dict[str, Any]:
        """Return the field ``approximate`` of answers.

        It has the main figures, and the sentence as ``text``.
        """
        known = self.as_json() | {"text": self.sentence}
        return {
            name: known[name]
            for name in ("mean", "interval99", "games", "upper_bound", "gap", "text")
        }

    def as_json(self) -> dict[str, Any]:
        """Return all fields, and the gap, as plain JSON values."""
        plain = asdict(self) | {
            "interval99": list(self.interval99),
            "exact_boxes": list(self.exact_boxes),
        }
        return plain | {"gap": self.gap}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Certificate:
        """Return the certificate that :meth:`as_json` wrote.

        Raises KeyError, TypeError or ValueError if it is not one.
        """
        known = {f.name: plain[f.name] for f in fields(cls)}
        low, high = map(float, known["interval99"])
        known["interval99"] = low, high
        known["exact_boxes"] = tuple(map(str, known["exact_boxes"]))
        return cls(**known)


def rounded_up(value: float, digits: int) -> float:
    """Return a number with some decimals, rounded up, because a bound must not be rounded down."""
    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))


def fitted_path(rules: RuleSet, tables: Folder = None) -> Path:
    """Return the path of the `.npz` file of a rule set, whether or not it exists."""
    return table_path(rules, tables, OBJECTIVE).with_suffix(".npz")


def has_fitted(rules: RuleSet, tables: Folder = None) -> bool:
    """Return whether the store has a finished file.

    It may still turn out to be damaged when it is read.
    """
    path = fitted_path(rules, tables)
    return os.path.isfile(path) and os.path.isfile(path.with_suffix(".json"))


def write_fitted(values: FittedValues, certificate: Certificate, tables: Folder = None) -> Path:
    """Store a value function and its certificate, and return the path of the archive.

    Raises TableError if it cannot be written.
    """
    rules = values.rules
    path = fitted_path(values.rules, tables)
    content, digest = packed(to_arrays(values))
    solver = Path(__file__).with_name("solve.py")
    sidecar: dict[str, Any] = {
        "format": FORMAT,
        "key": rules.key,
        "fingerprint": rules.fingerprint,
        "rules": rules.canonical(),
        "objective": OBJECTIVE,
        "sha256": digest,
        "certificate": certificate.as_json(),
        "versions": {  # for information
            "perfect_yatzy": __version__,
            "numpy": np.__version__,
            "sources": sources_of_values(str(solver)),
        },
    }
    check_space(path.parent, len(content))
    sidecar_path = path.with_suffix(".json")
    with writing_to(path.parent), folder_lock(path.parent):
        # There must never be a sidecar of other bytes.
        sidecar_path.unlink(missing_ok=True)
        with replacing(path) as file:
            file.write(content)
        with replacing(sidecar_path) as file:
            file.write(with_checksum(sidecar))
    return path


def read_fitted(rules: RuleSet, tables: Folder = None) -> tuple[FittedValues, Certificate]:
    """Read a value function and its certificate.

    Raises MissingTable if there is none, and TableError if it is damaged.
    """
    path = fitted_path(rules, tables)
    command = f"yatzy solve {rules.spec or rules.key} --approximate --force --tables {path.parent}"
    hint = _("make it again with: {command}", command=command)
    missing = _("there is no approximate strategy at {path}; {hint}", path=path, hint=hint)
    otherwise = _("the table {path} is damaged; {hint}", path=path, hint=hint)
    with reading(path, otherwise, missing):
        with folder_lock(path.parent, shared=True):
            sidecar = checked_fields(read_file(path.with_suffix(".json"), MAX_SIDECAR))
            content = read_file(path, MAX_ARCHIVE)
        if sidecar["format"] != FORMAT:
            text = _("{path} has format {format}, not {known}; {hint}")
            raise damaged(
                text.format(path=path, format=shown(sidecar["format"]), known=FORMAT, hint=hint)
            )
        if (sidecar["fingerprint"], sidecar["objective"]) != (rules.fingerprint, OBJECTIVE):
            text = _(
                "{path} was made for other rules than {rules}; {hint}",
                path=path,
                rules=rules.key,
                hint=hint,
            )
            raise damaged(text)
        if hashlib.sha256(content).hexdigest() != sidecar["sha256"]:
            raise damaged(
                _(
                    "the table {path} was altered (its checksum differs); {hint}",
                    path=path,
                    hint=hint,
                )
            )
        return from_arrays(rules, unpacked(content)), Certificate.from_json(sidecar["certificate"])


def packed(arrays: Arrays) -> tuple[bytes, str]:
    """Return named arrays as an NPZ archive, and its SHA-256."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    return content.getvalue(), hashlib.sha256(content.getbuffer()).hexdigest()


def unpacked(content: bytes) -> Arrays:
    """Return the arrays of :func:`packed`."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def to_arrays(values: FittedValues) -> Arrays:
    """Return a value function as named arrays."""
    arrays: Arrays = {
        name: getattr(values, name) for name in ("prices", "coefficients", "relaxed_values")
    }
    if layout := values.relaxed:
        arrays["layout.exact"] = np.array(layout.exact, dtype=np.int64)
        arrays["layout.bonus_column"] = np.array(layout.bonus_column)
        if layout.levels is not None:
            arrays["layout.level_counts"] = np.array([len(level) for level in layout.levels])
            arrays["layout.levels"] = np.concatenate([np.asarray(level) for level in layout.levels])
    return arrays


def from_arrays(rules: RuleSet, arrays: Arrays) -> FittedValues:
    """Return the value function of :func:`to_arrays`.

    Raises KeyError or ValueError if the arrays do not belong together.
    """
    relaxed_values = arrays["relaxed_values"]
    relaxed = None
    if "layout.exact" in arrays:
        levels = None
        if "layout.levels" in arrays:
            ends = np.cumsum(arrays["layout.level_counts"])
            levels = np.split(arrays["layout.levels"], ends[:-1])
        relaxed = RelaxedLayout(
            rules, arrays["layout.exact"].tolist(), int(arrays["layout.bonus_column"]), levels
        )
        if len(relaxed_values) != relaxed.size:
            raise ValueError(f"{len(relaxed_values)} values, not {relaxed.size}")
    return FittedValues(rules, arrays["prices"], arrays["coefficients"], relaxed, relaxed_values)
