// The state of the page over several turns: every field of it after every action, for each of one to three players, beside
// a table that follows the rules in a few lines; and what each action leaves as it was.
import { byId, drawing, equal, game, isTrue, load, openPage, roll, s, state, test, web } from "../support/page_modules.mjs";

const ascending = (dice) => [...dice].sort((a, b) => a - b);
const NAMES = ["Ann", "Bo", "Cy"];
const AIM = { objective: "win", goal: "240", opponents: "250; empty", ties: "half" }; // it stays through all turns

// Players at a table with dice and a sheet of paper. `state` are the fields that the page has then.
class Table {
  constructor(rules, names) {
    this.rules = rules;
    this.players = names.map((name) => ({ name, card: {}, saved: 0, bonusPoints: 0 }));
    this.turns = [];
    this.typed = false;
    this.date = "";
    this.beginTurn(0);
  }

  get me() {
    return this.players[this.player];
  }

  isFull({ card }) {
    return this.rules.categories.every(({ id }) => id in card);
  }

  beginTurn(player) {
    const saved = this.rules.saved_rolls ? this.players[player].saved : 0;
    Object.assign(this, { player, dice: [], held: [], chosen: false, fixed: 0, rolls: [], holds: [] });
    this.left = this.rules.rolls - 1 + saved;
  }

  putDice(faces, typed) {
    this.dice = [...this.dice, ...faces];
    this.held = this.dice.map((_die, i) => i < this.fixed && this.dice.length < this.rules.dice);
    this.typed = typed;
  }

  mark(at) {
    this.held[at] = true;
    this.chosen = true;
  }

  // The dice marked are kept, in ascending order, and the others are taken up.
  takeUp() {
    const kept = ascending(this.dice.filter((_die, i) => this.held[i]));
    this.rolls = [...this.rolls, ascending(this.dice)];
    this.holds = [...this.holds, kept];
    Object.assign(this, { dice: kept, fixed: kept.length, left: this.left - 1, chosen: false });
  }

  // The box is filled; rolls not used are saved where the rules say so; the next player with an open box goes on.
  write(category, points, bonus) {
    const { me, holds } = this;
    const turn = { player: this.player, rolls: [...this.rolls, ascending(this.dice)], holds, category, points };
    this.turns = [...this.turns, bonus ? { ...turn, bonus_points: bonus } : turn];
    me.card = { ...me.card, [category]: points };
    me.bonusPoints += bonus;
    if (this.rules.saved_rolls) me.saved += this.rules.rolls - turn.rolls.length;
    this.date ||= "2026-11-20T12:00:00Z";
    const order = [...this.players.keys()].map((i) => (this.player + 1 + i) % this.players.length);
    this.beginTurn(order.find((i) => !this.isFull(this.players[i])) ?? this.player);
  }

  points({ card, bonusPoints }) {
    const boxes = this.rules.categories.filter(({ id }) => id in card);
    const sum = (some) => some.reduce((total, { id }) => total + card[id], 0);
    const paid = (this.rules.bonus?.steps ?? []).map((steps, column) => {
      const upper = sum(boxes.filter((box) => box.upper && box.column === column));
      return steps.reduce((most, [threshold, points]) => (upper >= threshold ? Math.max(most, points) : most), 0);
    });
    return sum(boxes) + bonusPoints + paid.reduce((total, points) => total + points, 0);
  }

  get state() {
    const { players, player, dice, held, chosen, fixed, left, typed, rolls, holds, turns, date } = this;
    return {
      rules: this.rules.id, players, player, dice, held, chosen, fixed, left, typed, rolls, holds, turns, date, ...AIM,
      guess: null, assumed: 0, flow: null, edited: false, sameDice: "", challenge: null, visits: false,
    }; // prettier-ignore
  }
}

// The dice that the page rolls next.
function willRoll(rules, faces) {
  const numbers = faces.map((face) => ((face - 0.5) / rules.faces) * 2 ** 32);
  crypto.getRandomValues = (array) => array.fill(numbers.shift());
}

