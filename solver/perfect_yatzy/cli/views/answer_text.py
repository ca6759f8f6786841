"""Answers of `hold`, `score`, `expect` and `odds` as text for 80 columns.

The text has the answer, the position and a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.rules import RuleSet
from ...game.notation import glyphs, spaced
from ...strategy.tie_rules import TIE_RULES
from ...words import _, ngettext, number_text, number_word
from ..text_width import columns, columns_of, left, right, wrap
from . import wording
from .why import why_lines
from .wording import (
    approximate_lines,
    card_line,
    category_name,
    chance_text,
    grouped,
    wrapped,
)

if TYPE_CHECKING:
    from ...strategy.turn_evaluator import CategoryOdds

ALL_OPTIONS = 10**6  # the value of `top` that lists every option
# The option that asks for each objective of an answer, which is a field of its aim.
OBJECTIVE_OPTIONS = {
    "goal": "--goal",
    "versus": "--best-opponent",
    "opponents": "--opponent",
    "field": "--field",
}


def chance_phrase(chance: float, aim: dict[str, Any]) -> str:
    """Return the chance of a goal or a win in words.

    Examples are ``12.34 % chance of 240 or more`` and ``at least 12.34 % chance to win``.
    """
    if "goal" in aim:
        return _("{chance} chance of {goal} or more", chance=chance_text(chance), goal=aim["goal"])
    text = chance_text(chance)
    if "field" in aim:
        if aim["places"] == 1:
            return _("{chance} chance to win (a tie is shared)", chance=text)
        return _(
            "{chance} chance to be among the best {places} (a tie is shared)",
            chance=text,
            places=aim["places"],
        )
    if aim["lower_bound"] and 0 < chance < 1:
        text = _("at least {chance}", chance=wording.lower_bound_text(chance))
    return _(TIE_RULES[aim["ties"]].chance, chance=text)  # marked elsewhere


def _value_text(answer: dict[str, Any], option: dict[str, Any]) -> str:
    if "aim" in answer:
        return chance_phrase(option["chance"], answer["aim"])
    return _("expected final score {points}", points=number_text(option["expected_final_score"], 2))


def objective_lines(answer: dict[str, Any]) -> list[str]:
    """Return the opponents and the assumptions behind a chance, and whether it is decided.

    An empty line follows if there are any of these.
    """
    aim = answer["aim"]
    lines = [] if "goal" in aim else wrapped(_against_text(aim)).splitlines()
    if "opponents" in aim and aim["lower_bound"]:
        lines.append(
            _("Assumes unfinished opponents maximise their expected score and ignore yours.")
        )
        lines.append(_("You see how they score and can adapt: the chances are at least these."))
    is_over = answer.get("turns_left") == 0  # only an answer of `expect` has the field
    if "chance_note" in answer:
        note = _("The chance under best play is not known: {reason}.", reason=answer["chance_note"])
        lines += wrapped(note).splitlines()
    elif not is_over and (answer["certain"] or answer["out_of_reach"]):
        if "goal" in aim:
            certain = _("This goal is certain; {advice}")
            impossible = _("This goal cannot be reached; {advice}")
        else:
            certain = _("This win is certain; {advice}")
            impossible = _("A win is impossible; {advice}")
        sentence = certain if answer["certain"] else impossible
        option = next(option for name, option in OBJECTIVE_OPTIONS.items() if name in aim)
        lines.append(sentence.format(advice=drop_text(option)))
    return [*lines, ""] if lines else []


def _against_text(aim: dict[str, Any]) -> str:
    """Return the opponents, and what a tie with them counts, in words."""
    if "field" in aim:
        return _(
            "Against {count} players you cannot see, each by {policy}: mean {mean}, SD {deviation}",
            count=number_text(aim["field"], grouped=True),
            policy=aim["policy"],
            mean=number_text(aim["mean"], 1),
            deviation=number_text(aim["standard_deviation"], 1),
        )
    tie = _(TIE_RULES[aim["ties"]].value)  # marked elsewhere
    if "versus" in aim:
        card = _("an empty card") if aim["versus"] == "empty" else aim["versus"]
        return _(
            "Against {card}, who sees your card and plays to win, too; a tie counts as {value}",
            card=card,
            value=tie,
        )
    opponents = ", ".join(map(_opponent_text, aim["opponents"]))
    return _("Against {opponents}; a tie counts as {value}", opponents=opponents, value=tie)


def _opponent_text(opponent: dict[str, Any]) -> str:
    """Return the final score of an opponent, or its mean and deviation if it is not known yet."""
    if not opponent["playing"]:
        return number_text(opponent["mean"])
    return _(
        "{mean} (still playing, SD {deviation})",
        mean=number_text(opponent["mean"], 1),
        deviation=number_text(opponent["standard_deviation"], 1),
    )


def drop_text(option: str) -> str:
    """Return how to ask for the expected score instead of an objective that is decided."""
    return _("drop {option} to maximise the expected score.", option=option)


def exact_lines(entry: dict[str, Any]) -> list[str]:
    """Return the exact expected score as decimal and fraction, and an empty line.

    There are no lines if it is not known.
    """
    exact = entry.get("exact")
    if not exact:
        return []
    text = _("as a fraction: {value}", value=f"{exact['numerator']}/{exact['denominator']}")
    return [
        _("Exactly {value}", value=exact["decimal"]),
        *wrap(text, wording.line_width()),
        *spread_lines(exact),
        "",
    ]


def _exact_subject(answer: dict[str, Any]) -> list[str]:
    """Say, where the answer is a chance, that the exact fraction is that of the expected score."""
    if "exact" not in answer or "aim" not in answer:
        return []
    text = _("The fraction is that of the expected score, under play for it; the chance has none.")
    return wrapped(text).splitlines()


def spread_lines(exact: dict[str, Any]) -> list[str]:
    """Return the exact variance, and the chance of the upper bonus under that play, if known."""
    if not exact.get("variance"):
        return []
    variance, chance = exact["variance"]["decimal"], exact["bonus_chance"]["decimal"]
    return [
        _("Variance {value}, the least of optimal play", value=variance),
        _("Chance of the upper bonus with it {value}", value=chance),
    ]


def ranking_lines(
    answer: dict[str, Any], head: str, labels: list[str], entries: list[dict[str, Any]]
) -> list[str]:
    """Return the table of options, best first, with as many of them as there are labels.

    With a goal or opponents they are ranked by chance, and their expected scores follow.
    """
    n_hidden = len(entries) - len(labels)
    rows_of = _chance_rows if "aim" in answer else _score_rows
    rows = rows_of(head, labels, entries[: len(labels)])
    _labels, *numbers = zip(*rows, strict=True)  # as columns
    lines = columns(rows, "<", *(f">{max(9, *map(columns_of, column))}" for column in numbers))
    if n_hidden:
        lines.append("  " + _("... and {count} more (--all)", count=n_hidden))
    return lines


def _score_rows(
    head: str, labels: list[str], entries: list[dict[str, Any]]
) -> list[tuple[str, ...]]:
    """Return the heads of a ranking by expected score, and a row for each option."""
    rows: list[tuple[str, ...]] = [(head, _("expected"), _("loses"))]
    for label, entry in zip(labels, entries, strict=True):
        loss = wording.loss_text(entry["loss"], is_best=entry is entries[0])
        rows.append((label, _expected_text(entry), loss))
    return rows


def _chance_rows(
    head: str, labels: list[str], entries: list[dict[str, Any]]
) -> list[tuple[str, ...]]:
    """Return the heads of a ranking by the chance of a goal or a win, and a row for each option."""
    rows: list[tuple[str, ...]] = [(head, _("chance"), _("loses"), _("expected"))]
    best = entries[0]["chance"]
    decimals = wording.chance_decimals(best)
    for label, entry in zip(labels, entries, strict=True):
        is_best = entry is entries[0]
        loss = f"{wording.loss_text(100 * entry['loss'], is_best, decimals)} %"
        if not entry["loss"] and not is_best:
            loss = _("tie")
        rows.append((label, chance_text(entry["chance"], best), loss, _expected_text(entry)))
    return rows


def _expected_text(entry: dict[str, Any]) -> str:
    if "exact" in entry:
        return str(entry["exact"]["decimal"])
    return number_text(entry["expected_final_score"], 2)


def heading_lines(rules: RuleSet, answer: dict[str, Any], headline: str, dice: str) -> list[str]:
    """Return the headline, the dice, the card, and the objective if there is one."""
    lines = [
        *wrapped(headline).splitlines(),
        "",
        *exact_lines(answer["best"]),
        dice,
        card_line(rules, answer),
        "",
    ]
    return lines + (objective_lines(answer) if "aim" in answer else [])


def _hold_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    best = answer["best"]
    rolls_left = answer["rolls_left"]
    dice = answer["dice"]
    value = _value_text(answer, best)
    count = number_word(best["reroll"])
    if best["category"]:
        category = category_name(rules, best["category"])
        headline = _("Keep all dice and take {category}: {value}", category=category, value=value)
    elif best["hold"]:
        headline = ngettext(
            "Hold {dice} ({glyphs}), reroll one die: {value}",
            "Hold {dice} ({glyphs}), reroll {count} dice: {value}",
            best["reroll"],
            dice=spaced(best["hold"]),
            glyphs=glyphs(best["hold"]),
            count=count,
            value=value,
        )
    else:
        headline = ngettext(
            "Hold nothing, reroll the die: {value}",
            "Hold nothing, reroll all {count} dice: {value}",
            best["reroll"],
            count=count,
            value=value,
        )
    roll = answer["rolls"] - rolls_left
    rolls = answer["rolls"]
    rerolls = wording.rerolls_left_text(rolls_left)
    stage = _("Roll {roll} of {rolls}, {rerolls}", roll=roll, rolls=rolls, rerolls=rerolls)
    lines = heading_lines(rules, answer, headline, f"{stage} · {spaced(dice)} ({glyphs(dice)})")
    labels = [
        left(_hold_label(rules, entry), 3 * rules.dice + 3) for entry in answer["holds"][:top]
    ]
    return (
        lines
        + why_lines(rules, answer["holds"])
        + ranking_lines(answer, _("hold"), labels, answer["holds"])
        + approximate_lines(answer)
    )


def _hold_label(rules: RuleSet, entry: dict[str, Any]) -> str:
    if entry["category"]:
        return _("all dice, take {category}", category=category_name(rules, entry["category"]))
    return f"{spaced(entry['hold'])}  {glyphs(entry['hold'])}" if entry["hold"] else _("nothing")


def _score_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    best = answer["best"]
    dice = answer["dice"]
    facts = {"category": category_name(rules, best["category"]), "value": _value_text(answer, best)}
    points = best["points"] + best["bonus_points"]
    if points:
        headline = _("Take {category} for {points}: {value}", points=points, **facts)
    else:
        headline = _("Take {category} for 0 (cross it out): {value}", **facts)
    lines = heading_lines(rules, answer, headline, f"{spaced(dice)} ({glyphs(dice)})")
    width = wording.names_width(rules)
    labels = [
        f"{left(category_name(rules, entry['category']), width)}  {entry['points'] + entry['bonus_points']:>6}"
        for entry in answer["categories"][:top]
    ]
    ranking = ranking_lines(
        answer,
        f"{left(_('category'), width)}  {right(_('points'), 6)}",
        labels,
        answer["categories"],
    )
    if answer["rolls_left"]:
        ranking += ["", _("These end the turn; `yatzy hold` says whether to reroll instead.")]
    return lines + why_lines(rules, answer["categories"]) + ranking + approximate_lines(answer)


def expect_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Return lines for `yatzy expect`, with ALL_OPTIONS also the mean points of each category."""
    turns_left = answer["turns_left"]
    lines = [_expect_headline(answer), "", *_exact_subject(answer), *exact_lines(answer)]
    if "aim" in answer:
        if turns_left and "chance" in answer and "chance_by_mean_play" in answer:
            text = _(
                "If you maximise the expected score instead: {chance}, expected {expected}",
                chance=chance_text(answer["chance_by_mean_play"]),
                expected=number_text(answer["expected_final_score"], 2),
            )
            lines.append(text)
        lines += objective_lines(answer)
    lines.append(card_line(rules, answer))
    if turns_left:
        text = ngettext(
            "{points} points on the card, {expected} expected in one more turn",
            "{points} points on the card, {expected} expected in {count} more turns",
            turns_left,
            points=answer["card_total"],
            expected=number_text(answer["expected_remaining"], 2),
            count=number_word(turns_left),
        )
        lines.append(text)
    if rules.bonus:
        filled = answer["state"]["filled"]
        lines += wording.upper_bonus_lines(
            rules, filled, answer.get("upper_by_column", [answer["upper"]])
        )
    if not turns_left:
        return lines
    return (
        lines + _distribution_lines(rules, answer, top == ALL_OPTIONS) + approximate_lines(answer)
    )


