// Modules of the page: the state and its history, the course of a game, links, words, questions, training.
import { byId, drawing, equal, game, isTrue, load, openPage, readCases, roll, s, seed, state, test, web } from "../support/page_modules.mjs";

const change = (edit) => state.change(edit);
const undos = (count) => { for (let i = 0; i < count; i++) state.undo(); };
const known = (holds) => holds.map(([hold, loss]) => ({ hold, loss }));
const cloned = () => structuredClone(s());
// A new game; what was entered before is long ago.
const anew = async () => { change((t) => state.startGame(t)); await web.pass(10_000); };
const throws = (run) => { try { run(); } catch { return true; } return false; };

test("a difference is noticed", [], () => {
  isTrue(throws(() => equal(1, 2)) && throws(() => isTrue(0)) && throws(() => equal([], [undefined])));
});

test("grades have the limits that Python has", [], async () => {
  const page = await load("words/grades"), { grade } = await load("engine/review");
  const grades = {
    0: "best", 9e-7: "best", 1.1e-6: "inaccuracy", 0.39999: "inaccuracy", 0.4: "mistake", 1.69999: "mistake", 1.7: "blunder", 30: "blunder",
  };
  for (const [loss, name] of Object.entries(grades)) equal([page.gradeOf(Number(loss)), grade(Number(loss), true)], [name, name], loss);
  equal([page.gradeOf(0, false), grade(0, false)], ["tied", "tied"]);
  equal(page.gradesHint(), "An inaccuracy loses less than 0.4 points, a mistake less than 1.7, a blunder more.");
  equal([0, 0.001, 0.004999, 0.005, 0.62].map((loss) => page.pointsText(loss)), ["0.00", "<0.01", "<0.01", "0.01", "0.62"]);
  equal([0, 1.25, 5, 50].map(page.barShare), [0, 0.5, 1, 1]);
  equal(page.GRADES.filter(page.isMistake), ["mistake", "blunder"]);
});

// --- the state and the course of a game ---

test("undo, redo, and what a change does to them", ["yatzy"], () => {
  const set = (goal) => change((t) => { t.goal = goal; }), is = (...expected) => equal([s().goal, ...state.undoAndRedoAvailable()], expected);
  is("", false, false);
  set("1"); set("2"); is("2", true, false);
  state.undo(); is("1", true, true);
  state.redo(); is("2", true, false);
  state.undo(); set("3"); is("3", true, false);
  state.redo(); is("3", true, false);
  undos(2); is("", false, true);
  for (let i = 0; i < 501; i++) set(String(i));
  let steps = 0;
  while (state.undoAndRedoAvailable()[0]) { state.undo(); steps++; }
  equal([steps, s().goal], [500, "0"]); // the oldest step is forgotten
});

test("a change stores one step, and everything is restored", ["yatzy"], async () => {
  const written = [], { setItem } = localStorage;
  localStorage.setItem = function (key, value) {
    written.push(key.split(":")[2] + (key.endsWith("head") ? "" : ` ${JSON.parse(value).goal}`));
    setItem.call(this, key, value);
  };
  const play = async (edit) => { change(edit); await web.pass(0); };
  await play((t) => { t.goal = "7"; t.objective = "goal"; }); // with it what the game starts from
  await play((t) => { t.players[0].card = { ones: 3 }; t.dice = [1, 2]; t.left = 1; });
  for (let i = 0; i < 80; i++) await play((t) => { t.goal = String(100 + i); });
  state.undo();
  await web.pass(0);
  equal([...written.slice(0, 5), written.at(-1)], ["0 ", "1 7", "head", "2 7", "head", "head"]); // undo writes where the history stands
  const { openGame, writeGame } = await load("store/storage"), link = location.hash, { at, steps } = await openGame(link);
  equal(link, "#rules=yatzy&card=ones%3D3&dice=12&rolls_left=1&goal=178");
  equal([at, steps.length, JSON.parse(steps[at]).goal, JSON.parse(steps[1]).goal], [81, 83, "178", "7"]);
  equal(await openGame("#rules=crag"), null);
  await writeGame({ link: "#rules=crag", first: 0, at: 0 }, ["{}", "{}"]);
  equal((await openGame(link)).steps.length, 83); // the game of another tab stays
});

// Digits enter dice that the rules have, Backspace and Escape remove them, Ctrl or Cmd with Z and Y undo and redo.
test("every key does one thing", ["yatzy"], async () => {
  await load("table/keys");
  byId("menu").hidden = true;
  for (const [dice, key, more] of [
    ["3", "3"], ["33", "3"], ["334", "4"], ["3345", "5"], ...[..."70azy"].map((other) => ["3345", other]),
    ["334", "Backspace"], ["3345", "z", { ctrlKey: true }], ["334", "y", { ctrlKey: true }], ["3345", "z", { metaKey: true }],
    ["334", "Z", { metaKey: true, shiftKey: true }], ["3345", "Z", { ctrlKey: true }], ["334", "Y", { metaKey: true }],
    ["334", "6", { ctrlKey: true }], ["334", "6", { altKey: true }], ["334", "6", { target: "INPUT" }], ["334", "6", { target: "TEXTAREA" }],
    ["3346", "6"], ["", "Escape"], ["3346", "z", { ctrlKey: true }],
  ]) {
    web.press(key, more);
    equal(s().dice.join(""), dice, key);
  }
});

// Each sentence with its number: the gap to the mean, and the games that end strictly lower.
test("the end compares the score with perfect play", ["yatzy"], async ([{ categories }]) => {
  await load("review/end");
  const percentiles = { 5: 8, 25: 9, 50: 10, 75: 11, 95: 11 }, distribution = { lowest: 8, chances: [0.1, 0.2, 0.3, 0.4], percentiles };
  web.answers.expect = ({ spread }) => (spread === false ? { expected_final_score: 10 } : { expected_final_score: 10, distribution });
  for (const [points, lower] of Object.entries({ 7: 0, 8: 0, 9: 10, 10: 30, 11: 60, 12: 100 })) {
    change((t) => { t.players[0].card = { ...Object.fromEntries(categories.map(({ id }) => [id, 0])), chance: Number(points) }; });
    await web.pass(0);
    const said = web.text("result").replaceAll("\u00a0", " ");
    const gap = points === "10" ? "As much as" : `${Math.abs(points - 10)}.0 points ${points < 10 ? "below" : "above"} the`;
    isTrue(said.includes(gap) && said.includes(`${lower} % of games by perfect play end lower.`), said);
  }
  change((t) => { delete t.players[0].card.chance; });
  isTrue(byId("end").hidden && !byId("result").children.length);
});

