// Questions to the server of `yatzy serve`, by HTTP.
import { AskError } from "./ask.js";
import { _, language, sentence } from "../words/i18n.js";

const ANSWER_SECONDS = 60; // then the server is asked whether it is still there; some answers take minutes
const ALIVE_SECONDS = 5,
  MAX_WAITS = 10; // for one answer
const SILENCE_SECONDS = 30; // of long work; the server gives a sign of life every five seconds
const RETRY_MS = 700; // a server that is just being started again answers then
const TEMPORARY = new Set(["busy", "request-timeout", "client-disconnected", "internal-error"]);

const address = (path) => new URL("api/" + path, document.baseURI);

// A question that needs long work first is refused with status 200: a browser writes every other one into its console.
const QUIET_REFUSAL = "confirmation-required=200";

// Asks a question. `solve` does long work and calls `onProgress({ done, seconds_left })`; aborting `signal` stops it.
export function ask(path, body, { signal, onProgress } = {}) {
  const headers = {
    "content-type": "application/json",
    "accept-language": language,
    prefer: QUIET_REFUSAL,
  };
  const options = { method: "POST", headers, body: JSON.stringify(body) };
  return path === "solve"
    ? solve(options, signal, onProgress)
    : retried(() => answer(path, options, signal), signal);
}

export function get(path, parameters = {}, { signal } = {}) {
  return retried(() => answer(path + "?" + new URLSearchParams(parameters), {}, signal), signal);
}

export const remove = (path) =>
  answer(path, { method: "DELETE", headers: { "accept-language": language } });

// Calls once more after a failure of the network.
async function retried(call, signal) {
  try {
    return await call();
  } catch (error) {
    if (error.code !== "network") throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal?.throwIfAborted();
    return call();
  }
}

function answer(path, options, signal) {
  return limited(signal, async (limit) => {
    limit.restart(ANSWER_SECONDS, isAlive);
    const response = await fetch(address(path), { ...options, signal: limit.signal }),
      found = await json(response);
    if (!response.ok || found.code === "confirmation-required")
      throw errorOf(found, response.status);
    return found;
  });
}

// Whether the server answers a small question while it works on a long one.
const isAlive = () =>
  fetch(address("languages"), { signal: AbortSignal.timeout(1000 * ALIVE_SECONDS) }).then(
    (response) => response.ok,
    () => false,
  );

function solve(options, signal, onProgress) {
  return limited(signal, async (limit) => {
    limit.restart(ANSWER_SECONDS);
    const response = await fetch(address("solve"), { ...options, signal: limit.signal });
    if (!response.ok) throw errorOf(await json(response), response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      limit.restart(SILENCE_SECONDS);
      const { done, value } = await reader.read();
      if (done) throw new TypeError("the events end too early");
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      for (const [event, data] of messages.map(eventOf)) {
        if (event === "progress") onProgress?.(data);
        if (event === "error") throw errorOf(data, 200);
        if (event === "done") return data;
      }
    }
  });
}

// The name and the data of a server-sent event.
function eventOf(message) {
  const fields = Object.fromEntries(
    message
      .split("\n")
      .map((line) => [line.split(":")[0], line.slice(line.indexOf(":") + 1).trim()]),
  );
  return [fields.event, fields.data && JSON.parse(fields.data)];
}

// Runs a request within a time limit, and says in words what went wrong.
async function limited(signal, run) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer,
    seconds = 0,
    isOver = false;
  const abort = () => controller.abort(signal.reason);
  signal?.addEventListener("abort", abort);
  const limit = {
    signal: controller.signal,
    restart(most, isPatient = null, waits = 1) {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        if (isPatient && waits < MAX_WAITS && (await isPatient()) && !isOver) {
          limit.restart(most, isPatient, waits + 1);
          return;
        }
        seconds = most * waits;
        controller.abort();
      }, 1000 * most);
    },
  };
  try {
    return await run(limit);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof AskError) throw error;
    if (seconds)
      throw new AskError(
        "timeout",
        _("The server has not answered for {seconds} seconds.", { seconds }),
        { retryable: true },
      );
    throw new AskError(
      "network",
      _("The server does not answer. Is “yatzy serve” still running?"),
      { retryable: true },
    );
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

async function json(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new AskError(
      "unreadable",
      _("The answer of the server cannot be read (status {status}).", { status: response.status }),
      { retryable: true },
    );
  }
}

function errorOf({ error = "", code = "error", field, cost }, status) {
  return new AskError(code, sentence(error) || _("The request failed."), {
    field,
    cost,
    lines: error ? error.split("\n") : undefined,
    retryable: status >= 500 || TEMPORARY.has(code),
  });
}
