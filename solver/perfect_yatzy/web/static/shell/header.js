// The header and the dialogs behind it: the rules, their variants, what is maximised; the language, and the menu.
import { clearInvalid } from "../table/card.js";
import {
  byId,
  diceText,
  element,
  isWholeNumber,
  onClick,
  say,
  setEnabled,
  showFieldError,
} from "../words/dom.js";
import { firstRoll, isGameStarted, isTurnStart, playerName } from "../store/game.js";
import { mode, setMode } from "../store/mode.js";
import { _, formatNumber, language, LANGUAGES, setLanguage } from "../words/i18n.js";
import { objectiveName } from "../table/options.js";
import { loadRuleSets, loadRules, ruleSets } from "../store/rulesets.js";
import {
  change,
  changeWhenLoaded,
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
  const persons = state.players.filter(({ computer }) => !computer);
  drawTurn(
    (persons.length > 1 || me().name) && !isOver
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
  drawRules();
  drawObjective();
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

// --- rules ---

let pending = null; // the rules that are chosen and not there yet: { base, active }

function drawRules() {
  const { base, active } = shownRules(),
    switches = switchesOf(base),
    { summary } = plainRules(base);
  byId("rules").value = base;
  const box = byId("switches"),
    builtFor = `${base} ${language}`;
  if (box.dataset.builtFor !== builtFor) {
    box.replaceChildren(
      element("legend", {}, _("Variants")),
      ...choicesOf(switches).map(drawChoice),
    );
    box.dataset.builtFor = builtFor;
  }
  box.hidden = !switches.length;
  for (const input of box.querySelectorAll("input"))
    input.checked = input.value
      ? active.includes(input.value)
      : !valuesBeside(input).some((id) => active.includes(id));
  byId("summary").textContent = active.length
    ? _("Without variants: {summary}", { summary })
    : summary;
}

const plainRules = (base) => ruleSets.find((each) => each.id === base) || rules(); // rules not in the menu are those shown
const switchesOf = (base) => plainRules(base).switches;

// The variants as choices: those that exclude one another are one choice.
function choicesOf(switches) {
  const choices = [];
  for (const each of switches) {
    const among = choices.find((choice) => choice.every(({ id }) => each.excludes.includes(id)));
    if (among) among.push(each);
    else choices.push([each]);
  }
  return choices;
}

function drawChoice(choice, number) {
  const input = (type, id, text) =>
    element(
      "label",
      {},
      element("input", {
        type,
        value: id,
        name: `variant-${number}`,
        on: { change: chooseSwitches },
      }),
      " " + text,
    );
  const [first] = choice;
  if (choice.length === 1) return input("checkbox", first.id, first.summary);
  return element(
    "div",
    { role: "radiogroup", "aria-label": _("One of these") },
    input("radio", "", _("as usual")),
    ...choice.map(({ id, summary }) => input("radio", id, summary)),
  );
}

const valuesBeside = (input) =>
  [...input.closest("[role=radiogroup]").querySelectorAll("input")]
    .map(({ value }) => value)
    .filter(Boolean);

const shownRules = () => pending || rules();

// Until the rules are there the dialog shows what is chosen, and then it says what is wrong with them.
async function changeRules(base, active) {
  const own = (pending = { base, active }),
    spec = [base, ...active].join("+");
  showFieldError("rules", "");
  redraw();
  try {
    await changeWhenLoaded(
      () => loadRules(spec),
      (s) => {
        if (pending === own) pending = null;
        if (rules().base === base) useVariant(s, spec);
        else startGame(s, spec);
      },
      () => noticeOfRules(base),
    );
  } catch (error) {
    if (byId("rules-dialog").open) showFieldError("rules", error.message);
    else showNotice(error.message);
  }
  if (pending !== own) return;
  pending = null;
  redraw();
}

// A variant keeps the points that its boxes can hold.
function useVariant(s, spec) {
  s.rules = spec;
  const canHold = (id, points) =>
    rules().categories.some((category) => category.id === id && category.points.includes(points));
  for (const { card } of s.players)
    for (const [id, points] of Object.entries(card)) if (!canHold(id, points)) delete card[id];
  s.edited = s.edited || s.turns.length > 0;
}

function noticeOfRules(base) {
  if (rules().base !== base)
    return isGameStarted() ? _("The card was cleared for the other rules; Undo restores it.") : "";
  return state.turns.length
    ? _("The rules were changed: the game played here can no longer be reviewed; Undo restores it.")
    : "";
}

function chooseRules(event) {
  clearInvalid();
  changeRules(event.target.value, []);
}

// Variants that the chosen one excludes are no longer chosen.
function chooseSwitches({ target }) {
  const { base } = shownRules(),
    chosen = switchesOf(base).find((each) => each.id === target.value && target.checked);
  const active = [...byId("switches").querySelectorAll("input:checked")]
    .map((input) => input.value)
    .filter((id) => id && !chosen?.excludes.includes(id));
  changeRules(base, active);
}

export async function drawRuleMenu() {
  await loadRuleSets(language);
  byId("rules").replaceChildren(
    ...ruleSets.map((each) => element("option", { value: each.id }, each.name)),
  );
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
      await drawRuleMenu();
      redraw();
    } catch (error) {
      showNotice(error.message);
    }
  });
}

