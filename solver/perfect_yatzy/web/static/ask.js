// Questions to the server. An answer is kept for a while; a question that was overtaken is called back.
import { upper } from "./parts.js";

const KEPT = 60;
const kept = new Map();

async function fetched(path, options) {
  let answer, found;
  try {
    answer = await fetch("/api/" + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is “yatzy serve” still running? The next change asks again.");
  }
  try {
    found = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(`The server gave an answer that cannot be read (status ${answer.status}).`);
  }
  if (!answer.ok) throw new Error(sentence(found.error || "the request failed"));
  return found;
}

function sentence(words) {
  const unsolved = words.match(/takes about (\d+) s to solve; first run: (.*)/);
  if (unsolved) {
    return `These rules have not been worked out on this machine yet; that takes about ${unsolved[1]} seconds, once. ` +
      `Run “${unsolved[2]}” in a terminal, then come back.`;
  }
  return upper(words) + (/[.!?]$/.test(words) ? "" : ".");
}

function keep(key, found) {
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return found;
}

export async function ask(path, body, signal) {
  const sent = JSON.stringify(body), key = path + sent;
  if (kept.has(key)) return keep(key, kept.get(key));
  return keep(key, await fetched(path, { method: "POST", headers: { "content-type": "application/json" }, body: sent, signal }));
}

export const get = (path, given) => fetched(path + "?" + new URLSearchParams(given));

// One question at a time: the next calls the one before back.
export function line() {
  let controller = new AbortController();
  return () => {
    controller.abort();
    controller = new AbortController();
    return controller.signal;
  };
}
