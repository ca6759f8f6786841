// Runs a test of modules of the page, without a browser. A file of such tests imports this module and is the program:
//
//   node TESTS STATIC NAME [SEED] < RULES        the test of this name; "done" is printed when it has passed
//
// `load("store/state")` imports a module, `openPage()` loads the whole page. `web.answers` has an answer for each path of the API,
// or a function of the request; `web.asked` are the paths in order. Timers run and time passes when `web.pass(ms)` says so.
// `web.press(key, { ctrlKey: true, target: "INPUT" })` presses a key, `web.text(id)` is the text of an element.
import { deepStrictEqual } from "node:assert/strict";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Document } from "./page_document.mjs";

const STATIC = process.argv[2], folder = pathToFileURL(STATIC + "/").href;
let modules = folder; // where they are loaded from
const newDocument = () => new Document(readFileSync(new URL("index.html", folder), "utf8"), "http://localhost/");

export const byId = (id) => document.getElementById(id);

class Store {
  items = new Map();
  keys = null; // in a list while nothing is added or removed
  getItem(key) {
    return this.items.get(key) ?? null;
  }
  setItem(key, value) {
    if (!this.items.has(key)) this.keys = null;
    this.items.set(key, String(value));
  }
  removeItem(key) {
    this.keys = null;
    this.items.delete(key);
  }
  key(i) {
    this.keys ??= [...this.items.keys()];
    return this.keys[i];
  }
  get length() {
    return this.items.size;
  }
}

// The entries of one tab: back() goes to the one before and tells the window, as a browser does.
class History {
  entries = [{ state: null, hash: "" }];
  get state() {
    return this.entries.at(-1).state;
  }
  replaceState(state, _title, link) {
    const hash = link.includes("#") ? link.slice(link.indexOf("#")) : globalThis.location.hash;
    this.entries.splice(-1, 1, { state: structuredClone(state), hash });
    globalThis.location.hash = hash;
  }
  pushState(state, title, link) {
    this.entries.push({});
    this.replaceState(state, title, link);
  }
  async back() {
    this.entries.pop();
    const { hash } = this.entries.at(-1), isOther = hash !== globalThis.location.hash;
    globalThis.location.hash = hash;
    await web.tell("popstate", { state: this.state });
    if (isOther) await web.tell("hashchange");
  }
}

