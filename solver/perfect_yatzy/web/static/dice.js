// The dice on the table, the rerolls left, and a game played on the page: its rolls, holds and turns.
import { button, byId, count, element, setEnabled } from "./dom.js";
import { change, hasAllDice, heldDice, isCardFull, maxRerolls, rules, state } from "./state.js";

const GLYPHS = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

// Elements are changed in place, so that the one with the focus is never replaced.
export function drawDice() {
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

const canReroll = () => hasAllDice() && state.left > 0 && heldDice().length < rules().dice;

// Holds the marked dice and rolls the others; with `random` false the user enters them.
export function reroll(random) {
  change((s) => {
    const held = s.dice.filter((_, i) => s.held[i]);
    if (s.dice.length === rules().dice) {
      s.rolls.push([...s.dice].sort());
      s.holds.push([...held].sort());
      s.left -= 1;
    } else held.length = 0;
    s.dice = [...held];
    if (random) while (s.dice.length < rules().dice) s.dice.push(1 + Math.floor(randomFraction() * rules().faces));
    s.held = s.dice.map((_, i) => i < held.length);
  });
  if (!random) byId("faces").firstChild.focus();
}

function randomFraction() {
  return crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}

// Ends the turn with a category of the answer to `score`. Rerolls left count: some rules save them, some pay for a first roll.
export function takeCategory(entry) {
  const isConsistent = state.left === maxRerolls() - state.rolls.length;
  const notice = isConsistent || state.edited ? "" :
    "The rerolls left were set by hand: the game played here can no longer be reviewed; Undo restores it.";
  change((s) => {
    const turn = { player: 0, rolls: [...s.rolls, [...s.dice].sort()], holds: s.holds, category: entry.category, points: entry.points };
    if (entry.bonus_points) turn.bonus_points = entry.bonus_points;
    if (!isConsistent) s.edited = true;
    s.turns.push(turn);
    s.card[entry.category] = entry.points;
    s.bonusPoints += entry.bonus_points;
    if (rules().saved_rolls) s.saved = s.left;
    Object.assign(s, { dice: [], held: [], rolls: [], holds: [], left: rules().rolls - 1 + s.saved });
  }, notice);
  byId(isCardFull() ? "advice-title" : "roll").focus();
}

// The game in the format of `yatzy play`.
export const gameRecord = () => ({ schema: 2, rules: state.rules, players: ["You"], source: "page", turns: state.turns });

export function drawPlay() {
  const isTurnStart = !state.dice.length && !state.rolls.length;
  byId("roll").textContent = isTurnStart ? "Roll" : "Reroll dice not held";
  setEnabled(byId("roll"), !isCardFull() && (isTurnStart || canReroll()));
  setEnabled(byId("by-hand"), !isCardFull() && canReroll());
  const isReviewable = state.turns.length > 0 && !state.edited;
  setEnabled(byId("review-own"), isReviewable);
  setEnabled(byId("save-own"), isReviewable);
  byId("played").textContent = isReviewable ? `${count(state.turns.length, "turn", "turns")} played on this page.` :
    state.turns.length ? "The card was changed by hand: the game played here cannot be reviewed." : "";
}
