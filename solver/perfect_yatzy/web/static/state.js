// The state of the page: the position (rules, card, dice, rerolls, objective) and the game played so far.
// Each change redraws the page and is added to the history; undo, redo, the link and a reload all restore a state.
import { get } from "./ask.js";
import { byId, capitalize, isWholeNumber } from "./dom.js";

const STORAGE_KEY = "perfect-yatzy-2";
const MAX_HISTORY = 500, MAX_STORED_HISTORY = 60;
const emptyState = () => ({ rules: "yatzy", card: {}, saved: 0, bonusPoints: 0, dice: [], held: [], left: 2,
  objective: "mean", goal: "", opponents: "", ties: "loss", turns: [], rolls: [], holds: [], edited: false });

export let state = emptyState();
export let ruleSets = []; // those of the menu
export let language = "en";
const knownRules = new Map(), past = [], future = [];
let redraw = () => {};

export const rules = () => knownRules.get(state.rules);
export const categoryName = (id, spec = state.rules) => knownRules.get(spec).categories.find((category) => category.id === id).name;
export const isCardFull = () => Object.keys(state.card).length === rules().categories.length;
export const maxRerolls = () => rules().rolls - 1 + state.saved;
export const hasAllDice = () => state.dice.length === rules().dice;
export const heldDice = () => state.dice.filter((_, i) => state.held[i]).sort((a, b) => a - b);
export const undoAndRedoAvailable = () => [past.length > 0, future.length > 0];

export function showNotice(text) {
  byId("notice").textContent = text || "";
}

export function change(edit, notice) {
  past.push(JSON.stringify(state));
  if (past.length > MAX_HISTORY) past.shift();
  future.length = 0;
  edit(state);
  showNotice(notice);
  redraw();
}

export function undo() { restoreLast(past, future); }
export function redo() { restoreLast(future, past); }

function restoreLast(from, to) {
  if (!from.length) return;
  to.push(JSON.stringify(state));
  state = JSON.parse(from.pop());
  showNotice("");
  redraw();
}

// Resets a state to an empty card.
export function startGame(target, spec = target.rules) {
  return Object.assign(target, emptyState(), { rules: spec, left: knownRules.get(spec).rolls - 1 });
}

export async function loadRules(spec) {
  if (!knownRules.has(spec)) knownRules.set(spec, (await get("rules", { rules: spec, lang: language }))[0]);
  return knownRules.get(spec);
}

export async function setLanguage(code) {
  const loaded = [...knownRules.keys()];
  language = code;
  ruleSets = await get("rules", { lang: code });
  knownRules.clear();
  for (const each of ruleSets) knownRules.set(each.id, each);
  for (const spec of loaded) await loadRules(spec);
}

// The fields of a request that describe the scorecard.
export function position() {
  const fields = { rules: state.rules, card: state.card };
  if (rules().bonus_points) fields.bonus_points = state.bonusPoints;
  if (rules().saved_rolls) fields.saved = state.saved;
  return fields;
}

// The fields of a request that describe what is maximised; none for the expected score.
export function objective() {
  if (state.objective === "goal" && state.goal) return { goal: Number(state.goal) };
  return state.objective === "win" && state.opponents ? { opponents: state.opponents, ties: state.ties } : {};
}

export function totals() {
  const sumOf = (categories) => categories.reduce((sum, category) => sum + (state.card[category.id] || 0), 0);
  const { bonus, categories } = rules();
  const upperBoxes = categories.filter((category) => category.upper);
  const upper = sumOf(upperBoxes);
  // Every column has a bonus of its own, with one step or several.
  const paid = (steps, column) => {
    const total = sumOf(upperBoxes.filter((category) => category.column === column));
    return Math.max(0, ...steps.filter(([threshold]) => total >= threshold).map(([, points]) => points));
  };
  const upperBonus = bonus ? bonus.steps.reduce((sum, steps, column) => sum + paid(steps, column), 0) : 0;
  return { upper, upperBonus, all: sumOf(categories) + upperBonus + state.bonusPoints };
}

function toLink() {
  const link = new URLSearchParams({ rules: state.rules });
  const card = Object.entries(state.card).map(([category, points]) => `${category}=${points}`).join(" ");
  if (card) link.set("card", card);
  if (state.bonusPoints) link.set("bonus_points", state.bonusPoints);
  if (state.saved) link.set("saved", state.saved);
  if (state.dice.length) link.set("dice", state.dice.join(""));
  link.set("left", state.left);
  if (state.objective === "goal" && state.goal) link.set("goal", state.goal);
  if (state.objective === "win" && state.opponents) { link.set("opponents", state.opponents); link.set("ties", state.ties); }
  return "#" + link;
}

