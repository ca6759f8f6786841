// Playing on without advice: what each box pays for the roll on the table. It is counted here, so that a game goes on while
// the server is away.
import { ask, get, isInBrowser } from "./ask.js";
import { position, state } from "./state.js";

const counters = new Map(); // by rules, a function from the fields of a request to the boxes

// Loads what counting needs, before it is needed.
export async function learnToCount(spec) {
  if (isInBrowser || counters.has(spec)) return;
  counters.set(spec, null);
  try {
    const [{ Game }, { Card }, data] = await Promise.all([import("./engine/game.js"), import("./engine/card.js"), get("scoring", { rules: spec })]);
    const game = new Game(data), { lattice, categories, outcomes } = game;
    counters.set(spec, (body) => {
      const card = Card.read(game, body).state, roll = lattice.index([...body.dice].sort((a, b) => a - b)) - lattice.firstRoll;
      return game.outcomesOf(card, roll, body.rolls_left === game.maxRerolls(card)).map((outcome) =>
        ({ category: categories[outcomes.category[outcome]].id, points: game.points(outcome), bonus_points: game.bonusPoints(outcome) }));
    });
  } catch { counters.delete(spec); } // the next roll tries again
}

// The boxes that may be taken, as in the answer to `score`; null if nobody can count them.
export async function boxesWithoutAdvice(signal) {
  const body = { ...position(), dice: state.dice, rolls_left: state.left };
  if (!isInBrowser) await learnToCount(body.rules);
  try { return counters.get(body.rules)?.(body) ?? (await ask(isInBrowser ? "score" : "points", body, { signal })).categories; } catch { return null; }
}
