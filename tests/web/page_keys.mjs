// What the page keeps by a key: two cases that differ in one field are told apart, for each field; what only looks
// different is the same case.
import { byId, equal, forgetModules, isTrue, load, openPage, s, state, test, web } from "../support/page_modules.mjs";

// The cases that differ from `base` in one field, with the name of the field.
const others = (base, values) => Object.entries(values).map(([field, value]) => [field, { ...base, [field]: value }]);

// Every pair of a base and one that differs is told apart by `areSame`, in both orders; every pair of equals is not.
async function compare(base, values, equals, areSame) {
  for (const [field, other] of others(base, values)) {
    equal([await areSame(base, other), await areSame(other, base)], [false, false], field);
  }
  for (const [field, other] of others(base, equals)) {
    equal([await areSame(base, other), await areSame(other, base)], [true, true], field);
  }
}

test("an answer is that of its question", [], async () => {
  const { ask } = await load("store/ask"), paths = ["hold", "score", "expect", "outcomes", "points", "puzzle", "review"];
  let number = 0;
  const answer = (body) => ({ body, number: ++number });
  web.answers = Object.fromEntries(paths.map((path) => [path, answer]));
  const body = {
    rules: "yatzy", card: { ones: 3 }, bonus_points: 0, saved: 0, dice: [1, 2, 3, 4, 5], rolls_left: 2, goal: 240, opponents: ["ones=3"],
    versus: "ones=3", ties: "loss", explain: true, spread: false, hold: [1], difficulty: "easy", seed: 1, game: { turns: [] }, player: 0, why: 50,
  }; // prettier-ignore
  const values = {
    rules: "maxi", card: { ones: 4 }, bonus_points: 100, saved: 1, dice: [1, 2, 3, 4, 6], rolls_left: 1, goal: 241, opponents: ["ones=4"],
    versus: "ones=4", ties: "half", explain: false, spread: true, hold: [2], difficulty: "hard", seed: 2, game: { turns: [1] }, player: 1, why: 0,
  }; // prettier-ignore
  equal(Object.keys(body), Object.keys(values));
  const areSame = (path) => async (one, other) => {
    const [first, second] = [await ask(path, one), await ask(path, other)];
    equal([first.body, second.body], [one, other]);
    return first.number === second.number;
  };
  for (const path of paths.slice(0, 2)) await compare(body, values, {}, areSame(path));
  for (const path of paths) {
    for (const other of paths) {
      const [one, two] = [await ask(path, body), await ask(other, body)];
      equal(one.number === two.number, path === other, `${path}, ${other}`);
    }
  }
  for (const field of Object.keys(body)) {
    const { [field]: _left, ...less } = body;
    equal(await areSame("hold")(body, less), false, field); // a field that is missing differs from one that is there
  }
});

test("the advice is asked for each position and each aim", ["yatzy", "maxi"], async () => {
  const { askFor } = await load("table/asking");
  const position = { rules: "yatzy", card: { ones: 3 }, bonus_points: 0, saved: 0, dice: [1, 2, 3, 4, 5], rolls_left: 2 };
  const positions = { rules: "maxi", card: { ones: 4 }, bonus_points: 5, saved: 1, dice: [1, 2, 3, 4, 6], rolls_left: 1 };
  const areSame = (...pair) => {
    const isNew = pair.map(({ aim = {}, isComplete = true, ...each }) => askFor(each, aim, isComplete));
    return !isNew[1];
  };
  await compare(position, positions, {}, areSame);
  await compare({ ...position, isComplete: true }, { isComplete: false }, {}, areSame);
  const aims = [{}, { goal: 240 }, { goal: 241 }, { opponents: "250", ties: "loss" }, { opponents: "251", ties: "loss" }, { opponents: "250", ties: "half" }];
  for (const aim of aims) {
    for (const other of aims) equal(areSame({ ...position, aim }, { ...position, aim: other }), aim === other, JSON.stringify([aim, other]));
  }
});

test("a mistake is that of its position", [], async () => {
  const { addMistakes, drillCounts, forgetMistakes } = await load("store/drill");
  const position = { rules: "yahtzee", card: { aces: 3, twos: 4 }, bonus_points: 100, saved: 1, dice: [1, 2, 3, 4, 5], rolls_left: 2 };
  const areSame = (...pair) => {
    forgetMistakes();
    for (const each of pair) addMistakes([{ position: each, loss: 1 }], 1000);
    return drillCounts(1000).all === 1;
  };
  await compare(position, {
    rules: "yahtzee-plain", bonus_points: 0, saved: 2, dice: [1, 2, 3, 4, 4], rolls_left: 1,
  }, { card: { twos: 4, aces: 3 }, dice: [5, 3, 1, 4, 2] }, areSame); // prettier-ignore
  for (const card of [{}, { aces: 3 }, { aces: 3, twos: 6 }, { aces: 4, twos: 4 }, { aces: 3, threes: 4 }, { ...position.card, chance: 0 }]) {
    equal(areSame(position, { ...position, card }), false, JSON.stringify(card));
  }
  const { bonus_points: _bonus, saved: _saved, ...plain } = position;
  isTrue(areSame(plain, { ...plain, bonus_points: 0, saved: 0 }));
});

