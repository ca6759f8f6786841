// The games of several tabs in one browser: none makes room for another, and a full or denied storage stops no game.
import { byId, equal, forgetModules, isTrue, load, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";
import { Databases } from "../support/page_database.mjs";

const NOT_STORED = "The browser does not store this game; it lasts until this tab is closed.";

// The locks that the tabs of a browser hold until they are closed.
class Locks {
  names = new Set();

  async request(name, _options, run) {
    if (this.names.has(name)) return run(null);
    this.names.add(name);
    const answer = await run({ name });
    this.names.delete(name);
    return answer;
  }

  async query() {
    return { held: [...this.names].map((name) => ({ name })) };
  }

  closeAll() {
    this.names.clear();
  }
}

// Pages of plain http have channels instead: what one tab posts the others hear, until they are closed.
class Channels {
  open = [];

  constructor() {
    const { open } = this;
    this.Channel = class {
      listeners = [];
      constructor() {
        open.push(this);
      }
      addEventListener(_type, listener) {
        this.listeners.push(listener);
      }
      removeEventListener(_type, listener) {
        this.listeners = this.listeners.filter((each) => each !== listener);
      }
      postMessage(data) {
        for (const other of open) if (other !== this) for (const listener of [...other.listeners]) setImmediate(() => listener({ data }));
      }
    };
  }

  closeAll() {
    this.open.length = 0;
  }
}

// Waits for an answer; meanwhile time passes.
async function soon(promise) {
  let isOver = false;
  promise.finally(() => { isOver = true; });
  while (!isOver) await web.pass(50);
  return promise;
}

const step = (text) => JSON.stringify(text);

// A tab that begins a game of its own, with a step each time that it plays.
async function openTab(number) {
  sessionStorage.removeItem("perfect-yatzy-tab");
  forgetModules();
  const storage = await load("store/storage"), link = `#rules=yatzy&left=${number}`;
  equal(await soon(storage.openGame(link)), null);
  const id = sessionStorage.getItem("perfect-yatzy-tab");
  const play = async (...more) => {
    await web.pass(1000);
    isTrue(await soon(storage.writeGame({ link, first: 0, at: 0 }, [step(number), step(`of ${number}`), ...more.map(step)])));
  };
  await play();
  return { play, id, link, storage };
}

const STEPS = (number, ...more) => [step(number), step(`of ${number}`), ...more.map(step)];

// What a tab finds that was opened again with its session, after all tabs were closed.
async function found({ id, link }, closeAll = () => {}) {
  closeAll();
  sessionStorage.setItem("perfect-yatzy-tab", id);
  forgetModules();
  return (await soon((await load("store/storage")).openGame(link)))?.steps;
}

const HOLDERS = [() => { // nothing tells tabs apart but their session
  return () => {};
}, () => {
  navigator.locks = new Locks();
  return () => navigator.locks.closeAll();
}, () => {
  const channels = new Channels();
  window.BroadcastChannel = channels.Channel;
  return () => channels.closeAll();
}]; // prettier-ignore

async function inEachBrowser(run) {
  for (const databases of [undefined, new Databases()]) {
    for (const holder of HOLDERS) {
      localStorage.items.clear();
      globalThis.indexedDB = databases;
      databases?.records.clear();
      await run(holder());
      delete navigator.locks;
      window.BroadcastChannel = undefined;
    }
  }
  globalThis.indexedDB = undefined;
}

test("ten games of ten tabs are kept, with and without a database, locks and channels", [], () => inEachBrowser(async (closeAll) => {
  const tabs = [];
  for (let number = 0; number < 10; number++) tabs.push(await openTab(number));
  for (const { play } of tabs.toReversed()) await play();
  closeAll(); // all are closed but the last one
  await tabs[9].play();
  for (let number = 0; number < 10; number++) equal(await found(tabs[number], closeAll), STEPS(number));
}));

test("a game that a tab holds is neither opened nor removed by another", [], async () => {
  for (const holder of HOLDERS.slice(1)) {
    globalThis.indexedDB = new Databases();
    const closeAll = holder(), first = await openTab(1);
    sessionStorage.removeItem("perfect-yatzy-tab");
    forgetModules();
    const storage = await load("store/storage");
    equal(await soon(storage.openGame("")), null);
    const others = async () => (await soon(storage.otherGames())).map(({ id: each, step: text, isHeld }) => [each, text, isHeld]);
    const id = JSON.parse(first.id);
    equal(await others(), [[id, step(1), true]]);
    equal(await soon(storage.removeGame({ id })), null);
    closeAll();
    equal(await others(), [[id, step(1), false]]);
    const bringBack = await soon(storage.removeGame({ id }));
    equal([await others(), indexedDB.records.size], [[], 0]);
    isTrue(await bringBack());
    equal(await found(first, closeAll), STEPS(1));
    delete navigator.locks;
    window.BroadcastChannel = undefined;
  }
});

// --- the database ---

const stored = () => [[...indexedDB.records.keys()].filter((key) => key.endsWith(":head")).length, [...localStorage.items.keys()].filter((key) => key.startsWith("perfect-yatzy-5:")).length];

test("games of an earlier version are taken over once", ["yatzy"], async () => {
  const record = { schema: 2, date: "2026-01-01T00:00:00Z", rules: "yatzy", players: ["Ann"], turns: [] };
  const tab = await openTab(1); // without a database, as earlier versions
  localStorage.setItem("perfect-yatzy-games-1", JSON.stringify([{ record, players: [{ name: "Ann" }] }]));
  equal([...localStorage.items.keys()].filter((key) => key.startsWith("perfect-yatzy-5:")).length, 3);
  globalThis.indexedDB = new Databases();
  for (let visit = 0; visit < 2; visit++) {
    equal(await found(tab), STEPS(1));
    equal(stored(), [1, 0]);
    forgetModules();
    equal(await (await load("store/memory")).games(), [{ record, players: [{ name: "Ann" }] }]);
    equal(localStorage.getItem("perfect-yatzy-games-1"), null);
  }
});

test("what a full or broken database does not take waits beside it", [], async () => {
  globalThis.indexedDB = new Databases();
  const tab = await openTab(1), isFull = (is) => { indexedDB.isFull = is; };
  equal(stored(), [1, 0]);
  isFull(true);
  await tab.play("more");
  equal([indexedDB.records.size, stored()], [3, [1, 2]]); // the step and the head: nothing of it is in the database
  equal(await found(tab), STEPS(1, "more"));
  const { setItem } = localStorage;
  localStorage.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  equal(await soon(tab.storage.writeGame({ link: tab.link, first: 0, at: 0 }, STEPS(2, "x", "y"))), false);
  localStorage.setItem = setItem;
  equal(await found(tab), STEPS(1, "more")); // all or nothing
  isFull(false);
  equal(await found(tab), STEPS(1, "more"));
  equal(stored(), [1, 0]);
  const { setItem: write } = localStorage;
  localStorage.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  for (const way of [true, "at once"]) {
    isFull(way);
    equal(await soon(tab.storage.writeGame({ link: tab.link, first: 0, at: 0 }, STEPS(1))), false); // one step fewer
    equal(indexedDB.records.size, 4); // all or nothing
  }
  localStorage.setItem = write;
  await tab.play();
  equal(await found(tab), STEPS(1));
  isFull(false);
  equal([await found(tab), stored(), indexedDB.records.size], [STEPS(1), [1, 0], 3]);
  indexedDB.isBroken = true;
  const other = await openTab(2);
  equal([stored(), await found(other)], [[1, 3], STEPS(2)]);
  indexedDB.isBroken = false;
  equal([await found(other), await found(tab), stored()], [STEPS(2), STEPS(1), [2, 0]]);
});

test("a tab that goes away keeps what the database has not taken yet", [], async () => {
  globalThis.indexedDB = new Databases();
  const tab = await openTab(1), leaving = { preventDefault: () => isTrue(false, "all is kept: nothing to ask") };
  document.visibilityState = "hidden";
  for (const [last, leave] of [
    ["three", () => web.tell("pagehide")],
    ["four", () => web.tell("beforeunload", leaving)],
    ["five", () => document.dispatchEvent({ type: "visibilitychange" })],
  ]) {
    indexedDB.waits = true;
    for (const more of ["one", "two", last]) tab.storage.writeGame({ link: tab.link, first: 0, at: 0 }, STEPS(1, "zero", more));
    await web.pass(10);
    await leave();
    isTrue([...localStorage.items.values()].includes(step(last)), `${last} waits beside the database`);
    indexedDB.waits = false;
    equal(await found(tab), STEPS(1, "zero", last));
    equal(stored(), [1, 0]);
  }
});

test("steps are stored in transactions, each with what has changed", [], async () => {
  globalThis.indexedDB = new Databases();
  const tab = await openTab(1), write = (first, ...steps) => soon(tab.storage.writeGame({ link: tab.link, first, at: 0 }, steps.map(step)));
  const numbers = () => [...indexedDB.records.keys()].map((key) => key.split(":")[2]).sort(), before = indexedDB.written;
  await write(0, 1, 2, 3, 4);
  await write(0, 1, 5); // undone, and another way
  equal([numbers(), indexedDB.written - before], [["0", "1", "head"], 2]);
  await write(2, 5, 6);
  equal([numbers(), await found(tab)], [["2", "3", "head"], [step(5), step(6)]]);
});

// --- the games room ---

const finished = { finished: true, decisions: [], result: 200, start: 248, luck: 0, points_lost: 4 };
const recordOf = (day) => ({ schema: 2, date: `2026-01-0${day}T12:00:00Z`, rules: "yatzy", players: ["Ann"], turns: [] });

test("a game is removed by its player, comes back by undo, and not by itself", ["yatzy"], async () => {
  globalThis.indexedDB = new Databases();
  navigator.locks = new Locks();
  await openPage();
  roll(1, 2, 3); // a game of another tab, closed by now
  await web.pass(100);
  navigator.locks.closeAll();
  sessionStorage.removeItem("perfect-yatzy-tab");
  location.hash = "#rules=yatzy&dice=66&rolls_left=2";
  await openPage();
  const { games, remember } = await load("store/memory");
  for (const day of [1, 2, 3]) equal(await remember(recordOf(day), [{ ...finished, result: 200 + day }]), true);
  const room = byId("statistics"), texts = (place) => [...room.querySelectorAll(`${place} .game-row`)].map((row) => row.textContent);
  byId("rooms").children[3].click();
  await web.pass(100);
  equal(texts("[aria-labelledby=all-games]").map((text) => text.slice(0, 3)), ["203", "202", "201"]);
  equal(texts("#unfinished").map((text) => text.replace(/\s+/g, " ")), ["0 Yatzy Turn 1 of 15 · Nov 20, 2026 Go on"]);
  const removeAt = async (at) => {
    room.querySelectorAll(".remove")[at].click();
    await web.pass(100);
  };
  await removeAt(1);
  equal([texts("[aria-labelledby=all-games]").length, web.text("statistics-status")], [2, "Removed: 202, Jan 2, 2026. Undo"]);
  equal([await remember(recordOf(2), [finished]), (await games()).length], [false, 2]); // by a tab that shows its end
  byId("undo-removal").click();
  await web.pass(100);
  equal([(await games()).length, web.text("statistics-status")], [3, "It is back."]);
  await removeAt(1);
  equal([await remember(recordOf(2), [finished], true), (await games()).length], [true, 3]); // from a file
  await removeAt(2);
  equal([texts("#unfinished"), web.text("statistics-status")], [[], "Removed: Yatzy, Turn 1 of 15 · Nov 20, 2026. Undo"]);
  byId("undo-removal").click();
  await web.pass(100);
  equal(texts("#unfinished").length, 1);
  byId("forget-games").click();
  await web.pass(100);
  equal(await games(), []);
  byId("undo-removal").click();
  await web.pass(100);
  equal((await games()).length, 3);
});

const notice = () => web.text("notice");

test("a full storage stops no game, is said once, and no game makes room", ["yatzy"], async () => {
  const other = await openTab(1), { setItem } = localStorage;
  sessionStorage.removeItem("perfect-yatzy-tab");
  await openPage();
  roll(3, 3, 3);
  localStorage.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  roll(4);
  await web.pass(100);
  equal(notice(), NOT_STORED);
  roll(5);
  await web.pass(100);
  equal([s().dice, notice()], [[3, 3, 3, 4, 5], ""]);
  localStorage.setItem = setItem;
  state.undo(); // there is room again: all steps are stored, those that could not be among them
  await web.pass(100);
  await openPage();
  equal([s().dice, state.undoAndRedoAvailable()], [[3, 3, 3, 4], [true, true]]);
  for (const _step of s().dice) state.undo();
  equal([s().dice, state.undoAndRedoAvailable()[0]], [[], false]);
  equal(await found(other), STEPS(1));
});

test("what is played after a page was opened again is stored, too", ["yatzy"], async () => {
  for (const databases of [undefined, new Databases()]) {
    globalThis.indexedDB = databases;
    sessionStorage.removeItem("perfect-yatzy-tab");
    location.hash = "";
    await openPage();
    const dice = [...s().dice, 1, 2, 3];
    for (const face of [1, 2, 3]) {
      roll(face);
      await web.pass(10);
      await openPage();
    }
    equal(s().dice, dice);
    for (const _face of [1, 2, 3]) state.undo();
    equal(s().dice, dice.slice(0, -3));
    await web.pass(10);
    localStorage.items.clear();
  }
  globalThis.indexedDB = undefined;
});

test("a denied storage stops no game and is said", ["yatzy"], async () => {
  const denied = () => { throw new DOMException("denied", "SecurityError"); };
  Object.assign(localStorage, { getItem: denied, setItem: denied, key: denied });
  await openPage();
  equal(notice(), "");
  roll(1);
  await web.pass(100);
  equal(notice(), NOT_STORED);
  roll(2, 3, 4, 5);
  await web.pass(100);
  equal([s().dice, notice()], [[1, 2, 3, 4, 5], ""]);
  state.undo();
  equal(s().dice, [1, 2, 3, 4]);
});

test("what belongs to the step before is stored with it", ["yatzy"], async () => {
  await openPage();
  state.change((t) => { t.goal = "1"; });
  state.amend((t) => { t.goal = "2"; });
  await openPage();
  equal([s().goal, state.undoAndRedoAvailable()], ["2", [true, false]]);
  state.undo();
  equal(s().goal, "");
});
