"""Answers in words, for a terminal of 80 columns: the answer first, then the stage, then the ranking.

Each function takes the dictionary of :mod:`perfect_yatzy.service.queries` and returns lines. Colour is added by the
command,
and only where a terminal shows it.
"""

from __future__ import annotations

from typing import Any

from ...game.notation import glyphs, spaced
from ...game.rules import RuleSet
from ...strategy.category_odds import CategoryOdds
from .charts import histogram

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


TIE_WORDS = {"loss": "a loss", "half": "half a win", "win": "a win"}


def number_word(number: int) -> str:
    """Small numbers in words."""
    return WORDS[number] if 0 <= number < len(WORDS) else str(number)


def plural(number: int, one: str, many: str | None = None) -> str:
    """``two dice``, ``one die``."""
    return f"{number_word(number)} {one if number == 1 else many or one + 's'}"


def number(value: float) -> str:
    """Two decimals, and no minus before a zero."""
    return f"{round(value, 2) + 0.0:.2f}"


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
    open_boxes = len(rules.categories) - len(card)
    if not open_boxes:
        filled = f"all {len(card)} categories filled"
    elif len(card) > 4:
        filled = f"{plural(len(card), 'category', 'categories')} filled, {number_word(open_boxes)} open"
    return f"{rules.name}, {answer['card_total']} points: {filled}"


def aim_words(answer: dict[str, Any]) -> str:
    """What is aimed at, as in ``41.20 % chance ...``."""
    aim = answer["aim"]
    if "goal" in aim:
        return f"of {aim['goal']} or more"
    return {"loss": "to win", "half": "to win (a tie is half)", "win": "to win or tie"}[aim["ties"]]


def outcome_words(answer: dict[str, Any], best: dict[str, Any]) -> str:
    """The end of a headline: the mean, or the chance of what is aimed at."""
    if "aim" in answer:
        return f"{chance_text(best['chance'])} chance {aim_words(answer)}"
    return f"expected final score {number(best['expected_final_score'])}"


def aim_lines(answer: dict[str, Any]) -> list[str]:
    """What an aim means: whom one plays against, what is exact, what is decided."""
    aim, lines = answer["aim"], []
    if "opponents" in aim:
        named = []
        for other in aim["opponents"]:
            mean, spread = other["mean"], other["standard_deviation"]
            named.append(f"{mean:.1f} (still playing, SD {spread:.1f})" if other["playing"] else f"{mean:.0f}")
        lines.append(f"Against {', '.join(named)}; a tie counts as {TIE_WORDS[aim['ties']]}")
        if any(other["playing"] for other in aim["opponents"]):
            lines.append("Assumed: who still plays maximises the mean and takes no notice of you.")
    if answer.get("turns_left") != 0:
        if answer["certain"]:
            lines.append("It is certain already: play for the mean (leave the aim out).")
        elif answer["out_of_reach"]:
            lines.append("It is out of reach: play for the mean (leave the aim out).")
    return [*lines, ""] if lines else []


def ranking_lines(
    answer: dict[str, Any], head: str, labels: list[str], entries: list[dict[str, Any]], right: str = ""
) -> list[str]:
    """The table under a headline; with an aim the chances are ranked, and the means stand beside them."""
    width = max(map(len, [head, *labels]))
    aimed = "aim" in answer
    chance_head = f"  {'chance':>9}" if aimed else ""
    rest = f"{chance_head}  {'loses':>9}  {'expected':>9}" if aimed else f"  {'expected':>9}  {'loses':>9}"
    lines = [f"  {head:<{width}}{right}{rest}"]
    for i, (label, entry) in enumerate(zip(labels, entries, strict=False)):
        mean = f"{number(entry['expected_final_score']):>9}"
        if aimed:
            loss = loss_text(100 * entry["loss"], i == 0).replace(" tie", " % tie")
            loss += "" if loss.endswith("tie") else " %"
            lines.append(f"  {label:<{width}}  {chance_text(entry['chance']):>9}  {loss:>9}  {mean}")
        else:
            lines.append(f"  {label:<{width}}  {mean}  {loss_text(entry['loss'], i == 0):>9}")
    more = len(entries) - len(labels)
    return [*lines, f"  ... and {more} more (--all)"] if more > 0 else lines


