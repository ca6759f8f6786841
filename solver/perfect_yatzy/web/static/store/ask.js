// The questions of the page. Who answers is written in index.html: the server (server.js), or an engine in the
// browser (engine/client.js). Answers are kept for a while; what is thrown is an AskError, or the reason of an abort.
import { ownName, ruleFileOf } from "./own-rules.js";

// What is thrown when a question is not answered. Programs test `code`, people read `message`.
//   field      the field of the question that is wrong, if it is one
//   retryable  whether the same question may be answered if it is asked again
//   cost       with the code "confirmation-required": { what, seconds, disk_bytes, memory_bytes }
//   lines      the message as the server wrote it, which may have several lines
export class AskError extends Error {
  constructor(code, message, { field, retryable = false, cost, lines = [message] } = {}) {
    super(message);
    Object.assign(this, { name: "AskError", code, field, retryable, cost, lines });
  }
}

const MAX_CACHED = 60;
const cache = new Map();
export const isInBrowser =
  document.querySelector('meta[name="perfect-yatzy-engine"]')?.content === "browser";
let loading = null;

function answerer() {
  loading ||= import(isInBrowser ? "../engine/client.js" : "./server.js").catch((error) => {
    loading = null; // the next question tries again
    throw new AskError("network", error.message, { retryable: true });
  });
  return loading;
}

// Adds an answer, or marks it as the most recently used; evicts the least recently used one.
function cached(key, answer) {
  cache.delete(key);
  cache.set(key, answer);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value);
  return answer;
}

// Asks about some rules. Where the server does not know a rule file that was added here, it gets the file and is asked again.
async function answerAbout(spec, question) {
  const engine = await answerer();
  try {
    return await question(engine);
  } catch (error) {
    if (error.code !== "unknown-rules" || isInBrowser || !ownName(spec)) throw error;
    const file = await ruleFileOf(spec);
    if (!file) throw error;
    await engine.ask("rules", { text: file.text, keep: !file.isRemoved });
    return question(engine);
  }
}

// Asks a question: `ask("hold", { dice: "33456" }, { signal })`. "solve" does the work of a question that was answered
// by the error "confirmation-required", with `onProgress({ done, seconds_left })`; then the question is asked again.
export async function ask(path, body, options = {}) {
  const spec = body.rules ?? body.game?.rules,
    question = (engine) => engine.ask(path, body, options);
  if (path === "solve" || path === "rules") return answerAbout(spec, question);
  const key = path + JSON.stringify(body);
  if (cache.has(key)) return cached(key, cache.get(key));
  return cached(key, await answerAbout(spec, question));
}

// What can be asked without a body: `get("rules", { lang: "sv" })`.
export async function get(path, parameters = {}, options = {}) {
  return answerAbout(parameters.rules, (engine) => engine.get(path, parameters, options));
}

export const remove = async (path) => (await answerer()).remove(path);

// Returns a function that makes an abort signal for a new request and aborts the one before.
export function latestOnly() {
  let controller = new AbortController();
  return () => {
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  };
}