test("totals, positions and opponents", ["yatzy", "kismet", "balut", "yahtzee", "yatzy-saved"], () => {
  const total = (rules, card, bonusPoints = 0, saved = 0) => {
    change((t) => { state.startGame(t, rules); Object.assign(t.players[0], { card, bonusPoints, saved }); });
    return state.totals();
  };
  for (const [sixes, sums] of [[17, [62, 0, 67]], [18, [63, 50, 118]]]) {
    const { upper, upperBonus, all } = total("yatzy", { sixes, fives: 45, chance: 5 });
    equal([upper, upperBonus, all], sums);
  }
  const kismet = { aces: 3, deuces: 6, treys: 9, fours: 12, fives: 15 };
  equal([17, 18, 26, 33].map((sixes) => total("kismet", { ...kismet, sixes }).upperBonus), [0, 35, 55, 75]);
  equal(total("balut", { "fours-1": 20 }, 0).all, 20);
  equal(total("yahtzee", { yahtzee: 50 }, 100).all, 150);
  equal(state.position(), { rules: "yahtzee", card: { yahtzee: 50 }, bonus_points: 100 });
  total("yatzy-saved", { ones: 1 }, 0, 2);
  equal([state.position(), state.maxRerolls()], [{ rules: "yatzy-saved", card: { ones: 1 }, saved: 2 }, 4]);
  total("yatzy", { ones: 3 });
  change((t) => {
    t.players.push({ ...state.newPlayer("Bo"), card: { twos: 4 } }, { ...state.newPlayer(), bonusPoints: 0 });
    Object.assign(t, { objective: "win", ties: "half" });
  });
  equal(state.objective(), { opponents: ["twos=4", "empty"], ties: "half" });
  change((t) => { t.player = 1; t.players[0].card = Object.fromEntries(state.rules().categories.map(({ id }) => [id, 1])); });
  equal(state.objective().opponents, [15, "empty"]);
  change((t) => { Object.assign(t, { players: [state.newPlayer()], player: 0, opponents: "250; empty" }); });
  equal(state.objective(), { opponents: "250; empty", ties: "half" });
  change((t) => { Object.assign(t, { objective: "goal", goal: "240" }); });
  equal(state.objective(), { goal: 240 });
  change((t) => { t.goal = ""; });
  equal(state.objective(), {});
});

test("dice are rolled, entered, held and corrected", ["yatzy"], () => {
  const is = (expected) => equal(Object.fromEntries(Object.keys(expected).map((name) => [name, s()[name]])), expected), nothing = Array(5).fill(false);
  game.removeDie(); game.clearDice(); game.toggleHeld(0);
  equal(state.undoAndRedoAvailable()[0], false);
  roll(3, 3, 4, 5, 6); state.undo();
  is({ dice: [3, 3, 4, 5] });
  state.redo();
  game.toggleHeld(1); game.toggleHeld(0); game.toggleHeld(1);
  is({ held: [true, false, false, false, false] });
  roll(1);
  is({ dice: [3, 1], held: [true, false], rolls: [[3, 3, 4, 5, 6]], holds: [[3]], left: 1 });
  roll(2, 2, 6);
  is({ dice: [3, 1, 2, 2, 6], held: nothing });
  game.markHold([2, 2, 3]); game.holdAndRoll([2, 2, 3]);
  is({ holds: [[3], [2, 2, 3]], left: 0 });
  equal([s().dice.slice(0, 3), s().dice.length], [[2, 2, 3], 5]);
  game.addDie(1);
  equal([state.currentNotice(), s().rolls.length], ["No roll is left in this turn: take a box of the card first.", 2]);
  game.toggleHeld(0);
  is({ held: nothing });
  game.removeDie();
  equal([s().dice.length, s().left], [4, 0]);
  game.removeDie(); game.removeDie();
  is({ dice: [2, 2, 3], held: [true, true, true] });
  equal(game.canRemoveDie(), false);
  roll(5, 5); game.clearDice();
  is({ dice: [2, 2, 3] });
  game.removeDie();
  is({ dice: [2, 2, 3] });
  undos(7);
  is({ dice: [3, 1, 2, 2, 6], held: nothing, rolls: [[3, 3, 4, 5, 6]], holds: [[3]], left: 1 });
});

test("the hold before a roll is guessed from the dice", ["yatzy"], () => {
  const losses = known([[[3, 3], 0], [[3], 0.399], [[], 3]]);
  const guess = (holds, first, second) => {
    change((t) => state.startGame(t));
    game.provideAdvice({ holds: () => holds });
    roll(...first); roll(...second);
    return cloned();
  };
  let found = guess(losses, [3, 3, 4, 5, 6], [1, 3, 2, 3, 2]);
  equal([found.holds, found.guess], [[[3, 3]], { choices: [[3, 3], [3], []], isUnclear: false }]);
  found = guess(losses, [3, 3, 4, 5, 6], [1, 3, 2, 1, 2]);
  equal([found.holds, found.guess.choices], [[[3]], [[3], []]]);
  equal(guess(known([[[1], 0.4], [[], 0.7]]), [1, 6, 6, 6, 6], [1, 2, 3, 4, 5]).guess, { choices: [[1], []], isUnclear: true });
  found = guess(losses, [3, 3, 4, 5, 6], [1, 1, 1, 2, 2]);
  equal([found.holds, found.guess, found.rolls], [[[]], null, [[3, 3, 4, 5, 6]]]);
  found = guess([], [1, 2, 3, 4, 5], [1, 2, 3, 4, 6]);
  equal([found.holds, found.guess.choices.length], [[[1, 2, 3, 4]], 4]);
  game.setGuessedHold([]);
  equal([s().holds, s().guess.isUnclear], [[[]], false]);
  equal([game.isWithin([1, 1], [1, 2, 1]), game.isWithin([1, 1], [1, 2])], [true, false]);
  equal(game.marksOf([1, 2, 1], [1]), [true, false, false]);
});

// Not how fast advice comes decides, but whether the player has paused: time to throw the dice again.
test("a whole roll may be entered over dice that were held", ["yatzy"], async () => {
  game.provideAdvice({ markedHold: () => (s().rolls.length ? null : [3, 3]), holds: () => known([[[3, 3], 0]]) });
  for (const [pause, rest, held, dice] of [[1499, [4, 6], [[3, 3]], [3, 3, 5, 4, 6]], [1500, [4], [[3, 3], null], [4]]]) {
    await anew();
    roll(3, 3, 4, 5, 6); await web.pass(5000);
    roll(3, 3, 5); await web.pass(pause);
    roll(...rest);
    equal([s().holds, s().dice], [held, dice], pause);
  }
});

test("one die too many means that fewer were kept", ["yatzy"], async () => {
  const holds = known([[[4, 4, 4, 5], 0], [[4, 4, 4], 1], [[4, 4, 5], 2], [[4, 4], 3], [[], 4]]), [{ hold: best }] = holds;
  game.provideAdvice({ markedHold: () => (s().rolls.length ? null : best), holds: () => holds });
  for (const [pause, isMarked, held, dice] of [
    [0, false, [[4, 4, 4]], [4, 4, 4, 2, 6]], // two dice rolled where one was due: the hold of three that loses least
    [0, true, [[4, 4, 4, 5], null], [6]], // the player has said that one die was rolled
    [1500, false, [[4, 4, 4, 5], null], [6]], // time for a further roll
  ]) {
    await anew();
    roll(4, 4, 4, 5, 1); await web.pass(5000);
    if (isMarked) game.markHold(best);
    roll(2); await web.pass(pause);
    roll(6);
    equal([s().holds, s().dice], [held, dice]);
    equal(Boolean(s().guess), !(pause || isMarked));
    if (s().guess) {
      equal(state.currentNotice(), "Read as one roll of 2 dice. Undo takes the last one back.");
      equal(s().guess.choices, [[4, 4, 4], [4, 4, 5]]);
      game.setGuessedHold([4, 4, 5]);
      equal([s().holds, s().dice], [[[4, 4, 5]], [4, 4, 5, 2, 6]]);
      state.undo();
      equal(game.canBeTwo(), false); // nothing is marked to be kept next
    }
    state.undo();
    equal(s().dice, [4, 4, 4, 5, 2]); // one die is taken back
  }
});

