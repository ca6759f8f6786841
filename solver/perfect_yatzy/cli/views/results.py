"""Final scores as text and pictures.

They are of distributions, simulated games, evaluated policies and two players.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ...core.dice import Floats
from ...core.rules import RuleSet
from ...errors import MissingPackage
from ...game.notebook import histogram_bins
from ...strategy.tie_rules import TIE_RULES
from ...words import _, alternatives, ngettext, number_text, significant_text
from ..console import output_file
from ..text_width import columns, left
from . import wording
from .wording import (
    card_line,
    category_name,
    chance_text,
    grouped,
    names_width,
    rounded_up,
    wrapped,
)

CONFIDENCE = 1.96  # standard errors on either side of a 95 % interval
LISTED = 8  # categories that are listed by their losses
BAR_WIDTH = 30
BLOCKS = " ▏▎▍▌▋▊▉█"
PICTURE_SUFFIXES = (".png", ".svg", ".pdf")


def distribution_lines(rules: RuleSet, answer: dict[str, Any], with_categories: bool) -> list[str]:
    """Return lines about the exact distribution in an answer of `yatzy expect`.

    They are also about each category if `with_categories`.
    """
    distribution = answer["distribution"]
    lines = [_("If you maximise the expected score:")] if "aim" in answer else []
    bonus = distribution["upper_bonus_chance"]
    chance = chance_text(bonus) if 0 < bonus < 1 - 1e-9 else ""
    lines.append(_deviation_text(number_text(distribution["standard_deviation"], 2), chance))
    lines += [percentile_line(distribution["percentiles"]), ""]
    lines += histogram(distribution["lowest"], distribution["chances"])
    return (
        [*lines, "", *category_lines(rules, distribution["categories"])]
        if with_categories
        else lines
    )


def simulated_figures(rules: RuleSet, answer: dict[str, Any], decimals: int) -> list[str]:
    """Return the standard deviation, the upper bonus and the percentiles of simulated games."""
    chance = f"{number_text(100 * answer['upper_bonus_chance'], 1)} %" if rules.bonus else ""
    deviation = number_text(answer["standard_deviation"], decimals)
    return [_deviation_text(deviation, chance), percentile_line(answer["percentiles"])]


def _deviation_text(deviation: str, bonus_chance: str) -> str:
    if not bonus_chance:
        return _("Standard deviation {deviation}", deviation=deviation)
    sentence = _("Standard deviation {deviation}, upper bonus in {chance} of the games")
    return sentence.format(deviation=deviation, chance=bonus_chance)


def percentile_line(percentiles: dict[str, float]) -> str:
    """Return percentiles in one line. The keys are per cent, and the values final scores."""
    texts = [f"{percent} %: {score:.0f}" for percent, score in percentiles.items()]
    return "  ".join([_("Percentiles"), *texts])


def category_lines(rules: RuleSet, entries: list[dict[str, Any]]) -> list[str]:
    """Return a table of the mean points and the chance of a zero of categories.

    The entries have ``category``, ``mean`` and ``crossed_out``.
    """
    rows = [(_("category"), _("mean"), _("crossed out"))]
    for entry in entries:
        name = category_name(rules, entry["category"])
        rows.append((name, number_text(entry["mean"], 2), chance_text(entry["crossed_out"])))
    return columns(rows, f"<{names_width(rules)}", ">6", ">11")


def simulation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Return lines for `yatzy simulate`.

    `answer` is that of :func:`perfect_yatzy.service.measure.run_simulation`.
    """
    end = ["", *category_lines(rules, answer["categories"]), *wording.approximate_lines(answer)]
    if answer["games"] == 1:
        headline = _("Final score {points} in one game", points=answer["highest"])
        return [headline, "", card_line(rules, answer), _reference_line(answer), *end]
    headline = _(
        "Mean final score {mean} ± {error} (standard error) in {games} games",
        mean=number_text(answer["mean"], 2),
        error=number_text(answer["standard_error"], 2),
        games=grouped(answer["games"]),
    )
    lines = [headline, "", card_line(rules, answer)]
    if "plain_mean" in answer:
        plain_mean = number_text(answer["plain_mean"], 2)
        lines.append(
            _("The luck of the dice is removed; the mean of the scores is {mean}", mean=plain_mean)
        )
    lines += [_reference_line(answer), *simulated_figures(rules, answer, 2)]
    lines += [
        _("Lowest {lowest}, highest {highest}", lowest=answer["lowest"], highest=answer["highest"]),
        "",
    ]
    return [*lines, *histogram(answer["lowest"], answer["chances"]), *end]


