"""Why an option is better than another, in the sentences of the page.

The sentences are about how the turn ends, the upper bonus, and points now and later
(``web/static/table/why.js``). The figures are those of the answer, the fields ``outlook`` of its
first two options. A test asks the page for the same sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ...core.rules import RuleSet
from ...core.scoring import possible_points
from ...game.notation import spaced
from ...words import _, number_text
from .wording import category_name, wrapped

# Smaller differences are no reason.
NOTABLE_CHANCE = 0.1
NOTABLE_BONUS = 0.01  # of the chance of the upper bonus
NOTABLE_POINTS = 0.05
Option = Mapping[str, Any]  # an entry of an answer


def why_lines(rules: RuleSet, options: list[dict[str, Any]]) -> list[str]:
    """Return why the first option is better than the second, and an empty line.

    There are no lines if the answer does not explain them.
    """
    if len(options) < 2:
        return []
    sentences = why_sentences(rules, options[0], options[1])
    return [*wrapped(" ".join(sentences)).splitlines(), ""] if sentences else []


def why_sentences(rules: RuleSet, best: Option, other: Option) -> list[str]:
    """Return the sentence of the page, and what the choice does to the upper bonus.

    The second one is left out if it is the same, and both without outlooks.
    """
    if not best.get("outlook") or not other.get("outlook"):
        return []
    bonus = _bonus_sentence(rules, best["outlook"], other)
    first = (
        _sure_sentence(rules, best, other)
        or _end_sentence(rules, best["outlook"], other)
        or _mean_sentence(rules, best, other)
        or bonus
        or _points_sentence(rules, best["outlook"], other)
    )
    return [sentence for sentence in dict.fromkeys((first, bonus)) if sentence]


def _sure_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    """Return a sentence about a box that ends the turn now, against rerolling for it."""
    ends = {name: chance for name, chance, _points in other["outlook"]["categories"]}
    category = best.get("category")
    points = best.get("points")
    if not category or not points or other.get("hold") is None or other.get("category"):
        return ""
    if category not in ends:
        return ""
    return _(
        "A sure {points}; rerolling from {option} ends there in {chance} of turns.",
        points=_rounded(points),
        option=_name(rules, other),
        chance=_percent(ends[category]),
    )


def _end_sentence(rules: RuleSet, best: Mapping[str, Any], option: Option) -> str:
    """Return a sentence about the box in which more turns end.

    It needs two options of which one at least rerolls. A box that mostly takes a zero or a poor
    roll is no merit.
    """
    other = option["outlook"]
    if len(best["categories"]) < 2 and len(other["categories"]) < 2:
        return ""
    others = {name: chance for name, chance, _points in other["categories"]}
    gains = [
        (chance - others.get(name, 0), name, chance)
        for name, chance, points in best["categories"]
        if points >= _typical_points(rules, name)
    ]
    gain, name, chance = max(gains, key=lambda entry: entry[0], default=(0.0, "", 0.0))
    if gain < NOTABLE_CHANCE:
        return ""
    fields = {"category": category_name(rules, name), "chance": _percent(chance)}
    if option.get("category"):  # the other one ends at once
        return _("Ends in {category} in {chance} of turns.", **fields)
    fields |= {"option": _name(rules, option), "other": _percent(others.get(name, 0))}
    if others.get(name):
        return _(
            "Ends in {category} in {chance} of turns, with {option} only in {other}.", **fields
        )
    return _("Ends in {category} in {chance} of turns, with {option} in other boxes.", **fields)


def _mean_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    """Return, where a chance counts, what the choice would be worth to play for the average."""
    if "chance" not in best or "chance" not in other:
        return ""
    more = best["expected_final_score"] - other["expected_final_score"]
    fields = {"points": _rounded(abs(more), 1), "option": _name(rules, other)}
    if more >= NOTABLE_POINTS:
        return _(
            "Playing for the average, it would be {points} points better than {option}.", **fields
        )
    if more <= -NOTABLE_POINTS and best["chance"] - other["chance"] > 1e-9:
        return _(
            "Playing for the average, it would be {points} points worse than {option}.", **fields
        )
    return ""


def _bonus_sentence(rules: RuleSet, outlook: Mapping[str, Any], option: Option) -> str:
    best, other = outlook["bonus_chance"], option["outlook"]["bonus_chance"]
    if best is None or other is None or abs(best - other) < NOTABLE_BONUS:
        return ""
    fields = {"chance": _percent(best), "other": _percent(other)}
    if best > other:
        fields["option"] = _name(rules, option)
        return _(
            "The upper bonus is reached in {chance} of games, with {option} in {other}.", **fields
        )
    return _(
        "It is worth a smaller chance of the upper bonus, {chance} instead of {other}.", **fields
    )


def _points_sentence(rules: RuleSet, best: Mapping[str, Any], option: Option) -> str:
    other = option["outlook"]
    if best["later_points"] is None or other["later_points"] is None:
        return ""
    now = best["turn_points"] - other["turn_points"]
    later = best["later_points"] - other["later_points"]
    fields = {
        "now": _rounded(abs(now), 1),
        "later": _rounded(abs(later), 1),
        "option": _name(rules, option),
    }
    if now >= NOTABLE_POINTS and later <= -NOTABLE_POINTS:
        return _(
            "{now} points more than {option} in this turn, {later} fewer in later ones.", **fields
        )
    if now <= -NOTABLE_POINTS and later >= NOTABLE_POINTS:
        return _(
            "{now} points fewer than {option} in this turn, {later} more in later ones.", **fields
        )
    if now >= NOTABLE_POINTS and later >= NOTABLE_POINTS:
        return _(
            "{now} points more than {option} in this turn, {later} more in later ones.", **fields
        )
    if now >= NOTABLE_POINTS:
        return _("The difference is made in this turn.")
    return _("The difference is made in later turns.") if later >= NOTABLE_POINTS else ""


def _typical_points(rules: RuleSet, category: str) -> float:
    """Return half of the median of what the box can hold apart from a zero.

    What the box holds on average must be at least that.
    """
    points = [each for each in possible_points(rules)[rules.index_of[category]] if each > 0]
    return points[len(points) // 2] / 2


def _name(rules: RuleSet, option: Option) -> str:
    """Return the name of an option in a sentence, which is its box or the dice it keeps."""
    if option.get("category"):
        return category_name(rules, option["category"])
    return spaced(option["hold"]) if option["hold"] else _("rolling all dice")


def _rounded(value: float, decimals: int = 0) -> str:
    """Return a number as the page rounds it, with halves up."""
    step = Decimal(1).scaleb(-decimals)
    return number_text(float(Decimal(value).quantize(step, ROUND_HALF_UP)), decimals)


def _percent(chance: float) -> str:
    """Return a chance in per cent without decimals.

    A chance that only rounds to 0 or 1 does not look impossible or certain.
    """
    percent = 100 if chance > 1 - 1e-9 else 100 * chance
    if 0 < percent < 0.5:
        return "<1 %"
    return ">99 %" if 99.5 < percent < 100 else f"{_rounded(percent)} %"
