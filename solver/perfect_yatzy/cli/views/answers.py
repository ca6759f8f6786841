"""Answers of `hold`, `score` and `expect` as text for 80 columns: the answer first, then the position, then a table.

Each ``*_lines`` function of :data:`ANSWER_VIEWS` takes the rule set, the dictionary that
:mod:`perfect_yatzy.service.queries` returns, and how many options to list, and returns lines without colour.
"""

from __future__ import annotations

from typing import Any

from ..._messages import N_, _, ngettext, number_text
from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from .charts import histogram
from .distribution import deviation_text, distribution_lines, percentile_line
from .upper_bonus import upper_bonus_lines
from .wording import category_name, chance_text, loss_text, number_word, points_text, rerolls_left_text, wrapped

ALL_OPTIONS = 10**6  # for `top`: list every option
TIE_VALUES = {"loss": N_("a loss"), "half": N_("half a win"), "win": N_("a win")}
WIN_CHANCES = {
    "loss": N_("{chance} chance to win"),
    "half": N_("{chance} chance to win (a tie is half)"),
    "win": N_("{chance} chance to win or tie"),
}


def approximate_lines(answer: dict[str, Any]) -> list[str]:
    """An empty line and the certificate if the answer is that of an approximate strategy; else nothing."""
    approximate = answer.get("approximate")
    return (
        ["", *wrapped(_("Approximate: {text}").format(text=approximate["text"])).splitlines()] if approximate else []
    )


def card_line(rules: RuleSet, answer: dict[str, Any]) -> str:
    """The scorecard of an answer in one line."""
    card = answer["card"]
    if not card:
        return _("{game}, empty card").format(game=rules.name)
    filled = ", ".join(f"{category_name(rules, c)} {points}" for c, points in card.items())
    n_open = len(rules.categories) - len(card)
    if not n_open:
        filled = _("all {count} categories filled").format(count=len(card))
    elif len(card) > 4:
        filled = _("{filled} categories filled, {open} open").format(
            filled=number_word(len(card)), open=number_word(n_open)
        )
    return _("{game}, {points} points: {filled}").format(game=rules.name, points=answer["card_total"], filled=filled)


def chance_phrase(chance: float, aim: dict[str, Any]) -> str:
    """The chance of a goal or a win: ``12.34 % chance of 240 or more``."""
    if "goal" in aim:
        return _("{chance} chance of {goal} or more").format(chance=chance_text(chance), goal=aim["goal"])
    return _(WIN_CHANCES[aim["ties"]]).format(chance=chance_text(chance))  # marked elsewhere


def value_text(answer: dict[str, Any], option: dict[str, Any]) -> str:
    """The value of an option: its expected final score, or its chance with a goal or opponents."""
    if "aim" in answer:
        return chance_phrase(option["chance"], answer["aim"])
    return _("expected final score {points}").format(points=points_text(option["expected_final_score"]))


def objective_lines(answer: dict[str, Any]) -> list[str]:
    """The opponents and the assumptions behind a chance, and whether it is decided; an empty line if any."""
    aim, lines = answer["aim"], []
    if "opponents" in aim:
        opponents = []
        for opponent in aim["opponents"]:
            mean, deviation = number_text(opponent["mean"], 1), number_text(opponent["standard_deviation"], 1)
            playing = _("{mean} (still playing, SD {deviation})").format(mean=mean, deviation=deviation)
            opponents.append(playing if opponent["playing"] else number_text(opponent["mean"]))
        against = _("Against {opponents}; a tie counts as {value}").format(
            opponents=", ".join(opponents),
            value=_(TIE_VALUES[aim["ties"]]),  # marked elsewhere
        )
        lines += wrapped(against).splitlines()
        if any(opponent["playing"] for opponent in aim["opponents"]):
            lines.append(_("Assumes unfinished opponents maximise their expected score and ignore yours."))
    if answer.get("turns_left") != 0:
        is_goal = "goal" in aim
        advice = drop_text("--goal") if is_goal else drop_text("--opponents")
        if answer["certain"]:
            lines.append(
                (_("This goal is certain; {advice}") if is_goal else _("This win is certain; {advice}")).format(
                    advice=advice
                )
            )
        elif answer["out_of_reach"]:
            missed = _("This goal cannot be reached; {advice}") if is_goal else _("A win is impossible; {advice}")
            lines.append(missed.format(advice=advice))
    return [*lines, ""] if lines else []