// Not one roll of more dice, where that would be a blunder; undo takes back one die after the other.
test("two rolls typed in one go", ["yatzy"], async () => {
  const first = known([[[3, 3], 0], [[3], 3.1], [[4, 5, 6], 1.2], [[], 4]]), second = known([[[3, 3, 6], 0], [[3, 3], 0.9], [[3], 5], [[], 9]]);
  const ofRoll = (...values) => (s().dice.length === 5 && s().left ? values[s().rolls.length] : null);
  game.provideAdvice({ holds: () => ofRoll(first, second), markedHold: () => ofRoll([3, 3], [3, 3, 6]) });
  for (const [typed, holds, dice, left] of [
    ["126", [[3, 3]], "33126", 1],
    ["1264", [[3, 3], [3, 3, 6]], "3364", 0], // who keeps one 3 loses too much
    ["12645", [[3, 3], [3, 3, 6]], "33645", 0],
    ["33456", [[3, 3]], "33456", 1], // all five dice, those that were kept, too
    ["12633", [[3, 3]], "12633", 1],
    ["126451", [[3, 3], [3, 3, 6]], "33645", 0], // no roll is left
  ]) {
    await anew();
    roll(3, 3, 4, 5, 6); await web.pass(5000);
    roll(...[...typed].map(Number));
    equal([s().holds, s().dice.join(""), s().left], [holds, dice, left], typed);
    equal(s().held.map(Number).join(""), dice.length === 5 ? "00000" : "1110", typed);
    undos(Math.min(typed.length, 5));
    equal([s().dice, s().rolls], [[3, 3, 4, 5, 6], []], typed);
  }
});

// Advice that comes between two keys must not lead to a die that is refused: too many dice for two rolls are one.
test("five dice typed in one go are never refused", ["yatzy"], async () => {
  const losses = known([[[6, 6, 6, 6], 0], [[6, 6, 6], 4], [[6, 6], 8], [[6], 11], [[1], 12], [[], 13]]);
  game.provideAdvice({ holds: () => losses, markedHold: () => [6, 6, 6, 6] });
  for (const [typed, holds, dice] of [
    ["1", [[6, 6, 6, 6]], "66661"],
    ["12", [[6, 6, 6, 6], [6, 6, 6, 6]], "66662"],
    ["123", [[6, 6]], "66123"],
    ["1234", [[6]], "61234"],
    ["12345", [[1]], "12345"],
  ]) {
    await anew();
    roll(1, 6, 6, 6, 6); await web.pass(5000);
    roll(...[...typed].map(Number));
    equal([s().holds, s().dice.join("")], [holds, dice], typed);
    undos(typed.length);
    equal([s().dice, s().rolls], [[1, 6, 6, 6, 6], []], typed);
  }
});

// After a pause, and only where a box is advised; one step of the history.
test("a die after the last roll takes the advised box", ["yatzy"], async () => {
  let advised = null;
  game.provideAdvice({ box: () => advised });
  const is = (...expected) => equal([s().dice, s().player, s().players.map(({ card }) => card), state.currentNotice()], expected);
  const refused = [[1, 1, 1, 1, 2], 0, [{}, {}]], said = "No roll is left in this turn: take a box of the card first.";
  change((t) => {
    Object.assign(t, { players: ["Ann", "Bo"].map(state.newPlayer), left: 0 });
    Object.assign(t, { rolls: [[1, 1, 1, 2, 2], [1, 1, 1, 2, 2]], holds: [[1, 1, 1], [1, 1, 1]] });
  });
  roll(1, 1, 1, 1, 2); await web.pass(5000);
  roll(6); is(...refused, said);
  advised = { category: "ones", points: 4 };
  roll(6); is(...refused, said); // in one go with the die before
  await web.pass(5000);
  roll(6); is([6], 1, [{ ones: 4 }, {}], "Ones: 4 points. Total 4.");
  state.undo(); is(...refused, "");
  change((t) => {
    t.players.pop();
    t.players[0].card = Object.fromEntries(state.rules().categories.slice(1).map(({ id }) => [id, 0]));
  });
  await web.pass(5000);
  roll(6);
  equal([s().dice, state.isCardFull()], [[], true]);
});

// Every roll has all its dice, and every hold is part of the roll before and after it.
test("dice and corrections in any order leave a turn that can be reviewed", ["yatzy"], async () => {
  const draw = drawing(seed);
  const valueOf = (hold) => (hold.reduce((sum, face) => 7 * sum + face, 1) * 2654435761 % 2 ** 32) / 2 ** 29; // any advice will do
  const holdsOf = (dice) => Array.from({ length: 31 }, (_each, bits) => game.sorted(dice.filter((_die, i) => bits & 2 ** i)));
  let hasAdvice = true;
  const advised = () => (hasAdvice && s().dice.length === 5 ? s() : null);
  const best = () => (advised()?.left ? holdsOf(s().dice).reduce((most, hold) => (valueOf(hold) > valueOf(most) ? hold : most)) : null);
  const open = () => state.rules().categories.find(({ id }) => !(id in state.me().card));
  game.provideAdvice({
    markedHold: best,
    holds: () => best() && holdsOf(s().dice).map((hold) => ({ hold, loss: valueOf(best()) - valueOf(hold) })).sort((a, b) => a.loss - b.loss),
    box: () => (advised() && (!s().left || valueOf(s().dice) < 0.5) ? { category: open().id, points: 0 } : null),
  });
  const within = (part, dice) => game.isWithin(part, dice), faults = [];
  const check = (isRight, what, step) => { if (!isRight && faults.length < 3) faults.push([what, step, structuredClone(s())]); };
  const checkTurn = (rolls, holds, step) => holds.forEach((hold, i) => check(hold.length < 5 && within(hold, rolls[i]) && (!rolls[i + 1] || within(hold, rolls[i + 1])), "a hold that is not in its rolls", step));
  const seen = {};
  const count = (name) => { seen[name] = (seen[name] || 0) + 1; };
  for (let step = 0; step < 3000; step++) {
    const kind = draw(20), { dice, chosen, left, held } = s(), marked = String(game.sorted(dice.filter((_die, i) => held[i])));
    if (kind < 13) { roll(1 + draw(6)); if (s().flow) count(s().rolls.length > s().flow.before.rolls.length ? "two" : "one"); }
    else if (kind < 15) await web.pass(2000);
    else if (kind === 15) game.removeDie();
    else if (kind === 16) [game.clearDice, () => game.toggleHeld(draw(5)), () => s().guess && game.setGuessedHold(s().guess.choices.at(-1)), () => { const at = draw(5); if (at < dice.length && game.canChange(at)) game.chooseToChange(at); }][draw(4)]();
    else if (kind === 17) (state.undoAndRedoAvailable()[0] && draw(2) ? state.undo : state.redo)();
    else if (kind === 18) hasAdvice = draw(4) > 0;
    else if (dice.length === 5 && s().left) { const marks = game.keptMarks(), hold = dice.filter((_die, i) => marks[i]); if (hold.length < 5) game.holdAndRoll(hold); }
    if (game.canBeTwo() && !draw(3)) { count("said"); game.readAsTwo(); }
    const now = s(), isFull = now.dice.length === 5, last = now.holds.at(-1);
    if (now.turns.length) count("turn");
    check(now.dice.length <= 5 && now.held.length === now.dice.length && now.fixed <= now.dice.length, "dice", step);
    check(kind >= 13 || !chosen || !left || dice.length < 5 || String(now.holds.at(-1)) === marked || marked.length === 9, "marks that do not count", step);
    check(!now.flow || now.typed, "dice of the page among those typed", step);
    check(now.left === 2 - now.rolls.length && now.holds.length === now.rolls.length, "rolls", step);
    check(now.rolls.every((each) => each.length === 5), "an unfinished roll", step);
    check(isFull ? last !== null : last === undefined || last === null || !now.fixed || String(last) === String(now.dice.slice(0, now.fixed)), "dice that were not kept", step);
    checkTurn(isFull ? [...now.rolls, now.dice] : now.rolls, now.holds.filter(Boolean), step);
    for (const turn of now.turns) checkTurn(turn.rolls, turn.holds, step);
    if (now.flow && !draw(4)) game.toggleHeld(draw(5));
    if (state.isCardFull()) state.change((each) => state.startGame(each));
  }
  equal(faults, []);
  equal(Object.keys(seen).sort(), ["one", "said", "turn", "two"]);
});

