"""Answers of `hold`, `score` and `expect` as text for 80 columns: the answer first, then the position, then a table.

Each ``*_lines`` function of :data:`ANSWER_VIEWS` takes the rule set, the dictionary that
:mod:`perfect_yatzy.service.queries` returns, and how many options to list, and returns lines without colour.
"""

from __future__ import annotations

from typing import Any

from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from .charts import histogram
from .distribution import distribution_lines, percentile_line
from .upper_bonus import upper_bonus_lines
from .wording import category_name, chance_text, loss_text, number_word, plural, points_text, wrapped

ALL_OPTIONS = 10**6  # for `top`: list every option
TIE_VALUES = {"loss": "a loss", "half": "half a win", "win": "a win"}
TIE_OBJECTIVES = {"loss": "to win", "half": "to win (a tie is half)", "win": "to win or tie"}


def approximate_lines(answer: dict[str, Any]) -> list[str]:
    """An empty line and the certificate if the answer is that of an approximate strategy; else nothing."""
    approximate = answer.get("approximate")
    return ["", *wrapped(f"Approximate: {approximate['text']}").splitlines()] if approximate else []


def card_line(rules: RuleSet, answer: dict[str, Any]) -> str:
    """The scorecard of an answer in one line."""
    card = answer["card"]
    if not card:
        return f"{rules.name}, empty card"
    filled = ", ".join(f"{category_name(rules, c)} {points}" for c, points in card.items())
    n_open = len(rules.categories) - len(card)
    if not n_open:
        filled = f"all {len(card)} categories filled"
    elif len(card) > 4:
        filled = f"{plural(len(card), 'category', 'categories')} filled, {number_word(n_open)} open"
    return f"{rules.name}, {answer['card_total']} points: {filled}"


def objective_text(aim: dict[str, Any]) -> str:
    """The goal or the win that a chance refers to: ``of 240 or more``, ``to win``."""
    return f"of {aim['goal']} or more" if "goal" in aim else TIE_OBJECTIVES[aim["ties"]]


def value_text(answer: dict[str, Any], option: dict[str, Any]) -> str:
    """The value of an option: its expected final score, or its chance with a goal or opponents."""
    if "aim" in answer:
        return f"{chance_text(option['chance'])} chance {objective_text(answer['aim'])}"
    return f"expected final score {points_text(option['expected_final_score'])}"


def objective_lines(answer: dict[str, Any]) -> list[str]:
    """The opponents and the assumptions behind a chance, and whether it is decided; an empty line if any."""
    aim, lines = answer["aim"], []
    if "opponents" in aim:
        opponents = []
        for opponent in aim["opponents"]:
            mean, deviation = opponent["mean"], opponent["standard_deviation"]
            playing = f"{mean:.1f} (still playing, SD {deviation:.1f})"
            opponents.append(playing if opponent["playing"] else f"{mean:.0f}")
        lines += wrapped(f"Against {', '.join(opponents)}; a tie counts as {TIE_VALUES[aim['ties']]}").splitlines()
        if any(opponent["playing"] for opponent in aim["opponents"]):
            lines.append("Assumes unfinished opponents maximise their expected score and ignore yours.")
    if answer.get("turns_left") != 0:
        kind = "goal" if "goal" in aim else "win"
        option = "--goal" if "goal" in aim else "--opponents"
        if answer["certain"]:
            lines.append(f"This {kind} is certain; drop {option} to maximise the expected score.")
        elif answer["out_of_reach"]:
            missed = "This goal cannot be reached" if kind == "goal" else "A win is impossible"
            lines.append(f"{missed}; drop {option} to maximise the expected score.")
    return [*lines, ""] if lines else []


def ranking_lines(answer: dict[str, Any], head: str, labels: list[str], entries: list[dict[str, Any]]) -> list[str]:
    """The table of options, best first; with a goal or opponents by chance, then with the expected scores too."""
    width = max(map(len, [head, *labels]))
    has_aim = "aim" in answer
    chance_head = f"  {'chance':>9}" if has_aim else ""
    columns = f"{chance_head}  {'loses':>9}  {'expected':>9}" if has_aim else f"  {'expected':>9}  {'loses':>9}"
    lines = [f"  {head:<{width}}{columns}"]
    for i, (label, entry) in enumerate(zip(labels, entries, strict=False)):
        expected = f"{points_text(entry['expected_final_score']):>9}"
        if has_aim:
            loss = loss_text(100 * entry["loss"], i == 0)
            loss = "tie" if loss.endswith("tie") else f"{loss} %"
            lines.append(f"  {label:<{width}}  {chance_text(entry['chance']):>9}  {loss:>9}  {expected}")
        else:
            lines.append(f"  {label:<{width}}  {expected}  {loss_text(entry['loss'], i == 0):>9}")
    n_hidden = len(entries) - len(labels)
    return [*lines, f"  ... and {n_hidden} more (--all)"] if n_hidden > 0 else lines