def _reference_line(answer: dict[str, Any]) -> str:
    """Return what simulated games are compared with.

    It is the chance of the goal, perfect play, or what the strategy expects.
    """
    if "reached" in answer:
        return _goal_line(answer)
    if "perfect_mean" in answer:
        return _("Perfect play: {best}", best=number_text(answer["perfect_mean"], 2))
    points = number_text(answer["expected_final_score"], 2)
    if "approximate" in answer:
        return _("Estimate of the fitted values {points}", points=points)
    return _("Exact expected final score {points}", points=points)


def _goal_line(answer: dict[str, Any]) -> str:
    if "field" in answer:
        share = number_text(100 * answer["reached"], 4)
        return _(
            "Won in {share} % of the games; exact chance {chance}",
            share=share,
            chance=percent_text(answer["chance"]),
        )
    _kind, _colon, goal = answer["policy"].partition(":")  # such as ``goal:280``
    facts = {"goal": goal, "chance": chance_text(answer["chance"])}
    if answer["games"] == 1:
        return _("{goal} or more: exact chance {chance}", **facts)
    facts["share"] = number_text(100 * answer["reached"], 2)
    facts["error"] = number_text(100 * answer["reached_error"], 2)
    return _("{goal} or more in {share} ± {error} % of the games; exact chance {chance}", **facts)


def position_lines(rules: RuleSet, answer: dict[str, Any], path: str) -> list[str]:
    """Return lines for `yatzy simulate --positions`.

    `answer` is that of :func:`perfect_yatzy.service.measure.run_positions`.
    """
    n_rows = answer["rows"]  # fewer than decisions if each position has one row
    n_decisions = answer["positions"]
    n_games = answer["games"]
    written = ngettext(
        "Wrote {count} position to {path}",
        "Wrote {count} positions to {path}",
        n_rows,
        count=grouped(n_rows),
        path=path,
    )
    played = ngettext(
        "{decisions} decisions of {count} game, seed {seed}",
        "{decisions} decisions of {count} games, seed {seed}",
        n_games,
        decisions=grouped(n_decisions),
        count=grouped(n_games),
        seed=answer["seed"],
    )
    lines = [written, "", card_line(rules, answer), played]
    shares = [
        _(
            "{share} % with {count} left",
            share=number_text(100 * number / n_decisions, 1),
            count=rolls_left,
        )
        for rolls_left, number in answer["rolls_left"].items()
        if number
    ]
    lines.append(_("Rerolls: {shares}", shares=", ".join(reversed(shares))))
    if answer["exploration"]:
        chance = significant_text(answer["exploration"], 6)
        lines.append(_("A random legal action is taken with chance {chance}", chance=chance))
    return lines


def evaluation_lines(rules: RuleSet, answer: dict[str, Any]) -> list[str]:
    """Return lines for an answer of :func:`perfect_yatzy.service.measure.run_evaluation`."""
    title = answer.get("title", answer["policy"])
    after_head = ["", card_line(rules, answer), _against_perfect(answer)]
    if "games" in answer:  # of a sampled policy
        mean = _with_interval(answer["mean"], answer["standard_error"])
        headline = _("{policy}: mean final score {mean}, luck removed", policy=title, mean=mean)
        plain = ngettext(
            "Plain mean of {count} game: {mean}",
            "Plain mean of {count} games: {mean}",
            answer["games"],
            count=grouped(answer["games"]),
            mean=_with_interval(answer["plain_mean"], answer["plain_standard_error"]),
        )
        return [headline, *after_head, plain, "", *loss_lines(rules, answer["losses"])]
    lines = [
        _("{policy}: mean final score {mean}", policy=title, mean=number_text(answer["mean"], 4)),
        *after_head,
    ]
    against = answer.get("against")
    if against:
        wins = chance_text(against["chance"])
        chance = _(TIE_RULES[against["ties"]].chance, chance=wins)  # marked elsewhere
        lines.append(_("Against {policy}: {chance}", policy=against["policy"], chance=chance))
        lines += handicap_lines(answer["policy"], against)
    if "losses" in answer and answer["loss"] >= 0.005:
        lines += ["", *loss_lines(rules, answer["losses"])]
    if "distribution" in answer:
        only_distribution = {"distribution": answer["distribution"]}  # without an aim
        return [*lines, "", *distribution_lines(rules, only_distribution, with_categories=True)]
    return [*lines, _deviation_text(number_text(answer["standard_deviation"], 2), bonus_chance="")]