test("turns, players and the record", ["yahtzee"], () => {
  const take = (category, points, bonus_points = 0) => game.takeCategory({ category, points, bonus_points });
  game.provideAdvice({ markedHold: () => [6, 6] });
  change((t) => {
    t.players = ["Ann", "", "Cy"].map(state.newPlayer);
    for (const { id } of state.rules().categories) t.players[2].card[id] = 0;
  });
  roll(6, 6, 1, 2, 3);
  equal(game.keptMarks(), [true, true, false, false, false]);
  roll(6, 5, 5);
  equal(s().holds, [[6, 6]]);
  game.markHold([5, 5, 6]); roll(6, 6); take("sixes", 18);
  equal([s().player, s().dice, s().left, s().rolls, s().edited], [1, [], 2, [], false]);
  roll(6, 6, 6, 6, 6); take("yahtzee", 50, 5);
  equal([s().players[1].bonusPoints, s().player], [5, 0]); // the third card is full
  const { date, ...record } = game.gameRecord(), players = ["Ann", "Player 2", "Cy"];
  equal(record, {
    schema: 2, rules: "yahtzee", players, source: "page",
    turns: [
      { player: 0, rolls: [[1, 2, 3, 6, 6], [5, 5, 6, 6, 6], [5, 5, 6, 6, 6]], holds: [[6, 6], [5, 5, 6]], category: "sixes", points: 18 },
      { player: 1, rolls: [[6, 6, 6, 6, 6]], holds: [], category: "yahtzee", points: 50, bonus_points: 5 },
    ],
  });
  isTrue(date.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), date);
  equal([0, 1, 2].map((at) => game.playerName(at)), players);
  isTrue(game.hasRecord());
  roll(1, 1, 1, 1, 1); change((t) => { t.left = 0; }); take("aces", 5);
  equal(game.hasRecord(), false);
  isTrue(state.currentNotice().includes("The rerolls left were set by hand"));
});

// --- links and texts ---

const NOT_HERE = "The rules “giant” are not available on this page, which shows Yatzy instead.";
const LINKS = { // link -> fields, what is said, the command that asks about the position
  "#rules=yatzy&card=ones=3+sixes=24&dice=3,3,4,5,6&rolls_left=1": [
    { card: { ones: 3, sixes: 24 }, dice: [3, 3, 4, 5, 6], left: 1 }, [], 'yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24"',
  ],
  "#dice=⚂⚂⚃⚄⚅&goal=240": [{ dice: [3, 3, 4, 5, 6], left: 2, goal: "240" }, [], "yatzy hold 33456 --rolls-left 2 --goal 240"],
  "#rules=yatzy-saved&saved=100&left=102": [{ saved: 100, left: 102 }, [], "yatzy expect --rules yatzy-saved --saved 100"],
  "#rules=yatzy-saved&saved=101": [{ saved: 0, left: 2 }, ["The saved rolls cannot be “101”."]],
  "#rules=yahtzee&bonus_points=99999&ties=win&opponents=250": [
    { bonusPoints: 99999, ties: "win", opponents: "250" }, [],
    "yatzy expect --rules yahtzee --bonus-points 99999 --opponent 250 --ties win",
  ],
  "#bonus_points=5&saved=0&left=3": [
    { bonusPoints: 0, left: 2 }, ["The bonus points cannot be “5”.", "The rerolls left cannot be “3”; there are at most 2."],
  ],
  "#card=ones=99+twos+nonsense=3&dice=3378&ties=x": [
    { card: {}, dice: [3, 3] },
    ["Ones cannot hold “99”.", "Twos cannot hold “”.", "There is no box “nonsense”.", "The dice cannot be “3378”.", "A tie cannot be “x”."],
  ],
  "#goal=9&opponents=3&what=1": [
    { goal: "9", opponents: "" }, ["There are a goal and opponents: the goal is used.", "“what” is not a field of a link."],
  ],
  "#rules=giant": [{ rules: "yatzy" }, [NOT_HERE, "They are not in its list."]],
};
const PASTED = {
  "http://x/#rules=yatzy&dice=1": "rules=yatzy&dice=1",
  'yatzy hold 33456 -l 1 --card "ones=3 sixes=24" --rules=crag': "left=1&card=ones=3 sixes=24&rules=crag&dice=33456",
  "Ones 3, full house: x; dice 3 3 4 5 6 left 2": "rules=yatzy&left=2&card=ones=3  full-house=0 &dice=33456",
  "three of a kind=9 ⚀⚀⚁⚁⚂ rubbish": "rules=yatzy&card=three-of-a-kind=9&dice=⚀⚀⚁⚁⚂&unknown=rubbish",
};

test("links and texts are read and written", ["yatzy", "yatzy-saved", "yahtzee"], async () => {
  const { fromLink, toLink } = await load("store/link"), { commandText, queryOf } = await load("shell/transfer");
  for (const [link, [expected, problems, command]] of Object.entries(LINKS)) {
    const [fields, faults] = await fromLink(link);
    equal({ ...fields, ...expected }, fields, link);
    equal(faults, problems, link);
    equal((await fromLink(toLink(fields)))[0], fields, link);
    await state.showPosition(fields);
    if (command) equal(commandText(), command);
  }
  change((t) => state.startGame(t, "yatzy"));
  for (const [text, query] of Object.entries(PASTED)) equal(decodeURIComponent(queryOf(text).replaceAll("+", " ")), query);
});

test("every option of a pasted command is understood", [], async () => {
  const { queryOf } = await load("shell/transfer");
  for (const [text, fields] of readCases()) equal(Object.fromEntries(new URLSearchParams(queryOf(text))), fields, text);
});

