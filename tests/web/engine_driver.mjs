// Answers questions with the engine of a site, without a browser: JSON lines in, JSON lines out.
//
//   node engine_driver.mjs FOLDER      {"path": "hold", "body": {...}}  ->  {"answer": {...}, "ms": ...} or {"error": {...}}
//
// Files are read from the folder, also by Range. {"path": "traffic"} answers what was read; {"path": "turn"} says what a
// rule set without a table makes of a position; {"path": "made"} which results are computed; {"path": "visit"} opens the site anew. With a second argument there is no
// crypto.subtle, as on a page of plain http.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import "../../solver/npm/file-fetch.js";

const folder = pathToFileURL(process.argv[2] + "/").href;
if (process.argv[3]) Object.defineProperty(globalThis, "crypto", { value: {} });

const modules = new URL("../../solver/perfect_yatzy/web/static/engine/", import.meta.url).href; // a site has one script of them
const { answer, errorFields } = await import(modules + "worker.js");
const { Site } = await import(modules + "site.js");
const { traffic } = await import(modules + "files.js");
let site = new Site(folder);

const { Card } = await import(modules + "card.js");
const { Game } = await import(modules + "game.js");
const games = new Map();

// What a card is worth and where its state is in the table; what each box that may take a roll pays, and what follows.
function turn({ file, dice, rolls_left: left, ...fields }) {
  if (!games.has(file)) games.set(file, new Game(JSON.parse(readFileSync(new URL(file, folder)))));
  const game = games.get(file), card = Card.read(game, fields), { state } = card, row = game.row(state);
  const roll = game.lattice.index(dice) - game.lattice.firstRoll, saved = game.saved_rolls ? left : 0;
  return {
    total: card.total, bonus: game.upperBonus(state.upper), place: game.place(state), least: card.leastScore,
    boxes: game.outcomesOf(state, roll, left === game.maxRerolls(state)).map((outcome) =>
      [game.outcomes.category[outcome], game.points(outcome), game.bonusPoints(outcome), game.childPlace(row, state.upper, outcome, saved)]),
  };
}

// Of these results, in order, those that had to be computed. That of 9 took too long.
async function made({ keys }) {
  const opened = await site.open("yatzy"), found = [];
  for (const key of keys) await opened.remember("goal", key, async () => { found.push(key); return key === 9 ? null : key; });
  return found;
}

function special(path, body) {
  if (path === "visit") site = new Site(folder);
  return { visit: () => true, traffic: () => ({ ...traffic }), turn: () => turn(body), made: () => made(body) }[path]?.();
}

for await (const line of createInterface({ input: process.stdin })) {
  const { path, body } = JSON.parse(line), start = performance.now();
  let found;
  try {
    found = { answer: await special(path, body) ?? await answer(site, path, body) };
  } catch (error) {
    found = { error: errorFields(error), stack: error.stack };
  }
  process.stdout.write(JSON.stringify({ ...found, ms: performance.now() - start }) + "\n");
}