def handicap_lines(policy: str, against: dict[str, Any]) -> list[str]:
    """Return the points that make a game of two policies even, if they were asked for."""
    even = against.get("even")
    if even is None:
        return []
    points = even["points"]  # that `policy` gets, or gives if they are negative
    return [
        ngettext(
            "Even if {receiver} gets {count} point: {policy} then wins with a chance of {chance}",
            "Even if {receiver} gets {count} points: {policy} then wins with a chance of {chance}",
            abs(points),
            receiver=policy if points >= 0 else against["policy"],
            count=abs(points),
            policy=policy,
            chance=chance_text(even["chance"]),
        )
    ]


def _against_perfect(answer: dict[str, Any]) -> str:
    perfect = answer["perfect_mean"]
    loss = answer["loss"]
    facts = {"best": number_text(perfect, 4), "loss": number_text(loss, 2)}
    if loss < 0.00005:
        return _("Perfect play: {best}", **facts)
    if perfect <= 0:
        return _("Perfect play: {best}; {loss} points a game less", **facts)
    share = number_text(100 * answer["mean"] / perfect, 2)
    return _(
        "Perfect play: {best}; {loss} points a game less, {share} % of it", **facts, share=share
    )


def _with_interval(mean: float, standard_error: float | None) -> str:
    """Return a mean with its 95 % interval, if there are enough games for one."""
    if standard_error is None:
        return number_text(mean, 2)
    return f"{number_text(mean, 2)} ± {number_text(CONFIDENCE * standard_error, 2)} (95 %)"


def loss_lines(rules: RuleSet, losses: dict[str, Any]) -> list[str]:
    """Return where points are lost, by decision, by turn, and by the category that was filled."""
    by_rerolls_left = {int(number): loss for number, loss in losses["holds"].items()}
    total = sum(by_rerolls_left.values()) + losses["category"]
    lines = [_("Points lost a game: {points}", points=number_text(total, 2))]
    for number in sorted(by_rerolls_left, reverse=True):
        count = wording.number_word(number)
        label = ngettext("hold, one reroll left", "hold, {count} rerolls left", number, count=count)
        lines.append(f"  {left(label, 28)}{number_text(by_rerolls_left[number], 2):>8}")
    lines.append(f"  {left(_('category'), 28)}{number_text(losses['category'], 2):>8}")
    lines += ["", _("By turn")]
    most = max(losses["turns"])
    for turn, loss in enumerate(losses["turns"], start=1):
        drawn = bar(loss / most, min(BAR_WIDTH, wording.line_width() - 14)) if most > 0 else ""
        lines.append(f"  {turn:>2}  {number_text(loss, 2):>6}  {drawn}".rstrip())
    worst = sorted(losses["categories"].items(), key=lambda entry: -entry[1])[:LISTED]
    named = [
        (category_name(rules, category), number_text(loss, 2))
        for category, loss in worst
        if loss >= 0.005
    ]
    if named:
        lines += [
            "",
            _("By the category that was filled instead of the best one"),
            *columns(named, "<", ">6"),
        ]
    return lines