// Plays a turn on both, with real dice or those of the page, with some of the rolls that there are.
function playTurn(table, draw, check) {
  const { rules } = table, typed = draw(2) === 1, rolls = 1 + draw(table.left + 1);
  for (let roll = 0; roll < rolls; roll++) {
    if (roll > 0) {
      const size = typed ? 1 + draw(rules.dice - 1) : draw(rules.dice);
      while (table.held.filter(Boolean).length < size) {
        const at = draw(rules.dice);
        if (table.held[at]) continue;
        table.mark(at);
        game.toggleHeld(at);
        check("a die is marked");
      }
      table.takeUp();
    }
    const faces = Array.from({ length: rules.dice - table.dice.length }, () => 1 + draw(rules.faces));
    if (typed) {
      for (const face of faces) {
        table.putDice([face], true);
        game.addDie(face);
        check("a die is entered");
      }
      continue;
    }
    const hold = table.dice;
    willRoll(rules, faces);
    table.putDice(faces, false);
    if (roll > 0) game.holdAndRoll(hold);
    else game.firstRoll();
    check("the dice are rolled");
  }
  const open = rules.categories.filter(({ id }) => !(id in table.me.card)), box = open[draw(open.length)];
  const points = box.points[draw(box.points.length)], bonus = rules.bonus_points && points ? 5 * draw(3) : 0;
  table.write(box.id, points, bonus);
  game.takeCategory({ category: box.id, points, bonus_points: bonus });
  check("a box is taken");
}

// What follows from the state: the points and the position of each player, whom they play against, the record.
function checkReadings(table) {
  const { rules, players } = table;
  for (const player of players) {
    equal(state.totals(player).all, table.points(player));
    equal(state.position(player), {
      rules: rules.id, card: player.card, ...(rules.bonus_points ? { bonus_points: player.bonusPoints } : {}),
      ...(rules.saved_rolls ? { saved: player.saved } : {}),
    }); // prettier-ignore
  }
  const others = players.filter((player) => player !== table.me);
  const cards = others.map((player) => {
    if (table.isFull(player)) return table.points(player);
    const boxes = Object.entries(player.card).map(([id, points]) => `${id}=${points}`);
    if (player.bonusPoints) boxes.push(`extra=${player.bonusPoints}`);
    return boxes.join(" ") || "empty";
  });
  equal(state.objective(), { opponents: others.length ? cards : AIM.opponents, ties: AIM.ties });
  const { date, turns } = table, names = players.map(({ name }) => name);
  equal(game.gameRecord(), { schema: 2, rules: rules.id, players: names, source: "page", date, turns });
  isTrue(game.hasRecord());
}

const begin = (rules, names) => state.change((t) => {
  state.startGame(t, rules.id);
  Object.assign(t, AIM, { players: names.map((name) => state.newPlayer(name)) });
});

// Undoes everything and does it again; every state on the way is as it was.
function checkHistory(states) {
  for (const each of states.toReversed()) {
    equal(JSON.stringify(s()), each);
    state.undo();
  }
  for (const each of states) {
    state.redo();
    equal(JSON.stringify(s()), each);
  }
}

test("every field of the state over three turns", ["yatzy", "yatzy-saved", "yahtzee", "generala", "crag", "maxi", "balut", "kismet", "yatzy-forced"], async (sets) => {
  const draw = drawing(5), seen = new Map(Object.keys(state.emptyState()).map((field) => [field, new Set()]));
  for (const rules of sets) {
    for (const count of [1, 2, 3]) {
      const table = new Table(rules, NAMES.slice(0, count)), states = [];
      const check = (about) => {
        const found = Object.fromEntries(Object.keys(state.emptyState()).map((field) => [field, s()[field]]));
        equal(found, table.state, `${about}: ${rules.id}, ${count} players, turn ${table.turns.length + 1}`);
        for (const [field, values] of seen) values.add(JSON.stringify(found[field]));
        states.push(JSON.stringify(s()));
      };
      web.setClock("2026-11-20T12:00:00Z");
      begin(rules, NAMES.slice(0, count));
      check("a new game");
      for (let turn = 0; turn < 3 * count; turn++) {
        playTurn(table, draw, check);
        checkReadings(table);
        await web.pass(60_000); // the date of a game is that of its first box
      }
      if (count === 2) checkHistory(states);
    }
  }
  const same = [...seen].filter(([, values]) => values.size === 1).map(([field]) => field);
  equal(same, ["guess", "assumed", "flow", "objective", "goal", "opponents", "ties", "edited", "sameDice", "challenge", "visits"]);
});

test("players whose cards are full are passed over, until all are", ["yatzy", "yatzy-saved"], (sets) => {
  const draw = drawing(6);
  for (const rules of sets) {
    for (const open of [[2], [1, 2], [0, 2], [3, 0, 1], [1, 3, 2], [0, 0, 2]]) {
      const names = NAMES.slice(0, open.length), table = new Table(rules, names);
      begin(rules, names);
      table.players.forEach((player, i) => {
        for (const { id } of rules.categories.slice(open[i])) player.card[id] = 0;
      });
      state.change((t) => t.players.forEach((player, i) => Object.assign(player.card, table.players[i].card)));
      table.beginTurn(open.findIndex(Boolean));
      if (open[0] === 0) game.passTurn();
      while (!table.players.every((player) => table.isFull(player))) {
        const order = [s().player];
        playTurn(table, draw, () => order.push(s().player));
        equal(order.at(-1), table.player, `${open} of ${rules.id}`);
        equal([s().left, state.isCardFull()], [table.left, table.isFull(table.me)]);
      }
      equal(s().players, table.players);
    }
  }
});

