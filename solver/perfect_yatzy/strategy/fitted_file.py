"""The file of a fitted value function, with its certificate.

Two files with one name, as a table has (:mod:`perfect_yatzy.tablebase.table_file`)::

    NAME.npz    prices, coefficients, W, and what the relaxed game remembers of a card: a NumPy archive
    NAME.json   rules, certificate, SHA-256 of the archive, its own checksum; written last

The name has the objective ``approximate-mean``. Without a sidecar there is no finished file, and a file whose bytes
do not match their checksum is refused. The certificate is what is known about the strategy::

    mean - half width  <=  true mean of the strategy  <=  mean + half width         with a confidence of 99 %
    best possible mean <=  upper bound                                              proven, rounding included
    gap = (upper bound - mean) / upper bound                                        what the strategy may lose at most
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._files import replacing
from .._version import __version__
from ..errors import _, number_text, shown, significant_text
from ..game.rules import RuleSet
from ..model.relaxed_layout import RelaxedLayout
from ..tablebase.locks import folder_lock
from ..tablebase.memory import check_space, writing_to
from ..tablebase.store import Folder, table_path
from ..tablebase.table_info import checked_fields, damaged, reading, with_checksum
from .fitted_values import FittedValues

OBJECTIVE = "approximate-mean"
FORMAT = 2
Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Certificate:
    """The certificate of an approximate strategy.

    Attributes
    ----------
    mean : float
        Mean final score of the strategy, from simulated games with the value function as control variate.
    interval99 : (float, float)
        The mean lies within with a confidence of 99 %.
    plain_mean, plain_error : float
        Plain mean of the same games, and half the width of its 99 % interval.
    games : int
        Number of games.
    upper_bound : float
        No strategy has a higher mean; rounding is included.
    exact_boxes : tuple of str
        Ids of the categories that are exact in the relaxation, in addition to the upper sums.
    seed : int
        Seed of the simulated games; the games of the fit have others.
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
        """Share of the upper bound that the strategy may lose at most, by its mean; 0.015 is 1.5 %."""
        return (self.upper_bound - self.mean) / self.upper_bound if self.upper_bound else 0.0

    @property
    def sentence(self) -> str:
        """The certificate in one sentence."""
        digits = 1 if self.upper_bound >= 1000 else 2
        error = max(self.half_width, 0.5 * 10.0**-digits)  # never shown as zero
        figures = {"mean": self.mean, "error": error, "bound": rounded_up(self.upper_bound, digits)}
        shown = {name: number_text(figure, digits) for name, figure in figures.items()}
        text = _("the strategy scores {mean} ± {error} (99 %), no strategy scores more than {bound} (gap {gap} %)")
        return text.format(**shown, gap=significant_text(100 * self.gap, 2))

    def summary(self) -> dict[str, Any]:
        """The field ``approximate`` of answers: the main figures, and the sentence as ``text``."""
        known = self.as_json() | {"text": self.sentence}
        return {name: known[name] for name in ("mean", "interval99", "games", "upper_bound", "gap", "text")}

    def as_json(self) -> dict[str, Any]:
        """All fields, and the gap, as plain JSON values."""
        plain = asdict(self) | {"interval99": list(self.interval99), "exact_boxes": list(self.exact_boxes)}
        return plain | {"gap": self.gap}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Certificate:
        """The certificate that :meth:`as_json` wrote; KeyError, TypeError or ValueError if it is not one."""
        known = {f.name: plain[f.name] for f in fields(cls)}
        low, high = map(float, known["interval99"])
        boxes = tuple(map(str, known["exact_boxes"]))
        return cls(**known | {"interval99": (low, high), "exact_boxes": boxes})


def rounded_up(value: float, digits: int) -> float:
    """A number with some decimals, rounded up: a bound must not be rounded down."""
    from decimal import ROUND_CEILING, Decimal

    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))


def fitted_path(rules: RuleSet, tables: Folder = None) -> Path:
    """The `.npz` file of a rule set, whether or not it exists."""
    return table_path(rules, tables, OBJECTIVE).with_suffix(".npz")


def has_fitted(rules: RuleSet, tables: Folder = None) -> bool:
    """Whether the store has a finished file; it may still turn out to be damaged when it is read."""
    path = fitted_path(rules, tables)
    return path.is_file() and path.with_suffix(".json").is_file()


