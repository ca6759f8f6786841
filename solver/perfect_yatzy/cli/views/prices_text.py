"""What a player thinks that boxes and the upper bonus are worth, in words."""

from __future__ import annotations

from ...core.rules import RuleSet, leaves_choice
from ...errors import StateError
from ...play.rating import Rating
from ...prices.fit import MIN_GAMES, SIGNIFICANT, Price, Prices
from ...words import _, ngettext, number_text
from ..text_width import wrap
from .wording import category_name, grouped, line_width


def prices_lines(rating: Rating, rules: RuleSet) -> list[str]:
    """Return lines about the prices of a player, or why there are none.

    `rules` has the names of the boxes.
    """
    if rating.games < MIN_GAMES:
        text = _("Prices of boxes can be seen from {least} games on.", least=MIN_GAMES)
        return wrap(text, line_width())
    try:
        prices = rating.prices
    except StateError as error:
        return wrap(str(error), line_width())
    sentences = [
        _head(prices),
        *(f"  {_error_text(price, rules)}" for price in prices.errors),
        *_unseen(prices, rules),
        _slips(prices),
    ]
    if leaves_choice(rules):
        sentences.append(
            _("Only differences between boxes can be seen; all prices together have no effect.")
        )
    narrowing = prices.narrowing()
    if narrowing:
        first = prices.errors[0]
        sentence = ngettext(
            "About one more game would narrow {name} to ± {width}.",
            "About {games} more games would narrow {name} to ± {width}.",
            narrowing.games,
            games=grouped(narrowing.games),
            name=_price_name(first, rules),
            width=_amount(first, narrowing.half_width),
        )
        sentences.append(sentence)
    return [line for text in sentences for line in wrap(text, line_width(), subsequent_indent="  ")]


def _price_name(price: Price, rules: RuleSet) -> str:
    if price.name not in rules.index_of:
        return _("Upper bonus")
    return category_name(rules, price.name)


def _amount(price: Price, error: float) -> str:
    """Return an error without its sign, in points, or in per cent for the bonus."""
    if price.name == "bonus":
        return f"{number_text(100 * abs(error), 0)} %"
    return number_text(abs(error), 1)


def _head(prices: Prices) -> str:
    games = _games(prices)
    text = _(
        "What an open box is worth to this player, compared with perfect play, by {decisions} "
        "decisions in {games}; 90 % intervals:"
    )
    return text.format(decisions=grouped(prices.decisions), games=games)


def _games(prices: Prices) -> str:
    return ngettext("one game", "{count} games", prices.games, count=grouped(prices.games))


def _error_text(price: Price, rules: RuleSet) -> str:
    if price.name == "bonus":
        much = _("{name}: {error} too much ({low} to {high}); costs {cost} points a game.")
        little = _("{name}: {error} too little ({low} to {high}); costs {cost} points a game.")
    else:
        much = _("{name}: {error} points too much ({low} to {high}); costs {cost} points a game.")
        little = _(
            "{name}: {error} points too little ({low} to {high}); costs {cost} points a game."
        )
    low, high = sorted((price.low, price.high), key=abs)
    sentence = much if price.error > 0 else little
    return sentence.format(
        name=_price_name(price, rules),
        error=_amount(price, price.error),
        low=_amount(price, low),
        high=_amount(price, high),
        cost=number_text(price.cost or 0.0, 1),
    )


def _unseen(prices: Prices, rules: RuleSet) -> list[str]:
    """Return where these games show no difference, and the smallest that they would show."""
    sentences = []
    games = _games(prices)
    others = sorted(
        (price for price in prices.boxes if not price.significant),
        key=lambda price: price.standard_error,
    )
    if not leaves_choice(rules):
        sentences.append(_("The order of the boxes is fixed, so their prices cannot be seen."))
    elif others:
        n_others = len(others)
        boxes = ngettext("The other box", "The other {count} boxes", n_others, count=n_others)
        if n_others == len(prices.boxes):
            boxes = _("All boxes")
        first, last = others[0], others[-1]
        sentence = _(
            "{boxes}: no difference that {games} can show (smallest that would show: {least} points "
            "for {first}, {most} for {last}).",
            boxes=boxes,
            games=games,
            least=_amount(first, SIGNIFICANT * first.standard_error),
            first=_price_name(first, rules),
            most=_amount(last, SIGNIFICANT * last.standard_error),
            last=_price_name(last, rules),
        )
        sentences.append(sentence)
    if prices.bonus and not prices.bonus.significant:
        text = _("Upper bonus: no difference that {games} can show (smallest: {least}).")
        least = _amount(prices.bonus, SIGNIFICANT * prices.bonus.standard_error)
        sentences.append(text.format(games=games, least=least))
    return sentences


def _slips(prices: Prices) -> str:
    difference = prices.noise_difference
    where = _("in holds and categories alike")
    if difference >= SIGNIFICANT:
        where = _("more in holds than in categories")
    elif difference <= -SIGNIFICANT:
        where = _("more in categories than in holds")
    text = _(
        "Of {lost} points lost a game, these prices cost {prices} and slips {slips}: slips like "
        "those of level {level}, {where}."
    )
    return text.format(
        lost=number_text(prices.lost, 1),
        prices=number_text(prices.lost_by_prices, 1),
        slips=number_text(prices.slips, 1),
        level=prices.level.number,
        where=where,
    )
