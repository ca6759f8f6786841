// The position (rules, card, dice, rerolls, aim) and the game played so far are the only state. Each change redraws the
// page and goes into the history, so that undo, redo, the link and a reload are the same thing.
import { get } from "./ask.js";
import { by, upper, whole } from "./parts.js";

const STORE = "perfect-yatzy";
const empty = () => ({ rules: "yatzy", card: {}, saved: 0, bonusPoints: 0, dice: [], held: [], left: 2,
  aim: "mean", goal: "", opponents: "", ties: "loss", turns: [], rolls: [], holds: [], edited: false });

export let state = empty();
export let games = [];
export let language = "en";
const known = new Map(), past = [], future = [];
let redraw = () => {};

export const game = () => known.get(state.rules);
export const boxName = (id, rules = state.rules) => known.get(rules).categories.find((box) => box.id === id).name;
export const full = () => Object.keys(state.card).length === game().categories.length;
export const mostLeft = () => game().rolls - 1 + state.saved;
export const complete = () => state.dice.length === game().dice;
export const heldDice = () => state.dice.filter((_, i) => state.held[i]).sort((a, b) => a - b);
export const undoable = () => [past.length > 0, future.length > 0];

export function notice(words) {
  by("notice").textContent = words || "";
}

export function change(edit, words) {
  past.push(JSON.stringify(state));
  if (past.length > 500) past.shift();
  future.length = 0;
  edit(state);
  notice(words);
  redraw();
}

export function undo() { travel(past, future); }
export function redo() { travel(future, past); }

function travel(from, to) {
  if (!from.length) return;
  to.push(JSON.stringify(state));
  state = JSON.parse(from.pop());
  notice("");
  redraw();
}

// A fresh card: of these rules, or of others.
export function fresh(s, rules = s.rules) {
  return Object.assign(s, empty(), { rules, left: known.get(rules).rolls - 1 });
}

export async function know(rules) {
  if (!known.has(rules)) known.set(rules, (await get("rules", { rules, lang: language }))[0]);
  return known.get(rules);
}

export async function speak(code) {
  const others = [...known.keys()];
  language = code;
  games = await get("rules", { lang: code });
  known.clear();
  for (const each of games) known.set(each.id, each);
  for (const rules of others) await know(rules);
}

// Everything a server needs to know of the position.
export function position() {
  const asking = { rules: state.rules, card: state.card };
  if (game().bonus_points) asking.bonus_points = state.bonusPoints;
  if (game().saved_rolls) asking.saved = state.saved;
  return asking;
}

export function aim() {
  if (state.aim === "goal" && state.goal) return { goal: Number(state.goal) };
  return state.aim === "win" && state.opponents ? { opponents: state.opponents, ties: state.ties } : {};
}

export function total() {
  const held = (boxes) => boxes.reduce((sum, box) => sum + (state.card[box.id] || 0), 0);
  const { bonus, categories } = game();
  const sum = held(categories.filter((box) => box.upper));
  const reached = bonus && sum >= bonus.threshold ? bonus.points : 0;
  return { upper: sum, bonus: reached, all: held(categories) + reached + state.bonusPoints };
}

function toLink() {
  const link = new URLSearchParams({ rules: state.rules });
  const card = Object.entries(state.card).map(([box, points]) => `${box}=${points}`).join(" ");
  if (card) link.set("card", card);
  if (state.bonusPoints) link.set("bonus_points", state.bonusPoints);
  if (state.saved) link.set("saved", state.saved);
  if (state.dice.length) link.set("dice", state.dice.join(""));
  link.set("left", state.left);
  if (state.aim === "goal" && state.goal) link.set("goal", state.goal);
  if (state.aim === "win" && state.opponents) { link.set("opponents", state.opponents); link.set("ties", state.ties); }
  return "#" + link;
}

