// The dice on the table, the rerolls left, and playing: what was rolled and held in this turn, and the turns before.
import { able, button, by, element, many } from "./parts.js";
import { change, complete, full, game, heldDice, mostLeft, state } from "./state.js";

const GLYPHS = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

// Everything here is changed in place, never made anew under a cursor that rests on it or is on its way.
export function drawDice() {
  const table = by("dice");
  while (table.children.length > state.dice.length) {
    if (table.lastChild === document.activeElement) (table.lastChild.previousSibling || by("faces").firstChild).focus();
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
  table.style.setProperty("--dice", Math.max(5, game().dice));
  drawFaces();
  drawLeft();
}

function drawFaces() {
  const faces = by("faces"), made = String(game().faces);
  if (faces.dataset.made !== made) {
    const each = Array.from({ length: game().faces }, (_, i) =>
      button(`${i + 1} ${GLYPHS[i + 1] || ""}`, () => addDie(i + 1), { "aria-label": `Add a ${i + 1}` }));
    faces.replaceChildren(...each, button("No dice", clearDice));
    faces.dataset.made = made;
  }
  const places = [...faces.children];
  for (const face of places.slice(0, -1)) able(face, !complete() && !full());
  able(places[places.length - 1], state.dice.length > 0);
}

function drawLeft() {
  const choices = by("left"), made = String(mostLeft());
  if (choices.dataset.made !== made) {
    const radios = [];
    for (let left = mostLeft(); left >= 0; left--) {
      const radio = element("input", { type: "radio", name: "left", value: left, on: { change: () => change((s) => { s.left = left; }) } });
      radios.push(element("label", {}, radio, ` ${left}`));
    }
    choices.replaceChildren(element("legend", {}, "Rerolls left"), ...radios);
    choices.dataset.made = made;
  }
  for (const radio of choices.querySelectorAll("input")) radio.checked = Number(radio.value) === state.left;
  choices.disabled = full();
}

export function addDie(face) {
  if (!complete() && !full()) change((s) => { s.dice.push(face); s.held.push(false); });
}

export function clearDice() {
  if (state.dice.length) change((s) => { s.dice = []; s.held = []; });
}

export function removeDie() {
  if (state.dice.length) change((s) => { s.dice.pop(); s.held.pop(); });
}

const canReroll = () => complete() && state.left > 0 && heldDice().length < game().dice;

export function reroll(drawn) {
  change((s) => {
    const kept = s.dice.filter((_, i) => s.held[i]);
    if (s.dice.length === game().dice) {
      s.rolls.push([...s.dice].sort());
      s.holds.push([...kept].sort());
      s.left -= 1;
    } else kept.length = 0;
    s.dice = [...kept];
    if (drawn) while (s.dice.length < game().dice) s.dice.push(1 + Math.floor(chance() * game().faces));
    s.held = s.dice.map((_, i) => i < kept.length);
  });
  if (!drawn) by("faces").firstChild.focus(); // what comes next is to enter them
}

function chance() {
  return crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}

// Take a category with the rolls that are left: some rules save them, some pay for a first roll.
export function take(entry) {
  const whole = state.left === mostLeft() - state.rolls.length;
  const words = whole || state.edited ? "" :
    "The rerolls left were set by hand, so this turn is no part of a game that can be reviewed; Undo brings it back.";
  change((s) => {
    const turn = { player: 0, rolls: [...s.rolls, [...s.dice].sort()], holds: s.holds, category: entry.category, points: entry.points };
    if (entry.bonus_points) turn.bonus_points = entry.bonus_points;
    if (!whole) s.edited = true;
    s.turns.push(turn);
    s.card[entry.category] = entry.points;
    s.bonusPoints += entry.bonus_points;
    if (game().saved_rolls) s.saved = s.left;
    Object.assign(s, { dice: [], held: [], rolls: [], holds: [], left: game().rolls - 1 + s.saved });
  }, words);
  by(full() ? "advice-title" : "roll").focus();
}

export const ownRecord = () => ({ schema: 1, rules: state.rules, players: ["You"], source: "page", turns: state.turns });

export function drawPlay() {
  const none = !state.dice.length && !state.rolls.length;
  by("roll").textContent = none ? "Roll" : "Reroll what is not held";
  able(by("roll"), !full() && (none || canReroll()));
  able(by("by-hand"), !full() && canReroll());
  const whole = state.turns.length > 0 && !state.edited;
  able(by("review-own"), whole);
  able(by("save-own"), whole);
  by("played").textContent = whole ? `${many(state.turns.length, "turn", "turns")} played on this page.` :
    state.turns.length ? "The card was changed by hand: what was played here cannot be reviewed." : "";
}