test("a finished game is that of its date, its rules and its players", ["yatzy", "maxi"], async () => {
  const { games, remember } = await load("store/memory");
  const turn = (category) => ({ player: 0, rolls: [[1, 2, 3, 4, 5]], holds: [], category, points: 1 });
  const found = { finished: true, decisions: [], result: 1, start: 1, luck: 0, points_lost: 0 };
  const record = { schema: 2, date: "2026-01-01T00:00:00Z", rules: "yatzy", players: ["Ann", "Bo"], turns: [turn("ones")] };
  const areSame = async (...pair) => {
    localStorage.items.clear();
    const isNew = [];
    for (const each of pair) isNew.push(await remember(each, each.players.map(() => found)));
    const kept = (await games()).map((game) => game.record);
    equal(isNew, [true, kept.length === 2]);
    isTrue(kept.some((each) => JSON.stringify(each) === JSON.stringify(pair[1]))); // of two that are the same the later one is kept
    return kept.length === 1;
  };
  await compare(record, {
    date: "2026-01-01T00:00:01Z", rules: "maxi", players: ["Ann", "Bob"],
  }, { turns: [turn("chance")] }, areSame); // prettier-ignore
  await compare(record, { players: ["Bo", "Ann"] }, {}, areSame);
  await compare(record, { players: ["Ann"] }, {}, areSame);
  await compare(record, { players: ["Ann", "Bo", "Cy"] }, {}, areSame);
  const { date: _date, ...undated } = record;
  await compare(undated, { turns: [turn("chance")], rules: "maxi", players: ["Bo"], date: "2026-01-01T00:00:00Z" }, { turns: [turn("ones")] }, areSame);
  localStorage.items.clear();
  isTrue(!(await remember(record, [{ ...found }, { ...found, finished: false }])));
  equal(await games(), []);
});

test("further puzzles are counted anew each day", [], async () => {
  const { nextNumber } = await load("puzzle/puzzle");
  web.setClock("2026-11-20T12:00:00Z");
  equal([nextNumber(), nextNumber()], [1, 2]);
  web.setClock("2026-11-21T12:00:00Z");
  equal([nextNumber(), nextNumber()], [1, 2]);
});

test("what is stored is read by a page opened later", ["yatzy"], async () => {
  const everything = {
    "store/drill": ["addMistakes", [[{ position: { rules: "yatzy", card: {}, dice: [1], rolls_left: 1 }, loss: 3 }], 5], "drillCounts", [5]],
    "store/training-settings": ["setSettings", [{ isHidden: true, threshold: 5 }], "isAdviceHidden", []],
    "puzzle/puzzle": ["noteToday", [], "streak", []],
    "puzzle/day": [
      "noteResult", [{ day: 739_940, rules: "yatzy" }, [0, 0.4], ["best", "mistake"]], "resultOf", [{ day: 739_940, rules: "yatzy" }],
    ],
  };
  for (const [module, [write, values, read, place]] of Object.entries(everything)) {
    const before = await load(module), unwritten = before[read](...place);
    before[write](...values);
    forgetModules();
    const after = await load(module);
    isTrue(JSON.stringify(after[read](...place)) !== JSON.stringify(unwritten ?? null), module);
    equal(after[read](...place), before[read](...place), module);
  }
  const { countChoice } = await load("store/training-settings");
  countChoice("blunder", 2);
  forgetModules();
  const { sessionCounts, threshold } = await load("store/training-settings");
  equal([sessionCounts().count, sessionCounts().grades.blunder, threshold()], [1, 1, 5]);
  equal([s().rules, state.position()], ["yatzy", { rules: "yatzy", card: {} }]);
});

// What a field says belongs to the moment, the other fields keep what was chosen.
const OF_THE_MOMENT = ["left", "at-least", "difficulty", "which", "record", "find-game", "rules-file", "paste-text"];
const TEXTS = { goal: ["240", "99"], opponents: ["251", "ones=3"] };

