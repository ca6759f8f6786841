// The storage of the browser. Games are kept step by step: a change writes one step and the head of its game, and undo goes back
// through everything after a reload. Each tab has a game of its own, held by a lock, so that no tab erases that of another.

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

// --- the game of this tab ---

const PREFIX = "perfect-yatzy-5:",
  TAB = "perfect-yatzy-tab";
let game = "";

const keyOf = (id, step) => `${PREFIX}${id}:${step}`;
const keys = () => Array.from({ length: localStorage.length }, (_key, i) => localStorage.key(i));

// The games with their heads { link, first, at, count, time }, the latest first.
const heads = () =>
  keys()
    .filter((key) => key.startsWith(PREFIX) && key.endsWith(":head"))
    .map((key) => [
      key.slice(PREFIX.length, -":head".length),
      JSON.parse(localStorage.getItem(key)),
    ])
    .sort((a, b) => b[1].time - a[1].time);

// Holds a game until the tab is closed; false if another tab has it. Pages of plain http have no locks.
const take = (id) =>
  !navigator.locks
    ? Promise.resolve(true)
    : new Promise((resolve) => {
        navigator.locks.request(PREFIX + id, { ifAvailable: true }, (lock) => {
          resolve(Boolean(lock));
          return lock && new Promise(() => {});
        });
      });

// The game of this tab, else the latest that no other tab plays: { steps, first, at }; null if there is none. Of a link only the
// game that stands there. A tab that was duplicated goes on with a copy.
export async function openGame(link) {
  try {
    const own = stored(TAB, "sessionStorage"),
      known = heads();
    known.sort((a, b) => (b[0] === own) - (a[0] === own));
    for (const [id, { first, at, count, link: stored }] of known) {
      const steps = Array.from({ length: count }, (_step, i) =>
        localStorage.getItem(keyOf(id, first + i)),
      );
      if ((link.length > 1 && stored !== link) || steps.includes(null)) continue;
      const isFree = await take(id);
      if (!isFree && id !== own) continue;
      if (isFree) begin(id, { first, steps: [...steps] });
      else await beginNew();
      return { steps, first, at };
    }
  } catch {
    /* Storage is forbidden: as if nothing was stored. */
  }
  await beginNew();
  return null;
}

function begin(id, stored = NOTHING) {
  game = id;
  written = stored;
  store(TAB, id, "sessionStorage");
}

async function beginNew() {
  begin(Date.now().toString(36) + Math.random().toString(36).slice(2, 6));
  await take(game);
}

const NOTHING = { first: 0, steps: [] };
let written = NOTHING; // what is stored of the game of this tab

// Writes the steps that are not stored yet and the head { link, first, at }; after a failure all steps, so that no gap stays. No
// other game makes room: games are removed by their players. Returns whether the game is stored, else it lasts until the tab
// is closed.
export function writeGame(head, steps) {
  const { first } = head,
    end = first + steps.length,
    before = written;
  written = NOTHING;
  try {
    for (let number = first; number < end; number++) {
      const step = steps[number - first];
      if (step !== before.steps[number - before.first])
        localStorage.setItem(keyOf(game, number), step);
    }
    const text = JSON.stringify({ ...head, count: steps.length, time: Date.now() });
    localStorage.setItem(keyOf(game, "head"), text);
    removeStepsOutside(first, end);
    written = { first, steps: [...steps] };
  } catch {
    return false;
  }
  return true;
}

function removeStepsOutside(first, end) {
  const prefix = keyOf(game, "");
  for (const key of keys().filter((each) => each.startsWith(prefix))) {
    const number = Number(key.slice(prefix.length)); // of the head not a number
    if (number < first || number >= end) localStorage.removeItem(key);
  }
}
