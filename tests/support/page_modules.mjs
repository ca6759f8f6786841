// Runs a test of modules of the page, without a browser. A file of such tests imports this module and is the program:
//
//   node TESTS STATIC NAME [SEED] < RULES        the test of this name; "done" is printed when it has passed
//
// `load("state")` imports a module. `web.answers` has an answer for each path of the API, or a function of the request;
// `web.asked` are the paths in order. Timers run when `web.pass(ms)` says so. Elements exist as soon as they are asked for.
// `web.press(key, { ctrlKey: true, target: "INPUT" })` presses a key, `web.text(id)` is the text of an element.
import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(process.argv[2] + "/").href;

class Node {
  constructor() {
    Object.assign(this, { attributes: {}, children: [], dataset: {}, style: {}, textContent: "", hidden: false });
    this.classList = { add() {}, remove() {}, toggle() {} };
  }
  closest() { return null; }
  focus() {}
  setAttribute(name, value) { this.attributes[name] = String(value); }
  getAttribute(name) { return this.attributes[name] ?? null; }
  removeAttribute(name) { delete this.attributes[name]; }
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  addEventListener() {}
  querySelectorAll() { return []; }
}

const nodes = new Map(), listeners = [];
export const byId = (id) => nodes.get(id) ?? nodes.set(id, new Node()).get(id);
class Store {
  items = new Map();
  keys = null;  // in a list while nothing is added or removed
  getItem(key) { return this.items.get(key) ?? null; }
  setItem(key, value) { if (!this.items.has(key)) this.keys = null; this.items.set(key, String(value)); }
  removeItem(key) { this.keys = null; this.items.delete(key); }
  key(i) { this.keys ??= [...this.items.keys()]; return this.keys[i]; }
  get length() { return this.items.size; }
}

const timers = new Map();
let now = 0, lastTimer = 0;
const settle = () => new Promise((resolve) => { setImmediate(() => setImmediate(resolve)); });
const textOf = (node) => (node instanceof Node ? node.textContent + node.children.map(textOf).join(" ") : String(node));
export const web = {
  answers: {}, asked: [],
  text: (id) => textOf(byId(id)),
  press(key, { target = "BODY", ...more } = {}) {
    const event = { key, target: Object.assign(new Node(), { tagName: target, type: "text" }), preventDefault() {}, ...more };
    for (const [type, run] of listeners) if (type === "keydown") run(event);
  },
  async pass(ms) {
    await settle();
    const end = now + ms;
    for (;;) {
      const [next] = [...timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at);
      if (!next) break;
      now = next[1].at;
      timers.delete(next[0]);
      next[1].run();
      await settle();
    }
    now = end;
  },
};

Object.assign(globalThis, {
  window: globalThis, localStorage: new Store(), sessionStorage: new Store(),
  location: { hash: "", search: "", hostname: "localhost", href: "http://localhost/" },
  history: { replaceState(_state, _title, link) { globalThis.location.hash = link; } },
  document: {
    baseURI: "http://localhost/", documentElement: new Node(), body: Object.assign(new Node(), { dataset: { room: "play" } }), getElementById: byId, createElement: () => new Node(),
    querySelector: () => null, querySelectorAll: () => [],
    addEventListener(type, run) { listeners.push([type, run]); },
  },
  addEventListener() {},
  setTimeout(run, ms = 0) { timers.set(++lastTimer, { run, at: now + ms }); return lastTimer; },
  clearTimeout(id) { timers.delete(id); },
  async fetch(url, options = {}) {
    const { pathname, search } = new URL(url, folder), path = decodeURIComponent(pathname.split("/api/")[1] ?? "");
    if (!path) return new Response(readFileSync(new URL(url, folder)));
    web.asked.push(path);
    let found = web.answers[path];
    if (typeof found === "function") found = await found(options.body ? JSON.parse(options.body) : new URLSearchParams(search), options);
    if (found === undefined) throw new TypeError("no network");
    return found instanceof Response ? found : Response.json(found);
  },
});
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
performance.now = () => now;
AbortSignal.timeout = () => new AbortController().signal;

// --- tests ---

export const load = (name) => import(`${folder}${name}.js`);
export const seed = Number(process.argv[4]);
export let state, game; // modules of a page that has loaded its rules
export const s = () => state.state, roll = (...dice) => dice.forEach((face) => game.addDie(face));

const plain = (value) => JSON.parse(JSON.stringify(value ?? null));
export const equal = (found, expected, about) => {
  try {
    deepStrictEqual(plain(found), plain(expected));
  } catch (error) {
    error.message += about === undefined ? "" : `\nof ${about}`;
    throw error;
  }
};
export const isTrue = (found, about) => equal(Boolean(found), true, about);

// A test with a page that has these rule sets; without any, the page has not begun.
export async function test(name, ids, run) {
  if (name !== process.argv[3]) return;
  const known = JSON.parse(readFileSync(0, "utf8"));
  if (known.length) {
    [state, game] = [await load("state"), await load("game")];
    web.answers.rules = (wanted) => (wanted.get("rules") ? known.filter((each) => each.id === wanted.get("rules")) : known);
    await (await load("rulesets")).loadRuleSets("en");
    await state.start();
  }
  await run(known);
  process.stdout.write("done");
}