def write_fitted(values: FittedValues, certificate: Certificate, tables: Folder = None) -> Path:
    """Store a value function and its certificate; the path of the archive, or a TableError."""
    rules, path = values.rules, fitted_path(values.rules, tables)
    content, digest = packed(to_arrays(values))
    sidecar = {
        "format": FORMAT,
        "key": rules.key,
        "fingerprint": rules.fingerprint,
        "rules": rules.canonical(),
        "objective": OBJECTIVE,
        "sha256": digest,
        "certificate": certificate.as_json(),
        "versions": {"perfect_yatzy": __version__, "numpy": np.__version__},
    }
    check_space(path.parent, len(content))
    with writing_to(path.parent), folder_lock(path.parent):
        path.with_suffix(".json").unlink(missing_ok=True)  # never a sidecar of other bytes
        for target, part in ((path, content), (path.with_suffix(".json"), with_checksum(sidecar))):
            with replacing(target) as file:
                file.write(part)
    return path


def read_fitted(rules: RuleSet, tables: Folder = None) -> tuple[FittedValues, Certificate]:
    """Read a value function and its certificate; MissingTable if there is none, TableError if it is damaged."""
    path = fitted_path(rules, tables)
    command = f"yatzy solve {rules.spec or rules.key} --approximate --force --tables {path.parent}"
    hint = _("make it again with: {command}").format(command=command)
    missing = _("there is no approximate strategy at {path}; {hint}").format(path=path, hint=hint)
    otherwise = _("the table {path} is damaged; {hint}").format(path=path, hint=hint)
    with reading(path, otherwise, missing):
        with folder_lock(path.parent, shared=True):
            sidecar, content = checked_fields(path.with_suffix(".json").read_bytes()), path.read_bytes()
        if sidecar["format"] != FORMAT:
            text = _("{path} has format {format}, not {known}; {hint}")
            raise damaged(text.format(path=path, format=shown(sidecar["format"]), known=FORMAT, hint=hint))
        if (sidecar["fingerprint"], sidecar["objective"]) != (rules.fingerprint, OBJECTIVE):
            text = _("{path} was made for other rules than {rules}; {hint}")
            raise damaged(text.format(path=path, rules=rules.key, hint=hint))
        if hashlib.sha256(content).hexdigest() != sidecar["sha256"]:
            text = _("the table {path} was altered (its checksum differs); {hint}")
            raise damaged(text.format(path=path, hint=hint))
        return from_arrays(rules, unpacked(content)), Certificate.from_json(sidecar["certificate"])


def packed(arrays: Arrays) -> tuple[bytes, str]:
    """Named arrays as an NPZ archive, and its SHA-256."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    return content.getvalue(), hashlib.sha256(content.getbuffer()).hexdigest()


def unpacked(content: bytes) -> Arrays:
    """The arrays of :func:`packed`."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def to_arrays(values: FittedValues) -> Arrays:
    """A value function as named arrays."""
    arrays: Arrays = {name: getattr(values, name) for name in ("prices", "coefficients", "relaxed_values")}
    if layout := values.relaxed:
        arrays["layout.exact"] = np.array(layout.exact, dtype=np.int64)
        arrays["layout.bonus_column"] = np.array(layout.bonus_column)
        if layout.levels is not None:
            arrays["layout.level_counts"] = np.array([len(level) for level in layout.levels])
            arrays["layout.levels"] = np.concatenate([np.asarray(level) for level in layout.levels])
    return arrays


def from_arrays(rules: RuleSet, arrays: Arrays) -> FittedValues:
    """The value function of :func:`to_arrays`; KeyError or ValueError if the arrays do not belong together."""
    relaxed = levels = None
    if "layout.levels" in arrays:
        levels = np.split(arrays["layout.levels"], np.cumsum(arrays["layout.level_counts"])[:-1])
    if "layout.exact" in arrays:
        relaxed = RelaxedLayout(rules, arrays["layout.exact"].tolist(), int(arrays["layout.bonus_column"]), levels)
        if len(arrays["relaxed_values"]) != relaxed.size:
            raise ValueError(f"{len(arrays['relaxed_values'])} values, not {relaxed.size}")
    return FittedValues(rules, arrays["prices"], arrays["coefficients"], relaxed, arrays["relaxed_values"])