// The texts of chance_text() in Python, for the same chances.
test("a tiny chance has words", [], async () => {
  const words = await load("words/i18n"), tiny = [1e-9, 4.9e-7, 1 / 2.77e14, 1 / 9.996e8, 1e-15, 4e-21];
  const shown = (decimals) => tiny.map((chance) => words.formatPercent(chance, decimals));
  equal(shown(2), ["1 in 1 billion", "1 in 2.04 million", "1 in 277 trillion", "1 in 1 billion", "1 in 1 quadrillion", "1 in 2.5 × 10^20"]);
  equal(shown(0), tiny.map(() => "<1\u00a0%")); // where no digits are shown
  await words.setLanguage("sv");
  equal(shown(1).slice(1, 3), ["1 på 2,04 miljoner", "1 på 277 biljoner"]);
  await words.setLanguage("ja");
  equal(shown(2).slice(0, 3), ["10億分の1", "204万分の1", "277兆分の1"]);
  await words.setLanguage("en");
});

test("words, numbers and plurals of a language", [], async () => {
  const words = await load("words/i18n"), nordic = ["-248,5", "50,00\u00a0%"];
  for (const [tag, ...expected] of [
    ["sv-SE", "sv", "Ångra", ...nordic, "1 sekund", "2 sekunder"], ["no", "nb", "Angre", ...nordic, "1 sekund", "2 sekunder"],
    ["nn", "nb", "Angre", ...nordic, "1 sekund", "2 sekunder"], ["fi-FI", "fi", "Kumoa", ...nordic, "1 sekunti", "2 sekuntia"],
    ["de-AT", "de", "Rückgängig", ...nordic, "1 Sekunde", "2 Sekunden"],
    ["ja-JP", "ja", "元に戻す", "-248.5", "50.00\u00a0%", "1秒", "2秒"], ["ko", "ko", "되돌리기", "-248.5", "50.00\u00a0%", "1초", "2초"],
    ["zh-TW", "en", "Undo", "-248.5", "50.00\u00a0%", "1 second", "2 seconds"],
  ]) {
    await words.setLanguage(tag);
    const seconds = [1, 2].map((count) => words.ngettext("{count} second", "{count} seconds", count, { count }));
    equal([words.language, words._("Undo"), words.formatNumber(-248.45, 1).replace("−", "-"), words.formatPercent(0.5), ...seconds], expected);
  }
  const percents = [1 - 1e-12, 0.99999, 0, 1e-6].map((chance) => words.formatPercent(chance));
  equal(percents, ["100.00\u00a0%", ">99.99\u00a0%", "0.00\u00a0%", "<0.01\u00a0%"]);
  equal([-0.04, 9999, 12345.6].map((x) => words.formatNumber(x, 0)), ["0", "9999", "12,346"]);
  equal(localStorage.getItem("perfect-yatzy-language"), "en");
});

// --- questions to the server ---

const asking = async () => {
  await load("store/server");
  const { ask, latestOnly } = await load("store/ask");
  const fields = ({ name, code, message, field, retryable, cost }) => ({ name, code, message, field, retryable, cost });
  const failure = (path, body = {}, options = {}) => ask(path, body, options).then(() => null, fields);
  return { ask, latestOnly, failure };
};

test("answers are kept, and asked for once more after a failure", [], async () => {
  const { ask, latestOnly, failure } = await asking(), is = async (dice, asked) => { await ask("hold", { dice }); equal(web.asked.length, asked); };
  let failures = 1;
  web.answers.hold = (body) => { if (failures-- > 0) throw new TypeError(); return { dice: body.dice }; };
  const first = ask("hold", { dice: 1 });
  await web.pass(699);
  equal(web.asked.length, 1);
  await web.pass(1);
  equal([await first, await ask("hold", { dice: 1 }), web.asked.length], [{ dice: 1 }, { dice: 1 }, 2]);
  for (let dice = 2; dice < 61; dice++) await ask("hold", { dice });
  await ask("hold", { dice: 1 });
  await is(61, 62); await is(1, 62); await is(2, 63);
  const away = failure("score");
  await web.pass(700);
  const { name: _name, ...said } = await away;
  equal(said, { code: "network", message: "The server does not answer. Is “yatzy serve” still running?", retryable: true });
  const json = (body, status) => Response.json(body, { status });
  web.answers = {
    score: json({ error: "'3345' is 4 dice", code: "invalid-dice", field: "dice" }, 422),
    expect: json({ error: "too many", code: "busy" }, 429), puzzle: json({ code: "odd" }, 500), outcomes: new Response("<html>", { status: 502 }),
    points: json({ error: "this takes long", code: "confirmation-required", cost: { seconds: 9 } }, 409),
  };
  for (const [path, expected] of Object.entries({
    score: { code: "invalid-dice", message: "'3345' is 4 dice.", field: "dice", retryable: false },
    expect: { code: "busy", message: "Too many.", retryable: true }, puzzle: { code: "odd", message: "The request failed.", retryable: true },
  })) {
    const { name: _, ...found } = await failure(path);
    equal(found, expected, path);
  }
  const { code, retryable } = await failure("outcomes"), points = await failure("points");
  equal([code, retryable, points.cost, points.retryable], ["unreadable", true, { seconds: 9 }, false]);
  const next = latestOnly(), one = next(), two = next();
  equal([one.aborted, two.aborted], [true, false]);
});

test("a server that works is waited for, and one that hangs is not", [], async () => {
  const { failure } = await asking();
  const hang = (signal) => new Promise((_, reject) => { signal.addEventListener("abort", () => reject(signal.reason)); });
  let over = "";
  const begin = () => { over = ""; failure("hold").then(({ code, message }) => { over = [code, message]; }); };
  web.answers = { hold: (_, { signal }) => hang(signal), languages: {} };
  begin();
  await web.pass(59_999);
  equal(web.asked.length, 1);
  await web.pass(1);
  await web.pass(9 * 60_000 - 1);
  equal([over, web.asked.filter((path) => path === "languages").length], ["", 9]);
  await web.pass(1);
  equal(over, ["timeout", "The server has not answered for 600 seconds."]);
  delete web.answers.languages;
  begin();
  await web.pass(60_000);
  equal(over, ["timeout", "The server has not answered for 60 seconds."]);
});

test("long work reports, and can be given up", [], async () => {
  const { ask } = await asking();
  const solve = async (events, options = {}) => {
    web.answers.solve = (_, { signal }) => new Response(new ReadableStream({ start(out) {
      for (const text of events) out.enqueue(new TextEncoder().encode(text));
      signal.addEventListener("abort", () => out.error(signal.reason));
      if (events.at(-1) !== "") out.close();
    } }));
    const reports = [];
    return ask("solve", {}, { onProgress: (each) => reports.push(each), ...options }).then((done) => ({ reports, done }), (error) => error);
  };
  const half = 'event: progress\ndata: {"done": 0.5}\n\n', controller = new AbortController();
  const done = await solve([": working\n\nevent: progress\nda", 'ta: {"done": 0.5}\n\n', "event: done\ndata: {}\n\n"]);
  equal(done, { reports: [{ done: 0.5 }], done: {} });
  const { code, message } = await solve(['event: error\ndata: {"error": "no space", "code": "table-not-written"}\n\n']);
  equal([code, message, (await solve([half])).code], ["table-not-written", "No space.", "network"]);
  const waiting = solve([half, ""], { signal: controller.signal });
  await web.pass(1);
  controller.abort();
  equal((await waiting).name, "AbortError");
  const silent = solve([half, ""]);
  await web.pass(29_999); await web.pass(1);
  equal((await silent).message, "The server has not answered for 30 seconds.");
  const { costText, timeText, sizeText } = await load("table/solve"), cost = { seconds: 25, disk_bytes: 930_000_000 };
  equal(costText(cost, "127.0.0.1"), "Solve now (about 25 seconds, 0.9 GB on the disk of this computer, once)");
  equal(costText(cost, "192.168.1.5"), "Solve now on the server (about 25 seconds, 0.9 GB on its disk, nothing on this device, once)");
  equal(costText({ seconds: 89.6 }), "Solve now (about 2 minutes)"); // 90 seconds
  equal([timeText(0.2), timeText(89.4), timeText(3600), sizeText(99_000_000), sizeText(100_000_000)], ["1 second", "89 seconds", "60 minutes", "99 MB", "0.1 GB"]);
});

