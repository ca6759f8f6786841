// The header, the menu and the language.
import { clearInvalid } from "../table/card.js";
import { byId, diceText, element, onClick, say, setEnabled } from "../words/dom.js";
import { firstRoll, isGameStarted, isTurnStart, personsOf, playerName } from "../store/game.js";
import { mode, setMode } from "../store/mode.js";
import { _, formatNumber, language, LANGUAGES, setLanguage } from "../words/i18n.js";
import { objectiveName } from "../table/options.js";
import { loadRuleSets } from "../store/rulesets.js";
import {
  change,
  currentNotice,
  heldDice,
  maxRerolls,
  me,
  onDraw,
  redo,
  redraw,
  rules,
  showNotice,
  startGame,
  state,
  totals,
  undo,
  undoAndRedoAvailable,
} from "../store/state.js";

const DOTTED_ROLLS = 6; // rolls of a turn; saved rolls can be more

function drawHeader() {
  const filled = Object.keys(me().card).length,
    boxes = rules().categories.length,
    isOver = filled === boxes;
  const fields = {
    turn: formatNumber(Math.min(filled + 1, boxes)),
    turns: formatNumber(boxes),
    name: playerName(state.player),
    game: rules().name,
  };
  const max = maxRerolls(),
    rolls = { roll: formatNumber(max - state.left + 1), rolls: formatNumber(max + 1) };
  const turn = isOver ? _("Game over") : _("Turn {turn} of {turns}", fields),
    roll = isOver || isTurnStart() ? "" : _("roll {roll} of {rolls}", rolls);
  const { name, active } = rules();
  byId("game-name").textContent = name + (active.length ? ` +${formatNumber(active.length)}` : ""); // variants
  drawTurn(
    (personsOf(state.players).length > 1 || me().name) && !isOver
      ? _("{name}, turn {turn} of {turns}", fields)
      : turn,
    roll,
  );
  document.title = `${rules().name} · ${turn}`;
  const [canUndo, canRedo] = undoAndRedoAvailable();
  for (const id of ["undo", "menu-undo"]) setEnabled(byId(id), canUndo);
  setEnabled(byId("redo"), canRedo);
  if (byId("notice").textContent !== currentNotice()) {
    byId("notice").textContent = currentNotice();
    say(currentNotice());
  }
  byId("aim").textContent =
    state.objective === "goal" && state.goal
      ? _("Play for: {aim}", { aim: objectiveName({ goal: Number(state.goal) }) })
      : state.objective === "win"
        ? _("Play for: a win")
        : _("Play for: the best average");
  byId("aim").hidden = state.objective === "mean"; // the usual aim is a matter of the settings
  drawMode();
  drawPrintHeader(turn, roll);
}

// The turn, and its rolls as dots; a screen reader hears the roll in words.
function drawTurn(turn, roll) {
  const max = maxRerolls(),
    dots = roll && max < DOTTED_ROLLS ? max + 1 : 0;
  byId("turn-line").replaceChildren(
    element("span", {}, turn),
    element(
      "span",
      { class: "rolls", "aria-hidden": "true" },
      ...Array.from({ length: dots }, (_dot, i) =>
        element("i", { class: i <= max - state.left ? "on" : null }),
      ),
    ),
    element("span", { class: dots ? "roll-text" : null }, roll && `, ${roll}`),
  );
}

// The icon shows the way that is chosen; a tap changes it.
function drawMode() {
  const way = mode();
  document.body.dataset.mode = way;
  byId("mode").hidden = !way;
  byId("mode").setAttribute(
    "aria-label",
    way === "real" ? _("Real dice; roll here instead") : _("Roll here; use real dice instead"),
  );
  byId("mode").title = way === "real" ? _("Real dice") : _("Roll here");
}

function changeMode(way) {
  setMode(way);
  redraw();
}

// Printing hides the controls; this line prints their values.
function drawPrintHeader(turn, roll) {
  const active = rules()
    .switches.filter((each) => rules().active.includes(each.id))
    .map((each) => each.summary);
  byId("sheet-head").textContent = [
    rules().name,
    ...active,
    turn,
    state.players.length > 1 ? playerName(state.player) : "",
    state.dice.length ? _("dice {dice}", { dice: diceText(state.dice) }) : "",
    state.chosen ? _("held {dice}", { dice: diceText(heldDice()) }) : "",
    roll,
    _("total {points}", { points: formatNumber(totals().all) }),
    state.objective === "mean" ? "" : byId("aim").textContent,
  ]
    .filter(Boolean)
    .join(" · ");
}

// --- the language ---

export async function drawLanguages() {
  await loadRuleSets(language);
  byId("language").replaceChildren(
    ...Object.entries(LANGUAGES).map(([code, name]) =>
      element("option", { value: code, lang: code }, name),
    ),
  );
  byId("language").value = language;
}

let wantedLanguage = "",
  languageChange = Promise.resolve();

// One language after the other: of two that are chosen quickly the last one stays, in all words.
function chooseLanguage(code) {
  wantedLanguage = code;
  languageChange = languageChange.then(async () => {
    if (code !== wantedLanguage) return;
    try {
      await setLanguage(code);
      await drawLanguages();
      redraw();
    } catch (error) {
      showNotice(error.message);
    }
  });
}

// --- the menu ---

function showMenu(isOpen) {
  byId("menu").hidden = !isOpen;
  byId("menu-button").setAttribute("aria-expanded", String(isOpen));
}

byId("language").addEventListener("change", (event) => chooseLanguage(event.target.value));
onClick("open-language", () => {
  byId("language-dialog").showModal();
  byId("language").focus();
});
for (const id of ["undo", "menu-undo"]) onClick(id, undo);
onClick("mode", () => {
  changeMode(mode() === "real" ? "here" : "real");
  say(byId("mode").title);
});
onClick("roll-here", () => {
  setMode("here");
  firstRoll();
  byId("go").focus({ preventScroll: true });
});
onClick("real-dice", () => {
  changeMode("real");
  byId("faces").querySelector("button").focus({ preventScroll: true });
});
onClick("redo", redo);
onClick("menu-button", () => showMenu(byId("menu").hidden));
onClick("new-game", () => {
  clearInvalid();
  if (isGameStarted() || state.dice.length)
    change((s) => startGame(s), _("A new game; Undo brings the old one back."));
});
onClick("print", () => window.print());
// Before the click opens a dialog: closed again, it gives the focus back to the button of the menu.
byId("menu").addEventListener(
  "click",
  (event) => {
    if (event.target.closest("button")) {
      byId("menu-button").focus();
      showMenu(false);
    }
  },
  true,
);
document.addEventListener("click", (event) => {
  if (!event.target.closest(".menu")) showMenu(false);
});
byId("header").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("menu").hidden) return;
  event.stopPropagation();
  showMenu(false);
  byId("menu-button").focus();
});
for (const close of document.querySelectorAll("dialog .close"))
  close.addEventListener("click", () => close.closest("dialog").close());
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("dice-title").focus();
}); // the hash holds the position
onDraw(drawHeader);