// --- what an action leaves ---

const TURN = { player: 1, rolls: [[1, 1, 1, 1, 1]], holds: [], category: "yatzy", points: 50 };
const MARKED = { // every field has a value that it has in the middle of a turn, and none that it begins with
  rules: "yatzy-saved",
  players: [
    { name: "Ann", card: { ones: 3 }, saved: 2, bonusPoints: 5 },
    { name: "Bo", card: { yatzy: 50 }, saved: 4, bonusPoints: 10 },
  ],
  player: 1, dice: [2, 3, 6, 1, 4], held: [true, false, false, true, false], chosen: true, fixed: 2, left: 5, typed: true,
  rolls: [[1, 2, 3, 5, 5]], holds: [[2, 3]], guess: { choices: [[2, 3], [3]], isUnclear: true }, assumed: 2,
  flow: { before: { rolls: [], holds: [], left: 6, dice: [], knownHolds: [] }, assumed: 0, typed: [1], next: null },
  objective: "goal", goal: "240", opponents: "250", ties: "half", turns: [TURN], edited: true, date: "2026-01-01T00:00:00Z",
  sameDice: "k7wm2pxa", challenge: { name: "Cy", score: 269, lost: 7 }, visits: true,
}; // prettier-ignore
const NO_DICE = { dice: [], held: [], chosen: false, fixed: 0, rolls: [], holds: [], guess: null, assumed: 0, flow: null };
const NOTHING_ELSE = { ...NO_DICE, player: 0, typed: false, turns: [], edited: false, date: "", sameDice: "", challenge: null, visits: false };
const MEAN = { objective: "mean", goal: "", opponents: "", ties: "loss" };
const [ANN, BO] = MARKED.players, named = (name) => ({ name, card: {}, saved: 0, bonusPoints: 0 });
const LOOSE = { held: Array(5).fill(false), chosen: false }, NO_GUESS = { guess: null, flow: null };
const AGAIN = {
  ...LOOSE, ...NO_GUESS, assumed: 0, left: 4,
  rolls: [[1, 2, 3, 5, 5], [1, 2, 3, 4, 6]], holds: [[2, 3], [1, 2]],
}; // prettier-ignore

// What is done, and the fields that it changes; every other field stays.
const ACTIONS = [
  ["a box is taken", () => game.takeCategory({ category: "twos", points: 4, bonus_points: 20 }), {
    ...NO_DICE, player: 0, left: 4,
    players: [ANN, { name: "Bo", card: { yatzy: 50, twos: 4 }, saved: 5, bonusPoints: 30 }],
    turns: [TURN, { player: 1, rolls: [[1, 2, 3, 5, 5], [1, 2, 3, 4, 6]], holds: [[2, 3]], category: "twos", points: 4, bonus_points: 20 }],
  }],
  ["the next player goes on", () => game.passTurn(), { ...NO_DICE, player: 0, left: 4 }],
  ["a new game", () => state.change((t) => state.startGame(t)), { ...NOTHING_ELSE, players: [named("Ann"), named("Bo")], left: 2 }],
  ["a game of other rules", () => state.change((t) => state.startGame(t, "crag")), {
    ...NOTHING_ELSE, ...MEAN, rules: "crag", players: [named("Ann"), named("Bo")], left: 1,
  }],
  ["a position is shown", () => state.showPosition({ rules: "yatzy", card: { ones: 1 }, dice: [1, 2], left: 1 }), {
    ...NOTHING_ELSE, ...MEAN, rules: "yatzy", left: 1, dice: [1, 2], held: [false, false], edited: true,
    players: [{ name: "", card: { ones: 1 }, saved: 0, bonusPoints: 0 }],
  }],
  ["dice are kept and the others rolled", () => game.holdAndRoll([1, 2]), {
    ...AGAIN, dice: [1, 2, 4, 2, 1], typed: false, // as `yatzy play --same-dice k7wm2pxa` in roll 3 of turn 2
  }],
  ["dice marked are kept and another is entered", () => game.addDie(6), { ...AGAIN, dice: [1, 2, 6], held: [true, true, false] }],
  ["a die is marked", () => game.toggleHeld(4), { held: [true, false, false, true, true] }],
  ["a mark is removed", () => game.toggleHeld(0), { held: [false, false, false, true, false] }],
  ["a hold is marked", () => game.markHold([1, 6]), { held: [false, false, true, true, false] }],
  ["the choice is forgotten", () => game.forgetChoice(), LOOSE],
  ["a die is removed", () => game.removeDie(), { ...NO_GUESS, dice: [2, 3, 6, 1], held: [true, true, false, false], chosen: false }],
  ["the dice of this roll are removed", () => game.clearDice(), { ...NO_GUESS, dice: [2, 3], held: [true, true], chosen: false }],
  ["another hold is said", () => game.setGuessedHold([3]), {
    dice: [3, 6, 1, 4], holds: [[3]], guess: { choices: [[2, 3], [3]], isUnclear: false }, flow: null,
  }],
  ["undo", () => { state.change((t) => Object.assign(t, state.emptyState())); state.undo(); }, {}],
];

