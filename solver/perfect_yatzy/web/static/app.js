// Entry point: connects the controls, and draws the page after each change.
import { get } from "./ask.js";
import { clearInvalid, setSaved } from "./card.js";
import { addDie, clearDice, removeDie } from "./dice.js";
import { showStatus, toggleAll, toggleCategories } from "./advice.js";
import "./expect.js";
import "./review.js";
import "./training.js";
import { byId, count, diceText, element, isWholeNumber, onClick, setEnabled } from "./dom.js";
import { language, setLanguage } from "./i18n.js";
import { reroll } from "./game.js";
import { loadRuleSets, loadRules, ruleSets } from "./rulesets.js";
import {
  change, currentNotice, heldDice, me, onDraw, redo, redraw, rules, showNotice, start, startGame, state, totals, undo, undoAndRedoAvailable,
} from "./state.js";

let goalError = "";

function drawControls() {
  drawRules();
  drawObjective();
  const [canUndo, canRedo] = undoAndRedoAvailable();
  setEnabled(byId("undo"), canUndo);
  setEnabled(byId("redo"), canRedo);
  if (byId("notice").textContent !== currentNotice()) byId("notice").textContent = currentNotice();
  drawPrintHeader();
}
onDraw(drawControls);

// Printing hides the controls; this line prints their values.
function drawPrintHeader() {
  const active = rules().switches.filter((each) => rules().active.includes(each.id)).map((each) => each.summary);
  byId("sheet-head").textContent = [rules().name, ...active,
    `dice ${diceText(state.dice)}`, `held ${diceText(heldDice())}`, count(state.left, "reroll left", "rerolls left"), `total ${totals().all}`,
    state.objective === "goal" ? `goal ${state.goal}` : state.objective === "win" ? `against ${state.opponents}` : ""].filter(Boolean).join(" · ");
}

function drawRules() {
  byId("rules").value = rules().base;
  const box = byId("switches"), builtFor = `${rules().base} ${language}`;
  if (box.dataset.builtFor !== builtFor) {
    box.replaceChildren(element("legend", {}, "Variants"), ...rules().switches.map((each) => element("label", {},
      element("input", { type: "checkbox", value: each.id, on: { change: chooseSwitches } }), " " + each.summary)));
    box.dataset.builtFor = builtFor;
  }
  box.hidden = !rules().switches.length;
  for (const input of box.querySelectorAll("input")) input.checked = rules().active.includes(input.value);
  byId("summary").textContent = rules().summary;
}

async function changeRules(spec, edit, notice) {
  try {
    await loadRules(spec);
    change((s) => edit(s), notice);
  } catch (error) {
    showNotice(error.message);
  }
}

const isGameStarted = () => Object.keys(me().card).length || state.dice.length || state.turns.length;

function chooseRules(event) {
  clearInvalid();
  changeRules(event.target.value, (s) => startGame(s, event.target.value), isGameStarted() ? "The card was cleared for the other rules; Undo restores it." : "");
}

// A variant keeps the points that its boxes can hold.
function chooseSwitches() {
  const active = [...byId("switches").querySelectorAll("input:checked")].map((input) => input.value);
  const spec = [rules().base, ...active].join("+");
  changeRules(spec, (s) => {
    s.rules = spec;
    for (const { card } of s.players) {
      for (const [id, points] of Object.entries(card)) {
        if (!rules().categories.some((category) => category.id === id && category.points.includes(points))) delete card[id];
      }
    }
    s.edited = s.edited || s.turns.length > 0;
  }, state.turns.length ? "The rules were changed: the game played here can no longer be reviewed; Undo restores it." : "");
}

// Text entered for an objective stays when another one is chosen.
function drawObjective() {
  byId("objective").value = state.objective;
  byId("goal-line").hidden = state.objective !== "goal";
  byId("win-lines").hidden = state.objective !== "win";
  if (!goalError) { byId("goal").value = state.goal; byId("opponents").value = state.opponents; }
  byId("ties").value = state.ties;
  byId("objective-error").textContent = goalError;
  for (const id of ["goal", "opponents"]) byId(id).removeAttribute("aria-invalid");
}

function setGoal(event) {
  const text = event.target.value.trim();
  goalError = "";
  if (text !== "" && !isWholeNumber(text)) {
    goalError = `A goal must be a whole number from 0 to 99999, not “${text}”.`;
    drawObjective();
    event.target.setAttribute("aria-invalid", "true");
    return;
  }
  change((s) => { s.goal = text; });
}

async function chooseLanguage(code) {
  try {
    await setLanguage(code);
    await drawRuleMenu();
    redraw();
  } catch (error) { showNotice(error.message); }
}

async function drawRuleMenu() {
  await loadRuleSets(language);
  byId("rules").replaceChildren(...ruleSets.map((each) => element("option", { value: each.id }, each.name)));
}

document.addEventListener("keydown", (event) => {
  const target = event.target, type = target.type;
  const isTyping = /SELECT|TEXTAREA/.test(target.tagName) || (target.tagName === "INPUT" && type !== "radio" && type !== "checkbox" && type !== "file");
  if (isTyping || !ruleSets.length || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    if (event.shiftKey) redo(); else undo();
  } else if (event.ctrlKey || event.metaKey || type === "radio") return;
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= rules().faces) addDie(Number(event.key));
  else if (event.key === "Backspace") removeDie();
  else if (event.key === "Escape") clearDice();
});

function addListeners() {
  const onChange = (id, listener) => byId(id).addEventListener("change", listener);
  onChange("rules", chooseRules);
  onChange("language", (event) => chooseLanguage(event.target.value));
  onChange("saved", (event) => setSaved(event.target));
  onChange("objective", (event) => { goalError = ""; change((s) => { s.objective = event.target.value; }); });
  onChange("goal", setGoal);
  onChange("opponents", (event) => change((s) => { s.opponents = event.target.value.trim(); }));
  onChange("ties", (event) => change((s) => { s.ties = event.target.value; }));
  onClick("undo", undo);
  onClick("redo", redo);
  onClick("clear", () => { clearInvalid(); if (isGameStarted()) change((s) => startGame(s), "Cleared; Undo restores it."); else redraw(); });
  onClick("roll", () => reroll(true));
  onClick("by-hand", () => { reroll(false); byId("faces").firstChild.focus(); });
  onClick("more", toggleAll);
  onClick("instead", toggleCategories);
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("advice-title").focus(); }); // the hash holds the position
}

async function main() {
  try {
    const languages = await get("languages", {});
    byId("language").replaceChildren(...Object.entries(languages).map(([code, name]) => element("option", { value: code, lang: code }, name)));
    byId("language").value = language;
    await drawRuleMenu();
    addListeners();
    await start();
    document.documentElement.dataset.ready = ""; // for tests and for programs that print the page
  } catch (error) { showStatus(error.message, true); }
}
main();