def _distribution_lines(rules: RuleSet, answer: dict[str, Any], with_categories: bool) -> list[str]:
    """Return the exact and the simulated distribution, as far as they are asked for and known.

    If the one asked for is not known, the lines say what to run.
    """
    from .results import distribution_lines

    lines = []
    if answer.get("distribution"):
        lines += ["", *distribution_lines(rules, answer, with_categories)]
    elif "standard_deviation" in answer:
        text = _("Standard deviation {deviation}")
        if "aim" in answer:
            text = _("Standard deviation {deviation} (if you maximise the expected score)")
        lines.append(text.format(deviation=number_text(answer["standard_deviation"], 2)))
    if "simulation" in answer:
        lines += ["", *_simulated_lines(rules, answer)]
    elif "distribution" in answer and not lines:  # it was asked for, but there is none
        lines += ["", _("No exact distribution for these rules; estimate it with --games 100000.")]
        if "approximate" not in answer and not answer["card_total"]:
            text = _(
                "For that of the empty card, first run: yatzy solve {rules} --what distribution"
            )
            lines.append(text.format(rules=rules.spec or rules.key))
    return lines


def _expect_headline(answer: dict[str, Any]) -> str:
    expected = answer["expected_final_score"]
    has_aim = "aim" in answer
    if not answer["turns_left"]:
        score = _("Final score {points}", points=number_text(expected))
        return f"{score}: {_value_text(answer, answer)}" if has_aim else score
    if "chance" in answer:
        return _("{chance} if you play for it", chance=_value_text(answer, answer))
    if "chance_by_mean_play" in answer:
        chance = chance_phrase(answer["chance_by_mean_play"], answer["aim"])
        return _("{chance} if you maximise the expected score", chance=chance)
    if has_aim:
        chance = chance_phrase(answer["simulation"]["chance_by_mean_play"], answer["aim"])
        return _("{chance} in simulated games that maximise the expected score", chance=chance)
    if "approximate" in answer:
        return _(
            "Expected final score {points} by the fitted values", points=number_text(expected, 2)
        )
    return _("Expected final score {points} under perfect play", points=number_text(expected, 2))


