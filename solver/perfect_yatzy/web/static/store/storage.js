// The storage of the browser: small values, and the game of each tab. A game is kept step by step: a change writes one step and
// the head of its game, and undo goes back through everything after a reload. Each tab has a game of its own, which it
// holds, so that no tab erases that of another.
import {
  PREFIX,
  keepAtOnce,
  moveIntoDatabase,
  readRecords,
  replaceRecords,
  waitingKeys,
  writeRecords,
} from "./records.js";

// A small value; null if it is not there.
export function stored(key, kind = "localStorage") {
  try {
    return JSON.parse(window[kind].getItem(key));
  } catch {
    return null;
  }
}

// Full or forbidden: the value lasts until the page is closed.
export function store(key, value, kind = "localStorage") {
  try {
    window[kind].setItem(key, JSON.stringify(value));
  } catch {
    /* as it says */
  }
}

// --- who holds a game ---

const TAB = "perfect-yatzy-tab",
  ASK_MS = 200,
  RELEASE_MS = 1000;
export let game = ""; // of this tab

// Pages of plain http have no locks: there the tabs are asked.
const channel = navigator.locks || !window.BroadcastChannel ? null : new BroadcastChannel(PREFIX);
channel?.addEventListener("message", ({ data }) => {
  if (data.asked === game) channel.postMessage({ held: game });
});

const isAnswered = (id) =>
  new Promise((resolve) => {
    const hear = ({ data }) => {
      if (data.held === id) resolve(true);
    };
    channel.addEventListener("message", hear);
    channel.postMessage({ asked: id });
    setTimeout(() => {
      channel.removeEventListener("message", hear);
      resolve(false);
    }, ASK_MS);
  });

// Whether another tab has a game.
async function isHeld(id) {
  if (id === game) return false;
  if (!navigator.locks) return channel !== null && isAnswered(id);
  return (await navigator.locks.query()).held.some(({ name }) => name === PREFIX + id);
}

// Holds a game until the tab is closed; false if another tab has it. A page that is opened again waits for the one before.
const take = (id, isOwn = false) =>
  !navigator.locks
    ? isHeld(id).then((isOther) => !isOther)
    : new Promise((resolve) => {
        const options = isOwn ? { signal: AbortSignal.timeout(RELEASE_MS) } : { ifAvailable: true };
        const hold = (lock) => {
          resolve(Boolean(lock));
          return lock && new Promise(() => {});
        };
        navigator.locks.request(PREFIX + id, options, hold).catch(() => resolve(false));
      });

// --- the game of this tab ---

const HEAD = ":head";
const keyOf = (id, step) => `${PREFIX}${id}:${step}`;
const keysOf = ({ id, first, count }) =>
  Array.from({ length: count }, (_step, i) => keyOf(id, first + i));

// The games as { id, link, first, at, count, time }, the latest first.
async function heads() {
  const found = await readRecords((key) => key.startsWith(PREFIX) && key.endsWith(HEAD));
  return [...found]
    .map(([key, text]) => ({ id: key.slice(PREFIX.length, -HEAD.length), ...JSON.parse(text) }))
    .sort((a, b) => b.time - a.time);
}

// The game of this tab, else the latest that no other tab plays: { steps, first, at }; null if there is none. Of a link only the
// game that stands there. A tab that was duplicated goes on with a copy.
export async function openGame(link) {
  const own = stored(TAB, "sessionStorage"),
    known = await heads();
  known.sort((a, b) => (b.id === own) - (a.id === own));
  for (const head of known) {
    if (link.length > 1 && head.link !== link) continue;
    const keys = keysOf(head),
      records = await readRecords((key) => key.startsWith(keyOf(head.id, ""))),
      steps = keys.map((key) => records.get(key));
    if (steps.includes(undefined)) continue;
    const { id, first, at } = head,
      isFree = await take(id, id === own);
    if (!isFree && id !== own) continue;
    if (isFree) begin(id, { head, steps: [...steps] });
    else await beginNew();
    await moveWaiting();
    return { steps, first, at };
  }
  await beginNew();
  await moveWaiting();
  return null;
}

