// The engine as a worker of the page: a question in, an answer or an error out, several at a time.
//
//   {id, path, body}        ->  {id, answer} or {id, error: {code, template, values, field, retryable}}
//   {id, path: "cancel"}        withdraws a question
//                           ->  {loading: {loaded, size}} while a table is fetched: bytes so far, and all
import { expect, hold, outcomes, score } from "./answers.js";
import { EngineError, N_ } from "./errors.js";
import { review } from "./review.js";
import { Site } from "./site.js";

const DIFFICULTIES = ["easy", "medium", "hard"],
  PUZZLES_A_DAY = 1000,
  UNIX_EPOCH = 719_163; // ordinal of 1970-01-01
const STEP_BYTES = 50_000; // of a table, between two reports
const STRIDE = 37; // days between the puzzles that follow each other on one day

// The puzzle of a seed or of a day, by default of today. A seed is the ordinal of its day times 1000 plus a number
// (play/puzzle.py). The site has a list of days for each difficulty, which repeats.
async function puzzle(opened, { seed, date, difficulty = "medium" }) {
  const stored = await opened.puzzles();
  if (!stored)
    throw new EngineError(
      "not-available",
      N_("This site has no puzzles for these rules."),
      {},
      "rules",
    );
  if (!DIFFICULTIES.includes(difficulty))
    throw new EngineError(
      "invalid-value",
      N_("A puzzle is easy, medium or hard."),
      {},
      "difficulty",
    );
  const today = new Date(),
    day = date
      ? new Date(`${date}T00:00Z`)
      : Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  const number = seed ?? (Math.floor(day / 86_400_000) + UNIX_EPOCH) * PUZZLES_A_DAY;
  if (!Number.isInteger(number))
    throw new EngineError(
      "invalid-value",
      N_("“{date}” is not a date such as 2026-11-20."),
      { date },
      "date",
    );
  const list = stored[difficulty],
    place =
      Math.floor(number / PUZZLES_A_DAY) - stored.first_day + (number % PUZZLES_A_DAY) * STRIDE;
  return {
    schema: 2,
    query: "puzzle",
    rules: opened.game.key,
    seed: number,
    difficulty,
    ...list[((place % list.length) + list.length) % list.length],
  };
}

const QUESTIONS = { hold, score, expect, outcomes, puzzle, review };

// Answers one question; `site` is opened once. Also used without a worker, by the tests.
export async function answer(site, path, body, signal) {
  if (path === "rules") return site.rules(body);
  if (path === "languages") return (await site.description()).languages;
  if (path === "site.json") return site.description();
  if (path === "scoring") return site.scoring(body.rules);
  if (path === "keep") return site.keep(body.rules);
  const question = QUESTIONS[path];
  if (!question)
    throw new EngineError("not-available", N_("This cannot be done without a server."), {});
  return question(await site.open(path === "review" ? body.game?.rules : body.rules), body, signal);
}

export const errorFields = (error) =>
  error instanceof EngineError
    ? {
        code: error.code,
        template: error.template,
        values: error.values,
        field: error.field,
        retryable: error.retryable,
      }
    : {
        code: "internal-error",
        template: N_("An error of the program: {text}"),
        values: { text: String(error?.message ?? error) },
        retryable: true,
      };

if (typeof WorkerGlobalScope !== "undefined") {
  const site = new Site(new URL("../", import.meta.url).href),
    running = new Map();
  let told = -1;
  site.onLoaded = (loaded, size) => {
    const step = Math.floor(loaded / STEP_BYTES);
    if (step !== told || loaded === size) self.postMessage({ loading: { loaded, size } });
    told = loaded === size ? -1 : step;
  };
  site.description().catch(() => {}); // before the first question; that one says what is wrong
  self.addEventListener("message", async ({ data: { id, path, body } }) => {
    if (path === "cancel") {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    try {
      self.postMessage({ id, answer: await answer(site, path, body, controller.signal) });
    } catch (error) {
      if (!controller.signal.aborted) self.postMessage({ id, error: errorFields(error) });
    }
    running.delete(id);
  });
}