def _simulated_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    from .results import histogram, simulated_figures

    simulation = answer["simulation"]
    lines = [_("If you maximise the expected score:")] if "aim" in answer else []
    text = _(
        "{games} simulated games: mean {mean} ± {error} (standard error)",
        games=grouped(simulation["games"]),
        mean=number_text(simulation["mean"], 2),
        error=number_text(simulation["standard_error"], 2),
    )
    lines.append(text)
    if "interval99" in simulation:  # of the chance of the aim, which the answer has then
        phrase = chance_phrase(simulation["chance_by_mean_play"], answer["aim"])
        low, high = map(chance_text, simulation["interval99"])
        lines.append(
            _("{chance}, 99 % interval {low} to {high}", chance=phrase, low=low, high=high)
        )
    lines += simulated_figures(rules, simulation, 1)
    if not answer.get("distribution"):
        lines += ["", *histogram(simulation["lowest"], simulation["chances"])]
    return lines


def odds_lines(
    rules: RuleSet, dice: tuple[int, ...] | None, rolls_left: int, entries: list[CategoryOdds]
) -> list[str]:
    """Return lines for `yatzy odds`. Without dice, before the first roll, there are no holds."""
    roll = f"{spaced(dice)} ({glyphs(dice)})" if dice else _("Before the first roll")
    lines = [f"{roll}, {wording.rerolls_left_text(rolls_left)}"]
    lines.append(_("{game}, one turn played for each category alone", game=rules.name))
    lines += [_("Each hold is the best one for the number to its left"), ""] if dice else [""]
    nothing = _("nothing")

    def hold_cell(hold: tuple[int, ...] | None) -> str:
        return "" if hold is None else spaced(hold) or nothing

    rows = [(_("category"), _("chance"), _("hold"), _("points"), _("hold"))]
    for entry in entries:
        if isinstance(entry.chance, float):
            chance = chance_text(entry.chance)
            points = number_text(entry.expected_points, 2)
        else:  # fractions
            chance, points = str(entry.chance), str(entry.expected_points)
        name = category_name(rules, entry.category)
        points_hold = hold_cell(entry.expected_points_hold)
        rows.append((name, chance, hold_cell(entry.hold), points, points_hold))
    names, chances, _holds, mean_points, _points_holds = zip(*rows, strict=True)  # as columns
    name_form = f"<{wording.names_width(rules)}"
    hold_form = f"<{max(2 * rules.dice - 1, columns_of(nothing))}"  # dice with blanks between them
    chance_form = f">{max(9, *map(columns_of, chances))}"
    points_form = f">{max(7, *map(columns_of, mean_points))}"
    if dice:
        return lines + columns(rows, name_form, chance_form, hold_form, points_form, hold_form)
    without_holds = [*zip(names, chances, mean_points, strict=True)]
    return lines + columns(without_holds, name_form, chance_form, points_form)


# The view of an answer, by its query. Each takes the rules, the answer of the service, and how many
# options to list.
ANSWER_VIEWS = {"hold": _hold_lines, "score": _score_lines, "expect": expect_lines}