def versus_lines(
    rules: RuleSet,
    policies: Sequence[str],
    ties: str,
    chances: Floats,
    exploitability: Sequence[float],
) -> list[str]:
    """Return lines for the chances of :func:`perfect_yatzy.two_players.versus.versus_table`.

    ``chances[i, j]`` is that of the first player, who plays by policy i, against policy j. Policy 0
    plays to win, and the others are `policies`, each with its exploitability.
    """
    first_wins = chances[0, 0]  # if both play to win
    tie = _(TIE_RULES[ties].value)  # marked elsewhere
    lines = [
        _(
            "{game}, two players: the first wins {chance}",
            game=rules.name,
            chance=chance_text(first_wins),
        ),
        "",
    ]
    lines += wrapped(
        _("Both know both cards and play to win; a tie counts as {value}.", value=tie)
    ).splitlines()
    lines.append(_("Who moves second wins {chance}.", chance=chance_text(1 - first_wins)))
    if not policies:
        return lines
    names = [_("plays to win"), *policies]  # of the rows and of the columns
    rows = [["", *names]]
    for name, against_each in zip(names, chances.tolist(), strict=True):
        rows.append([name, *map(chance_text, against_each)])
    lines += ["", _("Chance of the first player (rows) against the second (columns):"), ""]
    lines += [*columns(rows, "<", *(">" for _name in names)), ""]
    beyond = _("What best responses win beyond a half, over both orders of moving:")
    lines += [*wrapped(beyond).splitlines(), ""]
    gains = [*zip(policies, map(chance_text, exploitability), strict=True)]
    return lines + columns(gains, "<", ">")


def field_lines(rules: RuleSet, fields: dict[str, Any]) -> list[str]:
    """Return lines for the equilibrium of a field (:mod:`perfect_yatzy.field.equilibrium`)."""
    players = fields["field"] + 1
    fair = 1 / players
    text = _("{game}, {count} players who cannot see each other: an equilibrium")
    lines = [text.format(game=rules.name, count=grouped(players)), ""]
    lines += wrapped(
        _(
            "Each follows one way to play, and the highest score wins; players who tie share. Whatever a single "
            "player did instead, the chance to win would be at most {most} instead of {fair}.",
            most=percent_text(rounded_up(fair + fields["gain"], 8)),
            fair=percent_text(fair),
        )
    ).splitlines()
    mean = number_text(fields["mean"], 2)
    deviation = number_text(fields["standard_deviation"], 2)
    lines.append(_("Mean final score {mean}, SD {deviation}", mean=mean, deviation=deviation))
    if rules.bonus:
        lines.append(
            _(
                "Upper bonus in {chance} of the games",
                chance=chance_text(fields["upper_bonus_chance"]),
            )
        )
    lines.append(
        _(
            "Who maximises the expected score wins {chance} against them",
            chance=percent_text(fields["mean_play_wins"]),
        )
    )
    return [*lines, "", *histogram(fields["lowest"], fields["chances"])]


def percent_text(chance: float) -> str:
    """Return a chance of any size with six digits after the point of its percentage."""
    return f"{number_text(100 * chance, 6)} %"


def bounds_lines(rules: RuleSet, ties: str, low: float, high: float) -> list[str]:
    """Return lines for the bounds of :func:`perfect_yatzy.two_players.versus.versus_bounds`.

    They are rounded outwards.
    """
    lowest = wording.lower_bound_text(low)
    highest = chance_text(rounded_up(high, 4))
    text = _("{game}, two players: the first wins between {low} and {high}")
    tie = _(TIE_RULES[ties].value)  # marked elsewhere
    proof = _(
        "The game is too large to be solved for two players. Each of them has a strategy for the own score alone "
        "that wins at least so often, whatever the other does; a tie counts as {value}. Late in a game the chance "
        "is exact: yatzy hold --best-opponent CARD",
        value=tie,
    )
    return [
        text.format(game=rules.name, low=lowest, high=highest),
        "",
        *wrapped(proof).splitlines(),
    ]


def interval_lines(rules: RuleSet, found: dict[str, Any]) -> list[str]:
    """Return lines for the interval of a game of two by sampled paths, rounded outwards."""
    low, high = found["interval"]
    lowest = wording.lower_bound_text(low)
    highest = chance_text(rounded_up(high, 4))
    text = _(
        "{game}, two players: with {confidence} confidence the first wins between {low} and {high}"
    )
    confidence = f"{round(100 * found['confidence'])} %"
    proof = _(
        "This is an estimate from {paths} sampled games and no proof; a tie counts as {value}. The sampled player "
        "plays for the average until {endgame} boxes are open, then to win. Proved bounds: without --paths.",
        paths=found["paths"],
        endgame=found["endgame"],
        value=_(TIE_RULES[found["ties"]].value),  # marked elsewhere
    )
    first = text.format(game=rules.name, confidence=confidence, low=lowest, high=highest)
    return [*wrapped(first).splitlines(), "", *wrapped(proof).splitlines()]