// The position a link names, and what of it cannot be used.
async function fromLink(hash) {
  const given = new URLSearchParams(hash.slice(1)), wrong = [];
  const rules = (given.get("rules") || "yatzy").trim().replaceAll(" ", "+"); // a bare plus sign reads as a space
  try {
    if (!games.some((each) => each.id === rules.split("+")[0])) throw new Error("It does not have them.");
    await know(rules);
  } catch (error) {
    return [fresh({}, "yatzy"), [`the rules “${rules}” are not for this page, so nothing of it could be used. ${error.message}`]];
  }
  const found = fresh({}, rules), its = known.get(rules);
  for (const entry of (given.get("card") || "").split(/[ ,;]+/).filter(Boolean)) {
    const [name, points] = entry.split("=");
    const box = its.categories.find((each) => each.id === name);
    if (!box) wrong.push(`there is no box “${name}”`);
    else if (!whole(points || "") || !box.points.includes(Number(points))) wrong.push(`${box.name} cannot hold “${points ?? ""}”`);
    else found.card[name] = Number(points);
  }
  const number = (name, most, used, words) => {
    const text = given.get(name);
    if (text === null) return null;
    if (used && whole(text) && Number(text) <= most) return Number(text);
    if (used || text !== "0") wrong.push(`${words} cannot be “${text}”`);
    return null;
  };
  found.saved = number("saved", 100, its.saved_rolls, "the saved rolls") ?? 0;
  found.bonusPoints = number("bonus_points", 99999, its.bonus_points, "the bonus points") ?? 0;
  const most = its.rolls - 1 + found.saved;
  found.left = number("left", most, true, `the rerolls left (at most ${most})`) ?? most;
  const dice = [...(given.get("dice") || "")].map(Number);
  found.dice = dice.filter((face) => face >= 1 && face <= its.faces).slice(0, its.dice);
  if (found.dice.length < dice.length) wrong.push(`the dice cannot be “${given.get("dice")}”`);
  found.held = found.dice.map(() => false);
  const goal = number("goal", 99999, true, "the goal");
  if (goal !== null) Object.assign(found, { aim: "goal", goal: String(goal) });
  if (given.get("opponents")) {
    if (goal !== null) wrong.push("it names a goal and opponents: the goal is used");
    else Object.assign(found, { aim: "win", opponents: given.get("opponents") });
  }
  if (["loss", "half", "win"].includes(given.get("ties"))) found.ties = given.get("ties");
  else if (given.has("ties")) wrong.push(`a tie cannot be “${given.get("ties")}”`);
  const used = ["rules", "card", "bonus_points", "saved", "dice", "left", "goal", "opponents", "ties"];
  for (const name of given.keys()) if (!used.includes(name)) wrong.push(`“${name}” means nothing here`);
  found.edited = Boolean(Object.keys(found.card).length || found.bonusPoints || found.saved);
  return [found, wrong];
}

const complaint = (wrong) => (wrong.length ? "Not all of the link could be used: " + wrong.join("; ").replace(/\.?$/, ".") : "");

function store() {
  history.replaceState(null, "", toLink());
  try {
    const kept = { link: location.hash, state, past: past.slice(-60), future: future.slice(-60) };
    sessionStorage.setItem(STORE, JSON.stringify(kept));
  } catch { /* a full or forbidden store: then a reload starts from the link alone */ }
}

async function restored() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(STORE)); } catch { /* as above */ }
  if (!kept || !location.hash || kept.link !== location.hash) return false;
  const all = [...kept.past, ...kept.future].map((text) => JSON.parse(text));
  for (const rules of new Set([kept.state, ...all].map((each) => each.rules))) await know(rules);
  state = kept.state;
  past.push(...kept.past);
  future.push(...kept.future);
  return true;
}

// Read the link or take up the game of this tab again; from now on every change draws.
export async function begin(draw) {
  let wrong = [];
  if (!await restored()) [state, wrong] = await fromLink(location.hash);
  redraw = () => { store(); draw(); };
  notice(upper(complaint(wrong)));
  redraw();
  window.addEventListener("hashchange", async () => {
    const [found, faults] = await fromLink(location.hash);
    change((s) => Object.assign(s, found), complaint(faults));
  });
}
