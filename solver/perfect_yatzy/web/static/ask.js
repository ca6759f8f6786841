// Requests to the API: answers are cached, a superseded request is aborted.
import { capitalize } from "./dom.js";

const MAX_CACHED = 60;
const cache = new Map();

async function request(path, options) {
  let response, answer;
  try {
    response = await fetch("/api/" + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is “yatzy serve” still running? The next change tries again.");
  }
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(`The answer of the server cannot be read (status ${response.status}).`);
  }
  if (!response.ok) throw new Error(errorText(answer));
  return answer;
}

function errorText({ error = "the request failed" }) {
  return capitalize(error) + (/[.!?]$/.test(error) ? "" : ".");
}

// Adds an answer, or marks it as the most recently used; evicts the least recently used one.
function cached(key, answer) {
  cache.delete(key);
  cache.set(key, answer);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value);
  return answer;
}

export async function ask(path, body, { signal } = {}) {
  const text = JSON.stringify(body), key = path + text;
  if (cache.has(key)) return cached(key, cache.get(key));
  return cached(key, await request(path, { method: "POST", headers: { "content-type": "application/json" }, body: text, signal }));
}

export const get = (path, parameters) => request(path + "?" + new URLSearchParams(parameters));

// Returns a function that makes an abort signal for a new request and aborts the one before.
export function latestOnly() {
  let controller = new AbortController();
  return () => {
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  };
}