// --- what is maximised ---

// Text entered for an objective stays when another one is chosen.
function drawObjective() {
  const isTable = state.players.length > 1;
  byId("objective").value = state.objective;
  byId("goal-line").hidden = state.objective !== "goal";
  byId("win-lines").hidden = state.objective !== "win";
  byId("opponents-line").hidden = byId("opponents-hint").hidden = isTable;
  byId("opponents-table").hidden = !isTable;
  if (!byId("goal-error").textContent) byId("goal").value = state.goal;
  byId("opponents").value = state.opponents;
  byId("ties").value = state.ties;
}

// What is missing for what is maximised: the id of its field, or an empty text.
const missingField = () =>
  state.objective === "goal" && !state.goal
    ? "goal"
    : state.objective === "win" && state.players.length < 2 && !state.opponents
      ? "opponents"
      : "";

// Closes the rules unless something is missing: that is said at its field.
function closeRules() {
  if (state.objective === "goal") setGoal();
  if (state.objective === "win") setOpponents();
  const isWrong = Boolean(byId("goal-error").textContent),
    missing = isWrong ? "goal" : missingField();
  if (!missing) {
    byId("rules-dialog").close();
    return;
  }
  if (!isWrong)
    showFieldError(
      missing,
      missing === "goal"
        ? _("Enter the points to reach, or choose another aim.")
        : _("Enter what the opponents have, or add them as players."),
    );
  byId(missing).focus();
}

// Closed with something missing, by Escape: the page plays for the average again, and says so.
function dropUnfinishedAim() {
  showFieldError("goal", "");
  if (missingField())
    change((s) => {
      s.objective = "mean";
    }, _("The aim was not complete: the advice is for the best average."));
  else redraw();
}

function setOpponents() {
  const opponents = byId("opponents").value.trim();
  if (opponents !== state.opponents)
    change((s) => {
      s.opponents = opponents;
    });
}

function setGoal() {
  const text = byId("goal").value.trim(),
    isWrong = text !== "" && !isWholeNumber(text);
  showFieldError(
    "goal",
    isWrong ? _("A goal must be a whole number from 0 to 99999, not “{text}”.", { text }) : "",
  );
  if (!isWrong && text !== state.goal)
    change((s) => {
      s.goal = text;
    });
}

// --- the menu ---

function showMenu(isOpen) {
  byId("menu").hidden = !isOpen;
  byId("menu-button").setAttribute("aria-expanded", String(isOpen));
}

const onChange = (id, listener) => byId(id).addEventListener("change", listener);
onChange("rules", chooseRules);
onChange("language", (event) => chooseLanguage(event.target.value));
onChange("objective", (event) => {
  showFieldError("goal", "");
  change((s) => {
    s.objective = event.target.value;
  });
});
onChange("goal", setGoal);
byId("goal").addEventListener("input", () => showFieldError("goal", ""));
onChange("opponents", setOpponents);
onClick("rules-done", closeRules);
for (const id of ["goal", "opponents"])
  byId(id).addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      closeRules();
    }
  });
byId("rules-dialog").addEventListener("close", dropUnfinishedAim);
onClick("opponents-players", () => {
  byId("open-players").click();
});
onClick("open-language", () => {
  byId("language-dialog").showModal();
  byId("language").focus();
});
onChange("ties", (event) =>
  change((s) => {
    s.ties = event.target.value;
  }),
);
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
onClick("game-button", () => byId("open-rules").click());
onClick("redo", redo);
for (const id of ["open-rules", "menu-rules"]) onClick(id, () => byId("rules-dialog").showModal());
onClick("aim", () => {
  byId("rules-dialog").showModal();
  byId("objective").focus();
});
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
