"""A game by keyboard alone, heard by a screen reader: what the page says of each roll, box and total, and at the end."""

from __future__ import annotations

import re

import pytest
from perfect_yatzy.play.record import Game, read_game
from support.browser import Visitor

pytestmark = pytest.mark.full

# What a screen reader would say: texts of live regions as they change, and the name of each element that gets the focus.
LISTEN = """
() => {
  const heard = window.heard = [], live = '[role=status], [role=alert], [role=log], [aria-live]', last = new Map();
  const hidden = (e) => Boolean(e.closest('[hidden], [aria-hidden=true], dialog:not([open])'));
  const isLog = (region) => region.getAttribute('role') === 'log' || region.getAttribute('aria-atomic') === 'false';
  const words = (node) => node.textContent.trim().replace(/\\s+/g, ' ');
  // A log says what is added to it, every other region all of its new text.
  const look = (changes) => {
    for (const { target, addedNodes } of changes) {
      const log = target.closest?.('[role=log], [aria-atomic=false]');
      if (log && !hidden(log)) for (const node of addedNodes) heard.push(words(node));
    }
    for (const region of document.querySelectorAll(live)) {
      const text = hidden(region) ? '' : words(region);
      if (text && text !== last.get(region) && !isLog(region)) heard.push(text);
      last.set(region, text);
    }
  };
  look([]);
  heard.length = 0;
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: ['hidden', 'open'] });
  document.addEventListener('focusin', ({ target }) => {
    const name = target.getAttribute('aria-label') || target.textContent || target.value || '';
    heard.push('focus: ' + name.trim().replace(/\\s+/g, ' '));
  });
}
"""
MAX_TABS = 25


class Listener:
    """What has been said on a page since it was asked last."""

    def __init__(self, page: Visitor) -> None:
        self.page = page
        page.evaluate(LISTEN)

    def news(self) -> str:
        return str(self.page.evaluate("window.heard.splice(0).join('\\n')"))

    def wait_for(self, pattern: str) -> str:
        """All that is said until a pattern occurs in it."""
        self.page.wait_until("(text) => new RegExp(text).test(window.heard.join('\\n'))", pattern)
        return self.news()


def press_primary(page: Visitor) -> None:
    """Tab to the primary button, if the focus is not there or on the page as a whole, and press it."""
    for _ in range(MAX_TABS):
        if page.evaluate("['go', 'dice-title'].includes(document.activeElement.id)"):
            break
        page.press("Tab")
    page.press("Enter")


def play_turn(page: Visitor, listener: Listener) -> None:
    """One turn with the dice of the page, as advised: only Enter and Tab are pressed."""
    for roll in (1, 2, 3):
        said = listener.wait_for(rf"Roll {roll} of 3: [1-6 ]+\. ?\n?(Keep|Roll all|Take) ")
        dice = page.evaluate("loaded('state').then(({ state }) => state.dice.join(' '))")
        assert f"Roll {roll} of 3: {dice}." in said
        assert page.inner_text("#answer strong").replace("\u00a0", " ") in said  # the advice
        assert re.search(r"\d+\.\d\d, average final score", said)
        advice = page.text_content("#go")
        press_primary(page)
        if advice.startswith("Take"):
            break
    assert "Working" not in said


def finish_turn(page: Visitor, listener: Listener, turn: int) -> str:
    """What is said after a box was taken: its name, its points, the total."""
    page.wait_until("(turns) => loaded('state').then(({ state }) => state.turns.length === turns)", turn)
    done = page.evaluate(
        """loaded('state').then(({ state, totals, categoryName }) => {
          const { category, points } = state.turns[state.turns.length - 1];
          return [categoryName(category), points, totals().all];
        })"""
    )
    name, points, total = done
    following = f"Turn {turn + 1} of 15" if turn < 15 else f"Final score: {total}"
    return listener.wait_for(rf"{re.escape(name)}: {points} points?\.\nTotal {total}\.(.|\n)*{following}")


def play(page: Visitor, turns: int) -> tuple[Game, str]:
    listener = Listener(page)
    page.press("Tab")
    for _ in range(MAX_TABS):
        if page.evaluate("document.activeElement.id === 'go'"):
            break
        page.press("Tab")
    said = ""
    for turn in range(1, turns + 1):
        press_primary(page)  # the first roll
        play_turn(page, listener)
        said = finish_turn(page, listener, turn)
        assert page.evaluate("document.activeElement !== document.body")
    return read_game(page.record()), said


def test_three_turns_are_heard(page: Visitor) -> None:
    game, _ = play(page, 3)
    assert len(game.turns) == 3


@pytest.mark.slow
def test_a_whole_game_is_heard(page: Visitor) -> None:
    """Fifteen turns by keyboard alone; then the final score, and the review that Enter opens."""
    game, said = play(page, 15)
    card = game.card(0)
    total = card.total + (50 if card.upper >= 63 else 0)
    assert f"Final score: {total}" in said
    page.expects("#turn-line", "Game over")
    listener = Listener(page)
    press_primary(page)
    heard = listener.wait_for(rf"focus: You: {total} points")
    assert heard
    page.press("ArrowRight")
    assert listener.wait_for("Turn 1, roll 2, ")
