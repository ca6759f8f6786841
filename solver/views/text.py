"""Answers in words, for a terminal of 80 columns: the answer first, then the stage, then the ranking.

Each function takes the dictionary of :mod:`solver.queries` and returns lines. Colour is added by the command,
and only where a terminal shows it.
"""

from __future__ import annotations

from typing import Any

from ..notation import glyphs, spaced
from ..odds import Odds
from ..rules import RuleSet

WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def number_word(number: int) -> str:
    """Small numbers in words."""
    return WORDS[number] if 0 <= number < len(WORDS) else str(number)


def plural(number: int, one: str, many: str | None = None) -> str:
    """``two dice``, ``one die``."""
    return f"{number_word(number)} {one if number == 1 else many or one + 's'}"


def loss_text(loss: float, is_best: bool) -> str:
    """Two decimals; ``<0.01`` for a small loss, ``0.00`` for none, a second best one is a tie."""
    if loss == 0.0:
        return "0.00" if is_best else "0.00 tie"
    return "<0.01" if loss < 0.005 else f"{loss:.2f}"


def category_name(rules: RuleSet, category: str) -> str:
    """Name of a category from its id."""
    return rules.categories[rules.index_of[category]].name


def card_line(rules: RuleSet, answer: dict[str, Any]) -> str:
    """The card in one line."""
    card = answer["card"]
    if not card:
        return f"{rules.name}, empty card"
    filled = ", ".join(f"{category_name(rules, c)} {points}" for c, points in card.items())
    if len(card) > 4:
        open_boxes = len(rules.categories) - len(card)
        filled = f"{plural(len(card), 'category', 'categories')} filled, {number_word(open_boxes)} open"
    return f"{rules.name}, {answer['points']} points: {filled}"


def hold_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy hold`."""
    best, left = answer["best"], answer["rolls_left"]
    dice = answer["dice"]
    final = f"expected final score {best['expected_final']:.2f}"
    if best["category"]:
        headline = f"Keep all dice and take {category_name(rules, best['category'])}: {final}"
    elif best["hold"]:
        rerolled = plural(best["reroll"], "die", "dice")
        headline = f"Hold {spaced(best['hold'])} ({glyphs(best['hold'])}), reroll {rerolled}: {final}"
    else:
        headline = f"Hold nothing, reroll all {number_word(len(dice))} dice: {final}"
    stage = f"Roll {answer['rolls'] - left} of {answer['rolls']}, {plural(left, 'reroll')} left"
    lines = [headline, "", f"{stage} · {spaced(dice)} ({glyphs(dice)}) · {card_line(rules, answer)}", ""]
    width = 2 * rules.dice + 3 + rules.dice
    names = [hold_label(rules, entry) for entry in answer["holds"][:top]]
    width = max(width, *map(len, names)) if names else width
    lines.append(f"  {'hold':<{width}}  {'expected':>9}  {'loses':>9}")
    for i, (name, entry) in enumerate(zip(names, answer["holds"], strict=False)):
        mark = loss_text(entry["loss"], i == 0)
        lines.append(f"  {name:<{width}}  {entry['expected_final']:>9.2f}  {mark:>9}")
    rest = len(answer["holds"]) - len(names)
    if rest > 0:
        lines.append(f"  ... and {rest} more (--all)")
    return lines


def hold_label(rules: RuleSet, entry: dict[str, Any]) -> str:
    """A hold as a row's label."""
    if entry["category"]:
        return f"all dice, take {category_name(rules, entry['category'])}"
    return f"{spaced(entry['hold'])}  {glyphs(entry['hold'])}" if entry["hold"] else "nothing"


def score_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy score`."""
    best, dice = answer["best"], answer["dice"]
    name, points = category_name(rules, best["category"]), best["points"] + best["bonus"]
    for_points = f"for {points}" if points else "for 0 (cross it out)"
    headline = f"Take {name} {for_points}: expected final score {best['expected_final']:.2f}"
    lines = [headline, "", f"{spaced(dice)} ({glyphs(dice)}) · {card_line(rules, answer)}", ""]
    width = max(len(category.name) for category in rules.categories)
    lines.append(f"  {'category':<{width}}  {'points':>6}  {'expected':>9}  {'loses':>9}")
    shown = answer["categories"][:top]
    for i, entry in enumerate(shown):
        points, mark = entry["points"] + entry["bonus"], loss_text(entry["loss"], i == 0)
        row = f"  {category_name(rules, entry['category']):<{width}}  {points:>6}"
        lines.append(f"{row}  {entry['expected_final']:>9.2f}  {mark:>9}")
    rest = len(answer["categories"]) - len(shown)
    if rest > 0:
        lines.append(f"  ... and {rest} more (--all)")
    return lines


def expect_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy expect`."""
    turns = answer["turns_left"]
    lines = [f"Expected final score {answer['expected_final']:.2f} under perfect play", ""]
    lines.append(card_line(rules, answer))
    lines.append(
        f"{answer['points']} points on the card, {answer['to_come']:.2f} to come in {plural(turns, 'turn')}"
    )
    if rules.bonus:
        lines.append(_bonus_line(rules, answer))
    if "simulation" in answer:
        played = answer["simulation"]
        marks = "  ".join(f"{p} %: {v:.0f}" for p, v in played["percentiles"].items())
        lines += [
            "",
            f"{played['games']:,} simulated games: mean {played['mean']:.2f} ± {played['standard_error']:.2f}, "
            f"standard deviation {played['standard_deviation']:.1f}",
            f"Percentiles  {marks}",
        ]
        if rules.bonus:
            lines.append(f"Upper bonus in {100 * played['bonus_chance']:.1f} % of the games")
    return lines


