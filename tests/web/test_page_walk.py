"""A random walk over the page: taps on whatever can be tapped, real dice and rolled ones, two players, goals, a server that goes away.

No tap is without effect, no page error, every finished game can be reviewed, and undo goes back to the start.
"""

from __future__ import annotations

import json
import os
import random

import pytest
from support.browser import Visitor

pytestmark = pytest.mark.full

SEED = int(os.environ.get("WALK_SEED", "20261123"))
SHORT, LONG = 200, 400  # taps; then everything is undone

# What would leave the page or open a window of the system is left out; what is tried is what a player taps.
TAP = """async ([pick, ms]) => {
  const { state, undoAndRedoAvailable } = await loaded('state');
  const left = new Set(['print', 'share', 'review-end', 'copy-link', 'copy-position', 'open-paste', 'open-language', 'open-file', 'save-own', 'import', 'export',
    'menu-undo', 'undo', 'forget-games', 'drill-forget', 'open-rules', 'menu-rules', 'new-game', 'open-players', 'aim', 'example', 'edit-card', 'redo']);
  const scope = document.querySelector('dialog[open]') || document;
  const all = [...scope.querySelectorAll('button, summary')].filter((e) => e.checkVisibility() && e.getAttribute('aria-disabled') !== 'true'
    && !left.has(e.id) && !e.closest('#rooms, #menu, header, #training, #review, #statistics, footer, #expect, #who, #guess'));
  if (!all.length) return ['nothing to tap', document.body.innerText];
  // The large action and the dice are tapped more often, so that games end.
  const goes = all.filter((e) => e.id === 'go'), keys = all.filter((e) => e.matches('#faces .face:not(#remove-die)'));
  const wanted = pick[0] < 0.8 ? (goes.length ? goes : keys) : pick[0] < 0.9 ? all.filter((e) => e.closest('#faces, #dice, #card')) : all;
  const among = wanted.length ? wanted : all, target = among[Math.floor(pick[1] * among.length)];
  const look = () => JSON.stringify(state) + document.getElementById('page').innerHTML + document.getElementById('notice').textContent + Boolean(document.querySelector('dialog[open]'));
  const before = look(), name = target.id || target.getAttribute('aria-label') || target.textContent;
  target.click();
  await new Promise((resolve) => setTimeout(resolve, ms));
  // An option that is marked already stays; a key that adds no die says why, once more.
  const hasEffect = look() !== before || target.closest('.options') || target.closest('#faces') && document.getElementById('notice').textContent;
  return [hasEffect ? '' : `no effect: ${name}`, (await loaded('game')).hasRecord() && state.players.every((p) => Object.keys(p.card).length === 15)];
}"""


@pytest.mark.parametrize(
    ("taps", "length"),
    [(SHORT, SHORT), pytest.param(10_000, LONG, marks=pytest.mark.slow)],
    ids=["one game", "10,000 taps"],
)
def test_every_tap_has_an_effect_and_undo_goes_back_to_the_start(tab: Visitor, taps: int, length: int) -> None:
    draw = random.Random(SEED)
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    reviewed, is_away = 0, False
    for segment in range(taps // length):
        tab.unroute_all(behavior="ignoreErrors")
        is_away = False
        tab.open("#rules=yatzy" + ("&goal=250" if segment % 4 == 2 else ""))
        if segment % 2:
            tab.change("s.players.push(newPlayer('Bo'));")
        start = tab.evaluate("loaded('state').then(({state}) => JSON.stringify(state))")
        changes = tab.evaluate("loaded('state').then(({undoAndRedoAvailable}) => undoAndRedoAvailable()[0])")
        for tap in range(length):
            if draw.random() < 0.01:
                is_away = not is_away
                if is_away:
                    tab.route("**/api/**", lambda route: route.abort())
                else:
                    tab.unroute_all(behavior="ignoreErrors")
            fault, is_over = tab.evaluate(TAP, [[draw.random(), draw.random()], 25])
            assert not fault, (SEED, segment, tap, fault, tab.evaluate("document.body.innerText"))
            if is_over and not is_away and tab.count("#review-end"):
                found = tab.evaluate(
                    "Promise.all([loaded('memory'), loaded('game')]).then(([m, g]) => m.reviewGame(g.gameRecord()))"
                )
                assert all(each["finished"] for each in found)
                reviewed += 1
                tab.click("#go")
        tab.press("Escape")
        tab.evaluate(
            "loaded('state').then(({undo, undoAndRedoAvailable}) => { while (undoAndRedoAvailable()[0]) undo(); })"
        )
        if changes:
            tab.evaluate("loaded('state').then(({redo}) => redo())")
        assert json.loads(tab.evaluate("loaded('state').then(({state}) => JSON.stringify(state))")) == json.loads(
            start
        )
    assert errors == []
    assert reviewed >= taps // 2000