def drop_text(option: str) -> str:
    """How to ask for the expected score instead of an objective that is decided."""
    return _("drop {option} to maximise the expected score.").format(option=option)


def ranking_lines(answer: dict[str, Any], head: str, labels: list[str], entries: list[dict[str, Any]]) -> list[str]:
    """The table of options, best first; with a goal or opponents by chance, then with the expected scores too."""
    width = max(map(len, [head, *labels]))
    has_aim = "aim" in answer
    chance, loses, expected = _("chance"), _("loses"), _("expected")
    columns = f"  {chance:>9}  {loses:>9}  {expected:>9}" if has_aim else f"  {expected:>9}  {loses:>9}"
    lines = [f"  {head:<{width}}{columns}"]
    for i, (label, entry) in enumerate(zip(labels, entries, strict=False)):
        expected = f"{points_text(entry['expected_final_score']):>9}"
        if has_aim:
            is_tie = i > 0 and entry["loss"] == 0.0
            loss = _("tie") if is_tie else f"{loss_text(100 * entry['loss'], i == 0)} %"
            lines.append(f"  {label:<{width}}  {chance_text(entry['chance']):>9}  {loss:>9}  {expected}")
        else:
            lines.append(f"  {label:<{width}}  {expected}  {loss_text(entry['loss'], i == 0):>9}")
    n_hidden = len(entries) - len(labels)
    return [*lines, "  " + _("... and {count} more (--all)").format(count=n_hidden)] if n_hidden > 0 else lines