def _bonus_line(rules: RuleSet, answer: dict[str, Any]) -> str:
    assert rules.bonus is not None
    missing = rules.bonus.threshold - answer["upper"]
    faces = [c for c in rules.categories if c.upper and c.id in answer["open"]]
    name = f"Upper bonus of {rules.bonus.points}"
    if missing <= 0:
        return f"{name}: secured ({answer['upper']} of {rules.bonus.threshold})"
    most = sum(c.face * rules.dice for c in faces)
    if all(c.face for c in faces) and most < missing:
        return f"{name}: out of reach ({answer['upper']} of {rules.bonus.threshold})"
    return f"{name}: {answer['upper']} of {rules.bonus.threshold}, {missing} more needed"


def odds_text(rules: RuleSet, dice: tuple[int, ...] | None, left: int, found: list[Odds]) -> list[str]:
    """Lines for `yatzy odds`."""
    when = f"{spaced(dice)} ({glyphs(dice)})" if dice else "Before the first roll"
    lines = [f"{when}, {plural(left, 'reroll')} left · {rules.name}, each category played for alone", ""]
    width = max(len(c.name) for c in rules.categories)
    hold_width = 2 * rules.dice - 1
    held = f"  {'hold':<{hold_width}}" if dice else ""
    lines.append(f"  {'category':<{width}}  {'chance':>8}{held}  {'points':>7}")
    for entry in found:
        name = category_name(rules, entry.category)
        held = f"  {spaced(entry.hold) or 'nothing':<{hold_width}}" if entry.hold is not None else ""
        lines.append(f"  {name:<{width}}  {chance_text(entry.chance):>8}{held}  {entry.points:>7.2f}")
    return lines


def chance_text(chance: float) -> str:
    """Per cent with two decimals; 100 % and 0 % only for certain and impossible."""
    if 0 < chance < 0.00005:
        return "<0.01 %"
    if 0.99995 < chance < 1 - 1e-12:
        return ">99.99 %"
    return f"{100 * chance:.2f} %"


ANSWERS = {"hold": hold_text, "score": score_text, "expect": expect_text}


def rules_text(rules: RuleSet, facts: dict[str, Any]) -> list[str]:
    """Lines for `yatzy rules show`."""
    order = "in the listed order" if rules.order == "forced" else "in any order"
    lines = [f"{rules.name} ({rules.key})"]
    if rules.summary:
        lines.append(rules.summary)
    lines += [
        "",
        f"{plural(rules.dice, 'die', 'dice').capitalize()} with {rules.faces} faces, "
        f"{plural(rules.rolls, 'roll')} a turn, {len(rules.categories)} categories {order}",
    ]
    if rules.bonus:
        lines.append(f"Bonus {rules.bonus.points} when the upper boxes (*) reach {rules.bonus.threshold}")
    if rules.saved_rolls:
        lines.append("Unused rolls are saved for later turns")
    if rules.joker:
        name = category_name(rules, rules.joker.category)
        lines.append(f"An extra {name} pays {rules.joker.bonus} and is a {rules.joker.mode} joker")
    for bonus_id, points in rules.first_roll_bonus:
        lines.append(f"{category_name(rules, bonus_id)} on the first roll pays {points} extra")
    lines.append("")
    id_width = max(len(c.id) for c in rules.categories)
    name_width = max(len(c.name) for c in rules.categories)
    for category in rules.categories:
        mark = "*" if category.upper else " "
        what = " or ".join(pattern_words(p.canonical()) for p in category.patterns)
        lines.append(
            f"  {category.code:>3} {mark} {category.name:<{name_width}}  {category.id:<{id_width}}  {what}"
        )
    lines.append("")
    if rules.switches:
        lines.append("Switches, used as in " + f"{rules.id}+{rules.switches[0].id}:")
        lines += [f"  {switch.id:<20}  {switch.summary}" for switch in rules.switches]
        lines.append("")
    lines.append(f"Highest score   {facts['maximum']}")
    lines.append(f"States          {facts['states']:,} reachable, {facts['values']:,} values in the table")
    lines.append(f"Fingerprint     {rules.fingerprint}")
    if rules.published:
        lines.append(f"Published value {rules.published.value} ({rules.published.source})")
    return lines


def pattern_words(pattern: dict[str, Any]) -> str:
    """What a pattern asks for and pays, in a few words."""
    kind = pattern["pattern"]
    if kind == "face":
        asks = f"all {pattern['face']}s"
    elif kind == "groups":
        asks = " + ".join(f"{size} equal" for size in pattern["groups"])
        asks += "" if pattern["distinct"] else " (may be the same face)"
    elif kind == "contains":
        asks = "-".join(map(str, pattern["contains"]))
    else:
        asks = "any dice"
    pays = {"matched": "their sum", "sum": "sum of all dice", "fixed": f"{pattern.get('points')} points"}
    plus = f" + {pattern['plus']}" if pattern.get("plus") else ""
    return f"{asks}: {pays[pattern['score']]}{plus}"
