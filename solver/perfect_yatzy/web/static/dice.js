// The dice on the table, and the rerolls left.
import { button, byId, element, setEnabled } from "./dom.js";
import { change, hasAllDice, isCardFull, maxRerolls, onDraw, rules, state } from "./state.js";
import { canReroll, isTurnStart } from "./game.js";

const GLYPHS = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

// Elements are changed in place, so that the one with the focus is never replaced.
function drawDice() {
  const table = byId("dice");
  while (table.children.length > state.dice.length) {
    if (table.lastChild === document.activeElement) (table.lastChild.previousSibling || byId("faces").firstChild).focus();
    table.lastChild.remove();
  }
  while (table.children.length < state.dice.length) {
    const i = table.children.length;
    table.append(button("", () => change((s) => { s.held[i] = !s.held[i]; })));
  }
  state.dice.forEach((face, i) => {
    const die = table.children[i];
    die.setAttribute("aria-pressed", String(state.held[i]));
    die.setAttribute("aria-label", `Die ${i + 1} shows ${face}`);
    die.replaceChildren(GLYPHS[face] || String(face), element("small", {}, state.held[i] ? "held" : ""));
  });
  table.style.setProperty("--dice", Math.max(5, rules().dice));
  drawFaces();
  drawRerollsLeft();
}

function drawFaces() {
  const faces = byId("faces"), builtFor = String(rules().faces);
  if (faces.dataset.builtFor !== builtFor) {
    const buttons = Array.from({ length: rules().faces }, (_, i) =>
      button(`${i + 1} ${GLYPHS[i + 1] || ""}`, () => addDie(i + 1), { "aria-label": `Add a ${i + 1}` }));
    faces.replaceChildren(...buttons, button("Remove all", clearDice));
    faces.dataset.builtFor = builtFor;
  }
  const buttons = [...faces.children], removeAll = buttons.pop();
  for (const face of buttons) setEnabled(face, !hasAllDice() && !isCardFull());
  setEnabled(removeAll, state.dice.length > 0);
}

function drawRerollsLeft() {
  const choices = byId("left"), builtFor = String(maxRerolls());
  if (choices.dataset.builtFor !== builtFor) {
    const labels = [];
    for (let left = maxRerolls(); left >= 0; left--) {
      const radio = element("input", { type: "radio", name: "left", value: left, on: { change: () => change((s) => { s.left = left; }) } });
      labels.push(element("label", {}, radio, ` ${left}`));
    }
    choices.replaceChildren(element("legend", {}, "Rerolls left"), ...labels);
    choices.dataset.builtFor = builtFor;
  }
  for (const radio of choices.querySelectorAll("input")) radio.checked = Number(radio.value) === state.left;
  choices.disabled = isCardFull();
}

export function addDie(face) {
  if (!hasAllDice() && !isCardFull()) change((s) => { s.dice.push(face); s.held.push(false); });
}

export function clearDice() {
  if (state.dice.length) change((s) => { s.dice = []; s.held = []; });
}

export function removeDie() {
  if (state.dice.length) change((s) => { s.dice.pop(); s.held.pop(); });
}

function drawPlay() {
  byId("roll").textContent = isTurnStart() ? "Roll" : "Reroll dice not held";
  setEnabled(byId("roll"), !isCardFull() && (isTurnStart() || canReroll()));
  setEnabled(byId("by-hand"), !isCardFull() && canReroll());
}

onDraw(drawDice);
onDraw(drawPlay);