def hold_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy hold`."""
    best, rolls_left, dice = answer["best"], answer["rolls_left"], answer["dice"]
    value = value_text(answer, best)
    if best["category"]:
        headline = _("Keep all dice and take {category}: {value}").format(
            category=category_name(rules, best["category"]), value=value
        )
    elif best["hold"]:
        sentence = ngettext(
            "Hold {dice} ({glyphs}), reroll {count} die: {value}",
            "Hold {dice} ({glyphs}), reroll {count} dice: {value}",
            best["reroll"],
        )
        headline = sentence.format(
            dice=spaced(best["hold"]), glyphs=glyphs(best["hold"]), count=number_word(best["reroll"]), value=value
        )
    else:
        headline = _("Hold nothing, reroll all {count} dice: {value}").format(
            count=number_word(len(dice)), value=value
        )
    stage = _("Roll {roll} of {rolls}, {rerolls}").format(
        roll=answer["rolls"] - rolls_left, rolls=answer["rolls"], rerolls=rerolls_left_text(rolls_left)
    )
    lines = [headline, "", f"{stage} · {spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += objective_lines(answer)
    width = 2 * rules.dice + 3 + rules.dice
    labels = [hold_label(rules, entry).ljust(width) for entry in answer["holds"][:top]]
    return lines + ranking_lines(answer, _("hold"), labels, answer["holds"]) + approximate_lines(answer)


def hold_label(rules: RuleSet, entry: dict[str, Any]) -> str:
    """The label of a row in the table of holds."""
    if entry["category"]:
        return _("all dice, take {category}").format(category=category_name(rules, entry["category"]))
    return f"{spaced(entry['hold'])}  {glyphs(entry['hold'])}" if entry["hold"] else _("nothing")


def score_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy score`."""
    best, dice = answer["best"], answer["dice"]
    name, points = category_name(rules, best["category"]), best["points"] + best["bonus_points"]
    sentence = (
        _("Take {category} for {points}: {value}") if points else _("Take {category} for 0 (cross it out): {value}")
    )
    headline = sentence.format(category=name, points=points, value=value_text(answer, best))
    lines = [headline, "", f"{spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += objective_lines(answer)
    width = max(len(category.name) for category in rules.categories)
    labels = [
        f"{category_name(rules, entry['category']):<{width}}  {entry['points'] + entry['bonus_points']:>6}"
        for entry in answer["categories"][:top]
    ]
    category, for_points = _("category"), _("points")
    head = f"{category:<{width}}  {for_points:>6}"
    ranking = ranking_lines(answer, head, labels, answer["categories"])
    if answer["rolls_left"]:
        ranking += ["", _("These end the turn; `yatzy hold` says whether to reroll instead.")]
    return lines + ranking + approximate_lines(answer)


def expect_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy expect`; with a `top` above the number of categories also the mean points of each."""
    turns_left, has_aim = answer["turns_left"], "aim" in answer
    lines = [_expect_headline(answer), ""]
    if has_aim:
        if turns_left and "chance_by_mean_play" in answer:
            chance, expected = chance_text(answer["chance_by_mean_play"]), answer["expected_final_score"]
            sentence = _("If you maximise the expected score instead: {chance}, expected {expected}")
            lines.append(sentence.format(chance=chance, expected=number_text(expected, 2)))
        lines += objective_lines(answer)
    lines.append(card_line(rules, answer))
    if turns_left:
        sentence = ngettext(
            "{points} points on the card, {expected} expected in {count} more turn",
            "{points} points on the card, {expected} expected in {count} more turns",
            turns_left,
        )
        expected_text, count = points_text(answer["expected_remaining"]), number_word(turns_left)
        lines.append(sentence.format(points=answer["card_total"], expected=expected_text, count=count))
    if rules.bonus:
        filled = sum(1 << c for c, box in enumerate(rules.categories) if box.id not in answer["open"])
        lines += upper_bonus_lines(rules, filled, answer.get("upper_by_column", [answer["upper"]]))
    if not turns_left:
        return lines
    if answer.get("distribution"):
        lines += ["", *distribution_lines(rules, answer, with_categories=top > len(rules.categories))]
    elif "standard_deviation" in answer:
        sentence = (
            _("Standard deviation {deviation} (if you maximise the expected score)")
            if has_aim
            else _("Standard deviation {deviation}")
        )
        lines.append(sentence.format(deviation=number_text(answer["standard_deviation"], 2)))
    if "simulation" in answer:
        lines += ["", *_simulated_lines(rules, answer)]
    elif "distribution" in answer and not answer["distribution"] and "standard_deviation" not in answer:
        lines += ["", _("No exact distribution for these rules; estimate it with --games 100000.")]
        if "approximate" not in answer and not answer["card_total"]:
            text = _("For that of the empty card, first run: yatzy solve {rules} --what distribution")
            lines.append(text.format(rules=rules.spec or rules.key))
    return lines + approximate_lines(answer)


def _expect_headline(answer: dict[str, Any]) -> str:
    expected, has_aim = answer["expected_final_score"], "aim" in answer
    if not answer["turns_left"]:
        score = _("Final score {points}").format(points=number_text(expected))
        return f"{score}: {value_text(answer, answer)}" if has_aim else score
    if has_aim:
        return _("{chance} if you play for it").format(chance=value_text(answer, answer))
    sentence = (
        _("Expected final score {points} by the fitted values")
        if "approximate" in answer
        else _("Expected final score {points} under perfect play")
    )
    return sentence.format(points=points_text(expected))


def _simulated_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    simulation = answer["simulation"]
    mean, error = simulation["mean"], simulation["standard_error"]
    figures = deviation_text(
        number_text(simulation["standard_deviation"], 1),
        f"{number_text(100 * simulation['upper_bonus_chance'], 1)} %" if rules.bonus else "",
    )
    return [
        *([_("If you maximise the expected score:")] if "aim" in answer else []),
        _("{games} simulated games: mean {mean} ± {error} (standard error)").format(
            games=number_text(simulation["games"], grouped=True),
            mean=number_text(mean, 2),
            error=number_text(error, 2),
        ),
        figures,
        percentile_line(simulation["percentiles"]),
        *([] if answer.get("distribution") else ["", *histogram(simulation["lowest"], simulation["chances"])]),
    ]


ANSWER_VIEWS = {"hold": hold_lines, "score": score_lines, "expect": expect_lines}
