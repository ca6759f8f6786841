// The player's own mistakes, from reviews and training: kept in the browser and asked again after growing intervals until
// they are solved several times in a row.
import { store, stored } from "./storage.js";

const KEY = "perfect-yatzy-drill-1",
  MAX_KEPT = 200;
const MINUTE = 60_000,
  DAY = 24 * 60 * MINUTE;
const INTERVALS = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY]; // after the first, second … right answer in a row; after the last it is solved

const keyOf = ({ rules, card, bonus_points: bonusPoints, saved, dice, rolls_left: rollsLeft }) =>
  JSON.stringify([
    rules,
    Object.entries(card).sort(),
    bonusPoints || 0,
    saved || 0,
    [...dice].sort(),
    rollsLeft,
  ]);

let kept = null; // [{ key, position, loss, right, due }]

function read() {
  if (kept) return kept;
  kept = stored(KEY);
  if (!Array.isArray(kept)) kept = [];
  return kept;
}

const write = () => store(KEY, kept);

// Adds mistakes: [{ position, loss }]. One that is known already is asked again from the start.
export function addMistakes(mistakes, now = Date.now()) {
  const all = read();
  for (const { position, loss } of mistakes) {
    const key = keyOf(position),
      known = all.find((each) => each.key === key);
    if (known) Object.assign(known, { right: 0, due: Math.min(known.due, now) });
    else all.push({ key, position, loss, right: 0, due: now });
  }
  // The smallest ones are forgotten first.
  while (all.length > MAX_KEPT)
    all.splice(
      all.reduce((least, each, i) => (each.loss < all[least].loss ? i : least), 0),
      1,
    );
  if (mistakes.length) write();
}

// The mistake to ask next: the one due first; null if there is none. With `early` also one that is not due yet.
export function nextMistake(early = false, now = Date.now()) {
  const waiting = read().filter((each) => early || each.due <= now);
  return waiting.reduce((first, each) => (!first || each.due < first.due ? each : first), null);
}

// Notes an answer: a right one is asked again later, a wrong one after all others that are due.
export function answerMistake(key, isRight, now = Date.now()) {
  const all = read(),
    at = all.findIndex((each) => each.key === key);
  if (at < 0) return;
  const each = all[at];
  each.right = isRight ? each.right + 1 : 0;
  if (each.right > INTERVALS.length) all.splice(at, 1);
  else each.due = now + (isRight ? INTERVALS[each.right - 1] : 0);
  write();
}

// How many wait, how many of them are due, and when the next one is.
export function drillCounts(now = Date.now()) {
  const all = read();
  return {
    all: all.length,
    due: all.filter((each) => each.due <= now).length,
    next: all.reduce((next, each) => Math.min(next, each.due), Infinity),
  };
}

export function forgetMistakes() {
  kept = [];
  write();
}