const timers = new Map(), windowListeners = [];
let now = 0, lastTimer = 0; // milliseconds since the page was loaded
let loadedAt = Date.UTC(2026, 10, 20, 12);
// Ends once nothing goes on by itself, however long it takes: no module is being read, and no digest is being computed.
let digests = 0;
const { subtle } = crypto, digest = subtle.digest.bind(subtle);
subtle.digest = (...given) => {
  digests++;
  return digest(...given).finally(() => { digests--; });
};
const isBusy = () => digests > 0 || process.getActiveResourcesInfo().some((kind) => /^(FSReq|CloseReq)/.test(kind));
async function settle() {
  for (let quiet = 0; quiet < 2; quiet = isBusy() ? 0 : quiet + 1)
    await new Promise((resolve) => { setImmediate(resolve); });
}
export const web = {
  answers: {}, asked: [],
  text: (id) => byId(id).textContent,
  press(key, { target = "BODY", ...more } = {}) {
    const element = target === "BODY" ? document.body : document.createElement(target);
    element.dispatchEvent({ type: "keydown", key, ...more });
  },
  // Tells the window that something has happened to it, such as "hashchange".
  async tell(type, more = {}) {
    for (const each of windowListeners) if (each.type === type) await each.run({ type, ...more });
  },
  // Sets the clock; timers do not notice.
  setClock(instant) { loadedAt = RealDate.parse(instant) - now; },
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

const RealDate = Date;
class PageDate extends RealDate {
  constructor(...given) { super(...(given.length ? given : [PageDate.now()])); }
  static now() { return loadedAt + now; }
}

Object.assign(globalThis, {
  window: globalThis, localStorage: new Store(), sessionStorage: new Store(), Date: PageDate,
  location: { hash: "", search: "", hostname: "localhost", href: "http://localhost/" },
  history: new History(),
  document: newDocument(),
  addEventListener(type, run) { windowListeners.push({ type, run }); },
  scrollTo() {},
  BroadcastChannel: undefined, indexedDB: undefined, // tests of the storage bring their own
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  IntersectionObserver: class {
    constructor(onChange) { this.onChange = onChange; }
    observe() { setTimeout(() => this.onChange([{ isIntersecting: true }])); }
  },
  setTimeout(run, ms = 0) { timers.set(++lastTimer, { run, at: now + ms }); return lastTimer; },
  clearTimeout(id) { timers.delete(id); },
  requestAnimationFrame(run) { return setTimeout(run, 16); },
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
localStorage.setItem("perfect-yatzy-dice", JSON.stringify("here")); // asked at the first visit only
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
performance.now = () => now;
AbortSignal.timeout = () => new AbortController().signal;

// --- tests ---

export const load = (name) => import(`${modules}${name}.js`);
export const seed = Number(process.argv[4]);
export const readCases = () => JSON.parse(readFileSync(process.argv[4], "utf8"));
// A function whose calls draw(n) give numbers from 0 to n - 1, the same for each seed.
export function drawing(seed) {
  let x = seed;
  return (n) => {
    x = (1664525 * x + 1013904223) % 2 ** 32;
    return Math.floor((x / 2 ** 32) * n);
  };
}
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

// The rule sets of the page; in other languages than English the names of the boxes begin with the language.
let known = [];
function rulesIn(language) {
  if (language === "en") return known;
  const named = (box) => ({ ...box, name: `${language} ${box.name}` });
  return known.map((rules) => ({ ...rules, categories: rules.categories.map(named) }));
}
const inOrder = (id) => id.split("+").toSorted().join("+"); // of its variants
function useRules() {
  web.answers.rules = (wanted) => {
    const all = rulesIn(wanted.get("lang") ?? "en"), id = wanted.get("rules");
    return all.filter((each) => (id ? inOrder(each.id) === inOrder(id) : !each.id.includes("+"))); // variants are asked for one by one
  };
}

// From now on modules are loaded anew, as in another tab: a file is another module in another place.
let copies = null;
export function forgetModules() {
  const names = readdirSync(STATIC, { recursive: true }).filter((name) => name.endsWith(".js"));
  if (copies === null) {
    copies = mkdtempSync(join(tmpdir(), "page-"));
    process.on("exit", () => rmSync(copies, { recursive: true }));
    for (const name of names) cpSync(join(STATIC, name), join(copies, "first", name));
  }
  const place = mkdtempSync(join(copies, "modules-"));
  for (const name of names) mkdirSync(dirname(join(place, name)), { recursive: true });
  for (const name of names) linkSync(join(copies, "first", name), join(place, name));
  modules = pathToFileURL(place + "/").href;
}

// Opens the whole page as a browser does that is started again or goes to its address once more: a new document and new
// modules, with what is stored. The page before stands still.
export async function openPage() {
  forgetModules();
  timers.clear();
  windowListeners.length = 0;
  globalThis.document = newDocument();
  useRules();
  await load("shell/app");
  while (document.documentElement.dataset.ready === undefined) {
    const failure = document.querySelector("#loading .error");
    if (failure) throw new Error(failure.textContent);
    await settle();
  }
  [state, game] = [await load("store/state"), await load("store/game")];
  for (const name of ["engine/game", "engine/card"]) await load(name); // reading a file takes a time that no clock here knows
}

// A test with modules of a page that has these rule sets; without any, the page has not begun.
export async function test(name, ids, run) {
  if (name !== process.argv[3]) return;
  known = JSON.parse(readFileSync(0, "utf8"));
  if (known.length) {
    [state, game] = [await load("store/state"), await load("store/game")];
    useRules();
    await (await load("store/rulesets")).loadRuleSets("en");
    await state.start();
  }
  await run(known);
  process.stdout.write("done");
}

// A test of more than a second of processor time.
export const testInRing2 = test;
