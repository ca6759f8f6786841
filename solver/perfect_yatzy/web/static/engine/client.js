// The engine behind `ask` and `get`: the same questions and answers as those of the server, from a worker.
import { AskError } from "../store/ask.js";
import { _, sentence, summarized } from "../words/i18n.js";
import { N_ } from "./errors.js";

let worker = null,
  lastId = 0,
  progress = null; // of the table that is being fetched, { loaded, size }
const waiting = new Map(); // id -> {resolve, reject, onProgress}

// The first one has been started by the page of a site, before this script was there.
function start() {
  worker =
    globalThis.startedEngine ??
    new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  globalThis.startedEngine = null;
  worker.addEventListener("message", ({ data: { id, answer, error, loading } }) => {
    if (loading) {
      progress = loading.loaded < loading.size ? loading : null;
      for (const { onProgress } of waiting.values()) onProgress?.(loading);
      return;
    }
    if (error) progress = null; // it may have failed
    const question = waiting.get(id);
    waiting.delete(id);
    if (error) question?.reject(asError(error));
    else question?.resolve(answer);
  });
  // The worker could not be loaded, or has ended: the next question begins a new one.
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    worker = progress = null;
    const error = asError({
      code: "network",
      template: N_("The engine could not be loaded; check the connection."),
      retryable: true,
    });
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
}

function asError({ code, template, values = {}, field, retryable }) {
  const fields = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? summarized(value) : value,
  ]);
  const text = _(template, Object.fromEntries(fields)); // marked elsewhere
  return new AskError(code, sentence(text), { field, retryable });
}

// Asks a question of the API; see solver/perfect_yatzy/service/README.md for its fields. `onProgress({ loaded, size })` is told
// how many bytes of the table are here.
export function ask(path, body = {}, { signal, onProgress } = {}) {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (!worker) start();
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, onProgress });
    if (progress) onProgress?.(progress); // another question has begun to fetch it
    worker.postMessage({ id, path, body });
    signal?.addEventListener(
      "abort",
      () => {
        if (!waiting.delete(id)) return;
        worker?.postMessage({ id, path: "cancel" });
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

// What GET answers: "rules", "languages", "site.json".
export const get = (path, parameters = {}, options = {}) => ask(path, parameters, options);
