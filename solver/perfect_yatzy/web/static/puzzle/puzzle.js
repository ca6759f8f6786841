// Puzzles: positions of optimal games, chosen by their difficulty. That of the day is the same for everyone, here and in
// `yatzy puzzle`.
import { ask } from "../store/ask.js";
import { loadRules } from "../store/rulesets.js";
import { store, stored } from "../store/storage.js";

const KEY = "perfect-yatzy-puzzles-1";
export const DAY_MS = 86_400_000;
export const DAY_1970 = 719_163; // 1 January 1970 counted from 1 January of the year 1, as Python counts days
const PUZZLES_A_DAY = 1000;
export const DIFFICULTIES = ["easy", "medium", "hard"];

// The number of today in the calendar of the player.
export function today(now = new Date()) {
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / DAY_MS + DAY_1970;
}

// Puzzle `number` of a day; number 0 is the puzzle of the day.
export async function askPuzzle(rules, difficulty, number, day = today()) {
  await loadRules(rules);
  const seed = day * PUZZLES_A_DAY + (number % PUZZLES_A_DAY);
  const found = await ask("puzzle", { rules, difficulty, seed });
  return {
    rules,
    card: found.card,
    bonus_points: found.bonus_points || 0,
    saved: found.saved || 0,
    dice: found.dice,
    rolls_left: found.rolls_left,
  };
}

function read() {
  const kept = stored(KEY);
  return kept?.day === today() ? kept : { day: today(), next: 1, days: kept?.days };
}

// Notes that the puzzle of today is answered.
export function noteToday() {
  const kept = read();
  store(KEY, { ...kept, days: [...(kept.days || []).filter((day) => day !== kept.day), kept.day] });
}

// Days in a row with an answer to the puzzle of the day, up to today or yesterday.
export function streak() {
  const days = new Set(read().days),
    last = days.has(today()) ? today() : today() - 1;
  let count = 0;
  while (days.has(last - count)) count += 1;
  return count;
}

// The number of a further puzzle, another one each time.
export function nextNumber() {
  const kept = read(),
    number = kept.next;
  store(KEY, { ...kept, next: number + 1 });
  return number;
}