test("what is chosen in a field is there when the page is opened again", ["yatzy"], async () => {
  await openPage();
  const named = [...document.querySelectorAll("input, select, textarea")].map(({ id }) => id).filter(Boolean);
  equal(OF_THE_MOMENT.filter((id) => !named.includes(id)), []);
  const ids = named.filter((id) => !OF_THE_MOMENT.includes(id)), field = (id) => byId(id).type === "checkbox" ? "checked" : "value";
  const choices = ids.map((id) => TEXTS[id] ?? (field(id) === "checked" ? [true, false] : byId(id).querySelectorAll("option").map(({ value }) => value)));
  isTrue(ids.length > 5 && choices.every((values) => values.length > 1), ids);
  for (let i = 0; i < 6; i++) { // all but languages, of which there are more
    const chosen = choices.map((values) => values[i % values.length]);
    for (const [at, id] of ids.entries()) {
      byId(id).choose(chosen[at]);
      await web.pass(0);
    }
    for (const opened of [false, true]) {
      if (opened) await openPage();
      equal(ids.map((id) => [id, byId(id)[field(id)]]), ids.map((id, at) => [id, chosen[at]]), `${opened}`);
    }
  }
});

// By hand: instants, and the day there as Python counts days (739,940 is 20 November 2026). With the first and the last second
// of a day, days of 23 and of 25 hours, and the new year.
const LOCAL_DAYS = {
  UTC: { "2026-11-20T00:00:00Z": 739_940, "2026-11-20T23:59:59Z": 739_940 },
  "Pacific/Auckland": {
    "2026-11-19T11:00:00Z": 739_940, "2026-11-20T10:59:59Z": 739_940, "2026-11-20T11:00:00Z": 739_941,
    "2026-06-30T11:59:59Z": 739_797, "2026-06-30T12:00:00Z": 739_798,
    "2026-04-04T10:59:59Z": 739_710, "2026-04-04T11:00:00Z": 739_711, "2026-04-05T11:59:59Z": 739_711, "2026-04-05T12:00:00Z": 739_712,
    "2026-12-31T10:59:59Z": 739_981, "2026-12-31T11:00:00Z": 739_982,
  },
  "America/Los_Angeles": {
    "2026-11-20T07:59:59Z": 739_939, "2026-11-20T08:00:00Z": 739_940, "2026-11-21T07:59:59Z": 739_940,
    "2026-07-01T06:59:59Z": 739_797, "2026-07-01T07:00:00Z": 739_798,
    "2026-11-01T06:59:59Z": 739_920, "2026-11-01T07:00:00Z": 739_921, "2026-11-02T07:59:59Z": 739_921, "2026-11-02T08:00:00Z": 739_922,
    "2027-01-01T07:59:59Z": 739_981, "2027-01-01T08:00:00Z": 739_982,
  },
}; // prettier-ignore

test("a day is that of the player's clock in every time zone", ["yatzy"], async () => {
  const { answer } = await load("engine/worker"), asked = [];
  const opened = { game: { key: "yatzy" }, puzzles: async () => ({ first_day: 0, medium: [{}] }) };
  const puzzleOf = (body) => answer({ open: async () => opened }, "puzzle", { rules: "yatzy", ...body });
  let number = 0;
  web.answers.puzzle = ({ seed }) => { asked.push(seed); return { card: {}, dice: [1], rolls_left: 2 }; };
  for (const [zone, days] of Object.entries(LOCAL_DAYS)) {
    process.env.TZ = zone;
    localStorage.removeItem("perfect-yatzy-puzzles-1");
    const puzzle = await load("puzzle/puzzle");
    let inARow = 0, before = null;
    const instants = Object.entries(days).sort(([one], [other]) => Date.parse(one) - Date.parse(other));
    for (const [instant, day] of instants) {
      web.setClock(instant);
      equal(new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date()), new Date((day - 719_163) * 86_400_000).toISOString().slice(0, 10), instant);
      equal(puzzle.today(), day, `${zone} ${instant}`);
      await puzzle.askPuzzle("yatzy", "medium", ++number); // another one each time: answers are kept
      equal(asked.pop(), day * 1000 + number, `${zone} ${instant}`);
      equal((await puzzleOf({})).seed, day * 1000, `${zone} ${instant}`);
      equal((await puzzleOf({ date: "2026-11-20" })).seed, 739_940_000); // a date that was given is of no zone
      if (before !== day) inARow = before === day - 1 ? inARow + 1 : 1;
      puzzle.noteToday();
      equal(puzzle.streak(), inARow, `${zone} ${instant}`);
      before = day;
    }
  }
  delete process.env.TZ;
});
