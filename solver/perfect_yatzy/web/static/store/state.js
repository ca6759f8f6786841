// The state of the page: rules, players and their cards, the dice on the table, the objective, the turns played.
// Every change goes through `change`, which stores it in the history and calls the functions given to `onDraw`.
import { latestOnly } from "./ask.js";
import { AT_TABLE, cardText, fromLink, linkMessage, toLink } from "./link.js";
import { categoryOf, loadRules, ruleSet } from "./rulesets.js";
import { beginNew, openGame, writeGame } from "./storage.js";
import { _ } from "../words/i18n.js";

const MAX_HISTORY = 500;

// `computer` is the kind of a computer player: the number of its level, or "win".
export const newPlayer = (name = "", { computer } = {}) => ({
  name,
  card: {},
  saved: 0,
  bonusPoints: 0,
  ...(computer && { computer }),
});

// `rolls` and `holds` are those of this turn before the dice on the table; `turns` are the finished turns of the game as
// the record has them. `edited` means that a card was entered by hand: such a game has no record.
// `typed` means that the dice are real ones, entered by the player; `fixed` of them were held before a roll that is being
// entered, and `guess` has the holds that fit it, where the player has not said what was held.
// `assumed` of the dice, the first ones, were kept as the page marked them, without a word of the player.
// `visits` means that the table shows a position of a review or of an exercise, or the "example", not the player's own game.
// `flow` has the dice typed in one go over more than were due, see flowOf().
// `sameDice` is the text that fixes the dice of a game which others can play, too; `challenge` what a friend made of them:
// { name, score, lost }.
// `chosen` means that the player has marked dice to hold; until then the page suggests the best hold.
export const emptyState = () => ({
  rules: "yatzy",
  players: [newPlayer()],
  player: 0,
  dice: [],
  held: [],
  chosen: false,
  fixed: 0,
  left: 2,
  typed: false,
  rolls: [],
  holds: [],
  guess: null,
  assumed: 0,
  flow: null,
  objective: "mean",
  goal: "",
  opponents: "",
  ties: "loss",
  turns: [],
  edited: false,
  date: "",
  sameDice: "",
  challenge: null,
  visits: false,
});

export let state = emptyState();
let notice = "";
let steps = [],
  first = 0,
  at = 0; // the states of the history as texts, the number of the oldest, the place of the current one
const drawFunctions = [];

// --- reading the state ---

export const rules = () => ruleSet(state.rules);
export const me = () => state.players[state.player]; // the player whose turn it is
export const categoryName = (id, spec = state.rules) => categoryOf(spec, id).name;
export const isFull = (player) => Object.keys(player.card).length === rules().categories.length;
export const isCardFull = () => isFull(me());
export const maxRerolls = () => rules().rolls - 1 + me().saved;
export const hasAllDice = () => state.dice.length === rules().dice;
export const heldDice = () => state.dice.filter((_, i) => state.held[i]).sort((a, b) => a - b);
export const undoAndRedoAvailable = () => [at > 0, at < steps.length - 1];
export const currentNotice = () => notice;

// The fields of a request that describe a scorecard.
export function position(player = me(), spec = state.rules) {
  const fields = { rules: spec, card: player.card };
  if (ruleSet(spec).bonus_points) fields.bonus_points = player.bonusPoints;
  if (ruleSet(spec).saved_rolls) fields.saved = player.saved;
  return fields;
}

// A card as the field `opponents` takes it: a final score, or the boxes.
function opponentText(player) {
  if (isFull(player)) return totals(player).all;
  return (
    [cardText(player.card), player.bonusPoints ? `extra=${player.bonusPoints}` : ""]
      .filter(Boolean)
      .join(" ") || "empty"
  );
}

// The fields of a request that describe what is maximised; none for the expected score. Other players at the table are the
// opponents, with their cards as they are now.
export function objective() {
  if (state.objective === "goal" && state.goal) return { goal: Number(state.goal) };
  if (state.objective !== "win") return {};
  if (state.players.length > 1) return objectiveToWin();
  return state.opponents ? { opponents: state.opponents, ties: state.ties } : {};
}

// To beat the others at the table.
export const objectiveToWin = () => ({
  opponents: state.players.filter((_, i) => i !== state.player).map(opponentText),
  ties: state.ties,
});

export const hasAim = () => Object.keys(objective()).length > 0; // beside the average

export function totals(player = me(), { bonus, categories } = rules()) {
  const sumOf = (categories) =>
    categories.reduce((sum, category) => sum + (player.card[category.id] || 0), 0);
  const upperBoxes = categories.filter((category) => category.upper);
  const upper = sumOf(upperBoxes);
  // Every column has a bonus of its own, with one step or several.
  const columns = bonus
    ? bonus.steps.map((steps, column) => {
        const sum = sumOf(upperBoxes.filter((category) => category.column === column));
        const paid = Math.max(
          0,
          ...steps.filter(([threshold]) => sum >= threshold).map(([, points]) => points),
        );
        return {
          sum,
          paid,
          next: steps.find(([threshold]) => sum < threshold) || steps[steps.length - 1],
        };
      })
    : [];
  const upperBonus = columns.reduce((sum, column) => sum + column.paid, 0);
  return { upper, columns, upperBonus, all: sumOf(categories) + upperBonus + player.bonusPoints };
}

// --- changing the state ---

// Registers a function that draws its part of the page after every change.
export const onDraw = (draw) => {
  drawFunctions.push(draw);
};
export function redraw() {
  for (const draw of drawFunctions) draw();
}