// Moves what waits in localStorage into the database, of this game and of those that no tab holds.
async function moveWaiting() {
  const ids = new Set(waitingKeys().map((key) => key.slice(PREFIX.length).split(":")[0]));
  for (const id of ids) {
    const move = () => moveIntoDatabase(keyOf(id, ""));
    if (id === game || (!navigator.locks && !(await isHeld(id)))) await move();
    else if (navigator.locks)
      await navigator.locks.request(PREFIX + id, { ifAvailable: true }, (lock) => lock && move());
  }
}

function begin(id, found = NOTHING) {
  game = id;
  written = found;
  store(TAB, id, "sessionStorage");
}

// A game of this tab that begins; the one before waits among the others.
export async function beginNew() {
  begin(Date.now().toString(36) + Math.random().toString(36).slice(2, 6));
  await take(game);
}

const NOTHING = { head: { first: 0 }, steps: [] };
let written = NOTHING, // what is stored of the game of this tab
  wanted = null, // what is to be stored next
  going = null, // what is being stored, or could not be
  writing = null;

// Stores the steps that are not stored yet and the head { link, first, at }, in one transaction. No other game makes room:
// games are removed by their players. The answer says whether the game is stored, else it lasts until the tab is closed. A
// game begins with its first change: what it starts from is in the address.
export function writeGame(head, steps) {
  if (steps.length === 1 && written === NOTHING && !writing) return Promise.resolve(true);
  wanted = { head, steps: [...steps] };
  writing ||= writeWanted().finally(() => {
    writing = null;
  });
  return writing;
}

// One transaction at a time: of what changes meanwhile the latest is stored.
async function writeWanted() {
  let isStored = true;
  while (wanted) {
    [going, wanted] = [wanted, null];
    isStored = await writeRecords(changesTo(going));
    if (!isStored) continue;
    [written, going] = [going, null];
    store(TAB, game, "sessionStorage"); // there may have been no room for it before
  }
  return isStored;
}

function changesTo({ head, steps }) {
  const changes = new Map(),
    { first } = head,
    before = written.head.first;
  for (let number = before; number < before + written.steps.length; number++)
    if (number < first || number >= first + steps.length) changes.set(keyOf(game, number), null);
  for (const [i, step] of steps.entries())
    if (step !== written.steps[first + i - before]) changes.set(keyOf(game, first + i), step);
  const text = JSON.stringify({ ...head, count: steps.length, time: Date.now() });
  return changes.set(keyOf(game, "head"), text);
}

// A tab that goes away has no time to wait for the database. Returns whether everything is kept.
function keepUnwritten() {
  const latest = wanted ?? going;
  return !latest || keepAtOnce(changesTo(latest));
}
window.addEventListener("pagehide", keepUnwritten);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") keepUnwritten();
});
// Of a game for which there is no room the browser asks whether the tab shall be closed.
window.addEventListener("beforeunload", (event) => {
  if (!keepUnwritten()) event.preventDefault();
});

// --- the games of other tabs, open and closed ---

// { id, link, time, step, isHeld }: where each stands, as a text of the state; the latest first.
export async function otherGames() {
  const known = (await heads()).filter(({ id }) => id !== game),
    keyAt = ({ id, first, at }) => keyOf(id, first + at),
    wantedKeys = new Set(known.map(keyAt)),
    steps = await readRecords((key) => wantedKeys.has(key));
  return Promise.all(
    known
      .filter((head) => steps.has(keyAt(head)))
      .map(async (head) => ({
        ...head,
        step: steps.get(keyAt(head)),
        isHeld: await isHeld(head.id),
      })),
  );
}

// Goes on with a game in this tab, after a reload; the game that is here waits among the others.
export async function goOnWith({ id, link }) {
  await writing;
  store(TAB, id, "sessionStorage");
  history.replaceState(history.state, "", link);
  location.reload();
}

// Removes a game that no tab holds; the function returned brings it back.
export async function removeGame({ id }) {
  if (await isHeld(id)) return null;
  const found = await readRecords((key) => key.startsWith(keyOf(id, "")));
  return replaceRecords(new Map([...found.keys()].map((key) => [key, null])));
}