// --- training ---

// Ten minutes, one, three and seven days after a right answer; after a wrong one at once; then solved.
test("mistakes are asked again after growing intervals", [], async () => {
  const drill = await load("store/drill"), at = (rolls_left, dice = [1, 2]) => ({ rules: "yatzy", card: { ones: 3 }, dice, rolls_left });
  const start = 1e12, minute = 60_000, day = 86_400_000, kept = () => JSON.parse(localStorage.getItem("perfect-yatzy-drill-1"));
  drill.addMistakes([{ position: at(1), loss: 3 }, { position: at(2), loss: 1 }, { position: at(1, [2, 1]), loss: 9 }], start);
  const first = drill.nextMistake(false, start);
  drill.answerMistake(first.key, false, start + 1);
  const other = drill.nextMistake(false, start + 1);
  isTrue(other.key !== first.key);
  drill.answerMistake(other.key, true, start + 2);
  let now = start + 2;
  for (const wait of [10 * minute, day, 3 * day, 7 * day, null]) {
    drill.answerMistake(first.key, true, now);
    const left = kept().find((each) => each.key === first.key);
    equal(left ? left.due - now : null, wait);
    now += 8 * day;
  }
  equal(drill.drillCounts(start + 3), { all: 1, due: 0, next: start + 2 + 10 * minute });
  equal([drill.nextMistake(true, start + 3).key, drill.nextMistake(false, start + 3)], [other.key, null]);
  drill.addMistakes([{ position: at(2), loss: 1 }], start + 4); // made once more, it is due at once
  equal([kept()[0].right, drill.drillCounts(start + 4), drill.nextMistake(false, start + 4).key], [0, { all: 1, due: 1, next: start + 4 }, other.key]);
  drill.addMistakes(Array.from({ length: 205 }, (_, i) => ({ position: at(100 + i), loss: i })), start);
  equal([kept().length, Math.min(...kept().map(({ loss }) => loss))], [200, 5]); // the smallest are forgotten first; the one before lost 1
  drill.forgetMistakes();
  equal(drill.drillCounts().all, 0);
});

test("puzzles of a day and the settings of training", ["yatzy"], async () => {
  const puzzle = await load("puzzle/puzzle"), settings = await load("store/training-settings"), asked = [];
  web.answers.puzzle = (body) => { asked.push(body); return { card: {}, dice: [1], rolls_left: 2 }; };
  await puzzle.askPuzzle("yatzy", "hard", 1001);
  equal([asked[0].seed - puzzle.today() * 1000, asked[0].difficulty], [1, "hard"]);
  equal(puzzle.today(new Date(2026, 10, 22, 23, 59)), 739_942); // the ordinal of Python
  equal([puzzle.nextNumber(), puzzle.nextNumber()], [1, 2]);
  settings.setSettings({ threshold: 5 }); settings.countChoice("mistake", 1.5); settings.countChoice("best", 0);
  equal(JSON.parse(localStorage.getItem("perfect-yatzy-training-1")), { isHidden: false, threshold: 5 });
  const { count, lost, grades } = settings.sessionCounts();
  equal([count, lost, grades.mistake, settings.isAdviceHidden()], [2, 1.5, 1, false]);
  settings.resetSession();
  equal(settings.sessionCounts().count, 0);
});

// --- sentences ---

const ends = (bonus_chance, turn_points, later_points, ...categories) => ({ categories, turn_points, later_points, bonus_chance });
const kept = (hold, outlook, more) => ({ hold, outlook, ...more }), box = (category, outlook, more) => ({ category, outlook, ...more });
const at = (expected_final_score, chance) => ({ expected_final_score, chance });

test("the reason of the advice", ["yatzy"], async () => {
  const { whySentence } = await load("table/why");
  const best = kept([3, 3, 3], ends(null, 0, 0, ["full-house", 0.12, 20], ["threes", 0.88, 12]));
  const four = kept([3, 3, 3, 4], ends(null, 0, 0, ["threes", 0.9, 12], ["chance", 0.1, 18]));
  const one = ends(0.5, 10, 100, ["ones", 1, 3]), ones = box("ones", one), twos = (...parts) => box("twos", ends(...parts, ["twos", 1, 3]));
  for (const [first, second, sentence] of [
    [best, four, "Ends in Full House in 12\u00a0% of turns, with 3\u00a03\u00a03\u00a04 in other boxes."],
    [
      best, kept([3], ends(null, 0, 0, ["threes", 0.9, 12], ["full-house", 0.004, 18])),
      "Ends in Full House in 12\u00a0% of turns, with 3 only in <1\u00a0%.",
    ],
    [best, box("chance", ends(null, 20, 0, ["chance", 1, 20])), "Ends in Threes in 88\u00a0% of turns."],
    [ones, twos(0.4, 10, 100), "The upper bonus is reached in 50\u00a0% of games, with Twos in 40\u00a0%."],
    [ones, twos(0.6, 10, 100), "It is worth a smaller chance of the upper bonus, 50\u00a0% instead of 60\u00a0%."],
    [ones, twos(0.5, 12, 97), "2.0 points fewer than Twos in this turn, 3.0 more in later ones."],
    [ones, twos(0.5, 8, 101), "2.0 points more than Twos in this turn, 1.0 fewer in later ones."],
    [ones, twos(0.5, 8, 100), "The difference is made in this turn."],
    [ones, twos(0.5, 10, 98), "The difference is made in later turns."],
    [box("ones", one, at(200, 0.5)), box("twos", one, at(198, 0.4)), "Playing for the average, it would be 2.0 points better than Twos."],
    [box("ones", one, at(198, 0.5)), box("twos", one, at(200, 0.4)), "Playing for the average, it would be 2.0 points worse than Twos."],
    [box("ones"), box("twos"), ""],
    [kept([3, 3, 3], ends(null, 0, 0, ["full-house", 0.09, 20], ["threes", 0.91, 12])), four, ""], // a rare end is no reason
    [
      box("large-straight", ends(null, 20, 0, ["large-straight", 1, 20]), { points: 20 }),
      kept([2, 3, 4, 5], ends(null, 9, 0, ["large-straight", 0.25, 20], ["ones", 0.75, 1])),
      "A sure 20; rerolling from 2\u00a03\u00a04\u00a05 ends there in 25\u00a0% of turns.",
    ],
  ]) equal(whySentence(first, second, "yatzy"), sentence);
});