// A message about what has just happened; the next change removes it.
export function showNotice(text) {
  notice = text || "";
  redraw();
}

// One action of the player: one step of the history.
export function change(edit, text) {
  at += 1;
  edit(state);
  steps.splice(at, Infinity, JSON.stringify(state));
  if (at > MAX_HISTORY) {
    steps.shift();
    first += 1;
    at -= 1;
  }
  notice = text || "";
  store();
  redraw();
}

// What a computer does after an action of the player belongs to that step: undo goes back to the player.
export function amend(edit) {
  edit(state);
  steps.splice(at, Infinity, JSON.stringify(state));
  store();
  redraw();
}

export const undo = () => move(-1);
export const redo = () => move(1);

function move(by) {
  if (!steps[at + by]) return;
  at += by;
  state = JSON.parse(steps[at]);
  notice = "";
  store();
  redraw();
}

// Resets a state to empty cards. The players and the objective stay for a new game of the same rules.
export function startGame(target, spec = target.rules) {
  const players = (target.players || [newPlayer()]).map(({ name, computer }) =>
    newPlayer(name, { computer }),
  );
  const {
    objective: kind,
    goal,
    opponents,
    ties,
  } = { ...emptyState(), ...(target.rules === spec ? target : {}) };
  return Object.assign(target, emptyState(), {
    rules: spec,
    players,
    left: ruleSet(spec).rolls - 1,
    objective: kind,
    goal,
    opponents,
    ties,
  });
}

const newChange = latestOnly();

// Changes the state when `load` has its answer. Of several such changes the one asked for last is made, whichever answer comes
// first. `edit` and `text` take the answer. Returns whether the change was made.
export async function changeWhenLoaded(load, edit, text = () => "") {
  const signal = newChange();
  try {
    const found = await load();
    if (signal.aborted) return false;
    change((s) => edit(s, found), text(found));
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

// Shows a position, with the fields of a link and of the state. Undo goes back to what was there before.
export const showPosition = (fields, text) =>
  changeWhenLoaded(
    () => loadRules(fields.rules),
    (s) => Object.assign(s, stateOfFields(fields)),
    () => text,
  );

// --- the link, and the storage of the browser ---

let isStarted = false,
  isStored = true;
export const isReady = () => isStarted;

// The address is that of the position, whatever entry of the history the browser is at.
export const showLink = () => history.replaceState(history.state, "", toLink(linkFields()));

function store() {
  if (!isStarted) return;
  showLink();
  writeGame({ link: location.hash, first, at }, steps).then(noteStored);
}

// A game that can no longer be stored goes on, and the page says so once.
export function noteStored(isNow) {
  const wasStored = isStored;
  isStored = isNow;
  if (!wasStored || isNow) return;
  const text = _("The browser does not store this game; it lasts until this tab is closed.");
  showNotice([notice, text].filter(Boolean).join(" "));
}

// What a link holds of the state: the position of the player whose turn it is, and the others.
function linkFields() {
  const { card, saved, bonusPoints } = me(),
    { rules: spec, dice, left, objective: kind, goal, opponents, ties } = state;
  return {
    rules: spec,
    card,
    saved,
    bonusPoints,
    dice,
    left,
    goal: kind === "goal" ? goal : "",
    opponents: kind !== "win" ? "" : state.players.length > 1 ? AT_TABLE : opponents,
    ties,
    players: state.players.length > 1 || me().name ? state.players : [],
    player: state.player,
  };
}

function stateOfFields({ card = {}, saved = 0, bonusPoints = 0, players = [], ...fields }) {
  const found = startGame({}, fields.rules),
    own = { card, saved, bonusPoints },
    { player = 0 } = fields;
  const seats = players.length ? players : [{}];
  Object.assign(found, { left: found.left + saved }, fields, {
    players: seats.map((each, i) => ({ ...newPlayer(), ...each, ...(i === player ? own : {}) })),
  });
  found.held = found.dice.map(() => false);
  found.objective = fields.goal ? "goal" : fields.opponents ? "win" : "mean";
  if (found.opponents === AT_TABLE) found.opponents = "";
  const hasBegun = (each) => Object.keys(each.card).length || each.bonusPoints || each.saved;
  found.edited = Boolean(found.visits || found.players.some(hasBegun));
  return found;
}

async function stateOfLink() {
  const [fields, faults] = await fromLink(location.hash);
  return [stateOfFields(fields), linkMessage(faults)];
}

async function restore() {
  const found = await openGame(location.hash);
  try {
    for (const spec of new Set(found.steps.map((text) => JSON.parse(text).rules)))
      await loadRules(spec);
    ({ steps, first, at } = found);
    state = JSON.parse(steps[at]);
  } catch (error) {
    // nothing is stored, or of a game that is not served any more: it waits until it is
    if (error.retryable) throw error;
    [state, notice] = await stateOfLink();
    if (found) await beginNew();
    steps = [JSON.stringify(state)];
  }
}

// Restores the game of this tab or the latest one, or reads the link.
export async function start() {
  await restore();
  isStarted = true;
  store();
  redraw();
  window.addEventListener("hashchange", () => {
    if (location.hash === toLink(linkFields())) return; // the way back to another room
    changeWhenLoaded(
      stateOfLink,
      (s, [found]) => Object.assign(s, found),
      ([, text]) => text,
    );
  });
}
