// Asks for the advice on the position of the page: the answer, the boxes that may be taken, or why there is none.
import { ask, get, isInBrowser, latestOnly } from "../store/ask.js";
import { position, rules, state } from "../store/state.js";

const DEBOUNCE_MS = 15,
  LONG_WAIT_MS = 1000,
  RETRY_MS = 5000; // before a request is sent, is called long, and is repeated

const newRequest = latestOnly();
let key = "",
  timer = 0,
  tell = () => {};
// answer: { choosesHold, aim, approximate, entries } of the position asked for, `instead` if it is for the average because the
// objective has none; isLong: the answer takes its time; boxes: those that may be taken, of the answer to `score`; failure: { error, query, body }
export let known = { answer: null, boxes: null, failure: null };

// What was found is told to a function of the page.
export const onFound = (draw) => {
  tell = draw;
};

export const isUnsolved = () => rules().solved === false && Boolean(rules().cost);

// The questions for a position, in the order in which they are tried: against one player who still plays the exact chance, then
// one that assumes less of the opponents, then the average.
export function questionsFor(position, objective) {
  const others = [objective.opponents ?? []].flat(),
    isDuel = !isInBrowser && others.length === 1 && /^[^;]*=[^;]*$/.test(others[0]);
  return [
    ...(isDuel ? [{ ...position, versus: others[0], ties: objective.ties }] : []),
    ...(Object.keys(objective).length ? [{ ...position, ...objective }] : []),
    position,
  ];
}

// Asks unless the same has been asked; `isComplete` says whether all dice are there. Returns whether the position is new.
export function askFor(position, objective, isComplete) {
  const asked = isComplete ? JSON.stringify([position, objective]) : "none";
  if (asked === key) return false;
  key = asked;
  known = { answer: null, boxes: null, failure: null };
  clearTimeout(timer);
  const signal = newRequest(),
    questions = questionsFor(position, objective);
  if (!isComplete) return true;
  if (isUnsolved()) findBoxes(signal);
  else timer = setTimeout(() => request(questions, signal), DEBOUNCE_MS);
  return true;
}

export function askAgain() {
  key = "";
}

async function request([body, ...others], signal, instead = null) {
  const choosesHold = body.rolls_left > 0,
    query = choosesHold ? "hold" : "score";
  const wait = setTimeout(() => {
    known = { ...known, isLong: true };
    tell();
  }, LONG_WAIT_MS);
  signal.addEventListener("abort", () => clearTimeout(wait));
  let answers = null,
    error = null;
  try {
    // The points of each box are asked beside the holds, with the same objective.
    answers = await Promise.all([
      ask(query, { ...body, explain: true }, { signal }),
      choosesHold ? ask("score", body, { signal }) : null,
    ]);
  } catch (thrown) {
    error = thrown;
  }
  clearTimeout(wait);
  if (signal.aborted) return;
  if (answers) {
    const [found, boxes] = answers,
      paid = ({ points, bonus_points }) => ({ points, bonus_points }); // a hold of all dice takes a box: for how many
    const entries = choosesHold
      ? found.holds.map((each) =>
          each.category
            ? {
                ...each,
                ...paid(boxes.categories.find(({ category }) => category === each.category)),
              }
            : each,
        )
      : found.categories;
    const isInstead = Boolean(instead) && !found.aim; // the average in the place of a chance
    known = {
      failure: isInstead ? instead : null,
      boxes: (boxes || found).categories,
      answer: {
        choosesHold,
        aim: found.aim,
        approximate: found.approximate,
        entries,
        instead: isInstead,
      },
    };
    tell();
    return;
  }
  const failure = !instead || others.length ? { error, query, body } : instead;
  // A server that is away is away for every question; any other failure is one of the objective.
  if (others.length && !error.retryable) {
    request(others, signal, failure);
    return;
  }
  known = { ...known, answer: null, failure };
  tell();
  findBoxes(signal);
  // Asked again in the background: the player goes on meanwhile.
  if (error.retryable)
    timer = setTimeout(() => request([body, ...others], newRequest(), instead), RETRY_MS);
}

// --- playing on without advice: counted here, so that a game goes on while the server is away ---

const counters = new Map(); // by rules, a function from the fields of a request to the boxes

// Loads what counting needs, before it is needed.
export async function learnToCount(spec) {
  if (isInBrowser || counters.has(spec)) return;
  counters.set(spec, null);
  try {
    const [{ Game }, { Card }, data] = await Promise.all([
      import("../engine/game.js"),
      import("../engine/card.js"),
      get("scoring", { rules: spec }),
    ]);
    const game = new Game(data),
      { lattice, categories, outcomes } = game;
    counters.set(spec, (body) => {
      const card = Card.read(game, body).state,
        roll = lattice.index([...body.dice].sort((a, b) => a - b)) - lattice.firstRoll;
      return game
        .outcomesOf(card, roll, body.rolls_left === game.maxRerolls(card))
        .map((outcome) => ({
          category: categories[outcomes.category[outcome]].id,
          points: game.points(outcome),
          bonus_points: game.bonusPoints(outcome),
        }));
    });
  } catch {
    counters.delete(spec);
  } // the next roll tries again
}

// The player goes on without advice: what each box pays, if somebody can count it.
async function findBoxes(signal) {
  const body = { ...position(), dice: state.dice, rolls_left: state.left };
  let boxes = null;
  if (!isInBrowser) await learnToCount(body.rules);
  try {
    boxes =
      counters.get(body.rules)?.(body) ??
      (await ask(isInBrowser ? "score" : "points", body, { signal })).categories;
  } catch {
    /* nobody can */
  }
  if (signal.aborted || known.answer) return;
  known = { ...known, boxes };
  tell();
}
