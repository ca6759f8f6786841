"""What is known about an approximate strategy: its mean by simulation, and a proven upper bound of every strategy.

mean - half width  <=  true mean of the strategy  <=  mean + half width         with a confidence of 99 %
best possible mean <=  upper bound                                              proven, rounding included
gap = (upper bound - mean) / upper bound                                        what the strategy may lose at most
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._messages import _, number_text, significant_text

CONFIDENCE = 0.99


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
        sentence = _(
            "the strategy scores {mean} ± {error} (99 %), no strategy scores more than {bound} (gap {gap} %)"
        )
        return sentence.format(
            mean=number_text(self.mean, digits),
            error=number_text(error, digits),
            bound=number_text(rounded_up(self.upper_bound, digits), digits),
            gap=significant_text(100 * self.gap, 2),
        )

    def summary(self) -> dict[str, Any]:
        """The field ``approximate`` of answers: the main figures, and the sentence as ``text``."""
        return {
            "mean": self.mean,
            "interval99": list(self.interval99),
            "games": self.games,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "text": self.sentence,
        }

    def as_json(self) -> dict[str, Any]:
        """All fields, and the gap, as plain JSON values."""
        plain = asdict(self) | {"interval99": list(self.interval99), "exact_boxes": list(self.exact_boxes)}
        return plain | {"gap": self.gap}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Certificate:
        """The certificate that :meth:`as_json` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it is not one.
        """
        known = {f.name: plain[f.name] for f in fields(cls)}
        low, high = map(float, known["interval99"])
        boxes = tuple(map(str, known["exact_boxes"]))
        return cls(**known | {"interval99": (low, high), "exact_boxes": boxes})


def rounded_up(value: float, digits: int) -> float:
    """A number with some decimals, rounded up: a bound must not be rounded down."""
    from decimal import ROUND_CEILING, Decimal

    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_CEILING))