test("what every action leaves of a turn", ["yatzy-saved", "crag", "yatzy"], async () => {
  await load("table/challenge"); // it gives the dice that are the same for all
  const fields = Object.keys(state.emptyState());
  equal(Object.keys(MARKED).toSorted(), fields.toSorted()); // a new field has a place in the table above
  const { players, ...beginning } = { ...state.emptyState(), rules: "yatzy" };
  for (const field of Object.keys(beginning)) isTrue(JSON.stringify(MARKED[field]) !== JSON.stringify(beginning[field]), field);
  isTrue(players.length !== MARKED.players.length);
  for (const [name, act, changes] of ACTIONS) {
    state.change((t) => Object.assign(t, structuredClone(MARKED)));
    await act();
    const found = Object.fromEntries(fields.map((field) => [field, s()[field]]));
    equal(found, { ...MARKED, ...changes }, name);
    state.undo();
    if (name !== "undo") equal(Object.fromEntries(fields.map((field) => [field, s()[field]])), MARKED, `undo: ${name}`);
  }
});

// Nothing is empty before a roll: whose turn it is, what the game is worth, the turns so far, how the page works.
test("what stands on the table before a roll", ["yatzy"], async () => {
  web.answers.expect = ({ card, spread }) => (spread === false ? { expected_final_score: card.ones === 3 ? 247.25 : 248.44 } : undefined);
  await openPage();
  await web.pass(100);
  const words = (id) => byId(id).textContent.replaceAll("\u00a0", " "), steps = () => byId("so-far").querySelectorAll("li").map((each) => each.textContent);
  equal(words("answer"), "Your turnroll the dice 248.44 average final score");
  equal([byId("so-far").hidden, steps().length], [false, 3]);
  byId("mode").click();
  isTrue(words("answer").startsWith("Your turntap your dice "), words("answer"));
  byId("mode").click();
  const turn = (player, category, points) => ({ player, rolls: [[1, 1, 2, 3, 4], [6, 1, 1, 1, 5]], holds: [], category, points });
  state.change((t) => Object.assign(t, { players: [Object.assign(state.newPlayer(), { card: { ones: 3 } })], turns: [turn(0, "ones", 3)] }));
  isTrue(!words("answer").includes("248.44"), "the average of another card");
  await web.pass(100);
  isTrue(words("answer").endsWith("247.25 average final score"), words("answer"));
  equal(steps(), ["1Ones, 3"]);
  equal(byId("so-far").querySelector(".dice-row").getAttribute("aria-label"), "1 1 1 5 6"); // the last roll
  state.change((t) => Object.assign(t, { turns: [{ ...turn(0, "ones", 0), rolls: [[10, 9, 2, 12, 3]] }] }));
  equal(byId("so-far").querySelector(".dice-row").getAttribute("aria-label"), "2 3 9 10 12"); // as numbers, of dice with more faces
  const names = ["Ann", "Bo"].map((name) => state.newPlayer(name)), ids = ["ones", "twos", "threes", "fours"];
  state.change((t) => Object.assign(t, { players: names, turns: ids.flatMap((id) => [turn(0, id, 0), turn(1, id, 4)]), player: 1 }));
  await web.pass(100);
  isTrue(words("answer").startsWith("Bo is to play"), words("answer"));
  equal(steps(), ["4BoFours, 4", "4AnnFours, 0", "3BoThrees, 4", "3AnnThrees, 0", "2BoTwos, 4", "2AnnTwos, 0"]); // the latest six
  roll(1, 2);
  equal([byId("so-far").hidden, steps()], [true, []]);
  state.undo();
  web.answers.expect = () => undefined; // no answer: the rest stands
});
