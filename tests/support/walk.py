"""A random walk of taps in several tabs of one browser, beside a model that says what must not be
lost: each game stands where its tab left it, also after reloads, closed tabs, a server out of reach
and a full storage.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

from .browser import Visitor

TABS = 4
SPECS = ("yatzy", "crag", "yatzy+five-is-full-house", "yatzy+bonus-35", "yatzy+threshold-42")
# What the tests make of a storage: a cookie says to all tabs that it takes nothing more.
FULL = """(() => {
  const refuse = (owner, name) => {
    const act = owner[name];
    owner[name] = function (...given) {
      if (document.cookie.includes("full=yes")) throw new DOMException("full", "QuotaExceededError");
      return act.apply(this, given);
    };
  };
  refuse(IDBObjectStore.prototype, "put");
  refuse(Storage.prototype, "setItem");
})();"""
CONTROLS = (
    "#go, #dice button, #faces button, #card button, #undo, #redo, #roll-all, #best-again, #all-choices, #more,"
    " #hide-list, #options .option, #new-game, #rooms button, #mode, #example, #edit-card, #extras button"
)
# Taps a control that can be tapped.
TAP = """async ([controls, pick, kind]) => {
  const scope = document.querySelector("dialog[open]");
  const all = [...(scope ? scope.querySelectorAll("button") : document.querySelectorAll(controls))]
    .filter((each) => each.checkVisibility() && each.getAttribute("aria-disabled") !== "true");
  const wanted = scope ? all : all.filter((each) => each.matches(kind));
  const among = wanted.length ? wanted : all.filter((each) => each.matches("#go, #rooms button, #dice button"));
  const target = among[Math.floor(pick * among.length)];
  target?.click();
  return target?.id || target?.textContent || "";
}"""
STANDS = """async () => {
  const { state } = await loaded("store/state"), { game } = await loaded("store/storage");
  return [game, JSON.stringify(state)];
}"""
RULES = """async (spec) => {
  const { changeWhenLoaded, startGame } = await loaded("store/state"), { loadRules } = await loaded("store/rulesets");
  return changeWhenLoaded(() => loadRules(spec), (s) => startGame(s, spec));
}"""
KEPT = """async () => {
  const { otherGames } = await loaded("store/storage");
  return (await otherGames()).map(({ id, step, isHeld }) => [id, step, isHeld]);
}"""
KINDS = (  # what is tapped, and how often
    ("#go", 40),
    ("#dice button, #faces button", 25),
    ("#card button", 8),
    ("#undo, #redo", 10),
    ("*", 17),
)


@dataclass
class Game:
    """What is known of a game: the states that it may stand at, more than one while the storage is
    full, and whether it was stored.
    """

    states: list[str]
    is_stored: bool = False


@dataclass
class Walk:
    """A walk with a seed.

    Attributes
    ----------
    context : object
        Of playwright, with no page yet.
    address : str
        Of the page.
    chosen : Random
        All random choices.
    games : dict
        Each game by its id.
    tabs : list
        The open tabs.
    problems : list of str
        What a page has thrown.
    taps : int
        How many there were.
    """

    context: Any
    address: str
    chosen: random.Random
    games: dict[str, Game] = field(default_factory=dict)
    tabs: list[Visitor] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    taps: int = 0
    is_full: bool = False
    is_away: bool = False

    def run(self, taps: int) -> None:
        """Walk, then close everything and find each game again; AssertionError where one is lost."""
        self.context.add_init_script(FULL)
        for _ in range(TABS):
            self.open_tab()
        while self.taps < taps:
            self.step()
        self.set_full(False)
        self.set_away(False)
        for tab in list(self.tabs):
            self.tap(tab)
            self.close_tab(tab)
        self.check_all()

    def step(self) -> None:
        """One action: nearly always a tap."""
        tab, draw = self.chosen.choice(self.tabs), self.chosen.random()
        if draw < 0.88:
            self.tap(tab)
        elif draw < 0.91:
            self.change_rules(tab)
        elif draw < 0.95:
            self.reload(tab)
        elif draw < 0.97:
            self.close_tab(tab)
            self.open_tab()
        elif draw < 0.985:
            self.set_away(not self.is_away)
        else:
            self.set_full(not self.is_full)

    # --- the tabs ---
    def open_tab(self) -> None:
        """A new tab goes on with a game that no tab has, or begins one."""
        self.set_away(False)
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        tab = Visitor(page, self.address).open()
        before = {game: list(known.states) for game, known in self.games.items()}
        game, state = self.note(tab)
        if game in before:
            assert state in before[game], (game, state, before[game])
        self.tabs.append(tab)

    def close_tab(self, tab: Visitor) -> None:
        self.note(tab)
        self.tabs.remove(tab)
        tab.close()

    def reload(self, tab: Visitor) -> None:
        """The tab has its game again; if nothing of it could be stored, another one."""
        self.set_away(False)
        game, _state = self.note(tab)
        before = list(self.games[game].states)
        tab.reopen()
        again, state = self.note(tab)
        if again == game:
            assert state in before, (game, state, before)
        else:
            assert self.is_full or not self.games[game].is_stored, (game, again, before)

    def tap(self, tab: Visitor) -> None:
        self.taps += 1
        kinds, weights = zip(*KINDS, strict=True)
        kind = self.chosen.choices(kinds, weights)[0]
        tab.evaluate(TAP, [CONTROLS, self.chosen.random(), kind])
        if self.chosen.random() < 0.1:
            tab.draw()
        self.note(tab)
        assert not self.problems, self.problems

    def change_rules(self, tab: Visitor) -> None:
        """Of rules that are chosen quickly the last ones are those of the game."""
        self.set_away(False)
        specs = self.chosen.choices(SPECS, k=self.chosen.randint(1, 3))
        tab.evaluate(
            f"(specs) => {{ const choose = {RULES}; return Promise.all(specs.map(choose)); }}",
            specs,
        )
        _game, state = self.note(tab)
        assert json.loads(state)["rules"] == specs[-1], (specs, state)

    # --- the world ---
    def set_away(self, is_away: bool) -> None:
        """The server is out of reach."""
        if is_away and not self.is_away:
            self.context.route("**/api/**", lambda route: route.abort())
        elif self.is_away and not is_away:
            self.context.unroute("**/api/**")
        self.is_away = is_away

    def set_full(self, is_full: bool) -> None:
        """The storage takes nothing more, in no tab."""
        value = "yes" if is_full else "no"
        self.context.add_cookies([{"name": "full", "value": value, "url": self.address}])
        self.is_full = is_full

    # --- the model ---
    def note(self, tab: Visitor) -> tuple[str, str]:
        """Where the game of a tab stands: its id, and the text of its state. A game is stored with
        its first change, if there is room; else with the next one, or when the tab goes away.
        """
        game, state = tab.evaluate(STANDS)
        known = self.games.setdefault(game, Game([state]))
        if state != known.states[-1]:
            known.states = [*known.states, state] if self.is_full else [state]
            known.is_stored |= not self.is_full
        return game, state

    def check_all(self) -> None:
        """All tabs are closed: each game that was begun stands where it was left."""
        page = self.context.new_page()
        last = Visitor(page, self.address).open("#rules=yatzy&dice=1&rolls_left=0")
        kept = {game: (state, is_held) for game, state, is_held in last.evaluate(KEPT)}
        for game, known in self.games.items():
            if game not in kept:
                assert not known.is_stored, f"lost: {game} {known.states[-1]}"
                continue
            state, is_held = kept[game]
            assert state in known.states, (game, state, known.states)
            assert not is_held
        page.close()
