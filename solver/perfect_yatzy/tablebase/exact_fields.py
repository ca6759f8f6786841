"""How an exact number is written in JSON."""

from __future__ import annotations

from fractions import Fraction


def fraction_fields(value: Fraction, digits: int) -> dict[str, str]:
    """Return a fraction that is not negative as JSON values.

    Numerator and denominator are text, for readers with short integers. The decimal is rounded
    down.
    """
    whole, rest = divmod(value.numerator, value.denominator)
    places = f".{rest * 10**digits // value.denominator:0{digits}}" if digits else ""
    return {
        "numerator": str(value.numerator),
        "denominator": str(value.denominator),
        "decimal": f"{whole}{places}",
    }
