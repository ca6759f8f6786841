// The games of several tabs in one browser: none makes room for another, and a full or denied storage stops no game.
import { equal, forgetModules, isTrue, load, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";

const NOT_STORED = "The browser does not store this game; it lasts until this tab is closed.";

// The locks that the tabs of a browser hold until they are closed.
class Locks {
  held = new Set();

  async request(name, _options, run) {
    if (this.held.has(name)) return run(null);
    this.held.add(name);
    const answer = await run({ name });
    this.held.delete(name);
    return answer;
  }
}

// A tab that begins a game of its own, with a step each time that it plays.
async function openTab(number) {
  sessionStorage.removeItem("perfect-yatzy-tab");
  forgetModules();
  const storage = await load("store/storage"), link = `#rules=yatzy&left=${number}`;
  equal(await storage.openGame(link), null);
  const id = sessionStorage.getItem("perfect-yatzy-tab");
  const play = async () => {
    await web.pass(1000);
    isTrue(await storage.writeGame({ link, first: 0, at: 0 }, [`"step of ${number}"`]));
  };
  await play();
  return { play, id, link };
}

// What a tab finds that was opened again with its session; the others are closed.
async function found({ id, link }) {
  sessionStorage.setItem("perfect-yatzy-tab", id);
  forgetModules();
  navigator.locks?.held.clear();
  return (await (await load("store/storage")).openGame(link))?.steps;
}

test("ten games of ten tabs are kept, with and without locks", [], async () => {
  for (const locks of [undefined, new Locks()]) {
    const tabs = [];
    localStorage.items.clear();
    navigator.locks = locks;
    for (let number = 0; number < 10; number++) tabs.push(await openTab(number));
    for (const { play } of tabs.toReversed()) await play();
    locks?.held.clear(); // all are closed but the last one
    await tabs[9].play();
    for (let number = 0; number < 10; number++) equal(await found(tabs[number]), [`"step of ${number}"`]);
  }
  delete navigator.locks;
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
  equal(await found(other), ['"step of 1"']);
});

test("a denied storage stops no game and is said", ["yatzy"], async () => {
  const denied = () => { throw new DOMException("denied", "SecurityError"); };
  Object.assign(localStorage, { getItem: denied, setItem: denied, key: denied });
  await openPage();
  equal(notice(), NOT_STORED);
  roll(1, 2, 3, 4, 5);
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