def hold_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy hold`."""
    best, left = answer["best"], answer["rolls_left"]
    dice = answer["dice"]
    final = outcome_words(answer, best)
    if best["category"]:
        headline = f"Keep all dice and take {category_name(rules, best['category'])}: {final}"
    elif best["hold"]:
        rerolled = plural(best["reroll"], "die", "dice")
        headline = f"Hold {spaced(best['hold'])} ({glyphs(best['hold'])}), reroll {rerolled}: {final}"
    else:
        headline = f"Hold nothing, reroll all {number_word(len(dice))} dice: {final}"
    stage = f"Roll {answer['rolls'] - left} of {answer['rolls']}, {plural(left, 'reroll')} left"
    lines = [headline, "", f"{stage} · {spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += aim_lines(answer)
    width = 2 * rules.dice + 3 + rules.dice
    labels = [hold_label(rules, entry).ljust(width) for entry in answer["holds"][:top]]
    return lines + ranking_lines(answer, "hold", labels, answer["holds"])


def hold_label(rules: RuleSet, entry: dict[str, Any]) -> str:
    """A hold as a row's label."""
    if entry["category"]:
        return f"all dice, take {category_name(rules, entry['category'])}"
    return f"{spaced(entry['hold'])}  {glyphs(entry['hold'])}" if entry["hold"] else "nothing"


def score_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy score`."""
    best, dice = answer["best"], answer["dice"]
    name, points = category_name(rules, best["category"]), best["points"] + best["bonus_points"]
    for_points = f"for {points}" if points else "for 0 (cross it out)"
    headline = f"Take {name} {for_points}: {outcome_words(answer, best)}"
    lines = [headline, "", f"{spaced(dice)} ({glyphs(dice)})", card_line(rules, answer), ""]
    if "aim" in answer:
        lines += aim_lines(answer)
    width = max(len(category.name) for category in rules.categories)
    labels = [
        f"{category_name(rules, entry['category']):<{width}}  {entry['points'] + entry['bonus_points']:>6}"
        for entry in answer["categories"][:top]
    ]
    return lines + ranking_lines(answer, f"{'category':<{width}}  points", labels, answer["categories"])


def expect_text(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """Lines for `yatzy expect`."""
    turns, aimed = answer["turns_left"], "aim" in answer
    headline = f"Expected final score {number(answer['expected_final_score'])} under perfect play"
    if not turns:
        headline = f"Final score {answer['expected_final_score']:.0f}"
        headline += f": {chance_text(answer['chance'])} chance {aim_words(answer)}" if aimed else ""
    elif aimed:
        headline = f"{chance_text(answer['chance'])} chance {aim_words(answer)} if you play for it"
    lines = [headline, ""]
    if aimed:
        if turns and "chance_by_mean_play" in answer:
            by_mean = chance_text(answer["chance_by_mean_play"])
            lines.append(
                f"Playing for the mean instead: {by_mean}, expected final score {answer['expected_final_score']:.2f}"
            )
        lines += aim_lines(answer)
    lines.append(card_line(rules, answer))
    if turns:
        to_come = f"{number(answer['expected_remaining'])} to come in {plural(turns, 'turn')}"
        lines.append(f"{answer['card_total']} points on the card, {to_come}")
    if rules.bonus:
        lines.append(_bonus_line(rules, answer))
    if not turns:
        return lines
    if answer.get("distribution"):
        lines += ["", *spread_lines(rules, answer, top)]
    elif "standard_deviation" in answer:
        lines.append(f"Standard deviation {answer['standard_deviation']:.2f}{_by_mean(answer)}")
    if "simulation" in answer:
        played = answer["simulation"]
        lines += [
            "",
            f"{played['games']:,} {'games played for the mean' if aimed else 'simulated games'}: "
            f"mean {played['mean']:.2f} ± {played['standard_error']:.2f} (standard error)",
            f"Standard deviation {played['standard_deviation']:.1f}"
            + (f", upper bonus in {100 * played['upper_bonus_chance']:.1f} % of the games" if rules.bonus else ""),
            percentile_line(played["percentiles"]),
        ]
    elif "distribution" in answer and not answer["distribution"] and "standard_deviation" not in answer:
        lines += ["", "The spread of these rules is not exact; --games 100000 simulates it."]
    return lines


def _by_mean(answer: dict[str, Any]) -> str:
    """What is followed for the spread, where that is not what the headline speaks of."""
    return " (playing for the mean)" if "aim" in answer else ""


def percentile_line(percentiles: dict[str, float]) -> str:
    """Percentiles in one line."""
    return "Percentiles  " + "  ".join(f"{p} %: {v:.0f}" for p, v in percentiles.items())


def spread_lines(rules: RuleSet, answer: dict[str, Any], top: int) -> list[str]:
    """The exact distribution: its figures, a histogram, and with --all what becomes of each category."""
    found = answer["distribution"]
    lines = ["If you play for the mean:"] if "aim" in answer else []
    figures = f"Standard deviation {found['standard_deviation']:.2f}"
    if 0 < found["upper_bonus_chance"] < 1 - 1e-9:
        figures += f", upper bonus in {chance_text(found['upper_bonus_chance'])} of the games"
    lines += [figures, percentile_line(found["percentiles"]), ""]
    lines += histogram(found["lowest"], found["chances"])
    if top > len(rules.categories):
        lines += ["", *category_lines(rules, found["categories"])]
    return lines


def category_lines(rules: RuleSet, entries: list[dict[str, Any]]) -> list[str]:
    """Mean points of each category, and how often it is crossed out."""
    width = max(len(c.name) for c in rules.categories)
    lines = [f"  {'category':<{width}}  {'mean':>6}  {'crossed out':>11}"]
    for entry in entries:
        name = category_name(rules, entry["category"])
        lines.append(f"  {name:<{width}}  {entry['mean']:>6.2f}  {chance_text(entry['crossed_out']):>11}")
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


def odds_text(rules: RuleSet, dice: tuple[int, ...] | None, left: int, found: list[CategoryOdds]) -> list[str]:
    """Lines for `yatzy odds`."""
    when = f"{spaced(dice)} ({glyphs(dice)})" if dice else "Before the first roll"
    lines = [f"{when}, {plural(left, 'reroll')} left", f"{rules.name}, each category played for alone"]
    lines += ["Behind each number the hold that is best for it", ""] if dice else [""]
    width = max(len(c.name) for c in rules.categories)
    hold_width = max(2 * rules.dice - 1, len("nothing"))

    def held(hold: tuple[int, ...] | None) -> str:
        return "" if hold is None else f"  {spaced(hold) or 'nothing':<{hold_width}}"

    holding = f"  {'hold':<{hold_width}}" if dice else ""
    lines.append(f"  {'category':<{width}}  {'chance':>9}{holding}  {'points':>7}{holding}".rstrip())
    for entry in found:
        row = f"  {category_name(rules, entry.category):<{width}}  {chance_text(entry.chance):>9}{held(entry.hold)}"
        lines.append(f"{row}  {entry.expected_points:>7.2f}{held(entry.expected_points_hold)}".rstrip())
    return lines


def chance_text(chance: float) -> str:
    """Per cent with two decimals, small chances with four; 100 % and 0 % only for certain and impossible."""
    if 0 < chance < 0.00005:
        return f"{100 * chance:.4f} %" if chance >= 5e-7 else "<0.0001 %"
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
        f"{plural(rules.rolls_per_turn, 'roll')} a turn, {len(rules.categories)} categories {order}",
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
        lines.append(f"  {category.code:>3} {mark} {category.name:<{name_width}}  {category.id:<{id_width}}  {what}")
    lines.append("")
    if rules.switches:
        lines.append("Switches, used as in " + f"{rules.origin}+{rules.switches[0].id}:")
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
