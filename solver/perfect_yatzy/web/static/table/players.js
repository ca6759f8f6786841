// Two to eight players on one page: their names. Each has a card; the page says whose turn it is.
import { button, byId, element, onClick } from "../words/dom.js";
import { isGameStarted } from "../store/game.js";
import { _ } from "../words/i18n.js";
import { change, newPlayer, startGame, state } from "../store/state.js";

const MAX_PLAYERS = 8,
  MAX_NAME = 30;

function nameRow(name) {
  const list = byId("names"),
    number = list.children.length + 1;
  const input = element("input", {
    value: name,
    maxlength: MAX_NAME,
    autocomplete: "off",
    "aria-label": _("Name of player {number}", { number }),
    placeholder: _("Player {number}", { number }),
  });
  const remove = button(
    "✕",
    () => {
      row.remove();
      drawCount();
      byId("add-player").focus();
    },
    { "aria-label": _("Remove player {number}", { number }) },
  );
  const row = element("li", {}, input, remove);
  return row;
}

function drawCount() {
  const rows = [...byId("names").children];
  byId("add-player").hidden = rows.length >= MAX_PLAYERS;
  for (const row of rows) row.querySelector("button").hidden = rows.length === 1;
  // Players take turns from the beginning, so another number of them begins a new game: the form says so before.
  const endsGame = isGameStarted() && rows.length !== state.players.length;
  byId("players-hint").hidden = !endsGame;
  byId("players-play").textContent = endsGame ? _("End this game and begin a new one") : _("Play");
}

onClick("open-players", () => {
  byId("names").replaceChildren();
  for (const { name } of state.players) byId("names").append(nameRow(name));
  drawCount();
  byId("players-dialog").showModal();
});

onClick("add-player", () => {
  byId("names").append(nameRow(""));
  drawCount();
  byId("names").lastChild.querySelector("input").focus();
});

byId("players-form").addEventListener("submit", () => {
  const names = [...byId("names").querySelectorAll("input")].map((input) => input.value.trim());
  if (names.length === state.players.length) {
    change((s) => {
      names.forEach((name, i) => {
        s.players[i].name = name;
      });
    });
    return;
  }
  const text = isGameStarted() ? _("A new game; Undo brings the old one back.") : "";
  change((s) => {
    startGame(s);
    s.players = names.map((name) => newPlayer(name));
  }, text);
});
