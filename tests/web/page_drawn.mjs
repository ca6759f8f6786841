// What the page shows follows from its state: after a change of any one field it is what a page shows that is opened with
// that state, and after Undo what it was before. What is drawn only for some changes is thereby drawn for each that matters.
import { byId, equal, isTrue, load, openPage, state, test, testInRing2, web } from "../support/page_modules.mjs";

// --- a server with answers that depend on every field of the question ---

const numberOf = (value) => [...JSON.stringify(value)].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 997, 7);

function aimOf({ goal, opponents, versus }) {
  if (goal !== undefined) return { goal };
  const others = [opponents ?? versus ?? []].flat();
  return others.length ? { opponents: others.map((_each, i) => ({ playing: true, mean: 200 + i, standard_deviation: 9 })), lower_bound: true } : undefined;
}

// Options with values from the best down.
function ranked(body, options) {
  const best = 200 + numberOf(body) / 10, aim = aimOf(body);
  return options.map((option, i) => {
    const outlook = { turn_points: 10 - i, later_points: 90, bonus_chance: 0.5, categories: [["chance", 1, 20]] };
    const chance = aim ? { chance: 0.9 - i / 100 - numberOf(body) / 2000 } : {};
    return { ...option, ...chance, expected_final_score: best - i, loss: i, ...(body.explain && i < 2 ? { outlook } : {}) };
  });
}

function serve(known) {
  const rulesOf = ({ rules }) => known.find(({ id }) => id === rules);
  const boxes = (body) => {
    const { categories, bonus_points: pays } = rulesOf(body), open = categories.filter(({ id }) => !(id in body.card));
    return ranked(body, open.map(({ id, points }) => ({ category: id, points: points[numberOf([body, id]) % points.length], bonus_points: pays ? 5 : 0 })));
  };
  Object.assign(web.answers, {
    score: (body) => ({ aim: aimOf(body), categories: boxes(body) }),
    points: (body) => ({ categories: boxes(body) }),
    hold: (body) => {
      const all = body.dice.map((_die, i) => body.dice.slice(i)), box = boxes(body)[0]?.category;
      return { aim: aimOf(body), holds: ranked(body, [{ hold: all[1], category: null }, { hold: all[0], category: box }, { hold: all[2], category: null }, { hold: [], category: null }]) };
    },
    outcomes: (body) => ({ outcomes: [{ rolled: [6], chance: 0.5, expected_final_score: 100 + numberOf(body) }] }),
    expect: (body) => {
      const percentiles = { 5: 100, 25: 150, 50: 200, 75: 250, 95: 300 }, mean = 150 + numberOf(body) / 10;
      const distribution = { lowest: 100, chances: Array(200).fill(0.005), percentiles, standard_deviation: 20 + numberOf(body) / 100, upper_bonus_chance: 0.5 };
      return { aim: aimOf(body), chance: 0.5, expected_final_score: mean, ...(body.spread === false ? {} : { distribution }) };
    },
    review: ({ game, player }) => ({
      player: game.players[player], finished: true, start: 240, result: 200 + player, luck: 1, points_lost: numberOf([game, player]) / 10, decisions: [], rolls: [], grades: {},
    }),
  }); // prettier-ignore
}

// --- what is shown ---

const PLAY = 0; // the room
const HAPPENED = ["said", "notice", "redo"]; // they show what has happened, not what is
// Attributes that are not seen: keys of what is drawn, the order of the Tab key.
const isSeen = ([name]) => !name.startsWith("data-") && name !== "tabindex";

function markup(node) {
  if (node.attributes === undefined) return node.textContent.trim();
  if (node.hidden || node.classes().includes("stale") || HAPPENED.includes(node.id)) return "";
  const attributes = [...node.attributes].filter(isSeen).map(([name, value]) => {
    const shown = name === "class" ? value.split(" ").filter((each) => each && each !== "rolled").sort().join(" ") : value; // dice turn once
    return shown || name !== "class" ? ` ${name}="${shown}"` : "";
  });
  const field = node.tagName.match(/^(INPUT|SELECT|TEXTAREA)$/) ? ` = ${node.value} ${node.checked}` : "";
  const content = node.childNodes.map(markup).filter(Boolean);
  return [`<${node.tagName.toLowerCase()}${attributes.sort().join("")}${field}>`, ...content].join("\n");
}

async function shown(room) {
  byId("rooms").children[room].click();
  byId("map").open = true;
  byId("map").dispatchEvent({ type: "toggle" });
  await web.pass(3000); // all answers are there
  return ["header", "page", "bar", "rules-dialog"].flatMap((id) => markup(byId(id)).split("\n"));
}

