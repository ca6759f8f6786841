// Two to eight players on one page: their names. Each has a card; the page says whose turn it is.
import { button, byId, element, onClick } from "../words/dom.js";
import { isGameStarted } from "../store/game.js";
import { MAX_NAME } from "../store/link.js";
import { _ } from "../words/i18n.js";
import { change, newPlayer, rules, startGame, state } from "../store/state.js";
import { computerName, computersFor } from "./opponent.js";

const MAX_PLAYERS = 8;

function nameRow(name, computer = "") {
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
  if (computer) {
    row.dataset.computer = computer;
    input.readOnly = true;
  }
  return row;
}

// One tap adds a computer; those that the rules have, and that is not at the table yet.
function drawComputers(rows) {
  const seated = rows.map((row) => row.dataset.computer);
  const offered = rows.length >= MAX_PLAYERS ? [] : computersFor(rules());
  byId("computers").hidden = !offered.length;
  byId("computer-list").replaceChildren(
    ...offered
      .filter(({ kind }) => !seated.includes(kind))
      .map(({ kind, name, text }) =>
        button(
          [element("b", {}, name), " ", element("small", {}, text)],
          () => {
            byId("names").append(nameRow(name, kind));
            drawCount();
            byId("players-play").focus();
          },
          { class: "computer" },
        ),
      ),
  );
}

function drawCount() {
  const rows = [...byId("names").children];
  byId("add-player").hidden = rows.length >= MAX_PLAYERS;
  drawComputers(rows);
  for (const row of rows) row.querySelector("button").hidden = rows.length === 1;
  // Players take turns from the beginning, so another number of them begins a new game: the form says so before.
  const endsGame = isGameStarted() && !isSameTable(rows);
  byId("players-hint").hidden = !endsGame;
  byId("players-play").textContent = endsGame ? _("End this game and begin a new one") : _("Play");
}

// As many players, and the same computers in the same places.
const isSameTable = (rows) =>
  rows.length === state.players.length &&
  rows.every((row, i) => (row.dataset.computer ?? "") === (state.players[i].computer ?? ""));

onClick("open-players", () => {
  byId("names").replaceChildren();
  for (const { name, computer } of state.players)
    byId("names").append(nameRow(computer ? computerName(computer) : name, computer));
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
  const rows = [...byId("names").children];
  if (isSameTable(rows)) {
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
    s.players = names.map((name, i) => newPlayer(name, { computer: rows[i].dataset.computer }));
  }, text);
});