// Figures of the answer to 22555 with ones 3, threes 12, fours 16 and sixes 24: of the first two boxes with their outlooks.
test("a puzzle gives a reason for every choice", ["yatzy"], async () => {
  const { reasonOfChoice } = await load("table/why");
  const house = box("full-house", ends(0.998, 19, 184.15, ["full-house", 1, 19]), { points: 19, expected_remaining: 203.15 });
  const fives = box("fives", ends(1, 15, 187.59, ["fives", 1, 15]), { points: 15, expected_remaining: 202.59 });
  const kind = { category: "three-of-a-kind", points: 15, bonus_points: 0, expected_remaining: 200.24 }; // 185.24 later
  const chance = { category: "chance", points: 19, bonus_points: 5, expected_remaining: 196.15 }; // 24 now, 172.15 later
  const spaced = (...given) => reasonOfChoice(...given, "yatzy").replaceAll("\u00a0", " ");
  const boxes = [house, fives, kind, chance];
  equal(spaced(boxes, fives), "4.0 points more than Fives in this turn, 3.4 fewer in later ones.");
  equal(spaced(boxes, kind), "4.0 points more than Three of a Kind in this turn, 1.1 fewer in later ones.");
  equal(spaced(boxes, chance), "5.0 points fewer than Chance in this turn, 12.0 more in later ones.");
  const threes = kept([3, 3], ends(null, 12, 100, ["threes", 0.5, 12], ["chance", 0.5, 20])), six = kept([6], ends(null, 12, 99, ["threes", 0.04, 12], ["chance", 0.96, 20]));
  equal(spaced([threes, six, { hold: [1, 2] }], { hold: [1, 2] }), "Ends in Threes in 50 % of turns, with 6 only in 4 %. This compares it with the second best, 6.");
  equal(spaced([threes, six], six), "Ends in Threes in 50 % of turns, with 6 only in 4 %.");
  equal(reasonOfChoice([{ hold: [3] }, { hold: [6] }], { hold: [1] }, "yatzy"), ""); // nothing is known
});

test("sentences of the advice and the verdict", ["yatzy"], async () => {
  const { gapText, actionLabel, valueName } = await load("table/advice-text"), { signedText } = await load("table/actions"), { lossSentence, lossOf, gradeOfChoice } = await load("table/verdict");
  const a = { hold: [3, 3], ...at(200) }, b = { hold: [5, 6], ...at(199.99) }, c = { category: "chance", points: 20, ...at(195) };
  for (const [best, second, text] of [
    [a, b, "Nearly as good: 5\u00a06 (−0.01)."], [a, c, "5.00 points better than Chance."], [a, { ...b, ...at(200) }, "As good: 5\u00a06."],
    [a, { ...b, ...at(199.996) }, "Less than 0.01 better than 5\u00a06."],
    [at(1, 0.5), { ...b, chance: 0.25 }, "25.00 percentage points better than 5\u00a06."],
  ]) equal(gapText(best, second), text);
  for (const [hold, count, ...texts] of [
    [[3, 3], 3, "Roll three dice", "Roll three dice for me"], [[3, 3, 4, 5], 1, "Roll one die", "Roll one die for me"],
    [[], 5, "Roll all dice again", "Roll all dice for me"],
  ]) equal([false, true].map((typed) => actionLabel({ kind: "roll", hold, count }, typed)), texts);
  const take = (entry) => actionLabel({ kind: "take", entry });
  equal(take({ category: "threes", points: 9 }), "Take Threes for 9");
  equal(take({ category: "yatzy", points: 50, bonus_points: 100 }), "Take Yatzy for 50 + 100");
  for (const [chance, text] of [
    [0, "60 or more is out of reach; ranked by the average"], [1, "60 or more is certain; ranked by the average"], [0.5, "chance of 60 or more"],
  ]) equal(valueName({ aim: { goal: 60 }, entries: [{ chance }] }), text);
  for (const [done, best, text] of [
    [a, a, "Keep 3\u00a03: the best choice."], [c, a, "Chance for 20 loses 5.00 points."],
    [{ ...b, ...at(200) }, a, "Keep 5\u00a06: as good as keep 3\u00a03."],
    [{ ...b, ...at(1, 0.25) }, { ...a, ...at(1, 0.5) }, "Keep 5\u00a06 loses 25.00 percentage points of the chance."],
  ]) equal(lossSentence(done, best, "yatzy"), text);
  equal([lossOf({ ...b, ...at(190, 1) }, { ...a, ...at(200, 1) }), lossOf(at(201), at(200))], [10, 0]);
  equal([gradeOfChoice(c, a), gradeOfChoice({ hold: [1], category: "chance", ...at(195) }, c)], ["blunder", "best"]);
  equal([1.25, -4, 0.04].map((x) => signedText(x)), ["+1.3", "−4.0", "0.0"]);
});

test("the large button begins with a capital in every language, and the die has its verb", ["yatzy"], async () => {
  const words = await load("words/i18n"), { actionLabel } = await load("table/advice-text"), { actionTitle } = await load("table/actions");
  for (const language of ["en", "da", "de", "fi", "ja", "ko", "nb", "sv"]) {
    await words.setLanguage(language);
    for (const isTyped of [false, true])
      for (const hold of [[3, 3], [3, 3, 3, 3], []]) {
        const label = actionLabel({ kind: "roll", hold, count: 5 - hold.length }, isTyped);
        equal(label[0], label[0].toUpperCase(), label);
      }
    const title = actionTitle({ hold: [3, 3], category: null }), verb = words._("keep");
    isTrue(title.toLowerCase().includes(language === "ko" ? verb[0] : verb), `${title}: ${verb}`);
  }
  await words.setLanguage("en");
});

test("no label of a chart is cut off or lies on the bars", ["yatzy"], async () => {
  const { distributionChart } = await load("table/distribution"), percentiles = { 5: 221, 95: 290 };
  const chances = Array.from({ length: 80 }, (_chance, i) => (i === 2 ? 0.21 : 0.01)); // the highest bar is at the left
  for (const total of [215, 221, 240]) {
    const chart = distributionChart(byId("chart"), { chances, lowest: 220, percentiles }, { mean: 252.5, total });
    const highest = Math.min(...chart.querySelectorAll("rect").map((bar) => Number(bar.getAttribute("y"))));
    const labels = chart.querySelectorAll("text").slice(-2);
    equal(labels.map((label) => label.getAttribute("class")), ["mean", "total"]);
    for (const label of labels) isTrue(Number(label.getAttribute("y")) + 3 < highest && Number(label.getAttribute("y")) > 10, total);
  }
});

test("the command says why in the sentences of the page", ["yatzy", "generala"], async () => {
  const { whySentence } = await load("table/why");
  for (const { spec, best, other, sentence } of readCases()) equal(whySentence(best, other, spec).replaceAll("\u00a0", " "), sentence);
});

const near = (found, expected, tolerance) =>
  isTrue(found.length === expected.length && found.every((x, i) => Math.abs(x - expected[i]) <= tolerance), String(found));