// Both pictures are the same; else an error has what is between the first line that differs and the last one.
function equalShown(found, expected, about) {
  const first = found.findIndex((line, i) => line !== expected[i]);
  if (first < 0 && found.length === expected.length) return;
  let after = 0;
  while (found.at(-1 - after) === expected.at(-1 - after)) after += 1;
  const part = (lines) => lines.slice(Math.max(0, first - 3), lines.length - after).slice(0, 25);
  equal(part(found), part(expected), about);
}

// --- the states ---

const player = (name, card = {}, more = {}) => ({ name, card, saved: 0, bonusPoints: 0, ...more });
const turn = (at, category, points) => ({ player: at, rolls: [[1, 1, 2, 3, 4], [1, 2, 3, 4, 6], [2, 3, 4, 6, 6]], holds: [[1, 2, 3, 4], [2, 3, 4, 6]], category, points });
const begin = (t, rules, fields) => Object.assign(state.startGame(t, rules), fields);
const DATE = "2026-01-01T00:00:00Z";

const BASES = {
  "two players and real dice": (t) => begin(t, "yahtzee", {
    players: [player("Ann", { aces: 3 }), player("Bo", { yahtzee: 50 }, { bonusPoints: 100 })], player: 1, date: DATE, typed: true,
    turns: [turn(0, "aces", 3), turn(1, "yahtzee", 50)], left: 1, rolls: [[1, 2, 3, 6, 6]], holds: [[6, 6]], fixed: 2, dice: [6, 6, 1, 2, 5], held: Array(5).fill(false),
  }),
  "saved rolls before a roll": (t) => begin(t, "yatzy-saved", {
    players: [player("", { ones: 3, chance: 20 }, { saved: 3 })], left: 5, turns: [turn(0, "ones", 3), turn(0, "chance", 20)], date: DATE,
  }),
  "dice that are missing": (t) => begin(t, "yahtzee", { players: [player("Ann"), player("")], dice: [3, 4], held: [false, false], typed: true }),
  "the end of a game": (t, boxes) => begin(t, "yahtzee", {
    players: ["Ann", "Bo"].map((name, i) => player(name, Object.fromEntries(boxes.map((id) => [id, i])))), player: 1, turns: [turn(0, "aces", 1), turn(1, "aces", 2)], date: DATE,
  }),
}; // prettier-ignore

const mine = (t) => t.players[t.player];
const extra = () => (state.rules().bonus_points ? 100 : 0);
const CHANGES = { // of each field, and of each of a player's fields
  rules: [(t) => { t.rules = t.rules === "yahtzee" ? "yahtzee+no-upper-bonus" : "yatzy-saved+bonus-35"; }, (t) => state.startGame(t, "crag")],
  players: [
    (t) => { t.players.push(player("Cy", { chance: 9 })); },
    (t) => { mine(t).name = "Dee"; }, (t) => { t.players[0].name = "Eve"; },
    (t) => { mine(t).card.sixes = 24; }, (t) => { t.players[0].card.sixes = 18; }, (t) => { delete mine(t).card.chance; },
    (t) => { mine(t).saved += 1; t.left += 1; },
    (t) => { mine(t).bonusPoints += extra(); }, (t) => { t.players[0].bonusPoints += extra(); },
  ],
  player: [(t) => { t.player = (t.player + 1) % t.players.length; }],
  dice: [(t) => { t.dice = t.dice.map((face) => 7 - face); }, (t) => { t.dice = []; t.held = []; }, (t) => { t.dice.pop(); t.held.pop(); }],
  held: [(t) => { t.held = t.dice.map((_die, i) => i < 2); t.chosen = true; }],
  chosen: [(t) => { t.chosen = !t.chosen; }],
  fixed: [(t) => { t.fixed = t.fixed ? 0 : t.dice.length; }],
  left: [(t) => { t.left = 0; }, (t) => { t.left += t.left ? -1 : 1; }],
  typed: [(t) => { t.typed = !t.typed; }],
  rolls: [(t) => { t.rolls = t.rolls.length ? [] : [[1, 1, 1, 1, 1]]; t.holds = t.rolls.map(() => [1]); }],
  holds: [(t) => { t.holds = t.holds.map(() => [6]); }],
  guess: [(t) => { t.guess = { choices: [[6, 6], [6]], isUnclear: false }; t.holds = [[6, 6]]; }, (t) => { t.guess = { choices: [[6], []], isUnclear: true }; t.holds = [[6]]; }],
  assumed: [(t) => { t.assumed = t.dice.length - 1; }],
  flow: [(t) => {
    Object.assign(t, { rolls: [[1, 2, 3, 6, 6]], holds: [[6, 6]] });
    const before = { rolls: t.rolls, holds: t.holds, left: t.left, dice: [1, 2, 3, 4, 5], knownHolds: [] };
    t.flow = { before, assumed: 2, typed: [6], next: [6, 6], nextHolds: [] };
  }],
  objective: [(t) => { t.objective = "win"; t.opponents = "250"; }, (t) => { t.objective = "goal"; t.goal = "240"; }],
  goal: [(t) => { t.goal = "240"; }], opponents: [(t) => { t.opponents = "250"; }], ties: [(t) => { t.ties = "half"; }],
  turns: [(t) => { t.turns = []; t.date = ""; }, (t) => { t.turns = [...t.turns, turn(0, "twos", 4)]; }],
  edited: [(t) => { t.edited = !t.edited; }],
  date: [(t) => { t.date = "2026-02-02T00:00:00Z"; }],
  sameDice: [(t) => { t.sameDice = "k7wm2pxa"; }],
  challenge: [(t) => { Object.assign(t, { sameDice: "k7wm2pxa", challenge: { name: "Cy", score: 269, lost: 7 } }); }],
  visits: [(t) => { t.visits = "example"; }],
}; // prettier-ignore