def histogram(lowest: int, chances: Sequence[float], rows: int = 14, width: int = 44) -> list[str]:
    """Return the chances of the `lowest` score and those after it as bars.

    Tails below one in ten thousand are left out.
    """
    starts, bins, bin_width = histogram_bins(lowest, chances, rows)
    highest_chance = max(bins)
    width = min(width, wording.line_width() - 22)  # behind the scores and their chances
    lines = []
    for start, chance in zip(starts, bins, strict=True):
        label = f"{start}" if bin_width == 1 else f"{start}-{start + bin_width - 1}"
        if chance == 0:
            percent = "0"
        elif chance < 0.0005:  # it would be shown as 0.0
            percent = f"<{number_text(0.1, 1)}"
        else:
            percent = number_text(100 * chance, 1)
        lines.append(
            f"  {label:>9}  {percent:>5} %  {bar(chance / highest_chance, width)}".rstrip()
        )
    return lines


def bar(share: float, width: int) -> str:
    """Return a bar of a share of `width` columns, in eighths of a column.

    If the encoding of the output has no blocks, it is of ``#`` and in whole columns.
    """
    try:
        BLOCKS.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "#" * round(width * share)
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")


def check_picture(path: str) -> None:
    """Raise UsageError or MissingPackage unless a picture can be drawn to this file."""
    if Path(path).suffix.lower() not in PICTURE_SUFFIXES:
        text = _("cannot draw to {path}; the file name must end in {suffixes}")
        raise click.UsageError(text.format(path=path, suffixes=alternatives(PICTURE_SUFFIXES)))
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingPackage("--plot", "matplotlib", extra="plot") from error


@contextmanager
def picture(path: str) -> Iterator[Any]:
    """Draw with the module :mod:`matplotlib.pyplot`, which is yielded.

    At the end its figure replaces the file. If that fails, an old file stays.
    """
    check_picture(path)
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    try:
        yield plt
        with output_file(path) as file:
            plt.savefig(file, dpi=150, format=Path(path).suffix[1:].lower())
    finally:
        plt.close()


def _percents(chances: Sequence[float]) -> list[float]:
    return [100 * chance for chance in chances]


def plot(
    path: str,
    title: str,
    chance_of: Mapping[int, float],
    goal_chances: Sequence[float] | None = None,
    goal: int | None = None,
) -> None:
    """Draw the chance of each score, and the chance of at least each score.

    With `goal_chances`, the latter is also drawn for each score as the goal.
    """
    with picture(path) as plt:
        scores = [*chance_of]
        chances = [*chance_of.values()]
        at_least = [min(1.0, sum(chances[i:])) for i in range(len(chances))]
        _figure, (upper, lower) = plt.subplots(
            2, 1, figsize=(8, 7), sharex=True, layout="constrained"
        )
        upper.fill_between(scores, _percents(chances), step="mid", color="#4477aa", linewidth=0)
        upper.set(title=title, ylabel=_("chance of this score, %"), ylim=(0, None))
        label = _("maximising the expected score")
        lower.plot(scores, _percents(at_least), color="#4477aa", label=label)
        if goal_chances is not None:
            label = _("with this score as goal")
            percents = _percents(goal_chances)
            lower.plot(scores, percents, color="#cc6677", linestyle="--", label=label)
            lower.legend()
        lower.set(
            xlabel=_("final score"), ylabel=_("chance of at least this score, %"), ylim=(0, 101)
        )
        for axes in (upper, lower):
            axes.grid(alpha=0.3)
            if goal is not None:
                axes.axvline(goal, color="#888888", linewidth=1)
        visible = [score for score, chance in chance_of.items() if chance > 1e-6]
        lower.set_xlim(min(visible), max(visible))