// Quantiles of the chi-square distribution with 5 and 3 degrees of freedom, from printed tables.
test("how often fair dice differ as much", ["yatzy"], async () => {
  const { fairness } = await load("statistics/statistics");
  const counts = (faces) => (x) => { const d = Math.sqrt(50 * x); return [100 + d, 100 - d, ...Array(faces - 2).fill(100)]; };
  const rolled = [...[1.145, 4.351, 11.070, 20.515].map(counts(6)), ...[0.352, 7.815].map(counts(4)), [100, 100, 100]];
  near(rolled.map(fairness), [0.95, 0.5, 0.05, 0.001, 0.95, 0.05, 1], 2e-4);
});

test("the axis of a distribution has round numbers, and nine of ten games are marked", ["yatzy"], async () => {
  const { distributionChart } = await load("table/distribution");
  for (const count of [4, 10, 25, 60, 120, 250, 400, 700, 1600, 3000, 9000]) {
    const chances = Array(count).fill(1 / count), [first, last] = [101, 100 + count], percentiles = { 5: first + 1, 95: last - 1 };
    const chart = distributionChart(byId("chart"), { chances, lowest: first, percentiles }, { mean: first + count / 2, total: first });
    const scores = chart.querySelectorAll("text").slice(0, -2).map((label) => Number(label.textContent.replace(/\D/g, "")));
    const tick = scores[1] - scores[0];
    isTrue(/^[125]0*$/.test(String(tick)), `${count}: ${tick}`);
    equal(scores, scores.map((_score, i) => Math.ceil(first / tick) * tick + tick * i), count);
    isTrue(scores.at(-1) <= last && scores.at(-1) + tick > last, count);
    const bars = chart.querySelectorAll("rect").map((bar) => bar.getAttribute("class"));
    equal(bars, ["rare", ...Array(count - 2).fill("usual"), "rare"], count);
  }
});

test("figures of a distribution", [], async () => {
  const of = await load("table/distribution"), spread = { lowest: 95, chances: [1e-6, 0.2, ...Array(9).fill(0.05), 0.35, 1e-6] };
  near([0, 90, 95, 97, 107, 108].map((score) => of.chanceOfAtLeast(spread, score)), [1, 1, 1, 0.8, 1e-6, 0], 2e-6);
  equal([of.drawnScores(spread), of.chanceRows(spread)], [[96, 106], [["100", "65.0\u00a0%"]]]);
});

test("a reason has at most twelve words and two bars of what it names", ["yatzy"], async () => {
  const { reasonOf } = await load("table/reason");
  const outlook = (more) => ({ categories: [["ones", 0.2, 2], ["threes", 0.5, 9]], bonus_chance: 0.5, turn_points: 10, later_points: 100, ...more });
  const hold = (dice, loss, more) => ({ hold: dice, expected_final_score: 250 - loss, loss, outlook: outlook(more) });
  const cases = {
    end: [hold([3, 3], 0, { categories: [["threes", 0.66, 9], ["twos", 0.34, 4]] }), hold([5, 6], 1, { categories: [["threes", 0.05, 9], ["twos", 0.95, 4]] }), [0.66, 0.05]],
    bonus: [hold([3, 3], 0, { bonus_chance: 0.8 }), hold([5, 6], 1), [0.8, 0.5]],
    now: [hold([3, 3], 0, { turn_points: 20 }), hold([5, 6], 1), [1, 0.5]],
    later: [hold([3, 3], 0, { later_points: 200 }), hold([5, 6], 1), [1, 0.5]],
    sure: [{ category: "full-house", points: 28, expected_final_score: 250, loss: 0, outlook: outlook() }, hold([6, 6, 6], 1, { categories: [["full-house", 0.14, 28]] }), [1, 0.14]],
    unexplained: [{ hold: [3], expected_final_score: 200, loss: 0 }, { hold: [], expected_final_score: 100, loss: 100 }, [1, 0.5]],
  };
  const texts = Object.entries(cases).map(([name, [best, other, shares]]) => {
    const { text, bars } = reasonOf(best, other, "yatzy");
    equal(bars.map(({ share }) => Math.round(1000 * share) / 1000), shares, name);
    isTrue(text.split(/\s+/).length <= 12 && bars.every((bar) => bar.of && bar.text), name);
    return text;
  });
  isTrue(new Set(texts).size === texts.length);
  equal(texts[0], "Ends in Threes far more often.");
});

test("the header says the turn and the roll", ["yatzy"], async () => {
  await openPage();
  for (const [left, roll] of [[2, 1], [1, 2], [0, 3]]) {
    change((t) => { t.players[0].card = { ones: 3, twos: 4 }; t.dice = [1, 2, 3, 4, 5]; t.left = left; });
    equal(web.text("turn-line"), `Turn 3 of 15, roll ${roll} of 3`);
    const dots = byId("turn-line").querySelectorAll("i");
    equal([dots.length, dots.filter((dot) => dot.className === "on").length], [3, roll]);
  }
});

test("a computer plays a turn to its end, in so many rolls as it likes", [], async () => {
  const { playTurn } = await load("table/opponent"), faces = [[5, 1, 3], [6, 2, 2], [4, 3, 6]];
  for (const rerolls of [0, 1, 2]) {
    for (let stop = 0; stop <= rerolls; stop++) { // all dice are kept after so many rerolls, or none are left
      const asked = [], told = [];
      const turn = await playTurn({ rules: "yatzy" }, rerolls, {
        roll: (hold, number) => [...hold, ...faces[number - 1].slice(hold.length)],
        choose: (query, { rules, dice, rolls_left: left }) => {
          asked.push(`${query} ${rules} ${dice.join("")} ${left}`);
          if (query === "score") return { category: "chance", points: 9 };
          return rerolls - left === stop ? { hold: dice, category: "chance" } : { hold: [dice[0]] };
        },
        onHold: ({ hold }) => told.push(hold.join("")),
      });
      const dice = ["513", "522", "536"], rolls = [[1, 3, 5], [2, 2, 5], [3, 5, 6]], left = rerolls - stop;
      equal(turn, { rolls: rolls.slice(0, stop), holds: Array(stop).fill([5]), dice: rolls[stop], box: { category: "chance", points: 9 }, left });
      equal(told, Array(stop).fill("5"));
      const holds = dice.slice(0, stop + (left > 0)).map((each, i) => `hold yatzy ${each} ${rerolls - i}`);
      equal(asked, [...holds, `score yatzy ${dice[stop]} ${left}`]);
    }
  }
});

test("what is done after a decision", ["yatzy"], async () => {
  const { thenText } = await load("table/advice-text");
  for (const left of [0, 1, 2]) {
    change((t) => { t.left = left; });
    equal(thenText({ category: "ones", points: 0 }), "cross it out");
    equal(thenText({ category: "ones", points: 3 }), left ? "do not roll again" : "");
    equal([[], [6], [1, 2, 3], [1, 2, 3, 4]].map((hold) => thenText({ hold })), ["", "then roll four dice", "then roll two dice", "then roll one die"]);
  }
});

test("a computer at a level errs as the policy of Python does", [], async () => {
  const { chancesAt } = await load("table/opponent");
  for (const { temperature, losses, chances } of readCases())
    chancesAt(temperature, losses).forEach((chance, i) => isTrue(Math.abs(chance - chances[i]) < 1e-12, String(losses)));
});
