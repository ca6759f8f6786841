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
    bonus = _bonus_sentence(rules, best, other)
    first = (
        _sure_sentence(rules, best, other)
        or _end_sentence(rules, best, other)
        or _mean_sentence(rules, best, other)
        or bonus
        or _points_sentence(rules, best, other)
    )
    return [sentence for sentence in dict.fromkeys((first, bonus)) if sentence]


def _sure_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    """Return a sentence about a box that ends the turn now, against rerolling for it."""
    category = best.get("category")
    points = best.get("points")
    is_reroll = other.get("hold") is not None and not other.get("category")
    other_chances = _chances(other)
    if not points or not is_reroll or category not in other_chances:
        return ""
    return _(
        "A sure {points}; rerolling from {option} ends there in {chance} of turns.",
        points=_rounded(points),
        option=_option_name(rules, other),
        chance=_percent(other_chances[category]),
    )


def _chances(option: Option) -> dict[str, float]:
    """Return the chance of each box to be the one in which the turn ends."""
    return {name: chance for name, chance, _points in option["outlook"]["categories"]}


def _end_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    """Return a sentence about the box in which more turns end.

    It needs two options of which one at least rerolls. A box that mostly takes a zero or a poor
    roll is no merit.
    """
    boxes = best["outlook"]["categories"]
    other_chances = _chances(other)
    if len(boxes) < 2 and len(other_chances) < 2:
        return ""
    gains = [
        (chance - other_chances.get(name, 0), name, chance)
        for name, chance, points in boxes
        if points >= _typical_points(rules, name)
    ]
    gain, name, chance = max(gains, key=lambda entry: entry[0], default=(0.0, "", 0.0))
    if gain < NOTABLE_CHANCE:
        return ""
    fields = {"category": category_name(rules, name), "chance": _percent(chance)}
    if other.get("category"):  # it ends the turn at once
        return _("Ends in {category} in {chance} of turns.", **fields)
    other_chance = other_chances.get(name, 0)
    fields |= {"option": _option_name(rules, other), "other": _percent(other_chance)}
    if other_chance:
        return _(
            "Ends in {category} in {chance} of turns, with {option} only in {other}.", **fields
        )
    return _("Ends in {category} in {chance} of turns, with {option} in other boxes.", **fields)


def _mean_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    """Return, where a chance counts, what the choice would be worth to play for the average."""
    if "chance" not in best or "chance" not in other:
        return ""
    more = best["expected_final_score"] - other["expected_final_score"]
    fields = {"points": _rounded(abs(more), 1), "option": _option_name(rules, other)}
    if more >= NOTABLE_POINTS:
        return _(
            "Playing for the average, it would be {points} points better than {option}.", **fields
        )
    if more <= -NOTABLE_POINTS and best["chance"] - other["chance"] > 1e-9:
        return _(
            "Playing for the average, it would be {points} points worse than {option}.", **fields
        )
    return ""


def _bonus_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    chance = best["outlook"]["bonus_chance"]  # None if it is not known
    other_chance = other["outlook"]["bonus_chance"]
    if chance is None or other_chance is None or abs(chance - other_chance) < NOTABLE_BONUS:
        return ""
    fields = {"chance": _percent(chance), "other": _percent(other_chance)}
    if chance > other_chance:
        fields["option"] = _option_name(rules, other)
        return _(
            "The upper bonus is reached in {chance} of games, with {option} in {other}.", **fields
        )
    return _(
        "It is worth a smaller chance of the upper bonus, {chance} instead of {other}.", **fields
    )


def _points_sentence(rules: RuleSet, best: Option, other: Option) -> str:
    outlook, other_outlook = best["outlook"], other["outlook"]
    if outlook["later_points"] is None or other_outlook["later_points"] is None:
        return ""
    now = outlook["turn_points"] - other_outlook["turn_points"]
    later = outlook["later_points"] - other_outlook["later_points"]
    fields = {
        "now": _rounded(abs(now), 1),
        "later": _rounded(abs(later), 1),
        "option": _option_name(rules, other),
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
    possible = possible_points(rules)[rules.index_of[category]]  # in ascending order
    above_zero = [points for points in possible if points > 0]
    return above_zero[len(above_zero) // 2] / 2


def _option_name(rules: RuleSet, option: Option) -> str:
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
