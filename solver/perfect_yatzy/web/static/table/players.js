// Two to eight players on one page: their names. Each has a card; the page says whose turn it is.
import { button, byId, element, onClick } from "../words/dom.js";
import { isGameStarted } from "../store/game.js";
import { MAX_NAME } from "../store/link.js";
import { _, formatNumber } from "../words/i18n.js";
import { change, newPlayer, rules, startGame, state } from "../store/state.js";
import { computerName, computersFor } from "./opponent.js";

const MAX_PLAYERS = 8;

// `seat` is the place of the player in the game on the table; a new one has none.
function nameRow(name, { computer = "", seat = "" } = {}) {
  const input = element("input", {
    value: name,
    maxlength: MAX_NAME,
    autocomplete: "off",
    readonly: Boolean(computer),
    class: computer ? "quiet" : null,
  });
  const up = button(
    "↑",
    () => {
      row.previousElementSibling.before(row);
      drawCount();
      (up.hidden ? input : up).focus();
    },
    { class: "quiet up" },
  );
  const remove = button(
    "✕",
    () => {
      row.remove();
      drawCount();
      byId("add-player").focus();
    },
    { class: "quiet remove" },
  );
  const row = element("li", {}, input, up, remove);
  Object.assign(row.dataset, { computer, seat });
  return row;
}

// What depends on the place of a player among the others.
function drawRow(row, at, { length }) {
  const number = formatNumber(at + 1),
    [input, up, remove] = row.children;
  input.setAttribute("aria-label", _("Name of player {number}", { number }));
  input.placeholder = _("Player {number}", { number });
  up.setAttribute("aria-label", _("Move player {number} up", { number }));
  remove.setAttribute("aria-label", _("Remove player {number}", { number }));
  up.hidden = at === 0;
  remove.hidden = length === 1;
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
            byId("names").append(nameRow(name, { computer: kind }));
            drawCount();
            byId("players-play").focus();
          },
          { class: "quiet adds" },
        ),
      ),
  );
}

function drawCount() {
  const rows = [...byId("names").children];
  byId("add-player").hidden = rows.length >= MAX_PLAYERS;
  drawComputers(rows);
  rows.forEach(drawRow);
  // Players take turns from the beginning, so another number of them begins a new game: the form says so before.
  const endsGame = isGameStarted() && !isSameTable(rows);
  byId("players-hint").hidden = !endsGame;
  byId("players-play").textContent = endsGame ? _("End this game and begin a new one") : _("Play");
}

// As many players as before, each in the place before; a new person takes that of one who has left.
const isSameTable = (rows) =>
  rows.length === state.players.length &&
  rows.every(
    ({ dataset: { computer, seat } }, i) =>
      computer === (state.players[i].computer ?? "") && (seat || String(i)) === String(i),
  );

onClick("open-players", () => {
  byId("names").replaceChildren();
  state.players.forEach(({ name, computer }, seat) =>
    byId("names").append(
      nameRow(computer ? computerName(computer) : name, { computer, seat: String(seat) }),
    ),
  );
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
