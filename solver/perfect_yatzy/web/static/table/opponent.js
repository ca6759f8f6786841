// Computer players at the table. One at a level takes an option the more often the less it loses, as `yatzy play --opponent`
// does (SoftPolicy in policies/levels.py); one that plays to win asks for its chance against the cards of the others.
import { optionName } from "./actions.js";
import { questionsFor } from "./asking.js";
import { ask } from "../store/ask.js";
import { mode } from "../store/mode.js";
import {
  amend,
  categoryName,
  isFull,
  me,
  objectiveToWin,
  onDraw,
  position,
  rules,
  state,
} from "../store/state.js";
import { computerTurn, playerName, randomFraction, rollOf, sorted } from "../store/game.js";
import { byId, diceRow, element, say } from "../words/dom.js";
import { _, formatNumber } from "../words/i18n.js";
import { LEVELS, levelName, PERFECT } from "../words/levels.js";

export const WIN = "win";
const LIMIT = 8, // as in policies/levels.py: an option that loses more than this many temperatures is never taken
  PAUSE_MS = 400,
  RETRY_MS = 5000;
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

export const computerName = (kind) => levelName(kind) ?? _("To win");

// The computers that can play the rules on the table: { kind, name, text }.
export function computersFor({ levels, solved }) {
  if (solved === false) return [];
  const average = levels.find(({ level }) => level === PERFECT)?.average;
  const known = levels.filter(
    ({ level }) => level !== PERFECT && LEVELS.some(({ number }) => number === level),
  );
  return [
    ...known.map(({ level, average: points }) => ({
      kind: String(level),
      text: _("averages {points}", { points: formatNumber(points, 0) }),
    })),
    {
      kind: String(PERFECT),
      text:
        average === undefined
          ? ""
          : _("averages {points}, never errs", { points: formatNumber(average, 0) }),
    },
    { kind: WIN, text: _("plays for the win, not for points") },
  ].map((each) => ({ ...each, name: computerName(each.kind) }));
}

// The chance of each option, from what it loses.
export function chancesAt(temperature, losses) {
  const weights = losses.map((loss) =>
    temperature > 0 ? Math.max(0, 1 - loss / (LIMIT * temperature)) ** LIMIT : Number(loss <= 0),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

// The option that a level takes; `fraction` is a random number from 0 to 1.
export function drawnOption(options, temperature, fraction) {
  const chances = chancesAt(
    temperature,
    options.map(({ loss }, i) => (i ? loss : 0)),
  );
  let rest = fraction;
  return options[chances.findIndex((chance) => (rest -= chance) < 0)] ?? options[0];
}

const temperatureOf = (kind) =>
  rules().levels.find(({ level }) => String(level) === kind)?.temperature ?? 0;

// The options of a decision, best first: for a win, or where that chance is not known, for the average.
async function optionsFor(query, fields, kind) {
  const questions = kind === WIN ? questionsFor(fields, objectiveToWin()) : [fields];
  for (const [i, body] of questions.entries()) {
    try {
      const found = await ask(query, body);
      return found.holds ?? found.categories;
    } catch (error) {
      if (error.retryable || i === questions.length - 1) throw error;
    }
  }
  return [];
}

// A whole turn: { rolls, holds, dice, box, left }. `roll` gives the dice after a hold, `choose` the option that is taken in a
// position, and `onHold` is told what is kept.
export async function playTurn(start, rerolls, { roll, choose, onHold = () => {} }) {
  const rolls = [],
    holds = [];
  let left = rerolls,
    dice = roll([], 1);
  for (;;) {
    const fields = { ...start, dice, rolls_left: left };
    const hold = left > 0 ? await choose("hold", fields) : null;
    if (!hold || hold.category) {
      const box = await choose("score", fields);
      return { rolls, holds, dice: sorted(dice), box, left };
    }
    rolls.push(sorted(dice));
    holds.push(sorted(hold.hold));
    dice = roll(hold.hold, rolls.length + 1);
    left -= 1;
    await onHold(hold);
  }
}

// The turn of a computer at the table.
function turnOf(kind) {
  const temperature = temperatureOf(kind);
  return playTurn(position(), state.left, {
    roll: rollOf,
    choose: async (query, fields) =>
      drawnOption(await optionsFor(query, fields, kind), temperature, randomFraction()),
    onHold: (hold) => {
      drawLine(
        _("{name} keeps {dice}", { name: playerName(state.player), dice: optionName(hold) }),
      );
      return new Promise((resolve) => setTimeout(resolve, isStill.matches ? 0 : PAUSE_MS));
    },
  });
}

// --- at the table ---

export const isComputerToPlay = () => Boolean(me().computer) && !isFull(me()) && !state.visits;
let running = "";

const turnKey = () =>
  JSON.stringify([state.rules, state.player, state.players, state.turns.length]);

async function play() {
  const key = turnKey();
  if (!isComputerToPlay() || running === key) return;
  running = key;
  try {
    const turn = await turnOf(me().computer);
    if (turnKey() !== key) return; // undone, or another game
    running = "";
    amend((s) => computerTurn(s, turn));
  } catch (error) {
    if (turnKey() !== key) return;
    drawLine(error.message);
    setTimeout(() => {
      if (running === key) running = "";
      play();
    }, RETRY_MS);
  }
}

// The last move of a computer in one line.
function lastMove() {
  const turn = state.turns.findLast(({ player }) => state.players[player]?.computer);
  if (!turn) return null;
  const fields = {
    name: playerName(turn.player),
    box: categoryName(turn.category),
    points: formatNumber(turn.points + (turn.bonus_points || 0)),
  };
  const text = turn.points
    ? _("{name} took {box}, {points}", fields)
    : _("{name} crossed out {box}", fields);
  return { text, dice: turn.rolls.at(-1) };
}

function drawLine(text, dice = []) {
  const line = byId("last-move");
  line.replaceChildren(element("span", {}, text), dice.length ? diceRow(dice) : "");
}

let said = "";
function draw() {
  const line = byId("last-move");
  line.hidden = !state.players.some(({ computer }) => computer);
  document.body.classList.toggle("with-computer", !line.hidden);
  if (line.hidden) return;
  const move = lastMove();
  if (isComputerToPlay()) drawLine(_("{name} rolls", { name: playerName(state.player) }));
  else {
    drawLine(move?.text ?? "", move?.dice);
    if (move && move.text !== said) say((said = move.text));
  }
  play();
}

onDraw(draw);
