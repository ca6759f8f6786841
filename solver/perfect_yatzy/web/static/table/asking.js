// Asks for the advice on the position of the page: the answer, the boxes that may be taken, or why there is none.
import { ask, get, isInBrowser, latestOnly } from "../store/ask.js";
import { ruleSet } from "../store/rulesets.js";
import { rules } from "../store/state.js";

const DEBOUNCE_MS = 15,
  LONG_WAIT_MS = 1000,
  RETRY_MS = 5000; // before a request is sent, is called long, and is repeated

const newRequest = latestOnly();
let key = "",
  timer = 0,
  tell = () => {};
// answer: { choosesHold, aim, approximate, entries } of the position asked for, `instead` if it is for the average because the
// objective has none; isLong: the answer takes its time; loading: { loaded, size } in bytes while the table of the game is fetched;
// boxes: those that may be taken, counted here until the answer to `score` is there; failure: { error, query, body };
// mean: the average final score before the first roll of a turn
export let known = { answer: null, boxes: null, failure: null };

// What was found is told to a function of the page.
export const onFound = (draw) => {
  tell = draw;
};

export const isUnsolved = () => rules().solved === false;

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

// Asks unless the same has been asked; `isComplete` says whether all dice are there, `isStart` whether the turn begins. Returns
// whether the position is new.
export function askFor(position, objective, isComplete, isStart = false) {
  const asked = isComplete || isStart ? JSON.stringify([position, objective]) : "none";
  if (asked === key) return false;
  key = asked;
  known = { answer: null, boxes: null, failure: null };
  clearTimeout(timer);
  const signal = newRequest(),
    questions = questionsFor(position, objective);
  if (isStart && !isUnsolved() && !Object.keys(objective).length) requestMean(position, signal);
  if (!isComplete) return true;
  findBoxes(position, signal);
  if (!isUnsolved()) timer = setTimeout(() => request(questions, signal), DEBOUNCE_MS);
  return true;
}

// Without it, as without advice, the game goes on.
async function requestMean({ dice: _none, rolls_left: _all, ...position }, signal) {
  const found = await ask("expect", { ...position, spread: false }, { signal }).catch(() => null);
  if (signal.aborted || !found) return;
  known = { ...known, mean: found.expected_final_score };
  tell();
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
  const onProgress = (loading) => {
    if (signal.aborted) return;
    known = { ...known, loading };
    tell();
  };
  let answers = null,
    error = null;
  try {
    // The points of each box are asked beside the holds, with the same objective. In the browser the advice does not wait for a
    // second table, that of the upper bonus.
    answers = await Promise.all([
      ask(query, { ...body, explain: isInBrowser ? "as-loaded" : true }, { signal, onProgress }),
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
  findBoxes(body, signal);
  // Asked again in the background: the player goes on meanwhile.
  if (error.retryable)
    timer = setTimeout(() => request([body, ...others], newRequest(), instead), RETRY_MS);
}

// --- playing on without advice: counted here, so that a game goes on while the advice is on its way or the server is away ---

const COUNTED_BOXES = 30; // as in the engine: a card is a number of 32 bits
const counters = new Map(); // by rules: a function from the fields of a request to the boxes, or the promise of one

// Loads what counting needs, before it is needed.
export function learnToCount(spec) {
  if (!counters.has(spec)) {
    const loaded = loadCounter(spec);
    counters.set(spec, loaded);
    loaded.then(
      (count) => counters.set(spec, count),
      () => counters.delete(spec), // the next roll tries again
    );
  }
  return counters.get(spec);
}

async function loadCounter(spec) {
  if (ruleSet(spec).categories.length > COUNTED_BOXES) throw new Error(); // the server counts
  const [{ Game }, { Card }, data] = await Promise.all([
    import("../engine/game.js"),
    import("../engine/card.js"),
    get("scoring", { rules: spec }),
  ]);
  const game = new Game(data),
    { lattice, categories, outcomes } = game;
  return (body) => {
    const card = Card.read(game, body).state,
      roll = lattice.index([...body.dice].sort((a, b) => a - b)) - lattice.firstRoll;
    return game
      .outcomesOf(card, roll, body.rolls_left === game.maxRerolls(card))
      .map((outcome) => ({
        category: categories[outcomes.category[outcome]].id,
        points: game.points(outcome),
        bonus_points: game.bonusPoints(outcome),
      }));
  };
}

// What each box pays, if somebody can count it: at once if counting has been learnt.
async function findBoxes(body, signal) {
  const count = counters.get(body.rules);
  if (typeof count === "function") {
    known = { ...known, boxes: counted(count, body) };
    return;
  }
  let boxes = null;
  try {
    boxes = counted(await learnToCount(body.rules), body);
  } catch {
    boxes = await ask("points", body, { signal }).then(
      ({ categories }) => categories,
      () => null, // nobody can
    );
  }
  if (signal.aborted || known.answer) return;
  known = { ...known, boxes };
  tell();
}

// None for a card that cannot occur: the answer says so.
function counted(count, body) {
  try {
    return count(body);
  } catch {
    return null;
  }
}