const LANGUAGE = "language"; // no field of the state

// Makes a change and takes it back. In both states a page opened anew shows the same.
async function follow(known, base, fields, room = PLAY) {
  const ids = known[0].categories.map(({ id }) => id), loadAll = async () => {
    for (const { id } of known) await (await load("store/rulesets")).loadRules(id);
  };
  serve(known);
  await openPage();
  await loadAll();
  state.change((t) => BASES[base](t, ids));
  await web.pass(3000); // no answer comes later
  await openPage();
  const before = await shown(room), seen = new Set([before.join()]);
  const compare = async (about) => {
    const changed = await shown(room);
    await openPage();
    equalShown(changed, await shown(room), about);
    seen.add(changed.join());
  };
  for (const field of fields) {
    for (const edit of CHANGES[field] ?? []) {
      await loadAll();
      state.change(edit);
      await compare(`${field}: ${edit}`);
      state.undo();
      equalShown(await shown(room), before, `back from ${field}: ${edit}`);
    }
  }
  if (fields.includes(LANGUAGE)) {
    byId("language").choose("sv");
    await web.pass(0);
    await compare(LANGUAGE);
    byId("language").choose("en");
    await web.pass(0);
    equalShown(await shown(room), before, `back from ${LANGUAGE}`);
  }
  return seen.size;
}

test("every field has changes that show", [], async () => {
  const { emptyState } = await load("store/state");
  equal(Object.keys(CHANGES).toSorted(), Object.keys(emptyState()).toSorted());
});

test("a new page shows the same after changes that many parts follow", ["yahtzee", "yahtzee+no-upper-bonus", "crag"], async (known) => {
  isTrue(await follow(known, "two players and real dice", ["rules", "player", "objective", LANGUAGE]) > 6);
});

testInRing2("a new page shows the same after every change: two players and real dice", ["yahtzee", "yahtzee+no-upper-bonus", "yatzy-saved", "yatzy-saved+bonus-35", "crag"], async (known) => {
  isTrue(await follow(known, "two players and real dice", [...Object.keys(CHANGES), LANGUAGE]) > 12);
});

testInRing2("a new page shows the same after every change: saved rolls before a roll", ["yahtzee", "yahtzee+no-upper-bonus", "yatzy-saved", "yatzy-saved+bonus-35", "crag"], async (known) => {
  isTrue(await follow(known, "saved rolls before a roll", [...Object.keys(CHANGES), LANGUAGE]) > 12);
});

testInRing2("a new page shows the same after every change: dice that are missing", ["yahtzee", "yahtzee+no-upper-bonus", "yatzy-saved", "yatzy-saved+bonus-35", "crag"], async (known) => {
  isTrue(await follow(known, "dice that are missing", [...Object.keys(CHANGES), LANGUAGE]) > 12);
});

testInRing2("a new page shows the same after every change: the end of a game", ["yahtzee", "yahtzee+no-upper-bonus", "yatzy-saved", "yatzy-saved+bonus-35", "crag"], async (known) => {
  isTrue(await follow(known, "the end of a game", [...Object.keys(CHANGES), LANGUAGE]) > 12);
});