// The state of a link, and one message for each part of it that is wrong.
async function fromLink(hash) {
  const link = new URLSearchParams(hash.slice(1)), faults = [];
  const spec = (link.get("rules") || "yatzy").trim().replaceAll(" ", "+"); // a plus sign that is not escaped reads as a space
  try {
    if (!ruleSets.some((each) => each.id === spec.split("+")[0])) throw new Error("They are not in the list.");
    await loadRules(spec);
  } catch (error) {
    return [startGame({}, "yatzy"), [`the rules “${spec}” are not available on this page. ${error.message}`]];
  }
  const found = startGame({}, spec), ruleSet = knownRules.get(spec);
  for (const entry of (link.get("card") || "").split(/[ ,;]+/).filter(Boolean)) {
    const [id, points] = entry.split("=");
    const category = ruleSet.categories.find((each) => each.id === id);
    if (!category) faults.push(`there is no box “${id}”`);
    else if (!isWholeNumber(points || "") || !category.points.includes(Number(points))) faults.push(`${category.name} cannot hold “${points ?? ""}”`);
    else found.card[id] = Number(points);
  }
  // A number of the link; null if it is missing, too large or not used by the rules.
  const readNumber = (field, max, isUsed, name) => {
    const text = link.get(field);
    if (text === null) return null;
    if (isUsed && isWholeNumber(text) && Number(text) <= max) return Number(text);
    if (isUsed || text !== "0") faults.push(`${name} cannot be “${text}”`);
    return null;
  };
  found.saved = readNumber("saved", 100, ruleSet.saved_rolls, "the saved rolls") ?? 0;
  found.bonusPoints = readNumber("bonus_points", 99999, ruleSet.bonus_points, "the bonus points") ?? 0;
  const maxLeft = ruleSet.rolls - 1 + found.saved;
  found.left = readNumber("left", maxLeft, true, `the rerolls left (at most ${maxLeft})`) ?? maxLeft;
  const dice = [...(link.get("dice") || "")].map(Number);
  found.dice = dice.filter((face) => face >= 1 && face <= ruleSet.faces).slice(0, ruleSet.dice);
  if (found.dice.length < dice.length) faults.push(`the dice cannot be “${link.get("dice")}”`);
  found.held = found.dice.map(() => false);
  const goal = readNumber("goal", 99999, true, "the goal");
  if (goal !== null) Object.assign(found, { objective: "goal", goal: String(goal) });
  if (link.get("opponents")) {
    if (goal !== null) faults.push("it has a goal and opponents: the goal is used");
    else Object.assign(found, { objective: "win", opponents: link.get("opponents") });
  }
  if (["loss", "half", "win"].includes(link.get("ties"))) found.ties = link.get("ties");
  else if (link.has("ties")) faults.push(`a tie cannot be “${link.get("ties")}”`);
  const fields = ["rules", "card", "bonus_points", "saved", "dice", "left", "goal", "opponents", "ties"];
  for (const field of link.keys()) if (!fields.includes(field)) faults.push(`“${field}” is not a field of a link`);
  found.edited = Boolean(Object.keys(found.card).length || found.bonusPoints || found.saved);
  return [found, faults];
}

const linkMessage = (faults) => (faults.length ? "Parts of the link were ignored: " + faults.join("; ").replace(/\.?$/, ".") : "");

function store() {
  history.replaceState(null, "", toLink());
  try {
    const stored = { link: location.hash, state, past: past.slice(-MAX_STORED_HISTORY), future: future.slice(-MAX_STORED_HISTORY) };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(stored));
  } catch { /* The storage is full or forbidden: a reload restores the position of the link only. */ }
}

async function restore() {
  let stored = null;
  try { stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY)); } catch { /* as in store() */ }
  if (!stored || !location.hash || stored.link !== location.hash) return false;
  const states = [...stored.past, ...stored.future].map((text) => JSON.parse(text));
  for (const spec of new Set([stored.state, ...states].map((each) => each.rules))) await loadRules(spec);
  state = stored.state;
  past.push(...stored.past);
  future.push(...stored.future);
  return true;
}

// Restores the game of this tab or reads the link; from then on every change calls `draw`.
export async function start(draw) {
  let faults = [];
  if (!await restore()) [state, faults] = await fromLink(location.hash);
  redraw = () => { store(); draw(); };
  showNotice(capitalize(linkMessage(faults)));
  redraw();
  window.addEventListener("hashchange", async () => {
    const [found, newFaults] = await fromLink(location.hash);
    change((s) => Object.assign(s, found), linkMessage(newFaults));
  });
}