def hold_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy hold`."""
    best, rolls_left, dice = answer["best"], answer["rolls_left"], answer["dice"]
    value = value_text(answer, best)
    if best["category"]:
        headline = f"Keep all dice and take {category_name(rules, best['category'])}: {value}"
    elif best["hold"]:
        rerolled = plural(best["reroll"], "die", "dice")
        headline = f"Hold {spaced(best['hold'])} ({glyphs(best['hold'])}), reroll {rerolled}: {value}"
    else:
        headline = f"Hold nothing, reroll all {number_word(len(dice))} dice: {value}"
    stage = f"Roll {answer['rolls'] - rolls_left} of {answer['rolls']}, {plural(rolls_left, 'reroll')} left"
    lines = [headline, "", f"{stage} · {spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += objective_lines(answer)
    width = 2 * rules.dice + 3 + rules.dice
    labels = [hold_label(rules, entry).ljust(width) for entry in answer["holds"][:top]]
    return lines + ranking_lines(answer, "hold", labels, answer["holds"]) + approximate_lines(answer)


def hold_label(rules: RuleSet, entry: dict[str, Any]) -> str:
    """The label of a row in the table of holds."""
    if entry["category"]:
        return f"all dice, take {category_name(rules, entry['category'])}"
    return f"{spaced(entry['hold'])}  {glyphs(entry['hold'])}" if entry["hold"] else "nothing"


def score_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy score`."""
    best, dice = answer["best"], answer["dice"]
    name, points = category_name(rules, best["category"]), best["points"] + best["bonus_points"]
    for_points = f"for {points}" if points else "for 0 (cross it out)"
    headline = f"Take {name} {for_points}: {value_text(answer, best)}"
    lines = [headline, "", f"{spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += objective_lines(answer)
    width = max(len(category.name) for category in rules.categories)
    labels = [
        f"{category_name(rules, entry['category']):<{width}}  {entry['points'] + entry['bonus_points']:>6}"
        for entry in answer["categories"][:top]
    ]
    ranking = ranking_lines(answer, f"{'category':<{width}}  points", labels, answer["categories"])
    return lines + ranking + approximate_lines(answer)


def expect_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy expect`; with a `top` above the number of categories also the mean points of each."""
    turns_left, has_aim = answer["turns_left"], "aim" in answer
    lines = [_expect_headline(answer), ""]
    if has_aim:
        if turns_left and "chance_by_mean_play" in answer:
            chance, expected = chance_text(answer["chance_by_mean_play"]), answer["expected_final_score"]
            lines.append(f"If you maximise the expected score instead: {chance}, expected {expected:.2f}")
        lines += objective_lines(answer)
    lines.append(card_line(rules, answer))
    if turns_left:
        remaining = f"{points_text(answer['expected_remaining'])} expected in {plural(turns_left, 'more turn')}"
        lines.append(f"{answer['card_total']} points on the card, {remaining}")
    if rules.bonus:
        filled = sum(1 << c for c, box in enumerate(rules.categories) if box.id not in answer["open"])
        lines += upper_bonus_lines(rules, filled, answer.get("upper_by_column", [answer["upper"]]))
    if not turns_left:
        return lines
    if answer.get("distribution"):
        lines += ["", *distribution_lines(rules, answer, with_categories=top > len(rules.categories))]
    elif "standard_deviation" in answer:
        policy = " (if you maximise the expected score)" if has_aim else ""
        lines.append(f"Standard deviation {answer['standard_deviation']:.2f}{policy}")
    if "simulation" in answer:
        lines += ["", *_simulated_lines(rules, answer)]
    elif "distribution" in answer and not answer["distribution"] and "standard_deviation" not in answer:
        lines += ["", "No exact distribution for these rules; estimate it with --games 100000."]
    return lines + approximate_lines(answer)


def _expect_headline(answer: dict[str, Any]) -> str:
    expected, has_aim = answer["expected_final_score"], "aim" in answer
    if not answer["turns_left"]:
        return f"Final score {expected:.0f}" + (f": {value_text(answer, answer)}" if has_aim else "")
    if has_aim:
        return f"{value_text(answer, answer)} if you play for it"
    play = "by the fitted values" if "approximate" in answer else "under perfect play"
    return f"Expected final score {points_text(expected)} {play}"


def _simulated_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    simulation = answer["simulation"]
    mean, error = simulation["mean"], simulation["standard_error"]
    figures = f"Standard deviation {simulation['standard_deviation']:.1f}"
    if rules.bonus:
        figures += f", upper bonus in {100 * simulation['upper_bonus_chance']:.1f} % of the games"
    return [
        *(["If you maximise the expected score:"] if "aim" in answer else []),
        f"{simulation['games']:,} simulated games: mean {mean:.2f} ± {error:.2f} (standard error)",
        figures,
        percentile_line(simulation["percentiles"]),
        *([] if answer.get("distribution") else ["", *histogram(simulation["lowest"], simulation["chances"])]),
    ]


ANSWER_VIEWS = {"hold": hold_lines, "score": score_lines, "expect": expect_lines}
